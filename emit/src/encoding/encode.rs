//! Encoding of an instruction.
//!
//! Walks the family's tables: takes an instruction with physical registers and resolved targets, and either writes
//! every bit of its meaning or returns the part without an encoding.

mod layout;
mod message;
mod operand;

use super::bits::Bits;
use super::spec::{Attrs, FILE_IMM, Form, Format, OpSpec, Spec, SrcBits};
use super::{EncodeError, Encoded, Operand, compact, spec, to_align16};
use crate::inst::{Inst, Op, Reg, RegFile, Src, Systolic, Target};
use crate::platform::Platform;
use layout::{Any, Layout};

/// Encodes one instruction, in its compact form if `opts.compacted` says so.
///
/// A three-source instruction in Align1, on a platform that has them in Align16 only, is encoded as the equivalent
/// Align16 instruction.
///
/// # Errors
/// The part of the instruction without an encoding. A target that is a block has none here.
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

/// An encoded instruction whose branch targets may be open.
pub(crate) enum Open {
    /// Complete, and compact if there is a compact form.
    Done(Encoded),
    /// A long branch without the distances to its blocks.
    Branch(u128, Targets),
}

/// Target blocks of a branch, the fields for their distances, and the origin of those in bytes after the
/// instruction's start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Targets {
    pub jip: Option<u32>,
    pub uip: Option<u32>,
    base: i32,
    fields: [Bits; 2],
}

impl Targets {
    /// Stores the distances, in bytes from the instruction's start.
    pub fn close(
        &self,
        word: &mut u128,
        distance: impl Fn(u32) -> Result<i64, EncodeError>,
    ) -> Result<(), EncodeError> {
        for (field, block) in self.fields.iter().zip([self.jip, self.uip]) {
            let Some(block) = block else { continue };
            let distance = distance(block)?;
            let fits = field.set_signed(word, distance - i64::from(self.base));
            if !fits || i32::try_from(distance).is_err() {
                return Err(EncodeError::Offset(distance));
            }
        }
        Ok(())
    }
}

/// Encodes an instruction in its compact form if there is one, whatever `opts.compacted` says. Targets may be blocks.
/// Branches and relocated immediates stay long.
pub(crate) fn encode_open(
    inst: &Inst,
    spec: &'static Spec,
    platform: &Platform,
) -> Result<Open, EncodeError> {
    if inst.jip.is_none() && inst.uip.is_none() {
        let word = native(inst, spec, platform)?;
        let short = if inst.op.is_branch() || inst.symbol.is_some() || inst.opts.long {
            None
        } else {
            compact::shrink(word, spec)
        };
        return Ok(Open::Done(
            short.map_or(Encoded::long(word), Encoded::short),
        ));
    }
    let op = operation(inst, spec, platform)?;
    let layout = Any::of(inst, op, spec);
    let encoder = Encoder {
        open: true,
        short: false,
        ..Encoder::new(inst, op, layout, platform)
    };
    let block = |target| match target {
        Some(Target::Block(block)) => Some(block),
        _ => None,
    };
    let targets = Targets {
        jip: block(inst.jip),
        uip: block(inst.uip),
        base: encoder.jump_base(),
        fields: [layout.format.jip, layout.format.uip],
    };
    Ok(Open::Branch(encoder.run()?, targets))
}

fn operation(
    inst: &Inst,
    spec: &'static Spec,
    platform: &Platform,
) -> Result<&'static OpSpec, EncodeError> {
    spec.op(inst.op).ok_or(EncodeError::Op {
        op: inst.op,
        platform: platform.name,
    })
}

/// The long form of an instruction, even if it is to be compacted.
pub(super) fn native(
    inst: &Inst,
    spec: &'static Spec,
    platform: &Platform,
) -> Result<u128, EncodeError> {
    let op = operation(inst, spec, platform)?;
    if op.form == Form::Ternary && spec.align16_ternary && !inst.opts.align16 {
        return layout::run(&to_align16(inst)?, op, platform);
    }
    layout::run(inst, op, platform)
}

struct Encoder<'a, L> {
    inst: &'a Inst,
    op: &'static OpSpec,
    platform: &'a Platform,
    layout: L,
    /// True if the instruction takes eight bytes.
    short: bool,
    /// True if targets may be blocks without a place yet; their fields stay 0.
    open: bool,
    word: u128,
}

