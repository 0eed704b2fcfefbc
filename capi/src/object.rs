//! Object files, and the execution of their kernels on the host.

use std::ffi::c_void;

use kiln_runtime::exec::{self, Arg};
use kiln_runtime::finalize::{Strip, finalize};
use kiln_runtime::object_file::add_lines;
use kiln_runtime::relink::{RelinkError, relink};
use kiln_runtime::{Diagnostic, Info, Interface, Platform, Zebin, info};

use crate::diagnostics::Diagnostics;
use crate::guard::{diagnosed, error, guard, making};
use crate::pointer;
use crate::program::{self, Program};
use crate::records::{
    KilnArg, KilnArgKind, KilnFigures, KilnInput, KilnLaunch, KilnLayout, KilnResult,
};
use crate::session::Session;

/// Code of an object file that cannot be made or read.
const OBJECT: &str = "K0003";
/// Code of a failed execution.
const RUN: &str = "K0004";
/// Maximum number of arguments of a kernel.
const MAX_ARGS: usize = 1 << 12;

/// An object file.
pub struct Object {
    zebin: Zebin,
    pub bytes: Vec<u8>,
    platform: &'static Platform,
}

impl Object {
    /// Makes an object with these contents.
    fn new(
        zebin: Zebin,
        platform: &'static Platform,
        found: &mut Vec<Diagnostic>,
    ) -> Result<Object, KilnResult> {
        Ok(Object {
            bytes: zebin.write().map_err(|e| refused(found, e))?,
            zebin,
            platform,
        })
    }
}

/// Records an error about an object file.
fn refused(found: &mut Vec<Diagnostic>, what: impl ToString) -> KilnResult {
    found.push(error(OBJECT, what.to_string()));
    KilnResult::Object
}

/// Makes an object file of a program that was compiled with the session. `layout` is a kiln_layout: the format of the
/// argument layout in the bytes at `data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_object_make(
    session: *const Session,
    program: *const Program,
    layout: u32,
    data: *const c_void,
    size: usize,
    out: *mut *mut Object,
    diagnostics: *mut *mut Diagnostics,
) -> KilnResult {
    let work = |session: &Session, found: &mut Vec<_>| {
        // SAFETY: the caller's contract.
        let program = unsafe { pointer::reference(program) }?;
        // SAFETY: the caller's contract.
        let bytes = unsafe { pointer::slice(data.cast::<u8>(), size) }?;
        let platform = session.kiln.options().platform;
        let info = match layout {
            n if n == KilnLayout::Info as u32 => {
                Info::parse(bytes, platform).map_err(|e| refused(found, e))?
            }
            n if n == KilnLayout::Interface as u32 => {
                Info::Interface(Interface::parse(bytes).map_err(|e| refused(found, e))?)
            }
            n if n == KilnLayout::Inputs as u32 => {
                let guess = Interface::guess(&program.module);
                Info::Interface(guess.map_err(|e| refused(found, e))?)
            }
            _ => return Err(KilnResult::Argument),
        };
        let zebin = session.kiln.object_file(&program.module, info);
        let mut zebin = zebin.map_err(|e| refused(found, e))?;
        if session.lines {
            add_lines(&mut zebin, &program.module).map_err(|e| refused(found, e))?;
        }
        Object::new(zebin, platform, found)
    };
    // SAFETY: the caller's contract.
    unsafe { making(session, out, diagnostics, work) }
}

