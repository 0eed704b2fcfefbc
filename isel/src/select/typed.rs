//! Accesses of images by coordinates: typed reads, writes and atomics.
//!
//! A payload has the coordinates u, v and r and the level of detail, a register each, up to the last one given.

use kiln_emit::messages::access::{Elements, MemoryAccess, Operation, Space};
use kiln_machine::inst::Dst;
use kiln_platform::isa::{Op, Type};
use kiln_visa::module::{self as visa};
use kiln_visa::opcode::Opcode;

use super::message::{Payload, is_null};
use super::{Channels, Result, Select, field, ud};

impl Select<'_, '_> {
    /// Selects `gather4_typed`, `scatter4_typed` or `typed_atomic`.
    pub(super) fn typed(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        let ops = &visa.operands;
        let mask = field(&ops[0]) as u8;
        let access = |operation| {
            let elements = Elements::Components { mask };
            MemoryAccess::per_channel(operation, Space::Image, elements, channels.size)
        };
        let access = match visa.op {
            Opcode::TypedAtomic => self.atomic_access(visa, Space::Image, &[32], 8)?,
            Opcode::Gather4Typed => access(Operation::Load),
            _ => access(Operation::Store),
        };
        if channels.size > access.max_channels(self.out.target) {
            return self.fail("a typed message of more channels than the platform's have");
        }
        let surface = self.surface(&ops[1])?;
        let coordinates = self.coordinates(visa, 2)?;
        if visa.op == Opcode::TypedAtomic {
            return self.atomic(visa, channels, (access, surface), coordinates, 6);
        }
        self.access(channels, (access, surface), coordinates, visa, 6)
    }

    /// The payload of the coordinates, operands from `first` on. Those left out before the last one given are 0.
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
