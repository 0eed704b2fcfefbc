//! Loops of few known rounds become the code of their rounds (full unrolling), and rounds become one where the program asks for it.
//!
//! Takes any function. Afterwards no innermost loop is left whose rounds are few, known, and short together (`MAX_ROUNDS`,
//! `MAX_INSTS`, and `MAX_COUNTED` and `MAX_ASKED` where the program asks to unroll it), unless the program asks to keep it:
//! each round has a copy of the loop's blocks, in which the values of the round before stand for the phis, and constants are
//! folded; what becomes a constant then does not count. Indices and offsets that count rounds are constants then, so that
//! arrays become values and regions keep to fixed places. A loop has one edge back and one exit, whose condition is evaluated
//! round by round from the constants that its phis begin with. A loop with `goto` or `join` stays, since channels wait in it
//! for others. Where the program names a number of rounds and there are more, the largest number up to it that divides them
//! becomes one round, in which only one copy of the exit is left.
//!
//! Linear in the code before and after: the loops of one level are unrolled in one sweep, and the number of levels and the
//! growth of a function are limited.

use std::collections::HashMap;

use cranelift_entity::SecondaryMap;
use smallvec::smallvec;

use super::{cfg, simplify};
use crate::emit::predecessors;
use crate::intrinsics::Kind;
use crate::ir::{
    BinaryOp, Block, CastOp, Function, Inst, InstData, Op, Scalar, Types, Unroll, Value,
};

/// Rounds of a loop at most, the last of which may only leave it, and instructions that all its rounds cost.
const MAX_ROUNDS: usize = 129;
const MAX_INSTS: usize = 2048;
/// Rounds of a loop that the program asks to unroll, and their cost in instructions, at most.
const MAX_COUNTED: usize = 4 << 10;
const MAX_ASKED: usize = 16 << 10;
/// Blocks of a loop at most.
const MAX_BLOCKS: usize = 64;
/// Instructions that a function grows by at most.
const MAX_GROWTH: usize = 32 << 10;
/// Levels of loops that are unrolled, from the innermost.
const MAX_LEVELS: usize = 8;
/// Operations that a condition is evaluated through at most.
const MAX_DEPTH: u32 = 16;

/// Unrolls the loops of a function.
pub fn unroll(types: &mut Types, function: &mut Function) {
    let mut room = MAX_GROWTH;
    for _ in 0..MAX_LEVELS {
        let loops = innermost(function);
        let mut replaced = Replaced::default();
        let mut copies: HashMap<Block, Vec<Block>> = HashMap::new();
        for one in loops {
            let asked = one.asked(function);
            let (most_rounds, most) = match asked {
                Unroll::Never => continue,
                Unroll::ByCost => (MAX_ROUNDS, MAX_INSTS),
                Unroll::Full | Unroll::By(_) => (MAX_COUNTED, MAX_ASKED),
            };
            let Some((rounds, mut counters)) = one.rounds(types, function, most_rounds) else {
                continue;
            };
            let number = match asked {
                Unroll::By(number) => one.at_once(rounds, number as usize),
                _ => rounds,
            };
            if number < rounds {
                counters.clear();
            }
            let (size, all) = one.size(types, function, &counters);
            let (size, all) = (size.saturating_mul(number), all.saturating_mul(number));
            if number == 1 && rounds > 1 || size > most || all > room {
                continue;
            }
            room -= all;
            let made = one.unroll(function, number, number == rounds, &mut replaced);
            copies.insert(one.header, made);
        }
        if copies.is_empty() {
            return;
        }
        // The copies come before the header, which is reached no more.
        let mut order = Vec::new();
        for block in &function.order {
            order.extend(copies.remove(block).unwrap_or_default());
            order.push(*block);
        }
        function.order = order;
        for data in function.insts.values_mut() {
            for arg in &mut data.args {
                *arg = replaced.get(*arg);
            }
        }
        cfg::prune(function);
        simplify::simplify(types, function);
    }
}

/// Values that others replace.
#[derive(Default)]
struct Replaced(HashMap<Value, Value>);

impl Replaced {
    fn get(&self, mut value: Value) -> Value {
        while let Some(next) = self.0.get(&value) {
            value = *next;
        }
        value
    }
}

