//! The program as its callers meet it, with a stand-in for ocloc that gives files of `corpus/finalize`.
#![cfg(unix)]

use std::cell::Cell;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use kiln_compile::archive::{self, Member};
use kiln_compile::finalize::{Strip, finalize_bytes};
use kiln_corpus::read;
use kiln_emit::zebin::Zebin;
use kiln_ocloc::command::{self, Call};
use kiln_ocloc::compile::compile;
use kiln_ocloc::front::{Front, Outcome};

/// A stand-in for ocloc: a script that writes `k.bin`, `k.spv` and its arguments, and refuses a call with `-bad`. The object
/// file is `alone`, `both` or `whole`, by the options, or `narrow` if the compiler's variable has a SIMD size.
const STAND_IN: &str = r#"#!/bin/sh
kind=whole; folder=.; last=
for word in "$@"; do
  case $last in -out_dir) folder=$word;; esac
  case $word in
    *-emit-visa-only*) kind=alone;;
    *-emit-zebin-visa-sections*) kind=both;;
    -bad) echo "Invalid option (arg 2): -bad"; exit 10;;
    ids) echo "the ids: $*"; exit 0;;
  esac
  last=$word
done
[ -n "$IGC_ForceOCLSIMDWidth" ] && kind=narrow
echo "$IGC_ForceOCLSIMDWidth $*" >>"$HERE/calls"
cp "$HERE/$kind.zebin" "$folder/k.bin"
cp "$HERE/spirv" "$folder/k.spv"
echo "Build succeeded."
echo "a warning" >&2
"#;

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Folder {
    /// A folder with the stand-in and the object files of a program.
    fn new(test: &str, program: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ocloc-{test}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("work")).unwrap();
        for kind in ["alone", "both", "whole"] {
            let bytes = read(&format!("finalize/{program}.{kind}.zebin"));
            fs::write(path.join(format!("{kind}.zebin")), bytes).unwrap();
        }
        fs::write(path.join("spirv"), "spirv\n").unwrap();
        fs::write(path.join("ocloc"), STAND_IN).unwrap();
        fs::set_permissions(path.join("ocloc"), Permissions::from_mode(0o755)).unwrap();
        Folder(path)
    }

    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kiln-ocloc"));
        command.args(arguments).current_dir(self.0.join("work"));
        command.env("KILN_OCLOC", self.0.join("ocloc"));
        command.env("HERE", &self.0).env_remove("KILN_STRICT");
        command.envs(variables.iter().copied()).output().unwrap()
    }

    fn file(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join("work").join(name)).unwrap()
    }

    /// Names of the files and folders in the working folder.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.join("work")).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const PLAIN: [&str; 5] = ["compile", "-file", "k.cl", "-device", "lnl"];

