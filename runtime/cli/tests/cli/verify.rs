//! `kiln verify` accepts the reference compiler's code and reports patched errors.

use std::path::{Path, PathBuf};
use std::process::Command;

use kiln_emit::encoding::encode;
use kiln_emit::inst::{Inst, TokenUse};
use kiln_emit::listing::entries;
use kiln_emit::platform;
use kiln_emit::zebin::Zebin;

fn example(device: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/saxpy");
    root.join(device).join("saxpy.zebin")
}

/// Exit code and standard output.
fn verify(args: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    let output = command.arg("verify").args(args).output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

#[test]
fn nothing_is_wrong_with_the_reference_compilers_code() {
    let files = ["", "icllp", "tgllp", "dg2"].map(example);
    let files = files.each_ref().map(|file| file.to_str().unwrap());
    let (code, text) = verify(&files);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.ends_with(" 0 findings\n"), "{text}");
}

#[test]
fn a_dependency_that_nothing_covers_is_shown_with_both_instructions() {
    let tgllp = platform::find("tgllp").unwrap();
    let zebin = Zebin::parse(&std::fs::read(example("tgllp")).unwrap()).unwrap();
    let insts = entries(&zebin.kernels[0].text, tgllp);
    let mut insts: Vec<Inst> = insts.map(|entry| entry.inst.unwrap()).collect();
    let waits = |inst: &&mut Inst| matches!(inst.swsb.token, Some((TokenUse::Dst, _)));
    let waiting = insts.iter_mut().find(waits).expect("one waits");
    let Some((_, token)) = waiting.swsb.token.take() else {
        unreachable!("it waits");
    };
    let code: Vec<u8> = insts
        .iter()
        .flat_map(|inst| encode(inst, tgllp).unwrap().as_bytes().to_vec())
        .collect();
    let name = format!("kiln-verify-{}.bin", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, &code).unwrap();
    let path = file.to_str().unwrap();
    let (exit, text) = verify(&["-p", "tgllp", path]);
    let missing = format!("reads what it writes; {{${token}.dst}} is missing");
    assert_eq!(exit, Some(1), "{text}");
    assert!(text.contains(&missing), "{text}");
    assert!(text.contains("does not wait for 0x"), "{text}");

    // Bytes that are no instruction, and a broken rule.
    let mut broken = code.clone();
    broken[..16].fill(0xff);
    std::fs::write(&file, &broken).unwrap();
    let (exit, text) = verify(&["-p", "tgllp", path]);
    assert_eq!(exit, Some(1), "{text}");
    assert!(text.contains(": 0x0: no instruction: "), "{text}");
    std::fs::remove_file(&file).unwrap();
}
