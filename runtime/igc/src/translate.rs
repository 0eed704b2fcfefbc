//! The way from the compiler's entry to its translations, and what is exchanged on it.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::table::{call, exchange};
use crate::{code, real};

/// Numbers of virtual functions. Those of every object: three of its life, versions, two destructors, and the
/// creation of another object; those of an interface begin with two for its own data.
const CREATE_INTERFACE: usize = 8;
/// `IgcOclDeviceCtx`: timer, platform, system, features, translation; since version 2 the system routine.
const CREATE_TRANSLATION: usize = 15;
const SYSTEM_ROUTINE: (u64, usize) = (2, 16);
/// `IgcOclTranslationCtx`: `TranslateImpl` of versions 1 and 2, the specialization constants, versions 3 and 4.
const TRANSLATE: [(u64, usize); 4] = [(1, 11), (2, 12), (3, 14), (4, 15)];
/// `OclTranslationOutput`: success, warnings, type, log, output.
const SUCCESSFUL: usize = 11;
const OUTPUT: usize = 15;
/// `Buffer`, of which version 1 is asked for.
const MEMORY: usize = 15;
const SIZE: usize = 17;
const RESIZE: usize = 19;
const CLEAR: usize = 21;
const PUSH_BACK: usize = 24;
const BUFFER_VERSION: u64 = 1;
/// Internal options of the compiler: vISA in sections of the object file, by its name in newer and in older compilers; the last, of older ones, asks for
/// an object file instead of patch tokens. Unknown ones mean nothing. The compiler reads to a zero byte, which is after the buffer's end as that of a
/// string is.
const VISA: &[u8] = b" -emit-zebin-visa-sections -ze-emit-zebin-visa-sections -ze-allow-zebin\0";

type Object = *mut c_void;

/// Number of an interface's name in letters and `_`: five bits a character (`cif/common/coder.h`).
const fn interface(name: &[u8]) -> u64 {
    let (mut id, mut at) = (0, 0);
    while at < name.len() {
        let digit = match name[at] {
            b'_' => 27,
            letter => letter - b'A',
        };
        id |= (digit as u64) << (5 * at);
        at += 1;
    }
    id
}

const DEVICE: u64 = interface(b"IGC_OCL_DEVC");

/// Exchanges the creation of objects by the compiler's main object.
///
/// # Safety
/// The object is null or the compiler's.
pub unsafe fn follow(main: Object) {
    if !main.is_null() {
        // SAFETY: it has the functions of every object.
        unsafe { exchange(main, CREATE_INTERFACE, create_interface as *const c_void) };
    }
}

unsafe extern "C" fn create_interface(main: Object, id: u64, version: u64) -> Object {
    // SAFETY: the original's arguments.
    let made = unsafe { call!(main, CREATE_INTERFACE; id => u64, version => u64; Object) };
    if id == DEVICE && !made.is_null() {
        // SAFETY: every version of a device has the function.
        unsafe {
            exchange(
                made,
                CREATE_TRANSLATION,
                create_translation as *const c_void,
            )
        };
        if version >= SYSTEM_ROUTINE.0 {
            // SAFETY: a device of this version has the function.
            unsafe { exchange(made, SYSTEM_ROUTINE.1, system_routine as *const c_void) };
        }
    }
    made
}

/// The system routine, which is the driver's first wish.
unsafe extern "C" fn system_routine(
    device: Object,
    kind: u64,
    bindless: bool,
    routine: Object,
    header: Object,
) -> bool {
    real::without_dumps(|| {
        // SAFETY: the original's arguments.
        unsafe {
            call!(device, SYSTEM_ROUTINE.1; kind => u64, bindless => bool, routine => Object, header => Object; bool)
        }
    })
}

