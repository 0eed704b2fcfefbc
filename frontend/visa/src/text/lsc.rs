//! Text of LSC instructions: reader and printer.
//!
//! Text has another order than the binary: mnemonic, unit, caching, channels, then data and address, each with its
//! shape after a colon. Each part finds its operand by its [`Meaning`] in the opcode's row, so only the rows of
//! [`crate::opcode`] know the order of the operands.
//!
//! Omitted in text: a number is 0, the scale of an address 1, a raw operand `%null`, a surface the immediate 0.

use std::fmt::{self, Write};

use cranelift_entity::EntityRef;

use super::lexer::Mark;
use super::number::{bits_of, name_of};
use super::parser::{Operands, Parser, place};
use super::symbols::Symbol;
use super::{ParseError, ParseErrorKind};
use crate::module::{
    Exec, Inst, Modifier, Operand, PredUse, Region, StateVar, Subject, Type, Var, predefined,
};
use crate::opcode::{Field, LscOp, Meaning, Opcode, Row};
use crate::print::Printer;

type Result<T> = std::result::Result<T, ParseError>;

const UNITS: &[(&str, u32)] = &[("ugm", 0), ("ugml", 1), (TYPED, 2), ("slm", 3), ("urb", 4)];
/// The unit of typed surfaces; their rows have no field for it.
const TYPED: &str = "tgm";
const CACHING: &[(&str, u32)] = &[
    ("df", 0),
    ("uc", 1),
    ("ca", 2),
    ("wb", 3),
    ("wt", 4),
    ("st", 5),
    ("ri", 6),
    ("cc", 7),
];
const FENCES: &[(&str, u32)] = &[
    ("none", 0),
    ("evict", 1),
    ("invalidate", 2),
    ("discard", 3),
    ("clean", 4),
    ("flushl3", 5),
    ("type6", 6),
];
const SCOPES: &[(&str, u32)] = &[
    ("group", 0),
    ("local", 1),
    ("tile", 2),
    ("gpu", 3),
    ("gpus", 4),
    ("sysrel", 5),
    ("sysacq", 6),
];
const ADDRESS_TYPES: &[(&str, u32)] = &[
    ("flat", FLAT),
    ("bss", 2),
    ("ss", 3),
    ("bti", 4),
    ("arg", 5),
    ("surf", SURF),
];
pub(crate) const FLAT: u32 = 1;
const SURF: u32 = 6;
const ADDRESS_SIZES: &[(&str, u32)] =
    &[("a16", 1), ("a32", 2), ("a64", 3), ("a32u", 4), ("a32s", 5)];
/// Printing uses the first name of a number.
const DATA_SIZES: &[(&str, u32)] = &[
    ("d8", 1),
    ("d16", 2),
    ("d32", 3),
    ("d64", 4),
    ("d8u32", 5),
    ("d16u32", 6),
    ("d16u32h", 7),
    ("u8", 1),
    ("u16", 2),
    ("u32", 3),
    ("u64", 4),
    ("d8c32", 5),
    ("u8c32", 5),
    ("d16c32", 6),
    ("u16c32", 6),
    ("d16c32h", 7),
    ("u16c32h", 7),
];
const ELEMENTS: &[(&str, u32)] = &[
    ("1", 1),
    ("2", 2),
    ("3", 3),
    ("4", 4),
    ("8", 5),
    ("16", 6),
    ("32", 7),
    ("64", 8),
];
const STRAIGHT: u32 = 1;
pub(crate) const TRANSPOSED: u32 = 2;
/// Names of channels, by bit.
const CHANNELS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Names of the numbers with this meaning, if they have names.
fn names(meaning: Meaning) -> Option<&'static [(&'static str, u32)]> {
    match meaning {
        Meaning::LscUnit => Some(UNITS),
        Meaning::LscCaching => Some(CACHING),
        Meaning::LscFenceOp => Some(FENCES),
        Meaning::LscScope => Some(SCOPES),
        Meaning::LscAddressType => Some(ADDRESS_TYPES),
        Meaning::LscAddressSize => Some(ADDRESS_SIZES),
        Meaning::LscDataSize => Some(DATA_SIZES),
        _ => None,
    }
}

