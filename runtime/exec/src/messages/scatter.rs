//! Messages of the data port that gather or scatter: each channel accesses elements at an address of its own.

use kiln_emit::messages::Kind;

use super::payload::{aligned, buffer_base, channels, elements, fill, header_dword, payload};
use crate::code::send::Message;
use crate::state::cause::Cause;
use crate::state::lanes::{LANES, low_mask};
use crate::state::memory::{Shared, Space};
use crate::state::thread::Thread;
use crate::state::words::Words;

/// The accesses of a gathering or scattering message.
pub struct Scatter<'a> {
    pub write: bool,
    pub channels: usize,
    /// Size of an address in bytes: 4 (an offset into a surface) or 8.
    pub address: usize,
    /// The first payload register of the addresses.
    pub first: usize,
    /// Offset added to every 32-bit address after multiplication by `unit`.
    pub base: u32,
    pub unit: u32,
    /// Size of an element in registers and in memory, in bytes.
    pub slot: usize,
    pub element: usize,
    /// Required alignment of addresses in bytes.
    pub alignment: u64,
    /// Indices of the accessed elements after the address.
    pub elements: &'a [u32],
}

impl<'a> Scatter<'a> {
    /// Accesses at 64-bit addresses.
    pub fn a64(
        m: &Message,
        slot: usize,
        element: usize,
        elements: &'a [u32],
        write: bool,
    ) -> Result<Scatter<'a>, Cause> {
        Ok(Scatter {
            write,
            channels: channels(m)?,
            address: 8,
            first: usize::from(m.has_header()),
            base: 0,
            unit: 1,
            slot,
            element,
            alignment: element as u64,
            elements,
        })
    }
}

impl Scatter<'_> {
    pub fn run(&self, thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
        // Numbers of registers: of the addresses, and of one element of all channels.
        let addresses = (self.channels * self.address).div_ceil(m.register());
        let stride = (self.channels * self.slot).div_ceil(m.register());
        // The payload is read before the response, which may overlap it, is written.
        let mut starts = [0; LANES];
        let size = self.address;
        for row in (0..self.channels).step_by(m.register() / size) {
            let lanes = row..self.channels.min(row + m.register() / size);
            if m.enabled >> row & low_mask(lanes.len()) == 0 {
                continue;
            }
            let at = m.at(self.first, row * size)?;
            for lane in lanes.filter(|lane| m.enabled >> lane & 1 != 0) {
                let at = at + (lane - row) * size;
                thread.sent(at, size)?;
                starts[lane] = u64::from(thread.grf_dword(at));
                if size == 8 {
                    starts[lane] |= u64::from(thread.grf_dword(at + 4)) << 32;
                }
            }
        }
        let space = match self.address {
            _ if m.enabled & low_mask(self.channels) == 0 => return Ok(()),
            8 => Space::Address(shared.memory, 0),
            _ => shared.space(m.bti())?,
        };
        if let (false, Some(response), 4, 4, Some((words, ignored))) = (
            self.write,
            m.response,
            self.element,
            self.slot,
            space.words(),
        ) {
            let registers = stride * self.elements.len() * m.register();
            let count = self.read_dwords(thread, m, (words, ignored), &starts, response, registers);
            if let Some(count) = count {
                shared.count(false, count * 4);
                return Ok(());
            }
        }
        let mut moved = 0;
        for lane in m.channels(self.channels) {
            let start = starts[lane];
            for (index, &element) in self.elements.iter().enumerate() {
                let step = u64::from(element) * self.element as u64;
                let at = if self.address == 8 {
                    start.wrapping_add(step)
                } else {
                    let scaled = (start as u32).wrapping_mul(self.unit);
                    u64::from(scaled.wrapping_add(self.base).wrapping_add(step as u32))
                };
                let channel = lane as u32;
                let memory = space.at(at, self.element, channel)?;
                aligned(at, self.alignment, self.element, channel)?;
                moved += self.element;
                if self.write {
                    let register = self.first + addresses + index * stride;
                    let at = m.at(register, lane * self.slot)?;
                    thread.sent(at, self.element)?;
                    match self.element {
                        4 => memory.set_dword(thread.grf_dword(at)),
                        _ => memory.write(payload(thread, m, at, self.element)?),
                    }
                } else if let Some(response) = m.response {
                    let at = response + index * stride * m.register() + lane * self.slot;
                    let mut value = [0; 8];
                    if self.element == 4 {
                        fill(thread, m, at, &memory.dword().to_le_bytes())?;
                    } else {
                        memory.read(&mut value[..self.element]);
                        fill(thread, m, at, &value[..self.slot])?;
                    }
                }
            }
        }
        shared.count(self.write, moved);
        Ok(())
    }
}

