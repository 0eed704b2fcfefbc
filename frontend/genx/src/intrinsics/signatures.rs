//! Signatures of intrinsics: how many operands there are, their types, and which of them are constants.
//!
//! `SIGNATURES` has each name of the table once. A signature has a letter for each member of the result, a colon, and a letter
//! for each operand:
//!
//! | letter | type |
//! |---|---|
//! | `A` `a` `V` | any; any, or no result; any that has elements |
//! | `I` `F` `P` | integers, floats, pointers: one or a vector |
//! | `N` | integers or floats; compilers write extremes of integers for those of floats |
//! | `i` `f` `n` | the same, with as many elements as the result |
//! | `w` `x` | one integer; one number or pointer |
//! | `h` `t` | vectors of half, and of twice as many elements as the result |
//! | `M`, `j` | bits; bits, as many as the result has elements |
//! | `E` | the element of the last operand |
//! | `0` to `9` | the type of the n-th letter of those above, the result's first |
//! | `b` `c` `s` `d` `q` | an integer of 1, 8, 16, 32 or 64 bits |
//! | `C` `S` `D` | the same of 8, 16 or 32 bits, a constant |
//! | `*` | any number of operands |
//!
//! Source: the list of definitions of the dialect, and LLVM's language reference.

use std::collections::HashMap;
use std::sync::LazyLock;

use smallvec::SmallVec;

use super::Intrinsic;
use crate::error::{Code, Result};
use crate::ir::fault::Fault;
use crate::ir::{Function, InstData, Module, Op, Scalar, Type, TypeData, Types, ValueDef};

/// Signature of an intrinsic by its name; what says nothing to a compiler has none.
pub fn signature(name: &str) -> Option<&'static str> {
    static FOUND: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        let rows = SIGNATURES.iter();
        let named = |(signature, names): &(&'static str, &'static str)| {
            let signature = *signature;
            names
                .split_ascii_whitespace()
                .map(move |name| (name, signature))
        };
        rows.flat_map(named).collect()
    });
    FOUND.get(name).copied()
}

/// Checks the calls of intrinsics in a module, as it was read.
///
/// # Errors
/// The first call that has another signature.
pub fn check(module: &Module) -> Result<()> {
    for function in module.functions.values() {
        for block in &function.order {
            for inst in &function.blocks[*block].insts {
                let data = &function.insts[*inst];
                if let Op::Intrinsic(intrinsic) = data.op {
                    call(&module.types, function, intrinsic, data)
                        .map_err(|fault| fault.at(data.loc))?;
                }
            }
        }
    }
    Ok(())
}

/// Checks a call.
fn call(
    types: &Types,
    function: &Function,
    intrinsic: Intrinsic,
    data: &InstData,
) -> std::result::Result<(), Fault> {
    let name = intrinsic.name();
    let Some((result, operands)) = signature(name).and_then(|text| text.split_once(':')) else {
        return Ok(());
    };
    let members: SmallVec<[Type; 2]> = match types.data(data.ty) {
        TypeData::Struct(fields, _) if result.len() > 1 => fields.iter().copied().collect(),
        TypeData::Void => SmallVec::new(),
        _ => SmallVec::from_slice(&[data.ty]),
    };
    let wrong = |message: String| {
        Err(Fault::new(
            Code::Mismatch,
            format!("llvm.{name}: {message}"),
        ))
    };
    let may_be_none = result == "a" && members.is_empty();
    if members.len() != result.len() && !may_be_none {
        let found = types.name(data.ty);
        return wrong(format!("{found} is no result of it"));
    }
    let rest = operands.strip_suffix('*');
    let wanted = rest.unwrap_or(operands);
    let count = data.args.len();
    if count < wanted.len() || count > wanted.len() && rest.is_none() {
        return wrong(format!(
            "{} operands are expected, not {count}",
            wanted.len()
        ));
    }
    let mut call = Call {
        types,
        first: members.first().copied(),
        last: data.args.last().map(|arg| function.ty(*arg)),
        named: SmallVec::new(),
    };
    for (letter, ty) in result.bytes().zip(&members) {
        if let Some(expected) = call.unlike(letter, *ty) {
            let found = types.name(*ty);
            return wrong(format!("the result is {found}, but must be {expected}"));
        }
    }
    for (i, (letter, arg)) in wanted.bytes().zip(&data.args).enumerate() {
        let ty = function.ty(*arg);
        if let Some(expected) = call.unlike(letter, ty) {
            let found = types.name(ty);
            return wrong(format!("operand {i} is {found}, but must be {expected}"));
        }
        if is_constant(letter) && !matches!(function.values[*arg].def, ValueDef::Const(_)) {
            return wrong(format!("operand {i} must be a constant"));
        }
    }
    Ok(())
}

