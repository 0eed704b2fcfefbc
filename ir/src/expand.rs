//! Expansion of vISA instructions that the machine lacks.
//!
//! Takes an object and guarantees one without these instructions, in which the operands of an instruction describe all
//! that it reads and writes:
//!
//! * `switchjmp` becomes a binary search of scalar jumps. A jump table would need the addresses of blocks, which are
//!   known after layout only.
//! * `line` and `plane` become multiply-adds, with the single rounding of the machine's instructions of these names.
//! * A call that is a jump takes all active channels: under a predicate the others branch over it.
//! * A sum of integers and floats becomes a sum of floats with conversions (rule V0085).
//! * A predicate that is read for more channels than it has bits gets a bit for each (rule V0084).

use kiln_visa::module::{
    Align, ArrayDecl, Combine, Exec, Inst, Label, LabelDecl, LabelKind, Modifier, Object, Operand,
    PredUse, Predicate, Region, Type, Var, VarDecl,
};
use kiln_visa::opcode::{Opcode, Relation};
use smallvec::smallvec;

use crate::cfg::CfgError;

/// Number of channels that `plane` has one register of each coordinate for.
const PLANE_CHANNELS: u8 = 8;

const PACKED: Region = Region::new(1, 1, 0);
const DESTINATION: Region = Region::dst(1);

/// Expands the instructions of an object. `by_jump` is true for the name of a function that is called by a jump.
/// The result is `None` for an object that has no such instruction.
///
/// # Errors
/// An operand that the expansion cannot move.
pub fn expand(
    object: &Object,
    by_jump: &(dyn Fn(&str) -> bool + Sync),
) -> Result<Option<Object>, CfgError> {
    // Calls by name have predicates in the machine; calls that are jumps have none.
    let jumps = |inst: &Inst| match (inst.op, inst.operands.first()) {
        (Opcode::IfCall, _) => true,
        (Opcode::FCall, Some(Operand::Name(name))) => inst.exec.no_mask || by_jump(name),
        _ => false,
    };
    let is_one = |inst: &Inst| match inst.op {
        Opcode::SwitchJmp | Opcode::Line | Opcode::Plane => true,
        Opcode::Add if object.is_mixed_sum(inst) => true,
        _ => inst.pred.is_some() && jumps(inst) || bits(object, inst).is_some(),
    };
    if !object.insts.iter().any(is_one) {
        return Ok(None);
    }
    let mut expander = Expander {
        object: Object {
            insts: Vec::with_capacity(object.insts.len()),
            ..object.without_insts()
        },
        flag: None,
    };
    for inst in &object.insts {
        if let Some((pred, elements)) = bits(&expander.object, inst) {
            expander.object.predicates[pred].elements = elements;
        }
        match inst.op {
            Opcode::SwitchJmp => expander.switch(inst),
            Opcode::Line => expander.line(inst)?,
            Opcode::Plane => expander.plane(inst)?,
            Opcode::Add if object.is_mixed_sum(inst) => expander.sum(inst),
            _ if inst.pred.is_some() && jumps(inst) => expander.call(inst),
            _ => expander.push(inst.clone()),
        }
    }
    Ok(Some(expander.object))
}

/// An instruction's predicate and the number of bits that it needs, if it has fewer.
fn bits(object: &Object, inst: &Inst) -> Option<(Predicate, u16)> {
    let pred = inst.pred?.pred;
    let need = u16::from(inst.exec.offset) + u16::from(inst.exec.size);
    let short = object.predicates.get(pred)?.elements < need;
    short.then(|| (pred, need.next_power_of_two()))
}

struct Expander {
    /// The object without the instructions that were expanded.
    object: Object,
    /// Predicate that a search compares into.
    flag: Option<Predicate>,
}

impl Expander {
    fn push(&mut self, inst: Inst) {
        self.object.insts.push(inst);
    }

    /// Appends an instruction in place of `from`.
    fn put(&mut self, from: &Inst, op: Opcode, exec: Exec, operands: &[Operand]) {
        self.push(Inst {
            op,
            exec,
            pred: None,
            operands: operands.iter().cloned().collect(),
            place: from.place,
            origin: from.origin,
        });
    }

