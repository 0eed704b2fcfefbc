//! Physical memory of a simulated device, and address spaces by its page tables (PRM vol. 5, "Memory Views": four levels of 512 entries).

#![expect(
    unsafe_code,
    reason = "pages are mapped again where an address space has them side by side"
)]

use std::collections::HashSet;
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;

use memmap2::{MmapOptions, MmapRaw};
use nix::sys::mman::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};

use super::space::{Fault, Space};

/// Size of a page.
pub const PAGE: u64 = 4096;
/// Bits of a physical address.
const BITS: u32 = 40;
/// Bits of an entry of a table: the page, and that there is one.
const FRAME: u64 = ((1 << BITS) - 1) & !(PAGE - 1);
const PRESENT: u64 = 1;

/// Physical memory: a file in memory that has only those pages that were written.
pub struct Physical {
    file: OwnedFd,
    map: MmapRaw,
    pages: HashSet<u64>,
    /// Maximum number of pages that were written, and of tables and pages of an address space.
    most: usize,
}

/// A range of addresses that pages are mapped side by side at.
struct Mirror {
    host: NonNull<u8>,
    len: usize,
}

impl Drop for Mirror {
    fn drop(&mut self) {
        // SAFETY: this has mapped it, and spaces that have it do not outlive it.
        let _ = unsafe { munmap(self.host.cast(), self.len) };
    }
}

/// An address space by page tables.
#[derive(Default)]
pub struct Mapped {
    /// Pages by their addresses, in order.
    pages: Vec<(u64, u64)>,
    mirrors: Vec<Mirror>,
}

/// Memory that a client may not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// An address outside physical memory.
    Outside(u64),
    /// More pages than a client may have.
    Full,
    /// The system has no more.
    System,
}

impl Physical {
    /// Empty memory of at most so many pages.
    ///
    /// # Errors
    /// The system has none.
    pub fn new(most: usize) -> Result<Physical, std::io::Error> {
        let file =
            nix::sys::memfd::memfd_create(c"kiln-gpu", nix::sys::memfd::MFdFlags::MFD_CLOEXEC)?;
        nix::unistd::ftruncate(&file, 1 << BITS)?;
        let map = MmapOptions::new()
            .len(1 << BITS)
            .no_reserve_swap()
            .map_raw(&file)?;
        Ok(Physical {
            file,
            map,
            pages: HashSet::new(),
            most,
        })
    }

    fn check(at: u64, len: u64) -> Result<(), Refused> {
        match at.checked_add(len) {
            Some(end) if end <= 1 << BITS => Ok(()),
            _ => Err(Refused::Outside(at)),
        }
    }

