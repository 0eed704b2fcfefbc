//! Batches, states and code with flipped bits: the device neither crashes, nor hangs, nor writes outside the memory that is bound.
//!
//! `KILN_HOSTILE_CASES` sets the number of cases of each device, and `KILN_HOSTILE_SEED`, any number but 0, which bits they flip.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::calls::{EXEC, QUEUE_CREATE, QUEUE_DESTROY, VM_BIND, VM_CREATE, WAIT, call};
use kiln_gpu::{Device, Settings, Xe};

/// Address that the memory is bound at, and its parts.
const AT: u64 = 0x7000_0000;
const BOUND: usize = 1 << 18;
const BATCH: usize = 0x8000;
const STATES: usize = 0x9000;
const CODE: usize = 0xa000;
const FENCE: usize = 0xf000;
/// Memory before and after that which is bound.
const WALL: usize = 1 << 16;
/// Longest time of a case.
const MOST_SECONDS: u64 = 20;

/// Kiln's code for `lnl` of a kernel that stores and loads sixteen dwords at eight places in a loop, and waits at a barrier.
const CODE_LNL: &[u32] = &[
    0x2c10_0061,
    0x0010_007f,
    0x6480_0061,
    0x0070_0002,
    0x0000_0061,
    0x0405_4660,
    0x0000_0000,
    0x0000_0000,
    0x0003_4031,
    0x0000_0000,
    0xfb08_010c,
    0x0034_020c,
    0x688c_1940,
    0x0010_0404,
    0x0000_c131,
    0x020c_0000,
    0xfb00_010c,
    0x0034_0000,
    0x0000_1970,
    0x0001_8660,
    0x5500_0404,
    0x0008_0008,
    0x0000_a140,
    0x0105_8330,
    0x0500_0104,
    0x0040_0040,
    0x0010_8140,
    0x0205_8220,
    0x0510_0204,
    0x0003_0003,
    0x8400_0020,
    0x0000_4000,
    0x0000_0000,
    0xffff_ffa8,
    0x6484_0061,
    0x1005_0000,
    0x8004_1961,
    0x002d_0000,
    0x0080_7f2c,
    0x0000_0000,
    0x8003_2231,
    0x0000_0000,
    0x3008_000c,
    0x0000_0000,
    0x8000_0001,
    0x0001_4200,
    0xe000_0000,
    0x0000_0000,
    0x800c_c331,
    0x0000_0004,
    0x3020_7f0c,
    0x0000_0000,
];
/// Code of the same kernel for `tgllp`.
const CODE_TGLLP: &[u32] = &[
    0x8003_0061,
    0x7f05_0220,
    0x0046_0005,
    0x0000_0000,
    0x0004_0061,
    0x0005_4220,
    0x0000_0000,
    0x0000_0007,
    0x0000_0061,
    0x0405_4660,
    0x0000_0000,
    0x0000_0000,
    0x8001_0061,
    0x0605_0220,
    0x0022_0205,
    0x0000_0000,
    0xe207_0040,
    0x0401_0203,
    0xe208_0040,
    0x0001_0223,
    0xa804_0440,
    0x0011_0403,
    0x8004_c031,
    0x0000_0000,
    0xc7fe_060c,
    0x0350_0014,
    0x8000_0370,
    0x0001_0220,
    0x5200_0704,
    0x0000_0204,
    0xe209_0340,
    0x0011_0803,
    0x0040_0370,
    0x0001_8660,
    0x5600_0404,
    0x0000_0008,
    0x0000_3061,
    0x0205_0220,
    0x0000_0704,
    0x0000_0000,
    0x8004_4131,
    0x0014_0000,
    0xc7fe_060c,
    0x0342_0000,
    0xe800_3101,
    0x0011_0001,
    0x8100_0362,
    0x0605_0220,
    0x0200_0904,
    0x0000_0804,
    0x0000_0161,
    0x0225_0220,
    0x0000_0604,
    0x0000_0000,
    0xe000_2140,
    0x0030_0003,
    0x8140_0020,
    0x0000_4000,
    0x0000_0000,
    0xffff_ff50,
    0x8003_0065,
    0x0805_8220,
    0x0200_7f44,
    0x7f00_0000,
    0x8000_9231,
    0x0000_0000,
    0x3008_080c,
    0x0000_0000,
    0x8000_0001,
    0x0001_0000,
    0xe000_0000,
    0x0000_0000,
    0x8003_4331,
    0x7e0c_0000,
    0xa000_7f0c,
    0x0278_0000,
    0x8004_2361,
    0x2001_4aa0,
    0x0000_0000,
    0x0000_0000,
    0x8003_0131,
    0x0000_0004,
    0x7020_7f0c,
    0x0000_0000,
    0x0000_0060,
    0x0000_0000,
    0x0000_0000,
    0x0000_0000,
];

