//! Operands as vectors: sources to lanes of 32 or 64 bits, results to windows.
//!
//! A source's region becomes a [`Form`] first, which says whether it is translated; nothing is emitted before all
//! operands of an operation have one. Elements smaller than a lane are extended by their type. A strided or
//! two-dimensional region is a permutation of the one or two vectors that it lies in.

use std::mem::offset_of;

use iced_x86::{Code, IcedError, Register};
use kiln_emit::inst::Type;

use super::asm::{Arg, Done, Length, Mask, Reg, THREAD, at, keep};
use super::codes::{self, Codes};
use super::emitter::{Emitter, Part};
use super::held::OTHER;
use super::windows::place;
use crate::code::operation::{Base, Dest, Operation, Source, Target};
use crate::state::thread::{Accumulators, File, Thread};

/// A source's elements for the lanes of a part.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// One number for all lanes.
    Constant(u64),
    /// A number for each lane.
    Vector([u32; 16]),
    /// One element, at an offset in [`Thread`], for all lanes.
    Each(usize),
    /// Adjacent elements.
    Adjacent(usize),
    /// The first of each `step` bytes, a power of two.
    Strided { at: usize, step: usize },
    /// Elements at distances from an offset.
    Permuted { at: usize, from: [u16; 16] },
    /// The active channels as a number.
    Active,
}

/// Destination of a part's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Results are dropped.
    Null,
    /// Adjacent elements, 4 bytes of them at least.
    Adjacent { at: usize },
    /// The first of each `step` bytes; all are 64 bytes at most.
    Strided { at: usize, step: usize },
    /// Adjacent elements, less than 4 bytes of them.
    Few { at: usize },
}

/// The form of a source for a part; none if it is not translated.
pub fn form(src: &Source, part: Part) -> Option<Form> {
    let lanes = usize::from(part.lanes);
    let first = usize::from(part.first);
    let size = src.ty.bytes() as usize;
    let (file, start) = match &src.base {
        Base::Constant(bits) => return Some(Form::Constant(*bits)),
        Base::Packed(bits) => {
            return Some(Form::Vector(std::array::from_fn(|lane| {
                bits[(first + lane) % 8] as u32
            })));
        }
        Base::ChannelEnable => return (src.ty.bytes() == 4).then_some(Form::Active),
        Base::File { file, at } => (*file, usize::from(*at)),
        Base::Address { .. } | Base::Addresses { .. } => return None,
    };
    let start = place(file, start);
    let at = start + src.steps.at(first);
    if lanes == 1 {
        return Some(Form::Each(at));
    }
    let distance = |lane: usize| {
        let here = start + src.steps.at(first + lane);
        here.checked_sub(at)
    };
    let step = distance(1)?;
    if (0..lanes).all(|lane| distance(lane) == Some(lane * step)) {
        if step == 0 {
            return Some(Form::Each(at));
        }
        if step == size {
            return Some(Form::Adjacent(at));
        }
        if step.is_power_of_two() && step > size && step <= 8 && step * lanes <= 64 {
            return Some(Form::Strided { at, step });
        }
    }
    let mut from = [0; 16];
    for (lane, from) in from.iter_mut().enumerate().take(lanes) {
        let distance = distance(lane).filter(|&d| d + size <= 128)?;
        *from = distance as u16;
    }
    Some(Form::Permuted { at, from })
}

/// The place of a destination for a part; none if it is not translated. Accumulators are not.
pub fn destination(dst: &Dest, part: Part) -> Option<Place> {
    let (file, start) = match dst.target {
        Target::Null => return Some(Place::Null),
        Target::File {
            file: file @ (File::Grf | File::Addr | File::Flag | File::Scalar | File::Notification),
            at,
        } => (file, usize::from(at)),
        _ => return None,
    };
    placed(dst, part, place(file, start))
}

/// First byte of a destination in the accumulators; none of any other.
pub fn accumulator(dst: &Dest) -> Option<usize> {
    match dst.target {
        Target::File {
            file: File::Acc,
            at,
        } => Some(at.into()),
        _ => None,
    }
}

