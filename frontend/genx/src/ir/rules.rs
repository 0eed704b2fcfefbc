//! Rules of operations and constants, which both readers make theirs by, and which the verifier checks by.
//!
//! [`check`] takes an operation and its operands, and gives the type of its result. For the operations that name
//! their own result (casts, loads, calls) it is the named one. [`Constants`] keeps the constants of a function that
//! is read in one form, however they were written, and makes instructions of those that are expressions.

use std::collections::HashMap;

use smallvec::{SmallVec, smallvec};

use super::asm::{Asm, Form};
use super::fault::Fault;
use super::function::{
    CastOp, Const, Flags, Function, FunctionId, Inst, InstData, Op, Value, ValueData, ValueDef,
};
use super::module::Data;
use super::types::{Scalar, Type, TypeData, Types};
use crate::error::{Code, Loc, nearest};
use crate::intrinsics::{Intrinsic, Kind, launch};

/// Bytes of the address of a function.
const ADDRESS: usize = 8;
/// Bytes of a variable's data.
pub const MAX_DATA: u64 = 1 << 28;

type Rule<T> = Result<T, Fault>;

fn mismatch<T>(message: impl Into<String>) -> Rule<T> {
    Err(Fault::new(Code::Mismatch, message))
}

fn bad_constant<T>(message: impl Into<String>) -> Rule<T> {
    Err(Fault::new(Code::Constant, message))
}

/// True for an intrinsic that copies or sets memory: the alignment of its pointers matters.
pub fn copies(op: &Op) -> bool {
    match op {
        Op::Intrinsic(intrinsic) => matches!(intrinsic.kind(), Kind::MemCopy { .. } | Kind::MemSet),
        _ => false,
    }
}

/// Instruction without a place.
pub fn data(op: Op, args: SmallVec<[Value; 3]>, ty: Type) -> InstData {
    InstData {
        op,
        args,
        targets: smallvec![],
        ty,
        result: None,
        flags: Flags::default(),
        align: 0,
        loc: Loc::default(),
        dbg: None,
    }
}

/// True if a value of one type can be used where the other is wanted. The name of a handle is not known everywhere.
pub fn fits(types: &Types, found: Type, wanted: Type) -> bool {
    let is_handle = |ty| matches!(types.data(ty), TypeData::Handle(_));
    let is_pointer = |ty| matches!(types.data(ty), TypeData::Scalar(Scalar::Ptr(_)));
    found == wanted
        || is_handle(found) && is_pointer(wanted)
        || is_pointer(found) && is_handle(wanted)
}

/// Message that two types should be the same.
fn differ<T>(types: &Types, what: &str, found: Type, wanted: Type) -> Rule<T> {
    mismatch(format!(
        "{what} is {}, not {}",
        types.name(found),
        types.name(wanted)
    ))
}

/// Operands that an operation has.
fn arity(op: &Op, result: Type) -> (usize, usize) {
    match op {
        Op::FNeg | Op::Cast(_) | Op::ExtractValue(_) | Op::Freeze | Op::Alloca(_) | Op::Load => {
            (1, 1)
        }
        Op::Binary(_) | Op::ICmp(_) | Op::FCmp(_) | Op::ExtractElement | Op::Shuffle(_) => (2, 2),
        Op::InsertValue(_) | Op::Store => (2, 2),
        Op::Select | Op::InsertElement => (3, 3),
        Op::CondBr | Op::Switch(_) => (1, 1),
        Op::Br | Op::Unreachable => (0, 0),
        Op::Ret if result == Types::VOID => (0, 0),
        Op::Ret => (1, 1),
        Op::Gep(_) | Op::CallIndirect(_) => (1, usize::MAX),
        Op::Asm(asm) => {
            let count = asm.forms.len() - asm.results;
            (count, count)
        }
        Op::Phi | Op::Call(_) | Op::Intrinsic(_) => (0, usize::MAX),
    }
}

