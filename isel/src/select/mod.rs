//! Selection: from the IR of a vISA function to wide machine IR.
//!
//! Takes a verified function of the IR and leaves a machine function in SSA form. A vISA operation becomes one
//! instruction where a Gen operation has the same effect, whatever its width, types and regions; legalization cuts
//! it later. Each block, parameter and edge of the IR has its counterpart. A value of the IR becomes a virtual
//! register, and an operand that touches several cells a list of them. All operations that cannot be selected are
//! reported together.

mod alu;
mod buffer;
mod calls;
mod ieee;
mod media;
mod memory;
mod message;
mod operand;
mod product;
mod render;
mod sampler;
mod scratch;
mod typed;

use std::ops::Range;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use kiln_frontend::module as visa;
use kiln_frontend::opcode::Opcode;
use kiln_ir::func::{self as ir, Cell, Home, Owner, Routine, Value};
use kiln_machine::func::{Block, BlockData, Class, Edge, Entered, Function, Term};
use kiln_machine::inst::{Base, Inst, Opcode as MachineOp, Reg, Src, VReg};
use kiln_target::abi::{self, Abi};
use kiln_target::isa::Type;
use kiln_target::platform::Platform;
use scratch::{Area, Store};
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
    routine: &'f ir::RoutineData,
    /// The last return of the routine.
    last_return: Option<ir::Inst>,
    calls: &'f Calls<'f>,
    abi: &'static Abi,
    out: Function,
    /// The return address of a subroutine.
    back: Option<VReg>,
    /// The block under construction.
    code: Vec<Inst>,
    values: SecondaryMap<Value, PackedOption<VReg>>,
    touched: SmallVec<[Touched; 6]>,
    /// The start of variables whose address is taken, in the register file, in bytes.
    fixed_base: u32,
    /// The scratch memory of these variables, if they are there, and what the current instruction stores to it at
    /// its end.
    area: Option<Area>,
    /// Number of GRFs available.
    grfs: u32,
    /// True if threads may be interrupted in the middle.
    interruptible: bool,
    stores: Vec<Store>,
    /// The vISA instruction being selected.
    at: ir::Inst,
    errors: Vec<SelectError>,
}

/// Resources and constraints of selection.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Number of GRFs of the function.
    pub grfs: u32,
    /// Bytes at the start of scratch memory that belong to others.
    pub scratch_base: u32,
    /// True if variables whose address is taken are placed in scratch memory even if there are registers for them.
    pub in_memory: bool,
    /// True if threads may be interrupted in the middle: messages that need a header for that have it.
    pub interruptible: bool,
}

