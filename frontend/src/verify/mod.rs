//! The verifier: a walk over a module that holds every declaration and every instruction against
//! the rules of the specification and the opcode's row.
//!
//! Takes any module, however made, and gives all it finds, each with the code of its rule in
//! [`RULES`]. Of a module without errors, instruction selection never fails, because:
//! - every number of a variable, label and so on is in range, aliases go to variables declared
//!   before, and lie in the variable at the end of their chain;
//! - every instruction has the operands of its row, of the kinds the row allows, and numbers that
//!   mean something; its channels are 32 at most, and predicates have a bit for each;
//! - regions are legal, direct accesses and raw operands begin and end in their variable, its size
//!   rounded up to whole GRFs, the payload of messages included where its size is known;
//! - every label is defined once, jumps go to blocks of their subroutine and calls to subroutines.

mod calls;
mod messages;
mod rules;

use std::collections::HashSet;
use std::ops::Range;

use cranelift_entity::EntityRef;
use thiserror::Error;

use crate::module::{
    Combine, Exec, InputVar, Inst, Label, LabelKind, Modifier, Module, Object, ObjectKind, Operand,
    Place, PredUse, Predicate, Region, Sampler, StateVar, Surface, Type, Var, predefined,
};
use crate::opcode::{
    Atomic, ChannelMask, Field, Kinds, Meaning, Opcode, Relation, Row, SamplerOp, svm_block_bytes,
};
use crate::platform::Platform;
use crate::text::lsc;
use calls::Functions;

pub use rules::{FindingKind, RULES, Rule, Severity};

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

impl Finding {
    /// The code of the rule, for example `V0012`.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    pub fn severity(&self) -> Severity {
        self.kind.rule().severity
    }
}

/// The bytes of a text that the instruction at the place takes, for a message to underline: from its
/// first character to the end of its line or the comment on it. Empty if the place is no place in a
/// text.
pub fn span(source: &str, place: Place) -> Range<usize> {
    let (Some(line), Some(column)) = (place.pos.checked_sub(1), place.column.checked_sub(1)) else {
        return 0..0;
    };
    let lines = source.split_inclusive('\n');
    let before = lines.take(line as usize).map(str::len).sum::<usize>();
    let start = before + column as usize;
    let Some(rest) = source.get(start..) else {
        return 0..0;
    };
    let line = rest.lines().next().unwrap_or("");
    let code = line.split("//").next().unwrap_or("").trim_end();
    start..start + code.len()
}

/// Bytes of a row of a direct access.
const GRF: u32 = 32;

/// The errors of a module: of one without, instruction selection never fails.
pub fn verify(module: &Module) -> Vec<Finding> {
    let mut findings = check(module, None);
    findings.retain(|finding| finding.severity() == Severity::Error);
    findings
}

/// Everything that is wrong with a module, warnings included, as one for that platform; without a
/// platform, as one for any with registers of 32 bytes.
pub fn check(module: &Module, platform: Option<Platform>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let functions = Functions::new(module);
    let mut names = HashSet::new();
    for (number, object) in module.objects.iter().enumerate() {
        let mut verifier = Verifier {
            object,
            number,
            inst: None,
            place: Place::default(),
            platform,
            grf: platform.map_or(GRF, Platform::grf_bytes),
            functions: &functions,
            roots: Vec::new(),
            findings: &mut findings,
        };
        if !names.insert((object.kind == ObjectKind::Kernel, &object.name)) {
            let name = object.name.to_string();
            verifier.find(FindingKind::Names { name });
        }
        verifier.object();
    }
    findings
}

