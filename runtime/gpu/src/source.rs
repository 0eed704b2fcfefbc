//! Lines of the source of a kernel's code, where its object file has a table of them (DWARF 4, 6.2, "Line Number Information").

use gimli::{AttributeValue, DebugLine, DebugLineOffset, EndianSlice, LittleEndian};
use kiln_emit::zebin::Zebin;

/// Section of line tables.
const TABLES: &str = ".debug_line";
/// Number of bytes of an address, and of the length before a table.
const ADDRESS_BYTES: u8 = 8;
const LENGTH_BYTES: usize = 4;

/// File and line of a byte of a kernel's code; none if the object file does not say.
///
/// Tables are in the order of kernels. Relocations would name the kernel of each, but the driver's compiler leaves names of their symbols empty at random.
pub fn line(zebin: &Zebin, kernel: &str, at: u64) -> Option<String> {
    let section = zebin.others.iter().find(|s| s.name == TABLES)?;
    let number = zebin.kernels.iter().position(|k| k.name == kernel)?;
    let tables = DebugLine::new(&section.data, LittleEndian);
    let table = |start: usize| {
        tables
            .program(DebugLineOffset(start), ADDRESS_BYTES, None, None)
            .ok()
    };
    let mut programs = Vec::new();
    let mut start = 0;
    while start < section.data.len() {
        let program = table(start)?;
        start += program.header().unit_length().checked_add(LENGTH_BYTES)?;
        programs.push(program);
    }
    if programs.len() != zebin.kernels.len() {
        return None;
    }
    let mut rows = programs.swap_remove(number).rows();
    let mut last = None;
    while let Ok(Some((header, row))) = rows.next_row() {
        if row.address() > at || row.end_sequence() {
            break;
        }
        last = row
            .line()
            .map(|line| (row.file(header).map(|f| f.path_name()), line));
    }
    let (file, line) = last?;
    Some(format!("{}:{line}", file.and_then(name)?))
}

/// A file's name.
fn name(file: AttributeValue<EndianSlice<'_, LittleEndian>>) -> Option<String> {
    match file {
        AttributeValue::String(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    }
}
