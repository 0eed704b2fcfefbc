//! From vISA to machine code: every stage in its order.
//!
//! [`read`] takes a file's bytes, binary or text; [`compile`] takes one kernel of the module through
//! IR, selection, allocation and assembly. Each stage's result can be asked for as text
//! ([`Stage`]); in debug builds each stage's verifier runs behind it.

use std::time::Instant;

use kiln_emit::assemble::{self, Program, assemble};
use kiln_emit::encoding::EncodeError;
use kiln_emit::platform::Platform;
use kiln_emit::verify::Violation;
use kiln_frontend::binary::ReadError;
use kiln_frontend::module::{Module, Object};
use kiln_frontend::text::ParseError;
use kiln_frontend::verify::{Finding, Severity};
use kiln_ir::callgraph::{CallError, CallGraph};
use kiln_ir::cfg::CfgError;
use kiln_isel::lower::SelectError;
use kiln_regalloc::{AllocError, Stats};
use serde::Serialize;

/// The first bytes of a binary vISA object.
const MAGIC: &[u8; 4] = b"CISA";

/// What a file of vISA can be wrong in.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error(transparent)]
    Binary(#[from] ReadError),
    #[error(transparent)]
    Text(#[from] ParseError),
    #[error("byte {0}: neither a binary vISA object (it would begin with \"CISA\") nor text")]
    Neither(usize),
}

/// Why a kernel cannot be finalized.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    #[error(transparent)]
    Calls(#[from] CallError),
    #[error("{kernel}: {source}")]
    Flow { kernel: String, source: CfgError },
    #[error("{kernel}: {source}")]
    Select { kernel: String, source: SelectError },
    #[error(transparent)]
    Allocate(#[from] AllocError),
    #[error("{kernel}: {source}")]
    Encode { kernel: String, source: EncodeError },
    #[error("{kernel}: after {stage}: {what}")]
    Broken {
        kernel: String,
        stage: &'static str,
        what: String,
    },
}

/// A stage whose result can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Visa,
    Ir,
    Isel,
    Ra,
    Asm,
}

/// How a kernel is to be compiled.
#[derive(Clone)]
pub struct Options {
    pub platform: &'static Platform,
    /// GRFs that may be used, out of 128. Fewer than a kernel needs make it spill.
    pub grf_limit: u32,
    /// Run every verifier and have the allocation proved.
    pub verify: bool,
    /// Stages to print.
    pub dump: Vec<Stage>,
}

impl Options {
    pub fn new(platform: &'static Platform) -> Options {
        Options {
            platform,
            grf_limit: platform.grf_count,
            verify: cfg!(debug_assertions),
            dump: Vec::new(),
        }
    }
}

/// Seconds each phase took. Control flow's passes count among those of register allocation.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Seconds {
    pub ir: f64,
    pub isel: f64,
    pub regalloc: f64,
    pub emit: f64,
}

/// A place in the code that holds the address of a name, to be filled in by the loader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Of the field, in bytes from the start of the code.
    pub offset: u32,
    pub symbol: String,
    /// Width of the field: 64 or 32.
    pub bits: u8,
}

/// A finalized kernel.
pub struct Compiled {
    pub name: String,
    pub code: Vec<u8>,
    pub program: Program,
    pub relocations: Vec<Relocation>,
    /// Channels of a dispatch.
    pub simd: u8,
    /// Bytes at the start of scratch space that the vISA itself uses; spills come behind them.
    pub scratch_base: u32,
    /// Whether the kernel waits at a barrier.
    pub barrier: bool,
    /// Instructions of vISA and of Gen.
    pub visa_instructions: usize,
    pub instructions: usize,
    pub allocation: Stats,
    pub seconds: Seconds,
    /// The dumps asked for, in the order of the stages.
    pub dumps: Vec<(Stage, String)>,
}

/// The form that a file of vISA has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form<'a> {
    Binary,
    Text(&'a str),
}

/// What the bytes of a file are.
///
/// # Errors
/// They are neither.
pub fn form(bytes: &[u8]) -> Result<Form<'_>, InputError> {
    if bytes.starts_with(MAGIC) {
        return Ok(Form::Binary);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => match text.bytes().position(|b| b == 0) {
            None => Ok(Form::Text(text)),
            Some(at) => Err(InputError::Neither(at)),
        },
        Err(e) => Err(InputError::Neither(e.valid_up_to())),
    }
}

/// Reads a module from the bytes of a binary object or a text file.
///
/// # Errors
/// What is wrong with the file, and where.
pub fn read(bytes: &[u8]) -> Result<Module, InputError> {
    match form(bytes)? {
        Form::Binary => Ok(kiln_frontend::binary::read(bytes)?),
        Form::Text(text) => Ok(kiln_frontend::text::parse(text)?),
    }
}

/// Holds a module against the rules of vISA and of the platform; [`compile`] relies on them.
///
/// # Errors
/// The first error found. Warnings are none.
pub fn check(module: &Module, platform: &Platform) -> Result<(), Box<Finding>> {
    let findings = kiln_frontend::verify::check(module, Some(platform.generation));
    match findings
        .into_iter()
        .find(|f| f.severity() == Severity::Error)
    {
        Some(finding) => Err(Box::new(finding)),
        None => Ok(()),
    }
}

