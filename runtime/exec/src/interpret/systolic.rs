//! Systolic operations: products of small matrices (`dpas`, `dpasw`; the virtual ISA's documentation of
//! `DPAS` and `DPASW`).
//!
//! The result has a row of dwords (or halves) for each repetition and a column for each channel. The first
//! source is what the products are added to. A column of the second source is in the dwords of its channel,
//! register after register; a row of the third is consecutive. Elements are numbers of 2 to 32 bits, packed;
//! a step takes as many of both as fill a dword of the wider of them.
//!
//! Integers are exact, then wrapped or clamped. Floats are added in the order of the steps, each product
//! with one rounding to a single, to nearest even, denormals kept: a choice, since the order of the
//! hardware's sums is not public.
//!
//! In `dpasw` each of two fused threads has one half of the third source: the threads are executed up to it and then
//! both at once.

use kiln_emit::inst::Type;
use smallvec::SmallVec;

use crate::code::counts::Counts;
use crate::code::decoded::Decoded;
use crate::code::operation::Operation;
use crate::code::systolic::{Systolic, bits, is_signed};
use crate::state::cause::Cause;
use crate::state::numbers::{int_range, number_of};
use crate::state::thread::{Status, Thread};
use crate::state::wide::{self, Rounding, Wide};

impl Systolic {
    /// Bits of the element `index` among those packed from a byte on.
    fn element(bytes: &[u8], ty: Type, index: usize) -> u64 {
        let width = bits(ty);
        let first = index * width / 8;
        let mut word = [0; 4];
        for (to, from) in word.iter_mut().zip(bytes.get(first..).unwrap_or_default()) {
            *to = *from;
        }
        let low = u64::from(u32::from_le_bytes(word)) >> (index * width % 8);
        low & (u64::MAX >> (64 - width))
    }

    /// A column's element in a step.
    fn column(&self, thread: &Thread, lane: usize, step: usize, n: usize) -> u64 {
        let per_dword = 32 / bits(self.columns.ty);
        let element = step * self.step + n;
        let at = self.columns.at + element / per_dword * self.register + lane * 4;
        Systolic::element(&thread.grf[at..], self.columns.ty, element % per_dword)
    }

    /// Executes it on the enabled channels with `rows` as the third source.
    fn run(&self, thread: &mut Thread, op: &Operation, rows: &[u8]) {
        let enabled = thread.enabled(op);
        let mut results: SmallVec<[u64; 128]> = SmallVec::new();
        for row in 0..self.repeat {
            for lane in 0..self.lanes {
                let number = row * self.lanes + lane;
                let addend = self.addend.map(|m| {
                    let size = m.ty.bytes() as usize;
                    let mut word = [0; 8];
                    word[..size].copy_from_slice(&thread.grf[m.at + number * size..][..size]);
                    (u64::from_le_bytes(word), m.ty)
                });
                let pairs = (0..self.depth * self.step).map(|k| {
                    let (step, n) = (k / self.step, k % self.step);
                    let row = row * self.depth * self.step + k;
                    let b = Systolic::element(rows, self.rows.ty, row);
                    (self.column(thread, lane, step, n), b)
                });
                results.push(match self.result.ty {
                    Type::D | Type::Ud => self.integer(addend, pairs, op.saturate),
                    ty => self.float(addend, pairs, ty),
                });
            }
        }
        let size = self.result.ty.bytes() as usize;
        for (number, bits) in results.iter().enumerate() {
            if enabled >> (number % self.lanes) & 1 != 0 {
                let at = self.result.at + number * size;
                thread.grf[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
    }

    fn integer(
        &self,
        addend: Option<(u64, Type)>,
        pairs: impl Iterator<Item = (u64, u64)>,
        saturate: bool,
    ) -> u64 {
        let value = |bits: u64, width: usize, signed: bool| match signed {
            true => (bits << (64 - width)) as i64 >> (64 - width),
            false => bits as i64,
        };
        let of = |element: u64, ty: Type| value(element, bits(ty), is_signed(ty));
        let mut sum = addend.map_or(0, |(bits, ty)| value(bits, 32, ty == Type::D));
        for (a, b) in pairs {
            sum += of(a, self.columns.ty) * of(b, self.rows.ty);
        }
        if saturate {
            let (low, high) = int_range(self.result.ty);
            return i128::from(sum).clamp(low, high) as u64;
        }
        sum as u64
    }

    fn float(
        &self,
        addend: Option<(u64, Type)>,
        pairs: impl Iterator<Item = (u64, u64)>,
        result: Type,
    ) -> u64 {
        let mut sum = addend.map_or(0.0, |(bits, ty)| number_of(bits, ty));
        for (a, b) in pairs {
            let (a, b) = (number_of(a, self.columns.ty), number_of(b, self.rows.ty));
            sum = a.mul_add(b, sum);
        }
        let round = |format| Wide::from_f64(sum.into()).round(format, Rounding::NearestEven);
        match result {
            Type::Hf => round(wide::HF),
            Type::Bf => round(wide::BF),
            _ => sum.to_bits().into(),
        }
    }
}

/// Executes an operation with all sources in its own thread.
pub fn execute(thread: &mut Thread, op: &Operation, systolic: &Systolic) {
    let rows = thread.grf[systolic.rows.at..][..systolic.row_bytes()].to_vec();
    systolic.run(thread, op, &rows);
}

/// Executes a `dpasw` that both threads of a fused pair have reached; false if one of them has not reached any.
///
/// # Errors
/// The two have reached different instructions.
pub fn exchange(
    first: &mut Thread,
    second: &mut Thread,
    program: &Decoded,
    counts: &mut Counts,
) -> Result<bool, Cause> {
    if first.status != Status::Paired || second.status != Status::Paired {
        return Ok(false);
    }
    if first.ip != second.ip {
        return Err(Cause::Malformed {
            what: "the two threads of a fused pair have come to different operations",
        });
    }
    let Some((op, systolic)) = program.op(first.ip).and_then(Operation::systolic) else {
        return Ok(false);
    };
    let registers = systolic.row_bytes().div_ceil(systolic.register);
    let of_first = registers.div_ceil(2) * systolic.register;
    let of_second = registers / 2 * systolic.register;
    let mut rows = first.grf[systolic.rows.at..][..of_first].to_vec();
    rows.extend_from_slice(&second.grf[systolic.rows.at..][..of_second]);
    for thread in [first, second] {
        counts.executed(thread.ip, thread.enabled(op).count_ones());
        systolic.run(thread, op, &rows);
        thread.status = Status::Running;
        thread.executed += 1;
        thread.ip += 1;
    }
    Ok(true)
}
