//! `kiln check`: findings in several files with codes and places, and exit codes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder for one test's files, removed after it; the program runs in it, so that paths in its messages are short.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str, files: &[(&str, &[u8])]) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("check-{test}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        for (name, bytes) in files {
            fs::write(path.join(name), bytes).unwrap();
        }
        Folder(path)
    }

    fn kiln(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_kiln"))
            .args(args)
            .current_dir(&self.0)
            .output()
            .unwrap()
    }

    /// Exit code, diagnostics and the last line of a check.
    fn check(&self, args: &[&str]) -> (Option<i32>, String, String) {
        let output = self.kiln(&[&["check"], args].concat());
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (
            output.status.code(),
            text(&output.stderr),
            text(&output.stdout),
        )
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    fs::read_to_string(folder.join(name).join(format!("{name}.visaasm"))).unwrap()
}

const CALLER: &[u8] = b"\
.version 4.1
.kernel \"k\"
.decl V32 v_type=G type=d num_elts=16 align=hword
.decl V33 v_type=G type=f num_elts=16 align=hword
.decl P1 v_type=P num_elts=12
.kernel_attr SimdSize=16
main:
    add (M3, 16) V32(0,0)<1> V33(0,0)<1;1,0> 0x1:d   // a comment
    fcall (M1, 16) f 2 1
    ret (M1, 1)
";

const FUNCTION: &[u8] = b"\
.version 4.1
.global_function \"f\"
.kernel_attr ArgSize=1
.kernel_attr RetValSize=1
    fret (M1, 16)
";

const FOUND: &str = "\
V0021

  × k.visaasm:5:1: k: P1 has 12 bits, allowed are 1, 2, 4, 8, 16 and 32
   ╭─[k.visaasm:5:1]
 4 │ .decl V33 v_type=G type=f num_elts=16 align=hword
 5 │ .decl P1 v_type=P num_elts=12
   · ──────────────┬──────────────
   ·               ╰── here
 6 │ .kernel_attr SimdSize=16
   ╰────
V0019

  × k.visaasm:8:9: k, instruction 1: 16 channels begin at channel 8, allowed are multiples of 16
   ╭─[k.visaasm:8:9]
 7 │ main:
 8 │     add (M3, 16) V32(0,0)<1> V33(0,0)<1;1,0> 0x1:d   // a comment
   ·         ────┬───
   ·             ╰── here
 9 │     fcall (M1, 16) f 2 1
   ╰────
V0045

  × k.visaasm:8:30: k, instruction 1: operand 1 of `add` is of type f, with a destination of type d allowed is ud, d, uw, w, ub, b, v, uq, uv or q
   ╭─[k.visaasm:8:30]
 7 │ main:
 8 │     add (M3, 16) V32(0,0)<1> V33(0,0)<1;1,0> 0x1:d   // a comment
   ·                              ───────┬───────
   ·                                     ╰── here
 9 │     fcall (M1, 16) f 2 1
   ╰────
";

const CALL: &str = "\
V0027

  × k.visaasm:9:5: k, instruction 2: the argument of the call is 2 GRFs, f declares 1
    ╭─[k.visaasm:9:5]
  8 │     add (M3, 16) V32(0,0)<1> V33(0,0)<1;1,0> 0x1:d   // a comment
  9 │     fcall (M1, 16) f 2 1
    ·     ──────────┬─────────
    ·               ╰── here
 10 │     ret (M1, 1)
    ╰────
";

#[test]
fn every_finding_is_said() {
    let folder = Folder::new(
        "findings",
        &[("k.visaasm", CALLER), ("f.visaasm", FUNCTION)],
    );
    // Another module may define the function.
    let (code, said, sum) = folder.check(&["k.visaasm"]);
    assert_eq!(said, FOUND);
    assert_eq!(
        sum,
        "1 kernel and 0 functions checked: 3 errors, 0 warnings\n"
    );
    assert_eq!(code, Some(1));

    let (code, said, sum) = folder.check(&["k.visaasm", "f.visaasm"]);
    let calls = said.find("V0027").expect("the call");
    assert_eq!(said[..calls].trim_end(), FOUND.trim_end());
    assert!(said[calls..].contains("k.visaasm:9:"), "{said}");
    assert!(said[calls..].contains(CALL.lines().nth(2).unwrap().split_once(": k").unwrap().1));
    assert_eq!(
        sum,
        "1 kernel and 1 function checked: 4 errors, 0 warnings\n"
    );
    assert_eq!(code, Some(1));
}

