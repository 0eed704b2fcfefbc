//! Launches of a program with the driver's code and with Kiln's, for `kiln gpu --both`.
//!
//! The driver's code has made the records; each is executed again with our code of its object file, and what both leave in the buffers is
//! compared by the launch file.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use kiln_gpu::Device;
use kiln_gpu::record::{LAUNCH, OBJECT};
use miette::Report;

use super::report;

/// Name of our object file in a record.
const OURS: &str = "kiln.zebin";

/// Compares all records below a folder; true if none differs. Says what does, and the numbers.
///
/// # Errors
/// The folder or this program cannot be read.
pub fn compare(records: &Path, device: &Device) -> Result<bool, Report> {
    let access = |e: &std::io::Error| report::access(records, e);
    let entries = std::fs::read_dir(records).map_err(|e| access(&e))?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.retain(|folder| folder.join(LAUNCH).is_file());
    folders.sort();
    let program = std::env::current_exe().map_err(|e| access(&e))?;
    let (mut equal, mut differ, mut left_out) = (0, 0, BTreeMap::<String, usize>::new());
    for folder in &folders {
        let ours = folder.join(OURS);
        let call = |words: &[&OsStr]| Command::new(&program).args(words).output();
        let [object, launch] = [OBJECT, LAUNCH].map(|name| folder.join(name));
        let (object, launch) = (object.as_os_str(), launch.as_os_str());
        let finalized = call(&[
            OsStr::new("finalize"),
            object,
            OsStr::new("-o"),
            ours.as_os_str(),
        ]);
        let finalized = finalized.map_err(|e| access(&e))?;
        if !finalized.status.success() {
            *left_out.entry(message(&finalized)).or_default() += 1;
            continue;
        }
        let run = |object: &OsStr| {
            let (name, option) = (OsStr::new(device.platform), OsStr::new("-p"));
            call(&[
                OsStr::new("run"),
                option,
                name,
                object,
                OsStr::new("--launch"),
                launch,
            ])
        };
        let made = run(ours.as_os_str()).map_err(|e| access(&e))?;
        if made.status.success() {
            equal += 1;
            continue;
        }
        // A record that the driver's own code does not repeat says nothing of ours.
        let theirs = run(object).map_err(|e| access(&e))?;
        if theirs.status.success() {
            differ += 1;
            eprintln!("kiln gpu: {} differs: {}", folder.display(), message(&made));
        } else {
            *left_out
                .entry("the record does not repeat".to_string())
                .or_default() += 1;
        }
    }
    let rest = left_out.values().sum::<usize>();
    eprintln!(
        "kiln gpu: {equal} launches equal with both codes, {differ} differ, {rest} not compared"
    );
    for (reason, count) in left_out {
        eprintln!("kiln gpu: not compared, {count} times: {reason}");
    }
    Ok(differ == 0)
}

/// The first lines of what a call says, in one.
fn message(output: &Output) -> String {
    let said = [output.stderr.as_slice(), output.stdout.as_slice()].concat();
    let said = String::from_utf8_lossy(&said);
    let words: Vec<&str> = said.split_whitespace().take(30).collect();
    words.join(" ")
}
