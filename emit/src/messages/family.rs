//! Differences of messages between encoding families, as data.

use super::load_store::{CACHES, CACHES_CONSTANT, CacheCodes};
use super::{Function, REQUESTS, Requests, XE_REQUESTS, XE2_REQUESTS};
use crate::inst::Inst;
use crate::platform::Family;

/// The messages of a family.
#[derive(Debug)]
pub(crate) struct FamilyMessages {
    /// Names of the shared functions.
    pub functions: &'static [&'static str; 16],
    /// Requests to the shared functions.
    pub requests: &'static Requests,
    /// The function that ends a thread.
    pub thread_end: Function,
    /// Cache policies of loads and stores by address.
    pub caches: &'static CacheCodes,
    /// True if loads and stores by address may have an offset in their descriptor.
    pub address_offsets: bool,
    pub send_syntax: SendSyntax,
    /// True if the extended descriptor includes shared function and end of thread.
    pub function_in_descriptor: bool,
    /// Number of bits of the extended descriptor with the second payload's length.
    pub second_length_bits: u32,
    /// Bits of a constant extended descriptor that a send has room for, with one payload and with two.
    pub extended_room: [u32; 2],
    /// The function whose messages have the second payload's length in the instruction, even without `ex_bso`, if
    /// their extended descriptor is in a register.
    pub always_has_length: Option<u8>,
}

/// Syntax of a send in listings, beside its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendSyntax {
    /// The shared function is in the extended descriptor.
    InDescriptor,
    /// The shared function is a suffix of the operation.
    Suffix,
    /// The shared function is a suffix, and the second payload has its length beside it.
    SuffixAndLength,
}

impl FamilyMessages {
    /// True if the instruction itself has the second payload's length although its extended descriptor is in a
    /// register.
    pub fn has_length(&self, inst: &Inst) -> bool {
        let sfid = inst.msg.map(|message| message.sfid);
        let always = self.always_has_length;
        inst.send.ex_bso || (always.is_some() && always == sfid)
    }
}

/// The messages of a family.
pub(crate) fn family_messages(family: Family) -> &'static FamilyMessages {
    match family {
        Family::Gen9 | Family::Gen11 => &GEN9,
        Family::Gen12Lp => &GEN12,
        Family::XeHpg | Family::XeHpc => &XE,
        Family::Xe2 | Family::Xe3 => &XE2,
    }
}

pub(crate) static GEN9: FamilyMessages = FamilyMessages {
    functions: &[
        "null", "?", "sampler", "gateway", "hdc.dc2", "hdc.rc", "hdc.urb", "spawner", "vme",
        "hdc.dcro", "hdc.dc0", "pi", "hdc.dc1", "cre", "?", "?",
    ],
    requests: &REQUESTS,
    thread_end: Function::Spawner,
    caches: &[],
    address_offsets: false,
    send_syntax: SendSyntax::InDescriptor,
    function_in_descriptor: true,
    second_length_bits: 4,
    extended_room: [0xffff_002f, 0xffff_03ef],
    always_has_length: None,
};

const GEN12_ROW: FamilyMessages = FamilyMessages {
    functions: &[
        "null", "?", "smpl", "gtwy", "dc2", "rc", "urb", "ts", "vme", "dcro", "dc0", "pixi", "dc1",
        "cre", "?", "?",
    ],
    requests: &REQUESTS,
    thread_end: Function::Spawner,
    caches: &[],
    address_offsets: false,
    send_syntax: SendSyntax::Suffix,
    function_in_descriptor: false,
    second_length_bits: 5,
    extended_room: [0xffff_ffc0; 2],
    always_has_length: None,
};

pub(crate) static GEN12: FamilyMessages = GEN12_ROW;
pub(crate) static XE: FamilyMessages = XE_ROW;

const XE_ROW: FamilyMessages = FamilyMessages {
    functions: &[
        "null", "ugml", "smpl", "gtwy", "dc2", "rc", "urb", "btd", "rta", "dcro", "dc0", "pixi",
        "dc1", "tgm", "slm", "ugm",
    ],
    requests: &XE_REQUESTS,
    thread_end: Function::Gateway,
    caches: CACHES,
    send_syntax: SendSyntax::SuffixAndLength,
    ..GEN12_ROW
};

pub(crate) static XE2: FamilyMessages = FamilyMessages {
    requests: &XE2_REQUESTS,
    caches: CACHES_CONSTANT,
    address_offsets: true,
    always_has_length: Some(15),
    ..XE_ROW
};
