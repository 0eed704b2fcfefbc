//! Copies of memory.
//!
//! Takes any function. Afterwards there is no `memcpy`, `memmove` and `memset`: those of a constant size that is small are a
//! load and a store of a vector of dwords, or of bytes where the size is no multiple of four. All others are a loop
//! over parts of 16 bytes, of which the last is masked; a `memmove` begins at the end where its destination is behind
//! its source.

use smallvec::{SmallVec, smallvec};

use crate::error::{Code, Diagnostic, Result};
use crate::intrinsics::{Intrinsic, Kind};
use crate::ir::rules;
use crate::ir::{
    BinaryOp, Block, CastOp, Const, Function, Inst, InstData, IntRel, Module, Op, Scalar, Type,
    Types, Value,
};

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
        let mut copies = Copies {
            types: &mut module.types,
            function: &mut *function,
            block,
            inst: insts[0],
        };
        for (number, inst) in insts.iter().enumerate() {
            let Some(kind) = kind_of(copies.function, *inst) else {
                copies.function.blocks[block].insts.push(*inst);
                continue;
            };
            copies.inst = *inst;
            let data = copies.function.insts[*inst].clone();
            let &[to, from, length, ..] = &data.args[..] else {
                let message = "a copy has a destination, a source and a size";
                return Err(Diagnostic::new(Code::Memory, data.loc, message));
            };
            match copies.function.as_bits(length) {
                Some(0) => {}
                Some(size) if size <= MAX_COPY => copies.whole(kind, to, from, size),
                _ => {
                    let behind = insts[number + 1..].to_vec();
                    let rest = copies.in_parts(kind, [to, from, length], behind)?;
                    work.push(rest);
                    break;
                }
            }
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

/// Adds instructions to the end of a block.
struct Copies<'a> {
    types: &'a mut Types,
    function: &'a mut Function,
    block: Block,
    /// The copy that they are for.
    inst: Inst,
}

