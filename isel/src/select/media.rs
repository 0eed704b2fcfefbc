//! Media messages: two-dimensional blocks, motion estimation, the sampler's messages for many pixels, and sampler
//! instructions of vISA without an execution size.
//!
//! All but the last ignore the execution mask. The opcode table determines the size of raw operands.

use std::iter::once;

use kiln_emit::messages::access::{Address, Cache, Elements, MemoryAccess, Operation, Space};
use kiln_emit::messages::{
    Function, Kind, Lines, Request, Simd, Stream, Surface as Memory, Value, others,
};
use kiln_machine::inst::{Desc, Dst, Src};
use kiln_platform::isa::{Op, Type};
use kiln_visa::module::{self as visa, Operand};
use kiln_visa::opcode::Opcode;
use smallvec::SmallVec;

use super::buffer::Buffer;
use super::message::{Payload, Surface};
use super::sampler::{FLAGS_BYTE, STATES_BYTE, Sampler};
use super::{Channels, Result, Select, field, ud};

/// Number of registers of the universal input of motion estimation.
const UNIVERSAL_GRFS: u32 = 4;
/// The hardware's search controls: one reference and one record from one start or from two, one reference and two
/// records, two references and two records.
const SEARCH_CONTROL: [u32; 4] = [0, 1, 3, 7];
/// Lowest bits in a sampler header's dword 2 of the disabled color channels, and of the format of `avs`.
const HEADER_COLORS: u32 = 12;
const HEADER_FORMAT: u32 = 18;
/// Lowest bits in the last dword of the payload of `avs` of the block's size, and of the filter's bypass.
const AVS_BLOCK: u32 = 25;
const AVS_BYPASS: u32 = 27;

impl Select<'_, '_> {
    /// Selects a media operation.
    pub(super) fn media(&mut self, visa: &visa::Inst) -> Result {
        match visa.op {
            Opcode::MediaLd | Opcode::MediaSt => self.media_block(visa),
            Opcode::VmeIme => self.motion_search(visa),
            Opcode::VmeSic => self.motion_check(visa, Function::Typed, Kind::MotionSkip),
            Opcode::VmeIdm => self.motion_check(visa, Function::VideoMotion, Kind::MotionIntra),
            Opcode::VmeFbr => self.motion_refine(visa),
            Opcode::Avs => self.avs(visa),
            Opcode::SampleUnorm => self.sample_unorm(visa),
            Opcode::Sample | Opcode::Load => self.sample_plain(visa),
            _ => self.sampler_flush(),
        }
    }

    /// Selects `media_ld` or `media_st`. Operands: mode, surface, plane, bytes of a row, rows, x, y, data.
    fn media_block(&mut self, visa: &visa::Inst) -> Result {
        let ops = &visa.operands;
        let (width, height) = (field(&ops[3]), field(&ops[4]));
        if !(1..=64).contains(&width) || !(1..=64).contains(&height) {
            return self.fail("a block of no rows or columns, or of more than 64");
        }
        let lines = match field(&ops[0]) & 7 {
            2 | 4 => Lines::Top,
            3 | 5 => Lines::Bottom,
            _ => Lines::All,
        };
        let surface = self.plane(&ops[1], field(&ops[2]))?;
        let x = self.scalar(&ops[5])?;
        let y = self.scalar(&ops[6])?;
        let size = ud((height - 1) << 16 | (width - 1));
        let header = self.header_with(&[(8, size), (0, x), (4, y)]);
        let access = MemoryAccess {
            operation: match visa.op {
                Opcode::MediaSt => Operation::Store,
                _ => Operation::Load,
            },
            space: Space::Image,
            address: Address::Uniform,
            elements: Elements::Rectangle { lines },
            channels: 8,
            cache: Cache::Default,
        };
        self.access(Channels::all(8), (access, surface), header, visa, 7)
    }

