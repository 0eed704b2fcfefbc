//! Integers of 64 bits on platforms that have none: operations on their halves.
//!
//! Takes every elementwise operation. Afterwards none has an operand of 64 bits on such a platform.

use kiln_visa::module::{Modifier, Type as VType, Var};
use kiln_visa::opcode::{Opcode, Relation};

use super::function::{Emitter, elementwise, imm, source};
use super::operand::{Dst, Elementwise, Src};
use super::predicates::Mask;
use super::value::negated;
use crate::error::{Code, Result};

/// The lower and the upper half.
type Halves = [Src; 2];

/// Bytes of an integer that is emulated, and of its half; bits of the half.
const LONG: u32 = 8;
const HALF: u32 = 4;
const HALF_BITS: u64 = 32;
const SIGN: u64 = 1 << (HALF_BITS - 1);

/// Type of a destination; none of a predicate.
fn ty_of(dst: &Dst) -> Option<VType> {
    match dst {
        Dst::Var { ty, .. } | Dst::Indirect { ty, .. } => Some(*ty),
        Dst::Predicate(_) => None,
    }
}

/// A half of a source of 64 bits without its modifier.
fn half(src: &Src, upper: u32) -> Src {
    match src.clone() {
        Src::Imm { bits, .. } => imm(
            VType::Ud,
            bits >> (HALF_BITS as u32 * upper) & u64::from(u32::MAX),
        ),
        Src::Var { var, layout, .. } => source(var, VType::Ud, layout.moved(HALF * upper)),
        Src::Indirect { addr, layout, .. } => Src::Indirect {
            addr,
            ty: VType::Ud,
            layout: layout.moved(HALF * upper),
            modifier: Modifier::None,
        },
    }
}

/// A half of a destination of 64 bits.
fn half_to(dst: &Dst, upper: u32) -> Dst {
    let mut dst = dst.clone();
    if let Dst::Var { ty, layout, .. } | Dst::Indirect { ty, layout, .. } = &mut dst {
        *ty = VType::Ud;
        *layout = layout.moved(HALF * upper);
    }
    dst
}

/// A destination, and the same as a source.
type Place = (Dst, Src);

/// True if a source is what a destination is.
fn is_place(to: &Dst, src: &Src) -> bool {
    match (to, src) {
        (
            Dst::Var { var, layout, .. },
            Src::Var {
                var: from,
                layout: of,
                modifier: Modifier::None,
                ..
            },
        ) => var == from && layout == of,
        _ => false,
    }
}

/// True if an operation has an operand of 64 bits.
fn is_long(e: &Elementwise) -> bool {
    ty_of(&e.dst).is_some_and(|ty| ty.bytes() == LONG)
        || e.srcs.iter().any(|src| src.ty().bytes() == LONG)
}

impl Emitter<'_, '_> {
    /// True if the platform lacks an operation for the size of its operands.
    pub fn needs_halves(&self, e: &Elementwise) -> bool {
        !self.shared.platform.int64 && is_long(e)
    }

