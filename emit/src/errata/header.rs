//! Code that must not be interrupted: an interruption of a thread restores the registers of its header, and where a
//! sampler message has no header of its own, what the message takes from there is lost.

use kiln_platform::errata::Erratum;

use crate::assemble::Program;
use crate::footprint;
use crate::inst::Inst;
use crate::messages::{Descriptors, Function, Request};
use crate::platform::Platform;
use crate::verify::errata::selects_same;

/// A rule of an instruction in a thread that may be interrupted.
type Rule = fn(&Inst, &Platform) -> bool;

const RULES: &[(Erratum, Rule, &str)] = &[
    (
        Erratum::PreemptionKeepsHeader,
        overwrites,
        "overwrites the thread's header",
    ),
    (
        Erratum::SamplerHeader,
        samples_without_header,
        "is a sampler message without a header",
    ),
    (
        Erratum::SamplerHeaderFromR0,
        samples_without_header,
        "is a sampler message without a header",
    ),
];

/// True if the code overwrites a register of the header on a platform that interrupts threads.
pub fn is_overwritten(program: &Program, platform: &Platform) -> bool {
    let mut insts = program.blocks.iter().flatten();
    platform.needs(Erratum::PreemptionKeepsHeader) && insts.any(|inst| overwrites(inst, platform))
}

/// The erratum that an instruction breaks if the thread may be interrupted, and how.
pub fn if_interrupted(inst: &Inst, platform: &Platform) -> Option<(Erratum, &'static str)> {
    let broken = |rule: &&(Erratum, Rule, _)| platform.needs(rule.0) && rule.1(inst, platform);
    let &(erratum, _, what) = RULES.iter().find(broken)?;
    Some((erratum, what))
}

/// A selection among equals leaves what it writes as it is.
fn overwrites(inst: &Inst, platform: &Platform) -> bool {
    let of_header = |register: u16| register < platform.header_registers;
    let dst = inst.dst.and_then(|dst| footprint::general(dst.place));
    // No write reaches a register before its first.
    let starts_there = dst.is_some_and(|reg| reg.num < platform.header_registers.into());
    starts_there
        && !selects_same(inst)
        && footprint::of(inst, platform)
            .writes
            .registers()
            .any(of_header)
}

fn samples_without_header(inst: &Inst, platform: &Platform) -> bool {
    let of = inst.msg.as_ref().and_then(Descriptors::of);
    let request = of.and_then(|of| Request::decode(of, platform.family).ok());
    request.is_some_and(|request| request.function == Function::Sampler && !request.header)
}
