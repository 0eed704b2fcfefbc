//! Places of arguments and results of calls, and the size of private memory.

use crate::error::{Code, Diagnostic, Loc, Result};
use crate::ir::{Function, Module, Scalar, Type, TypeData};
use crate::passes::calls::MAX_PASSED;

/// Elements of `i1` in a dword.
pub const BITS: u32 = 32;

/// Places of arguments and results.
#[derive(Clone, Debug)]
pub struct Passed {
    /// Byte in `%arg` of each argument.
    pub args: Vec<u32>,
    pub arg_grfs: u32,
    /// Byte in `%retval` of each result.
    pub results: Vec<u32>,
    pub result_grfs: u32,
}

impl Passed {
    /// Places for these types; a structure as a result is a result for each member.
    ///
    /// # Errors
    /// Arguments or results do not fit into registers.
    pub fn of(module: &Module, grf: u32, args: &[Type], result: Type, loc: Loc) -> Result<Passed> {
        let results: Vec<Type> = match module.types.data(result) {
            TypeData::Void => Vec::new(),
            TypeData::Struct(fields, _) => fields.clone(),
            _ => vec![result],
        };
        let place = |list: &[Type], most: u32, what: &str| {
            let mut next = 0u64;
            let mut places = Vec::new();
            for ty in list {
                let Some((count, scalar)) = module.types.shape(*ty) else {
                    let name = module.types.name(*ty);
                    let message = format!("a value of type {name} is not passed");
                    return Err(Diagnostic::new(Code::Call, loc, message));
                };
                let bytes = match scalar {
                    Scalar::Int(1) => u64::from(count.div_ceil(BITS)) * 4,
                    scalar => u64::from(count) * u64::from(module.types.scalar_bytes(scalar)),
                };
                places.push((next * u64::from(grf)) as u32);
                next += bytes.div_ceil(grf.into()).max(1);
                if next > most.into() {
                    let message = format!("{what} take more than the {most} registers for them");
                    return Err(Diagnostic::new(Code::Call, loc, message));
                }
            }
            Ok((places, next as u32))
        };
        let (args, arg_grfs) = place(args, MAX_PASSED[0], "the arguments")?;
        let (results, result_grfs) = place(&results, MAX_PASSED[1], "the results")?;
        Ok(Passed {
            args,
            arg_grfs,
            results,
            result_grfs,
        })
    }

    /// Places of a function's parameters and result.
    ///
    /// # Errors
    /// Arguments or results do not fit into registers.
    pub fn of_function(module: &Module, grf: u32, function: &Function) -> Result<Passed> {
        let args: Vec<Type> = function.params.iter().map(|p| function.ty(*p)).collect();
        Passed::of(module, grf, &args, function.result, function.loc)
    }
}

/// Private memory of a thread.
pub struct Private {
    /// Bytes of the kernel's own part.
    pub own: u32,
    pub bytes: u32,
    /// True if functions that are called with a stack need a part.
    pub has_stack: bool,
}
