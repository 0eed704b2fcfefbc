//! Folds comparisons with zero and saturating moves into the operation that computes their source.
//!
//! Takes wide machine IR in SSA form and leaves equivalent IR. A comparison of a result with zero becomes the
//! condition modifier of the operation that computes the result: equality for integers of one size, whose signs do
//! not matter, and any relation for floats that were added or multiplied. No instruction between the two may read
//! or write a flag, since the flag is then written earlier. A `mov` that only saturates a float becomes a plain
//! copy if it is the float's only use: the operation saturates instead.

use cranelift_entity::SecondaryMap;
use kiln_machine::func::{Block, Class, Function};
use kiln_machine::inst::{Base, CondMod, Dst, Inst, Old, Opcode, Reg, Src, SrcReg, VReg};
use kiln_platform::isa::{Cond, Op, SrcMod, Type};

use super::count_uses;

/// Folds comparisons and saturation into the operations before them.
pub fn run(func: &mut Function) {
    // Only saturating moves need the counts.
    let mut insts = func.blocks.values().flat_map(|data| &data.insts);
    let uses = match insts.any(|inst| inst.opts.saturate) {
        true => count_uses(func),
        false => SecondaryMap::new(),
    };
    // The number of the instruction that defines a register in the current block. Numbers continue from block to
    // block.
    let mut defined = func.map_of_registers(0usize);
    let blocks: Vec<Block> = func.blocks.keys().collect();
    let mut start = 1;
    for block in blocks {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        let mut folded = vec![false; insts.len()];
        // The number of the last instruction so far that reads or writes a flag.
        let mut flagged = start - 1;
        for n in 0..insts.len() {
            let maker = |v: VReg| defined[v].checked_sub(start);
            if let Some((at, cond)) = compare(func, &insts, n, maker)
                && flagged <= start + at
            {
                insts[at].cond = cond;
                folded[n] = true;
                flagged = start + at;
                continue;
            }
            if let Some(at) = saturation(func, &insts, n, maker, &uses) {
                insts[at].opts.saturate = true;
                insts[n].opts.saturate = false;
            }
            let inst = &insts[n];
            if touches_flag(func, inst) {
                flagged = start + n;
            }
            func.visit(inst, |v, role| {
                if role.is_def() {
                    defined[v] = start + n;
                }
            });
        }
        start += insts.len();
        if folded.contains(&true) {
            let mut folded = folded.into_iter();
            insts.retain(|_| !folded.next().is_some_and(|folded| folded));
        }
        func.blocks[block].insts = insts;
    }
}

fn touches_flag(func: &Function, inst: &Inst) -> bool {
    let mut touches = inst.pred.is_some() || inst.cond.is_some();
    let mut see = |reg: Reg| {
        touches |= match reg.base() {
            // Fixed registers may alias any other.
            Base::Phys(..) => true,
            Base::Virt(v) => func.regs[v].class == Class::Flag,
            Base::Null | Base::List(_) => false,
        }
    };
    inst.dst.iter().for_each(|dst| see(dst.reg));
    let srcs = inst.srcs.iter().filter_map(Src::as_reg);
    srcs.for_each(|src| see(src.reg));
    touches
}

/// True if the instruction has no predicate, condition or saturation.
fn is_plain(inst: &Inst) -> bool {
    inst.is_by_channel() && inst.is_bare()
}

fn same_channels(a: &Inst, b: &Inst) -> bool {
    (a.exec_size, a.chan_off, a.opts.no_mask) == (b.exec_size, b.chan_off, b.opts.no_mask)
}

/// True if a source reads, channel by channel, the elements that a destination wrote.
fn reads(func: &Function, src: &SrcReg, dst: &Dst, exec_size: u8) -> bool {
    let size = dst.ty.bytes();
    let direct = src.indirect.is_none() && dst.indirect.is_none();
    direct
        && src.region.vstride.is_some()
        && src.ty.bytes() == size
        && (0..u32::from(exec_size)).all(|n| {
            let from = src.reg.byte() + src.element(n);
            let to = dst.reg.byte() + n * u32::from(dst.hstride) * size;
            let place = func.place(src.reg.base(), from);
            place.is_some() && place == func.place(dst.reg.base(), to)
        })
}

