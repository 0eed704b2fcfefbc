//! Runs regalloc2 over long code in windows, one after the other.
//!
//! Takes a function as the adapter presents it and leaves regalloc2's answer for all of it. regalloc2
//! goes through the whole code once for each length of life that its values have, so that it takes
//! longer for an instruction the more there are, when its maps have outgrown the caches. Code of more
//! than [`WINDOW`] instructions is cut where no branch leads past the place, which all ways through
//! the code therefore cross once, and where few values live. These are in registers there: the window
//! before ends in an instruction that reads them, and the one behind begins with an instruction that
//! defines them where they are. No value is in a slot there, so that windows share the slots. The
//! answers are put together as one, which the checker is shown as if there had been no windows.

use std::ops::Range;

use regalloc2::{
    Allocation, Block, Ctx, Edit, Function, Inst, InstRange, MachineEnv, Operand,
    OperandConstraint, OperandKind, OperandPos, Output, PRegSet, ProgPoint, RegAllocError,
    RegClass, RegallocOptions, VReg,
};
use smallvec::SmallVec;

use crate::adapter::{Adapter, Blocks};

/// Instructions of a window, about: where the fewest values live, a quarter before or behind.
pub const WINDOW: usize = 1 << 15;
/// Of the registers, those that may hold values where code is cut, in hundredths.
const HELD: usize = 75;

/// A place where code is cut: before an instruction, with the values that live there.
struct Cut {
    at: u32,
    live: Vec<VReg>,
}

/// Allocates in windows of about so many instructions. The answer is what the context has as its
/// output.
///
/// # Errors
/// Those of regalloc2.
pub fn run<'c>(
    input: &Adapter,
    env: &MachineEnv,
    settings: &RegallocOptions,
    window: usize,
    ctx: &'c mut Ctx,
) -> Result<&'c Output, RegAllocError> {
    let registers = env
        .preferred_regs_by_class
        .iter()
        .chain(&env.non_preferred_regs_by_class);
    let registers = registers.map(|set| set.into_iter().count()).sum::<usize>();
    let cuts = cuts(input, window, registers * HELD / 100);
    if cuts.is_empty() {
        return regalloc2::run_with_ctx(input, env, settings, ctx);
    }
    let mut whole = Output::default();
    let mut numbers = Numbers::new(input.num_vregs());
    let mut held: Vec<(VReg, Allocation)> = Vec::new();
    let mut from = 0;
    let end = Cut {
        at: input.num_insts() as u32,
        live: Vec::new(),
    };
    for cut in cuts.iter().chain([&end]) {
        let window = Window::new(input, from..cut.at, &held, &cut.live, &mut numbers);
        let output = regalloc2::run_with_ctx(&window, env, settings, ctx)?;
        window.append(output, &mut whole);
        held.clear();
        if !cut.live.is_empty() {
            let places = output.inst_allocs(Inst::new(window.num_insts() - 1));
            held.extend(cut.live.iter().copied().zip(places.iter().copied()));
        }
        from = cut.at;
    }
    ctx.output = whole;
    Ok(&ctx.output)
}

/// The places before instructions where a value would live, were the code one block; none if it ends
/// before it begins.
#[derive(Clone, Copy)]
struct Life {
    from: u32,
    to: u32,
}

/// Where to cut: at most `most` values live there.
fn cuts(input: &Adapter, window: usize, most: usize) -> Vec<Cut> {
    let insts = input.num_insts();
    let (least, longest) = (window - window / 4, window + window / 4);
    let mut cuts: Vec<Cut> = Vec::new();
    if insts <= longest {
        return cuts;
    }
    let lives = lives(input);
    let mut change = vec![0i32; insts + 1];
    for life in lives.iter().filter(|life| life.from < life.to) {
        change[life.from as usize] += 1;
        change[life.to as usize] -= 1;
    }
    let mut live = 0;
    let mut from = 0;
    // The best place since the window could end.
    let mut best: Option<(i32, usize)> = None;
    let passed = passed(input);
    for (b, &passed) in passed.iter().enumerate() {
        let range = input.block_insns(Block::new(b));
        for at in range.iter().map(Inst::index) {
            live += change[at];
            if passed || at == range.first().index() || at < from + least {
                continue;
            }
            if live <= most as i32 && best.is_none_or(|(fewest, _)| live < fewest) {
                best = Some((live, at));
            }
            if at >= from + longest
                && let Some((_, place)) = best.take()
            {
                cuts.push(Cut {
                    at: place as u32,
                    live: Vec::new(),
                });
                from = place;
            }
        }
    }
    for (v, life) in lives.iter().enumerate() {
        let first = cuts.partition_point(|cut| cut.at < life.from);
        let over = cuts[first..].iter_mut().take_while(|cut| cut.at < life.to);
        for cut in over {
            cut.live.push(VReg::new(v, RegClass::Int));
        }
    }
    cuts
}

