//! Intel's ocloc as a library, and the records by which it and its callers pass files.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::{env, io, ptr};

use crate::front::{DUMP_FILTER, Front, Outcome};

/// Variable with the path of Intel's library, and its name without it.
pub const LIBRARY: &str = "KILN_LIBOCLOC";
const NAME: &str = "libocloc.so";
/// Name of the output that is no file: what ocloc says on standard output.
pub const LOG: &str = "stdout.log";
/// `RTLD_NOW` of dlfcn.h.
const NOW: c_int = 2;

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn setenv(name: *const c_char, value: *const c_char, overwrite: c_int) -> c_int;
}

/// `oclocInvoke` (ocloc_api.h).
pub type Invoke = unsafe extern "C" fn(
    c_uint,
    *const *const c_char,
    u32,
    *const *const u8,
    *const u64,
    *const *const c_char,
    u32,
    *const *const u8,
    *const u64,
    *const *const c_char,
    *mut u32,
    *mut *mut *mut u8,
    *mut *mut u64,
    *mut *mut *mut c_char,
) -> c_int;
/// `oclocFreeOutput` (ocloc_api.h).
pub type FreeOutput = unsafe extern "C" fn(
    *mut u32,
    *mut *mut *mut u8,
    *mut *mut u64,
    *mut *mut *mut c_char,
) -> c_int;

/// Files in memory, as the caller passes them: count, contents, sizes and names.
#[derive(Clone, Copy)]
pub struct Files {
    /// Number of files, the length of the arrays.
    pub count: u32,
    /// Contents.
    pub data: *const *const u8,
    /// Sizes in bytes.
    pub sizes: *const u64,
    /// Names, which arguments may have.
    pub names: *const *const c_char,
}

/// ocloc as a library.
pub struct Library {
    invoke: Invoke,
    free: FreeOutput,
    program: CString,
    sources: Files,
    headers: Files,
}

impl Library {
    /// Loads the library of [`LIBRARY`], or that which the system finds. `own` is our `oclocInvoke`, which it is not.
    ///
    /// # Errors
    /// There is no such library.
    ///
    /// # Safety
    /// The files are as ocloc's interface says, and live as long as the result.
    pub unsafe fn load(
        program: &CStr,
        sources: Files,
        headers: Files,
        own: Invoke,
    ) -> io::Result<Library> {
        let name = env::var(LIBRARY).unwrap_or_else(|_| NAME.to_string());
        let failed =
            |what: &str| io::Error::other(format!("{name}: {what}; {LIBRARY} may have its path"));
        let path = CString::new(name.as_str())?;
        let (filter, none) = (CString::new(DUMP_FILTER.0)?, CString::new(DUMP_FILTER.1)?);
        // SAFETY: the strings live, and the variable is set before the compiler, which reads it, is loaded. The library stays
        // loaded, so that its functions live.
        let (invoke, free) = unsafe {
            setenv(filter.as_ptr(), none.as_ptr(), 0);
            let library = dlopen(path.as_ptr(), NOW);
            if library.is_null() {
                return Err(failed("it cannot be loaded"));
            }
            let invoke = dlsym(library, c"oclocInvoke".as_ptr());
            (invoke, dlsym(library, c"oclocFreeOutput".as_ptr()))
        };
        if invoke.is_null() || free.is_null() || ptr::eq(invoke, own as *const c_void) {
            return Err(failed("it is not Intel's"));
        }
        Ok(Library {
            // SAFETY: ocloc_api.h declares them so.
            invoke: unsafe { std::mem::transmute::<*mut c_void, Invoke>(invoke) },
            // SAFETY: as above.
            free: unsafe { std::mem::transmute::<*mut c_void, FreeOutput>(free) },
            program: program.to_owned(),
            sources,
            headers,
        })
    }

