//! Calls with a stack: what is passed, and to whom.
//!
//! `%arg` and `%retval` are cells like those of other variables; a call reads the ones that it passes as
//! one list and makes those of the results. Allocation puts both where the convention wants them.
//! Calls of an address, and of functions that may be called so, are jumps that all active channels
//! take: such a function returns by a jump, too. All others are `call` and `ret`, which keep the
//! channels apart that are not for the call.

use kiln_frontend::module::{self as visa, Operand, predefined};
use kiln_ir::func::Home;
use kiln_machine::func::Address;
use kiln_machine::inst::{Dst, Inst, Opcode as MachineOp, Src, Symbol};
use kiln_target::isa::{Op, Type};

use super::alu::UNRESOLVED;
use super::operand::Storage;
use super::{Result, Select};

impl Select<'_, '_> {
    /// The symbol of that name, or of the upper half of its address.
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

    /// Where `%arg` or `%retval` is kept.
    fn passed(&self, var: u32) -> Storage {
        match self.ir.homes[visa::Var::from_u32(var)] {
            Home::Cells { first, .. } => Storage::Cells(first),
            _ => Storage::Null,
        }
    }

    pub(super) fn call(&mut self, visa: &visa::Inst) -> Result {
        let [args, results] = visa.passed_grfs().unwrap_or_default();
        let channels = self.channels(visa);
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
        // Code lies below 4 GiB: the low half is the address.
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

    /// What a function gives back, before its return.
    pub(super) fn results(&mut self) {
        let [_, results] = self.ir.object.passed_grfs();
        let mut inst = self.instruction(MachineOp::Results, super::Channels::SCALAR);
        if results > 0 {
            let from = self.passed(predefined::RETVAL);
            let reg = self.read(from, 0, results * self.grf());
            inst.srcs.push(Src::packed(reg, Type::Ud));
        }
        self.push(inst);
    }
}
