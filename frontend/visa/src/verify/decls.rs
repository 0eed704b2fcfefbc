//! Rules of declarations: variables and their aliases, predicates, addresses, inputs, attributes, labels.

use cranelift_entity::{EntityRef, EntitySet};

use super::operands::{is_unused, predicate_name};
use super::{FindingKind, GRF, Root, Verifier, roots};
use crate::attributes::TARGET;
use crate::module::{
    AttrValue, Input, InputVar, LabelKind, Object, Operand, Subject, Type, Var, predefined,
};
use crate::opcode::Opcode;

/// Number of registers of the largest register file.
const MAX_GRFS: u32 = 256;
/// Number of elements of the address register. Newer hardware may have more, but the reference takes no longer variable anywhere.
pub(super) const ADDRESS_REGISTERS: u32 = 16;
/// Provenance of an input whose position the user chooses.
const PSEUDO_INPUT: u8 = 16;
/// Bytes of an element of a surface's or a sampler's state as an input.
const STATE_BYTES: u32 = 4;
/// Bytes of a thread's local ids, and maximum: three dwords for each of 32 channels.
const IDS: &str = "PerThreadInputSize";
const MAX_IDS: i64 = 384;
/// Attributes that may be given only once.
const SINGLE_ATTRS: [&str; 2] = ["SLMSize", "NBarrierCnt"];

/// Variables that instructions, inputs or aliases name, and aliases. Front ends declare others with no elements.
fn used_vars(object: &Object) -> EntitySet<Var> {
    let mut used = EntitySet::new();
    let operands = object.insts.iter().flat_map(|inst| &inst.operands);
    let in_operands = operands.filter_map(|operand| match operand {
        Operand::General { var, .. }
        | Operand::AddressOf { var, .. }
        | Operand::Raw { var, .. } => Some(*var),
        _ => None,
    });
    let inputs = object.inputs.iter().filter_map(|input| match input.var {
        InputVar::General(var) => Some(var),
        _ => None,
    });
    let aliased = object.vars.values().filter_map(|var| Some(var.alias?.0));
    for var in in_operands.chain(inputs).chain(aliased) {
        used.insert(var);
    }
    used
}

/// Bytes of a variable, rounded up to whole GRFs. Three predefined ones have a number of GRFs, not of elements. Pointers
/// of the calling convention share a register with others.
pub(super) fn room(object: &Object, var: Var, grf: u32) -> u32 {
    let bytes = object.vars[var].bytes();
    match var.as_u32() {
        predefined::R0 | predefined::ARG | predefined::RETVAL => bytes / GRF * grf,
        predefined::SP
        | predefined::FP
        | predefined::IMPL_ARG_BUF_PTR
        | predefined::LOCAL_ID_BUF_PTR => bytes,
        _ => bytes.next_multiple_of(grf),
    }
}

