//! Reports of launches and of faults, on standard error, and in a file for the program that started this one.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use kiln_exec::Stats;

/// Sums over all launches of the process.
#[derive(Default)]
struct Sums {
    launches: u64,
    groups: u64,
    threads: u64,
    instructions: u64,
    messages: u64,
    faults: u64,
    time: Duration,
}

/// Maximum number of things that are reported as unknown.
const MOST_UNKNOWN: usize = 100;

static SUMS: Mutex<Option<Sums>> = Mutex::new(None);
static FILE: OnceLock<PathBuf> = OnceLock::new();

/// Lines of the file: one when a process has the device, and one for each fault. The sums follow when the process exits; a signal may end it before.
pub const USED: &str = "used";
/// Line of a fault.
pub const FAULT: &str = "fault";

/// Says that a program has the device, whose report goes to a file that processes share.
pub fn used(file: Option<PathBuf>) {
    if let Some(file) = file {
        FILE.get_or_init(|| file);
    }
    let mut sums = SUMS.lock().unwrap_or_else(|e| e.into_inner());
    sums.get_or_insert_default();
    note(USED);
}

/// Appends a line to the file, if there is one.
fn note(line: &str) {
    if let Some(path) = FILE.get() {
        let file = OpenOptions::new().append(true).create(true).open(path);
        // A program does not end for want of a report. One write keeps lines of several processes whole.
        let _ = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    }
}

/// Adds a launch that has taken so long.
pub fn launched(stats: &Stats, time: Duration) {
    let mut sums = SUMS.lock().unwrap_or_else(|e| e.into_inner());
    let sums = sums.get_or_insert_default();
    sums.launches += 1;
    sums.groups += stats.groups;
    sums.threads += stats.threads;
    sums.instructions += stats.instructions;
    sums.messages += stats.messages;
    sums.time += time;
}

/// Reports a fault of the device.
pub fn fault(what: impl Display) {
    let mut sums = SUMS.lock().unwrap_or_else(|e| e.into_inner());
    sums.get_or_insert_default().faults += 1;
    note(FAULT);
    eprintln!("kiln gpu: {what}");
}

/// Reports what the device does not do, once for each text.
pub fn unknown(what: impl Display) {
    static KNOWN: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let what = what.to_string();
    let mut known = KNOWN.lock().unwrap_or_else(|e| e.into_inner());
    if known.len() < MOST_UNKNOWN && !known.contains(&what) {
        eprintln!("kiln gpu: {what}");
        known.push(what);
    }
}

/// Number of faults so far.
pub fn faults() -> u64 {
    let sums = SUMS.lock().unwrap_or_else(|e| e.into_inner());
    sums.as_ref().map_or(0, |sums| sums.faults)
}

/// Appends the sums to the file.
pub fn end() {
    if let Some(sums) = summary() {
        note(&sums);
    }
}

/// A line of sums, with the time of all launches; none if the device was never used.
pub fn summary() -> Option<String> {
    let sums = SUMS.lock().unwrap_or_else(|e| e.into_inner()).take()?;
    Some(format!(
        "{} launches, {} groups, {} threads, {} instructions, {} messages, {} faults, {:.2} s",
        sums.launches,
        sums.groups,
        sums.threads,
        sums.instructions,
        sums.messages,
        sums.faults,
        sums.time.as_secs_f64()
    ))
}
