//! A progress bar for long runs, on a terminal only.
//!
//! It appears when a run has taken a second. Of one thing that takes long, which no bar could tell anything of, it
//! shows that the time goes on, and where that is counted, what was done meanwhile.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;

/// How long a run is before a bar appears, and how often it changes after that.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// What is done so far.
#[derive(Default)]
pub struct Done {
    /// Of the things that there are to do.
    pub things: AtomicU64,
    /// Instructions that were executed meanwhile, where some are.
    pub instructions: AtomicU64,
}

/// Does `of` for each item side by side, with a bar meanwhile; the results in the order of the items.
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

/// Does `work`, which counts what is done in its argument, and meanwhile shows how much of `total`
/// such `things` that is. Standard error must be a terminal, or nothing is shown.
pub fn with_bar<T>(total: u64, things: &str, work: impl FnOnce(&Done) -> T) -> T {
    let done = Done::default();
    // A thread takes as long to come and go as a small kernel does.
    if !std::io::stderr().is_terminal() {
        return work(&done);
    }
    let (ended, end) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let end = end;
            if end.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let template = match total {
                0 | 1 => "{spinner} {elapsed} {msg}".to_string(),
                _ => format!("{{bar:40}} {{pos}}/{{len}} {things}, {{eta}} left {{msg}}"),
            };
            let style = ProgressStyle::with_template(&template);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            while end.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
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