/// A loop that is left in one place.
struct Loop {
    /// The block that it begins with, and the one that goes back there.
    header: Block,
    latch: Block,
    /// All its blocks, in the order of the function.
    blocks: Vec<Block>,
    /// The block with the exit, and the number of the target outside.
    exit: Block,
    outside: usize,
}

/// The innermost loops that have one edge back, one way in and one exit.
fn innermost(function: &Function) -> Vec<Loop> {
    let Some(&entry) = function.order.first() else {
        return Vec::new();
    };
    let mut number: SecondaryMap<Block, usize> = SecondaryMap::with_default(usize::MAX);
    for (n, block) in function.reverse_postorder().into_iter().enumerate() {
        number[block] = n;
    }
    let preds = predecessors(function);
    let headers: Vec<(Block, Vec<Block>)> = (function.order.iter())
        .map(|&block| {
            let back = preds[block].iter().copied();
            (
                block,
                back.filter(|from| number[*from] >= number[block]).collect(),
            )
        })
        .filter(|(_, latches): &(Block, Vec<Block>)| !latches.is_empty())
        .collect();
    let mut is_header: SecondaryMap<Block, bool> = SecondaryMap::new();
    for (header, _) in &headers {
        is_header[*header] = true;
    }
    // The loop that a block was found in: a second one would be around the first.
    let mut owner: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut loops = Vec::new();
    for (header, latches) in headers {
        let &[latch] = latches.as_slice() else {
            continue;
        };
        if header == entry || preds[header].len() != 2 {
            continue;
        }
        let mut inside = vec![header];
        let mut work = vec![latch];
        let mut is_simple = true;
        while let Some(block) = work.pop() {
            if inside.contains(&block) {
                continue;
            }
            // A loop inside, one with a second way in, or one that is too long.
            if block == entry || is_header[block] || owner[block] || inside.len() >= MAX_BLOCKS {
                is_simple = false;
                break;
            }
            inside.push(block);
            work.extend(&preds[block]);
        }
        if !is_simple {
            continue;
        }
        inside.iter().for_each(|block| owner[*block] = true);
        inside.sort_unstable_by_key(|block| number[*block]);
        loops.extend(Loop::new(function, header, latch, inside));
    }
    loops
}

impl Loop {
    fn new(function: &Function, header: Block, latch: Block, blocks: Vec<Block>) -> Option<Loop> {
        let mut exits = blocks.iter().flat_map(|&block| {
            let targets = function.successors(block).iter().enumerate();
            targets
                .filter(|(_, to)| !blocks.contains(to))
                .map(move |(n, _)| (block, n))
        });
        let (exit, outside) = exits.next()?;
        if exits.next().is_some() || exit != header && exit != latch {
            return None;
        }
        let &last = function.blocks[exit].insts.last()?;
        let stays = |inst: &Inst| {
            function.is_goto(*inst).is_some()
                || matches!(
                    function.insts[*inst].op,
                    Op::Alloca(_) | Op::CallIndirect(_)
                )
        };
        let mut insts = blocks
            .iter()
            .flat_map(|block| &function.blocks[*block].insts);
        let is_kept = insts.any(stays);
        (function.insts[last].op == Op::CondBr && !is_kept).then_some(Loop {
            header,
            latch,
            blocks,
            exit,
            outside,
        })
    }

    /// The program's wish for unrolling the loop.
    fn asked(&self, function: &Function) -> Unroll {
        let last = function.blocks[self.latch].insts.last();
        last.map_or(Unroll::ByCost, |last| function.insts[*last].flags.unroll)
    }

    /// The number of copies if that many rounds, two or more, are to become one of `rounds`: all of them, or a number that divides
    /// the times that the loop goes back.
    fn at_once(&self, rounds: usize, most: usize) -> usize {
        // An exit in the header is reached once more than the rest.
        let whole = rounds - usize::from(self.exit != self.latch);
        match most >= whole {
            true => rounds,
            false => (2..=most)
                .rev()
                .find(|n| whole.is_multiple_of(*n))
                .unwrap_or(1),
        }
    }