impl Verifier<'_> {
    /// Rules of variables. Returns true if all chains of aliases are sound.
    pub(super) fn aliases(&mut self) -> bool {
        let object = self.object;
        let declared = || object.vars.iter().skip(predefined::VAR_COUNT);
        let mut sound = true;
        let mut used = None;
        for (i, var) in &object.vars {
            if var.alias.is_some_and(|(base, _)| base >= i) {
                sound = false;
                self.subject = Subject::Var(i);
                self.find(FindingKind::AliasOrder {
                    name: var.name.to_string(),
                });
            }
        }
        if sound {
            self.roots = roots(object, self.grf);
        }
        for (i, var) in declared() {
            self.subject = Subject::Var(i);
            let bytes = var.bytes();
            if bytes > MAX_GRFS * self.grf {
                let (name, most) = (var.name.to_string(), MAX_GRFS * self.grf);
                self.find(FindingKind::VarSize { name, bytes, most });
            }
            if let Some((_, offset)) = var.alias
                && !u32::from(offset).is_multiple_of(var.ty.bytes())
            {
                let (name, offset, bytes) = (var.name.to_string(), offset.into(), var.ty.bytes());
                self.find(FindingKind::AliasAlign {
                    name,
                    offset,
                    bytes,
                });
            }
            let mut named = || used.get_or_insert_with(|| used_vars(object)).contains(i);
            if var.elements == 0 && (var.alias.is_some() || named()) {
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
            let (root, end) = self.reach(i, var.bytes());
            let size = root.room;
            if end > size {
                let (name, base) = (var.name.to_string(), object.vars[root.var].name.to_string());
                let is_declared = root.var.index() >= predefined::VAR_COUNT;
                self.find(if is_declared && root.offset < size {
                    FindingKind::AliasPast {
                        name,
                        base,
                        end,
                        size,
                    }
                } else {
                    FindingKind::AliasEnd {
                        name,
                        base,
                        end,
                        size,
                    }
                });
            }
        }
        self.subject = Subject::Object;
        sound
    }

    /// Root of a variable, and the end in it of an access of the variable up to byte `end`.
    pub(super) fn reach(&self, var: Var, end: u32) -> (Root, u32) {
        let root = self.roots[var.index()];
        (root, root.offset.saturating_add(end))
    }

    pub(super) fn definitions(&mut self) {
        let mut counts = vec![0; self.object.labels.len()];
        for (_, inst) in &self.jumps {
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
            if count != usize::from(decl.kind != LabelKind::Kernel) {
                self.find(FindingKind::Defined {
                    name: decl.name.to_string(),
                    count,
                });
            }
        }
    }

    /// Rules of predicates, addresses and samplers.
    pub(super) fn arrays(&mut self) {
        for (i, predicate) in self.object.predicates.iter().skip(1) {
            let elements = predicate.elements;
            if !(elements.is_power_of_two() && elements <= 32) {
                let name = predicate_name(self.object, i);
                self.subject = Subject::Predicate(i);
                self.find(FindingKind::PredicateSize { name, elements });
            }
        }
        let most = ADDRESS_REGISTERS;
        for (i, addr) in &self.object.addrs {
            let elements = u32::from(addr.elements);
            if !(1..=most).contains(&elements) {
                let name = addr.name.to_string();
                self.subject = Subject::Addr(i);
                self.find(FindingKind::AddressSize {
                    name,
                    elements,
                    most,
                });
            }
        }
        self.subject = Subject::Object;
        let (count, most) = (self.object.samplers.len(), predefined::BINDLESS_SAMPLER);
        if count > most as usize {
            self.find(FindingKind::SamplerCount { count, most });
        }
    }

    pub(super) fn attributes(&mut self) {
        if let Some(found) = self.object.int_attr("SimdSize")
            && !matches!(found, 1 | 8 | 16 | 32)
        {
            self.subject = Subject::Attr("SimdSize");
            self.find(FindingKind::SimdSize { found });
        }
        let mut attrs = self.object.attrs.iter();
        if let Some(target) = attrs.find(|attr| attr.name == TARGET)
            && !matches!(target.value, AttrValue::Int(0 | 1))
        {
            let found = match &target.value {
                AttrValue::Int(n) => n.to_string(),
                AttrValue::Str(s) => format!("{s:?}"),
                AttrValue::Flag => "nothing".to_owned(),
            };
            self.subject = Subject::Attr(TARGET);
            self.find(FindingKind::AttrValue {
                name: TARGET,
                found,
                allowed: "\"cm\" and \"3d\"",
            });
        }
        if let Some(found) = self.object.int_attr(IDS)
            && !(0..=MAX_IDS).contains(&found)
        {
            self.subject = Subject::Attr(IDS);
            self.find(FindingKind::AttrValue {
                name: IDS,
                found: found.to_string(),
                allowed: "0 to 384",
            });
        }
        for name in SINGLE_ATTRS {
            let same = self.object.attrs.iter().filter(|attr| attr.name == name);
            let count = same.count();
            if count > 1 {
                self.subject = Subject::Attr(name);
                self.find(FindingKind::AttrTwice { name, count });
            }
        }
        self.subject = Subject::Object;
    }

    /// Name of an input.
    fn input_name(&self, input: &Input) -> String {
        match input.var {
            InputVar::General(var) => {
                let decl = self.object.vars.get(var);
                decl.map_or_else(String::new, |decl| decl.name.to_string())
            }
            InputVar::Sampler(s) => format!("S{}", s.index()),
            InputVar::Surface(s) => format!("T{}", s.index()),
        }
    }

    /// Rules of each input, then of their positions.
    pub(super) fn inputs(&mut self) {
        for (i, input) in self.object.inputs.iter().enumerate() {
            self.subject = Subject::Input(i);
            let (what, number, count) = match input.var {
                InputVar::General(var) => ("variable", var.index(), self.object.vars.len()),
                InputVar::Sampler(s) => ("sampler", s.index(), self.object.samplers.len()),
                InputVar::Surface(s) => ("surface", s.index(), self.object.surfaces.len()),
            };
            let unused = matches!(input.var, InputVar::General(_)) && is_unused(number);
            if number >= count || unused {
                self.find(FindingKind::Missing { what, number });
                continue;
            }
            self.input(input);
        }
        self.overlaps();
    }

    fn input(&mut self, input: &Input) {
        let name = self.input_name(input);
        let (offset, size) = (u32::from(input.offset), u32::from(input.size));
        let (room, align) = match input.var {
            InputVar::General(var) => {
                let decl = &self.object.vars[var];
                let own = [
                    (decl.alias.is_some(), "an alias"),
                    (var.index() < predefined::VAR_COUNT, "predefined"),
                ];
                if let Some((_, found)) = own.into_iter().find(|(is, _)| *is) {
                    let name = name.clone();
                    self.find(FindingKind::InputVar { name, found });
                }
                (decl.bytes(), decl.ty.bytes())
            }
            InputVar::Sampler(s) => {
                let elements = self.object.samplers[s].elements;
                (STATE_BYTES * u32::from(elements), STATE_BYTES)
            }
            InputVar::Surface(s) => {
                let elements = self.object.surfaces[s].elements;
                (STATE_BYTES * u32::from(elements), STATE_BYTES)
            }
        };
        if size != room {
            let name = name.clone();
            self.find(FindingKind::InputSize { name, size, room });
        }
        if input.implicit == PSEUDO_INPUT {
            return;
        }
        let file = MAX_GRFS * self.grf;
        let grf = self.grf;
        let place = if offset + size > file {
            Some((
                "end",
                offset + size,
                format!("the register file has {file} bytes"),
            ))
        } else if !offset.is_multiple_of(align) {
            Some((
                "offset",
                offset,
                format!("its type allows multiples of {align}"),
            ))
        } else if size < grf && offset / grf != (offset + size).saturating_sub(1) / grf {
            let allowed = format!("less than a register of {grf} bytes is to be in one");
            Some(("offset", offset, allowed))
        } else {
            None
        };
        if let Some((what, found, allowed)) = place {
            self.find(FindingKind::InputPlace {
                name,
                what,
                found,
                allowed,
            });
        }
    }

    /// Rule that inputs have no byte of the payload in common.
    fn overlaps(&mut self) {
        let object = self.object;
        let placed = object.inputs.iter().enumerate();
        let placed = placed.filter(|(_, input)| input.implicit != PSEUDO_INPUT);
        let mut inputs: Vec<_> = placed.collect();
        inputs.sort_by_key(|(_, input)| input.offset);
        for pair in inputs.windows(2) {
            let [(_, first), (number, second)] = *pair else {
                continue;
            };
            let end = u32::from(first.offset) + u32::from(first.size);
            let at = u32::from(second.offset);
            if end > at && second.size != 0 {
                let (name, other) = (self.input_name(first), self.input_name(second));
                self.subject = Subject::Input(number);
                self.find(FindingKind::InputOverlap { name, other, at });
            }
        }
    }
}
