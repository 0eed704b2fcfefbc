//! Calls with a stack: arguments in `%arg`, results in `%retval`, each from the start of a register on.
//!
//! A vector of `i1` is passed in the bits of dwords. `%sp` is the end of the used part of the thread's private memory.

use kiln_platform::platform::MessageFamily;
use kiln_visa::module::{Exec, Operand, PredUse, Type as VType, Var, predefined};
use kiln_visa::opcode::Opcode;

use super::function::{Address, Emitter, Place, imm, source};
use super::lsc::Target;
use super::operand::{Dst, Layout, Src};
use super::places::{Passed, Private};
use crate::error::{Code, Loc, Result};
use crate::intrinsics::Sign;
use crate::ir::{FunctionId, GlobalId, Inst, Module, Op, Scalar, Type, TypeData, Types, Value};

/// Channels of calls and returns: all that a thread can begin with, so that every channel calls and returns.
pub const CHANNELS: u8 = 32;
/// Bytes of a block of memory.
const OWORD: usize = 16;
/// Blocks that one message stores at most.
const MOST_OWORDS: usize = 8;

/// Name of a function in vISA.
pub fn name(module: &Module, id: FunctionId) -> String {
    let name = &module.functions[id].name;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        return name.to_string();
    }
    let mut number = id.as_u32();
    loop {
        let made = format!("function_{number}");
        if !module.function_names.contains_key(made.as_str()) {
            return made;
        }
        number += module.functions.len() as u32;
    }
}

impl Emitter<'_, '_> {
    /// Puts a value into `%arg` or `%retval`.
    fn pass(&mut self, value: Value, to: u32, byte: u32) -> Result<()> {
        if self.function.is_undef(value) {
            return Ok(());
        }
        let var = Var::from_u32(to);
        let (count, scalar) = self.shape(value)?;
        if scalar == Scalar::Int(1) {
            let mask = self.mask(value)?;
            for part in 0..mask.parts.len() {
                let bits = self.bits(&mask, part)?;
                let layout = Layout::same(byte + 4 * part as u32);
                self.copy(1, Dst::var(var, VType::Ud, layout), bits)?;
            }
            return Ok(());
        }
        let ty = self.visa(scalar, Sign::Signed)?;
        let src = self.source(value, Sign::Signed)?;
        let layout = Layout::contiguous(byte, ty.bytes());
        self.copy(count, Dst::Var { var, ty, layout }, src)
    }

    /// Takes a value from `%arg` or `%retval`.
    fn take(&mut self, value: Value, from: u32, byte: u32) -> Result<()> {
        let var = Var::from_u32(from);
        match self.place(value)? {
            Place::Mask(mask) => {
                for (part, pred) in (0..).zip(mask.parts.clone()) {
                    let bits = self.object().scalar(var, VType::Ud, byte + 4 * part);
                    let width = super::predicates::channels(mask.width(part as usize));
                    let to = Operand::Predicate(PredUse::of(pred));
                    self.object()
                        .inst(Opcode::Setp, super::object::exec(width), [to, bits]);
                }
                Ok(())
            }
            _ => {
                let (count, scalar) = self.shape(value)?;
                let ty = self.visa(scalar, Sign::Signed)?;
                let dst = self.whole(value, Sign::Signed)?;
                self.copy(
                    count,
                    dst,
                    source(var, ty, Layout::contiguous(byte, ty.bytes())),
                )
            }
        }
    }

    /// Takes the arguments at the start of a function, and the part of private memory that it needs.
    pub fn enter(&mut self, passed: &Passed, frame: u32) -> Result<()> {
        for (param, byte) in self.function.params.iter().zip(&passed.args) {
            if !self.bales.uses[*param].is_empty() {
                self.take(*param, predefined::ARG, *byte)?;
            }
        }
        if let Some(base) = self.shared.frame {
            let kept = Dst::var(base, VType::Uq, Layout::same(0));
            self.copy(1, kept, stack_top())?;
            let frame = imm(VType::Ud, frame.into());
            self.alu(Opcode::Add, 1, new_stack_top(), &[stack_top(), frame])?;
        }
        self.passed = Some(passed.clone());
        Ok(())
    }