    /// Instructions that a round costs, and all that are copied. What counts rounds becomes constants; regions at constant
    /// places become operands and destinations, and a product is part of its sum.
    fn size(&self, types: &Types, function: &Function, counters: &[Value]) -> (usize, usize) {
        let mut counts: SecondaryMap<Value, bool> = SecondaryMap::new();
        for phi in counters {
            counts[*phi] = true;
        }
        let (mut size, mut all) = (0, 0);
        for inst in self
            .blocks
            .iter()
            .flat_map(|block| &function.blocks[*block].insts)
        {
            let data = &function.insts[*inst];
            let folds = matches!(
                data.op,
                Op::Binary(_) | Op::ICmp(_) | Op::Cast(_) | Op::Select | Op::Freeze
            );
            let known = |arg: &Value| counts[*arg] || function.as_bits(*arg).is_some();
            all += usize::from(data.op != Op::Phi);
            match data.result {
                Some(_) if is_operand(data, known) => {}
                Some(result) if folds && data.args.iter().all(known) => {
                    counts[result] = scalar(types, function, result).is_some();
                    size += usize::from(!counts[result]);
                }
                _ => size += usize::from(data.op != Op::Phi),
            }
        }
        (size, all)
    }

    /// The block that goes to the first round, if the header has phis.
    fn before(&self, function: &Function) -> Option<Block> {
        let phi = &function.insts[*function.blocks[self.header].insts.first()?];
        let mut before = phi.targets.iter().filter(|from| **from != self.latch);
        before.next().copied().filter(|_| phi.op == Op::Phi)
    }

    /// The phis at the beginning of the header: result, value at the beginning, and value of the round before.
    fn phis(&self, function: &Function) -> Vec<(Value, Value, Value)> {
        let insts = function.blocks[self.header].insts.iter();
        let phis = insts
            .map(|inst| &function.insts[*inst])
            .take_while(|data| data.op == Op::Phi);
        let of = |data: &InstData| {
            let back = data.targets.iter().position(|from| *from == self.latch)?;
            let before = data.args.get(1 - back.min(1))?;
            Some((data.result?, *before, data.args[back]))
        };
        phis.filter_map(of).collect()
    }

    /// The number of times that the exit's condition is reached, if it is known and at most `most`, and the phis that are known in all rounds.
    fn rounds(
        &self,
        types: &Types,
        function: &Function,
        most: usize,
    ) -> Option<(usize, Vec<Value>)> {
        let last = *function.blocks[self.exit].insts.last()?;
        let condition = function.insts[last].args[0];
        let phis = self.phis(function);
        let mut known: HashMap<Value, u64> = HashMap::new();
        for (phi, before, _) in &phis {
            if let Some(bits) =
                scalar(types, function, *phi).and_then(|_| function.as_bits(*before))
            {
                known.insert(*phi, bits);
            }
        }
        for round in 1..=most {
            let bit = evaluate(types, function, &known, condition, MAX_DEPTH)?;
            // The first target is taken if the condition holds.
            if (bit & 1 == 0) == (self.outside == 1) {
                return Some((round, known.into_keys().collect()));
            }
            let next = phis.iter().filter(|(phi, ..)| known.contains_key(phi));
            let next = next.filter_map(|(phi, _, next)| {
                Some((*phi, evaluate(types, function, &known, *next, MAX_DEPTH)?))
            });
            known = next.collect();
        }
        None
    }

