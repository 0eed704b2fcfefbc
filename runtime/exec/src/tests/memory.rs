//! Messages whose results are worked out by hand.

use super::*;

#[test]
fn untyped_messages_move_the_dwords_of_their_mask() {
    let mut t = numbered();
    put(&mut t, 10, 4, &[0, 16, 32, 48, 64, 80, 96, 112]);
    put(&mut t, 30, 4, &[9; 16]);
    t.active = 0b0101;
    // Reads x and z of each address.
    let read = send(
        DC1,
        desc(1, 2, 1 << 14 | 2 << 12 | 0b1010 << 8),
        8,
        Some(30),
        10,
        None,
    );
    exchange(&mut t, vec![read]).unwrap();
    let le = |n: u32| u32::from_le_bytes([n as u8, n as u8 + 1, n as u8 + 2, n as u8 + 3]);
    assert_eq!(dwords(&t, 30, 8), [le(0), 9, le(32), 9, 9, 9, 9, 9]);
    assert_eq!(dwords(&t, 31, 8), [le(8), 9, le(40), 9, 9, 9, 9, 9]);
    // Writes y and w of channels 0 and 2.
    put(
        &mut t,
        40,
        4,
        &[1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18],
    );
    t.ip = 0;
    let write = send(
        DC1,
        desc(1, 0, 9 << 14 | 2 << 12 | 0b0101 << 8),
        8,
        None,
        10,
        Some((40, 2)),
    );
    let after = exchange(&mut t, vec![write]).unwrap();
    let mut expected: Vec<u8> = (0..=255).collect();
    for (at, v) in [(4, 1u32), (12, 11), (36, 3), (44, 13)] {
        expected[at..at + 4].copy_from_slice(&v.to_le_bytes());
    }
    assert_eq!(after, expected);
}

#[test]
fn responses_may_overlap_their_payloads() {
    // Sixteen addresses in two registers; the response covers the second one first.
    let mut t = numbered();
    t.active = 0xffff;
    let addresses: Vec<u64> = (0..16).map(|i| 8 * i).collect();
    put(&mut t, 10, 4, &addresses);
    let read = send(
        DC1,
        desc(2, 2, 1 << 14 | 1 << 12 | 0b1110 << 8),
        16,
        Some(11),
        10,
        None,
    );
    exchange(&mut t, vec![read]).unwrap();
    let le = |n: u64| u32::from_le_bytes([n as u8, n as u8 + 1, n as u8 + 2, n as u8 + 3]);
    let expected: Vec<u32> = addresses.iter().map(|&a| le(a)).collect();
    assert_eq!(dwords(&t, 11, 16), expected);

    // Increments of sixteen dwords: the old values over the second register of addresses.
    let mut t = numbered();
    t.active = 0xffff;
    put(&mut t, 10, 4, &addresses);
    let rest = 2 << 14 | 1 << 13 | 5 << 8;
    let atomic = send(DC1, desc(2, 2, rest), 16, Some(11), 10, None);
    let after = exchange(&mut t, vec![atomic]).unwrap();
    assert_eq!(dwords(&t, 11, 16), expected);
    for a in addresses {
        let bytes = after[a as usize..][..4].try_into().unwrap();
        assert_eq!(u32::from_le_bytes(bytes), le(a) + 1);
    }
}

#[test]
fn bytes_are_gathered_and_scattered() {
    for (log, size) in [(0, 1), (1, 2), (2, 4)] {
        let mut t = numbered();
        put(&mut t, 10, 4, &[3, 200, 100, 0, 0, 0, 0, 0]);
        t.active = 0b111;
        let read = send(DC0, desc(1, 1, 4 << 14 | log << 10), 8, Some(30), 10, None);
        exchange(&mut t, vec![read]).unwrap();
        let expected = |n: u32| (0..size).fold(0, |v, i| v | (n + i) << (8 * i));
        assert_eq!(
            dwords(&t, 30, 3),
            [expected(3), expected(200), expected(100)]
        );
        put(&mut t, 40, 4, &[0xaabb_ccdd; 8]);
        t.ip = 0;
        t.active = 0b010;
        let write = send(
            DC0,
            desc(1, 0, 12 << 14 | log << 10),
            8,
            None,
            10,
            Some((40, 1)),
        );
        let after = exchange(&mut t, vec![write]).unwrap();
        let changed: Vec<usize> = (0..256).filter(|&i| usize::from(after[i]) != i).collect();
        assert_eq!(changed, (200..200 + size as usize).collect::<Vec<_>>());
        assert_eq!(after[200], 0xdd);
    }
}

