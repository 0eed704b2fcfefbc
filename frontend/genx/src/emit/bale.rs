//! Baling: instructions of the IR that become part of another's instruction.
//!
//! A folded instruction has no variable. As a source it is a region, a narrower type, or a modifier of the operand
//! that uses it; as a destination, the operation that computes into the region that its only user writes; a product
//! becomes part of a sum. All users must be in its block and able to take it, so that its operands are only kept
//! alive a little longer.

use cranelift_entity::SecondaryMap;
use kiln_visa::opcode::Opcode;
use smallvec::SmallVec;

use crate::intrinsics::messages::Part;
use crate::intrinsics::{Kind, Sign};
use crate::ir::{
    BinaryOp, Block, CastOp, Const, Function, Inst, Module, Op, Scalar, Types, Value, ValueDef,
};

/// Uses of a value: the instruction, and the number of its operand.
pub type Uses = SecondaryMap<Value, SmallVec<[(Inst, u32); 2]>>;

/// How an instruction is folded into another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fold {
    /// The instruction stays by itself.
    #[default]
    No,
    /// A region, narrower type or modifier of a source.
    Source,
    /// The user of the result gives the destination.
    Destination,
    /// The product of a sum.
    Product,
    /// The complement of a predicate, or its first elements.
    Mask,
}

/// Kinds of sources that can be folded into an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Region,
    Extension,
    Modifier,
}

/// Facts about a function that folding and emission ask for.
pub struct Bales {
    pub fold: SecondaryMap<Inst, Fold>,
    pub uses: Uses,
    pub block_of: SecondaryMap<Inst, Option<Block>>,
}

/// The uses of all values.
pub fn uses(function: &Function) -> Uses {
    let mut uses = Uses::new();
    for &block in &function.order {
        for &inst in &function.blocks[block].insts {
            for (i, arg) in (0..).zip(&function.insts[inst].args) {
                uses[*arg].push((inst, i));
            }
        }
    }
    uses
}

/// True if the instruction only gives another type or name to a value.
pub fn is_alias(types: &Types, function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    let Some(arg) = data.args.first() else {
        return false;
    };
    let (from, to) = (types.shape(function.ty(*arg)), types.shape(data.ty));
    let (Some(from), Some(to)) = (from, to) else {
        return false;
    };
    let bool_ends = from.1 == Scalar::Int(1) || to.1 == Scalar::Int(1);
    match data.op {
        Op::Freeze => true,
        Op::Cast(CastOp::BitCast | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::AddrSpaceCast) => {
            let bits = |(n, scalar)| n * types.bits(scalar);
            bits(from) == bits(to) && (!bool_ends || from.1 == to.1)
        }
        Op::Intrinsic(intrinsic) => {
            matches!(intrinsic.kind(), Kind::Copy)
                && from.0 * types.bits(from.1) == to.0 * types.bits(to.1)
        }
        _ => false,
    }
}

struct Baler<'a> {
    module: &'a Module,
    function: &'a Function,
    bales: Bales,
}

/// Folds what can be folded.
pub fn bale(module: &Module, function: &Function) -> Bales {
    let mut block_of = SecondaryMap::new();
    for &block in &function.order {
        for &inst in &function.blocks[block].insts {
            block_of[inst] = Some(block);
        }
    }
    let mut baler = Baler {
        module,
        function,
        bales: Bales {
            fold: SecondaryMap::new(),
            uses: uses(function),
            block_of,
        },
    };
    // Users before what they use: a user that is folded itself takes less.
    for &block in function.order.iter().rev() {
        for &inst in function.blocks[block].insts.iter().rev() {
            baler.bales.fold[inst] = baler.fold(inst);
        }
    }
    baler.bales
}