/// Replaces the code of all kernels of an object file by code compiled from vISA, the dump that the reference compiler
/// makes together with the object file. Files are selected by the names and SIMD sizes of their kernels. Kernels
/// without vISA are an error if `keep` is 0, and stay as they are if it is 1. The given object is not changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_object_relink(
    session: *const Session,
    object: *const Object,
    inputs: *const KilnInput,
    count: usize,
    keep: u32,
    out: *mut *mut Object,
    diagnostics: *mut *mut Diagnostics,
) -> KilnResult {
    let work = |session: &Session, found: &mut Vec<_>| {
        // SAFETY: the caller's contract.
        let object = unsafe { pointer::reference(object) }?;
        // SAFETY: the caller's contract.
        let inputs = unsafe { program::inputs(inputs, count) }?;
        let platform = session.kiln.options().platform;
        if keep > 1 || object.platform.name != platform.name {
            return Err(KilnResult::Argument);
        }
        let zebin = object.zebin.clone();
        let replace = || relink(&session.kiln, zebin, &inputs, keep == 1, session.lines);
        let relinked = session.pool.install(replace);
        session.tell_of_cache();
        match relinked {
            Ok(relinked) => Object::new(relinked.zebin, platform, found),
            Err(RelinkError::Compile(failure)) => Err(program::failed(found, &failure)),
            Err(error) => Err(refused(found, error)),
        }
    };
    // SAFETY: the caller's contract.
    unsafe { making(session, out, diagnostics, work) }
}

/// Makes the code of an object file for the session's platform from the vISA that it carries: the reference compiler
/// writes it for its internal options `-emit-visa-only -emit-zebin-visa-sections`. Code that is there is replaced.
/// `strip_visa` and `strip_spirv` are 1 to leave the sections with vISA and with SPIR-V out of the result, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_object_finalize(
    session: *const Session,
    data: *const c_void,
    size: usize,
    strip_visa: u32,
    strip_spirv: u32,
    out: *mut *mut Object,
    diagnostics: *mut *mut Diagnostics,
) -> KilnResult {
    let work = |session: &Session, found: &mut Vec<_>| {
        // SAFETY: the caller's contract.
        let bytes = unsafe { pointer::slice(data.cast::<u8>(), size) }?;
        if strip_visa > 1 || strip_spirv > 1 {
            return Err(KilnResult::Argument);
        }
        let strip = Strip {
            visa: strip_visa == 1,
            spirv: strip_spirv == 1,
        };
        let platform = session.kiln.options().platform;
        let zebin = info::zebin(bytes, platform).map_err(|e| refused(found, e))?;
        let work = || finalize(&session.kiln, zebin, strip, false, session.lines);
        let finalized = session.pool.install(work);
        session.tell_of_cache();
        match finalized {
            Ok(finalized) => Object::new(finalized.zebin, platform, found),
            Err(RelinkError::Compile(failure)) => Err(program::failed(found, &failure)),
            Err(error) => Err(refused(found, error)),
        }
    };
    // SAFETY: the caller's contract.
    unsafe { making(session, out, diagnostics, work) }
}

