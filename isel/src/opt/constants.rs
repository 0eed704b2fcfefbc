//! Integer operations with an immediate that leaves nothing to compute are moves: products with 0 and 1, sums with 0.
//!
//! Copy propagation asks this of each instruction whose operands it has replaced, so that a chain of such operations goes
//! at once. Front ends write products of 64 bits by halves, of which one often is 0.

use kiln_machine::inst::{Inst, Src};
use kiln_target::isa::{Op, RegFile, SrcMod, Type};

/// Makes an instruction a move if its result is one of its sources, or 0.
pub(super) fn simplify(inst: &mut Inst) {
    if let Some(result) = result(inst) {
        inst.op = Op::Mov.into();
        inst.srcs = [result].into_iter().collect();
    }
}

fn result(inst: &Inst) -> Option<Src> {
    let dst = inst.dst.as_ref()?;
    let &[Src::Reg(x), Src::Imm(imm)] = &inst.srcs[..] else {
        return None;
    };
    let integers = [dst.ty, x.ty, imm.ty].iter().all(|ty| !ty.is_float());
    let is_vector = matches!(imm.ty, Type::V | Type::Uv);
    // Accumulators keep more bits of a product than the destination.
    let general = dst
        .reg
        .as_phys()
        .is_none_or(|(file, _)| file == RegFile::Grf);
    // A move of immediates to packed bytes needs another form.
    if !inst.is_bare() || !integers || is_vector || !general || dst.ty.bytes() == 1 {
        return None;
    }
    // A sum of narrow numbers may be computed in fewer bits than a wider result has.
    let whole = x.modifier == SrcMod::default() && (dst.ty.bytes() <= 4 || x.ty.bytes() == 8);
    match (inst.gen_op()?, imm.bits()) {
        (Op::Mul | Op::And, 0) => Some(Src::imm(Type::D, 0)),
        (Op::Add | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::Asr, 0) | (Op::Mul, 1) if whole => {
            Some(Src::Reg(x))
        }
        _ => None,
    }
}
