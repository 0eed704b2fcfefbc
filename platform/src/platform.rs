//! Differences between Gen platforms, as data.
//!
//! A pass asks the platform for a fact; it never asks which platform it is. Identities are rows, stated in full; every
//! other fact is stated by the platforms from which on it holds. docs/platforms.md has the table, made from this one. Every name of a platform, of users and of
//! other tools, stands here once: in its row or, if nothing is known of its machine code, in [`VISA_ONLY`]. [`named`]
//! finds them in either case.

mod generation;

pub use generation::{Generation, Generations};

use std::sync::{Mutex, PoisonError};

use crate::errata::{Errata, Erratum, Stepping};
use crate::facts::{Table, facts};
pub use crate::family::Family;
use crate::products;
use crate::rules::rules;

/// Number of registers in an allocation unit: the two that an instruction's operand can span.
pub const UNIT_GRFS: u32 = 2;

/// A register mode: how the register file is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrfMode {
    /// Number of registers of a thread.
    pub grfs: u32,
    /// Number of threads that an execution unit runs at a time, as the reference finalizer writes into object files.
    pub threads: u32,
}

/// Platforms with machine code, in the order in which facts are stated: a fact holds from one on until the next that
/// states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Model {
    Skl,
    Bxt,
    Icllp,
    Tgllp,
    Dg2,
    Mtl,
    Pvc,
    Lnl,
    Bmg,
    Ptl,
}

impl Identity {
    const fn order(&self) -> u8 {
        self.model as u8
    }
}

