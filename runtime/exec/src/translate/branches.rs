//! Branches: the channels that go on, those that wait, and where.
//!
//! Takes the branches whose targets are known. Where all channels stay together the code jumps; where some of them leave,
//! it stores where they will continue; where none is left, it compares where all of them wait with the next operation.

use std::mem::offset_of;

use iced_x86::code_asm::{CodeLabel, eax, ecx, edx, esi};
use iced_x86::{Code, Register};
use kiln_emit::inst::Op;

use super::asm::{Done, Length, THREAD, at};
use super::blocks::Lanes;
use super::codes;
use super::emitter::{Emitter, Part};
use super::held::{HOLDS, TEMPS};
use super::masks::takes_channels;
use super::windows::place;
use crate::code::operation::{Base, Goto, Jump, Operation};
use crate::state::lanes::low_mask;
use crate::state::thread::{File, Thread};

/// The channels of a branch that leave.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaving {
    All,
    Taken,
    NotTaken,
}

/// A branch after which channels wait at one place while the others go on.
struct Departure {
    leaving: Leaving,
    /// The operation at which the leaving channels wait.
    to: u32,
    /// The operation where code goes on if no channel does at the next one.
    jump: u32,
}

impl Emitter<'_> {
    pub fn branch(&mut self, op: &Operation) -> Done {
        if !takes_channels(op) {
            return self.give_up();
        }
        let target = |jump: Jump| match jump {
            Jump::To(index) => Some(index),
            Jump::None | Jump::Dynamic => None,
        };
        let (jip, uip) = (target(op.jip), target(op.uip));
        self.leave_windows()?;
        let after = self.index + 1;
        let Some(next) = self.target(after) else {
            return self.give_up();
        };
        let depart = |leaving, to, jump| Departure { leaving, to, jump };
        match (op.op, jip, uip) {
            (Op::Jmpi, Some(jip), _) => self.jump(op, jip, next),
            (Op::Endif | Op::Join, Some(jip), _) if op.pred.is_none() => {
                let Some(jump) = self.target(jip) else {
                    return self.give_up();
                };
                let active = at(THREAD, offset_of!(Thread, active));
                self.asm.plain(Code::Cmp_rm32_imm8, active, 0i32)?;
                self.asm.a.jne(next)?;
                self.fall_or_jump(next, jump)
            }
            (Op::While, Some(jip), _) => self.repeat(op, (jip, next), after),
            (Op::Goto, Some(jip), Some(uip)) if op.goto == Goto::Back && op.lost.is_none() => {
                let Some(stay) = self.target(jip) else {
                    return self.give_up();
                };
                self.repeat(op, (uip, stay), jip)
            }
            _ if op.lost.is_some() => self.give_up(),
            (Op::If, Some(jip), _) => self.depart(op, depart(Leaving::NotTaken, jip, jip), next),
            (Op::Else, Some(jip), _) => {
                let end = match op.uip {
                    Jump::None => Some(jip),
                    _ => uip,
                };
                match end {
                    Some(end) => self.depart(op, depart(Leaving::All, end, jip), next),
                    None => self.give_up(),
                }
            }
            (Op::Break | Op::Cont | Op::Halt | Op::Brc, Some(jip), Some(uip)) => {
                self.depart(op, depart(Leaving::Taken, uip, jip), next)
            }
            (Op::Goto, Some(jip), Some(uip)) => match op.goto {
                Goto::IfTrue => self.depart(op, depart(Leaving::Taken, uip, jip), next),
                Goto::IfFalse => self.depart(op, depart(Leaving::NotTaken, uip, jip), next),
                Goto::Back => self.give_up(),
            },
            _ => self.give_up(),
        }
    }

    /// `wait` for a notification that is there; what follows is for one that is not.
    pub fn wait(&mut self, op: &Operation) -> Done {
        let size = File::Notification.bytes(self.program.platform());
        let (Base::File { file, at: from }, Some(next)) =
            (&op.srcs[0].base, self.target(self.index + 1))
        else {
            return Ok(());
        };
        let from = usize::from(*from);
        if *file != File::Notification || from + 4 > size || op.pred.is_some() {
            return Ok(());
        }
        let count = at(THREAD, place(File::Notification, from));
        self.forget_all()?;
        self.asm.plain(Code::Mov_r32_rm32, Register::EAX, count)?;
        let mut none = self.asm.label();
        self.asm.a.sub(eax, 1i32)?;
        self.asm.a.jb(none)?;
        self.asm.plain(Code::Mov_rm32_r32, count, Register::EAX)?;
        self.asm.a.jmp(next)?;
        self.asm.place(&mut none)
    }

    /// Lets the interpreter decide; it counts the channels, too.
    fn give_up(&mut self) -> Done {
        self.note_called();
        self.end_block()
    }

    /// The mask of a branch in `edx`, and the channels that take it in `ecx`.
    fn taken(&mut self, op: &Operation) -> Done {
        let whole = Part {
            first: 0,
            lanes: op.lanes,
        };
        if op.pred.is_some() {
            self.predicate(op, whole)?;
            self.asm.a.mov(ecx, eax)?;
        }
        match op.ungated {
            0 => self.active(op.chan_off, op.lanes)?,
            _ => self.asm.a.mov(eax, op.mask)?,
        }
        if op.mask != low_mask(op.lanes.into()) {
            self.asm.a.and(eax, op.mask as i32)?;
        }
        self.asm.a.mov(edx, eax)?;
        match op.pred {
            Some(_) => self.asm.a.and(ecx, edx),
            None => self.asm.a.mov(ecx, edx),
        }
    }

    /// Counts the channels in `ecx` of a branch with a predicate. `eax` is overwritten.
    fn count_taken(&mut self) -> Done {
        let Some(Lanes::Own(counter)) = self.blocks.lanes.get(self.index as usize).copied() else {
            return Ok(());
        };
        self.asm.a.popcnt(eax, ecx)?;
        self.add_to_counter(counter, Register::RAX)
    }

    /// `jmpi`: all go if any does.
    fn jump(&mut self, op: &Operation, to: u32, next: CodeLabel) -> Done {
        let Some(to) = self.target(to) else {
            return self.give_up();
        };
        if op.pred.is_none() && op.ungated != 0 {
            return self.asm.a.jmp(to);
        }
        self.taken(op)?;
        self.count_taken()?;
        self.asm.a.test(ecx, ecx)?;
        self.asm.a.jnz(to)?;
        self.asm.a.jmp(next)
    }

    /// `while`, and `goto` back: those that take it go to `jump`, the others wait at `to`; if none does, all go on at
    /// `stay`.
    fn repeat(&mut self, op: &Operation, (jump, stay): (u32, CodeLabel), to: u32) -> Done {
        let Some(jump) = self.target(jump) else {
            return self.give_up();
        };
        self.taken(op)?;
        self.count_taken()?;
        self.asm.a.test(ecx, ecx)?;
        self.asm.a.jz(stay)?;
        // The channels that leave.
        self.asm.a.andn(eax, ecx, edx)?;
        self.asm.a.jz(jump)?;
        self.suspend(op, to)?;
        self.asm.a.jmp(jump)
    }

    /// Channels leave; the others go on at `next`, if there are any.
    fn depart(&mut self, op: &Operation, departure: Departure, next: CodeLabel) -> Done {
        let Some(jump) = self.target(departure.jump) else {
            return self.give_up();
        };
        self.taken(op)?;
        match departure.leaving {
            Leaving::All => {}
            Leaving::Taken => self.asm.a.mov(edx, ecx)?,
            Leaving::NotTaken => self.asm.a.andn(edx, ecx, edx)?,
        }
        if op.pred.is_some() {
            self.count_taken()?;
        }
        self.asm.a.mov(eax, edx)?;
        if op.chan_off != 0 {
            self.asm.a.shl(eax, u32::from(op.chan_off))?;
        }
        let active = at(THREAD, offset_of!(Thread, active));
        self.asm.plain(Code::Mov_r32_rm32, Register::ESI, active)?;
        self.asm.a.andn(esi, eax, esi)?;
        let mut none = self.asm.label();
        self.asm.a.jz(none)?;
        self.asm.a.test(eax, eax)?;
        self.asm.a.jz(next)?;
        self.store_wake(departure.to)?;
        self.asm.a.jmp(next)?;
        self.asm.place(&mut none)?;
        self.store_wake(departure.to)?;
        self.fall_or_jump(next, jump)
    }

    /// No channel is active: goes on at the next operation if one waits for it, else at the jump's target.
    fn fall_or_jump(&mut self, next: CodeLabel, jump: CodeLabel) -> Done {
        self.waiting_for(self.index + 1)?;
        self.asm.a.jnz(next)?;
        self.asm.a.jmp(jump)
    }

    /// Makes the channels of `eax`, counted from the operation's first, wait.
    fn suspend(&mut self, op: &Operation, to: u32) -> Done {
        if op.chan_off != 0 {
            self.asm.a.shl(eax, u32::from(op.chan_off))?;
        }
        let active = at(THREAD, offset_of!(Thread, active));
        self.asm.plain(Code::Mov_r32_rm32, Register::ESI, active)?;
        self.asm.a.andn(esi, eax, esi)?;
        self.store_wake(to)
    }

    /// Makes the channels of `eax` wait for an operation. `esi` has those that stay active.
    fn store_wake(&mut self, to: u32) -> Done {
        let field = |offset| at(THREAD, offset);
        let active = field(offset_of!(Thread, active));
        self.asm.plain(Code::Mov_rm32_r32, active, Register::ESI)?;
        let waiting = field(offset_of!(Thread, waiting));
        self.asm.plain(Code::Or_rm32_r32, waiting, Register::EAX)?;
        let to = self.asm.dword(to);
        self.asm.broadcast(TEMPS[0], to, 4)?;
        for half in 0..2 {
            self.asm
                .plain(Code::VEX_Kmovw_kr_r32, HOLDS, Register::EAX)?;
            let wake = field(offset_of!(Thread, wake) + half * 64);
            self.asm
                .store_masked(codes::STOREU32, Length::Z, wake, Some(HOLDS), TEMPS[0])?;
            self.asm.a.shr(eax, 16u32)?;
        }
        Ok(())
    }
}
