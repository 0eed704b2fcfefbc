//! `kiln pressure` and `kiln sweep`: register figures, computed by hand and compared with each other.

use std::fs;

use serde_json::Value;

use crate::program::{Folder, example, examples, fail, fixture, kiln, pass};

/// Eight values of 16 dwords, defined on two source lines and read on the third. All instructions are legal, and
/// nothing is redundant.
fn eight(folder: &Folder) -> String {
    let mut text = String::from(
        ".version 3.6\n.kernel \"eight\"\n\
         .decl A v_type=G type=d num_elts=16 align=GRF\n\
         .decl OUT v_type=T num_elts=1 v_name=OUT\n.input A offset=64 size=64\n.kernel_attr Target=\"cm\"\n.kernel_attr SimdSize=16\n",
    );
    for n in 0..8 {
        text += &format!(".decl B{n} v_type=G type=d num_elts=16 align=GRF\n");
    }
    text += "FILE \"/where/eight.cl\"\n";
    for n in 0..8 {
        text += &format!("LOC {}\n", 10 + n / 4);
        text += &format!("mul (M1, 16) B{n}(0,0)<1> A(0,0)<1;1,0> 0x{n:x}3:w\n");
    }
    text += "LOC 30\n";
    for n in 0..8 {
        text += &format!("oword_st (4) OUT 0x{n:x}0:ud B{n}.0\n");
    }
    text += "ret (M1, 1)\n";
    folder.write("eight.visaasm", text)
}

#[test]
fn pressure_is_shown_along_the_code() {
    let folder = Folder::new("pressure");
    let input = eight(&folder);
    let [json, csv, svg] = ["p.json", "p.csv", "p.svg"].map(|name| folder.path(name));
    let shown = pass(&[
        "pressure", "-p", "skl", &input, "--json", &json, "--csv", &csv, "--svg", &svg, "--rows",
        "5",
    ]);
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[0].starts_with("eight: at most "), "{shown}");
    assert_eq!(lines.iter().filter(|line| line.contains('█')).count(), 5);
    assert!(shown.contains("eight.cl:11"), "{shown}");

    let profiles: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    let profile = &profiles[0];
    assert_eq!(profile["files"], serde_json::json!(["/where/eight.cl"]));
    let points = profile["points"].as_array().unwrap();
    // The products in order, two GRFs each.
    let product = |n: usize| {
        let text = |p: &&Value| p["text"].as_str().unwrap().contains(" mul ");
        points.iter().filter(text).nth(n).unwrap()
    };
    for n in 0..8 {
        let [first, this] = [0, n].map(|n| product(n)["grfs"].as_u64().unwrap());
        assert_eq!(this, first + 2 * n as u64);
        assert_eq!(product(n)["source"], serde_json::json!([0, 10 + n / 4]));
    }
    let peak = profile["peak"].as_u64().unwrap() as usize;
    let most = points.iter().map(|p| p["grfs"].as_u64().unwrap()).max();
    assert_eq!(points[peak]["grfs"].as_u64(), most);
    let values = profile["values"].as_array().unwrap();
    let sum: u64 = values.iter().map(|v| v["grfs"].as_u64().unwrap()).sum();
    assert_eq!(Some(sum), most);
    assert_eq!(
        fs::read_to_string(csv).unwrap().lines().count(),
        points.len() + 1
    );
    assert!(fs::read_to_string(svg).unwrap().starts_with("<svg"));
}

