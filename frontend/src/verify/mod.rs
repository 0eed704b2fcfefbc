//! What instruction selection relies on in order never to fail: a walk over a module that holds
//! every instruction against its row.
//!
//! Takes any module, however made, and gives all it finds. Of a module without findings:
//! - every number of a variable, label and so on is in range, aliases go to variables declared
//!   before, and lie in the variable at the end of their chain;
//! - every instruction has the operands of its row, of the kinds the row allows, and numbers that
//!   mean something; its channels are 32 at most;
//! - regions are legal, direct accesses and raw operands begin and end in their variable, its size
//!   rounded up to whole GRFs of 32 bytes;
//! - every label is defined once, jumps go to blocks and calls to subroutines.

use cranelift_entity::EntityRef;
use thiserror::Error;

use crate::module::{
    Combine, Exec, InputVar, Inst, Label, LabelKind, Modifier, Module, Object, Operand, Place,
    PredUse, Predicate, Region, Sampler, StateVar, Surface, Type, Var, predefined,
};
use crate::opcode::{
    Atomic, ChannelMask, Field, Kinds, Meaning, Opcode, Relation, Row, SamplerOp, svm_block_bytes,
};

/// Something that is wrong with a module, and where.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{kind}")]
pub struct Finding {
    /// The number of the object in the module.
    pub object: usize,
    /// The number of the instruction in the object; none if it is a declaration that is wrong.
    pub inst: Option<usize>,
    /// Of the instruction.
    pub place: Place,
    pub kind: FindingKind,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FindingKind {
    #[error("{what} {number} does not exist")]
    Missing { what: &'static str, number: usize },
    #[error("{name} has no elements")]
    Empty { name: String },
    #[error("{name} is of type {ty}, which only immediates have", ty = .ty.name())]
    VarType { name: String, ty: Type },
    #[error("{name} is an alias of a variable declared after it")]
    AliasOrder { name: String },
    #[error("{name} goes to byte {end} of {base}, which has {size}")]
    AliasEnd {
        name: String,
        base: String,
        end: u32,
        size: u32,
    },
    #[error("channels {first} to {last} are more than 32", last = .first + .size - 1)]
    Channels { first: u32, size: u32 },
    #[error("an execution size of {size} is none of 1, 2, 4, 8, 16 and 32")]
    ExecSize { size: u8 },
    #[error("`{op}` has {found} operands, expected {expected}")]
    Count {
        op: &'static str,
        found: usize,
        expected: usize,
    },
    #[error("operand {operand} of `{op}` is {found}, which cannot stand there")]
    Kind {
        op: &'static str,
        operand: usize,
        found: &'static str,
    },
    #[error("`{op}` takes no predicate")]
    Predicated { op: &'static str },
    #[error("{what} cannot be {found}")]
    Number { what: &'static str, found: u32 },
    #[error("operand {operand} has an illegal region")]
    Region { operand: usize },
    #[error("operand {operand} has a modifier that cannot stand there")]
    Modifier { operand: usize },
    #[error("operand {operand} goes to byte {end} of {name}, which has {size}")]
    End {
        operand: usize,
        name: String,
        end: u32,
        size: u32,
    },
    #[error("operand {operand} goes to element {end} of {name}, which has {size}")]
    Element {
        operand: usize,
        name: String,
        end: u32,
        size: u32,
    },
    #[error("operand {operand}: {ty} is no type of an immediate, or {bits:#x} does not fit",
        ty = .ty.name())]
    Immediate { operand: usize, ty: Type, bits: u64 },
    #[error("label {name} is defined {count} times")]
    Defined { name: String, count: usize },
    #[error("label {name} is that of a {found}, which `{op}` does not go to", found = kind_name(*.found))]
    LabelKind {
        name: String,
        op: &'static str,
        found: LabelKind,
    },
}

fn kind_name(kind: LabelKind) -> &'static str {
    match kind {
        LabelKind::Block => "block",
        LabelKind::Subroutine => "subroutine",
    }
}

/// Bytes of a GRF, the unit of a variable's room.
const GRF: u32 = 32;

/// Everything that is wrong with a module.
pub fn verify(module: &Module) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, object) in module.objects.iter().enumerate() {
        let place = Place::default();
        let mut verifier = Verifier {
            object,
            number,
            inst: None,
            place,
            roots: Vec::new(),
            findings: &mut findings,
        };
        verifier.object();
    }
    findings
}

