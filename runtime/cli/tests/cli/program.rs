//! Runs the program, and makes folders for its inputs and outputs.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Names of the examples.
pub fn names() -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(examples())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("launch.yaml").exists())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 14, "only {names:?} found");
    names
}

/// A file of an example.
pub fn example(name: &str, extension: &str) -> String {
    examples()
        .join(name)
        .join(format!("{name}.{extension}"))
        .display()
        .to_string()
}

/// Path of a file of the corpus.
pub fn fixture(name: &str) -> String {
    kiln_corpus::path(name).display().to_string()
}

/// A folder for one test's files, empty before the test and removed after it.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(test: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{test}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        fs::write(self.0.join(name), bytes).unwrap();
        self.path(name)
    }

    /// Names of the files in it.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0)
            .unwrap()
            .map(|e| e.unwrap().file_name());
        let mut files: Vec<_> = entries.map(|n| n.to_string_lossy().into_owned()).collect();
        files.sort();
        files
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn kiln(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kiln"))
        .args(args)
        .output()
        .unwrap()
}

/// Runs the program where files may have a few kilobytes, as on a disk that is full after these.
#[cfg(target_os = "linux")]
pub fn limited(args: &[&str]) -> Output {
    // A signal that is ignored becomes an error of the write.
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_kiln")]);
    command.args(args).output().unwrap()
}

/// Runs the program with standard input, which it need not read to the end.
pub fn piped(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kiln"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Standard output of a run that must succeed.
pub fn pass(args: &[&str]) -> String {
    let output = kiln(args);
    assert!(
        output.status.success(),
        "kiln {args:?}: {}",
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// Runs the program, which must fail with one diagnostic that contains all of `parts`, and must write nothing to the
/// folder or to standard output.
pub fn fail(folder: &Folder, args: &[&str], parts: &[&str]) {
    let before = folder.files();
    let output = kiln(args);
    let stderr = text(&output.stderr);
    // `program_help` tests which code it is.
    let code = output.status.code();
    assert!(matches!(code, Some(1..=4)), "kiln {args:?}: {stderr}");
    assert_eq!(stderr.matches('×').count(), 1, "kiln {args:?}: {stderr}");
    for part in parts {
        assert!(
            stderr.contains(part),
            "kiln {args:?}: `{part}` is not said in: {stderr}"
        );
    }
    assert_eq!(text(&output.stdout), "", "kiln {args:?}");
    assert_eq!(folder.files(), before, "kiln {args:?} wrote something");
}
