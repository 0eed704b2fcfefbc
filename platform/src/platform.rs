//! Differences between Gen platforms, as data.
//!
//! A pass asks the platform for a fact; it never asks which platform it is. Every name of a platform, of users and of
//! other tools, stands here once: in its row or, if nothing is known of its machine code, in [`VISA_ONLY`]. [`named`]
//! finds them in either case.

mod generation;

pub use generation::{Generation, Generations};

use crate::rules::rules;

/// A register mode: how the register file is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrfMode {
    /// Number of registers of a thread.
    pub grfs: u32,
    /// Number of threads that an execution unit runs at a time, as the reference finalizer writes into object files.
    pub threads: u32,
}

/// A target with its facts.
#[derive(Debug, PartialEq, Eq)]
pub struct Platform {
    /// Canonical name (`skl`).
    pub name: &'static str,
    /// Other names of it, and of products that share its code.
    pub aliases: &'static [&'static str],
    /// Generation in the rules of vISA.
    pub generation: Generation,
    /// True if instruction selection makes code for it.
    pub compiles: bool,
    /// Name in the reference tools, such as `9`.
    pub reference_name: &'static str,
    /// Name in the command line of the reference finalizer.
    pub finalizer_name: &'static str,
    pub family: Family,
    /// Size of one general register in bytes.
    pub grf_bytes: u32,
    /// Number of general registers that instructions can name: that of the register mode with the most.
    pub grf_count: u32,
    /// The register modes, ascending by the number of registers.
    pub grf_modes: &'static [GrfMode],
    /// The mode that code is for if nothing else is asked for.
    pub default_grfs: u32,
    /// The number of the last registers of the file that a message may be sent from that ends the thread; none if all
    /// are good (PRM vol. 2a, "send").
    pub end_of_thread: Option<u32>,
    /// Bytes of scratch space that a scratch block message can address.
    pub scratch_block_bytes: u32,
    /// Bytes of scratch space that a thread can have (PRM vol. 2a, "MEDIA_VFE_STATE", Per Thread Scratch
    /// Space).
    pub scratch_bytes: u32,
    /// Flag registers of 32 bits each.
    pub flag_count: u32,
    /// Size of the address register in bytes; each of its words is an address.
    pub addr_bytes: u32,
    /// Way in which a thread receives its launch arguments.
    pub payload: Payload,
    /// Bytes of arguments that arrive in registers if the others are in memory ("inline data").
    pub inline_bytes: u32,
    /// The messages that access memory.
    pub memory: MessageFamily,
    /// The messages that access images by coordinates.
    pub images: MessageFamily,
    /// Way in which code calls an address in a register.
    pub address_calls: AddressCalls,
    /// True if a forward `goto` takes the channels whose predicate is false, so that one without a predicate goes
    /// nowhere (PRM vol. 2a, "goto").
    pub goto_on_false: bool,
    /// The thread's number (PRM, "Thread payload", FFTID).
    pub thread_id: HeaderField,
    /// The thread's coordinates and color in its space of threads, as the reference finalizer reads them.
    pub thread_space: &'static ThreadSpace,
    /// Digits of a thread's number in the state registers, the lowest first.
    pub thread_number: &'static [Digit],
    /// Mask of the barrier's number in r0.2, which a signal has (PRM, "Thread payload", barrier id); none if a signal has
    /// the numbers of the barrier's producers and consumers.
    pub barrier_id: Option<u32>,
    /// Number of barriers of a group. If there are several, `n0.0` has a bit for each.
    pub barriers: u32,
    /// True if shared local memory has a fence of its own: the fence of all memory does not order it, but may flush
    /// the level 1 cache (PRM, "Memory Fence").
    pub slm_fence: bool,
    /// True if a thread that may be interrupted has to give each sampler message a header.
    pub sampler_header: bool,
    /// True if bit 0 of a sampler header's dword 3 says that the sampler is bindless; r0 may have it set.
    pub bindless_sampler_bit: bool,
    /// True if a sampler header counts pairs of states, of which the message selects one.
    pub sampler_pairs: bool,
    /// True if a sampler header may have the other half of a pair of surfaces.
    pub surface_pairs: bool,
    /// True if sampler messages may have the level of detail of coarse pixels.
    pub coarse_pixels: bool,
    /// True if `mach` without accumulator write control gives the lower half of the product, as `macl` does.
    pub mach_low: bool,
    /// True if an instruction has a bit for accumulator write control. Without it, `mach` always writes the accumulator.
    pub acc_write_control: bool,
    /// True if the response of a message must not overlap its payloads (an erratum that the reference finalizer
    /// honours).
    pub response_apart: bool,
    /// First payload register of messages that must not be interrupted (an erratum, likewise).
    pub uninterrupted_from: Option<u32>,
    /// True if the address registers must be zero at the start: with an address for each row, the addresses of
    /// inactive channels must be within the register file too (likewise).
    pub clears_addresses: bool,
    /// True if a region of 64-bit elements must have a vertical stride of width times horizontal stride, even if rows
    /// have one element (PRM, "Register Region Restrictions").
    pub even_rows: bool,
    /// True if it computes on 64-bit integers: it adds, shifts and compares them.
    pub int64: bool,
    /// True if it computes on doubles.
    pub fp64: bool,
    /// `GFXCORE_FAMILY` in the object file's `.note.intelgt.compat` (zebin documentation).
    pub core_family: u32,
    /// `PRODUCT_FAMILY`, likewise.
    pub product_family: u32,
}

