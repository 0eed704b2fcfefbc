//! Object files that the reference compiler hands over with its vISA: our code beside its own whole compilation.

use kiln_compile::archive::{self, Member};
use kiln_compile::choose;
use kiln_compile::finalize::{FinalizeError, Strip, finalize, finalize_bytes, finalize_file};
use kiln_compile::relink::RelinkError;
use kiln_compile::{Options, Session, find_platform};
use kiln_emit::ze_info::{Kernel, MemoryKind, ZeInfo};
use kiln_emit::zebin::{ENTRY, FUNCTIONS, SPIRV, SymbolPlace, VISA, Zebin};

/// Programs of `corpus/finalize`, each with the whole object file, that with vISA alone, and that with both.
const PROGRAMS: [&str; 2] = ["saxpy", "two"];
const KINDS: [&str; 2] = ["alone", "both"];

fn file(program: &str, kind: &str) -> Vec<u8> {
    kiln_corpus::read(&format!("finalize/{program}.{kind}.zebin"))
}

fn zebin(program: &str, kind: &str) -> Zebin {
    Zebin::parse(&file(program, kind)).unwrap()
}

fn finalized(program: &str, kind: &str) -> Zebin {
    let bytes = finalize_bytes(&file(program, kind), Strip::default());
    Zebin::parse(&bytes.unwrap_or_else(|e| panic!("{program}.{kind}: {e}"))).unwrap()
}

/// The document without what follows from the code: space for spills and stacks, whether threads may be interrupted, and the length of the
/// code that loads local ids.
fn without_sizes(info: &ZeInfo) -> ZeInfo {
    let mut info = info.clone();
    for kernel in &mut info.kernels {
        kernel.execution_env.spill_size = 0;
        kernel.execution_env.disable_mid_thread_preemption = false;
        kernel.execution_env.offset_to_skip_per_thread_data_load = 0;
        let buffers = &mut kernel.per_thread_memory_buffers;
        buffers.retain(|buffer| buffer.kind != MemoryKind::Scratch);
        // Functions that are called by address follow the kernel of this name, which is no code of ours.
        if kernel.name == FUNCTIONS {
            *kernel = Kernel {
                name: kernel.name.clone(),
                ..Kernel::default()
            };
        }
    }
    info
}

#[test]
fn fields_are_those_of_a_whole_compilation() {
    for program in PROGRAMS {
        let whole = without_sizes(&zebin(program, "whole").ze_info);
        for kind in KINDS {
            let ours = without_sizes(&finalized(program, kind).ze_info);
            assert_eq!(ours, whole, "{program}.{kind}");
        }
        // Fields of code are missing where the reference compiler stopped before its finalizer.
        assert_ne!(without_sizes(&zebin(program, "alone").ze_info), whole);
    }
}

/// The code that loads local ids ends where a driver can start a thread, and is not longer than the reference's.
#[test]
fn ids_are_loaded_in_whole_lines() {
    let skipped = |zebin: &Zebin| {
        let kernels = zebin.ze_info.kernels.iter();
        let skipped =
            kernels.map(|kernel| kernel.execution_env.offset_to_skip_per_thread_data_load);
        skipped.collect::<Vec<_>>()
    };
    for program in PROGRAMS {
        let whole = skipped(&zebin(program, "whole"));
        for kind in KINDS {
            let ours = skipped(&finalized(program, kind));
            assert_eq!(ours.len(), whole.len());
            for (ours, whole) in ours.into_iter().zip(&whole) {
                assert!(
                    ours % 64 == 0 && ours <= *whole,
                    "{program}.{kind}: {ours} {whole}"
                );
                assert_eq!(ours == 0, *whole == 0, "{program}.{kind}");
            }
        }
    }
}