    /// A plane of a surface: its index is that of the surface plus the plane's number.
    fn plane(&mut self, surface: &Operand, plane: u32) -> Result<Surface> {
        Ok(match self.surface(surface)? {
            surface if plane == 0 => surface,
            Surface::Known(Memory::Bti(index)) => match index.checked_add(plane as u8) {
                Some(index) => Surface::Known(Memory::of(index)),
                None => return self.fail("a plane of no surface"),
            },
            Surface::Indexed(index) => Surface::Indexed(self.computed(Op::Add, index, ud(plane))),
            _ => return self.fail("a plane of no surface"),
        })
    }

    /// Selects `vme_ime`. Operands: stream mode, search control, universal input, input, surface, two references,
    /// center of costs, output.
    fn motion_search(&mut self, visa: &visa::Inst) -> Result {
        let ops = &visa.operands;
        let stream = match field(&ops[0]) & 3 {
            0 => Stream::None,
            1 => Stream::Out,
            2 => Stream::In,
            _ => Stream::InOut,
        };
        let mut whole = self.motion_input(visa, 2, 3)?;
        let grf = self.grf();
        // The references, and the center of costs in the fourth register.
        for (at, bytes, operand) in [(0, 4, 5), (4, 4, 6), (3 * grf, grf, 7)] {
            self.copy_raw(&mut whole, at, &ops[operand], bytes)?;
        }
        // The search control, in the low bits of byte 13.
        let control = self.raw_scalar(&ops[2], 13, Type::Ub)?;
        let kept = self.temp(4);
        let to = Dst::new(kept, 1, Type::Ud);
        self.alu(Op::And, Channels::SCALAR, to, &[control, ud(0xf8)]);
        let with = self.temp(4);
        let to = Dst::new(with, 1, Type::Ud);
        let bits = ud(SEARCH_CONTROL[field(&ops[1]) as usize & 3]);
        let kept = Src::scalar(kept, Type::Ud);
        self.alu(Op::Or, Channels::SCALAR, to, &[kept, bits]);
        let to = whole.write(self, 13, 1, Type::Ub);
        let with = with.at(0);
        self.alu(
            Op::Mov,
            Channels::SCALAR,
            to,
            &[Src::scalar(with, Type::Ub)],
        );
        let request =
            Request::new(Function::VideoMotion, Kind::MotionSearch).with(Value::Stream(stream));
        self.motion(visa, (request, 4), whole, 8)
    }

    /// Selects `vme_sic` or `vme_idm`. Operands: universal input, input, surface, output.
    fn motion_check(&mut self, visa: &visa::Inst, function: Function, kind: Kind) -> Result {
        let whole = self.motion_input(visa, 0, 1)?;
        self.motion(visa, (Request::new(function, kind), 2), whole, 3)
    }

    /// Selects `vme_fbr`. Operands: universal input, input, surface, mode of the block, shape of its parts, their
    /// prediction, output.
    fn motion_refine(&mut self, visa: &visa::Inst) -> Result {
        let mut whole = self.motion_input(visa, 0, 1)?;
        let third = 2 * self.grf();
        for (n, operand) in (0..).zip(&visa.operands[3..6]) {
            let from = self.scalar(operand)?;
            let to = whole.write(self, third + 20 + n, 1, Type::Ub);
            self.alu(Op::Mov, Channels::SCALAR, to, &[from]);
        }
        let request = Request::new(Function::Typed, Kind::MotionRefine);
        self.motion(visa, (request, 2), whole, 6)
    }

    /// The payload of the universal input and the operation's own input.
    fn motion_input(&mut self, visa: &visa::Inst, universal: usize, own: usize) -> Result<Buffer> {
        let grf = self.grf();
        let (_, grfs) = self.shape(visa, own)?;
        let mut whole = Buffer::new((UNIVERSAL_GRFS + grfs) * grf);
        self.copy_raw(
            &mut whole,
            0,
            &visa.operands[universal],
            UNIVERSAL_GRFS * grf,
        )?;
        self.copy_raw(
            &mut whole,
            UNIVERSAL_GRFS * grf,
            &visa.operands[own],
            grfs * grf,
        )?;
        Ok(whole)
    }