    /// Begins a kernel's part of private memory with the initializers of globals in it; the stack follows.
    pub fn begin_private(
        &mut self,
        all: Var,
        private: &Private,
        used: &[(GlobalId, Loc)],
    ) -> Result<()> {
        let Some(base) = self.shared.frame else {
            return Ok(());
        };
        let whole = Layout::same(0);
        let of = |var| Dst::var(var, VType::Uq, Layout::same(0));
        let thread = source(Var::from_u32(predefined::HW_ID), VType::Ud, whole.clone());
        let (_, to, offset) = self.temp(VType::Ud, 1);
        let shift = imm(VType::Ud, private.bytes.trailing_zeros().into());
        self.alu(Opcode::Shl, 1, to, &[thread, shift])?;
        let start = source(all, VType::Uq, whole.clone());
        self.alu(Opcode::Add, 1, of(base), &[start, offset])?;
        if private.has_stack {
            let own = source(base, VType::Uq, whole);
            let size = imm(VType::Ud, private.own.into());
            self.alu(Opcode::Add, 1, new_stack_top(), &[own, size])?;
            self.copy(1, of(Var::from_u32(predefined::FP)), stack_top())?;
        }
        for (id, _) in used {
            let global = &self.shared.module.globals[*id];
            if let (Some(Address::Frame(at)), Some(init)) =
                (self.shared.addresses.get(id).copied(), &global.init)
            {
                self.write_data(at, init, &global.functions)?;
            }
        }
        Ok(())
    }

    /// Stores constant data in the kernel's part of private memory.
    fn write_data(&mut self, at: u32, data: &[u8], functions: &[(u32, FunctionId)]) -> Result<()> {
        let mut done = 0;
        while done < data.len() {
            let left = (data.len() - done).div_ceil(OWORD);
            let owords = (1usize << left.ilog2()).min(MOST_OWORDS);
            let mut words = vec![0u64; 4 * owords];
            for (i, byte) in data[done..].iter().take(OWORD * owords).enumerate() {
                words[i / 4] |= u64::from(*byte) << (8 * (i % 4));
            }
            let var = self.object().block(VType::Ud, (OWORD * owords) as u32);
            self.fill(var, VType::Ud, &words)?;
            let within = done as u32..(done + OWORD * owords) as u32;
            for (byte, id) in functions.iter().filter(|(byte, _)| within.contains(byte)) {
                self.write_function(var, byte - within.start, *id)?;
            }
            let place = at + done as u32;
            done += OWORD * owords;
            let address = self.address_in_frame(place)?;
            if self.shared.platform.memory == MessageFamily::LoadStore {
                let at = self.object().block(VType::Uq, VType::Uq.bytes());
                let to = Dst::var(at, VType::Uq, Layout::same(0));
                self.copy(1, to, address)?;
                self.lsc_dwords(
                    &Target::STATELESS,
                    true,
                    (at, 0),
                    var.raw(0),
                    4 * owords as u32,
                );
                continue;
            }
            let Src::Var { var: address, .. } = address else {
                return Ok(());
            };
            let operands = [
                Operand::Field(owords.trailing_zeros()),
                self.object().scalar(address, VType::Uq, 0),
                var.raw(0),
            ];
            self.object().inst(Opcode::SvmBlockSt, Exec::NONE, operands);
        }
        Ok(())
    }

    /// Sets the top of the stack in private memory.
    pub fn set_stack_top(&mut self, top: Src) -> Result<()> {
        self.copy(1, new_stack_top(), top)
    }

    /// Returns from a function that was called with a stack.
    pub fn leave(&mut self, passed: &Passed, value: Option<Value>) -> Result<()> {
        if let Some(value) = value {
            let is_struct = matches!(
                self.shared.module.types.data(self.function.ty(value)),
                TypeData::Struct(..)
            );
            for (number, byte) in (0..).zip(&passed.results) {
                let part = match is_struct {
                    true => self.member(value, number),
                    false => Some(value),
                };
                if let Some(part) = part {
                    self.pass(part, predefined::RETVAL, *byte)?;
                }
            }
        }
        if let Some(base) = self.shared.frame {
            self.set_stack_top(source(base, VType::Uq, Layout::same(0)))?;
        }
        self.leave_mode()?;
        self.object()
            .inst(Opcode::FRet, Exec::channels(CHANNELS), []);
        Ok(())
    }