    fn flag(&mut self) -> Predicate {
        let predicates = &mut self.object.predicates;
        *self.flag.get_or_insert_with(|| {
            let name = format!("expanded_{}", predicates.len()).into();
            predicates.push(ArrayDecl {
                name,
                elements: 1,
                attrs: Vec::new(),
            })
        })
    }

    fn label(&mut self) -> Label {
        let names = &mut self.object.labels;
        names.push(LabelDecl {
            name: format!("expanded_{}", names.len()).into(),
            kind: LabelKind::Block,
            attrs: Vec::new(),
        })
    }

    /// Expands a call under a predicate.
    fn call(&mut self, inst: &Inst) {
        let after = self.label();
        let others = inst.pred.map(|pred| PredUse {
            inverse: !pred.inverse,
            ..pred
        });
        self.push(Inst {
            op: Opcode::Goto,
            pred: others,
            operands: smallvec![Operand::Label(after)],
            ..inst.clone()
        });
        self.push(Inst {
            pred: None,
            ..inst.clone()
        });
        self.put(inst, Opcode::Label, inst.exec, &[Operand::Label(after)]);
    }

    fn switch(&mut self, inst: &Inst) {
        let index = inst.operands.iter().find(|operand| {
            matches!(
                operand,
                Operand::General { .. } | Operand::Indirect { .. } | Operand::Imm { .. }
            )
        });
        let labels: Vec<Label> = inst
            .operands
            .iter()
            .filter_map(|operand| match operand {
                Operand::Label(label) => Some(*label),
                _ => None,
            })
            .collect();
        if let Some(index) = index.cloned() {
            self.search(inst, &index, &labels, 0);
        }
    }

    /// Appends a binary search for one of the labels, of which the first has index `first`.
    fn search(&mut self, inst: &Inst, index: &Operand, labels: &[Label], first: usize) {
        let exec = Exec {
            size: 1,
            offset: 0,
            no_mask: true,
        };
        let jump = |expander: &mut Self, label: Label, pred: Option<PredUse>| {
            expander.push(Inst {
                op: Opcode::Jmp,
                exec,
                pred,
                operands: smallvec![Operand::Label(label)],
                place: inst.place,
                origin: inst.origin,
            });
        };
        let (low, high) = labels.split_at(labels.len() / 2);
        let [] = low else {
            let pred = self.flag();
            let number = Operand::imm(Type::W, (first + low.len()) as u64);
            let used = PredUse {
                pred,
                inverse: false,
                combine: Combine::None,
            };
            let relation = Operand::Field(Relation::Ge as u32);
            let compare = [relation, Operand::Predicate(used), index.clone(), number];
            self.put(inst, Opcode::Cmp, exec, &compare);
            let upper = self.label();
            jump(self, upper, Some(used));
            self.search(inst, index, low, first);
            let label = [Operand::Label(upper)];
            self.put(inst, Opcode::Label, exec, &label);
            self.search(inst, index, high, first + low.len());
            return;
        };
        if let [label] = high {
            jump(self, *label, None);
        }
    }

    /// Element `n` of an instruction's source of four parameters, as a scalar.
    fn element(inst: &Inst, source: &Operand, n: u8) -> Result<Operand, CfgError> {
        match *source {
            Operand::General {
                var,
                row,
                col,
                region,
                modifier,
            } => {
                let step = match region.w {
                    0 | 1 => region.v.unwrap_or(0),
                    _ => region.h,
                };
                Ok(Operand::General {
                    var,
                    row,
                    col: col.saturating_add(step.saturating_mul(n)),
                    region: Region::SCALAR,
                    modifier,
                })
            }
            Operand::Imm { .. } => Ok(source.clone()),
            _ => Err(CfgError::Unsupported {
                inst: inst.origin as usize,
                what: "four parameters at an address",
            }),
        }
    }

    /// Expands `line`: parameters 0 and 3 are the slope and the value at zero.
    fn line(&mut self, inst: &Inst) -> Result<(), CfgError> {
        let [to, of, x] = &inst.operands[..] else {
            return Ok(());
        };
        let (slope, at_zero) = (Self::element(inst, of, 0)?, Self::element(inst, of, 3)?);
        self.push(Inst {
            op: Opcode::Mad,
            operands: smallvec![to.clone(), slope, x.clone(), at_zero],
            ..inst.clone()
        });
        Ok(())
    }

