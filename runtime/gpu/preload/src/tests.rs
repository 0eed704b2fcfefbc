//! Programs below another system's loader, which is this system's own here: the test starts itself by it.

use std::fs::{File, read_link};
use std::io::Read as _;
use std::path::Path;
use std::process::Command;

use kiln_gpu::program;

const LOADER: &str = "/lib64/ld-linux-x86-64.so.2";
const LIBRARIES: &str = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu";

/// The program that runs for one that is started by name.
fn command_line(program: &str) -> String {
    let done = Command::new(program)
        .args(["-c", "tr '\\0' ' ' </proc/$$/cmdline; :"])
        .output()
        .unwrap();
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn programs_below_a_loader_meet_themselves() {
    let program = std::env::current_exe().unwrap();
    let options = [LOADER, "--library-path", LIBRARIES];
    let done = Command::new(LOADER)
        .args(&options[1..])
        .arg(&program)
        .args(["--exact", "tests::below_a_loader", "--ignored"])
        .env(program::LOADER, options.join("\n"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
    // Without a loader all is the system's.
    assert!(command_line("sh").starts_with("sh -c"));
}

#[test]
#[ignore = "it is a part of the test above"]
fn below_a_loader() {
    let own = std::env::args().next().unwrap();
    let same = Path::new("/proc").join(std::process::id().to_string());
    for path in [Path::new("/proc/self/exe"), &same.join("exe")] {
        assert_eq!(read_link(path).unwrap(), Path::new(&own));
        assert_eq!(path.canonicalize().unwrap(), Path::new(&own));
    }
    let mut bytes = [Vec::new(), Vec::new()];
    for (path, bytes) in ["/proc/self/exe", &own].iter().zip(&mut bytes) {
        File::open(path)
            .unwrap()
            .take(1 << 20)
            .read_to_end(bytes)
            .unwrap();
    }
    assert!(bytes[0] == bytes[1]);
    // Links of others are as they are.
    assert_ne!(read_link("/proc/self/cwd").unwrap(), Path::new(&own));
    for shell in ["sh", "/bin/sh"] {
        let line = command_line(shell);
        let expected = format!("{LOADER} --library-path {LIBRARIES} --argv0 {shell} ");
        assert!(line.starts_with(&expected), "{line}");
        assert!(line.contains("/sh -c"), "{line}");
    }
    // A missing file is an error, and a file of another kind is not the loader's.
    assert!(Command::new("/none/program").output().is_err());
    assert!(!program::is_loaded(Path::new("/proc/self/cmdline")));
}
