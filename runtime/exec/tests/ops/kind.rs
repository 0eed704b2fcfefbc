//! The kind of an instruction: the distinctions that the executor must make.
//!
//! A kind is written as its simplest instruction. It keeps the operation with its function, the predicate's control,
//! the condition, saturation, the accumulator write and Align16; and of each operand its type, its modifiers and its
//! *shape* (register file; scalar, packed, strided, two-dimensional or indirect region; immediate). Fields that select
//! no other path are normalized: register numbers, immediate values, channel offsets, execution sizes above 1, branch
//! distances. A message keeps its function, the execution size, and the descriptor without its lengths and the index
//! of an ordinary surface; loads and stores by address drop caches and the address offset. Scoreboard annotations are
//! not part of a kind.

use kiln_emit::inst::{
    CondMod, Desc, Dst, Inst, Message, Options, Place, Reg, RegFile, Region, SWIZZLE_XYZW,
    SendOptions, Src, SrcReg, Swsb, Target, Type,
};
use kiln_emit::listing::{Style, line};
use kiln_emit::platform::{Payload, Platform};

/// Registers of a kind's operands, far enough apart for any size.
const DST: u32 = 40;
const SRCS: [u32; 3] = [10, 20, 30];
/// The execution size that stands for all but 1.
const WIDE: u8 = 8;
/// Representative of all strided regions.
const STRIDED: Region = Region {
    vstride: Some(16),
    width: 8,
    hstride: 2,
};
/// Representatives of all swizzles and channel sets that are not the identity.
const SWIZZLED: u8 = 0b00_11_10_01;
const SOME_CHANNELS: u8 = 0b0101;
/// First binding table index that is not an ordinary surface.
const FIRST_SPECIAL_SURFACE: u32 = 240;

/// Shared functions of loads and stores by address.
const BY_ADDRESS: [u8; 4] = [1, 13, 14, 15];

/// The simplest instruction of the same kind.
pub fn kind(inst: &Inst, platform: &Platform) -> Inst {
    let mut kind = inst.clone();
    kind.swsb = Swsb::default();
    kind.send = SendOptions {
        ex_bso: inst.send.ex_bso,
        ..SendOptions::default()
    };
    kind.opts = Options {
        align16: inst.opts.align16,
        acc_wr_en: inst.opts.acc_wr_en,
        branch_ctrl: inst.opts.branch_ctrl,
        ..Options::default()
    };
    kind.chan_off = 0;
    kind.no_mask = false;
    if let Some(pred) = &mut kind.pred {
        pred.flag = flag();
        pred.inverse = false;
    }
    if let Some(CondMod { flag: to, .. }) = &mut kind.cond
        && !to.is_null()
    {
        *to = flag();
    }
    if inst.op.is_send() {
        message(&mut kind, platform);
        return kind;
    }
    if inst.exec_size > 1 && !inst.op.is_systolic() {
        kind.exec_size = WIDE;
    }
    if inst.op.is_branch() {
        for target in [&mut kind.jip, &mut kind.uip].into_iter().flatten() {
            if let Target::Offset(distance) = target {
                *distance = 64 * distance.signum();
            }
        }
    }
    if let Some(dst) = &mut kind.dst {
        dst.place = place(dst.place, DST);
        dst.mme = dst.mme.map(special);
        if dst.chan_mask != 15 {
            dst.chan_mask = SOME_CHANNELS;
        }
    }
    for (src, num) in kind.srcs.iter_mut().zip(SRCS) {
        match src {
            Src::Imm { bits, .. } => *bits = 0,
            Src::Reg(reg) if inst.op.is_systolic() => reg.place = place(reg.place, num),
            Src::Reg(reg) => {
                plain_source(reg, num, inst.exec_size, inst.opts.align16);
                // Instructions with three sources cannot have rows of this length.
                if inst.srcs.len() == 3 && reg.region == STRIDED {
                    reg.region = Region::new(8, 4, 2);
                }
            }
        }
    }
    kind
}

