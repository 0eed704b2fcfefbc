//! The front end for LLVM IR of the GenX backend: text, bitcode or SPIR-V in, vISA out.
//!
//! [`compile`] reads a module ([`ll`], [`bc`], [`spv`]) into an IR of its own ([`ir`]); each [`attempt`] lowers it by the
//! list of [`passes`], and [`emit`] makes vISA of it with [`kiln_visa::build`]. Nothing here knows Gen machine code.

pub mod attempt;
pub mod bc;
pub mod emit;
pub mod error;
pub mod intrinsics;
pub mod ir;
pub mod ll;
pub mod passes;
mod run;
pub mod spv;

use kiln_platform::platform::Platform;
use kiln_visa::module::Module as Visa;

use attempt::{ATTEMPTS, Attempt};
use emit::module::Interface;
use error::{Code, Diagnostic, Error, Loc, Result};
use ir::Module;
use passes::PASSES;
pub use passes::kernels::Variant;

/// Bytes of bitcode and SPIR-V before the first record.
const MAGIC_BYTES: u64 = 4;

/// Options of a compilation.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub platform: &'static Platform,
    /// Dialect; `None` to detect it.
    pub variant: Option<Variant>,
    /// Runs the verifier of the IR after each pass. It always runs after reading.
    pub verify: bool,
    /// Attempts to make, in their order; at least one.
    pub attempts: &'static [Attempt],
}

impl Options {
    /// All attempts, for either dialect; the verifier runs in debug builds.
    pub fn new(platform: &'static Platform) -> Options {
        Options {
            platform,
            variant: None,
            verify: cfg!(debug_assertions),
            attempts: ATTEMPTS,
        }
    }
}

/// The vISA of a module, and the interfaces of its kernels.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub visa: Visa,
    /// Interfaces of the kernels, in the order of the module.
    pub interfaces: Vec<Interface>,
    /// Texts that the driver keeps for what prints: the name of each, which code has the address of, and its bytes.
    pub strings: Vec<(String, Vec<u8>)>,
    /// The attempt that succeeded.
    pub attempt: &'static Attempt,
    /// Errors of earlier attempts: parts that are compiled in another way than the module asks for.
    pub warnings: Vec<Diagnostic>,
}

/// The IR in text after a pass, with the name of the pass; [`READ`] for the IR as it was read.
pub type Dump = (&'static str, String);

/// True if a file is LLVM IR in text, by the first of its lines that says something.
pub fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1 << 16)];
    let mut lines = head.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
    let Some(line) = lines.find(|line| {
        !line.is_empty() && !line.starts_with(b";") || line.starts_with(b"; ModuleID")
    }) else {
        return false;
    };
    const STARTS: [&[u8]; 9] = [
        b"; ModuleID",
        b"source_filename",
        b"target ",
        b"define ",
        b"declare ",
        b"@",
        b"%",
        b"attributes #",
        b"!",
    ];
    STARTS.iter().any(|start| line.starts_with(start))
}

/// True if a file is LLVM IR in bitcode, or SPIR-V, by its first bytes.
pub fn is_binary(bytes: &[u8]) -> bool {
    bc::is_bitcode(bytes) || spv::is_spirv(bytes)
}

/// Reads LLVM IR, in text, in bitcode or in SPIR-V, and verifies it.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn read(bytes: &[u8]) -> Result<Module> {
    let mut module = match std::str::from_utf8(bytes) {
        _ if bc::is_bitcode(bytes) => bc::parse(bytes)?,
        _ if spv::is_spirv(bytes) => spv::parse(bytes)?,
        Ok(text) => ll::parse(text)?,
        Err(error) => {
            let at = Loc::byte(error.valid_up_to() as u64);
            return Err(Diagnostic::new(Code::Syntax, at, "the text is no UTF-8"));
        }
    };
    ir::verify::module(&mut module)?;
    Ok(module)
}

/// Compiles LLVM IR, in text, in bitcode or in SPIR-V.
///
/// # Errors
/// The first fault, or the first part that is not supported, with its place. A fault of the whole file is at its start.
pub fn compile(bytes: &[u8], options: &Options) -> Result<Compiled> {
    let compiled = read(bytes).and_then(|module| run::compile(module, options, None));
    compiled.map_err(|error| placed(error, bytes))
}

/// As [`compile`], with the IR as it was read and after each pass that ran, up to an error.
pub fn compile_dumped(bytes: &[u8], options: &Options) -> (Vec<Dump>, Result<Compiled>) {
    let mut dumps = Vec::new();
    let compiled = read(bytes).and_then(|module| run::compile(module, options, Some(&mut dumps)));
    (dumps, compiled.map_err(|error| placed(error, bytes)))
}

/// Puts an error without a place at the start of the file.
fn placed(mut error: Error, bytes: &[u8]) -> Error {
    if error.loc == Loc::default() {
        error.loc = match is_binary(bytes) {
            true => Loc::byte(MAGIC_BYTES),
            false => Loc {
                line: 1,
                column: 1,
                byte: 0,
            },
        };
    }
    error
}

/// Names of the dumps: the IR as it was read, and the passes.
pub fn dump_names() -> impl Iterator<Item = &'static str> {
    std::iter::once(READ).chain(PASSES.iter().map(|pass| pass.name))
}

/// Name of the first dump: the IR as it was read.
pub const READ: &str = "read";
