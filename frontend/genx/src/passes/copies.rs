//! Copies of memory.
//!
//! Takes any function. Afterwards there is no `memcpy`, `memmove` and `memset`: those of a constant size that is small are a
//! load and a store of a vector of dwords, or of bytes where the size is no multiple of four. All others are a loop
//! over parts of 16 bytes, of which the last is masked; a `memmove` begins at the end where its destination is after
//! its source.

use smallvec::{SmallVec, smallvec};

use crate::error::{Code, Diagnostic, Result};
use crate::intrinsics::Kind;
use crate::ir::{
    BinaryOp, Block, CastOp, Const, Function, Inst, IntRel, Module, Op, Scalar, Type, Types, Value,
};

use super::builder::{Builder, come_from};

/// Bytes that are copied or set without a loop, at most.
const MAX_COPY: u64 = 8192;
/// Bytes of a round of the loop.
const PART: u32 = 16;

/// Expands all copies.
///
/// # Errors
/// An operand is missing.
pub fn expand(module: &mut Module, function: &mut Function) -> Result<()> {
    let mut work: Vec<Block> = function.order.iter().rev().copied().collect();
    while let Some(block) = work.pop() {
        let insts = &function.blocks[block].insts;
        if !insts.iter().any(|inst| kind_of(function, *inst).is_some()) {
            continue;
        }
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut b = Builder {
            types: &mut module.types,
            function: &mut *function,
            block,
            new: Vec::with_capacity(insts.len()),
            inst: insts[0],
        };
        let mut is_split = false;
        for (number, inst) in insts.iter().enumerate() {
            let Some(kind) = kind_of(b.function, *inst) else {
                b.new.push(*inst);
                continue;
            };
            b.inst = *inst;
            let data = b.function.insts[*inst].clone();
            let &[to, from, length, ..] = &data.args[..] else {
                let message = "a copy has a destination, a source and a size";
                return Err(Diagnostic::new(Code::Memory, data.loc, message));
            };
            match b.function.as_bits(length) {
                Some(0) => {}
                Some(size) if size <= MAX_COPY => whole(&mut b, kind, to, from, size),
                _ => {
                    let after = &insts[number + 1..];
                    work.push(in_parts(&mut b, block, kind, [to, from, length], after)?);
                    is_split = true;
                    break;
                }
            }
        }
        if !is_split {
            end(&mut b, block);
        }
    }
    Ok(())
}

fn kind_of(function: &Function, inst: Inst) -> Option<Kind> {
    match &function.insts[inst].op {
        Op::Intrinsic(i) if matches!(i.kind(), Kind::MemCopy { .. } | Kind::MemSet) => {
            Some(i.kind())
        }
        _ => None,
    }
}

/// Ends a block with the instructions so far.
fn end(b: &mut Builder, block: Block) {
    b.function.blocks[block].insts = std::mem::take(&mut b.new);
}

/// Adds a load or a store, which is aligned as the copy is.
fn access(b: &mut Builder, op: Op, args: SmallVec<[Value; 3]>, ty: Type) -> Value {
    let value = b.add(op, args, ty);
    if let Some(&last) = b.new.last() {
        b.function.insts[last].align = b.function.insts[b.inst].align.max(1);
    }
    value
}

fn branch(b: &mut Builder, op: Op, args: SmallVec<[Value; 3]>, targets: SmallVec<[Block; 2]>) {
    b.add(op, args, Types::VOID);
    if let Some(&last) = b.new.last() {
        b.function.insts[last].targets = targets;
    }
}

fn word(b: &mut Builder, bits: u64) -> Value {
    b.function.bits(Types::I32, bits)
}

/// A scalar in all elements of a vector.
fn spread(b: &mut Builder, value: Value, ty: Type) -> Value {
    let count = b.types.count(ty).unwrap_or(1) as usize;
    let (none, zero) = (b.function.constant(ty, Const::Undef), word(b, 0));
    let first = b.add(Op::InsertElement, smallvec![none, value, zero], ty);
    let all = Op::Shuffle(vec![0; count].into());
    b.add(all, smallvec![first, first], ty)
}

