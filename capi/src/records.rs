//! Types of the interface: results, enumerations and structures.
//!
//! Enumerations given by C are integers here, because C may pass any number; those returned to C are enums.

use std::ffi::{CStr, c_char, c_void};

/// Result of a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KilnResult {
    Ok = 0,
    /// A pointer is NULL that must not be.
    Null = 1,
    /// A number is unknown or too large, or a pointer is not aligned.
    Argument = 2,
    /// A string is not UTF-8.
    Utf8 = 3,
    /// The program was compiled with another version of kiln.h.
    Abi = 4,
    /// There is no object of that name or index.
    NotFound = 5,
    /// The buffer is too short; the required size is returned.
    ShortBuffer = 6,
    /// The input has errors, or instructions that are not supported: see the diagnostics.
    Visa = 7,
    /// Code cannot be loaded there, or a symbol has no address.
    Load = 8,
    /// No object file can be made or read.
    Object = 9,
    /// The kernel cannot be launched so, or its execution failed.
    Run = 10,
    /// The system has no memory or threads, or the cache's folder cannot be used: see the log.
    System = 11,
    /// An internal error. The objects of the call are unchanged.
    Internal = 12,
    /// The compilation was cancelled, or took longer than the session's limit.
    Stopped = 13,
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
        (
            KilnResult::Stopped,
            c"the compilation was cancelled or took too long",
        ),
    ];
}

/// Severity of a message.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KilnSeverity {
    Error = 0,
    /// Legal, but probably a mistake.
    Warning = 1,
    /// Occurs only in the log.
    Info = 2,
}

/// Priority of a compilation.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KilnTier {
    /// Fast code.
    Best = 0,
    /// Short compile time.
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

/// Kind of a part of a program.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KilnPartKind {
    /// Threads are dispatched to it.
    Kernel = 0,
    /// Code that is called by its address.
    Function = 1,
}

/// Value of a relocated field.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KilnRelocationKind {
    /// The address, 64 bits.
    Address = 0,
    /// Low 32 bits of the address.
    AddressLow = 1,
    /// High 32 bits of the address.
    AddressHigh = 2,
    /// The distance from the start of the instruction, which is 12 bytes before the field, 32 bits.
    Distance = 3,
}

/// Format of the argument layout that an object file needs.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KilnLayout {
    /// An object file of the same program, or a `.ze_info` document.
    Info = 0,
    /// An interface: a document with the meaning of each input, written by hand or by a compiler.
    Interface = 1,
    /// The inputs of the vISA alone, each of which is taken for an argument.
    Inputs = 2,
}

/// Kind of a kernel's argument.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KilnArgKind {
    /// Memory that the kernel reads and writes: `size` bytes at `data`, which contain its results afterwards.
    Buffer = 0,
    /// A value: `size` bytes at `data`, as many as the argument's type has.
    Value = 1,
    /// `size` bytes of shared local memory; `data` is ignored.
    Local = 2,
}

/// Receives the messages of a session, one line each, with the pointer of its options. It is called by the thread that
/// called the library, and must return.
pub type KilnLog =
    Option<unsafe extern "C" fn(user: *mut c_void, severity: KilnSeverity, message: *const c_char)>;

/// Resolves a symbol; returns 0 if it is unknown. It is called by the thread that called the library, and must return.
pub type KilnResolve = Option<
    unsafe extern "C" fn(user: *mut c_void, symbol: *const c_char, address: *mut u64) -> i32,
>;

/// Looks an entry of a code cache up: copies it to `value` if it has no more than `capacity` bytes, and returns its
/// size, or 0 if there is none. The key has `key_size` bytes, the first argument is the pointer of the options. Every
/// thread of the session may call it; it must return.
pub type KilnCacheGet = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        key: *const c_void,
        key_size: usize,
        value: *mut c_void,
        capacity: usize,
    ) -> usize,
>;

/// Keeps an entry of a code cache; returns 0 if it cannot be kept, which stops no compilation. Every thread of the
/// session may call it; it must return.
pub type KilnCachePut = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        key: *const c_void,
        key_size: usize,
        value: *const c_void,
        size: usize,
    ) -> i32,
>;

/// Gives memory of that size and alignment (a power of two), or NULL, which ends the process. Every thread may call it;
/// it must return, and must not call the library.
pub type KilnAllocate =
    Option<unsafe extern "C" fn(user: *mut c_void, size: usize, alignment: usize) -> *mut c_void>;

/// Frees memory, given with its size and alignment. Every thread may call it; it must return, and must not call the
/// library.
pub type KilnFree = Option<
    unsafe extern "C" fn(user: *mut c_void, memory: *mut c_void, size: usize, alignment: usize),
>;

/// Functions for the library's memory, and the first argument of both.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnMemory {
    pub allocate: KilnAllocate,
    pub free: KilnFree,
    pub user: *mut c_void,
}

/// Estimated cycles of a thread, by cause.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnCost {
    /// All cycles, the sum of the parts below.
    pub cycles: f64,
    /// Issue of instructions.
    pub issue: f64,
    /// Bank conflicts between sources.
    pub banks: f64,
    /// Waits for the result of a computation.
    pub results: f64,
    /// Waits for a message's response, or for the read of its payload.
    pub messages: f64,
    /// Waits for a busy unit.
    pub units: f64,
}

/// Numbers of registers that live while an instruction executes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnLive {
    /// Offset of the instruction in the part's code, in bytes.
    pub offset: u32,
    /// General registers of which a byte lives, and bytes that live.
    pub grfs: u32,
    pub bytes: u32,
    /// General registers of which nothing certainly lives, but that an access through an address may read.
    pub maybe: u32,
    /// Halves of flags (16 channels).
    pub flags: u32,
    pub accumulators: u32,
    /// Words of the address register.
    pub addresses: u32,
}

