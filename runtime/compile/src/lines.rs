//! From machine code back to vISA, and from there to lines of the source.
//!
//! Each instruction of machine code knows for which one of vISA it was made ([`Inst::origin`](kiln_emit::inst::Inst::origin)), through all passes;
//! what allocation adds (spills, copies) counts to the one before, the end of a thread to its return. vISA says with FILE and LOC which
//! line of the source what follows was made from; line 0 is none. So a table has rows only where one of these changes.

use std::collections::HashMap;

use kiln_emit::assemble::Program;
use kiln_frontend::module::{Object, Operand};
use kiln_frontend::opcode::Opcode;

/// Code from an offset up to that of the next line of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Line {
    /// In bytes from the start of the code.
    pub offset: u32,
    /// The instruction of vISA, by its number in the kernel or function whose code this is (in linked code
    /// [`Compiled::symbols`](crate::Compiled::symbols) says which that is), if the code comes from one.
    pub visa: Option<u32>,
    /// The source, where FILE and LOC say it.
    pub source: Option<Source>,
}

/// A line of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Source {
    /// The file, by its number in [`Lines::files`].
    pub file: u32,
    /// From 1.
    pub line: u32,
}

/// What code comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Names of source files; of lines that come before the first FILE, it is empty.
    pub files: Vec<String>,
    /// In the order of the code.
    pub lines: Vec<Line>,
}

impl Lines {
    /// The table of a program whose instructions have these offsets; without lines of the source.
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
            files: Vec::new(),
            lines,
        }
    }

    /// Takes the lines of the source from the instructions of vISA that say them.
    pub(crate) fn locate(&mut self, object: &Object) {
        let sources = Sources::of(object);
        for line in &mut self.lines {
            line.source = line.visa.and_then(|visa| sources.at(visa));
        }
        self.files = sources.files;
        self.lines.dedup_by_key(|line| (line.visa, line.source));
    }

    /// Puts a table behind, whose code begins at an offset.
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
    }

    /// The table of the code from one offset to another, which counts from the former.
    pub fn part(&self, start: usize, end: usize) -> Lines {
        let mut part = Lines {
            files: self.files.clone(),
            lines: Vec::new(),
        };
        for line in self
            .lines
            .iter()
            .filter(|line| (line.offset as usize) < end)
        {
            let offset = (line.offset as usize).saturating_sub(start) as u32;
            // Of those before the start, the last counts.
            if part.lines.last().is_some_and(|last| last.offset == offset) {
                part.lines.pop();
            }
            part.lines.push(Line { offset, ..*line });
        }
        part
    }

    /// The line that the code at an offset belongs to.
    pub fn at(&self, offset: u32) -> Option<&Line> {
        let behind = self.lines.partition_point(|line| line.offset <= offset);
        self.lines.get(behind.checked_sub(1)?)
    }

    /// The name of a line's file.
    pub fn file(&self, source: Source) -> Option<&str> {
        self.files.get(source.file as usize).map(String::as_str)
    }
}

/// The lines of the source of an object's instructions.
pub(crate) struct Sources {
    pub files: Vec<String>,
    /// Of each instruction.
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
            // Most modules have none.
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

    /// Of the instruction of that number.
    pub fn at(&self, visa: u32) -> Option<Source> {
        *self.lines.get(visa as usize)?
    }
}
