use super::*;

fn variant(simd: u32, spills: f64, cycles: f64) -> Variant {
    Variant {
        file: 0,
        simd,
        grfs: 128,
        spill_bytes: (1000.0 * spills) as u32,
        spills,
        cycles,
    }
}

/// Estimates of kernels of public suites on `dg2`, and which variant takes the fewest executed cycles, or nearly so.
#[test]
fn one_that_spills_is_taken_if_it_is_far_faster() {
    for (name, variants, expected) in [
        ("none", &[][..], 0),
        ("lotus5", &[(16, 0.082, 10343.0), (8, 0.0, 18407.0)], 0),
        (
            "mysgemmNT",
            &[(32, 6.06, 22639.0), (16, 0.0, 3769.0), (8, 0.0, 9870.0)],
            1,
        ),
        (
            "StencilKernel",
            &[(32, 0.042, 178.0), (16, 0.0, 152.0), (8, 0.0, 249.0)],
            1,
        ),
        (
            "IMGVF_kernel",
            &[(32, 0.37, 11183.0), (16, 0.013, 14894.0), (8, 0.0, 30422.0)],
            1,
        ),
        ("splitSort", &[(32, 0.005, 1127.0), (16, 0.0, 1666.0)], 0),
        // All spill, and equal ones.
        ("spilling", &[(32, 0.2, 90.0), (16, 0.1, 80.0)], 1),
        ("equal", &[(32, 0.0, 90.0), (32, 0.0, 90.0)], 0),
    ] {
        let of = variants.iter();
        let of: Vec<Variant> = of.map(|(simd, s, c)| variant(*simd, *s, *c)).collect();
        assert_eq!(best(&of), expected, "{name}");
    }
}
