//! Plain loads and stores of translated code.
//!
//! Takes messages of the form [`Plain`] whose elements are dwords, quadwords, or bytes and words in dwords. Addresses
//! become distances from the start of a buffer; one comparison checks those of all enabled channels, and if one of them
//! is outside or not aligned, the interpreter executes the message from the start, and words the error. Then they are
//! looked at: one after the other, all the same, or anything, which is a gather or a scatter, or of bytes and words a store
//! for each channel. The host scatters lanes in their order; stores of several elements are taken only where no two
//! channels can overlap in part.
//!
//! A message knows its buffer by a [`Site`]. That of a constant surface never changes; any other is the buffer that the
//! interpreter last found for the message. Code compares an extended descriptor in a register with that of its site.

use std::mem::offset_of;

use iced_x86::code_asm::{CodeLabel, eax, ecx, edx, rax, rdx};
use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};

use super::asm::{Arg, CONTEXT, Done, Length, Line, Reg, SITES, THREAD, at, keep};
use super::blocks::Lanes;
use super::codes;
use super::context::Context;
use super::emitter::{Emitter, Part, Slow};
use super::held::{HOLDS, OTHER, TEMPS};
use super::interleave::is_interleaved;
use super::masks::takes_channels;
use super::sites::{Kind, LOCAL_TAG, LOW_BITS, Site, SiteKind};
use super::windows::place;
use crate::code::operation::Operation;
use crate::code::send::Send;
use crate::messages::plain::{AddressSpace, Block, Plain};
use crate::state::lanes::low_mask;
use crate::state::memory::BTI_SLM;
use crate::state::thread::{File, Thread};

/// The forms of an access.
#[derive(Clone, Copy)]
struct Access<'a> {
    plain: &'a Plain,
    /// Offset of its site among all.
    site: usize,
    part: Part,
    /// The enabled channels.
    k: Register,
    /// True if the destination keeps what is not loaded.
    merges: bool,
}

impl Access<'_> {
    /// Window of an element of all channels, as an offset in [`Thread`].
    fn window(&self, row: usize) -> (usize, usize) {
        let slot = self.plain.slot;
        let from = self.plain.data + row * self.plain.pitch + usize::from(self.part.first) * slot;
        (place(File::Grf, from), usize::from(self.part.lanes) * slot)
    }

    /// The part of the site at an offset.
    fn site(&self, offset: usize) -> MemoryOperand {
        at(SITES, self.site + offset)
    }

    /// Length of a vector of elements as registers have them.
    fn length(&self) -> Length {
        Length::of(usize::from(self.part.lanes) * self.plain.slot)
    }
}

fn takes(op: &Operation, plain: &Plain, file: usize) -> bool {
    let count = plain.elements.len();
    let sizes = matches!((plain.element, plain.slot), (1 | 2 | 4, 4) | (8, 8));
    let whole = plain.write && count > 1;
    let data = plain.data + plain.pitch * (count - 1) + usize::from(op.lanes) * plain.slot;
    matches!(op.lanes, 1 | 2 | 4 | 8 | 16 | 32)
        && count <= 4
        && sizes
        && takes_channels(op)
        && data <= file
        && (!whole || count.is_power_of_two() && plain.extent() == count * plain.element)
        && (plain.unit.is_power_of_two())
}

