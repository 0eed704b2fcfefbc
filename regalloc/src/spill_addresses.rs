//! Spills and fills where messages access memory by address.
//!
//! Scratch space is a surface. A message names it by a dword of the address register, and a register with the address,
//! to which the message itself adds an offset. The second register of the header's unit has both for all of a kernel:
//! the address that the offsets of messages reach the start of scratch space from, and the surface. The last dword of
//! the address register gets the surface ([`LastDword`]).

use kiln_emit::inst::{Desc, Dst, Inst as Gen, Message, Op, Reg, RegFile, Region, Src, Type};
use kiln_emit::messages::access::{Address, MemoryAccess};
use kiln_emit::messages::load_store::offset_bits;
use kiln_emit::messages::{AddressKind, RequestError, length_in_instruction};
use kiln_machine::func::Function;
use kiln_platform::abi::{self, Stack};
use kiln_platform::isa::SendOptions;

use crate::AllocError;
use crate::frame::Frame;
use crate::last_dword::{LAST, LastDword};
use crate::physical::{set, with_constant};
use crate::spill_messages::{Access, Grfs};

/// Address that offsets count from: a message's offset has 17 bits with a sign.
pub const BASE: u32 = 1 << 16;
/// Bytes of scratch space within reach of them.
const REACH: u32 = 2 * BASE;
/// Bytes of the address and the surface in their register: those of the convention of stack calls.
pub const ADDRESS: u16 = Stack::ADDRESS as u16;
pub const SURFACE: u16 = Stack::SURFACE as u16;
pub const STATE: u16 = abi::SCRATCH_STATE as u16;
pub const STATE_MASK: u32 = abi::SCRATCH_STATE_MASK;

/// The register's contents, made from a copy of r0.
pub fn enter(register: u32, header: u32) -> [Gen; 2] {
    let surface = Reg::new(RegFile::Grf, register, SURFACE);
    let state = Reg::new(RegFile::Grf, header, STATE);
    [
        with_constant(Op::And, surface, state, STATE_MASK),
        again(register),
    ]
}

/// The address in the register, after a call that changed it.
pub fn again(register: u32) -> Gen {
    set(
        Reg::new(RegFile::Grf, register, ADDRESS),
        Src::imm(Type::Ud, BASE.into()),
    )
}

/// Writes registers to a frame of the stack, or reads them, at so many bytes from a pointer.
///
/// # Errors
/// The message cannot be encoded.
pub fn in_frame(
    func: &Function,
    register: u32,
    (pointer, bytes): (Reg, u32),
    grfs: Grfs,
    access: Access,
    dword: &mut LastDword,
    code: &mut Vec<Gen>,
) -> Result<(), AllocError> {
    dword.name_surface(register, code);
    let address = Reg::new(RegFile::Grf, register, ADDRESS);
    code.push(with_constant(Op::Add, address, pointer, bytes));
    let message = message(func, grfs, register, 0, access);
    code.push(message.map_err(|e| invalid(func, &e))?);
    Ok(())
}

fn invalid(func: &Function, error: &RequestError) -> AllocError {
    AllocError::Invalid {
        func: func.name.clone(),
        what: error.to_string(),
    }
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
    dword: &mut LastDword,
    code: &mut Vec<Gen>,
) -> Result<(), AllocError> {
    let limit = frame.scratch_grfs * frame.grf_bytes;
    let (start, bytes) = (at * frame.grf_bytes, grfs.count * frame.grf_bytes);
    let register = frame.headers.far.filter(|_| start + bytes <= limit);
    let Some(register) = register else {
        let func = func.name.clone();
        return Err(AllocError::Scratch { func, limit });
    };
    let part = |byte| Reg::new(RegFile::Grf, register, byte);
    // The messages of some families add no offset: the register then has the address of each.
    let adds = offset_bits(4, AddressKind::SurfaceState, func.target.family).is_some();
    let near = adds && start + bytes <= REACH;
    let base = if near { BASE } else { start };
    dword.name_surface(register, code);
    if !near {
        code.push(set(part(ADDRESS), Src::imm(Type::Ud, base.into())));
    }
    let offset = start.wrapping_sub(base) as i32;
    let message = message(func, grfs, register, offset, access);
    code.push(message.map_err(|e| invalid(func, &e))?);
    if !near {
        code.push(again(register));
    }
    Ok(())
}

fn message(
    func: &Function,
    grfs: Grfs,
    register: u32,
    offset: i32,
    access: Access,
) -> Result<Gen, RequestError> {
    let (target, family) = (func.target, func.target.family);
    let bytes = grfs.count * target.grf_bytes;
    let memory = MemoryAccess::scratch(access == Access::Write, Address::Uniform, bytes);
    let length = grfs.count as u8;
    let (second, response) = match access {
        Access::Write => (length, 0),
        Access::Read => (0, length),
    };
    let request = memory.request(target)?.lengths(1, second, response);
    let descriptors = request.encode(family)?;
    let ex_offset = offset_bits(offset, AddressKind::SurfaceState, family);
    let packed = |grf: u32| Src::reg(Reg::grf(grf), Region::packed(8), Type::Ud);
    let to = match access {
        Access::Write => Reg::NULL,
        Access::Read => Reg::grf(grfs.first),
    };
    let mut send = Gen::new(Op::Sends, 1);
    send.no_mask = true;
    send.dst = Some(Dst::new(to, 1, Type::Ud));
    send.srcs.push(packed(register));
    send.srcs.push(match access {
        Access::Write => packed(grfs.first),
        Access::Read => Src::reg(Reg::NULL, Region::packed(8), Type::Ud),
    });
    send.msg = Some(Message {
        ex_desc: Desc::Addr { byte: LAST as u8 },
        ..descriptors.message()
    });
    send.send = SendOptions {
        ex_bso: !length_in_instruction(descriptors.sfid, family),
        src1_len: second,
        ex_offset: ex_offset.ok_or(RequestError::Range {
            what: "offset",
            value: offset as u32,
        })?,
        ..SendOptions::default()
    };
    Ok(send)
}