/// Symbols have the names, bindings, kinds and sections of the reference's, local ones first; the entry of a kernel is
/// not after the reference's, since its loading of arguments is not longer.
#[test]
fn symbols_are_those_of_a_whole_compilation() {
    for program in PROGRAMS {
        let of = |zebin: &Zebin| {
            let mut found: Vec<_> = (zebin.symbols.iter())
                .map(|s| {
                    let functions = s.place == SymbolPlace::Section(format!(".text.{FUNCTIONS}"));
                    let entry = (s.name == ENTRY && !functions).then_some(s.value);
                    (s.name.clone(), s.info, s.place.clone(), entry)
                })
                .collect();
            let binding = |info: u8| info >> 4;
            assert!(found.is_sorted_by_key(|(_, info, ..)| binding(*info)));
            found.sort_by_key(|(name, _, place, _)| (name.clone(), format!("{place:?}")));
            let entries: Vec<_> = found.iter_mut().map(|found| found.3.take()).collect();
            (found, entries)
        };
        let (whole, theirs) = of(&zebin(program, "whole"));
        for kind in KINDS {
            let (found, entries) = of(&finalized(program, kind));
            assert_eq!(found, whole, "{program}.{kind}");
            for (ours, theirs) in entries.into_iter().zip(&theirs) {
                assert_eq!(ours.is_some(), theirs.is_some(), "{program}.{kind}");
                assert!(ours <= *theirs, "{program}.{kind}: {ours:?} {theirs:?}");
            }
        }
    }
}

/// Relocations name the symbols that the reference's code refers to.
#[test]
fn relocations_are_of_the_same_symbols() {
    for program in PROGRAMS {
        let of = |zebin: &Zebin, kernel: &str| {
            let section = format!(".text.{kernel}");
            let ours = zebin.relocations.iter().filter(|r| r.section == section);
            let mut found: Vec<_> = ours
                .flat_map(|r| &r.entries)
                .map(|r| (zebin.symbols[r.symbol as usize - 1].name.clone(), r.kind))
                .collect();
            found.sort();
            found
        };
        let whole = zebin(program, "whole");
        for kind in KINDS {
            let ours = finalized(program, kind);
            for kernel in whole.kernels.iter().filter(|k| k.name != FUNCTIONS) {
                let (ours, theirs) = (of(&ours, &kernel.name), of(&whole, &kernel.name));
                assert_eq!(ours, theirs, "{program}.{kind}: {}", kernel.name);
            }
        }
    }
}

#[test]
fn the_code_depends_on_the_visa_alone() {
    for program in PROGRAMS {
        let [alone, both] = KINDS.map(|kind| finalized(program, kind));
        assert!(
            alone
                .kernels
                .iter()
                .all(|k| k.text.iter().any(|byte| *byte != 0))
        );
        assert_eq!(alone.kernels, both.kernels, "{program}");
        // Code that is ours already is made again.
        let again = finalize_bytes(&alone.write().unwrap(), Strip::default()).unwrap();
        assert!(again == alone.write().unwrap(), "{program}");
    }
}

/// The number of registers that the compiler asks its finalizer for is that of the kernel.
#[test]
fn large_register_files_are_asked_for() {
    let mut object = zebin("saxpy", "alone");
    let visa = object.others.iter_mut().find(|s| s.kind == VISA).unwrap();
    let end = visa.data.len() - 1;
    for (asked, expected, threads) in [("128", 128, 8), ("256", 256, 4), ("77", 128, 8)] {
        visa.data.truncate(end);
        let comment = format!("\n//Build option: \"-x -TotalGRFNum {asked} -y\"\n\0");
        visa.data.extend(comment.bytes());
        visa.size = visa.data.len() as u64;
        let mut whole = zebin("saxpy", "alone");
        whole.others = vec![visa.clone()];
        let bytes = finalize_bytes(&whole.write().unwrap(), Strip::default()).unwrap();
        let env = &Zebin::parse(&bytes).unwrap().ze_info.kernels[0].execution_env;
        let found = (env.grf_count, env.eu_thread_count);
        assert_eq!(found, (expected, threads), "{asked}");
    }
}

#[test]
fn sections_are_kept_or_left_out() {
    let kinds = |strip| {
        let mut object = zebin("saxpy", "alone");
        let mut spirv = object.others[0].clone();
        (spirv.name, spirv.kind) = (".spv".to_string(), SPIRV);
        object.others.push(spirv);
        let bytes = finalize_bytes(&object.write().unwrap(), strip).unwrap();
        let others = Zebin::parse(&bytes).unwrap().others;
        let has = |kind| others.iter().any(|section| section.kind == kind);
        (has(VISA), has(SPIRV), others.len())
    };
    let (visa, spirv) = (true, true);
    assert_eq!(kinds(Strip::default()), (true, true, 3));
    let without_visa = Strip { visa, spirv: false };
    assert_eq!(kinds(without_visa), (false, true, 2));
    assert_eq!(kinds(Strip { visa, spirv }), (false, false, 1));
}

