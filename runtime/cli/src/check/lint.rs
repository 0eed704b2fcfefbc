//! Lints of vISA: code that is allowed and is likely a mistake, or slow.
//!
//! * `W0101`: a variable is read that no path to there writes, or that a path does not write ([`contents`]).
//! * `W0102`: a variable is written and never read, or no path reads what an instruction writes.
//! * `W0103`: a barrier lies in divergent code ([`divergence`]), or in a function that divergent code calls.
//! * `W0104`: the second and the third source of an instruction are parts of one variable, an even number of registers
//!   apart, and so always in one half of Gen9's banks.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use kiln_ir::cfg;
use kiln_ir::contents::{self, Kind, Variable};
use kiln_ir::divergence;
use kiln_platform::platform::Platform;
use kiln_visa::module::{Addr, Inst, Module, Object, Operand, Predicate, Subject, Var};
use kiln_visa::opcode::{Field, Opcode};

/// A finding about an object.
#[derive(PartialEq)]
pub struct Lint {
    pub code: &'static str,
    pub inst: Option<usize>,
    pub subject: Subject,
    pub what: String,
}

impl Lint {
    fn at(code: &'static str, inst: usize, what: String) -> Lint {
        Lint {
            code,
            inst: Some(inst),
            subject: Subject::Inst,
            what,
        }
    }
}

/// Bytes of a register in vISA.
const GRF_BYTES: u32 = 32;

/// The findings about the objects of a module, each with the number of its object, in the order of instructions. Objects that are not `sound`, and those
/// without a control-flow graph, have those alone that follow no path.
pub fn lints(
    module: &Module,
    target: &'static Platform,
    sound: impl Fn(usize) -> bool,
) -> Vec<(usize, Lint)> {
    let mut found: Vec<Vec<Lint>> = Vec::new();
    for (number, object) in module.objects.iter().enumerate() {
        let mut here = Vec::new();
        let banks = object.insts.iter().enumerate();
        here.extend(
            banks.filter_map(|(at, inst)| Some(Lint::at("W0104", at, banks_of(object, inst)?))),
        );
        if sound(number)
            && let Ok(findings) = contents::find(object, target)
        {
            uses(object, &findings, &mut here);
        }
        found.push(here);
    }
    barriers(module, target, sound, &mut found);
    for lints in &mut found {
        lints.sort_by_key(|lint| lint.inst);
    }
    let each = found.into_iter().enumerate();
    each.flat_map(|(number, lints)| lints.into_iter().map(move |lint| (number, lint)))
        .collect()
}

/// Lints about reads and writes: of each kind, the first about a variable.
fn uses(object: &Object, findings: &[contents::Finding], found: &mut Vec<Lint>) {
    let mut said = BTreeSet::new();
    for finding in findings {
        let is_new = said.insert((finding.var, finding.kind));
        if !is_new && finding.kind != Kind::NotRead {
            continue;
        }
        let name = finding.var.name(object);
        let at = finding.inst as usize;
        found.push(match finding.kind {
            Kind::NeverWritten => {
                let what = format!("{name} is read, and no path to here writes it");
                Lint::at("W0101", at, what)
            }
            Kind::SometimesWritten => {
                let what = format!("{name} is read, and a path to here does not write it");
                Lint::at("W0101", at, what)
            }
            Kind::NotRead => {
                let what = format!("{name} is written, and no path reads what is written here");
                Lint::at("W0102", at, what)
            }
            Kind::NeverRead => Lint {
                code: "W0102",
                inst: None,
                subject: match finding.var {
                    Variable::General(var) => Subject::Var(Var::from_u32(var)),
                    Variable::Predicate(pred) => Subject::Predicate(Predicate::from_u32(pred)),
                    Variable::Address(addr) => Subject::Addr(Addr::from_u32(addr)),
                },
                what: format!("{name} is written and never read"),
            },
        });
    }
}

/// Lints about barriers in divergent code.
fn barriers(
    module: &Module,
    target: &'static Platform,
    sound: impl Fn(usize) -> bool,
    found: &mut [Vec<Lint>],
) {
    // By object: its blocks, with the branch that makes each divergent.
    let blocks: Vec<Vec<(Range<u32>, Option<u32>)>> = (module.objects.iter().enumerate())
        .map(|(number, object)| match cfg::build(object, target) {
            Ok(graph) if sound(number) => {
                let branches = divergence::of(object, &graph);
                let blocks = graph.blocks.into_iter().zip(branches);
                blocks
                    .map(|(block, branch)| (block.insts, branch))
                    .collect()
            }
            _ => Vec::new(),
        })
        .collect();
    // Functions that divergent code calls, with a caller: a function's calls are as divergent as it is.
    let mut callers: HashMap<&str, &str> = HashMap::new();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (object, blocks) in module.objects.iter().zip(&blocks) {
            let name: &str = &object.name;
            let is_called = callers.contains_key(name);
            let divergent = blocks
                .iter()
                .filter(|(_, branch)| branch.is_some() || is_called);
            for at in divergent.flat_map(|(insts, _)| insts.clone()) {
                let inst = &object.insts[at as usize];
                if let (Opcode::FCall, Some(callee)) = (inst.op, callee(inst))
                    && !callers.contains_key(callee)
                {
                    callers.insert(callee, name);
                    changed = true;
                }
            }
        }
    }
    for ((object, blocks), found) in module.objects.iter().zip(&blocks).zip(found) {
        for (insts, branch) in blocks {
            let why = match (branch, callers.get::<str>(&object.name)) {
                (Some(branch), _) => {
                    format!("by the branch of instruction {branch}")
                }
                (None, Some(caller)) => format!("{caller} calls this function in divergent code"),
                (None, None) => continue,
            };
            for at in insts.clone().map(|at| at as usize) {
                if matches!(
                    object.insts[at].op,
                    Opcode::Barrier | Opcode::Nbarrier | Opcode::SBarrier
                ) {
                    let what = format!("a barrier that some channels may skip: {why}");
                    found.push(Lint::at("W0103", at, what));
                }
            }
        }
    }
}

/// The name of the function that an instruction calls.
fn callee(inst: &Inst) -> Option<&str> {
    inst.operands.iter().find_map(|operand| match operand {
        Operand::Name(name) => Some(&***name),
        _ => None,
    })
}

/// A conflict between the banks of two sources, whatever registers are assigned.
fn banks_of(object: &Object, inst: &Inst) -> Option<String> {
    let sources = inst.op.row().operands.iter().zip(&inst.operands);
    let sources: Vec<_> = sources
        .filter(|(field, _)| matches!(field, Field::Src(_)))
        .collect();
    let [_, (_, second), (_, third)] = sources.as_slice() else {
        return None;
    };
    let place = |operand: &Operand| match operand {
        Operand::General { var, row, .. } => {
            let (root, offset) = object.root(*var);
            Some((root, (offset / GRF_BYTES) + u32::from(*row)))
        }
        _ => None,
    };
    let ((a, first), (b, other)) = (place(second)?, place(third)?);
    let apart = first.abs_diff(other);
    (a == b && apart != 0 && apart % 2 == 0).then(|| {
        let name = &object.vars[a].name;
        format!("two sources are {apart} registers of {name} apart, in one half of the banks")
    })
}