    /// Expands `plane`: parameters 0, 1 and 3 are the slopes and the value at zero. For each eight channels there is a
    /// register with the first coordinate and one with the second.
    fn plane(&mut self, inst: &Inst) -> Result<(), CfgError> {
        let [to, of, coordinates] = &inst.operands[..] else {
            return Ok(());
        };
        let Operand::General {
            var,
            row,
            col,
            modifier,
            ..
        } = *coordinates
        else {
            return Err(CfgError::Unsupported {
                inst: inst.origin as usize,
                what: "coordinates of a plane at an address",
            });
        };
        // The machine ignores the region of the parameters: they are packed.
        let four = match *of {
            Operand::General {
                var,
                row,
                col,
                modifier,
                ..
            } => Operand::General {
                var,
                row,
                col,
                region: Region::new(0, 4, 1),
                modifier,
            },
            ref other => other.clone(),
        };
        let [p, q, r] = [0, 1, 3].map(|n| Self::element(inst, &four, n));
        let (p, q, r) = (p?, q?, r?);
        let (results, part) = self.singles(inst);
        let groups = inst.exec.size / PLANE_CHANNELS;
        for group in 0..groups {
            let coordinate = |n: u8| Operand::General {
                var,
                row: row.saturating_add(2 * group + n),
                col,
                region: PACKED,
                modifier,
            };
            let at = |var: Var, region: Region, modifier: Modifier| Operand::General {
                var,
                row: group,
                col: 0,
                region,
                modifier,
            };
            let exec = Exec {
                size: PLANE_CHANNELS,
                offset: inst.exec.offset + group * PLANE_CHANNELS,
                ..inst.exec
            };
            let to = at(part, DESTINATION, Modifier::None);
            let second = [to, q.clone(), coordinate(1), r.clone()];
            self.put(inst, Opcode::Mad, exec, &second);
            let to = at(results, DESTINATION, Modifier::None);
            let before = at(part, PACKED, Modifier::None);
            let first = [to, p.clone(), coordinate(0), before];
            self.put(inst, Opcode::Mad, exec, &first);
        }
        // The destination may overlap sources that other channels read.
        let from = Operand::General {
            var: results,
            row: 0,
            col: 0,
            region: PACKED,
            modifier: Modifier::None,
        };
        self.push(Inst {
            op: Opcode::Mov,
            operands: smallvec![to.clone(), from],
            ..inst.clone()
        });
        Ok(())
    }

    /// Expands `add` of 64-bit integers and a `df`.
    fn sum(&mut self, inst: &Inst) {
        let mut sum = inst.clone();
        let mut converted = None;
        for (n, operand) in sum.operands.iter_mut().enumerate() {
            let double = match *operand {
                Operand::General { var, .. } => self.object.vars[var].ty == Type::Df,
                Operand::Indirect { ty, .. } | Operand::Imm { ty, .. } => ty == Type::Df,
                _ => continue,
            };
            if double {
                continue;
            }
            let var = self.variable(inst, Type::Df);
            let at = |region: Region| Operand::General {
                var,
                row: 0,
                col: 0,
                region,
                modifier: Modifier::None,
            };
            let before = std::mem::replace(operand, at(if n == 0 { DESTINATION } else { PACKED }));
            match n {
                0 => converted = Some((before, at(PACKED))),
                _ => self.put(inst, Opcode::Mov, inst.exec, &[at(DESTINATION), before]),
            }
        }
        match converted {
            None => self.push(sum),
            Some((to, from)) => {
                self.push(Inst { pred: None, ..sum });
                self.push(Inst {
                    op: Opcode::Mov,
                    operands: smallvec![to, from],
                    ..inst.clone()
                });
            }
        }
    }

    /// Two variables with a single for each channel of an instruction.
    fn singles(&mut self, inst: &Inst) -> (Var, Var) {
        (self.variable(inst, Type::F), self.variable(inst, Type::F))
    }

    /// A variable with an element for each channel of an instruction.
    fn variable(&mut self, inst: &Inst, ty: Type) -> Var {
        let vars = &mut self.object.vars;
        vars.push(VarDecl {
            name: format!("expanded_{}", vars.len()).into(),
            ty,
            align: Align::Hword,
            elements: inst.exec.size.into(),
            alias: None,
            attrs: Vec::new(),
        })
    }
}