/// A load and a store of all bytes.
fn whole(b: &mut Builder, kind: Kind, to: Value, from: Value, size: u64) {
    let byte = match kind {
        Kind::MemSet => b.function.as_bits(from),
        _ => Some(0),
    };
    let element = if size.is_multiple_of(4) && byte.is_some() {
        4
    } else {
        1
    };
    let count = (size / element) as u32;
    let bits = Scalar::Int(8 * element as u32);
    let ty = b.types.shaped(Some(count), bits);
    let value = match (kind, byte) {
        (Kind::MemSet, Some(byte)) => {
            let bits = (0..element).fold(0, |bits, i| bits | (byte & 0xff) << (8 * i));
            b.splat(ty, bits)
        }
        (Kind::MemSet, None) => spread(b, from, ty),
        _ => access(b, Op::Load, smallvec![from], ty),
    };
    access(b, Op::Store, smallvec![value, to], Types::VOID);
}

/// A loop over the parts. Returns the block after it, which gets the rest of the instructions.
fn in_parts(
    b: &mut Builder,
    before: Block,
    kind: Kind,
    [to, from, length]: [Value; 3],
    after: &[Inst],
) -> Result<Block> {
    let [head, body, rest] = [(); 3].map(|()| b.function.blocks.push(Default::default()));
    let at = b.function.order.iter().position(|b| *b == before);
    let at = at.map_or(b.function.order.len(), |at| at + 1);
    b.function.order.splice(at..at, [head, body, rest]);
    let bytes = b.types.shaped(Some(PART), Scalar::Int(8));
    let words = b.types.shaped(Some(PART), Scalar::Int(32));
    let bools = b.types.shaped(Some(PART), Scalar::Int(1));

    let length = as_word(b, length);
    let set = match kind {
        Kind::MemSet => Some(spread(b, from, bytes)),
        _ => None,
    };
    let (part, zero) = (word(b, PART.into()), word(b, 0));
    // Place of the last part, if it is the first that is moved.
    let backward = match kind {
        Kind::MemCopy { overlaps: true } => {
            let long = b.types.int(64);
            let [to, from] = [to, from]
                .map(|pointer| b.add(Op::Cast(CastOp::PtrToInt), smallvec![pointer], long));
            let is_after = b.add(Op::ICmp(IntRel::Ugt), smallvec![to, from], Types::I1);
            let (one, not) = (word(b, 1), word(b, (!(PART - 1)).into()));
            let last = b.binary(BinaryOp::Sub, length, one);
            Some((is_after, b.binary(BinaryOp::And, last, not)))
        }
        _ => None,
    };
    branch(b, Op::Br, smallvec![], smallvec![head]);

    end(b, before);
    let done = b.add(Op::Phi, smallvec![zero], Types::I32);
    let more = b.add(Op::ICmp(IntRel::Ult), smallvec![done, length], Types::I1);
    branch(b, Op::CondBr, smallvec![more], smallvec![body, rest]);

    end(b, head);
    let place = match backward {
        Some((is_after, last)) => {
            let back = b.binary(BinaryOp::Sub, last, done);
            b.add(Op::Select, smallvec![is_after, back, done], Types::I32)
        }
        None => done,
    };
    let left = b.binary(BinaryOp::Sub, length, place);
    let left = spread(b, left, words);
    let each = Const::Vector((0..PART.into()).collect());
    let each = b.function.constant(words, each);
    let mask = b.add(Op::ICmp(IntRel::Ult), smallvec![each, left], bools);
    let one = word(b, 1);
    let value = match set {
        Some(value) => value,
        None => {
            let (none, load) = (b.function.constant(bytes, Const::Undef), "masked.load");
            let (load, from) = (b.intrinsic(load)?, moved(b, from, place));
            b.add(load, smallvec![from, one, mask, none], bytes)
        }
    };
    let (store, to) = (b.intrinsic("masked.store")?, moved(b, to, place));
    b.add(store, smallvec![value, to, one, mask], Types::VOID);
    let next = b.binary(BinaryOp::Add, done, part);
    branch(b, Op::Br, smallvec![], smallvec![head]);

    end(b, body);
    b.new.extend_from_slice(after);
    end(b, rest);
    let phi = b.function.blocks[head].insts[0];
    let data = &mut b.function.insts[phi];
    data.args.push(next);
    data.targets = smallvec![before, body];
    come_from(b.function, before, rest);
    Ok(rest)
}

/// A pointer so many bytes after another.
fn moved(b: &mut Builder, pointer: Value, by: Value) -> Value {
    let (byte, ty) = (b.types.int(8), b.function.ty(pointer));
    b.add(Op::Gep(byte), smallvec![pointer, by], ty)
}

/// A size as 32 bits.
fn as_word(b: &mut Builder, size: Value) -> Value {
    match b.function.ty(size) {
        Types::I32 => size,
        _ => b.add(Op::Cast(CastOp::Trunc), smallvec![size], Types::I32),
    }
}
