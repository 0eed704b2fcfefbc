//! Modules of vISA, and the programs compiled from them.

use std::ffi::{CString, c_char, c_void};

use kiln_runtime::{
    Compiled, CompiledModule, Diagnostic, Entered, Failure, Input, Loaded, Platform, RelocationKind,
};

use crate::diagnostics::Diagnostics;
use crate::guard::{diagnosed, error, guard, making};
use crate::pointer::{self, c_string};
use crate::records::{
    KilnInput, KilnLoad, KilnPart, KilnPartKind, KilnRelocation, KilnRelocationKind, KilnResult,
    KilnSeverity, KilnSymbol,
};
use crate::session::{Session, tier};

/// Code of a program that cannot be loaded.
const LOAD: &str = "K0002";
/// Maximum number of files of one module.
const MAX_INPUTS: usize = 1 << 16;

/// A module that was read and checked, and can be compiled any number of times.
pub struct Module {
    loaded: Loaded,
}

/// Machine code of a module: kernels, then functions that are called by address.
pub struct Program {
    pub module: CompiledModule,
    /// The platform that the code is for.
    pub platform: &'static Platform,
    /// Offset of each part in an image.
    offsets: Vec<usize>,
    names: Vec<Names>,
}

/// The strings of a part.
pub struct Names {
    name: CString,
    relocations: Vec<CString>,
    symbols: Vec<CString>,
}

impl Names {
    fn of(part: &Compiled) -> Names {
        let relocations = part.relocations.iter();
        let symbols = part.symbols.iter();
        Names {
            name: c_string(&part.name),
            relocations: relocations.map(|r| c_string(&r.symbol)).collect(),
            symbols: symbols.map(|s| c_string(&s.name)).collect(),
        }
    }
}

impl Program {
    fn new(module: CompiledModule, platform: &'static Platform) -> Program {
        let mut program = Program {
            module,
            platform,
            offsets: Vec::new(),
            names: Vec::new(),
        };
        program.describe();
        program
    }

    /// Updates the fields that depend on the module.
    fn describe(&mut self) {
        self.names = self.module.parts().map(Names::of).collect();
        let entries = self.module.layout().into_iter();
        self.offsets = entries.map(|entry| entry.offset).collect();
    }

    pub fn part(&self, index: usize) -> Result<(&Compiled, &Names), KilnResult> {
        let part = self.module.parts().nth(index);
        part.zip(self.names.get(index)).ok_or(KilnResult::NotFound)
    }
}

/// Code of a compilation that ended before its time.
const STOPPED: &str = "C0005";

/// Records all findings of a failure, as an error of the input, or as the end of a compilation before its time.
pub fn failed(found: &mut Vec<Diagnostic>, failure: &Failure) -> KilnResult {
    found.extend(failure.diagnostics());
    match found.iter().any(|diagnostic| diagnostic.code == STOPPED) {
        true => KilnResult::Stopped,
        false => KilnResult::Visa,
    }
}

/// Reads and checks a module that is in one or several files in memory. The bytes are not needed afterwards. An object
/// that several files have with equal contents is taken once; KILN_RESULT_ARGUMENT if there is no file.
/// `diagnostics` may be NULL; it returns errors or warnings, or NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_module_load(
    session: *const Session,
    inputs: *const KilnInput,
    count: usize,
    out: *mut *mut Module,
    diagnostics: *mut *mut Diagnostics,
) -> KilnResult {
    let work = |session: &Session, found: &mut Vec<_>| {
        // SAFETY: the caller's contract.
        let inputs = unsafe { files(inputs, count) }?;
        let loaded = session.pool.install(|| session.kiln.load(&inputs));
        let loaded = loaded.map_err(|failure| failed(found, &failure))?;
        found.extend(loaded.warnings().iter().cloned());
        Ok(Module { loaded })
    };
    // SAFETY: the caller's contract.
    unsafe { making(session, out, diagnostics, work) }
}

/// The files of a module, which has one at least.
///
/// # Safety
/// See the crate's documentation.
unsafe fn files<'a>(inputs: *const KilnInput, count: usize) -> Result<Vec<Input<'a>>, KilnResult> {
    match count {
        0 => Err(KilnResult::Argument),
        // SAFETY: the caller's contract.
        _ => unsafe { self::inputs(inputs, count) },
    }
}

/// Files in memory.
///
/// # Safety
/// See the crate's documentation.
pub unsafe fn inputs<'a>(
    inputs: *const KilnInput,
    count: usize,
) -> Result<Vec<Input<'a>>, KilnResult> {
    if count > MAX_INPUTS {
        return Err(KilnResult::Argument);
    }
    // SAFETY: the caller's contract.
    let given: &[KilnInput] = unsafe { pointer::slice(inputs, count) }?;
    let input = |input: &KilnInput| {
        let name = match input.name.is_null() {
            true => "<memory>",
            // SAFETY: the caller's contract.
            false => unsafe { pointer::string(input.name) }?,
        };
        // SAFETY: the caller's contract.
        let bytes = unsafe { pointer::slice(input.data.cast::<u8>(), input.size) }?;
        Ok(Input { name, bytes })
    };
    given.iter().map(input).collect()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_module_free(module: *mut Module) {
    // SAFETY: the caller's contract.
    unsafe { pointer::free(module) };
}

