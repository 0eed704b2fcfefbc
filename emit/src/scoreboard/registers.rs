//! Numbers of the registers that dependencies go by, and sets of them.
//!
//! General registers come first; accumulators, flags, the address register and the scalar register follow.

use kiln_platform::isa::RegFile;

pub(super) const GRFS: u16 = 256;
/// Accumulators: registers of the size of a general one.
const FIRST_ACC: u16 = GRFS;
const ACCS: u16 = 16;
const FIRST_FLAG: u16 = FIRST_ACC + ACCS;
const FLAGS: u16 = 8;
const ADDRESS: u16 = FIRST_FLAG + FLAGS;
const SCALAR: u16 = ADDRESS + 1;
/// Number of registers.
pub(super) const REGISTERS: usize = SCALAR as usize + 1;
const WORDS: usize = REGISTERS.div_ceil(64);

/// The rules of a register's dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Software waits for every dependency.
    Tracked,
    /// The hardware delays reads; software waits before another unit overwrites it.
    Overwritten,
    /// The hardware delays accesses; software waits before another unit overwrites what is read.
    ReadOnly,
}

/// The rules of a register.
pub(super) fn kind(register: u16) -> Kind {
    match register {
        register if register < GRFS || register == SCALAR => Kind::Tracked,
        ADDRESS => Kind::ReadOnly,
        _ => Kind::Overwritten,
    }
}

/// The number of a register; none of those that no dependency goes by.
pub(super) fn number(file: RegFile, num: u32) -> Option<u16> {
    let num = num as u16;
    match file {
        RegFile::Grf if num < GRFS => Some(num),
        RegFile::Acc | RegFile::Mme if num < ACCS => Some(FIRST_ACC + num),
        RegFile::Flag if num < FLAGS => Some(FIRST_FLAG + num),
        RegFile::Addr => Some(ADDRESS),
        RegFile::Scalar => Some(SCALAR),
        _ => None,
    }
}

/// A set of registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Registers([u64; WORDS]);

impl Registers {
    pub(super) fn contains(&self, register: u16) -> bool {
        self.0[usize::from(register / 64)] >> (register % 64) & 1 != 0
    }

    pub(super) fn insert(&mut self, register: u16) {
        self.0[usize::from(register / 64)] |= 1 << (register % 64);
    }

    pub(super) fn meets(&self, other: &Registers) -> bool {
        let both = self.0.iter().zip(&other.0).map(|(a, b)| a & b);
        both.fold(0, |all, bits| all | bits) != 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|bits| *bits == 0)
    }

    pub(super) fn add(&mut self, other: &Registers) {
        for (bits, added) in self.0.iter_mut().zip(&other.0) {
            *bits |= added;
        }
    }

    pub(super) fn remove(&mut self, other: &Registers) {
        for (bits, removed) in self.0.iter_mut().zip(&other.0) {
            *bits &= !removed;
        }
    }

    /// Removes the registers whose dependencies end with a block: flags and accumulators.
    pub(super) fn leave_block(&mut self) {
        self.0[WORDS - 1] &= 1 << (ADDRESS % 64) | 1 << (SCALAR % 64);
    }
}

const _: () = assert!(WORDS == 5 && FIRST_ACC as usize == (WORDS - 1) * 64);
