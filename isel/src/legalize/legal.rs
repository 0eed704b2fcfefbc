//! What is legal as it is, but for how its regions are written: most of what selection gives.
//!
//! The general way works out at length what to do with an instruction, to find in the end that there is
//! nothing. [`Legalizer::settle`] asks the same questions in their order and gives up at the first that is
//! not answered with "nothing": it may take for illegal what is legal, but never the other way round. A test
//! has the general way make exactly the same of all that it settles.

use kiln_machine::inst::{Base, Dst, Imm, Inst, Old, Opcode, Options, Reg, Src, SrcReg};
use kiln_target::isa::{Op, RegFile, Region, Type};
use kiln_target::op::Props;

use super::{
    Channels, Legalizer, Shape, encoding, exec_bytes, group, is_own_terms, is_raw_mov, needs_step,
    shape, vector_element, widest,
};

impl Legalizer<'_> {
    /// Whether an instruction is one that the hardware takes; it then has the regions that the hardware
    /// has for its operands, and is as it was otherwise.
    pub(super) fn settle(&self, inst: &mut Inst) -> bool {
        let (Opcode::Gen(op), Some(dst)) = (inst.op, inst.dst) else {
            return true;
        };
        if op.is_split_send() {
            return false;
        }
        if is_own_terms(op, inst) {
            return true;
        }
        let simple = self.simple(op, &dst, inst).map(|regions| (1, regions));
        let Some((hstride, regions)) = simple.or_else(|| self.layout(op, &dst, inst)) else {
            return false;
        };
        let raw = is_raw_mov(op, inst.opts.saturate, dst.ty, &inst.srcs);
        for (src, region) in inst.srcs.iter_mut().zip(regions) {
            if let Src::Reg(r) = src {
                r.region = region;
                r.ty = if raw { dst.ty } else { r.ty };
            }
        }
        inst.opts = Options {
            align16: false,
            acc_wr_en: op.is(Props::WRITES_ACC),
            ..inst.opts
        };
        inst.chan_off = if is_masked(inst) { inst.chan_off } else { 0 };
        inst.dst = Some(Dst { hstride, ..dst });
        true
    }

    /// The sources' regions of an operation on elements of four bytes, each channel's side by side or one for all, in
    /// registers of the machine: most of what there is where each variable has its place.
    fn simple(&self, op: Op, dst: &Dst, inst: &Inst) -> Option<[Region; 3]> {
        let n = u32::from(inst.exec_size);
        let bytes = 4 * n;
        let is_operation = matches!(
            op,
            Op::Mov
                | Op::Add
                | Op::And
                | Op::Or
                | Op::Xor
                | Op::Shl
                | Op::Shr
                | Op::Asr
                | Op::Sel
                | Op::Cmp
        );
        if !is_operation
            || inst.opts.saturate
            || dst.hstride != 1
            || !is_dword(dst.ty)
            || !self.is_whole(inst, dst)
        {
            return None;
        }
        // What lies side by side is in one register, or is two as a whole.
        let place = |reg: Reg| match reg.base() {
            Base::Phys(RegFile::Grf, num)
                if reg.byte() < self.grf && reg.byte().is_multiple_of(4) =>
            {
                Some((u32::from(num) * self.grf, reg.byte()))
            }
            _ => None,
        };
        let reaches = |byte: u32| byte + bytes <= self.grf || byte == 0 && bytes == 2 * self.grf;
        let to = match dst.reg.is_null() {
            true => None,
            false => Some(place(dst.reg).filter(|&(_, byte)| reaches(byte))?),
        };
        let mut regions = [Region::SCALAR; 3];
        for (i, src) in inst.srcs.iter().enumerate() {
            let r = match src {
                Src::Imm(imm) if i + 1 == inst.srcs.len() && is_dword(imm.ty) => continue,
                Src::Reg(r) if is_dword(r.ty) && r.indirect.is_none() => r,
                _ => return None,
            };
            let (num, byte) = place(r.reg)?;
            let is_packed = match (r.region.vstride?, r.region.width, r.region.hstride) {
                (0, 1, 0) => false,
                (1, 1, 0) if reaches(byte) => n > 1,
                _ => return None,
            };
            // The second half of the channels would read what the first have written.
            let same = is_packed && dst.reg == r.reg;
            let end = num + byte + if is_packed { bytes } else { 4 };
            let overlaps =
                |(at, first): (u32, u32)| num + byte < at + first + bytes && at + first < end;
            if n > 1 && !same && to.is_some_and(overlaps) {
                return None;
            }
            if is_packed {
                let width = n.min(self.grf / 4);
                regions[i] = match byte.is_multiple_of(4 * width) {
                    true => Region::new(width as u8, width as u8, 1),
                    false => Region::new(1, 1, 0),
                };
            }
        }
        Some(regions)
    }

    /// The destination's stride and the sources' regions of an operation that is legal with these.
    fn layout(&self, op: Op, dst: &Dst, inst: &Inst) -> Option<(u8, [Region; 3])> {
        let srcs = &inst.srcs[..];
        let n = u32::from(inst.exec_size);
        let legal = encoding::has(op, self.func.target)
            && self.is_whole(inst, dst)
            && self.factors_stay(op, srcs)
            && !srcs.iter().any(|s| self.lacks(s.ty()))
            && !self.lacks(dst.ty)
            && !self.mixes_floats(op, dst.ty, srcs)
            && !self.masked_align16(op, Channels::of(inst));
        if !legal {
            return None;
        }
        let mut regions = [Region::SCALAR; 3];
        for (i, src) in srcs.iter().enumerate() {
            match src {
                Src::Imm(imm) if i + 1 == srcs.len() && i < 2 && stays(op, imm) => {}
                Src::Imm(_) => return None,
                Src::Reg(r) => regions[i] = self.region(op, dst, i, r, n)?,
            }
        }
        if op == Op::Mov && !is_one_move(inst.opts.saturate, dst.ty, srcs) {
            return None;
        }
        let raw = is_raw_mov(op, inst.opts.saturate, dst.ty, srcs);
        let exec = if raw {
            dst.ty.bytes()
        } else {
            exec_bytes(srcs)
        };
        if n > widest(op, exec, self.grf) || n * exec > 2 * self.grf {
            return None;
        }
        let mut dest = self.dest_of(dst, inst.opts.saturate, n);
        let written = matches!(self.detour(op, n, &mut dest, srcs), Ok(None));
        // Operations of three sources with regions of their own write eight bytes at least, which is no
        // question where all channels are one piece.
        (written && self.fits(&dest, n, n)).then_some((dest.h as u8, regions))
    }

    /// Whether an instruction is one of as many channels as an execution mask can name, with a destination
    /// and a flag in registers that are named as the general way would.
    fn is_whole(&self, inst: &Inst, dst: &Dst) -> bool {
        let n = inst.exec_size;
        let off = inst.chan_off;
        let named = off.is_multiple_of(4) && (n <= 4 || off.is_multiple_of(n));
        let place = match dst.reg.base() {
            Base::Virt(_) => dst.reg.byte() < self.unit && !matches!(dst.old, Old::List(_)),
            Base::Phys(RegFile::Grf, _) => dst.reg.byte() < self.grf && dst.old == Old::None,
            Base::Null | Base::Phys(..) => dst.old == Old::None,
            Base::List(_) => false,
        };
        let flag = inst
            .cond
            .is_none_or(|c| c.flag.as_virt().is_none() || c.flag.byte() == 0);
        let op = match inst.op {
            Opcode::Gen(op) => n.is_power_of_two() && u32::from(n) >= group(op) && op != Op::Macl,
            _ => false,
        };
        let direct = dst.indirect.is_none() && dst.mme.is_none();
        op && place && flag && direct && inst.message.is_none() && (named || !is_masked(inst))
    }

    /// Whether a product is one of factors that the hardware takes in that order.
    fn factors_stay(&self, op: Op, srcs: &[Src]) -> bool {
        let ordered = |srcs: &[Src]| match srcs {
            [first, second] => first.ty().bytes() >= 4 || second.ty().bytes() != 4,
            _ => true,
        };
        let floats = || srcs.iter().any(|s| s.ty().is_float());
        op != Op::Mul || floats() || self.func.target.int64 && ordered(srcs)
    }

    /// The region of source `i` of `n` channels, if the hardware has it and reaches it where it is.
    fn region(&self, op: Op, dst: &Dst, i: usize, r: &SrcReg, n: u32) -> Option<Region> {
        let named = match r.reg.base() {
            Base::Phys(RegFile::Grf, _) => r.reg.byte() < self.grf,
            Base::Virt(_) => i == 0 || !self.is_architecture(r.reg),
            Base::Null | Base::Phys(..) => i == 0,
            Base::List(_) => false,
        };
        let second = i != 1 || r.ty.bytes() != 1 || self.rules.second_bytes;
        let shape = shape(op);
        let reached = named
            && second
            && r.indirect.is_none()
            && !self.overtakes(dst, n, r)
            && (shape == Shape::Regions || self.is_plain(r, op, dst.ty, n))
            && self.reaches(r, 0, n);
        reached.then(|| self.region_of(r, 0, n, shape)).flatten()
    }
}

