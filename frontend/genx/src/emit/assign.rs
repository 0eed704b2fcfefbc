//! Variables of values: live ranges over a linear order of the blocks, and one variable for several values where
//! their ranges allow it.
//!
//! Values that an instruction only renames share a variable from the start. Then the old and the new vector of a
//! region that is written, the old and new data of a message, and what a phi joins, are put together in that order,
//! each if no two of their members are alive at one time. What is not put together is copied. Live ranges are lists
//! of segments, found by going from each use to the definition (Boissinot et al., "Fast Liveness Checking for
//! SSA-Form Programs" calls it the path exploration method).

use cranelift_entity::{EntityRef, SecondaryMap};

use super::bale::{Bales, Fold, is_alias};
use crate::intrinsics::{Kind, lsc};
use crate::ir::{Block, Function, Inst, Module, Op, Value, ValueDef};

/// Live range: segments of points, sorted and apart.
type Range = Vec<(u32, u32)>;

/// Classes of values that share a variable.
pub struct Classes {
    parent: SecondaryMap<Value, Option<Value>>,
    /// Live ranges of the roots of the classes, and the first point of each block.
    ranges: SecondaryMap<Value, Range>,
    starts: SecondaryMap<Block, u32>,
}

impl Classes {
    /// The root of a value's class, by which all members are known.
    pub fn root(&self, mut value: Value) -> Value {
        while let Some(up) = self.parent[value] {
            value = up;
        }
        value
    }

    /// True if a value of a class is wanted at the start of a block.
    pub fn is_wanted(&self, value: Value, block: Block) -> bool {
        let at = self.starts[block] - 1;
        let range = &self.ranges[self.root(value)];
        range.iter().any(|(from, to)| (*from..*to).contains(&at))
    }
}

struct Assigner<'a> {
    function: &'a Function,
    bales: &'a Bales,
    module: &'a Module,
    classes: Classes,
    ranges: SecondaryMap<Value, Range>,
    /// Points of each block: its first, and the one after its last.
    blocks: SecondaryMap<Block, (u32, u32)>,
    preds: SecondaryMap<Block, Vec<Block>>,
    points: SecondaryMap<Inst, u32>,
}

/// Predecessors of each block.
pub fn predecessors(function: &Function) -> SecondaryMap<Block, Vec<Block>> {
    let mut preds: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
    for &block in &function.order {
        for &next in function.successors(block) {
            if !preds[next].contains(&block) {
                preds[next].push(block);
            }
        }
    }
    preds
}

/// Values whose definition must not share a variable with an operand: they are computed by several instructions.
fn is_early(module: &Module, function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    match &data.op {
        Op::Phi | Op::ExtractValue(_) => false,
        Op::InsertElement => false,
        Op::Intrinsic(intrinsic)
            if matches!(
                intrinsic.kind(),
                Kind::Message(_)
                    | Kind::Atomic(..)
                    | Kind::Lsc(_)
                    | Kind::LscTyped(_)
                    | Kind::Sampler(_)
            ) =>
        {
            // One that goes out in parts reads its operands after the first part is received.
            let shapes = data
                .args
                .iter()
                .filter_map(|arg| module.types.count(function.ty(*arg)));
            shapes.max().is_some_and(|n| n > 8 || !n.is_power_of_two())
        }
        Op::Intrinsic(intrinsic) => !matches!(
            intrinsic.kind(),
            Kind::WriteRegion | Kind::Alu(_) | Kind::RawSend { .. } | Kind::Systolic(_)
        ),
        _ => !super::bale::is_simple(module, function, inst) || module.types.is_bool(data.ty),
    }
}

/// Finds the variables of a function's values. Critical edges must be split.
pub fn assign(module: &Module, function: &Function, bales: &Bales) -> Classes {
    let mut assigner = Assigner {
        function,
        bales,
        module,
        classes: Classes {
            parent: SecondaryMap::new(),
            ranges: SecondaryMap::new(),
            starts: SecondaryMap::new(),
        },
        ranges: SecondaryMap::new(),
        blocks: SecondaryMap::new(),
        preds: predecessors(function),
        points: SecondaryMap::new(),
    };
    assigner.number();
    assigner.live();
    assigner.aliases();
    assigner.regions();
    assigner.phis();
    for &block in &function.order {
        assigner.classes.starts[block] = assigner.blocks[block].0;
    }
    assigner.classes.ranges = assigner.ranges;
    assigner.classes
}

