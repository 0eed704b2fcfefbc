//! Control flow: which channels execute where.
//!
//! The channels of a thread share one instruction pointer. A branch that some channels take leaves
//! them waiting for the pointer to reach where they go on ([`Thread::wake`]); when no channel is
//! left, the pointer moves on to the branch's jump target, which is never beyond the first place
//! where a channel waits (PRM vol. 7, "Execution flow"; vol. 2a, the single instructions).

use kiln_emit::inst::{Inst, Op, Place, RegFile, Src, SrcReg, Target};

use super::alu::{dst_of, src_of};
use super::error::Cause;
use super::machine::{LANES, Status, Thread};
use super::program::Program;

impl Thread {
    /// Lets the channels go on that wait for the instruction pointer to be where it is.
    pub fn wake_channels(&mut self) {
        let mut left = self.waiting;
        while left != 0 {
            let channel = left.trailing_zeros();
            left &= left - 1;
            if self.wake[channel as usize] == self.ip {
                self.waiting &= !(1 << channel);
                self.active |= 1 << channel;
            }
        }
    }

    /// Takes channels out of execution until the pointer reaches `at`.
    fn suspend(&mut self, channels: u32, at: u32) {
        self.active &= !channels;
        self.waiting |= channels;
        for channel in (0..LANES).filter(|c| channels >> c & 1 != 0) {
            self.wake[channel] = at;
        }
    }

    /// Whether a channel will execute at `at` if the pointer goes there.
    fn any_at(&self, at: u32) -> bool {
        self.active != 0 || (0..LANES).any(|c| self.waiting >> c & 1 != 0 && self.wake[c] == at)
    }

    /// Goes on behind the instruction, or at the jump target if no channel would execute there.
    fn fall_or_jump(&mut self, next: u32, jump: u32) {
        self.ip = if self.any_at(next) { next } else { jump };
    }

    /// Executes a branch. `next` is the offset of the instruction behind it.
    pub fn branch(&mut self, inst: &Inst, program: &Program, next: u32) -> Result<(), Cause> {
        let mask = self.mask(inst) << inst.chan_off;
        let taken = self.enabled(inst) << inst.chan_off;
        match inst.op {
            Op::Jmpi => {
                self.ip = match (inst.jip, taken) {
                    (_, 0) => next,
                    (Some(Target::Reg), _) => next.wrapping_add(self.scalar(inst, 0)?),
                    _ => self.jump_target(inst)?,
                };
            }
            Op::If => {
                let jump = self.jump_target(inst)?;
                self.suspend(mask & !taken, jump);
                self.fall_or_jump(next, jump);
            }
            Op::Else => {
                let jump = self.jump_target(inst)?;
                let end = if inst.uip.is_some() {
                    self.update_target(inst)?
                } else {
                    jump
                };
                self.suspend(mask, end);
                self.fall_or_jump(next, jump);
            }
            Op::Endif | Op::Join => {
                let jump = self.jump_target(inst)?;
                self.fall_or_jump(next, jump);
            }
            Op::While => {
                let jump = self.jump_target(inst)?;
                if taken == 0 {
                    self.ip = next;
                } else {
                    self.suspend(mask & !taken, next);
                    self.ip = jump;
                }
            }
            Op::Break => {
                // The update target is the loop's last instruction; a channel that leaves the loop
                // goes on behind it.
                let mut end = self.update_target(inst)?;
                if let Some((last, size)) = program.at(end)
                    && last.op == Op::While
                {
                    end += size;
                }
                self.suspend(taken, end);
                let jump = self.jump_target(inst)?;
                self.fall_or_jump(next, jump);
            }
            Op::Cont | Op::Halt => {
                let end = self.update_target(inst)?;
                self.suspend(taken, end);
                let jump = self.jump_target(inst)?;
                self.fall_or_jump(next, jump);
            }
            Op::Goto => {
                let (jump, target) = (self.jump_target(inst)?, self.update_target(inst)?);
                if !inst.opts.branch_ctrl {
                    // On this family the channels whose predicate is false are those that jump.
                    self.suspend(mask & !taken, target);
                    self.fall_or_jump(next, jump);
                } else if taken != 0 {
                    self.suspend(mask & !taken, jump);
                    self.ip = target;
                } else {
                    self.ip = jump;
                }
            }
            Op::Call | Op::Calla => {
                let target = match (inst.jip, inst.op) {
                    (Some(Target::Reg), Op::Calla) => self.scalar(inst, 0)?,
                    (Some(Target::Reg), _) => self.ip.wrapping_add(self.scalar(inst, 0)?),
                    (_, Op::Calla) => self.jump_target(inst)?.wrapping_sub(self.ip),
                    _ => self.jump_target(inst)?,
                };
                if taken == 0 {
                    self.ip = next;
                } else {
                    self.save_return(inst, next)?;
                    self.suspend(mask & !taken, next);
                    self.ip = target;
                }
            }
            Op::Ret => {
                let back = self.scalar(inst, 0)?;
                self.suspend(taken, back);
                self.fall_or_jump(next, back);
            }
            op => return Err(Cause::Op(op)),
        }
        Ok(())
    }