    /// An operation on integers of 64 bits, by their halves.
    pub fn by_halves(&mut self, e: Elementwise) -> Result<()> {
        let moves = matches!(e.op, Opcode::Mov | Opcode::Sel);
        let types = e.srcs.iter().map(Src::ty).chain(ty_of(&e.dst));
        let floats = types
            .filter(|ty| matches!(ty, VType::F | VType::Hf | VType::Df | VType::Bf))
            .count();
        // A double that is only moved is its bits.
        let bits = moves
            && floats == e.srcs.len() + 1
            && e.srcs.iter().all(|src| src.ty().bytes() == LONG);
        let narrows = e.op == Opcode::Mov && ty_of(&e.dst).is_some_and(|ty| ty.bytes() != LONG);
        let sums = e.op == Opcode::Add && !narrows;
        if floats != 0 && !bits || e.saturate && !(narrows || sums) {
            return self.lacks(&e);
        }
        let count = e.count;
        if e.saturate && sums {
            return self.saturated_sum(&e);
        }
        let mut srcs = Vec::with_capacity(e.srcs.len());
        for src in &e.srcs {
            srcs.push(self.halves(src, count)?);
        }
        let results = match (e.op, &srcs[..]) {
            (Opcode::Mov, [a]) if e.saturate => return self.saturate_halves(&e, a),
            (Opcode::Mov, [a]) => a.clone(),
            (Opcode::And | Opcode::Or | Opcode::Xor, [[a, b], [c, d]]) => {
                let [low, high] = self.places(&e);
                self.alu(e.op, count, low.0, &[a.clone(), c.clone()])?;
                self.alu(e.op, count, high.0, &[b.clone(), d.clone()])?;
                [low.1, high.1]
            }
            (Opcode::Not, [[a, b]]) => {
                let [low, high] = self.places(&e);
                self.alu(e.op, count, low.0, std::slice::from_ref(a))?;
                self.alu(e.op, count, high.0, std::slice::from_ref(b))?;
                [low.1, high.1]
            }
            (Opcode::Add, [a, b]) => {
                let places = self.places(&e);
                self.add_halves(count, a, b, places)?
            }
            (Opcode::Mul, [a, b]) => self.mul_halves(&e, a, b)?,
            (Opcode::Shl | Opcode::Shr | Opcode::Asr, [a, [by, _]]) => {
                self.shift_halves(e.op, count, a, by)?
            }
            (Opcode::Sel, [a, b]) => return self.select_halves(&e, a, b),
            (Opcode::Cmp, [a, b]) => {
                let signed = e.srcs[0].ty() == VType::Q;
                let [a, b] = self.comparable(count, signed, a, b)?;
                return self.apply(Elementwise {
                    srcs: [a, b].into_iter().collect(),
                    ..e
                });
            }
            (Opcode::FMinMax, [a, b]) => {
                let signed = e.srcs[0].ty() == VType::Q;
                let [x, y] = self.comparable(count, signed, a, b)?;
                let greater = e.lead == Some(kiln_visa::module::Operand::Field(1));
                let relation = if greater { Relation::Gt } else { Relation::Lt };
                let chosen = self.compare(relation, count, x, y)?;
                let select = Elementwise {
                    mask: Some(chosen),
                    ..elementwise(Opcode::Sel, count, e.dst, &[])
                };
                return self.select_halves(&select, a, b);
            }
            _ => return self.lacks(&e),
        };
        self.keep_halves(&e, results)
    }

    fn lacks<T>(&self, e: &Elementwise) -> Result<T> {
        let name = self.shared.platform.name;
        let what = e.op.row().mnemonic;
        self.error(Code::Platform, format!("{name} has no {what} of 64 bits"))
    }

    /// Moves the halves of a result to its destination, which may be narrower.
    fn keep_halves(&mut self, e: &Elementwise, [low, high]: Halves) -> Result<()> {
        if ty_of(&e.dst).is_none_or(|ty| ty.bytes() != LONG) {
            return self.masked(
                Opcode::Mov,
                e.count,
                e.dst.clone(),
                &[low],
                e.mask.clone(),
                false,
            );
        }
        for (upper, src) in [low, high].into_iter().enumerate() {
            let to = half_to(&e.dst, upper as u32);
            if is_place(&to, &src) {
                continue;
            }
            self.masked(Opcode::Mov, e.count, to, &[src], e.mask.clone(), false)?;
        }
        Ok(())
    }

