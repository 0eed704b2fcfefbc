//! Arithmetic on lanes of at most 32 bits: the operations of [`Fast`], and the float functions of `math`.
//!
//! A row says which instructions a function is ([`row`]). Sources become vectors of 32-bit lanes, the last instruction
//! writes the destination's window under the mask of the enabled channels, and flags are compared from what it wrote.
//! Results are the interpreter's to the bit: no instruction depends on the host's treatment of denormals, products and
//! sums are fused where the interpreter's are, and `sel` is comparisons and a choice.

use iced_x86::{Code, IcedError, Register};
use kiln_emit::inst::{Cond, MathFn, Op, Type};

use super::asm::{Arg, Done, Length, Mask, Reg, keep};
use super::codes::{self, Codes};
use super::emitter::{Emitter, Part};
use super::held::{HOLDS, OTHER, TEMPS};
use super::masks::{takes_channels, takes_flags};
use super::operands::{Form, Modifiers, Place, accumulator, float_destination, form, interferes};
use crate::code::classify;
use crate::code::operation::{Base, Fast, Operation, Order, Path, Source, Steps};
use crate::state::thread::File;
use crate::state::wide::Rounding;

/// The instructions of a function of `a`, `b` and `c`.
enum Row {
    /// The first source.
    Same,
    Complement,
    /// One instruction of the first source.
    One(Codes),
    /// One of the first source, with a number.
    OneWith(Codes, u32),
    Two(Codes),
    /// A shift: by a number, and by a vector.
    Shift(Codes, Codes),
    /// The sum of three.
    Sum3,
    /// A function of the bits of three.
    Bits(u8),
    /// A product, and its sum with the first source.
    ProductSum,
    Fused,
    Fraction,
    ToSigned,
    ToUnsigned,
    Compare(Relation),
    /// The second source where the predicate does not hold.
    ByPredicate,
    /// The second source where a relation between both does not hold.
    ByRelation(Relation),
    /// The second source where a relation of the third to zero does not hold.
    ByThird(Relation),
}

/// A relation, with the kind of numbers that are compared.
#[derive(Clone, Copy)]
enum Relation {
    Int(Cond, Order),
    Float(Cond),
    /// As `Float`, and true where the second number is none.
    OrNan(Cond),
}

/// Rounding of `vrndscaleps`, without exceptions.
const TO_EVEN: u32 = 8;
const DOWN: u32 = 9;
const UP: u32 = 10;
const TO_ZERO: u32 = 11;

fn row(fast: Fast) -> Row {
    use Fast::*;
    match fast {
        Bits | Mov | FMov => Row::Same,
        Not => Row::Complement,
        And => Row::Two(codes::ANDD),
        Or => Row::Two(codes::ORD),
        Xor => Row::Two(codes::XORD),
        Add => Row::Two(codes::ADDD),
        Mul => Row::Two(codes::MULLD),
        Add3 => Row::Sum3,
        Bfn(function) => Row::Bits(function),
        Mad => Row::ProductSum,
        Shl => Row::Shift(codes::SLLD, codes::SLLVD),
        Shr => Row::Shift(codes::SRLD, codes::SRLVD),
        Asr => Row::Shift(codes::SRAD, codes::SRAVD),
        Rol => Row::Two(codes::ROLVD),
        Ror => Row::Two(codes::RORVD),
        ToSingle(Order::Signed) => Row::One(codes::CVTDQ2PS),
        ToSingle(Order::Unsigned) => Row::One(codes::CVTUDQ2PS),
        ToDword(Order::Signed) => Row::ToSigned,
        ToDword(Order::Unsigned) => Row::ToUnsigned,
        FAdd => Row::Two(codes::ADDPS),
        FMul => Row::Two(codes::MULPS),
        FMad => Row::Fused,
        FFrc => Row::Fraction,
        FRndu => Row::OneWith(codes::RNDSCALEPS, UP),
        FRndd => Row::OneWith(codes::RNDSCALEPS, DOWN),
        FRnde => Row::OneWith(codes::RNDSCALEPS, TO_EVEN),
        FRndz => Row::OneWith(codes::RNDSCALEPS, TO_ZERO),
        Cmp(cond, order) => Row::Compare(Relation::Int(cond, order)),
        FCmp(cond) => Row::Compare(Relation::Float(cond)),
        FCmpn(cond) => Row::Compare(Relation::OrNan(cond)),
        Sel | FSel => Row::ByPredicate,
        SelBy(cond, order) => Row::ByRelation(Relation::Int(cond, order)),
        FSelBy(cond) => Row::ByRelation(Relation::OrNan(cond)),
        Csel(cond, order) => Row::ByThird(Relation::Int(cond, order)),
        FCsel(cond) => Row::ByThird(Relation::Float(cond)),
    }
}

