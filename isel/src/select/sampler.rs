//! Sampler messages: `sample_3d`, `load_3d`, `sample4`, `resinfo` and `sampleinfo`.
//!
//! The header, if there is one, is the first payload; the parameters, a row of registers each, are the second.
//! Messages have a register of dwords of channels or two (one only with gradients) and at most eleven registers. Wider
//! operations are cut into several messages, whose responses are copied to their place.

use kiln_emit::messages::{Flag, Kind, Simd, others};
use kiln_machine::inst::{Desc, Dst, Reg, Src};
use kiln_platform::errata::Erratum;
use kiln_platform::isa::{Op, Type};
use kiln_platform::platform::Platform;
use kiln_visa::module::{self as visa, Operand, StateVar, predefined};
use kiln_visa::opcode::Opcode;
use smallvec::SmallVec;

use super::buffer::Buffer;
use super::message::{Answer, Payload, Surface, is_null};
use super::operand::Storage;
use super::{Channels, Result, Select, field, ud};

/// The message kinds by vISA operation, and true for those with one register of channels only.
const KINDS: &[(Opcode, u32, Kind, bool)] = {
    use Opcode::{Gather4Sampler, Load3d, Sample3d};
    &[
        (Sample3d, 0, Kind::Sample, false),
        (Sample3d, 1, Kind::SampleB, false),
        (Sample3d, 2, Kind::SampleL, false),
        (Sample3d, 3, Kind::SampleC, false),
        (Sample3d, 4, Kind::SampleD, true),
        (Sample3d, 5, Kind::SampleBC, false),
        (Sample3d, 6, Kind::SampleLC, false),
        (Sample3d, 9, Kind::Lod, false),
        (Sample3d, 12, Kind::SampleKillpix, true),
        (Sample3d, 20, Kind::SampleDC, true),
        (Sample3d, 24, Kind::SampleLz, false),
        (Sample3d, 25, Kind::SampleCLz, false),
        (Load3d, 7, Kind::Ld, false),
        (Load3d, 26, Kind::LdLz, false),
        (Load3d, 28, Kind::Ld2dmsW, false),
        (Load3d, 29, Kind::LdMcs, false),
        (Gather4Sampler, 8, Kind::Gather4, false),
        (Gather4Sampler, 16, Kind::Gather4C, false),
        (Gather4Sampler, 17, Kind::Gather4Po, false),
        (Gather4Sampler, 18, Kind::Gather4PoC, false),
    ]
};

/// Maximum number of registers of a message.
const MAX_MESSAGE_GRFS: u32 = 11;
/// Flag bits in the operation's number.
const NULL_MASK: u32 = 1 << 8;
const COARSE: u32 = 1 << 9;
/// Bit of the texel offset: the sampler's index is 16 or more.
const LARGE_SAMPLER_INDEX: u64 = 1 << 15;
/// Bit of the extended descriptor: the level of detail is that of coarse pixels.
const COARSE_PIXELS: u32 = 1 << 11;
/// Byte of the header with texel offsets, disabled color channels, the channel of `gather4` and the request for
/// null-pixel masks; byte of the header with the start of the sampler states.
pub(super) const FLAGS_BYTE: u32 = 8;
pub(super) const STATES_BYTE: u32 = 12;
/// Byte of the header with the other half of a pair of surfaces.
const PAIR_BYTE: u32 = 16;
const HEADER_OFFSETS: u64 = 0xfff;
const HEADER_COLORS: u32 = 12;
const HEADER_CHANNEL: u32 = 16;
const HEADER_NULL_MASK: u32 = 1 << 23;
const STATE_BYTES: u32 = 16;
/// Number of samplers that a descriptor can name.
const MAX_DESC_SAMPLERS: u32 = 16;
/// Lowest bit of the sampler index in a descriptor.
const DESC_SAMPLER: u32 = 8;

/// The sampler of a message.
#[derive(Clone, Copy, Default)]
pub(super) struct Sampler {
    /// The index in the descriptor, and what is added to it in a register.
    pub(super) index: u32,
    pub(super) register: Option<Src>,
    /// The start of the sampler states, if the header has it.
    pub(super) states: Option<Src>,
}

/// A parameter: an element of `bytes` bytes for each channel; no storage if it is not given.
#[derive(Clone, Copy)]
pub(super) struct Parameter {
    from: Option<(Storage, u32)>,
    pub(super) bytes: u32,
}

