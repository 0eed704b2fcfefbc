//! Archives of object files for several devices ("fat binaries"): the `ar` format with short names, as ocloc writes it.
//!
//! Takes any bytes and never panics. Members start at multiples of 8 bytes: a member `pad_N` of spaces fills the gap, which
//! is made anew when sizes change. What is written reads as the same members.

use kiln_emit::zebin::Zebin;

/// First bytes of an object file.
const ELF: &[u8] = b"\x7fELF";
/// First bytes of an archive.
const MAGIC: &[u8] = b"!<arch>\n";
/// Last bytes of a member's header.
const HEADER_END: &[u8] = b"`\n";
const HEADER_BYTES: usize = 60;
/// Bytes of a member's name with its end, and the place and size of its number of bytes.
const NAME_BYTES: usize = 16;
const SIZE_PLACE: usize = 48;
const SIZE_BYTES: usize = 10;
/// Prefix of the names of members that only fill gaps.
const FILLER: &str = "pad_";
const ALIGNMENT: usize = 8;

/// A member of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Name: the device's version, or `generic_ir`.
    pub name: String,
    /// Contents.
    pub data: Vec<u8>,
}

/// End of the name of the member with the program in SPIR-V.
const IR: &str = "generic_ir";

impl Member {
    /// True for the program in SPIR-V, which drivers compile for other devices.
    pub fn is_ir(&self) -> bool {
        self.name.ends_with(IR)
    }

    /// True for an object file of a device that can be read.
    pub fn is_program(&self) -> bool {
        self.data.starts_with(ELF) && Zebin::parse(&self.data).is_ok()
    }
}

/// True if the bytes begin as an archive.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Members in their order, without those that fill gaps; `None` if the bytes are no such archive.
pub fn read(bytes: &[u8]) -> Option<Vec<Member>> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let mut members = Vec::new();
    while !rest.is_empty() {
        let (header, contents) = rest.split_at_checked(HEADER_BYTES)?;
        let text = std::str::from_utf8(header).ok()?;
        let name = text.get(..NAME_BYTES)?.split('/').next()?;
        let size = text.get(SIZE_PLACE..SIZE_PLACE + SIZE_BYTES)?.trim();
        let size: usize = size.parse().ok()?;
        if !header.ends_with(HEADER_END) || size > contents.len() {
            return None;
        }
        if !name.starts_with(FILLER) {
            members.push(Member {
                name: name.to_string(),
                data: contents[..size].to_vec(),
            });
        }
        rest = contents.get(size + size % 2..).unwrap_or_default();
    }
    Some(members)
}

/// The archive of these members. A name that is too long is cut.
pub fn write(members: &[Member]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let mut fillers = 0;
    for member in members {
        // The magic bytes are a multiple of the alignment.
        if !(out.len() + HEADER_BYTES).is_multiple_of(ALIGNMENT) {
            let bytes = ALIGNMENT - (out.len() + 2 * HEADER_BYTES) % ALIGNMENT;
            header(&format!("{FILLER}{fillers}"), bytes, &mut out);
            out.resize(out.len() + bytes, b' ');
            fillers += 1;
        }
        header(&member.name, member.data.len(), &mut out);
        out.extend_from_slice(&member.data);
        out.resize(out.len() + member.data.len() % 2, 0);
    }
    out
}

fn header(name: &str, size: usize, out: &mut Vec<u8>) {
    let name: String = name.chars().take(NAME_BYTES - 1).chain(['/']).collect();
    // Time, owner, group and mode are the same for all.
    let text = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}", 0, 0, 0, 644);
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(HEADER_END);
}

#[cfg(test)]
#[path = "tests/archive.rs"]
mod tests;
