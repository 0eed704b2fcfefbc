//! Lints, remarks, and inputs made small.

use std::fs;

use serde_json::Value;

use crate::program::{Folder, example, examples, kiln, names, pass, text};

/// A kernel of these declarations and instructions.
fn kernel(declarations: &str, code: &str) -> String {
    format!(
        ".version 3.6\n.kernel k\n{declarations}.kernel_attr SimdSize=8\n.function \"k\"\n{code}    ret (M1, 1)\n"
    )
}

/// Code and line of each warning.
fn warnings(folder: &Folder, text: &str) -> Vec<(String, u64)> {
    let file = folder.write("k.visaasm", text);
    let output = kiln(&["--format", "json", "check", "--lint", &file]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["errors"], 0, "{document}");
    let all = document["diagnostics"].as_array().unwrap().iter();
    let all = all.map(|d| {
        (
            d["code"].as_str().unwrap().to_string(),
            d["line"].as_u64().unwrap_or(0),
        )
    });
    all.filter(|(code, _)| code.starts_with("W01")).collect()
}

#[test]
fn lints_find_what_they_say_and_nothing_else() {
    let folder = Folder::new("lints");
    let declarations = ".decl V32 v_type=G type=d num_elts=8 align=GRF\n.decl V33 v_type=G type=d num_elts=8 align=GRF\n\
        .decl V34 v_type=G type=d num_elts=80 align=GRF\n.decl P1 v_type=P num_elts=8\n";
    let of = |code: &str| warnings(&folder, &kernel(declarations, code));
    let found = |code: &str, lint: &str| of(code).iter().filter(|(c, _)| c == lint).count();
    let write = "    mov (M1, 8) V32(0,0)<1> 0x1:d\n";
    let read = "    mov (M1, 8) V33(0,0)<1> V32(0,0)<1;1,0>\n";
    assert_eq!(found(read, "W0101"), 1);
    assert_eq!(found(&format!("{write}{read}"), "W0101"), 0);
    assert_eq!(found(&format!("{read}{write}"), "W0101"), 1);
    assert_eq!(found(write, "W0102"), 1);
    assert_eq!(
        found(&format!("{write}{read}"), "W0102"),
        1,
        "V33 is not read"
    );
    let mad = |row: u32| {
        format!("    mad (M1, 8) V32(0,0)<1> V33(0,0)<1;1,0> V34(0,0)<1;1,0> V34({row},0)<1;1,0>\n")
    };
    assert_eq!(found(&mad(2), "W0104"), 1);
    assert_eq!(found(&mad(4), "W0104"), 1);
    assert_eq!(found(&mad(3), "W0104"), 0);
    assert_eq!(found(&mad(0), "W0104"), 0);
    // A value that all paths write over, or that no path to its read writes.
    let again = format!("{write}{write}    mov (M1, 8) V33(0,0)<1> V32(0,0)<1;1,0>\n");
    assert_eq!(found(&again, "W0102"), 2, "the first write, and V33");
    let branches = |yes: &str, no: &str, after: &str| {
        format!(
            "{COMPARE}    (!P1) goto (M1, 8) L1\n{yes}    goto (M1, 8) L2\nL1:\n{no}L2:\n{after}"
        )
    };
    assert_eq!(found(&branches(write, read, ""), "W0101"), 2, "V33 and V32");
    assert_eq!(found(&branches(write, "", read), "W0101"), 2);
    assert_eq!(found(&branches(write, write, read), "W0101"), 1);
    let round = |first: &str, second: &str| {
        format!("L1:\n{first}{second}{COMPARE}    (P1) goto (M1, 8) L1\n")
    };
    assert_eq!(found(&round(read, write), "W0101"), 1);
    assert_eq!(found(&round(write, read), "W0101"), 0);
}

/// A predicate that differs between channels.
const COMPARE: &str = "    cmp.lt (M1, 8) P1 V33(0,0)<1;1,0> 0x1:d\n";

