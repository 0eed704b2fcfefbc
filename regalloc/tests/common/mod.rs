//! From vISA text to an allocated program.

use kiln_emit::platform;
use kiln_frontend::module::Object;
use kiln_frontend::text;
use kiln_isel::lower::select;
use kiln_isel::mir::MFunc;
use kiln_regalloc::{AllocError, Allocated, Options, allocate};

/// Selects instructions for a kernel and lets `f` have them.
pub fn with_selected<T>(object: &Object, f: impl FnOnce(&MFunc) -> T) -> T {
    let func = kiln_ir::build::build(object).unwrap_or_else(|e| panic!("{}: {e}", object.name));
    let skl = platform::find("skl").expect("the platform of the tests");
    let selected = select(&func, skl).unwrap_or_else(|e| panic!("{}: {e}", object.name));
    f(&selected)
}

/// Allocates, with the proof that the allocation is right.
pub fn allocated(func: &MFunc, grf_limit: u32) -> Result<Allocated, AllocError> {
    allocate(
        func,
        &Options {
            grf_limit,
            check: true,
            scratch_base: 0,
        },
    )
}

/// A kernel's text in so many registers.
pub fn compile(source: &str, grf_limit: u32) -> Allocated {
    let module = text::parse(source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    with_selected(&module.objects[0], |func| {
        allocated(func, grf_limit).unwrap_or_else(|e| panic!("{e}\n{func}"))
    })
}
