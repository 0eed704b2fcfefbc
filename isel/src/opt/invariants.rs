//! Values of the thread: what is computed from the thread's header is computed once.
//!
//! Takes wide machine IR in SSA form and leaves equivalent IR. An operation on few elements that ignores the execution
//! mask, and has the copy of r0 as a source or is tied to such a value, gives the same result wherever its other sources
//! are the same: scratch surfaces, headers of messages. An earlier one replaces it, however far back. If all its sources
//! are immediates and values of the header, and no earlier one dominates it, the entry block computes it for both. One
//! that is moved to the address register is computed there. This is value numbering in one walk over the code, for this
//! class of values; [`super::values`] does the rest, at short distances. Rematerialization undoes it where registers are
//! few.

use std::collections::HashMap;

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use foldhash::fast::FixedState;
use kiln_machine::func::{Block, Class, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::{Inst, Old, Opcode, Reg, Src, VReg};
use kiln_platform::isa::{Op, RegFile, Type};
use kiln_platform::op::Props;

use super::dead::has_effect;

/// Maximum number of elements: those of a header.
const MAX_ELEMENTS: u8 = 8;

/// The parts of an instruction that its result depends on.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    op: Op,
    exec_size: u8,
    class: Class,
    bytes: u16,
    dst: (u32, u8, Type),
    srcs: [Option<Src>; 3],
    old: Old,
}

/// A value of the thread.
struct Value {
    /// The first instruction that computes it, or that of the walk's latest block.
    inst: Inst,
    block: Block,
    /// True if the entry block can compute it.
    is_free: bool,
    /// True if the entry block does.
    is_shared: bool,
}

#[derive(Default)]
struct Invariants {
    /// Values in the order in which they were found.
    values: Vec<Value>,
    /// Index of each register's value, plus one.
    numbers: SecondaryMap<VReg, u32>,
    known: HashMap<Key, usize, FixedState>,
    /// The register with the same value.
    renamed: SecondaryMap<VReg, PackedOption<VReg>>,
}

/// Computes each value of the thread once.
pub fn run(func: &mut Function, graph: &Graph) {
    let header = func.abi.header as u8;
    if writes(func, header) {
        return;
    }
    let mut found = Invariants::default();
    for &block in graph.order() {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain_mut(|inst| {
            func.map_uses(inst, |v| found.renamed[v].expand().unwrap_or(v));
            !found.is_again(func, graph, header, (block, inst))
        });
        let data = &mut func.blocks[block];
        data.insts = insts;
        for arg in data.succs.iter_mut().flat_map(|edge| &mut edge.args) {
            *arg = found.renamed[*arg].expand().unwrap_or(*arg);
        }
    }
    if found.values.iter().all(|value| !value.is_shared) {
        return;
    }
    for data in func.blocks.values_mut() {
        let shared = |inst: &Inst| found.of(inst).is_some_and(|value| value.is_shared);
        data.insts.retain(|inst| !shared(inst));
    }
    let shared = found.values.iter().filter(|value| value.is_shared);
    let entry = func.entry();
    let insts = &mut func.blocks[entry].insts;
    insts.splice(0..0, shared.map(|value| value.inst));
}

impl Invariants {
    fn number(&self, v: VReg) -> Option<usize> {
        (self.numbers[v] as usize).checked_sub(1)
    }

    fn value(&self, v: VReg) -> Option<&Value> {
        self.number(v).map(|number| &self.values[number])
    }

    /// The value that an instruction computes first.
    fn of(&self, inst: &Inst) -> Option<&Value> {
        self.value(inst.dst.as_ref()?.reg.as_virt()?)
    }

    /// Records the value of an instruction; true if it was computed before.
    fn is_again(
        &mut self,
        func: &Function,
        graph: &Graph,
        header: u8,
        (block, inst): (Block, &mut Inst),
    ) -> bool {
        let Some(v) = result(func, inst) else {
            return false;
        };
        let of_thread = |src: &Src| match src {
            Src::Imm(_) => Some(false),
            Src::Reg(r) if r.indirect.is_some() => None,
            Src::Reg(r) => match (r.reg.as_phys(), r.reg.as_virt()) {
                (Some(place), _) => (place == (RegFile::Grf, header)).then_some(true),
                (None, Some(v)) => Some(self.number(v).is_some()),
                (None, None) => None,
            },
        };
        let old = match inst.dst.map(|dst| dst.old) {
            Some(Old::Reg(old)) => self.number(old).is_some(),
            _ => false,
        };
        let mut is_of_thread = old;
        for src in inst.srcs.iter() {
            match of_thread(src) {
                Some(is) => is_of_thread |= is,
                None => return false,
            }
        }
        if !is_of_thread {
            return false;
        }
        let is_free = self.is_free(inst);
        if is_free {
            self.fold(func, v, inst);
        }
        let Some(key) = key(func, v, inst) else {
            return false;
        };
        let number = *self.known.entry(key).or_insert(self.values.len());
        self.numbers[v] = number as u32 + 1;
        let Some(value) = self.values.get_mut(number) else {
            self.values.push(Value {
                inst: *inst,
                block,
                is_free,
                is_shared: false,
            });
            return false;
        };
        if graph.dominates(value.block, block) || value.is_free {
            let earlier = value.inst.dst.and_then(|dst| dst.reg.as_virt());
            self.renamed[v] = earlier.into();
            if !graph.dominates(value.block, block) {
                self.share(number);
            }
            return true;
        }
        (value.inst, value.block) = (*inst, block);
        false
    }

