//! What each vISA operation is in Gen terms.
//!
//! [`DIRECT`] lists the operations that one Gen operation does with the same operands in the same
//! order; the rest have a function each.

use kiln_emit::inst::{
    Cond, Dst, Inst as Gen, MathFn, Op, Pred, PredCtrl, Reg, RegFile, Src, Type,
};
use kiln_frontend::module::{self as visa, Operand};
use kiln_frontend::opcode::{Opcode, Relation};

use crate::lower::{Base, Ctl, DstOpnd, Opnd, RegOpnd, Select, SelectError};
use crate::mir::MInst;

type Result<T = ()> = std::result::Result<T, SelectError>;

/// vISA operations that are one Gen operation: destination, then sources, in the same order.
const DIRECT: &[(Opcode, Op)] = &[
    (Opcode::Add, Op::Add),
    (Opcode::Avg, Op::Avg),
    (Opcode::Frc, Op::Frc),
    (Opcode::Rndd, Op::Rndd),
    (Opcode::Rndu, Op::Rndu),
    (Opcode::Rnde, Op::Rnde),
    (Opcode::Rndz, Op::Rndz),
    (Opcode::Lzd, Op::Lzd),
    (Opcode::And, Op::And),
    (Opcode::Or, Op::Or),
    (Opcode::Xor, Op::Xor),
    (Opcode::Not, Op::Not),
    (Opcode::Shl, Op::Shl),
    (Opcode::Shr, Op::Shr),
    (Opcode::Asr, Op::Asr),
    (Opcode::Cbit, Op::Cbit),
    (Opcode::Fbl, Op::Fbl),
    (Opcode::Fbh, Op::Fbh),
    (Opcode::Bfrev, Op::Bfrev),
    (Opcode::Mov, Op::Mov),
    (Opcode::Sel, Op::Sel),
    (Opcode::Mul, Op::Mul),
    (Opcode::Lrp, Op::Lrp),
    (Opcode::Bfe, Op::Bfe),
    (Opcode::Exp, Op::Math(MathFn::Exp)),
    (Opcode::Log, Op::Math(MathFn::Log)),
    (Opcode::Sin, Op::Math(MathFn::Sin)),
    (Opcode::Cos, Op::Math(MathFn::Cos)),
    (Opcode::Sqrt, Op::Math(MathFn::Sqt)),
    (Opcode::Rsqrt, Op::Math(MathFn::Rsqt)),
    (Opcode::Inv, Op::Math(MathFn::Inv)),
    (Opcode::Pow, Op::Math(MathFn::Pow)),
];

/// Stands in the code for an address that the loader fills in; no short encoding holds it.
const UNRESOLVED: u64 = 0x5aa5_c33c_5aa5_c33c;

/// The relation of a vISA compare as the hardware names it.
fn relation(n: u32) -> Option<Cond> {
    Relation::from_number(n).map(|r| match r {
        Relation::Eq => Cond::Eq,
        Relation::Ne => Cond::Ne,
        Relation::Gt => Cond::Gt,
        Relation::Ge => Cond::Ge,
        Relation::Lt => Cond::Lt,
        Relation::Le => Cond::Le,
    })
}

impl Select<'_, '_> {
    /// Selects one vISA instruction that is neither a branch nor a label.
    pub fn select_inst(&mut self, visa: &visa::Inst) -> Result {
        use Opcode as O;
        let ops = &visa.operands;
        match visa.op {
            O::And | O::Or | O::Xor | O::Not if matches!(ops[0], Operand::Predicate(_)) => {
                self.predicate_logic(visa)
            }
            O::Cmp => self.compare(visa),
            O::FMinMax => {
                let cond = if field(&ops[0]) == 0 {
                    Cond::Lt
                } else {
                    Cond::Ge
                };
                let (ctl, dst) = (self.ctl(visa), self.dst(&ops[1])?);
                let srcs = [self.src(&ops[2])?, self.src(&ops[3])?];
                self.alu(Op::Sel, ctl, dst, &srcs, Some((cond, Base::Null)))
            }
            O::Setp => self.set_predicate(visa),
            O::Movs => self.move_state(visa),
            O::AddrAdd => self.address_add(visa),
            O::Faddr => self.symbol_address(visa),
            O::Mad => self.multiply_add(visa),
            O::Div | O::Mod => self.divide(visa),
            O::Mulh => self.multiply_high(visa),
            O::Addc | O::Subb => self.carry(visa),
            O::Bfi => self.insert_field(visa),
            O::Divm | O::Sqrtm => self.ieee(visa),
            O::Barrier => self.barrier(),
            // Control flow is the terminators' business.
            O::Goto | O::Jmp | O::Ret | O::FRet | O::Wait | O::Yield => Ok(()),
            _ => {
                if let Some(&(_, op)) = DIRECT.iter().find(|(v, _)| *v == visa.op) {
                    return self.direct(op, visa);
                }
                self.select_message(visa)
            }
        }
    }