impl Copies<'_> {
    fn add(&mut self, op: Op, args: SmallVec<[Value; 3]>, ty: Type) -> Value {
        let &InstData {
            loc, dbg, align, ..
        } = &self.function.insts[self.inst];
        let inst = self.function.make(InstData {
            loc,
            dbg,
            align: match op {
                Op::Load | Op::Store => align.max(1),
                _ => 0,
            },
            ..rules::data(op, args, ty)
        });
        self.function.blocks[self.block].insts.push(inst);
        match self.function.insts[inst].result {
            Some(value) => value,
            None => self.function.constant(ty, Const::Undef),
        }
    }

    fn branch(&mut self, op: Op, args: SmallVec<[Value; 3]>, targets: SmallVec<[Block; 2]>) {
        self.add(op, args, Types::VOID);
        if let Some(&last) = self.function.blocks[self.block].insts.last() {
            self.function.insts[last].targets = targets;
        }
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.add(Op::Binary(op), smallvec![a, b], Types::I32)
    }

    fn word(&mut self, bits: u64) -> Value {
        self.function.bits(Types::I32, bits)
    }

    /// A scalar in all elements of a vector.
    fn splat(&mut self, value: Value, ty: Type) -> Value {
        let count = self.types.count(ty).unwrap_or(1) as usize;
        let (none, zero) = (self.function.constant(ty, Const::Undef), self.word(0));
        let first = self.add(Op::InsertElement, smallvec![none, value, zero], ty);
        let all = Op::Shuffle(vec![0; count].into());
        self.add(all, smallvec![first, first], ty)
    }

    /// A load and a store of all bytes.
    fn whole(&mut self, kind: Kind, to: Value, from: Value, size: u64) {
        let byte = match kind {
            Kind::MemSet => self.function.as_bits(from),
            _ => Some(0),
        };
        let element = if size.is_multiple_of(4) && byte.is_some() {
            4
        } else {
            1
        };
        let count = (size / element) as u32;
        let bits = Scalar::Int(8 * element as u32);
        let ty = self.types.shaped(Some(count), bits);
        let value = match (kind, byte) {
            (Kind::MemSet, Some(byte)) => {
                let bits = (0..element).fold(0, |bits, i| bits | (byte & 0xff) << (8 * i));
                let all = vec![bits; count as usize].into();
                self.function.constant(ty, Const::Vector(all))
            }
            (Kind::MemSet, None) => self.splat(from, ty),
            _ => self.add(Op::Load, smallvec![from], ty),
        };
        self.add(Op::Store, smallvec![value, to], Types::VOID);
    }

    /// A loop over the parts. Returns the block behind it, which gets the rest of the instructions.
    fn in_parts(
        &mut self,
        kind: Kind,
        [to, from, length]: [Value; 3],
        behind: Vec<Inst>,
    ) -> Result<Block> {
        let before = self.block;
        let [head, body, rest] = [(); 3].map(|()| self.function.blocks.push(Default::default()));
        let at = self.function.order.iter().position(|b| *b == before);
        let at = at.map_or(self.function.order.len(), |at| at + 1);
        self.function.order.splice(at..at, [head, body, rest]);
        let bytes = self.types.shaped(Some(PART), Scalar::Int(8));
        let words = self.types.shaped(Some(PART), Scalar::Int(32));
        let bools = self.types.shaped(Some(PART), Scalar::Int(1));

        let length = self.as_word(length);
        let set = match kind {
            Kind::MemSet => Some(self.splat(from, bytes)),
            _ => None,
        };
        let (part, zero) = (self.word(PART.into()), self.word(0));
        // Place of the last part, if it is the first that is moved.
        let backward = match kind {
            Kind::MemCopy { overlaps: true } => {
                let long = self.types.int(64);
                let [to, from] = [to, from]
                    .map(|pointer| self.add(Op::Cast(CastOp::PtrToInt), smallvec![pointer], long));
                let behind = self.add(Op::ICmp(IntRel::Ugt), smallvec![to, from], Types::I1);
                let (one, not) = (self.word(1), self.word((!(PART - 1)).into()));
                let last = self.binary(BinaryOp::Sub, length, one);
                Some((behind, self.binary(BinaryOp::And, last, not)))
            }
            _ => None,
        };
        self.branch(Op::Br, smallvec![], smallvec![head]);

        self.block = head;
        let done = self.add(Op::Phi, smallvec![zero], Types::I32);
        let more = self.add(Op::ICmp(IntRel::Ult), smallvec![done, length], Types::I1);
        self.branch(Op::CondBr, smallvec![more], smallvec![body, rest]);

        self.block = body;
        let place = match backward {
            Some((behind, last)) => {
                let back = self.binary(BinaryOp::Sub, last, done);
                self.add(Op::Select, smallvec![behind, back, done], Types::I32)
            }
            None => done,
        };
        let left = self.binary(BinaryOp::Sub, length, place);
        let left = self.splat(left, words);
        let each = Const::Vector((0..PART.into()).collect());
        let each = self.function.constant(words, each);
        let mask = self.add(Op::ICmp(IntRel::Ult), smallvec![each, left], bools);
        let one = self.word(1);
        let value = match set {
            Some(value) => value,
            None => {
                let (none, load) = (self.function.constant(bytes, Const::Undef), "masked.load");
                let (load, from) = (self.intrinsic(load)?, self.moved(from, place));
                self.add(load, smallvec![from, one, mask, none], bytes)
            }
        };
        let (store, to) = (self.intrinsic("masked.store")?, self.moved(to, place));
        self.add(store, smallvec![value, to, one, mask], Types::VOID);
        let next = self.binary(BinaryOp::Add, done, part);
        self.branch(Op::Br, smallvec![], smallvec![head]);

        let phi = self.function.blocks[head].insts[0];
        let data = &mut self.function.insts[phi];
        data.args.push(next);
        data.targets = smallvec![before, body];
        self.function.blocks[rest].insts = behind;
        for next in self.function.successors(rest).to_vec() {
            for inst in self.function.blocks[next].insts.clone() {
                let data = &mut self.function.insts[inst];
                if data.op == Op::Phi {
                    let from = data.targets.iter_mut().filter(|from| **from == before);
                    from.for_each(|from| *from = rest);
                }
            }
        }
        Ok(rest)
    }

    /// A pointer to a byte behind another.
    fn moved(&mut self, pointer: Value, by: Value) -> Value {
        let (byte, ty) = (self.types.int(8), self.function.ty(pointer));
        self.add(Op::Gep(byte), smallvec![pointer, by], ty)
    }

    /// A size as 32 bits.
    fn as_word(&mut self, size: Value) -> Value {
        match self.function.ty(size) {
            Types::I32 => size,
            _ => self.add(Op::Cast(CastOp::Trunc), smallvec![size], Types::I32),
        }
    }

    fn intrinsic(&self, name: &str) -> Result<Op> {
        let loc = self.function.insts[self.inst].loc;
        let found = Intrinsic::named(name).map(Op::Intrinsic);
        found.map_err(|code| Diagnostic::new(code, loc, "no such operation"))
    }
}
