//! What messages to the data port and the sampler do, a second time: their descriptors' fields as the
//! manual's tables have them (PRM vol. 7, "Shared Functions"), each channel's access by itself.
//!
//! A payload, the memory and the channels that execute are chosen at random, so that accesses are
//! inside and no two channels write the same bytes, but with atomic operations, which follow one
//! another by channel.

use kiln_emit::inst::{Desc, Inst, Message, Place, Reg, RegFile, Src};
use kiln_runtime::exec::{Addressing, Filter, Format, Image, ImageKind, Sampler, Shape, World};

use crate::compare::{Difference, registers_of};
use crate::model::{GRF_BYTES, State, Unknown};
use crate::random::Random;

const SAMPLER: u8 = 2;
const DATA_CACHE_0: u8 = 10;
const DATA_CACHE_1: u8 = 12;
const HEADER: u32 = 1 << 19;
/// Indices of the binding table that name shared memory, and memory at the general state's base.
const LOCAL: u32 = 254;
const STATELESS: [u32; 2] = [253, 255];
/// Bytes of each memory.
const ROOM: usize = 1024;
/// Texels of a side of the image.
const SIDE: usize = 4;
const TEXEL: usize = 16;
/// Where the response goes; the registers from here on are nothing else's.
const RESPONSE: usize = 80;
/// What a message without lengths, whose descriptor is in a register, reads or writes: bytes, words or
/// dwords of eight channels.
const GATHER: u32 = 4 << 14;
const SCATTER: u32 = 12 << 14;

/// What a message does.
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
        code: u32,
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
    /// Moves consecutive bytes of the scratch space; under the mask, if dword by dword.
    Scratch {
        write: bool,
        by_dword: bool,
        offset: usize,
        size: usize,
    },
    /// Writes some colors of texels.
    Texels { colors: Vec<usize> },
    /// Reads a texel at coordinates that are floats, or integers.
    Sample {
        lanes: usize,
        floats: bool,
        sampler: usize,
    },
}

/// The fields of a descriptor.
fn meaning(sfid: u8, desc: u32) -> Result<Meaning, Unknown> {
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
            offset: field(0, 12) as usize * GRF_BYTES,
            size: GRF_BYTES * log(12),
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
            code: field(8, 4),
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
            colors: colors().collect(),
        },
        (SAMPLER, _) if header && matches!(field(12, 5), 0x18 | 0x1a) => Meaning::Sample {
            lanes: lanes(field(17, 2) == 2),
            floats: field(12, 5) == 0x18,
            sampler: field(8, 4) as usize,
        },
        _ => return Err(Unknown("that message")),
    })
}

