use super::*;

#[test]
fn descriptions_are_read() {
    let d = Description::parse(
        "kernel: k\nglobal: [8, 4]\nlocal: [4, 2]\nargs:\n  - {buf: a, expect: b, type: f32, \
             ulp: 2, abs: 1e-6}\n  - {f32: 2.5}\n  - {i64: -9000000000000000000}\n  - {u64: \
             18000000000000000000}\n  - {bytes: \"07000000\"}\n  - {local: 12}\n",
    )
    .unwrap();
    assert_eq!((d.global, d.local, d.dimensions), ([8, 4, 1], [4, 2, 1], 2));
    let tolerance = Tolerance {
        scalar: Scalar::F32,
        ulp: 2,
        abs: 1e-6,
    };
    let expect = Some(Expectation {
        file: PathBuf::from("b"),
        tolerance,
    });
    assert_eq!(
        d.args[0],
        DescribedArg {
            source: Source::File(PathBuf::from("a")),
            expect
        }
    );
    assert_eq!(
        d.args[1].source,
        Source::Number(Scalar::F32, 2.5f32.to_le_bytes().to_vec())
    );
    assert_eq!(
        d.args[3].source,
        Source::Number(
            Scalar::U64,
            18_000_000_000_000_000_000u64.to_le_bytes().to_vec()
        )
    );
    assert_eq!(d.args[4].source, Source::Value(vec![7, 0, 0, 0]));
}

#[test]
fn bad_descriptions_are_errors() {
    let with = |args: &str| format!("kernel: k\nglobal: [8]\nlocal: [4]\nargs: {args}\n");
    assert!(Description::parse(&with("[]")).is_ok());
    for bad in [
        with("[{}]"),
        with("[{i32: 1, u32: 2}]"),
        with("[{i32: [1]}]"),
        with("[{zero: 4, expect: f}]"),
        with("[{zero: 4, expect: f, type: int}]"),
        with("[{zero: 4, expect: f, type: u32, ulp: -1}]"),
        "kernel: k\nglobal: [8, 8]\nlocal: [4]\nargs: []\n".to_string(),
        "kernel: k\nglobal: []\nlocal: []\nargs: []\n".to_string(),
        "kernel: k\nglobal: [1]\nlocal: [1]\nargs: []\nmore: 1\n".to_string(),
    ] {
        assert!(Description::parse(&bad).is_err(), "{bad}");
    }
}

#[test]
fn floats_are_compared_by_places_and_by_distance() {
    let f = |v: f32| v.to_le_bytes();
    let near = |a, b, ulp, abs| {
        compare(
            &f(a),
            &f(b),
            Tolerance {
                scalar: Scalar::F32,
                ulp,
                abs,
            },
        )
        .is_ok()
    };
    assert!(near(1.0, 1.0, 0, 0.0));
    assert!(!near(1.0, 1.0f32.next_up(), 0, 0.0));
    assert!(near(1.0, 1.0f32.next_up(), 1, 0.0));
    assert!(near(-1.0, (-1.0f32).next_up().next_up(), 2, 0.0));
    assert!(!near(-1.0, (-1.0f32).next_up().next_up(), 1, 0.0));
    assert!(near(f32::MIN_POSITIVE, 0.0, 0, 1e-30));
    assert!(!near(0.0, -0.0, 0, 0.0));
    assert!(near(0.0, -0.0, 1, 0.0));
    assert!(near(f32::NAN, -f32::NAN, 0, 0.0));
    assert!(!near(f32::NAN, 1.0, 9, 9.0));
    assert!(!near(f32::INFINITY, f32::MAX, 0, 1e30));
    let ints = Tolerance {
        scalar: Scalar::I32,
        ulp: 5,
        abs: 5.0,
    };
    let mismatch = compare(
        &[1, 0, 0, 0, 2, 0, 0, 0],
        &[1, 0, 0, 0, 254, 255, 255, 255],
        ints,
    );
    assert!(
        mismatch
            .unwrap_err()
            .to_string()
            .contains("number 1: -2 (0xfffffffe) found, 2")
    );
    assert_eq!(
        compare(&[0], &[], ints),
        Err(Mismatch::Size {
            expected: 1,
            found: 0
        })
    );
}
