//! From the model of an instruction to its bits.
//!
//! Walks the family's tables: takes an instruction with physical registers and resolved targets,
//! and either writes every bit that its meaning needs or says what cannot be written.

use super::bits::Bits;
use super::decode::EX_BSO;
use super::spec::{
    Attrs, DstBits, FILE_ARF, FILE_GRF, FILE_IMM, Form, Format, HSTRIDES, OpSpec, SUB_BYTE, Spec,
    SrcBits, WIDTHS, code_of, implied_width,
};
use super::{EncodeError, Encoded, Operand, compact, spec, to_align16};
use crate::inst::{
    Desc, Dst, Inst, Message, Op, Place, Reg, RegFile, Region, SWIZZLE_XYZW, Src, SrcMod, SrcReg,
    Systolic, Target, Type,
};
use crate::platform::Platform;

/// Encodes one instruction, in its compact form if `opts.compacted` says so.
///
/// A three-source instruction that is not `align16` where the platform's are always is encoded as
/// the Align16 instruction that does the same.
pub fn encode(inst: &Inst, platform: &Platform) -> Result<Encoded, EncodeError> {
    let spec = spec(platform);
    let word = native(inst, spec, platform)?;
    if inst.opts.compacted {
        compact::shrink(word, spec)
            .map(Encoded::short)
            .ok_or(EncodeError::NotCompactable)
    } else {
        Ok(Encoded::long(word))
    }
}

/// The long form of an instruction, whether or not it is to be compacted.
pub(super) fn native(
    inst: &Inst,
    spec: &'static Spec,
    platform: &Platform,
) -> Result<u128, EncodeError> {
    let op = spec.op(inst.op).ok_or(EncodeError::Op {
        op: inst.op,
        platform: platform.name,
    })?;
    if op.form == Form::Ternary && spec.align16_ternary && !inst.opts.align16 {
        let inst = to_align16(inst)?;
        return Encoder::new(&inst, op, spec, platform).run();
    }
    Encoder::new(inst, op, spec, platform).run()
}

struct Encoder<'a> {
    inst: &'a Inst,
    op: &'static OpSpec,
    spec: &'static Spec,
    platform: &'a Platform,
    format: &'a Format,
    word: u128,
}