    fn direct(&mut self, op: Op, visa: &visa::Inst) -> Result {
        let ctl = self.ctl(visa);
        let dst = self.dst(&visa.operands[0])?;
        let mut srcs = smallvec::SmallVec::<[Opnd; 3]>::new();
        for operand in &visa.operands[1..] {
            srcs.push(self.src(operand)?);
        }
        // Logic has no float types; the bits are what counts.
        let logic = matches!(op, Op::And | Op::Or | Op::Xor | Op::Not);
        if logic && srcs.iter().all(|s| !s.ty().is_float()) && dst.ty.is_float() {
            return self.alu(
                op,
                ctl,
                DstOpnd {
                    ty: integer_of(dst.ty),
                    ..dst
                },
                &srcs,
                None,
            );
        }
        self.alu(op, ctl, dst, &srcs, None)
    }

    fn compare(&mut self, visa: &visa::Inst) -> Result {
        let ctl = self.ctl(visa);
        let Some(cond) = relation(field(&visa.operands[0])) else {
            return self.fail("an unknown relation");
        };
        let srcs = [self.src(&visa.operands[2])?, self.src(&visa.operands[3])?];
        match &visa.operands[1] {
            Operand::Predicate(p) => {
                let flag = self.predicate_base(p.pred);
                let ty = wider(srcs[0].ty(), srcs[1].ty());
                self.alu(Op::Cmp, ctl, DstOpnd::null(ty), &srcs, Some((cond, flag)))
            }
            to => {
                let dst = self.dst(to)?;
                let flag = self.temp_flag();
                self.alu(Op::Cmp, ctl, dst, &srcs, Some((cond, flag)))
            }
        }
    }

    fn predicate_base(&self, p: visa::Predicate) -> Base {
        self.func.pred_cells[p]
            .expand()
            .map_or(Base::Null, Base::Cells)
    }

    /// The half of a flag that `ctl`'s channels are in: byte offset and type.
    fn flag_part(ctl: Ctl) -> (u32, Type) {
        match (ctl.size, ctl.off) {
            (32, _) => (0, Type::Ud),
            (_, 16..) => (2, Type::Uw),
            _ => (0, Type::Uw),
        }
    }

    fn set_predicate(&mut self, visa: &visa::Inst) -> Result {
        let ctl = Ctl {
            no_mask: true,
            ..self.ctl(visa)
        };
        let Operand::Predicate(p) = &visa.operands[0] else {
            return self.fail("a destination that is no predicate");
        };
        let flag = self.predicate_base(p.pred);
        let src = self.src(&visa.operands[1])?;
        let (byte, ty) = Self::flag_part(ctl);
        let is_scalar = match &src {
            Opnd::Imm { .. } => true,
            Opnd::Reg(r) => r.step(u32::from(ctl.size)) == Some(0) && ctl.size > 1,
        };
        if is_scalar {
            return self.alu(
                Op::Mov,
                Ctl::SCALAR,
                DstOpnd::new(flag, byte, ty),
                &[src],
                None,
            );
        }
        // Bit 0 of each element; channels that are not active keep theirs.
        let ctl = self.ctl(visa);
        let low_bit = [
            src,
            Opnd::Imm {
                ty: Type::Uw,
                bits: 1,
            },
        ];
        self.alu(
            Op::And,
            ctl,
            DstOpnd::null(src.ty()),
            &low_bit,
            Some((Cond::Ne, flag)),
        )
    }

