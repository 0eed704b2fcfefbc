//! Registers of a command streamer, and what commands compute with them (PRM vol. 2a, "MI_MATH", "MI_SET_PREDICATE").

use std::collections::HashMap;

use super::report;
use super::stream::ticks;

/// Bits of a register's address that count: the rest is the engine's base.
const PLACE: u32 = 0xffc;
/// The streamer's clock, two registers.
const CLOCK: u32 = 0x358;
/// The first of sixteen general registers of 64 bits.
const GENERAL: u32 = 0x600;
/// The result that a predicate looks at.
const RESULT: u32 = 0x3bc;
/// Numbers of operands in `MI_MATH` after those of the registers.
const SOURCE_A: u32 = 0x20;
const SOURCE_B: u32 = 0x21;
const ACCUMULATOR: u32 = 0x31;
const ZERO: u32 = 0x32;
const CARRY: u32 = 0x33;

/// Registers by their addresses.
#[derive(Default)]
pub struct Registers {
    values: HashMap<u32, u32>,
    /// The state of the predicate: 0 never skips, 1 if the result is zero, 2 if it is not, 15 always.
    predicate: u32,
}

impl Registers {
    /// The value of a register.
    pub fn get(&self, at: u32) -> u32 {
        match at & PLACE {
            CLOCK => ticks() as u32,
            place if place == CLOCK + 4 => (ticks() >> 32) as u32,
            place => self.values.get(&place).copied().unwrap_or(0),
        }
    }

    /// Changes a register.
    pub fn set(&mut self, at: u32, value: u32) {
        self.values.insert(at & PLACE, value);
    }

    /// A general register.
    pub fn general(&self, number: u32) -> u64 {
        let at = GENERAL + (number & 15) * 8;
        u64::from(self.get(at)) | u64::from(self.get(at + 4)) << 32
    }

    fn set_general(&mut self, number: u32, value: u64) {
        let at = GENERAL + (number & 15) * 8;
        self.set(at, value as u32);
        self.set(at + 4, (value >> 32) as u32);
    }

    /// Sets the state of the predicate.
    pub fn set_predicate(&mut self, state: u32) {
        self.predicate = state;
    }

    /// True if a command that heeds the predicate does nothing.
    pub fn skips(&self) -> bool {
        match self.predicate {
            0 => false,
            1 => self.get(RESULT) == 0,
            2 => self.get(RESULT) != 0,
            _ => true,
        }
    }

    /// Executes the instructions of `MI_MATH`.
    pub fn compute(&mut self, code: &[u32]) {
        let (mut a, mut b, mut sum, mut carry) = (0u64, 0u64, 0u64, false);
        for &word in code {
            let (operation, first, second) = (word >> 20, word >> 10 & 0x3ff, word & 0x3ff);
            let source = match first {
                SOURCE_B => &mut b,
                _ => &mut a,
            };
            match operation {
                0x080 => *source = self.general(second),
                0x480 => *source = !self.general(second),
                0x081 => *source = 0,
                0x481 => *source = u64::MAX,
                0x100 => (sum, carry) = a.overflowing_add(b),
                0x101 => (sum, carry) = a.overflowing_sub(b),
                0x102 => (sum, carry) = (a & b, false),
                0x103 => (sum, carry) = (a | b, false),
                0x104 => (sum, carry) = (a ^ b, false),
                0x105 => (sum, carry) = (a << (b & 63), false),
                0x106 => (sum, carry) = (a >> (b & 63), false),
                0x107 => (sum, carry) = ((a as i64 >> (b & 63)) as u64, false),
                0x180 | 0x580 => {
                    let flag = |set: bool| if set { u64::MAX } else { 0 };
                    let value = match second {
                        SOURCE_A => a,
                        SOURCE_B => b,
                        ACCUMULATOR => sum,
                        ZERO => flag(sum == 0),
                        CARRY => flag(carry),
                        _ => self.general(second),
                    };
                    let inverse = operation == 0x580;
                    self.set_general(first, if inverse { !value } else { value });
                }
                // No operation, and fences of registers.
                0..=2 => {}
                _ => report::unknown(format_args!(
                    "MI_MATH instruction {operation:#x} is not implemented"
                )),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_computed_with_their_flags() {
        let mut registers = Registers::default();
        registers.set_general(7, 1 << 40);
        registers.set_general(8, 1);
        // r7 - r8 to r0; its zero flag, inverted, to r1; the carry of r8 - r7 to r2.
        registers.compute(&[
            0x0800_8007,
            0x0800_8408,
            0x1010_0000,
            0x1800_0031,
            0x5800_0432,
        ]);
        registers.compute(&[0x0800_8008, 0x0800_8407, 0x1010_0000, 0x1800_0833]);
        let found = [0, 1, 2].map(|number| registers.general(number));
        assert_eq!(found, [(1 << 40) - 1, u64::MAX, u64::MAX]);
        registers.set(0x23bc, registers.get(0x2600));
        registers.set_predicate(1);
        assert!(!registers.skips());
        registers.set_predicate(2);
        assert!(registers.skips());
    }
}
