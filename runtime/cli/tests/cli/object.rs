//! Object files without --info, `finalize`, and source lines.

use std::fs;
use std::path::Path;

use serde_json::Value;

#[cfg(target_os = "linux")]
use super::program::limited;
use super::program::{Folder, example, examples, fail, fixture, kiln, pass, text};

fn lines_fixture(extension: &str) -> String {
    fixture(&format!("lines/sum.{extension}"))
}

/// The documented interface is valid: the example runs from an object file made with it.
#[test]
fn the_documented_interface_is_that_of_the_example() {
    let folder = Folder::new("interface");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/object-files.md");
    let page = fs::read_to_string(page).unwrap();
    let block = page.split("```yaml\n").nth(1).unwrap();
    let block = block.split("```").next().unwrap();
    let interface = folder.write("saxpy.yaml", block);
    let (visa, out) = (example("saxpy", "visaasm"), folder.path("out.zebin"));
    let with = |interface| {
        [
            "compile",
            "-p",
            "skl",
            &visa,
            "-o",
            &out,
            "--interface",
            interface,
        ]
    };
    pass(&with(&interface));
    let launch = examples().join("saxpy/launch.yaml").display().to_string();
    pass(&["run", &out, "--launch", &launch]);

    // An offset outside the input.
    let wrong = folder.write("wrong.yaml", block.replace("offset: 276", "offset: 300"));
    fail(
        &folder,
        &with(&wrong),
        &["wrong.yaml: kernel saxpy: argument 4: no .input covers bytes 300 to 304"],
    );
    let nested = folder.write("nested.yaml", "[".repeat(100_000));
    fail(
        &folder,
        &with(&nested),
        &["nested.yaml: line 1: more than 256 brackets"],
    );
    let (listing, said) = (folder.path("out.asm"), "--interface is for an object file");
    fail(
        &folder,
        &[
            &with(&interface)[..4],
            &["--interface", &interface, "-o", &listing],
        ]
        .concat(),
        &[said],
    );
}

