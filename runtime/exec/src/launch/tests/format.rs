//! Conversions with the texts that glibc gives for them: `printf.txt` is what `printf.c` prints.

use super::*;

/// Conversions with values and their texts: the conversion, kind and value, text.
const CASES: &str = include_str!("printf.txt");

#[test]
fn numbers_have_the_text_that_c_gives_them() {
    let mut wrong = Vec::new();
    for line in CASES.lines() {
        let fields: Vec<&str> = line.splitn(4, '|').collect();
        let [format, kind, value, expected] = fields[..] else {
            panic!("{line}");
        };
        let parts = parts(format.as_bytes());
        let [Part::Conversion(conversion)] = &parts[..] else {
            panic!("{line}: {parts:?}");
        };
        let bits = || u64::from_str_radix(value, 16).unwrap();
        let found = match kind {
            "i" => conversion.number(Value::Int(value.parse().unwrap())),
            "f" => conversion.number(Value::Float(f64::from_bits(bits()))),
            "p" => conversion.number(Value::Pointer(bits())),
            _ => conversion.string(value.as_bytes()),
        };
        if found != expected.as_bytes() {
            let found = String::from_utf8_lossy(&found);
            wrong.push(format!("{format} of {value}: {found:?}, not {expected:?}"));
        }
    }
    assert!(CASES.lines().count() > 600);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn formats_are_cut_into_text_and_conversions() {
    let texts = |format| {
        let parts = parts(format);
        let text = |part| match part {
            Part::Text(text) => String::from_utf8_lossy(text).into_owned(),
            Part::Conversion(conversion) => format!("<{}>", char::from(conversion.letter)),
        };
        parts.into_iter().map(text).collect::<Vec<_>>()
    };
    assert_eq!(texts(b"a%%b%-08.3v4hlfc"), ["a", "%", "b", "<f>", "c"]);
    assert_eq!(texts(b"%5"), ["%5"]);
    assert_eq!(texts(b"%"), ["%"]);
    assert_eq!(texts(b""), [""; 0]);
}

#[test]
fn fields_of_any_width_have_a_limit() {
    let parts = parts(b"%99999999999999999999999d%.99999999999f");
    for part in parts {
        if let Part::Conversion(conversion) = part {
            assert!(conversion.number(Value::Int(1)).len() <= MAX_FIELD + 2);
        }
    }
}
