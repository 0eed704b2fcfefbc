//! Rules of LSC messages: addresses, data, caching, blocks and fences.

use super::{FindingKind, Verifier};
use crate::lsc::{self, FLAT, TRANSPOSED};
use crate::module::{Inst, Operand, Subject, Type, predefined};
use crate::opcode::{Category, Field, LscOp, Meaning, Opcode};
use kiln_platform::platform::Generation;

/// Units, by number.
const UGML: u32 = 1;
const TGM: u32 = 2;
const SLM: u32 = 3;

// Caching, by number.
const DF: u32 = 0;
const UC: u32 = 1;
const CA: u32 = 2;
const WB: u32 = 3;
const WT: u32 = 4;
const ST: u32 = 5;
const RI: u32 = 6;
const CC: u32 = 7;

/// Valid pairs of caching of level 1 and level 3, for loads, stores and atomics.
const LOADS: (&[(u32, u32)], &str) = (
    &[
        (DF, DF),
        (UC, UC),
        (UC, CA),
        (CA, UC),
        (CA, CA),
        (ST, UC),
        (ST, CA),
        (RI, CA),
        (RI, RI),
        (UC, CC),
        (CA, CC),
    ],
    ".df.df, .uc.uc, .uc.ca, .ca.uc, .ca.ca, .st.uc, .st.ca, .ri.ca, .ri.ri, .uc.cc and .ca.cc",
);
const STORES: (&[(u32, u32)], &str) = (
    &[
        (DF, DF),
        (UC, UC),
        (UC, WB),
        (WT, UC),
        (WT, WB),
        (ST, UC),
        (ST, WB),
        (WB, WB),
    ],
    ".df.df, .uc.uc, .uc.wb, .wt.uc, .wt.wb, .st.uc, .st.wb and .wb.wb",
);
const ATOMICS: (&[(u32, u32)], &str) =
    (&[(DF, DF), (UC, UC), (UC, WB)], ".df.df, .uc.uc and .uc.wb");
const DEFAULT: (&[(u32, u32)], &str) = (&[(DF, DF)], ".df.df");

// Data sizes, by number.
const D8: u32 = 1;
const D16: u32 = 2;
const D32: u32 = 3;
const D64: u32 = 4;
const D16U32: u32 = 6;

/// Channel masks without a gap.
const CONTIGUOUS: [u32; 4] = [1, 3, 7, 15];
/// Maximum number of GRFs of data in a message.
const MAX_DATA_GRFS: u32 = 8;

/// An LSC instruction with its numbers decoded.
struct Message<'i> {
    inst: &'i Inst,
    op: LscOp,
    number: u32,
    name: &'static str,
    unit: u32,
}

impl Message<'_> {
    fn number(&self, meaning: Meaning, nth: usize) -> Option<u32> {
        let fields = self.inst.op.row().operand_fields().enumerate();
        let mut of = fields.filter(|(_, f)| matches!(f, Field::Number(_, m) if *m == meaning));
        match self.inst.operands.get(of.nth(nth)?.0) {
            Some(Operand::Field(n)) => Some(*n),
            _ => None,
        }
    }

    /// Operands of a field, with their numbers.
    fn operands(&self, field: Field) -> impl Iterator<Item = (usize, &Operand)> {
        let fields = self.inst.op.row().operand_fields();
        let all = fields.zip(&self.inst.operands).enumerate();
        all.filter_map(move |(i, (f, operand))| (f == field).then_some((i, operand)))
    }

    fn is_block(&self) -> bool {
        matches!(
            self.inst.op,
            Opcode::LscBlock2d | Opcode::LscBlock2dPayload | Opcode::LscTypedBlock2d
        )
    }
}

fn is_null(operand: &Operand) -> bool {
    matches!(operand, Operand::Raw { var, .. } if var.as_u32() == predefined::NULL)
}