#[test]
fn barriers_in_divergent_code_are_found_along_paths() {
    let folder = Folder::new("barriers");
    let declarations = ".decl V32 v_type=G type=d num_elts=8 align=GRF\n.decl V33 v_type=G type=d num_elts=8 align=GRF\n\
        .decl P1 v_type=P num_elts=8\n.decl P2 v_type=P num_elts=8\n";
    let found = |code: &str| {
        let all = warnings(&folder, &kernel(declarations, code));
        all.iter().filter(|(code, _)| code == "W0103").count()
    };
    let skip = |compare: &str, inside: &str, after: &str| {
        format!("{compare}    (P1) goto (M1, 8) L1\n{inside}L1:\n{after}")
    };
    let barrier = "    barrier\n";
    assert_eq!(found(&skip(COMPARE, barrier, "")), 1);
    assert_eq!(found(&skip(COMPARE, "", barrier)), 0);
    // One element that all channels read, and a variable with that value in each channel.
    let one = "    cmp.lt (M1, 8) P1 V33(0,0)<0;1,0> 0x1:d\n";
    let copied = "    mov (M1, 8) V32(0,0)<1> V33(0,0)<0;1,0>\n    cmp.lt (M1, 8) P1 V32(0,0)<1;1,0> 0x1:d\n";
    let elements = "    mov (M1, 1) V32(0,0)<1> V33(0,0)<0;1,0>\n    cmp.lt (M1, 8) P1 V32(0,0)<1;1,0> 0x1:d\n";
    let bits = "    setp (M1, 8) P1 V33(0,0)<0;1,0>\n";
    for (compare, is_found) in [(one, 0), (copied, 0), (elements, 1), (bits, 1)] {
        assert_eq!(found(&skip(compare, barrier, "")), is_found, "{compare}");
    }
    // Channels that write a variable alone make it differ.
    let some =
        format!("{COMPARE}    (P1) goto (M1, 8) L2\n    mov (M1, 8) V32(0,0)<1> 0x2:d\nL2:\n");
    let other = "    cmp.lt (M1, 8) P1 V32(0,0)<1;1,0> 0x1:d\n";
    let before = "    mov (M1, 8) V32(0,0)<1> 0x1:d\n";
    assert_eq!(
        found(&format!("{before}{some}{}", skip(other, barrier, ""))),
        1
    );
    assert_eq!(found(&format!("{before}{}", skip(other, barrier, ""))), 0);
    // A loop that channels leave one by one, and one that all leave at once.
    let round = |compare: &str| format!("L1:\n{barrier}{compare}    (P1) goto (M1, 8) L1\n");
    assert_eq!(found(&round(COMPARE)), 1);
    assert_eq!(found(&round(one)), 0);
    // The branch is after the barrier, and so is where the channels meet.
    let inner = |compare: &str| {
        format!(
            "L2:\n{}    cmp.lt (M1, 8) P2 V33(0,0)<0;1,0> 0x7:d\n    (P2) goto (M1, 8) L2\n",
            skip(compare, "    mov (M1, 8) V32(0,0)<1> 0x2:d\n", barrier)
        )
    };
    assert_eq!(found(&inner(COMPARE)), 0);
    // Channels that returned are not at a barrier.
    assert_eq!(
        found(&format!("{COMPARE}    (P1) ret (M1, 8)\n{barrier}")),
        1
    );
    // A subroutine, and a function, that divergent code calls.
    let call = |inside: &str, after: &str| {
        let sub = "    ret (M1, 1)\n.function \"s\"\ns:\n    barrier\n";
        format!("{}{sub}", skip(COMPARE, inside, after))
    };
    assert_eq!(found(&call("    call (M1, 8) s\n", "")), 1);
    assert_eq!(found(&call("", "    call (M1, 8) s\n")), 0);
}

