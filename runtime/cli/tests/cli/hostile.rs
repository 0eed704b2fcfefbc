//! Wrong inputs and command lines never overwrite a file, fail silently, or run without end.

use std::fs;
use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::program::{Folder, example, examples, fail, fixture, kiln, names, pass, piped, text};

/// A kernel of vISA with these lines in it.
fn kernel(name: &str, lines: &str) -> String {
    format!(
        ".version 3.6\n.kernel \"{name}\"\n.decl V32 v_type=G type=d num_elts=16 align=GRF\n\
         .kernel_attr Target=\"cm\"\n.kernel_attr SimdSize=16\n{lines}    ret (M1, 1)\n"
    )
}

#[test]
fn standard_input_is_an_input_of_every_verb() {
    let folder = Folder::new("stdin");
    let source = fs::read(example("saxpy", "visaasm")).unwrap();
    let out = folder.path("out.bin");
    pass(&[
        "compile",
        "-p",
        "skl",
        &example("saxpy", "visaasm"),
        "-o",
        &out,
    ]);
    let code = fs::read(&out).unwrap();

    let compiled = piped(&["compile", "-p", "skl", "-q", "-", "-o", "-"], &source);
    assert_eq!(
        (text(&compiled.stderr).as_str(), compiled.status.code()),
        ("", Some(0))
    );
    assert!(compiled.stdout == code);
    let checked = piped(&["check", "-"], &source);
    assert!(text(&checked.stdout).starts_with("1 kernel and 0 functions"));
    let isa = folder.path("k.isa");
    assert!(
        piped(&["convert", "-", "-o", &isa], &source)
            .status
            .success()
    );
    assert!(fs::read(&isa).unwrap() == fs::read(example("saxpy", "isa")).unwrap());
    let listed = piped(&["disasm", "-p", "skl", "-"], &code);
    assert_eq!(text(&listed.stdout), pass(&["disasm", "-p", "skl", &out]));
    let launch = examples().join("saxpy/launch.yaml").display().to_string();
    let zebin = fs::read(example("saxpy", "zebin")).unwrap();
    assert!(
        piped(&["run", "--launch", &launch, "-"], &zebin)
            .status
            .success()
    );

    // The name of standard input in messages; it gives no name for an output.
    let wrong = piped(&["check", "-"], b".version 3.6\n.kernel k\nfrobnicate\n");
    assert!(
        text(&wrong.stderr).contains("<stdin>:3:1: unknown"),
        "{}",
        text(&wrong.stderr)
    );
    let unnamed = piped(&["compile", "-p", "skl", "-"], &source);
    assert!(text(&unnamed.stderr).contains("standard input has no name"));
}

/// Messages and the lines that they show are shortened; the place is exact all the same.
#[test]
fn messages_are_short_however_long_the_input_is() {
    let folder = Folder::new("short");
    let deep = "(".repeat(1_000_000);
    let blanks = " ".repeat(300_000);
    let long = "a\u{e4}".repeat(150_000);
    let cases = [
        (
            kernel("k", &format!("    mov (M1, 1) V32(0,0)<1> {deep}\n")),
            6,
        ),
        (
            kernel(
                "k",
                &format!("    mov (M1, 1){blanks}V99(0,0)<1>{blanks} 0x1:d\n"),
            ),
            6,
        ),
        (
            kernel("k", &format!("    mov (M1, 1) {long}(0,0)<1> 0x1:d\n")),
            6,
        ),
        (
            kernel("k", &format!("    goto (M1, 1) {}\n", "L".repeat(400_000))),
            6,
        ),
        (
            format!(
                ".version 3.6\n.kernel \"{}\"\nfrobnicate\n",
                "n".repeat(500_000)
            ),
            3,
        ),
        (
            format!(".version 3.6\n.kernel k\n//{long}\nfrobnicate\n//{long}\n"),
            4,
        ),
    ];
    for (n, (source, line)) in cases.iter().enumerate() {
        let file = folder.write(&format!("k{n}.visaasm"), source.as_bytes());
        for format in ["text", "json"] {
            let out = kiln(&["compile", "-p", "skl", "--format", format, &file, "-o", "-"]);
            let said = text(&out.stderr) + &text(&out.stdout);
            assert!(!out.status.success(), "{n}");
            assert!(said.len() < 12_000, "{n}: {} bytes", said.len());
            let place = match format {
                "text" => format!("k{n}.visaasm:{line}:"),
                _ => format!("\"line\":{line},"),
            };
            assert!(said.contains(&place), "{n}: {said}");
        }
    }
    let file = folder.path("k1.visaasm");
    let out = kiln(&["check", &file]);
    assert!(text(&out.stdout).contains(":6:300016") || text(&out.stderr).contains(":6:300016"));
}

