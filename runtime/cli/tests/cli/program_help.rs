//! The program's own documentation: examples in the help, exit codes, platform names, completions and manual pages.
//! Every verb takes `-` and reports as JSON.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::program::{Folder, example, examples, fixture, kiln, pass, piped, text};

/// Verbs listed in the help.
fn verbs() -> Vec<String> {
    let help = pass(&["help"]);
    let list = help.split("Commands:\n").nth(1).unwrap();
    let list = list.split("\n\n").next().unwrap();
    let verbs = list
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    verbs
        .filter(|verb| *verb != "help")
        .map(str::to_string)
        .collect()
}

/// Runs a line in a shell whose working folder has the examples, and whose home is that folder.
fn shell(folder: &Folder, line: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_kiln")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    Command::new("sh")
        .args(["-c", line])
        .current_dir(&folder.0)
        .env("PATH", path)
        .env("HOME", &folder.0)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// A folder with the files of a checkout that the examples of commands use.
fn checkout(test: &str) -> Folder {
    let folder = Folder::new(test);
    // Outputs beside an input must not be made in the source tree.
    let copied = format!("cp -r {} examples", examples().display());
    assert!(shell(&folder, &copied).status.success());
    for made in [
        ".local/share/bash-completion/completions",
        ".config/fish/completions",
    ] {
        fs::create_dir_all(folder.0.join(made)).unwrap();
    }
    folder
}

/// Every example in the help of every verb works as written, in a copy of the examples, but for those that need the reference
/// finalizer or a driver.
#[cfg(unix)]
#[test]
fn the_examples_of_help_work() {
    let folder = checkout("help");
    let verbs = verbs();
    assert!(verbs.len() >= 13, "{verbs:?}");
    let help = verbs.iter().map(|verb| pass(&["help", verb]));
    let help: String = help.chain([pass(&["help"])]).collect();
    let help = help.replace("\\\n", " ");
    let lines = help.lines().filter_map(|line| line.strip_prefix("  kiln "));
    let mut run = 0;
    let needs_more = |line: &&str| {
        let driver = line.starts_with("gpu ") || line.contains("--driver-cache");
        driver || line.contains("GenX_IR")
    };
    for line in lines.filter(|line| !needs_more(line)) {
        // A remark may follow the command.
        let line = format!("kiln {}", line.split("   ").next().unwrap());
        let output = shell(&folder, &line);
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        run += 1;
    }
    assert!(run >= 2 * verbs.len() - 6, "{run} examples of {verbs:?}");
}

/// The commands of the guides work in order.
#[cfg(unix)]
#[test]
fn the_commands_of_the_guides_work() {
    for (guide, least) in [
        ("guide-offline.md", 9),
        ("pressure.md", 9),
        ("live.md", 6),
        ("report.md", 5),
        ("cache.md", 3),
        ("machine-code.md", 3),
        ("cost-model.md", 3),
        ("../README.md", 1),
    ] {
        let folder = checkout(&guide.replace('/', "-"));
        let page = fs::read_to_string(examples().join("../docs").join(guide)).unwrap();
        let mut blocks = page.split("```");
        let blocks = std::iter::from_fn(|| blocks.nth(1));
        let lines: Vec<&str> = blocks
            .filter_map(|block| block.strip_prefix("sh\n"))
            .flat_map(str::lines)
            .filter(|line| line.starts_with("kiln "))
            .collect();
        assert!(lines.len() >= least, "{guide}: {lines:?}");
        for line in lines {
            let output = shell(&folder, line);
            assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        }
    }
}

#[test]
fn help_of_run_describes_the_launch_file() {
    let help = pass(&["help", "run"]);
    for key in [
        "kernel:", "global:", "local:", "args:", "expect:", "type:", "ulp:", "abs:",
    ] {
        assert!(help.contains(key), "{key}");
    }
}

/// Each exit code occurs as the table says, and the guide has the same table.
#[test]
fn exit_codes_are_those_of_the_table() {
    let folder = Folder::new("exits");
    let saxpy = example("saxpy", "visaasm");
    let wrong = folder.write("wrong.visaasm", ".version 3.6\n.kernel x y z\n");
    let out = folder.path("out.bin");
    for (code, args) in [
        (0, &["check", &saxpy][..]),
        (1, &["check", &wrong]),
        (1, &["compile", "-p", "skl", &wrong, "-o", &out]),
        (2, &["compile", "-p", "skl"]),
        (3, &["check", "nowhere.visaasm"]),
        (3, &["compile", "-p", "skl", "nowhere.visaasm"]),
        (3, &["disasm", "nowhere.zebin"]),
        (
            3,
            &["compile", "-p", "skl", &saxpy, "-o", "/nowhere/out.bin"],
        ),
        (4, &["compile", "-p", "bxt", &saxpy, "-o", &out]),
        // The lowest code of several failures counts.
        (1, &["check", "nowhere.visaasm", &wrong]),
    ] {
        let output = kiln(args);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
    }
    let help = pass(&["help"]);
    let table = help.split("Exit codes:\n").nth(1).unwrap();
    let rows: Vec<_> = table.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(rows.len(), 6);
    let guide = fs::read_to_string(examples().join("../docs/guide-offline.md")).unwrap();
    for row in rows {
        let (code, meaning) = row.trim().split_once("  ").unwrap();
        let row = format!("| {code} | {} |", meaning.trim());
        assert!(guide.contains(&row), "docs/guide-offline.md lacks: {row}");
    }
}

/// All verbs share one list of names, in either case, and suggest a name for an unknown one.
#[test]
fn names_of_platforms_are_the_same_for_every_verb() {
    let (saxpy, zebin) = (example("saxpy", "visaasm"), example("saxpy", "zebin"));
    for verb in ["compile", "pressure", "sweep", "check", "inspect"] {
        let output = kiln(&[verb, "-p", "tgllpp", &saxpy]);
        assert_eq!(output.status.code(), Some(2), "{verb}");
        let said = text(&output.stderr);
        assert!(
            said.contains("`tgllpp` is no platform: is `tgllp` meant?"),
            "{said}"
        );
    }
    for verb in ["disasm", "cost", "verify"] {
        assert!(text(&kiln(&[verb, "-p", "sk", &zebin]).stderr).contains("`skl` meant?"));
        pass(&[verb, "-p", "KBL", &zebin]);
    }
    pass(&["check", "-p", "XeHP_SDV", &saxpy]);
    let output = kiln(&["compile", "-p", "bdw", &saxpy]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("of `bdw` only the vISA is known"));
}

#[test]
fn shells_and_man_know_every_verb() {
    let folder = Folder::new("man");
    let verbs = verbs();
    for shell in ["bash", "zsh", "fish"] {
        let script = pass(&["completions", shell]);
        for verb in &verbs {
            assert!(script.contains(verb.as_str()), "{shell}: {verb}");
        }
        assert!(script.contains("tgllp"), "{shell}");
    }
    let man = folder.path("man1");
    pass(&["man", "-o", &man]);
    let made: BTreeSet<_> = fs::read_dir(&man)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    let named = verbs.iter().map(|verb| format!("kiln-{verb}.1").into());
    assert_eq!(made, named.chain(["kiln.1".into()]).collect());
    let page = fs::read_to_string(Path::new(&man).join("kiln-run.1")).unwrap();
    assert!(
        page.starts_with(".ie") && page.contains(".TH kiln-run 1"),
        "{page}"
    );
    assert!(page.contains("expect: FILE"));
    assert!(pass(&["man", "-o", "-"]).contains("Exit codes"));
}

/// The README names the Rust version of the workspace.
#[test]
fn the_readme_says_which_rust_is_needed() {
    let file = |name: &str| fs::read_to_string(examples().join("..").join(name)).unwrap();
    let manifest = file("Cargo.toml");
    let line = (manifest.lines()).find(|line| line.starts_with("rust-version = "));
    let version = line.unwrap().split('"').nth(1).unwrap();
    assert!(file("README.md").contains(&format!("Rust {version} or later")));
}

/// With --format json, standard output is one JSON document for every verb.
#[test]
fn every_report_comes_as_json() {
    let (saxpy, zebin) = (example("saxpy", "visaasm"), example("saxpy", "zebin"));
    let launch = examples().join("saxpy/launch.yaml").display().to_string();
    let folder = Folder::new("json");
    let unfinished = fixture("finalize/saxpy.alone.zebin");
    let out = folder.path("out.bin");
    let (cache, visa) = (
        folder.path("cache"),
        examples().join("saxpy").display().to_string(),
    );
    pass(&[
        "compile", "-p", "skl", &saxpy, "-o", &out, "--cache", &cache,
    ]);
    let documents = [
        (&["check", &saxpy][..], "/kernels"),
        (&["compile", "-p", "skl", &saxpy, "-o", &out], "/0/cycles"),
        (&["cost", &zebin], "/0/instructions"),
        (&["disasm", &zebin], "/files/0/units/0/instructions/0/op"),
        (&["inspect", &saxpy], "/objects/0/name"),
        (&["pressure", "-p", "skl", &saxpy], "/0/points"),
        (&["pressure", "-p", "skl", "--summary", &saxpy], "/0/peak"),
        (&["run", &zebin, "--launch", &launch], "/results/0/pass"),
        (
            &["sweep", "-p", "skl", "--grf-limit", "64", &saxpy],
            "/0/figures/cycles",
        ),
        (&["verify", &zebin], "/instructions"),
        (&["cache", "stat", &cache], "/entries"),
        (&["cache", "clear", &cache], "/entries"),
        (
            &["relink", &zebin, "--visa", &visa, "-o", &out],
            "/replaced/0",
        ),
        (&["finalize", &unfinished, "-o", &out], "/replaced/0"),
        (&["inspect", "-p", "skl", &saxpy], "/objects/0/name"),
        #[cfg(unix)]
        (
            &["bench", &saxpy, "-p", "skl", "--runs", "1"],
            "/rows/0/ours/figures/bytes",
        ),
    ];
    for (args, part) in documents {
        let document = pass(&[args, &["--format", "json"]].concat());
        let document: Value = serde_json::from_str(&document).unwrap();
        assert!(document.pointer(part).is_some(), "{args:?}: {document}");
        // The option may come before the verb.
        pass(&[&["--format", "text"], args].concat());
    }
}

/// With --format json, diagnostics are lines of JSON with their place; those of `check` are its report.
#[test]
fn diagnostics_come_as_json() {
    let folder = Folder::new("json-errors");
    let source = fs::read_to_string(example("saxpy", "visaasm")).unwrap();
    let wrong = folder.write("wrong.visaasm", source.replacen("    mul ", "    mull ", 1));
    let line = source
        .lines()
        .position(|l| l.starts_with("    mul "))
        .unwrap()
        + 1;
    let output = kiln(&["--format", "json", "compile", "-p", "skl", &wrong]);
    let said: Value = serde_json::from_str(&text(&output.stderr)).unwrap();
    let checked = kiln(&["check", &wrong, "--format", "json"]);
    assert_eq!(text(&checked.stderr), "");
    let checked: Value = serde_json::from_str(&text(&checked.stdout)).unwrap();
    for said in [&said, &checked["diagnostics"][0]] {
        assert_eq!(said["severity"], "error", "{said}");
        assert_eq!(said["line"], line, "{said}");
        assert_eq!(said["column"], 5, "{said}");
        assert_eq!(said["file"].as_str(), Some(wrong.as_str()), "{said}");
    }
    assert_eq!(checked["errors"], 1);
}

/// A file and the same bytes through a pipe give the same result.
#[test]
fn every_verb_reads_standard_input() {
    let folder = Folder::new("pipes");
    let (visa, zebin) = (example("saxpy", "visaasm"), example("saxpy", "zebin"));
    let launch = examples().join("saxpy/launch.yaml").display().to_string();
    let run = ["--launch", launch.as_str()];
    for (verb, file, more) in [
        ("check", &visa, &[][..]),
        ("compile", &visa, &["-p", "skl", "-q", "-o", "-"]),
        ("convert", &visa, &["-o", "-"]),
        ("cost", &zebin, &[]),
        ("disasm", &zebin, &[]),
        ("inspect", &visa, &[]),
        ("pressure", &visa, &["-p", "skl"]),
        ("run", &zebin, &run),
        ("verify", &zebin, &[]),
    ] {
        let of_file = kiln(&[&[verb, file], more].concat());
        let of_pipe = piped(&[&[verb, "-"], more].concat(), &fs::read(file).unwrap());
        let status = of_pipe.status;
        assert!(status.success(), "{verb}: {}", text(&of_pipe.stderr));
        let same = |output: &Output| {
            let shown = text(&output.stdout).replace(file.as_str(), "<stdin>");
            // Except the speed.
            let lines = shown.lines().filter(|line| !line.contains("M instr/s"));
            lines.map(str::trim).map(str::to_string).collect::<Vec<_>>()
        };
        if verb != "cost" {
            assert_eq!(same(&of_file), same(&of_pipe), "{verb}");
        }
    }
    let sweep = [
        "sweep",
        "-",
        "-p",
        "skl",
        "--grf-limit",
        "64",
        "--format",
        "json",
    ];
    assert!(piped(&sweep, &fs::read(&visa).unwrap()).status.success());
    for form in ["visaasm", "isa"] {
        let visa = fs::read(example("saxpy", form)).unwrap();
        let bench = piped(
            &["bench", "-", "-p", "skl", "--runs", "1", "--format", "json"],
            &visa,
        );
        let benched: Value = serde_json::from_str(&text(&bench.stdout)).unwrap();
        assert!(
            benched["rows"][0]["ours"]["figures"]["instructions"].is_u64(),
            "{benched}"
        );
    }
    // The object file to relink, and the file with the argument layout.
    let (out, folder_of) = (
        folder.path("out.zebin"),
        examples().join("saxpy").display().to_string(),
    );
    let relinked = piped(
        &["relink", "-", "--visa", &folder_of, "-o", &out],
        &fs::read(&zebin).unwrap(),
    );
    assert!(relinked.status.success(), "{}", text(&relinked.stderr));
    let info = ["compile", &visa, "-p", "skl", "--info", "-", "-o", &out];
    assert!(piped(&info, &fs::read(&zebin).unwrap()).status.success());
    // Text from a pipe gives binary, and the reverse.
    let binary = piped(&["convert", "-", "-o", "-"], &fs::read(&visa).unwrap()).stdout;
    assert!(binary == fs::read(example("saxpy", "isa")).unwrap());
    let launched = piped(
        &["run", &zebin, "--launch", "-"],
        b"kernel: saxpy\nglobal: [64]\nlocal: [64]\nargs: [{zero: 256}, {zero: 256}, {f32: 1}, {u32: 64}]\n",
    );
    assert!(launched.status.success(), "{}", text(&launched.stderr));
}

/// Colours are used only on terminals.
#[test]
fn what_is_no_terminal_gets_no_colours() {
    let output = kiln(&["check", "nowhere.visaasm"]);
    assert!(!text(&output.stderr).contains('\u{1b}'));
}

/// Many files in one call each have their own output in one folder.
#[test]
fn many_files_go_to_one_folder() {
    let folder = Folder::new("many");
    let names = ["saxpy", "sgemm", "switch"];
    for name in names {
        fs::copy(
            example(name, "visaasm"),
            folder.path(&format!("{name}.visaasm")),
        )
        .unwrap();
    }
    let (from, to) = (folder.path(""), folder.path("build"));
    let shown = pass(&["compile", &from, "-p", "skl", "--out-dir", &to]);
    assert_eq!(shown.lines().count(), 4, "{shown}");
    for name in names {
        assert!(folder.0.join("build").join(format!("{name}.bin")).exists());
    }
    let checked = pass(&["check", &from]);
    assert_eq!(
        checked,
        "3 kernels and 0 functions checked: 0 errors, 0 warnings\n"
    );
}

#[test]
fn the_help_of_a_verb_begins_with_what_the_verb_does() {
    for verb in verbs() {
        let help = pass(&[&verb, "--help"]);
        let first = help.lines().next().unwrap();
        let listed = pass(&["help"]);
        assert!(listed.contains(first), "{verb}: {first}");
    }
}