#[test]
fn lines_are_in_listings_figures_and_object_files() {
    let folder = Folder::new("lines");
    let (visa, info) = (lines_fixture("visaasm"), lines_fixture("zebin"));
    let listing = kiln(&[
        "compile", "-p", "skl", &visa, "-g", "--emit", "asm", "-o", "-",
    ]);
    let listing = text(&listing.stdout);
    for line in [3, 8, 10, 11, 12] {
        assert!(
            listing.contains(&format!(", /src/sum.cl:{line}\n")),
            "{line}: {listing}"
        );
    }
    let plain = kiln(&["compile", "-p", "skl", &visa, "--emit", "asm", "-o", "-"]);
    let code = |listing: &str| {
        let lines = listing
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        lines.map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(code(&listing), code(&text(&plain.stdout)));
    assert!(!text(&plain.stdout).contains("sum.cl"));

    let (out, stats) = (folder.path("out.zebin"), folder.path("stats.json"));
    let compile = [
        "compile", "-p", "skl", &visa, "--info", &info, "-o", &out, "--stats", &stats,
    ];
    pass(&compile);
    let stats_of =
        || -> Value { serde_json::from_str(&fs::read_to_string(&stats).unwrap()).unwrap() };
    assert!(stats_of()[0].get("lines").is_none());
    let without = fs::read(&out).unwrap();
    pass(&[&compile[..], &["-g"]].concat());
    let with = fs::read(&out).unwrap();
    assert!(with.len() > without.len());
    let figures = stats_of();
    let lines = figures[0]["lines"].as_array().unwrap();
    assert_eq!(lines[0]["offset"].as_u64(), Some(0));
    let at = |n: &Value| {
        n["line"].as_u64() == Some(11) && n["file"] == "/src/sum.cl" && n["object"] == "sum"
    };
    assert!(lines.iter().any(at), "{lines:?}");

    // Every instruction of the object file has the source line of the figures, in both forms of the listing; the end
    // of the thread has that of the return.
    let listing = pass(&["disasm", &out]);
    let json: Value = serde_json::from_str(&pass(&["disasm", &out, "--format", "json"])).unwrap();
    let instructions = json["files"][0]["units"][0]["instructions"]
        .as_array()
        .unwrap();
    for inst in instructions {
        let offset = inst["offset"].as_u64().unwrap();
        let line = lines
            .iter()
            .rev()
            .find(|line| line["offset"].as_u64() <= Some(offset));
        let line = line.unwrap();
        let line = line["line"].as_u64();
        assert_eq!(inst["source"]["line"].as_u64(), line, "{offset:#x}");
        if let Some(line) = line {
            assert_eq!(inst["source"]["file"], "/src/sum.cl");
            assert!(
                listing.contains(&format!("// /src/sum.cl:{line}\n")),
                "{listing}"
            );
        }
    }
    let last = instructions.last().unwrap();
    assert_eq!(last["message"]["end_of_thread"], true);
    assert_eq!(last["source"]["line"], 14);
    assert_eq!(
        code(&listing),
        code(&pass(&["disasm", &folder.write("plain.zebin", without)]))
    );

    // A cache gives the same, also the second time.
    let cache = folder.path("cache");
    for _ in 0..2 {
        pass(&[&compile[..], &["-g", "--cache", &cache]].concat());
        assert!(fs::read(&out).unwrap() == with);
        assert_eq!(stats_of()[0]["lines"], figures[0]["lines"]);
    }
}

#[test]
fn object_files_are_relinked() {
    let folder = Folder::new("relink");
    let dump = folder.0.join("dump");
    fs::create_dir(&dump).unwrap();
    let (zebin, out) = (example("saxpy", "zebin"), folder.path("out.zebin"));
    let dumps = dump.display().to_string();
    let args = ["relink", &zebin, "--visa", &dumps, "-o", &out];
    fail(&folder, &args, &["no .visaasm or .isa in this folder"]);
    fail(
        &folder,
        &["relink", &zebin, "--visa", &folder.path("none"), "-o", &out],
        &["none"],
    );
    let visa = dump.join("OCL_saxpy.visaasm");
    fs::copy(example("saxpy", "visaasm"), &visa).unwrap();
    let other = dump.join("sgemm.visaasm");
    fs::copy(example("sgemm", "visaasm"), &other).unwrap();
    fs::remove_file(&visa).unwrap();
    fail(
        &folder,
        &args,
        &["saxpy.zebin: no vISA of these kernels: saxpy"],
    );
    fs::copy(example("saxpy", "visaasm"), &visa).unwrap();
    // If a file was dumped in both forms, the text is read; other files are ignored.
    fs::write(dump.join("OCL_saxpy.isa"), b"CISA").unwrap();
    fs::write(dump.join("other.isaasm"), b"no vISA").unwrap();
    // A SIMD size that the compiler tried and dropped.
    let narrower = fs::read_to_string(&visa)
        .unwrap()
        .replace("SimdSize=32", "SimdSize=16");
    fs::write(dump.join("OCL_saxpy_simd16.visaasm"), narrower).unwrap();
    pass(&args);
    let made = fs::read(&out).unwrap();
    let expected = folder.path("expected.zebin");
    let visa = visa.display().to_string();
    pass(&[
        "compile", "-p", "skl", &visa, "--info", &zebin, "-o", &expected,
    ]);
    assert!(made == fs::read(&expected).unwrap());
    let launch = examples().join("saxpy/launch.yaml").display().to_string();
    pass(&["run", &out, "--launch", &launch]);
    // Errors in the vISA name its file.
    let broken = fs::read_to_string(&visa)
        .unwrap()
        .replacen("V0048(0,0)<1>", "V0048(0,0)<9>", 1);
    fs::write(&visa, broken).unwrap();
    fs::remove_file(dump.join("OCL_saxpy.isa")).unwrap();
    assert!(!kiln(&args).status.success());
}

/// The code of an object file is made of the vISA that it carries.
#[test]
fn object_files_are_finalized() {
    let folder = Folder::new("finalize");
    let out = folder.path("out.zebin");
    let object = |name: &str| fixture(&format!("finalize/{name}.zebin"));
    let launch = examples().join("saxpy/launch.yaml").display().to_string();
    for kind in ["alone", "both"] {
        let args = ["finalize", &object(&format!("saxpy.{kind}")), "-o", &out];
        assert_eq!(pass(&args), "replaced: saxpy\n");
        let made = fs::read(&out).unwrap();
        fs::remove_file(&out).unwrap();
        assert_eq!(pass(&[&args[..], &["-q"]].concat()), "");
        assert_eq!(fs::read(&out).unwrap(), made);
        let document = pass(&[&["--format", "json"], &args[..], &["--quiet"]].concat());
        assert!(document.contains("saxpy"), "{document}");
        assert!(pass(&["run", &out, "--launch", &launch]).contains("expect_y.bin: pass"));
        let kept = fs::read(&out).unwrap();
        pass(&[&args[..], &["--strip-visa", "--strip-spv"]].concat());
        assert!(fs::read(&out).unwrap().len() < kept.len() / 2);
    }
    fs::remove_file(&out).unwrap();
    fail(
        &folder,
        &["finalize", &object("saxpy.whole"), "-o", &out],
        &["F0003", "saxpy.whole.zebin: it has no section of vISA"],
    );
    // A program without kernels is complete.
    let none = object("none");
    let said = pass(&["finalize", &none, "-o", &out]);
    assert_eq!(said, "replaced: no kernel\n");
    let sections = |path: &str| kiln_emit::zebin::Zebin::parse(&fs::read(path).unwrap()).unwrap();
    assert_eq!(sections(&out), sections(&none));
    fs::remove_file(&out).unwrap();
    // An error in the vISA has its place in the text of a section.
    let mut bytes = fs::read(object("two.alone")).unwrap();
    let at = bytes.windows(5).position(|part| part == b"mov (").unwrap();
    bytes[at] = b'!';
    let broken = folder.write("broken.zebin", bytes);
    fail(
        &folder,
        &["finalize", &broken, "-o", &out],
        &["broken.zebin(.visaasm):"],
    );
    // A disk without room leaves nothing.
    #[cfg(target_os = "linux")]
    {
        let said = kiln(&["finalize", &object("saxpy.alone"), "-o", "/dev/full"]);
        assert_eq!(said.status.code(), Some(3), "{}", text(&said.stderr));
        // Room for a part of the file; the one that was there stays.
        fs::write(&out, "before").unwrap();
        let said = limited(&["finalize", &object("two.alone"), "-o", &out]);
        assert_eq!(said.status.code(), Some(3), "{}", text(&said.stderr));
        assert!(text(&said.stderr).contains("out.zebin: File too large"));
        assert_eq!(fs::read(&out).unwrap(), b"before");
        let names = fs::read_dir(folder.path("")).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name());
        assert!(
            names
                .into_iter()
                .all(|name| name == "out.zebin" || name == "broken.zebin")
        );
    }
}