#[test]
fn arguments_fit_the_memory_that_a_run_may_have() {
    let folder = Folder::new("memory");
    let zebin = example("saxpy", "zebin");
    let run =
        |more: &[&str]| kiln(&[&["run", &zebin, "--global", "8", "--local", "8"], more].concat());
    let all = "--arg zero:3000000000 --arg zero:3000000000 --arg zero:3000000000";
    let all: Vec<&str> = all.split(' ').collect();
    let out = run(&all);
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{said}");
    assert!(
        said.contains("9000000000 bytes, and --memory allows 8589934592"),
        "{said}"
    );
    let file = folder.write("f.bin", [0; 300]);
    for (limit, arg, fits) in [
        ("299", format!("buf:{file}"), false),
        ("300", format!("buf:{file}"), true),
        ("64", "zero:65".to_string(), false),
        ("64", "zero:64".to_string(), true),
    ] {
        let said = text(&run(&["--memory", limit, "--arg", &arg]).stderr);
        assert_eq!(
            !said.contains("--memory allows"),
            fits,
            "{limit} {arg}: {said}"
        );
    }
    let yaml = "kernel: saxpy\nglobal: [8]\nlocal: [8]\nargs:\n  - {zero: 4000}\n  - {zero: 97}\n";
    let launch = folder.write("launch.yaml", yaml);
    let out = kiln(&["run", &zebin, "--launch", &launch, "--memory", "4096"]);
    assert!(text(&out.stderr).contains("4097 bytes, and --memory allows 4096"));
}

#[test]
fn no_input_is_overwritten() {
    let folder = Folder::new("overwritten");
    let source = fs::read(example("saxpy", "visaasm")).unwrap();
    let visa = folder.write("k.visaasm", &source);
    let zebin = folder.write("k.zebin", fs::read(example("saxpy", "zebin")).unwrap());
    let link = folder.path("link.asm");
    std::os::unix::fs::symlink(&visa, &link).unwrap();
    let said = ["is an input"];
    for output in [&visa, &link] {
        fail(
            &folder,
            &["compile", "-p", "skl", &visa, "--emit", "asm", "-o", output],
            &said,
        );
        fail(
            &folder,
            &["compile", "-p", "skl", &visa, "--stats", output],
            &said,
        );
        fail(
            &folder,
            &[
                "convert",
                &visa,
                "-o",
                &format!("{}/./k.visaasm", folder.0.display()),
            ],
            &said,
        );
        fail(
            &folder,
            &["disasm", "-p", "skl", &zebin, &visa, "-o", output],
            &said[..0],
        );
    }
    fail(&folder, &["disasm", &zebin, "-o", &zebin], &said);
    fail(
        &folder,
        &[
            "compile", "-p", "skl", &visa, "--info", &zebin, "-o", &zebin,
        ],
        &said,
    );
    let stats = format!("--stats={zebin}");
    let launch = examples().join("saxpy/launch.yaml").display().to_string();
    fail(
        &folder,
        &["run", "--launch", &launch, &zebin, &stats],
        &said[..0],
    );
    assert!(fs::read(&visa).unwrap() == source);
}

/// A link stays a link: its target is written, whether it exists or not.
#[test]
fn a_link_stays_a_link() {
    let folder = Folder::new("link");
    let (link, target) = (folder.path("link.bin"), folder.path("target.bin"));
    for there in [false, true] {
        let _ = fs::remove_file(&link);
        if there {
            fs::write(&target, "old").unwrap();
        }
        std::os::unix::fs::symlink("target.bin", &link).unwrap();
        pass(&[
            "compile",
            "-p",
            "skl",
            &example("saxpy", "visaasm"),
            "-o",
            &link,
        ]);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::read(&target).unwrap().len() > 100);
    }
}

