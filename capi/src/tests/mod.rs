//! The library as C calls it, with the mistakes that C can make.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use kiln_runtime::Allocator;
use kiln_runtime::finalize::{Strip, finalize_bytes};
use proptest::prelude::*;

use crate::diagnostics::{
    Diagnostics, kiln_diagnostics_count, kiln_diagnostics_free, kiln_diagnostics_get,
};
use crate::looks::{kiln_program_cost, kiln_program_listing, kiln_program_live};
use crate::object::{
    Object, kiln_object_bytes, kiln_object_finalize, kiln_object_free, kiln_object_make,
    kiln_object_read, kiln_object_relink, kiln_object_run,
};
use crate::pointer::c_string;
use crate::program::{
    Module, Program, kiln_compile, kiln_compile_inputs, kiln_module_free, kiln_module_load,
    kiln_program_code, kiln_program_find, kiln_program_free, kiln_program_load, kiln_program_part,
    kiln_program_parts, kiln_program_relocation, kiln_program_symbol, kiln_recompile,
};
use crate::records::{
    KilnArg, KilnArgKind, KilnCache, KilnCost, KilnDiagnostic, KilnFigures, KilnInput, KilnLaunch,
    KilnLayout, KilnLive, KilnLoad, KilnOptions, KilnPart, KilnPlatform, KilnRelocation,
    KilnResult, KilnSeverity, KilnSymbol,
};
use crate::session::{
    Session, kiln_platform_get, kiln_session_cache, kiln_session_cancel, kiln_session_free,
    kiln_session_new,
};
use crate::{KILN_ABI_VERSION, kiln_abi_version, kiln_result_text, kiln_version};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn file(path: &str) -> Vec<u8> {
    std::fs::read(root().join(path)).expect("a file of the repository")
}

fn options(platform: &CStr) -> KilnOptions {
    KilnOptions {
        platform: platform.as_ptr(),
        tier: 0,
        grf_limit: 0,
        threads: 2,
        preemption: 0,
        log: None,
        log_user: null_mut(),
        cache: null(),
        cache_limit: 0,
        lines: 0,
        allocator: 0,
        cache_get: None,
        cache_put: None,
        cache_user: null_mut(),
        time_limit: 0,
    }
}

/// A handle that is freed.
struct Handle<T>(*mut T, unsafe extern "C" fn(*mut T));

impl<T> Drop for Handle<T> {
    fn drop(&mut self) {
        // SAFETY: the handle is one of the library, freed once.
        unsafe { (self.1)(self.0) };
    }
}

fn session_of(options: &KilnOptions) -> Result<Handle<Session>, KilnResult> {
    let mut session = null_mut();
    // SAFETY: the pointers are of values that live.
    match unsafe { kiln_session_new(KILN_ABI_VERSION, options, &mut session) } {
        KilnResult::Ok => Ok(Handle(session, kiln_session_free)),
        result => {
            assert!(session.is_null());
            Err(result)
        }
    }
}

fn session() -> Handle<Session> {
    session_of(&options(c"skl")).expect("a session")
}

/// The codes of diagnostics, which are freed.
fn codes(diagnostics: *mut Diagnostics) -> Vec<String> {
    let handle = Handle(diagnostics, kiln_diagnostics_free);
    // SAFETY: the handle is one of the library or null.
    let count = unsafe { kiln_diagnostics_count(handle.0) };
    let get = |index| {
        let mut record = MaybeUninit::<KilnDiagnostic>::uninit();
        // SAFETY: the record is there, and then it is written; its strings live as long as the handle.
        unsafe {
            let result = kiln_diagnostics_get(handle.0, index, record.as_mut_ptr());
            assert_eq!(result, KilnResult::Ok);
            let record = record.assume_init();
            assert!(!CStr::from_ptr(record.message).is_empty());
            CStr::from_ptr(record.code)
                .to_str()
                .expect("a code")
                .to_string()
        }
    };
    (0..count).map(get).collect()
}

/// A failure: the result and the codes.
type Wrong = (KilnResult, Vec<String>);

/// The handle of a successful call, or the failure; the diagnostics are freed.
fn made<T>(
    result: KilnResult,
    handle: *mut T,
    found: *mut Diagnostics,
    free: unsafe extern "C" fn(*mut T),
) -> Result<Handle<T>, Wrong> {
    let found = codes(found);
    match result {
        KilnResult::Ok => Ok(Handle(handle, free)),
        result => {
            assert!(handle.is_null());
            Err((result, found))
        }
    }
}

fn load(session: &Handle<Session>, bytes: &[u8]) -> Result<Handle<Module>, Wrong> {
    let input = KilnInput {
        name: c"input".as_ptr(),
        data: bytes.as_ptr().cast(),
        size: bytes.len(),
    };
    let (mut module, mut found) = (null_mut(), null_mut());
    // SAFETY: the pointers are of values that live.
    let result = unsafe { kiln_module_load(session.0, &input, 1, &mut module, &mut found) };
    made(result, module, found, kiln_module_free)
}

fn compile(session: &Handle<Session>, module: &Handle<Module>) -> Result<Handle<Program>, Wrong> {
    let (mut program, mut found) = (null_mut(), null_mut());
    // SAFETY: the pointers are of values that live.
    let result = unsafe { kiln_compile(session.0, module.0, &mut program, &mut found) };
    made(result, program, found, kiln_program_free)
}

fn object_of(
    session: &Handle<Session>,
    program: &Handle<Program>,
    layout: u32,
    data: &[u8],
) -> Result<Handle<Object>, Wrong> {
    let (mut object, mut found) = (null_mut(), null_mut());
    let (s, p, bytes) = (session.0, program.0, data.as_ptr().cast());
    // SAFETY: the pointers are of values that live.
    let result =
        unsafe { kiln_object_make(s, p, layout, bytes, data.len(), &mut object, &mut found) };
    made(result, object, found, kiln_object_free)
}

fn read_object(session: &Handle<Session>, data: &[u8]) -> Result<Handle<Object>, Wrong> {
    let (mut object, mut found) = (null_mut(), null_mut());
    let bytes = data.as_ptr().cast();
    // SAFETY: the pointers are of values that live.
    let result = unsafe { kiln_object_read(session.0, bytes, data.len(), &mut object, &mut found) };
    made(result, object, found, kiln_object_free)
}

fn saxpy(session: &Handle<Session>) -> Handle<Program> {
    let module = load(session, &file("examples/saxpy/saxpy.visaasm")).expect("a module");
    compile(session, &module).expect("a program")
}

#[test]
fn the_header_is_that_of_the_crate() {
    let crate_dir = env!("CARGO_MANIFEST_DIR");
    let mut made = Vec::new();
    cbindgen::generate(crate_dir)
        .expect("a header")
        .write(&mut made);
    let path = Path::new(crate_dir).join("include/kiln.h");
    if std::env::var_os("KILN_WRITE_HEADER").is_some() {
        std::fs::write(&path, &made).expect("the header");
    }
    let committed = std::fs::read(&path).unwrap_or_default();
    assert!(
        committed == made,
        "capi/include/kiln.h is stale: KILN_WRITE_HEADER=1 cargo test -p kiln-capi header"
    );
}

