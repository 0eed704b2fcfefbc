use super::*;

#[test]
fn pieces_join_least_significant_first() {
    const FIELD: Bits = bits(3, 0).then(11, 8);
    let mut word = u128::MAX;
    assert!(FIELD.set(&mut word, 0xa5));
    assert_eq!(FIELD.get(word), 0xa5);
    assert_eq!(word & 0xfff, 0xaf5);
    assert!(!FIELD.set(&mut word, 0x100));
    assert_eq!(FIELD.get(word), 0xa5);
}

#[test]
fn signed_values_keep_their_range() {
    const FIELD: Bits = bits(127, 126).then(64, 64);
    let mut word = 0;
    for value in -4..4 {
        assert!(FIELD.set_signed(&mut word, value));
        assert_eq!(FIELD.get_signed(word), value);
    }
    assert!(!FIELD.set_signed(&mut word, 4));
    assert!(!FIELD.set_signed(&mut word, -5));
}

#[test]
fn a_field_may_fill_a_qword() {
    const FIELD: Bits = bits(127, 64);
    let mut word = 7;
    assert!(FIELD.set(&mut word, u64::MAX));
    assert_eq!((FIELD.get(word), word as u64), (u64::MAX, 7));
    assert!(Bits::NONE.set(&mut word, 0) && !Bits::NONE.set(&mut word, 1));
}