#[test]
fn what_is_right_passes() {
    let saxpy = example("saxpy");
    let sgemm = example("sgemm");
    let files = [
        ("a.visaasm", saxpy.as_bytes()),
        ("b.visaasm", sgemm.as_bytes()),
    ];
    let folder = Folder::new("right", &files);
    let converted = folder.kiln(&["convert", "a.visaasm", "-o", "a.isa"]);
    assert!(converted.status.success());
    // The binary is the same kernel as the text, so that the two are one object.
    for platform in ["skl", "dg2"] {
        let args = ["a.visaasm", "a.isa", "b.visaasm", "-p", platform];
        let (code, said, sum) = folder.check(&args);
        assert_eq!(said, "");
        assert_eq!(
            sum,
            "2 kernels and 0 functions checked: 0 errors, 0 warnings\n"
        );
        assert_eq!(code, Some(0));
    }
}

#[test]
fn a_platform_has_its_instructions() {
    let lrp = "    lrp (M1, 8) V33(0,0)<1> V33(0,0)<1;1,0> V33(0,0)<1;1,0> V33(0,0)<1;1,0>\n";
    let text = format!(
        ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=d num_elts=16\n\
         .decl V33 v_type=G type=f num_elts=8 align=GRF\n{lrp}    ret (M1, 1)\n"
    );
    let folder = Folder::new("platform", &[("k.visaasm", text.as_bytes())]);
    assert_eq!(folder.check(&["k.visaasm"]).0, Some(0));
    assert_eq!(folder.check(&["k.visaasm", "-p", "skl"]).0, Some(0));
    let (code, said, _) = folder.check(&["k.visaasm", "-p", "tgllp"]);
    assert!(said.contains("V0043"), "{said}");
    assert!(said.contains("k.visaasm:5:5: k, instruction 0: `lrp` does not exist on tgllp"));
    assert_eq!(code, Some(1));
}

#[test]
fn all_syntax_errors_are_said() {
    let mut text = String::from(
        ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=d num_elts=16\n\
         .decl V33 v_type=G type=zz num_elts=16\n    add (M1, 16) V33(0,0)<1> V33(0,0)<1;1,0> 0x1:d\n\
         \x20   frobnicate (M1, 16)\n    jmp (M1, 1) nowhere\n",
    );
    let folder = Folder::new(
        "syntax",
        &[("k.visaasm", text.as_bytes()), ("f.visaasm", FUNCTION)],
    );
    let (code, said, sum) = folder.check(&["k.visaasm", "f.visaasm"]);
    let said: Vec<&str> = said
        .lines()
        .filter(|l| l.contains('×') || l.starts_with('S'))
        .collect();
    let expected = [
        "S0002",
        "  × k.visaasm:4:25: unknown type `zz`",
        "S0002",
        "  × k.visaasm:6:5: unknown instruction `frobnicate`",
        "S0013",
        "  × k.visaasm:7:17: label `nowhere` is used but not defined",
    ];
    assert_eq!(said, expected);
    assert_eq!(
        sum,
        "0 kernels and 1 function checked: 3 errors, 0 warnings\n"
    );
    assert_eq!(code, Some(1));

    // At most twenty findings of a file are printed, but all are counted.
    for i in 0..30 {
        text.push_str(&format!("    frobnicate{i} (M1, 16)\n"));
    }
    fs::write(folder.0.join("k.visaasm"), text).unwrap();
    let (_, said, sum) = folder.check(&["k.visaasm"]);
    assert_eq!(said.matches('×').count(), 20);
    assert!(
        said.trim_end()
            .ends_with("k.visaasm: 13 more syntax errors"),
        "{said}"
    );
    assert_eq!(
        sum,
        "0 kernels and 0 functions checked: 33 errors, 0 warnings\n"
    );
}

