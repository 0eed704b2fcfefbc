//! Selection: from the IR of a vISA function to wide machine IR.
//!
//! Takes a verified function of the IR and leaves a machine function in SSA form. A vISA operation becomes one
//! instruction where a Gen operation has the same effect, whatever its width, types and regions; legalization cuts
//! it later. Each block, parameter and edge of the IR has its counterpart. A value of the IR becomes a virtual
//! register, and an operand that touches several cells a list of them. All operations that cannot be selected are
//! reported together.

mod alu;
mod area;
mod blocks;
mod buffer;
mod calls;
mod ieee;
mod lsc;
mod media;
mod memory;
mod message;
mod operand;
mod product;
mod raw;
mod render;
mod sampler;
mod scratch;
mod systolic;
mod typed;

use area::Area;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use kiln_ir::func::{self as ir, Cell, Owner, Routine, Value, VarStorage};
use kiln_machine::func::{Class, Entered, Function, Variable};
use kiln_machine::inst::{Base, Inst, Opcode as MachineOp, Reg, Src, VReg};
use kiln_platform::abi::{self, Abi};
use kiln_platform::isa::Type;
use kiln_platform::platform::{Platform, UNIT_GRFS};
use kiln_visa::module as visa;
use kiln_visa::opcode::Field;
use scratch::Store;
use smallvec::SmallVec;

use crate::channels::Channels;

/// An instruction that cannot be selected, and the reason.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("instruction {inst} ({op}): {what}")]
pub struct SelectError {
    /// Index of the vISA instruction.
    pub inst: usize,
    pub op: &'static str,
    pub what: String,
}

type Result<T = ()> = std::result::Result<T, SelectError>;

/// A cell that the current vISA instruction touches.
struct Touched {
    cell: Cell,
    read: Option<Value>,
    /// Stands for undefined contents: an instruction that reads them twice reads the same register (`cmp.eq V V`
    /// finds the active channels).
    undefined: Option<VReg>,
    /// The contents so far, for cells that are written.
    now: Option<VReg>,
    new: Option<Value>,
}

/// Facts of the module that an object's calls depend on.
#[derive(Clone, Copy)]
pub struct Calls<'a> {
    /// The calling convention of objects that call or are called.
    pub abi: &'static Abi,
    /// True if the function of a name is entered by jumps.
    pub by_jump: &'a (dyn Fn(&str) -> bool + Sync),
}

impl Calls<'_> {
    /// All functions are called by name, as in zebin files.
    pub const BY_NAME: Calls<'static> = Calls {
        abi: &abi::STACK_2,
        by_jump: &|_| false,
    };
}

struct Select<'f, 'm> {
    ir: &'f ir::Function<'m>,
    calls: &'f Calls<'f>,
    abi: &'static Abi,
    room: Room,
    routine: RoutineState<'f>,
    current: Current,
    taken: TakenVars,
    out: Function,
    /// The block under construction.
    code: Vec<Inst>,
    values: SecondaryMap<Value, PackedOption<VReg>>,
    errors: Vec<SelectError>,
}

/// The routine being selected.
struct RoutineState<'f> {
    data: &'f ir::RoutineData,
    /// Last return of the routine.
    last_return: Option<ir::Inst>,
    /// The return address of a subroutine.
    back: Option<VReg>,
}

/// The vISA instruction being selected.
struct Current {
    inst: ir::Inst,
    touched: SmallVec<[Touched; 6]>,
    /// Stores to [`TakenVars::area`] at its end.
    stores: Vec<Store>,
}

/// Variables whose address is taken.
#[derive(Default)]
struct TakenVars {
    /// Start of the implicit arguments in the register file, in bytes.
    base: u32,
    /// Scratch memory of the implicit arguments, if they are there.
    area: Option<Area>,
}

/// Resources and constraints of selection.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Number of GRFs of the function.
    pub grfs: u32,
    /// Bytes at the start of scratch memory that belong to others.
    pub scratch_base: u32,
    /// True if variables whose address is taken are placed in scratch memory even if there are registers for them. The
    /// code around them may need more than they leave.
    pub in_memory: bool,
    /// True if threads may be interrupted in the middle: messages that need a header for that have it.
    pub interruptible: bool,
}

