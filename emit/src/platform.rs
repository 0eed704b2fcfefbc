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
    /// General registers a thread has in the default mode.
    pub grf_count: u32,
    /// Flag registers of 32 bits each.
    pub flag_count: u32,
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
pub const PLATFORMS: &[Platform] = &[Platform {
    name: "skl",
    reference_name: "9",
    family: Family::Gen9,
    grf_bytes: 32,
    grf_count: 128,
    flag_count: 2,
    core_family: 12,
    product_family: 18,
}];

/// The platform of that name, if it is known.
pub fn find(name: &str) -> Option<&'static Platform> {
    PLATFORMS.iter().find(|p| p.name == name)
}
