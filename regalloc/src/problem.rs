//! Register allocation as a problem and its answer: all that an allocator, the rewriter and the proof of an
//! answer know of each other.
//!
//! A [`Problem`] is a control flow graph in SSA form of instructions with operands. Blocks are in reverse
//! postorder, the entry first; only they have parameters, for which each edge has arguments. An operand says how an
//! instruction accesses a value ([`Role`]) and where that has to be ([`Constraint`]). An [`Answer`] has a place for
//! each operand, moves between instructions, and the spill slots.
//!
//! The file is allocated in units of two GRFs, whatever their size: 128 GRFs are 64 units, 256 are 128.

use kiln_platform::bits::UnitSet;
use smallvec::SmallVec;

/// An allocation unit of the register file, by its number: two GRFs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unit(pub u16);

impl Unit {
    pub fn index(self) -> usize {
        self.0.into()
    }
}

impl From<Unit> for u32 {
    fn from(unit: Unit) -> u32 {
        unit.0.into()
    }
}

/// The units of a set, ascending.
pub fn units(set: UnitSet) -> impl Iterator<Item = Unit> + Clone {
    set.iter().map(|n| Unit(n as u16))
}

/// A value, by its number.
pub type Value = u32;

/// How an instruction accesses a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Read before anything is written.
    Use,
    /// Read while results are written, so that its unit is not a definition's.
    LateUse,
    /// Written after early uses are read.
    Def,
}

/// The places that an operand may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// In a unit.
    Register,
    /// In a unit, or in a spill slot of a whole unit.
    Anywhere,
    /// In this unit, even if it is not given out.
    Fixed(Unit),
    /// Tied operand: a definition in the unit of the use with this operand number.
    Tied(u16),
}

/// An operand. There are many, so that the role is stored beside the value's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    value_and_role: u32,
    pub constraint: Constraint,
}

impl Operand {
    pub fn new(value: Value, role: Role, constraint: Constraint) -> Operand {
        Operand {
            value_and_role: value << 2 | role as u32,
            constraint,
        }
    }

    pub fn value(self) -> Value {
        self.value_and_role >> 2
    }

    pub fn role(self) -> Role {
        match self.value_and_role & 3 {
            0 => Role::Use,
            1 => Role::LateUse,
            _ => Role::Def,
        }
    }

    pub fn is_def(self) -> bool {
        self.role() == Role::Def
    }

    pub fn is_use(self) -> bool {
        !self.is_def()
    }

    pub fn is_late_use(self) -> bool {
        self.role() == Role::LateUse
    }
}

/// An edge of the control flow graph.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub to: u32,
    args: (u32, u32),
}

struct Block {
    /// The first instruction, and the one after the last.
    insts: (u32, u32),
    params: (u32, u32),
    edges: (u32, u32),
    preds: SmallVec<[u32; 4]>,
    is_idle: bool,
}

/// The register file of a function.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Number of units, those that are not given out among them.
    pub unit_count: usize,
    /// Units that are given out, in the order in which they are preferred.
    pub preferred: Vec<Unit>,
    /// Units that are given out only for want of others: their use has to be paid for.
    pub callee_saved: Vec<Unit>,
    /// True if callers keep values in the units that the function does not use.
    pub is_called: bool,
}

impl File {
    /// All units that are given out, in the order in which they are preferred.
    pub fn allocatable(&self) -> impl Iterator<Item = Unit> + Clone {
        self.preferred.iter().chain(&self.callee_saved).copied()
    }
}

/// Input of an allocator.
pub struct Problem {
    pub file: File,
    operands: Vec<Operand>,
    /// By instruction: its first operand. The last entry is the number of operands.
    starts: Vec<u32>,
    /// By instruction: it only copies its first operand to its second.
    copies: Vec<bool>,
    /// Values without contents, by number, and the instructions that define them.
    undefined: Vec<(Value, u32)>,
    /// Clobbered units by instruction, ascending, of those that clobber any.
    clobbers: Vec<(u32, UnitSet)>,
    blocks: Vec<Block>,
    edges: Vec<Edge>,
    /// Parameters and arguments, one list after the other.
    lists: Vec<Value>,
    /// By value: GRFs that it needs in a spill slot.
    slot_grfs: Vec<u8>,
}

