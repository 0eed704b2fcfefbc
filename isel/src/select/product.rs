//! Products and sums of dwords with all their bits: `mulh`, `madw`, `addc`, `subb`, and `mul` to 64 bits. Sums of quadwords
//! where the hardware has dwords only.
//!
//! With integers of 64 bits, a product is one of them, and the hardware applies the modifiers of its factors
//! without losing a bit. Without them, products and carries go through the accumulator, a register of channels at a time:
//! `mul` with the low words of the second factor, then `mach` with the whole second factor (PRM, "mach"). Only the
//! first factor may have a modifier there, which keeps all bits (as the reference finalizer relies on). The
//! product's sign is therefore moved to it, and a magnitude is replaced by its negation, which 32 bits can
//! represent for every number. Where factors have no modifiers, the product is negated.

use kiln_machine::func::Class;
use kiln_machine::inst::{Dst, Inst, Old, Reg, Src, SrcReg};
use kiln_platform::isa::{Cond, Op, RegFile, Region, SrcMod, Type};
use kiln_platform::rules::rules;
use kiln_visa::module::{self as visa, Modifier, Operand};
use kiln_visa::opcode::Opcode;

use super::buffer::Buffer;
use super::operand::condition;
use super::{Channels, Result, Select, ud};

/// Maximum number of quadwords whose halves are moved at once.
const MOST_QUADWORDS: u8 = 16;

/// The two halves of 64-bit numbers.
struct Halves {
    low: Src,
    high: Src,
}

impl Select<'_, '_> {
    /// Selects the upper half of a product.
    pub(super) fn multiply_high(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let n = channels.size;
        let [a, b] = self.factors(visa, n)?;
        let dst = self.dst(&visa.operands[0], n)?;
        let high = if self.out.target.whole_products() {
            self.wide_product(n, a, b, None).high
        } else {
            self.long_product(n, a, b, false).high
        };
        self.alu_visa(Op::Mov, channels, dst, &[high]);
        Ok(())
    }

    /// Selects both halves of the sum of a product and a dword.
    pub(super) fn multiply_add_wide(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let n = channels.size;
        let [a, b] = self.factors(visa, n)?;
        let c = self.src(&visa.operands[3], n)?;
        let c = self.dwords(c, n);
        let c = Some(c).filter(|c| !matches!(c, Src::Imm(imm) if imm.bits() == 0));
        let sum = match c {
            c if self.out.target.whole_products() => self.wide_product(n, a, b, c),
            None => self.long_product(n, a, b, true),
            Some(c) => {
                let product = self.long_product(n, a, b, true);
                self.add_long(n, product, c)
            }
        };
        let to = &visa.operands[0];
        let behind = visa.op.row().part_stride(n, 4, self.grf());
        let low = self.dst(to, n)?;
        self.alu_visa(Op::Mov, channels, low, &[sum.low]);
        let high = self.dst_behind(to, n, behind)?;
        self.alu_visa(Op::Mov, channels, high, &[sum.high]);
        Ok(())
    }

    /// Selects a product.
    pub(super) fn multiply(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let n = channels.size;
        let factors = [1, 2].map(|i| self.src(&visa.operands[i], n));
        let [a, b] = factors;
        let [a, b] = [a?, b?];
        let dst = self.dst(&visa.operands[0], n)?;
        if !self.is_long_product(dst.0.ty, &[a, b]) {
            self.alu_visa(Op::Mul, channels, dst, &[a, b]);
            return Ok(());
        }
        let product = self.quad_product(n, a, b);
        self.alu_visa(Op::Mov, channels, dst, &[product]);
        Ok(())
    }

    /// True if a product of these types is put together of halves.
    pub(super) fn is_long_product(&self, to: Type, factors: &[Src]) -> bool {
        let narrow = |s: &Src| !s.ty().is_float() && s.ty().bytes() <= 4;
        to.bytes() == 8
            && !to.is_float()
            && !self.out.target.whole_products()
            && factors.iter().all(narrow)
    }

