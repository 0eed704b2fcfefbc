//! Decoding of an instruction word.
//!
//! Total over all bytes: a value without meaning in the family is an error with the field and the value. Bits outside
//! the fields of the instruction's format are ignored, as by the reference disassembler.

use super::bits::Bits;
use super::encode::{mme_of_mask, writes_no_flag};
use super::spec::{
    Attrs, FILE_ARF, FILE_GRF, FILE_IMM, Form, Format, HSTRIDES, OpSpec, SUB_BYTE, Spec, WIDTHS,
    implied_width,
};
use super::{DecodeError, Operand, compact, spec};
use crate::inst::{
    Cond, CondMod, Desc, Dst, Inst, Message, Op, Place, Pred, Reg, RegFile, Region, SWIZZLE_XYZW,
    Src, SrcMod, SrcReg, Systolic, Target, Type,
};
use crate::platform::Platform;

/// The offset bit of an extended descriptor that shares its place with `ExBSO`.
pub(super) const EX_BSO: u32 = 1 << 15;

/// Decodes the instruction at the start of `bytes`: eight bytes if its compaction bit is set, else
/// sixteen ([`Inst::size`] says which).
pub fn decode(bytes: &[u8], platform: &Platform) -> Result<Inst, DecodeError> {
    let mut inst = Inst::new(Op::Illegal, 1);
    decode_into(bytes, spec(platform), platform, &mut inst)?;
    Ok(inst)
}

/// Decodes with a known description and into an existing instruction: moving an instruction takes as long as decoding
/// it. After an error the contents of `inst` are unspecified.
pub(crate) fn decode_into(
    bytes: &[u8],
    spec: &'static Spec,
    platform: &Platform,
    inst: &mut Inst,
) -> Result<(), DecodeError> {
    let Some(low) = bytes.first_chunk::<8>() else {
        return Err(DecodeError::Truncated {
            needed: 8,
            found: bytes.len(),
        });
    };
    let short = u64::from_le_bytes(*low);
    if spec.align1.header.compact.flag(u128::from(short)) {
        let word = compact::expand(short, spec)?;
        long(word, spec, platform, inst)?;
        inst.opts.compacted = true;
        if let (Op::Jmpi, Some(Target::Offset(offset))) = (inst.op, &mut inst.jip) {
            *offset = offset.wrapping_sub(8);
        }
        return Ok(());
    }
    let Some(all) = bytes.first_chunk::<16>() else {
        return Err(DecodeError::Truncated {
            needed: 16,
            found: bytes.len(),
        });
    };
    long(u128::from_le_bytes(*all), spec, platform, inst)
}

fn long(
    word: u128,
    spec: &'static Spec,
    platform: &Platform,
    inst: &mut Inst,
) -> Result<(), DecodeError> {
    let code = spec.align1.header.opcode.get(word);
    let op = spec.op_of_code(code).ok_or(DecodeError::Opcode(code))?;
    let align16 = spec.align1.header.align16.flag(word) && op.form != Form::Nullary;
    if align16 && !op.form.is_arithmetic() && !op.form.is_send() {
        return Err(DecodeError::Mode {
            op: op.op,
            what: "Align1",
        });
    }
    let format = spec.format(op.form, align16);
    Decoder {
        word,
        op,
        spec,
        platform,
        format,
        align16,
    }
    .run(inst)
}

struct Decoder<'a> {
    word: u128,
    op: &'static OpSpec,
    spec: &'static Spec,
    platform: &'a Platform,
    format: &'static Format,
    align16: bool,
}

