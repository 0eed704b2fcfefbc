//! `kiln gpu` without a driver: its exit codes, its report, and its help. `.ci/gpu` runs programs below the driver.

use std::process::Output;

use crate::program::{kiln, pass, text};

/// Runs a shell's line as the program, which may write to the file that processes with the device report to.
fn run(platform: &str, line: &str) -> Output {
    let program = std::env::current_exe().unwrap().display().to_string();
    // The loader takes no program for a library, and goes on without it.
    kiln(&[
        "gpu",
        "-p",
        platform,
        "--library",
        &program,
        "--",
        "sh",
        "-c",
        line,
    ])
}

#[test]
fn the_exit_code_is_the_programs_or_that_of_a_fault() {
    let fault = "for line in used fault sums; do echo $line >>$KILN_GPU_REPORT; done; ";
    for (platform, line, code) in [
        ("lnl", "exit 0", 0),
        ("lnl", "exit 3", 3),
        ("lnl", "kill -PIPE $$", 128 + 13),
        ("skl", "exit 3", 3),
        ("lnl", &format!("{fault} exit 0"), 1),
        ("lnl", &format!("{fault} exit 3"), 3),
        // A signal ends a process of the program, not the program.
        ("lnl", &format!("sh -c '{fault} kill -9 $$'; exit 0"), 1),
    ] {
        let output = run(platform, line);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{line}: {said}");
    }
}

#[test]
fn a_program_that_has_used_the_device_is_not_told_that_it_has_not() {
    let unused = "no driver used the device";
    let said = |line: &str| text(&run("lnl", line).stderr);
    assert!(said("exit 0").contains(unused));
    let killed = said("echo used >>$KILN_GPU_REPORT; kill -PIPE $$");
    assert!(!killed.contains(unused), "{killed}");
    let ended = said("echo used >>$KILN_GPU_REPORT; echo sums >>$KILN_GPU_REPORT");
    assert!(
        ended.ends_with("kiln gpu: sums\n") && !ended.contains("used"),
        "{ended}"
    );
}

#[test]
fn help_lists_the_devices_that_there_are() {
    let help = pass(&["help", "gpu"]);
    assert!(help.contains("tgllp") && !help.contains("bxt"), "{help}");
    let output = run("bxt", "exit 0");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("there is no device of bxt, but of skl, "));
}
