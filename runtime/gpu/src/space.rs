//! Address spaces of the device: memory of the process, by its address on the device.

#![expect(
    unsafe_code,
    reason = "the driver's memory is read and written at the addresses that it has bound"
)]

use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use kiln_exec::device::Memory;

/// Bits of the widest address.
pub const ADDRESS: u64 = (1 << 57) - 1;

/// Memory that is bound at an address.
#[derive(Clone, Copy, Debug)]
struct Bound {
    len: u64,
    host: NonNull<u8>,
}

/// An address space.
#[derive(Clone, Debug)]
pub struct Space {
    /// Number of bits of an address.
    bits: u32,
    bound: BTreeMap<u64, Bound>,
    /// The bound memory as launches access it. The first launch makes it.
    memory: OnceLock<Memory>,
}

// SAFETY: the memory is accessed by atomic operations alone.
unsafe impl Send for Space {}
// SAFETY: as above.
unsafe impl Sync for Space {}

/// An address that nothing is bound at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The address on the device.
    pub at: u64,
}

impl Space {
    /// A space with addresses of so many bits, in which nothing is bound.
    pub fn new(bits: u32) -> Space {
        Space {
            bits,
            bound: BTreeMap::new(),
            memory: OnceLock::new(),
        }
    }

    /// The bits of an address that count.
    fn place(&self, at: u64) -> u64 {
        at << (64 - self.bits) >> (64 - self.bits)
    }

    /// An address as kernels have it: the upper half of the space is negative.
    pub fn canonical(&self, at: u64) -> u64 {
        ((at << (64 - self.bits)) as i64 >> (64 - self.bits)) as u64
    }

    /// Binds memory of the process at an address; what was bound there before is not any longer.
    ///
    /// # Safety
    /// The memory is mapped, readable and writable, until it is unbound; host and address are multiples of 4.
    pub unsafe fn bind(&mut self, at: u64, len: u64, host: NonNull<u8>) {
        self.unbind(at, len);
        self.bound.insert(self.place(at), Bound { len, host });
    }

    /// Takes away what is bound at addresses. Of memory that is bound at others, too, the rest stays.
    pub fn unbind(&mut self, at: u64, len: u64) {
        self.memory = OnceLock::new();
        let at = self.place(at);
        let end = at.saturating_add(len);
        let before = self.bound.range(..end).rev();
        let hit: Vec<_> = before
            .map_while(|(&a, &b)| (a + b.len > at).then_some((a, b)))
            .collect();
        for (start, bound) in hit {
            self.bound.remove(&start);
            if start < at {
                let len = at - start;
                self.bound.insert(start, Bound { len, ..bound });
            }
            let last = start + bound.len;
            if last > end {
                // SAFETY: the offset is inside the bound memory.
                let host = unsafe { bound.host.add((end - start) as usize) };
                let len = last - end;
                self.bound.insert(end, Bound { len, host });
            }
        }
    }

    /// Memory at an address, and how many bytes of it there are.
    pub fn host(&self, at: u64) -> Result<(NonNull<u8>, u64), Fault> {
        let at = self.place(at);
        let fault = Fault { at };
        let (&start, bound) = self.bound.range(..=at).next_back().ok_or(fault)?;
        let inside = at - start;
        if inside >= bound.len {
            return Err(fault);
        }
        // SAFETY: the offset is inside the bound memory.
        Ok((
            unsafe { bound.host.add(inside as usize) },
            bound.len - inside,
        ))
    }

    fn word(&self, at: u64) -> Result<&AtomicU32, Fault> {
        let (host, room) = self.host(at & !3)?;
        match room {
            // SAFETY: it is a multiple of 4, mapped as long as it is bound, and all accesses here are atomic.
            4.. => Ok(unsafe { &*host.as_ptr().cast::<AtomicU32>() }),
            _ => Err(Fault { at }),
        }
    }

    /// The dword at a multiple of 4.
    pub fn dword(&self, at: u64) -> Result<u32, Fault> {
        Ok(self.word(at)?.load(Relaxed))
    }

    /// Stores a dword at a multiple of 4.
    pub fn set_dword(&self, at: u64, value: u32) -> Result<(), Fault> {
        self.word(at)?.store(value, Relaxed);
        Ok(())
    }

    /// Stores two dwords, the lower one last: a program that waits for it then finds both.
    pub fn set_qword(&self, at: u64, value: u64) -> Result<(), Fault> {
        self.set_dword(at.wrapping_add(4), (value >> 32) as u32)?;
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        self.set_dword(at, value as u32)
    }