/// Interpretation of the sources' modifiers.
fn modifiers(fast: Fast) -> Modifiers {
    use Fast::*;
    match fast {
        Bits => Modifiers::Bits,
        Not | And | Or | Xor | Bfn(_) => Modifiers::Logical,
        FMov | FAdd | FMul | FMad | FFrc | FRndu | FRndd | FRnde | FRndz | FCmp(_) | FCmpn(_)
        | FSel | FSelBy(_) | FCsel(_) | ToDword(_) => Modifiers::Single,
        _ => Modifiers::Number,
    }
}

/// True for functions whose results are singles as the mode and saturation want them.
fn finishes(fast: Fast) -> bool {
    use Fast::*;
    matches!(
        fast,
        FMov | FAdd
            | FMul
            | FMad
            | FFrc
            | FRndu
            | FRndd
            | FRnde
            | FRndz
            | FSel
            | FSelBy(_)
            | FCsel(_)
    )
}

/// True for functions that the host rounds as the float mode says.
fn rounds(fast: Fast) -> bool {
    use Fast::*;
    matches!(fast, FAdd | FMul | FMad | ToSingle(_))
}

/// Number of a comparison of integers; none for conditions that never hold.
pub fn int_predicate(cond: Cond) -> Option<u32> {
    match cond {
        Cond::Eq => Some(0),
        Cond::Lt => Some(1),
        Cond::Le => Some(2),
        Cond::Ne => Some(4),
        Cond::Ge => Some(5),
        Cond::Gt => Some(6),
        Cond::Un | Cond::Ov | Cond::Eo => None,
    }
}

/// Number of a comparison of floats that signals nothing; "not equal" holds for what is no number.
pub fn float_predicate(cond: Cond) -> Option<u32> {
    match cond {
        Cond::Eq => Some(0),
        Cond::Lt => Some(0x11),
        Cond::Le => Some(0x12),
        Cond::Ne => Some(4),
        Cond::Ge => Some(0x1d),
        Cond::Gt => Some(0x1e),
        Cond::Un => Some(3),
        Cond::Ov | Cond::Eo => None,
    }
}

/// An operation on lanes of 32 bits, with all its operands translated.
struct Shape {
    parts: Vec<Part>,
    forms: Vec<Vec<Form>>,
    places: Vec<Place>,
    size: usize,
    /// The destination is an accumulator's float, whose full value follows.
    accumulator: Option<usize>,
}

/// The forms of an operation's operands; none if one of them is not translated.
fn shape(op: &Operation) -> Option<Shape> {
    if !matches!(op.lanes, 1 | 2 | 4 | 8 | 16 | 32) || !takes_channels(op) || !takes_flags(op) {
        return None;
    }
    let size = op.dst.ty.bytes() as usize;
    let most = 64 / usize::from(op.dst.step.max(4));
    let parts: Vec<Part> = Part::of(op.lanes, most.clamp(1, 16) as u8).collect();
    if interferes(op, &parts) {
        return None;
    }
    let mut shape = Shape {
        forms: Vec::new(),
        places: Vec::new(),
        parts,
        size,
        accumulator: accumulator(&op.dst),
    };
    for &part in &shape.parts {
        let forms = op.sources().iter().map(|s| form(s, part));
        shape.forms.push(forms.collect::<Option<_>>()?);
        shape.places.push(float_destination(&op.dst, part)?);
    }
    Some(shape)
}

