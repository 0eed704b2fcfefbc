use super::*;

fn member(name: &str, data: &[u8]) -> Member {
    Member {
        name: name.to_string(),
        data: data.to_vec(),
    }
}

/// GNU ar and ocloc agree on the layout of these bytes, which were written out by hand from the format's description.
#[test]
fn the_layout_is_that_of_the_format() {
    let head =
        |name: &str, size: &str| format!("{name:<16}0           0     0     644     {size:<10}`\n");
    let mut expected = b"!<arch>\n".to_vec();
    // One header ends at 68, two at 128: the filler has a whole unit.
    let filler = 8;
    expected.extend(head("pad_0/", &filler.to_string()).bytes());
    expected.extend(vec![b' '; filler]);
    expected.extend(head("20.4.4/", "3").bytes());
    expected.extend(b"abc\0");
    assert!(write(&[member("20.4.4", b"abc")]) == expected);
}

#[test]
fn members_come_back_and_are_aligned() {
    let members = [
        member("64.20.4.4", &[1; 7]),
        member("32.20.1.4", &[2; 16]),
        member("generic_ir", &[]),
    ];
    let bytes = write(&members);
    assert_eq!(read(&bytes).unwrap(), members);
    for data in [&[1; 7][..], &[2; 16]] {
        let at = bytes.windows(data.len()).position(|part| part == data);
        assert!(at.unwrap().is_multiple_of(ALIGNMENT));
    }
}

#[test]
fn what_is_no_archive_is_none() {
    assert_eq!(read(b"\x7fELF"), None);
    let whole = write(&[member("20.4.4", b"abcd")]);
    for end in 9..whole.len() {
        let cut = read(&whole[..end]);
        assert!(cut.is_none_or(|members| members.len() <= 1), "{end}");
    }
    let mut large = whole.clone();
    let size = whole
        .windows(2)
        .rposition(|part| part == HEADER_END)
        .unwrap()
        - SIZE_BYTES;
    large[size..size + SIZE_BYTES].copy_from_slice(b"9999999999");
    assert_eq!(read(&large), None);
}
