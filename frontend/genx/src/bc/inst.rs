//! Instructions.

use smallvec::{SmallVec, smallvec};

use super::codes::{BINARY, CASTS, signed};
use super::function::Body;
use super::{Global, Reader};
use crate::error::{Code, Result};
use crate::ir::function::Flags;
use crate::ir::{Const, FloatRel, InstData, IntRel, Op, Type, TypeData, Types, Value};
use crate::ir::{atomics, rules};

/// Codes of records.
pub(super) mod code {
    pub const BINOP: u64 = 2;
    pub const CAST: u64 = 3;
    pub const EXTRACTELT: u64 = 6;
    pub const INSERTELT: u64 = 7;
    pub const SHUFFLEVEC: u64 = 8;
    pub const CMP: u64 = 9;
    pub const RET: u64 = 10;
    pub const BR: u64 = 11;
    pub const SWITCH: u64 = 12;
    pub const UNREACHABLE: u64 = 15;
    pub const PHI: u64 = 16;
    pub const ALLOCA: u64 = 19;
    pub const LOAD: u64 = 20;
    pub const EXTRACTVAL: u64 = 26;
    pub const INSERTVAL: u64 = 27;
    pub const CMP2: u64 = 28;
    pub const VSELECT: u64 = 29;
    pub const CALL: u64 = 34;
    pub const FENCE: u64 = 36;
    pub const ATOMICRMW_OLD: u64 = 38;
    pub const LOADATOMIC: u64 = 41;
    pub const GEP: u64 = 43;
    pub const STORE: u64 = 44;
    pub const STOREATOMIC: u64 = 45;
    pub const CMPXCHG: u64 = 46;
    pub const OPERAND_BUNDLE: u64 = 55;
    pub const UNOP: u64 = 56;
    pub const FREEZE: u64 = 58;
    pub const ATOMICRMW: u64 = 59;
    /// Records of debug information.
    pub const DEBUG_RECORDS: std::ops::RangeInclusive<u64> = 61..=65;
}

/// Names of instructions that are refused.
const NAMES: &[(u64, &str)] = &[
    (5, "invoke"),
    (13, "invoke"),
    (23, "va_arg"),
    (31, "indirectbr"),
    (39, "resume"),
    (40, "landingpad"),
    (47, "landingpad"),
    (48, "cleanupret"),
    (49, "catchret"),
    (50, "catchpad"),
    (51, "cleanuppad"),
    (52, "catchswitch"),
    (57, "callbr"),
];

/// Number of the first relation of integers.
const FIRST_INT_RELATION: u64 = 32;

/// Bits of a call's second operand.
const EXPLICIT_TYPE: u64 = 1 << 15;
const HAS_FLAGS: u64 = 1 << 17;

/// Bits of flags of floats.
fn flags(bits: u64) -> Flags {
    let bit = |n: u32| bits >> n & 1 != 0;
    Flags {
        arcp: bit(0) || bit(4),
        contract: bit(0) || bit(5),
        afn: bit(0) || bit(6),
        reassoc: bit(0) || bit(7),
        ..Flags::default()
    }
}

/// Bytes of an alignment, which is coded as its logarithm plus 1.
fn alignment(power: u64) -> u32 {
    match power {
        1..=31 => 1 << (power - 1),
        _ => 0,
    }
}

