//! The IR's data: blocks, cells, values, and the values that each instruction reads and defines.

use std::ops::Range;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
pub use kiln_platform::isa::Class;
use kiln_platform::platform::Platform;
use kiln_visa::module as visa;
use smallvec::SmallVec;

macro_rules! entities {
    ($($(#[$doc:meta])* $name:ident, $display:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);
        entity_impl!($name, $display);
    )*};
}

entities! {
    /// A block of the linear graph; blocks are numbered in layout order.
    Block, "block";
    /// An instruction: its index in the object's list.
    Inst, "i";
    /// A piece of storage that is renamed as one: up to [`Function::cell_bytes`] of a general variable,
    /// a predicate, or an address variable.
    Cell, "c";
    /// An SSA value: one version of a cell's contents.
    Value, "%";
    /// The kernel or function itself, or one of its subroutines.
    Routine, "routine";
}

impl Value {
    /// Undefined contents.
    pub const UNDEF: Value = Value(0);

    pub fn is_undef(self) -> bool {
        self == Value::UNDEF
    }
}

/// The storage that a cell is a piece of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Bytes from `offset` of a root variable.
    Var {
        var: visa::Var,
        offset: u32,
    },
    /// Several narrow variables that share the cell; `first` is one of them.
    Packed {
        first: visa::Var,
    },
    /// One allocation unit of the thread payload, with all inputs that arrive there.
    Payload {
        unit: u32,
    },
    Predicate(visa::Predicate),
    Addr(visa::Addr),
    Surface(visa::Surface),
    Sampler(visa::Sampler),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellData {
    /// One bit of an access mask is a byte of a general or address register, a channel of a flag.
    pub class: Class,
    pub owner: Owner,
    /// Bytes in use, or channels of a flag.
    pub size: u32,
}

/// Storage of a root variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VarStorage {
    /// Cells with consecutive numbers from `first` on; the variable starts `offset` bytes into the first.
    Cells { first: Cell, offset: u32 },
    /// A fixed place, since the variable's address is taken: byte offset in the function's fixed area.
    Fixed { offset: u32 },
    /// The payload registers in which the variable arrives, since its address, or that of another input in the
    /// unit, is taken: byte offset in the register file.
    FixedPayload { offset: u32 },
    /// An architecture register or a predefined value: no storage of the function.
    #[default]
    Special,
}

/// The definition point of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Def {
    Undef,
    /// An input at the entry of the kernel, the function or a subroutine.
    Entry,
    Param(Block),
    Inst(Inst),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueData {
    /// None for [`Value::UNDEF`] only.
    pub cell: PackedOption<Cell>,
    pub def: Def,
}

/// A read of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    pub cell: Cell,
    pub value: Value,
}

/// A write of a cell. With `old`, bytes that are not written keep that value; without, no channel wants
/// anything else of the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    pub cell: Cell,
    pub old: PackedOption<Value>,
    pub new: Value,
}

#[derive(Clone, Debug, Default)]
pub struct InstData {
    pub reads: Range<u32>,
    pub writes: Range<u32>,
}

/// The terminator of a block, in terms of what the hardware does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// Scalar jump, or fall-through if the target is the next block.
    Jump(Block),
    /// Scalar jump to `taken` if the first channel of the instruction's predicate holds.
    Branch {
        inst: Inst,
        taken: Block,
        next: Block,
    },
    /// Channels for which the predicate holds (all, without one) branch. A forward goto makes them wait at `uip`;
    /// if no channel stays active, execution goes to `jip`. A backward goto goes to `uip` if any channel branches.
    Goto {
        inst: Inst,
        uip: Block,
        jip: Block,
        next: Option<Block>,
        backward: bool,
    },
    /// The block is a join, at which waiting channels become active again. If none is active execution goes to
    /// `jip`.
    Join {
        jip: Option<Block>,
        next: Block,
    },
    Ret,
}

/// An edge of the linear graph with its arguments.
#[derive(Clone, Debug)]
pub struct Edge {
    pub to: Block,
    pub args: SmallVec<[Value; 4]>,
}

#[derive(Clone, Debug)]
pub struct BlockData {
    /// Instructions, that of the terminator included.
    pub insts: Range<u32>,
    pub term: Term,
    pub succs: SmallVec<[Edge; 2]>,
    pub preds: SmallVec<[Block; 2]>,
    /// Block parameters: cells with the values that they have from here on.
    pub params: Vec<(Cell, Value)>,
}