/// The better of two variants of each kernel is taken, and the object computes what its source says.
#[test]
fn variants_are_chosen_by_kernel() {
    let folder = Folder::new("choose");
    let out = folder.path("out.zebin");
    let object = |name: &str| fixture(&format!("finalize/widths.{name}.zebin"));
    let (wide, narrow) = (object("wide"), object("narrow"));
    let args = ["finalize", &wide, "--choose", &narrow, "-o", &out];
    let said = pass(&args);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "replaced: heavy, light");
    assert!(lines[1].starts_with("heavy: SIMD8 with 128 registers, all others spill (SIMD32: "));
    assert!(lines[1].contains("; SIMD8: "));
    assert!(lines[2].starts_with("light: SIMD32 with 128 registers, highest throughput (SIMD32: "));
    // The figures have the form of those of `compile`, and the reasons.
    let stats = folder.path("stats.json");
    pass(&[&args[..], &["--stats", &stats]].concat());
    let stats: Value = serde_json::from_str(&fs::read_to_string(&stats).unwrap()).unwrap();
    let (code, saxpy) = (folder.path("code.bin"), example("saxpy", "visaasm"));
    let compiled = pass(&["compile", "-p", "skl", &saxpy, "-o", &code, "--stats", "-"]);
    let compiled: Value = serde_json::from_str(&compiled).unwrap();
    let keys = |kernel: &Value| {
        let keys = kernel.as_object().unwrap().keys().cloned();
        keys.filter(|key| key != "choice").collect::<Vec<_>>()
    };
    for (number, (name, simd, spills)) in
        [("heavy", 8, 0), ("light", 32, 0)].into_iter().enumerate()
    {
        let kernel = &stats[number];
        assert_eq!(keys(kernel), keys(&compiled[0]));
        assert_eq!(kernel["name"], name);
        assert_eq!(kernel["spill_bytes"], spills);
        let choice = &kernel["choice"];
        let variants = choice["variants"].as_array().unwrap();
        let taken = &variants[choice["variant"].as_u64().unwrap() as usize];
        assert_eq!(taken["simd"], simd);
    }
    pass(&args);
    let json = pass(&[&["--format", "json"][..], &args].concat());
    let json: Value = serde_json::from_str(&json).unwrap();
    let simds = |choice: &Value| {
        let variants = choice["variants"].as_array().unwrap();
        let sizes = variants.iter().map(|v| v["simd"].as_u64().unwrap());
        (choice["variant"].as_u64(), sizes.collect::<Vec<_>>())
    };
    let found: Vec<_> = json["choices"]
        .as_array()
        .unwrap()
        .iter()
        .map(simds)
        .collect();
    assert_eq!(found, [(Some(1), vec![32, 8]), (Some(0), vec![32, 8])]);

    widths_are_right(&folder, &out, &out);
}