/// Every snippet of the guide is in a program that runs: consecutive lines, up to indentation.
#[test]
fn the_guide_shows_what_runs() {
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| line.trim().to_string());
        lines.filter(|line| !line.is_empty()).collect()
    };
    let text = |path: &str| String::from_utf8(file(path)).expect("a text");
    let guide = text("docs/embedding.md");
    let mut snippets = 0;
    let paths = ["examples/embed.c", "examples/embed_hooks.c"];
    for (language, paths) in [("c", &paths[..]), ("rust", &["examples/embed.rs"])] {
        let sources: Vec<_> = paths.iter().map(|path| lines(&text(path))).collect();
        for block in guide.split(&format!("\n```{language}\n")).skip(1) {
            let snippet = lines(block.split("```").next().unwrap_or(""));
            let has = |source: &Vec<_>| source.windows(snippet.len()).any(|part| part == snippet);
            let shown = sources.iter().any(has);
            assert!(shown, "{paths:?} do not have:\n{}", snippet.join("\n"));
            snippets += 1;
        }
    }
    assert!(snippets >= 8, "only {snippets} snippets");
}

#[test]
fn versions_and_words_are_told() {
    // SAFETY: the strings are of the library.
    let text = |text: *const c_char| unsafe { CStr::from_ptr(text) }.to_str().expect("UTF-8");
    assert_eq!(text(kiln_version()), env!("CARGO_PKG_VERSION"));
    assert_eq!(kiln_abi_version(), KILN_ABI_VERSION);
    for (result, _) in KilnResult::ALL {
        assert!(!text(kiln_result_text(*result as u32)).is_empty());
    }
    assert_eq!(text(kiln_result_text(77)), "no result of this library");
    let mut names = Vec::new();
    for index in 0.. {
        let mut platform = MaybeUninit::<KilnPlatform>::uninit();
        // SAFETY: there is room for it, and it is read only if it was written.
        match unsafe { kiln_platform_get(index, platform.as_mut_ptr()) } {
            KilnResult::Ok => {
                // SAFETY: the call above said that it wrote the record.
                let platform = unsafe { platform.assume_init_ref() };
                names.push(text(platform.name.as_ptr()).to_string())
            }
            result => {
                assert_eq!(result, KilnResult::NotFound);
                break;
            }
        }
    }
    assert_eq!(
        names,
        kiln_runtime::PLATFORMS
            .iter()
            .map(|p| p.name)
            .collect::<Vec<_>>()
    );
}

#[test]
fn sessions_are_as_asked_or_refused() {
    let wrong = |change: &dyn Fn(&mut KilnOptions)| {
        let mut options = options(c"skl");
        change(&mut options);
        session_of(&options).err()
    };
    assert_eq!(wrong(&|_| ()), None);
    assert_eq!(wrong(&|o| o.platform = null()), Some(KilnResult::Null));
    assert_eq!(
        wrong(&|o| o.platform = c"z80".as_ptr()),
        Some(KilnResult::NotFound)
    );
    assert_eq!(
        wrong(&|o| o.platform = c"\xff\xfe".as_ptr()),
        Some(KilnResult::Utf8)
    );
    assert_eq!(wrong(&|o| o.tier = 2), Some(KilnResult::Argument));
    assert_eq!(wrong(&|o| o.threads = u32::MAX), Some(KilnResult::Argument));
    assert_eq!(wrong(&|o| o.preemption = 2), Some(KilnResult::Argument));
    assert_eq!(wrong(&|o| o.lines = 2), Some(KilnResult::Argument));
    assert_eq!(wrong(&|o| o.allocator = 2), Some(KilnResult::Argument));
    let given = options(c"skl");
    let mut out = null_mut();
    // SAFETY: null is allowed, and the rest are values that live.
    unsafe {
        assert_eq!(
            kiln_session_new(KILN_ABI_VERSION + 1, &given, &mut out),
            KilnResult::Abi
        );
        assert_eq!(
            kiln_session_new(KILN_ABI_VERSION, null(), &mut out),
            KilnResult::Null
        );
        assert_eq!(
            kiln_session_new(KILN_ABI_VERSION, &given, null_mut()),
            KilnResult::Null
        );
        let odd = (&raw const given).wrapping_byte_add(1);
        assert_eq!(
            kiln_session_new(KILN_ABI_VERSION, odd, &mut out),
            KilnResult::Argument
        );
    }
    assert_eq!(wrong(&|o| o.grf_limit = 1000), Some(KilnResult::Argument));
    assert_eq!(wrong(&|o| o.grf_limit = 3), Some(KilnResult::Argument));
}

/// Messages that a session's log received.
unsafe extern "C" fn keep_message(user: *mut c_void, _: KilnSeverity, message: *const c_char) {
    // SAFETY: the test gives a vector that outlives the session, and the library a string.
    unsafe {
        (*user.cast::<Vec<String>>()).push(CStr::from_ptr(message).to_string_lossy().into_owned())
    };
}

#[test]
fn a_session_that_cannot_be_made_says_why() {
    let said = |change: &dyn Fn(&mut KilnOptions)| {
        let mut messages: Vec<String> = Vec::new();
        let mut given = options(c"skl");
        given.log = Some(keep_message);
        given.log_user = (&raw mut messages).cast();
        change(&mut given);
        assert!(session_of(&given).is_err());
        messages.join("; ")
    };
    assert_eq!(
        said(&|o| o.grf_limit = 1000),
        "grf_limit is 1000, 24 to 128 are possible on skl"
    );
    assert!(said(&|o| o.platform = c"z80".as_ptr()).contains("z80: no such platform"));
    assert!(said(&|o| o.threads = u32::MAX).contains("at most 256"));
}

#[test]
fn a_session_has_the_allocator_that_is_asked_for() {
    for (number, allocator) in [(0, Allocator::Scan), (1, Allocator::Ion)] {
        let mut given = options(c"skl");
        given.allocator = number;
        let session = session_of(&given).expect("a session");
        // SAFETY: the handle is a session that lives.
        let session = unsafe { &*session.0 };
        assert_eq!(session.kiln.options().allocator, allocator);
    }
}

/// Counts the pointers of a call and makes one of them null.
struct Turn {
    null: usize,
    seen: Cell<usize>,
}

impl Turn {
    fn counts(&self) -> bool {
        self.seen.set(self.seen.get() + 1);
        self.seen.get() == self.null
    }

    fn at<T>(&self, pointer: *const T) -> *const T {
        if self.counts() { null() } else { pointer }
    }

    fn at_mut<T>(&self, pointer: *mut T) -> *mut T {
        if self.counts() { null_mut() } else { pointer }
    }
}

