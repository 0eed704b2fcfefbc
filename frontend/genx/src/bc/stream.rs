//! The bit stream: blocks and records of LLVM's container format.
//!
//! [`Stream::next`] gives one entry after the other. Abbreviations of `BLOCKINFO` are kept; a block that is entered
//! has those of its kind. Lengths in the stream are believed only as far as there are bits. Source: "LLVM Bitcode File
//! Format".

use std::collections::HashMap;
use std::rc::Rc;

use crate::error::{Code, Diagnostic, Error, Loc, Result};

/// Blocks within blocks.
const MAX_NESTING: usize = 16;
/// Width of an abbreviation's number outside of all blocks.
const OUTER_WIDTH: u32 = 2;
/// Bits of a field that is fixed or in chunks.
const MAX_WIDTH: u64 = 64;
/// The block that describes others.
const BLOCKINFO: u64 = 0;
/// Numbers of entries that are no abbreviated records.
const END_BLOCK: u64 = 0;
const ENTER_SUBBLOCK: u64 = 1;
const DEFINE_ABBREV: u64 = 2;
const UNABBREV_RECORD: u64 = 3;
/// Number of the first abbreviation.
const FIRST_ABBREV: u64 = 4;
/// Records of `BLOCKINFO` that name the block.
const SETBID: u64 = 1;

/// Part of an abbreviation.
#[derive(Clone, Copy, Debug)]
enum Field {
    Literal(u64),
    Fixed(u32),
    Vbr(u32),
    Array,
    Char6,
    Blob,
}

type Abbrev = Rc<[Field]>;

/// A record: its code and operands. The blob, if it has one, is the last operand.
#[derive(Debug, Default)]
pub struct Record<'a> {
    pub code: u64,
    pub ops: Vec<u64>,
    pub blob: Option<&'a [u8]>,
    /// Byte at which it begins.
    pub at: u64,
}

/// An entry of a block.
#[derive(Debug)]
pub enum Entry {
    /// A block of this kind begins; it must be entered or skipped.
    Block(u64),
    /// The record was read.
    Record,
    /// The block, or the stream, ends.
    End,
}

struct Scope {
    width: u32,
    abbrevs: Vec<Abbrev>,
}

/// Reader of a stream.
pub struct Stream<'a> {
    bytes: &'a [u8],
    /// Byte of the file at which `bytes` begin.
    base: u64,
    /// Position in bits.
    pos: u64,
    outer: Vec<Scope>,
    scope: Scope,
    infos: HashMap<u64, Vec<Abbrev>>,
}

impl<'a> Stream<'a> {
    /// Stream of these bytes, the first of which is at `base` in the file.
    pub fn new(bytes: &'a [u8], base: u64) -> Stream<'a> {
        Stream {
            bytes,
            base,
            pos: 0,
            outer: Vec::new(),
            scope: Scope {
                width: OUTER_WIDTH,
                abbrevs: Vec::new(),
            },
            infos: HashMap::new(),
        }
    }

    /// Byte of the file that is read next.
    pub fn at(&self) -> u64 {
        self.base + self.pos / 8
    }

    /// Bytes after the current position.
    pub fn bytes_left(&self) -> u64 {
        self.bits_left() / 8
    }

    /// A length in a stream of lengths.
    ///
    /// # Errors
    /// The stream ends.
    pub fn length(&mut self) -> Result<u64> {
        self.vbr(6)
    }

    fn fail(&self, message: impl Into<String>) -> Error {
        Diagnostic::new(Code::Bitcode, Loc::byte(self.at()), message)
    }

    fn bits_left(&self) -> u64 {
        8 * self.bytes.len() as u64 - self.pos
    }

    fn fixed(&mut self, width: u32) -> Result<u64> {
        if u64::from(width) > self.bits_left() {
            return Err(self.fail("the file ends within a record"));
        }
        let (mut value, mut got) = (0, 0);
        while got < width {
            let byte = u64::from(self.bytes[(self.pos / 8) as usize]);
            let from = (self.pos % 8) as u32;
            let n = (8 - from).min(width - got);
            value |= (byte >> from & ((1 << n) - 1)) << got;
            got += n;
            self.pos += u64::from(n);
        }
        Ok(value)
    }

    fn vbr(&mut self, width: u32) -> Result<u64> {
        let more = 1u64 << (width - 1);
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let chunk = self.fixed(width)?;
            let bits = chunk & (more - 1);
            if shift >= 64 && bits != 0 || shift < 64 && bits << shift >> shift != bits {
                return Err(self.fail("a number has more than 64 bits"));
            }
            if shift < 64 {
                value |= bits << shift;
            }
            if chunk & more == 0 {
                return Ok(value);
            }
            shift += width - 1;
        }
    }

