//! Contents of a cache entry: a compiled module, or the groups of files that make one module each.
//!
//! The encoding is postcard's. Its reader borrows from the slice and never allocates for a length that the slice
//! cannot hold. The entry's hash moreover shows that this program wrote it.
//! The types here name every field, so that a field added to the original does not compile before it is added here.

use std::borrow::Cow;
use std::ops::Range;

use kiln_emit::assemble::RelocationKind;
use kiln_emit::prologue::Loads;
use kiln_genx::error::{Code, Diagnostic, Loc};
use kiln_machine::func::Entered;
use kiln_platform::bits::GrfSet;
use kiln_regalloc::Stats;
use serde::{Deserialize, Serialize};

use crate::attempt::ATTEMPTS;
use crate::interface::Interface;
use crate::lines::{Line, Lines, Source};
use crate::result::CompiledModule;
use crate::result::{Compiled, KernelInput, Relocation, Seconds, Symbol};

#[derive(Serialize, Deserialize)]
struct ModuleEntry<'a> {
    #[serde(borrow)]
    kernels: Vec<CompiledEntry<'a>>,
    #[serde(borrow)]
    functions: Vec<CompiledEntry<'a>>,
    /// The document of the interfaces.
    interface: Option<Cow<'a, str>>,
    warnings: Vec<WarningEntry<'a>>,
}

/// A warning about LLVM IR: its code, line, column and byte, and what it says.
#[derive(Serialize, Deserialize)]
struct WarningEntry<'a> {
    code: &'a str,
    place: [u32; 3],
    message: &'a str,
}

impl<'a> WarningEntry<'a> {
    fn of(Diagnostic { code, loc, message }: &'a Diagnostic) -> WarningEntry<'a> {
        let Loc { line, column, byte } = *loc;
        WarningEntry {
            code: code.text(),
            place: [line, column, byte],
            message,
        }
    }

    fn warning(self) -> Option<Diagnostic> {
        let [line, column, byte] = self.place;
        let code = Code::ALL.iter().find(|code| code.text() == self.code)?;
        Some(Diagnostic {
            code: *code,
            loc: Loc { line, column, byte },
            message: self.message.to_string(),
        })
    }
}

#[derive(Serialize, Deserialize)]
struct CompiledEntry<'a> {
    name: &'a str,
    #[serde(with = "EnteredEntry")]
    entered: Entered,
    stack: bool,
    code: &'a [u8],
    #[serde(borrow)]
    inputs: Vec<InputEntry<'a>>,
    files: Vec<&'a str>,
    lines: Vec<LineEntry>,
    #[serde(borrow)]
    relocations: Vec<RelocationEntry<'a>>,
    #[serde(borrow)]
    symbols: Vec<SymbolEntry<'a>>,
    stack_bytes: u32,
    grf_count: u32,
    simd: u8,
    scratch_base: u32,
    id_loading_bytes: u32,
    #[serde(with = "LoadsEntry")]
    loads: Loads,
    barrier: bool,
    named_barriers: u32,
    addressed: bool,
    uninterruptible: bool,
    unpaired: bool,
    visa_instructions: u64,
    instructions: u64,
    #[serde(with = "StatsEntry")]
    allocation: Stats,
    #[serde(borrow)]
    arrays_in_memory: Vec<&'a str>,
    /// Index of the attempt in [`ATTEMPTS`].
    attempt: u8,
}

/// Offset of the code, instruction of vISA, and file and line of the source. Offsets count from the entry before, so
/// that most take one byte.
type LineEntry = (u32, Option<u32>, Option<(u32, u32)>);

#[derive(Serialize, Deserialize)]
struct InputEntry<'a> {
    name: &'a str,
    offset: u32,
    size: u32,
    scalar: Option<&'a str>,
}

#[derive(Serialize, Deserialize)]
struct RelocationEntry<'a> {
    offset: u32,
    symbol: &'a str,
    #[serde(with = "RelocationKindEntry")]
    kind: RelocationKind,
}

#[derive(Serialize, Deserialize)]
struct SymbolEntry<'a> {
    name: &'a str,
    offset: u32,
    size: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Entered")]
enum EnteredEntry {
    Dispatched,
    Called,
    JumpedTo,
    Subroutine,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Loads")]
struct LoadsEntry {
    ids: u32,
    arguments: Range<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "RelocationKind")]
