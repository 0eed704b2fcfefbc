//! What differs between Gen platforms, as data.
//!
//! A pass asks the platform for a fact; it never asks which platform it is. Every name that users and
//! other tools have for a platform stands here once, in its row or, where nothing is known of its
//! machine code, in [`VISA_ONLY`]; [`named`] finds them in either case.

mod generation;

pub use generation::{Generation, Generations};

/// A target the finalizer knows, with its facts.
#[derive(Debug, PartialEq, Eq)]
pub struct Platform {
    /// The name that is written out (`skl`).
    pub name: &'static str,
    /// Other names of it and of products that share its code.
    pub aliases: &'static [&'static str],
    /// What the rules of vISA go by.
    pub generation: Generation,
    /// Instruction selection makes code for it.
    pub compiles: bool,
    /// The name that the reference tools take for it, such as `9`.
    pub reference_name: &'static str,
    pub family: Family,
    /// Size of one general register in bytes.
    pub grf_bytes: u32,
    /// General registers that instructions can name: what a thread has in the mode with the most.
    pub grf_count: u32,
    /// Flag registers of 32 bits each.
    pub flag_count: u32,
    /// Size of the address register in bytes; each of its words is an address.
    pub addr_bytes: u32,
    /// How a thread gets what its kernel is launched with.
    pub payload: Payload,
    /// Of a forward `goto` the channels whose predicate is false are those that go, so that one without
    /// a predicate goes nowhere (PRM vol. 2a, "goto").
    pub goto_on_false: bool,
    /// Bits of the thread's number in r0.5 (PRM, "Thread payload", FFTID).
    pub thread_id_bits: u32,
    /// The digits of a thread's number in the state registers, from the lowest on.
    pub thread_number: &'static [Digit],
    /// Bits of r0.2 that tell the gateway the barrier (PRM, "Thread payload", barrier id).
    pub barrier_id: u32,
    /// Barriers of a group, by their numbers; where there are several, `n0.0` has a bit for each.
    pub barriers: u32,
    /// Shared local memory has a fence of its own: that of all memory does not order it, but may flush
    /// the cache of level 1 (PRM, "Memory Fence").
    pub slm_fence: bool,
    /// A thread that may be interrupted in the middle has to give each message to the sampler a header.
    pub sampler_header: bool,
    /// Bit 0 of a sampler header's dword 3 says that the sampler is bindless; r0 may have it set.
    pub bindless_sampler_bit: bool,
    /// Messages to the sampler may have the level of detail of coarse pixels.
    pub coarse_pixels: bool,
    /// `mach` without accumulator write control gives the lower half of the product, as `macl` does.
    pub mach_low: bool,
    /// `mach` always writes the accumulator: there is no accumulator write control.
    pub mach_accumulates: bool,
    /// The result of a message may not overlap its payloads (an erratum; the reference finalizer keeps
    /// to it on these platforms).
    pub response_apart: bool,
    /// A message whose first payload begins at this register may not be interrupted (an erratum,
    /// likewise).
    pub uninterrupted_from: Option<u32>,
    /// With an address for each row of an operand, those of inactive channels have to be in the
    /// register file too, so that the address registers start at zero (likewise).
    pub clears_addresses: bool,
    /// A region of elements of 64 bits has its vertical stride equal to its width times its horizontal stride, also
    /// where rows have one element and skip to none (PRM, "Register Region Restrictions").
    pub even_rows: bool,
    /// Computes on integers of 64 bits.
    pub int64: bool,
    /// Computes on doubles.
    pub fp64: bool,
    /// `GFXCORE_FAMILY` as object files name it in `.note.intelgt.compat` (zebin documentation).
    pub core_family: u32,
    /// `PRODUCT_FAMILY`, likewise.
    pub product_family: u32,
}

/// A digit of the number that a thread has in the machine, in a state register: which unit it is in, and
/// which thread of the unit it is (PRM, "State Register", "Message Control Register").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digit {
    pub register: StateRegister,
    /// Its lowest bit there, and how many values it has.
    pub low: u32,
    pub count: u32,
}

/// A register whose first dword tells something of the thread's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateRegister {
    /// `sr0.0`.
    Thread,
    /// `msg0.0`.
    Message,
}

const fn digit(register: StateRegister, low: u32, count: u32) -> Digit {
    Digit {
        register,
        low,
        count,
    }
}

