//! Correctly rounded division and square root.
//!
//! The math unit gives a first approximation with extra precision (`invm`, `rsqtm`) and sets a flag
//! for channels whose result is already final; `madm` steps refine the others (PRM, "Extended Math
//! Function", IEEE macros). Each macro is a table of steps; one walker emits it, eight float or four
//! double channels at a time.

use kiln_emit::inst::{
    Cond, CondMod, Dst, Inst as Gen, MathFn, Op, Place, Region, SWIZZLE_XYZW, Src, SrcMod, SrcReg,
    Type, VReg,
};
use kiln_frontend::module as visa;
use kiln_frontend::opcode::Opcode;

use crate::alu::unless;
use crate::lower::{Base, Ctl, DstOpnd, Opnd, Select, SelectError};
use crate::mir::MInst;

type Result<T = ()> = std::result::Result<T, SelectError>;

/// A quantity in a macro: `A`, `B` the operands, `Y` the approximation, constants, and `T(n)` the
/// result of step `n`. Negated ones are `-B`, `-T(n)`.
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

/// One step: `first + second * third`, and the extended accumulator that keeps its extra bits.
struct Step(Q, Q, Q, u8);

/// The last step's result is rounded and has no extended accumulator.
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

impl Select<'_, '_> {
    /// `divm` and `sqrtm`.
    pub fn ieee(&mut self, visa: &visa::Inst) -> Result {
        let ctl = self.ctl(visa);
        let dst = self.dst(&visa.operands[0])?;
        let ty = dst.ty;
        let (lanes, double) = match ty {
            Type::F => (8, false),
            Type::Df => (4, true),
            _ => return self.fail("exact division or root of a type that is not f or df"),
        };
        let divide = visa.op == Opcode::Divm;
        let (function, steps) = match (divide, double) {
            (true, false) => (MathFn::Invm, DIVIDE_SINGLE),
            (true, true) => (MathFn::Invm, DIVIDE_DOUBLE),
            (false, false) => (MathFn::Rsqtm, ROOT_SINGLE),
            (false, true) => (MathFn::Rsqtm, ROOT_DOUBLE),
        };
        let n = u32::from(ctl.size).next_multiple_of(lanes);
        let sources = if divide { 2 } else { 1 };
        let mut operands = Vec::with_capacity(2);
        for operand in &visa.operands[1..1 + sources] {
            let s = self.src(operand)?;
            let tmp = self.temp(n * ty.bytes());
            self.alu(
                Op::Mov,
                Ctl::all(ctl.size),
                DstOpnd::new(tmp, 0, ty),
                &[s],
                None,
            )?;
            operands.push(tmp);
        }
        let constants = [Zero, Half, One, ThreeHalves].map(|q| self.constant(q, ty, lanes));
        let [zero, half, one, three_halves] = constants;
        let (zero, half, one, three_halves) = (zero?, half?, one?, three_halves?);
        let result = self.temp(n * ty.bytes());
        for group in (0..n).step_by(lanes as usize) {
            let at = group * ty.bytes();
            // An approximation for channels outside of the mask or the operands harms nobody.
            let approximation = self.temp(32);
            let flag = self.temp_flag();
            let mut results: Vec<(Base, u8)> = Vec::with_capacity(steps.len());
            let mut math = Gen::new(Op::Math(function), lanes as u8);
            math.no_mask = true;
            math.opts.align16 = true;
            for &tmp in &operands {
                let mut src = self.macro_src(tmp, at, ty, ROUNDED, false);
                if let Src::Reg(r) = &mut src {
                    // Rows of two-source Align16 operands are 16 bytes apart, in elements.
                    r.region.vstride = Some((16 / ty.bytes()) as u8);
                }
                math.srcs.push(src);
            }
            let (flag_reg, _) = self.write(flag, 0);
            math.cond = Some(CondMod {
                cond: Cond::Eo,
                flag: flag_reg,
            });
            self.macro_push(math, approximation, 0, ty, 0, None);
            for (i, Step(a, b, c, mme)) in steps.iter().enumerate() {
                let last = i + 1 == steps.len();
                let mut madm = Gen::new(Op::Madm, lanes as u8);
                madm.no_mask = true;
                madm.opts.align16 = true;
                for q in [a, b, c] {
                    let src = match *q {
                        A => self.macro_src(operands[0], at, ty, ROUNDED, false),
                        NegB => self.macro_src(operands[sources - 1], at, ty, ROUNDED, true),
                        Y => self.macro_src(approximation, 0, ty, 0, false),
                        Zero => self.macro_src(zero, 0, ty, ROUNDED, false),
                        Half => self.macro_src(half, 0, ty, ROUNDED, false),
                        One => self.macro_src(one, 0, ty, ROUNDED, false),
                        ThreeHalves => self.macro_src(three_halves, 0, ty, ROUNDED, false),
                        T(n) => self.macro_src(
                            results[n as usize].0,
                            0,
                            ty,
                            results[n as usize].1,
                            false,
                        ),
                        NegT(n) => self.macro_src(
                            results[n as usize].0,
                            0,
                            ty,
                            results[n as usize].1,
                            true,
                        ),
                    };
                    madm.srcs.push(src);
                }
                if last {
                    // Channels that were final keep the approximation.
                    madm.pred = Some(unless(self.read(flag, 0)));
                    let kept = self.read(approximation, 0).as_virt();
                    let out = self.temp(32);
                    self.macro_push(madm, out, 0, ty, *mme, kept);
                    let from = Opnd::packed(out, 0, ty);
                    self.alu(
                        Op::Mov,
                        Ctl::all(lanes as u8),
                        DstOpnd::new(result, at, ty),
                        &[from],
                        None,
                    )?;
                } else {
                    let out = self.temp(32);
                    self.macro_push(madm, out, 0, ty, *mme, None);
                    results.push((out, *mme));
                }
            }
        }
        self.alu(Op::Mov, ctl, dst, &[Opnd::packed(result, 0, ty)], None)
    }

    fn constant(&mut self, q: Q, ty: Type, lanes: u32) -> Result<Base> {
        let value: f64 = match q {
            Half => 0.5,
            One => 1.0,
            ThreeHalves => 1.5,
            _ => 0.0,
        };
        let bits = if ty == Type::Df {
            value.to_bits()
        } else {
            u64::from((value as f32).to_bits())
        };
        let tmp = self.temp(32);
        let imm = Opnd::Imm { ty, bits };
        self.alu(
            Op::Mov,
            Ctl::all(lanes as u8),
            DstOpnd::new(tmp, 0, ty),
            &[imm],
            None,
        )?;
        Ok(tmp)
    }

    fn macro_src(&mut self, base: Base, byte: u32, ty: Type, mme: u8, neg: bool) -> Src {
        let reg = self.read(base, byte);
        Src::Reg(SrcReg {
            place: Place::Direct(reg),
            region: Region::new(4, 4, 1),
            ty,
            modifier: SrcMod { neg, abs: false },
            swizzle: SWIZZLE_XYZW,
            mme: Some(mme),
        })
    }

    fn macro_push(
        &mut self,
        mut inst: Gen,
        base: Base,
        byte: u32,
        ty: Type,
        mme: u8,
        over: Option<VReg>,
    ) {
        let (reg, old) = self.write(base, byte);
        let mut dst = Dst::new(reg, 1, ty);
        dst.mme = Some(mme);
        inst.dst = Some(dst);
        let mut m = MInst::new(inst);
        m.tied_dst = over.or(old);
        self.code.push(m);
    }
}
