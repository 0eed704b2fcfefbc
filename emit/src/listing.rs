//! Machine code as text.
//!
//! Never fails: undecodable bytes are listed as `illegal` with the reason, and the listing continues after them. What its
//! text does not say in full has its bytes in a comment, so that each listing says all of its code.

use crate::encoding::spec::Spec;
use crate::encoding::{DecodeError, decode_into, encode, spec};
use crate::inst::{Inst, Op, Place, RegFile, SWIZZLE_XYZW, Src, Target, Type};
use crate::messages;
use crate::platform::Platform;
use crate::print::{write_inst, write_label};
use crate::read::{assemble, reads_as};
use crate::text::Text;
use std::fmt::Write;

/// Form of branch targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As distances from the branch, in bytes.
    Numeric,
    /// As labels (`L64` is byte 64), on lines of their own at the start of blocks.
    Labels,
}

/// One entry of machine code.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Offset from the start of the code, in bytes.
    pub offset: u32,
    /// Size in bytes.
    pub len: u32,
    pub inst: Result<Inst, DecodeError>,
}

/// The instructions of `code` in order. Undecodable bytes are entries too, as long as their compaction bit says; the
/// last may be cut short. A run of zeros at the end that is too short for an instruction is padding of the object
/// file's section, and no entry.
pub fn entries<'a>(
    code: &'a [u8],
    platform: &'static Platform,
) -> impl Iterator<Item = Entry> + use<'a> {
    let spec = spec(platform);
    pieces(code, spec).map(move |(offset, bytes)| {
        let mut inst = Inst::new(Op::Illegal, 1);
        let decoded = decode_into(bytes, spec, platform, &mut inst);
        Entry {
            offset,
            len: bytes.len() as u32,
            inst: decoded.map(|()| inst),
        }
    })
}

/// The instructions of `code`. An undecodable one is [`Op::Illegal`], with its length.
pub fn insts(code: &[u8], platform: &'static Platform) -> Vec<Inst> {
    let inst = |entry: Entry| {
        entry.inst.unwrap_or_else(|_| {
            let mut illegal = Inst::new(Op::Illegal, 1);
            illegal.opts.compacted = entry.len == 8;
            illegal
        })
    };
    entries(code, platform).map(inst).collect()
}

/// Offset and bytes of each entry.
fn pieces<'a>(code: &'a [u8], spec: &'static Spec) -> impl Iterator<Item = (u32, &'a [u8])> {
    let compact = spec.align1.header.compact;
    let mut rest = code;
    let mut offset = 0;
    std::iter::from_fn(move || {
        if is_padding(rest) {
            return None;
        }
        let len = match rest.first_chunk::<8>() {
            Some(low) if compact.flag(u128::from(u64::from_le_bytes(*low))) => 8,
            _ => rest.len().min(16),
        };
        let (bytes, after) = rest.split_at(len);
        let piece = (offset, bytes);
        rest = after;
        offset += len as u32;
        Some(piece)
    })
}

/// True for the end of the code, and for zeros shorter than an instruction.
fn is_padding(rest: &[u8]) -> bool {
    rest.len() < 16 && rest.iter().all(|byte| *byte == 0)
}

/// Estimated bytes of listing for each byte of code.
const LISTING_BYTES_PER_CODE_BYTE: usize = 8;

/// Annotations of places in the code, sorted by offset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// Comments on lines of their own before the instruction that begins at the offset.
    pub headings: Vec<Remark>,
    /// Lines as they are before the instruction that begins at the offset, after its headings.
    pub directives: Vec<Remark>,
    /// Comments at the end of the line of the instruction that contains the offset, such as relocations.
    pub comments: Vec<Remark>,
}

/// A single line of text about a place, in bytes from the start of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    pub offset: u64,
    pub text: String,
}

/// The listing of `code`, one instruction a line.
pub fn list(code: &[u8], platform: &'static Platform, style: Style) -> String {
    let mut text = String::new();
    list_onto(code, platform, style, &Annotations::default(), &mut text);
    text
}

/// Counts of a listing's lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub entries: usize,
    /// Undecodable entries and instructions named `illegal`; zeros at the end are padding.
    pub illegal: usize,
}

/// Counts the entries of `code` as a listing does.
pub fn count(code: &[u8], platform: &'static Platform) -> Counts {
    let spec = spec(platform);
    let mut inst = Inst::new(Op::Illegal, 1);
    let mut tally = Tally::default();
    for (_, bytes) in pieces(code, spec) {
        let decoded = decode_into(bytes, spec, platform, &mut inst);
        tally.add(decoded.is_ok().then_some(&inst), bytes);
    }
    tally.counts()
}

