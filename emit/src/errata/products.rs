//! Integer products whose second source was read by another region just before: the multiplier may take the stale one.

use super::general;
use crate::assemble::Program;
use crate::inst::{Dst, Inst, Op, Place, Reg, Region, Src, SrcReg, Type};
use crate::platform::Platform;

/// Operations of one multiplier, of which a source may be taken for that of the operation before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Product,
    HighProduct,
    Other,
}

/// Puts a sum into null before a product whose second source, which lies as the destination does, shares a register with
/// that of the integer operation before, if that does not lie so or is no product.
pub(super) fn separate(program: &mut Program, platform: &Platform) {
    let mut before: Option<Inst> = None;
    for block in &mut program.blocks {
        let mut at = 0;
        while let Some(inst) = block.get(at).cloned() {
            at += 1;
            if !is_integer(&inst) {
                continue;
            }
            let stale = before
                .as_ref()
                .is_some_and(|before| may_be_stale(before, &inst, platform));
            before = Some(inst);
            if stale {
                block.insert(at - 1, sum());
                at += 1;
            }
        }
    }
}

fn may_be_stale(before: &Inst, inst: &Inst, platform: &Platform) -> bool {
    let (Some(old), Some(new)) = (second(before), second(inst)) else {
        return false;
    };
    let kinds = (kind(before.op), kind(inst.op));
    let shared = registers(before, old, platform)
        .any(|reg| registers(inst, new, platform).any(|other| other == reg));
    let flat = lies_as_destination(inst, new);
    let changed = kinds.0 == kinds.1 && kinds.0 != Kind::Other && !lies_as_destination(before, old);
    let began = kinds == (Kind::Other, Kind::HighProduct);
    shared && flat && (changed || began)
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

/// Numbers of the registers of a source with linear elements.
fn registers(inst: &Inst, src: SrcReg, platform: &Platform) -> std::ops::RangeInclusive<u32> {
    let reg = match src.place {
        Place::Direct(reg) => reg,
        Place::Indirect { addr, .. } => addr,
    };
    let bytes = match stride(inst, src) {
        Some(stride) => (u32::from(inst.exec_size) - 1) * stride + src.ty.bytes(),
        None => 2 * platform.grf_bytes - u32::from(reg.byte),
    };
    reg.num..=reg.num + (u32::from(reg.byte) + bytes - 1) / platform.grf_bytes
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
