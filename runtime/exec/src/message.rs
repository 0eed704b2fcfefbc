//! Messages to the shared functions: what `send` and `sends` do.
//!
//! Descriptors are decoded to typed requests by the tables of `kiln_emit::messages`; what each does
//! follows the PRM, vol. 7, "Shared Functions — Data Port". Every enabled channel's access is checked
//! before it is done.

use std::fmt;

use kiln_emit::inst::{Desc, Inst, Place, Reg, RegFile, Src, SrcReg};
use kiln_emit::messages::{
    Descriptors, Function, Kind, Request, Simd, Surface, address_offset, function_in_descriptor,
    message_name, second_beside_descriptor,
};
use kiln_emit::platform::{Family, Platform};

use super::atomic::{Atomic, atomic};
use super::error::Cause;
use super::machine::{LANES, Status, Thread, low_mask};
use super::memory::{BTI_STATELESS, BTI_STATELESS_NONCOHERENT, HEAP, Shared, Space};
use super::operation::Operation;
use super::typed::Texels;
use super::words::Words;
use super::{block, load_store, sampler, typed};

/// A `send`, resolved: where its descriptors and its payload come from, and its message if the
/// descriptors are constants.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    platform: &'static Platform,
    sfid: u8,
    /// The thread ends.
    eot: bool,
    desc: Desc,
    ex_desc: Desc,
    /// Registers of the second payload, where no descriptor says it.
    second: Option<u32>,
    /// Added to every address, in bytes.
    offset: i32,
    /// Number of the general register that each part of the payload starts at; none for the null
    /// register.
    parts: [Option<u32>; 2],
    /// The payload is in the registers whose numbers are in `s0` from this byte on.
    gathered: Option<usize>,
    /// First byte of the response's place; none when it goes to the null register.
    response: Option<usize>,
    ready: Option<Message>,
}

impl Send {
    /// The form of a `send`.
    ///
    /// # Errors
    /// Operands that no message has.
    pub fn new(inst: &Inst, platform: &'static Platform) -> Result<Send, Cause> {
        let malformed = |what| Cause::Malformed { what };
        let msg = inst.msg.ok_or(malformed("send without a message"))?;
        let first = inst.srcs.first().ok_or(malformed("too few sources"))?;
        let dst = inst.dst.ok_or(malformed("no destination"))?;
        let mut send = Send {
            platform,
            sfid: msg.sfid,
            eot: msg.eot,
            desc: msg.desc,
            ex_desc: msg.ex_desc,
            second: second_beside_descriptor(inst, platform.family),
            offset: address_offset(inst, platform.family),
            gathered: gathered(first),
            parts: [None, None],
            response: match dst.place {
                Place::Direct(reg) if reg.is_null() => None,
                Place::Direct(reg) if reg.file == RegFile::Grf => {
                    Some(reg.num as usize * platform.grf_bytes as usize + usize::from(reg.byte))
                }
                Place::Direct(Reg { file, num, .. }) => return Err(Cause::Register { file, num }),
                Place::Indirect { .. } => {
                    return Err(Cause::Form {
                        what: "an indirect response",
                    });
                }
            },
            ready: None,
        };
        if send.gathered.is_none() {
            send.parts[0] = payload_register(first)?;
        }
        if let Some(second) = inst.srcs.get(1) {
            send.parts[1] = payload_register(second)?;
        }
        if let (Desc::Imm(desc), Desc::Imm(ex_desc)) = (msg.desc, msg.ex_desc) {
            send.ready = Some(send.message(desc, ex_desc)?);
        }
        Ok(send)
    }

    /// What the message asks for, in words.
    pub fn name(&self) -> String {
        match &self.ready {
            Some(message) => {
                let name = message.name();
                // Which surface it is, is no part of the kind.
                name.split(" on surface ")
                    .next()
                    .unwrap_or(&name)
                    .to_string()
            }
            None => "a message with its descriptor in a register".to_string(),
        }
    }

