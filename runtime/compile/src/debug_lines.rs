//! Source lines from the `.debug_line` section of an object file.
//!
//! Takes an object file from any compiler; gives a [table](crate::lines) for each section of code, without
//! instructions of vISA. Relocations, which name a symbol in the section, say where code lies; without them, addresses
//! count from the start of the only section of code. DWARF 2 to 4 is read. A damaged unit keeps its rows
//! before the damage. Memory is bounded: every row takes a byte of the section at least, and names have a limit.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use gimli::read::{
    AttributeValue, DebugLine, EndianSlice, LineProgramHeader, Reader, Relocate, RelocateReader,
};
use gimli::{DebugLineOffset, LittleEndian, SectionId};
use kiln_emit::zebin::{SymbolPlace, TEXT_PREFIX, Zebin};

use crate::lines::{Line, Lines, Source};

/// The DWARF versions whose tables are read. Version 5 allows any number of files that take no bytes.
const VERSIONS: std::ops::RangeInclusive<u16> = 2..=4;

/// Limit on the bytes of all file names together.
const MAX_NAME_BYTES: usize = 1 << 24;

/// A table under construction.
#[derive(Default)]
struct Table {
    lines: Lines,
    /// File numbers by name.
    numbers: HashMap<String, u32>,
}

/// Line tables of an object file, by the names of their kernels.
pub fn of_object(zebin: &Zebin) -> BTreeMap<String, Lines> {
    let name = SectionId::DebugLine.name();
    let Some(section) = zebin.others.iter().find(|section| section.name == name) else {
        return BTreeMap::new();
    };
    let places = Places::of(zebin, name);
    let reader = RelocateReader::new(EndianSlice::new(&section.data, LittleEndian), &places);
    let debug_line = DebugLine::from(reader);
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    let (mut at, mut room) = (0, MAX_NAME_BYTES);
    while let Some(unit) = section.data.get(at..)
        && let Some((length, version)) = head(unit)
    {
        if VERSIONS.contains(&version) {
            // Rows before the damage are kept.
            let _ = add(&debug_line, at, &places, &mut tables, &mut room);
        }
        at = at.saturating_add(length);
    }
    let done = |(kernel, table): (String, Table)| (kernel, in_order(table.lines));
    tables.into_iter().map(done).collect()
}

/// A table in the order of the code.
fn in_order(mut table: Lines) -> Lines {
    table.lines.sort_by_key(|line| line.offset);
    // The row of a sequence that begins at another's end is kept.
    table.lines.dedup_by(|next, line| {
        let same = next.offset == line.offset;
        if same && next.source.is_some() {
            line.source = next.source;
        }
        same
    });
    table.lines.dedup_by_key(|line| line.source);
    table
}

/// The length of a unit and its version.
fn head(unit: &[u8]) -> Option<(usize, u16)> {
    let dword = u32::from_le_bytes(*unit.first_chunk()?);
    let (start, length) = match dword {
        u32::MAX => (12, u64::from_le_bytes(*unit.get(4..)?.first_chunk()?)),
        length => (4, u64::from(length)),
    };
    let version = u16::from_le_bytes(*unit.get(start..)?.first_chunk()?);
    Some((usize::try_from(length).ok()?.checked_add(start)?, version))
}

/// Resolves addresses: a resolved address has the number of the section of code in its upper bits, and the offset in
/// that section in its lower `bits` bits.
#[derive(Debug)]
struct Places {
    /// Kernel name of each section of code.
    names: Vec<String>,
    /// Bits of an offset.
    bits: u32,
    bytes: u8,
    /// Resolved addresses by the offset of the field that holds them.
    of_field: HashMap<usize, u64>,
}

