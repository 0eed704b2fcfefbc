//! `kiln diff` compares the figures of two builds.

use std::fs;

use serde_json::Value;

use crate::program::{Folder, example, kiln, pass, text};

const EXAMPLES: [&str; 4] = ["saxpy", "reduction", "sgemm", "nbody"];

fn document(line: &[&str]) -> Value {
    let line = [&["--format", "json"], line].concat();
    serde_json::from_str(&pass(&line)).unwrap()
}

fn measure<'a>(diff: &'a Value, figure: &str) -> &'a Value {
    let all = diff["measures"].as_array().unwrap();
    let found = all.iter().find(|measure| measure["figure"] == figure);
    found.unwrap_or_else(|| panic!("{figure}: {diff}"))
}

/// Folders with the code of some examples, with all registers and with few.
fn builds(folder: &Folder) -> [String; 2] {
    [("all", "128"), ("few", "32")].map(|(name, limit)| {
        let out = folder.path(name);
        let inputs = EXAMPLES.map(|example| crate::program::example(example, "visaasm"));
        let mut line = vec!["compile"];
        line.extend(inputs.iter().map(String::as_str));
        line.extend([
            "-p",
            "skl",
            "--grf-limit",
            limit,
            "--emit",
            "bin",
            "--out-dir",
            &out,
        ]);
        pass(&line);
        out
    })
}

#[test]
fn live_registers_are_those_of_live() {
    let folder = Folder::new("diff-live");
    let [all, few] = builds(&folder);
    let diff = document(&["diff", &all, &few, "-p", "skl"]);
    for (side, out) in [("before", &all), ("after", &few)] {
        let files = fs::read_dir(out).unwrap();
        let most = files.map(|file| {
            let file = file.unwrap().path().display().to_string();
            let live = document(&["live", &file, "-p", "skl", "--summary"]);
            live[0]["most"]["grfs"].as_f64().unwrap()
        });
        let expected: f64 = most.sum();
        let found = &measure(&diff, "live")["total"][side];
        assert_eq!(found.as_f64().unwrap(), expected, "{side}");
    }
}

#[test]
fn the_figures_are_those_of_cost_and_bench() {
    let folder = Folder::new("diff-figures");
    let [all, few] = builds(&folder);
    let diff = document(&["diff", &all, &few, "-p", "skl"]);
    assert_eq!(diff["kernels"], 4);
    for (figure, keys) in [
        ("instructions", &["instructions"][..]),
        ("bytes", &["bytes"]),
        ("spill_bytes", &["spill_bytes"]),
        ("messages", &["spills", "fills"]),
        ("cycles", &["cycles"]),
    ] {
        for (side, out) in [("before", &all), ("after", &few)] {
            let mut expected = 0.0;
            for name in fs::read_dir(out).unwrap() {
                let file = name.unwrap().path().display().to_string();
                let cost = document(&["cost", &file, "-p", "skl"]);
                expected += keys
                    .iter()
                    .map(|key| cost[0][key].as_f64().unwrap())
                    .sum::<f64>();
            }
            let found = measure(&diff, figure)["total"][side].as_f64().unwrap();
            assert!(
                (found - expected).abs() < 1e-6,
                "{figure} {side}: {found}, {expected}"
            );
        }
        // Affected kernels are those of worse and better, and their change is that of the total.
        let of = |part: &str, key: &str| measure(&diff, figure)[part][key].as_f64().unwrap();
        let change = |part: &str| of(part, "after") - of(part, "before");
        assert!((change("worse") + change("better") - change("total")).abs() < 1e-6);
        assert!((change("affected") - change("total")).abs() < 1e-6);
        assert_eq!(
            of("worse", "kernels") + of("better", "kernels"),
            of("affected", "kernels")
        );
    }
    assert!(measure(&diff, "spill_bytes")["worse"]["kernels"].as_u64() > Some(0));
}

