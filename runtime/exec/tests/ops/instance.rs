//! Random instances of a kind: registers, regions of its shape, execution sizes, masks, immediates, and the contents
//! of all registers.

use kiln_emit::inst::{Inst, Op, Place, Reg, RegFile, Region, SWIZZLE_XYZW, Src, SrcReg, Type};

use kiln_emit::platform::Platform;

use crate::compare::{FROM, accumulator_type};
use crate::model::State;
use crate::random::Random;

impl State {
    /// Random registers and a random execution mask.
    pub fn random(random: &mut Random, platform: &'static Platform) -> State {
        let some = random.next() as u32;
        State {
            platform,
            general: (0..16 * platform.grf_bytes)
                .flat_map(|_| random.next().to_le_bytes())
                .collect(),
            address: vec![0; 32],
            flags: random.next(),
            control: random.pick(&[0, 0x10, 0x20, 0x30]) | random.pick(&[0, 0x4c0, 0x480, 0x40]),
            active: random.pick(&[u32::MAX, 0, 0xffff, 0x5555_5555, some]),
            notification: 0,
            acc: [0; 16],
            float_acc: [0; 16],
            thread_state: random.next() as u32,
            message_state: random.next() as u32,
        }
    }
}

/// A random instance of the kind, with registers to execute it on.
pub fn instance(kind: &Inst, platform: &'static Platform, random: &mut Random) -> (Inst, State) {
    let mut inst = kind.clone();
    let mut state = State::random(random, platform);
    if matches!(inst.op, Op::Math(_)) {
        // The effect of the modes on these functions is not public.
        state.control &= 0x4c0;
    }
    if inst.exec_size > 1 {
        inst.exec_size = execution_size(&inst, random);
    }
    let n = inst.exec_size;
    let unit = n.max(4);
    inst.chan_off = unit * random.below(usize::from(32 / unit)) as u8;
    inst.no_mask = random.chance(3);
    if let Some(pred) = &mut inst.pred {
        pred.inverse = random.chance(2);
        pred.flag = flag(random, n);
    }
    if let Some(cond) = &mut inst.cond
        && !cond.flag.is_null()
    {
        cond.flag = flag(random, n);
    }
    for at in 0..16 {
        // Any register's middle: operands reach both ways from there.
        let byte = 1024 + random.below(1800) as u16;
        state.address[at * 2..at * 2 + 2].copy_from_slice(&byte.to_le_bytes());
    }
    let align16 = inst.opts.align16;
    let mut sources = inst.srcs;
    for src in &mut sources {
        match src {
            Src::Imm { ty, bits } => {
                *bits = random.element(*ty);
                if ty.bytes() < 8 {
                    *bits &= (1 << (ty.bytes() * 8)) - 1;
                }
            }
            Src::Reg(reg) => source(reg, n, align16, random, &mut state),
        }
    }
    inst.srcs = sources;
    align(&mut inst);
    if let Some(ty) = accumulator_type(&inst, &state) {
        scatter(FROM as usize * state.grf_bytes(), 1, ty, random, &mut state);
    }
    if matches!(inst.dst, Some(d) if in_file(d.place, RegFile::Control)) {
        keep_ieee_mode(&mut inst, &mut state);
    }
    if inst.op == Op::Smov
        && let Some(Src::Imm { bits, .. }) = inst.srcs.get_mut(1)
    {
        *bits &= 0xffff;
    }
    if let Some(dst) = &mut inst.dst {
        let room = bytes(n, u32::from(dst.hstride), dst.ty);
        dst.place = place(dst.place, dst.ty, room, align16, random, &mut state);
        if dst.chan_mask != 15 {
            dst.chan_mask = 1 + random.below(14) as u8;
        }
    }
    (inst, state)
}

/// Clears the lowest bit of sources, so that a write to `cr0` keeps IEEE mode; the executor refuses the other mode.
fn keep_ieee_mode(inst: &mut Inst, state: &mut State) {
    for src in &mut inst.srcs {
        match src {
            Src::Imm { bits, .. } => *bits &= !1,
            Src::Reg(SrcReg {
                place: Place::Direct(reg),
                ..
            }) if reg.file == RegFile::Grf => {
                let at = reg.num as usize * state.grf_bytes() + usize::from(reg.byte);
                state.general[at] &= !1;
            }
            Src::Reg(_) => {}
        }
    }
}

/// Plane equations have their scalars at multiples of 16 bytes and their vectors in whole registers.
fn align(inst: &mut Inst) {
    let unit = if inst.op == Op::Pln {
        [16, 32]
    } else {
        [16, 4]
    };
    if !matches!(inst.op, Op::Pln | Op::Line) {
        return;
    }
    for (src, unit) in inst.srcs.iter_mut().zip(unit) {
        if let Src::Reg(SrcReg {
            place: Place::Direct(reg),
            ..
        }) = src
        {
            reg.byte -= reg.byte % unit;
        }
    }
}

/// Bytes that `n` elements take at a stride.
fn bytes(n: u8, stride: u32, ty: Type) -> usize {
    (u32::from(n) * stride.max(1) * ty.bytes()) as usize
}

