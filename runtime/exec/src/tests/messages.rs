//! Every kind of message, compared with a model written from the manual's tables.

use super::images::exchange_image;
use super::*;
use crate::state::image::Sampler;

/// Bytes of a general register here.
const GRF_BYTES: usize = 32;

/// A message that moves elements between registers and memory, one or several for each channel.
struct Moving {
    name: &'static str,
    sfid: u8,
    /// Bits 8 to 18 of the descriptor.
    bits: u32,
    lanes: usize,
    /// Bytes of an address in the payload.
    address: usize,
    /// Unit of addresses in bytes.
    unit: u64,
    /// Bytes of an element in memory and in registers.
    element: usize,
    slot: usize,
    /// Byte offsets of a channel's elements from its address.
    places: &'static [u64],
    write: bool,
}

const fn moving(
    name: &'static str,
    sfid: u8,
    bits: u32,
    (lanes, address, unit): (usize, usize, u64),
    (element, slot): (usize, usize),
    places: &'static [u64],
    write: bool,
) -> Moving {
    Moving {
        name,
        sfid,
        bits,
        lanes,
        address,
        unit,
        element,
        slot,
        places,
        write,
    }
}

const W: bool = true;
const R: bool = false;

/// Messages by their fields in the manual: type from bit 14 on, and the type's own fields below.
const MOVING: &[Moving] = &[
    moving(
        "byte scattered read",
        DC0,
        4 << 14,
        (8, 4, 1),
        (1, 4),
        &[0],
        R,
    ),
    moving(
        "word scattered read",
        DC0,
        4 << 14 | 1 << 10 | 1 << 8,
        (16, 4, 1),
        (2, 4),
        &[0],
        R,
    ),
    moving(
        "dword by byte read",
        DC0,
        4 << 14 | 2 << 10 | 1 << 8,
        (16, 4, 1),
        (4, 4),
        &[0],
        R,
    ),
    moving(
        "byte scattered write",
        DC0,
        12 << 14,
        (8, 4, 1),
        (1, 4),
        &[0],
        W,
    ),
    moving(
        "word scattered write",
        DC0,
        12 << 14 | 1 << 10 | 1 << 8,
        (16, 4, 1),
        (2, 4),
        &[0],
        W,
    ),
    moving(
        "dword by byte write",
        DC0,
        12 << 14 | 2 << 10,
        (8, 4, 1),
        (4, 4),
        &[0],
        W,
    ),
    moving(
        "dword scattered read",
        DC0,
        3 << 14,
        (8, 4, 4),
        (4, 4),
        &[0],
        R,
    ),
    moving(
        "dword scattered read x2",
        DC0,
        3 << 14 | 1 << 10 | 1 << 8,
        (16, 4, 4),
        (4, 4),
        &[0, 4],
        R,
    ),
    moving(
        "dword scattered write",
        DC0,
        11 << 14 | 1 << 8,
        (16, 4, 4),
        (4, 4),
        &[0],
        W,
    ),
    moving(
        "untyped read x",
        DC1,
        1 << 14 | 2 << 12 | 0b1110 << 8,
        (8, 4, 1),
        (4, 4),
        &[0],
        R,
    ),
    moving(
        "untyped read yw",
        DC1,
        1 << 14 | 1 << 12 | 0b0101 << 8,
        (16, 4, 1),
        (4, 4),
        &[4, 12],
        R,
    ),
    moving(
        "untyped read xyzw",
        DC1,
        1 << 14 | 1 << 12,
        (16, 4, 1),
        (4, 4),
        &[0, 4, 8, 12],
        R,
    ),
    moving(
        "untyped write xyz",
        DC1,
        9 << 14 | 2 << 12 | 0b1000 << 8,
        (8, 4, 1),
        (4, 4),
        &[0, 4, 8],
        W,
    ),
    moving(
        "untyped write z",
        DC1,
        9 << 14 | 1 << 12 | 0b1011 << 8,
        (16, 4, 1),
        (4, 4),
        &[8],
        W,
    ),
    moving("a64 byte read", DC1, 0x10 << 14, (8, 8, 1), (1, 4), &[0], R),
    moving(
        "a64 word read",
        DC1,
        0x10 << 14 | 1 << 12 | 1 << 10,
        (16, 8, 1),
        (2, 4),
        &[0],
        R,
    ),
    moving(
        "a64 dword by byte read",
        DC1,
        0x10 << 14 | 2 << 10,
        (8, 8, 1),
        (4, 4),
        &[0],
        R,
    ),
    moving(
        "a64 dword read x2",
        DC1,
        0x10 << 14 | 1 << 12 | 1 << 10 | 1 << 8,
        (16, 8, 1),
        (4, 4),
        &[0, 4],
        R,
    ),
    moving(
        "a64 dword read x4",
        DC1,
        0x10 << 14 | 2 << 10 | 1 << 8,
        (8, 8, 1),
        (4, 4),
        &[0, 4, 8, 12],
        R,
    ),
    moving(
        "a64 qword read",
        DC1,
        0x10 << 14 | 1 << 12 | 2 << 8,
        (16, 8, 1),
        (8, 8),
        &[0],
        R,
    ),
    moving(
        "a64 qword read x4",
        DC1,
        0x10 << 14 | 2 << 10 | 2 << 8,
        (8, 8, 1),
        (8, 8),
        &[0, 8, 16, 24],
        R,
    ),
    moving(
        "a64 byte write",
        DC1,
        0x1a << 14,
        (8, 8, 1),
        (1, 4),
        &[0],
        W,
    ),
    moving(
        "a64 word write",
        DC1,
        0x1a << 14 | 1 << 10,
        (8, 8, 1),
        (2, 4),
        &[0],
        W,
    ),
    moving(
        "a64 dword write x2",
        DC1,
        0x1a << 14 | 1 << 10 | 1 << 8,
        (8, 8, 1),
        (4, 4),
        &[0, 4],
        W,
    ),
    moving(
        "a64 qword write",
        DC1,
        0x1a << 14 | 1 << 12 | 2 << 8,
        (16, 8, 1),
        (8, 8),
        &[0],
        W,
    ),
    moving(
        "a64 untyped read yz",
        DC1,
        0x11 << 14 | 2 << 12 | 0b1001 << 8,
        (8, 8, 1),
        (4, 4),
        &[4, 8],
        R,
    ),
    moving(
        "a64 untyped write xw",
        DC1,
        0x19 << 14 | 2 << 12 | 0b0110 << 8,
        (8, 8, 1),
        (4, 4),
        &[0, 12],
        W,
    ),
];

