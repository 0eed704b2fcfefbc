//! The table of intrinsics: every name of the dialect's definitions, and LLVM's own as far as they are supported.
//!
//! Names are without `llvm.` and without the types at their end. Source: the language reference of the dialect and its
//! list of definitions, 432 names, of which 26 have a predefined surface.

use std::sync::LazyLock;

use kiln_visa::module::{Modifier, predefined};
use kiln_visa::opcode::{AtomicOp as A, Opcode};

use super::{
    Access, Arrangement, AtomicKind as K, Computed as C, Kind, Kind::*, Reduction, Sign::*, alu,
    convert, copied, int, masked, mixed, ss, us, uu,
};
use super::{lsc, messages, systolic};
use crate::ir::{BinaryOp, FloatRel};

/// Names that are refused, sorted, each with any types.
pub(super) const REFUSED: &str = "
    genx.4bit.downconvert genx.aaaabegin genx.add3c genx.alloca genx.avs genx.bdpas
    genx.biased.rounding.bf8 genx.biased.rounding.hf8 genx.gather.private genx.get.scoreboard.bti
    genx.get.scoreboard.deltas genx.get.scoreboard.depcnt genx.hf8.cvt genx.jump.table genx.lane.id genx.lfsr
    genx.line genx.lsc.load.2d.ugm.desc genx.lsc.load.2d.ugm.desc.transpose genx.lsc.load.2d.ugm.desc.vnni
    genx.lsc.prefetch.2d.ugm.desc genx.lsc.prefetch2d.typed.bti genx.lsc.store.2d.ugm.desc genx.mxfp.linearize
    genx.mxfp.reduce.32x32 genx.nbarrier genx.nbarrier.arrive genx.packed.4bit.upconvert.lut genx.pln
    genx.print.format.index genx.qf.cvt genx.raw.sendg genx.sample.unorm genx.scatter.private
    genx.set.pause genx.set.sr0.2 genx.simdcf.predicate genx.srnd genx.tf32.cvt genx.transpose.ld
    genx.unmask.begin genx.unmask.end genx.va.1d.convolve.horizontal genx.va.1d.convolve.vertical
    genx.va.1pixel.convolve genx.va.1pixel.convolve.1x1mode genx.va.bool.centroid genx.va.centroid
    genx.va.convolve2d genx.va.correlation.search genx.va.dilate genx.va.erode genx.va.flood.fill
    genx.va.hdc.1d.convolve.horizontal genx.va.hdc.1d.convolve.vertical genx.va.hdc.1pixel.convolve
    genx.va.hdc.convolve2d genx.va.hdc.dilate genx.va.hdc.erode genx.va.hdc.lbp.correlation
    genx.va.hdc.lbp.creation genx.va.hdc.minmax.filter genx.va.lbp.correlation genx.va.lbp.creation genx.va.minmax
    genx.va.minmax.filter genx.wait genx.zzzzend ";

/// Part of names that have a predefined surface in the place of an operand; all of them are refused.
pub(super) const PREDEFINED_SURFACE: &str = ".predef.surface";

/// Rows of all names, in the order of the names.
pub(super) static ROWS: LazyLock<Vec<(String, Kind)>> = LazyLock::new(|| {
    let single = SINGLE.iter().map(|(name, kind)| (name.to_string(), *kind));
    let families = atomics()
        .chain(lsc_messages())
        .chain(integers())
        .chain(raw_sends());
    let mut rows: Vec<_> = single.chain(families).collect();
    rows.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    rows
});

/// Atomic operations: the word in names, and the number of sources.
pub(super) const ATOMICS: [(&str, A, u8); 18] = [
    ("add", A::Add, 1),
    ("and", A::And, 1),
    ("cmpxchg", A::CmpXchg, 2),
    ("dec", A::Dec, 0),
    ("fadd", A::FAdd, 1),
    ("fcmpwr", A::FCmpWr, 2),
    ("fmax", A::FMax, 1),
    ("fmin", A::FMin, 1),
    ("fsub", A::FSub, 1),
    ("imax", A::IMax, 1),
    ("imin", A::IMin, 1),
    ("inc", A::Inc, 0),
    ("max", A::Max, 1),
    ("min", A::Min, 1),
    ("or", A::Or, 1),
    ("sub", A::Sub, 1),
    ("xchg", A::Xchg, 1),
    ("xor", A::Xor, 1),
];

