//! Messages of pixel and vertex shaders: `rt_write_3d` and `urb_write_3d`.
//!
//! Both gather rows of registers into a payload. A header has what the descriptor has no bits for: the render
//! target, the presence of a source-0 alpha, the sample. With a header the hardware writes the pixels of the
//! header's mask and ignores the instruction's predicate, so that the predicate is put there.

use kiln_emit::messages::{Flag, Function, Kind, Request, Simd};
use kiln_machine::inst::{Desc, Dst, Old, Src};
use kiln_platform::isa::{Cond, Op, Type};
use kiln_visa::module::{self as visa, Operand};

use super::buffer::Buffer;
use super::message::{Payload, is_null};
use super::operand::condition;
use super::{Channels, Result, Select, field, ud};

/// Bits of the mode of `rt_write_3d`.
const TARGET_INDEX: u32 = 1 << 2;
const SOURCE_0_ALPHA: u32 = 1 << 3;
const OUTPUT_MASK: u32 = 1 << 4;
const DEPTH: u32 = 1 << 5;
const STENCIL: u32 = 1 << 6;
const LAST_WRITE: u32 = 1 << 7;
const COARSE_COUNTER: u32 = 1 << 8;
const EACH_SAMPLE: u32 = 1 << 9;
const COARSE: u32 = 1 << 10;
const SAMPLE_INDEX: u32 = 1 << 11;

/// The bits of a header's first dword for bits of the mode.
const HEADER_FLAGS: &[(u32, u32)] = &[
    (SOURCE_0_ALPHA, 1 << 11),
    (OUTPUT_MASK, 1 << 12),
    (DEPTH, 1 << 13),
    (STENCIL, 1 << 14),
];
/// The byte of a header with the number of the render target, and that of the mask of pixels.
const HEADER_TARGET: u32 = 8;
const HEADER_PIXELS: u32 = 32 + 28;
/// The lowest bit of the sample's number in the first dword.
const HEADER_SAMPLE: u32 = 6;
/// Bit of the descriptor: the output is of coarse pixels.
const COARSE_OUTPUT: u32 = 1 << 18;
/// Lowest bit of the URB's channel masks in a dword.
const URB_MASK: u32 = 16;

impl Select<'_, '_> {
    /// Selects `rt_write_3d`. Operands: mode, surface, header, [sample], [coarse counter], [target], [source-0
    /// alpha], [output mask], red, green, blue, alpha, [depth], [stencil].
    pub(super) fn render_write(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        let size = channels.size;
        if size > 16 {
            return self.fail("a write of more than 16 pixels");
        }
        let mode = field(&visa.operands[0]);
        if mode & (COARSE | COARSE_COUNTER) != 0 && !self.out.target.coarse_pixels {
            return self.fail("coarse pixels, which the platform lacks");
        }
        let mut operands = visa.operands[3..].iter();
        let mut given = [None; 3];
        for (place, bit) in given
            .iter_mut()
            .zip([SAMPLE_INDEX, COARSE_COUNTER, TARGET_INDEX])
        {
            if mode & bit != 0 {
                *place = operands.next();
            }
        }
        let [sample, counter, target] = given;
        // Target 0 needs no header.
        let target = target.filter(|t| !matches!(t, Operand::Imm { bits: 0, .. }));
        let mut rows = Vec::with_capacity(8);
        for operand in operands {
            rows.push(self.parameter(operand)?);
        }
        let before = (mode & (SOURCE_0_ALPHA | OUTPUT_MASK)).count_ones() as usize;
        let colors = before.min(rows.len())..(before + 4).min(rows.len());
        let half = rows[colors.clone()].iter().any(|row| row.bytes == 2);
        for row in &mut rows[colors] {
            row.bytes = if half { 2 } else { 4 };
        }
        // Masks are words, stencils bytes.
        if let (true, Some(row)) = (
            mode & OUTPUT_MASK != 0,
            rows.get_mut(before.saturating_sub(1)),
        ) {
            row.bytes = 2;
        }
        if let (true, Some(row)) = (mode & STENCIL != 0, rows.last_mut()) {
            row.bytes = 1;
        }
        let needs_header = sample.is_some() || target.is_some() || mode & SOURCE_0_ALPHA != 0;
        let header = match needs_header {
            true => Some(self.render_header(visa, channels, sample, target)?),
            false => None,
        };
        let Some(payload) = self.rows(&rows, 0, size) else {
            return self.fail("a message of nothing");
        };
        let simd = if size > 8 { Simd::S16 } else { Simd::S8 };
        let mut request = Request::new(Function::RenderTarget, Kind::RenderTargetWrite)
            .flag(Flag::Half, half)
            .flag(Flag::HighSlots, channels.off >= 16)
            .flag(Flag::LastTarget, mode & LAST_WRITE != 0)
            .flag(Flag::EachSample, mode & EACH_SAMPLE != 0);
        request.fields.simd = Some(simd);
        request.header = needs_header;
        if mode & COARSE != 0 {
            request.rest |= COARSE_OUTPUT;
        }
        let (first, second) = match header {
            Some(header) => (header, Some(payload)),
            None => (payload, None),
        };
        let request = request.lengths(first.grfs as u8, second.map_or(0, |p| p.grfs as u8), 0);
        let surface = self.surface(&visa.operands[1])?;
        let mut message = self.on_surface(request, surface, None)?;
        if let (Some(counter), Desc::Imm(bits)) = (counter, message.ex_desc) {
            let counter = self.scalar(counter)?;
            message.ex_desc = self.descriptor(&[counter, ud(bits)], Op::Or);
        }
        let channels = match needs_header {
            true => channels.unpredicated(),
            false => channels,
        };
        self.exchange(Op::Sendsc, channels, message, first, second, None);
        Ok(())
    }