#[test]
fn options_that_contradict_each_other_are_errors() {
    let (zebin, launch) = (
        example("saxpy", "zebin"),
        examples().join("saxpy/launch.yaml").display().to_string(),
    );
    for more in [&["--info", &zebin][..], &["--grf-limit", "64"]] {
        let output = kiln(&[&["run", &zebin, "--launch", &launch], more].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("are for vISA"));
    }
    let folder = Folder::new("contradictions");
    let (visa, info) = (example("saxpy", "visaasm"), example("saxpy", "zebin"));
    let cases: [(&[&str], &str); 6] = [
        (&["-o", "x.zebin"], "the meaning of .input V0040 is unknown"),
        (
            &["--emit", "zebin", "-o", "x"],
            "the meaning of .input V0040 is unknown",
        ),
        (
            &["--emit", "bin", "-o", "x.asm"],
            "--emit bin is another form than .asm of x.asm",
        ),
        (
            &["--info", &info, "-o", "x.bin"],
            "--info is for an object file",
        ),
        (
            &["--info", &info, "--emit", "asm"],
            "--info is for an object file",
        ),
        (
            &["--dump", "ir", "-o", "-"],
            "both to go to standard output",
        ),
    ];
    for (args, said) in cases {
        fail(
            &folder,
            &[&["compile", "-p", "skl", &visa], args].concat(),
            &[said],
        );
    }
    let asm = folder.path("x.asm");
    pass(&["compile", "-p", "skl", &visa, "-o", &asm]);
    let listed = pass(&["compile", "-p", "skl", &visa, "--emit", "asm", "-o", "-"]);
    assert_eq!(fs::read_to_string(asm).unwrap(), listed);
}

#[test]
fn limits_and_platforms_are_named() {
    let folder = Folder::new("limits");
    let visa = example("saxpy", "visaasm");
    let out = folder.path("x.bin");
    for limit in ["0", "23", "129", "4000000000"] {
        let said = [limit, "24 to 128 are possible on skl"];
        fail(
            &folder,
            &[
                "compile",
                "-p",
                "skl",
                &visa,
                "--grf-limit",
                limit,
                "-o",
                &out,
            ],
            &said,
        );
    }
    pass(&[
        "compile",
        "-p",
        "skl",
        &visa,
        "--grf-limit",
        "24",
        "-o",
        &out,
    ]);
    let wrong = kiln(&["compile", "-p", "bxt", &visa, "-o", &out]);
    assert!(text(&wrong.stderr).contains("no machine code is made for bxt yet"));
    assert!(!text(&wrong.stderr).contains("saxpy.visaasm"));
    // Every verb knows all names in either case, and suggests a name for a wrong one.
    let zebin = example("saxpy", "zebin");
    let verbs: [&[&str]; 4] = [
        &["compile", &visa, "-o", &out],
        &["check", &visa],
        &["disasm", &zebin],
        &[
            "run",
            &zebin,
            "--launch",
            &examples().join("saxpy/launch.yaml").display().to_string(),
        ],
    ];
    for verb in verbs {
        for name in ["skl", "SKL", "Kbl", "cfl"] {
            pass(&[verb, &["-p", name]].concat());
        }
        let wrong = kiln(&[verb, &["-p", "skk"]].concat());
        assert_eq!(wrong.status.code(), Some(2));
        let said = text(&wrong.stderr);
        assert!(said.contains("`skl`") && said.contains("icllp"), "{said}");
    }
}

