//! Floats of eight bits.
//!
//! Takes a conversion between them and halves, and rounding to them by chance. All operands begin registers and are packed, and
//! there are two channels at least: the hardware has no other form (IGC, `fixFcvt`, `fixSrnd`). Other operands are moved as
//! integers before and after; a predicate is left to the last move.

use kiln_machine::inst::{Dst, Src, SrcReg};
use kiln_platform::isa::{Op, Region, Type};
use kiln_platform::sources::Sources;

use super::pieces::Dest;
use super::{Legalizer, Result};
use crate::channels::Channels;

/// True for an operation with floats of eight bits.
pub(super) fn has_small_floats(op: Op, dest: Type, srcs: &[Src]) -> bool {
    let small = |ty: Type| ty.is_float() && ty.bytes() == 1;
    let computes = matches!(op, Op::Mov | Op::Srnd);
    computes && (small(dest) || srcs.iter().any(|src| small(src.ty())))
}

/// The integer whose move copies the bits of a float.
fn bits_of(ty: Type) -> Type {
    match ty.bytes() {
        1 => Type::Ub,
        _ => Type::Uw,
    }
}

impl Legalizer<'_> {
    pub(super) fn small_floats(
        &mut self,
        op: Op,
        channels: Channels,
        dest: &mut Dest,
        mut srcs: Sources<Src>,
    ) -> Result {
        let n = channels.count();
        let count = n.max(2);
        for src in &mut srcs {
            let Src::Reg(r) = *src else {
                return self.fail("a small float that is a constant");
            };
            let begins = r.indirect.is_none() && r.reg.byte().is_multiple_of(self.grf);
            if n > 1 && begins && r.step(n) == Some(1) {
                continue;
            }
            let region = if n == 1 { Region::SCALAR } else { r.region };
            let bits = SrcReg {
                ty: bits_of(r.ty),
                region,
                ..r
            };
            let tmp = self.copied(count, bits.ty, Src::Reg(bits))?;
            *src = Src::packed(tmp, r.ty);
        }
        let begins = dest.indirect.is_none() && dest.byte.is_multiple_of(self.grf);
        if n > 1 && begins && dest.h == 1 && channels.pred.is_none() {
            return self.cut(op, channels, dest, srcs, None);
        }
        let tmp = self.temp(count * dest.ty.bytes());
        let mut whole = self.dest_of(&Dst::new(tmp, 1, dest.ty), false, count);
        self.cut(op, Channels::all(count as u8), &mut whole, srcs, None)?;
        dest.ty = bits_of(dest.ty);
        let back = Sources::from([Src::packed(tmp, dest.ty)]);
        self.alu(Op::Mov, channels, dest, back, None)
    }
}
