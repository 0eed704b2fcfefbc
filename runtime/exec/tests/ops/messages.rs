//! A second implementation of messages to the data port, to the sampler and by address: the fields of their
//! descriptors as the manual's tables have them (PRM vol. 7, "Shared Functions"; "Load/Store/Cache Messages"), and
//! each channel's access by itself.
//!
//! Payload, memory and enabled channels are random, but accesses are in bounds and no two channels write the same
//! bytes, except by atomic operations, which are performed in the order of the channels.

use kiln_emit::inst::{Desc, Inst, Message, Place, Reg, RegFile, Src};
use kiln_exec::{Addressing, Engine, Filter, Format, Image, ImageKind, Sampler, Shape, World};

use crate::compare::{Difference, registers_of};
use kiln_emit::messages::second_beside_descriptor;
use kiln_emit::platform::{Payload, Platform};

use crate::model::{State, Unknown};
use crate::random::Random;

const SAMPLER: u8 = 2;
const DATA_CACHE_0: u8 = 10;
const DATA_CACHE_1: u8 = 12;
/// Functions that load and store by address.
const TYPED_BY_ADDRESS: u8 = 13;
const LOCAL_BY_ADDRESS: u8 = 14;
const UNTYPED_BY_ADDRESS: [u8; 2] = [1, 15];
const HEADER: u32 = 1 << 19;
/// Indices of the binding table that name shared memory, and memory at the general state's base.
const LOCAL: u32 = 254;
const STATELESS: [u32; 2] = [253, 255];
/// Index of the surface that an extended descriptor in a register names, and its value for the thread's scratch space.
const BINDLESS: u32 = 252;
/// Number of the state of the scratch surface.
const SCRATCH_SURFACE: u32 = 1;
/// Bytes of each memory, and distance between the channels' places in it.
const MEMORY_BYTES: usize = 1024;
const CHANNEL_STRIDE: usize = 32;
/// The unit of scratch space.
const HEXADECAWORD: usize = 32;
/// Texels of a side of the image.
const SIDE: usize = 4;
const TEXEL: usize = 16;
/// First register of the response; no other operand uses it or later ones.
const RESPONSE: usize = 80;
/// Gather and scatter descriptors without lengths, for a descriptor in a register: bytes, words or dwords of eight
/// channels.
const GATHER: u32 = 4 << 14;
const SCATTER: u32 = 12 << 14;

/// Effect of a message.
#[derive(Clone, Debug)]
enum Meaning {
    /// Moves elements, at some bytes after each channel's address.
    Elements {
        write: bool,
        lanes: usize,
        /// Bytes of an address, of an element in memory and in a register.
        address: usize,
        element: usize,
        slot: usize,
        places: Vec<usize>,
    },
    /// Changes a number at each channel's address.
    Atomic {
        change: Change,
        lanes: usize,
        address: usize,
        size: usize,
        returns: bool,
    },
    /// Moves consecutive bytes, from a place in the first register on.
    Block {
        write: bool,
        address: usize,
        unit: usize,
        size: usize,
        skip: usize,
    },
    /// Consecutive elements at one address, in the registers from the first one of the data.
    Run {
        write: bool,
        address: usize,
        unit: usize,
        size: usize,
    },
    /// Moves consecutive bytes of the scratch space; under the mask, if dword by dword.
    Scratch {
        write: bool,
        by_dword: bool,
        offset: usize,
        size: usize,
    },
    /// Writes some colors of texels.
    Texels { lanes: usize, colors: Vec<usize> },
    /// Waits for the memory, or empties a cache: one register comes back, or none.
    Fence { returns: bool },
    /// The thread's end.
    End,
    /// Reads a texel at coordinates that are floats, or integers.
    Sample {
        lanes: usize,
        header: bool,
        floats: bool,
        sampler: usize,
    },
}