/// Size of the smallest accumulator in bytes. Full values of eight floats from a multiple of it on are adjacent.
const ACCUMULATOR_BYTES: usize = 32;

/// As [`destination`], of singles and doubles. They may go to adjacent elements of accumulators, whose bytes are stored
/// as those of registers; their full values are not. These are adjacent in one accumulator only.
pub fn float_destination(dst: &Dest, part: Part) -> Option<Place> {
    match accumulator(dst) {
        Some(at) if matches!(dst.ty, Type::F | Type::Df) => {
            let size = dst.ty.bytes() as usize;
            let within = (at + usize::from(part.first) * size) % ACCUMULATOR_BYTES;
            let bytes = usize::from(part.lanes).min(8) * size;
            if within != 0 && within + bytes > ACCUMULATOR_BYTES {
                return None;
            }
            let place = placed(dst, part, place(File::Acc, at))?;
            matches!(place, Place::Adjacent { .. }).then_some(place)
        }
        _ => destination(dst, part),
    }
}

/// The place of a part of a destination that starts at an offset in [`Thread`].
fn placed(dst: &Dest, part: Part, start: usize) -> Option<Place> {
    let (size, step) = (dst.ty.bytes() as usize, usize::from(dst.step));
    let at = start + usize::from(part.first) * step;
    adjacent_or_strided(at, size, step, part.lanes.into())
}

fn adjacent_or_strided(at: usize, size: usize, step: usize, lanes: usize) -> Option<Place> {
    if lanes == 1 || step == size {
        return Some(match size * lanes {
            1..=3 => Place::Few { at },
            4 | 8 | 16 | 32 | 64 => Place::Adjacent { at },
            _ => return None,
        });
    }
    let fits = step.is_power_of_two() && step > size && step <= 8;
    (fits && matches!(step * lanes, 4 | 8 | 16 | 32 | 64)).then_some(Place::Strided { at, step })
}

/// Bytes of a source's or destination's elements that a part touches, as offsets in [`Thread`]: from, and to.
pub fn extent_of_source(src: &Source, part: Part) -> Option<(usize, usize)> {
    let Base::File { file, at } = src.base else {
        return None;
    };
    let start = place(file, usize::from(at));
    let lanes = usize::from(part.first)..usize::from(part.first + part.lanes);
    let places = lanes.map(|lane| src.steps.at(lane));
    let (low, high) = places.fold((usize::MAX, 0), |(low, high), p| (low.min(p), high.max(p)));
    Some((start + low, start + high + src.ty.bytes() as usize))
}

pub fn extent_of_dest(dst: &Dest, part: Part) -> Option<(usize, usize)> {
    let Target::File { file, at } = dst.target else {
        return None;
    };
    let (size, step) = (dst.ty.bytes() as usize, usize::from(dst.step));
    let first = place(file, usize::from(at) + usize::from(part.first) * step);
    Some((first, first + (usize::from(part.lanes) - 1) * step + size))
}

/// Interpretation of a source's modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modifiers {
    /// Negation and absolute value of an integer.
    Number,
    /// The negation is a complement.
    Logical,
    /// Changes of the sign bit of singles; denormals are flushed first if the mode says so.
    Single,
    /// Changes of the sign bit of an element of any size.
    Bits,
}

