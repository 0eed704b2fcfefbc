//! Sessions: options, threads and a log, which all other functions need; and the list of platforms.

use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use kiln_runtime::cache::Store;
use kiln_runtime::{
    self as kiln, Allocator, Cache, Diagnostic, Options, PLATFORMS, Stop, Tier, find_platform,
};

use crate::KILN_ABI_VERSION;
use crate::guard::guard;
use crate::pointer::{self, c_string};
use crate::pool::Pool;
use crate::records::{
    KilnAllocator, KilnCache, KilnLog, KilnOptions, KilnPlatform, KilnResult, KilnSeverity,
    KilnTier,
};

/// Maximum threads of a session.
const MAX_THREADS: u32 = 256;
/// Bytes that are offered first for an entry of a cache; most entries are shorter.
const FIRST_BUFFER: usize = 1 << 16;
/// Bytes of an entry that are taken at most.
const MAX_ENTRY: usize = 1 << 30;

/// Options, threads and a log. Several threads may use it at the same time.
pub struct Session {
    pub kiln: kiln::Session,
    pub pool: Pool,
    /// True if object files get the source lines of their code.
    pub lines: bool,
    cache: Option<Cache>,
    /// True if the log has the message that the cache cannot be written.
    told: AtomicBool,
    log: Log,
}

/// Receiver of messages.
struct Log {
    function: KilnLog,
    user: *mut c_void,
}

// SAFETY: the pointer is only passed back to the caller's function, which by the header may be called from each thread
// that uses the session.
unsafe impl Send for Log {}
// SAFETY: as for `Send`.
unsafe impl Sync for Log {}

impl Session {
    /// Reports a diagnostic to the log.
    pub fn log(&self, diagnostic: &Diagnostic) {
        self.say(diagnostic.severity.into(), || diagnostic.to_string());
    }

    /// Reports a message to the log.
    pub fn say(&self, severity: KilnSeverity, message: impl FnOnce() -> String) {
        self.log.say(severity, message);
    }

    /// Reports once that the cache cannot be written, which fails no compilation.
    pub fn tell_of_cache(&self) {
        let problem = self.cache.as_ref().and_then(Cache::problem);
        if let Some(problem) = problem
            && !self.told.swap(true, Relaxed)
        {
            let said = || format!("the cache cannot be written: {problem}");
            self.say(KilnSeverity::Warning, said);
        }
    }
}