/// Deeply nested brackets take quadratic time in the YAML reader.
#[test]
fn deep_documents_are_refused_at_once() {
    let folder = Folder::new("deep");
    let visa = example("saxpy", "visaasm");
    let clock = Instant::now();
    let documents = [
        "[".repeat(200_000),
        "{a: ".repeat(50_000),
        "[ \"]\",\n".repeat(50_000),
    ];
    for deep in documents {
        let info = folder.write("deep.ze_info", &deep);
        let out = folder.path("out.zebin");
        let args = ["compile", "-p", "skl", &visa, "--info", &info, "-o", &out];
        fail(&folder, &args, &["deep.ze_info: ", "brackets"]);
        let launch = folder.write("deep.yaml", format!("kernel: k\nargs: {deep}"));
        let args = ["run", "--launch", &launch, &example("saxpy", "zebin")];
        fail(&folder, &args, &["deep.yaml: ", "brackets"]);
    }
    assert!(
        clock.elapsed() < Duration::from_secs(20),
        "{:?}",
        clock.elapsed()
    );
}

#[test]
fn what_is_no_machine_code_is_not_listed_as_such() {
    let folder = Folder::new("no-code");
    let visa = example("saxpy", "visaasm");
    fail(
        &folder,
        &["disasm", "-p", "skl", &visa],
        &["this is text, not machine code"],
    );
    fail(
        &folder,
        &["disasm", &example("saxpy", "dat")],
        &["does not say its platform"],
    );
    // Bytes without structure.
    let bytes: Vec<u8> = (0..4096u32)
        .map(|i| (i.wrapping_mul(i) >> 3) as u8 | 0x80)
        .collect();
    let noise = folder.write("noise.bin", bytes);
    for form in [&[][..], &["--format", "json"]] {
        let output = kiln(&[&["disasm", "-p", "skl", noise.as_str()], form].concat());
        assert_eq!(output.status.code(), Some(1));
        let said = text(&output.stderr);
        assert!(said.contains("are no instructions of skl"), "{said}");
    }
    // An unreadable file does not stop the others.
    let output = kiln(&[
        "disasm",
        "-p",
        "skl",
        &visa,
        "missing",
        &example("saxpy", "dat"),
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("{EOT}"));
    assert_eq!(text(&output.stderr).matches('×').count(), 2);
}

/// Control characters in names never reach a terminal.
#[test]
fn names_cannot_control_a_terminal() {
    let folder = Folder::new("escape");
    let escape = "\x1b[31m\u{9b}31m\x07\u{202e}";
    let visa = folder.write("k.visaasm", kernel(&format!("k{escape}"), ""));
    let missing = folder.write(
        "missing.visaasm",
        kernel(&format!("k{escape}"), "    fcall (M1, 16) f 0 0\n"),
    );
    let wrong = folder.write(
        "wrong.visaasm",
        kernel(&format!("k{escape}"), &format!("    mov {escape}\n")),
    );
    let out = folder.path("out.bin");
    let asm = folder.path("out.asm");
    let zebin = example("saxpy", "zebin");
    let named = format!("{escape}.visaasm");
    let commands: [&[&str]; 10] = [
        &["compile", "-p", "skl", &visa],
        &["compile", "-p", "skl", &visa, "--emit", "asm", "-o", "-"],
        &["compile", "-p", "skl", &visa, "--dump=visa,ir,isel,ra,asm"],
        &["compile", "-p", "skl", &visa, "--kernel", "x", "-o", &out],
        &["compile", "-p", "skl", &missing, "-o", &out],
        &["compile", "-p", "skl", &wrong, "-o", &out],
        &["compile", "-p", "skl", &named, "-o", &asm],
        &["check", &visa, &missing, &wrong, &named],
        &["convert", &wrong, "-o", &out],
        &["disasm", &zebin, "--kernel", escape],
    ];
    for args in commands {
        let output = kiln(args);
        for (stream, bytes) in [("output", &output.stdout), ("error", &output.stderr)] {
            let said = text(bytes);
            let bad = |c: char| c.is_control() && c != '\n' && c != '\t' || c == '\u{202e}';
            assert!(
                !said.contains(bad),
                "kiln {args:?}, standard {stream}: {said:?}"
            );
        }
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_text() {
    let folder = Folder::new("mark");
    let source = fs::read_to_string(example("saxpy", "visaasm")).unwrap();
    let marked = folder.write("k.visaasm", format!("\u{feff}{source}"));
    assert!(pass(&["check", &marked]).contains("0 errors"));
    let (one, two) = (folder.path("one.bin"), folder.path("two.bin"));
    pass(&["compile", "-p", "skl", &marked, "-o", &one]);
    pass(&[
        "compile",
        "-p",
        "skl",
        &example("saxpy", "visaasm"),
        "-o",
        &two,
    ]);
    assert!(fs::read(one).unwrap() == fs::read(two).unwrap());
}

/// Unrelated files may have kernels of the same name; a function belongs to the module that calls it.
#[test]
fn unrelated_files_are_modules_of_their_own() {
    let folder = Folder::new("unrelated");
    let add = kernel("k", "    add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x1:d\n");
    let one = folder.write("one.visaasm", kernel("k", ""));
    let two = folder.write("two.visaasm", add);
    assert!(
        pass(&["check", &one, &two]).starts_with("2 kernels and 0 functions checked: 0 errors")
    );
    let together = kiln(&["check", "--one-module", &one, &two]);
    assert_eq!(together.status.code(), Some(1));
    let table = pass(&["compile", "-p", "skl", &one, &two]);
    assert_eq!(table.lines().count(), 3, "{table}");
    assert_eq!(
        folder.files(),
        ["one.bin", "one.visaasm", "two.bin", "two.visaasm"]
    );
    let out = folder.path("out.bin");
    let args = ["compile", "-p", "skl", &one, &two, "-o", &out];
    fail(&folder, &args, &["two.visaasm"]);

    // An invalid file does not stop the others.
    fs::remove_file(folder.path("one.bin")).unwrap();
    let wrong = folder.write("wrong.visaasm", "frobnicate\n");
    let output = kiln(&["compile", "-p", "skl", &wrong, &one]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("wrong.visaasm:1:1"));
    assert!(folder.files().contains(&"one.bin".to_string()));
}

#[test]
fn a_large_file_that_is_no_visa_is_not_read_to_its_end() {
    let folder = Folder::new("large");
    let large = folder.path("large.bin");
    let clock = Instant::now();
    for head in [&b"\0"[..], b"\xff", b"some text\n", b"CISA\x63\x09"] {
        let mut file = fs::File::create(&large).unwrap();
        file.write_all(head).unwrap();
        if head == b"some text\n" {
            file.write_all(&head.repeat(10_000)).unwrap();
        }
        file.set_len(1 << 36).unwrap();
        fail(
            &folder,
            &["compile", "-p", "skl", &large, "-o", "x.bin"],
            &["large.bin: "],
        );
    }
    assert!(
        clock.elapsed() < Duration::from_secs(10),
        "{:?}",
        clock.elapsed()
    );
}

/// Operations that share an opcode in binary have the same names as in text.
#[test]
fn instructions_are_named_as_in_text() {
    let folder = Folder::new("mnemonics");
    for name in ["min", "max"] {
        let line = format!("    {name} (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x1:f\n");
        let visa = folder.write("k.visaasm", kernel("k", &line));
        let said = text(&kiln(&["check", &visa]).stderr);
        assert!(said.contains(&format!("of `{name}`")), "{said}");
    }
}

/// Operand numbers in messages are those of the text: parts of the mnemonic do not count.
#[test]
fn operands_are_counted_as_in_text() {
    let folder = Folder::new("operands");
    for op in ["add", "min", "max", "cmp.lt"] {
        let line = format!("    {op} (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> (~)V32(0,0)<1;1,0>\n");
        let visa = folder.write("k.visaasm", kernel("k", &line));
        let said = text(&kiln(&["check", &visa]).stderr);
        assert!(said.contains("operand 2 of"), "{op}: {said}");
    }
}

/// Index of the first line that contains this.
fn visa_line(folder: &Folder, what: &str) -> u64 {
    let source = fs::read_to_string(folder.path("k.visaasm")).unwrap();
    source
        .lines()
        .take_while(|line| !line.contains(what))
        .count() as u64
}

/// All failing kernels are reported, up to the limit, and warnings do not count.
#[test]
fn all_failures_of_a_module_are_said() {
    let folder = Folder::new("failures");
    // Beyond the end of the variable.
    let bad = "    mov (M1, 8) V32(9,0)<1> 0x1:d\n";
    let of = |count: usize| {
        let kernels = (0..count).map(|n| kernel(&format!("k{n}"), bad));
        let kernels = kernels.map(|text| text.replace(".version 3.6\n", ""));
        let source = ".version 3.6\n".to_string() + &kernels.collect::<String>();
        let visa = folder.write("k.visaasm", source);
        let output = kiln(&["compile", "-p", "skl", &visa]);
        assert_eq!(output.status.code(), Some(1));
        let said = text(&output.stderr).to_string();
        (said.matches('×').count(), said)
    };
    assert_eq!(of(1).0, 1);
    assert_eq!(of(3).0, 3);
    let (count, said) = of(30);
    assert_eq!(count, 20, "{said}");
    assert!(said.contains("10 more are not shown"), "{said}");
}

/// Unsupported features are listed, each kind with its count and first places.
#[test]
fn all_that_is_not_supported_is_listed() {
    let folder = Folder::new("unsupported");
    let stop = "    breakpoint\n";
    let read = "    rt_read (M1, 16) T6 V33.0\n";
    let fine = "    mov (M1, 8) V32(0,0)<1> 0x1:f\n";
    let lines = [stop, fine, stop, read].concat();
    let declared = ".decl V33 v_type=G type=d num_elts=64 align=GRF\n\
                    .decl T6 v_type=T num_elts=1 v_name=T006\n.kernel_attr Target";
    let source = kernel("k", &lines).replace(".kernel_attr Target", declared);
    let visa = folder.write("k.visaasm", source);
    let output = kiln(&["compile", "-p", "skl", &visa]);
    assert_eq!(output.status.code(), Some(4));
    let said = text(&output.stderr);
    for kind in [
        "k: breakpoint: stops for a debugger: not supported, 2 times: instructions 0, 2\n",
        "k: instruction 3: rt_read: reads a render target: not supported\n",
    ] {
        assert_eq!(said.matches(kind).count(), 1, "{said}");
    }
    // As JSON: a line for each kind, with the place of its first instruction.
    let output = kiln(&["compile", "-p", "skl", &visa, "--format", "json"]);
    let records: Vec<serde_json::Value> = (text(&output.stderr).lines())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let lines: Vec<_> = records.iter().map(|one| one["line"].as_u64()).collect();
    let first = 1 + visa_line(&folder, "breakpoint");
    assert_eq!(lines, [Some(first), Some(first + 3)]);
    assert!(records.iter().all(|one| one["code"] == "C0001"));
    let clean = folder.write("fine.visaasm", kernel("k", fine));
    assert!(kiln(&["compile", "-p", "skl", &clean]).status.success());
}

/// An error in a launch file names its key.
#[test]
fn keys_of_a_launch_file_are_named() {
    let folder = Folder::new("keys");
    let zebin = example("saxpy", "zebin");
    let launch = |args: &str| {
        let yaml = format!("kernel: saxpy\nglobal: [64]\nlocal: [64]\nargs:\n{args}");
        let file = folder.write("launch.yaml", yaml);
        kiln(&["run", "--launch", &file, &zebin])
    };
    for (args, said) in [
        (
            "  - {zero: 64}\n  - {zreo: 64}\n",
            "argument 1, counted from 0: `zreo` is no key",
        ),
        (
            "  - {zero: 64, expct: x}\n",
            "argument 0, counted from 0: `expct` is no key",
        ),
        (
            "  - {zero: 64, u32: 1}\n",
            "argument 0, counted from 0: `zero` and `u32`",
        ),
        (
            "  - {type: f32}\n",
            "argument 0, counted from 0: exactly one of",
        ),
    ] {
        let output = launch(args);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            text(&output.stderr).contains(said),
            "{said}: {}",
            text(&output.stderr)
        );
    }
}

/// Every prefix of an example, cut after each line, gives code or a diagnostic.
#[test]
fn beginnings_of_kernels_end_in_code_or_a_diagnostic() {
    let folder = Folder::new("beginnings");
    let source = fs::read_to_string(example("saxpy", "visaasm")).unwrap();
    let out = folder.path("out.bin");
    for (end, _) in source.match_indices('\n') {
        let cut = folder.write("cut.visaasm", &source[..=end]);
        let output = kiln(&["compile", "-p", "skl", &cut, "-o", &out]);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{end}: {}",
            text(&output.stderr)
        );
        let diagnostics = text(&output.stderr).matches('×').count();
        assert_eq!(diagnostics == 0, output.status.success(), "{end}");
    }
    assert!(names().contains(&"saxpy".to_string()));
}

/// The memory for labels without code has a bound, with all checks of a debug build, too: 50,000 of them took 206 MB.
#[cfg(target_os = "linux")]
#[test]
fn memory_for_labels_has_a_bound() {
    let folder = Folder::new("many-labels");
    let labels: String = (0..50_000).map(|n| format!("L{n}:\n")).collect();
    let file = folder.write("many.visaasm", kernel("k", &labels).as_bytes());
    let (code, page) = (folder.path("k.bin"), folder.path("k.html"));
    let verbs: [&[&str]; 3] = [
        &["compile", "-o", &code],
        &["pressure"],
        &["report", "-o", &page],
    ];
    for verb in verbs {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -d 110000; exec \"$@\"", "sh"]);
        command.args([env!("CARGO_BIN_EXE_kiln"), verb[0], "-p", "skl", &file]);
        let output = command.args(&verb[1..]).output().unwrap();
        let said = text(&output.stderr);
        assert!(output.status.success(), "{verb:?}: {said}");
    }
}

