//! Accesses of memory that others see, and of private memory, as messages.
//!
//! A load or a store becomes blocks where size and alignment allow it, else a message with a channel for each qword,
//! dword or byte. Those of shared local memory have offsets of 32 bits and a surface, all others addresses.

use smallvec::{SmallVec, smallvec};

use kiln_visa::opcode::AtomicOp;

use super::memory::{LOCAL, Memory};
use crate::error::{Code, Result};
use crate::intrinsics::{self, Access, Masked};
use crate::ir::{
    BinaryOp, CastOp, Const, Inst, InstData, IntRel, Op, Scalar, Type, Types, Value, atomics, rules,
};

/// Address space of pointers of 32 bits to memory that all threads share.
const GLOBAL_32: u32 = 6;

/// Mask of a fence: it waits until all is written, and it is that of shared local memory.
const COMMIT: u64 = 1;
const FENCE_LOCAL: u64 = 1 << 5;

/// Bytes that blocks are counted in.
const OWORD: u32 = 16;

/// Binding table index of shared local memory.
const LOCAL_SURFACE: u64 = 254;

/// True if a message can read a value of this type and write another at once.
pub(super) fn has_message(types: &Types, ty: Type, local: bool) -> bool {
    let bits = types.element(ty).map_or(0, |scalar| types.bits(scalar));
    bits == 32 || bits == 64 && !local && !types.is_float(ty)
}

