//! Linking: assigns addresses to a program's own data, and applies the relocations of code and data.
//!
//! Takes an object file. Returns a kernel's code and the sections of initialized data as a loader leaves them in
//! memory. The addresses are the same in every run. Symbols may be in data, or functions called by address: those
//! follow the kernel's code, whose address is 0.

use kiln_emit::zebin::{
    ADDRESS, ADDRESS_HIGH, ADDRESS_LOW, FUNCTIONS, Relocation, Symbol, SymbolPlace, TEXT_PREFIX,
    Zebin,
};

use crate::state::memory::{DATA, GUARD, Segment};

/// Prefixes of data sections: `.data.const`, `.data.const.string`, `.data.global`; and of sections of zeros:
/// `.bss.const`, `.bss.global`.
const DATA_PREFIXES: [&str; 2] = [".data.", ".bss."];
/// Symbol whose value is the size of the data that the driver puts before the arguments of a thread that loads them:
/// the buffer of implicit arguments, for functions that the kernel calls.
const PAYLOAD_OFFSET: &str = "__INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0";
/// Size of that buffer in whole cache lines.
pub const BEFORE_ARGUMENTS: u64 = 128;
/// Alignment of functions after a kernel's code.
const FUNCTION_ALIGN: usize = 8;
/// Bit of an instruction's fourth byte that is set for an instruction of 8 bytes.
const COMPACTED: u8 = 0x20;
/// Maximum size of a section of zeros in bytes.
const ZEROES_MAX: u64 = 1 << 30;

/// The reason that an object file cannot be linked.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "each is documented by its message; `index` is the number of the relocation"
)]
pub enum LinkError {
    #[error("no kernel named {0}")]
    NoKernel(String),
    #[error("{section}: {size} bytes of data: 1073741824 are possible")]
    Size { section: String, size: u64 },
    #[error("{section}: relocation {index} names symbol {symbol}, of {count}")]
    NoSymbol {
        section: String,
        index: usize,
        symbol: u32,
        count: usize,
    },
    #[error("{section}: relocation {index}: {symbol} lies in no section of data")]
    NoAddress {
        section: String,
        index: usize,
        symbol: String,
    },
    #[error("{section}: relocation {index} is of kind {kind}: 1 to 3 are possible")]
    Kind {
        section: String,
        index: usize,
        kind: u32,
    },
    #[error("{section}: relocation {index}, at {offset}, is beyond the section's {size} bytes")]
    Range {
        section: String,
        index: usize,
        offset: u64,
        size: usize,
    },
}

/// End of the instruction with the last non-zero byte.
fn code_end(text: &[u8]) -> usize {
    let last = text.iter().rposition(|byte| *byte != 0);
    let mut end = 0;
    while last.is_some_and(|last| end <= last) {
        let compact = text.get(end + 3).is_some_and(|byte| byte & COMPACTED != 0);
        end += if compact { 8 } else { 16 };
    }
    end.min(text.len())
}

/// The code of a kernel and all data, linked.
pub fn link(zebin: &Zebin, kernel: &str) -> Result<(Vec<u8>, Vec<Segment>), LinkError> {
    let text = zebin
        .text(kernel)
        .ok_or_else(|| LinkError::NoKernel(kernel.to_string()))?;
    let mut text = text.to_vec();
    let mut functions = None;
    if let Some(code) = zebin.text(FUNCTIONS) {
        // The padding is no code. The symbol's size is ignored: the reference compiler writes 15 for some kernels
        // with subroutines.
        text.truncate(code_end(&text));
        text.resize(text.len().next_multiple_of(FUNCTION_ALIGN), 0);
        functions = Some(text.len() as u64);
        text.extend_from_slice(code);
    }
    let function_section = format!("{TEXT_PREFIX}{FUNCTIONS}");
    let mut base = DATA;
    let mut segments = Vec::new();
    for section in zebin
        .others
        .iter()
        .filter(|s| DATA_PREFIXES.iter().any(|p| s.name.starts_with(p)))
    {
        let mut bytes = section.data.clone();
        // A section of zeros has a size, but no contents in the file.
        if section.size > ZEROES_MAX {
            return Err(LinkError::Size {
                section: section.name.clone(),
                size: section.size,
            });
        }
        bytes.resize(bytes.len().max(section.size as usize), 0);
        let end = base + bytes.len() as u64;
        segments.push(Segment {
            name: section.name.clone(),
            base,
            bytes,
        });
        base = end.next_multiple_of(GUARD) + GUARD;
    }
    let code = format!("{TEXT_PREFIX}{kernel}");
    for relocations in &zebin.relocations {
        let section = &relocations.section;
        for (index, relocation) in relocations.entries.iter().enumerate() {
            let place = match segments.iter().position(|s| s.name == *section) {
                _ if *section == code || *section == function_section => None,
                Some(segment) => Some(segment),
                // A relocation of another kernel.
                None => break,
            };
            let address = address(zebin, &segments, functions, section, index, relocation)?;
            let base = match *section == function_section {
                true => functions.unwrap_or(0),
                false => 0,
            };
            let bytes = place.map_or(&mut text, |segment| &mut segments[segment].bytes);
            let size = bytes.len();
            let field = match relocation.kind {
                ADDRESS => &address.to_le_bytes()[..],
                ADDRESS_LOW => &address.to_le_bytes()[..4],
                ADDRESS_HIGH => &address.to_le_bytes()[4..],
                kind => {
                    return Err(LinkError::Kind {
                        section: section.clone(),
                        index,
                        kind,
                    });
                }
            };
            let start = usize::try_from(relocation.offset.saturating_add(base)).ok();
            let room =
                start.and_then(|start| bytes.get_mut(start..start.checked_add(field.len())?));
            room.ok_or_else(|| LinkError::Range {
                section: section.clone(),
                index,
                offset: relocation.offset,
                size,
            })?
            .copy_from_slice(field);
        }
    }
    Ok((text, segments))
}

/// True if the code leaves room for implicit arguments before its own.
pub fn leaves_room(zebin: &Zebin) -> bool {
    zebin.symbols.iter().any(|s| s.name == PAYLOAD_OFFSET)
}

/// Address of a relocation's symbol with its addend.
fn address(
    zebin: &Zebin,
    segments: &[Segment],
    functions: Option<u64>,
    section: &str,
    index: usize,
    relocation: &Relocation,
) -> Result<u64, LinkError> {
    let number = (relocation.symbol as usize).checked_sub(1);
    let Some(symbol) = number.and_then(|n| zebin.symbols.get(n)) else {
        return Err(LinkError::NoSymbol {
            section: section.to_string(),
            index,
            symbol: relocation.symbol,
            count: zebin.symbols.len(),
        });
    };
    let base = |symbol: &Symbol| match &symbol.place {
        _ if symbol.name == PAYLOAD_OFFSET => Some(BEFORE_ARGUMENTS),
        SymbolPlace::Section(name) if name.strip_prefix(TEXT_PREFIX) == Some(FUNCTIONS) => {
            functions
        }
        SymbolPlace::Section(name) => segments.iter().find(|s| s.name == *name).map(|s| s.base),
        SymbolPlace::Reserved(_) => None,
    };
    let base = base(symbol).ok_or_else(|| LinkError::NoAddress {
        section: section.to_string(),
        index,
        symbol: symbol.name.clone(),
    })?;
    Ok(base
        .wrapping_add(symbol.value)
        .wrapping_add_signed(relocation.addend))
}

#[cfg(test)]
#[path = "../tests/link.rs"]
mod tests;