/// Commands of the streamer and the copy engine, which all devices have.
fn common() -> Vec<u32> {
    let at = AT as u32;
    let mut batch = vec![0x1000_0002, at, 0, 0x1234_5678]; // MI_STORE_DATA_IMM
    batch.extend([0x1100_0001, 0x2600, 5, 0x1480_0002, 0x2608, at, 0]); // MI_LOAD_REGISTER_IMM, MEM
    batch.extend([0x1500_0001, 0x2600, 0x23bc, 0x1200_0002, 0x2600, at + 8, 0]); // MI_LOAD_REGISTER_REG, MI_STORE_REGISTER_MEM
    batch.extend([
        0x0d00_0003,
        0x0800_8000,
        0x0800_8401,
        0x1000_0000,
        0x1800_0c31,
    ]); // MI_MATH
    batch.extend([0x0080_0001, 0x0080_0000, 0x1780_0501, at + 16, 0]); // MI_SET_PREDICATE, MI_ATOMIC
    batch.extend([0x0e00_1003, 0, at + 16, 0, 0]); // MI_SEMAPHORE_WAIT
    batch.extend([0x5680_0008, 63, 0, 0, 0, at, 0, at + 0x100, 0, 0]); // MEM_COPY
    batch.extend([0x56c0_0005, 63, 0, 0, at + 0x200, 0, 0xab00_0000]); // MEM_SET
    batch.extend([
        0x5050_0014,
        255,
        0,
        4 << 16 | 8,
        at + 0x400,
        0,
        0,
        0,
        255,
        at + 0x800,
        0,
    ]); // XY_BLOCK_COPY_BLT
    batch.extend([0; 11]);
    batch.extend([
        0x5110_000e,
        63,
        0,
        4 << 16 | 8,
        at + 0x600,
        0,
        0,
        0x5a5a,
        0,
        0,
        0,
    ]); // XY_FAST_COLOR_BLT
    batch.extend([0; 5]);
    batch.extend([
        0x6101_0014,
        1,
        0,
        0,
        at + 1,
        0,
        at + 1,
        0,
        at + 1,
        0,
        at + 1,
        0,
    ]); // STATE_BASE_ADDRESS
    batch.extend([
        0xffff_f001,
        0xffff_f001,
        0xffff_f001,
        0xffff_f001,
        at + 1,
        0,
        0xffff_f000,
        at + 1,
        0,
        0xffff_f000,
    ]);
    batch
}

/// The launch of sixteen groups of four threads since XeHP.
fn compute() -> Vec<u32> {
    let mut batch = vec![0x7200_0004, 0, 0, 0, 0, 0]; // CFE_STATE
    let mut walker = [0; 40];
    walker[0] = 0x7208_0026;
    walker[4] = 1 << 30 | 1 << 25;
    walker[5] = 0xffff;
    walker[6] = 63;
    walker[7..10].copy_from_slice(&[4, 2, 2]);
    let descriptor = [
        CODE as u32,
        0,
        0,
        STATES as u32,
        STATES as u32,
        4 | 1 << 16 | 1 << 28,
        0,
        0,
    ];
    walker[19..27].copy_from_slice(&descriptor);
    walker[27..32].copy_from_slice(&[1, AT as u32 + FENCE as u32 - 16, 0, 3, 0]);
    walker[32] = AT as u32 + 0x1_0000;
    batch.extend(walker);
    batch
}

/// A batch that launches the kernel, for platforms before XeHP.
fn media() -> Vec<u32> {
    let mut batch = vec![0x7000_0007, AT as u32 + 0x2_0000, 0, 0, 0, 0, 0, 0, 0]; // MEDIA_VFE_STATE
    batch.extend([0x7002_0002, 0, 32, STATES as u32]); // MEDIA_INTERFACE_DESCRIPTOR_LOAD
    batch.extend([
        0x7105_000d,
        0,
        128,
        0x9800,
        1 << 30 | 3,
        0,
        0,
        4,
        0,
        0,
        2,
        0,
        2,
        0xffff,
        u32::MAX,
    ]); // GPGPU_WALKER
    batch
}

/// Number of panics so far: the device reports its own as errors, which no test must see.
static PANICS: AtomicU32 = AtomicU32::new(0);

fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            PANICS.fetch_add(1, Relaxed);
            before(info);
        }));
    });
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % end
    }
}

/// Memory of the process: a wall, what is bound, a wall; aligned to pages.
struct Memory {
    words: Vec<u32>,
    first: usize,
}