/// True for the letter of a constant.
fn is_constant(letter: u8) -> bool {
    matches!(letter, b'C' | b'S' | b'D')
}

/// A call that is checked.
struct Call<'a> {
    types: &'a Types,
    /// Types of the result, or of its first member, and of the last operand.
    first: Option<Type>,
    last: Option<Type>,
    /// Types of the letters that later ones name.
    named: SmallVec<[Type; 4]>,
}

impl Call<'_> {
    /// The expectation that a type does not meet.
    fn unlike(&mut self, letter: u8, ty: Type) -> Option<String> {
        let types = self.types;
        let (element, count) = (types.element(ty), types.count(ty));
        let is_handle = matches!(types.data(ty), TypeData::Handle(_));
        let of_first = self.first.and_then(|first| types.count(first));
        let as_many = self.first.is_none() || count == of_first;
        let is_int = matches!(element, Some(Scalar::Int(_)));
        let is_float = element.is_some_and(Scalar::is_float);
        let (fits, expected) = match letter {
            b'A' | b'a' => (
                element.is_some() || is_handle,
                "a number, a pointer or a vector",
            ),
            b'w' => (is_int && count.is_none(), "an integer"),
            b'x' => (
                element.is_some() && count.is_none(),
                "a number or a pointer",
            ),
            b'h' => (
                count.is_some_and(|n| n.checked_mul(2) == of_first),
                "a vector of half as many elements as the result",
            ),
            b't' => (
                of_first.is_some_and(|n| n.checked_mul(2) == count),
                "a vector of twice as many elements as the result",
            ),
            b'V' => (element.is_some(), "a vector"),
            b'I' => (is_int, "an integer or a vector of integers"),
            b'F' => (is_float, "a float or a vector of floats"),
            b'P' => (
                is_handle || matches!(element, Some(Scalar::Ptr(_))),
                "a pointer",
            ),
            b'N' => (is_int || is_float, "a number or a vector of numbers"),
            b'n' => (
                (is_int || is_float) && as_many,
                "numbers, as many as of the result",
            ),
            b'i' => (is_int && as_many, "integers, as many as of the result"),
            b'f' => (is_float && as_many, "floats, as many as of the result"),
            b'M' => (element == Some(Scalar::Int(1)), "a vector of i1"),
            b'j' => (
                element == Some(Scalar::Int(1)) && as_many,
                "of i1, as many as of the result",
            ),
            b'E' => {
                let of = self.last.and_then(|last| types.element(last));
                (
                    count.is_none() && element == of,
                    "an element of the operand",
                )
            }
            b'0'..=b'9' => {
                let named = self.named.get(usize::from(letter - b'0')).copied();
                let fits = named.is_some_and(|named| crate::ir::rules::fits(types, ty, named));
                return match (fits, named) {
                    (true, _) => None,
                    (false, Some(named)) => Some(types.name(named).to_string()),
                    (false, None) => Some("another type".to_string()),
                };
            }
            _ => {
                let bits = match letter {
                    b'b' => 1,
                    b'c' | b'C' => 8,
                    b's' | b'S' => 16,
                    b'd' | b'D' => 32,
                    _ => 64,
                };
                let fits = count.is_none() && element == Some(Scalar::Int(bits));
                return (!fits).then(|| format!("i{bits}"));
            }
        };
        self.named.push(ty);
        (!fits).then(|| expected.to_string())
    }
}

