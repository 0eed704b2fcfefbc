//! Compaction: the eight-byte forms of common instructions.
//!
//! A compact instruction copies some fields, and has indices into fixed tables for groups of others
//! ([`CompactForm`](super::spec::CompactForm)). Works on encoded words without knowledge of operands; a compacted
//! word expands to an instruction with the same meaning.

use super::bits::Bits;
use super::encode::native;
use super::spec::{CompactClass, CompactForm, Form, ImmRule, Immediate, OpSpec, Spec};
use super::{DecodeError, EncodeError, spec};
use crate::inst::Inst;
use crate::platform::Platform;

/// True if the instruction should take eight bytes: the hardware has a compact form for it, and it is no branch.
/// Branches stay long, as the reference compiler has them, because their offsets may still grow.
///
/// # Errors
/// The instruction has no encoding at all.
pub fn compactable(inst: &Inst, platform: &Platform) -> Result<bool, EncodeError> {
    let spec = spec(platform);
    let word = native(inst, spec, platform)?;
    Ok(!inst.op.is_branch() && shrink(word, spec).is_some())
}

/// Compaction class of the instruction `word`, long or compact, if it has one.
fn class(op: &OpSpec, word: u128, spec: &Spec) -> Option<CompactClass> {
    Some(match op.form {
        Form::Unary | Form::Wait | Form::Sync => CompactClass::Unary,
        Form::Binary => CompactClass::Binary,
        Form::Ternary | Form::BitFunction => CompactClass::Ternary,
        Form::Systolic => CompactClass::Systolic,
        Form::Math if spec.compact_control => {
            let function = spec.math.of_code(spec.align1.header.math.get(word));
            match function {
                Some(math) if math.sources == 1 => CompactClass::Unary,
                _ => CompactClass::Binary,
            }
        }
        Form::Jump | Form::Return if spec.compact_control => CompactClass::Binary,
        _ => return None,
    })
}

/// The immediate of a long instruction. Table entries may say something of a second source that a unary operation
/// ignores.
fn immediate(class: CompactClass, word: u128, spec: &Spec) -> Immediate {
    let [src0, src1, _] = &spec.align1.src;
    if src0.is_imm(word) {
        Immediate::Src0
    } else if class == CompactClass::Binary && src1.is_imm(word) {
        Immediate::Src1
    } else {
        Immediate::No
    }
}

/// The immediate that compact forms for the long instruction `word` must have; none if it does not matter.
fn kind(class: CompactClass, word: u128, spec: &Spec) -> Option<Immediate> {
    let whole = matches!(class, CompactClass::Ternary | CompactClass::Systolic);
    (!whole).then(|| immediate(class, word, spec))
}

/// The code of the immediate's type.
fn imm_type(form: &CompactForm, word: u128, spec: &Spec) -> u64 {
    let at = usize::from(form.immediate == Immediate::Src1);
    spec.align1.src[at].ty.get(word)
}

/// The compact form of a long instruction; none if a set bit is in no field of the compact form.
pub(super) fn shrink(word: u128, spec: &Spec) -> Option<u64> {
    let op = spec.op_of_code(spec.align1.header.opcode.get(word))?;
    let class = class(op, word, spec)?;
    let kind = kind(class, word, spec);
    let form = (spec.compact.iter())
        .find(|form| kind.is_none_or(|kind| form.immediate == kind) && form.is_for(class))?;
    let mut short = spec.align1.header.compact.place(1) as u64;
    let mut carried = form.copies.mask;
    for table in form.tables {
        short |= table.index.place(table.index_of(word)?) as u64;
        carried |= table.mask;
    }
    for (to, from) in form.copies.list {
        short |= to.place(from.get(word)) as u64;
    }
    if form.imm.exists() {
        let rule = imm_rule(form, word, spec)?;
        let value = spec.align1.imm32.get(word) as u32;
        let width = form.imm.width();
        let low = match rule {
            ImmRule::HighWords => value >> (16 - width),
            ImmRule::High => value >> (32 - width),
            _ => value,
        };
        short |= form.imm.place(u64::from(low)) as u64;
        if rule.expand(form.imm, short.into()) != value {
            return None;
        }
        carried |= spec.align1.imm32.mask();
    }
    (word & !carried == 0).then_some(short)
}

fn imm_rule(form: &CompactForm, word: u128, spec: &Spec) -> Option<ImmRule> {
    let code = imm_type(form, word, spec);
    let rule = form.imm_rules.iter().find(|(c, _)| u64::from(*c) == code);
    rule.map(|(_, rule)| *rule)
}

impl ImmRule {
    /// The dword that the field of a compact instruction stands for.
    fn expand(self, field: Bits, short: u128) -> u32 {
        let width = field.width();
        let unsigned = field.get(short) as u32;
        let signed = field.get_signed(short) as u32;
        match self {
            ImmRule::Unsigned => unsigned,
            ImmRule::Signed => signed,
            ImmRule::UnsignedWords => words(unsigned),
            ImmRule::SignedWords => words(signed),
            ImmRule::HighWords => words(unsigned << (16 - width)),
            ImmRule::High => unsigned << (32 - width),
        }
    }
}

/// The long form of a compact instruction.
pub(super) fn expand(short: u64, spec: &Spec) -> Result<u128, DecodeError> {
    let short = u128::from(short);
    let code = spec.align1.header.opcode.get(short);
    let op = spec.op_of_code(code).ok_or(DecodeError::Opcode(code))?;
    let class = class(op, short, spec).ok_or(DecodeError::NotCompact(op.op))?;
    let mut error = DecodeError::NotCompact(op.op);
    // The right form is the one whose tables give the register files that it is for.
    for form in spec.compact.iter().filter(|form| form.is_for(class)) {
        match expand_form(short, form, spec) {
            Ok(word) if kind(class, word, spec).is_none_or(|kind| form.immediate == kind) => {
                return Ok(word);
            }
            Ok(_) => {}
            Err(reason) => error = reason,
        }
    }
    Err(error)
}

fn expand_form(short: u128, form: &CompactForm, spec: &Spec) -> Result<u128, DecodeError> {
    let mut word = 0;
    for (from, to) in form.copies.list {
        word |= to.place(from.get(short));
    }
    for table in form.tables {
        word |= table.expand(short).map_err(|value| DecodeError::Reserved {
            what: "compaction index",
            value,
        })?;
    }
    if form.imm.exists() {
        let rule = imm_rule(form, word, spec).ok_or(DecodeError::Reserved {
            what: "type of a short immediate",
            value: imm_type(form, word, spec),
        })?;
        let value = rule.expand(form.imm, short);
        word |= spec.align1.imm32.place(u64::from(value));
    }
    Ok(word)
}

fn words(value: u32) -> u32 {
    (value & 0xffff) * 0x1_0001
}

#[cfg(test)]
#[path = "tests/compact.rs"]
mod tests;
