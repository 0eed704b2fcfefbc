//! Common subexpression elimination: identical instructions on identical operands, in a window of recent
//! instructions.
//!
//! Takes wide machine IR in SSA form and leaves equivalent IR. Within a block, any instruction without side effects
//! may replace a later identical one. Across blocks, one that ignores the execution mask and dominates the later
//! one may. A replacement extends the live range of the earlier value, so it may be at most `MAX_DISTANCE`
//! instructions back; no more are kept, however long the code. Results of floats also depend on the rounding and
//! denormal modes: they are the same only within a block and between two writes of control registers.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use foldhash::fast::FixedState;
use kiln_machine::func::{Block, Class, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::{Base, Inst, Old, Reg, Src, SrcReg, VReg};
use kiln_platform::isa::RegFile;
use kiln_platform::op::Props;
use smallvec::SmallVec;

use super::dead::has_effect;

/// Maximum distance to an earlier value, in instructions. A longer live range costs a register, which is dearer
/// than most instructions.
const MAX_DISTANCE: usize = 64;
/// Number of values that are kept: one at exactly the maximum distance still counts.
const KNOWN_VALUES: usize = MAX_DISTANCE + 1;
/// Number of hashes that are compared at once, and number of such comparisons.
const HASH_GROUP_SIZE: usize = 16;
const HASH_GROUPS: usize = KNOWN_VALUES.div_ceil(HASH_GROUP_SIZE);

/// Replaces values that are computed again.
pub fn run(func: &mut Function, graph: &Graph) {
    let mut known = Known::new();
    let mut renamed: SecondaryMap<VReg, PackedOption<VReg>> = func.map_of_registers(None.into());
    let new = |renamed: &SecondaryMap<VReg, PackedOption<VReg>>, v: VReg| {
        renamed[v].expand().unwrap_or(v)
    };
    // Removed instructions by the register that each defined, with their block and modes.
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
            let earlier = match is_value(func, &inst) {
                true => known.find(func, graph, block, at, &inst),
                false => None,
            };
            let Some(earlier) = earlier else {
                // A tied operand is recomputed: two instructions cannot be tied to the same register. In another
                // block, other channels may be active.
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
            let registers = results(func, &inst);
            if let ([v], true) = (&registers[..], is_fresh(&inst)) {
                removed.insert(*v, (inst, block, known.modes));
            }
            for (&v, other) in registers.iter().zip(results(func, &earlier)) {
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

/// The registers that an instruction defines.
fn results(func: &Function, inst: &Inst) -> SmallVec<[VReg; 4]> {
    let base = inst.dst.as_ref().map_or(Base::Null, |dst| dst.reg.base());
    func.registers(&base).into()
}

/// The last computation of a value.
#[derive(Clone, Copy)]
struct Value {
    block: Block,
    at: usize,
    inst: Inst,
    /// The tied operand: the instruction may get another one in place of it.
    old: Option<VReg>,
    /// Number of writes of control registers before it.
    modes: u32,
}

impl Value {
    /// True if the result depends on the modes of floats.
    fn of_floats(&self) -> bool {
        let dst = self.inst.dst.is_some_and(|dst| dst.ty.is_float());
        dst || self.inst.srcs.iter().any(|src| src.ty().is_float())
    }

    /// True if the value is the same in all blocks: it depends neither on the mask nor on modes.
    fn is_everywhere(&self) -> bool {
        self.inst.opts.no_mask && !self.of_floats()
    }

    /// True if all inputs of the results are the same.
    fn is_same(&self, func: &Function, other: &Value) -> bool {
        let (a, b) = (&self.inst, &other.inst);
        let cond = |inst: &Inst| inst.cond.map(|c| c.cond);
        let dst = |inst: &Inst| inst.dst.map(|dst| (dst.reg.byte(), dst.hstride, dst.ty));
        let registers = |inst| {
            let results = results(func, inst).into_iter();
            results.map(|v| (func.regs[v].bytes, func.regs[v].class))
        };
        (a.op, a.exec_size, a.chan_off, a.opts) == (b.op, b.exec_size, b.chan_off, b.opts)
            && (a.pred, cond(a), dst(a)) == (b.pred, cond(b), dst(b))
            && self.old == other.old
            && a.srcs.len() == b.srcs.len()
            && (a.srcs.iter().zip(b.srcs.iter())).all(|(a, b)| is_same_source(func, a, b))
            && registers(a).eq(registers(b))
            && (self.is_everywhere() || self.block == other.block)
            && (!self.of_floats() || self.modes == other.modes)
    }
}

/// Compares sources. Lists are the same if their registers are.
fn is_same_source(func: &Function, a: &Src, b: &Src) -> bool {
    let (Src::Reg(a), Src::Reg(b)) = (a, b) else {
        return a == b;
    };
    match (a.reg.as_list(), b.reg.as_list()) {
        (Some(list), Some(other)) => {
            let reg = Reg::new(Base::List(list), b.reg.byte());
            func.lists[list] == func.lists[other] && *a == SrcReg { reg, ..*b }
        }
        _ => a == b,
    }
}

struct Known {
    /// The last computed values, each at its number modulo the length, and parts of their hashes. No two are the
    /// same.
    values: [Option<Value>; KNOWN_VALUES],
    hashes: [[u32; HASH_GROUP_SIZE]; HASH_GROUPS],
    hasher: FixedState,
    /// Number of writes of control registers so far.
    modes: u32,
}

impl Known {
    fn new() -> Known {
        Known {
            values: [None; KNOWN_VALUES],
            hashes: [[0; HASH_GROUP_SIZE]; HASH_GROUPS],
            hasher: FixedState::default(),
            modes: 0,
        }
    }

    /// The earlier instruction with the same results. If there is none, the value is recorded.
    fn find(
        &mut self,
        func: &Function,
        graph: &Graph,
        block: Block,
        at: usize,
        inst: &Inst,
    ) -> Option<Inst> {
        let new = Value {
            block,
            at,
            inst: *inst,
            old: func.old(inst.dst?.old, 0),
            modes: self.modes,
        };
        let hash = self.hash(func, &new);
        if let Some(slot) = self.slot_of(func, &new, hash)
            && let Some(value) = self.values[slot].take()
            && at - value.at <= MAX_DISTANCE
            && graph.dominates(value.block, block)
        {
            self.values[slot] = Some(value);
            return Some(value.inst);
        }
        let slot = at % KNOWN_VALUES;
        self.values[slot] = Some(new);
        self.hashes[slot / HASH_GROUP_SIZE][slot % HASH_GROUP_SIZE] = hash;
        None
    }

    /// A hash that equal values share; fields that rarely differ are left out.
    fn hash(&self, func: &Function, value: &Value) -> u32 {
        let inst = &value.inst;
        let mut hasher = self.hasher.build_hasher();
        inst.op.hash(&mut hasher);
        let block = match value.is_everywhere() {
            true => u32::MAX,
            false => value.block.as_u32(),
        };
        hasher.write_u64(u64::from(block) << 8 | u64::from(inst.chan_off));
        for src in inst.srcs.iter() {
            let register = |v: VReg, byte: u32| u64::from(v.as_u32()) << 32 | u64::from(byte);
            hasher.write_u64(match src {
                Src::Imm(imm) => imm.bits(),
                Src::Reg(r) => match (r.reg.as_virt(), r.reg.as_list()) {
                    (Some(v), _) => register(v, r.reg.byte()),
                    (None, Some(list)) => {
                        let first = func.lists[list].first();
                        first.map_or(0, |&v| register(v, r.reg.byte()))
                    }
                    (None, None) => 0,
                },
            });
        }
        hasher.finish() as u32
    }

    fn slot_of(&self, func: &Function, value: &Value, hash: u32) -> Option<usize> {
        let same = |&slot: &usize| {
            let known = self.values.get(slot).and_then(Option::as_ref);
            known.is_some_and(|known| known.is_same(func, value))
        };
        (self.hashes.iter().enumerate())
            // All hashes of a group are compared without an early exit, which compiles to a few vector
            // instructions.
            .filter(|(_, hashes)| hashes.iter().fold(false, |any, &h| any | (h == hash)))
            .flat_map(|(n, hashes)| (n * HASH_GROUP_SIZE..).zip(hashes))
            .filter_map(|(slot, &h)| (h == hash).then_some(slot))
            .find(same)
    }
}

fn writes_control(inst: &Inst) -> bool {
    let file = inst.dst.and_then(|dst| dst.reg.as_phys());
    file.is_some_and(|(file, _)| matches!(file, RegFile::Control | RegFile::State))
}

/// True if an instruction has no tied operand.
fn is_fresh(inst: &Inst) -> bool {
    inst.dst.is_some_and(|dst| dst.old == Old::None)
}

/// True if an instruction does nothing but compute general registers or addresses from virtual registers.
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
    let general = |v: &VReg| matches!(func.regs[*v].class, Class::Grf | Class::Addr);
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