/// Selects instructions for a function of the IR without subroutines, with all GRFs.
///
/// # Errors
///
/// As [`select_in`].
pub fn select(
    ir: &ir::Function,
    target: &'static Platform,
    calls: &Calls,
) -> std::result::Result<Function, Vec<SelectError>> {
    let room = Room {
        grfs: target.default_grfs,
        scratch_base: 0,
        in_memory: false,
        interruptible: false,
    };
    Ok(select_in(ir, target, calls, room)?.swap_remove(0))
}

/// Maximum number of parameters, and of results, of a subroutine.
const MAX_PASSED: usize = 255;

/// True if the subroutines can be selected: their number, and the parameters and results of each.
pub fn can_pass(ir: &ir::Function) -> bool {
    let fits =
        |routine: &ir::RoutineData| routine.params.len().max(routine.results.len()) <= MAX_PASSED;
    ir.routines.len() <= usize::from(u16::MAX) && ir.routines.values().all(fits)
}

/// Selects instructions for a function of the IR and each of its subroutines, in their order.
///
/// # Errors
///
/// All operations that cannot be selected, or a lack of registers or memory.
pub fn select_in(
    ir: &ir::Function,
    target: &'static Platform,
    calls: &Calls,
    room: Room,
) -> std::result::Result<Vec<Function>, Vec<SelectError>> {
    let whole = |what: String| {
        vec![SelectError {
            inst: 0,
            op: "kernel",
            what,
        }]
    };
    if !target.compiles {
        return Err(whole(format!(
            "finalizing for {} is not supported yet",
            target.name
        )));
    }
    if !can_pass(ir) {
        return Err(whole(format!(
            "too many subroutines, or a subroutine with more than {MAX_PASSED} parameters or results"
        )));
    }
    let mut select = Select::new(ir, target, calls, room);
    let mut arrive = select.place_taken().map_err(whole)?;
    // Fixed registers and memory are those of the kernel.
    let like = select.out.clone();
    let mut functions = Vec::with_capacity(ir.routines.len());
    for (r, routine) in &ir.routines {
        select.routine.data = routine;
        if r.index() > 0 {
            let name = format!("{}, subroutine {}", ir.object.name, r.index());
            let before = functions.last().map(|f: &Function| f.symbols.clone());
            select.out = Function {
                name,
                entered: Entered::Subroutine,
                // Symbols are numbered over all routines; the last one has the whole table.
                symbols: before.unwrap_or_default(),
                header: functions.first().and_then(|f: &Function| f.header),
                ..like.clone()
            };
            arrive.clear();
        }
        select.blocks(&arrive);
        functions.push(std::mem::replace(
            &mut select.out,
            Function::new("", target, ir.simd),
        ));
    }
    match select.errors.is_empty() {
        true => Ok(functions),
        false => Err(select.errors),
    }
}

impl<'f, 'm> Select<'f, 'm> {
    fn new(
        ir: &'f ir::Function<'m>,
        target: &'static Platform,
        calls: &'f Calls<'f>,
        room: Room,
    ) -> Select<'f, 'm> {
        let mut out = Function::new(ir.object.name.to_string(), target, ir.simd);
        out.abi = if ir.stack { calls.abi } else { &abi::KERNEL };
        out.entered = match ir.object.kind {
            visa::ObjectKind::Kernel => Entered::Dispatched,
            visa::ObjectKind::Function { .. } if (calls.by_jump)(&ir.object.name) => {
                Entered::JumpedTo
            }
            visa::ObjectKind::Function { .. } => Entered::Called,
        };
        let mut values = SecondaryMap::new();
        values.resize(ir.values.len());
        Select {
            ir,
            calls,
            abi: out.abi,
            room,
            routine: RoutineState {
                data: &ir.routines[Routine::new(0)],
                last_return: None,
                back: None,
            },
            current: Current {
                inst: ir::Inst::from_u32(0),
                touched: SmallVec::new(),
                stores: Vec::new(),
            },
            taken: TakenVars::default(),
            out,
            code: Vec::new(),
            values,
            errors: Vec::new(),
        }
    }