struct Verifier<'a> {
    object: &'a Object,
    number: usize,
    inst: Option<usize>,
    place: Place,
    /// The end of each variable's chain of aliases and the offset there.
    roots: Vec<(Var, u32)>,
    findings: &'a mut Vec<Finding>,
}

/// As [`Object::root`], of all variables at once: chains may be long.
fn roots(object: &Object) -> Vec<(Var, u32)> {
    let mut roots: Vec<(Var, u32)> = Vec::with_capacity(object.vars.len());
    for (i, var) in &object.vars {
        roots.push(match var.alias {
            Some((base, at)) => {
                let (root, offset) = roots[base.index()];
                (root, offset.saturating_add(at.into()))
            }
            None => (i, 0),
        });
    }
    roots
}

impl Verifier<'_> {
    fn find(&mut self, kind: FindingKind) {
        let Verifier {
            number: object,
            inst,
            place,
            ..
        } = *self;
        self.findings.push(Finding {
            object,
            inst,
            place,
            kind,
        });
    }

    fn object(&mut self) {
        // Without sound aliases nothing that follows them comes to an end.
        if !self.aliases() {
            return;
        }
        for input in &self.object.inputs {
            let (what, number, count) = match input.var {
                InputVar::General(var) => ("variable", var.index(), self.object.vars.len()),
                InputVar::Sampler(s) => ("sampler", s.index(), self.object.samplers.len()),
                InputVar::Surface(s) => ("surface", s.index(), self.object.surfaces.len()),
            };
            let unused = matches!(input.var, InputVar::General(_)) && is_unused(number);
            if number >= count || unused {
                self.find(FindingKind::Missing { what, number });
            }
        }
        for (i, inst) in self.object.insts.iter().enumerate() {
            (self.inst, self.place) = (Some(i), inst.place);
            self.inst(inst);
        }
        (self.inst, self.place) = (None, Place::default());
        self.definitions();
    }

    /// The variables; whether all chains of aliases come to an end.
    fn aliases(&mut self) -> bool {
        let object = self.object;
        let declared = || object.vars.iter().skip(predefined::VAR_COUNT);
        let mut sound = true;
        for (i, var) in &object.vars {
            if var.alias.is_some_and(|(base, _)| base >= i) {
                sound = false;
                self.find(FindingKind::AliasOrder {
                    name: var.name.clone(),
                });
            }
        }
        if sound {
            self.roots = roots(object);
        }
        for (i, var) in declared() {
            if var.elements == 0 {
                self.find(FindingKind::Empty {
                    name: var.name.clone(),
                });
            }
            if matches!(var.ty, Type::V | Type::Vf | Type::Uv) {
                self.find(FindingKind::VarType {
                    name: var.name.clone(),
                    ty: var.ty,
                });
            }
            if !sound || var.alias.is_none() {
                continue;
            }
            let (base, offset) = self.roots[i.index()];
            let (end, size) = (offset.saturating_add(var.bytes()), self.room(base));
            if end > size {
                let (name, base) = (var.name.clone(), object.vars[base].name.clone());
                self.find(FindingKind::AliasEnd {
                    name,
                    base,
                    end,
                    size,
                });
            }
        }
        sound
    }

    /// Bytes of a variable, with what is left of its last GRF.
    fn room(&self, var: Var) -> u32 {
        self.object.vars[var].bytes().next_multiple_of(GRF)
    }

    fn definitions(&mut self) {
        let mut counts = vec![0; self.object.labels.len()];
        for inst in &self.object.insts {
            if let (Opcode::Label | Opcode::Subroutine, Some(Operand::Label(label))) =
                (inst.op, inst.operands.first())
            {
                counts
                    .get_mut(label.index())
                    .into_iter()
                    .for_each(|count| *count += 1);
            }
        }
        for ((_, decl), count) in self.object.labels.iter().zip(counts) {
            if count != 1 {
                self.find(FindingKind::Defined {
                    name: decl.name.clone(),
                    count,
                });
            }
        }
    }

    fn inst(&mut self, inst: &Inst) {
        let row = inst.op.row();
        let Exec { size, offset, .. } = inst.exec;
        if !size.is_power_of_two() || size > 32 {
            self.find(FindingKind::ExecSize { size });
        }
        if u32::from(offset) + u32::from(size) > 32 {
            self.find(FindingKind::Channels {
                first: offset.into(),
                size: size.into(),
            });
        }
        if let Some(pred) = inst.pred {
            if !row.has_pred() {
                self.find(FindingKind::Predicated { op: row.mnemonic });
            }
            self.predicate(pred);
        }
        let flags = inst.operands.iter().find_map(|operand| match operand {
            Operand::Field(n) => Some(*n),
            _ => None,
        });
        let fixed = row
            .operand_fields()
            .filter(|field| !field.is_list() && !field.is_absent(flags.unwrap_or(0)));
        let list = row.operand_fields().find(|field| field.is_list());
        let expected = fixed.clone().count();
        let found = inst.operands.len();
        if found < expected || (found > expected && list.is_none()) {
            self.find(FindingKind::Count {
                op: row.mnemonic,
                found,
                expected,
            });
        }
        let lists = list.into_iter().cycle();
        for (i, (operand, field)) in inst.operands.iter().zip(fixed.chain(lists)).enumerate() {
            self.operand(inst, row, i, field, operand);
        }
    }

    fn operand(&mut self, inst: &Inst, row: &Row, i: usize, field: Field, operand: &Operand) {
        let fits = match (field, operand) {
            (Field::Dst(kinds) | Field::Src(kinds), operand) => {
                kind_of(operand).is_some_and(|kind| kinds.contains(kind))
            }
            (Field::SrcIf(_), operand) => kind_of(operand).is_some_and(|kind| {
                kind == Kinds::GENERAL || kind == Kinds::IMM || kind == Kinds::INDIRECT
            }),
            (Field::SrcBlock, Operand::General { .. }) => true,
            (
                Field::SrcAddress,
                Operand::AddressOf { .. } | Operand::Address { .. } | Operand::State { .. },
            )
            | (
                Field::RawDst | Field::RawSrc | Field::RawSrcIf(_) | Field::RawSrcs,
                Operand::Raw { .. },
            )
            | (Field::Surface, Operand::Surface(_))
            | (Field::Sampler, Operand::Sampler(_))
            | (Field::Label | Field::Labels, Operand::Label(_))
            | (Field::Name | Field::FileName, Operand::Name(_))
            | (Field::Number(..), Operand::Field(_)) => true,
            _ => false,
        };
        if !fits {
            let found = described(operand);
            return self.find(FindingKind::Kind {
                op: row.mnemonic,
                operand: i,
                found,
            });
        }
        let is_dst = matches!(field, Field::Dst(_));
        match *operand {
            Operand::General {
                var,
                row,
                col,
                region,
                modifier,
            } => {
                self.modifier(i, is_dst, modifier);
                if self.exists(var) && self.region(i, is_dst, false, region) {
                    let element = self.object.vars[var].ty.bytes();
                    let start = u32::from(row) * GRF + u32::from(col) * element;
                    let last = last_element(region, inst.exec.size, is_dst);
                    self.end(i, var, start + (last + 1) * element);
                }
            }
            Operand::Indirect {
                addr,
                off,
                region,
                modifier,
                ..
            } => {
                self.modifier(i, is_dst, modifier);
                self.region(i, is_dst, true, region);
                match self
                    .object
                    .addrs
                    .get(addr)
                    .map(|a| (a.name.clone(), a.elements))
                {
                    Some((name, n)) => self.element(i, name, u32::from(off) + 1, n.into()),
                    None => self.missing("address variable", addr.index()),
                }
            }
            Operand::Address { addr, off, width } => {
                match self
                    .object
                    .addrs
                    .get(addr)
                    .map(|a| (a.name.clone(), a.elements))
                {
                    Some((name, n)) => {
                        self.element(i, name, u32::from(off) + u32::from(width), n.into());
                    }
                    None => self.missing("address variable", addr.index()),
                }
            }
            Operand::AddressOf { var, offset } => {
                if self.exists(var) {
                    self.end(i, var, offset.into());
                }
            }
            Operand::Predicate(pred) => {
                if pred.inverse || pred.combine != Combine::None {
                    self.find(FindingKind::Modifier { operand: i });
                }
                self.predicate(pred);
            }
            Operand::Imm { ty, bits } => {
                if ty == Type::Bool || Operand::imm(ty, bits) != *operand {
                    self.find(FindingKind::Immediate {
                        operand: i,
                        ty,
                        bits,
                    });
                }
            }
            Operand::State {
                of: StateVar::Surface(surface),
                off,
            } => {
                if let Some(decl) = self.surface(surface) {
                    self.element(i, decl.0, u32::from(off) + 1, decl.1);
                }
            }
            Operand::State {
                of: StateVar::Sampler(sampler),
                ..
            } => self.sampler(sampler),
            Operand::Raw { var, offset } => {
                if self.exists(var) {
                    let bytes = u32::from(var.as_u32() != predefined::NULL);
                    self.end(i, var, u32::from(offset) + bytes);
                }
            }
            Operand::Surface(surface) => drop(self.surface(surface)),
            Operand::Sampler(sampler) => self.sampler(sampler),
            Operand::Label(label) => self.label(inst.op, label),
            Operand::Field(n) => {
                if let Field::Number(_, meaning) = field {
                    self.number(meaning, n);
                }
            }
            Operand::Name(_) => {}
        }
    }

    fn missing(&mut self, what: &'static str, number: usize) {
        self.find(FindingKind::Missing { what, number });
    }

    fn exists(&mut self, var: Var) -> bool {
        let exists = self.object.vars.is_valid(var);
        if !exists {
            self.missing("variable", var.index());
        }
        exists
    }

    fn predicate(&mut self, PredUse { pred, .. }: PredUse) {
        if pred == Predicate::from_u32(0) || !self.object.predicates.is_valid(pred) {
            self.missing("predicate", pred.index());
        }
    }

    fn surface(&mut self, surface: Surface) -> Option<(String, u32)> {
        let decl = self.object.surfaces.get(surface);
        let found = decl.map(|decl| (decl.name.clone(), decl.elements.into()));
        if found.is_none() {
            self.missing("surface", surface.index());
        }
        found
    }

    fn sampler(&mut self, sampler: Sampler) {
        let bindless = sampler.as_u32() == predefined::BINDLESS_SAMPLER;
        if !bindless && !self.object.samplers.is_valid(sampler) {
            self.missing("sampler", sampler.index());
        }
    }

    fn label(&mut self, op: Opcode, label: Label) {
        let Some(decl) = self.object.labels.get(label) else {
            return self.missing("label", label.index());
        };
        let expected = match op {
            Opcode::Call | Opcode::Subroutine => LabelKind::Subroutine,
            _ => LabelKind::Block,
        };
        if decl.kind != expected {
            let (name, op, found) = (decl.name.clone(), op.row().mnemonic, decl.kind);
            self.find(FindingKind::LabelKind { name, op, found });
        }
    }

    fn modifier(&mut self, operand: usize, is_dst: bool, modifier: Modifier) {
        let fits = match modifier {
            Modifier::None => true,
            Modifier::Sat => is_dst,
            _ => !is_dst,
        };
        if !fits {
            self.find(FindingKind::Modifier { operand });
        }
    }

    fn region(&mut self, operand: usize, is_dst: bool, indirect: bool, region: Region) -> bool {
        let Region { v, w, h } = region;
        let power = |n: u8, most: u8| n <= most && (n == 0 || n.is_power_of_two());
        let legal = if is_dst {
            region == Region::dst(h) && matches!(h, 1 | 2 | 4)
        } else {
            let vertical = v.map_or(indirect, |v| power(v, 32));
            vertical && w != 0 && power(w, 16) && power(h, 4)
        };
        if !legal {
            self.find(FindingKind::Region { operand });
        }
        legal
    }

    /// Whether an access of a variable up to that byte ends in its root.
    fn end(&mut self, operand: usize, var: Var, end: u32) {
        let (root, offset) = self.roots[var.index()];
        let (end, size) = (offset.saturating_add(end), self.room(root));
        let unused = is_unused(root.index());
        if end > size && !unused {
            let name = self.object.vars[root].name.clone();
            self.find(FindingKind::End {
                operand,
                name,
                end,
                size,
            });
        }
        if unused {
            self.missing("variable", root.index());
        }
    }

    fn element(&mut self, operand: usize, name: String, end: u32, size: u32) {
        if end > size {
            self.find(FindingKind::Element {
                operand,
                name,
                end,
                size,
            });
        }
    }

    fn number(&mut self, meaning: Meaning, n: u32) {
        let (what, known) = match meaning {
            Meaning::Relation => ("a relation", Relation::from_number(n).is_some()),
            Meaning::MinMax => ("the operation of `fminmax`", n < 2),
            Meaning::Atomic => ("an atomic operation", Atomic::from_number(n).is_some()),
            Meaning::Channels => (
                "a channel mask",
                ChannelMask::from_number(n).is_some_and(|mask| mask.count() != 0),
            ),
            Meaning::Channel => ("a channel", n < 4),
            Meaning::Owords => ("a size in owords", n <= 4),
            Meaning::SvmOwords => ("a size in owords", n & !8 <= 4),
            Meaning::ElementSize => ("the size of an element", n < 3),
            Meaning::SvmBlockSize => ("the size of a block", svm_block_bytes(n).is_some()),
            Meaning::BlockCount => ("a count of blocks", n < 4),
            Meaning::Zero => ("a reserved field", n == 0),
            Meaning::SamplerOp => (
                "an operation of the sampler",
                SamplerOp::from_number(n).is_some(),
            ),
            _ => return,
        };
        if !known {
            self.find(FindingKind::Number { what, found: n });
        }
    }
}

