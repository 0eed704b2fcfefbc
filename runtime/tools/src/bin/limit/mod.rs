//! Limits of processor time.

#[cfg(unix)]
use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};

/// Has the system end the process, by SIGXCPU, once it takes more than a number of seconds of processor time from now
/// on. A later call replaces the limit. Only Unix has such limits.
#[cfg(unix)]
pub fn limit_time(seconds: u64) {
    let used = getrusage(UsageWho::RUSAGE_SELF).expect("the time used");
    let used = used.user_time().tv_sec() + used.system_time().tv_sec();
    let (_, most) = getrlimit(Resource::RLIMIT_CPU).expect("a limit");
    // The system compares whole seconds.
    let limit = used as u64 + seconds + 1;
    setrlimit(Resource::RLIMIT_CPU, limit.min(most), most).expect("a limit");
}

#[cfg(not(unix))]
pub fn limit_time(_seconds: u64) {}
