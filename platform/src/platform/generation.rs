//! Generations: platforms that the rules of vISA distinguish.

/// Platforms with the same rules of vISA, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Generation {
    Bdw,
    Skl,
    Bxt,
    Icllp,
    Tgllp,
    XeHp,
    Dg2,
    Mtl,
    Pvc,
    Xe2,
}

impl Generation {
    /// All generations, oldest first.
    pub const ALL: [Generation; 10] = [
        Generation::Bdw,
        Generation::Skl,
        Generation::Bxt,
        Generation::Icllp,
        Generation::Tgllp,
        Generation::XeHp,
        Generation::Dg2,
        Generation::Mtl,
        Generation::Pvc,
        Generation::Xe2,
    ];

    /// Name in messages, which is a platform's.
    pub const fn name(self) -> &'static str {
        match self {
            Generation::Bdw => "bdw",
            Generation::Skl => "skl",
            Generation::Bxt => "bxt",
            Generation::Icllp => "icllp",
            Generation::Tgllp => "tgllp",
            Generation::XeHp => "xehp",
            Generation::Dg2 => "dg2",
            Generation::Mtl => "mtl",
            Generation::Pvc => "pvc",
            Generation::Xe2 => "xe2",
        }
    }

    /// Bytes of a general register.
    pub const fn grf_bytes(self) -> u32 {
        if self as u8 >= Generation::Pvc as u8 {
            64
        } else {
            32
        }
    }

    /// Channels of which an execution mask names a group: an instruction of fewer begins with one of them
    /// (PRM, "Instruction Fields", channel offset).
    pub const fn channel_step(self) -> u8 {
        if self as u8 >= Generation::Pvc as u8 {
            8
        } else {
            4
        }
    }

    /// True if it has the shared function of a number, whose low four bits count (PRM, "Shared Function ID"): those of
    /// loads and stores by address since XeHP, the data ports `dc2`, `dcro`, `dc0` and `dc1` until XeHPC.
    pub const fn has_function(self, number: u8) -> bool {
        const LOAD_STORE: u16 = 1 << 1 | 1 << 14 | 1 << 15;
        const DATA_PORTS: u16 = 1 << 4 | 1 << 9 | 1 << 10 | 1 << 12;
        let absent = if (self as u8) < Generation::XeHp as u8 {
            LOAD_STORE
        } else if self as u8 >= Generation::Xe2 as u8 {
            DATA_PORTS
        } else {
            0
        };
        absent >> (number & 15) & 1 == 0
    }
}

/// A set of generations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generations(u16);

impl Generations {
    pub const ALL: Generations = Generations(u16::MAX);
    pub const NONE: Generations = Generations(0);

    /// The given generation and later ones.
    pub const fn from(first: Generation) -> Generations {
        Generations(u16::MAX << first as u8)
    }

    /// The generations before the given one.
    pub const fn before(end: Generation) -> Generations {
        Generations((1 << end as u8) - 1)
    }

    /// The given generations alone.
    pub const fn only(generations: &[Generation]) -> Generations {
        let mut set = 0;
        let mut i = 0;
        while i < generations.len() {
            set |= 1 << generations[i] as u8;
            i += 1;
        }
        Generations(set)
    }

    /// The union of two sets.
    pub const fn or(self, other: Generations) -> Generations {
        Generations(self.0 | other.0)
    }

    /// The complement of the set.
    pub const fn not(self) -> Generations {
        Generations(!self.0)
    }

    pub const fn contains(self, generation: Generation) -> bool {
        self.0 >> generation as u8 & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets() {
        let set = Generations::from(Generation::Dg2).or(Generations::only(&[Generation::Skl]));
        let members = |set: Generations| -> Vec<&str> {
            let inside = Generation::ALL.into_iter().filter(|g| set.contains(*g));
            inside.map(Generation::name).collect()
        };
        assert_eq!(members(set), ["skl", "dg2", "mtl", "pvc", "xe2"]);
        assert_eq!(
            members(Generations::before(Generation::Icllp)),
            ["bdw", "skl", "bxt"]
        );
        assert_eq!(members(Generations::ALL.not()), [""; 0]);
    }
}
