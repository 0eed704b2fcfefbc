//! Forms in which results are stored whose types other crates define.

use std::ops::Range;

use kiln_emit::assemble::RelocationKind;
use kiln_emit::prologue::Loads;
use kiln_machine::func::Entered;
use kiln_platform::bits::GrfSet;
use kiln_regalloc::Stats;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(remote = "Entered")]
pub enum EnteredForm {
    Dispatched,
    Called,
    JumpedTo,
    Subroutine,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Loads")]
pub struct LoadsForm {
    ids: u32,
    arguments: Range<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "RelocationKind")]
pub enum RelocationKindForm {
    Address,
    AddressLow,
    AddressHigh,
    Distance,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Stats")]
pub struct StatsForm {
    spill_bytes: u32,
    spills: u32,
    fills: u32,
    frame_bytes: u32,
    moves: u32,
    demoted: u32,
    grf_used: u32,
    #[serde(with = "grf_set")]
    overwritten: GrfSet,
    max_pressure: Option<u32>,
}

/// A register set is stored as its words.
mod grf_set {
    use kiln_platform::bits::GrfSet;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(set: &GrfSet, to: S) -> Result<S::Ok, S::Error> {
        set.words().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<GrfSet, D::Error> {
        Deserialize::deserialize(from).map(GrfSet::from_words)
    }
}

/// Machine code is stored as bytes, which are read at once.
pub mod code {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(code: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(code)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        <&[u8]>::deserialize(from).map(<[u8]>::to_vec)
    }
}

/// An attempt is stored as its place in the list.
pub mod attempt {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::attempt::list::{ATTEMPTS, Attempt};

    pub fn serialize<S: Serializer>(attempt: &&Attempt, to: S) -> Result<S::Ok, S::Error> {
        let place = ATTEMPTS.iter().take_while(|a| a != attempt).count();
        (place as u8).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<&'static Attempt, D::Error> {
        let place = u8::deserialize(from)?;
        Ok(ATTEMPTS.get(usize::from(place)).unwrap_or(&ATTEMPTS[0]))
    }
}
