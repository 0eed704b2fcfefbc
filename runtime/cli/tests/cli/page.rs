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
