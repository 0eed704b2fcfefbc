//! Ends and documents of every verb: the table of docs/guide-offline.md, held against the program.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::program::{Folder, example, examples, fixture, kiln, pass, text};

/// A verb's row of the table: what it prints as JSON, and its exit code for a missing and for a wrong input.
struct Row {
    document: String,
    missing: Option<i32>,
    wrong: Option<i32>,
}

/// The table by verb.
fn table() -> BTreeMap<String, Row> {
    let guide = fs::read_to_string(examples().join("../docs/guide-offline.md")).unwrap();
    let rows = guide.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, verbs, document, missing, wrong, _] = cells[..] else {
            return None;
        };
        let code = |cell: &str| cell.split(',').next().unwrap().parse().ok();
        let named = verbs.split(", ").filter_map(|verb| {
            let verb = verb.strip_prefix('`')?.strip_suffix('`')?;
            let row = Row {
                document: document.to_string(),
                missing: code(missing),
                wrong: code(wrong),
            };
            Some((verb.to_string(), row))
        });
        Some(named.collect::<Vec<_>>())
    });
    rows.flatten().collect()
}

/// Verbs listed in the help.
fn verbs() -> Vec<String> {
    let help = pass(&["help"]);
    let list = help.split("Commands:\n").nth(1).unwrap();
    let list = list.split("\n\n").next().unwrap();
    let verbs = list
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let verbs = verbs.filter(|verb| *verb != "help");
    verbs.map(str::to_string).collect()
}

/// Words of a command line in which `INPUT` stands for the input of vISA, `CODE` for that of machine code, and `OUT` for
/// a file that is written.
fn line(verb: &str) -> &'static str {
    match verb {
        "asm" => "asm CODE -p skl -o OUT",
        "bench" => "bench INPUT -p skl --runs 1",
        "cache" => "cache stat INPUT",
        "check" => "check INPUT",
        "compile" => "compile INPUT -p skl --out-dir OUT",
        "convert" => "convert INPUT -o OUT --to isa",
        "cost" => "cost CODE",
        "diff" => "diff CODE CODE",
        "disasm" => "disasm CODE",
        "finalize" => "finalize CODE -o OUT",
        "genx-ir" => "genx-ir INPUT -platform SKL",
        "inspect" => "inspect INPUT",
        "live" => "live CODE",
        "pressure" => "pressure INPUT -p skl",
        "report" => "report CODE -o OUT",
        "reduce" => "reduce INPUT --test false -o OUT",
        "run" => "run CODE --launch SAXPY/launch.yaml",
        "sweep" => "sweep INPUT -p skl --grf-limit 64",
        "translate" => "translate CODE",
        "verify" => "verify CODE",
        _ => "",
    }
}

/// A command with its input, and its exit code, document and diagnostics.
fn end(folder: &Folder, verb: &str, input: &str) -> (Option<i32>, Option<Value>, Vec<Value>) {
    let saxpy = examples().join("saxpy").display().to_string();
    let words = line(verb).split(' ').flat_map(|word| match word {
        "INPUT" | "CODE" => input.split(' ').map(str::to_string).collect(),
        "OUT" => vec![folder.path("out")],
        word => vec![word.replace("SAXPY", &saxpy)],
    });
    let form = ["--format", "json"].map(str::to_string);
    let words: Vec<String> = form.into_iter().chain(words).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = kiln(&words);
    let said = text(&output.stderr);
    let record = |line: &str| {
        serde_json::from_str(line).unwrap_or_else(|e| panic!("{words:?}: {e}: {line}"))
    };
    let records = said.lines().map(record).collect();
    let stdout = text(&output.stdout);
    let document = (!stdout.is_empty()).then(|| {
        serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{words:?}: {e}: {stdout}"))
    });
    (output.status.code(), document, records)
}

