//! The code cache: its results equal compiled ones, even after its files were damaged or removed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use kiln_compile::cache::{Cache, CacheError, Counts};
use kiln_compile::info::Info;
use kiln_compile::source::Input;
use kiln_compile::{Compiled, CompiledModule, Options, Session, Stage};
use kiln_emit::platform::{self, Platform};
use kiln_platform::abi;
use kiln_regalloc::Allocator;

fn skl() -> &'static Platform {
    platform::find("skl").expect("a known platform")
}

/// A folder for one test's cache, absent before the test and removed after it.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cache-{test}"));
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn open(&self) -> Cache {
        Cache::open(&self.0, Cache::LIMIT).unwrap()
    }

    /// The files of entries.
    fn entries(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for shard in fs::read_dir(&self.0).unwrap() {
            let shard = shard.unwrap();
            if shard.file_name().len() == 2 {
                let entries = fs::read_dir(shard.path()).unwrap();
                found.extend(entries.map(|entry| entry.unwrap().path()));
            }
        }
        found
    }

    fn temporary(&self) -> Vec<PathBuf> {
        let listed = fs::read_dir(self.0.join("tmp")).unwrap();
        listed.map(|entry| entry.unwrap().path()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn example(name: &str, extension: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    fs::read(folder.join(name).join(format!("{name}.{extension}"))).unwrap()
}

fn input(bytes: &[u8]) -> Input<'_> {
    Input { name: "k", bytes }
}

fn options() -> Options {
    Options {
        pressure: true,
        verify: false,
        ..Options::new(skl())
    }
}

fn compile(options: Options, cache: Option<&Cache>, bytes: &[u8]) -> CompiledModule {
    let mut session = Session::new(options);
    if let Some(cache) = cache {
        session = session.with_cache(cache.clone());
    }
    let module = session.compile_module(&[input(bytes)]);
    module.unwrap_or_else(|e| panic!("{e}"))
}

fn counts(hits: u64, misses: u64, damaged: u64) -> Counts {
    let (written, unwritten) = (misses, 0);
    Counts {
        hits,
        misses,
        damaged,
        written,
        unwritten,
    }
}

/// Compares everything but the seconds.
fn assert_same(a: &CompiledModule, b: &CompiledModule, what: &str) {
    let all = |m: &CompiledModule| -> Vec<String> {
        let parts = m.kernels.iter().chain(&m.functions);
        let facts = |c: &Compiled| {
            let calls = (c.entered, c.stack, c.stack_bytes, c.symbols.clone());
            let needs = (
                c.simd,
                c.scratch_base,
                c.barrier,
                c.uninterruptible,
                c.unpaired,
            );
            let figures = (c.visa_instructions, c.instructions, c.allocation);
            let code = (&c.name, &c.code, &c.relocations, &c.lines);
            format!("{calls:?} {needs:?} {figures:?} {code:?}")
        };
        parts.map(facts).collect()
    };
    assert_eq!(all(a), all(b), "{what}");
    assert_eq!(a.kernels.len(), b.kernels.len(), "{what}");
}

#[test]
fn what_comes_from_the_cache_is_what_was_compiled() {
    let folder = Folder::new("same");
    let mut files: Vec<(PathBuf, PathBuf)> = Vec::new();
    for name in [
        "saxpy",
        "nested_loops",
        "double",
        "switch",
        "call_address",
        "call_recursive",
        "call_divergent",
        "const_table",
    ] {
        let kernel = kiln_corpus::Kernel::named(name);
        files.push((kernel.visa("skl").unwrap(), kernel.object("skl").unwrap()));
    }
    for (visa, info) in files {
        let (bytes, info) = (fs::read(&visa).unwrap(), fs::read(&info).unwrap());
        let what = visa.display().to_string();
        let cache = folder.open();
        let plain = compile(options(), None, &bytes);
        let first = compile(options(), Some(&cache), &bytes);
        let second = compile(options(), Some(&folder.open()), &bytes);
        let third = compile(options(), Some(&cache), &bytes);
        assert_eq!(cache.counts(), counts(1, 1, 0), "{what}");
        let session = Session::new(options());
        let object = |module: &CompiledModule| {
            let info = Info::parse(&info, skl()).unwrap();
            session.object_file(module, info).unwrap().write().unwrap()
        };
        for module in [first, second, third] {
            assert_same(&plain, &module, &what);
            assert!(object(&plain) == object(&module), "{what}");
        }
    }
    assert!(folder.temporary().is_empty());
}

/// Options that change the code, or the facts about it, have entries of their own.
#[test]
fn every_option_counts() {
    let folder = Folder::new("options");
    let cache = folder.open();
    let bytes = example("nested_loops", "visaasm");
    let plain = || Options::new(skl());
    let all = [
        plain(),
        Options::new(platform::find("icllp").unwrap()),
        Options {
            grf_limit: 64,
            ..plain()
        },
        Options {
            abi: &abi::STACK_1,
            ..plain()
        },
        Options {
            interruptible: true,
            ..plain()
        },
        Options {
            allocator: Allocator::Ion,
            ..plain()
        },
        Options {
            optimize: false,
            ..plain()
        },
        Options {
            without: vec!["dead"],
            ..plain()
        },
        Options {
            without: vec!["de", "ad"],
            ..plain()
        },
        Options {
            verify: !plain().verify,
            ..plain()
        },
        Options {
            pressure: true,
            ..plain()
        },
    ];
    for options in &all {
        compile(options.clone(), Some(&cache), &bytes);
    }
    assert_eq!(cache.counts(), counts(0, all.len() as u64, 0));
    let session = Session::new(plain()).with_cache(cache.clone());
    let session = session.only("nested_loops");
    assert!(session.compile_module(&[input(&bytes)]).is_ok());
    assert!(
        session
            .compile_module(&[input(&bytes), input(&bytes)])
            .is_ok()
    );
    let isa = example("nested_loops", "isa");
    assert!(session.compile_module(&[input(&isa)]).is_ok());
    assert_eq!(cache.counts(), counts(0, all.len() as u64 + 3, 0));
    for options in &all {
        compile(options.clone(), Some(&cache), &bytes);
    }
    assert_eq!(cache.counts().hits, all.len() as u64);

    // Dumps and profiles are not cached.
    let before = cache.counts();
    let options = Options {
        dump: vec![Stage::Asm],
        ..plain()
    };
    let module = compile(options, Some(&cache), &bytes);
    assert!(!module.kernels[0].dumps.is_empty());
    assert_eq!(cache.counts(), before);
}

#[test]
fn a_damaged_entry_is_noticed_and_made_anew() {
    let folder = Folder::new("damaged");
    let bytes = example("saxpy", "visaasm");
    let plain = compile(options(), None, &bytes);
    compile(options(), Some(&folder.open()), &bytes);
    let [path] = &folder.entries()[..] else {
        panic!("one entry is expected");
    };
    let whole = fs::read(path).unwrap();
    let check = |damaged: &[u8], what: &str| {
        fs::write(path, damaged).unwrap();
        let cache = folder.open();
        let module = compile(options(), Some(&cache), &bytes);
        assert_same(&plain, &module, what);
        assert_eq!(cache.counts(), counts(0, 1, 1), "{what}");
        assert!(fs::read(path).unwrap() == whole, "{what}");
    };
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        check(&damaged, &format!("byte {at}"));
    }
    for length in (0..whole.len()).step_by(7).chain([whole.len() - 1]) {
        check(&whole[..length], &format!("{length} bytes"));
    }
    check(&[&whole[..], b"\0"].concat(), "a byte more");
    assert!(folder.temporary().is_empty());
}