    fn align(&mut self) -> Result<()> {
        self.pos = self.pos.next_multiple_of(32);
        match self.pos <= 8 * self.bytes.len() as u64 {
            true => Ok(()),
            false => Err(self.fail("the file ends within a word")),
        }
    }

    /// Enters the block that begins here.
    ///
    /// # Errors
    /// Blocks are nested too deeply, or the file ends.
    pub fn enter(&mut self, kind: u64) -> Result<()> {
        let width = self.vbr(4)?;
        self.align()?;
        self.fixed(32)?;
        if !(2..=32).contains(&width) {
            return Err(self.fail("an abbreviation's number has 2 to 32 bits"));
        }
        if self.outer.len() >= MAX_NESTING {
            return Err(self.fail("blocks are nested too deeply"));
        }
        let scope = Scope {
            width: width as u32,
            abbrevs: self.infos.get(&kind).cloned().unwrap_or_default(),
        };
        self.outer.push(std::mem::replace(&mut self.scope, scope));
        Ok(())
    }

    /// Skips the block that begins here.
    ///
    /// # Errors
    /// The file ends within it.
    pub fn skip(&mut self) -> Result<()> {
        self.vbr(4)?;
        self.align()?;
        let words = self.fixed(32)?;
        if 32 * words > self.bits_left() {
            return Err(self.fail("the file ends within a block"));
        }
        self.pos += 32 * words;
        Ok(())
    }

    /// The next entry; a record is put into `record`.
    ///
    /// # Errors
    /// The bits are none that a stream has.
    pub fn next(&mut self, record: &mut Record<'a>) -> Result<Entry> {
        loop {
            if self.outer.is_empty() && self.bits_left() < 32 {
                return Ok(Entry::End);
            }
            record.at = self.at();
            match self.fixed(self.scope.width)? {
                END_BLOCK => {
                    self.align()?;
                    let Some(outer) = self.outer.pop() else {
                        return Err(self.fail("a block ends that did not begin"));
                    };
                    self.scope = outer;
                    return Ok(Entry::End);
                }
                ENTER_SUBBLOCK => match self.vbr(8)? {
                    BLOCKINFO => self.block_info()?,
                    kind => return Ok(Entry::Block(kind)),
                },
                DEFINE_ABBREV => {
                    let abbrev = self.abbrev()?;
                    self.scope.abbrevs.push(abbrev);
                }
                UNABBREV_RECORD => {
                    self.unabbreviated(record)?;
                    return Ok(Entry::Record);
                }
                number => {
                    self.abbreviated(number, record)?;
                    return Ok(Entry::Record);
                }
            }
        }
    }

    fn unabbreviated(&mut self, record: &mut Record<'a>) -> Result<()> {
        record.code = self.vbr(6)?;
        record.ops.clear();
        record.blob = None;
        let count = self.vbr(6)?;
        for _ in 0..self.believed(count)? {
            let op = self.vbr(6)?;
            record.ops.push(op);
        }
        Ok(())
    }

    /// A count of things of which each has a bit at least.
    fn believed(&self, count: u64) -> Result<u64> {
        match count <= self.bits_left() {
            true => Ok(count),
            false => Err(self.fail(format!("the file ends before {count} operands"))),
        }
    }

