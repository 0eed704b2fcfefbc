//! Finds values that are there already: identical instructions on identical operands.
//!
//! Within a block any instruction that only computes may stand for a later one like it; across blocks
//! one that writes whatever the execution mask, where it dominates the later one. The earlier value
//! lives longer then, so that it may be at most `NEAR` instructions back: no more than these are known at
//! a time, however long the code. What is computed of floats
//! depends on the modes of rounding and denormals besides: it is the same within a block, between two
//! writes of control registers.

use std::collections::HashMap;
use std::hash::BuildHasher;

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use foldhash::fast::FixedState;
use kiln_machine::func::{Block, Class, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::{Base, Inst, List, Old, Options, Pred, Reg, Src, VReg};
use kiln_target::isa::{Cond, Op, RegFile, Type};
use kiln_target::op::Props;
use smallvec::SmallVec;

use super::dead::has_effect;

/// How far back, in instructions in order, a value is looked for. A longer life costs a register, which
/// most instructions are cheaper than.
const NEAR: usize = 64;
/// Values that are known at a time: one that is exactly so far back still counts.
const KNOWN: usize = NEAR + 1;
/// Hashes that are compared at once, and how often that is done for all.
const AT_ONCE: usize = 16;
const TIMES: usize = KNOWN.div_ceil(AT_ONCE);

/// Replaces values that are computed again.
pub fn run(func: &mut Function) {
    let graph = Graph::new(func);
    let mut known = Known::new();
    let mut renamed: SecondaryMap<VReg, PackedOption<VReg>> =
        SecondaryMap::with_capacity(func.regs.len());
    let new = |renamed: &SecondaryMap<VReg, PackedOption<VReg>>, v: VReg| {
        renamed[v].expand().unwrap_or(v)
    };
    // Instructions that were removed, by the register that each made, with the block and the modes there.
    let mut removed: HashMap<VReg, (Inst, Block, u32), FixedState> = HashMap::default();
    let mut at = 0;
    for &block in graph.order() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for mut inst in insts {
            at += 1;
            let old = inst.dst.map(|dst| dst.old);
            func.map_uses(&mut inst, |v| new(&renamed, v));
            known.modes += u32::from(writes_control(&inst));
            let base = inst.dst.as_ref().map_or(Base::Null, |dst| dst.reg.base());
            let registers: SmallVec<[VReg; 4]> = func.registers(&base).into();
            let earlier = match is_value(func, &inst) {
                true => known.find(func, &graph, block, at, &inst, &registers),
                false => None,
            };
            let Some(earlier) = earlier else {
                // What is written over is made anew: two cannot be written over one. In another block other
                // channels may run.
                if let (Some(Old::Reg(v)), Some(dst)) = (old, &mut inst.dst)
                    && let Some(&(mut again, from, modes)) = removed.get(&v)
                    && (from, modes) == (block, known.modes)
                {
                    let copy = func.regs.push(func.regs[v]);
                    if let Some(dst) = &mut again.dst {
                        dst.reg = Reg::virt(copy, dst.reg.byte());
                    }
                    dst.old = Old::Reg(copy);
                    kept.push(again);
                }
                kept.push(inst);
                continue;
            };
            if let ([v], true) = (&registers[..], is_fresh(&inst)) {
                removed.insert(*v, (inst, block, known.modes));
            }
            for (&v, &other) in registers.iter().zip(&earlier) {
                renamed[v] = other.into();
                let align = func.regs[v].align;
                let aligned = &mut func.regs[other].align;
                *aligned = align.max(*aligned);
            }
        }
        let data = &mut func.blocks[block];
        data.insts = kept;
        if let Some(pred) = data.term.pred_mut()
            && let Some(v) = pred.flag.as_virt()
        {
            pred.flag = Reg::virt(new(&renamed, v), pred.flag.byte());
        }
        for arg in data.succs.iter_mut().flat_map(|edge| &mut edge.args) {
            *arg = new(&renamed, *arg);
        }
    }
}

/// All that makes an instruction's result what it is.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    op: Op,
    exec_size: u8,
    chan_off: u8,
    opts: Options,
    pred: Option<Pred>,
    /// Of `sel`, which sets no flag.
    cond: Option<Cond>,
    srcs: SmallVec<[Src; 3]>,
    dst: (u32, u8, Type),
    /// What it is written over.
    old: Option<VReg>,
    /// Bytes of each register of the destination.
    bytes: SmallVec<[u16; 4]>,
    /// Where the mask or the modes of floats count, the block: they change from one to the next.
    block: Option<Block>,
    /// Writes of control registers before, where they count.
    modes: u32,
}

/// Where a value was computed last.
struct Entry {
    block: Block,
    at: usize,
    registers: SmallVec<[VReg; 4]>,
}

