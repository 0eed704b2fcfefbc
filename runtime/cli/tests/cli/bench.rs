//! `kiln bench` beside a program that copies the reference compiler's code of an example, refuses, or dies.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::program::{Folder, example, pass};

/// A stand-in for the other finalizer: gives the reference's code for saxpy after some work and a second's rest, has
/// nothing for a kernel without code, refuses nbody, and dies on everything else.
fn other(folder: &Folder) -> String {
    let zebin = fs::read(example("saxpy", "zebin")).unwrap();
    let zebin = kiln_emit::zebin::Zebin::parse(&zebin).unwrap();
    let code = folder.write("code", zebin.text("saxpy").unwrap());
    let script = format!(
        "#!/bin/sh\n\
         [ \"$2 $3 $4 $5\" = '-platform SKL -binary -output' ] || exit 7\n\
         case $1 in\n\
         */saxpy.visaasm) cp {code} saxpy.dat; sleep 1\n\
         n=0; while [ $n -lt 50000 ]; do n=$((n + 1)); done; exit 1 ;;\n\
         */empty.visaasm) exit 0 ;;\n\
         */nbody.visaasm) echo '[heading]' >&2; echo 'will not' >&2; exit 3 ;;\n\
         *) kill -9 $$ ;;\n\
         esac\n"
    );
    let path = folder.write("other", script);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_corpus_is_compiled_by_both() {
    let folder = Folder::new("bench");
    let other = other(&folder);
    fs::create_dir(folder.path("corpus")).unwrap();
    for name in ["saxpy", "nbody", "reduction"] {
        let text = fs::read(example(name, "visaasm")).unwrap();
        folder.write(&format!("corpus/{name}.visaasm"), text);
    }
    // The text beside it is taken.
    folder.write("corpus/saxpy.isa", "");
    folder.write("corpus/wrong.visaasm", "no vISA");
    folder.write("corpus/wrong.txt", "no input");
    let [csv, json, svg] = ["b.csv", "b.json", "b.svg"].map(|name| folder.path(name));
    let corpus = folder.path("corpus");
    let shown = pass(&[
        "bench",
        &corpus,
        "--against",
        &other,
        "-p",
        "skl",
        "--runs",
        "1",
        "--csv",
        &csv,
        "--json",
        &json,
        "--svg",
        &svg,
    ]);
    let begins = "4 kernels for skl, 1 compared, 1 not compiled by ours, 3 not by the reference\n";
    assert!(shown.starts_with(begins), "{shown}");
    for line in [
        "nbody: the reference: exit code 3: will not",
        "reduction: the reference: signal 9",
        "wrong: ours: exit code 1",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let read =
        |path: &String| -> Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    let benched = read(&json);
    let rows = benched["rows"].as_array().unwrap();
    let names: Vec<_> = rows
        .iter()
        .map(|row| row["kernel"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["nbody", "reduction", "saxpy", "wrong"]);
    // `cost` gives the same figures for the output of `compile` and for the reference's object file.
    let saxpy = &rows[2];
    let code = folder.path("saxpy.bin");
    pass(&[
        "compile",
        &example("saxpy", "visaasm"),
        "-p",
        "skl",
        "-o",
        &code,
    ]);
    for (side, file) in [("ours", &code), ("reference", &folder.path("code"))] {
        let cost = folder.path("cost.json");
        // Zeros at the end of the reference's section are padding.
        pass(&["cost", "-p", "skl", file, "--json", &cost]);
        for figure in [
            "instructions",
            "bytes",
            "spills",
            "fills",
            "spill_bytes",
            "cycles",
        ] {
            assert_eq!(
                saxpy[side]["figures"][figure],
                read(&cost)[0][figure],
                "{side} {figure}"
            );
        }
        assert!(saxpy[side]["seconds"].as_f64().unwrap() > 0.0);
        assert!(saxpy[side]["peak_bytes"].as_u64().unwrap() > 1 << 19);
    }
    assert!(benched["one_call"]["seconds"].as_f64().unwrap() > 0.0);
    // Time is that of the processor: the rest does not count, and neither does a process for no code.
    let whole = saxpy["reference"]["seconds"].as_f64().unwrap();
    let session = &benched["session"];
    let less = session["reference_seconds"].as_f64().unwrap();
    assert!(
        0.0 < less && less < whole && whole < 1.0,
        "{session} {whole}"
    );
    assert!(session["ours_seconds"].as_f64().unwrap() > 0.0);
    assert!(shown.contains("\nseconds, 1 small in one call "), "{shown}");
    assert!(
        shown.contains("\nseconds, 0 of over 2000 instructions "),
        "{shown}"
    );
    assert_eq!(fs::read_to_string(csv).unwrap().lines().count(), 5);
    let svg = fs::read_to_string(svg).unwrap();
    // A dot for each kernel that a side compiled, and one in each side's legend.
    assert_eq!(svg.matches("<circle").count(), 3 + 1 + 2);
    // Nothing was written to the corpus.
    assert_eq!(fs::read_dir(&corpus).unwrap().count(), 6);
}

/// Several folders have a column each, whose sums add up to the whole.
#[test]
fn corpora_are_side_by_side() {
    let folder = Folder::new("bench_corpora");
    for (corpus, name) in [("one", "saxpy"), ("other", "nbody")] {
        fs::create_dir(folder.path(corpus)).unwrap();
        let text = fs::read(example(name, "visaasm")).unwrap();
        folder.write(&format!("{corpus}/{name}.visaasm"), text);
    }
    let [one, other] = ["one", "other"].map(|corpus| folder.path(corpus));
    let shown = pass(&["bench", &one, &other, "-p", "skl", "--runs", "1"]);
    let row = |begin: &str| -> Vec<usize> {
        let line = shown.lines().filter(|line| line.starts_with(begin));
        let numbers = line
            .flat_map(str::split_whitespace)
            .filter_map(|n| n.parse().ok());
        numbers.collect()
    };
    // The sum of all, and those of the corpora.
    let bytes = row("bytes ");
    assert_eq!(bytes[0], bytes[1] + bytes[2], "{shown}");
    assert_eq!(row("kernels "), [1, 1], "{shown}");
    let alone = pass(&["bench", &one, "-p", "skl", "--runs", "1"]);
    assert!(!alone.contains("by corpus"), "{alone}");
}

/// Exceeding the limits of memory or time gives a row, too.
#[test]
fn limits_hold() {
    let folder = Folder::new("bench_limits");
    let greedy = folder.write("greedy", "#!/bin/sh\nwhile :; do :; done\n");
    fs::set_permissions(&greedy, fs::Permissions::from_mode(0o755)).unwrap();
    let saxpy = example("saxpy", "visaasm");
    let shown = pass(&[
        "bench",
        &saxpy,
        "--against",
        &greedy,
        "-p",
        "skl",
        "--runs",
        "2",
        "--seconds",
        "1",
    ]);
    assert!(shown.contains("saxpy: the reference: signal "), "{shown}");
    let shown = pass(&["bench", &saxpy, "-p", "skl", "--runs", "1", "--only", "x"]);
    assert!(
        shown.starts_with("1 kernels for skl, 1 compared"),
        "{shown}"
    );
}