impl Problem {
    /// A problem without instructions, for so many of them and of blocks.
    pub fn new(file: File, insts: usize, blocks: usize) -> Problem {
        let mut starts = Vec::with_capacity(insts + 1);
        starts.push(0);
        Problem {
            file,
            operands: Vec::new(),
            starts,
            copies: Vec::with_capacity(insts),
            undefined: Vec::new(),
            clobbers: Vec::new(),
            blocks: Vec::with_capacity(blocks),
            edges: Vec::new(),
            lists: Vec::new(),
            slot_grfs: Vec::new(),
        }
    }

    /// Makes a value that needs so many GRFs in a spill slot.
    pub fn add_value(&mut self, slot_grfs: u32) -> Value {
        self.slot_grfs.push(slot_grfs.min(u8::MAX.into()) as u8);
        self.slot_grfs.len() as u32 - 1
    }

    /// Adds an instruction at the end of the current block.
    pub fn add_inst(&mut self, operands: impl IntoIterator<Item = Operand>) {
        self.operands.extend(operands);
        self.starts.push(self.operands.len() as u32);
        self.copies.push(false);
    }

    /// Adds an instruction that copies a value from a unit, or stores it: the copy may be in a slot of the size that the value needs.
    pub fn add_copy(&mut self, from: Value, to: Value) {
        self.add_inst([
            Operand::new(from, Role::Use, Constraint::Register),
            Operand::new(to, Role::Def, Constraint::Anywhere),
        ]);
        *self.copies.last_mut().unwrap_or(&mut false) = true;
    }

    /// Adds an instruction that only defines a value without contents.
    pub fn add_undefined(&mut self, value: Value) {
        self.undefined.push((value, self.inst_count() as u32));
        self.add_inst([Operand::new(value, Role::Def, Constraint::Register)]);
    }

    /// Units that the next instruction overwrites beside its definitions.
    pub fn clobber(&mut self, units: UnitSet) {
        self.clobbers.push((self.inst_count() as u32, units));
    }

    /// Ends the current block, whose instructions are all that were added after the last block's.
    pub fn end_block(
        &mut self,
        params: impl IntoIterator<Item = Value>,
        edges: impl IntoIterator<Item = (u32, SmallVec<[Value; 8]>)>,
    ) {
        let first = self.blocks.last().map_or(0, |block| block.insts.1);
        let params = self.list(params);
        let from = self.edges.len() as u32;
        for (to, args) in edges {
            let args = self.list(args);
            self.edges.push(Edge { to, args });
        }
        self.blocks.push(Block {
            insts: (first, self.inst_count() as u32),
            params,
            edges: (from, self.edges.len() as u32),
            preds: SmallVec::new(),
            is_idle: false,
        });
    }