    /// Gives each piece of so many bytes from an address on: its place in the process, and its range among the bytes.
    fn pieces(
        &self,
        at: u64,
        len: usize,
        mut each: impl FnMut(NonNull<u8>, Range<usize>),
    ) -> Result<(), Fault> {
        let mut done = 0;
        while done < len {
            let (host, room) = self.host(at + done as u64)?;
            let count = (len - done).min(usize::try_from(room).unwrap_or(usize::MAX));
            each(host, done..done + count);
            done += count;
        }
        Ok(())
    }

    /// Copies bytes from an address on.
    pub fn read(&self, at: u64, out: &mut [u8]) -> Result<(), Fault> {
        self.pieces(at, out.len(), |host, range| {
            let to = &mut out[range];
            // SAFETY: so many bytes are mapped there; the driver orders its accesses and the device's.
            unsafe {
                host.as_ptr()
                    .copy_to_nonoverlapping(to.as_mut_ptr(), to.len())
            };
        })
    }

    /// Copies bytes to an address on.
    pub fn write(&self, at: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.pieces(at, bytes.len(), |host, range| {
            let from = &bytes[range];
            // SAFETY: so many bytes are mapped there; the driver orders its accesses and the device's.
            unsafe {
                host.as_ptr()
                    .copy_from_nonoverlapping(from.as_ptr(), from.len())
            };
        })
    }

    /// Dwords from an address on.
    pub fn dwords<const N: usize>(&self, at: u64) -> Result<[u32; N], Fault> {
        let mut dwords = [[0; 4]; N];
        self.read(at, dwords.as_flattened_mut())?;
        Ok(dwords.map(u32::from_le_bytes))
    }

    /// Copies bytes between addresses, which may overlap.
    pub fn copy(&self, from: u64, to: u64, len: u64) -> Result<(), Fault> {
        let mut done = 0;
        while done < len {
            let ((from, a), (to, b)) = (self.host(from + done)?, self.host(to + done)?);
            let count = (len - done).min(a).min(b);
            // SAFETY: so many bytes are mapped at both places.
            unsafe { to.as_ptr().copy_from(from.as_ptr(), count as usize) };
            done += count;
        }
        Ok(())
    }

    /// Sets bytes.
    pub fn fill(&self, at: u64, len: u64, byte: u8) -> Result<(), Fault> {
        let mut done = 0;
        while done < len {
            let (host, room) = self.host(at + done)?;
            let count = (len - done).min(room);
            // SAFETY: so many bytes are mapped there.
            unsafe { host.as_ptr().write_bytes(byte, count as usize) };
            done += count;
        }
        Ok(())
    }

    /// All of it as an executor's memory, at the addresses that kernels have. Scratch space of each group, of so many bytes, is at [`SCRATCH`].
    pub fn memory(&self, scratch: usize) -> Memory {
        let lent = self.memory.get_or_init(|| {
            let mut memory = Memory::default();
            for (&at, bound) in &self.bound {
                let (name, base) = (format!("[{at:#x}]"), self.canonical(at));
                // SAFETY: `bind`'s caller says that it stays mapped; hosts are multiples of 4.
                unsafe {
                    memory.lend(Arc::from(name), base, bound.host.cast(), bound.len as usize);
                }
            }
            memory
        });
        let mut memory = lent.clone();
        memory.add_private_at("scratch space", SCRATCH, scratch);
        memory
    }
}

/// Address of the scratch space: between the two halves of the space, where nothing can be bound.
pub const SCRATCH: u64 = 1 << 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unbinding_leaves_the_rest() {
        let mut bytes: Vec<u32> = (0..4096).collect();
        let host = NonNull::new(bytes.as_mut_ptr().cast::<u8>()).unwrap();
        let mut space = Space::new(48);
        // SAFETY: the vector outlives the space.
        unsafe { space.bind(0x10000, 16384, host) };
        space.unbind(0x11000, 0x1000);
        assert_eq!(space.dword(0x10ffc), Ok(1023));
        assert_eq!(space.dword(0x11000), Err(Fault { at: 0x11000 }));
        assert_eq!(space.dword(0x12000), Ok(2048));
        assert_eq!(space.dword(0x14000), Err(Fault { at: 0x14000 }));
        let mut read = [0; 6];
        space.read(0x12003, &mut read).unwrap();
        assert_eq!(read, [0, 1, 8, 0, 0, 2]);
        assert_eq!(space.copy(0x10000, 0x13ffe, 4), Err(Fault { at: 0x14000 }));
        space.set_qword(0x10008, 0x1234_5678_9abc_def0).unwrap();
        assert_eq!(space.dword(0x1000c), Ok(0x1234_5678));
    }
}