#[test]
fn object_files_have_our_code() {
    let folder = Folder::new("code", "two");
    let done = folder.run(&[&PLAIN[..], &["-out_dir", "a/b"]].concat(), &[]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert_eq!(text(&done.stdout), "Build succeeded.\n");
    assert_eq!(text(&done.stderr), "a warning\n");
    let strip = Strip {
        visa: true,
        spirv: false,
    };
    let expected = finalize_bytes(&read("finalize/two.alone.zebin"), strip).unwrap();
    assert!(folder.file("a/b/k.bin") == expected);
    assert_eq!(folder.file("a/b/k.spv"), b"spirv\n");
    assert_eq!(folder.names(), ["a"]);
    let calls = fs::read_to_string(folder.0.join("calls")).unwrap();
    let [call] = calls.lines().collect::<Vec<_>>()[..] else {
        panic!("{calls}");
    };
    assert!(call.starts_with(" compile -file k.cl -device lnl -out_dir /"));
    assert!(call.ends_with("-internal_options -emit-visa-only -emit-zebin-visa-sections"));
}

/// Where code spills, ocloc is asked once more for the SIMD size that it takes itself, beginning with the SPIR-V that it left. The
/// kernels are those of the better files.
#[test]
fn a_narrower_size_is_asked_for_where_code_spills() {
    const SPIRV: &[u8] = b"\x03\x02\x23\x07 and more";
    let folder = Folder::new("narrow", "two");
    for (kind, name) in [("wide", "alone"), ("narrow", "narrow")] {
        let bytes = read(&format!("finalize/widths.{kind}.zebin"));
        fs::write(folder.0.join(format!("{name}.zebin")), bytes).unwrap();
    }
    let sizes = |spirv: &[u8], source: &str| {
        fs::write(folder.0.join("spirv"), spirv).unwrap();
        let _ = fs::remove_file(folder.0.join("calls"));
        let mut call = vec!["compile", "-file", source, "-device", "dg2"];
        call.extend((source == "k.spv").then_some("-spirv_input"));
        let done = folder.run(&call, &[]);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        let info = Zebin::parse(&folder.file("k.bin")).unwrap().ze_info;
        let sizes = info.kernels.iter().map(|k| k.execution_env.simd_size);
        assert_eq!(sizes.collect::<Vec<_>>(), [8, 32]);
        let calls = fs::read_to_string(folder.0.join("calls")).unwrap();
        let calls: Vec<String> = calls.lines().map(str::to_string).collect();
        assert!(calls.len() == 2 && calls[1].starts_with("8 compile -file "));
        calls[1].clone()
    };
    let second = sizes(SPIRV, "some/k.cl");
    assert!(second.contains("/k.spv -device dg2 -spirv_input -out_dir "));
    // Without SPIR-V, or of SPIR-V, it is the same source.
    for (spirv, source) in [(&b"none"[..], "k.cl"), (SPIRV, "k.spv")] {
        let second = sizes(spirv, source);
        assert!(second.starts_with(&format!("8 compile -file {source} -device dg2")));
    }
}

/// Calls that ocloc refuses or that compile nothing end as they do without us.
#[test]
fn other_calls_are_oclocs() {
    let folder = Folder::new("others", "saxpy");
    let refused = folder.run(&[&PLAIN[..], &["-bad"]].concat(), &[]);
    assert_eq!(refused.status.code(), Some(10));
    assert_eq!(text(&refused.stdout), "Invalid option (arg 2): -bad\n");
    assert_eq!(folder.names(), [""; 0]);
    let ids = folder.run(&["ids", "lnl"], &[]);
    assert_eq!(text(&ids.stdout), "the ids: ids lnl\n");
}

/// An object file that cannot be finalized has ocloc's code, and a line says so; with KILN_STRICT it is an error.
#[test]
fn oclocs_code_stays_where_ours_fails() {
    let folder = Folder::new("kept", "saxpy");
    let whole = read("finalize/saxpy.whole.zebin");
    // A compiler that writes no sections.
    fs::copy(folder.0.join("whole.zebin"), folder.0.join("alone.zebin")).unwrap();
    let kept = folder.run(&PLAIN, &[]);
    assert_eq!(kept.status.code(), Some(0));
    assert!(folder.file("k.bin") == whole);
    let said = text(&kept.stderr);
    let line = said.strip_prefix("a warning\n").unwrap();
    assert!(line.starts_with("kiln-ocloc: k.bin has ocloc's code: it has no section of vISA"));
    assert_eq!(line.lines().count(), 1, "{line}");
    fs::remove_file(folder.0.join("work/k.bin")).unwrap();
    let strict = folder.run(&PLAIN, &[("KILN_STRICT", "1")]);
    assert_eq!(strict.status.code(), Some(245));
    assert!(text(&strict.stderr).starts_with("kiln-ocloc: k.bin"));
    assert!(!folder.0.join("work/k.bin").exists());
    // Damaged vISA.
    let mut broken = read("finalize/saxpy.both.zebin");
    let at = broken.windows(4).position(|part| part == b"mul ").unwrap();
    broken[at] = b'!';
    fs::write(folder.0.join("alone.zebin"), broken).unwrap();
    let kept = folder.run(&PLAIN, &[("KILN_STRICT", "0")]);
    assert!(text(&kept.stderr).contains("has ocloc's code: .visaasm:"));
    assert!(folder.file("k.bin") == whole);
}

/// Files of code that is in no object file are ocloc's, which a line says; with KILN_STRICT they are an error.
#[test]
fn other_forms_of_code_are_oclocs() {
    let folder = Folder::new("forms", "saxpy");
    fs::write(folder.0.join("alone.zebin"), "CTNI and more").unwrap();
    fs::write(folder.0.join("whole.zebin"), "CTNI and others").unwrap();
    fs::write(folder.0.join("spirv"), b"\x03\x02\x23\x07").unwrap();
    let array = [&PLAIN[..], &["-cpp_file"]].concat();
    for (call, line) in [
        (
            &PLAIN[..],
            "kiln-ocloc: k.bin has ocloc's code: it is no object file of a form that is read\n",
        ),
        (
            &array,
            "kiln-ocloc: ocloc's code: files of calls with -cpp_file are not read\n",
        ),
    ] {
        let strict = folder.run(call, &[("KILN_STRICT", "1")]);
        assert_eq!(strict.status.code(), Some(245), "{call:?}");
        assert_eq!(text(&strict.stderr), line);
        assert_eq!(folder.names(), [""; 0]);
        let kept = folder.run(call, &[]);
        assert_eq!(kept.status.code(), Some(0), "{call:?}");
        assert_eq!(text(&kept.stderr).replace("a warning\n", ""), line);
        assert_eq!(folder.file("k.bin"), b"CTNI and others");
        for name in folder.names() {
            fs::remove_file(folder.0.join("work").join(name)).unwrap();
        }
    }
    // Nothing is made of a call that ocloc refuses.
    let refused = folder.run(&[&array[..], &["-bad"]].concat(), &[]);
    assert_eq!(refused.status.code(), Some(10));
    assert_eq!(text(&refused.stderr), "");
}

#[test]
fn missing_programs_and_full_disks_are_errors() {
    let folder = Folder::new("errors", "saxpy");
    let none = folder.run(&PLAIN, &[("KILN_OCLOC", "/none/ocloc")]);
    assert_eq!(none.status.code(), Some(127), "{}", text(&none.stderr));
    let said = text(&none.stderr);
    assert!(said.starts_with("kiln-ocloc: /none/ocloc: "), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    // A PATH with nothing but this program under ocloc's name.
    let here = folder.0.join("path");
    fs::create_dir(&here).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_kiln-ocloc"), here.join("ocloc")).unwrap();
    let mut alone = Command::new(here.join("ocloc"));
    alone
        .args(PLAIN)
        .env("PATH", &here)
        .env_remove("KILN_OCLOC");
    let alone = alone.output().unwrap();
    assert_eq!(alone.status.code(), Some(127));
    assert!(text(&alone.stderr).starts_with("kiln-ocloc: no ocloc in PATH"));
    // Nothing is left of a file that cannot be written.
    let work = folder.0.join("work");
    fs::write(work.join("a"), "a file").unwrap();
    let done = folder.run(&[&PLAIN[..], &["-out_dir", "a"]].concat(), &[]);
    assert_eq!(done.status.code(), Some(225), "{}", text(&done.stderr));
    assert_eq!(folder.names(), ["a"]);
    #[cfg(target_os = "linux")]
    {
        std::os::unix::fs::symlink("/dev/full", work.join("k.bin")).unwrap();
        let full = folder.run(&PLAIN, &[]);
        assert_eq!(full.status.code(), Some(225));
        assert!(text(&full.stderr).contains("k.bin: No space left on device"));
    }
}

/// A disk that is full after a part of the file: the error is ocloc's for files, and the file that was there stays.
#[cfg(target_os = "linux")]
#[test]
fn files_are_whole_or_as_they_were() {
    let folder = Folder::new("full", "two");
    let work = folder.0.join("work");
    // The limit is not that of the stand-in, whose files are elsewhere. A signal that is ignored becomes an error of the write.
    let stand_in = STAND_IN.replacen("\n", "\nulimit -S -f unlimited\n", 1);
    fs::write(folder.0.join("ocloc"), stand_in).unwrap();
    fs::write(work.join("k.bin"), "before").unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -S -f 8; exec \"$0\" \"$@\""]);
    command.arg(env!("CARGO_BIN_EXE_kiln-ocloc")).args(PLAIN);
    command
        .env("KILN_OCLOC", folder.0.join("ocloc"))
        .env("HERE", &folder.0);
    let done = command.current_dir(&work).output().unwrap();
    assert_eq!(done.status.code(), Some(225), "{}", text(&done.stderr));
    assert!(
        text(&done.stderr).contains("k.bin: File too large"),
        "{}",
        text(&done.stderr)
    );
    assert_eq!(folder.names(), ["k.bin"]);
    assert_eq!(folder.file("k.bin"), b"before");
}

