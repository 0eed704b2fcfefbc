//! Rules of operations of three sources: arithmetic, bitwise functions and systolic products.

use super::region::linear_stride;
use super::{Checker, Violation};
use crate::encoding::Operand;
use crate::encoding::spec::{Attrs, Form};
use crate::inst::{Dst, Op, Place, RegFile, Region, Src, Type};
use kiln_platform::rules::packs_floats;
use smallvec::SmallVec;

impl Checker<'_> {
    pub(super) fn ternary(&self) -> Result<(), Violation> {
        let Some(dst) = &self.inst.dst else {
            return self.fail("has no destination");
        };
        let rules = &self.rules.ternary;
        self.ternary_file(dst.place, Operand::Dst)?;
        self.ty(dst.ty, Operand::Dst)?;
        if !rules.strides.contains(&dst.hstride) {
            let operand = Operand::Dst;
            let what = "has a stride that three-source operations have not";
            return Err(Violation::Operand { operand, what });
        }
        for (n, src) in self.inst.srcs.iter().enumerate() {
            let operand = Operand::Src(n as u8);
            let fail = |what| Err(Violation::Operand { operand, what });
            self.ty(src.ty(), operand)?;
            if !self.may_mix(self.inst.srcs[0].ty(), src.ty()) {
                return fail("is of another type than the first source");
            }
            let Src::Reg(src) = src else {
                self.ternary_immediate(src, n)?;
                continue;
            };
            self.ternary_file(src.place, operand)?;
            let modified = src.modifier != Default::default();
            if modified && !self.op.attrs.has(Attrs::MODS) {
                return fail("the operation takes no source modifier");
            }
            self.element(src.place, src.ty, operand)?;
        }
        if self.op.form == Form::BitFunction {
            let floats = self.types().any(Type::is_float);
            self.deny(floats, "computes on bits, not on floats")?;
            // One value for all channels is extended as its type says.
            let signed = |src: &Src| match src {
                Src::Reg(src) => src.ty.is_signed() && src.region != Region::SCALAR,
                Src::Imm { .. } => false,
            };
            let signed = dst.ty.is_signed() || self.inst.srcs.iter().any(signed);
            self.deny(signed, "is defined for unsigned types only")?;
        }
        if self.inst.opts.align16 {
            return self.groups(dst);
        }
        if rules.accumulators {
            self.destination(dst)?;
            self.in_place(dst)?;
        }
        if rules.last_as_destination {
            self.last_source(dst)?;
        }
        Ok(())
    }

    /// The last source has no region of its own: it lies as the destination does, or is a scalar (IGC,
    /// `isGoodAlign1TernarySrc`). Small floats beside others may be packed.
    fn last_source(&self, dst: &Dst) -> Result<(), Violation> {
        let (Place::Direct(to), [.., Src::Reg(src)]) = (dst.place, &self.inst.srcs[..]) else {
            return Ok(());
        };
        let Place::Direct(from) = src.place else {
            return Ok(());
        };
        let packed = self
            .inst
            .srcs
            .iter()
            .any(|src| packs_floats((dst.ty, dst.hstride.into()), (src.ty(), 1)));
        let in_file = to.file == RegFile::Grf && from.file == RegFile::Grf;
        let alone = src.region == Region::SCALAR || self.inst.exec_size == 1;
        if packed || alone || !in_file {
            return Ok(());
        }
        let stride = linear_stride(src.region, self.inst.exec_size).unwrap_or(src.region.hstride);
        let same_steps =
            u32::from(stride) * src.ty.bytes() == u32::from(dst.hstride) * dst.ty.bytes();
        let same_place = from.byte == to.byte;
        if same_steps && same_place {
            return Ok(());
        }
        Err(Violation::Region {
            operand: Operand::Src(2),
            region: src.region,
            exec_size: self.inst.exec_size,
            what: "does not lie as the destination does, and has no region of its own",
        })
    }

    fn ternary_immediate(&self, src: &Src, n: usize) -> Result<(), Violation> {
        let operand = Operand::Src(n as u8);
        let fail = |what| Err(Violation::Operand { operand, what });
        if !self.rules.ternary.immediates {
            return fail("must be a register");
        }
        if n == 1 {
            return fail("only the first and the last source may be immediates");
        }
        if src.ty().bytes() != 2 {
            return fail("an immediate here has 16 bits");
        }
        Ok(())
    }

    /// True if sources of two types may be mixed: floats of different size, and on some families integers.
    fn may_mix(&self, first: Type, other: Type) -> bool {
        let small = |ty| matches!(ty, Type::F | Type::Hf | Type::Nf | Type::Bf);
        let integers = !first.is_float() && !other.is_float();
        first == other
            || (small(first) && small(other))
            || (integers && self.rules.ternary.mixed_integers)
    }

    /// The written channels of an Align16 destination are in two registers.
    fn groups(&self, dst: &Dst) -> Result<(), Violation> {
        let Place::Direct(reg) = dst.place else {
            return Ok(());
        };
        if reg.file != RegFile::Grf {
            return Ok(());
        }
        let first = reg.num * self.platform.grf_bytes + u32::from(reg.byte);
        let bytes = u32::from(self.inst.exec_size) * dst.ty.bytes();
        self.two_registers(first, first + bytes - 1, Operand::Dst)
    }

    /// A ternary operand is a direct general register or, on some families, an accumulator.
    fn ternary_file(&self, place: Place, operand: Operand) -> Result<(), Violation> {
        let rules = &self.rules.ternary;
        match place {
            Place::Direct(reg) if reg.file == RegFile::Grf => Ok(()),
            Place::Direct(reg)
                if matches!(reg.file, RegFile::Acc | RegFile::Null) && rules.accumulators =>
            {
                Ok(())
            }
            _ => Err(Violation::Operand {
                operand,
                what: "must be a general register",
            }),
        }
    }

    /// Systolic operands are whole registers of one kind of type, with the array's number of channels.
    pub(super) fn systolic(&self) -> Result<(), Violation> {
        let (Op::Dpas(shape) | Op::Dpasw(shape)) = self.inst.op else {
            return Ok(());
        };
        let Some(dst) = &self.inst.dst else {
            return self.fail("has no destination");
        };
        let channels = self.rules.systolic_channels;
        self.deny(
            channels != Some(self.inst.exec_size),
            "has another number of channels than the array",
        )?;
        self.deny(shape.depth != 8, "is not eight deep")?;
        let types: SmallVec<[Type; 4]> = self.types().collect();
        for (n, ty) in types.iter().enumerate() {
            let operand = n
                .checked_sub(1)
                .map_or(Operand::Dst, |n| Operand::Src(n as u8));
            self.ty(*ty, operand)?;
        }
        if let [result, addend, a, b] = types[..] {
            let bytes = |ty: Type| ty.bytes() == 1 && !ty.is_float();
            let wide = |ty: Type| matches!(ty, Type::D | Type::Ud);
            let integers = bytes(a) && bytes(b) && wide(result) && wide(addend);
            let floats = a == b && a.is_float() && result.is_float() && addend.is_float();
            self.deny(
                !integers && !floats,
                "multiplies integers of at most a byte, or floats of one type",
            )?;
        }
        let whole = |place, operand, registers| match place {
            Place::Direct(reg) if reg.file == RegFile::Grf => {
                if reg.byte != 0 {
                    let what = "starts at a whole register";
                    return Err(Violation::Operand { operand, what });
                }
                self.in_file(reg.num + registers, operand)
            }
            Place::Direct(reg) if reg.file == RegFile::Null => Ok(()),
            _ => Err(Violation::Operand {
                operand,
                what: "must be a general register",
            }),
        };
        let rows = u32::from(shape.repeat) * u32::from(self.inst.exec_size);
        let registers = |ty: Type| (rows * ty.bytes()).div_ceil(self.platform.grf_bytes);
        whole(dst.place, Operand::Dst, registers(dst.ty))?;
        // The second source fills the whole array; a row of the last source starts anywhere.
        for (n, src) in self.inst.srcs.iter().take(2).enumerate() {
            let Src::Reg(src) = src else { continue };
            let length = if n == 0 {
                registers(src.ty)
            } else {
                u32::from(shape.depth)
            };
            whole(src.place, Operand::Src(n as u8), length)?;
        }
        Ok(())
    }
}
