//! Operations on doubles: lanes of 64 bits whose sources and results are all `df`.
//!
//! The interpreter's results are the host's doubles, rounded as the mode says, so that each is one instruction here.
//! Denormals are flushed by explicit operations where the mode says so. Conversions to and from singles and to integers are
//! taken, other mixed types are not.

use iced_x86::{Code, IcedError, Register};
use kiln_emit::inst::{Cond, Op, Type};

use super::arithmetic::float_predicate;
use super::asm::{Arg, Done, Length, Mask, Reg, keep};
use super::codes::{self, Codes};
use super::emitter::{Emitter, Part};
use super::held::{HOLDS, OTHER, TEMPS};
use super::masks::{takes_channels, takes_flags};
use super::operands::{Form, Place, accumulator, float_destination, form, interferes};
use super::wide::{UPPER, in_one};
use crate::code::operation::{Operation, Path, Source};
use crate::state::numbers::int_range;

/// Maximum number of channels of a part.
const MOST: u8 = 8;

/// Roundings of the host, without an exception.
const DOWN: u32 = 9;
const TRUNCATES: u32 = 11;
/// 2⁵² and half of that. A sum with it has the other number as the low bits of its fraction; that may be negative.
const SIGNED_INTEGERS: f64 = 6_755_399_441_055_744.0;
/// The instructions of an operation.
#[derive(Clone, Copy, PartialEq)]
enum Row {
    Same,
    Two(Codes),
    Fused,
    Round(u32),
    Compare,
    ByPredicate,
    ByRelation,
}

fn row(op: &Operation) -> Option<Row> {
    Some(match op.op {
        Op::Mov => Row::Same,
        Op::Add => Row::Two(codes::ADDPD),
        Op::Mul => Row::Two(codes::MULPD),
        Op::Mad => Row::Fused,
        Op::Rnde => Row::Round(8),
        Op::Rndd => Row::Round(DOWN),
        Op::Rndu => Row::Round(10),
        Op::Rndz => Row::Round(TRUNCATES),
        Op::Cmp => Row::Compare,
        Op::Sel if op.cond.is_some() => Row::ByRelation,
        Op::Sel if op.pred.is_some() => Row::ByPredicate,
        _ => return None,
    })
}

struct Shape {
    row: Row,
    parts: Vec<Part>,
    forms: Vec<Vec<Form>>,
    places: Vec<Place>,
    /// First byte of a destination in the accumulators.
    accumulator: Option<usize>,
}

fn shape(op: &Operation, register: usize) -> Option<Shape> {
    let row = row(op)?;
    let doubles = |s: &Source| s.ty == Type::Df;
    let converts = row == Row::Same && op.cond.is_none();
    let widens = converts && !op.saturate && op.srcs[0].ty == Type::F && op.dst.ty == Type::Df;
    let narrows = converts && !op.saturate && op.dst.ty == Type::F;
    let sources = op.sources().iter().all(doubles) || widens && !op.srcs[0].is_accumulator();
    let integer = !op.dst.ty.is_float() && (converts || row == Row::Compare);
    let accumulator = accumulator(&op.dst);
    let dst = op.dst.ty == Type::Df || accumulator.is_none() && (narrows || integer);
    let unordered = op
        .cond
        .is_some_and(|c| matches!(c.cond, Cond::Ov | Cond::Eo));
    if !sources
        || !dst
        || op.acc_write
        || unordered
        || !matches!(op.lanes, 1 | 2 | 4 | 8 | 16 | 32)
        || !takes_channels(op)
        || !takes_flags(op)
        || row == Row::Compare && op.cond.is_none()
    {
        return None;
    }
    let parts: Vec<Part> = Part::of(op.lanes, MOST).collect();
    if interferes(op, &parts) {
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
        let forms = op.sources().iter().map(|s| form(s, part));
        shape.forms.push(forms.collect::<Option<_>>()?);
        shape.places.push(float_destination(&op.dst, part)?);
        let distance = usize::from(part.first) * 8;
        if accumulator.is_some_and(|at| !in_one(at + distance, 8, part, register)) {
            return None;
        }
    }
    Some(shape)
}