facts! {
    /// A target with its facts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Platform of Model by Identity::order;
    each Identity {
        /// Key of the platform in the facts below.
        model: Model,
        /// Revision that is sold, and its errata (docs/errata.md).
        errata: Errata,
        /// Canonical name (`skl`).
        name: &'static str,
        /// Other names of it, and of products that share its code.
        aliases: &'static [&'static str],
        /// Generation in the rules of vISA.
        generation: Generation,
        /// Name in the reference tools, such as `9`.
        reference_name: &'static str,
        /// Name in the command line of the reference finalizer.
        finalizer_name: &'static str,
        /// Encoding family.
        family: Family,
        /// `GFXCORE_FAMILY` in the object file's `.note.intelgt.compat` (zebin documentation).
        core_family: u32,
        /// `PRODUCT_FAMILY`, likewise.
        product_family: u32,
    }
    since {
        /// True if instruction selection makes code for it.
        compiles: bool { Skl => true, Bxt => false, Icllp => true }
        /// Size of one general register in bytes.
        grf_bytes: u32 { Skl => 32, Pvc => 64 }
        /// Number of general registers that instructions can name: that of the register mode with the most.
        grf_count: u32 { Skl => 128, Dg2 => 256 }
        /// The register modes, ascending by the number of registers.
        grf_modes: &'static [GrfMode] {
            Skl => &[mode(128, 7)],
            Dg2 => &[mode(128, 8), mode(256, 4)],
            Ptl => &[
                mode(32, 10),
                mode(64, 10),
                mode(96, 10),
                mode(128, 8),
                mode(160, 6),
                mode(192, 5),
                mode(256, 4),
            ],
        }
        /// The mode that code is for if nothing else is asked for.
        default_grfs: u32 { Skl => 128 }
        /// The number of the last registers of the file that a message may be sent from that ends the thread; none if all
        /// are good (PRM vol. 2a, "send").
        end_of_thread: Option<u32> { Skl => Some(16), Ptl => None }
        /// Bytes from the start of scratch space that scratch block messages reach; 0 where messages by address serve all of
        /// it, as in the reference (`SpillManagerGMRF.cpp`, `getLSCSpillFillHeader`).
        scratch_block_bytes: u32 { Skl => 128 << 10, Pvc => 0 }
        /// Bytes of scratch space that a thread can have (PRM vol. 2a, "MEDIA_VFE_STATE", Per Thread Scratch
        /// Space).
        scratch_bytes: u32 { Skl => 2 << 20 }
        /// Flag registers of 32 bits each.
        flag_count: u32 { Skl => 2, Pvc => 4 }
        /// Number of accumulators that serve floats as general registers do, where code is made for that: of the smaller
        /// register mode (`G4_Kernel.cpp`, `GRFMode`).
        accumulators: u32 { Skl => 0, Tgllp => 2, Dg2 => 4 }
        /// Size of the address register in bytes; each of its words is an address.
        addr_bytes: u32 { Skl => 32 }
        /// Way in which a thread receives its launch arguments.
        payload: Payload { Skl => Payload::Registers, Dg2 => Payload::Memory }
        /// Bytes of arguments that arrive in registers if the others are in memory ("inline data").
        inline_bytes: u32 { Skl => 0, Dg2 => 32, Pvc => 0, Lnl => 32 }
        /// The messages by which a kernel loads arguments from memory: those of the driver's own code, though Xe-HPG has both
        /// families (`HWCaps.inc`, `useLSCForPayloadLoad`).
        argument_loads: MessageFamily { Skl => MessageFamily::DataPort, Pvc => MessageFamily::LoadStore }
        /// The messages that access memory.
        memory: MessageFamily { Skl => MessageFamily::DataPort, Dg2 => MessageFamily::LoadStore }
        /// The messages that access images by coordinates.
        images: MessageFamily { Skl => MessageFamily::DataPort, Pvc => MessageFamily::LoadStore }
        /// Way in which code calls an address in a register.
        address_calls: AddressCalls {
            Skl => AddressCalls::Jump,
            Tgllp => AddressCalls::Call,
            Dg2 => AddressCalls::Calla,
        }
        /// True if a forward `goto` takes the channels whose predicate is false, so that one without a predicate goes
        /// nowhere (PRM vol. 2a, "goto").
        goto_on_false: bool { Skl => true, Icllp => false }
        /// The thread's number (PRM, "Thread payload", FFTID).
        thread_id: HeaderField { Skl => header(5, 0, 9) }
        /// The thread's coordinates and color in its space of threads, as the reference finalizer reads them.
        thread_space: &'static ThreadSpace { Skl => &IN_TWO_DWORDS, Icllp => &IN_ONE_DWORD }
        /// Digits of a thread's number in the state registers, the lowest first.
        thread_number: &'static [Digit] {
            Skl => &[digit(StateRegister::Thread, 0, 65536)],
            Dg2 => &[
                digit(StateRegister::Thread, 0, 8),
                digit(StateRegister::Thread, 4, 4),
                digit(StateRegister::Thread, 7, 128),
            ],
            Pvc => &[
                digit(StateRegister::Thread, 0, 8),
                digit(StateRegister::Thread, 4, 4),
                digit(StateRegister::Thread, 8, 128),
            ],
            Lnl => &[
                digit(StateRegister::Thread, 0, 8),
                digit(StateRegister::Thread, 4, 8),
                digit(StateRegister::Message, 0, 256),
            ],
            Ptl => &[
                digit(StateRegister::Thread, 0, 10),
                digit(StateRegister::Thread, 4, 8),
                digit(StateRegister::Message, 0, 256),
            ],
        }
        /// Mask of the barrier's number in r0.2, which a signal has (PRM, "Thread payload", barrier id); none if a signal has
        /// the numbers of the barrier's producers and consumers.
        barrier_id: Option<u32> { Skl => Some(0x8f00_0000), Icllp => Some(0x7f00_0000), Dg2 => None }
        /// Number of barriers of a group. If there are several, `n0.0` has a bit for each.
        barriers: u32 { Skl => 1, Pvc => 32 }
        /// True if shared local memory has a fence of its own: the fence of all memory does not order it, but may flush
        /// the level 1 cache (PRM, "Memory Fence").
        slm_fence: bool { Skl => false, Icllp => true }
        /// Number of registers, from r0 on, that hold a thread's header: an interruption of the thread restores them.
        header_registers: u16 { Skl => 2, Lnl => 1, Ptl => 2 }
        /// True if bit 0 of a sampler header's dword 3 says that the sampler is bindless; r0 may have it set.
        bindless_sampler_bit: bool { Skl => false, Icllp => true }
        /// Lowest bit of the number of a bindless surface's state in a register that names the surface and nothing else, which
        /// is also what a driver gives a kernel; since XeHPG the offset in bytes (compute-runtime,
        /// `getBindlessSurfaceOffsetToPatch`).
        surface_state_bit: u32 { Skl => 12, Dg2 => 6 }
        /// True if a sampler header counts pairs of states, of which the message selects one.
        sampler_pairs: bool { Skl => true, Dg2 => false }
        /// True if a sampler header may have the other half of a pair of surfaces.
        surface_pairs: bool { Skl => false, Lnl => true }
        /// True if sampler messages may have the level of detail of coarse pixels.
        coarse_pixels: bool { Skl => false, Icllp => true }
        /// True if `mach` without accumulator write control gives the lower half of the product, as `macl` does.
        mach_low: bool { Skl => false, Icllp => true, Pvc => false }
        /// True if an instruction has a bit for accumulator write control. Without it, `mach` always writes the accumulator.
        acc_write_control: bool { Skl => true, Pvc => false }
        /// True if a region of 64-bit elements must have a vertical stride of width times horizontal stride, even if rows
        /// have one element (PRM, "Register Region Restrictions").
        even_rows: bool { Skl => false, Bxt => true, Icllp => false }
        /// True if execution units are pairs that share an instruction pointer (HWCaps.inc hasFusedEU). Threads run in
        /// pairs unless the object says otherwise.
        paired: bool { Skl => false, Tgllp => true, Pvc => false }
        /// True if it computes on 64-bit integers: it adds, shifts and compares them.
        int64: bool { Skl => true, Icllp => false, Pvc => true }
        /// True if it computes on doubles.
        fp64: bool { Skl => true, Icllp => false, Mtl => true }
    }
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
    /// `call` by the distance from itself (PRM vol. 2a, "call").
    Call,
    /// `calla`.
    Calla,
}

