//! Replaces indirect moves under a constant predicate by `smov`, whose immediate is the channel mask.
//!
//! Takes wide machine IR in SSA form and leaves equivalent IR. An element that is written to an indexed array in
//! registers has its own address, so that the elements of a vector are written one by one, each under a flag with
//! one bit set. `smov` needs no flag.

use cranelift_entity::SecondaryMap;
use kiln_emit::encoding;
use kiln_machine::func::{Block, Class, Function};
use kiln_machine::inst::{Dst, Imm, Inst, Opcode, Reg, Src, VReg};
use kiln_platform::isa::{Op, PredCtrl, Region, Type};

/// Replaces such moves by `smov`. [`super::dead`] removes unused flags.
pub fn run(func: &mut Function) {
    if !encoding::has(Op::Smov, func.target) {
        return;
    }
    let mut insts = func.blocks.values().flat_map(|data| &data.insts);
    if !insts.any(is_scattered) {
        return;
    }
    let mut constants: SecondaryMap<VReg, Option<Bits>> = SecondaryMap::new();
    let blocks: Vec<Block> = func.blocks.keys().collect();
    for data in func.blocks.values() {
        for inst in &data.insts {
            if let Some((flag, bits)) = constant(func, inst) {
                constants[flag] = Some(bits);
            }
        }
    }
    for block in blocks {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut new = Vec::with_capacity(insts.len());
        // The last constant that was written to a register, since `smov` has one immediate only.
        let mut last: Option<(Imm, VReg)> = None;
        for mut inst in insts {
            let flag = inst.pred.and_then(|pred| pred.flag.as_virt());
            let bits = flag.and_then(|flag| constants[flag]);
            let bits = bits.and_then(|bits| bits.of(inst.chan_off, inst.exec_size));
            if let Some(bits) = bits.filter(|_| is_scattered(&inst)) {
                if let Src::Imm(imm) = inst.srcs[0] {
                    let known = last.filter(|&(other, _)| other == imm).map(|(_, v)| v);
                    let v = known.unwrap_or_else(|| {
                        let v = func.grf(imm.ty.bytes());
                        let mut mov = Inst::no_mask(Op::Mov, 1);
                        mov.dst = Some(Dst::new(Reg::virt(v, 0), 1, imm.ty));
                        mov.srcs.push(Src::Imm(imm));
                        mov.origin = inst.origin;
                        new.push(mov);
                        v
                    });
                    last = Some((imm, v));
                    inst.srcs[0] = Src::scalar(Reg::virt(v, 0), imm.ty);
                }
                if let Src::Reg(r) = &mut inst.srcs[0] {
                    r.region = Region::SCALAR;
                }
                inst.op = Opcode::Gen(Op::Smov);
                inst.pred = None;
                inst.srcs.push(Src::imm(Type::Uw, bits));
            }
            new.push(inst);
        }
        func.blocks[block].insts = new;
    }
}

/// Known bits of a flag: those in the mask have the value's.
#[derive(Clone, Copy)]
struct Bits {
    value: u64,
    known: u64,
}

impl Bits {
    /// The bits of `channels` channels from `first` on, if all are known.
    fn of(self, first: u8, channels: u8) -> Option<u64> {
        let mask = u64::MAX >> (64 - u32::from(channels));
        (self.known >> first & mask == mask).then_some(self.value >> first & mask)
    }
}

/// The flag, or part of one, that an instruction sets to a constant.
fn constant(func: &Function, inst: &Inst) -> Option<(VReg, Bits)> {
    let dst = inst.dst.as_ref()?;
    let &[Src::Imm(bits)] = &inst.srcs[..] else {
        return None;
    };
    let flag = dst.reg.as_virt()?;
    let plain = inst.op == Op::Mov
        && inst.opts.no_mask
        && inst.exec_size == 1
        && inst.is_bare()
        && dst.indirect.is_none()
        && func.regs[flag].class == Class::Flag
        && !bits.ty.is_float();
    if !plain {
        return None;
    }
    let mask = u64::MAX >> (64 - 8 * dst.ty.bytes());
    let first = 8 * dst.reg.byte();
    let bits = Bits {
        value: (bits.bits() & mask) << first,
        known: mask << first,
    };
    Some((flag, bits))
}

/// True if a move under a predicate may become an `smov`: it copies 16 or 32 bits unchanged to an indirect
/// destination.
fn is_scattered(inst: &Inst) -> bool {
    let (Some(pred), Some(dst), [src]) = (&inst.pred, &inst.dst, &inst.srcs[..]) else {
        return false;
    };
    let one = match src {
        Src::Imm(imm) => !matches!(imm.ty, Type::V | Type::Uv | Type::Vf),
        Src::Reg(r) => {
            r.indirect.is_none()
                && r.reg.as_virt().is_some()
                && r.region.vstride.is_some()
                && r.step(inst.exec_size.into()) == Some(0)
                && !src.has_modifier()
        }
    };
    inst.op == Op::Mov
        && inst.exec_size <= 16
        && inst.cond.is_none()
        && !inst.opts.saturate
        && !inst.opts.acc_wr_en
        && inst.symbol.is_none()
        && !pred.inverse
        && pred.ctrl == PredCtrl::Normal
        && dst.indirect.is_some()
        && dst.hstride == 1
        && matches!(dst.ty.bytes(), 2 | 4)
        && src.ty() == dst.ty
        && one
}
