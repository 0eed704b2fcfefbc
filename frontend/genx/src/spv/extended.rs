//! Instructions of other sets: the functions of OpenCL C, and debug information.

use smallvec::{SmallVec, smallvec};
use smol_str::SmolStr;
use spirv::{NonsemanticShaderDebuginfo100Op as Info, OpenclStd100Op as Std};

use super::Reader;
use super::body::Body;
use crate::error::{Code, Result};
use crate::ir::{
    BinaryOp, CastOp, Function, FunctionId, Op as IrOp, Scalar, Types, Value, atomics, rules,
};

/// A set of instructions.
#[derive(Clone)]
pub(super) enum Set {
    OpenCl,
    /// Debug information, of which source lines are kept.
    Debug,
    /// Nothing else has a meaning that a compiler must keep.
    NonSemantic,
    Other(SmolStr),
}

/// The set of a name.
pub(super) fn set(name: &str) -> Set {
    match name {
        "OpenCL.std" => Set::OpenCl,
        "SPIRV.debug" | "OpenCL.DebugInfo.100" => Set::NonSemantic,
        name if name.starts_with("NonSemantic.Shader.DebugInfo") => Set::Debug,
        name if name.starts_with("NonSemantic.") => Set::NonSemantic,
        name => Set::Other(name.into()),
    }
}

