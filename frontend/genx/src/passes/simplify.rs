//! Constants folded, copies and trivial phis removed, what a block computes twice, and what nobody uses.
//!
//! Takes any function. Afterwards no instruction has only constant operands that `fold` knows, no phi has a single
//! value, no block has two equal instructions of which the second can be the first (local value numbering), and every
//! instruction has an effect or a user. A vector that is written in parts is not shared: each chain of writes has its own. Each round is linear; rounds end when nothing changes, or
//! after a fixed number.

use std::collections::HashMap;

use cranelift_entity::SecondaryMap;
use smallvec::{SmallVec, smallvec};

use crate::intrinsics::Kind;
use crate::ir::{
    BinaryOp, CastOp, Const, Function, Inst, IntRel, Op, Scalar, Type, Types, Value, ValueDef,
};

/// Rounds at most: each uncovers the constants of one more level.
const MAX_ROUNDS: u32 = 8;

/// Simplifies a function.
pub fn simplify(types: &mut Types, function: &mut Function) {
    for _ in 0..MAX_ROUNDS {
        let changed = round(types, function);
        super::cfg::prune(function);
        if !changed {
            break;
        }
    }
    remove_dead(function);
}

/// Values that others replace.
struct Replaced(SecondaryMap<Value, Option<Value>>);

impl Replaced {
    fn get(&self, mut value: Value) -> Value {
        while let Some(next) = self.0[value] {
            value = next;
        }
        value
    }
}

/// Operation, type and operands of an instruction.
type Key = (Op, Type, SmallVec<[Value; 3]>);

/// The value that an equal instruction before has; none if there is none, or if the instruction is one of a kind.
fn known(
    function: &Function,
    inst: Inst,
    made: &mut HashMap<Key, Value, foldhash::fast::FixedState>,
) -> Option<Value> {
    let data = &function.insts[inst];
    let writes = match &data.op {
        Op::InsertElement | Op::InsertValue(_) => true,
        Op::Intrinsic(intrinsic) => {
            matches!(intrinsic.kind(), Kind::WriteRegion | Kind::WritePredicate)
        }
        _ => false,
    };
    if writes || !data.op.is_movable() {
        return None;
    }
    let key = (data.op.clone(), data.ty, data.args.clone());
    let first = *made.entry(key).or_insert(data.result?);
    let from = function.inst_of(first)?;
    (function.insts[from].flags == data.flags).then_some(first)
}

fn round(types: &mut Types, function: &mut Function) -> bool {
    let mut replaced = Replaced(SecondaryMap::new());
    let mut changed = false;
    let mut made = HashMap::default();
    for block in function.order.clone() {
        made.clear();
        for inst in function.blocks[block].insts.clone() {
            for i in 0..function.insts[inst].args.len() {
                let arg = function.insts[inst].args[i];
                let new = replaced.get(arg);
                if new != arg {
                    function.insts[inst].args[i] = new;
                }
            }
            branch(function, inst, &mut changed);
            let Some(result) = function.insts[inst].result else {
                continue;
            };
            let new = fold(types, function, inst).or_else(|| known(function, inst, &mut made));
            if let Some(new) = new
                .map(|new| replaced.get(new))
                .filter(|new| *new != result)
            {
                replaced.0[result] = Some(new);
                changed = true;
            }
        }
    }
    // Uses before their definition.
    if changed {
        for data in function.insts.values_mut() {
            for arg in &mut data.args {
                *arg = replaced.get(*arg);
            }
        }
    }
    changed
}

/// A branch on a constant goes one way.
fn branch(function: &mut Function, inst: Inst, changed: &mut bool) {
    let data = &function.insts[inst];
    let target = match &data.op {
        Op::CondBr => function
            .as_bits(data.args[0])
            .map(|bit| data.targets[usize::from(bit & 1 == 0)]),
        Op::Switch(numbers) => function.as_bits(data.args[0]).map(|bits| {
            let at = numbers.iter().position(|n| *n == bits);
            data.targets[at.map_or(0, |at| at + 1)]
        }),
        _ => None,
    };
    if let Some(target) = target {
        let data = &mut function.insts[inst];
        data.op = Op::Br;
        data.args = smallvec![];
        data.targets = smallvec![target];
        *changed = true;
    }
}

