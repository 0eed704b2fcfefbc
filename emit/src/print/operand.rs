//! Operands as text: registers, regions, types, immediates.

use super::float;
use super::text::Text;
use crate::inst::{
    Inst, Op, Place, Pred, PredCtrl, Reg, RegFile, Region, SWIZZLE_XYZW, SrcReg, Type,
};

/// How the registers of a file are written.
struct FileSyntax {
    name: &'static str,
    /// The register's number follows.
    numbered: bool,
    /// The sub-register is written even if it is the first.
    subs: bool,
    /// Sub-registers are counted in elements, not bytes.
    scaled: bool,
}

#[inline]
fn file_syntax(file: RegFile) -> FileSyntax {
    let (name, numbered, subs, scaled) = match file {
        RegFile::Grf => ("r", true, true, true),
        RegFile::Virt => ("v", true, true, true),
        RegFile::Null => ("null", false, false, true),
        RegFile::Addr => ("a", true, true, true),
        RegFile::Acc => ("acc", true, true, true),
        RegFile::Mme => ("mme", true, true, true),
        RegFile::Flag => ("f", true, true, true),
        RegFile::ChannelEnable => ("ce", false, false, false),
        RegFile::StackPointer => ("sp", false, true, true),
        RegFile::State => ("sr", true, true, true),
        RegFile::Control => ("cr", true, true, true),
        RegFile::Notification => ("n", true, true, true),
        RegFile::Ip => ("ip", false, false, false),
        RegFile::Tdr => ("tdr", true, true, true),
        RegFile::Timestamp => ("tm", true, true, true),
        RegFile::FlowControl => ("fc", true, true, false),
        RegFile::Debug => ("dbg", true, true, true),
        RegFile::MessageControl => ("msg", true, true, false),
        RegFile::Scalar => ("s", true, true, true),
    };
    FileSyntax {
        name,
        numbered,
        subs,
        scaled,
    }
}

/// When an operand's sub-register is written.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Sub {
    /// Where the file has any.
    Shown,
    /// Payloads and macro operands are whole registers; only a virtual one's offset is shown.
    Whole,
}

impl Sub {
    /// Of a source, `n` is its number.
    pub fn of(op: Op, n: Option<usize>, mme: Option<u8>) -> Sub {
        if op.is_send() || mme.is_some() || (op.is_systolic() && n != Some(2)) {
            Sub::Whole
        } else {
            Sub::Shown
        }
    }
}

/// How regions are written.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Layout {
    Basic,
    /// Three-source operands have shorter regions.
    Ternary,
    /// Those of Align16 have the two that there are.
    Align16Ternary,
}

pub(super) fn write_pred(pred: &Pred, text: &mut Text) {
    if pred.inverse {
        text.byte(b'~');
    }
    write_flag(pred.flag, text);
    let mut horizontal = |name, channels: u8| {
        text.str(name);
        text.number(u32::from(channels));
        text.byte(b'h');
    };
    match pred.ctrl {
        PredCtrl::Normal => {}
        PredCtrl::AnyV => text.str(".anyv"),
        PredCtrl::AllV => text.str(".allv"),
        PredCtrl::Any(n) => horizontal(".any", n),
        PredCtrl::All(n) => horizontal(".all", n),
        PredCtrl::AnyChannel => text.str(".any"),
        PredCtrl::AllChannels => text.str(".all"),
        PredCtrl::Replicate(n) => {
            text.byte(b'.');
            text.byte(channel(n));
        }
    }
}

/// A flag register's halves are numbered as words.
pub(super) fn write_flag(flag: Reg, text: &mut Text) {
    write_reg(flag, Type::Uw, Sub::Shown, text);
}

/// One of Align16's channels.
pub(super) fn channel(n: u8) -> u8 {
    b"xyzw"[usize::from(n & 3)]
}

pub(super) fn write_reg(reg: Reg, ty: Type, sub: Sub, text: &mut Text) {
    let FileSyntax {
        name,
        numbered,
        subs,
        scaled,
    } = file_syntax(reg.file);
    text.str(name);
    if numbered || reg.num != 0 {
        text.number(reg.num);
    }
    let unit = if scaled { ty.bytes() } else { 1 };
    let index = u32::from(reg.byte) >> unit.trailing_zeros();
    let shown = match sub {
        Sub::Shown => subs || index != 0,
        Sub::Whole => reg.file == RegFile::Virt && index != 0,
    };
    if shown {
        text.byte(b'.');
        text.number(index);
    }
}