#[test]
fn addresses_of_64_bits_reach_buffers() {
    let base = {
        let mut memory = Memory::default();
        let index = memory.add("surface", &[]);
        memory.address(index)
    };
    let mut t = numbered();
    let addresses: Vec<u64> = (0..8).map(|n| base + n * 24).collect();
    put(&mut t, 10, 8, &addresses);
    t.active = 0b1000_0001;
    // Two quadwords at each address.
    let read = send(
        DC1,
        desc(2, 4, 0x10 << 14 | 1 << 10 | 2 << 8 | 255),
        8,
        Some(30),
        10,
        None,
    );
    let quad = |n: u64| u64::from_le_bytes(std::array::from_fn(|i| n as u8 + i as u8));
    exchange(&mut t, vec![read]).unwrap();
    let found = get(&t, 30, 8, 16);
    assert_eq!(
        [found[0], found[7], found[8], found[15]],
        [quad(0), quad(168), quad(8), quad(176)]
    );
    // A block of four octwords, 32 bytes into the buffer.
    put(&mut t, 12, 8, &[base + 32, 0, 0, 0]);
    t.ip = 0;
    let block = send(
        DC1,
        desc(1, 2, HEADER | 0x14 << 14 | 3 << 8 | 255),
        8,
        Some(40),
        12,
        None,
    );
    exchange(&mut t, vec![no_mask(block)]).unwrap();
    assert_eq!(get(&t, 40, 1, 64), (32..96).collect::<Vec<_>>());
    // There is no buffer beyond the end.
    put(&mut t, 10, 8, &[base + 250; 8]);
    t.ip = 0;
    let read = send(
        DC1,
        desc(2, 2, 0x10 << 14 | 2 << 8 | 255),
        8,
        Some(30),
        10,
        None,
    );
    let error = exchange(&mut t, vec![read]).unwrap_err();
    assert!(
        matches!(
            error,
            Cause::OutOfBounds {
                channel: 0,
                at: 250,
                size: 8,
                room: 256,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn octword_blocks_and_scratch_space() {
    let mut t = numbered();
    let counting: Vec<u64> = (1..=16).collect();
    put(&mut t, 40, 4, &counting);
    put(&mut t, 12, 4, &[0, 0, 2, 0, 0, 0, 0, 0]);
    // Offset 2 octwords; four of them.
    let write = send(
        DC0,
        desc(1, 0, HEADER | 8 << 14 | 3 << 8),
        8,
        None,
        12,
        Some((40, 2)),
    );
    let read = send(DC0, desc(1, 2, HEADER | 3 << 8), 8, Some(50), 12, None);
    // The unaligned read's offset is in bytes: two octwords, 2 bytes off a multiple of 4.
    let unaligned = send(
        DC0,
        desc(1, 1, HEADER | 1 << 14 | 2 << 8),
        8,
        Some(60),
        12,
        None,
    );
    let after = exchange(&mut t, vec![no_mask(write), no_mask(read)]).unwrap();
    assert_eq!(after[31..37], [31, 1, 0, 0, 0, 2]);
    assert_eq!(get(&t, 50, 4, 16), counting);
    t.ip = 0;
    assert!(matches!(
        exchange(&mut t, vec![no_mask(unaligned)]),
        Err(Cause::Payload { .. })
    ));

    // Two registers of scratch space at register 3, dword by dword, then all of them back.
    let spill = send(
        DC0,
        desc(1, 0, HEADER | 7 << 16 | 1 << 12 | 3),
        16,
        None,
        12,
        Some((40, 2)),
    );
    let reload = send(
        DC0,
        desc(1, 2, HEADER | 1 << 18 | 1 << 12 | 3),
        16,
        Some(50),
        12,
        None,
    );
    t.ip = 0;
    t.active = 0xfffd;
    exchange(&mut t, vec![spill.clone(), no_mask(reload)]).unwrap();
    let mut expected = counting.clone();
    expected[1] = 0;
    assert_eq!(get(&t, 50, 4, 16), expected);
    // Another thread's scratch space is out of reach.
    put(&mut t, 12, 4, &[0, 0, 0, 0, 0, 0x400, 0, 0]);
    t.ip = 0;
    assert!(matches!(
        exchange(&mut t, vec![spill]),
        Err(Cause::Payload { .. })
    ));
}

#[test]
fn atomics_update_shared_memory_and_return() {
    // (operation, old, source 0, source 1, new, returned)
    let minus = |v: i32| v as u32;
    for (code, a, b, new, returned) in [
        (1, 0b1100, 0, 0b1000, 0b1010),
        (2, 0b1100, 0, 0b1110, 0b1010),
        (3, 0b1100, 0, 0b0110, 0b1010),
        (4, 7, 0, 7, 0b1010),
        (5, 0, 0, 11, 10),
        (6, 0, 0, 9, 10),
        (7, minus(-12), 0, minus(-2), 10),
        (8, 3, 0, 7, 10),
        (9, 3, 0, minus(-7), 10),
        (10, minus(-1), 0, 10, 10),
        (11, minus(-1), 0, minus(-1), 10),
        (12, minus(-1), 0, minus(-1), 10),
        (13, minus(-1), 0, 10, 10),
        (14, 10, 99, 99, 10),
        (14, 11, 99, 10, 10),
        (15, 0, 0, 9, 9),
    ] {
        let mut t = numbered();
        t.active = 1;
        put(&mut t, 10, 4, &[64; 8]);
        put(&mut t, 11, 4, &[10; 8]);
        put(&mut t, 12, 4, &[u64::from(a); 8]);
        put(&mut t, 13, 4, &[b; 8]);
        let slm = 254;
        let set = send(
            DC1,
            desc(1, 0, 9 << 14 | 2 << 12 | 0b1110 << 8 | slm),
            8,
            None,
            10,
            Some((11, 1)),
        );
        let rest = 2 << 14 | 1 << 13 | 1 << 12 | code << 8 | slm;
        let atomic = send(DC1, desc(1, 1, rest), 8, Some(30), 10, Some((12, 2)));
        let read = send(
            DC1,
            desc(1, 1, 1 << 14 | 2 << 12 | 0b1110 << 8 | slm),
            8,
            Some(31),
            10,
            None,
        );
        exchange(&mut t, vec![set, atomic, read]).unwrap();
        assert_eq!(
            (dwords(&t, 31, 1)[0], dwords(&t, 30, 1)[0]),
            (new, returned),
            "operation {code}"
        );
    }
}

#[test]
fn accesses_out_of_bounds_and_unknown_messages_are_errors() {
    let read = |bti: u32| {
        send(
            DC1,
            desc(1, 1, 1 << 14 | 2 << 12 | 0b1110 << 8 | bti),
            8,
            Some(30),
            10,
            None,
        )
    };
    let try_one = |offset: u64, i: Inst| {
        let mut t = numbered();
        put(&mut t, 10, 4, &[0, 0, offset, 0, 0, 0, 0, 0]);
        exchange(&mut t, vec![i]).map(|_| ())
    };
    assert!(try_one(252, read(0)).is_ok());
    assert!(matches!(
        try_one(253, read(0)),
        Err(Cause::OutOfBounds {
            channel: 2,
            at: 253,
            ..
        })
    ));
    assert!(matches!(
        try_one(0xffff_fffe, read(0)),
        Err(Cause::OutOfBounds { channel: 2, .. })
    ));
    assert!(try_one(124, read(254)).is_ok());
    assert!(matches!(
        try_one(125, read(254)),
        Err(Cause::OutOfBounds { .. })
    ));
    assert!(matches!(
        try_one(1024, read(255)),
        Err(Cause::OutOfBounds { .. })
    ));
    assert!(matches!(try_one(0, read(1)), Err(Cause::EmptyEntry(1))));
    assert!(matches!(try_one(0, read(200)), Err(Cause::EmptyEntry(200))));
    let sampler = send(2, desc(1, 1, 0), 8, Some(30), 10, None);
    assert!(matches!(
        try_one(0, sampler),
        Err(Cause::Message { sfid: 2, .. })
    ));
    let short = send(
        DC1,
        desc(1, 0, 9 << 14 | 2 << 12 | 0b1110 << 8),
        8,
        None,
        10,
        None,
    );
    assert!(matches!(try_one(0, short), Err(Cause::Payload { .. })));
}
