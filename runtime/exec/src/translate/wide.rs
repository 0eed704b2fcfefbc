//! Integers on lanes of 64 bits: quadwords, accumulators, products, and all that is exact in 64 bits.
//!
//! The interpreter computes such operations on numbers of 64 or 128 bits and wraps them when it stores them. Lanes of 64
//! bits give the same: where the numbers have 128 bits, only operations whose low 64 bits depend on nothing above them
//! are taken, and comparisons whose operands all have one order.

use iced_x86::{Code, IcedError, Register};
use kiln_emit::inst::{Cond, Op, Type};

use super::arithmetic::int_predicate;
use super::asm::{Arg, Done, Length, Mask, Reg, keep};
use super::codes::{self, Codes};
use super::emitter::{Emitter, Part};
use super::held::{ENABLED, HOLDS, TEMPS};
use super::masks::{takes_channels, takes_flags};
use super::operands::{Form, Place, destination, form, interferes};
use super::windows::place;
use crate::code::operation::{Base, Operation, Order, Path, Source, Steps, Target};
use crate::state::numbers::int_range;
use crate::state::thread::File;
use crate::state::wide::Rounding;

/// Maximum number of channels of a part.
const MOST: u8 = 8;
/// The unit of a quadword's upper half.
pub const UPPER: f64 = 4_294_967_296.0;
/// The double whose fraction counts ones, and the one whose fraction counts multiples of 2³².
const INTEGERS: f64 = 4_503_599_627_370_496.0;
const UPPER_INTEGERS: f64 = INTEGERS * UPPER;

/// The instructions of an operation.
#[derive(Clone, Copy, PartialEq)]
enum Row {
    Same,
    Complement,
    Two(Codes),
    Three(Codes),
    /// `a + b * c`.
    ProductSum,
    Average,
    /// Shifts by a distance within the operation's width.
    Shift(Codes),
    /// A shift of the low 32 bits.
    ShiftLow,
    Bits(u8),
    /// A sum and its carry; a difference and its borrow.
    Carry,
    Borrow,
    /// The product of both and the accumulator's.
    Accumulate,
    /// The upper or lower dword of a product that the accumulator has half of.
    Complete,
    Compare,
    ByPredicate,
    ByRelation,
}

fn row(op: &Operation) -> Option<Row> {
    let wide = op.width() == 64;
    Some(match op.op {
        Op::Mov => Row::Same,
        Op::Not => Row::Complement,
        Op::And => Row::Two(codes::ANDQ),
        Op::Or => Row::Two(codes::ORQ),
        Op::Xor => Row::Two(codes::XORQ),
        Op::Add => Row::Two(codes::ADDQ),
        Op::Mul => Row::Two(codes::MULLQ),
        Op::Add3 => Row::Three(codes::ADDQ),
        Op::Mad => Row::ProductSum,
        Op::Avg if op.path == Path::Int => Row::Average,
        Op::Shl => Row::Shift(codes::SLLVQ),
        Op::Shr if wide => Row::Shift(codes::SRLVQ),
        Op::Shr => Row::ShiftLow,
        Op::Asr if wide && op.srcs[0].ty == Type::Uq => Row::Shift(codes::SRLVQ),
        Op::Asr => Row::Shift(codes::SRAVQ),
        Op::Bfn(function) => Row::Bits(function),
        Op::Addc if op.path == Path::Int => Row::Carry,
        Op::Subb if op.path == Path::Int => Row::Borrow,
        Op::Mac => Row::Accumulate,
        Op::Mach | Op::Macl => Row::Complete,
        Op::Cmp | Op::Cmpn => Row::Compare,
        Op::Sel if op.cond.is_some() => Row::ByRelation,
        Op::Sel if op.pred.is_some() => Row::ByPredicate,
        _ => return None,
    })
}

/// The order of the sources' exact values as 64 bits; none if there is no such order.
fn order(op: &Operation) -> Option<Order> {
    let sources = op.sources();
    let signed = |s: &Source| match (&s.base, s.ty) {
        (Base::Constant(bits), Type::Uq) => *bits >> 63 == 0,
        (_, ty) => ty != Type::Uq,
    };
    let unsigned = |s: &Source| match (&s.base, s.ty) {
        (Base::Constant(bits), _) => *bits >> 63 == 0 || s.ty == Type::Uq,
        (_, ty) => !ty.is_signed() && !s.neg,
    };
    if sources.iter().all(signed) {
        Some(Order::Signed)
    } else {
        sources.iter().all(unsigned).then_some(Order::Unsigned)
    }
}