impl Reader<'_> {
    /// Takes the value at a place, by its distance, and its type if it is not defined yet.
    fn typed(&mut self, body: &mut Body, at: &mut usize) -> Result<Value> {
        let number = self.absolute(body, self.op(*at)?);
        *at += 1;
        let is_forward = number >= (body.base + body.locals.len()) as u64;
        let ty = match is_forward {
            true => {
                let ty = self.ty(self.op(*at)?)?;
                *at += 1;
                Some(ty)
            }
            false => None,
        };
        self.value(body, number, ty)
    }

    /// Takes the value of a known type at a place.
    fn of_type(&mut self, body: &mut Body, at: &mut usize, ty: Type) -> Result<Value> {
        let number = self.absolute(body, self.op(*at)?);
        *at += 1;
        self.value(body, number, Some(ty))
    }

    fn rest(&self, at: usize) -> &[u64] {
        self.record.ops.get(at..).unwrap_or_default()
    }

    /// The instruction of a record; `None` for debug information.
    pub(super) fn instruction(&mut self, body: &mut Body) -> Result<Option<InstData>> {
        let mut at = 0;
        let none = Types::VOID;
        let inst = match self.record.code {
            code::BINOP => {
                let left = self.typed(body, &mut at)?;
                let ty = body.function.ty(left);
                let right = self.of_type(body, &mut at, ty)?;
                let number = self.op(at)?;
                let is_float = self.module.types.is_float(ty);
                let mut ops = BINARY.iter();
                let op = ops.find(|(n, op)| *n == number && op.is_float() == is_float);
                let Some((_, op)) = op else {
                    return Err(self.fail(format!("no operation has number {number}")));
                };
                let mut inst = self.make(body, Op::Binary(*op), smallvec![left, right], none)?;
                if is_float {
                    inst.flags = flags(self.rest(at + 1).first().copied().unwrap_or(0));
                }
                inst
            }
            code::UNOP => {
                let value = self.typed(body, &mut at)?;
                if self.op(at)? != 0 {
                    return Err(self.fail("no operation has this number"));
                }
                let mut inst = self.make(body, Op::FNeg, smallvec![value], none)?;
                inst.flags = flags(self.rest(at + 1).first().copied().unwrap_or(0));
                inst
            }
            code::FREEZE => {
                let value = self.typed(body, &mut at)?;
                self.make(body, Op::Freeze, smallvec![value], none)?
            }
            code::CAST => {
                let value = self.typed(body, &mut at)?;
                let ty = self.ty(self.op(at)?)?;
                let number = usize::try_from(self.op(at + 1)?).unwrap_or(usize::MAX);
                let Some(cast) = CASTS.get(number) else {
                    return Err(self.fail(format!("no conversion has number {number}")));
                };
                self.make(body, Op::Cast(*cast), smallvec![value], ty)?
            }
            code::CMP | code::CMP2 => self.compare(body)?,
            code::VSELECT => {
                let yes = self.typed(body, &mut at)?;
                let no = self.of_type(body, &mut at, body.function.ty(yes))?;
                let condition = self.typed(body, &mut at)?;
                self.make(body, Op::Select, smallvec![condition, yes, no], none)?
            }
            code::PHI => self.phi(body)?,
            code::EXTRACTELT => {
                let vector = self.typed(body, &mut at)?;
                let index = self.typed(body, &mut at)?;
                self.make(body, Op::ExtractElement, smallvec![vector, index], none)?
            }
            code::INSERTELT => {
                let vector = self.typed(body, &mut at)?;
                let Some(scalar) = self.module.types.element(body.function.ty(vector)) else {
                    return Err(self.fail("the first operand must be a vector"));
                };
                let element = self.module.types.scalar(scalar);
                let element = self.of_type(body, &mut at, element)?;
                let index = self.typed(body, &mut at)?;
                self.make(
                    body,
                    Op::InsertElement,
                    smallvec![vector, element, index],
                    none,
                )?
            }
            code::SHUFFLEVEC => self.shuffle(body)?,
            code::EXTRACTVAL => {
                let whole = self.typed(body, &mut at)?;
                let path = self.path(at)?;
                self.make(body, Op::ExtractValue(path), smallvec![whole], none)?
            }
            code::INSERTVAL => {
                let whole = self.typed(body, &mut at)?;
                let member = self.typed(body, &mut at)?;
                let path = self.path(at)?;
                self.make(body, Op::InsertValue(path), smallvec![whole, member], none)?
            }
            code::ALLOCA | code::LOAD | code::STORE | code::GEP => self.memory(body)?,
            code::LOADATOMIC
            | code::STOREATOMIC
            | code::FENCE
            | code::CMPXCHG
            | code::ATOMICRMW
            | code::ATOMICRMW_OLD => self.atomic(body)?,
            code::BR | code::SWITCH | code::RET | code::UNREACHABLE => self.terminator(body)?,
            code::CALL => return self.call(body),
            // A bundle belongs to the call that follows.
            code::OPERAND_BUNDLE => {
                self.bundles = true;
                return Ok(None);
            }
            code if code::DEBUG_RECORDS.contains(&code) => return Ok(None),
            code => {
                let message = match NAMES.iter().find(|(number, _)| *number == code) {
                    Some((_, name)) => format!("instruction {name} is not supported"),
                    None => return Err(self.fail(format!("no instruction has code {code}"))),
                };
                return Err(self.refused(Code::Instruction, message));
            }
        };
        Ok(Some(inst))
    }

    fn compare(&mut self, body: &mut Body) -> Result<InstData> {
        let mut at = 0;
        let left = self.typed(body, &mut at)?;
        let right = self.of_type(body, &mut at, body.function.ty(left))?;
        let number = self.op(at)?;
        let int = number.checked_sub(FIRST_INT_RELATION);
        let int = int.and_then(|n| IntRel::NAMES.get(usize::try_from(n).ok()?));
        let op = match (int, number) {
            (Some((_, rel)), _) => Op::ICmp(*rel),
            (None, ..=15) => Op::FCmp(FloatRel(number as u8)),
            _ => return Err(self.fail(format!("no relation has number {number}"))),
        };
        self.make(body, op, smallvec![left, right], Types::VOID)
    }

    /// Type, then values and blocks; values by their signed distance.
    fn phi(&mut self, body: &mut Body) -> Result<InstData> {
        let ty = self.ty(self.op(0)?)?;
        let mut inst = rules::data(Op::Phi, smallvec![], ty);
        if ty == Types::VOID || ty == Types::LABEL {
            return Err(self.fail("no value has this type"));
        }
        for i in (1..self.record.ops.len().saturating_sub(1)).step_by(2) {
            let distance = signed(self.op(i)?);
            let number = self.absolute(body, distance.cast_unsigned());
            inst.args.push(self.value(body, number, Some(ty))?);
            inst.targets.push(self.block(body, self.op(i + 1)?)?);
        }
        Ok(inst)
    }

    fn shuffle(&mut self, body: &mut Body) -> Result<InstData> {
        let mut at = 0;
        let first = self.typed(body, &mut at)?;
        let second = self.of_type(body, &mut at, body.function.ty(first))?;
        let mask = self.typed(body, &mut at)?;
        let Some(length) = self.module.types.count(body.function.ty(mask)) else {
            return Err(self.refused(Code::Mismatch, "the mask must be a vector"));
        };
        let number = self.absolute(body, self.op(at - 1)?);
        let mask = self.mask_of(body, number, length as usize)?;
        self.make(
            body,
            Op::Shuffle(mask.into()),
            smallvec![first, second],
            Types::VOID,
        )
    }

    /// Indices of members, which begin at a place.
    fn path(&self, at: usize) -> Result<SmallVec<[u32; 2]>> {
        let path = self
            .rest(at)
            .iter()
            .map(|index| match u32::try_from(*index) {
                Ok(index) => Ok(index),
                Err(_) => Err(self.fail(format!("there is no member {index}"))),
            });
        path.collect()
    }

    fn memory(&mut self, body: &mut Body) -> Result<InstData> {
        let mut at = 0;
        match self.record.code {
            code::ALLOCA => {
                let ty = self.ty(self.op(0)?)?;
                let count = self.op(2)?;
                let count = self.value(body, count, None)?;
                let bits = self.op(3)?;
                // Five bits, then flags, then the others.
                const EXPLICIT: u64 = 1 << 6;
                if bits & EXPLICIT == 0 {
                    return Err(self.fail("an allocation without a type"));
                }
                let space = u32::try_from(self.rest(4).first().copied().unwrap_or(0)).unwrap_or(0);
                let pointer = self.module.types.pointer(ty, space);
                let mut inst = self.make(body, Op::Alloca(ty), smallvec![count], pointer)?;
                inst.align = alignment(bits & 31 | bits >> 8 << 5);
                Ok(inst)
            }
            code::LOAD => {
                let pointer = self.typed(body, &mut at)?;
                let ty = self.ty(self.op(at)?)?;
                if matches!(ty, Types::VOID | Types::LABEL) {
                    return Err(self.fail("no value has this type"));
                }
                let mut inst = self.make(body, Op::Load, smallvec![pointer], ty)?;
                inst.align = alignment(self.op(at + 1)?);
                Ok(inst)
            }
            code::STORE => {
                let pointer = self.typed(body, &mut at)?;
                let value = self.typed(body, &mut at)?;
                let mut inst =
                    self.make(body, Op::Store, smallvec![value, pointer], Types::VOID)?;
                inst.align = alignment(self.op(at)?);
                Ok(inst)
            }
            _ => {
                let source = self.ty(self.op(1)?)?;
                at = 2;
                let mut args = smallvec![];
                while at < self.record.ops.len() {
                    args.push(self.typed(body, &mut at)?);
                }
                self.make(body, Op::Gep(source), args, Types::VOID)
            }
        }
    }

    /// An atomic access: pointer, values, and then numbers of which one is the ordering.
    fn atomic(&mut self, body: &mut Body) -> Result<InstData> {
        let code = self.record.code;
        let mut at = 0;
        let named = |reader: &Self, name: &str| reader.placed(atomics::op(name));
        if code == code::FENCE {
            let ordering = atomics::ordering(&mut body.function, self.op(0)?);
            let op = named(self, atomics::FENCE)?;
            return Ok(rules::data(op, smallvec![ordering], Types::VOID));
        }
        let pointer = self.typed(body, &mut at)?;
        let mut args: SmallVec<[Value; 3]> = smallvec![pointer];
        let (op, ty) = match code {
            code::LOADATOMIC => {
                let ty = self.ty(self.op(at)?)?;
                let load = self.make(body, Op::Load, args.clone(), ty)?;
                at += 3;
                (named(self, atomics::LOAD)?, load.ty)
            }
            code::STOREATOMIC => {
                let value = self.typed(body, &mut at)?;
                args.insert(0, value);
                self.make(body, Op::Store, args.clone(), Types::VOID)?;
                at += 2;
                (named(self, atomics::STORE)?, Types::VOID)
            }
            code::CMPXCHG => {
                let value = self.typed(body, &mut at)?;
                args.push(value);
                args.push(self.of_type(body, &mut at, body.function.ty(value))?);
                at += 1;
                let ty = rules::atomic(&mut self.module.types, &body.function, true, &args);
                (named(self, atomics::EXCHANGE)?, self.placed(ty)?)
            }
            _ => {
                let value = match (code, self.module.types.data(body.function.ty(pointer))) {
                    (code::ATOMICRMW, _) => self.typed(body, &mut at)?,
                    // The type of the value was that of the pointer.
                    _ => {
                        let number = self.absolute(body, self.op(at)?);
                        at += 1;
                        self.value(body, number, None)?
                    }
                };
                args.push(value);
                let op = atomics::operation(self.op(at)?);
                at += 2;
                let ty = rules::atomic(&mut self.module.types, &body.function, false, &args);
                (self.placed(op)?, self.placed(ty)?)
            }
        };
        args.push(atomics::ordering(&mut body.function, self.op(at)?));
        Ok(rules::data(op, args, ty))
    }

    fn terminator(&mut self, body: &mut Body) -> Result<InstData> {
        let mut at = 0;
        match self.record.code {
            code::RET => {
                let mut args = smallvec![];
                if !self.record.ops.is_empty() {
                    args.push(self.typed(body, &mut at)?);
                }
                self.make(body, Op::Ret, args, Types::VOID)
            }
            code::BR if self.record.ops.len() == 1 => {
                let mut inst = self.make(body, Op::Br, smallvec![], Types::VOID)?;
                inst.targets.push(self.block(body, self.op(0)?)?);
                Ok(inst)
            }
            code::BR => {
                let targets = [
                    self.block(body, self.op(0)?)?,
                    self.block(body, self.op(1)?)?,
                ];
                at = 2;
                let condition = self.of_type(body, &mut at, Types::I1)?;
                let mut inst = self.make(body, Op::CondBr, smallvec![condition], Types::VOID)?;
                inst.targets.extend(targets);
                Ok(inst)
            }
            code::SWITCH => {
                let ty = self.ty(self.op(0)?)?;
                at = 1;
                let value = self.of_type(body, &mut at, ty)?;
                let mut targets = smallvec![self.block(body, self.op(2)?)?];
                let mut numbers = Vec::new();
                for i in (3..self.record.ops.len().saturating_sub(1)).step_by(2) {
                    let case = self.op(i)?;
                    let case = self.constant(body, case)?;
                    match body.function.as_bits(case) {
                        Some(bits) if body.function.ty(case) == ty => numbers.push(bits),
                        _ => return Err(self.refused(Code::Mismatch, "the case has another type")),
                    }
                    targets.push(self.block(body, self.op(i + 1)?)?);
                }
                let op = Op::Switch(numbers.into());
                let mut inst = self.make(body, op, smallvec![value], Types::VOID)?;
                inst.targets = targets;
                Ok(inst)
            }
            _ => self.make(body, Op::Unreachable, smallvec![], Types::VOID),
        }
    }

    /// Attributes, calling convention and bits, flags if there are, the function's type, the function, arguments.
    fn call(&mut self, body: &mut Body) -> Result<Option<InstData>> {
        let bundles = std::mem::take(&mut self.bundles);
        let bits = self.op(1)?;
        let mut at = 2;
        let mut fast = Flags::default();
        if bits & HAS_FLAGS != 0 {
            fast = flags(self.op(at)?);
            at += 1;
        }
        if bits & EXPLICIT_TYPE == 0 {
            return Err(self.fail("a call without the function's type"));
        }
        let ty = self.ty(self.op(at)?)?;
        at += 1;
        let TypeData::Function(result, params, variadic) = self.module.types.data(ty).clone()
        else {
            return Err(self.fail("the type of a function is none"));
        };
        let number = self.absolute(body, self.op(at)?);
        let direct = match usize::try_from(number).ok().filter(|n| *n < body.base) {
            Some(number) => match self.values[number] {
                Global::Function(id, _) => Some(id),
                _ => None,
            },
            None => None,
        };
        let name = direct.map(|id| self.module.functions[id].name.clone());
        let asm = self.asm(body, number)?;
        let callee = match &name {
            None if asm.is_some() => {
                at += 1;
                None
            }
            Some(name) => {
                at += 1;
                if name.starts_with("llvm.dbg.") {
                    return Ok(None);
                }
                None
            }
            None => Some(self.typed(body, &mut at)?),
        };
        let mut args = SmallVec::new();
        for param in &params {
            if *param == Types::METADATA {
                self.op(at)?;
                args.push(rules::metadata_value(&mut body.function));
                at += 1;
            } else if *param == Types::LABEL || *param == Types::VOID {
                return Err(self.fail("no value has the type of a parameter"));
            } else {
                args.push(self.of_type(body, &mut at, *param)?);
            }
        }
        while variadic && at < self.record.ops.len() {
            args.push(self.typed(body, &mut at)?);
        }
        if let Some(asm) = asm {
            return Ok(Some(self.make(body, Op::Asm(asm), args, result)?));
        }
        let (Some(name), Some(id)) = (name, direct) else {
            let types = args.iter().map(|arg| body.function.ty(*arg)).collect();
            let ty = TypeData::Function(result, types, false);
            let ty = self.module.types.checked(ty);
            let ty = self.placed(ty)?;
            if bundles {
                return Err(self.refused(Code::Call, "operand bundles are not supported"));
            }
            args.insert_from_slice(0, callee.as_slice());
            let mut inst = rules::data(Op::CallIndirect(ty), args, result);
            inst.flags = fast;
            return Ok(Some(inst));
        };
        let callee = rules::callee(&name);
        let callee = self.placed(callee)?;
        if bundles && !matches!(callee, rules::Callee::Nothing) {
            return Err(self.refused(Code::Call, "operand bundles are not supported"));
        }
        let op = match callee {
            rules::Callee::Nothing if result == Types::VOID => return Ok(None),
            rules::Callee::Nothing => {
                let undef = body.function.constant(result, Const::Undef);
                return Ok(Some(self.make(
                    body,
                    Op::Freeze,
                    smallvec![undef],
                    result,
                )?));
            }
            rules::Callee::Intrinsic(intrinsic) => Op::Intrinsic(intrinsic),
            rules::Callee::Function => Op::Call(id),
        };
        crate::intrinsics::name_handle(&mut self.module.types, &mut body.function, &name, &args);
        if let Op::Intrinsic(intrinsic) = op
            && let crate::intrinsics::Kind::Masked(masked) = intrinsic.kind()
        {
            let align = self.param_align(self.op(0)?, masked.stores.into());
            rules::align_masked(&mut body.function, &op, &mut args, align.unwrap_or(1));
        }
        let mut inst = rules::data(op, args, result);
        inst.flags = fast;
        if rules::copies(&inst.op) {
            let list = self.op(0)?;
            let pointers = params.iter().enumerate();
            let pointers = pointers.filter(|(_, ty)| self.module.types.is_pointer(**ty));
            let aligns = pointers.map(|(i, _)| self.param_align(list, i).unwrap_or(1));
            inst.align = aligns.min().unwrap_or(1);
        }
        Ok(Some(inst))
    }
}
