//! Operands as text: registers, regions, types, immediates.

use super::float;
use crate::encoding::spec::Spec;
use crate::inst::{
    Inst, Op, Place, Pred, PredCtrl, Reg, RegFile, Region, SWIZZLE_XYZW, SrcReg, Type,
};
use crate::text::{Short, Text, numbers};

/// Syntax of a register file.
pub(crate) struct FileSyntax {
    pub name: &'static str,
    /// True if the register's number follows the name.
    pub numbered: bool,
    /// True if the sub-register is printed even if it is the first.
    pub subs: bool,
}

#[inline]
pub(crate) fn file_syntax(file: RegFile) -> FileSyntax {
    let (numbered, subs) = match file {
        RegFile::Null | RegFile::ChannelEnable | RegFile::Ip => (false, false),
        RegFile::StackPointer => (false, true),
        _ => (true, true),
    };
    FileSyntax {
        name: file.name(),
        numbered,
        subs,
    }
}

/// Unit of sub-register numbers.
#[derive(Clone, Copy)]
pub(crate) struct Counting {
    /// Files counted in steps of `step` bytes; all others are counted in elements.
    stepped: &'static [RegFile],
    step: u32,
}

impl Counting {
    pub const ELEMENTS: Counting = Counting {
        stepped: &[],
        step: 1,
    };

    pub fn of(spec: Option<&Spec>) -> Counting {
        spec.map_or(Counting::ELEMENTS, |spec| Counting {
            stepped: spec.stepped,
            step: u32::from(spec.step),
        })
    }

    /// Bytes of a step.
    #[inline]
    fn unit(self, file: RegFile, ty: Type) -> u32 {
        if file != RegFile::Grf && self.stepped.contains(&file) {
            self.step
        } else {
            ty.bytes()
        }
    }

    #[inline]
    fn index(self, reg: Reg, ty: Type) -> u32 {
        let unit = self.unit(reg.file, ty);
        (u32::from(reg.byte) >> unit.trailing_zeros()) * ty.per_byte()
    }

    /// The byte that an index stands for; `None` if it begins in the middle of one, or beyond all registers.
    pub fn byte(self, file: RegFile, index: u32, ty: Type) -> Option<u16> {
        let whole = index.is_multiple_of(ty.per_byte());
        let byte = (index / ty.per_byte()).checked_mul(self.unit(file, ty))?;
        u16::try_from(byte).ok().filter(|_| whole)
    }
}

/// Condition for printing an operand's sub-register.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Sub {
    /// If the file has sub-registers.
    Shown,
    /// If it is not 0; operands of matrices usually begin a register.
    Unless0,
    /// Never: payloads and macro operands are whole registers.
    Whole,
}

impl Sub {
    /// `n` is the number of a source.
    pub fn of(op: Op, n: Option<usize>, mme: Option<u8>) -> Sub {
        if op.is_send() || mme.is_some() {
            Sub::Whole
        } else if op.is_systolic() && n != Some(2) {
            Sub::Unless0
        } else {
            Sub::Shown
        }
    }
}

/// Syntax of regions.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Layout {
    Basic,
    /// The shorter regions of three-source operands.
    Ternary,
    /// The two forms of Align16.
    Align16Ternary,
}

pub(super) fn write_pred(pred: &Pred, text: &mut Text) {
    if pred.inverse {
        text.byte(b'~');
    }
    write_flag(pred.flag, text);
    write_control(pred.ctrl, text);
}