/// The kernels of a module in the order in which they are compiled: callees first.
///
/// # Errors
/// Calls that do not fit the functions they call.
pub fn order(module: &Module) -> Result<Vec<usize>, CompileError> {
    Ok(CallGraph::new(module)?
        .order()
        .into_iter()
        .flatten()
        .collect())
}

/// Finalizes one kernel of a module that [`check`] found nothing wrong with.
///
/// # Errors
/// What the kernel has that cannot be finalized, and at which instruction.
pub fn compile(object: &Object, options: &Options) -> Result<Compiled, CompileError> {
    let kernel = || object.name.to_string();
    let mut dumps = Vec::new();
    let wants = |stage| options.dump.contains(&stage);
    let mut seconds = Seconds::default();
    let mut clock = Instant::now();
    let mut lap = |seconds: &mut f64| {
        *seconds = clock.elapsed().as_secs_f64();
        clock = Instant::now();
    };

    let func = kiln_ir::build::build(object).map_err(|source| CompileError::Flow {
        kernel: kernel(),
        source,
    })?;
    lap(&mut seconds.ir);
    if options.verify {
        kiln_ir::verify::verify(&func).map_err(|e| broken(object, "the IR was built", &e))?;
    }
    if wants(Stage::Ir) {
        dumps.push((Stage::Ir, func.to_string()));
    }

    lap(&mut 0.0);
    let machine = kiln_isel::lower::select(&func, options.platform).map_err(|source| {
        CompileError::Select {
            kernel: kernel(),
            source,
        }
    })?;
    lap(&mut seconds.isel);
    // What the hardware would not run as it is written is an error in release builds too.
    for m in machine.blocks.iter().flat_map(|b| &b.insts) {
        if m.kind == kiln_isel::mir::Kind::Real {
            legal(object, "selection", &m.inst, options.platform)?;
        }
    }
    if wants(Stage::Isel) {
        dumps.push((Stage::Isel, machine.to_string()));
    }

    lap(&mut 0.0);
    let scratch_base = object
        .int_attr("SpillMemOffset")
        .and_then(|v| u32::try_from(v).ok())
        .unwrap_or(0);
    let settings = kiln_regalloc::Options {
        grf_limit: options.grf_limit,
        check: options.verify,
        scratch_base,
    };
    let mut allocated = kiln_regalloc::allocate(&machine, &settings)?;
    for &(block, index, symbol) in &allocated.symbols {
        allocated.program.blocks[block][index].symbol = Some(symbol);
    }
    kiln_emit::flow::run(&mut allocated.program);
    lap(&mut seconds.regalloc);
    if options.verify {
        for inst in allocated.program.blocks.iter().flatten() {
            legal(object, "allocation", inst, options.platform)?;
        }
        kiln_emit::verify::flow::check_program(&allocated.program)
            .map_err(|e| broken(object, "allocation", &e))?;
    }
    if wants(Stage::Ra) {
        dumps.push((Stage::Ra, program_text(&allocated.program)));
    }

    lap(&mut 0.0);
    let encode = |source| CompileError::Encode {
        kernel: kernel(),
        source,
    };
    let assembled = assemble(&allocated.program, options.platform).map_err(encode)?;
    let relocations = relocations(&assembled.relocations, &machine.symbols);
    let code = assembled.code;
    lap(&mut seconds.emit);
    if wants(Stage::Asm) {
        let style = kiln_emit::listing::Style::Labels;
        dumps.push((
            Stage::Asm,
            kiln_emit::listing::list(&code, options.platform, style),
        ));
    }
    Ok(Compiled {
        name: object.name.to_string(),
        simd: func.simd,
        scratch_base,
        barrier: machine.barrier,
        visa_instructions: object.insts.len(),
        instructions: allocated.program.blocks.iter().map(Vec::len).sum(),
        allocation: allocated.stats,
        program: allocated.program,
        relocations,
        code,
        seconds,
        dumps,
    })
}

/// The relocations by the names of their symbols.
fn relocations(found: &[assemble::Relocation], names: &[String]) -> Vec<Relocation> {
    let named = |relocation: &assemble::Relocation| Relocation {
        offset: relocation.offset,
        symbol: names[relocation.symbol as usize].clone(),
        bits: relocation.bits,
    };
    found.iter().map(named).collect()
}

fn broken(object: &Object, stage: &'static str, what: &dyn std::error::Error) -> CompileError {
    CompileError::Broken {
        kernel: object.name.to_string(),
        stage,
        what: what.to_string(),
    }
}

fn legal(
    object: &Object,
    stage: &'static str,
    inst: &kiln_emit::inst::Inst,
    platform: &Platform,
) -> Result<(), CompileError> {
    kiln_emit::verify::verify(inst, platform).map_err(|e: Violation| CompileError::Broken {
        kernel: object.name.to_string(),
        stage,
        what: format!("{inst}: {e}"),
    })
}

fn program_text(program: &Program) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    for (b, block) in program.blocks.iter().enumerate() {
        let _ = writeln!(text, "block{b}:");
        for inst in block {
            let _ = writeln!(text, "    {inst}");
        }
    }
    text
}
