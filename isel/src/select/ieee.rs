//! Correctly rounded division and square root.
//!
//! The math unit gives a first approximation with extra precision (`invm`, `rsqtm`) and sets a flag for channels
//! with a final result; `madm` steps refine the others (PRM, "Extended Math Function", IEEE macros). Each macro is
//! a table of steps, emitted by one function, eight float or four double channels at a time.

use kiln_machine::inst::{CondMod, Dst, Inst, Old, Pred, Reg, Src, SrcReg};
use kiln_platform::isa::{Cond, MathFn, Op, Region, SrcMod, Type};
use kiln_platform::rules::rules;
use kiln_visa::module::{self as visa, Operand};
use kiln_visa::opcode::Opcode;

use super::alu::unless;
use super::buffer::Buffer;
use super::operand::condition;
use super::{Channels, Result, Select};

/// A quantity in a macro: the operands `A` and `B`, the approximation `Y`, constants, and the result `T(n)` of step
/// `n`. Negated quantities are `-B` and `-T(n)`.
#[derive(Clone, Copy)]
enum Q {
    A,
    NegB,
    Y,
    Zero,
    Half,
    One,
    ThreeHalves,
    T(u8),
    NegT(u8),
}

/// A step: `first + second * third`, and the extended accumulator with its extra bits.
struct Step(Q, Q, Q, u8);

/// The last step's result is rounded and uses no extended accumulator.
const ROUNDED: u8 = 8;

use Q::*;

const DIVIDE_SINGLE: &[Step] = &[
    Step(Zero, A, Y, 1),
    Step(One, NegB, Y, 2),
    Step(Y, T(1), Y, 3),
    Step(A, NegB, T(0), 4),
    Step(T(0), T(3), T(2), 5),
    Step(A, NegB, T(4), 6),
    Step(T(4), T(5), T(2), ROUNDED),
];

const DIVIDE_DOUBLE: &[Step] = &[
    Step(Zero, A, Y, 1),
    Step(One, NegB, Y, 2),
    Step(A, NegB, T(0), 3),
    Step(Y, T(1), Y, 4),
    Step(One, NegB, T(3), 5),
    Step(Y, T(1), T(3), 6),
    Step(T(0), T(2), T(3), 7),
    Step(T(3), T(5), T(4), 0),
    Step(A, NegB, T(6), 1),
    Step(T(6), T(8), T(7), ROUNDED),
];

const ROOT_SINGLE: &[Step] = &[
    Step(Zero, Half, Y, 1),
    Step(Zero, A, Y, 2),
    Step(Half, NegT(1), T(0), 3),
    Step(T(0), T(2), T(0), 4),
    Step(T(1), T(2), T(1), 5),
    Step(A, NegT(4), T(4), 6),
    Step(T(4), T(5), T(3), ROUNDED),
];

const ROOT_DOUBLE: &[Step] = &[
    Step(Zero, Half, Y, 1),
    Step(Zero, A, Y, 2),
    Step(Half, NegT(1), T(0), 3),
    Step(One, ThreeHalves, T(2), 5),
    Step(Zero, T(2), T(1), 6),
    Step(Zero, T(2), T(0), 7),
    Step(T(1), T(3), T(4), 6),
    Step(T(0), T(3), T(5), 5),
    Step(A, NegT(6), T(6), 1),
    Step(T(6), T(8), T(7), ROUNDED),
];

/// A macro's operands and intermediate results for a group of channels.
struct Quantities {
    a: Reg,
    b: Reg,
    approximation: Reg,
    zero: Reg,
    half: Reg,
    one: Reg,
    three_halves: Reg,
    steps: Vec<(Reg, u8)>,
}

impl Quantities {
    /// A source of a step, and its extended accumulator.
    fn source(&self, q: Q, ty: Type) -> Src {
        let (reg, mme, neg) = match q {
            A => (self.a, ROUNDED, false),
            NegB => (self.b, ROUNDED, true),
            Y => (self.approximation, 0, false),
            Zero => (self.zero, ROUNDED, false),
            Half => (self.half, ROUNDED, false),
            One => (self.one, ROUNDED, false),
            ThreeHalves => (self.three_halves, ROUNDED, false),
            T(n) => (
                self.steps[usize::from(n)].0,
                self.steps[usize::from(n)].1,
                false,
            ),
            NegT(n) => (
                self.steps[usize::from(n)].0,
                self.steps[usize::from(n)].1,
                true,
            ),
        };
        macro_source(reg, ty, mme, neg)
    }
}

fn macro_source(reg: Reg, ty: Type, mme: u8, neg: bool) -> Src {
    Src::Reg(SrcReg {
        reg,
        region: Region::new(4, 4, 1),
        ty,
        modifier: SrcMod { neg, abs: false },
        indirect: None,
        mme: Some(mme),
    })
}

