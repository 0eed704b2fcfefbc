//! Atomic operations that no message has, as loops of exchanges.
//!
//! Takes any function. Afterwards every atomic operation is one of [`AtomicOp`] on a number that a message can take: 32 bits, or
//! 64 bits outside of shared local memory. Each other one reads the value, computes the new one, and exchanges both where the
//! value is still the one that was read; else it begins again with what was found (compare-and-swap loop, Herlihy 1991).
//! Numbers of 8 and 16 bits are parts of an aligned dword, whose other bits are written as they were read.

use smallvec::{SmallVec, smallvec};

use kiln_visa::opcode::AtomicOp;

use super::accesses::has_message;
use super::builder::{Builder, come_from};
use super::memory::LOCAL;
use crate::error::Result;
use crate::intrinsics::{Access, Computed, Kind};
use crate::ir::{
    BinaryOp, Block, CastOp, Const, Function, Inst, IntRel, Module, Op, Scalar, Type, TypeData,
    Types, Value, atomics,
};

/// Makes loops of the atomic operations that no message has.
///
/// # Errors
/// An operand is missing.
pub fn lower(module: &mut Module, function: &mut Function) -> Result<()> {
    let mut work: Vec<Block> = function.order.iter().rev().copied().collect();
    while let Some(block) = work.pop() {
        let insts = &function.blocks[block].insts;
        let wanted = |inst: &Inst| wanted(&module.types, function, *inst);
        let Some(at) = insts.iter().position(|inst| wanted(inst).is_some()) else {
            continue;
        };
        let (inst, after) = (insts[at], insts[at + 1..].to_vec());
        let Some(access) = wanted(&inst) else {
            continue;
        };
        let mut new = std::mem::take(&mut function.blocks[block].insts);
        new.truncate(at);
        let mut b = Builder {
            types: &mut module.types,
            function: &mut *function,
            block,
            new,
            inst,
        };
        let rest = in_a_loop(&mut b, access)?;
        b.function.blocks[rest].insts.extend(after);
        come_from(b.function, block, rest);
        work.push(rest);
    }
    Ok(())
}

/// The operation of an atomic access that becomes a loop.
fn wanted(types: &Types, function: &Function, inst: Inst) -> Option<Access> {
    let data = &function.insts[inst];
    let Op::Intrinsic(intrinsic) = &data.op else {
        return None;
    };
    let Kind::Ordered(access @ (Access::Compute(_) | Access::Modify(_))) = intrinsic.kind() else {
        return None;
    };
    let ty = function.ty(data.args[1]);
    let bits = types.element(ty).map_or(0, |scalar| types.bits(scalar));
    let local = is_local(types, function, data.args[0]);
    let computed = matches!(access, Access::Compute(_)) || !has_message(types, ty, local);
    // No loop helps where no message exchanges as many bits.
    let possible = matches!(bits, 8 | 16 | 32) || bits == 64 && !local;
    (computed && possible).then_some(access)
}

fn is_local(types: &Types, function: &Function, pointer: Value) -> bool {
    types.element(function.ty(pointer)) == Some(Scalar::Ptr(LOCAL))
}

/// A number that is a part of an exchanged one, or all of it.
struct Part {
    /// Type of the number, and integer of its size.
    ty: Type,
    int: Type,
    /// Type of what is exchanged.
    whole: Type,
    /// Number of the lowest bit, and the bits of the number; none if it is the whole.
    place: Option<(Value, Value)>,
}

