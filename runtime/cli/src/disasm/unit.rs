//! Units of a file: pieces of code that are listed as a whole.
//!
//! An object file has a section for each kernel, which may hold functions too, and perhaps one for other functions.
//! Symbols give the start and size of each. Padding follows the last.

use kiln_compile::debug_lines;
use kiln_compile::lines::{Line, Lines, Source};
use kiln_emit::inst::Inst;
use kiln_emit::listing::{self, Annotations, Remark};
use kiln_emit::live::{Live, Point};
use kiln_emit::platform::Platform;
use kiln_emit::zebin::{self, KernelText, Relocations, SymbolPlace, Zebin};
use serde::Serialize;

use crate::input::Input;
use crate::names::{Maps, Names};

/// Symbol type of code (ELF: `STT_FUNC`), and the mask of the type in `info`.
const FUNCTION: u8 = 2;
const TYPE_MASK: u8 = 15;

/// Names of the relocation types `R_ZE_*` by number (zebin documentation).
const RELOCATION_NAMES: [&str; 5] = [
    "none",
    "address",
    "address, low half",
    "address, high half",
    "offset in the thread's payload",
];

/// Beginning of the remark about a relocation.
pub const RELOCATED: &str = "relocated: ";

/// A piece of code with its symbols, relocations and lines.
pub struct Unit {
    /// Name of its section; `None` for a raw file.
    pub section: Option<String>,
    /// Offset in the section, in bytes.
    pub offset: u64,
    bytes: Bytes,
    /// Sorted by offset.
    pub symbols: Vec<CodeSymbol>,
    /// Relocations by offset in the unit.
    pub relocations: Vec<Remark>,
    /// Source lines, if the file has a line table; offsets are those in the unit.
    pub lines: Lines,
    /// True if the file lets threads of its kernel run in pairs of execution units.
    pub paired: bool,
    /// True if the file lets threads of its kernel be interrupted in the middle of the code.
    pub interrupted: bool,
}

enum Bytes {
    File(Input),
    Own(Vec<u8>),
}

/// A kernel or function.
#[derive(Clone, Serialize)]
pub struct CodeSymbol {
    pub name: String,
    pub kind: Kind,
    /// Offset in the unit, in bytes.
    pub offset: u64,
    pub size: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Kernel,
    Function,
}

impl CodeSymbol {
    /// The comment above its code.
    pub fn heading(&self) -> String {
        let kind = match self.kind {
            Kind::Kernel => "kernel",
            Kind::Function => "function",
        };
        format!("{kind} {}", self.name.escape_debug())
    }
}

impl Unit {
    /// The whole of a raw file.
    pub fn raw(input: Input) -> Unit {
        Unit {
            section: None,
            offset: 0,
            bytes: Bytes::File(input),
            symbols: Vec::new(),
            relocations: Vec::new(),
            lines: Lines::default(),
            paired: false,
            interrupted: false,
        }
    }

    pub fn code(&self) -> &[u8] {
        match &self.bytes {
            Bytes::File(input) => input,
            Bytes::Own(bytes) => bytes,
        }
    }

    /// The unit with other code.
    pub fn with_code(&self, code: Vec<u8>) -> Unit {
        Unit {
            section: self.section.clone(),
            offset: self.offset,
            bytes: Bytes::Own(code),
            symbols: Vec::new(),
            relocations: Vec::new(),
            lines: Lines::default(),
            paired: self.paired,
            interrupted: self.interrupted,
        }
    }

    /// Code of no file.
    pub fn of_code(code: Vec<u8>) -> Unit {
        Unit {
            section: None,
            offset: 0,
            bytes: Bytes::Own(code),
            symbols: Vec::new(),
            relocations: Vec::new(),
            lines: Lines::default(),
            paired: false,
            interrupted: false,
        }
    }

    /// The part of the unit that is the kernel or function of that name.
    pub fn part(&self, name: &str) -> Option<Unit> {
        let symbol = self.symbols.iter().find(|symbol| symbol.name == name)?;
        let range = symbol.offset..symbol.offset + symbol.size;
        let start = usize::try_from(range.start).ok()?;
        let end = usize::try_from(range.end).ok()?;
        let inside = |remark: &&Remark| range.contains(&remark.offset);
        let moved = |remark: &Remark| Remark {
            offset: remark.offset - range.start,
            text: remark.text.clone(),
        };
        Some(Unit {
            section: self.section.clone(),
            offset: self.offset + range.start,
            bytes: Bytes::Own(self.code().get(start..end)?.to_vec()),
            symbols: vec![CodeSymbol {
                offset: 0,
                ..symbol.clone()
            }],
            relocations: self.relocations.iter().filter(inside).map(moved).collect(),
            lines: self.lines.part(start, end),
            paired: self.paired,
            interrupted: self.interrupted,
        })
    }