impl Select<'_, '_> {
    /// Selects `divm` and `sqrtm`, and `div`, `inv` and `sqrt` of doubles.
    pub(super) fn ieee(&mut self, visa: &visa::Inst) -> Result {
        if !rules(self.out.target.family).ieee_macros {
            return self.fail("exact division and root, which the target does not have");
        }
        let channels = self.channels(visa);
        let size = channels.size;
        let divide = !matches!(visa.op, Opcode::Sqrtm | Opcode::Sqrt);
        let sources = if divide { 2 } else { 1 };
        let (dst, sat) = self.dst(&visa.operands[0], size)?;
        let ty = dst.ty;
        let mut operands = Vec::with_capacity(2);
        if visa.op == Opcode::Inv {
            operands.push(Src::imm(Type::F, 1f32.to_bits().into()));
        }
        for operand in &visa.operands[1..] {
            operands.push(self.src(operand, size)?);
        }
        let (lanes, double) = match ty {
            Type::F => (self.grf() / 4, false),
            Type::Df => (self.grf() / 8, true),
            _ => return self.fail("exact division or root of a type that is not f or df"),
        };
        let (function, steps) = match (divide, double) {
            (true, false) => (MathFn::Invm, DIVIDE_SINGLE),
            (true, true) => (MathFn::Invm, DIVIDE_DOUBLE),
            (false, false) => (MathFn::Rsqtm, ROOT_SINGLE),
            (false, true) => (MathFn::Rsqtm, ROOT_DOUBLE),
        };
        let n = u32::from(size).next_multiple_of(lanes);
        let mut copies = Vec::with_capacity(2);
        for s in operands {
            let tmp = self.temp(n * ty.bytes());
            self.alu(Op::Mov, Channels::all(size), Dst::new(tmp, 1, ty), &[s]);
            copies.push(tmp);
        }
        let [zero, half, one, three_halves] =
            [0.0, 0.5, 1.0, 1.5].map(|value| self.constant(value, ty, lanes));
        let mut result = Buffer::new(n * ty.bytes());
        for group in (0..n).step_by(lanes as usize) {
            let at = group * ty.bytes();
            let part = |select: &mut Self, whole: Reg| select.element(whole, at);
            let a = part(self, copies[0]);
            let b = part(self, copies[sources - 1]);
            let sources = &[a, b][..sources];
            let (approximation, flag) = self.approximation(function, ty, sources, 0);
            let mut q = Quantities {
                a,
                b,
                approximation,
                zero,
                half,
                one,
                three_halves,
                steps: Vec::with_capacity(steps.len()),
            };
            for (i, Step(first, second, third, mme)) in steps.iter().enumerate() {
                let mut madm = Inst::no_mask(Op::Madm, lanes as u8);
                madm.srcs = [first, second, third]
                    .map(|s| q.source(*s, ty))
                    .into_iter()
                    .collect();
                let out = self.temp(self.grf());
                let mut to = macro_dst(out, ty, *mme);
                if i + 1 == steps.len() {
                    // Channels with a final result keep the approximation.
                    madm.pred = Some(unless(flag));
                    to.old = approximation.as_virt().map_or(Old::None, Old::Reg);
                }
                madm.dst = Some(to);
                self.push_macro(madm);
                q.steps.push((out, *mme));
            }
            let last = q.steps.last().map_or(approximation, |s| s.0);
            let to = result.write(self, at, lanes, ty);
            self.alu(
                Op::Mov,
                Channels::all(lanes as u8),
                to,
                &[Src::packed(last, ty)],
            );
        }
        let whole = Src::packed(result.whole(self), ty);
        self.alu_visa(Op::Mov, channels, (dst, sat), &[whole]);
        Ok(())
    }

