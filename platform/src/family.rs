//! Encoding families.

/// An encoding family: platforms of one family share every instruction's bits. Ascending in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
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

impl Family {
    /// All families, oldest first.
    pub const ALL: [Family; 7] = [
        Family::Gen9,
        Family::Gen11,
        Family::Gen12Lp,
        Family::XeHpg,
        Family::XeHpc,
        Family::Xe2,
        Family::Xe3,
    ];

    /// Name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Family::Gen9 => "Gen9",
            Family::Gen11 => "Gen11",
            Family::Gen12Lp => "Gen12LP",
            Family::XeHpg => "XeHPG",
            Family::XeHpc => "XeHPC",
            Family::Xe2 => "Xe2",
            Family::Xe3 => "Xe3",
        }
    }
}
