//! What messages ask of shared functions, in words for listings.
//!
//! A shared function's messages are [`Request`]s: which bits of the descriptor make a descriptor one
//! of it, its name, and the fields that go with it. A family names the requests of each of its
//! functions ([`Requests`]); what is in no table is said by number. Names, fields and codes are
//! those of the public programmer's reference manuals, vol. 2d ("Shared Functions") and vol. 7.

mod data_port;
mod load_store;
mod others;

use crate::encoding::family_spec;
use crate::encoding::spec::{SendSyntax, Spec};
use crate::inst::{Desc, Inst, Message, Op};
use crate::platform::Family;
use crate::print::Text;

pub(crate) use load_store::{CACHES, CACHES_CONSTANT, CacheCodes};

/// The requests of a family's shared functions, by number.
pub(crate) type Requests = [Requested; 16];

/// What can be asked of a shared function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requested {
    requests: &'static [Request],
    /// Bit 19 of its descriptors says whether the payload begins with a header.
    header: bool,
}

const fn with_header(requests: &'static [Request]) -> Requested {
    Requested {
        requests,
        header: true,
    }
}

/// The functions that load and store know no header; the bit is one of their cache policy.
const LOAD_STORE: Requested = Requested {
    requests: load_store::REQUESTS,
    header: false,
};

/// Since Gen9.
pub(crate) const REQUESTS: Requests = {
    let mut requests: Requests = [with_header(&[]); 16];
    requests[2] = with_header(others::SAMPLER);
    requests[3] = with_header(others::GATEWAY);
    requests[5] = with_header(others::RENDER);
    requests[6] = with_header(others::URB);
    requests[9] = with_header(data_port::READ_ONLY);
    requests[10] = with_header(data_port::PORT_0);
    requests[12] = with_header(data_port::PORT_1);
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

/// Since Xe2, whose sampler takes twice as many channels.
pub(crate) const XE2_REQUESTS: Requests = {
    let mut requests = XE_REQUESTS;
    requests[2] = with_header(others::XE2_SAMPLER);
    requests
};

/// A message that a shared function takes.
#[derive(Debug)]
pub(crate) struct Request {
    /// These bits of a descriptor make it this message's when they are `bits`.
    mask: u32,
    bits: u32,
    name: &'static str,
    parts: &'static [Part],
}

/// A field of a descriptor, as it is said.
#[derive(Debug)]
enum Part {
    /// Lowest bit, width, and the words for its values; none for an empty one.
    Names(u32, u32, &'static [&'static str]),
    /// The same, as the end of the word before.
    Suffix(u32, u32, &'static [&'static str]),
    /// Lowest bit, and the words for the bits that are set.
    Flags(u32, &'static [&'static str]),
    /// Lowest bit, width, unit, and what the number is.
    Number(u32, u32, u32, &'static str),
    /// Channels `xyzw`, a bit each from the lowest; `true`: set bits are those left out.
    Channels(u32, bool),
    /// The surface's index in the binding table (bits 0-7), or what stands for none.
    Surface,
    /// The cache policies of a load (`true`) or of a store.
    Caches(bool),
    /// A surface of the functions that load and store: which and where it is.
    Address,
}

const fn request(
    (low, width): (u32, u32),
    code: u32,
    name: &'static str,
    parts: &'static [Part],
) -> Request {
    Request {
        mask: ((1 << width) - 1) << low,
        bits: code << low,
        name,
        parts,
    }
}

fn field(desc: u32, low: u32, width: u32) -> u32 {
    desc >> low & ((1 << width) - 1)
}

/// A message in words: the shared function of that number, and what the descriptor asks of it.
pub fn message_name(family: Family, sfid: u8, desc: u32) -> String {
    let spec = family_spec(family);
    let message = Message {
        sfid,
        eot: false,
        desc: Desc::Imm(desc),
        ex_desc: Desc::Imm(0),
    };
    let mut text = Text::default();
    text.str(spec.functions[usize::from(sfid & 15)]);
    describe(&Inst::new(Op::Send, 1), &message, desc, spec, &mut text);
    text.into_string()
}

