//! Steps of the passes that are more than a call of another crate, by stage.

pub mod allocate;
pub mod emit;
pub mod select;

use kiln_regalloc::AllocError;

use crate::failure::CompileError;
use crate::stages::Shared;

fn scratch_exceeded(shared: &Shared) -> CompileError {
    let error = AllocError::Scratch {
        func: shared.source.name.to_string(),
        limit: shared.options.platform.scratch_bytes,
    };
    error.into()
}
