//! Spill and fill messages in machine code of any compiler.
//!
//! Takes decoded instructions in program order. The descriptor of a scratch block message has its offset. Beyond its
//! reach spills are oword blocks of stateless memory with the offset in the header; they count if the last write of
//! that header field, in program order, moved a constant there. Other oword blocks may be accesses to a stack frame,
//! which holds arguments as well, and do not count.
//!
//! On platforms that access memory by address, spills are whole registers of the surface whose state the header names, at
//! one address for all. Others access private variables there a value or an element at a time.

use std::collections::{HashMap, HashSet};

use crate::footprint;
use crate::inst::{Desc, Inst, Op, Src, Type};
use crate::messages::{AddressKind, Data, Descriptors, Kind, Request, Surface, address_offset};
use crate::platform::Platform;

/// Bytes of a hword, the unit of scratch block messages.
pub(crate) const HWORD: u32 = 32;
const OWORD: u32 = 16;
/// Byte offset in an oword block's header of its own offset, which is in owords.
const OFFSET: u16 = 8;
/// Byte offset of an address in its payload.
const ADDRESS: u16 = 0;

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

/// A message that accesses scratch space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Index of the instruction.
    pub at: usize,
    pub writes: bool,
    /// Offset in scratch space and size, in bytes.
    pub offset: u32,
    pub bytes: u32,
}

/// The messages that access scratch space, in the order of the code.
pub fn accesses<'a>(
    code: impl IntoIterator<Item = &'a Inst>,
    platform: &Platform,
) -> impl Iterator<Item = Access> {
    let mut headers = Headers::default();
    code.into_iter().enumerate().filter_map(move |(at, inst)| {
        let found = access(inst, &headers, platform);
        headers.follow(inst, platform);
        let (writes, first, count) = found?;
        Some(Access {
            at,
            writes,
            offset: first.saturating_mul(OWORD),
            bytes: count.saturating_mul(OWORD),
        })
    })
}

/// Counts the messages that access scratch space.
pub fn scratch<'a>(code: impl IntoIterator<Item = &'a Inst>, platform: &Platform) -> Scratch {
    let mut found = Scratch::default();
    // Spilled owords.
    let mut written: HashSet<u32> = HashSet::new();
    for Access {
        writes,
        offset,
        bytes,
        ..
    } in accesses(code, platform)
    {
        match writes {
            true => {
                found.spills += 1;
                let first = offset / OWORD;
                written.extend(first..first.saturating_add(bytes / OWORD));
            }
            false => found.fills += 1,
        }
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
        Some((write, *headers.offsets.get(&(register, OFFSET))?, count))
    };
    let by_address = |write| by_address(inst, &request, headers, platform, write);
    match request.kind {
        Kind::HwordScratchBlockRead => near(false),
        Kind::HwordScratchBlockWrite => near(true),
        Kind::OwordBlockRead | Kind::AlignedOwordBlockRead => far(false),
        Kind::OwordBlockWrite => far(true),
        Kind::Load => by_address(false),
        Kind::Store => by_address(true),
        _ => None,
    }
}

/// The access of a load or store by address. An address that is no known constant counts as 0, to which the message's
/// own offset is added.
fn by_address(
    inst: &Inst,
    request: &Request,
    headers: &Headers,
    platform: &Platform,
    write: bool,
) -> Option<(bool, u32, u32)> {
    let block = ByAddress::of(inst, request, platform)?;
    let base = headers.offsets.get(&(block.registers.0, ADDRESS)).copied();
    let first = base.unwrap_or(0).wrapping_add_signed(block.offset);
    Some((write, first / OWORD, block.bytes / OWORD))
}

/// A load or store of whole registers in a surface whose state a register names: spills by address are such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByAddress {
    /// The register with the address, and that with the surface.
    pub(crate) registers: (u32, Desc),
    /// Bytes from that address, and their number.
    pub(crate) offset: i32,
    pub(crate) bytes: u32,
}

impl ByAddress {
    pub(crate) fn of(inst: &Inst, request: &Request, platform: &Platform) -> Option<ByAddress> {
        let vector = request.fields.vector.filter(|vector| vector.transposed)?;
        let element = match request.fields.data {
            Some(Data::D32) => 4,
            Some(Data::D64) => 8,
            _ => return None,
        };
        let bytes = u32::from(vector.count) * element;
        let scratch = request.fields.address == Some(AddressKind::SurfaceState);
        if !scratch || inst.exec_size != 1 || bytes < platform.grf_bytes {
            return None;
        }
        let Some(Src::Reg(address)) = inst.srcs.first() else {
            return None;
        };
        Some(ByAddress {
            registers: (footprint::general(address.place)?.num, inst.msg?.ex_desc),
            offset: address_offset(inst, platform.family),
            bytes,
        })
    }
}

/// Constants that were moved to the offset field of possible headers or to addresses, by register and byte.
#[derive(Default)]
struct Headers {
    offsets: HashMap<(u32, u16), u32>,
}

impl Headers {
    fn follow(&mut self, inst: &Inst, platform: &Platform) {
        // Hardly any code moves such constants.
        if !self.offsets.is_empty() {
            for (register, bytes) in footprint::writes(inst, platform).parts() {
                for byte in [ADDRESS, OFFSET] {
                    if bytes & 0b1111 << byte != 0 {
                        self.offsets.remove(&(register.into(), byte));
                    }
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
            && matches!(reg.byte, ADDRESS | OFFSET)
        {
            self.offsets.insert((reg.num, reg.byte), *bits as u32);
        }
    }
}

/// The request of a message with a constant descriptor that is known.
pub(crate) fn request(inst: &Inst, platform: &Platform) -> Option<Request> {
    let descriptors = Descriptors::of(&inst.msg?)?;
    Request::decode(descriptors, platform.family).ok()
}