    /// A sum or difference that does not wrap.
    fn saturated_sum(&mut self, e: &Elementwise) -> Result<()> {
        let count = e.count;
        let [a, b] = &e.srcs[..] else {
            return self.lacks(e);
        };
        let signed = ty_of(&e.dst) == Some(VType::Q);
        let less = match b {
            Src::Var { modifier, .. } | Src::Indirect { modifier, .. } => match modifier {
                Modifier::None => false,
                Modifier::Neg => true,
                _ => return self.lacks(e),
            },
            Src::Imm { .. } => false,
        };
        let other = b.clone().with(Modifier::None);
        let (a, b) = (self.halves(a, count)?, self.halves(&other, count)?);
        let second = match less {
            true => self.negative(count, b.clone())?,
            false => b.clone(),
        };
        let places = [self.temporary(count), self.temporary(count)];
        let [low, high] = self.add_halves(count, &a, &second, places)?;
        let high = self.no_immediate(&high, count)?;
        let (over, limit) = if signed {
            // A sum overflows if its sign differs from those of both operands; a difference, if the operands' signs differ
            // and its own is not that of the first.
            let mut differ = |x: &Src, y: &Src| -> Result<Src> {
                let x = self.no_immediate(x, count)?;
                self.computed(Opcode::Xor, VType::Ud, count, &[x, y.clone()])
            };
            let first = differ(&high, &a[1])?;
            let second = match less {
                true => differ(&a[1], &b[1])?,
                false => differ(&high, &b[1])?,
            };
            let both = self.computed(Opcode::And, VType::Ud, count, &[first, second])?;
            let number = both.typed(VType::D);
            let over = self.compare(Relation::Lt, count, number, imm(VType::D, 0))?;
            let first = self.no_immediate(&a[1], count)?.typed(VType::D);
            let places = imm(VType::Ud, HALF_BITS - 1);
            let sign = self.computed(Opcode::Asr, VType::D, count, &[first, places])?;
            let sign = sign.typed(VType::Ud);
            let most = [sign.clone(), imm(VType::Ud, SIGN - 1)];
            let most = self.computed(Opcode::Xor, VType::Ud, count, &most)?;
            let ones = self.computed(Opcode::Not, VType::Ud, count, &[sign])?;
            (over, [ones, most])
        } else {
            let sum = [low.clone(), high.clone()];
            let (x, y, limit) = match less {
                true => (&a, &b, 0),
                false => (&sum, &b, u64::from(u32::MAX)),
            };
            let [x, y] = self.comparable(count, false, x, y)?;
            let over = self.compare(Relation::Lt, count, x, y)?;
            (over, [imm(VType::Ud, limit), imm(VType::Ud, limit)])
        };
        let mut results = Vec::with_capacity(2);
        for (half, limit) in [low, high].into_iter().zip(limit) {
            let (_, to, result) = self.temp(VType::Ud, count);
            self.copy(count, to.clone(), half)?;
            self.masked(Opcode::Mov, count, to, &[limit], Some(over.clone()), false)?;
            results.push(result);
        }
        let [low, high] = &results[..] else {
            return self.lacks(e);
        };
        self.keep_halves(e, [low.clone(), high.clone()])
    }

    /// Moves an integer of 64 bits to a narrower destination, as near as it comes: by way of 32 bits.
    fn saturate_halves(&mut self, e: &Elementwise, [low, high]: &Halves) -> Result<()> {
        let count = e.count;
        let signed = |ty: VType| matches!(ty, VType::B | VType::W | VType::D | VType::Q);
        let from = signed(e.srcs[0].ty());
        let to = ty_of(&e.dst).is_some_and(signed);
        let greatest = imm(VType::Ud, if to { SIGN - 1 } else { u64::from(u32::MAX) });
        let zero = || imm(VType::Ud, 0);
        let ty = if to { VType::D } else { VType::Ud };
        let (_, place, result) = self.temp(ty, count);
        let place = place.typed(VType::Ud);
        self.copy(count, place.clone(), low.clone())?;
        let limit = |e: &mut Self, at: Mask, limit: Src| {
            e.masked(Opcode::Mov, count, place.clone(), &[limit], Some(at), false)
        };
        if from && to {
            // All bits of the upper half must be the sign of the lower one.
            let mut sign = |half: &Src| -> Result<Src> {
                let srcs = [half.clone().typed(VType::D), imm(VType::Ud, HALF_BITS - 1)];
                let sign = self.computed(Opcode::Asr, VType::D, count, &srcs)?;
                Ok(sign.typed(VType::Ud))
            };
            let (below, own) = (sign(low)?, sign(high)?);
            let nearest = self.computed(Opcode::Xor, VType::Ud, count, &[own, greatest])?;
            let over = self.compare(Relation::Ne, count, high.clone(), below)?;
            limit(self, over, nearest)?;
        } else {
            let over = self.compare(Relation::Ne, count, high.clone(), zero())?;
            limit(self, over, greatest.clone())?;
            if to {
                let over = self.compare(Relation::Gt, count, low.clone(), greatest.clone())?;
                limit(self, over, greatest)?;
            }
            if from {
                let number = high.clone().typed(VType::D);
                let minus = self.compare(Relation::Lt, count, number, imm(VType::D, 0))?;
                limit(self, minus, zero())?;
            }
        }
        self.masked(
            Opcode::Mov,
            count,
            e.dst.clone(),
            &[result],
            e.mask.clone(),
            true,
        )
    }