/// The suffix of a predicate's flag.
pub(crate) fn write_control(ctrl: PredCtrl, text: &mut Text) {
    let mut horizontal = |name, channels: u8| {
        text.str(name);
        text.number(u32::from(channels));
        text.byte(b'h');
    };
    match ctrl {
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

/// Halves of a flag register are numbered as words.
pub(super) fn write_flag(flag: Reg, text: &mut Text) {
    write_reg(flag, Type::Uw, Sub::Shown, Counting::ELEMENTS, text);
}

/// Letter of an Align16 channel.
pub(crate) fn channel(n: u8) -> u8 {
    b"xyzw"[usize::from(n & 3)]
}

/// Names of general registers, the most common operands.
static GRFS: [Short; 256] = numbers("r");

/// Sub-register texts; other files' registers, and bytes of wide ones, have larger numbers.
static SUBS: [Short; 64] = numbers(".");

pub(super) fn write_reg(reg: Reg, ty: Type, sub: Sub, counting: Counting, text: &mut Text) {
    let FileSyntax {
        name,
        numbered,
        subs,
    } = file_syntax(reg.file);
    match GRFS.get(reg.num as usize) {
        Some(name) if reg.file == RegFile::Grf => text.short(name),
        _ => {
            text.str(name);
            if numbered || reg.num != 0 {
                text.number(reg.num);
            }
        }
    }
    let index = counting.index(reg, ty);
    let shown = match sub {
        Sub::Shown => subs || index != 0,
        Sub::Unless0 => index != 0,
        Sub::Whole => false,
    };
    match SUBS.get(index as usize) {
        Some(short) if shown => text.short(short),
        None if shown => {
            text.byte(b'.');
            text.number(index);
        }
        _ => {}
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
    write_reg(addr, Type::Uw, Sub::Shown, Counting::ELEMENTS, text);
    if imm != 0 {
        text.byte(b',');
        text.signed(i64::from(imm));
    }
    text.byte(b']');
}

static TYPES: [Short; Type::ALL.len()] = {
    let mut table = [Short::EMPTY; Type::ALL.len()];
    let mut i = 0;
    while i < table.len() {
        let ty = Type::ALL[i];
        table[ty as usize] = Short::new(":").str(ty.name());
        i += 1;
    }
    table
};

#[inline]
pub(super) fn write_type(ty: Type, text: &mut Text) {
    text.short(&TYPES[ty as usize]);
}

/// Operands that have regions in some families only.
#[derive(Clone, Copy)]
pub(super) struct Regions {
    pub of_macros: bool,
    /// Listed where they are not the implied ones.
    pub of_branches: bool,
}

/// Appends a source.
pub(super) fn write_src(
    inst: &Inst,
    n: usize,
    src: &SrcReg,
    layout: Layout,
    shown: Regions,
    counting: Counting,
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
            write_reg(reg, src.ty, Sub::of(op, Some(n), src.mme), counting, text);
            write_mme(src.mme, text);
        }
        Place::Indirect { addr, imm } => write_indirect(addr, imm, text),
    }
    let said = shown.of_branches && op.is_branch() && src.region != implied_region(op, src.ty);
    let implied = implies_region(op) || (src.mme.is_some() && !shown.of_macros);
    if said {
        write_region(src.region, n, layout, false, text);
    } else if inst.opts.align16 && layout != Layout::Basic && !implied {
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
    if implied_src_type(op) != Some(src.ty) && !op.is_split_send() {
        write_type(src.ty, text);
    }
}

/// True if sources of the operation have no region.
pub(crate) fn implies_region(op: Op) -> bool {
    op.is_send() || op.is_branch() || op.is_systolic() || matches!(op, Op::Sync(_))
}

/// The region of a branch's source without one. The reference compiler and the reference assembler give return
/// addresses different ones, and different types; only the assembler knows other branches to two addresses.
pub(crate) fn implied_region(op: Op, ty: Type) -> Region {
    match (op, ty) {
        (Op::Ret | Op::Brc, Type::D) => Region::ASSEMBLED_PAIR,
        (Op::Ret, _) => Region::RETURN,
        _ => Region::SCALAR,
    }
}

/// The region of a macro operand without one; `n` is the number of the source. In Align16 a group of channels has 16
/// bytes.
pub(crate) fn macro_region(n: usize, ternary: bool, ty: Type, spec: &Spec) -> Region {
    match (ternary, spec.align16_ternary) {
        (true, true) => Region::new(4, 4, 1),
        (false, true) => Region::new((16 / ty.bytes()) as u8, 4, 1),
        (true, false) if n < 2 => Region::new(4, 4, 1),
        (true, false) => Region::new(1, 1, 0),
        (false, false) => Region::new(2, 2, 1),
    }
}

/// The type of a source without one.
pub(crate) fn implied_src_type(op: Op) -> Option<Type> {
    match op {
        _ if op.is_send() => Some(Type::Ud),
        _ if op.is_branch() => Some(Type::D),
        _ => None,
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
        (Layout::Basic, Some(vstride)) => match short_region(vstride, width, hstride) {
            Some(short) => text.short(short),
            None => write_strides(&[vstride, width, hstride], b";,", text),
        },
    }
}

/// Region texts for strides of up to 32 elements and widths of up to 16, indexed by logarithms.
static REGIONS: [[[Short; 4]; 5]; 7] = {
    let mut table = [[[Short::EMPTY; 4]; 5]; 7];
    let mut v = 0;
    while v < 7 {
        let mut w = 0;
        while w < 5 {
            let mut h = 0;
            while h < 4 {
                let region = Short::new("<").number((1 << v) >> 1);
                let region = region.byte(b';').number(1 << w).byte(b',');
                table[v][w][h] = region.number((1 << h) >> 1).byte(b'>');
                h += 1;
            }
            w += 1;
        }
        v += 1;
    }
    table
};

/// Text of a region from the table; strides are 0 or powers of two, widths powers of two.
fn short_region(vstride: u8, width: u8, hstride: u8) -> Option<&'static Short> {
    if [vstride, width, hstride].iter().any(|n| n.count_ones() > 1) {
        return None;
    }
    let place = |n: u8| (u8::BITS - n.leading_zeros()) as usize;
    let widths = REGIONS.get(place(vstride))?;
    widths
        .get(place(width).checked_sub(1)?)?
        .get(place(hstride))
}

/// Appends numbers with a separator between them.
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
