//! Quotients and remainders.
//!
//! vISA divides floats approximately or, where the platform has the macros, correctly rounded, and on the older platforms
//! integers of 32 bits. Elsewhere these are multiplied by a reciprocal, integers of 64 bits by one that is a double, and
//! the quotient is corrected by what remains. Remainders of floats are exact: the significand of the dividend is divided
//! bit by bit.

use kiln_visa::module::{Exec, Operand, PredUse, Type as VType};
use kiln_visa::opcode::{Opcode, Relation};

use super::alu::typed;
use super::bale;
use super::function::{Emitter, imm};
use super::operand::{Dst, Layout, Src};
use super::predicates::Mask;
use super::value::negated;
use crate::error::{Code, Result};
use crate::intrinsics::Sign;
use crate::ir::{BinaryOp, Inst, Scalar, Value};

/// A double slightly below 1: a quotient times it is never too large. In units of 2^-53 its margin is 16. At most four
/// roundings make a quotient larger, by one unit each, or by two if the mode of rounding is upwards: the reciprocal, which
/// is rounded correctly, its product with this number, the conversion of the dividend, and their product. The conversion of
/// the divisor, which makes it larger where it rounds down, adds one, or two in a mode where the other four add none.
const BELOW_ONE: f64 = 1.0 - 1.0 / (1u64 << 49) as f64;

/// Scale of an approximate reciprocal to units of 2^-32: 2^32 less a margin, so that the product is never above the exact
/// reciprocal. In parts of 2^-32 the margin is 1536. The conversion of the divisor to a float adds at most 256; `inv`, which
/// may be one unit in the last place off the correctly rounded float, 768; the rounding of the product 256. In a mode of
/// rounding that is not to the nearest, one of the first and the last adds 512, and the other none. The floats below 2^32
/// are 256 apart, and 1280 would leave nothing for products of the errors.
const BELOW_WORD: f32 = 4_294_965_760.0;

/// A variable as destination and source.
type Both = (Dst, Src);

/// Format of a float: its bits as an integer, and the bits of its fraction.
struct Format {
    ty: VType,
    bits: u32,
    fraction: u32,
}

impl Format {
    fn sign(&self) -> u64 {
        1 << (self.bits - 1)
    }

    fn infinity(&self) -> u64 {
        (self.sign() - 1) & !(self.hidden() - 1)
    }

    /// The bit of the significand that is not stored.
    fn hidden(&self) -> u64 {
        1 << self.fraction
    }
}

impl Emitter<'_, '_> {
    /// A new variable.
    fn fresh(&mut self, ty: VType, count: u32) -> Both {
        let (_, dst, src) = self.temp(ty, count);
        (dst, src)
    }

    /// The result of an operation in a new variable.
    pub fn computed(&mut self, op: Opcode, ty: VType, count: u32, srcs: &[Src]) -> Result<Src> {
        let (dst, src) = self.fresh(ty, count);
        self.alu(op, count, dst, srcs)?;
        Ok(src)
    }

    /// Quotient or remainder of integers.
    pub fn divide(
        &mut self,
        op: BinaryOp,
        count: u32,
        scalar: Scalar,
        a: Value,
        b: Value,
        dst: Dst,
    ) -> Result<()> {
        let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        let sign = bale::sign(signed);
        let bits = self.shared.module.types.bits(scalar);
        if bits == 64 {
            return self.divide_long(op, signed, count, a, b, dst);
        }
        let opcode = match op {
            BinaryOp::UDiv | BinaryOp::SDiv => Opcode::Div,
            _ => Opcode::Mod,
        };
        let ty = if signed { VType::D } else { VType::Ud };
        let (left, right) = (self.source(a, sign)?, self.source(b, sign)?);
        let generation = self.shared.platform.generation;
        // Where vISA has no `mod`, its `div` is of floats.
        let divides = Opcode::Mod.row().platforms.contains(generation);
        let quotient = |e: &mut Self, dst: Dst, left: Src, right: Src| match divides {
            true => e.alu(opcode, count, dst, &[left, right]),
            false => e.divide_words(op, count, [left, right], dst),
        };
        if bits == 32 {
            return quotient(self, typed(dst, ty), left, right);
        }
        let mut wide = |src: Src| -> Result<Src> {
            if let Src::Imm { bits: n, .. } = src {
                let n = if signed {
                    (n << (64 - bits)).cast_signed() >> (64 - bits)
                } else {
                    n as i64
                };
                return Ok(imm(ty, n.cast_unsigned()));
            }
            self.computed(Opcode::Mov, ty, count, &[src])
        };
        let (left, right) = (wide(left)?, wide(right)?);
        let (to, result) = self.fresh(ty, count);
        quotient(self, to, left, right)?;
        self.copy(count, dst, result)
    }

