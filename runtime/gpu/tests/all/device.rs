//! The device as a driver meets it: calls of the kernel driver with batches of commands, and what they leave in memory.

use std::time::{Duration, Instant};

use crate::calls::{
    EXEC, GEM_CREATE, QUEUE_CREATE, QUEUE_DESTROY, QUEUE_PROPERTY, VM_BIND, VM_CREATE, WAIT, call,
};
use kiln_gpu::{Device, Settings, Xe};

/// Address at which the test's memory is bound.
const AT: u64 = 0x7000_0000;

/// A device with a queue, and memory of this test bound at [`AT`].
struct Setup {
    xe: Xe,
    memory: &'static mut [u32],
    queue: u64,
}

impl Setup {
    fn new() -> Setup {
        let xe = Xe::new(Device::find("lnl").unwrap(), Settings::default()).unwrap();
        // Memory aligned to pages. A test that fails leaves it allocated: the device's threads may still write it.
        let memory = vec![0u32; (1 << 14) + 1024].leak();
        let first = memory.as_ptr().align_offset(4096);
        let memory = &mut memory[first..first + (1 << 14)];
        let space = call(&xe, VM_CREATE, &[]).unwrap()[1] >> 32;
        let bind = [
            (8, space),
            (20, 1),
            // The operation: user memory, its place and size, and the address.
            (24 + 16, memory.as_ptr() as u64),
            (24 + 24, memory.len() as u64 * 4),
            (24 + 32, AT),
            (24 + 40, 2),
        ];
        call(&xe, VM_BIND, &bind).unwrap();
        let queue = call(&xe, QUEUE_CREATE, &[(12, space)]).unwrap()[2] >> 32;
        Setup { xe, memory, queue }
    }

    /// Puts a batch at byte 0x8000, and executes it; the fence at byte 0xf000 then becomes 1.
    fn execute(&mut self, batch: &[u32]) -> Result<(), i32> {
        self.memory[0x2000..0x2000 + batch.len()].copy_from_slice(batch);
        let sync = [0u64, 2 | 1 << 32, AT + 0xf000, 1, 0, 0];
        let exec = [
            (8, self.queue),
            (12, 1),
            (16, sync.as_ptr() as u64),
            (24, AT + 0x8000),
            (32, 1),
        ];
        call(&self.xe, EXEC, &exec)?;
        let fence = self.memory.as_ptr() as u64 + 0xf000;
        let wait = [
            (8, fence),
            (24, 1),
            (32, u64::MAX),
            (40, 5_000_000_000),
            (48, self.queue),
        ];
        call(&self.xe, WAIT, &wait).map(|_| ())
    }

    fn dword(&self, byte: usize) -> u32 {
        // The queue's thread writes it.
        // SAFETY: it is inside the vector.
        unsafe { self.memory.as_ptr().add(byte / 4).read_volatile() }
    }
}

const END: u32 = 0x0500_0000;

#[test]
fn batches_store_copy_and_signal() {
    let mut setup = Setup::new();
    let at = AT as u32;
    let batch = [
        // MI_STORE_DATA_IMM of a dword and of a quadword
        0x1000_0002,
        at,
        0,
        0x1234_5678,
        0x1020_0003,
        at + 8,
        0,
        0xdead_beef,
        0x0102_0304,
        // MEM_COPY of 16 bytes, MEM_SET of 5
        0x5680_0008,
        15,
        0,
        0,
        0,
        at,
        0,
        at + 0x103,
        0,
        0,
        0x56c0_0005,
        4,
        0,
        0,
        at + 0x200,
        0,
        0xab00_0000,
        // XY_FAST_COLOR_BLT of 16 bits to two by two texels, rows of 16 bytes
        0x5108_000e,
        15,
        1 << 16 | 1,
        3 << 16 | 3,
        at + 0x400,
        0,
        0,
        0x9988_7766,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        // PIPE_CONTROL that stores a number
        0x7a00_0004,
        1 << 14,
        at + 0x300,
        0,
        77,
        88,
        END,
    ];
    setup.execute(&batch).unwrap();
    assert_eq!(
        [0, 8, 12].map(|b| setup.dword(b)),
        [0x1234_5678, 0xdead_beef, 0x0102_0304]
    );
    assert_eq!(
        [0x100, 0x104].map(|b| setup.dword(b)),
        [0x7800_0000, 0x0012_3456]
    );
    assert_eq!([0x200, 0x204].map(|b| setup.dword(b)), [0xabab_abab, 0xab]);
    let rows = [0x40c, 0x410, 0x414, 0x418, 0x420, 0x424, 0x430];
    assert_eq!(
        rows.map(|b| setup.dword(b)),
        [0, 0x7766_0000, 0x7766, 0, 0x7766_0000, 0x7766, 0]
    );
    assert_eq!([0x300, 0x304].map(|b| setup.dword(b)), [77, 88]);
}

