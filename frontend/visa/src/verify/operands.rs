//! Rules of operands: each has a kind that the row allows, is in bounds, and has a legal region, type and modifier
//! ([`super::facts`]).

use std::ops::RangeInclusive;

use cranelift_entity::{EntityRef, EntitySet};
use smallvec::SmallVec;

use super::facts::{FLOATS, Facts, Map, Modifiers, Saturation, Types, operand_types, sizes};
use super::{FindingKind, Verifier};
use crate::lsc;
use crate::module::{
    Addr, ArrayDecl, Combine, Exec, Inst, Label, LabelKind, Modifier, Object, Operand, PredUse,
    Predicate, Region, Sampler, StateVar, Subject, Surface, Type, Var, predefined,
};
use crate::opcode::{
    Atomic, ChannelMask, Field, Kinds, Meaning, Opcode, Relation, SamplerOp, svm_block_bytes,
};
use crate::text::number::Positional;

/// Range of offsets of indirect accesses.
const INDIRECT_OFFSETS: RangeInclusive<i16> = -512..=511;

/// Bit set of 0 and the powers of two up to 32.
const POWERS: u64 = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 16 | 1 << 32;

/// `1, 2 and 4`.
fn listed(numbers: &[u8]) -> String {
    let names: Vec<String> = numbers.iter().map(u8::to_string).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

impl<'a> Verifier<'a> {
    pub(super) fn inst(&mut self, inst: &Inst) {
        let row = inst.op.row();
        let Exec { size, offset, .. } = inst.exec;
        self.subject = Subject::Exec;
        if !size.is_power_of_two() || size > 32 {
            self.find(FindingKind::ExecSize { size });
        } else if let Some(allowed) = sizes(inst.op, self.platform)
            && !allowed.contains(&size)
        {
            let (op, allowed) = (inst.mnemonic(), listed(&allowed));
            self.find(FindingKind::OpSize {
                op,
                found: size,
                allowed,
            });
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
        self.subject = Subject::Inst;
        if let Some(platform) = self.platform
            && !row.platforms.contains(platform)
        {
            let (op, platform) = (inst.mnemonic(), platform.name());
            self.find(FindingKind::Platform { op, platform });
        }
        if let Some(pred) = inst.pred {
            self.subject = Subject::Guard;
            if !row.has_pred {
                self.find(FindingKind::Predicated {
                    op: inst.mnemonic(),
                });
            }
            self.predicate(pred, inst.exec);
        }
        self.subject = Subject::Inst;
        let (found, expected) = (inst.operands.len(), row.operand_count_of(inst));
        if found < expected || (found > expected && !row.has_list()) {
            self.find(FindingKind::Count {
                op: inst.mnemonic(),
                found,
                expected,
            });
        }
        let fields = row.operands_of(inst).map(|(field, _)| field);
        for (i, (operand, field)) in inst.operands.iter().zip(fields).enumerate() {
            self.subject = Subject::Operand(i);
            self.operand(inst, i, field, operand);
        }
        self.types(inst);
        self.subject = Subject::Inst;
    }

    /// Number of an operand among those that text has after the mnemonic, from 0.
    pub(super) fn written(&self, operand: usize) -> usize {
        let Some(inst) = self.inst.map(|i| &self.object.insts[i]) else {
            return operand;
        };
        let is_written = |field: &Field| match field {
            Field::Number(_, meaning) => meaning.positional() != Positional::No,
            _ => true,
        };
        let fields = inst.op.row().text_fields();
        let fields = fields.filter(|(_, field)| is_written(field));
        for (written, (i, field)) in fields.enumerate() {
            if i == operand || field.is_list() && i < operand {
                return written + operand - i;
            }
        }
        operand
    }

    /// Type of an operand, if it has one. `%null` has none; other rules report a `bool` that is no predicate.
    pub(super) fn type_of(&self, operand: &Operand) -> Option<Type> {
        match *operand {
            Operand::General { var, .. } | Operand::Raw { var, .. } => {
                let decl = self.object.vars.get(var)?;
                (var.as_u32() != predefined::NULL).then_some(decl.ty)
            }
            Operand::Indirect { ty, .. } | Operand::Imm { ty, .. } => {
                (ty != Type::Bool).then_some(ty)
            }
            _ => None,
        }
    }

    /// Rules of the types of operands, each by itself and in combination.
    fn types(&mut self, inst: &Inst) {
        for &(operand, allowed) in operand_types(inst.op) {
            if let Some(value) = inst.operands.get(operand)
                && let Some(ty) = self.type_of(value).filter(|ty| !allowed.contains(*ty))
            {
                self.operand_type(inst.mnemonic(), operand, ty, allowed);
            }
        }
        if self.object.is_mixed_sum(inst) {
            self.subject = Subject::Inst;
            return self.find(FindingKind::MixedSum {
                op: inst.mnemonic(),
            });
        }
        if self.object.is_long_average(inst) {
            self.subject = Subject::Inst;
            return self.find(FindingKind::LongAverage {
                op: inst.mnemonic(),
            });
        }
        if let Some(facts) = Facts::of(inst.op)
            && !self.fits(inst, facts)
        {
            self.maps(inst, facts);
        }
    }

    /// Finding: operand `operand` is of type `ty`, which is not allowed.
    fn operand_type(&mut self, op: &'static str, operand: usize, ty: Type, allowed: Types) {
        self.subject = Subject::Operand(operand);
        self.find(FindingKind::OperandType {
            op,
            operand: self.written(operand),
            ty,
            allowed: allowed.to_string(),
        });
    }

    /// True if one of the instruction's maps has all types of its destinations and sources on the platform.
    /// [`Self::maps`] then has no finding.
    fn fits(&self, inst: &Inst, facts: &Facts) -> bool {
        let (mut dst, mut src) = (Types::NONE, Types::NONE);
        for (field, operand) in inst.op.row().operands.iter().zip(&inst.operands) {
            let of = match field {
                Field::Dst(_) => &mut dst,
                Field::Src(_) => &mut src,
                _ => continue,
            };
            *of = of.or(self.type_of(operand).map_or(Types::NONE, Types::one));
        }
        facts.have(dst, src, self.platform)
    }

    /// Checks the types of destinations and sources against the maps of the instruction.
    #[cold]
    fn maps(&mut self, inst: &Inst, facts: &Facts) {
        let op = inst.mnemonic();
        let fields = inst.op.row().operand_fields();
        let fields = fields.zip(&inst.operands).enumerate();
        let typed = |verifier: &Self, is: fn(Field) -> bool| {
            let of = fields.clone().filter(|(_, (field, _))| is(*field));
            of.filter_map(|(i, (_, operand))| Some((i, verifier.type_of(operand)?)))
                .collect::<SmallVec<[_; 4]>>()
        };
        let destinations = typed(self, |field| matches!(field, Field::Dst(_)));
        let sources = typed(self, |field| matches!(field, Field::Src(_)));
        for &(operand, dst) in &destinations {
            let maps = facts.maps.iter().filter(|map| map.dst.contains(dst));
            if maps.clone().next().is_none() {
                let allowed = facts.maps.iter().map(|map| map.dst);
                let allowed = allowed.reduce(Types::or).unwrap_or(Types::NONE);
                self.operand_type(op, operand, dst, allowed);
                continue;
            }
            self.sources(op, (operand, dst), "destination", &sources, maps);
        }
        // Without a destination that has a type, the sources must fit each other.
        if let (true, Some(&(operand, ty))) = (destinations.is_empty(), sources.first()) {
            let maps = facts.maps.iter().filter(|map| map.src.contains(ty));
            if maps.clone().next().is_none() {
                let allowed = facts.maps.iter().map(|map| map.src);
                let allowed = allowed.reduce(Types::or).unwrap_or(Types::NONE);
                return self.operand_type(op, operand, ty, allowed);
            }
            self.sources(op, (operand, ty), "source", &sources, maps);
        }
    }

    /// Checks that the types of the sources fit that of operand `other`, a destination or source as `is` says, on
    /// the platform.
    fn sources<'m>(
        &mut self,
        op: &'static str,
        (other, other_type): (usize, Type),
        is: &'static str,
        sources: &[(usize, Type)],
        maps: impl Iterator<Item = &'m Map> + Clone,
    ) {
        let here = |map: &&Map| self.platform.is_none_or(|on| map.on.contains(on));
        let maps_here = maps.filter(here);
        if let Some(platform) = self.platform
            && maps_here.clone().next().is_none()
        {
            self.subject = Subject::Operand(other);
            return self.find(FindingKind::PlatformType {
                op,
                operand: self.written(other),
                ty: other_type,
                platform: platform.name(),
            });
        }
        let fits = |map: &Map| sources.iter().all(|(_, ty)| map.src.contains(*ty));
        if maps_here.clone().any(fits) {
            return;
        }
        let all = maps_here.map(|map| map.src).reduce(Types::or);
        let Some(allowed) = all else {
            return;
        };
        let wrong = sources.iter().find(|(_, ty)| !allowed.contains(*ty));
        let Some(&(operand, ty)) = wrong.or(sources.last()) else {
            return;
        };
        self.subject = Subject::Operand(operand);
        self.find(FindingKind::TypeMix {
            op,
            operand: self.written(operand),
            ty,
            beside: format!("a {is} of type {}", other_type.name()),
            allowed: allowed.to_string(),
        });
    }

    /// Rules of one operand by itself.
    fn operand(&mut self, inst: &Inst, i: usize, field: Field, operand: &Operand) {
        if !fits_field(field, operand) {
            let found = described(operand);
            return self.find(FindingKind::Kind {
                op: inst.mnemonic(),
                operand: self.written(i),
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
                let origin = (row, col);
                let access = Access {
                    var,
                    origin,
                    region,
                    modifier,
                };
                self.general(inst, i, field, access);
            }
            Operand::Indirect {
                addr,
                off,
                imm,
                region,
                modifier,
                ..
            } => {
                if modifier != Modifier::None {
                    self.modifier(inst, i, is_dst, modifier);
                }
                if !INDIRECT_OFFSETS.contains(&imm) {
                    let (operand, found) = (self.written(i), imm);
                    self.find(FindingKind::IndirectOffset { operand, found });
                }
                self.region(i, is_dst, inst.exec.size, region);
                self.address(i, addr, u32::from(off) + 1);
            }
            Operand::Address { addr, off, width } => {
                self.address(i, addr, u32::from(off) + u32::from(width));
            }
            Operand::AddressOf { var, offset } => {
                if self.exists(var) {
                    self.end(i, var, offset.into());
                }
            }
            Operand::Predicate(pred) => {
                if pred.inverse || pred.combine != Combine::None {
                    self.find(FindingKind::Modifier {
                        operand: self.written(i),
                    });
                }
                self.predicate(pred, inst.exec);
            }
            Operand::Imm { ty, bits } => {
                if ty == Type::Bool || Operand::imm(ty, bits) != *operand {
                    self.find(FindingKind::Immediate {
                        operand: self.written(i),
                        ty,
                        bits,
                    });
                }
            }
            Operand::State { of, off } => {
                // Other instructions take the address of one element.
                let count = match inst.op {
                    Opcode::Movs => inst.exec.size,
                    _ => 1,
                };
                let decl = match of {
                    StateVar::Surface(surface) => self.surface(surface),
                    StateVar::Sampler(sampler) => self.sampler(sampler),
                };
                if let Some(decl) = decl {
                    self.element(i, decl, u32::from(off) + u32::from(count));
                }
            }
            Operand::Raw { var, offset } => {
                if self.exists(var) {
                    let bytes = u32::from(var.as_u32() != predefined::NULL);
                    self.end(i, var, u32::from(offset) + bytes);
                }
            }
            Operand::Surface(surface) => {
                self.surface(surface);
            }
            Operand::Sampler(sampler) => {
                self.sampler(sampler);
            }
            Operand::Label(label) => self.label(inst.op, label),
            Operand::Field(n) => {
                if let Field::Number(_, meaning) = field {
                    self.number(inst, meaning, n);
                }
            }
            Operand::Name(_) => {}
        }
    }

    /// Rules of a direct access of a general variable.
    fn general(&mut self, inst: &Inst, i: usize, field: Field, access: Access) {
        let Access {
            var,
            origin,
            region,
            modifier,
        } = access;
        let is_dst = matches!(field, Field::Dst(_));
        if modifier != Modifier::None {
            self.modifier(inst, i, is_dst, modifier);
        }
        if field == Field::SrcBlock {
            self.exists(var);
            return;
        }
        if region.v.is_none() {
            return self.find(FindingKind::MultiAddress {
                operand: self.written(i),
            });
        }
        let size = inst.exec.size;
        if !self.exists(var) || !self.region(i, is_dst, size, region) {
            return;
        }
        if is_dst && is_read_only(var) {
            let name = self.object.vars[var].name.to_string();
            self.find(FindingKind::ReadOnly {
                operand: self.written(i),
                name,
            });
        }
        let ty = self.object.vars[var].ty;
        let mut end = access_end(origin, region, size, is_dst, ty, self.grf);
        let row = inst.op.row();
        if is_dst && row.parts > 1 {
            end += row.part_stride(size, ty.bytes(), self.grf) * (row.parts - 1);
        }
        self.end(i, var, end);
    }

    pub(super) fn missing(&mut self, what: &'static str, number: usize) {
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
        if has_bits(self.object, pred, exec) {
            return;
        }
        let Some(decl) = (self.object.predicates.get(pred)).filter(|_| pred.index() != 0) else {
            return self.missing("predicate", pred.index());
        };
        let (first, size) = (exec.offset, exec.size);
        let need = u32::from(first) + u32::from(size);
        let (name, elements) = (decl.name.to_string(), decl.elements);
        let object = self.object;
        let operands = self.operands.get_or_init(|| predicates(object));
        self.find(match operands.contains(pred) {
            false => FindingKind::PredicateUnwritten {
                name,
                elements,
                need,
            },
            true => FindingKind::PredicateWidth {
                name,
                elements,
                first,
                size,
            },
        });
    }

    fn surface(&mut self, surface: Surface) -> Option<&'a ArrayDecl> {
        let decl = self.object.surfaces.get(surface);
        if decl.is_none() {
            self.missing("surface", surface.index());
        }
        decl
    }

    fn sampler(&mut self, sampler: Sampler) -> Option<&'a ArrayDecl> {
        let decl = self.object.samplers.get(sampler);
        if decl.is_none() && sampler.as_u32() != predefined::BINDLESS_SAMPLER {
            self.missing("sampler", sampler.index());
        }
        decl
    }

    /// Checks that an access of an address variable up to element `end` is in it.
    fn address(&mut self, operand: usize, addr: Addr, end: u32) {
        match self.object.addrs.get(addr) {
            Some(decl) => self.element(operand, decl, end),
            None => self.missing("address variable", addr.index()),
        }
    }

    fn label(&mut self, op: Opcode, label: Label) {
        let Some(decl) = self.object.labels.get(label) else {
            return self.missing("label", label.index());
        };
        let expected = match op {
            Opcode::Call if decl.kind == LabelKind::Kernel => return,
            Opcode::Call | Opcode::Subroutine => LabelKind::Subroutine,
            _ => LabelKind::Block,
        };
        if decl.kind != expected {
            let (name, op, found) = (decl.name.to_string(), op.row().mnemonic, decl.kind);
            self.find(FindingKind::LabelKind { name, op, found });
        }
    }

    /// Checks that an operand may have its modifier, which is not `None`.
    fn modifier(&mut self, inst: &Inst, operand: usize, is_dst: bool, modifier: Modifier) {
        let fits = match modifier {
            Modifier::Sat => is_dst,
            _ => !is_dst,
        };
        if !fits {
            return self.find(FindingKind::Modifier { operand });
        }
        let Some(facts) = Facts::of(inst.op) else {
            return;
        };
        let of_number = matches!(modifier, Modifier::Neg | Modifier::Abs | Modifier::NegAbs);
        if matches!(inst.op, Opcode::Rol | Opcode::Ror) && of_number {
            return self.find(FindingKind::ModifiedRotation {
                op: inst.mnemonic(),
                operand: self.written(operand),
                found: modifier.text(),
            });
        }
        let float = |ty: Type| FLOATS.contains(ty);
        let ty = inst.operands.get(operand).and_then(|o| self.type_of(o));
        let (fits, allowed) = match (modifier, facts.modifiers) {
            (Modifier::Sat, _) => match facts.saturation {
                Saturation::Yes => (true, ""),
                Saturation::Float => (ty.is_none_or(float), "none but of a float"),
                Saturation::No => (false, "none"),
            },
            (Modifier::Not, Modifiers::Logic) => (true, ""),
            (Modifier::Neg | Modifier::Abs | Modifier::NegAbs, Modifiers::Arith) => (true, ""),
            (_, Modifiers::Logic) => (false, Modifier::Not.text()),
            (_, Modifiers::Arith) => (false, "(-), (abs) or (-abs)"),
            (_, Modifiers::No) => (false, "none"),
        };
        if !fits {
            let found = match modifier {
                Modifier::Sat => ".sat",
                modifier => modifier.text(),
            };
            self.find(FindingKind::ModifierKind {
                op: inst.mnemonic(),
                operand: self.written(operand),
                found,
                allowed,
            });
        }
    }

    fn region(&mut self, operand: usize, is_dst: bool, size: u8, region: Region) -> bool {
        let Some(fault) = region_fault(is_dst, size, region) else {
            return true;
        };
        self.find(match fault {
            RegionFault::MultiAddress => FindingKind::MultiAddress { operand },
            RegionFault::Width(width) => FindingKind::RegionWidth {
                operand: self.written(operand),
                width,
                size,
            },
            RegionFault::Part(part, found, allowed) => FindingKind::Region {
                operand: self.written(operand),
                part,
                found,
                allowed,
            },
        });
        false
    }

    /// Checks that an access of a variable up to byte `end` is in its root.
    fn end(&mut self, operand: usize, var: Var, end: u32) {
        let (root, end) = self.reach(var, end);
        let size = root.room;
        let unused = is_unused(root.var.index());
        if end > size && !unused {
            let name = self.object.vars[root.var].name.to_string();
            self.find(FindingKind::End {
                operand: self.written(operand),
                name,
                end,
                size,
            });
        }
        if unused {
            self.missing("variable", root.var.index());
        }
    }

    fn element(&mut self, operand: usize, decl: &ArrayDecl, end: u32) {
        let size = u32::from(decl.elements);
        if end > size {
            self.find(FindingKind::Element {
                operand: self.written(operand),
                name: decl.name.to_string(),
                end,
                size,
            });
        }
    }

    fn number(&mut self, inst: &Inst, meaning: Meaning, n: u32) {
        let (what, known) = match meaning {
            Meaning::Relation => ("a relation", Relation::from_number(n).is_some()),
            Meaning::MinMax => ("whether it is `min` or `max`", n < 2),
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
            Meaning::Lifetime => (
                "the class of a variable and an end of its life",
                n & !0x31 == 0 && n >> 4 < 3,
            ),
            Meaning::SamplerOp => (
                "an operation of the sampler",
                SamplerOp::from_number(n).is_some() && inst.is_of_family(),
            ),
            Meaning::Barrier => ("whether it waits or signals", n < 3),
            Meaning::CallFlags => ("what is known of a call", n < 4),
            Meaning::LscElements => ("a count of elements", lsc::are_elements(inst, n)),
            Meaning::LscOp => ("the operation of this LSC message", lsc::is_of_row(inst, n)),
            meaning => ("a number of an LSC message", lsc::is_known(meaning, n)),
        };
        if !known {
            self.find(FindingKind::Number { what, found: n });
        }
    }
}