    /// Quotient or remainder of integers of 32 bits, by a product with the reciprocal of the divisor in units of 2^-32.
    /// The quotient is too small by at most one for a constant divisor, and by at most two for a variable one, whose
    /// reciprocal is made from that of a float.
    fn divide_words(
        &mut self,
        op: BinaryOp,
        count: u32,
        [left, right]: [Src; 2],
        dst: Dst,
    ) -> Result<()> {
        let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        let (n, n_negative) = self.magnitude(left, VType::Ud, count, signed)?;
        let constant = match right {
            Src::Imm { bits, .. } if bits as u32 != 0 => Some(bits as u32),
            _ => None,
        };
        let (d, mut negative, reciprocal, corrections) = match constant {
            Some(bits) => {
                let minus = signed && bits.cast_signed() < 0;
                let d = if minus { bits.wrapping_neg() } else { bits };
                let mask = n_negative.map(|mask| Mask {
                    inverse: mask.inverse ^ (minus && op == BinaryOp::SDiv),
                    ..mask
                });
                let d = u64::from(d);
                let reciprocal = imm(VType::Ud, u64::from(u32::MAX) / d);
                (imm(VType::Ud, d), vec![mask], reciprocal, 1)
            }
            None => {
                let (d, d_negative) = self.magnitude(right, VType::Ud, count, signed)?;
                let reciprocal = self.word_reciprocal(count, &d)?;
                (d, vec![n_negative, d_negative], reciprocal, 2)
            }
        };
        if op == BinaryOp::SRem {
            negative.truncate(1);
        }
        let (q_to, q) = self.fresh(VType::Ud, count);
        self.alu(Opcode::Mulh, count, q_to.clone(), &[n.clone(), reciprocal])?;
        let taken = self.computed(Opcode::Mul, VType::Ud, count, &[q.clone(), d.clone()])?;
        let less = negated(taken.typed(VType::D));
        let (r_to, r) = self.fresh(VType::Ud, count);
        let rest_to = typed(r_to.clone(), VType::D);
        self.alu(Opcode::Add, count, rest_to, &[n.typed(VType::D), less])?;
        let divides = matches!(op, BinaryOp::UDiv | BinaryOp::SDiv);
        for last in (0..corrections).map(|i| i + 1 == corrections) {
            let more = self.compare(Relation::Ge, count, r.clone(), d.clone())?;
            if divides {
                let sum = [q.clone(), imm(VType::Ud, 1)];
                self.masked(
                    Opcode::Add,
                    count,
                    q_to.clone(),
                    &sum,
                    Some(more.clone()),
                    false,
                )?;
            }
            if !(divides && last) {
                let less = match &d {
                    Src::Imm { bits, .. } => imm(VType::D, bits.wrapping_neg()),
                    d => negated(d.clone().typed(VType::D)),
                };
                let sum = [r.clone().typed(VType::D), less];
                let to = typed(r_to.clone(), VType::D);
                self.masked(Opcode::Add, count, to, &sum, Some(more), false)?;
            }
        }
        let result = if divides { (q_to, q) } else { (r_to, r) };
        self.with_sign(count, result, VType::D, negative, dst)
    }