/// Reads an object file of any compiler for the session's platform.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_object_read(
    session: *const Session,
    data: *const c_void,
    size: usize,
    out: *mut *mut Object,
    diagnostics: *mut *mut Diagnostics,
) -> KilnResult {
    let work = |session: &Session, found: &mut Vec<_>| {
        // SAFETY: the caller's contract.
        let bytes = unsafe { pointer::slice(data.cast::<u8>(), size) }?;
        let platform = session.kiln.options().platform;
        Ok(Object {
            zebin: info::zebin(bytes, platform).map_err(|e| refused(found, e))?,
            bytes: bytes.to_vec(),
            platform,
        })
    };
    // SAFETY: the caller's contract.
    unsafe { making(session, out, diagnostics, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_object_free(object: *mut Object) {
    // SAFETY: the caller's contract.
    unsafe { pointer::free(object) };
}

/// Copies the file into a buffer. If the buffer is too short, nothing is copied, and `size` is the required size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_object_bytes(
    object: *const Object,
    buffer: *mut c_void,
    capacity: usize,
    size: *mut usize,
) -> KilnResult {
    guard(|| {
        // SAFETY: the caller's contract.
        unsafe { pointer::put(size, 0) }?;
        // SAFETY: the caller's contract.
        let object = unsafe { pointer::reference(object) }?;
        // SAFETY: the caller's contract.
        unsafe { pointer::copy(&object.bytes, buffer.cast(), capacity, size) }
    })
}

/// Executes a kernel of an object file on the host and waits for its end. Buffers among the arguments have the results
/// afterwards, also after a failure; overlapping buffers are separate buffers for the kernel. `figures` may be NULL.
/// KILN_RESULT_NOT_FOUND if the object file has no kernel of that name. Kernels with images and samplers cannot be
/// launched from here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_object_run(
    session: *const Session,
    object: *const Object,
    launch: *const KilnLaunch,
    figures: *mut KilnFigures,
    diagnostics: *mut *mut Diagnostics,
) -> KilnResult {
    let work = |session: &Session, found: &mut Vec<_>| {
        if !figures.is_null() {
            // SAFETY: the caller's contract.
            unsafe { pointer::put(figures, KilnFigures::default()) }?;
        }
        // SAFETY: the caller's contract.
        let object = unsafe { pointer::reference(object) }?;
        // SAFETY: the caller's contract.
        let launch = unsafe { pointer::reference(launch) }?;
        // SAFETY: the caller's contract.
        let kernel = unsafe { pointer::string(launch.kernel) }?;
        if launch.arg_count > MAX_ARGS || !(1..=3).contains(&launch.dimensions) {
            return Err(KilnResult::Argument);
        }
        // SAFETY: the caller's contract.
        let given = unsafe { pointer::slice(launch.args, launch.arg_count) }?;
        let mut args = Vec::with_capacity(given.len());
        for arg in given {
            // SAFETY: the caller's contract.
            args.push(unsafe { argument(arg) }?);
        }
        let mut failed = |what: &dyn ToString| {
            found.push(error(RUN, what.to_string()));
            KilnResult::Run
        };
        let sizes = |given: [u32; 3]| {
            let count = launch.dimensions as usize;
            std::array::from_fn(|n| if n < count { given[n] } else { 1 })
        };
        let program = exec::Program::from_zebin(&object.zebin, kernel, object.platform);
        let program = program.map_err(|e| match (failed(&e), e) {
            (_, exec::LinkError::NoKernel(_)) => KilnResult::NotFound,
            (run, _) => run,
        })?;
        let mut run = exec::Launch {
            ze_info: &object.zebin.ze_info,
            kernel,
            global: sizes(launch.global),
            local: sizes(launch.local),
            dimensions: launch.dimensions,
            args,
            budget: match launch.budget {
                0 => exec::Launch::BUDGET,
                budget => budget,
            },
        };
        let result = session.pool.install(|| run.run(&program));
        for (arg, given) in run.args.iter().zip(given) {
            if let Arg::Buffer(bytes) = arg {
                let mut size = 0;
                // SAFETY: the caller's contract: buffers of a launch are readable and writable.
                unsafe { pointer::copy(bytes, given.data.cast(), given.size, &mut size) }?;
            }
        }
        let stats = result.map_err(|e| failed(&e))?;
        if figures.is_null() {
            return Ok(());
        }
        let view = KilnFigures {
            instructions: stats.instructions,
            groups: stats.groups,
            threads: stats.threads,
            bytes_read: stats.bytes_read,
            bytes_written: stats.bytes_written,
        };
        // SAFETY: the caller's contract.
        unsafe { pointer::put(figures, view) }
    };
    // SAFETY: the caller's contract.
    unsafe { diagnosed(session, diagnostics, work) }
}

/// Converts an argument; buffers are copied.
///
/// # Safety
/// See the crate's documentation.
unsafe fn argument(arg: &KilnArg) -> Result<Arg, KilnResult> {
    // SAFETY: the caller's contract.
    let bytes = || unsafe { pointer::slice(arg.data.cast::<u8>(), arg.size) };
    match arg.kind {
        kind if kind == KilnArgKind::Buffer as u32 => Ok(Arg::Buffer(bytes()?.to_vec())),
        kind if kind == KilnArgKind::Value as u32 => Ok(Arg::Value(bytes()?.to_vec())),
        kind if kind == KilnArgKind::Local as u32 => {
            let size = u32::try_from(arg.size).map_err(|_| KilnResult::Argument)?;
            Ok(Arg::Local(size))
        }
        _ => Err(KilnResult::Argument),
    }
}
