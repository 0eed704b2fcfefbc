//! Messages whose channels have two or four elements each, one channel's after the other's: whole registers of memory, and a
//! transposition.
//!
//! Takes elements of all channels of a part that fills a register of the host. Row *r* in the register file has element *r* of every
//! channel, and memory has channel after channel. Four rows are transposed in two steps, each of two registers at a time.

use iced_x86::code_asm::{CodeLabel, edx};
use iced_x86::{Code, MemoryOperand, Register};

use super::asm::{Arg, Done, Length, Reg};
use super::codes;
use super::emitter::{Emitter, Part};
use super::held::{HOLDS, TEMPS};
use crate::messages::plain::Plain;
use crate::state::lanes::low_mask;

/// Size of a register of the host in bytes, and its dwords.
const BYTES: usize = 64;
const DWORDS: usize = BYTES / 4;

/// True if a message's elements can be whole registers of memory.
pub fn is_interleaved(plain: &Plain, part: Part) -> bool {
    let rows = plain.elements.len();
    let in_order = (0..).zip(&plain.elements).all(|(n, element)| n == *element);
    matches!(rows, 2 | 4)
        && in_order
        && plain.element == plain.slot
        && usize::from(part.lanes) * plain.slot == BYTES
}

impl Emitter<'_> {
    /// Goes to `other` unless all channels are on and their distances, given as differences from the first one's, follow one
    /// another.
    pub fn unless_interleaved(
        &mut self,
        (plain, part): (&Plain, Part),
        k: Register,
        differences: Reg,
        other: CodeLabel,
    ) -> Done {
        const NOT_EQUAL: u32 = 4;
        let l = part.length32();
        let step = plain.extent() as u32;
        let series = std::array::from_fn(|lane| lane as u32 * step);
        let series = Arg::Whole(self.asm.vector(series));
        let differs = (differences, series, NOT_EQUAL);
        self.asm
            .compare(codes::CMPD, l, (HOLDS, Some(k)), differs)?;
        self.asm.plain(Code::VEX_Kortestw_kr_kr, HOLDS, HOLDS)?;
        self.asm.a.jnz(other)?;
        let all = low_mask(part.lanes.into()) as i32;
        self.asm.plain(Code::VEX_Kmovd_r32_kr, Register::EDX, k)?;
        self.asm.a.and(edx, all)?;
        self.asm.a.cmp(edx, all)?;
        self.asm.a.jne(other)
    }

    /// The elements of rows to or from the memory at `rax + rcx`.
    pub fn interleaved(&mut self, plain: &Plain, rows: &[Reg]) -> Done {
        // Elements of a register, and dwords of an element.
        let (n, unit) = (BYTES / plain.slot, plain.slot / 4);
        let halves = |i: usize| i / 2 + i % 2 * n;
        let pairs = |i: usize| i / 4 * 2 + i / 2 % 2 * n + i % 2;
        match (plain.write, rows) {
            (false, &[a, b]) => {
                self.load_part(TEMPS[0], 0)?;
                self.load_part(TEMPS[1], 1)?;
                for (row, to) in [a, b].into_iter().enumerate() {
                    self.elements(to, (TEMPS[0], TEMPS[1]), unit, |i| 2 * i + row)?;
                }
            }
            (false, &[a, b, c, d]) => {
                // Two rows of half of the channels.
                for part in 0..2 {
                    self.load_part(TEMPS[0], 2 * part)?;
                    self.load_part(TEMPS[1], 2 * part + 1)?;
                    for pair in 0..2 {
                        let of = |i: usize| i % (n / 2) * 4 + 2 * pair + i / (n / 2);
                        let to = TEMPS[2 + 2 * pair + part];
                        self.elements(to, (TEMPS[0], TEMPS[1]), unit, of)?;
                    }
                }
                for (pair, [low, high]) in [[a, b], [c, d]].into_iter().enumerate() {
                    let from = (TEMPS[2 + 2 * pair], TEMPS[3 + 2 * pair]);
                    self.elements(low, from, unit, |i| i + i / (n / 2) * (n / 2))?;
                    self.elements(high, from, unit, |i| n / 2 + i + i / (n / 2) * (n / 2))?;
                }
            }
            (true, &[a, b]) => {
                for part in 0..2 {
                    let of = |i: usize| part * (n / 2) + halves(i);
                    self.elements(TEMPS[0], (a, b), unit, of)?;
                    self.store_part(TEMPS[0], part)?;
                }
            }
            (true, &[a, b, c, d]) => {
                for half in 0..2 {
                    let of = |i: usize| half * (n / 2) + halves(i);
                    self.elements(TEMPS[0], (a, b), unit, of)?;
                    self.elements(TEMPS[1], (c, d), unit, of)?;
                    for part in 0..2 {
                        let of = |i: usize| part * (n / 2) + pairs(i);
                        self.elements(TEMPS[2], (TEMPS[0], TEMPS[1]), unit, of)?;
                        self.store_part(TEMPS[2], 2 * half + part)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Elements of two registers by their numbers among those of both.
    fn elements(
        &mut self,
        to: Reg,
        (a, b): (Reg, Reg),
        unit: usize,
        of: impl Fn(usize) -> usize,
    ) -> Done {
        let numbers: [u32; DWORDS] =
            std::array::from_fn(|dword| (of(dword / unit) * unit + dword % unit) as u32);
        let numbers = Arg::Whole(self.asm.vector(numbers));
        self.asm
            .two(codes::MOVDQU32, Length::Z, to, None, numbers)?;
        self.asm.regs(codes::PERMI2D, Length::Z, to, (a, b))
    }

    fn load_part(&mut self, to: Reg, part: usize) -> Done {
        self.asm.load(to, memory(part), BYTES)
    }

    fn store_part(&mut self, from: Reg, part: usize) -> Done {
        self.asm.store(from, memory(part), BYTES)
    }
}

/// A register of memory.
fn memory(part: usize) -> MemoryOperand {
    let displacement = (part * BYTES) as i64;
    MemoryOperand::with_base_index_scale_displ_size(
        Register::RAX,
        Register::RCX,
        1,
        displacement,
        1,
    )
}
