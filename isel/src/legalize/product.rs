//! Products of integers.
//!
//! A target without integers of 64 bits does not multiply dwords in one step. The accumulator takes the product
//! with the low word of the second factor; `mach` without accumulator write control adds the product with the high
//! word and gives the lower half (PRM, "mul", "mach").

use kiln_emit::encoding;
use kiln_machine::inst::{Dst, Imm, Inst, Reg, Src};
use kiln_platform::isa::{Cond, Op, RegFile, Region, Type};
use kiln_platform::sources::Sources;

use super::pieces::{Dest, Flag};
use super::{Legalizer, Result, exec_bytes};
use crate::channels::Channels;

impl Legalizer<'_> {
    /// Gives a product of at most 32 bits the lower dwords of factors of 64 bits, which it does not depend on otherwise.
    pub(super) fn narrow_factors(&mut self, n: u32, dest: &Dest, srcs: &mut [Src]) -> Result {
        let short = dest.ty.bytes() <= 4 && !dest.saturate && !dest.is_null();
        let long = |src: &&mut Src| src.ty().bytes() == 8 && !src.ty().is_float();
        for src in srcs.iter_mut().filter(|src| short && long(src)) {
            *src = self.as_type(*src, Type::D, n)?;
        }
        Ok(())
    }

    /// Gives a product of 64 bits factors of dwords, for which alone it is defined (PRM vol. 2a, "mul").
    pub(super) fn widen_factors(&mut self, n: u32, dest: &Dest, srcs: &mut [Src]) -> Result {
        let long = dest.ty.bytes() == 8 && !dest.ty.is_float();
        let narrow = |src: &&mut Src| src.ty().bytes() < 4;
        for src in srcs.iter_mut().filter(|src| long && narrow(src)) {
            // A modifier may make an unsigned factor negative.
            let signed = src.ty().is_signed() || src.has_modifier();
            *src = self.as_type(*src, if signed { Type::D } else { Type::Ud }, n)?;
        }
        Ok(())
    }

    /// Applies the modifiers of factors of which one is a dword and the other no quadword, on families whose products have
    /// none. True if the product is still to be negated: otherwise a factor was, which is the same for the lower 32 bits.
    pub(super) fn negates(&mut self, dest: &Dest, srcs: &mut [Src], n: u32) -> Result<bool> {
        let integers = srcs.iter().all(|src| !src.ty().is_float());
        if self.rules.product_modifiers || !integers || exec_bytes(srcs) != 4 {
            return Ok(false);
        }
        let mut negative = false;
        for src in srcs.iter_mut() {
            let Src::Reg(r) = src else { continue };
            negative ^= std::mem::take(&mut r.modifier.neg);
            r.modifier.abs &= r.ty.is_signed();
            if r.modifier.abs {
                let ty = if r.ty.bytes() == 4 {
                    Type::Ud
                } else {
                    Type::Uw
                };
                *src = self.as_type(*src, ty, n)?;
            }
        }
        if !negative || dest.saturate || dest.ty.bytes() == 8 {
            return Ok(negative);
        }
        let dword = |src: &Src| matches!(src, Src::Reg(r) if r.ty.bytes() == 4);
        let factor = srcs.iter().position(dword);
        for src in srcs.iter_mut() {
            if let Some(opposite) = negated_imm(*src, factor.is_some()) {
                *src = opposite;
                return Ok(false);
            }
        }
        if let Some(src) = factor.map(|at| &mut srcs[at]) {
            if let Src::Reg(r) = src {
                r.modifier.neg = true;
            }
            *src = self.as_type(*src, src.ty(), n)?;
        }
        Ok(false)
    }

    /// Emits a product of 64 bits and gives the destination its negative.
    pub(super) fn negated_product(
        &mut self,
        channels: Channels,
        dest: &mut Dest,
        srcs: Sources<Src>,
        cond: Option<&mut (Cond, Flag)>,
    ) -> Result {
        if self.lacks(Type::Q) {
            return self.fail("a negated product of dwords that saturates");
        }
        let n = channels.count();
        let tmp = self.temp(n * 8);
        let mut whole = self.dest_of(&Dst::new(tmp, 1, Type::Q), false, n);
        self.alu(Op::Mul, channels.unpredicated(), &mut whole, srcs, None)?;
        let mut back = Src::packed(tmp, Type::Q);
        if let Src::Reg(r) = &mut back {
            r.modifier.neg = true;
        }
        self.alu(Op::Mov, channels, dest, Sources::from([back]), cond)
    }

    /// Orders factors of different size, the wider one first, and narrows constants.
    pub(super) fn order_factors(&mut self, channels: Channels, srcs: &mut Sources<Src>) -> Result {
        if srcs.iter().any(|s| s.ty().is_float()) {
            return Ok(());
        }
        if !self.func.target.whole_products() {
            for s in srcs.iter_mut() {
                *s = short_imm(*s);
            }
        }
        let [first, second] = srcs[..] else {
            return Ok(());
        };
        let (wide, narrow) = match (first.ty().bytes(), second.ty().bytes()) {
            (0..4, 4) => (second, first),
            (4, 0..4) => (first, second),
            _ => return Ok(()),
        };
        // A constant would be the second source.
        let wide = match wide {
            Src::Imm(imm) => self.as_type(wide, imm.ty, channels.count())?,
            Src::Reg(_) => wide,
        };
        (srcs[0], srcs[1]) = (wide, narrow);
        Ok(())
    }

    /// True if both factors are dwords and the target does not multiply those in one step.
    pub(super) fn is_wide_product(&self, srcs: &[Src]) -> bool {
        let dword = |s: &Src| matches!(s.ty(), Type::D | Type::Ud);
        !self.func.target.whole_products() && srcs.iter().all(dword)
    }

    /// Emits the lower half of the product of two dwords.
    pub(super) fn low_product(
        &mut self,
        channels: Channels,
        dest: &mut Dest,
        mut srcs: Sources<Src>,
        cond: Option<&mut (Cond, Flag)>,
    ) -> Result {
        if dest.saturate {
            return self.fail("a product of dwords that saturates");
        }
        for s in &mut srcs {
            *s = self.factor(*s, channels.count())?;
        }
        let signed = srcs.iter().any(|s| s.ty().is_signed());
        let ty = if signed { Type::D } else { Type::Ud };
        if matches!(dest.ty, Type::D | Type::Ud) && !dest.is_null() && cond.is_none() {
            dest.ty = ty;
            return self.alu(Op::Macl, channels, dest, srcs, None);
        }
        let tmp = self.temp(channels.count() * 4);
        let mut whole = self.dest_of(&Dst::new(tmp, 1, ty), false, channels.count());
        self.alu(Op::Macl, channels.unpredicated(), &mut whole, srcs, None)?;
        let low = Sources::from([Src::packed(tmp, ty)]);
        self.alu(Op::Mov, channels, dest, low, cond)
    }

    /// A factor whose channels lie as in the accumulator: a scalar, or packed from the start of a register on.
    fn factor(&mut self, s: Src, n: u32) -> Result<Src> {
        let Src::Reg(r) = s else { return Ok(s) };
        let whole = r.reg.byte().is_multiple_of((n * 4).min(self.grf));
        let even = match r.step(n) {
            Some(0) => true,
            Some(1) => whole,
            _ => false,
        };
        let fits = even && r.indirect.is_none() && !s.has_modifier();
        if fits && !self.is_architecture(r.reg) {
            return Ok(s);
        }
        self.as_type(s, r.ty, n)
    }

    /// Emits a piece of the lower half of a product: the accumulator first, then `mach`.
    pub(super) fn through_accumulator(&mut self, mut mach: Inst) {
        let ty = mach.dst.map_or(Type::D, |dst| dst.ty);
        let mut mul = mach;
        mul.op = Op::Mul.into();
        mul.pred = None;
        mul.dst = Some(Dst::new(Reg::phys(RegFile::Acc, 0, 0), 1, ty));
        if let [_, second] = &mut mul.srcs[..] {
            *second = low_words(*second);
        }
        self.push(mul);
        // Without an operation of its own, `mach` gives the lower half.
        let low = encoding::has(Op::Macl, self.func.target);
        mach.op = if low { Op::Macl } else { Op::Mach }.into();
        self.push(mach);
    }
}