enum RelocationKindEntry {
    Address,
    AddressLow,
    AddressHigh,
    Distance,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Stats")]
struct StatsEntry {
    spill_bytes: u32,
    spills: u32,
    fills: u32,
    frame_bytes: u32,
    moves: u32,
    demoted: u32,
    grf_used: u32,
    #[serde(with = "grf_set")]
    overwritten: GrfSet,
    max_pressure: Option<u32>,
}

/// A register set is stored as its words.
mod grf_set {
    use kiln_platform::bits::GrfSet;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(set: &GrfSet, to: S) -> Result<S::Ok, S::Error> {
        set.words().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<GrfSet, D::Error> {
        Deserialize::deserialize(from).map(GrfSet::from_words)
    }
}

/// Encodes a module.
pub(super) fn write_module(module: &CompiledModule) -> Option<Vec<u8>> {
    let CompiledModule {
        kernels,
        functions,
        // Times belong to this run, and no entry holds texts of vISA.
        read_seconds: _,
        visa: _,
        interface,
        warnings,
    } = module;
    let interface = match interface {
        Some(interface) => Some(serde_norway::to_string(interface).ok()?.into()),
        None => None,
    };
    let entry = ModuleEntry {
        kernels: kernels.iter().map(CompiledEntry::of).collect(),
        functions: functions.iter().map(CompiledEntry::of).collect(),
        interface,
        warnings: warnings.iter().map(WarningEntry::of).collect(),
    };
    postcard::to_allocvec(&entry).ok()
}

/// Decodes a module.
pub(super) fn read_module(bytes: &[u8]) -> Option<CompiledModule> {
    let entry: ModuleEntry = postcard::from_bytes(bytes).ok()?;
    let all = |list: Vec<CompiledEntry>| list.into_iter().map(CompiledEntry::compiled).collect();
    Some(CompiledModule {
        kernels: all(entry.kernels),
        functions: all(entry.functions),
        read_seconds: 0.0,
        visa: None,
        interface: match entry.interface {
            Some(text) => Some(Interface::parse(text.as_bytes()).ok()?),
            None => None,
        },
        warnings: {
            let warnings = entry.warnings.into_iter();
            warnings.map(WarningEntry::warning).collect::<Option<_>>()?
        },
    })
}

impl<'a> CompiledEntry<'a> {
    fn of(compiled: &'a Compiled) -> CompiledEntry<'a> {
        let Compiled {
            name,
            entered,
            stack,
            code,
            inputs,
            lines,
            relocations,
            symbols,
            stack_bytes,
            grf_count,
            simd,
            scratch_base,
            id_loading_bytes,
            loads,
            barrier,
            named_barriers,
            addressed,
            uninterruptible,
            unpaired,
            visa_instructions,
            instructions,
            allocation,
            arrays_in_memory,
            attempt,
            // Times belong to this run.
            seconds: _,
            // Options that ask for these make no entry.
            profiles: _,
            dumps: _,
        } = compiled;
        let input = |input: &'a KernelInput| InputEntry {
            name: &input.name,
            offset: input.offset,
            size: input.size,
            scalar: input.scalar.as_deref(),
        };
        let relocation = |relocation: &'a Relocation| RelocationEntry {
            offset: relocation.offset,
            symbol: &relocation.symbol,
            kind: relocation.kind,
        };
        let symbol = |symbol: &'a Symbol| SymbolEntry {
            name: &symbol.name,
            offset: symbol.offset,
            size: symbol.size,
        };
        CompiledEntry {
            name,
            entered: *entered,
            stack: *stack,
            code,
            inputs: inputs.iter().map(input).collect(),
            files: lines.files.iter().map(String::as_str).collect(),
            lines: line_entries(&lines.lines),
            relocations: relocations.iter().map(relocation).collect(),
            symbols: symbols.iter().map(symbol).collect(),
            stack_bytes: *stack_bytes,
            grf_count: *grf_count,
            simd: *simd,
            scratch_base: *scratch_base,
            id_loading_bytes: *id_loading_bytes,
            loads: loads.clone(),
            barrier: *barrier,
            named_barriers: *named_barriers,
            addressed: *addressed,
            uninterruptible: *uninterruptible,
            unpaired: *unpaired,
            visa_instructions: *visa_instructions as u64,
            instructions: *instructions as u64,
            allocation: *allocation,
            arrays_in_memory: arrays_in_memory.iter().map(String::as_str).collect(),
            attempt: ATTEMPTS.iter().take_while(|a| a != attempt).count() as u8,
        }
    }