/// Direct access of a general variable, as [`Operand::General`] has it.
struct Access {
    var: Var,
    /// Row and column of the first element.
    origin: (u8, u8),
    region: Region,
    modifier: Modifier,
}

/// True if the operand is of a kind that the field allows.
fn fits_field(field: Field, operand: &Operand) -> bool {
    match (field, operand) {
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
    }
}

/// Fault of a region.
pub(super) enum RegionFault {
    MultiAddress,
    /// Width of the region, which is above the execution size.
    Width(u8),
    /// Name of a part, its value, and the allowed values.
    Part(&'static str, u8, &'static str),
}

#[inline]
pub(super) fn region_fault(is_dst: bool, size: u8, region: Region) -> Option<RegionFault> {
    let Region { v, w, h } = region;
    let power = |n: u8, most: u8| n <= most && POWERS >> n & 1 != 0;
    let strides = "0, 1, 2 and 4";
    let (part, found, allowed) = match (is_dst, v) {
        (true, None) => return Some(RegionFault::MultiAddress),
        (true, _) if !matches!(h, 1 | 2 | 4) => ("horizontal stride", h, "1, 2 and 4"),
        (true, _) if region != Region::dst(h) => ("width", w, "1"),
        (false, Some(v)) if !power(v, 32) => ("vertical stride", v, "0, 1, 2, 4, 8, 16 and 32"),
        (false, _) if w == 0 || !power(w, 16) => ("width", w, "1, 2, 4, 8 and 16"),
        (false, _) if !power(h, 4) => ("horizontal stride", h, strides),
        (false, _) if w > size => return Some(RegionFault::Width(w)),
        _ => return None,
    };
    Some(RegionFault::Part(part, found, allowed))
}

