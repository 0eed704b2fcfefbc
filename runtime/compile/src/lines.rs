//! Line tables: from machine code to instructions of vISA, and on to lines of the source.
//!
//! Each machine instruction keeps the index of its vISA instruction ([`Inst::origin`](kiln_emit::inst::Inst::origin))
//! through all passes. Instructions that allocation adds (spills, copies) belong to the one before, the end of a
//! thread to its return. FILE and LOC in vISA give the source line of the instructions that follow; line 0 means none.
//! A table has rows only where the vISA instruction or the source line changes.

use std::collections::HashMap;

use kiln_emit::assemble::Program;
use kiln_visa::module::{Object, Operand, Var};
use kiln_visa::opcode::{Field, Opcode};
use serde::{Deserialize, Serialize};

/// A row: valid from its offset up to that of the next row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Offset in bytes from the start of the code.
    pub offset: u32,
    /// Index of the vISA instruction in the kernel or function that this code belongs to, if there is one. In linked
    /// code, [`Compiled::symbols`](crate::Compiled::symbols) tells which kernel or function that is.
    pub visa: Option<u32>,
    /// Source line, where FILE and LOC give one.
    pub source: Option<Source>,
}

/// A line of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Index in [`Lines::files`].
    pub file: u32,
    /// Line number, from 1.
    pub line: u32,
}

/// The line table of a piece of code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lines {
    /// Names of source files; lines before the first FILE have an empty name.
    pub files: Vec<String>,
    /// Rows in the order of the code.
    #[serde(with = "distances")]
    pub lines: Vec<Line>,
    /// Instructions of whose results allocation knows the variable, in the order of the code; none unless
    /// [`Options::names`](crate::Options::names) asks for them.
    pub held: Vec<Held>,
    /// Names of these variables.
    pub variables: Vec<String>,
}

/// An instruction with the variable that it gives contents, copies, stores to scratch space or loads from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Offset in bytes from the start of the code.
    pub offset: u32,
    /// Index in [`Lines::variables`].
    pub variable: u32,
}

/// Rows are stored with the distance of each from the one before, most of which take one byte.
mod distances {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::{Line, Source};

    type Row = (u32, Option<u32>, Option<(u32, u32)>);

    pub fn serialize<S: Serializer>(lines: &[Line], to: S) -> Result<S::Ok, S::Error> {
        let mut before = 0;
        to.collect_seq(lines.iter().map(|line| -> Row {
            let distance = line.offset.wrapping_sub(before);
            before = line.offset;
            let source = line.source.map(|source| (source.file, source.line));
            (distance, line.visa, source)
        }))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Line>, D::Error> {
        let mut offset: u32 = 0;
        let line = |(distance, visa, source): Row| {
            offset = offset.wrapping_add(distance);
            Line {
                offset,
                visa,
                source: source.map(|(file, line)| Source { file, line }),
            }
        };
        let rows: Vec<Row> = Deserialize::deserialize(from)?;
        Ok(rows.into_iter().map(line).collect())
    }
}

impl Lines {
    /// The table of a program whose instructions have these offsets, without source lines yet.
    pub(crate) fn of(program: &Program, offsets: &[u32]) -> Lines {
        let mut lines: Vec<Line> = Vec::with_capacity(offsets.len());
        for (inst, &offset) in program.blocks.iter().flatten().zip(offsets) {
            let visa = inst.origin.get();
            let starts = match lines.last() {
                None => true,
                Some(last) => visa.is_some() && last.visa != visa,
            };
            if starts {
                lines.push(Line {
                    offset,
                    visa,
                    source: None,
                });
            }
        }
        Lines {
            lines,
            ..Lines::default()
        }
    }

    /// Notes the variables that a program's instructions with these offsets have by allocation's account.
    pub(crate) fn name(&mut self, program: &Program, offsets: &[u32], object: &Object) {
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        for (inst, &offset) in program.blocks.iter().flatten().zip(offsets) {
            let Some(var) = inst.origin.variable() else {
                continue;
            };
            let Some(declared) = object.vars.get(Var::from_u32(var)) else {
                continue;
            };
            let variable = *numbers.entry(var).or_insert_with(|| {
                self.variables.push(declared.name.to_string());
                self.variables.len() as u32 - 1
            });
            self.held.push(Held { offset, variable });
        }
    }

    /// The name of the variable that the instruction at an offset has by allocation's account.
    pub fn variable(&self, offset: u32) -> Option<&str> {
        let at = self.held.binary_search_by_key(&offset, |held| held.offset);
        let held = self.held[at.ok()?];
        self.variables
            .get(held.variable as usize)
            .map(String::as_str)
    }