    /// The halves of a source of any integer type, with its modifier.
    fn halves(&mut self, src: &Src, count: u32) -> Result<Halves> {
        let modifier = match src {
            Src::Imm { .. } => Modifier::None,
            Src::Var { modifier, .. } | Src::Indirect { modifier, .. } => *modifier,
        };
        let plain = src.clone().with(Modifier::None);
        let ty = src.ty();
        let signed = matches!(ty, VType::B | VType::W | VType::D);
        let halves = match plain {
            src if ty.bytes() == LONG => [half(&src, 0), half(&src, 1)],
            Src::Imm { bits, .. } => {
                let above = 64 - 8 * ty.bytes();
                let bits = match signed {
                    true => ((bits << above).cast_signed() >> above).cast_unsigned(),
                    false => bits << above >> above,
                };
                let long = imm(VType::Uq, bits);
                [half(&long, 0), half(&long, 1)]
            }
            src if signed => {
                let low = self.computed(Opcode::Mov, VType::D, count, &[src])?;
                let places = imm(VType::Ud, HALF_BITS - 1);
                let high = self.computed(Opcode::Asr, VType::D, count, &[low.clone(), places])?;
                [low.typed(VType::Ud), high.typed(VType::Ud)]
            }
            src => {
                let low = self.computed(Opcode::Mov, VType::Ud, count, &[src])?;
                [low, imm(VType::Ud, 0)]
            }
        };
        match modifier {
            Modifier::None => Ok(halves),
            Modifier::Neg => self.negative(count, halves),
            Modifier::Abs => self.absolute(count, halves),
            Modifier::NegAbs => {
                let halves = self.absolute(count, halves)?;
                self.negative(count, halves)
            }
            _ => self.unsupported("this modifier of an integer of 64 bits"),
        }
    }

    fn negative(&mut self, count: u32, [low, high]: Halves) -> Result<Halves> {
        let minus = [negated(low.typed(VType::D))];
        let low = self
            .computed(Opcode::Mov, VType::D, count, &minus)?
            .typed(VType::Ud);
        let (_, to, flipped) = self.temp(VType::Ud, count);
        self.alu(Opcode::Not, count, to.clone(), &[high])?;
        let carries = self.compare(Relation::Eq, count, low.clone(), imm(VType::Ud, 0))?;
        let sum = [flipped.clone(), imm(VType::Ud, 1)];
        self.masked(Opcode::Add, count, to, &sum, Some(carries), false)?;
        Ok([low, flipped])
    }

    fn absolute(&mut self, count: u32, [low, high]: Halves) -> Result<Halves> {
        let zero = imm(VType::D, 0);
        let minus = self.compare(Relation::Lt, count, high.clone().typed(VType::D), zero)?;
        let [other_low, other_high] = self.negative(count, [low.clone(), high.clone()])?;
        let mut choose = |no: Src, yes: Src| -> Result<Src> {
            let (_, to, chosen) = self.temp(VType::Ud, count);
            self.copy(count, to.clone(), no)?;
            self.masked(Opcode::Mov, count, to, &[yes], Some(minus.clone()), false)?;
            Ok(chosen)
        };
        Ok([choose(low, other_low)?, choose(high, other_high)?])
    }

    /// Places for the halves of a result: those of the destination, or temporaries where it is masked or may be a source.
    fn places(&mut self, e: &Elementwise) -> [Place; 2] {
        let is_source = |var: Var| {
            let of = |src: &Src| match src {
                Src::Var { var: other, .. } => *other == var,
                Src::Imm { .. } => false,
                // It may be any variable whose address was taken.
                Src::Indirect { .. } => true,
            };
            e.srcs.iter().any(of)
        };
        [0, 1].map(|upper| match &e.dst {
            Dst::Var { var, ty, .. }
                if ty.bytes() == LONG && e.mask.is_none() && !is_source(*var) =>
            {
                let to = half_to(&e.dst, upper);
                match &to {
                    Dst::Var { var, layout, .. } => {
                        let src = source(*var, VType::Ud, layout.clone());
                        (to, src)
                    }
                    _ => self.temporary(e.count),
                }
            }
            _ => self.temporary(e.count),
        })
    }

