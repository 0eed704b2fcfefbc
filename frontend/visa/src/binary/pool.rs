//! The string pool of an object.

use std::collections::HashMap;

use super::version::Version;
use super::{Cursor, ReadError, ReadErrorKind};
use crate::module::Name;

/// Strings of an object, and the names made of them.
pub(super) struct Pool<'a> {
    /// All strings, each with its terminating zero.
    text: &'a str,
    /// Start of each string in `text`.
    starts: Vec<u32>,
    /// Names too long to be stored inline, cached so that a string is copied once.
    long: HashMap<u32, Name>,
    /// Names of labels that had characters replaced, cached as well.
    changed: HashMap<u32, Name>,
}

impl<'a> Pool<'a> {
    /// Reads the pool at the cursor.
    pub fn read(cursor: &mut Cursor<'a>, version: Version) -> Result<Pool<'a>, ReadError> {
        let count = cursor.number(version)? as usize;
        let at = *cursor;
        let mut starts = Vec::with_capacity(cursor.capacity(count, 1));
        for _ in 0..count {
            starts.push((cursor.pos() - at.pos()) as u32);
            cursor.string()?;
        }
        let mut bytes = at;
        let text = std::str::from_utf8(bytes.take(cursor.pos() - at.pos())?).map_err(|e| {
            let mut at = at;
            let _ = at.take(e.valid_up_to());
            at.error(ReadErrorKind::Encoding("a string of the pool"))
        })?;
        Ok(Pool {
            text,
            starts,
            long: HashMap::new(),
            changed: HashMap::new(),
        })
    }

    /// String with this number; `at` is the position of the number, for errors.
    pub fn string(&self, at: &Cursor, index: u32) -> Result<&'a str, ReadError> {
        let i = index as usize;
        let Some(start) = self.starts.get(i) else {
            return Err(at.error(ReadErrorKind::Index {
                what: "string",
                index,
                count: self.starts.len(),
            }));
        };
        let next = self.starts.get(i + 1);
        let next = next.map_or(self.text.len(), |next| *next as usize);
        Ok(&self.text[*start as usize..next - 1])
    }

    /// String with this number, as a name.
    pub fn name(&mut self, at: &Cursor, index: u32) -> Result<Name, ReadError> {
        let string = self.string(at, index)?;
        if string.len() <= MAX_INLINE_BYTES {
            return Ok(Name::new_inline(string));
        }
        if let Some(name) = self.long.get(&index) {
            return Ok(name.clone());
        }
        let name = Name::new(string);
        if name.is_heap_allocated() {
            self.long.insert(index, name.clone());
        }
        Ok(name)
    }

    /// String with this number as the name of a label: characters that text cannot have are replaced.
    pub fn label(&mut self, at: &Cursor, index: u32) -> Result<Name, ReadError> {
        let string = self.string(at, index)?;
        if !string.contains(REPLACED_CHARS) {
            return self.name(at, index);
        }
        let changed = || string.replace(REPLACED_CHARS, "_").into();
        Ok(self.changed.entry(index).or_insert_with(changed).clone())
    }
}

/// Maximum length in bytes of a name stored inline.
const MAX_INLINE_BYTES: usize = 23;

/// Characters in names of labels that text cannot have.
const REPLACED_CHARS: [char; 2] = ['.', '$'];