#[test]
fn files_that_are_none_do_not_hide_others() {
    let files: [(&str, &[u8]); 3] = [
        ("k.visaasm", CALLER),
        ("cut.isa", b"CISA\x04"),
        ("zero.bin", b"\0\0\0\0"),
    ];
    let folder = Folder::new("none", &files);
    let args = ["missing.isa", "cut.isa", "zero.bin", "k.visaasm"];
    let (code, said, sum) = folder.check(&args);
    for expected in [
        "F0002\n\n  × missing.isa: No such file",
        "B0001\n\n  × cut.isa: at offset 0x5: the file ends too early",
        "F0001\n\n  × zero.bin: byte 0: neither",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert!(said.ends_with(FOUND), "{said}");
    assert_eq!(
        sum,
        "1 kernel and 0 functions checked: 6 errors, 0 warnings\n"
    );
    assert_eq!(code, Some(1));
}

#[test]
fn a_binary_is_shown_by_offset_and_text() {
    // `convert` writes no invalid object, so a valid one is patched: the destination's region of the first `add`.
    let saxpy = example("saxpy");
    let folder = Folder::new("binary", &[("a.visaasm", saxpy.as_bytes())]);
    assert!(
        folder
            .kiln(&["convert", "a.visaasm", "-o", "a.isa"])
            .status
            .success()
    );
    let right = fs::read(folder.0.join("a.isa")).unwrap();
    // The code ends in `ret (M1, 1)`: opcode, execution size, predicate. The patched size of four channels is not
    // aligned.
    let mut wrong = right;
    let exec = wrong.len() - 3;
    wrong[exec] = 0x13;
    fs::write(folder.0.join("a.isa"), wrong).unwrap();
    let (code, said, sum) = folder.check(&["a.isa"]);
    let expected = "8 channels begin at channel 4, allowed are multiples of 8";
    assert!(
        said.starts_with("V0019\n\n  × a.isa: saxpy, instruction "),
        "{said}"
    );
    assert!(said.contains(expected), "{said}");
    let place = format!("help: at offset {:#x}: ret (M2, 8)", exec - 1);
    assert!(said.contains(&place), "{place}: {said}");
    assert_eq!(
        sum,
        "1 kernel and 0 functions checked: 1 error, 0 warnings\n"
    );
    assert_eq!(code, Some(1));
}

#[test]
fn warnings_are_no_errors() {
    let text = b".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=d num_elts=16\n    \
                 mov (M1, 16) V32(0,0)<1> 0x0:d\n";
    let folder = Folder::new("warnings", &[("k.visaasm", text)]);
    let (code, said, sum) = folder.check(&["k.visaasm"]);
    assert!(said.starts_with("V0037\n"), "{said}");
    assert_eq!(
        sum,
        "1 kernel and 0 functions checked: 0 errors, 1 warning\n"
    );
    assert_eq!(code, Some(0));
}

#[test]
fn a_wrong_command_line_is_exit_code_2() {
    let folder = Folder::new("usage", &[("k.visaasm", CALLER)]);
    for args in [&["check"][..], &["check", "k.visaasm", "-p", "xe9"]] {
        let output = folder.kiln(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty());
    }
}

/// `convert` leaves no file after an error, and prints a diagnostic.
#[test]
fn convert_writes_nothing_on_error() {
    let two = [
        example("saxpy"),
        String::from_utf8(FUNCTION.to_vec()).unwrap(),
    ]
    .concat();
    let files: [(&str, &[u8]); 2] = [("wrong.visaasm", CALLER), ("two.visaasm", two.as_bytes())];
    let folder = Folder::new("convert", &files);
    let wrong = folder.kiln(&["convert", "wrong.visaasm", "-o", "out.isa"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&wrong.stderr).starts_with("V0021\n"));
    let name = folder.kiln(&["convert", "two.visaasm", "-o", "out.txt"]);
    assert_eq!(name.status.code(), Some(2));
    let missing = folder.kiln(&["convert", "missing.visaasm", "-o", "out.isa"]);
    assert_eq!(missing.status.code(), Some(3));
    assert_eq!(
        fs::read_dir(&folder.0).unwrap().count(),
        2,
        "nothing is written"
    );

    // A kernel and a function, there and back.
    for (from, to) in [("two.visaasm", "two.isa"), ("two.isa", "back.visaasm")] {
        let output = folder.kiln(&["convert", from, "-o", to]);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let (code, _, sum) = folder.check(&["two.visaasm", "two.isa", "back.visaasm"]);
    assert_eq!(
        sum,
        "1 kernel and 1 function checked: 0 errors, 0 warnings\n"
    );
    assert_eq!(code, Some(0));
}