    /// Reciprocals of dwords in units of 2^-32, from those of floats by one step of Newton's method.
    fn word_reciprocal(&mut self, count: u32, d: &Src) -> Result<Src> {
        let float = self.computed(Opcode::Mov, VType::F, count, std::slice::from_ref(d))?;
        let inverse = self.computed(Opcode::Inv, VType::F, count, &[float])?;
        let below = imm(VType::F, BELOW_WORD.to_bits().into());
        let scaled = self.computed(Opcode::Mul, VType::F, count, &[inverse, below])?;
        let (to, estimate) = self.fresh(VType::Ud, count);
        self.copy(count, to.clone(), scaled)?;
        let product = self.computed(
            Opcode::Mul,
            VType::Ud,
            count,
            &[d.clone(), estimate.clone()],
        )?;
        let lacks = [negated(product.typed(VType::D))];
        let lacks = self.computed(Opcode::Mov, VType::D, count, &lacks)?;
        let srcs = [estimate.clone(), lacks.typed(VType::Ud)];
        let more = self.computed(Opcode::Mulh, VType::Ud, count, &srcs)?;
        self.alu(Opcode::Add, count, to, &[estimate.clone(), more])?;
        Ok(estimate)
    }

    /// A magnitude with its sign changed by each of these masks.
    fn with_sign(
        &mut self,
        count: u32,
        (to, result): Both,
        ty: VType,
        masks: Vec<Option<Mask>>,
        dst: Dst,
    ) -> Result<()> {
        let (to, result) = (typed(to, ty), result.typed(ty));
        for mask in masks.into_iter().flatten() {
            let other = [negated(result.clone())];
            self.masked(Opcode::Mov, count, to.clone(), &other, Some(mask), false)?;
        }
        self.copy(count, typed(dst, ty), result)
    }

    /// The magnitude of a number in a variable of an unsigned type, and where it is negative.
    fn magnitude(
        &mut self,
        given: Src,
        ty: VType,
        count: u32,
        signed: bool,
    ) -> Result<(Src, Option<Mask>)> {
        let (dst, src) = self.fresh(ty, count);
        self.copy(count, dst.clone(), given)?;
        if !signed {
            return Ok((src, None));
        }
        let ty = if ty == VType::Uq { VType::Q } else { VType::D };
        let number = src.clone().typed(ty);
        let negative = self.compare(Relation::Lt, count, number.clone(), imm(ty, 0))?;
        let to = typed(dst, ty);
        self.masked(
            Opcode::Mov,
            count,
            to,
            &[negated(number)],
            Some(negative.clone()),
            false,
        )?;
        Ok((src, Some(negative)))
    }

