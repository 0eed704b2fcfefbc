//! `kiln genx-ir`: accepts the command line of the reference finalizer, GenX_IR, for scripts that call it.
//!
//! Flags of GenX_IR are words with one dash. `flags.txt` lists those of the releases of 2022 and 2026 with the type of their
//! values. Flags that select outputs work as in GenX_IR, with the same file names; all others are accepted, have no
//! effect, and are reported. Outputs are `STEM.dat`, `STEM.asm` and `STEM.visaasm` in the current folder for the input
//! `STEM.visaasm`, and `STEM_fN.visaasm` for the functions. A listing begins with the lines by which scripts know GenX_IR's:
//! `//.kernel`, `//.platform`, `//.thread_config`, `//.options_string`, `//.instCount`, and `//.spill size` where there are spills.
//! It has no `//.declare`: a variable may move between registers, and `kiln compile --names` has its places. If there are several pieces of code, ours are
//! `STEM.NAME.dat`; the reference writes all but one of them to a file without a stem.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use kiln_compile::source;
use kiln_compile::{Compiled, Options, Session};
use kiln_emit::platform::{self, Platform};
use kiln_platform::abi;
use kiln_visa::module::Module;
use kiln_visa::{binary, print};
use miette::Report;

use super::compile::{asm, safe};
use super::exit::Exit;
use super::input::Input;
use super::output::{self, Outputs, is_standard};
use super::{platforms, report};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln genx-ir examples/saxpy/saxpy.visaasm -platform SKL -binary -output
  kiln genx-ir examples/saxpy/saxpy.visaasm -platform SKL -outputCisaBinaryName saxpy.isa")]
pub struct Args {
    /// The input, and flags of GenX_IR; `-platform PLATFORM` is required
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "FILE | FLAG"
    )]
    words: Vec<OsString>,
}

/// Flags with the type of their value: a `switch` may have `true`, `false` or a number; others have a `text`, a
/// `number` or two `numbers`.
const FLAGS: &str = include_str!("genx_ir/flags.txt");

/// The parsed command line.
#[derive(Default)]
struct Wanted {
    input: Option<PathBuf>,
    platform: Option<&'static Platform>,
    binary: bool,
    listing: bool,
    /// True if the listing goes to standard output.
    console: bool,
    text: bool,
    /// Path of a binary object to write.
    object: Option<PathBuf>,
    /// Path of the outputs, without extension.
    stem: Option<PathBuf>,
    unscheduled: bool,
    preemption: bool,
    abi: Option<u32>,
    grfs: Option<u32>,
    /// Flags without effect.
    noted: Vec<String>,
    /// Everything but the input, as it was given.
    flags: String,
}

/// An error in the command line.
struct Misuse(String);

/// Runs the command.
///
/// # Errors
/// The reason why nothing was written.
pub fn genx_ir(args: &Args) -> Result<Exit, Report> {
    let usage = |Misuse(what): Misuse| {
        output::print_error(&format!("error: {}", output::plain(&what)));
        Ok(Exit::Usage)
    };
    let wanted = match parse(&args.words) {
        Ok(wanted) => wanted,
        Err(misuse) => return usage(misuse),
    };
    let (Some(path), Some(platform)) = (&wanted.input, wanted.platform) else {
        let lacking = match wanted.input {
            None => "an input is expected: a file of vISA",
            Some(_) => "a platform is expected: -platform SKL",
        };
        return usage(Misuse(lacking.to_string()));
    };
    if !wanted.noted.is_empty() {
        let note = format!("no effect here: {}", wanted.noted.join(" "));
        output::say(&report::note(&note));
    }
    compile(&wanted, path, platform)
}

