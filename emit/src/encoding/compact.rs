//! Compaction: the eight-byte forms of common instructions.
//!
//! A short instruction copies some fields and stands for groups of others by an index into fixed
//! tables ([`CompactForm`](super::spec::CompactForm)). Works on encoded words, so it neither knows
//! operands nor what they mean; what it shrinks, it expands to an instruction with the same
//! meaning.

use super::bits::Bits;
use super::encode::native;
use super::spec::{
    CompactClass, CompactForm, CompactTable, FILE_IMM, Form, ImmRule, Immediate, OpSpec, Spec,
};
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

/// How the operation's instruction `word`, long or short, compacts, if it does.
fn class(op: &OpSpec, word: u128, spec: &Spec) -> Option<CompactClass> {
    let function = spec.align1.header.math.get(word);
    let of_function = spec
        .math
        .iter()
        .find(|math| u64::from(math.code) == function);
    Some(match op.form {
        Form::Math if spec.compact_control && of_function.is_some_and(|math| math.sources == 1) => {
            CompactClass::Unary
        }
        Form::Unary | Form::Wait | Form::Sync => CompactClass::Unary,
        Form::Binary => CompactClass::Binary,
        Form::Ternary | Form::BitFunction => CompactClass::Ternary,
        Form::Systolic => CompactClass::Systolic,
        Form::Math | Form::Jump | Form::Return if spec.compact_control => CompactClass::Binary,
        _ => return None,
    })
}

/// Entries of the tables may say of the second source what an operation of one has no use for.
fn immediate(class: CompactClass, word: u128, spec: &Spec) -> Immediate {
    let [src0, src1, _] = &spec.align1.src;
    if src0.file_of(word) == FILE_IMM {
        Immediate::Src0
    } else if class == CompactClass::Binary && src1.file_of(word) == FILE_IMM {
        Immediate::Src1
    } else {
        Immediate::No
    }
}

/// Whether this form is the one for what `word`, a long instruction, has for sources.
fn suits(form: &CompactForm, class: CompactClass, word: u128, spec: &Spec) -> bool {
    let whole = matches!(class, CompactClass::Ternary | CompactClass::Systolic);
    form.classes.contains(&class) && (whole || form.immediate == immediate(class, word, spec))
}

/// The code of the immediate's type.
fn imm_type(form: &CompactForm, word: u128, spec: &Spec) -> u64 {
    let at = usize::from(form.immediate == Immediate::Src1);
    spec.align1.src[at].ty.get(word)
}

/// The short form of a long instruction.
pub(super) fn shrink(word: u128, spec: &Spec) -> Option<u64> {
    let op = spec.op_of_code(spec.align1.header.opcode.get(word))?;
    let class = class(op, word, spec)?;
    let form = spec
        .compact
        .iter()
        .find(|form| suits(form, class, word, spec))?;
    let mut short = 0;
    put(&mut short, spec.align1.header.compact, 1);
    for (to, from) in form.copies {
        put(&mut short, *to, from.get(word));
    }
    for table in form.tables {
        let known = known(table);
        let value = table.fields.get(word);
        let index = table.values.iter().position(|v| v & known == value)?;
        put(&mut short, table.index, index as u64);
    }
    if form.imm.exists() {
        // Whether the rest of the immediate is what the rule makes of these bits, expansion shows.
        let value = spec.align1.imm32.get(word);
        let low = match imm_rule(form, word, spec)? {
            ImmRule::HighWords => value >> (16 - form.imm.width()),
            ImmRule::High => value >> (32 - form.imm.width()),
            _ => value,
        };
        put(&mut short, form.imm, low & ((1 << form.imm.width()) - 1));
    }
    let short = short as u64;
    // A long form with a bit that no field of the short form carries has none.
    (expand(short, spec) == Ok(word)).then_some(short)
}

fn imm_rule(form: &CompactForm, word: u128, spec: &Spec) -> Option<ImmRule> {
    let code = imm_type(form, word, spec);
    let rule = form.imm_rules.iter().find(|(c, _)| u64::from(*c) == code);
    rule.map(|(_, rule)| *rule)
}

fn put(word: &mut u128, field: Bits, value: u64) {
    let fits = field.set(word, value);
    debug_assert!(fits, "{field:?} cannot hold {value:#x}");
}

/// The bits of a table's values that its fields hold.
fn known(table: &CompactTable) -> u64 {
    (1 << table.fields.width()) - 1
}

/// The long form of a short instruction.
pub(super) fn expand(short: u64, spec: &Spec) -> Result<u128, DecodeError> {
    let short = u128::from(short);
    let code = spec.align1.header.opcode.get(short);
    let op = spec.op_of_code(code).ok_or(DecodeError::Opcode(code))?;
    let class = class(op, short, spec).ok_or(DecodeError::NotCompact(op.op))?;
    let mut error = DecodeError::NotCompact(op.op);
    // Which form it is shows in the register files that the form's tables give.
    for form in spec.compact.iter().filter(|f| f.classes.contains(&class)) {
        match expand_form(short, form, spec) {
            Ok(word) if suits(form, class, word, spec) => return Ok(word),
            Ok(_) => {}
            Err(reason) => error = reason,
        }
    }
    Err(error)
}

fn expand_form(short: u128, form: &CompactForm, spec: &Spec) -> Result<u128, DecodeError> {
    let mut word = 0;
    for (from, to) in form.copies {
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
        let width = form.imm.width();
        let unsigned = form.imm.get(short) as u32;
        let signed = form.imm.get_signed(short) as u32;
        let value = match rule {
            ImmRule::Unsigned => unsigned,
            ImmRule::Signed => signed,
            ImmRule::UnsignedWords => words(unsigned),
            ImmRule::SignedWords => words(signed),
            ImmRule::HighWords => words(unsigned << (16 - width)),
            ImmRule::High => unsigned << (32 - width),
        };
        put(&mut word, spec.align1.imm32, u64::from(value));
    }
    Ok(word)
}

fn words(value: u32) -> u32 {
    (value & 0xffff) * 0x1_0001
}
