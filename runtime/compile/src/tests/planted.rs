//! A fault planted after each pass of the list is found by the verifier of that pass.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use kiln_emit::inst::{Op, Swsb, Target};
use kiln_ir::func::Def;
use kiln_platform::platform::{PLATFORMS, Payload};
use kiln_visa::text;

use super::run;
use crate::attempt::list::{ATTEMPTS, Callees, Scratch};
use crate::failure::CompileError;
use crate::options::Options;
use crate::passes::{Pass, list};
use crate::result::{Compiled, Seconds};
use crate::stages::Shared;
use crate::unit::Unit;

/// Two branches of different channels meet before the result is stored. [`STORES`] has the missing lines.
const KERNEL: &str = ".version 3.6
.kernel \"parts\"
.decl A v_type=G type=d num_elts=16 align=GRF
.decl B v_type=G type=d num_elts=16 align=GRF
.decl C v_type=G type=d num_elts=16 align=GRF
.decl AF v_type=G type=f num_elts=16 align=GRF alias=<A, 0>
.decl CF v_type=G type=f num_elts=16 align=GRF alias=<C, 0>
.decl P v_type=P num_elts=16
DECLARED
.input A offset=64 size=64
.kernel_attr Target=\"cm\"
.kernel_attr SimdSize=16
mul (M1, 16) B(0,0)<1> A(0,0)<1;1,0> A(0,0)<1;1,0>
cmp.gt (M1, 16) P A(0,0)<1;1,0> 0x7:d
(P) goto (M1, 16) second
inv (M1, 16) CF(0,0)<1> AF(0,0)<1;1,0>
goto (M1, 16) end
second:
add (M1, 16) C(0,0)<1> B(0,0)<1;1,0> 0x3:d
end:
STORE
ret (M1, 1)
";

/// Declaration and instruction of the store, by the data port and by the load/store unit.
const STORES: [[&str; 2]; 2] = [
    [
        ".decl OUT v_type=T num_elts=1 v_name=OUT",
        "oword_st (4) OUT 0x0:ud C.0",
    ],
    [
        ".decl TO v_type=G type=uq num_elts=16 align=GRF\n.input TO offset=128 size=128",
        "lsc_store.ugm (M1, 16) flat[TO]:a64 C:d32",
    ],
];

/// A change of the code; false if it has nothing to change.
type Fault = fn(&mut Unit) -> bool;

/// Faults that the verifiers find right after the pass that made them.
const VISIBLE: &[(&str, Fault)] = &[
    ("an instruction lacks an operand", lacks_operand),
    ("an instruction lacks a source", lacks_source),
    ("a value is not defined", lacks_definition),
    ("a block has another successor", other_edge),
    ("a branch goes back into itself", other_target),
];

/// Faults that no rule of the form forbids, each with the reason.
const INVISIBLE: &[(&str, &str, Fault)] = &[(
    "another constant",
    "verifiers know rules, not the meaning of a kernel: executed kernels show it",
    other_constant,
)];

fn lacks_operand(unit: &mut Unit) -> bool {
    match unit {
        Unit::Object(object) => {
            let insts = object.to_mut().insts.iter_mut();
            let mut long = insts.filter(|inst| inst.operands.len() > 2);
            long.next().and_then(|inst| inst.operands.pop()).is_some()
        }
        Unit::Ir(func) => {
            let defs = func.values.values_mut().map(|value| &mut value.def);
            let made = defs.filter(|def| matches!(def, Def::Inst(_)));
            made.map(|def| *def = Def::Entry).count() > 0
        }
        Unit::Routine(_) => false,
        Unit::Program(program) => {
            let mut insts = program.blocks.iter_mut().flatten();
            let found = insts.find(|inst| inst.op == Op::Mul || inst.op == Op::Add);
            found
                .map(|inst| inst.srcs.truncate(inst.srcs.len() - 1))
                .is_some()
        }
        Unit::Code(code) => {
            // The bits of an opcode.
            code[0] |= 0x7f;
            true
        }
    }
}

fn lacks_definition(unit: &mut Unit) -> bool {
    let Unit::Routine(routine) = unit else {
        return false;
    };
    let first = routine.machine.blocks.values_mut().next();
    first.is_some_and(|block| {
        block.insts.clear();
        true
    })
}

/// Takes a source from an instruction of machine IR.
fn lacks_source(unit: &mut Unit) -> bool {
    let Unit::Routine(routine) = unit else {
        return false;
    };
    let insts = routine.machine.blocks.values_mut();
    let mut insts = insts.flat_map(|block| &mut block.insts);
    let found = insts.find(|inst| inst.srcs.len() > 1);
    found.is_some_and(|inst| {
        inst.srcs = inst.srcs[1..].iter().copied().collect();
        true
    })
}

fn other_edge(unit: &mut Unit) -> bool {
    let Unit::Routine(routine) = unit else {
        return false;
    };
    let first = routine.machine.blocks.keys().next();
    let mut blocks = routine.machine.blocks.values_mut();
    let succs = blocks.find_map(|block| block.succs.first_mut());
    succs.zip(first).is_some_and(|(edge, first)| {
        let is_new = edge.to != first;
        edge.to = first;
        is_new
    })
}

