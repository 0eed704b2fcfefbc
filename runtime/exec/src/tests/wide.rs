use super::*;

/// Doubles that meet every case: special, denormal, neighbours of powers of two, ordinary.
fn samples() -> Vec<f64> {
    let mut all = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        1.5,
        3.0,
        0.1,
        -7.25,
        1e300,
        -1e300,
        1e-300,
        5e-324,
        -5e-324,
        2.2250738585072014e-308,
        2.225073858507201e-308,
        f64::MAX,
        f64::MIN,
        f64::EPSILON,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1.0 + f64::EPSILON,
        1.0 - f64::EPSILON / 2.0,
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..150 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        all.push(f64::from_bits(state));
        all.push(f64::from_bits(
            state & 0x800f_ffff_ffff_ffff | 0x3fe0_0000_0000_0000,
        ));
    }
    all
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[test]
fn sums_products_and_fused_products_are_the_hosts() {
    let all = samples();
    let nearest = Rounding::NearestEven;
    for &a in &all {
        for &b in &all {
            let (wa, wb) = (Wide::from_f64(a), Wide::from_f64(b));
            assert!(same(wa.add(wb, nearest).to_f64(), a + b), "{a:e} + {b:e}");
            assert!(same(wa.mul(wb).to_f64(), a * b), "{a:e} * {b:e}");
            for c in [a, -a * b, b, 1.0, -0.3, 1e-310] {
                let fused = wa.mul_add(wb, Wide::from_f64(c), nearest).to_f64();
                assert!(same(fused, a.mul_add(b, c)), "{a:e} * {b:e} + {c:e}");
            }
        }
    }
}

#[test]
fn singles_and_halves_are_the_hosts() {
    for a in samples() {
        let w = Wide::from_f64(a);
        let single = f32::from_bits(w.round(F, Rounding::NearestEven) as u32);
        assert!(same(f64::from(single), f64::from(a as f32)), "{a:e}");
        let half = half::f16::from_bits(w.round(HF, Rounding::NearestEven) as u16);
        assert!(
            same(half.to_f64(), half::f16::from_f64(a).to_f64()),
            "{a:e}"
        );
    }
}

#[test]
fn directed_roundings_enclose_the_number() {
    for a in samples().into_iter().filter(|a| a.is_finite()) {
        let round = |r| f64::from(f32::from_bits(Wide::from_f64(a).round(F, r) as u32));
        let (down, up) = (round(Rounding::Down), round(Rounding::Up));
        assert!(down <= a && a <= up, "{down:e} {a:e} {up:e}");
        assert_eq!(round(Rounding::TowardZero), if a < 0.0 { up } else { down });
        if down != up && down.is_finite() && up.is_finite() {
            assert_eq!((down as f32).next_up(), up as f32);
        } else if down.is_finite() && up.is_finite() {
            assert_eq!(down, a);
        }
    }
}
