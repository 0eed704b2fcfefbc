//! Messages to the shared functions: `send` and `sends`.
//!
//! Descriptors are decoded to typed requests by the tables of `kiln_emit::messages`. The effects follow the PRM, vol.
//! 7, "Shared Functions — Data Port". The access of every enabled channel is checked before it is performed.

use std::borrow::Cow;
use std::fmt;

use kiln_emit::inst::{Desc, Inst, Place, Reg, RegFile, Src, SrcReg};
use kiln_emit::messages::{
    Descriptors, Function, Kind, Request, Simd, Surface, address_offset, function_in_descriptor,
    message_name, second_beside_descriptor,
};
use kiln_emit::platform::{Family, Payload, Platform};

use super::atomic::{Atomic, atomic};
use super::error::Cause;
use super::machine::{LANES, Status, Thread, low_mask};
use super::memory::{BTI_STATELESS, BTI_STATELESS_NONCOHERENT, HEAP, Shared, Space};
use super::operation::Operation;
use super::typed::Texels;
use super::words::Words;
use super::{block, load_store, sampler, typed};

/// A resolved `send`: the sources of its descriptors and payload, and its message if the descriptors are constants.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    platform: &'static Platform,
    sfid: u8,
    /// True if the thread ends.
    eot: bool,
    desc: Desc,
    ex_desc: Desc,
    /// Number of registers of the second payload, if no descriptor has it.
    second: Option<u32>,
    /// Offset added to every address, in bytes.
    offset: i32,
    /// First general register of each part of the payload; none for the null register.
    parts: [Option<u32>; 2],
    /// Byte offset in `s0` of the numbers of the payload's registers, if they are gathered.
    gathered: Option<usize>,
    /// First byte of the response; none when it goes to the null register.
    response: Option<usize>,
    ready: Option<Message>,
    /// The message without its surface, if that alone is in a register.
    form: Option<Message>,
}

impl Send {
    /// Resolves a `send`.
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
            form: None,
        };
        if send.gathered.is_none() {
            send.parts[0] = payload_register(first)?;
        }
        if let Some(second) = inst.srcs.get(1) {
            send.parts[1] = payload_register(second)?;
        }
        match (msg.desc, msg.ex_desc) {
            (Desc::Imm(desc), Desc::Imm(ex_desc)) => {
                send.ready = Some(send.message(desc, ex_desc)?);
            }
            (Desc::Imm(desc), Desc::Addr { .. })
                if send.second.is_some() && !function_in_descriptor(platform.family) =>
            {
                send.form = send.message(desc, 0).ok();
            }
            _ => {}
        }
        Ok(send)
    }

    /// The place of threads' arguments on the platform, on which that of scratch space depends.
    pub fn payload_kind(&self) -> Payload {
        self.platform.payload
    }

    /// The message, if its descriptors are constants.
    pub fn ready(&self) -> Option<&Message> {
        self.ready.as_ref()
    }

    /// The message, without its surface if that is in a register; none if more of it is.
    pub fn form(&self) -> Option<&Message> {
        self.ready.as_ref().or(self.form.as_ref())
    }

    /// Byte of the address registers that the extended descriptor is at; none if it is a constant.
    pub fn named(&self) -> Option<usize> {
        match self.ex_desc {
            Desc::Imm(_) => None,
            Desc::Addr { byte } => Some(byte.into()),
        }
    }

    /// The message of a thread.
    ///
    /// # Errors
    /// A descriptor outside the address registers; a payload outside the general registers.
    pub fn exact(&self, thread: &Thread) -> Result<Cow<'_, Message>, Cause> {
        match &self.ready {
            Some(message) => Ok(Cow::Borrowed(message)),
            None => {
                let (desc, ex_desc) = (value(thread, self.desc)?, value(thread, self.ex_desc)?);
                self.message(desc, ex_desc).map(Cow::Owned)
            }
        }
    }

    /// True if the thread ends with the message.
    pub fn ends_thread(&self) -> bool {
        self.eot
    }

    /// The request in words.
    pub fn name(&self) -> String {
        match &self.ready {
            Some(message) => {
                let name = message.name();
                // The name of the kind does not include the surface.
                name.split(" on surface ")
                    .next()
                    .unwrap_or(&name)
                    .to_string()
            }
            None => "a message with its descriptor in a register".to_string(),
        }
    }

    /// Registers of the response with their numbers, if the descriptor gives their count.
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

    /// The message of two descriptors, for no channel yet.
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

/// Maximum number of registers of both payloads.
const PAYLOAD_MAX: usize = 15 + 31;

/// A message with the facts of its `send`.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    family: Family,
    /// Logarithm of a register's size in bytes.
    register_log: u32,
    descriptors: Descriptors,
    /// The request, if it is known.
    request: Option<Request>,
    /// First byte in the general register file of each register of the payload.
    payload: [u16; PAYLOAD_MAX],
    payload_len: usize,
    /// True if the payload's registers are named one by one.
    gathered: bool,
    /// First byte of the response; none when it goes to the null register.
    response: Option<usize>,
    /// Enabled channels, from bit 0.
    enabled: u32,
    /// Number of channels of the instruction.
    lanes: usize,
    /// Offset added to every address, in bytes.
    offset: i32,
}

impl Message {
    /// The request.
    pub fn request(&self) -> Result<&Request, Cause> {
        self.request.as_ref().ok_or_else(|| self.unknown())
    }