/// Type of an operation's result. `stated` is the type that the operation itself names, or the result that is known.
///
/// # Errors
/// The operands are not those of the operation.
pub fn check(
    types: &mut Types,
    function: &Function,
    op: &Op,
    args: &[Value],
    stated: Type,
) -> Rule<Type> {
    let (least, most) = arity(op, function.result);
    if !(least..=most).contains(&args.len()) {
        return mismatch(format!("{} operands are too many or too few", args.len()));
    }
    let ty = |i: usize| function.ty(args[i]);
    let vector = |types: &Types| match *types.data(ty(0)) {
        TypeData::Vector(count, scalar) => Ok((count, scalar)),
        _ => mismatch("the first operand must be a vector"),
    };
    let same = |types: &Types, a: usize, b: usize| match fits(types, ty(b), ty(a)) {
        true => Ok(()),
        false => differ(types, "an operand", ty(b), ty(a)),
    };
    match op {
        Op::Binary(binary) => {
            same(types, 0, 1)?;
            let element = types.element(ty(0));
            match element.is_some_and(|e| e.is_float() == binary.is_float()) {
                true => Ok(ty(0)),
                false => mismatch(format!("no such operation for {}", types.name(ty(0)))),
            }
        }
        Op::FNeg if !types.is_float(ty(0)) => {
            mismatch(format!("no such operation for {}", types.name(ty(0))))
        }
        Op::FNeg | Op::Freeze => Ok(ty(0)),
        Op::ICmp(_) | Op::FCmp(_) => {
            same(types, 0, 1)?;
            match types.element(ty(0)) {
                Some(e) if e.is_float() == matches!(op, Op::FCmp(_)) => {
                    let count = types.count(ty(0));
                    Ok(types.shaped(count, Scalar::Int(1)))
                }
                _ => mismatch(format!("no such relation for {}", types.name(ty(0)))),
            }
        }
        Op::Select => {
            same(types, 1, 2)?;
            let count = types.count(ty(0));
            if !types.is_bool(ty(0)) || count.is_some() && count != types.count(ty(1)) {
                return mismatch("the condition must be an i1, or one for each element");
            }
            Ok(ty(1))
        }
        Op::ExtractElement | Op::InsertElement => {
            let (_, scalar) = vector(types)?;
            let element = types.scalar(scalar);
            let (index, result) = match op {
                Op::ExtractElement => (ty(1), element),
                _ if ty(1) != element => {
                    return mismatch("the element has another type than the vector's");
                }
                _ => (ty(2), ty(0)),
            };
            match *types.data(index) {
                TypeData::Scalar(Scalar::Int(_)) => Ok(result),
                _ => mismatch("the index must be an integer"),
            }
        }
        Op::Shuffle(mask) => {
            let (count, scalar) = vector(types)?;
            if ty(1) != ty(0) {
                return mismatch("both vectors must have the same type");
            }
            if mask.iter().any(|m| *m != u32::MAX && *m >= 2 * count) || mask.is_empty() {
                return mismatch("an element of the mask is too large, or it has none");
            }
            types.vector(mask.len() as u64, scalar)
        }
        Op::ExtractValue(path) => member(types, ty(0), path),
        Op::InsertValue(path) => match member(types, ty(0), path)? {
            inside if fits(types, ty(1), inside) => Ok(ty(0)),
            inside => differ(types, "the value", ty(1), inside),
        },
        Op::Cast(cast) => check_cast(types, *cast, ty(0), stated),
        Op::Gep(_) => {
            let mut result = ty(0);
            for arg in args {
                match (types.count(function.ty(*arg)), types.element(result)) {
                    (Some(n), Some(Scalar::Ptr(space))) => {
                        result = types.shaped(Some(n), Scalar::Ptr(space))
                    }
                    (_, Some(_)) => {}
                    _ => return mismatch("the base must be a pointer"),
                }
            }
            let is_index =
                |arg: &Value| matches!(types.element(function.ty(*arg)), Some(Scalar::Int(_)));
            match args[1..].iter().all(is_index) && is_address(types, ty(0)) {
                true => Ok(result),
                false => mismatch("the base must be a pointer, and an index an integer"),
            }
        }
        Op::Load | Op::Store => {
            let address = ty(args.len() - 1);
            if !matches!(types.data(address), TypeData::Scalar(Scalar::Ptr(_))) {
                return mismatch("the address must be a pointer");
            }
            Ok(if *op == Op::Load { stated } else { Types::VOID })
        }
        Op::Phi => match args
            .iter()
            .find(|arg| !fits(types, function.ty(**arg), stated))
        {
            Some(arg) => differ(types, "an operand", function.ty(*arg), stated),
            None => Ok(stated),
        },
        Op::CondBr if ty(0) != Types::I1 => mismatch("the condition of a branch is an i1"),
        Op::Switch(_) if !matches!(types.data(ty(0)), TypeData::Scalar(Scalar::Int(_))) => {
            mismatch("a switch takes an integer")
        }
        Op::Ret if args.len() == 1 && !fits(types, ty(0), function.result) => {
            mismatch("the function has another result")
        }
        Op::CondBr | Op::Switch(_) | Op::Ret | Op::Br | Op::Unreachable => Ok(Types::VOID),
        Op::Asm(asm) => check_asm(types, function, asm, args, stated),
        Op::Intrinsic(intrinsic) if stated == Types::VOID && intrinsic.is_pure() => {
            mismatch(format!("{} has a result", intrinsic.name()))
        }
        Op::Alloca(_) | Op::Call(_) | Op::CallIndirect(_) | Op::Intrinsic(_) => Ok(stated),
    }
}

