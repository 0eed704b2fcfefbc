//! Every form of a program gives the same vISA, or the same diagnostic: text and bitcode, with typed and with opaque
//! pointers, and SPIR-V (`corpus/genx`, made by LLVM and its translator).

use std::path::PathBuf;

use kiln_genx::error::Code;
use kiln_genx::{Options, compile};
use kiln_platform::platform::PLATFORMS;

const FORMS: [&str; 3] = ["opaque.ll", "bc", "opaque.bc"];
/// Programs in which the translator writes other instructions: booleans that are cut off are compared, copies and double
/// shifts are loops and functions, a fence has other scopes, a folder has one slash.
const REWRITTEN: [&str; 15] = [
    "aggregates",
    "functions_of_doubles",
    "launch_functions",
    "llvm_integers",
    "local_variables",
    "lsc_blocks",
    "mask_arguments",
    "names",
    "ordered_atomics",
    "predicate_concat",
    "predicates",
    "scaled",
    "surface_atomics",
    "unaligned_copies",
    "variable_copies",
];

/// Programs of a set of the corpus, and their own folders.
fn programs(set: &str) -> Vec<(String, PathBuf)> {
    let programs = kiln_corpus::kernels(&[set]).into_iter();
    programs.map(|p| (p.name, p.folder)).collect()
}

/// The vISA of a file, or the diagnostic without its place.
fn visa(bytes: &[u8], platform: &str) -> Result<String, (Code, String)> {
    let platform = PLATFORMS.iter().find(|p| p.name == platform);
    let options = Options::new(platform.expect("a platform"));
    match compile(bytes, &options) {
        Ok(compiled) => Ok(kiln_visa::print::print(&compiled.visa)),
        Err(error) => Err((error.code, error.message)),
    }
}

#[test]
fn all_forms_give_the_same() {
    let (skl, later) = (programs("genx"), programs("genx_lsc"));
    assert!(skl.len() >= 97 && later.len() >= 7);
    let skl = skl.iter().map(|program| (program, "skl"));
    let mut translated = 0;
    for ((name, folder), platform) in skl.chain(later.iter().map(|program| (program, "bmg"))) {
        let read = |form: &str| {
            let path = folder.join(format!("{name}.{form}"));
            std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        };
        let text = visa(&read("ll"), platform);
        assert!(text.is_ok(), "{name}: {text:?}");
        for form in FORMS {
            assert!(
                visa(&read(form), platform) == text,
                "{name}.{form} differs from {name}.ll"
            );
        }
        // The translator has no words for some programs.
        if !folder.join(format!("{name}.spv")).exists() {
            continue;
        }
        let same = visa(&read("spv"), platform) == text;
        assert!(same != REWRITTEN.contains(&name.as_str()), "{name}.spv");
        translated += 1;
    }
    assert_eq!(translated, 111);
}

#[test]
fn a_wrapper_is_looked_into() {
    let (name, folder) = &programs("genx")[0];
    let bitcode = std::fs::read(folder.join(format!("{name}.bc"))).expect("bitcode");
    let mut wrapped = Vec::new();
    for field in [0x0b17_c0de_u32, 0, 20, bitcode.len() as u32, 0] {
        wrapped.extend(field.to_le_bytes());
    }
    wrapped.extend(&bitcode);
    // Bytes after the wrapper's end do not matter.
    wrapped.extend([0xff; 8]);
    assert!(visa(&wrapped, "skl") == visa(&bitcode, "skl"));
}

#[test]
fn errors_in_bitcode_have_a_place() {
    let (name, folder) = &programs("genx")[0];
    let bitcode = std::fs::read(folder.join(format!("{name}.bc"))).expect("bitcode");
    let options = Options::new(&PLATFORMS[0]);
    let cut = &bitcode[..bitcode.len() / 2];
    let error = compile(cut, &options).expect_err("half a file");
    assert_eq!(error.code, Code::Bitcode);
    assert!(
        (1..=cut.len() as u32).contains(&error.loc.byte),
        "{error:?}"
    );
}