/// Makes the loop. Returns the block after it, in which the instruction stands for its result.
fn in_a_loop(b: &mut Builder, access: Access) -> Result<Block> {
    let data = b.function.insts[b.inst].clone();
    let before = b.block;
    let [round, write, rest] = [(); 3].map(|()| b.function.blocks.push(Default::default()));
    let at = b.function.order.iter().position(|block| *block == before);
    let at = at.map_or(b.function.order.len(), |at| at + 1);
    b.function.order.splice(at..at, [round, write, rest]);

    let (pointer, operand) = (data.args[0], data.args[1]);
    let is_float = b.types.is_float(b.function.ty(operand));
    if takes_floats(access).is_some_and(|floats| floats != is_float) {
        return b.error(
            "the operand of an atomic access is of a type that its operation does not take",
        );
    }
    let ordering = data.args[data.args.len() - 1];
    let (pointer, part) = part(b, pointer, operand);
    let load = b.intrinsic(atomics::LOAD)?;
    let weak = atomics::ordering(b.function, atomics::MONOTONIC);
    let first = b.add(load, smallvec![pointer, weak], part.whole);
    branch(b, Op::Br, smallvec![], smallvec![round]);

    b.begin(round);
    let now = b.add(Op::Phi, smallvec![first], part.whole);
    let phi = b.new[0];
    let old = taken(b, &part, now);
    let exchange = access == Access::Modify(AtomicOp::CmpXchg);
    let (new, same) = match exchange {
        true => {
            let [old, expected] = [old, operand].map(|value| as_bits(b, value, part.int));
            let same = b.add(Op::ICmp(IntRel::Eq), smallvec![old, expected], Types::I1);
            (data.args[2], Some(same))
        }
        false => (computed(b, access, old, operand)?, None),
    };
    match same {
        Some(same) => branch(b, Op::CondBr, smallvec![same], smallvec![write, rest]),
        None => branch(b, Op::Br, smallvec![], smallvec![write]),
    }

    b.begin(write);
    let wanted = put(b, &part, now, new);
    let swap = b.intrinsic(atomics::EXCHANGE)?;
    let pair = b
        .types
        .get(TypeData::Struct(vec![part.whole, Types::I1], false));
    let found = b.add(swap, smallvec![pointer, now, wanted, ordering], pair);
    let again = b.add(Op::ExtractValue(smallvec![0]), smallvec![found], part.whole);
    let done = b.add(Op::ExtractValue(smallvec![1]), smallvec![found], Types::I1);
    branch(b, Op::CondBr, smallvec![done], smallvec![rest, round]);
    let data = &mut b.function.insts[phi];
    data.args.push(again);
    data.targets = smallvec![before, write];

    b.begin(rest);
    match same {
        Some(same) => {
            let ty = b.function.insts[b.inst].ty;
            let undef = b.function.constant(ty, Const::Undef);
            let pair = b.add(Op::InsertValue(smallvec![0]), smallvec![undef, old], ty);
            b.become_op(Op::InsertValue(smallvec![1]), smallvec![pair, same]);
        }
        None => b.become_op(Op::Freeze, smallvec![old]),
    }
    b.function.blocks[rest].insts = std::mem::take(&mut b.new);
    Ok(rest)
}

/// True if an operation takes floats, false if integers; none if it takes both.
fn takes_floats(access: Access) -> Option<bool> {
    match access {
        Access::Modify(AtomicOp::Xchg | AtomicOp::CmpXchg) => None,
        Access::Modify(op) => Some(matches!(op, AtomicOp::FMax | AtomicOp::FMin)),
        Access::Compute(op) => Some(matches!(
            op,
            Computed::FAdd | Computed::FSub | Computed::FMaximum | Computed::FMinimum
        )),
        _ => None,
    }
}

/// The pointer to what is exchanged, and the place of a number in it.
fn part(b: &mut Builder, pointer: Value, number: Value) -> (Value, Part) {
    let ty = b.function.ty(number);
    let bits = b
        .types
        .element(ty)
        .map_or(32, |scalar| b.types.bits(scalar));
    let int = b.types.int(bits);
    let whole = Part {
        ty,
        int,
        whole: int,
        place: None,
    };
    if bits >= 32 {
        return (pointer, whole);
    }
    let space = b.function.ty(pointer);
    let wide = b
        .types
        .element(space)
        .map_or(64, |scalar| b.types.bits(scalar));
    let long = b.types.int(wide);
    let address = b.cast(CastOp::PtrToInt, pointer, long);
    let low = b.binary_bits(BinaryOp::And, address, 3);
    let dword = b.binary(BinaryOp::Sub, address, low);
    let pointer = b.cast(CastOp::IntToPtr, dword, space);
    let low = match wide {
        32 => low,
        _ => b.cast(CastOp::Trunc, low, Types::I32),
    };
    let shift = b.binary_bits(BinaryOp::Shl, low, 3);
    let ones = b.function.bits(Types::I32, (1 << bits) - 1);
    let mask = b.binary(BinaryOp::Shl, ones, shift);
    let part = Part {
        whole: Types::I32,
        place: Some((shift, mask)),
        ..whole
    };
    (pointer, part)
}

/// The number in a value that was read.
fn taken(b: &mut Builder, part: &Part, whole: Value) -> Value {
    let number = match part.place {
        Some((shift, _)) => {
            let low = b.binary(BinaryOp::LShr, whole, shift);
            b.cast(CastOp::Trunc, low, part.int)
        }
        None => whole,
    };
    match part.ty == part.int {
        true => number,
        false => {
            let pointer = matches!(b.types.element(part.ty), Some(Scalar::Ptr(_)));
            let cast = if pointer {
                CastOp::IntToPtr
            } else {
                CastOp::BitCast
            };
            b.cast(cast, number, part.ty)
        }
    }
}