    /// The header: r0 and the second register that the instruction gives, changed as the mode says.
    fn render_header(
        &mut self,
        visa: &visa::Inst,
        channels: Channels,
        sample: Option<&Operand>,
        target: Option<&Operand>,
    ) -> Result<Payload> {
        let mode = field(&visa.operands[0]);
        let mut header = Buffer::new(2 * self.grf());
        let thread = Src::packed(self.header(0), Type::Ud);
        let to = header.write(self, 0, 8, Type::Ud);
        self.alu(Op::Mov, Channels::all(8), to, &[thread]);
        if !is_null(&visa.operands[2]) {
            self.copy_raw(&mut header, self.grf(), &visa.operands[2], 32)?;
        }
        let flags = HEADER_FLAGS.iter().filter(|(bit, _)| mode & bit != 0);
        let flags: u32 = flags.map(|(_, flag)| flag).sum();
        let mut first = Src::scalar(self.header(0), Type::Ud);
        if let Some(sample) = sample {
            let sample = self.scalar(sample)?;
            let placed = self.computed(Op::Shl, sample, ud(HEADER_SAMPLE));
            first = self.computed(Op::Or, first, placed);
        }
        if flags != 0 || sample.is_some() {
            let to = header.write(self, 0, 1, Type::Ud);
            self.alu(Op::Or, Channels::SCALAR, to, &[first, ud(flags)]);
        }
        if let Some(target) = target {
            let target = self.scalar(target)?;
            let to = header.write(self, HEADER_TARGET, 1, Type::Ud);
            self.alu(Op::Mov, Channels::SCALAR, to, &[target]);
        }
        if channels.pred.is_some() {
            // The mask of active channels for which the predicate holds.
            let n = u32::from(channels.size);
            let [one, zero] = [1, 0].map(|bit| Src::imm(Type::Uw, bit));
            let mut words = Buffer::new(n * 2);
            let to = words.write(self, 0, n, Type::Uw);
            self.alu(Op::Mov, Channels::all(channels.size), to, &[zero]);
            let to = words.write(self, 0, n, Type::Uw);
            self.alu(Op::Mov, channels, to, &[one]);
            let words = Src::packed(words.whole(self), Type::Uw);
            let chosen = self.temp_flag();
            let all = Channels {
                no_mask: true,
                ..channels.unpredicated()
            };
            self.conditional(
                Op::Cmp,
                all,
                Dst::null(Type::Uw),
                &[words, zero],
                condition(Cond::Ne, chosen, Old::None),
            );
            let byte = if channels.off >= 16 { 2 } else { 0 };
            let to = header.write(self, HEADER_PIXELS, 1, Type::Uw);
            let mask = Src::scalar(chosen.at(byte), Type::Uw);
            self.alu(Op::Mov, Channels::SCALAR, to, &[mask]);
        }
        Ok(Payload::new(header.whole(self), 2))
    }

    /// Selects `urb_write_3d`. Operands: number of rows, channel masks, offset, handles, offsets of the channels,
    /// rows.
    pub(super) fn urb_write(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        let ops = &visa.operands;
        let (masks, offsets) = (&ops[1], &ops[4]);
        let grf = self.grf();
        let count = field(&ops[0]);
        let before = u32::from(!is_null(offsets)) + u32::from(!is_null(masks));
        let payload = match before {
            0 => self.payload(visa, 5)?,
            _ => {
                let mut whole = Buffer::new((before + count) * grf);
                if !is_null(offsets) {
                    self.copy_raw(&mut whole, 0, offsets, 32)?;
                }
                if !is_null(masks) {
                    let given = self.payload(visa, 1)?;
                    let to = whole.write(self, (before - 1) * grf, 8, Type::Ud);
                    let given = Src::packed(given.reg, Type::Ud);
                    self.alu(Op::Shl, Channels::all(8), to, &[given, ud(URB_MASK)]);
                }
                self.copy_raw(&mut whole, before * grf, &ops[5], count * grf)?;
                Payload::new(whole.whole(self), before + count)
            }
        };
        let handles = self.payload(visa, 3)?;
        let mut request = Request::new(Function::Urb, Kind::UrbDwordWrite)
            .with_header()
            .flag(Flag::ChannelMasks, !is_null(masks))
            .flag(Flag::SlotOffsets, !is_null(offsets))
            .lengths(handles.grfs as u8, payload.grfs as u8, 0);
        request.fields.offset = Some(field(&ops[2]) * 8);
        let message = self.known(request)?;
        self.exchange(Op::Sends, channels, message, handles, Some(payload), None);
        Ok(())
    }
}
