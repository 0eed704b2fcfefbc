//! A progress bar for long runs, on a terminal only.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long a run is before a bar appears, and how often it changes after that.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// Does `work`, which counts what is done in its argument, and meanwhile shows how much of `total`
/// such `things` that is. Standard error must be a terminal, or nothing is shown.
pub fn with_bar<T>(total: u64, things: &str, work: impl FnOnce(&AtomicU64) -> T) -> T {
    let done = AtomicU64::new(0);
    let (ended, end) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let end = end;
            if end.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template(&format!(
                "{{bar:40}} {{pos}}/{{len}} {things}, {{eta}} left"
            ));
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            while end.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.set_position(done.load(Relaxed));
            }
            bar.finish_and_clear();
        });
        let result = work(&done);
        drop(ended);
        result
    })
}
