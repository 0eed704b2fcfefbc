//! Spill and fill messages in machine code of any compiler.
//!
//! Takes decoded instructions in program order. The descriptor of a scratch block message has its offset. Beyond its
//! reach spills are oword blocks of stateless memory with the offset in the header; they count if the last write of
//! that header field, in program order, moved a constant there. Other oword blocks may be accesses to a stack frame,
//! which holds arguments as well, and do not count.

use std::collections::{HashMap, HashSet};

use crate::footprint;
use crate::inst::{Inst, Op, Src, Type};
use crate::messages::{Descriptors, Kind, Request, Surface};
use crate::platform::Platform;

/// Bytes of a hword, the unit of scratch block messages.
const HWORD: u32 = 32;
const OWORD: u32 = 16;
/// Byte offset in an oword block's header of its own offset, which is in owords.
const OFFSET: u16 = 8;

/// Counts of the messages that access scratch space.
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
pub fn scratch<'a>(code: impl IntoIterator<Item = &'a Inst>, platform: &Platform) -> Scratch {
    let mut found = Scratch::default();
    // Spilled owords.
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

/// True for a write, with the first oword and their number; none if the message does not access scratch space.
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

/// Constants that were moved to the offset field of possible headers, by register.
#[derive(Default)]
struct Headers {
    offsets: HashMap<u32, u32>,
}

impl Headers {
    fn follow(&mut self, inst: &Inst, platform: &Platform) {
        // Hardly any code moves such constants.
        if !self.offsets.is_empty() {
            let offset = 0b1111u64 << OFFSET;
            for (register, bytes) in footprint::of(inst, platform).writes.parts() {
                if bytes & offset != 0 {
                    self.offsets.remove(&u32::from(register));
                }
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

/// The request of a message with a constant descriptor that is known.
pub(crate) fn request(inst: &Inst, platform: &Platform) -> Option<Request> {
    let descriptors = Descriptors::of(&inst.msg?)?;
    Request::decode(descriptors, platform.family).ok()
}
