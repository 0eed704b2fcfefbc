//! Texts that are cut off or damaged anywhere end in a diagnostic or in vISA: no panic.

use kiln_genx::{Options, compile};
use kiln_target::platform::PLATFORMS;

const SEED: &str = include_str!("ll/everything.ll");

fn run(text: &str) {
    let options = Options {
        platform: &PLATFORMS[0],
        variant: None,
    };
    let _ = compile(text.as_bytes(), &options);
}

#[test]
fn the_seed_compiles() {
    let options = Options {
        platform: &PLATFORMS[0],
        variant: None,
    };
    if let Err(error) = compile(SEED.as_bytes(), &options) {
        panic!("{}: {error}", error.loc);
    }
}

#[test]
fn texts_that_end_anywhere() {
    for end in (0..SEED.len()).filter(|end| SEED.is_char_boundary(*end)) {
        run(&SEED[..end]);
    }
}

#[test]
fn texts_with_other_characters() {
    let others = [
        b'0', b'9', b'<', b'>', b'(', b')', b'x', b'%', b'@', b'!', b',', b' ', b'-', b'\n',
    ];
    let mut state = 1u64;
    for round in 0..4000 {
        let mut bytes = SEED.as_bytes().to_vec();
        for _ in 0..=round % 3 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] = others[(state >> 20) as usize % others.len()];
        }
        if let Ok(text) = std::str::from_utf8(&bytes) {
            run(text);
        }
    }
}

#[test]
fn nothing_is_nested_without_end() {
    let deep = |open: &str, close: &str, inner: &str| {
        format!(
            "@g = constant {}{inner}{} zeroinitializer",
            open.repeat(100_000),
            close.repeat(100_000)
        )
    };
    run(&deep("[1 x ", "]", "i32"));
    run(&deep("{", "}", "i32"));
    run(&format!("!0 = {}", "!{".repeat(100_000)));
    run(&format!(
        "@g = constant i32 {}",
        "add (i32 1, i32 ".repeat(100_000)
    ));
    run("define void @f(<1048577 x i32> %a) {\n ret void\n}");
    run("@g = constant [4294967295 x i64] zeroinitializer");
}