/// Copies of pictures: 20 bytes by 3 rows of texels of each size from rows to tiles of kind 4 and to rows without gaps; and `MEM_COPY` of rows
/// without gaps to an odd place.
#[test]
fn pictures_are_copied_between_rows_and_tiles() {
    let at = AT as u32;
    for (size, bytes) in [(0u32, 1u32), (1, 2), (2, 4)] {
        let mut setup = Setup::new();
        // Bytes of 16 rows of 64.
        for number in 0..256u32 {
            setup.memory[number as usize] = u32::from_le_bytes(
                [0, 1, 2, 3].map(|n| (number * 4 + n) as u8 ^ (number >> 6) as u8),
            );
        }
        let (left, width) = (8 / bytes, 20 / bytes);
        let copy = |to: (u32, u32, u32), corner: u32, from: (u32, u32, u32), first: u32| {
            let mut words = [0u32; 22];
            words[0] = 0x5040_0014 | size << 19;
            (words[1], words[4], words[8], words[9]) = (
                to.1 | to.2 << 30,
                at + to.0,
                from.1 | from.2 << 30,
                at + from.0,
            );
            (words[2], words[3]) = (corner, corner + (3 << 16 | width));
            words[7] = first;
            words
        };
        const TILED: (u32, u32, u32) = (0x1000, 31, 2);
        let corner = 2 << 16 | left;
        let mut batch = copy(TILED, corner, (0, 63, 0), 1 << 16 | left).to_vec();
        batch.extend(copy((0x3000, 19, 0), 0, TILED, corner));
        batch.extend([0x5682_0008, 63, 15, 63, 63, at, 0, at + 0x4001, 0, 0, END]);
        setup.execute(&batch).unwrap();
        let byte = |place: usize| setup.dword(place & !3).to_le_bytes()[place & 3];
        let source = |row: usize, column: usize| byte(row * 64 + column);
        for (row, column) in (0..3).flat_map(|row| (0..20).map(move |column| (row, column))) {
            let expected = source(1 + row, 8 + column);
            assert_eq!(
                byte(0x3000 + row * 20 + column),
                expected,
                "row {row}, byte {column}"
            );
            let (x, y) = (8 + column, 2 + row);
            // Bits of a place in a tile of kind 4, from the lowest: xxxx yy xx y x yy.
            let tile = x & 15
                | (y & 3) << 4
                | (x >> 4 & 3) << 6
                | (y >> 2 & 1) << 8
                | (x >> 6) << 9
                | (y >> 3) << 10;
            assert_eq!(
                byte(0x1000 + tile),
                expected,
                "row {y}, byte {x} of the tile"
            );
        }
        assert_eq!([0x3000 - 1, 0x3000 + 60].map(byte), [0, 0]);
        assert_eq!(
            [
                byte(0x1000 + 7 + 0x20),
                byte(0x1000 + (28 & 15 | 2 << 4 | 1 << 6))
            ],
            [0, 0]
        );
        for place in 0..1024 {
            assert_eq!(byte(0x4001 + place), byte(place));
        }
        assert_eq!([0x4000, 0x4401].map(byte), [0, 0]);
    }
}

#[test]
fn a_batch_waits_for_a_number_in_memory() {
    let setup = Setup::new();
    let at = AT as u32;
    // MI_SEMAPHORE_WAIT until the dword is 5, then a store.
    setup.memory[0x2000..0x2009].copy_from_slice(&[
        0x0e00_4003,
        5,
        at,
        0,
        0,
        0x1000_0002,
        at + 4,
        0,
        9,
    ]);
    setup.memory[0x2009] = END;
    let exec = [(8, setup.queue), (24, AT + 0x8000), (32, 1)];
    call(&setup.xe, EXEC, &exec).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(setup.dword(4), 0);
    let place = setup.memory.as_mut_ptr();
    // SAFETY: it is inside the vector.
    unsafe { place.write_volatile(5) };
    let start = Instant::now();
    while setup.dword(4) != 9 {
        assert!(start.elapsed() < Duration::from_secs(10));
        std::thread::yield_now();
    }
    call(&setup.xe, QUEUE_DESTROY, &[(0, setup.queue)]).unwrap();
}

#[test]
fn a_page_fault_bans_the_queue() {
    let mut setup = Setup::new();
    let io = setup.execute(&[0x1000_0002, 0x1000, 0, 1, END]);
    assert_eq!(io, Err(nix::libc::EIO));
    let property = call(&setup.xe, QUEUE_PROPERTY, &[(8, setup.queue)]).unwrap();
    assert_eq!(property[2], 1);
    assert_eq!(setup.execute(&[END]), Err(nix::libc::ECANCELED));
}

#[test]
fn wrong_calls_are_refused() {
    let xe = Xe::new(Device::find("ptl").unwrap(), Settings::default()).unwrap();
    assert_eq!(
        call(&xe, GEM_CREATE, &[(8, 1 << 60)]),
        Err(nix::libc::ENOMEM)
    );
    assert_eq!(call(&xe, QUEUE_CREATE, &[(12, 99)]), Err(nix::libc::ENOENT));
    assert_eq!(call(&xe, EXEC, &[(8, 99)]), Err(nix::libc::ENOENT));
    assert_eq!(call(&xe, (0x5f, 8), &[]), Err(nix::libc::EINVAL));
}