/// Messages that access memory (PRM vol. 2d, "Data Port", "Load Store Cache").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageFamily {
    /// Messages of the data ports.
    DataPort,
    /// Messages of the functions that load and store by address.
    LoadStore,
}

/// Skylake.
pub const SKL: Platform = Platform::of(Identity {
    model: Model::Skl,
    errata: Errata::of(Model::Skl, Stepping::H0),
    name: "skl",
    aliases: &["kbl", "cfl"],
    generation: Generation::Skl,
    reference_name: "9",
    finalizer_name: "SKL",
    family: Family::Gen9,
    core_family: 12,
    product_family: 18,
});

/// Every known platform, in the order of [`Model`].
pub const PLATFORMS: &[Platform] = &[
    SKL,
    Platform::of(Identity {
        model: Model::Bxt,
        errata: Errata::of(Model::Bxt, Stepping::C0),
        name: "bxt",
        aliases: &["glk"],
        generation: Generation::Bxt,
        reference_name: "9",
        finalizer_name: "BXT",
        family: Family::Gen9,
        core_family: 12,
        product_family: 22,
    }),
    Platform::of(Identity {
        model: Model::Icllp,
        errata: Errata::of(Model::Icllp, Stepping::D0),
        name: "icllp",
        aliases: &["icl"],
        generation: Generation::Icllp,
        reference_name: "11",
        finalizer_name: "ICLLP",
        family: Family::Gen11,
        core_family: 15,
        product_family: 26,
    }),
    Platform::of(Identity {
        model: Model::Tgllp,
        errata: Errata::of(Model::Tgllp, Stepping::C0),
        name: "tgllp",
        aliases: &["tgl", "rkl", "adls", "adlp", "dg1"],
        generation: Generation::Tgllp,
        reference_name: "12p1",
        finalizer_name: "TGLLP",
        family: Family::Gen12Lp,
        core_family: 18,
        product_family: 29,
    }),
    Platform::of(Identity {
        model: Model::Dg2,
        errata: Errata::of(Model::Dg2, Stepping::C0),
        name: "dg2",
        aliases: &[],
        generation: Generation::Dg2,
        reference_name: "12p71",
        finalizer_name: "DG2",
        family: Family::XeHpg,
        core_family: 0xc07,
        product_family: 1270,
    }),
    Platform::of(Identity {
        model: Model::Mtl,
        errata: Errata::of(Model::Mtl, Stepping::B0),
        name: "mtl",
        aliases: &["arl"],
        generation: Generation::Mtl,
        reference_name: "12p71",
        finalizer_name: "MTL",
        family: Family::XeHpg,
        core_family: 0xc07,
        product_family: 1272,
    }),
    Platform::of(Identity {
        model: Model::Pvc,
        errata: Errata::of(Model::Pvc, Stepping::C0),
        name: "pvc",
        aliases: &["pvcxt"],
        generation: Generation::Pvc,
        reference_name: "12p72",
        finalizer_name: "PVCXT",
        family: Family::XeHpc,
        core_family: 0xc08,
        product_family: 1271,
    }),
    Platform::of(Identity {
        model: Model::Lnl,
        errata: Errata::of(Model::Lnl, Stepping::B0),
        name: "lnl",
        aliases: &["xe2"],
        generation: Generation::Xe2,
        reference_name: "2",
        finalizer_name: "XE2",
        family: Family::Xe2,
        core_family: 0xc09,
        product_family: 1275,
    }),
    Platform::of(Identity {
        model: Model::Bmg,
        errata: Errata::of(Model::Bmg, Stepping::B0),
        name: "bmg",
        aliases: &[],
        generation: Generation::Xe2,
        reference_name: "2",
        finalizer_name: "XE2",
        family: Family::Xe2,
        core_family: 0xc09,
        product_family: 1274,
    }),
    Platform::of(Identity {
        model: Model::Ptl,
        errata: Errata::of(Model::Ptl, Stepping::B0),
        name: "ptl",
        aliases: &["xe3", "wcl"],
        generation: Generation::Xe2,
        reference_name: "3",
        finalizer_name: "XE3",
        family: Family::Xe3,
        core_family: 0x1e00,
        product_family: 1300,
    }),
];