/// A random execution size for which each operand fits two registers.
fn execution_size(inst: &Inst, random: &mut Random) -> u8 {
    let accumulators = inst.opts.acc_wr_en
        || matches!(inst.op, Op::Mac | Op::Mach)
        || matches!(inst.dst, Some(d) if in_file(d.place, RegFile::Acc))
        || inst
            .srcs
            .iter()
            .any(|s| matches!(s, Src::Reg(r) if in_file(r.place, RegFile::Acc)));
    let rows = inst
        .srcs
        .iter()
        .any(|s| matches!(s, Src::Reg(r) if r.region.vstride.is_none()));
    let small = matches!(inst.dst, Some(d) if in_file(d.place, RegFile::Flag) || in_file(d.place, RegFile::Addr));
    let widest = inst.srcs.iter().map(|s| bytes(1, 1, s.ty()));
    let dst = inst.dst.map_or(4, |d| bytes(1, u32::from(d.hstride), d.ty));
    let most = 64 / widest.chain([dst]).max().unwrap_or(4);
    let most = if small || rows || accumulators {
        most.min(8)
    } else {
        most.min(32)
    };
    let most = match inst.op {
        Op::Movi => most.min(8),
        Op::Pln | Op::Line => most.min(16),
        _ => most,
    };
    let sizes: Vec<u8> = [2, 4, 8, 16, 32]
        .into_iter()
        .filter(|&n| usize::from(n) <= most)
        .collect();
    let least = match inst.op {
        Op::Pln => 8,
        Op::Dp2 | Op::Dp3 | Op::Dp4 | Op::Dph => 4,
        _ if inst.opts.align16 => 4,
        _ => 2,
    };
    let sizes: Vec<u8> = sizes.into_iter().filter(|&n| n >= least).collect();
    if sizes.is_empty() {
        least
    } else {
        random.pick(&sizes)
    }
}

fn in_file(place: Place, file: RegFile) -> bool {
    matches!(place, Place::Direct(reg) if reg.file == file)
}

/// A flag register with bits for all channels.
fn flag(random: &mut Random, n: u8) -> Reg {
    let byte = if n == 32 {
        0
    } else {
        2 * random.below(2) as u16
    };
    // Channel numbers count from the register's first bit, and an upper half has only sixteen bits.
    Reg::new(
        RegFile::Flag,
        random.below(if byte == 0 { 2 } else { 1 }) as u32,
        byte,
    )
}

fn source(reg: &mut SrcReg, n: u8, align16: bool, random: &mut Random, state: &mut State) {
    if align16 {
        if reg.swizzle != SWIZZLE_XYZW {
            reg.swizzle = random.next() as u8;
        }
        reg.place = place(reg.place, reg.ty, 64, true, random, state);
    } else {
        reg.region = region(reg.region, n, random);
        reg.place = place(reg.place, reg.ty, 64, false, random, state);
    }
    // Fills the surroundings of the operand with elements.
    if let Place::Direct(Reg {
        file: RegFile::Grf,
        num,
        byte,
    }) = reg.place
    {
        let size = reg.ty.bytes() as usize;
        let start = num as usize * state.grf_bytes() + usize::from(byte) % size;
        scatter(start, 16, reg.ty, random, state);
    } else if matches!(reg.place, Place::Indirect { .. }) {
        for _ in 0..600 {
            let at = 1000 + random.below(2000 / 8) * 8;
            scatter(at, 1, reg.ty, random, state);
        }
    }
}

fn scatter(start: usize, count: usize, ty: Type, random: &mut Random, state: &mut State) {
    let size = ty.bytes() as usize;
    for element in state.general[start..]
        .chunks_exact_mut(size)
        .take(count * 8)
    {
        element.copy_from_slice(&random.element(ty).to_le_bytes()[..size]);
    }
}

/// A region of the same shape for `n` channels.
fn region(kind: Region, n: u8, random: &mut Random) -> Region {
    let widths: Vec<u8> = [1, 2, 4, 8, 16].into_iter().filter(|&w| w <= n).collect();
    let Some(rows) = kind.vstride else {
        let width = if kind.width == 1 {
            1
        } else {
            *widths.last().unwrap_or(&1).min(&4)
        };
        return Region { width, ..kind };
    };
    if kind == Region::SCALAR || n == 1 {
        return kind;
    }
    if rows == kind.width * kind.hstride {
        let step = if kind.hstride == 1 {
            1
        } else {
            random.pick(&[2, 4])
        };
        let width = random.pick(&widths);
        return match width {
            1 => Region::new(step, 1, 0),
            w if w * step > 32 => Region::new(16, 16 / step, step),
            w => Region::new(w * step, w, step),
        };
    }
    Region::new(
        random.pick(&[0, 1, 2, 4, 8, 16]),
        random.pick(&widths),
        random.pick(&[0, 1, 2, 4]),
    )
}

/// A place of the same file, with room for a number of bytes after it.
fn place(
    kind: Place,
    ty: Type,
    room: usize,
    align16: bool,
    random: &mut Random,
    state: &mut State,
) -> Place {
    let size = ty.bytes() as usize;
    match kind {
        Place::Direct(reg) => Place::Direct(match reg.file {
            RegFile::Grf => {
                let unit = if align16 { 16 } else { size };
                let byte = random.below(state.grf_bytes() / unit) * unit;
                Reg::new(RegFile::Grf, 4 + random.below(80) as u32, byte as u16)
            }
            RegFile::Flag => Reg::new(RegFile::Flag, random.below(2) as u32, 0),
            RegFile::Addr => {
                let last = 32usize.saturating_sub(room.min(32)) / size;
                Reg::new(RegFile::Addr, 0, (random.below(last + 1) * size) as u16)
            }
            _ => reg,
        }),
        Place::Indirect { .. } => {
            let addr = Reg::new(RegFile::Addr, 0, 2 * random.below(9) as u16);
            // Addresses are multiples of the element's size.
            for word in state.address.chunks_exact_mut(2) {
                word[0] &= !(size as u8 - 1);
            }
            Place::Indirect {
                addr,
                imm: ((random.below(400) as i16 - 200) / 8) * 8,
            }
        }
    }
}
