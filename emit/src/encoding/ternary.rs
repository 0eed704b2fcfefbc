//! Conversion of three-source instructions between Align1 and Align16.
//!
//! On families with three-source instructions in Align16 only, compilers and listings still use regions: a scalar
//! instruction is one of four channels of which all but one are masked off. These conversions go both ways. Macro
//! operations, whose channel selects have another meaning, exist in Align16 only.

use super::{EncodeError, Operand};
use crate::inst::{Dst, Inst, Place, Pred, PredCtrl, Reg, Region, SWIZZLE_XYZW, Src, SrcReg, Type};

const SWIZZLE_XYXY: u8 = 0b01_00_01_00;
const SWIZZLE_ZWZW: u8 = 0b11_10_11_10;

/// The Align16 instruction equivalent to an Align1 one.
pub(crate) fn to_align16(inst: &Inst) -> Result<Inst, EncodeError> {
    let mut out = inst.clone();
    out.opts.align16 = true;
    if inst.op.is_macro() {
        return Err(EncodeError::Mode {
            op: inst.op,
            what: "Align16",
        });
    }
    let Some(dst) = &mut out.dst else {
        return Err(EncodeError::Missing {
            op: inst.op,
            what: "destination",
        });
    };
    if inst.exec_size == 1 || (inst.exec_size == 2 && dst.ty.bytes() != 8) {
        (out.exec_size, dst.chan_mask) = narrow_dst(dst, inst.exec_size)?;
        if let Some(pred) = &mut out.pred {
            let scalar = inst.exec_size == 1 && pred.ctrl == PredCtrl::Normal;
            let replicated = Pred {
                ctrl: PredCtrl::Replicate(0),
                ..*pred
            };
            *pred = if scalar {
                replicated
            } else {
                return Err(EncodeError::Pred(pred.ctrl));
            };
        }
    }
    for (n, src) in out.srcs.iter_mut().enumerate() {
        let operand = Operand::Src(n as u8);
        let Src::Reg(src) = src else {
            return Err(EncodeError::Immediate { operand });
        };
        let scalar = inst.exec_size == 1 || src.region == Region::SCALAR;
        if scalar && src.ty == Type::Df {
            if inst.exec_size > 2 {
                // Channel selects repeat within a pair of doubles, not beyond.
                return Err(EncodeError::Region {
                    operand,
                    region: src.region,
                });
            }
            // A quarter is half a double, so that the scalar is one half of a pair.
            let Place::Direct(reg) = &mut src.place else {
                return Err(EncodeError::Indirect { operand });
            };
            src.swizzle = if reg.byte & 8 == 0 {
                SWIZZLE_XYXY
            } else {
                SWIZZLE_ZWZW
            };
            reg.byte &= !8;
            src.region = Region::new(4, 4, 1);
        } else if scalar {
            src.region = Region::SCALAR;
        }
    }
    Ok(out)
}

/// Aligns a destination of one or two channels to a group of four. Returns the group's execution size and the mask of
/// its written channels.
fn narrow_dst(dst: &mut Dst, exec_size: u8) -> Result<(u8, u8), EncodeError> {
    let operand = Operand::Dst;
    let Place::Direct(reg) = &mut dst.place else {
        return Err(EncodeError::Indirect { operand });
    };
    // A double takes two channels, so that a group is two doubles.
    let (size, group) = if dst.ty == Type::Df {
        (4, 2)
    } else {
        (dst.ty.bytes() as u16, 4)
    };
    let channel = reg.byte / size % 4;
    let written = if dst.ty == Type::Df {
        2
    } else {
        u16::from(exec_size)
    };
    if channel % written != 0 || reg.byte % size != 0 {
        let (byte, unit) = (reg.byte, size * written);
        return Err(EncodeError::SubRegister {
            operand,
            byte,
            unit,
            limit: 32,
        });
    }
    reg.byte -= channel * size;
    Ok((group, ((1 << written) - 1) << channel))
}

/// The Align1 instruction equivalent to an Align16 one; `None` if there is none.
pub(crate) fn to_align1(inst: &Inst) -> Option<Inst> {
    let mut out = inst.clone();
    out.opts.align16 = false;
    let dst = out.dst.as_mut()?;
    if dst.chan_mask != 15 {
        let channel = match (inst.exec_size, dst.ty, dst.chan_mask) {
            (2, Type::Df, 0b0011) => 0,
            (2, Type::Df, 0b1100) => 1,
            (4, _, mask) if mask.is_power_of_two() => mask.trailing_zeros(),
            _ => return None,
        };
        out.exec_size = 1;
        advance(&mut dst.place, channel * dst.ty.bytes())?;
        dst.chan_mask = 15;
        if let Some(pred) = &mut out.pred {
            match pred.ctrl {
                PredCtrl::Replicate(0) => pred.ctrl = PredCtrl::Normal,
                // Each channel of the group has a bit of its own.
                _ => return None,
            }
        }
    }
    for src in &mut out.srcs {
        let Src::Reg(src) = src else { return None };
        scalar_source(src)?;
    }
    Some(out)
}

fn scalar_source(src: &mut SrcReg) -> Option<()> {
    if src.region == Region::SCALAR || src.swizzle == SWIZZLE_XYZW {
        src.swizzle = SWIZZLE_XYZW;
        return Some(());
    }
    match (src.ty, src.swizzle) {
        (Type::Df, SWIZZLE_XYXY) => {}
        (Type::Df, SWIZZLE_ZWZW) => advance(&mut src.place, 8)?,
        _ => return None,
    }
    src.swizzle = SWIZZLE_XYZW;
    src.region = Region::SCALAR;
    Some(())
}

fn advance(place: &mut Place, bytes: u32) -> Option<()> {
    let Place::Direct(Reg { byte, .. }) = place else {
        return None;
    };
    *byte += bytes as u16;
    Some(())
}