/// Families of atomics, with the operations that each lacks.
const ATOMIC_FAMILIES: [(&str, K, &[A]); 5] = [
    ("dword.atomic", K::Dword, &[]),
    ("dword.atomic2", K::Dword2, &[]),
    ("svm.atomic", K::Svm, &[A::FAdd, A::FSub]),
    ("typed.atomic", K::Typed, &[]),
    (
        "untyped.atomic",
        K::Untyped,
        &[A::FAdd, A::FCmpWr, A::FMax, A::FMin, A::FSub],
    ),
];

fn atomics() -> impl Iterator<Item = (String, Kind)> {
    ATOMIC_FAMILIES.iter().flat_map(|(family, kind, lacking)| {
        let ops = ATOMICS.iter().filter(|(_, op, _)| !lacking.contains(op));
        ops.map(move |(word, op, sources)| {
            (
                format!("genx.{family}.{word}"),
                Atomic(*kind, *op, *sources),
            )
        })
    })
}

/// Messages of the load-store units by channels, to each kind of memory.
fn lsc_messages() -> impl Iterator<Item = (String, Kind)> {
    let memories = [
        ("bindless", lsc::Memory::Bindless),
        ("bti", lsc::Memory::Table),
        ("slm", lsc::Memory::Local),
        ("stateless", lsc::Memory::Stateless),
    ];
    memories.into_iter().flat_map(|(suffix, memory)| {
        let messages = [
            ("atomic", lsc::old_atomic(memory)),
            ("load", lsc::load(memory, false)),
            ("load.merge", lsc::merge(memory, false)),
            ("load.merge.quad", lsc::merge(memory, true)),
            ("load.quad", lsc::load(memory, true)),
            ("prefetch", lsc::prefetch(memory)),
            ("store", lsc::store(memory, false)),
            ("store.quad", lsc::store(memory, true)),
            ("xatomic", lsc::atomic(memory)),
        ];
        messages.map(|(word, message)| (format!("genx.lsc.{word}.{suffix}"), Lsc(message)))
    })
}

/// Operations on integers by the signs of result and operands. Each saturates where its name says so; sums and
/// truncations have no other form.
fn integers() -> impl Iterator<Item = (String, Kind)> {
    let signs = [
        ("ss", Signed, Signed),
        ("su", Signed, Unsigned),
        ("us", Unsigned, Signed),
        ("uu", Unsigned, Unsigned),
    ];
    let ops = [
        ("add", Opcode::Add, false),
        ("add3", Opcode::Add3, false),
        ("avg", Opcode::Avg, true),
        ("dp4a", Opcode::Dp4a, true),
        ("mad", Opcode::Mad, true),
        ("mul", Opcode::Mul, true),
        ("sad2add", Opcode::Sad2Add, true),
        ("shl", Opcode::Shl, true),
        ("trunc", Opcode::Mov, false),
    ];
    signs.into_iter().flat_map(move |(sign, result, operands)| {
        ops.into_iter().flat_map(move |(word, op, wraps)| {
            // Wrapping products of two signs name the signs of their factors instead.
            let wrapping = match op {
                Opcode::Mad | Opcode::Mul if result != operands => mixed(op, [result, operands]),
                _ => Alu(int(op, result, operands, false)),
            };
            let saturating = Alu(int(op, result, operands, true));
            let plain = wraps.then(|| (format!("genx.{sign}{word}"), wrapping));
            plain
                .into_iter()
                .chain([(format!("genx.{sign}{word}.sat"), saturating)])
        })
    })
}

/// Messages with all descriptors: of one or two payloads, with or without sizes as operands, with or without a result.
fn raw_sends() -> impl Iterator<Item = (String, Kind)> {
    (0..8).map(|bits| {
        let [split, full, result] = [1, 2, 4].map(|bit| bits & bit != 0);
        let name = format!(
            "genx.raw.send{}{}{}",
            if split { "s" } else { "" },
            if full { "2" } else { "" },
            if result { "" } else { ".noresult" },
        );
        let kind = RawSend {
            split,
            full,
            result,
        };
        (name, kind)
    })
}

const fn reduce(op: BinaryOp) -> Kind {
    Reduce(Reduction::Binary(op))
}

