//! What machine code keeps in scratch space: the messages that spill and fill, whoever compiled it.
//!
//! Takes decoded instructions in their order. Scratch block messages say in their descriptor where they go. What
//! they do not reach is accessed by oword blocks to all memory, whose header says where; they count if the instruction
//! that last wrote this place of the header, in the order of the code, moved a constant there. Others are not told from
//! accesses to a frame on the stack, which holds arguments as well, and do not count.

use std::collections::{HashMap, HashSet};

use crate::footprint;
use crate::inst::{Inst, Op, Src, Type};
use crate::messages::{Descriptors, Kind, Request, Surface};
use crate::platform::Platform;

/// Bytes of the units that scratch block messages and oword blocks count in.
const HWORD: u32 = 32;
const OWORD: u32 = 16;
/// The byte of an oword block's header from which on its offset is, in owords.
const OFFSET: u16 = 8;

/// Messages that access scratch space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scratch {
    /// Messages that write.
    pub spills: usize,
    /// Messages that read.
    pub fills: usize,
    /// Bytes that any of them writes, each counted once.
    pub bytes: usize,
}

/// Counts the messages that access scratch space.
pub fn scratch(code: &[Inst], platform: &Platform) -> Scratch {
    let mut found = Scratch::default();
    // In owords.
    let mut written: HashSet<u32> = HashSet::new();
    let mut headers = Headers::default();
    for inst in code {
        if let Some((write, first, count)) = access(inst, &headers, platform) {
            match write {
                true => {
                    found.spills += 1;
                    written.extend(first..first.saturating_add(count));
                }
                false => found.fills += 1,
            }
        }
        headers.follow(inst, platform);
    }
    found.bytes = written.len() * OWORD as usize;
    found
}

/// Whether a message writes to scratch space or reads from it, from which oword on and how many; nothing of others.
fn access(inst: &Inst, headers: &Headers, platform: &Platform) -> Option<(bool, u32, u32)> {
    let request = request(inst, platform)?;
    let count = request.fields.block.map_or(1, |block| block.count());
    let near = |write| {
        let first = request.fields.offset.unwrap_or(0) / OWORD;
        Some((write, first, count * (HWORD / OWORD)))
    };
    let all_memory = matches!(
        request.fields.surface,
        Some(Surface::Stateless | Surface::StatelessNonCoherent)
    );
    let far = |write| {
        let Some(Src::Reg(header)) = inst.srcs.first().filter(|_| all_memory) else {
            return None;
        };
        let register = footprint::general(header.place)?.num;
        Some((write, *headers.offsets.get(&register)?, count))
    };
    match request.kind {
        Kind::HwordScratchBlockRead => near(false),
        Kind::HwordScratchBlockWrite => near(true),
        Kind::OwordBlockRead | Kind::AlignedOwordBlockRead => far(false),
        Kind::OwordBlockWrite => far(true),
        _ => None,
    }
}

/// What registers hold where a header has its offset, of those that a constant was moved to.
#[derive(Default)]
struct Headers {
    offsets: HashMap<u32, u32>,
}

impl Headers {
    fn follow(&mut self, inst: &Inst, platform: &Platform) {
        let offset = 0b1111u64 << OFFSET;
        for (register, bytes) in footprint::of(inst, platform).writes.parts() {
            if bytes & offset != 0 {
                self.offsets.remove(&u32::from(register));
            }
        }
        let Some(dst) = inst
            .dst
            .filter(|dst| inst.op == Op::Mov && dst.ty.bytes() == 4)
        else {
            return;
        };
        if let (Some(reg), [Src::Imm { ty, bits }]) =
            (footprint::general(dst.place), &inst.srcs[..])
            && matches!(dst.ty, Type::D | Type::Ud)
            && !matches!(ty, Type::F | Type::Hf | Type::Df | Type::Vf)
            && inst.exec_size == 1
            && inst.pred.is_none()
            && reg.byte == OFFSET
        {
            self.offsets.insert(reg.num, *bits as u32);
        }
    }
}

/// What a message asks for, if its descriptor is a constant that is known.
pub(super) fn request(inst: &Inst, platform: &Platform) -> Option<Request> {
    let descriptors = Descriptors::of(&inst.msg?)?;
    Request::decode(descriptors, platform.family).ok()
}