/// Compiles a module. The module is not changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_compile(
    session: *const Session,
    module: *const Module,
    out: *mut *mut Program,
    diagnostics: *mut *mut Diagnostics,
) -> KilnResult {
    let work = |session: &Session, found: &mut Vec<_>| {
        // SAFETY: the caller's contract.
        let module = unsafe { pointer::reference(module) }?;
        let compile = || session.kiln.compile_loaded(&module.loaded);
        program_of(session, session.pool.install(compile), found)
    };
    // SAFETY: the caller's contract.
    unsafe { making(session, out, diagnostics, work) }
}

/// As kiln_module_load followed by kiln_compile, without the warnings. If the session has a cache, the program is
/// looked up in it, and stored if it was compiled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_compile_inputs(
    session: *const Session,
    inputs: *const KilnInput,
    count: usize,
    out: *mut *mut Program,
    diagnostics: *mut *mut Diagnostics,
) -> KilnResult {
    let work = |session: &Session, found: &mut Vec<_>| {
        // SAFETY: the caller's contract.
        let inputs = unsafe { files(inputs, count) }?;
        let compile = || session.kiln.compile_module(&inputs);
        let compiled = session.pool.install(compile);
        session.tell_of_cache();
        program_of(session, compiled, found)
    };
    // SAFETY: the caller's contract.
    unsafe { making(session, out, diagnostics, work) }
}

/// Makes a program or a failure, and reports either to the log.
fn program_of(
    session: &Session,
    compiled: Result<CompiledModule, Box<Failure>>,
    found: &mut Vec<Diagnostic>,
) -> Result<Program, KilnResult> {
    let compiled = compiled.map_err(|failure| failed(found, &failure))?;
    let program = Program::new(compiled, session.kiln.options().platform);
    program.module.parts().for_each(|part| tell(session, part));
    Ok(program)
}

/// Reports the figures of a part to the log.
fn tell(session: &Session, part: &Compiled) {
    session.say(KilnSeverity::Info, || {
        let (name, count, bytes) = (&part.name, part.instructions, part.code.len());
        let spilled = part.allocation.spill_bytes;
        format!("{name}: {count} instructions, {bytes} bytes, {spilled} bytes spilled")
    });
}

/// Compiles one kernel of a program again for another tier, and replaces its code. Arguments, and the symbols of
/// relocations, stay the same. Other parts do not change, but their offsets in an image may.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_recompile(
    session: *const Session,
    module: *const Module,
    program: *mut Program,
    kernel: *const c_char,
    new_tier: u32,
    diagnostics: *mut *mut Diagnostics,
) -> KilnResult {
    let work = |session: &Session, found: &mut Vec<_>| {
        // SAFETY: the caller's contract.
        let module = unsafe { pointer::reference(module) }?;
        // SAFETY: the caller's contract.
        let program = unsafe { pointer::mutable(program) }?;
        // SAFETY: the caller's contract.
        let kernel = unsafe { pointer::string(kernel) }?;
        let tier = tier(new_tier)?;
        if program.module.kernel(kernel).is_none() {
            return Err(KilnResult::NotFound);
        }
        let (loaded, compiled) = (&module.loaded, &mut program.module);
        let again = || session.kiln.recompile(loaded, compiled, kernel, tier);
        let result = session.pool.install(again);
        result.map_err(|failure| failed(found, &failure))?;
        program.describe();
        program
            .module
            .kernel(kernel)
            .into_iter()
            .for_each(|part| tell(session, part));
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { diagnosed(session, diagnostics, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_program_free(program: *mut Program) {
    // SAFETY: the caller's contract.
    unsafe { pointer::free(program) };
}

/// Number of kernels and functions of a program; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_program_parts(program: *const Program) -> usize {
    // SAFETY: the caller's contract.
    let program = unsafe { pointer::reference(program) };
    program.map_or(0, |program| program.names.len())
}

/// The index of the part of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_program_find(
    program: *const Program,
    name: *const c_char,
    index: *mut usize,
) -> KilnResult {
    guard(|| {
        // SAFETY: the caller's contract.
        unsafe { pointer::put(index, 0) }?;
        // SAFETY: the caller's contract.
        let program = unsafe { pointer::reference(program) }?;
        // SAFETY: the caller's contract.
        let name = unsafe { pointer::string(name) }?;
        let found = program.module.parts().position(|part| part.name == name);
        // SAFETY: the caller's contract.
        unsafe { pointer::put(index, found.ok_or(KilnResult::NotFound)?) }
    })
}

/// Facts about a part.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_program_part(
    program: *const Program,
    index: usize,
    out: *mut KilnPart,
) -> KilnResult {
    guard(|| {
        // SAFETY: the caller's contract.
        let program = unsafe { pointer::reference(program) }?;
        let (part, names) = program.part(index)?;
        let (stats, seconds) = (&part.allocation, &part.seconds);
        let view = KilnPart {
            name: names.name.as_ptr(),
            kind: match part.entered {
                Entered::Dispatched => KilnPartKind::Kernel,
                _ => KilnPartKind::Function,
            },
            code_size: part.code.len(),
            image_offset: program.offsets[index],
            relocations: part.relocations.len(),
            symbols: part.symbols.len(),
            simd: part.simd.into(),
            barrier: part.barrier.into(),
            uninterruptible: part.uninterruptible.into(),
            unpaired: part.unpaired.into(),
            scratch_bytes: part.scratch_base + stats.spill_bytes + part.stack_bytes,
            spill_bytes: stats.spill_bytes,
            stack_bytes: part.stack_bytes,
            grf_used: stats.grf_used,
            spills: stats.spills,
            fills: stats.fills,
            visa_instructions: part.visa_instructions as u64,
            instructions: part.instructions as u64,
            seconds: seconds.ir + seconds.isel + seconds.regalloc + seconds.emit,
        };
        // SAFETY: the caller's contract.
        unsafe { pointer::put(out, view) }
    })
}

/// Copies a part's machine code into a buffer. If the buffer is too short, nothing is copied, and `size` is the
/// required size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_program_code(
    program: *const Program,
    index: usize,
    buffer: *mut c_void,
    capacity: usize,
    size: *mut usize,
) -> KilnResult {
    guard(|| {
        // SAFETY: the caller's contract.
        unsafe { pointer::put(size, 0) }?;
        // SAFETY: the caller's contract.
        let program = unsafe { pointer::reference(program) }?;
        let (part, _) = program.part(index)?;
        // SAFETY: the caller's contract.
        unsafe { pointer::copy(&part.code, buffer.cast(), capacity, size) }
    })
}

