//! Integer products whose second source was read by another region just before: the multiplier may take the stale one.

use super::general;
use crate::assemble::Program;
use crate::insert;
use crate::inst::{Dst, Inst, Op, Place, Reg, Region, Src, SrcReg, Type};
use crate::platform::Platform;

/// Operations of one multiplier, of which a source may be taken for that of the operation before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Product,
    HighProduct,
    Other,
}

/// An operation of the integer pipeline, and its second source if that is in general registers.
struct Read {
    kind: Kind,
    /// Numbers of the source's registers; empty if there are none.
    registers: std::ops::Range<u32>,
    /// True if the source lies as the destination does.
    is_flat: bool,
}

impl Read {
    fn of(inst: &Inst, platform: &Platform) -> Read {
        let source = second(inst);
        Read {
            kind: kind(inst.op),
            registers: source.map_or(0..0, |source| registers(inst, source, platform)),
            is_flat: source.is_some_and(|source| lies_as_destination(inst, source)),
        }
    }

    /// True if the multiplier may take the source of the operation before for its own.
    fn may_be_stale(&self, before: &Read) -> bool {
        let (old, new) = (&before.registers, &self.registers);
        let shared = old.start.max(new.start) < old.end.min(new.end);
        let changed = before.kind == self.kind && self.kind != Kind::Other && !before.is_flat;
        let began = (before.kind, self.kind) == (Kind::Other, Kind::HighProduct);
        shared && self.is_flat && (changed || began)
    }
}

/// Puts a sum into null before a product whose second source, which lies as the destination does, shares a register with
/// that of the integer operation before, if that does not lie so or is no product.
pub(super) fn separate(program: &mut Program, platform: &Platform) {
    let mut before: Option<Read> = None;
    for block in &mut program.blocks {
        let mut sums = Vec::new();
        for (at, inst) in block
            .iter()
            .enumerate()
            .filter(|(_, inst)| is_integer(inst))
        {
            let read = Read::of(inst, platform);
            if before.is_some_and(|before| read.may_be_stale(&before)) {
                sums.push((at, sum()));
            }
            before = Some(read);
        }
        insert::all(block, &mut sums);
    }
}

fn kind(op: Op) -> Kind {
    match op {
        Op::Mul | Op::Mac => Kind::Product,
        Op::Mach | Op::Macl => Kind::HighProduct,
        _ => Kind::Other,
    }
}

/// True for an operation of the integer pipeline.
fn is_integer(inst: &Inst) -> bool {
    let of = |ty: Type| !ty.is_float() && ty.bytes() <= 8;
    let sends = inst.op.is_send() || inst.op.is_systolic() || inst.op.is_branch();
    !sends
        && !matches!(inst.op, Op::Math(_) | Op::Sync(_))
        && inst.dst.is_some_and(|dst| of(dst.ty))
}

fn second(inst: &Inst) -> Option<SrcReg> {
    match inst.srcs.get(1)? {
        Src::Reg(src) if matches!(src.place, Place::Direct(reg) if general(reg)) => Some(*src),
        _ => None,
    }
}

/// Numbers of a source's registers; where elements are not linear, those that an operand may span.
fn registers(inst: &Inst, src: SrcReg, platform: &Platform) -> std::ops::Range<u32> {
    let reg = match src.place {
        Place::Direct(reg) => reg,
        Place::Indirect { addr, .. } => addr,
    };
    let bytes = match stride(inst, src) {
        Some(stride) => (u32::from(inst.exec_size) - 1) * stride + src.ty.bytes(),
        None => 2 * platform.grf_bytes - u32::from(reg.byte),
    };
    reg.num..reg.num + (u32::from(reg.byte) + bytes).div_ceil(platform.grf_bytes)
}

/// Bytes between the elements of a source, if they are linear.
fn stride(inst: &Inst, src: SrcReg) -> Option<u32> {
    let Region {
        vstride,
        width,
        hstride,
    } = src.region;
    let (vstride, width, hstride) = (u32::from(vstride?), u32::from(width), u32::from(hstride));
    let elements = match width {
        0 | 1 => vstride,
        _ if width >= inst.exec_size.into() || vstride == width * hstride => hstride,
        _ => return None,
    };
    Some(elements * src.ty.bytes())
}

fn lies_as_destination(inst: &Inst, src: SrcReg) -> bool {
    let (Some(dst), Place::Direct(from)) = (inst.dst, src.place) else {
        return false;
    };
    let Place::Direct(to) = dst.place else {
        return false;
    };
    stride(inst, src) == Some(u32::from(dst.hstride) * dst.ty.bytes()) && from.byte == to.byte
}

/// A sum that nothing reads.
fn sum() -> Inst {
    let mut add = Inst::new(Op::Add, 1);
    add.no_mask = true;
    add.dst = Some(Dst::new(Reg::NULL, 1, Type::Uw));
    add.srcs.push(Src::reg(Reg::NULL, Region::SCALAR, Type::Uw));
    add.srcs.push(Src::imm(Type::Uw, 0));
    add
}
