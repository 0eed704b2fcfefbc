//! Text of LSC instructions: reader ([`crate::lsc`]).

use super::lexer::Mark;
use super::number::bits_of;
use super::parser::{Operands, Parser, place};
use super::symbols::Symbol;
use super::{ParseError, ParseErrorKind};
use crate::lsc::*;
use crate::module::{Exec, Inst, Modifier, Operand, PredUse, Region, StateVar, Subject, Type};
use crate::opcode::{Field, LscOp, Meaning, Opcode, Row};

type Result<T> = std::result::Result<T, ParseError>;

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
            op: reading.row.opcode,
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
        // An address without a type is of the whole memory.
        let ty = match self.lexer.peek() {
            b'[' if matches!(row.opcode, Opcode::LscUntyped | Opcode::LscStrided) => FLAT,
            _ => {
                let word = self.lexer.name().unwrap_or("");
                let ty = bits_of(ADDRESS_TYPES, word);
                ty.ok_or_else(|| self.unknown(mark, "type of an address", word))?
            }
        };
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
                    if row.opcode == Opcode::LscBlock2d && k == 0 && self.lexer.eat(b'+') {
                        self.lsc_payload(reading, mark, component)?;
                        break;
                    }
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

    /// `(16,-1)` after the variable of an address and `+`: the offsets. The operands so far become those of the row
    /// with an address in a variable, of which all before the address are the same.
    fn lsc_payload(&mut self, reading: &mut Reading, mark: Mark, payload: Operand) -> Result<()> {
        self.lexer.expect(b'(', "`(` and the offsets of a block")?;
        let x: i32 = self.sum("an offset")?;
        self.lexer.expect(b',', "`,`")?;
        let y: i32 = self.sum("an offset")?;
        self.lexer.expect(b')', "`)`")?;
        reading.row = Opcode::LscBlock2dPayload.row();
        let at = position(reading.row, 0, is_address_payload);
        reading.operands.truncate(at.unwrap_or_default());
        let [x, y] = [x, y].map(|offset| Operand::Field(offset as u32));
        reading.operands.extend([payload.clone(), x, y, null()]);
        self.lsc_put(reading, at, mark, payload);
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

const SCALAR: Region = Region::SCALAR;

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