/// A digit of the thread's number in the machine, which names its unit and the thread within it, in a state register
/// (PRM, "State Register", "Message Control Register").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digit {
    pub register: StateRegister,
    /// Lowest bit of the digit, and its number of values.
    pub low: u32,
    pub count: u32,
}

/// A register whose first dword has digits of the thread's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateRegister {
    /// `sr0.0`.
    Thread,
    /// `msg0.0`.
    Message,
}

/// Bits of r0, the thread's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderField {
    pub dword: u32,
    pub low: u32,
    /// Number of bits.
    pub count: u32,
}

const fn header(dword: u32, low: u32, count: u32) -> HeaderField {
    HeaderField { dword, low, count }
}

/// Fields of a thread that a media walker starts: its coordinates, and its color.
#[derive(Debug, PartialEq, Eq)]
pub struct ThreadSpace {
    pub x: HeaderField,
    pub y: HeaderField,
    pub color: HeaderField,
}

const IN_TWO_DWORDS: ThreadSpace = ThreadSpace {
    x: header(1, 0, 11),
    y: header(1, 16, 11),
    color: header(2, 0, 4),
};

const IN_ONE_DWORD: ThreadSpace = ThreadSpace {
    x: header(1, 0, 12),
    y: header(1, 12, 12),
    color: header(1, 24, 8),
};

const fn digit(register: StateRegister, low: u32, count: u32) -> Digit {
    Digit {
        register,
        low,
        count,
    }
}

/// Way in which a thread receives its launch arguments, beside its header (PRM, "Thread payload").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Local ids and arguments are in registers at the start. The header has the address of the scratch space.
    Registers,
    /// The first arguments are in registers (inline data), after the local ids if the hardware generates them; the
    /// kernel loads the others from an address in the header. Scratch space is a surface whose state the header
    /// names.
    Memory,
}

/// Ways in which code calls an address in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressCalls {
    /// A jump by the distance, with a return address that is computed before.
    Jump,
    /// `calla`.
    Calla,
    /// No code is made for such calls.
    Refused,
}

/// Messages that access memory (PRM vol. 2d, "Data Port", "Load Store Cache").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageFamily {
    /// Messages of the data ports.
    DataPort,
    /// Messages of the functions that load and store by address.
    LoadStore,
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
        finalizer_name: "BXT",
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
        finalizer_name: "ICLLP",
        family: Family::Gen11,
        thread_space: &IN_ONE_DWORD,
        goto_on_false: false,
        barrier_id: Some(0x7f00_0000),
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
        finalizer_name: "MTL",
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
        finalizer_name: "XE3",
        family: Family::Xe3,
        grf_modes: &[
            mode(32, 10),
            mode(64, 10),
            mode(96, 10),
            mode(128, 8),
            mode(160, 6),
            mode(192, 5),
            mode(256, 4),
        ],
        end_of_thread: None,
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

const fn mode(grfs: u32, threads: u32) -> GrfMode {
    GrfMode { grfs, threads }
}