    /// The registers of the response, by their numbers, if the descriptor says how many.
    pub fn response<'a>(&self, thread: &'a Thread) -> impl Iterator<Item = (usize, &'a [u8])> {
        let count = self.ready.as_ref().map_or(0, Message::response_len);
        let start = self
            .response
            .unwrap_or(thread.grf.len())
            .min(thread.grf.len());
        let bytes = thread.register_bytes();
        let registers = thread.grf[start..].chunks_exact(bytes).take(count);
        (start / bytes..).zip(registers)
    }

    /// The message that descriptors make of it, for no channel yet.
    fn message(&self, desc: u32, ex_desc: u32) -> Result<Message, Cause> {
        let family = self.platform.family;
        let descriptors = Descriptors {
            sfid: match self.ex_desc {
                Desc::Addr { .. } if function_in_descriptor(family) => ex_desc as u8 & 0xf,
                _ => self.sfid,
            },
            end_of_thread: self.eot,
            desc,
            ex_desc,
        };
        let mut message = Message {
            family,
            register_log: self.platform.grf_bytes.ilog2(),
            descriptors,
            request: Request::decode(descriptors, family).ok(),
            payload: [0; PAYLOAD_MAX],
            payload_len: 0,
            gathered: self.gathered.is_some(),
            response: self.response,
            enabled: 0,
            lanes: 0,
            offset: self.offset,
        };
        let second = self.second.unwrap_or(descriptors.second(family));
        let lengths = [descriptors.payload(), second];
        for (first, count) in self.parts.into_iter().zip(lengths) {
            message.append(first, count, self.platform.grf_count)?;
        }
        Ok(message)
    }
}

impl fmt::Display for Send {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.response {
            Some(at) => write!(f, "r[{at}]")?,
            None => f.write_str("null")?,
        }
        for part in self.parts {
            match part {
                Some(num) => write!(f, ", r[{}]", num * self.platform.grf_bytes)?,
                None => f.write_str(", null")?,
            }
        }
        write!(f, ", to {}", self.sfid)?;
        for desc in [self.ex_desc, self.desc] {
            match desc {
                Desc::Imm(bits) => write!(f, " {bits:#x}")?,
                Desc::Addr { byte } => write!(f, " a[{byte}]")?,
            }
        }
        f.write_str(if self.eot { ", ends" } else { "" })
    }
}

/// Registers of both payloads at most.
const PAYLOAD_MAX: usize = 15 + 31;

/// A message as its `send` gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    family: Family,
    /// Bytes of a register, as a power of two.
    register_log: u32,
    descriptors: Descriptors,
    /// What they ask for, if that is known.
    request: Option<Request>,
    /// First byte in the general register file of each register of the payload.
    payload: [u16; PAYLOAD_MAX],
    payload_len: usize,
    /// It is in registers that are named one by one.
    gathered: bool,
    /// First byte of the response's place; none when it goes to the null register.
    response: Option<usize>,
    /// Channels the message acts for, from bit 0.
    enabled: u32,
    /// Channels of the instruction.
    lanes: usize,
    /// Added to every address, in bytes.
    offset: i32,
}

impl Message {
    /// What it asks for.
    pub fn request(&self) -> Result<&Request, Cause> {
        self.request.as_ref().ok_or_else(|| self.unknown())
    }

    /// The surface it names: an entry of the binding table, or of the heap behind it. What names none
    /// accesses all memory.
    pub fn bti(&self) -> u32 {
        match self.request.and_then(|request| request.fields.surface) {
            Some(Surface::Bindless) => HEAP + (self.descriptors.ex_desc >> 12),
            Some(surface) => u32::from(surface.index()),
            None => BTI_STATELESS,
        }
    }

    /// Bytes of a register.
    #[inline]
    pub fn register(&self) -> usize {
        1 << self.register_log
    }

    /// Itself in words.
    fn name(&self) -> String {
        message_name(self.family, self.descriptors.sfid, self.descriptors.desc)
    }

    /// Registers of the payload.
    pub fn payload_len(&self) -> usize {
        self.payload_len
    }

    /// Registers of the response.
    pub fn response_len(&self) -> usize {
        self.descriptors.response_at_most(self.family) as usize
    }

    /// Registers of the first payload.
    fn first_len(&self) -> usize {
        self.descriptors.payload() as usize
    }

    /// The register of the payload that data begin at, which are the second payload, or behind so many
    /// registers of addresses where all is gathered as one.
    pub fn data(&self, addresses: usize) -> usize {
        match self.gathered {
            true => addresses,
            false => self.first_len(),
        }
    }

    /// The extended descriptor.
    pub fn extended(&self) -> u32 {
        self.descriptors.ex_desc
    }

    /// Added to every address, in bytes.
    pub fn offset(&self) -> i32 {
        self.offset
    }

