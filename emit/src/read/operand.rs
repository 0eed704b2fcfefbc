//! Operands: registers, regions, types, immediates.

use super::cursor::{Cursor, Result};
use crate::encoding::spec::{Form, Spec, implied_width};
use crate::inst::{
    Dst, Inst, Op, Place, Reg, RegFile, Region, SWIZZLE_XYZW, Src, SrcMod, SrcReg, Type,
};
use crate::print::operand::{
    Counting, Layout, Sub, channel, file_syntax, implied_region, implied_src_type, implies_region,
    macro_region,
};
use crate::print::{implied_dst_type, implied_stride, implies_stride};

/// The operands of a form of instructions.
pub(super) struct Operands {
    spec: &'static Spec,
    form: Form,
}

/// A register whose bytes are known once its type is.
struct Named {
    file: RegFile,
    num: u32,
    sub: Option<u32>,
    /// Place of the operand in the line.
    at: usize,
    mme: Option<u8>,
}

impl Operands {
    pub fn of(spec: &'static Spec, form: Form) -> Operands {
        Operands { spec, form }
    }

    /// True if a register comes next, and not a label.
    pub fn is_register(&self, cursor: &Cursor) -> bool {
        let mut after = *cursor;
        after.eat("r[") || self.named(&mut after, Sub::Shown).is_ok()
    }

    pub fn dst(&self, cursor: &mut Cursor, inst: &Inst) -> Result<Dst> {
        cursor.space();
        let op = inst.op;
        let named = self.place(cursor, op, None)?;
        let mut chan_mask = 15;
        if cursor.rest().starts_with('.') && self.spec.align16_ternary {
            chan_mask = mask(cursor)?;
        }
        let mme = named.as_ref().map_or_else(|_| None, |named| named.mme);
        let hstride = match cursor.eat("<") {
            true => {
                let stride = cursor.number(5, "a stride")? as u8;
                cursor.expect(">")?;
                Some(stride)
            }
            false if implies_stride(op, mme) => None,
            false => return cursor.expected("`<`"),
        };
        let ty = self.ty(cursor, implied_dst_type(op))?;
        Ok(Dst {
            place: self.placed(cursor, named, ty)?,
            hstride: hstride.unwrap_or_else(|| implied_stride(op, ty, inst.opts.align16)),
            ty,
            chan_mask,
            mme,
        })
    }

    /// The payloads of a gathering send: `r[s0.N]`, after its beginning.
    pub fn gathered(&self, cursor: &mut Cursor) -> Result<(Src, Src)> {
        cursor.expect("0.")?;
        let index = cursor.number(16, "an element of the scalar register")?;
        cursor.expect("]")?;
        let ty = self.form.implied_type();
        let scalar = Reg::new(RegFile::Scalar, 0, index as u16 * 8);
        let region = Region::SCALAR;
        Ok((
            Src::reg(scalar, region, ty),
            Src::reg(Reg::NULL, region, ty),
        ))
    }

