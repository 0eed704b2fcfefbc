//! Texts that are cut off or damaged anywhere end in a diagnostic or in vISA: no panic, and no pass breaks a rule.

use kiln_genx::error::{Code, Loc};
use kiln_genx::{Options, compile};
use kiln_platform::platform::PLATFORMS;

const SEED: &str = include_str!("../ll/everything.ll");

fn run(text: &str) {
    let options = Options::new(&PLATFORMS[0]);
    if let Err(error) = compile(text.as_bytes(), &options) {
        assert_ne!(error.code, Code::Pass, "{error}");
    }
}

/// Place of the diagnostic that something is too large.
fn too_large(bytes: &[u8]) -> Loc {
    let options = Options::new(&PLATFORMS[0]);
    let error = compile(bytes, &options).expect_err("a diagnostic");
    assert_eq!(error.code, Code::Size, "{error}");
    error.loc
}

/// A kernel with this body, which begins in line 3.
fn kernel(declarations: &str, body: &str) -> String {
    format!(
        "{declarations}\n\
         define spir_kernel void @k(ptr addrspace(1) %p) #0 {{\n{body}  ret void\n}}\n\
         attributes #0 = {{ \"VCFunction\" }}\n"
    )
}

#[test]
fn the_seed_compiles() {
    let options = Options::new(&PLATFORMS[0]);
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
    run("@g = constant [4294967295 x i64] zeroinitializer");
}

/// No variable of vISA has more bytes, and each operation on such a vector would be thousands of instructions.
#[test]
fn wide_values_are_refused_where_they_are_read() {
    // The pointer's type in the head of the function, and the record of the type.
    let text = too_large(include_bytes!("../ll/wide.ll"));
    assert_eq!((text.line, text.column), (3, 29));
    assert_eq!(too_large(include_bytes!("../bc/wide.bc")).byte, 186);
    for (ty, column) in [("<2049 x i1>", 14), ("i65537", 13), ("<8193 x i8>", 14)] {
        let text = kernel("", &format!("  %v = load {ty}, ptr addrspace(1) %p\n"));
        let place = too_large(text.as_bytes());
        assert_eq!((place.line, place.column), (3, column), "{ty}");
    }
}

/// Instructions on wide vectors, and functions that many kernels call, become many instructions.
#[test]
fn modules_become_no_millions_of_instructions() {
    let sum = "declare float @llvm.vector.reduce.fadd.v2048f32(float, <2048 x float>)";
    let sums = |n| {
        format!(
            "  %r{n} = call float @llvm.vector.reduce.fadd.v2048f32(float 0.0, <2048 x float> %v)\n"
        )
    };
    // Offsets that differ by element are made one address at a time.
    let part = "declare <4096 x i16> @llvm.genx.rdregioni.v4096i16.v4096i16.v4096i16(<4096 x i16>, i32, i32, i32, <4096 x i16>, i32)";
    let parts = |n: u32| {
        let from = n.checked_sub(1).map_or("%v".into(), |n| format!("%r{n}"));
        format!(
            "  %r{n} = call <4096 x i16> @llvm.genx.rdregioni.v4096i16.v4096i16.v4096i16(<4096 x i16> {from}, i32 1, i32 1, i32 0, <4096 x i16> {from}, i32 undef)\n  store <4096 x i16> %r{n}, ptr addrspace(1) %p\n"
        )
    };
    let refused = |declarations: &str, ty: &str, lines: String| {
        let body = format!("  %v = load {ty}, ptr addrspace(1) %p\n{lines}");
        assert_ne!(too_large(kernel(declarations, &body).as_bytes()).line, 0);
    };
    refused(sum, "<2048 x float>", (0..200).map(sums).collect());
    refused(part, "<4096 x i16>", (0..80).map(parts).collect());
}

/// Long lines, and chains of empty blocks, take time in proportion to their length: a hundredth of the limit here, which time by its
/// square would pass.
#[test]
fn long_lines_and_chains_take_linear_time() {
    const LIMIT: f64 = 4.0;
    let numbers = vec!["i32 7"; 320_000].join(", ");
    let line = format!(
        "@g = constant [320000 x i32] [{numbers}]\n{}",
        kernel("", "")
    );
    let blocks = (0..60_000).map(|i| format!("b{i}:\n  br label %b{}\n", i + 1));
    let blocks: String = blocks.collect();
    let chain = kernel("", &format!("  br label %b0\n{blocks}b60000:\n"));
    for text in [line, chain] {
        let start = std::time::Instant::now();
        compile(text.as_bytes(), &Options::new(&PLATFORMS[0])).expect("vISA");
        let seconds = start.elapsed().as_secs_f64();
        assert!(seconds < LIMIT, "{seconds} s");
    }
}