impl<'a, L: Layout> Encoder<'a, L> {
    fn new(
        inst: &'a Inst,
        op: &'static OpSpec,
        layout: L,
        platform: &'a Platform,
    ) -> Encoder<'a, L> {
        Encoder {
            inst,
            op,
            platform,
            layout,
            short: inst.opts.compacted,
            open: false,
            word: 0,
        }
    }

    #[inline(always)]
    fn spec(&self) -> &'static Spec {
        self.layout.spec()
    }

    #[inline(always)]
    fn format(&self) -> &'static Format {
        self.layout.format()
    }

    fn run(mut self) -> Result<u128, EncodeError> {
        self.put(self.format().header.opcode, u64::from(self.op.code));
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

    /// Stores a value that is known to fit. Inlined, because the field is a constant of the format.
    #[inline(always)]
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

    /// True for the macro functions of `math`, whose condition is in no field.
    fn implies_condition(&self) -> bool {
        self.op.form == Form::Math && self.inst.op.is_macro()
    }

    /// Refuses properties that the operation has no field for.
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
        // A `while` has it set even if the family has no bit for it.
        let branch = attrs.has(Attrs::BRANCH) || inst.op == Op::While;
        self.allow(opts.branch_ctrl, branch, "branch control")?;
        self.allow(opts.breakpoint, inst.op != Op::Illegal, "a breakpoint")?;
        let align16 = form.is_arithmetic() || form.is_send();
        let align16 = align16 && self.spec().align1.header.align16.exists();
        self.allow(opts.align16, align16, "Align16")?;
        // Since Gen12 scoreboard annotations replace dependency control.
        let xe = self.spec().swsb.is_some();
        self.allow(opts.no_dd_clr || opts.no_dd_chk, !xe, "dependency control")?;
        self.allow(opts.no_src_dep_set, !xe, "NoSrcDepSet")?;
        self.allow(opts.switch, !xe, "Switch")?;
        let annotated = inst.swsb != Default::default();
        let waits = !nullary || inst.op == Op::Nop;
        self.allow(annotated, xe && waits, "scoreboard annotations")?;
        let send = inst.send != Default::default();
        self.allow(send, xe && form.is_send(), "options of Gen12 sends")?;
        if inst.op.is_macro() && self.spec().align16_ternary && !opts.align16 {
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
        let header = &self.format().header;
        if !inst.exec_size.is_power_of_two() || inst.exec_size > 32 {
            return Err(EncodeError::ExecSize(inst.exec_size));
        }
        self.put(header.exec_size, u64::from(inst.exec_size.trailing_zeros()));
        let unit = self.spec().chan_unit;
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
        let codes = &self.spec().thread;
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
        let Some(spec) = self.spec().swsb else {
            return Ok(());
        };
        let code = spec.encode(&self.inst.swsb, self.op.swsb_kind());
        let code = code.ok_or(EncodeError::Swsb(self.inst.swsb))?;
        self.put(self.format().header.swsb, u64::from(code));
        Ok(())
    }

    /// Stores the function of an operation in its fields.
    fn function(&mut self) -> Result<(), EncodeError> {
        let header = &self.format().header;
        match self.inst.op {
            Op::Bfn(function) => self.put(header.bit_function, u64::from(function)),
            Op::Dpas(shape) | Op::Dpasw(shape) => {
                let Systolic { depth, repeat } = shape;
                if !depth.is_power_of_two() || depth > 8 || !(1..=8).contains(&repeat) {
                    return self.unexpected("a shape other than 1-8 rows 1, 2, 4 or 8 deep");
                }
                let at = &self.format().systolic;
                self.put(at.depth, u64::from(depth.trailing_zeros()));
                self.put(at.repeat, u64::from(repeat - 1));
            }
            Op::Sync(function) => match self.spec().syncs.code(function) {
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
        let header = &self.format().header;
        let mut flag = None;
        if let Some(pred) = &self.inst.pred {
            let code = self
                .format()
                .preds
                .code(pred.ctrl)
                .ok_or(EncodeError::Pred(pred.ctrl))?;
            self.put(header.pred, code);
            self.put(header.pred_inverse, u64::from(pred.inverse));
            flag = Some(self.flag(pred.flag)?);
        }
        if let Some(cond) = &self.inst.cond {
            if self.implies_condition() {
                if self.format().conds.code(cond.cond).is_some() {
                    return self.unexpected("a condition other than early out");
                }
            } else {
                let code = self
                    .format()
                    .conds
                    .code(cond.cond)
                    .ok_or(EncodeError::Unexpected {
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

    /// True if an immediate occupies the condition's field.
    fn has_imm64(&self) -> bool {
        let imm = matches!(self.inst.srcs.first(), Some(Src::Imm { ty, .. }) if ty.bytes() == 8);
        imm && self.format().src[0].imm.exists()
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
                    self.format().header.breakpoint,
                    u64::from(self.inst.opts.breakpoint),
                );
            }
            Unary | Binary | Math | Ternary | BitFunction | Systolic => self.arithmetic()?,
            Sync if self.inst.srcs.is_empty() => {}
            Sync => {
                self.sources(1)?;
                self.src::<0>(0, Attrs::NONE)?;
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
            Jump => self.jump(usize::from(self.spec().jump_src))?,
            Call => {
                self.dst()?;
                self.jump(usize::from(self.spec().jump_src))?;
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
                self.src::<0>(0, Attrs::NONE)?;
                let from = &self.format().src[0];
                let (num, sub) = (from.num.get(self.word), from.sub.get(self.word));
                self.put(self.format().dst.num, num);
                self.put(self.format().dst.sub, sub);
            }
            Send | Sends => self.send()?,
        }
        Ok(())
    }

    fn arithmetic(&mut self) -> Result<(), EncodeError> {
        let sources = match (self.op.form, self.inst.op) {
            (Form::Unary, _) => 1,
            (Form::Ternary | Form::BitFunction | Form::Systolic, _) => 3,
            (_, Op::Math(function)) => match self.spec().math(function) {
                Some(math) => {
                    self.put(self.format().header.math, u64::from(math.code));
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
        let attrs = self.op.attrs;
        self.src::<0>(0, attrs)?;
        if sources > 1 {
            self.src::<1>(1, attrs)?;
        }
        if sources > 2 {
            self.src::<2>(2, attrs)?;
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

    /// A branch whose target is an immediate, or the register in source field `at`.
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
                self.put_file(&self.format().src[at], FILE_IMM);
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
        match at {
            0 => self.src::<0>(0, Attrs::NONE),
            _ => self.src::<1>(0, Attrs::NONE),
        }
    }

    fn jip(&mut self) -> Result<(), EncodeError> {
        let Some(target) = self.inst.jip else {
            return self.missing("jump target");
        };
        let offset = self.offset(target)? - i64::from(self.jump_base());
        self.store_offset(self.format().jip, target, offset)
    }

    /// Origin of jump targets: only `jmpi` may count from the next instruction.
    fn jump_base(&self) -> i32 {
        let next = self.op.form == Form::Jump && self.spec().jump_base != 0;
        match (next, self.short) {
            (false, _) => 0,
            (true, false) => self.spec().jump_base,
            (true, true) => self.spec().jump_base - 8,
        }
    }

    fn uip(&mut self) -> Result<(), EncodeError> {
        let Some(target) = self.inst.uip else {
            return self.missing("update target");
        };
        let offset = self.offset(target)?;
        self.store_offset(self.format().uip, target, offset)
    }

    fn offset(&self, target: Target) -> Result<i64, EncodeError> {
        match target {
            Target::Offset(offset) => Ok(i64::from(offset)),
            Target::Block(_) if self.open => Ok(0),
            Target::Block(block) => Err(EncodeError::Block(block)),
            Target::Routine(_) | Target::Reg => Err(EncodeError::Target(target)),
        }
    }

    fn store_offset(
        &mut self,
        field: Bits,
        target: Target,
        offset: i64,
    ) -> Result<(), EncodeError> {
        if matches!(target, Target::Block(_)) {
            return Ok(());
        }
        if field.set_signed(&mut self.word, offset) {
            Ok(())
        } else {
            Err(EncodeError::Offset(offset))
        }
    }
}

/// True for operations whose condition selects a value and leaves the flag register unchanged.
pub(crate) fn writes_no_flag(op: Op) -> bool {
    matches!(op, Op::Sel | Op::Csel)
}

/// The extended accumulator named by a destination's channel mask in a direct access.
pub(super) fn mme_of_mask(mask: u8) -> u32 {
    u32::from(mask & 7)
}