impl Assigner<'_> {
    fn number(&mut self) {
        let mut point = 2;
        for &block in &self.function.order {
            let first = point;
            let mut last = point;
            for &inst in &self.function.blocks[block].insts {
                // The members of a result are there when the result is.
                let member = matches!(self.function.insts[inst].op, Op::ExtractValue(_));
                self.points[inst] = if member { last } else { point };
                last = self.points[inst];
                point += 2;
            }
            self.blocks[block] = (first, point);
            // Values that are live at the start of a block need not be at the end of the block before it in order.
            point += 2;
        }
    }

    /// Operands that an instruction reads, through those that are folded into it.
    fn operands(&self, inst: Inst, to: &mut Vec<Value>) {
        for &arg in &self.function.insts[inst].args {
            match self.function.values[arg].def {
                ValueDef::Inst(from) if self.bales.fold[from] != Fold::No => {
                    self.operands(from, to)
                }
                ValueDef::Inst(_) | ValueDef::Param(_) => to.push(arg),
                _ => {}
            }
        }
    }

    fn live(&mut self) {
        let function = self.function;
        // Uses of each value: block, and point in it.
        let mut uses: SecondaryMap<Value, Vec<(Block, u32)>> = SecondaryMap::new();
        let mut operands = Vec::new();
        for &block in &function.order {
            for &inst in &function.blocks[block].insts {
                let data = &function.insts[inst];
                if self.bales.fold[inst] != Fold::No {
                    continue;
                }
                if data.op == Op::Phi {
                    for (arg, from) in data.args.iter().zip(&data.targets) {
                        uses[*arg].push((*from, self.blocks[*from].1 - 2));
                    }
                    continue;
                }
                operands.clear();
                self.operands(inst, &mut operands);
                for arg in &operands {
                    uses[*arg].push((block, self.points[inst]));
                }
            }
        }
        let mut defs: SecondaryMap<Value, Option<(Block, u32)>> = SecondaryMap::new();
        if let Some(entry) = function.order.first() {
            for param in &function.params {
                defs[*param] = Some((*entry, 0));
            }
        }
        for &block in &function.order {
            for &inst in &function.blocks[block].insts {
                let Some(result) = function.insts[inst].result else {
                    continue;
                };
                let from = function.insts[inst].args.first();
                let from = from.and_then(|whole| function.inst_of(*whole));
                // No result of inline assembly shares a register with an operand.
                let of_asm = matches!(function.insts[inst].op, Op::ExtractValue(_))
                    && from.is_some_and(|from| matches!(function.insts[from].op, Op::Asm(_)));
                let early = of_asm || is_early(self.module, function, inst);
                let at = match function.insts[inst].op {
                    Op::Phi => self.blocks[block].0 - 1,
                    _ => self.points[inst] + u32::from(!early),
                };
                defs[result] = Some((block, at));
            }
        }
        let mut seen: SecondaryMap<Block, u32> = SecondaryMap::new();
        for value in function.values.keys() {
            let Some((home, at)) = defs[value] else {
                continue;
            };
            let stamp = value.index() as u32 + 1;
            let mut segments = self.own(value, at);
            let mut last_here = 0;
            let mut work: Vec<Block> = Vec::new();
            for &(block, point) in &uses[value] {
                if block == home && point >= at {
                    last_here = last_here.max(point + 1);
                } else {
                    segments.push((self.blocks[block].0 - 1, point + 1));
                    work.extend(&self.preds[block]);
                }
            }
            let mut leaves = false;
            while let Some(block) = work.pop() {
                if block == home {
                    leaves = true;
                    // A value that is used before its definition goes round a loop.
                    continue;
                }
                if std::mem::replace(&mut seen[block], stamp) == stamp {
                    continue;
                }
                segments.push((self.blocks[block].0 - 1, self.blocks[block].1));
                work.extend(&self.preds[block]);
            }
            let end = if leaves {
                self.blocks[home].1
            } else {
                last_here.max(at + 1)
            };
            segments.push((at, end));
            self.ranges[value] = united(segments);
        }
    }

    /// Segments at the ends of the blocks before a phi, where its value is written.
    fn own(&self, value: Value, _at: u32) -> Range {
        let Some(inst) = self.function.inst_of(value) else {
            return Vec::new();
        };
        let data = &self.function.insts[inst];
        match data.op {
            Op::Phi => {
                let ends = data.targets.iter().map(|from| self.blocks[*from].1);
                ends.map(|end| (end - 1, end)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn union(&mut self, a: Value, b: Value) {
        let (a, b) = (self.classes.root(a), self.classes.root(b));
        if a == b {
            return;
        }
        let (more, less) = match self.ranges[a].len() >= self.ranges[b].len() {
            true => (a, b),
            false => (b, a),
        };
        let mut all = std::mem::take(&mut self.ranges[more]);
        for segment in std::mem::take(&mut self.ranges[less]) {
            include(&mut all, segment);
        }
        self.ranges[more] = all;
        self.classes.parent[less] = Some(more);
    }

    /// Puts two values together if no point has both alive.
    fn try_union(&mut self, a: Value, b: Value) {
        let has_variable = |v: Value| match self.function.values[v].def {
            ValueDef::Inst(inst) => self.bales.fold[inst] == Fold::No,
            ValueDef::Param(_) => true,
            _ => false,
        };
        if !has_variable(a) || !has_variable(b) {
            return;
        }
        let (a, b) = (self.classes.root(a), self.classes.root(b));
        if a != b && !overlap(&self.ranges[a], &self.ranges[b]) {
            self.union(a, b);
        }
    }

    fn aliases(&mut self) {
        let function = self.function;
        for &block in &function.order {
            for &inst in &function.blocks[block].insts {
                let data = &function.insts[inst];
                if let (Some(result), Some(arg)) = (data.result, data.args.first())
                    && is_alias(&self.module.types, function, inst)
                    && match function.values[*arg].def {
                        ValueDef::Inst(from) => self.bales.fold[from] == Fold::No,
                        ValueDef::Param(_) => true,
                        _ => false,
                    }
                {
                    self.union(result, *arg);
                }
            }
        }
    }

    fn regions(&mut self) {
        let function = self.function;
        for &block in &function.order {
            for &inst in &function.blocks[block].insts {
                let data = &function.insts[inst];
                let Some(result) = data.result else { continue };
                let old = match &data.op {
                    Op::InsertElement => Some(0),
                    Op::Intrinsic(intrinsic) => match intrinsic.kind() {
                        Kind::WriteRegion | Kind::WritePredicate => Some(0),
                        Kind::Message(message) => message.old.map(usize::from),
                        Kind::Lsc(message) => message.old.map(usize::from),
                        Kind::LscTyped(lsc::Action::Load) => Some(9),
                        Kind::Systolic(product) if product.adds => Some(0),
                        Kind::Atomic(..) | Kind::RawSend { .. } => data.args.len().checked_sub(1),
                        _ => None,
                    },
                    _ => None,
                };
                if let Some(old) = old.and_then(|i| data.args.get(i))
                    && function.ty(*old) == data.ty
                {
                    self.try_union(result, *old);
                }
            }
        }
    }

    fn phis(&mut self) {
        let function = self.function;
        for &block in &function.order {
            for &inst in &function.blocks[block].insts {
                let data = &function.insts[inst];
                if let (Op::Phi, Some(result)) = (&data.op, data.result) {
                    for arg in &data.args {
                        self.try_union(result, *arg);
                    }
                }
            }
        }
    }
}

/// Segments sorted, those that meet made one.
fn united(mut segments: Range) -> Range {
    segments.sort_unstable();
    let mut all: Range = Vec::with_capacity(segments.len());
    for (from, to) in segments {
        match all.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => all.push((from, to)),
        }
    }
    all
}

/// Adds a segment to a range. A class grows by few segments at a time, however many it has.
fn include(all: &mut Range, (from, to): (u32, u32)) {
    let first = all.partition_point(|segment| segment.1 < from);
    let met = all[first..].partition_point(|segment| segment.0 <= to);
    let meeting = &all[first..first + met];
    let from = meeting.first().map_or(from, |segment| segment.0.min(from));
    let to = meeting.last().map_or(to, |segment| segment.1.max(to));
    all.splice(first..first + met, [(from, to)]);
}

/// True if a point is in both.
fn overlap(a: &Range, b: &Range) -> bool {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    few.iter().any(|&(from, to)| {
        let next = many.partition_point(|segment| segment.1 <= from);
        many.get(next).is_some_and(|segment| segment.0 < to)
    })
}
