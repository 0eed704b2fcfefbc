//! Subroutines put in the place of their calls.
//!
//! `CALL` runs a part of the same object that `RET` leaves; variables are shared. Takes an object and
//! gives one without either: each call is the subroutine's instructions, in which returns are gotos to
//! behind them. SSA then sees what a call really reads and writes, and nothing has to be kept for a
//! caller that is not known. The price is code: a subroutine that is called often stands there often,
//! so that there is a limit.

use std::borrow::Cow;
use std::ops::Range;

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use kiln_frontend::module::{Inst, Label, LabelDecl, LabelKind, Object, Operand, PredUse};
use kiln_frontend::opcode::Opcode;
use smallvec::smallvec;

use crate::cfg::CfgError;

/// Instructions of an object with its subroutines in place, at most.
const MOST: usize = 1 << 20;

/// An object without subroutines.
pub struct Inlined {
    pub object: Object,
    /// The number of each instruction in the object that it was made of.
    pub origins: Vec<u32>,
}

/// Puts subroutines in the place of their calls; nothing for an object that has none. One that is not
/// called is left out.
///
/// # Errors
/// A call that leads back to itself, or to no subroutine, or more instructions than is reasonable.
pub fn inline(object: &Object) -> Result<Option<Inlined>, CfgError> {
    let about = |inst: &Inst| matches!(inst.op, Opcode::Call | Opcode::Subroutine);
    if !object.insts.iter().skip(1).any(about) {
        return Ok(None);
    }
    let mut starts: Vec<usize> = Vec::new();
    let mut body_at: SecondaryMap<Label, PackedOption<Body>> = SecondaryMap::new();
    for (i, inst) in object.insts.iter().enumerate() {
        if let (Opcode::Subroutine, Some(label)) = (inst.op, label(inst)) {
            body_at[label] = Body::from_u32(starts.len() as u32).into();
            starts.push(i);
        }
    }
    let end = |n: usize| starts.get(n + 1).copied().unwrap_or(object.insts.len());
    let bodies: Vec<Range<usize>> = (0..starts.len()).map(|n| starts[n]..end(n)).collect();
    let main = 0..starts
        .iter()
        .copied()
        .find(|&s| s > 0)
        .unwrap_or(object.insts.len());
    let mut inliner = Inliner {
        object,
        bodies,
        body_at,
        under_way: Vec::new(),
        out: Inlined {
            object: Object {
                insts: Vec::new(),
                ..object.clone()
            },
            origins: Vec::new(),
        },
    };
    inliner.copy(main, None)?;
    Ok(Some(inliner.out))
}

/// A subroutine, by its number.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Body(u32);
cranelift_entity::entity_impl!(Body, "subroutine");

struct Inliner<'o> {
    object: &'o Object,
    /// Instructions of each subroutine.
    bodies: Vec<Range<usize>>,
    body_at: SecondaryMap<Label, PackedOption<Body>>,
    /// The calls around.
    under_way: Vec<Body>,
    out: Inlined,
}

fn label(inst: &Inst) -> Option<Label> {
    inst.operands.iter().find_map(|operand| match operand {
        Operand::Label(label) => Some(*label),
        _ => None,
    })
}

impl Inliner<'_> {
    /// Appends a copy of instructions; with a label, returns go there.
    fn copy(&mut self, range: Range<usize>, back: Option<Label>) -> Result<(), CfgError> {
        // Labels of the copy; the object's own stay what they are.
        let mut labels: SecondaryMap<Label, PackedOption<Label>> = SecondaryMap::new();
        if back.is_some() {
            for inst in &self.object.insts[range.clone()] {
                if let (Opcode::Label, Some(label)) = (inst.op, label(inst)) {
                    labels[label] = self.new_label().into();
                }
            }
        }
        for at in range {
            let inst = &self.object.insts[at];
            match (inst.op, back) {
                (Opcode::Call, _) => self.call(at, inst)?,
                (Opcode::Ret, Some(back)) => self.goto(at, inst, inst.pred, back)?,
                // Nothing leads to a copy's beginning but what stands before it.
                (Opcode::Subroutine, Some(_)) => {}
                _ => {
                    let mut inst = Cow::Borrowed(inst);
                    if let Some(new) = label(&inst).and_then(|label| labels[label].expand()) {
                        for operand in &mut inst.to_mut().operands {
                            if let Operand::Label(label) = operand {
                                *label = new;
                            }
                        }
                    }
                    self.push(at, inst.into_owned())?;
                }
            }
        }
        Ok(())
    }

    fn call(&mut self, at: usize, inst: &Inst) -> Result<(), CfgError> {
        let unsupported = |what| CfgError::Unsupported { inst: at, what };
        let body = label(inst).and_then(|label| self.body_at[label].expand());
        let body = body.ok_or_else(|| unsupported("a call of what is no subroutine"))?;
        if self.under_way.contains(&body) {
            return Err(unsupported("a subroutine that calls itself"));
        }
        let behind = self.new_label();
        if let Some(pred) = inst.pred {
            let others = PredUse {
                inverse: !pred.inverse,
                ..pred
            };
            self.goto(at, inst, Some(others), behind)?;
        }
        self.under_way.push(body);
        let range = self.bodies[body.0 as usize].clone();
        self.copy(range, Some(behind))?;
        self.under_way.pop();
        let mut end = inst.clone();
        end.op = Opcode::Label;
        end.pred = None;
        end.operands = smallvec![Operand::Label(behind)];
        self.push(at, end)
    }

    /// A goto of the channels of an instruction.
    fn goto(
        &mut self,
        at: usize,
        inst: &Inst,
        pred: Option<PredUse>,
        to: Label,
    ) -> Result<(), CfgError> {
        let mut goto = inst.clone();
        goto.op = Opcode::Goto;
        goto.pred = pred;
        goto.operands = smallvec![Operand::Label(to)];
        self.push(at, goto)
    }

    fn new_label(&mut self) -> Label {
        let labels = &mut self.out.object.labels;
        let name = format!("inlined_{}", labels.len()).into();
        let kind = LabelKind::Block;
        let attrs = Vec::new();
        labels.push(LabelDecl { name, kind, attrs })
    }

    fn push(&mut self, at: usize, inst: Inst) -> Result<(), CfgError> {
        if self.out.origins.len() >= MOST {
            return Err(CfgError::Unsupported {
                inst: at,
                what: "so many calls of subroutines",
            });
        }
        self.out.object.insts.push(inst);
        self.out.origins.push(at as u32);
        Ok(())
    }
}