    /// `a * b` as an integer of 64 bits.
    pub(super) fn quad_product(&mut self, n: u8, a: Src, b: Src) -> Src {
        let ty = match is_signed(&a) || is_signed(&b) {
            true => Type::Q,
            false => Type::Uq,
        };
        // Dwords with a sign hold narrower factors, negated ones too.
        let [a, b] = [a, b].map(|s| match self.dwords(s, n) {
            s if s.ty().bytes() == 4 => s,
            s => self.converted(s, Type::D, n),
        });
        let product = self.long_product(n, a, b, true);
        Src::packed(self.of_halves(n, product), ty)
    }

    /// A temporary with numbers of 64 bits.
    fn of_halves(&mut self, n: u8, Halves { low, high }: Halves) -> Reg {
        let mut old = Old::None;
        let mut whole = Reg::NULL;
        for (at, half) in [(0, low), (4, high)] {
            whole = self.temp(u32::from(n) * 8);
            let to = Dst::new(whole.at(at), 2, Type::Ud);
            let half = retyped(half, Type::Ud);
            self.alu(Op::Mov, Channels::all(n), Dst { old, ..to }, &[half]);
            let regs = self.out.registers(&whole.base()).into();
            old = self.old(regs);
        }
        whole
    }

    /// True for a sum of 64-bit integers, in all channels, on a platform that cannot add them: the frames of vISA's
    /// stack have addresses of 64 bits on every platform.
    pub(super) fn sums_halves(&self, visa: &visa::Inst) -> bool {
        let long = |operand: &Operand| {
            matches!(
                self.declared_type(operand),
                Some(visa::Type::Q | visa::Type::Uq)
            )
        };
        !self.out.target.int64
            && visa.exec.no_mask
            && visa.pred.is_none()
            && long(&visa.operands[0])
            && long(&visa.operands[1])
    }

    /// Selects a sum of 64-bit integers as sums of dwords.
    pub(super) fn sum_of_halves(&mut self, visa: &visa::Inst) -> Result {
        let n = visa.exec.size;
        let a = self.src(&visa.operands[1], n)?;
        let b = self.src(&visa.operands[2], n)?;
        let plain = |s: &Src| match s {
            Src::Reg(r) => !s.has_modifier() && r.step(n.into()).is_some(),
            Src::Imm(_) => true,
        };
        let packed = match &visa.operands[0] {
            Operand::General {
                region, modifier, ..
            } => region.h <= 1 && *modifier == Modifier::None,
            _ => false,
        };
        if !packed || n > MOST_QUADWORDS || !plain(&a) || !plain(&b) {
            return self.direct_operation(Op::Add, visa);
        }
        let (dst, _) = self.dst(&visa.operands[0], n)?;
        let whole = Src::packed(self.long_sum(n, a, b), Type::Ud);
        let to = Dst {
            ty: Type::Ud,
            ..dst
        };
        self.alu(Op::Mov, Channels::all(2 * n), to, &[whole]);
        Ok(())
    }

    /// The sum of quadwords and an integer, in all channels, made of sums of dwords. The sources have no modifiers, and
    /// elements at equal distances.
    pub(super) fn long_sum(&mut self, n: u8, a: Src, b: Src) -> Reg {
        let whole = Halves {
            low: half(a, 0, n),
            high: half(a, 4, n),
        };
        if b.ty().bytes() < 8 {
            let sum = self.add_long(n, whole, b);
            return self.of_halves(n, sum);
        }
        let (low, carry) = self.with_carry(Op::Addc, n, whole.low, half(b, 0, n));
        let mut high = whole.high;
        for more in [carry, half(b, 4, n)] {
            let to = self.temp(u32::from(n) * 4);
            let to = Dst::new(to, 1, Type::Ud);
            self.alu(
                Op::Add,
                Channels::all(n),
                to,
                &[high, retyped(more, Type::Ud)],
            );
            high = Src::packed(to.reg, Type::Ud);
        }
        self.of_halves(n, Halves { low, high })
    }

