//! Moves through addresses in `a0`: a gather from the general registers, or a store of adjacent elements to them.
//!
//! Takes moves that change no bits, of at most sixteen channels, and `smov`. Distances from the file's start are words
//! of `a0` and constants; one comparison checks those of all enabled channels, and if one of them is outside, the
//! interpreter executes the move and words the error. Windows of the file are written back before.

use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};
use kiln_emit::inst::Type;

use super::asm::{Arg, Done, Length, Reg, THREAD};
use super::codes;
use super::emitter::{Emitter, Part, Slow};
use super::held::{HOLDS, OTHER, SPREAD, TEMPS};
use super::masks::takes_channels;
use super::operands::{Form, Modifiers, Place, destination, form};
use super::windows::place;
use crate::code::classify::is_raw_move;
use crate::code::operation::{Base, Dest, Operation, Path, Source, Target};
use crate::state::thread::{ADDR_BYTES, File};

/// Maximum number of channels: all of them are read before any is written.
const MOST: u8 = 16;

/// Distances of all channels' elements from the start of the general registers.
struct Distances {
    /// The words of `a0` that the channels' addresses are.
    words: Form,
    /// The number added to each.
    added: [u32; 16],
}

impl Distances {
    /// Rows of `width` channels from the word at a byte of `a0` on.
    fn new(
        (addr, imm, width): (u8, i16, usize),
        lanes: usize,
        steps: impl Fn(usize) -> usize,
    ) -> Option<Distances> {
        let rows = lanes.div_ceil(width.max(1));
        let start = place(File::Addr, addr.into());
        // With a negative offset an address may be outside although the element is not.
        if imm < 0 || usize::from(addr) + rows * 2 > ADDR_BYTES {
            return None;
        }
        let words = match (rows, width) {
            (1, _) => Form::Each(start),
            (_, 1) => Form::Adjacent(start),
            _ => Form::Permuted {
                at: start,
                from: std::array::from_fn(|lane| (lane / width * 2) as u16),
            },
        };
        let added = |lane| (imm as usize + if lane < lanes { steps(lane) } else { 0 }) as u32;
        Some(Distances {
            words,
            added: std::array::from_fn(added),
        })
    }

    fn of_source(src: &Source, lanes: usize) -> Option<Distances> {
        let words = match src.base {
            Base::Address { addr, imm } => (addr, imm, lanes),
            Base::Addresses { addr, imm, width } => (addr, imm, width.into()),
            _ => return None,
        };
        Distances::new(words, lanes, |lane| src.steps.at(lane))
    }

    fn of_dest(dst: &Dest, lanes: usize) -> Option<Distances> {
        let Target::Address { addr, imm } = dst.target else {
            return None;
        };
        let (size, step) = (dst.ty.bytes() as usize, usize::from(dst.step));
        let adjacent = step == size || lanes == 1;
        adjacent.then(|| Distances::new((addr, imm, lanes), lanes, |lane| lane * step))?
    }
}

/// The values of a move, and where they go.
enum From {
    Gathered(Distances),
    Read(Form),
}

enum To {
    /// Elements from the first distance on.
    Stored(Distances),
    Written(Place),
}

/// True for an operation with an operand at an address in `a0`.
pub fn is_indirect(op: &Operation) -> bool {
    let address = |s: &Source| matches!(s.base, Base::Address { .. } | Base::Addresses { .. });
    op.sources().iter().any(address) || matches!(op.dst.target, Target::Address { .. })
}

fn shape(op: &Operation, part: Part) -> Option<(From, To)> {
    let (src, lanes, size) = (&op.srcs[0], usize::from(op.lanes), op.dst.ty.bytes());
    let scattered = matches!(op.path, Path::Scattered)
        && matches!(op.srcs[1].base, Base::Constant(_))
        && src.ty.bytes() == size
        && !matches!(src.base, Base::Packed(_));
    let takes = (is_raw_move(op) || scattered)
        && !src.neg
        && !src.abs
        && size <= 4
        && matches!(op.lanes, 1 | 2 | 4 | 8 | MOST)
        && takes_channels(op);
    if !takes {
        return None;
    }
    let from = match src.base {
        Base::Address { .. } | Base::Addresses { .. } => {
            From::Gathered(Distances::of_source(src, lanes)?)
        }
        Base::File {
            file: File::Acc, ..
        } => return None,
        _ => From::Read(form(src, part)?),
    };
    let to = match op.dst.target {
        Target::Address { .. } => To::Stored(Distances::of_dest(&op.dst, lanes)?),
        _ => To::Written(destination(&op.dst, part)?),
    };
    Some((from, to))
}

