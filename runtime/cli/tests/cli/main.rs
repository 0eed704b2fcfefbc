//! The program `kiln` as its user sees it: outputs, and failures with one diagnostic that has a place, an exit code
//! and no output.

mod asm;
#[cfg(unix)]
mod bench;
mod budget;
mod cache;
mod check;
mod diff;
mod disasm;
mod every_verb;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod gpu;
mod hostile;
mod inspect;
mod laboratory;
mod lint;
mod live;
mod object;
mod page;
mod program;
mod program_help;
mod run;
mod verify;

use std::fs;
use std::process::{Command, Stdio};

use kiln_emit::zebin::{ADDRESS, Relocation, Relocations, Section, Symbol, SymbolPlace, Zebin};
use program::{Folder, example, examples, fail, fixture, kiln, names, pass, text};

/// The machine code of a file of vISA.
fn compiled(folder: &Folder, input: &str) -> Vec<u8> {
    let out = folder.path("code.bin");
    pass(&["compile", "-p", "skl", "--emit", "bin", "-o", &out, input]);
    fs::read(out).unwrap()
}

#[test]
fn it_says_its_version() {
    assert_eq!(
        pass(&["--version"]),
        format!("kiln {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn binary_and_text_give_the_same_machine_code() {
    let folder = Folder::new("forms");
    for name in names() {
        let code = compiled(&folder, &example(&name, "visaasm"));
        assert!(!code.is_empty(), "{name}");
        assert!(code == compiled(&folder, &example(&name, "isa")), "{name}");
    }
}

/// `convert` gives the binary of the examples, and its text converts back to it.
#[test]
fn either_form_is_converted_to_the_other() {
    let folder = Folder::new("convert");
    let (isa, text) = (folder.path("k.isa"), folder.path("k.visaasm"));
    for name in names() {
        pass(&["convert", &example(&name, "visaasm"), "-o", &isa]);
        let binary = fs::read(&isa).unwrap();
        assert!(binary == fs::read(example(&name, "isa")).unwrap(), "{name}");
        pass(&["convert", &isa, "-o", &text]);
        pass(&["convert", &text, "-o", &isa]);
        assert!(binary == fs::read(&isa).unwrap(), "{name}");
    }
}

#[test]
fn what_cannot_be_converted_is_refused() {
    let folder = Folder::new("unconverted");
    let (visa, isa) = (example("saxpy", "visaasm"), folder.path("k.isa"));
    for name in ["k.bin", "k"] {
        let args = ["convert", &visa, "-o", name];
        fail(
            &folder,
            &args,
            &["a name that ends in .isa or .visaasm is expected"],
        );
    }
    let bytes = fs::read(example("saxpy", "isa")).unwrap();
    let cut = folder.write("cut.isa", &bytes[..bytes.len() / 2]);
    fail(
        &folder,
        &["convert", &cut, "-o", &isa],
        &["cut.isa: ", "offset 0x"],
    );
}

/// The address of a symbol is a relocation in an object file, a warning for raw code, and an error if the symbol is
/// undefined.
#[test]
fn addresses_of_data_are_relocated() {
    let folder = Folder::new("relocations");
    let source = fs::read_to_string(example("saxpy", "visaasm")).unwrap();
    let mul = source
        .lines()
        .find(|l| l.trim_start().starts_with("mul "))
        .unwrap();
    let declared = source
        .lines()
        .find(|l| l.starts_with(".decl V0048 "))
        .unwrap();
    // The lower half of the address, which is the symbol's value, is added and subtracted again.
    let named = ".decl NAMED v_type=G type=uq num_elts=1 align=qword\n\
                 .decl LOW v_type=G type=d num_elts=2 align=qword alias=<NAMED, 0>";
    let add = "    add (M1_NM, 1) V0048(0,0)<1> V0048(0,0)<0;1,0>";
    let used = format!("{add} LOW(0,0)<0;1,0>\n{add} 0xfffffffc:d");
    let source = source
        .replacen(declared, &format!("{declared}\n{named}"), 1)
        .replacen(
            mul,
            &format!("    faddr table NAMED(0,0)<1>\n{mul}\n{used}"),
            1,
        );
    let visa = folder.write("k.visaasm", &source);
    let mut zebin = Zebin::parse(&fs::read(example("saxpy", "zebin")).unwrap()).unwrap();
    let out = folder.path("out.zebin");

    let info = example("saxpy", "zebin");
    let args = ["compile", "-p", "skl", &visa, "--info", &info, "-o", &out];
    fail(
        &folder,
        &args,
        &[
            "saxpy.zebin: ",
            "the address of table, which it does not define",
        ],
    );

    zebin.others.push(Section {
        name: ".data.const".to_string(),
        kind: 1,
        flags: 2,
        align: 0,
        entry_size: 0,
        size: 8,
        data: vec![0; 8],
    });
    zebin.symbols.push(Symbol {
        name: "table".to_string(),
        value: 4,
        size: 4,
        info: 0x11,
        other: 0,
        place: SymbolPlace::Section(".data.const".to_string()),
    });
    // A relocation of the old code, which must be removed.
    zebin.relocations.push(Relocations {
        section: ".text.saxpy".to_string(),
        addends: false,
        entries: vec![Relocation {
            offset: 1,
            kind: 2,
            symbol: 1,
            addend: 0,
        }],
    });
    let info = folder.write("info.zebin", zebin.write().unwrap());
    pass(&["compile", "-p", "skl", &visa, "--info", &info, "-o", &out]);
    let object = Zebin::parse(&fs::read(&out).unwrap()).unwrap();
    let launch = examples().join("saxpy/launch.yaml").display().to_string();
    for program in [&[out.as_str()][..], &[&visa, "--info", &info]] {
        pass(&[&["run", "--launch", &launch], program].concat());
    }
    let code = folder.path("code.bin");
    let raw = kiln(&["compile", "-p", "skl", "--emit", "bin", "-o", &code, &visa]);
    let offset = object.relocations[0].entries[0].offset;
    assert_eq!(
        object.relocations,
        [Relocations {
            section: ".text.saxpy".to_string(),
            addends: false,
            entries: vec![Relocation {
                offset,
                kind: ADDRESS,
                symbol: 3,
                addend: 0
            }],
        }]
    );
    let said = format!("  ⚠ saxpy: the 64 bits at offset {offset:#x} need the address of table\n");
    assert_eq!((raw.status.code(), text(&raw.stderr)), (Some(0), said));
    // Of several, the first, and how many more.
    let other = format!("{used}\n    faddr other NAMED(0,0)<1>\n{add} LOW(0,0)<0;1,0>");
    let both = source.replacen(&used, &other, 1);
    let both = folder.write("both.visaasm", both);
    let raw = kiln(&["compile", "-p", "skl", "--emit", "bin", "-o", &code, &both]);
    let said = text(&raw.stderr);
    let [line] = &said.lines().collect::<Vec<_>>()[..] else {
        panic!("{said}");
    };
    assert!(
        line.starts_with("  ⚠ saxpy: the 64 bits at offset 0x"),
        "{line}"
    );
    assert!(
        line.ends_with("; 1 more, which an object file lists"),
        "{line}"
    );
    kiln(&["compile", "-p", "skl", "--emit", "bin", "-o", &code, &visa]);
    // The field is the immediate of a move.
    let listed = pass(&["disasm", "-p", "skl", &code, "--numeric-labels"]);
    let at = offset as usize - 8;
    let bytes = fs::read(&code).unwrap();
    let moved = folder.write("mov.bin", &bytes[at..at + 16]);
    let moved = pass(&["disasm", "-p", "skl", &moved, "--numeric-labels"]);
    assert!(
        moved.contains("mov (1|M0)") && listed.contains(moved.trim()),
        "{moved}"
    );
}

#[test]
fn every_example_runs_to_the_expected_results() {
    for name in names() {
        let launch = examples()
            .join(&name)
            .join("launch.yaml")
            .display()
            .to_string();
        let (zebin, visa) = (example(&name, "zebin"), example(&name, "visaasm"));
        for program in [
            &["run", "--launch", &launch, &zebin][..],
            &["run", "--launch", &launch, &visa, "--info", &zebin],
            &[
                "run",
                "--launch",
                &launch,
                &visa,
                "--info",
                &zebin,
                "--grf-limit",
                "32",
            ],
        ] {
            let said = pass(program);
            let passed = said.lines().filter(|l| l.ends_with(": pass")).count();
            assert!(
                passed > 0 && passed == said.lines().count() - 1,
                "{program:?}: {said}"
            );
            let figures = said.lines().last().unwrap();
            assert!(figures.contains(" Gen instructions, "), "{figures}");
        }
    }
}

#[test]
fn wrong_results_are_a_failure() {
    let folder = Folder::new("wrong");
    let dir = examples().join("saxpy");
    for file in ["x.bin", "y.bin", "launch.yaml"] {
        fs::copy(dir.join(file), folder.0.join(file)).unwrap();
    }
    let mut expected = fs::read(dir.join("expect_y.bin")).unwrap();
    expected[7] ^= 0x40;
    folder.write("expect_y.bin", expected);
    let output = kiln(&[
        "run",
        "--launch",
        &folder.path("launch.yaml"),
        &example("saxpy", "zebin"),
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("expect_y.bin: FAIL: 1 of 1003 elements differ"));
    assert!(text(&output.stderr).contains("saxpy: 1 of 1 buffers are wrong"));
}

/// Our object file runs as the reference's does; it has the facts that compilation decides and keeps the others.
#[test]
fn an_object_file_has_our_code_and_figures() {
    use kiln_emit::ze_info::{MemoryKind, MemoryUsage};
    use kiln_emit::zebin::Zebin;
    let folder = Folder::new("zebin");
    let out = folder.path("sgemm.zebin");
    let stats = folder.path("stats.json");
    let (visa, info) = (example("sgemm", "visaasm"), example("sgemm", "zebin"));
    let base = [
        "compile", "-p", "skl", &visa, "--info", &info, "-o", &out, "--stats", &stats,
    ];
    let launch = examples().join("sgemm/launch.yaml").display().to_string();
    let reference = Zebin::parse(&fs::read(&info).unwrap()).unwrap();
    let reference_kernel = &reference.ze_info.kernels[0];

    for limit in [None, Some("32")] {
        let limited = limit.map(|n| ["--grf-limit", n]);
        let args: Vec<_> = base
            .iter()
            .copied()
            .chain(limited.into_iter().flatten())
            .collect();
        pass(&args);
        let figures: serde_json::Value =
            serde_json::from_slice(&fs::read(&stats).unwrap()).unwrap();
        let zebin = Zebin::parse(&fs::read(&out).unwrap()).unwrap();
        let kernel = &zebin.ze_info.kernels[0];
        assert_eq!(kernel.payload_arguments, reference_kernel.payload_arguments);
        assert_eq!(kernel.execution_env.barrier_count, 1);
        assert_eq!(kernel.execution_env.simd_size, 16);
        let spilled = figures[0]["spill_bytes"].as_u64().unwrap();
        assert_eq!(spilled > 0, limit.is_some());
        match kernel.per_thread_memory_buffers.as_slice() {
            [] => assert_eq!(spilled, 0),
            [scratch] => {
                assert_eq!(
                    (&scratch.kind, &scratch.usage),
                    (&MemoryKind::Scratch, &MemoryUsage::SingleSpace)
                );
                assert_eq!(
                    u64::from(scratch.size),
                    spilled.next_power_of_two().max(1024)
                );
            }
            more => panic!("{more:?}"),
        }
        let code = zebin.text("sgemm").unwrap();
        let bytes = figures[0]["bytes"].as_u64().unwrap() as usize;
        assert_eq!(zebin.symbols[0].size as usize, bytes);
        assert!(code.len() >= bytes + 128 && code.len().is_multiple_of(64));
        assert_ne!(code, reference.text("sgemm").unwrap());
        pass(&["run", "--launch", &launch, &out]);
    }

    // A .ze_info document by itself serves as well.
    let document = folder.write("sgemm.yaml", reference.ze_info.to_yaml().unwrap());
    pass(&[
        "compile", "-p", "skl", &visa, "--info", &document, "-o", &out,
    ]);
    pass(&["run", "--launch", &launch, &out]);
}

#[test]
fn figures_have_all_their_fields() {
    let folder = Folder::new("stats");
    let (stats, out) = (folder.path("stats.json"), folder.path("out.bin"));
    pass(&[
        "compile",
        "-p",
        "skl",
        &example("switch", "visaasm"),
        "-o",
        &out,
        "--stats",
        &stats,
    ]);
    let figures: serde_json::Value = serde_json::from_slice(&fs::read(stats).unwrap()).unwrap();
    let kernel = figures[0].as_object().unwrap();
    let mut keys: Vec<_> = kernel.keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            "arrays_in_memory",
            "attempt",
            "bytes",
            "cycles",
            "file",
            "fills",
            "grf_used",
            "instructions",
            "max_pressure",
            "name",
            "platform",
            "seconds",
            "spill_bytes",
            "spills",
            "visa_instructions"
        ]
    );
    assert_eq!(
        (kernel["name"].as_str(), kernel["platform"].as_str()),
        (Some("switch_"), Some("skl"))
    );
    assert_eq!(
        kernel["bytes"].as_u64().unwrap(),
        fs::metadata(out).unwrap().len()
    );
    let seconds = |phase: &str| kernel["seconds"][phase].as_f64().unwrap();
    let sum: f64 = ["read", "ir", "isel", "regalloc", "emit"]
        .into_iter()
        .map(seconds)
        .sum();
    assert!((sum - seconds("total")).abs() < 1e-9 && sum > 0.0);
}

#[test]
fn the_outputs_name_follows_the_inputs() {
    let folder = Folder::new("names");
    let visa = folder.path("k.visaasm");
    fs::copy(example("saxpy", "visaasm"), &visa).unwrap();
    let info = folder.path("k.zebin");
    fs::copy(example("saxpy", "zebin"), &info).unwrap();
    let table = pass(&["compile", "-p", "skl", &visa]);
    assert!(
        table
            .split_whitespace()
            .take(4)
            .eq(["file", "kernel", "platform", "vISA"]),
        "{table}"
    );
    let cells = table.lines().nth(1).unwrap().split_whitespace();
    assert!(cells.take(3).eq([&visa, "saxpy", "skl"]), "{table}");
    pass(&["compile", "-p", "skl", "--emit", "asm", &visa]);
    assert_eq!(folder.files(), ["k.asm", "k.bin", "k.visaasm", "k.zebin"]);
    // Neither an input nor --info is overwritten by default.
    let before = fs::read(&info).unwrap();
    fail(
        &folder,
        &["compile", "-p", "skl", &visa, "--info", &info],
        &["k.zebin is an input"],
    );
    assert_eq!(fs::read(&info).unwrap(), before);

    let listed = pass(&["disasm", "-p", "skl", &folder.path("k.bin")]);
    assert_eq!(listed, fs::read_to_string(folder.path("k.asm")).unwrap());
    let printed = pass(&["compile", "-p", "skl", "--emit", "asm", "-o", "-", &visa]);
    assert_eq!(printed, listed);
    // A dump alone writes no file.
    fs::remove_file(folder.path("k.bin")).unwrap();
    let dump = pass(&["compile", "-p", "skl", "--dump=visa,ir,isel,ra,asm", &visa]);
    for part in [
        ".kernel \"saxpy\"",
        "// saxpy: ir",
        "// saxpy: isel",
        "// saxpy: ra",
        listed.trim_end(),
    ] {
        assert!(dump.contains(part), "{part}");
    }
    assert_eq!(folder.files(), ["k.asm", "k.visaasm", "k.zebin"]);
}

/// The code after every pass can be printed; another name is refused with a list of all.
#[test]
fn the_code_after_each_pass_is_printed() {
    let folder = Folder::new("pass_dumps");
    let visa = example("saxpy", "visaasm");
    let listed = pass(&["passes"]);
    let names: Vec<&str> = (listed.lines().skip(1))
        .map_while(|line| line.split_whitespace().next())
        .filter(|name| !name.starts_with("genx:"))
        .collect();
    assert!(names.len() > 30, "{listed}");
    let out = folder.path("k.bin");
    let all = format!("--dump={}", names.join(","));
    let dump = pass(&[
        "compile", "-p", "skl", "--emit", "bin", "-o", &out, &all, &visa,
    ]);
    for name in &names {
        assert!(dump.contains(&format!("// saxpy: {name}\n")), "{name}");
    }
    let run = kiln(&["compile", "-p", "skl", "--dump=nothing", &visa]);
    let message = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{message}");
    assert!(message.contains("no such stage or pass"), "{message}");
    assert!(names.iter().all(|name| message.contains(name)), "{message}");
}

/// LLVM IR is printed as it was read and after its passes, even if no code can be made of it.
#[test]
fn llvm_ir_is_printed_between_its_passes() {
    let folder = Folder::new("genx_dump");
    let text = "define spir_kernel void @k(i32 %n) \"VCFunction\" {\n  %gone = add i32 %n, 1\n  ret void\n}\n";
    fs::write(folder.path("k.ll"), text).unwrap();
    let file = folder.path("k.ll");
    let dump = pass(&["compile", "-p", "skl", "--dump=genx,genx:simplify", &file]);
    let (read, simplified) = dump.split_once("genx:simplify").expect("both stages");
    assert!(
        read.contains("genx:read") && read.contains("%gone = add i32 %n, 1"),
        "{dump}"
    );
    assert!(simplified.contains("define spir_kernel void @k") && !simplified.contains("%gone"));
}

/// A dump of LLVM IR is the code that is compiled: where `goto` and `join` stay, no pass replaced them.
#[test]
fn llvm_ir_is_printed_as_it_is_compiled() {
    for name in ["simdcf_if", "simdcf_collatz", "simdcf_nested"] {
        let file = &fixture(&format!("genx/{name}/{name}.ll"));
        let visa = pass(&["convert", file, "-p", "skl", "-o", "-"]);
        let branches = visa.matches("goto (M1").count();
        let dump = [
            "compile",
            file,
            "-p",
            "skl",
            "--dump=genx:simdcf,genx:edges",
        ];
        let dump = pass(&dump);
        assert!(dump.contains("genx:simdcf did not run"), "{dump}");
        let calls = dump.lines().filter(|line| line.contains("= call "));
        let gotos = calls.filter(|line| line.contains("@llvm.genx.simdcf.goto"));
        assert_eq!(gotos.count(), branches, "{dump}\n{visa}");
        assert!(branches > 0);
    }
    // The dialect that is asked for is that of the dump, too.
    let file = fixture("genx/simdcf_if/simdcf_if.ll");
    let dump = [
        "compile",
        "-p",
        "skl",
        "--dump=genx:edges",
        "--variant=document",
    ];
    let refused = kiln(&[&dump[..], &[file.as_str()]].concat());
    assert!(!String::from_utf8_lossy(&refused.stdout).contains("genx:edges\n"));
}

/// SPIR-V is known by its content wherever vISA is taken, and its errors name a byte.
#[test]
fn spirv_is_compiled_converted_and_checked() {
    let folder = Folder::new("spirv");
    let program = |name: &str| fixture(&format!("genx/phi_swap/{name}"));
    let words = fs::read(program("phi_swap.spv")).unwrap();
    let file = folder.write("k", &words);
    let (visa, of_text) = (folder.path("k.visaasm"), folder.path("text.visaasm"));
    pass(&["convert", &file, "-p", "skl", "-o", &visa]);
    pass(&[
        "convert",
        &program("phi_swap.ll"),
        "-p",
        "skl",
        "-o",
        &of_text,
    ]);
    assert!(fs::read(&visa).unwrap() == fs::read(&of_text).unwrap());
    pass(&["check", &file, "-p", "skl"]);
    let object = folder.path("k.zebin");
    pass(&["compile", &file, "-p", "skl", "-o", &object]);
    pass(&[
        "run",
        &object,
        "-p",
        "skl",
        "--launch",
        &program("launch.yaml"),
    ]);
    let dump = pass(&["compile", "-p", "skl", "--dump=genx", &file]);
    assert!(dump.contains("define spir_kernel void @phi_swap"), "{dump}");
    // The end of the last function is missing.
    let cut = folder.write("cut", &words[..words.len() - 8]);
    let compile = |file: &str| ["compile", "-p", "skl", file].map(str::to_string);
    let refused = |file: &str, parts: &[&str]| {
        fail(
            &folder,
            &compile(file).each_ref().map(String::as_str),
            parts,
        );
    };
    refused(&cut, &["G0021", "byte"]);
    let plain: Vec<u8> = [0x0723_0203_u32, 0x1_0000, 0, 10, 0, 3 << 16 | 14, 2, 2]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let plain = folder.write("plain", plain);
    refused(&plain, &["G0022", "byte 20", "VectorComputeINTEL"]);
}

/// A module of several kernels gives one file of machine code for each, or only the one asked for.
#[test]
fn several_kernels_are_several_files() {
    let folder = Folder::new("several");
    let both: String = ["saxpy", "reduction"]
        .map(|name| fs::read_to_string(example(name, "visaasm")).unwrap())
        .concat();
    let visa = folder.write("two.visaasm", both);
    pass(&["compile", "-p", "skl", &visa]);
    assert_eq!(
        folder.files(),
        ["two.reduction.bin", "two.saxpy.bin", "two.visaasm"]
    );
    let saxpy = fs::read(folder.path("two.saxpy.bin")).unwrap();
    assert_eq!(saxpy, compiled(&folder, &example("saxpy", "visaasm")));
    let out = folder.path("one.bin");
    pass(&[
        "compile", "-p", "skl", &visa, "--kernel", "saxpy", "-o", &out,
    ]);
    assert_eq!(fs::read(out).unwrap(), saxpy);
    fail(
        &folder,
        &["compile", "-p", "skl", &visa, "-o", "-"],
        &["choose one with --kernel"],
    );
}

#[test]
fn machine_code_is_listed_from_object_files_and_raw() {
    for name in names() {
        let (raw, zebin) = (example(&name, "dat"), example(&name, "zebin"));
        let listed = pass(&["disasm", "-p", "skl", &zebin]);
        assert!(
            listed.contains("{EOT}") && !listed.contains("illegal"),
            "{name}: {listed}"
        );
        // Only the object file has names of kernels and functions.
        let named = |line: &&str| line.starts_with("// ");
        let lines: Vec<_> = listed.lines().skip_while(named).collect();
        let bare = pass(&["disasm", "-p", "skl", &raw]);
        assert!(bare.lines().eq(lines), "{name}: {bare}");
        let numeric = pass(&["disasm", "--numeric-labels", &zebin]);
        assert!(!numeric.lines().any(|l| l.ends_with(':')), "{name}");
    }
}

#[test]
fn buffers_are_read_and_written() {
    let folder = Folder::new("buffers");
    let floats =
        |f: &dyn Fn(u32) -> f32| (0..16).flat_map(|i| f(i).to_le_bytes()).collect::<Vec<_>>();
    let x = folder.write("x", floats(&|i| i as f32));
    let y = folder.write("y", floats(&|i| 100.0 * i as f32));
    let out = folder.path("out");
    let (x, y) = (format!("buf:{x}"), format!("buf:{y}>{out}"));
    let said = pass(&[
        "run",
        &example("saxpy", "zebin"),
        "--kernel",
        "saxpy",
        "--global",
        "64",
        "--local",
        "64",
        "--arg",
        &x,
        "--arg",
        &y,
        "--arg",
        "f32:2",
        "--arg",
        "u32:16",
    ]);
    assert!(said.starts_with("saxpy: 1 groups, 2 threads, "), "{said}");
    assert_eq!(fs::read(out).unwrap(), floats(&|i| 102.0 * i as f32));
}

#[test]
fn a_buffer_becomes_a_picture() {
    let folder = Folder::new("picture");
    let out = folder.path("set.png");
    let pixels = format!("zero:49152>{out}");
    pass(&[
        "run",
        &example("mandelbrot", "visaasm"),
        "--info",
        &example("mandelbrot", "zebin"),
        "--kernel",
        "mandelbrot",
        "--global",
        "128,96",
        "--local",
        "16,4",
        "--arg",
        &pixels,
        "--arg",
        "f32:-2.25",
        "--arg",
        "f32:-1.2",
        "--arg",
        "f32:0.025",
        "--arg",
        "u32:200",
    ]);
    let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(out).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut decoded = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut decoded).unwrap();
    assert_eq!((info.width, info.height), (128, 96));
    let expected = fs::read(examples().join("mandelbrot/expect_pixels.bin")).unwrap();
    assert!(
        decoded == expected,
        "the picture's pixels are not those of the buffer"
    );
}