    /// The factors of a product of dwords.
    fn factors(&mut self, visa: &visa::Inst, n: u8) -> Result<[Src; 2]> {
        let a = self.src(&visa.operands[1], n)?;
        let b = self.src(&visa.operands[2], n)?;
        Ok([a, b].map(|s| self.dwords(s, n)))
    }

    /// A packed immediate as dwords.
    fn dwords(&mut self, s: Src, n: u8) -> Src {
        match s.ty() {
            Type::V => self.converted(s, Type::D, n),
            Type::Uv => self.converted(s, Type::Ud, n),
            _ => s,
        }
    }

    /// `a * b + c` as integers of 64 bits.
    fn wide_product(&mut self, n: u8, a: Src, b: Src, c: Option<Src>) -> Halves {
        let signed = [Some(a), Some(b), c].iter().flatten().any(is_signed);
        let (ty, half) = match signed {
            true => (Type::Q, Type::D),
            false => (Type::Uq, Type::Ud),
        };
        let mut wide = self.temp(u32::from(n) * 8);
        self.alu(Op::Mul, Channels::all(n), Dst::new(wide, 1, ty), &[a, b]);
        if let Some(c) = c {
            let sum = self.temp(u32::from(n) * 8);
            let product = Src::packed(wide, ty);
            self.alu(
                Op::Add,
                Channels::all(n),
                Dst::new(sum, 1, ty),
                &[product, c],
            );
            wide = sum;
        }
        Halves {
            low: Src::strided(wide, half, 2),
            high: Src::strided(wide.at(4), half, 2),
        }
    }

    /// Number of dwords that the accumulator has.
    fn accumulated(&self) -> u8 {
        (self.grf() / 4) as u8
    }

    /// `a * b` through the accumulator, with its lower half only if it is used.
    fn long_product(&mut self, n: u8, a: Src, b: Src, with_low: bool) -> Halves {
        let (a, minus_a) = self.magnitude(a, n);
        let (b, minus_b) = self.magnitude(b, n);
        let ty = match is_signed(&a) || is_signed(&b) {
            true => Type::D,
            false => Type::Ud,
        };
        // Immediates are second factors unless they need a modifier.
        let (a, b) = match (a, b) {
            (Src::Imm(_), Src::Imm(_)) => (self.converted(a, a.ty(), n), b),
            (Src::Imm(_), b) => (b, a),
            registers => registers,
        };
        let [a, b] = [a, b].map(|s| self.as_accumulated(s, s.ty(), n));
        let bytes = u32::from(n) * 4;
        let (mut high, mut low) = (Buffer::new(bytes), Buffer::new(bytes));
        let most = self.accumulated();
        let negative = minus_a != minus_b;
        let by_modifier = rules(self.out.target.family).product_modifiers;
        let with_low = with_low || negative && !by_modifier;
        for lane in (0..n).step_by(most.into()) {
            let size = (n - lane).min(most);
            let at = u32::from(lane) * 4;
            let all = Channels::all(size);
            let first = negated(part(a, lane, n), negative && by_modifier);
            let second = part(b, lane, n);
            let acc = Reg::phys(RegFile::Acc, 0, 0);
            let start = [first, words(second)];
            self.alu(Op::Mul, all, Dst::new(acc, 1, ty), &start);
            let mut mach = self.instruction(Op::Mach, all);
            mach.opts.acc_wr_en = true;
            mach.dst = Some(high.write(self, at, size.into(), ty));
            mach.srcs = [first, second].into_iter().collect();
            self.push(mach);
            if with_low {
                let to = low.write(self, at, size.into(), ty);
                self.alu(Op::Mov, all, to, &[Src::packed(acc, ty)]);
            }
        }
        let high = Src::packed(high.whole(self), ty);
        let low = match with_low {
            true => Src::packed(low.whole(self), ty),
            false => high,
        };
        match negative && !by_modifier {
            true => self.opposite(n, Halves { low, high }),
            false => Halves { low, high },
        }
    }