/// More registers are a variant, too: each kernel has the number of the one that was taken, and computes what its source says.
#[test]
fn registers_are_chosen_by_kernel() {
    let folder = Folder::new("choose-grf");
    let out = folder.path("out.zebin");
    let object = |name: &str| fixture(&format!("finalize/widths.{name}.zebin"));
    let (wide, middle) = (object("wide"), object("middle"));
    let args = ["finalize", &wide, "--choose", &middle, "-o", &out];
    let said = pass(&[&args[..], &["--choose-grf", "256"]].concat());
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[1].starts_with("heavy: SIMD16 with 256 registers, all others spill (SIMD32: "));
    assert!(lines[2].starts_with("light: SIMD32 with 128 registers, highest throughput (SIMD32: "));
    let info = kiln_emit::zebin::Zebin::parse(&fs::read(&out).unwrap());
    let env = |kernel: &str| {
        let info = &info.as_ref().unwrap().ze_info;
        let env = &info.kernel(kernel).unwrap().execution_env;
        (env.simd_size, env.grf_count, env.spill_size)
    };
    assert_eq!(env("heavy"), (16, 256, 0));
    assert_eq!(env("light"), (32, 128, 0));
    widths_are_right(&folder, &out, &out);
    let call = |more: &[&'static str]| [&args[..], more].concat();
    fail(
        &folder,
        &call(&["--choose-grf", "100"]),
        &["no mode of 100 registers"],
    );
    let both = kiln(&call(&["--choose-grf", "256", "--grf", "256"]));
    assert!(!both.status.success());
    assert!(text(&both.stderr).contains("cannot be used with"));
}