#[test]
fn a_truncated_binary_is_refused_with_its_place() {
    let folder = Folder::new("truncated");
    let source = fs::read_to_string(example("saxpy", "visaasm")).unwrap();
    let binary = kiln_visa::binary::write(&kiln_visa::text::parse(&source).unwrap()).unwrap();
    let out = folder.path("out.bin");
    for len in [
        5,
        20,
        40,
        100,
        binary.len() / 2,
        binary.len() - 100,
        binary.len() - 1,
    ] {
        let cut = folder.write("cut.isa", &binary[..len]);
        fail(
            &folder,
            &["compile", "-p", "skl", &cut, "-o", &out],
            &["cut.isa: ", "offset 0x"],
        );
    }
}

#[test]
fn what_is_no_visa_is_refused() {
    let folder = Folder::new("magic");
    let source = fs::read_to_string(example("saxpy", "visaasm")).unwrap();
    let mut binary = kiln_visa::binary::write(&kiln_visa::text::parse(&source).unwrap()).unwrap();
    binary[0] = b'X';
    let wrong = folder.write("wrong.isa", binary);
    let out = folder.path("out.bin");
    let compile =
        |input: &str| ["compile", "-p", "skl", "-o", &out.clone(), input].map(str::to_string);
    let refused = |input: &str, parts: &[&str]| {
        let args = compile(input);
        fail(&folder, &args.each_ref().map(String::as_str), parts);
    };
    refused(&wrong, &["wrong.isa: ", "byte 19", "CISA"]);
    refused(&example("saxpy", "zebin"), &["saxpy.zebin: ", "CISA"]);
    let empty = folder.write("empty.isa", "");
    refused(&empty, &["empty.isa"]);
    refused(&folder.path("missing.isa"), &["missing.isa: No such file"]);
}