    pub fn src(&self, cursor: &mut Cursor, inst: &Inst, n: usize) -> Result<Src> {
        cursor.space();
        let op = inst.op;
        if let Op::Sync(function) = op
            && (function.names_tokens() || cursor.rest().starts_with("0x"))
        {
            return sync_source(cursor, function.names_tokens());
        }
        if is_immediate(cursor.rest()) {
            return immediate(cursor);
        }
        let mut modifier = SrcMod::default();
        let complement = op.is_bitwise() && cursor.eat("~");
        modifier.neg = complement || cursor.eat("-");
        let start = *cursor;
        modifier.abs = cursor.eat("(abs)");
        if op.is_bitwise() && modifier.neg && !complement && !modifier.abs {
            return start.expected("`~` in place of `-`");
        }
        if complement && modifier.abs {
            return start.expected("a register after `~`");
        }
        let named = self.place(cursor, op, Some(n))?;
        let mme = named.as_ref().map_or_else(|_| None, |named| named.mme);
        let ternary = matches!(self.form, Form::Ternary | Form::BitFunction);
        let layout = match (ternary, self.spec.align16_ternary) {
            (true, true) => Layout::Align16Ternary,
            (true, false) => Layout::Ternary,
            _ => Layout::Basic,
        };
        let macros = self.spec.macro_regions && layout == Layout::Basic;
        let mut swizzle = SWIZZLE_XYZW;
        let branches = op.is_branch() && self.spec.branch.src[0].vstride.exists();
        let of_branch = branches && !cursor.rest().starts_with('<');
        let of_macro = mme.is_some() && !macros;
        let region = if of_branch || of_macro || (implies_region(op) && !branches) {
            Region::SCALAR
        } else if layout == Layout::Align16Ternary && cursor.eat(".") {
            match cursor.eat("r") {
                true => Region::SCALAR,
                false => {
                    swizzle = selects(cursor)?;
                    Region::new(4, 4, 1)
                }
            }
        } else if layout == Layout::Align16Ternary && !cursor.rest().starts_with('<') {
            Region::new(4, 4, 1)
        } else {
            region(cursor, n, layout)?
        };
        let in_text = |rest: &str| {
            let mut chars = rest.chars();
            chars.next() == Some(':') && chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        };
        // A number beside a payload is its length.
        let ty = match op.is_send() && !in_text(cursor.rest()) {
            true => self.form.implied_type(),
            false => self.ty(cursor, implied_src_type(op))?,
        };
        let region = match (of_branch, of_macro) {
            (true, _) => implied_region(op, ty),
            (_, true) => macro_region(n, ternary, ty, self.spec),
            (false, false) => region,
        };
        Ok(Src::Reg(SrcReg {
            place: self.placed(cursor, named, ty)?,
            region,
            ty,
            modifier,
            swizzle,
            mme,
        }))
    }

    /// A direct register, or an indirect place.
    fn place(
        &self,
        cursor: &mut Cursor,
        op: Op,
        n: Option<usize>,
    ) -> Result<std::result::Result<Named, Place>> {
        let mut after = *cursor;
        if after.eat("r[") {
            *cursor = after;
            return Ok(Err(indirect(cursor)?));
        }
        let mut named = self.named(cursor, Sub::of(op, n, None))?;
        if op.is_macro() {
            named.mme = Some(accumulator(cursor)?);
            named.sub = None;
        }
        Ok(Ok(named))
    }

    /// A register by its name.
    fn named(&self, cursor: &mut Cursor, sub: Sub) -> Result<Named> {
        let start = *cursor;
        let name = cursor.take(|c| c.is_ascii_alphabetic());
        let file = RegFile::ALL.into_iter().find(|file| file.name() == name);
        let Some(file) = file else {
            return start.expected("a register");
        };
        let known = matches!(file, RegFile::Grf | RegFile::Null);
        if !known && self.spec.arf.of_file(file).is_none() {
            return start.expected("a register of the platform");
        }
        let syntax = file_syntax(file);
        let digits = cursor.rest().starts_with(|c: char| c.is_ascii_digit());
        let num = match syntax.numbered || digits {
            true => cursor.number(512, "the number of a register")?,
            false => 0,
        };
        let mut after = *cursor;
        let has_sub = after.eat(".") && after.rest().starts_with(|c: char| c.is_ascii_digit());
        let index = match has_sub {
            true => {
                *cursor = after;
                Some(cursor.number(1024, "a sub-register")?)
            }
            false => None,
        };
        let index_is_right = match (sub, index) {
            (Sub::Whole, Some(_)) => return start.expected("a whole register"),
            (Sub::Shown, None) => {
                !syntax.subs
                    || !matches!(sub, Sub::Shown)
                    || cursor.rest().starts_with(".mme")
                    || cursor.rest().starts_with(".nomme")
            }
            _ => true,
        };
        if !index_is_right {
            return cursor.expected("`.` and a sub-register");
        }
        Ok(Named {
            file,
            num,
            sub: index,
            at: start.at,
            mme: None,
        })
    }

    /// The place of a register whose elements have a type.
    fn placed(
        &self,
        cursor: &Cursor,
        named: std::result::Result<Named, Place>,
        ty: Type,
    ) -> Result<Place> {
        let named = match named {
            Ok(named) => named,
            Err(place) => return Ok(place),
        };
        let counting = Counting::of(Some(self.spec));
        match counting.byte(named.file, named.sub.unwrap_or(0), ty) {
            Some(byte) => Ok(Place::Direct(Reg::new(named.file, named.num, byte))),
            None => {
                let at = Cursor {
                    at: named.at,
                    ..*cursor
                };
                at.expected(format!(
                    "a sub-register of whole elements of `{}`",
                    ty.name()
                ))
            }
        }
    }