    /// The opposite of a 64-bit number: the upper half loses one unless the lower half is zero.
    fn opposite(&mut self, n: u8, Halves { low, high }: Halves) -> Halves {
        let ty = high.ty();
        let minus = negated(retyped(low, Type::Ud), true);
        let lost = self.upper_half(n, minus);
        let high = negated(retyped(high, Type::D), true);
        let upper = self.temp(u32::from(n) * 4);
        let to = Dst::new(upper, 1, Type::D);
        self.alu(
            Op::Add,
            Channels::all(n),
            to,
            &[high, lost.unwrap_or(ud(0))],
        );
        Halves {
            low: retyped(self.converted(minus, Type::Ud, n), ty),
            high: Src::packed(upper, ty),
        }
    }

    /// A factor as a source without modifiers that has all its bits, and true if it is the negation of the factor.
    fn magnitude(&mut self, s: Src, n: u8) -> (Src, bool) {
        let Src::Reg(r) = s else { return (s, false) };
        let SrcMod { neg, abs } = r.modifier;
        let modified = |neg, abs| {
            Src::Reg(SrcReg {
                modifier: SrcMod { neg, abs },
                ..r
            })
        };
        match abs && r.ty.is_signed() {
            true => (self.converted(modified(true, true), r.ty, n), !neg),
            false => (modified(false, false), neg),
        }
    }

    /// The sum of a 64-bit number and a dword.
    fn add_long(&mut self, n: u8, sum: Halves, c: Src) -> Halves {
        let upper = self.upper_half(n, c);
        let plain = self.converted(c, Type::Ud, n);
        let low = retyped(sum.low, Type::Ud);
        let (low, carry) = self.with_carry(Op::Addc, n, low, plain);
        let mut high = retyped(sum.high, Type::D);
        for more in [Some(retyped(carry, Type::D)), upper].into_iter().flatten() {
            let to = self.temp(u32::from(n) * 4);
            let all = Channels::all(n);
            self.alu(Op::Add, all, Dst::new(to, 1, Type::D), &[high, more]);
            high = Src::packed(to, Type::D);
        }
        Halves { low, high }
    }

    /// The upper half of a dword, modifiers applied, extended to 64 bits; `None` if it is zero.
    fn upper_half(&mut self, n: u8, c: Src) -> Option<Src> {
        let r = match c {
            Src::Reg(r) => r,
            Src::Imm(imm) => {
                let negative = imm.ty == Type::D && (imm.bits() as i32) < 0;
                return negative.then_some(Src::imm(Type::D, u32::MAX.into()));
            }
        };
        let negative = match (r.ty.is_signed(), r.modifier.neg, r.modifier.abs) {
            (true, false, false) => Cond::Lt,
            (true, true, false) => Cond::Gt,
            (_, true, _) => Cond::Ne,
            _ => return None,
        };
        let plain = Src::Reg(SrcReg {
            modifier: SrcMod::default(),
            ..r
        });
        let to = self.temp(u32::from(n) * 4);
        let flag = self.temp_of(Class::Flag, if n > 16 { 4 } else { 2 });
        self.conditional(
            Op::Cmp,
            Channels::all(n),
            Dst::new(to, 1, Type::D),
            &[plain, ud(0)],
            condition(negative, flag, Old::None),
        );
        Some(Src::packed(to, Type::D))
    }