impl Memory {
    fn new() -> Memory {
        let words = vec![0xabcd_ef01; (2 * WALL + BOUND + 4096) / 4];
        let first =
            (words.as_ptr() as usize).next_multiple_of(4096) - words.as_ptr() as usize + WALL;
        Memory {
            words,
            first: first / 4,
        }
    }

    fn place(&mut self, byte: usize, words: &[u32]) {
        self.words[self.first + byte / 4..][..words.len()].copy_from_slice(words);
    }

    fn flip(&mut self, byte: usize, bit: usize) {
        self.words[self.first + byte / 4] ^= 1 << bit;
    }

    fn walls_stand(&self) -> bool {
        let (before, rest) = self.words.split_at(self.first);
        before
            .iter()
            .chain(&rest[BOUND / 4..])
            .all(|&word| word == 0xabcd_ef01)
    }

    fn address(&self) -> u64 {
        self.words[self.first..].as_ptr() as u64
    }
}

fn run(platform: &str, launch: &[u32], code: &[u32]) {
    count_panics();
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let cases = number("KILN_HOSTILE_CASES").unwrap_or(300);
    let seed = number("KILN_HOSTILE_SEED").unwrap_or(0x9e37_79b9_7f4a_7c15);
    let settings = Settings {
        budget: 1 << 16,
        ..Settings::default()
    };
    let xe = Xe::new(Device::find(platform).unwrap(), settings).unwrap();
    let mut memory = Memory::new();
    let space = call(&xe, VM_CREATE, &[]).unwrap()[1] >> 32;
    let bind = [
        (8, space),
        (20, 1),
        (40, memory.address()),
        (48, BOUND as u64),
        (56, AT),
        (64, 2),
    ];
    call(&xe, VM_BIND, &bind).unwrap();
    let mut batch = common();
    batch.extend(launch);
    batch.extend([
        0x7a00_0004,
        1 << 14,
        AT as u32 + 0x300,
        0,
        77,
        88,
        0x0500_0000,
    ]);
    let descriptor = [
        CODE as u32,
        0,
        0,
        STATES as u32,
        STATES as u32,
        1 << 16,
        4 | 1 << 16 | 1 << 21,
        1,
    ];
    let mut random = Random(seed);
    let mut finished = 0;
    for case in 0..cases {
        memory.place(0, &[0; BOUND / 4]);
        memory.place(BATCH, &batch);
        memory.place(STATES, &descriptor);
        memory.place(CODE, code);
        // The address that the kernel stores at, before XeHP.
        memory.place(0x9800, &[AT as u32 + 0x1_0000, 0]);
        // The first case is right.
        let flips = if case == 0 { 0 } else { 1 + random.below(4) };
        for _ in 0..flips {
            let parts = [(BATCH, batch.len()), (STATES, 64), (CODE, code.len())];
            let (start, len) = parts[[0, 0, 0, 1, 2][random.below(5)]];
            memory.flip(start + random.below(len) * 4, random.below(32));
        }
        let started = Instant::now();
        let queue = call(&xe, QUEUE_CREATE, &[(12, space)]).unwrap()[2] >> 32;
        let sync = [0u64, 2 | 1 << 32, AT + FENCE as u64, 1, 0, 0];
        let exec = [
            (8, queue),
            (12, 1),
            (16, sync.as_ptr() as u64),
            (24, AT + BATCH as u64),
            (32, 1),
        ];
        call(&xe, EXEC, &exec).unwrap();
        let time = if case == 0 { 5_000_000_000 } else { 20_000_000 };
        let wait = [
            (8, memory.address() + FENCE as u64),
            (24, 1),
            (32, u64::MAX),
            (40, time),
            (48, queue),
        ];
        let ended = call(&xe, WAIT, &wait).is_ok();
        assert!(
            ended || case > 0,
            "{platform}: the batch without flipped bits fails"
        );
        finished += u64::from(ended);
        call(&xe, QUEUE_DESTROY, &[(0, queue)]).unwrap();
        assert!(
            started.elapsed() < Duration::from_secs(MOST_SECONDS),
            "{platform}: case {case} hangs"
        );
        assert!(
            memory.walls_stand(),
            "{platform}: case {case} writes outside"
        );
    }
    assert_eq!(PANICS.load(Relaxed), 0, "{platform}: the device panics");
    // Most flips are harmless; some must be noticed.
    assert!(
        (cases / 4..cases).contains(&finished),
        "{platform}: {finished} of {cases} finished"
    );
}

#[test]
fn batches_with_flipped_bits_since_xehp() {
    run("lnl", &compute(), CODE_LNL);
}

#[test]
fn batches_with_flipped_bits_before_xehp() {
    run("tgllp", &media(), CODE_TGLLP);
}
