//! Errata that one instruction can break by itself.
//!
//! Each rule is a statement about a decoded instruction, with its source in the row of [`kiln_platform::errata`].

use kiln_platform::errata::Erratum;

use crate::footprint::{self, general};
use crate::inst::{Desc, Dst, Inst, Op, Pipe, Place, Reg, RegFile, Region, Src, SrcReg, Type};
use crate::messages::{AddressKind, Data, Descriptors, Flush, Function, Kind, Request, Scope};
use crate::platform::Platform;
use crate::verify::region::linear_stride;

/// True for an instruction that breaks the rule.
type Rule = fn(&Inst, &Platform) -> bool;

pub(super) const RULES: &[(Erratum, Rule, &str)] = &[
    (
        Erratum::MixedSelectUnpacked,
        selects_into_packed_halves,
        "selects between floats and halves into packed halves",
    ),
    (
        Erratum::Reserved127,
        answers_into_last,
        "has its response from r127 in its payload",
    ),
    (
        Erratum::SamplerFlushedBeforeEnd,
        samples_into_nothing,
        "asks the sampler for no response",
    ),
    (
        Erratum::FenceInvalidates,
        fences_far_without_flush,
        "fences beyond the group and flushes nothing",
    ),
    (Erratum::FenceDiscards, discards, "fences and discards"),
    (
        Erratum::ScratchQuads,
        accesses_scratch_quads,
        "accesses scratch memory by 64 bits",
    ),
    (
        Erratum::DescriptorBits,
        has_wrong_descriptor,
        "has an extended descriptor whose bits 12 to 15 are 11",
    ),
    (
        Erratum::CallaRegister,
        calls_inside_register,
        "calls an address that is not at the start of a register",
    ),
    (
        Erratum::HalfToInteger,
        converts_half_to_integer,
        "converts halves to integers",
    ),
    (
        Erratum::HalfMathScalars,
        repeats_half_in_math,
        "has a scalar half as a source of math",
    ),
    (
        Erratum::HalfMathScalarsToo,
        repeats_half_in_math,
        "has a scalar half as a source of math",
    ),
    (
        Erratum::HalfMathAligned,
        computes_halves_inside_register,
        "is math on packed halves that do not begin a register",
    ),
    (
        Erratum::DistanceAndToken,
        names_no_pipeline,
        "waits for a pipeline that it does not name",
    ),
    (
        Erratum::LongTypeWaits,
        names_no_long_pipeline,
        "waits beside operands of 64 bits for a pipeline that it does not name",
    ),
    (
        Erratum::OddWordSource,
        has_odd_word_source,
        "writes bytes from a second source of words at an odd word",
    ),
    (
        Erratum::SelectWordOfDwords,
        selects_word_beside_channel,
        "selects among dwords into a word at an odd dword",
    ),
    (
        Erratum::AccumulatorPacked,
        spreads_in_accumulator,
        "writes an accumulator beside its start or with a stride",
    ),
    (
        Erratum::IndirectCompressed,
        reads_address_across,
        "has an indirect first source, and writes two registers",
    ),
    (
        Erratum::ByteSwizzles,
        packs_second_words,
        "packs words of a second source into bytes",
    ),
    (
        Erratum::NoPreemptFromR2,
        sends_interruptibly,
        "sends r2 and may be interrupted",
    ),
];

fn request(inst: &Inst, platform: &Platform) -> Option<Request> {
    let of = inst.msg.as_ref().and_then(Descriptors::of)?;
    Request::decode(of, platform.family).ok()
}

fn register(src: &Src) -> Option<&SrcReg> {
    match src {
        Src::Reg(src) => Some(src),
        Src::Imm { .. } => None,
    }
}

fn direct(dst: &Dst) -> Option<Reg> {
    match dst.place {
        Place::Direct(reg) => Some(reg),
        Place::Indirect { .. } => None,
    }
}

fn selects_into_packed_halves(inst: &Inst, _: &Platform) -> bool {
    let packed = |dst: Dst| dst.ty == Type::Hf && dst.hstride == 1;
    let floats = inst.srcs.iter().any(|src| src.ty() == Type::F);
    inst.op == Op::Sel && floats && inst.dst.is_some_and(packed)
}

fn answers_into_last(inst: &Inst, platform: &Platform) -> bool {
    let footprint = footprint::of(inst, platform);
    let last = footprint.writes.registers().any(|register| register == 127);
    let mut payloads = footprint.reads.iter();
    inst.op.is_send() && last && payloads.any(|read| read.meets(&footprint.writes))
}

fn samples_into_nothing(inst: &Inst, platform: &Platform) -> bool {
    let sampler =
        |request: &Request| request.function == Function::Sampler && !request.kind.is_fence();
    request(inst, platform).is_some_and(|request| sampler(&request) && request.response == 0)
}

fn fences_far_without_flush(inst: &Inst, platform: &Platform) -> bool {
    request(inst, platform).is_some_and(|request| {
        let near = matches!(request.fields.scope, Some(Scope::Group | Scope::Local));
        request.kind == Kind::Fence
            && request.function == Function::Untyped
            && request.fields.flush == Some(Flush::None)
            && !near
    })
}

fn computes_halves_inside_register(inst: &Inst, platform: &Platform) -> bool {
    let inside = |place: Place, ty: Type| {
        let byte = general(place).map_or(0, |reg| u32::from(reg.byte));
        ty == Type::Hf && !byte.is_multiple_of(platform.grf_bytes)
    };
    let mut sources = inst.srcs.iter();
    let packed = |dst: &Dst| dst.ty == Type::Hf && dst.hstride == 1;
    let within = |dst: Dst| {
        inside(dst.place, dst.ty)
            || sources.any(|src| matches!(src, Src::Reg(src) if inside(src.place, src.ty)))
    };
    matches!(inst.op, Op::Math(_)) && inst.dst.filter(packed).is_some_and(within)
}