/// The relocation of an index of a part.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_program_relocation(
    program: *const Program,
    part: usize,
    index: usize,
    out: *mut KilnRelocation,
) -> KilnResult {
    guard(|| {
        // SAFETY: the caller's contract.
        let program = unsafe { pointer::reference(program) }?;
        let (part, names) = program.part(part)?;
        let found = part
            .relocations
            .get(index)
            .zip(names.relocations.get(index));
        let (relocation, symbol) = found.ok_or(KilnResult::NotFound)?;
        let view = KilnRelocation {
            offset: relocation.offset,
            kind: match relocation.kind {
                RelocationKind::Address => KilnRelocationKind::Address,
                RelocationKind::AddressLow => KilnRelocationKind::AddressLow,
                RelocationKind::AddressHigh => KilnRelocationKind::AddressHigh,
                RelocationKind::Distance => KilnRelocationKind::Distance,
            },
            symbol: symbol.as_ptr(),
        };
        // SAFETY: the caller's contract.
        unsafe { pointer::put(out, view) }
    })
}

/// The symbol of an index of a part: the first is its own, the others are functions that it calls by name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_program_symbol(
    program: *const Program,
    part: usize,
    index: usize,
    out: *mut KilnSymbol,
) -> KilnResult {
    guard(|| {
        // SAFETY: the caller's contract.
        let program = unsafe { pointer::reference(program) }?;
        let (part, names) = program.part(part)?;
        let found = part.symbols.get(index).zip(names.symbols.get(index));
        let (symbol, name) = found.ok_or(KilnResult::NotFound)?;
        let view = KilnSymbol {
            name: name.as_ptr(),
            offset: symbol.offset,
            size: symbol.size,
        };
        // SAFETY: the caller's contract.
        unsafe { pointer::put(out, view) }
    })
}

/// Copies a program's code for an address into a buffer: all parts, with their relocations resolved. If the buffer is
/// too short, nothing is copied, and `size` is the required size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_program_load(
    session: *const Session,
    program: *const Program,
    load: *const KilnLoad,
    size: *mut usize,
    diagnostics: *mut *mut Diagnostics,
) -> KilnResult {
    let work = |_: &Session, found: &mut Vec<_>| {
        // SAFETY: the caller's contract.
        unsafe { pointer::put(size, 0) }?;
        // SAFETY: the caller's contract.
        let program = unsafe { pointer::reference(program) }?;
        // SAFETY: the caller's contract.
        let load = *unsafe { pointer::reference(load) }?;
        let needed = program.module.image_size();
        // Symbols are resolved only if the buffer is large enough.
        if load.capacity < needed {
            // SAFETY: the caller's contract.
            unsafe { pointer::put(size, needed) }?;
            return Err(KilnResult::ShortBuffer);
        }
        let find = |symbol: &str| {
            let (resolve, mut found) = (load.resolve?, 0);
            let name = c_string(symbol);
            // SAFETY: the caller's function and pointer, used as the header says.
            let known = unsafe { resolve(load.user, name.as_ptr(), &mut found) };
            (known != 0).then_some(found)
        };
        let image = program.module.load_at(load.address, find).map_err(|e| {
            found.push(error(LOAD, e.to_string()));
            KilnResult::Load
        })?;
        // SAFETY: the caller's contract.
        unsafe { pointer::copy(&image.bytes, load.buffer.cast(), load.capacity, size) }
    };
    // SAFETY: the caller's contract.
    unsafe { diagnosed(session, diagnostics, work) }
}