/// The first register of a source.
fn register(func: &Function, src: &SrcReg) -> Option<VReg> {
    func.registers(&src.reg.base()).first().copied()
}

/// For instruction `n`, if it compares an earlier result with zero: the number of the instruction that computes the
/// result, and the condition for it.
fn compare(
    func: &Function,
    insts: &[Inst],
    n: usize,
    maker: impl Fn(VReg) -> Option<usize>,
) -> Option<(usize, Option<CondMod>)> {
    let inst = &insts[n];
    let cond = inst.cond?;
    let [Src::Reg(src), Src::Imm(zero)] = inst.srcs[..] else {
        return None;
    };
    let bits = zero.bits() & (u64::MAX >> (64 - 8 * zero.ty.bytes()));
    let null = inst.dst.as_ref().is_none_or(|dst| dst.reg.is_null());
    let plain = inst.op == Op::Cmp && inst.pred.is_none() && !inst.opts.saturate;
    let virtual_flag = cond.flag.as_virt().is_some();
    if bits != 0 || !null || !plain || !virtual_flag || src.modifier != SrcMod::default() {
        return None;
    }
    let at = maker(register(func, &src)?)?;
    let by = &insts[at];
    let dst = by.dst.as_ref()?;
    let fits = is_plain(by) && same_channels(by, inst) && reads(func, &src, dst, inst.exec_size);
    if !fits || !sets(by, dst, &src, zero.ty, cond.cond) {
        return None;
    }
    Some((at, Some(cond)))
}

/// True if the condition modifier of `by` gives the same flag as a comparison of its result with zero.
fn sets(by: &Inst, dst: &Dst, src: &SrcReg, zero: Type, cond: Cond) -> bool {
    let size = dst.ty.bytes();
    let equality = matches!(cond, Cond::Eq | Cond::Ne);
    let Some(op) = by.gen_op() else { return false };
    if dst.ty.is_float() {
        let one = by.srcs.iter().all(|s| s.ty() == dst.ty) && src.ty == dst.ty && zero == dst.ty;
        let order = matches!(cond, Cond::Gt | Cond::Ge | Cond::Lt | Cond::Le);
        return one && (equality || order) && matches!(op, Op::Add | Op::Mul);
    }
    let one_size = by.srcs.iter().all(|s| match s {
        Src::Reg(r) => r.ty.bytes() == size && !r.ty.is_float(),
        Src::Imm(i) => i.ty.bytes() <= size && !i.ty.is_float(),
    });
    let takes = matches!(
        op,
        Op::And | Op::Or | Op::Xor | Op::Not | Op::Add | Op::Shr | Op::Shl | Op::Asr
    );
    one_size && takes && equality && size > 1 && !src.ty.is_float() && !zero.is_float()
}

/// For instruction `n`, if it only saturates a float of which it is the only use: the number of the instruction
/// that computes the float.
fn saturation(
    func: &Function,
    insts: &[Inst],
    n: usize,
    maker: impl Fn(VReg) -> Option<usize>,
    uses: &SecondaryMap<VReg, u32>,
) -> Option<usize> {
    let inst = &insts[n];
    let dst = inst.dst.as_ref()?;
    let [Src::Reg(src)] = inst.srcs[..] else {
        return None;
    };
    let saturates = inst.op == Op::Mov && inst.opts.saturate && inst.is_by_channel();
    let plain = src.modifier == SrcMod::default() && inst.cond.is_none();
    if !saturates || !plain || src.ty != dst.ty || !dst.ty.is_float() {
        return None;
    }
    let at = maker(register(func, &src)?)?;
    let by = &insts[at];
    let made = by.dst.as_ref()?;
    let one_size = inst.exec_size == by.exec_size && made.ty == dst.ty && made.old == Old::None;
    let alone = func
        .registers(&made.reg.base())
        .iter()
        .all(|&v| uses[v] == 1);
    let takes = matches!(by.op, Opcode::Gen(Op::Add | Op::Mul | Op::Mad));
    (one_size && alone && takes && is_plain(by) && reads(func, &src, made, inst.exec_size))
        .then_some(at)
}