/// The vISA of the kernels in `corpus/finalize/widths.NAME.zebin`, each in a file.
fn visa_of(folder: &Folder, name: &str) -> Vec<String> {
    let object = fs::read(fixture(&format!("finalize/widths.{name}.zebin"))).unwrap();
    let object = kiln_emit::zebin::Zebin::parse(&object).unwrap();
    let parts = kiln_compile::finalize::visa(&object).into_iter();
    let write = |(number, (_, text)): (usize, (String, Vec<u8>))| {
        folder.write(&format!("{name}.{number}.visaasm"), text)
    };
    parts.enumerate().map(write).collect()
}

/// Kernels of equal name in files of vISA are variants of one; each is made with more registers, too, and the best is written with what its
/// source says.
#[test]
fn variants_are_chosen_among_files_of_visa() {
    let folder = Folder::new("choose-visa");
    let names = ["wide", "middle"];
    let files: Vec<String> = names
        .iter()
        .flat_map(|name| visa_of(&folder, name))
        .collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let call = |more: &[&'static str]| {
        let call: &[&str] = &["compile", "-p", "dg2", "--choose"];
        [call, &files, more].concat()
    };
    let choices = |more: &[&'static str]| {
        let json: Value =
            serde_json::from_str(&pass(&call(&[more, &["--json", "-", "-q"]].concat()))).unwrap();
        let kernels = json.as_array().unwrap().clone();
        let taken = kernels.into_iter().map(|kernel| {
            let choice = &kernel["choice"];
            let variants = choice["variants"].as_array().unwrap();
            let taken = &variants[choice["variant"].as_u64().unwrap() as usize];
            let [simd, grfs, threads] =
                ["simd", "grfs", "threads"].map(|key| taken[key].as_u64().unwrap());
            let fixed = taken
                .get("fixed")
                .map(|why| why.as_str().unwrap().to_string());
            let name = kernel["name"].as_str().unwrap().to_string();
            (name, simd, grfs, threads, variants.len(), fixed)
        });
        taken.collect::<Vec<_>>()
    };
    let of = |name: &str, simd, grfs, threads, variants, fixed: Option<&str>| {
        (
            name.to_string(),
            simd,
            grfs,
            threads,
            variants,
            fixed.map(str::to_string),
        )
    };
    assert_eq!(
        choices(&[]),
        [
            of("heavy", 16, 256, 4, 4, None),
            of("light", 32, 128, 8, 4, None)
        ]
    );
    // An option fixes the number, so that the sizes alone are left.
    let options = Some("options");
    assert_eq!(
        choices(&["--grf", "256"]),
        [
            of("heavy", 16, 256, 4, 2, options),
            of("light", 32, 256, 4, 2, options)
        ]
    );
    // One file is chosen among the registers.
    let heavy = files
        .iter()
        .find(|file| {
            file.contains("middle.") && fs::read_to_string(file).unwrap().contains("\"heavy\"")
        })
        .unwrap();
    let said = pass(&["compile", "-p", "dg2", "--choose", heavy]);
    assert!(
        said.starts_with("heavy on dg2: SIMD16 with 256 registers, all others spill\n"),
        "{said}"
    );
    // `auto` takes the same, and the usual mode where nothing spills.
    let middle = fixture("finalize/widths.middle.zebin");
    let registers = |file: &str, kernel: &str| {
        let out = folder.path("auto.zebin");
        let call = ["compile", "-p", "dg2", "--grf", "auto", file];
        pass(&[&call[..], &["--info", &middle, "-o", &out]].concat());
        let made = kiln_emit::zebin::Zebin::parse(&fs::read(&out).unwrap()).unwrap();
        let env = &made.ze_info.kernel(kernel).unwrap().execution_env;
        (env.grf_count, env.spill_size)
    };
    assert_eq!(registers(heavy, "heavy"), (256, 0));
    let light = (files.iter()).find(|file| *file != heavy && file.contains("middle."));
    assert_eq!(registers(light.unwrap(), "light"), (128, 0));
    // The object files have the best of each kernel, and compute what the source says.
    let made = [("heavy", "middle"), ("light", "wide")].map(|(kernel, name)| {
        let (out, info) = (
            folder.path(&format!("{kernel}.zebin")),
            fixture(&format!("finalize/widths.{name}.zebin")),
        );
        pass(
            &[
                &call(&["--kernel", kernel])[..],
                &["--info", &info, "-o", &out],
            ]
            .concat(),
        );
        out
    });
    widths_are_right(&folder, &made[0], &made[1]);
    let (out, info) = (
        folder.path("out.zebin"),
        fixture("finalize/widths.middle.zebin"),
    );
    let wrong = kiln(&[&call(&[])[..], &["--info", &info, "-o", &out]].concat());
    assert!(text(&wrong.stderr).contains("light are laid out for SIMD16, and SIMD32 is taken"));
    assert!(!Path::new(&out).exists());
    // A file that cannot be read leaves no output, and the other kernels in a folder.
    let broken = folder.write("broken.visaasm", b".version 3.6\n.kernel \"other\"\n bad\n");
    let dir = folder.path("each");
    let said = kiln(&[&call(&[])[..], &[&broken, "--out-dir", &dir]].concat());
    assert!(!said.status.success());
    let mut written: Vec<_> = fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    written.sort();
    assert_eq!(written, ["heavy.bin", "light.bin"]);
    let both = kiln(&call(&["--names", "names.json"]));
    assert!(text(&both.stderr).contains("cannot be used with"));
}

