//! Messages with two payloads, which may not share registers (PRM, "sends").
//!
//! Both payloads may be one value or parts of one variable; registers that both have are copied for the second
//! payload.

use kiln_machine::inst::{Base, Desc, Dst, Inst, Old, Reg, Src, SrcReg, VReg};
use kiln_platform::isa::{Op, RegFile, Type};
use smallvec::{SmallVec, smallvec};

use super::Legalizer;

/// Maximum number of registers in a constant descriptor's field, and in any payload.
const MAX_FIELD_GRFS: u32 = 15;
const MAX_PAYLOAD_GRFS: u32 = 31;

/// A range of bytes in a virtual register, or in the general register file.
struct Part {
    of: Option<VReg>,
    start: u32,
    end: u32,
}

impl Legalizer<'_> {
    /// Copies the second payload if it shares registers with the first.
    pub(super) fn apart(&mut self, inst: &mut Inst) {
        let [Src::Reg(first), Src::Reg(second)] = inst.srcs[..] else {
            return;
        };
        if !self.rules.payloads_apart || inst.exec_size == 1 {
            return;
        }
        let [length, more] = self.lengths(inst).map(|registers| registers * self.grf);
        let (one, other) = (self.parts(first.reg, length), self.parts(second.reg, more));
        let meets = |a: &Part, b: &Part| a.of == b.of && a.start < b.end && b.start < a.end;
        if one.iter().any(|a| other.iter().any(|b| meets(a, b))) {
            let bytes = other.iter().map(|part| part.end - part.start).sum();
            let reg = self.beside(second, bytes);
            inst.srcs[1] = Src::Reg(SrcReg { reg, ..second });
        }
    }

    /// The ranges of registers that the first `bytes` bytes of a payload occupy.
    fn parts(&self, payload: Reg, bytes: u32) -> SmallVec<[Part; 8]> {
        let start = payload.byte();
        if let Some((RegFile::Grf, number)) = payload.as_phys() {
            let start = u32::from(number) * self.grf + start;
            let end = start + bytes;
            return smallvec![Part {
                of: None,
                start,
                end
            }];
        }
        let base = payload.base();
        let regs = self
            .func
            .registers(&base)
            .iter()
            .zip((0..).step_by(self.unit as usize));
        let inside = regs.filter_map(|(&v, first)| {
            let own = first..first + u32::from(self.func.regs[v].bytes);
            let (from, to) = (start.max(own.start), (start + bytes).min(own.end));
            (from < to).then(|| Part {
                of: Some(v),
                start: from - own.start,
                end: to - own.start,
            })
        });
        inside.collect()
    }

    /// The number of registers of both payloads: what the descriptors say, or else the maximum.
    fn lengths(&self, inst: &Inst) -> [u32; 2] {
        let message = inst.message.expand().map(|id| self.func.messages[id]);
        let bits = |desc: Option<Desc>, low: u32| match desc {
            Some(Desc::Imm(bits)) => bits >> low & MAX_FIELD_GRFS,
            _ => MAX_PAYLOAD_GRFS,
        };
        let message = message.map(|m| (m.desc, m.ex_desc));
        [
            bits(message.map(|m| m.0), 25),
            bits(message.map(|m| m.1), 6),
        ]
    }

    /// A copy of the first `bytes` bytes of a payload, in registers of its own.
    fn beside(&mut self, payload: SrcReg, bytes: u32) -> Reg {
        let mut regs: SmallVec<[VReg; 4]> = SmallVec::new();
        for first in (0..bytes).step_by(self.unit as usize) {
            let own = (bytes - first).min(self.unit);
            let mut at = 0;
            let mut old = Old::None;
            while at < own {
                let byte = payload.reg.byte() + first + at;
                // Up to the end of either register.
                let (from, room) = match self.func.place(payload.reg.base(), byte) {
                    Some((v, inside)) => (Reg::virt(v, inside), self.unit - inside),
                    None => (payload.reg.at(byte), self.unit),
                };
                let part = (own - at).min(room);
                let v = self.func.grf(own);
                let mut copy = Inst::no_mask(Op::Mov, (part / 4) as u8);
                copy.dst = Some(Dst {
                    old,
                    ..Dst::new(Reg::virt(v, at), 1, Type::Ud)
                });
                copy.srcs.push(Src::packed(from, Type::Ud));
                self.push(copy);
                old = Old::Reg(v);
                at += part;
            }
            if let Old::Reg(v) = old {
                regs.push(v);
            }
        }
        match regs[..] {
            [one] => Reg::virt(one, 0),
            _ => Reg::new(Base::List(self.func.lists.push(regs)), 0),
        }
    }
}