    /// Quotient or remainder of integers of 64 bits. With the reciprocal r of the divisor, too small by a little, the
    /// product with the dividend is a quotient that lacks less than 2^16; that of what remains lacks at most one.
    fn divide_long(
        &mut self,
        op: BinaryOp,
        signed: bool,
        count: u32,
        a: Value,
        b: Value,
        dst: Dst,
    ) -> Result<()> {
        if !self.shared.platform.fp64 {
            return self.divide_by_bits(op, count, [a, b], dst);
        }
        let (a, b) = (
            self.source(a, Sign::Unsigned)?,
            self.source(b, Sign::Unsigned)?,
        );
        let (n, n_negative) = self.magnitude(a, VType::Uq, count, signed)?;
        let (d, d_negative) = self.magnitude(b, VType::Uq, count, signed)?;
        let divisor = self.computed(Opcode::Mov, VType::Df, count, std::slice::from_ref(&d))?;
        let one = imm(VType::Df, 1.0f64.to_bits());
        let exact = self.computed(Opcode::Divm, VType::Df, count, &[one, divisor])?;
        let below = imm(VType::Df, BELOW_ONE.to_bits());
        let reciprocal = self.computed(Opcode::Mul, VType::Df, count, &[exact, below])?;
        let (q_to, q) = self.fresh(VType::Uq, count);
        let (r_to, r) = self.fresh(VType::Uq, count);
        self.copy(count, q_to.clone(), imm(VType::Uq, 0))?;
        self.copy(count, r_to.clone(), n)?;
        for _ in 0..2 {
            let wide = self.computed(Opcode::Mov, VType::Df, count, std::slice::from_ref(&r))?;
            let srcs = [wide, reciprocal.clone()];
            let product = self.computed(Opcode::Mul, VType::Df, count, &srcs)?;
            let part = self.computed(Opcode::Mov, VType::Uq, count, &[product])?;
            self.alu(Opcode::Add, count, q_to.clone(), &[q.clone(), part.clone()])?;
            let (taken_to, taken) = self.fresh(VType::Uq, count);
            self.multiply_halves(count, &part, &d, taken_to)?;
            let less = negated(taken.typed(VType::Q));
            let rest = r.clone().typed(VType::Q);
            self.alu(
                Opcode::Add,
                count,
                typed(r_to.clone(), VType::Q),
                &[rest, less],
            )?;
        }
        let more = self.compare(Relation::Ge, count, r.clone(), d.clone())?;
        let (result_to, result, change) = match op {
            BinaryOp::UDiv | BinaryOp::SDiv => (q_to, q, imm(VType::Q, 1)),
            _ => (r_to, r, negated(d.typed(VType::Q))),
        };
        let sum = [result.clone().typed(VType::Q), change];
        let to = typed(result_to.clone(), VType::Q);
        self.masked(Opcode::Add, count, to, &sum, Some(more), false)?;
        // A quotient of different signs is negative; a remainder has the sign of the dividend.
        let masks = match op {
            BinaryOp::SDiv => vec![n_negative, d_negative],
            _ => vec![n_negative],
        };
        self.with_sign(count, (result_to, result), VType::Q, masks, dst)
    }

    /// Quotient or remainder of integers of 64 bits, bit by bit: for platforms without doubles.
    fn divide_by_bits(
        &mut self,
        op: BinaryOp,
        count: u32,
        [a, b]: [Value; 2],
        dst: Dst,
    ) -> Result<()> {
        let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        let (a, b) = (
            self.source(a, Sign::Unsigned)?,
            self.source(b, Sign::Unsigned)?,
        );
        let (n, n_negative) = self.magnitude(a, VType::Uq, count, signed)?;
        let (d, d_negative) = self.magnitude(b, VType::Uq, count, signed)?;
        // The bits of the dividend leave at the top, and those of the quotient come in at the bottom.
        let (q_to, q) = self.fresh(VType::Uq, count);
        let (r_to, r) = self.fresh(VType::Uq, count);
        let (left_to, left) = self.fresh(VType::Ud, 1);
        self.copy(count, q_to.clone(), n)?;
        self.copy(count, r_to.clone(), imm(VType::Uq, 0))?;
        self.copy(1, left_to.clone(), imm(VType::Ud, 64))?;
        let number = self.object().builder_surfaces();
        let again = self.object().builder.label(&format!("div_{number}"));
        self.object().builder.define(again);
        let one = imm(VType::Uq, 1);
        let top = [q.clone(), imm(VType::Ud, 63)];
        let top = self.computed(Opcode::Shr, VType::Uq, count, &top)?;
        let sign = r.clone().typed(VType::Q);
        let over = self.compare(Relation::Lt, count, sign, imm(VType::Q, 0))?;
        for (to, src) in [(&r_to, &r), (&q_to, &q)] {
            let srcs = [src.clone(), imm(VType::Ud, 1)];
            self.alu(Opcode::Shl, count, to.clone(), &srcs)?;
        }
        self.alu(Opcode::Or, count, r_to.clone(), &[r.clone(), top])?;
        // A remainder that overflows 64 bits is above the divisor, and below it after one subtraction.
        let mut fits = Some(over);
        for _ in 0..2 {
            let fits = match fits.take() {
                Some(over) => over,
                None => self.compare(Relation::Ge, count, r.clone(), d.clone())?,
            };
            let rest = [
                r.clone().typed(VType::Q),
                negated(d.clone().typed(VType::Q)),
            ];
            let to = typed(r_to.clone(), VType::Q);
            self.masked(Opcode::Add, count, to, &rest, Some(fits.clone()), false)?;
            let bit = [q.clone(), one.clone()];
            self.masked(Opcode::Or, count, q_to.clone(), &bit, Some(fits), false)?;
        }
        let fewer = [
            left.clone().typed(VType::D),
            imm(VType::D, u64::from(u32::MAX)),
        ];
        self.alu(Opcode::Add, 1, typed(left_to, VType::D), &fewer)?;
        let more = self.compare(Relation::Ne, 1, left, imm(VType::Ud, 0))?;
        let to: Operand = again.into();
        self.object()
            .inst_if(Opcode::Jmp, Exec::channels(1), more.at(0), [to]);
        let (result, masks) = match op {
            BinaryOp::SDiv => ((q_to, q), vec![n_negative, d_negative]),
            BinaryOp::UDiv => ((q_to, q), vec![]),
            _ => ((r_to, r), vec![n_negative]),
        };
        self.with_sign(count, result, VType::Q, masks, dst)
    }

