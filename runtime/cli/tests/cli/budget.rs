//! Budgets of builds, names of platforms, and names of kernels in tables.

use std::fs;

use serde_json::Value;

use crate::program::{Folder, example, kiln, pass, text};

/// Exit code and standard error of a compilation, and whether it left a file.
fn compiled(folder: &Folder, options: &[&str]) -> (Option<i32>, String, bool) {
    let nbody = example("nbody", "visaasm");
    let out = folder.path("out.bin");
    let _ = fs::remove_file(&out);
    let line = [
        "compile",
        &nbody,
        "-p",
        "skl",
        "--grf-limit",
        "32",
        "-o",
        &out,
        "-q",
    ];
    let output = kiln(&[&line[..], options].concat());
    (
        output.status.code(),
        text(&output.stderr),
        fs::exists(&out).unwrap(),
    )
}

#[test]
fn a_kernel_over_its_budget_is_an_error_with_what_costs_most() {
    let folder = Folder::new("budget");
    let (code, said, made) = compiled(&folder, &["--max-spill-bytes", "0"]);
    assert_eq!((code, made), (Some(1), false), "{said}");
    for part in [
        "O0005",
        "bytes of spill slots, more than the 0 of its budget",
        "values that cost most",
        "stores and",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let (code, said, made) = compiled(&folder, &["--max-cycles", "10"]);
    assert_eq!((code, made), (Some(1), false), "{said}");
    assert!(
        said.contains("estimated cycles, more than the 10 of its budget"),
        "{said}"
    );
    assert!(said.contains("instruction "), "{said}");
    let within = ["--max-spill-bytes", "1000000", "--max-cycles", "100000000"];
    assert_eq!(compiled(&folder, &within), (Some(0), String::new(), true));
}

#[test]
fn a_file_has_budgets_of_all_kernels_and_of_some() {
    let folder = Folder::new("budget-file");
    let file = |text: &str| folder.write("budget.yaml", text);
    let end = |text: &str| {
        let path = file(text);
        compiled(&folder, &["--budget", &path])
    };
    assert_eq!(end("all: {spill_bytes: 0}\n").0, Some(1));
    // A kernel's own limit is in the place of that of all.
    assert_eq!(
        end("all: {spill_bytes: 0}\nkernels: {nbody: {spill_bytes: 100000}}\n").0,
        Some(0)
    );
    assert_eq!(end("kernels: {nbody: {instructions: 3}}\n").0, Some(1));
    assert_eq!(end("kernels: {other: {instructions: 3}}\n").0, Some(0));
    let (code, said, _) = end("kernels: {nbody: {registers: 3}}\n");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("unknown field `registers`"), "{said}");
}

#[test]
fn platforms_are_known_as_people_say_them() {
    let folder = Folder::new("platform-names");
    let saxpy = example("saxpy", "visaasm");
    let out = folder.path("out.bin");
    let made = |name: &str| {
        pass(&["compile", &saxpy, "-p", name, "-o", &out, "-q"]);
        fs::read(&out).unwrap()
    };
    for (said, name) in [
        ("gen9", "skl"),
        ("9.0.9", "skl"),
        ("UHD Graphics 630", "skl"),
        ("Gen11", "icllp"),
    ] {
        assert!(made(said) == made(name), "{said}");
    }
    let document: Value = serde_json::from_str(&pass(&["platforms", "--format", "json"])).unwrap();
    let names = document["names"].as_array().unwrap();
    assert!(names.len() >= 10);
    for row in names {
        let name = row["name"].as_str().unwrap();
        for said in row["names"].as_array().unwrap() {
            let said = pass(&["platforms", said.as_str().unwrap()]);
            assert!(said.starts_with(&format!("{name} (")), "{name}: {said}");
        }
    }
}

#[test]
fn names_of_sycl_are_shown_as_their_source_has_them() {
    let folder = Folder::new("demangled");
    let source = fs::read_to_string(example("saxpy", "visaasm")).unwrap();
    let name = "_ZTSN4mine4addsIfEE";
    let input = folder.write("k.visaasm", source.replace("saxpy", name));
    let out = folder.path("out.bin");
    let said = pass(&["compile", &input, "-p", "skl", "-o", &out]);
    assert!(said.contains("mine::adds<float>"), "{said}");
    let said = pass(&["compile", &input, "-p", "skl", "-o", &out, "--no-demangle"]);
    assert!(said.contains(name), "{said}");
    let said = pass(&[
        "compile", &input, "-p", "skl", "-o", &out, "--format", "json",
    ]);
    assert!(said.contains(name), "{said}");
}
