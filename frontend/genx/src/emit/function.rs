//! Code of one function: places of its values, and the instructions of its blocks.

use cranelift_entity::{EntityRef, SecondaryMap};
use foldhash::fast::FixedState;
use kiln_platform::platform::Platform;
use kiln_visa::build::Builder;
use kiln_visa::module::{Label, Modifier, Type as VType, Var};
use kiln_visa::opcode::Opcode;
use std::collections::HashMap;

use super::assign::{Classes, assign};
use super::bale::{Bales, Fold, bale, is_alias};
use super::diverge::{self, Plan};
use super::object::{Object, padded_bytes};
use super::operand::{Dst, Elementwise, Layout, Src};
use super::parts::{self, Parts};
use super::payload::PayloadKey;
use super::places::Passed;
use super::predicates::Mask;
use super::value::uniform;
use crate::error::{Code, Diagnostic, Loc, Result};
use crate::intrinsics::{Kind, Sign};
use crate::ir::function::MAX_INSTS;
use crate::ir::{
    Block, Function, FunctionId, GlobalId, Inst, InstData, Module, Op, Scalar, Type, Value,
    ValueDef,
};
use crate::passes::calls::Calls;

/// Elements of eight bytes that a message sends or receives at least: it names as many registers.
const MIN_PAYLOAD: u32 = 8;

/// Place of a value.
#[derive(Clone, Debug, Default)]
pub enum Place {
    #[default]
    None,
    Var(Var),
    Mask(Mask),
}

/// Places of the parameters and the result of a subroutine, and its label.
#[derive(Clone, Debug)]
pub struct Signature {
    pub label: Label,
    pub params: Vec<Place>,
    pub result: Vec<Place>,
}

/// Facts and tables that the functions of one object share.
pub struct Shared<'a> {
    pub module: &'a Module,
    pub platform: &'static Platform,
    pub object: Object,
    pub subroutines: HashMap<FunctionId, Signature>,
    /// Variables of globals.
    pub globals: HashMap<GlobalId, Var>,
    /// Values that the launch gives: local ids, local size, group count, buffer of `printf`.
    pub implicit: [Option<Var>; 4],
    pub calls: &'a Calls,
    /// Address of the object's part of private memory, if it needs one, and where the frames of its functions are there.
    pub frame: Option<Var>,
    pub frames: HashMap<FunctionId, u32>,
    /// Addresses of globals in memory.
    pub addresses: HashMap<GlobalId, Address>,
    /// First byte of shared local memory that the kernel does not declare.
    pub local_start: u64,
    /// Instructions that the object may have.
    pub room: usize,
}

impl<'a> Shared<'a> {
    pub fn new(
        module: &'a Module,
        platform: &'static Platform,
        builder: Builder,
        calls: &'a Calls,
        room: usize,
    ) -> Shared<'a> {
        Shared {
            module,
            platform,
            object: Object::new(builder, platform.grf_bytes),
            subroutines: HashMap::new(),
            globals: HashMap::new(),
            implicit: [None; 4],
            calls,
            frame: None,
            frames: HashMap::new(),
            addresses: HashMap::new(),
            local_start: 0,
            room,
        }
    }
}

/// Address of a global.
#[derive(Clone, Copy, Debug)]
pub enum Address {
    /// Byte of the kernel's part of private memory.
    Frame(u32),
    /// Byte of shared local memory.
    Local(u32),
    /// The address of the variable's name, which the driver knows.
    Named,
}

/// A function whose code is made.
pub struct Emitter<'a, 's> {
    pub shared: &'s mut Shared<'a>,
    pub function: &'a Function,
    pub bales: Bales,
    pub classes: Classes,
    pub places: SecondaryMap<Value, Place>,
    /// Classes whose variables are parts of others.
    pub parts: Parts,
    /// Classes whose variables begin registers.
    pub payloads: SecondaryMap<Value, bool>,
    /// Variables of constants, valid in the current block.
    pub constants: HashMap<Value, Place, FixedState>,
    /// Payloads of messages that the current block has made.
    pub payloads_made: HashMap<PayloadKey, Var, FixedState>,
    pub labels: SecondaryMap<Block, Option<Label>>,
    /// Signature of the function, if it is a subroutine.
    pub signature: Option<Signature>,
    /// Places of arguments and results of a function that is called with a stack.
    pub passed: Option<Passed>,
    /// Offset of the function's frame in that of the object, in bytes.
    pub frame: u32,
    /// `cr0` of the caller, if the function has another mode of floats.
    pub caller_mode: Option<Src>,
    pub loc: Loc,
    pub inst: Option<Inst>,
    /// Divergent control flow that stays as it is.
    pub diverge: Option<Plan>,
    /// Blocks with code in their order.
    pub layout: Vec<Block>,
    /// Instructions of the object at the start of the block.
    pub before: u32,
}