fn compile(wanted: &Wanted, path: &Path, platform: &'static Platform) -> Result<Exit, Report> {
    let input = Input::open(path)?;
    let options = Options {
        abi: wanted.abi.and_then(abi::stack).unwrap_or(&abi::STACK_2),
        interruptible: wanted.preemption,
        without: match wanted.unscheduled {
            true => vec!["schedule"],
            false => Vec::new(),
        },
        ..Options::new(platform).limited(wanted.grfs.map(|count| count.min(platform.grf_count)))
    };
    let sources = [input.source()];
    let mut outputs = Outputs::new([path]);
    let stem = match &wanted.stem {
        Some(stem) => stem.clone(),
        None if is_standard(path) => PathBuf::from("stdin"),
        None => path.file_stem().map_or_else(PathBuf::new, PathBuf::from),
    };
    if wanted.text || wanted.object.is_some() {
        let how = options.reading();
        let read = source::read(&input, &how).map_err(|e| report::input(&input, &e))?;
        let module = read.module;
        if let Some(path) = &wanted.object {
            let bytes = binary::write(&module).map_err(|e| report::file(&input.path, &e))?;
            outputs.add(path, bytes)?;
        }
        if wanted.text {
            texts(&mut outputs, module, &stem, path)?;
        }
    }
    let module = Session::new(options).compile_module(&sources);
    let module = module.map_err(|e| report::failure(std::slice::from_ref(&input), &e))?;
    let pieces: Vec<&Compiled> = module.kernels.iter().chain(&module.functions).collect();
    for (n, piece) in pieces.iter().enumerate() {
        let stem = match n {
            0 => stem.clone(),
            _ => appended(&stem, &format!(".{}", safe(&piece.name))),
        };
        if wanted.binary {
            outputs.add(&appended(&stem, ".dat"), piece.code.clone())?;
        }
        let listing = || heading(piece, platform, &wanted.flags) + &asm(&[piece], platform);
        if wanted.console {
            outputs.print(&listing());
        } else if wanted.listing {
            outputs.add(&appended(&stem, ".asm"), listing().into_bytes())?;
        }
    }
    outputs.write()?;
    Ok(Exit::Done)
}

/// Lines before the code of a listing.
fn heading(piece: &Compiled, platform: &Platform, flags: &str) -> String {
    // A line break in a name would end the comment.
    let one_line = |text: &str| output::plain(text).replace('\n', " ");
    let mut text = format!(
        "//.kernel {}\n//.platform {}\n//.thread_config numGRF={}\n//.options_string \"{}\"\n//.instCount {}\n",
        one_line(&piece.name),
        platform.finalizer_name,
        piece.grf_count,
        one_line(flags),
        piece.instructions
    );
    if piece.allocation.spill_bytes > 0 {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "//.spill size {}", piece.allocation.spill_bytes);
    }
    text + "\n"
}

/// Adds each object of a module as a text of its own: the first one, then the others by number.
fn texts(outputs: &mut Outputs, module: Module, stem: &Path, input: &Path) -> Result<(), Report> {
    let Module {
        version,
        objects,
        globals,
    } = module;
    for (n, object) in objects.into_iter().enumerate() {
        let one = Module {
            version,
            objects: vec![object],
            globals: globals.clone(),
        };
        let name = match n {
            0 => ".visaasm".to_string(),
            n => format!("_f{}.visaasm", n - 1),
        };
        let path = appended(stem, &name);
        if same_file(&path, input) {
            let note = format!("{} is the input, and stays as it is", report::name(&path));
            output::say(&report::note(&note));
            continue;
        }
        outputs.add(&path, print::print(&one).into_bytes())?;
    }
    Ok(())
}