/// Appends what a message's descriptors say: the registers it sends (`h`: with a header) and gets
/// back, which shared function it is for, and what it asks of it.
pub(crate) fn write(inst: &Inst, spec: &Spec, text: &mut Text) {
    let Some(message) = &inst.msg else { return };
    let function = usize::from(message.sfid & 15);
    text.str("wr:");
    match message.desc {
        Desc::Imm(desc) => {
            text.number(field(desc, 25, 4));
            let header = spec.requests[function].header && field(desc, 19, 1) != 0;
            text.str(if header { "h+" } else { "+" });
        }
        Desc::Addr { byte } => {
            address(byte, text);
            text.str("[28:25]+");
        }
    }
    match message.ex_desc {
        Desc::Imm(desc) => text.number(field(desc, 6, 5)),
        Desc::Addr { .. } if spec.has_src1_len(inst) => text.number(u32::from(inst.send.src1_len)),
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
    let in_descriptor = spec.send_syntax == SendSyntax::InDescriptor;
    match (message.ex_desc, message.desc) {
        (Desc::Addr { byte }, _) if in_descriptor => {
            text.str("function a0.");
            text.number(u32::from(byte / 4));
            text.str("[3:0]");
        }
        (_, desc) => {
            text.str(spec.functions[function]);
            if let Desc::Imm(desc) = desc {
                describe(inst, message, desc, spec, text);
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

fn describe(inst: &Inst, message: &Message, desc: u32, spec: &Spec, text: &mut Text) {
    let requests = spec.requests[usize::from(message.sfid & 15)].requests;
    let Some(request) = requests.iter().find(|r| desc & r.mask == r.bits) else {
        // Threads end through functions that are told nothing else.
        if !message.eot {
            text.str(", message ");
            text.hex(u64::from(desc & 0x7ffff), 1);
        }
        return;
    };
    text.str(", ");
    text.str(request.name);
    for part in request.parts {
        match part {
            Part::Names(low, width, names) => {
                let value = field(desc, *low, *width);
                match names.get(value as usize) {
                    Some(&"") => {}
                    Some(name) => {
                        text.byte(b' ');
                        text.str(name);
                    }
                    None => {
                        text.str(" code ");
                        text.number(value);
                    }
                }
            }
            Part::Suffix(low, width, names) => {
                text.str(
                    names
                        .get(field(desc, *low, *width) as usize)
                        .unwrap_or(&"x?"),
                );
            }
            Part::Flags(low, names) => {
                for (n, name) in (0..).zip(*names) {
                    if field(desc, low + n, 1) != 0 {
                        text.str(", ");
                        text.str(name);
                    }
                }
            }
            Part::Number(low, width, unit, what) => {
                text.str(", ");
                text.str(what);
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
            Part::Caches(load) => load_store::write_caches(desc, *load, spec.caches, text),
            Part::Address => load_store::write_address(inst, message, desc, spec, text),
        }
    }
}

/// An index into the binding table; the last ones stand for memory that is in none.
fn write_surface(index: u32, text: &mut Text) {
    match index {
        252 => text.str(", bindless surface"),
        253 => text.str(", stateless, not coherent"),
        254 => text.str(", shared local memory"),
        255 => text.str(", stateless"),
        _ => {
            text.str(", surface ");
            text.number(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::spec;
    use crate::platform::find;

    fn words(platform: &str, sfid: u8, ex_desc: Desc, desc: u32) -> String {
        let spec = spec(find(platform).expect("a known platform"));
        let mut inst = Inst::new(Op::Send, 16);
        inst.msg = Some(Message {
            sfid,
            eot: false,
            desc: Desc::Imm(desc),
            ex_desc,
        });
        let mut text = Text::default();
        write(&inst, spec, &mut text);
        text.into_string()
    }

    #[test]
    fn messages_are_put_in_words() {
        let none = Desc::Imm(0);
        let a0 = Desc::Addr { byte: 8 };
        for (platform, sfid, ex_desc, desc, expected) in [
            (
                "skl",
                12,
                Desc::Imm(0xc),
                0x0210_5e03,
                "wr:1+0, rd:1; hdc.dc1, untyped surface read x simd16, surface 3",
            ),
            (
                "skl",
                10,
                Desc::Imm(0x4a),
                0x020a_02ff,
                "wr:1h+1, rd:0; hdc.dc0, oword block write x2, stateless",
            ),
            (
                "skl",
                10,
                Desc::Imm(0xa),
                0x021c_2005,
                "wr:1h+0, rd:1; hdc.dc0, hword scratch block read x4, offset 160",
            ),
            ("tgllp", 3, none, 0x0200_0004, "wr:1+0, rd:0; gtwy, barrier"),
            (
                "tgllp",
                2,
                none,
                0x0244_f001,
                "wr:1+0, rd:4; smpl, message 0x4F001",
            ),
            (
                "dg2",
                15,
                a0,
                0x4228_3580,
                "wr:1+a0.2[10:6], rd:2; ugm, load d32x4 a64 cached L1 L3, surface state a0.2",
            ),
            (
                "lnl",
                15,
                Desc::Imm(0x0000_3000),
                0x0210_0784,
                "wr:1+0, rd:1; ugm, store d64 a64, flat +0x3",
            ),
            (
                "lnl",
                14,
                none,
                0x0210_001f,
                "wr:1+0, rd:1; slm, fence group",
            ),
            ("skl", 0, none, 0, "wr:0+0, rd:0; null, message 0x0"),
        ] {
            assert_eq!(
                words(platform, sfid, ex_desc, desc),
                expected,
                "{platform} {desc:#x}"
            );
        }
    }
}