    /// Makes a copy of each block for each round; the blocks, in order. Unless these are all rounds, the last goes back to the
    /// first.
    fn unroll(
        &self,
        function: &mut Function,
        rounds: usize,
        all: bool,
        replaced: &mut Replaced,
    ) -> Vec<Block> {
        let phis = self.phis(function);
        let mut made = Vec::with_capacity(rounds * self.blocks.len());
        let mut values: HashMap<Value, Value> = HashMap::new();
        let mut ends: Option<Inst> = None;
        let mut first = None;
        // The round whose exit is left, and the values there.
        let last = match all || self.exit == self.latch {
            true => rounds - 1,
            false => 0,
        };
        let mut left = HashMap::new();
        let mut new_phis = Vec::new();
        for round in 0..rounds {
            let of: HashMap<Block, Block> = (self.blocks.iter())
                .map(|block| (*block, function.blocks.push(Default::default())))
                .collect();
            first = first.or(of.get(&self.header).copied());
            let begun = phis.iter().map(|(phi, before, next)| {
                let value = match round {
                    0 => *before,
                    _ => values.get(next).copied().unwrap_or(*next),
                };
                (*phi, replaced.get(value))
            });
            values = begun.collect();
            if round == 0 && !all {
                new_phis = self.new_phis(function, &mut values);
            }
            if let Some(back) = ends {
                retarget(function, back, self.header, of[&self.header]);
            }
            let mut phis_inside = Vec::new();
            for block in &self.blocks {
                let mut insts = match (round, *block == self.header) {
                    (0, true) => new_phis.clone(),
                    _ => Vec::new(),
                };
                for inst in function.blocks[*block].insts.clone() {
                    let mut data = function.insts[inst].clone();
                    let is_phi = data.op == Op::Phi;
                    if is_phi && *block == self.header {
                        continue;
                    }
                    let old = data.result.take();
                    data.flags.unroll = Unroll::ByCost;
                    for arg in &mut data.args {
                        *arg = values
                            .get(arg)
                            .copied()
                            .unwrap_or_else(|| replaced.get(*arg));
                    }
                    let back = !is_phi && *block == self.latch;
                    for target in &mut data.targets {
                        if !(back && *target == self.header) {
                            *target = of.get(target).copied().unwrap_or(*target);
                        }
                    }
                    let new = function.make(data);
                    if let (Some(old), Some(new)) = (old, function.insts[new].result) {
                        values.insert(old, new);
                    }
                    if is_phi {
                        phis_inside.push(new);
                    }
                    insts.push(new);
                }
                function.blocks[of[block]].insts = insts;
                made.push(of[block]);
            }
            // Operands of phis inside may be defined by blocks after them.
            for phi in phis_inside {
                for arg in &mut function.insts[phi].args {
                    *arg = values.get(arg).copied().unwrap_or(*arg);
                }
            }
            let end = |block: Block| function.blocks[of[&block]].insts.last().copied();
            ends = end(self.latch);
            if let Some(exit) = end(self.exit).filter(|_| all || round != last) {
                let data = &mut function.insts[exit];
                let way = match round == last {
                    true => self.outside,
                    false => 1 - self.outside,
                };
                data.op = Op::Br;
                data.args = smallvec![];
                data.targets = smallvec![data.targets[way]];
            }
            if round == last {
                self.leave(function, of[&self.exit], &values);
                left.clone_from(&values);
            }
            if round + 1 == rounds {
                let next = phis.iter().map(|(_, _, next)| {
                    let value = values.get(next).copied();
                    value.unwrap_or_else(|| replaced.get(*next))
                });
                let next: Vec<Value> = next.collect();
                self.go_back(function, &new_phis, &next, of[&self.latch]);
            }
        }
        if let (false, Some(back), Some(first)) = (all, ends, first) {
            retarget(function, back, self.header, first);
            function.insts[back].flags.unroll = Unroll::Never;
        }
        let before = self.before(function);
        let branch = before.and_then(|block| function.blocks[block].insts.last().copied());
        if let (Some(branch), Some(first)) = (branch, first) {
            retarget(function, branch, self.header, first);
        }
        for (old, new) in left {
            replaced.0.insert(old, new);
        }
        made
    }

    /// Copies of the header's phis, which stand for them and begin with their values.
    fn new_phis(&self, function: &mut Function, values: &mut HashMap<Value, Value>) -> Vec<Inst> {
        let insts = function.blocks[self.header].insts.clone().into_iter();
        let is_phi = |inst: &Inst| function.insts[*inst].op == Op::Phi;
        let old: Vec<Inst> = insts.take_while(is_phi).collect();
        let mut made = Vec::with_capacity(old.len());
        for inst in old {
            let mut data = function.insts[inst].clone();
            let result = data.result.take();
            for (arg, from) in data.args.iter_mut().zip(&data.targets) {
                if let Some(begun) = result.and_then(|result| values.get(&result))
                    && *from != self.latch
                {
                    *arg = *begun;
                }
            }
            let new = function.make(data);
            if let (Some(old), Some(new)) = (result, function.insts[new].result) {
                values.insert(old, new);
            }
            made.push(new);
        }
        made
    }