/// Skylake.
pub const SKL: Platform = Platform {
    name: "skl",
    aliases: &["kbl", "cfl"],
    generation: Generation::Skl,
    compiles: true,
    reference_name: "9",
    finalizer_name: "SKL",
    family: Family::Gen9,
    grf_bytes: 32,
    grf_count: 128,
    grf_modes: &[mode(128, 7)],
    default_grfs: 128,
    end_of_thread: Some(16),
    scratch_block_bytes: 128 << 10,
    scratch_bytes: 2 << 20,
    flag_count: 2,
    addr_bytes: 32,
    payload: Payload::Registers,
    inline_bytes: 0,
    memory: MessageFamily::DataPort,
    images: MessageFamily::DataPort,
    address_calls: AddressCalls::Jump,
    goto_on_false: true,
    thread_id: header(5, 0, 9),
    thread_space: &IN_TWO_DWORDS,
    thread_number: &[digit(StateRegister::Thread, 0, 65536)],
    barrier_id: Some(0x8f00_0000),
    barriers: 1,
    slm_fence: false,
    sampler_header: true,
    bindless_sampler_bit: false,
    sampler_pairs: true,
    surface_pairs: false,
    coarse_pixels: false,
    mach_low: false,
    acc_write_control: true,
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
    compiles: true,
    reference_name: "12p1",
    finalizer_name: "TGLLP",
    family: Family::Gen12Lp,
    thread_space: &IN_ONE_DWORD,
    goto_on_false: false,
    address_calls: AddressCalls::Refused,
    barrier_id: Some(0x7f00_0000),
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
    compiles: true,
    reference_name: "12p71",
    finalizer_name: "DG2",
    family: Family::XeHpg,
    thread_space: &IN_ONE_DWORD,
    payload: Payload::Memory,
    inline_bytes: 32,
    memory: MessageFamily::LoadStore,
    address_calls: AddressCalls::Calla,
    goto_on_false: false,
    grf_count: 256,
    grf_modes: &[mode(128, 8), mode(256, 4)],
    thread_number: &[
        digit(StateRegister::Thread, 0, 8),
        digit(StateRegister::Thread, 4, 4),
        digit(StateRegister::Thread, 7, 128),
    ],
    barrier_id: None,
    slm_fence: true,
    sampler_header: false,
    bindless_sampler_bit: true,
    sampler_pairs: false,
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
    aliases: &["pvcxt"],
    generation: Generation::Pvc,
    compiles: true,
    reference_name: "12p72",
    finalizer_name: "PVCXT",
    family: Family::XeHpc,
    grf_bytes: 64,
    grf_count: 256,
    grf_modes: &[mode(128, 8), mode(256, 4)],
    default_grfs: 128,
    end_of_thread: Some(16),
    scratch_block_bytes: 128 << 10,
    scratch_bytes: 2 << 20,
    flag_count: 4,
    addr_bytes: 32,
    payload: Payload::Memory,
    inline_bytes: 0,
    memory: MessageFamily::LoadStore,
    images: MessageFamily::LoadStore,
    address_calls: AddressCalls::Calla,
    goto_on_false: false,
    thread_id: header(5, 0, 9),
    thread_space: &IN_ONE_DWORD,
    thread_number: &[
        digit(StateRegister::Thread, 0, 8),
        digit(StateRegister::Thread, 4, 4),
        digit(StateRegister::Thread, 8, 128),
    ],
    barrier_id: None,
    barriers: 32,
    slm_fence: true,
    sampler_header: false,
    bindless_sampler_bit: true,
    sampler_pairs: false,
    surface_pairs: false,
    coarse_pixels: true,
    mach_low: false,
    acc_write_control: false,
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
    compiles: true,
    reference_name: "2",
    finalizer_name: "XE2",
    family: Family::Xe2,
    inline_bytes: 32,
    thread_number: &[
        digit(StateRegister::Thread, 0, 8),
        digit(StateRegister::Thread, 4, 8),
        digit(StateRegister::Message, 0, 256),
    ],
    core_family: 0xc09,
    product_family: 1275,
    response_apart: false,
    surface_pairs: true,
    ..PVC
};

impl Platform {
    /// Bytes of an allocation unit.
    pub const fn unit_bytes(&self) -> u32 {
        self.unit_grfs() * self.grf_bytes
    }

    /// Number of registers in an allocation unit: the two that an instruction's operand can span.
    pub const fn unit_grfs(&self) -> u32 {
        2
    }

    /// True if it multiplies to 64-bit integers, and dwords to dwords in one step. The others multiply through the
    /// accumulator.
    pub fn whole_products(&self) -> bool {
        self.int64 && rules(self.family).dword_products
    }

    /// The register mode of a thread that uses so many registers: that with the fewest.
    pub fn mode_of(&self, grfs: u32) -> GrfMode {
        let fits = self.grf_modes.iter().find(|mode| mode.grfs >= grfs);
        *fits.unwrap_or(&self.grf_modes[self.grf_modes.len() - 1])
    }

    /// True if a message that ends the thread may be sent from a register in some mode.
    pub fn may_end_thread(&self, grf: u32) -> bool {
        self.grf_modes
            .iter()
            .any(|mode| self.ends_thread(grf, mode.grfs))
    }

    /// True if a message that ends the thread may be sent from a register, of a thread that uses so many.
    pub fn ends_thread(&self, grf: u32, grfs: u32) -> bool {
        let file = self.mode_of(grfs).grfs;
        let first = self.end_of_thread.map_or(0, |last| file - last);
        (first..file).contains(&grf)
    }
}

/// Names of platforms of which only the vISA is known, by generation; the first name is the canonical one.
pub const VISA_ONLY: &[(&[&str], Generation)] = &[
    (&["bdw", "chv"], Generation::Bdw),
    (&["xehp", "xehp_sdv"], Generation::XeHp),
];

/// The platform or generation of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    pub generation: Generation,
    /// None for a platform of which only the vISA is known.
    pub platform: Option<&'static Platform>,
}

/// Finds a name, in either case of its letters.
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

/// Finds the platform of a name, in either case of its letters, if its machine code is known.
pub fn find(name: &str) -> Option<&'static Platform> {
    let same = |other: &str| other.eq_ignore_ascii_case(name);
    (PLATFORMS.iter()).find(|p| same(p.name) || p.aliases.iter().any(|alias| same(alias)))
}

#[cfg(test)]
#[path = "tests/platform.rs"]
mod tests;
