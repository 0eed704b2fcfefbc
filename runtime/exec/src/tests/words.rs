use super::*;

#[test]
fn bytes_are_read_as_they_were_written() {
    let mut model: Vec<u8> = (0..37).collect();
    let words = Words::new(&model);
    for (at, size) in [(0, 4), (1, 2), (3, 5), (7, 1), (8, 8), (30, 7), (36, 1)] {
        let new: Vec<u8> = (0..size).map(|i| 100 + (at + i) as u8).collect();
        words.write(at, &new);
        model[at..at + size].copy_from_slice(&new);
        assert_eq!(words.to_bytes(), model, "{size} at {at}");
        let mut found = vec![0; size];
        words.read(at, &mut found);
        assert_eq!(found, new);
    }
}

#[test]
fn words_converted_in_several_parts_are_the_bytes_they_were_made_of() {
    let size = PART_BYTES;
    let mut bytes = vec![0; 2 * size + 6];
    for (at, n) in [
        (0, 1),
        (size - 1, 2),
        (size, 3),
        (2 * size - 2, 4),
        (2 * size + 5, 5),
    ] {
        bytes[at] = n;
    }
    let words = Words::of(bytes.clone());
    assert!(words.address().is_multiple_of(64));
    let mut found = [0; 8];
    words.read(size - 4, &mut found);
    assert_eq!(found, [0, 0, 0, 2, 3, 0, 0, 0]);
    words.write(2 * size - 2, &[6, 7, 8, 9]);
    bytes[2 * size - 2..2 * size + 2].copy_from_slice(&[6, 7, 8, 9]);
    assert!(words.to_bytes() == bytes);
    assert!(words.into_bytes() == bytes);
    let filled = Words::filled(size + 4, 0xba);
    filled.read(size, &mut found);
    assert_eq!(found, [0xba, 0xba, 0xba, 0xba, 0, 0, 0, 0]);
    assert_eq!(filled.len(), size + 4);
}

#[test]
fn updates_by_two_threads_are_all_kept() {
    for (at, size) in [(3, 1), (6, 2), (8, 4), (16, 8)] {
        let words = Words::new(&[0; 24]);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..1000).for_each(|_| _ = words.update(at, size, |n| n + 1)));
            }
        });
        let expected = if size == 1 { 2000 % 256 } else { 2000 };
        assert_eq!(words.update(at, size, |n| n), expected);
    }
}

#[test]
fn nothing_is_left_of_memory_that_other_words_had() {
    let others: Vec<Words> = (0..8).map(|_| Words::filled(64, 0xff)).collect();
    drop(others);
    let words = Words::new(&[1, 2, 3, 4, 5]);
    let mut found = [0xff; 8];
    words.read(0, &mut found);
    assert_eq!(found, [1, 2, 3, 4, 5, 0, 0, 0]);
    assert_eq!(
        words.first_difference(&Words::of(vec![1, 2, 3, 4, 5])),
        None
    );
}