impl Decoder<'_> {
    #[inline]
    fn get(&self, field: &Bits) -> u64 {
        field.get(self.word)
    }

    #[inline]
    fn flag(&self, field: &Bits) -> bool {
        field.flag(self.word)
    }

    fn run(&self, inst: &mut Inst) -> Result<(), DecodeError> {
        let header = &self.format.header;
        let mut op = self.op.op;
        let mut sources = 2;
        if self.op.form == Form::Math {
            let value = self.get(&header.math);
            let math = self.spec.math.of_code(value).ok_or(DecodeError::Reserved {
                what: "math function",
                value,
            })?;
            op = Op::Math(math.function);
            sources = math.sources;
        }
        op = self.function(op)?;
        let align16 = op.is_macro() || self.op.form == Form::Ternary;
        if align16 && self.spec.align16_ternary && !self.align16 {
            return Err(DecodeError::Mode {
                op,
                what: "Align16",
            });
        }
        *inst = Inst::new(op, 1);
        inst.opts.breakpoint = op != Op::Illegal && self.flag(&header.breakpoint);
        if self.op.form == Form::Nullary {
            if op == Op::Nop {
                self.swsb(inst)?;
            }
            return Ok(());
        }
        self.header(inst)?;
        self.operands(inst, sources)
    }

    /// The operation, completed by the fields of its function.
    fn function(&self, op: Op) -> Result<Op, DecodeError> {
        let header = &self.format.header;
        let systolic = || Systolic {
            depth: 1 << self.get(&self.format.systolic.depth),
            repeat: self.get(&self.format.systolic.repeat) as u8 + 1,
        };
        Ok(match op {
            Op::Bfn(_) => Op::Bfn(self.get(&header.bit_function) as u8),
            Op::Dpas(_) => Op::Dpas(systolic()),
            Op::Dpasw(_) => Op::Dpasw(systolic()),
            Op::Sync(_) => {
                let value = self.get(&header.sync);
                let what = "sync function";
                let function = self.spec.syncs.value(value);
                Op::Sync(function.ok_or(DecodeError::Reserved { what, value })?)
            }
            op => op,
        })
    }

    fn swsb(&self, inst: &mut Inst) -> Result<(), DecodeError> {
        let value = self.get(&self.format.header.swsb) as u16;
        if let Some(spec) = self.spec.swsb
            && value != 0
        {
            inst.swsb = spec.decode(value, self.op.swsb_kind())?;
        }
        Ok(())
    }

    fn header(&self, inst: &mut Inst) -> Result<(), DecodeError> {
        let header = &self.format.header;
        let log = self.get(&header.exec_size);
        if log > 5 {
            return Err(DecodeError::Reserved {
                what: "execution size",
                value: log,
            });
        }
        inst.exec_size = 1 << log;
        inst.chan_off = self.get(&header.chan_off) as u8 * self.spec.chan_unit;
        inst.no_mask = self.flag(&header.no_mask);
        inst.saturate = self.op.attrs.has(Attrs::SAT) && self.flag(&header.saturate);
        self.swsb(inst)?;
        let opts = &mut inst.opts;
        opts.align16 = self.align16;
        opts.no_dd_clr = self.flag(&header.no_dd_clr);
        opts.no_dd_chk = self.flag(&header.no_dd_chk);
        let thread = self.get(&header.thread);
        let codes = &self.spec.thread;
        opts.atomic = thread == codes.atomic;
        opts.switch = thread == codes.switch;
        opts.no_preempt = codes.no_preempt == Some(thread);
        if thread != 0 && !opts.atomic && !opts.switch && !opts.no_preempt {
            return Err(DecodeError::Reserved {
                what: "thread control",
                value: thread,
            });
        }
        opts.acc_wr_en = self.op.form.is_arithmetic() && self.flag(&header.acc_wr_en);
        opts.branch_ctrl = self.op.attrs.has(Attrs::BRANCH) && self.flag(&header.branch);
        opts.no_src_dep_set = self.op.form.is_send() && self.flag(&header.no_src_dep_set);
        self.flags(inst)
    }

    fn flags(&self, inst: &mut Inst) -> Result<(), DecodeError> {
        let header = &self.format.header;
        let index = self.get(&header.flag);
        let flag = Reg::new(RegFile::Flag, index as u32 / 2, (index as u16 % 2) * 2);
        let value = self.get(&header.pred);
        if self.op.attrs.has(Attrs::PRED) && value != 0 {
            let ctrl = self
                .format
                .preds
                .value(value)
                .ok_or(DecodeError::Reserved {
                    what: "predicate control",
                    value,
                })?;
            inst.pred = Some(Pred {
                flag,
                inverse: self.flag(&header.pred_inverse),
                ctrl,
            });
        }
        let value = self.get(&header.cond);
        if inst.op.is_macro() && self.op.form == Form::Math {
            inst.cond = Some(CondMod {
                cond: Cond::Eo,
                flag,
            });
        } else if self.op.attrs.has(Attrs::COND) && value != 0 && !self.has_imm64() {
            let cond = self
                .format
                .conds
                .value(value)
                .ok_or(DecodeError::Reserved {
                    what: "conditional modifier",
                    value,
                })?;
            let unused = writes_no_flag(inst.op) && index == 0;
            let flag = if unused { Reg::NULL } else { flag };
            inst.cond = Some(CondMod { cond, flag });
        }
        Ok(())
    }

    /// True if the first source is an immediate that occupies the condition's field.
    fn has_imm64(&self) -> bool {
        let at = &self.format.src[0];
        let is_imm = self.op.form == Form::Unary && at.imm.flag(self.word);
        let ty = self.format.imm_types.value(self.get(&at.ty));
        is_imm && ty.is_some_and(|ty| ty.bytes() == 8)
    }

    fn operands(&self, inst: &mut Inst, math_sources: u8) -> Result<(), DecodeError> {
        use Form::*;
        match self.op.form {
            Nullary => {}
            Unary => self.arithmetic(inst, 1)?,
            Binary => self.arithmetic(inst, 2)?,
            Math => self.arithmetic(inst, math_sources)?,
            Ternary | BitFunction | Systolic => self.arithmetic(inst, 3)?,
            Sync => {
                let imm = self.format.src[0].file_of(self.word) == FILE_IMM;
                if imm || self.get(&self.format.src[0].num) != 0 {
                    self.src(0, 1, inst)?;
                }
            }
            BranchBoth => {
                inst.jip = Some(self.target(self.format.jip, 0)?);
                inst.uip = Some(self.target(self.format.uip, 0)?);
            }
            BranchOne => inst.jip = Some(self.target(self.format.jip, 0)?),
            Jump => self.jump(inst, self.spec.jump_src, self.spec.jump_base)?,
            Call => {
                self.dst(inst)?;
                self.jump(inst, self.spec.jump_src, 0)?;
            }
            BranchOneReg | BranchBothReg => self.jump(inst, 0, 0)?,
            Return => {
                inst.jip = Some(Target::Reg);
                self.register_src(0, inst)?;
            }
            Wait => self.register_src(0, inst)?,
            Send | Sends => self.send(inst)?,
        }
        Ok(())
    }

    fn arithmetic(&self, inst: &mut Inst, sources: u8) -> Result<(), DecodeError> {
        self.dst(inst)?;
        for n in 0..sources {
            self.src(n, sources, inst)?;
        }
        Ok(())
    }

    /// `base` is the origin of the offset, relative to the instruction.
    fn target(&self, field: Bits, base: i32) -> Result<Target, DecodeError> {
        let offset = field.get_signed(self.word) as i32;
        match offset.checked_add(base) {
            Some(offset) => Ok(Target::Offset(offset)),
            None => Err(DecodeError::Reserved {
                what: "the offset of the target",
                value: u64::from(offset as u32),
            }),
        }
    }

    fn jump(&self, inst: &mut Inst, at: u8, base: i32) -> Result<(), DecodeError> {
        if self.format.src[usize::from(at)].file_of(self.word) == FILE_IMM {
            inst.jip = Some(self.target(self.format.jip, base)?);
            if self.op.form == Form::BranchBothReg {
                inst.uip = Some(self.target(self.format.uip, 0)?);
            }
        } else {
            inst.jip = Some(Target::Reg);
            self.register_src(at, inst)?;
        }
        Ok(())
    }

    /// Decodes the destination in place, as [`Decoder::src`] does sources.
    fn dst(&self, inst: &mut Inst) -> Result<(), DecodeError> {
        let op = inst.op;
        let at = &self.format.dst;
        let operand = Operand::Dst;
        let bad = |what, value| DecodeError::Operand {
            operand,
            what,
            value,
        };
        let ty = if at.ty.exists() {
            let code = self.get(&at.ty);
            self.format.types.value(code).ok_or(bad("type", code))?
        } else {
            self.op.form.implied_type()
        };
        let place = if self.flag(&at.indirect) {
            self.address(at.addr_sub, at.addr_imm, at.addr_imm_unit)
        } else {
            let file = if at.arf.flag(self.word) {
                FILE_ARF
            } else if at.file.exists() {
                self.get(&at.file)
            } else {
                FILE_GRF
            };
            let byte = if op.is_macro() && at.mme.exists() {
                0
            } else {
                self.get(&at.sub) as u16 * at.sub_unit
            };
            let selected = at
                .chan_mask
                .exists()
                .then(|| mme_of_mask(self.get(&at.chan_mask) as u8));
            Place::Direct(self.register(file, self.get(&at.num), byte, selected, operand)?)
        };
        let hstride = if at.hstride.exists() {
            let code = self.get(&at.hstride);
            at.hstrides.value(code).ok_or(bad("stride", code))?
        } else {
            1
        };
        let mut chan_mask = if at.chan_mask.exists() {
            self.get(&at.chan_mask) as u8
        } else {
            15
        };
        let mut mme = None;
        if op.is_macro() {
            let number = if at.mme.exists() {
                self.get(&at.mme) as u8
            } else {
                chan_mask
            };
            if number > 8 {
                return Err(bad("extended accumulator", u64::from(number)));
            }
            mme = Some(number);
            chan_mask = 15;
        }
        inst.dst = Some(Dst {
            place,
            hstride,
            ty,
            chan_mask,
            mme,
        });
        Ok(())
    }

    /// Decodes a source that must be a register.
    fn register_src(&self, at: u8, inst: &mut Inst) -> Result<(), DecodeError> {
        let file = self.format.src[usize::from(at)].file_of(self.word);
        if file == FILE_IMM {
            let operand = Operand::Src(at);
            return Err(DecodeError::Operand {
                operand,
                what: "register file",
                value: file,
            });
        }
        self.src(at, at + 1, inst)
    }

    /// Decodes source `n` of `sources` in place: an operand consists of small fields, and moving it as larger words
    /// before all are written stalls the processor.
    fn src(&self, n: u8, sources: u8, inst: &mut Inst) -> Result<(), DecodeError> {
        let op = inst.op;
        let at = &self.format.src[usize::from(n)];
        let operand = Operand::Src(n);
        let bad = |what, value| DecodeError::Operand {
            operand,
            what,
            value,
        };
        let mut file = at.file_of(self.word);
        let code = self.get(&at.ty);
        if at.imm_or_native && file == FILE_IMM && self.format.types.value(code) == Some(Type::Nf) {
            file = FILE_ARF;
        }
        if file == FILE_IMM {
            let ty = self.format.imm_types.value(code).ok_or(bad("type", code))?;
            if at.imm16.exists() {
                if ty.bytes() != 2 {
                    return Err(bad("type", code));
                }
                let bits = self.get(&at.imm16);
                inst.srcs.push(Src::Imm { ty, bits });
                return Ok(());
            }
            let wide = ty.bytes() == 8;
            if n + 1 != sources || (wide && n != 0) {
                return Err(bad("register file", file));
            }
            let bits = match ty.bytes() {
                8 => self.get(&self.format.imm64),
                2 => self.get(&self.format.imm32) & 0xffff,
                _ => self.get(&self.format.imm32),
            };
            inst.srcs.push(Src::Imm { ty, bits });
            return Ok(());
        }
        let ty = self.src_type(n)?;
        let place = if self.flag(&at.indirect) {
            // If the offset occupies the file's field, the file is implied.
            if file != FILE_GRF && !at.file.overlaps(at.addr_imm) {
                return Err(bad("register file", file));
            }
            self.address(at.addr_sub, at.addr_imm, at.addr_imm_unit)
        } else {
            let byte = if op.is_macro() && at.mme.exists() {
                0
            } else {
                self.get(&at.sub) as u16 * at.sub_unit
            };
            let selected = at
                .swizzle
                .exists()
                .then(|| self.get(&at.swizzle) as u32 & 15);
            Place::Direct(self.register(file, self.get(&at.num), byte, selected, operand)?)
        };
        let region = self.region(n)?;
        let modifier = if self.op.attrs.has(Attrs::MODS) {
            SrcMod {
                neg: self.flag(&at.neg),
                abs: self.flag(&at.abs),
            }
        } else {
            SrcMod::default()
        };
        let mut swizzle = if at.swizzle.exists() {
            self.get(&at.swizzle) as u8
        } else {
            SWIZZLE_XYZW
        };
        let mut mme = None;
        if op.is_macro() {
            let number = if at.mme.exists() {
                self.get(&at.mme) as u8
            } else {
                swizzle & 15
            };
            if number > 8 {
                return Err(bad("extended accumulator", u64::from(number)));
            }
            mme = Some(number);
            swizzle = SWIZZLE_XYZW;
        }
        inst.srcs.push(Src::Reg(SrcReg {
            place,
            region,
            ty,
            modifier,
            swizzle,
            mme,
        }));
        Ok(())
    }

    fn src_type(&self, n: u8) -> Result<Type, DecodeError> {
        let at = &self.format.src[usize::from(n)];
        let own = if at.ty.exists() {
            at.ty
        } else {
            self.format.src[0].ty
        };
        if !own.exists() {
            return Ok(self.op.form.implied_type());
        }
        let value = self.get(&own);
        let ty = self.format.types.value(value).ok_or(DecodeError::Operand {
            operand: Operand::Src(n),
            what: "type",
            value,
        })?;
        if at.sub_byte.exists() && self.get(&at.sub_byte) != 0 {
            let value = self.get(&at.sub_byte);
            let bytes = matches!(ty, Type::B | Type::Ub);
            let known = SUB_BYTE.iter().find(|(_, code)| u64::from(*code) == value);
            let (operand, what) = (Operand::Src(n), "element size");
            let known = known.filter(|_| bytes).ok_or(DecodeError::Operand {
                operand,
                what,
                value,
            })?;
            let (signed, unsigned) = known.0;
            return Ok(if ty == Type::B { signed } else { unsigned });
        }
        Ok(match ty {
            Type::F | Type::Hf if at.half.exists() => {
                if self.flag(&at.half) {
                    Type::Hf
                } else {
                    Type::F
                }
            }
            ty => ty,
        })
    }

    fn region(&self, n: u8) -> Result<Region, DecodeError> {
        let at = &self.format.src[usize::from(n)];
        let bad = |what, value| DecodeError::Operand {
            operand: Operand::Src(n),
            what,
            value,
        };
        if at.replicate.exists() {
            let replicate = self.flag(&at.replicate);
            return Ok(if replicate {
                Region::SCALAR
            } else {
                Region::new(4, 4, 1)
            });
        }
        if !at.vstride.exists() && !at.hstride.exists() {
            return Ok(Region::SCALAR);
        }
        if !at.vstride.exists() {
            let value = self.get(&at.hstride);
            let stride = HSTRIDES
                .value(value)
                .ok_or(bad("horizontal stride", value))?;
            return Ok(Region::new(stride, 1, 0));
        }
        let value = self.get(&at.vstride);
        let vstride = self
            .format
            .vstrides
            .value(value)
            .ok_or(bad("vertical stride", value))?;
        if !at.width.exists() && at.hstride.exists() {
            let value = self.get(&at.hstride);
            let hstride = HSTRIDES
                .value(value)
                .ok_or(bad("horizontal stride", value))?;
            let width = implied_width(vstride, hstride);
            return Ok(Region {
                vstride,
                width,
                hstride,
            });
        }
        if !at.width.exists() {
            return Ok(Region {
                vstride,
                width: 4,
                hstride: 1,
            });
        }
        let value = self.get(&at.width);
        let width = WIDTHS.value(value).ok_or(bad("width", value))?;
        let value = self.get(&at.hstride);
        let hstride = HSTRIDES
            .value(value)
            .ok_or(bad("horizontal stride", value))?;
        Ok(Region {
            vstride,
            width,
            hstride,
        })
    }

    fn address(&self, num: Bits, imm: Bits, unit: i16) -> Place {
        Place::Indirect {
            addr: Reg::new(RegFile::Addr, 0, self.get(&num) as u16 * 2),
            imm: imm.get_signed(self.word) as i16 * unit,
        }
    }

    /// `selected` is the value of the operand's channel selects, if it has them: they name the extended accumulator.
    fn register(
        &self,
        file: u64,
        num: u64,
        byte: u16,
        selected: Option<u32>,
        operand: Operand,
    ) -> Result<Reg, DecodeError> {
        match file {
            FILE_GRF if num < u64::from(self.platform.grf_count) => {
                Ok(Reg::new(RegFile::Grf, num as u32, byte))
            }
            FILE_GRF => Err(DecodeError::Register {
                operand,
                file: "general",
                num,
            }),
            FILE_ARF => {
                let (code, low) = (num >> 4, (num & 15) as u8);
                let arf = self.spec.arf.iter().find(|arf| {
                    u64::from(arf.code) == code && (arf.base..arf.base + arf.count).contains(&low)
                });
                let missing = || DecodeError::Register {
                    operand,
                    file: "architecture",
                    num,
                };
                let arf = arf.ok_or_else(missing)?;
                let num = match selected {
                    Some(selected) if arf.file == RegFile::Mme => {
                        if low != arf.base || selected >= u32::from(arf.count) {
                            return Err(missing());
                        }
                        selected
                    }
                    _ => u32::from(low - arf.base),
                };
                Ok(Reg::new(arf.file, num, byte))
            }
            value => Err(DecodeError::Operand {
                operand,
                what: "register file",
                value,
            }),
        }
    }

    fn send(&self, inst: &mut Inst) -> Result<(), DecodeError> {
        self.dst(inst)?;
        let sources = if self.op.form == Form::Sends { 2 } else { 1 };
        for n in 0..sources {
            // A payload is never an immediate; `sources + 1` makes one an error.
            self.src(n, sources + 1, inst)?;
        }
        let at = &self.format.message;
        let sfid = self.get(&at.sfid) as u8;
        let eot = self.flag(&at.eot);
        inst.send.serialize = self.flag(&at.serialize);
        let by_register = if at.desc_file.exists() {
            match self.get(&at.desc_file) {
                FILE_IMM => false,
                FILE_ARF => true,
                value => {
                    let operand = Operand::Descriptor;
                    return Err(DecodeError::Operand {
                        operand,
                        what: "register file",
                        value,
                    });
                }
            }
        } else {
            self.flag(&at.desc_select)
        };
        let desc = if by_register {
            Desc::Addr {
                byte: self.address_dword()?,
            }
        } else {
            Desc::Imm(self.get(&at.desc) as u32)
        };
        let ex_desc = if self.flag(&at.ex_select) {
            self.send_options(inst, sfid);
            Desc::Addr {
                byte: self.get(&at.ex_sub) as u8 * 4,
            }
        } else {
            let func = self.get(&at.ex_func) as u32;
            let len = self.get(&at.ex_len) as u32;
            let function = u32::from(sfid) | u32::from(eot) << 5;
            let function = if self.spec.messages.function_in_descriptor {
                function
            } else {
                0
            };
            Desc::Imm(function | len << 6 | func << 16)
        };
        inst.msg = Some(Message {
            sfid,
            eot,
            desc,
            ex_desc,
        });
        Ok(())
    }

    /// Options of an extended descriptor in a register.
    fn send_options(&self, inst: &mut Inst, sfid: u8) {
        let at = &self.format.message;
        let options = &mut inst.send;
        let without = self.spec.messages.always_has_length == Some(sfid);
        options.ex_bso = self.flag(&at.ex_bso) && !without;
        if options.ex_bso || without {
            options.src1_len = self.get(&at.src1_len) as u8;
        }
        options.cps = options.ex_bso && self.flag(&at.cps);
        let [low, high] = at.ex_offset;
        options.ex_offset = (self.get(&low) << 11 | self.get(&high) << 19) as u32;
        if !without {
            options.ex_offset &= !EX_BSO;
        }
    }

    /// The descriptor's address register, where it is written as an operand.
    fn address_dword(&self) -> Result<u8, DecodeError> {
        let at = &self.format.message;
        if !at.desc_num.exists() {
            return Ok(0);
        }
        let operand = Operand::Descriptor;
        let num = self.get(&at.desc_num);
        let reg = self.register(FILE_ARF, num, 0, None, operand)?;
        if reg.file != RegFile::Addr {
            return Err(DecodeError::Register {
                operand,
                file: "address",
                num,
            });
        }
        let byte = self.get(&at.desc_sub);
        if !byte.is_multiple_of(4) {
            let what = "sub-register";
            return Err(DecodeError::Operand {
                operand,
                what,
                value: byte,
            });
        }
        Ok(byte as u8)
    }
}