#[test]
fn files_of_equal_contents_have_an_output_each() {
    let folder = Folder::new("equal");
    let source = fs::read(example("saxpy", "visaasm")).unwrap();
    let (a, b) = (
        folder.write("a.visaasm", &source),
        folder.write("b.visaasm", &source),
    );
    let out = folder.path("out");
    pass(&["compile", "-p", "skl", &a, &b, "--out-dir", &out]);
    let code = |name: &str| fs::read(folder.0.join("out").join(name)).unwrap();
    assert!(!code("a.bin").is_empty());
    assert_eq!(code("a.bin"), code("b.bin"));
}

#[test]
fn an_input_or_output_with_an_error_keeps_no_other_from_being_written() {
    let folder = Folder::new("each-file");
    let add = kernel("k", "    add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x1:d\n");
    let good = folder.write("good.visaasm", kernel("k", ""));
    let full = folder.write("full.visaasm", add);
    let (missing, empty) = (folder.path("missing.visaasm"), folder.path("empty"));
    fs::create_dir(&empty).unwrap();
    // A folder with the output's name prevents writing it.
    fs::create_dir(folder.path("full.bin")).unwrap();
    let output = kiln(&["compile", "-p", "skl", &missing, &full, &empty, &good]);
    let said = text(&output.stderr);
    for what in [
        "missing.visaasm: No such file",
        "empty: no .visaasm or .isa in this folder",
        "full.bin: ",
    ] {
        assert!(said.contains(what), "{what}: {said}");
    }
    assert_eq!(output.status.code(), Some(1));
    assert!(fs::metadata(folder.path("good.bin")).unwrap().is_file());
    // A module of all files needs every file.
    let out = folder.path("one.bin");
    let output = kiln(&["compile", "-p", "skl", &missing, &good, "-o", &out]);
    assert_eq!(output.status.code(), Some(3));
    assert!(!folder.files().contains(&"one.bin".to_string()));
}

