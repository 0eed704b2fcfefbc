//! A machine function as regalloc2 wants to see it.
//!
//! Block 0 is a new entry whose only instruction defines the units that hold inputs; the others
//! follow in reverse postorder, which is the order regalloc2's checker wants (it takes a block
//! before its predecessors for one that nothing reaches). Blocks that cannot be reached are left
//! out. Old contents
//! that an instruction writes over become a use that the definition must share its register with.

use kiln_emit::inst::VReg as Virt;
use kiln_isel::mir::{Class, Kind, MFunc, MInst, Role};
use regalloc2::{
    Block, Function, Inst, InstRange, Operand, OperandConstraint, OperandKind, OperandPos, PReg,
    PRegSet, RegClass, VReg,
};
use smallvec::SmallVec;

use crate::place::Fixed;

/// Where an instruction of the adapter comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Defines the inputs.
    Entry,
    /// The jump from the entry to the first block.
    EntryJump,
    /// Block and index.
    At(u32, u32),
}

/// Operands of all instructions in one pool, with ranges.
pub struct Adapter<'a> {
    pub func: &'a MFunc,
    pub source: Vec<Source>,
    operands: Vec<Operand>,
    ranges: Vec<(u32, u32)>,
    /// Instructions of each block of the adapter.
    blocks: Vec<(u32, u32)>,
    /// The block of the function behind each block of the adapter, entry apart.
    pub origin: Vec<u32>,
    succs: Vec<SmallVec<[Block; 2]>>,
    preds: Vec<SmallVec<[Block; 2]>>,
    params: Vec<Vec<VReg>>,
    args: Vec<SmallVec<[Vec<VReg>; 2]>>,
}

/// The class regalloc2 has for a register file.
pub fn class_of(class: Class) -> RegClass {
    match class {
        Class::Grf => RegClass::Int,
        Class::Flag => RegClass::Float,
        Class::Addr => RegClass::Vector,
    }
}