/// Name of the number; `?` if it has none.
pub(crate) fn name(meaning: Meaning, n: u32) -> &'static str {
    let names = names(meaning).unwrap_or(&[]);
    names
        .iter()
        .find(|(_, v)| *v == n)
        .map_or("?", |(name, _)| name)
}

/// Count of elements that a number of [`Meaning::LscElements`] stands for.
pub(crate) fn element_count(n: u32) -> u32 {
    let found = ELEMENTS.iter().find(|(_, v)| *v == n);
    found.and_then(|(name, _)| name.parse().ok()).unwrap_or(0)
}

/// True if a number of LSC is valid.
pub(crate) fn is_known(meaning: Meaning, n: u32) -> bool {
    match meaning {
        Meaning::LscDataOrder => n == STRAIGHT || n == TRANSPOSED,
        Meaning::LscChannels => n < 1 << CHANNELS.len(),
        Meaning::LscOp => LscOp::name(n).is_some(),
        meaning => names(meaning).is_none_or(|names| names.iter().any(|(_, v)| *v == n)),
    }
}

/// True if the operation belongs to the instruction's opcode.
pub(crate) fn is_of_row(inst: &Inst, op: u32) -> bool {
    let unit = match number_at(inst.op.row(), Meaning::LscUnit, 0) {
        Some(i) => inst.operands.get(i),
        None => None,
    };
    let typed = match unit {
        Some(Operand::Field(unit)) => name_of(UNITS, *unit) == Some(TYPED),
        _ => true,
    };
    LscOp::row(op, typed).is_some_and(|row| row.opcode == inst.op)
}

/// True if `n` is a valid [`Meaning::LscElements`] of the instruction: 0 if it has channels instead.
pub(crate) fn are_elements(inst: &Inst, n: u32) -> bool {
    let &[Operand::Field(op), ..] = &inst.operands[..] else {
        return false;
    };
    let least = u32::from(matches!(shape(inst.op.row(), op), Shape::Elements));
    (least..=8).contains(&n)
}

/// Part of an instruction in text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Data,
    Address,
    /// Another raw operand of an atomic.
    Argument,
}

/// Parts of an operation after its mnemonic, in order.
fn parts(op: u32) -> &'static [Part] {
    use Part::*;
    match LscOp::from_number(op) {
        Some(LscOp::Store) => &[Address, Data],
        Some(LscOp::Atomic(_)) => &[Data, Address, Argument, Argument],
        Some(LscOp::Counter) => &[Data, Address, Data],
        _ => &[Data, Address],
    }
}

/// Form of the shape of data.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `d32x4t`
    Elements,
    /// `d32.xyzw`
    Channels,
    /// `d8.2x16x8nn`
    Block,
    /// `64x4`
    TypedBlock,
    /// Nothing.
    None,
}

fn shape(row: &Row, op: u32) -> Shape {
    match row.opcode {
        Opcode::LscBlock2d => Shape::Block,
        Opcode::LscTypedBlock2d => Shape::TypedBlock,
        _ if op == LscOp::STATE_INFO => Shape::None,
        _ if LscOp::has_channels(op) => Shape::Channels,
        _ => Shape::Elements,
    }
}

/// True if text has an execution size; some instructions always have 1.
fn says_exec(row: &Row, op: u32) -> bool {
    !matches!(row.opcode, Opcode::LscTypedBlock2d | Opcode::LscFence) && op != LscOp::STATE_INFO
}

