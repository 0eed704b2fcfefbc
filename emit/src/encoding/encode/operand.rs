//! Operands: types, registers, regions and immediates.
//!
//! Stores a destination or a source in the fields of the format, or returns the value without a code.

use super::{Encoder, Layout, mme_of_mask};
use crate::encoding::bits::Bits;
use crate::encoding::spec::{
    Attrs, Codes, DstBits, FILE_ARF, FILE_GRF, FILE_IMM, Form, HSTRIDES, SUB_BYTE, SrcBits, WIDTHS,
    implied_width,
};
use crate::encoding::{EncodeError, Operand};
use crate::inst::{Dst, Place, Reg, RegFile, Region, SWIZZLE_XYZW, Src, SrcMod, SrcReg, Type};

impl<L: Layout> Encoder<'_, L> {
    #[inline(always)]
    fn ty(&self, table: &Codes<Type>, ty: Type, operand: Operand) -> Result<u64, EncodeError> {
        table.code(ty).ok_or(EncodeError::Type { operand, ty })
    }

    pub(super) fn dst(&mut self) -> Result<(), EncodeError> {
        let Some(dst) = &self.inst.dst else {
            return self.missing("destination");
        };
        let format = self.format();
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

    /// Stores stride, and channel mask or extended accumulator.
    #[inline(always)]
    fn dst_layout(&mut self, dst: &Dst, at: &DstBits) -> Result<(), EncodeError> {
        let operand = Operand::Dst;
        let stride = at
            .hstrides
            .code(dst.hstride)
            .ok_or(EncodeError::DstStride(dst.hstride))?;
        if at.hstride.exists() {
            self.put(at.hstride, stride);
        } else if dst.hstride != 1 {
            return Err(EncodeError::DstStride(dst.hstride));
        }
        let selects = |num| !at.chan_mask.exists() || mme_of_mask(dst.chan_mask) == num;
        let mask = self.extended(dst.mme, dst.place, dst.chan_mask, selects, operand)?;
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

    /// Stores source `n` of the model in source fields `AT` of the format.
    pub(super) fn src<const AT: usize>(
        &mut self,
        n: usize,
        attrs: Attrs,
    ) -> Result<(), EncodeError> {
        let operand = Operand::Src(n as u8);
        let at = &self.format().src[AT];
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

    /// Stores a source's type. If sources share a type field, later ones must agree.
    #[inline(always)]
    fn src_type(&mut self, n: usize, ty: Type, at: &SrcBits) -> Result<(), EncodeError> {
        let operand = Operand::Src(n as u8);
        if at.ty.exists() {
            let small =
                |((signed, unsigned), _): &&((Type, Type), u8)| *signed == ty || *unsigned == ty;
            let known = at.sub_byte.exists().then(|| SUB_BYTE.iter().find(small));
            let (whole, size) = match known.flatten() {
                Some(((signed, _), code)) => {
                    let whole = if *signed == ty { Type::B } else { Type::Ub };
                    (whole, u64::from(*code))
                }
                _ => (ty, 0),
            };
            let code = self.ty(self.format().types, whole, operand)?;
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

    /// Stores a type code. The types of a three-source operation share a bit for their kind.
    #[inline(always)]
    fn put_type(
        &mut self,
        at: &SrcBits,
        code: u64,
        ty: Type,
        operand: Operand,
    ) -> Result<(), EncodeError> {
        let shared = self.format().dst.ty.overlaps(at.ty) && self.inst.dst.is_some();
        let dst = self.format().dst.ty.get(self.word);
        self.put(at.ty, code);
        if shared && self.format().dst.ty.get(self.word) != dst {
            return Err(EncodeError::Type { operand, ty });
        }
        Ok(())
    }

    #[inline(always)]
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
                } else if file == FILE_ARF && at.imm_or_native && src.ty == Type::Nf {
                    self.put(at.imm, 1);
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
                // If the offset occupies the file's field, the file is implied.
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

    /// Stores region, and swizzle or extended accumulator.
    #[inline(always)]
    fn src_layout(
        &mut self,
        src: &SrcReg,
        at: &SrcBits,
        operand: Operand,
    ) -> Result<(), EncodeError> {
        let region = src.region;
        let bad = || EncodeError::Region { operand, region };
        if at.vstride.exists() && at.hstride.exists() && !at.width.exists() {
            let region = self.two_strides(region).ok_or_else(bad)?;
            let vstride = self
                .format()
                .vstrides
                .code(region.vstride)
                .ok_or_else(bad)?;
            let hstride = HSTRIDES.code(region.hstride).ok_or_else(bad)?;
            self.put(at.vstride, vstride);
            self.put(at.hstride, hstride);
        } else if at.hstride.exists() && !at.vstride.exists() {
            let stride = linear_stride(region).and_then(|stride| HSTRIDES.code(stride));
            self.put(at.hstride, stride.ok_or_else(bad)?);
        } else if at.vstride.exists() {
            let code = self
                .format()
                .vstrides
                .code(region.vstride)
                .ok_or_else(bad)?;
            self.put(at.vstride, code);
            if at.width.exists() {
                let width = WIDTHS.code(region.width).ok_or_else(bad)?;
                let hstride = HSTRIDES.code(region.hstride).ok_or_else(bad)?;
                self.put(at.width, width);
                self.put(at.hstride, hstride);
            } else if (region.width, region.hstride) != (4, 1) {
                return Err(bad());
            }
        } else if at.replicate.exists() {
            let replicate = region == Region::SCALAR;
            let packed = region.hstride == 1 && region.vstride == Some(region.width);
            if !replicate && !packed {
                return Err(bad());
            }
            self.put(at.replicate, u64::from(replicate));
        }
        self.swizzle(src, at, operand)
    }

    /// The equivalent region whose width follows from its strides.
    fn two_strides(&self, region: Region) -> Option<Region> {
        let known = |region: &Region| {
            region.width == implied_width(region.vstride, region.hstride)
                && self.format().vstrides.code(region.vstride).is_some()
        };
        let linear = || Some(Region::new(linear_stride(region)?, 1, 0));
        Some(region).filter(known).or_else(linear).filter(known)
    }

    /// Refuses a sub-register where only whole registers have a code.
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

    /// The contents of a channel mask or swizzle field, which may have the number of an extended accumulator instead
    /// of `value`. `selects` tells if `value` already means that accumulator.
    fn extended(
        &self,
        mme: Option<u8>,
        place: Place,
        value: u8,
        selects: impl Fn(u32) -> bool,
        operand: Operand,
    ) -> Result<u8, EncodeError> {
        match (mme, self.inst.op.is_macro(), place) {
            (Some(mme), true, _) if mme <= 8 => Ok(mme),
            (None, false, Place::Direct(reg)) if reg.file == RegFile::Mme && !selects(reg.num) => {
                Ok(reg.num as u8)
            }
            (None, false, _) => Ok(value),
            _ => Err(EncodeError::Range {
                operand,
                what: "extended accumulator",
            }),
        }
    }

    #[inline(always)]
    fn swizzle(&mut self, src: &SrcReg, at: &SrcBits, operand: Operand) -> Result<(), EncodeError> {
        let selects = |num| !at.swizzle.exists() || u32::from(src.swizzle & 15) == num;
        let swizzle = self.extended(src.mme, src.place, src.swizzle, selects, operand)?;
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

    #[inline(always)]
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
            let code = self.ty(self.format().imm_types, ty, operand)?;
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
        let code = self.ty(self.format().imm_types, ty, operand)?;
        let size = ty.bytes() * 8;
        if size < 64 && bits >> size != 0 {
            return Err(EncodeError::ImmediateRange { operand, ty, bits });
        }
        self.put_file(at, FILE_IMM);
        self.put(at.ty, code);
        match size {
            64 => self.put(self.format().imm64, bits),
            // Compilers store a barrier's number once, whatever its type.
            16 if self.op.form != Form::Sync => self.put(self.format().imm32, bits << 16 | bits),
            _ => self.put(self.format().imm32, bits),
        }
        Ok(())
    }

    /// Code of the register file, and number.
    #[inline(always)]
    pub(super) fn register(&self, reg: Reg, operand: Operand) -> Result<(u64, u64), EncodeError> {
        let limit = self.platform.grf_bytes as u16;
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
        let arf = self.spec().arf.of_file(reg.file);
        match arf {
            Some(arf) if reg.num < u32::from(arf.count) => {
                // In Align16 the channel selects name the extended accumulator.
                let selected = reg.file == RegFile::Mme && self.format().dst.chan_mask.exists();
                let low = u32::from(arf.base) + if selected { 0 } else { reg.num };
                Ok((FILE_ARF, u64::from(arf.code) << 4 | u64::from(low)))
            }
            _ => Err(EncodeError::Register { operand, reg }),
        }
    }

    #[inline(always)]
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

    #[inline(always)]
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
}

/// The stride of a region with uniform distances.
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
