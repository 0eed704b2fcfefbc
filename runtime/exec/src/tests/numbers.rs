use super::*;

#[test]
fn fused_products_are_rounded_once() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f32::from_bits(match state & 3 {
            0 => (state >> 32) as u32,
            // Numbers near one, for which products and addends are of similar size.
            1 => (state >> 41) as u32 | 0x3f80_0000,
            2 => (state >> 41) as u32 & 0x7f_000f | 0xbf80_0000,
            _ => (state >> 32) as u32 & 0x807f_ffff,
        })
    };
    let special = [
        0.0,
        -0.0,
        1.0,
        f32::MAX,
        f32::MIN_POSITIVE,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        1e-45,
    ];
    let same = |x: f32, y: f32| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
    let check = |a: f32, b: f32, c: f32| {
        let (found, expected) = (fused(b, c, a), b.mul_add(c, a));
        assert!(
            same(found, expected),
            "{b:e} * {c:e} + {a:e}: {found:e}, {expected:e}"
        );
    };
    for a in special {
        for b in special {
            special.iter().for_each(|&c| check(a, b, c));
            check(random(), a, b);
        }
    }
    for _ in 0..300_000 {
        let (b, c) = (random(), random());
        check(random(), b, c);
        // An addend that almost cancels the product.
        check(-(b * c), b, c);
    }
}