/// Name of a function, and a valid call of it.
type Walked = (&'static str, Box<dyn Fn(&Turn) -> KilnResult>);

/// Functions of the header that return a result, with the number of their pointers that must not be null.
fn prototypes() -> Vec<(String, usize)> {
    let header = String::from_utf8(file("capi/include/kiln.h")).expect("a text");
    let prototype = |text: &str| {
        let (name, rest) = text.split_once('(').expect("parameters");
        let parameters = rest.split_once(';').expect("an end").0.split(',');
        let may_be_null = |one: &str| one.contains("**diagnostics") || one.contains("*figures");
        let pointers = parameters.filter(|one| one.contains('*') && !may_be_null(one));
        (name.to_string(), pointers.count())
    };
    let results = header.split("\nenum kiln_result ").skip(1);
    results
        .filter(|text| text.starts_with("kiln_"))
        .map(prototype)
        .collect()
}

/// Every function of the header, with each of its pointers null in turn; and a valid call, which shows that nothing
/// else is wrong.
#[test]
fn null_is_an_error_everywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = c_string(folder.path().to_str().expect("UTF-8"));
    let mut cached = options(c"skl");
    cached.cache = path.as_ptr();
    let session = session_of(&cached).expect("a session");
    let visa = kiln_corpus::read("kernels/call_address/call_address.visaasm");
    let zebin = kiln_corpus::read("kernels/call_address/call_address.zebin");
    let module = load(&session, &visa).expect("a module");
    let program = compile(&session, &module).expect("a program");
    // SAFETY: the program lives.
    let name = unsafe { &*program.0 }.module.kernels[0].name.clone();
    let name = CString::new(name).expect("a name");
    let (data, size) = (zebin.as_ptr().cast::<c_void>(), zebin.len());
    let mut read = null_mut();
    // SAFETY: the pointers are of values that live.
    let result = unsafe { kiln_object_read(session.0, data, size, &mut read, null_mut()) };
    assert_eq!(result, KilnResult::Ok);
    let object = Handle(read, kiln_object_free);
    let input = KilnInput {
        name: c"input".as_ptr(),
        data: visa.as_ptr().cast(),
        size: visa.len(),
    };
    let mut buffer = vec![0u8; 1 << 16];
    let (to, capacity): (*mut c_void, usize) = (buffer.as_mut_ptr().cast(), buffer.len());
    let at = KilnLoad {
        address: 0,
        resolve: None,
        user: null_mut(),
        buffer: to,
        capacity,
    };
    let mut given = [[0u8; 256]; 2];
    let args = given.each_mut().map(|bytes| KilnArg {
        kind: KilnArgKind::Buffer as u32,
        data: bytes.as_mut_ptr().cast(),
        size: bytes.len(),
    });
    let launch = KilnLaunch {
        kernel: name.as_ptr(),
        dimensions: 1,
        global: [64, 0, 0],
        local: [32, 0, 0],
        args: args.as_ptr(),
        arg_count: args.len(),
        budget: 0,
    };
    let mut found = null_mut();
    let (text, mut none) = (b"no vISA", null_mut());
    let bad = KilnInput {
        data: text.as_ptr().cast(),
        size: text.len(),
        ..input
    };
    // SAFETY: the pointers are of values that live.
    let result = unsafe { kiln_module_load(session.0, &bad, 1, &mut none, &mut found) };
    assert_eq!(result, KilnResult::Visa);
    let found = Handle(found, kiln_diagnostics_free);

    let (s, m, p, o, d) = (session.0, module.0, program.0, object.0, found.0);
    let (cached, input, at, launch) = (
        &raw const cached,
        &raw const input,
        &raw const at,
        &raw const launch,
    );
    let name = name.as_ptr();
    let newer = session_of(&options(c"lnl")).expect("a session");
    let ahead = newer.0;
    let from_compiler = file("corpus/finalize/saxpy.alone.zebin");
    let unfinished = from_compiler.as_ptr().cast::<c_void>();
    let unfinished_size = from_compiler.len();
    // Variables for results.
    let (mut sessions, mut modules) = ([null_mut(); 1], [null_mut(); 1]);
    let (mut programs, mut objects) = ([null_mut(); 2], [null_mut(); 4]);
    let (new_session, new_module) = (&raw mut sessions[0], &raw mut modules[0]);
    let [compiled, of_inputs] = programs.each_mut().map(|to| &raw mut *to);
    let [made, relinked, read, finalized] = objects.each_mut().map(|to| &raw mut *to);
    let mut number = 0;
    let number = &raw mut number;
    let mut part = MaybeUninit::<KilnPart>::uninit();
    let mut relocation = MaybeUninit::<KilnRelocation>::uninit();
    let mut symbol = MaybeUninit::<KilnSymbol>::uninit();
    let mut platform = MaybeUninit::<KilnPlatform>::uninit();
    let mut cache = MaybeUninit::<KilnCache>::uninit();
    let mut record = MaybeUninit::<KilnDiagnostic>::uninit();
    let (part, relocation, symbol) = (
        part.as_mut_ptr(),
        relocation.as_mut_ptr(),
        symbol.as_mut_ptr(),
    );
    let (platform, cache, record) = (
        platform.as_mut_ptr(),
        cache.as_mut_ptr(),
        record.as_mut_ptr(),
    );
    let mut cost = MaybeUninit::<KilnCost>::uninit();
    let cost = cost.as_mut_ptr();
    const MANY: usize = 1 << 12;
    let mut points = vec![MaybeUninit::<KilnLive>::uninit(); MANY];
    let points = points.as_mut_ptr().cast::<KilnLive>();
    let no = null_mut::<*mut Diagnostics>();
    /// A call with its name.
    macro_rules! walked {
        ($($function:ident($turn:ident; $($argument:expr),*)),* $(,)?) => {
            // SAFETY: null is allowed, and the rest are values that live.
            vec![$((stringify!($function), Box::new(move |$turn: &Turn| unsafe { $function($($argument),*) })
                as Box<dyn Fn(&Turn) -> KilnResult>)),*]
        };
    }
    let walked: Vec<Walked> = walked![
        kiln_session_new(t; KILN_ABI_VERSION, t.at(cached), t.at_mut(new_session)),
        kiln_session_cache(t; t.at(s), t.at_mut(cache)),
        kiln_session_cancel(t; t.at(s)),
        kiln_platform_get(t; 0, t.at_mut(platform)),
        kiln_module_load(t; t.at(s), t.at(input), 1, t.at_mut(new_module), no),
        kiln_compile(t; t.at(s), t.at(m), t.at_mut(compiled), no),
        kiln_compile_inputs(t; t.at(s), t.at(input), 1, t.at_mut(of_inputs), no),
        kiln_recompile(t; t.at(s), t.at(m), t.at_mut(p), t.at(name), 0, no),
        kiln_program_find(t; t.at(p), t.at(name), t.at_mut(number)),
        kiln_program_part(t; t.at(p), 0, t.at_mut(part)),
        kiln_program_code(t; t.at(p), 0, t.at_mut(to), capacity, t.at_mut(number)),
        kiln_program_listing(t; t.at(p), 0, t.at_mut(to.cast()), capacity, t.at_mut(number)),
        kiln_program_cost(t; t.at(p), 0, t.at_mut(cost)),
        kiln_program_live(t; t.at(p), 0, t.at_mut(points), MANY, t.at_mut(number)),
        kiln_program_relocation(t; t.at(p), 0, 0, t.at_mut(relocation)),
        kiln_program_symbol(t; t.at(p), 0, 0, t.at_mut(symbol)),
        kiln_program_load(t; t.at(s), t.at(p), t.at(at), t.at_mut(number), no),
        kiln_object_make(t; t.at(s), t.at(p), 0, t.at(data), size, t.at_mut(made), no),
        kiln_object_relink(t; t.at(s), t.at(o), t.at(input), 1, 0, t.at_mut(relinked), no),
        kiln_object_finalize(t; t.at(ahead), t.at(unfinished), unfinished_size, 0, 0, t.at_mut(finalized), no),
        kiln_object_read(t; t.at(s), t.at(data), size, t.at_mut(read), no),
        kiln_object_bytes(t; t.at(o), t.at_mut(to), capacity, t.at_mut(number)),
        kiln_object_run(t; t.at(s), t.at(o), t.at(launch), null_mut(), no),
        kiln_diagnostics_get(t; t.at(d), 0, t.at_mut(record)),
    ];
    let mut taken = Vec::new();
    for (name, call) in &walked {
        let turn = |null| {
            let turn = Turn {
                null,
                seen: Cell::new(0),
            };
            (call(&turn), turn.seen.get())
        };
        // Beyond the last pointer the call is valid; it comes last, so that its handle stays.
        for null in 1.. {
            let (result, pointers) = turn(null);
            if null > pointers {
                assert_eq!(result, KilnResult::Ok, "{name}");
                taken.push((name.to_string(), pointers));
                break;
            }
            assert_eq!(result, KilnResult::Null, "{name}, pointer {null}");
        }
    }
    let mut expected = prototypes();
    // Only the first call of a process may be that one: examples/embed_hooks.c.
    expected.retain(|(name, _)| name != "kiln_memory_set");
    taken.sort_unstable();
    expected.sort_unstable();
    assert_eq!(
        taken, expected,
        "all functions and all pointers of the header"
    );
    drop(sessions.map(|handle| Handle(handle, kiln_session_free)));
    drop(modules.map(|handle| Handle(handle, kiln_module_free)));
    drop(programs.map(|handle| Handle(handle, kiln_program_free)));
    drop(objects.map(|handle| Handle(handle, kiln_object_free)));
    // SAFETY: freeing null is nothing.
    unsafe {
        kiln_session_free(null_mut());
        kiln_module_free(null_mut());
        kiln_program_free(null_mut());
        kiln_object_free(null_mut());
        kiln_diagnostics_free(null_mut());
        assert_eq!(kiln_program_parts(null()), 0);
        assert_eq!(kiln_diagnostics_count(null()), 0);
    }
}

