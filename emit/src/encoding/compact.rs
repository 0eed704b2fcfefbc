//! Compaction: the eight-byte forms of common instructions.
//!
//! A short instruction copies some fields and stands for groups of others by an index into fixed
//! tables ([`CompactSpec`](super::spec::CompactSpec)). Works on encoded words, so it neither knows
//! operands nor what they mean; what it shrinks, it expands to an instruction with the same
//! meaning.

use super::encode::native;
use super::spec::{CompactForm, CompactTable, FILE_IMM, Form, OpSpec, Spec};
use super::{DecodeError, EncodeError, spec};
use crate::inst::Inst;
use crate::platform::Platform;

/// Whether the instruction should take eight bytes: the hardware has such a form of it, and it is
/// no branch. Branches stay long as the reference compiler has them; their offsets may yet grow.
///
/// # Errors
/// When it has no encoding at all.
pub fn compactable(inst: &Inst, platform: &Platform) -> Result<bool, EncodeError> {
    let spec = spec(platform);
    let word = native(inst, spec, platform)?;
    Ok(!inst.op.is_branch() && shrink(word, spec).is_some())
}

/// How the operation's instructions compact, if they do.
fn compact_form(op: &OpSpec) -> Option<Form> {
    match op.form {
        Form::Unary | Form::Binary | Form::Math => Some(Form::Binary),
        Form::Jump | Form::Return | Form::Wait => Some(Form::Binary),
        Form::Ternary => Some(Form::Ternary),
        _ => None,
    }
}

/// Where the immediate is in place of a register.
#[derive(Clone, Copy, PartialEq)]
enum Immediate {
    No,
    Src0,
    Src1,
}

fn immediate(word: u128, spec: &Spec) -> Immediate {
    let [src0, src1, _] = &spec.align1.src;
    if src0.file.get(word) == FILE_IMM {
        Immediate::Src0
    } else if src1.file.get(word) == FILE_IMM {
        Immediate::Src1
    } else {
        Immediate::No
    }
}

/// The short form of a long instruction.
pub(super) fn shrink(word: u128, spec: &Spec) -> Option<u64> {
    let op = spec.op_of_code(spec.align1.header.opcode.get(word))?;
    let form = compact_form(op)?;
    let mut short = 0;
    put(&mut short, spec.align1.header.compact, 1);
    if form == Form::Ternary {
        shrink_form(word, &mut short, &spec.compact.ternary)?;
    } else {
        let basic = &spec.compact.basic;
        shrink_form(word, &mut short, &basic.common)?;
        let immediate = immediate(word, spec);
        let fields = match immediate {
            Immediate::No => basic.subs.fields,
            Immediate::Src0 => basic.subs_dst,
            Immediate::Src1 => basic.subs_dst_src0,
        };
        let known = (1u64 << fields.width()) - 1;
        shrink_table(&basic.subs, fields.get(word), known, &mut short)?;
        if immediate != Immediate::Src0 {
            shrink_form(word, &mut short, &basic.src0)?;
        }
        if immediate == Immediate::No {
            shrink_form(word, &mut short, &basic.src1)?;
        } else {
            let value = spec.align1.imm32.get_signed(word);
            if !basic.imm.set_signed(&mut short, value) {
                return None;
            }
        }
    }
    let short = short as u64;
    // A long form with a bit that no field of the short form carries has none.
    (expand(short, spec) == Ok(word)).then_some(short)
}

fn put(word: &mut u128, field: super::bits::Bits, value: u64) {
    let fits = field.set(word, value);
    debug_assert!(fits, "{field:?} cannot hold {value:#x}");
}

fn shrink_form(word: u128, short: &mut u128, form: &CompactForm) -> Option<()> {
    for (to, from) in form.copies {
        put(short, *to, from.get(word));
    }
    for table in form.tables {
        shrink_table(table, table.fields.get(word), u64::MAX, short)?;
    }
    Some(())
}

/// The first entry that agrees with `value` in the bits of `known`.
fn shrink_table(table: &CompactTable, value: u64, known: u64, short: &mut u128) -> Option<()> {
    let index = table
        .values
        .iter()
        .position(|entry| entry & known == value)?;
    put(short, table.index, index as u64);
    Some(())
}

/// The long form of a short instruction.
pub(super) fn expand(short: u64, spec: &Spec) -> Result<u128, DecodeError> {
    let short = u128::from(short);
    let code = spec.align1.header.opcode.get(short);
    let op = spec.op_of_code(code).ok_or(DecodeError::Opcode(code))?;
    let form = compact_form(op).ok_or(DecodeError::NotCompact(op.op))?;
    let mut word = 0;
    if form == Form::Ternary {
        expand_form(short, &mut word, &spec.compact.ternary)?;
        return Ok(word);
    }
    let basic = &spec.compact.basic;
    expand_form(short, &mut word, &basic.common)?;
    let immediate = immediate(word, spec);
    let subs = entry(&basic.subs, short)?;
    let fields = match immediate {
        Immediate::No => basic.subs.fields,
        Immediate::Src0 => basic.subs_dst,
        Immediate::Src1 => basic.subs_dst_src0,
    };
    put(&mut word, fields, subs & ((1 << fields.width()) - 1));
    if immediate != Immediate::Src0 {
        expand_form(short, &mut word, &basic.src0)?;
    }
    if immediate == Immediate::No {
        expand_form(short, &mut word, &basic.src1)?;
    } else {
        let value = basic.imm.get_signed(short) as u32;
        put(&mut word, spec.align1.imm32, u64::from(value));
    }
    Ok(word)
}

fn expand_form(short: u128, word: &mut u128, form: &CompactForm) -> Result<(), DecodeError> {
    for (from, to) in form.copies {
        put(word, *to, from.get(short));
    }
    for table in form.tables {
        put(word, table.fields, entry(table, short)?);
    }
    Ok(())
}

fn entry(table: &CompactTable, short: u128) -> Result<u64, DecodeError> {
    let value = table.index.get(short);
    let what = "compaction index";
    table
        .values
        .get(value as usize)
        .copied()
        .ok_or(DecodeError::Reserved { what, value })
}
