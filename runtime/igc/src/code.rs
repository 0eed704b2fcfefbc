//! Object files of the compiler with our code, and the log of them.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use kiln_compile::finalize::{FinalizeError, Strip, finalize};
use kiln_compile::info::{self, InfoError};
use kiln_compile::{Options, Session};
use kiln_emit::zebin::Zebin;

/// Variable with the file of the log.
const LOG: &str = "KILN_LOG";
/// Variable with a folder that object files are also written to.
const OBJECTS: &str = "KILN_OBJECTS";
/// Variable that leaves the compiler's code in place.
const OBSERVE: &str = "KILN_OBSERVE";
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
    let made = match std::env::var_os(OBSERVE) {
        Some(_) => None,
        None => match made(object) {
            Ok((bytes, kernels)) => {
                if !kernels.is_empty() {
                    log(&format!("kiln: {}", kernels.join(" ")));
                }
                Some(bytes)
            }
            Err(error) => {
                log(&format!("driver: {error}"));
                None
            }
        },
    };
    if let Some(folder) = std::env::var_os(OBJECTS) {
        let kept = keep(Path::new(&folder), made.as_deref().unwrap_or(object));
        if let Err(error) = kept {
            log(&format!("driver: {}: {error}", folder.display()));
        }
    }
    made
}

/// Writes an object file into a folder, where it is whole under its name.
fn keep(folder: &Path, object: &[u8]) -> std::io::Result<()> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("{}-{number:05}", std::process::id()));
    std::fs::write(&path, object)?;
    std::fs::rename(&path, path.with_extension("zebin"))
}

fn made(object: &[u8]) -> Result<(Vec<u8>, Vec<String>), FinalizeError> {
    let zebin = Zebin::parse(object).map_err(InfoError::from)?;
    let platform = info::platform_of(&zebin).ok_or(FinalizeError::Platform)?;
    let session = Session::new(Options::new(platform));
    let strip = Strip {
        // Records of launches are for other compilations, too.
        visa: std::env::var_os(OBJECTS).is_none(),
        spirv: false,
    };
    let made = finalize(&session, zebin, strip, false, false)?;
    let bytes = made.zebin.write().map_err(FinalizeError::Write)?;
    Ok((bytes, made.replaced))
}