impl<'a> Adapter<'a> {
    pub fn new(func: &'a MFunc, fixed: &Fixed) -> Adapter<'a> {
        let origin = reverse_postorder(func);
        let mut number = vec![u32::MAX; func.blocks.len()];
        for (i, &b) in origin.iter().enumerate() {
            number[b as usize] = i as u32 + 1;
        }
        let mut a = Adapter {
            func,
            source: vec![Source::Entry, Source::EntryJump],
            operands: Vec::new(),
            ranges: Vec::new(),
            blocks: vec![(0, 2)],
            origin,
            succs: vec![SmallVec::from_slice(&[Block::new(1)])],
            preds: Vec::new(),
            params: vec![Vec::new()],
            args: vec![SmallVec::from_iter([Vec::new()])],
        };
        for &(v, unit) in &func.entry {
            let at = OperandConstraint::FixedReg(PReg::new(unit as usize, RegClass::Int));
            a.operands.push(Operand::new(
                a.vreg(v),
                at,
                OperandKind::Def,
                OperandPos::Late,
            ));
        }
        a.ranges.push((0, a.operands.len() as u32));
        a.ranges
            .push((a.operands.len() as u32, a.operands.len() as u32));
        for &b in &a.origin.clone() {
            let block = &func.blocks[b as usize];
            let first = a.source.len() as u32;
            for (i, m) in block.insts.iter().enumerate() {
                a.source.push(Source::At(b, i as u32));
                a.inst(m, fixed.of(b, i as u32));
            }
            a.blocks.push((first, a.source.len() as u32));
            a.params
                .push(block.params.iter().map(|&v| a.vreg(v)).collect());
            a.succs.push(
                block
                    .succs
                    .iter()
                    .map(|(to, _)| Block::new(number[*to as usize] as usize))
                    .collect(),
            );
            a.args.push(
                block
                    .succs
                    .iter()
                    .map(|(_, args)| args.iter().map(|&v| a.vreg(v)).collect())
                    .collect(),
            );
        }
        a.preds = vec![SmallVec::new(); a.blocks.len()];
        for b in 0..a.blocks.len() {
            for s in a.succs[b].clone() {
                a.preds[s.index()].push(Block::new(b));
            }
        }
        a
    }

    fn vreg(&self, v: Virt) -> VReg {
        VReg::new(v.as_u32() as usize, class_of(self.func.vregs[v]))
    }

    fn inst(&mut self, m: &MInst, units: Option<&[u32]>) {
        let start = self.operands.len();
        // Units chosen for payload 0, payload 1 and the result, in that order.
        let lens = m
            .group
            .as_ref()
            .map_or([0; 3], |g| [g.srcs[0].len(), g.srcs[1].len(), g.dst.len()]);
        let unit = |part: usize, n: u8| -> Option<PReg> {
            let before: usize = lens[..part].iter().sum();
            let u = units?.get(before + usize::from(n)).copied()?;
            (u != u32::MAX).then(|| PReg::new(u as usize, RegClass::Int))
        };
        let mut list: SmallVec<[(Virt, Role); 8]> = SmallVec::new();
        m.operands(|v, role| list.push((v, role)));
        let reg = |p: Option<PReg>| p.map_or(OperandConstraint::Reg, OperandConstraint::FixedReg);
        for (v, role) in list {
            let v = self.vreg(v);
            match role {
                Role::Use => self.push(
                    v,
                    OperandConstraint::Reg,
                    OperandKind::Use,
                    OperandPos::Early,
                ),
                Role::LateUse => self.push(
                    v,
                    OperandConstraint::Reg,
                    OperandKind::Use,
                    OperandPos::Late,
                ),
                Role::Payload(p, n) => self.push(
                    v,
                    reg(unit(p.into(), n)),
                    OperandKind::Use,
                    OperandPos::Early,
                ),
                Role::Def => self.push(
                    v,
                    OperandConstraint::Reg,
                    OperandKind::Def,
                    OperandPos::Late,
                ),
                Role::DefOver(old) => self.tied(start, v, old),
                Role::Result(n, old) => match (unit(2, n), old) {
                    (Some(p), Some(old)) => {
                        let old = self.vreg(old);
                        let at = OperandConstraint::FixedReg(p);
                        self.push(old, at, OperandKind::Use, OperandPos::Early);
                        self.push(v, at, OperandKind::Def, OperandPos::Late);
                    }
                    (None, Some(old)) => self.tied(start, v, old),
                    (p, None) => self.push(v, reg(p), OperandKind::Def, OperandPos::Late),
                },
            }
        }
        self.ranges.push((start as u32, self.operands.len() as u32));
    }

    fn tied(&mut self, start: usize, v: VReg, old: Virt) {
        let index = self.operands.len() - start;
        let old = self.vreg(old);
        self.push(
            old,
            OperandConstraint::Reg,
            OperandKind::Use,
            OperandPos::Early,
        );
        self.push(
            v,
            OperandConstraint::Reuse(index),
            OperandKind::Def,
            OperandPos::Late,
        );
    }

    fn push(&mut self, v: VReg, at: OperandConstraint, kind: OperandKind, pos: OperandPos) {
        self.operands.push(Operand::new(v, at, kind, pos));
    }

    fn minst(&self, inst: Inst) -> Option<&MInst> {
        match self.source[inst.index()] {
            Source::At(b, i) => Some(&self.func.blocks[b as usize].insts[i as usize]),
            _ => None,
        }
    }

    fn is_last(&self, inst: Inst) -> bool {
        let i = inst.index() as u32;
        let at = self.blocks.partition_point(|&(_, end)| end <= i);
        self.blocks[at].1 == i + 1
    }
}

/// The blocks that can be reached, each after all its predecessors but those by back edges.
fn reverse_postorder(func: &MFunc) -> Vec<u32> {
    let mut seen = vec![false; func.blocks.len()];
    let mut order = Vec::with_capacity(func.blocks.len());
    let mut stack = vec![(0u32, 0)];
    seen[0] = true;
    while let Some((b, next)) = stack.pop() {
        // The last successor first, so that the first one, which is fallen into, follows directly.
        let succs = &func.blocks[b as usize].succs;
        match succs.len().checked_sub(next + 1) {
            Some(i) => {
                stack.push((b, next + 1));
                let to = succs[i].0;
                if !std::mem::replace(&mut seen[to as usize], true) {
                    stack.push((to, 0));
                }
            }
            None => order.push(b),
        }
    }
    order.reverse();
    order
}

impl Function for Adapter<'_> {
    fn num_insts(&self) -> usize {
        self.source.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> Block {
        Block::new(0)
    }

    fn block_insns(&self, block: Block) -> InstRange {
        let (from, to) = self.blocks[block.index()];
        InstRange::new(Inst::new(from as usize), Inst::new(to as usize))
    }

    fn block_succs(&self, block: Block) -> &[Block] {
        &self.succs[block.index()]
    }

    fn block_preds(&self, block: Block) -> &[Block] {
        &self.preds[block.index()]
    }

    fn block_params(&self, block: Block) -> &[VReg] {
        &self.params[block.index()]
    }

    fn is_ret(&self, inst: Inst) -> bool {
        self.is_last(inst)
            && self
                .minst(inst)
                .is_some_and(|m| m.kind == Kind::Real && m.inst.msg.is_some_and(|msg| msg.eot))
    }

    fn is_branch(&self, inst: Inst) -> bool {
        self.is_last(inst) && !self.is_ret(inst)
    }

    fn branch_blockparams(&self, block: Block, _: Inst, succ: usize) -> &[VReg] {
        &self.args[block.index()][succ]
    }

    fn inst_operands(&self, inst: Inst) -> &[Operand] {
        let (from, to) = self.ranges[inst.index()];
        &self.operands[from as usize..to as usize]
    }

    fn inst_clobbers(&self, _: Inst) -> PRegSet {
        PRegSet::empty()
    }

    fn num_vregs(&self) -> usize {
        self.func.vregs.len()
    }

    fn spillslot_size(&self, _: RegClass) -> usize {
        1
    }
}