    fn temporary(&mut self, count: u32) -> Place {
        let (_, to, src) = self.temp(VType::Ud, count);
        (to, src)
    }

    fn add_halves(
        &mut self,
        count: u32,
        [a, b]: &Halves,
        [c, d]: &Halves,
        [(to_low, low), (to_high, high)]: [Place; 2],
    ) -> Result<Halves> {
        // An immediate can only be the second source.
        let (first, second) = match a {
            Src::Imm { .. } => (c, a),
            _ => (a, c),
        };
        let sum = [first.clone(), second.clone()];
        self.alu(Opcode::Add, count, to_low, &sum)?;
        let carries = self.compare(Relation::Lt, count, low.clone(), second.clone())?;
        let (first, other) = match b {
            Src::Imm { .. } => (d, b),
            _ => (b, d),
        };
        let sum = [first.clone(), other.clone()];
        self.alu(Opcode::Add, count, to_high.clone(), &sum)?;
        let sum = [high.clone(), imm(VType::Ud, 1)];
        self.masked(Opcode::Add, count, to_high, &sum, Some(carries), false)?;
        Ok([low, high])
    }

    /// A product: of two dwords with all its bits, else the lower half of that of 64 bits.
    fn mul_halves(&mut self, e: &Elementwise, [a, b]: &Halves, [c, d]: &Halves) -> Result<Halves> {
        let count = e.count;
        let low = self.computed(Opcode::Mul, VType::Ud, count, &[a.clone(), c.clone()])?;
        let signed = matches!(e.srcs[0].ty(), VType::B | VType::W | VType::D);
        let narrow = e.srcs.iter().all(|src| src.ty().bytes() <= HALF);
        let ty = if signed && narrow {
            VType::D
        } else {
            VType::Ud
        };
        let dwords = [a.clone().typed(ty), c.clone().typed(ty)];
        let high = self
            .computed(Opcode::Mulh, ty, count, &dwords)?
            .typed(VType::Ud);
        if narrow {
            return Ok([low, high]);
        }
        let to = match &high {
            Src::Var { var, layout, .. } => Dst::var(*var, VType::Ud, layout.clone()),
            _ => return self.lacks(e),
        };
        for (x, y) in [(a, d), (c, b)] {
            let cross = self.computed(Opcode::Mul, VType::Ud, count, &[x.clone(), y.clone()])?;
            self.alu(Opcode::Add, count, to.clone(), &[high.clone(), cross])?;
        }
        Ok([low, high])
    }

