//! Kernels of explicit SIMD (`corpus/genx`, made by its `remake`): a thread is one work-item. Their expected results are
//! computed by the comments of their sources, not by a compiler.

use std::path::{Path, PathBuf};

use kiln_corpus::Kernel;
use kiln_emit::zebin::Zebin;
use kiln_runtime::exec::{Arg, Launch, Program};
use kiln_runtime::interface::{
    Access, Argument, Implicit, ImplicitKind, Interface, KernelInterface,
};
use kiln_runtime::launch::Description;
use kiln_runtime::{Info, Input, Options, Platform, Session, Tier, find_platform};

fn folder(name: &str) -> PathBuf {
    kiln_corpus::path(&format!("genx/{name}"))
}

fn platform(name: &str) -> &'static Platform {
    find_platform(name).expect("a platform")
}

fn file(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Runs the kernel of an object file as its `launch.yaml` says.
fn run(zebin: &Zebin, name: &str, platform: &'static Platform) -> Result<(), String> {
    run_in(zebin, &folder(name), "launch.yaml", platform)
}

/// Runs a kernel as a file in a folder says.
fn run_in(
    zebin: &Zebin,
    folder: &Path,
    said: &str,
    platform: &'static Platform,
) -> Result<(), String> {
    let yaml = String::from_utf8(file(&folder.join(said))).expect("text");
    let description = Description::parse(&yaml).map_err(|e| e.to_string())?;
    let kernel = description.kernel.as_str();
    let program = Program::from_zebin(zebin, kernel, platform).map_err(|e| e.to_string())?;
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel,
        global: description.global,
        local: description.local,
        dimensions: description.dimensions,
        args: description.load_args(folder).map_err(|e| e.to_string())?,
        budget: Launch::BUDGET,
    };
    launch.run(&program).map_err(|e| e.to_string())?;
    description
        .check(&launch.args, folder)
        .map_err(|e| e.to_string())
}

/// Kernels of which the reference compiler's vISA and object files are kept.
const KEPT: [&str; 4] = ["simdcf_collatz", "simdcf_call", "subroutine", "neighbours"];

/// Forms that programs are compiled from. All but SPIR-V give the same vISA (`forms` in the tests of kiln-genx).
const FORMS: [(&str, Tier); 3] = [
    ("ll", Tier::Quick),
    ("opaque.bc", Tier::Best),
    ("spv", Tier::Best),
];

/// Compiles the programs of a set of the corpus, each from the forms that it has, and runs them. Says what goes wrong.
fn all_give_what_is_expected(set: &str, platform: &'static Platform) -> Vec<String> {
    let mut wrong = Vec::new();
    for Kernel { name, folder, .. } in kiln_corpus::kernels(&[set]) {
        let file = |form: &str| folder.join(format!("{name}.{form}"));
        for (form, tier) in FORMS.into_iter().filter(|(form, _)| file(form).exists()) {
            let zebin = compiled(&file(form), tier, platform);
            let result = zebin.and_then(|zebin| run_in(&zebin, &folder, "launch.yaml", platform));
            if result.is_err() {
                wrong.push(format!("{name}.{form}, {tier:?}: {result:?}"));
            }
        }
    }
    wrong
}

/// The object file of a module in LLVM IR.
fn compiled(path: &Path, tier: Tier, platform: &'static Platform) -> Result<Zebin, String> {
    let bytes = file(path);
    let input = Input {
        name: "k.ll",
        bytes: &bytes,
    };
    let options = Options {
        verify: true,
        ..Options::new(platform)
    };
    let session = Session::new(options.tier(tier));
    let module = session
        .compile_module(&[input])
        .map_err(|e| format!("refused: {e}"))?;
    let interface = module.interface.clone().ok_or("no interface")?;
    let made = session
        .object_file(&module, Info::Interface(interface))
        .map_err(|e| e.to_string())?;
    let bytes = made.write().map_err(|e| e.to_string())?;
    Zebin::parse(&bytes).map_err(|e| e.to_string())
}

#[test]
fn examples_made_by_clang_give_the_expected_results() {
    for name in ["genx_mandelbrot", "genx_matmul"] {
        let folder = kiln_corpus::project().join("examples").join(name);
        let path = folder.join(format!("{name}.ll"));
        let zebin = compiled(&path, Tier::Best, platform("skl"));
        let zebin = zebin.unwrap_or_else(|e| panic!("{name}: {e}"));
        let done = run_in(&zebin, &folder, "run.yaml", platform("skl"));
        assert_eq!(done, Ok(()), "{name}");
    }
}

