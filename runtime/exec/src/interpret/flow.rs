//! Control flow: the active and waiting channels.
//!
//! The channels of a thread share one instruction pointer. A branch that some channels take makes them wait until the
//! pointer reaches their target ([`Thread::wake`]). When no channel is left, the pointer moves to the branch's jump
//! target, which is never beyond the first place where a channel waits (PRM vol. 7, "Execution flow"; vol. 2a, the
//! single instructions).

use kiln_emit::inst::Op;

use crate::code::decoded::Decoded;
use crate::code::operation::{Base, Goto, Jump, Operation, Target};
use crate::state::cause::Cause;
use crate::state::lanes::LANES;
use crate::state::thread::{BARRIERS, File, Status, Thread};

impl Thread {
    /// Activates the channels that wait for the present instruction.
    pub fn wake_channels(&mut self) {
        let mut left = self.waiting & self.called;
        while left != 0 {
            let channel = left.trailing_zeros();
            left &= left - 1;
            if self.wake[channel as usize] == self.ip {
                self.waiting &= !(1 << channel);
                self.active |= 1 << channel;
            }
        }
    }

    /// Deactivates channels until the pointer reaches the target `at` of a branch.
    ///
    /// # Errors
    /// The hardware would not activate them again there.
    fn wait_at(&mut self, op: &Operation, channels: u32, at: u32) -> Result<(), Cause> {
        match &op.lost {
            Some(lost) if channels != 0 => Err(Cause::Lost {
                channels,
                lost: lost.clone(),
            }),
            _ => {
                self.suspend(channels, at);
                Ok(())
            }
        }
    }

    /// Deactivates channels until the pointer reaches `at`.
    fn suspend(&mut self, channels: u32, at: u32) {
        self.active &= !channels;
        self.waiting |= channels;
        let mut left = channels;
        while left != 0 {
            self.wake[left.trailing_zeros() as usize] = at;
            left &= left - 1;
        }
    }

    /// True if a channel will be active at `at`.
    fn any_at(&self, at: u32) -> bool {
        let mut left = self.waiting & self.called;
        while self.active == 0 && left != 0 {
            if self.wake[left.trailing_zeros() as usize] == at {
                return true;
            }
            left &= left - 1;
        }
        self.active != 0
    }

    /// Continues after the instruction, or at the jump target if no channel would be active.
    fn fall_or_jump(&mut self, next: u32, jump: u32) {
        self.ip = if self.any_at(next) { next } else { jump };
    }

    /// Executes a branch.
    pub fn branch(&mut self, op: &Operation, program: &Decoded) -> Result<(), Cause> {
        let next = self.ip + 1;
        let mask = self.mask(op) << op.chan_off;
        let taken = self.enabled(op) << op.chan_off;
        match op.op {
            Op::Jmpi => {
                self.ip = match (op.jip, taken) {
                    (_, 0) => next,
                    (Jump::Dynamic, _) => find(program, op.next.wrapping_add(self.scalar(op)?))?,
                    _ => target(op.jip)?,
                };
            }
            Op::If => {
                let jump = target(op.jip)?;
                self.wait_at(op, mask & !taken, jump)?;
                self.fall_or_jump(next, jump);
            }
            Op::Else => {
                let jump = target(op.jip)?;
                let end = match op.uip {
                    Jump::None => jump,
                    uip => target(uip)?,
                };
                self.wait_at(op, mask, end)?;
                self.fall_or_jump(next, jump);
            }
            Op::Endif | Op::Join => self.fall_or_jump(next, target(op.jip)?),
            Op::While => {
                let jump = target(op.jip)?;
                if taken == 0 {
                    self.ip = next;
                } else {
                    self.suspend(mask & !taken, next);
                    self.ip = jump;
                }
            }
            // All branching channels go there, the others wait after it.
            Op::Brd => {
                if taken == 0 {
                    self.ip = next;
                } else {
                    let jump = match op.jip {
                        Jump::Dynamic => find(program, op.at.wrapping_add(self.scalar(op)?))?,
                        jip => target(jip)?,
                    };
                    self.suspend(mask & !taken, next);
                    self.ip = jump;
                }
            }
            Op::Brc if op.jip == Jump::Dynamic => {
                return Err(Cause::Form {
                    what: "brc to distances in a register",
                });
            }
            Op::Break | Op::Cont | Op::Halt | Op::Brc => {
                let (jump, end) = (target(op.jip)?, target(op.uip)?);
                self.wait_at(op, taken, end)?;
                self.fall_or_jump(next, jump);
            }
            Op::Goto => {
                let (jump, end) = (target(op.jip)?, target(op.uip)?);
                let leaving = match op.goto {
                    Goto::IfTrue => taken,
                    Goto::IfFalse => mask & !taken,
                    Goto::Back if taken == 0 => {
                        self.ip = jump;
                        return Ok(());
                    }
                    Goto::Back => {
                        self.wait_at(op, mask & !taken, jump)?;
                        self.ip = end;
                        return Ok(());
                    }
                };
                self.wait_at(op, leaving, end)?;
                self.fall_or_jump(next, jump);
            }
            Op::Call | Op::Calla => {
                let callee = match (op.jip, op.op) {
                    (Jump::Dynamic, Op::Calla) => {
                        find(program, program.relative(self.scalar(op)?))?
                    }
                    (Jump::Dynamic, _) => find(program, op.at.wrapping_add(self.scalar(op)?))?,
                    _ => target(op.jip)?,
                };
                // A call without a mask takes the channels that are active; others wait elsewhere.
                let (mask, taken) = match op.ungated != 0 {
                    true => (mask & self.active, taken & self.active),
                    false => (mask, taken),
                };
                if taken == 0 {
                    self.ip = next;
                } else {
                    self.save_return(op)?;
                    self.suspend(mask & !taken, next);
                    self.called = taken;
                    self.ip = callee;
                }
            }
            Op::Ret => {
                if taken == 0 {
                    self.ip = next;
                } else {
                    let mut to = [0; LANES];
                    self.load_bits(&op.srcs[0], 1, 1, &mut to)?;
                    let back = find(program, to[0] as u32)?;
                    self.suspend(taken, back);
                    self.called &= !taken;
                    // The last channels of a call restore the state before it.
                    if self.called == 0 {
                        self.called = self.outer(op)?;
                        self.ip = back;
                    } else {
                        self.ip = next;
                    }
                }
            }
            op => return Err(Cause::Op(op)),
        }
        Ok(())
    }