/// Bytes of whole registers that hold so many.
fn whole(bytes: usize) -> usize {
    bytes.next_multiple_of(GRF_BYTES)
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
    fn response(&self) -> usize {
        match self {
            Meaning::Elements { write: true, .. }
            | Meaning::Block { write: true, .. }
            | Meaning::Scratch { write: true, .. }
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
            Meaning::Scratch { size, .. } => *size,
            Meaning::Sample { lanes, .. } => lanes * 4 * 4,
        }
    }

    /// A payload at random; numbers to compare with are sometimes those in memory.
    fn payload(&self, random: &mut Random, memory: &[u8]) -> Vec<u8> {
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
                // Bytes may be anywhere; other elements are at multiples of their size.
                let free = if slot == element {
                    1
                } else {
                    GRF_BYTES - element
                };
                let turn = random.below(lanes);
                for lane in 0..lanes {
                    let own = (lane + turn) % lanes * GRF_BYTES + random.below(free);
                    set(
                        &mut payload,
                        lane * address,
                        address,
                        start(address) + own as u64,
                    );
                }
            }
            Meaning::Atomic {
                lanes,
                address,
                size,
                ..
            } => {
                payload.resize(whole(lanes * address), 0);
                noise(&mut payload, whole(lanes * size) * 2);
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
                noise(&mut payload, GRF_BYTES);
                let place = random.below(40) as u64 * 16;
                match address {
                    8 => set(&mut payload, 0, 8, start(8) + place),
                    _ => set(&mut payload, 8, 4, place / unit as u64),
                }
                set(&mut payload, 20, 4, 0);
                let mut noise = |count| (0..count).map(|_| random.next() as u8).collect::<Vec<_>>();
                payload.extend(noise(if write { whole(size + skip) } else { 0 }));
            }
            Meaning::Scratch { write, size, .. } => {
                noise(&mut payload, GRF_BYTES + if write { size } else { 0 });
                // Its base: the lower bits are something else.
                let other = random.next() & 0x3ff;
                set(&mut payload, 20, 4, other);
            }
            Meaning::Texels { ref colors } => {
                payload.resize(GRF_BYTES * 2, 0);
                noise(&mut payload, GRF_BYTES * colors.len());
                let turn = random.below(8);
                for lane in 0..8 {
                    let texel = (lane + turn) as u64;
                    set(&mut payload, lane * 4, 4, texel % SIDE as u64);
                    set(&mut payload, GRF_BYTES + lane * 4, 4, texel / SIDE as u64);
                }
            }
            Meaning::Sample {
                lanes,
                floats,
                sampler,
            } => {
                noise(&mut payload, GRF_BYTES);
                // Colors that are left out, and where the samplers start.
                let hidden = random.below(15) as u64;
                set(&mut payload, 8, 4, hidden << 12);
                set(&mut payload, 12, 4, 0);
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

    /// Carries the message out; the response keeps what it is not given.
    fn carry_out(
        &self,
        payload: &[u8],
        on: &[usize],
        memory: &mut [u8],
        texels: &mut [u8],
        response: &mut [u8],
    ) -> Result<(), Unknown> {
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
                code,
                lanes,
                address,
                size,
                returns,
            } => {
                let (data, pitch) = (whole(lanes * address), whole(lanes * size));
                for &lane in on.iter().filter(|&&lane| lane < lanes) {
                    let at = start(lane, address);
                    let old = number(memory, at, size);
                    let [a, b] =
                        [0, 1].map(|i| number(payload, data + i * pitch + lane * size, size));
                    let new = match code {
                        7 => old.wrapping_add(a),
                        14 if old == a => b,
                        14 => old,
                        _ => return Err(Unknown("that atomic operation")),
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
                    let from = GRF_BYTES + skip;
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
                    // The mask is that of sixteen dwords, for each two registers.
                    let moves = match write && by_dword {
                        true => on.contains(&(byte / 4 % 16)),
                        false => !on.is_empty(),
                    };
                    match (moves, write) {
                        (true, true) => memory[offset + byte] = payload[GRF_BYTES + byte],
                        (true, false) => response[byte] = memory[offset + byte],
                        (false, _) => {}
                    }
                }
            }
            Meaning::Texels { ref colors } => {
                for &lane in on.iter().filter(|&&lane| lane < 8) {
                    let coordinate =
                        |i: usize| number(payload, i * GRF_BYTES + lane * 4, 4) as usize;
                    let at = (coordinate(1) * SIDE + coordinate(0)) * TEXEL;
                    for (index, color) in colors.iter().enumerate() {
                        let from = (2 + index) * GRF_BYTES + lane * 4;
                        set(texels, at + color * 4, 4, number(payload, from, 4));
                    }
                }
            }
            Meaning::Sample {
                lanes,
                floats,
                sampler,
            } => {
                let hidden = number(payload, 8, 4) >> 12;
                for &lane in on.iter().filter(|&&lane| lane < lanes) {
                    let coordinate = |i: usize| {
                        let bits = number(payload, GRF_BYTES + (i * lanes + lane) * 4, 4) as u32;
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
        surface: noise(ROOM),
        image: shape.map(|shape| Image { shape, texels }),
        samplers: vec![
            nearest(false, Addressing::ClampToEdge),
            nearest(true, Addressing::Repeat),
        ],
        local: noise(ROOM),
        scratch: noise(ROOM),
    }
}

/// Executes so many instances of a kind of message both ways.
pub fn compare(kind: &Inst, instances: usize, seed: u64) -> Result<(), Difference> {
    let mut random = Random(seed | 1);
    for _ in 0..instances {
        compare_one(kind, &mut random)?;
    }
    Ok(())
}

fn compare_one(kind: &Inst, random: &mut Random) -> Result<(), Difference> {
    let unknown = |e: Unknown| Difference::Unknown(e.0);
    let mut inst = kind.clone();
    let Some(message) = kind.msg else {
        return Err(Difference::Unknown("a message without a descriptor"));
    };
    let Desc::Imm(extended) = message.ex_desc else {
        return Err(Difference::Unknown("an extended descriptor in a register"));
    };
    let bits = match message.desc {
        Desc::Imm(bits) => bits,
        Desc::Addr { .. } => {
            let size = random.below(3) as u32;
            let writes = inst.dst.is_none_or(|d| is_null(d.place));
            size << 10 | if writes { SCATTER } else { GATHER }
        }
    };
    let meaning = meaning(message.sfid, bits).map_err(unknown)?;
    // The image is behind the buffer.
    let bits = match meaning {
        Meaning::Texels { .. } | Meaning::Sample { .. } => bits | 1,
        _ => bits,
    };
    let mut memory = world(random);
    let payload = meaning.payload(random, &memory.surface);
    let total = payload.len() / GRF_BYTES;
    let first = match inst.srcs.len() {
        1 => total,
        _ => 1 + random.below(total - 1),
    };

    let mut state = State::random(random);
    let places = [10, 40].map(|num| num + random.below(8));
    for (num, part) in places
        .iter()
        .zip([&payload[..first * GRF_BYTES], &payload[first * GRF_BYTES..]])
    {
        state.general[num * GRF_BYTES..][..part.len()].copy_from_slice(part);
    }
    for (src, num) in inst.srcs.iter_mut().zip(places) {
        if let Src::Reg(reg) = src {
            reg.place = Place::Direct(Reg::grf(num as u32));
        }
    }
    let responds = inst.dst.as_mut().filter(|d| !is_null(d.place)).map(|dst| {
        dst.place = Place::Direct(Reg::grf(RESPONSE as u32));
    });
    let response = match responds {
        Some(()) => meaning.response(),
        None => 0,
    };
    let lengths = (first << 25 | (response / GRF_BYTES) << 20) as u32;
    let desc = match message.desc {
        Desc::Imm(_) => Desc::Imm(bits | lengths),
        Desc::Addr { byte } => {
            set(&mut state.address, byte.into(), 4, (bits | lengths).into());
            Desc::Addr { byte }
        }
    };
    let second = (total - first) as u32;
    inst.msg = Some(Message {
        desc,
        ex_desc: Desc::Imm(extended | second << 6),
        ..message
    });
    inst.chan_off = 8 * random.below(usize::from(32 / inst.exec_size.max(8))) as u8;
    inst.no_mask = random.chance(3);

    let mut found = memory.clone();
    let mut registers = registers_of(&state).map_err(|e| Difference::Refused(e.to_string()))?;
    let refused = |e| Difference::Refused(format!("{inst}: {e}"));
    registers
        .run(vec![inst.clone()], &mut found, 1)
        .map_err(refused)?;

    let on = state.enabled(&inst).map_err(unknown)?;
    let names_memory = match meaning {
        Meaning::Elements { address, .. }
        | Meaning::Atomic { address, .. }
        | Meaning::Block { address, .. } => address == 4,
        _ => false,
    };
    let World {
        surface,
        image,
        local,
        scratch,
        ..
    } = &mut memory;
    let mut none = Vec::new();
    let texels = image.as_mut().map_or(&mut none, |image| &mut image.texels);
    let reached = match (&meaning, bits & 0xff) {
        (Meaning::Scratch { .. }, _) => scratch,
        (_, LOCAL) if names_memory => local,
        (_, index) if names_memory && STATELESS.contains(&index) => scratch,
        _ => surface,
    };
    let answer = &mut state.general[RESPONSE * GRF_BYTES..][..response.max(meaning.response())];
    let mut lost = answer.to_vec();
    let answer = if response == 0 { &mut lost } else { answer };
    meaning
        .carry_out(&payload, &on, reached, texels, answer)
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
            Some(at) => format!("r{}.{} differs", at / GRF_BYTES, at % GRF_BYTES),
            None => "memory differs".to_string(),
        }
    )))
}

fn is_null(place: Place) -> bool {
    matches!(place, Place::Direct(reg) if reg.is_null())
}