impl Emitter<'_> {
    /// A source as 32-bit lanes with its modifiers. `temp` is overwritten.
    pub fn lanes32(
        &mut self,
        src: &Source,
        (form, part): (&Form, Part),
        temp: Reg,
        modifiers: Modifiers,
    ) -> Result<Arg, IcedError> {
        let arg = self.elements32(src.ty, (form, part), temp)?;
        let flushes = modifiers == Modifiers::Single && self.mode.flush_f;
        if !flushes && !src.abs && !src.neg {
            return Ok(arg);
        }
        let l = part.length32();
        let mut reg = self.in_register(arg, temp)?;
        if flushes {
            self.asm.copy(l, temp, None, reg)?;
            self.flush_singles(l, temp)?;
            reg = temp;
        }
        let sign = match modifiers {
            Modifiers::Single => 1 << 31,
            _ => 1u32 << (src.ty.bytes() * 8 - 1),
        };
        if src.abs {
            match modifiers {
                Modifiers::Single | Modifiers::Bits => {
                    let m = self.asm.dword(sign - 1);
                    self.asm.each(codes::ANDD, l, temp, (reg, m))?;
                    reg = temp;
                }
                _ if src.ty == Type::Ud => {}
                _ => {
                    self.asm.two(codes::ABSD, l, temp, None, Arg::Reg(reg))?;
                    reg = temp;
                }
            }
        }
        if src.neg {
            match modifiers {
                Modifiers::Single | Modifiers::Bits => {
                    let m = self.asm.dword(sign);
                    self.asm.each(codes::XORD, l, temp, (reg, m))?;
                }
                Modifiers::Logical => self.complement(codes::TERNLOGD, l, temp, reg)?,
                Modifiers::Number => {
                    let zero = self.spare();
                    self.asm.zero(zero)?;
                    self.asm.regs(codes::SUBD, l, temp, (zero, reg))?;
                }
            }
            reg = temp;
        }
        Ok(Arg::Reg(reg))
    }

    /// All bits inverted.
    pub fn complement(&mut self, codes: Codes, l: Length, dst: Reg, src: Reg) -> Done {
        const NOT_C: u32 = 0x55;
        self.asm
            .three_imm(codes, l, dst, None, (src, Arg::Reg(src), NOT_C))
    }

    /// Replaces denormals by zeroes of their sign.
    pub fn flush_singles(&mut self, l: Length, reg: Reg) -> Done {
        let (exponent, sign) = (self.asm.dword(0x7f80_0000), self.asm.dword(1 << 31));
        let k = OTHER;
        self.asm
            .test(codes::TESTNMD, l, (k, None), (reg, Arg::Each(exponent)))?;
        self.asm
            .three(codes::ANDD, l, reg, keep(k), (reg, Arg::Each(sign)))
    }

    /// A source's elements as 32-bit lanes.
    pub fn elements32(
        &mut self,
        ty: Type,
        (form, part): (&Form, Part),
        temp: Reg,
    ) -> Result<Arg, IcedError> {
        let (l, lanes) = (part.length32(), usize::from(part.lanes));
        let size = ty.bytes() as usize;
        let done = Ok(Arg::Reg(temp));
        match form {
            Form::Constant(bits) => Ok(Arg::Each(self.asm.dword(*bits as u32))),
            Form::Vector(numbers) => Ok(Arg::Whole(self.asm.vector(*numbers))),
            Form::Active => {
                self.flush_active(temp)?;
                done
            }
            Form::Each(from) if size == 4 && lanes == 1 => Ok(Arg::Reg(self.read(*from, 4)?)),
            Form::Each(from) if size == 4 => Ok(Arg::Reg(self.read_each(*from, 4)?)),
            Form::Each(from) => {
                self.flush(*from, size)?;
                let signed = matches!(ty, Type::W | Type::B);
                let code = match (size, signed) {
                    (1, false) => Code::Movzx_r32_rm8,
                    (1, true) => Code::Movsx_r32_rm8,
                    (_, false) => Code::Movzx_r32_rm16,
                    (_, true) => Code::Movsx_r32_rm16,
                };
                self.asm.plain(code, Register::EAX, at(THREAD, *from))?;
                self.asm.spread_general(codes::BROADCASTD_GPR, l, temp)?;
                done
            }
            Form::Adjacent(from) if size == 4 => Ok(Arg::Reg(self.read(*from, lanes * 4)?)),
            Form::Adjacent(from) => {
                let bytes = size * lanes;
                let codes = match ty {
                    Type::B => codes::MOVSXBD,
                    Type::W => codes::MOVSXWD,
                    _ if size == 1 => codes::MOVZXBD,
                    _ => codes::MOVZXWD,
                };
                if bytes < 4 {
                    // The load reads memory after the elements, too, into lanes that nobody uses.
                    self.flush(*from, 8)?;
                    self.asm
                        .two(codes, l, temp, None, Arg::Whole(at(THREAD, *from)))?;
                } else {
                    let reg = self.read(*from, bytes)?;
                    self.asm.widen(codes, l, temp, reg)?;
                }
                done
            }
            Form::Strided { at, step } => {
                let reg = self.read(*at, step * lanes)?;
                match step {
                    2 => self.asm.widen(codes::MOVZXWD, l, temp, reg)?,
                    4 => {}
                    _ => self
                        .asm
                        .narrow(codes::MOVQD, Length::of(step * lanes), temp, reg)?,
                }
                let from = if *step == 4 { reg } else { temp };
                self.extend(ty, l, temp, from).map(Arg::Reg)
            }
            Form::Permuted { at, from } => {
                self.permute(ty, (*at, from), part, temp)?;
                self.extend(ty, l, temp, temp)?;
                done
            }
        }
    }

    fn flush_active(&mut self, temp: Reg) -> Done {
        let active = at(THREAD, offset_of!(Thread, active));
        self.asm.broadcast(temp, active, 4)
    }

    /// Extends the low bytes of 32-bit lanes by their type; gives the register that has the result.
    fn extend(&mut self, ty: Type, l: Length, temp: Reg, from: Reg) -> Result<Reg, IcedError> {
        let unused = match ty.bytes() {
            1 => 24,
            2 => 16,
            _ => return Ok(from),
        };
        if matches!(ty, Type::B | Type::W) {
            self.asm.number(codes::SLLD, l, temp, (from, unused))?;
            self.asm.number(codes::SRAD, l, temp, (temp, unused))?;
        } else {
            let low = self.asm.dword(u32::MAX >> unused);
            self.asm.each(codes::ANDD, l, temp, (from, low))?;
        }
        Ok(temp)
    }

    /// Elements at distances from an offset, to the low bytes of 32-bit lanes.
    fn permute(
        &mut self,
        ty: Type,
        (start, from): (usize, &[u16; 16]),
        part: Part,
        temp: Reg,
    ) -> Done {
        let (size, lanes) = (ty.bytes() as usize, usize::from(part.lanes));
        let unit = if size == 4 { 4 } else { 2 };
        let mut index = [0u32; 16];
        let mut shifts = [0u32; 16];
        for lane in 0..lanes {
            index[lane] = u32::from(from[lane]) / unit;
            shifts[lane] = u32::from(from[lane]) % unit * 8;
        }
        self.gather_units(start, from, (lanes, size), (unit, index), temp)?;
        if shifts.iter().any(|&s| s != 0) {
            let shifts = self.asm.vector(shifts);
            self.asm.three(
                codes::SRLVD,
                part.length32(),
                temp,
                None,
                (temp, Arg::Whole(shifts)),
            )?;
        }
        Ok(())
    }

    /// Units of 2 or 4 bytes, by their numbers in each lane, from the one or two vectors that they lie in.
    fn gather_units(
        &mut self,
        start: usize,
        from: &[u16; 16],
        (lanes, size): (usize, usize),
        (unit, index): (u32, [u32; 16]),
        temp: Reg,
    ) -> Done {
        let last = from[..lanes].iter().max().copied().unwrap_or(0);
        let span = (usize::from(last) + size).next_multiple_of(unit as usize);
        let index = self.asm.vector(index);
        self.asm.load(temp, index, 64)?;
        let z = Length::Z;
        if span <= 64 {
            let table = self.read(start, 64)?;
            let codes = if unit == 4 {
                codes::PERMD
            } else {
                codes::PERMW
            };
            return self.asm.regs(codes, z, temp, (temp, table));
        }
        let (low, high) = (self.read(start, 64)?, self.read(start + 64, 64)?);
        let codes = match unit {
            4 => codes::PERMI2D,
            _ => codes::PERMI2W,
        };
        self.asm.regs(codes, z, temp, (low, high))
    }

    /// A source of up to eight channels as 64-bit lanes with its modifiers. `temp` is overwritten.
    pub fn lanes64(
        &mut self,
        src: &Source,
        (form, part): (&Form, Part),
        temp: Reg,
        logical: bool,
    ) -> Result<Reg, IcedError> {
        let mut reg = self.elements64(src, (form, part), temp)?;
        let z = Length::Z;
        if src.abs && src.ty != Type::Uq {
            self.asm.two(codes::ABSQ, z, temp, None, Arg::Reg(reg))?;
            reg = temp;
        }
        if src.neg {
            if logical {
                self.complement(codes::TERNLOGQ, z, temp, reg)?;
            } else {
                let zero = self.spare();
                self.asm.zero(zero)?;
                self.asm.regs(codes::SUBQ, z, temp, (zero, reg))?;
            }
            reg = temp;
        }
        Ok(reg)
    }

    /// Elements as 64-bit lanes, extended by their type.
    pub fn elements64(
        &mut self,
        src: &Source,
        (form, part): (&Form, Part),
        temp: Reg,
    ) -> Result<Reg, IcedError> {
        let lanes = usize::from(part.lanes);
        if let Base::File {
            file: File::Acc,
            at,
        } = src.base
            && !src.ty.is_float()
        {
            let first = usize::from(at) + src.steps.at(part.first.into());
            let from = self.wide_place(first, src.ty.bytes() as usize);
            return self.read(from, lanes * 8);
        }
        match form {
            Form::Constant(bits) => {
                let from = self.asm.quad(*bits);
                self.asm.broadcast(temp, from, 8)?;
                return Ok(temp);
            }
            Form::Vector(numbers) => {
                let from = self.asm.vector(*numbers);
                self.asm
                    .two(codes::MOVSXDQ, Length::Z, temp, None, Arg::Whole(from))?;
                return Ok(temp);
            }
            _ => {}
        }
        if src.ty.bytes() < 8 {
            let arg = self.elements32(src.ty, (form, part), temp)?;
            let reg = self.in_register(arg, temp)?;
            let codes = match src.ty {
                ty if ty == Type::Ud || ty.is_float() => codes::MOVZXDQ,
                _ => codes::MOVSXDQ,
            };
            self.asm.widen(codes, Length::Z, temp, reg)?;
            return Ok(temp);
        }
        match form {
            Form::Each(from) => self.read_each(*from, 8),
            Form::Adjacent(from) => self.read(*from, lanes * 8),
            Form::Permuted { at, from } => {
                let mut index = [0u32; 16];
                for lane in 0..lanes {
                    index[lane * 2] = u32::from(from[lane]) / 4;
                    index[lane * 2 + 1] = u32::from(from[lane]) / 4 + 1;
                }
                self.gather_units(*at, from, (lanes, 8), (4, index), temp)?;
                Ok(temp)
            }
            _ => {
                self.flush_active(temp)?;
                self.asm.widen(codes::MOVZXDQ, Length::Z, temp, temp)?;
                Ok(temp)
            }
        }
    }

    /// Offset in [`Thread`] of the full value of an accumulator's element.
    pub fn wide_place(&self, at: usize, size: usize) -> usize {
        let lane = Accumulators::lane_of(at, size, self.register_bytes);
        offset_of!(Thread, acc) + offset_of!(Accumulators, wide) + lane * 8
    }

    /// The register that is to receive a result of 32-bit lanes by its last instruction, with its mask; `temp` if the
    /// result has to be converted or merged afterwards.
    pub fn open32(
        &mut self,
        (place, size, part): (Place, usize, Part),
        mask: Option<Register>,
        temp: Reg,
    ) -> Result<(Reg, Option<Mask>), IcedError> {
        match place {
            Place::Adjacent { at } if size == 4 => {
                let reg = self.write(at, size * usize::from(part.lanes), mask.is_some())?;
                Ok((reg, mask.and_then(keep)))
            }
            _ => Ok((temp, None)),
        }
    }

    /// Writes a result of 32-bit lanes that [`Emitter::open32`] has not given a window.
    pub fn close32(
        &mut self,
        (place, size, part): (Place, usize, Part),
        mask: Option<Register>,
        reg: Reg,
        temp: Reg,
    ) -> Done {
        let (l, lanes) = (part.length32(), usize::from(part.lanes));
        match place {
            Place::Null => Ok(()),
            Place::Adjacent { .. } if size == 4 => Ok(()),
            Place::Adjacent { at } => {
                let codes = if size == 2 {
                    codes::MOVDW
                } else {
                    codes::MOVDB
                };
                let d = self.write(at, size * lanes, mask.is_some())?;
                match mask {
                    None => self.asm.narrow(codes, l, d, reg),
                    Some(k) => {
                        self.asm.narrow(codes, l, temp, reg)?;
                        self.merge(size, Length::of(size * lanes), d, k, temp)
                    }
                }
            }
            Place::Few { at: to } => {
                self.forget(to, size * lanes)?;
                let to = at(THREAD, to);
                if mask.is_none() && lanes == 1 {
                    self.asm.plain(
                        Code::EVEX_Vmovd_rm32_xmm,
                        Register::EAX,
                        Length::X.register(reg),
                    )?;
                    return match size {
                        1 => self.asm.plain(Code::Mov_rm8_r8, to, Register::AL),
                        _ => self.asm.plain(Code::Mov_rm16_r16, to, Register::AX),
                    };
                }
                let k = self.explicit(mask, part.lanes)?;
                let narrowed = match (size, lanes) {
                    (1, 2..) => {
                        self.asm.narrow(codes::MOVDB, l, temp, reg)?;
                        temp
                    }
                    _ => reg,
                };
                let codes = if size == 1 {
                    codes::STOREU8
                } else {
                    codes::STOREU16
                };
                self.asm
                    .store_masked(codes, Length::X, to, Some(k), narrowed)
            }
            Place::Strided { at, step } => {
                let k = self.spread_mask(mask, part.lanes, step / size)?;
                let source = match step {
                    2 => {
                        self.asm.narrow(codes::MOVDW, l, temp, reg)?;
                        temp
                    }
                    4 => reg,
                    _ => {
                        let long = Length::of(step * lanes);
                        self.asm.widen(codes::MOVZXDQ, long, temp, reg)?;
                        temp
                    }
                };
                let d = self.write(at, step * lanes, true)?;
                self.merge(size, Length::of(step * lanes), d, k, source)
            }
        }
    }

    /// Elements of a mask of one register to another.
    pub fn merge(&mut self, size: usize, l: Length, d: Reg, k: Register, src: Reg) -> Done {
        let codes = match size {
            1 => codes::MOVDQU8,
            2 => codes::MOVDQU16,
            4 => codes::MOVDQA32,
            _ => codes::MOVDQA64,
        };
        self.asm.two(codes, l, d, keep(k), Arg::Reg(src))
    }

    /// Writes a result of 64-bit lanes, wrapped to its type.
    pub fn close64(
        &mut self,
        (place, size, part): (Place, usize, Part),
        mask: Option<Register>,
        reg: Reg,
        temp: Reg,
    ) -> Done {
        let lanes = usize::from(part.lanes);
        let long = Length::of(lanes * 8);
        if size < 8 {
            if place == Place::Null {
                return Ok(());
            }
            self.asm.narrow(codes::MOVQD, long, temp, reg)?;
            let (d, k) = self.open32((place, size, part), mask, temp)?;
            self.asm.copy(part.length32(), d, k, temp)?;
            let other = self.spare();
            return self.close32((place, size, part), mask, d, other);
        }
        match place {
            Place::Null | Place::Few { .. } => Ok(()),
            Place::Adjacent { at } => {
                let d = self.write(at, 8 * lanes, mask.is_some())?;
                match mask {
                    None => self.asm.copy(long, d, None, reg),
                    Some(k) => self.merge(8, long, d, k, reg),
                }
            }
            // A step of more than 8 bytes has no place.
            Place::Strided { .. } => Ok(()),
        }
    }
}

/// True if a later part of an operation reads what an earlier part writes.
pub fn interferes(op: &Operation, parts: &[Part]) -> bool {
    let overlap = |(a, b): (usize, usize), (c, d): (usize, usize)| a < d && c < b;
    parts.iter().enumerate().any(|(n, &earlier)| {
        let Some(written) = extent_of_dest(&op.dst, earlier) else {
            return false;
        };
        parts[n + 1..].iter().any(|&later| {
            let mut read = op
                .sources()
                .iter()
                .filter_map(|s| extent_of_source(s, later));
            read.any(|read| overlap(written, read))
        })
    })
}