impl Log {
    fn say(&self, severity: KilnSeverity, message: impl FnOnce() -> String) {
        if let Some(function) = self.function {
            let message: CString = c_string(&message());
            // SAFETY: the caller's function and pointer, used as the header says.
            unsafe { function(self.user, severity, message.as_ptr()) };
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

fn allocator(number: u32) -> Result<Allocator, KilnResult> {
    match number {
        n if n == KilnAllocator::Scan as u32 => Ok(Allocator::Scan),
        n if n == KilnAllocator::Ion as u32 => Ok(Allocator::Ion),
        _ => Err(KilnResult::Argument),
    }
}

/// The reason why one of the options has a value out of range.
fn wrong_option(given: &KilnOptions, platform: &kiln::Platform) -> Option<String> {
    let (limit, limits) = (given.grf_limit, Options::grf_limits(platform));
    if given.cache_get.is_some() != given.cache_put.is_some() {
        Some("cache_get and cache_put belong together".to_string())
    } else if given.cache_get.is_some() && !given.cache.is_null() {
        Some("a cache is in a folder or kept by functions, not both".to_string())
    } else if given.threads > MAX_THREADS {
        Some(format!(
            "threads is {}, at most {MAX_THREADS} are possible",
            given.threads
        ))
    } else if given.preemption > 1 {
        Some(format!(
            "preemption is {}, 0 or 1 is expected",
            given.preemption
        ))
    } else if given.lines > 1 {
        Some(format!("lines is {}, 0 or 1 is expected", given.lines))
    } else if tier(given.tier).is_err() {
        Some(format!("{} is no tier", given.tier))
    } else if allocator(given.allocator).is_err() {
        Some(format!("{} is no allocator", given.allocator))
    } else if limit != 0 && !limits.contains(&limit) {
        let (min, max, name) = (limits.start(), limits.end(), platform.name);
        Some(format!(
            "grf_limit is {limit}, {min} to {max} are possible on {name}"
        ))
    } else {
        None
    }
}

/// Makes a session. `abi` is KILN_ABI_VERSION. The reason of a failure is reported to the log of the options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_session_new(
    abi: u32,
    options: *const KilnOptions,
    out: *mut *mut Session,
) -> KilnResult {
    let work = || {
        // For another version the options have another layout.
        if abi != KILN_ABI_VERSION {
            return Err(KilnResult::Abi);
        }
        // SAFETY: the caller's contract.
        let given = unsafe { pointer::reference(options) }?;
        let log = Log {
            function: given.log,
            user: given.log_user,
        };
        let refuse = |result: KilnResult, reason: String| {
            log.say(KilnSeverity::Error, || reason);
            result
        };
        // SAFETY: the caller's contract.
        let name = unsafe { pointer::string(given.platform) }?;
        let platform = find_platform(name).ok_or_else(|| {
            refuse(
                KilnResult::NotFound,
                format!("{name}: no such platform; kiln_platform_get has all"),
            )
        })?;
        if let Some(reason) = wrong_option(given, platform) {
            return Err(refuse(KilnResult::Argument, reason));
        }
        let options = Options::new(platform).tier(tier(given.tier)?);
        let pool = Pool::new(given.threads as usize).ok_or_else(|| {
            refuse(
                KilnResult::System,
                "the session's threads cannot be started".to_string(),
            )
        })?;
        // SAFETY: the caller's contract.
        let cache = unsafe { cache(given, &pool, &log) }?;
        let stop = Stop::default();
        let kiln = kiln::Session::new(Options {
            stop: match given.time_limit {
                0 => stop,
                limit => stop.after(Duration::from_millis(limit)),
            },
            interruptible: given.preemption != 0,
            allocator: allocator(given.allocator)?,
            ..options.limited(Some(given.grf_limit).filter(|&limit| limit > 0))
        });
        Ok(Session {
            kiln: match &cache {
                Some(cache) => kiln.with_cache(cache.clone()),
                None => kiln,
            },
            pool,
            lines: given.lines != 0,
            cache,
            told: AtomicBool::new(false),
            log,
        })
    };
    // SAFETY: the caller's contract.
    guard(|| unsafe { pointer::make(out, work) })
}

/// Opens the cache that the options name.
///
/// # Safety
/// See the crate's documentation.
unsafe fn cache(given: &KilnOptions, pool: &Pool, log: &Log) -> Result<Option<Cache>, KilnResult> {
    if let (Some(get), Some(put)) = (given.cache_get, given.cache_put) {
        let user = given.cache_user;
        return Ok(Some(Cache::with_store(Functions { get, put, user })));
    }
    if given.cache.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's contract.
    let folder = unsafe { pointer::string(given.cache) }?;
    if folder.is_empty() {
        log.say(KilnSeverity::Error, || {
            "the path of the cache is empty".to_string()
        });
        return Err(KilnResult::Argument);
    }
    let limit = match given.cache_limit {
        0 => Cache::LIMIT,
        // The library's value for no limit differs.
        u64::MAX => 0,
        limit => limit,
    };
    // Memory that the library keeps for a thread that writes files is freed with the pool's threads; the caller's
    // would keep it.
    match pool.install(|| Cache::open(Path::new(folder), limit)) {
        Ok(cache) => Ok(Some(cache)),
        Err(error) => {
            let said = || format!("the cache in {folder} cannot be opened: {error}");
            log.say(KilnSeverity::Error, said);
            Err(KilnResult::System)
        }
    }
}

/// Functions of the caller that keep a cache.
struct Functions {
    get: unsafe extern "C" fn(*mut c_void, *const c_void, usize, *mut c_void, usize) -> usize,
    put: unsafe extern "C" fn(*mut c_void, *const c_void, usize, *const c_void, usize) -> i32,
    user: *mut c_void,
}

// SAFETY: the pointer is only passed back to the caller's functions, which by the header may be called from each thread
// that uses the session.
unsafe impl Send for Functions {}
// SAFETY: as for `Send`.
unsafe impl Sync for Functions {}

impl Functions {
    /// Has an entry copied into a buffer, and returns its size.
    fn copy(&self, key: &[u8], buffer: &mut [u8]) -> usize {
        let (to, capacity) = (buffer.as_mut_ptr().cast(), buffer.len());
        // SAFETY: the caller's function and pointer, used as the header says; the buffer has that capacity.
        unsafe { (self.get)(self.user, key.as_ptr().cast(), key.len(), to, capacity) }
    }
}

impl Store for Functions {
    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        let mut entry = vec![0; FIRST_BUFFER];
        for _ in 0..2 {
            let size = self.copy(key, &mut entry);
            if size <= entry.len() {
                entry.truncate(size);
                return Some(entry).filter(|entry| !entry.is_empty());
            }
            if size > MAX_ENTRY {
                return None;
            }
            entry = vec![0; size];
        }
        // Another entry took its place meanwhile.
        None
    }

    fn put(&self, key: &[u8], entry: &[u8]) -> Result<(), String> {
        let (from, size) = (entry.as_ptr().cast(), entry.len());
        // SAFETY: the caller's function and pointer, used as the header says.
        let kept = unsafe { (self.put)(self.user, key.as_ptr().cast(), key.len(), from, size) };
        match kept {
            0 => Err("its function refuses an entry".to_string()),
            _ => Ok(()),
        }
    }
}

/// Ends the calls that compile now for a session, on any thread, each at the end of the pass that runs: their result is
/// KILN_RESULT_STOPPED. Later calls are not concerned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_session_cancel(session: *const Session) -> KilnResult {
    guard(|| {
        // SAFETY: the caller's contract.
        let session = unsafe { pointer::reference(session) }?;
        session.kiln.options().stop.cancel();
        Ok(())
    })
}

/// Lookups and writes of a session's cache; KILN_RESULT_NOT_FOUND if it has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_session_cache(
    session: *const Session,
    out: *mut KilnCache,
) -> KilnResult {
    guard(|| {
        // SAFETY: the caller's contract.
        unsafe { pointer::put(out, KilnCache::default()) }?;
        // SAFETY: the caller's contract.
        let session = unsafe { pointer::reference(session) }?;
        let counts = session.cache.as_ref().map(Cache::counts);
        let counts = counts.ok_or(KilnResult::NotFound)?;
        let view = KilnCache {
            hits: counts.hits,
            misses: counts.misses,
            damaged: counts.damaged,
            written: counts.written,
            unwritten: counts.unwritten,
        };
        // SAFETY: the caller's contract.
        unsafe { pointer::put(out, view) }
    })
}

/// Frees a session, and waits for its threads to end. Objects made with it stay valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_session_free(session: *mut Session) {
    // SAFETY: the caller's contract.
    unsafe { pointer::free(session) };
}

/// The platform of an index, from 0; KILN_RESULT_NOT_FOUND after the last.
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
