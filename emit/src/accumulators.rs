//! Floats of short life in accumulators.
//!
//! Takes blocks of instructions with physical registers, and guarantees equivalent code in which results that few
//! instructions nearby read are in accumulators: their readers wait less for them, and they meet no bank of the register
//! file. A result is known to be read so often in its block, and nowhere else ([`Origin`](crate::inst::Origin)). All
//! its readers must be able to read an accumulator; the conditions are those of the reference finalizer
//! (`G4_IR.cpp`, `canDstBeAcc` and `canSrcBeAcc`) for floats of 32 bits. The algorithm is a scan in the order of the code,
//! where each result takes the first accumulators that are free until its last reader.

use kiln_platform::op::Props;
use smallvec::SmallVec;

use crate::assemble::Program;
use crate::footprint::{self, Footprint};
use crate::inst::{Dst, Inst, Op, Place, Reg, RegFile, Src, SrcMod, Type};
use crate::platform::Platform;
use crate::verify::region::linear_stride;

/// Maximum distance, in instructions, from a result to its last reader.
const NEAR_INSTS: usize = 24;

/// Puts results of all blocks into accumulators. Code with quotients of IEEE keeps parts of them there from block to
/// block, and is left alone.
pub fn run(program: &mut Program, platform: &'static Platform) {
    let mut insts = program.blocks.iter().flatten();
    if platform.accumulators == 0 || insts.any(|inst| names(inst, RegFile::Mme)) {
        return;
    }
    for block in &mut program.blocks {
        place(block, platform);
    }
}

/// A read of a result: an instruction's number, and the source.
type Reads = SmallVec<[(usize, usize); 4]>;

fn place(block: &mut [Inst], platform: &Platform) {
    if !block.iter().any(|inst| result(inst, platform).is_some()) {
        return;
    }
    let footprints: Vec<Footprint> = (block.iter())
        .map(|inst| footprint::of(inst, platform))
        .collect();
    let taken = taken(block);
    // By accumulator: the number of the last instruction that reads what it holds.
    let mut busy: SmallVec<[usize; 8]> = SmallVec::from_elem(0, platform.accumulators as usize);
    for at in 0..block.len() {
        let Some(grfs) = result(&block[at], platform).filter(|_| !taken[at]) else {
            continue;
        };
        // An instruction may name one accumulator only where there are two.
        let count = if busy.len() > 2 {
            grfs as usize
        } else {
            busy.len()
        };
        let free = (0..busy.len()).step_by(count).find(|&first| {
            let all = busy.get(first..first + count);
            all.is_some_and(|all| all.iter().all(|&last| last <= at))
        });
        let (Some(first), Some(reads)) = (free, readers(block, &footprints, at, platform)) else {
            continue;
        };
        let last = reads.last().map_or(at, |&(reader, _)| reader);
        busy[first..first + count].fill(last);
        let accumulator = Place::Direct(Reg::new(RegFile::Acc, first as u32, 0));
        if let Some(dst) = &mut block[at].dst {
            dst.place = accumulator;
        }
        for (reader, n) in reads {
            if let Src::Reg(src) = &mut block[reader].srcs[n] {
                src.place = accumulator;
            }
        }
    }
}

/// By instruction: true if accumulators hold something after it that was there before this pass.
fn taken(block: &[Inst]) -> Vec<bool> {
    let mut taken = vec![false; block.len()];
    let mut is_read = false;
    for (inst, taken) in block.iter().zip(&mut taken).rev() {
        *taken = is_read;
        let reads = inst.op.is(Props::READS_ACC) || sources(inst) > 0;
        is_read = reads || is_read && !touches_accumulator(inst);
    }
    taken
}

/// The number of registers of a result that an accumulator can hold.
fn result(inst: &Inst, platform: &Platform) -> Option<u32> {
    let bytes = u32::from(inst.exec_size) * Type::F.bytes();
    let whole = bytes.is_multiple_of(platform.grf_bytes) && bytes <= 2 * platform.grf_bytes;
    let writes_all = inst.pred.is_none() || inst.op == Op::Sel;
    let is_result = inst.origin.readers().is_some() && computes(inst) && writes_all;
    (is_result && whole).then_some(bytes / platform.grf_bytes)
}