/// Effect of an atomic operation.
#[derive(Clone, Copy, Debug)]
enum Change {
    Add,
    CompareExchange,
}

/// The memory that a message by address accesses.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Where {
    Surface,
    Local,
    Scratch,
}

/// The meaning of a message by address; the number of channels comes from the instruction. 32-bit elements may be
/// bytes or words in memory.
fn by_address_meaning(
    sfid: u8,
    desc: u32,
    lanes: usize,
    returns: bool,
) -> Result<Meaning, Unknown> {
    let field = |low: u32, bits: u32| desc >> low & ((1 << bits) - 1);
    let code = field(0, 6);
    let address = match field(7, 2) {
        2 => 4,
        3 => 8,
        _ if code == 0x1f => 8,
        _ => return Err(Unknown("that size of an address")),
    };
    let (slot, element) = match field(9, 3) {
        2 => (4, 4),
        3 => (8, 8),
        4 => (4, 1),
        5 => (4, 2),
        _ if code == 0x1f => (4, 4),
        _ => return Err(Unknown("that size of data")),
    };
    let count = [1, 2, 3, 4, 8, 16, 32, 64][field(12, 3) as usize];
    let quad = || (0..4).filter(|c| field(12, 4) >> c & 1 != 0);
    let elements = |write, places| Meaning::Elements {
        write,
        lanes,
        address,
        element,
        slot,
        places,
    };
    let atomic = |change| Meaning::Atomic {
        change,
        lanes,
        address,
        size: slot,
        returns,
    };
    Ok(match code {
        0x1f => Meaning::Fence { returns },
        0x06 if sfid == TYPED_BY_ADDRESS => Meaning::Texels {
            lanes,
            colors: quad().collect(),
        },
        _ if sfid == TYPED_BY_ADDRESS => return Err(Unknown("that message to images")),
        0x00 | 0x04 if field(15, 1) != 0 => Meaning::Run {
            write: code == 0x04,
            address,
            unit: element,
            size: count * element,
        },
        0x00 | 0x04 => elements(code == 0x04, (0..count).map(|i| i * element).collect()),
        0x02 | 0x06 => elements(code == 0x06, quad().map(|c| c * element).collect()),
        0x0c if slot == element => atomic(Change::Add),
        0x12 if slot == element => atomic(Change::CompareExchange),
        _ => return Err(Unknown("that message by address")),
    })
}