impl Emitter<'_> {
    /// An operation of the common forms; false if it is not translated.
    pub fn fast(&mut self, op: &Operation, fast: Fast) -> Result<bool, IcedError> {
        // The interpreter's fraction of a number is rounded otherwise where the mode is not to nearest.
        let other = fast == Fast::FFrc && self.mode.rounding != Rounding::NearestEven;
        if other || op.sources().iter().any(|s| s.ty.bytes() > 4) {
            return Ok(false);
        }
        match shape(op) {
            Some(shape) => self.by_row(op, fast, &shape).map(|()| true),
            None => Ok(false),
        }
    }

    /// A move of floats or an operation on singles that has an accumulator among its operands.
    pub fn accumulator_float(&mut self, op: &Operation) -> Result<bool, IcedError> {
        let singles = op
            .sources()
            .iter()
            .all(|s| matches!(s.ty, Type::F | Type::Vf))
            && op.dst.ty == Type::F
            && !op.acc_write;
        if !singles {
            return Ok(false);
        }
        if op.op == Op::Mac {
            return self.fast(&with_accumulator(op), Fast::FMad);
        }
        let fast = match op.path {
            Path::Raw => Some(Fast::Bits),
            _ => classify::float(op),
        };
        let condition = op.cond.map(|c| c.cond);
        match (fast, condition) {
            // The interpreter chooses among doubles here, which makes a NaN quiet.
            (Some(Fast::FSel | Fast::FSelBy(_) | Fast::FCsel(_)), _) => Ok(false),
            (Some(_), Some(Cond::Ov | Cond::Eo)) | (None, _) => Ok(false),
            (Some(fast), _) => self.fast(op, fast),
        }
    }

    fn by_row(&mut self, op: &Operation, fast: Fast, shape: &Shape) -> Done {
        for (n, &part) in shape.parts.iter().enumerate() {
            self.part_by_row(op, fast, shape, (n, part))?;
        }
        Ok(())
    }

    fn part_by_row(
        &mut self,
        op: &Operation,
        fast: Fast,
        shape: &Shape,
        (n, part): (usize, Part),
    ) -> Done {
        let row = row(fast);
        let chooses = matches!(row, Row::ByPredicate)
            || matches!(row, Row::ByRelation(_)) && !matches!(fast, Fast::Csel(..));
        if chooses && op.pred.is_some() {
            // The predicate masks no channel, but is counted.
            self.enabled(op, part)?;
            self.count_enabled()?;
        }
        let mask = if chooses {
            self.gate(op, part)?
        } else {
            let enabled = self.enabled(op, part)?;
            if op.pred.is_some() {
                self.count_enabled()?;
            }
            enabled
        };
        let mut args = [Arg::Reg(TEMPS[0]); 3];
        for (n, (src, form)) in op.sources().iter().zip(&shape.forms[n]).enumerate() {
            args[n] = self.lanes32(src, (form, part), TEMPS[n], modifiers(fast))?;
        }
        let l = part.length32();
        let target = (shape.places[n], shape.size, part);
        if let Row::Compare(relation) = row {
            let a = self.in_register(args[0], TEMPS[0])?;
            self.relation(relation, l, mask, (a, args[1]))?;
            if shape.places[n] != Place::Null {
                // The flags' store does not change the mask register.
                let (d, k) = self.open32(target, mask, TEMPS[3])?;
                let all = TEMPS[4];
                let ones = (all, Arg::Reg(all), 0xff);
                let zeroing = Mask {
                    k: HOLDS,
                    zero: true,
                };
                self.asm
                    .three_imm(codes::TERNLOGD, l, all, Some(zeroing), ones)?;
                self.asm.copy(l, d, k, all)?;
                if let Some(at) = shape.accumulator {
                    let at = at + usize::from(part.first) * 4;
                    self.extend_accumulator(at, part, mask, d)?;
                }
                self.close32(target, mask, d, TEMPS[5])?;
            }
            return self.set_flags(op, part, mask, HOLDS);
        }
        let changes = finishes(fast) && (op.saturate || self.mode.flush_f);
        let d = if changes {
            self.compute(op, fast, (l, part), (TEMPS[3], None), args)?;
            self.finish_singles(op, l, TEMPS[3])?;
            let (d, k) = self.open32(target, mask, TEMPS[3])?;
            self.asm.copy(l, d, k, TEMPS[3])?;
            d
        } else {
            let (d, k) = self.open32(target, mask, TEMPS[3])?;
            self.compute(op, fast, (l, part), (d, k), args)?;
            d
        };
        if let Some(at) = shape.accumulator {
            self.extend_accumulator(at + usize::from(part.first) * 4, part, mask, d)?;
        }
        let flags = op.cond.is_some_and(|c| c.bit.is_some())
            && !chooses
            && !matches!(fast, Fast::Bits | Fast::ToSingle(_) | Fast::ToDword(_))
            && !matches!(row, Row::ByThird(_));
        if flags {
            self.flags_of_result(op, (l, part), mask, d)?;
        }
        self.close32(target, mask, d, TEMPS[5])
    }

    /// Saturation, and the flush of denormals.
    fn finish_singles(&mut self, op: &Operation, l: Length, r: Reg) -> Done {
        if op.saturate {
            let zero = self.spare();
            self.asm.zero(zero)?;
            // The maximum of a NaN and a number is the second source.
            self.asm.regs(codes::MAXPS, l, r, (r, zero))?;
            let one = self.asm.dword(1f32.to_bits());
            self.asm.each(codes::MINPS, l, r, (r, one))?;
        }
        match self.mode.flush_f {
            true => self.flush_singles(l, r),
            false => Ok(()),
        }
    }

    /// Flags from a result as stored.
    fn flags_of_result(
        &mut self,
        op: &Operation,
        (l, part): (Length, Part),
        mask: Option<Register>,
        r: Reg,
    ) -> Done {
        let Some(cond) = op.cond else { return Ok(()) };
        let zero = self.spare();
        let mut value = r;
        let relation = match op.dst.ty {
            Type::F => Relation::Float(cond.cond),
            Type::Ud => Relation::Int(cond.cond, Order::Unsigned),
            ty => {
                let unused = 32 - ty.bytes() * 8;
                if unused != 0 {
                    let signed = matches!(ty, Type::B | Type::W);
                    let right = if signed { codes::SRAD } else { codes::SRLD };
                    value = TEMPS[4];
                    self.asm.number(codes::SLLD, l, value, (r, unused))?;
                    self.asm.number(right, l, value, (value, unused))?;
                }
                Relation::Int(cond.cond, Order::Signed)
            }
        };
        self.asm.zero(zero)?;
        self.relation(relation, l, mask, (value, Arg::Reg(zero)))?;
        self.set_flags(op, part, mask, HOLDS)
    }

    /// The channels of a mask for which a relation holds, in [`HOLDS`].
    fn relation(
        &mut self,
        relation: Relation,
        l: Length,
        mask: Option<Register>,
        (a, b): (Reg, Arg),
    ) -> Done {
        let (codes, number) = match relation {
            Relation::Int(cond, Order::Signed) => (codes::CMPD, int_predicate(cond)),
            Relation::Int(cond, Order::Unsigned) => (codes::CMPUD, int_predicate(cond)),
            Relation::Float(cond) | Relation::OrNan(cond) => (codes::CMPPS, float_predicate(cond)),
        };
        match number {
            Some(number) => self.asm.compare(codes, l, (HOLDS, mask), (a, b, number))?,
            None => self.no_channel(HOLDS)?,
        }
        if let Relation::OrNan(_) = relation {
            const UNORDERED: u32 = 3;
            let b = self.in_register(b, self.spare())?;
            let both = (b, Arg::Reg(b), UNORDERED);
            self.asm.compare(codes::CMPPS, l, (OTHER, mask), both)?;
            self.mask_op(Code::VEX_Korw_kr_kr_kr, HOLDS, HOLDS, OTHER)?;
        }
        Ok(())
    }

    fn no_channel(&mut self, k: Register) -> Done {
        self.mask_op(Code::VEX_Kxorw_kr_kr_kr, k, k, k)
    }

    pub fn mask_op(&mut self, code: Code, k: Register, a: Register, b: Register) -> Done {
        self.asm.put(iced_x86::Instruction::with3(code, k, a, b)?)
    }

    /// A function of sources, written by its last instruction.
    fn compute(
        &mut self,
        op: &Operation,
        fast: Fast,
        lanes: (Length, Part),
        to: (Reg, Option<Mask>),
        args: [Arg; 3],
    ) -> Done {
        let row = row(fast);
        match rounds(fast) {
            true => self.rounded(|e| e.compute_row(op, &row, lanes, to, args)),
            false => self.compute_row(op, &row, lanes, to, args),
        }
    }

    fn compute_row(
        &mut self,
        op: &Operation,
        row: &Row,
        (l, part): (Length, Part),
        (d, k): (Reg, Option<Mask>),
        [a, b, c]: [Arg; 3],
    ) -> Done {
        let t = TEMPS[6];
        match row {
            Row::Same => match a {
                Arg::Reg(a) => self.asm.copy(l, d, k, a),
                Arg::Each(_) => self.asm.two(codes::BROADCASTD, l, d, k, a),
                Arg::Whole(_) => self.asm.two(codes::MOVDQU32, l, d, k, a),
            },
            Row::Complement => {
                let a = self.in_register(a, TEMPS[0])?;
                self.asm
                    .three_imm(codes::TERNLOGD, l, d, k, (a, Arg::Reg(a), 0x55))
            }
            Row::One(codes) => self.asm.two(*codes, l, d, k, a),
            Row::OneWith(codes, number) => self.asm.two_imm(*codes, l, d, k, (a, *number)),
            Row::Two(codes) => {
                let a = self.in_register(a, TEMPS[0])?;
                self.asm.three(*codes, l, d, k, (a, b))
            }
            Row::Shift(by_number, by_vector) => {
                if let Some(n) = constant(op) {
                    return self.asm.two_imm(*by_number, l, d, k, (a, n & 31));
                }
                let a = self.in_register(a, TEMPS[0])?;
                let b = self.in_register(b, TEMPS[1])?;
                let low = self.asm.dword(31);
                self.asm.each(codes::ANDD, l, t, (b, low))?;
                self.asm.three(*by_vector, l, d, k, (a, Arg::Reg(t)))
            }
            Row::Sum3 => {
                let a = self.in_register(a, TEMPS[0])?;
                self.asm.three(codes::ADDD, l, t, None, (a, b))?;
                self.asm.three(codes::ADDD, l, d, k, (t, c))
            }
            Row::Bits(function) => {
                let b = self.in_register(b, TEMPS[1])?;
                let c = self.in_register(c, TEMPS[2])?;
                self.asm.copy(l, t, None, c)?;
                let operands = (b, a, u32::from(*function));
                self.asm.three_imm(codes::TERNLOGD, l, t, None, operands)?;
                self.asm.copy(l, d, k, t)
            }
            Row::ProductSum => {
                let b = self.in_register(b, TEMPS[1])?;
                self.asm.three(codes::MULLD, l, t, None, (b, c))?;
                self.asm.three(codes::ADDD, l, d, k, (t, a))
            }
            Row::Fused => self.fused(l, (d, k), [a, b, c]),
            Row::Fraction => {
                let a = self.in_register(a, TEMPS[0])?;
                self.asm.number(codes::RNDSCALEPS, l, t, (a, DOWN))?;
                self.asm.three(codes::SUBPS, l, d, k, (a, Arg::Reg(t)))
            }
            Row::ToSigned | Row::ToUnsigned => {
                let a = self.in_register(a, TEMPS[0])?;
                self.dwords_of(l, (t, a), matches!(row, Row::ToSigned))?;
                self.asm.copy(l, d, k, t)
            }
            Row::ByPredicate => {
                self.predicate(op, part)?;
                self.asm
                    .plain(Code::VEX_Kmovw_kr_r32, HOLDS, Register::EAX)?;
                self.choose(l, (d, k), (a, b))
            }
            Row::ByRelation(relation) => {
                let a = self.in_register(a, TEMPS[0])?;
                self.relation(*relation, l, None, (a, b))?;
                self.choose(l, (d, k), (Arg::Reg(a), b))
            }
            Row::ByThird(relation) => {
                let c = self.in_register(c, TEMPS[2])?;
                let zero = self.spare();
                self.asm.zero(zero)?;
                self.relation(*relation, l, None, (c, Arg::Reg(zero)))?;
                self.choose(l, (d, k), (a, b))
            }
            Row::Compare(_) => Ok(()),
        }
    }

    /// `a` for the channels of [`HOLDS`], else `b`.
    fn choose(&mut self, l: Length, (d, k): (Reg, Option<Mask>), (a, b): (Arg, Arg)) -> Done {
        let b = self.in_register(b, TEMPS[1])?;
        if k.is_none() {
            return self.asm.three(codes::BLENDMD, l, d, keep(HOLDS), (b, a));
        }
        let t = TEMPS[6];
        self.asm.three(codes::BLENDMD, l, t, keep(HOLDS), (b, a))?;
        self.asm.copy(l, d, k, t)
    }

    /// `a + b * c`, rounded once. What is no number comes from `b`, `c` or `a`, in this order.
    fn fused(&mut self, l: Length, (d, k): (Reg, Option<Mask>), [a, b, c]: [Arg; 3]) -> Done {
        let a = self.in_register(a, TEMPS[0])?;
        let b = self.in_register(b, TEMPS[1])?;
        if d == a {
            return self.asm.three(codes::FMADD231PS, l, d, k, (b, c));
        }
        let taken = d == b || matches!(c, Arg::Reg(c) if c == d);
        let t = if k.is_some() || taken { TEMPS[6] } else { d };
        self.asm.copy(l, t, None, a)?;
        self.asm.three(codes::FMADD231PS, l, t, None, (b, c))?;
        self.asm.copy(l, d, k, t)
    }

    /// Singles as integers: toward zero, clamped, what is no number as zero.
    fn dwords_of(&mut self, l: Length, (t, a): (Reg, Reg), signed: bool) -> Done {
        if !signed {
            let zero = self.spare();
            self.asm.zero(zero)?;
            self.asm.regs(codes::MAXPS, l, t, (a, zero))?;
            return self.asm.two(codes::CVTTPS2UDQ, l, t, None, Arg::Reg(t));
        }
        const ORDERED: u32 = 7;
        const NOT_LESS: u32 = 0x1d;
        let both = (a, Arg::Reg(a), ORDERED);
        self.asm.compare(codes::CMPPS, l, (OTHER, None), both)?;
        let limit = self.asm.dword(2_147_483_648f32.to_bits());
        let above = (a, Arg::Each(limit), NOT_LESS);
        self.asm.compare(codes::CMPPS, l, (HOLDS, None), above)?;
        let zeroing = Mask {
            k: OTHER,
            zero: true,
        };
        self.asm
            .two(codes::CVTTPS2DQ, l, t, Some(zeroing), Arg::Reg(a))?;
        let most = self.asm.dword(i32::MAX as u32);
        self.asm
            .two(codes::BROADCASTD, l, t, keep(HOLDS), Arg::Each(most))
    }

    /// The full values of an accumulator's floats: their bits.
    fn extend_accumulator(
        &mut self,
        at: usize,
        part: Part,
        mask: Option<Register>,
        bits: Reg,
    ) -> Done {
        let lanes = usize::from(part.lanes);
        let (t, half) = (TEMPS[4], TEMPS[5]);
        for first in (0..lanes).step_by(8) {
            let count = (lanes - first).min(8);
            let to = self.wide_place(at + first * 4, 4);
            let from = match first {
                0 => bits,
                _ => {
                    self.asm.upper_half(half, bits)?;
                    half
                }
            };
            let l = Length::of(count * 8);
            self.asm.widen(codes::MOVZXDQ, l, t, from)?;
            let d = self.write(to, count * 8, mask.is_some())?;
            match (mask, first) {
                (None, _) => self.asm.copy(l, d, None, t)?,
                (Some(k), 0) => self.merge(8, l, d, k, t)?,
                (Some(k), _) => {
                    let shift = first as u32;
                    self.asm
                        .plain3(Code::VEX_Kshiftrw_kr_kr_imm8, OTHER, k, shift)?;
                    self.merge(8, l, d, OTHER, t)?;
                }
            }
        }
        Ok(())
    }

    /// The functions of `math` that the host has, too.
    pub fn math(&mut self, op: &Operation, function: MathFn) -> Result<bool, IcedError> {
        let known = matches!(
            function,
            MathFn::Inv | MathFn::Sqt | MathFn::Rsqt | MathFn::Fdiv
        );
        // The interpreter rounds only the last of several steps as the mode says; the host would round all of them.
        let nearest = self.mode.rounding == Rounding::NearestEven;
        let known = known && (nearest || function != MathFn::Rsqt);
        let singles = op.sources().iter().all(|s| s.ty == Type::F) && op.dst.ty == Type::F;
        let plain = op.cond.is_none() && !op.acc_write;
        let Some(shape) = (known && singles && plain).then(|| shape(op)).flatten() else {
            return Ok(false);
        };
        if shape.accumulator.is_some() {
            return Ok(false);
        }
        for (n, &part) in shape.parts.iter().enumerate() {
            let mask = self.enabled(op, part)?;
            if op.pred.is_some() {
                self.count_enabled()?;
            }
            let mut args = [Arg::Reg(TEMPS[0]); 2];
            for (n, (src, form)) in op.sources().iter().zip(&shape.forms[n]).enumerate().take(2) {
                args[n] = self.lanes32(src, (form, part), TEMPS[n], Modifiers::Single)?;
            }
            let (l, r) = (part.length32(), TEMPS[3]);
            let a = self.in_register(args[0], TEMPS[0])?;
            self.rounded(|e| e.function(function, l, (r, a), args[1]))?;
            self.finish_singles(op, l, r)?;
            let target = (shape.places[n], shape.size, part);
            let (d, k) = self.open32(target, mask, r)?;
            self.asm.copy(l, d, k, r)?;
            self.close32(target, mask, d, TEMPS[5])?;
        }
        Ok(true)
    }

    fn function(&mut self, function: MathFn, l: Length, (r, a): (Reg, Reg), b: Arg) -> Done {
        let one = TEMPS[4];
        match function {
            MathFn::Fdiv => self.asm.three(codes::DIVPS, l, r, None, (a, b)),
            MathFn::Sqt => self.asm.two(codes::SQRTPS, l, r, None, Arg::Reg(a)),
            MathFn::Inv => {
                self.asm.constant(one, 1f32.to_bits())?;
                self.asm.regs(codes::DIVPS, l, r, (one, a))
            }
            _ => {
                // In doubles, which is rounded correctly.
                let from = self.asm.quad(1f64.to_bits());
                self.asm.broadcast(one, from, 8)?;
                let upper = (l == Length::Z).then_some(TEMPS[2]);
                if let Some(upper) = upper {
                    self.asm.upper_half(upper, a)?;
                }
                self.reciprocal_roots((r, a), one)?;
                match upper {
                    None => Ok(()),
                    Some(upper) => {
                        self.reciprocal_roots((upper, upper), one)?;
                        self.asm.insert_half(r, r, upper)
                    }
                }
            }
        }
    }

    /// `1 / sqrt(a)` of eight singles.
    fn reciprocal_roots(&mut self, (r, a): (Reg, Reg), one: Reg) -> Done {
        let (z, t) = (Length::Z, TEMPS[5]);
        self.asm.widen(codes::CVTPS2PD, z, t, a)?;
        self.asm.two(codes::SQRTPD, z, t, None, Arg::Reg(t))?;
        self.asm.regs(codes::DIVPD, z, t, (one, t))?;
        self.asm.narrow(codes::CVTPD2PS, z, r, t)
    }
}

/// `mac` as `mad`, with the accumulator as its first source.
fn with_accumulator(op: &Operation) -> Operation {
    let [a, b, _] = op.srcs.clone();
    let accumulator = Source {
        base: Base::File {
            file: File::Acc,
            at: 0,
        },
        steps: Steps::Linear(4),
        abs: false,
        neg: false,
        ..a.clone()
    };
    Operation {
        srcs: [accumulator, a, b],
        count: 3,
        ..op.clone()
    }
}

/// A shift's distance, if it is a number.
fn constant(op: &Operation) -> Option<u32> {
    let source = &op.srcs[1];
    match source.base {
        Base::Constant(n) if !source.neg && !source.abs => Some(n as u32),
        _ => None,
    }
}