fn names_no_pipeline(inst: &Inst, _: &Platform) -> bool {
    matches!(inst.swsb.dist, Some((Pipe::Own, _)))
}

fn names_no_long_pipeline(inst: &Inst, platform: &Platform) -> bool {
    let mut types = inst
        .srcs
        .iter()
        .map(Src::ty)
        .chain(inst.dst.map(|dst| dst.ty));
    names_no_pipeline(inst, platform) && types.any(|ty| ty.bytes() == 8)
}

fn discards(inst: &Inst, platform: &Platform) -> bool {
    request(inst, platform).is_some_and(|request| {
        request.kind == Kind::Fence && request.fields.flush == Some(Flush::Discard)
    })
}

fn accesses_scratch_quads(inst: &Inst, platform: &Platform) -> bool {
    request(inst, platform).is_some_and(|request| {
        let scratch = request.fields.address == Some(AddressKind::SurfaceState);
        scratch && request.fields.data == Some(Data::D64)
    })
}

fn has_wrong_descriptor(inst: &Inst, _: &Platform) -> bool {
    let bits = |desc| matches!(desc, Desc::Imm(bits) if bits >> 12 & 15 == 11);
    inst.msg.is_some_and(|message| bits(message.ex_desc))
}

fn calls_inside_register(inst: &Inst, _: &Platform) -> bool {
    let inside = |src: &Src| {
        let place = register(src).map(|src| src.place);
        place.and_then(general).is_some_and(|reg| reg.byte != 0)
    };
    inst.op == Op::Calla && inst.srcs.iter().any(inside)
}

fn converts_half_to_integer(inst: &Inst, _: &Platform) -> bool {
    let integer = inst
        .dst
        .is_some_and(|dst| matches!(dst.ty, Type::D | Type::W));
    inst.op == Op::Mov && integer && inst.srcs.iter().any(|src| src.ty() == Type::Hf)
}

fn repeats_half_in_math(inst: &Inst, _: &Platform) -> bool {
    let scalar = |src: &Src| register(src).is_none_or(|src| src.region == Region::SCALAR);
    let null = |src: &Src| {
        register(src).is_some_and(|src| matches!(src.place, Place::Direct(reg) if reg.is_null()))
    };
    let mut halves = inst.srcs.iter().filter(|src| src.ty() == Type::Hf);
    matches!(inst.op, Op::Math(_))
        && inst.exec_size > 1
        && halves.any(|src| scalar(src) && !null(src))
}

fn has_odd_word_source(inst: &Inst, _: &Platform) -> bool {
    let bytes = inst
        .dst
        .is_some_and(|dst| dst.ty.bytes() == 1 && dst.hstride > 2 && direct(&dst).is_some());
    let odd = |src: &SrcReg| {
        let reg = general(src.place);
        matches!(src.ty, Type::W | Type::Uw) && reg.is_some_and(|reg| reg.byte % 4 != 0)
    };
    bytes && inst.srcs.get(1).and_then(register).is_some_and(odd)
}

fn selects_word_beside_channel(inst: &Inst, _: &Platform) -> bool {
    let word = |dst: Dst| {
        let reg = general(dst.place);
        matches!(dst.ty, Type::W | Type::Uw) && reg.is_some_and(|reg| reg.byte % 8 != 0)
    };
    let dword = |src: &Src| matches!(src.ty(), Type::D | Type::Ud);
    inst.op == Op::Sel && inst.dst.is_some_and(word) && inst.srcs.iter().any(dword)
}

fn spreads_in_accumulator(inst: &Inst, _: &Platform) -> bool {
    let spread = |dst: Dst| {
        let reg = direct(&dst).filter(|reg| reg.file == RegFile::Acc);
        reg.is_some_and(|reg| reg.byte != 0 || dst.hstride != 1)
    };
    inst.dst.is_some_and(spread)
}

fn sends_interruptibly(inst: &Inst, _: &Platform) -> bool {
    let payload = inst.srcs.first().and_then(register);
    let second = payload.and_then(|src| general(src.place));
    inst.op.is_send() && second.is_some_and(|reg| reg.num == 2) && !inst.opts.no_preempt
}

fn reads_address_across(inst: &Inst, platform: &Platform) -> bool {
    let indirect = |src: &SrcReg| {
        let one = src.region.vstride.is_some() && src.region != Region::SCALAR;
        one && matches!(src.place, Place::Indirect { .. })
    };
    let reads = inst.srcs.first().and_then(register).is_some_and(indirect);
    let across = |dst: Dst| match dst.place {
        Place::Indirect { .. } => true,
        Place::Direct(reg) if reg.file == RegFile::Grf => {
            let steps = (u32::from(inst.exec_size) - 1) * u32::from(dst.hstride);
            let last = u32::from(reg.byte) + (steps + 1) * dst.ty.bytes() - 1;
            last >= platform.grf_bytes
        }
        Place::Direct(_) => false,
    };
    inst.exec_size > 1 && !inst.op.is_send() && reads && inst.dst.is_some_and(across)
}

fn packs_second_words(inst: &Inst, _: &Platform) -> bool {
    let bytes = |dst: Dst| dst.ty.bytes() == 1 && dst.hstride == 2;
    let apart = |src: &SrcReg| {
        let words = matches!(src.ty, Type::W | Type::Uw) && general(src.place).is_some();
        words && linear_stride(src.region, inst.exec_size).is_some_and(|step| step > 1)
    };
    let second = inst.srcs.get(1).and_then(register);
    inst.exec_size > 1 && inst.dst.is_some_and(bytes) && second.is_some_and(apart)
}
