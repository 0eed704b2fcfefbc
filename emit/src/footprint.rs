//! The bytes of general registers that an instruction reads and writes.
//!
//! Takes decoded instructions of any platform. Indirect operands are unknown and left out. A message whose length is
//! in a register is assumed to have one register.

use smallvec::SmallVec;

use crate::inst::{Desc, Dst, Inst, MathFn, Op, Place, Reg, RegFile, Src, SrcReg, Systolic, Type};
use crate::messages::{Descriptors, second_beside_descriptor};
use crate::platform::Platform;

/// A set of bytes of general registers: register numbers, with a bit for each byte.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bytes(SmallVec<[(u16, u64); 4]>);

impl Bytes {
    pub(crate) fn meets(&self, other: &Bytes) -> bool {
        let of = |register| other.0.iter().filter(move |(r, _)| *r == register);
        (self.0.iter()).any(|&(register, bytes)| of(register).any(|(_, b)| b & bytes != 0))
    }

    /// True if it contains all of the others.
    pub(crate) fn cover(&self, other: &Bytes) -> bool {
        let of = |register| self.0.iter().filter(move |(r, _)| *r == register);
        let all = |register| of(register).fold(0, |all, (_, bytes)| all | bytes);
        (other.0.iter()).all(|&(register, bytes)| all(register) & bytes == bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Register numbers, possibly repeated.
    pub(crate) fn registers(&self) -> impl Iterator<Item = u16> {
        self.0.iter().map(|(register, _)| *register)
    }

    /// Register numbers with a bit for each byte, possibly repeated.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (u16, u64)> {
        self.0.iter().copied()
    }

    /// Adds `size` bytes of the register file, starting at a byte.
    #[inline]
    fn add(&mut self, at: u32, size: u32, grf_bytes: u32) {
        let first = at % grf_bytes;
        // Common case: one register.
        if (1..=grf_bytes - first).contains(&size) {
            return self.add_bytes(at / grf_bytes, u64::MAX >> (64 - size) << first);
        }
        let (mut at, end) = (at, at.saturating_add(size));
        while at < end {
            let first = at % grf_bytes;
            let count = (end - at).min(grf_bytes - first);
            self.add_bytes(at / grf_bytes, u64::MAX >> (64 - count) << first);
            at += count;
        }
    }

    /// Adds elements of `size` bytes, `step` bytes apart.
    fn add_elements(&mut self, start: u32, step: u32, count: u32, size: u32, grf_bytes: u32) {
        if step <= size {
            let apart = count.saturating_sub(1) * step;
            return self.add(start, apart + size, grf_bytes);
        }
        let (mut at, mut left) = (start, count);
        while left > 0 {
            // Elements that begin in a register, the last of which may end in the next one.
            let first = at % grf_bytes;
            let here = (grf_bytes - first).div_ceil(step).min(left);
            let mut elements = (1 << size) - 1;
            let mut known = 1;
            while known < here {
                elements |= elements << (known * step);
                known *= 2;
            }
            let length = (here - 1) * step + size;
            let elements: u128 = elements << first & (u128::MAX >> (128 - first - length));
            let register = at / grf_bytes;
            let bytes = elements as u64 & (u64::MAX >> (64 - grf_bytes));
            self.add_bytes(register, bytes);
            let rest = (elements >> grf_bytes) as u64;
            if rest != 0 {
                self.add_bytes(register + 1, rest);
            }
            at += here * step;
            left -= here;
        }
    }

    fn add_bytes(&mut self, register: u32, added: u64) {
        match self.0.last_mut() {
            Some((last, bytes)) if u32::from(*last) == register => *bytes |= added,
            _ => self.0.push((register as u16, added)),
        }
    }

    /// Adds whole registers.
    fn add_registers(&mut self, first: u32, count: u32, grf_bytes: u32) {
        let all = u64::MAX >> (64 - grf_bytes);
        let registers = first..first.saturating_add(count);
        self.0.extend(registers.map(|r| (r as u16, all)));
    }
}

/// The bytes that an instruction reads and writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Footprint {
    /// Bytes read, by operand.
    pub reads: SmallVec<[Bytes; 3]>,
    pub writes: Bytes,
}