/// Address of the surface of `exchange`.
fn surface_base() -> u64 {
    let mut memory = Memory::default();
    let index = memory.add("surface", &[]);
    memory.address(index)
}

/// Number of registers for a number of elements of a size in bytes.
pub(super) fn registers(lanes: usize, bytes: usize) -> usize {
    (lanes * bytes).div_ceil(GRF_BYTES)
}

/// A split send with parts of any lengths at r10 and r40, and a response at r80.
pub(super) fn message(sfid: u8, bits: u32, exec: u8, lens: (usize, usize, usize)) -> Inst {
    let (first, second, response) = lens;
    let full = desc(first as u32, response as u32, bits);
    let dst = (response > 0).then_some(80);
    let part = (second > 0).then_some((40, second as u32));
    send(sfid, full, exec, dst, 10, part)
}

#[test]
fn every_gathering_and_scattering_message_moves_what_the_manual_says() {
    let mut random = Random(1);
    for case in MOVING {
        for _ in 0..20 {
            let mut t = Thread::new(0, 0xffff, &SKL);
            let mask = random.next() as u32 & ((1 << case.lanes) - 1);
            t.active = mask;
            // Multiples of 8, so that no quadword is split; each channel has its own.
            let start = |lane: usize| (lane as u64 * 5 % 16 * 8) / case.unit;
            let base = if case.address == 8 { surface_base() } else { 0 };
            let addresses: Vec<u64> = (0..case.lanes).map(|lane| base + start(lane)).collect();
            put(&mut t, 10, case.address, &addresses);
            let stride = registers(case.lanes, case.slot);
            let count = case.places.len();
            let data: Vec<u64> = (0..stride * count * GRF_BYTES)
                .map(|_| random.next() & 0xff)
                .collect();
            put(&mut t, 40, 1, &data);
            put(&mut t, 80, 1, &[0x77; 16 * GRF_BYTES]);
            let part = stride * count;
            let lens = match case.write {
                true => (registers(case.lanes, case.address), part, 0),
                false => (registers(case.lanes, case.address), 0, part),
            };
            let bti = if case.address == 8 { 255 } else { 0 };
            let sent = message(case.sfid, case.bits | bti, 16, lens);
            let after =
                exchange(&mut t, vec![sent]).unwrap_or_else(|e| panic!("{}: {e}", case.name));

            let mut memory: Vec<u8> = (0..=255).collect();
            let mut response = vec![0x77u64; 16 * GRF_BYTES];
            for lane in (0..case.lanes).filter(|lane| mask >> lane & 1 != 0) {
                for (index, place) in case.places.iter().enumerate() {
                    let at = (start(lane) * case.unit + place) as usize;
                    let register = index * stride * GRF_BYTES + lane * case.slot;
                    for byte in 0..case.slot {
                        match (case.write, byte < case.element) {
                            (true, true) => memory[at + byte] = data[register + byte] as u8,
                            (true, false) => {}
                            (false, true) => response[register + byte] = (at + byte) as u64,
                            (false, false) => response[register + byte] = 0,
                        }
                    }
                }
            }
            assert_eq!(after, memory, "{}", case.name);
            assert_eq!(get(&t, 80, 1, 16 * GRF_BYTES), response, "{}", case.name);
        }
    }
}