    /// Logic on whole predicates: one scalar operation on the flag registers.
    fn predicate_logic(&mut self, visa: &visa::Inst) -> Result {
        let ctl = self.ctl(visa);
        let (byte, ty) = Self::flag_part(ctl);
        let mut srcs = smallvec::SmallVec::<[Opnd; 3]>::new();
        for operand in &visa.operands[1..] {
            let s = match (operand, self.src(operand)?) {
                (Operand::Predicate(_), Opnd::Reg(r)) => Opnd::Reg(RegOpnd { byte, ty, ..r }),
                (_, other) => other,
            };
            srcs.push(s);
        }
        let Operand::Predicate(p) = &visa.operands[0] else {
            return self.fail("a destination that is no predicate");
        };
        let op = DIRECT
            .iter()
            .find(|(v, _)| *v == visa.op)
            .map_or(Op::Mov, |(_, op)| *op);
        let flag = self.predicate_base(p.pred);
        if ctl.no_mask || self.contents(flag, 0).is_none() {
            return self.alu(op, Ctl::SCALAR, DstOpnd::new(flag, byte, ty), &srcs, None);
        }
        // Somebody wants what channels that are not active have there.
        let all = self.temp_flag();
        self.alu(op, Ctl::SCALAR, DstOpnd::new(all, byte, ty), &srcs, None)?;
        let reg = self.read(all, 0);
        let pred = Pred {
            flag: reg,
            inverse: false,
            ctrl: PredCtrl::Normal,
        };
        let bits = self.temp(u32::from(ctl.size) * 2);
        let [one, zero] = [1, 0].map(|bits| Opnd::Imm { ty: Type::Uw, bits });
        let choose = Ctl {
            no_mask: true,
            pred: Some(pred),
            ..ctl
        };
        self.alu(
            Op::Sel,
            choose,
            DstOpnd::new(bits, 0, Type::Uw),
            &[one, zero],
            None,
        )?;
        let each = [Opnd::packed(bits, 0, Type::Uw), zero];
        self.alu(
            Op::Cmp,
            Ctl { pred: None, ..ctl },
            DstOpnd::null(Type::Uw),
            &each,
            Some((Cond::Ne, flag)),
        )
    }

    /// Surfaces and samplers are words in general registers; constant ones are read off the IR and
    /// this move then has no reader.
    fn move_state(&mut self, visa: &visa::Inst) -> Result {
        let ctl = self.ctl(visa);
        let dst = match &visa.operands[0] {
            Operand::State { of, off } => {
                DstOpnd::new(self.state_base(*of), u32::from(*off) * 4, Type::Ud)
            }
            other => self.dst(other)?,
        };
        let src = match &visa.operands[1] {
            Operand::State { of, off } => {
                Opnd::packed(self.state_base(*of), u32::from(*off) * 4, Type::Ud)
            }
            other => self.src(other)?,
        };
        self.alu(Op::Mov, ctl, dst, &[src], None)
    }

    fn state_base(&self, of: visa::StateVar) -> Base {
        match of {
            visa::StateVar::Surface(s) => self.func.surface_cells[s],
            visa::StateVar::Sampler(s) => self.func.sampler_cells[s],
        }
        .expand()
        .map_or(Base::Null, Base::Cells)
    }

    fn address_add(&mut self, visa: &visa::Inst) -> Result {
        let ctl = self.ctl(visa);
        let dst = self.dst(&visa.operands[0])?;
        let offset = self.src(&visa.operands[2])?;
        match &visa.operands[1] {
            Operand::AddressOf { var, offset: at } => {
                let address = self.address_of(*var, u32::from(*at))?;
                match offset {
                    Opnd::Imm { bits, .. } => {
                        let sum = (u64::from(address) + bits) & 0xffff;
                        self.alu(
                            Op::Mov,
                            ctl,
                            dst,
                            &[Opnd::Imm {
                                ty: Type::Uw,
                                bits: sum,
                            }],
                            None,
                        )
                    }
                    reg => {
                        let base = Opnd::Imm {
                            ty: Type::Uw,
                            bits: address.into(),
                        };
                        self.alu(Op::Add, ctl, dst, &[reg, base], None)
                    }
                }
            }
            other => {
                let from = self.src(other)?;
                self.alu(Op::Add, ctl, dst, &[from, offset], None)
            }
        }
    }