/// Index of the `nth` field for which `is` holds.
fn position(row: &Row, nth: usize, is: impl Fn(Field) -> bool) -> Option<usize> {
    let mut fields = row.operand_fields().enumerate();
    let found = fields.by_ref().filter(|(_, field)| is(*field)).nth(nth);
    found.map(|(i, _)| i)
}

fn number_at(row: &Row, meaning: Meaning, nth: usize) -> Option<usize> {
    position(
        row,
        nth,
        |f| matches!(f, Field::Number(_, m) if m == meaning),
    )
}

fn is_raw_src(field: Field) -> bool {
    field == Field::RawSrc
}

fn is_vector(field: Field) -> bool {
    matches!(field, Field::Src(_))
}

/// Index, among raw sources, of the first that is no address.
fn first_data(row: &Row) -> usize {
    match row.opcode {
        Opcode::LscTyped => 4,
        Opcode::LscBlock2d | Opcode::LscTypedBlock2d | Opcode::LscCounter => 0,
        _ => 1,
    }
}

/// Index of the operand for the data that an instruction reads or writes.
fn data_at(row: &Row, op: u32, parts_before: usize) -> Option<usize> {
    let written = parts(op).first() == Some(&Part::Data) && parts_before == 0;
    if written {
        position(row, 0, |f| f == Field::RawDst)
    } else {
        position(row, first_data(row), is_raw_src)
    }
}

/// Raw operand that means none.
fn null() -> Operand {
    Operand::Raw {
        var: Var::from_u32(predefined::NULL),
        offset: 0,
    }
}

/// An instruction that is being read.
struct Reading<'r> {
    row: &'r Row,
    op: u32,
    operands: Operands,
}

impl Reading<'_> {
    fn set(&mut self, meaning: Meaning, nth: usize, n: u32) {
        if let Some(i) = number_at(self.row, meaning, nth) {
            self.operands[i] = Operand::Field(n);
        }
    }
}

impl<'a> Parser<'a> {
    /// Reads an LSC instruction or fence after its mnemonic.
    pub(super) fn lsc(
        &mut self,
        name: &str,
        name_mark: Mark,
        pred: Option<PredUse>,
        mark: Mark,
    ) -> Result<Inst> {
        let unit_mark = self.lexer.adjacent_mark();
        let unit_name = self.lexer.suffix().unwrap_or("");
        let Some(unit) = bits_of(UNITS, unit_name) else {
            return Err(self.unknown(unit_mark, "unit of an LSC instruction", unit_name));
        };
        let (row, op) = if name == Opcode::LscFence.row().mnemonic {
            (Opcode::LscFence.row(), 0)
        } else {
            let op = LscOp::from_name(name);
            let op = op.ok_or_else(|| self.unknown(name_mark, "instruction", name))?;
            let row = LscOp::row(op, unit_name == TYPED);
            (
                row.ok_or_else(|| self.unknown(unit_mark, "unit of this instruction", unit_name))?,
                op,
            )
        };
        let operands = row.operand_fields().map(|field| match field {
            Field::RawDst | Field::RawSrc => null(),
            Field::Src(_) => Operand::imm(Type::Ud, 0),
            _ => Operand::Field(0),
        });
        let mut reading = Reading {
            row,
            op,
            operands: operands.collect(),
        };
        reading.set(Meaning::LscOp, 0, op);
        reading.set(Meaning::LscUnit, 0, unit);
        reading.set(Meaning::LscScale, 0, 1);
        reading.set(Meaning::LscDataOrder, 0, STRAIGHT);
        let mut exec = Exec::NONE;
        if row.opcode == Opcode::LscFence {
            let fence = self.lsc_suffix(FENCES, "operation of a fence")?;
            reading.set(Meaning::LscFenceOp, 0, fence);
            let scope = self.lsc_suffix(SCOPES, "scope of a fence")?;
            reading.set(Meaning::LscScope, 0, scope);
        } else {
            if self.lexer.next_is(b'.') {
                for level in 0..2 {
                    let caching = self.lsc_suffix(CACHING, "caching")?;
                    reading.set(Meaning::LscCaching, level, caching);
                }
            }
            if says_exec(row, op) {
                exec = self.exec()?;
            }
            for (k, part) in parts(op).iter().enumerate() {
                match part {
                    Part::Data => self.lsc_data(k, &mut reading)?,
                    Part::Address => self.lsc_address(&mut reading)?,
                    Part::Argument => {
                        let mark = self.lexer.mark();
                        let raw = self.lsc_raw()?;
                        let at = position(row, first_data(row) + k - 2, is_raw_src);
                        self.lsc_put(&mut reading, at, mark, raw);
                    }
                }
            }
        }
        Ok(Inst {
            op: row.opcode,
            exec,
            pred,
            operands: reading.operands,
            place: place(mark),
            origin: Inst::UNNUMBERED,
        })
    }