/// An atomic operation's number, how many sources it has, and its new value from the old one and
/// the sources, as signed or unsigned numbers of the width.
type AtomicModel = (u32, usize, fn(i128, i128, i128) -> i128, bool);

const ATOMICS: &[AtomicModel] = &[
    (1, 1, |old, a, _| old & a, false),
    (2, 1, |old, a, _| old | a, false),
    (3, 1, |old, a, _| old ^ a, false),
    (4, 1, |_, a, _| a, false),
    (5, 0, |old, _, _| old + 1, false),
    (6, 0, |old, _, _| old - 1, false),
    (7, 1, |old, a, _| old + a, false),
    (8, 1, |old, a, _| old - a, false),
    (9, 1, |old, a, _| a - old, false),
    (10, 1, |old, a, _| if a > old { a } else { old }, true),
    (11, 1, |old, a, _| if a < old { a } else { old }, true),
    (12, 1, |old, a, _| if a > old { a } else { old }, false),
    (13, 1, |old, a, _| if a < old { a } else { old }, false),
    (14, 2, |old, a, b| if a == old { b } else { old }, false),
    (15, 0, |old, _, _| old - 1, false),
];

#[test]
fn every_integer_atomic_does_as_the_manual_says_at_every_width() {
    let mut random = Random(2);
    // Type and other fields of the descriptor, channels, bytes of an address and of an element.
    let forms: [(&str, u32, usize, usize, usize); 4] = [
        ("8 channels", 2 << 14 | 1 << 12, 8, 4, 4),
        ("16 channels", 2 << 14, 16, 4, 4),
        ("a64", 0x12 << 14, 8, 8, 4),
        ("a64 quadwords", 0x12 << 14 | 1 << 12, 8, 8, 8),
    ];
    for (form, bits, lanes, address, size) in forms {
        for &(code, sources, model, signed) in ATOMICS {
            for round in 0..8 {
                let mut t = Thread::new(0, 0xffff, &SKL);
                let mask = random.next() as u32 & ((1 << lanes) - 1);
                t.active = mask;
                let base = if address == 8 { surface_base() } else { 0 };
                // Some channels share a number: the operations follow one another by channel.
                let place = |lane: usize| (lane % 5 * 8) as u64;
                let addresses: Vec<u64> = (0..lanes).map(|lane| base + place(lane)).collect();
                put(&mut t, 10, address, &addresses);
                let most = if size == 8 {
                    u64::MAX
                } else {
                    u64::from(u32::MAX)
                };
                let near = |lane: usize| {
                    // A value from the surface, so that comparisons hold sometimes.
                    let at = place(lane);
                    (0..size as u64).fold(0, |n, i| n | (at + i) << (8 * i))
                };
                let operand = |random: &mut Random, lane| match random.next() % 4 {
                    0 => near(lane),
                    1 => random.next() % 3,
                    _ => random.next() & most,
                };
                let a: Vec<u64> = (0..lanes).map(|lane| operand(&mut random, lane)).collect();
                let b: Vec<u64> = (0..lanes).map(|_| random.next() & most).collect();
                let stride = registers(lanes, size);
                put(&mut t, 40, size, &a);
                put(&mut t, 40 + stride as u32, size, &b);
                put(&mut t, 80, 1, &[0x77; 64]);
                let returns = round % 2 == 0;
                let full = bits
                    | code << 8
                    | u32::from(returns) << 13
                    | if address == 8 { 255 } else { 0 };
                let response = if returns { stride } else { 0 };
                let sent = message(
                    DC1,
                    full,
                    16,
                    (registers(lanes, address), sources * stride, response),
                );
                let after = exchange(&mut t, vec![sent]).unwrap();

                let mut memory: Vec<u8> = (0..=255).collect();
                let mut results = get(&t, 80, size, lanes);
                for lane in (0..lanes).filter(|lane| mask >> lane & 1 != 0) {
                    let at = place(lane) as usize;
                    let mut word = [0; 8];
                    word[..size].copy_from_slice(&memory[at..at + size]);
                    let number = |v: u64| match (signed, size) {
                        (false, _) => i128::from(v),
                        (true, 8) => i128::from(v as i64),
                        (true, _) => i128::from(v as i32),
                    };
                    let old = u64::from_le_bytes(word);
                    let new = model(number(old), number(a[lane]), number(b[lane])) as u64 & most;
                    memory[at..at + size].copy_from_slice(&new.to_le_bytes()[..size]);
                    if returns {
                        let expected = if code == 15 { new } else { old };
                        assert_eq!(results[lane], expected, "{form}, operation {code}");
                        results[lane] = 0;
                    }
                }
                assert_eq!(after, memory, "{form}, operation {code}");
            }
        }
    }
    for (form, bits, ..) in forms {
        let sent = message(DC1, bits, 8, (2, 0, 0));
        let error = exchange(&mut Thread::new(0, 1, &SKL), vec![sent]).unwrap_err();
        assert!(matches!(error, Cause::Message { .. }), "{form}: {error}");
    }
}