    /// Says that threads may pass the block that was ended last without executing it, so that it had better have no moves.
    pub fn pass_by(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.is_idle = true;
        }
    }

    /// Finds predecessors, once all blocks are there.
    pub fn finish(&mut self) {
        self.undefined.sort_unstable();
        for b in 0..self.blocks.len() {
            let (from, to) = self.blocks[b].edges;
            for e in from..to {
                let succ = self.edges[e as usize].to;
                self.blocks[succ as usize].preds.push(b as u32);
            }
        }
    }

    fn list(&mut self, values: impl IntoIterator<Item = Value>) -> (u32, u32) {
        let from = self.lists.len() as u32;
        self.lists.extend(values);
        (from, self.lists.len() as u32)
    }

    /// True for a block that had better have no moves ([`Problem::pass_by`]).
    pub fn is_idle(&self, block: usize) -> bool {
        self.blocks[block].is_idle
    }

    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    pub fn inst_count(&self) -> usize {
        self.copies.len()
    }

    pub fn value_count(&self) -> usize {
        self.slot_grfs.len()
    }

    pub fn operand_count(&self) -> usize {
        self.operands.len()
    }

    /// The instructions of a block: the first, and the one after the last.
    pub fn insts_of(&self, block: usize) -> (u32, u32) {
        self.blocks[block].insts
    }

    /// The block that an instruction is in.
    pub fn block_of(&self, inst: u32) -> usize {
        self.blocks.partition_point(|block| block.insts.1 <= inst)
    }

    /// The block whose last instruction this is, if it is a last one.
    pub fn block_ended_by(&self, inst: u32) -> Option<usize> {
        let at = self
            .blocks
            .binary_search_by_key(&(inst + 1), |block| block.insts.1);
        at.ok()
    }

    /// The number of an instruction's first operand; of the instruction after the last, the number of operands.
    pub fn operands_from(&self, inst: u32) -> usize {
        self.starts[inst as usize] as usize
    }

    pub fn operands(&self, inst: u32) -> &[Operand] {
        &self.operands[self.operands_from(inst)..self.operands_from(inst + 1)]
    }

    /// True if an instruction only copies its first operand to its second.
    pub fn is_copy(&self, inst: u32) -> bool {
        self.copies[inst as usize]
    }

    /// The instruction that defines a value without contents, if it has none ([`Problem::add_undefined`]).
    pub fn undefined_by(&self, value: Value) -> Option<u32> {
        let at = (self.undefined).binary_search_by_key(&value, |&(value, _)| value);
        Some(self.undefined[at.ok()?].1)
    }

    /// Units that an instruction overwrites beside its definitions.
    pub fn clobbers(&self, inst: u32) -> UnitSet {
        let at = self.clobbers.binary_search_by_key(&inst, |&(at, _)| at);
        at.map_or(UnitSet::EMPTY, |at| self.clobbers[at].1)
    }

    pub fn params(&self, block: usize) -> &[Value] {
        self.values(self.blocks[block].params)
    }

    /// The edges to a block's successors, in order.
    pub fn edges(&self, block: usize) -> &[Edge] {
        let (from, to) = self.blocks[block].edges;
        &self.edges[from as usize..to as usize]
    }

    /// The arguments of an edge, for the parameters of the block that it leads to.
    pub fn args(&self, edge: &Edge) -> &[Value] {
        self.values(edge.args)
    }

    pub fn preds(&self, block: usize) -> &[u32] {
        &self.blocks[block].preds
    }

    /// GRFs that a value needs in a spill slot.
    pub fn slot_grfs(&self, value: Value) -> u32 {
        self.slot_grfs[value as usize].into()
    }

    fn values(&self, (from, to): (u32, u32)) -> &[Value] {
        &self.lists[from as usize..to as usize]
    }
}

/// The place of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    Unit(Unit),
    /// A spill slot, by its number.
    Memory(u32),
}

impl Place {
    pub fn unit(self) -> Option<Unit> {
        match self {
            Place::Unit(unit) => Some(unit),
            Place::Memory(_) => None,
        }
    }

    pub fn is_memory(self) -> bool {
        self.unit().is_none()
    }

    /// The number of its spill slot.
    pub fn slot(self) -> Option<usize> {
        match self {
            Place::Unit(_) => None,
            Place::Memory(slot) => Some(slot as usize),
        }
    }

    /// The set of its unit.
    pub fn set(self) -> UnitSet {
        self.unit().map_or(UnitSet::EMPTY, UnitSet::of)
    }
}

/// A point between instructions: twice the number of the instruction that it is before, or one more after it.
pub type Point = u32;

/// A copy from one place to another, of which one at least is a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub at: Point,
    pub from: Place,
    pub to: Place,
}

/// A spill slot: its first GRF in the frame, and how many it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub at: u32,
    pub grfs: u32,
}

/// Output of an allocator.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// By operand.
    pub places: Vec<Place>,
    /// In the order in which they happen.
    pub moves: Vec<Move>,
    /// Slots may share GRFs if their values are not in memory at once.
    pub slots: Vec<Slot>,
}

/// Why an allocator has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    #[error("an instruction needs more units at once than there are")]
    TooFewUnits,
    #[error("the allocator can number {limit} units, and the register file has {count}")]
    TooManyUnits { limit: usize, count: usize },
    #[error("no problem of allocation: {0}")]
    Invalid(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operand_is_what_it_was_made_of() {
        let roles = [Role::Use, Role::LateUse, Role::Def];
        for (value, role) in [0, 1, (1 << 30) - 1].iter().zip(roles) {
            let operand = Operand::new(*value, role, Constraint::Fixed(Unit(127)));
            assert_eq!((operand.value(), operand.role()), (*value, role));
        }
        assert_eq!(size_of::<Operand>(), 8);
    }
}
