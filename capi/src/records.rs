//! What C and this library tell each other: results, numbers with names, and structures.
//!
//! A number that C gives is an integer here, as C may give any; a number that is given to C is an enum.

use std::ffi::{CStr, c_char, c_void};

/// How a call ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KilnResult {
    Ok = 0,
    /// A pointer is NULL that must not be.
    Null = 1,
    /// A number means nothing, or is too large, or a pointer is not aligned.
    Argument = 2,
    /// A string is not UTF-8.
    Utf8 = 3,
    /// The program was compiled with another version of kiln.h.
    Abi = 4,
    /// There is nothing of that name or number.
    NotFound = 5,
    /// The buffer is too short; the size needed is said.
    ShortBuffer = 6,
    /// The input is wrong, or has something that is not supported: the diagnostics say what.
    Visa = 7,
    /// Code cannot be loaded there, or a symbol has no address.
    Load = 8,
    /// No object file can be made or read.
    Object = 9,
    /// The kernel cannot be launched so, or its execution failed.
    Run = 10,
    /// The system gave no memory or threads, or no folder for a cache: the log says why.
    System = 11,
    /// Kiln itself is wrong. What the call would have changed is as it was.
    Internal = 12,
}

impl KilnResult {
    pub const ALL: &'static [(KilnResult, &'static CStr)] = &[
        (KilnResult::Ok, c"success"),
        (KilnResult::Null, c"a pointer is NULL that must not be"),
        (
            KilnResult::Argument,
            c"an argument means nothing or is too large",
        ),
        (KilnResult::Utf8, c"a string is not UTF-8"),
        (
            KilnResult::Abi,
            c"the program was compiled with another version of kiln.h",
        ),
        (
            KilnResult::NotFound,
            c"there is nothing of that name or number",
        ),
        (KilnResult::ShortBuffer, c"the buffer is too short"),
        (KilnResult::Visa, c"the vISA is wrong or not supported"),
        (KilnResult::Load, c"the code cannot be loaded there"),
        (KilnResult::Object, c"no object file can be made or read"),
        (KilnResult::Run, c"the execution failed"),
        (
            KilnResult::System,
            c"the system gave no memory, threads or folder for a cache",
        ),
        (KilnResult::Internal, c"an error within Kiln"),
    ];
}

/// How severe a message is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KilnSeverity {
    Error = 0,
    /// Legal, but likely not what was meant.
    Warning = 1,
    /// Only in the log.
    Info = 2,
}

/// What is wanted first.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KilnTier {
    /// Fast code.
    Best = 0,
    /// Code soon.
    Quick = 1,
}

/// The allocator of general registers.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KilnAllocator {
    /// A walk over the code that spills by distance to the next use.
    Scan = 0,
    /// regalloc2's, which splits live ranges and revises what it assigned.
    Ion = 1,
}

/// What a part of a program is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KilnPartKind {
    /// Threads are dispatched to it.
    Kernel = 0,
    /// It is called by its address.
    Function = 1,
}

/// What belongs into the field of a relocation.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KilnRelocationKind {
    /// The address, 64 bits.
    Address = 0,
    /// Its low 32 bits.
    AddressLow = 1,
    /// Its high 32 bits.
    AddressHigh = 2,
    /// The distance from the start of the instruction, which is 12 bytes before the field, 32 bits.
    Distance = 3,
}

/// Where the layout of kernels' arguments comes from, which an object file needs.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KilnLayout {
    /// An object file of the same program, or a `.ze_info` document.
    Info = 0,
    /// An interface: a document that says what each input is, written by hand or by a compiler.
    Interface = 1,
    /// The inputs of the vISA alone, each of which is taken for an argument.
    Inputs = 2,
}

/// What an argument of a kernel is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KilnArgKind {
    /// Memory that the kernel reads and writes: `size` bytes at `data`, which have its results afterwards.
    Buffer = 0,
    /// A value: the `size` bytes at `data`, as many as the argument's type has.
    Value = 1,
    /// `size` bytes of shared local memory; `data` is not looked at.
    Local = 2,
}

/// Takes the messages of a session: one line each, with the pointer of its options.
/// It is called by the thread that called the library, and must return.
pub type KilnLog =
    Option<unsafe extern "C" fn(user: *mut c_void, severity: KilnSeverity, message: *const c_char)>;

/// Finds the address of a symbol; 0 if it is not known. It is called by the thread that called the library, and must
/// return.
pub type KilnResolve = Option<
    unsafe extern "C" fn(user: *mut c_void, symbol: *const c_char, address: *mut u64) -> i32,
>;

/// A platform.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnPlatform {
    /// Such as "skl".
    pub name: [c_char; 16],
    /// 1 if code is made for it; the code of all can be listed and run.
    pub compiles: i32,
    /// General registers of a thread, and bytes of one.
    pub grf_count: u32,
    pub grf_bytes: u32,
}