/// A compiler whose vISA is damaged, and whose own code is not.
struct Damaged {
    file: Vec<u8>,
    whole: Vec<u8>,
    calls: Cell<u32>,
}

impl Front for Damaged {
    fn call(&self, arguments: &[String], _: &Path, _: Option<u32>) -> io::Result<Outcome> {
        self.calls.set(self.calls.get() + 1);
        let visa = arguments
            .iter()
            .any(|word| word.contains("-emit-zebin-visa-sections"));
        let bytes = if visa { &self.file } else { &self.whole };
        Ok(Outcome {
            files: vec![("k.bin".to_string(), bytes.clone())],
            ..Outcome::default()
        })
    }

    fn selects_simd(&self) -> bool {
        true
    }
}

/// Damaged object files, alone and in archives, become our code or stay the file of ocloc, with a reason.
#[test]
fn damaged_object_files_are_oclocs() {
    let (alone, whole) = (
        read("finalize/saxpy.alone.zebin"),
        read("finalize/saxpy.whole.zebin"),
    );
    let archived = |data: &[u8]| {
        let member = |name: &str| Member {
            name: name.to_string(),
            data: data.to_vec(),
        };
        archive::write(&[member("20.4.4"), member("20.1.4")])
    };
    let Call::Compile(call) = command::read(&PLAIN.map(str::to_string)) else {
        panic!("it compiles");
    };
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let (mut ours, mut theirs) = (0, 0);
    for number in 0..1000 {
        let in_archive = number % 4 == 3;
        let mut file = if in_archive {
            archived(&alone)
        } else {
            alone.clone()
        };
        for _ in 0..=number % 3 {
            let at = random(file.len());
            file[at] ^= 1 << random(8);
        }
        if number % 10 == 0 {
            file.truncate(random(file.len()));
        }
        let front = Damaged {
            file,
            whole: if in_archive {
                archived(&whole)
            } else {
                whole.clone()
            },
            calls: Cell::new(0),
        };
        let done = compile(&front, &call).unwrap();
        assert!(front.calls.get() <= 4, "object {number}");
        let done = done.unwrap();
        let file = done.outcome.file("k.bin").unwrap();
        let objects = match in_archive {
            true => archive::read(file)
                .unwrap()
                .into_iter()
                .map(|m| m.data)
                .collect(),
            false => vec![file.to_vec()],
        };
        let kept = objects.iter().filter(|object| **object == whole).count();
        // An archive that cannot be read is one file.
        let unread = in_archive && done.kept.iter().any(|(name, _)| name == "k.bin");
        let expected = if unread { 2 } else { done.kept.len() };
        assert_eq!(kept, expected, "object {number}: {:?}", done.kept);
        assert!(done.kept.iter().all(|(_, reason)| !reason.is_empty()));
        theirs += usize::from(kept > 0);
        ours += usize::from(kept == 0);
    }
    assert!(
        ours > 100 && theirs > 200,
        "{ours} with our code, {theirs} with ocloc's"
    );
}

/// Processes that write the same file leave it whole.
#[test]
fn two_processes_write_one_file() {
    let folder = Folder::new("two", "saxpy");
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kiln-ocloc"));
        command.args(PLAIN).current_dir(folder.0.join("work"));
        command
            .env("KILN_OCLOC", folder.0.join("ocloc"))
            .env("HERE", &folder.0);
        command.spawn().unwrap()
    };
    let children: Vec<_> = (0..8).map(|_| start()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(folder.names(), ["k.bin", "k.spv"]);
    assert!(finalize_bytes(&folder.file("k.bin"), Strip::default()).is_err());
    assert!(folder.file("k.bin").starts_with(b"\x7fELF"));
}
