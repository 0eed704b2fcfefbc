//! Messages of two payloads, of which neither may have registers of the other (PRM, "sends"): two operands may
//! be one value, though, or parts of one variable. What both have is copied for the second.

use kiln_machine::inst::{Base, Desc, Dst, Inst, Old, Reg, Src, SrcReg, VReg};
use kiln_target::isa::{Op, RegFile, Type};
use smallvec::{SmallVec, smallvec};

use super::Legalizer;

/// Registers that a constant descriptor can say, and that a payload has at the most.
const FIELD: u32 = 15;
const MOST: u32 = 31;

/// Bytes of a virtual register, or of the general register file.
struct Part {
    of: Option<VReg>,
    start: u32,
    end: u32,
}

impl Legalizer<'_> {
    /// Gives the second payload registers of its own, if it is not so.
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

    /// So many bytes of a payload, if it has them, by the registers that they are in.
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

    /// Registers of both payloads: what the descriptors say, or else the most there are.
    fn lengths(&self, inst: &Inst) -> [u32; 2] {
        let message = inst.message.expand().map(|id| self.func.messages[id]);
        let bits = |desc: Option<Desc>, low: u32| match desc {
            Some(Desc::Imm(bits)) => bits >> low & FIELD,
            _ => MOST,
        };
        let message = message.map(|m| (m.desc, m.ex_desc));
        [
            bits(message.map(|m| m.0), 25),
            bits(message.map(|m| m.1), 6),
        ]
    }

    /// So many bytes of a payload, in registers of their own.
    fn beside(&mut self, payload: SrcReg, bytes: u32) -> Reg {
        let mut regs: SmallVec<[VReg; 4]> = SmallVec::new();
        for first in (0..bytes).step_by(self.unit as usize) {
            let own = (bytes - first).min(self.unit);
            let mut at = 0;
            let mut old = Old::None;
            while at < own {
                let byte = payload.reg.byte() + first + at;
                // Up to the end of both registers.
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