/// Type of what inline assembly gives.
fn check_asm(
    types: &Types,
    function: &Function,
    asm: &Asm,
    args: &[Value],
    stated: Type,
) -> Rule<Type> {
    let results = match types.data(stated) {
        TypeData::Void => Vec::new(),
        TypeData::Struct(fields, _) => fields.clone(),
        _ => vec![stated],
    };
    if results.len() != asm.results {
        let count = asm.results;
        return mismatch(format!(
            "the constraints of inline assembly are of {count} results"
        ));
    }
    for (form, arg) in asm.forms[asm.results..].iter().zip(args) {
        let ty = function.ty(*arg);
        if let Form::Result(number) = form
            && !fits(types, ty, results[*number as usize])
        {
            return differ(types, "an operand", ty, results[*number as usize]);
        }
        if types.shape(ty).is_none() {
            return mismatch(format!(
                "{} is no operand of inline assembly",
                types.name(ty)
            ));
        }
    }
    match results.iter().find(|ty| types.shape(**ty).is_none()) {
        Some(ty) => mismatch(format!(
            "{} is no result of inline assembly",
            types.name(*ty)
        )),
        None => Ok(stated),
    }
}

fn is_address(types: &Types, ty: Type) -> bool {
    matches!(types.element(ty), Some(Scalar::Ptr(_)))
}

/// Type of a member of an aggregate.
fn member(types: &Types, mut ty: Type, path: &[u32]) -> Rule<Type> {
    if path.is_empty() {
        return mismatch("an index is expected");
    }
    for index in path {
        let inside = match types.data(ty) {
            TypeData::Struct(fields, _) => fields.get(*index as usize).copied(),
            TypeData::Array(n, element) if u64::from(*index) < *n => Some(*element),
            _ => None,
        };
        match inside {
            Some(inside) => ty = inside,
            None => return mismatch(format!("there is no member {index}")),
        }
    }
    Ok(ty)
}

/// Rules of conversions, those that any later step relies on.
fn check_cast(types: &Types, cast: CastOp, from: Type, to: Type) -> Rule<Type> {
    let (Some((n, a)), Some((m, b))) = (types.shape(from), types.shape(to)) else {
        return mismatch(format!(
            "no conversion from {} to {}",
            types.name(from),
            types.name(to)
        ));
    };
    let (wide, narrow) = (types.bits(a), types.bits(b));
    let handle = |ty| matches!(types.data(ty), TypeData::Handle(_));
    let pointer = |s| matches!(s, Scalar::Ptr(_));
    let right = match cast {
        // Handles are numbers of 32 bits in any type.
        _ if handle(from) || handle(to) => true,
        CastOp::BitCast if pointer(a) || pointer(b) => n == m && pointer(a) && pointer(b),
        CastOp::BitCast => u64::from(n) * u64::from(wide) == u64::from(m) * u64::from(narrow),
        _ if n != m => false,
        CastOp::Trunc => a.is_int() && b.is_int() && narrow < wide,
        CastOp::ZExt | CastOp::SExt => a.is_int() && b.is_int() && narrow > wide,
        CastOp::FpTrunc => a.is_float() && b.is_float() && narrow < wide,
        CastOp::FpExt => a.is_float() && b.is_float() && narrow > wide,
        CastOp::FpToUi | CastOp::FpToSi => a.is_float() && b.is_int(),
        CastOp::UiToFp | CastOp::SiToFp => a.is_int() && b.is_float(),
        CastOp::PtrToInt => pointer(a) && b.is_int(),
        CastOp::IntToPtr => a.is_int() && pointer(b),
        CastOp::AddrSpaceCast => pointer(a) && pointer(b),
    };
    match right {
        true => Ok(to),
        false => mismatch(format!(
            "no such conversion from {} to {}",
            types.name(from),
            types.name(to)
        )),
    }
}

/// Gives a masked access of LLVM 22, whose alignment is an attribute of the address, the operand that it had before.
pub fn align_masked(function: &mut Function, op: &Op, args: &mut SmallVec<[Value; 3]>, align: u32) {
    let Op::Intrinsic(intrinsic) = op else { return };
    if let (Kind::Masked(masked), 3) = (intrinsic.kind(), args.len()) {
        let align = if align == u32::MAX { 1 } else { align };
        let align = function.bits(Types::I32, align.into());
        args.insert(1 + usize::from(masked.stores), align);
    }
}