    /// Selects an average of 64-bit integers, rounded up, whose sum needs no 65th bit.
    pub(super) fn long_average(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let n = channels.size;
        let [a, b] = [1, 2].map(|i| self.src(&visa.operands[i], n));
        let [a, b] = [a?, b?];
        let (ty, shift) = match is_signed(&a) || is_signed(&b) {
            true => (Type::Q, Op::Asr),
            false => (Type::Uq, Op::Shr),
        };
        let [a, b] = [a, b].map(|s| self.converted(s, ty, n));
        let mut long = |op, srcs: [Src; 2]| {
            let to = self.temp(u32::from(n) * 8);
            self.alu(op, Channels::all(n), Dst::new(to, 1, ty), &srcs);
            Src::packed(to, ty)
        };
        let either = long(Op::Or, [a, b]);
        let apart = long(Op::Xor, [a, b]);
        let half = long(shift, [apart, ud(1)]);
        let to = self.dst(&visa.operands[0], n)?;
        self.alu_visa(Op::Add, channels, to, &[either, negated(half, true)]);
        Ok(())
    }

    /// Selects a sum or difference, and its carry or borrow.
    pub(super) fn carry(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let n = channels.size;
        let op = match visa.op {
            Opcode::Addc => Op::Addc,
            _ => Op::Subb,
        };
        let a = self.src(&visa.operands[2], n)?;
        let b = self.src(&visa.operands[3], n)?;
        let low = self.dst(&visa.operands[0], n)?;
        let high = self.dst(&visa.operands[1], n)?;
        let in_place = [&low, &high]
            .iter()
            .all(|(dst, _)| self.lies_as_accumulated(dst));
        if in_place && n <= self.accumulated() && !low.1 {
            let srcs = [a, b].map(|s| self.as_accumulated(s, Type::Ud, n));
            let mut sum = self.instruction(op, channels);
            sum.opts.acc_wr_en = true;
            sum.srcs = srcs.into_iter().collect();
            sum.dst = Some(Dst {
                ty: Type::Ud,
                ..low.0
            });
            self.push(sum);
            self.alu_visa(Op::Mov, channels, high, &[carry()]);
            return Ok(());
        }
        let (sum, carry) = self.with_carry(op, n, a, b);
        self.alu_visa(Op::Mov, channels, low, &[sum]);
        self.alu_visa(Op::Mov, channels, high, &[carry]);
        Ok(())
    }

    /// Lets an addition read a carry where the hardware left it, if the instruction before it copied it from there.
    pub(super) fn read_carry(&self, inst: &mut Inst) {
        let (Some(copy), Some(sum)) = (self.code.last(), inst.dst) else {
            return;
        };
        let Some(to) = copy.dst.filter(|to| to.hstride == 1) else {
            return;
        };
        let channels = |inst: &Inst| (inst.exec_size, inst.chan_off, inst.opts.no_mask);
        let copies = copy.op == Op::Mov && copy.srcs[..] == [carry()] && copy.is_bare();
        let integer = |ty: Type| !ty.is_float() && ty.bytes() <= 4;
        let integers = integer(sum.ty) && inst.srcs.iter().all(|s| integer(s.ty()));
        let adds = inst.op == Op::Add && integers && channels(inst) == channels(copy);
        let is_copy = |s: &Src| {
            [Type::Ud, Type::D]
                .iter()
                .any(|&ty| *s == Src::packed(to.reg, ty))
        };
        if copies
            && adds
            && self.lies_as_accumulated(&sum)
            && let Some(n) = inst.srcs.iter().position(is_copy)
        {
            // Only the first source may be an accumulator.
            inst.srcs[n] = inst.srcs[0];
            inst.srcs[0] = carry();
        }
    }