    /// A shift: of dwords by the lower five bits of the amount, then by its sixth.
    fn shift_halves(
        &mut self,
        op: Opcode,
        count: u32,
        [low, high]: &Halves,
        by: &Src,
    ) -> Result<Halves> {
        let left = op == Opcode::Shl;
        // The half that bits leave, and that which they come to.
        let (from, to) = if left { (low, high) } else { (high, low) };
        let ty = if op == Opcode::Asr {
            VType::D
        } else {
            VType::Ud
        };
        let back = if left { Opcode::Shr } else { Opcode::Shl };
        let from = from.clone().typed(ty);
        let fill = |e: &mut Self| match op {
            Opcode::Asr => {
                let places = imm(VType::Ud, HALF_BITS - 1);
                e.computed(op, ty, count, &[from.clone(), places])
            }
            _ => Ok(imm(VType::Ud, 0)),
        };
        let ordered = |from: Src, to: Src| if left { [from, to] } else { [to, from] };
        if let Src::Imm { bits, .. } = by {
            let n = bits & 63;
            let amount = |n| imm(VType::Ud, n);
            if n == 0 {
                return Ok([low.clone(), high.clone()]);
            }
            if n >= HALF_BITS {
                let moved = self.computed(op, ty, count, &[from.clone(), amount(n - HALF_BITS)])?;
                let rest = fill(self)?;
                return Ok(ordered(rest.typed(VType::Ud), moved.typed(VType::Ud)));
            }
            let near = if left { Opcode::Shl } else { Opcode::Shr };
            let kept = self.computed(near, VType::Ud, count, &[to.clone(), amount(n)])?;
            let over = [from.clone().typed(VType::Ud), amount(HALF_BITS - n)];
            let over = self.computed(back, VType::Ud, count, &over)?;
            let to = self.computed(Opcode::Or, VType::Ud, count, &[kept, over])?;
            let from = self.computed(op, ty, count, &[from.clone(), amount(n)])?;
            return Ok(ordered(from.typed(VType::Ud), to));
        }
        let five = [by.clone(), imm(VType::Ud, HALF_BITS - 1)];
        let amount = self.computed(Opcode::And, VType::Ud, count, &five)?;
        let rest = [amount.clone(), imm(VType::Ud, HALF_BITS - 1)];
        let rest = self.computed(Opcode::Xor, VType::Ud, count, &rest)?;
        let near = if left { Opcode::Shl } else { Opcode::Shr };
        let kept = self.computed(near, VType::Ud, count, &[to.clone(), amount.clone()])?;
        // Two shifts, by one and by the rest, because the hardware takes a shift by 32 for one by 0.
        let one = [from.clone().typed(VType::Ud), imm(VType::Ud, 1)];
        let over = self.computed(back, VType::Ud, count, &one)?;
        let over = self.computed(back, VType::Ud, count, &[over, rest])?;
        let (_, to_dst, to) = self.temp(VType::Ud, count);
        self.alu(Opcode::Or, count, to_dst.clone(), &[kept, over])?;
        let (_, from_dst, moved) = self.temp(ty, count);
        self.alu(op, count, from_dst.clone(), &[from.clone(), amount])?;
        let sixth = [by.clone(), imm(VType::Ud, HALF_BITS)];
        let sixth = self.computed(Opcode::And, VType::Ud, count, &sixth)?;
        let far = self.compare(Relation::Ne, count, sixth, imm(VType::Ud, 0))?;
        let whole = [moved.clone().typed(VType::Ud)];
        self.masked(Opcode::Mov, count, to_dst, &whole, Some(far.clone()), false)?;
        let rest = [fill(self)?];
        self.masked(Opcode::Mov, count, from_dst, &rest, Some(far), false)?;
        Ok(ordered(moved.typed(VType::Ud), to))
    }

    fn select_halves(&mut self, e: &Elementwise, yes: &Halves, no: &Halves) -> Result<()> {
        let mut chosen = Vec::with_capacity(2);
        for (yes, no) in yes.iter().zip(no) {
            let (_, to, src) = self.temp(VType::Ud, e.count);
            let srcs = [self.no_immediate(yes, e.count)?, no.clone()];
            self.masked(Opcode::Sel, e.count, to, &srcs, e.mask.clone(), false)?;
            chosen.push(src);
        }
        for (upper, src) in chosen.into_iter().enumerate() {
            self.copy(e.count, half_to(&e.dst, upper as u32), src)?;
        }
        Ok(())
    }

    /// Dwords that are in the same order as two integers, without a sign: the upper halves if they differ, else the
    /// lower ones.
    fn comparable(
        &mut self,
        count: u32,
        signed: bool,
        [a, b]: &Halves,
        [c, d]: &Halves,
    ) -> Result<[Src; 2]> {
        let upper = self.no_immediate(b, count)?;
        let same = self.compare(Relation::Eq, count, upper, d.clone())?;
        let mut key = |low: &Src, high: &Src| -> Result<Src> {
            let (_, to, key) = self.temp(VType::Ud, count);
            match signed {
                true => {
                    let high = self.no_immediate(high, count)?;
                    self.alu(
                        Opcode::Xor,
                        count,
                        to.clone(),
                        &[high, imm(VType::Ud, SIGN)],
                    )?;
                }
                false => self.copy(count, to.clone(), high.clone())?,
            }
            let low = std::slice::from_ref(low);
            self.masked(Opcode::Mov, count, to, low, Some(same.clone()), false)?;
            Ok(key)
        };
        Ok([key(a, b)?, key(c, d)?])
    }

    /// A source that is no immediate.
    fn no_immediate(&mut self, src: &Src, count: u32) -> Result<Src> {
        match src {
            Src::Imm { ty, .. } => {
                self.computed(Opcode::Mov, *ty, count, std::slice::from_ref(src))
            }
            src => Ok(src.clone()),
        }
    }
}
