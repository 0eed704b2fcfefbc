//! The scoreboard pass: the reference compiler's code without its annotations gets others, which the checker and the
//! reference's own figures judge.

use crate::kernels::{annotated_platforms, kernels};
use kiln_emit::assemble::{Program, assemble};
use kiln_emit::inst::{Dst, Inst, Op, Place, Reg, Src, Swsb, SyncFn, TokenUse, Type};
use kiln_emit::listing::insts;
use kiln_emit::messages::{Descriptors, Kind, Request};
use kiln_emit::platform::Platform;
use kiln_emit::scoreboard;
use kiln_emit::verify::late_reads;
use kiln_emit::verify::scoreboard::check_code;
use kiln_platform::errata::Erratum;
use std::ops::Range;

/// Nothing tells which registers an indirect operand accesses.
const ANY: Range<u32> = 0..256;

fn is_wait(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::Sync(SyncFn::Nop | SyncFn::AllRd | SyncFn::AllWr)
    )
}

/// True for what the pass adds: a `sync` that only waits, or a read into null for an erratum.
fn is_added(inst: &Inst, platform: &Platform) -> bool {
    let null = inst.dst == Some(Dst::new(Reg::NULL, 1, Type::Ud));
    let again = inst.op == Op::Mov && inst.exec_size == 1 && null;
    is_wait(inst) || again && platform.needs(Erratum::SendReadsLate)
}

/// Code without annotations and without what the pass adds.
fn bare(code: &[Inst], platform: &Platform) -> Program {
    let mut program = Program::of_code(code.to_vec()).expect("branches go to instructions");
    for block in &mut program.blocks {
        block.retain(|inst| !is_added(inst, platform));
        for inst in block {
            inst.swsb = Swsb::default();
        }
    }
    program
}

fn annotated(code: &[Inst], platform: &'static Platform) -> Vec<Inst> {
    let mut program = bare(code, platform);
    scoreboard::run(&mut program, platform, &[ANY]);
    let assembled = assemble(&program, platform).expect("annotations that the family has");
    insts(&assembled.code, platform)
}

#[test]
fn the_reference_compilers_code_waits_again() {
    for platform in annotated_platforms() {
        let name = platform.name;
        let (mut before, mut after) = (0, 0);
        for (kernel, code) in kernels(platform) {
            let annotated = annotated(&code, platform);
            let found = check_code(&annotated, platform).expect("few ways");
            let first = found
                .first()
                .map(|f| (&annotated[f.first], &annotated[f.second], f));
            assert_eq!(first, None, "{kernel} on {name}, of {}", found.len());
            let count = |code: &[Inst]| code.iter().filter(|inst| is_wait(inst)).count();
            before += count(&code);
            after += count(&annotated);
        }
        println!("{name}: {before} sync become {after}");
        assert!(after * 10 <= before * 9, "{name}: {before} become {after}");
    }
}

#[test]
fn nothing_but_annotations_changes() {
    for platform in annotated_platforms() {
        let name = platform.name;
        for (kernel, code) in kernels(platform) {
            let mut program = bare(&code, platform);
            let before = program.clone();
            scoreboard::run(&mut program, platform, &[ANY]);
            for block in &mut program.blocks {
                block.retain(|inst| !is_added(inst, platform));
                for inst in block {
                    inst.swsb = Swsb::default();
                }
            }
            assert_eq!(program, before, "{kernel} on {name}");
        }
    }
}

#[test]
fn a_second_run_changes_nothing() {
    for platform in annotated_platforms() {
        let name = platform.name;
        for (kernel, code) in kernels(platform) {
            let mut program = bare(&code, platform);
            scoreboard::run(&mut program, platform, &[ANY]);
            let mut again = program.clone();
            for block in &mut again.blocks {
                block.retain(|inst| !is_added(inst, platform));
            }
            scoreboard::run(&mut again, platform, &[ANY]);
            assert_eq!(again, program, "{kernel} on {name}");
        }
    }
}