    /// Channels of the instruction.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// First byte of the response's place; none when it goes to the null register.
    pub fn response(&self) -> Option<usize> {
        self.response
    }

    /// Channels the message acts for, from bit 0.
    pub fn enabled(&self) -> u32 {
        self.enabled
    }

    pub fn has_header(&self) -> bool {
        self.request.is_some_and(|request| request.header)
    }

    pub fn unknown(&self) -> Cause {
        Cause::Message {
            name: self.name(),
            sfid: self.descriptors.sfid,
            desc: self.descriptors.desc,
        }
    }

    pub fn bad(&self, what: &'static str) -> Cause {
        Cause::Payload {
            name: self.name(),
            desc: self.descriptors.desc,
            what,
        }
    }

    /// Byte in the general register file of the payload's register `index`, `byte` bytes on.
    pub fn at(&self, index: usize, byte: usize) -> Result<usize, Cause> {
        let index = index + (byte >> self.register_log);
        if index >= self.payload_len {
            return Err(self.bad("its payload is longer than the message length says"));
        }
        Ok(usize::from(self.payload[index]) + (byte & (self.register() - 1)))
    }

    pub fn channels(&self, lanes: usize) -> impl Iterator<Item = usize> + use<> {
        let enabled = self.enabled;
        (0..lanes.min(LANES)).filter(move |lane| enabled >> lane & 1 != 0)
    }
}

/// How each channel of a gathering or scattering message accesses memory.
struct Scatter<'a> {
    write: bool,
    channels: usize,
    /// Bytes of an address in the payload: 4 (into what the binding table index names) or 8.
    address: usize,
    /// The first payload register of the addresses.
    first: usize,
    /// Added to every 32-bit address, after it is multiplied by `unit`.
    base: u32,
    unit: u32,
    /// Bytes of an element in registers and in memory.
    slot: usize,
    element: usize,
    /// What memory's addresses are multiples of, in bytes.
    alignment: u64,
    /// Elements accessed, by their number after the address.
    elements: &'a [u32],
}

/// Executes a `send`.
pub fn send(
    thread: &mut Thread,
    shared: &mut Shared,
    op: &Operation,
    send: &Send,
) -> Result<(), Cause> {
    let mut message = match &send.ready {
        Some(message) => message.clone(),
        None => send.message(value(thread, send.desc)?, value(thread, send.ex_desc)?)?,
    };
    if let Some(at) = send.gathered {
        message.gather(&thread.scalar[at..], thread.platform.grf_count)?;
    }
    message.enabled = thread.enabled(op);
    message.lanes = usize::from(op.lanes);
    if send.eot {
        thread.status = Status::Ended;
    }
    match Function::of(message.descriptors.sfid) {
        Function::Spawner => Ok(()),
        Function::Gateway if send.eot => Ok(()),
        Function::Sampler => sampler::send(thread, shared, &message),
        Function::Gateway => match message.request()?.kind {
            Kind::Barrier if thread.platform.barriers == 1 => {
                shared.barriers.arrive();
                Ok(())
            }
            // The group's barrier is the first of the named ones, with all threads as its numbers.
            Kind::Barrier | Kind::NamedBarrier => {
                let dword = header_dword(thread, &message, 2)?;
                shared.barriers.arrive_at(thread.number, dword)
            }
            _ => Err(message.unknown()),
        },
        Function::DataPort0 | Function::DataPort1 | Function::ReadOnlyPort => {
            data_port(thread, shared, &message)
        }
        Function::Untyped | Function::UntypedLow | Function::LocalMemory | Function::Typed => {
            load_store::send(thread, shared, &message)
        }
        _ => Err(message.unknown()),
    }
}

/// A descriptor's bits.
fn value(thread: &Thread, desc: Desc) -> Result<u32, Cause> {
    match desc {
        Desc::Imm(bits) => Ok(bits),
        Desc::Addr { byte } => {
            let at = usize::from(byte);
            let dword = thread.addr.get(at..).and_then(|b| b.first_chunk());
            let dword = dword.ok_or(Cause::RegisterRange {
                at,
                size: thread.addr.len(),
            })?;
            Ok(u32::from_le_bytes(*dword))
        }
    }
}