/// A message before it is cut.
struct Ask {
    kind: Kind,
    /// True if the message has one register of channels only.
    narrow: bool,
    /// The constant bits of the header's dword 2, and those in a register.
    flags: u32,
    offsets: Option<Src>,
    needs_header: bool,
    null_mask: bool,
    coarse: bool,
    surface: Surface,
    sampler: Sampler,
    parameters: Vec<Parameter>,
    /// Number of the result's operand.
    result: usize,
    /// Number of color channels in the result.
    colors: u32,
    /// Number of channels of the instruction.
    size: u8,
    /// True if parameters have 16 bits.
    half_parameters: bool,
}

impl Select<'_, '_> {
    /// Selects an operation of the sampler.
    pub(super) fn sampler(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        let ask = match visa.op {
            Opcode::ResInfo => self.info(visa, Kind::Resinfo, 1)?,
            Opcode::SampleInfo => self.info(visa, Kind::Sampleinfo, 0)?,
            _ => self.sampling(visa)?,
        };
        self.ask(visa, channels, &ask)
    }

    /// The message for `sample_3d`, `load_3d` or `sample4`.
    fn sampling(&mut self, visa: &visa::Inst) -> Result<Ask> {
        let ops = &visa.operands;
        let number = field(&ops[0]);
        let known = KINDS
            .iter()
            .find(|(op, n, ..)| *op == visa.op && *n == number & 0xff);
        let Some(&(_, _, kind, narrow)) = known else {
            return self.fail("a sampler operation the platform lacks");
        };
        let coarse = number & COARSE != 0;
        if coarse && !self.out.target.coarse_pixels {
            return self.fail("coarse pixels, which the platform lacks");
        }
        let loads = visa.op == Opcode::Load3d;
        let surface_at = if loads { 3 } else { 4 };
        let null_mask = number & NULL_MASK != 0;
        let mut flags = if null_mask { HEADER_NULL_MASK } else { 0 };
        let mask = field(&ops[1]) & 15;
        let (colors, plain) = match kind {
            Kind::Gather4 | Kind::Gather4Po => {
                flags |= (mask & 3) << HEADER_CHANNEL;
                (4, mask & 3 == 0)
            }
            Kind::Gather4C | Kind::Gather4PoC => (4, true),
            _ => {
                flags |= (!mask & 15) << HEADER_COLORS;
                (mask.count_ones(), first_colors(mask))
            }
        };
        let mut far = false;
        let offsets = match &ops[2] {
            Operand::Imm { bits, .. } => {
                flags |= (bits & HEADER_OFFSETS) as u32;
                far = bits & LARGE_SAMPLER_INDEX != 0;
                None
            }
            other => Some(self.scalar(other)?),
        };
        let sampler = match loads {
            true => Sampler::default(),
            false => self.sampler_of(&ops[3], far)?,
        };
        let mut parameters = Vec::with_capacity(ops.len());
        for operand in ops.iter().skip(surface_at + 2) {
            parameters.push(self.parameter(operand)?);
        }
        let half = self.element_bytes(&ops[surface_at + 1])? == 2;
        let target = self.out.target;
        let needs_header = self.room.interruptible && wants_header(target)
            || null_mask
            || offsets.is_some()
            || flags & HEADER_OFFSETS as u32 != 0
            || !plain
            || sampler.states.is_some()
            || half && u32::from(visa.exec.size) > self.grf() / 4;
        Ok(Ask {
            kind,
            narrow,
            flags,
            offsets,
            needs_header,
            null_mask,
            coarse,
            surface: self.surface(&ops[surface_at])?,
            sampler,
            half_parameters: parameters.first().is_some_and(|p| p.bytes == 2),
            parameters,
            result: surface_at + 1,
            colors,
            size: visa.exec.size,
        })
    }

    /// The message for `resinfo` or `sampleinfo`, with the given number of parameters.
    fn info(&mut self, visa: &visa::Inst, kind: Kind, parameters: usize) -> Result<Ask> {
        let ops = &visa.operands;
        let mask = field(&ops[0]) & 15;
        let mut given = Vec::with_capacity(1);
        for operand in &ops[2..2 + parameters] {
            given.push(self.parameter(operand)?);
        }
        let all = self.room.interruptible && wants_header(self.out.target) && mask != 15;
        Ok(Ask {
            kind,
            narrow: false,
            flags: (!mask & 15) << HEADER_COLORS,
            offsets: None,
            // A message has at least one register.
            needs_header: all || !first_colors(mask) || parameters == 0,
            null_mask: false,
            coarse: false,
            surface: self.surface(&ops[1])?,
            sampler: Sampler::default(),
            half_parameters: given.first().is_some_and(|p| p.bytes == 2),
            parameters: given,
            result: 2 + parameters,
            colors: mask.count_ones(),
            size: visa.exec.size,
        })
    }

