//! Inlining of subroutines.
//!
//! A subroutine is a part of an object that `CALL` enters and `RET` leaves; variables are shared. Takes an object,
//! and inlines its subroutines that are called once, or are so short that a call costs as much ([`Which::Few`]), or
//! all of them, if a call could not keep to the object's calling convention. The others become functions of the
//! machine IR. Guarantees an object in which no call is predicated, as channels that do not take a call branch over
//! it, and every subroutine has a call.

use std::collections::HashMap;
use std::ops::Range;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap, entity_impl};
use foldhash::fast::FixedState;
use kiln_visa::labels;
use kiln_visa::module::{Inst, Label, LabelDecl, LabelKind, Object, Operand, PredUse};
use kiln_visa::opcode::Opcode;
use smallvec::smallvec;

use crate::cfg::CfgError;

/// Maximum number of instructions of an object with all subroutines inlined.
const MAX_INLINED_INSTS: usize = 1 << 20;

/// Maximum number of instructions of a leaf subroutine that is inlined at several calls. A call takes two
/// instructions and a return two, beside moves.
const MAX_SHORT_INSTS: usize = 8;

/// The subroutines to inline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    All,
    /// Subroutines that are called once or are short.
    Few,
}

/// Inlines subroutines. The result is `None` for an object without subroutines.
///
/// # Errors
/// A recursive subroutine, a call of no subroutine, or more than 2^20 instructions.
pub fn prepare(object: &Object, which: Which) -> Result<Option<Object>, CfgError> {
    let calls = Calls::new(object)?;
    let Some(calls) = calls else { return Ok(None) };
    let order = calls.bottom_up()?;
    let inlined = calls.inlined(&order, which);
    let mut out = Writer {
        calls: &calls,
        inlined: &inlined,
        object: Object {
            insts: Vec::with_capacity(object.insts.len()),
            ..object.without_insts()
        },
        most: match which {
            Which::All => MAX_INLINED_INSTS.max(object.insts.len()),
            Which::Few => usize::MAX,
        },
    };
    let mut bodies = order;
    bodies.sort_unstable();
    for body in bodies {
        if body.index() == 0 || !inlined[body] {
            out.body(body)?;
        }
    }
    // Labels of bodies that are inlined everywhere are gone.
    let mut object = out.object;
    labels::renumber(&mut object).map_err(|error| CfgError::Unsupported {
        inst: error.inst(),
        what: "a label that is not defined once",
    })?;
    Ok(Some(object))
}

/// A subroutine, in the order of the code; the first is the kernel's or function's own code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Body(u32);
entity_impl!(Body, "body");

/// The calls of subroutines inside an object.
struct Calls<'o> {
    object: &'o Object,
    /// Instructions of each body.
    bodies: PrimaryMap<Body, Range<usize>>,
    body_at: SecondaryMap<Label, PackedOption<Body>>,
}

/// The label that an instruction names.
pub(crate) fn label(inst: &Inst) -> Option<Label> {
    inst.operands.iter().find_map(|operand| match operand {
        Operand::Label(label) => Some(*label),
        _ => None,
    })
}

