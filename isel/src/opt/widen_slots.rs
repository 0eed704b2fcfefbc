//! Stores bytes and words in dword-sized slots while they are computed, and dwords in qword-sized ones.
//!
//! Takes wide machine IR in SSA form and leaves equivalent IR. An operation on dwords cannot write consecutive
//! bytes: it writes every fourth byte and a move packs them, and the next operation spreads them again. Values that
//! are read and written only by operations channel by channel get elements four bytes apart from their definition
//! on; their uses read them with the wider stride. Values of one web (joined by block parameters or tied operands)
//! change together, and only where that saves more moves than it costs: floats whose channels keep their place are
//! packed again for a packed result. Where the channels of 64-bit operations keep their place, the
//! same is done for dwords that only such operations read.
//!
//! Payloads, lists, fixed inputs and values that are read with elements of another size stay packed.

use cranelift_entity::{EntityRef as _, PrimaryMap};
use kiln_machine::func::{Block, Class, Function, RegData};
use kiln_machine::inst::{Dst, Inst, Opcode, Role, Src, SrcReg, VReg};
use kiln_platform::isa::{Op, Region, SrcMod, Type};
use kiln_platform::rules::rules;

/// Size in bytes of the widest elements that need slots of their own: a dword operation cannot write them side by side.
const MAX_NARROW_BYTES: u32 = 2;

/// Bytes of the slot of an element of a size.
fn slot(size: u32) -> u32 {
    match size {
        0..=MAX_NARROW_BYTES => 4,
        _ => 8,
    }
}

/// Maximum vertical stride of a region, in elements.
const MAX_VSTRIDE: u32 = 32;

/// Spreads the elements of narrow registers.
pub fn run(func: &mut Function) {
    let mut insts = func.blocks.values().flat_map(|data| &data.insts);
    let in_place = rules(func.target.family).in_place;
    let narrow = |inst: &Inst| {
        inst.dst
            .is_some_and(|dst| dst.ty.bytes() <= MAX_NARROW_BYTES)
    };
    if !insts.any(|inst| narrow(inst) && packs(inst) || in_place && is_long(inst)) {
        return;
    }
    let mut webs = Webs::new(func, in_place);
    let blocks: Vec<Block> = func.blocks.keys().collect();
    for &block in &blocks {
        for inst in &func.blocks[block].insts {
            webs.see(func, inst);
        }
        for edge in &func.blocks[block].succs {
            for (&param, &arg) in func.blocks[edge.to].params.iter().zip(&edge.args) {
                webs.join(param, arg);
            }
        }
    }
    let factors = webs.factors(func);
    if factors.iter().all(|&(factor, _)| factor == 1) {
        return;
    }
    let factor = |v: VReg| u32::from(factors[v.index()].0);
    for block in blocks {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        for inst in &mut insts {
            let n = u32::from(inst.exec_size);
            for src in inst.srcs.iter_mut() {
                if let Src::Reg(r) = src
                    && r.indirect.is_none()
                    && let Some(v) = r.reg.as_virt()
                    && factor(v) > 1
                {
                    r.region = spread(r, n, factor(v)).unwrap_or(r.region);
                    r.reg = r.reg.at(r.reg.byte() * factor(v));
                }
            }
            if let Some(dst) = &mut inst.dst
                && dst.indirect.is_none()
                && let Some(v) = dst.reg.as_virt()
                && factor(v) > 1
            {
                dst.hstride = factor(v) as u8;
                dst.reg = dst.reg.at(dst.reg.byte() * factor(v));
            }
        }
        func.blocks[block].insts = insts;
    }
    for (v, data) in func.regs.iter_mut() {
        data.bytes = factors[v.index()].1;
    }
}

/// Webs of registers, as a union-find structure.
struct Webs {
    /// Another register of the same web; the representative has itself.
    parent: PrimaryMap<VReg, u32>,
    facts: PrimaryMap<VReg, Facts>,
    /// True if the channels of 64-bit operations keep their place.
    in_place: bool,
}

#[derive(Clone, Copy, Default)]
struct Facts {
    /// Bytes of an element; 0 while unknown.
    size: u8,
    fixed: bool,
    /// Number of bytes in use.
    end: u32,
    /// Number of moves that spreading saves, and of those that it costs.
    gain: u32,
    loss: u32,
}

impl Facts {
    fn element(&mut self, size: u32) {
        let size = size as u8;
        self.fixed |= self.size != 0 && self.size != size;
        self.size = size;
    }
}

impl Webs {
    fn new(func: &Function, in_place: bool) -> Webs {
        let fixed = |data: &RegData| Facts {
            fixed: data.class != Class::Grf,
            ..Facts::default()
        };
        let mut webs = Webs {
            parent: (0..func.regs.len() as u32).collect(),
            facts: func.regs.values().map(fixed).collect(),
            in_place,
        };
        for &(v, _) in &func.inputs {
            webs.facts[v].fixed = true;
        }
        webs
    }

    fn first(&mut self, v: VReg) -> VReg {
        let mut v = v;
        while self.parent[v] != v.as_u32() {
            let up = VReg::from_u32(self.parent[v]);
            self.parent[v] = self.parent[up];
            v = up;
        }
        v
    }

    fn join(&mut self, a: VReg, b: VReg) {
        let (a, b) = (self.first(a), self.first(b));
        if a != b {
            let (low, high) = (a.min(b), a.max(b));
            self.parent[high] = low.as_u32();
        }
    }

