//! Reports of `kiln run`: traces, figures and errors.

use std::path::Path;
use std::process::{Command, Output};

use kiln_exec::picture;

/// Runs the saxpy example with further arguments.
fn saxpy(more: &[&str]) -> Output {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/saxpy");
    Command::new(env!("CARGO_BIN_EXE_kiln"))
        .arg("run")
        .arg(dir.join("saxpy.zebin"))
        .arg("--launch")
        .arg(dir.join("launch.yaml"))
        .args(more)
        .output()
        .unwrap()
}

fn said(more: &[&str]) -> String {
    let output = saxpy(more);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_trace_is_of_what_was_asked_for() {
    let thread = said(&["--trace=15:1"]);
    let instructions = |text: &str| text.lines().filter(|l| l.contains(":1 0x")).count();
    assert_eq!(instructions(&thread), 23, "{thread}");
    assert!(thread.lines().all(|l| !l.contains(":0 0x")), "{thread}");
    assert!(thread.contains("15,0,0:1 0x"), "{thread}");
    // Eleven channels of the last thread are inactive and write nothing.
    assert!(thread.contains(" - -\n"), "{thread}");
    let all = said(&["--trace"]);
    assert_eq!(all.lines().filter(|l| l.contains(" 0x0000 ")).count(), 32);
    for bad in ["--trace=x", "--trace=1:y"] {
        assert_eq!(saxpy(&[bad]).status.code(), Some(2), "{bad}");
    }
}

/// Diagnostic of the saxpy example with wrong arguments, and with an exit code.
fn refused(code: i32, arguments: &[&str], more: &[&str]) -> String {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/saxpy");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.current_dir(&dir).args(["run", "saxpy.zebin"]);
    command.args(["--global", "64", "--local", "64"]).args(more);
    for argument in arguments {
        command.args(["--arg", argument]);
    }
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    // Long messages are wrapped.
    let said = String::from_utf8(output.stderr).unwrap();
    said.split_whitespace()
        .filter(|word| *word != "│")
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let buffers = ["zero:256", "zero:256"];
    let with = |more: &[&'static str]| [&buffers[..], more].concat();
    let said = refused(2, &with(&["u32:2", "u32:64"]), &[]);
    let expected =
        "argument 2, counted from 0, is declared as float: u32 is no number of that kind";
    assert!(said.contains(expected), "{said}");
    let said = refused(2, &with(&["f32:2", "f32:64"]), &[]);
    let expected = "argument 3, counted from 0, is declared as uint: f32 is no number of that kind";
    assert!(said.contains(expected), "{said}");
    let fits = with(&["f32:2", "u32:64"]);
    let said = refused(2, &fits, &["--trace=1"]);
    assert!(said.contains("a trace of group 1: 0 is the last"), "{said}");
    let said = refused(2, &fits, &["--trace=0:2"]);
    let expected = "a trace of thread 2: 1 is the last of a group";
    assert!(said.contains(expected), "{said}");
}

/// A device file has no end.
#[cfg(unix)]
#[test]
fn a_buffer_from_an_endless_file_is_refused() {
    let said = refused(3, &["buf:/dev/zero", "zero:256", "f32:2", "u32:64"], &[]);
    assert!(said.contains("more than 268435456 bytes"), "{said}");
}

#[test]
fn figures_are_a_table_or_json() {
    let table = said(&["--stats", "--threads", "2"]);
    for part in [
        "instruction",
        "send",
        "untyped surface read",
        "8024 bytes read, 4012 bytes written",
    ] {
        assert!(table.contains(part), "`{part}` is not in\n{table}");
    }
    let file = std::env::temp_dir().join(format!("kiln-run-stats-{}.json", std::process::id()));
    said(&["--json", &file.display().to_string()]);
    let json = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["kernel"], "saxpy");
    assert_eq!(json["groups"], 16);
    assert_eq!(json["instructions"], 736);
    assert_eq!(json["bytes_written"], 4012);
    let sum = |rows: &serde_json::Value, field: &str| -> u64 {
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| row[field].as_u64().unwrap()).sum()
    };
    assert_eq!(sum(&json["by_instruction"], "instructions"), 736);
    assert_eq!(json["channels"], sum(&json["by_instruction"], "channels"));
    assert_eq!(json["results"][0]["pass"], true);
    assert_eq!(json["messages"], sum(&json["by_message"], "instructions"));
}

#[test]
fn a_budget_ends_a_run() {
    let output = saxpy(&["--budget", "700"]);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("700 instructions executed"), "{stderr}");
    assert!(saxpy(&["--budget", "736"]).status.success());
}