impl Verifier<'_> {
    pub(super) fn lsc(&mut self, inst: &Inst) {
        if inst.op.row().category != Category::Lsc {
            return;
        }
        if inst.op == Opcode::LscFence {
            return self.lsc_fence(inst);
        }
        let Some(Operand::Field(number)) = inst.operands.first() else {
            return;
        };
        let (Some(op), Some(name)) = (LscOp::from_number(*number), LscOp::name(*number)) else {
            return;
        };
        let mut message = Message {
            inst,
            op,
            number: *number,
            name,
            unit: TGM,
        };
        message.unit = message.number(Meaning::LscUnit, 0).unwrap_or(TGM);
        self.lsc_caching(&message);
        self.lsc_address(&message);
        self.lsc_data(&message);
        self.lsc_operands(&message);
        match inst.op {
            Opcode::LscBlock2d | Opcode::LscBlock2dPayload => self.lsc_block(&message),
            Opcode::LscTypedBlock2d => {
                let size = [Meaning::LscWidth, Meaning::LscHeight];
                self.block_of_rows(
                    message.name,
                    size.map(|m| message.number(m, 0).unwrap_or(0)),
                );
            }
            _ => {}
        }
        self.subject = Subject::Inst;
    }

    fn lsc_fence(&mut self, inst: &Inst) {
        let [
            Operand::Field(SLM),
            Operand::Field(op),
            Operand::Field(scope),
        ] = inst.operands.as_slice()
        else {
            return;
        };
        let parts = [
            ("operation", Meaning::LscFenceOp, *op, "none"),
            ("scope", Meaning::LscScope, *scope, "group"),
        ];
        for (what, meaning, n, allowed) in parts {
            let found = lsc::name(meaning, n);
            if found != allowed {
                self.find(FindingKind::LscFence {
                    what,
                    found,
                    allowed,
                });
            }
        }
    }

    fn lsc_caching(&mut self, message: &Message) {
        let level = |nth| message.number(Meaning::LscCaching, nth);
        let (Some(l1), Some(l3)) = (level(0), level(1)) else {
            return;
        };
        let before_xe2 = self.platform.is_some_and(|p| p < Generation::Xe2);
        let (pairs, allowed) = match message.op {
            _ if before_xe2 && matches!(message.unit, TGM | UGML) => DEFAULT,
            LscOp::Load | LscOp::StateInfo => LOADS,
            LscOp::Store => STORES,
            LscOp::Atomic(_) | LscOp::Counter => ATOMICS,
        };
        if !pairs.contains(&(l1, l3)) {
            let name = |n| lsc::name(Meaning::LscCaching, n);
            self.find(FindingKind::LscCaching {
                op: message.name,
                l1: name(l1),
                l3: name(l3),
                allowed,
            });
        }
    }

    fn lsc_address(&mut self, message: &Message) {
        let unit = lsc::name(Meaning::LscUnit, message.unit);
        if let Some(size) = message.number(Meaning::LscAddressSize, 0) {
            let found = lsc::name(Meaning::LscAddressSize, size);
            let allowed = match (found, message.unit) {
                ("a16", SLM) => None,
                ("a16", _) => Some("a32 or a64"),
                ("a64", TGM | SLM) => Some("a32"),
                _ => None,
            };
            if let Some(allowed) = allowed {
                self.find(FindingKind::LscAddress {
                    what: "size of the address",
                    found,
                    unit,
                    allowed,
                });
            }
            self.lsc_address_type(message, found);
        }
        if let Some(ty) = message.number(Meaning::LscAddressType, 0) {
            let found = lsc::name(Meaning::LscAddressType, ty);
            let flat = ty == FLAT || found == "arg";
            let allowed = match message.unit {
                TGM if flat => Some("bti, ss, bss or surf"),
                SLM if !flat => Some("flat"),
                _ => None,
            };
            if let Some(allowed) = allowed {
                self.find(FindingKind::LscAddress {
                    what: "type of the address",
                    found,
                    unit,
                    allowed,
                });
            }
        }
        if let Some(scale) = message.number(Meaning::LscScale, 0)
            && !scale.is_power_of_two()
            && scale != 0
        {
            self.find(FindingKind::LscShape {
                op: message.name,
                what: "a scale of",
                found: scale.to_string(),
                allowed: "a power of two",
            });
        }
    }

    /// Rule that addresses have the type of their size.
    fn lsc_address_type(&mut self, message: &Message, size: &str) {
        let allowed = match size {
            "a64" => [Type::Uq, Type::Q],
            "a32" | "a32u" | "a32s" => [Type::Ud, Type::D],
            _ => return,
        };
        let count = if message.inst.op == Opcode::LscTyped {
            4
        } else {
            1
        };
        let addresses: Vec<(usize, Type)> = message
            .operands(Field::RawSrc)
            .take(count)
            .filter_map(|(i, operand)| Some((i, self.type_of(operand)?)))
            .collect();
        for (operand, ty) in addresses {
            if !allowed.contains(&ty) {
                let allowed = format!("{} or {}", allowed[0].name(), allowed[1].name());
                self.subject = Subject::Operand(operand);
                self.find(FindingKind::LscAddressType {
                    operand: self.written(operand),
                    ty,
                    allowed,
                });
                self.subject = Subject::Inst;
            }
        }
    }

    fn shape(
        &mut self,
        message: &Message,
        what: &'static str,
        found: String,
        allowed: &'static str,
    ) {
        self.find(FindingKind::LscShape {
            op: message.name,
            what,
            found,
            allowed,
        });
    }

    fn lsc_data(&mut self, message: &Message) {
        let number = |meaning| message.number(meaning, 0);
        let (Some(size), Some(order)) =
            (number(Meaning::LscDataSize), number(Meaning::LscDataOrder))
        else {
            return;
        };
        if message.is_block() || message.number == LscOp::STATE_INFO {
            return;
        }
        let atomic = matches!(message.op, LscOp::Atomic(_) | LscOp::Counter);
        let channels = LscOp::has_channels(message.number);
        let size_name = || lsc::name(Meaning::LscDataSize, size).to_owned();
        let transposed = order == TRANSPOSED;
        let exec = message.inst.exec.size;
        if transposed && (channels || atomic) {
            let found = "transposed".to_owned();
            self.shape(message, "data that is", found, "straight");
        }
        if transposed && exec != 1 {
            self.subject = Subject::Exec;
            self.shape(
                message,
                "transposed data in channels:",
                exec.to_string(),
                "1",
            );
            self.subject = Subject::Inst;
        }
        if channels {
            let mask = number(Meaning::LscChannels).unwrap_or(0);
            let store = message.op == LscOp::Store;
            if mask == 0 || (store && !CONTIGUOUS.contains(&mask)) {
                let found = format!("{mask:#x}");
                self.shape(message, "a channel mask of", found, "x, xy, xyz or xyzw");
            }
            return;
        }
        let elements = number(Meaning::LscElements).unwrap_or(1);
        let count = lsc::element_count(elements);
        if elements != 1 && !matches!(size, D32 | D64) {
            self.shape(message, "several elements of", size_name(), "d32 or d64");
        }
        if atomic {
            if elements != 1 {
                self.shape(message, "elements an address:", count.to_string(), "1");
            }
            if !matches!(size, D32 | D64 | D16U32) {
                self.shape(message, "data of", size_name(), "d16u32, d32 or d64");
            }
            self.lsc_atomic(message, size);
        } else if message.unit == UGML && !matches!(count, 1 | 2 | 4) {
            self.shape(
                message,
                "elements an address:",
                count.to_string(),
                "1, 2 or 4",
            );
        } else if !transposed && count > 8 {
            let allowed = "1, 2, 3, 4 or 8, or more if transposed";
            self.shape(message, "elements an address:", count.to_string(), allowed);
        }
        let bytes = match size {
            D8 => 1,
            D16 => 2,
            D64 => 8,
            _ => 4,
        };
        let registers = if transposed {
            count * bytes / self.grf
        } else {
            count * (bytes * u32::from(exec) / self.grf).max(1)
        };
        if registers > MAX_DATA_GRFS {
            self.shape(
                message,
                "registers of data:",
                registers.to_string(),
                "at most 8",
            );
        }
    }

    /// Rules of atomics, by unit.
    fn lsc_atomic(&mut self, message: &Message, size: u32) {
        let float_sum = matches!(message.op, LscOp::Atomic(19 | 20));
        let unit = lsc::name(Meaning::LscUnit, message.unit).to_owned();
        if message.unit == SLM && size == D64 && message.op != LscOp::Atomic(18) {
            self.shape(message, "d64 on", unit, "d16u32 or d32, or icas");
        } else if float_sum && message.unit == SLM {
            self.shape(message, "a sum of floats on", unit, "ugm, ugml or tgm");
        } else if float_sum
            && message.unit == TGM
            && self.platform.is_some_and(|p| p < Generation::Xe2)
        {
            self.shape(message, "a sum of floats on", unit, "ugm or ugml");
        } else if message.op == LscOp::Counter && message.unit != 0 {
            self.shape(message, "a counter on", unit, "ugm");
        }
    }

    /// Rules of operands that must or must not be `%null`.
    fn lsc_operands(&mut self, message: &Message) {
        let data = match message.op {
            LscOp::Load | LscOp::StateInfo => 0,
            LscOp::Store | LscOp::Counter => 1,
            LscOp::Atomic(op) => LscOp::arguments(op.into()),
        };
        let addresses = match message.inst.op {
            Opcode::LscTyped => 4,
            Opcode::LscBlock2d
            | Opcode::LscBlock2dPayload
            | Opcode::LscTypedBlock2d
            | Opcode::LscCounter => 0,
            _ => 1,
        };
        let stores = message.op == LscOp::Store;
        let written = message.operands(Field::RawDst);
        let written = written
            .filter(|(_, o)| stores && !is_null(o))
            .map(|(i, _)| (i, false));
        let sources = message.operands(Field::RawSrc).skip(addresses).enumerate();
        let sources = sources.filter(|(k, (_, o))| is_null(o) == (*k < data));
        let sources = sources.map(|(_, (i, o))| (i, is_null(o)));
        let wrong: Vec<(usize, bool)> = written.chain(sources).collect();
        for (operand, null) in wrong {
            self.null(message.name, operand, null);
        }
        self.subject = Subject::Inst;
    }

    fn lsc_block(&mut self, message: &Message) {
        let number = |meaning| message.number(meaning, 0).unwrap_or(0);
        let (width, height) = (number(Meaning::LscWidth), number(Meaning::LscHeight));
        let (blocks, size) = (number(Meaning::LscBlocks), number(Meaning::LscDataSize));
        let transposed = number(Meaning::LscDataOrder) == TRANSPOSED;
        let vnni = number(Meaning::LscVnni);
        let bytes = match size {
            D8 => 1,
            D16 => 2,
            D32 => 4,
            D64 => 8,
            _ => {
                let found = lsc::name(Meaning::LscDataSize, size).to_owned();
                return self.shape(message, "a block of", found, "d8, d16, d32 or d64");
            }
        };
        let store = message.op == LscOp::Store;
        let row = width.saturating_mul(blocks).saturating_mul(bytes);
        let rows = if transposed { width } else { height };
        let most_blocks = match bytes {
            _ if store || (transposed && vnni == 0) => 1,
            1 | 2 => 4,
            4 => 2,
            _ => 1,
        };
        let few = match most_blocks {
            1 => "1",
            2 => "1 or 2",
            _ => "1, 2 or 4",
        };
        let checks: [(&'static str, u32, bool, &'static str); 6] = [
            (
                "blocks:",
                blocks,
                blocks.is_power_of_two() && blocks <= most_blocks,
                few,
            ),
            ("a width of", width, width > 0, "1 or more"),
            ("a height of", height, height > 0, "1 or more"),
            (
                "bytes a row:",
                row,
                row <= if store { 512 } else { 64 },
                "64, of a store 512",
            ),
            ("rows:", rows, rows <= 32, "at most 32"),
            (
                "a VNNI transform:",
                vnni,
                vnni == 0 || !store,
                "0, of a store",
            ),
        ];
        for (what, found, fits, allowed) in checks {
            if !fits {
                self.find(FindingKind::LscBlock {
                    op: message.name,
                    what,
                    found,
                    allowed,
                });
            }
        }
    }
}