    fn motion(
        &mut self,
        visa: &visa::Inst,
        (request, surface): (Request, usize),
        mut whole: Buffer,
        output: usize,
    ) -> Result {
        let surface = self.surface(&visa.operands[surface])?;
        let grfs = whole.bytes() / self.grf();
        let reg = whole.whole(self);
        let input = Payload { reg, grfs };
        let request = (request.with_header(), surface);
        let answer = self.answer(visa, output)?;
        self.send(Channels::all(8), request, input, None, Some(answer))
    }

    /// Copies `bytes` bytes of a raw operand, a multiple of four, into a payload.
    pub(super) fn copy_raw(
        &mut self,
        to: &mut Buffer,
        at: u32,
        from: &Operand,
        bytes: u32,
    ) -> Result {
        let Operand::Raw { var, offset } = *from else {
            return self.fail("an operand that is not raw");
        };
        let (storage, byte) = self.storage(var, offset.into())?;
        let mut done = 0;
        while done < bytes {
            let n = ((bytes - done) / 4).min(8);
            let from = self.read(storage, byte + done, byte + done + n * 4);
            let to = to.write(self, at + done, n, Type::Ud);
            let all = Channels::all(n as u8);
            self.alu(Op::Mov, all, to, &[Src::packed(from, Type::Ud)]);
            done += n * 4;
        }
        Ok(())
    }

    /// An element of a raw operand.
    fn raw_scalar(&mut self, from: &Operand, at: u32, ty: Type) -> Result<Src> {
        let Operand::Raw { var, offset } = *from else {
            return self.fail("an operand that is not raw");
        };
        let (storage, byte) = self.storage(var, u32::from(offset) + at)?;
        Ok(Src::scalar(self.read(storage, byte, byte + ty.bytes()), ty))
    }

    /// Selects `avs`. Operands: channels, sampler, surface, step in u, u, step in v, v, second derivative in u,
    /// group, number of the vertical block, format, second derivative in v, block, bypass, result.
    fn avs(&mut self, visa: &visa::Inst) -> Result {
        let ops = &visa.operands;
        let flags = (!field(&ops[0]) & 15) << HEADER_COLORS | field(&ops[10]) << HEADER_FORMAT;
        let block = field(&ops[12]) << AVS_BLOCK;
        let (group, bypass) = (self.scalar(&ops[8])?, self.scalar(&ops[13])?);
        let upper = match bypass {
            Src::Imm(imm) => ud(block | (imm.bits() as u32 & 1) << AVS_BYPASS),
            register => {
                let low = self.computed(Op::And, register, ud(1));
                let bit = self.computed(Op::Shl, low, ud(AVS_BYPASS));
                self.computed(Op::Or, bit, ud(block))
            }
        };
        let last = self.computed(Op::Add, group, upper);
        let given = [11, 9, 4, 6, 3, 5, 7];
        let mut dwords = [last; 8];
        for (dword, operand) in dwords.iter_mut().zip(given) {
            *dword = self.scalar(&ops[operand])?;
        }
        self.pixels(visa, Kind::Sample8x8, flags, &dwords)
    }

    /// Selects `sample_unorm`. Operands: channels and format, sampler, surface, u, v, their steps, result.
    fn sample_unorm(&mut self, visa: &visa::Inst) -> Result {
        let ops = &visa.operands;
        let flags = (!field(&ops[0]) & 15) << HEADER_COLORS;
        let mut dwords = [ud(0); 6];
        for (dword, operand) in dwords[2..].iter_mut().zip(&ops[3..7]) {
            *dword = self.scalar(operand)?;
        }
        self.pixels(visa, Kind::SampleUnorm, flags, &dwords)
    }

    pub(super) fn computed(&mut self, op: Op, a: Src, b: Src) -> Src {
        let result = self.temp(4);
        let to = Dst::new(result, 1, Type::Ud);
        self.alu(op, Channels::SCALAR, to, &[a, b]);
        Src::scalar(result, Type::Ud)
    }