    fn lsc_suffix(&mut self, table: &[(&str, u32)], what: &'static str) -> Result<u32> {
        let mark = self.lexer.adjacent_mark();
        let word = self.lexer.suffix().unwrap_or("");
        bits_of(table, word).ok_or_else(|| self.unknown(mark, what, word))
    }

    /// Stores the operand that was read since the mark as operand `at`.
    fn lsc_put(&mut self, reading: &mut Reading, at: Option<usize>, mark: Mark, operand: Operand) {
        if let Some(i) = at {
            reading.operands[i] = operand;
            self.note(mark, |spans, span| spans.part(Subject::Operand(i), span));
        }
    }

    /// `V32` or `V32.64`.
    fn lsc_raw(&mut self) -> Result<Operand> {
        let var = self.var()?;
        self.raw_offset(var)
    }

    /// `V32.64:d32x4t`.
    fn lsc_data(&mut self, nth: usize, reading: &mut Reading) -> Result<()> {
        let mark = self.lexer.mark();
        let raw = self.lsc_raw()?;
        let at = data_at(reading.row, reading.op, nth);
        self.lsc_put(reading, at, mark, raw);
        let shape = shape(reading.row, reading.op);
        if shape == Shape::None {
            return Ok(());
        }
        self.lexer.expect(b':', "`:` and the shape of the data")?;
        let mark = self.lexer.adjacent_mark();
        let word = self.lexer.shape();
        match read_shape(shape, word, reading) {
            Some(()) => Ok(()),
            None => Err(self.unknown(mark, "shape of data", word)),
        }
    }

