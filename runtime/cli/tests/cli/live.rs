//! `kiln live`: live registers, held against what machine code does when it is executed.

use std::collections::{BTreeMap, HashMap};
use std::fs;

use kiln_compile::{Input, Options, Session};
use kiln_emit::inst::{Inst, Op, Place};
use kiln_emit::listing;
use kiln_emit::live::{Live, Row, Touched, touched};
use kiln_emit::platform::{self, Platform};
use kiln_emit::zebin::Zebin;
use serde_json::Value;

use crate::program::{Folder, example, examples, kiln, names, pass, text};

/// Lines of a trace that are looked at.
const MAX_LINES: usize = 60_000;

/// The code of an object's only kernel.
fn code_of(path: &str, platform: &'static Platform) -> (Vec<Inst>, HashMap<u32, u32>) {
    let zebin = Zebin::parse(&fs::read(path).unwrap()).unwrap();
    let text = &zebin.kernels[0].text;
    let offsets = listing::entries(text, platform).map(|entry| entry.offset);
    let offsets = offsets.zip(0u32..).collect();
    (listing::insts(text, platform), offsets)
}

/// An executed instruction, with the lanes that wrote its general destination, if the trace has them.
struct Executed {
    at: u32,
    lanes: Option<Vec<bool>>,
}

/// The executed instructions of each thread.
fn threads(trace: &str, offsets: &HashMap<u32, u32>) -> Vec<Vec<Executed>> {
    let mut threads: HashMap<&str, Vec<Executed>> = HashMap::new();
    let mut thread = "";
    for line in trace.lines().take(MAX_LINES) {
        if let Some(written) = line.strip_prefix("    ") {
            let general = written
                .strip_prefix('r')
                .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            if let Some((_, values)) = general.and_then(|rest| rest.split_once(" ="))
                && let Some(last) = threads.get_mut(thread).and_then(|list| list.last_mut())
            {
                let lanes = values.split_whitespace().map(|value| value != "-");
                last.lanes.get_or_insert(lanes.collect());
            }
            continue;
        }
        let mut words = line.split_whitespace();
        let (Some(who), Some(at)) = (words.next(), words.next()) else {
            continue;
        };
        let at = at
            .strip_prefix("0x")
            .and_then(|at| u32::from_str_radix(at, 16).ok());
        let Some(at) = at.and_then(|at| offsets.get(&at)) else {
            continue;
        };
        thread = who;
        threads.entry(who).or_default().push(Executed {
            at: *at,
            lanes: None,
        });
    }
    threads.into_values().collect()
}

/// The first read of a byte that was not live all the time since its last write, and the number of bytes that were read.
fn check(
    code: &[Inst],
    platform: &Platform,
    live: &Live,
    trace: &[Executed],
) -> (Option<String>, usize) {
    let mut rows: Vec<Row> = live.spans.iter().map(|span| span.row).collect();
    rows.dedup();
    let accesses: Vec<Touched> = code.iter().map(|inst| touched(inst, platform)).collect();
    let mut written: HashMap<(Row, u32), usize> = HashMap::new();
    let mut dead: HashMap<Row, usize> = HashMap::new();
    // The channels that a thread has: those of the first masked instructions.
    let mut dispatched: HashMap<(u8, u8), Vec<bool>> = HashMap::new();
    let mut count = 0;
    for (time, Executed { at, lanes }) in trace.iter().enumerate() {
        let inst = &code[*at as usize];
        let Touched { reads, writes } = &accesses[*at as usize];
        for row in rows.iter().filter(|row| live.span(**row, *at).is_none()) {
            dead.insert(*row, time);
        }
        let selects = matches!(inst.op, Op::Sel | Op::Csel);
        let plain = inst.pred.is_none() || selects;
        let key = (inst.exec_size, inst.chan_off);
        if let Some(lanes) = lanes
            && !inst.no_mask
            && inst.pred.is_none()
        {
            dispatched.entry(key).or_insert_with(|| lanes.clone());
        }
        let all_run = plain && (selects || dispatched.get(&key) == lanes.as_ref());
        // Channels that are not active read nothing, and moves for all channels also move what nobody has written.
        let whole = dispatched.values().flatten().all(|lane| *lane);
        let active = lanes
            .as_ref()
            .is_some_and(|lanes| lanes.iter().all(|lane| *lane));
        let reads_all = match inst.no_mask {
            true => whole && inst.op != Op::Mov,
            false => active && !inst.op.is_send(),
        };
        for (row, bytes) in reads.iter().filter(|_| reads_all) {
            for byte in (0..64).filter(|byte| bytes >> byte & 1 != 0) {
                let Some(&since) = written.get(&(*row, byte)) else {
                    continue;
                };
                count += 1;
                if dead.get(row).is_some_and(|&dead| dead >= since) {
                    let what = format!(
                        "{row}.{byte} is read by instruction {at} and was not live since its write"
                    );
                    return (Some(what), count);
                }
            }
        }
        let first = match inst.dst.map(|dst| dst.place) {
            Some(Place::Direct(reg)) => reg.num * platform.grf_bytes + u32::from(reg.byte),
            _ => 0,
        };
        let step = inst
            .dst
            .map_or(4, |dst| u32::from(dst.hstride.max(1)) * dst.ty.bytes());
        for (row, bytes) in writes {
            for byte in (0..64).filter(|byte| bytes >> byte & 1 != 0) {
                let (_, number) = row.register();
                let lane = (number * platform.grf_bytes + byte).wrapping_sub(first) / step;
                let idle = lanes
                    .as_ref()
                    .is_some_and(|lanes| lanes.get(lane as usize) == Some(&false));
                if !row.is_grf() || inst.op.is_send() || all_run || !idle {
                    written.insert((*row, byte), time);
                }
            }
        }
    }
    (None, count)
}

