//! Quotients of integers where the platform has only an approximate reciprocal of floats.

use kiln_genx::{Options, compile};
use kiln_platform::platform::PLATFORMS;

const TEXT: &str = "target triple = \"spir64-unknown-unknown\"
declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)
define spir_kernel void @k(i64 %p, <8 x i32> %n, <8 x i32> %d) #0 {
  %q = udiv <8 x i32> %n, %d
  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %p, <8 x i32> %q)
  ret void
}
attributes #0 = { \"VCFunction\" }
";

/// The words of the code's instructions up to its first store.
fn code(platform: &str) -> Vec<Vec<String>> {
    let platform = PLATFORMS.iter().find(|p| p.name == platform);
    let options = Options::new(platform.expect("a platform"));
    let compiled = compile(TEXT.as_bytes(), &options).unwrap_or_else(|e| panic!("{}", e.message));
    let text = kiln_visa::print::print(&compiled.visa);
    let words = text.lines().map(|line| {
        line.split("//")
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    words
        .skip_while(|words| !words.iter().any(|word| word == "inv"))
        .take_while(|words| !words.iter().any(|word| word.starts_with("lsc_store")))
        .collect()
}

/// The scale of the reciprocal. Fails if the instructions are not those that `quotient` computes with.
fn scale() -> f32 {
    let code = code("bmg");
    let names: Vec<&str> = code
        .iter()
        .map(|words| {
            let name = words.iter().find(|word| !word.starts_with('('));
            name.expect("an instruction").as_str()
        })
        .collect();
    let expected = [
        "inv", "mul", "mov", "mul", "mov", "mulh", "add", "mulh", "mul", "add", "cmp.ge", "add",
        "add", "cmp.ge", "add",
    ];
    assert_eq!(names[..expected.len()], expected);
    let bits = code[1].last().and_then(|word| word.strip_suffix(":f"));
    let bits = bits
        .and_then(|word| word.strip_prefix("0x"))
        .expect("a float");
    f32::from_bits(u32::from_str_radix(bits, 16).expect("bits"))
}

/// The quotient by these instructions if `inv` is off by some units in the last place.
fn quotient(scale: f32, n: u32, d: u32, off: i32) -> u32 {
    let high = |a: u32, b: u32| ((u64::from(a) * u64::from(b)) >> 32) as u32;
    let inverse = f32::from_bits((1.0 / d as f32).to_bits().wrapping_add_signed(off));
    let estimate = (inverse * scale) as u32;
    let lacks = d.wrapping_mul(estimate).wrapping_neg();
    let reciprocal = estimate.wrapping_add(high(estimate, lacks));
    let mut q = high(n, reciprocal);
    let mut rest = n.wrapping_sub(q.wrapping_mul(d));
    for _ in 0..2 {
        if rest >= d {
            q = q.wrapping_add(1);
            rest = rest.wrapping_sub(d);
        }
    }
    q
}

#[test]
fn quotients_are_right_if_the_reciprocal_is_off_by_one_unit() {
    let scale = scale();
    let few = 1..5000;
    let powers =
        (12..32).flat_map(|bit| (-3..4).map(move |by| (1u32 << bit).wrapping_add_signed(by)));
    let spread = (0..20_000u32).map(|i| i.wrapping_mul(0x9e37_79b9) | (1 << 12));
    let large = u32::MAX - 5000..=u32::MAX;
    for d in few.chain(powers).chain(spread).chain(large) {
        let multiple = u32::MAX / d * d;
        for n in [
            u32::MAX,
            multiple,
            multiple - 1,
            d,
            d - 1,
            d.wrapping_add(1),
            u32::MAX / 2,
            0,
        ] {
            for off in [-1, 0, 1] {
                assert_eq!(quotient(scale, n, d, off), n / d, "{n} / {d}, off by {off}");
            }
        }
    }
}