    /// Live registers of its instructions.
    pub fn live(&self, code: &[Inst], platform: &Platform) -> Live {
        live(code, platform, &self.entries())
    }

    /// The name: that of its kernel, else of its first function; none of raw machine code.
    pub fn name(&self) -> Option<&str> {
        let mut symbols = self.symbols.iter();
        let kernel = symbols.find(|symbol| symbol.kind == Kind::Kernel);
        let symbol = kernel.or(self.symbols.first());
        symbol.map(|symbol| symbol.name.as_str())
    }

    /// Offsets at which its kernels and functions begin.
    pub fn entries(&self) -> Vec<u32> {
        let offsets = self.symbols.iter().map(|symbol| symbol.offset as u32);
        offsets.collect()
    }

    /// Adds what lives at each instruction to the comments of its listing.
    pub fn add_live(
        &self,
        platform: &'static Platform,
        maps: &Maps,
        annotations: &mut Annotations,
    ) {
        let code = listing::insts(self.code(), platform);
        let live = self.live(&code, platform);
        let names = maps.names_of(self, platform, code.len(), &live);
        let remarks = remarks_of(&code, &live, &names);
        annotations.comments.extend(remarks);
        annotations.comments.sort_by_key(|remark| remark.offset);
    }

    /// Headings and remarks of its listing.
    pub fn annotations(&self, headings: bool) -> Annotations {
        let heading = |symbol: &CodeSymbol| Remark {
            offset: symbol.offset,
            text: symbol.heading(),
        };
        let shown = self.symbols.iter().filter(|_| headings);
        let of_line = |line: &Line| Remark {
            offset: line.offset.into(),
            text: match line.source {
                Some(source) => self.place(source),
                None => "no line".to_string(),
            },
        };
        let mut headings: Vec<Remark> = shown.map(heading).collect();
        headings.extend(self.lines.lines.iter().map(of_line));
        // A heading comes before the line of its offset.
        headings.sort_by_key(|remark| remark.offset);
        Annotations {
            headings,
            directives: Vec::new(),
            comments: self.relocations.clone(),
        }
    }

    /// A source line as text.
    fn place(&self, source: Source) -> String {
        let file = self.lines.file(source).unwrap_or_default();
        format!("{}:{}", file.escape_debug(), source.line)
    }
}

/// Live registers of code in which kernels and functions begin at these offsets, ascending.
pub fn live(code: &[Inst], platform: &Platform, offsets: &[u32]) -> Live {
    let mut offset = 0;
    let mut begins = offsets.iter().peekable();
    let mut entries = Vec::new();
    for (at, inst) in (0u32..).zip(code) {
        while begins.next_if(|begin| **begin <= offset).is_some() {
            entries.push(at);
        }
        offset += inst.size();
    }
    Live::new(code, platform, &entries)
}

/// Comments with what lives at each instruction of code in which kernels and functions begin at these offsets, ascending.
pub fn live_remarks(bytes: &[u8], platform: &'static Platform, offsets: &[u32]) -> Vec<Remark> {
    let code = listing::insts(bytes, platform);
    let live = live(&code, platform, offsets);
    remarks_of(&code, &live, &Names::default())
}

/// Comments with what lives at each instruction, and the variables of which it is the first to write a value.
fn remarks_of(code: &[Inst], live: &Live, names: &Names) -> Vec<Remark> {
    let mut offset = 0;
    let written = names.written(live);
    let remark = |(at, (inst, point)): (u32, (&Inst, &Point))| {
        let mut text = format!("live {}", shown(point));
        if let Some(written) = written.get(&at) {
            let written: Vec<_> = written.iter().map(|name| name.escape_debug()).collect();
            let written: Vec<_> = written.iter().map(ToString::to_string).collect();
            text += &format!("; {}", written.join(", "));
        }
        let remark = Remark { offset, text };
        offset += u64::from(inst.size());
        remark
    };
    (0u32..)
        .zip(code.iter().zip(&live.points))
        .map(remark)
        .collect()
}

