//! Messages of two payloads, of which neither may have registers of the other (PRM, "sends"): two operands may
//! be one value, though, or parts of one variable. What both have is copied for the second.

use kiln_machine::inst::{Base, Desc, Dst, Inst, Reg, Src, SrcReg, VReg};
use kiln_target::isa::{Op, RegFile, Type};
use smallvec::SmallVec;

use super::Legalizer;

/// Registers that a payload has at the most.
const MOST: u32 = 15;

impl Legalizer<'_> {
    /// Gives the second payload registers of its own, if it is not so.
    pub(super) fn apart(&mut self, inst: &mut Inst) {
        let [Src::Reg(first), Src::Reg(second)] = inst.srcs[..] else {
            return;
        };
        if !self.rules.payloads_apart || inst.exec_size == 1 {
            return;
        }
        let bytes = match (first.reg.as_phys(), second.reg.as_phys()) {
            (Some((RegFile::Grf, one)), Some((RegFile::Grf, other))) => {
                let [length, more] = self.lengths(inst);
                let start = |number: u8, reg: Reg| u32::from(number) * self.grf + reg.byte();
                let (one, other) = (start(one, first.reg), start(other, second.reg));
                let shared = one < other + more * self.grf && other < one + length * self.grf;
                if shared { more * self.grf } else { 0 }
            }
            _ => {
                let (one, other) = (first.reg.base(), second.reg.base());
                let own = self.func.registers(&other);
                let shared = self.func.registers(&one).iter().any(|v| own.contains(v));
                let whole: u32 = own
                    .iter()
                    .map(|v| u32::from(self.func.regs[*v].bytes))
                    .sum();
                if shared { whole - second.reg.byte() } else { 0 }
            }
        };
        if bytes > 0 {
            let reg = self.beside(second, bytes);
            inst.srcs[1] = Src::Reg(SrcReg { reg, ..second });
        }
    }

    /// Registers of both payloads: what the descriptors say, or else the most there are.
    fn lengths(&self, inst: &Inst) -> [u32; 2] {
        let message = inst.message.expand().map(|id| self.func.messages[id]);
        let bits = |desc: Option<Desc>, low: u32| match desc {
            Some(Desc::Imm(bits)) => bits >> low & MOST,
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
        for at in (0..bytes).step_by(self.unit as usize) {
            let part = (bytes - at).min(self.unit);
            let v = self.func.grf(part);
            let mut copy = Inst::no_mask(Op::Mov, (part / 4) as u8);
            copy.dst = Some(Dst::new(Reg::virt(v, 0), 1, Type::Ud));
            let byte = payload.reg.byte() + at;
            let from = match self.func.place(payload.reg.base(), byte) {
                Some((v, inside)) => Reg::virt(v, inside),
                None => payload.reg.at(byte),
            };
            copy.srcs.push(Src::packed(from, Type::Ud));
            self.push(copy);
            regs.push(v);
        }
        match regs[..] {
            [one] => Reg::virt(one, 0),
            _ => Reg::new(Base::List(self.func.lists.push(regs)), 0),
        }
    }
}