    /// Quotient of floats: rounded correctly unless the instruction allows a reciprocal.
    pub fn quotient(
        &mut self,
        inst: Inst,
        count: u32,
        scalar: Scalar,
        dst: Dst,
        mask: Option<Mask>,
        saturate: bool,
    ) -> Result<()> {
        let data = self.data(inst);
        let (a, b) = (
            self.source(data.args[0], Sign::Own)?,
            self.source(data.args[1], Sign::Own)?,
        );
        let reciprocal = data.flags.arcp || data.flags.afn;
        match scalar {
            Scalar::Float | Scalar::Half if reciprocal => {
                self.masked(Opcode::Div, count, dst, &[a, b], mask, saturate)
            }
            _ => self.ieee(Opcode::Divm, count, scalar, dst, &[a, b]),
        }
    }

    /// A quotient or root that is rounded correctly.
    pub fn ieee(
        &mut self,
        op: Opcode,
        count: u32,
        scalar: Scalar,
        dst: Dst,
        srcs: &[Src],
    ) -> Result<()> {
        let platform = self.shared.platform;
        if !op.row().platforms.contains(platform.generation) {
            let what = if op == Opcode::Divm {
                "quotients"
            } else {
                "square roots"
            };
            return self.error(
                Code::Platform,
                format!(
                    "{} has no correctly rounded {what}; `arcp` or `afn` allows others",
                    platform.name
                ),
            );
        }
        // The result of a half is that of a float, rounded: 24 bits are more than twice 11 and two.
        match scalar {
            Scalar::Half => self.as_float(op, count, dst, srcs),
            _ => self.alu(op, count, dst, srcs),
        }
    }

    /// An operation that vISA has only for floats, on halves.
    pub fn as_float(&mut self, op: Opcode, count: u32, dst: Dst, srcs: &[Src]) -> Result<()> {
        let mut wide = Vec::new();
        for src in srcs {
            wide.push(self.computed(Opcode::Mov, VType::F, count, std::slice::from_ref(src))?);
        }
        let result = self.computed(op, VType::F, count, &wide)?;
        self.copy(count, dst, result)
    }

    /// Remainder of floats with the sign of the dividend.
    pub fn remainder(
        &mut self,
        count: u32,
        scalar: Scalar,
        a: Value,
        b: Value,
        dst: Dst,
    ) -> Result<()> {
        let a = self.in_variable(a, count)?;
        let b = self.in_variable(b, count)?;
        match scalar {
            Scalar::Half => {
                // A remainder of halves is a half, and equals the remainder of the same floats.
                let mut wide = Vec::new();
                for src in [a, b] {
                    let src = src.typed(VType::Hf);
                    wide.push(self.computed(Opcode::Mov, VType::F, count, &[src])?);
                }
                let (to, result) = self.fresh(VType::F, count);
                self.float_remainder(count, Scalar::Float, &wide[0], &wide[1], to)?;
                self.copy(count, dst, result)
            }
            _ => self.float_remainder(count, scalar, &a, &b, dst),
        }
    }