/// The begin of a module that spirv-as makes, with a kernel of four words' name at most.
fn module(kernel: &str) -> Vec<u8> {
    let mut name = [0; 16];
    name[..kernel.len()].copy_from_slice(kernel.as_bytes());
    let head = [
        0x0723_0203,
        0x0001_0000,
        0x0007_0000,
        0x16,
        0,
        0x0002_0011,
        4,
        0x0002_0011,
        6,
        0x0003_000e,
        2,
        2,
        0x0008_000f,
        6,
        2,
    ];
    let mut bytes: Vec<u8> = head
        .iter()
        .flat_map(|word: &u32| word.to_le_bytes())
        .collect();
    bytes.extend(name);
    bytes.extend(3_u32.to_le_bytes());
    bytes
}

#[test]
fn kernels_that_the_compiler_left_out_are_an_error() {
    let with = |kernel: &str, cut: usize| {
        let mut object = zebin("two", "alone");
        let mut spirv = object.others[0].clone();
        (spirv.name, spirv.kind) = (".spv".to_string(), SPIRV);
        spirv.data = module(kernel);
        spirv.data.truncate(spirv.data.len() - cut);
        spirv.size = spirv.data.len() as u64;
        object.others.push(spirv);
        finalize_bytes(&object.write().unwrap(), Strip::default())
    };
    assert!(with("second", 0).is_ok());
    let error = with("third", 0).unwrap_err();
    assert!(
        matches!(&error, FinalizeError::Relink(RelinkError::Absent(names)) if names == &["third"]),
        "{error}"
    );
    // A part of an instruction names nothing.
    assert!(with("third", 6).is_ok());
}

#[test]
fn errors_say_what_is_missing() {
    let of = |object: &Zebin| finalize_bytes(&object.write().unwrap(), Strip::default());
    let error = of(&zebin("saxpy", "whole")).unwrap_err();
    assert!(matches!(
        error,
        FinalizeError::Relink(RelinkError::NoSections)
    ));
    // A kernel without vISA is an error, or keeps its code.
    let mut object = zebin("two", "both");
    let first = object.others.iter().position(|s| s.kind == VISA).unwrap();
    object.others.remove(first);
    let error = of(&object).unwrap_err();
    assert!(error.to_string().ends_with("kernels: first"), "{error}");
    let session = Session::new(Options::new(find_platform("lnl").unwrap()));
    let kept = finalize(&session, object.clone(), Strip::default(), true, false).unwrap();
    assert_eq!(kept.kept, ["first"]);
    assert_eq!(kept.zebin.text("first"), object.text("first"));
    // A place in the text of a section.
    let mut object = zebin("two", "alone");
    let sections = object.others.iter_mut().filter(|s| s.kind == VISA);
    let text = &mut sections.into_iter().nth(1).unwrap().data;
    let at = text.windows(5).position(|part| part == b"mov (").unwrap();
    text[at] = b'!';
    let error = of(&object).unwrap_err().to_string();
    assert!(error.starts_with(".visaasm#2:"), "{error}");
    object.notes.clear();
    assert!(matches!(of(&object), Err(FinalizeError::Platform)));
}

/// An older compiler names no kernel in its vISA, whose sections are in the order of the kernels.
#[test]
fn kernels_without_names_are_those_in_their_order() {
    let object = zebin("two", "older");
    let session = Session::new(Options::new(find_platform("skl").unwrap()));
    let of = |object: Zebin| finalize(&session, object, Strip::default(), false, false);
    let made = of(object.clone()).unwrap();
    assert_eq!(made.replaced, ["first", "second", FUNCTIONS]);
    let barriers = |zebin: &Zebin| {
        let kernels = zebin.ze_info.kernels.iter();
        let counts = kernels.map(|kernel| kernel.execution_env.barrier_count);
        counts.collect::<Vec<_>>()
    };
    assert_eq!(barriers(&made.zebin), [0, 1, 0]);
    assert_eq!(barriers(&made.zebin), barriers(&object));
    // Kernels call a function, and functions none.
    let relocated = made.zebin.relocations.iter().map(|r| r.section.as_str());
    assert_eq!(
        relocated.collect::<Vec<_>>(),
        [".text.first", ".text.second"]
    );
    // With fewer texts than kernels none is known.
    let mut object = object;
    let first = object.others.iter().position(|s| s.kind == VISA).unwrap();
    object.others.remove(first);
    let error = of(object).unwrap_err();
    assert!(
        matches!(&error, RelinkError::NoVisa(names) if names == &["first", "second"]),
        "{error}"
    );
}