impl<'a, 's> Emitter<'a, 's> {
    pub fn new(
        shared: &'s mut Shared<'a>,
        function: &'a Function,
        signature: Option<Signature>,
    ) -> Result<Self> {
        let bales = bale(shared.module, function);
        let classes = assign(shared.module, function, &bales);
        let diverge = match diverge::has(function) {
            true => Some(diverge::plan(shared.module, function, &bales.uses)?),
            false => None,
        };
        let mut emitter = Emitter {
            shared,
            function,
            bales,
            classes,
            places: SecondaryMap::new(),
            parts: Parts::new(),
            payloads: SecondaryMap::new(),
            constants: HashMap::default(),
            payloads_made: HashMap::default(),
            labels: SecondaryMap::new(),
            signature,
            passed: None,
            frame: 0,
            caller_mode: None,
            loc: function.loc,
            inst: None,
            diverge,
            layout: Vec::new(),
            before: 0,
        };
        emitter.check_types()?;
        let grf = emitter.shared.platform.grf_bytes;
        let Emitter { bales, classes, .. } = &emitter;
        emitter.parts = parts::find(emitter.shared.module, function, bales, classes, grf);
        emitter.find_payloads();
        Ok(emitter)
    }

    pub fn object(&mut self) -> &mut Object {
        &mut self.shared.object
    }

    pub fn error<T>(&self, code: Code, message: impl Into<String>) -> Result<T> {
        Err(Diagnostic::new(code, self.loc, message))
    }

    /// Error that an instruction is not supported as it is.
    pub fn unsupported<T>(&self, what: impl std::fmt::Display) -> Result<T> {
        self.error(Code::Instruction, format!("{what}: not supported"))
    }