/// Executes the kernels of `corpus/finalize/widths.cl`, each in an object file.
fn widths_are_right(folder: &Folder, heavy: &str, light: &str) {
    const LIVE: usize = 84;
    const ITEMS: usize = 32;
    let result = folder.path("result");
    let numbers: Vec<i32> = (0..LIVE * ITEMS).map(|n| n as i32 * 31 % 97 - 40).collect();
    let bytes = |numbers: &[i32]| -> Vec<u8> {
        let each = numbers.iter().flat_map(|n| n.to_le_bytes());
        each.collect()
    };
    let input = format!("buf:{}", folder.write("input", bytes(&numbers)));
    let output = format!("zero:{}>{result}", LIVE * ITEMS * 4);
    let size = ITEMS.to_string();
    let run = |object: &str, kernel: &str, args: &[&str]| {
        let sizes = ["--global", &size, "--local", &size];
        let call = [&["run", object, "--kernel", kernel][..], &sizes].concat();
        pass(&[&call[..], args].concat());
        fs::read(&result).unwrap()
    };
    let mut expected = numbers.clone();
    for own in expected.chunks_mut(LIVE) {
        for at in 0..LIVE {
            own[at] = own[at].wrapping_mul(own[(at + 31) % LIVE]);
        }
    }
    assert!(run(heavy, "heavy", &["--arg", &input, "--arg", &output]) == bytes(&expected));
    let tripled: Vec<i32> = numbers[..ITEMS].iter().map(|n| n * 3).collect();
    let light = run(light, "light", &["--arg", &format!("{input}>{result}")]);
    assert!(light[..ITEMS * 4] == bytes(&tripled));
}