impl Baler<'_> {
    fn fold(&self, inst: Inst) -> Fold {
        let data = &self.function.insts[inst];
        let Some(result) = data.result else {
            return Fold::No;
        };
        if !data.op.is_movable() || is_alias(&self.module.types, self.function, inst) {
            return Fold::No;
        }
        let uses = &self.bales.uses[result];
        let here = |(user, _): &(Inst, u32)| {
            self.bales.block_of[*user] == self.bales.block_of[inst]
                && self.function.insts[*user].op != Op::Phi
        };
        if uses.is_empty() || !uses.iter().all(here) {
            return Fold::No;
        }
        let types = &self.module.types;
        if matches!(data.op, Op::InsertValue(_)) {
            let takes = |(user, _): &(Inst, u32)| {
                matches!(self.function.insts[*user].op, Op::Ret | Op::InsertValue(_))
            };
            return match uses.iter().all(takes) {
                true => Fold::Source,
                false => Fold::No,
            };
        }
        if types.is_bool(data.ty) {
            return match self.is_mask(inst) && uses.iter().all(|u| self.takes_mask(*u)) {
                true => Fold::Mask,
                false => Fold::No,
            };
        }
        if let Some(class) = self.class(inst)
            && uses
                .iter()
                .all(|(user, arg)| self.takes(*user, *arg, class, inst))
            && (uses.len() == 1 || !self.is_indirect(inst))
        {
            return Fold::Source;
        }
        if let [(user, arg)] = uses[..] {
            if self.gives_destination(user, arg) && self.is_simple(inst, self.is_masked(user)) {
                return Fold::Destination;
            }
            if self.is_product(inst, user) {
                return Fold::Product;
            }
        }
        Fold::No
    }

    /// True if a predicate's complement or beginning.
    fn is_mask(&self, inst: Inst) -> bool {
        let data = &self.function.insts[inst];
        match &data.op {
            Op::Binary(BinaryOp::Xor) => self.function.as_bits(data.args[1]) == Some(1),
            Op::Shuffle(mask) => {
                let count = self.module.types.count(self.function.ty(data.args[0]));
                let first = (0..).zip(mask.iter()).all(|(i, m)| *m == i);
                first && mask.len() <= 32 && count.is_some_and(|n| mask.len() <= n as usize)
            }
            _ => false,
        }
    }

    fn takes_mask(&self, (user, arg): (Inst, u32)) -> bool {
        let data = &self.function.insts[user];
        match &data.op {
            Op::CondBr => true,
            Op::Select => arg == 0 && !self.module.types.is_bool(data.ty),
            Op::Intrinsic(intrinsic) => match intrinsic.kind() {
                Kind::WriteRegion => arg == 7,
                _ => false,
            },
            _ => false,
        }
    }

    fn is_indirect(&self, inst: Inst) -> bool {
        let data = &self.function.insts[inst];
        match &data.op {
            Op::Intrinsic(_) => data
                .args
                .get(4)
                .is_some_and(|v| self.function.as_const(*v).is_none()),
            Op::ExtractElement => self.function.as_const(data.args[1]).is_none(),
            _ => false,
        }
    }

    /// Class of a source that the instruction can be.
    fn class(&self, inst: Inst) -> Option<Class> {
        let function = self.function;
        let types = &self.module.types;
        let data = &function.insts[inst];
        let arg = *data.args.first()?;
        if types.is_bool(function.ty(arg))
            || matches!(function.values[arg].def, ValueDef::Const(_))
                && !matches!(data.op, Op::InsertElement)
        {
            return None;
        }
        match &data.op {
            Op::Intrinsic(intrinsic) => match intrinsic.kind() {
                Kind::ReadRegion => {
                    let offset = *data.args.get(4)?;
                    let scalar = types.count(function.ty(offset)).is_none_or(|n| n == 1);
                    let constant = function.as_const(offset).is_some();
                    (constant || scalar).then_some(Class::Region)
                }
                Kind::Modifier(_) => Some(Class::Modifier),
                _ => None,
            },
            Op::ExtractElement => Some(Class::Region),
            Op::Shuffle(mask) => {
                let n = types.count(function.ty(arg))?;
                let first = mask.iter().all(|m| *m < n || *m == u32::MAX);
                first.then_some(Class::Region)
            }
            // The start of a splat.
            Op::InsertElement => {
                let zero = function.as_bits(data.args[2]) == Some(0);
                let splat = |(user, _): &(Inst, u32)| match &function.insts[*user].op {
                    Op::Shuffle(mask) => mask.iter().all(|m| *m == 0 || *m == u32::MAX),
                    _ => false,
                };
                let uses = &self.bales.uses[data.result?];
                (zero && uses.iter().all(splat)).then_some(Class::Region)
            }
            Op::Cast(CastOp::ZExt | CastOp::SExt) => {
                let to = types.element(data.ty)?;
                let from = types.element(function.ty(arg))?;
                let fits = types.bits(to) == 32 || types.bits(from) == 32;
                fits.then_some(Class::Extension)
            }
            // A bfloat has no modifier in vISA.
            Op::FNeg => (types.element(data.ty) != Some(Scalar::BFloat)).then_some(Class::Modifier),
            _ => None,
        }
    }

    /// True if an operand can be a source of this class.
    fn takes(&self, user: Inst, arg: u32, class: Class, folded: Inst) -> bool {
        let data = &self.function.insts[user];
        let types = &self.module.types;
        let element = types.element(data.ty);
        match &data.op {
            Op::Binary(op) => {
                if !self.is_simple(user, false) {
                    return false;
                }
                match class {
                    Class::Region => true,
                    Class::Extension => {
                        matches!(op, BinaryOp::Add | BinaryOp::Sub)
                            && self.is_only_extension(user, arg, folded)
                    }
                    Class::Modifier => {
                        matches!(op, BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul)
                            && element != Some(Scalar::BFloat)
                    }
                }
            }
            Op::ICmp(_) => class == Class::Region,
            Op::FCmp(_) => class == Class::Region,
            Op::Cast(_) => class == Class::Region && self.is_simple(user, false),
            Op::Select => arg > 0 && class == Class::Region,
            Op::FNeg => class == Class::Region,
            Op::ExtractElement | Op::Shuffle(_) => {
                arg == 0 && class == Class::Region && !self.is_indirect(user)
            }
            Op::InsertElement => arg == 1 && class == Class::Region,
            Op::Intrinsic(intrinsic) => match intrinsic.kind() {
                Kind::ReadRegion => {
                    arg == 0
                        && class == Class::Region
                        && !self.is_indirect(user)
                        && !self.is_indirect(folded)
                }
                Kind::WriteRegion => arg == 1 && class == Class::Region,
                Kind::Alu(alu) => class == Class::Region && group(alu.op) == 1,
                Kind::Modifier(_) | Kind::Saturate | Kind::Extremum(..) => class == Class::Region,
                Kind::Message(message) => {
                    let scalar = |part: &Part| *part == Part::Scalar(arg as u8);
                    class == Class::Region && message.parts.iter().any(scalar)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// True if no other operand of a sum is extended: the sum would be too narrow.
    fn is_only_extension(&self, user: Inst, arg: u32, folded: Inst) -> bool {
        let data = &self.function.insts[user];
        let other = data.args[1 - arg as usize];
        let extended = self
            .function
            .inst_of(other)
            .is_some_and(|inst| inst == folded || self.class(inst) == Some(Class::Extension));
        !extended && self.function.as_const(other).is_none()
    }

    fn is_masked(&self, user: Inst) -> bool {
        let data = &self.function.insts[user];
        data.args
            .get(7)
            .is_some_and(|mask| self.function.as_bits(*mask) != Some(1))
    }

    /// True if the user can give its operand a destination.
    fn gives_destination(&self, user: Inst, arg: u32) -> bool {
        let data = &self.function.insts[user];
        let folded = self.bales.fold[user];
        match &data.op {
            Op::Intrinsic(intrinsic) => match intrinsic.kind() {
                Kind::WriteRegion => {
                    let types = &self.module.types;
                    let offset = data.args[5];
                    let single = types.count(self.function.ty(offset)).is_none_or(|n| n == 1);
                    arg == 1 && (single || self.function.as_const(offset).is_some())
                }
                Kind::Saturate => true,
                _ => false,
            },
            Op::InsertElement => arg == 1 && folded == Fold::No,
            _ => false,
        }
    }

    /// True if the instruction is one elementwise operation. One whose user has a mask must not need a mask itself.
    fn is_simple(&self, inst: Inst, masked: bool) -> bool {
        is_simple(self.module, self.function, inst) && !(masked && needs_mask(self.function, inst))
    }

    fn is_product(&self, inst: Inst, user: Inst) -> bool {
        let (product, sum) = (&self.function.insts[inst], &self.function.insts[user]);
        let element = self.module.types.element(product.ty);
        product.op == Op::Binary(BinaryOp::FMul)
            && matches!(sum.op, Op::Binary(BinaryOp::FAdd))
            && product.flags.contract
            && sum.flags.contract
            && matches!(element, Some(Scalar::Float | Scalar::Double | Scalar::Half))
            && sum.args[0] != sum.args[1]
            && !self.other_is_product(user, inst)
    }

    fn other_is_product(&self, user: Inst, inst: Inst) -> bool {
        let result = self.function.insts[inst].result;
        let args = &self.function.insts[user].args;
        let others = args.iter().filter(|arg| Some(**arg) != result);
        let mut insts = others.filter_map(|arg| self.function.inst_of(*arg));
        insts.any(|other| self.bales.fold[other] == Fold::Product)
    }
}

fn needs_mask(function: &Function, inst: Inst) -> bool {
    matches!(function.insts[inst].op, Op::Select)
}

/// True if the instruction is one elementwise operation of vISA.
pub fn is_simple(module: &Module, function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    let types = &module.types;
    let Some(element) = types.element(data.ty) else {
        return false;
    };
    if element == Scalar::Int(1) {
        return false;
    }
    let from = data
        .args
        .first()
        .and_then(|arg| types.element(function.ty(*arg)));
    let from_bool = from == Some(Scalar::Int(1));
    match data.op {
        Op::Binary(op) => match op {
            BinaryOp::Mul => types.bits(element) < 64,
            BinaryOp::FDiv => data.flags.arcp && matches!(element, Scalar::Float | Scalar::Half),
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem => false,
            BinaryOp::FRem => false,
            _ => element != Scalar::BFloat,
        },
        Op::FNeg => element != Scalar::BFloat,
        Op::Cast(op) => {
            let Some(from) = from else { return false };
            !from_bool && is_simple_cast(types, op, from, element)
        }
        Op::Select => {
            types.count(function.ty(data.args[0])).unwrap_or(1) == types.count(data.ty).unwrap_or(1)
        }
        Op::Intrinsic(intrinsic) => match intrinsic.kind() {
            Kind::Alu(alu) => {
                let round = matches!(
                    alu.op,
                    Opcode::Rndd | Opcode::Rndu | Opcode::Rnde | Opcode::Rndz | Opcode::Frc
                );
                let root = matches!(alu.op, Opcode::Sqrtm | Opcode::Divm);
                !(group(alu.op) > 1 || root || round && element != Scalar::Float)
            }
            Kind::Modifier(_) | Kind::Extremum(..) => true,
            _ => false,
        },
        _ => false,
    }
}

/// Channels that an operation computes from together.
pub fn group(op: Opcode) -> u32 {
    match op {
        Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph => 4,
        Opcode::Sad2 | Opcode::Sad2Add => 2,
        _ => 1,
    }
}

/// True if vISA converts these types by one move.
pub fn is_simple_cast(types: &Types, op: CastOp, from: Scalar, to: Scalar) -> bool {
    let (a, b) = (types.bits(from), types.bits(to));
    let small = |bits: u32| bits <= 16;
    let bf = from == Scalar::BFloat || to == Scalar::BFloat;
    // Bytes and words, and halves, are not converted to or from what has 64 bits.
    let far = (a == 64 && small(b) && (from.is_float() || to.is_float() || b == 8))
        || (b == 64 && small(a) && (from.is_float() || to.is_float() || a == 8));
    match op {
        CastOp::BitCast | CastOp::AddrSpaceCast => false,
        CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::PtrToInt | CastOp::IntToPtr => {
            matches!(op, CastOp::Trunc) || !far
        }
        _ => !bf && !far,
    }
}

/// Sign of the operands of a relation or an operation.
pub fn sign(signed: bool) -> Sign {
    match signed {
        true => Sign::Signed,
        false => Sign::Unsigned,
    }
}

/// Constant of a value, if it is a scalar or a vector of equal elements.
pub fn uniform(function: &Function, value: Value) -> Option<u64> {
    match function.as_const(value) {
        Some(Const::Undef) => Some(0),
        _ => function.as_bits(value),
    }
}
