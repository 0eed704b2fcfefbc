//! Temporaries that are written in parts, such as payloads.

use kiln_machine::inst::{Base, Dst, Reg, VReg};
use kiln_platform::isa::Type;
use smallvec::{SmallVec, smallvec};

use super::Select;

/// Bytes in registers. Each write defines new versions of the registers it touches.
pub(super) struct Buffer {
    bytes: u32,
    now: SmallVec<[Option<VReg>; 4]>,
}

impl Buffer {
    pub(super) fn new(bytes: u32) -> Buffer {
        Buffer {
            bytes,
            now: SmallVec::new(),
        }
    }

    pub(super) fn bytes(&self) -> u32 {
        self.bytes
    }

    /// The destination for `n` consecutive elements from byte `at` on, tied to the contents so far.
    pub(super) fn write(&mut self, select: &mut Select, at: u32, n: u32, ty: Type) -> Dst {
        let unit = select.unit();
        self.now
            .resize(self.bytes.div_ceil(unit).max(1) as usize, None);
        let touched = at / unit..(at + n * ty.bytes()).div_ceil(unit);
        let mut regs: SmallVec<[VReg; 4]> = SmallVec::new();
        let mut old: SmallVec<[VReg; 4]> = SmallVec::new();
        for part in touched {
            let v = select.out.grf((self.bytes - part * unit).min(unit));
            let before = self.now[part as usize].replace(v);
            regs.push(v);
            old.push(before.unwrap_or(VReg::NOTHING));
        }
        let old = select.old(old);
        let end = at % unit + n * ty.bytes();
        let reg = Reg::new(select.base(regs, end), at % unit);
        Dst {
            old,
            ..Dst::new(reg, 1, ty)
        }
    }

    /// The current registers of all bytes. Bytes that were never written are undefined.
    pub(super) fn whole(&mut self, select: &mut Select) -> Reg {
        let unit = select.unit();
        let mut regs: SmallVec<[VReg; 4]> = smallvec![];
        for n in 0..self.bytes.div_ceil(unit).max(1) {
            let known = self.now.get(n as usize).copied().flatten();
            regs.push(known.unwrap_or_else(|| {
                let v = select.out.grf((self.bytes - n * unit).min(unit));
                select.undef(v)
            }));
        }
        match regs[..] {
            [one] => Reg::virt(one, 0),
            _ => Reg::new(Base::List(select.out.lists.push(regs)), 0),
        }
    }
}