/// The life of each value.
fn lives(input: &Adapter) -> Vec<Life> {
    let nowhere = Life {
        from: u32::MAX,
        to: 0,
    };
    let mut lives = vec![nowhere; input.num_vregs()];
    let mut note = |v: VReg, kind: OperandKind, at: u32| {
        let life = &mut lives[v.vreg()];
        match kind {
            OperandKind::Def => life.from = life.from.min(at + 1),
            OperandKind::Use => life.to = life.to.max(at + 1),
        }
    };
    for b in (0..input.num_blocks()).map(Block::new) {
        let range = input.block_insns(b);
        for &param in input.block_params(b) {
            note(param, OperandKind::Def, range.first().index() as u32);
        }
        for inst in range.iter() {
            for operand in input.inst_operands(inst) {
                note(operand.vreg(), operand.kind(), inst.index() as u32);
            }
        }
        for succ in 0..input.block_succs(b).len() {
            for &arg in input.branch_blockparams(b, range.last(), succ) {
                note(arg, OperandKind::Use, range.last().index() as u32);
            }
        }
    }
    lives
}

/// For each block whether a branch leads past it, or back from behind or from its end.
fn passed(input: &Adapter) -> Vec<bool> {
    let mut change = vec![0i32; input.num_blocks() + 1];
    for b in 0..input.num_blocks() {
        for succ in input.block_succs(Block::new(b)) {
            let to = succ.index();
            let over = if to > b { b + 1..to } else { to..b + 1 };
            change[over.start] += 1;
            change[over.end] -= 1;
        }
    }
    let mut count = 0;
    let sum = |change: &i32| {
        count += change;
        count > 0
    };
    change[..input.num_blocks()].iter().map(sum).collect()
}

/// Numbers of values within a window, in the order of those that they have in all.
struct Numbers {
    of: Vec<u32>,
    used: Vec<VReg>,
}

const NONE: u32 = u32::MAX;

impl Numbers {
    fn new(vregs: usize) -> Numbers {
        Numbers {
            of: vec![NONE; vregs],
            used: Vec::new(),
        }
    }

    fn meet(&mut self, v: VReg) {
        let number = &mut self.of[v.vreg()];
        if *number == NONE {
            *number = 0;
            self.used.push(v);
        }
    }

    fn give(&mut self) {
        self.used.sort_unstable();
        for (n, v) in self.used.iter().enumerate() {
            self.of[v.vreg()] = n as u32;
        }
    }

    fn get(&self, v: VReg) -> VReg {
        VReg::new(self.of[v.vreg()] as usize, v.class())
    }

    fn forget(&mut self) {
        for v in self.used.drain(..) {
            self.of[v.vreg()] = NONE;
        }
    }
}

/// Some of the instructions as a function.
struct Window<'a> {
    input: &'a Adapter<'a>,
    /// Instructions of the whole.
    insts: Range<u32>,
    /// 1 if an instruction of the window's own comes first, which defines what lives there.
    enters: u32,
    /// 1 if one comes last, which reads what lives there.
    leaves: u32,
    operands: Vec<Operand>,
    ranges: Vec<(u32, u32)>,
    /// The number of the first block in the whole.
    first: usize,
    blocks: Vec<(u32, u32)>,
    succs: Vec<Blocks>,
    preds: Vec<Blocks>,
    params: Vec<Vec<VReg>>,
    args: Vec<SmallVec<[Vec<VReg>; 2]>>,
    vregs: usize,
}

