//! Sources that an instruction reads after it wrote part of its destination.

use kiln_machine::func::Function;
use kiln_machine::inst::{Dst, Inst, Reg, Src, SrcReg};
use kiln_platform::errata::Erratum;
use kiln_platform::isa::RegFile;

use crate::flags::region_end;

/// Sources that may be read after part of the destination is written: the hardware runs an instruction
/// whose operands span two registers in two steps. Sources of a message are read late if its result must not
/// overlap them, matrices always but for the rows that products are added to.
pub fn reads_late(func: &Function, inst: &Inst) -> [bool; 3] {
    let target = func.target;
    let grf_bytes = target.grf_bytes;
    let mut late = [false; 3];
    let Some(dst) = &inst.dst else { return late };
    let virt = |reg: Reg| {
        !reg.is_null() && !matches!(reg.as_phys(), Some((file, _)) if file != RegFile::Grf)
    };
    if inst.message.is_some() {
        return [target.needs(Erratum::ResponseApart); 3];
    }
    if inst.takes_lists() {
        return [!func.adds_in_place(inst), true, true];
    }
    if dst.indirect.is_some() || !virt(dst.reg) {
        return late;
    }
    let n = u32::from(inst.exec_size);
    let step = u32::from(dst.hstride) * dst.ty.bytes();
    let one_register =
        |byte: u32, bytes: u32| byte / grf_bytes == (byte + bytes.max(1) - 1) / grf_bytes;
    let dst_short = one_register(dst.reg.byte(), (n - 1) * step + dst.ty.bytes());
    for (i, src) in inst.srcs.iter().enumerate() {
        let Src::Reg(r) = src else { continue };
        if r.indirect.is_some() {
            continue;
        }
        // Mixed sizes make the hardware run several steps even inside one register.
        let end = region_end(r.region, inst.exec_size, r.ty);
        let short = dst_short && n * r.ty.bytes() <= grf_bytes && one_register(r.reg.byte(), end);
        late[i] = !short && reads_after_writes(inst, r, dst);
    }
    late
}

/// True if the source could not have the unit of the destination: a channel would read bytes that a channel before it
/// writes. Regions with the same elements are safe. Other regions are compared for operations by channel on elements of
/// one size only.
fn reads_after_writes(inst: &Inst, src: &SrcReg, dst: &Dst) -> bool {
    let step = u32::from(dst.hstride) * dst.ty.bytes();
    let place = |n: u32| dst.reg.byte() + n * step;
    let channels = u32::from(inst.exec_size);
    // Elements of one step are alike if two of them are.
    let compared = match src.step(channels) {
        Some(_) => channels.min(2),
        None => channels,
    };
    if (0..compared).all(|n| src.offset(n) == place(n)) {
        return false;
    }
    if !inst.is_by_channel() || src.ty.bytes() != dst.ty.bytes() {
        return true;
    }
    let element = (1u128 << src.ty.bytes()) - 1;
    let bytes = |from: u32| element.checked_shl(from).unwrap_or(0);
    let mut written = 0;
    (0..channels).any(|n| {
        let is_read = bytes(src.offset(n)) & written != 0;
        written |= bytes(place(n));
        is_read
    })
}