impl Emitter<'_> {
    /// An operation on doubles; false if it is not translated.
    pub fn double(&mut self, op: &Operation) -> Result<bool, IcedError> {
        let Some(shape) = shape(op, self.register_bytes) else {
            return Ok(false);
        };
        for (n, &part) in shape.parts.iter().enumerate() {
            self.double_part(op, &shape, (n, part))?;
        }
        Ok(true)
    }

    fn double_part(&mut self, op: &Operation, shape: &Shape, (n, part): (usize, Part)) -> Done {
        let l = Length::of(usize::from(part.lanes) * 8);
        let enabled = self.enabled(op, part)?;
        if op.pred.is_some() {
            self.count_enabled()?;
        }
        let chooses = matches!(shape.row, Row::ByPredicate | Row::ByRelation);
        let mask = match chooses {
            true => self.gate(op, part)?,
            false => enabled,
        };
        let mut s = [TEMPS[0], TEMPS[1], TEMPS[2]];
        for (n, (src, form)) in op.sources().iter().zip(&shape.forms[n]).enumerate() {
            s[n] = self.double_source(op, src, (form, part), TEMPS[n])?;
        }
        let place = shape.places[n];
        if shape.row == Row::Compare {
            self.double_relation(op, l, mask, (s[0], s[1]))?;
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
            return self.set_flags(op, part, mask, HOLDS);
        }
        let r = TEMPS[3];
        self.rounded(|e| e.double_compute(op, shape.row, (l, part), r, s))?;
        if op.dst.ty == Type::F {
            let single = TEMPS[4];
            self.rounded(|e| e.asm.narrow(codes::CVTPD2PS, l, single, r))?;
            if self.mode.flush_f {
                self.flush_singles(part.length32(), single)?;
            }
            let (d, k) = self.open32((place, 4, part), mask, single)?;
            self.asm.copy(part.length32(), d, k, single)?;
            return self.close32((place, 4, part), mask, d, TEMPS[5]);
        }
        if !op.dst.ty.is_float() {
            self.integers(op.dst.ty, l, r)?;
            let size = op.dst.ty.bytes() as usize;
            return self.close64((place, size, part), mask, r, TEMPS[5]);
        }
        if op.saturate {
            let zero = self.spare();
            self.asm.zero(zero)?;
            // The maximum of a NaN and a number is the second source.
            self.asm.regs(codes::MAXPD, l, r, (r, zero))?;
            let one = self.asm.quad(1f64.to_bits());
            self.asm.each(codes::MINPD, l, r, (r, one))?;
        }
        if self.mode.flush_df && op.path != Path::Raw {
            self.flush_doubles(l, r)?;
        }
        if op.cond.is_some_and(|c| c.bit.is_some()) && !chooses {
            let zero = self.spare();
            self.asm.zero(zero)?;
            self.double_relation(op, l, mask, (r, zero))?;
            self.set_flags(op, part, mask, HOLDS)?;
        }
        if let Some(at) = shape.accumulator {
            // The full value of a double is its bits.
            let full = self.wide_place(at + usize::from(part.first) * 8, 8);
            let place = Place::Adjacent { at: full };
            self.close64((place, 8, part), mask, r, TEMPS[5])?;
        }
        self.close64((place, 8, part), mask, r, TEMPS[5])
    }

    /// A source as doubles, with its modifiers.
    fn double_source(
        &mut self,
        op: &Operation,
        src: &Source,
        (form, part): (&Form, Part),
        temp: Reg,
    ) -> Result<Reg, IcedError> {
        let l = Length::of(usize::from(part.lanes) * 8);
        let raw = op.path == Path::Raw;
        let mut reg = self.elements64(src, (form, part), temp)?;
        if src.ty == Type::F {
            // The dword was extended: it is narrowed to a single again, and widened as one.
            self.asm.narrow(codes::MOVQD, Length::Z, temp, reg)?;
            if self.mode.flush_f {
                self.flush_singles(Length::Y, temp)?;
            }
            self.asm.widen(codes::CVTPS2PD, Length::Z, temp, temp)?;
            reg = temp;
        } else if self.mode.flush_df && !raw {
            self.asm.copy(Length::Z, temp, None, reg)?;
            self.flush_doubles(l, temp)?;
            reg = temp;
        }
        let sign = 1 << 63;
        if src.abs {
            let magnitude = self.asm.quad(sign - 1);
            self.asm.each(codes::ANDQ, l, temp, (reg, magnitude))?;
            reg = temp;
        }
        if src.neg {
            let sign = self.asm.quad(sign);
            self.asm.each(codes::XORQ, l, temp, (reg, sign))?;
            reg = temp;
        }
        Ok(reg)
    }

    /// Doubles truncated to integers and clamped to a type; a NaN becomes zero.
    fn integers(&mut self, ty: Type, l: Length, r: Reg) -> Done {
        const ORDERED: u32 = 7;
        const NOT_LESS: u32 = 5;
        let (low, high) = int_range(ty);
        let beyond = self.asm.quad((high as f64).to_bits());
        let holds = (r, Arg::Reg(r), ORDERED);
        self.asm.compare(codes::CMPPD, l, (HOLDS, None), holds)?;
        let zeroing = Mask {
            k: HOLDS,
            zero: true,
        };
        let both = (r, Arg::Reg(r));
        self.asm.three(codes::ANDQ, l, r, Some(zeroing), both)?;
        let least = self.asm.quad((low as f64).to_bits());
        let clamped = (r, Arg::Each(least));
        self.asm.three(codes::MAXPD, l, r, None, clamped)?;
        let whole = (Arg::Reg(r), TRUNCATES);
        self.asm.two_imm(codes::RNDSCALEPD, l, r, None, whole)?;
        if ty.bytes() < 8 {
            self.asm.each(codes::MINPD, l, r, (r, beyond))?;
            return self.fraction(l, r);
        }
        // The largest quadword is no double: what is not below it is chosen at the end.
        let large = (r, Arg::Each(beyond), NOT_LESS);
        self.asm.compare(codes::CMPPD, l, (OTHER, None), large)?;
        let (upper, rest) = (TEMPS[4], TEMPS[5]);
        let [scale, back] = [1.0 / UPPER, -UPPER].map(|x| self.asm.quad(x.to_bits()));
        self.asm.each(codes::MULPD, l, upper, (r, scale))?;
        let down = (Arg::Reg(upper), DOWN);
        self.asm.two_imm(codes::RNDSCALEPD, l, upper, None, down)?;
        self.asm.broadcast(rest, back, 8)?;
        self.asm.regs(codes::FMADD231PD, l, r, (upper, rest))?;
        self.fraction(l, r)?;
        self.fraction(l, upper)?;
        self.asm.number(codes::SLLQ, l, upper, (upper, 32))?;
        self.asm.regs(codes::ADDQ, l, r, (r, upper))?;
        let most = self.asm.quad(high as u64);
        self.asm
            .two(codes::BROADCASTQ, l, r, keep(OTHER), Arg::Each(most))
    }

    /// Whole doubles below 2⁵¹ as quadwords: the fraction of a power of two that they are added to.
    fn fraction(&mut self, l: Length, reg: Reg) -> Done {
        let power = self.asm.quad(SIGNED_INTEGERS.to_bits());
        self.asm.each(codes::ADDPD, l, reg, (reg, power))?;
        self.asm.each(codes::SUBQ, l, reg, (reg, power))
    }

    /// Replaces denormals by zeroes of their sign.
    fn flush_doubles(&mut self, l: Length, reg: Reg) -> Done {
        let exponent = self.asm.quad(0x7ff0 << 48);
        let sign = self.asm.quad(1 << 63);
        self.asm
            .test(codes::TESTNMQ, l, (OTHER, None), (reg, Arg::Each(exponent)))?;
        self.asm
            .three(codes::ANDQ, l, reg, keep(OTHER), (reg, Arg::Each(sign)))
    }

    /// The channels of a mask for which the condition holds, in [`HOLDS`].
    fn double_relation(
        &mut self,
        op: &Operation,
        l: Length,
        mask: Option<Register>,
        (a, b): (Reg, Reg),
    ) -> Done {
        let number = op.cond.and_then(|c| float_predicate(c.cond)).unwrap_or(0);
        self.asm
            .compare(codes::CMPPD, l, (HOLDS, mask), (a, Arg::Reg(b), number))
    }

    fn double_compute(
        &mut self,
        op: &Operation,
        row: Row,
        (l, part): (Length, Part),
        r: Reg,
        [a, b, c]: [Reg; 3],
    ) -> Done {
        match row {
            Row::Same | Row::Compare => self.asm.copy(l, r, None, a),
            Row::Two(codes) => self.asm.regs(codes, l, r, (a, b)),
            Row::Fused => {
                self.asm.copy(l, r, None, a)?;
                self.asm.regs(codes::FMADD231PD, l, r, (b, c))
            }
            Row::Round(number) => self.asm.number(codes::RNDSCALEPD, l, r, (a, number)),
            Row::ByPredicate | Row::ByRelation => {
                if row == Row::ByPredicate {
                    self.predicate(op, part)?;
                    self.asm
                        .plain(Code::VEX_Kmovw_kr_r32, HOLDS, Register::EAX)?;
                } else {
                    const UNORDERED: u32 = 3;
                    self.double_relation(op, l, None, (a, b))?;
                    let both = (b, Arg::Reg(b), UNORDERED);
                    self.asm.compare(codes::CMPPD, l, (OTHER, None), both)?;
                    self.mask_op(Code::VEX_Korw_kr_kr_kr, HOLDS, HOLDS, OTHER)?;
                }
                let operands = (b, Arg::Reg(a));
                self.asm.three(codes::BLENDMQ, l, r, keep(HOLDS), operands)
            }
        }
    }
}