const fn mode(grfs: u32, threads: u32) -> GrfMode {
    GrfMode { grfs, threads }
}

impl Platform {
    /// True if its revision has the erratum.
    pub const fn needs(&self, erratum: Erratum) -> bool {
        self.errata.has(erratum)
    }

    /// The platform in a revision.
    pub fn in_revision(&'static self, stepping: Stepping) -> &'static Platform {
        self.with(Errata::of(self.model, stepping))
    }

    /// The platform with other errata: itself if they are its own, or else one that is made at the first question and kept.
    pub fn with(&'static self, errata: Errata) -> &'static Platform {
        static MADE: Mutex<Vec<&Platform>> = Mutex::new(Vec::new());
        let is = |made: &Platform| made.model == self.model && made.errata == errata;
        if is(self) {
            return self;
        }
        let mut all = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        match all.iter().find(|made| is(made)) {
            Some(made) => made,
            None => {
                let made = Platform { errata, ..*self };
                let made: &Platform = Box::leak(Box::new(made));
                all.push(made);
                made
            }
        }
    }

    /// Bytes of an allocation unit.
    pub const fn unit_bytes(&self) -> u32 {
        UNIT_GRFS * self.grf_bytes
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

/// Every fact of every platform, for those who print them.
pub fn table() -> Table {
    Table {
        facts: Platform::facts(),
        columns: PLATFORMS.iter().map(|p| (p.name, p.values())).collect(),
    }
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

/// Finds the platform of a name, in either case of its letters, if its machine code is known. Names are those of its row
/// and those of [`products`].
pub fn find(name: &str) -> Option<&'static Platform> {
    let same = |other: &str| other.eq_ignore_ascii_case(name);
    let own = |p: &&Platform| same(p.name) || p.aliases.iter().any(|alias| same(alias));
    PLATFORMS.iter().find(own).or_else(|| {
        let said = products::platform_of(name)?;
        PLATFORMS.iter().find(|p| p.name == said)
    })
}

#[cfg(test)]
#[path = "tests/platform.rs"]
mod tests;