    /// `flat[V32+0x10]:a64`, `bss(V33(0,1))[V32,V34]:a32`.
    fn lsc_address(&mut self, reading: &mut Reading) -> Result<()> {
        let row = reading.row;
        let mark = self.lexer.mark();
        let word = self.lexer.name().unwrap_or("");
        let ty = bits_of(ADDRESS_TYPES, word);
        let ty = ty.ok_or_else(|| self.unknown(mark, "type of an address", word))?;
        reading.set(Meaning::LscAddressType, 0, ty);
        // The surface is the first vector operand; a two-dimensional block has none.
        let mut vector = 0;
        if row.opcode != Opcode::LscBlock2d {
            if self.lexer.eat(b'(') {
                let wide = ty == FLAT || ty == SURF;
                let mark = self.lexer.mark();
                let surface = self.lsc_vector(if wide { Type::Uq } else { Type::Ud })?;
                self.lsc_put(reading, position(row, 0, is_vector), mark, surface);
                if self.lexer.eat(b',') {
                    let index = self.unsigned("the index of a surface")?;
                    reading.set(Meaning::LscSurfaceIndex, 0, index);
                }
                self.lexer.expect(b')', "`)`")?;
            }
            vector = 1;
        }
        if row.opcode == Opcode::LscCounter {
            return Ok(());
        }
        self.lexer.expect(b'[', "`[` and an address")?;
        match row.opcode {
            Opcode::LscBlock2d | Opcode::LscTypedBlock2d => {
                let count = row.operand_fields().filter(|f| is_vector(*f)).count();
                for k in vector..count {
                    if k > vector {
                        self.lexer.expect(b',', "`,`")?;
                    }
                    let mark = self.lexer.mark();
                    let component = self.lsc_vector(Type::Ud)?;
                    self.lsc_put(reading, position(row, k, is_vector), mark, component);
                    // The last two are the position in the surface.
                    if k + 2 >= count {
                        let offset = self.lsc_offset()?;
                        reading.set(Meaning::LscOffset, k + 2 - count, offset);
                    }
                }
            }
            Opcode::LscTyped => {
                for k in 0..4 {
                    if k > 0 && !self.lexer.eat(b',') {
                        break;
                    }
                    let mark = self.lexer.mark();
                    let raw = self.lsc_raw()?;
                    self.lsc_put(reading, position(row, k, is_raw_src), mark, raw);
                    let offset = self.lsc_offset()?;
                    reading.set(Meaning::LscOffset, k, offset);
                }
            }
            _ => {
                if self.lexer.is_number() || self.lexer.peek() == b'(' {
                    let scale = self.prim("a scale")?;
                    reading.set(Meaning::LscScale, 0, scale);
                    self.lexer.expect(b'*', "`*` and an address")?;
                }
                let mark = self.lexer.mark();
                let raw = self.lsc_raw()?;
                self.lsc_put(reading, position(row, 0, is_raw_src), mark, raw);
                let offset = self.lsc_offset()?;
                reading.set(Meaning::LscOffset, 0, offset);
                if row.opcode == Opcode::LscStrided && self.lexer.eat(b',') {
                    let mark = self.lexer.mark();
                    let pitch = self.lsc_vector(Type::Ud)?;
                    self.lsc_put(reading, position(row, 1, is_vector), mark, pitch);
                }
            }
        }
        self.lexer.expect(b']', "`]`")?;
        if let Some(i) = number_at(row, Meaning::LscAddressSize, 0)
            && reading.op != LscOp::STATE_INFO
        {
            self.lexer.expect(b':', "`:` and the size of an address")?;
            let mark = self.lexer.adjacent_mark();
            let word = self.lexer.shape();
            let size = bits_of(ADDRESS_SIZES, word);
            let size = size.ok_or_else(|| self.unknown(mark, "size of an address", word))?;
            reading.operands[i] = Operand::Field(size);
        }
        Ok(())
    }

    /// `+0x10`, `-16` or nothing: the offset in two's complement.
    fn lsc_offset(&mut self) -> Result<u32> {
        let offset: i32 = if self.lexer.eat(b'+') {
            self.sum("an offset")?
        } else if self.lexer.eat(b'-') {
            self.negated("an offset")?
        } else {
            0
        };
        Ok(offset as u32)
    }

    /// `V32`, `V32(0,1)`, `V32.1` or an integer: a scalar.
    fn lsc_vector(&mut self, ty: Type) -> Result<Operand> {
        if self.lexer.is_number() || self.lexer.peek() == b'(' {
            let n: i64 = self.wide("an immediate")?;
            return Ok(Operand::imm(ty, n as u64));
        }
        let (mark, name, symbol) = self.symbol("a variable or a number")?;
        let of = match symbol {
            Symbol::Var(var) => {
                let (row, col) = if self.lexer.eat(b'(') {
                    self.pair()?
                } else if self.lexer.eat_adjacent(b'.') {
                    (0, self.lexer.unsigned("a column")?)
                } else {
                    (0, 0)
                };
                return Ok(Operand::General {
                    var,
                    row,
                    col,
                    region: SCALAR,
                    modifier: Modifier::None,
                });
            }
            Symbol::Surface(surface) => StateVar::Surface(surface),
            Symbol::Sampler(sampler) => StateVar::Sampler(sampler),
            Symbol::Addr(_) | Symbol::Predicate(_) => {
                let kind = ParseErrorKind::Class {
                    name: name.to_owned(),
                    expected: "general or surface variable",
                };
                return Err(ParseError::new(mark, name.len(), kind));
            }
        };
        let off = if self.lexer.eat(b'(') {
            let off = self.unsigned("the number of an element")?;
            self.lexer.expect(b')', "`)`")?;
            off
        } else {
            0
        };
        Ok(Operand::State { of, off })
    }
}