    fn compiled(self) -> Compiled {
        let input = |input: InputEntry| KernelInput {
            name: input.name.to_string(),
            offset: input.offset,
            size: input.size,
            scalar: input.scalar.map(str::to_string),
        };
        let relocation = |relocation: RelocationEntry| Relocation {
            offset: relocation.offset,
            symbol: relocation.symbol.to_string(),
            kind: relocation.kind,
        };
        let symbol = |symbol: SymbolEntry| Symbol {
            name: symbol.name.to_string(),
            offset: symbol.offset,
            size: symbol.size,
        };
        Compiled {
            name: self.name.to_string(),
            entered: self.entered,
            stack: self.stack,
            code: self.code.to_vec(),
            inputs: self.inputs.into_iter().map(input).collect(),
            lines: Lines {
                files: self.files.into_iter().map(str::to_string).collect(),
                lines: lines(self.lines),
            },
            relocations: self.relocations.into_iter().map(relocation).collect(),
            symbols: self.symbols.into_iter().map(symbol).collect(),
            stack_bytes: self.stack_bytes,
            grf_count: self.grf_count,
            simd: self.simd,
            scratch_base: self.scratch_base,
            id_loading_bytes: self.id_loading_bytes,
            loads: self.loads,
            barrier: self.barrier,
            named_barriers: self.named_barriers,
            addressed: self.addressed,
            uninterruptible: self.uninterruptible,
            unpaired: self.unpaired,
            visa_instructions: self.visa_instructions as usize,
            instructions: self.instructions as usize,
            allocation: self.allocation,
            arrays_in_memory: (self.arrays_in_memory.into_iter())
                .map(str::to_string)
                .collect(),
            attempt: ATTEMPTS
                .get(usize::from(self.attempt))
                .unwrap_or(&ATTEMPTS[0]),
            seconds: Seconds::default(),
            profiles: Vec::new(),
            dumps: Vec::new(),
        }
    }
}

fn line_entries(lines: &[Line]) -> Vec<LineEntry> {
    let mut before = 0;
    let entry = |line: &Line| {
        let distance = line.offset.wrapping_sub(before);
        before = line.offset;
        let source = line.source.map(|source| (source.file, source.line));
        (distance, line.visa, source)
    };
    lines.iter().map(entry).collect()
}

fn lines(entries: Vec<LineEntry>) -> Vec<Line> {
    let mut offset: u32 = 0;
    let line = |(distance, visa, source): LineEntry| {
        offset = offset.wrapping_add(distance);
        Line {
            offset,
            visa,
            source: source.map(|(file, line)| Source { file, line }),
        }
    };
    entries.into_iter().map(line).collect()
}

/// Encodes the groups of files that make one module each.
pub(super) fn write_groups<'a>(groups: impl Iterator<Item = &'a [usize]>) -> Option<Vec<u8>> {
    let number = |file: &usize| *file as u64;
    let groups = groups.map(|files| files.iter().map(number).collect());
    let groups: Vec<Vec<u64>> = groups.collect();
    postcard::to_allocvec(&groups).ok()
}

/// Decodes groups; `None` unless they hold each of the `files` files exactly once.
pub(super) fn read_groups(bytes: &[u8], files: usize) -> Option<Vec<Vec<usize>>> {
    let groups: Vec<Vec<u64>> = postcard::from_bytes(bytes).ok()?;
    let mut seen = vec![false; files];
    let mut known = Vec::with_capacity(groups.len());
    for group in groups {
        let mut numbers = Vec::with_capacity(group.len());
        for file in group {
            let file = usize::try_from(file).ok()?;
            let seen = seen.get_mut(file)?;
            if std::mem::replace(seen, true) {
                return None;
            }
            numbers.push(file);
        }
        if numbers.is_empty() {
            return None;
        }
        known.push(numbers);
    }
    seen.into_iter().all(|seen| seen).then_some(known)
}

#[cfg(test)]
#[path = "tests/entry.rs"]
mod tests;