#[test]
fn growth_above_the_limit_ends_with_one() {
    let folder = Folder::new("diff-limit");
    let [all, few] = builds(&folder);
    let end = |line: &[&str]| {
        let output = kiln(line);
        (output.status.code(), text(&output.stderr))
    };
    let (code, said) = end(&["diff", &all, &few, "-p", "skl", "--fail-above", "1%"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("spill bytes: 0 → "), "{said}");
    assert_eq!(
        end(&["diff", &all, &all, "-p", "skl", "--fail-above", "0"]).0,
        Some(0)
    );
    assert_eq!(end(&["diff", &all, &few, "-p", "skl"]).0, Some(0));
    // A kernel that is gone is no gain.
    fs::remove_file(folder.path("few/saxpy.bin")).unwrap();
    let (code, said) = end(&["diff", &all, &few, "-p", "skl", "--fail-above", "10000"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("saxpy is in"), "{said}");
    let (code, _) = end(&["diff", &all, &few, "-p", "skl", "--fail-above", "much"]);
    assert_eq!(code, Some(2));
}

#[test]
fn every_form_has_the_same_numbers() {
    let folder = Folder::new("diff-forms");
    let [all, few] = builds(&folder);
    let files = ["r.md", "r.html", "r.csv", "r.json"].map(|name| folder.path(name));
    let [md, html, csv, json] = &files;
    let line = [
        "diff",
        &all,
        &few,
        "-p",
        "skl",
        "--markdown",
        md,
        "--html",
        html,
        "--csv",
        csv,
        "--json",
        json,
    ];
    let said = pass(&line);
    let [md, html, csv, json] = files
        .each_ref()
        .map(|file| fs::read_to_string(file).unwrap());
    let diff: Value = serde_json::from_str(&json).unwrap();
    let total = &measure(&diff, "instructions")["total"];
    for side in ["before", "after"] {
        let number = format!("{:.0}", total[side].as_f64().unwrap());
        for form in [&said, &md, &html] {
            assert!(form.contains(&number), "{number}: {form}");
        }
    }
    assert_eq!(csv.lines().count(), 5);
    assert!(csv.starts_with("kernel,instructions_before,instructions_after,"));
    assert!(md.contains("### instructions, worse"), "{md}");
    assert!(html.starts_with("<!doctype html>") && html.contains("class=\"worse\""));
}

#[test]
fn documents_and_programs_are_builds() {
    let folder = Folder::new("diff-documents");
    let saxpy = example("saxpy", "visaasm");
    let [before, after] = ["128", "24"].map(|limit| {
        let stats = folder.path(&format!("{limit}.json"));
        let out = folder.path("x.bin");
        pass(&[
            "compile",
            &saxpy,
            "-p",
            "skl",
            "--grf-limit",
            limit,
            "--stats",
            &stats,
            "-o",
            &out,
        ]);
        stats
    });
    let diff = document(&["diff", &before, &after]);
    assert_eq!(diff["rows"][0]["kernel"], "saxpy");
    assert!(
        measure(&diff, "grf_used")["better"]["kernels"] == 1,
        "{diff}"
    );
    // The figures are those of `kiln bench`.
    let bench = folder.path("bench.json");
    pass(&["bench", &saxpy, "-p", "skl", "--json", &bench]);
    let bench: Value = serde_json::from_str(&fs::read_to_string(bench).unwrap()).unwrap();
    let diff = document(&[
        "diff",
        "--with",
        env!("CARGO_BIN_EXE_kiln"),
        &saxpy,
        "-p",
        "skl",
    ]);
    let figures = &bench["rows"][0]["ours"]["figures"];
    for figure in ["instructions", "bytes", "spill_bytes", "cycles"] {
        let found = &diff["rows"][0]["figures"][figure][1];
        assert_eq!(
            found.as_f64(),
            figures[figure].as_f64(),
            "{figure}: {bench}"
        );
    }
    // One program has no difference to itself.
    let own = env!("CARGO_BIN_EXE_kiln");
    let diff = document(&["diff", "--with", own, &saxpy, "-p", "skl"]);
    assert_eq!(measure(&diff, "cycles")["affected"]["kernels"], 0);
    // Two objects whose kernels have one name each.
    let zebin = example("saxpy", "zebin");
    let diff = document(&["diff", &zebin, &folder.path("x.bin"), "-p", "skl"]);
    assert_eq!(diff["kernels"], 1);
    let output = kiln(&["diff", &before]);
    assert_eq!(output.status.code(), Some(2));
}