/// The register a payload starts at; none for the null register.
fn payload_register(src: &Src) -> Result<Option<u32>, Cause> {
    match src {
        Src::Reg(SrcReg {
            place: Place::Direct(reg),
            ..
        }) => match reg.file {
            RegFile::Grf => Ok(Some(reg.num)),
            RegFile::Null => Ok(None),
            file => Err(Cause::Register { file, num: reg.num }),
        },
        _ => Err(Cause::Form {
            what: "an indirect payload",
        }),
    }
}

/// Where in `s0` the numbers of the payload's registers are, if that is where they are.
fn gathered(src: &Src) -> Option<usize> {
    match src {
        Src::Reg(SrcReg {
            place: Place::Direct(reg),
            ..
        }) if reg.file == RegFile::Scalar => Some(usize::from(reg.byte) % 64),
        _ => None,
    }
}

impl Message {
    /// Takes the payload from registers of these numbers.
    fn gather(&mut self, numbers: &[u8], registers: u32) -> Result<(), Cause> {
        let count = self.first_len();
        let Some(numbers) = numbers.get(..count) else {
            return Err(self.bad("its payload reaches beyond the scalar register"));
        };
        for number in numbers {
            self.append(Some((*number).into()), 1, registers)?;
        }
        Ok(())
    }

    fn append(&mut self, first: Option<u32>, count: u32, registers: u32) -> Result<(), Cause> {
        let Some(first) = first else { return Ok(()) };
        for index in 0..count {
            let register = first + index;
            if register >= registers {
                return Err(self.bad("its payload reaches beyond the last register"));
            }
            self.payload[self.payload_len] = (register << self.register_log) as u16;
            self.payload_len += 1;
        }
        Ok(())
    }
}

fn data_port(thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
    use Kind::*;
    let request = m.request()?;
    match request.kind {
        HwordScratchBlockRead | HwordScratchBlockWrite => block::scratch(thread, shared, m),
        OwordBlockRead
        | AlignedOwordBlockRead
        | OwordBlockWrite
        | ConstantOwordBlockRead
        | ConstantAlignedOwordBlockRead => block::surface(thread, shared, m),
        A64OwordBlockRead
        | A64AlignedOwordBlockRead
        | A64HwordBlockRead
        | A64OwordBlockWrite
        | A64AlignedOwordBlockWrite
        | A64HwordBlockWrite => block::address(thread, shared, m),
        ByteGather | ByteScatter => {
            let write = request.kind == ByteScatter;
            scatter_a32(thread, shared, m, write, (4, byte_count(m)?, 1))
        }
        DwordGather | DwordScatter | ConstantDwordGather => {
            let write = request.kind == DwordScatter;
            scatter_a32(thread, shared, m, write, (4, 4, 4))
        }
        QwordGather | QwordScatter => {
            let write = request.kind == QwordScatter;
            scatter_a32(thread, shared, m, write, (8, 8, 8))
        }
        A64ByteGather | A64ByteScatter => {
            let write = request.kind == A64ByteScatter;
            let scatter = Scatter {
                alignment: 1,
                ..Scatter::a64(m, 4, byte_count(m)?, elements(m), write)?
            };
            scatter.run(thread, shared, m)
        }
        A64DwordGather | A64DwordScatter => {
            let write = request.kind == A64DwordScatter;
            Scatter::a64(m, 4, 4, elements(m), write)?.run(thread, shared, m)
        }
        A64QwordGather | A64QwordScatter => {
            let write = request.kind == A64QwordScatter;
            Scatter::a64(m, 8, 8, elements(m), write)?.run(thread, shared, m)
        }
        UntypedSurfaceRead | UntypedSurfaceWrite => untyped(thread, shared, m, 4),
        A64UntypedSurfaceRead | A64UntypedSurfaceWrite => untyped(thread, shared, m, 8),
        UntypedAtomic | UntypedFloatAtomic => {
            atomic(thread, shared, m, Atomic::new(m, channels(m)?, 4, 4)?)
        }
        A64UntypedAtomic => {
            let size = if request.fields.bits == Some(64) {
                8
            } else {
                4
            };
            atomic(
                thread,
                shared,
                m,
                Atomic::new(m, m.register() / 4, 8, size)?,
            )
        }
        A64UntypedFloatAtomic => atomic(thread, shared, m, Atomic::new(m, m.register() / 4, 8, 4)?),
        TypedSurfaceRead => Texels::of_group(m)?.read(thread, shared),
        TypedSurfaceWrite => Texels::of_group(m)?.write(thread, shared),
        TypedAtomic => {
            let atomic = Atomic::new(m, 8, 4, 4)?;
            Texels::of_group(m)?.atomic(thread, shared, &atomic)
        }
        MediaBlockRead => typed::media_block(thread, shared, m, false),
        MediaBlockWrite => typed::media_block(thread, shared, m, true),
        // Accesses are in order here. It may report its completion.
        MemoryFence => {
            if let (Some(at), 1..) = (m.response, m.response_len()) {
                let zeros = [0; 64];
                fill(thread, m, at, &zeros[..m.register()])?;
            }
            Ok(())
        }
        _ => Err(m.unknown()),
    }
}