fn is_dword(ty: Type) -> bool {
    matches!(ty, Type::Ud | Type::D | Type::F)
}

/// Whether some channels may not be written, or not have their condition.
fn is_masked(inst: &Inst) -> bool {
    !inst.opts.no_mask || inst.pred.is_some() || inst.cond.is_some_and(|c| !c.flag.is_null())
}

/// Whether an operation takes an immediate as it is for its last source.
fn stays(op: Op, imm: &Imm) -> bool {
    let math = shape(op) != Shape::Math || matches!(imm.ty, Type::F | Type::D | Type::Ud);
    matches!(imm.ty.bytes(), 2 | 4) && vector_element(imm.ty).is_none() && math
}

/// Whether a move is one instruction that does not become another.
fn is_one_move(saturate: bool, to: Type, srcs: &[Src]) -> bool {
    let &[src] = srcs else { return false };
    let from = src.ty();
    let integers = !from.is_float() && !to.is_float();
    let cut_down = integers && from.bytes() > to.bytes() && matches!(src, Src::Reg(_));
    !cut_down && needs_step(to, from).is_none() && !(saturate && from == to && !to.is_float())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use kiln_frontend::text;
    use kiln_machine::func::Function;
    use kiln_machine::testing::random::{functions, seeds};
    use kiln_machine::verify::Level;
    use kiln_target::platform::{PLATFORMS, SKL};

    use super::*;
    use crate::select::{Calls, Room, select_in};

    /// How many of a function's instructions settle, and how many there are.
    fn settled(func: &Function, place: &str) -> [usize; 2] {
        let insts: Vec<Inst> = func
            .blocks
            .values()
            .flat_map(|block| &block.insts)
            .copied()
            .collect();
        let mut func = func.clone();
        let mut legalizer = Legalizer::new(&mut func);
        let mut settled = 0;
        for inst in &insts {
            let mut own = *inst;
            if !legalizer.settle(&mut own) {
                continue;
            }
            let made =
                |legalizer: &Legalizer| (legalizer.func.regs.len(), legalizer.func.lists.len());
            let before = made(&legalizer);
            let result = legalizer.general(*inst);
            assert_eq!(
                (result, made(&legalizer)),
                (Ok(()), before),
                "{place}: {inst:?}"
            );
            assert_eq!(legalizer.out, [own], "{place}: {inst:?}");
            legalizer.out.clear();
            settled += 1;
        }
        [settled, insts.len()]
    }

    /// Counts are those of the random functions on the target that they are for.
    #[test]
    fn what_settles_is_what_the_general_way_makes() {
        let mut counts = [0, 0];
        for (seed, mut func) in functions(Level::Wide, seeds()) {
            for target in PLATFORMS {
                func.target = target;
                let place = format!("seed {seed} on {}", target.name);
                let [some, all] = settled(&func, &place);
                if target.name == SKL.name {
                    counts = [counts[0] + some, counts[1] + all];
                }
            }
        }
        let [some, all] = counts;
        assert!(some > all / 10, "only {some} of {all}");
    }

    /// Operands in registers of the machine, which may be the same ones.
    #[test]
    fn what_is_written_before_it_is_read_is_left_alone() {
        let (_, mut func) = functions(Level::Wide, 1).next().expect("a function");
        let mut insts = Vec::new();
        let regions = [
            (0, 1, 0),
            (1, 1, 0),
            (2, 1, 0),
            (8, 8, 1),
            (4, 4, 1),
            (16, 8, 2),
            (0, 4, 1),
        ];
        for (from, to) in [(Type::D, Type::D), (Type::W, Type::D), (Type::Ud, Type::W)] {
            for ((vstride, width, hstride), n) in
                regions.iter().flat_map(|r| [1, 4, 8, 16].map(|n| (*r, n)))
            {
                for byte in (0..96).step_by(4) {
                    let at =
                        |byte: u32| Reg::phys(RegFile::Grf, 100 + (byte / 32) as u8, byte % 32);
                    let mut inst = Inst::no_mask(Op::Mov, n);
                    inst.dst = Some(Dst::new(at(32), (4 / to.bytes()) as u8, to));
                    inst.srcs.push(Src::reg(
                        at(byte),
                        Region::new(vstride, width, hstride),
                        from,
                    ));
                    insts.push(inst);
                }
            }
        }
        func.blocks
            .values_mut()
            .for_each(|block| block.insts.clear());
        let block = func.blocks.keys().next().expect("a block");
        func.blocks[block].insts = insts;
        let [some, all] = settled(&func, "registers of the machine");
        assert!(some > all / 10 && some < all / 2, "{some} of {all}");
    }

    #[test]
    fn most_of_what_is_selected_settles() {
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/tests/kernels");
        let [mut some, mut all] = [0, 0];
        for dir in std::fs::read_dir(kernels).expect("the kernels") {
            let dir = dir.expect("an entry").path();
            let path = dir.join(dir.file_name().expect("a name"));
            let Ok(source) = std::fs::read_to_string(path.with_extension("visaasm")) else {
                continue;
            };
            let module = text::parse(&source).expect("a module");
            for (object, target) in module
                .objects
                .iter()
                .flat_map(|o| PLATFORMS.iter().map(move |t| (o, t)))
            {
                let Ok(func) = kiln_ir::build::build(object, target) else {
                    continue;
                };
                for in_memory in [false, true] {
                    let room = Room {
                        grfs: target.grf_count,
                        scratch_base: 0,
                        in_memory,
                        interruptible: false,
                    };
                    let place = format!("{} on {}", path.display(), target.name);
                    for func in select_in(&func, target, &Calls::BY_NAME, room)
                        .into_iter()
                        .flatten()
                    {
                        let [of, in_all] = settled(&func, &place);
                        (some, all) = (some + of, all + in_all);
                    }
                }
            }
        }
        assert!(some > all / 2 && all > 100_000, "only {some} of {all}");
    }
}