impl Emitter<'_> {
    /// A message; false if it is not translated.
    pub fn message(&mut self, op: &Operation, send: &Send) -> Result<bool, IcedError> {
        let file = File::Grf.bytes(self.program.platform());
        let Some(form) = send.form() else {
            return Ok(false);
        };
        let plain = match Kind::of(op, send, form) {
            Some(Kind::Plain(plain)) if takes(op, &plain, file) => plain,
            Some(Kind::Block(block)) if block.data + block.size <= file => {
                return self.block_access(block, send.named()).map(|()| true);
            }
            _ => return Ok(false),
        };
        let most = 64 / plain.slot as u8;
        let parts: Vec<Part> = Part::of(op.lanes, most).collect();
        let lanes = usize::from(op.lanes);
        if parts.len() > 1 && !plain.write {
            // A later part's addresses must not be overwritten by an earlier part's elements.
            let (from, to) = (plain.addresses, plain.addresses + lanes * plain.address());
            let end = plain.data + plain.pitch * plain.elements.len();
            if plain.data < to && from < end {
                return Ok(false);
            }
        }
        // A load of a byte or word reads the dword at its address.
        let extent = match plain.write {
            true => plain.extent(),
            false => plain.extent() - plain.element + plain.slot,
        };
        let site = self.new_site(Kind::Plain(plain.clone()), extent, send.named());
        let mut last = None;
        let mut slow = Vec::new();
        self.named(site * size_of::<Site>(), send.named(), &mut slow)?;
        for &part in &parts {
            let enabled = self.enabled(op, part)?;
            let k = self.explicit(enabled, part.lanes)?;
            last = Some(k);
            let access = Access {
                plain: &plain,
                site: site * size_of::<Site>(),
                part,
                k,
                merges: enabled.is_some(),
            };
            let distances = self.distances(access, &mut slow)?;
            self.perform(access, distances)?;
        }
        // The interpreter counts what it executes itself, so that all of it is counted here or there.
        let one = last.filter(|_| parts.len() == 1);
        self.count_moved(op, &plain, one)?;
        self.rejoin(slow)?;
        Ok(true)
    }

    /// The number of a new site for the operation at hand.
    fn new_site(&mut self, access: Kind, extent: usize, named: Option<usize>) -> usize {
        let site = self.sites.len();
        let kind = SiteKind {
            access,
            extent,
            named,
        };
        self.sites.push(kind);
        self.site_of[self.index as usize] = Some(site as u32);
        site
    }

    /// Leaves if an extended descriptor in the address registers does not name the buffer of the site at an offset.
    fn named(&mut self, site: usize, named: Option<usize>, slow: &mut Vec<Slow>) -> Done {
        let Some(byte) = named else { return Ok(()) };
        let found = place(File::Addr, byte);
        self.flush(found, 4)?;
        let label = self.leave(slow);
        self.asm
            .plain(Code::Mov_r32_rm32, Register::EAX, at(THREAD, found))?;
        let expected = at(SITES, site + offset_of!(Site, extended));
        self.asm
            .plain(Code::Cmp_r32_rm32, Register::EAX, expected)?;
        self.asm.a.jne(label)
    }

    /// The offset of the thread's scratch space in `rdx`; leaves if it is after the last one.
    fn own_offset(&mut self, site: usize, label: CodeLabel) -> Done {
        let own = at(THREAD, offset_of!(Thread, scratch));
        self.asm.plain(Code::Mov_r32_rm32, Register::EDX, own)?;
        let last = at(SITES, site + offset_of!(Site, last_thread));
        self.asm.plain(Code::Cmp_r64_rm64, Register::RDX, last)?;
        self.asm.a.ja(label)
    }

    /// A message that loads or stores consecutive bytes.
    fn block_access(&mut self, block: Block, named: Option<usize>) -> Done {
        let number = self.new_site(Kind::Block(block.clone()), block.size, named);
        let first = number * size_of::<Site>();
        let site = |offset: usize| at(SITES, first + offset);
        let mut slow = Vec::new();
        self.named(first, named, &mut slow)?;
        let grf = |at: usize| place(File::Grf, at);
        self.flush(grf(block.address), 8)?;
        if let Some(base) = block.base {
            self.flush(grf(base), 4)?;
        }
        let label = self.leave(&mut slow);
        self.block_address(&block, label)?;
        if block.alignment > 1 {
            self.asm.a.test(eax, block.alignment as i32 - 1)?;
            self.asm.a.jnz(label)?;
        }
        if block.space == AddressSpace::Own {
            self.own_offset(first, label)?;
        } else if !matches!(block.space, AddressSpace::Surface(_)) {
            let base = site(offset_of!(Site, base));
            self.asm.plain(Code::Sub_r64_rm64, Register::RAX, base)?;
        }
        let starts = site(offset_of!(Site, starts));
        self.asm.plain(Code::Cmp_r64_rm64, Register::RAX, starts)?;
        self.asm.a.jae(label)?;
        let origin = site(offset_of!(Site, origin));
        self.asm.plain(Code::Add_r64_rm64, Register::RAX, origin)?;
        if block.space == AddressSpace::Own {
            self.asm.a.add(rax, rdx)?;
        }
        let mut done = 0;
        while done < block.size {
            let len = [64, 32, 16, 8, 4]
                .into_iter()
                .find(|len| done + len <= block.size);
            let len = len.unwrap_or(4);
            let memory = at(Register::RAX, done);
            let to = grf(block.data + done);
            if block.write {
                let reg = self.read(to, len)?;
                self.asm.store(reg, memory, len)?;
            } else {
                let reg = self.write(to, len, false)?;
                self.asm.load(reg, memory, len)?;
            }
            done += len;
        }
        let total = match block.write {
            true => offset_of!(Context, written),
            false => offset_of!(Context, read),
        };
        self.asm
            .plain(Code::Add_rm64_imm32, at(CONTEXT, total), block.size as i32)?;
        self.rejoin(slow)
    }

    /// A block's address, or its offset, in `rax`.
    fn block_address(&mut self, block: &Block, label: CodeLabel) -> Done {
        let grf = |offset: usize| at(THREAD, place(File::Grf, offset));
        let low = !(LOW_BITS as i32);
        if let AddressSpace::Scratch(named) = block.space {
            let own = at(THREAD, offset_of!(Thread, scratch));
            self.asm.plain(Code::Mov_r32_rm32, Register::EAX, own)?;
            self.asm.a.and(eax, low)?;
            let header = grf(block.base.unwrap_or(block.address));
            self.asm.plain(Code::Mov_r32_rm32, Register::ECX, header)?;
            self.asm.a.and(ecx, low)?;
            match named {
                Some(number) => self.asm.a.cmp(ecx, number as i32)?,
                None => self.asm.a.cmp(ecx, eax)?,
            }
            self.asm.a.jne(label)?;
            return self.asm.a.add(rax, block.offset);
        }
        let address = grf(block.address);
        if block.space == AddressSpace::Flat {
            self.asm.plain(Code::Mov_r64_rm64, Register::RAX, address)?;
            return self.asm.a.add(rax, block.offset);
        }
        self.asm.plain(Code::Mov_r32_rm32, Register::EAX, address)?;
        if block.unit != 1 {
            self.asm.a.shl(eax, block.unit.trailing_zeros())?;
        }
        if let Some(base) = block.base {
            self.asm
                .plain(Code::Mov_r32_rm32, Register::ECX, grf(base))?;
            self.asm.a.and(ecx, low)?;
            self.asm.a.add(eax, ecx)?;
        }
        if block.offset != 0 {
            self.asm.a.add(eax, block.offset)?;
        }
        match block.space {
            AddressSpace::Surface(BTI_SLM) => self.asm.a.and(eax, !LOCAL_TAG as i32),
            _ => Ok(()),
        }
    }

    /// A way out to the interpreter, for registers as they are now.
    pub fn leave(&mut self, slow: &mut Vec<Slow>) -> CodeLabel {
        let way = self.slow_path();
        let label = way.label;
        slow.push(way);
        label
    }

    /// Puts distances of all channels into a register and leaves if one of them is outside.
    fn distances(&mut self, access: Access, slow: &mut Vec<Slow>) -> Result<Reg, IcedError> {
        let plain = access.plain;
        let lanes = usize::from(access.part.lanes);
        let l = access.part.length32();
        let first = usize::from(access.part.first) * plain.address();
        let from = place(File::Grf, plain.addresses + first);
        if plain.space == AddressSpace::Flat {
            return self.distances64(access, from, slow);
        }
        let source = self.read(from, lanes * 4)?;
        let label = self.leave(slow);
        if plain.space == AddressSpace::Own {
            self.own_offset(access.site, label)?;
        }
        let t = TEMPS[0];
        let mut reg = source;
        if plain.unit != 1 {
            let shift = plain.unit.trailing_zeros();
            self.asm.number(codes::SLLD, l, t, (reg, shift))?;
            reg = t;
        }
        if plain.offset != 0 {
            let offset = self.asm.dword(plain.offset as u32);
            self.asm.each(codes::ADDD, l, t, (reg, offset))?;
            reg = t;
        }
        if plain.is_local() {
            let mask = self.asm.dword(!LOCAL_TAG);
            self.asm.each(codes::ANDD, l, t, (reg, mask))?;
            reg = t;
        }
        if plain.space == AddressSpace::Stateless {
            let base = access.site(offset_of!(Site, base));
            self.asm.each(codes::SUBD, l, t, (reg, base))?;
            reg = t;
        }
        const NOT_LESS: u32 = 5;
        let starts = access.site(offset_of!(Site, starts));
        let outside = (reg, Arg::Each(starts), NOT_LESS);
        self.asm
            .compare(codes::CMPUD, l, (HOLDS, Some(access.k)), outside)?;
        let mut second = HOLDS;
        if let Some(mask) = alignment_mask(plain) {
            let mask = self.asm.dword(mask);
            self.asm.test(
                codes::TESTMD,
                l,
                (OTHER, Some(access.k)),
                (reg, Arg::Each(mask)),
            )?;
            second = OTHER;
        }
        self.asm.plain(Code::VEX_Kortestw_kr_kr, HOLDS, second)?;
        self.asm.a.jnz(label)?;
        Ok(reg)
    }

    fn distances64(
        &mut self,
        access: Access,
        from: usize,
        slow: &mut Vec<Slow>,
    ) -> Result<Reg, IcedError> {
        const NOT_LESS: u32 = 5;
        let plain = access.plain;
        let lanes = usize::from(access.part.lanes);
        let (t, upper) = (TEMPS[0], TEMPS[1]);
        let mut sources = Vec::new();
        for first in (0..lanes).step_by(8) {
            sources.push(self.read(from + first * 8, (lanes - first).min(8) * 8)?);
        }
        let label = self.leave(slow);
        for (half, source) in sources.into_iter().enumerate() {
            let l = Length::of((lanes - half * 8).min(8) * 8);
            let d = if half == 0 { t } else { upper };
            let base = access.site(offset_of!(Site, base));
            self.asm.each(codes::SUBQ, l, d, (source, base))?;
            if plain.offset != 0 {
                let offset = self.asm.quad(i64::from(plain.offset) as u64);
                self.asm.each(codes::ADDQ, l, d, (d, offset))?;
            }
            let k = match half {
                0 => access.k,
                _ => {
                    self.asm
                        .plain3(Code::VEX_Kshiftrw_kr_kr_imm8, OTHER, access.k, 8)?;
                    OTHER
                }
            };
            let starts = access.site(offset_of!(Site, starts));
            let outside = (d, Arg::Each(starts), NOT_LESS);
            self.asm
                .compare(codes::CMPUQ, l, (HOLDS, Some(k)), outside)?;
            let mut second = HOLDS;
            if let Some(mask) = alignment_mask(plain) {
                let mask = self.asm.quad(mask.into());
                self.asm
                    .test(codes::TESTMQ, l, (OTHER, Some(k)), (d, Arg::Each(mask)))?;
                second = OTHER;
            }
            // Eight channels at most: the upper bits are those of a longer vector's.
            self.asm.plain(Code::VEX_Kortestw_kr_kr, HOLDS, second)?;
            self.asm.a.jnz(label)?;
            self.asm.narrow(codes::MOVQD, l, d, d)?;
        }
        if lanes > 8 {
            self.asm.insert_half(t, t, upper)?;
        }
        Ok(t)
    }

    /// Loads or stores the elements at distances that are all inside.
    fn perform(&mut self, access: Access, distances: Reg) -> Done {
        let plain = access.plain;
        let rows = plain.elements.len();
        let mut registers = Vec::with_capacity(rows);
        for row in 0..rows {
            let (from, len) = access.window(row);
            registers.push(match plain.write {
                true => self.read(from, len)?,
                false => self.write(from, len, access.merges)?,
            });
        }
        // A load must not overwrite its distances.
        let mut distances = distances;
        if registers.contains(&distances) {
            let l = access.part.length32();
            self.asm.copy(l, TEMPS[0], None, distances)?;
            distances = TEMPS[0];
        }
        let origin = access.site(offset_of!(Site, origin));
        self.asm.plain(Code::Mov_r64_rm64, Register::RAX, origin)?;
        if plain.space == AddressSpace::Own {
            let own = at(THREAD, offset_of!(Thread, scratch));
            self.asm.plain(Code::Mov_r32_rm32, Register::EDX, own)?;
            self.asm.a.add(rax, rdx)?;
        }
        self.asm.plain(
            Code::EVEX_Vmovd_rm32_xmm,
            Register::ECX,
            Length::X.register(distances),
        )?;
        // A first channel that is off may have a distance that wraps.
        self.asm
            .plain(Code::Movsxd_r64_rm32, Register::RCX, Register::ECX)?;
        let l = access.part.length32();
        let (first, differences) = (TEMPS[2], TEMPS[3]);
        let mut done = self.asm.label();
        self.asm.plain(
            l.code(codes::BROADCASTD),
            l.register(first),
            Length::X.register(distances),
        )?;
        self.asm
            .regs(codes::SUBD, l, differences, (distances, first))?;
        if rows == 1 && plain.elements[0] == 0 {
            let mut other = self.asm.label();
            let step = plain.element as u32;
            let series = self
                .asm
                .vector(std::array::from_fn(|lane| lane as u32 * step));
            const NOT_EQUAL: u32 = 4;
            let differs = (differences, Arg::Whole(series), NOT_EQUAL);
            self.asm
                .compare(codes::CMPD, l, (HOLDS, Some(access.k)), differs)?;
            self.asm.plain(Code::VEX_Kortestw_kr_kr, HOLDS, HOLDS)?;
            self.asm.a.jnz(other)?;
            self.adjacent(access, registers[0])?;
            self.asm.a.jmp(done)?;
            self.asm.place(&mut other)?;
        }
        if is_interleaved(plain, access.part) {
            let mut other = self.asm.label();
            self.unless_interleaved((plain, access.part), access.k, differences, other)?;
            self.interleaved(plain, &registers)?;
            self.asm.a.jmp(done)?;
            self.asm.place(&mut other)?;
        }
        if plain.write {
            self.scatter(access, distances, &registers)?;
        } else {
            self.load_broadcast_or_gather(access, (distances, differences), &registers, done)?;
        }
        self.asm.place(&mut done)?;
        self.asm.a.zero_bytes()
    }

    /// Elements one after the other, at `rax + rcx`.
    fn adjacent(&mut self, access: Access, reg: Reg) -> Done {
        let memory = MemoryOperand::with_base_index(Register::RAX, Register::RCX);
        let (plain, l, k) = (access.plain, access.length(), access.k);
        let codes = match (plain.write, plain.element) {
            (false, 1) => codes::MOVZXBD,
            (false, 2) => codes::MOVZXWD,
            (false, 4) => codes::MOVDQU32,
            (false, _) => codes::MOVDQU64,
            (true, 1) => codes::MOVDB,
            (true, 2) => codes::MOVDW,
            (true, 4) => codes::STOREU32,
            (true, _) => codes::STOREU64,
        };
        match plain.write {
            false => self.asm.two(codes, l, reg, keep(k), Arg::Whole(memory)),
            true => self.asm.store_masked(codes, l, memory, Some(k), reg),
        }
    }

    /// Loads when addresses are not consecutive: a broadcast if all are equal, else a gather.
    fn load_broadcast_or_gather(
        &mut self,
        access: Access,
        (distances, differences): (Reg, Reg),
        registers: &[Reg],
        done: CodeLabel,
    ) -> Done {
        let (plain, k) = (access.plain, access.k);
        let l = access.part.length32();
        let mut anywhere = self.asm.label();
        let same = (differences, Arg::Reg(differences));
        self.asm.test(codes::TESTMD, l, (HOLDS, Some(k)), same)?;
        self.asm.plain(Code::VEX_Kortestw_kr_kr, HOLDS, HOLDS)?;
        self.asm.a.jnz(anywhere)?;
        // The first channel's distance is checked only if it is on.
        self.asm.plain(Code::VEX_Kmovd_r32_kr, Register::EDX, k)?;
        self.asm.a.test(edx, 1i32)?;
        self.asm.a.jz(anywhere)?;
        for (&element, &reg) in plain.elements.iter().zip(registers) {
            let distance = i64::from(element) * plain.element as i64;
            let memory = MemoryOperand::with_base_index_scale_displ_size(
                Register::RAX,
                Register::RCX,
                1,
                distance,
                1,
            );
            self.element_to_all(access, reg, memory)?;
        }
        self.asm.a.jmp(done)?;
        self.asm.place(&mut anywhere)?;
        self.asm.a.zero_bytes()?;
        for (&element, &reg) in plain.elements.iter().zip(registers) {
            let distance = i64::from(element) * plain.element as i64;
            let gathers = if plain.slot == 8 {
                codes::GATHERDQ
            } else {
                codes::GATHERDD
            };
            let short = plain.element < plain.slot;
            let d = if short { TEMPS[4] } else { reg };
            self.asm.plain(Code::VEX_Kmovd_kr_km32, OTHER, k)?;
            let memory = MemoryOperand::with_base_index_scale_displ_size(
                Register::RAX,
                l.register(distances),
                1,
                distance,
                1,
            );
            let long = access.length();
            let mut i = Instruction::with2(long.code(gathers), long.register(d), memory)?;
            i.set_op_mask(OTHER);
            self.asm.put(i)?;
            if short {
                let bits = self.asm.dword(low_mask(plain.element * 8));
                self.asm
                    .three(codes::ANDD, l, reg, keep(k), (d, Arg::Each(bits)))?;
            }
        }
        Ok(())
    }

    fn element_to_all(&mut self, access: Access, reg: Reg, memory: MemoryOperand) -> Done {
        let (l, k) = (access.length(), keep(access.k));
        let code = match access.plain.element {
            1 => Code::Movzx_r32_rm8,
            2 => Code::Movzx_r32_rm16,
            4 => {
                return self
                    .asm
                    .two(codes::BROADCASTD, l, reg, k, Arg::Each(memory));
            }
            _ => {
                return self
                    .asm
                    .two(codes::BROADCASTQ, l, reg, k, Arg::Each(memory));
            }
        };
        self.asm.plain(code, Register::EDX, memory)?;
        let mut i = Instruction::with2(
            l.code(codes::BROADCASTD_GPR),
            l.register(reg),
            Register::EDX,
        )?;
        i.set_op_mask(access.k);
        self.asm.put(i)
    }

    /// Stores anywhere.
    fn scatter(&mut self, access: Access, distances: Reg, registers: &[Reg]) -> Done {
        let (plain, k) = (access.plain, access.k);
        if plain.element < plain.slot {
            return self.scatter_short(access, distances, registers);
        }
        let scatters = if plain.slot == 8 {
            codes::SCATTERDQ
        } else {
            codes::SCATTERDD
        };
        for (&element, &reg) in plain.elements.iter().zip(registers) {
            let distance = i64::from(element) * plain.element as i64;
            self.asm.plain(Code::VEX_Kmovd_kr_km32, OTHER, k)?;
            let memory = MemoryOperand::with_base_index_scale_displ_size(
                Register::RAX,
                access.part.length32().register(distances),
                1,
                distance,
                1,
            );
            let long = access.length();
            let mut i = Instruction::with2(long.code(scatters), memory, long.register(reg))?;
            i.set_op_mask(OTHER);
            self.asm.put(i)?;
        }
        Ok(())
    }

    /// Stores bytes or words anywhere, for which the host has no scatter: one enabled channel after the other.
    fn scatter_short(&mut self, access: Access, distances: Reg, registers: &[Reg]) -> Done {
        let (plain, bytes) = (access.plain, usize::from(access.part.lanes) * 4);
        let [places, values] = [0, 1].map(|n| offset_of!(Context, lanes) + n * size_of::<Line>());
        let lane = |array: usize| {
            let (index, array) = (Register::RCX, array as i64);
            MemoryOperand::with_base_index_scale_displ_size(CONTEXT, index, 4, array, 1)
        };
        self.asm.store(distances, at(CONTEXT, places), bytes)?;
        for (&element, &reg) in plain.elements.iter().zip(registers) {
            self.asm.store(reg, at(CONTEXT, values), bytes)?;
            let (mut next, mut none) = (self.asm.label(), self.asm.label());
            self.asm
                .plain(Code::VEX_Kmovd_r32_kr, Register::EDX, access.k)?;
            self.asm.a.test(edx, edx)?;
            self.asm.a.jz(none)?;
            self.asm.place(&mut next)?;
            self.asm.a.bsf(ecx, edx)?;
            let (place, value) = (Register::ESI, Register::EDI);
            self.asm.plain(Code::Mov_r32_rm32, place, lane(places))?;
            self.asm.plain(Code::Mov_r32_rm32, value, lane(values))?;
            let distance = i64::from(element) * plain.element as i64;
            let (base, index) = (Register::RAX, Register::RSI);
            let memory =
                MemoryOperand::with_base_index_scale_displ_size(base, index, 1, distance, 1);
            match plain.element {
                1 => self.asm.plain(Code::Mov_rm8_r8, memory, Register::DIL)?,
                _ => self.asm.plain(Code::Mov_rm16_r16, memory, Register::DI)?,
            }
            self.asm.a.lea(ecx, rdx - 1)?;
            self.asm.a.and(edx, ecx)?;
            self.asm.a.jnz(next)?;
            self.asm.place(&mut none)?;
            self.asm.a.zero_bytes()?;
        }
        Ok(())
    }

    /// Counts the bytes of a message, and its channels if it has a predicate. `one` has the enabled channels of a
    /// message in one part.
    fn count_moved(&mut self, op: &Operation, plain: &Plain, one: Option<Register>) -> Done {
        let total = match plain.write {
            true => offset_of!(Context, written),
            false => offset_of!(Context, read),
        };
        let bytes = (plain.elements.len() * plain.element) as i32;
        if op.ungated != 0 && op.pred.is_none() {
            let all = bytes * i32::from(op.lanes);
            return self
                .asm
                .plain(Code::Add_rm64_imm32, at(CONTEXT, total), all);
        }
        match one {
            Some(k) => self.asm.plain(Code::VEX_Kmovd_r32_kr, Register::EAX, k)?,
            None => self.all_enabled(op)?,
        }
        self.asm.a.popcnt(eax, eax)?;
        if let Some(Lanes::Own(counter)) = self.own_counter() {
            self.add_to_counter(counter, Register::RAX)?;
        }
        match bytes {
            4 => self.asm.a.shl(eax, 2u32)?,
            _ => self.asm.a.imul_3(eax, eax, bytes)?,
        }
        self.asm
            .plain(Code::Add_rm64_r64, at(CONTEXT, total), Register::RAX)
    }

    /// All enabled channels of an operation, in `eax`.
    fn all_enabled(&mut self, op: &Operation) -> Done {
        let whole = Part {
            first: 0,
            lanes: op.lanes,
        };
        if op.pred.is_some() {
            self.predicate(op, whole)?;
            self.asm.a.mov(ecx, eax)?;
        }
        match op.ungated {
            0 => self.active(op.chan_off, op.lanes)?,
            _ => self.asm.a.mov(eax, low_mask(op.lanes.into()))?,
        }
        match op.pred {
            Some(_) => self.asm.a.and(eax, ecx),
            None => Ok(()),
        }
    }
}

/// Bits of a distance that must be zero; none if any are allowed.
fn alignment_mask(plain: &Plain) -> Option<u32> {
    let whole = plain.write && plain.elements.len() > 1;
    let alignment = match whole {
        // No two channels overlap in part.
        true => plain.alignment.max(plain.extent() as u64),
        false => plain.alignment,
    };
    (alignment > 1).then_some(alignment as u32 - 1)
}