    /// Sends the sampler a message of a header and one register of dwords.
    fn pixels(&mut self, visa: &visa::Inst, kind: Kind, flags: u32, dwords: &[Src]) -> Result {
        let ops = &visa.operands;
        let header = self.header_with(&[(8, ud(flags))]);
        let mut second = Buffer::new(self.grf());
        for (n, &dword) in (0..).zip(dwords) {
            // Floats stay as they are; narrow integers are extended.
            let ty = match dword.ty() {
                Type::F => Type::F,
                _ => Type::Ud,
            };
            let to = second.write(self, n * 4, 1, ty);
            self.alu(Op::Mov, Channels::SCALAR, to, &[dword]);
        }
        let second = Payload::new(second.whole(self), 1);
        let sampler = self.sampler_of(&ops[1], false)?;
        let last = ops.len() - 1;
        let answer = self.answer(visa, last)?;
        let payload = self.joined(&[header, second]);
        let surface = self.surface(&ops[2])?;
        let mut request = Request::new(Function::Sampler, kind).with_header();
        request.fields.sampler = Some(sampler.index);
        let request = request.lengths(2, 0, answer.grfs as u8);
        let message = self.on_surface(request, surface, sampler.register)?;
        let op = match message.ex_desc {
            Desc::Addr(_) => Op::Sends,
            Desc::Imm(_) => Op::Send,
        };
        self.exchange(op, Channels::all(16), message, payload, None, Some(answer));
        Ok(())
    }

    /// Selects `sample` or `load`. Operands: mode, [sampler], surface, u, v, r, result. The level of detail is 0.
    fn sample_plain(&mut self, visa: &visa::Inst) -> Result {
        let ops = &visa.operands;
        let loads = visa.op == Opcode::Load;
        let (kind, sampler) = match loads {
            true => (Kind::Ld, Sampler::default()),
            false => (Kind::Sample, self.sampler_of(&ops[1], false)?),
        };
        let first = if loads { 2 } else { 3 };
        let mode = field(&ops[0]);
        let (simd, size) = match mode & 16 {
            0 => (Simd::S8, 8),
            _ => (Simd::S16, 16),
        };
        let bytes = u32::from(size) * 4;
        let mut whole = Buffer::new(4 * bytes);
        // The level of detail comes before r in a load, after it in a sample.
        let order = if loads { [0, 1, 3] } else { [0, 1, 2] };
        for (place, operand) in order.into_iter().zip(&ops[first..]) {
            self.copy_raw(&mut whole, place * bytes, operand, bytes)?;
        }
        let level = (0..4).find(|n| !order.contains(n)).unwrap_or_default();
        let to = whole.write(self, level * bytes, size.into(), Type::Ud);
        self.alu(Op::Mov, Channels::all(size), to, &[ud(0)]);
        let parameters = Payload::new(whole.whole(self), 4 * bytes / self.grf());
        let colors = ud((!mode & 15) << HEADER_COLORS);
        let states = sampler.states.map(|states| (STATES_BYTE, states));
        let dwords: SmallVec<[(u32, Src); 2]> = once((FLAGS_BYTE, colors)).chain(states).collect();
        let header = self.header_with(&dwords);
        let surface = self.surface(&ops[first - 1])?;
        let answer = self.answer(visa, first + 3)?;
        if !answer.byte.is_multiple_of(self.grf()) {
            return self.fail("a result that does not begin at a register");
        }
        let request = others::sample(kind, simd, sampler.index).with_header();
        let request = request.lengths(header.grfs as u8, parameters.grfs as u8, answer.grfs as u8);
        let channels = Channels {
            size,
            off: 0,
            no_mask: false,
            pred: None,
        };
        let message = self.on_surface(request, surface, sampler.register)?;
        self.exchange(
            Op::Sends,
            channels,
            message,
            header,
            Some(parameters),
            Some(answer),
        );
        Ok(())
    }

    /// Selects `sampler_cache_flush`; the response tells that the flush is done.
    fn sampler_flush(&mut self) -> Result {
        let mut request = Request::new(Function::Sampler, Kind::SamplerFlush)
            .with_header()
            .surface(Memory::Bti(0));
        request.fields.sampler = Some(0);
        self.send_answered(Op::Send, request)
    }
}
