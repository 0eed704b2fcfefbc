//! Lints of vISA: code that is allowed and is likely a mistake, or slow.
//!
//! A lint looks at one kernel or function in the order of its file and follows no path. It is therefore silent where that
//! order says too little: about objects with subroutines in the first lint, about variables whose address is taken or
//! that another one is an alias of with another root.
//!
//! * `W0101`: a variable is read and no instruction before it writes it.
//! * `W0102`: a variable is written and never read.
//! * `W0103`: a barrier lies between a predicated `goto` and its target, so that some channels may skip it. A predicate of
//!   values that channels share is none.
//! * `W0104`: the second and the third source of an instruction are parts of one variable, an even number of registers
//!   apart, and so always in one half of Gen9's banks.

use std::collections::{HashMap, HashSet};

use kiln_visa::module::{
    InputVar, Inst, LabelKind, Object, Operand, Predicate, Region, Subject, Var,
};
use kiln_visa::opcode::{Field, Opcode};

/// A finding about an object.
pub struct Lint {
    pub code: &'static str,
    pub inst: Option<usize>,
    pub subject: Subject,
    pub what: String,
}

/// Bytes of a register in vISA.
const GRF_BYTES: u32 = 32;

/// Uses of a variable, aliases included.
#[derive(Default)]
struct Uses {
    /// Index of the first instruction that writes it, and that reads it.
    written: Option<usize>,
    read: Option<usize>,
    /// True if its uses are not all known.
    is_hidden: bool,
}

/// The findings about an object, in the order of its instructions.
pub fn lints(object: &Object) -> Vec<Lint> {
    let mut found = Vec::new();
    let uses = uses(object);
    let subroutines = object
        .labels
        .values()
        .any(|label| label.kind == LabelKind::Subroutine);
    let mut known: Vec<_> = uses.iter().filter(|(_, uses)| !uses.is_hidden).collect();
    known.sort_by_key(|(var, _)| **var);
    for (&var, uses) in known {
        let name = &object.vars[var].name;
        match (uses.written, uses.read) {
            (written, Some(read)) if written.is_none_or(|at| at > read && !subroutines) => {
                found.push(Lint {
                    code: "W0101",
                    inst: Some(read),
                    subject: Subject::Inst,
                    what: format!("{name} is read, and no instruction before writes it"),
                });
            }
            (Some(_), None) => found.push(Lint {
                code: "W0102",
                inst: None,
                subject: Subject::Var(var),
                what: format!("{name} is written and never read"),
            }),
            _ => {}
        }
    }
    barriers(object, &mut found);
    for (at, inst) in object.insts.iter().enumerate() {
        if let Some(what) = banks(object, inst) {
            found.push(Lint {
                code: "W0104",
                inst: Some(at),
                subject: Subject::Inst,
                what,
            });
        }
    }
    found.sort_by_key(|lint| lint.inst);
    found
}

fn uses(object: &Object) -> HashMap<Var, Uses> {
    let mut uses: HashMap<Var, Uses> = HashMap::new();
    let inputs = object.inputs.iter().filter_map(|input| match input.var {
        InputVar::General(var) => Some(object.root(var).0),
        _ => None,
    });
    let inputs: HashSet<Var> = inputs.collect();
    for (at, inst) in object.insts.iter().enumerate() {
        let fields = inst.op.row().operands;
        // A value that is compared with itself does not matter: compilers ask so which channels are active.
        let sources = inst.operands.iter().zip(fields);
        let mut sources = sources.filter(|(_, field)| matches!(field, Field::Src(_)));
        let is_itself = match (sources.next(), sources.next()) {
            (Some((a, _)), Some((b, _))) => a == b,
            _ => false,
        };
        for (n, operand) in inst.operands.iter().enumerate() {
            let field = fields.get(n).or(fields.last());
            let (var, is_address) = match operand {
                Operand::General { var, .. } | Operand::Raw { var, .. } => (*var, false),
                Operand::AddressOf { var, .. } => (*var, true),
                _ => continue,
            };
            let root = object.root(var).0;
            let uses = uses.entry(root).or_default();
            let predefined = object.vars[root].name.starts_with('%');
            uses.is_hidden |=
                is_itself || is_address || predefined || !object.vars[root].attrs.is_empty();
            match field {
                Some(Field::Dst(_) | Field::RawDst) if fields.len() > n => {
                    uses.written.get_or_insert(at);
                }
                Some(_) if fields.len() > n || fields.last().is_some_and(|f| f.is_list()) => {
                    uses.read.get_or_insert(at);
                }
                _ => uses.is_hidden = true,
            }
        }
    }
    for (var, uses) in &mut uses {
        if inputs.contains(var) {
            uses.written = Some(0);
            // An input need not be read.
            uses.is_hidden |= uses.read.is_none();
        }
    }
    uses
}

/// The places of labels.
fn labels(object: &Object) -> HashMap<kiln_visa::module::Label, usize> {
    let place = |(at, inst): (usize, &Inst)| match inst.operands.first() {
        Some(Operand::Label(label)) if matches!(inst.op, Opcode::Label | Opcode::Subroutine) => {
            Some((*label, at))
        }
        _ => None,
    };
    object.insts.iter().enumerate().filter_map(place).collect()
}

fn barriers(object: &Object, found: &mut Vec<Lint>) {
    let places = labels(object);
    // By `goto` under a predicate: its place and that of its target.
    let skips = object.insts.iter().enumerate().filter_map(|(at, inst)| {
        let target = inst.operands.iter().find_map(|operand| match operand {
            Operand::Label(label) => places.get(label),
            _ => None,
        });
        let pred = inst.pred?;
        let is_one = inst.exec.size == 1 || is_uniform(object, at, pred.pred);
        (inst.op == Opcode::Goto && !is_one).then_some((at, *target?))
    });
    let skips: Vec<(usize, usize)> = skips.filter(|(from, to)| from < to).collect();
    for (at, inst) in object.insts.iter().enumerate() {
        let waits = matches!(
            inst.op,
            Opcode::Barrier | Opcode::Nbarrier | Opcode::SBarrier
        );
        if waits && skips.iter().any(|(from, to)| *from < at && at < *to) {
            found.push(Lint {
                code: "W0103",
                inst: Some(at),
                subject: Subject::Inst,
                what: "a barrier that a `goto` before it may skip for some channels".to_string(),
            });
        }
    }
}

/// True if the last instruction before `at` that writes the predicate compares values that all channels share.
fn is_uniform(object: &Object, at: usize, pred: Predicate) -> bool {
    let writes = |inst: &&Inst| {
        let mut written = inst.operands.iter().zip(inst.op.row().operands);
        written.any(|(operand, field)| {
            let is_dst = matches!(field, Field::Dst(_));
            is_dst && matches!(operand, Operand::Predicate(of) if of.pred == pred)
        })
    };
    let Some(inst) = object.insts[..at].iter().rev().find(writes) else {
        return false;
    };
    let sources = inst.operands.iter().zip(inst.op.row().operands);
    let mut sources = sources.filter(|(_, field)| matches!(field, Field::Src(_)));
    inst.exec.size == 1
        || sources.all(|(operand, _)| match operand {
            Operand::General { region, .. } => *region == Region::SCALAR,
            other => matches!(other, Operand::Imm { .. }),
        })
}

/// A conflict between the banks of two sources, whatever registers are assigned.
fn banks(object: &Object, inst: &Inst) -> Option<String> {
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
