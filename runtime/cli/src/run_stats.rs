//! Figures of a run, as JSON or as tables.

use std::collections::BTreeMap;

use kiln_exec::{Count, Stats};
use serde::Serialize;

use super::stats::align;

/// Figures of the run of a kernel.
#[derive(Debug, Serialize)]
pub struct RunStats<'a> {
    kernel: &'a str,
    seconds: f64,
    groups: u64,
    threads: u64,
    instructions: u64,
    messages: u64,
    /// Sum over all instructions of the channels they acted on.
    channels: u64,
    bytes_read: u64,
    bytes_written: u64,
    by_instruction: Vec<Row<'a>>,
    by_message: Vec<Row<'a>>,
    /// Execution count of each instruction, in the order of the code.
    by_place: Vec<u64>,
    /// Text that the kernel printed.
    #[serde(skip_serializing_if = "str::is_empty")]
    printed: &'a str,
    /// Results of a launch file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    results: Vec<Checked>,
}

/// Comparison of a buffer with its expected contents.
#[derive(Debug, Serialize)]
pub struct Checked {
    /// Name of the file with the expected contents.
    pub expect: String,
    pub pass: bool,
    /// First difference, if there is one.
    pub mismatch: Option<String>,
}

impl Checked {
    pub fn line(&self) -> String {
        match &self.mismatch {
            Some(mismatch) => format!("{}: FAIL: {mismatch}\n", self.expect),
            None => format!("{}: pass\n", self.expect),
        }
    }
}

/// Execution count of one kind of instruction.
#[derive(Debug, Serialize)]
struct Row<'a> {
    name: &'a str,
    instructions: u64,
    channels: u64,
}

/// Kinds sorted by count, most frequent first.
fn rows(counts: &BTreeMap<String, Count>) -> Vec<Row<'_>> {
    let mut rows: Vec<Row> = counts
        .iter()
        .map(|(name, count)| Row {
            name,
            instructions: count.instructions,
            channels: count.lanes,
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.instructions));
    rows
}

impl<'a> RunStats<'a> {
    pub fn new(
        kernel: &'a str,
        stats: &'a Stats,
        seconds: f64,
        results: Vec<Checked>,
    ) -> RunStats<'a> {
        RunStats {
            kernel,
            seconds,
            groups: stats.groups,
            threads: stats.threads,
            instructions: stats.instructions,
            messages: stats.messages,
            channels: stats.lanes,
            bytes_read: stats.bytes_read,
            bytes_written: stats.bytes_written,
            by_instruction: rows(&stats.by_instruction),
            by_message: rows(&stats.by_message),
            by_place: (stats.by_place.iter().map(|count| count.instructions)).collect(),
            printed: &stats.printed,
            results,
        }
    }
}

/// The figures as tables: instructions, then messages, each with its count and the mean number of channels; then the
/// bytes that messages moved.
pub fn table(stats: &Stats) -> String {
    let mut out = String::new();
    for (heading, counts) in [
        ("instruction", &stats.by_instruction),
        ("message", &stats.by_message),
    ] {
        let mut table = vec![[heading, "executed", "%", "channels"].map(str::to_string)];
        table.extend(rows(counts).iter().map(|row| {
            let share = 100.0 * row.instructions as f64 / stats.instructions.max(1) as f64;
            [
                row.name.to_string(),
                row.instructions.to_string(),
                format!("{share:.1}"),
                format!(
                    "{:.1}",
                    row.channels as f64 / row.instructions.max(1) as f64
                ),
            ]
        }));
        out.push_str(&align(&table));
        out.push('\n');
    }
    let Stats {
        bytes_read,
        bytes_written,
        ..
    } = stats;
    out.push_str(&format!(
        "{bytes_read} bytes read, {bytes_written} bytes written\n"
    ));
    out
}