/// Names that belong to no family.
const SINGLE: &[(&str, Kind)] = &[
    ("abs", Abs),
    ("acos", Math("acos", None)),
    ("annotation", Copy),
    ("arithmetic.fence", Copy),
    ("asin", Math("asin", None)),
    ("assume", Nothing),
    ("atan", Math("atan", None)),
    ("atan2", Math("atan2", None)),
    ("bitreverse", ReverseBits),
    ("bswap", SwapBytes),
    ("canonicalize", Canonical),
    ("ceil", Alu(alu(Opcode::Rndu))),
    ("convert.from.fp16", HalfBits),
    ("convert.to.fp16", HalfBits),
    ("copysign", CopySign),
    ("cos", Approximate(Opcode::Cos)),
    ("cosh", Math("cosh", None)),
    ("ctlz", LeadingZeros),
    ("ctpop", CountOnes),
    ("cttz", TrailingZeros),
    ("debugtrap", Nothing),
    ("donothing", Nothing),
    ("exp", Math("exp", Some("native.exp"))),
    ("exp10", Math("exp10", Some("native.exp10"))),
    ("exp2", Approximate(Opcode::Exp)),
    ("expect", Copy),
    ("expect.with.probability", Copy),
    ("experimental.noalias.scope.decl", Nothing),
    ("fabs", Modifier(Modifier::Abs)),
    ("floor", Alu(alu(Opcode::Rndd))),
    ("flt.rounds", Unknown(super::Unknown::Rounding)),
    ("fma", Fma),
    ("fmuladd", Fma),
    ("fptosi.sat", Alu(convert(Signed))),
    ("fptoui.sat", Alu(convert(Unsigned))),
    ("frexp", Library("frexp")),
    ("fshl", FunnelShift(true)),
    ("fshr", FunnelShift(false)),
    ("genx.3d.load", Sampler(Opcode::Load3d)),
    ("genx.3d.sample", Sampler(Opcode::Sample3d)),
    ("genx.absf", Modifier(Modifier::Abs)),
    ("genx.absi", Modifier(Modifier::Abs)),
    ("genx.add.addr", uu(Opcode::Add)),
    ("genx.add3", ss(Opcode::Add3)),
    ("genx.addc", WithCarry(Opcode::Addc)),
    ("genx.address.convert", Copy),
    ("genx.all", All),
    ("genx.any", Any),
    ("genx.barrier", Barrier),
    ("genx.bf.cvt", ConvertBFloat),
    ("genx.bfi", uu(Opcode::Bfi)),
    ("genx.bfn", Bfn),
    ("genx.bfrev", uu(Opcode::Bfrev)),
    ("genx.cache.flush", CacheFlush),
    ("genx.cbit", uu(Opcode::Cbit)),
    ("genx.ce0", Predefined(predefined::CE0)),
    ("genx.constantf", Copy),
    ("genx.constanti", Copy),
    ("genx.constantpred", Copy),
    ("genx.convert", Copy),
    ("genx.convert.addr", uu(Opcode::Add)),
    ("genx.cos", Alu(alu(Opcode::Cos))),
    ("genx.dp2", Alu(alu(Opcode::Dp2))),
    ("genx.dp3", Alu(alu(Opcode::Dp3))),
    ("genx.dp4", Alu(alu(Opcode::Dp4))),
    ("genx.dpas", Systolic(systolic::PACKED)),
    ("genx.dpas.nosrc0", Systolic(systolic::PACKED_ALONE)),
    ("genx.dpas2", Systolic(systolic::SPELLED)),
    ("genx.dpasw", Systolic(systolic::WIDE)),
    ("genx.dpasw.nosrc0", Systolic(systolic::WIDE_ALONE)),
    ("genx.dph", Alu(alu(Opcode::Dph))),
    ("genx.dummy.mov", Nothing),
    ("genx.exp", Alu(alu(Opcode::Exp))),
    ("genx.faddr", FunctionAddress),
    ("genx.fbl", uu(Opcode::Fbl)),
    ("genx.fence", Fence),
    ("genx.fmax", Extremum(true, Signed)),
    ("genx.fmin", Extremum(false, Signed)),
    ("genx.fptosi.sat", Alu(convert(Signed))),
    ("genx.fptoui.sat", Alu(convert(Unsigned))),
    ("genx.frc", Alu(alu(Opcode::Frc))),
    ("genx.gaddr", GlobalAddress),
    (
        "genx.gather.masked.scaled2",
        Message(&messages::GATHER_MASKED_SCALED2),
    ),
    ("genx.gather.scaled", Message(&messages::GATHER_SCALED)),
    ("genx.gather.scaled2", Message(&messages::GATHER_SCALED2)),
    (
        "genx.gather4.masked.scaled2",
        Message(&messages::GATHER4_MASKED_SCALED2),
    ),
    ("genx.gather4.scaled", Message(&messages::GATHER4_SCALED)),
    ("genx.gather4.scaled2", Message(&messages::GATHER4_SCALED2)),
    ("genx.gather4.typed", Message(&messages::GATHER4_TYPED)),
    ("genx.get.color", Predefined(predefined::COLOR)),
    ("genx.get.hwid", Predefined(predefined::HW_ID)),
    ("genx.group.count", GroupCount),
    ("genx.group.id.x", Predefined(predefined::GROUP_ID_X)),
    ("genx.group.id.y", Predefined(predefined::GROUP_ID_Y)),
    ("genx.group.id.z", Predefined(predefined::GROUP_ID_Z)),
    ("genx.ieee.div", Alu(alu(Opcode::Divm))),
    ("genx.ieee.sqrt", Alu(alu(Opcode::Sqrtm))),
    ("genx.inv", Alu(alu(Opcode::Inv))),
    ("genx.load", Message(&messages::LOAD)),
    ("genx.local.id", LocalId),
    ("genx.local.id16", LocalId),
    ("genx.local.size", LocalSize),
    ("genx.log", Alu(alu(Opcode::Log))),
    ("genx.lrp", Alu(alu(Opcode::Lrp))),
    ("genx.lsc.fence", LscFence),
    (
        "genx.lsc.load.merge.quad.typed.bti",
        LscTyped(lsc::Action::Load),
    ),
    ("genx.lsc.load2d.stateless", LscBlock(lsc::Action::Load)),
    (
        "genx.lsc.load2d.typed.bti",
        LscTypedBlock(lsc::Action::Load),
    ),
    (
        "genx.lsc.prefetch.quad.typed.bti",
        LscTyped(lsc::Action::Prefetch),
    ),
    (
        "genx.lsc.prefetch2d.stateless",
        LscBlock(lsc::Action::Prefetch),
    ),
    (
        "genx.lsc.store.quad.typed.bti",
        LscTyped(lsc::Action::Store),
    ),
    ("genx.lsc.store2d.stateless", LscBlock(lsc::Action::Store)),
    (
        "genx.lsc.store2d.typed.bti",
        LscTypedBlock(lsc::Action::Store),
    ),
    ("genx.lzd", uu(Opcode::Lzd)),
    ("genx.media.ld", Message(&messages::MEDIA_LD)),
    ("genx.media.st", Message(&messages::MEDIA_ST)),
    ("genx.output", Nothing),
    ("genx.output.1", Nothing),
    ("genx.oword.ld", Message(&messages::OWORD_LD)),
    (
        "genx.oword.ld.unaligned",
        Message(&messages::OWORD_LD_UNALIGNED),
    ),
    ("genx.oword.st", Message(&messages::OWORD_ST)),
    ("genx.pow", Alu(alu(Opcode::Pow))),
    ("genx.predefined.surface", PredefinedSurface),
    ("genx.print.buffer", PrintBuffer),
    ("genx.r0", Predefined(predefined::R0)),
    ("genx.rdpredregion", ReadPredicate),
    ("genx.rdregionf", ReadRegion),
    ("genx.rdregioni", ReadRegion),
    ("genx.read.predef.reg", ReadRegister),
    ("genx.rndd", Alu(alu(Opcode::Rndd))),
    ("genx.rnde", Alu(alu(Opcode::Rnde))),
    ("genx.rndu", Alu(alu(Opcode::Rndu))),
    ("genx.rndz", Alu(alu(Opcode::Rndz))),
    ("genx.rol", Rotate(true)),
    ("genx.ror", Rotate(false)),
    ("genx.rsqrt", Alu(alu(Opcode::Rsqrt))),
    ("genx.sample", Message(&messages::SAMPLE)),
    ("genx.sat", Saturate),
    ("genx.sbarrier", SplitBarrier),
    ("genx.sbfe", ss(Opcode::Bfe)),
    ("genx.scatter.scaled", Message(&messages::SCATTER_SCALED)),
    ("genx.scatter4.scaled", Message(&messages::SCATTER4_SCALED)),
    ("genx.scatter4.typed", Message(&messages::SCATTER4_TYPED)),
    ("genx.sfbh", us(Opcode::Fbh)),
    ("genx.simad", WideMad(Signed, false)),
    ("genx.simdcf.any", Any),
    ("genx.simdcf.get.em", Copy),
    ("genx.simdcf.goto", Goto),
    ("genx.simdcf.join", Join),
    ("genx.simdcf.remask", Remask),
    ("genx.simdcf.savemask", SaveMask),
    ("genx.simdcf.unmask", Unmask),
    ("genx.sin", Alu(alu(Opcode::Sin))),
    ("genx.slm.init", SlmInit),
    ("genx.smadw", WideMad(Signed, true)),
    ("genx.smax", Extremum(true, Signed)),
    ("genx.smin", Extremum(false, Signed)),
    ("genx.smulh", ss(Opcode::Mulh)),
    ("genx.sqrt", Alu(alu(Opcode::Sqrt))),
    ("genx.sr0", Predefined(predefined::SR0)),
    ("genx.ssad2", ss(Opcode::Sad2)),
    ("genx.subb", WithCarry(Opcode::Subb)),
    ("genx.svm.block.ld", Message(&messages::SVM_BLOCK_LD)),
    (
        "genx.svm.block.ld.unaligned",
        Message(&messages::SVM_BLOCK_LD_UNALIGNED),
    ),
    ("genx.svm.block.st", Message(&messages::SVM_BLOCK_ST)),
    ("genx.svm.gather", Message(&messages::SVM_GATHER)),
    (
        "genx.svm.gather4.scaled",
        Message(&messages::SVM_GATHER4_SCALED),
    ),
    ("genx.svm.scatter", Message(&messages::SVM_SCATTER)),
    (
        "genx.svm.scatter4.scaled",
        Message(&messages::SVM_SCATTER4_SCALED),
    ),
    ("genx.thread.x", Predefined(predefined::THREAD_X)),
    ("genx.thread.y", Predefined(predefined::THREAD_Y)),
    ("genx.timestamp", Predefined(predefined::TSC)),
    ("genx.ubfe", uu(Opcode::Bfe)),
    ("genx.ufbh", uu(Opcode::Fbh)),
    ("genx.uimad", WideMad(Unsigned, false)),
    ("genx.umadw", WideMad(Unsigned, true)),
    ("genx.umax", Extremum(true, Unsigned)),
    ("genx.umin", Extremum(false, Unsigned)),
    ("genx.umulh", uu(Opcode::Mulh)),
    ("genx.usad2", uu(Opcode::Sad2)),
    ("genx.vload", Load),
    ("genx.vstore", Store),
    ("genx.wrconstregion", WriteRegion),
    ("genx.write.predef.reg", WriteRegister),
    ("genx.wrpredpredregion", WritePredicate),
    ("genx.wrpredregion", WritePredicate),
    ("genx.wrregionf", WriteRegion),
    ("genx.wrregioni", WriteRegion),
    ("genx.yield", Yield),
    ("get.active.lane.mask", Arrange(Arrangement::Active)),
    ("get.rounding", Unknown(super::Unknown::Rounding)),
    ("invariant.end", Nothing),
    ("invariant.start", Nothing),
    ("is.constant", Unknown(super::Unknown::IsConstant)),
    ("is.fpclass", Class),
    ("kiln.abs", Abs),
    ("kiln.acosh", Library("acosh")),
    ("kiln.acospi", Library("acospi")),
    ("kiln.asinh", Library("asinh")),
    ("kiln.asinpi", Library("asinpi")),
    ("kiln.atan2pi", Library("atan2pi")),
    ("kiln.atanh", Library("atanh")),
    ("kiln.atanpi", Library("atanpi")),
    ("kiln.atomic.add", Ordered(Access::Modify(A::Add))),
    ("kiln.atomic.and", Ordered(Access::Modify(A::And))),
    ("kiln.atomic.cmpxchg", Ordered(Access::Modify(A::CmpXchg))),
    ("kiln.atomic.fadd", Ordered(Access::Compute(C::FAdd))),
    ("kiln.atomic.fence", Ordered(Access::Fence)),
    ("kiln.atomic.fmax", Ordered(Access::Modify(A::FMax))),
    (
        "kiln.atomic.fmaximum",
        Ordered(Access::Compute(C::FMaximum)),
    ),
    ("kiln.atomic.fmin", Ordered(Access::Modify(A::FMin))),
    (
        "kiln.atomic.fminimum",
        Ordered(Access::Compute(C::FMinimum)),
    ),
    ("kiln.atomic.fsub", Ordered(Access::Compute(C::FSub))),
    ("kiln.atomic.imax", Ordered(Access::Modify(A::IMax))),
    ("kiln.atomic.imin", Ordered(Access::Modify(A::IMin))),
    ("kiln.atomic.load", Ordered(Access::Load)),
    ("kiln.atomic.max", Ordered(Access::Modify(A::Max))),
    ("kiln.atomic.min", Ordered(Access::Modify(A::Min))),
    ("kiln.atomic.nand", Ordered(Access::Compute(C::Nand))),
    ("kiln.atomic.or", Ordered(Access::Modify(A::Or))),
    ("kiln.atomic.store", Ordered(Access::Store)),
    ("kiln.atomic.sub", Ordered(Access::Modify(A::Sub))),
    (
        "kiln.atomic.udec.wrap",
        Ordered(Access::Compute(C::UDecWrap)),
    ),
    (
        "kiln.atomic.uinc.wrap",
        Ordered(Access::Compute(C::UIncWrap)),
    ),
    (
        "kiln.atomic.usub.cond",
        Ordered(Access::Compute(C::USubCond)),
    ),
    ("kiln.atomic.usub.sat", Ordered(Access::Compute(C::USubSat))),
    ("kiln.atomic.xchg", Ordered(Access::Modify(A::Xchg))),
    ("kiln.atomic.xor", Ordered(Access::Modify(A::Xor))),
    ("kiln.bf.cvt", ConvertBFloat),
    ("kiln.cbrt", Library("cbrt")),
    ("kiln.clz", LeadingZeros),
    ("kiln.cospi", Library("cospi")),
    ("kiln.ctz", TrailingZeros),
    ("kiln.degrees", Library("degrees")),
    ("kiln.divide", Library("divide")),
    ("kiln.dot", Dot),
    ("kiln.expm1", Math("expm1", None)),
    ("kiln.fclamp", Library("fclamp")),
    ("kiln.fdim", Library("fdim")),
    ("kiln.fmod", Library("fmod")),
    ("kiln.fract", Library("fract")),
    ("kiln.frame", Frame),
    ("kiln.hypot", Library("hypot")),
    ("kiln.ilogb", Library("ilogb")),
    ("kiln.is.nan", Test(FloatRel::UNORDERED)),
    ("kiln.launch.global.id", Launch("global.id")),
    ("kiln.launch.global.linear", Launch("global.linear")),
    ("kiln.launch.global.size", Launch("global.size")),
    ("kiln.launch.group.count", Launch("group.count")),
    ("kiln.launch.group.id", Launch("group.id")),
    ("kiln.launch.local.id", Launch("local.id")),
    ("kiln.launch.local.linear", Launch("local.linear")),
    ("kiln.launch.local.size", Launch("local.size")),
    ("kiln.launch.offset", Launch("offset")),
    ("kiln.launch.subgroup.channel", Launch("subgroup.channel")),
    ("kiln.launch.subgroup.count", Launch("subgroup.count")),
    ("kiln.launch.subgroup.size", Launch("subgroup.size")),
    ("kiln.ldexp", Library("ldexp")),
    ("kiln.less.or.greater", Test(FloatRel::LESS_OR_GREATER)),
    ("kiln.log1p", Math("log1p", None)),
    ("kiln.logb", Library("logb")),
    ("kiln.mad24", Library("mad24")),
    ("kiln.maxmag", Library("maxmag")),
    ("kiln.minmag", Library("minmag")),
    ("kiln.mix", Library("mix")),
    ("kiln.mul24", Library("mul24")),
    ("kiln.native.exp", Math("native.exp", None)),
    ("kiln.native.exp10", Math("native.exp10", None)),
    ("kiln.native.log", Math("native.log", None)),
    ("kiln.native.log10", Math("native.log10", None)),
    ("kiln.native.tan", Math("native.tan", None)),
    ("kiln.nextafter", Library("nextafter")),
    ("kiln.ordered", Test(FloatRel(0b0111))),
    ("kiln.pown", Library("powi")),
    ("kiln.radians", Library("radians")),
    ("kiln.read.clock", Clock),
    ("kiln.remainder", Library("remainder")),
    ("kiln.room", Room),
    ("kiln.rootn", Library("rootn")),
    ("kiln.rotate", Library("rotate")),
    ("kiln.s.abs.diff", Library("s.abs.diff")),
    ("kiln.s.clamp", Library("s.clamp")),
    ("kiln.s.hadd", Library("s.hadd")),
    ("kiln.s.rhadd", Library("s.rhadd")),
    ("kiln.from.generic", FromGeneric),
    ("kiln.scoped.add", Scoped("kiln.atomic.add")),
    ("kiln.scoped.and", Scoped("kiln.atomic.and")),
    (
        "kiln.scoped.compare.exchange",
        Scoped("kiln.atomic.cmpxchg"),
    ),
    ("kiln.scoped.decrement", Scoped("kiln.atomic.sub")),
    ("kiln.scoped.exchange", Scoped("kiln.atomic.xchg")),
    ("kiln.scoped.fadd", Scoped("kiln.atomic.fadd")),
    ("kiln.scoped.fmax", Scoped("kiln.atomic.fmax")),
    ("kiln.scoped.fmin", Scoped("kiln.atomic.fmin")),
    ("kiln.scoped.increment", Scoped("kiln.atomic.add")),
    ("kiln.scoped.load", Scoped("kiln.atomic.load")),
    ("kiln.scoped.or", Scoped("kiln.atomic.or")),
    ("kiln.scoped.smax", Scoped("kiln.atomic.imax")),
    ("kiln.scoped.smin", Scoped("kiln.atomic.imin")),
    ("kiln.scoped.store", Scoped("kiln.atomic.store")),
    ("kiln.scoped.sub", Scoped("kiln.atomic.sub")),
    ("kiln.scoped.umax", Scoped("kiln.atomic.max")),
    ("kiln.scoped.umin", Scoped("kiln.atomic.min")),
    ("kiln.scoped.xor", Scoped("kiln.atomic.xor")),
    ("kiln.sigmoid", Library("sigmoid")),
    ("kiln.sign", Library("sign")),
    ("kiln.sinpi", Library("sinpi")),
    ("kiln.smoothstep", Library("smoothstep")),
    ("kiln.step", Library("step")),
    ("kiln.stored.fract", Stored("kiln.fract")),
    ("kiln.stored.frexp", Stored("frexp")),
    ("kiln.stored.modf", Stored("modf")),
    ("kiln.stored.sincos", Stored("sincos")),
    ("kiln.tanpi", Library("tanpi")),
    ("kiln.tf32.round", Library("tf32.round")),
    ("kiln.u.abs.diff", Library("u.abs.diff")),
    ("kiln.u.clamp", Library("u.clamp")),
    ("kiln.u.hadd", Library("u.hadd")),
    ("kiln.u.rhadd", Library("u.rhadd")),
    ("kiln.unordered", Test(FloatRel::UNORDERED)),
    ("launder.invariant.group", Copy),
    ("ldexp", Library("ldexp")),
    ("lifetime.end", Nothing),
    ("lifetime.start", Nothing),
    ("llrint", RoundTo("rint")),
    ("llround", RoundTo("round")),
    ("log", Math("log", Some("native.log"))),
    ("log10", Math("log10", Some("native.log10"))),
    ("log2", Approximate(Opcode::Log)),
    ("lrint", RoundTo("rint")),
    ("lround", RoundTo("round")),
    ("masked.gather", Masked(masked(false, true))),
    ("masked.load", Masked(masked(false, false))),
    ("masked.scatter", Masked(masked(true, true))),
    ("masked.store", Masked(masked(true, false))),
    ("maximum", Math("maximum", None)),
    ("maximumnum", Math("maximumnum", None)),
    ("maxnum", Extremum(true, Signed)),
    ("memcpy", copied(false)),
    ("memcpy.inline", copied(false)),
    ("memmove", copied(true)),
    ("memset", MemSet),
    ("minimum", Math("minimum", None)),
    ("minimumnum", Math("minimumnum", None)),
    ("minnum", Extremum(false, Signed)),
    ("modf", Library("modf")),
    ("nearbyint", Alu(alu(Opcode::Rnde))),
    ("objectsize", Unknown(super::Unknown::Size)),
    ("pow", Approximate(Opcode::Pow)),
    ("powi", IntegerPower),
    ("prefetch", Nothing),
    ("ptr.annotation", Copy),
    ("ptrmask", PointerMask),
    ("readcyclecounter", Predefined(predefined::TSC)),
    ("readsteadycounter", Predefined(predefined::TSC)),
    ("rint", Alu(alu(Opcode::Rnde))),
    ("round", Math("round", None)),
    ("roundeven", Alu(alu(Opcode::Rnde))),
    ("sadd.sat", Alu(int(Opcode::Add, Signed, Signed, true))),
    ("sadd.with.overflow", WithOverflow(BinaryOp::Add, Signed)),
    ("scmp", Compare(Signed)),
    ("sideeffect", Nothing),
    ("sin", Approximate(Opcode::Sin)),
    ("sincos", Library("sincos")),
    ("sincospi", Library("sincospi")),
    ("sinh", Math("sinh", None)),
    ("smax", Extremum(true, Signed)),
    ("smin", Extremum(false, Signed)),
    ("smul.with.overflow", WithOverflow(BinaryOp::Mul, Signed)),
    ("sqrt", Alu(alu(Opcode::Sqrtm))),
    ("ssa.copy", Copy),
    ("sshl.sat", ShiftSat(Signed)),
    ("ssub.sat", SubSat(Signed)),
    ("ssub.with.overflow", WithOverflow(BinaryOp::Sub, Signed)),
    ("stackrestore", SetStackTop),
    ("stacksave", StackTop),
    ("stepvector", Arrange(Arrangement::Step)),
    ("strip.invariant.group", Copy),
    ("tan", Math("tan", Some("native.tan"))),
    ("tanh", Math("tanh", None)),
    ("trap", Trap),
    ("trunc", Alu(alu(Opcode::Rndz))),
    ("uadd.sat", Alu(int(Opcode::Add, Unsigned, Unsigned, true))),
    ("uadd.with.overflow", WithOverflow(BinaryOp::Add, Unsigned)),
    ("ubsantrap", Trap),
    ("ucmp", Compare(Unsigned)),
    ("umax", Extremum(true, Unsigned)),
    ("umin", Extremum(false, Unsigned)),
    ("umul.with.overflow", WithOverflow(BinaryOp::Mul, Unsigned)),
    ("ushl.sat", ShiftSat(Unsigned)),
    ("usub.sat", SubSat(Unsigned)),
    ("usub.with.overflow", WithOverflow(BinaryOp::Sub, Unsigned)),
    ("var.annotation", Nothing),
    ("vector.deinterleave2", Arrange(Arrangement::Deinterleave)),
    ("vector.deinterleave3", Arrange(Arrangement::Deinterleave)),
    ("vector.deinterleave4", Arrange(Arrangement::Deinterleave)),
    ("vector.deinterleave5", Arrange(Arrangement::Deinterleave)),
    ("vector.deinterleave6", Arrange(Arrangement::Deinterleave)),
    ("vector.deinterleave7", Arrange(Arrangement::Deinterleave)),
    ("vector.deinterleave8", Arrange(Arrangement::Deinterleave)),
    ("vector.extract", Arrange(Arrangement::Extract)),
    ("vector.insert", Arrange(Arrangement::Insert)),
    ("vector.interleave2", Arrange(Arrangement::Interleave)),
    ("vector.interleave3", Arrange(Arrangement::Interleave)),
    ("vector.interleave4", Arrange(Arrangement::Interleave)),
    ("vector.interleave5", Arrange(Arrangement::Interleave)),
    ("vector.interleave6", Arrange(Arrangement::Interleave)),
    ("vector.interleave7", Arrange(Arrangement::Interleave)),
    ("vector.interleave8", Arrange(Arrangement::Interleave)),
    ("vector.reduce.add", reduce(BinaryOp::Add)),
    ("vector.reduce.and", reduce(BinaryOp::And)),
    ("vector.reduce.fadd", reduce(BinaryOp::FAdd)),
    ("vector.reduce.fmax", Reduce(Reduction::Named("maxnum"))),
    (
        "vector.reduce.fmaximum",
        Reduce(Reduction::Named("maximum")),
    ),
    ("vector.reduce.fmin", Reduce(Reduction::Named("minnum"))),
    (
        "vector.reduce.fminimum",
        Reduce(Reduction::Named("minimum")),
    ),
    ("vector.reduce.fmul", reduce(BinaryOp::FMul)),
    ("vector.reduce.mul", reduce(BinaryOp::Mul)),
    ("vector.reduce.or", reduce(BinaryOp::Or)),
    ("vector.reduce.smax", Reduce(Reduction::Named("smax"))),
    ("vector.reduce.smin", Reduce(Reduction::Named("smin"))),
    ("vector.reduce.umax", Reduce(Reduction::Named("umax"))),
    ("vector.reduce.umin", Reduce(Reduction::Named("umin"))),
    ("vector.reduce.xor", reduce(BinaryOp::Xor)),
    ("vector.reverse", Arrange(Arrangement::Reverse)),
    ("vector.splice", Arrange(Arrangement::Splice)),
    ("vector.splice.left", Arrange(Arrangement::Splice)),
    ("vector.splice.right", Arrange(Arrangement::SpliceRight)),
];
