//! Allocations of a variable size.
//!
//! Takes any function. Afterwards each allocation has a constant number of elements. Others are taken from the top of the stack in
//! private memory (`kiln.room`), which `llvm.stacksave` reads and `llvm.stackrestore` sets; functions give all of it back where they
//! return (`emit/calls.rs`). In a function without such allocations nothing reads or sets the top of the stack.

use smallvec::smallvec;

use super::builder::{Builder, rewrite};
use super::memory::ALIGNMENT;
use crate::error::Result;
use crate::intrinsics::Kind;
use crate::ir::{BinaryOp, CastOp, Const, Function, Inst, Module, Op, Types};

/// Bytes of which each part of the stack is a multiple.
const UNIT: u64 = *ALIGNMENT.start();

/// Takes allocations of a variable size from the stack.
///
/// # Errors
/// The elements of an allocation have no size.
pub fn lower(module: &mut Module, function: &mut Function) -> Result<()> {
    let types = &mut module.types;
    if has_variable(function) {
        let wants = |_: &Types, function: &Function, inst: Inst| is_variable(function, inst);
        return rewrite(types, function, wants, take);
    }
    let touches = |_: &Types, function: &Function, inst: Inst| touches_top(function, inst);
    rewrite(types, function, touches, |b| {
        let ty = b.function.insts[b.inst].ty;
        if ty != Types::VOID {
            let none = b.function.constant(ty, Const::Undef);
            b.become_op(Op::Freeze, smallvec![none]);
        }
        Ok(())
    })
}

/// True for a function with an allocation of a variable size.
pub fn has_variable(function: &Function) -> bool {
    let blocks = function.order.iter();
    let mut all = blocks.flat_map(|block| &function.blocks[*block].insts);
    all.any(|inst| is_variable(function, *inst))
}

fn is_variable(function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    matches!(data.op, Op::Alloca(_)) && function.as_bits(data.args[0]).is_none()
}

/// True for an instruction that reads or sets the top of the stack.
fn touches_top(function: &Function, inst: Inst) -> bool {
    match function.insts[inst].op {
        Op::Intrinsic(intrinsic) => matches!(intrinsic.kind(), Kind::StackTop | Kind::SetStackTop),
        _ => false,
    }
}

/// Makes an allocation a part of the stack: as many bytes as it has, and as many more as its alignment may take.
fn take(b: &mut Builder) -> Result<()> {
    let data = b.function.insts[b.inst].clone();
    let Op::Alloca(ty) = data.op else {
        return b.error("an allocation is expected");
    };
    let Some((size, natural)) = b.types.layout(ty) else {
        return b.error("an allocation of a type without a size");
    };
    let count = data.args[0];
    let narrow = b
        .scalar(count)
        .is_some_and(|scalar| b.types.bits(scalar) < 64);
    let long = b.types.int(64);
    let count = if narrow {
        b.cast(CastOp::ZExt, count, long)
    } else {
        count
    };
    let align = natural.max(data.align.into()).next_power_of_two();
    let align = align.clamp(*ALIGNMENT.start(), *ALIGNMENT.end());
    let bytes = b.binary_bits(BinaryOp::Mul, count, size);
    let bytes = b.binary_bits(BinaryOp::Add, bytes, align - 1);
    let bytes = b.binary_bits(BinaryOp::And, bytes, !(UNIT - 1));
    let op = b.intrinsic("kiln.room")?;
    let mut start = b.add(op, smallvec![bytes], long);
    if align > UNIT {
        start = b.binary_bits(BinaryOp::Add, start, align - 1);
        start = b.binary_bits(BinaryOp::And, start, !(align - 1));
    }
    b.become_op(Op::Cast(CastOp::IntToPtr), smallvec![start]);
    Ok(())
}