/// End of an access of a variable with elements of type `ty`, in bytes from the variable's start.
#[inline]
pub(super) fn access_end(
    (row, col): (u8, u8),
    region: Region,
    size: u8,
    is_dst: bool,
    ty: Type,
    grf: u32,
) -> u32 {
    let start = u32::from(row) * grf + u32::from(col) * ty.bytes();
    start + (last_element(region, size, is_dst) + 1) * ty.bytes()
}

/// True if the predicate exists and has a bit for each channel.
pub(super) fn has_bits(object: &Object, pred: Predicate, exec: Exec) -> bool {
    let need = u32::from(exec.offset) + u32::from(exec.size);
    let decl = object.predicates.get(pred).filter(|_| pred.index() != 0);
    decl.is_some_and(|decl| need <= decl.elements.into())
}

/// True if only the hardware writes the variable.
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

/// Predicates that are operands of instructions. All others are only read, as guards.
fn predicates(object: &Object) -> EntitySet<Predicate> {
    let operands = object.insts.iter().flat_map(|inst| &inst.operands);
    let named = operands.filter_map(|operand| match operand {
        Operand::Predicate(named) => Some(named.pred),
        _ => None,
    });
    let mut set = EntitySet::new();
    set.extend(named);
    set
}

pub(super) fn predicate_name(object: &Object, pred: Predicate) -> String {
    let decl = object.predicates.get(pred);
    decl.map_or_else(String::new, |decl| decl.name.to_string())
}

/// True if the number is reserved for predefined variables but unused.
pub(super) fn is_unused(number: usize) -> bool {
    (predefined::VARS.len()..predefined::VAR_COUNT).contains(&number)
}

/// Distance in elements from the first to the last that `size` channels access.
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

#[cfg(test)]
#[path = "tests/operands.rs"]
mod tests;
