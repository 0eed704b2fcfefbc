//! A progress bar for long runs, on a terminal only.
//!
//! The bar appears when a run has taken a second. For a single long task it shows the elapsed time, and the instructions
//! executed so far if they are counted.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;

/// Time before a bar appears, and between its updates.
const BAR_DELAY: Duration = Duration::from_secs(1);
const BAR_INTERVAL: Duration = Duration::from_millis(100);

/// Progress so far.
#[derive(Default)]
pub struct Done {
    /// Number of finished things.
    pub things: AtomicU64,
    /// Number of executed instructions, in a run.
    pub instructions: AtomicU64,
}

/// Maps the items in parallel under a progress bar; results are in the order of the items.
pub fn each<I: Sync, T: Send>(items: &[I], things: &str, of: impl Fn(&I) -> T + Sync) -> Vec<T> {
    with_bar(items.len() as u64, things, |done| {
        let of = |item| {
            let result = of(item);
            done.things.fetch_add(1, Relaxed);
            result
        };
        // Starting threads takes longer than a small file.
        match items {
            [only] => vec![of(only)],
            _ => items.par_iter().map(of).collect(),
        }
    })
}

/// Does `work`, which counts its progress in the argument, and shows a bar of the `total` things meanwhile. Without a
/// terminal as standard error, no bar is shown.
pub fn with_bar<T>(total: u64, things: &str, work: impl FnOnce(&Done) -> T) -> T {
    let done = Done::default();
    // Starting the bar's thread takes as long as compiling a small kernel.
    if !std::io::stderr().is_terminal() {
        return work(&done);
    }
    let (ended, end) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let end = end;
            if end.recv_timeout(BAR_DELAY) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let template = match total {
                0 | 1 => "{spinner} {elapsed} {msg}".to_string(),
                _ => format!("{{bar:40}} {{pos}}/{{len}} {things}, {{eta}} left {{msg}}"),
            };
            let style = ProgressStyle::with_template(&template);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            while end.recv_timeout(BAR_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                bar.set_position(done.things.load(Relaxed));
                bar.tick();
                let instructions = done.instructions.load(Relaxed);
                if instructions > 0 {
                    let millions = instructions / 1_000_000;
                    bar.set_message(format!("{millions} M instructions"));
                }
            }
            bar.finish_and_clear();
        });
        let result = work(&done);
        drop(ended);
        result
    })
}