/// In the reference's objects of all platforms, each byte that is read has been live since its last write, as their
/// execution shows.
#[test]
fn what_is_read_has_been_live_since_its_write() {
    let folders = [
        ("skl", "."),
        ("icllp", "icllp"),
        ("tgllp", "tgllp"),
        ("dg2", "dg2"),
        ("mtl", "mtl"),
        ("pvc", "pvc"),
        ("bmg", "bmg"),
        ("ptl", "ptl"),
    ];
    for (name, folder) in folders {
        let platform = platform::find(name).unwrap();
        let (mut objects, mut bytes) = (0, 0);
        for kernel in names() {
            let path = examples()
                .join(&kernel)
                .join(folder)
                .join(format!("{kernel}.zebin"));
            let path = path.display().to_string();
            if !fs::exists(&path).unwrap() {
                continue;
            }
            let (code, offsets) = code_of(&path, platform);
            let live = Live::new(&code, platform, &[0]);
            let launch = examples()
                .join(&kernel)
                .join("launch.yaml")
                .display()
                .to_string();
            let trace = pass(&["run", &path, "--launch", &launch, "--trace=0:0"]);
            for thread in threads(&trace, &offsets) {
                let (wrong, count) = check(&code, platform, &live, &thread);
                assert_eq!(wrong, None, "{path}");
                bytes += count;
            }
            objects += 1;
        }
        assert!(
            objects > 0 && bytes > 1000,
            "{name}: {objects} objects, {bytes} bytes"
        );
    }
}

/// No more registers live in our own code than allocation used, at no instruction of a test kernel on any platform; nor many
/// fewer in the sum.
#[test]
fn no_more_lives_than_allocation_used() {
    let (mut all_live, mut all_used, mut pieces) = (0, 0, 0);
    for platform in platform::PLATFORMS
        .iter()
        .filter(|platform| platform.compiles)
    {
        let session = Session::new(Options::new(platform));
        for kernel in kiln_corpus::kernels(&kiln_corpus::ALL) {
            let Some(path) = kernel.visa(platform.name) else {
                continue;
            };
            let bytes = fs::read(path).unwrap();
            let input = Input {
                name: &kernel.name,
                bytes: &bytes,
            };
            let Ok(module) = session.compile_module(&[input]) else {
                continue;
            };
            for part in module.parts() {
                let code = listing::insts(&part.code, platform);
                let offsets = code.iter().scan(0, |end, inst| {
                    *end += inst.size();
                    Some(*end - inst.size())
                });
                let offsets: Vec<u32> = offsets.collect();
                let begins = part.symbols.iter().map(|symbol| symbol.offset);
                let entries: Vec<u32> = begins
                    .map(|begin| offsets.partition_point(|offset| *offset < begin) as u32)
                    .collect();
                let live = Live::new(&code, platform, &entries);
                let used = part.allocation.grf_used;
                for (point, offset) in live.points.iter().zip(&offsets) {
                    let name = &part.name;
                    let grfs = u32::from(point.grfs);
                    assert!(
                        grfs <= used,
                        "{}, {name}, {offset}: {grfs} live of {used}",
                        platform.name
                    );
                }
                let most = live.points.iter().map(|point| point.grfs).max();
                all_live += u32::from(most.unwrap_or(0));
                all_used += used;
                pieces += 1;
            }
        }
    }
    assert!(pieces > 500, "only {pieces} pieces of code");
    assert!(all_live * 3 > all_used, "{all_live} of {all_used}");
}