/// The name of a kind: its listing, with the shared function of a message.
pub fn name(kind: &Inst, platform: &Platform) -> String {
    line(kind, 0, platform, Style::Numeric)
}

fn flag() -> Reg {
    Reg::new(RegFile::Flag, 0, 0)
}

/// A macro operand's accumulator: the first, or none.
fn special(mme: u8) -> u8 {
    if mme < 8 { 0 } else { 8 }
}

fn place(place: Place, num: u32) -> Place {
    match place {
        Place::Direct(reg) if reg.file == RegFile::Grf => Place::Direct(Reg::grf(num)),
        Place::Direct(reg) => Place::Direct(Reg::new(reg.file, 0, 0)),
        Place::Indirect { .. } => Place::Indirect {
            addr: Reg::new(RegFile::Addr, 0, 0),
            imm: 0,
        },
    }
}

fn plain_source(reg: &mut SrcReg, num: u32, exec: u8, align16: bool) {
    reg.place = place(reg.place, num);
    reg.mme = reg.mme.map(special);
    if reg.swizzle != SWIZZLE_XYZW {
        reg.swizzle = SWIZZLED;
    }
    if !align16 {
        reg.region = shape(reg.region, exec);
    }
}

/// The simplest region of the same shape.
fn shape(region: Region, exec: u8) -> Region {
    let Region {
        vstride,
        width,
        hstride,
    } = region;
    let Some(rows) = vstride else {
        // An address for each row: of one element, or of several.
        return match width {
            1 => region,
            _ => Region {
                vstride: None,
                width: 4,
                hstride: 1,
            },
        };
    };
    let one_row = width >= exec;
    let step = match (width, one_row, rows == width * hstride) {
        (1, _, _) => Some(rows),
        (_, true, _) | (_, _, true) => Some(hstride),
        _ => None,
    };
    match step {
        _ if exec == 1 => Region::SCALAR,
        Some(0) => Region::SCALAR,
        Some(1) => Region::packed(WIDE),
        Some(_) => STRIDED,
        None => Region::new(8, 4, 1),
    }
}

/// A message without its lengths, registers and its surface's number.
fn message(kind: &mut Inst, platform: &Platform) {
    let Some(Message {
        sfid,
        desc,
        ex_desc,
        ..
    }) = &mut kind.msg
    else {
        return;
    };
    for part in [&mut *desc, &mut *ex_desc] {
        if let Desc::Addr { byte } = part {
            *byte = 0;
        }
    }
    let by_address = platform.payload == Payload::Memory && BY_ADDRESS.contains(sfid);
    if let (Desc::Imm(bits), true) = (&mut *desc, by_address) {
        let lengths_and_caches = 0x1fff_0000;
        *bits &= !lengths_and_caches;
    } else if let Desc::Imm(bits) = desc {
        let lengths = 0xfff0_0000;
        let plain = *bits & !lengths;
        let scratch = *sfid == 10 && plain >> 18 & 1 != 0;
        *bits = match plain & 0xff {
            _ if scratch => plain & !0xfff,
            n if n < FIRST_SPECIAL_SURFACE && *sfid != 3 && *sfid != 7 => plain & !0xff,
            _ => plain,
        };
    }
    if let Desc::Imm(bits) = ex_desc {
        *bits &= 0x3f;
    }
    let null = |place: Place| matches!(place, Place::Direct(reg) if reg.is_null());
    if let Some(dst) = &mut kind.dst {
        let to = if null(dst.place) {
            Reg::NULL
        } else {
            Reg::grf(DST)
        };
        *dst = Dst::new(to, 1, Type::Ud);
    }
    for (src, num) in kind.srcs.iter_mut().zip(SRCS) {
        *src = Src::reg(Reg::grf(num), Region::packed(WIDE), Type::Ud);
    }
}
