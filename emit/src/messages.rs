//! Messages to shared functions: descriptors, typed requests and text.
//!
//! A family has a table of rows for each of its shared functions (`Requests`). A `Row` gives the descriptor bits that
//! identify a [`Kind`] of request, and the places of its fields. All three views walk these rows:
//! [`Request::encode`], [`Request::decode`], and [`write`] for listings, which prints the numbers of unknown
//! requests. Names, fields and codes are those of the public programmer's reference manuals, vol. 2d ("Shared
//! Functions") and vol. 7.

pub mod access;
pub mod data_port;
mod family;
mod field;
mod kind;
pub mod load_store;
pub mod others;
mod request;

use crate::inst::{Desc, Inst, Message, Op};
use crate::platform::Family;
use crate::text::Text;

pub(crate) use family::{FamilyMessages, GEN9, GEN12, SendSyntax, XE, XE2, family_messages};
pub use field::{
    AddressKind, Atomic, Block, Data, Fields, Flag, Flags, Flush, Lines, Scope, Simd, Slots,
    Stream, Surface, Value, Vector,
};
pub use kind::{Access, Kind};
pub use request::{Descriptors, Function, Memory, Request, RequestError, extended_room};

/// The requests of a family's shared functions, by number.
pub(crate) type Requests = [Requested; 16];

/// The requests of a shared function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requested {
    rows: &'static [Row],
    /// True if bit 19 of its descriptors says that the payload begins with a header.
    header: bool,
}

const fn with_header(rows: &'static [Row]) -> Requested {
    Requested { rows, header: true }
}

impl Requested {
    /// The row of a descriptor's request.
    fn row(&self, desc: u32) -> Option<&'static Row> {
        self.rows.iter().find(|row| desc & row.mask == row.bits)
    }
}

/// Functions that load and store have no header bit; bit 19 is part of their cache policy.
const LOAD_STORE: Requested = Requested {
    rows: load_store::ROWS,
    header: false,
};

/// Since Gen9.
pub(crate) const REQUESTS: Requests = {
    let mut requests: Requests = [with_header(&[]); 16];
    requests[2] = with_header(others::SAMPLER);
    requests[3] = with_header(others::GATEWAY);
    requests[5] = with_header(others::RENDER);
    requests[6] = with_header(others::URB);
    requests[7] = with_header(others::SPAWNER);
    requests[8] = with_header(others::MOTION);
    requests[9] = with_header(data_port::READ_ONLY);
    requests[10] = with_header(data_port::PORT_0);
    requests[12] = with_header(data_port::PORT_1);
    requests[13] = with_header(others::REFINEMENT);
    requests
};

/// Since XeHPG, where loads and stores have functions of their own.
pub(crate) const XE_REQUESTS: Requests = {
    let mut requests = REQUESTS;
    requests[1] = LOAD_STORE;
    requests[7] = with_header(others::BINDLESS);
    requests[13] = LOAD_STORE;
    requests[14] = LOAD_STORE;
    requests[15] = LOAD_STORE;
    requests
};

/// Since Xe2, whose sampler takes twice as many channels, and which has no data ports.
pub(crate) const XE2_REQUESTS: Requests = {
    let mut requests = XE_REQUESTS;
    requests[9] = with_header(&[]);
    requests[10] = with_header(&[]);
    requests[12] = with_header(&[]);
    requests[2] = with_header(others::XE2_SAMPLER);
    requests
};

/// A request that a shared function takes.
#[derive(Debug)]
pub(crate) struct Row {
    /// Descriptor bits that identify the request when they equal `bits`.
    mask: u32,
    bits: u32,
    kind: Kind,
    parts: &'static [Part],
}