#[test]
fn short_buffers_get_nothing_and_the_size_is_said() {
    let session = session();
    let program = saxpy(&session);
    let zebin = file("examples/saxpy/saxpy.zebin");
    let object = read_object(&session, &zebin).expect("an object file");
    let (s, p, o) = (session.0, program.0, object.0);
    let load = |buffer, capacity, size: &mut usize| {
        let load = KilnLoad {
            address: 0x40,
            resolve: None,
            user: null_mut(),
            buffer,
            capacity,
        };
        // SAFETY: the buffer has that capacity, and the rest are values that live.
        unsafe { kiln_program_load(s, p, &load, size, null_mut()) }
    };
    type Copy<'a> = &'a dyn Fn(*mut c_void, usize, &mut usize) -> KilnResult;
    // SAFETY: the buffers have that capacity, and the rest are values that live.
    let copies: [Copy; 3] = [
        &|to, capacity, size| unsafe { kiln_program_code(p, 0, to, capacity, size) },
        &|to, capacity, size| unsafe { kiln_object_bytes(o, to, capacity, size) },
        &load,
    ];
    for (number, copy) in copies.into_iter().enumerate() {
        let mut needed = 0;
        assert_eq!(copy(null_mut(), 0, &mut needed), KilnResult::ShortBuffer);
        assert!(needed > 64, "number {number}");
        for capacity in [1, needed - 1, needed, needed + 9] {
            let (mut buffer, mut size) = (vec![0xa5u8; capacity], 0);
            let result = copy(buffer.as_mut_ptr().cast(), capacity, &mut size);
            let (expected, untouched) = match capacity < needed {
                true => (KilnResult::ShortBuffer, 0),
                false => (KilnResult::Ok, needed),
            };
            assert_eq!((result, size), (expected, needed), "number {number}");
            assert!(
                buffer[untouched..].iter().all(|&byte| byte == 0xa5),
                "number {number}"
            );
        }
    }
}

/// A module that is compiled twice comes from the cache the second time, unchanged; a folder that cannot be a cache is
/// reported.
#[test]
fn a_session_uses_a_cache() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = c_string(folder.path().to_str().expect("UTF-8"));
    let mut options = options(c"skl");
    options.cache = path.as_ptr();
    let visa = file("examples/saxpy/saxpy.visaasm");
    let input = KilnInput {
        name: null(),
        data: visa.as_ptr().cast(),
        size: visa.len(),
    };
    let compiled = || {
        let session = session_of(&options).expect("a session");
        let (mut program, mut counts) = (null_mut(), KilnCache::default());
        // SAFETY: the pointers are of values that live.
        unsafe {
            let result = kiln_compile_inputs(session.0, &input, 1, &mut program, null_mut());
            assert_eq!(result, KilnResult::Ok);
            assert_eq!(kiln_session_cache(session.0, &mut counts), KilnResult::Ok);
        }
        let program = Handle(program, kiln_program_free);
        // SAFETY: the program lives.
        let code = unsafe { &*program.0 }.module.kernels[0].code.clone();
        (code, counts.hits, counts.misses, counts.written)
    };
    let (code, ..) = compiled();
    assert_eq!(compiled(), (code.clone(), 1, 0, 0));
    for shard in std::fs::read_dir(folder.path()).expect("the cache") {
        let shard = shard.expect("an entry").path();
        for entry in std::fs::read_dir(shard).into_iter().flatten().flatten() {
            std::fs::write(entry.path(), b"damaged").expect("an entry");
        }
    }
    assert_eq!(compiled(), (code, 0, 1, 1));

    let counts: [AtomicUsize; 3] = Default::default();
    options.log = Some(count);
    options.log_user = (&raw const counts).cast_mut().cast();
    let taken = c_string(&format!("{}/examples", root().display()));
    options.cache = taken.as_ptr();
    assert_eq!(session_of(&options).err(), Some(KilnResult::System));
    assert_eq!(counts[0].load(Relaxed), 1);
    options.cache = c"\xff".as_ptr();
    assert_eq!(session_of(&options).err(), Some(KilnResult::Utf8));
    options.cache = c"".as_ptr();
    assert_eq!(session_of(&options).err(), Some(KilnResult::Argument));
    assert_eq!(counts[0].load(Relaxed), 2);
    // A module of no files, and one whose only object two files have.
    let without = session();
    for (count, expected) in [(0, KilnResult::Argument), (2, KilnResult::Ok)] {
        let (mut module, mut program) = (null_mut(), null_mut());
        let files = [&input; 2].map(|input| KilnInput { ..*input });
        let at = files.as_ptr();
        // SAFETY: the pointers are of values that live.
        let results = unsafe {
            [
                kiln_module_load(without.0, at, count, &mut module, null_mut()),
                kiln_compile_inputs(without.0, at, count, &mut program, null_mut()),
            ]
        };
        assert_eq!(results, [expected; 2]);
        drop(Handle(module, kiln_module_free));
        let program = Handle(program, kiln_program_free);
        // SAFETY: the program lives, if there is one.
        let kernels = unsafe { program.0.as_ref() }.map(|program| program.module.kernels.len());
        assert_eq!(kernels, (count > 0).then_some(1));
    }
    let mut figures = KilnCache::default();
    // SAFETY: the pointers are of values that live.
    let result = unsafe { kiln_session_cache(without.0, &mut figures) };
    assert_eq!(result, KilnResult::NotFound);
}

/// Entries that functions of a test keep, and whether they refuse new ones.
#[derive(Default)]
struct Kept {
    entries: Mutex<BTreeMap<Vec<u8>, Vec<u8>>>,
    refuses: bool,
}

/// SAFETY: `user` is a `Kept` that lives, and the others are as the header says.
unsafe extern "C" fn kept_get(
    user: *mut c_void,
    key: *const c_void,
    key_size: usize,
    value: *mut c_void,
    capacity: usize,
) -> usize {
    // SAFETY: the contract of the function.
    let (kept, key) = unsafe {
        let key = std::slice::from_raw_parts(key.cast::<u8>(), key_size);
        (&*user.cast::<Kept>(), key)
    };
    let entries = kept.entries.lock().expect("entries");
    let Some(entry) = entries.get(key) else {
        return 0;
    };
    if entry.len() <= capacity {
        // SAFETY: the buffer has that capacity.
        unsafe { std::ptr::copy_nonoverlapping(entry.as_ptr(), value.cast(), entry.len()) };
    }
    entry.len()
}