    /// The sampler that an operand names; `far` if its index may be 16 or more.
    pub(super) fn sampler_of(&mut self, operand: &Operand, far: bool) -> Result<Sampler> {
        let Operand::Sampler(s) = *operand else {
            return self.fail("an operand that is no sampler");
        };
        let known = self.constant_state(StateVar::Sampler(s));
        if let Some(index) = known.filter(|n| *n < MAX_DESC_SAMPLERS) {
            return Ok(Sampler {
                index,
                ..Sampler::default()
            });
        }
        let storage = self.state(StateVar::Sampler(s));
        if storage == Storage::Null {
            return self.fail("a sampler without a state");
        }
        let word = Src::scalar(self.read(storage, 0, 4), Type::Ud);
        if s.as_u32() == predefined::BINDLESS_SAMPLER && !self.out.target.sampler_pairs {
            return Ok(Sampler {
                states: Some(word),
                ..Sampler::default()
            });
        }
        if s.as_u32() == predefined::BINDLESS_SAMPLER {
            // A header's field counts pairs of states; the index selects one of the two.
            let odd = self.scalar_of(Op::And, word, STATE_BYTES);
            return Ok(Sampler {
                register: Some(self.scalar_of(Op::Shl, odd, DESC_SAMPLER - STATE_BYTES.ilog2())),
                states: Some(word),
                ..Sampler::default()
            });
        }
        let (index, states) = match far || known.is_some() {
            // The header's start is that of the group of sixteen states that contains the index.
            true => {
                let group = self.scalar_of(Op::And, word, !(MAX_DESC_SAMPLERS - 1));
                let bytes = self.scalar_of(Op::Shl, group, STATE_BYTES.ilog2());
                let first = Src::scalar(self.header(STATES_BYTE), Type::Ud);
                let states = self.temp(4);
                let to = Dst::new(states, 1, Type::Ud);
                self.alu(Op::Add, Channels::SCALAR, to, &[first, bytes]);
                let index = self.scalar_of(Op::And, word, MAX_DESC_SAMPLERS - 1);
                (index, Some(Src::scalar(states, Type::Ud)))
            }
            false => (word, None),
        };
        Ok(Sampler {
            index: 0,
            register: Some(self.scalar_of(Op::Shl, index, DESC_SAMPLER)),
            states,
        })
    }

    /// Computes a scalar from another and a constant.
    fn scalar_of(&mut self, op: Op, from: Src, constant: u32) -> Src {
        let result = self.temp(4);
        let to = Dst::new(result, 1, Type::Ud);
        self.alu(op, Channels::SCALAR, to, &[from, ud(constant)]);
        Src::scalar(result, Type::Ud)
    }

    fn element_bytes(&self, operand: &Operand) -> Result<u32> {
        let Operand::Raw { var, .. } = *operand else {
            return self.fail("an operand that is not raw");
        };
        let bytes = self.ir.object.vars[var].ty.bytes();
        Ok(if bytes == 2 { 2 } else { 4 })
    }

    /// The parameter that a raw operand holds.
    pub(super) fn parameter(&mut self, operand: &Operand) -> Result<Parameter> {
        let Operand::Raw { var, offset } = *operand else {
            return self.fail("an operand that is not raw");
        };
        let from = match is_null(operand) {
            true => None,
            false => Some(self.storage(var, offset.into())?),
        };
        let bytes = self.element_bytes(operand)?;
        Ok(Parameter { from, bytes })
    }