    /// Significand and exponent of a magnitude; those of a number that is not normal have the least exponent.
    fn parts(&mut self, of: &Format, count: u32, magnitude: &Src) -> Result<(Both, Both)> {
        let fraction = imm(VType::Ud, of.fraction.into());
        let (exponent_to, exponent) = self.fresh(of.ty, count);
        let srcs = [magnitude.clone(), fraction];
        self.alu(Opcode::Shr, count, exponent_to.clone(), &srcs)?;
        let (significand_to, significand) = self.fresh(of.ty, count);
        let low = imm(of.ty, of.hidden() - 1);
        self.alu(
            Opcode::And,
            count,
            significand_to.clone(),
            &[magnitude.clone(), low],
        )?;
        let normal = self.compare(Relation::Ne, count, exponent.clone(), imm(of.ty, 0))?;
        let whole = [significand.clone(), imm(of.ty, of.hidden())];
        let to = significand_to.clone();
        self.masked(Opcode::Or, count, to, &whole, Some(normal.clone()), false)?;
        let other = Mask {
            inverse: !normal.inverse,
            ..normal
        };
        let least = [imm(of.ty, 1)];
        self.masked(
            Opcode::Mov,
            count,
            exponent_to.clone(),
            &least,
            Some(other),
            false,
        )?;
        Ok(((significand_to, significand), (exponent_to, exponent)))
    }

    fn float_remainder(
        &mut self,
        count: u32,
        scalar: Scalar,
        a: &Src,
        b: &Src,
        dst: Dst,
    ) -> Result<()> {
        let of = match scalar {
            Scalar::Double => Format {
                ty: VType::Uq,
                bits: 64,
                fraction: 52,
            },
            _ => Format {
                ty: VType::Ud,
                bits: 32,
                fraction: 23,
            },
        };
        let signed = if of.bits == 64 { VType::Q } else { VType::D };
        let magnitude = imm(of.ty, of.sign() - 1);
        let (x, y) = (a.clone().typed(of.ty), b.clone().typed(of.ty));
        let x_abs = self.computed(Opcode::And, of.ty, count, &[x.clone(), magnitude.clone()])?;
        let y_abs = self.computed(Opcode::And, of.ty, count, &[y, magnitude])?;
        let ((m_to, m), (n_to, n)) = self.parts(&of, count, &x_abs)?;
        let ((divisor_to, divisor), (exponent_to, exponent)) = self.parts(&of, count, &y_abs)?;
        let (to, e_to) = ((&divisor_to, &divisor), (&exponent_to, &exponent));
        self.move_up(&of, count, to, e_to, false)?;
        // The bits that are left: the difference of the exponents.
        let less = negated(exponent.clone().typed(signed));
        let steps = n.typed(signed);
        let steps_to = typed(n_to, signed);
        self.alu(Opcode::Add, count, steps_to.clone(), &[steps.clone(), less])?;
        let m_signed = typed(m_to.clone(), signed);
        let minus = negated(divisor.clone().typed(signed));
        let reduce = |e: &mut Self| -> Result<()> {
            let large = e.compare(Relation::Ge, count, m.clone(), divisor.clone())?;
            let srcs = [m.clone().typed(signed), minus.clone()];
            e.masked(
                Opcode::Add,
                count,
                m_signed.clone(),
                &srcs,
                Some(large),
                false,
            )
        };
        reduce(self)?;
        let number = self.object().builder_surfaces();
        let [again, end] = ["again", "end"]
            .map(|what| self.object().builder.label(&format!("rem_{number}_{what}")));
        self.object().builder.define(again);
        let open = self.compare(Relation::Gt, count, steps.clone(), imm(signed, 0))?;
        let some = self.any_of(&open)?;
        let none = PredUse {
            inverse: !some.inverse,
            ..some
        };
        let to: Operand = end.into();
        self.object()
            .inst_if(Opcode::Jmp, Exec::channels(1), Some(none), [to]);
        let one = imm(VType::Ud, 1);
        let shifted = [m.clone(), one];
        self.masked(
            Opcode::Shl,
            count,
            m_to.clone(),
            &shifted,
            Some(open.clone()),
            false,
        )?;
        reduce(self)?;
        let fewer = [steps.clone(), imm(signed, u64::MAX)];
        self.masked(Opcode::Add, count, steps_to, &fewer, Some(open), false)?;
        let to: Operand = again.into();
        self.object()
            .inst_if(Opcode::Jmp, Exec::channels(1), None, [to]);
        self.object().builder.define(end);
        let bits = self.normalized(&of, count, (m_to, m), exponent)?;
        self.finish_remainder(&of, count, [&x, &x_abs, &y_abs], bits, dst)
    }