/// Bytes that each channel of a byte message accesses.
fn byte_count(m: &Message) -> Result<usize, Cause> {
    match m.request()?.fields.bits {
        Some(bits @ (8 | 16 | 32)) => Ok(usize::from(bits / 8)),
        _ => Err(m.unknown()),
    }
}

/// How many channels it is for.
pub fn channels(m: &Message) -> Result<usize, Cause> {
    match m.request()?.fields.simd {
        Some(Simd::S8) => Ok(8),
        Some(Simd::S16) => Ok(16),
        Some(Simd::S32) => Ok(32),
        _ => Err(m.unknown()),
    }
}

/// The elements that each channel of a gathering or scattering message accesses.
fn elements(m: &Message) -> &'static [u32] {
    let count = m.request.and_then(|request| request.fields.elements);
    &ALL[..usize::from(count.unwrap_or(1))]
}

/// Untyped surface reads and writes: up to four dwords, those not masked off.
fn untyped(
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

/// Elements in order.
const ALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// `sizes`: bytes in registers, bytes in memory, bytes that one step of an address is.
fn scatter_a32(
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

/// A dword of the message's header.
pub fn header_dword(thread: &Thread, m: &Message, index: usize) -> Result<u32, Cause> {
    let at = m.at(0, index * 4)?;
    thread.sent(at, 4)?;
    Ok(thread.grf_dword(at))
}

/// What a stateless message's header adds to its offsets: the buffer base in dword 5.
pub fn buffer_base(thread: &Thread, m: &Message) -> Result<u32, Cause> {
    match m.bti() {
        BTI_STATELESS | BTI_STATELESS_NONCOHERENT => Ok(header_dword(thread, m, 5)? & !0x3ff),
        _ => Ok(0),
    }
}

impl<'a> Scatter<'a> {
    /// At addresses of 64 bits.
    fn a64(
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

/// An address from the payload.
pub fn address(
    thread: &Thread,
    m: &Message,
    first: usize,
    lane: usize,
    size: usize,
) -> Result<u64, Cause> {
    let at = m.at(first, lane * size)?;
    thread.sent(at, size)?;
    let low = u64::from(thread.grf_dword(at));
    Ok(if size == 8 {
        low | u64::from(thread.grf_dword(at + 4)) << 32
    } else {
        low
    })
}

impl Scatter<'_> {
    fn run(&self, thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
        // Registers of the addresses, and of one element of all channels.
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
    /// Reads dwords at 32-bit offsets; gives how many. None if one of them is not to be read, which
    /// is then found out, and said, by who reads them one by one.
    fn read_dwords(
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

/// An access that is not at a multiple of what its message demands is an error.
#[inline]
pub fn aligned(at: u64, alignment: u64, size: usize, channel: u32) -> Result<(), Cause> {
    if at & (alignment - 1) == 0 {
        return Ok(());
    }
    Err(Cause::Misaligned {
        channel,
        at,
        size: size as u64,
        alignment,
    })
}

/// Bytes of the general registers that a message sends.
pub fn payload<'a>(
    thread: &'a Thread,
    m: &Message,
    at: usize,
    size: usize,
) -> Result<&'a [u8], Cause> {
    let bytes = thread.grf.get(at..at + size);
    bytes.ok_or(m.bad("its payload reaches beyond the last register"))
}

/// Writes part of a response.
#[inline]
pub fn fill(thread: &mut Thread, m: &Message, at: usize, bytes: &[u8]) -> Result<(), Cause> {
    let room = thread.grf.get_mut(at..at + bytes.len());
    let Some(room) = room else {
        return Err(m.bad("its response reaches beyond the last register"));
    };
    room.copy_from_slice(bytes);
    thread.define(at, bytes.len());
    Ok(())
}
