use super::*;

/// The best of variants of SIMD sizes, threads where eight are usual, spills for an instruction, and cycles of a thread.
fn best_of(variants: &[(u32, u32, f64, f64)]) -> Option<(usize, Reason)> {
    let made = variants.iter().map(|&(simd, threads, spills, cycles)| {
        Variant::with((simd, 1024 / threads), (threads, 8), (0, 0, spills, cycles))
    });
    best(&made.collect::<Vec<_>>())
}

#[test]
fn work_items_of_a_unit_decide_among_those_that_hardly_spill() {
    // Half the threads are worth it only for less than half the cycles.
    let halves = |cycles| best_of(&[(16, 8, 0.02, 1000.0), (16, 4, 0.0, cycles)]);
    assert_eq!(halves(501.0), Some((0, Reason::Cycles)));
    assert_eq!(halves(499.0), Some((1, Reason::Cycles)));
    // So are twice the channels for less than twice the cycles.
    let wider = |cycles| best_of(&[(16, 8, 0.0, 1000.0), (32, 8, 0.01, cycles)]);
    assert_eq!(wider(2001.0), Some((0, Reason::Cycles)));
    assert_eq!(wider(1999.0), Some((1, Reason::Cycles)));
    // The first of equal ones is taken.
    assert_eq!(wider(2000.0), Some((0, Reason::Cycles)));
    assert_eq!(best_of(&[(8, 8, 0.5, 1.0)]), Some((0, Reason::Only)));
    assert_eq!(best_of(&[]), None);
}

/// Estimates of kernels of public suites on `dg2`, and which variant takes the fewest executed cycles, or nearly so.
#[test]
fn one_that_spills_is_taken_if_it_is_far_faster() {
    for (name, variants, expected) in [
        (
            "lotus5",
            &[(16, 0.082, 10343.0), (8, 0.0, 18407.0)][..],
            (0, Reason::Cycles),
        ),
        (
            "mysgemmNT",
            &[(32, 6.06, 22639.0), (16, 0.0, 3769.0), (8, 0.0, 9870.0)],
            (1, Reason::Cycles),
        ),
        (
            "StencilKernel",
            &[(32, 0.042, 178.0), (16, 0.0, 152.0), (8, 0.0, 249.0)],
            (1, Reason::Cycles),
        ),
        (
            "IMGVF_kernel",
            &[(32, 0.37, 11183.0), (16, 0.013, 14894.0), (8, 0.0, 30422.0)],
            (1, Reason::Cycles),
        ),
        (
            "splitSort",
            &[(32, 0.005, 1127.0), (16, 0.0, 1666.0)],
            (0, Reason::Cycles),
        ),
        (
            "one that hardly spills",
            &[(32, 0.021, 100.0), (16, 0.0, 149.0)],
            (1, Reason::Spills),
        ),
        // All spill.
        (
            "spilling",
            &[(32, 0.2, 90.0), (16, 0.1, 80.0)],
            (1, Reason::Cycles),
        ),
    ] {
        // The figures are for a work-item.
        let of = variants.iter();
        let of = of.map(|&(simd, spills, cycles)| (simd, 8, spills, cycles * f64::from(simd)));
        assert_eq!(best_of(&of.collect::<Vec<_>>()), Some(expected), "{name}");
    }
}