    /// Sends a request, in as many messages as it needs.
    fn ask(&mut self, visa: &visa::Inst, channels: Channels, ask: &Ask) -> Result {
        let grf = self.grf();
        let register = self.register_channels();
        let size = channels.size.max(register);
        let rows = |n: u8| -> u32 {
            let row = |p: &Parameter| (p.bytes * u32::from(n)).div_ceil(grf);
            ask.parameters.iter().map(row).sum::<u32>() + u32::from(ask.needs_header)
        };
        let mut n = size.min(2 * register);
        if ask.narrow || rows(n) > MAX_MESSAGE_GRFS {
            n = register;
        }
        let header = match ask.needs_header {
            true => Some(self.sampler_header(ask)),
            false => None,
        };
        self.out.uninterruptible |= header.is_none() && wants_header(self.out.target);
        let result = &visa.operands[ask.result];
        let bytes = self.element_bytes(result)?;
        let answer = match is_null(result) {
            true => None,
            false => Some(self.answer(visa, ask.result)?),
        };
        let row = (bytes * u32::from(n)).next_multiple_of(grf);
        let grfs = match answer {
            Some(_) => row / grf * ask.colors + u32::from(ask.null_mask),
            None => 0,
        };
        let fits = |a: &Answer| n == size && (a.byte.is_multiple_of(grf) || !ask.null_mask);
        let in_place = answer.as_ref().is_none_or(fits);
        let mut parts: SmallVec<[(Channels, Reg); 4]> = SmallVec::new();
        for piece in 0..size / n {
            let channels = Channels {
                size: channels.size.min(n),
                off: channels.off + piece * n,
                ..channels
            };
            let (first, rest) = match header {
                Some(header) => (Some(header), &ask.parameters[..]),
                None => {
                    let first = self.first_payload(&ask.parameters, piece, n);
                    let (first, rest) = ask.parameters.split_at(first);
                    (self.rows(first, piece, n), rest)
                }
            };
            let Some(src0) = first else {
                return self.fail("a message of nothing");
            };
            let src1 = self.rows(rest, piece, n);
            let mut request = others::sample(ask.kind, simd(n), ask.sampler.index)
                .flag(Flag::Half, bytes == 2)
                .flag(Flag::HalfParameters, ask.half_parameters)
                .lengths(
                    src0.grfs as u8,
                    src1.map_or(0, |p| p.grfs) as u8,
                    grfs as u8,
                );
            request.header = ask.needs_header;
            if ask.coarse {
                request.extended_rest |= COARSE_PIXELS;
            }
            let message = self.on_surface(request, ask.surface, ask.sampler.register)?;
            let split = src1.is_some() || matches!(message.ex_desc, Desc::Addr(_));
            let op = if split { Op::Sends } else { Op::Send };
            if in_place {
                self.exchange(op, channels, message, src0, src1, answer);
                continue;
            }
            let reg = self.temp(grfs * grf);
            parts.push((channels, reg));
            let ty = if n > register { Type::W } else { Type::Ud };
            self.emit(op, channels, message, src0, src1, Dst::new(reg, 1, ty));
        }
        if let Some(answer) = answer {
            for (piece, (channels, reg)) in (0..).zip(parts) {
                self.put(&answer, ask, (channels, piece, n), reg, bytes);
            }
        }
        Ok(())
    }

    /// The header: r0 with the request's flags in dword 2, and the start of the sampler states.
    fn sampler_header(&mut self, ask: &Ask) -> Payload {
        let flags = match ask.offsets {
            Some(offsets) => self.scalar_of(Op::Or, offsets, ask.flags),
            None => ud(ask.flags),
        };
        let states = match ask.sampler.states {
            None if self.out.target.bindless_sampler_bit => {
                let own = Src::scalar(self.header(STATES_BYTE), Type::Ud);
                Some(self.scalar_of(Op::And, own, !1))
            }
            states => states,
        };
        let mut dwords: SmallVec<[(u32, Src); 3]> = SmallVec::new();
        dwords.push((FLAGS_BYTE, flags));
        dwords.extend(states.map(|states| (STATES_BYTE, states)));
        if self.out.target.surface_pairs {
            dwords.push((PAIR_BYTE, ud(0)));
        }
        self.header_with(&dwords)
    }

    /// Number of dwords in a register: the fewest channels of a message to the sampler.
    fn register_channels(&self) -> u8 {
        (self.grf() / 4) as u8
    }

    /// Number of parameters in the first payload of a message without a header, such that few are copied: all if
    /// they are consecutive, else about half of them.
    fn first_payload(&self, parameters: &[Parameter], piece: u8, n: u8) -> usize {
        let copies = |part: &[Parameter]| match self.in_place(part, piece, n) {
            Some(_) => 0,
            None => part.len(),
        };
        let all = parameters.len();
        let cost = |first: &usize| {
            let (one, other) = parameters.split_at(*first);
            (copies(one) + copies(other), first.abs_diff(all / 2))
        };
        match copies(parameters) {
            0 => all,
            _ => (1..=all).min_by_key(cost).unwrap_or(all),
        }
    }