/// Counts under way. Pending zeros are padding if the code ends with them.
#[derive(Default)]
struct Tally {
    counts: Counts,
    zeros: usize,
}

impl Tally {
    fn add(&mut self, inst: Option<&Inst>, bytes: &[u8]) {
        self.counts.entries += 1;
        let zero = bytes.iter().all(|byte| *byte == 0);
        match inst.map(|inst| inst.op) {
            Some(Op::Illegal) if zero => self.zeros += 1,
            Some(Op::Illegal) | None => self.counts.illegal += 1,
            Some(_) => self.counts.illegal += std::mem::take(&mut self.zeros),
        }
    }

    fn counts(self) -> Counts {
        let Tally { mut counts, zeros } = self;
        if zeros == counts.entries {
            counts.illegal = zeros;
        }
        counts
    }
}

/// Appends the listing with comments. Reusing the string for several listings saves the allocation, which takes as
/// long as most of the writing.
pub fn list_onto(
    code: &[u8],
    platform: &'static Platform,
    style: Style,
    annotations: &Annotations,
    out: &mut String,
) -> Counts {
    let spec = spec(platform);
    let mut text = Text::from(std::mem::take(out));
    text.reserve(code.len() * LISTING_BYTES_PER_CODE_BYTE);
    let places: Vec<i64> = match style {
        Style::Numeric => Vec::new(),
        Style::Labels => places(code, spec),
    };
    let mut starts = match style {
        Style::Numeric => Vec::new(),
        Style::Labels => block_starts(code, spec, platform),
    };
    starts.retain(|start| places.binary_search(start).is_ok());
    let mut starts = starts.into_iter().peekable();
    let mut headings = annotations.headings.iter().peekable();
    let mut directives = annotations.directives.iter().peekable();
    let mut comments = annotations.comments.iter().peekable();
    let mut inst = Inst::new(Op::Illegal, 1);
    let mut tally = Tally::default();
    for (offset, bytes) in pieces(code, spec) {
        while let Some(heading) = headings.next_if(|heading| heading.offset <= u64::from(offset)) {
            text.str("// ");
            text.str(&heading.text);
            text.byte(b'\n');
        }
        while let Some(line) = directives.next_if(|line| line.offset <= u64::from(offset)) {
            text.str(&line.text);
            text.byte(b'\n');
        }
        while let Some(start) = starts.next_if(|start| *start <= i64::from(offset)) {
            write_start(start, &mut text);
        }
        let decoded = decode_into(bytes, spec, platform, &mut inst);
        tally.add(decoded.is_ok().then_some(&inst), bytes);
        let mut is_whole = false;
        match decoded {
            Ok(()) => {
                // A target inside an instruction or outside of the code has no label.
                let is_labelled = style == Style::Labels
                    && targets(&inst, offset).all(|to| places.binary_search(&to).is_ok());
                let start = text.len();
                write_inst(&inst, is_labelled.then_some(offset), Some(spec), &mut text);
                let written = &text.as_bytes()[start..];
                is_whole = says_all(&inst, bytes, written, platform);
                if inst.msg.is_some() {
                    text.str(" // ");
                    messages::write(&inst, spec.messages, &mut text);
                }
            }
            Err(error) => {
                write_illegal(bytes.len(), &error, &mut text);
            }
        }
        text.trim_end();
        if !is_whole {
            write_bytes(bytes, &mut text);
        }
        let end = u64::from(offset) + bytes.len() as u64;
        while let Some(comment) = comments.next_if(|comment| comment.offset < end) {
            text.str(" // ");
            text.str(&comment.text);
        }
        text.byte(b'\n');
    }
    for start in starts {
        write_start(start, &mut text);
    }
    *out = text.into_string();
    tally.counts()
}