    /// The address of a function or of data: an immediate that the loader fills in.
    fn symbol_address(&mut self, visa: &visa::Inst) -> Result {
        let Operand::Name(name) = &visa.operands[0] else {
            return self.fail("an operand that is no name");
        };
        let dst = self.dst(&visa.operands[1])?;
        let bytes = dst.ty.bytes();
        if bytes < 4 || dst.through.is_some() {
            return self.fail("an address in a destination that is no 32 or 64-bit variable");
        }
        let symbol = match self.out.symbols.iter().position(|s| s == name.as_str()) {
            Some(known) => known,
            None => {
                self.out.symbols.push(name.to_string());
                self.out.symbols.len() - 1
            }
        };
        let ty = if bytes == 8 { Type::Uq } else { Type::Ud };
        let mut mov = Gen::new(Op::Mov, 1);
        mov.no_mask = true;
        mov.srcs
            .push(Src::imm(ty, UNRESOLVED & (u64::MAX >> (64 - bytes * 8))));
        let (reg, old) = self.write(dst.base, dst.byte);
        mov.dst = Some(Dst::new(reg, 1, ty));
        let mut m = MInst::new(mov);
        m.tied_dst = old;
        m.symbol = Some(symbol as u32);
        self.code.push(m);
        Ok(())
    }

    /// `s0 * s1 + s2`. The hardware's `mad` takes the addend first and floats only.
    fn multiply_add(&mut self, visa: &visa::Inst) -> Result {
        let ctl = self.ctl(visa);
        let dst = self.dst(&visa.operands[0])?;
        let mut s = [
            self.src(&visa.operands[1])?,
            self.src(&visa.operands[2])?,
            self.src(&visa.operands[3])?,
        ];
        if dst.ty.is_float() {
            s.rotate_right(1);
            return self.alu(Op::Mad, ctl, dst, &s, None);
        }
        let tmp = self.temp(u32::from(ctl.size) * dst.ty.bytes());
        let product = DstOpnd::new(tmp, 0, dst.ty);
        self.alu(Op::Mul, Ctl { pred: None, ..ctl }, product, &s[..2], None)?;
        self.alu(
            Op::Add,
            ctl,
            dst,
            &[Opnd::packed(tmp, 0, dst.ty), s[2]],
            None,
        )
    }

    fn divide(&mut self, visa: &visa::Inst) -> Result {
        let ctl = self.ctl(visa);
        let dst = self.dst(&visa.operands[0])?;
        let srcs = [self.src(&visa.operands[1])?, self.src(&visa.operands[2])?];
        let float = dst.ty.is_float();
        let op = match (visa.op, float) {
            (Opcode::Div, true) => MathFn::Fdiv,
            (Opcode::Div, false) => MathFn::Iqot,
            (_, false) => MathFn::Irem,
            (_, true) => return self.fail("the remainder of floats"),
        };
        if dst.ty.bytes() == 8 {
            return self.fail("a 64-bit quotient or remainder");
        }
        if float {
            return self.alu(Op::Math(op), ctl, dst, &srcs, None);
        }
        // The math unit divides 32-bit integers of one type without modifiers, only.
        let ty = if srcs.iter().any(|s| s.ty().is_signed()) {
            Type::D
        } else {
            Type::Ud
        };
        let mut whole = [srcs[0]; 2];
        for (w, s) in whole.iter_mut().zip(srcs) {
            *w = if s.ty() == ty && !s.has_modifier() {
                s
            } else {
                self.converted(s, ty, ctl.size)?
            };
        }
        if dst.ty.bytes() == 4 {
            return self.alu(Op::Math(op), ctl, DstOpnd { ty, ..dst }, &whole, None);
        }
        let tmp = self.temp(u32::from(ctl.size) * 4);
        self.alu(
            Op::Math(op),
            Ctl { pred: None, ..ctl },
            DstOpnd::new(tmp, 0, ty),
            &whole,
            None,
        )?;
        self.alu(Op::Mov, ctl, dst, &[Opnd::packed(tmp, 0, ty)], None)
    }