/// SAFETY: as for `kept_get`.
unsafe extern "C" fn kept_put(
    user: *mut c_void,
    key: *const c_void,
    key_size: usize,
    value: *const c_void,
    size: usize,
) -> i32 {
    // SAFETY: the contract of the function.
    let (kept, key, value) = unsafe {
        let key = std::slice::from_raw_parts(key.cast::<u8>(), key_size);
        let value = std::slice::from_raw_parts(value.cast::<u8>(), size);
        (&*user.cast::<Kept>(), key, value)
    };
    if kept.refuses {
        return 0;
    }
    let mut entries = kept.entries.lock().expect("entries");
    entries.insert(key.to_vec(), value.to_vec());
    1
}

#[test]
fn a_session_uses_functions_as_a_cache() {
    let visa = file("examples/saxpy/saxpy.visaasm");
    let input = KilnInput {
        name: null(),
        data: visa.as_ptr().cast(),
        size: visa.len(),
    };
    let options_of = |kept: &Kept| KilnOptions {
        cache_get: Some(kept_get),
        cache_put: Some(kept_put),
        cache_user: (&raw const *kept).cast_mut().cast(),
        ..options(c"skl")
    };
    let compiled = |kept: &Kept| {
        let session = session_of(&options_of(kept)).expect("a session");
        let (mut program, mut counts) = (null_mut(), KilnCache::default());
        // SAFETY: the pointers are of values that live.
        unsafe {
            let result = kiln_compile_inputs(session.0, &input, 1, &mut program, null_mut());
            assert_eq!(result, KilnResult::Ok);
            assert_eq!(kiln_session_cache(session.0, &mut counts), KilnResult::Ok);
        }
        let program = Handle(program, kiln_program_free);
        // SAFETY: the program lives.
        let code = unsafe { &*program.0 }.module.kernels[0].code.clone();
        let KilnCache {
            hits,
            misses,
            damaged,
            written,
            unwritten,
        } = counts;
        (code, [hits, misses, damaged, written, unwritten])
    };
    let kept = Kept::default();
    let (code, counts) = compiled(&kept);
    assert_eq!(counts, [0, 1, 0, 1, 0]);
    assert_eq!(compiled(&kept), (code.clone(), [1, 0, 0, 0, 0]));
    // Each byte counts, and an entry that is longer than the first buffer is asked for again.
    for change in [0, 20, 60, 200] {
        for entry in kept.entries.lock().expect("entries").values_mut() {
            entry[change] ^= 1;
        }
        assert_eq!(compiled(&kept), (code.clone(), [0, 1, 1, 1, 0]), "{change}");
    }
    for entry in kept.entries.lock().expect("entries").values_mut() {
        entry.resize(1 << 17, 0);
    }
    assert_eq!(compiled(&kept), (code.clone(), [0, 1, 1, 1, 0]));
    let refusing = Kept {
        refuses: true,
        ..Kept::default()
    };
    assert_eq!(compiled(&refusing), (code, [0, 1, 0, 0, 1]));

    let mut half = options_of(&kept);
    half.cache_put = None;
    assert_eq!(session_of(&half).err(), Some(KilnResult::Argument));
    let mut both = options_of(&kept);
    both.cache = c"/nowhere".as_ptr();
    assert_eq!(session_of(&both).err(), Some(KilnResult::Argument));
}

/// A kernel that takes some seconds: a long chain of dependent instructions in many variables.
fn long_kernel() -> String {
    use std::fmt::Write;
    let mut text = String::from(".version 3.6\n.kernel \"long\"\n");
    for var in 0..200 {
        let _ = writeln!(text, ".decl W{var} v_type=G type=d num_elts=16 align=hword");
    }
    for var in 0..200 {
        let _ = writeln!(text, "    mov (M1, 16) W{var}(0,0)<1> 0x{var:x}:d");
    }
    for at in 0..40_000 {
        let (to, from) = (at * 7 % 200, at * 13 % 200);
        let _ = writeln!(
            text,
            "    add (M1, 16) W{to}(0,0)<1> W{to}(0,0)<1;1,0> W{from}(0,0)<1;1,0>"
        );
    }
    text.push_str("    ret (M1, 1)\n");
    text
}

#[test]
fn a_long_compilation_ends_when_it_should() {
    let text = long_kernel();
    let limited = KilnOptions {
        time_limit: 1,
        ..options(c"skl")
    };
    let limited = session_of(&limited).expect("a session");
    let unlimited = session();
    let module = load(&unlimited, text.as_bytes()).expect("a module");
    let compile = |session: &Handle<Session>| {
        let (mut program, mut found) = (null_mut(), null_mut());
        let clock = Instant::now();
        // SAFETY: the pointers are of values that live.
        let result = unsafe { kiln_compile(session.0, module.0, &mut program, &mut found) };
        let took = clock.elapsed();
        drop(Handle(program, kiln_program_free));
        (result, codes(found), took)
    };
    let (result, none, whole) = compile(&unlimited);
    assert_eq!((result, none), (KilnResult::Ok, Vec::new()));
    let (result, found, took) = compile(&limited);
    assert_eq!((result, found), (KilnResult::Stopped, vec!["C0005".into()]));
    assert!(took < whole / 2, "{took:?} of {whole:?}");

    // Cancelled by another thread, from when the compilation has begun; what comes after is not concerned.
    let begun = AtomicUsize::new(0);
    let address = unlimited.0 as usize;
    let (result, found, took) = std::thread::scope(|scope| {
        scope.spawn(|| {
            while begun.load(Relaxed) == 0 {
                std::hint::spin_loop();
            }
            std::thread::sleep(whole / 8);
            // SAFETY: the session lives.
            let told = unsafe { kiln_session_cancel(address as *const Session) };
            assert_eq!(told, KilnResult::Ok);
        });
        begun.store(1, Relaxed);
        compile(&unlimited)
    });
    assert_eq!((result, found), (KilnResult::Stopped, vec!["C0005".into()]));
    assert!(took < whole, "{took:?} of {whole:?}");
    assert_eq!(compile(&unlimited).0, KilnResult::Ok);
}

/// The looks at a program are those of the crates that the library is made of.
#[test]
fn a_program_is_looked_at() {
    use kiln_runtime::machine::{cost, listing, live};
    let session = session();
    let program = saxpy(&session);
    // SAFETY: the program lives.
    let part = &unsafe { &*program.0 }.module.kernels[0];
    let platform = kiln_runtime::find_platform("skl").expect("a platform");
    let code = listing::insts(&part.code, platform);

    let (mut size, mut count) = (0, 0);
    let mut cost = MaybeUninit::<KilnCost>::uninit();
    // SAFETY: buffers of no bytes may be null.
    unsafe {
        let result = kiln_program_listing(program.0, 0, null_mut(), 0, &mut size);
        assert_eq!(result, KilnResult::ShortBuffer);
        let result = kiln_program_live(program.0, 0, null_mut(), 0, &mut count);
        assert_eq!(result, KilnResult::ShortBuffer);
        let result = kiln_program_cost(program.0, 0, cost.as_mut_ptr());
        assert_eq!(result, KilnResult::Ok);
    }
    assert_eq!(count, code.len());
    let mut text = vec![0u8; size];
    let mut points = vec![MaybeUninit::<KilnLive>::uninit(); count];
    // SAFETY: the buffers have those sizes, and the records are read only if they were written.
    let (text, points, cost) = unsafe {
        let to = text.as_mut_ptr().cast();
        assert_eq!(
            kiln_program_listing(program.0, 0, to, size, &mut size),
            KilnResult::Ok
        );
        let to = points.as_mut_ptr().cast();
        assert_eq!(
            kiln_program_live(program.0, 0, to, count, &mut count),
            KilnResult::Ok
        );
        let points: Vec<_> = points.iter().map(|point| point.assume_init()).collect();
        let text = CStr::from_bytes_with_nul(&text).expect("a zero at the end");
        (text.to_str().expect("a text"), points, cost.assume_init())
    };
    assert_eq!(
        text,
        listing::list(&part.code, platform, listing::Style::Labels)
    );
    let expected = live::Live::new(&code, platform, &[0]).points;
    for (found, expected) in points.iter().zip(&expected) {
        assert_eq!(found.bytes, expected.bytes);
        assert_eq!(found.grfs, u32::from(expected.grfs));
    }
    assert_eq!(points[1].offset, code[0].size());
    let expected = cost::estimate(&code, platform, cost::Weights::Loops).cycles;
    assert_eq!((cost.cycles, cost.issue), (expected.sum(), expected.issue));
}