fn same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// A path with a suffix.
fn appended(stem: &Path, end: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn parse(words: &[OsString]) -> Result<Wanted, Misuse> {
    let mut wanted = Wanted::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let flag = word.to_string_lossy();
        let after = rest.as_slice();
        if !flag.starts_with('-') || is_standard(Path::new(word)) {
            if let Some(first) = wanted.input.replace(word.into()) {
                let both = format!("{} and {flag}", first.display());
                return Err(Misuse(format!("one input is expected: {both}")));
            }
            continue;
        }
        let Some(kind) = kind(&flag) else {
            let mut what = format!("{flag}: no flag of GenX_IR");
            if let Some(meant) = platforms::alike(&flag, flags().map(|(name, _)| name)) {
                // Writing to a string cannot fail.
                let _ = write!(what, ": is {meant} meant?");
            }
            return Err(Misuse(what));
        };
        let mut value = || {
            let missing = || Misuse(format!("{flag}: a value is expected after it"));
            rest.next().ok_or_else(missing)
        };
        match kind {
            "switch" => {
                let on = is_on(rest.as_slice().first());
                if on.is_some() {
                    rest.next();
                }
                wanted.switch(&flag, on);
            }
            "text" => {
                let value = value()?;
                wanted.text(&flag, value)?;
            }
            "numbers" => {
                number(&flag, value()?)?;
                number(&flag, value()?)?;
                wanted.noted.push(flag.into_owned());
            }
            _ => {
                let value = number(&flag, value()?)?;
                wanted.number(&flag, value)?;
            }
        }
        let values = after.len() - rest.as_slice().len();
        for word in std::iter::once(word).chain(&after[..values]) {
            wanted.flags += &word.to_string_lossy();
            wanted.flags.push(' ');
        }
    }
    Ok(wanted)
}

/// The value of a switch, if the next word is one.
fn is_on(word: Option<&OsString>) -> Option<bool> {
    let word = word?.to_str()?;
    match word {
        "true" | "TRUE" => Some(true),
        "false" | "FALSE" => Some(false),
        word => unsigned(word).map(|number| number != 0),
    }
}

fn unsigned(word: &str) -> Option<u32> {
    match word.strip_prefix("0x").or(word.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

fn number(flag: &str, word: &OsString) -> Result<u32, Misuse> {
    let number = word.to_str().and_then(unsigned);
    number.ok_or_else(|| Misuse(format!("{flag}: {} is no number", word.display())))
}

fn flags() -> impl Iterator<Item = (&'static str, &'static str)> {
    FLAGS.lines().filter_map(|line| line.split_once(' '))
}

fn kind(flag: &str) -> Option<&'static str> {
    flags()
        .find(|(name, _)| *name == flag)
        .map(|(_, kind)| kind)
}

impl Wanted {
    fn switch(&mut self, flag: &str, on: Option<bool>) {
        let on = on.unwrap_or(true);
        match flag {
            "-binary" => self.binary = on,
            "-output" => self.listing = on,
            "-asmToConsole" => self.console = on,
            "-dumpcommonisa" => self.text = on,
            "-noschedule" => self.unscheduled = on,
            "-enablePreemption" => self.preemption = on,
            _ => self.noted.push(flag.to_string()),
        }
    }

    fn text(&mut self, flag: &str, value: &OsString) -> Result<(), Misuse> {
        match flag {
            "-platform" => {
                let name = value.to_string_lossy();
                let named = platform::named(&name);
                let named = named.ok_or_else(|| Misuse(platforms::unknown(&name)))?;
                let only_visa = || Misuse(platforms::only_visa(&name));
                self.platform = Some(named.platform.ok_or_else(only_visa)?);
            }
            "-asmOutput" => self.stem = Some(value.into()),
            "-outputCisaBinaryName" => self.object = Some(value.into()),
            _ => self.noted.push(flag.to_string()),
        }
        Ok(())
    }

    fn number(&mut self, flag: &str, value: u32) -> Result<(), Misuse> {
        match flag {
            "-abiver" => {
                let known = abi::stack(value).map(|_| value);
                let unknown = || Misuse(format!("-abiver: versions are 1 and 2, not {value}"));
                self.abi = Some(known.ok_or_else(unknown)?);
            }
            "-TotalGRFNum" => self.grfs = Some(value),
            _ => self.noted.push(flag.to_string()),
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "tests/genx_ir.rs"]
mod tests;