/// Makes a pipe that nothing writes to: reading it would never end.
#[cfg(unix)]
fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_among_the_files_are_left_alone() {
    let folder = Folder::new("pipes");
    let cache = folder.open();
    let bytes = example("saxpy", "visaasm");
    let first = compile(options(), Some(&cache), &bytes);
    let [entry] = &folder.entries()[..] else {
        panic!("one entry");
    };
    for device in [None, Some("/dev/zero"), Some("/dev/full")] {
        fs::remove_file(entry).unwrap();
        let left = folder.0.join("tmp/left");
        let _ = fs::remove_file(&left);
        match device {
            None => {
                pipe(entry);
                pipe(&left);
            }
            Some(device) => {
                std::os::unix::fs::symlink(device, entry).unwrap();
                std::os::unix::fs::symlink(device, &left).unwrap();
            }
        }
        let cache = folder.open();
        let again = compile(options(), Some(&cache), &bytes);
        assert_same(&first, &again, "beside a pipe");
        assert_eq!(cache.counts(), counts(0, 1, 0));
        let metadata = fs::symlink_metadata(entry).unwrap();
        assert!(metadata.is_file(), "the entry is written anew");
    }
}

/// An entry under another key's name is refused.
#[test]
fn an_entry_belongs_to_its_key() {
    let folder = Folder::new("places");
    let (a, b) = (example("saxpy", "visaasm"), example("reduction", "visaasm"));
    compile(options(), Some(&folder.open()), &a);
    let of_a = folder.entries();
    compile(options(), Some(&folder.open()), &b);
    let mut of_b = folder.entries();
    of_b.retain(|path| !of_a.contains(path));
    fs::copy(&of_a[0], &of_b[0]).unwrap();
    let cache = folder.open();
    let module = compile(options(), Some(&cache), &b);
    assert_same(&compile(options(), None, &b), &module, "another's place");
    assert_eq!(cache.counts(), counts(0, 1, 1));
}