    /// The second dword of a return's source: the channels of the enclosing call.
    fn outer(&self, op: &Operation) -> Result<u32, Cause> {
        let Base::File { file, at } = op.srcs[0].base else {
            return Err(Cause::Form {
                what: "an indirect return address",
            });
        };
        let (at, bytes) = (usize::from(at) + 4, self.file(file));
        let size = bytes.len();
        let mask = bytes.get(at..).and_then(|b| b.first_chunk());
        let mask = mask.ok_or(Cause::RegisterRange { at, size })?;
        Ok(u32::from_le_bytes(*mask))
    }

    /// Writes the return address and the channels of the enclosing call to the first two dwords of a call's
    /// destination.
    fn save_return(&mut self, op: &Operation) -> Result<(), Cause> {
        let Target::File { file, at } = op.dst.target else {
            return Err(Cause::Form {
                what: "an indirect return address",
            });
        };
        let (at, called) = (usize::from(at), self.called);
        let bytes = self.file_mut(file);
        let size = bytes.len();
        let saved = bytes
            .get_mut(at..at + 8)
            .ok_or(Cause::RegisterRange { at, size })?;
        saved[..4].copy_from_slice(&op.next.to_le_bytes());
        saved[4..].copy_from_slice(&called.to_le_bytes());
        Ok(())
    }

    /// `wait`: consumes a notification, or waits until there is one.
    pub fn wait(&mut self, op: &Operation) -> Result<(), Cause> {
        let Base::File {
            file: File::Notification,
            at,
        } = op.srcs[0].base
        else {
            return Err(Cause::Malformed {
                what: "wait for what is no notification count",
            });
        };
        let at = usize::from(at);
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
                self.ip += 1;
            }
        }
        Ok(())
    }

    /// Waits for the notification bit of a barrier.
    pub fn wait_at_barrier(&mut self, op: &Operation) -> Result<(), Cause> {
        let bit = 1 << (self.scalar(op)? % BARRIERS as u32);
        let notified = u32::from_le_bytes(self.notified());
        if notified & bit == 0 {
            self.status = Status::Waiting;
        } else {
            self.notification[..4].copy_from_slice(&(notified & !bit).to_le_bytes());
            self.ip += 1;
        }
        Ok(())
    }

    /// The first source's first element.
    fn scalar(&self, op: &Operation) -> Result<u32, Cause> {
        let mut bits = [0; LANES];
        self.load_bits(&op.srcs[0], 1, 1, &mut bits)?;
        Ok(bits[0] as u32)
    }
}

/// The operation that a branch goes to.
fn target(jump: Jump) -> Result<u32, Cause> {
    match jump {
        Jump::To(index) => Ok(index),
        Jump::None | Jump::Dynamic => Err(Cause::Malformed {
            what: "a branch without the target it needs",
        }),
    }
}

/// The operation at an offset from a register.
fn find(program: &Decoded, at: u32) -> Result<u32, Cause> {
    program.find(at).ok_or(Cause::NoInstruction(at))
}
