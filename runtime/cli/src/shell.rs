//! `kiln completions` and `kiln man`: shell completions and manual pages generated from the command line's definition.

use std::fs;
use std::path::PathBuf;

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use miette::{Report, miette};

use super::exit::Exit;
use super::output::{Outputs, is_standard};
use super::report;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln completions bash > ~/.local/share/bash-completion/completions/kiln
  kiln completions fish > ~/.config/fish/completions/kiln.fish")]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
    /// File to write, `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln man -o man/man1    then: MANPATH=$PWD/man: man kiln-compile
  kiln man -o - > kiln.1")]
pub struct ManArgs {
    /// Folder to write to, created if necessary; `-` writes the page of the program to standard output
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

/// Runs `kiln completions`.
///
/// # Errors
/// The output cannot be written.
pub fn completions(args: &CompletionsArgs, mut program: Command) -> Result<Exit, Report> {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut program, "kiln", &mut bytes);
    let mut outputs = Outputs::default();
    outputs.add(&args.output, bytes)?;
    outputs.write()?;
    Ok(Exit::Done)
}

/// Runs `kiln man`.
///
/// # Errors
/// The output cannot be written.
pub fn man(args: &ManArgs, mut program: Command) -> Result<Exit, Report> {
    let mut outputs = Outputs::default();
    // Gives each verb its full name.
    program.build();
    if is_standard(&args.output) {
        outputs.add(&args.output, page(&program, "kiln")?)?;
        outputs.write()?;
        return Ok(Exit::Done);
    }
    fs::create_dir_all(&args.output).map_err(|e| report::access(&args.output, &e))?;
    outputs.add(&args.output.join("kiln.1"), page(&program, "kiln")?)?;
    let shown = |verb: &&Command| !verb.is_hide_set() && verb.get_name() != "help";
    for verb in program.get_subcommands().filter(shown) {
        let name = format!("kiln-{}", verb.get_name());
        outputs.add(&args.output.join(format!("{name}.1")), page(verb, &name)?)?;
    }
    outputs.write()?;
    Ok(Exit::Done)
}

fn page(command: &Command, name: &str) -> Result<Vec<u8>, Report> {
    let mut page = Vec::new();
    // An empty date keeps the pages reproducible.
    let man = Man::new(command.clone()).title(name).date("");
    man.render(&mut page).map_err(|e| miette!("{name}: {e}"))?;
    Ok(page)
}