/// True for a float operation that accumulators are known to serve, whose result is at the start of a register.
fn computes(inst: &Inst) -> bool {
    let starts = |dst: &Dst| match dst.place {
        Place::Direct(reg) => {
            matches!(reg.file, RegFile::Grf | RegFile::Acc)
                && reg.byte == 0
                && dst.hstride == 1
                && dst.ty == Type::F
        }
        Place::Indirect { .. } => false,
    };
    matches!(inst.op, Op::Add | Op::Mul | Op::Mad | Op::Sel)
        && inst.cond.is_none()
        && inst.dst.as_ref().is_some_and(starts)
        && takes_floats(inst)
}

/// True for a comparison of floats that sets flags alone.
fn compares(inst: &Inst) -> bool {
    inst.op == Op::Cmp
        && inst.dst.is_none_or(|dst| is_in(dst.place, RegFile::Null))
        && takes_floats(inst)
}

fn takes_floats(inst: &Inst) -> bool {
    let is_float = |src: &Src| match src {
        Src::Reg(src) => src.ty == Type::F && matches!(src.place, Place::Direct(_)),
        Src::Imm { ty, .. } => *ty == Type::F,
    };
    !inst.opts.align16 && !inst.opts.acc_wr_en && inst.srcs.iter().all(is_float)
}

/// The reads of a result; none if one of them cannot be of an accumulator, is not found or is too far.
fn readers(
    block: &[Inst],
    footprints: &[Footprint],
    at: usize,
    platform: &Platform,
) -> Option<Reads> {
    let made = &block[at];
    let place = made.dst?.place;
    let written = &footprints[at].writes;
    let wanted = usize::from(made.origin.readers()?);
    let mut reads = Reads::new();
    let last = block.len().min(at + 1 + NEAR_INSTS);
    for (n, inst) in block[..last].iter().enumerate().skip(at + 1) {
        let operands = footprints[n].reads.iter().enumerate();
        for (s, _) in operands.filter(|(_, read)| read.meets(written)) {
            let beside = reads.iter().filter(|&&(reader, _)| reader == n).count();
            let full = beside + sources(inst) >= most_sources(inst.op, platform);
            // With two accumulators the first source alone may be one.
            let is_wrong = s > 0 && platform.accumulators <= 2;
            if full || is_wrong || !can_read(inst, s, made, place) {
                return None;
            }
            reads.push((n, s));
        }
        if reads.len() == wanted {
            return Some(reads);
        }
        if footprints[n].writes.meets(written) || touches_accumulator(inst) {
            return None;
        }
    }
    None
}

/// True if an instruction reads or writes accumulators, but for those that this pass puts there.
fn touches_accumulator(inst: &Inst) -> bool {
    inst.opts.acc_wr_en
        || inst.op.is(Props::WRITES_ACC)
        || inst.op.is(Props::READS_ACC)
        || !computes(inst) && !compares(inst) && names(inst, RegFile::Acc)
}

fn is_in(place: Place, file: RegFile) -> bool {
    matches!(place, Place::Direct(reg) if reg.file == file)
}

/// The number of sources in accumulators.
fn sources(inst: &Inst) -> usize {
    let is = |src: &&Src| matches!(src, Src::Reg(src) if is_in(src.place, RegFile::Acc));
    inst.srcs.iter().filter(is).count()
}

/// Maximum number of sources in accumulators.
fn most_sources(op: Op, platform: &Platform) -> usize {
    match op {
        Op::Mul => 1,
        _ if platform.accumulators > 2 => 2,
        _ => 1,
    }
}

/// True if an operand is in a file; for that of quotients, also if it has a part there.
fn names(inst: &Inst, file: RegFile) -> bool {
    let is =
        |place: Place, mme: Option<u8>| is_in(place, file) || mme.is_some() && file == RegFile::Mme;
    let mut sources = inst.srcs.iter();
    inst.dst.is_some_and(|dst| is(dst.place, dst.mme))
        || sources.any(|src| matches!(src, Src::Reg(src) if is(src.place, src.mme)))
}

/// True if a source, which reads a part of a result, may read all of it from an accumulator.
fn can_read(inst: &Inst, n: usize, made: &Inst, place: Place) -> bool {
    let Some(Src::Reg(src)) = inst.srcs.get(n) else {
        return false;
    };
    let channels = (inst.exec_size, inst.chan_off) == (made.exec_size, made.chan_off);
    (computes(inst) || compares(inst))
        && n < 2
        && channels
        && (made.no_mask || !inst.no_mask)
        && src.place == place
        && src.mme.is_none()
        && linear_stride(src.region, inst.exec_size) == Some(1)
        && (n == 0 || src.modifier == SrcMod::default())
}
