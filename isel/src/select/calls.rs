//! Calls: of functions, by the stack call convention, and of subroutines.
//!
//! `%arg` and `%retval` are cells like those of other variables. A call reads the cells that it passes as one list
//! and defines those of the results; allocation places both where the convention says. Calls of an address, and of
//! functions that may be called by address, are jumps of all active channels; such a function returns by a jump,
//! too. All others are `call` and `ret`, which keep the other channels waiting.
//!
//! A call of a subroutine passes the parameters and results that the IR lists, a register for each cell. Flags and
//! address registers are passed in general registers.

use kiln_ir::func::{self as ir, Cell, Routine, VarStorage};
use kiln_machine::func::{Address, Class};
use kiln_machine::inst::{Base, Dst, Inst, Old, Opcode as MachineOp, Reg, Src, Symbol, VReg};
use kiln_platform::isa::{Op, Type};
use kiln_visa::module::{self as visa, Operand, predefined};

use super::alu::UNRESOLVED;
use super::operand::Storage;
use super::{Channels, Result, Select};

/// Bytes that a machine call saves: the return address and the mask of waiting channels.
const RETURN_BYTES: u32 = 8;

impl Select<'_, '_> {
    /// The symbol of a name, or of the upper half of its address.
    pub(super) fn symbol(&mut self, name: &str, high: bool) -> Symbol {
        let is_it = |address: &Address| address.high == high && address.name == name;
        let known = self.out.symbols.iter().find(|(_, address)| is_it(address));
        match known.map(|(symbol, _)| symbol) {
            Some(symbol) => symbol,
            None => {
                let name = name.to_string();
                self.out.symbols.push(Address { name, high })
            }
        }
    }

    /// The low half of a symbol's address, in a register.
    fn symbol_value(&mut self, name: &str) -> Src {
        let reg = self.temp(4);
        let mut mov = Inst::no_mask(Op::Mov, 1);
        mov.srcs.push(Src::imm(Type::Ud, UNRESOLVED & 0xffff_ffff));
        mov.dst = Some(Dst::new(reg, 1, Type::Ud));
        mov.symbol = self.symbol(name, false).into();
        self.push(mov);
        Src::scalar(reg, Type::Ud)
    }

    /// The place of `%arg` or `%retval`.
    fn passed(&self, var: u32) -> Storage {
        match self.ir.storage[visa::Var::from_u32(var)] {
            VarStorage::Cells { first, .. } => Storage::Cells(first),
            _ => Storage::Null,
        }
    }

    pub(super) fn call(&mut self, visa: &visa::Inst) -> Result {
        let [args, results] = visa.passed_grfs().unwrap_or_default();
        let mut channels = self.channels(visa);
        // The hardware's call is evaluated by channel and cannot ignore the mask: all active channels make a scalar
        // call, whichever they are.
        if channels.no_mask {
            channels = Channels {
                no_mask: false,
                ..Channels::all(self.ir.simd)
            };
        }
        let name = match &visa.operands[0] {
            Operand::Name(name) => Some(name.as_str()),
            _ => None,
        };
        let by_jump = name.is_none_or(self.calls.by_jump);
        let op = match by_jump {
            true => MachineOp::CallAddress,
            false => MachineOp::Call,
        };
        if by_jump && channels.pred.is_some() {
            return self.fail("a call of an address under a predicate");
        }
        let address = match name {
            _ if !by_jump => None,
            Some(name) => Some(self.symbol_value(name)),
            None => Some(self.scalar(&visa.operands[0])?),
        };
        // Code lies below 4 GiB: the low half is the whole address.
        let address = address.map(|mut address| {
            if let Src::Reg(r) = &mut address {
                r.ty = Type::Ud;
            }
            address
        });
        let mut inst = self.instruction(op, channels);
        if args > 0 {
            let from = self.passed(predefined::ARG);
            let reg = self.read(from, 0, args * self.grf());
            inst.srcs.push(Src::packed(reg, Type::Ud));
        }
        match (address, name) {
            (Some(address), _) => inst.srcs.push(address),
            (None, Some(name)) => inst.symbol = self.symbol(name, false).into(),
            (None, None) => return self.fail("a call of nothing"),
        }
        if results > 0 {
            let to = self.passed(predefined::RETVAL);
            let (reg, _) = self.write(to, 0, results * self.grf());
            inst.dst = Some(Dst::new(reg, 1, Type::Ud));
        }
        self.push(inst);
        Ok(())
    }

    /// Reads the results of a function, before its return.
    pub(super) fn results(&mut self) {
        let [_, results] = self.ir.object.passed_grfs();
        let mut inst = self.instruction(MachineOp::Results, Channels::SCALAR);
        if results > 0 {
            let from = self.passed(predefined::RETVAL);
            let reg = self.read(from, 0, results * self.grf());
            inst.srcs.push(Src::packed(reg, Type::Ud));
        }
        self.push(inst);
    }

    /// Defines the inputs of a subroutine: the return address, and a register for each parameter's cell.
    pub(super) fn enter_subroutine(&mut self) {
        let back = self.out.grf(RETURN_BYTES);
        self.routine.back = Some(back);
        self.out.inputs.push((back, None));
        for &(cell, value) in &self.routine.data.params {
            let v = self.passed_reg(cell);
            self.out.inputs.push((v, None));
            self.values[value] = v.into();
        }
    }