/// Function that a call names.
pub enum Callee {
    /// A call that says nothing to a compiler.
    Nothing,
    Intrinsic(Intrinsic),
    Function,
}

/// Functions of SPIR-V for OpenCL C with the same operands as an intrinsic, which the reference's adaptors write.
const SPIRV: [(&str, &str); 122] = [
    ("acos", "acos"),
    ("acosh", "kiln.acosh"),
    ("acospi", "kiln.acospi"),
    ("asin", "asin"),
    ("asinh", "kiln.asinh"),
    ("asinpi", "kiln.asinpi"),
    ("atan", "atan"),
    ("atan2", "atan2"),
    ("atan2pi", "kiln.atan2pi"),
    ("atanh", "kiln.atanh"),
    ("atanpi", "kiln.atanpi"),
    ("cbrt", "kiln.cbrt"),
    ("ceil", "ceil"),
    ("clz", "kiln.clz"),
    ("copysign", "copysign"),
    ("cos", "cos"),
    ("cosh", "cosh"),
    ("cospi", "kiln.cospi"),
    ("ctz", "kiln.ctz"),
    ("degrees", "kiln.degrees"),
    ("exp", "exp"),
    ("exp10", "exp10"),
    ("exp2", "exp2"),
    ("expm1", "kiln.expm1"),
    ("fabs", "fabs"),
    ("fclamp", "kiln.fclamp"),
    ("fdim", "kiln.fdim"),
    ("floor", "floor"),
    ("fma", "fma"),
    ("fmax", "maxnum"),
    ("fmax_common", "maxnum"),
    ("fmin", "minnum"),
    ("fmin_common", "minnum"),
    ("fmod", "kiln.fmod"),
    ("fract", "kiln.stored.fract"),
    ("frexp", "kiln.stored.frexp"),
    ("half_cos", "cos"),
    ("half_divide", "kiln.divide"),
    ("half_exp", "exp"),
    ("half_exp10", "exp10"),
    ("half_exp2", "exp2"),
    ("half_log", "log"),
    ("half_log10", "log10"),
    ("half_log2", "log2"),
    ("half_powr", "pow"),
    ("half_recip", "genx.inv"),
    ("half_rsqrt", "genx.rsqrt"),
    ("half_sin", "sin"),
    ("half_sqrt", "genx.sqrt"),
    ("half_tan", "tan"),
    ("hypot", "kiln.hypot"),
    ("ilogb", "kiln.ilogb"),
    ("ldexp", "kiln.ldexp"),
    ("log", "log"),
    ("log10", "log10"),
    ("log1p", "kiln.log1p"),
    ("log2", "log2"),
    ("logb", "kiln.logb"),
    ("mad", "fmuladd"),
    ("maxmag", "kiln.maxmag"),
    ("minmag", "kiln.minmag"),
    ("mix", "kiln.mix"),
    ("modf", "kiln.stored.modf"),
    ("native_cos", "genx.cos"),
    ("native_divide", "kiln.divide"),
    ("native_exp", "kiln.native.exp"),
    ("native_exp10", "kiln.native.exp10"),
    ("native_exp2", "genx.exp"),
    ("native_log", "kiln.native.log"),
    ("native_log10", "kiln.native.log10"),
    ("native_log2", "genx.log"),
    ("native_powr", "genx.pow"),
    ("native_recip", "genx.inv"),
    ("native_rsqrt", "genx.rsqrt"),
    ("native_sin", "genx.sin"),
    ("native_sqrt", "genx.sqrt"),
    ("native_tan", "kiln.native.tan"),
    ("nextafter", "kiln.nextafter"),
    ("popcount", "ctpop"),
    ("pow", "pow"),
    ("pown", "kiln.pown"),
    ("powr", "pow"),
    ("radians", "kiln.radians"),
    ("remainder", "kiln.remainder"),
    ("rint", "rint"),
    ("rootn", "kiln.rootn"),
    ("rotate", "kiln.rotate"),
    ("round", "round"),
    ("rsqrt", "genx.rsqrt"),
    ("s_abs", "kiln.abs"),
    ("s_abs_diff", "kiln.s.abs.diff"),
    ("s_add_sat", "sadd.sat"),
    ("s_clamp", "kiln.s.clamp"),
    ("s_hadd", "kiln.s.hadd"),
    ("s_mad24", "kiln.mad24"),
    ("s_max", "smax"),
    ("s_min", "smin"),
    ("s_mul24", "kiln.mul24"),
    ("s_rhadd", "kiln.s.rhadd"),
    ("s_sub_sat", "ssub.sat"),
    ("sign", "kiln.sign"),
    ("sin", "sin"),
    ("sincos", "kiln.stored.sincos"),
    ("sinh", "sinh"),
    ("sinpi", "kiln.sinpi"),
    ("smoothstep", "kiln.smoothstep"),
    ("sqrt", "sqrt"),
    ("step", "kiln.step"),
    ("tan", "tan"),
    ("tanh", "tanh"),
    ("tanpi", "kiln.tanpi"),
    ("trunc", "trunc"),
    ("u_abs_diff", "kiln.u.abs.diff"),
    ("u_add_sat", "uadd.sat"),
    ("u_clamp", "kiln.u.clamp"),
    ("u_hadd", "kiln.u.hadd"),
    ("u_mad24", "kiln.mad24"),
    ("u_max", "umax"),
    ("u_min", "umin"),
    ("u_mul24", "kiln.mul24"),
    ("u_rhadd", "kiln.u.rhadd"),
    ("u_sub_sat", "usub.sat"),
];