    /// Places variables whose address is taken: in registers or in scratch memory. Returns the units of the payload
    /// whose inputs are to be stored to memory.
    fn place_taken(&mut self) -> std::result::Result<Vec<u32>, String> {
        let (ir, room, target) = (self.ir, self.room, self.out.target);
        let (unit_bytes, grf) = (self.unit(), self.grf());
        let fixed = ir.fixed_bytes.div_ceil(grf).next_multiple_of(UNIT_GRFS);
        let payload = ir.payload_bytes.div_ceil(grf).next_multiple_of(UNIT_GRFS);
        // A call overwrites the payload, and preserves callee-saved registers only.
        let stack = self.abi.stack.as_ref();
        let fixed_from = stack.map_or(payload, |s| s.callee_saved.start);
        self.taken.base = fixed_from * grf;
        // Units of the payload with inputs that stay where they arrive, or are stored to memory.
        let mut arrive: Vec<u32> = Vec::new();
        for (var, storage) in ir.storage.iter() {
            if let VarStorage::FixedPayload { offset } = *storage {
                let end = offset + ir.object.vars[var].bytes().max(1);
                arrive.extend(offset / unit_bytes..end.div_ceil(unit_bytes));
            }
        }
        arrive.sort_unstable();
        arrive.dedup();
        let any = fixed > 0 || !arrive.is_empty();
        let in_memory = room.in_memory
            || match stack {
                Some(stack) => !arrive.is_empty() || fixed_from + fixed > stack.callee_saved.end,
                None => payload + fixed >= room.grfs,
            };
        if any && in_memory {
            let called_by = stack.filter(|_| self.out.entered != Entered::Dispatched);
            let area = Area::new(ir, target, (room.scratch_base, called_by))?;
            self.taken.area = Some(area);
            self.out.reserved.push(Select::window(area));
            self.out.scratch_bytes = area.end(grf) - called_by.map_or(room.scratch_base, |_| 0);
            return Ok(arrive);
        }
        if fixed > 0 {
            self.out.reserved.push(fixed_from..fixed_from + fixed);
        }
        let stay = arrive.iter().map(|u| u * UNIT_GRFS..(u + 1) * UNIT_GRFS);
        self.out.reserved.extend(stay);
        Ok(Vec::new())
    }
}

impl Select<'_, '_> {
    /// An error at the current instruction.
    fn fail<T>(&self, what: impl Into<String>) -> Result<T> {
        let inst = self.current.inst.index();
        let known = self.ir.object.insts.get(inst);
        Err(SelectError {
            inst,
            op: known.map_or("end", |i| i.mnemonic()),
            what: what.into(),
        })
    }

    fn unit(&self) -> u32 {
        self.out.target.unit_bytes()
    }

    fn grf(&self) -> u32 {
        self.out.target.grf_bytes
    }

    /// Sets up the cells that `inst` reads and writes.
    fn begin(&mut self, inst: ir::Inst) {
        self.current.inst = inst;
        self.current.touched.clear();
        for r in self.ir.reads(inst) {
            self.current.touched.push(Touched {
                cell: r.cell,
                read: Some(r.value),
                undefined: None,
                now: None,
                new: None,
            });
        }
        for w in self.ir.writes(inst) {
            let now = w.old.expand().and_then(|old| self.values[old].expand());
            let new = Some(w.new);
            match self.current.touched.iter_mut().find(|t| t.cell == w.cell) {
                Some(t) => (t.now, t.new) = (now, new),
                None => self.current.touched.push(Touched {
                    cell: w.cell,
                    read: None,
                    undefined: None,
                    now,
                    new,
                }),
            }
        }
    }

