//! Sessions: options, threads and a log, with which all else is done. And the platforms there are.

use std::ffi::{CString, c_char, c_void};

use kiln_runtime::{self as kiln, Diagnostic, Options, PLATFORMS, Tier, find_platform};

use crate::KILN_ABI_VERSION;
use crate::guard::guard;
use crate::pointer::{self, c_string};
use crate::pool::Pool;
use crate::records::{KilnLog, KilnOptions, KilnPlatform, KilnResult, KilnSeverity, KilnTier};

/// The most threads of a session.
const THREADS: u32 = 256;

/// Options, threads and a log. It can be used from several threads at the same time.
pub struct Session {
    pub kiln: kiln::Session,
    pub pool: Pool,
    log: Log,
}

/// Where messages go.
struct Log {
    function: KilnLog,
    user: *mut c_void,
}

// SAFETY: the pointer is only given back to the caller's function, which by the header is one that may be called from
// each thread that uses the session.
unsafe impl Send for Log {}
// SAFETY: the same.
unsafe impl Sync for Log {}

impl Session {
    /// Tells the log of something that is wrong.
    pub fn log(&self, diagnostic: &Diagnostic) {
        self.say(diagnostic.severity.into(), || diagnostic.to_string());
    }

    /// Tells the log something.
    pub fn say(&self, severity: KilnSeverity, message: impl FnOnce() -> String) {
        let Log { function, user } = self.log;
        if let Some(function) = function {
            let message: CString = c_string(&message());
            // SAFETY: the caller's function and pointer, used as the header says.
            unsafe { function(user, severity, message.as_ptr()) };
        }
    }
}

pub fn tier(number: u32) -> Result<Tier, KilnResult> {
    match number {
        n if n == KilnTier::Best as u32 => Ok(Tier::Best),
        n if n == KilnTier::Quick as u32 => Ok(Tier::Quick),
        _ => Err(KilnResult::Argument),
    }
}

/// Makes a session. `abi` is KILN_ABI_VERSION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_session_new(
    abi: u32,
    options: *const KilnOptions,
    out: *mut *mut Session,
) -> KilnResult {
    guard(|| {
        // SAFETY: the caller's contract.
        unsafe { pointer::put(out, std::ptr::null_mut()) }?;
        // Of another version nothing else is looked at.
        if abi != KILN_ABI_VERSION {
            return Err(KilnResult::Abi);
        }
        // SAFETY: the caller's contract.
        let given = unsafe { pointer::reference(options) }?;
        // SAFETY: the caller's contract.
        let platform = unsafe { pointer::string(given.platform) }?;
        let platform = find_platform(platform).ok_or(KilnResult::NotFound)?;
        if given.threads > THREADS || given.preemption > 1 {
            return Err(KilnResult::Argument);
        }
        let options = Options::new(platform).tier(tier(given.tier)?);
        let session = Session {
            kiln: kiln::Session::new(Options {
                grf_limit: match given.grf_limit {
                    0 => options.grf_limit,
                    limit => limit,
                },
                interruptible: given.preemption != 0,
                ..options
            }),
            pool: Pool::new(given.threads as usize).ok_or(KilnResult::System)?,
            log: Log {
                function: given.log,
                user: given.log_user,
            },
        };
        // SAFETY: the caller's contract.
        unsafe { pointer::put(out, Box::into_raw(Box::new(session))) }
    })
}

/// Frees a session, and waits for its threads to end. What was made with it stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_session_free(session: *mut Session) {
    // SAFETY: the caller's contract.
    unsafe { pointer::free(session) };
}

/// The platform of that number, from 0; behind the last, KILN_RESULT_NOT_FOUND.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_platform_get(index: usize, out: *mut KilnPlatform) -> KilnResult {
    guard(|| {
        let platform = PLATFORMS.get(index).ok_or(KilnResult::NotFound)?;
        let mut name = [0; 16];
        for (to, from) in name.iter_mut().take(15).zip(platform.name.bytes()) {
            *to = from.cast_signed() as c_char;
        }
        let view = KilnPlatform {
            name,
            compiles: platform.compiles.into(),
            grf_count: platform.grf_count,
            grf_bytes: platform.grf_bytes,
        };
        // SAFETY: the caller's contract.
        unsafe { pointer::put(out, view) }
    })
}