impl<'a> Window<'a> {
    fn new(
        input: &'a Adapter,
        insts: Range<u32>,
        held: &[(VReg, Allocation)],
        live: &[VReg],
        numbers: &mut Numbers,
    ) -> Window<'a> {
        let is_last = insts.end as usize == input.num_insts();
        let first = input.block_of(insts.start);
        let behind = match is_last {
            true => input.num_blocks(),
            false => input.block_of(insts.end) + 1,
        };
        let mut w = Window {
            input,
            enters: u32::from(insts.start > 0),
            leaves: u32::from(!is_last),
            operands: Vec::new(),
            ranges: Vec::with_capacity(insts.len() + 2),
            first,
            blocks: Vec::with_capacity(behind - first),
            succs: Vec::with_capacity(behind - first),
            preds: Vec::with_capacity(behind - first),
            params: Vec::with_capacity(behind - first),
            args: Vec::with_capacity(behind - first),
            vregs: 0,
            insts,
        };
        let enter = held.iter().filter_map(|&(v, place)| {
            let at = OperandConstraint::FixedReg(place.as_reg()?);
            Some(Operand::new(v, at, OperandKind::Def, OperandPos::Late))
        });
        let leave = live.iter().map(|&v| {
            let at = OperandConstraint::Reg;
            Operand::new(v, at, OperandKind::Use, OperandPos::Early)
        });
        if w.enters == 1 {
            w.operands.extend(enter);
            w.ranges.push((0, w.operands.len() as u32));
        }
        for inst in w.insts.clone() {
            let start = w.operands.len() as u32;
            w.operands
                .extend(input.inst_operands(Inst::new(inst as usize)));
            w.ranges.push((start, w.operands.len() as u32));
        }
        if w.leaves == 1 {
            let start = w.operands.len() as u32;
            w.operands.extend(leave);
            w.ranges.push((start, w.operands.len() as u32));
        }
        for b in first..behind {
            w.block(b);
        }
        let passed = |args: &SmallVec<[Vec<VReg>; 2]>| -> Vec<VReg> {
            args.iter().flatten().copied().collect()
        };
        let args: Vec<VReg> = w.args.iter().flat_map(passed).collect();
        let params = w.params.iter().flatten().copied();
        let operands = w.operands.iter().map(|operand| operand.vreg());
        for v in operands.chain(params).chain(args) {
            numbers.meet(v);
        }
        numbers.give();
        for operand in &mut w.operands {
            let v = numbers.get(operand.vreg());
            *operand = Operand::new(v, operand.constraint(), operand.kind(), operand.pos());
        }
        let lists = w.params.iter_mut().chain(w.args.iter_mut().flatten());
        for v in lists.flatten() {
            *v = numbers.get(*v);
        }
        w.vregs = numbers.used.len();
        numbers.forget();
        w
    }

    /// Adds a block of the whole, or the part of it that is in the window.
    fn block(&mut self, b: usize) {
        let input = self.input;
        let whole = input.block_insns(Block::new(b));
        let (begin, end) = (
            whole.first().index() as u32,
            whole.last().index() as u32 + 1,
        );
        let (is_cut, goes_on) = (begin < self.insts.start, end > self.insts.end);
        let from = match is_cut {
            true => 0,
            false => begin - self.insts.start + self.enters,
        };
        let to = end.min(self.insts.end) - self.insts.start + self.enters + u32::from(goes_on);
        self.blocks.push((from, to));
        let local = |list: &[Block]| -> Blocks {
            list.iter()
                .map(|to| Block::new(to.index() - self.first))
                .collect()
        };
        match is_cut {
            true => {
                self.preds.push(Blocks::new());
                self.params.push(Vec::new());
            }
            false => {
                self.preds.push(local(input.block_preds(Block::new(b))));
                self.params.push(input.block_params(Block::new(b)).to_vec());
            }
        }
        if goes_on {
            self.succs.push(Blocks::new());
            self.args.push(SmallVec::new());
            return;
        }
        self.succs.push(local(input.block_succs(Block::new(b))));
        let args = (0..input.block_succs(Block::new(b)).len()).map(|succ| {
            input
                .branch_blockparams(Block::new(b), whole.last(), succ)
                .to_vec()
        });
        self.args.push(args.collect());
    }

    /// The instruction of the whole behind one of the window that is not the window's own.
    fn of_whole(&self, inst: Inst) -> Option<Inst> {
        let at = (inst.index() as u32).checked_sub(self.enters)? + self.insts.start;
        self.insts.contains(&at).then(|| Inst::new(at as usize))
    }

    /// Puts the answer for the window behind those for the windows before.
    fn append(&self, output: &Output, whole: &mut Output) {
        whole.num_spillslots = whole.num_spillslots.max(output.num_spillslots);
        for inst in self.enters as usize..self.num_insts() - self.leaves as usize {
            whole.inst_alloc_offsets.push(whole.allocs.len() as u32);
            whole.allocs.extend(output.inst_allocs(Inst::new(inst)));
        }
        for &(point, Edit::Move { from, to }) in &output.edits {
            // Behind the window's first and before its last is before what follows in the whole.
            let point = match self.of_whole(point.inst()) {
                Some(inst) => ProgPoint::new(inst, point.pos()),
                None if point.inst().index() == 0 && self.enters == 1 => {
                    ProgPoint::before(Inst::new(self.insts.start as usize))
                }
                None => ProgPoint::before(Inst::new(self.insts.end as usize)),
            };
            whole.edits.push((point, Edit::Move { from, to }));
        }
    }
}

impl Function for Window<'_> {
    fn num_insts(&self) -> usize {
        self.ranges.len()
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
        match self.of_whole(inst) {
            Some(inst) => self.input.is_ret(inst),
            None => inst.index() > 0,
        }
    }

    fn is_branch(&self, inst: Inst) -> bool {
        self.of_whole(inst)
            .is_some_and(|inst| self.input.is_branch(inst))
    }

    fn branch_blockparams(&self, block: Block, _: Inst, succ: usize) -> &[VReg] {
        &self.args[block.index()][succ]
    }

    fn inst_operands(&self, inst: Inst) -> &[Operand] {
        let (from, to) = self.ranges[inst.index()];
        &self.operands[from as usize..to as usize]
    }

    fn inst_clobbers(&self, inst: Inst) -> PRegSet {
        let inst = self.of_whole(inst);
        inst.map_or(PRegSet::empty(), |inst| self.input.inst_clobbers(inst))
    }

    fn num_vregs(&self) -> usize {
        self.vregs
    }

    fn spillslot_size(&self, class: RegClass) -> usize {
        self.input.spillslot_size(class)
    }
}