/// All bytes of registers.
pub(crate) fn registers(first: u32, count: u32, grf_bytes: u32) -> Bytes {
    let mut bytes = Bytes::default();
    bytes.add_registers(first, count, grf_bytes);
    bytes
}

/// The footprint of an instruction.
pub(crate) fn of(inst: &Inst, platform: &Platform) -> Footprint {
    let operands = Operands { platform };
    let mut reads = SmallVec::new();
    operands.add_reads(inst, &mut reads);
    Footprint {
        reads,
        writes: operands.writes(inst),
    }
}

/// The bytes that an instruction writes.
pub(crate) fn writes(inst: &Inst, platform: &Platform) -> Bytes {
    Operands { platform }.writes(inst)
}

struct Operands<'a> {
    platform: &'a Platform,
}

impl Operands<'_> {
    fn add_reads(&self, inst: &Inst, reads: &mut SmallVec<[Bytes; 3]>) {
        if inst.op.is_send() {
            return self.add_payloads(inst, reads);
        }
        if let Op::Dpas(shape) | Op::Dpasw(shape) = inst.op {
            return self.add_matrices(inst, shape, reads);
        }
        // A move of an element to null may read anything: compilers use it to keep a register from being reused, and
        // to wait for a fence by reading its response.
        let nowhere = inst
            .dst
            .is_some_and(|dst| matches!(dst.place, Place::Direct(reg) if reg.is_null()));
        if inst.op == Op::Mov && nowhere && inst.cond.is_none() && inst.exec_size == 1 {
            return;
        }
        for src in &inst.srcs {
            if let Src::Reg(src) = src {
                reads.push(self.source(inst, src));
            }
        }
    }

    fn writes(&self, inst: &Inst) -> Bytes {
        let mut writes = Bytes::default();
        let Some(dst) = &inst.dst else {
            return writes;
        };
        let Some(reg) = general(dst.place) else {
            return writes;
        };
        let grf_bytes = self.platform.grf_bytes;
        match inst.op {
            op if op.is_send() => {
                if let Some(message) = &inst.msg {
                    let family = self.platform.family;
                    let length =
                        Descriptors::of(message).map_or(1, |of| of.response_at_most(family));
                    writes.add_registers(reg.num, length, grf_bytes);
                }
            }
            Op::Dpas(shape) | Op::Dpasw(shape) => {
                writes.add(
                    start_of(reg, grf_bytes),
                    table(inst, shape, dst.ty),
                    grf_bytes,
                );
            }
            _ => self.destination(inst, dst, reg, &mut writes),
        }
        writes
    }

    fn source(&self, inst: &Inst, src: &SrcReg) -> Bytes {
        let grf_bytes = self.platform.grf_bytes;
        let mut reads = Bytes::default();
        let Some(reg) = general(src.place) else {
            return reads;
        };
        let start = start_of(reg, grf_bytes);
        let size = src.ty.bytes();
        let width = u32::from(src.region.width).max(1);
        let (rows, across) = (
            u32::from(src.region.vstride.unwrap_or(0)),
            u32::from(src.region.hstride),
        );
        let lanes = match inst.op {
            op if op.branches_by_register() => 2,
            _ => u32::from(inst.exec_size),
        };
        // The step between all elements, if it is one.
        let step = match width {
            1 => Some(rows),
            width if lanes <= width || rows == width * across => Some(across),
            _ => None,
        };
        match step {
            Some(step) => reads.add_elements(start, step * size, lanes, size, grf_bytes),
            None => {
                for lane in (0..lanes).step_by(width as usize) {
                    let row = start + lane / width * rows * size;
                    let count = width.min(lanes - lane);
                    reads.add_elements(row, across * size, count, size, grf_bytes);
                }
            }
        }
        reads
    }

    fn destination(&self, inst: &Inst, dst: &Dst, reg: Reg, writes: &mut Bytes) {
        let grf_bytes = self.platform.grf_bytes;
        let size = dst.ty.bytes();
        let lanes = match inst.op {
            // The return address and the mask.
            Op::Call | Op::Calla => 2,
            _ => u32::from(inst.exec_size),
        };
        // Results of the math unit in Align16 have no stride.
        let step = u32::from(dst.hstride.max(1)) * size;
        writes.add_elements(start_of(reg, grf_bytes), step, lanes, size, grf_bytes);
        if inst.op == Op::Math(MathFn::Idiv) {
            // The remainder is in the register after the quotient.
            writes.add_registers(reg.num + 1, 1, grf_bytes);
        }
    }

    fn add_payloads(&self, inst: &Inst, reads: &mut SmallVec<[Bytes; 3]>) {
        let Some(message) = &inst.msg else {
            return;
        };
        let part = |desc, low: u32, width: u32| match desc {
            Desc::Imm(bits) => bits >> low & ((1 << width) - 1),
            Desc::Addr { .. } => 1,
        };
        let second = second_beside_descriptor(inst, self.platform.family);
        let lengths = [
            part(message.desc, 25, 4),
            second.unwrap_or_else(|| part(message.ex_desc, 6, 5)),
        ];
        for (src, length) in inst.srcs.iter().zip(lengths) {
            if let Src::Reg(src) = src
                && let Some(reg) = general(src.place)
            {
                reads.push(registers(reg.num, length, self.platform.grf_bytes));
            }
        }
    }

    /// The first source and the result have a row of all channels for each repetition. Where two threads share the
    /// third source, each thread has at most half of its registers.
    fn add_matrices(&self, inst: &Inst, shape: Systolic, reads: &mut SmallVec<[Bytes; 3]>) {
        let grf_bytes = self.platform.grf_bytes;
        let ty = |n: usize| inst.srcs.get(n).map_or(Type::Ud, Src::ty);
        let sources = inst.srcs.iter().enumerate().filter_map(|(n, src)| {
            let Src::Reg(src) = src else { return None };
            let size = match n {
                0 => table(inst, shape, src.ty),
                1 => shape.column_registers(ty(1), ty(2)) * grf_bytes,
                _ => match (inst.op, shape.row_bytes(ty(1), ty(2))) {
                    (Op::Dpasw(_), bytes) => bytes.div_ceil(grf_bytes).div_ceil(2) * grf_bytes,
                    (_, bytes) => bytes,
                },
            };
            let mut bytes = Bytes::default();
            if let Some(reg) = general(src.place) {
                bytes.add(start_of(reg, grf_bytes), size, grf_bytes);
            }
            Some(bytes)
        });
        reads.extend(sources);
    }
}

/// The number of a register's first byte in the register file.
fn start_of(reg: Reg, grf_bytes: u32) -> u32 {
    reg.num * grf_bytes + u32::from(reg.byte)
}

/// Bytes of a row of all channels for each repetition.
fn table(inst: &Inst, shape: Systolic, ty: Type) -> u32 {
    u32::from(inst.exec_size) * ty.bytes() * u32::from(shape.repeat)
}

/// The eight registers from the second source of a systolic operation on.
pub(crate) fn columns(inst: &Inst, platform: &Platform) -> Option<Bytes> {
    let Some(Src::Reg(src)) = inst.srcs.get(1) else {
        return None;
    };
    let first = general(src.place)?.num;
    let count = platform.grf_count.saturating_sub(first).min(8);
    Some(registers(first, count, platform.grf_bytes))
}

/// The general register that an operand starts in.
pub(crate) fn general(place: Place) -> Option<Reg> {
    match place {
        Place::Direct(reg) if reg.file == RegFile::Grf => Some(reg),
        _ => None,
    }
}
