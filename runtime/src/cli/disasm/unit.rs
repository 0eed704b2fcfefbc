//! The units of a file: pieces of code that are listed by themselves.
//!
//! An object file has a section for each kernel and one for all functions. Its symbols say where in
//! a section each begins and how long it is; what is between them is padding, unless it is not zero.

use std::collections::BTreeMap;

use kiln_emit::listing::Remark;
use kiln_emit::zebin::{self, KernelText, Relocation, Relocations, Symbol, SymbolPlace, Zebin};
use serde::Serialize;

use crate::cli::input::Input;

/// The type of symbols that name code (ELF: `STT_FUNC`), in the low bits of their description.
const FUNCTION: u8 = 2;
const TYPE_MASK: u8 = 15;

/// What a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A raw file.
    Raw,
    Kernel,
    Function,
    /// Code that no symbol names.
    Unnamed,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Raw => "raw",
            Kind::Kernel => "kernel",
            Kind::Function => "function",
            Kind::Unnamed => "unnamed code",
        }
    }
}

/// Where a unit's bytes are.
enum Bytes {
    File(Input),
    Own(Vec<u8>),
}

pub struct Unit {
    pub kind: Kind,
    pub name: String,
    /// The section it is in, without `.text.`.
    pub section: Option<String>,
    /// Bytes from the section's start.
    pub offset: u64,
    bytes: Bytes,
    /// Its relocations, by their offsets from the unit's start.
    pub remarks: Vec<Remark>,
}

impl Unit {
    /// All of a raw file.
    pub fn raw(input: Input) -> Unit {
        Unit {
            kind: Kind::Raw,
            name: String::new(),
            section: None,
            offset: 0,
            bytes: Bytes::File(input),
            remarks: Vec::new(),
        }
    }

    pub fn code(&self) -> &[u8] {
        match &self.bytes {
            Bytes::File(input) => input,
            Bytes::Own(bytes) => bytes,
        }
    }
}

/// The kernels and functions of an object file, section by section.
pub fn of_zebin(zebin: &Zebin) -> Vec<Unit> {
    let mut units = Vec::new();
    for kernel in &zebin.kernels {
        let before = units.len();
        of_section(zebin, kernel, &mut units);
        let section = format!("{}{}", zebin::TEXT_PREFIX, kernel.name);
        let relocations = zebin.relocations.iter().filter(|r| r.section == section);
        for relocations in relocations {
            for relocation in &relocations.entries {
                annotate(zebin, relocations, relocation, &mut units[before..]);
            }
        }
    }
    for unit in &mut units {
        unit.remarks.sort_by_key(|remark| remark.offset);
    }
    units
}

fn of_section(zebin: &Zebin, kernel: &KernelText, units: &mut Vec<Unit>) {
    let section = format!("{}{}", zebin::TEXT_PREFIX, kernel.name);
    let is_here = |symbol: &&Symbol| {
        let here = matches!(&symbol.place, SymbolPlace::Section(name) if *name == section);
        here && (symbol.info & TYPE_MASK == FUNCTION || symbol.name == kernel.name)
    };
    // Of several symbols of one place, the first names it.
    let mut starts: BTreeMap<usize, &Symbol> = BTreeMap::new();
    for symbol in zebin.symbols.iter().filter(is_here) {
        let start = usize::try_from(symbol.value).ok();
        if let Some(start) = start.filter(|start| *start < kernel.text.len()) {
            starts.entry(start).or_insert(symbol);
        }
    }
    let mut add = |kind, name: &str, start: usize, end: usize| {
        units.push(Unit {
            kind,
            name: name.to_string(),
            section: Some(kernel.name.clone()),
            offset: start as u64,
            bytes: Bytes::Own(kernel.text[start..end].to_vec()),
            remarks: Vec::new(),
        });
    };
    if starts.is_empty() {
        return add(Kind::Kernel, &kernel.name, 0, kernel.text.len());
    }
    let ends = starts.keys().skip(1).copied();
    let ends: Vec<usize> = ends.chain([kernel.text.len()]).collect();
    let mut covered = 0;
    for ((start, symbol), next) in starts.iter().zip(ends) {
        let size = usize::try_from(symbol.size).unwrap_or(usize::MAX);
        let end = match size {
            0 => next,
            size => start.saturating_add(size).min(next),
        };
        if kernel.text[covered..*start].iter().any(|byte| *byte != 0) {
            add(Kind::Unnamed, &kernel.name, covered, *start);
        }
        let is_kernel = symbol.name == kernel.name;
        let kind = if is_kernel {
            Kind::Kernel
        } else {
            Kind::Function
        };
        add(kind, &symbol.name, *start, end);
        covered = end;
    }
    if kernel.text[covered..].iter().any(|byte| *byte != 0) {
        add(Kind::Unnamed, &kernel.name, covered, kernel.text.len());
    }
}

/// Puts a relocation to the unit that it changes, if any.
fn annotate(
    zebin: &Zebin,
    relocations: &Relocations,
    relocation: &Relocation,
    units: &mut [Unit],
) {
    let holds = |unit: &&mut Unit| {
        let offset = relocation.offset.checked_sub(unit.offset);
        offset.is_some_and(|offset| offset < unit.code().len() as u64)
    };
    let Some(unit) = units.iter_mut().find(holds) else {
        return;
    };
    let symbol = (relocation.symbol as usize).checked_sub(1);
    let symbol = symbol.and_then(|index| zebin.symbols.get(index));
    let name = symbol.map_or("?", |symbol| symbol.name.as_str());
    let mut text = match zebin::relocation_name(relocation.kind) {
        Some(kind) => format!("{kind} {}", name.escape_debug()),
        None => format!("relocation {} {}", relocation.kind, name.escape_debug()),
    };
    if relocations.addends && relocation.addend != 0 {
        text.push_str(&format!(" {:+}", relocation.addend));
    }
    unit.remarks.push(Remark {
        offset: relocation.offset - unit.offset,
        text,
    });
}