    pub fn data(&self, inst: Inst) -> &'a InstData {
        &self.function.insts[inst]
    }

    /// Elements and their type.
    pub fn shape(&self, value: Value) -> Result<(u32, Scalar)> {
        self.shape_of(self.function.ty(value))
    }

    pub fn shape_of(&self, ty: Type) -> Result<(u32, Scalar)> {
        match self.shared.module.types.shape(ty) {
            Some(shape) => Ok(shape),
            None => {
                let name = self.shared.module.types.name(ty);
                self.error(
                    Code::Type,
                    format!("a value of type {name} is not supported here"),
                )
            }
        }
    }

    /// Type of vISA for an element.
    pub fn visa(&self, scalar: Scalar, sign: Sign) -> Result<VType> {
        let unsigned = sign == Sign::Unsigned;
        let pick = |signed, other| Ok(if unsigned { other } else { signed });
        match scalar {
            Scalar::Int(8) => pick(VType::B, VType::Ub),
            Scalar::Int(16) => pick(VType::W, VType::Uw),
            Scalar::Int(32) => pick(VType::D, VType::Ud),
            Scalar::Int(64) => pick(VType::Q, VType::Uq),
            Scalar::Half => Ok(VType::Hf),
            Scalar::Float => Ok(VType::F),
            Scalar::Double => Ok(VType::Df),
            Scalar::Ptr(_) => match self.shared.module.types.bits(scalar) {
                32 => Ok(VType::Ud),
                _ => Ok(VType::Uq),
            },
            Scalar::BFloat => Ok(VType::Uw),
            Scalar::Int(bits) => self.error(
                Code::Type,
                format!("integers of {bits} bits are not supported"),
            ),
        }
    }

    /// Refuses types that vISA or the platform has not.
    fn check_types(&mut self) -> Result<()> {
        let types = &self.shared.module.types;
        let platform = self.shared.platform;
        for &block in &self.function.order {
            for &inst in &self.function.blocks[block].insts {
                let data = self.data(inst);
                self.loc = data.loc;
                for value in data.args.iter().copied().chain(data.result) {
                    let Some((count, scalar)) = types.shape(self.function.ty(value)) else {
                        continue;
                    };
                    let fits = types.fits_a_value(count.into(), scalar);
                    fits.map_err(|fault| fault.at(self.loc))?;
                    if scalar == Scalar::Int(1) {
                        continue;
                    }
                    self.visa(scalar, Sign::Signed)?;
                    if scalar == Scalar::Double && !platform.fp64 {
                        return self.error(
                            Code::Platform,
                            format!("{} does not compute on doubles", platform.name),
                        );
                    }
                }
            }
        }
        Ok(())
    }

    /// Place of the class of a value; made when it is first asked for.
    pub fn place(&mut self, value: Value) -> Result<Place> {
        let root = self.classes.root(value);
        if let (Place::None, Some(part)) = (&self.places[root], self.parts[root]) {
            let whole = self.var(part.of)?;
            let (count, scalar) = self.shape(root)?;
            let ty = self.visa(scalar, Sign::Signed)?;
            let var = self.object().part(whole, ty, part.byte, count * ty.bytes());
            self.places[root] = Place::Var(var);
        }
        if let Place::None = self.places[root] {
            let mut place = self.new_place(self.function.ty(root))?;
            if let (true, Place::Var(var)) = (self.payloads[root], &mut place) {
                let (count, scalar) = self.shape(root)?;
                let ty = self.visa(scalar, Sign::Signed)?;
                if ty.bytes() == 8 && count < MIN_PAYLOAD {
                    *var = self.object().var(ty, MIN_PAYLOAD * ty.bytes());
                }
                self.object().begin_register(*var);
            }
            self.places[root] = place;
        }
        Ok(self.places[root].clone())
    }

    /// Gives a value its place.
    pub fn bind(&mut self, value: Value, place: Place) {
        let root = self.classes.root(value);
        self.places[root] = place;
    }

    /// Place for a value of a type.
    pub fn new_place(&mut self, ty: Type) -> Result<Place> {
        let (count, scalar) = self.shape_of(ty)?;
        if scalar == Scalar::Int(1) {
            return Ok(Place::Mask(self.object().mask(count)));
        }
        let visa = self.visa(scalar, Sign::Signed)?;
        let bytes = padded_bytes(count, visa.bytes());
        Ok(Place::Var(self.object().var(visa, bytes)))
    }

    /// Variable of a value that is not `i1`.
    pub fn var(&mut self, value: Value) -> Result<Var> {
        match self.place(value)? {
            Place::Var(var) => Ok(var),
            _ => self.error(Code::Mismatch, "a value that is not i1 is expected"),
        }
    }

    /// All of a value's variable as a destination.
    pub fn whole(&mut self, value: Value, sign: Sign) -> Result<Dst> {
        let (_, scalar) = self.shape(value)?;
        let ty = self.visa(scalar, sign)?;
        let var = self.var(value)?;
        let layout = Layout::contiguous(0, ty.bytes());
        Ok(Dst::Var { var, ty, layout })
    }

    /// A variable for an intermediate vector, and all of it as destination and source.
    pub fn temp(&mut self, ty: VType, count: u32) -> (Var, Dst, Src) {
        let var = self.object().var(ty, padded_bytes(count, ty.bytes()));
        let layout = Layout::contiguous(0, ty.bytes());
        let dst = Dst::var(var, ty, layout.clone());
        (var, dst, source(var, ty, layout))
    }

    /// Adds an operation.
    pub fn apply(&mut self, mut e: Elementwise) -> Result<()> {
        self.scalars(&mut e)?;
        if self.needs_halves(&e) {
            return self.by_halves(e);
        }
        match self.object().elementwise(e) {
            true => Ok(()),
            false => self.error(
                Code::Size,
                "an operand cannot be reached by its instruction",
            ),
        }
    }

    /// Lets the channels of an operation with three sources, none of which has an address, share one copy of a scalar.
    fn scalars(&mut self, e: &mut Elementwise) -> Result<()> {
        if e.srcs.len() < 3 || e.count == 1 {
            return Ok(());
        }
        for at in 0..e.srcs.len() {
            let Src::Indirect { ty, modifier, .. } = e.srcs[at] else {
                continue;
            };
            if e.srcs[at].is_uniform() {
                let (_, dst, scalar) = self.temp(ty, 1);
                let plain = e.srcs[at].clone().with(Modifier::None);
                self.copy(1, dst, plain)?;
                e.srcs[at] = uniform(scalar).with(modifier);
            }
        }
        Ok(())
    }

    /// Adds an operation on these operands without mask and saturation.
    pub fn alu(&mut self, op: Opcode, count: u32, dst: Dst, srcs: &[Src]) -> Result<()> {
        self.apply(elementwise(op, count, dst, srcs))
    }

    pub fn copy(&mut self, count: u32, dst: Dst, src: Src) -> Result<()> {
        self.alu(Opcode::Mov, count, dst, &[src])
    }

    /// Adds the code of all blocks.
    pub fn emit(&mut self) -> Result<()> {
        let function = self.function;
        for &block in &function.order {
            self.labels[block] = Some(self.object().builder.label(&format!("b{}", block.index())));
        }
        let copies = self.empty_blocks()?;
        let order: Vec<Block> = (function.order.iter().copied())
            .filter(|block| !copies.is_empty_block(*block))
            .collect();
        self.layout = order.clone();
        for (n, &block) in order.iter().enumerate() {
            self.constants.clear();
            self.payloads_made.clear();
            self.before = self.object().count;
            if n > 0
                && let Some(label) = self.labels[block]
            {
                self.object().builder.define(label);
            }
            let next = order.get(n + 1).copied();
            for &inst in &function.blocks[block].insts {
                self.inst = Some(inst);
                let data = self.data(inst);
                self.loc = data.loc;
                self.shared.object.loc = data.loc;
                let origin = self.shared.module.origin(data.dbg);
                (self.shared.object.file, self.shared.object.line) = match origin {
                    Some((file, line, _)) => (file, u32::try_from(line).unwrap_or(0)),
                    None => Default::default(),
                };
                if data.op.is_terminator() {
                    self.terminator(block, inst, next, &copies)?;
                } else {
                    self.instruction(inst)?;
                }
                if self.object().count as usize > self.shared.room {
                    let message = format!("the module becomes more than {MAX_INSTS} instructions");
                    return self.error(Code::Size, message);
                }
            }
        }
        let leaves = |block: &Block| function.successors(*block).is_empty();
        match self.layout.iter().any(leaves) {
            true => Ok(()),
            // Code that never ends has an end all the same.
            false => self.end(),
        }
    }

    fn instruction(&mut self, inst: Inst) -> Result<()> {
        if self.bales.fold[inst] != Fold::No {
            return Ok(());
        }
        let data = self.data(inst);
        let types = &self.shared.module.types;
        if let (Some(plan), Some(result)) = (&self.diverge, data.result)
            && (plan.masks[result] || plan.resumes[result])
        {
            return Ok(());
        }
        if let (Some(result), Some(arg)) = (data.result, data.args.first())
            && is_alias(types, self.function, inst)
        {
            if self.classes.root(result) == self.classes.root(*arg) {
                return Ok(());
            }
            return self.retyped(result, *arg);
        }
        match &data.op {
            Op::Phi | Op::ExtractValue(_) | Op::InsertValue(_) => Ok(()),
            Op::Call(callee) if self.is_stack_call(inst) => self.stack_call(inst, Some(*callee)),
            Op::Call(callee) => self.call(inst, *callee),
            Op::CallIndirect(_) => self.stack_call(inst, None),
            Op::Asm(asm) => self.inline(inst, asm),
            Op::Intrinsic(intrinsic) => self.intrinsic(inst, intrinsic.kind()),
            Op::InsertElement => self.insert_element(inst),
            Op::ExtractElement => self.extract_element(inst),
            Op::Shuffle(mask) => self.shuffle(inst, mask),
            _ => match data.result {
                Some(result) if types.is_bool(data.ty) => self.bools(inst, result),
                Some(result) => {
                    let dst = self.whole(result, Sign::Signed)?;
                    self.compute(inst, dst, None, false)
                }
                None => self.unsupported("an instruction"),
            },
        }
    }

    /// Copies a value into that of another type with the same bits.
    fn retyped(&mut self, result: Value, arg: Value) -> Result<()> {
        let (count, scalar) = self.shape(result)?;
        if scalar == Scalar::Int(1) {
            let (to, from) = (self.place(result)?, self.mask(arg)?);
            return match to {
                Place::Mask(to) => self.copy_mask(&to, &from),
                _ => self.unsupported("a conversion"),
            };
        }
        let (from_count, from) = self.shape(arg)?;
        if let Some(bits) = super::bale::uniform(self.function, arg)
            && from_count != count
            && bits != 0
        {
            let ty = self.visa(from, Sign::Unsigned)?;
            let var = self.var(result)?;
            let layout = Layout::contiguous(0, ty.bytes());
            return self.copy(
                from_count,
                Dst::Var { var, ty, layout },
                Src::Imm { ty, bits },
            );
        }
        let ty = self.visa(from, Sign::Unsigned)?;
        let src = self.source(arg, Sign::Unsigned)?;
        let var = self.var(result)?;
        let layout = Layout::contiguous(0, ty.bytes());
        self.copy(from_count, Dst::Var { var, ty, layout }, src)
    }

    /// The vISA variable of a global.
    fn global(&self, pointer: Value) -> Result<Var> {
        let found = match self.function.values[pointer].def {
            ValueDef::Global(id) => self.shared.globals.get(&id).copied(),
            _ => None,
        };
        match found {
            Some(var) => Ok(var),
            None => self.error(Code::Memory, "this access of memory is not supported"),
        }
    }

    fn load_global(&mut self, pointer: Value, result: Value) -> Result<()> {
        let var = self.global(pointer)?;
        let (count, scalar) = self.shape(result)?;
        let ty = self.visa(scalar, Sign::Signed)?;
        let dst = self.whole(result, Sign::Signed)?;
        self.copy(
            count,
            dst,
            source(var, ty, Layout::contiguous(0, ty.bytes())),
        )
    }

    fn store_global(&mut self, inst: Inst) -> Result<()> {
        let args = &self.data(inst).args;
        let (value, pointer) = (args[0], args[1]);
        let var = self.global(pointer)?;
        let (count, scalar) = self.shape(value)?;
        let ty = self.visa(scalar, Sign::Signed)?;
        let src = self.source(value, Sign::Signed)?;
        let layout = Layout::contiguous(0, ty.bytes());
        self.copy(count, Dst::Var { var, ty, layout }, src)
    }

    fn intrinsic(&mut self, inst: Inst, kind: Kind) -> Result<()> {
        let data = self.data(inst);
        match (kind, data.result) {
            (Kind::WriteRegion, Some(result)) => self.write_region(inst, result),
            (Kind::ReadRegion, Some(result)) => self.read_region(inst, result),
            (Kind::Message(message), _) => self.message(inst, message),
            (Kind::Lsc(message), _) => self.lsc(inst, &message),
            (Kind::LscBlock(action), _) => self.lsc_matrix(inst, action),
            (Kind::LscTyped(action), _) => self.lsc_typed(inst, action),
            (Kind::LscTypedBlock(action), _) => self.lsc_typed_block(inst, action),
            (Kind::LscFence, _) => self.lsc_fence(inst),
            (Kind::Sampler(op), _) => self.sampler_3d(inst, op),
            (Kind::Systolic(product), Some(result)) => self.systolic(inst, result, &product),
            (Kind::Atomic(family, op, sources), Some(result)) => {
                self.atomic(inst, result, family, op, sources)
            }
            (
                Kind::RawSend {
                    split,
                    full,
                    result,
                },
                _,
            ) => self.raw_send(inst, split, full, result),
            (
                Kind::Barrier
                | Kind::SplitBarrier
                | Kind::Fence
                | Kind::CacheFlush
                | Kind::Yield
                | Kind::SlmInit,
                _,
            ) => self.synchronize(inst, kind),
            (Kind::Load, Some(result)) => self.load_global(data.args[0], result),
            (Kind::Store, _) => self.store_global(inst),
            // The end of the block has them.
            (Kind::Goto | Kind::Join, _) => Ok(()),
            (Kind::WithCarry(op), _) => self.with_carry(inst, op),
            (Kind::WideMad(sign, false), _) => self.wide_mad(inst, sign, None),
            (Kind::WideMad(sign, true), Some(result)) => self.wide_mad(inst, sign, Some(result)),
            (Kind::ReadRegister, Some(result)) => self.read_register(inst, result),
            (Kind::WriteRegister, result) => self.write_register(inst, result),
            (Kind::SetStackTop, _) => {
                let top = self.source(data.args[0], Sign::Unsigned)?;
                self.set_stack_top(top)
            }
            (_, Some(result)) if self.shared.module.types.is_bool(data.ty) => {
                self.bools(inst, result)
            }
            (_, Some(result)) => {
                let dst = self.whole(result, Sign::Signed)?;
                self.compute(inst, dst, None, false)
            }
            _ => self.unsupported("an intrinsic"),
        }
    }
}

/// Source of a variable's elements.
pub fn source(var: Var, ty: VType, layout: Layout) -> Src {
    Src::Var {
        var,
        ty,
        layout,
        modifier: kiln_visa::module::Modifier::None,
    }
}

/// Operation without mask and saturation.
pub fn elementwise(op: Opcode, count: u32, dst: Dst, srcs: &[Src]) -> Elementwise {
    Elementwise {
        op,
        lead: None,
        tail: None,
        count,
        dst,
        srcs: srcs.iter().cloned().collect(),
        mask: None,
        saturate: false,
        most: 32,
    }
}

/// Immediate of a type.
pub fn imm(ty: VType, bits: u64) -> Src {
    Src::Imm { ty, bits }
}