/// How a thread gets what its kernel is launched with, beside its header (PRM, "Thread payload").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Local ids and arguments are in its registers when it starts. Its header says where its scratch
    /// space is.
    Registers,
    /// The first arguments are in its registers (inline data), and behind the local ids if the hardware
    /// makes those; the kernel loads the others, from where the header says. Scratch space is a surface
    /// whose state the header names.
    Memory,
}

/// An encoding family: platforms of one family share every instruction's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Skylake and Broxton.
    Gen9,
    /// Ice Lake.
    Gen11,
    /// Tiger Lake.
    Gen12Lp,
    /// DG2 and Meteor Lake.
    XeHpg,
    /// Ponte Vecchio.
    XeHpc,
    /// Lunar Lake and Battlemage.
    Xe2,
    /// Panther Lake.
    Xe3,
}

/// Every known platform.
pub const PLATFORMS: &[Platform] = &[
    SKL,
    Platform {
        name: "bxt",
        aliases: &["glk"],
        generation: Generation::Bxt,
        compiles: false,
        even_rows: true,
        product_family: 22,
        ..SKL
    },
    Platform {
        name: "icllp",
        aliases: &["icl"],
        generation: Generation::Icllp,
        compiles: true,
        reference_name: "11",
        family: Family::Gen11,
        goto_on_false: false,
        barrier_id: 0x7f00_0000,
        slm_fence: true,
        sampler_header: false,
        bindless_sampler_bit: true,
        coarse_pixels: true,
        mach_low: true,
        response_apart: true,
        uninterrupted_from: Some(2),
        clears_addresses: true,
        int64: false,
        fp64: false,
        core_family: 15,
        product_family: 26,
        ..SKL
    },
    TGLLP,
    DG2,
    Platform {
        name: "mtl",
        aliases: &["arl"],
        generation: Generation::Mtl,
        response_apart: true,
        fp64: true,
        product_family: 1272,
        ..DG2
    },
    PVC,
    LNL,
    Platform {
        name: "bmg",
        aliases: &[],
        product_family: 1274,
        ..LNL
    },
    Platform {
        name: "ptl",
        aliases: &["xe3", "wcl"],
        reference_name: "3",
        family: Family::Xe3,
        thread_number: &[
            digit(StateRegister::Thread, 0, 10),
            digit(StateRegister::Thread, 4, 8),
            digit(StateRegister::Message, 0, 256),
        ],
        core_family: 0x1e00,
        product_family: 1300,
        ..LNL
    },
];

/// Skylake.
pub const SKL: Platform = Platform {
    name: "skl",
    aliases: &["kbl", "cfl"],
    generation: Generation::Skl,
    compiles: true,
    reference_name: "9",
    family: Family::Gen9,
    grf_bytes: 32,
    grf_count: 128,
    flag_count: 2,
    addr_bytes: 32,
    payload: Payload::Registers,
    goto_on_false: true,
    thread_id_bits: 9,
    thread_number: &[digit(StateRegister::Thread, 0, 65536)],
    barrier_id: 0x8f00_0000,
    barriers: 1,
    slm_fence: false,
    sampler_header: true,
    bindless_sampler_bit: false,
    coarse_pixels: false,
    mach_low: false,
    mach_accumulates: false,
    response_apart: false,
    uninterrupted_from: None,
    clears_addresses: false,
    even_rows: false,
    int64: true,
    fp64: true,
    core_family: 12,
    product_family: 18,
};

const TGLLP: Platform = Platform {
    name: "tgllp",
    aliases: &["tgl", "rkl", "adls", "adlp", "dg1"],
    generation: Generation::Tgllp,
    compiles: false,
    reference_name: "12p1",
    family: Family::Gen12Lp,
    goto_on_false: false,
    barrier_id: 0x7f00_0000,
    slm_fence: true,
    sampler_header: false,
    bindless_sampler_bit: true,
    coarse_pixels: true,
    mach_low: true,
    clears_addresses: true,
    int64: false,
    fp64: false,
    core_family: 18,
    product_family: 29,
    ..SKL
};

const DG2: Platform = Platform {
    name: "dg2",
    aliases: &[],
    generation: Generation::Dg2,
    compiles: false,
    reference_name: "12p71",
    family: Family::XeHpg,
    payload: Payload::Memory,
    goto_on_false: false,
    grf_count: 256,
    thread_number: &[
        digit(StateRegister::Thread, 0, 8),
        digit(StateRegister::Thread, 4, 4),
        digit(StateRegister::Thread, 7, 128),
    ],
    barrier_id: 0x7f00_0000,
    slm_fence: true,
    sampler_header: false,
    bindless_sampler_bit: true,
    coarse_pixels: true,
    mach_low: true,
    clears_addresses: true,
    int64: false,
    fp64: false,
    core_family: 0xc07,
    product_family: 1270,
    ..SKL
};