#[test]
fn every_float_atomic_compares_numbers() {
    let cases: [(u32, f32, f32, f32, f32); 7] = [
        (1, 2.0, 3.0, 0.0, 3.0),
        (1, 2.0, -3.0, 0.0, 2.0),
        (2, 2.0, -3.0, 0.0, -3.0),
        (2, 2.0, 3.0, 0.0, 2.0),
        (3, 2.0, 2.0, 7.0, 7.0),
        (3, 2.0, 2.5, 7.0, 2.0),
        (3, -0.0, 0.0, 7.0, 7.0),
    ];
    for (bits, bti, base, address) in [
        (0x1b << 14 | 1 << 12, 0, 0, 4),
        (0x1d << 14, 255, surface_base(), 8),
    ] {
        for (code, old, a, b, new) in cases {
            let mut t = Thread::new(0, 1, &SKL);
            put(&mut t, 10, address, &[base + 16; 8]);
            put(&mut t, 20, 4, &[u64::from(old.to_bits()); 8]);
            put(&mut t, 40, 4, &[u64::from(a.to_bits()); 8]);
            put(&mut t, 41, 4, &[u64::from(b.to_bits()); 8]);
            let kind = if address == 8 { 0x19 } else { 9 };
            let length = registers(8, address);
            let write = desc(length as u32, 0, kind << 14 | 2 << 12 | 0b1110 << 8 | bti);
            let write = send(DC1, write, 8, None, 10, Some((20, 1)));
            let sources = if code == 3 { 2 } else { 1 };
            let full = bits | 1 << 13 | code << 8 | bti;
            let atomic = message(DC1, full, 8, (length, sources, 1));
            let after = exchange(&mut t, vec![write, atomic]).unwrap();
            assert_eq!(dwords(&t, 80, 1), [old.to_bits()], "operation {code}");
            assert_eq!(
                after[16..20],
                new.to_le_bytes(),
                "operation {code} on {old}, {a}"
            );
        }
    }
}