/// Instructions of SPIR-V that are functions in the form that the reference's adaptors take.
const INSTRUCTIONS: [(&str, &str); 33] = [
    ("AtomicAnd", "kiln.scoped.and"),
    ("AtomicCompareExchange", "kiln.scoped.compare.exchange"),
    ("AtomicCompareExchangeWeak", "kiln.scoped.compare.exchange"),
    ("AtomicExchange", "kiln.scoped.exchange"),
    ("AtomicFAddEXT", "kiln.scoped.fadd"),
    ("AtomicFMaxEXT", "kiln.scoped.fmax"),
    ("AtomicFMinEXT", "kiln.scoped.fmin"),
    ("AtomicIAdd", "kiln.scoped.add"),
    ("AtomicIDecrement", "kiln.scoped.decrement"),
    ("AtomicIIncrement", "kiln.scoped.increment"),
    ("AtomicISub", "kiln.scoped.sub"),
    ("AtomicLoad", "kiln.scoped.load"),
    ("AtomicOr", "kiln.scoped.or"),
    ("AtomicSMax", "kiln.scoped.smax"),
    ("AtomicSMin", "kiln.scoped.smin"),
    ("AtomicStore", "kiln.scoped.store"),
    ("AtomicUMax", "kiln.scoped.umax"),
    ("AtomicUMin", "kiln.scoped.umin"),
    ("AtomicXor", "kiln.scoped.xor"),
    ("ConvertBF16ToFINTEL", "kiln.bf.cvt"),
    ("ConvertFToBF16INTEL", "kiln.bf.cvt"),
    ("Dot", "kiln.dot"),
    ("FSigmoidINTEL", "kiln.sigmoid"),
    ("FTanhINTEL", "tanh"),
    ("GenericCastToPtrExplicit_ToGlobal", GENERIC),
    ("GenericCastToPtrExplicit_ToLocal", GENERIC),
    ("GenericCastToPtrExplicit_ToPrivate", GENERIC),
    ("IsNan", "kiln.is.nan"),
    ("LessOrGreater", "kiln.less.or.greater"),
    ("Ordered", "kiln.ordered"),
    ("ReadClockKHR", "kiln.read.clock"),
    ("RoundFToTF32INTEL", "kiln.tf32.round"),
    ("Unordered", "kiln.unordered"),
];

/// A pointer to any memory as one to memory of a kind.
const GENERIC: &str = "kiln.from.generic";
/// Prefix of the functions of SPIR-V for OpenCL C.
const OCL: &str = "__spirv_ocl_";
/// Prefix of those that are instructions.
const INSTRUCTION: &str = "__spirv_";