impl Scatter<'_> {
    /// Reads dwords at 32-bit offsets; returns their number. None if one of them is inaccessible, which the general
    /// path then reports.
    pub fn read_dwords(
        &self,
        thread: &mut Thread,
        m: &Message,
        (words, ignored): (&Words, u32),
        starts: &[u64; LANES],
        response: usize,
        registers: usize,
    ) -> Option<usize> {
        if registers == 0 {
            return None;
        }
        let room = words.len().checked_sub(4)?;
        let mut left = m.enabled & low_mask(self.channels);
        let count = left.count_ones() as usize * self.elements.len();
        let pitch = registers / self.elements.len().max(1);
        let place = thread.grf.get_mut(response..response + registers)?;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let start = (starts[lane] as u32)
                .wrapping_mul(self.unit)
                .wrapping_add(self.base);
            for (row, &element) in place.chunks_exact_mut(pitch).zip(self.elements) {
                let at = (start.wrapping_add(element * 4) & !ignored) as usize;
                if at > room || !at.is_multiple_of(4) {
                    return None;
                }
                let dword = words.dword(at).to_le_bytes();
                row.get_mut(lane * 4..lane * 4 + 4)?.copy_from_slice(&dword);
            }
        }
        if thread.defined.is_some() {
            for lane in m.channels(self.channels) {
                for index in 0..self.elements.len() {
                    thread.define(response + index * pitch + lane * 4, 4);
                }
            }
        }
        Some(count)
    }
}

/// Untyped surface reads and writes: up to four dwords, those of the channel mask.
pub fn untyped(
    thread: &mut Thread,
    shared: &mut Shared,
    m: &Message,
    address: usize,
) -> Result<(), Cause> {
    let request = m.request()?;
    let write = matches!(
        request.kind,
        Kind::UntypedSurfaceWrite | Kind::A64UntypedSurfaceWrite
    );
    let mask = request.fields.channels.unwrap_or_default();
    let mut elements = [0; 4];
    let mut count = 0;
    for element in (0..4).filter(|element| mask >> element & 1 != 0) {
        elements[count] = element;
        count += 1;
    }
    let scatter = Scatter {
        address,
        ..Scatter::a64(m, 4, 4, &elements[..count], write)?
    };
    scatter.run(thread, shared, m)
}

/// `sizes`: bytes of an element in registers, in memory, and of an address step.
pub fn scatter_a32(
    thread: &mut Thread,
    shared: &mut Shared,
    m: &Message,
    write: bool,
    (slot, element, unit): (usize, usize, u32),
) -> Result<(), Cause> {
    let (channels, elements) = (channels(m)?, elements(m));
    let mut base = 0;
    let first = usize::from(m.has_header());
    if m.has_header() {
        base = header_dword(thread, m, 2)?
            .wrapping_mul(unit)
            .wrapping_add(buffer_base(thread, m)?);
    }
    let scatter = Scatter {
        write,
        channels,
        address: 4,
        first,
        base,
        unit,
        slot,
        element,
        // Bytes may be anywhere.
        alignment: if unit == 1 { 1 } else { element as u64 },
        elements,
    };
    scatter.run(thread, shared, m)
}