/// Each verb ends as the table says, with one document on standard output and one record a line on standard error.
#[test]
fn every_verb_ends_as_the_table_says() {
    let folder = Folder::new("every-verb");
    let wrong = folder.write("wrong.visaasm", ".version 3.6\n.kernel x y z\n");
    let code = folder.write("wrong.zebin", b"\x7fELF\x02\x01\x01");
    let missing = folder.path("missing");
    let table = table();
    let mut codes = 0;
    for verb in verbs() {
        let row = table.get(&verb);
        let row = row.unwrap_or_else(|| panic!("{verb} has no row in the table"));
        let has_document = row.document != "none";
        let wrong = match line(&verb).contains("CODE") {
            true => &code,
            false => &wrong,
        };
        for (input, expected) in [(&missing, row.missing), (wrong, row.wrong)] {
            let Some(expected) = expected else { continue };
            let (found, document, records) = end(&folder, &verb, input);
            assert_eq!(found, Some(expected), "{verb} {input}: {records:?}");
            assert_eq!(
                document.is_some(),
                has_document,
                "{verb} {input}: {document:?}"
            );
            assert_eq!(
                expected != 0,
                !records.is_empty() || verb == "check",
                "{verb}"
            );
            assert!(records.iter().all(|r| r["code"].is_string()), "{records:?}");
            codes += 1;
        }
    }
    assert!(codes >= 28, "{codes}");
    for verb in table.keys() {
        assert!(
            verbs().contains(verb) || cfg!(not(target_os = "linux")),
            "{verb}"
        );
    }
}

/// Where inputs are independent, one that is not there does not stop the others, in either order.
#[test]
fn a_missing_input_does_not_stop_the_others() {
    let folder = Folder::new("others");
    let missing = folder.path("missing");
    for (verb, place) in [
        ("bench", "/rows/0/ours/figures/bytes"),
        ("check", "/kernels"),
        ("compile", "/0/bytes"),
        ("cost", "/0/bytes"),
        ("disasm", "/files/0/units"),
        ("live", "/0/most/grfs"),
        ("sweep", "/0/figures/bytes"),
        ("verify", "/instructions"),
    ] {
        let good = match line(verb).contains("CODE") {
            true => example("saxpy", "zebin"),
            false => example("saxpy", "visaasm"),
        };
        for inputs in [format!("{good} {missing}"), format!("{missing} {good}")] {
            let (code, document, records) = end(&folder, verb, &inputs);
            assert_eq!(code, Some(3), "{verb}: {records:?}");
            let document = document.unwrap();
            let said = document["diagnostics"].as_array().unwrap_or(&records);
            assert_eq!(said.len(), 1, "{verb}: {said:?}");
            let figure = document.pointer(place);
            assert!(
                figure.is_some_and(|figure| *figure != 0 && !figure.is_null()),
                "{verb} {inputs}: {document}"
            );
        }
    }
    let good = example("saxpy", "visaasm");
    for inputs in [[&good, &missing], [&missing, &good]] {
        let out = folder.path("made");
        let _ = fs::remove_dir_all(&out);
        let line = [
            "compile",
            inputs[0],
            inputs[1],
            "-p",
            "skl",
            "--out-dir",
            &out,
        ];
        assert_eq!(kiln(&line).status.code(), Some(3));
        assert!(
            fs::metadata(folder.path("made/saxpy.bin"))
                .unwrap()
                .is_file()
        );
        let line = ["pressure", "--summary", inputs[0], inputs[1], "-p", "skl"];
        let output = kiln(&line);
        assert_eq!(output.status.code(), Some(3));
        assert!(text(&output.stdout).contains("saxpy"));
    }
}

/// An error in the command line itself is a record, too.
#[test]
fn errors_of_the_command_line_come_as_json() {
    let saxpy = example("saxpy", "visaasm");
    for line in [
        &["compile", &saxpy, "-p", "nowhere", "--format", "json"][..],
        &["--format=json", "compile", &saxpy],
        &["--format", "json", "frobnicate"],
        &["run", &saxpy, "--format", "json"],
    ] {
        let output = kiln(line);
        assert_eq!(output.status.code(), Some(2), "{line:?}");
        let record: Value = serde_json::from_str(&text(&output.stderr)).unwrap();
        assert_eq!(record["code"], "O0004", "{record}");
        assert_eq!(text(&output.stdout), "null\n");
    }
}

