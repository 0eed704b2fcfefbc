//! Machine code, decoded once.

use kiln_emit::encoding;
use kiln_emit::inst::{Inst, Op, Src, Target, Type};
use kiln_emit::platform::Platform;
use kiln_emit::zebin::Zebin;

use super::error::Cause;
use super::link::{LinkError, Segment, link};

/// What class of instruction it is, for the executor's main loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Compute,
    Branch,
    Send,
    Wait,
}

/// An instruction at its place.
#[derive(Debug)]
pub struct Slot {
    pub inst: Inst,
    pub kind: Kind,
    /// Channels may wait for the instruction pointer to be here.
    pub wakes: bool,
    pub size: u32,
}

/// A kernel's machine code.
#[derive(Debug)]
pub struct Program {
    /// One entry for every eight bytes; none in the middle of an instruction.
    slots: Vec<Option<Slot>>,
    /// Where decoding stopped, and why.
    undecodable: Option<(u32, String)>,
    /// The data that the code refers to by address.
    data: Vec<Segment>,
}

/// Bytes that instructions are multiples of.
const UNIT: usize = 8;

impl Program {
    /// Decodes the code of a kernel of an object file, linked to the object file's data.
    pub fn from_zebin(
        zebin: &Zebin,
        kernel: &str,
        platform: &Platform,
    ) -> Result<Program, LinkError> {
        let (text, data) = link(zebin, kernel)?;
        Ok(Program {
            data,
            ..Program::from_text(&text, platform)
        })
    }

    /// Decodes the code of a kernel. What follows the last instruction (padding, data) need not
    /// decode: only executing it is an error.
    pub fn from_text(text: &[u8], platform: &Platform) -> Program {
        let mut slots: Vec<Option<Slot>> = Vec::new();
        let mut undecodable = None;
        let mut at = 0;
        while at < text.len() {
            match encoding::decode(&text[at..], platform) {
                Ok(mut inst) => {
                    spread_vectors(&mut inst);
                    let size = inst.size();
                    slots.push(Some(Slot {
                        kind: kind(inst.op),
                        wakes: false,
                        size,
                        inst,
                    }));
                    slots.resize_with(slots.len() + size as usize / UNIT - 1, || None);
                    at += size as usize;
                }
                Err(error) => {
                    undecodable = Some((at as u32, error.to_string()));
                    break;
                }
            }
        }
        let mut program = Program {
            slots,
            undecodable,
            data: Vec::new(),
        };
        program.mark_targets();
        program
    }

    /// Code made of instructions: their places are as if they were encoded.
    #[cfg(test)]
    pub fn from_insts(insts: Vec<Inst>) -> Program {
        let mut slots: Vec<Option<Slot>> = Vec::new();
        for mut inst in insts {
            spread_vectors(&mut inst);
            let size = inst.size();
            slots.push(Some(Slot {
                kind: kind(inst.op),
                wakes: false,
                size,
                inst,
            }));
            slots.resize_with(slots.len() + size as usize / UNIT - 1, || None);
        }
        let mut program = Program {
            slots,
            undecodable: None,
            data: Vec::new(),
        };
        program.mark_targets();
        program
    }

    /// Marks where channels may wait: at targets of branches and behind branches.
    fn mark_targets(&mut self) {
        let mut targets = Vec::new();
        for (index, slot) in self.slots.iter().enumerate() {
            let Some(slot) = slot.as_ref().filter(|s| s.kind == Kind::Branch) else {
                continue;
            };
            let at = (index * UNIT) as u32;
            targets.push(at + slot.size);
            for target in [slot.inst.jip, slot.inst.uip].into_iter().flatten() {
                if let Target::Offset(offset) = target {
                    targets.push(at.wrapping_add_signed(offset));
                }
            }
        }
        for at in targets {
            if let Some(Some(slot)) = self.slots.get_mut(at as usize / UNIT) {
                slot.wakes = true;
            }
        }
    }

    /// The instruction at an offset in bytes.
    pub fn slot(&self, at: u32) -> Result<&Slot, Cause> {
        let found = match at as usize % UNIT {
            0 => self.slots.get(at as usize / UNIT).and_then(Option::as_ref),
            _ => None,
        };
        found.ok_or_else(|| match &self.undecodable {
            Some((stop, why)) if *stop == at => Cause::Undecodable {
                at,
                why: why.clone(),
            },
            _ => Cause::NoInstruction(at),
        })
    }

    /// The instruction at an offset and its size, if there is one.
    pub fn at(&self, at: u32) -> Option<(&Inst, u32)> {
        self.slot(at).ok().map(|slot| (&slot.inst, slot.size))
    }

    /// The data that the code refers to by address, in the order of the addresses.
    pub fn data(&self) -> &[Segment] {
        &self.data
    }

    /// Instructions, in order.
    pub fn insts(&self) -> impl Iterator<Item = &Inst> {
        self.slots.iter().flatten().map(|slot| &slot.inst)
    }
}

fn kind(op: Op) -> Kind {
    use Op::*;
    match op {
        Jmpi | Brd | If | Brc | Else | Endif | While | Break | Cont | Halt | Calla | Call | Ret
        | Goto | Join => Kind::Branch,
        Send | Sendc | Sends | Sendsc => Kind::Send,
        Wait => Kind::Wait,
        _ => Kind::Compute,
    }
}

/// Puts the elements of packed immediates in the order in which the channels take them. A channel
/// takes the element whose number is that of the word (of `vf`, the dword) its result starts at,
/// counted from the first channel's: all of them in order only if the destination's stride is a
/// word (PRM, "Numeric Data Types", packed vectors).
pub fn spread_vectors(inst: &mut Inst) {
    let Some(dst) = inst.dst else { return };
    let stride = u32::from(dst.hstride) * dst.ty.bytes();
    for src in &mut inst.srcs {
        let Src::Imm { ty, bits } = src else { continue };
        let (count, width, step) = match ty {
            Type::V | Type::Uv => (8, 4, stride / 2),
            Type::Vf => (4, 8, stride / 4),
            _ => continue,
        };
        let element = |i: u32| *bits >> (i % count * width) & ((1 << width) - 1);
        *bits = (0..count).fold(0, |spread, i| spread | element(i * step) << (i * width));
    }
}

#[cfg(test)]
mod tests {
    use kiln_emit::inst::{Dst, Reg};

    use super::*;

    #[test]
    fn packed_immediates_go_by_the_destinations_words() {
        let spread = |ty, dst, hstride, bits| {
            let mut inst = Inst::new(Op::Mov, 8);
            inst.dst = Some(Dst::new(Reg::grf(4), hstride, dst));
            inst.srcs.push(Src::imm(ty, bits));
            spread_vectors(&mut inst);
            match inst.srcs[0] {
                Src::Imm { bits, .. } => bits,
                Src::Reg(_) => unreachable!("an immediate stays one"),
            }
        };
        assert_eq!(spread(Type::Uv, Type::Uw, 1, 0x7654_3210), 0x7654_3210);
        assert_eq!(spread(Type::Uv, Type::Ud, 1, 0x0808_0400), 0x8840_8840);
        assert_eq!(spread(Type::V, Type::W, 2, 0x7654_3210), 0x6420_6420);
        assert_eq!(spread(Type::Uv, Type::Uq, 1, 0x7654_3210), 0x4040_4040);
        assert_eq!(spread(Type::Vf, Type::F, 1, 0x4030_2010), 0x4030_2010);
        assert_eq!(spread(Type::Vf, Type::F, 2, 0x4030_2010), 0x3010_3010);
    }
}