/// The opposite of a constant for products of 32 bits. If it is to be `short`, none where it needs a dword and the constant does not.
fn negated_imm(s: Src, short: bool) -> Option<Src> {
    let Src::Imm(imm) = s else { return None };
    let value = match imm.ty {
        Type::W => i64::from(imm.bits() as i16),
        Type::Uw => i64::from(imm.bits() as u16),
        Type::D | Type::Ud => i64::from(imm.bits() as i32),
        _ => return None,
    };
    let is_word = |value: i64| (-0x8000..=0xffff).contains(&value);
    let bits = u64::from(-value as u32);
    let good = !short || is_word(-value) || !is_word(value);
    good.then(|| Src::Imm(Imm::new(Type::D, bits)))
}

/// A constant as a word, if it fits.
fn short_imm(s: Src) -> Src {
    let Src::Imm(imm) = s else { return s };
    let bits = imm.bits() as u32;
    let word = match imm.ty {
        Type::D if i16::try_from(bits as i32).is_ok() => Imm::new(Type::W, u64::from(bits as u16)),
        Type::D | Type::Ud if bits <= 0xffff => Imm::new(Type::Uw, bits.into()),
        _ => imm,
    };
    Src::Imm(word)
}

/// The low words of dwords.
fn low_words(s: Src) -> Src {
    match s {
        Src::Reg(mut r) => {
            let Region {
                vstride,
                width,
                hstride,
            } = r.region;
            r.region = Region::new(vstride.unwrap_or(0) * 2, width, hstride * 2);
            r.ty = Type::Uw;
            Src::Reg(r)
        }
        Src::Imm(imm) => Src::imm(Type::Uw, imm.bits() & 0xffff),
    }
}
