//! Bytes of registers that an instruction reads and writes.

use std::ops::Range;

use kiln_emit::messages::Descriptors;
use kiln_machine::func::Function;
use kiln_machine::inst::{Desc, Inst};

/// Bytes of the register or list of source `src` that an instruction may read, or nothing if that is not known: the
/// source is indirect, a descriptor is in a register, or the operation is not one by channel.
pub fn read(func: &Function, inst: &Inst, src: usize) -> Option<Range<u32>> {
    let source = inst.srcs[src].as_reg().filter(|r| r.indirect.is_none())?;
    let bytes = match inst.message.expand() {
        Some(message) => {
            let message = &func.messages[message];
            let grfs = match (src, message.desc, message.ex_desc) {
                (0, Desc::Imm(desc), _) => desc >> 25 & 15,
                (1, _, Desc::Imm(ex_desc)) => Descriptors::second_of(ex_desc, func.target.family),
                (1, _, Desc::Addr(_)) => message.send.src1_len.into(),
                _ => return None,
            };
            grfs * func.target.grf_bytes
        }
        None => inst.is_by_channel().then(|| source.span(inst.exec_size))?,
    };
    let from = source.reg.byte();
    Some(from..from + bytes)
}

/// Bytes of the register or list of its destination that an instruction may write, with the same exceptions.
pub fn written(func: &Function, inst: &Inst) -> Option<Range<u32>> {
    let dst = inst.dst.as_ref().filter(|dst| dst.indirect.is_none())?;
    let bytes = match inst.message.expand() {
        Some(message) => match func.messages[message].desc {
            Desc::Imm(desc) => (desc >> 20 & 31) * func.target.grf_bytes,
            Desc::Addr(_) => return None,
        },
        None => inst.is_by_channel().then(|| dst.span(inst.exec_size))?,
    };
    let from = dst.reg.byte();
    Some(from..from + bytes)
}
