//! Arithmetic, logic and comparisons: the Gen operations for each vISA operation.
//!
//! [`direct`] lists the operations with a Gen operation of the same operands in the same order; the rest have a
//! function each. Legality on the target is the concern of legalization, which makes any width, type and region
//! possible.

use kiln_emit::encoding;
use kiln_emit::messages::access::MemoryFence;
use kiln_machine::func::Class;
use kiln_machine::inst::{CondMod, Dst, Imm, Inst, Old, Pred, Reg, Src, SrcReg};
use kiln_platform::errata::Erratum;
use kiln_platform::isa::{Cond, MathFn, Op, PredCtrl, RegFile, Region, SyncFn, Type};
use kiln_platform::rules::rules;
use kiln_platform::sources::Sources;
use kiln_visa::module::{self as visa, Operand};
use kiln_visa::opcode::{Opcode, Relation};

use super::buffer::Buffer;
use super::operand::condition;
use super::product::half;
use super::{Channels, Result, Select, field, ud};
use crate::legalize::short;

/// The Gen operation with the same effect for a destination and sources in the same order.
fn direct(op: Opcode) -> Option<Op> {
    Some(match op {
        Opcode::Add => Op::Add,
        Opcode::Avg => Op::Avg,
        Opcode::Frc => Op::Frc,
        Opcode::Rndd => Op::Rndd,
        Opcode::Rndu => Op::Rndu,
        Opcode::Rnde => Op::Rnde,
        Opcode::Rndz => Op::Rndz,
        Opcode::Lzd => Op::Lzd,
        Opcode::And => Op::And,
        Opcode::Or => Op::Or,
        Opcode::Xor => Op::Xor,
        Opcode::Not => Op::Not,
        Opcode::Shl => Op::Shl,
        Opcode::Shr => Op::Shr,
        Opcode::Asr => Op::Asr,
        Opcode::Rol => Op::Rol,
        Opcode::Ror => Op::Ror,
        Opcode::Cbit => Op::Cbit,
        Opcode::Fbl => Op::Fbl,
        Opcode::Fbh => Op::Fbh,
        Opcode::Bfrev => Op::Bfrev,
        Opcode::Mov => Op::Mov,
        Opcode::Sel => Op::Sel,
        Opcode::Lrp => Op::Lrp,
        Opcode::Dp2 => Op::Dp2,
        Opcode::Dp3 => Op::Dp3,
        Opcode::Dp4 => Op::Dp4,
        Opcode::Dph => Op::Dph,
        Opcode::Dp4a => Op::Dp4a,
        Opcode::Add3 => Op::Add3,
        Opcode::Sad2 => Op::Sad2,
        Opcode::Bfe => Op::Bfe,
        Opcode::Exp => Op::Math(MathFn::Exp),
        Opcode::Log => Op::Math(MathFn::Log),
        Opcode::Sin => Op::Math(MathFn::Sin),
        Opcode::Cos => Op::Math(MathFn::Cos),
        Opcode::Sqrt => Op::Math(MathFn::Sqt),
        Opcode::Rsqrt => Op::Math(MathFn::Rsqt),
        Opcode::Inv => Op::Math(MathFn::Inv),
        Opcode::Pow => Op::Math(MathFn::Pow),
        _ => return None,
    })
}

/// Bytes in the payload of a barrier's signal: its number, and the numbers of producers and consumers; and the byte of
/// r0 with the number of threads of the group.
const BARRIER_ID: u32 = 8;
const BARRIER_COUNTS: u32 = 10;
const GROUP_THREADS: u32 = 11;
/// Bit of a barrier's number that leaves threads that ended out.
const ACTIVE_THREADS: u32 = 1 << 8;
/// Lowest bits of a named barrier's kind, and of its numbers of producers and consumers, in the dword with its number.
const NAMED_BARRIER_BITS: [u32; 3] = [14, 16, 24];

/// Placeholder for an address that the loader fills in; its value has no compacted encoding.
pub(super) const UNRESOLVED: u64 = 0x5aa5_c33c_5aa5_c33c;