    /// A source as packed (or scalar) elements of another type.
    pub fn converted(&mut self, s: Opnd, ty: Type, size: u8) -> Result<Opnd> {
        let scalar = match &s {
            Opnd::Imm { .. } => true,
            Opnd::Reg(r) => r.through.is_none() && r.step(u32::from(size)) == Some(0),
        };
        let n = if scalar { 1 } else { size };
        let tmp = self.temp(u32::from(n) * ty.bytes());
        self.alu(Op::Mov, Ctl::all(n), DstOpnd::new(tmp, 0, ty), &[s], None)?;
        Ok(if scalar {
            Opnd::scalar(tmp, 0, ty)
        } else {
            Opnd::packed(tmp, 0, ty)
        })
    }

    /// The upper half of a 32-bit product, through the accumulator, eight channels at a time: `mul`
    /// with the low words of the second factor, then `mach` with all of it (PRM, "mach").
    fn multiply_high(&mut self, visa: &visa::Inst) -> Result {
        let ctl = self.ctl(visa);
        let dst = self.dst(&visa.operands[0])?;
        let a = self.src(&visa.operands[1])?;
        let b = self.src(&visa.operands[2])?;
        let ty = if a.ty().is_signed() || b.ty().is_signed() {
            Type::D
        } else {
            Type::Ud
        };
        self.high_product(ctl, dst, a, b, ty)
    }

    fn high_product(&mut self, ctl: Ctl, dst: DstOpnd, a: Opnd, b: Opnd, ty: Type) -> Result {
        let n = u32::from(ctl.size);
        let a = self.converted(a, ty, ctl.size)?;
        let b = self.converted(b, ty, ctl.size)?;
        let tmp = self.temp(n * 4);
        let mut lane = 0;
        while lane < n {
            let size = (n - lane).min(8);
            let part = |s: &Opnd, ty: Type| match s {
                Opnd::Reg(r) => {
                    let scale = 4 / ty.bytes();
                    let v = r.step(n).unwrap_or(1) * scale;
                    Opnd::Reg(RegOpnd {
                        byte: r.at(lane),
                        v: Some(v),
                        w: 1,
                        h: 0,
                        ty,
                        ..*r
                    })
                }
                imm => *imm,
            };
            let ctl = Ctl::all(size as u8);
            let acc = DstOpnd::new(Base::Arch(RegFile::Acc, 0), 0, ty);
            self.alu(Op::Mul, ctl, acc, &[part(&a, ty), part(&b, Type::Uw)], None)?;
            self.alu(
                Op::Mach,
                ctl,
                DstOpnd::new(tmp, lane * 4, ty),
                &[part(&a, ty), part(&b, ty)],
                None,
            )?;
            lane += size;
        }
        self.alu(Op::Mov, ctl, dst, &[Opnd::packed(tmp, 0, ty)], None)
    }