    /// Lets phis come from the last latch with these values.
    fn go_back(&self, function: &mut Function, phis: &[Inst], next: &[Value], latch: Block) {
        for (phi, next) in phis.iter().zip(next) {
            let data = &mut function.insts[*phi];
            for (arg, from) in data.args.iter_mut().zip(&mut data.targets) {
                if *from == self.latch {
                    (*arg, *from) = (*next, latch);
                }
            }
        }
    }

    /// Lets the block outside come from the last round's exit.
    fn leave(&self, function: &mut Function, from: Block, values: &HashMap<Value, Value>) {
        let outside = function.successors(self.exit)[self.outside];
        for inst in function.blocks[outside].insts.clone() {
            let data = &mut function.insts[inst];
            if data.op == Op::Phi {
                for (arg, target) in data.args.iter_mut().zip(&mut data.targets) {
                    if *target == self.exit {
                        *target = from;
                        *arg = values.get(arg).copied().unwrap_or(*arg);
                    }
                }
            }
        }
    }
}

/// True for a region at a place that these constants say, and other instructions that become parts of others.
fn is_operand(data: &InstData, known: impl Fn(&Value) -> bool) -> bool {
    let place = match &data.op {
        Op::Shuffle(_) | Op::Freeze | Op::Cast(CastOp::BitCast) => return true,
        Op::Binary(BinaryOp::FMul) => return data.flags.contract,
        Op::ExtractElement => data.args.get(1),
        Op::InsertElement => data.args.get(2),
        Op::Intrinsic(intrinsic) => match intrinsic.kind() {
            Kind::ReadRegion => data.args.get(4),
            Kind::WriteRegion => data.args.get(5),
            _ => None,
        },
        _ => None,
    };
    place.is_some_and(known)
}

/// Lets a branch go to another block.
fn retarget(function: &mut Function, branch: Inst, from: Block, to: Block) {
    let targets = function.insts[branch].targets.iter_mut();
    targets
        .filter(|target| **target == from)
        .for_each(|target| *target = to);
}

/// The width of a value that is one integer of at most 64 bits.
fn scalar(types: &Types, function: &Function, value: Value) -> Option<u32> {
    let ty = function.ty(value);
    match types.shape(ty)? {
        (_, Scalar::Int(width)) if types.count(ty).is_none() && width <= 64 => Some(width),
        _ => None,
    }
}

/// Bits of an integer, where these values are known.
fn evaluate(
    types: &Types,
    function: &Function,
    known: &HashMap<Value, u64>,
    value: Value,
    depth: u32,
) -> Option<u64> {
    if let Some(bits) = known.get(&value) {
        return Some(*bits);
    }
    let width = scalar(types, function, value)?;
    if let Some(bits) = function.as_bits(value) {
        return Some(bits);
    }
    let data = &function.insts[function.inst_of(value)?];
    let depth = depth.checked_sub(1)?;
    let arg = |n: usize| evaluate(types, function, known, data.args[n], depth);
    let bits = match data.op {
        Op::Binary(
            op @ (BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Shl
            | BinaryOp::LShr
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor),
        ) => {
            let (a, b) = (arg(0)?, arg(1)?);
            let shift = u32::try_from(b).ok().filter(|n| *n < width);
            match op {
                BinaryOp::Add => a.wrapping_add(b),
                BinaryOp::Sub => a.wrapping_sub(b),
                BinaryOp::Mul => a.wrapping_mul(b),
                BinaryOp::Shl => a << shift?,
                BinaryOp::LShr => a >> shift?,
                BinaryOp::And => a & b,
                BinaryOp::Or => a | b,
                _ => a ^ b,
            }
        }
        Op::ICmp(rel) => {
            let from = scalar(types, function, data.args[0])?;
            u64::from(simplify::compare(rel, arg(0)?, arg(1)?, from))
        }
        Op::Cast(CastOp::Trunc | CastOp::ZExt) => arg(0)?,
        Op::Cast(CastOp::SExt) => {
            let from = scalar(types, function, data.args[0])?;
            simplify::extend(arg(0)?, from).cast_unsigned()
        }
        Op::Freeze => arg(0)?,
        Op::Select => match arg(0)? & 1 {
            1 => arg(1)?,
            _ => arg(2)?,
        },
        _ => return None,
    };
    Some(simplify::cut(bits, width))
}