struct Known {
    /// What the last instructions computed, each at its number in order modulo the length, and some bits of the
    /// hashes of the keys. No two have the same key.
    values: [Option<(Key, Entry)>; KNOWN],
    hashes: [[u32; AT_ONCE]; TIMES],
    hasher: FixedState,
    /// One list for all of the same registers.
    lists: HashMap<SmallVec<[VReg; 4]>, List, FixedState>,
    /// Writes of control registers so far.
    modes: u32,
}

impl Known {
    fn new() -> Known {
        Known {
            values: [const { None }; KNOWN],
            hashes: [[0; AT_ONCE]; TIMES],
            hasher: FixedState::default(),
            lists: HashMap::default(),
            modes: 0,
        }
    }

    /// The registers that hold the results of an instruction already; otherwise it is known from
    /// now on.
    fn find(
        &mut self,
        func: &Function,
        graph: &Graph,
        block: Block,
        at: usize,
        inst: &Inst,
        registers: &SmallVec<[VReg; 4]>,
    ) -> Option<SmallVec<[VReg; 4]>> {
        let (op, dst) = (inst.gen_op()?, inst.dst.as_ref()?);
        let floats = dst.ty.is_float() || inst.srcs.iter().any(|src| src.ty().is_float());
        let srcs = inst.srcs.iter().map(|&src| self.one_list(func, src));
        let key = Key {
            op,
            exec_size: inst.exec_size,
            chan_off: inst.chan_off,
            opts: inst.opts,
            pred: inst.pred,
            cond: inst.cond.map(|c| c.cond),
            srcs: srcs.collect(),
            dst: (dst.reg.byte(), dst.hstride, dst.ty),
            old: func.old(dst.old, 0),
            bytes: registers.iter().map(|&v| func.regs[v].bytes).collect(),
            block: (floats || !inst.opts.no_mask).then_some(block),
            modes: if floats { self.modes } else { 0 },
        };
        let new = Entry {
            block,
            at,
            registers: registers.clone(),
        };
        let hash = self.hasher.hash_one(&key) as u32;
        if let Some(slot) = self.slot_of(&key, hash)
            && let Some((_, entry)) = self.values[slot].take()
            && at - entry.at <= NEAR
            && graph.dominates(entry.block, block)
        {
            let registers = entry.registers.clone();
            self.values[slot] = Some((key, entry));
            return Some(registers);
        }
        let slot = at % KNOWN;
        self.values[slot] = Some((key, new));
        self.hashes[slot / AT_ONCE][slot % AT_ONCE] = hash;
        None
    }

    fn slot_of(&self, key: &Key, hash: u32) -> Option<usize> {
        let same = |&slot: &usize| {
            let known = self.values.get(slot).and_then(Option::as_ref);
            known.is_some_and(|(other, _)| other == key)
        };
        (self.hashes.iter().enumerate())
            // All of these are compared whatever the first ones give, which takes a few instructions of vectors.
            .filter(|(_, hashes)| hashes.iter().fold(false, |any, &h| any | (h == hash)))
            .flat_map(|(n, hashes)| (n * AT_ONCE..).zip(hashes))
            .filter_map(|(slot, &h)| (h == hash).then_some(slot))
            .find(same)
    }

    fn one_list(&mut self, func: &Function, src: Src) -> Src {
        let Src::Reg(mut r) = src else { return src };
        if let Some(list) = r.reg.as_list() {
            let registers = func.lists[list].clone();
            let list = *self.lists.entry(registers).or_insert(list);
            r.reg = Reg::new(Base::List(list), r.reg.byte());
        }
        Src::Reg(r)
    }
}

fn writes_control(inst: &Inst) -> bool {
    let file = inst.dst.and_then(|dst| dst.reg.as_phys());
    file.is_some_and(|(file, _)| matches!(file, RegFile::Control | RegFile::State))
}

/// Whether an instruction writes over nothing.
fn is_fresh(inst: &Inst) -> bool {
    inst.dst.is_some_and(|dst| dst.old == Old::None)
}

/// Whether an instruction does nothing but compute general registers from virtual ones.
fn is_value(func: &Function, inst: &Inst) -> bool {
    let (Some(op), Some(dst)) = (inst.gen_op(), &inst.dst) else {
        return false;
    };
    let by_accumulator = op.is(Props::READS_ACC) || op.is_macro();
    let flagless = inst.cond.is_none_or(|c| c.flag.is_null());
    if has_effect(inst) || by_accumulator || !flagless || inst.symbol.is_some() {
        return false;
    }
    let base = dst.reg.base();
    let results = func.registers(&base);
    let general = |v: &VReg| func.regs[*v].class == Class::Grf;
    let computed =
        !matches!(dst.old, Old::List(_)) && !results.is_empty() && results.iter().all(general);
    let virtual_flag = inst.pred.is_none_or(|p| p.flag.as_virt().is_some());
    let known = |src: &Src| match src {
        Src::Imm(_) => true,
        Src::Reg(r) => {
            r.indirect.is_none() && matches!(r.reg.base(), Base::Virt(_) | Base::List(_))
        }
    };
    computed && virtual_flag && inst.srcs.iter().all(known)
}
