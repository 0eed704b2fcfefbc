//! Integer operations with an immediate that leaves nothing to compute are moves: products with 0 and 1, sums with 0.
//!
//! [`super::copies`] simplifies each instruction after its operands are replaced, so that one walk removes a chain of such
//! operations. Front ends write products of 64 bits by halves, of which one often is 0.

use kiln_machine::inst::{Inst, Src};
use kiln_platform::isa::{Op, RegFile, SrcMod, Type};

/// Makes an instruction a move if its result is one of its sources, or 0.
pub(super) fn simplify(inst: &mut Inst) {
    if let Some(result) = result(inst) {
        inst.op = Op::Mov.into();
        inst.srcs = [result].into_iter().collect();
    }
}

/// The source, or 0, that is the result of an instruction.
fn result(inst: &Inst) -> Option<Src> {
    let dst = inst.dst.as_ref()?;
    let &[a, b] = &inst.srcs[..] else {
        return None;
    };
    let is_number = |ty: Type| !ty.is_float() && !matches!(ty, Type::V | Type::Uv);
    let numbers = [dst.ty, a.ty(), b.ty()].into_iter().all(is_number);
    // Accumulators keep more bits of a product than the destination.
    let general = (dst.reg.as_phys()).is_none_or(|(file, _)| file == RegFile::Grf);
    // Immediates cannot be moved to packed bytes.
    if !inst.is_bare() || !numbers || !general || dst.ty.bytes() == 1 {
        return None;
    }
    let is = |src: &Src, n: u64| matches!(src, Src::Imm(imm) if imm.bits() == n);
    match (inst.gen_op()?, &a) {
        (Op::Mul | Op::And, _) if is(&a, 0) || is(&b, 0) => Some(Src::imm(Type::D, 0)),
        // A sum of narrow numbers may be computed in fewer bits than a wider result has.
        (op, Src::Reg(x))
            if x.modifier == SrcMod::default() && (dst.ty.bytes() <= 4 || x.ty.bytes() == 8) =>
        {
            let neutral = match op {
                Op::Mul => 1,
                Op::Add | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::Asr => 0,
                _ => return None,
            };
            is(&b, neutral).then_some(a)
        }
        _ => None,
    }
}
