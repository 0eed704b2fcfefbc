//! Computes 32 bits where only the low half of a 64-bit value is used.
//!
//! Takes wide machine IR in SSA form and leaves equivalent IR. vISA code widens indices to 64 bits, multiplies them
//! by an element's size and truncates them to 32 bits. The low bits of sums, left shifts and bitwise operations
//! depend on low bits alone: the operation is repeated on 32 bits where its result is truncated, if the low bits of
//! its sources can be read in place. [`super::dead`] removes the wide operation.

use cranelift_entity::SecondaryMap;
use kiln_machine::func::{Block, Function};
use kiln_machine::inst::{Base, Imm, Inst, Old, Src, SrcReg, VReg};
use kiln_platform::isa::{Op, Region, SrcMod, Type};

/// Bytes of a truncated value.
const LOW_BYTES: u32 = 4;

/// The block and index of the definition of each value's first register.
type Defs = SecondaryMap<VReg, Option<(Block, u32)>>;

/// Replaces truncating moves by operations on low halves.
pub fn run(func: &mut Function) {
    let mut defs: Defs = func.map_of_registers(None);
    for (block, data) in func.blocks.iter() {
        for (n, inst) in data.insts.iter().enumerate() {
            let Some(dst) = inst.dst.filter(|dst| dst.indirect.is_none()) else {
                continue;
            };
            if let Some(&v) = func.registers(&dst.reg.base()).first() {
                defs[v] = Some((block, n as u32));
            }
        }
    }
    for block in func.blocks.keys().collect::<Vec<_>>() {
        for n in 0..func.blocks[block].insts.len() {
            let inst = &func.blocks[block].insts[n];
            if let Some(new) = narrowed(func, &defs, inst) {
                func.blocks[block].insts[n] = new;
            }
        }
    }
}

/// The operation on low halves that gives the result of a truncating move.
fn narrowed(func: &Function, defs: &Defs, inst: &Inst) -> Option<Inst> {
    let dst = inst.dst.as_ref()?;
    let &[Src::Reg(from)] = &inst.srcs[..] else {
        return None;
    };
    if inst.op != Op::Mov
        || !is_plain(inst)
        || !is_integer(dst.ty, LOW_BYTES)
        || !is_integer(from.ty, 8)
    {
        return None;
    }
    let by = whole(func, defs, &from, inst.exec_size)?;
    let low = |n: usize| low_half(func, defs, by.srcs.get(n)?, by.exec_size);
    let shift = |src: &Src| match src {
        Src::Imm(imm) if !imm.ty.is_float() && imm.bits() < 8 * u64::from(LOW_BYTES) => {
            Some(Src::imm(Type::D, imm.bits()))
        }
        _ => None,
    };
    let sources = match by.op {
        op if op == Op::Shl => [low(0)?, shift(by.srcs.get(1)?)?],
        op if op == Op::Add || op == Op::And || op == Op::Or || op == Op::Xor => [low(0)?, low(1)?],
        _ => return None,
    };
    let mut new = *inst;
    new.op = by.op;
    new.srcs = sources.into_iter().collect();
    Some(new)
}

/// The instruction that defines every element that a 64-bit operand reads, in the same order.
fn whole<'a>(func: &'a Function, defs: &Defs, from: &SrcReg, exec_size: u8) -> Option<&'a Inst> {
    let packed = from.indirect.is_none()
        && from.region.vstride.is_some()
        && from.modifier == SrcMod::default()
        && from.is_packed(exec_size);
    let base = from.reg.base();
    let registers = func.registers(&base);
    let (block, at) = defs[*registers.first()?]?;
    let by = &func.blocks[block].insts[at as usize];
    let dst = by.dst?;
    let made = dst.reg.base();
    let same = func.registers(&made) == registers
        && dst.reg.byte() == from.reg.byte()
        && dst.hstride == 1
        && dst.old == Old::None
        && dst.ty.bytes() == from.ty.bytes()
        && !dst.ty.is_float()
        && by.exec_size == exec_size;
    (packed && same && is_plain(by)).then_some(by)
}

/// The low half of a source, if it can be read in place.
fn low_half(func: &Function, defs: &Defs, src: &Src, exec_size: u8) -> Option<Src> {
    let r = match src {
        Src::Imm(imm) => {
            let low = Imm::new(Type::D, imm.bits() & u64::from(u32::MAX));
            let scalar = is_integer(imm.ty, 8) || is_integer(imm.ty, LOW_BYTES);
            return scalar.then_some(Src::Imm(low));
        }
        Src::Reg(r) => r,
    };
    let general = |base: Base| matches!(base, Base::Virt(_) | Base::List(_));
    let direct = r.indirect.is_none() && general(r.reg.base());
    if !direct || r.modifier != SrcMod::default() || r.region.vstride.is_none() {
        return None;
    }
    if is_integer(r.ty, LOW_BYTES) {
        return Some(*src);
    }
    if !is_integer(r.ty, 8) {
        return None;
    }
    if r.step(exec_size.into()) == Some(0) {
        return Some(Src::Reg(SrcReg {
            ty: Type::D,
            region: Region::SCALAR,
            ..*r
        }));
    }
    let by = whole(func, defs, r, exec_size)?;
    let &[Src::Reg(from)] = &by.srcs[..] else {
        return None;
    };
    let widens = by.op == Op::Mov
        && is_integer(from.ty, LOW_BYTES)
        && from.indirect.is_none()
        && general(from.reg.base())
        && from.modifier == SrcMod::default();
    widens.then_some(Src::Reg(from))
}

fn is_integer(ty: Type, bytes: u32) -> bool {
    !ty.is_float() && ty.bytes() == bytes && !matches!(ty, Type::V | Type::Uv)
}

/// True if the instruction has no predicate, condition or saturation, and computes each channel by itself.
fn is_plain(inst: &Inst) -> bool {
    inst.is_by_channel()
        && inst.is_bare()
        && inst
            .dst
            .is_some_and(|dst| dst.indirect.is_none() && dst.mme.is_none())
}