/// Intrinsic that a mangled function of SPIR-V is: `_Z`, the length of the name, the name, types; or, as ISPC writes it, the name, `_Dv`
/// and types.
fn spirv_function(name: &str) -> Option<&'static str> {
    if let Some(rest) = name.strip_prefix(OCL) {
        let name = rest.split_once("_Dv").map_or(rest, |(name, _)| name);
        return spirv_intrinsic(name);
    }
    let rest = name.strip_prefix("_Z")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (length, rest) = rest.split_at_checked(digits)?;
    // The linker of modules numbers names that come twice.
    let rest = rest.split('.').next()?;
    let is_type = |c: char| c.is_ascii_digit() || "ADKPSU_abcdefhijlmstvxy".contains(c);
    let named = length
        .parse()
        .ok()
        .and_then(|length| rest.split_at_checked(length));
    let counted = named.filter(|(name, types)| {
        let is_upper = |name: &str| name.contains(|c: char| c.is_ascii_uppercase());
        let begins = !types.starts_with(|c: char| c.is_ascii_digit());
        begins && types.chars().all(is_type) && !name.strip_prefix(OCL).is_some_and(is_upper)
    });
    // Some writers count other characters: what follows the name are types all the same.
    let known = |prefix: &'static str, table: &'static [(&str, &str)]| {
        let rest = rest.strip_prefix(prefix).unwrap_or_default();
        let types = move |name: &str| {
            rest.strip_prefix(name)
                .is_some_and(|t| t.chars().all(is_type))
        };
        let named = table.iter().filter(move |(name, _)| types(name));
        named.map(move |(name, intrinsic)| (prefix.len() + name.len(), *intrinsic))
    };
    let all = known(OCL, &SPIRV).chain(known(INSTRUCTION, &INSTRUCTIONS));
    let longest = all.max_by_key(|(length, _)| *length);
    match (counted, longest) {
        // A longer name leaves types, too, but for a name that says nothing of them.
        (Some((name, types)), Some((length, intrinsic)))
            if length > name.len() && length < name.len() + types.len() =>
        {
            Some(intrinsic)
        }
        (Some((name, _)), _) => spirv_named(name),
        (None, longest) => longest.map(|(_, intrinsic)| intrinsic),
    }
}

/// Intrinsic that a function of SPIR-V is, by its name without types.
fn spirv_named(name: &str) -> Option<&'static str> {
    if let Some(name) = name.strip_prefix(OCL) {
        return spirv_intrinsic(name);
    }
    let named = name.strip_prefix(INSTRUCTION);
    let found = INSTRUCTIONS.iter().find(|(own, _)| named == Some(own));
    match found {
        Some((_, intrinsic)) => Some(intrinsic),
        None => Some(launch::function(name)?.intrinsic),
    }
}

/// Intrinsic that a function of SPIR-V for OpenCL C is.
pub fn spirv_intrinsic(name: &str) -> Option<&'static str> {
    let row = SPIRV.iter().find(|(known, _)| *known == name)?;
    Some(row.1)
}

/// Kind of the function of a name.
///
/// # Errors
/// The name is that of an intrinsic that is not known, or not supported.
pub fn callee(name: &str) -> Rule<Callee> {
    let Some(rest) = name.strip_prefix("llvm.") else {
        let known = spirv_function(name).and_then(|name| Intrinsic::named(name).ok());
        return Ok(known.map_or(Callee::Function, Callee::Intrinsic));
    };
    if rest.starts_with("dbg.") {
        return Ok(Callee::Nothing);
    }
    match Intrinsic::named(rest) {
        Ok(intrinsic) if intrinsic.is_nothing() => Ok(Callee::Nothing),
        Ok(intrinsic) => Ok(Callee::Intrinsic(intrinsic)),
        Err(Code::Intrinsic) => Err(Fault::new(
            Code::Intrinsic,
            format!("intrinsic {name} is not supported"),
        )),
        Err(code) => {
            // The types at the end are no part of the name.
            let mut parts = rest.match_indices('.').map(|(at, _)| &rest[..at]);
            let known = |part: &str| nearest(part, Intrinsic::all().map(|(name, _)| name));
            match known(rest).or_else(|| parts.find_map(known)) {
                Some(other) => Err(Fault::new(
                    Code::Name,
                    format!("there is no intrinsic {name}; there is llvm.{other}"),
                )),
                None => Err(Fault::new(code, format!("there is no intrinsic {name}"))),
            }
        }
    }
}

/// Result of an atomic access: pointer, values, ordering. That of an exchange has a flag, too.
///
/// # Errors
/// The address is no pointer, or the values are not of one type that has so many bits.
pub fn atomic(
    types: &mut Types,
    function: &Function,
    exchange: bool,
    args: &[Value],
) -> Rule<Type> {
    let ty = |i: usize| function.ty(args[i]);
    if !matches!(types.data(ty(0)), TypeData::Scalar(Scalar::Ptr(_))) {
        return mismatch("the address must be a pointer");
    }
    if !matches!(types.data(ty(1)), TypeData::Scalar(_)) {
        return mismatch("a number is expected");
    }
    if !exchange {
        return Ok(ty(1));
    }
    match ty(1) == ty(2) {
        true => types.checked(TypeData::Struct(vec![ty(1), Types::I1], false)),
        false => differ(types, "an operand", ty(2), ty(1)),
    }
}