impl Places {
    fn of(zebin: &Zebin, section: &str) -> Places {
        let names: Vec<String> = zebin.kernels.iter().map(|k| k.name.clone()).collect();
        let number_of: HashMap<&str, u64> = names.iter().map(String::as_str).zip(0..).collect();
        let (bits, bytes) = if zebin.narrow { (24, 4) } else { (40, 8) };
        let mut of_field = HashMap::new();
        let relocations = zebin.relocations.iter().filter(|r| r.section == section);
        for one in relocations.flat_map(|relocations| &relocations.entries) {
            let symbol = (one.symbol as usize).checked_sub(1);
            let Some(symbol) = symbol.and_then(|symbol| zebin.symbols.get(symbol)) else {
                continue;
            };
            let SymbolPlace::Section(text) = &symbol.place else {
                continue;
            };
            let kernel = text.strip_prefix(TEXT_PREFIX);
            let Some(number) = kernel.and_then(|kernel| number_of.get(kernel)) else {
                continue;
            };
            let offset = symbol.value.wrapping_add_signed(one.addend);
            if offset >> bits == 0
                && let Ok(field) = usize::try_from(one.offset)
            {
                of_field.insert(field, number << bits | offset);
            }
        }
        Places {
            names,
            bits,
            bytes,
            of_field,
        }
    }

    /// The kernel and the offset of an address.
    fn find(&self, address: u64) -> Option<(&str, u32)> {
        let number = usize::try_from(address >> self.bits).ok()?;
        let offset = address & ((1 << self.bits) - 1);
        Some((self.names.get(number)?, u32::try_from(offset).ok()?))
    }
}

impl Relocate for &Places {
    fn relocate_address(&self, field: usize, value: u64) -> gimli::Result<u64> {
        match self.of_field.get(&field) {
            Some(place) => Ok(*place),
            // The number of the only section is 0.
            None if self.names.len() == 1 && value >> self.bits == 0 => Ok(value),
            None => Err(gimli::Error::OffsetOutOfBounds(value)),
        }
    }

    fn relocate_offset(&self, _: usize, value: usize) -> gimli::Result<usize> {
        Ok(value)
    }
}

/// Adds the rows of the unit at an offset; `None` if it is damaged or the limit on names is reached.
fn add<R: Reader<Offset = usize>>(
    debug_line: &DebugLine<R>,
    at: usize,
    places: &Places,
    tables: &mut BTreeMap<String, Table>,
    room: &mut usize,
) -> Option<()> {
    let program = debug_line.program(DebugLineOffset(at), places.bytes, None, None);
    let mut rows = program.ok()?.rows();
    // Numbers of the unit's files in the tables.
    let mut numbers: HashMap<(String, u64), u32> = HashMap::new();
    while let Some((header, row)) = rows.next_row().ok()? {
        let Some((kernel, offset)) = places.find(row.address()) else {
            continue;
        };
        let table = tables.entry(kernel.to_string()).or_default();
        let line = row.line().filter(|_| !row.end_sequence());
        let line = line.and_then(|line| u32::try_from(line.get()).ok());
        let source = match line {
            None => None,
            Some(line) => {
                let file = match numbers.entry((kernel.to_string(), row.file_index())) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => {
                        let name = name(header, row.file_index()).ok()?;
                        *room = room.checked_sub(name.len())?;
                        *new.insert(table.number(name))
                    }
                };
                Some(Source { file, line })
            }
        };
        table.lines.lines.push(Line {
            offset,
            visa: None,
            source,
        });
    }
    Some(())
}

impl Table {
    /// The number of a file, which is added if it is new.
    fn number(&mut self, name: String) -> u32 {
        let next = self.lines.files.len() as u32;
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.lines.files.push(name.clone());
            next
        })
    }
}

/// The name of a file with its folder.
fn name<R: Reader<Offset = usize>>(
    header: &LineProgramHeader<R>,
    file: u64,
) -> gimli::Result<String> {
    let Some(file) = header.file(file) else {
        return Ok(String::new());
    };
    let string = |value: AttributeValue<R>| match value {
        AttributeValue::String(text) => Ok(text.to_string_lossy()?.into_owned()),
        _ => Ok(String::new()),
    };
    let name = string(file.path_name())?;
    let folder = file.directory(header).map_or(Ok(String::new()), string)?;
    Ok(match folder.as_str() {
        _ if name.starts_with('/') => name,
        "" | "." => name,
        folder => format!("{}/{name}", folder.trim_end_matches('/')),
    })
}

#[cfg(test)]
#[path = "tests/debug_lines.rs"]
mod tests;