const SCALAR: Region = Region {
    v: Some(0),
    w: 1,
    h: 0,
};

/// Decodes the shape after the colon of data; `None` if it is unknown.
fn read_shape(shape: Shape, word: &str, reading: &mut Reading) -> Option<()> {
    match shape {
        Shape::Elements => {
            let (word, transposed) = match word.strip_suffix('t') {
                Some(rest) => (rest, true),
                None => (word, false),
            };
            let (size, count) = word.split_once('x').unwrap_or((word, "1"));
            reading.set(Meaning::LscDataSize, 0, bits_of(DATA_SIZES, size)?);
            reading.set(Meaning::LscElements, 0, bits_of(ELEMENTS, count)?);
            if transposed {
                reading.set(Meaning::LscDataOrder, 0, TRANSPOSED);
            }
        }
        Shape::Channels => {
            let (size, channels) = word.split_once('.')?;
            let mut mask = 0;
            for c in channels.chars() {
                mask |= 1 << CHANNELS.iter().position(|name| *name == c)?;
            }
            reading.set(Meaning::LscDataSize, 0, bits_of(DATA_SIZES, size)?);
            reading.set(Meaning::LscChannels, 0, mask);
        }
        Shape::Block => {
            let (size, block) = word.split_once('.')?;
            reading.set(Meaning::LscDataSize, 0, bits_of(DATA_SIZES, size)?);
            let digits = block.trim_end_matches(['n', 't']);
            let flags = &block.as_bytes()[digits.len()..];
            if flags.len() > 2 {
                return None;
            }
            let transposed = flags.first() == Some(&b't');
            let order = if transposed { TRANSPOSED } else { STRAIGHT };
            reading.set(Meaning::LscDataOrder, 0, order);
            let vnni = flags.get(1) == Some(&b't');
            reading.set(Meaning::LscVnni, 0, vnni.into());
            let (blocks, area) = match digits.matches('x').count() {
                2 => digits.split_once('x')?,
                _ => ("1", digits),
            };
            reading.set(Meaning::LscBlocks, 0, blocks.parse::<u8>().ok()?.into());
            read_area(area, reading)?;
        }
        Shape::TypedBlock => read_area(word, reading)?,
        Shape::None => {}
    }
    Some(())
}

fn read_area(area: &str, reading: &mut Reading) -> Option<()> {
    let (width, height) = area.split_once('x')?;
    reading.set(Meaning::LscWidth, 0, width.parse().ok()?);
    reading.set(Meaning::LscHeight, 0, height.parse().ok()?);
    Some(())
}

/// An instruction that is being written.
struct Writing<'w> {
    printer: &'w Printer<'w>,
    inst: &'w Inst,
    row: &'static Row,
    op: u32,
}

/// Writes an LSC instruction without its predicate.
pub(crate) fn write(printer: &Printer, inst: &Inst, out: &mut String) -> fmt::Result {
    let row = inst.op.row();
    let mut writing = Writing {
        printer,
        inst,
        row,
        op: 0,
    };
    writing.op = writing.number(Meaning::LscOp, 0);
    writing.write(out)
}

