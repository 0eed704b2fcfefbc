//! Raw sends: messages that are selected as they are written.
//!
//! Takes `raw_send` and `raw_sends`; nothing is checked, merged or split. An extended descriptor names the shared function and
//! the end of the thread until Gen11, and is in a register as a whole. Since Gen12 the instruction names both; since XeHPG a
//! register has the surface alone if the instruction can have the second payload's length. Sources: the pages of the two
//! instructions in the vISA specification; PRM vol. 2a, "SEND", extended descriptor.

use kiln_emit::messages::{
    AddressKind, address_kind, extended_room, function_in_descriptor, length_in_instruction,
    surface_apart,
};
use kiln_machine::inst::{Desc, Message, Src};
use kiln_platform::isa::{Op, SendOptions};
use kiln_visa::module as visa;
use kiln_visa::opcode::Opcode;

use super::message::is_null;
use super::{Channels, Result, Select, field, ud};

/// Bits of an extended descriptor: end of thread, and the length of the second payload.
const END_OF_THREAD: u32 = 0x20;
const SECOND_LENGTH: u32 = 0x7c0;

impl Select<'_, '_> {
    /// Selects a raw send. The length of the second payload is added if it is missing. Lengths that the instruction has no
    /// bits for are passed in a register; other bits that it has none for are dropped.
    pub(super) fn raw_send(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        let ops = &visa.operands;
        let modifiers = field(&ops[0]);
        let split = visa.op == Opcode::RawSends;
        let [desc, src0, result] = if split { [6, 7, 9] } else { [4, 5, 6] };
        let mut payload = self.payload(visa, src0)?;
        let mut second = match split && !is_null(&ops[8]) {
            true => Some(self.payload(visa, 8)?),
            false => None,
        };
        let answer = match is_null(&ops[result]) {
            true => None,
            false => Some(self.answer(visa, result)?),
        };
        let op = match (split, modifiers & 1 != 0) {
            (false, false) => Op::Send,
            (false, true) => Op::Sendc,
            (true, false) => Op::Sends,
            (true, true) => Op::Sendsc,
        };
        let desc = match self.scalar(&ops[desc])? {
            Src::Imm(imm) => Desc::Imm(imm.bits() as u32),
            reg => self.descriptor(&[reg], Op::Mov),
        };
        let message = match split {
            false => self.raw_message(desc, field(&ops[1])),
            true => {
                let (end, length) = (modifiers & 2 != 0, field(&ops[2]));
                let (function, ex_desc) = (field(&ops[4]) as u8, self.scalar(&ops[5])?);
                self.raw_split_message(desc, ex_desc, function, length, end)
            }
        };
        if message.eot {
            // A payload in a fixed register, or one that takes one unit more than it needs, is copied: few
            // registers can be sent from at the end of a thread.
            let unit = self.unit();
            for payload in second.iter_mut().chain([&mut payload]) {
                if payload.reg.as_phys().is_some() || !payload.reg.byte().is_multiple_of(unit) {
                    *payload = self.joined(&[*payload]);
                }
            }
        }
        self.exchange(op, channels, message, payload, second, answer);
        Ok(())
    }

    /// The message of a `raw_send`, whose extended descriptor is constant.
    fn raw_message(&self, desc: Desc, given: u32) -> Message {
        Message {
            sfid: (given & 0xf) as u8,
            eot: given & END_OF_THREAD != 0,
            desc,
            ex_desc: Desc::Imm(given & extended_room(self.out.target.family, false)),
            send: SendOptions::default(),
        }
    }

    /// The message of a `raw_sends` to a function, with the length of its second payload in registers.
    fn raw_split_message(
        &mut self,
        desc: Desc,
        ex_desc: Src,
        function: u8,
        length: u32,
        end: bool,
    ) -> Message {
        let family = self.out.target.family;
        let in_descriptor = function_in_descriptor(family);
        let room = extended_room(family, true);
        let mut message = Message {
            sfid: function,
            eot: end,
            desc,
            ex_desc: Desc::Imm(0),
            send: SendOptions::default(),
        };
        match ex_desc {
            Src::Imm(imm) => {
                let end = if end { END_OF_THREAD } else { 0 };
                let given = imm.bits() as u32 | length << 6 | end;
                if in_descriptor {
                    message.sfid = (given & 0xf) as u8;
                    message.eot = given & END_OF_THREAD != 0;
                }
                message.ex_desc = match given & SECOND_LENGTH & !room {
                    0 => Desc::Imm(given & room),
                    _ => self.descriptor(&[ud(given)], Op::Mov),
                };
            }
            register => {
                let beside = length_in_instruction(function, family);
                // The hardware takes an index of the binding table with the length beside it in the register.
                let kind = match desc {
                    Desc::Imm(bits) => address_kind(function, bits, family),
                    Desc::Addr(_) => None,
                };
                let by_index = kind == Some(AddressKind::BindingTable);
                message.send.ex_bso = surface_apart(family) && !beside && !by_index;
                if beside || message.send.ex_bso {
                    message.send.src1_len = length as u8;
                }
                message.ex_desc = self.descriptor(&[register], Op::Mov);
            }
        }
        if in_descriptor && matches!(message.ex_desc, Desc::Addr(_)) {
            message.sfid = 0;
        }
        message
    }
}