/// The fields of a descriptor.
fn meaning(sfid: u8, desc: u32, grf: usize) -> Result<Meaning, Unknown> {
    let field = |low: u32, bits: u32| desc >> low & ((1 << bits) - 1);
    let log = |low| 1usize << field(low, 2);
    let in_order = |size: usize| (0..log(10)).map(|i| i * size).collect::<Vec<_>>();
    let colors = || (0..4).filter(|c| field(8, 4) >> c & 1 == 0);
    let lanes = |wide: bool| if wide { 16 } else { 8 };
    let (size, skip) = match field(8, 3) {
        0 => (16, 0),
        1 => (16, 16),
        code => (8 << code, 0),
    };
    let block = |write, address, unit| Meaning::Block {
        write,
        address,
        unit,
        size,
        skip,
    };
    let elements = |write, lanes, address, element, slot, places| Meaning::Elements {
        write,
        lanes,
        address,
        element,
        slot,
        places,
    };
    let header = desc & HEADER != 0;
    Ok(match (sfid, field(14, 5)) {
        (DATA_CACHE_0, kind) if kind & 0x10 != 0 && header => Meaning::Scratch {
            write: field(17, 1) != 0,
            by_dword: field(16, 1) != 0,
            offset: field(0, 12) as usize * HEXADECAWORD,
            size: HEXADECAWORD * log(12),
        },
        (DATA_CACHE_0, 0x0 | 0x8) if header => block(field(17, 1) != 0, 4, 16),
        (DATA_CACHE_0, 0x1) if header => block(false, 4, 1),
        (DATA_CACHE_0, 0x4 | 0xc) if !header && field(10, 2) < 3 => {
            let write = field(17, 1) != 0;
            elements(write, lanes(field(8, 1) != 0), 4, log(10), 4, vec![0])
        }
        (DATA_CACHE_1, kind @ (0x01 | 0x09 | 0x11 | 0x19)) if !header => {
            let address = if kind & 0x10 != 0 { 8 } else { 4 };
            let places = colors().map(|c| c * 4).collect();
            elements(
                kind & 8 != 0,
                lanes(field(12, 2) == 1),
                address,
                4,
                4,
                places,
            )
        }
        (DATA_CACHE_1, kind @ (0x10 | 0x1a)) if !header => {
            let (write, lanes) = (kind == 0x1a, lanes(field(12, 1) != 0));
            match field(8, 2) {
                0 if field(10, 2) < 3 => elements(write, lanes, 8, log(10), 4, vec![0]),
                1 => elements(write, lanes, 8, 4, 4, in_order(4)),
                2 => elements(write, lanes, 8, 8, 8, in_order(8)),
                _ => return Err(Unknown("that size of elements")),
            }
        }
        (DATA_CACHE_1, kind @ (0x02 | 0x12)) if !header => Meaning::Atomic {
            change: match field(8, 4) {
                7 => Change::Add,
                14 => Change::CompareExchange,
                _ => return Err(Unknown("that atomic operation")),
            },
            lanes: if kind == 0x12 {
                8
            } else {
                lanes(field(12, 1) == 0)
            },
            address: if kind == 0x12 { 8 } else { 4 },
            size: if kind == 0x12 && field(12, 1) != 0 {
                8
            } else {
                4
            },
            returns: field(13, 1) != 0,
        },
        (DATA_CACHE_1, 0x14) if header && field(11, 2) < 2 => block(false, 8, 1),
        (DATA_CACHE_1, 0x15) if header && field(11, 2) < 2 => block(true, 8, 1),
        (DATA_CACHE_1, 0x0d) if !header && field(12, 2) == 1 => Meaning::Texels {
            lanes: 8,
            colors: colors().collect(),
        },
        (DATA_CACHE_0, 0x7) if header => Meaning::Fence {
            returns: field(13, 1) != 0,
        },
        (SAMPLER, _) if header && field(12, 5) == 0x1f => Meaning::Fence { returns: true },
        // A register of singles, or two.
        (SAMPLER, _) if matches!(field(12, 5), 0x18 | 0x1a) => Meaning::Sample {
            lanes: grf / 4 * lanes(field(17, 2) == 2) / 8,
            header,
            floats: field(12, 5) == 0x18,
            sampler: field(8, 4) as usize,
        },
        _ => return Err(Unknown("that message")),
    })
}

/// The size rounded up to whole registers.
fn whole(bytes: usize, grf: usize) -> usize {
    bytes.next_multiple_of(grf)
}

fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    let mut word = [0; 8];
    word[..size].copy_from_slice(&bytes[at..at + size]);
    u64::from_le_bytes(word)
}

fn set(bytes: &mut [u8], at: usize, size: usize, value: u64) {
    bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
}

impl Meaning {
    /// Bytes of the response.
    fn response(&self, grf: usize) -> usize {
        let whole = |bytes| whole(bytes, grf);
        match self {
            Meaning::Elements { write: true, .. }
            | Meaning::Block { write: true, .. }
            | Meaning::Scratch { write: true, .. }
            | Meaning::Run { write: true, .. }
            | Meaning::End
            | Meaning::Atomic { returns: false, .. }
            | Meaning::Texels { .. } => 0,
            Meaning::Elements {
                lanes,
                slot,
                places,
                ..
            } => whole(lanes * slot) * places.len(),
            Meaning::Atomic { lanes, size, .. } => whole(lanes * size),
            Meaning::Block { size, skip, .. } => whole(size + skip),
            Meaning::Scratch { size, .. } => whole(*size),
            Meaning::Run { size, .. } => whole(*size),
            Meaning::Fence { returns } => grf * usize::from(*returns),
            Meaning::Sample { lanes, .. } => lanes * 4 * 4,
        }
    }

