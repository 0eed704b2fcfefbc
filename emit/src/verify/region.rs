//! Rules about the placement of an operand's elements.

use super::{Checker, Violation};
use crate::encoding::Operand;
use crate::encoding::spec::Attrs;
use crate::inst::{Dst, Op, Place, Reg, RegFile, Region, Src, SrcReg, Type};
use kiln_platform::rules::{converts_halves, keeps_places, packs_floats};

impl Checker<'_> {
    pub(super) fn source(&self, src: &SrcReg, operand: Operand) -> Result<(), Violation> {
        let fail = |what| Err(Violation::Operand { operand, what });
        let modifier = src.modifier;
        if (modifier.neg || modifier.abs) && !self.op.attrs.has(Attrs::MODS) {
            return fail("the operation takes no source modifier");
        }
        if modifier.abs && self.inst.op.is_bitwise() {
            return fail("bits have no absolute value");
        }
        if self.inst.opts.align16 {
            return self.align16(src.place, src.ty, operand);
        }
        if matches!(src.place, Place::Direct(reg) if reg.is_null()) {
            return Ok(());
        }
        let by_row = src.region.vstride.is_none();
        if by_row && matches!(src.place, Place::Direct(_)) {
            return fail("has one address a row, but none in the address register");
        }
        if by_row && operand != Operand::Src(0) {
            return fail("only the first source may have one address a row");
        }
        self.addressed(src, operand)?;
        self.region(src.region, src.ty, operand)?;
        self.element(src.place, src.ty, operand)?;
        self.span(src.place, src.ty, src.region, operand)
    }

    /// On some families no address names floats or values of 64 bits, scalars excepted.
    fn addressed(&self, src: &SrcReg, operand: Operand) -> Result<(), Violation> {
        let fixed = src.ty.is_float() || src.ty.bytes() == 8;
        let refused = fixed && src.region != Region::SCALAR;
        let indirect = matches!(src.place, Place::Indirect { .. });
        if self.rules.float_addresses || !indirect || !refused || self.inst.exec_size == 1 {
            return Ok(());
        }
        Err(Violation::Operand {
            operand,
            what: "is of a type that no address may name here",
        })
    }

    /// Rules of a region that do not depend on its register.
    fn region(&self, region: Region, ty: Type, operand: Operand) -> Result<(), Violation> {
        let exec_size = self.inst.exec_size;
        let Region {
            vstride,
            width,
            hstride,
        } = region;
        let fail = |what| {
            Err(Violation::Region {
                operand,
                region,
                exec_size,
                what,
            })
        };
        if !width.is_power_of_two() || width > 16 || !matches!(hstride, 0 | 1 | 2 | 4) {
            return fail("has no such width or horizontal stride");
        }
        if width > exec_size {
            return fail("is wider than the instruction");
        }
        let even_row = self.platform.even_rows && ty.bytes() == 8 && vstride == Some(hstride);
        if width == 1 && hstride != 0 && vstride.is_some() && !even_row {
            return fail("has a horizontal stride along rows of one");
        }
        let Some(vstride) = vstride else {
            return Ok(());
        };
        if !matches!(vstride, 0 | 1 | 2 | 4 | 8 | 16 | 32) {
            return fail("has no such vertical stride");
        }
        if width == exec_size && hstride != 0 && u32::from(vstride) != step(width, hstride) {
            return fail("has one row, and a vertical stride that is not its length");
        }
        if vstride == 0 && hstride == 0 && width != 1 {
            return fail("is scalar but not one wide");
        }
        Ok(())
    }

    /// The first element starts at a multiple of its size.
    pub(super) fn element(
        &self,
        place: Place,
        ty: Type,
        operand: Operand,
    ) -> Result<(), Violation> {
        match place {
            Place::Direct(reg) if u32::from(reg.byte) % ty.bytes() != 0 => {
                Err(Violation::Alignment { operand, reg, ty })
            }
            Place::Indirect { addr, .. } => {
                let named = addr.file == RegFile::Addr && addr.num == 0;
                let inside = u32::from(addr.byte) < self.platform.addr_bytes;
                if named && inside && addr.byte % 2 == 0 {
                    return Ok(());
                }
                Err(Violation::Operand {
                    operand,
                    what: "is not addressed by a word of a0",
                })
            }
            _ => Ok(()),
        }
    }

    /// An operand's elements are in two adjacent registers, those of a row in one.
    pub(super) fn span(
        &self,
        place: Place,
        ty: Type,
        region: Region,
        operand: Operand,
    ) -> Result<(), Violation> {
        let Place::Direct(reg) = place else {
            return Ok(());
        };
        if reg.file != RegFile::Grf {
            return Ok(());
        }
        let Some(vstride) = region.vstride else {
            return Ok(());
        };
        let size = ty.bytes();
        let width = u32::from(region.width.max(1));
        let rows = u32::from(self.inst.exec_size).div_ceil(width);
        let row = (width - 1) * u32::from(region.hstride) * size + size;
        let first = reg.num * self.platform.grf_bytes + u32::from(reg.byte);
        let last = first + (rows - 1) * u32::from(vstride) * size + row - 1;
        self.two_registers(first, last, operand)?;
        let grf = self.platform.grf_bytes;
        for n in 0..rows {
            let start = first + n * u32::from(vstride) * size;
            if start / grf != (start + row - 1) / grf {
                let (exec_size, what) = (self.inst.exec_size, "has a row across two registers");
                return Err(Violation::Region {
                    operand,
                    region,
                    exec_size,
                    what,
                });
            }
        }
        Ok(())
    }

    pub(super) fn two_registers(
        &self,
        first: u32,
        last: u32,
        operand: Operand,
    ) -> Result<(), Violation> {
        let grf = self.platform.grf_bytes;
        if last / grf > first / grf + 1 {
            return Err(Violation::Span {
                operand,
                first,
                last,
            });
        }
        self.in_file(last / grf + 1, operand)
    }

    /// Checks that an operand, whose last register is the one before `end`, is within the register file.
    pub(super) fn in_file(&self, end: u32, operand: Operand) -> Result<(), Violation> {
        let count = self.platform.grf_count;
        if end > count {
            return Err(Violation::File {
                operand,
                end,
                count,
            });
        }
        Ok(())
    }

    pub(super) fn destination(&self, dst: &Dst) -> Result<(), Violation> {
        let operand = Operand::Dst;
        if self.inst.opts.align16 {
            return self.align16(dst.place, dst.ty, operand);
        }
        if !matches!(dst.hstride, 1 | 2 | 4) {
            let what = "has no stride of 1, 2 or 4";
            return Err(Violation::Operand { operand, what });
        }
        let null = matches!(dst.place, Place::Direct(reg) if reg.is_null());
        if null {
            return Ok(());
        }
        self.element(dst.place, dst.ty, operand)?;
        self.stride(dst)?;
        self.halves(dst)?;
        let Place::Direct(reg) = dst.place else {
            return Ok(());
        };
        if reg.file != RegFile::Grf {
            return Ok(());
        }
        let size = dst.ty.bytes();
        let first = reg.num * self.platform.grf_bytes + u32::from(reg.byte);
        let steps = (u32::from(self.inst.exec_size) - 1) * u32::from(dst.hstride);
        self.two_registers(first, first + steps * size + size - 1, operand)
    }

    /// A destination narrower than the execution type has the stride of the wider type.
    fn stride(&self, dst: &Dst) -> Result<(), Violation> {
        let Some(expected) = self.exec_bytes(dst) else {
            return Ok(());
        };
        let found = u32::from(dst.hstride) * dst.ty.bytes();
        // Floats rounded to these types may be packed.
        let packed = matches!(dst.ty, Type::Hf | Type::Bf | Type::Bf8);
        if self.inst.exec_size > 1 && !packed && found < expected {
            return Err(Violation::DstStride { expected, found });
        }
        Ok(())
    }

    /// Half floats that become integers, and integers that become half floats, are a dword apart.
    fn halves(&self, dst: &Dst) -> Result<(), Violation> {
        let found = u32::from(dst.hstride) * dst.ty.bytes();
        let converts = converts_halves(dst.ty, self.inst.srcs.iter().map(Src::ty));
        if !converts || self.inst.exec_size == 1 {
            return Ok(());
        }
        match dst.place {
            _ if found != 4 => Err(Violation::DstStride { expected: 4, found }),
            Place::Direct(reg) if reg.file == RegFile::Grf && reg.byte % 4 != 0 => {
                let (operand, ty) = (Operand::Dst, dst.ty);
                Err(Violation::Alignment { operand, reg, ty })
            }
            _ => Ok(()),
        }
    }

    /// Size of the execution type; `None` for a move without conversion.
    fn exec_bytes(&self, dst: &Dst) -> Option<u32> {
        let moves = matches!(self.inst.op, Op::Mov | Op::Movi);
        let plain = self.inst.srcs.iter().all(|src| match src {
            Src::Reg(src) => src.ty == dst.ty && src.modifier == Default::default(),
            Src::Imm { .. } => false,
        });
        if moves && plain && !self.inst.saturate {
            return None;
        }
        let sizes = self.inst.srcs.iter().map(|src| match src.ty() {
            Type::V | Type::Uv => 2,
            ty => ty.bytes().max(2),
        });
        sizes.max()
    }

    /// Align16 regions are in whole groups of 16 bytes.
    fn align16(&self, place: Place, ty: Type, operand: Operand) -> Result<(), Violation> {
        match place {
            Place::Direct(reg) if reg.byte % 16 != 0 => {
                Err(Violation::Alignment { operand, reg, ty })
            }
            _ => Ok(()),
        }
    }

    /// On families whose channels keep their place, each source of an operation on floats or 64-bit values that is no
    /// scalar has the destination's steps and its offset in a register, even if the destination is null. Small floats
    /// beside wider ones may be packed instead. Math does so on families before them, too.
    pub(super) fn in_place(&self, dst: &Dst) -> Result<(), Violation> {
        let Place::Direct(to) = dst.place else {
            return Ok(());
        };
        let math = self.rules.math_in_place && matches!(self.inst.op, Op::Math(_));
        let sources = self.inst.srcs.iter().map(Src::ty);
        let applies = math || self.rules.in_place && keeps_places(dst.ty, sources);
        if !applies || self.inst.exec_size == 1 {
            return Ok(());
        }
        for (n, src) in self.inst.srcs.iter().enumerate() {
            let Src::Reg(src) = src else { continue };
            let Place::Direct(from) = src.place else {
                continue;
            };
            if src.region == Region::SCALAR {
                continue;
            }
            let in_file = |reg: Reg| reg.file == RegFile::Grf || reg.is_null();
            let same_place = !in_file(from) || !in_file(to) || from.byte == to.byte;
            let step = |size: u32, stride: u8| size * u32::from(stride);
            let stride = linear_stride(src.region, self.inst.exec_size);
            let found = stride.map(|stride| step(src.ty.bytes(), stride));
            let of = stride.map_or(u32::MAX, u32::from);
            let packed = packs_floats((dst.ty, dst.hstride.into()), (src.ty, of));
            let alike = found == Some(step(dst.ty.bytes(), dst.hstride)) && same_place;
            if alike || packed {
                continue;
            }
            return Err(Violation::Region {
                operand: Operand::Src(n as u8),
                region: src.region,
                exec_size: self.inst.exec_size,
                what: "does not lie as the destination does",
            });
        }
        Ok(())
    }

    /// Rule of platforms with a narrow crossbar for bytes and words: elements of a result closer than a dword come from sources
    /// that are as close, or twice or four times as far apart and then start at the corresponding place.
    pub(super) fn narrow(&self, dst: &Dst) -> Result<(), Violation> {
        let size = dst.ty.bytes();
        let close = size * u32::from(dst.hstride);
        let types = || self.inst.srcs.iter().map(Src::ty).chain([dst.ty]);
        let exempt = types().any(|ty| ty.is_float() || ty.bytes() == 8);
        let checked = self.rules.narrow_steps && size <= 2 && close <= 2 && !exempt;
        if !checked || self.inst.exec_size == 1 {
            return Ok(());
        }
        let scalars = |src: &Src| match src {
            Src::Reg(src) => src.region == Region::SCALAR,
            Src::Imm { .. } => true,
        };
        let to = match dst.place {
            Place::Direct(reg) => Some(reg),
            Place::Indirect { .. } => None,
        };
        let null = to.is_some_and(Reg::is_null) && !self.inst.srcs.iter().all(scalars);
        self.deny(
            null,
            "writes bytes or words less than a dword apart to null",
        )?;
        if to.is_some_and(|to| to.file != RegFile::Grf) {
            return Ok(());
        }
        let to = to.map(|to| to.byte.into());
        for (n, src) in self.inst.srcs.iter().enumerate().take(2) {
            let Src::Reg(src) = src else { continue };
            let from = match src.place {
                Place::Direct(from) => Some(from.byte.into()),
                Place::Indirect { .. } => None,
            };
            if self.is_reached(dst, to, src, from) {
                continue;
            }
            return Err(Violation::Region {
                operand: Operand::Src(n as u8),
                region: src.region,
                exec_size: self.inst.exec_size,
                what: "moves bytes or words further than the platform can",
            });
        }
        Ok(())
    }

    /// True if the crossbar reaches the elements of a source, which begins at the byte `from`, for those of a result at
    /// the byte `to`. A place that an address names is unknown.
    fn is_reached(&self, dst: &Dst, to: Option<u32>, src: &SrcReg, from: Option<u32>) -> bool {
        let size = src.ty.bytes();
        let close = dst.ty.bytes() * u32::from(dst.hstride);
        let Some(vstride) = src.region.vstride else {
            return true;
        };
        if size > 2 {
            return true;
        }
        let (width, hstride) = (src.region.width, src.region.hstride);
        let one_row = width == 1 || step(width, hstride) == vstride.into();
        // Rows of two bytes are at most three bytes apart (Mesa, `gen_validate.cpp`).
        let far = close == 1 && width == 2 && vstride > 3;
        if !one_row && (far || !to.is_some_and(|to| to.is_multiple_of(4))) {
            return false;
        }
        let apart = size * u32::from(if width == 1 { vstride } else { hstride });
        let grf = self.platform.grf_bytes;
        match apart / close {
            0 | 1 => true,
            far @ (2 | 4) if one_row && (size == 1 || far == 2) => {
                // Two words at a time, of which either may be the first.
                let unit = if size == 2 { dst.ty.bytes() } else { 1 };
                let place = |(to, from): (u32, u32)| to % (grf / far) == from / far / unit * unit;
                to.zip(from).is_some_and(place)
            }
            _ => false,
        }
    }
}

fn step(width: u8, hstride: u8) -> u32 {
    u32::from(width) * u32::from(hstride)
}

/// Stride between elements, if it is uniform.
pub(crate) fn linear_stride(region: Region, exec_size: u8) -> Option<u8> {
    let vstride = region.vstride?;
    if region.width == 1 {
        return Some(vstride);
    }
    let one_row = exec_size <= region.width;
    let even = u32::from(vstride) == step(region.width, region.hstride);
    (one_row || even).then_some(region.hstride)
}