    /// Sum or difference, and carry or borrow, which the hardware leaves in the accumulator.
    fn carry(&mut self, visa: &visa::Inst) -> Result {
        let ctl = self.ctl(visa);
        let op = if visa.op == Opcode::Addc {
            Op::Addc
        } else {
            Op::Subb
        };
        let low = self.dst(&visa.operands[0])?;
        let high = self.dst(&visa.operands[1])?;
        let a = self.src(&visa.operands[2])?;
        let b = self.src(&visa.operands[3])?;
        let a = self.converted(a, Type::Ud, ctl.size)?;
        let b = self.converted(b, Type::Ud, ctl.size)?;
        let n = u32::from(ctl.size);
        let (sum, carry) = (self.temp(n * 4), self.temp(n * 4));
        let mut lane = 0;
        while lane < n {
            let size = (n - lane).min(8);
            let part = |s: &Opnd| match s {
                Opnd::Reg(r) => Opnd::Reg(RegOpnd {
                    byte: r.at(lane),
                    ..*r
                }),
                imm => *imm,
            };
            let ctl = Ctl::all(size as u8);
            self.alu(
                op,
                ctl,
                DstOpnd::new(sum, lane * 4, Type::Ud),
                &[part(&a), part(&b)],
                None,
            )?;
            let acc = Opnd::packed(Base::Arch(RegFile::Acc, 0), 0, Type::Ud);
            self.alu(
                Op::Mov,
                ctl,
                DstOpnd::new(carry, lane * 4, Type::Ud),
                &[acc],
                None,
            )?;
            lane += size;
        }
        self.alu(Op::Mov, ctl, low, &[Opnd::packed(sum, 0, Type::Ud)], None)?;
        self.alu(
            Op::Mov,
            ctl,
            high,
            &[Opnd::packed(carry, 0, Type::Ud)],
            None,
        )
    }

    /// `bfi` is two steps: the mask from width and offset, then the insertion.
    fn insert_field(&mut self, visa: &visa::Inst) -> Result {
        let ctl = self.ctl(visa);
        let dst = self.dst(&visa.operands[0])?;
        let s = [1, 2, 3, 4].map(|i| self.src(&visa.operands[i]));
        let [width, offset, inserted, into] = s;
        let mask = self.temp(u32::from(ctl.size) * 4);
        let all = Ctl::all(ctl.size);
        self.alu(
            Op::Bfi1,
            all,
            DstOpnd::new(mask, 0, dst.ty),
            &[width?, offset?],
            None,
        )?;
        self.alu(
            Op::Bfi2,
            ctl,
            dst,
            &[Opnd::packed(mask, 0, dst.ty), inserted?, into?],
            None,
        )
    }

    /// Signals the group's barrier through the gateway and waits for the notification.
    fn barrier(&mut self) -> Result {
        self.out.barrier = true;
        let payload = self.temp(32);
        let header = Base::Abs;
        // The gateway wants the barrier's number, bits 24-27 and 31 of r0.2, and nothing else.
        let id = Opnd::scalar(header, crate::lower::HEADER_GRF * 32 + 8, Type::Ud);
        let ctl = Ctl::all(8);
        self.alu(
            Op::And,
            ctl,
            DstOpnd::new(payload, 0, Type::Ud),
            &[id, Opnd::ud(0x8f00_0000)],
            None,
        )?;
        let count = Reg::new(RegFile::Notification, 0, 0);
        let mut clear = Gen::new(Op::Mov, 1);
        clear.no_mask = true;
        clear.dst = Some(Dst::new(count, 1, Type::Ud));
        clear.srcs.push(Src::imm(Type::Ud, 0));
        clear.opts.switch = true;
        self.push(clear);
        self.send_barrier(payload);
        let mut wait = Gen::new(Op::Wait, 1);
        wait.no_mask = true;
        wait.srcs
            .push(Src::reg(count, kiln_emit::inst::Region::SCALAR, Type::Ud));
        self.push(wait);
        Ok(())
    }
}

/// The predicate that lets those channels through for which `flag` is not set.
pub fn unless(flag: Reg) -> Pred {
    Pred {
        flag,
        inverse: true,
        ctrl: PredCtrl::Normal,
    }
}

/// The number in a field of an instruction.
pub fn field(operand: &Operand) -> u32 {
    match operand {
        Operand::Field(n) => *n,
        _ => 0,
    }
}

fn wider(a: Type, b: Type) -> Type {
    let plain = |t: Type| match t {
        Type::V | Type::B => Type::W,
        Type::Uv | Type::Ub => Type::Uw,
        Type::Vf => Type::F,
        t => t,
    };
    let (a, b) = (plain(a), plain(b));
    if b.bytes() > a.bytes() { b } else { a }
}

fn integer_of(ty: Type) -> Type {
    match ty.bytes() {
        2 => Type::Uw,
        4 => Type::Ud,
        _ => Type::Uq,
    }
}
