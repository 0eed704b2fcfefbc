//! Object files without --info, and listings with source lines, for `kiln compile`.

use std::path::Path;

use kiln_compile::info::Info;
use kiln_compile::interface::Interface;
use kiln_compile::{Compiled, CompiledModule};
use kiln_emit::listing::{self, Annotations, Remark, Style};
use kiln_emit::platform::Platform;
use miette::Report;

use super::disasm::unit;
use super::input::Input;
use super::output::plain;
use super::report;

/// Reads interfaces; returns them with the name of their file.
///
/// # Errors
/// The file cannot be read, or holds none.
pub fn interface(path: &Path) -> Result<(&Path, Info), Report> {
    let input = Input::open(path)?;
    let interface = Interface::parse(&input).map_err(|e| report::file(path, &e))?;
    Ok((path, Info::Interface(interface)))
}

/// Interfaces guessed from the inputs of a module's kernels.
///
/// # Errors
/// An input has several elements, so that its kind is unknown.
pub fn guess(path: &Path, module: &CompiledModule) -> Result<Info, Report> {
    let interface = Interface::guess(module).map_err(|e| report::file(path, &e))?;
    Ok(Info::Interface(interface))
}

/// Warnings about guessed interfaces.
pub fn guessed(module: &CompiledModule) -> impl Iterator<Item = String> {
    let said = module.interface.is_some();
    let with_inputs = (module.kernels.iter()).filter(move |k| !said && !k.inputs.is_empty());
    with_inputs.map(|kernel| {
        let name = &kernel.name;
        format!("{name}: each .input is taken for an argument, since no --interface describes it")
    })
}

/// A name that fits in a comment.
fn one_line(name: &str) -> String {
    plain(name).replace('\n', " ")
}

/// Comments of a listing.
#[derive(Clone, Copy)]
pub struct Comments {
    /// The vISA instruction and source line of the code that follows.
    pub lines: bool,
    /// Registers that live at each instruction.
    pub live: bool,
}

/// Registers that live at each instruction of a kernel, as comments.
pub fn live(kernel: &Compiled, platform: &'static Platform) -> Vec<Remark> {
    let offsets: Vec<u32> = kernel.symbols.iter().map(|symbol| symbol.offset).collect();
    unit::live_remarks(&kernel.code, platform, &offsets)
}

/// Listings of kernels, with comments.
pub fn listings(kernels: &[&Compiled], platform: &'static Platform, comments: Comments) -> String {
    let one = |kernel: &&Compiled| match kernels {
        [_] => listing(kernel, platform, comments),
        _ => format!(
            "// kernel {}\n{}",
            one_line(&kernel.name),
            listing(kernel, platform, comments)
        ),
    };
    kernels.iter().map(one).collect()
}

fn listing(kernel: &Compiled, platform: &'static Platform, comments: Comments) -> String {
    let mut headings = Vec::new();
    let functions = kernel.symbols.iter().skip(1);
    headings.extend(functions.map(|function| Remark {
        offset: function.offset.into(),
        text: format!("function {}", one_line(&function.name)),
    }));
    for line in kernel.lines.lines.iter().filter(|_| comments.lines) {
        let mut text = match line.visa {
            Some(visa) => format!("vISA {visa}"),
            None => continue,
        };
        if let Some(source) = line.source {
            let file = kernel.lines.file(source).unwrap_or_default();
            text += &format!(", {}:{}", one_line(file), source.line);
        }
        headings.push(Remark {
            offset: line.offset.into(),
            text,
        });
    }
    headings.sort_by_key(|remark| remark.offset);
    let annotations = Annotations {
        headings,
        comments: match comments.live {
            true => live(kernel, platform),
            false => Vec::new(),
        },
        ..Annotations::default()
    };
    let mut text = String::new();
    let style = Style::Labels;
    listing::list_onto(&kernel.code, platform, style, &annotations, &mut text);
    text
}
