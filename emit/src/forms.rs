//! Instructions in the form that the platform has for them.
//!
//! Takes blocks of instructions with physical registers. A forward `goto` gets the predicate that the platform wants, of
//! the channels that take it or of those that do not (PRM vol. 2a, "goto"). A result of the math unit in Align16 has no
//! stride. Other instructions come in the forms of the
//! earliest families, for which they stay, and leave in those of the platform (PRM vol. 2a since Gen12, "send", "call", "ret"; vol. 9, "Accumulator Registers"):
//!
//! - a send has two payloads, the second of which may be null, and a result of dwords;
//! - an address of code is signed;
//! - threads are not switched by an option;
//! - an operation that may write the accumulator always does;
//! - packed sources and immediates are as the short forms have them: an immediate that fits has 16 bits.

use crate::assemble::Program;
use crate::encoding;
use crate::flow::is_forward;
use crate::inst::{Inst, Op, Place, Reg, Region, Src, Type};
use crate::platform::Platform;
use kiln_platform::rules::rules;

/// Gives all instructions the platform's form.
pub fn run(program: &mut Program, platform: &'static Platform) {
    for block in &mut program.blocks {
        block.retain_mut(|inst| rewrite(inst, platform));
    }
}

/// Gives an instruction the platform's form. False if the platform needs none in its place.
pub(crate) fn rewrite(inst: &mut Inst, platform: &Platform) -> bool {
    if platform.goto_on_false && is_forward(inst) {
        invert(inst);
    }
    if inst.opts.align16 && matches!(inst.op, Op::Math(_)) {
        inst.dst.iter_mut().for_each(|dst| dst.hstride = 0);
    }
    if encoding::has(Op::Sends, platform) {
        return true;
    }
    if only_switches(inst) {
        return false;
    }
    if inst.op.is_send() {
        to_one_form(inst);
    }
    if matches!(inst.op, Op::Call | Op::Calla | Op::Ret) {
        sign_addresses(inst);
    }
    if rules(platform.family).packed_by_ones && !inst.op.is_send() && !inst.op.is_macro() {
        inst.srcs.iter_mut().for_each(by_ones);
        shorten_immediate(inst);
    }
    inst.opts.switch = false;
    inst.opts.acc_wr_en &= platform.acc_write_control;
    true
}

/// Makes the predicate of a forward goto name the channels that do not take it.
fn invert(goto: &mut Inst) {
    if let Some(pred) = &mut goto.pred {
        pred.inverse = !pred.inverse;
    }
}

/// True for a move to nowhere that lets another thread run.
fn only_switches(inst: &Inst) -> bool {
    let nowhere = |place| place == Place::Direct(Reg::NULL);
    inst.opts.switch && inst.op == Op::Mov && inst.dst.is_some_and(|dst| nowhere(dst.place))
}

/// Makes rows of one element of packed rows.
fn by_ones(src: &mut Src) {
    let Src::Reg(src) = src else { return };
    let Region {
        vstride,
        width,
        hstride,
    } = src.region;
    if width > 1 && hstride == 1 && vstride == Some(width) {
        src.region = Region::new(1, 1, 0);
    }
}

/// Gives the immediate of an operation on wider integers 16 bits, if its value remains.
fn shorten_immediate(inst: &mut Inst) {
    let rotates = matches!(inst.op, Op::Rol | Op::Ror);
    let shifts = rotates || matches!(inst.op, Op::Shl | Op::Shr | Op::Asr);
    let computes = matches!(inst.op, Op::Add | Op::And | Op::Or | Op::Xor | Op::Mul);
    let compares = matches!(inst.op, Op::Cmp | Op::Sel);
    let [first, Src::Imm { ty, bits }] = &mut inst.srcs[..] else {
        return;
    };
    let signed = first.ty().is_signed();
    let wide = first.ty().bytes() >= 4 && !first.ty().is_float();
    if !wide || inst.saturate || !(shifts || computes || compares && signed) {
        return;
    }
    let value = match *ty {
        Type::Uw => i64::from(*bits as u16),
        Type::D => i64::from(*bits as u32 as i32),
        Type::Ud => i64::from(*bits as u32),
        _ => return,
    };
    if let Ok(value) = i16::try_from(value) {
        // A count is never negative.
        *ty = if rotates { Type::Uw } else { Type::W };
        *bits = u64::from(value as u16);
    }
}

fn to_one_form(send: &mut Inst) {
    send.op = match send.op {
        Op::Sends => Op::Send,
        Op::Sendsc => Op::Sendc,
        op => op,
    };
    if let Some(dst) = &mut send.dst {
        dst.ty = Type::Ud;
    }
    if send.srcs.len() == 1 {
        let null = Src::reg(Reg::NULL, Region::packed(8), Type::Ud);
        send.srcs.push(null);
    }
}

fn sign_addresses(inst: &mut Inst) {
    if let Some(dst) = &mut inst.dst {
        dst.ty = Type::D;
    }
    for src in &mut inst.srcs {
        if let Src::Reg(src) = src {
            src.ty = Type::D;
        }
    }
}