    /// Records the constraints of an instruction on its registers.
    fn see(&mut self, func: &Function, inst: &Inst) {
        let undef = inst.op == Opcode::Undef;
        let by_channel = inst.is_by_channel();
        func.visit(inst, |v, role| {
            if let Some(old) = role.old() {
                self.join(v, old);
            }
            let known = match role {
                Role::Source { src, .. } => {
                    by_channel && {
                        let source = inst.srcs[usize::from(src)].as_reg();
                        source.is_some_and(|r| self.source(v, r, inst))
                    }
                }
                Role::Result { .. } => undef || by_channel && self.result(v, inst),
                Role::Address | Role::Predicate | Role::Descriptor | Role::Flag { .. } => false,
            };
            self.facts[v].fixed |= !known;
        });
    }

    fn source(&mut self, v: VReg, r: &SrcReg, inst: &Inst) -> bool {
        let (size, n) = (r.ty.bytes(), u32::from(inst.exec_size));
        let long = self.in_place && size == 4 && !r.ty.is_float() && is_long(inst);
        if size > MAX_NARROW_BYTES && !long {
            return false;
        }
        let vector = n > 1 && r.step(n) == Some(1);
        self.facts[v].gain += u32::from(long && vector);
        self.facts[v].loss += u32::from(self.in_place && vector && packs_again(r, inst));
        self.facts[v].element(size);
        let end = r.reg.byte() + r.span(n as u8);
        self.facts[v].end = self.facts[v].end.max(end);
        let even = r.mme.is_none() && r.ty.per_byte() == 1 && r.reg.byte().is_multiple_of(size);
        r.reg.as_virt() == Some(v) && even && spread(r, n, slot(size) / size).is_some()
    }

    fn result(&mut self, v: VReg, inst: &Inst) -> bool {
        let Some(dst) = inst.dst else { return false };
        let size = dst.ty.bytes();
        // Operations of floats that are not in place would need copies of their sources.
        let floats = dst.ty.is_float() || inst.srcs.iter().any(|src| src.ty().is_float());
        let long = self.in_place && size == 4 && !floats && inst.exec_size > 1;
        if size > MAX_NARROW_BYTES && !long {
            return false;
        }
        self.facts[v].element(size);
        self.facts[v].end = self.facts[v]
            .end
            .max(dst.reg.byte() + dst.span(inst.exec_size));
        self.facts[v].gain += u32::from(!long && packs(inst));
        let even =
            dst.mme.is_none() && dst.ty.per_byte() == 1 && dst.reg.byte().is_multiple_of(size);
        let side_by_side = dst.hstride == 1 || inst.exec_size == 1;
        dst.reg.as_virt() == Some(v) && even && side_by_side
    }

    /// For each register: the factor by which its elements are spread, and its new size in bytes.
    fn factors(&mut self, func: &Function) -> Vec<(u8, u16)> {
        let mut whole = vec![Facts::default(); func.regs.len()];
        for v in func.regs.keys() {
            let first = self.first(v);
            let own = self.facts[v];
            let facts = &mut whole[first.index()];
            facts.fixed |= own.fixed;
            if own.size > 0 {
                facts.element(own.size.into());
            }
            facts.end = facts.end.max(own.end);
            facts.gain += own.gain;
            facts.loss += own.loss;
        }
        let factor = |(v, bytes): (VReg, u16)| {
            let facts = whole[v.index()];
            let slot = slot(facts.size.into());
            let factor = slot / u32::from(facts.size.max(1));
            let end = facts.end * factor;
            let fits = end <= func.target.unit_bytes();
            match facts.fixed || facts.gain <= facts.loss || facts.size == 0 || !fits {
                true => (1, bytes),
                false => (factor as u8, end.next_multiple_of(slot) as u16),
            }
        };
        let regs = func.regs.iter();
        regs.map(|(v, data)| factor((self.first(v), data.bytes)))
            .collect()
    }
}

/// The region that reads the same elements at `factor` times the stride.
fn spread(r: &SrcReg, n: u32, factor: u32) -> Option<Region> {
    r.region.vstride?;
    let step = r.step(n)? * factor;
    match step {
        0 => Some(Region::SCALAR),
        _ if step <= MAX_VSTRIDE && step.is_power_of_two() => Some(Region::new(step as u8, 1, 0)),
        _ => None,
    }
}

/// True if an operation writes integers of 64 bits.
fn is_long(inst: &Inst) -> bool {
    inst.dst
        .is_some_and(|dst| dst.ty.bytes() == 8 && !dst.ty.is_float())
}

/// True if a source of floats lies where the operation's packed result has its channels, as those of floats must.
fn packs_again(r: &SrcReg, inst: &Inst) -> bool {
    let size = r.ty.bytes();
    let beside = |dst: Dst| dst.ty.bytes() == size && dst.hstride == 1 && !dst.reg.is_null();
    r.ty.is_float() && !packs(inst) && inst.dst.is_some_and(beside)
}

/// True if an operation cannot write consecutive elements.
fn packs(inst: &Inst) -> bool {
    let Some(dst) = inst.dst else { return false };
    let bytes = dst.ty.bytes();
    let wide = |src: &Src| match src.ty() {
        Type::V | Type::Uv => 2,
        ty => ty.bytes().max(2),
    };
    let raw = inst.op == Op::Mov
        && !inst.opts.saturate
        && matches!(&inst.srcs[..], [Src::Reg(r)] if r.modifier == SrcMod::default()
            && r.ty.bytes() == bytes
            && (r.ty == dst.ty || !r.ty.is_float() && !dst.ty.is_float()));
    let exec = inst.srcs.iter().map(wide).max().unwrap_or(4);
    inst.exec_size > 1 && !raw && bytes < exec
}