/// Removes instructions without effect that nobody uses.
pub fn remove_dead(function: &mut Function) {
    let mut live: SecondaryMap<Value, bool> = SecondaryMap::new();
    let mut work: Vec<Inst> = Vec::new();
    for block in &function.order {
        for inst in &function.blocks[*block].insts {
            if !function.insts[*inst].op.is_pure() {
                work.push(*inst);
            }
        }
    }
    while let Some(inst) = work.pop() {
        for arg in &function.insts[inst].args {
            if !std::mem::replace(&mut live[*arg], true)
                && let ValueDef::Inst(def) = function.values[*arg].def
            {
                work.push(def);
            }
        }
    }
    let Function {
        blocks,
        insts,
        order,
        ..
    } = function;
    for block in order.iter() {
        blocks[*block].insts.retain(|inst| {
            let data = &insts[*inst];
            !data.op.is_pure() || data.result.is_none_or(|result| live[result])
        });
    }
}

/// Value that an instruction's result equals, if it is known.
fn fold(types: &mut Types, function: &mut Function, inst: Inst) -> Option<Value> {
    let data = &function.insts[inst];
    let ty = data.ty;
    let arg = |i: usize| data.args.get(i).copied();
    match data.op.clone() {
        Op::Phi => {
            let result = data.result?;
            let mut others = data
                .args
                .iter()
                .filter(|a| **a != result && !function.is_undef(**a));
            let first = others.next().copied();
            let same = others.all(|a| Some(*a) == first);
            let undefined = data.args.iter().any(|a| function.is_undef(*a));
            match first {
                // Only a constant is known wherever the phi is.
                Some(first) if same && (!undefined || function.as_const(first).is_some()) => {
                    Some(first)
                }
                None => Some(function.constant(ty, Const::Undef)),
                _ => None,
            }
        }
        Op::Freeze => arg(0),
        Op::Cast(op) => fold_cast(types, function, op, arg(0)?, ty),
        Op::Binary(op) => fold_binary(types, function, op, arg(0)?, arg(1)?, ty),
        Op::ICmp(rel) => fold_compare(types, function, rel, arg(0)?, arg(1)?, ty),
        Op::Select => {
            let (yes, no) = (arg(1)?, arg(2)?);
            match function.as_bits(arg(0)?) {
                Some(bit) if bit & 1 != 0 => Some(yes),
                Some(_) => Some(no),
                None => (yes == no).then_some(yes),
            }
        }
        Op::ExtractElement => fold_extract(types, function, arg(0)?, arg(1)?, ty),
        Op::InsertElement => {
            let index = function.as_bits(arg(2)?)?;
            let element = function.as_bits(arg(1)?)?;
            let count = types.count(ty)?;
            let mut elements = elements(function, arg(0)?, count)?;
            *elements.get_mut(index as usize)? = element;
            Some(function.constant(ty, Const::Vector(elements.into())))
        }
        Op::Shuffle(mask) => fold_shuffle(types, function, &mask, arg(0)?, arg(1)?, ty),
        Op::ExtractValue(path) => {
            let mut at = arg(0)?;
            while let Some(inner) = function.inst_of(at) {
                let inner = &function.insts[inner];
                let Op::InsertValue(to) = &inner.op else {
                    return None;
                };
                if *to == path {
                    return Some(inner.args[1]);
                }
                if to.first() == path.first() && (to.starts_with(&path) || path.starts_with(to)) {
                    return None;
                }
                at = inner.args[0];
            }
            match function.as_const(at)? {
                Const::Undef => Some(function.constant(ty, Const::Undef)),
                Const::Zero => Some(function.constant(ty, Const::Zero)),
                Const::Aggregate(members) if path.len() == 1 => {
                    members.get(path[0] as usize).copied()
                }
                _ => None,
            }
        }
        Op::Intrinsic(intrinsic) => match intrinsic.kind() {
            Kind::Copy if function.ty(arg(0)?) == ty && function.as_const(arg(0)?).is_none() => {
                arg(0)
            }
            Kind::Copy => {
                let bits = function.as_bits(arg(0)?)?;
                let (to, _) = (types.element(ty)?, types.count(ty).is_none().then_some(())?);
                Some(function.bits(ty, cut(bits, types.bits(to))))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The lower bits.
pub fn cut(bits: u64, width: u32) -> u64 {
    bits & (u64::MAX >> (64 - width.clamp(1, 64)))
}

/// The integer of these lower bits, with its sign.
pub fn extend(bits: u64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    (bits << shift).cast_signed() >> shift
}

/// True if a relation holds between two integers of a width.
pub fn compare(rel: IntRel, a: u64, b: u64, width: u32) -> bool {
    let (x, y) = (extend(a, width), extend(b, width));
    match rel {
        IntRel::Eq => a == b,
        IntRel::Ne => a != b,
        IntRel::Ugt => a > b,
        IntRel::Uge => a >= b,
        IntRel::Ult => a < b,
        IntRel::Ule => a <= b,
        IntRel::Sgt => x > y,
        IntRel::Sge => x >= y,
        IntRel::Slt => x < y,
        IntRel::Sle => x <= y,
    }
}

/// Elements of a constant vector.
fn elements(function: &Function, value: Value, count: u32) -> Option<Vec<u64>> {
    match function.as_const(value)? {
        Const::Vector(elements) => Some(elements.to_vec()),
        Const::Zero | Const::Undef => Some(vec![0; count as usize]),
        Const::Bits(bits) => Some(vec![*bits; count as usize]),
        Const::Aggregate(_) => None,
    }
}

/// Constant of a type with these elements.
fn constant(types: &Types, function: &mut Function, ty: Type, elements: Vec<u64>) -> Value {
    match types.count(ty) {
        None => function.bits(ty, elements[0]),
        Some(_) => function.constant(ty, Const::Vector(elements.into())),
    }
}

fn fold_cast(
    types: &mut Types,
    function: &mut Function,
    op: CastOp,
    arg: Value,
    ty: Type,
) -> Option<Value> {
    let from_ty = function.ty(arg);
    let same_kind = matches!(
        op,
        CastOp::BitCast | CastOp::AddrSpaceCast | CastOp::PtrToInt | CastOp::IntToPtr
    );
    if from_ty == ty && same_kind {
        return Some(arg);
    }
    if function.is_undef(arg) {
        return Some(function.constant(ty, Const::Undef));
    }
    if let (CastOp::BitCast, Some(inner)) = (op, function.inst_of(arg)) {
        let inner = &function.insts[inner];
        if inner.op == Op::Cast(CastOp::BitCast) && function.ty(inner.args[0]) == ty {
            return Some(inner.args[0]);
        }
    }
    let (count, from) = types.shape(from_ty)?;
    let (n, to) = types.shape(ty)?;
    let (a, b) = (types.bits(from), types.bits(to));
    let list = elements(function, arg, count)?;
    if op == CastOp::BitCast && (n != count || from == Scalar::Int(1) || to == Scalar::Int(1)) {
        if from == Scalar::Int(1) || to == Scalar::Int(1) || a > 64 || b > 64 {
            return None;
        }
        let mut bytes = Vec::new();
        for element in &list {
            bytes.extend_from_slice(&element.to_le_bytes()[..(a / 8) as usize]);
        }
        let new = bytes.chunks_exact((b / 8) as usize).map(|chunk| {
            chunk
                .iter()
                .rev()
                .fold(0u64, |bits, byte| bits << 8 | u64::from(*byte))
        });
        let new: Vec<u64> = new.collect();
        return (new.len() == n as usize).then(|| constant(types, function, ty, new));
    }
    let one = |bits: u64| match op {
        CastOp::BitCast
        | CastOp::PtrToInt
        | CastOp::IntToPtr
        | CastOp::AddrSpaceCast
        | CastOp::Trunc => Some(cut(bits, b)),
        CastOp::ZExt => Some(bits),
        CastOp::SExt => Some(cut(extend(bits, a).cast_unsigned(), b)),
        CastOp::FpExt if from == Scalar::Float && to == Scalar::Double => {
            Some(f64::from(f32::from_bits(bits as u32)).to_bits())
        }
        CastOp::SiToFp if to == Scalar::Float && a <= 64 => {
            Some((extend(bits, a) as f32).to_bits().into())
        }
        CastOp::SiToFp if to == Scalar::Double && a <= 64 => {
            Some((extend(bits, a) as f64).to_bits())
        }
        CastOp::UiToFp if to == Scalar::Float && a <= 64 => Some((bits as f32).to_bits().into()),
        CastOp::UiToFp if to == Scalar::Double && a <= 64 => Some((bits as f64).to_bits()),
        _ => None,
    };
    let new = list.into_iter().map(one).collect::<Option<Vec<u64>>>()?;
    Some(constant(types, function, ty, new))
}

fn fold_binary(
    types: &Types,
    function: &mut Function,
    op: BinaryOp,
    a: Value,
    b: Value,
    ty: Type,
) -> Option<Value> {
    let (count, scalar) = types.shape(ty)?;
    let Scalar::Int(width) = scalar else {
        return None;
    };
    if width > 64 {
        return None;
    }
    let ones = u64::MAX >> (64 - width);
    let neutral = |bits: u64| match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::LShr
        | BinaryOp::AShr => bits == 0,
        BinaryOp::Mul | BinaryOp::UDiv | BinaryOp::SDiv => bits == 1 && width > 1,
        BinaryOp::And => bits == ones,
        _ => false,
    };
    if function.as_bits(b).is_some_and(neutral) {
        return Some(a);
    }
    if op.commutes() && function.as_bits(a).is_some_and(neutral) {
        return Some(b);
    }
    if let (BinaryOp::And | BinaryOp::Mul, Some(0)) = (op, function.as_bits(b)) {
        return Some(function.constant(ty, Const::Zero));
    }
    let left = elements(function, a, count)?;
    let right = elements(function, b, count)?;
    let one = |(a, b): (u64, u64)| {
        let (x, y) = (extend(a, width), extend(b, width));
        let shift = u32::try_from(b).ok().filter(|n| *n < width);
        Some(cut(
            match op {
                BinaryOp::Add => a.wrapping_add(b),
                BinaryOp::Sub => a.wrapping_sub(b),
                BinaryOp::Mul => a.wrapping_mul(b),
                BinaryOp::UDiv => a.checked_div(b)?,
                BinaryOp::URem => a.checked_rem(b)?,
                BinaryOp::SDiv => x.checked_div(y)?.cast_unsigned(),
                BinaryOp::SRem => x.checked_rem(y)?.cast_unsigned(),
                BinaryOp::Shl => a << shift?,
                BinaryOp::LShr => a >> shift?,
                BinaryOp::AShr => (x >> shift?).cast_unsigned(),
                BinaryOp::And => a & b,
                BinaryOp::Or => a | b,
                BinaryOp::Xor => a ^ b,
                _ => return None,
            },
            width,
        ))
    };
    let new = left
        .into_iter()
        .zip(right)
        .map(one)
        .collect::<Option<Vec<u64>>>()?;
    Some(constant(types, function, ty, new))
}

fn fold_compare(
    types: &Types,
    function: &mut Function,
    rel: IntRel,
    a: Value,
    b: Value,
    ty: Type,
) -> Option<Value> {
    let (count, scalar) = types.shape(function.ty(a))?;
    let width = types.bits(scalar);
    let (left, right) = (elements(function, a, count)?, elements(function, b, count)?);
    let one = |(a, b): (u64, u64)| u64::from(compare(rel, a, b, width));
    let new = left.into_iter().zip(right).map(one).collect();
    Some(constant(types, function, ty, new))
}

fn fold_extract(
    types: &Types,
    function: &mut Function,
    vector: Value,
    index: Value,
    ty: Type,
) -> Option<Value> {
    let index = function.as_bits(index)?;
    let mut at = vector;
    // Insertions that are passed; more are left to the next round.
    for _ in 0..64 {
        let Some(inst) = function.inst_of(at) else {
            break;
        };
        let data = &function.insts[inst];
        match &data.op {
            Op::InsertElement => {
                let place = function.as_bits(data.args[2])?;
                if place == index {
                    return Some(data.args[1]);
                }
                at = data.args[0];
            }
            _ => return None,
        }
    }
    let count = types.count(function.ty(at))?;
    if function.is_undef(at) {
        return Some(function.constant(ty, Const::Undef));
    }
    let bits = *elements(function, at, count)?.get(index as usize)?;
    Some(function.bits(ty, bits))
}

fn fold_shuffle(
    types: &Types,
    function: &mut Function,
    mask: &[u32],
    a: Value,
    b: Value,
    ty: Type,
) -> Option<Value> {
    let count = types.count(function.ty(a))?;
    let identity =
        mask.len() == count as usize && (0..).zip(mask).all(|(i, m)| *m == i || *m == u32::MAX);
    if identity {
        return Some(a);
    }
    let first = elements(function, a, count);
    let second = elements(function, b, count);
    let pick = |m: &u32| match *m {
        u32::MAX => Some(0),
        m if m < count => first.as_ref()?.get(m as usize).copied(),
        m => second.as_ref()?.get((m - count) as usize).copied(),
    };
    let new = mask.iter().map(pick).collect::<Option<Vec<u64>>>()?;
    Some(constant(types, function, ty, new))
}
