//! The real library.

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use nix::libc;

use crate::code;

/// Variable with the path of the real library.
const LIBRARY: &str = "KILN_IGC";
/// Folders of a system's libraries.
const FOLDERS: [&str; 5] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/local/lib/x86_64-linux-gnu",
    "/usr/local/lib",
    "/usr/lib64",
    "/usr/lib",
];
/// Variables of the compiler that select the files it dumps, that of older ones last. With vISA sections it also dumps that into the current
/// folder; no name matches.
const DUMP_FILTERS: [&CStr; 2] = [c"IGC_ShaderDumpRegexFilter", c"IGC_ShaderDumpFilter"];
const NO_DUMP: &CStr = c"^$";

/// `CIFCreateMain`.
pub type Entry = unsafe extern "C" fn() -> *mut c_void;

/// The compiler's entry; none if it cannot be found, which the log says.
pub fn entry() -> Option<Entry> {
    static ENTRY: OnceLock<Option<Entry>> = OnceLock::new();
    *ENTRY.get_or_init(|| {
        let found = open();
        if found.is_none() {
            code::log(&format!(
                "no compiler was found; {LIBRARY} may have its path"
            ));
        }
        found
    })
}

/// Calls a function of the compiler's in which it may read its variables, with those by which it dumps nothing. The compiler reads
/// them once; a driver that finds one at another time uses no cache of its own.
pub fn without_dumps<T>(call: impl FnOnce() -> T) -> T {
    static USERS: Mutex<usize> = Mutex::new(0);
    let users = || USERS.lock().unwrap_or_else(PoisonError::into_inner);
    {
        let mut users = users();
        // SAFETY: the strings are constants.
        let is_unset = |name: &&CStr| unsafe { libc::getenv(name.as_ptr()) }.is_null();
        let is_ours = *users > 0 || DUMP_FILTERS.iter().all(is_unset);
        if !is_ours {
            drop(users);
            return call();
        }
        for name in DUMP_FILTERS {
            // SAFETY: the same.
            unsafe { libc::setenv(name.as_ptr(), NO_DUMP.as_ptr(), 0) };
        }
        *users += 1;
    }
    let result = call();
    let mut users = users();
    *users -= 1;
    if *users == 0 {
        for name in DUMP_FILTERS {
            // SAFETY: the name is a constant.
            unsafe { libc::unsetenv(name.as_ptr()) };
        }
    }
    result
}

fn open() -> Option<Entry> {
    let paths: Vec<PathBuf> = match std::env::var_os(LIBRARY) {
        Some(path) => vec![path.into()],
        None => {
            let own = own_path()?;
            let name = own.file_name()?;
            let folders = FOLDERS.iter().map(|folder| Path::new(folder).join(name));
            let is_own = |path: &PathBuf| path.canonicalize().ok() == own.canonicalize().ok();
            folders.filter(|path| !is_own(path)).collect()
        }
    };
    paths.iter().find_map(|path| {
        let path = CString::new(path.to_str()?).ok()?;
        // SAFETY: the path is a string. The library stays loaded.
        let entry = unsafe {
            let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
            match library.is_null() {
                true => return None,
                false => libc::dlsym(library, c"CIFCreateMain".as_ptr()),
            }
        };
        let own = crate::CIFCreateMain as *const c_void;
        if entry.is_null() || entry.cast_const() == own {
            return None;
        }
        // SAFETY: the compiler's interface declares it so.
        Some(unsafe { std::mem::transmute::<*mut c_void, Entry>(entry) })
    })
}

/// Path that this library was loaded from.
fn own_path() -> Option<PathBuf> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let own = crate::CIFCreateMain as *const c_void;
    // SAFETY: the record is ours, and the result says that it was filled.
    let name: *const c_char = unsafe {
        match libc::dladdr(own, info.as_mut_ptr()) {
            0 => return None,
            _ => info.assume_init().dli_fname,
        }
    };
    if name.is_null() {
        return None;
    }
    // SAFETY: the loader's string lives as long as this library.
    Some(unsafe { CStr::from_ptr(name) }.to_str().ok()?.into())
}