    /// Binds the values that the instruction defines to the last registers created for them.
    fn end(&mut self) {
        for i in 0..self.current.touched.len() {
            let Touched { cell, now, new, .. } = self.current.touched[i];
            let Some(new) = new else { continue };
            let v = now.unwrap_or_else(|| {
                let v = self.cell_reg(cell);
                self.undef(v)
            });
            self.values[new] = v.into();
        }
        self.current.touched.clear();
    }

    /// A new register for the contents of a cell. Messages may write past the declared end of a variable, up to the
    /// end of a GRF.
    fn cell_reg(&mut self, cell: Cell) -> VReg {
        let bytes = self.cell_bytes(cell);
        let data = self.ir.cells[cell];
        let v = self.out.reg(data.class, bytes);
        if let Owner::Var { var, .. } = data.owner {
            self.out.regs[v].variable = Variable::new(var.as_u32());
        }
        v
    }

    /// A new register for what the instruction writes of a cell, which several variables may share.
    fn written_reg(&mut self, cell: Cell) -> VReg {
        let v = self.cell_reg(cell);
        let inst = self.ir.visa(self.current.inst);
        let unit = self.unit();
        let results = inst.operands.iter().zip(inst.op.row().operands);
        let results = results.filter_map(|(operand, field)| match (operand, field) {
            (visa::Operand::General { var, .. }, Field::Dst(_))
            | (visa::Operand::Raw { var, .. }, Field::RawDst) => Some(*var),
            _ => None,
        });
        let mut results = results.filter(|&var| {
            let (root, _) = self.ir.object.root(var);
            let bytes = self.ir.object.vars[root].bytes();
            self.ir.cells_of(root).is_some_and(|(first, offset)| {
                let cells = 0..(offset + bytes).div_ceil(unit);
                cells
                    .into_iter()
                    .any(|n| self.ir.cell_at(first, n) == Some(cell))
            })
        });
        if let Some(var) = results.next() {
            self.out.regs[v].variable = Variable::new(var.as_u32());
        }
        v
    }

    fn cell_bytes(&self, cell: Cell) -> u32 {
        let data = self.ir.cells[cell];
        match data.class {
            Class::Grf => data.size.next_multiple_of(self.grf()),
            Class::Flag => data.size.div_ceil(16) * 2,
            Class::Addr => data.size,
        }
    }

    fn undef(&mut self, v: VReg) -> VReg {
        self.push(Inst::undef(v));
        v
    }

    /// Number of a vISA instruction in the object as it was read.
    fn origin(&self, inst: ir::Inst) -> u32 {
        self.ir.object.insts[inst.index()].origin
    }

    fn push(&mut self, mut inst: Inst) {
        inst.origin = self.origin(self.current.inst);
        self.read_carry(&mut inst);
        self.code.push(inst);
    }

    /// An instruction on these channels.
    fn instruction(&self, op: impl Into<MachineOp>, channels: Channels) -> Inst {
        let mut inst = Inst::new(op, channels.size);
        inst.chan_off = channels.off;
        inst.opts.no_mask = channels.no_mask;
        inst.pred = channels.pred;
        inst
    }

    /// An undefined temporary of `bytes` bytes: one register, or a list.
    fn temp(&mut self, bytes: u32) -> Reg {
        let unit = self.unit();
        if bytes <= unit {
            return Reg::virt(self.out.grf(bytes.next_multiple_of(4)), 0);
        }
        let mut list = SmallVec::new();
        let mut left = bytes;
        while left > 0 {
            let part = left.min(unit);
            list.push(self.out.grf(part));
            left -= part;
        }
        Reg::new(Base::List(self.out.lists.push(list)), 0)
    }

    fn temp_of(&mut self, class: Class, bytes: u32) -> Reg {
        Reg::virt(self.out.reg(class, bytes), 0)
    }
}

/// The number in an operand that is a field.
fn field(operand: &visa::Operand) -> u32 {
    match operand {
        visa::Operand::Field(n) => *n,
        _ => 0,
    }
}

fn ud(bits: u32) -> Src {
    Src::imm(Type::Ud, bits.into())
}