/// Alignment of an access that names none.
pub fn natural_align(types: &Types, ty: Type) -> u32 {
    let align = types.layout(ty).map_or(1, |(_, align)| align);
    u32::try_from(align).unwrap_or(1)
}

/// Metadata as an argument of a call.
pub fn metadata_value(function: &mut Function) -> Value {
    function.values.push(ValueData {
        ty: Types::METADATA,
        def: ValueDef::Metadata,
        name: Default::default(),
    })
}

/// Integer of a type.
///
/// # Errors
/// The type is no integer, or has no such number.
pub fn integer(types: &Types, ty: Type, n: i128) -> Rule<Const> {
    let TypeData::Scalar(Scalar::Int(bits)) = *types.data(ty) else {
        return bad_constant(format!("{} is no integer", types.name(ty)));
    };
    if bits > 64 && !(0..1 << 63).contains(&n) {
        return bad_constant("integers of over 64 bits are not supported");
    }
    if bits < 64 && !(-(1 << (bits - 1))..1 << bits).contains(&n) {
        return bad_constant(format!("{n} is no number of {bits} bits"));
    }
    Ok(Const::Bits(n as u64 & u64::MAX >> (64 - bits.min(64))))
}

/// Constants of a function that is read.
#[derive(Default)]
pub struct Constants {
    /// Instructions for those that are expressions; their place is the start of the function.
    pub prologue: Vec<Inst>,
    known: HashMap<(Op, SmallVec<[Value; 3]>, Type), Value, foldhash::fast::FixedState>,
}

impl Constants {
    /// Value of a constant, in the form that is the only one of its value: zeros are `Zero`, but for scalar numbers.
    pub fn value(types: &Types, function: &mut Function, ty: Type, constant: Const) -> Value {
        let number = matches!(types.data(ty), TypeData::Scalar(s) if !matches!(s, Scalar::Ptr(_)));
        let is = |function: &Function, wanted: &Const, members: &[Value]| {
            let mut members = members.iter().map(|member| function.as_const(*member));
            members
                .all(|c| c == Some(wanted) || *wanted == Const::Zero && c == Some(&Const::Bits(0)))
        };
        let constant = match constant {
            Const::Zero if number => Const::Bits(0),
            Const::Vector(bits) if bits.iter().all(|b| *b == 0) => Const::Zero,
            Const::Aggregate(list) if !list.is_empty() && is(function, &Const::Undef, &list) => {
                Const::Undef
            }
            Const::Aggregate(list) if is(function, &Const::Zero, &list) => Const::Zero,
            other => other,
        };
        function.constant(ty, constant)
    }

    /// Vector, array or structure of these members.
    ///
    /// # Errors
    /// The type has other members.
    pub fn aggregate(
        types: &Types,
        function: &mut Function,
        ty: Type,
        members: Vec<Value>,
    ) -> Rule<Value> {
        let expected = match types.data(ty) {
            TypeData::Vector(n, _) => u64::from(*n),
            TypeData::Array(n, _) => *n,
            TypeData::Struct(fields, _) => fields.len() as u64,
            _ => return bad_constant("this type has no members"),
        };
        if members.len() as u64 != expected {
            let message = format!("{expected} members are expected, not {}", members.len());
            return bad_constant(message);
        }
        for (i, member) in (0..).zip(&members) {
            let inside = match types.data(ty) {
                TypeData::Vector(_, scalar) => {
                    *types.data(function.ty(*member)) == TypeData::Scalar(*scalar)
                }
                TypeData::Array(_, element) => fits(types, function.ty(*member), *element),
                TypeData::Struct(fields, _) => fits(types, function.ty(*member), fields[i]),
                _ => false,
            };
            if !inside {
                return bad_constant(format!("member {i} has another type"));
            }
        }
        let TypeData::Vector(..) = types.data(ty) else {
            return Ok(Constants::value(
                types,
                function,
                ty,
                Const::Aggregate(members.into()),
            ));
        };
        if members.iter().all(|member| function.is_undef(*member)) {
            return Ok(function.constant(ty, Const::Undef));
        }
        let bits = members
            .iter()
            .map(|member| match function.is_undef(*member) {
                true => Some(0),
                false => function.as_bits(*member),
            });
        let constant = match bits.collect::<Option<Box<[u64]>>>() {
            Some(bits) => Const::Vector(bits),
            // Some are addresses.
            None => Const::Aggregate(members.into()),
        };
        Ok(Constants::value(types, function, ty, constant))
    }