    /// A payload at random; numbers to compare with are sometimes those in memory.
    fn payload(&self, random: &mut Random, memory: &[u8], platform: &Platform) -> Vec<u8> {
        let grf = platform.grf_bytes as usize;
        let base = match platform.payload {
            Payload::Registers => 0,
            Payload::Memory => u64::from(SCRATCH_SURFACE) << 10,
        };
        let whole = |bytes| whole(bytes, grf);
        let mut payload = Vec::new();
        let mut noise = |payload: &mut Vec<u8>, count: usize| {
            payload.extend((0..count).map(|_| random.next() as u8));
        };
        let start = |address: usize| if address == 8 { World::address() } else { 0 };
        match *self {
            Meaning::Elements {
                write,
                lanes,
                address,
                element,
                slot,
                ref places,
            } => {
                payload.resize(whole(lanes * address), 0);
                noise(
                    &mut payload,
                    if write {
                        whole(lanes * slot) * places.len()
                    } else {
                        0
                    },
                );
                // Bytes may be anywhere; other elements are aligned.
                let free = if slot == element {
                    1
                } else {
                    CHANNEL_STRIDE - element
                };
                let turn = random.below(lanes);
                for lane in 0..lanes {
                    let own = (lane + turn) % lanes * CHANNEL_STRIDE + random.below(free);
                    set(
                        &mut payload,
                        lane * address,
                        address,
                        start(address) + own as u64,
                    );
                }
            }
            Meaning::Atomic {
                change,
                lanes,
                address,
                size,
                ..
            } => {
                payload.resize(whole(lanes * address), 0);
                noise(&mut payload, whole(lanes * size) * change.operands());
                for lane in 0..lanes {
                    let shared = random.below(6) * 8;
                    let at = start(address) + shared as u64;
                    set(&mut payload, lane * address, address, at);
                    if random.chance(2) {
                        let operand = whole(lanes * address) + lane * size;
                        let same = number(memory, shared, size);
                        set(&mut payload, operand, size, same);
                    }
                }
            }
            Meaning::Block {
                write,
                address,
                unit,
                size,
                skip,
            } => {
                noise(&mut payload, grf);
                let place = random.below(40) as u64 * 16;
                match address {
                    8 => set(&mut payload, 0, 8, start(8) + place),
                    _ => set(&mut payload, 8, 4, place / unit as u64),
                }
                set(&mut payload, 20, 4, 0);
                let mut noise = |count| (0..count).map(|_| random.next() as u8).collect::<Vec<_>>();
                payload.extend(noise(if write { whole(size + skip) } else { 0 }));
            }
            Meaning::Fence { .. } | Meaning::End => noise(&mut payload, grf),
            Meaning::Run {
                write,
                address,
                unit,
                size,
            } => {
                noise(&mut payload, grf);
                let place = random.below(40) * unit;
                set(&mut payload, 0, address, start(address) + place as u64);
                let mut noise = |count| (0..count).map(|_| random.next() as u8).collect::<Vec<_>>();
                payload.extend(noise(if write { whole(size) } else { 0 }));
            }
            Meaning::Scratch { write, size, .. } => {
                noise(&mut payload, grf + if write { whole(size) } else { 0 });
                // The base or the surface's handle; its lower bits have another use.
                let other = random.next() & 0x3ff;
                set(&mut payload, 20, 4, other | base);
            }
            Meaning::Texels { lanes, ref colors } => {
                let row = whole(lanes * 4);
                payload.resize(row * 2, 0);
                noise(&mut payload, row * colors.len());
                let turn = random.below(8);
                for lane in 0..lanes {
                    let texel = (lane + turn) % (SIDE * SIDE);
                    set(&mut payload, lane * 4, 4, (texel % SIDE) as u64);
                    set(&mut payload, row + lane * 4, 4, (texel / SIDE) as u64);
                }
            }
            Meaning::Sample {
                lanes,
                header,
                floats,
                sampler,
            } => {
                if header {
                    noise(&mut payload, grf);
                    // Masked colors, and the offset of the samplers.
                    let hidden = random.below(15) as u64;
                    set(&mut payload, 8, 4, hidden << 12);
                    set(&mut payload, 12, 4, 0);
                }
                for _ in 0..2 * lanes {
                    let texel = random.below(12) as f32 - 4.0;
                    let bits = match (floats, sampler) {
                        (false, _) => texel as i32 as u32,
                        (true, 0) => (texel + 0.5).to_bits(),
                        (true, _) => ((texel + 0.5) / SIDE as f32).to_bits(),
                    };
                    payload.extend(bits.to_le_bytes());
                }
            }
        }
        payload
    }