/// The value that was read with another number in it.
fn put(b: &mut Builder, part: &Part, whole: Value, number: Value) -> Value {
    let number = as_bits(b, number, part.int);
    let Some((shift, mask)) = part.place else {
        return number;
    };
    let wide = b.cast(CastOp::ZExt, number, part.whole);
    let there = b.binary(BinaryOp::Shl, wide, shift);
    let not = b.binary_bits(BinaryOp::Xor, mask, u32::MAX.into());
    let others = b.binary(BinaryOp::And, whole, not);
    b.binary(BinaryOp::Or, others, there)
}

fn as_bits(b: &mut Builder, value: Value, int: Type) -> Value {
    let ty = b.function.ty(value);
    match (ty == int, b.types.element(ty)) {
        (true, _) => value,
        (_, Some(Scalar::Ptr(_))) => b.cast(CastOp::PtrToInt, value, int),
        _ => b.cast(CastOp::BitCast, value, int),
    }
}

fn branch(b: &mut Builder, op: Op, args: SmallVec<[Value; 3]>, targets: SmallVec<[Block; 2]>) {
    b.add(op, args, Types::VOID);
    if let Some(&last) = b.new.last() {
        b.function.insts[last].targets = targets;
    }
}

/// The number that an operation writes.
fn computed(b: &mut Builder, access: Access, old: Value, operand: Value) -> Result<Value> {
    let ty = b.function.ty(old);
    let select = |b: &mut Builder, rel: IntRel, yes: Value, no: Value| {
        let holds = b.add(Op::ICmp(rel), smallvec![old, operand], Types::I1);
        b.add(Op::Select, smallvec![holds, yes, no], ty)
    };
    let named = |b: &mut Builder, name: &str| {
        let op = b.intrinsic(name)?;
        Ok(b.add(op, smallvec![old, operand], ty))
    };
    let binary = match access {
        Access::Modify(AtomicOp::Add) => BinaryOp::Add,
        Access::Modify(AtomicOp::Sub) => BinaryOp::Sub,
        Access::Modify(AtomicOp::And) => BinaryOp::And,
        Access::Modify(AtomicOp::Or) => BinaryOp::Or,
        Access::Modify(AtomicOp::Xor) => BinaryOp::Xor,
        Access::Compute(Computed::FAdd) => BinaryOp::FAdd,
        Access::Compute(Computed::FSub) => BinaryOp::FSub,
        Access::Modify(AtomicOp::IMax) => return Ok(select(b, IntRel::Sgt, old, operand)),
        Access::Modify(AtomicOp::IMin) => return Ok(select(b, IntRel::Slt, old, operand)),
        Access::Modify(AtomicOp::Max) => return Ok(select(b, IntRel::Ugt, old, operand)),
        Access::Modify(AtomicOp::Min) => return Ok(select(b, IntRel::Ult, old, operand)),
        Access::Modify(AtomicOp::FMax) => return named(b, "maxnum"),
        Access::Modify(AtomicOp::FMin) => return named(b, "minnum"),
        Access::Modify(_) => return Ok(operand),
        Access::Compute(Computed::FMaximum) => return named(b, "maximum"),
        Access::Compute(Computed::FMinimum) => return named(b, "minimum"),
        Access::Compute(Computed::Nand) => {
            let both = b.binary(BinaryOp::And, old, operand);
            return Ok(b.binary_bits(BinaryOp::Xor, both, ones(b, ty)));
        }
        Access::Compute(Computed::USubCond) => {
            let less = b.binary(BinaryOp::Sub, old, operand);
            return Ok(select(b, IntRel::Uge, less, old));
        }
        Access::Compute(Computed::USubSat) => {
            let less = b.binary(BinaryOp::Sub, old, operand);
            let zero = b.splat(ty, 0);
            return Ok(select(b, IntRel::Uge, less, zero));
        }
        Access::Compute(Computed::UIncWrap) => {
            let next = b.binary_bits(BinaryOp::Add, old, 1);
            let zero = b.splat(ty, 0);
            return Ok(select(b, IntRel::Uge, zero, next));
        }
        Access::Compute(Computed::UDecWrap) => {
            let previous = b.binary_bits(BinaryOp::Add, old, ones(b, ty));
            let beyond = select(b, IntRel::Ugt, operand, previous);
            let zero = b.splat(ty, 0);
            let is_zero = b.add(Op::ICmp(IntRel::Eq), smallvec![old, zero], Types::I1);
            return Ok(b.add(Op::Select, smallvec![is_zero, operand, beyond], ty));
        }
        _ => return b.error("no such operation"),
    };
    Ok(b.binary(binary, old, operand))
}

/// All bits of a number.
fn ones(b: &Builder, ty: Type) -> u64 {
    let bits = b
        .types
        .element(ty)
        .map_or(64, |scalar| b.types.bits(scalar));
    u64::MAX >> (64 - bits.clamp(1, 64))
}