impl Reader<'_> {
    /// Reads an instruction of another set in the module.
    pub(super) fn debug_inst(&mut self) -> Result<()> {
        let id = self.op(1)?;
        match self.sets.get(&self.op(2)?) {
            Some(Set::Debug | Set::NonSemantic) => {}
            _ => return Err(self.fail("an instruction outside of functions")),
        }
        if self.op(3)? == Info::DebugSource as u32
            && let Some(file) = self.strings.get(&self.op(4)?)
        {
            self.lines.sources.insert(id, file.clone());
        }
        Ok(())
    }

    /// Reads an instruction of another set in a function.
    pub(super) fn extended(&mut self, body: &mut Body) -> Result<()> {
        let number = self.op(3)?;
        match self.sets.get(&self.op(2)?).cloned() {
            Some(Set::NonSemantic) => Ok(()),
            Some(Set::Debug) => self.debug_line(number),
            Some(Set::OpenCl) => match Std::from_u32(number) {
                Some(function) => self.function_of_c(body, function),
                None => Err(self.fail(format!("no function has number {number}"))),
            },
            Some(Set::Other(name)) => {
                let message = format!("instructions of {name} are not supported");
                Err(self.refused(Code::Instruction, message))
            }
            None => Err(self.fail("no set of instructions has this number")),
        }
    }

    /// File, first line, last line, first column.
    fn debug_line(&mut self, number: u32) -> Result<()> {
        match Info::from_u32(number) {
            Some(Info::DebugLine) => {
                let file = self.lines.sources.get(&self.op(4)?).cloned();
                let number = |n: u32| u32::try_from(self.plain_number(n)?).ok();
                let (line, column) = (number(self.op(5)?), number(self.op(7)?));
                self.set_line(
                    file.unwrap_or_default(),
                    line.unwrap_or(0),
                    column.unwrap_or(0),
                );
            }
            Some(Info::DebugNoLine) => self.lines.here = None,
            _ => {}
        }
        Ok(())
    }

    /// A function of OpenCL C.
    fn function_of_c(&mut self, body: &mut Body, function: Std) -> Result<()> {
        let args = self.values(body, 4)?;
        let name = format!("{function:?}");
        if let Some(name) = rules::spirv_intrinsic(&name) {
            return self.finish_intrinsic(body, name, args);
        }
        match (function, &args[..]) {
            (Std::prefetch, _) => Ok(()),
            (Std::printf, _) => {
                let id = self.printing();
                let result = self.ty(self.op(0)?)?;
                self.finish(body, rules::data(IrOp::Call(id), args, result))
            }
            (Std::s_mul_hi | Std::u_mul_hi, &[a, b]) => {
                let high = self.high_half(body, function, a, b)?;
                self.alias(body, high)
            }
            (Std::s_mad_hi | Std::u_mad_hi, &[a, b, c]) => {
                let high = self.high_half(body, function, a, b)?;
                self.finish_of(body, IrOp::Binary(BinaryOp::Add), smallvec![high, c])
            }
            (Std::u_abs, &[value]) => self.alias(body, value),
            (Std::bitselect, &[a, b, mask]) => self.bits_selected(body, a, b, mask),
            _ => {
                let message = format!("function {function:?} of OpenCL C is not supported");
                Err(self.refused(Code::Intrinsic, message))
            }
        }
    }

    /// The declaration of the function that prints.
    pub(super) fn printing(&mut self) -> FunctionId {
        const NAME: &str = "printf";
        let module = &mut self.module;
        let known = module.functions.iter();
        let mut known = known.filter(|(_, f)| f.name == NAME && f.is_declaration() && f.variadic);
        if let Some((id, _)) = known.next() {
            return id;
        }
        let mut function = Function::new(NAME.into(), Types::I32);
        function.variadic = true;
        module.functions.push(function)
    }

    /// Adds an intrinsic with a result of the type of its first operand.
    pub(super) fn intrinsic(
        &mut self,
        body: &mut Body,
        name: &str,
        args: SmallVec<[Value; 3]>,
    ) -> Result<Value> {
        let op = self.placed(atomics::op(name))?;
        let ty = body.function.ty(args[0]);
        self.value_of(body, op, args, ty)
    }

    /// Upper half of a product.
    fn high_half(&mut self, body: &mut Body, function: Std, a: Value, b: Value) -> Result<Value> {
        let ty = body.function.ty(a);
        let types = &mut self.module.types;
        let (Some(Scalar::Int(bits)), count) = (types.element(ty), types.count(ty)) else {
            return Err(self.refused(Code::Mismatch, "integers are expected"));
        };
        let wide = types.shaped(count, Scalar::Int(2 * bits));
        let extend = match function {
            Std::s_mul_hi | Std::s_mad_hi => CastOp::SExt,
            _ => CastOp::ZExt,
        };
        let a = self.value_of(body, IrOp::Cast(extend), smallvec![a], wide)?;
        let b = self.value_of(body, IrOp::Cast(extend), smallvec![b], wide)?;
        let product = IrOp::Binary(BinaryOp::Mul);
        let product = self.value_of(body, product, smallvec![a, b], wide)?;
        let shift = self.filled(body, wide, bits.into())?;
        let high = IrOp::Binary(BinaryOp::LShr);
        let high = self.value_of(body, high, smallvec![product, shift], wide)?;
        self.value_of(body, IrOp::Cast(CastOp::Trunc), smallvec![high], ty)
    }

    /// The bits of the second number where the mask has ones, else those of the first.
    fn bits_selected(&mut self, body: &mut Body, a: Value, b: Value, mask: Value) -> Result<()> {
        let ty = body.function.ty(a);
        let types = &mut self.module.types;
        let Some((_, scalar)) = types.shape(ty) else {
            return Err(self.refused(Code::Mismatch, "numbers are expected"));
        };
        let (bits, count) = (types.bits(scalar), types.count(ty));
        let whole = types.shaped(count, Scalar::Int(bits));
        let mut parts = SmallVec::<[Value; 3]>::new();
        for value in [a, b, mask] {
            let cast = IrOp::Cast(CastOp::BitCast);
            parts.push(match body.function.ty(value) == whole {
                true => value,
                false => self.value_of(body, cast, smallvec![value], whole)?,
            });
        }
        let [xor, and] = [BinaryOp::Xor, BinaryOp::And].map(IrOp::Binary);
        let differ = self.value_of(body, xor.clone(), smallvec![parts[0], parts[1]], whole)?;
        let changed = self.value_of(body, and, smallvec![differ, parts[2]], whole)?;
        if ty == whole {
            return self.finish_of(body, xor, smallvec![parts[0], changed]);
        }
        let chosen = self.value_of(body, xor, smallvec![parts[0], changed], whole)?;
        self.finish_of(body, IrOp::Cast(CastOp::BitCast), smallvec![chosen])
    }
}