/// The code of an object file is replaced by that of `kiln_compile`; lines are added on request.
#[test]
fn object_files_are_relinked() {
    let visa = file("examples/saxpy/saxpy.visaasm");
    let other = file("examples/sgemm/sgemm.visaasm");
    let zebin = file("examples/saxpy/saxpy.zebin");
    let relink = |lines, visas: &[&[u8]], keep| {
        let mut options = options(c"skl");
        options.lines = lines;
        let session = session_of(&options).expect("a session");
        let inputs: Vec<KilnInput> = (visas.iter())
            .map(|visa| KilnInput {
                name: null(),
                data: visa.as_ptr().cast(),
                size: visa.len(),
            })
            .collect();
        let object = read_object(&session, &zebin).expect("an object file");
        let (mut relinked, mut found) = (null_mut(), null_mut());
        // SAFETY: the pointers are of values that live.
        let result = unsafe {
            kiln_object_relink(
                session.0,
                object.0,
                inputs.as_ptr(),
                inputs.len(),
                keep,
                &mut relinked,
                &mut found,
            )
        };
        let relinked = made(result, relinked, found, kiln_object_free)?;
        // SAFETY: it lives.
        Ok::<_, Wrong>(unsafe { &*relinked.0 }.bytes.clone())
    };
    let session = session();
    let program = saxpy(&session);
    // SAFETY: the program lives.
    let code = unsafe { &*program.0 }.module.kernels[0].code.clone();
    let has = |bytes: &[u8], what: &[u8]| bytes.windows(what.len()).any(|part| part == what);
    let plain = relink(0, &[&other, &visa], 0).expect("an object file");
    assert!(has(&plain, &code) && !has(&plain, b".debug_line"));
    let wrong = |code: &str| Err((KilnResult::Object, vec![code.to_string()]));
    assert_eq!(relink(0, &[&other], 0), wrong("K0003"));
    assert_eq!(relink(0, &[b"no vISA"], 0), wrong("K0003"));
    assert!(relink(0, &[], 1).is_ok_and(|kept| !has(&kept, &code)));
    let argument = Err((KilnResult::Argument, Vec::new()));
    assert_eq!(relink(0, &[&visa], 2), argument);
    let located =
        String::from_utf8_lossy(&visa).replace("    ret", "    FILE \"/s.cl\"\n    LOC 7\n    ret");
    let bytes = relink(1, &[located.as_bytes()], 0).expect("an object file");
    assert!(has(&bytes, b".debug_line"));
    let broken = located.replace("ret (M1", "ret (M1_NM, 99");
    let (result, found) = relink(0, &[broken.as_bytes()], 0).expect_err("an error");
    assert_eq!((result, found.len()), (KilnResult::Object, 1));
}

/// The code of an object file is made of its own vISA, as the library in Rust makes it.
#[test]
fn object_files_are_finalized() {
    let unfinished = file("corpus/finalize/saxpy.alone.zebin");
    let whole = file("corpus/finalize/saxpy.whole.zebin");
    let finalize = |platform, bytes: &[u8], strip_visa| {
        let session = session_of(&options(platform)).expect("a session");
        let (mut object, mut found) = (null_mut(), null_mut());
        // SAFETY: the pointers are of values that live.
        let result = unsafe {
            kiln_object_finalize(
                session.0,
                bytes.as_ptr().cast(),
                bytes.len(),
                strip_visa,
                0,
                &mut object,
                &mut found,
            )
        };
        let object = made(result, object, found, kiln_object_free)?;
        // SAFETY: it lives.
        Ok::<_, Wrong>(unsafe { &*object.0 }.bytes.clone())
    };
    for visa in [false, true] {
        let strip = Strip { visa, spirv: false };
        let expected = finalize_bytes(&unfinished, strip).expect("an object file");
        let found = finalize(c"lnl", &unfinished, u32::from(visa));
        assert_eq!(found, Ok(expected));
    }
    let wrong = Err((KilnResult::Object, vec!["K0003".to_string()]));
    assert_eq!(finalize(c"lnl", &whole, 0), wrong);
    assert_eq!(finalize(c"skl", &unfinished, 0), wrong);
    let argument = Err((KilnResult::Argument, Vec::new()));
    assert_eq!(finalize(c"lnl", &unfinished, 2), argument);
}

#[test]
fn numbers_beyond_the_end_are_not_found() {
    let session = session();
    let program = saxpy(&session);
    let mut size = 0;
    // SAFETY: only the size is written.
    unsafe {
        assert_eq!(kiln_program_parts(program.0), 1);
        for index in [1, usize::MAX] {
            let results = [
                kiln_program_part(program.0, index, null_mut()),
                kiln_program_code(program.0, index, null_mut(), 0, &mut size),
                kiln_program_relocation(program.0, index, 0, null_mut()),
                kiln_program_relocation(program.0, 0, index, null_mut::<KilnRelocation>()),
                kiln_program_symbol(program.0, 0, index, null_mut::<KilnSymbol>()),
                kiln_platform_get(index.max(99), null_mut()),
            ];
            assert_eq!(results, [KilnResult::NotFound; 6]);
        }
        let nobody = kiln_program_find(program.0, c"nobody".as_ptr(), &mut size);
        assert_eq!((nobody, size), (KilnResult::NotFound, 0));
        assert_eq!(
            kiln_program_find(program.0, c"\xff".as_ptr(), &mut size),
            KilnResult::Utf8
        );
    }
}

/// Counts messages by severity.
unsafe extern "C" fn count(user: *mut c_void, severity: KilnSeverity, message: *const c_char) {
    // SAFETY: the pointer is that of the test's counters, the message a string.
    let (counts, message) = unsafe { (&*user.cast::<[AtomicUsize; 3]>(), CStr::from_ptr(message)) };
    assert!(!message.is_empty());
    counts[severity as usize].fetch_add(1, Relaxed);
}

#[test]
fn the_log_is_told() {
    let counts: [AtomicUsize; 3] = Default::default();
    let mut options = options(c"skl");
    options.log = Some(count);
    options.log_user = (&raw const counts).cast_mut().cast();
    let session = session_of(&options).expect("a session");
    drop(saxpy(&session));
    assert!(load(&session, b".version 3.6\n.kernel \"k\"\nbogus\n").is_err());
    let told = counts.each_ref().map(|count| count.load(Relaxed));
    assert_eq!((told[0], told[2]), (1, 1));
}

/// Resolves every symbol.
unsafe extern "C" fn everywhere(user: *mut c_void, symbol: *const c_char, to: *mut u64) -> i32 {
    // SAFETY: the pointers are those of the test and of the library.
    unsafe {
        (*user.cast::<Vec<CString>>()).push(CStr::from_ptr(symbol).to_owned());
        *to = 0x1000;
    }
    1
}