const PVC: Platform = Platform {
    name: "pvc",
    aliases: &[],
    generation: Generation::Pvc,
    compiles: false,
    reference_name: "12p72",
    family: Family::XeHpc,
    grf_bytes: 64,
    grf_count: 256,
    flag_count: 4,
    addr_bytes: 32,
    payload: Payload::Memory,
    goto_on_false: false,
    thread_id_bits: 9,
    thread_number: &[
        digit(StateRegister::Thread, 0, 8),
        digit(StateRegister::Thread, 4, 4),
        digit(StateRegister::Thread, 8, 128),
    ],
    barrier_id: 0x7f00_0000,
    barriers: 32,
    slm_fence: true,
    sampler_header: false,
    bindless_sampler_bit: true,
    coarse_pixels: true,
    mach_low: false,
    mach_accumulates: true,
    response_apart: true,
    uninterrupted_from: None,
    clears_addresses: true,
    even_rows: false,
    int64: true,
    fp64: true,
    core_family: 0xc08,
    product_family: 1271,
};

const LNL: Platform = Platform {
    name: "lnl",
    aliases: &["xe2"],
    generation: Generation::Xe2,
    reference_name: "2",
    family: Family::Xe2,
    thread_number: &[
        digit(StateRegister::Thread, 0, 8),
        digit(StateRegister::Thread, 4, 8),
        digit(StateRegister::Message, 0, 256),
    ],
    core_family: 0xc09,
    product_family: 1275,
    response_apart: false,
    ..PVC
};

impl Platform {
    /// Bytes of what register allocation gives out as one: two of the registers that two rows of an
    /// instruction's operand cover where registers have 32 bytes, one where they have 64.
    pub const fn unit_bytes(&self) -> u32 {
        64
    }

    /// Registers in a unit.
    pub const fn unit_grfs(&self) -> u32 {
        self.unit_bytes() / self.grf_bytes
    }
}

/// Names of platforms of which only the vISA is known, by generation; the first is the one written out.
pub const VISA_ONLY: &[(&[&str], Generation)] = &[
    (&["bdw", "chv"], Generation::Bdw),
    (&["xehp", "xehp_sdv"], Generation::XeHp),
    (&["pvcxt"], Generation::PvcXt),
];

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    pub generation: Generation,
    /// None where only the vISA is known.
    pub platform: Option<&'static Platform>,
}

/// What that name stands for, in either case of its letters.
pub fn named(name: &str) -> Option<Named> {
    let same = |other: &&str| other.eq_ignore_ascii_case(name);
    if let Some(platform) = find(name) {
        return Some(Named {
            generation: platform.generation,
            platform: Some(platform),
        });
    }
    let row = VISA_ONLY.iter().find(|(names, _)| names.iter().any(same))?;
    Some(Named {
        generation: row.1,
        platform: None,
    })
}

/// The platform of that name, in either case of its letters, if its machine code is known.
pub fn find(name: &str) -> Option<&'static Platform> {
    let same = |other: &str| other.eq_ignore_ascii_case(name);
    (PLATFORMS.iter()).find(|p| same(p.name) || p.aliases.iter().any(|alias| same(alias)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_name_stands_for_one_thing() {
        let mut seen = HashSet::new();
        let rows = PLATFORMS
            .iter()
            .map(|p| (vec![p.name], p.aliases, p.generation));
        let others = VISA_ONLY.iter().map(|(names, g)| (Vec::new(), *names, *g));
        for (own, names, generation) in rows.chain(others) {
            for name in own.iter().chain(names) {
                assert!(seen.insert(*name), "{name} stands twice");
                let upper = named(&name.to_uppercase()).map(|n| n.generation);
                assert_eq!(upper, Some(generation), "{name}");
            }
        }
        assert_eq!(named("skylake"), None);
        assert_eq!(find("BMG").map(|p| p.name), Some("bmg"));
        assert_eq!(find("bdw"), None);
    }

    #[test]
    fn a_generation_has_a_name_that_stands_for_it() {
        for generation in Generation::ALL {
            let found = named(generation.name()).map(|n| n.generation);
            assert_eq!(found, Some(generation), "{}", generation.name());
        }
    }

    #[test]
    fn registers_are_as_wide_as_the_generation_says() {
        for platform in PLATFORMS {
            assert_eq!(
                platform.grf_bytes,
                platform.generation.grf_bytes(),
                "{}",
                platform.name
            );
        }
    }
}