    /// True if the entry block can compute a value.
    fn is_free(&self, inst: &Inst) -> bool {
        let free = |src: &Src| match src {
            Src::Imm(_) => true,
            Src::Reg(r) => match r.reg.as_virt() {
                Some(v) => self.value(v).is_some_and(|value| value.is_free),
                None => true,
            },
        };
        let scalar = inst.exec_size == 1 && inst.dst.is_some_and(|dst| dst.old == Old::None);
        scalar && inst.srcs.iter().all(free)
    }

    /// Computes a value at the start, and those that it is computed from.
    fn share(&mut self, number: usize) {
        if std::mem::replace(&mut self.values[number].is_shared, true) {
            return;
        }
        let inst = self.values[number].inst;
        for src in inst.srcs.iter() {
            let register = src.as_reg().and_then(|r| r.reg.as_virt());
            if let Some(number) = register.and_then(|v| self.number(v)) {
                self.share(number);
            }
        }
    }

    /// Computes a value in the address register that is moved there.
    fn fold(&self, func: &Function, v: VReg, inst: &mut Inst) {
        let [Src::Reg(moved)] = inst.srcs[..] else {
            return;
        };
        let whole = |reg: Reg| reg.byte() == 0;
        let Some(first) = moved.reg.as_virt().and_then(|from| self.value(from)) else {
            return;
        };
        let first = &first.inst;
        let same = first
            .dst
            .is_some_and(|dst| whole(dst.reg) && dst.ty == moved.ty);
        let plain =
            inst.gen_op() == Some(Op::Mov) && whole(moved.reg) && !inst.srcs[0].has_modifier();
        if func.regs[v].class == Class::Addr && same && plain {
            *inst = Inst {
                dst: inst.dst,
                origin: inst.origin,
                ..*first
            };
        }
    }
}

fn key(func: &Function, v: VReg, inst: &Inst) -> Option<Key> {
    let (Opcode::Gen(op), Some(dst)) = (inst.op, inst.dst) else {
        return None;
    };
    let mut srcs = [None; 3];
    for (place, src) in srcs.iter_mut().zip(inst.srcs.iter()) {
        *place = Some(*src);
    }
    Some(Key {
        op,
        exec_size: inst.exec_size,
        class: func.regs[v].class,
        bytes: func.regs[v].bytes,
        dst: (dst.reg.byte(), dst.hstride, dst.ty),
        srcs,
        old: dst.old,
    })
}

/// The register that an instruction does nothing but compute, without regard to the mask and to modes of floats.
fn result(func: &Function, inst: &Inst) -> Option<VReg> {
    let (op, dst) = (inst.gen_op()?, inst.dst?);
    let v = dst.reg.as_virt()?;
    let by_accumulator = op.is(Props::READS_ACC) || op.is_macro();
    let alone = inst.pred.is_none() && inst.cond.is_none() && inst.symbol.is_none();
    let integers = !dst.ty.is_float() && inst.srcs.iter().all(|src| !src.ty().is_float());
    let known = matches!(func.regs[v].class, Class::Grf | Class::Addr);
    let direct = !matches!(dst.old, Old::List(_)) && dst.indirect.is_none();
    let everywhere = inst.opts.no_mask && inst.exec_size <= MAX_ELEMENTS;
    let computes = !has_effect(inst) && !by_accumulator && alone;
    (computes && integers && known && direct && everywhere).then_some(v)
}

/// True if an instruction writes a general register by its number.
fn writes(func: &Function, register: u8) -> bool {
    let insts = func.blocks.values().flat_map(|data| &data.insts);
    let mut results = insts.filter_map(|inst| inst.dst);
    results.any(|dst| dst.reg.as_phys() == Some((RegFile::Grf, register)))
}
