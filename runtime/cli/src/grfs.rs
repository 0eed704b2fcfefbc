//! Options for the number of registers of compiled code.

use kiln_compile::{Grfs, Options};

#[derive(Debug, clap::Args)]
pub struct GrfArgs {
    /// Registers of a thread: one of the platform's modes, or `auto` for the usual one or, if code spills in it, the best from there on
    /// (docs/choose.md) [default: the kernel's attribute NumGRF, else the usual mode]
    #[arg(long = "grf", value_name = "MODE", value_parser = mode, conflicts_with = "grf_limit")]
    mode: Option<Mode>,
    /// Maximum number of registers
    #[arg(long, value_name = "N")]
    grf_limit: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
enum Mode {
    Auto,
    Count(u32),
}

fn mode(text: &str) -> Result<Mode, String> {
    match text {
        "auto" => Ok(Mode::Auto),
        _ => match text.parse() {
            Ok(count) => Ok(Mode::Count(count)),
            Err(_) => Err("a number of registers or `auto` is expected".to_string()),
        },
    }
}

impl GrfArgs {
    /// True if any of the options is given.
    pub fn is_given(&self) -> bool {
        self.mode.is_some() || self.grf_limit.is_some()
    }

    /// The options of a compilation with these.
    pub fn applied(&self, options: Options) -> Options {
        match self.mode {
            Some(Mode::Auto) => Options {
                grfs: Grfs::Auto,
                ..options
            },
            // Another number than that of a mode leaves registers unused.
            Some(Mode::Count(count)) => options.limited(Some(count)),
            None => options.limited(self.grf_limit),
        }
    }
}
