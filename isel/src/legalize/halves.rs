//! Elements of 64 bits on targets without them: pairs of dwords.
//!
//! Takes moves, selections, logic, shifts, sums and comparisons of integers, moves between them and floats, and moves and
//! selections of doubles. Each half of the result is computed in registers of its own, in all channels, and written under the execution mask and
//! predicate last: the lower halves first. A carry is a comparison, so that no instruction needs the accumulator. A
//! comparison orders by the upper halves, or by the lower ones where the upper are equal; the sign of the latter is
//! exchanged, so that one comparison of the chosen dwords decides.

use kiln_machine::func::Class;
use kiln_machine::inst::{CondMod, Dst, Imm, Pred, Reg, Src, SrcReg};
use kiln_platform::isa::{Cond, Op, PredCtrl, Region, SrcMod, Type};
use kiln_platform::sources::Sources;
use smallvec::SmallVec;

use super::pieces::{Dest, Flag};
use super::{Legalizer, Result, vector_element};
use crate::channels::Channels;

const SIGN: u32 = 1 << 31;
/// Bits of a float's fraction, and what is added to its exponent.
const FRACTION: u32 = 23;
const BIAS: u32 = 127;

/// The lower and the upper dword of each element.
#[derive(Clone, Copy)]
struct Halves {
    low: Src,
    high: Src,
}

impl Halves {
    fn of_bits(bits: u64) -> Halves {
        Halves {
            low: ud(bits as u32),
            high: ud((bits >> 32) as u32),
        }
    }
}

fn ud(bits: u32) -> Src {
    Src::imm(Type::Ud, bits.into())
}

/// A source of dwords with another type and sign.
fn typed(s: Src, ty: Type, neg: bool) -> Src {
    match s {
        Src::Reg(r) => Src::Reg(SrcReg {
            ty,
            modifier: SrcMod { neg, abs: false },
            ..r
        }),
        Src::Imm(imm) => {
            let bits = imm.bits() as u32;
            let bits = if neg { bits.wrapping_neg() } else { bits };
            Src::imm(ty, bits.into())
        }
    }
}

/// The region of the halves of elements with a region.
pub(super) fn halved(r: &SrcReg, n: u32) -> Option<Region> {
    let Region {
        vstride,
        width,
        hstride,
    } = r.region;
    let doubled = |stride: u8| stride.checked_mul(2);
    Some(match (vstride, r.step(n)) {
        (None, _) if width == 1 => r.region,
        (_, Some(0)) => Region::SCALAR,
        (_, Some(step)) => Region::new(doubled(u8::try_from(step).ok()?)?, 1, 0),
        (vstride, None) => Region {
            vstride: match vstride {
                Some(stride) => Some(doubled(stride)?),
                None => None,
            },
            width,
            hstride: doubled(hstride)?,
        },
    })
}

/// Parts of a shift: the half that bits leave and the one that they enter; the shift that moves the leaving bits to their places
/// there, and the one of the half that they enter.
fn ways(op: Op, Halves { low, high }: Halves) -> ((Src, Src), (Op, Op)) {
    match op {
        Op::Shl => ((low, high), (Op::Shr, op)),
        _ => ((high, low), (Op::Shl, Op::Shr)),
    }
}

