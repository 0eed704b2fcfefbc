//! Operations whose channels depend on each other: dot products, line and plane equations, sums of
//! absolute differences, and the indexed move (PRM vol. 2a, the single instructions).
//!
//! Sums of products are made from left to right, each product added with one rounding; the order
//! of the hardware's own additions is not public.

use kiln_emit::inst::{Op, Type};

use super::operand::element;
use crate::code::operation::{Base, Operation, Source};
use crate::state::cause::Cause;
use crate::state::lanes::{LANES, Lanes};
use crate::state::numbers::{Int, flushed_df};
use crate::state::thread::{File, Thread};
use crate::state::wide::{self, Wide};

/// Number of channels in a group of a dot product.
const GROUP: usize = 4;

/// A single of the general registers.
fn single(thread: &Thread, at: usize) -> Result<f64, Cause> {
    let bits = element(&thread.grf, at, size_of::<f32>())?;
    Ok(f64::from(f32::from_bits(bits as u32)))
}

/// First byte of a source that must be in a general register.
fn register(src: &Source) -> Result<usize, Cause> {
    match src.base {
        Base::File {
            file: File::Grf,
            at,
        } if src.ty == Type::F => Ok(usize::from(at)),
        _ => Err(Cause::Form {
            what: "a line or plane equation on what is no general register of singles",
        }),
    }
}

impl Thread {
    /// `a * b + c` on singles, rounded once.
    fn fused(&self, a: f64, b: f64, c: f64) -> f64 {
        let mode = self.mode.rounding;
        let w = Wide::from_f64;
        let exact = w(a).mul_add(w(b), w(c), mode);
        Wide::from_bits(exact.round(wide::F, mode), wide::F).to_f64()
    }

    /// `dp2`, `dp3`, `dp4` and `dph`: the product of each group of four channels, for all of them.
    pub fn dot(&self, op: Op, lanes: usize, a: &Lanes<f64>, b: &Lanes<f64>) -> Lanes<f64> {
        let terms = match op {
            Op::Dp2 => 2,
            Op::Dp3 | Op::Dph => 3,
            _ => GROUP,
        };
        let mut r = [0.0; LANES];
        for first in (0..lanes).step_by(GROUP) {
            let mut sum = self.fused(a[first], b[first], -0.0);
            for lane in first + 1..first + terms {
                sum = self.fused(a[lane], b[lane], sum);
            }
            if op == Op::Dph {
                sum = self.fused(1.0, b[first + 3], sum);
            }
            r[first..first + GROUP].fill(sum);
        }
        r
    }

    /// `line`: `p * u + q`, with *p* the first source and *q* the last of the four singles it is in.
    pub fn line(&self, op: &Operation, u: &Lanes<f64>) -> Result<Lanes<f64>, Cause> {
        let at = register(&op.srcs[0])?;
        let (p, q) = (single(self, at)?, single(self, at / 16 * 16 + 12)?);
        Ok(u.map(|u| self.fused(p, u, q)))
    }

    /// `pln`: `p * u + q * v + r`, with *p*, *q* and *r* the first, second and fourth of four
    /// singles; *u* and *v* of eight channels are in a register each, those of the next eight
    /// follow.
    pub fn plane(&self, op: &Operation) -> Result<Lanes<f64>, Cause> {
        let (at, vectors) = (register(&op.srcs[0])?, register(&op.srcs[1])?);
        let (p, q, r) = (
            single(self, at)?,
            single(self, at + 4)?,
            single(self, at + 12)?,
        );
        let sign = if op.srcs[1].neg { -1.0 } else { 1.0 };
        let bytes = self.register_bytes();
        let mut out = [0.0; LANES];
        for (lane, out) in out.iter_mut().enumerate().take(usize::from(op.lanes)) {
            let u = vectors + lane / 8 * 2 * bytes + lane % 8 * 4;
            let v = sign * single(self, u + bytes)?;
            let u = sign * single(self, u)?;
            *out = self.fused(p, u, self.fused(q, v, r));
        }
        Ok(out)
    }

    /// `sad2` and `sada2`: for each pair of channels the sum of their absolute differences, in the first of them; the
    /// second's result is undefined. `sada2` adds the accumulator.
    pub fn absolute_differences<T: Int>(&self, op: Op, a: &Lanes<T>, b: &Lanes<T>) -> Lanes<T> {
        let mut r = [T::default(); LANES];
        for lane in (0..LANES).step_by(2) {
            let difference = |lane: usize| {
                let d = a[lane].wrapping_sub(b[lane]);
                d.max(d.wrapping_neg())
            };
            let start = match op {
                // Lanes of words: sixteen a register.
                Op::Sada2 => self.acc.wide(lane * 2, 2).unwrap_or(0),
                _ => 0,
            };
            r[lane] = difference(lane)
                .wrapping_add(difference(lane + 1))
                .wrapping_add(T::from_i64(start));
        }
        r
    }

    /// `movi`: each channel's address selects a byte of the register that contains the first one's.
    pub fn indexed_move(&mut self, op: &Operation) -> Result<(), Cause> {
        let (Base::Address { addr, imm } | Base::Addresses { addr, imm, .. }) = op.srcs[0].base
        else {
            return Err(Cause::Malformed {
                what: "movi from what is not found through addresses",
            });
        };
        let lanes = usize::from(op.lanes);
        let size = op.srcs[0].ty.bytes() as usize;
        let bytes = self.register_bytes();
        let register = self.address(usize::from(addr), imm)? / bytes * bytes;
        let mut bits = [0; LANES];
        for (lane, bits) in bits.iter_mut().enumerate().take(lanes) {
            let at = self.address(usize::from(addr) + lane * 2, imm)?;
            *bits = element(&self.grf, register + at % bytes, size)?;
        }
        let enabled = self.enabled(op);
        self.store_bits(&op.dst, lanes, enabled, |lane| bits[lane])
    }

    /// The accumulator as floats of a type.
    pub fn accumulated(&self, ty: Type, lanes: usize) -> Result<Lanes<f64>, Cause> {
        let size = ty.bytes() as usize;
        let mut out = [0.0; LANES];
        for (lane, out) in out.iter_mut().enumerate().take(lanes) {
            let bits = element(&self.acc.bytes, lane * size, size)?;
            *out = match ty {
                Type::Hf => self.hf(bits).into(),
                Type::Df => flushed_df(f64::from_bits(bits), self.mode.flush_df),
                _ => self.f(bits).into(),
            };
        }
        Ok(out)
    }
}
