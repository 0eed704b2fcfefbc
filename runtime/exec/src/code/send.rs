//! Resolved messages: a `send` with the sources of its descriptors and payload, and the message that they make.
//!
//! Descriptors are decoded to typed requests by the tables of `kiln_emit::messages`.

use std::borrow::Cow;
use std::fmt;

use kiln_emit::inst::{Desc, Inst, Place, Reg, RegFile, Src, SrcReg};
use kiln_emit::messages::{
    Descriptors, Function, Request, Surface, address_offset, function_in_descriptor, message_name,
    second_beside_descriptor,
};
use kiln_emit::platform::{Family, Payload, Platform};

use crate::state::cause::Cause;
use crate::state::lanes::LANES;
use crate::state::memory::{BTI_STATELESS, HEAP};
use crate::state::thread::Thread;

/// A resolved `send`: the sources of its descriptors and payload, and its message if the descriptors are constants.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    pub platform: &'static Platform,
    pub sfid: u8,
    /// True if the thread ends.
    pub eot: bool,
    pub desc: Desc,
    pub ex_desc: Desc,
    /// Number of registers of the second payload, if no descriptor has it.
    pub second: Option<u32>,
    /// Offset added to every address, in bytes.
    pub offset: i32,
    /// First general register of each part of the payload; none for the null register.
    pub parts: [Option<u32>; 2],
    /// Byte offset in `s0` of the numbers of the payload's registers, if they are gathered.
    pub gathered: Option<usize>,
    /// First byte of the response; none when it goes to the null register.
    pub response: Option<usize>,
    pub ready: Option<Message>,
    /// The message without its surface, if that alone is in a register.
    pub form: Option<Message>,
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
            state_bit: match self.second {
                Some(_) => self.platform.surface_state_bit,
                None => WHOLE_STATE_BIT,
            },
            descriptors,
            request: Request::decode(descriptors, family).ok(),
            payload: [0; PAYLOAD_MAX],
            payload_len: 0,
            gathered: self.gathered.is_some(),
            response: self.response,
            enabled: 0,
            ungated: false,
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

/// Lowest bit of the number of a surface's state in an extended descriptor that has a payload's length as well.
const WHOLE_STATE_BIT: u32 = 12;
/// Maximum number of registers of both payloads.
const PAYLOAD_MAX: usize = 15 + 31;

/// A message with the facts of its `send`.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub family: Family,
    /// Logarithm of a register's size in bytes.
    pub register_log: u32,
    /// Lowest bit of the number of a surface's state in the extended descriptor.
    pub state_bit: u32,
    pub descriptors: Descriptors,
    /// The request, if it is known.
    pub request: Option<Request>,
    /// First byte in the general register file of each register of the payload.
    pub payload: [u16; PAYLOAD_MAX],
    pub payload_len: usize,
    /// True if the payload's registers are named one by one.
    pub gathered: bool,
    /// First byte of the response; none when it goes to the null register.
    pub response: Option<usize>,
    /// Enabled channels, from bit 0.
    pub enabled: u32,
    /// True if the instruction ignores the execution mask.
    pub ungated: bool,
    /// Number of channels of the instruction.
    pub lanes: usize,
    /// Offset added to every address, in bytes.
    pub offset: i32,
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
            Some(Surface::Bindless) => self.bindless(),
            Some(surface) => u32::from(surface.index()),
            None => BTI_STATELESS,
        }
    }

    /// Number of the state of the surface that the extended descriptor names.
    pub fn state(&self) -> u32 {
        self.descriptors.ex_desc >> self.state_bit
    }

    /// Index of the bindless surface that the extended descriptor names.
    pub fn bindless(&self) -> u32 {
        HEAP + self.state()
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
    pub fn gather(&mut self, numbers: &[u8], registers: u32) -> Result<(), Cause> {
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