unsafe extern "C" fn create_translation(
    device: Object,
    version: u64,
    from: u64,
    to: u64,
) -> Object {
    // SAFETY: the original's arguments.
    let made = unsafe {
        call!(device, CREATE_TRANSLATION; version => u64, from => u64, to => u64; Object)
    };
    let by = [
        translate_1 as *const c_void,
        translate_2 as *const c_void,
        translate_3 as *const c_void,
        translate_4 as *const c_void,
    ];
    for ((since, number), by) in TRANSLATE.into_iter().zip(by) {
        if !made.is_null() && since <= version {
            // SAFETY: a translation of this version has the function.
            unsafe { exchange(made, number, by) };
        }
    }
    made
}

/// Functions that translate, with the original's arguments. The name of the internal options is said apart.
macro_rules! translations {
    ($($name:ident, $number:literal, $internal:ident: ($($argument:ident: $type:ty),*);)*) => {$(
        unsafe extern "C" fn $name(this: Object, version: u64, $($argument: $type),*) -> Object {
            // SAFETY: the original's arguments.
            unsafe {
                ask($internal);
                let output = real::without_dumps(|| {
                    call!(this, TRANSLATE[$number].1; version => u64, $($argument => $type),*; Object)
                });
                replaced(output)
            }
        }
    )*};
}

translations! {
    translate_1, 0, internal: (source: Object, options: Object, internal: Object, tracing: Object, count: u32);
    translate_2, 1, internal: (source: Object, options: Object, internal: Object, tracing: Object, count: u32,
        instrumentation: Object);
    translate_3, 2, internal: (source: Object, ids: Object, values: Object, options: Object, internal: Object,
        tracing: Object, count: u32, instrumentation: Object);
    translate_4, 3, internal: (source: Object, ids: Object, values: Object, options: Object, internal: Object,
        tracing: Object, count: u32, instrumentation: Object, hash: u64);
}

/// Contents of a buffer.
///
/// # Safety
/// It is a buffer of the compiler's, which is not changed while the result lives.
unsafe fn contents<'a>(buffer: Object) -> &'a [u8] {
    // SAFETY: the caller's contract.
    unsafe {
        let (memory, size) = (
            call!(buffer, MEMORY; ; *const u8),
            call!(buffer, SIZE; ; usize),
        );
        match memory.is_null() {
            true => &[],
            false => std::slice::from_raw_parts(memory, size),
        }
    }
}

/// Adds the options for vISA to a translation's internal options, if there are any to add to.
///
/// # Safety
/// The buffer is null or one of the compiler's.
unsafe fn ask(internal: Object) {
    if internal.is_null() {
        return;
    }
    // SAFETY: the caller's contract. A buffer of constant memory is copied when it is changed.
    unsafe {
        let text = contents(internal);
        let length = text
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |last| last + 1);
        if length < text.len() {
            call!(internal, RESIZE; length => usize; bool);
        }
        call!(internal, PUSH_BACK; VISA.as_ptr() => *const u8, VISA.len() => usize; bool);
        call!(internal, RESIZE; length + VISA.len() - 1 => usize; bool);
    }
}

/// A translation's output, with our code in its object file if that can be.
///
/// # Safety
/// The output is null or one of the compiler's.
unsafe fn replaced(output: Object) -> Object {
    if output.is_null() {
        return output;
    }
    // SAFETY: the caller's contract; the output's buffer lives as long as the output.
    unsafe {
        if !call!(output, SUCCESSFUL; ; bool) {
            return output;
        }
        let buffer = call!(output, OUTPUT; BUFFER_VERSION => u64; Object);
        if buffer.is_null() {
            return output;
        }
        let made = catch_unwind(AssertUnwindSafe(|| code::finalized(contents(buffer))));
        let made = made.unwrap_or_else(|_| {
            code::log("driver: a fault of Kiln's");
            None
        });
        if let Some(made) = made {
            call!(buffer, CLEAR; ; ());
            call!(buffer, PUSH_BACK; made.as_ptr() => *const u8, made.len() => usize; bool);
        }
    }
    output
}