/// An object file with 32-bit pointers, and ours in its place.
#[test]
fn programs_with_narrow_pointers_run() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let launch = tests.join("../../examples/saxpy/launch.yaml");
    let narrow = kiln_corpus::path("narrow");
    let made = std::env::temp_dir().join(format!("narrow-{}.zebin", std::process::id()));
    let kiln = |args: &[&Path]| {
        let output = Command::new(env!("CARGO_BIN_EXE_kiln")).args(args).output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args:?}: {said}");
    };
    let [run, compile] = ["run", "compile"].map(Path::new);
    let [info, at, platform, skl, to] = ["--info", "--launch", "-p", "skl", "-o"].map(Path::new);
    let (theirs, visa) = (&*narrow.join("saxpy.zebin"), &*narrow.join("saxpy.visaasm"));
    kiln(&[run, theirs, at, &launch]);
    kiln(&[run, visa, info, theirs, at, &launch]);
    kiln(&[compile, visa, info, theirs, platform, skl, to, &made]);
    kiln(&[run, &made, at, &launch]);
    let file = std::fs::read(&made).unwrap();
    std::fs::remove_file(&made).unwrap();
    // The ELF class is that of the original file.
    assert_eq!(file[..5], *b"\x7fELF\x01");
}

#[test]
fn pictures_go_in_and_out_on_the_command_line() {
    let folder = kiln_corpus::path("kernels/img_resize");
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("images-pictures");
    std::fs::create_dir_all(&dir).unwrap();
    let texels = std::fs::read(folder.join("im.bin")).unwrap();
    std::fs::write(dir.join("in.png"), picture::png(&texels, 17).unwrap()).unwrap();
    let zebin = folder.join("img_resize.zebin");
    let run = |format: &str, out: &str, sampler: &str| {
        Command::new(env!("CARGO_BIN_EXE_kiln"))
            .current_dir(&dir)
            .arg("run")
            .arg(&zebin)
            .args(["--global", "40,13", "--local", "8,13"])
            .args(["--arg", "image2d:rgba8unorm:17x9:in.png"])
            .args(["--arg", &format!("sampler:{sampler}")])
            .args(["--arg", &format!("image2d:{format}:40x13:>{out}")])
            .output()
            .unwrap()
    };
    let done = run("rgba32float", "out.bin", "normalized,linear");
    assert!(done.status.success(), "{done:?}");
    let expected = std::fs::read(folder.join("expect_out.bin")).unwrap();
    let found = std::fs::read(dir.join("out.bin")).unwrap();
    let floats = |bytes: &[u8]| -> Vec<f32> {
        let chunks = bytes.chunks_exact(4);
        chunks
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    };
    let (expected, found) = (floats(&expected), floats(&found));
    assert_eq!(expected.len(), found.len());
    assert!(
        expected
            .iter()
            .zip(&found)
            .all(|(e, f)| (e - f).abs() < 4e-6)
    );

    let done = run("bgra8unorm", "out.png", "normalized,linear,edge");
    assert!(done.status.success(), "{done:?}");
    let file = std::fs::read(dir.join("out.png")).unwrap();
    let picture = picture::read_png(&file, 1 << 20).unwrap();
    assert_eq!((picture.width, picture.height), (40, 13));
    for (pixel, value) in picture.pixels.iter().zip(&expected) {
        assert!(
            (f32::from(*pixel) - value * 255.0).abs() <= 0.51,
            "{pixel} {value}"
        );
    }

    let done = run("bgra8unorm", "other.png", "wrap");
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("no flag of a sampler"));
    assert!(!dir.join("other.png").exists());
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_program_runs_as_the_platform_it_is_for() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/saxpy");
    for device in ["icllp", "tgllp"] {
        let output = Command::new(env!("CARGO_BIN_EXE_kiln"))
            .arg("run")
            .arg(dir.join(device).join("saxpy.zebin"))
            .arg("--launch")
            .arg(dir.join("launch.yaml"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{device}: {said}");
    }
}

#[test]
fn functions_beside_the_only_kernel_are_no_kernel_to_choose() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    let output = command
        .arg("translate")
        .arg(kiln_corpus::path("kernels/sha256/sha256.zebin"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\nsha256: "), "{text}");
}

/// Figures and listing of the translation of saxpy for a host.
fn translated(host: &str, more: &[&str]) -> String {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/saxpy");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.arg("translate").arg(dir.join("saxpy.zebin"));
    let output = command.args(["--host", host]).args(more).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn code_of_avx2_has_no_registers_of_avx512() {
    let (wide, narrow) = (translated("avx512", &[]), translated("avx2", &[]));
    assert!(wide.contains(" zmm") && wide.contains(" k1"), "{wide}");
    assert!(
        !narrow.contains("zmm") && !narrow.contains("{k"),
        "{narrow}"
    );
    let figures = |host| {
        let text = translated(host, &["--format", "json"]);
        let figures: serde_json::Value = serde_json::from_str(&text).unwrap();
        let blocks = figures["blocks"].as_array().unwrap().clone();
        let called = blocks.iter().map(|b| b["called_out"].clone());
        (figures["instructions"].clone(), called.collect::<Vec<_>>())
    };
    assert_eq!(figures("avx512"), figures("avx2"));
    let both = said(&["--engine", "both", "--host", "avx2"]);
    assert!(both.contains(": pass"), "{both}");
}
