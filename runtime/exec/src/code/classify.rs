//! Recognition of common forms: integers of which only the low 32 bits matter, singles, and moves of bits.

use kiln_emit::inst::{Cond, Op, Type};

use super::operation::{Base, Fast, Operation, Order, Source, Target};
use crate::state::thread::File;

/// The common form of an operation, if it has one.
pub fn classify(op: &Operation) -> Option<Fast> {
    let plain = matches!(op.lanes, 1 | 2 | 4 | 8 | 16 | 32)
        && !op.acc_write
        && !op
            .cond
            .is_some_and(|c| matches!(c.cond, Cond::Ov | Cond::Eo))
        && !matches!(
            op.dst.target,
            Target::File {
                file: File::Acc,
                ..
            }
        )
        && !op.sources().iter().any(|s| {
            matches!(
                s.base,
                Base::File {
                    file: File::Acc,
                    ..
                }
            )
        });
    if !plain {
        return None;
    }
    let all = |test: fn(Type) -> bool| op.sources().iter().all(|s| test(s.ty));
    let single = |ty| matches!(ty, Type::F | Type::Vf);
    if is_raw_move(op) && op.dst.ty.bytes() <= 4 {
        Some(Fast::Bits)
    } else if all(is_int) && is_int(op.dst.ty) && !op.saturate {
        integer(op)
    } else if all(single) && op.dst.ty == Type::F {
        float(op)
    } else if op.op != Op::Mov || op.saturate || op.cond.is_some() {
        None
    } else if all(is_int) && op.dst.ty == Type::F {
        Some(Fast::ToSingle(order(op.sources())?))
    } else if all(single) {
        match op.dst.ty {
            Type::D => Some(Fast::ToDword(Order::Signed)),
            Type::Ud => Some(Fast::ToDword(Order::Unsigned)),
            _ => None,
        }
    } else {
        None
    }
}

fn is_int(ty: Type) -> bool {
    use Type::*;
    matches!(ty, Ub | B | Uw | W | Ud | D | V | Uv)
}

/// The order of all sources' values as 32 bits; none if there is no such order.
fn order(sources: &[Source]) -> Option<Order> {
    let fits = |signed: bool| {
        sources.iter().all(|s| {
            let modified = s.neg || s.abs;
            match s.ty {
                Type::D => signed && !modified,
                Type::Ud => !signed && !modified,
                Type::B | Type::W | Type::V => signed,
                _ => signed || !modified,
            }
        })
    };
    match (fits(true), fits(false)) {
        (true, _) => Some(Order::Signed),
        (false, true) => Some(Order::Unsigned),
        (false, false) => constants(sources),
    }
}

/// The order of unsigned sources of which one is a non-negative constant of a signed type.
fn constants(sources: &[Source]) -> Option<Order> {
    let unsigned = sources.iter().all(|s| match (&s.base, s.ty) {
        (Base::Constant(bits), Type::W | Type::D) => *bits <= i32::MAX as u64,
        (_, Type::Ud | Type::Uw | Type::Ub) => !s.neg && !s.abs,
        _ => false,
    });
    unsigned.then_some(Order::Unsigned)
}

fn integer(op: &Operation) -> Option<Fast> {
    let cond = op.cond.map(|c| c.cond);
    Some(match op.op {
        Op::Mov => Fast::Mov,
        Op::Not => Fast::Not,
        Op::And => Fast::And,
        Op::Or => Fast::Or,
        Op::Xor => Fast::Xor,
        Op::Add => Fast::Add,
        Op::Mul => Fast::Mul,
        Op::Mad => Fast::Mad,
        Op::Shl => Fast::Shl,
        Op::Shr => Fast::Shr,
        Op::Asr => match order(&op.srcs[..1])? {
            Order::Signed => Fast::Asr,
            Order::Unsigned => Fast::Shr,
        },
        Op::Rol if op.srcs[0].ty.bytes() == 4 => Fast::Rol,
        Op::Ror if op.srcs[0].ty.bytes() == 4 => Fast::Ror,
        Op::Add3 => Fast::Add3,
        Op::Bfn(function) => Fast::Bfn(function),
        Op::Cmp | Op::Cmpn => Fast::Cmp(cond?, order(op.sources())?),
        Op::Sel => match cond {
            Some(cond) => Fast::SelBy(cond, order(op.sources())?),
            None => op.pred.map(|_| Fast::Sel)?,
        },
        Op::Csel => Fast::Csel(cond?, order(&op.srcs[2..])?),
        _ => return None,
    })
}

pub fn float(op: &Operation) -> Option<Fast> {
    let cond = op.cond.map(|c| c.cond);
    Some(match op.op {
        Op::Mov => Fast::FMov,
        Op::Add => Fast::FAdd,
        Op::Mul => Fast::FMul,
        Op::Mad => Fast::FMad,
        Op::Frc => Fast::FFrc,
        Op::Rndu => Fast::FRndu,
        Op::Rndd => Fast::FRndd,
        Op::Rnde => Fast::FRnde,
        Op::Rndz => Fast::FRndz,
        Op::Cmp => Fast::FCmp(cond?),
        Op::Cmpn => Fast::FCmpn(cond?),
        Op::Sel => match cond {
            Some(cond) => Fast::FSelBy(cond),
            None => op.pred.map(|_| Fast::FSel)?,
        },
        Op::Csel => Fast::FCsel(cond?),
        _ => return None,
    })
}

/// True if a `mov` copies bits: same type on both sides and no change of the value.
pub fn is_raw_move(op: &Operation) -> bool {
    let [src] = op.sources() else { return false };
    let acc = |file| matches!(file, File::Acc) && (!src.ty.is_float() || src.ty == Type::Nf);
    let plain = match src.base {
        // The accumulator's lanes of integers and of native floats are wider than their type, and integers have
        // no sign bit to flip.
        Base::File { file, .. } if acc(file) => false,
        Base::Packed(_) => false,
        _ => src.ty.is_float() || !src.neg && !src.abs,
    };
    op.op == Op::Mov
        && src.ty == op.dst.ty
        && plain
        && !matches!(op.dst.target, Target::File { file, .. } if acc(file))
        && !op.saturate
        && op.cond.is_none()
        && !op.acc_write
}