impl<'a> Encoder<'a> {
    fn new(
        inst: &'a Inst,
        op: &'static OpSpec,
        spec: &'static Spec,
        platform: &'a Platform,
    ) -> Encoder<'a> {
        let format = spec.format(op.form, inst.opts.align16);
        Encoder {
            inst,
            op,
            spec,
            platform,
            format,
            word: 0,
        }
    }

    fn run(mut self) -> Result<u128, EncodeError> {
        self.put(self.format.header.opcode, u64::from(self.op.code));
        for (field, value) in self.op.fixed {
            self.put(*field, *value);
        }
        self.absent()?;
        if self.op.form != Form::Nullary {
            self.header()?;
        }
        self.operands()?;
        Ok(self.word)
    }

    /// Stores a value that is known to fit.
    fn put(&mut self, field: Bits, value: u64) {
        let fits = field.set(&mut self.word, value);
        debug_assert!(fits, "{field:?} cannot hold {value:#x}");
    }

    fn missing<T>(&self, what: &'static str) -> Result<T, EncodeError> {
        Err(EncodeError::Missing {
            op: self.inst.op,
            what,
        })
    }

    fn allow(&self, found: bool, allowed: bool, what: &'static str) -> Result<(), EncodeError> {
        if found && !allowed {
            return Err(EncodeError::Unexpected {
                op: self.inst.op,
                what,
            });
        }
        Ok(())
    }

    /// The macro functions of `math` have a condition that no field holds.
    fn implies_condition(&self) -> bool {
        self.op.form == Form::Math && self.inst.op.is_macro()
    }

    /// Refuses what the operation has no place for.
    fn absent(&self) -> Result<(), EncodeError> {
        use Form::*;
        let inst = self.inst;
        let form = self.op.form;
        let opts = &inst.opts;
        let attrs = self.op.attrs;
        let nullary = form == Nullary;
        self.allow(inst.pred.is_some(), attrs.has(Attrs::PRED), "a predicate")?;
        let cond = attrs.has(Attrs::COND) || self.implies_condition();
        self.allow(inst.cond.is_some(), cond, "a conditional modifier")?;
        self.allow(inst.saturate, attrs.has(Attrs::SAT), "saturation")?;
        self.allow(inst.msg.is_some(), form.is_send(), "a message")?;
        let dst = form.is_arithmetic() || form.is_send() || form == Call;
        self.allow(inst.dst.is_some(), dst, "a destination")?;
        self.allow(inst.jip.is_some(), form.is_branch(), "a jump target")?;
        let uip = matches!(form, BranchBoth | BranchBothReg);
        self.allow(inst.uip.is_some(), uip, "an update target")?;
        self.allow(
            opts.acc_wr_en,
            form.is_arithmetic(),
            "accumulator write enable",
        )?;
        let dependencies = !nullary && !form.is_send();
        self.allow(
            opts.no_dd_clr || opts.no_dd_chk,
            dependencies,
            "dependency control",
        )?;
        self.allow(
            opts.switch || opts.atomic || opts.no_preempt,
            !nullary,
            "thread control",
        )?;
        self.allow(opts.no_src_dep_set, form.is_send(), "NoSrcDepSet")?;
        // A `while` has it set whether or not the family has a bit for it.
        let branch = attrs.has(Attrs::BRANCH) || inst.op == Op::While;
        self.allow(opts.branch_ctrl, branch, "branch control")?;
        self.allow(opts.breakpoint, inst.op != Op::Illegal, "a breakpoint")?;
        let align16 = form.is_arithmetic() || form.is_send();
        let align16 = align16 && self.spec.align1.header.align16.exists();
        self.allow(opts.align16, align16, "Align16")?;
        // Since Gen12 scoreboard annotations say it all.
        let xe = self.spec.swsb.is_some();
        self.allow(opts.no_dd_clr || opts.no_dd_chk, !xe, "dependency control")?;
        self.allow(opts.no_src_dep_set, !xe, "NoSrcDepSet")?;
        self.allow(opts.switch, !xe, "Switch")?;
        let annotated = inst.swsb != Default::default();
        let waits = !nullary || inst.op == Op::Nop;
        self.allow(annotated, xe && waits, "scoreboard annotations")?;
        let send = inst.send != Default::default();
        self.allow(send, xe && form.is_send(), "options of Gen12 sends")?;
        if inst.op.is_macro() && self.spec.align16_ternary && !opts.align16 {
            return Err(EncodeError::Mode {
                op: inst.op,
                what: "Align16",
            });
        }
        Ok(())
    }

    fn header(&mut self) -> Result<(), EncodeError> {
        let inst = self.inst;
        let opts = &inst.opts;
        let header = &self.format.header;
        if !inst.exec_size.is_power_of_two() || inst.exec_size > 32 {
            return Err(EncodeError::ExecSize(inst.exec_size));
        }
        self.put(header.exec_size, u64::from(inst.exec_size.trailing_zeros()));
        let unit = self.spec.chan_unit;
        if !inst.chan_off.is_multiple_of(unit) || inst.chan_off >= 32 {
            return Err(EncodeError::ChanOff(inst.chan_off));
        }
        self.put(header.chan_off, u64::from(inst.chan_off / unit));
        self.swsb()?;
        self.function()?;
        self.put(header.no_mask, u64::from(inst.no_mask));
        self.put(header.align16, u64::from(opts.align16));
        self.put(header.no_dd_clr, u64::from(opts.no_dd_clr));
        self.put(header.no_dd_chk, u64::from(opts.no_dd_chk));
        self.put(header.breakpoint, u64::from(opts.breakpoint));
        self.put(header.saturate, u64::from(inst.saturate));
        let codes = &self.spec.thread;
        let thread = match (opts.atomic, opts.switch, opts.no_preempt) {
            (false, false, false) => 0,
            (true, false, false) => codes.atomic,
            (false, true, false) => codes.switch,
            (false, false, true) => match codes.no_preempt {
                Some(code) => code,
                None => return self.unexpected("NoPreempt"),
            },
            _ => return Err(EncodeError::Thread),
        };
        self.put(header.thread, thread);
        if self.op.form.is_arithmetic() {
            if !header
                .acc_wr_en
                .set(&mut self.word, u64::from(opts.acc_wr_en))
            {
                return self.unexpected("accumulator write enable");
            }
        } else if self.op.attrs.has(Attrs::BRANCH) {
            self.put(header.branch, u64::from(opts.branch_ctrl));
        } else if self.op.form.is_send() {
            self.put(header.no_src_dep_set, u64::from(opts.no_src_dep_set));
        }
        self.flags()
    }

    fn swsb(&mut self) -> Result<(), EncodeError> {
        let Some(spec) = self.spec.swsb else {
            return Ok(());
        };
        let code = spec.encode(&self.inst.swsb, self.op.swsb_kind());
        let code = code.ok_or(EncodeError::Swsb(self.inst.swsb))?;
        self.put(self.format.header.swsb, u64::from(code));
        Ok(())
    }

    /// What fields of its own say of the operation.
    fn function(&mut self) -> Result<(), EncodeError> {
        let header = &self.format.header;
        match self.inst.op {
            Op::Bfn(function) => self.put(header.bit_function, u64::from(function)),
            Op::Dpas(shape) | Op::Dpasw(shape) => {
                let Systolic { depth, repeat } = shape;
                if !depth.is_power_of_two() || depth > 8 || !(1..=8).contains(&repeat) {
                    return self.unexpected("a shape other than 1-8 rows 1, 2, 4 or 8 deep");
                }
                let at = &self.format.systolic;
                self.put(at.depth, u64::from(depth.trailing_zeros()));
                self.put(at.repeat, u64::from(repeat - 1));
            }
            Op::Sync(function) => match code_of(self.spec.syncs, function) {
                Some(code) => self.put(header.sync, code),
                None => {
                    let (op, platform) = (self.inst.op, self.platform.name);
                    return Err(EncodeError::Op { op, platform });
                }
            },
            _ => {}
        }
        Ok(())
    }

    /// Predicate, condition and the flag register they share.
    fn flags(&mut self) -> Result<(), EncodeError> {
        let header = &self.format.header;
        let mut flag = None;
        if let Some(pred) = &self.inst.pred {
            let code = code_of(self.format.preds, pred.ctrl).ok_or(EncodeError::Pred(pred.ctrl))?;
            self.put(header.pred, code);
            self.put(header.pred_inverse, u64::from(pred.inverse));
            flag = Some(self.flag(pred.flag)?);
        }
        if let Some(cond) = &self.inst.cond {
            if self.implies_condition() {
                if code_of(self.format.conds, cond.cond).is_some() {
                    return self.unexpected("a condition other than early out");
                }
            } else {
                let code =
                    code_of(self.format.conds, cond.cond).ok_or(EncodeError::Unexpected {
                        op: self.inst.op,
                        what: "the early-out condition",
                    })?;
                if self.has_imm64() {
                    return self.unexpected("a condition beside an immediate of 64 bits");
                }
                self.put(header.cond, code);
            }
            if !cond.flag.is_null() {
                let own = self.flag(cond.flag)?;
                if flag.is_some_and(|flag| flag != own) {
                    return Err(EncodeError::Flags);
                }
                flag = Some(own);
            } else if !writes_no_flag(self.inst.op) {
                return self.missing("flag to write its condition to");
            }
        }
        self.put(header.flag, flag.unwrap_or(0));
        Ok(())
    }

    /// Whether an immediate takes the condition's place.
    fn has_imm64(&self) -> bool {
        let imm = matches!(self.inst.srcs.first(), Some(Src::Imm { ty, .. }) if ty.bytes() == 8);
        imm && self.format.src[0].imm.exists()
    }

    fn unexpected<T>(&self, what: &'static str) -> Result<T, EncodeError> {
        Err(EncodeError::Unexpected {
            op: self.inst.op,
            what,
        })
    }

    fn flag(&self, reg: Reg) -> Result<u64, EncodeError> {
        let operand = Operand::Flag;
        match reg.file {
            RegFile::Virt => {
                return Err(EncodeError::Virtual {
                    operand,
                    num: reg.num,
                });
            }
            RegFile::Flag if reg.num < self.platform.flag_count => {}
            _ => return Err(EncodeError::Register { operand, reg }),
        }
        if !reg.byte.is_multiple_of(2) || reg.byte >= 4 {
            let (byte, unit, limit) = (reg.byte, 2, 4);
            return Err(EncodeError::SubRegister {
                operand,
                byte,
                unit,
                limit,
            });
        }
        Ok(u64::from(reg.num * 2 + u32::from(reg.byte) / 2))
    }

    fn operands(&mut self) -> Result<(), EncodeError> {
        use Form::*;
        match self.op.form {
            Nullary => {
                self.sources(0)?;
                if self.inst.op == Op::Nop {
                    self.swsb()?;
                }
                self.put(
                    self.format.header.breakpoint,
                    u64::from(self.inst.opts.breakpoint),
                );
            }
            Unary | Binary | Math | Ternary | BitFunction | Systolic => self.arithmetic()?,
            Sync if self.inst.srcs.is_empty() => {}
            Sync => {
                self.sources(1)?;
                self.src(0, 0, Attrs::NONE)?;
            }
            BranchBoth => {
                self.sources(0)?;
                self.jip()?;
                self.uip()?;
            }
            BranchOne => {
                self.sources(0)?;
                self.jip()?;
            }
            Jump => self.jump(usize::from(self.spec.jump_src))?,
            Call => {
                self.dst()?;
                self.jump(usize::from(self.spec.jump_src))?;
            }
            BranchOneReg | BranchBothReg => self.jump(0)?,
            Return => {
                if self.inst.jip != Some(Target::Reg) {
                    return self.missing("target register");
                }
                self.target_register(0)?;
            }
            Wait => {
                self.sources(1)?;
                self.src(0, 0, Attrs::NONE)?;
                let from = &self.format.src[0];
                let (num, sub) = (from.num.get(self.word), from.sub.get(self.word));
                self.put(self.format.dst.num, num);
                self.put(self.format.dst.sub, sub);
            }
            Send | Sends => self.send()?,
        }
        Ok(())
    }

    fn arithmetic(&mut self) -> Result<(), EncodeError> {
        let sources = match (self.op.form, self.inst.op) {
            (Form::Unary, _) => 1,
            (Form::Ternary | Form::BitFunction | Form::Systolic, _) => 3,
            (_, Op::Math(function)) => match self.spec.math(function) {
                Some(math) => {
                    self.put(self.format.header.math, u64::from(math.code));
                    usize::from(math.sources)
                }
                None => {
                    let (op, platform) = (self.inst.op, self.platform.name);
                    return Err(EncodeError::Op { op, platform });
                }
            },
            _ => 2,
        };
        self.sources(sources)?;
        self.dst()?;
        for n in 0..sources {
            self.src(n, n, self.op.attrs)?;
        }
        Ok(())
    }

    fn sources(&self, expected: usize) -> Result<(), EncodeError> {
        let found = self.inst.srcs.len();
        if found != expected {
            return Err(EncodeError::Sources {
                op: self.inst.op,
                expected,
                found,
            });
        }
        Ok(())
    }

    /// A branch whose target is an immediate or the register in place `at`.
    fn jump(&mut self, at: usize) -> Result<(), EncodeError> {
        let both = self.op.form == Form::BranchBothReg;
        match self.inst.jip {
            Some(Target::Reg) => {
                if self.inst.uip.is_some() {
                    return self.unexpected("an update target beside a register");
                }
                self.target_register(at)
            }
            _ => {
                self.sources(0)?;
                self.put_file(&self.format.src[at], FILE_IMM);
                self.jip()?;
                if both { self.uip() } else { Ok(()) }
            }
        }
    }

    /// Stores a register file that this source has a code for.
    fn put_file(&mut self, at: &SrcBits, file: u64) {
        if file == FILE_IMM && at.imm.exists() {
            self.put(at.imm, 1);
        } else {
            self.put(at.file, file);
        }
    }

    fn target_register(&mut self, at: usize) -> Result<(), EncodeError> {
        self.sources(1)?;
        if matches!(self.inst.srcs[0], Src::Imm { .. }) {
            return Err(EncodeError::Immediate {
                operand: Operand::Src(0),
            });
        }
        self.src(0, at, Attrs::NONE)
    }

    fn jip(&mut self) -> Result<(), EncodeError> {
        let Some(target) = self.inst.jip else {
            return self.missing("jump target");
        };
        let mut offset = self.offset(target)?;
        if self.op.form == Form::Jump {
            // The only branch that may count from the next instruction.
            let short = 16 - self.inst.size();
            offset -= i64::from(self.spec.jump_base);
            if self.spec.jump_base != 0 {
                offset += i64::from(short);
            }
        }
        self.store_offset(self.format.jip, offset)
    }

    fn uip(&mut self) -> Result<(), EncodeError> {
        let Some(target) = self.inst.uip else {
            return self.missing("update target");
        };
        let offset = self.offset(target)?;
        self.store_offset(self.format.uip, offset)
    }

    fn offset(&self, target: Target) -> Result<i64, EncodeError> {
        match target {
            Target::Offset(offset) => Ok(i64::from(offset)),
            Target::Block(block) => Err(EncodeError::Block(block)),
            Target::Reg => Err(EncodeError::Target(target)),
        }
    }

    fn store_offset(&mut self, field: Bits, offset: i64) -> Result<(), EncodeError> {
        if field.set_signed(&mut self.word, offset) {
            Ok(())
        } else {
            Err(EncodeError::Offset(offset))
        }
    }

    fn ty(&self, table: &[(Type, u8)], ty: Type, operand: Operand) -> Result<u64, EncodeError> {
        code_of(table, ty).ok_or(EncodeError::Type { operand, ty })
    }

    fn dst(&mut self) -> Result<(), EncodeError> {
        let Some(dst) = &self.inst.dst else {
            return self.missing("destination");
        };
        let format = self.format;
        let at = &format.dst;
        let operand = Operand::Dst;
        if at.ty.exists() {
            let ty = self.ty(format.types, dst.ty, operand)?;
            self.put(at.ty, ty);
        } else if dst.ty != self.op.form.implied_type() {
            return Err(EncodeError::Type {
                operand,
                ty: dst.ty,
            });
        }
        match dst.place {
            Place::Direct(reg) => {
                let (file, num) = self.register(reg, operand)?;
                if at.file.exists() {
                    self.put(at.file, file);
                } else if file == FILE_ARF && at.arf.exists() {
                    self.put(at.arf, 1);
                } else if file != FILE_GRF {
                    return Err(EncodeError::Register { operand, reg });
                }
                self.put_number(at.num, num, reg, operand)?;
                if dst.mme.is_some() && at.mme.exists() {
                    self.whole(reg, operand)?;
                } else {
                    self.sub_register(at.sub, at.sub_unit, reg, operand)?;
                }
            }
            Place::Indirect { addr, imm } => {
                if !at.indirect.exists() {
                    return Err(EncodeError::Indirect { operand });
                }
                self.put(at.indirect, 1);
                let own = !at.file.overlaps(at.addr_imm);
                self.put(at.file, if own { FILE_GRF } else { 0 });
                let (num, imm_at, unit) = (at.addr_sub, at.addr_imm, at.addr_imm_unit);
                self.address(addr, imm, num, imm_at, unit, operand)?;
            }
        }
        self.dst_layout(dst, at)
    }

    /// Stride, and channel mask or extended accumulator.
    fn dst_layout(&mut self, dst: &Dst, at: &DstBits) -> Result<(), EncodeError> {
        let operand = Operand::Dst;
        let stride =
            code_of(at.hstrides, dst.hstride).ok_or(EncodeError::DstStride(dst.hstride))?;
        if at.hstride.exists() {
            self.put(at.hstride, stride);
        } else if dst.hstride != 1 {
            return Err(EncodeError::DstStride(dst.hstride));
        }
        let mask = match (dst.mme, self.inst.op.is_macro(), dst.place) {
            (Some(mme), true, _) if mme <= 8 => mme,
            (None, false, Place::Direct(reg))
                if reg.file == RegFile::Mme
                    && at.chan_mask.exists()
                    && mme_of_mask(dst.chan_mask) != reg.num =>
            {
                reg.num as u8
            }
            (None, false, _) => dst.chan_mask,
            _ => {
                return Err(EncodeError::Range {
                    operand,
                    what: "extended accumulator",
                });
            }
        };
        if at.mme.exists() && dst.mme.is_some() {
            self.put(at.mme, u64::from(mask));
        } else if at.chan_mask.exists() {
            if !at.chan_mask.set(&mut self.word, u64::from(mask)) {
                return Err(EncodeError::Range {
                    operand,
                    what: "channel mask",
                });
            }
        } else if mask != 15 {
            return Err(EncodeError::Range {
                operand,
                what: "channel mask outside Align16",
            });
        }
        Ok(())
    }

    /// Stores source `n` of the model in place `at` of the format.
    fn src(&mut self, n: usize, at: usize, attrs: Attrs) -> Result<(), EncodeError> {
        let operand = Operand::Src(n as u8);
        let at = &self.format.src[at];
        match self.inst.srcs[n] {
            Src::Reg(src) => {
                if src.modifier != SrcMod::default() && !attrs.has(Attrs::MODS) {
                    return Err(EncodeError::Modifier { operand });
                }
                self.src_type(n, src.ty, at)?;
                self.src_place(&src, at, operand)?;
                self.put(at.neg, u64::from(src.modifier.neg));
                self.put(at.abs, u64::from(src.modifier.abs));
                self.src_layout(&src, at, operand)
            }
            Src::Imm { ty, bits } => self.immediate(n, ty, bits, at, operand),
        }
    }

    /// In a format where sources share a type field, that of the later ones must agree.
    fn src_type(&mut self, n: usize, ty: Type, at: &SrcBits) -> Result<(), EncodeError> {
        let operand = Operand::Src(n as u8);
        if at.ty.exists() {
            let (whole, size) = match SUB_BYTE.iter().find(|((s, u), _)| *s == ty || *u == ty) {
                Some(((signed, _), code)) if at.sub_byte.exists() => {
                    let whole = if *signed == ty { Type::B } else { Type::Ub };
                    (whole, u64::from(*code))
                }
                _ => (ty, 0),
            };
            let code = self.ty(self.format.types, whole, operand)?;
            self.put_type(at, code, ty, operand)?;
            self.put(at.sub_byte, size);
            return Ok(());
        }
        if self.op.form.is_send() || ty == self.op.form.implied_type() {
            return Ok(());
        }
        let first = self.inst.srcs[0].ty();
        if matches!(first, Type::F | Type::Hf) && matches!(ty, Type::F | Type::Hf) {
            self.put(at.half, u64::from(ty == Type::Hf));
            Ok(())
        } else if first == ty {
            Ok(())
        } else {
            Err(EncodeError::Type { operand, ty })
        }
    }

    /// The kind of all types of a three-source operation is one bit that they share.
    fn put_type(
        &mut self,
        at: &SrcBits,
        code: u64,
        ty: Type,
        operand: Operand,
    ) -> Result<(), EncodeError> {
        let shared = self.format.dst.ty.overlaps(at.ty) && self.inst.dst.is_some();
        let dst = self.format.dst.ty.get(self.word);
        self.put(at.ty, code);
        if shared && self.format.dst.ty.get(self.word) != dst {
            return Err(EncodeError::Type { operand, ty });
        }
        Ok(())
    }

    fn src_place(
        &mut self,
        src: &SrcReg,
        at: &SrcBits,
        operand: Operand,
    ) -> Result<(), EncodeError> {
        match src.place {
            Place::Direct(reg) => {
                let (file, num) = self.register(reg, operand)?;
                if at.file.exists() {
                    self.put(at.file, file);
                } else if file == FILE_ARF && at.arf.exists() {
                    self.put(at.arf, 1);
                } else if file != FILE_GRF {
                    return Err(EncodeError::Register { operand, reg });
                }
                self.put_number(at.num, num, reg, operand)?;
                if src.mme.is_some() && at.mme.exists() {
                    self.whole(reg, operand)
                } else {
                    self.sub_register(at.sub, at.sub_unit, reg, operand)
                }
            }
            Place::Indirect { addr, imm } => {
                if !at.indirect.exists() {
                    return Err(EncodeError::Indirect { operand });
                }
                self.put(at.indirect, 1);
                // Where the offset takes the file's place, the file is implied.
                let own = at.file.exists() && !at.file.overlaps(at.addr_imm);
                self.put(at.file, if own { FILE_GRF } else { 0 });
                self.address(
                    addr,
                    imm,
                    at.addr_sub,
                    at.addr_imm,
                    at.addr_imm_unit,
                    operand,
                )
            }
        }
    }

    /// Region, and swizzle or extended accumulator.
    fn src_layout(
        &mut self,
        src: &SrcReg,
        at: &SrcBits,
        operand: Operand,
    ) -> Result<(), EncodeError> {
        let region = src.region;
        let bad = EncodeError::Region { operand, region };
        if at.vstride.exists() && at.hstride.exists() && !at.width.exists() {
            let region = self.two_strides(region).ok_or(bad.clone())?;
            let vstride = code_of(self.format.vstrides, region.vstride).ok_or(bad.clone())?;
            let hstride = code_of(HSTRIDES, region.hstride).ok_or(bad)?;
            self.put(at.vstride, vstride);
            self.put(at.hstride, hstride);
        } else if at.hstride.exists() && !at.vstride.exists() {
            let stride = linear_stride(region).and_then(|stride| code_of(HSTRIDES, stride));
            self.put(at.hstride, stride.ok_or(bad)?);
        } else if at.vstride.exists() {
            let code = code_of(self.format.vstrides, region.vstride).ok_or(bad.clone())?;
            self.put(at.vstride, code);
            if at.width.exists() {
                let width = code_of(WIDTHS, region.width).ok_or(bad.clone())?;
                let hstride = code_of(HSTRIDES, region.hstride).ok_or(bad)?;
                self.put(at.width, width);
                self.put(at.hstride, hstride);
            } else if (region.width, region.hstride) != (4, 1) {
                return Err(bad);
            }
        } else if at.replicate.exists() {
            let replicate = region == Region::SCALAR;
            let packed = region.hstride == 1 && region.vstride == Some(region.width);
            if !replicate && !packed {
                return Err(bad);
            }
            self.put(at.replicate, u64::from(replicate));
        }
        self.swizzle(src, at, operand)
    }

    /// The same region as one whose width follows from its strides.
    fn two_strides(&self, region: Region) -> Option<Region> {
        let known = |region: &Region| {
            region.width == implied_width(region.vstride, region.hstride)
                && code_of(self.format.vstrides, region.vstride).is_some()
        };
        let linear = || Some(Region::new(linear_stride(region)?, 1, 0));
        Some(region).filter(known).or_else(linear).filter(known)
    }

    /// Refuses a sub-register where only whole registers have a place.
    fn whole(&self, reg: Reg, operand: Operand) -> Result<(), EncodeError> {
        let (byte, unit) = (reg.byte, self.platform.grf_bytes as u16);
        if byte == 0 {
            return Ok(());
        }
        Err(EncodeError::SubRegister {
            operand,
            byte,
            unit,
            limit: unit,
        })
    }

    fn swizzle(&mut self, src: &SrcReg, at: &SrcBits, operand: Operand) -> Result<(), EncodeError> {
        let swizzle = match (src.mme, self.inst.op.is_macro(), src.place) {
            (Some(mme), true, _) if mme <= 8 => mme,
            (None, false, Place::Direct(reg))
                if reg.file == RegFile::Mme
                    && at.swizzle.exists()
                    && u32::from(src.swizzle & 15) != reg.num =>
            {
                reg.num as u8
            }
            (None, false, _) => src.swizzle,
            _ => {
                return Err(EncodeError::Range {
                    operand,
                    what: "extended accumulator",
                });
            }
        };
        if at.mme.exists() && src.mme.is_some() {
            self.put(at.mme, u64::from(swizzle));
        } else if at.swizzle.exists() {
            self.put(at.swizzle, u64::from(swizzle));
        } else if swizzle != SWIZZLE_XYZW {
            return Err(EncodeError::Range {
                operand,
                what: "swizzle outside Align16",
            });
        }
        Ok(())
    }

    fn immediate(
        &mut self,
        n: usize,
        ty: Type,
        bits: u64,
        at: &SrcBits,
        operand: Operand,
    ) -> Result<(), EncodeError> {
        if at.imm16.exists() {
            if ty.bytes() != 2 {
                return Err(EncodeError::Type { operand, ty });
            }
            let code = self.ty(self.format.imm_types, ty, operand)?;
            self.put_file(at, FILE_IMM);
            self.put_type(at, code, ty, operand)?;
            return if at.imm16.set(&mut self.word, bits) {
                Ok(())
            } else {
                Err(EncodeError::ImmediateRange { operand, ty, bits })
            };
        }
        let last = n + 1 == self.inst.srcs.len();
        let wide = ty.bytes() == 8;
        let known = self.op.form.is_arithmetic() || self.op.form == Form::Sync;
        let ternary = self.inst.srcs.len() == 3;
        if !(at.file.exists() || at.imm.exists()) || ternary || !last || (wide && n != 0) || !known
        {
            return Err(EncodeError::Immediate { operand });
        }
        let code = self.ty(self.format.imm_types, ty, operand)?;
        let size = ty.bytes() * 8;
        if size < 64 && bits >> size != 0 {
            return Err(EncodeError::ImmediateRange { operand, ty, bits });
        }
        self.put_file(at, FILE_IMM);
        self.put(at.ty, code);
        match size {
            64 => self.put(self.format.imm64, bits),
            16 => self.put(self.format.imm32, bits << 16 | bits),
            _ => self.put(self.format.imm32, bits),
        }
        Ok(())
    }

    /// Register file code and number.
    fn register(&self, reg: Reg, operand: Operand) -> Result<(u64, u64), EncodeError> {
        let limit = self.platform.grf_bytes as u16;
        if reg.file == RegFile::Virt {
            return Err(EncodeError::Virtual {
                operand,
                num: reg.num,
            });
        }
        if reg.byte >= limit {
            let (byte, unit) = (reg.byte, 1);
            return Err(EncodeError::SubRegister {
                operand,
                byte,
                unit,
                limit,
            });
        }
        if reg.file == RegFile::Grf {
            if reg.num >= self.platform.grf_count {
                return Err(EncodeError::Register { operand, reg });
            }
            return Ok((FILE_GRF, u64::from(reg.num)));
        }
        let arf = self.spec.arf.iter().find(|arf| arf.file == reg.file);
        match arf {
            Some(arf) if reg.num < u32::from(arf.count) => {
                // In Align16 the channel selects name the extended accumulator.
                let selected = reg.file == RegFile::Mme && self.format.dst.chan_mask.exists();
                let low = u32::from(arf.base) + if selected { 0 } else { reg.num };
                Ok((FILE_ARF, u64::from(arf.code) << 4 | u64::from(low)))
            }
            _ => Err(EncodeError::Register { operand, reg }),
        }
    }

    fn put_number(
        &mut self,
        field: Bits,
        num: u64,
        reg: Reg,
        operand: Operand,
    ) -> Result<(), EncodeError> {
        if field.set(&mut self.word, num) {
            Ok(())
        } else {
            Err(EncodeError::Register { operand, reg })
        }
    }

    fn sub_register(
        &mut self,
        field: Bits,
        unit: u16,
        reg: Reg,
        operand: Operand,
    ) -> Result<(), EncodeError> {
        let byte = reg.byte;
        if !byte.is_multiple_of(unit) || !field.set(&mut self.word, u64::from(byte / unit)) {
            let limit = unit << field.width();
            return Err(EncodeError::SubRegister {
                operand,
                byte,
                unit,
                limit,
            });
        }
        Ok(())
    }

    fn address(
        &mut self,
        addr: Reg,
        imm: i16,
        num_at: Bits,
        imm_at: Bits,
        unit: i16,
        operand: Operand,
    ) -> Result<(), EncodeError> {
        if addr.file == RegFile::Virt {
            return Err(EncodeError::Virtual {
                operand,
                num: addr.num,
            });
        }
        let named = addr.file == RegFile::Addr && addr.num == 0 && addr.byte.is_multiple_of(2);
        if !named || !num_at.set(&mut self.word, u64::from(addr.byte / 2)) {
            return Err(EncodeError::AddressRegister { operand, reg: addr });
        }
        if imm % unit != 0 || !imm_at.set_signed(&mut self.word, i64::from(imm / unit)) {
            let half = i32::from(unit) << (imm_at.width() - 1);
            let (min, max) = (-half, half - i32::from(unit));
            return Err(EncodeError::AddressOffset {
                operand,
                imm,
                unit,
                min,
                max,
            });
        }
        Ok(())
    }

    fn send(&mut self) -> Result<(), EncodeError> {
        let Some(message) = self.inst.msg else {
            return self.missing("message");
        };
        let sources = if self.op.form == Form::Sends { 2 } else { 1 };
        self.sources(sources)?;
        self.dst()?;
        for n in 0..sources {
            self.src(n, n, Attrs::NONE)?;
        }
        self.message(&message)
    }

    /// What goes with an extended descriptor in a register.
    fn send_options(&mut self, message: &Message) -> Result<(), EncodeError> {
        let at = &self.format.message;
        let options = self.inst.send;
        let by_register = matches!(message.ex_desc, Desc::Addr { .. });
        let without = by_register && at.ex_bso_less == Some(message.sfid);
        let bso = by_register && at.ex_bso.exists() && !without;
        self.allow(options.ex_bso, bso, "ExBSO")?;
        let length = options.ex_bso || without;
        self.allow(options.src1_len != 0, length, "a length without ExBSO")?;
        self.allow(options.cps, options.ex_bso && at.cps.exists(), "CPS")?;
        let [low, high] = at.ex_offset;
        let mut known = if low.exists() { 0xfff8_f800 } else { 0 };
        if !without {
            known &= !EX_BSO;
        }
        let offset = if by_register {
            options.ex_offset & !known
        } else {
            options.ex_offset
        };
        self.allow(offset != 0, false, "this offset of the extended descriptor")?;
        if by_register {
            self.put(low, u64::from(options.ex_offset >> 11 & 31));
            self.put(high, u64::from(options.ex_offset >> 19));
        }
        if options.ex_bso {
            self.put(at.ex_bso, 1);
            self.put(at.cps, u64::from(options.cps));
        }
        if length && !at.src1_len.set(&mut self.word, u64::from(options.src1_len)) {
            let operand = Operand::Src(1);
            return Err(EncodeError::Range {
                operand,
                what: "length",
            });
        }
        Ok(())
    }

    fn message(&mut self, message: &Message) -> Result<(), EncodeError> {
        let at = &self.format.message;
        if !at.sfid.set(&mut self.word, u64::from(message.sfid)) {
            let operand = Operand::Descriptor;
            return Err(EncodeError::Range {
                operand,
                what: "shared function",
            });
        }
        self.put(at.eot, u64::from(message.eot));
        let options = self.inst.send;
        self.put(at.serialize, u64::from(options.serialize));
        self.send_options(message)?;
        let bad = |what, desc| Err(EncodeError::Descriptor { what, desc });
        match message.desc {
            Desc::Imm(value) => {
                self.put(
                    at.desc_file,
                    if at.desc_file.exists() { FILE_IMM } else { 0 },
                );
                if !at.desc.set(&mut self.word, u64::from(value)) {
                    return bad("descriptor", message.desc);
                }
            }
            Desc::Addr { byte } => {
                let a0 = Reg::new(RegFile::Addr, 0, u16::from(byte));
                if at.desc_select.exists() {
                    self.put(at.desc_select, 1);
                    if byte != 0 {
                        return bad("descriptor", message.desc);
                    }
                } else {
                    let (_, num) = self.register(a0, Operand::Descriptor)?;
                    self.put(at.desc_num, num);
                    if byte % 4 != 0 || !at.desc_sub.set(&mut self.word, u64::from(byte)) {
                        return bad("descriptor", message.desc);
                    }
                }
            }
        }
        match message.ex_desc {
            Desc::Imm(value) => {
                if at.ex_has_function && value & 15 != u32::from(message.sfid) {
                    return Err(EncodeError::Message("the shared function"));
                }
                if at.ex_has_function && (value >> 5 & 1 != 0) != message.eot {
                    return Err(EncodeError::Message("end of thread"));
                }
                let len = value >> 6 & 0x3ff;
                let reserved = value & if at.ex_has_function { 0x10 } else { 0x3f } != 0;
                if reserved || !at.ex_len.set(&mut self.word, u64::from(len)) {
                    return bad("extended descriptor", message.ex_desc);
                }
                self.put(at.ex_func, u64::from(value >> 16));
            }
            Desc::Addr { byte } => {
                let whole = byte % 4 == 0 && at.ex_select.exists();
                if !whole || !at.ex_sub.set(&mut self.word, u64::from(byte / 4)) {
                    return bad("extended descriptor", message.ex_desc);
                }
                self.put(at.ex_select, 1);
            }
        }
        Ok(())
    }
}

/// The stride of a region whose elements are evenly apart.
fn linear_stride(region: Region) -> Option<u8> {
    let Region {
        vstride,
        width,
        hstride,
    } = region;
    match vstride? {
        vstride if width == 1 => Some(vstride),
        vstride if u16::from(vstride) == u16::from(width) * u16::from(hstride) => Some(hstride),
        _ => None,
    }
}

/// Operations whose condition selects a value and leaves the flag register alone.
pub(super) fn writes_no_flag(op: Op) -> bool {
    matches!(op, Op::Sel | Op::Csel)
}

/// The extended accumulator that a destination's channel mask names when it is accessed directly.
pub(super) fn mme_of_mask(mask: u8) -> u32 {
    u32::from(mask & 7)
}