#[test]
fn what_was_used_least_recently_goes() {
    let folder = Folder::new("eviction");
    // Each of the 64 folders may have one page, or two.
    for pages in [1, 2] {
        let cache = Cache::open(&folder.0, 64 * pages * 4096).unwrap();
        cache.clear().unwrap();
        let kept = example("saxpy", "visaasm");
        compile(options(), Some(&cache), &kept);
        let kept_entry = folder.entries();
        let stem = kept_entry[0].parent().unwrap().to_path_buf();
        let mut rivals = 0;
        // The folder of an entry depends on the program's own code: with one page, entries come until one is a rival.
        for n in 0..if pages == 1 { 2000 } else { 200u32 } {
            let bytes = [&kept[..], format!("// {n}\n").as_bytes()].concat();
            compile(options(), Some(&cache), &bytes);
            let there = fs::read_dir(&stem).unwrap().count();
            assert!(there as u64 <= pages, "{there} entries");
            if pages == 2 {
                // A hit is a use.
                let before = cache.counts().hits;
                compile(options(), Some(&cache), &kept);
                assert_eq!(cache.counts().hits, before + 1, "{n}");
            }
            rivals += usize::from(!kept_entry[0].exists());
            if pages == 1 && rivals > 0 {
                break;
            }
        }
        assert_eq!(rivals > 0, pages == 1);
        let size = cache.size().unwrap();
        assert!(size.bytes <= 64 * pages * 4096, "{size:?}");
        assert_eq!(size.entries, folder.entries().len() as u64);
    }
    // An entry larger than a folder's share is not kept.
    let cache = Cache::open(&folder.0, 64 * 4096).unwrap();
    compile(options(), Some(&cache), &example("int64", "visaasm"));
    assert_eq!(cache.counts().written, 0);
}

#[test]
fn leftovers_of_the_dead_go_and_those_of_the_living_stay() {
    let folder = Folder::new("leftovers");
    folder.open();
    let dead = folder.0.join("tmp/dead");
    let living = folder.0.join("tmp/living");
    fs::write(&dead, "half of an ent").unwrap();
    let file = File::create(&living).unwrap();
    file.lock().unwrap();
    folder.open();
    assert_eq!(folder.temporary(), [living]);
    drop(file);
    Cache::existing(&folder.0).unwrap();
    assert!(folder.temporary().is_empty());
}

#[test]
fn other_folders_are_not_touched() {
    let folder = Folder::new("foreign");
    assert!(matches!(Cache::existing(&folder.0), Err(CacheError::Io(_))));
    fs::create_dir_all(folder.0.join("00")).unwrap();
    fs::write(folder.0.join("00/letter"), "dear").unwrap();
    assert!(matches!(Cache::existing(&folder.0), Err(CacheError::None)));
    fs::write(folder.0.join("letter"), "dear").unwrap();
    match Cache::open(&folder.0, 0) {
        Err(CacheError::Foreign(name)) => assert_eq!(name, "letter"),
        other => panic!("{other:?}"),
    }
    fs::remove_file(folder.0.join("letter")).unwrap();
    let cache = folder.open();
    compile(options(), Some(&cache), &example("saxpy", "visaasm"));
    assert_eq!(cache.clear().unwrap().entries, 1);
    assert_eq!(cache.size().unwrap().entries, 0);
    assert_eq!(fs::read(folder.0.join("00/letter")).unwrap(), b"dear");
}

