//! The platforms that vISA is compiled for, as far as the input depends on them.

/// A platform, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Platform {
    Bdw,
    Skl,
    Bxt,
    Icllp,
    Tgllp,
    XeHp,
    Dg2,
    Mtl,
    Pvc,
    PvcXt,
    Xe2,
}

impl Platform {
    /// Each name that users and other tools have for a platform; the first of a platform is its own.
    const NAMES: &'static [(&'static str, Platform)] = &[
        ("bdw", Platform::Bdw),
        ("chv", Platform::Bdw),
        ("skl", Platform::Skl),
        ("kbl", Platform::Skl),
        ("cfl", Platform::Skl),
        ("bxt", Platform::Bxt),
        ("glk", Platform::Bxt),
        ("icllp", Platform::Icllp),
        ("icl", Platform::Icllp),
        ("tgllp", Platform::Tgllp),
        ("tgl", Platform::Tgllp),
        ("rkl", Platform::Tgllp),
        ("adls", Platform::Tgllp),
        ("adlp", Platform::Tgllp),
        ("dg1", Platform::Tgllp),
        ("xehp", Platform::XeHp),
        ("xehp_sdv", Platform::XeHp),
        ("dg2", Platform::Dg2),
        ("mtl", Platform::Mtl),
        ("arl", Platform::Mtl),
        ("pvc", Platform::Pvc),
        ("pvcxt", Platform::PvcXt),
        ("xe2", Platform::Xe2),
        ("bmg", Platform::Xe2),
        ("lnl", Platform::Xe2),
    ];

    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().map(|(name, _)| *name)
    }

    /// The platform of that name, in either case.
    pub fn from_name(name: &str) -> Option<Platform> {
        let same = |n: &str| n.eq_ignore_ascii_case(name);
        let found = Self::NAMES.iter().find(|(n, _)| same(n));
        found.map(|(_, platform)| *platform)
    }

    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(_, platform)| *platform == self);
        found.map_or("", |(name, _)| name)
    }

    /// Bytes of a register.
    pub fn grf_bytes(self) -> u32 {
        if self >= Platform::Pvc { 64 } else { 32 }
    }
}

/// A set of platforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platforms(u16);

impl Platforms {
    pub const ALL: Platforms = Platforms(u16::MAX);
    pub const NONE: Platforms = Platforms(0);

    /// From that one on.
    pub const fn from(first: Platform) -> Platforms {
        Platforms(u16::MAX << first as u8)
    }

    /// Before that one.
    pub const fn before(end: Platform) -> Platforms {
        Platforms((1 << end as u8) - 1)
    }

    /// These alone.
    pub const fn only(platforms: &[Platform]) -> Platforms {
        let mut set = 0;
        let mut i = 0;
        while i < platforms.len() {
            set |= 1 << platforms[i] as u8;
            i += 1;
        }
        Platforms(set)
    }

    /// Those of either set.
    pub const fn or(self, other: Platforms) -> Platforms {
        Platforms(self.0 | other.0)
    }

    /// All that are not in the set.
    pub const fn not(self) -> Platforms {
        Platforms(!self.0)
    }

    pub const fn contains(self, platform: Platform) -> bool {
        self.0 >> platform as u8 & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sets() {
        assert_eq!(Platform::from_name("BMG"), Some(Platform::Xe2));
        assert_eq!(Platform::from_name("xe9"), None);
        assert_eq!(Platform::Xe2.name(), "xe2");
        assert_eq!(Platform::Dg2.grf_bytes(), 32);
        assert_eq!(Platform::Pvc.grf_bytes(), 64);
        let set = Platforms::from(Platform::Dg2).or(Platforms::only(&[Platform::Skl]));
        let members: Vec<&str> = ["bdw", "skl", "icllp", "dg2", "xe2"]
            .into_iter()
            .filter(|n| Platform::from_name(n).is_some_and(|p| set.contains(p)))
            .collect();
        assert_eq!(members, ["skl", "dg2", "xe2"]);
        assert!(Platforms::before(Platform::Icllp).contains(Platform::Bxt));
        assert!(!Platforms::before(Platform::Icllp).contains(Platform::Icllp));
        assert!(!Platforms::ALL.not().contains(Platform::Skl));
    }
}
