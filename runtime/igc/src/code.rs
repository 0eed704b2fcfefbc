//! Object files of the compiler with our code, and the log of them.

use std::fs::OpenOptions;
use std::io::Write;

use kiln_compile::finalize::{FinalizeError, Strip, finalize};
use kiln_compile::info::{self, InfoError};
use kiln_compile::{Options, Session};
use kiln_emit::zebin::Zebin;

/// Variable with the file of the log.
const LOG: &str = "KILN_LOG";
/// First bytes of an object file.
const ELF: &[u8] = b"\x7fELF";

/// Appends a line to the log, if there is one.
pub fn log(line: &str) {
    let Some(path) = std::env::var_os(LOG) else {
        return;
    };
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n";
    let file = OpenOptions::new().append(true).create(true).open(path);
    // A log that cannot be written must not stop the program.
    let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
}

/// The object file with our code; none for other outputs, and where the compiler's code stays, which the log says.
pub fn finalized(object: &[u8]) -> Option<Vec<u8>> {
    if !object.starts_with(ELF) {
        return None;
    }
    match made(object) {
        Ok((bytes, kernels)) => {
            log(&format!("kiln: {}", kernels.join(" ")));
            Some(bytes)
        }
        Err(error) => {
            log(&format!("driver: {error}"));
            None
        }
    }
}

fn made(object: &[u8]) -> Result<(Vec<u8>, Vec<String>), FinalizeError> {
    let zebin = Zebin::parse(object).map_err(InfoError::from)?;
    let platform = info::platform_of(&zebin).ok_or(FinalizeError::Platform)?;
    let session = Session::new(Options::new(platform));
    let strip = Strip {
        visa: true,
        spirv: false,
    };
    let made = finalize(&session, zebin, strip, false, false)?;
    let bytes = made.zebin.write().map_err(FinalizeError::Write)?;
    Ok((bytes, made.replaced))
}