/// Whether the number is reserved for a predefined variable that there is not.
fn is_unused(number: usize) -> bool {
    (predefined::VARS.len()..predefined::VAR_COUNT).contains(&number)
}

/// The last element of a region that so many channels touch, from the first.
fn last_element(region: Region, size: u8, is_dst: bool) -> u32 {
    let Region { v, w, h } = region;
    let (v, w, h) = (u32::from(v.unwrap_or(0)), u32::from(w), u32::from(h));
    let last = u32::from(size.max(1)) - 1;
    if is_dst {
        last * h
    } else {
        last / w * v + last.min(w - 1) * h
    }
}

fn kind_of(operand: &Operand) -> Option<Kinds> {
    match operand {
        Operand::General { .. } => Some(Kinds::GENERAL),
        Operand::Indirect { .. } => Some(Kinds::INDIRECT),
        Operand::Address { .. } => Some(Kinds::ADDRESS),
        Operand::AddressOf { .. } => Some(Kinds::ADDRESS_OF),
        Operand::Predicate(_) => Some(Kinds::PREDICATE),
        Operand::Imm { .. } => Some(Kinds::IMM),
        Operand::State { .. } => Some(Kinds::STATE),
        Operand::Raw { .. }
        | Operand::Surface(_)
        | Operand::Sampler(_)
        | Operand::Label(_)
        | Operand::Field(_)
        | Operand::Name(_) => None,
    }
}

fn described(operand: &Operand) -> &'static str {
    match operand {
        Operand::General { .. } => "a general variable",
        Operand::Indirect { .. } => "an indirect operand",
        Operand::Address { .. } => "an address variable",
        Operand::AddressOf { .. } => "the address of a variable",
        Operand::Predicate(_) => "a predicate",
        Operand::Imm { .. } => "an immediate",
        Operand::State { .. } => "a surface's or sampler's state",
        Operand::Raw { .. } => "a raw operand",
        Operand::Surface(_) => "a surface",
        Operand::Sampler(_) => "a sampler",
        Operand::Label(_) => "a label",
        Operand::Field(_) => "a number",
        Operand::Name(_) => "a name",
    }
}