/// A platform.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnPlatform {
    /// Name, such as "skl".
    pub name: [c_char; 16],
    /// 1 if Kiln compiles for it; machine code of every platform can be listed and executed.
    pub compiles: i32,
    /// Number of general registers of a thread, and bytes of one.
    pub grf_count: u32,
    pub grf_bytes: u32,
}

/// Options of a session. Zero is the default of all but the platform.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnOptions {
    /// Name of a platform.
    pub platform: *const c_char,
    /// A kiln_tier.
    pub tier: u32,
    /// Maximum number of general registers; 0 for all.
    pub grf_limit: u32,
    /// Number of threads that compile and execute for the session; 0 for the number of processors, 256 at most.
    pub threads: u32,
    /// 1 if threads of kernels may be interrupted in the middle (mid-thread preemption), else 0.
    pub preemption: u32,
    /// Receives messages, with `log_user` as its first argument; NULL for none. Every thread that uses the session may
    /// call it.
    pub log: KilnLog,
    pub log_user: *mut c_void,
    /// Folder of a code cache, created if necessary; NULL for no cache. kiln_compile_inputs and kiln_object_relink use
    /// it.
    pub cache: *const c_char,
    /// Maximum size of the cache in bytes; 0 for 1 GiB, UINT64_MAX for no limit.
    pub cache_limit: u64,
    /// 1 if object files get the source lines of their code (.debug_line), where the vISA has any, else 0.
    pub lines: u32,
    /// A kiln_allocator.
    pub allocator: u32,
    /// Functions that keep a code cache instead of a folder, with `cache_user` as their first argument: both or none.
    pub cache_get: KilnCacheGet,
    pub cache_put: KilnCachePut,
    pub cache_user: *mut c_void,
    /// Milliseconds after which a call that compiles ends with KILN_RESULT_STOPPED, at the end of the pass that runs; 0 for
    /// no limit.
    pub time_limit: u64,
}

/// A file of vISA in memory, text or binary.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnInput {
    /// Name for messages; may be NULL.
    pub name: *const c_char,
    pub data: *const c_void,
    pub size: usize,
}

/// A kernel or function of a program, with the functions that it calls by name, and its figures.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnPart {
    /// Valid until the program is recompiled or freed.
    pub name: *const c_char,
    pub kind: KilnPartKind,
    /// Bytes of machine code.
    pub code_size: usize,
    /// Offset in the image of kiln_program_load, in bytes.
    pub image_offset: usize,
    pub relocations: usize,
    pub symbols: usize,
    /// Number of channels of a thread.
    pub simd: u32,
    /// 1 if it waits at a barrier.
    pub barrier: u32,
    /// 1 if its threads must not be interrupted in the middle of the code.
    pub uninterruptible: u32,
    /// 1 if its threads must not run in pairs of execution units.
    pub unpaired: u32,
    /// Bytes of scratch space of a thread: data of the vISA, spill slots, and the stack.
    pub scratch_bytes: u32,
    pub spill_bytes: u32,
    pub stack_bytes: u32,
    /// Registers that are used anywhere.
    pub grf_used: u32,
    /// Messages that spill, and that fill.
    pub spills: u32,
    pub fills: u32,
    /// Instructions of vISA, and of machine code.
    pub visa_instructions: u64,
    pub instructions: u64,
    /// Seconds of compilation.
    pub seconds: f64,
}

/// A field in the code that loading fills in.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnRelocation {
    /// Offset of the field in bytes from the start of the part's code.
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
    /// Offset and size in bytes.
    pub offset: u32,
    pub size: u32,
}

/// Address of a program's code, and buffer for it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnLoad {
    /// Address as an instruction pointer, a multiple of 64.
    pub address: u64,
    /// Called once for each symbol that the program does not define, with `user` as its first argument; NULL if there
    /// is none.
    pub resolve: KilnResolve,
    pub user: *mut c_void,
    pub buffer: *mut c_void,
    pub capacity: usize,
}

/// An error or warning. Its strings are valid until the diagnostics are freed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KilnDiagnostic {
    pub severity: KilnSeverity,
    /// Identifies the kind of error, such as "V0014". Codes are stable and never reused.
    pub code: *const c_char,
    /// Name of the input, or NULL.
    pub file: *const c_char,
    /// The kernel or function, or NULL.
    pub kernel: *const c_char,
    /// Text of the instruction if the input is no text, or NULL.
    pub text: *const c_char,
    pub message: *const c_char,
    /// Index of the instruction, or -1.
    pub instruction: i64,
    /// Line and column in a text, from 1, else 0. Columns count bytes.
    pub line: u32,
    pub column: u32,
    /// Offset in a binary object in bytes, or -1.
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
    /// Name of the kernel.
    pub kernel: *const c_char,
    /// 1 to 3; sizes of other dimensions are ignored.
    pub dimensions: u32,
    /// Work-items in each dimension: a multiple of those of a group.
    pub global: [u32; 3],
    /// Work-items of a group.
    pub local: [u32; 3],
    pub args: *const KilnArg,
    pub arg_count: usize,
    /// Maximum number of executed instructions; 0 for 2^33.
    pub budget: u64,
}

/// Figures of a launch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct KilnFigures {
    pub instructions: u64,
    pub groups: u64,
    pub threads: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
}

/// Lookups and writes of a session's cache since the session was made, in entries.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct KilnCache {
    pub hits: u64,
    pub misses: u64,
    /// Damaged entries, which count as misses too.
    pub damaged: u64,
    pub written: u64,
    /// Entries that could not be written; the log has one message.
    pub unwritten: u64,
}
