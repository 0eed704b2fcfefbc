//! Divergent control flow: branches of channels where the rules for them hold, else masks.

use kiln_genx::attempt::ATTEMPTS;
use kiln_genx::error::{Code, Diagnostic, Loc};
use kiln_genx::{Compiled, Options, compile, compile_dumped};
use kiln_platform::platform::{PLATFORMS, Platform};
use kiln_visa::opcode::Opcode;

fn skl() -> &'static Platform {
    PLATFORMS.iter().find(|p| p.name == "skl").expect("skl")
}

/// A program of the corpus.
fn program(name: &str) -> Vec<u8> {
    kiln_corpus::read(&format!("genx/{name}/{name}.ll"))
}

/// Branches of channels in vISA, and the warnings.
fn branches(compiled: &Compiled) -> (usize, Vec<String>) {
    let objects = compiled.visa.objects.iter();
    let insts = objects.flat_map(|object| &object.insts);
    let branches = insts.filter(|inst| inst.op == Opcode::Goto).count();
    let warnings = compiled.warnings.iter();
    let warnings = warnings.map(|found| format!("{}: {found}", found.loc));
    (branches, warnings.collect())
}

fn compiled(name: &str) -> (usize, Vec<String>) {
    branches(&compile(&program(name), &Options::new(skl())).expect("vISA"))
}

#[test]
fn branches_of_channels_stay_where_the_rules_hold() {
    assert_eq!(compiled("simdcf_if"), (2, vec![]));
    assert_eq!(compiled("simdcf_collatz"), (1, vec![]));
    assert_eq!(compiled("simdcf_nested"), (2, vec![]));
}

/// The dump after the last pass is the code of which vISA is made: `goto` and `join` are in it as often as vISA's.
#[test]
fn the_dump_shows_the_code_that_is_compiled() {
    for name in [
        "simdcf_if",
        "simdcf_collatz",
        "simdcf_nested",
        "simdcf_masks",
    ] {
        let (dumps, compiled) = compile_dumped(&program(name), &Options::new(skl()));
        let compiled = compiled.expect("vISA");
        let ran = |pass: &str| dumps.iter().any(|(name, _)| *name == pass);
        assert_eq!(ran("simdcf"), compiled.attempt.masks, "{name}");
        assert!(ran("edges"), "{name}");
        let (_, text) = dumps.last().expect("a dump");
        let calls = |what: &str| {
            let lines = text.lines().filter(|line| line.contains(" = call "));
            lines.filter(|line| line.contains(what)).count()
        };
        let (branches, _) = branches(&compiled);
        assert_eq!(calls("@llvm.genx.simdcf.goto"), branches, "{name}\n{text}");
        assert_eq!(
            calls("@llvm.genx.simdcf.join") > 0,
            branches > 0,
            "{name}\n{text}"
        );
    }
}

/// Only an error that belongs to divergent control flow leads to masks: all others end the compilation, with or without a
/// branch of channels in the module.
#[test]
fn other_errors_are_no_warnings() {
    let text = String::from_utf8(program("simdcf_masks")).expect("text");
    let (head, end) = text.rsplit_once("  ret void").expect("the end of a kernel");
    let wrong = format!(
        "{head}  %kiln.wrong = call i32 @llvm.genx.lane.id()\n  ret void{end}\ndeclare i32 @llvm.genx.lane.id()\n"
    );
    let error = compile(wrong.as_bytes(), &Options::new(skl())).expect_err("an error");
    assert_eq!(error.code, Code::Intrinsic, "{error}");
    let help = |error: &Diagnostic| ATTEMPTS.iter().any(|attempt| attempt.helps(error));
    for &code in Code::ALL {
        let error = Diagnostic::new(code, Loc::default(), "");
        assert_eq!(help(&error), code == Code::Divergence, "{code:?}");
    }
    // The masks themselves do not help: the first attempt's error counts.
    let first = Options {
        attempts: &ATTEMPTS[..1],
        ..Options::new(skl())
    };
    let error = compile(text.as_bytes(), &first).expect_err("an error");
    assert_eq!(error.code, Code::Divergence, "{error}");
}

#[test]
fn masks_take_their_place_elsewhere() {
    let (branches, warnings) = compiled("simdcf_masks");
    assert_eq!((branches, warnings.len()), (0, 1));
    assert!(warnings[0].contains(": rule "), "{}", warnings[0]);
}
