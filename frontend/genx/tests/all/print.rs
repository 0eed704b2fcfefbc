//! The printed IR is read again as what it was: of every program, as it was read and after each pass.

use std::path::PathBuf;

use kiln_genx::attempt::ATTEMPTS;
use kiln_genx::{Options, compile, compile_dumped, ir, read};
use kiln_platform::platform::PLATFORMS;

const SEED: &str = include_str!("../ll/everything.ll");

/// Programs in one form.
fn programs(form: &str) -> Vec<PathBuf> {
    let folders = kiln_corpus::kernels(&["genx"]).into_iter();
    let files = folders.filter_map(|program| {
        let file = program.folder.join(format!("{}.{form}", program.name));
        file.exists().then_some(file)
    });
    let files: Vec<_> = files.collect();
    assert!(files.len() >= 70);
    files
}

/// Text of a module that was read and printed.
fn again(name: &str, text: &str) -> String {
    match read(text.as_bytes()) {
        Ok(module) => ir::print::print(&module),
        Err(error) => panic!("{name}: {}: {error}\n{text}", error.loc),
    }
}

#[test]
fn what_is_printed_is_read_again() {
    let seed = ("seed".to_string(), SEED.as_bytes().to_vec());
    let files = programs("ll").into_iter().chain(programs("opaque.bc"));
    let files = files.map(|path| {
        (
            path.display().to_string(),
            std::fs::read(path).expect("a file"),
        )
    });
    for (name, bytes) in files.chain([seed]) {
        for attempt in ATTEMPTS {
            let options = Options {
                attempts: std::slice::from_ref(attempt),
                ..Options::new(&PLATFORMS[0])
            };
            for (pass, text) in compile_dumped(&bytes, &options).0 {
                let name = format!("{name}, {pass}");
                let second = again(&name, &text);
                let mut lines = text.lines().zip(second.lines());
                let other = lines.find(|(a, b)| a != b);
                assert!(second == text, "{name}: {other:?}");
            }
        }
    }
}

#[test]
fn what_is_printed_is_the_same_program() {
    let options = Options::new(PLATFORMS.iter().find(|p| p.name == "skl").expect("skl"));
    let visa = |bytes: &[u8]| {
        let compiled = compile(bytes, &options).map_err(|error| error.message)?;
        Ok::<_, String>((kiln_visa::print::print(&compiled.visa), compiled.interfaces))
    };
    for path in programs("ll") {
        let bytes = std::fs::read(&path).expect("a file");
        let Ok(module) = read(&bytes) else { continue };
        let printed = ir::print::print(&module);
        assert!(
            visa(printed.as_bytes()) == visa(&bytes),
            "{}",
            path.display()
        );
    }
}