/// The values live at a given instruction: at the first product, only its operands.
#[test]
fn pressure_lists_what_lives_at_an_instruction() {
    let folder = Folder::new("pressure_at");
    let input = eight(&folder);
    let json = folder.path("p.json");
    let at = |instruction: &str| -> Value {
        pass(&[
            "pressure",
            "-p",
            "skl",
            &input,
            "--at",
            instruction,
            "--json",
            &json,
        ]);
        let profiles: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
        profiles[0].clone()
    };
    // FILE and LOC are instructions: the products are 2, 4, ...
    let (first, last) = (at("2"), at("16"));
    let products = |profile: &Value| {
        let points = profile["points"].as_array().unwrap().clone();
        let of = |value: &Value| {
            let since = value["since"].as_u64()?;
            let text = points[since as usize]["text"].as_str()?.to_string();
            text.contains(" mul ").then_some(())
        };
        profile["values"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(of)
            .count()
    };
    assert_eq!((products(&first), products(&last)), (0, 7));
    // FILE makes no code, and an instruction that is not there is a mistake.
    let shown = pass(&["pressure", "-p", "skl", &input, "--at", "0"]);
    assert!(
        shown.contains("no code comes from that instruction"),
        "{shown}"
    );
    let output = kiln(&["pressure", "-p", "skl", &input, "--at", "1000"]);
    assert_eq!(output.status.code(), Some(2));
}

/// In the first part of an `if`, the value that only the second part reads is kept for the channels that wait; with few
/// registers something is in memory.
/// A slot that is live to the end of its function.
#[test]
fn pressure_is_shown_of_code_that_spills_to_its_end() {
    let input = fixture("programs/found/function-called-again-by-address.visaasm");
    let shown = pass(&["pressure", "-p", "skl", &input]);
    assert!(shown.contains("GRFs live"), "{shown}");
}

#[test]
fn pressure_says_why_a_value_is_kept() {
    let folder = Folder::new("pressure_kept");
    let mut text = String::from(
        ".version 3.6\n.kernel \"parts\"\n\
         .decl A v_type=G type=d num_elts=16 align=GRF\n\
         .decl B v_type=G type=d num_elts=16 align=GRF\n\
         .decl C v_type=G type=d num_elts=16 align=GRF\n\
         .decl P v_type=P num_elts=16\n\
         .decl OUT v_type=T num_elts=1 v_name=OUT\n.input A offset=64 size=64\n.kernel_attr Target=\"cm\"\n.kernel_attr SimdSize=16\n",
    );
    text += "mul (M1, 16) B(0,0)<1> A(0,0)<1;1,0> A(0,0)<1;1,0>\n\
             cmp.gt (M1, 16) P A(0,0)<1;1,0> 0x7:d\n\
             (P) goto (M1, 16) second\n\
             xor (M1, 16) C(0,0)<1> A(0,0)<1;1,0> 0x5:d\n\
             goto (M1, 16) end\n\
             second:\n\
             add (M1, 16) C(0,0)<1> B(0,0)<1;1,0> 0x3:d\n\
             end:\n\
             oword_st (4) OUT 0x0:ud C.0\n\
             ret (M1, 1)\n";
    let input = folder.write("parts.visaasm", text);
    let json = folder.path("p.json");
    let kept = |at: &str, by: &str| -> Value {
        let shown = pass(&["pressure", "-p", "skl", &input, "--at", at, "--json", &json]);
        assert!(
            shown.contains("reserved 4, of variables whose address is taken 0"),
            "{shown}"
        );
        let profiles: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
        let points = &profiles[0]["points"];
        let values = profiles[0]["values"].as_array().unwrap();
        let defined_by = |value: &&Value| {
            let since = value["since"].as_u64();
            since.is_some_and(|at| points[at as usize]["text"].as_str().unwrap().contains(by))
        };
        values.iter().find(defined_by).unwrap()["kept"].clone()
    };
    assert_eq!(kept("3", " mul "), "waiting");
    assert_eq!(kept("6", " mul "), "active");
}

/// Spill slots are named with their messages: as many as the compilation has.
#[test]
fn pressure_says_what_is_in_memory() {
    let folder = Folder::new("pressure_memory");
    let [json, stats] = ["p.json", "s.json"].map(|name| folder.path(name));
    let input = example("sgemm", "visaasm");
    for allocator in ["scan", "ion"] {
        let limit = ["--grf-limit", "32"];
        let args = [
            "pressure",
            "-p",
            "skl",
            &input,
            "--allocator",
            allocator,
            "--json",
            &json,
        ];
        let shown = pass(&[&args[..], &limit].concat());
        assert!(shown.contains("in memory"), "{shown}");
        let profiles: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
        let stored = profiles[0]["stored"].as_array().unwrap();
        let sum = |name: &str| {
            stored
                .iter()
                .map(|slot| slot[name].as_u64().unwrap())
                .sum::<u64>()
        };
        let out = folder.path("k.bin");
        let args = [
            "compile",
            "-p",
            "skl",
            &input,
            "--allocator",
            allocator,
            "-o",
            &out,
        ];
        let stats_of = ["--stats", &stats];
        pass(&[&args[..], &limit, &stats_of].concat());
        let figures: Value = serde_json::from_slice(&fs::read(&stats).unwrap()).unwrap();
        let figures = &figures[0];
        assert!(sum("loads") > 0, "{allocator}");
        assert_eq!(
            figures["spills"].as_u64(),
            Some(sum("stores")),
            "{allocator}"
        );
        assert_eq!(figures["fills"].as_u64(), Some(sum("loads")), "{allocator}");
    }
}

#[test]
fn a_sweep_says_what_each_size_costs() {
    let folder = Folder::new("sweep");
    let [csv, json, svg] = ["s.csv", "s.json", "s.svg"].map(|name| folder.path(name));
    let input = example("sgemm", "visaasm");
    let shown = pass(&[
        "sweep",
        "-p",
        "skl",
        &input,
        "--grf-limit",
        "32,128",
        "--allocator",
        "scan,ion",
        "--csv",
        &csv,
        "--json",
        &json,
        "--svg",
        &svg,
    ]);
    let heading = "allocator without GRFs instructions bytes moves spills fills spill bytes cycles ms too few";
    let lines: Vec<String> = (shown.lines())
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(lines[0], heading);
    assert_eq!(lines.len(), 5);
    let rows: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    let figure = |row: usize, name: &str| rows[row]["figures"][name].as_u64().unwrap();
    // `compile` gives the same figures.
    for (row, grfs, level) in [(0, "32", "2"), (1, "128", "2")] {
        let stats = folder.path("stats.json");
        pass(&[
            "compile",
            "-p",
            "skl",
            &input,
            "--grf-limit",
            grfs,
            "-O",
            level,
            "--stats",
            &stats,
            "-o",
            &folder.path("k.bin"),
        ]);
        let stats: Value = serde_json::from_slice(&fs::read(stats).unwrap()).unwrap();
        for name in ["instructions", "bytes", "spills", "fills", "spill_bytes"] {
            assert_eq!(
                stats[0][name].as_u64(),
                Some(figure(row, name)),
                "{grfs}: {name}"
            );
        }
    }
    assert!(figure(0, "fills") > figure(1, "fills"));
    assert_eq!(fs::read_to_string(csv).unwrap().lines().count(), 5);
    assert!(fs::read_to_string(svg).unwrap().starts_with("<svg"));
}

/// A limit that is too low for a kernel is a result, and the sums leave that kernel out.
#[test]
fn a_sweep_goes_on_where_registers_are_too_few() {
    let folder = Folder::new("sweep_few");
    let stack = fixture("two_kernels/two.visaasm");
    let saxpy = example("saxpy", "visaasm");
    let alone = pass(&["sweep", "-p", "skl", &saxpy, "--grf-limit", "64,128"]);
    let both = pass(&[
        "sweep",
        "-p",
        "skl",
        &saxpy,
        &stack,
        "--grf-limit",
        "64,128",
    ]);
    let columns = |shown: &str, row: usize| -> Vec<String> {
        let line = shown.lines().nth(row).unwrap();
        line.split_whitespace().map(str::to_string).collect()
    };
    for row in [1, 2] {
        assert_eq!(columns(&alone, row)[..8], columns(&both, row)[..8]);
    }
    assert_eq!(columns(&both, 1).last().unwrap(), "1");
    fail(
        &folder,
        &["sweep", "-p", "skl", &saxpy, "--grf-limit", "12"],
        &["a limit of 12 registers"],
    );
}

/// The counts in machine code equal the compiler's figures. The estimate weighted with a run's counts is consistent: a
/// block that was executed n times takes n times its cycles.
#[test]
fn cost_counts_machine_code() {
    let folder = Folder::new("cost");
    let input = example("sgemm", "visaasm");
    let [code, stats, json] = ["k.bin", "stats.json", "cost.json"].map(|name| folder.path(name));
    pass(&[
        "compile",
        "-p",
        "skl",
        &input,
        "--grf-limit",
        "32",
        "-o",
        &code,
        "--stats",
        &stats,
    ]);
    pass(&["cost", "-p", "skl", &code, "--json", &json]);
    let read =
        |path: &String| -> Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    let (stats, cost) = (&read(&stats)[0], &read(&json)[0]);
    for name in [
        "instructions",
        "bytes",
        "spills",
        "fills",
        "spill_bytes",
        "cycles",
    ] {
        assert_eq!(stats[name].as_f64(), cost[name].as_f64(), "{name}");
    }
    assert!(cost["spills"].as_u64().unwrap() > 0);

    let zebin = example("saxpy", "zebin");
    let launch = examples().join("saxpy/launch.yaml").display().to_string();
    let counts = folder.path("counts.json");
    pass(&[
        "run",
        &zebin,
        "--launch",
        &launch,
        &format!("--stats={counts}"),
    ]);
    let executed = read(&counts);
    let once = pass(&["cost", &zebin]);
    let often = pass(&["cost", &zebin, "--counts", &counts, "--json", &json]);
    assert!(once.contains(".text.saxpy"), "{once}");
    assert!(often.contains(".text.saxpy"), "{often}");
    let cost = &read(&json)[0];
    let blocks = cost["blocks"].as_array().unwrap();
    let places = executed["by_place"].as_array().unwrap();
    // Padding follows the code.
    assert!(cost["instructions"].as_u64().unwrap() <= places.len() as u64);
    let all = blocks
        .iter()
        .map(|block| block["weight"].as_f64().unwrap() * block["instructions"].as_f64().unwrap());
    // No block of this kernel is left in the middle.
    assert_eq!(Some(all.sum()), executed["instructions"].as_f64());
    let few = folder.write("few.json", r#"{"kernel": "saxpy", "by_place": [1, 2]}"#);
    fail(
        &folder,
        &["cost", &zebin, "--counts", &few],
        &["of which 2 were counted"],
    );
}

/// Arrays stay in registers as long as allocation succeeds. In memory they are named, and the accesses to them count.
#[test]
fn arrays_in_memory_are_in_the_figures() {
    let folder = Folder::new("arrays-in-memory");
    let input = example("argmix", "visaasm");
    let [code, stats, json] = ["k.bin", "stats.json", "cost.json"].map(|name| folder.path(name));
    let figures = |limit: &str| {
        let args = ["compile", "-p", "skl", "--grf-limit", limit];
        pass(&[&args[..], &[&input, "-o", &code, "--stats", &stats]].concat());
        pass(&["cost", "-p", "skl", &code, "--json", &json]);
        [&stats, &json].map(|path| -> Value {
            let all: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
            all[0].clone()
        })
    };
    for (limit, arrays) in [("64", &[][..]), ("40", &["V0091", "V0092"])] {
        let [stats, cost] = figures(limit);
        assert_eq!(stats["arrays_in_memory"], serde_json::json!(arrays));
        for name in ["spills", "fills"] {
            assert_eq!(stats[name], cost[name], "{name} in {limit}");
            assert!(cost[name].as_u64() > Some(0), "{name} in {limit}");
        }
        let few = stats["instructions"].as_u64() < Some(400);
        assert_eq!(few, arrays.is_empty(), "in {limit}");
    }
}

/// Leaving a pass out changes the code; a folder gives the same result as its files.
#[test]
fn passes_may_be_left_out_of_a_corpus() {
    let folder = Folder::new("without");
    fs::create_dir(folder.path("corpus")).unwrap();
    for name in ["saxpy", "nbody", "mandelbrot"] {
        let text = fs::read(example(name, "visaasm")).unwrap();
        folder.write(&format!("corpus/{name}.visaasm"), text);
    }
    let corpus = folder.path("corpus");
    let [json, csv] = ["s.json", "s.csv"].map(|name| folder.path(name));
    let passes = "flags,short-ifs";
    let shown = pass(&[
        "sweep",
        &corpus,
        "-p",
        "skl",
        "--grf-limit",
        "128",
        "--without",
        passes,
        "--json",
        &json,
        "--csv",
        &csv,
    ]);
    assert_eq!(shown.lines().count(), 4, "{shown}");
    let rows: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    let sum = |without: Option<&str>| -> u64 {
        let rows = rows.as_array().unwrap().iter();
        let of = rows.filter(|row| row["without"].as_str() == without);
        of.map(|row| row["figures"]["instructions"].as_u64().unwrap())
            .sum()
    };
    assert!(sum(Some("flags")) > sum(None));
    assert_ne!(sum(Some("short-ifs")), sum(None));
    // `compile` without the pass gives the same figures.
    let [code, stats] = ["k.bin", "stats.json"].map(|name| folder.path(name));
    let nbody = example("nbody", "visaasm");
    pass(&[
        "compile",
        &nbody,
        "-p",
        "skl",
        "--without",
        "flags",
        "-o",
        &code,
        "--stats",
        &stats,
    ]);
    let stats: Value = serde_json::from_slice(&fs::read(stats).unwrap()).unwrap();
    let row = rows.as_array().unwrap().iter().find(|row| {
        row["kernel"].as_str() == Some("nbody") && row["without"].as_str() == Some("flags")
    });
    assert_eq!(
        row.unwrap()["figures"]["instructions"],
        stats[0]["instructions"]
    );
    let refused = kiln(&["compile", &nbody, "-p", "skl", "--without", "everything"]);
    assert_eq!(refused.status.code(), Some(2));

    // A line for each kernel, with the peak of its own profile.
    let shown = pass(&[
        "pressure",
        &corpus,
        "-p",
        "skl",
        "--summary",
        "--json",
        &json,
    ]);
    assert_eq!(shown.lines().count(), 4, "{shown}");
    let rows: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    let profile = folder.path("profile.json");
    pass(&["pressure", &nbody, "-p", "skl", "--json", &profile]);
    let profile: Value = serde_json::from_slice(&fs::read(profile).unwrap()).unwrap();
    let points = profile[0]["points"].as_array().unwrap();
    let peak = points.iter().map(|p| p["grfs"].as_u64().unwrap()).max();
    assert_eq!(rows[1]["kernel"], "nbody");
    assert_eq!(rows[1]["peak"].as_u64(), peak);
    assert_eq!(rows[1]["points"].as_u64(), Some(points.len() as u64));
    let only = pass(&["pressure", &corpus, "-p", "skl", "--summary", "--only", "s"]);
    assert_eq!(only.lines().count(), 2, "{only}");
}
