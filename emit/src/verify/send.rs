//! Rules about the payloads of messages.

use kiln_platform::errata::Erratum;

use super::{Checker, Violation};
use crate::encoding::Operand;
use crate::footprint::general;
use crate::inst::{Desc, Inst, Message, Place, RegFile, Src};
use crate::messages::{Descriptors, family_messages};
use crate::platform::Family;

impl Checker<'_> {
    pub(super) fn send(&self) -> Result<(), Violation> {
        let Some(dst) = &self.inst.dst else {
            return self.fail("has no destination");
        };
        let Some(message) = &self.inst.msg else {
            return self.fail("has no message");
        };
        let lengths = Lengths::of(self.inst, message, self.platform.family);
        self.payload(dst.place, lengths.response, Operand::Dst)?;
        let sent = [lengths.payload, lengths.second];
        for (n, (src, length)) in self.inst.srcs.iter().zip(sent).enumerate() {
            let operand = Operand::Src(n as u8);
            let fail = |what| Err(Violation::Operand { operand, what });
            let Src::Reg(src) = src else {
                return fail("must be a register");
            };
            if src.modifier != Default::default() {
                return fail("a payload takes no source modifier");
            }
            self.payload(src.place, length, operand)?;
            let Place::Direct(reg) = src.place else {
                continue;
            };
            // Only the last 16 of the 128 or 256 registers outlive the thread until the message is read.
            let low = reg.file == RegFile::Grf && reg.num % 128 < 112;
            if message.eot && low && self.rules.ends_from_last {
                return fail("the last message is sent from the last 16 registers");
            }
        }
        self.apart(&lengths)?;
        self.response_apart(&lengths)
    }

    /// Checks that the response does not overlap a payload, on platforms with that rule.
    fn response_apart(&self, lengths: &Lengths) -> Result<(), Violation> {
        let response = self.inst.dst.and_then(|dst| general(dst.place));
        let (Some(to), Some(length)) = (response, lengths.response) else {
            return Ok(());
        };
        let shared = |(src, more): (&Src, Option<u32>)| match (src, more) {
            (Src::Reg(src), Some(more)) => {
                general(src.place).is_some_and(|from| overlap(from.num, more, to.num, length))
            }
            _ => false,
        };
        let mut sent = self.inst.srcs.iter().zip([lengths.payload, lengths.second]);
        let broken = self.platform.needs(Erratum::ResponseApart) && sent.any(shared);
        self.deny(
            broken,
            "has a result that shares registers with its payload",
        )
    }

    /// Checks that the two payloads of a message of several channels do not overlap, on families with that rule.
    fn apart(&self, lengths: &Lengths) -> Result<(), Violation> {
        let grf = |n: usize| match self.inst.srcs.get(n) {
            Some(Src::Reg(src)) => general(src.place),
            _ => None,
        };
        let ends = (grf(0), lengths.payload, grf(1), lengths.second);
        if let (Some(first), Some(length), Some(second), Some(more)) = ends {
            let shared = overlap(first.num, length, second.num, more);
            let checked = self.rules.payloads_apart && self.inst.exec_size > 1;
            return self.deny(checked && shared, "has payloads that share registers");
        }
        Ok(())
    }

    fn payload(
        &self,
        place: Place,
        length: Option<u32>,
        operand: Operand,
    ) -> Result<(), Violation> {
        let Place::Direct(reg) = place else {
            return Ok(());
        };
        match reg.file {
            RegFile::Grf if reg.byte != 0 => Err(Violation::Operand {
                operand,
                what: "a payload starts at a whole register",
            }),
            RegFile::Grf => self.in_file(reg.num + length.unwrap_or(1).max(1), operand),
            RegFile::Null if operand != Operand::Dst && length.is_some_and(|length| length > 0) => {
                Err(Violation::Operand {
                    operand,
                    what: "a payload that is not empty is in registers, not in null",
                })
            }
            RegFile::Null => Ok(()),
            // The scalar register holds the numbers of the payload's registers.
            RegFile::Scalar if operand == Operand::Src(0) => Ok(()),
            _ => Err(Violation::Operand {
                operand,
                what: "a payload is in general registers",
            }),
        }
    }
}

/// True if two ranges of registers, each with its length, overlap.
fn overlap(first: u32, length: u32, second: u32, more: u32) -> bool {
    first < second + more && second < first + length
}

/// Numbers of registers of payloads and response; none where the descriptor is in a register.
struct Lengths {
    payload: Option<u32>,
    second: Option<u32>,
    response: Option<u32>,
}

impl Lengths {
    fn of(inst: &Inst, message: &Message, family: Family) -> Lengths {
        let messages = family_messages(family);
        let field = |desc, low: u32, mask: u32| match desc {
            Desc::Imm(value) => Some(value >> low & mask),
            Desc::Addr { .. } => None,
        };
        let second = if messages.has_length(inst) {
            Some(u32::from(inst.send.src1_len))
        } else {
            field(message.ex_desc, 6, (1 << messages.second_length_bits) - 1)
        };
        Lengths {
            payload: field(message.desc, 25, 15),
            second,
            response: Descriptors::of(message).map(|of| of.response_at_most(family)),
        }
    }
}