/// The later of two inputs with one output is refused, whatever the timing.
#[test]
fn two_inputs_with_one_output_are_refused_but_for_the_first() {
    let folder = Folder::new("one-output");
    fs::create_dir(folder.path("x")).unwrap();
    fs::create_dir(folder.path("y")).unwrap();
    let add = kernel("k", "    add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x1:d\n");
    let first = folder.write("x/k.visaasm", kernel("k", ""));
    let second = folder.write("y/k.visaasm", add);
    let out = folder.path("out");
    let output = kiln(&["compile", "-p", "skl", &first, &second, "--out-dir", &out]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("two outputs are to go to"));
    let alone = folder.path("alone.bin");
    pass(&["compile", "-p", "skl", &first, "-o", &alone]);
    assert_eq!(
        fs::read(folder.path("out/k.bin")).unwrap(),
        fs::read(alone).unwrap()
    );
}

#[test]
fn long_names_are_cut_in_tables() {
    let folder = Folder::new("long-name");
    let name = "n".repeat(70_000);
    let visa = folder.write("long.visaasm", kernel(&name, ""));
    let table = pass(&["compile", "-p", "skl", &visa]);
    let line = table.lines().nth(1).unwrap();
    assert!(
        line.contains("  nnnn") && line.contains('…') && line.len() < 300,
        "{line}"
    );
    assert!(folder.files().contains(&"long.bin".to_string()));
}