#[test]
fn an_unknown_opcode_is_shown_in_its_line() {
    let folder = Folder::new("opcode");
    let source = fs::read_to_string(example("saxpy", "visaasm")).unwrap();
    let line = source
        .lines()
        .position(|l| l.trim_start().starts_with("mul "))
        .unwrap()
        + 1;
    let wrong = folder.write(
        "wrong.visaasm",
        source.replacen("    mul ", "    frobnicate ", 1),
    );
    let out = folder.path("out.bin");
    let place = format!("wrong.visaasm:{line}:5: ");
    let shown = "frobnicate (M1_NM, 1)";
    fail(
        &folder,
        &["compile", "-p", "skl", &wrong, "-o", &out],
        &[&place, shown, "┬"],
    );
}

#[test]
fn a_kernel_that_is_not_there_is_named_with_those_that_are() {
    let folder = Folder::new("missing");
    let (visa, zebin) = (example("saxpy", "visaasm"), example("saxpy", "zebin"));
    let out = folder.path("out.bin");
    let said = ["no kernel is named nothing", "the kernels are: saxpy"];
    fail(
        &folder,
        &[
            "compile", "-p", "skl", &visa, "--kernel", "nothing", "-o", &out,
        ],
        &said,
    );
    fail(
        &folder,
        &["disasm", &zebin, "--kernel", "nothing", "-o", &out],
        &said,
    );
    for program in [&[zebin.as_str()][..], &[&visa, "--info", &zebin]] {
        let args: Vec<_> = [
            "run", "--kernel", "nothing", "--global", "1", "--local", "1",
        ]
        .into_iter()
        .chain(program.iter().copied())
        .collect();
        fail(&folder, &args, &said);
    }
    // The layout of another kernel does not fit.
    let other = example("reduction", "zebin");
    let out = folder.path("out.zebin");
    let args = ["compile", "-p", "skl", &visa, "--info", &other, "-o", &out];
    fail(&folder, &args, &["reduction.zebin: ", "no kernel saxpy"]);
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let folder = Folder::new("arguments");
    let zebin = example("saxpy", "zebin");
    let out = folder.path("out");
    let run = |specs: &[&str], parts: &[&str]| {
        let fixed = ["run", &zebin, "--global", "64", "--local", "64"];
        let specs = specs.iter().flat_map(|spec| ["--arg", spec]);
        let args: Vec<_> = fixed.into_iter().chain(specs).collect();
        fail(&folder, &args, parts);
    };
    let written = format!("zero:64>{out}");
    run(
        &["zero:64", &written, "f32:2"],
        &["saxpy: 3 arguments found, 4 expected"],
    );
    run(
        &["zero:64", &written, "f32:2", "u32:16", "u32:16"],
        &["5 arguments found, 4 expected"],
    );
    run(
        &["zero:64", &written, "f64:2", "u32:16"],
        &["argument 2", "a value of 8 bytes found"],
    );
    run(
        &["zero:64", &written, "f32:2", "u32:-1"],
        &["argument `u32:-1`", "`-1` is no number"],
    );
    run(
        &["zero:64", &written, "f32:2", "q32:1"],
        &["argument `q32:1`", "kinds buf, zero"],
    );
    run(
        &["buf:missing.bin", &written, "f32:2", "u32:16"],
        &["missing.bin"],
    );
    // Data that is no picture.
    let picture = format!("zero:64>{out}.png");
    run(
        &["zero:64", &picture, "f32:2", "u32:16"],
        &["out.png: 64 bytes are no picture"],
    );

    let args = ["run", &zebin, "--global", "64,1", "--local", "64"];
    fail(
        &folder,
        &args,
        &["--global has 2 dimensions, --local has 1"],
    );
}