/// True if an instruction waits for the message that holds a token: by its annotation, by taking the same token, or
/// with all.
fn waits_for(inst: &Inst, token: u8) -> bool {
    let listed = match (inst.op, inst.srcs.first()) {
        (Op::Sync(SyncFn::AllWr), Some(Src::Imm { bits, .. })) => bits >> token & 1 != 0,
        (op, _) => op == Op::Sync(SyncFn::AllWr),
    };
    let own = matches!(inst.swsb.token, Some((TokenUse::Set | TokenUse::Dst, of)) if of == token);
    listed || own
}

/// A move to null with r0 in place of what it reads.
fn without_response(mut inst: Inst) -> Inst {
    let to = inst.dst.map(|dst| dst.place);
    if inst.op == Op::Mov && matches!(to, Some(Place::Direct(reg)) if reg.is_null()) {
        for src in &mut inst.srcs {
            if let Src::Reg(src) = src
                && let Place::Direct(reg) = &mut src.place
            {
                reg.num = 0;
            }
        }
    }
    inst
}

/// The first message after a fence waits for it, also where nothing reads the fence's response.
#[test]
fn messages_wait_for_a_fence() {
    let mut fences = 0;
    for platform in annotated_platforms() {
        let name = platform.name;
        let is_fence = |inst: &Inst| {
            let request = inst.msg.as_ref().and_then(Descriptors::of);
            request.is_some_and(|of| {
                let request = Request::decode(of, platform.family);
                let kind = request.map(|request| request.kind);
                matches!(kind, Ok(Kind::Fence | Kind::MemoryFence))
            })
        };
        for (kernel, code) in kernels(platform) {
            // The reference's code reads a fence's response, so as to wait.
            let code: Vec<Inst> = code.into_iter().map(without_response).collect();
            let annotated = annotated(&code, platform);
            for (n, fence) in annotated
                .iter()
                .enumerate()
                .filter(|(_, inst)| is_fence(inst))
            {
                let Some((TokenUse::Set, token)) = fence.swsb.token else {
                    panic!("{kernel} on {name}: a fence without a token");
                };
                let mut after = annotated[n + 1..].iter();
                let first = after.find(|inst| {
                    let leaves = inst.op.is_branch();
                    leaves || inst.op.is_send() || waits_for(inst, token)
                });
                let Some(first) = first.filter(|inst| !inst.op.is_branch()) else {
                    continue;
                };
                assert!(waits_for(first, token), "{kernel} on {name}: {first:?}");
                fences += 1;
            }
        }
    }
    assert!(fences > 20, "{fences}");
}

/// The instruction with one of its waits taken away, for each wait.
fn weakened(inst: &Inst) -> Vec<Inst> {
    let with = |swsb: Swsb| Inst {
        swsb,
        ..inst.clone()
    };
    let mut all = Vec::new();
    if inst.swsb.dist.is_some() {
        all.push(with(Swsb {
            dist: None,
            ..inst.swsb
        }));
    }
    if matches!(inst.swsb.token, Some((TokenUse::Dst | TokenUse::Src, _))) {
        all.push(with(Swsb {
            token: None,
            ..inst.swsb
        }));
    }
    if matches!(inst.op, Op::Sync(SyncFn::AllRd | SyncFn::AllWr)) {
        all.push(Inst::new(Op::Sync(SyncFn::Nop), 1));
    }
    all
}

/// The checker knows general registers only, so that it does not miss waits for others, for unknown registers and at
/// calls.
#[test]
fn the_checker_misses_nearly_every_wait() {
    for platform in annotated_platforms() {
        let name = platform.name;
        let (mut needed, mut all) = (0, 0);
        for (_, code) in kernels(platform) {
            // Long kernels take long and have the same kinds of waits.
            if code.len() > 400 {
                continue;
            }
            let mut code = annotated(&code, platform);
            for at in 0..code.len() {
                for mutant in weakened(&code[at]) {
                    let original = std::mem::replace(&mut code[at], mutant);
                    let found = check_code(&code, platform).expect("few ways");
                    let missed =
                        !found.is_empty() || !late_reads::check_code(&code, platform).is_empty();
                    all += 1;
                    needed += usize::from(missed);
                    if std::env::var_os("VERBOSE").is_some() && !missed {
                        println!("{name}: {at} {original}");
                    }
                    code[at] = original;
                }
            }
        }
        println!("{name}: {needed} of {all} waits are missed");
        assert!(needed * 100 >= all * 85, "{name}: {needed} of {all}");
    }
}
