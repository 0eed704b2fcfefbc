//! The front end for LLVM IR of the GenX backend: text, bitcode or SPIR-V in, vISA out.
//!
//! [`compile`] reads a module ([`ll`]), which becomes an IR of its own ([`ir`]); [`passes`] lower it, and [`emit`]
//! makes vISA of it with [`kiln_visa::build`]. Nothing here knows Gen machine code.

pub mod bc;
pub mod emit;
pub mod error;
pub mod intrinsics;
pub mod ir;
pub mod ll;
pub mod passes;
pub mod spv;

use kiln_platform::platform::Platform;
use kiln_visa::module::Module as Visa;

use emit::module::Interface;
use error::{Code, Diagnostic, Loc, Result};
use ir::Module;
pub use passes::kernels::Variant;

/// Bytes of bitcode and SPIR-V before the first record.
const MAGIC_BYTES: u64 = 4;

/// Options of a compilation.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub platform: &'static Platform,
    /// Form of the dialect; `None` to see which it is.
    pub variant: Option<Variant>,
}

/// The vISA of a module, and the interfaces of its kernels.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub visa: Visa,
    /// Interfaces of the kernels, in the order of the module.
    pub interfaces: Vec<Interface>,
    /// Parts that are compiled in another way than the module asks for.
    pub warnings: Vec<Diagnostic>,
}

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
    compile_module(bytes, options).map_err(|mut error| {
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
    })
}

fn compile_module(bytes: &[u8], options: &Options) -> Result<Compiled> {
    let mut module = read(bytes)?;
    let (kernels, calls) = described(&mut module, options.variant)?;
    if !module.functions.values().any(emit::diverges) {
        return lower(&mut module, &kernels, &calls, options, true);
    }
    // Branches of channels that break the rules become logic on masks.
    let mut kept = module.clone();
    match lower(&mut kept, &kernels, &calls, options, false) {
        Ok(compiled) => Ok(compiled),
        Err(broken) => {
            let mut compiled = lower(&mut module, &kernels, &calls, options, true)?;
            compiled.warnings.push(*broken);
            Ok(compiled)
        }
    }
}

/// Runs the passes, with that for divergent control flow if it is asked for, and makes vISA.
fn lower(
    module: &mut Module,
    kernels: &[passes::kernels::Kernel],
    calls: &passes::calls::Calls,
    options: &Options,
    masks: bool,
) -> Result<Compiled> {
    for (name, pass) in passes::ALL {
        if masks || *name != passes::SIMDCF {
            run(module, kernels, name, *pass)?;
        }
    }
    let (objects, interfaces) = emit::module::objects(module, kernels, calls, options.platform)?;
    let places = objects.iter().map(|object| {
        let insts = object.insts.iter();
        insts.map(|inst| inst.place).collect::<Vec<_>>()
    });
    let places: Vec<_> = places.collect();
    let visa = kiln_visa::build::module(objects).map_err(|found| {
        let first = found.0.first();
        let place = first.and_then(|found| places.get(found.object)?.get(found.inst?));
        let loc = place.map_or(Loc::default(), |place| match place.column {
            0 => Loc::byte(place.pos.into()),
            column => Loc {
                line: place.pos,
                column,
                byte: 0,
            },
        });
        Diagnostic::new(Code::Rule, loc, found.to_string())
    })?;
    Ok(Compiled {
        visa,
        interfaces,
        warnings: Vec::new(),
    })
}

/// The kernels of a module, and the functions that they reach. All others lose their code.
fn described(
    module: &mut Module,
    variant: Option<Variant>,
) -> Result<(Vec<passes::kernels::Kernel>, passes::calls::Calls)> {
    let kernels = passes::kernels::find(module, variant)?;
    let calls = passes::calls::find(module, &kernels)?;
    calls.remove_others(module);
    Ok((kernels, calls))
}

/// Text of the IR as it was read, and after each pass up to the first error, with their names.
pub fn stages(bytes: &[u8], variant: Option<Variant>) -> (Vec<(&'static str, String)>, Result<()>) {
    let mut module = match read(bytes) {
        Ok(module) => module,
        Err(error) => return (Vec::new(), Err(error)),
    };
    let mut stages = vec![(READ, ir::print::print(&module))];
    let kernels = match described(&mut module, variant) {
        Ok((kernels, _)) => kernels,
        Err(error) => return (stages, Err(error)),
    };
    let done = passes::ALL.iter().try_for_each(|(name, pass)| {
        run(&mut module, &kernels, name, *pass)?;
        stages.push((name, ir::print::print(&module)));
        Ok(())
    });
    (stages, done)
}

/// Names of the stages: the IR as it was read, and the passes.
pub fn stage_names() -> impl Iterator<Item = &'static str> {
    std::iter::once(READ).chain(passes::ALL.iter().map(|(name, _)| *name))
}

/// Name of the first stage: the IR as it was read.
pub const READ: &str = "read";

/// Runs a pass over all functions.
fn run(
    module: &mut Module,
    kernels: &[passes::kernels::Kernel],
    name: &str,
    pass: passes::Pass,
) -> Result<()> {
    for id in module.functions.keys().collect::<Vec<_>>() {
        if module.functions[id].is_declaration() {
            continue;
        }
        let kernel = kernels.iter().find(|kernel| kernel.function == id);
        let empty = ir::Function::new("".into(), ir::Types::VOID);
        let mut function = std::mem::replace(&mut module.functions[id], empty);
        let done = pass(module, &mut function, kernel);
        module.functions[id] = function;
        done?;
    }
    if cfg!(debug_assertions)
        && let Err(error) = ir::verify::module(module)
    {
        let text = ir::print::print(module);
        panic!("pass {name} breaks a rule: {error}\n{text}");
    }
    Ok(())
}