    /// Writes bytes.
    pub fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), Refused> {
        Physical::check(at, bytes.len() as u64)?;
        for page in at / PAGE..(at + bytes.len() as u64).div_ceil(PAGE) {
            if self.pages.len() == self.most && !self.pages.contains(&page) {
                return Err(Refused::Full);
            }
            self.pages.insert(page);
        }
        let place = self.map.as_mut_ptr().wrapping_add(at as usize);
        // SAFETY: so many bytes are mapped there, and no engine runs meanwhile.
        unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    /// Reads bytes; pages that were never written are zeros, and stay without memory.
    pub fn read(&self, at: u64, out: &mut [u8]) -> Result<(), Refused> {
        Physical::check(at, out.len() as u64)?;
        let mut at = at;
        let mut rest = out;
        while !rest.is_empty() {
            let count = rest.len().min((PAGE - at % PAGE) as usize);
            let (now, later) = rest.split_at_mut(count);
            match self.pages.contains(&(at / PAGE)) {
                true => {
                    let place = self.map.as_mut_ptr().wrapping_add(at as usize);
                    // SAFETY: so many bytes are mapped there.
                    unsafe { place.copy_to_nonoverlapping(now.as_mut_ptr(), count) };
                }
                false => now.fill(0),
            }
            at += count as u64;
            rest = later;
        }
        Ok(())
    }

    /// A dword at a physical address; 0 if there is none.
    pub fn dword(&self, at: u64) -> u32 {
        let mut bytes = [0; 4];
        match self.read(at, &mut bytes) {
            Ok(()) => u32::from_le_bytes(bytes),
            Err(_) => 0,
        }
    }

    /// Pages that were written, by the addresses that tables give them.
    fn walk(&self, root: u64) -> Result<Vec<(u64, u64)>, Refused> {
        let mut found = Vec::new();
        let mut tables = 0;
        self.level(root & FRAME, 39, 0, &mut found, &mut tables)?;
        Ok(found)
    }

    fn level(
        &self,
        table: u64,
        shift: u32,
        first: u64,
        found: &mut Vec<(u64, u64)>,
        tables: &mut usize,
    ) -> Result<(), Refused> {
        *tables += 1;
        if *tables > self.most || found.len() > self.most {
            return Err(Refused::Full);
        }
        let mut entries = [0; PAGE as usize];
        self.read(table, &mut entries)?;
        for (index, entry) in (0..).zip(entries.as_chunks().0) {
            let entry = u64::from_le_bytes(*entry);
            let (at, frame) = (first | index << shift, entry & FRAME);
            match (entry & PRESENT != 0, shift) {
                (false, _) => {}
                (true, 12) if self.pages.contains(&(frame / PAGE)) => found.push((at, frame)),
                (true, 12) => {}
                (true, _) => self.level(frame, shift - 9, at, found, tables)?,
            }
        }
        Ok(())
    }

    /// The address space of tables, if it is another than before.
    pub fn map(&self, root: u64, before: &mut Mapped) -> Result<Option<Space>, Refused> {
        let pages = self.walk(root)?;
        if pages == before.pages {
            return Ok(None);
        }
        let mut mapped = Mapped {
            pages,
            ..Mapped::default()
        };
        let mut space = Space::new(48);
        for run in mapped.pages.chunk_by(|a, b| b.0 == a.0 + PAGE) {
            let len = run.len() * PAGE as usize;
            let host = match run.is_sorted_by(|a, b| b.1 == a.1 + PAGE) {
                true => NonNull::new(self.map.as_mut_ptr().wrapping_add(run[0].1 as usize)),
                false => {
                    let mirror = self.mirror(run)?;
                    let host = mirror.host;
                    mapped.mirrors.push(mirror);
                    Some(host)
                }
            };
            if let Some(host) = host {
                // SAFETY: the memory is mapped as long as `Physical` and `Mapped` live, which the caller keeps with the space.
                unsafe { space.bind(run[0].0, len as u64, host) };
            }
        }
        *before = mapped;
        Ok(Some(space))
    }

    /// Maps pages side by side.
    fn mirror(&self, run: &[(u64, u64)]) -> Result<Mirror, Refused> {
        let len = run.len() * PAGE as usize;
        let whole = NonZero::new(len).ok_or(Refused::System)?;
        // SAFETY: the system chooses the place.
        let host = unsafe {
            mmap_anonymous(
                None,
                whole,
                ProtFlags::PROT_NONE,
                MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE,
            )
        };
        let host = host.map_err(|_| Refused::System)?.cast::<u8>();
        let mirror = Mirror { host, len };
        let mut at = host.addr();
        for part in run.chunk_by(|a, b| b.1 == a.1 + PAGE) {
            let bytes = NonZero::new(part.len() * PAGE as usize).ok_or(Refused::System)?;
            // SAFETY: the range is inside that which was just mapped.
            let done = unsafe {
                mmap(
                    Some(at),
                    bytes,
                    ProtFlags::PROT_READ | ProtFlags::PROT_WRITE,
                    MapFlags::MAP_SHARED | MapFlags::MAP_FIXED,
                    &self.file,
                    part[0].1 as i64,
                )
            };
            done.map_err(|_| Refused::System)?;
            at = at.checked_add(bytes.get()).ok_or(Refused::System)?;
        }
        Ok(mirror)
    }
}

impl From<Refused> for Fault {
    fn from(refused: Refused) -> Fault {
        match refused {
            Refused::Outside(at) => Fault { at },
            Refused::Full | Refused::System => Fault { at: 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_give_pages_their_addresses() {
        let mut memory = Physical::new(32).unwrap();
        let mut entry = |at: u64, to: u64| memory.write(at, &(to | 1).to_le_bytes()).unwrap();
        entry(0x1000, 0x2000);
        entry(0x2000, 0x3000);
        entry(0x3000, 0x4000);
        // Two addresses side by side, whose pages are not; and one of a page that was never written.
        entry(0x4000 + 5 * 8, 0x9000);
        entry(0x4000 + 6 * 8, 0x7000);
        entry(0x4000 + 9 * 8, 0xb000);
        memory.write(0x9ffc, &[1, 2, 3, 4]).unwrap();
        memory.write(0x7000, &[5, 6, 7, 8]).unwrap();
        let mut mapped = Mapped::default();
        let space = memory.map(0x1000, &mut mapped).unwrap().unwrap();
        let mut bytes = [0; 4];
        space.read(0x5ffe, &mut bytes).unwrap();
        assert_eq!(bytes, [3, 4, 5, 6]);
        assert!(space.dword(0x9000).is_err());
        assert!(memory.map(0x1000, &mut mapped).unwrap().is_none());
    }

    #[test]
    fn tables_that_name_themselves_are_refused() {
        let mut memory = Physical::new(32).unwrap();
        let entries: Vec<u8> = (0..512).flat_map(|_| 0x1001u64.to_le_bytes()).collect();
        memory.write(0x1000, &entries).unwrap();
        let refused = memory.map(0x1000, &mut Mapped::default());
        assert_eq!(refused.err(), Some(Refused::Full));
        for page in 2..33 {
            memory.write(page * PAGE, &[1]).unwrap();
        }
        assert_eq!(memory.write(40 * PAGE, &[1]), Err(Refused::Full));
        assert_eq!(memory.write(2 * PAGE, &[1]), Ok(()));
        assert_eq!(
            memory.write((1 << 40) - 2, &[0; 4]),
            Err(Refused::Outside((1 << 40) - 2))
        );
    }
}
