//! The numbers of labels.
//!
//! Text does not have the order of the binary's label table, and a binary does not have the order of first mentions
//! in text. Labels are therefore numbered in the order of their definitions, and unused labels are dropped; both
//! readers end with `number`.

use cranelift_entity::{EntityRef, PrimaryMap};
use thiserror::Error;

use crate::module::{Inst, Label, LabelDecl, LabelKind, Object, Operand};
use crate::opcode::Opcode;

/// A label that is not defined exactly once.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(
    missing_docs,
    reason = "each is documented by its message; `inst` is the number of the instruction in the object"
)]
pub enum LabelError {
    #[error("label `{name}` is defined twice")]
    Twice { name: String, inst: usize },
    #[error("label `{name}` is used but not defined")]
    Undefined { name: String, inst: usize },
}

impl LabelError {
    /// The error with a name without its end.
    pub(crate) fn without(self, suffix: &str) -> LabelError {
        let short = |name: String| match name.strip_suffix(suffix) {
            Some(short) => short.to_owned(),
            None => name,
        };
        match self {
            LabelError::Twice { name, inst } => LabelError::Twice {
                name: short(name),
                inst,
            },
            LabelError::Undefined { name, inst } => LabelError::Undefined {
                name: short(name),
                inst,
            },
        }
    }

    /// Name of the label.
    pub fn name(&self) -> &str {
        match self {
            LabelError::Twice { name, .. } | LabelError::Undefined { name, .. } => name,
        }
    }

    /// Number of the instruction at fault.
    pub fn inst(&self) -> usize {
        match self {
            LabelError::Twice { inst, .. } | LabelError::Undefined { inst, .. } => *inst,
        }
    }
}

/// Numbers the labels of an object that was rewritten, and drops those that are no longer defined.
///
/// # Errors
/// A label is used but not defined, or defined twice.
pub fn renumber(object: &mut Object) -> Result<(), LabelError> {
    let labels = std::mem::take(&mut object.labels);
    number(object, labels.into_iter().map(|(_, decl)| decl).collect())
}

/// Numbers the object's labels. Before, each [`Operand::Label`] is an index into `raw`.
pub(crate) fn number(object: &mut Object, raw: Vec<LabelDecl>) -> Result<(), LabelError> {
    let insts = object.insts.iter().enumerate();
    let labelled: Vec<usize> = (insts.filter(|(_, inst)| has_label(inst)))
        .map(|(i, _)| i)
        .collect();
    match number_all(object, raw, &labelled).into_iter().next() {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// As [`number`], but returns all errors: one for each label that is not defined. `labelled` are the numbers of all
/// instructions with a label, in order.
pub(crate) fn number_all(
    object: &mut Object,
    raw: Vec<LabelDecl>,
    labelled: &[usize],
) -> Vec<LabelError> {
    let mut errors = Vec::new();
    let mut missed = vec![false; raw.len()];
    let mut numbers: Vec<Option<Label>> = vec![None; raw.len()];
    let mut labels = PrimaryMap::new();
    for &i in labelled {
        let inst = &object.insts[i];
        for label in mentioned(inst).filter(|_| defines(inst)) {
            let decl = &raw[label.index()];
            if numbers[label.index()].is_some() {
                errors.push(LabelError::Twice {
                    name: decl.name.to_string(),
                    inst: i,
                });
                continue;
            }
            numbers[label.index()] = Some(labels.push(decl.clone()));
        }
    }
    // Kernels of other modules come last, in the order of their calls.
    for label in labelled.iter().flat_map(|i| mentioned(&object.insts[*i])) {
        let decl = &raw[label.index()];
        if decl.kind == LabelKind::Kernel && numbers[label.index()].is_none() {
            numbers[label.index()] = Some(labels.push(decl.clone()));
        }
    }
    for &i in labelled {
        for operand in &mut object.insts[i].operands {
            let Operand::Label(label) = operand else {
                continue;
            };
            let old = label.index();
            match numbers[old] {
                Some(number) => *label = number,
                None if missed[old] => {}
                None => {
                    missed[old] = true;
                    let name = raw[old].name.to_string();
                    errors.push(LabelError::Undefined { name, inst: i });
                }
            }
        }
    }
    object.labels = labels;
    errors
}

/// The first label of a part of an object that the part does not define exactly once. The part's labels have the
/// numbers from `first` on.
pub(crate) fn undefined(insts: &[Inst], decls: &[LabelDecl], first: usize) -> Option<LabelError> {
    let own = |label: Label| label.index().checked_sub(first);
    let mut defined = vec![false; decls.len()];
    for (inst, data) in insts.iter().enumerate().filter(|(_, data)| defines(data)) {
        for label in mentioned(data).filter_map(own) {
            if std::mem::replace(&mut defined[label], true) {
                let name = decls[label].name.to_string();
                return Some(LabelError::Twice { name, inst });
            }
        }
    }
    let labels = insts.iter().enumerate();
    let mut labels = labels.flat_map(|(inst, data)| mentioned(data).map(move |l| (inst, l)));
    let (inst, label) = labels.find(|(_, l)| own(*l).is_some_and(|label| !defined[label]))?;
    let name = decls[label.index() - first].name.to_string();
    Some(LabelError::Undefined { name, inst })
}

fn defines(inst: &Inst) -> bool {
    matches!(inst.op, Opcode::Label | Opcode::Subroutine)
}

/// True if an operand is a label.
pub(crate) fn has_label(inst: &Inst) -> bool {
    mentioned(inst).next().is_some()
}

fn mentioned(inst: &Inst) -> impl Iterator<Item = Label> + '_ {
    inst.operands.iter().filter_map(|operand| match operand {
        Operand::Label(label) => Some(*label),
        _ => None,
    })
}