/// Faults in the arguments of `run` and in programs that `bench` is given have the code of their kind.
#[test]
fn faults_of_arguments_have_the_codes_of_their_kinds() {
    let zebin = example("saxpy", "zebin");
    let run = |spec: &str| {
        let line = [
            "run", &zebin, "--global", "64", "--local", "64", "--arg", spec,
        ];
        let output = kiln(&line);
        (output.status.code(), text(&output.stderr))
    };
    for (spec, code, said) in [
        ("buf:nowhere", 3, "F0002"),
        ("bufx:1", 2, "O0004"),
        ("f32:abc", 2, "O0004"),
        // There are too few arguments.
        ("zero:4", 2, "O0004"),
        ("image2d:rgba8unorm:4x4:/dev/null", 1, "F0003"),
    ] {
        let (found, stderr) = run(spec);
        assert_eq!(found, Some(code), "{spec}: {stderr}");
        assert!(stderr.starts_with(said), "{spec}: {stderr}");
    }
    let saxpy = example("saxpy", "visaasm");
    for program in ["./nowhere", "no-such-finalizer"] {
        let output = kiln(&["bench", &saxpy, "-p", "skl", "--against", program]);
        assert_eq!(output.status.code(), Some(3), "{program}");
        let said = text(&output.stderr);
        assert_eq!(said.matches('×').count(), 1, "{said}");
    }
}

/// Outputs with one name are refused with the names of both inputs, wherever the folder is named from and whether or not
/// it was there.
#[test]
fn outputs_with_one_name_name_both_inputs() {
    let folder = Folder::new("both-inputs");
    let source = fs::read_to_string(example("saxpy", "visaasm")).unwrap();
    fs::create_dir(folder.path("x")).unwrap();
    fs::create_dir(folder.path("y")).unwrap();
    folder.write("x/k.visaasm", &source);
    folder.write("y/k.visaasm", source.replacen("    mul ", "    add ", 1));
    let binary = fs::read(example("nbody", "isa")).unwrap();
    folder.write("x/k.isa", binary);
    for (second, dir) in [
        ("y/k.visaasm", "out"),
        ("y/k.visaasm", "out"),
        ("x/k.isa", "."),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_kiln"))
            .args([
                "compile",
                "x/k.visaasm",
                second,
                "-p",
                "skl",
                "--out-dir",
                dir,
            ])
            .current_dir(&folder.0)
            .output()
            .unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains(&format!("of x/k.visaasm and of {second}")),
            "{said}"
        );
    }
    let alone = folder.path("alone.bin");
    pass(&[
        "compile",
        "-p",
        "skl",
        &folder.path("x/k.visaasm"),
        "-o",
        &alone,
    ]);
    let made = fs::read(folder.path("out/k.bin")).unwrap();
    assert!(made == fs::read(alone).unwrap());
}

/// Files of equal contents each have a line in the figures, with their own names.
#[test]
fn files_of_equal_contents_have_figures_each() {
    let folder = Folder::new("equal-figures");
    let source = fs::read(example("saxpy", "visaasm")).unwrap();
    let [a, b] = ["a.visaasm", "b.visaasm"].map(|name| folder.write(name, &source));
    let table = pass(&["compile", "-p", "skl", &a, &b]);
    let lines: Vec<&str> = table.lines().skip(1).collect();
    assert_eq!(lines.len(), 2, "{table}");
    assert!(
        lines[0].starts_with(&a) && lines[1].starts_with(&b),
        "{table}"
    );
}