    /// Selects `invm` and `rsqtm`: the approximation without extra precision, and its flag as a predicate.
    pub(super) fn approximate(&mut self, visa: &visa::Inst) -> Result {
        if !rules(self.out.target.family).ieee_macros {
            return self.fail("an approximation of macros that the target does not have");
        }
        let channels = self.channels(visa);
        let size = channels.size;
        let (dst, sat) = self.dst(&visa.operands[0], size)?;
        let ty = dst.ty;
        if !matches!(ty, Type::F | Type::Df) {
            return self.fail("an approximation of a type that is not f or df");
        }
        let Operand::Predicate(p) = &visa.operands[1] else {
            return self.fail("a second destination that is no predicate");
        };
        let lanes = self.grf() / ty.bytes();
        let n = u32::from(size).next_multiple_of(lanes);
        let mut copies = Vec::with_capacity(2);
        for operand in &visa.operands[2..] {
            let given = self.src(operand, size)?;
            let copy = self.temp(n * ty.bytes());
            self.alu(
                Op::Mov,
                Channels::all(size),
                Dst::new(copy, 1, ty),
                &[given],
            );
            copies.push(copy);
        }
        let function = match visa.op {
            Opcode::Invm => MathFn::Invm,
            _ => MathFn::Rsqtm,
        };
        let mut result = Buffer::new(n * ty.bytes());
        let mut early = Buffer::new(n * 2);
        let all = Channels::all(lanes as u8);
        for group in (0..n).step_by(lanes as usize) {
            let at = group * ty.bytes();
            let sources: Vec<Reg> = copies.iter().map(|&copy| self.element(copy, at)).collect();
            let (part, flag) = self.approximation(function, ty, &sources, ROUNDED);
            let to = result.write(self, at, lanes, ty);
            self.alu(Op::Mov, all, to, &[Src::packed(part, ty)]);
            let to = early.write(self, group * 2, lanes, Type::Uw);
            let [one, zero] = [1, 0].map(|bit| Src::imm(Type::Uw, bit));
            let choose = Channels {
                pred: Some(Pred {
                    inverse: false,
                    ..unless(flag)
                }),
                ..all
            };
            self.alu(Op::Sel, choose, to, &[one, zero]);
        }
        let mut early = Src::packed(early.whole(self), Type::Uw);
        let (flag, old) = self.write_flag(p.pred);
        if let (Some(_), Old::Reg(now)) = (channels.pred, old) {
            // An instruction has one flag register: channels without the predicate keep their bits by a copy.
            let mut words = Buffer::new(u32::from(size) * 2);
            let to = words.write(self, 0, size.into(), Type::Uw);
            self.words_of(Reg::virt(now, 0), channels, to);
            let to = words.write(self, 0, size.into(), Type::Uw);
            self.alu(Op::Mov, channels, to, &[early]);
            early = Src::packed(words.whole(self), Type::Uw);
        }
        self.conditional(
            Op::Cmp,
            channels.unpredicated(),
            Dst::null(Type::Uw),
            &[early, Src::imm(Type::Uw, 0)],
            condition(Cond::Ne, flag, old),
        );
        let whole = Src::packed(result.whole(self), ty);
        self.alu_visa(Op::Mov, channels, (dst, sat), &[whole]);
        Ok(())
    }

    /// The first approximation of a macro for one register of channels, and the flag of the final ones. Inactive
    /// channels and missing operands give results that nothing uses.
    fn approximation(
        &mut self,
        function: MathFn,
        ty: Type,
        sources: &[Reg],
        mme: u8,
    ) -> (Reg, Reg) {
        let approximation = self.temp(self.grf());
        let mut math = Inst::no_mask(Op::Math(function), (self.grf() / ty.bytes()) as u8);
        for &reg in sources {
            let mut src = macro_source(reg, ty, ROUNDED, false);
            if let Src::Reg(r) = &mut src {
                // Rows of two-source Align16 operands are 16 bytes apart, in elements.
                r.region.vstride = Some((16 / ty.bytes()) as u8);
            }
            math.srcs.push(src);
        }
        let flag = self.temp_flag();
        math.cond = Some(CondMod {
            cond: Cond::Eo,
            flag,
            old: None.into(),
        });
        math.dst = Some(macro_dst(approximation, ty, mme));
        self.push_macro(math);
        (approximation, flag)
    }

    /// Emits a step: in Align16 where operations of three sources are, else those of two with packed regions. Those of three
    /// have rows of four in both.
    fn push_macro(&mut self, mut step: Inst) {
        step.opts.align16 = !rules(self.out.target.family).ternary.accumulators;
        let packs = !step.opts.align16 && step.op != Op::Madm;
        for src in step.srcs.iter_mut().filter(|_| packs) {
            if let Src::Reg(r) = src {
                r.region = Region::new(1, 1, 0);
            }
        }
        self.push(step);
    }

    fn constant(&mut self, value: f64, ty: Type, lanes: u32) -> Reg {
        let bits = match ty {
            Type::Df => value.to_bits(),
            _ => u64::from((value as f32).to_bits()),
        };
        let tmp = self.temp(self.grf());
        let imm = Src::imm(ty, bits);
        self.alu(
            Op::Mov,
            Channels::all(lanes as u8),
            Dst::new(tmp, 1, ty),
            &[imm],
        );
        tmp
    }

    /// The register at a byte of a temporary.
    fn element(&self, whole: Reg, at: u32) -> Reg {
        let unit = self.unit();
        let base = whole.base();
        let regs = self.out.registers(&base);
        match regs.get((at / unit) as usize) {
            Some(&v) => Reg::virt(v, at % unit),
            None => whole,
        }
    }
}

fn macro_dst(reg: Reg, ty: Type, mme: u8) -> Dst {
    Dst {
        mme: Some(mme),
        ..Dst::new(reg, 1, ty)
    }
}