    /// Index of its surface: of the binding table, or of the heap after it. A message without a surface accesses all
    /// memory.
    pub fn bti(&self) -> u32 {
        match self.request.and_then(|request| request.fields.surface) {
            Some(Surface::Bindless) => HEAP + (self.descriptors.ex_desc >> 12),
            Some(surface) => u32::from(surface.index()),
            None => BTI_STATELESS,
        }
    }

    /// Size of a register in bytes.
    #[inline]
    pub fn register(&self) -> usize {
        1 << self.register_log
    }

    /// The message in words.
    fn name(&self) -> String {
        message_name(self.family, self.descriptors.sfid, self.descriptors.desc)
    }

    /// Number of the shared function.
    pub fn function(&self) -> Function {
        Function::of(self.descriptors.sfid)
    }

    /// Number of registers of the payload.
    pub fn payload_len(&self) -> usize {
        self.payload_len
    }

    /// Number of registers of the response.
    pub fn response_len(&self) -> usize {
        self.descriptors.response_at_most(self.family) as usize
    }

    /// Number of registers of the first payload.
    fn first_len(&self) -> usize {
        self.descriptors.payload() as usize
    }

    /// First register of the data: the second payload, or the registers after the addresses of a gathered payload.
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

    /// Offset added to every address, in bytes.
    pub fn offset(&self) -> i32 {
        self.offset
    }

    /// Number of channels of the instruction.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// First byte of the response; none when it goes to the null register.
    pub fn response(&self) -> Option<usize> {
        self.response
    }

    /// Enabled channels, from bit 0.
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

    /// Place in the general register file of byte `byte` of the payload's register `index`.
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

/// The accesses of a gathering or scattering message.
struct Scatter<'a> {
    write: bool,
    channels: usize,
    /// Size of an address in bytes: 4 (an offset into a surface) or 8.
    address: usize,
    /// The first payload register of the addresses.
    first: usize,
    /// Offset added to every 32-bit address after multiplication by `unit`.
    base: u32,
    unit: u32,
    /// Size of an element in registers and in memory, in bytes.
    slot: usize,
    element: usize,
    /// Required alignment of addresses in bytes.
    alignment: u64,
    /// Indices of the accessed elements after the address.
    elements: &'a [u32],
}

/// Executes a `send`.
pub fn send(
    thread: &mut Thread,
    shared: &mut Shared,
    op: &Operation,
    send: &Send,
) -> Result<(), Cause> {
    if let Some(message) = &send.ready
        && Function::of(message.descriptors.sfid) == Function::Gateway
        && send.gathered.is_none()
        && !send.eot
    {
        return gateway(thread, shared, message);
    }
    let mut message = send.exact(thread)?.into_owned();
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
        Function::Gateway => gateway(thread, shared, &message),
        Function::DataPort0 | Function::DataPort1 | Function::ReadOnlyPort => {
            data_port(thread, shared, &message)
        }
        Function::Untyped | Function::UntypedLow | Function::LocalMemory | Function::Typed => {
            load_store::send(thread, shared, &message)
        }
        _ => Err(message.unknown()),
    }
}

/// Signals a barrier.
fn gateway(thread: &Thread, shared: &mut Shared, message: &Message) -> Result<(), Cause> {
    match message.request()?.kind {
        Kind::Barrier if thread.platform.barriers == 1 => {
            shared.barriers.arrive();
            Ok(())
        }
        // The group's barrier is the first of the named ones, with all threads on both sides.
        Kind::Barrier | Kind::NamedBarrier => {
            let dword = header_dword(thread, message, 2)?;
            shared.barriers.arrive_at(thread.number, dword)
        }
        _ => Err(message.unknown()),
    }
}

/// Value of a descriptor.
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

/// First register of a payload; none for the null register.
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

/// Byte offset in `s0` of the numbers of the payload's registers, if they are gathered.
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
    /// Sets the payload to the registers with the given numbers.
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
        // Accesses are in order here. The fence may report its completion.
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

/// Number of bytes that each channel of a byte message accesses.
pub fn byte_count(m: &Message) -> Result<usize, Cause> {
    match m.request()?.fields.bits {
        Some(bits @ (8 | 16 | 32)) => Ok(usize::from(bits / 8)),
        _ => Err(m.unknown()),
    }
}

/// Number of channels of the message.
pub fn channels(m: &Message) -> Result<usize, Cause> {
    match m.request()?.fields.simd {
        Some(Simd::S8) => Ok(8),
        Some(Simd::S16) => Ok(16),
        Some(Simd::S32) => Ok(32),
        _ => Err(m.unknown()),
    }
}

/// Indices of the elements that each channel of a gathering or scattering message accesses.
pub fn elements(m: &Message) -> &'static [u32] {
    let count = m.request.and_then(|request| request.fields.elements);
    &ALL[..usize::from(count.unwrap_or(1))]
}

/// Untyped surface reads and writes: up to four dwords, those of the channel mask.
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

/// Indices of consecutive elements.
const ALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// `sizes`: bytes of an element in registers, in memory, and of an address step.
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

/// Offset that a stateless message's header adds: the buffer base in dword 5.
pub fn buffer_base(thread: &Thread, m: &Message) -> Result<u32, Cause> {
    match m.bti() {
        BTI_STATELESS | BTI_STATELESS_NONCOHERENT => Ok(header_dword(thread, m, 5)? & !0x3ff),
        _ => Ok(0),
    }
}

impl<'a> Scatter<'a> {
    /// Accesses at 64-bit addresses.
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

/// Refuses an access that violates its message's alignment.
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

/// Bytes of a message's payload in the general registers.
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