    /// The return address and the channels that were executing, as `call` leaves them in its
    /// destination's first two dwords.
    fn save_return(&mut self, inst: &Inst, next: u32) -> Result<(), Cause> {
        let dst = dst_of(inst)?;
        let Place::Direct(reg) = dst.place else {
            return Err(Cause::Form {
                what: "an indirect return address",
            });
        };
        let active = self.active;
        let (bytes, at) = self.file_mut(reg)?;
        let size = bytes.len();
        let saved = bytes
            .get_mut(at..at + 8)
            .ok_or(Cause::RegisterRange { at, size })?;
        saved[..4].copy_from_slice(&next.to_le_bytes());
        saved[4..].copy_from_slice(&active.to_le_bytes());
        Ok(())
    }

    /// `wait`: takes one from a notification count, or waits until there is one.
    pub fn wait(&mut self, inst: &Inst, next: u32) -> Result<(), Cause> {
        let Src::Reg(SrcReg {
            place: Place::Direct(reg),
            ..
        }) = src_of(inst, 0)?
        else {
            return Err(Cause::Malformed {
                what: "wait for what is no register",
            });
        };
        if reg.file != RegFile::Notification {
            return Err(Cause::Register {
                file: reg.file,
                num: reg.num,
            });
        }
        let at = usize::from(reg.byte);
        let size = self.notification.len();
        let Some(count) = self
            .notification
            .get_mut(at..)
            .and_then(|b| b.first_chunk_mut())
        else {
            return Err(Cause::RegisterRange { at, size });
        };
        match u32::from_le_bytes(*count) {
            0 => self.status = Status::Waiting,
            n => {
                *count = (n - 1).to_le_bytes();
                self.ip = next;
            }
        }
        Ok(())
    }

    /// A source's first element.
    fn scalar(&self, inst: &Inst, index: usize) -> Result<u32, Cause> {
        let mut bits = [0; LANES];
        self.load_bits(src_of(inst, index)?, 1, false, &mut bits)?;
        Ok(bits[0] as u32)
    }

    fn jump_target(&self, inst: &Inst) -> Result<u32, Cause> {
        self.resolve(inst.jip)
    }

    fn update_target(&self, inst: &Inst) -> Result<u32, Cause> {
        self.resolve(inst.uip)
    }

    fn resolve(&self, target: Option<Target>) -> Result<u32, Cause> {
        match target {
            Some(Target::Offset(offset)) => Ok(self.ip.wrapping_add_signed(offset)),
            _ => Err(Cause::Malformed {
                what: "a branch without the target it needs",
            }),
        }
    }
}