    fn ty(&self, cursor: &mut Cursor, implied: Option<Type>) -> Result<Type> {
        match (cursor.rest().starts_with(':'), implied) {
            (false, Some(ty)) => Ok(ty),
            _ => ty(cursor),
        }
    }
}

fn ty(cursor: &mut Cursor) -> Result<Type> {
    cursor.expect(":")?;
    let all = Type::ALL.into_iter().map(|ty| (ty, ty.name()));
    cursor.one_of(all, "a type")
}

/// An address, after `r[`.
fn indirect(cursor: &mut Cursor) -> Result<Place> {
    cursor.expect("a0.")?;
    let word = cursor.number(32, "a word of the address register")?;
    let addr = Reg::new(RegFile::Addr, 0, word as u16 * 2);
    let mut imm = 0;
    if cursor.eat(",") {
        cursor.space();
        let start = *cursor;
        let sign = if cursor.eat("-") { "-" } else { "" };
        let digits = cursor.take(|c| c.is_ascii_digit());
        imm = match format!("{sign}{digits}").parse() {
            Ok(imm) => imm,
            Err(_) => return start.expected("an offset in bytes"),
        };
    }
    cursor.expect("]")?;
    Ok(Place::Indirect { addr, imm })
}

/// The extended accumulator of a macro operand.
fn accumulator(cursor: &mut Cursor) -> Result<u8> {
    if cursor.eat(".nomme") {
        return Ok(8);
    }
    cursor.expect(".mme")?;
    Ok(cursor.number(8, "the number of an extended accumulator")? as u8)
}

/// Channels of an Align16 destination, after its register.
fn mask(cursor: &mut Cursor) -> Result<u8> {
    cursor.expect(".")?;
    let start = *cursor;
    let letters = cursor.word();
    let mut mask = 0_u8;
    for letter in letters.bytes() {
        match (0..4).find(|n| channel(*n) == letter && mask >> n == 0) {
            Some(n) => mask |= 1 << n,
            None => return start.expected("channels among `xyzw` in their order"),
        }
    }
    match mask {
        0 | 15 => start.expected("some of the channels `xyzw`"),
        _ => Ok(mask),
    }
}

/// Channels of an Align16 source.
fn selects(cursor: &mut Cursor) -> Result<u8> {
    let start = *cursor;
    let letters = cursor.word().as_bytes();
    let mut swizzle = 0;
    for (place, letter) in letters.iter().enumerate() {
        match (0..4).find(|n| channel(*n) == *letter) {
            Some(n) if letters.len() == 4 => swizzle |= n << (2 * place),
            _ => return start.expected("four of the channels `xyzw`"),
        }
    }
    match letters.is_empty() {
        true => start.expected("four of the channels `xyzw`"),
        false => Ok(swizzle),
    }
}

fn region(cursor: &mut Cursor, n: usize, layout: Layout) -> Result<Region> {
    const STRIDE: &str = "a stride";
    let start = *cursor;
    cursor.expect("<")?;
    let first = cursor.number(33, STRIDE)? as u8;
    let region = match (layout, n) {
        (Layout::Basic, _) => match cursor.eat(";") {
            true => {
                let width = cursor.number(17, "a width")? as u8;
                cursor.expect(",")?;
                let hstride = cursor.number(5, STRIDE)? as u8;
                Region::new(first, width, hstride)
            }
            false => {
                cursor.expect(",")?;
                Region {
                    vstride: None,
                    width: first,
                    hstride: cursor.number(5, STRIDE)? as u8,
                }
            }
        },
        (Layout::Ternary, 0 | 1) => {
            let (vstride, hstride) = match cursor.eat(";") {
                true => (Some(first), cursor.number(5, STRIDE)? as u8),
                false => (None, first),
            };
            Region {
                vstride,
                width: implied_width(vstride, hstride),
                hstride,
            }
        }
        (Layout::Ternary, _) => Region::new(first, 1, 0),
        (Layout::Align16Ternary, 0 | 1) => {
            cursor.expect(";")?;
            match (first, cursor.number(2, STRIDE)?) {
                (0, 0) => Region::SCALAR,
                (2, 1) => Region::new(4, 4, 1),
                _ => return start.expected("`<0;0>` or `<2;1>`"),
            }
        }
        (Layout::Align16Ternary, _) => match first {
            0 => Region::SCALAR,
            1 => Region::new(4, 4, 1),
            _ => return start.expected("`<0>` or `<1>`"),
        },
    };
    cursor.expect(">")?;
    Ok(region)
}

