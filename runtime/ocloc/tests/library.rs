//! The library as its callers meet it, with a stand-in for `libocloc.so` (`library.c`) that gives files of `corpus/finalize`.
#![cfg(unix)]
#![expect(unsafe_code, reason = "a C interface is called")]

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, ptr};

use kiln_compile::finalize::{Strip, finalize_bytes};
use kiln_corpus::read;
// The crate with the functions below.
use kiln_ocloc as _;

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn oclocVersion() -> c_int;
    fn oclocInvoke(
        count: c_uint,
        arguments: *const *const c_char,
        sources: u32,
        source_data: *const *const u8,
        source_sizes: *const u64,
        source_names: *const *const c_char,
        headers: u32,
        header_data: *const *const u8,
        header_sizes: *const u64,
        header_names: *const *const c_char,
        outputs: *mut u32,
        data: *mut *mut *mut u8,
        sizes: *mut *mut u64,
        names: *mut *mut *mut c_char,
    ) -> c_int;
    fn oclocFreeOutput(
        outputs: *mut u32,
        data: *mut *mut *mut u8,
        sizes: *mut *mut u64,
        names: *mut *mut *mut c_char,
    ) -> c_int;
}

const SOURCE: &[u8] = b"kernel void k() {}\0";
const HEADER: &[u8] = b"// a header\0";

/// Makes a call with a source and a header in memory: the code, and outputs by name, or none for outputs on disk.
fn invoke(words: &[&str], in_memory: bool) -> (i32, Vec<(String, Vec<u8>)>) {
    let words: Vec<CString> = words.iter().map(|w| CString::new(*w).unwrap()).collect();
    let arguments: Vec<_> = words.iter().map(|word| word.as_ptr()).collect();
    let (mut count, mut data, mut sizes, mut names) =
        (0, ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    let mut given = (
        ptr::null_mut(),
        ptr::null_mut(),
        ptr::null_mut(),
        ptr::null_mut(),
    );
    if in_memory {
        given = (
            &raw mut count,
            &raw mut data,
            &raw mut sizes,
            &raw mut names,
        );
    }
    // SAFETY: arrays of the lengths that are said, and variables for the outputs, or none.
    let code = unsafe {
        oclocInvoke(
            arguments.len() as c_uint,
            arguments.as_ptr(),
            1,
            &SOURCE.as_ptr(),
            &(SOURCE.len() as u64),
            &c"k.cl".as_ptr(),
            1,
            &HEADER.as_ptr(),
            &(HEADER.len() as u64),
            &c"k.h".as_ptr(),
            given.0,
            given.1,
            given.2,
            given.3,
        )
    };
    let mut found = Vec::new();
    for at in 0..count as usize {
        // SAFETY: the library says how many there are, and their sizes.
        let (name, bytes) = unsafe {
            let name = CStr::from_ptr(*names.add(at)).to_str().unwrap();
            let bytes = std::slice::from_raw_parts(*data.add(at), *sizes.add(at) as usize);
            (name.to_string(), bytes.to_vec())
        };
        found.push((name, bytes));
    }
    // SAFETY: they are as the library left them; the second time they are empty.
    unsafe {
        for _ in 0..2 {
            assert_eq!(
                oclocFreeOutput(&mut count, &mut data, &mut sizes, &mut names),
                0
            );
            assert!(count == 0 && data.is_null() && sizes.is_null() && names.is_null());
        }
    }
    found.sort();
    (code, found)
}

/// Builds the stand-in in a folder with the object files of a program.
fn stand_in() -> (PathBuf, PathBuf) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ocloc-library");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("work")).unwrap();
    for kind in ["alone", "both", "whole"] {
        let bytes = read(&format!("finalize/two.{kind}.zebin"));
        fs::write(folder.join(format!("{kind}.zebin")), bytes).unwrap();
    }
    let library = folder.join("libocloc.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library.c");
    // The program by which rustc links.
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]);
    let done = compiler.arg(&library).arg(source).status().unwrap();
    assert!(done.success());
    (folder, library)
}

/// One test, since the library's settings are the process's.
#[test]
fn a_call_gives_what_ocloc_gives_with_our_code() {
    let (folder, library) = stand_in();
    // SAFETY: no other thread reads variables or opens files: this is the program's only test.
    unsafe {
        std::env::set_var("HERE", &folder);
        std::env::set_var("KILN_LIBOCLOC", &library);
        std::env::remove_var("KILN_STRICT");
        assert_eq!(oclocVersion(), 1 << 16);
    }
    std::env::set_current_dir(folder.join("work")).unwrap();
    let calls = || fs::read_to_string(folder.join("calls")).unwrap();

    let plain = ["ocloc", "compile", "-file", "k.cl", "-device", "lnl"];
    let strip = Strip {
        visa: true,
        spirv: false,
    };
    let ours = finalize_bytes(&read("finalize/two.alone.zebin"), strip).unwrap();
    let given = [SOURCE, HEADER].concat();
    let said = |text: &str| ("stdout.log".to_string(), format!("{text}\0").into_bytes());
    let (code, outputs) = invoke(&plain, true);
    assert_eq!(code, 0);
    let expected = [
        ("k.bin".to_string(), ours.clone()),
        ("k.cl-k.h.spv".to_string(), given.clone()),
        said("Build succeeded.\n"),
    ];
    assert!(outputs == expected);
    assert_eq!(calls().lines().count(), 1);

    // Outputs have the folder that the call says, and nothing is written.
    let (code, outputs) = invoke(&[&plain[..], &["-out_dir", "a/b"]].concat(), true);
    let names: Vec<&str> = outputs.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((code, names[0]), (0, "a/b/k.bin"));
    assert_eq!(fs::read_dir(".").unwrap().count(), 0);

    // A refused call is ocloc's, made as it was.
    let (code, outputs) = invoke(&[&plain[..], &["-bad"]].concat(), true);
    assert_eq!((code, outputs), (10, vec![said("Invalid option: -bad\n")]));
    let last = calls().lines().last().unwrap().to_string();
    assert_eq!(last, "ocloc compile -file k.cl -device lnl -bad ");

    // Without variables for outputs these are files.
    let call = [&plain[..], &["-out_dir", "a/b"]].concat();
    assert_eq!(invoke(&call, false), (0, Vec::new()));
    assert!(fs::read("a/b/k.bin").unwrap() == ours);
    assert_eq!(fs::read("a/b/k.cl-k.h.spv").unwrap(), given);

    // A compiler without vISA sections: its code, and a line.
    fs::copy(folder.join("whole.zebin"), folder.join("alone.zebin")).unwrap();
    let (code, outputs) = invoke(&plain, true);
    assert!(code == 0 && outputs[0].1 == read("finalize/two.whole.zebin"));
    let log = String::from_utf8_lossy(&outputs[2].1).into_owned();
    assert!(
        log.starts_with("Build succeeded.\nkiln-ocloc: k.bin has ocloc's code: "),
        "{log}"
    );

    // Every output of the stand-in was freed.
    let name = CString::new(library.to_str().unwrap()).unwrap();
    // SAFETY: the library is loaded already (2 is RTLD_NOW), and its function has this type.
    let live = unsafe {
        let function = dlsym(dlopen(name.as_ptr(), 2), c"stand_in_live".as_ptr());
        std::mem::transmute::<*mut c_void, extern "C" fn() -> c_int>(function)()
    };
    assert_eq!(live, 0);
}