/// How a session compiles. All zero but the platform is what most want.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnOptions {
    /// The name of a platform.
    pub platform: *const c_char,
    /// A kiln_tier.
    pub tier: u32,
    /// General registers that may be used; 0 for all.
    pub grf_limit: u32,
    /// Threads that compile and execute for the session; 0 for as many as the host has processors, 256 at most.
    pub threads: u32,
    /// 1 if threads of kernels may be interrupted in the middle (mid-thread preemption), else 0.
    pub preemption: u32,
    /// Takes messages, with `log_user` as its first argument; NULL for none. From as many threads as use the session.
    pub log: KilnLog,
    pub log_user: *mut c_void,
    /// The folder of a code cache, which is made if need be; NULL for no cache. kiln_compile_inputs and
    /// kiln_object_relink use it.
    pub cache: *const c_char,
    /// Bytes that the cache may take; 0 for 1 GiB, UINT64_MAX for no limit.
    pub cache_limit: u64,
    /// 1 if object files say which lines of the source their code comes from (.debug_line), where the vISA says it,
    /// else 0.
    pub lines: u32,
    /// A kiln_allocator.
    pub allocator: u32,
}

/// A file of vISA in memory, text or binary.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnInput {
    /// For messages; may be NULL.
    pub name: *const c_char,
    pub data: *const c_void,
    pub size: usize,
}

/// A kernel or function of a program, with all that it calls by name, and figures of it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnPart {
    /// Valid until the program is recompiled or freed.
    pub name: *const c_char,
    pub kind: KilnPartKind,
    /// Bytes of machine code.
    pub code_size: usize,
    /// Where kiln_program_load puts it, in bytes from the start of the image.
    pub image_offset: usize,
    pub relocations: usize,
    pub symbols: usize,
    /// Channels of a thread.
    pub simd: u32,
    /// 1 if it waits at a barrier.
    pub barrier: u32,
    /// 1 if its threads must not be interrupted in the middle.
    pub uninterruptible: u32,
    /// Bytes of scratch space a thread: what the vISA itself uses, then spills, then the stack.
    pub scratch_bytes: u32,
    pub spill_bytes: u32,
    pub stack_bytes: u32,
    /// Registers that hold something at one time or another.
    pub grf_used: u32,
    /// Messages that spill and that fill.
    pub spills: u32,
    pub fills: u32,
    /// Instructions of vISA, and of machine code.
    pub visa_instructions: u64,
    pub instructions: u64,
    /// Seconds that it took to compile.
    pub seconds: f64,
}

/// A place in the code that is filled in when it is loaded.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnRelocation {
    /// Of the field, in bytes from the start of the part's code.
    pub offset: u32,
    pub kind: KilnRelocationKind,
    /// Valid until the program is recompiled or freed.
    pub symbol: *const c_char,
}

/// A kernel or function within the code of a part.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnSymbol {
    /// Valid until the program is recompiled or freed.
    pub name: *const c_char,
    /// In bytes.
    pub offset: u32,
    pub size: u32,
}

/// Where a program's code is to lie, and where it is put for that.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnLoad {
    /// A multiple of 64, as instruction pointers count.
    pub address: u64,
    /// Is asked once for each symbol that the program does not define, with `user` as its first argument; NULL if there is
    /// none.
    pub resolve: KilnResolve,
    pub user: *mut c_void,
    pub buffer: *mut c_void,
    pub capacity: usize,
}

/// Something that is wrong. Its strings are valid until the diagnostics are freed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnDiagnostic {
    pub severity: KilnSeverity,
    /// What is wrong, such as "V0014": for ever the same, whatever the message says.
    pub code: *const c_char,
    /// The name of the input, or NULL.
    pub file: *const c_char,
    /// The kernel or function, or NULL.
    pub kernel: *const c_char,
    /// The instruction as text where the input is none, or NULL.
    pub text: *const c_char,
    pub message: *const c_char,
    /// The number of the instruction, or -1.
    pub instruction: i64,
    /// In a text, from 1, else 0. Columns are bytes.
    pub line: u32,
    pub column: u32,
    /// In a binary object, in bytes, or -1.
    pub offset: i64,
}

/// An argument of a kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnArg {
    /// A kiln_arg_kind.
    pub kind: u32,
    pub data: *mut c_void,
    pub size: usize,
}

/// A launch of a kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnLaunch {
    /// The kernel's name.
    pub kernel: *const c_char,
    /// 1 to 3; sizes of other dimensions are not looked at.
    pub dimensions: u32,
    /// Work-items in each dimension: a multiple of those of a group.
    pub global: [u32; 3],
    /// Work-items of a group.
    pub local: [u32; 3],
    pub args: *const KilnArg,
    pub arg_count: usize,
    /// Instructions executed at most; 0 for 2^33.
    pub budget: u64,
}

/// What a launch did.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct KilnFigures {
    pub instructions: u64,
    pub groups: u64,
    pub threads: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
}

/// What a session has found in its cache and written to it since it was made, in entries.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct KilnCache {
    pub hits: u64,
    pub misses: u64,
    /// That were found damaged, and are among the misses.
    pub damaged: u64,
    pub written: u64,
    /// That could not be written; the log is told once.
    pub unwritten: u64,
}
