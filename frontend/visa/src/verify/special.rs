//! Rules of single instructions that are in no table.

use super::decls::ADDRESS_REGISTERS;
use super::operands::is_unused;
use super::{FindingKind, Verifier};
use crate::module::{Inst, Modifier, Operand, StateVar, Subject, Type, predefined};
use crate::opcode::{Field, LATER, Meaning, Opcode, PRECISIONS as NAMES};
use kiln_platform::platform::{Generation, Generations};

/// Maximum number of labels of a `switchjmp`.
const MAX_LABELS: usize = 32;
/// Depth of all systolic arrays.
const SYSTOLIC_DEPTH: u32 = 8;

/// Number of an operand, its description, minimum and maximum.
type Range = (usize, &'static str, u64, u64);

/// Ranges of numbers among an instruction's operands.
fn ranges(op: Opcode) -> &'static [Range] {
    match op {
        Opcode::MediaLd | Opcode::MediaSt => &[(2, "the plane", 0, 3)],
        Opcode::UrbWrite => &[
            (0, "the count of outputs", 1, 8),
            (2, "the global offset", 0, 2047),
        ],
        Opcode::RawSends => &[(4, "the function unit", 0, 15)],
        Opcode::RawSendg => &[(1, "the function unit", 0, 15)],
        Opcode::VmeIme => &[
            (0, "the stream mode", 0, 3),
            (1, "the search control", 0, 3),
        ],
        Opcode::VmeFbr => &[(3, "the mode of the macroblock", 0, 3)],
        Opcode::Nbarrier => &[
            (1, "the barrier", 0, 31),
            (2, "the type of the barrier", 0, 2),
        ],
        Opcode::Avs => &[
            (10, "the output format", 0, 3),
            (12, "the execution mode", 0, 3),
        ],
        _ => &[],
    }
}

/// Precision of `dpas`: its number, and the types of the accumulator.
struct Precision {
    number: u32,
    accumulated: &'static [Type],
    /// Precisions that the other source may have.
    partners: &'static [u32],
    /// Platforms that multiply it.
    on: Generations,
}

const INT_PRECISIONS: &[u32] = &[1, 2, 3, 4, 5, 6, 7, 8];
const fn int(number: u32) -> Precision {
    let accumulated = &[Type::Ud, Type::D];
    Precision {
        number,
        accumulated,
        partners: INT_PRECISIONS,
        on: XEHP_ON,
    }
}
const fn float(
    number: u32,
    accumulated: &'static [Type],
    partners: &'static [u32],
    on: Generations,
) -> Precision {
    Precision {
        number,
        accumulated,
        partners,
        on,
    }
}

const XEHP_ON: Generations = Generations::from(Generation::XeHp);
const PVC_ON: Generations = Generations::from(Generation::Pvc);

/// Precisions by the numbers of [`crate::opcode::PRECISIONS`]. `bf` was a word in older modules.
const PRECISIONS: &[Precision] = &[
    int(1),
    int(2),
    int(3),
    int(4),
    int(5),
    int(6),
    int(7),
    int(8),
    float(9, &[Type::F, Type::Bf, Type::W, Type::Uw], &[9], XEHP_ON),
    float(10, &[Type::F, Type::Hf], &[10], XEHP_ON),
    float(11, &[Type::F, Type::Bf], &[11, 14], PVC_ON),
    float(12, &[Type::F], &[12], PVC_ON),
    float(14, &[Type::F, Type::Bf], &[11, 14], LATER),
    float(15, &[Type::F, Type::Bf], &[15], LATER),
];