/// An instruction at `offset` as in the listing, without comments and with single spaces.
pub fn line(inst: &Inst, offset: u32, platform: &Platform, style: Style) -> String {
    let pc = (style == Style::Labels).then_some(offset);
    let mut text = Text::default();
    write_inst(inst, pc, Some(spec(platform)), &mut text);
    let text = text.into_string();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// The request of the instruction's message in words; `None` if it is no send.
pub fn message(inst: &Inst, platform: &Platform) -> Option<String> {
    inst.msg.as_ref()?;
    let mut text = Text::default();
    messages::write(inst, spec(platform).messages, &mut text);
    Some(text.into_string())
}

fn write_start(start: i64, text: &mut Text) {
    write_label(start, text);
    text.str(":\n");
}

/// Where instructions begin, and where the last one ends.
fn places(code: &[u8], spec: &'static Spec) -> Vec<i64> {
    let mut places = vec![0];
    places.extend(pieces(code, spec).map(|(offset, bytes)| i64::from(offset) + bytes.len() as i64));
    places
}

/// The places that an instruction at an offset names.
fn targets(inst: &Inst, offset: u32) -> impl Iterator<Item = i64> {
    let base = match inst.op.branches_to_place() {
        true => 0,
        false => i64::from(offset),
    };
    let targets = [inst.jip, inst.uip].into_iter().flatten();
    targets.filter_map(move |target| match target {
        Target::Offset(distance) => Some(base + i64::from(distance)),
        _ => None,
    })
}

/// Places with a branch to them, and those after a branch.
fn block_starts(code: &[u8], spec: &'static Spec, platform: &Platform) -> Vec<i64> {
    let mut starts = vec![0];
    let opcode = spec.align1.header.opcode;
    let mut inst = Inst::new(Op::Illegal, 1);
    for (offset, bytes) in pieces(code, spec) {
        // Both forms have the operation in the same place.
        let word = bytes
            .first_chunk::<8>()
            .map_or(0, |low| u64::from_le_bytes(*low));
        let op = spec.op_of_code(opcode.get(u128::from(word)));
        let ends = op.is_some_and(|op| op.form.is_branch() || op.form.is_send());
        if !ends || decode_into(bytes, spec, platform, &mut inst).is_err() {
            continue;
        }
        if inst.op.is_branch() || inst.msg.is_some_and(|message| message.eot) {
            starts.push(i64::from(offset) + bytes.len() as i64);
        }
        starts.extend(targets(&inst, offset));
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// Begins the comment with the bytes of what the text of an instruction does not say in full: bytes that are no instruction, and
/// encodings in which bits without a meaning are not those that the encoder writes.
pub(crate) const BYTES: &str = "bytes ";

/// True if the text of an instruction says its bytes, so that it is read back to them. What is plain need not be read: its
/// text has each part. What is `written` in the listing is read if no label is in it.
fn says_all(inst: &Inst, bytes: &[u8], written: &[u8], platform: &'static Platform) -> bool {
    let is_encoded = encode(inst, platform).is_ok_and(|encoded| encoded.as_bytes() == bytes);
    is_encoded
        && (is_plain(inst)
            || std::str::from_utf8(written).is_ok_and(|text| reads_as(text, inst, platform))
            || assemble(&line(inst, 0, platform, Style::Numeric), platform, true)
                .is_ok_and(|read| read.code == bytes))
}

/// True for an operation of one or two sources on whole elements in registers, whatever its regions. Some
/// architecture registers, channel-enable among them, have no sub-register in their text.
fn is_plain(inst: &Inst) -> bool {
    let on_elements = |place: Place, ty: Type| match place {
        Place::Direct(reg) if reg.file == RegFile::Grf => {
            u32::from(reg.byte).is_multiple_of(ty.bytes())
        }
        Place::Direct(reg) => reg.byte == 0,
        Place::Indirect { .. } => true,
    };
    let dst = inst
        .dst
        .is_none_or(|dst| dst.mme.is_none() && on_elements(dst.place, dst.ty));
    let plain = |src: &Src| match src {
        Src::Reg(src) => {
            src.mme.is_none() && src.swizzle == SWIZZLE_XYZW && on_elements(src.place, src.ty)
        }
        Src::Imm { .. } => true,
    };
    let is_special = inst.msg.is_some()
        || inst.op.is_branch()
        || inst.op.is_macro()
        || matches!(inst.op, Op::Sync(_) | Op::Wait | Op::Nop | Op::Illegal);
    let kind = !is_special && inst.srcs.len() <= 2;
    kind && !inst.opts.align16 && dst && inst.srcs.iter().all(plain)
}

fn write_bytes(bytes: &[u8], text: &mut Text) {
    text.str(" // ");
    text.str(BYTES);
    for byte in bytes {
        // Writing to memory cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
}

fn write_illegal(len: usize, error: &DecodeError, text: &mut Text) {
    text.str("        illegal");
    if len == 8 {
        text.str(" {Compacted}");
    }
    // Writing to memory cannot fail.
    let _ = write!(text, " // {error}");
}
