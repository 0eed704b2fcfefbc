use super::*;

#[test]
fn annotations_are_what_they_decode_to() {
    use SwsbKind::*;
    for (spec, bits) in [
        (&ONE_PIPE, 8),
        (&THREE_PIPES, 8),
        (&FOUR_PIPES, 10),
        (&FIVE_PIPES, 10),
    ] {
        let mut known = 0;
        for value in 0..1 << bits {
            for kind in [Send, Math, Systolic, Other] {
                if let Ok(swsb) = spec.decode(value, kind) {
                    let again = spec.encode(&swsb, kind);
                    assert!(again == Some(value) || again == Some(0), "{value:#x}");
                    known += usize::from(again == Some(value));
                }
            }
        }
        assert!(known > 400, "only {known} annotations");
    }
}

#[test]
fn what_has_no_code_is_refused() {
    let math = Swsb {
        dist: Some((Pipe::Math, 1)),
        ..Swsb::default()
    };
    assert_eq!(THREE_PIPES.encode(&math, SwsbKind::Other), None);
    assert_eq!(FOUR_PIPES.encode(&math, SwsbKind::Other), Some(0x29));
    let far = Swsb {
        dist: Some((Pipe::Own, 8)),
        ..Swsb::default()
    };
    assert_eq!(ONE_PIPE.encode(&far, SwsbKind::Other), Some(8));
    assert_eq!(THREE_PIPES.encode(&far, SwsbKind::Other), None);
}
