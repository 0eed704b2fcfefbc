//! Programs below another system's loader: the file that a program takes for its own, and the programs that it starts.
//!
//! The system calls a process by the file of its loader. A program that asks for its own file, as those do that find others beside it, is
//! told the program's. A program that it starts is given to the same loader; scripts by their interpreters. Files that name no loader, and
//! those of other machines, start as they are, as do programs of `execl`, whose arguments have no bound here, and of the C library's own
//! `system` and `popen`: the shell of these is without the loader, and the programs that it starts are not.

use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use kiln_gpu::program;
use nix::libc;

use crate::next;

/// The option of the loader for the name that a program is given of itself.
const NAME: &CStr = c"--argv0";

type Strings = *const *const c_char;

/// The loader and its options; none if programs are not below one.
fn loader() -> Option<&'static [CString]> {
    static LOADER: OnceLock<Vec<CString>> = OnceLock::new();
    let words = LOADER.get_or_init(|| {
        let text = std::env::var_os(program::LOADER).unwrap_or_default();
        let words = text.as_bytes().split(|byte| *byte == b'\n');
        words.filter_map(|word| CString::new(word).ok()).collect()
    });
    words.first().filter(|word| !word.is_empty())?;
    Some(words)
}

/// File of this program, if the loader started it.
fn own() -> Option<&'static CStr> {
    static OWN: OnceLock<Option<CString>> = OnceLock::new();
    let found = OWN.get_or_init(|| {
        let line = std::fs::read("/proc/self/cmdline").ok()?;
        let mut words = line.split(|byte| *byte == 0);
        let mut expected = loader()?.iter();
        if !expected.all(|word| words.next() == Some(word.as_bytes())) {
            return None;
        }
        let first = words.next()?;
        let file = match first == NAME.to_bytes() {
            true => words.nth(1)?,
            false => first,
        };
        let file = Path::new(OsStr::from_bytes(file)).canonicalize().ok()?;
        CString::new(file.into_os_string().into_vec()).ok()
    });
    found.as_deref()
}

/// The program's file, for a path by which the system calls this process's; else the path.
///
/// # Safety
/// The path is null or ends in a zero.
pub unsafe fn seen(path: *const c_char) -> *const c_char {
    if path.is_null() {
        return path;
    }
    // SAFETY: the caller's.
    let asked = unsafe { CStr::from_ptr(path) }.to_bytes();
    let process = asked.strip_prefix(b"/proc/");
    let process = process.and_then(|rest| rest.strip_suffix(b"/exe"));
    let is_own = |name: &[u8]| name == b"self" || name == std::process::id().to_string().as_bytes();
    match process.is_some_and(is_own).then(own).flatten() {
        Some(own) => own.as_ptr(),
        None => path,
    }
}

/// The contents of a link that is the process's file, and their length; none for other paths.
unsafe fn link(path: *const c_char, buffer: *mut c_char, size: usize) -> Option<isize> {
    // SAFETY: the caller's.
    let file = unsafe { seen(path) };
    if file == path {
        return None;
    }
    // SAFETY: a path ends in a zero.
    let file = unsafe { CStr::from_ptr(file) }.to_bytes();
    let length = file.len().min(size);
    // SAFETY: the buffer has so many bytes.
    unsafe { ptr::copy_nonoverlapping(file.as_ptr().cast(), buffer, length) };
    isize::try_from(length).ok()
}

/// As the C library's.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readlink(path: *const c_char, buffer: *mut c_char, size: usize) -> isize {
    type Function = unsafe extern "C" fn(*const c_char, *mut c_char, usize) -> isize;
    // SAFETY: the caller's, and the C library's function has this type.
    unsafe {
        link(path, buffer, size).unwrap_or_else(|| {
            next::<Function>(c"readlink").map_or(-1, |function| function(path, buffer, size))
        })
    }
}

/// As the C library's, with the size of the buffer.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __readlink_chk(
    path: *const c_char,
    buffer: *mut c_char,
    size: usize,
    whole: usize,
) -> isize {
    type Function = unsafe extern "C" fn(*const c_char, *mut c_char, usize, usize) -> isize;
    // SAFETY: the caller's, and the C library's function has this type.
    unsafe {
        link(path, buffer, size.min(whole)).unwrap_or_else(|| {
            let function = next::<Function>(c"__readlink_chk");
            function.map_or(-1, |function| function(path, buffer, size, whole))
        })
    }
}

/// As the C library's.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readlinkat(
    folder: c_int,
    path: *const c_char,
    buffer: *mut c_char,
    size: usize,
) -> isize {
    type Function = unsafe extern "C" fn(c_int, *const c_char, *mut c_char, usize) -> isize;
    // SAFETY: the caller's, and the C library's function has this type.
    unsafe {
        link(path, buffer, size).unwrap_or_else(|| {
            let function = next::<Function>(c"readlinkat");
            function.map_or(-1, |function| function(folder, path, buffer, size))
        })
    }
}

/// As the C library's.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realpath(path: *const c_char, resolved: *mut c_char) -> *mut c_char {
    type Function = unsafe extern "C" fn(*const c_char, *mut c_char) -> *mut c_char;
    // SAFETY: the caller's, and the C library's function has this type.
    unsafe {
        match next::<Function>(c"realpath") {
            Some(function) => function(seen(path), resolved),
            None => ptr::null_mut(),
        }
    }
}

/// As the C library's, with the size of the buffer.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __realpath_chk(
    path: *const c_char,
    resolved: *mut c_char,
    whole: usize,
) -> *mut c_char {
    type Function = unsafe extern "C" fn(*const c_char, *mut c_char, usize) -> *mut c_char;
    // SAFETY: the caller's, and the C library's function has this type.
    unsafe {
        match next::<Function>(c"__realpath_chk") {
            Some(function) => function(seen(path), resolved, whole),
            None => ptr::null_mut(),
        }
    }
}