#[test]
fn programs_in_llvm_ir_give_the_expected_results() {
    assert!(kiln_corpus::kernels(&["genx"]).len() >= 105);
    let wrong = all_give_what_is_expected("genx", platform("skl"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs of which a platform lacks something: these end in a diagnostic there, all others give what is expected.
fn all_but(lacking: &[&str], name: &str) {
    all_but_passed_on(lacking, &[], name);
}

/// The same, and programs with messages that the platform lacks, which are passed on as they are and cannot be executed.
fn all_but_passed_on(lacking: &[&str], passed_on: &[&str], name: &str) {
    let found = all_give_what_is_expected("genx", platform(name));
    let is_of = |found: &String, programs: &[&str]| programs.iter().any(|p| found.starts_with(p));
    let (failing, found): (Vec<_>, Vec<_>) =
        (found.into_iter()).partition(|found| is_of(found, passed_on));
    assert_eq!(failing.len(), FORMS.len() * passed_on.len(), "{failing:?}");
    let compiled = failing.iter().all(|found| !found.contains("refused: "));
    assert!(compiled, "{}", failing.join("\n"));
    let (refused, wrong): (Vec<_>, Vec<_>) =
        (found.into_iter()).partition(|found| is_of(found, lacking));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let forms = FORMS.len() * lacking.len();
    assert_eq!(refused.len(), forms, "{}", refused.join("\n"));
    let diagnostics = refused.iter().all(|found| found.contains("refused: "));
    assert!(diagnostics, "{}", refused.join("\n"));
}

#[test]
fn programs_in_llvm_ir_give_the_expected_results_on_xe2() {
    all_but_passed_on(&["media_blocks", "pairs_and_quads"], &["raw_sends"], "bmg");
}

#[test]
fn programs_in_llvm_ir_give_the_expected_results_without_integers_of_64_bits() {
    all_but(
        &[
            "doubles",
            "exact_roots",
            "floats",
            "functions_of_doubles",
            "pairs_and_quads",
            "remainder_edges",
        ],
        "icllp",
    );
}

/// Instructions that the translator of LLVM does not write.
#[test]
fn programs_in_the_assembly_of_spirv_give_the_expected_results() {
    assert!(kiln_corpus::kernels(&["genx_spv"]).len() >= 5);
    for name in ["skl", "icllp", "bmg"] {
        let wrong = all_give_what_is_expected("genx_spv", platform(name));
        assert!(wrong.is_empty(), "{name}: {}", wrong.join("\n"));
    }
}

#[test]
fn programs_for_load_store_units_give_the_expected_results() {
    assert!(kiln_corpus::kernels(&["genx_lsc"]).len() >= 7);
    for name in ["bmg", "lnl", "ptl"] {
        let wrong = all_give_what_is_expected("genx_lsc", platform(name));
        assert!(wrong.is_empty(), "{name}: {}", wrong.join("\n"));
    }
}

/// The reference's object file.
fn reference(name: &str, device: &str) -> Zebin {
    let object = Kernel::in_set("genx", name).object(device);
    Zebin::parse(&file(&object.expect("it is kept"))).expect("an object file")
}

/// The reference's vISA.
fn visa(name: &str) -> String {
    let visa = file(&folder(name).join(format!("{name}.visaasm")));
    String::from_utf8(visa).expect("text")
}

/// An object file of ours.
fn ours(name: &str, visa: &str, info: Info) -> Zebin {
    let input = Input {
        name,
        bytes: visa.as_bytes(),
    };
    let mut options = Options::new(platform("skl"));
    options.verify = true;
    let session = Session::new(options);
    let module = session
        .compile_module(&[input])
        .unwrap_or_else(|e| panic!("{e}"));
    let made = session
        .object_file(&module, info)
        .unwrap_or_else(|e| panic!("{e}"));
    // As a loader gets it.
    Zebin::parse(&made.write().expect("an object file")).expect("an object file")
}

#[test]
fn threads_of_one_work_item_run_from_the_references_object_files() {
    for name in KEPT {
        for device in ["skl", "tgllp", "bmg"] {
            let zebin = reference(name, device);
            assert_eq!(zebin.ze_info.kernels[0].execution_env.simd_size, 1);
            run(&zebin, name, platform(device)).unwrap_or_else(|e| panic!("{name} {device}: {e}"));
        }
    }
}

#[test]
fn threads_of_one_work_item_run_from_our_object_files() {
    for name in KEPT {
        let zebin = ours(name, &visa(name), Info::Zebin(reference(name, "skl")));
        assert_eq!(zebin.ze_info.kernels[0].execution_env.simd_size, 1);
        run(&zebin, name, platform("skl")).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

#[test]
fn an_interface_packs_the_local_ids_of_explicit_simd() {
    let implicit = |kind, offset| Implicit {
        kind,
        offset,
        unread: false,
    };
    let interface = Interface {
        strings: Vec::new(),
        kernels: vec![KernelInterface {
            name: "neighbours".to_string(),
            local_memory: 1024,
            implicit: vec![
                implicit(ImplicitKind::LocalIds, 32),
                implicit(ImplicitKind::LocalSize, 64),
            ],
            arguments: vec![Argument::Buffer {
                offset: Some(88),
                bti: None,
                access: Access::ReadWrite,
                stateless: false,
                unread: false,
            }],
            ..KernelInterface::default()
        }],
    };
    // An interface has no base of private memory, which the kernel does not read.
    let visa = visa("neighbours").replace(".implicit_UNDEFINED_12 V34 offset=80 size=8\n", "");
    let zebin = ours("neighbours", &visa, Info::Interface(interface));
    let theirs = reference("neighbours", "skl");
    let [ours, theirs] = [&zebin, &theirs].map(|zebin| &zebin.ze_info.kernels[0]);
    assert_eq!(ours.execution_env.simd_size, 1);
    assert_eq!(
        ours.per_thread_payload_arguments,
        theirs.per_thread_payload_arguments
    );
    run(&zebin, "neighbours", platform("skl")).unwrap_or_else(|e| panic!("{e}"));
}

/// The lines of `!DILocation`, in the object files of each form: as a list of a file's name and a line, in the
/// order of the code.
#[test]
fn object_files_have_the_lines_of_the_source() {
    let expected = [
        ("lines.cpp", 21),
        ("lines.cpp", 22),
        ("twice.h", 4),
        ("twice.h", 24),
        ("lines.cpp", 25),
    ];
    for name in ["lines.ll", "lines.bc", "lines.spv"] {
        for device in ["skl", "bmg"] {
            let bytes = kiln_corpus::read(&format!("genx_lines/{name}"));
            let input = Input {
                name,
                bytes: &bytes,
            };
            let session = Session::new(Options::new(platform(device)).tier(Tier::Best));
            let module = session
                .compile_module(&[input])
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            let interface = module.interface.clone().expect("an interface");
            let mut zebin = session
                .object_file(&module, Info::Interface(interface))
                .expect("an object file");
            kiln_runtime::object_file::add_lines(&mut zebin, &module).expect("lines");
            let written = zebin.write().expect("an object file");
            let zebin = Zebin::parse(&written).expect("an object file");
            let tables = kiln_runtime::debug_lines::of_object(&zebin);
            let table = &tables["lines"];
            let found = table.lines.iter().filter_map(|line| {
                let source = line.source.filter(|source| source.line != 0)?;
                let path = table.file(source)?.strip_prefix("/src/kernels/")?;
                Some((path, source.line))
            });
            assert_eq!(found.collect::<Vec<_>>(), expected, "{name} {device}");
        }
    }
}

/// The text of C's own calls (`printed.c`), on every kind of platform.
#[test]
fn printed_text_is_that_of_c() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/genx_printed");
    let expected = String::from_utf8(file(&folder.join("printed.txt"))).expect("text");
    for name in ["skl", "icllp", "tgllp", "dg2", "pvc", "bmg", "ptl"] {
        for (form, tier) in [
            ("ll", Tier::Quick),
            ("ll", Tier::Best),
            ("spv", Tier::Best),
            ("std.spv", Tier::Best),
        ] {
            let zebin = compiled(
                &folder.join("printed").with_extension(form),
                tier,
                platform(name),
            );
            let zebin = zebin.unwrap_or_else(|e| panic!("{name}, {form}: {e}"));
            let program =
                Program::from_zebin(&zebin, "printed", platform(name)).expect("a program");
            let mut launch = Launch {
                ze_info: &zebin.ze_info,
                kernel: "printed",
                global: [1; 3],
                local: [1; 3],
                dimensions: 1,
                args: vec![
                    Arg::Value(7u32.to_le_bytes().to_vec()),
                    Arg::Value(0x123_4567_89ab_u64.to_le_bytes().to_vec()),
                    Arg::Value(3.140_625_f32.to_le_bytes().to_vec()),
                    Arg::Buffer(vec![0xff; 4]),
                ],
                budget: Launch::BUDGET,
            };
            let stats = launch.run(&program);
            let stats = stats.unwrap_or_else(|e| panic!("{name}, {form}, {tier:?}: {e}"));
            assert_eq!(stats.printed, expected, "{name}, {form}, {tier:?}");
            assert_eq!(
                launch.args[3].memory(),
                Some(&[0; 4][..]),
                "the result of a call"
            );
        }
    }
}