/// True if a source's exact value can be taken by lanes of 64 bits.
fn takes_source(op: &Operation, source: &Source) -> bool {
    let modified = source.abs || source.neg;
    let bits = matches!(op.op, Op::And | Op::Or | Op::Xor | Op::Not | Op::Bfn(_));
    let depends = matches!(op.op, Op::Cmp | Op::Cmpn | Op::Asr | Op::Avg)
        || op.op == Op::Sel && op.cond.is_some()
        || op.dst.ty.is_float();
    let copies = op.path == Path::Raw && !modified;
    if source.ty.is_float() && !bits && !copies || source.ty == Type::Vf {
        return false;
    }
    let full = source.is_accumulator() && !source.ty.is_float();
    // The least number of 64 bits has no magnitude.
    if (source.ty.bytes() == 8 || full) && modified && depends {
        return false;
    }
    // Carries and borrows are of an accumulator's low half.
    let halved = full && matches!(op.op, Op::Addc | Op::Subb);
    // Adjacent full values, of dwords.
    let adjacent = op.lanes == 1 || source.steps == Steps::Linear(4);
    !full || source.ty.bytes() == 4 && adjacent && !(modified && halved)
}

struct Shape {
    row: Row,
    parts: Vec<Part>,
    forms: Vec<Vec<Form>>,
    places: Vec<Place>,
    /// First byte of a destination in the accumulators.
    accumulator: Option<usize>,
}

/// True if the elements of a size from a byte on are in one accumulator.
pub fn in_one(at: usize, size: usize, part: Part, register: usize) -> bool {
    at.is_multiple_of(size) && at % register + usize::from(part.lanes) * size <= register
}