/// Object files in a driver's cache are replaced in place, others stay, and the sum of sizes is right.
#[test]
fn a_drivers_cache_is_finalized_in_place() {
    let folder = Folder::new("driver-cache");
    let object = |name: &str| fixture(&format!("finalize/{name}.zebin"));
    let cache = folder.path("cache");
    let below = Path::new(&cache).join("d/2");
    fs::create_dir_all(&below).unwrap();
    let entries = [
        ("d2.cl_cache", fs::read(object("saxpy.both")).unwrap()),
        ("d20.l0_cache", fs::read(object("widths.wide")).unwrap()),
        ("d21.cl_cache", fs::read(object("saxpy.whole")).unwrap()),
        ("d22.l0_cache", b"no object file".to_vec()),
        ("other", fs::read(object("saxpy.both")).unwrap()),
    ];
    for (name, bytes) in &entries {
        fs::write(below.join(name), bytes).unwrap();
    }
    let sizes = || -> u64 {
        let cached = fs::read_dir(&below).unwrap().map(|entry| entry.unwrap());
        let cached = cached.filter(|entry| entry.file_name() != "other");
        cached.map(|entry| entry.metadata().unwrap().len()).sum()
    };
    let config = Path::new(&cache).join("config.file");
    fs::write(&config, sizes().to_le_bytes()).unwrap();
    let args = ["relink", "--driver-cache", &cache, "--strip-visa"];
    let said = pass(&args);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "d/2/d2.cl_cache: replaced: saxpy");
    assert_eq!(lines[1], "d/2/d20.l0_cache: replaced: heavy, light");
    assert!(lines[2].starts_with("d/2/d21.cl_cache: kept: it has no section of vISA"));
    assert!(lines[3].starts_with("d/2/d22.l0_cache: kept: "), "{said}");
    assert_eq!(lines.len(), 4);
    let out = folder.path("out.zebin");
    for (name, from) in [
        ("d2.cl_cache", "saxpy.both"),
        ("d20.l0_cache", "widths.wide"),
    ] {
        pass(&["finalize", &object(from), "--strip-visa", "-o", &out]);
        assert!(fs::read(below.join(name)).unwrap() == fs::read(&out).unwrap());
    }
    for (name, bytes) in &entries[2..] {
        assert!(fs::read(below.join(name)).unwrap() == *bytes);
    }
    assert_eq!(fs::read_dir(&below).unwrap().count(), entries.len());
    assert_eq!(fs::read(&config).unwrap(), sizes().to_le_bytes());
    // A cache without the file, and none.
    fs::remove_file(&config).unwrap();
    fs::write(below.join("d2.cl_cache"), &entries[0].1).unwrap();
    assert!(pass(&args).starts_with(lines[0]));
    assert!(!config.exists());
    let none = folder.path("none");
    fail(&folder, &["relink", "--driver-cache", &none], &["none"]);
    let both = kiln(&[&args[..], &["-o", &out]].concat());
    assert_eq!(both.status.code(), Some(2));
}

/// Directives of lines name lines of the vISA that have instructions, and kernels are labels.
#[test]
fn directives_are_of_the_visa() {
    for platform in ["skl", "tgllp"] {
        let visa = example("nbody", "visaasm");
        let listing = pass(&[
            "compile",
            &visa,
            "-p",
            platform,
            "--emit",
            "asm",
            "--directives",
            "-o",
            "-",
        ]);
        let source = fs::read_to_string(&visa).unwrap();
        let source: Vec<&str> = source.lines().collect();
        assert!(listing.starts_with("\t.file\t1 \""), "{listing}");
        assert!(
            listing.contains("\t.globl\t\"nbody\"\n\"nbody\":\n"),
            "{listing}"
        );
        let lines = listing
            .lines()
            .filter_map(|line| line.strip_prefix("\t.loc\t1 "));
        let lines: Vec<usize> = lines
            .map(|line| line.strip_suffix(" 0").unwrap().parse().unwrap())
            .collect();
        assert!(lines.len() > 20, "{lines:?}");
        for line in lines {
            // Neither a declaration nor a comment.
            let text = source[line - 1].trim_start();
            let is_instruction = text.starts_with(|c: char| c.is_ascii_lowercase() || c == '(');
            assert!(is_instruction, "{line}: {text}");
        }
        // The rest is the listing without directives.
        let plain = pass(&["compile", &visa, "-p", platform, "--emit", "asm", "-o", "-"]);
        let rest = listing
            .lines()
            .filter(|line| !line.starts_with('\t') && !line.starts_with('"'));
        assert_eq!(rest.collect::<Vec<_>>(), plain.lines().collect::<Vec<_>>());
    }
}