impl Legalizer<'_> {
    /// Emits an operation on elements of 64 bits, where the target has none, on their halves.
    pub(super) fn in_halves(
        &mut self,
        op: Op,
        channels: Channels,
        dest: &mut Dest,
        srcs: &[Src],
        cond: Option<&mut (Cond, Flag)>,
    ) -> Result {
        let n = channels.count();
        let lacking = srcs.iter().map(Src::ty).chain([dest.ty]);
        let lacking = lacking.into_iter().find(|&ty| self.lacks(ty));
        let ty = lacking.unwrap_or(dest.ty);
        let is_float = |ty: Type| ty.is_float();
        let floats = srcs.iter().map(Src::ty).any(is_float) || is_float(dest.ty);
        let same = srcs.iter().all(|s| s.ty() == dest.ty) && !dest.saturate;
        // Doubles may be moved, not computed.
        let moved = matches!(op, Op::Mov | Op::Sel) && cond.is_none() && same;
        if let (Op::Mov, &[from], None) = (op, srcs, &cond) {
            let is_short = |ty: Type| matches!(ty, Type::F | Type::Hf);
            let is_long = |ty: Type| matches!(ty, Type::Q | Type::Uq);
            if is_short(dest.ty) && is_long(from.ty()) {
                return self.float_of(channels, dest, from);
            }
            if is_long(dest.ty) && is_short(from.ty()) {
                return self.integer_of(channels, dest, from);
            }
        }
        if floats && !moved {
            let target = self.func.target.name;
            return self.fail(format!("type {} on {target}", ty.name()));
        }
        let bitwise = op.is_bitwise();
        let mut halves = SmallVec::<[Halves; 3]>::new();
        for (at, s) in srcs.iter().enumerate() {
            let is_count = at == 1 && matches!(op, Op::Shl | Op::Shr | Op::Asr);
            halves.push(match is_count {
                true => Halves {
                    low: self.count(*s, n)?,
                    high: ud(0),
                },
                false => self.halves(*s, n, bitwise)?,
            });
        }
        let signed = srcs.iter().any(has_sign);
        let result = match (op, &halves[..]) {
            (Op::Mov, &[whole]) => whole,
            (Op::Sel, &[mut a, mut b]) => {
                let (chosen, of) = match (&cond, channels.pred) {
                    (Some(cond), _) => {
                        let chosen = self.compared(cond.0, n, (a, b), signed)?;
                        (chosen, Channels::all(channels.size))
                    }
                    (None, Some(pred)) => (pred, channels),
                    (None, None) => return self.fail("a selection without a predicate"),
                };
                // Each source has a sign of its own.
                if std::mem::take(&mut dest.saturate) {
                    a = self.clamped(n, a, has_sign(&srcs[0]), dest.ty)?;
                    b = self.clamped(n, b, has_sign(&srcs[1]), dest.ty)?;
                }
                let whole = self.chosen(chosen, of, (a, b))?;
                // The predicate chose; every active channel is written.
                return self.put(channels.unpredicated(), dest, whole, signed);
            }
            (Op::And | Op::Or | Op::Xor, &[a, b]) => Halves {
                low: self.made(op, n, &[a.low, b.low])?,
                high: self.made(op, n, &[a.high, b.high])?,
            },
            (Op::Not, &[a]) => Halves {
                low: self.made(op, n, &[a.low])?,
                high: self.made(op, n, &[a.high])?,
            },
            (Op::Add, &[a, b]) if !dest.saturate => self.added(n, a, b)?,
            (Op::Shl | Op::Shr | Op::Asr, &[a, count]) if !dest.saturate => match count.low {
                Src::Imm(imm) => self.shifted_by(op, n, a, imm.bits() as u32 & 63)?,
                count => self.shifted(op, n, a, count)?,
            },
            (Op::Cmp, &[a, b]) => {
                let Some(cond) = cond else {
                    return self.fail("a comparison without a flag");
                };
                let ordered = self.ordered(n, (a, b), signed)?;
                let srcs = Sources::from(ordered);
                if dest.is_null() {
                    let mut null = self.dest_of(&Dst::null(ordered[0].ty()), false, n);
                    return self.alu(op, channels, &mut null, srcs, Some(cond));
                }
                let truth = self.temp(n * 4);
                let mut to = self.dest_of(&Dst::new(truth, 1, Type::D), false, n);
                self.alu(op, channels, &mut to, srcs, Some(cond))?;
                let truth = Src::packed(truth, Type::Ud);
                let whole = Halves {
                    low: truth,
                    high: truth,
                };
                return self.put(channels, dest, whole, signed);
            }
            _ => {
                let target = self.func.target.name;
                return self.fail(format!(
                    "{} of type {} on {target}",
                    op.mnemonic(),
                    ty.name()
                ));
            }
        };
        let result = match dest.is_fixed() || cond.is_some() {
            // Neither half of a source may change before both are read.
            true => Halves {
                low: self.made(Op::Mov, n, &[result.low])?,
                high: self.made(Op::Mov, n, &[result.high])?,
            },
            false => result,
        };
        if !dest.is_null() {
            self.put(channels, dest, result, signed)?;
        }
        let Some(cond) = cond else { return Ok(()) };
        let ordered = self.ordered(n, (result, Halves::of_bits(0)), signed)?;
        let mut null = self.dest_of(&Dst::null(ordered[0].ty()), false, n);
        let srcs = Sources::from(ordered);
        self.alu(Op::Cmp, channels, &mut null, srcs, Some(cond))
    }

    /// Writes quadwords, or what of them the destination holds.
    fn put(&mut self, channels: Channels, dest: &mut Dest, whole: Halves, signed: bool) -> Result {
        let n = channels.count();
        let whole = match dest.saturate {
            true => self.clamped(n, whole, signed, dest.ty)?,
            false => whole,
        };
        dest.saturate = false;
        if dest.ty.bytes() < 8 {
            let ty = if dest.ty.is_signed() {
                Type::D
            } else {
                Type::Ud
            };
            let low = typed(whole.low, ty, false);
            return self.alu(Op::Mov, channels, dest, Sources::from([low]), None);
        }
        if dest.h > 2 && n > 1 {
            // No region has as much between two dwords.
            let packed = self.temp(n * 8);
            let mut to = self.dest_of(&Dst::new(packed, 1, dest.ty), false, n);
            self.put(Channels::all(n as u8), &mut to, whole, signed)?;
            let packed = Sources::from([Src::packed(packed, dest.ty)]);
            return self.scattered(Op::Mov, channels, dest, packed, None);
        }
        if dest.indirect.is_none() && !dest.byte.is_multiple_of(8) {
            return self.fail("a destination that is not aligned to its type");
        }
        let mut lower = self.lower(dest);
        let low = Sources::from([whole.low]);
        self.alu(Op::Mov, channels, &mut lower, low, None)?;
        let mut upper = self.upper(dest, lower);
        let high = Sources::from([whole.high]);
        self.alu(Op::Mov, channels, &mut upper, high, None)
    }

    /// Dwords that an operation makes of dwords, in all channels.
    fn made(&mut self, op: Op, n: u32, srcs: &[Src]) -> Result<Src> {
        self.made_in(op, Channels::all(n as u8), srcs)
    }

    fn made_in(&mut self, op: Op, channels: Channels, srcs: &[Src]) -> Result<Src> {
        let scalar = |s: &Src| match s {
            Src::Imm(_) => true,
            Src::Reg(r) => r.indirect.is_none() && r.step(channels.count()) == Some(0),
        };
        let one = channels.pred.is_none() && srcs.iter().all(scalar);
        let n = if one { 1 } else { channels.count() };
        let tmp = self.temp(n * 4);
        let ty = if op == Op::Asr { Type::D } else { Type::Ud };
        let mut dest = self.dest_of(&Dst::new(tmp, 1, ty), false, n);
        let channels = Channels {
            size: n as u8,
            ..channels
        };
        self.alu(
            op,
            channels,
            &mut dest,
            srcs.iter().copied().collect(),
            None,
        )?;
        Ok(match one {
            true => Src::scalar(tmp, Type::Ud),
            false => Src::packed(tmp, Type::Ud),
        })
    }

    /// The channels for which a relation of dwords holds.
    fn tested(&mut self, cond: Cond, n: u32, a: Src, b: Src) -> Result<Pred> {
        let bytes = if n > 16 { 4 } else { 2 };
        let flag = Reg::virt(self.func.reg(Class::Flag, bytes), 0);
        let modifier = CondMod {
            cond,
            flag,
            old: None.into(),
        };
        let mut cond = (cond, Flag::new(&modifier, None));
        let mut null = self.dest_of(&Dst::null(a.ty()), false, n);
        let srcs = Sources::from([a, b]);
        self.alu(
            Op::Cmp,
            Channels::all(n as u8),
            &mut null,
            srcs,
            Some(&mut cond),
        )?;
        Ok(Pred {
            flag,
            inverse: false,
            ctrl: PredCtrl::Normal,
        })
    }

    /// Elements of the first source where the predicate holds, of the second elsewhere.
    fn chosen(&mut self, pred: Pred, of: Channels, (a, b): (Halves, Halves)) -> Result<Halves> {
        let channels = Channels {
            pred: Some(pred),
            no_mask: true,
            ..of
        };
        Ok(Halves {
            low: self.made_in(Op::Sel, channels, &[a.low, b.low])?,
            high: self.made_in(Op::Sel, channels, &[a.high, b.high])?,
        })
    }

    fn one_of(&mut self, pred: Pred, n: u32, a: Src, b: Src) -> Result<Src> {
        let channels = Channels {
            pred: Some(pred),
            ..Channels::all(n as u8)
        };
        self.made_in(Op::Sel, channels, &[a, b])
    }

    /// The number of places of a shift, as dwords.
    fn count(&mut self, s: Src, n: u32) -> Result<Src> {
        match s {
            Src::Reg(r) if r.ty.bytes() == 4 && !s.has_modifier() && r.indirect.is_none() => {
                Ok(typed(s, Type::Ud, false))
            }
            Src::Imm(imm) if vector_element(imm.ty).is_none() => Ok(ud(imm.bits() as u32)),
            _ => Ok(self.halves(s, n, false)?.low),
        }
    }

    /// The halves of a source, extended to 64 bits and with its modifiers applied; modifiers of logic stay.
    fn halves(&mut self, s: Src, n: u32, bitwise: bool) -> Result<Halves> {
        let r = match s {
            Src::Imm(imm) => match vector_element(imm.ty) {
                Some(element) => {
                    let s = self.vector_temp(s, element)?;
                    return self.halves(s, n, bitwise);
                }
                None => return Ok(Halves::of_bits(extended(imm))),
            },
            Src::Reg(r) => r,
        };
        let SrcMod { neg, abs } = r.modifier;
        let kept = SrcMod {
            neg: neg && bitwise,
            abs: false,
        };
        let whole = match r.ty.bytes() {
            8 => {
                let Some(region) = halved(&r, n) else {
                    return self.fail("elements of 64 bits too far apart");
                };
                let half = |at: u32| {
                    let mut r = SrcReg {
                        region,
                        ty: Type::Ud,
                        modifier: kept,
                        ..r
                    };
                    match &mut r.indirect {
                        Some(imm) => *imm += at as i16,
                        None => r.reg = r.reg.at(r.reg.byte() + at),
                    }
                    Src::Reg(r)
                };
                Halves {
                    low: half(0),
                    high: half(4),
                }
            }
            _ => {
                let signed = r.ty.is_signed();
                let ty = if signed { Type::D } else { Type::Ud };
                let plain = SrcReg {
                    modifier: SrcMod::default(),
                    ..r
                };
                let low = match r.ty.bytes() == 4 && r.indirect.is_none() {
                    true => Src::Reg(plain),
                    false => self.as_type(Src::Reg(plain), ty, n)?,
                };
                let high = match signed {
                    true => {
                        let places = ud(31);
                        self.made(Op::Asr, n, &[typed(low, Type::D, false), places])?
                    }
                    false => ud(0),
                };
                let modified = |s| match s {
                    Src::Reg(r) => Src::Reg(SrcReg {
                        modifier: kept,
                        ..r
                    }),
                    Src::Imm(_) if kept.neg => ud(u32::MAX),
                    imm => imm,
                };
                Halves {
                    low: modified(typed(low, Type::Ud, false)),
                    high: modified(high),
                }
            }
        };
        if bitwise || !neg && !abs {
            return Ok(whole);
        }
        if r.ty.is_float() {
            let mut high = whole.high;
            if abs {
                high = self.made(Op::And, n, &[high, ud(!SIGN)])?;
            }
            if neg {
                high = self.made(Op::Xor, n, &[high, ud(SIGN)])?;
            }
            return Ok(Halves { high, ..whole });
        }
        let mut whole = whole;
        if abs && r.ty.is_signed() {
            let below = self.tested(Cond::Lt, n, typed(whole.high, Type::D, false), ud(0))?;
            let negated = self.negated(n, whole)?;
            whole = self.chosen(below, Channels::all(n as u8), (negated, whole))?;
        }
        match neg {
            true => self.negated(n, whole),
            false => Ok(whole),
        }
    }

    fn negated(&mut self, n: u32, Halves { low, high }: Halves) -> Result<Halves> {
        let borrows = self.tested(Cond::Ne, n, low, ud(0))?;
        let inverted = self.made(Op::Not, n, &[high])?;
        let minus = self.made(Op::Mov, n, &[typed(high, Type::D, true)])?;
        Ok(Halves {
            low: self.made(Op::Mov, n, &[typed(low, Type::D, true)])?,
            high: self.one_of(borrows, n, inverted, minus)?,
        })
    }

    /// The number of each channel's sign: all bits set below zero.
    fn signs(&mut self, n: u32, high: Src) -> Result<Src> {
        self.made(Op::Asr, n, &[typed(high, Type::D, false), ud(31)])
    }

    /// The number, or its negative where all bits of the other are set.
    fn signed_by(&mut self, n: u32, whole: Halves, signs: Src) -> Result<Halves> {
        let inverted = Halves {
            low: self.made(Op::Xor, n, &[whole.low, signs])?,
            high: self.made(Op::Xor, n, &[whole.high, signs])?,
        };
        let one = Halves {
            low: self.made(Op::And, n, &[signs, ud(1)])?,
            high: ud(0),
        };
        self.added(n, inverted, one)
    }

    /// A float from an integer: the 32 bits from the highest set one on, rounded with a bit for all below them, times a power
    /// of two. A half has fewer bits than a float has left of any number that it holds.
    fn float_of(&mut self, channels: Channels, dest: &mut Dest, from: Src) -> Result {
        let n = channels.count();
        // The magnitude of the least number is no integer of its type: modifiers are of the float's sign.
        let (mut plain, mut modifier) = (from, SrcMod::default());
        if let Src::Reg(r) = &mut plain {
            modifier = std::mem::take(&mut r.modifier);
        }
        let whole = self.halves(plain, n, false)?;
        let signs = match has_sign(&plain) {
            true => Some(self.signs(n, whole.high)?),
            false => None,
        };
        let magnitude = match signs {
            Some(signs) => self.signed_by(n, whole, signs)?,
            None => whole,
        };
        let places = self.made(Op::Lzd, n, &[magnitude.high])?;
        let moved = self.shifted(Op::Shl, n, magnitude, places)?;
        let rest = self.tested(Cond::Ne, n, moved.low, ud(0))?;
        let odd = self.made(Op::Or, n, &[moved.high, ud(1)])?;
        let highest = self.one_of(rest, n, odd, moved.high)?;
        let number = self.as_type(highest, Type::F, n)?;
        let exponent = self.made(
            Op::Add,
            n,
            &[typed(places, Type::D, true), ud(BIAS + u32::BITS)],
        )?;
        let mut power = self.made(Op::Shl, n, &[exponent, ud(FRACTION)])?;
        if let Some(signs) = signs.filter(|_| !modifier.abs) {
            let sign = self.made(Op::And, n, &[signs, ud(SIGN)])?;
            power = self.made(Op::Or, n, &[power, sign])?;
        }
        if modifier.neg {
            // No integer is a negative zero.
            let some = self.tested(Cond::Ne, n, highest, ud(0))?;
            let opposite = self.made(Op::Xor, n, &[power, ud(SIGN)])?;
            power = self.one_of(some, n, opposite, power)?;
        }
        let factors = Sources::from([number, typed(power, Type::F, false)]);
        if dest.ty == Type::F {
            return self.alu(Op::Mul, channels, dest, factors, None);
        }
        let float = self.temp(n * 4);
        let mut to = self.dest_of(&Dst::new(float, 1, Type::F), false, n);
        self.alu(Op::Mul, Channels::all(n as u8), &mut to, factors, None)?;
        let float = Sources::from([Src::packed(float, Type::F)]);
        self.alu(Op::Mov, channels, dest, float, None)
    }

    /// An integer from a float, without what is after the point: the nearest one if it is out of range, and 0 for a NaN.
    fn integer_of(&mut self, channels: Channels, dest: &mut Dest, from: Src) -> Result {
        let n = channels.count();
        let bits = typed(self.as_type(from, Type::F, n)?, Type::Ud, false);
        let signed = dest.ty == Type::Q;
        let above = self.made(Op::Shr, n, &[bits, ud(FRACTION)])?;
        let exponent = self.made(Op::And, n, &[above, ud(0xff)])?;
        let fraction = self.made(Op::And, n, &[bits, ud((1 << FRACTION) - 1)])?;
        let number = self.made(Op::Or, n, &[fraction, ud(1 << FRACTION)])?;
        // Places to the left of the point, or to the right.
        let whole = ud(BIAS + FRACTION);
        let less = self.made(Op::Add, n, &[typed(exponent, Type::D, true), whole])?;
        let more = self.made(Op::Mov, n, &[typed(less, Type::D, true)])?;
        let none = Src::imm(Type::D, 0);
        let is_part = self.tested(Cond::Gt, n, typed(less, Type::D, false), none)?;
        let right = self.one_of(is_part, n, less, ud(0))?;
        let left = self.one_of(is_part, n, ud(0), more)?;
        let is_far = self.tested(Cond::Gt, n, right, ud(31))?;
        let right = self.one_of(is_far, n, ud(31), right)?;
        let low = self.made(Op::Shr, n, &[number, right])?;
        let start = Halves { low, high: ud(0) };
        let mut result = self.shifted(Op::Shl, n, start, left)?;
        let signs = self.signs(n, bits)?;
        let most = match signed {
            true => {
                result = self.signed_by(n, result, signs)?;
                Halves {
                    low: self.made(Op::Not, n, &[signs])?,
                    high: self.made(Op::Xor, n, &[signs, ud(!SIGN)])?,
                }
            }
            false => Halves::of_bits(u64::MAX),
        };
        // Powers of two that are too large.
        let limit = BIAS + if signed { 63 } else { 64 };
        let over = self.tested(Cond::Ge, n, exponent, ud(limit))?;
        let all = Channels::all(n as u8);
        result = self.chosen(over, all, (most, result))?;
        let magnitude = self.made(Op::And, n, &[bits, ud(!SIGN)])?;
        let is_none = self.tested(Cond::Gt, n, magnitude, ud(0xff << FRACTION))?;
        let zero = Halves::of_bits(0);
        result = self.chosen(is_none, all, (zero, result))?;
        if !signed {
            let is_below = self.tested(Cond::Ne, n, signs, ud(0))?;
            result = self.chosen(is_below, all, (zero, result))?;
        }
        dest.saturate = false;
        self.put(channels, dest, result, signed)
    }

    fn added(&mut self, n: u32, a: Halves, b: Halves) -> Result<Halves> {
        let low = self.made(Op::Add, n, &[a.low, b.low])?;
        let carries = self.tested(Cond::Lt, n, low, a.low)?;
        let high = self.made(Op::Add, n, &[a.high, b.high])?;
        let more = self.made(Op::Add, n, &[high, ud(1)])?;
        Ok(Halves {
            low,
            high: self.one_of(carries, n, more, high)?,
        })
    }

    /// Dwords that compare as the quadwords do.
    fn ordered(&mut self, n: u32, (a, b): (Halves, Halves), signed: bool) -> Result<[Src; 2]> {
        let equal = self.tested(Cond::Eq, n, a.high, b.high)?;
        let ty = if signed { Type::D } else { Type::Ud };
        let mut both = [a.low; 2];
        for (to, Halves { low, high }) in both.iter_mut().zip([a, b]) {
            let low = match (signed, low) {
                (false, low) => low,
                (true, Src::Imm(imm)) => ud(imm.bits() as u32 ^ SIGN),
                (true, low) => self.made(Op::Xor, n, &[low, ud(SIGN)])?,
            };
            *to = typed(self.one_of(equal, n, low, high)?, ty, false);
        }
        Ok(both)
    }

    /// The channels for which a relation of quadwords holds.
    fn compared(
        &mut self,
        cond: Cond,
        n: u32,
        both: (Halves, Halves),
        signed: bool,
    ) -> Result<Pred> {
        let [a, b] = self.ordered(n, both, signed)?;
        self.tested(cond, n, a, b)
    }

    /// Quadwords, those out of the range of a type at its nearer end.
    fn clamped(&mut self, n: u32, whole: Halves, signed: bool, ty: Type) -> Result<Halves> {
        let bits = 8 * ty.bytes();
        let (least, most) = match ty.is_signed() {
            true => (i64::MIN >> (64 - bits), (i64::MAX >> (64 - bits)) as u64),
            false => (0, u64::MAX >> (64 - bits)),
        };
        let mut whole = whole;
        let mut ends = SmallVec::<[(Cond, u64); 2]>::new();
        if !signed || most <= i64::MAX as u64 {
            ends.push((Cond::Gt, most));
        }
        if signed {
            ends.push((Cond::Lt, least as u64));
        }
        for (cond, end) in ends {
            let end = Halves::of_bits(end);
            let outside = self.compared(cond, n, (whole, end), signed)?;
            whole = self.chosen(outside, Channels::all(n as u8), (end, whole))?;
        }
        Ok(whole)
    }

    /// A shift by a constant below 64.
    fn shifted_by(&mut self, op: Op, n: u32, a: Halves, places: u32) -> Result<Halves> {
        let high = a.high;
        let sign = match op {
            Op::Asr => self.made(op, n, &[typed(high, Type::D, false), ud(31)])?,
            _ => ud(0),
        };
        let ((from, into), (back, lower)) = ways(op, a);
        let by = |select: &mut Self, op: Op, half: Src, places: u32| match places {
            0 => Ok(half),
            _ => {
                let ty = if op == Op::Asr { Type::D } else { Type::Ud };
                select.made(op, n, &[typed(half, ty, false), ud(places)])
            }
        };
        let (left, entered) = match places {
            0 => (from, into),
            1..32 => {
                let over = by(self, back, from, 32 - places)?;
                let kept = by(self, lower, into, places)?;
                (
                    by(self, op, from, places)?,
                    self.made(Op::Or, n, &[kept, over])?,
                )
            }
            _ => (sign, by(self, op, from, places - 32)?),
        };
        Ok(match op {
            Op::Shl => Halves {
                low: left,
                high: entered,
            },
            _ => Halves {
                low: entered,
                high: left,
            },
        })
    }

    /// A shift by the lowest six bits of a number that each channel has.
    fn shifted(&mut self, op: Op, n: u32, a: Halves, count: Src) -> Result<Halves> {
        let high = a.high;
        let ((from, into), (back, lower)) = ways(op, a);
        let wide = self.made(Op::And, n, &[count, ud(32)])?;
        let wide = self.tested(Cond::Ne, n, wide, ud(0))?;
        let places = self.made(Op::And, n, &[count, ud(31)])?;
        // Bits that cross go 32 places less `places` back, which is one place and as many as are missing to 31.
        let rest = self.made(Op::Xor, n, &[places, ud(31)])?;
        let ty = if op == Op::Asr { Type::D } else { Type::Ud };
        let moved = self.made(op, n, &[typed(from, ty, false), places])?;
        let once = self.made(back, n, &[from, ud(1)])?;
        let over = self.made(back, n, &[once, rest])?;
        let kept = self.made(lower, n, &[into, places])?;
        let near = self.made(Op::Or, n, &[kept, over])?;
        let sign = match op {
            Op::Asr => self.made(op, n, &[typed(high, Type::D, false), ud(31)])?,
            _ => ud(0),
        };
        let entered = self.one_of(wide, n, moved, near)?;
        let left = self.one_of(wide, n, sign, moved)?;
        Ok(match op {
            Op::Shl => Halves {
                low: left,
                high: entered,
            },
            _ => Halves {
                low: entered,
                high: left,
            },
        })
    }
}

/// True if a source may be negative. Immediates have the narrowest type that holds them, not the one of their program.
fn has_sign(s: &Src) -> bool {
    match s {
        Src::Reg(r) => r.ty.is_signed() || r.modifier.neg,
        Src::Imm(imm) => (extended(*imm) as i64) < 0 && imm.ty.is_signed(),
    }
}

/// The bits of an immediate, extended to 64 by its type.
fn extended(imm: Imm) -> u64 {
    let bits = imm.bits();
    match imm.ty {
        Type::D => bits as u32 as i32 as i64 as u64,
        Type::W => bits as u16 as i16 as i64 as u64,
        Type::B => bits as u8 as i8 as i64 as u64,
        _ => bits,
    }
}