#[test]
fn unknown_symbols_and_addresses_are_errors() {
    let session = session();
    let module = load(
        &session,
        &kiln_corpus::read("kernels/call_address/call_address.visaasm"),
    );
    let program = compile(&session, &module.expect("a module")).expect("a program");
    // SAFETY: the program lives, and there is no other reference to it.
    let open = unsafe { &mut *program.0 };
    open.module.functions.clear();
    let mut asked: Vec<CString> = Vec::new();
    let mut buffer = vec![0u8; open.module.image_size()];
    let mut load_at = |address, resolve| {
        let (mut size, mut found) = (0, null_mut());
        let load = KilnLoad {
            address,
            resolve,
            user: (&raw mut asked).cast(),
            buffer: buffer.as_mut_ptr().cast(),
            capacity: buffer.len(),
        };
        // SAFETY: the buffer has that size, and the rest are values that live.
        let result =
            unsafe { kiln_program_load(session.0, program.0, &load, &mut size, &mut found) };
        (result, codes(found))
    };
    let error = (KilnResult::Load, vec!["K0002".to_string()]);
    assert_eq!(load_at(0, None), error);
    assert_eq!(load_at(1, Some(everywhere as _)), error);
    assert_eq!(
        load_at(0x40, Some(everywhere as _)),
        (KilnResult::Ok, Vec::new())
    );
    assert!(!asked.is_empty());
}

#[test]
fn a_kernel_is_recompiled() {
    let mut quick = options(c"skl");
    quick.tier = 1;
    let quick = session_of(&quick).expect("a session");
    let module = load(&quick, &file("examples/mandelbrot/mandelbrot.visaasm")).expect("a module");
    let program = compile(&quick, &module).expect("a program");
    let size = || {
        let mut part = MaybeUninit::<KilnPart>::uninit();
        // SAFETY: the program lives; the part is written before it is looked at.
        unsafe {
            assert_eq!(
                kiln_program_part(program.0, 0, part.as_mut_ptr()),
                KilnResult::Ok
            );
            part.assume_init_ref().code_size
        }
    };
    let again = |name: &CStr, tier| {
        // SAFETY: the pointers are of values that live.
        unsafe {
            kiln_recompile(
                quick.0,
                module.0,
                program.0,
                name.as_ptr(),
                tier,
                null_mut(),
            )
        }
    };
    let before = size();
    assert_eq!(again(c"nobody", 0), KilnResult::NotFound);
    assert_eq!(again(c"mandelbrot", 9), KilnResult::Argument);
    assert_eq!(size(), before);
    assert_eq!(again(c"mandelbrot", 0), KilnResult::Ok);
    assert!(size() < before);
}

#[test]
fn wrong_launches_and_object_files_are_errors() {
    let session = session();
    let program = saxpy(&session);
    let info = file("examples/saxpy/saxpy.zebin");
    let make = |layout, info: &[u8]| object_of(&session, &program, layout, info);
    let none = make(9, &info).err();
    assert_eq!(none, Some((KilnResult::Argument, Vec::new())));
    for damaged in [
        &info[..100],
        &info[..info.len() / 2],
        b"",
        b"\xff\0",
        b"kernels: [",
    ] {
        for layout in [KilnLayout::Info, KilnLayout::Interface] {
            let wrong = (KilnResult::Object, vec!["K0003".to_string()]);
            assert_eq!(make(layout as u32, damaged).err(), Some(wrong));
        }
    }
    let object = make(KilnLayout::Info as u32, &info).expect("an object file");
    let mut data = [0u8; 4096];
    let data = data.as_mut_ptr().cast();
    let arg = |kind, size| KilnArg { kind, data, size };
    let (buffer, value) = (KilnArgKind::Buffer as u32, KilnArgKind::Value as u32);
    let right = [
        arg(buffer, 4096),
        arg(buffer, 4096),
        arg(value, 4),
        arg(value, 4),
    ];
    let right_launch = KilnLaunch {
        kernel: c"saxpy".as_ptr(),
        dimensions: 1,
        global: [64, 0, 0],
        local: [64, 0, 0],
        args: right.as_ptr(),
        arg_count: right.len(),
        budget: 0,
    };
    let run = |change: &dyn Fn(&mut KilnLaunch)| {
        let mut launch = right_launch;
        change(&mut launch);
        let mut figures = KilnFigures::default();
        // SAFETY: the pointers are of values that live.
        unsafe { kiln_object_run(session.0, object.0, &launch, &mut figures, null_mut()) }
    };
    assert_eq!(run(&|_| ()), KilnResult::Ok);
    assert_eq!(run(&|l| l.kernel = null()), KilnResult::Null);
    assert_eq!(
        run(&|l| l.kernel = c"nobody".as_ptr()),
        KilnResult::NotFound
    );
    assert_eq!(run(&|l| l.dimensions = 0), KilnResult::Argument);
    assert_eq!(run(&|l| l.dimensions = 4), KilnResult::Argument);
    assert_eq!(run(&|l| l.local = [0; 3]), KilnResult::Run);
    assert_eq!(run(&|l| l.arg_count = 3), KilnResult::Run);
    assert_eq!(run(&|l| l.arg_count = usize::MAX), KilnResult::Argument);
    assert_eq!(run(&|l| l.args = null()), KilnResult::Null);
    assert_eq!(run(&|l| l.budget = 1), KilnResult::Run);
    let mut bad = right;
    bad[0].kind = 99;
    assert_eq!(run(&|l| l.args = bad.as_ptr()), KilnResult::Argument);
    bad[0] = arg(buffer, usize::MAX);
    assert_eq!(run(&|l| l.args = bad.as_ptr()), KilnResult::Argument);
    bad[0] = arg(buffer, 4);
    bad[0].data = null_mut();
    assert_eq!(run(&|l| l.args = bad.as_ptr()), KilnResult::Null);
    bad[0] = arg(KilnArgKind::Local as u32, usize::MAX);
    assert_eq!(run(&|l| l.args = bad.as_ptr()), KilnResult::Argument);
    // A buffer that is too small for the kernel.
    bad[0] = arg(buffer, 4);
    let count = 1024u32.to_le_bytes();
    bad[3].data = count.as_ptr().cast_mut().cast();
    assert_eq!(run(&|l| l.args = bad.as_ptr()), KilnResult::Run);

    let mut size = 0;
    // SAFETY: the pointers are of values that live.
    let bytes = unsafe {
        assert_eq!(
            kiln_object_bytes(object.0, null_mut(), 0, &mut size),
            KilnResult::ShortBuffer
        );
        let mut bytes = vec![0u8; size];
        let to = bytes.as_mut_ptr().cast();
        assert_eq!(
            kiln_object_bytes(object.0, to, size, &mut size),
            KilnResult::Ok
        );
        bytes
    };
    let read = |bytes: &[u8]| read_object(&session, bytes).err().map(|wrong| wrong.0);
    assert_eq!(read(&bytes), None);
    assert_eq!(read(&bytes[..bytes.len() / 3]), Some(KilnResult::Object));
    assert_eq!(read(&[]), Some(KilnResult::Object));
}