impl<'o> Calls<'o> {
    fn new(object: &'o Object) -> Result<Option<Calls<'o>>, CfgError> {
        let mut bodies: PrimaryMap<Body, Range<usize>> = PrimaryMap::new();
        let mut body_at: SecondaryMap<Label, PackedOption<Body>> = SecondaryMap::new();
        bodies.push(0..object.insts.len());
        for (i, inst) in object.insts.iter().enumerate() {
            if let (Opcode::Subroutine, Some(label)) = (inst.op, label(inst)) {
                if i > 0 {
                    let last = Body::new(bodies.len() - 1);
                    bodies[last].end = i;
                    bodies.push(i..object.insts.len());
                }
                body_at[label] = Body::new(bodies.len() - 1).into();
            }
        }
        let any = bodies.len() > 1 || object.insts.iter().any(|inst| inst.op == Opcode::Call);
        Ok(any.then_some(Calls {
            object,
            bodies,
            body_at,
        }))
    }

    /// The subroutine that a call enters.
    fn callee(&self, at: usize) -> Result<Body, CfgError> {
        let body = label(&self.object.insts[at]).and_then(|label| self.body_at[label].expand());
        body.ok_or(CfgError::Unsupported {
            inst: at,
            what: "a call of a label that begins no subroutine",
        })
    }

    fn next_call(&self, mut range: Range<usize>) -> Option<usize> {
        range.find(|&at| self.object.insts[at].op == Opcode::Call)
    }

    /// Reachable bodies, callees before their callers: a depth-first search.
    fn bottom_up(&self) -> Result<Vec<Body>, CfgError> {
        #[derive(Clone, Copy, Default, PartialEq)]
        enum State {
            #[default]
            New,
            Open,
            Done,
        }
        let mut state: SecondaryMap<Body, State> = SecondaryMap::new();
        let mut order = Vec::new();
        let main = Body::new(0);
        let mut open = vec![(main, self.bodies[main].clone())];
        state[main] = State::Open;
        while let Some((body, rest)) = open.last_mut() {
            let Some(at) = self.next_call(rest.clone()) else {
                state[*body] = State::Done;
                order.push(*body);
                open.pop();
                continue;
            };
            rest.start = at + 1;
            let callee = self.callee(at)?;
            match state[callee] {
                State::Done => {}
                State::Open => {
                    return Err(CfgError::Unsupported {
                        inst: at,
                        what: "a subroutine that calls itself",
                    });
                }
                State::New => {
                    state[callee] = State::Open;
                    open.push((callee, self.bodies[callee].clone()));
                }
            }
        }
        Ok(order)
    }

    /// By body: true if it is inlined.
    fn inlined(&self, order: &[Body], which: Which) -> SecondaryMap<Body, bool> {
        let mut sites: SecondaryMap<Body, u32> = SecondaryMap::new();
        let mut leaf: SecondaryMap<Body, bool> = SecondaryMap::with_default(true);
        for &body in order {
            let mut rest = self.bodies[body].clone();
            while let Some(at) = self.next_call(rest.clone()) {
                rest.start = at + 1;
                leaf[body] = false;
                if let Ok(callee) = self.callee(at) {
                    sites[callee] += 1;
                }
            }
        }
        let mut inlined = SecondaryMap::new();
        for &body in order {
            let code = self.object.insts[self.bodies[body].clone()].iter();
            let code = code.filter(|inst| {
                !matches!(
                    inst.op,
                    Opcode::Subroutine | Opcode::Label | Opcode::Loc | Opcode::File
                )
            });
            let short = || leaf[body] && code.take(MAX_SHORT_INSTS + 1).count() <= MAX_SHORT_INSTS;
            inlined[body] = which == Which::All || sites[body] == 1 || short();
        }
        inlined
    }
}

/// A copy of a body that is being written.
struct Copy {
    rest: Range<usize>,
    /// The label that returns branch to; none if they stay returns.
    back: Option<Label>,
    /// New labels by the labels of the body.
    labels: HashMap<Label, Label, FixedState>,
    /// The call that it replaces.
    call: Option<usize>,
}

struct Writer<'c, 'o> {
    calls: &'c Calls<'o>,
    inlined: &'c SecondaryMap<Body, bool>,
    object: Object,
    most: usize,
}

impl Writer<'_, '_> {
    /// Appends a body, with inlined copies of its callees.
    fn body(&mut self, body: Body) -> Result<(), CfgError> {
        let mut open = vec![Copy {
            rest: self.calls.bodies[body].clone(),
            back: None,
            labels: HashMap::default(),
            call: None,
        }];
        while let Some(copy) = open.last_mut() {
            let Some(at) = copy.rest.next() else {
                if let (Some(call), Some(back)) = (copy.call, copy.back) {
                    self.stand(call, back)?;
                }
                open.pop();
                continue;
            };
            let inst = &self.calls.object.insts[at];
            match (inst.op, copy.back) {
                (Opcode::Call, _) => {
                    let callee = self.calls.callee(at)?;
                    if !self.inlined[callee] && inst.pred.is_none() {
                        self.push(at, inst.clone())?;
                        continue;
                    }
                    let after = self.new_label();
                    if let Some(pred) = inst.pred {
                        let others = PredUse {
                            inverse: !pred.inverse,
                            ..pred
                        };
                        self.goto(at, Some(others), after)?;
                    }
                    if self.inlined[callee] {
                        let copy = self.copy(callee, at, after);
                        open.push(copy);
                        continue;
                    }
                    let pred = None;
                    self.push(
                        at,
                        Inst {
                            pred,
                            ..inst.clone()
                        },
                    )?;
                    self.stand(at, after)?;
                }
                (Opcode::Ret, Some(back)) => self.goto(at, inst.pred, back)?,
                // A copy is entered by falling through.
                (Opcode::Subroutine, Some(_)) => {}
                _ => {
                    let mut inst = inst.clone();
                    for operand in &mut inst.operands {
                        if let Operand::Label(label) = operand
                            && let Some(new) = copy.labels.get(label)
                        {
                            *label = *new;
                        }
                    }
                    self.push(at, inst)?;
                }
            }
        }
        Ok(())
    }

    fn copy(&mut self, callee: Body, call: usize, back: Label) -> Copy {
        let rest = self.calls.bodies[callee].clone();
        let mut labels = HashMap::default();
        for inst in &self.calls.object.insts[rest.clone()] {
            if let (Opcode::Label, Some(label)) = (inst.op, label(inst)) {
                labels.insert(label, self.new_label());
            }
        }
        Copy {
            rest,
            back: Some(back),
            labels,
            call: Some(call),
        }
    }

    /// A goto of the channels of an instruction.
    fn goto(&mut self, at: usize, pred: Option<PredUse>, to: Label) -> Result<(), CfgError> {
        let mut goto = self.calls.object.insts[at].clone();
        goto.op = Opcode::Goto;
        goto.pred = pred;
        goto.operands = smallvec![Operand::Label(to)];
        self.push(at, goto)
    }

    /// Puts a label after a call.
    fn stand(&mut self, call: usize, at: Label) -> Result<(), CfgError> {
        let mut end = self.calls.object.insts[call].clone();
        end.op = Opcode::Label;
        end.exec.size = 1;
        end.pred = None;
        end.operands = smallvec![Operand::Label(at)];
        self.push(call, end)
    }

    fn new_label(&mut self) -> Label {
        let labels = &mut self.object.labels;
        let name = format!("inlined_{}", labels.len()).into();
        let kind = LabelKind::Block;
        let attrs = Vec::new();
        labels.push(LabelDecl { name, kind, attrs })
    }

    fn push(&mut self, at: usize, inst: Inst) -> Result<(), CfgError> {
        if self.object.insts.len() >= self.most {
            return Err(CfgError::Unsupported {
                inst: at,
                what: "an object that is too large after inlining",
            });
        }
        self.object.insts.push(inst);
        Ok(())
    }
}
