//! A position in a file. Numbers are little-endian; no read passes the end.

use super::version::{Version, since};
use super::{ReadError, ReadErrorKind};

/// Position of the next byte to read. Every read is checked against the end.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> Cursor<'a> {
    /// Cursor at the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, pos: 0 }
    }

    /// Offset of the next byte.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Cursor over `len` bytes of the file from `pos` on, which must be in the file.
    pub fn part(&self, what: &'static str, pos: u64, len: u64) -> Result<Cursor<'a>, ReadError> {
        let outside = || {
            self.error(ReadErrorKind::Outside {
                what,
                start: pos,
                len,
                end: self.bytes.len(),
            })
        };
        let end = pos.checked_add(len).ok_or_else(outside)?;
        let end = usize::try_from(end).map_err(|_| outside())?;
        let bytes = self.bytes.get(..end).ok_or_else(outside)?;
        Ok(Cursor {
            bytes,
            pos: pos as usize,
        })
    }

    /// Offset of the end.
    pub fn end(&self) -> usize {
        self.bytes.len()
    }

    pub fn at_end(&self) -> bool {
        self.pos >= self.bytes.len()
    }

    /// Number of bytes left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.pos
    }

    /// Error at the next byte.
    pub fn error(&self, kind: ReadErrorKind) -> ReadError {
        ReadError {
            offset: self.pos,
            instruction: None,
            kind,
        }
    }

    #[inline]
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], ReadError> {
        let left = self.bytes.len() - self.pos;
        if len > left {
            return Err(self.error(ReadErrorKind::Truncated { wanted: len, left }));
        }
        let taken = &self.bytes[self.pos..self.pos + len];
        self.pos += len;
        Ok(taken)
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    #[inline]
    pub fn u8(&mut self) -> Result<u8, ReadError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    #[inline]
    pub fn u16(&mut self) -> Result<u16, ReadError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    #[inline]
    pub fn u32(&mut self) -> Result<u32, ReadError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    #[inline]
    pub fn u64(&mut self) -> Result<u64, ReadError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// The number or count of a string or variable.
    #[inline]
    pub fn number(&mut self, version: Version) -> Result<u32, ReadError> {
        if version >= since::WIDE_NUMBERS {
            self.u32()
        } else {
            self.u16().map(u32::from)
        }
    }

    /// Bytes up to the next zero, which is skipped.
    pub fn string(&mut self) -> Result<&'a [u8], ReadError> {
        let rest = &self.bytes[self.pos..];
        let Some(len) = rest.iter().position(|b| *b == 0) else {
            let kind = ReadErrorKind::Truncated {
                wanted: rest.len() + 1,
                left: rest.len(),
            };
            return Err(self.error(kind));
        };
        self.pos += len + 1;
        Ok(&rest[..len])
    }

    /// Capacity to reserve for `count` elements of at least `size` bytes: no more than fit into the bytes left.
    pub fn capacity(&self, count: usize, size: usize) -> usize {
        count.min((self.bytes.len() - self.pos) / size)
    }
}