#[test]
fn outputs_whose_form_nothing_says_are_errors() {
    let folder = Folder::new("forms-of-outputs");
    let visa = example("saxpy", "visaasm");
    for name in ["x.s", "x.o", "x.elf", "x.txt"] {
        let args = ["compile", "-p", "skl", &visa, "-o", &folder.path(name)];
        fail(
            &folder,
            &args,
            &["a name that ends in .zebin, .bin or .asm is expected"],
        );
    }
    let args = [
        "compile",
        "-p",
        "skl",
        "-",
        "-",
        "-o",
        &folder.path("x.bin"),
    ];
    fail(&folder, &args, &["standard input can be read only once"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_output_that_takes_nothing_is_an_error() {
    let visa = example("saxpy", "visaasm");
    let shell = |line: &str| {
        let program = env!("CARGO_BIN_EXE_kiln");
        let done = std::process::Command::new("sh")
            .args(["-c", line, program, &visa])
            .output();
        done.unwrap().status.code()
    };
    let listing = "$0 compile $1 -p skl --emit asm -o -";
    assert_eq!(shell(&format!("{listing} >&-")), Some(3));
    for null in [">/dev/null", "1<>/dev/null"] {
        assert_eq!(shell(&format!("{listing} {null}")), Some(0), "{null}");
    }
    assert_eq!(shell("$0 help >/dev/full"), Some(3));
    assert_eq!(shell("$0 help >/dev/null"), Some(0));
}

#[test]
fn records_name_their_file_and_say_a_place_once() {
    let folder = Folder::new("records");
    let visa = example("saxpy", "visaasm");
    let figures = pass(&[
        "--format",
        "json",
        "compile",
        "-p",
        "skl",
        &visa,
        "-o",
        &folder.path("x.bin"),
    ]);
    let figures: serde_json::Value = serde_json::from_str(&figures).unwrap();
    assert_eq!(figures[0]["file"], visa.as_str());
    let wrong = folder.write("wrong.visaasm", "frobnicate\n");
    let output = kiln(&["--format", "json", "compile", "-p", "skl", &wrong]);
    let record: serde_json::Value =
        serde_json::from_str(text(&output.stderr).lines().next().unwrap()).unwrap();
    assert_eq!((&record["line"], &record["column"]), (&1.into(), &1.into()));
    assert!(
        !record["message"]
            .as_str()
            .unwrap()
            .contains("wrong.visaasm"),
        "{record}"
    );
    let path = folder.write("no.zebin", "text");
    let output = kiln(&["--format", "json", "disasm", &path]);
    let record: serde_json::Value =
        serde_json::from_str(text(&output.stderr).lines().next().unwrap()).unwrap();
    assert_eq!(record["code"], "F0003", "{record}");
}

#[test]
fn costs_of_what_is_no_machine_code_are_a_failure() {
    let folder = Folder::new("cost-of-nothing");
    let bytes = folder.write("x.bin", [0xff; 64]);
    let output = kiln(&["cost", "-p", "skl", &bytes]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains(" are no instructions of skl"));
}

#[test]
fn warnings_of_open_addresses_are_left_out_on_request() {
    let folder = Folder::new("quiet");
    let visa = fixture("kernels/call_single/call_single.visaasm");
    let args = [
        "compile",
        "-p",
        "skl",
        &visa,
        "-q",
        "-o",
        &folder.path("x.bin"),
    ];
    let output = kiln(&args);
    assert!(output.status.success());
    assert_eq!(text(&output.stderr), "");
}