#[test]
fn every_block_message_copies_its_size() {
    // Codes of sizes, with the offset of a block in its first register.
    let owords = [
        (0, 16, 0),
        (1, 16, 16),
        (2, 32, 0),
        (3, 64, 0),
        (4, 128, 0),
        (5, 256, 0),
    ];
    let base = surface_base();
    let mut cases = Vec::new();
    for (code, size, skip) in owords {
        let code = code << 8;
        cases.push(("oword read", DC0, code, (4, 16), size, skip, R));
        cases.push(("oword write", DC0, 8 << 14 | code, (4, 16), size, skip, W));
        cases.push((
            "unaligned oword read",
            DC0,
            1 << 14 | code,
            (4, 1),
            size,
            skip,
            R,
        ));
        cases.push((
            "a64 oword read",
            DC1,
            0x14 << 14 | code,
            (8, 1),
            size,
            skip,
            R,
        ));
        cases.push((
            "a64 unaligned read",
            DC1,
            0x14 << 14 | 1 << 11 | code,
            (8, 1),
            size,
            skip,
            R,
        ));
        cases.push((
            "a64 oword write",
            DC1,
            0x15 << 14 | code,
            (8, 1),
            size,
            skip,
            W,
        ));
    }
    for (name, sfid, bits, (address, unit), size, skip, write) in cases {
        let mut t = Thread::new(0, 0xff, &SKL);
        let offset = if size == 256 { 0 } else { 64u64 };
        match address {
            4 => put(&mut t, 10, 4, &[0, 0, offset / unit, 0, 0, 0, 0, 0]),
            _ => put(&mut t, 10, 8, &[base + offset, 0, 0, 0]),
        }
        put(
            &mut t,
            40,
            1,
            &(0..256).map(|i| 255 - i).collect::<Vec<u64>>(),
        );
        put(&mut t, 80, 1, &[0x77; 256]);
        let length = (skip + size as usize).div_ceil(GRF_BYTES);
        let lens = if write {
            (1, length, 0)
        } else {
            (1, 0, length)
        };
        let bti = if address == 8 { 255 } else { 0 };
        let sent = no_mask(message(sfid, bits | HEADER | bti, 8, lens));
        let after = exchange(&mut t, vec![sent]).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut memory: Vec<u8> = (0..=255).collect();
        let mut response = vec![0x77; 256];
        for byte in 0..size as usize {
            let at = offset as usize + byte;
            match write {
                true => memory[at] = 255 - (skip + byte) as u8,
                false => response[skip + byte] = at as u64,
            }
        }
        assert_eq!(after, memory, "{name} of {size} bytes");
        assert_eq!(get(&t, 80, 1, 256), response, "{name} of {size} bytes");
    }
}