/// Signatures and the intrinsics that have them.
const SIGNATURES: &[(&str, &str)] = &[
    (
        ":",
        "genx.barrier genx.cache.flush genx.yield trap",
    ),
    (
        ":*",
        "genx.output",
    ),
    (
        ":A",
        "genx.output.1",
    ),
    (
        ":ACCCSdCCCCAVd",
        "genx.lsc.store.bindless genx.lsc.store.bti genx.lsc.store.quad.bindless genx.lsc.store.quad.bti
         genx.lsc.store.quad.slm genx.lsc.store.quad.stateless genx.lsc.store.slm genx.lsc.store.stateless",
    ),
    (
        ":ACCCSdCCCCAd",
        "genx.lsc.prefetch.bindless genx.lsc.prefetch.bti genx.lsc.prefetch.slm genx.lsc.prefetch.stateless",
    ),
    (
        ":C",
        "genx.fence ubsantrap",
    ),
    (
        ":CCdddddV",
        "genx.lsc.store2d.typed.bti",
    ),
    (
        ":D",
        "genx.slm.init kiln.atomic.fence",
    ),
    (
        ":IV",
        "genx.svm.block.st",
    ),
    (
        ":P",
        "stackrestore",
    ),
    (
        ":PPwb",
        "memcpy memcpy.inline memmove",
    ),
    (
        ":Pcwb",
        "memset",
    ),
    (
        ":VCCC",
        "genx.lsc.fence",
    ),
    (
        ":VCCCCCSSCIddddd",
        "genx.lsc.prefetch2d.stateless",
    ),
    (
        ":VCCCCCSSCIdddddV",
        "genx.lsc.store2d.stateless",
    ),
    (
        ":VCCCdV111",
        "genx.lsc.prefetch.quad.typed.bti",
    ),
    (
        ":VCCCdV111V",
        "genx.lsc.store.quad.typed.bti",
    ),
    (
        ":VP",
        "genx.vstore",
    ),
    (
        ":VPDM",
        "masked.store",
    ),
    (
        ":VVDM",
        "masked.scatter",
    ),
    (
        ":VdIV",
        "genx.svm.scatter",
    ),
    (
        ":VdsddIV",
        "genx.scatter.scaled genx.scatter4.scaled",
    ),
    (
        ":VdsqIV",
        "genx.svm.scatter4.scaled",
    ),
    (
        ":c",
        "genx.sbarrier",
    ),
    (
        ":ccVcccddVV",
        "genx.raw.sends2.noresult",
    ),
    (
        ":ccVccddV",
        "genx.raw.send2.noresult",
    ),
    (
        ":dIcddVV",
        "genx.raw.sends.noresult",
    ),
    (
        ":dIddV",
        "genx.raw.send.noresult",
    ),
    (
        ":dVdV11V",
        "genx.scatter4.typed",
    ),
    (
        ":ddV",
        "genx.oword.st",
    ),
    (
        ":ddddddV",
        "genx.media.st",
    ),
    (
        ":s",
        "genx.dummy.mov",
    ),
    (
        ":xPD",
        "kiln.atomic.store",
    ),
    (
        "A:0",
        "arithmetic.fence launder.invariant.group strip.invariant.group ssa.copy",
    ),
    (
        "A:0*",
        "annotation ptr.annotation",
    ),
    (
        "A:00",
        "expect",
    ),
    (
        "A:00F",
        "expect.with.probability",
    ),
    (
        "A:ACCCSdCCCCV00d0",
        "genx.lsc.xatomic.bindless genx.lsc.xatomic.bti genx.lsc.xatomic.slm genx.lsc.xatomic.stateless",
    ),
    (
        "A:ACCCSdCCCCdV000",
        "genx.lsc.atomic.bindless genx.lsc.atomic.bti genx.lsc.atomic.slm genx.lsc.atomic.stateless",
    ),
    (
        "A:DA",
        "genx.read.predef.reg",
    ),
    (
        "A:P",
        "genx.address.convert genx.gaddr",
    ),
    (
        "A:w",
        "kiln.read.clock",
    ),
    (
        "E:0F",
        "vector.reduce.fadd vector.reduce.fmul",
    ),
    (
        "E:F",
        "vector.reduce.fmaximum vector.reduce.fminimum vector.reduce.fmax vector.reduce.fmin",
    ),
    (
        "E:F1",
        "kiln.dot",
    ),
    (
        "E:I",
        "vector.reduce.add vector.reduce.and vector.reduce.mul vector.reduce.or vector.reduce.smax
         vector.reduce.smin vector.reduce.umax vector.reduce.umin vector.reduce.xor",
    ),
    (
        "F:0",
        "kiln.sigmoid kiln.tf32.round canonicalize kiln.acosh kiln.acospi kiln.asinh kiln.asinpi kiln.atanh kiln.atanpi kiln.cbrt kiln.cospi kiln.degrees kiln.logb kiln.radians kiln.sign kiln.sinpi kiln.tanpi acos asin atan ceil cos cosh exp exp10 exp2 fabs floor genx.absf genx.constantf genx.cos genx.exp
         genx.frc genx.ieee.sqrt genx.inv genx.log genx.rndd genx.rnde genx.rndu genx.rndz genx.rsqrt
         genx.sat genx.sin genx.sqrt kiln.expm1 kiln.log1p kiln.native.exp kiln.native.exp10 kiln.native.log
         kiln.native.log10 kiln.native.tan log log10 log2 nearbyint rint round roundeven sin sinh sqrt tan
         tanh trunc",
    ),
    (
        "F:0P",
        "kiln.stored.fract kiln.stored.frexp kiln.stored.modf kiln.stored.sincos",
    ),
    (
        "F:00",
        "kiln.divide kiln.fmod kiln.atan2pi kiln.fdim kiln.hypot kiln.maxmag kiln.minmag kiln.nextafter kiln.remainder kiln.step atan2 copysign genx.dp2 genx.dp3 genx.dp4 genx.dph genx.ieee.div genx.pow maximum maximumnum maxnum
         minimum minimumnum minnum pow",
    ),
    (
        "F:000",
        "kiln.fclamp kiln.mix kiln.smoothstep fma fmuladd genx.lrp",
    ),
    (
        "F:0i",
        "kiln.ldexp kiln.pown kiln.rootn ldexp",
    ),
    (
        "F:0w",
        "powi",
    ),
    (
        "F:f",
        "genx.bf.cvt",
    ),
    (
        "F:f1",
        "genx.fmax genx.fmin",
    ),
    (
        "F:s",
        "convert.from.fp16",
    ),
    (
        "FF:0",
        "kiln.fract modf sincos sincospi",
    ),
    (
        "Fi:0",
        "frexp",
    ),
    (
        "I:",
        "stepvector genx.r0 genx.sr0 genx.timestamp",
    ),
    (
        "I:0",
        "kiln.abs kiln.clz kiln.ctz bitreverse bswap ctpop genx.absi genx.bfrev genx.constanti genx.constantpred genx.convert genx.fbl
         genx.lzd genx.sfbh genx.ufbh",
    ),
    (
        "I:00",
        "kiln.u.abs.diff kiln.s.abs.diff kiln.rotate kiln.mul24 kiln.s.hadd kiln.s.rhadd kiln.u.hadd kiln.u.rhadd sadd.sat smax smin sshl.sat ssub.sat uadd.sat umax umin ushl.sat usub.sat",
    ),
    (
        "I:000",
        "kiln.u.clamp kiln.s.clamp kiln.mad24 fshl fshr genx.sbfe genx.ubfe",
    ),
    (
        "I:0000",
        "genx.bfi",
    ),
    (
        "I:0ID",
        "genx.wrpredregion",
    ),
    (
        "I:0ID0",
        "genx.wrpredpredregion",
    ),
    (
        "I:0b",
        "abs ctlz cttz",
    ),
    (
        "I:0s",
        "genx.convert.addr",
    ),
    (
        "I:I0",
        "genx.add.addr",
    ),
    (
        "I:I11",
        "genx.smadw genx.umadw",
    ),
    (
        "I:ID",
        "genx.rdpredregion",
    ),
    (
        "I:f",
        "kiln.is.nan kiln.ilogb llrint llround lrint lround fptosi.sat fptoui.sat genx.fptosi.sat genx.fptoui.sat",
    ),
    (
        "I:f1",
        "kiln.less.or.greater kiln.ordered kiln.unordered",
    ),
    (
        "I:i",
        "genx.cbit genx.sstrunc.sat genx.sutrunc.sat genx.ustrunc.sat genx.uutrunc.sat",
    ),
    (
        "I:i1",
        "genx.rol genx.ror genx.smulh genx.ssad2 genx.ssadd.sat genx.ssavg genx.ssavg.sat genx.ssmul
         genx.ssmul.sat genx.ssshl genx.ssshl.sat genx.suadd.sat genx.suavg genx.suavg.sat genx.sumul
         genx.sumul.sat genx.sushl genx.sushl.sat genx.umulh genx.usad2 genx.usadd.sat genx.usavg
         genx.usavg.sat genx.usmul genx.usmul.sat genx.usshl genx.usshl.sat genx.uuadd.sat genx.uuavg
         genx.uuavg.sat genx.uumul genx.uumul.sat genx.uushl genx.uushl.sat scmp ucmp",
    ),
    (
        "I:i10",
        "genx.ssmad genx.ssmad.sat genx.sssad2add genx.sssad2add.sat genx.sumad genx.sumad.sat genx.susad2add
         genx.susad2add.sat genx.usmad genx.usmad.sat genx.ussad2add genx.ussad2add.sat genx.uumad
         genx.uumad.sat genx.uusad2add genx.uusad2add.sat",
    ),
    (
        "I:i11",
        "genx.add3 genx.ssadd3.sat genx.suadd3.sat genx.usadd3.sat genx.uuadd3.sat",
    ),
    (
        "I:i11C",
        "genx.bfn",
    ),
    (
        "II:00",
        "genx.addc genx.subb",
    ),
    (
        "II:000",
        "genx.simad genx.uimad",
    ),
    (
        "Ij:00",
        "sadd.with.overflow smul.with.overflow ssub.with.overflow uadd.with.overflow umul.with.overflow
         usub.with.overflow",
    ),
    (
        "M:fD",
        "is.fpclass",
    ),
    (
        "M:w1",
        "get.active.lane.mask",
    ),
    (
        "N:n",
        "kiln.bf.cvt",
    ),
    (
        "N:n1",
        "genx.smax genx.smin genx.umax genx.umin",
    ),
    (
        "P:",
        "stacksave",
    ),
    (
        "P:Pd",
        "kiln.from.generic",
    ),
    (
        "P:0w",
        "ptrmask",
    ),
    (
        "V0000000:V",
        "vector.deinterleave8",
    ),
    (
        "V000000:V",
        "vector.deinterleave7",
    ),
    (
        "V00000:V",
        "vector.deinterleave6",
    ),
    (
        "V0000:V",
        "vector.deinterleave5",
    ),
    (
        "V000:V",
        "vector.deinterleave4",
    ),
    (
        "V00:V",
        "vector.deinterleave3",
    ),
    (
        "V0:t",
        "vector.deinterleave2",
    ),
    (
        "V:",
        "genx.group.count genx.local.id genx.local.id16 genx.local.size",
    ),
    (
        "V:0",
        "genx.simdcf.get.em vector.reverse",
    ),
    (
        "V:00w",
        "vector.splice vector.splice.left vector.splice.right",
    ),
    (
        "V:0VDDDIdI",
        "genx.wrconstregion genx.wrregionf genx.wrregioni",
    ),
    (
        "V:0VVD",
        "genx.dpas genx.dpasw",
    ),
    (
        "V:0Vq",
        "vector.insert",
    ),
    (
        "V:0d",
        "genx.simdcf.remask",
    ),
    (
        "V:ACCCSdCCCCAd",
        "genx.lsc.load.bindless genx.lsc.load.bti genx.lsc.load.quad.bindless genx.lsc.load.quad.bti
         genx.lsc.load.quad.slm genx.lsc.load.quad.stateless genx.lsc.load.slm genx.lsc.load.stateless",
    ),
    (
        "V:ACCCSdCCCCAd0",
        "genx.lsc.load.merge.bindless genx.lsc.load.merge.bti genx.lsc.load.merge.quad.bindless
         genx.lsc.load.merge.quad.bti genx.lsc.load.merge.quad.slm genx.lsc.load.merge.quad.stateless
         genx.lsc.load.merge.slm genx.lsc.load.merge.stateless",
    ),
    (
        "V:CCddddd",
        "genx.lsc.load2d.typed.bti",
    ),
    (
        "V:I",
        "genx.svm.block.ld genx.svm.block.ld.unaligned",
    ),
    (
        "V:P",
        "genx.vload",
    ),
    (
        "V:PDj0",
        "masked.load",
    ),
    (
        "V:V11",
        "vector.interleave3",
    ),
    (
        "V:V111",
        "vector.interleave4",
    ),
    (
        "V:V1111",
        "vector.interleave5",
    ),
    (
        "V:V11111",
        "vector.interleave6",
    ),
    (
        "V:V111111",
        "vector.interleave7",
    ),
    (
        "V:V1111111",
        "vector.interleave8",
    ),
    (
        "V:VCCCCCSSCIddddd",
        "genx.lsc.load2d.stateless",
    ),
    (
        "V:VCCCdV2220",
        "genx.lsc.load.merge.quad.typed.bti",
    ),
    (
        "V:VDDDId",
        "genx.rdregionf genx.rdregioni",
    ),
    (
        "V:VDj0",
        "masked.gather",
    ),
    (
        "V:VI0",
        "genx.svm.atomic.dec genx.svm.atomic.inc",
    ),
    (
        "V:VI00",
        "genx.svm.atomic.add genx.svm.atomic.and genx.svm.atomic.fmax genx.svm.atomic.fmin
         genx.svm.atomic.imax genx.svm.atomic.imin genx.svm.atomic.max genx.svm.atomic.min genx.svm.atomic.or
         genx.svm.atomic.sub genx.svm.atomic.xchg genx.svm.atomic.xor",
    ),
    (
        "V:VI000",
        "genx.svm.atomic.cmpxchg genx.svm.atomic.fcmpwr",
    ),
    (
        "V:VVD",
        "genx.dpas.nosrc0 genx.dpasw.nosrc0",
    ),
    (
        "V:VVVDDDDDD",
        "genx.dpas2",
    ),
    (
        "V:Vd0",
        "genx.dword.atomic2.dec genx.dword.atomic2.inc",
    ),
    (
        "V:Vd00",
        "genx.dword.atomic.dec genx.dword.atomic.inc",
    ),
    (
        "V:Vd000",
        "genx.dword.atomic2.cmpxchg",
    ),
    (
        "V:Vd0000",
        "genx.dword.atomic.cmpxchg",
    ),
    (
        "V:Vd00I222",
        "genx.typed.atomic.cmpxchg genx.typed.atomic.fcmpwr",
    ),
    (
        "V:Vd0I222",
        "genx.typed.atomic.add genx.typed.atomic.and genx.typed.atomic.fadd genx.typed.atomic.fmax
         genx.typed.atomic.fmin genx.typed.atomic.fsub genx.typed.atomic.imax genx.typed.atomic.imin
         genx.typed.atomic.max genx.typed.atomic.min genx.typed.atomic.or genx.typed.atomic.sub
         genx.typed.atomic.xchg genx.typed.atomic.xor",
    ),
    (
        "V:VdI0",
        "genx.dword.atomic2.add genx.dword.atomic2.and genx.dword.atomic2.fadd genx.dword.atomic2.fmax
         genx.dword.atomic2.fmin genx.dword.atomic2.fsub genx.dword.atomic2.imax genx.dword.atomic2.imin
         genx.dword.atomic2.max genx.dword.atomic2.min genx.dword.atomic2.or genx.dword.atomic2.sub
         genx.dword.atomic2.xchg genx.dword.atomic2.xor genx.svm.gather",
    ),
    (
        "V:VdI00",
        "genx.dword.atomic.add genx.dword.atomic.and genx.dword.atomic.fadd genx.dword.atomic.fmax
         genx.dword.atomic.fmin genx.dword.atomic.fsub genx.dword.atomic.imax genx.dword.atomic.imin
         genx.dword.atomic.max genx.dword.atomic.min genx.dword.atomic.or genx.dword.atomic.sub
         genx.dword.atomic.xchg genx.dword.atomic.xor genx.dword.atomic2.fcmpwr",
    ),
    (
        "V:VdI000",
        "genx.dword.atomic.fcmpwr",
    ),
    (
        "V:VdI222",
        "genx.typed.atomic.dec genx.typed.atomic.inc",
    ),
    (
        "V:Vdd00",
        "genx.untyped.atomic.dec genx.untyped.atomic.inc",
    ),
    (
        "V:Vdd000",
        "genx.untyped.atomic.add genx.untyped.atomic.and genx.untyped.atomic.imax genx.untyped.atomic.imin
         genx.untyped.atomic.max genx.untyped.atomic.min genx.untyped.atomic.or genx.untyped.atomic.sub
         genx.untyped.atomic.xchg genx.untyped.atomic.xor",
    ),
    (
        "V:Vdd0000",
        "genx.untyped.atomic.cmpxchg",
    ),
    (
        "V:VdsddI0",
        "genx.gather.scaled genx.gather4.scaled",
    ),
    (
        "V:VdsqI0",
        "genx.svm.gather4.scaled",
    ),
    (
        "V:Vq",
        "vector.extract",
    ),
    (
        "V:ccVccccddVV0",
        "genx.raw.sends2",
    ),
    (
        "V:ccVcccddV0",
        "genx.raw.send2",
    ),
    (
        "V:dIcddVV0",
        "genx.raw.sends",
    ),
    (
        "V:dIddV0",
        "genx.raw.send",
    ),
    (
        "V:dVdV220",
        "genx.gather4.typed",
    ),
    (
        "V:dVdsdVVVVVVVVVVVVVVV",
        "genx.3d.load",
    ),
    (
        "V:dVdsddVVVVVVVVVVVVVVV",
        "genx.3d.sample",
    ),
    (
        "V:dd",
        "genx.simdcf.unmask",
    ),
    (
        "V:ddI11",
        "genx.load",
    ),
    (
        "V:ddd",
        "genx.oword.ld genx.oword.ld.unaligned",
    ),
    (
        "V:dddF11",
        "genx.sample",
    ),
    (
        "V:dddddd",
        "genx.media.ld",
    ),
    (
        "V:dsddI",
        "genx.gather.scaled2 genx.gather4.scaled2",
    ),
    (
        "V:dsddIV",
        "genx.gather.masked.scaled2 genx.gather4.masked.scaled2",
    ),
    (
        "V:h1",
        "vector.interleave2",
    ),
    (
        "V:iii",
        "genx.ssdp4a genx.ssdp4a.sat genx.sudp4a genx.sudp4a.sat genx.usdp4a genx.usdp4a.sat genx.uudp4a
         genx.uudp4a.sat",
    ),
    (
        "VVb:011",
        "genx.simdcf.goto",
    ),
    (
        "Vb:0V",
        "genx.simdcf.join",
    ),
    (
        "a:DA",
        "genx.write.predef.reg",
    ),
    (
        "b:A",
        "is.constant",
    ),
    (
        "b:I",
        "genx.all genx.any",
    ),
    (
        "b:V",
        "genx.simdcf.any",
    ),
    (
        "d:",
        "flt.rounds get.rounding genx.ce0 genx.get.hwid genx.group.id.x genx.group.id.y genx.group.id.z",
    ),
    (
        "d:D",
        "genx.predefined.surface",
    ),
    (
        "d:V",
        "genx.simdcf.savemask",
    ),
    (
        "q:",
        "genx.print.buffer readcyclecounter readsteadycounter",
    ),
    (
        "q:A",
        "genx.faddr",
    ),
    (
        "q:D",
        "kiln.frame",
    ),
    (
        "q:q",
        "kiln.room",
    ),
    (
        "s:",
        "genx.get.color genx.thread.x genx.thread.y",
    ),
    (
        "s:F",
        "convert.to.fp16",
    ),
    (
        "w:",
        "kiln.launch.global.linear kiln.launch.local.linear kiln.launch.subgroup.channel
         kiln.launch.subgroup.count kiln.launch.subgroup.size",
    ),
    (
        "w:Pbbb",
        "objectsize",
    ),
    (
        "w:d",
        "kiln.launch.global.id kiln.launch.global.size kiln.launch.group.count kiln.launch.group.id
         kiln.launch.local.id kiln.launch.local.size kiln.launch.offset",
    ),
    (
        "x:Pdd0",
        "kiln.scoped.add kiln.scoped.and kiln.scoped.exchange kiln.scoped.fadd kiln.scoped.fmax
         kiln.scoped.fmin kiln.scoped.or kiln.scoped.smax kiln.scoped.smin kiln.scoped.sub
         kiln.scoped.umax kiln.scoped.umin kiln.scoped.xor",
    ),
    (
        "x:Pdd",
        "kiln.scoped.decrement kiln.scoped.increment kiln.scoped.load",
    ),
    (
        ":Pddx",
        "kiln.scoped.store",
    ),
    (
        "x:Pddd00",
        "kiln.scoped.compare.exchange",
    ),
    (
        "x:P0D",
        "kiln.atomic.add kiln.atomic.and kiln.atomic.fadd kiln.atomic.fmax kiln.atomic.fmaximum kiln.atomic.fmin
         kiln.atomic.fminimum kiln.atomic.fsub kiln.atomic.imax kiln.atomic.imin kiln.atomic.max kiln.atomic.min
         kiln.atomic.nand kiln.atomic.or kiln.atomic.sub kiln.atomic.udec.wrap kiln.atomic.uinc.wrap
         kiln.atomic.usub.cond kiln.atomic.usub.sat kiln.atomic.xchg kiln.atomic.xor",
    ),
    (
        "x:PD",
        "kiln.atomic.load",
    ),
    (
        "xb:P00D",
        "kiln.atomic.cmpxchg",
    ),
];
