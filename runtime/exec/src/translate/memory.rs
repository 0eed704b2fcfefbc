//! Memory that executes.
//!
//! Code is written to a private mapping, which then becomes readable and executable; none is ever writable and
//! executable at once. The mapping is unmapped when it is dropped.

use std::io;

use memmap2::{Mmap, MmapMut};

/// Machine code that can be executed.
#[derive(Debug)]
pub struct Executable {
    map: Mmap,
    len: usize,
}

/// Room for code, to be written.
pub struct Room {
    map: MmapMut,
}

impl Room {
    /// Room for so many bytes.
    ///
    /// # Errors
    /// There is no memory.
    pub fn new(bytes: usize) -> io::Result<Room> {
        Ok(Room {
            map: MmapMut::map_anon(bytes.max(1))?,
        })
    }

    /// The address at which the code will be executed.
    pub fn address(&self) -> u64 {
        self.map.as_ptr() as u64
    }

    /// Writes the code and makes it executable.
    ///
    /// # Errors
    /// There is not enough room, or the system refuses.
    pub fn fill(mut self, code: &[u8]) -> io::Result<Executable> {
        let room = self.map.get_mut(..code.len());
        room.ok_or(io::ErrorKind::OutOfMemory)?
            .copy_from_slice(code);
        Ok(Executable {
            map: self.map.make_exec()?,
            len: code.len(),
        })
    }
}

impl Executable {
    /// The code.
    pub fn bytes(&self) -> &[u8] {
        self.map.get(..self.len).unwrap_or_default()
    }

    /// Address of a byte of the code.
    pub fn address(&self, offset: u32) -> u64 {
        self.map.as_ptr() as u64 + u64::from(offset)
    }
}