#[test]
fn a_block_read_over_the_end_of_a_surface_gives_zeroes_there() {
    let mut t = Thread::new(0, 0xff, &SKL);
    put(&mut t, 10, 4, &[0, 0, 14, 0, 0, 0, 0, 0]);
    let read = |bits| no_mask(message(DC0, HEADER | bits, 8, (1, 0, 2)));
    exchange(&mut t, vec![read(3 << 8)]).unwrap();
    let expected: Vec<u64> = (224..256).chain([0; 32]).collect();
    assert_eq!(get(&t, 80, 1, 64), expected);
    // A block that starts there is an error, and so is a write.
    t.ip = 0;
    put(&mut t, 10, 4, &[0, 0, 16, 0, 0, 0, 0, 0]);
    let error = exchange(&mut t, vec![read(3 << 8)]).unwrap_err();
    assert!(
        matches!(error, Cause::OutOfBounds { at: 256, .. }),
        "{error}"
    );
    t.ip = 0;
    put(&mut t, 10, 4, &[0, 0, 14, 0, 0, 0, 0, 0]);
    let write = no_mask(message(DC0, HEADER | 8 << 14 | 3 << 8, 8, (1, 2, 0)));
    assert!(matches!(
        exchange(&mut t, vec![write]),
        Err(Cause::OutOfBounds { .. })
    ));
}

#[test]
fn fences_report_barriers_wait_and_threads_end() {
    let mut t = Thread::new(0, 0xff, &SKL);
    put(&mut t, 80, 4, &[9; 8]);
    let fence = no_mask(message(DC0, HEADER | 7 << 14, 8, (1, 0, 1)));
    let end = send(7, desc(1, 0, 0x10), 8, None, 10, None);
    let mut ending = no_mask(end);
    ending.msg = ending
        .msg
        .map(|m| kiln_emit::inst::Message { eot: true, ..m });
    exchange(&mut t, vec![fence, ending]).unwrap();
    assert_eq!(dwords(&t, 80, 8), [0; 8]);
    assert_eq!(t.status, Status::Ended);
    let barrier = no_mask(send(3, desc(1, 0, 4), 8, None, 10, None));
    assert!(exchange(&mut Thread::new(0, 1, &SKL), vec![barrier]).is_ok());
    let other = no_mask(send(3, desc(1, 0, 2), 8, None, 10, None));
    let error = exchange(&mut Thread::new(0, 1, &SKL), vec![other])
        .unwrap_err()
        .to_string();
    assert!(error.contains("gateway, monitor event"), "{error}");
}

#[test]
fn no_descriptor_panics() {
    let mut random = Random(3);
    for round in 0..20_000 {
        let mut t = Thread::new(0, 0xffff, &SKL);
        t.active = random.next() as u32 & 0xffff;
        for register in 8..16 {
            let values: Vec<u64> = (0..8)
                .map(|_| random.next() >> (random.next() % 33))
                .collect();
            put(&mut t, register, 4, &values);
        }
        let sfid = [2, 3, 4, 5, 7, 9, 10, 12][random.next() as usize % 8];
        let bits = random.next() as u32 & 0x5fff_ffff & !0xfc;
        let part = random
            .next()
            .is_multiple_of(2)
            .then_some((40, random.next() as u32 % 16));
        let dst = random
            .next()
            .is_multiple_of(2)
            .then_some(random.next() as u32 % 128);
        let sent = send(sfid, bits, 16, dst, random.next() as u32 % 128, part);
        // Any outcome is fine: a result or an error.
        let done = match round % 2 {
            0 => exchange_image(&mut t, sent, Sampler::default()).map(|_| ()),
            _ => exchange(&mut t, vec![sent]).map(|_| ()),
        };
        if let Err(cause) = done {
            assert!(!cause.to_string().is_empty());
        }
    }
}