/// Minimum number of GRFs for the code beside variables whose address is taken. If fewer remain, these variables
/// are placed in scratch memory.
const MIN_FREE_GRFS: u32 = 32;

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
        grfs: target.grf_count,
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
    let abi = if ir.stack { calls.abi } else { &abi::KERNEL };
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
    let unit = target.unit_grfs();
    let grf = target.grf_bytes;
    let fixed = ir.fixed_bytes.div_ceil(grf).next_multiple_of(unit);
    let payload = ir.payload_bytes.div_ceil(grf).next_multiple_of(unit);
    // A call preserves callee-saved registers only.
    let fixed_from = abi.stack.as_ref().map_or(payload, |s| s.callee_saved.start);
    let mut out = Function::new(ir.object.name.to_string(), target, ir.simd);
    out.abi = abi;
    out.entered = match ir.object.kind {
        visa::ObjectKind::Kernel => Entered::Dispatched,
        visa::ObjectKind::Function { .. } if (calls.by_jump)(&ir.object.name) => Entered::JumpedTo,
        visa::ObjectKind::Function { .. } => Entered::Called,
    };
    // Units of the payload with inputs that stay where they arrive, or are stored to memory.
    let mut arrive: Vec<u32> = Vec::new();
    for (var, home) in ir.homes.iter() {
        if let Home::FixedPayload { offset } = *home {
            let end = offset + ir.object.vars[var].bytes().max(1);
            arrive.extend(offset / target.unit_bytes()..end.div_ceil(target.unit_bytes()));
        }
    }
    arrive.sort_unstable();
    arrive.dedup();
    let any = fixed > 0 || !arrive.is_empty();
    // A call overwrites the payload, and preserves callee-saved registers only.
    let in_memory = match &abi.stack {
        Some(stack) => !arrive.is_empty() || fixed_from + fixed > stack.callee_saved.end,
        None => payload + fixed + MIN_FREE_GRFS > room.grfs,
    };
    let in_memory = in_memory || room.in_memory;
    let called = out.entered != Entered::Dispatched;
    let called_by = abi.stack.as_ref().filter(|_| called);
    let area = match any && in_memory {
        true => Some(Area::new(ir, target, (room.scratch_base, called_by)).map_err(whole)?),
        false => None,
    };
    match area {
        Some(area) => {
            out.reserved.push(Select::window(area, unit));
            out.scratch_bytes = area.end(grf) - called_by.map_or(room.scratch_base, |_| 0);
        }
        None => {
            if fixed > 0 {
                out.reserved.push(fixed_from..fixed_from + fixed);
            }
            out.reserved
                .extend(arrive.iter().map(|u| u * unit..(u + 1) * unit));
            arrive.clear();
        }
    }
    // Fixed registers and memory are those of the kernel.
    let like = out.clone();
    let mut values = SecondaryMap::new();
    values.resize(ir.values.len());
    let mut select = Select {
        ir,
        routine: &ir.routines[Routine::new(0)],
        last_return: None,
        calls,
        abi,
        out,
        back: None,
        code: Vec::new(),
        values,
        touched: SmallVec::new(),
        fixed_base: fixed_from * grf,
        area,
        grfs: room.grfs,
        interruptible: room.interruptible,
        stores: Vec::new(),
        at: ir::Inst::from_u32(0),
        errors: Vec::new(),
    };
    let mut functions = Vec::with_capacity(ir.routines.len());
    for (r, routine) in &ir.routines {
        select.routine = routine;
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

/// True if an instruction has an effect, rather than a statement about the code.
fn has_code(op: Opcode) -> bool {
    !matches!(
        op,
        Opcode::Label | Opcode::Subroutine | Opcode::Loc | Opcode::File | Opcode::Lifetime
    )
}

impl Select<'_, '_> {
    /// The counterpart of a block of the routine.
    fn own_block(&self, block: ir::Block) -> Block {
        Block::from_u32(block.as_u32() - self.routine.blocks.start.as_u32())
    }

    /// The counterparts of all blocks of the routine.
    fn own_blocks(&self) -> impl Iterator<Item = ir::Block> + use<> {
        let Range { start, end } = self.routine.blocks;
        (start.as_u32()..end.as_u32()).map(ir::Block::from_u32)
    }

    /// An error at the current instruction.
    fn fail<T>(&self, what: impl Into<String>) -> Result<T> {
        let inst = self.at.index();
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

    /// Selects all blocks. Inputs in the units `arrive` are stored to memory first.
    fn blocks(&mut self, arrive: &[u32]) {
        let ir = self.ir;
        let Range { start, end } = self.routine.blocks;
        let mut blocks = (start.index()..end.index()).rev().map(ir::Block::new);
        self.last_return = blocks.find_map(|b| self.return_of(b));
        if self.out.entered == Entered::Subroutine {
            self.enter_subroutine();
        }
        let dispatched = self.out.entered != Entered::Subroutine;
        for &(cell, value) in ir.entry.iter().filter(|_| dispatched) {
            let grfs = self.out.target.unit_grfs();
            let at = match (ir.cells[cell].owner, &self.abi.stack) {
                (Owner::Payload { unit }, _) => unit * grfs,
                (Owner::Var { offset, .. }, Some(stack)) => stack.args + offset / self.grf(),
                _ => continue,
            };
            let v = self.cell_reg(cell);
            self.values[value] = v.into();
            self.out.inputs.push((v, Some(at)));
        }
        for &unit in arrive {
            let bytes = self.unit();
            let grf = unit * self.out.target.unit_grfs();
            let known = self.out.inputs.iter().find(|&&(_, at)| at == Some(grf));
            let v = known.map(|&(v, _)| v).unwrap_or_else(|| {
                let v = self.out.grf(bytes);
                self.out.inputs.push((v, Some(grf)));
                v
            });
            let area = self.area;
            if let Some(Err(error)) = area.map(|area| self.keep_input(area, unit * bytes, v)) {
                self.errors.push(error);
            }
        }
        // After the inputs: they are stored in whole units, which may include the header.
        if dispatched && let Err(error) = self.keep_header() {
            self.errors.push(error);
        }
        for b in self.own_blocks() {
            let mut block = BlockData::new(Term::End);
            for &(cell, value) in &ir.blocks[b].params {
                let v = self.cell_reg(cell);
                self.values[value] = v.into();
                block.params.push(v);
            }
            let made = self.out.blocks.push(block);
            debug_assert_eq!(made, self.own_block(b));
        }
        // In the entry block, which is the first in order.
        self.unpack_inputs();
        // Definitions are selected before their uses: in reverse postorder.
        let order = self.order();
        for b in order {
            self.fill_block(b);
        }
        for b in self.own_blocks() {
            self.edges(b);
        }
    }

    /// Selects a block's instructions and its terminator; edges follow when all blocks are selected.
    fn fill_block(&mut self, b: ir::Block) {
        let ir = self.ir;
        let branch = match ir.blocks[b].term {
            ir::Term::Branch { inst, .. } | ir::Term::Goto { inst, .. } => Some(inst),
            _ => None,
        };
        self.code.reserve(ir.blocks[b].insts.len());
        for inst in ir.block_insts(b).filter(|i| Some(*i) != branch) {
            if let Err(error) = self.inst(inst) {
                self.errors.push(error);
            }
        }
        let (term, origin) = self.terminator(b, branch);
        let term_origin = origin.map_or(u32::MAX, |inst| self.origin(inst));
        let b = self.own_block(b);
        let block = &mut self.out.blocks[b];
        block.insts = self.code.to_vec();
        block.term = term;
        block.term_origin = term_origin;
        self.code.clear();
    }

    /// Blocks in reverse postorder of the linear graph, followed by unreachable ones.
    fn order(&self) -> Vec<ir::Block> {
        let blocks = &self.ir.blocks;
        let own = self.own_blocks();
        let index = |b: ir::Block| b.index() - self.routine.blocks.start.index();
        let mut seen = vec![false; own.size_hint().0];
        let mut order = Vec::with_capacity(seen.len());
        for start in own {
            if std::mem::replace(&mut seen[index(start)], true) {
                continue;
            }
            let first = order.len();
            let mut stack = vec![(start, 0)];
            while let Some((b, next)) = stack.pop() {
                match blocks[b].succs.get(next) {
                    Some(edge) => {
                        stack.push((b, next + 1));
                        if !std::mem::replace(&mut seen[index(edge.to)], true) {
                            stack.push((edge.to, 0));
                        }
                    }
                    None => order.push(b),
                }
            }
            order[first..].reverse();
        }
        order
    }

    fn edges(&mut self, b: ir::Block) {
        let ir = self.ir;
        let from = self.own_block(b);
        for edge in &ir.blocks[b].succs {
            let mut args = SmallVec::new();
            for (&(cell, _), &value) in ir.blocks[edge.to].params.iter().zip(&edge.args) {
                let known = self.values[value].expand().filter(|_| !value.is_undef());
                args.push(known.unwrap_or_else(|| {
                    let v = self.cell_reg(cell);
                    self.out.blocks[from].insts.push(Inst::undef(v));
                    v
                }));
            }
            let to = self.own_block(edge.to);
            self.out.blocks[from].succs.push(Edge { to, args });
        }
    }

    fn inst(&mut self, inst: ir::Inst) -> Result {
        let visa = self.ir.visa(inst);
        if !has_code(visa.op) {
            return Ok(());
        }
        if let Some(callee) = self.ir.callee(inst) {
            self.call_routine(inst, callee);
            return Ok(());
        }
        self.begin(inst);
        let mut done = self.operation(visa);
        if done.is_ok() && !self.stores.is_empty() {
            done = self.write_back();
        }
        self.stores.clear();
        self.end();
        done
    }

    /// Sets up the cells that `inst` reads and writes.
    fn begin(&mut self, inst: ir::Inst) {
        self.at = inst;
        self.touched.clear();
        for r in self.ir.reads(inst) {
            self.touched.push(Touched {
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
            match self.touched.iter_mut().find(|t| t.cell == w.cell) {
                Some(t) => (t.now, t.new) = (now, new),
                None => self.touched.push(Touched {
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
        for i in 0..self.touched.len() {
            let Touched { cell, now, new, .. } = self.touched[i];
            let Some(new) = new else { continue };
            let v = now.unwrap_or_else(|| {
                let v = self.cell_reg(cell);
                self.undef(v)
            });
            self.values[new] = v.into();
        }
        self.touched.clear();
    }

    /// A new register for the contents of a cell. Messages may write past the declared end of a variable, up to the
    /// end of a GRF.
    fn cell_reg(&mut self, cell: Cell) -> VReg {
        let bytes = self.cell_bytes(cell);
        self.out.reg(self.ir.cells[cell].class, bytes)
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
        inst.origin = self.origin(self.at);
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

    /// The terminator of a block, and its vISA instruction.
    fn terminator(&mut self, b: ir::Block, branch: Option<ir::Inst>) -> (Term, Option<ir::Inst>) {
        if let Some(inst) = branch {
            self.begin(inst);
        }
        let pred = branch.and_then(|i| self.ir.visa(i).pred);
        let term = match self.ir.blocks[b].term {
            ir::Term::Jump(_) => Term::Jump,
            ir::Term::Branch { .. } => match pred {
                Some(p) => Term::Branch {
                    pred: self.pred(p, 1),
                },
                None => Term::Jump,
            },
            ir::Term::Goto {
                inst,
                uip,
                backward,
                ..
            } => {
                let exec = self.ir.visa(inst).exec;
                // A goto of one channel means all channels.
                let (exec_size, chan_off) = match exec.size {
                    1 => (self.ir.simd, 0),
                    size => (size, exec.offset),
                };
                let pred = pred.map(|p| self.pred(p, exec_size));
                if backward {
                    Term::GotoBackward {
                        pred,
                        exec_size,
                        chan_off,
                    }
                } else {
                    Term::GotoForward {
                        pred,
                        exec_size,
                        chan_off,
                        uip: self.own_block(uip),
                        free_flag: Reg::NULL,
                    }
                }
            }
            ir::Term::Join { .. } => Term::Join,
            ir::Term::Ret if self.out.entered == Entered::Dispatched => Term::End,
            ir::Term::Ret if self.out.entered == Entered::Subroutine => {
                if self.routine.exit.expand() == Some(b) {
                    self.leave_subroutine();
                }
                Term::Return
            }
            ir::Term::Ret => {
                let insts = &self.ir.blocks[b].insts;
                if let Some(last) = insts.clone().last().map(ir::Inst::from_u32) {
                    self.begin(last);
                    self.results();
                    self.end();
                }
                Term::Return
            }
        };
        if branch.is_some() {
            self.end();
        }
        let origin = match (branch, &self.ir.blocks[b].term) {
            // A common end of several returns, or an unreachable block, has no return of its own.
            (None, ir::Term::Ret) => self.return_of(b).or(self.last_return),
            _ => branch,
        };
        (term, origin)
    }

    /// The return at the end of a block, if there is one.
    fn return_of(&self, b: ir::Block) -> Option<ir::Inst> {
        let is_return =
            |inst: &ir::Inst| matches!(self.ir.visa(*inst).op, Opcode::Ret | Opcode::FRet);
        self.ir.block_insts(b).last().filter(is_return)
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