struct Verifier<'a> {
    object: &'a Object,
    number: usize,
    inst: Option<usize>,
    place: Place,
    platform: Option<Platform>,
    /// Bytes of a register.
    grf: u32,
    functions: &'a Functions<'a>,
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
        self.overlaps();
        self.declaration();
        for (i, predicate) in self.object.predicates.iter().skip(1) {
            let elements = predicate.elements;
            if !(elements.is_power_of_two() && elements <= 32) {
                let name = predicate_name(self.object, i);
                self.find(FindingKind::PredicateSize { name, elements });
            }
        }
        if let Some(found) = self.object.int_attr("SimdSize")
            && !matches!(found, 1 | 8 | 16 | 32)
        {
            self.find(FindingKind::SimdSize { found });
        }
        for (i, inst) in self.object.insts.iter().enumerate() {
            self.at(i, inst);
            self.inst(inst);
            self.call(inst);
            self.message(inst);
        }
        self.flow();
        (self.inst, self.place) = (None, Place::default());
        self.definitions();
    }

    /// What is found from here on is about that instruction.
    fn at(&mut self, i: usize, inst: &Inst) {
        (self.inst, self.place) = (Some(i), inst.place);
    }

    /// The bytes of the payload that inputs have.
    fn overlaps(&mut self) {
        let object = self.object;
        let name = |var| match var {
            InputVar::General(var) => object.vars.get(var).map(|decl| decl.name.to_string()),
            InputVar::Sampler(s) => Some(format!("S{}", s.index())),
            InputVar::Surface(s) => Some(format!("T{}", s.index())),
        };
        let mut inputs: Vec<_> = object.inputs.iter().collect();
        inputs.sort_by_key(|input| input.offset);
        for pair in inputs.windows(2) {
            let end = u32::from(pair[0].offset) + u32::from(pair[0].size);
            let at = u32::from(pair[1].offset);
            if end > at && pair[1].size != 0 {
                let name = |input: &crate::module::Input| name(input.var).unwrap_or_default();
                let (name, other) = (name(pair[0]), name(pair[1]));
                self.find(FindingKind::InputOverlap { name, other, at });
            }
        }
        for input in &object.inputs {
            let InputVar::General(var) = input.var else {
                continue;
            };
            if let Some(decl) = object.vars.get(var)
                && u32::from(input.size) > decl.bytes()
            {
                let (name, size, room) = (decl.name.to_string(), input.size.into(), decl.bytes());
                self.find(FindingKind::InputSize { name, size, room });
            }
        }
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
                    name: var.name.to_string(),
                });
            }
        }
        if sound {
            self.roots = roots(object);
        }
        for (i, var) in declared() {
            if var.elements == 0 {
                self.find(FindingKind::Empty {
                    name: var.name.to_string(),
                });
            }
            if matches!(var.ty, Type::V | Type::Vf | Type::Uv) {
                self.find(FindingKind::VarType {
                    name: var.name.to_string(),
                    ty: var.ty,
                });
            }
            if !sound || var.alias.is_none() {
                continue;
            }
            let (base, offset) = self.roots[i.index()];
            let (end, size) = (offset.saturating_add(var.bytes()), self.room(base));
            if end > size {
                let (name, base) = (var.name.to_string(), object.vars[base].name.to_string());
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

    /// Bytes of a variable, with what is left of its last GRF. Three predefined ones have a number
    /// of GRFs, not of elements.
    fn room(&self, var: Var) -> u32 {
        let bytes = self.object.vars[var].bytes();
        match var.as_u32() {
            predefined::R0 | predefined::ARG | predefined::RETVAL => bytes / GRF * self.grf,
            _ => bytes.next_multiple_of(self.grf),
        }
    }

    /// The variable at the end of the chain, the end of an access in it, and its room.
    fn reach(&self, var: Var, end: u32) -> (String, u32, u32) {
        let (root, offset) = self.roots[var.index()];
        let name = self.object.vars[root].name.to_string();
        (name, offset.saturating_add(end), self.room(root))
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
                    name: decl.name.to_string(),
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
        if size.is_power_of_two() && offset % size != 0 {
            self.find(FindingKind::MaskOffset {
                first: offset,
                size,
            });
        }
        if let Some(platform) = self.platform
            && !row.platforms.contains(platform)
        {
            let (op, platform) = (row.mnemonic, platform.name());
            self.find(FindingKind::Platform { op, platform });
        }
        if let Some(pred) = inst.pred {
            if !row.has_pred() {
                self.find(FindingKind::Predicated { op: row.mnemonic });
            }
            self.predicate(pred, inst.exec);
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
                self.modifier(inst, i, is_dst, modifier);
                if field == Field::SrcBlock {
                    self.exists(var);
                    return;
                }
                if region.v.is_none() {
                    return self.find(FindingKind::MultiAddress { operand: i });
                }
                if self.exists(var) && self.region(i, is_dst, inst.exec.size, region) {
                    if is_dst && is_read_only(var) {
                        let name = self.object.vars[var].name.to_string();
                        self.find(FindingKind::ReadOnly { operand: i, name });
                    }
                    self.ty(inst, i, self.object.vars[var].ty);
                    let element = self.object.vars[var].ty.bytes();
                    let start = u32::from(row) * self.grf + u32::from(col) * element;
                    let last = last_element(region, inst.exec.size, is_dst);
                    self.end(i, var, start + (last + 1) * element);
                }
            }
            Operand::Indirect {
                addr,
                off,
                ty,
                region,
                modifier,
                ..
            } => {
                self.modifier(inst, i, is_dst, modifier);
                self.ty(inst, i, ty);
                self.region(i, is_dst, inst.exec.size, region);
                match self
                    .object
                    .addrs
                    .get(addr)
                    .map(|a| (a.name.to_string(), a.elements))
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
                    .map(|a| (a.name.to_string(), a.elements))
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
                self.predicate(pred, inst.exec);
            }
            Operand::Imm { ty, bits } => {
                self.ty(inst, i, ty);
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

    fn predicate(&mut self, PredUse { pred, .. }: PredUse, exec: Exec) {
        let Some(decl) = self
            .object
            .predicates
            .get(pred)
            .filter(|_| pred.index() != 0)
        else {
            return self.missing("predicate", pred.index());
        };
        let (first, size) = (exec.offset, exec.size);
        if u32::from(first) + u32::from(size) > decl.elements.into() {
            let (name, elements) = (predicate_name(self.object, pred), decl.elements);
            self.find(FindingKind::PredicateWidth {
                name,
                elements,
                first,
                size,
            });
        }
    }

    fn surface(&mut self, surface: Surface) -> Option<(String, u32)> {
        let decl = self.object.surfaces.get(surface);
        let found = decl.map(|decl| (decl.name.to_string(), decl.elements.into()));
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
            let (name, op, found) = (decl.name.to_string(), op.row().mnemonic, decl.kind);
            self.find(FindingKind::LabelKind { name, op, found });
        }
    }

    fn modifier(&mut self, inst: &Inst, operand: usize, is_dst: bool, modifier: Modifier) {
        let fits = match modifier {
            Modifier::None => true,
            Modifier::Sat => is_dst,
            _ => !is_dst,
        };
        if !fits {
            return self.find(FindingKind::Modifier { operand });
        }
        let row = inst.op.row();
        let logic = matches!(
            inst.op,
            Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not
        );
        let (wrong, found, allowed) = match (modifier, logic) {
            (Modifier::Neg | Modifier::Abs | Modifier::NegAbs, true) => {
                (true, modifier.text(), Modifier::Not.text())
            }
            (Modifier::Sat, true) => (true, ".sat", "none"),
            (Modifier::Not, false) => (true, modifier.text(), "(-), (abs) or (-abs)"),
            _ => (false, "", ""),
        };
        if wrong {
            self.find(FindingKind::ModifierKind {
                op: row.mnemonic,
                operand,
                found,
                allowed,
            });
        }
    }

    /// The type of an operand of an instruction that is for some types only.
    fn ty(&mut self, inst: &Inst, operand: usize, ty: Type) {
        let op = inst.op.row().mnemonic;
        let float = matches!(ty, Type::F | Type::Df | Type::Hf | Type::Bf | Type::Vf);
        match inst.op {
            Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not if float => {
                self.find(FindingKind::LogicType { op, operand, ty });
            }
            Opcode::Shl | Opcode::Shr | Opcode::Asr | Opcode::Rol | Opcode::Ror if float => {
                self.find(FindingKind::LogicType { op, operand, ty });
            }
            Opcode::Inv
            | Opcode::Log
            | Opcode::Exp
            | Opcode::Sqrt
            | Opcode::Rsqrt
            | Opcode::Sin
            | Opcode::Cos
            | Opcode::Pow
                if !float =>
            {
                self.find(FindingKind::MathType { op, operand, ty });
            }
            _ => {}
        }
    }

    fn region(&mut self, operand: usize, is_dst: bool, size: u8, region: Region) -> bool {
        let Region { v, w, h } = region;
        let power = |n: u8, most: u8| n <= most && (n == 0 || n.is_power_of_two());
        let strides = "0, 1, 2 and 4";
        let (part, found, allowed) = match (is_dst, v) {
            (true, None) => {
                self.find(FindingKind::MultiAddress { operand });
                return false;
            }
            (true, _) if !matches!(h, 1 | 2 | 4) => ("horizontal stride", h, "1, 2 and 4"),
            (true, _) if region != Region::dst(h) => ("width", w, "1"),
            (false, Some(v)) if !power(v, 32) => ("vertical stride", v, "0, 1, 2, 4, 8, 16 and 32"),
            (false, _) if w == 0 || !power(w, 16) => ("width", w, "1, 2, 4, 8 and 16"),
            (false, _) if !power(h, 4) => ("horizontal stride", h, strides),
            (false, _) if w > size => {
                self.find(FindingKind::RegionWidth {
                    operand,
                    width: w,
                    size,
                });
                return false;
            }
            _ => return true,
        };
        self.find(FindingKind::Region {
            operand,
            part,
            found,
            allowed,
        });
        false
    }

    /// Whether an access of a variable up to that byte ends in its root.
    fn end(&mut self, operand: usize, var: Var, end: u32) {
        let (root, offset) = self.roots[var.index()];
        let (end, size) = (offset.saturating_add(end), self.room(root));
        let unused = is_unused(root.index());
        if end > size && !unused {
            let name = self.object.vars[root].name.to_string();
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
            meaning => ("a number of an LSC message", lsc::is_known(meaning, n)),
        };
        if !known {
            self.find(FindingKind::Number { what, found: n });
        }
    }
}

/// Whether only the hardware writes the variable.
fn is_read_only(var: Var) -> bool {
    matches!(
        var.as_u32(),
        predefined::THREAD_X
            | predefined::THREAD_Y
            | predefined::GROUP_ID_X
            | predefined::GROUP_ID_Y
            | predefined::GROUP_ID_Z
            | predefined::HW_ID
            | predefined::CE0
            | predefined::COLOR
    )
}

fn predicate_name(object: &Object, pred: Predicate) -> String {
    let decl = object.predicates.get(pred);
    decl.map_or_else(String::new, |decl| decl.name.to_string())
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