/// Several platforms in one call give the files that one call each gives.
#[test]
fn several_platforms_are_compiled_for_in_one_call() {
    let folder = Folder::new("platforms");
    let saxpy = example("saxpy", "visaasm");
    let out = folder.path("out");
    let platforms = ["skl", "icllp", "tgllp"];
    let line = [
        "compile",
        &saxpy,
        "-p",
        &platforms.join(","),
        "--out-dir",
        &out,
    ];
    let table = pass(&line);
    assert_eq!(table.lines().count(), 4, "{table}");
    for platform in platforms {
        assert!(table.contains(platform), "{table}");
        let alone = folder.path("alone.bin");
        pass(&["compile", &saxpy, "-p", platform, "-o", &alone]);
        let made = fs::read(folder.path(&format!("out/saxpy.{platform}.bin"))).unwrap();
        assert!(made == fs::read(&alone).unwrap(), "{platform}");
    }
    let one = folder.path("one.bin");
    let output = kiln(&["compile", &saxpy, "-p", "skl", "-p", "tgllp", "-o", &one]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!fs::exists(one).unwrap());
}

/// Verbs that look at machine code do so for each platform of one call, as for one alone.
#[test]
fn several_platforms_are_looked_at_in_one_call() {
    let folder = Folder::new("code-platforms");
    let (visa, code) = (example("saxpy", "visaasm"), folder.path("saxpy.bin"));
    pass(&["compile", &visa, "-p", "skl", "-o", &code]);
    for (verb, rows) in [
        ("cost", ""),
        ("live", ""),
        ("verify", "/findings"),
        ("live", ""),
    ] {
        let file = if verb == "live" { &visa } else { &code };
        let of = |platforms: &str| -> Vec<Value> {
            let output = kiln(&["--format", "json", verb, file, "-p", platforms]);
            let document: Value = serde_json::from_slice(&output.stdout).unwrap();
            let rows = document.pointer(rows).unwrap();
            rows.as_array().unwrap().clone()
        };
        let each = [of("skl"), of("icllp"), of("tgllp")].concat();
        assert_eq!(of("skl,icllp,tgllp"), each, "{verb}");
        let text = kiln(&[verb, file, "-p", "skl,tgllp"]);
        let text = self::text(&text.stdout);
        assert!(
            text.contains("(tgllp)") || verb == "verify",
            "{verb}: {text}"
        );
    }
}

/// A listing that is written shows what lives as one of the code does.
#[test]
fn listings_of_a_build_show_what_lives() {
    let folder = Folder::new("asm-live");
    let (visa, code) = (example("nbody", "visaasm"), folder.path("nbody.bin"));
    pass(&["compile", &visa, "-p", "skl", "-o", &code]);
    let listed = pass(&["disasm", &code, "-p", "skl", "--live"]);
    let line = [
        "compile", &visa, "-p", "skl", "--emit", "asm", "--live", "-q", "-o", "-",
    ];
    assert_eq!(pass(&line), listed);
    assert!(listed.contains("live 62 grf") || listed.matches("// live ").count() > 100);
    for more in ["-g", "--directives"] {
        let listed = pass(&[&line[..], &[more]].concat());
        assert!(listed.matches("live ").count() > 100, "{listed}");
    }
    let output = kiln(&["compile", &visa, "-p", "skl", "--live", "-o", &code]);
    assert_eq!(output.status.code(), Some(2));
}

/// LLVM IR brings its layout, and an interface gives that of vISA: both run without an object file.
#[test]
fn programs_without_object_files_run() {
    let genx = examples().join("genx_matmul");
    let path = |name: &str| genx.join(name).display().to_string();
    let launch = path("run.yaml");
    let said = pass(&["run", &path("genx_matmul.ll"), "--launch", &launch]);
    assert!(said.contains("expect_c.bin: pass"), "{said}");
    // The example of the page about object files is the interface of saxpy.
    let folder = Folder::new("run-interface");
    let page = fs::read_to_string(examples().join("../docs/object-files.md")).unwrap();
    let yaml = page.split("```yaml\n").nth(1).unwrap().split("```").next();
    let interface = folder.write("saxpy.yaml", yaml.unwrap());
    let (visa, launch) = (
        example("saxpy", "visaasm"),
        examples().join("saxpy/launch.yaml").display().to_string(),
    );
    let said = pass(&["run", &visa, "--interface", &interface, "--launch", &launch]);
    assert!(said.contains("expect_y.bin: pass"), "{said}");
    let object = example("saxpy", "zebin");
    let output = kiln(&[
        "run",
        &object,
        "--interface",
        &interface,
        "--launch",
        &launch,
    ]);
    assert_eq!(output.status.code(), Some(2));
}

