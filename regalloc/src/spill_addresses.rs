//! Spills and fills where messages access memory by address.
//!
//! Scratch space is a surface. A message names it by a dword of the address register, and a register with the address,
//! to which the message itself adds an offset. The second register of the header's unit has both for all of a kernel:
//! the address that the offsets of messages reach the start of scratch space from, and the surface. The last dword of
//! the address register gets the surface once in each block that spills. Where the function has something of its own
//! there, that is kept beside the address while a message is sent.

use kiln_emit::inst::{Desc, Dst, Inst as Gen, Message, Op, Reg, RegFile, Region, Src, Type};
use kiln_emit::messages::access::{Address, MemoryAccess};
use kiln_emit::messages::load_store::offset_bits;
use kiln_emit::messages::{AddressKind, RequestError, length_in_instruction};
use kiln_machine::func::Function;
use kiln_machine::inst::{self, Base, Inst};
use kiln_platform::abi::{self, Stack};
use kiln_platform::isa::SendOptions;

use crate::AllocError;
use crate::frame::Frame;
use crate::physical::set;
use crate::spill_messages::{Access, Grfs};

/// Address that offsets count from: a message's offset has 17 bits with a sign.
pub const BASE: u32 = 1 << 16;
/// Bytes of scratch space within reach of them.
const REACH: u32 = 2 * BASE;
/// Bytes of the address, the surface, and the kept dword in their register: those of the convention of stack calls.
pub const ADDRESS: u16 = Stack::ADDRESS as u16;
pub const SURFACE: u16 = Stack::SURFACE as u16;
pub const KEPT: u16 = Stack::KEPT as u16;
/// The dword of the address register for the surface.
pub const LAST: u16 = 28;
pub const STATE: u16 = abi::SCRATCH_STATE as u16;
pub const STATE_MASK: u32 = abi::SCRATCH_STATE_MASK;
pub const STATE_SHIFT: u32 = abi::SCRATCH_STATE_SHIFT;

/// The contents of the address register's last dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastDword {
    /// The function has something of its own there, somewhere.
    Used,
    /// Nothing that is needed.
    Free,
    Surface,
}

/// True if an instruction names the last dword of the address register.
fn names_last(func: &Function, inst: &Inst) -> bool {
    let last = u32::from(LAST);
    let reaches = |reg: inst::Reg, bytes: u32| {
        matches!(reg.base(), Base::Phys(RegFile::Addr, _)) && reg.byte() + bytes > last
    };
    let dst = inst.dst.is_some_and(|dst| match dst.indirect {
        Some(_) => reaches(dst.reg, 2),
        None => reaches(dst.reg, dst.span(inst.exec_size)),
    });
    let source = |src: &inst::Src| {
        src.as_reg()
            .is_some_and(|r| match (r.indirect, r.region.vstride) {
                (Some(_), None) => reaches(r.reg, 2 * u32::from(inst.exec_size)),
                (Some(_), Some(_)) => reaches(r.reg, 2),
                (None, _) => reaches(r.reg, r.span(inst.exec_size)),
            })
    };
    let message = inst.message.expand().is_some_and(|id| {
        let message = &func.messages[id];
        let named = |desc| matches!(desc, inst::Desc::Addr(reg) if reaches(reg, 4));
        named(message.desc) || named(message.ex_desc)
    });
    dst || message || inst.srcs.iter().any(source)
}

impl LastDword {
    /// The contents at the start of a block.
    pub fn of(func: &Function) -> LastDword {
        let mut insts = func.blocks.values().flat_map(|block| &block.insts);
        match insts.any(|inst| names_last(func, inst)) {
            true => LastDword::Used,
            false => LastDword::Free,
        }
    }
}

fn last() -> Reg {
    Reg::new(RegFile::Addr, 0, LAST)
}

fn scalar(reg: Reg) -> Src {
    Src::reg(reg, Region::SCALAR, Type::Ud)
}

fn ud(bits: u32) -> Src {
    Src::imm(Type::Ud, bits.into())
}

fn two(op: Op, to: Reg, from: Reg, constant: u32) -> Gen {
    let mut inst = set(to, scalar(from));
    inst.op = op;
    inst.srcs.push(ud(constant));
    inst
}

/// The register's contents, made from a copy of r0.
pub fn enter(register: u32, header: u32) -> [Gen; 2] {
    let surface = Reg::new(RegFile::Grf, register, SURFACE);
    let state = Reg::new(RegFile::Grf, header, STATE);
    [two(Op::And, surface, state, STATE_MASK), again(register)]
}

/// The address in the register, after a call that changed it.
pub fn again(register: u32) -> Gen {
    set(Reg::new(RegFile::Grf, register, ADDRESS), ud(BASE))
}

/// Names the surface by the address register's last dword; what is there is kept.
fn name_surface(register: u32, dword: LastDword, code: &mut Vec<Gen>) {
    let part = |byte| Reg::new(RegFile::Grf, register, byte);
    if dword == LastDword::Used {
        code.push(set(part(KEPT), scalar(last())));
    }
    if dword != LastDword::Surface {
        code.push(two(Op::Shr, last(), part(SURFACE), STATE_SHIFT));
    }
}

/// Takes back what was kept.
fn leave_surface(register: u32, dword: &mut LastDword, code: &mut Vec<Gen>) {
    match dword {
        LastDword::Used => {
            let kept = Reg::new(RegFile::Grf, register, KEPT);
            code.push(set(last(), scalar(kept)));
        }
        dword => *dword = LastDword::Surface,
    }
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
    name_surface(register, *dword, code);
    let address = Reg::new(RegFile::Grf, register, ADDRESS);
    code.push(two(Op::Add, address, pointer, bytes));
    let message = message(func, grfs, register, 0, access);
    code.push(message.map_err(|e| invalid(func, &e))?);
    leave_surface(register, dword, code);
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
    name_surface(register, *dword, code);
    if !near {
        code.push(set(part(ADDRESS), ud(base)));
    }
    let offset = start.wrapping_sub(base) as i32;
    let message = message(func, grfs, register, offset, access);
    code.push(message.map_err(|e| invalid(func, &e))?);
    if !near {
        code.push(again(register));
    }
    leave_surface(register, dword, code);
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