/// Sizes and fields are those that the reference compiler's own whole compilation chooses, in either order of the variants. A
/// variant is worth compiling where code spills.
#[test]
fn the_better_variant_of_each_kernel_is_taken() {
    let whole = zebin("widths", "whole").ze_info;
    let sizes = |info: &ZeInfo| {
        let kernels = info.kernels.iter();
        kernels
            .map(|k| k.execution_env.simd_size)
            .collect::<Vec<_>>()
    };
    assert_eq!(sizes(&whole), [8, 32]);
    let platform = find_platform("dg2").unwrap();
    let session = Session::new(Options::new(platform));
    let make = |zebin| finalize(&session, zebin, Strip::default(), false, false);
    let objects = ["wide", "narrow"].map(|kind| zebin("widths", kind));
    for order in [[0, 1], [1, 0]] {
        let [first, second] = order.map(|at| objects[at].clone());
        let made = make(first.clone()).unwrap();
        let asked = [Some(8), None][order[0]];
        assert_eq!(choose::narrower(&made.zebin), asked);
        let (chosen, choices) =
            choose::choose(platform, (&first, made), &[second], &[], make).unwrap();
        assert_eq!(without_sizes(&chosen.zebin.ze_info), without_sizes(&whole));
        let taken = choices.iter().map(|choice| order[choice.variant]);
        assert_eq!(taken.collect::<Vec<_>>(), [1, 0]);
    }
    // The first of equal variants is taken.
    let made = make(objects[0].clone()).unwrap();
    let expected = made.zebin.write().unwrap();
    let same = choose::choose(platform, (&objects[0], made), &objects[..1], &[], make).unwrap();
    assert!(same.1.iter().all(|choice| choice.variant == 0));
    assert!(same.0.zebin.write().unwrap() == expected);
}

/// Objects with flipped bits, and cut short, give an error or an object file, never a panic.
#[test]
fn damaged_objects_are_errors() {
    let whole = file("saxpy", "alone");
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut refused = 0;
    for number in 0..1000 {
        let mut bytes = whole.clone();
        for _ in 0..=number % 4 {
            let at = random(bytes.len());
            bytes[at] ^= 1 << random(8);
        }
        if number % 10 == 0 {
            bytes.truncate(random(bytes.len()));
        }
        match finalize_bytes(&bytes, Strip::default()) {
            Ok(made) => assert!(Zebin::parse(&made).is_ok(), "object {number}"),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!((200..1000).contains(&refused), "{refused} refused");
}

/// The object files of an archive become what each becomes by itself, and other members stay.
#[test]
fn archives_are_finalized_by_member() {
    let member = |name: &str, data: Vec<u8>| Member {
        name: name.to_string(),
        data,
    };
    let members = |kind: &str| {
        let device = |name, program| member(name, file(program, kind));
        let spirv = member("generic_ir", b"\x03\x02\x23\x07 and more".to_vec());
        [device("20.4.4", "saxpy"), spirv, device("20.1.4", "two")]
    };
    let session = |platform| Session::new(Options::new(platform));
    let of = |members: &[Member]| {
        let archive = archive::write(members);
        finalize_file(&archive, session, Strip::default(), false, false)
    };
    let made = of(&members("alone")).unwrap();
    let names: Vec<&str> = made.replaced.iter().map(String::as_str).collect();
    assert_eq!(names[0], "20.4.4/saxpy");
    assert!(names.len() > 1 && names[1..].iter().all(|name| name.starts_with("20.1.4/")));
    let mut expected = members("alone");
    for (place, program) in [(0, "saxpy"), (2, "two")] {
        let alone = file(program, "alone");
        expected[place].data = finalize_bytes(&alone, Strip::default()).unwrap();
    }
    assert!(archive::read(&made.bytes).unwrap() == expected);
    // A member without vISA, one of another form, an archive that ends early.
    let error = of(&members("whole")).unwrap_err().to_string();
    assert!(
        error.starts_with("20.4.4: it has no section of vISA"),
        "{error}"
    );
    let mut other = members("alone");
    other[2].data = b"CTNI and more".to_vec();
    let error = of(&other).unwrap_err().to_string();
    assert!(error.starts_with("20.1.4: "), "{error}");
    let mut short = archive::write(&members("alone"));
    short.truncate(short.len() - 100);
    let error = finalize_bytes(&short, Strip::default()).unwrap_err();
    assert!(matches!(error, FinalizeError::Archive), "{error}");
}
