//! The rules of messages: how much they move, and what raw sends may say.

use cranelift_entity::EntityRef;

use super::{FindingKind, Verifier};
use crate::module::{Inst, Operand, Subject, Type, predefined};
use crate::opcode::{Atomic, ChannelMask, LscOp, Meaning, Opcode, Row, svm_block_bytes};

/// What raw sends move at most, in GRFs: of `raw_send`, of each part of `raw_sends`.
const SENT: u32 = 15;
const GOT: u32 = 16;
const SPLIT: u32 = 31;

/// The number that the row's first field of that meaning has.
fn number(row: &Row, inst: &Inst, meaning: Meaning, nth: usize) -> u32 {
    let is =
        |f: &crate::opcode::Field| matches!(f, crate::opcode::Field::Number(_, m) if *m == meaning);
    let mut found = row.operand_fields().enumerate().filter(|(_, f)| is(f));
    match found.nth(nth).and_then(|(i, _)| inst.operands.get(i)) {
        Some(Operand::Field(n)) => *n,
        _ => 0,
    }
}

/// The bytes that each raw operand of the message has, in their order; fewer if not all are known.
fn payloads(inst: &Inst, grf: u32) -> Vec<u32> {
    let row = inst.op.row();
    let n = |meaning| number(row, inst, meaning, 0);
    let size = u32::from(inst.exec.size);
    let owords = |n: u32| 16 << (n & 7);
    let channels = || ChannelMask::from_number(n(Meaning::Channels)).map_or(0, ChannelMask::count);
    match inst.op {
        Opcode::OwordLd | Opcode::OwordSt | Opcode::OwordLdUnaligned => {
            vec![owords(n(Meaning::Owords))]
        }
        Opcode::SvmBlockLd | Opcode::SvmBlockSt => vec![owords(n(Meaning::SvmOwords))],
        // The count of blocks is a power of two; up to four bytes stand in a dword.
        Opcode::SvmGather | Opcode::SvmScatter => {
            let blocks = 1 << (n(Meaning::BlockCount) & 3);
            let data = match svm_block_bytes(n(Meaning::SvmBlockSize)) {
                Some(1) => 4 * u32::div_ceil(blocks, 4),
                bytes => bytes.unwrap_or(0) * blocks,
            };
            vec![8 * size, data * size]
        }
        Opcode::SvmGather4Scaled | Opcode::SvmScatter4Scaled => {
            vec![8 * size, 4 * channels() * size]
        }
        Opcode::Gather4Scaled | Opcode::Scatter4Scaled => vec![4 * size, 4 * channels() * size],
        Opcode::GatherScaled | Opcode::ScatterScaled => vec![4 * size, 4 * size],
        Opcode::DwordAtomic => vec![4 * size, 4 * size, 4 * size, 4 * size],
        Opcode::TypedAtomic => vec![4 * size; 7],
        Opcode::Gather | Opcode::Scatter => vec![4 * size, 4 * size],
        // Each channel of data begins a register.
        Opcode::Gather4Typed | Opcode::Scatter4Typed => {
            let data = channels() * (4 * size).max(grf);
            vec![4 * size, 4 * size, 4 * size, 4 * size, data]
        }
        Opcode::QwGather | Opcode::QwScatter => {
            let blocks = 1 << (n(Meaning::BlockCount) & 3);
            vec![4 * size, 8 * size * blocks]
        }
        // A row of a block takes a power of two of bytes.
        Opcode::MediaLd | Opcode::MediaSt => {
            let row = n(Meaning::PairFirst).next_power_of_two().max(4);
            vec![row.saturating_mul(n(Meaning::PairSecond))]
        }
        Opcode::SampleUnorm => vec![64 * (n(Meaning::SampleFormat) & 0xf).count_ones()],
        Opcode::Sample3d | Opcode::Load3d | Opcode::Gather4Sampler => sampled(inst, size),
        Opcode::VmeIme => {
            let streams = n(Meaning::PairFirst) != 0;
            let dual = n(Meaning::PairSecond) == 3;
            let (input, output) = match (streams, dual) {
                (false, _) => (64, 224),
                (true, false) => (128, 288),
                (true, true) => (192, 352),
            };
            vec![128, input, 4, 4, 32, output]
        }
        Opcode::VmeSic | Opcode::VmeFbr => vec![128, 128, 224],
        Opcode::VmeIdm => vec![128, 32, 512],
        Opcode::SvmAtomic => {
            let bits = Atomic::from_number(n(Meaning::Atomic)).map_or(32, |atomic| atomic.bits);
            // Elements of 16 bits have a dword each.
            let element = u32::from(bits).max(32) / 8 * size;
            vec![8 * size, element, element, element]
        }
        Opcode::RawSend => {
            let amount = |nth| number(row, inst, Meaning::Amount, nth);
            vec![amount(0) * grf, amount(1) * grf]
        }
        Opcode::RawSends => {
            let amount = |nth| number(row, inst, Meaning::MessageGrfs, nth);
            vec![amount(0) * grf, amount(1) * grf, amount(2) * grf]
        }
        Opcode::LscUntyped => lsc(inst, size),
        _ => Vec::new(),
    }
}