impl Emitter<'_> {
    /// A move through addresses; false if it is not translated.
    pub fn indirect(&mut self, op: &Operation) -> Result<bool, IcedError> {
        let part = Part {
            first: 0,
            lanes: op.lanes,
        };
        let Some((from, to)) = shape(op, part) else {
            return Ok(false);
        };
        let (l, size) = (part.length32(), op.dst.ty.bytes() as usize);
        let mut mask = self.enabled(op, part)?;
        let counted = self.explicit(mask, part.lanes)?;
        let mut k = counted;
        if matches!(op.path, Path::Scattered)
            && let Base::Constant(bits) = op.srcs[1].base
        {
            self.asm.a.mov(iced_x86::code_asm::eax, bits as u32)?;
            self.asm
                .plain(Code::VEX_Kmovd_kr_r32, HOLDS, Register::EAX)?;
            // A predicate's channels are counted without those that the move leaves out.
            k = SPREAD;
            self.mask_op(Code::VEX_Kandw_kr_kr_kr, k, counted, HOLDS)?;
            mask = Some(k);
        }
        let grf = (
            place(File::Grf, 0),
            File::Grf.bytes(self.program.platform()),
        );
        self.flush(grf.0, grf.1)?;
        let mut slow = Vec::new();
        let value = match &from {
            From::Gathered(distances) => {
                self.checked(distances, (part, size), (TEMPS[0], k), &mut slow)?;
                TEMPS[3]
            }
            From::Read(form) => {
                let arg = self.lanes32(&op.srcs[0], (form, part), TEMPS[3], Modifiers::Bits)?;
                self.in_register(arg, TEMPS[3])?
            }
        };
        if let To::Stored(distances) = &to {
            self.checked(distances, (part, size), (TEMPS[1], k), &mut slow)?;
        }
        // Nothing has been changed so far. The interpreter counts what it executes itself.
        if op.pred.is_some() {
            self.asm
                .plain(Code::VEX_Kmovd_r32_kr, Register::EAX, counted)?;
            self.count_enabled()?;
        }
        if let From::Gathered(_) = from {
            self.gather(l, (value, TEMPS[0]), k)?;
        }
        match to {
            To::Written(place) => {
                let target = (place, size, part);
                let (d, merge) = self.open32(target, mask, value)?;
                self.asm.copy(l, d, merge, value)?;
                self.close32(target, mask, d, TEMPS[5])?;
            }
            To::Stored(_) => {
                self.forget(grf.0, grf.1)?;
                let first = Length::X.register(TEMPS[1]);
                self.asm
                    .plain(Code::EVEX_Vmovd_rm32_xmm, Register::EAX, first)?;
                let codes = match size {
                    1 => codes::MOVDB,
                    2 => codes::MOVDW,
                    _ => codes::STOREU32,
                };
                let to = in_file(Register::RAX);
                self.asm.store_masked(codes, l, to, Some(k), value)?;
            }
        }
        self.rejoin(slow)?;
        Ok(true)
    }

    /// Puts distances into a register, and leaves if an element of an enabled channel is not in the file.
    fn checked(
        &mut self,
        distances: &Distances,
        (part, size): (Part, usize),
        (to, k): (Reg, Register),
        slow: &mut Vec<Slow>,
    ) -> Done {
        const GREATER: u32 = 6;
        let l = part.length32();
        let words = self.elements32(Type::Uw, (&distances.words, part), to)?;
        let words = self.in_register(words, to)?;
        let added = self.asm.vector(distances.added);
        self.asm
            .three(codes::ADDD, l, to, None, (words, Arg::Whole(added)))?;
        let label = self.leave(slow);
        let last = File::Grf.bytes(self.program.platform()) - size;
        let last = self.asm.dword(last as u32);
        let outside = (to, Arg::Each(last), GREATER);
        self.asm
            .compare(codes::CMPUD, l, (HOLDS, Some(k)), outside)?;
        self.asm.plain(Code::VEX_Kortestw_kr_kr, HOLDS, HOLDS)?;
        self.asm.a.jnz(label)
    }

    /// Gathers dwords of the register file at the byte offsets in `distances`.
    fn gather(&mut self, l: Length, (to, distances): (Reg, Reg), k: Register) -> Done {
        self.asm.plain(Code::VEX_Kmovd_kr_km32, OTHER, k)?;
        let (code, to) = (l.code(codes::GATHERDD), l.register(to));
        let mut i = Instruction::with2(code, to, in_file(l.register(distances)))?;
        i.set_op_mask(OTHER);
        self.asm.put(i)
    }
}

/// The general registers at distances in a register.
fn in_file(distances: Register) -> MemoryOperand {
    let file = place(File::Grf, 0) as i64;
    MemoryOperand::with_base_index_scale_displ_size(THREAD, distances, 1, file, 1)
}
