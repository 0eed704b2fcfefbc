//! What differs between Gen platforms, as data.
//!
//! A pass asks the platform for a fact; it never asks which platform it is.

/// A target the finalizer knows, with its facts.
#[derive(Debug, PartialEq, Eq)]
pub struct Platform {
    /// The name used on the command line (`skl`).
    pub name: &'static str,
    /// The name that the reference tools take for it, such as `9`.
    pub reference_name: &'static str,
    pub family: Family,
    /// Size of one general register in bytes.
    pub grf_bytes: u32,
    /// General registers that instructions can name: what a thread has in the mode with the most.
    pub grf_count: u32,
    /// Flag registers of 32 bits each.
    pub flag_count: u32,
    /// A forward `goto` sends away the channels whose predicate holds; where this is not so, those whose
    /// predicate does not hold.
    pub goto_if_true: bool,
    /// `mach` without accumulator write control gives the lower half of the product, as `macl` does.
    pub mach_low: bool,
    /// Computes on integers of 64 bits.
    pub int64: bool,
    /// Computes on doubles.
    pub fp64: bool,
    /// `GFXCORE_FAMILY` as object files name it in `.note.intelgt.compat` (zebin documentation).
    pub core_family: u32,
    /// `PRODUCT_FAMILY`, likewise.
    pub product_family: u32,
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
}

/// Every known platform.
pub const PLATFORMS: &[Platform] = &[
    SKL,
    Platform {
        name: "bxt",
        product_family: 22,
        ..SKL
    },
    Platform {
        name: "icllp",
        reference_name: "11",
        family: Family::Gen11,
        goto_if_true: true,
        mach_low: true,
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
        fp64: true,
        product_family: 1272,
        ..DG2
    },
    PVC,
    LNL,
    Platform {
        name: "bmg",
        product_family: 1274,
        ..LNL
    },
];

/// Skylake.
pub const SKL: Platform = Platform {
    name: "skl",
    reference_name: "9",
    family: Family::Gen9,
    grf_bytes: 32,
    grf_count: 128,
    flag_count: 2,
    goto_if_true: false,
    mach_low: false,
    int64: true,
    fp64: true,
    core_family: 12,
    product_family: 18,
};

const TGLLP: Platform = Platform {
    name: "tgllp",
    reference_name: "12p1",
    family: Family::Gen12Lp,
    goto_if_true: true,
    mach_low: true,
    int64: false,
    fp64: false,
    core_family: 18,
    product_family: 29,
    ..SKL
};

const DG2: Platform = Platform {
    name: "dg2",
    reference_name: "12p71",
    family: Family::XeHpg,
    grf_count: 256,
    goto_if_true: true,
    mach_low: true,
    int64: false,
    fp64: false,
    core_family: 0xc07,
    product_family: 1270,
    ..SKL
};

const PVC: Platform = Platform {
    name: "pvc",
    reference_name: "12p72",
    family: Family::XeHpc,
    grf_bytes: 64,
    grf_count: 256,
    flag_count: 4,
    goto_if_true: true,
    mach_low: true,
    int64: true,
    fp64: true,
    core_family: 0xc08,
    product_family: 1271,
};

const LNL: Platform = Platform {
    name: "lnl",
    reference_name: "2",
    family: Family::Xe2,
    core_family: 0xc09,
    product_family: 1275,
    ..PVC
};

/// The platform of that name, if it is known.
pub fn find(name: &str) -> Option<&'static Platform> {
    PLATFORMS.iter().find(|p| p.name == name)
}
