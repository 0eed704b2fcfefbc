//! The text that a launch printed.
//!
//! Takes the buffer of `printf` after a launch. The first dword is the number of its bytes that are in use, itself included; records
//! follow. A record has the address of its format, then for each conversion the code of a type and a value, in dwords (compute
//! runtime, `print_formatter.h` and `.cpp`, `PrintfDataType`).

use super::format::{Conversion, Part, Value, parts};
use crate::state::memory::Memory;

/// Bytes of one record's text, with the zero that ends it in C.
const RECORD_TEXT: usize = 16 << 10;
/// Bytes of all text: what follows is left out.
const TEXT: usize = 16 << 20;
/// Bytes of the number at the start of the buffer.
pub const FIRST: u32 = 4;

/// Codes of types.
const BYTE: u32 = 1;
const SHORT: u32 = 2;
const INT: u32 = 3;
const FLOAT: u32 = 4;
const STRING: u32 = 5;
const LONG: u32 = 6;
const POINTER: u32 = 7;
const DOUBLE: u32 = 8;
/// Codes of vectors, each with that of its elements.
const VECTOR: [(u32, u32); 6] = [
    (9, BYTE),
    (10, SHORT),
    (11, INT),
    (12, LONG),
    (13, FLOAT),
    (14, DOUBLE),
];

/// The text of a buffer's records. What is no UTF-8 in it is replaced.
pub fn text(buffer: &[u8], memory: &Memory) -> String {
    let Some(used) = buffer.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)) else {
        return String::new();
    };
    let end = buffer.len().min(used as usize);
    let mut reader = Reader {
        rest: buffer.get(FIRST as usize..end).unwrap_or_default(),
        memory,
    };
    let mut text = Vec::new();
    while text.len() < TEXT
        && let Some(format) = reader.long()
    {
        let Some(format) = reader.string(format) else {
            break;
        };
        let start = text.len();
        for part in parts(&format) {
            match part {
                Part::Text(bytes) => text.extend_from_slice(bytes),
                Part::Conversion(conversion) => reader.value(&conversion, &mut text),
            }
        }
        text.truncate(start + RECORD_TEXT - 1);
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// The part of the buffer that is not read yet.
struct Reader<'a> {
    rest: &'a [u8],
    memory: &'a Memory,
}

impl Reader<'_> {
    fn dword(&mut self) -> Option<u32> {
        let (bytes, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u32::from_le_bytes(*bytes))
    }

    fn long(&mut self) -> Option<u64> {
        let (bytes, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u64::from_le_bytes(*bytes))
    }

    /// The text at an address, up to its zero.
    fn string(&self, address: u64) -> Option<Vec<u8>> {
        let (base, words) = self.memory.buffer_at(address)?;
        let start = usize::try_from(address - base).ok()?;
        let mut bytes = vec![0; (words.len() - start).min(RECORD_TEXT)];
        words.read(start, &mut bytes);
        let end = bytes.iter().position(|byte| *byte == 0);
        bytes.truncate(end.unwrap_or(bytes.len()));
        Some(bytes)
    }

    /// Adds the text of the next value. One of another kind than its conversion is converted, and one of no known code has no text.
    fn value(&mut self, conversion: &Conversion, text: &mut Vec<u8>) {
        let Some(code) = self.dword() else {
            return;
        };
        if code == STRING || conversion.letter == b's' {
            let address = self.long().unwrap_or(0);
            let string = match address {
                0 => None,
                address => self.string(address),
            };
            text.extend(conversion.string(string.as_deref().unwrap_or(b"(null)")));
            return;
        }
        let Some((_, element)) = VECTOR.iter().find(|(vector, _)| *vector == code) else {
            if let Some(value) = self.number(code) {
                text.extend(conversion.number(value));
                // A byte and a short have a dword each.
                let odd = [(BYTE, 3), (SHORT, 2)].iter().find(|(c, _)| *c == code);
                self.skip(odd.map_or(0, |(_, bytes)| *bytes));
            }
            return;
        };
        let count = self.dword().unwrap_or(0);
        for number in 0..count {
            let Some(value) = self.number(*element) else {
                return;
            };
            if number > 0 {
                text.push(b',');
            }
            text.extend(conversion.number(value));
        }
        // Elements of a byte or a short are together, before the rest of as many dwords.
        match *element {
            BYTE => self.skip(3 * u64::from(count)),
            SHORT => self.skip(2 * u64::from(count)),
            _ => {}
        }
    }

    fn skip(&mut self, bytes: u64) {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// A number of a type.
    fn number(&mut self, code: u32) -> Option<Value> {
        let take = |reader: &mut Self, bytes: usize| {
            let (taken, rest) = reader.rest.split_at_checked(bytes)?;
            reader.rest = rest;
            let bits = taken.iter().rev();
            Some(bits.fold(0u64, |bits, byte| bits << 8 | u64::from(*byte)))
        };
        Some(match code {
            BYTE => Value::Int(take(self, 1)? as i8 as i64),
            SHORT => Value::Int(take(self, 2)? as i16 as i64),
            INT => Value::Int(take(self, 4)? as i32 as i64),
            LONG => Value::Int(take(self, 8)? as i64),
            POINTER => Value::Pointer(take(self, 8)?),
            FLOAT => Value::Float(f32::from_bits(take(self, 4)? as u32).into()),
            DOUBLE => Value::Float(f64::from_bits(take(self, 8)?)),
            _ => return None,
        })
    }
}