/// The machine's relation for one of vISA.
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
    /// Emits `dst = op(srcs)`.
    pub(super) fn alu(&mut self, op: Op, channels: Channels, dst: Dst, srcs: &[Src]) {
        let mut inst = self.instruction(op, channels);
        inst.dst = Some(dst);
        inst.srcs = srcs.iter().copied().collect();
        self.push(inst);
    }

    /// Emits an operation that sets a flag.
    pub(super) fn conditional(
        &mut self,
        op: Op,
        channels: Channels,
        dst: Dst,
        srcs: &[Src],
        cond: CondMod,
    ) {
        let mut inst = self.instruction(op, channels);
        inst.dst = Some(dst);
        inst.srcs = srcs.iter().copied().collect();
        inst.cond = Some(cond);
        self.push(inst);
    }

    /// Emits `dst = op(srcs)` with the destination and saturation of vISA.
    pub(super) fn alu_visa(
        &mut self,
        op: Op,
        channels: Channels,
        (dst, sat): (Dst, bool),
        srcs: &[Src],
    ) {
        let mut inst = self.instruction(op, channels);
        inst.opts.saturate = sat;
        inst.dst = Some(dst);
        inst.srcs = srcs.iter().copied().collect();
        self.push(inst);
    }

    /// Selects one vISA instruction that is neither a branch nor a label.
    pub(super) fn operation(&mut self, visa: &visa::Inst) -> Result {
        use Opcode as O;
        let ops = &visa.operands;
        match visa.op {
            O::And | O::Or | O::Xor | O::Not if matches!(ops[0], Operand::Predicate(_)) => {
                self.predicate_logic(visa)
            }
            O::Cmp => self.compare(visa),
            O::Bfn => self.bit_function(visa),
            O::Pow if !encoding::has(Op::Math(MathFn::Pow), self.out.target) => self.power(visa),
            O::FMinMax => self.min_max(visa),
            O::Setp => self.set_predicate(visa),
            O::Movs => self.state_move(visa),
            O::AddrAdd => self.address_add(visa),
            O::Faddr => self.symbol_address(visa),
            // The start or end of a lifetime defines nothing for active channels.
            O::Lifetime => Ok(()),
            O::FCall | O::IfCall => self.call(visa),
            O::Add if self.sums_halves(visa) => self.sum_of_halves(visa),
            O::Mul => self.multiply(visa),
            O::Mad => self.multiply_add(visa),
            O::Div | O::Sqrt | O::Inv if self.is_double(&ops[0]) => self.ieee(visa),
            O::Div | O::Mod => self.divide(visa),
            O::Mulh => self.multiply_high(visa),
            O::Avg if self.ir.object.is_long_average(visa) => self.long_average(visa),
            O::Madw => self.multiply_add_wide(visa),
            O::Addc | O::Subb => self.carry(visa),
            O::Bfi => self.insert_field(visa),
            O::Divm | O::Sqrtm => self.ieee(visa),
            O::Invm | O::Rsqtm => self.approximate(visa),
            O::Barrier => {
                self.barrier_signal()?;
                self.barrier_wait();
                Ok(())
            }
            O::SBarrier if field(&ops[0]) & 1 == 1 => self.barrier_signal(),
            O::SBarrier => {
                self.barrier_wait();
                Ok(())
            }
            O::Nbarrier => self.named_barrier(visa),
            O::Fcvt => self.float_conversion(visa),
            O::Srnd => self.round_by_chance(visa),
            O::Dpas | O::Dpasw => self.systolic(visa),
            O::Sad2Add => self.add_differences(visa),
            O::Wait => self.wait(visa),
            // Control flow is selected as terminators.
            O::Goto | O::Jmp | O::Ret | O::FRet | O::Yield => Ok(()),
            op => match direct(op) {
                Some(op) => self.direct_operation(op, visa),
                None => self.message(visa),
            },
        }
    }

    /// True if an operand is of type df, for which the math unit has functions in macros only.
    fn is_double(&self, operand: &Operand) -> bool {
        self.declared_type(operand) == Some(visa::Type::Df)
    }

    /// The type of a general variable, or of what an address points to; none of other operands.
    pub(super) fn declared_type(&self, operand: &Operand) -> Option<visa::Type> {
        match operand {
            Operand::General { var, .. } => self.ir.object.vars.get(*var).map(|decl| decl.ty),
            Operand::Indirect { ty, .. } => Some(*ty),
            _ => None,
        }
    }

    /// Moves the handle of a surface or sampler; of a quadword that is the lower half.
    fn state_move(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let n = channels.size;
        let mut handle = self.src(&visa.operands[1], n)?;
        if handle.ty().bytes() == 8 {
            handle = half(handle, 0, n);
        }
        let to = self.dst(&visa.operands[0], n)?;
        self.alu_visa(Op::Mov, channels, to, &[handle]);
        Ok(())
    }

    pub(super) fn direct_operation(&mut self, op: Op, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let n = channels.size;
        let mut srcs = Sources::default();
        for operand in &visa.operands[1..] {
            srcs.push(self.src(operand, n)?);
        }
        let (mut dst, sat) = self.dst(&visa.operands[0], n)?;
        if op == Op::Bfe {
            // All sources have one type, which determines the sign of the field.
            for s in srcs.iter_mut() {
                *s = self.retyped(*s, dst.ty, n);
            }
        }
        let mut op = op;
        let plain = !srcs[0].has_modifier() && !sat;
        if let [Src::Reg(r)] = &mut srcs[..]
            && (op, dst.ty, r.ty, plain) == (Op::Mov, Type::F, Type::Bf, true)
        {
            // The upper half of a float: a conversion would make signaling values quiet.
            (op, dst.ty, r.ty) = (Op::Shl, Type::Ud, Type::Uw);
            srcs.push(ud(16));
        }
        // Logic operations have no float types; only the bits matter.
        if op.is_bitwise() {
            if dst.ty.is_float() {
                dst.ty = integer_of(dst.ty);
            }
            for s in srcs.iter_mut() {
                match s {
                    Src::Reg(r) if r.ty.is_float() => r.ty = integer_of(r.ty),
                    Src::Imm(i) if i.ty.is_float() => {
                        *i = Imm::new(integer_of(i.ty), i.bits());
                    }
                    _ => {}
                }
            }
        }
        self.alu_visa(op, channels, (dst, sat), &srcs);
        Ok(())
    }

    /// An integer converted to another type of 32 bits.
    fn retyped(&mut self, s: Src, ty: Type, n: u8) -> Src {
        match s {
            Src::Reg(r) if r.ty.bytes() == 4 => Src::Reg(SrcReg { ty, ..r }),
            Src::Imm(i) if matches!(i.ty, Type::D | Type::Ud) => Src::Imm(Imm::new(ty, i.bits())),
            _ => {
                let tmp = self.temp(u32::from(n) * 4);
                self.alu(Op::Mov, Channels::all(n), Dst::new(tmp, 1, ty), &[s]);
                Src::packed(tmp, ty)
            }
        }
    }

    /// Selects minimum and maximum: `sel` with a condition and no flag.
    fn min_max(&mut self, visa: &visa::Inst) -> Result {
        let cond = match field(&visa.operands[0]) {
            0 => Cond::Lt,
            _ => Cond::Ge,
        };
        let channels = self.channels(visa);
        let n = channels.size;
        let srcs = [
            self.src(&visa.operands[2], n)?,
            self.src(&visa.operands[3], n)?,
        ];
        let (dst, sat) = self.dst(&visa.operands[1], n)?;
        // A predicate of `sel` selects a source. Channels without it get the old value by a second move.
        let (to, whole) = match channels.pred {
            None => (dst, channels),
            Some(_) => {
                let tmp = self.temp(u32::from(n) * dst.ty.bytes());
                (Dst::new(tmp, 1, dst.ty), channels.unpredicated())
            }
        };
        let mut inst = self.instruction(Op::Sel, whole);
        inst.opts.saturate = sat;
        inst.dst = Some(to);
        inst.srcs = srcs.into_iter().collect();
        inst.cond = Some(CondMod {
            cond,
            flag: Reg::NULL,
            old: None.into(),
        });
        self.push(inst);
        if channels.pred.is_some() {
            self.alu(Op::Mov, channels, dst, &[Src::packed(to.reg, dst.ty)]);
        }
        Ok(())
    }

    fn compare(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let n = channels.size;
        let Some(cond) = relation(field(&visa.operands[0])) else {
            return self.fail("an unknown relation");
        };
        let srcs = [
            self.src(&visa.operands[2], n)?,
            self.src(&visa.operands[3], n)?,
        ];
        let (dst, flag, old) = match &visa.operands[1] {
            Operand::Predicate(p) => {
                let (flag, old) = self.write_flag(p.pred);
                let ty = wider(srcs[0].ty(), srcs[1].ty());
                (Dst::null(ty), flag, old)
            }
            to => (self.dst(to, n)?.0, self.temp_flag(), Old::None),
        };
        self.conditional(Op::Cmp, channels, dst, &srcs, condition(cond, flag, old));
        Ok(())
    }

    /// A new version of a predicate variable.
    pub(super) fn write_flag(&mut self, p: visa::Predicate) -> (Reg, Old) {
        let storage = self.predicate(p);
        self.write(storage, 0, 2)
    }

    /// The half of a flag with the bits of the channels: byte offset and type.
    fn flag_part(channels: Channels) -> (u32, Type) {
        match (channels.size, channels.off) {
            (32, _) => (0, Type::Ud),
            (_, 16..) => (2, Type::Uw),
            _ => (0, Type::Uw),
        }
    }

    fn set_predicate(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let Operand::Predicate(p) = &visa.operands[0] else {
            return self.fail("a destination that is no predicate");
        };
        let src = self.src(&visa.operands[1], channels.size)?;
        let is_scalar = match &src {
            Src::Imm(_) => true,
            Src::Reg(r) => channels.size > 1 && r.step(channels.size.into()) == Some(0),
        };
        let (flag, old) = self.write_flag(p.pred);
        if is_scalar {
            let (byte, ty) = Self::flag_part(channels);
            let dst = Dst {
                old,
                ..Dst::new(flag.at(byte), 1, ty)
            };
            self.alu(Op::Mov, Channels::SCALAR, dst, &[src]);
            return Ok(());
        }
        // Bit 0 of each element. Inactive channels keep their bits.
        let low_bit = [src, Src::imm(Type::Uw, 1)];
        let cond = condition(Cond::Ne, flag, old);
        self.conditional(Op::And, channels, Dst::null(src.ty()), &low_bit, cond);
        Ok(())
    }

    /// Selects logic on whole predicates: one scalar operation on flag registers.
    fn predicate_logic(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let (byte, ty) = Self::flag_part(channels);
        let Operand::Predicate(p) = &visa.operands[0] else {
            return self.fail("a destination that is no predicate");
        };
        let mut srcs = Sources::default();
        for operand in &visa.operands[1..] {
            let mut src = self.src(operand, 1)?;
            if let (Operand::Predicate(_), Src::Reg(r)) = (operand, &mut src) {
                r.reg = r.reg.at(byte);
                r.ty = ty;
            }
            srcs.push(src);
        }
        let op = direct(visa.op).unwrap_or(Op::Mov);
        let (flag, old) = self.write_flag(p.pred);
        if channels.no_mask || old == Old::None {
            let dst = Dst {
                old,
                ..Dst::new(flag.at(byte), 1, ty)
            };
            self.alu(op, Channels::SCALAR, dst, &srcs);
            return Ok(());
        }
        // Bits of inactive channels are used.
        let all = self.temp_flag();
        self.alu(op, Channels::SCALAR, Dst::new(all.at(byte), 1, ty), &srcs);
        let bits = self.temp(u32::from(channels.size) * 2);
        self.words_of(all, channels, Dst::new(bits, 1, Type::Uw));
        self.conditional(
            Op::Cmp,
            channels.unpredicated(),
            Dst::null(Type::Uw),
            &[Src::packed(bits, Type::Uw), Src::imm(Type::Uw, 0)],
            condition(Cond::Ne, flag, old),
        );
        Ok(())
    }

    /// Writes the bits of a flag for the channels as words of 1 or 0.
    pub(super) fn words_of(&mut self, flag: Reg, channels: Channels, to: Dst) {
        let [one, zero] = [1, 0].map(|bit| Src::imm(Type::Uw, bit));
        let choose = Channels {
            no_mask: true,
            pred: Some(Pred {
                flag,
                inverse: false,
                ctrl: PredCtrl::Normal,
            }),
            ..channels
        };
        self.alu(Op::Sel, choose, to, &[one, zero]);
    }

    fn address_add(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let n = channels.size;
        let offset = self.src(&visa.operands[2], n)?;
        let srcs: Sources<Src> = match &visa.operands[1] {
            Operand::AddressOf { var, offset: at } => {
                let address = u64::from(self.address_of(*var, u32::from(*at))?);
                match offset {
                    Src::Imm(imm) => {
                        let sum = (address + imm.bits()) & 0xffff;
                        [Src::imm(Type::Uw, sum)].into_iter().collect()
                    }
                    reg => [reg, Src::imm(Type::Uw, address)].into_iter().collect(),
                }
            }
            other => [self.src(other, n)?, offset].into_iter().collect(),
        };
        let dst = self.dst(&visa.operands[0], n)?;
        let op = if srcs.len() == 1 { Op::Mov } else { Op::Add };
        self.alu_visa(op, channels, dst, &srcs);
        Ok(())
    }

    /// Selects the address of a function or of data: an immediate that the loader fills in.
    fn symbol_address(&mut self, visa: &visa::Inst) -> Result {
        let Operand::Name(name) = &visa.operands[0] else {
            return self.fail("an operand that is no name");
        };
        let (dst, _) = self.dst(&visa.operands[1], 1)?;
        let bytes = dst.ty.bytes();
        if bytes < 4 || dst.indirect.is_some() {
            return self.fail("an address in a destination that is no 32 or 64-bit variable");
        }
        let target = self.out.target;
        if bytes == 8 && target.int64 && encoding::has_whole_immediates(target) {
            self.address(name, Type::Uq, false, dst);
            return Ok(());
        }
        self.address(name, Type::Ud, false, dst);
        if bytes == 8 {
            // A second write to the same place, to the lower half.
            let (dst, _) = self.dst(&visa.operands[1], 1)?;
            let reg = dst.reg.at(dst.reg.byte() + 4);
            self.address(name, Type::Ud, true, Dst { reg, ..dst });
        }
        Ok(())
    }

    /// `dst = mov` of an address's bits: all that the type holds, or the upper half.
    fn address(&mut self, name: &str, ty: Type, high: bool, dst: Dst) {
        let symbol = self.symbol(name, high);
        let mut mov = Inst::no_mask(Op::Mov, 1);
        let bits = UNRESOLVED & (u64::MAX >> (64 - ty.bytes() * 8));
        mov.srcs.push(Src::imm(ty, bits));
        mov.dst = Some(Dst {
            ty,
            hstride: 1,
            ..dst
        });
        mov.symbol = symbol.into();
        self.push(mov);
    }

    /// Selects `s0 * s1 + s2`. The hardware's `mad` has the addend first.
    fn multiply_add(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let n = channels.size;
        let mut s = [
            self.src(&visa.operands[1], n)?,
            self.src(&visa.operands[2], n)?,
            self.src(&visa.operands[3], n)?,
        ];
        let dst = self.dst(&visa.operands[0], n)?;
        let ty = dst.0.ty;
        if ty.is_float() {
            s.rotate_right(1);
            self.alu_visa(Op::Mad, channels, dst, &s);
            return Ok(());
        }
        if let Some([factor, narrow]) = self.narrow_last(dst, &s) {
            self.alu_visa(Op::Mad, channels, dst, &[s[2], factor, narrow]);
            return Ok(());
        }
        let product = if self.is_long_product(ty, &s[..2]) {
            self.quad_product(n, s[0], s[1])
        } else {
            let product = self.temp(u32::from(n) * ty.bytes());
            let to = Dst::new(product, 1, ty);
            self.alu(Op::Mul, channels.unpredicated(), to, &s[..2]);
            Src::packed(product, ty)
        };
        self.alu_visa(Op::Add, channels, dst, &[product, s[2]]);
        Ok(())
    }

    /// The factors of `s[0] * s[1] + s[2]` if one operation of integers computes it: for a doubleword, where the last is a
    /// constant of 16 bits.
    fn narrow_last(&self, (dst, saturates): (Dst, bool), s: &[Src; 3]) -> Option<[Src; 2]> {
        let ternary = rules(self.out.target.family).ternary.mixed_integers;
        if !ternary || dst.ty.bytes() != 4 || saturates || dst.indirect.is_some() {
            return None;
        }
        let register = |src: &Src| match src {
            Src::Reg(r) => {
                matches!(r.ty.bytes(), 2 | 4) && r.indirect.is_none() && !src.has_modifier()
            }
            Src::Imm(_) => false,
        };
        let narrow = |src: &Src| matches!(src, Src::Imm(imm) if short(imm).is_some());
        let factors = [[s[0], s[1]], [s[1], s[0]]];
        let found = factors
            .into_iter()
            .find(|[first, last]| register(first) && narrow(last));
        found.filter(|_| register(&s[2]))
    }

    /// Selects a function of three bits, whose truth table is the last operand.
    fn bit_function(&mut self, visa: &visa::Inst) -> Result {
        let table = field(&visa.operands[4]) as u8;
        let channels = self.channels(visa);
        let n = channels.size;
        let srcs = [1, 2, 3].map(|i| self.src(&visa.operands[i], n));
        let [a, b, c] = srcs;
        let to = self.dst(&visa.operands[0], n)?;
        self.alu_visa(Op::Bfn(table), channels, to, &[a?, b?, c?]);
        Ok(())
    }

    /// Selects a power as the exponential of a product with a logarithm.
    fn power(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let n = channels.size;
        let base = self.src(&visa.operands[1], n)?;
        let exponent = self.src(&visa.operands[2], n)?;
        let to = self.dst(&visa.operands[0], n)?;
        let ty = Type::F;
        let all = channels.unpredicated();
        let mut step = |op, srcs: &[Src]| {
            let tmp = self.temp(u32::from(n) * ty.bytes());
            self.alu(op, all, Dst::new(tmp, 1, ty), srcs);
            Src::packed(tmp, ty)
        };
        let log = step(Op::Math(MathFn::Log), &[base]);
        let product = step(Op::Mul, &[log, exponent]);
        self.alu_visa(Op::Math(MathFn::Exp), channels, to, &[product]);
        Ok(())
    }

    /// Selects a quotient of floats as the product with an inverse.
    fn quotient(
        &mut self,
        channels: Channels,
        to: (Dst, bool),
        [dividend, divisor]: [Src; 2],
    ) -> Result {
        let ty = divisor.ty();
        let tmp = self.temp(u32::from(channels.size) * ty.bytes());
        let inverse = Dst::new(tmp, 1, ty);
        let all = channels.unpredicated();
        self.alu(Op::Math(MathFn::Inv), all, inverse, &[divisor]);
        self.alu_visa(Op::Mul, channels, to, &[dividend, Src::packed(tmp, ty)]);
        Ok(())
    }

    fn divide(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let n = channels.size;
        let srcs = [
            self.src(&visa.operands[1], n)?,
            self.src(&visa.operands[2], n)?,
        ];
        let (dst, sat) = self.dst(&visa.operands[0], n)?;
        let float = dst.ty.is_float();
        let op = match (visa.op, float) {
            (Opcode::Div, true) => MathFn::Fdiv,
            (Opcode::Div, false) => MathFn::Iqot,
            (_, false) => MathFn::Irem,
            (_, true) => return self.fail("the remainder of floats"),
        };
        if float && !encoding::has(Op::Math(op), self.out.target) {
            return self.quotient(channels, (dst, sat), srcs);
        }
        if float {
            self.alu_visa(Op::Math(op), channels, (dst, sat), &srcs);
            return Ok(());
        }
        // The math unit divides 32-bit integers of one type without modifiers only.
        let signed = srcs.iter().any(|s| s.ty().is_signed());
        let ty = if signed { Type::D } else { Type::Ud };
        let whole = srcs.map(|s| match s.ty() == ty && !s.has_modifier() {
            true => s,
            false => self.converted(s, ty, n),
        });
        if dst.ty.bytes() == 4 {
            let dst = Dst { ty, ..dst };
            self.alu_visa(Op::Math(op), channels, (dst, sat), &whole);
            return Ok(());
        }
        let tmp = self.temp(u32::from(n) * 4);
        let to = Dst::new(tmp, 1, ty);
        self.alu(Op::Math(op), channels.unpredicated(), to, &whole);
        self.alu_visa(Op::Mov, channels, (dst, sat), &[Src::packed(tmp, ty)]);
        Ok(())
    }

    /// A source as packed (or scalar) elements of another type.
    pub(super) fn converted(&mut self, s: Src, ty: Type, n: u8) -> Src {
        let scalar = is_scalar(&s, n);
        let n = if scalar { 1 } else { n };
        let tmp = self.temp(u32::from(n) * ty.bytes());
        self.alu(Op::Mov, Channels::all(n), Dst::new(tmp, 1, ty), &[s]);
        match scalar {
            true => Src::scalar(tmp, ty),
            false => Src::packed(tmp, ty),
        }
    }

    /// Selects `bfi` in two steps: the mask from width and offset, then the insertion.
    fn insert_field(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let n = channels.size;
        let [width, offset, inserted, into] = [1, 2, 3, 4].map(|i| self.src(&visa.operands[i], n));
        let (width, offset, inserted, into) = (width?, offset?, inserted?, into?);
        let dst = self.dst(&visa.operands[0], n)?;
        let ty = dst.0.ty;
        let one = is_scalar(&width, n) && is_scalar(&offset, n);
        let size = if one { 1 } else { n };
        let mask = self.temp(u32::from(size) * 4);
        let to = Dst::new(mask, 1, ty);
        self.alu(Op::Bfi1, Channels::all(size), to, &[width, offset]);
        let mask = match one {
            true => Src::scalar(mask, ty),
            false => Src::packed(mask, ty),
        };
        self.alu_visa(Op::Bfi2, channels, dst, &[mask, inserted, into]);
        Ok(())
    }

    /// Signals the group's barrier through the gateway.
    fn barrier_signal(&mut self) -> Result {
        self.out.barrier = true;
        let Some(mask) = self.out.target.barrier_id else {
            return self.signal_counting_barrier();
        };
        let payload = self.temp(self.grf());
        // The gateway takes the barrier's number and nothing else.
        let id = Src::scalar(self.header(8), Type::Ud);
        let to = Dst::new(payload, 1, Type::Ud);
        self.alu(Op::And, Channels::all(8), to, &[id, ud(mask)]);
        if self.out.target.needs(Erratum::CountClearedBeforeBarrier) {
            let count = Reg::phys(RegFile::Notification, 0, 0);
            let mut clear = Inst::no_mask(Op::Mov, 1);
            clear.opts.switch = true;
            clear.dst = Some(Dst::new(count, 1, Type::Ud));
            clear.srcs.push(ud(0));
            self.push(clear);
        }
        self.signal_barrier(payload)
    }

    /// Signals the barrier 0 of those that a group has, whose producers and consumers are all threads of the group:
    /// the last byte of r0.2 has their number.
    fn signal_counting_barrier(&mut self) -> Result {
        let mut payload = Buffer::new(self.grf());
        let id = payload.write(self, BARRIER_ID, 1, Type::Ud);
        let active = match self.out.target.needs(Erratum::BarrierOfActive) {
            true => ACTIVE_THREADS,
            false => 0,
        };
        self.alu(Op::Mov, Channels::SCALAR, id, &[ud(active)]);
        let counts = payload.write(self, BARRIER_COUNTS, 2, Type::Ub);
        let threads = Src::scalar(self.header(GROUP_THREADS), Type::Ub);
        self.alu(Op::Mov, Channels::all(2), counts, &[threads]);
        let payload = payload.whole(self);
        self.signal_barrier(payload)
    }

    /// Signals a named barrier, or waits for it. The numbers are those of r0.2's layout: barrier, kind, producers and
    /// consumers.
    fn named_barrier(&mut self, visa: &visa::Inst) -> Result {
        if self.out.target.barriers == 1 {
            return self.fail("a named barrier, which the platform lacks");
        }
        self.out.barrier = true;
        let ops = &visa.operands;
        let id = self.scalar(&ops[1])?;
        let counts = match field(&ops[0]) {
            0 => {
                let Src::Imm(id) = id else {
                    return self.fail("a wait for a barrier whose number is in a register");
                };
                let mut wait = Inst::no_mask(Op::Sync(SyncFn::Bar), 1);
                wait.srcs.push(ud(id.bits() as u32));
                self.push(wait);
                return Ok(());
            }
            // All threads are both.
            1 => [None, Some(3), Some(3)],
            _ => [Some(2), Some(3), Some(4)],
        };
        let mut sum = id;
        for (at, low) in counts.into_iter().zip(NAMED_BARRIER_BITS) {
            let Some(at) = at else { continue };
            let part = self.scalar(&ops[at])?;
            sum = self.with_field(sum, part, low);
        }
        let mut payload = Buffer::new(self.grf());
        let to = payload.write(self, BARRIER_ID, 1, Type::Ud);
        self.alu(Op::Mov, Channels::SCALAR, to, &[sum]);
        let payload = payload.whole(self);
        self.signal_barrier(payload)
    }

    /// A number with another one from a bit on.
    fn with_field(&mut self, number: Src, field: Src, low: u32) -> Src {
        if let (Src::Imm(number), Src::Imm(field)) = (number, field) {
            return ud(number.bits() as u32 | (field.bits() as u32) << low);
        }
        let mut wide = |src: Src| match src {
            Src::Imm(imm) => ud(imm.bits() as u32),
            src => self.converted(src, Type::Ud, 1),
        };
        let (number, field) = (wide(number), wide(field));
        let shifted = match field {
            Src::Imm(imm) => ud((imm.bits() as u32) << low),
            field => {
                let shifted = self.temp(4);
                let to = Dst::new(shifted, 1, Type::Ud);
                self.alu(Op::Shl, Channels::SCALAR, to, &[field, ud(low)]);
                Src::scalar(shifted, Type::Ud)
            }
        };
        let sum = self.temp(4);
        let to = Dst::new(sum, 1, Type::Ud);
        self.alu(Op::Or, Channels::SCALAR, to, &[number, shifted]);
        Src::scalar(sum, Type::Ud)
    }

    /// Selects a conversion to or from a float type that vISA has no name for.
    fn float_conversion(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let src = self.src(&visa.operands[1], channels.size)?;
        let (mut dst, sat) = self.dst(&visa.operands[0], channels.size)?;
        dst.ty = unnamed_float(dst.ty);
        let src = match src {
            // The bits of `tf32` are those of a float.
            Src::Reg(r) if r.ty == Type::Ud => Src::Reg(SrcReg { ty: Type::F, ..r }),
            Src::Reg(r) => Src::Reg(SrcReg {
                ty: unnamed_float(r.ty),
                ..r
            }),
            Src::Imm(_) => return self.fail("a conversion of a constant"),
        };
        self.alu_visa(Op::Mov, channels, (dst, sat), &[src]);
        Ok(())
    }

    /// Selects stochastic rounding, whose random bits have the type of the value.
    fn round_by_chance(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let n = channels.size;
        let value = self.src(&visa.operands[1], n)?;
        let bits = self.src(&visa.operands[2], n)?;
        let (mut dst, sat) = self.dst(&visa.operands[0], n)?;
        dst.ty = unnamed_float(dst.ty);
        let bits = match bits.ty().bytes() == value.ty().bytes() {
            true => bits,
            false => self.converted(bits, integer_of(value.ty()), n),
        };
        let Src::Reg(bits) = bits else {
            return self.fail("constant random bits");
        };
        let bits = Src::Reg(SrcReg {
            ty: value.ty(),
            ..bits
        });
        self.alu_visa(Op::Srnd, channels, (dst, sat), &[value, bits]);
        Ok(())
    }

    /// Waits for the other threads of the group.
    fn barrier_wait(&mut self) {
        if encoding::has(Op::Sync(SyncFn::Bar), self.out.target) {
            let mut wait = Inst::no_mask(Op::Sync(SyncFn::Bar), 1);
            if self.out.target.barriers > 1 {
                wait.srcs.push(ud(0));
            }
            self.push(wait);
            return;
        }
        let count = Reg::phys(RegFile::Notification, 0, 0);
        let mut wait = Inst::no_mask(Op::Wait, 1);
        wait.srcs.push(Src::reg(count, Region::SCALAR, Type::Ud));
        self.push(wait);
    }

    /// Selects `sad2add`: the differences of two channels as a word, then the sum.
    fn add_differences(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        let n = channels.size;
        let [a, b, c] = [
            self.src(&visa.operands[1], n)?,
            self.src(&visa.operands[2], n)?,
            self.src(&visa.operands[3], n)?,
        ];
        let to = self.dst(&visa.operands[0], n)?;
        let sum = self.temp(u32::from(n) * 2);
        let whole = Channels::all(n);
        self.alu(Op::Sad2, whole, Dst::new(sum, 1, Type::W), &[a, b]);
        self.alu_visa(Op::Add, channels, to, &[Src::packed(sum, Type::W), c]);
        Ok(())
    }

    /// Clears the dependencies on other threads that a mask names, then fences (PRM vol. 2a, "Thread Dependency
    /// Register").
    fn wait(&mut self, visa: &visa::Inst) -> Result {
        let mask = self.scalar(&visa.operands[0])?;
        let flag = self.temp_of(Class::Flag, 2);
        self.alu(
            Op::Mov,
            Channels::SCALAR,
            Dst::new(flag, 1, Type::Uw),
            &[mask],
        );
        let chosen = Channels {
            pred: Some(Pred {
                flag,
                inverse: false,
                ctrl: PredCtrl::Normal,
            }),
            ..Channels::all(8)
        };
        let dependencies = Reg::phys(RegFile::Tdr, 0, 0);
        let old = Src::packed(dependencies, Type::Uw);
        let to = Dst::new(dependencies, 1, Type::Uw);
        self.alu(Op::And, chosen, to, &[old, Src::imm(Type::Uw, 0x7fff)]);
        let fence = MemoryFence {
            local: false,
            flush_level_1: false,
        };
        self.fence(Op::Sendc, fence)
    }
}

/// True if all of `n` channels read one element; those of a packed immediate differ.
pub(super) fn is_scalar(s: &Src, n: u8) -> bool {
    match s {
        Src::Imm(imm) => !matches!(imm.ty, Type::V | Type::Uv | Type::Vf),
        Src::Reg(r) => r.indirect.is_none() && r.step(n.into()) == Some(0),
    }
}

/// The predicate of the channels for which `flag` is not set.
pub(super) fn unless(flag: Reg) -> Pred {
    Pred {
        flag,
        inverse: true,
        ctrl: PredCtrl::Normal,
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

/// The type of floats that vISA writes as integers: bytes for those of eight bits, a dword for `tf32`.
fn unnamed_float(ty: Type) -> Type {
    match ty {
        Type::Ub => Type::Bf8,
        Type::B => Type::Hf8,
        Type::Ud => Type::Tf32,
        ty => ty,
    }
}