/// A map of a build gives the values of its code the names that they have where the vISA is compiled.
#[test]
fn a_map_names_values_of_machine_code() {
    let folder = Folder::new("live-map");
    let (out, map) = (folder.path("k.bin"), folder.path("map.json"));
    let mut named = 0;
    for kernel in names() {
        let visa = example(&kernel, "visaasm");
        pass(&[
            "compile", &visa, "-p", "skl", "--emit", "bin", "-o", &out, "--names", &map,
        ]);
        let values = |line: &[&str]| -> Value {
            let line = [&["--format", "json", "live", "-p", "skl"], line].concat();
            let live: Value = serde_json::from_str(&pass(&line)).unwrap();
            live[0]["values"].clone()
        };
        let maps: Value = serde_json::from_str(&fs::read_to_string(&map).unwrap()).unwrap();
        let json = folder.path("k.json");
        pass(&[
            "compile", &visa, "-p", "skl", "-g", "--emit", "bin", "-o", &out, "--stats", &json,
        ]);
        let stats: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
        assert_eq!(stats[0]["variables"], maps[0]["variables"], "{kernel}");
        let expected = values(&[&visa]);
        assert_eq!(values(&[&out, "--names", &map]), expected, "{kernel}");
        let is_named = |value: &&Value| value["name"].is_string();
        named += expected.as_array().unwrap().iter().filter(is_named).count();
    }
    assert!(named > 100, "only {named} names");
    // The map of other code is refused.
    let other = folder.path("other.bin");
    let visa = example("sgemm", "visaasm");
    pass(&["compile", &visa, "-p", "skl", "--emit", "bin", "-o", &other]);
    let refused = kiln(&["live", "-p", "skl", &other, "--names", &map]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
}

/// The variable that each numbered instruction of a text of vISA defines: the first operand, where it is a variable.
fn defined(visa: &str) -> BTreeMap<u64, String> {
    let lines = fs::read_to_string(visa).unwrap();
    let of_line = |line: &str| {
        let (code, number) = line.split_once("/// $")?;
        let (_, operands) = code.split_once("(M")?.1.split_once(')')?;
        let name = operands.trim_start().split(['(', '.']).next()?;
        let is_name = name.starts_with('V') && !name.contains(' ');
        is_name.then_some((number.trim().parse().ok()?, name.to_string()))
    };
    lines.lines().filter_map(of_line).collect()
}

/// The account of allocation, with what the lines of the vISA and the listing say: each instruction that writes a register has the variable
/// that its instruction of vISA defines, and each message to scratch space a variable, which is stored before it is loaded.
#[test]
fn variables_are_where_allocation_put_them() {
    let folder = Folder::new("live-variables");
    let (out, json) = (folder.path("k.bin"), folder.path("k.json"));
    let (mut agree, mut messages) = (0, 0);
    for (kernel, limit) in [
        ("nbody", "32"),
        ("nbody", "128"),
        ("sgemm", "48"),
        ("sgemm", "28"),
        ("mandelbrot", "128"),
    ] {
        let visa = example(kernel, "visaasm");
        let defined = defined(&visa);
        pass(&[
            "compile",
            &visa,
            "-p",
            "skl",
            "--grf-limit",
            limit,
            "-g",
            "--emit",
            "bin",
            "-o",
            &out,
            "--stats",
            &json,
        ]);
        let stats: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
        let listed: Value =
            serde_json::from_str(&pass(&["--format", "json", "disasm", "-p", "skl", &out]))
                .unwrap();
        let insts = listed["files"][0]["units"][0]["instructions"]
            .as_array()
            .unwrap();
        let rows = stats[0]["lines"].as_array().unwrap();
        let number = |at: usize| {
            let offset = insts[at]["offset"].as_u64();
            let row = rows.partition_point(|row| row["offset"].as_u64() <= offset);
            rows[row - 1]["visa"].as_u64()
        };
        let mut slots = Vec::new();
        for variable in stats[0]["variables"].as_array().unwrap() {
            let name = variable["name"].as_str().unwrap();
            for held in variable["registers"].as_array().unwrap() {
                let from = held["from"].as_u64().unwrap() as usize;
                let text = insts[from]["text"].as_str().unwrap();
                let writes = format!("{}.0<", held["register"].as_str().unwrap());
                let result = text.split(") ").find(|part| part.starts_with('r'));
                // Copies and loads that allocation adds have no instruction of vISA.
                let is_added = text.contains(":ud r") && text.starts_with("(W) mov");
                if result.is_none_or(|result| !result.starts_with(&writes)) || is_added || from == 0
                {
                    continue;
                }
                if let Some(defined) = number(from).and_then(|number| defined.get(&number)) {
                    // Equal constants of two variables are one value.
                    if !text.contains(" 0.0:f") {
                        assert_eq!(name, defined, "{kernel}, {from}: {text}");
                        agree += 1;
                    }
                }
            }
            for slot in variable["slots"].as_array().unwrap() {
                assert_eq!(slot["name"], name);
                slots.push((
                    slot["at"].as_u64(),
                    slot["writes"] == true,
                    slot["offset"].as_u64(),
                ));
            }
        }
        slots.sort_unstable();
        let of = |key: &str| stats[0][key].as_u64().unwrap() as usize;
        assert!(
            slots.len() * 20 >= (of("spills") + of("fills")) * 19,
            "{kernel}: {}",
            slots.len()
        );
        for (at, writes, offset) in &slots {
            let stored = |other: &&(_, bool, _)| other.1 && other.2 <= *offset && other.0 < *at;
            assert!(
                *writes || slots.iter().any(|other| stored(&other)),
                "{kernel}: {at:?}"
            );
        }
        messages += slots.len();
    }
    assert!(
        agree > 250 && messages > 70,
        "{agree} registers, {messages} messages"
    );
}

/// The numbers agree in text, JSON and CSV, and a register that a predicate may keep lives on.
#[test]
fn all_forms_have_the_same_numbers() {
    let folder = Folder::new("live-forms");
    let object = example("nbody", "zebin");
    let (csv, json) = (folder.path("n.csv"), folder.path("n.json"));
    pass(&["live", &object, "--csv", &csv, "--json", &json]);
    let json: Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    let points = json[0]["points"].as_array().unwrap();
    let csv = fs::read_to_string(csv).unwrap();
    let listed = pass(&["live", &object]);
    let listed: Vec<&str> = listed.lines().skip(2).take(points.len()).collect();
    assert_eq!(csv.lines().count(), points.len() + 1);
    for ((line, point), shown) in csv.lines().skip(1).zip(points).zip(listed) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[4], point["grfs"].to_string());
        assert_eq!(shown.split_whitespace().nth(1), Some(cells[4]));
    }
    let peak = json[0]["peak"].as_u64().unwrap() as usize;
    assert_eq!(points[peak]["grfs"], json[0]["most"]["grfs"]);
    let at_peak: u64 = json[0]["values"]
        .as_array()
        .unwrap()
        .iter()
        .map(|value| value["count"].as_u64().unwrap())
        .sum();
    assert!(at_peak >= json[0]["most"]["grfs"].as_u64().unwrap());
    let listing = pass(&["disasm", &object, "--live"]);
    let first = listing
        .lines()
        .find(|line| line.contains("// live "))
        .unwrap();
    assert!(
        first.contains(&format!("// live {} grf", points[0]["grfs"])),
        "{first}"
    );
    let output = kiln(&["live", &object, "--at", "100000"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}