    /// Fills in the source lines from FILE and LOC.
    pub(crate) fn locate(&mut self, object: &Object) {
        let sources = Sources::of(object);
        for line in &mut self.lines {
            line.source = line.visa.and_then(|visa| sources.at(visa));
        }
        self.files = sources.files;
        self.lines.dedup_by_key(|line| (line.visa, line.source));
    }

    /// Appends the table of code that begins at `base`.
    pub(crate) fn append(&mut self, other: &Lines, base: u32) {
        let mut number_of = Vec::with_capacity(other.files.len());
        let known = self.files.iter().cloned().zip(0..);
        let mut known: HashMap<String, u32> = known.collect();
        for file in &other.files {
            let next = self.files.len() as u32;
            let number = *known.entry(file.clone()).or_insert(next);
            if number == next {
                self.files.push(file.clone());
            }
            number_of.push(number);
        }
        self.lines.extend(other.lines.iter().map(|line| Line {
            offset: line.offset + base,
            source: line.source.map(|source| Source {
                file: number_of[source.file as usize],
                ..source
            }),
            ..*line
        }));
        let first = self.variables.len() as u32;
        self.variables.extend_from_slice(&other.variables);
        self.held.extend(other.held.iter().map(|held| Held {
            offset: held.offset + base,
            variable: held.variable + first,
        }));
    }

    /// The table of the code in `start..end`, with offsets relative to `start`.
    pub fn part(&self, start: usize, end: usize) -> Lines {
        let inside = |held: &&Held| (start..end).contains(&(held.offset as usize));
        let mut part = Lines {
            files: self.files.clone(),
            lines: Vec::new(),
            held: (self.held.iter().filter(inside))
                .map(|held| Held {
                    offset: held.offset - start as u32,
                    ..*held
                })
                .collect(),
            variables: self.variables.clone(),
        };
        for line in self
            .lines
            .iter()
            .filter(|line| (line.offset as usize) < end)
        {
            let offset = (line.offset as usize).saturating_sub(start) as u32;
            // The last row up to the start is valid there.
            if part.lines.last().is_some_and(|last| last.offset == offset) {
                part.lines.pop();
            }
            part.lines.push(Line { offset, ..*line });
        }
        part
    }

    /// The row that the code at an offset belongs to.
    pub fn at(&self, offset: u32) -> Option<&Line> {
        let behind = self.lines.partition_point(|line| line.offset <= offset);
        self.lines.get(behind.checked_sub(1)?)
    }

    /// The name of a line's file.
    pub fn file(&self, source: Source) -> Option<&str> {
        self.files.get(source.file as usize).map(String::as_str)
    }
}

/// Source lines of an object's instructions.
pub(crate) struct Sources {
    pub files: Vec<String>,
    /// Indexed by instruction.
    lines: Vec<Option<Source>>,
}

impl Sources {
    pub fn of(object: &Object) -> Sources {
        let (mut file, mut line) = ("", 0);
        let mut found = Sources {
            files: Vec::new(),
            lines: Vec::new(),
        };
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut number_of_file = None;
        for (number, inst) in object.insts.iter().enumerate() {
            match (inst.op, inst.operands.first()) {
                (Opcode::File, Some(Operand::Name(name))) => {
                    file = name.as_str();
                    number_of_file = None;
                }
                (Opcode::Loc, Some(Operand::Field(number))) => line = *number,
                _ => {}
            }
            // Most modules have no lines, so names are looked up only when one comes.
            if line > 0 {
                let file = *number_of_file.get_or_insert_with(|| {
                    *numbers.entry(file).or_insert_with(|| {
                        found.files.push(file.to_string());
                        found.files.len() as u32 - 1
                    })
                });
                found.lines.resize(number, None);
                found.lines.push(Some(Source { file, line }));
            }
        }
        found
    }

    /// The source line of an instruction.
    pub fn at(&self, visa: u32) -> Option<Source> {
        *self.lines.get(visa as usize)?
    }
}

/// The name of the variable that an instruction of an object defines; none if it defines none.
pub fn defined(object: &Object, number: usize) -> Option<&str> {
    let inst = object.insts.get(number)?;
    let fields = inst.op.row().operands_of(inst);
    let mut found = fields
        .zip(&inst.operands)
        .filter_map(|((field, _), operand)| {
            let is_result = matches!(field, Field::Dst(_) | Field::RawDst);
            match operand {
                Operand::General { var, .. } | Operand::Raw { var, .. } if is_result => Some(*var),
                _ => None,
            }
        });
    let var = found.next()?;
    Some(&object.vars.get(var)?.name)
}
