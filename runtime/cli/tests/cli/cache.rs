//! `compile --cache`, and `kiln cache`.

use std::fs;
use std::process::Command;

use super::program::{Folder, example, fail, kiln, pass, text};

#[test]
fn a_warm_cache_gives_the_same_files() {
    let folder = Folder::new("cache");
    let (cache, stats) = (folder.path("cache"), folder.path("stats.json"));
    let visa = example("sgemm", "visaasm");
    let info = example("sgemm", "zebin");
    let compile = |cache: &[&str], ending: &str| {
        let out = folder.path(&format!("out.{ending}"));
        let mut args = vec!["compile", "-p", "skl", &visa, "-o", &out, "--stats", &stats];
        if ending == "zebin" {
            args.extend(["--info", &info]);
        }
        args.extend(cache);
        pass(&args);
        let figures = fs::read_to_string(&stats).unwrap();
        let mut figures: serde_json::Value = serde_json::from_str(&figures).unwrap();
        figures[0]["seconds"].take();
        (fs::read(&out).unwrap(), figures)
    };
    for ending in ["zebin", "bin", "asm"] {
        let plain = compile(&[], ending);
        for _ in 0..2 {
            assert!(plain == compile(&["--cache", &cache], ending), "{ending}");
        }
    }
    // One entry holds the code of all three.
    assert_eq!(pass(&["cache", "stat", &cache]), "1 entry, 0.0 MiB\n");
    let json = pass(&["cache", "stat", "--format", "json", &cache]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (json["entries"].as_u64(), json["bytes"].as_u64()),
        (Some(1), Some(4096))
    );
    assert_eq!(
        pass(&["cache", "clear", &cache]),
        "1 entry, 0.0 MiB removed\n"
    );
    assert_eq!(pass(&["cache", "stat", &cache]), "0 entries, 0.0 MiB\n");
}

#[test]
fn the_environment_names_a_cache() {
    let folder = Folder::new("cache-env");
    let cache = folder.path("cache");
    let compile = |value: &str| {
        let args = [
            "compile",
            "-p",
            "skl",
            &example("saxpy", "visaasm"),
            "--emit",
            "bin",
            "-o",
            "-",
        ];
        let kiln = Command::new(env!("CARGO_BIN_EXE_kiln"))
            .args(args)
            .env("KILN_CACHE", value)
            .output();
        assert!(kiln.unwrap().status.success());
    };
    compile("");
    assert!(folder.files().is_empty());
    compile(&cache);
    assert_eq!(pass(&["cache", "stat", &cache]), "1 entry, 0.0 MiB\n");
}

#[test]
fn what_is_no_cache_is_refused() {
    let folder = Folder::new("cache-none");
    folder.write("letter", "dear");
    let path = folder.path("");
    fail(&folder, &["cache", "stat", &path], &["no cache"]);
    fail(&folder, &["cache", "clear", &path], &["no cache"]);
    let missing = folder.path("missing");
    fail(&folder, &["cache", "clear", &missing], &["missing"]);
    let visa = example("saxpy", "visaasm");
    let args = ["compile", "-p", "skl", &visa, "--cache", &path, "-o", "-"];
    fail(
        &folder,
        &args,
        &["a folder with other files, among them letter"],
    );
}

/// If no file can grow, as on a full disk, compilation succeeds and leaves no files.
#[cfg(unix)]
#[test]
fn a_full_disk_costs_only_the_cache() {
    let folder = Folder::new("cache-full");
    let (cache, visa) = (folder.path("cache"), example("saxpy", "visaasm"));
    pass(&[
        "compile",
        "-p",
        "skl",
        &example("sgemm", "visaasm"),
        "--cache",
        &cache,
        "-o",
        "-",
        "--emit",
        "bin",
    ]);
    let args = [
        "compile", "-p", "skl", &visa, "--emit", "bin", "-o", "-", "--cache", &cache,
    ];
    let limited = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";
    let limited = Command::new("sh")
        .args(["-c", limited, "sh", env!("CARGO_BIN_EXE_kiln")])
        .args(args)
        .output()
        .unwrap();
    let stderr = text(&limited.stderr);
    assert!(limited.status.success(), "{stderr}");
    assert!(
        stderr.contains("the cache cannot be written (1 of its entries): "),
        "{stderr}"
    );
    assert!(limited.stdout == kiln(&args[..8]).stdout);
    assert_eq!(fs::read_dir(folder.0.join("cache/tmp")).unwrap().count(), 0);
    assert_eq!(pass(&["cache", "stat", &cache]), "1 entry, 0.0 MiB\n");
}