/// Object files of other forms are named, wherever machine code is read.
#[test]
fn other_forms_of_object_files_are_named() {
    let saxpy = examples().join("saxpy").display().to_string();
    let visa = example("saxpy", "visaasm");
    for (name, said) in [
        ("foreign/patch-tokens.bin", "with patch tokens"),
        (
            "foreign/two-devices.ar",
            "several devices (64.9.0.9, 64.11.0.0)",
        ),
    ] {
        let file = fixture(name);
        for line in [
            &["disasm", &file][..],
            &["verify", &file],
            &["cost", &file],
            &["translate", &file],
            &["relink", &file, "--visa", &saxpy, "-o", "/dev/null"],
            &["run", &file, "--global", "1", "--local", "1"],
            &[
                "compile",
                &visa,
                "-p",
                "skl",
                "--info",
                &file,
                "-o",
                "/dev/null",
                "--emit",
                "zebin",
            ],
        ] {
            let output = kiln(line);
            let stderr = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{line:?}: {stderr}");
            assert!(
                stderr.starts_with("F0003") && stderr.contains(said),
                "{line:?}: {stderr}"
            );
        }
    }
    // Archives are finalized, unless a member is of another form.
    let archive = fixture("foreign/two-devices.ar");
    let output = kiln(&["finalize", &archive, "-o", "/dev/null"]);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let said = "two-devices.ar: 64.9.0.9: an OpenCL device binary with patch tokens";
    assert!(stderr.contains(said), "{stderr}");
}

/// Plots are SVG: another name is refused before anything is written.
#[test]
fn plots_have_the_form_that_their_name_says() {
    let folder = Folder::new("plots");
    let (visa, png, svg) = (
        example("nbody", "visaasm"),
        folder.path("x.png"),
        folder.path("x.svg"),
    );
    for verb in [
        &["pressure"][..],
        &["sweep", "--grf-limit", "64,128"],
        &["bench", "--runs", "1"],
    ] {
        let line = |file| [verb, &[&visa, "-p", "skl", "--svg", file]].concat();
        let output = kiln(&line(&png));
        assert_eq!(output.status.code(), Some(2), "{verb:?}");
        assert!(text(&output.stderr).contains("ends in .svg"), "{verb:?}");
        assert!(!fs::exists(&png).unwrap());
        pass(&line(&svg));
        assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    }
}