    /// A call with a stack, of a function or of the address that is the first operand.
    pub fn stack_call(&mut self, inst: Inst, callee: Option<FunctionId>) -> Result<()> {
        let data = self.data(inst);
        let args = match callee {
            Some(_) => &data.args[..],
            None => &data.args[1..],
        };
        let module = self.shared.module;
        let types: Vec<Type> = args.iter().map(|arg| self.function.ty(*arg)).collect();
        let passed = Passed::of(module, self.shared.object.grf, &types, data.ty, data.loc)?;
        if let Some(callee) = callee {
            let function = &module.functions[callee];
            let params = function.params.iter().map(|p| function.ty(*p));
            let result = function.result;
            if !params.eq(types) || (result != data.ty && result != Types::VOID) {
                return self.error(Code::Mismatch, "the call has other types than its function");
            }
        }
        let external = callee.filter(|id| module.functions[*id].is_declaration());
        let address = match (callee, external) {
            (_, Some(id)) => {
                let var = self.address_of_function(id);
                Some(self.object().scalar(var, VType::Ud, 0))
            }
            (Some(_), None) => None,
            (None, None) => {
                let src = self.scalar(data.args[0], Sign::Unsigned)?;
                let (var, dst, _) = self.temp(VType::Ud, 1);
                let known = matches!(src, Src::Imm { .. });
                Some(match known {
                    // The address must be in a register.
                    true => {
                        self.copy(1, dst, src)?;
                        self.object().scalar(var, VType::Ud, 0)
                    }
                    false => self.scalar_operand(data.args[0], VType::Ud)?,
                })
            }
        };
        for (arg, byte) in args.iter().zip(&passed.args) {
            self.pass(*arg, predefined::ARG, *byte)?;
        }
        let sizes = [passed.arg_grfs, passed.result_grfs].map(Operand::Field);
        let [arg_size, result_size] = sizes;
        let exec = Exec::channels(CHANNELS);
        match (address, callee) {
            (Some(address), _) => {
                let flags = Operand::Field(0);
                self.object().inst(
                    Opcode::IfCall,
                    exec,
                    [address, arg_size, result_size, flags],
                );
            }
            (None, Some(callee)) => {
                let name = Operand::Name(Box::new(name(module, callee).as_str().into()));
                self.object()
                    .inst(Opcode::FCall, exec, [name, arg_size, result_size]);
            }
            (None, None) => {}
        }
        let Some(result) = data.result else {
            return Ok(());
        };
        if !matches!(module.types.data(data.ty), TypeData::Struct(..)) {
            if self.bales.uses[result].is_empty() {
                return Ok(());
            }
            return self.take(result, predefined::RETVAL, 0);
        }
        for (number, member) in self.members(inst) {
            if let Some(byte) = passed.results.get(number as usize) {
                self.take(member, predefined::RETVAL, *byte)?;
            }
        }
        Ok(())
    }

    /// The address of a function, which the loader knows.
    pub fn function_address(&mut self, id: FunctionId, value: Value) -> Result<Var> {
        if let Some(Place::Var(var)) = self.constants.get(&value) {
            return Ok(*var);
        }
        let var = self.address_of_function(id);
        self.constants.insert(value, Place::Var(var));
        Ok(var)
    }

    /// The address of a variable that the loader places.
    pub fn address_of_variable(&mut self, id: GlobalId, value: Value) -> Var {
        if let Some(Place::Var(var)) = self.constants.get(&value) {
            return *var;
        }
        let name = self.shared.module.globals[id].name.clone();
        let var = self.address_of_name(&name);
        self.constants.insert(value, Place::Var(var));
        var
    }

    /// Writes the address of a function at a byte of a variable.
    pub fn write_function(&mut self, var: Var, byte: u32, id: FunctionId) -> Result<()> {
        let address = self.address_of_function(id);
        let halves = |byte| Layout::contiguous(byte, VType::Ud.bytes());
        let to = Dst::var(var, VType::Ud, halves(byte));
        self.copy(2, to, source(address, VType::Ud, halves(0)))
    }

    fn address_of_function(&mut self, id: FunctionId) -> Var {
        let name = name(self.shared.module, id);
        self.address_of_name(&name)
    }

    /// The address of a name.
    fn address_of_name(&mut self, name: &str) -> Var {
        let var = self.object().var(VType::Uq, VType::Uq.bytes());
        let name = Operand::Name(Box::new(name.into()));
        let to = self.object().element(var, VType::Uq, 0);
        self.object().inst(Opcode::Faddr, Exec::NONE, [name, to]);
        var
    }

    /// True if an instruction calls a function of another object.
    pub fn is_stack_call(&self, inst: Inst) -> bool {
        match self.data(inst).op {
            Op::Call(callee) => self.shared.calls.stack[callee],
            Op::CallIndirect(_) => true,
            _ => false,
        }
    }
}

/// The top of the stack in private memory.
pub fn stack_top() -> Src {
    source(Var::from_u32(predefined::SP), VType::Uq, Layout::same(0))
}

/// The top of the stack, to be set.
pub fn new_stack_top() -> Dst {
    Dst::var(Var::from_u32(predefined::SP), VType::Uq, Layout::same(0))
}