impl Emitter<'_> {
    fn wide_shape(&self, op: &Operation) -> Option<Shape> {
        let ty = op.dst.ty;
        let row = row(op)?;
        if !matches!(op.lanes, 1 | 2 | 4 | 8 | 16 | 32) || !takes_channels(op) || !takes_flags(op) {
            return None;
        }
        if !op.sources().iter().all(|s| takes_source(op, s)) {
            return None;
        }
        let converts = ty.is_float() && op.path != Path::Raw;
        if converts && !self.takes_conversion(op, row) {
            return None;
        }
        let narrow = ty.bytes() <= 4 && op.path == Path::Int && !converts;
        let overflow = op.cond.is_some_and(|c| c.cond == Cond::Ov);
        if (op.saturate || overflow) && (!narrow || row == Row::Complete) {
            return None;
        }
        let relation = matches!(row, Row::Compare | Row::ByRelation);
        if relation && (order(op).is_none() || op.cond.is_none())
            || op.cond.is_some_and(|c| c.cond == Cond::Eo)
        {
            return None;
        }
        let chooses = matches!(row, Row::ByPredicate | Row::ByRelation);
        if op.acc_write && (chooses || row == Row::Compare) {
            return None;
        }
        let mut dst = op.dst;
        let mut accumulator = None;
        if let Target::File {
            file: File::Acc,
            at,
        } = dst.target
        {
            if !matches!(ty, Type::D | Type::Ud)
                || dst.step != 4 && op.lanes != 1
                || row == Row::Compare
            {
                return None;
            }
            accumulator = Some(usize::from(at));
            dst.target = Target::Null;
        }
        let parts: Vec<Part> = Part::of(op.lanes, MOST).collect();
        if interferes(op, &parts) {
            return None;
        }
        let implicit = op.acc_write
            || matches!(
                row,
                Row::Carry | Row::Borrow | Row::Accumulate | Row::Complete
            );
        // A later part reads the accumulator that an earlier one writes, unless both are in the same lanes.
        let reads_accumulator = op.sources().iter().any(Source::is_accumulator);
        if parts.len() > 1 && implicit && (reads_accumulator || accumulator.is_some()) {
            return None;
        }
        let mut shape = Shape {
            row,
            forms: Vec::new(),
            places: Vec::new(),
            parts,
            accumulator,
        };
        for &part in &shape.parts {
            let distance = usize::from(part.first) * 4;
            let explicit = op.sources().iter().filter(|s| s.is_accumulator());
            let starts = explicit.filter_map(|s| match s.base {
                Base::File { at, .. } => Some(usize::from(at)),
                _ => None,
            });
            let mut starts = starts.chain(accumulator).chain(implicit.then_some(0));
            if !starts.all(|at| in_one(at + distance, 4, part, self.register_bytes)) {
                return None;
            }
            let forms = op.sources().iter().map(|s| form(s, part));
            shape.forms.push(forms.collect::<Option<_>>()?);
            shape.places.push(destination(&dst, part)?);
        }
        Some(shape)
    }

    /// True for moves of integers to floats that the host rounds as the interpreter does.
    fn takes_conversion(&self, op: &Operation, row: Row) -> bool {
        let fits = op
            .sources()
            .iter()
            .all(|s| (s.ty != Type::Uq || op.dst.ty == Type::Df) && !s.is_accumulator());
        matches!(op.dst.ty, Type::F | Type::Df)
            && self.mode.rounding == Rounding::NearestEven
            && row == Row::Same
            && fits
            && !op.saturate
            && op.cond.is_none()
            && !op.acc_write
    }

    /// An operation on integers; false if it is not translated.
    pub fn wide(&mut self, op: &Operation) -> Result<bool, IcedError> {
        let Some(shape) = self.wide_shape(op) else {
            return Ok(false);
        };
        for (n, &part) in shape.parts.iter().enumerate() {
            self.wide_part(op, &shape, (n, part))?;
        }
        Ok(true)
    }

    fn wide_part(&mut self, op: &Operation, shape: &Shape, (n, part): (usize, Part)) -> Done {
        let chooses = matches!(shape.row, Row::ByPredicate | Row::ByRelation);
        let enabled = self.enabled(op, part)?;
        if op.pred.is_some() {
            self.count_enabled()?;
        }
        let mask = match chooses {
            true => self.gate(op, part)?,
            false => enabled,
        };
        let logical = matches!(op.op, Op::And | Op::Or | Op::Xor | Op::Not | Op::Bfn(_));
        let mut s = [TEMPS[0], TEMPS[1], TEMPS[2]];
        for (n, (src, form)) in op.sources().iter().zip(&shape.forms[n]).enumerate() {
            s[n] = self.lanes64(src, (form, part), TEMPS[n], logical)?;
            if matches!(shape.row, Row::Carry | Row::Borrow) && src.is_accumulator() {
                let low = self.asm.quad(u32::MAX.into());
                let operands = (s[n], Arg::Each(low));
                self.asm
                    .three(codes::ANDQ, Length::Z, TEMPS[n], None, operands)?;
                s[n] = TEMPS[n];
            }
        }
        let l = Length::of(usize::from(part.lanes) * 8);
        if shape.row == Row::Compare {
            return self.wide_comparison(op, (l, part), mask, (shape.places[n], s));
        }
        let r = TEMPS[3];
        self.wide_compute(op, shape.row, (l, part), r, s)?;
        self.wide_finish(op, shape, (n, part), mask, r)
    }

    /// Stores a result, and sets the accumulator and the flags as the operation asks for.
    fn wide_finish(
        &mut self,
        op: &Operation,
        shape: &Shape,
        (n, part): (usize, Part),
        mask: Option<Register>,
        r: Reg,
    ) -> Done {
        let l = Length::of(usize::from(part.lanes) * 8);
        let size = op.dst.ty.bytes() as usize;
        let chooses = matches!(shape.row, Row::ByPredicate | Row::ByRelation);
        let full = TEMPS[6];
        match shape.row {
            // The accumulator receives the whole product, the destination a half of it.
            Row::Complete => self.complete(op, l, r, full)?,
            _ if op.dst.ty.is_float() && op.path != Path::Raw => {
                return self.store_float(op, shape.places[n], part, mask, r);
            }
            _ => {}
        }
        let limit = |e: &mut Self, dst: Reg| -> Done {
            let (low, high) = int_range(op.dst.ty);
            let (low, high) = (e.asm.quad(low as u64), e.asm.quad(high as u64));
            e.asm.each(codes::MAXSQ, l, dst, (r, low))?;
            e.asm.each(codes::MINSQ, l, dst, (dst, high))
        };
        let sets_flags = op.cond.is_some_and(|c| c.bit.is_some()) && !chooses;
        let overflow = sets_flags && op.cond.is_some_and(|c| c.cond == Cond::Ov);
        if overflow {
            let t = TEMPS[4];
            limit(self, t)?;
            const NOT_EQUAL: u32 = 4;
            let differs = (r, Arg::Reg(t), NOT_EQUAL);
            self.asm.compare(codes::CMPQ, l, (HOLDS, mask), differs)?;
            self.set_flags(op, part, mask, HOLDS)?;
        }
        if op.saturate {
            limit(self, r)?;
        }
        let distance = usize::from(part.first) * 4;
        if let Some(at) = shape.accumulator {
            self.write_accumulator(at + distance, part, mask, r)?;
        }
        let writes = op.acc_write && !matches!(shape.row, Row::Carry | Row::Borrow);
        if writes && shape.row == Row::Complete {
            self.write_accumulator(distance, part, mask, full)?;
        } else if writes {
            let t = TEMPS[4];
            match shape.accumulator {
                Some(_) => self.asm.copy(l, t, None, r)?,
                None => self.wrap(op.dst.ty, l, t, r)?,
            }
            self.write_accumulator(distance, part, mask, t)?;
        }
        if sets_flags && !overflow {
            self.wide_flags(op, shape.row, (l, part), mask, r)?;
        }
        self.close64((shape.places[n], size, part), mask, r, TEMPS[5])
    }

    /// The half of a product that the operation asks for, in `r`, which has the whole product; that is kept in `full`.
    fn complete(&mut self, op: &Operation, l: Length, r: Reg, full: Reg) -> Done {
        let signed = op.srcs[0].ty.is_signed() || op.srcs[1].ty.is_signed();
        self.asm.copy(l, full, None, r)?;
        let right = if signed { codes::SRAQ } else { codes::SRLQ };
        if op.op == Op::Macl {
            self.asm.number(codes::SLLQ, l, r, (full, 32))?;
            return self.asm.number(right, l, r, (r, 32));
        }
        self.asm.number(right, l, r, (full, 32))
    }

    fn wide_flags(
        &mut self,
        op: &Operation,
        row: Row,
        (l, part): (Length, Part),
        mask: Option<Register>,
        r: Reg,
    ) -> Done {
        let Some(cond) = op.cond else { return Ok(()) };
        let (value, zero) = (TEMPS[4], self.spare());
        match row {
            Row::Complete => self.asm.copy(l, value, None, r)?,
            _ => self.wrap(op.dst.ty, l, value, r)?,
        }
        self.asm.zero(zero)?;
        let codes = match op.dst.ty {
            Type::Uq => codes::CMPUQ,
            _ => codes::CMPQ,
        };
        self.wide_relation(codes, cond.cond, l, mask, (value, zero))?;
        self.set_flags(op, part, mask, HOLDS)
    }

    /// A number wrapped to a type and extended again.
    fn wrap(&mut self, ty: Type, l: Length, dst: Reg, src: Reg) -> Done {
        let unused = 64 - ty.bytes() * 8;
        if unused == 0 {
            return self.asm.copy(l, dst, None, src);
        }
        let right = if ty.is_signed() {
            codes::SRAQ
        } else {
            codes::SRLQ
        };
        self.asm.number(codes::SLLQ, l, dst, (src, unused))?;
        self.asm.number(right, l, dst, (dst, unused))
    }

    fn wide_relation(
        &mut self,
        codes: Codes,
        cond: Cond,
        l: Length,
        mask: Option<Register>,
        (a, b): (Reg, Reg),
    ) -> Done {
        match int_predicate(cond) {
            Some(number) => {
                let operands = (a, Arg::Reg(b), number);
                self.asm.compare(codes, l, (HOLDS, mask), operands)
            }
            None => self.mask_op(Code::VEX_Kxorw_kr_kr_kr, HOLDS, HOLDS, HOLDS),
        }
    }

    fn order_codes(op: &Operation) -> Codes {
        match order(op) {
            Some(Order::Unsigned) => codes::CMPUQ,
            _ => codes::CMPQ,
        }
    }

    fn wide_comparison(
        &mut self,
        op: &Operation,
        (l, part): (Length, Part),
        mask: Option<Register>,
        (place, [a, b, _]): (Place, [Reg; 3]),
    ) -> Done {
        let Some(cond) = op.cond else { return Ok(()) };
        self.wide_relation(Self::order_codes(op), cond.cond, l, mask, (a, b))?;
        if place != Place::Null {
            let all = TEMPS[4];
            let zeroing = Mask {
                k: HOLDS,
                zero: true,
            };
            let ones = (all, Arg::Reg(all), 0xff);
            self.asm
                .three_imm(codes::TERNLOGQ, l, all, Some(zeroing), ones)?;
            let size = op.dst.ty.bytes() as usize;
            self.close64((place, size, part), mask, all, TEMPS[5])?;
        }
        self.set_flags(op, part, mask, HOLDS)
    }

    /// Writes the accumulator's dwords from a byte on: full values, and their low halves.
    fn write_accumulator(&mut self, at: usize, part: Part, mask: Option<Register>, r: Reg) -> Done {
        let lanes = usize::from(part.lanes);
        let l = Length::of(lanes * 8);
        let d = self.write(self.wide_place(at, 4), lanes * 8, mask.is_some())?;
        match mask {
            None => self.asm.copy(l, d, None, r)?,
            Some(k) => self.merge(8, l, d, k, r)?,
        }
        let t = TEMPS[5];
        self.asm.narrow(codes::MOVQD, l, t, r)?;
        let bytes = place(File::Acc, at);
        let d = self.write(bytes, lanes * 4, mask.is_some())?;
        self.asm.copy(part.length32(), d, mask.and_then(keep), t)
    }

    fn store_float(
        &mut self,
        op: &Operation,
        place: Place,
        part: Part,
        mask: Option<Register>,
        r: Reg,
    ) -> Done {
        let l = Length::of(usize::from(part.lanes) * 8);
        let t = TEMPS[4];
        if op.dst.ty == Type::Df {
            match op.srcs[0].ty {
                Type::Uq => self.double_of_unsigned(l, t, r)?,
                _ => self.asm.two(codes::CVTQQ2PD, l, t, None, Arg::Reg(r))?,
            }
            return self.close64((place, 8, part), mask, t, TEMPS[5]);
        }
        self.asm.narrow(codes::CVTQQ2PS, l, t, r)?;
        let (d, k) = self.open32((place, 4, part), mask, t)?;
        self.asm.copy(part.length32(), d, k, t)?;
        self.close32((place, 4, part), mask, d, TEMPS[5])
    }

    /// Unsigned quadwords as doubles. Each half is the fraction of a large power of two; the sum of what is above the
    /// powers is rounded once.
    fn double_of_unsigned(&mut self, l: Length, to: Reg, quads: Reg) -> Done {
        let t = TEMPS[5];
        let powers = [INTEGERS, UPPER_INTEGERS, -(UPPER_INTEGERS + INTEGERS)];
        let [lower, upper, less] = powers.map(|power| self.asm.quad(power.to_bits()));
        let half = self.asm.quad(u32::MAX.into());
        self.asm.number(codes::SRLQ, l, to, (quads, 32))?;
        self.asm.each(codes::ORQ, l, to, (to, upper))?;
        self.asm.each(codes::ADDPD, l, to, (to, less))?;
        self.asm.each(codes::ANDQ, l, t, (quads, half))?;
        self.asm.each(codes::ORQ, l, t, (t, lower))?;
        self.asm.regs(codes::ADDPD, l, to, (to, t))
    }

    fn wide_compute(
        &mut self,
        op: &Operation,
        row: Row,
        (l, part): (Length, Part),
        r: Reg,
        [a, b, c]: [Reg; 3],
    ) -> Done {
        let t = TEMPS[4];
        let three = |e: &mut Self, codes, d, a, b| e.asm.regs(codes, l, d, (a, b));
        let distance = usize::from(part.first) * 4;
        match row {
            Row::Same => self.asm.copy(l, r, None, a),
            Row::Complement => self.complement(codes::TERNLOGQ, l, r, a),
            Row::Two(codes) => three(self, codes, r, a, b),
            Row::Three(codes) => {
                three(self, codes, r, a, b)?;
                three(self, codes, r, r, c)
            }
            Row::ProductSum => {
                three(self, codes::MULLQ, r, b, c)?;
                three(self, codes::ADDQ, r, r, a)
            }
            Row::Average => {
                let one = self.asm.quad(1);
                three(self, codes::ADDQ, r, a, b)?;
                self.asm.each(codes::ADDQ, l, r, (r, one))?;
                self.asm.number(codes::SRAQ, l, r, (r, 1))
            }
            Row::Shift(_) | Row::ShiftLow => {
                let distances = self.asm.quad(op.width() - 1);
                self.asm.each(codes::ANDQ, l, t, (b, distances))?;
                if let Row::Shift(codes) = row {
                    return three(self, codes, r, a, t);
                }
                let low = self.asm.quad(u32::MAX.into());
                self.asm.each(codes::ANDQ, l, r, (a, low))?;
                three(self, codes::SRLVQ, r, r, t)
            }
            Row::Bits(function) => {
                self.asm.copy(l, r, None, c)?;
                let operands = (b, Arg::Reg(a), u32::from(function));
                self.asm.three_imm(codes::TERNLOGQ, l, r, None, operands)
            }
            Row::Carry => {
                three(self, codes::ADDQ, r, a, b)?;
                let one = self.asm.quad(1);
                self.asm.number(codes::SRLQ, l, t, (r, 32))?;
                self.asm.each(codes::ANDQ, l, t, (t, one))?;
                self.carry(op, part, t)
            }
            Row::Borrow => {
                three(self, codes::SUBQ, r, a, b)?;
                const LESS: u32 = 1;
                self.asm
                    .compare(codes::CMPQ, l, (HOLDS, None), (a, Arg::Reg(b), LESS))?;
                let one = self.asm.quad(1);
                let zeroing = Mask {
                    k: HOLDS,
                    zero: true,
                };
                self.asm
                    .two(codes::BROADCASTQ, l, t, Some(zeroing), Arg::Each(one))?;
                self.carry(op, part, t)
            }
            Row::Accumulate => {
                three(self, codes::MULLQ, r, a, b)?;
                let acc = self.read(self.wide_place(distance, 4), usize::from(part.lanes) * 8)?;
                three(self, codes::ADDQ, r, r, acc)
            }
            Row::Complete => {
                let upper = self.asm.quad(!0xffff);
                self.asm.each(codes::ANDQ, l, t, (b, upper))?;
                three(self, codes::MULLQ, r, a, t)?;
                let acc = self.read(self.wide_place(distance, 4), usize::from(part.lanes) * 8)?;
                three(self, codes::ADDQ, r, r, acc)
            }
            Row::ByPredicate => {
                self.predicate(op, part)?;
                self.asm
                    .plain(Code::VEX_Kmovw_kr_r32, HOLDS, Register::EAX)?;
                let operands = (b, Arg::Reg(a));
                self.asm.three(codes::BLENDMQ, l, r, keep(HOLDS), operands)
            }
            Row::ByRelation => {
                let Some(cond) = op.cond else { return Ok(()) };
                self.wide_relation(Self::order_codes(op), cond.cond, l, None, (a, b))?;
                let operands = (b, Arg::Reg(a));
                self.asm.three(codes::BLENDMQ, l, r, keep(HOLDS), operands)
            }
            Row::Compare => Ok(()),
        }
    }

    /// Writes carries to the accumulator, under the mask of the enabled channels.
    fn carry(&mut self, op: &Operation, part: Part, carries: Reg) -> Done {
        let enabled = match (op.ungated, op.pred) {
            (_, Some(_)) => Some(ENABLED),
            _ => self.gate(op, part)?,
        };
        self.write_accumulator(usize::from(part.first) * 4, part, enabled, carries)
    }
}