/// Findings of several platforms are those of each alone, said once with the platforms that it is not found on left out.
#[test]
fn several_platforms_are_checked_and_measured_in_one_call() {
    let wide = fixture("kernels/atom_uint/bmg/atom_uint.visaasm");
    let told = |platforms: &str| -> Vec<String> {
        let out = kiln(&["--format", "json", "check", &wide, "-p", platforms]);
        let document: Value = serde_json::from_str(&text(&out.stdout)).unwrap();
        let all = document["diagnostics"].as_array().unwrap().iter();
        all.map(|one| one["message"].as_str().unwrap().to_string())
            .collect()
    };
    let (narrow, both) = (told("skl"), told("skl,bmg,skl"));
    assert!(!narrow.is_empty() && told("bmg,lnl").is_empty());
    let named: Vec<String> = narrow.iter().map(|one| format!("{one} (on skl)")).collect();
    assert_eq!(both, named);
    // A message that names the platform differs.
    let other = told("icllp");
    for said in told("skl,icllp") {
        let on = [(&narrow, " (on skl)"), (&other, " (on icllp)")];
        let is = |(all, on): (&Vec<String>, &str)| {
            said.strip_suffix(on)
                .is_some_and(|said| all.iter().any(|one| one == said))
        };
        let on_both = narrow.contains(&said) && other.contains(&said);
        assert_eq!(
            on.into_iter().filter(|one| is(*one)).count(),
            usize::from(!on_both),
            "{said}"
        );
    }
    let saxpy = example("saxpy", "visaasm");
    for verb in [
        &["pressure", "--format", "json"][..],
        &["pressure", "--summary", "--format", "json"],
        &["inspect", "--format", "json"],
    ] {
        let of = |platforms: &str| -> Value {
            let shown = pass(&[verb, &[&saxpy, "-p", platforms]].concat());
            serde_json::from_str(&shown).unwrap()
        };
        let several = of("skl,icllp");
        let several = several.as_array().unwrap();
        assert_eq!(several.len(), 2, "{verb:?}");
        for (one, platform) in several.iter().zip(["skl", "icllp"]) {
            assert_eq!(one["platform"], platform);
            let alone = of(platform);
            match alone.as_array() {
                Some(list) => assert_eq!(one, &list[0]),
                None => assert_eq!(one["objects"], alone["objects"]),
            }
        }
    }
}

/// Plots of pressure have marks at the peak and at the chosen instruction, and the limit's number.
#[test]
fn plots_of_pressure_are_labelled() {
    let folder = Folder::new("labels");
    let (visa, svg) = (example("nbody", "visaasm"), folder.path("x.svg"));
    let beyond = kiln(&["pressure", &visa, "-p", "skl", "--at", "100000"]);
    assert_eq!(beyond.status.code(), Some(2), "no such instruction");
    let shown = pass(&["pressure", &visa, "-p", "skl", "--at", "20", "--svg", &svg]);
    let plot = fs::read_to_string(&svg).unwrap();
    let peak = shown
        .split("at most ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap();
    let limit = shown
        .split(" of ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap();
    assert!(plot.contains(&format!("peak {peak} GRFs")), "{peak}");
    assert!(plot.contains(&format!("limit {limit}\n")), "{limit}");
    assert!(plot.contains("vISA 20\n"));
    assert_eq!(plot.matches("<circle").count(), 2);
}

/// A cache is named by the environment as in `compile`.
#[test]
fn the_cache_of_the_environment_is_inspected() {
    let folder = Folder::new("cache-variable");
    let (visa, cache, out) = (
        example("saxpy", "visaasm"),
        folder.path("c"),
        folder.path("x.bin"),
    );
    pass(&["compile", &visa, "-p", "skl", "-o", &out, "--cache", &cache]);
    let stat = |variable: Option<&str>| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_kiln"));
        command.args(["cache", "stat"]).env_remove("KILN_CACHE");
        command.envs(variable.map(|folder| ("KILN_CACHE", folder)));
        command.output().unwrap()
    };
    assert!(text(&stat(Some(&cache)).stdout).starts_with("1 entry"));
    assert_eq!(stat(None).status.code(), Some(2));
}

/// A declaration that occurs twice since a dump has lost its scopes: the file that has them is named.
#[test]
fn the_dump_with_scopes_is_named() {
    let folder = Folder::new("scopes");
    let source = fs::read_to_string(example("saxpy", "visaasm")).unwrap();
    let line = source
        .lines()
        .find(|line| line.starts_with(".decl V"))
        .unwrap();
    let flat = source.replacen(line, &format!("{line}\n{line}"), 1);
    let flat = folder.write("k.visaasm", flat);
    let said = |flat: &str| text(&kiln(&["check", flat]).stderr);
    assert!(!said(&flat).contains("inline"));
    folder.write("k.inline.visaasm", &source);
    assert!(
        said(&flat).contains("k.inline.visaasm has the scopes"),
        "{}",
        said(&flat)
    );
}