    /// Value of an expression: an instruction, the same for the same expression.
    ///
    /// # Errors
    /// The operands are not those of the operation.
    pub fn expression(
        &mut self,
        types: &mut Types,
        function: &mut Function,
        op: Op,
        args: SmallVec<[Value; 3]>,
        stated: Type,
    ) -> Rule<Value> {
        let ty = check(types, function, &op, &args, stated)?;
        // Pointers of types that are not told apart here.
        if op == Op::Cast(CastOp::BitCast) && function.ty(args[0]) == ty {
            return Ok(args[0]);
        }
        // An address that is a number.
        if let (Op::Cast(CastOp::IntToPtr), Some(Const::Bits(bits))) =
            (&op, function.as_const(args[0]))
        {
            let constant = match bits {
                0 => Const::Zero,
                bits => Const::Bits(*bits),
            };
            return Ok(function.constant(ty, constant));
        }
        let key = (op, args, ty);
        if let Some(value) = self.known.get(&key) {
            return Ok(*value);
        }
        let inst = function.make(data(key.0.clone(), key.1.clone(), ty));
        self.prologue.push(inst);
        match function.insts[inst].result {
            Some(value) => {
                self.known.insert(key, value);
                Ok(value)
            }
            None => bad_constant("an expression of no type"),
        }
    }

    /// Puts the expressions at the start of the function.
    pub fn close(&mut self, function: &mut Function) {
        if let Some(&entry) = function.order.first() {
            let insts = &mut function.blocks[entry].insts;
            insts.splice(0..0, self.prologue.drain(..));
        }
    }
}

/// Initializer of a global; `None` if it has an address that is not a function's.
///
/// # Errors
/// The variable is too large.
pub fn data_of(types: &Types, function: &Function, value: Value) -> Rule<Option<Data>> {
    let ty = function.ty(value);
    let layout = types.layout(ty).filter(|(size, _)| *size <= MAX_DATA);
    let Some((size, _)) = layout else {
        let name = types.name(ty);
        return bad_constant(format!("a variable of type {name} is too large"));
    };
    let mut bytes = vec![0; size as usize];
    let mut functions = Vec::new();
    let plain = write(types, function, value, &mut bytes, 0, &mut functions);
    Ok(plain.then_some((bytes, functions)))
}

/// Writes a constant's bytes in memory from a byte on; false if it has an address that is not a function's.
fn write(
    types: &Types,
    function: &Function,
    value: Value,
    to: &mut [u8],
    at: usize,
    functions: &mut Vec<(u32, FunctionId)>,
) -> bool {
    let ty = function.ty(value);
    let constant = match &function.values[value].def {
        ValueDef::Const(constant) => constant,
        ValueDef::Function(id) if to.len() == ADDRESS => {
            functions.push((at as u32, *id));
            return true;
        }
        _ => return false,
    };
    let put = |to: &mut [u8], bits: u64| {
        let bytes = bits.to_le_bytes();
        let n = to.len().min(8);
        to[..n].copy_from_slice(&bytes[..n]);
    };
    match (constant, types.data(ty)) {
        (Const::Zero | Const::Undef, _) => true,
        (Const::Bits(bits), _) => {
            put(to, *bits);
            true
        }
        (Const::Vector(elements), TypeData::Vector(_, Scalar::Int(1))) => {
            for (i, bit) in elements.iter().enumerate() {
                if let Some(byte) = to.get_mut(i / 8) {
                    *byte |= ((bit & 1) as u8) << (i % 8);
                }
            }
            true
        }
        (Const::Vector(elements), TypeData::Vector(_, scalar)) => {
            let size = types.scalar_bytes(*scalar) as usize;
            let places = to.chunks_exact_mut(size);
            places
                .zip(elements)
                .for_each(|(place, bits)| put(place, *bits));
            true
        }
        // Members without bytes could be many.
        (Const::Aggregate(_), _) if to.is_empty() => true,
        (Const::Aggregate(members), TypeData::Array(..)) => {
            let size = (to.len() / members.len().max(1)).max(1);
            let mut places = (0..).zip(to.chunks_exact_mut(size)).zip(members.iter());
            places.all(|((i, place), member)| {
                write(types, function, *member, place, at + i * size, functions)
            })
        }
        (Const::Aggregate(members), TypeData::Struct(fields, packed)) => {
            let mut places = types.offsets(fields, *packed).zip(members.iter());
            places.all(|(byte, member)| {
                let Some((byte, (size, _))) = byte.zip(types.layout(function.ty(*member))) else {
                    return false;
                };
                let (from, to) = (
                    byte as usize,
                    to.get_mut(byte as usize..(byte + size) as usize),
                );
                to.is_some_and(|to| write(types, function, *member, to, at + from, functions))
            })
        }
        _ => false,
    }
}