    /// Moves a significand up, a step a bit, until it has the hidden bit, and its exponent down: to the least if that
    /// is a limit.
    fn move_up(
        &mut self,
        of: &Format,
        count: u32,
        (m_to, m): (&Dst, &Src),
        (e_to, e): (&Dst, &Src),
        limited: bool,
    ) -> Result<()> {
        let signed = if of.bits == 64 { VType::Q } else { VType::D };
        let highest = of.fraction.ilog2();
        for by in (0..=highest).rev().map(|step| 1u32 << step) {
            let limit = imm(of.ty, of.hidden() >> (by - 1));
            let mut mask = self.compare(Relation::Lt, count, m.clone(), limit)?;
            if limited {
                let high = self.compare(Relation::Gt, count, e.clone(), imm(of.ty, by.into()))?;
                let both = self.object().mask(count);
                self.both(&both, &mask, &high)?;
                mask = both;
            }
            let srcs = [m.clone(), imm(VType::Ud, by.into())];
            let to = m_to.clone();
            self.masked(Opcode::Shl, count, to, &srcs, Some(mask.clone()), false)?;
            let srcs = [
                e.clone().typed(signed),
                imm(signed, u64::from(by).wrapping_neg()),
            ];
            let to = typed(e_to.clone(), signed);
            self.masked(Opcode::Add, count, to, &srcs, Some(mask), false)?;
        }
        Ok(())
    }

    /// Bits of the float with this significand and exponent, which may be below the least.
    fn normalized(
        &mut self,
        of: &Format,
        count: u32,
        (m_to, m): Both,
        exponent: Src,
    ) -> Result<Both> {
        let (e_to, e) = self.fresh(of.ty, count);
        self.copy(count, e_to.clone(), exponent)?;
        let signed = if of.bits == 64 { VType::Q } else { VType::D };
        let below = self.compare(Relation::Lt, count, e.clone().typed(signed), imm(signed, 1))?;
        let one = imm(signed, 1);
        let down = self.computed(
            Opcode::Add,
            signed,
            count,
            &[negated(e.clone().typed(signed)), one.clone()],
        )?;
        let srcs = [m.clone(), down.typed(of.ty)];
        self.masked(
            Opcode::Shr,
            count,
            m_to.clone(),
            &srcs,
            Some(below.clone()),
            false,
        )?;
        let to = typed(e_to.clone(), signed);
        self.masked(Opcode::Mov, count, to, &[one], Some(below), false)?;
        self.move_up(of, count, (&m_to, &m), (&e_to, &e), true)?;
        // The hidden bit adds one to the exponent; without it the number is not normal.
        let less = [e.clone().typed(signed), imm(signed, u64::MAX)];
        self.alu(Opcode::Add, count, typed(e_to.clone(), signed), &less)?;
        let place = imm(VType::Ud, of.fraction.into());
        self.alu(Opcode::Shl, count, e_to, &[e.clone(), place])?;
        let (to, bits) = self.fresh(of.ty, count);
        self.alu(Opcode::Add, count, to.clone(), &[m.clone(), e])?;
        let zero = self.compare(Relation::Eq, count, m, imm(of.ty, 0))?;
        self.masked(
            Opcode::Mov,
            count,
            to.clone(),
            &[imm(of.ty, 0)],
            Some(zero),
            false,
        )?;
        Ok((to, bits))
    }