/// Registers that live at an instruction, in words.
fn shown(point: &Point) -> String {
    let Point {
        grfs,
        maybe,
        flags,
        accumulators,
        addresses,
        ..
    } = *point;
    let mut text = format!("{grfs} grf");
    for (count, what) in [
        (maybe, "perhaps"),
        (flags.into(), "flag"),
        (accumulators.into(), "acc"),
        (addresses.into(), "addr"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    text
}

/// The sections of an object file that hold code.
pub fn of_zebin(zebin: &Zebin) -> Vec<Unit> {
    let mut lines = debug_lines::of_object(zebin);
    let unit = |text: &KernelText| {
        let lines = lines.remove(&text.name).unwrap_or_default();
        of_section(zebin, text, lines)
    };
    zebin.kernels.iter().map(unit).collect()
}

fn of_section(zebin: &Zebin, kernel: &KernelText, lines: Lines) -> Unit {
    let section = format!("{}{}", zebin::TEXT_PREFIX, kernel.name);
    let length = kernel.text.len() as u64;
    let mut symbols: Vec<CodeSymbol> = zebin
        .symbols
        .iter()
        .filter(|symbol| {
            let here = matches!(&symbol.place, SymbolPlace::Section(name) if *name == section);
            let code = symbol.info & TYPE_MASK == FUNCTION || symbol.name == kernel.name;
            // The marker of a kernel's entry is no function.
            here && code && symbol.value < length && symbol.name != zebin::ENTRY
        })
        .map(|symbol| CodeSymbol {
            name: symbol.name.clone(),
            kind: if symbol.name == kernel.name {
                Kind::Kernel
            } else {
                Kind::Function
            },
            offset: symbol.value,
            size: symbol.size.min(length - symbol.value),
        })
        .collect();
    symbols.sort_by_key(|symbol| symbol.offset);
    if symbols.is_empty() {
        symbols.push(CodeSymbol {
            name: kernel.name.clone(),
            kind: Kind::Kernel,
            offset: 0,
            size: length,
        });
    }
    // A symbol's size may be less than that of its code: the reference compiler gives 15 bytes to some kernels.
    let offsets: Vec<u64> = symbols.iter().map(|symbol| symbol.offset).collect();
    for symbol in &mut symbols {
        let next = offsets.iter().copied().find(|&next| next > symbol.offset);
        let next = next.unwrap_or(length);
        let behind = symbol.offset + symbol.size..next;
        let behind = kernel.text.get(behind.start as usize..behind.end as usize);
        if behind.is_some_and(|bytes| bytes.iter().any(|byte| *byte != 0)) {
            symbol.size = next - symbol.offset;
        }
    }
    let end = symbols
        .iter()
        .map(|symbol| symbol.offset + symbol.size)
        .max();
    // Bytes after the last symbol are padding only if they are zero.
    let end = end.and_then(|end| usize::try_from(end).ok()).unwrap_or(0);
    let code = match kernel.text.split_at_checked(end) {
        Some((code, padding)) if padding.iter().all(|byte| *byte == 0) => code,
        _ => &kernel.text,
    };
    let changes = zebin.relocations.iter().filter(|r| r.section == section);
    let mut relocations: Vec<Remark> = changes.flat_map(|r| remarks(zebin, r)).collect();
    relocations.sort_by_key(|remark| remark.offset);
    let entry = zebin.ze_info.kernels.iter().find(|k| k.name == kernel.name);
    Unit {
        paired: entry.is_some_and(|entry| !entry.execution_env.require_disable_eufusion),
        interrupted: entry.is_some_and(|entry| !entry.execution_env.disable_mid_thread_preemption),
        section: Some(section),
        offset: 0,
        bytes: Bytes::Own(code.to_vec()),
        symbols,
        relocations,
        lines: lines.part(0, code.len()),
    }
}

fn remarks(zebin: &Zebin, relocations: &Relocations) -> impl Iterator<Item = Remark> {
    let of = |relocation: &zebin::Relocation| Remark {
        offset: relocation.offset,
        text: relocation_text(zebin, relocations.addends, relocation),
    };
    relocations.entries.iter().map(of)
}

/// The remark about a relocation. `addends` tells if those of its section have addends.
pub fn relocation_text(zebin: &Zebin, addends: bool, relocation: &zebin::Relocation) -> String {
    let symbol = (relocation.symbol as usize).checked_sub(1);
    let symbol = symbol.and_then(|index| zebin.symbols.get(index));
    let name = symbol.map_or("?", |symbol| symbol.name.as_str());
    let name = name.escape_debug();
    let mut text = match RELOCATION_NAMES.get(relocation.kind as usize) {
        Some(kind) => format!("{RELOCATED}{kind} of {name}"),
        None => format!("{RELOCATED}kind {} of {name}", relocation.kind),
    };
    if addends && relocation.addend != 0 {
        text.push_str(&format!(" {:+}", relocation.addend));
    }
    text
}