#[test]
fn compiled_kernels_have_no_divergent_barrier() {
    for name in names() {
        let output = kiln(&[
            "--format",
            "json",
            "check",
            "--lint",
            &example(&name, "visaasm"),
        ]);
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let all = document["diagnostics"].as_array().unwrap();
        assert!(
            all.iter()
                .all(|d| d["code"] != "W0103" && d["code"] != "W0101"),
            "{name}: {document}"
        );
    }
}

#[test]
fn remarks_say_what_was_spilled_and_where() {
    let folder = Folder::new("remarks");
    let nbody = example("nbody", "visaasm");
    let (out, remarks) = (folder.path("out.bin"), folder.path("k.opt.yaml"));
    let line = [
        "compile",
        &nbody,
        "-p",
        "skl",
        "--grf-limit",
        "32",
        "-o",
        &out,
        "--remarks",
        &remarks,
    ];
    pass(&line);
    let text = fs::read_to_string(&remarks).unwrap();
    let source = fs::read_to_string(&nbody).unwrap();
    let (mut spilled, mut named) = (0, 0);
    for document in text.split("...\n").filter(|document| !document.is_empty()) {
        let (kind, body) = document.split_once('\n').unwrap();
        assert!(
            ["--- !Missed", "--- !Passed", "--- !Analysis"].contains(&kind),
            "{kind}"
        );
        let body: serde_norway::Value = serde_norway::from_str(body).unwrap();
        // Viewers leave out what has no place.
        let place = &body["DebugLoc"];
        assert!(
            place["File"]
                .as_str()
                .is_some_and(|file| file.ends_with("nbody.visaasm"))
        );
        assert!(place["Line"].as_u64() > Some(0), "{document}");
        for key in ["Pass", "Name", "Function"] {
            assert!(body[key].is_string(), "{document}");
        }
        for arg in body["Args"].as_sequence().unwrap() {
            let arg = arg.as_mapping().unwrap();
            assert!(arg.len() == 1 && arg.values().all(serde_norway::Value::is_string));
        }
        if body["Name"] == "Spilled" {
            spilled += 1;
            // Values have the names that the source declares.
            let args = body["Args"].as_sequence().unwrap();
            let values = args.iter().find_map(|arg| arg["Values"].as_str()).unwrap();
            for name in values.split(", ") {
                let is_own = name == "r0" || name.starts_with("a temporary of instruction ");
                named += usize::from(!is_own);
                assert!(
                    is_own || source.contains(&format!(".decl {name} ")),
                    "{values}"
                );
            }
        }
    }
    assert!(spilled > 0 && named > spilled / 2, "{text}");
    assert!(text.contains("Allocation"));
}

#[test]
fn what_does_not_matter_is_removed() {
    let folder = Folder::new("reduce");
    let saxpy = example("saxpy", "visaasm");
    let small = folder.path("small.visaasm");
    let source = fs::read_to_string(&saxpy).unwrap();
    // The longest line is what matters.
    let word = source.lines().max_by_key(|line| line.len()).unwrap();
    let needle = folder.write("needle", word);
    let test = format!("grep -qFf '{needle}' {{}}");
    let said = pass(&[
        "--format", "json", "reduce", &saxpy, "--test", &test, "-o", &small,
    ]);
    assert_eq!(fs::read_to_string(&small).unwrap(), format!("{word}\n"));
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        (said["lines"].as_u64(), said["is_minimal"].as_bool()),
        (Some(1), Some(true))
    );
    // Each line that is left is needed.
    let program = env!("CARGO_BIN_EXE_kiln");
    let test = format!("'{program}' check {{}} && grep -q 'ret' {{}} && grep -q 'mad\\|mul' {{}}");
    let nbody = examples().join("nbody/nbody.visaasm").display().to_string();
    pass(&["reduce", &nbody, "--test", &test, "-o", &small]);
    let left = fs::read_to_string(&small).unwrap();
    assert!(
        left.lines().count() * 4 < fs::read_to_string(&nbody).unwrap().lines().count(),
        "{left}"
    );
    pass(&["check", &small]);
    let output = kiln(&["reduce", &saxpy, "--test", "false", "-o", &small]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("the failure is not there"));
}
