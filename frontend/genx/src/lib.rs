//! The front end for LLVM IR of the GenX backend: text or bitcode in, vISA out.
//!
//! [`compile`] reads a module ([`ll`]), which becomes an IR of its own ([`ir`]); [`passes`] lower it, and [`emit`]
//! makes vISA of it with [`kiln_frontend::build`]. Nothing here knows Gen machine code.

pub mod emit;
pub mod error;
pub mod intrinsics;
pub mod ir;
pub mod ll;
pub mod passes;

use kiln_frontend::module::Module as Visa;
use kiln_target::platform::Platform;

use emit::module::Interface;
use error::{Code, Diagnostic, Loc, Result};
use ir::Module;
pub use passes::kernels::Variant;

/// Options of a compilation.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub platform: &'static Platform,
    /// Form of the dialect; `None` to see which it is.
    pub variant: Option<Variant>,
}

/// What a module is compiled to.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub visa: Visa,
    /// Interfaces of the kernels, in the order of the module.
    pub interfaces: Vec<Interface>,
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

/// Compiles LLVM IR in text.
///
/// # Errors
/// What is wrong with it first, or not supported.
pub fn compile(text: &str, options: &Options) -> Result<Compiled> {
    let module = ll::parse(text)?;
    lower(module, options)
}

fn lower(mut module: Module, options: &Options) -> Result<Compiled> {
    let kernels = passes::kernels::find(&module, options.variant)?;
    for id in module.functions.keys().collect::<Vec<_>>() {
        if module.functions[id].is_declaration() {
            continue;
        }
        let empty = ir::Function::new("".into(), ir::Types::VOID);
        let mut function = std::mem::replace(&mut module.functions[id], empty);
        let lowered = prepare(&mut module, &mut function);
        module.functions[id] = function;
        lowered?;
    }
    let mut objects = Vec::new();
    let mut interfaces = Vec::new();
    for kernel in &kernels {
        let (object, interface) = emit::module::kernel(&module, kernel, options.platform)?;
        objects.push(object);
        interfaces.push(interface);
    }
    let visa = kiln_frontend::build::module(objects)
        .map_err(|found| Diagnostic::new(Code::Rule, Loc::default(), found.to_string()))?;
    Ok(Compiled { visa, interfaces })
}

/// The passes over a function before its code is made.
fn prepare(module: &mut Module, function: &mut ir::Function) -> Result<()> {
    passes::cfg::prune(function);
    passes::memory::lower(module, function)?;
    passes::simdcf::lower(module, function)?;
    passes::simplify::simplify(&mut module.types, function);
    passes::cfg::split_edges(function);
    Ok(())
}