    /// The place of parameters that are consecutive.
    fn in_place(&self, parameters: &[Parameter], piece: u8, n: u8) -> Option<(Storage, u32)> {
        let grf = self.grf();
        let skipped = u32::from(piece) * u32::from(n);
        let first = parameters.first()?;
        let (storage, byte) = first.from?;
        let start = byte + skipped * first.bytes;
        let mut end = start;
        let follows = parameters.iter().all(|p| {
            let row = p.bytes * u32::from(n);
            let here = p.from == Some((storage, end - skipped * p.bytes));
            end += row;
            here && row >= grf
        });
        (follows && start.is_multiple_of(grf)).then_some((storage, start))
    }

    /// The parameters of the `piece`th group of `n` channels, a row of registers each: in place if they are
    /// consecutive, else copies.
    pub(super) fn rows(&mut self, parameters: &[Parameter], piece: u8, n: u8) -> Option<Payload> {
        if parameters.is_empty() {
            return None;
        }
        let grf = self.grf();
        let row = |p: &Parameter| (p.bytes * u32::from(n)).next_multiple_of(grf);
        let bytes: u32 = parameters.iter().map(row).sum();
        let grfs = bytes / grf;
        let skipped = u32::from(piece) * u32::from(n);
        if let Some((storage, start)) = self.in_place(parameters, piece, n) {
            let reg = self.read(storage, start, start + bytes);
            return Some(Payload { reg, grfs });
        }
        let mut whole = Buffer::new(bytes);
        let mut at = 0;
        for p in parameters {
            let ty = match p.bytes {
                1 => Type::Ub,
                2 => Type::Uw,
                _ => Type::Ud,
            };
            let from = match p.from {
                Some((storage, byte)) => {
                    let start = byte + skipped * p.bytes;
                    let reg = self.read(storage, start, start + u32::from(n) * p.bytes);
                    Src::packed(reg, ty)
                }
                None => Src::imm(if p.bytes < 4 { Type::Uw } else { Type::Ud }, 0),
            };
            let to = whole.write(self, at, n.into(), ty);
            self.alu(Op::Mov, Channels::all(n), to, &[from]);
            at += row(p);
        }
        let reg = whole.whole(self);
        Some(Payload { reg, grfs })
    }

    /// Copies the response of the `piece`th message of `n` channels to its place.
    fn put(
        &mut self,
        answer: &Answer,
        ask: &Ask,
        (channels, piece, n): (Channels, u8, u8),
        reg: Reg,
        bytes: u32,
    ) {
        let grf = self.grf();
        let size = u32::from(channels.size);
        let (from_row, to_row) = (
            (bytes * u32::from(n)).next_multiple_of(grf),
            (bytes * u32::from(ask.size.max(self.register_channels()))).next_multiple_of(grf),
        );
        let ty = if bytes == 2 { Type::Uw } else { Type::Ud };
        let first = u32::from(piece) * u32::from(n) * bytes;
        for color in 0..ask.colors {
            let at = answer.byte + color * to_row + first;
            let (to, old) = self.write(answer.storage, at, at + size * bytes);
            let to = Dst {
                old,
                ..Dst::new(to, 1, ty)
            };
            let from = Src::packed(reg.at(color * from_row), ty);
            self.alu(Op::Mov, channels, to, &[from]);
        }
        if !ask.null_mask {
            return;
        }
        // A bit for each channel: those of the first message, and everything above them.
        let (ty, bytes) = match (piece, n) {
            (0, _) => (Type::Ud, 4),
            (_, 8) => (Type::Ub, 1),
            _ => (Type::Uw, 2),
        };
        let at = answer.byte + ask.colors * to_row + u32::from(piece) * bytes;
        let (to, old) = self.write(answer.storage, at, at + bytes);
        let to = Dst {
            old,
            ..Dst::new(to, 1, ty)
        };
        let from = Src::scalar(reg.at(ask.colors * from_row), ty);
        self.alu(Op::Mov, Channels::SCALAR, to, &[from]);
    }
}

/// True if a thread that may be interrupted has to give each sampler message a header.
fn wants_header(target: &Platform) -> bool {
    target.needs(Erratum::SamplerHeader) || target.needs(Erratum::SamplerHeaderFromR0)
}

/// True for red, or the colors up to green, blue or alpha: the length of the response determines the colors.
fn first_colors(mask: u32) -> bool {
    mask & (mask + 1) == 0
}

fn simd(channels: u8) -> Simd {
    match channels {
        8 => Simd::S8,
        16 => Simd::S16,
        _ => Simd::S32,
    }
}