/// Of a message of the sampler: the destination, which has a part for each enabled channel of the
/// result, then the parameters. Half floats and words take half a dword, but not less than the
/// parameter's own type says; counted is what every type needs.
fn sampled(inst: &Inst, size: u32) -> Vec<u32> {
    let row = inst.op.row();
    let parts = match inst.op {
        Opcode::Gather4Sampler => 4,
        _ => ChannelMask::from_number(number(row, inst, Meaning::Channels, 0))
            .map_or(0, ChannelMask::count),
    };
    let mut bytes = vec![2 * size; inst.operands.len()];
    bytes[0] = parts * 2 * size;
    bytes
}

/// Of an LSC message: destination, addresses, data, data.
fn lsc(inst: &Inst, size: u32) -> Vec<u32> {
    let row = inst.op.row();
    let n = |meaning| number(row, inst, meaning, 0);
    let element = match n(Meaning::LscDataSize) {
        1 => 1,
        2 => 2,
        4 => 8,
        _ => 4,
    };
    let op = n(Meaning::LscOp);
    let count = if LscOp::has_channels(op) {
        n(Meaning::LscChannels).count_ones()
    } else {
        [0, 1, 2, 3, 4, 8, 16, 32, 64]
            .get(n(Meaning::LscElements) as usize)
            .copied()
            .unwrap_or(0)
    };
    // Transposed data is that of one address, behind each other.
    let data = element
        * count
        * if n(Meaning::LscDataOrder) == 2 {
            1
        } else {
            size
        };
    let address = match n(Meaning::LscAddressSize) {
        1 => 2,
        3 => 8,
        _ => 4,
    };
    vec![data, address * size, data, data]
}

impl Verifier<'_> {
    pub(super) fn message(&mut self, inst: &Inst) {
        let row = inst.op.row();
        let op = row.mnemonic;
        match inst.op {
            Opcode::RawSend => {
                let sent = number(row, inst, Meaning::Amount, 0);
                self.sent(op, "NumSrc", sent, 1, SENT);
                self.got(op, number(row, inst, Meaning::Amount, 1), GOT);
                self.descriptor(inst, 4);
            }
            Opcode::RawSends => {
                let grfs = |nth| number(row, inst, Meaning::MessageGrfs, nth);
                self.sent(op, "NumSrc0", grfs(0), 1, SPLIT);
                self.sent(op, "NumSrc1", grfs(1), 0, SPLIT);
                self.got(op, grfs(2), SPLIT);
                self.descriptor(inst, 5);
                self.descriptor(inst, 6);
            }
            _ => {}
        }
        self.alignment(inst);
        let raws = inst.operands.iter().enumerate();
        let raws = raws.filter(|(_, operand)| matches!(operand, Operand::Raw { .. }));
        for ((i, operand), bytes) in raws.zip(payloads(inst, self.grf)) {
            let Operand::Raw { var, offset } = *operand else {
                continue;
            };
            if var.as_u32() == predefined::NULL || !self.object.vars.is_valid(var) {
                continue;
            }
            let (name, end, size) = self.reach(var, u32::from(offset).saturating_add(bytes));
            if end > size {
                let operand = i;
                self.subject = Subject::Operand(i);
                self.find(FindingKind::Payload {
                    operand,
                    name,
                    end,
                    size,
                });
            }
        }
    }

    /// Raw operands of variables that have a register or more begin at a register.
    fn alignment(&mut self, inst: &Inst) {
        for (operand, value) in inst.operands.iter().enumerate() {
            let Operand::Raw { var, offset } = *value else {
                continue;
            };
            if !self.object.vars.is_valid(var) || var.as_u32() == predefined::NULL {
                continue;
            }
            let (root, start) = self.roots[var.index()];
            let offset = start + u32::from(offset);
            let decl = &self.object.vars[root];
            if decl.bytes() >= self.grf && !offset.is_multiple_of(self.grf) {
                let (name, grf) = (decl.name.to_string(), self.grf);
                self.subject = Subject::Operand(operand);
                self.find(FindingKind::RawAlign {
                    operand,
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
                op: inst.op.row().mnemonic,
                operand,
                found: format!("of type {}", ty.name()),
            });
        }
    }
}
