//! Messages on images by their coordinates: typed reads, writes and atomics.
//!
//! A payload has the coordinates u, v and r and the level of detail, a register each, up to the last
//! that is given. The messages know eight channels.

use kiln_emit::messages::{Slots, data_port};
use kiln_frontend::module::{self as visa};
use kiln_frontend::opcode::Opcode;
use kiln_machine::inst::Dst;
use kiln_target::isa::{Op, Type};

use super::message::{Payload, is_null};
use super::{Channels, Result, Select, field, ud};

impl Select<'_, '_> {
    /// Selects `gather4_typed`, `scatter4_typed` or `typed_atomic`.
    pub(super) fn typed(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        if channels.size > 8 {
            return self.fail("a typed message of more than eight channels");
        }
        let ops = &visa.operands;
        let surface = self.surface(&ops[1])?;
        let coordinates = self.coordinates(visa, 2)?;
        if visa.op == Opcode::TypedAtomic {
            let (operation, _) = self.atomic_of(visa, &[32])?;
            let returns = !is_null(&ops[8]);
            let request = data_port::typed_atomic(operation, false, returns);
            return self.atomic(visa, channels, (request, surface), coordinates, 6);
        }
        let mask = field(&ops[0]) as u8;
        let request = match visa.op {
            Opcode::Gather4Typed => data_port::typed_read(mask, Slots::Low),
            _ => data_port::typed_write(mask, Slots::Low),
        };
        self.access(channels, (request, surface), coordinates, visa, 6)
    }

    /// The coordinates, operands from `first` on: those before the last that is given and left out
    /// are 0.
    fn coordinates(&mut self, visa: &visa::Inst, first: usize) -> Result<Payload> {
        let all = &visa.operands[first..first + 4];
        let count = all.iter().rposition(|at| !is_null(at)).map_or(1, |n| n + 1);
        let mut payloads = Vec::with_capacity(count);
        for (at, operand) in all.iter().enumerate().take(count) {
            payloads.push(match is_null(operand) {
                true => {
                    let reg = self.temp(self.grf());
                    self.alu(
                        Op::Mov,
                        Channels::all(8),
                        Dst::new(reg, 1, Type::Ud),
                        &[ud(0)],
                    );
                    Payload { reg, grfs: 1 }
                }
                false => self.payload(visa, first + at)?,
            });
        }
        match payloads[..] {
            [one] => Ok(one),
            _ => Ok(self.joined(&payloads)),
        }
    }
}