/// A kernel that writes the sum of its arguments, whose layout comes from its inputs alone or from an interface.
#[test]
fn objects_are_made_of_an_interface_or_the_inputs_alone() {
    const ADD: &[u8] = b".version 4.1\n.kernel \"add\"\n\
        .decl OUT v_type=G type=uq num_elts=1 align=qword\n\
        .decl A v_type=G type=d num_elts=1 align=dword\n\
        .decl B v_type=G type=d num_elts=1 align=dword\n\
        .decl R v_type=G type=d num_elts=4 align=hword\n\
        .input OUT offset=64 size=8\n.input A offset=72 size=4\n.input B offset=76 size=4\n\
        .kernel_attr SimdSize=8\n.function \"add_0\"\nadd_0:\n\
        \x20   add (M1_NM, 1) R(0,0)<1> A(0,0)<0;1,0> B(0,0)<0;1,0>\n\
        \x20   mov (M1_NM, 1) R(0,1)<1> A(0,0)<0;1,0>\n\
        \x20   svm_block_st (1) OUT(0,0)<0;1,0> R.0\n    ret (M1, 1)\n";
    const INTERFACE: &[u8] =
        b"kernels: [{name: add, arguments: [{kind: value, offset: 76, size: 4}, \
        {kind: buffer, offset: 64, access: writeonly}, {kind: value, offset: 72, size: 4}]}]";
    let session = session();
    let module = load(&session, ADD).expect("a module");
    let program = compile(&session, &module).expect("a program");
    let (mut sum, mut numbers) = ([0i32; 4], [40i32, 2]);
    let (buffer, value) = (KilnArgKind::Buffer as u32, KilnArgKind::Value as u32);
    let arg = |kind, data: *mut i32, size| KilnArg {
        kind,
        data: data.cast(),
        size,
    };
    let mut run = |layout: KilnLayout, data: &[u8], order: [usize; 3]| {
        let [first, second] = &mut numbers;
        let args = [
            arg(buffer, sum.as_mut_ptr(), 16),
            arg(value, first, 4),
            arg(value, second, 4),
        ];
        let args = order.map(|n| args[n]);
        let launch = KilnLaunch {
            kernel: c"add".as_ptr(),
            dimensions: 1,
            global: [1; 3],
            local: [1; 3],
            args: args.as_ptr(),
            arg_count: args.len(),
            budget: 1 << 20,
        };
        let object = object_of(&session, &program, layout as u32, data).expect("an object file");
        // SAFETY: the pointers are of values that live.
        let ran = unsafe { kiln_object_run(session.0, object.0, &launch, null_mut(), null_mut()) };
        assert_eq!(ran, KilnResult::Ok);
        [sum[0], sum[1]]
    };
    assert_eq!(run(KilnLayout::Inputs, b"", [0, 1, 2]), [42, 40]);
    assert_eq!(run(KilnLayout::Interface, INTERFACE, [1, 0, 2]), [42, 2]);
}

/// A program in LLVM IR, which has its interface itself: its results are computed by the comments of its source.
#[test]
fn llvm_ir_is_compiled_and_run() {
    const BYTES: usize = 256;
    const FACTOR: u32 = 7;
    let session = session();
    let file = |name: &str| kiln_corpus::read(&format!("genx/phi_swap/{name}"));
    let mut input = file("a.bin");
    let expected = file("expect_o.bin");
    let mut factor = FACTOR.to_le_bytes();
    for form in ["ll", "opaque.bc", "spv"] {
        let source = file(&format!("phi_swap.{form}"));
        let module = load(&session, &source).expect("a module");
        let program = compile(&session, &module).expect("a program");
        let object =
            object_of(&session, &program, KilnLayout::Inputs as u32, b"").expect("an object file");
        let mut output = [0u8; BYTES];
        let arg = |kind: KilnArgKind, data: &mut [u8]| KilnArg {
            kind: kind as u32,
            data: data.as_mut_ptr().cast(),
            size: data.len(),
        };
        let args = [
            arg(KilnArgKind::Buffer, &mut input),
            arg(KilnArgKind::Value, &mut factor),
            arg(KilnArgKind::Buffer, &mut output),
        ];
        let launch = KilnLaunch {
            kernel: c"phi_swap".as_ptr(),
            dimensions: 1,
            global: [2, 1, 1],
            local: [1; 3],
            args: args.as_ptr(),
            arg_count: args.len(),
            budget: 1 << 20,
        };
        // SAFETY: the pointers are of values that live.
        let ran = unsafe { kiln_object_run(session.0, object.0, &launch, null_mut(), null_mut()) };
        assert_eq!(ran, KilnResult::Ok, "{form}");
        assert_eq!(output[..], expected[..], "{form}");
    }
    let module = load(&session, b"define void @f() {\n  ret void\n}\n");
    assert_eq!(module.err(), Some((KilnResult::Visa, vec!["G0015".into()])));
}

#[test]
fn inputs_of_wrong_sizes_and_names_are_errors() {
    let session = session();
    let visa = file("examples/saxpy/saxpy.visaasm");
    let load = |change: &dyn Fn(&mut KilnInput), count| {
        let mut input = KilnInput {
            name: null(),
            data: visa.as_ptr().cast(),
            size: visa.len(),
        };
        change(&mut input);
        let mut module = null_mut();
        // SAFETY: the pointers are of values that live, or the count is refused.
        let result = unsafe { kiln_module_load(session.0, &input, count, &mut module, null_mut()) };
        drop(Handle(module, kiln_module_free));
        result
    };
    assert_eq!(load(&|_| (), 1), KilnResult::Ok);
    assert_eq!(load(&|_| (), usize::MAX), KilnResult::Argument);
    assert_eq!(load(&|_| (), 0), KilnResult::Argument);
    assert_eq!(load(&|i| i.size = usize::MAX, 1), KilnResult::Argument);
    assert_eq!(load(&|i| i.size = 0, 1), KilnResult::Visa);
    assert_eq!(load(&|i| i.data = null(), 1), KilnResult::Null);
    assert_eq!(load(&|i| i.name = c"\xc3(".as_ptr(), 1), KilnResult::Utf8);
}

/// A panic becomes a result and a record, and the session stays usable.
#[test]
fn panics_do_not_leave() {
    let session = session();
    let mut found = null_mut();
    // SAFETY: the pointers are of values that live.
    let result = unsafe {
        crate::guard::diagnosed(session.0, &mut found, |session, _| {
            session.pool.install(|| panic!("on purpose"))
        })
    };
    assert_eq!(
        (result, codes(found)),
        (KilnResult::Internal, vec!["K0001".to_string()])
    );
    assert_eq!(
        crate::guard::guard(|| panic!("on purpose")),
        KilnResult::Internal
    );
    drop(saxpy(&session));
}

#[test]
fn eight_threads_share_a_session() {
    let session = session();
    let code = |session: &Handle<Session>| {
        let program = saxpy(session);
        // SAFETY: the program lives.
        unsafe { &*program.0 }.module.kernels[0].code.clone()
    };
    let expected = code(&session);
    let shared = Shared(&session);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..4).for_each(|_| assert!(code(shared.get()) == expected)));
        }
    });
}

/// A handle that several threads use.
struct Shared<'a>(&'a Handle<Session>);

// SAFETY: a session may be used from several threads; the handle is freed when they have ended.
unsafe impl Sync for Shared<'_> {}

impl Shared<'_> {
    fn get(&self) -> &Handle<Session> {
        self.0
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Random bytes, and a mutated binary object and text, give a program or errors.
    #[test]
    fn any_bytes_give_a_program_or_errors(
        which in 0..3,
        bytes in prop::collection::vec(any::<u8>(), 0..256),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut input = match which {
            0 => bytes,
            1 => file("examples/saxpy/saxpy.isa"),
            _ => file("examples/saxpy/saxpy.visaasm"),
        };
        for (place, byte) in changes {
            if !input.is_empty() {
                let place = place.index(input.len());
                input[place] = byte;
            }
        }
        let session = session();
        let compiled = load(&session, &input).and_then(|module| compile(&session, &module));
        if let Err((result, found)) = compiled {
            prop_assert_eq!(result, KilnResult::Visa);
            prop_assert!(!found.is_empty());
        }
    }
}
