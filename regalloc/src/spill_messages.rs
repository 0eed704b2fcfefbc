//! Messages that spill to scratch space and fill from it.
//!
//! Takes registers and a place in scratch space, and gives the instructions that write or read it. A scratch block
//! message has the copy of r0 as its header and reaches the start of scratch space; an oword block reaches all of it
//! by an offset in its header. These are the only messages that allocation makes but for the end of the thread.

use kiln_emit::inst::{Dst, Inst as Gen, Op, Reg, RegFile, Region, Src, Type};
use kiln_emit::messages::access::{Address, MemoryAccess};
use kiln_emit::messages::{Request, RequestError};
use kiln_machine::func::Function;
use kiln_platform::abi::Stack;

use crate::AllocError;
use crate::frame::Frame;
use crate::physical::set;

/// Bytes of an oword.
pub const OWORD: u32 = 16;

/// The direction of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Write,
    Read,
}

/// Neighbouring GRFs: the first, and how many.
#[derive(Clone, Copy, Debug)]
pub struct Grfs {
    pub first: u32,
    pub count: u32,
}

/// Writes registers to scratch space from its GRF `at` on, or reads them.
///
/// # Errors
/// Messages do not reach that far.
pub fn scratch(
    func: &Function,
    frame: &Frame,
    at: u32,
    grfs: Grfs,
    access: Access,
    code: &mut Vec<Gen>,
) -> Result<(), AllocError> {
    let end = at + grfs.count;
    if end <= frame.scratch_grfs
        && let Some(far) = frame.headers.far
        && end > frame.near_scratch_grfs
    {
        let bytes = at * frame.grf_bytes;
        code.push(set(
            offset_in(far),
            Src::imm(Type::Ud, (bytes / OWORD).into()),
        ));
        code.push(oword_block(func, far, grfs, access)?);
        return Ok(());
    }
    let too_far = || AllocError::Scratch {
        func: func.name.clone(),
        limit: frame.scratch_grfs * frame.grf_bytes,
    };
    if end > frame.scratch_grfs {
        return Err(too_far());
    }
    let address = Address::Constant(at * frame.grf_bytes);
    let request = request(func, grfs, address, access);
    let message = request.and_then(|request| request.encode(func.target.family));
    let message = message.map_err(|_| too_far())?;
    let mut send = send(frame.headers.header, grfs, access, Type::Uw);
    send.exec_size = 16;
    send.msg = Some(message.message());
    code.push(send);
    Ok(())
}

/// An oword block that writes or reads registers, with a header whose offset says where.
///
/// # Errors
/// The message cannot be encoded.
pub fn oword_block(
    func: &Function,
    header: u32,
    grfs: Grfs,
    access: Access,
) -> Result<Gen, AllocError> {
    let request = request(func, grfs, Address::Uniform, access);
    let message = request.and_then(|request| request.encode(func.target.family));
    let message = message.map_err(|e| AllocError::Invalid {
        func: func.name.clone(),
        what: e.to_string(),
    })?;
    let ty = if grfs.count > 1 { Type::Uw } else { Type::Ud };
    let mut send = send(header, grfs, access, ty);
    send.exec_size = if grfs.count > 1 { 16 } else { 8 };
    send.msg = Some(message.message());
    Ok(send)
}

/// The request that writes or reads registers of scratch space.
fn request(
    func: &Function,
    grfs: Grfs,
    address: Address,
    access: Access,
) -> Result<Request, RequestError> {
    let bytes = grfs.count * func.target.grf_bytes;
    let memory = MemoryAccess::scratch(access == Access::Write, address, bytes);
    let length = grfs.count as u8;
    let (second, response) = match access {
        Access::Write => (length, 0),
        Access::Read => (0, length),
    };
    Ok(memory.request(func.target)?.lengths(1, second, response))
}

/// The dword of a header that says where an oword block goes, in owords.
pub fn offset_in(header: u32) -> Reg {
    Reg::new(RegFile::Grf, header, Stack::OFFSET as u16)
}

/// A message without its descriptor.
fn send(header: u32, grfs: Grfs, access: Access, ty: Type) -> Gen {
    let packed = |grf: u32| Src::reg(Reg::grf(grf), Region::packed(8), Type::Ud);
    let (op, to) = match access {
        Access::Write => (Op::Sends, Reg::NULL),
        Access::Read => (Op::Send, Reg::grf(grfs.first)),
    };
    let mut send = Gen::new(op, 16);
    send.no_mask = true;
    send.dst = Some(Dst::new(to, 1, ty));
    send.srcs.push(packed(header));
    if access == Access::Write {
        send.srcs.push(packed(grfs.first));
    }
    send
}
