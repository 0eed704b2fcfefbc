//! Machine code as text.
//!
//! Never gives up: bytes that are no instruction are listed as `illegal` with the reason, and the
//! listing goes on after them.

use crate::encoding::spec::SendSyntax;
use crate::encoding::{DecodeError, decode, spec};
use crate::inst::{Desc, Inst, Op, Target};
use crate::messages::describe;
use crate::platform::Platform;
use crate::print::{write_inst, write_label};
use std::collections::BTreeSet;

/// How branch targets are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As distances from the branch, in bytes.
    Numeric,
    /// As labels (`L64` is byte 64), which stand on lines of their own where blocks start.
    Labels,
}

/// One entry of machine code.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Where it starts, in bytes from the start of the code.
    pub offset: u32,
    /// Bytes it takes.
    pub len: u32,
    pub inst: Result<Inst, DecodeError>,
}

/// The instructions of `code` in order. Bytes that decode to none are entries too, as long as
/// their compaction bit says; the last may be cut short. Zeros too few for an instruction at the end
/// are padding, which object files align their sections with, and no entry.
pub fn entries<'a>(
    code: &'a [u8],
    platform: &'static Platform,
) -> impl Iterator<Item = Entry> + use<'a> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let rest = code.get(offset..).filter(|rest| !is_padding(rest))?;
        let inst = decode(rest, platform);
        let len = rest.len().min(entry_len(rest, platform));
        let entry = Entry {
            offset: offset as u32,
            len: len as u32,
            inst,
        };
        offset += len;
        Some(entry)
    })
}

fn is_padding(rest: &[u8]) -> bool {
    rest.len() < 16 && rest.iter().all(|byte| *byte == 0)
}

/// What the compaction bit says; a whole long instruction if it is cut off.
fn entry_len(rest: &[u8], platform: &Platform) -> usize {
    let compact = spec(platform).align1.header.compact;
    match rest.first_chunk::<8>() {
        Some(low) if compact.flag(u128::from(u64::from_le_bytes(*low))) => 8,
        _ => 16,
    }
}

/// The listing of `code`, one instruction a line.
pub fn list(code: &[u8], platform: &'static Platform, style: Style) -> String {
    let mut out = String::with_capacity(code.len() * 6);
    let mut starts = match style {
        Style::Numeric => BTreeSet::new(),
        Style::Labels => block_starts(code, platform),
    };
    for entry in entries(code, platform) {
        write_starts(&mut starts, i64::from(entry.offset), &mut out);
        match &entry.inst {
            Ok(inst) => {
                let pc = (style == Style::Labels).then_some(entry.offset);
                write_inst(inst, pc, Some(spec(platform)), &mut out);
                write_message(inst, platform, &mut out);
            }
            Err(error) => write_illegal(&entry, error, &mut out),
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    write_starts(&mut starts, i64::MAX, &mut out);
    out
}

/// The labels up to and including `pc`.
fn write_starts(starts: &mut BTreeSet<i64>, pc: i64, out: &mut String) {
    while starts.first().is_some_and(|first| *first <= pc) {
        if let Some(first) = starts.pop_first() {
            write_label(first, out);
            out.push_str(":\n");
        }
    }
}

/// Where control can come from elsewhere or, after a branch, may not fall through.
fn block_starts(code: &[u8], platform: &'static Platform) -> BTreeSet<i64> {
    let mut starts = BTreeSet::from([0]);
    for entry in entries(code, platform) {
        let Ok(inst) = &entry.inst else { continue };
        if inst.op.is_branch() || inst.msg.is_some_and(|message| message.eot) {
            starts.insert(i64::from(entry.offset) + i64::from(entry.len));
        }
        let base = if inst.op == Op::Calla {
            0
        } else {
            i64::from(entry.offset)
        };
        for target in [inst.jip, inst.uip].into_iter().flatten() {
            if let Target::Offset(offset) = target {
                starts.insert(base + i64::from(offset));
            }
        }
    }
    starts
}

fn write_illegal(entry: &Entry, error: &DecodeError, out: &mut String) {
    let inst = Inst::new(Op::Illegal, 1);
    let mut text = inst.to_string();
    if entry.len == 8 {
        text.push_str(" {Compacted}");
    }
    out.push_str(&format!("        {} // {error}", text.trim_start()));
}

/// What a message's descriptors say of every message: the registers it sends (`h`: with a header)
/// and gets back, and which shared function it is for.
fn write_message(inst: &Inst, platform: &Platform, out: &mut String) {
    let Some(message) = &inst.msg else { return };
    let (sent, returned) = match message.desc {
        Desc::Imm(desc) => {
            let header = if desc >> 19 & 1 != 0 { "h" } else { "" };
            (
                format!("{}{header}", desc >> 25 & 15),
                (desc >> 20 & 31).to_string(),
            )
        }
        Desc::Addr { byte } => (
            format!("a0.{}[28:25]", byte / 4),
            format!("a0.{}[24:20]", byte / 4),
        ),
    };
    let spec = spec(platform);
    let in_descriptor = spec.send_syntax == SendSyntax::InDescriptor;
    let known = !in_descriptor || matches!(message.ex_desc, Desc::Imm(_));
    let second = match message.ex_desc {
        Desc::Imm(desc) => (desc >> 6 & 31).to_string(),
        Desc::Addr { .. } if spec.has_src1_len(inst) => inst.send.src1_len.to_string(),
        Desc::Addr { byte } => format!("a0.{}[10:6]", byte / 4),
    };
    out.push_str(&format!(" // wr:{sent}+{second}, rd:{returned}; "));
    let function = spec.functions[usize::from(message.sfid & 15)];
    match (message.ex_desc, message.desc) {
        (Desc::Addr { byte }, _) if !known => {
            out.push_str(&format!("sfid a0.{}[3:0]", byte / 4));
        }
        (_, Desc::Imm(desc)) => {
            out.push_str(function);
            describe(function, desc, out);
        }
        _ => out.push_str(function),
    }
    if message.eot {
        out.push_str(", end of thread");
    }
}
