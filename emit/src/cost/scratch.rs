//! What machine code keeps in scratch space: the messages that spill and fill, whoever compiled it.

use std::collections::HashSet;

use crate::inst::Inst;
use crate::messages::{Descriptors, Kind, Request};
use crate::platform::Platform;

/// Bytes of the unit that scratch block messages count in.
const HWORD: u32 = 32;

/// Messages of scratch blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scratch {
    /// Messages that write.
    pub spills: usize,
    /// Messages that read.
    pub fills: usize,
    /// Bytes that any of them writes, each counted once.
    pub bytes: usize,
}

/// Counts the messages of scratch blocks.
pub fn scratch(code: &[Inst], platform: &Platform) -> Scratch {
    let mut found = Scratch::default();
    let mut written: HashSet<u32> = HashSet::new();
    for request in code.iter().filter_map(|inst| request(inst, platform)) {
        match request.kind {
            Kind::HwordScratchBlockRead => found.fills += 1,
            Kind::HwordScratchBlockWrite => {
                found.spills += 1;
                let first = request.fields.offset.unwrap_or(0) / HWORD;
                let count = request.fields.block.map_or(1, |block| block.count());
                written.extend(first..first + count);
            }
            _ => {}
        }
    }
    found.bytes = written.len() * HWORD as usize;
    found
}

/// What a message asks for, if its descriptor is a constant that is known.
pub(super) fn request(inst: &Inst, platform: &Platform) -> Option<Request> {
    let descriptors = Descriptors::of(&inst.msg?)?;
    Request::decode(descriptors, platform.family).ok()
}