#[test]
fn an_access_out_of_bounds_is_reported_with_its_place() {
    let folder = Folder::new("bounds");
    let out = folder.path("out");
    let (zebin, written) = (example("saxpy", "zebin"), format!("zero:60>{out}"));
    let args = [
        "run", &zebin, "--global", "64", "--local", "64", "--arg", "zero:64", "--arg", &written,
        "--arg", "f32:2", "--arg", "u32:16",
    ];
    fail(
        &folder,
        &args,
        &["saxpy: group [0, 0, 0], thread 0, offset 0x", "argument 1"],
    );
}

#[test]
fn object_files_that_are_none_are_refused() {
    let folder = Folder::new("object");
    let bytes = fs::read(example("saxpy", "zebin")).unwrap();
    let out = folder.path("out");
    for len in [4, 40, 200, bytes.len() - 300] {
        let cut = folder.write("cut.zebin", &bytes[..len]);
        fail(&folder, &["disasm", &cut, "-o", &out], &["cut.zebin: "]);
    }
    let visa = example("saxpy", "visaasm");
    let args = ["compile", "-p", "skl", &visa, "--emit", "zebin", "-o", &out];
    fail(&folder, &args, &["the meaning of .input V0040 is unknown"]);
    let args = ["compile", "-p", "skl", &visa, "--info", &visa, "-o", &out];
    fail(&folder, &args, &["neither a zebin nor a .ze_info document"]);
    let isa = example("saxpy", "isa");
    fail(
        &folder,
        &["disasm", &isa, "-o", &out],
        &["saxpy.isa: this is vISA"],
    );
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let folder = Folder::new("unwritable");
    let (out, stats) = (folder.path("out.bin"), folder.path("no/such/stats.json"));
    let visa = example("saxpy", "visaasm");
    let args = ["compile", "-p", "skl", &visa, "-o", &out, "--stats", &stats];
    let output = kiln(&args);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("no/such/stats.json: No such file"));
    assert_eq!(folder.files(), ["out.bin"]);
    fs::remove_file(&out).unwrap();
    let args = ["compile", "-p", "skl", &visa, "-o", &out, "--stats", &out];
    fail(&folder, &args, &["two outputs are to go to"]);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kiln"))
        .args([
            "compile",
            "-p",
            "skl",
            "--dump=visa,ir,isel,ra,asm",
            &example("int64", "visaasm"),
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn the_version_of_the_convention_is_chosen() {
    let folder = Folder::new("abi");
    let source = fixture("kernels/call_single/call_single.visaasm");
    let code = |args: &[&str]| {
        let out = folder.path("out.bin");
        pass(&[&["compile", "-p", "skl", &source, "-o", &out], args].concat());
        fs::read(out).unwrap()
    };
    assert_eq!(code(&["--abi", "2"]), code(&[]));
    assert_ne!(code(&["--abi", "1"]), code(&[]));
    let wrong = kiln(&["compile", "-p", "skl", &source, "--abi", "3"]);
    assert_eq!(wrong.status.code(), Some(2));
}

/// Scripts read the first lines of a listing of GenX_IR; those of saxpy are as it writes them, with our counts.
#[test]
fn a_listing_in_place_of_the_reference_begins_with_its_lines() {
    let folder = Folder::new("genx-ir");
    let heading = |name: &str, platform: &str, flags: &str| {
        let input = example(name, "visaasm");
        let words = ["genx-ir", &input, "-platform", platform, "-asmToConsole"];
        let words: Vec<&str> = words.into_iter().chain(flags.split_whitespace()).collect();
        let listing = pass(&words);
        let (heading, code) = listing.split_once("\n\n").unwrap();
        let instructions = code.lines().filter(|line| line.contains(" (")).count();
        (heading.to_string(), instructions)
    };
    let (lines, instructions) = heading("saxpy", "SKL", "");
    let expected = format!(
        "//.kernel saxpy\n//.platform SKL\n//.thread_config numGRF=128\n\
         //.options_string \"-platform SKL -asmToConsole \"\n//.instCount {instructions}"
    );
    assert_eq!(lines, expected);
    let (lines, _) = heading("nbody", "SKL", "-TotalGRFNum 32");
    let json = folder.path("stats.json");
    let input = example("nbody", "visaasm");
    pass(&[
        "compile",
        "-p",
        "skl",
        "--grf-limit",
        "32",
        &input,
        "-o",
        &folder.path("out.bin"),
        "--stats",
        &json,
    ]);
    let stats: serde_json::Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    let bytes = stats[0]["spill_bytes"].as_u64().unwrap();
    assert!(bytes > 0);
    assert!(
        lines.ends_with(&format!("//.spill size {bytes}")),
        "{lines}"
    );
}
