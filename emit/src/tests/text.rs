use super::*;

fn written(write: impl FnOnce(&mut Text)) -> String {
    let mut text = Text::default();
    write(&mut text);
    text.into_string()
}

#[test]
fn numbers_are_as_the_standard_library_writes_them() {
    for n in (0..1200).chain([65_536, 999_999, i64::from(u32::MAX), i64::MAX]) {
        assert_eq!(written(|text| text.signed(n)), n.to_string());
        assert_eq!(written(|text| text.signed(-n)), (-n).to_string());
        assert_eq!(written(|text| text.hex(n as u64, 1)), format!("0x{n:X}"));
        assert_eq!(written(|text| text.hex(n as u64, 8)), format!("0x{n:08X}"));
    }
    assert_eq!(written(|text| text.signed(i64::MIN)), i64::MIN.to_string());
}

#[test]
fn spaces_come_and_go() {
    for count in [0, 1, 16, 17, 40] {
        let text = written(|text| {
            text.str("x");
            text.spaces(count);
        });
        assert_eq!(text, format!("x{}", " ".repeat(count)));
        assert_eq!(
            written(|text| {
                text.str(&text_of(count));
                text.trim_end();
            }),
            "x"
        );
    }
    assert_eq!(
        written(|text| {
            text.spaces(3);
            text.trim_end();
        }),
        ""
    );
}

fn text_of(count: usize) -> String {
    format!("x{}", " ".repeat(count))
}