    /// The sign, a dividend that is smaller than the divisor, and what is no number.
    fn finish_remainder(
        &mut self,
        of: &Format,
        count: u32,
        [x, x_abs, y_abs]: [&Src; 3],
        (to, bits): Both,
        dst: Dst,
    ) -> Result<()> {
        let sign = imm(of.ty, of.sign());
        let own = self.computed(Opcode::And, of.ty, count, &[x.clone(), sign])?;
        self.alu(Opcode::Or, count, to.clone(), &[bits.clone(), own])?;
        let smaller = self.compare(Relation::Lt, count, x_abs.clone(), y_abs.clone())?;
        self.masked(
            Opcode::Mov,
            count,
            to.clone(),
            std::slice::from_ref(x),
            Some(smaller),
            false,
        )?;
        let infinity = imm(of.ty, of.infinity());
        let nan = [imm(of.ty, of.infinity() | of.hidden() >> 1)];
        for (rel, src, with) in [
            (Relation::Ge, x_abs, infinity.clone()),
            (Relation::Gt, y_abs, infinity),
            (Relation::Eq, y_abs, imm(of.ty, 0)),
        ] {
            let mask = self.compare(rel, count, src.clone(), with)?;
            self.masked(Opcode::Mov, count, to.clone(), &nan, Some(mask), false)?;
        }
        self.copy(count, typed(dst, of.ty), bits)
    }

    /// True if a mask has an element that is set.
    fn any_of(&mut self, mask: &Mask) -> Result<PredUse> {
        let mut all = self.bits(mask, 0)?;
        for part in 1..mask.parts.len() {
            let more = self.bits(mask, part)?;
            all = self.computed(Opcode::Or, VType::Ud, 1, &[all, more])?;
        }
        let some = self.compare(Relation::Ne, 1, all, imm(VType::Ud, 0))?;
        match some.at(0) {
            Some(pred) => Ok(pred),
            None => self.unsupported("a mask"),
        }
    }

    /// Product of 64-bit integers from products of their halves.
    pub fn multiply_halves(&mut self, count: u32, a: &Src, b: &Src, dst: Dst) -> Result<()> {
        let half = |src: &Src, high: u32| match src {
            Src::Var { var, layout, .. } => {
                super::function::source(*var, VType::Ud, layout.moved(4 * high))
            }
            Src::Imm { bits, .. } => imm(VType::Ud, bits >> (32 * high) & 0xffff_ffff),
            other => other.clone(),
        };
        let (var, low, product) = self.temp(VType::Uq, count);
        self.alu(Opcode::Mul, count, low, &[half(a, 0), half(b, 0)])?;
        let (to, cross) = self.fresh(VType::Ud, count);
        self.alu(Opcode::Mul, count, to.clone(), &[half(a, 0), half(b, 1)])?;
        let cross2 = self.computed(Opcode::Mul, VType::Ud, count, &[half(a, 1), half(b, 0)])?;
        self.alu(Opcode::Add, count, to, &[cross.clone(), cross2])?;
        let upper = Layout::contiguous(4, 8);
        let high = super::function::source(var, VType::Ud, upper.clone());
        let to = Dst::Var {
            var,
            ty: VType::Ud,
            layout: upper,
        };
        self.alu(Opcode::Add, count, to, &[high, cross])?;
        self.copy(count, typed(dst, VType::Q), product.typed(VType::Q))
    }
}