    /// Makes a call. The names of files are those that ocloc gives them.
    ///
    /// # Errors
    /// An argument has a zero byte.
    pub fn invoke(&self, arguments: &[String]) -> io::Result<Outcome> {
        let words = arguments.iter().map(|word| CString::new(word.as_str()));
        let words = words.collect::<Result<Vec<_>, _>>()?;
        let all = std::iter::once(&self.program).chain(&words);
        let all: Vec<*const c_char> = all.map(|word| word.as_ptr()).collect();
        let (mut count, mut data, mut sizes, mut names) =
            (0, ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let (sources, headers) = (self.sources, self.headers);
        // SAFETY: the strings live, the caller of `load` vouches for the files, and results go to variables of ours.
        let code = unsafe {
            (self.invoke)(
                all.len() as c_uint,
                all.as_ptr(),
                sources.count,
                sources.data,
                sources.sizes,
                sources.names,
                headers.count,
                headers.data,
                headers.sizes,
                headers.names,
                &mut count,
                &mut data,
                &mut sizes,
                &mut names,
            )
        };
        let mut outcome = Outcome {
            code,
            ..Outcome::default()
        };
        if data.is_null() || sizes.is_null() || names.is_null() {
            return Ok(outcome);
        }
        for number in 0..count as usize {
            // SAFETY: ocloc made arrays of this length, of strings and of contents of these sizes.
            let (name, bytes) = unsafe {
                let (at, size) = (*data.add(number), *sizes.add(number) as usize);
                let bytes = match at.is_null() {
                    true => Vec::new(),
                    false => std::slice::from_raw_parts(at, size).to_vec(),
                };
                (CStr::from_ptr(*names.add(number)), bytes)
            };
            let name = name.to_string_lossy().into_owned();
            match name == LOG {
                true => outcome.said = bytes.strip_suffix(b"\0").unwrap_or(&bytes).to_vec(),
                false => outcome.files.push((name, bytes)),
            }
        }
        // SAFETY: they are as ocloc made them, and not used after this.
        unsafe { (self.free)(&mut count, &mut data, &mut sizes, &mut names) };
        Ok(outcome)
    }
}

impl Front for Library {
    /// The variable is the process's, which other threads may read.
    fn selects_simd(&self) -> bool {
        false
    }

    fn call(&self, arguments: &[String], folder: &Path, _: Option<u32>) -> io::Result<Outcome> {
        let mut outcome = self.invoke(arguments)?;
        let folder = format!("{}/", folder.display());
        for (name, _) in &mut outcome.files {
            if let Some(short) = name.strip_prefix(&folder) {
                *name = short.to_string();
            }
        }
        outcome.files.sort();
        Ok(outcome)
    }
}

/// Gives files to the caller of `oclocInvoke`, who frees them by [`free`].
///
/// # Safety
/// The pointers are null or of variables.
pub unsafe fn give(
    files: Vec<(String, Vec<u8>)>,
    count: *mut u32,
    data: *mut *mut *mut u8,
    sizes: *mut *mut u64,
    names: *mut *mut *mut c_char,
) {
    let mut all = (Vec::new(), Vec::new(), Vec::new());
    for (name, bytes) in files {
        all.1.push(bytes.len() as u64);
        all.0
            .push(Box::into_raw(bytes.into_boxed_slice()).cast::<u8>());
        all.2
            .push(CString::new(name).unwrap_or_default().into_raw());
    }
    let length = all.0.len() as u32;
    // SAFETY: the caller's contract.
    unsafe {
        *count = length;
        *data = Box::into_raw(all.0.into_boxed_slice()).cast();
        *sizes = Box::into_raw(all.1.into_boxed_slice()).cast();
        *names = Box::into_raw(all.2.into_boxed_slice()).cast();
    }
}

/// Frees what [`give`] gave, and sets the variables to nothing.
///
/// # Safety
/// The pointers are null, or of variables that [`give`] set or that are null.
pub unsafe fn free(
    count: *mut u32,
    data: *mut *mut *mut u8,
    sizes: *mut *mut u64,
    names: *mut *mut *mut c_char,
) {
    if count.is_null() || data.is_null() || sizes.is_null() || names.is_null() {
        return;
    }
    // SAFETY: the caller's contract: arrays of this length, of boxes and strings that `give` made.
    unsafe {
        let length = *count as usize;
        if (*data).is_null() || (*sizes).is_null() || (*names).is_null() {
            return;
        }
        let slices = (
            Box::from_raw(ptr::slice_from_raw_parts_mut(*data, length)),
            Box::from_raw(ptr::slice_from_raw_parts_mut(*sizes, length)),
            Box::from_raw(ptr::slice_from_raw_parts_mut(*names, length)),
        );
        for ((at, size), name) in slices.0.iter().zip(&slices.1).zip(&slices.2) {
            drop(Box::from_raw(ptr::slice_from_raw_parts_mut(
                *at,
                *size as usize,
            )));
            drop(CString::from_raw(*name));
        }
        *count = 0;
        (*data, *sizes, *names) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    }
}
