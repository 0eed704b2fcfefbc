//! Execution masks, predicates and flags in mask registers.
//!
//! The active channels do not change within a block. A mask register holds those of a first channel and a width; three
//! of them are kept. Flags stay in the thread: what reads or writes them goes through memory.

use std::mem::offset_of;

use iced_x86::code_asm::{eax, ecx, edx, rax, rcx};
use iced_x86::{Code, IcedError, Register};
use kiln_emit::inst::PredCtrl;

use super::asm::{Done, THREAD, at};
use super::emitter::{Emitter, Part};
use super::held::{ENABLED, KEPT, Kept, Masks, SPREAD};
use super::windows::place;
use crate::code::operation::{Operation, Predicate};
use crate::state::lanes::low_mask;
use crate::state::thread::{File, Thread};

/// Size of the flag registers that predicates are read from, in bits.
const FLAG_BITS: usize = 128;

/// True if all channels of an operation exist, and its predicate has a form that is translated.
pub fn takes_channels(op: &Operation) -> bool {
    u32::from(op.chan_off) + u32::from(op.lanes) <= u32::BITS
        && op.pred.is_none_or(|p| takes(op, &p))
}

fn takes(op: &Operation, pred: &Predicate) -> bool {
    let (first, lanes) = (u32::from(op.chan_off), u32::from(op.lanes));
    let end = usize::from(pred.bit) + usize::from(op.chan_off) + usize::from(op.lanes);
    let one_group = |size: u32| {
        let size = size.clamp(1, 32);
        let start = first / size * size;
        start == (first + lanes - 1) / size * size
            && usize::from(pred.bit) + (start + size) as usize <= FLAG_BITS
    };
    let inside = end <= FLAG_BITS && pred.bit.is_multiple_of(8);
    match pred.ctrl {
        PredCtrl::Normal => inside,
        PredCtrl::Any(size) | PredCtrl::All(size) => inside && one_group(size.into()),
        PredCtrl::AnyChannel | PredCtrl::AllChannels => inside && one_group(lanes),
        PredCtrl::AnyV | PredCtrl::AllV | PredCtrl::Replicate(_) => false,
    }
}

