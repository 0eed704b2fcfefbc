//! Which bytes of the general registers hold what was written or what the thread started with.
//!
//! A move copies bytes as they are, defined or not: compilers move whole registers of which only
//! parts are in use. An instruction that ignores the execution mask may compute on channels that
//! hold nothing; then its result is undefined. Anything else that uses an undefined byte for an
//! enabled channel is an error, and so is a message that takes an address, or what it writes, from
//! one.

use kiln_emit::inst::{MathFn, Op};

use super::error::Cause;
use super::fast::Fast;
use super::machine::{GRF_BYTES, GRF_COUNT, Thread};
use super::operation::{Base, File, Operation, Path, Source, Target};

/// A bit for each byte of the general registers.
#[derive(Clone, Debug)]
pub struct Defined {
    bytes: [u32; GRF_COUNT],
}

impl Defined {
    /// Nothing is defined.
    pub fn none() -> Defined {
        Defined {
            bytes: [0; GRF_COUNT],
        }
    }

    /// The bytes that a thread starts with.
    pub fn start(&mut self, bytes: usize) {
        self.set(0, bytes, true);
    }

    fn set(&mut self, at: usize, size: usize, defined: bool) {
        for byte in at..at + size {
            if let Some(bits) = self.bytes.get_mut(byte / GRF_BYTES) {
                let bit = 1 << (byte % GRF_BYTES);
                *bits = if defined { *bits | bit } else { *bits & !bit };
            }
        }
    }

    /// The first of some bytes that is undefined.
    fn missing(&self, at: usize, size: usize) -> Option<usize> {
        (at..at + size).find(|byte| match self.bytes.get(byte / GRF_BYTES) {
            Some(bits) => bits >> (byte % GRF_BYTES) & 1 == 0,
            None => false,
        })
    }
}

impl Thread {
    /// Marks bytes of the general registers as defined, if that is recorded.
    #[inline]
    pub fn define(&mut self, at: usize, size: usize) {
        if let Some(defined) = &mut self.defined {
            defined.set(at, size, true);
        }
    }

    /// Bytes of the general registers are sent: an error if one is known to be undefined.
    #[inline]
    pub fn sent(&self, at: usize, size: usize) -> Result<(), Cause> {
        match self.defined.as_ref().and_then(|d| d.missing(at, size)) {
            None => Ok(()),
            Some(byte) => Err(Cause::UndefinedSent {
                register: (byte / GRF_BYTES) as u32,
                byte: (byte % GRF_BYTES) as u32,
            }),
        }
    }

    /// Checks the sources of an operation that is about to be executed, and records whether its
    /// result will be defined.
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
        let enabled = self.enabled(op);
        let moves = matches!(
            op.path,
            Path::Raw | Path::Fast(Fast::Bits | Fast::Mov) | Path::Scattered
        );
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
        // Whether each channel's result is defined.
        let mut good = u32::MAX;
        for (index, src) in op.sources().iter().enumerate() {
            let used = match (chosen, index) {
                (Some(chosen), 0) => gate & chosen,
                (Some(chosen), _) => gate & !chosen,
                (None, _) => gate,
            };
            // `r ^ r` is zero, and `r - r`, whatever `r` holds.
            let same = index < 2 && op.count == 2 && op.srcs[0].base == op.srcs[1].base;
            if same && op.op == Op::Xor {
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
                            register: (byte / GRF_BYTES) as u32,
                            byte: (byte % GRF_BYTES) as u32,
                        });
                    }
                    good &= !(1 << lane);
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
        let size = op.dst.ty.bytes() as usize;
        for lane in (0..usize::from(op.lanes)).filter(|lane| gate >> lane & 1 != 0) {
            let at = start + lane * usize::from(op.dst.step);
            defined.set(at, size, good >> lane & 1 != 0);
        }
        if op.path == Path::Math(MathFn::Idiv) {
            let next = start + (usize::from(op.lanes) * 4).next_multiple_of(GRF_BYTES);
            for lane in (0..usize::from(op.lanes)).filter(|lane| gate >> lane & 1 != 0) {
                defined.set(next + lane * usize::from(op.dst.step), size, true);
            }
        }
        if matches!(op.op, Op::Call | Op::Calla) {
            defined.set(start, 8, true);
        }
        Ok(())
    }

    /// The general registers' byte that a channel's element of a source starts at; none if it is
    /// elsewhere.
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
