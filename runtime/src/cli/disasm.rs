//! `kiln disasm`: the listing of machine code, raw or in an object file.

use std::path::PathBuf;

use kiln_emit::listing::{self, Style};
use kiln_emit::platform::Platform;
use kiln_emit::zebin::Zebin;
use miette::{Report, miette};

use super::finalize::no_kernel;
use super::info;
use super::input::Input;
use super::output::Outputs;
use super::platform_parser;

/// List machine code
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Zebin or raw machine code
    file: PathBuf,
    /// Platform that the code is for
    #[arg(short, long, default_value = "skl", value_parser = platform_parser())]
    platform: &'static Platform,
    /// Write branch targets as distances in bytes instead of labels
    #[arg(long)]
    numeric_labels: bool,
    /// List this kernel of a zebin only
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// File to write
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// Why nothing was written.
pub fn disasm(args: &Args) -> Result<(), Report> {
    let input = Input::open(&args.file)?;
    let style = if args.numeric_labels {
        Style::Numeric
    } else {
        Style::Labels
    };
    let list = |code: &[u8]| listing::list(code, args.platform, style);
    let text = if info::is_elf(&input) {
        let zebin = info::zebin(&input, args.platform)?;
        let wanted = args.kernel.as_deref();
        let kernels = zebin
            .kernels
            .iter()
            .filter(|k| wanted.is_none_or(|name| k.name == name));
        let kernels: Vec<_> = kernels.collect();
        if kernels.is_empty() {
            return Err(no_kernel(
                &input,
                wanted,
                zebin.kernels.iter().map(|k| k.name.as_str()),
            ));
        }
        let listed = |name: &str, text: &[u8]| match kernels.len() {
            1 => list(code(&zebin, name, text)),
            _ => format!("// kernel {name}\n{}", list(code(&zebin, name, text))),
        };
        kernels.iter().map(|k| listed(&k.name, &k.text)).collect()
    } else {
        let path = input.path.display();
        if args.kernel.is_some() {
            return Err(miette!(
                "{path}: not a zebin; raw machine code has no kernel names"
            ));
        }
        if input.is_empty() {
            return Err(miette!("{path}: the file is empty"));
        }
        if input.starts_with(b"CISA") {
            return Err(miette!(
                "{path}: this is vISA, not machine code; finalize it first"
            ));
        }
        list(&input)
    };
    let mut outputs = Outputs::default();
    outputs.add(&args.output, text.into_bytes())?;
    outputs.write()
}

/// A kernel's code without the padding behind it, if its symbol says where that begins.
fn code<'a>(zebin: &Zebin, name: &str, text: &'a [u8]) -> &'a [u8] {
    let size = zebin
        .symbols
        .iter()
        .find(|s| s.name == name && s.value == 0)
        .map(|s| s.size);
    size.and_then(|size| text.get(..usize::try_from(size).ok()?))
        .unwrap_or(text)
}