    fn abbreviated(&mut self, number: u64, record: &mut Record<'a>) -> Result<()> {
        let at = usize::try_from(number - FIRST_ABBREV).ok();
        let Some(abbrev) = at.and_then(|at| self.scope.abbrevs.get(at)).cloned() else {
            return Err(self.fail(format!("abbreviation {number} is not defined")));
        };
        record.ops.clear();
        record.blob = None;
        let mut fields = abbrev.iter();
        while let Some(field) = fields.next() {
            match field {
                Field::Array => {
                    let count = self.vbr(6)?;
                    let element = fields.next().copied().unwrap_or(Field::Literal(0));
                    for _ in 0..self.believed(count)? {
                        let op = self.scalar(element)?;
                        record.ops.push(op);
                    }
                }
                Field::Blob => {
                    let count = self.vbr(6)?;
                    self.align()?;
                    if count > self.bits_left() / 8 {
                        return Err(self.fail(format!("the file ends before {count} bytes")));
                    }
                    let from = (self.pos / 8) as usize;
                    record.blob = Some(&self.bytes[from..from + count as usize]);
                    self.pos += 8 * count;
                    self.align()?;
                }
                field => {
                    let op = self.scalar(*field)?;
                    record.ops.push(op);
                }
            }
        }
        if record.ops.is_empty() {
            return Err(self.fail("a record without a code"));
        }
        record.code = record.ops.remove(0);
        Ok(())
    }

    fn scalar(&mut self, field: Field) -> Result<u64> {
        const CHARS: &[u8; 64] =
            b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
        match field {
            Field::Literal(value) => Ok(value),
            Field::Fixed(width) => self.fixed(width),
            Field::Vbr(width) => self.vbr(width),
            Field::Char6 => Ok(CHARS[self.fixed(6)? as usize].into()),
            Field::Array | Field::Blob => Err(self.fail("an array of arrays")),
        }
    }

    fn abbrev(&mut self) -> Result<Abbrev> {
        let count = self.vbr(5)?;
        let mut fields = Vec::new();
        for _ in 0..self.believed(count)? {
            if self.fixed(1)? != 0 {
                fields.push(Field::Literal(self.vbr(8)?));
                continue;
            }
            let field = match self.fixed(3)? {
                kind @ (1 | 2) => match (kind, self.vbr(5)?) {
                    (_, 0) => Field::Literal(0),
                    (_, width) if width > MAX_WIDTH => {
                        return Err(self.fail(format!("a field of {width} bits")));
                    }
                    (1, width) => Field::Fixed(width as u32),
                    // A chunk of one bit would say nothing.
                    (_, 1) => return Err(self.fail("chunks of one bit")),
                    (_, width) => Field::Vbr(width as u32),
                },
                3 => Field::Array,
                4 => Field::Char6,
                5 => Field::Blob,
                kind => return Err(self.fail(format!("{kind} is no kind of a field"))),
            };
            fields.push(field);
        }
        Ok(fields.into())
    }

    /// Reads the abbreviations of other blocks.
    fn block_info(&mut self) -> Result<()> {
        self.enter(BLOCKINFO)?;
        let mut record = Record::default();
        let mut kind = None;
        loop {
            match (self.next_of_info(&mut record)?, kind) {
                (Info::Abbrev(abbrev), Some(kind)) => {
                    self.infos.entry(kind).or_default().push(abbrev);
                }
                (Info::Abbrev(_), None) => return Err(self.fail("an abbreviation of no block")),
                (Info::Record, _) if record.code == SETBID => kind = record.ops.first().copied(),
                (Info::Record, _) => {}
                (Info::End, _) => return Ok(()),
            }
        }
    }

    fn next_of_info(&mut self, record: &mut Record<'a>) -> Result<Info> {
        match self.fixed(self.scope.width)? {
            END_BLOCK => {
                self.align()?;
                if let Some(outer) = self.outer.pop() {
                    self.scope = outer;
                }
                Ok(Info::End)
            }
            ENTER_SUBBLOCK => Err(self.fail("a block within the description of blocks")),
            DEFINE_ABBREV => Ok(Info::Abbrev(self.abbrev()?)),
            UNABBREV_RECORD => {
                self.unabbreviated(record)?;
                Ok(Info::Record)
            }
            number => {
                self.abbreviated(number, record)?;
                Ok(Info::Record)
            }
        }
    }
}

/// An entry of `BLOCKINFO`.
enum Info {
    Abbrev(Abbrev),
    Record,
    End,
}