/// A field of a descriptor, and its text in listings.
#[derive(Debug)]
enum Part {
    /// A field with its lowest bit, width, and the meaning of its codes.
    Coded(u32, u32, &'static [Value]),
    /// As `Coded`, printed as a suffix of the previous word.
    Suffix(u32, u32, &'static [Value]),
    /// Lowest bit, and the flags of this bit and those above it.
    Flags(u32, &'static [Flag]),
    /// A flag that is printed as a word of the name.
    Mark(u32, Flag),
    /// Lowest bit, width, unit, and the quantity.
    Number(u32, u32, u32, Quantity),
    /// Channels `xyzw`, one bit each from the lowest; if true, set bits are the channels left out.
    Channels(u32, bool),
    /// The surface's index in the binding table (bits 0-7), or a reserved index.
    Surface,
    /// Cache policies of a load if true, else of a store.
    Caches(bool),
    /// The kind and place of the surface of a load or store by address.
    Address,
}

#[derive(Clone, Copy, Debug)]
enum Quantity {
    Offset,
    Sampler,
}

impl Quantity {
    fn name(self) -> &'static str {
        match self {
            Quantity::Offset => "offset",
            Quantity::Sampler => "sampler",
        }
    }
}

/// The meanings of a field's codes, in their order: `values!(Simd: S8, S16)`, `values!(Bits: 8, 16)`; `_` is a
/// reserved code.
macro_rules! values {
    (@ $value:ident _) => { Value::Reserved };
    (@ $value:ident $number:literal) => { Value::$value($number) };
    (@ $value:ident $name:ident) => { Value::$value($value::$name) };
    ($value:ident: $($code:tt),*) => { &[$(values!(@ $value $code)),*] };
}
use values;

const fn row((low, width): (u32, u32), code: u32, kind: Kind, parts: &'static [Part]) -> Row {
    Row {
        mask: ((1 << width) - 1) << low,
        bits: code << low,
        kind,
        parts,
    }
}

fn field(desc: u32, low: u32, width: u32) -> u32 {
    desc >> low & ((1 << width) - 1)
}

/// True if an extended descriptor names the shared function even when it is in a register. Otherwise the instruction
/// names it.
pub fn function_in_descriptor(family: Family) -> bool {
    family_messages(family).function_in_descriptor
}

/// Number of registers of the second payload, if the instruction gives it although its extended descriptor is in a
/// register.
pub fn second_beside_descriptor(inst: &Inst, family: Family) -> Option<u32> {
    let in_register = matches!(inst.msg?.ex_desc, Desc::Addr { .. });
    let beside = in_register && family_messages(family).has_length(inst);
    beside.then_some(u32::from(inst.send.src1_len))
}

/// True if an extended descriptor in a register may have the surface alone, and the instruction the rest (`{ExBSO}`).
pub fn surface_apart(family: Family) -> bool {
    family_messages(family).send_syntax == SendSyntax::SuffixAndLength
}

/// True if messages to a function have the length of their second payload in the instruction whenever their extended
/// descriptor is in a register, which then has nothing but the surface.
pub fn length_in_instruction(sfid: u8, family: Family) -> bool {
    family_messages(family).always_has_length == Some(sfid)
}

/// Offset that a load or store by address adds to every address, in bytes.
pub fn address_offset(inst: &Inst, family: Family) -> i32 {
    let Some(Message {
        sfid,
        desc: Desc::Imm(desc),
        ..
    }) = inst.msg
    else {
        return 0;
    };
    let messages = family_messages(family);
    if messages.requests[usize::from(sfid & 15)].header {
        return 0;
    }
    load_store::offset_of(inst, desc, messages)
}

/// The kind of address of a load or store by address with this descriptor; none for other functions.
pub fn address_kind(sfid: u8, desc: u32, family: Family) -> Option<AddressKind> {
    let requests = &family_messages(family).requests[usize::from(sfid & 15)];
    (!requests.header).then(|| load_store::KINDS[field(desc, 29, 2) as usize])
}

/// A message in words: its shared function and the request of its descriptor.
pub fn message_name(family: Family, sfid: u8, desc: u32) -> String {
    let messages = family_messages(family);
    let message = Message {
        sfid,
        eot: false,
        desc: Desc::Imm(desc),
        ex_desc: Desc::Imm(0),
    };
    let mut text = Text::default();
    text.str(messages.functions[usize::from(sfid & 15)]);
    describe(&Inst::new(Op::Send, 1), &message, desc, messages, &mut text);
    text.into_string()
}

/// Appends the meaning of a message's descriptors: the registers that it sends (`h`: with a header) and gets back,
/// its shared function, and its request.
pub(crate) fn write(inst: &Inst, messages: &FamilyMessages, text: &mut Text) {
    let Some(message) = &inst.msg else { return };
    let function = usize::from(message.sfid & 15);
    text.str("wr:");
    match message.desc {
        Desc::Imm(desc) => {
            text.number(field(desc, 25, 4));
            let header = messages.requests[function].header && field(desc, 19, 1) != 0;
            text.str(if header { "h+" } else { "+" });
        }
        Desc::Addr { byte } => {
            address(byte, text);
            text.str("[28:25]+");
        }
    }
    match message.ex_desc {
        Desc::Imm(desc) => text.number(field(desc, 6, 5)),
        Desc::Addr { .. } if messages.has_length(inst) => {
            text.number(u32::from(inst.send.src1_len))
        }
        Desc::Addr { byte } => {
            address(byte, text);
            text.str("[10:6]");
        }
    }
    text.str(", rd:");
    match message.desc {
        Desc::Imm(desc) => text.number(field(desc, 20, 5)),
        Desc::Addr { byte } => {
            address(byte, text);
            text.str("[24:20]");
        }
    }
    text.str("; ");
    let in_descriptor = messages.send_syntax == SendSyntax::InDescriptor;
    match (message.ex_desc, message.desc) {
        (Desc::Addr { byte }, _) if in_descriptor => {
            text.str("function a0.");
            text.number(u32::from(byte / 4));
            text.str("[3:0]");
        }
        (_, desc) => {
            text.str(messages.functions[function]);
            if let Desc::Imm(desc) = desc {
                describe(inst, message, desc, messages, text);
            }
        }
    }
    if message.eot {
        text.str(", end of thread");
    }
}

fn address(byte: u8, text: &mut Text) {
    text.str("a0.");
    text.number(u32::from(byte / 4));
}

fn describe(inst: &Inst, message: &Message, desc: u32, messages: &FamilyMessages, text: &mut Text) {
    let row = messages.requests[usize::from(message.sfid & 15)].row(desc);
    let Some(row) = row.filter(|row| row.kind != Kind::DereferenceResource) else {
        // Only messages that end the thread lack a known request here.
        if !message.eot {
            text.str(", message ");
            text.hex(u64::from(desc & 0x7ffff), 1);
        }
        return;
    };
    text.str(", ");
    text.str(row.kind.name());
    for part in row.parts {
        match part {
            Part::Coded(low, width, values) => {
                let code = field(desc, *low, *width);
                match values.get(code as usize).and_then(|value| value.word()) {
                    Some("") => {}
                    Some(word) => {
                        text.byte(b' ');
                        text.str(word);
                    }
                    None => {
                        text.str(" code ");
                        text.number(code);
                    }
                }
            }
            Part::Suffix(low, width, values) => {
                let value = values.get(field(desc, *low, *width) as usize);
                text.str(value.and_then(|value| value.word()).unwrap_or("x?"));
            }
            Part::Flags(low, flags) => {
                for (n, flag) in (0..).zip(*flags) {
                    if field(desc, low + n, 1) != 0 && !flag.word().is_empty() {
                        text.str(", ");
                        text.str(flag.word());
                    }
                }
            }
            Part::Mark(low, flag) => {
                if field(desc, *low, 1) != 0 {
                    text.byte(b' ');
                    text.str(flag.word());
                }
            }
            Part::Number(low, width, unit, what) => {
                text.str(", ");
                text.str(what.name());
                text.byte(b' ');
                text.number(field(desc, *low, *width) * unit);
            }
            Part::Channels(low, left_out) => {
                let mask = field(desc, *low, 4) ^ if *left_out { 15 } else { 0 };
                text.byte(b' ');
                for (n, channel) in (0..).zip(*b"xyzw") {
                    if mask >> n & 1 != 0 {
                        text.byte(channel);
                    }
                }
            }
            Part::Surface => write_surface(desc & 0xff, text),
            Part::Caches(load) => load_store::write_caches(desc, *load, messages.caches, text),
            Part::Address => load_store::write_address(inst, message, desc, messages, text),
        }
    }
}

fn write_surface(index: u32, text: &mut Text) {
    match Surface::of(index as u8) {
        Surface::Bindless => text.str(", bindless surface"),
        Surface::StatelessNonCoherent => text.str(", stateless, not coherent"),
        Surface::Slm => text.str(", shared local memory"),
        Surface::Stateless => text.str(", stateless"),
        Surface::Bti(index) => {
            text.str(", surface ");
            text.number(u32::from(index));
        }
    }
}

#[cfg(test)]
#[path = "tests/messages.rs"]
mod tests;