/// A start of a program by the loader.
struct Start {
    words: Vec<CString>,
    /// Words after those above, as the caller has them.
    rest: Vec<*const c_char>,
}

impl Start {
    /// The start of a file with arguments; none if the file is to start as it is.
    unsafe fn of(path: *const c_char, arguments: Strings) -> Option<Start> {
        let loader = loader()?;
        if path.is_null() || arguments.is_null() {
            return None;
        }
        // SAFETY: the path ends in a zero.
        let file = unsafe { CStr::from_ptr(seen(path)) };
        // SAFETY: as above.
        let runs = unsafe { libc::access(file.as_ptr(), libc::X_OK) } == 0;
        let file = PathBuf::from(OsStr::from_bytes(file.to_bytes()));
        let mut files = program::interpreter(&file);
        let is_script = !files.is_empty();
        files.push(file);
        if !runs || !program::is_loaded(&files[0]) {
            return None;
        }
        let mut words = loader.to_vec();
        // SAFETY: a null pointer ends the arguments.
        let first = unsafe { *arguments };
        let mut rest = Vec::new();
        if !first.is_null() {
            if !is_script {
                // SAFETY: an argument ends in a zero.
                words.extend([NAME.to_owned(), unsafe { CStr::from_ptr(first) }.to_owned()]);
            }
            // SAFETY: as above.
            let all = (1..).map(|index| unsafe { *arguments.add(index) });
            rest.extend(all.take_while(|argument| !argument.is_null()));
        }
        for file in files {
            words.push(CString::new(file.into_os_string().into_vec()).ok()?);
        }
        Some(Start { words, rest })
    }

    /// Path of the loader, and pointers to all arguments.
    fn arguments(&self) -> (*const c_char, Vec<*const c_char>) {
        let words = self.words.iter().map(|word| word.as_ptr());
        let all = words.chain(self.rest.iter().copied());
        (self.words[0].as_ptr(), all.chain([ptr::null()]).collect())
    }
}

unsafe extern "C" {
    static environ: Strings;
}

/// As the C library's.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execve(
    path: *const c_char,
    arguments: Strings,
    variables: Strings,
) -> c_int {
    type Function = unsafe extern "C" fn(*const c_char, Strings, Strings) -> c_int;
    // SAFETY: the caller's, and the C library's function has this type.
    unsafe {
        let Some(function) = next::<Function>(c"execve") else {
            return -1;
        };
        match Start::of(path, arguments) {
            Some(start) => {
                let (path, arguments) = start.arguments();
                function(path, arguments.as_ptr(), variables)
            }
            None => function(path, arguments, variables),
        }
    }
}

/// As the C library's.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execv(path: *const c_char, arguments: Strings) -> c_int {
    // SAFETY: the caller's.
    unsafe { execve(path, arguments, environ) }
}

/// As the C library's.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execvpe(
    name: *const c_char,
    arguments: Strings,
    variables: Strings,
) -> c_int {
    type Function = unsafe extern "C" fn(*const c_char, Strings, Strings) -> c_int;
    // SAFETY: the caller's, and the C library's function has this type.
    unsafe {
        let path = found(name);
        let file = path.as_ref().map_or(name, |path| path.as_ptr());
        match (Start::of(file, arguments), next::<Function>(c"execvpe")) {
            (Some(_), _) => execve(file, arguments, variables),
            (None, Some(function)) => function(name, arguments, variables),
            (None, None) => -1,
        }
    }
}

/// As the C library's.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execvp(name: *const c_char, arguments: Strings) -> c_int {
    // SAFETY: the caller's.
    unsafe { execvpe(name, arguments, environ) }
}

/// Path of a program by its name.
unsafe fn found(name: *const c_char) -> Option<CString> {
    if name.is_null() {
        return None;
    }
    // SAFETY: a name ends in a zero.
    let name = OsStr::from_bytes(unsafe { CStr::from_ptr(name) }.to_bytes());
    CString::new(program::find(name).into_os_string().into_vec()).ok()
}

type Spawn = unsafe extern "C" fn(
    *mut libc::pid_t,
    *const c_char,
    *const c_void,
    *const c_void,
    Strings,
    Strings,
) -> c_int;

/// As the C library's.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_spawn(
    process: *mut libc::pid_t,
    path: *const c_char,
    actions: *const c_void,
    attributes: *const c_void,
    arguments: Strings,
    variables: Strings,
) -> c_int {
    // SAFETY: the caller's, and the C library's function has this type.
    unsafe {
        let Some(function) = next::<Spawn>(c"posix_spawn") else {
            return libc::ENOSYS;
        };
        match Start::of(path, arguments) {
            Some(start) => {
                let (path, all) = start.arguments();
                function(process, path, actions, attributes, all.as_ptr(), variables)
            }
            None => function(process, path, actions, attributes, arguments, variables),
        }
    }
}

/// As the C library's.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_spawnp(
    process: *mut libc::pid_t,
    name: *const c_char,
    actions: *const c_void,
    attributes: *const c_void,
    arguments: Strings,
    variables: Strings,
) -> c_int {
    // SAFETY: the caller's, and the C library's function has this type.
    unsafe {
        let path = found(name);
        let file = path.as_ref().map_or(name, |path| path.as_ptr());
        match (Start::of(file, arguments), next::<Spawn>(c"posix_spawnp")) {
            (Some(_), _) => posix_spawn(process, file, actions, attributes, arguments, variables),
            (None, Some(function)) => {
                function(process, name, actions, attributes, arguments, variables)
            }
            (None, None) => libc::ENOSYS,
        }
    }
}