impl Memory<'_> {
    /// A load or store of memory that others see.
    pub(super) fn global(
        &mut self,
        inst: Inst,
        data: &InstData,
        value: Option<Value>,
        pointer: Value,
    ) -> Result<()> {
        let accessed = value.map_or(data.ty, |value| self.function.ty(value));
        let space = match self.module.types.element(self.function.ty(pointer)) {
            Some(Scalar::Ptr(space)) => space,
            _ => return self.error(inst, Code::Memory, "the address must be a pointer"),
        };
        let shape = self.module.types.shape(accessed);
        if let Some((count, Scalar::Int(1))) = shape {
            return self.bools(inst, data, value, pointer, count);
        }
        let Some((count, scalar)) = shape.filter(|_| matches!(space, 0..=4 | GLOBAL_32)) else {
            let name = self.module.types.name(accessed);
            let message =
                format!("an access of type {name} in address space {space} is not supported");
            return self.error(inst, Code::Memory, message);
        };
        if !self.is_whole(scalar) {
            let name = self.module.types.name(accessed);
            let message = format!("an access of type {name} is not supported");
            return self.error(inst, Code::Type, message);
        }
        let element = self.module.types.scalar_bytes(scalar);
        let bytes = count * element;
        let wide = if matches!(space, LOCAL | GLOBAL_32) {
            32
        } else {
            64
        };
        let long = self.module.types.int(wide);
        let mut address = self.add(Op::Cast(CastOp::PtrToInt), smallvec![pointer], long);
        if space == GLOBAL_32 {
            let long = self.module.types.int(64);
            address = self.add(Op::Cast(CastOp::ZExt), smallvec![address], long);
        }
        let align = if data.align == 0 { element } else { data.align };
        let block = bytes.is_multiple_of(OWORD) && align >= if value.is_some() { OWORD } else { 4 };
        if block && space == LOCAL && self.has_local_blocks {
            return self.local_block(inst, value, address);
        }
        if block && space != LOCAL {
            match value {
                Some(value) => {
                    let op = self.intrinsic(inst, "genx.svm.block.st")?;
                    self.add(op, smallvec![address, value], Types::VOID);
                }
                None => {
                    let name = if align >= 16 {
                        "genx.svm.block.ld"
                    } else {
                        "genx.svm.block.ld.unaligned"
                    };
                    let op = self.intrinsic(inst, name)?;
                    let data = &mut self.function.insts[inst];
                    data.op = op;
                    data.args = smallvec![address];
                    self.new.push(inst);
                }
            }
            return Ok(());
        }
        // Elements of a lane: qwords and dwords where they are aligned, else bytes.
        let unit = [8, 4]
            .into_iter()
            .filter(|n| *n == 4 || space != LOCAL)
            .find(|n| align.is_multiple_of(*n) && bytes.is_multiple_of(*n))
            .unwrap_or(1);
        let lanes = bytes / unit;
        self.scattered(inst, value, address, unit, lanes)
    }

    /// A load or store of a block of shared local memory.
    fn local_block(&mut self, inst: Inst, value: Option<Value>, address: Value) -> Result<()> {
        let zero = self.function.bits(Types::I32, 0);
        let surface = self.function.bits(Types::I32, LOCAL_SURFACE);
        match value {
            Some(value) => {
                let op = self.intrinsic(inst, "genx.oword.st")?;
                let by = self.bits(Types::I32, OWORD.trailing_zeros().into());
                let shift = Op::Binary(BinaryOp::LShr);
                let place = self.add(shift, smallvec![address, by], Types::I32);
                self.add(op, smallvec![surface, place, value], Types::VOID);
            }
            None => {
                let op = self.intrinsic(inst, "genx.oword.ld.unaligned")?;
                let data = &mut self.function.insts[inst];
                data.op = op;
                data.args = smallvec![zero, surface, address];
                self.new.push(inst);
            }
        }
        Ok(())
    }

    /// True if an element has all the bits of 1, 2, 4 or 8 bytes.
    fn is_whole(&self, scalar: Scalar) -> bool {
        matches!(self.module.types.bits(scalar), 8 | 16 | 32 | 64)
    }

    /// An atomic access: a message, between fences where its ordering asks for them.
    pub(super) fn ordered(&mut self, inst: Inst, data: &InstData, access: Access) -> Result<()> {
        let Some((ordering, args)) = data.args.split_last() else {
            return self.error(inst, Code::Operand, "an ordering is expected");
        };
        let ordering = self.function.as_bits(*ordering).unwrap_or(0);
        let pointer = match access {
            Access::Fence => {
                self.fence(inst, false)?;
                return self.fence(inst, true);
            }
            Access::Store => args[1],
            _ => args[0],
        };
        let space = self.module.types.element(self.function.ty(pointer));
        let local = space == Some(Scalar::Ptr(LOCAL));
        if atomics::releases(ordering) {
            self.fence(inst, local)?;
        }
        match access {
            Access::Modify(op) => self.modify(inst, data, op, local)?,
            Access::Compute(_) => {
                return self.error(inst, Code::Memory, "an atomic access without a loop");
            }
            _ => {
                let value = (access == Access::Store).then(|| args[0]);
                let ty = value.map_or(data.ty, |value| self.function.ty(value));
                let plain = InstData {
                    align: rules::natural_align(&self.module.types, ty),
                    ..data.clone()
                };
                self.global(inst, &plain, value, pointer)?;
            }
        }
        match atomics::acquires(ordering) {
            true => self.fence(inst, local),
            false => Ok(()),
        }
    }

    fn fence(&mut self, inst: Inst, local: bool) -> Result<()> {
        let byte = self.module.types.int(8);
        let kind = if local { COMMIT | FENCE_LOCAL } else { COMMIT };
        let mask = self.function.bits(byte, kind);
        let op = self.intrinsic(inst, "genx.fence")?;
        self.add(op, smallvec![mask], Types::VOID);
        Ok(())
    }

    /// An access that reads a value and writes another: a message of one channel.
    fn modify(&mut self, inst: Inst, data: &InstData, op: AtomicOp, local: bool) -> Result<()> {
        let (pointer, values) = (data.args[0], &data.args[1..data.args.len() - 1]);
        let ty = self.function.ty(values[0]);
        let types = &mut self.module.types;
        let bits = types.element(ty).map_or(0, |scalar| types.bits(scalar));
        let float = types.is_float(ty);
        if !has_message(types, ty, local) {
            let message = format!(
                "an atomic access of type {} is not supported here",
                types.name(ty)
            );
            return self.error(inst, Code::Memory, message);
        }
        let element = match float {
            true => Scalar::Float,
            false => Scalar::Int(bits),
        };
        let one = types.shaped(Some(1), element);
        let name = match (local, intrinsics::atomic_name(op)) {
            (true, word) => format!("genx.dword.atomic.{word}"),
            (false, word) => format!("genx.svm.atomic.{word}"),
        };
        let address = types.int(if local { 32 } else { 64 });
        let addresses = types.shaped(Some(1), Scalar::Int(if local { 32 } else { 64 }));
        let bool_one = types.shaped(Some(1), Scalar::Int(1));
        let mut at = self.as_integers(pointer);
        if self.function.ty(at) != address {
            // A pointer to shared local memory has 64 bits where the module does not say its size.
            let cast = if local { CastOp::Trunc } else { CastOp::ZExt };
            at = self.add(Op::Cast(cast), smallvec![at], address);
        }
        let all = self
            .function
            .constant(bool_one, Const::Vector(vec![1].into()));
        let mut args: SmallVec<[Value; 3]> = smallvec![all];
        if local {
            args.push(self.function.bits(Types::I32, LOCAL_SURFACE));
        }
        args.push(self.reinterpret(at, addresses));
        // The message has the new value first.
        for value in values.iter().rev() {
            args.push(self.reinterpret(*value, one));
        }
        args.push(self.function.constant(one, Const::Undef));
        let op = self.intrinsic(inst, &name)?;
        let old = self.add(op, args, one);
        let Some(result) = data.result else {
            return Ok(());
        };
        if values.len() == 1 {
            self.become_bits(inst, old);
            return Ok(());
        }
        let old = match ty == self.function.ty(old) {
            true => old,
            false => self.add_bits(old, ty),
        };
        let equal = self.add(Op::ICmp(IntRel::Eq), smallvec![old, values[0]], Types::I1);
        self.exchanged.insert(result, [old, equal]);
        Ok(())
    }

    /// The bits of a value as one of a type that may be an address.
    fn add_bits(&mut self, value: Value, ty: Type) -> Value {
        let undef = self.function.constant(ty, Const::Undef);
        let inst = self.make(Op::Freeze, smallvec![undef], ty);
        self.become_bits(inst, value);
        self.function.insts[inst].result.unwrap_or(value)
    }

    /// A load or store of `i1`: of one, a byte; of a vector, the bits of as many bytes as it needs.
    fn bools(
        &mut self,
        inst: Inst,
        data: &InstData,
        value: Option<Value>,
        pointer: Value,
        count: u32,
    ) -> Result<()> {
        const DWORD: u32 = u32::BITS;
        let types = &mut self.module.types;
        let one = types
            .count(value.map_or(data.ty, |v| self.function.ty(v)))
            .is_none();
        // The bits are in dwords, or in one number of at least a byte.
        let dwords = count.div_ceil(DWORD);
        let width = match dwords {
            1 => count.next_power_of_two().max(u8::BITS),
            _ => DWORD,
        };
        let number = types.int(width);
        let bits = types.shaped(Some(width), Scalar::Int(1));
        let all = types.shaped((dwords > 1).then_some(dwords), Scalar::Int(width));
        let bytes = count.div_ceil(u8::BITS);
        let whole = dwords * width / u8::BITS;
        let in_bytes = |types: &mut Types, n| types.shaped(Some(n), Scalar::Int(u8::BITS));
        let [padded, exact] = [whole, bytes].map(|n| in_bytes(types, n));
        match value {
            Some(value) => {
                let mut stored = self.function.constant(all, Const::Undef);
                for part in 0..dwords {
                    let first = part * DWORD;
                    let here = (count - first).min(DWORD);
                    let part_bits = match one {
                        true => self.add(Op::Cast(CastOp::ZExt), smallvec![value], number),
                        false => {
                            let lanes = self.part_of_bools(value, first, here, count);
                            let padded = self.padded_bools(inst, lanes, here, bits)?;
                            self.add(Op::Cast(CastOp::BitCast), smallvec![padded], number)
                        }
                    };
                    stored = match dwords {
                        1 => part_bits,
                        _ => {
                            let at = self.function.bits(Types::I32, part.into());
                            let args = smallvec![stored, part_bits, at];
                            self.add(Op::InsertElement, args, all)
                        }
                    };
                }
                if bytes < whole {
                    let cut = self.add(Op::Cast(CastOp::BitCast), smallvec![stored], padded);
                    let op = Op::Shuffle((0..bytes).collect());
                    stored = self.add(op, smallvec![cut, cut], exact);
                }
                self.global(inst, data, Some(stored), pointer)
            }
            None => {
                let loaded = if bytes < whole { exact } else { all };
                let load = self.make(Op::Load, smallvec![pointer], loaded);
                let data = InstData {
                    align: data.align,
                    ..self.function.insts[load].clone()
                };
                self.global(load, &data, None, pointer)?;
                let Some(mut loaded) = data.result else {
                    return Ok(());
                };
                if bytes < whole {
                    let places = (0..whole).map(|n| if n < bytes { n } else { u32::MAX });
                    let op = Op::Shuffle(places.collect());
                    let padded = self.add(op, smallvec![loaded, loaded], padded);
                    loaded = self.add(Op::Cast(CastOp::BitCast), smallvec![padded], all);
                }
                let ty = self.function.insts[inst].ty;
                let (op, args): (Op, SmallVec<[Value; 3]>) = match (one, dwords) {
                    (true, _) => (Op::Cast(CastOp::Trunc), smallvec![loaded]),
                    (false, 1) if width == count => (Op::Cast(CastOp::BitCast), smallvec![loaded]),
                    (false, 1) => {
                        let all = self.add(Op::Cast(CastOp::BitCast), smallvec![loaded], bits);
                        (Op::Shuffle((0..count).collect()), smallvec![all, all])
                    }
                    (false, _) => {
                        let mut joined = self.function.constant(ty, Const::Undef);
                        for part in 0..dwords {
                            let first = part * DWORD;
                            let here = (count - first).min(DWORD);
                            let at = self.function.bits(Types::I32, part.into());
                            let args = smallvec![loaded, at];
                            let dword = self.add(Op::ExtractElement, args, number);
                            let lanes = self.add(Op::Cast(CastOp::BitCast), smallvec![dword], bits);
                            let lanes = self.part_of_bools(lanes, 0, here, DWORD);
                            let at = self.function.bits(Types::I32, first.into());
                            let write = self.intrinsic(inst, "genx.wrpredregion")?;
                            joined = self.add(write, smallvec![joined, lanes, at], ty);
                        }
                        (Op::Freeze, smallvec![joined])
                    }
                };
                let new = &mut self.function.insts[inst];
                (new.op, new.args) = (op, args);
                self.new.push(inst);
                Ok(())
            }
        }
    }

    /// Lanes of a vector of `i1` from a place on.
    fn part_of_bools(&mut self, value: Value, first: u32, here: u32, count: u32) -> Value {
        if here == count {
            return value;
        }
        let ty = self.module.types.shaped(Some(here), Scalar::Int(1));
        let op = Op::Shuffle((first..first + here).collect());
        self.add(op, smallvec![value, value], ty)
    }

    /// A vector of `i1` with zeros after it.
    fn padded_bools(&mut self, inst: Inst, value: Value, here: u32, bits: Type) -> Result<Value> {
        if self.module.types.count(bits) == Some(here) {
            return Ok(value);
        }
        let zero = self.function.constant(bits, Const::Zero);
        let at = self.function.bits(Types::I32, 0);
        let op = self.intrinsic(inst, "genx.wrpredregion")?;
        Ok(self.add(op, smallvec![zero, value, at], bits))
    }

    /// The bits of a value as another type; addresses by way of integers.
    pub(super) fn reinterpret(&mut self, value: Value, to: Type) -> Value {
        let value = self.as_integers(value);
        match self.function.ty(value) == to {
            true => value,
            false => self.add(Op::Cast(CastOp::BitCast), smallvec![value], to),
        }
    }

    pub(super) fn as_integers(&mut self, value: Value) -> Value {
        let ty = self.function.ty(value);
        match self.module.types.shape(ty) {
            Some((_, scalar @ Scalar::Ptr(_))) => {
                let bits = Scalar::Int(self.module.types.bits(scalar));
                let to = self.module.types.shaped(self.module.types.count(ty), bits);
                self.add(Op::Cast(CastOp::PtrToInt), smallvec![value], to)
            }
            _ => value,
        }
    }

    /// Lets an instruction give the bits of a value, in its own type.
    pub(super) fn become_bits(&mut self, inst: Inst, value: Value) {
        let ty = self.function.insts[inst].ty;
        if self.function.ty(value) == ty {
            return self.become_copy(inst, value);
        }
        let (op, value) = match self.module.types.shape(ty) {
            Some((_, scalar @ Scalar::Ptr(_))) => {
                let bits = Scalar::Int(self.module.types.bits(scalar));
                let ints = self.module.types.shaped(self.module.types.count(ty), bits);
                (CastOp::IntToPtr, self.reinterpret(value, ints))
            }
            _ => (CastOp::BitCast, self.as_integers(value)),
        };
        let data = &mut self.function.insts[inst];
        data.op = Op::Cast(op);
        data.args = smallvec![value];
        self.new.push(inst);
    }

    /// An access of elements side by side, by a message with a channel for each.
    fn scattered(
        &mut self,
        inst: Inst,
        value: Option<Value>,
        address: Value,
        unit: u32,
        lanes: u32,
    ) -> Result<()> {
        let addresses = self.side_by_side(address, unit, lanes);
        let mask = self.all(lanes);
        let moved = Moved {
            value,
            old: None,
            unit,
            lanes,
        };
        if let Some(data) = self.by_channels(inst, addresses, mask, &moved)? {
            self.become_bits(inst, data);
        }
        Ok(())
    }

    /// Addresses of elements of so many bytes from one on.
    fn side_by_side(&mut self, address: Value, unit: u32, lanes: u32) -> Value {
        let addresses = self.splat(address, lanes);
        let long = self.function.ty(addresses);
        let offsets: Box<[u64]> = (0..lanes).map(|i| u64::from(i * unit)).collect();
        let offsets = self.function.constant(long, Const::Vector(offsets));
        self.add(
            Op::Binary(BinaryOp::Add),
            smallvec![addresses, offsets],
            long,
        )
    }

    /// A mask of channels that are all on.
    fn all(&mut self, lanes: u32) -> Value {
        let ty = self.module.types.shaped(Some(lanes), Scalar::Int(1));
        let ones = vec![1; lanes as usize].into();
        self.function.constant(ty, Const::Vector(ones))
    }

    /// A vector of so many times a scalar.
    pub(super) fn splat(&mut self, value: Value, lanes: u32) -> Value {
        let ty = self.function.ty(value);
        let Some(element) = self.module.types.element(ty) else {
            return value;
        };
        let (one, all) = (
            self.module.types.shaped(Some(1), element),
            self.module.types.shaped(Some(lanes), element),
        );
        let first = self.add(Op::Cast(CastOp::BitCast), smallvec![value], one);
        let zeros = vec![0; lanes as usize].into();
        self.add(Op::Shuffle(zeros), smallvec![first, first], all)
    }

    /// An access of some elements of a vector: side by side, or each at an address of its own.
    pub(super) fn masked(&mut self, inst: Inst, data: &InstData, masked: Masked) -> Result<()> {
        let &[first, second, third, fourth] = &data.args[..] else {
            return self.error(inst, Code::Operand, "4 operands are expected");
        };
        let (pointer, mask, value, old) = match masked.stores {
            true => (second, fourth, Some(first), None),
            false => (first, third, None, Some(fourth)),
        };
        let ty = value.map_or(data.ty, |value| self.function.ty(value));
        let (shape, space) = (
            self.module.types.shape(ty),
            self.module.types.element(self.function.ty(pointer)),
        );
        let (Some((lanes, scalar)), Some(Scalar::Ptr(space @ (0..=4 | GLOBAL_32)))) =
            (shape.filter(|(_, s)| self.is_whole(*s)), space)
        else {
            let name = self.module.types.name(ty);
            let message = format!("an access of type {name} is not supported here");
            return self.error(inst, Code::Memory, message);
        };
        let unit = self.module.types.scalar_bytes(scalar);
        let mut addresses = self.as_integers(pointer);
        let ty = self.function.ty(addresses);
        let (from, to) = match space {
            LOCAL => (64, 32),
            _ => (32, 64),
        };
        if self.module.types.element(ty) == Some(Scalar::Int(from)) {
            // Addresses of shared local memory have 32 bits, all others 64.
            let count = self.module.types.count(ty);
            let other = self.module.types.shaped(count, Scalar::Int(to));
            let cast = if to > from {
                CastOp::ZExt
            } else {
                CastOp::Trunc
            };
            addresses = self.add(Op::Cast(cast), smallvec![addresses], other);
        }
        if !masked.scattered {
            addresses = self.side_by_side(addresses, unit, lanes);
        }
        let moved = Moved {
            value,
            old,
            unit,
            lanes,
        };
        let data = match space == LOCAL && unit == 8 {
            true => self.in_halves(inst, addresses, mask, &moved)?,
            false => self.by_channels(inst, addresses, mask, &moved)?,
        };
        if let Some(data) = data {
            self.become_bits(inst, data);
        }
        Ok(())
    }

    /// Two messages with a channel for each element: of its lower half, and of the upper.
    fn in_halves(
        &mut self,
        inst: Inst,
        addresses: Value,
        mask: Value,
        moved: &Moved,
    ) -> Result<Option<Value>> {
        let lanes = moved.lanes;
        let halves = self.module.types.shaped(Some(2 * lanes), Scalar::Int(32));
        let half = self.module.types.shaped(Some(lanes), Scalar::Int(32));
        let whole = moved
            .value
            .or(moved.old)
            .map(|v| self.reinterpret(v, halves));
        let long = self.function.ty(addresses);
        let mut parts = [None, None];
        for (number, part) in (0..).zip(&mut parts) {
            let of = whole.map(|whole| {
                let numbers: Box<[u32]> = (0..lanes).map(|i| 2 * i + number).collect();
                self.add(Op::Shuffle(numbers), smallvec![whole, whole], half)
            });
            let by = self.bits(long, i64::from(4 * number));
            let at = self.add(Op::Binary(BinaryOp::Add), smallvec![addresses, by], long);
            let moved = Moved {
                value: of.filter(|_| moved.value.is_some()),
                old: of.filter(|_| moved.old.is_some()),
                unit: 4,
                lanes,
            };
            *part = self.by_channels(inst, at, mask, &moved)?;
        }
        let [Some(low), Some(high)] = parts else {
            return Ok(None);
        };
        let numbers: Box<[u32]> = (0..lanes).flat_map(|i| [i, lanes + i]).collect();
        Ok(Some(self.add(
            Op::Shuffle(numbers),
            smallvec![low, high],
            halves,
        )))
    }

    /// A message with a channel for each element. Returns the loaded value, if it is a load.
    fn by_channels(
        &mut self,
        inst: Inst,
        addresses: Value,
        mask: Value,
        moved: &Moved,
    ) -> Result<Option<Value>> {
        let &Moved {
            value,
            old,
            unit,
            lanes,
        } = moved;
        let types = &mut self.module.types;
        let at = types.element(self.function.ty(addresses));
        let local = at == Some(Scalar::Int(32));
        let (byte, dword) = (Scalar::Int(8), Scalar::Int(32));
        let units = types.shaped(Some(lanes), Scalar::Int(unit * 8));
        let wide = types.shaped(Some(lanes), dword);
        let small = unit < 4;
        let sent = match (small, local) {
            (true, false) => types.shaped(Some(lanes * 4), byte),
            (true, true) => wide,
            _ => units,
        };
        // Blocks of bytes of a channel, as a power of two; of addresses, of elements of the data.
        let blocks = match (local, small) {
            (false, false) => 0,
            _ => unit.trailing_zeros(),
        };
        let blocks = self.function.bits(Types::I32, blocks.into());
        let word = self.module.types.int(16);
        let (scale, zero) = (
            self.function.bits(word, 0),
            self.function.bits(Types::I32, 0),
        );
        let surface = self.function.bits(Types::I32, LOCAL_SURFACE);
        let mut data = match value.or(old) {
            Some(value) if !self.function.is_undef(value) => {
                let mut data = self.reinterpret(value, units);
                if small {
                    data = self.add(Op::Cast(CastOp::ZExt), smallvec![data], wide);
                    data = self.reinterpret(data, sent);
                }
                data
            }
            _ => self.function.constant(sent, Const::Undef),
        };
        let name = match (value.is_some(), local) {
            (true, true) => "genx.scatter.scaled",
            (true, false) => "genx.svm.scatter",
            (false, true) => "genx.gather.scaled",
            (false, false) => "genx.svm.gather",
        };
        let op = self.intrinsic(inst, name)?;
        let args = match local {
            true => smallvec![mask, blocks, scale, surface, zero, addresses, data],
            false => smallvec![mask, blocks, addresses, data],
        };
        if value.is_some() {
            self.add(op, args, Types::VOID);
            return Ok(None);
        }
        data = self.add(op, args, sent);
        if small {
            data = self.reinterpret(data, wide);
            data = self.add(Op::Cast(CastOp::Trunc), smallvec![data], units);
        }
        Ok(Some(data))
    }
}

/// Elements that a message with a channel for each moves.
struct Moved {
    /// The stored value; none for a load.
    value: Option<Value>,
    /// The result of a load for channels that are off.
    old: Option<Value>,
    /// Bytes of an element.
    unit: u32,
    lanes: u32,
}
