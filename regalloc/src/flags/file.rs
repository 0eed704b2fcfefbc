//! The two files, flags and the address register, in words.

use kiln_machine::func::Class;
use kiln_machine::inst::{Base, Dst, Inst, Reg, Src};
use kiln_platform::isa::{Op, RegFile, Region, Type};
use kiln_platform::platform::Platform;

/// Words of the larger file.
pub(crate) const MAX_WORDS: usize = 16;

/// Bytes of a word.
pub(crate) const WORD: u32 = 2;

/// A register file in words.
#[derive(Clone, Copy)]
pub(crate) struct File {
    pub(crate) class: Class,
    pub(crate) words: u8,
    /// The largest value, in words.
    pub(crate) most: u8,
}

impl File {
    pub(crate) fn flags(target: &Platform) -> File {
        File {
            class: Class::Flag,
            words: (target.flag_count * 2) as u8,
            most: 2,
        }
    }

    pub(crate) fn address(target: &Platform) -> File {
        let words = (target.addr_bytes / WORD) as u8;
        File {
            class: Class::Addr,
            words,
            most: words,
        }
    }

    /// The register at a byte of the value that begins at a word.
    pub(crate) fn reg(self, word: u8, byte: u32) -> Reg {
        let at = u32::from(word) * WORD + byte;
        match self.class {
            Class::Flag => Reg::phys(RegFile::Flag, (at / 4) as u8, at % 4),
            _ => Reg::phys(RegFile::Addr, 0, at),
        }
    }

    /// Copies a value of a number of words between its place and a general register, or between places.
    pub(crate) fn copy(self, to: Reg, from: Reg, words: u8) -> Inst {
        let (channels, ty) = match (self.class, words) {
            (Class::Flag, 2) => (1, Type::Ud),
            _ => (words, Type::Uw),
        };
        let region = match channels {
            1 => Region::SCALAR,
            n => Region::new(n, n, 1),
        };
        let mut mov = Inst::no_mask(Op::Mov, channels);
        mov.dst = Some(Dst::new(to, 1, ty));
        mov.srcs.push(Src::reg(from, region, ty));
        mov
    }
}

/// The words of a value.
pub(crate) fn mask(word: u8, size: u8) -> u16 {
    (((1u32 << size) - 1) << word) as u16
}

/// Words of a file that an instruction names as such.
pub(crate) fn taken(inst: &Inst, file: File) -> u16 {
    let mut words = 0;
    let mut add = |reg: Reg| match (reg.base(), file.class) {
        (Base::Phys(RegFile::Flag, n), Class::Flag) => words |= mask(n * 2, 2),
        (Base::Phys(RegFile::Addr, _), Class::Addr) => words = u16::MAX,
        _ => {}
    };
    for src in inst.srcs.iter().filter_map(Src::as_reg) {
        add(src.reg);
    }
    inst.dst.iter().for_each(|d| add(d.reg));
    inst.pred.iter().for_each(|p| add(p.flag));
    inst.cond.iter().for_each(|c| add(c.flag));
    words
}
