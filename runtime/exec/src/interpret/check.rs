//! Checks of registers: each use of an undefined byte, with the state that a result has.
//!
//! A move that changes no bits copies the state of each byte: compilers move whole registers of which only parts are
//! in use. An instruction that ignores the execution mask may compute on channels with undefined bytes; its result is
//! then undefined. Any other use of an undefined byte by an enabled channel is an error, and so is a message whose
//! address or data have one.

use kiln_emit::inst::{MathFn, Op};

use crate::code::operation::{Base, Fast, Operation, Path, Source, Steps, Target};
use crate::state::cause::Cause;
use crate::state::defined::Defined;
use crate::state::lanes::{LANES, low_mask};
use crate::state::thread::{File, Thread};

impl Thread {
    /// Checks the sources of the next operation, and records the state of its result.
    pub fn check(&mut self, op: &Operation) -> Result<(), Cause> {
        let Some(mut defined) = self.defined.take() else {
            return Ok(());
        };
        let result = self.check_with(op, &mut defined);
        self.defined = Some(defined);
        result
    }

    fn check_with(&self, op: &Operation, defined: &mut Defined) -> Result<(), Cause> {
        if matches!(op.path, Path::Send(_) | Path::Fault(_) | Path::Nop) {
            return Ok(());
        }
        if let Path::Systolic(systolic) = &op.path {
            let known = |(at, size): (usize, usize)| defined.missing(at, size).is_none();
            let known = systolic.reads().all(known);
            let (at, size) = systolic.writes();
            defined.set(at, size, known);
            return Ok(());
        }
        let enabled = match (&op.path, &op.srcs[1].base) {
            // The second source is a further mask of channels.
            (Path::Scattered, Base::Constant(mask)) => self.enabled(op) & *mask as u32,
            _ => self.enabled(op),
        };
        let moves = matches!(op.path, Path::Raw | Path::Scattered) || op.fast == Some(Fast::Mov);
        let lenient = moves || op.ungated != 0 && op.lanes > 1;
        let chosen = match (&op.pred, op.op) {
            (Some(pred), Op::Sel) => Some(self.predicate(op, pred)),
            _ => None,
        };
        let gate = if chosen.is_some() {
            self.mask(op)
        } else {
            enabled
        };
        // `r ^ r` is zero and `r == r` true, whatever `r` holds: so zeroes and full flags are made.
        let same = matches!(op.op, Op::Xor | Op::Cmp | Op::Cmpn)
            && op.srcs[0].base == op.srcs[1].base
            && op.srcs[0].steps == op.srcs[1].steps;
        let size = op.dst.ty.bytes() as usize;
        let copies = moves && op.srcs[0].ty.bytes() as usize == size;
        // Mask of the defined bytes of each channel's result.
        let mut known = [u8::MAX; LANES];
        for (index, src) in op.sources().iter().enumerate() {
            let used = match (chosen, index) {
                (Some(chosen), 0) => gate & chosen,
                (Some(chosen), _) => gate & !chosen,
                (None, _) => gate,
            };
            if used == 0 || same && index < 2 || self.all_defined(defined, op, src) {
                continue;
            }
            for lane in (0..usize::from(op.lanes)).filter(|lane| used >> lane & 1 != 0) {
                let Some(at) = self.element_at(src, lane) else {
                    continue;
                };
                if let Some(byte) = defined.missing(at, src.ty.bytes() as usize) {
                    if !lenient {
                        return Err(Cause::Undefined {
                            channel: lane as u32 + u32::from(op.chan_off),
                            register: (byte / self.register_bytes()) as u32,
                            byte: (byte % self.register_bytes()) as u32,
                        });
                    }
                    known[lane] = match copies {
                        true => defined.get(at, size),
                        false => 0,
                    };
                }
            }
        }
        let start = match op.dst.target {
            Target::File {
                file: File::Grf,
                at,
            } => usize::from(at),
            Target::Address { addr, imm } => match self.address(usize::from(addr), imm) {
                Ok(at) => at,
                Err(_) => return Ok(()),
            },
            Target::File { .. } | Target::Null => return Ok(()),
        };
        if gate == low_mask(usize::from(op.lanes))
            && known == [u8::MAX; LANES]
            && usize::from(op.dst.step) == size
        {
            defined.set(start, size * usize::from(op.lanes), true);
            self.define_further(op, start, gate, defined);
            return Ok(());
        }
        for lane in (0..usize::from(op.lanes)).filter(|lane| gate >> lane & 1 != 0) {
            let at = start + lane * usize::from(op.dst.step);
            for byte in 0..size {
                defined.set(at + byte, 1, known[lane] >> byte & 1 != 0);
            }
        }
        self.define_further(op, start, gate, defined);
        Ok(())
    }

    /// Marks registers that an operation writes beyond its destination.
    fn define_further(&self, op: &Operation, start: usize, gate: u32, defined: &mut Defined) {
        if op.path == Path::Math(MathFn::Idiv) {
            let next = start + (usize::from(op.lanes) * 4).next_multiple_of(self.register_bytes());
            for lane in (0..usize::from(op.lanes)).filter(|lane| gate >> lane & 1 != 0) {
                defined.set(next + lane * usize::from(op.dst.step), 4, true);
            }
        }
        if matches!(op.op, Op::Call | Op::Calla) {
            defined.set(start, 8, true);
        }
    }

    /// True if all elements of a source are known to be defined, of disabled channels too.
    fn all_defined(&self, defined: &Defined, op: &Operation, src: &Source) -> bool {
        let size = src.ty.bytes() as usize;
        match (&src.base, &src.steps) {
            (
                Base::File {
                    file: File::Grf,
                    at,
                },
                Steps::Linear(step),
            ) => {
                let length = (usize::from(op.lanes) - 1) * usize::from(*step) + size;
                defined.missing(usize::from(*at), length).is_none()
            }
            (
                Base::Addresses { .. }
                | Base::Address { .. }
                | Base::File {
                    file: File::Grf, ..
                },
                _,
            ) => false,
            _ => true,
        }
    }

    /// First byte of a channel's source element in the general registers; none for other files.
    fn element_at(&self, src: &Source, lane: usize) -> Option<usize> {
        let start = match src.base {
            Base::File {
                file: File::Grf,
                at,
            } => usize::from(at),
            Base::Address { addr, imm } => self.address(usize::from(addr), imm).ok()?,
            Base::Addresses { addr, imm, width } => {
                let row = lane / usize::from(width).max(1);
                self.address(usize::from(addr) + row * 2, imm).ok()?
            }
            _ => return None,
        };
        Some(start + src.steps.at(lane))
    }
}
