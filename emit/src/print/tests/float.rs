use super::*;

fn written(write: impl FnOnce(&mut Text)) -> String {
    let mut text = Text::default();
    write(&mut text);
    text.into_string()
}

#[test]
fn forms_of_single_precision() {
    for (bits, text) in [
        (0x0000_0000, "0.0"),
        (0x8000_0000, "-0.0"),
        (0xbf80_0000, "-1.0"),
        (0x3dcc_cccd, "0.1"),
        (0x42c8_0000, "100.0"),
        (0x47f1_2000, "123456.0"),
        (0x5d5e_0b6b, "1e+18"),
        (0x3fc0_0001, "0x3FC00001"),
        (0x3851_b717, "5e-05"),
        (0x3951_b717, "0.0002"),
        (0x4974_2400, "1e+06"),
        (0x4996_b438, "1.234567e+06"),
        (0x7f7f_ffff, "0x7F7FFFFF"),
        (0x0000_0001, "1.4013e-45"),
        (0x0000_0ccd, "4.59206e-42"),
        (0x0080_0000, "0x800000"),
        (0xff80_0000, "-inf"),
        (0x7f80_0000, "inf"),
        (0x7fc0_0001, "qnan(0x1)"),
        (0xffa0_0000, "-snan(0x200000)"),
    ] {
        assert_eq!(written(|t| write_f32(bits, t)), text, "{bits:#x}");
    }
}

#[test]
fn other_precisions() {
    assert_eq!(written(|t| write_f64(0x3fb9_9999_9999_999a, t)), "0.1");
    assert_eq!(written(|t| write_f64(1, t)), "4.94066e-324");
    assert_eq!(
        written(|t| write_f64(u64::MAX >> 12 | 0x7fe << 52, t)),
        "0x7FEFFFFFFFFFFFFF"
    );
    assert_eq!(written(|t| write_f16(0x3e00, t)), "1.5");
    assert_eq!(written(|t| write_f16(0x2e66, t)), "0x2E66");
    assert_eq!(written(|t| write_f16(0xfc00, t)), "-inf");
    assert_eq!(written(|t| write_f16(0x7e01, t)), "qnan(0x1)");
}