fn other_target(unit: &mut Unit) -> bool {
    let Unit::Program(program) = unit else {
        return false;
    };
    let blocks = (0..).zip(&mut program.blocks);
    let mut insts = blocks.flat_map(|(n, block)| block.iter_mut().map(move |inst| (n, inst)));
    let found = insts.find(|(_, inst)| matches!(inst.op, Op::Goto | Op::If));
    found.is_some_and(|(n, inst)| {
        inst.jip = Some(Target::Block(n));
        true
    })
}

fn other_constant(unit: &mut Unit) -> bool {
    let Unit::Program(program) = unit else {
        return false;
    };
    let mut insts = program.blocks.iter_mut().flatten();
    let add = insts.find(|inst| inst.op == Op::Add && inst.srcs.len() == 2);
    add.is_some_and(|inst| match &mut inst.srcs[1] {
        kiln_emit::inst::Src::Imm { bits, .. } => {
            *bits ^= 1;
            true
        }
        kiln_emit::inst::Src::Reg(_) => false,
    })
}

/// Compiles the kernel with a fault after a pass, at its place of a number. `None` if nothing was changed.
fn planted(
    options: &Options,
    place: (Pass, usize),
    fault: Fault,
) -> Option<Result<Compiled, CompileError>> {
    let [declared, store] = STORES[usize::from(options.platform.payload == Payload::Memory)];
    let kernel = KERNEL.replace("DECLARED", declared).replace("STORE", store);
    let module = text::parse(&kernel).unwrap_or_else(|e| panic!("{e}"));
    let by_jump = HashSet::new();
    let callees = Callees {
        by_jump: &by_jump,
        overwritten: BTreeMap::new(),
    };
    let shared = Shared {
        source: &module.objects[0],
        callees: &callees,
        options,
        attempt: &ATTEMPTS[0],
    };
    let (count, changes) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let hook = |pass: &Pass, unit: &mut Unit| {
        if *pass == place.0 && count.fetch_add(1, Ordering::Relaxed) == place.1 {
            changes.store(fault(unit).into(), Ordering::Relaxed);
        }
    };
    let memory = &mut Scratch::default();
    let ended = run(shared, memory, &mut Seconds::default(), Some(&hook));
    let is_changed = changes.load(Ordering::Relaxed) == 1;
    is_changed.then(|| ended.map_err(|failed| failed.error))
}

/// All passes, each with the number of its place among those that are equal.
fn places() -> Vec<(Pass, usize)> {
    let all: Vec<Pass> = list().collect();
    let number = |at: usize| all[..at].iter().filter(|pass| **pass == all[at]).count();
    (0..all.len()).map(|at| (all[at], number(at))).collect()
}

/// The platforms that have the messages of the kernel.
fn platforms() -> Vec<&'static kiln_platform::platform::Platform> {
    let last = list().last().map(|last| (last, 0));
    let untouched: Fault = |_| true;
    let compiles = |platform: &'static kiln_platform::platform::Platform| {
        let ended = planted(&options(platform), last?, untouched)?;
        ended.is_ok().then_some(platform)
    };
    let all = PLATFORMS.iter().filter(|platform| platform.compiles);
    all.filter_map(compiles).collect()
}

fn options(platform: &'static kiln_platform::platform::Platform) -> Options {
    Options {
        verify: true,
        ..Options::new(platform)
    }
}

#[test]
fn every_pass_has_a_verifier_that_finds_faults() {
    let mut wrong = Vec::new();
    let platforms = platforms();
    assert!(platforms.len() > 4);
    for platform in platforms {
        let options = options(platform);
        for place in places() {
            let mut found = 0;
            for (name, fault) in VISIBLE {
                let Some(ended) = planted(&options, place, *fault) else {
                    continue;
                };
                match ended {
                    Err(CompileError::Broken { stage, .. }) if stage == place.0.name => found += 1,
                    other => wrong.push(format!(
                        "{}, {}: {name}: {:?}",
                        platform.name,
                        place.0.name,
                        other.err()
                    )),
                }
            }
            if found == 0 {
                wrong.push(format!("{}, {}: no fault", platform.name, place.0.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_no_rule_forbids_is_not_seen() {
    let options = options(&PLATFORMS[0]);
    for (name, reason, fault) in INVISIBLE {
        let ends = places()
            .into_iter()
            .filter_map(|place| planted(&options, place, *fault));
        let ends: Vec<_> = ends.collect();
        assert!(ends.len() > 8, "{name}");
        for ended in ends {
            assert!(ended.is_ok(), "{name} ({reason}): {:?}", ended.err());
        }
    }
}

/// The rules of a program say nothing about dependencies between instructions; those of machine code do.
#[test]
fn a_lost_wait_is_found_in_the_machine_code() {
    let forget: Fault = |unit| {
        let Unit::Program(program) = unit else {
            return false;
        };
        for inst in program.blocks.iter_mut().flatten() {
            inst.swsb = Swsb::default();
        }
        true
    };
    let mut platforms = 0;
    for platform in self::platforms() {
        if platform.payload != Payload::Memory {
            continue;
        }
        let last = places()
            .into_iter()
            .find(|(pass, _)| pass.name == "scoreboard");
        let ended = last.and_then(|place| planted(&options(platform), place, forget));
        let stage = match ended {
            Some(Err(CompileError::Broken { stage, .. })) => stage,
            _ => "none",
        };
        assert_eq!(stage, "assemble", "{}", platform.name);
        platforms += 1;
    }
    assert!(platforms > 1);
}