/// A cache that cannot be written does not stop compilation.
#[test]
fn a_cache_without_room_is_none() {
    let folder = Folder::new("room");
    let cache = folder.open();
    // Files in the place of folders.
    for name in (0..64).map(|shard| format!("{shard:02x}")) {
        fs::write(folder.0.join(name), "").unwrap();
    }
    let bytes = example("saxpy", "visaasm");
    let module = compile(options(), Some(&cache), &bytes);
    assert_same(&compile(options(), None, &bytes), &module, "no room");
    assert_eq!((cache.counts().unwritten, cache.counts().written), (1, 0));
    assert!(cache.problem().is_some());
    assert!(folder.temporary().is_empty());
}

/// Files of several modules: each module has an entry, and so has the grouping.
#[test]
fn modules_of_several_files_are_found() {
    let folder = Folder::new("groups");
    let names = ["saxpy", "reduction", "histogram", "saxpy"];
    let mut files: Vec<Vec<u8>> = names.iter().map(|name| example(name, "visaasm")).collect();
    files.insert(2, b".version 4.1\nno vISA\n".to_vec());
    let compile = |files: &[Vec<u8>], cache: Option<&Cache>| {
        let inputs: Vec<Input> = files.iter().map(|file| input(file)).collect();
        let mut session = Session::new(options());
        if let Some(cache) = cache {
            session = session.with_cache(cache.clone());
        }
        let outcomes = session.compile_modules(&inputs).into_iter();
        let outcome = |o: kiln_compile::Outcome| (o.files, o.result.map_err(|e| e.to_string()));
        outcomes.map(outcome).collect::<Vec<_>>()
    };
    let check = |files: &[Vec<u8>], expected: Counts| {
        let cache = folder.open();
        let plain = compile(files, None);
        let cached = compile(files, Some(&cache));
        assert_eq!(plain.len(), cached.len());
        for ((of, a), (numbers, b)) in plain.iter().zip(&cached) {
            assert_eq!(of, numbers);
            match (a, b) {
                (Ok(a), Ok(b)) => assert_same(a, b, &format!("{of:?}")),
                (Err(a), Err(b)) => assert_eq!(a, b),
                _ => panic!("{of:?}: one fails, and the other does not"),
            }
        }
        assert_eq!(cache.counts(), expected);
    };
    // The modules are the two files of one kernel together, and two others; the grouping is looked up as well.
    // Unreadable files are not compiled.
    check(&files, counts(0, 4, 0));
    check(
        &files,
        Counts {
            misses: 1,
            ..counts(4, 0, 0)
        },
    );
    files[1].extend_from_slice(b"// changed\n");
    check(&files, counts(2, 2, 0));
}

#[test]
fn modules_of_llvm_ir_are_found_with_their_interfaces() {
    let folder = Folder::new("genx");
    let forms = [
        ("two_kernels", "ll"),
        ("subroutine", "opaque.bc"),
        ("stack_call", "spv"),
    ];
    for (name, form) in forms {
        let bytes = kiln_corpus::read(&format!("genx/{name}/{name}.{form}"));
        let plain = compile(options(), None, &bytes);
        assert!(plain.interface.is_some());
        let cold = folder.open();
        assert_same(&plain, &compile(options(), Some(&cold), &bytes), name);
        assert_eq!((cold.counts().hits, cold.counts().misses), (0, 1), "{name}");
        let warm = folder.open();
        let found = compile(options(), Some(&warm), &bytes);
        assert_same(&plain, &found, name);
        assert_eq!(plain.interface, found.interface);
        assert_eq!((warm.counts().hits, warm.counts().misses), (1, 0), "{name}");
    }
}
