//! Two-dimensional blocks of a matrix in memory, to and from consecutive registers (PRM, "Load 2D Block", "Store 2D
//! Block"; the virtual ISA's documentation of `LSC_UNTYPED`).
//!
//! One register describes the matrix (address, width in bytes, number of rows, and pitch) and the block (its first
//! element, its sizes, and the number of adjacent blocks). In registers a row is padded to a power of two, and a
//! block to a whole register. Elements outside the matrix read as zeros; writes to them are dropped.

use kiln_emit::messages::{Data, Flag, Kind};

use super::payload::{address, fill, header_dword, payload};
use crate::code::send::Message;
use crate::state::cause::Cause;
use crate::state::memory::Shared;
use crate::state::thread::Thread;

/// Maximum size of all blocks of a message in bytes: 32 registers of 64 bytes.
const BYTES_MAX: usize = 32 * 64;

/// Contents of the descriptive payload.
struct Blocks {
    base: u64,
    /// Width of a row in bytes, number of rows, and distance between rows in bytes.
    width: u64,
    height: u64,
    pitch: u64,
    /// Position of the first element.
    x: i64,
    y: i64,
    /// Numbers of columns and rows of a block, and number of blocks.
    columns: usize,
    rows: usize,
    count: usize,
    /// Size of an element in bytes.
    size: usize,
    transposed: bool,
    transformed: bool,
}

/// Executes a message.
pub fn send(thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
    if m.enabled() == 0 {
        return Ok(());
    }
    let blocks = Blocks::of(thread, m)?;
    if blocks.bytes(m.register()) > BYTES_MAX {
        return Err(m.bad("its blocks are larger than 32 registers"));
    }
    match m.request()?.kind {
        Kind::StoreBlock2d => blocks.store(thread, shared, m),
        _ => blocks.load(thread, shared, m),
    }
}

impl Blocks {
    fn of(thread: &Thread, m: &Message) -> Result<Blocks, Cause> {
        let fields = &m.request()?.fields;
        let size = match fields.data {
            Some(Data::D8) => 1,
            Some(Data::D16) => 2,
            Some(Data::D32) => 4,
            Some(Data::D64) => 8,
            _ => return Err(m.unknown()),
        };
        let dword = |index| header_dword(thread, m, index);
        let from_one = |bits: u32| u64::from(bits) + 1;
        let shape = dword(7)?;
        // Each offset has ten bits of the extended descriptor.
        let added = |bits: u32| i64::from(bits as i32 >> 22);
        let x = i64::from(dword(5)? as i32) + added(m.extended() << 10);
        let y = i64::from(dword(6)? as i32) + added(m.extended());
        let blocks = Blocks {
            base: address(thread, m, 0, 0, 8)?,
            width: from_one(dword(2)? & 0xff_ffff),
            height: from_one(dword(3)? & 0xff_ffff),
            pitch: from_one(dword(4)? & 0xff_ffff),
            x,
            y,
            columns: (shape & 0xff) as usize + 1,
            rows: (shape >> 8 & 0xff) as usize + 1,
            count: (shape >> 16 & 0xf) as usize + 1,
            size,
            transposed: fields.flags.has(Flag::Transposed),
            transformed: fields.transformed == Some(true),
        };
        if !blocks.base.is_multiple_of(64) {
            return Err(m.bad("its matrix begins at no multiple of 64 bytes"));
        }
        if blocks.pitch < blocks.width {
            return Err(m.bad("the rows of its matrix overlap"));
        }
        if blocks.transformed && blocks.size > 2 {
            return Err(m.bad("elements of 32 bits and more are not rearranged for matrices"));
        }
        let writes = m.request()?.kind == Kind::StoreBlock2d;
        if writes && (blocks.count > 1 || blocks.transposed || blocks.transformed) {
            return Err(m.bad("one block is written, as it lies in memory"));
        }
        Ok(blocks)
    }

    /// Number of elements in a dword, which transformation places side by side.
    fn packed(&self) -> usize {
        if self.transformed { 4 / self.size } else { 1 }
    }

    /// Number of elements in a register row, and number of rows.
    fn lines(&self) -> (usize, usize) {
        match self.transposed {
            true => (self.rows, self.columns),
            false => (self.columns, self.rows),
        }
    }

    /// Bytes from one block to the next in registers.
    fn block_bytes(&self, register: usize) -> usize {
        let (length, lines) = self.lines();
        let lines = lines.next_multiple_of(self.packed());
        (length.next_power_of_two() * lines * self.size).next_multiple_of(register)
    }

    fn bytes(&self, register: usize) -> usize {
        self.block_bytes(register) * self.count
    }

    /// Byte offset of an element of a block in registers.
    fn place(&self, x: usize, y: usize) -> usize {
        let (along, line) = match self.transposed {
            true => (y, x),
            false => (x, y),
        };
        let (length, _) = self.lines();
        let packed = self.packed();
        let row = line / packed * packed * length.next_power_of_two();
        (row + along * packed + line % packed) * self.size
    }

    /// Address of an element of a block; none outside the matrix.
    fn address(&self, block: usize, x: usize, y: usize) -> Option<u64> {
        let column = u64::try_from(self.x + (block * self.columns + x) as i64).ok()?;
        let row = u64::try_from(self.y + y as i64).ok()?;
        let byte = column.checked_mul(self.size as u64)?;
        (byte + self.size as u64 <= self.width && row < self.height)
            .then(|| self.base.wrapping_add(row * self.pitch + byte))
    }

    /// All elements of all blocks: address, and byte offset in registers.
    fn elements(&self, register: usize) -> impl Iterator<Item = (Option<u64>, usize)> {
        (0..self.count).flat_map(move |block| {
            (0..self.rows).flat_map(move |y| {
                (0..self.columns).map(move |x| {
                    let place = block * self.block_bytes(register) + self.place(x, y);
                    (self.address(block, x, y), place)
                })
            })
        })
    }

    fn load(&self, thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
        let mut bytes = [0; BYTES_MAX];
        for (at, place) in self.elements(m.register()) {
            if let Some(at) = at {
                let memory = shared.memory.at_address(at, self.size, 0)?;
                memory.read(&mut bytes[place..place + self.size]);
                shared.count(false, self.size);
            }
        }
        let bytes = &bytes[..self.bytes(m.register())];
        match m.response() {
            Some(_) if bytes.len() > m.response_len() * m.register() => {
                Err(m.bad("its response is longer than the response length says"))
            }
            Some(at) => fill(thread, m, at, bytes),
            None => Ok(()),
        }
    }

    fn store(&self, thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
        for (at, place) in self.elements(m.register()) {
            if let Some(at) = at {
                let from = m.at(m.data(1), place)?;
                thread.sent(from, self.size)?;
                let memory = shared.memory.at_address(at, self.size, 0)?;
                memory.write(payload(thread, m, from, self.size)?);
                shared.count(true, self.size);
            }
        }
        Ok(())
    }
}
