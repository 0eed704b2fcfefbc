//! Forwards values through registers outside of allocation: store-to-load forwarding and removal of redundant
//! stores.
//!
//! Takes wide machine IR in SSA form and leaves equivalent IR. Variables whose address is taken have fixed
//! registers, and vISA code copies whole arrays of them to change one element. Within a block, a fixed register
//! that a move read or wrote holds the move's value until the next write to it. A later read becomes a copy of that
//! value; a later write of the same value is removed.
//!
//! A move under a mask defines its own channels only, so only moves of the same channels are compared. A write
//! through an address register may change any fixed register.

use std::collections::VecDeque;
use std::ops::Range;

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use kiln_machine::func::{Class, Function};
use kiln_machine::inst::{Inst, Old, Reg, Src, SrcReg, VReg};
use kiln_platform::isa::{Op, RegFile, SrcMod, Type};

/// Maximum number of fixed registers whose contents are known at a time.
const MAX_KNOWN: usize = 64;

/// The contents of a fixed register, for the channels of one move.
struct Held {
    at: Range<u32>,
    channels: (u8, u8, bool),
    bytes: u32,
    value: Reg,
}

/// Replaces reads of known contents by copies, and removes writes of known contents. [`super::copies`] removes the
/// copies.
pub fn run(func: &mut Function) {
    if func.reserved.is_empty() {
        return;
    }
    let grf = func.target.grf_bytes;
    // For each register that is a repeated read: the register that it is a copy of.
    let mut same: SecondaryMap<VReg, PackedOption<VReg>> = SecondaryMap::new();
    for block in func.blocks.keys().collect::<Vec<_>>() {
        let mut held: VecDeque<Held> = VecDeque::new();
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain_mut(|inst| {
            let Some(transfer) = transfer(func, inst) else {
                forget(func, inst, &mut held);
                return true;
            };
            let channels = (inst.exec_size, inst.chan_off, inst.opts.no_mask);
            let (bytes, value) = (transfer.element_bytes, transfer.value);
            let span = u32::from(inst.exec_size) * bytes;
            let Some(start) = byte_of(transfer.fixed, grf) else {
                return true;
            };
            let at = start..start + span;
            let value = match value.as_virt().and_then(|v| same[v].expand()) {
                Some(v) => Reg::virt(v, value.byte()),
                None => value,
            };
            let known = held
                .iter()
                .find(|h| (&h.at, h.channels, h.bytes) == (&at, channels, bytes));
            if transfer.reads_fixed {
                if let Some(known) = known {
                    let (a, b) = (known.value, value);
                    if let (Some(a), Some(b), 0, 0) = (a.as_virt(), b.as_virt(), a.byte(), b.byte())
                    {
                        same[b] = a.into();
                    }
                    if let Src::Reg(src) = &mut inst.srcs[0] {
                        src.reg = a;
                    }
                    return true;
                }
            } else {
                if known.is_some_and(|known| known.value == value) {
                    return false;
                }
                held.retain(|h| h.at.end <= at.start || at.end <= h.at.start);
            }
            if held.len() == MAX_KNOWN {
                held.pop_front();
            }
            held.push_back(Held {
                at,
                channels,
                bytes,
                value,
            });
            true
        });
        func.blocks[block].insts = insts;
    }
}

/// The offset of a fixed register in the register file, in bytes.
fn byte_of(reg: Reg, grf: u32) -> Option<u32> {
    match reg.as_phys()? {
        (RegFile::Grf, number) => Some(u32::from(number) * grf + reg.byte()),
        _ => None,
    }
}

/// Drops the contents that an instruction may overwrite.
fn forget(func: &Function, inst: &Inst, held: &mut VecDeque<Held>) {
    let Some(dst) = inst.dst else {
        if inst.is_call() {
            held.clear();
        }
        return;
    };
    let fixed = byte_of(dst.reg, func.target.grf_bytes);
    if inst.is_call() || dst.indirect.is_some() || fixed.is_some() && !inst.is_by_channel() {
        held.clear();
    } else if let Some(start) = fixed {
        let end = start + dst.span(inst.exec_size);
        held.retain(|h| h.at.end <= start || end <= h.at.start);
    }
}

/// A move of consecutive elements between a fixed register and a virtual one.
struct Transfer {
    /// True if the source is the fixed register.
    reads_fixed: bool,
    fixed: Reg,
    value: Reg,
    element_bytes: u32,
}

fn transfer(func: &Function, inst: &Inst) -> Option<Transfer> {
    let dst = inst.dst.as_ref()?;
    let &[Src::Reg(src)] = &inst.srcs[..] else {
        return None;
    };
    let n = u32::from(inst.exec_size);
    let packed = |src: &SrcReg| (0..n).all(|lane| src.element(lane) == lane * src.ty.bytes());
    let integers = |ty: Type| !ty.is_float();
    let plain = inst.op == Op::Mov
        && inst.is_bare()
        && dst.indirect.is_none()
        && dst.hstride == 1
        && src.indirect.is_none()
        && src.region.vstride.is_some()
        && src.modifier == SrcMod::default()
        && (src.ty == dst.ty
            || src.ty.bytes() == dst.ty.bytes() && integers(src.ty) && integers(dst.ty))
        && packed(&src);
    let general = |reg: Reg| {
        reg.as_virt()
            .is_some_and(|v| func.regs[v].class == Class::Grf)
    };
    let read = match (src.reg.as_phys(), dst.reg.as_phys()) {
        (Some((RegFile::Grf, _)), None) => general(dst.reg) && dst.old == Old::None,
        (None, Some((RegFile::Grf, _))) => general(src.reg),
        _ => return None,
    };
    let reads_fixed = src.reg.as_phys().is_some();
    let (fixed, value) = match reads_fixed {
        true => (src.reg, dst.reg),
        false => (dst.reg, src.reg),
    };
    let number = fixed.as_phys().map_or(0, |(_, number)| u32::from(number));
    let outside = func.reserved.iter().any(|range| range.contains(&number));
    (plain && read && outside).then(|| Transfer {
        reads_fixed,
        fixed,
        value,
        element_bytes: dst.ty.bytes(),
    })
}
