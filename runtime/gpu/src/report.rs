//! Reports of launches and of faults, on standard error.

use std::fmt::Display;
use std::sync::Mutex;
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

/// Says that a program has the device.
pub fn used() {
    let mut sums = SUMS.lock().unwrap_or_else(|e| e.into_inner());
    sums.get_or_insert_default();
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