impl Emitter<'_> {
    /// The active channels from a first one on, in `eax`.
    pub fn active(&mut self, first: u8, lanes: u8) -> Done {
        self.active_to(Register::EAX, (first, lanes))
    }

    /// As [`Emitter::active`], in a register of choice.
    pub fn active_to(&mut self, to: Register, (first, lanes): (u8, u8)) -> Done {
        let from = offset_of!(Thread, active);
        let code = match (first % 8, lanes) {
            (0, 8) => Code::Movzx_r32_rm8,
            (0, 16) if first <= 16 => Code::Movzx_r32_rm16,
            _ => {
                self.asm.plain(Code::Mov_r32_rm32, to, at(THREAD, from))?;
                if first != 0 {
                    self.asm.plain(Code::Shr_rm32_imm8, to, u32::from(first))?;
                }
                if lanes < 32 {
                    let mask = low_mask(lanes.into());
                    self.asm.plain(Code::And_rm32_imm32, to, mask)?;
                }
                return Ok(());
            }
        };
        self.asm
            .plain(code, to, at(THREAD, from + usize::from(first) / 8))
    }

    /// Keeps an execution mask that is in a general register, if there is room.
    pub fn keep_mask(&mut self, first: u8, lanes: u8, from: Register) -> Done {
        let kept = &mut self.masks.kept;
        let Some(&k) = KEPT.get(kept.len()) else {
            return Ok(());
        };
        kept.push(Kept { first, lanes, k });
        self.asm.plain(Code::VEX_Kmovd_kr_r32, k, from)
    }

    fn fill_mask(&mut self, kept: Kept) -> Done {
        self.active(kept.first, kept.lanes)?;
        self.asm
            .plain(Code::VEX_Kmovd_kr_r32, kept.k, Register::EAX)
    }

    /// Puts execution masks back to their registers after a call.
    pub fn reload_masks(&mut self, masks: &Masks) -> Done {
        masks.kept.iter().try_for_each(|&kept| self.fill_mask(kept))
    }

    /// The active channels of a part; none if they do not matter.
    pub fn gate(&mut self, op: &Operation, part: Part) -> Result<Option<Register>, IcedError> {
        if op.ungated != 0 {
            return Ok(None);
        }
        let (first, lanes) = (op.chan_off + part.first, part.lanes);
        let kept = &mut self.masks.kept;
        if let Some(found) = kept.iter().find(|m| m.first == first && m.lanes == lanes) {
            return Ok(Some(found.k));
        }
        if kept.len() == KEPT.len() {
            kept.remove(0);
        }
        let free = KEPT.into_iter().find(|&k| kept.iter().all(|m| m.k != k));
        let new = Kept {
            first,
            lanes,
            k: free.unwrap_or(KEPT[0]),
        };
        kept.push(new);
        self.fill_mask(new)?;
        Ok(Some(new.k))
    }

    /// A part's predicate in `eax`; bits beyond its channels are zero.
    pub fn predicate(&mut self, op: &Operation, part: Part) -> Done {
        let Some(pred) = op.pred else { return Ok(()) };
        let start = op.chan_off + part.first;
        let group = |size: u32| {
            let size = size.clamp(1, 32);
            (u32::from(op.chan_off) / size * size, size)
        };
        let first = match pred.ctrl {
            PredCtrl::Any(size) | PredCtrl::All(size) => Some(group(size.into())),
            PredCtrl::AnyChannel | PredCtrl::AllChannels => Some(group(op.lanes.into())),
            _ => None,
        };
        let (from, bits) = first.unwrap_or((start.into(), part.lanes.into()));
        self.flag_bits(usize::from(pred.bit) + from as usize, bits as usize)?;
        let all = low_mask(bits as usize);
        let whole = low_mask(part.lanes.into());
        match (first, pred.ctrl) {
            (None, _) => {
                if pred.inverse {
                    self.asm.a.not(eax)?;
                }
                if part.lanes < 32 {
                    self.asm.a.and(eax, whole as i32)?;
                }
                return Ok(());
            }
            (_, PredCtrl::Any(_) | PredCtrl::AnyChannel) => {
                if bits < 32 {
                    self.asm.a.and(eax, all as i32)?;
                }
                // The carry says that a bit is set.
                self.asm.a.neg(eax)?;
            }
            _ => {
                self.asm.a.not(eax)?;
                if bits < 32 {
                    self.asm.a.and(eax, all as i32)?;
                }
                // The carry says that all bits were set.
                self.asm.a.cmp(eax, 1i32)?;
            }
        }
        self.asm.a.sbb(eax, eax)?;
        if pred.inverse {
            self.asm.a.not(eax)?;
        }
        if part.lanes < 32 {
            self.asm.a.and(eax, whole as i32)?;
        }
        Ok(())
    }

    /// Flag bits from a number on, in `eax`; what is above them is anything.
    fn flag_bits(&mut self, bit: usize, bits: usize) -> Done {
        let (byte, shift) = (place(File::Flag, bit / 8), bit % 8);
        self.flush(byte, 8)?;
        // No more bytes than the bits are in: a longer load waits for a shorter store before it.
        let (code, to) = match shift + bits {
            0..=8 => (Code::Movzx_r32_rm8, Register::EAX),
            9..=16 => (Code::Movzx_r32_rm16, Register::EAX),
            17..=32 => (Code::Mov_r32_rm32, Register::EAX),
            _ => (Code::Mov_r64_rm64, Register::RAX),
        };
        self.asm.plain(code, to, at(THREAD, byte))?;
        match shift {
            0 => Ok(()),
            _ => self.asm.a.shr(rax, shift as u32),
        }
    }

    /// The channels of a part that the operation acts on; none if these are all.
    pub fn enabled(&mut self, op: &Operation, part: Part) -> Result<Option<Register>, IcedError> {
        let gate = self.gate(op, part)?;
        if op.pred.is_none() {
            return Ok(gate);
        }
        self.predicate(op, part)?;
        if let Some(gate) = gate {
            self.asm
                .plain(Code::VEX_Kmovd_r32_kr, Register::ECX, gate)?;
            self.asm.a.and(eax, ecx)?;
        }
        self.asm
            .plain(Code::VEX_Kmovd_kr_r32, ENABLED, Register::EAX)?;
        Ok(Some(ENABLED))
    }

    /// A mask register for a mask that may be all channels of a part.
    pub fn explicit(&mut self, mask: Option<Register>, lanes: u8) -> Result<Register, IcedError> {
        if let Some(k) = mask {
            return Ok(k);
        }
        self.asm.a.mov(eax, low_mask(lanes.into()))?;
        self.asm
            .plain(Code::VEX_Kmovd_kr_r32, ENABLED, Register::EAX)?;
        Ok(ENABLED)
    }

    /// A mask of elements of which every `ratio`-th is a channel's.
    pub fn spread_mask(
        &mut self,
        mask: Option<Register>,
        lanes: u8,
        ratio: usize,
    ) -> Result<Register, IcedError> {
        let mut pattern = 0u64;
        for lane in 0..usize::from(lanes) {
            pattern |= 1 << (lane * ratio);
        }
        match mask {
            None => self.asm.a.mov(rax, pattern)?,
            Some(k) => {
                self.asm.plain(Code::VEX_Kmovd_r32_kr, Register::EAX, k)?;
                self.asm.a.mov(rcx, pattern)?;
                self.asm.a.pdep(rax, rax, rcx)?;
            }
        }
        self.asm
            .plain(Code::VEX_Kmovq_kr_r64, SPREAD, Register::RAX)?;
        Ok(SPREAD)
    }

    /// Sets flags of a part's enabled channels to those of a mask register that has no others.
    pub fn set_flags(
        &mut self,
        op: &Operation,
        part: Part,
        enabled: Option<Register>,
        holds: Register,
    ) -> Done {
        let Some(bit) = op.cond.and_then(|c| c.bit) else {
            return Ok(());
        };
        let bit = usize::from(bit) + usize::from(part.first);
        let (byte, shift) = (place(File::Flag, bit / 8), (bit % 8) as u32);
        self.forget(byte, 4)?;
        let to = at(THREAD, byte);
        if enabled.is_none() && shift == 0 {
            match part.lanes {
                8 => return self.asm.plain(Code::VEX_Kmovb_m8_kr, to, holds),
                16 => return self.asm.plain(Code::VEX_Kmovw_m16_kr, to, holds),
                _ => {}
            }
        }
        self.asm
            .plain(Code::VEX_Kmovd_r32_kr, Register::EAX, holds)?;
        match enabled {
            Some(k) => self.asm.plain(Code::VEX_Kmovd_r32_kr, Register::ECX, k)?,
            None => {
                self.asm.a.mov(ecx, low_mask(part.lanes.into()))?;
                self.asm.a.and(eax, ecx)?;
            }
        }
        if shift != 0 {
            self.asm.a.shl(eax, shift)?;
            self.asm.a.shl(ecx, shift)?;
        }
        let (load, store, new) = match shift + u32::from(part.lanes) {
            0..=8 => (Code::Movzx_r32_rm8, Code::Mov_rm8_r8, Register::DL),
            9..=16 => (Code::Movzx_r32_rm16, Code::Mov_rm16_r16, Register::DX),
            _ => (Code::Mov_r32_rm32, Code::Mov_rm32_r32, Register::EDX),
        };
        self.asm.plain(load, Register::EDX, to)?;
        self.asm.a.andn(edx, ecx, edx)?;
        self.asm.a.or(edx, eax)?;
        self.asm.plain(store, to, new)
    }
}

/// True if flags of an operation have a place that is translated.
pub fn takes_flags(op: &Operation) -> bool {
    let bit = op.cond.and_then(|c| c.bit).map(usize::from);
    // A dword is read and written from the byte of the first flag.
    bit.is_none_or(|bit| bit / 8 * 8 + 32 <= FLAG_BITS && bit % 8 + usize::from(op.lanes) <= 32)
}
