//! Rules of messages: sizes of payloads, and fields of raw sends.

use cranelift_entity::EntityRef;

use super::{FindingKind, Verifier};
use crate::module::{Inst, Operand, Subject, Type, predefined};
use crate::opcode::{Meaning, Opcode};
use crate::shape::number;
use kiln_platform::platform::{Generation, Generations};

/// Maximum sizes of raw sends in GRFs: sent by `raw_send`, received by it, and each part of `raw_sends`.
const MAX_SENT_GRFS: u32 = 15;
const MAX_RECEIVED_GRFS: u32 = 16;
const MAX_SPLIT_GRFS: u32 = 31;

impl Verifier<'_> {
    pub(super) fn message(&mut self, inst: &Inst) {
        let row = inst.op.row();
        let amount = |meaning, nth| number(inst, meaning, nth).unwrap_or(0);
        match inst.op {
            Opcode::RawSend => {
                let op = inst.mnemonic();
                let sent = amount(Meaning::Amount, 0);
                self.sent(op, "NumSrc", sent, 1, MAX_SENT_GRFS);
                self.got(op, amount(Meaning::Amount, 1), MAX_RECEIVED_GRFS);
                self.descriptor(inst, 4);
            }
            Opcode::RawSends => {
                let op = inst.mnemonic();
                let grfs = |nth| amount(Meaning::MessageGrfs, nth);
                self.sent(op, "NumSrc0", grfs(0), 1, MAX_SPLIT_GRFS);
                self.sent(op, "NumSrc1", grfs(1), 0, MAX_SPLIT_GRFS);
                self.got(op, grfs(2), MAX_SPLIT_GRFS);
                self.descriptor(inst, 5);
                self.descriptor(inst, 6);
            }
            _ => {}
        }
        self.alignment(inst);
        if row.raw.is_empty() {
            return;
        }
        self.subject = Subject::Inst;
        self.channels(inst);
        self.function(inst);
        let raws = inst.operands.iter().zip(row.operands_of(inst)).enumerate();
        for (i, (operand, (_, raw))) in raws {
            let (var, offset, raw) = match (operand, raw) {
                (&Operand::Raw { var, offset }, Some(raw)) => (var, u32::from(offset), raw),
                (&Operand::General { var, row, col, .. }, Some(raw))
                    if self.object.vars.is_valid(var) =>
                {
                    let column = u32::from(col) * self.object.vars[var].ty.bytes();
                    (var, u32::from(row) * self.grf + column, raw)
                }
                _ => continue,
            };
            if var.as_u32() == predefined::NULL || !self.object.vars.is_valid(var) {
                continue;
            }
            let own = self.object.vars[var].ty.bytes();
            let Some(access) = raw.access(inst, Some(own), self.grf) else {
                continue;
            };
            let bytes = access.shape.extent(inst.exec.size, self.grf);
            let (root, end) = self.reach(var, offset.saturating_add(bytes));
            let size = root.room;
            if end > size {
                let (operand, name) = (i, self.object.vars[root.var].name.to_string());
                self.subject = Subject::Operand(i);
                self.find(FindingKind::Payload {
                    operand: self.written(operand),
                    name,
                    end,
                    size,
                });
            }
        }
    }

    /// Rule that the mask of a message is one that the platform names.
    fn channels(&mut self, inst: &Inst) {
        let Some(platform) = self.platform else {
            return;
        };
        let (first, step) = (inst.exec.offset, platform.channel_step());
        if !first.is_multiple_of(step) {
            self.find(FindingKind::MessageChannels {
                op: inst.mnemonic(),
                first,
                size: inst.exec.size,
                step,
                platform: platform.name(),
            });
        }
    }

    /// Rule of the shared function of a raw send. A descriptor in a register may name any.
    fn function(&mut self, inst: &Inst) {
        let Some(platform) = self.platform else {
            return;
        };
        let in_instruction = Generations::from(Generation::Tgllp).contains(platform);
        let function = match (inst.op, &inst.operands[..]) {
            (Opcode::RawSend, [_, Operand::Field(ex_desc), ..]) => *ex_desc,
            (Opcode::RawSends, [.., Operand::Field(function), _, _, _, _, _]) if in_instruction => {
                *function
            }
            (Opcode::RawSends, [.., Operand::Imm { bits, .. }, _, _, _, _]) if !in_instruction => {
                *bits as u32
            }
            _ => return,
        };
        let function = (function & 15) as u8;
        if !platform.has_function(function) {
            self.find(FindingKind::SharedFunction {
                op: inst.mnemonic(),
                function,
                platform: platform.name(),
            });
        }
    }

    /// Rule that a raw operand of a variable of a register or more begins at a register.
    fn alignment(&mut self, inst: &Inst) {
        for (operand, value) in inst.operands.iter().enumerate() {
            let Operand::Raw { var, offset } = *value else {
                continue;
            };
            if !self.object.vars.is_valid(var) || var.as_u32() == predefined::NULL {
                continue;
            }
            let root = self.roots[var.index()];
            let offset = root.offset + u32::from(offset);
            let decl = &self.object.vars[root.var];
            if decl.bytes() >= self.grf && !offset.is_multiple_of(self.grf) {
                let (name, grf) = (decl.name.to_string(), self.grf);
                self.subject = Subject::Operand(operand);
                self.find(FindingKind::RawAlign {
                    operand: self.written(operand),
                    name,
                    offset,
                    grf,
                });
            }
        }
        self.subject = Subject::Inst;
    }

    fn sent(&mut self, op: &'static str, what: &'static str, found: u32, least: u32, most: u32) {
        if !(least..=most).contains(&found) {
            self.find(FindingKind::SendSource {
                op,
                what,
                found,
                least,
                most,
            });
        }
    }

    fn got(&mut self, op: &'static str, found: u32, most: u32) {
        if found > most {
            self.find(FindingKind::SendDestination { op, found, most });
        }
    }

    fn descriptor(&mut self, inst: &Inst, operand: usize) {
        let ty = match inst.operands.get(operand) {
            Some(Operand::General { var, .. }) => self.object.vars.get(*var).map(|decl| decl.ty),
            Some(Operand::Imm { ty, .. } | Operand::Indirect { ty, .. }) => Some(*ty),
            _ => None,
        };
        if let Some(ty) = ty.filter(|ty| *ty != Type::Ud) {
            self.subject = Subject::Operand(operand);
            self.find(FindingKind::Descriptor {
                op: inst.mnemonic(),
                operand: self.written(operand),
                found: format!("of type {}", ty.name()),
            });
        }
    }
}