    /// Performs the message; untouched bytes of the response are kept.
    fn carry_out(
        &self,
        grf: usize,
        payload: &[u8],
        on: &[usize],
        memory: &mut [u8],
        texels: &mut [u8],
        response: &mut [u8],
    ) -> Result<(), Unknown> {
        let whole = |bytes| whole(bytes, grf);
        let start = |lane: usize, address: usize| {
            let base = if address == 8 { World::address() } else { 0 };
            (number(payload, lane * address, address) - base) as usize
        };
        match *self {
            Meaning::Elements {
                write,
                lanes,
                address,
                element,
                slot,
                ref places,
            } => {
                let (data, pitch) = (whole(lanes * address), whole(lanes * slot));
                for &lane in on.iter().filter(|&&lane| lane < lanes) {
                    for (index, place) in places.iter().enumerate() {
                        let at = start(lane, address) + place;
                        let register = index * pitch + lane * slot;
                        if write {
                            let value = number(payload, data + register, element);
                            set(memory, at, element, value);
                        } else {
                            set(response, register, slot, number(memory, at, element));
                        }
                    }
                }
            }
            Meaning::Atomic {
                change,
                lanes,
                address,
                size,
                returns,
            } => {
                let (data, pitch) = (whole(lanes * address), whole(lanes * size));
                for &lane in on.iter().filter(|&&lane| lane < lanes) {
                    let at = start(lane, address);
                    let old = number(memory, at, size);
                    let operand = |i| number(payload, data + i * pitch + lane * size, size);
                    let new = match change {
                        Change::Add => old.wrapping_add(operand(0)),
                        Change::CompareExchange if old == operand(0) => operand(1),
                        Change::CompareExchange => old,
                    };
                    set(memory, at, size, new);
                    if returns {
                        set(response, lane * size, size, old);
                    }
                }
            }
            Meaning::Block {
                write,
                address,
                unit,
                size,
                skip,
            } => {
                let at = match address {
                    8 => start(0, 8),
                    _ => number(payload, 8, 4) as usize * unit,
                };
                if on.is_empty() {
                } else if write {
                    let from = grf + skip;
                    memory[at..at + size].copy_from_slice(&payload[from..from + size]);
                } else {
                    response[skip..skip + size].copy_from_slice(&memory[at..at + size]);
                }
            }
            Meaning::Scratch {
                write,
                by_dword,
                offset,
                size,
            } => {
                for byte in 0..size {
                    // The mask has sixteen dwords for each two registers.
                    let moves = match write && by_dword {
                        true => on.contains(&(byte / 4 % 16)),
                        false => !on.is_empty(),
                    };
                    match (moves, write) {
                        (true, true) => memory[offset + byte] = payload[grf + byte],
                        (true, false) => response[byte] = memory[offset + byte],
                        (false, _) => {}
                    }
                }
            }
            // The response is undefined; the executor gives zeros.
            Meaning::Fence { .. } => response.fill(0),
            Meaning::End => {}
            Meaning::Run {
                write,
                address,
                size,
                ..
            } => {
                let at = start(0, address);
                if on.is_empty() {
                } else if write {
                    memory[at..at + size].copy_from_slice(&payload[grf..grf + size]);
                } else {
                    response[..size].copy_from_slice(&memory[at..at + size]);
                }
            }
            Meaning::Texels { lanes, ref colors } => {
                let row = whole(lanes * 4);
                for &lane in on.iter().filter(|&&lane| lane < lanes) {
                    let coordinate = |i: usize| number(payload, i * row + lane * 4, 4) as usize;
                    let at = (coordinate(1) * SIDE + coordinate(0)) * TEXEL;
                    for (index, color) in colors.iter().enumerate() {
                        let from = (2 + index) * row + lane * 4;
                        set(texels, at + color * 4, 4, number(payload, from, 4));
                    }
                }
            }
            Meaning::Sample {
                lanes,
                header,
                floats,
                sampler,
            } => {
                let (first, hidden) = match header {
                    true => (grf, number(payload, 8, 4) >> 12),
                    false => (0, 0),
                };
                for &lane in on.iter().filter(|&&lane| lane < lanes) {
                    let coordinate = |i: usize| {
                        let bits = number(payload, first + (i * lanes + lane) * 4, 4) as u32;
                        match (floats, sampler) {
                            (false, _) => bits as i32,
                            (true, 0) => f32::from_bits(bits).floor() as i32,
                            (true, _) => (f32::from_bits(bits) * SIDE as f32).floor() as i32,
                        }
                    };
                    let side = SIDE as i32;
                    let [u, v] = [0, 1].map(coordinate);
                    let outside = !(0..side).contains(&u) || !(0..side).contains(&v);
                    let [u, v] = [u, v].map(|c| match sampler {
                        0 => c.clamp(0, side - 1),
                        _ => c.rem_euclid(side),
                    } as usize);
                    let shown = (0..4).filter(|color| hidden >> color & 1 == 0);
                    for (index, color) in shown.enumerate() {
                        let value = match !floats && outside {
                            true => 0,
                            false => number(texels, (v * SIDE + u) * TEXEL + color * 4, 4),
                        };
                        set(response, (index * lanes + lane) * 4, 4, value);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Change {
    fn operands(self) -> usize {
        match self {
            Change::Add => 1,
            Change::CompareExchange => 2,
        }
    }
}

/// Memory at random, and an image of four numbers of 32 bits a texel.
fn world(random: &mut Random) -> World {
    let mut noise = |size: usize| (0..size).map(|_| random.next() as u8).collect::<Vec<_>>();
    let shape = Format::find("rgba32uint")
        .and_then(|format| Shape::new(ImageKind::D2, format, &[SIDE as u32; 2]));
    let texels = noise(SIDE * SIDE * TEXEL);
    let nearest = |normalized, addressing| Sampler {
        normalized,
        addressing,
        filter: Filter::Nearest,
        comparison: None,
    };
    World {
        surface: noise(MEMORY_BYTES),
        image: shape.map(|shape| Image { shape, texels }),
        samplers: vec![
            nearest(false, Addressing::ClampToEdge),
            nearest(true, Addressing::Repeat),
        ],
        local: noise(MEMORY_BYTES),
        scratch: noise(MEMORY_BYTES),
    }
}

/// Executes a number of instances of a kind of message both ways.
pub fn compare(
    kind: &Inst,
    platform: &'static Platform,
    instances: usize,
    seed: u64,
) -> Result<(), Difference> {
    let mut random = Random(seed | 1);
    for _ in 0..instances {
        compare_one(kind, platform, &mut random)?;
    }
    Ok(())
}

fn compare_one(
    kind: &Inst,
    platform: &'static Platform,
    random: &mut Random,
) -> Result<(), Difference> {
    let unknown = |e: Unknown| Difference::Unknown(e.0);
    let grf = platform.grf_bytes as usize;
    let mut inst = kind.clone();
    let Some(message) = kind.msg else {
        return Err(Difference::Unknown("a message without a descriptor"));
    };
    let by_address = platform.payload == Payload::Memory
        && (matches!(message.sfid, TYPED_BY_ADDRESS | LOCAL_BY_ADDRESS)
            || UNTYPED_BY_ADDRESS.contains(&message.sfid));
    let responds = inst.dst.is_some_and(|d| !is_null(d.place));
    let bits = match message.desc {
        Desc::Imm(bits) => bits,
        Desc::Addr { .. } => {
            let size = random.below(3) as u32;
            size << 10 | if responds { GATHER } else { SCATTER }
        }
    };
    let meaning = match by_address {
        _ if message.eot => Ok(Meaning::End),
        true => by_address_meaning(message.sfid, bits, kind.exec_size.into(), responds),
        false => meaning(message.sfid, bits, grf),
    };
    let meaning = meaning.map_err(unknown)?;
    let image = matches!(meaning, Meaning::Texels { .. } | Meaning::Sample { .. });
    let (bits, named, reached) = match by_address {
        true => named_by_address(message.sfid, bits, image).map_err(unknown)?,
        false => named_by_index(bits, image, &meaning),
    };
    let mut memory = world(random);
    let payload = meaning.payload(random, &memory.surface, platform);
    let total = payload.len() / grf;
    let addresses = match meaning {
        Meaning::Elements { lanes, address, .. } | Meaning::Atomic { lanes, address, .. } => {
            whole(lanes * address, grf) / grf
        }
        Meaning::Texels { lanes, .. } => whole(lanes * 4, grf) / grf * 2,
        _ => 1,
    };
    let first = match inst.srcs.len() {
        _ if by_address => addresses,
        1 => total,
        _ if total == 1 => total,
        _ => 1 + random.below(total - 1),
    };

    let mut state = State::random(random, platform);
    let places = [10, 40].map(|num| num + random.below(8));
    for (num, part) in places
        .iter()
        .zip([&payload[..first * grf], &payload[first * grf..]])
    {
        state.general[num * grf..][..part.len()].copy_from_slice(part);
    }
    for (src, num) in inst.srcs.iter_mut().zip(places) {
        if let Src::Reg(reg) = src {
            reg.place = Place::Direct(Reg::grf(num as u32));
        }
    }
    let response = match inst.dst.as_mut().filter(|_| responds) {
        Some(dst) => {
            dst.place = Place::Direct(Reg::grf(RESPONSE as u32));
            meaning.response(grf)
        }
        None => 0,
    };
    let second = (total - first) as u32;
    let lengths = (first << 25 | (response / grf) << 20) as u32;
    let desc = match message.desc {
        Desc::Imm(_) => Desc::Imm(bits | lengths),
        Desc::Addr { byte } => {
            set(&mut state.address, byte.into(), 4, (bits | lengths).into());
            Desc::Addr { byte }
        }
    };
    let ex_desc = match message.ex_desc {
        Desc::Imm(extended) => Desc::Imm(extended | second << 6),
        Desc::Addr { .. } if matches!(message.desc, Desc::Addr { .. }) => {
            return Err(Difference::Unknown("both descriptors in registers"));
        }
        Desc::Addr { byte } => {
            // If the instruction has no field for the length, the extended descriptor has it.
            inst.send.src1_len = second as u8;
            let beside = second_beside_descriptor(&inst, platform.family).is_some();
            if !beside {
                inst.send.src1_len = 0;
            }
            // An offset in bytes, of states of 64 bytes; or a number and the length below it.
            let named = match beside {
                true => named * 64,
                false => named << 12 | second << 6,
            };
            set(&mut state.address, byte.into(), 4, named.into());
            Desc::Addr { byte }
        }
    };
    inst.msg = Some(Message {
        desc,
        ex_desc,
        ..message
    });
    inst.chan_off = 8 * random.below(usize::from(32 / inst.exec_size.max(8))) as u8;
    inst.no_mask = random.chance(3);

    let mut found = memory.clone();
    let mut registers = registers_of(&state)
        .map(|r| r.on(Engine::Both))
        .map_err(|e| Difference::Refused(e.to_string()))?;
    let refused = |e| Difference::Refused(format!("{inst}: {e}"));
    registers
        .run(vec![inst.clone()], &mut found, 1)
        .map_err(refused)?;

    let on = state.enabled(&inst).map_err(unknown)?;
    let World {
        surface,
        image,
        local,
        scratch,
        ..
    } = &mut memory;
    let mut none = Vec::new();
    let texels = image.as_mut().map_or(&mut none, |image| &mut image.texels);
    let reached = match reached {
        Where::Surface => surface,
        Where::Local => local,
        Where::Scratch => scratch,
    };
    let length = response.max(meaning.response(grf));
    let answer = &mut state.general[RESPONSE * grf..][..length];
    let mut lost = answer.to_vec();
    let answer = if response == 0 { &mut lost } else { answer };
    meaning
        .carry_out(grf, &payload, &on, reached, texels, answer)
        .map_err(unknown)?;

    let mut general = vec![0; state.general.len()];
    let all = Reg::new(RegFile::Grf, 0, 0);
    registers.get(all, &mut general).map_err(refused)?;
    if general == state.general && found == memory {
        return Ok(());
    }
    let byte = general.iter().zip(&state.general).position(|(a, b)| a != b);
    Err(Difference::Wrong(format!(
        "{inst}: {meaning:?} on channels {on:?}: {}",
        match byte {
            Some(at) => format!("r{}.{} differs", at / grf, at % grf),
            None => "memory differs".to_string(),
        }
    )))
}

/// The descriptor with the index of its surface, the number of the state that an extended descriptor in a register names,
/// and the memory accessed. The image follows the buffer.
fn named_by_index(bits: u32, image: bool, meaning: &Meaning) -> (u32, u32, Where) {
    let index = bits & 0xff;
    let names_memory = match meaning {
        Meaning::Elements { address, .. }
        | Meaning::Atomic { address, .. }
        | Meaning::Block { address, .. } => *address == 4,
        _ => false,
    };
    let reached = match (meaning, index) {
        (Meaning::Scratch { .. }, _) => Where::Scratch,
        (_, LOCAL) if names_memory => Where::Local,
        (_, index) if names_memory && STATELESS.contains(&index) => Where::Scratch,
        _ => Where::Surface,
    };
    let number = u32::from(image);
    match index {
        BINDLESS => (bits, number, reached),
        _ => (bits | number, 0, reached),
    }
}

/// As `named`, for a message by address.
fn named_by_address(sfid: u8, bits: u32, image: bool) -> Result<(u32, u32, Where), Unknown> {
    let number = u32::from(image);
    let wide = bits >> 7 & 3 == 3;
    let local = sfid == LOCAL_BY_ADDRESS;
    let (extended, reached) = match bits >> 29 & 3 {
        0 if local => (0, Where::Local),
        0 if wide => (0, Where::Surface),
        0 => (0, Where::Scratch),
        1 => (number, Where::Surface),
        2 => (SCRATCH_SURFACE, Where::Scratch),
        _ if image => return Err(Unknown("an image by its index")),
        _ => (0, Where::Surface),
    };
    Ok((bits, extended, reached))
}

fn is_null(place: Place) -> bool {
    matches!(place, Place::Direct(reg) if reg.is_null())
}