impl Verifier<'_> {
    /// Rule of `lifetime`, whose variable is a number and a class, not an operand.
    fn lifetime(&mut self, inst: &Inst) {
        let &[Operand::Field(lifetime), Operand::Field(number)] = &inst.operands[..] else {
            return;
        };
        let (object, number) = (self.object, number as usize);
        let (what, exists) = match lifetime >> 4 & 3 {
            1 => ("address variable", number < object.addrs.len()),
            2 => ("predicate", (1..object.predicates.len()).contains(&number)),
            _ => ("variable", number < object.vars.len() && !is_unused(number)),
        };
        if !exists {
            self.subject = Subject::Operand(1);
            self.find(FindingKind::Missing { what, number });
        }
    }

    pub(super) fn special(&mut self, inst: &Inst) {
        for &(operand, what, least, most) in ranges(inst.op) {
            let found = match inst.operands.get(operand) {
                Some(Operand::Field(n)) => u64::from(*n),
                Some(Operand::Imm { bits, .. }) => *bits,
                _ => continue,
            };
            if !(least..=most).contains(&found) {
                self.subject = Subject::Operand(operand);
                self.find(FindingKind::Range {
                    what,
                    found,
                    least,
                    most,
                });
            }
        }
        self.subject = Subject::Inst;
        match inst.op {
            Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not => self.predicate_logic(inst),
            Opcode::Mov => self.predicate_move(inst),
            Opcode::Movs => self.state_move(inst),
            Opcode::Sel if inst.pred.is_none() => {
                let op = inst.mnemonic();
                self.find(FindingKind::Unpredicated { op });
            }
            Opcode::Lifetime => self.lifetime(inst),
            Opcode::AddrAdd => self.address_of(inst),
            Opcode::SwitchJmp => {
                let labels = inst.operands.iter();
                let found = labels.filter(|o| matches!(o, Operand::Label(_))).count();
                if !(1..=MAX_LABELS).contains(&found) {
                    self.find(FindingKind::Labels { found });
                }
            }
            Opcode::Srnd if !inst.exec.no_mask => {
                self.subject = Subject::Exec;
                let op = inst.mnemonic();
                self.find(FindingKind::NoMaskOnly { op });
            }
            Opcode::Fcvt => {
                let dst = inst.operands.first().and_then(|o| self.type_of(o));
                if matches!(dst, Some(Type::Ub | Type::B)) && !inst.exec.no_mask {
                    self.subject = Subject::Exec;
                    let op = inst.mnemonic();
                    self.find(FindingKind::NoMaskOnly { op });
                }
            }
            Opcode::Dpas | Opcode::Dpasw | Opcode::Bdpas => self.dpas(inst),
            _ => {}
        }
        self.subject = Subject::Inst;
    }

    fn predicate_logic(&mut self, inst: &Inst) {
        let is = |o: &Operand| matches!(o, Operand::Predicate(_));
        if !inst.operands.iter().any(is) {
            return;
        }
        let op = inst.mnemonic();
        if let Some(other) = inst.operands.iter().position(|o| !is(o)) {
            self.subject = Subject::Operand(other);
            let found = "another operand";
            self.find(FindingKind::PredicateLogic { op, found });
        }
        if inst.pred.is_some() {
            self.subject = Subject::Guard;
            let found = "a guard";
            self.find(FindingKind::PredicateLogic { op, found });
        }
    }

    fn predicate_move(&mut self, inst: &Inst) {
        let [dst, Operand::Predicate(source)] = inst.operands.as_slice() else {
            return;
        };
        if inst.exec.size != 1 {
            self.subject = Subject::Exec;
            self.find(FindingKind::PredicateMove {
                found: format!("an execution size of {}", inst.exec.size),
                allowed: "1",
            });
        }
        if inst.pred.is_some() {
            self.subject = Subject::Guard;
            self.find(FindingKind::PredicateMove {
                found: "a guard".to_owned(),
                allowed: "none",
            });
        }
        let Some(ty) = self.type_of(dst) else {
            return;
        };
        self.subject = Subject::Operand(0);
        let bits = self.object.predicates.get(source.pred);
        let bits = bits.map_or(0, |decl| u32::from(decl.elements));
        let integer = matches!(
            ty,
            Type::Ub | Type::B | Type::Uw | Type::W | Type::Ud | Type::D
        );
        if !integer || ty.bytes() * 8 < bits {
            self.find(FindingKind::PredicateMove {
                found: format!("a destination of type {}", ty.name()),
                allowed: "an integer of 8, 16 or 32 bits that has room for the predicate",
            });
        }
        let saturated = matches!(
            dst,
            Operand::General { modifier, .. } | Operand::Indirect { modifier, .. }
                if *modifier == Modifier::Sat
        );
        if saturated {
            self.find(FindingKind::PredicateMove {
                found: "saturation".to_owned(),
                allowed: "none",
            });
        }
    }

    fn state_move(&mut self, inst: &Inst) {
        let kind = |operand: &Operand| match operand {
            Operand::State {
                of: StateVar::Surface(_),
                ..
            } => Some(true),
            Operand::State { .. } => Some(false),
            _ => None,
        };
        let [dst, src] = inst.operands.as_slice() else {
            return;
        };
        let found = match (kind(dst), kind(src)) {
            (None, None) => "no state",
            (Some(a), Some(b)) if a != b => "a surface to a sampler, or a sampler to a surface",
            _ => return,
        };
        self.find(FindingKind::StateMove { found });
    }

    /// Rules of `addr_add`: the variable whose address is taken, and the bounds of the address register.
    fn address_of(&mut self, inst: &Inst) {
        let predefined_name = match inst.operands.get(1) {
            Some(Operand::AddressOf { var, .. }) => {
                let allowed = [predefined::ARG, predefined::RETVAL].contains(&var.as_u32());
                let name = predefined::VARS
                    .get(var.as_u32() as usize)
                    .map(|(n, ..)| *n);
                name.filter(|_| !allowed)
            }
            Some(Operand::State {
                of: StateVar::Surface(surface),
                ..
            }) => predefined::SURFACES.get(surface.as_u32() as usize).copied(),
            _ => None,
        };
        if let Some(name) = predefined_name {
            self.subject = Subject::Operand(1);
            let name = name.to_owned();
            self.find(FindingKind::AddressOf { name });
        }
        if let Some(Operand::Address { addr, off, .. }) = inst.operands.first()
            && let Some(name) = self
                .object
                .addrs
                .get(*addr)
                .map(|decl| decl.name.to_string())
        {
            let (end, size) = (
                u32::from(*off) + u32::from(inst.exec.size),
                ADDRESS_REGISTERS,
            );
            if end > size {
                let operand = 0;
                self.subject = Subject::Operand(operand);
                self.find(FindingKind::Element {
                    operand: self.written(operand),
                    name,
                    end,
                    size,
                });
            }
        }
    }

    fn dpas(&mut self, inst: &Inst) {
        let op = inst.mnemonic();
        let fields = inst.op.row().operand_fields();
        let systolic = |f| matches!(f, Field::Number(_, Meaning::Systolic));
        let at = fields.clone().position(systolic);
        let Some(Operand::Field(n)) = at.and_then(|i| inst.operands.get(i)) else {
            return;
        };
        let [activation, weight, depth, repeat] = n.to_le_bytes().map(u32::from);
        let shape = [
            ("depth", depth, depth == SYSTOLIC_DEPTH, "8"),
            ("repeat count", repeat, (1..=8).contains(&repeat), "1 to 8"),
        ];
        for (what, found, _, allowed) in shape.into_iter().filter(|(.., fits, _)| !fits) {
            self.find(FindingKind::DpasShape {
                op,
                what,
                found,
                allowed,
            });
        }
        if inst.pred.is_some() {
            self.subject = Subject::Guard;
            self.find(FindingKind::DpasTypes {
                op,
                found: "a guard".to_owned(),
                allowed: "none",
            });
        }
        let name = |number: u32| {
            let found = NAMES.iter().find(|(_, n)| *n == number);
            found.map_or_else(|| number.to_string(), |(name, _)| (*name).to_owned())
        };
        let precision = PRECISIONS.iter().find(|p| p.number == weight);
        if let Some(platform) = self.platform {
            let lacking = |of: &&Precision| {
                [weight, activation].contains(&of.number) && !of.on.contains(platform)
            };
            if let Some(lacking) = PRECISIONS.iter().find(lacking) {
                self.subject = Subject::Inst;
                return self.find(FindingKind::PlatformPrecision {
                    op,
                    precision: name(lacking.number),
                    platform: platform.name(),
                });
            }
        }
        let Some(precision) = precision.filter(|p| p.partners.contains(&activation)) else {
            self.subject = Subject::Inst;
            let found = format!("the precisions {} and {}", name(weight), name(activation));
            return self.find(FindingKind::DpasTypes {
                op,
                found,
                allowed: "two integers, two times bf, hf or tf32, or two of bf8 and hf8",
            });
        };
        for operand in 0..2 {
            if let Some(ty) = inst.operands.get(operand).and_then(|o| self.type_of(o))
                && !precision.accumulated.contains(&ty)
            {
                self.subject = Subject::Operand(operand);
                self.find(FindingKind::DpasTypes {
                    op,
                    found: format!(
                        "an operand of type {} with the precision {}",
                        ty.name(),
                        name(weight)
                    ),
                    allowed: "d or ud with integers, f with all others, bf with bf, hf with hf",
                });
            }
        }
    }
}