pub(super) fn write_mme(mme: Option<u8>, text: &mut Text) {
    match mme {
        Some(8) => text.str(".nomme"),
        Some(n) => {
            text.str(".mme");
            text.number(u32::from(n));
        }
        None => {}
    }
}

pub(super) fn write_indirect(addr: Reg, imm: i16, text: &mut Text) {
    text.str("r[");
    write_reg(addr, Type::Uw, Sub::Shown, text);
    if imm != 0 {
        text.byte(b',');
        text.signed(i64::from(imm));
    }
    text.byte(b']');
}

#[inline]
pub(super) fn write_type(ty: Type, text: &mut Text) {
    text.byte(b':');
    text.str(ty.name());
}

/// `macros`: macro operands have their regions written.
pub(super) fn write_src(
    inst: &Inst,
    n: usize,
    src: &SrcReg,
    layout: Layout,
    macros: bool,
    text: &mut Text,
) {
    let op = inst.op;
    if src.modifier.neg {
        let complement = op.is_bitwise() && !src.modifier.abs;
        text.byte(if complement { b'~' } else { b'-' });
    }
    if src.modifier.abs {
        text.str("(abs)");
    }
    match src.place {
        Place::Direct(reg) => {
            write_reg(reg, src.ty, Sub::of(op, Some(n), src.mme), text);
            write_mme(src.mme, text);
        }
        Place::Indirect { addr, imm } => write_indirect(addr, imm, text),
    }
    let implied = op.is_send()
        || op.is_branch()
        || op.is_systolic()
        || matches!(op, Op::Sync(_))
        || (src.mme.is_some() && !macros);
    if inst.opts.align16 && layout != Layout::Basic && !implied {
        if src.region == Region::SCALAR {
            text.str(".r");
        } else if src.swizzle != SWIZZLE_XYZW {
            text.byte(b'.');
            for n in 0..4 {
                text.byte(channel(src.swizzle >> (2 * n)));
            }
        }
    } else if !implied {
        write_region(src.region, n, layout, inst.opts.align16, text);
    }
    let implied = match op {
        Op::Send | Op::Sendc => Some(Type::Ud),
        _ if op.is_split_send() => Some(src.ty),
        _ if op.is_branch() => Some(Type::D),
        _ => None,
    };
    if implied != Some(src.ty) {
        write_type(src.ty, text);
    }
}

fn write_region(region: Region, n: usize, layout: Layout, align16: bool, text: &mut Text) {
    let Region {
        vstride,
        width,
        hstride,
    } = region;
    let scalar = region == Region::SCALAR;
    match (layout, vstride) {
        (Layout::Ternary, vstride) => match (n, vstride) {
            (0 | 1, Some(vstride)) => write_strides(&[vstride, hstride], b";", text),
            (0 | 1, None) => write_strides(&[hstride], b"", text),
            _ if width == 1 => write_strides(&[vstride.unwrap_or(0)], b"", text),
            _ => write_strides(&[hstride], b"", text),
        },
        (Layout::Align16Ternary, _) => match (n, scalar) {
            (0 | 1, true) => text.str("<0;0>"),
            (0 | 1, false) => text.str("<2;1>"),
            (_, true) => text.str("<0>"),
            (_, false) => text.str("<1>"),
        },
        (Layout::Basic, _) if align16 => text.str("<1;1,0>"),
        (Layout::Basic, None) => write_strides(&[width, hstride], b",", text),
        (Layout::Basic, Some(vstride)) => write_strides(&[vstride, width, hstride], b";,", text),
    }
}

/// The numbers with a separator after each but the last.
#[inline]
pub(super) fn write_strides(strides: &[u8], separators: &[u8], text: &mut Text) {
    let mut before = b'<';
    for (n, stride) in strides.iter().enumerate() {
        text.byte(before);
        text.number(u32::from(*stride));
        before = separators.get(n).copied().unwrap_or(b'>');
    }
    text.byte(b'>');
}

/// An immediate without its type.
pub(super) fn write_immediate(ty: Type, bits: u64, text: &mut Text) {
    match ty {
        Type::B => text.signed(i64::from(bits as i8)),
        Type::W => text.signed(i64::from(bits as i16)),
        Type::D => text.signed(i64::from(bits as i32)),
        Type::Q => text.signed(bits as i64),
        Type::Hf => float::write_f16(bits as u16, text),
        Type::F => float::write_f32(bits as u32, text),
        Type::Df => float::write_f64(bits, text),
        _ => text.hex(bits, 1),
    }
}