impl Writing<'_> {
    fn number(&self, meaning: Meaning, nth: usize) -> u32 {
        let at = number_at(self.row, meaning, nth);
        match at.and_then(|i| self.inst.operands.get(i)) {
            Some(Operand::Field(n)) => *n,
            _ => 0,
        }
    }

    fn name(&self, table: &[(&'static str, u32)], meaning: Meaning, nth: usize) -> &'static str {
        name_of(table, self.number(meaning, nth)).unwrap_or("?")
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let op = self.op;
        if self.row.opcode == Opcode::LscFence {
            let unit = self.name(UNITS, Meaning::LscUnit, 0);
            let fence = self.name(FENCES, Meaning::LscFenceOp, 0);
            let scope = self.name(SCOPES, Meaning::LscScope, 0);
            return write!(out, "{}.{unit}.{fence}.{scope}", self.row.mnemonic);
        }
        out.push_str(LscOp::name(op).unwrap_or("?"));
        let unit = match number_at(self.row, Meaning::LscUnit, 0) {
            Some(_) => self.name(UNITS, Meaning::LscUnit, 0),
            None => TYPED,
        };
        write!(out, ".{unit}")?;
        let levels = [0, 1].map(|level| self.number(Meaning::LscCaching, level));
        if levels != [0, 0] {
            let names = levels.map(|n| name_of(CACHING, n).unwrap_or("?"));
            write!(out, ".{}.{}", names[0], names[1])?;
        }
        if says_exec(self.row, op) {
            write!(out, " {}", self.inst.exec)?;
        }
        for (k, part) in parts(op).iter().enumerate() {
            out.push_str("  ");
            match part {
                Part::Data => {
                    self.raw(data_at(self.row, op, k), out)?;
                    self.shape(out)?;
                }
                Part::Address => self.address(out)?,
                Part::Argument => {
                    let at = position(self.row, first_data(self.row) + k - 2, is_raw_src);
                    self.raw(at, out)?;
                }
            }
        }
        Ok(())
    }

    fn operand(&self, at: Option<usize>) -> Option<&Operand> {
        at.and_then(|i| self.inst.operands.get(i))
    }

    fn raw(&self, at: Option<usize>, out: &mut String) -> fmt::Result {
        let Some(Operand::Raw { var, offset }) = self.operand(at) else {
            return out.write_str("?");
        };
        out.push_str(self.printer.var(*var));
        match offset {
            0 => Ok(()),
            offset => write!(out, ".{offset}"),
        }
    }

    fn shape(&self, out: &mut String) -> fmt::Result {
        let shape = shape(self.row, self.op);
        if matches!(shape, Shape::Elements | Shape::Channels | Shape::Block) {
            write!(out, ":{}", self.name(DATA_SIZES, Meaning::LscDataSize, 0))?;
        }
        let transposed = self.number(Meaning::LscDataOrder, 0) == TRANSPOSED;
        let area = || {
            let width = self.number(Meaning::LscWidth, 0);
            (width, self.number(Meaning::LscHeight, 0))
        };
        match shape {
            Shape::None => Ok(()),
            Shape::Elements => {
                match self.name(ELEMENTS, Meaning::LscElements, 0) {
                    "1" => {}
                    count => write!(out, "x{count}")?,
                }
                out.write_str(if transposed { "t" } else { "" })
            }
            Shape::Channels => {
                let mask = self.number(Meaning::LscChannels, 0);
                out.push('.');
                let channels = CHANNELS.iter().enumerate();
                out.extend(channels.filter(|(i, _)| mask >> i & 1 != 0).map(|(_, c)| c));
                Ok(())
            }
            Shape::Block => {
                out.push('.');
                match self.number(Meaning::LscBlocks, 0) {
                    1 => {}
                    blocks => write!(out, "{blocks}x")?,
                }
                let (width, height) = area();
                let vnni = self.number(Meaning::LscVnni, 0) != 0;
                let [order, vnni] = [transposed, vnni].map(|flag| if flag { 't' } else { 'n' });
                write!(out, "{width}x{height}{order}{vnni}")
            }
            Shape::TypedBlock => {
                let (width, height) = area();
                write!(out, ":{width}x{height}")
            }
        }
    }

    fn address(&self, out: &mut String) -> fmt::Result {
        let row = self.row;
        let mut vector = 0;
        if row.opcode == Opcode::LscBlock2d {
            out.push_str("flat");
        } else {
            out.push_str(self.name(ADDRESS_TYPES, Meaning::LscAddressType, 0));
            let surface = self.operand(position(row, 0, is_vector));
            let index = self.number(Meaning::LscSurfaceIndex, 0);
            let ty = self.number(Meaning::LscAddressType, 0);
            let none = matches!(
                surface,
                Some(Operand::Imm {
                    bits: 0,
                    ty: Type::Ud
                }) | None
            );
            if !(none
                && index == 0
                && name_of(ADDRESS_TYPES, ty).is_some_and(|n| n == "flat" || n == "arg"))
            {
                out.push('(');
                self.vector(surface, out)?;
                if index != 0 {
                    write!(out, ",{index:#x}")?;
                }
                out.push(')');
            }
            vector = 1;
        }
        if row.opcode == Opcode::LscCounter {
            return Ok(());
        }
        out.push('[');
        match row.opcode {
            Opcode::LscBlock2d | Opcode::LscTypedBlock2d => {
                let count = row.operand_fields().filter(|f| is_vector(*f)).count();
                for k in vector..count {
                    out.push_str(if k > vector { "," } else { "" });
                    self.vector(self.operand(position(row, k, is_vector)), out)?;
                    if k + 2 >= count {
                        self.offset(k + 2 - count, out)?;
                    }
                }
            }
            Opcode::LscTyped => {
                for k in 0..4 {
                    let at = position(row, k, is_raw_src);
                    let rest = (k..4).map(|k| self.operand(position(row, k, is_raw_src)));
                    if k > 0 && rest.flatten().all(|raw| *raw == null()) {
                        break;
                    }
                    out.push_str(if k > 0 { "," } else { "" });
                    self.raw(at, out)?;
                    if k < 3 {
                        self.offset(k, out)?;
                    }
                }
            }
            _ => {
                match self.number(Meaning::LscScale, 0) {
                    0 | 1 => {}
                    scale => write!(out, "{scale:#x}*")?,
                }
                self.raw(position(row, 0, is_raw_src), out)?;
                self.offset(0, out)?;
                if row.opcode == Opcode::LscStrided {
                    out.push(',');
                    self.vector(self.operand(position(row, 1, is_vector)), out)?;
                }
            }
        }
        out.push(']');
        if number_at(row, Meaning::LscAddressSize, 0).is_some() && self.op != LscOp::STATE_INFO {
            write!(
                out,
                ":{}",
                self.name(ADDRESS_SIZES, Meaning::LscAddressSize, 0)
            )?;
        }
        Ok(())
    }

    fn offset(&self, nth: usize, out: &mut String) -> fmt::Result {
        match self.number(Meaning::LscOffset, nth) as i32 {
            0 => Ok(()),
            n if n < 0 => write!(out, "-{:#x}", n.unsigned_abs()),
            n => write!(out, "+{n:#x}"),
        }
    }

    fn vector(&self, operand: Option<&Operand>, out: &mut String) -> fmt::Result {
        match operand {
            Some(Operand::General { var, row, col, .. }) => {
                out.push_str(self.printer.var(*var));
                match (row, col) {
                    (0, 0) => Ok(()),
                    (row, col) => write!(out, "({row},{col})"),
                }
            }
            Some(Operand::Imm { bits, .. }) => write!(out, "{bits:#x}"),
            Some(Operand::State { of, off }) => match of {
                StateVar::Surface(surface) => {
                    write!(
                        out,
                        "{}({off})",
                        crate::print::surface_name(surface.index())
                    )
                }
                StateVar::Sampler(sampler) => write!(out, "S{}({off})", sampler.index()),
            },
            _ => out.write_str("?"),
        }
    }
}