/// The kernel or function itself, or a subroutine. A call reads the cell of each parameter, or writes it and keeps
/// old contents; the argument of a parameter for which it does neither is undefined. A call writes the results
/// that are live after it.
#[derive(Clone, Debug)]
pub struct RoutineData {
    /// Blocks of the routine, the entry first.
    pub blocks: Range<Block>,
    /// Live-in cells of a subroutine with their values at its entry.
    pub params: Vec<(Cell, Value)>,
    /// Cells that are live after some call, with their values at the subroutine's end.
    pub results: Vec<(Cell, Value)>,
    /// The block that ends in the return to the caller, if there is one.
    pub exit: PackedOption<Block>,
}

/// A function in the IR, with its subroutines.
pub struct Function<'m> {
    pub object: &'m visa::Object,
    pub target: &'static Platform,
    /// Channels of a dispatch: 8, 16 or 32.
    pub simd: u8,
    pub blocks: PrimaryMap<Block, BlockData>,
    pub cells: PrimaryMap<Cell, CellData>,
    /// By cell: the cell in which its contents are.
    pub homes: Homes,
    pub storage: SecondaryMap<visa::Var, VarStorage>,
    pub pred_cells: SecondaryMap<visa::Predicate, PackedOption<Cell>>,
    pub addr_cells: SecondaryMap<visa::Addr, PackedOption<Cell>>,
    pub surface_cells: SecondaryMap<visa::Surface, PackedOption<Cell>>,
    pub sampler_cells: SecondaryMap<visa::Sampler, PackedOption<Cell>>,
    pub values: PrimaryMap<Value, ValueData>,
    /// Values that hold inputs at entry.
    pub entry: Vec<(Cell, Value)>,
    /// The kernel or function itself and its subroutines, in the order of their blocks.
    pub routines: PrimaryMap<Routine, RoutineData>,
    /// Routines, callees before their callers.
    pub bottom_up: Vec<Routine>,
    /// Calls of subroutines, ordered by instruction.
    pub calls: Vec<(Inst, Routine)>,
    /// By instruction number.
    pub insts: Vec<InstData>,
    pub read_pool: Vec<Read>,
    pub write_pool: Vec<Write>,
    /// Bytes of the fixed area.
    pub fixed_bytes: u32,
    /// Bytes of the register file, from r0 on, in which inputs arrive.
    pub payload_bytes: u32,
    /// True if the calling convention of stack calls applies: to functions, and to kernels that call one or use the
    /// stack's registers.
    pub stack: bool,
}

impl<'m> Function<'m> {
    /// Bytes of a GRF: the unit of vISA's rows and of payload padding.
    pub fn row_bytes(&self) -> u32 {
        self.target.grf_bytes
    }

    /// Bytes of a general variable that one cell covers: the allocation unit.
    pub fn cell_bytes(&self) -> u32 {
        self.target.unit_bytes()
    }

    /// The vISA instruction that `inst` numbers.
    pub fn visa(&self, inst: Inst) -> &'m visa::Inst {
        &self.object.insts[inst.as_u32() as usize]
    }

    pub fn reads(&self, inst: Inst) -> &[Read] {
        let r = &self.insts[inst.as_u32() as usize].reads;
        &self.read_pool[r.start as usize..r.end as usize]
    }

    pub fn writes(&self, inst: Inst) -> &[Write] {
        let r = &self.insts[inst.as_u32() as usize].writes;
        &self.write_pool[r.start as usize..r.end as usize]
    }

    /// The subroutine that an instruction calls, if it calls one.
    pub fn callee(&self, inst: Inst) -> Option<Routine> {
        let at = self.calls.binary_search_by_key(&inst, |&(call, _)| call);
        at.ok().map(|at| self.calls[at].1)
    }

    pub fn block_insts(&self, block: Block) -> impl DoubleEndedIterator<Item = Inst> + use<> {
        self.blocks[block].insts.clone().map(Inst::from_u32)
    }
}

/// By cell: the cell in which its contents are.
#[derive(Clone, Debug, Default)]
pub struct Homes {
    moved: SecondaryMap<Cell, PackedOption<Cell>>,
}

impl Homes {
    /// The cell's home: the cell itself unless it was moved.
    pub fn of(&self, cell: Cell) -> Cell {
        self.moved[cell].expand().unwrap_or(cell)
    }

    /// Moves a cell to a home, which is a cell that is not moved.
    pub fn join(&mut self, cell: Cell, home: Cell) {
        self.moved[cell] = home.into();
    }

    /// The cells that were moved, with their homes.
    pub fn moved(&self) -> impl Iterator<Item = (Cell, Cell)> + '_ {
        (self.moved.iter()).filter_map(|(cell, home)| Some((cell, home.expand()?)))
    }
}
