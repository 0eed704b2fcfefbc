//! Pictures of code: `kiln report`, `kiln cost --timeline`, `kiln inspect --cfg`. `.ci/page` uses the page in a browser.

use std::fs;

use flate2::read::DeflateDecoder;
use serde_json::Value;

use crate::program::{Folder, example, examples, kiln, names, pass, text};

/// The data of a page.
fn data(page: &str) -> Value {
    let html = fs::read_to_string(page).unwrap();
    let start = "<script id=\"data\" type=\"application/octet-stream\">";
    let data = html.split(start).nth(1).unwrap();
    let letters = data
        .split("</script>")
        .next()
        .unwrap()
        .trim_end_matches('=');
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::new();
    for four in letters.as_bytes().chunks(4) {
        let word = four
            .iter()
            .fold(0, |word, letter| word << 6 | u32::from(value(*letter)));
        let word = (word << (6 * (4 - four.len()))).to_be_bytes();
        bytes.extend_from_slice(&word[1..four.len()]);
    }
    serde_json::from_reader(DeflateDecoder::new(&bytes[..])).unwrap()
}

/// A page needs nothing from outside, and has what `live`, `cost` and `disasm` say.
#[test]
fn a_page_has_everything_in_it() {
    let folder = Folder::new("page");
    let page = folder.path("n.html");
    let object = example("nbody", "zebin");
    pass(&["report", &object, "-o", &page]);
    let html = fs::read_to_string(&page).unwrap();
    for outside in ["src=", "href=", "@import", "fetch("] {
        assert!(!html.contains(outside), "{outside}");
    }
    // The name of SVG, which nobody fetches.
    let places = html.matches("://").count();
    assert_eq!(places, html.matches("http://www.w3.org/2000/svg").count());
    let piece = &data(&page)["inputs"][0][0];
    let live: Value = serde_json::from_str(&pass(&["live", &object, "--format", "json"])).unwrap();
    assert_eq!(piece["peak"], live[0]["peak"]);
    let grfs: Vec<&Value> = live[0]["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| &point["grfs"])
        .collect();
    assert_eq!(
        piece["live"].as_array().unwrap().iter().collect::<Vec<_>>(),
        grfs
    );
    let cost: Value = serde_json::from_str(&pass(&["cost", &object, "--format", "json"])).unwrap();
    assert_eq!(piece["cycles"], cost[0]["cycles"]);
    assert_eq!(piece["lines"].as_str().unwrap().lines().count(), grfs.len());
}

/// vISA brings its own column, and names of values.
#[test]
fn a_page_of_visa_has_names() {
    let folder = Folder::new("page-visa");
    let page = folder.path("n.html");
    pass(&[
        "report",
        &example("nbody", "visaasm"),
        "-p",
        "skl,icllp",
        "-o",
        &page,
    ]);
    let data = data(&page);
    assert_eq!(data["inputs"].as_array().unwrap().len(), 2);
    for input in data["inputs"].as_array().unwrap() {
        let piece = &input[0];
        let visa = piece["visa"].as_array().unwrap();
        let of = piece["ofVisa"].as_array().unwrap();
        assert_eq!(of.len(), piece["live"].as_array().unwrap().len());
        assert!(of.iter().all(|n| n.as_i64().unwrap() < visa.len() as i64));
        let names: Vec<&str> = piece["names"]
            .as_object()
            .unwrap()
            .values()
            .map(|name| name.as_str().unwrap())
            .collect();
        assert!(names.len() > 20, "{names:?}");
    }
    let many = [
        example("nbody", "zebin"),
        example("saxpy", "zebin"),
        example("switch", "zebin"),
        example("sgemm", "zebin"),
    ];
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let output = kiln(&[&["report", "-o", &page][..], &many].concat());
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

/// A variable is in the registers that the code of its instruction writes, and in the slots to which it is stored.
#[test]
fn variables_have_places() {
    let line = [
        "live",
        &example("intmix", "visaasm"),
        "-p",
        "skl",
        "--format",
        "json",
    ];
    let pieces: Value = serde_json::from_str(&pass(&line)).unwrap();
    let variables = pieces[0]["variables"].as_array().unwrap();
    assert!(variables.len() > 50, "{}", variables.len());
    let count = pieces[0]["instructions"].as_u64().unwrap();
    for variable in variables {
        for held in variable["registers"].as_array().unwrap() {
            let (from, to) = (held["from"].as_u64().unwrap(), held["to"].as_u64().unwrap());
            assert!(from <= to && to < count, "{variable}");
        }
    }
    let shown = pass(&["live", &example("intmix", "visaasm"), "-p", "skl"]);
    let table = shown.split("// live at instruction").nth(1).unwrap();
    let value = pieces[0]["values"]
        .as_array()
        .unwrap()
        .iter()
        .find_map(|value| value["name"].as_str());
    assert!(table.contains(value.unwrap()), "{table}");
}

/// The steps of a timeline sum up to the estimate, and each waits for an earlier instruction of its block.
#[test]
fn a_timeline_sums_up_to_the_estimate() {
    let mut loops = 0;
    for name in names() {
        for folder in [".", "bmg", "dg2"] {
            let object = examples()
                .join(&name)
                .join(folder)
                .join(format!("{name}.zebin"))
                .display()
                .to_string();
            if !fs::exists(&object).unwrap() {
                continue;
            }
            let rows: Value =
                serde_json::from_str(&pass(&["cost", &object, "--timeline", "--format", "json"]))
                    .unwrap();
            let row = &rows[0];
            let steps = row["timeline"]["steps"].as_array().unwrap();
            assert_eq!(steps.len() as u64, row["instructions"].as_u64().unwrap());
            let part = |step: &Value, name: &str| step["cycles"][name].as_f64().unwrap();
            let cycles = |step: &Value| {
                ["issue", "banks", "results", "messages", "units"]
                    .iter()
                    .map(|name| part(step, name))
                    .sum::<f64>()
            };
            let sum: f64 = steps
                .iter()
                .map(|step| cycles(step) * step["weight"].as_f64().unwrap())
                .sum();
            assert!(
                (sum - row["cycles"].as_f64().unwrap()).abs() < 1e-6 * sum,
                "{object}"
            );
            for block in row["blocks"].as_array().unwrap() {
                let first = block["first"].as_u64().unwrap();
                let mut now = 0.0;
                for at in first..first + block["instructions"].as_u64().unwrap() {
                    let step = &steps[at as usize];
                    assert_eq!(step["start"].as_f64().unwrap(), now, "{object} {at}");
                    now += cycles(step);
                    let waits = part(step, "results") + part(step, "messages") > 0.0;
                    assert_eq!(waits, !step["stalled_by"].is_null(), "{object} {at}");
                    if let Some(by) = step["stalled_by"].as_u64() {
                        assert!((first..at).contains(&by), "{object} {at}: {by}");
                    }
                }
            }
            loops += row["timeline"]["loops"].as_array().unwrap().len();
        }
    }
    assert!(loops > 20, "{loops}");
}

/// Zeros after the code are padding, wherever machine code is read.
#[test]
fn padding_is_no_error() {
    let folder = Folder::new("padding");
    let mut code = fs::read(example("saxpy", "dat")).unwrap();
    code.extend([0; 256]);
    let padded = folder.write("padded.bin", &code);
    for verb in ["cost", "live", "disasm"] {
        pass(&[verb, &padded, "-p", "skl"]);
    }
}

/// A picture of control flow has the blocks and edges that a graph for Graphviz has.
#[test]
fn control_flow_is_drawn() {
    let folder = Folder::new("control-flow");
    for input in [
        vec![example("nested_loops", "zebin")],
        vec![
            example("nested_loops", "visaasm"),
            "-p".to_string(),
            "skl".to_string(),
        ],
    ] {
        let input: Vec<&str> = input.iter().map(String::as_str).collect();
        let draw = |form: &str| pass(&[&["inspect", "--cfg", form][..], &input].concat());
        let (dot, svg) = (draw("dot"), draw("svg"));
        let edges = dot.matches(" -> ").count();
        assert!(edges > 5, "{dot}");
        assert_eq!(svg.matches("marker-end").count(), edges);
        assert_eq!(svg.matches("<g>").count(), dot.matches("[label=").count());
        // Loops have a colour of their own.
        assert!(
            svg.contains("#8659b8")
                && svg.starts_with("<svg")
                && svg.trim_end().ends_with("</svg>")
        );
        let file = folder.path("x.svg");
        pass(&[&["inspect", "--cfg", "svg", "-o", &file][..], &input].concat());
        assert_eq!(fs::read_to_string(&file).unwrap(), svg);
    }
    let calls = pass(&[
        "inspect",
        &example("nbody", "visaasm"),
        "--callgraph",
        "svg",
    ]);
    assert!(calls.starts_with("<svg") && calls.contains(">nbody<"));
}

/// Before allocation, a picture has the blocks and edges of the dump of the last pass, and after it the same blocks; in none
/// live more registers than allocation says it used. What is compiled has the picture of its machine code.
#[test]
fn control_flow_of_machine_ir_is_drawn() {
    let folder = Folder::new("control-flow-stages");
    let object = folder.path("x.bin");
    for (name, platform) in [
        ("nested_loops", "skl"),
        ("intmix", "skl"),
        ("sgemm", "skl"),
        ("prefix_sum", "icllp"),
    ] {
        let input = example(name, "visaasm");
        let draw = |stage: &str| {
            pass(&[
                "inspect", "--cfg", "dot", "--stage", stage, &input, "-p", platform,
            ])
        };
        let blocks = |dot: &str| dot.matches("[label=").count();
        // Labels have arrows, too.
        let is_edge = |line: &&str| line.trim().starts_with('n') && !line.contains('[');
        let edges = |dot: &str| dot.lines().filter(is_edge).count();
        let grfs = |dot: &str| {
            let words = dot
                .split("\\l")
                .filter_map(|line| line.strip_suffix(" GRFs"));
            let all = words.map(|word| word.parse::<u32>().unwrap());
            all.collect::<Vec<_>>()
        };
        let dump = pass(&["compile", "--dump", "remat", &input, "-p", platform]);
        let headings = dump.lines().filter(|line| line.starts_with("block"));
        let ways = dump.lines().filter_map(|line| line.split_once(" -> "));
        let ways: usize = ways.map(|(_, to)| to.matches("block").count()).sum();
        let before = draw("isel");
        assert_eq!((blocks(&before), edges(&before)), (headings.count(), ways));
        let (code, json) = (folder.path("x.bin"), folder.path("x.json"));
        pass(&[
            "compile", "-q", &input, "-p", platform, "-o", &code, "--json", &json,
        ]);
        let stats: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
        let used = stats[0]["grf_used"].as_u64().unwrap() as u32;
        let after = draw("ra");
        let live = grfs(&after);
        assert_eq!(live.len(), blocks(&after));
        assert!(live.iter().all(|live| *live <= used), "{used}: {live:?}");
        let numbers = |dot: &str| {
            let labels = dot.split("[label=\"block").skip(1);
            let numbers = labels.map(|label| label.split(':').next().unwrap().parse().unwrap());
            numbers.collect::<std::collections::BTreeSet<u32>>()
        };
        // Blocks without instructions are in none of the code.
        assert!(numbers(&after).is_subset(&numbers(&before)));
        pass(&["compile", "-q", &input, "-p", platform, "-o", &object]);
        let of_code = pass(&["inspect", "--cfg", "dot", &object, "-p", platform]);
        let graph = |dot: &str| dot.lines().skip(1).map(str::to_string).collect::<Vec<_>>();
        assert_eq!(graph(&draw("asm")), graph(&of_code));
    }
    let out = kiln(&[
        "inspect",
        "--cfg",
        "dot",
        "--stage",
        "ra",
        &example("saxpy", "zebin"),
    ]);
    assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("machine code has no earlier stage"));
    let several = folder.path("s.svg");
    let saxpy = example("saxpy", "visaasm");
    pass(&[
        "inspect",
        "--cfg",
        "svg",
        "--stage",
        "isel",
        &saxpy,
        "-p",
        "skl,icllp",
        "-o",
        &several,
    ]);
    for (n, platform) in [(0, "skl"), (1, "icllp")] {
        let svg = fs::read_to_string(folder.path(&format!("s-{n}.svg"))).unwrap();
        assert!(svg.contains(&format!("saxpy, before allocation ({platform})")));
    }
}

/// Names inside of an object file are those of the side file, and go away with the code that they are of.
#[test]
fn names_of_variables_are_inside_of_an_object_file() {
    let folder = Folder::new("names-inside");
    let visa = example("intmix", "visaasm");
    let info = example("intmix", "zebin");
    let (object, plain, side) = (
        folder.path("x.zebin"),
        folder.path("y.zebin"),
        folder.path("names.json"),
    );
    let compile = |out: &str, more: &[&str]| {
        pass(
            &[
                &[
                    "compile", "-q", &visa, "-p", "skl", "--info", &info, "-o", out,
                ],
                more,
            ]
            .concat(),
        )
    };
    compile(&object, &["--embed-names"]);
    compile(&plain, &["--names", &side]);
    let values = |args: &[&str]| {
        let json = pass(&[&["live", "--format", "json"], args].concat());
        let document: Value = serde_json::from_str(&json).unwrap();
        document[0]["values"].clone()
    };
    let inside = values(&[&object]);
    assert_eq!(inside, values(&[&plain, "--names", &side]));
    assert_ne!(inside, values(&[&plain]));
    let name = inside
        .as_array()
        .unwrap()
        .iter()
        .filter(|value| !value["writes"].as_array().unwrap().is_empty())
        .find_map(|value| value["name"].as_str())
        .unwrap();
    let listing = pass(&["disasm", "--live", &object]);
    let has = |text: &str| {
        text.lines().any(|line| {
            let names = line
                .split_once("// live ")
                .and_then(|(_, live)| live.split_once("; "));
            names.is_some_and(|(_, names)| names.split(", ").any(|one| one == name))
        })
    };
    assert!(has(&listing), "{name}: {listing}");
    assert!(!has(&pass(&["disasm", "--live", &plain])));
    let json = pass(&["disasm", "--live", "--format", "json", &object]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let insts = json["files"][0]["units"][0]["instructions"]
        .as_array()
        .unwrap();
    assert!(insts.iter().any(|inst| {
        inst["names"]
            .as_array()
            .is_some_and(|n| n.iter().any(|n| n == name))
    }));
    let page = folder.path("x.html");
    pass(&["report", &object, "-o", &page]);
    let names = data(&page)["inputs"][0][0]["names"].clone();
    assert!(
        names.as_object().unwrap().values().any(|one| one == name),
        "{names}"
    );
    // The code is that without names, and a listing of other code takes them away.
    let asm = folder.write("x.asm", pass(&["disasm", &object]));
    assert_eq!(pass(&["disasm", &plain]), fs::read_to_string(&asm).unwrap());
    let changed = folder.path("z.zebin");
    pass(&["asm", &asm, "--into", &object, "-o", &changed]);
    assert_eq!(values(&[&changed]), values(&[&plain]));
    // A damaged section is none.
    let mut bytes = fs::read(&object).unwrap();
    let at = bytes
        .windows(10)
        .position(|bytes| bytes == b"\"variables")
        .unwrap();
    bytes[at + 1] = b'\\';
    let damaged = folder.write("w.zebin", bytes);
    assert_eq!(values(&[&damaged]), values(&[&plain]));
    let out = kiln(&[
        "compile",
        "-q",
        &visa,
        "-p",
        "skl",
        "--embed-names",
        "-o",
        &folder.path("x.bin"),
    ]);
    assert_eq!(out.status.code(), Some(2));
}
