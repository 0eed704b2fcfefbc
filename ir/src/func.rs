//! The IR's data: blocks, cells, values, and what each instruction reads and makes.

use std::ops::Range;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use kiln_frontend::module as visa;
pub use kiln_target::isa::Class;
use kiln_target::platform::Platform;
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
    /// A block of the linear graph; numbers are the order in which code is laid out.
    Block, "block";
    /// An instruction: its index in the object's list.
    Inst, "i";
    /// A piece of storage that is renamed as a whole: up to [`Function::cell_bytes`] of a general variable,
    /// a predicate, or an address variable.
    Cell, "c";
    /// One version of a cell.
    Value, "%";
    /// The kernel or function itself, or one of its subroutines.
    Routine, "routine";
}

impl Value {
    /// The contents nobody defined.
    pub const UNDEF: Value = Value(0);

    pub fn is_undef(self) -> bool {
        self == Value::UNDEF
    }
}

/// Whose storage a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Bytes from `offset` of a root variable.
    Var {
        var: visa::Var,
        offset: u32,
    },
    /// Several narrow variables; the first of them.
    Packed {
        first: visa::Var,
    },
    /// The registers of one unit of the thread payload: all inputs that lie there.
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
    /// Mask units in use: bytes, or channels of a flag.
    pub size: u32,
}

/// Where a root variable is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Home {
    /// In cells, contiguous numbers from `first`; the variable starts `offset` bytes into it.
    Cells { first: Cell, offset: u32 },
    /// In one place for the whole function, because its address is taken;
    /// byte offset into the function's fixed area.
    Fixed { offset: u32 },
    /// In the payload registers where it arrived, byte offset in the register file, because its
    /// address, or that of a neighbour in the unit, is taken.
    FixedPayload { offset: u32 },
    /// An architecture register or predefined value, not storage of the function.
    #[default]
    Special,
}

/// How the values of a cell come to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Def {
    Undef,
    /// Holds an input at entry: of the kernel or function, or of a subroutine.
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

/// A write of a cell. With `old`, what is not written keeps that value; without, nothing else of
/// the cell is wanted by any channel.
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

/// The end of a block, and what the hardware does there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// Scalar jump, or falling through when it is next.
    Jump(Block),
    /// Scalar jump to `taken` when the first channel of the instruction's predicate says so.
    Branch {
        inst: Inst,
        taken: Block,
        next: Block,
    },
    /// Channels whose predicate holds wait at `uip`; when none is left execution goes to `jip`
    /// (forward) or, when any branched, to `uip` (backward). Without a predicate all channels go.
    Goto {
        inst: Inst,
        uip: Block,
        jip: Block,
        next: Option<Block>,
        backward: bool,
    },
    /// The block is a join: channels waiting here go on; when none is active execution goes to
    /// `jip`.
    Join {
        jip: Option<Block>,
        next: Block,
    },
    Ret,
}

/// A linear successor and the values its parameters get on this edge.
#[derive(Clone, Debug)]
pub struct Edge {
    pub to: Block,
    pub args: SmallVec<[Value; 4]>,
}

#[derive(Clone, Debug)]
pub struct BlockData {
    /// Instructions, the terminator's included.
    pub insts: Range<u32>,
    pub term: Term,
    pub succs: SmallVec<[Edge; 2]>,
    pub preds: SmallVec<[Block; 2]>,
    /// Cells that get a new value here, with that value.
    pub params: Vec<(Cell, Value)>,
}

/// The kernel or function itself, or a subroutine. A call of a subroutine reads a cell for each of its
/// parameters, or writes it over old contents; where it does neither the contents do not matter. Of the
/// results it writes those that are wanted behind it.
#[derive(Clone, Debug)]
pub struct RoutineData {
    /// Its blocks; the first is the entry.
    pub blocks: Range<Block>,
    /// Cells of the caller's whose contents a subroutine wants, with the values they have at entry.
    pub params: Vec<(Cell, Value)>,
    /// Cells whose contents its callers may want, with the values they have at its end.
    pub results: Vec<(Cell, Value)>,
    /// The block at whose end it goes back to its callers, if there is one.
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
    pub homes: SecondaryMap<visa::Var, Home>,
    pub pred_cells: SecondaryMap<visa::Predicate, PackedOption<Cell>>,
    pub addr_cells: SecondaryMap<visa::Addr, PackedOption<Cell>>,
    pub surface_cells: SecondaryMap<visa::Surface, PackedOption<Cell>>,
    pub sampler_cells: SecondaryMap<visa::Sampler, PackedOption<Cell>>,
    pub values: PrimaryMap<Value, ValueData>,
    /// Values that hold inputs at entry.
    pub entry: Vec<(Cell, Value)>,
    /// The kernel or function itself and its subroutines, in the order of their blocks.
    pub routines: PrimaryMap<Routine, RoutineData>,
    /// The same, callees before their callers.
    pub bottom_up: Vec<Routine>,
    /// Calls of subroutines, in the order of the instructions.
    pub calls: Vec<(Inst, Routine)>,
    /// By instruction number.
    pub insts: Vec<InstData>,
    pub read_pool: Vec<Read>,
    pub write_pool: Vec<Write>,
    /// Bytes of the fixed area.
    pub fixed_bytes: u32,
    /// Bytes of the register file that hold inputs, from r0 on.
    pub payload_bytes: u32,
    /// Keeps to the convention of stack calls: a function, or a kernel that calls one or uses the
    /// stack's registers.
    pub stack: bool,
}

impl<'m> Function<'m> {
    /// Bytes of a general register, as vISA numbers rows and pads payloads.
    pub fn row_bytes(&self) -> u32 {
        self.target.grf_bytes
    }

    /// Bytes of a general variable that one cell covers: the allocation unit of the register file.
    pub fn cell_bytes(&self) -> u32 {
        self.target.unit_bytes()
    }

    /// The vISA instruction behind `inst`.
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

    /// What an instruction at the end of a block calls, if it calls a subroutine.
    pub fn callee(&self, inst: Inst) -> Option<Routine> {
        let at = self.calls.binary_search_by_key(&inst, |&(call, _)| call);
        at.ok().map(|at| self.calls[at].1)
    }

    pub fn block_insts(&self, block: Block) -> impl DoubleEndedIterator<Item = Inst> + use<> {
        self.blocks[block].insts.clone().map(Inst::from_u32)
    }
}
