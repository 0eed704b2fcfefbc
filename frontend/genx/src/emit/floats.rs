//! How floats are rounded, and which denormals are kept.
//!
//! A kernel begins with `cr0` zero: floats are rounded to the nearest, and denormals are zero. LLVM keeps them, so that a
//! kernel which computes floats asks for that, unless an attribute says what it asks for. A function that has the attribute
//! has its mode until it returns.

use kiln_visa::module::{Type as VType, Var, predefined};
use kiln_visa::opcode::Opcode;

use super::function::{Emitter, imm, source};
use super::operand::{Dst, Layout, Src};
use crate::error::{Code, Diagnostic, Result};
use crate::intrinsics::Kind;
use crate::ir::{CastOp, Function, FunctionId, InstData, Module, Op};

/// Names of the attribute in the two dialects.
const ATTRIBUTES: [&str; 2] = ["CMFloatControl", "VCFloatControl"];

/// Bits of `cr0` that keep denormals: of doubles, singles and halves.
const DENORMALS: u32 = 1 << 6 | 1 << 7 | 1 << 10;

/// Bits of `cr0` that the attribute sets: denormals, and the mode of rounding.
const MODE: u32 = DENORMALS | 3 << 4;

/// Bits of `cr0` that a function asks for by its attribute.
fn asked(function: &Function) -> Result<Option<u32>> {
    let mut values = ATTRIBUTES
        .iter()
        .filter_map(|name| Some((name, Module::attr(&function.attrs, name)?)));
    let Some((name, value)) = values.next() else {
        return Ok(None);
    };
    let parsed = match value.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => value.parse(),
    };
    match parsed {
        Ok(bits) => Ok(Some(bits & MODE)),
        Err(_) => {
            let message = format!("\"{name}\" is no number: {value}");
            Err(Diagnostic::new(Code::Kernel, function.loc, message))
        }
    }
}

/// True for an instruction whose result depends on the mode.
fn computes(module: &Module, function: &Function, data: &InstData) -> bool {
    let types = &module.types;
    let float =
        types.is_float(data.ty) || (data.args.iter()).any(|arg| types.is_float(function.ty(*arg)));
    float
        && match &data.op {
            Op::Binary(_) | Op::FNeg | Op::FCmp(_) | Op::Select => true,
            Op::Cast(cast) => *cast != CastOp::BitCast,
            Op::Intrinsic(intrinsic) => !matches!(
                intrinsic.kind(),
                Kind::ReadRegion
                    | Kind::WriteRegion
                    | Kind::Message(_)
                    | Kind::Lsc(_)
                    | Kind::LscBlock(_)
                    | Kind::LscTyped(_)
                    | Kind::LscTypedBlock(_)
                    | Kind::Sampler(_)
                    | Kind::Atomic(..)
                    | Kind::Ordered(_)
                    | Kind::RawSend { .. }
                    | Kind::Load
                    | Kind::Store
            ),
            _ => false,
        }
}

/// `cr0` as destination and source.
fn control() -> (Dst, Src) {
    let (var, ty, layout) = (Var::from_u32(predefined::CR0), VType::Ud, Layout::same(0));
    let dst = Dst::var(var, ty, layout.clone());
    (dst, source(var, ty, layout))
}

impl Emitter<'_, '_> {
    /// The mode at the start of a kernel that may reach these functions.
    pub fn begin_mode(&mut self, functions: &[FunctionId]) -> Result<()> {
        let module = self.shared.module;
        let bits = match asked(self.function)? {
            Some(bits) => bits,
            None => {
                let used = functions.iter().any(|id| {
                    let function = &module.functions[*id];
                    let insts = function
                        .order
                        .iter()
                        .flat_map(|b| &function.blocks[*b].insts);
                    (insts.map(|inst| &function.insts[*inst]))
                        .any(|data| computes(module, function, data))
                });
                if used { DENORMALS } else { 0 }
            }
        };
        if bits == 0 {
            return Ok(());
        }
        let (to, now) = control();
        self.alu(Opcode::Or, 1, to, &[now, imm(VType::Ud, bits.into())])
    }

    /// The mode of a function that has an attribute for it; the caller's is put aside.
    pub fn enter_mode(&mut self) -> Result<()> {
        let Some(bits) = asked(self.function)? else {
            return Ok(());
        };
        let (to, now) = control();
        let (_, kept, caller) = self.temp(VType::Ud, 1);
        self.copy(1, kept, now.clone())?;
        let others = imm(VType::Ud, u64::from(!MODE));
        self.alu(Opcode::And, 1, to.clone(), &[now.clone(), others])?;
        self.alu(Opcode::Or, 1, to, &[now, imm(VType::Ud, bits.into())])?;
        self.caller_mode = Some(caller);
        Ok(())
    }

    /// The caller's mode again, before a function returns.
    pub fn leave_mode(&mut self) -> Result<()> {
        match self.caller_mode.clone() {
            Some(mode) => self.copy(1, control().0, mode),
            None => Ok(()),
        }
    }
}