    /// The sum or difference of dwords, and the carry or borrow that the hardware leaves in the accumulator.
    fn with_carry(&mut self, op: Op, n: u8, a: Src, b: Src) -> (Src, Src) {
        let [a, b] = [a, b].map(|s| self.as_accumulated(s, Type::Ud, n));
        let mut sums = Buffer::new(u32::from(n) * 4);
        let mut carries = Buffer::new(u32::from(n) * 4);
        let most = self.accumulated();
        for lane in (0..n).step_by(most.into()) {
            let size = (n - lane).min(most);
            let at = u32::from(lane) * 4;
            let all = Channels::all(size);
            let mut sum = self.instruction(op, all);
            sum.opts.acc_wr_en = true;
            sum.dst = Some(sums.write(self, at, size.into(), Type::Ud));
            sum.srcs = [part(a, lane, n), part(b, lane, n)].into_iter().collect();
            self.push(sum);
            let to = carries.write(self, at, size.into(), Type::Ud);
            self.alu(Op::Mov, all, to, &[carry()]);
        }
        let sum = Src::packed(sums.whole(self), Type::Ud);
        let carry = Src::packed(carries.whole(self), Type::Ud);
        (sum, carry)
    }

    /// True for dwords from the start of a register on: channels of the accumulator are those of the destination's place (IGC,
    /// `fixAddcSubb`).
    fn lies_as_accumulated(&self, dst: &Dst) -> bool {
        let starts = dst.reg.as_virt().is_some() && dst.reg.byte().is_multiple_of(self.grf());
        starts && dst.hstride == 1 && dst.indirect.is_none() && dst.ty.bytes() == 4
    }

    /// A source that can be cut into groups of channels that lie as in the accumulator: a scalar, or packed in whole
    /// registers.
    fn as_accumulated(&mut self, s: Src, ty: Type, n: u8) -> Src {
        let fits = match s {
            Src::Imm(imm) => imm.ty == ty,
            Src::Reg(r) => {
                let whole = r.reg.byte().is_multiple_of(self.grf());
                let step = r.step(n.into());
                let packed = step == Some(1) && whole;
                r.ty == ty
                    && r.indirect.is_none()
                    && !s.has_modifier()
                    && (step == Some(0) || packed)
            }
        };
        if fits { s } else { self.converted(s, ty, n) }
    }
}

/// The carry or borrow that `addc` or `subb` leaves in the accumulator.
fn carry() -> Src {
    Src::packed(Reg::phys(RegFile::Acc, 0, 0), Type::Ud)
}

/// The elements from `lane` on of an evenly spaced source of `n` channels.
fn part(s: Src, lane: u8, n: u8) -> Src {
    match s {
        Src::Reg(mut r) => {
            let step = r.step(n.into()).unwrap_or(1);
            r.reg = r.reg.at(r.offset(lane.into()));
            r.region = Region::new(step as u8, 1, 0);
            Src::Reg(r)
        }
        imm => imm,
    }
}

/// The lower or upper dwords, at byte 0 or 4, of quadwords at equal distances, without modifiers.
pub(super) fn half(s: Src, at: u32, n: u8) -> Src {
    match s {
        Src::Reg(mut r) => {
            let step = r.step(n.into()).unwrap_or(1);
            r.reg = r.reg.at(r.reg.byte() + at);
            r.region = Region::new(step as u8 * 2, 1, 0);
            r.ty = Type::Ud;
            Src::Reg(r)
        }
        Src::Imm(i) => ud((i.bits() >> (8 * at)) as u32),
    }
}

/// The low words of a source of dwords.
fn words(s: Src) -> Src {
    match s {
        Src::Reg(mut r) => {
            let step = r.region.vstride.unwrap_or(0);
            r.region = Region::new(step * 2, 1, 0);
            r.ty = Type::Uw;
            Src::Reg(r)
        }
        Src::Imm(i) => Src::imm(Type::Uw, i.bits() & 0xffff),
    }
}

fn is_signed(s: &Src) -> bool {
    s.ty().is_signed()
}

/// The source, negated if `neg`.
fn negated(s: Src, neg: bool) -> Src {
    match s {
        Src::Reg(mut r) => {
            r.modifier.neg ^= neg;
            Src::Reg(r)
        }
        imm => imm,
    }
}

/// A source in registers with the type of opposite sign.
fn retyped(s: Src, ty: Type) -> Src {
    match s {
        Src::Reg(r) => Src::Reg(SrcReg { ty, ..r }),
        imm => imm,
    }
}