/// The source of a `sync`: a set of tokens, or a number.
fn sync_source(cursor: &mut Cursor, tokens: bool) -> Result<Src> {
    let mut bits = 0;
    if !tokens {
        let number = cursor.hex("a number")?;
        return Ok(Src::imm(Type::Ud, number));
    }
    if cursor.eat("()") {
        return Ok(Src::imm(Type::Ud, 0));
    }
    cursor.expect("(")?;
    loop {
        let start = *cursor;
        cursor.expect("$")?;
        let token = cursor.number(32, "a token")?;
        if bits >> token != 0 {
            return start.expected("tokens in their order");
        }
        bits |= 1 << token;
        if !cursor.eat(",") {
            break;
        }
    }
    cursor.expect(")")?;
    Ok(Src::imm(Type::Ud, bits))
}

const INFINITY: &str = "inf";
const NANS: [(&str, bool); 2] = [("qnan(", true), ("snan(", false)];

fn is_immediate(rest: &str) -> bool {
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    let named = NANS.iter().map(|(name, _)| *name).chain([INFINITY]);
    rest.starts_with(|c: char| c.is_ascii_digit()) || named.into_iter().any(|n| rest.starts_with(n))
}

fn immediate(cursor: &mut Cursor) -> Result<Src> {
    let start = *cursor;
    let number = cursor.take(|c| c != ':' && !c.is_whitespace());
    let ty = ty(cursor)?;
    match value(number, ty) {
        Some(bits) => Ok(Src::imm(ty, bits)),
        None => start.expected(format!("a value of `{}`", ty.name())),
    }
}

/// The bits of an immediate.
fn value(text: &str, ty: Type) -> Option<u64> {
    let width = ty.bytes() * 8;
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if let Some(hex) = digits.strip_prefix("0x") {
        let plain = !negative && hex.bytes().all(|b| b.is_ascii_hexdigit());
        let bits = plain.then(|| u64::from_str_radix(hex, 16).ok())??;
        return (width == 64 || bits >> width == 0).then_some(bits);
    }
    match ty {
        Type::Hf | Type::F | Type::Df => float(text, digits, negative, ty),
        Type::V | Type::Uv | Type::Vf | Type::Bf => None,
        _ => {
            let number: i128 = digits.parse().ok()?;
            let number = if negative { -number } else { number };
            let least = if ty.is_signed() {
                -(1_i128 << (width - 1))
            } else {
                0
            };
            let most = (1_i128 << (width - u32::from(ty.is_signed()))) - 1;
            let mask = u64::MAX >> (64 - width);
            (least..=most)
                .contains(&number)
                .then_some(number as u64 & mask)
        }
    }
}

/// The bits of a float by its name or its decimals.
fn float(text: &str, digits: &str, negative: bool, ty: Type) -> Option<u64> {
    // Explicit bits of the mantissa, and all bits.
    let (mantissa, width) = match ty {
        Type::Hf => (10, 16),
        Type::F => (23, 32),
        _ => (52, 64),
    };
    let sign = u64::from(negative) << (width - 1);
    let exponent = ((1 << (width - 1 - mantissa)) - 1) << mantissa;
    for (name, quiet) in NANS {
        if let Some(rest) = digits.strip_prefix(name) {
            let hex = rest.strip_suffix(')')?.strip_prefix("0x")?;
            let payload = u64::from_str_radix(hex, 16).ok()?;
            let bit = 1_u64 << (mantissa - 1);
            let quiet = if quiet { bit } else { 0 };
            let known = payload < bit && payload | quiet != 0;
            return known.then_some(sign | exponent | quiet | payload);
        }
    }
    if digits == INFINITY {
        return Some(sign | exponent);
    }
    let plain = |b: u8| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'+' | b'-');
    let number: f64 = text.bytes().all(plain).then(|| text.parse().ok())??;
    let bits = match ty {
        Type::Hf => u64::from(half::f16::from_f32(number as f32).to_bits()),
        Type::F => u64::from((number as f32).to_bits()),
        _ => number.to_bits(),
    };
    // A finite number that no value of the type is near to.
    (bits & exponent != exponent).then_some(bits)
}