    /// Copies flags and addresses among the inputs of a subroutine to registers of their class.
    pub(super) fn unpack_inputs(&mut self) {
        for &(cell, value) in &self.routine.data.params {
            if let Some(v) = self.values[value].expand() {
                self.values[value] = self.unpacked(cell, v).into();
            }
        }
    }

    /// Returns from a subroutine, with a register for each result's cell.
    pub(super) fn leave_subroutine(&mut self) {
        let results: Vec<VReg> = (self.routine.data.results.iter())
            .map(|&(cell, value)| self.packed(cell, self.values[value].expand()))
            .collect();
        let mut inst = self.instruction(MachineOp::Return, Channels::SCALAR);
        if !results.is_empty() {
            inst.srcs.push(Src::packed(self.list(&results), Type::Ud));
        }
        if let Some(back) = self.routine.back {
            inst.srcs.push(Src::scalar(Reg::virt(back, 0), Type::Ud));
        }
        self.push(inst);
    }

    pub(super) fn call_routine(&mut self, inst: ir::Inst, callee: Routine) {
        self.current.inst = inst;
        let func = self.ir;
        let (reads, writes) = (func.reads(inst), func.writes(inst));
        let routine = &func.routines[callee];
        // Both lists are in the order of cells.
        let read = |cell: Cell| {
            let at = reads.binary_search_by_key(&cell, |read| read.cell).ok()?;
            Some(reads[at].value)
        };
        let written = |cell: Cell| {
            let at = writes
                .binary_search_by_key(&cell, |write| write.cell)
                .ok()?;
            Some(&writes[at])
        };
        let mut args: Vec<VReg> = Vec::with_capacity(routine.params.len());
        for &(cell, _) in &routine.params {
            let value = read(cell).or_else(|| written(cell)?.old.expand());
            let known = value.filter(|value| !value.is_undef());
            let v = known.and_then(|value| self.values[value].expand());
            args.push(self.packed(cell, v));
        }
        let results: Vec<VReg> = (routine.results.iter())
            .map(|&(cell, _)| self.passed_reg(cell))
            .collect();
        let mut call = self.instruction(
            MachineOp::CallRoutine(callee.as_u32() as u16),
            Channels {
                no_mask: false,
                ..Channels::all(self.ir.simd)
            },
        );
        if !args.is_empty() {
            call.srcs.push(Src::packed(self.list(&args), Type::Ud));
        }
        if !results.is_empty() && routine.exit.is_some() {
            call.dst = Some(Dst::new(self.list(&results), 1, Type::Ud));
        }
        self.push(call);
        for write in writes {
            let at = (routine.results.iter()).position(|&(cell, _)| cell == write.cell);
            let v = match at.filter(|_| routine.exit.is_some()) {
                Some(at) => self.unpacked(write.cell, results[at]),
                None => {
                    let v = self.cell_reg(write.cell);
                    self.undef(v)
                }
            };
            self.values[write.new] = v.into();
        }
    }

    fn list(&mut self, regs: &[VReg]) -> Reg {
        let list = self.out.lists.push(regs.iter().copied().collect());
        Reg::new(Base::List(list), 0)
    }

    /// A new general register for the contents of a cell.
    fn passed_reg(&mut self, cell: Cell) -> VReg {
        match self.ir.cells[cell].class {
            Class::Grf => self.cell_reg(cell),
            Class::Flag => self.out.grf(4),
            Class::Addr => self.out.grf(self.ir.cells[cell].size.next_multiple_of(4)),
        }
    }

    /// The contents of a cell in a general register, undefined if it has none.
    fn packed(&mut self, cell: Cell, v: Option<VReg>) -> VReg {
        let Some(v) = v else {
            let v = self.passed_reg(cell);
            return self.undef(v);
        };
        if self.out.regs[v].class == Class::Grf {
            return v;
        }
        let bytes = self.out.regs[v].bytes.into();
        self.copied(v, bytes, |select| select.passed_reg(cell))
    }

    /// The contents of a general register in one of the cell's class.
    fn unpacked(&mut self, cell: Cell, v: VReg) -> VReg {
        if self.ir.cells[cell].class == Class::Grf {
            return v;
        }
        let bytes = self.cell_bytes(cell);
        self.copied(v, bytes, |select| select.cell_reg(cell))
    }

    /// A copy of `bytes` bytes in new registers of another class.
    fn copied(&mut self, from: VReg, bytes: u32, new: impl Fn(&mut Self) -> VReg) -> VReg {
        let ty = if bytes == 4 { Type::Ud } else { Type::Uw };
        let mut old = Old::None;
        let mut to = from;
        for byte in (0..bytes).step_by(ty.bytes() as usize) {
            to = new(self);
            let mut mov = Inst::no_mask(Op::Mov, 1);
            mov.srcs.push(Src::scalar(Reg::virt(from, byte), ty));
            let mut dst = Dst::new(Reg::virt(to, byte), 1, ty);
            dst.old = old;
            mov.dst = Some(dst);
            self.push(mov);
            old = Old::Reg(to);
        }
        to
    }
}
