//! Bytes that threads on several cores read and write at once.
//!
//! The bytes are 32-bit words, each atomic, with no order among them, like a device's memory: a dword is never torn,
//! and accesses that a kernel does not order have no order. 64-bit numbers are updated under a lock, so that their
//! updates are atomic among each other.
//!
//! The words are adjacent, from a multiple of a host's cache line on: a vector of the host loads as many as it has. Bytes
//! are converted to words and back part by part, so that both together never take much more memory than one of them.
//!
//! Stores can be kept from all threads but the one that made them, until they are released ([`Words::hold_stores`]).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::mapping::Mapping;

/// Size of a word in bytes.
const WORD: usize = 4;
/// Size of the parts that are converted: large enough that allocators return what is freed to the system.
const PART_BYTES: usize = 1 << 26;

/// A number of bytes of shared memory.
#[derive(Debug, Default)]
pub struct Words {
    memory: Mapping,
    /// Number of bytes.
    len: usize,
    wide: Mutex<()>,
    /// Stores that only their threads see; none if all see every store at once.
    held: OnceLock<Mutex<Held>>,
}

/// Stores that only their threads see.
#[derive(Debug, Default)]
struct Held {
    /// The thread whose accesses are next.
    thread: u32,
    /// Bits of words, with a mask of those that were stored, by thread and index.
    stores: BTreeMap<(u32, usize), (u32, u32)>,
}

impl Held {
    /// A word as the thread sees it.
    fn seen(&self, index: usize, word: u32) -> u32 {
        let (mask, bits) = self.stores.get(&(self.thread, index)).unwrap_or(&(0, 0));
        word & !mask | bits
    }

    /// Keeps a store to some bits of a word.
    fn keep(&mut self, index: usize, mask: u32, bits: u32) {
        let (all, kept) = self.stores.entry((self.thread, index)).or_default();
        *all |= mask;
        *kept = *kept & !mask | bits & mask;
    }
}

impl Words {
    /// Room for bytes; those of the last word beyond the length are zero.
    fn room(len: usize) -> Words {
        let words = Words {
            memory: Mapping::new(len.div_ceil(WORD)),
            len,
            wide: Mutex::new(()),
            held: OnceLock::new(),
        };
        words.set_dword(len, 0);
        words
    }

    /// Words of memory that others have mapped.
    pub fn of_mapping(memory: Mapping, len: usize) -> Words {
        Words {
            memory,
            len,
            wide: Mutex::new(()),
            held: OnceLock::new(),
        }
    }

    pub fn new(bytes: &[u8]) -> Words {
        let words = Words::room(bytes.len());
        words.write(0, bytes);
        words
    }

    /// Converts bytes, part by part.
    pub fn of(mut bytes: Vec<u8>) -> Words {
        let words = Words::room(bytes.len());
        // From the end, where a vector can be shortened.
        for start in (0..bytes.len()).step_by(PART_BYTES).rev() {
            words.write(start, &bytes[start..]);
            bytes.truncate(start);
            bytes.shrink_to_fit();
        }
        words
    }

    /// Bytes with one value.
    pub fn filled(len: usize, byte: u8) -> Words {
        let words = Words::room(len);
        words.fill(byte);
        words
    }

    /// All words, in order.
    #[inline]
    fn words(&self) -> &[AtomicU32] {
        self.memory.words()
    }

    /// Sets all bytes to one value.
    pub fn fill(&self, byte: u8) {
        let word = u32::from_le_bytes([byte; WORD]);
        self.words().iter().for_each(|w| w.store(word, Relaxed));
    }

    /// Address of the first byte.
    pub fn address(&self) -> u64 {
        self.words().as_ptr() as u64
    }

    /// The first word, as an offset in bytes, in which others of the same size differ.
    pub fn first_difference(&self, other: &Words) -> Option<usize> {
        let pairs = self.words().iter().zip(other.words());
        let differs = |(a, b): (&AtomicU32, &AtomicU32)| a.load(Relaxed) != b.load(Relaxed);
        pairs.map(differs).position(|d| d).map(|index| index * WORD)
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let words = self.words().iter().map(|w| w.load(Relaxed).to_le_bytes());
        let mut bytes: Vec<u8> = words.flatten().collect();
        bytes.truncate(self.len);
        bytes
    }

    /// Converts to bytes, part by part.
    pub fn into_bytes(mut self) -> Vec<u8> {
        let count = self.words().len();
        let mut bytes = Vec::with_capacity(count * WORD);
        for start in (0..count).step_by(PART_BYTES / WORD) {
            if start > 0 {
                self.memory.release(start);
            }
            let end = count.min(start + PART_BYTES / WORD);
            bytes.resize(end * WORD, 0);
            let (out, _) = bytes[start * WORD..].as_chunks_mut();
            for (out, word) in out.iter_mut().zip(&self.words()[start..]) {
                *out = word.load(Relaxed).to_le_bytes();
            }
        }
        bytes.truncate(self.len);
        bytes
    }

    #[inline]
    fn get(&self, index: usize) -> Option<&AtomicU32> {
        self.words().get(index)
    }

    #[inline]
    fn word(&self, index: usize) -> u32 {
        self.get(index).map_or(0, |w| w.load(Relaxed))
    }

    /// A word as the thread sees it whose turn it is.
    #[cold]
    fn word_seen(&self, index: usize) -> u32 {
        let word = self.word(index);
        self.lock().map_or(word, |held| held.seen(index, word))
    }

    /// From now on only its own thread sees a store, until it is released.
    pub fn hold_stores(&self) {
        self.held.get_or_init(Mutex::default);
    }

    /// True if not all threads see every store at once.
    #[inline]
    fn holds_stores(&self) -> bool {
        self.held.get().is_some()
    }

    fn lock(&self) -> Option<MutexGuard<'_, Held>> {
        let held = self.held.get()?;
        Some(held.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps a store of the thread whose turn it is from others.
    #[cold]
    fn keep(&self, at: usize, bytes: &[u8]) {
        let Some(mut held) = self.lock() else { return };
        let inside = self.len.saturating_sub(at).min(bytes.len());
        for (at, byte) in (at..).zip(&bytes[..inside]) {
            let shift = at % WORD * 8;
            held.keep(at / WORD, 0xff << shift, u32::from(*byte) << shift);
        }
    }

    /// Says which thread's accesses follow.
    pub fn take_turn(&self, thread: u32) {
        if let Some(mut held) = self.lock() {
            held.thread = thread;
        }
    }

    /// Lets all threads see what a thread has stored.
    pub fn release(&self, thread: u32) {
        self.release_words(thread, 0..usize::MAX);
    }

    fn release_words(&self, thread: u32, indices: Range<usize>) {
        let Some(mut held) = self.lock() else { return };
        let range = (thread, indices.start)..(thread, indices.end);
        let released: Vec<_> = held
            .stores
            .range(range)
            .map(|(at, store)| (*at, *store))
            .collect();
        for (at, (mask, bits)) in released {
            held.stores.remove(&at);
            if let Some(word) = self.get(at.1) {
                update(word, |old| old & !mask | bits);
            }
        }
    }

    /// Copies bytes from `at` on; zeros beyond the end.
    #[inline]
    pub fn read(&self, at: usize, out: &mut [u8]) {
        if self.holds_stores() {
            for (at, byte) in (at..).zip(out) {
                *byte = self.word_seen(at / WORD).to_le_bytes()[at % WORD];
            }
        } else if at.is_multiple_of(WORD) {
            for (index, chunk) in out.chunks_mut(WORD).enumerate() {
                let word = self.word(at / WORD + index).to_le_bytes();
                chunk.copy_from_slice(&word[..chunk.len()]);
            }
        } else {
            for (at, byte) in (at..).zip(out) {
                *byte = self.word(at / WORD).to_le_bytes()[at % WORD];
            }
        }
    }

    /// Copies bytes to `at` on; those beyond the end are dropped.
    #[inline]
    pub fn write(&self, at: usize, mut bytes: &[u8]) {
        let (words, mut at) = (self.words(), at);
        if self.holds_stores() {
            return self.keep(at, bytes);
        }
        if at.is_multiple_of(WORD) {
            let (whole, rest) = bytes.as_chunks();
            for (word, new) in words.get(at / WORD..).unwrap_or_default().iter().zip(whole) {
                word.store(u32::from_le_bytes(*new), Relaxed);
            }
            at += bytes.len() - rest.len();
            bytes = rest;
        }
        while !bytes.is_empty() {
            let Some(word) = words.get(at / WORD) else {
                return;
            };
            let start = at % WORD;
            let count = bytes.len().min(WORD - start);
            let (now, rest) = bytes.split_at(count);
            let mut new = [0; WORD];
            new[start..start + count].copy_from_slice(now);
            let new = u32::from_le_bytes(new);
            if count == WORD {
                word.store(new, Relaxed);
            } else {
                let mask = (u32::MAX >> (32 - 8 * count)) << (8 * start);
                update(word, |old| old & !mask | new);
            }
            bytes = rest;
            at += count;
        }
    }

    /// The dword at a multiple of 4.
    #[inline]
    pub fn dword(&self, at: usize) -> u32 {
        match self.holds_stores() {
            true => self.word_seen(at / WORD),
            false => self.word(at / WORD),
        }
    }

    /// Sets the dword at a multiple of 4.
    #[inline]
    pub fn set_dword(&self, at: usize, value: u32) {
        if self.holds_stores() {
            self.keep(at, &value.to_le_bytes());
        } else if let Some(word) = self.get(at / WORD) {
            word.store(value, Relaxed);
        }
    }

    /// Replaces the number of `size` bytes, 1, 2, 4 or 8, at a multiple of its size; returns the old one.
    ///
    /// All threads see it at once.
    pub fn update(&self, at: usize, size: usize, new: impl Fn(u64) -> u64) -> u64 {
        let release = || {
            let thread = self.lock().map(|held| held.thread);
            if let Some(thread) = thread {
                self.release_words(thread, at / WORD..(at + size).div_ceil(WORD));
            }
        };
        release();
        if size == 8 {
            // The lock guards no data, so that a panic elsewhere leaves nothing inconsistent.
            let _guard = self.wide.lock().unwrap_or_else(|e| e.into_inner());
            let mut old = [0; 8];
            self.read(at, &mut old);
            let old = u64::from_le_bytes(old);
            self.write(at, &new(old).to_le_bytes());
            release();
            return old;
        }
        let Some(word) = self.get(at / WORD) else {
            return 0;
        };
        let shift = (at % WORD * 8) as u32;
        let mask = u32::MAX >> (32 - 8 * size.clamp(1, WORD)) << shift;
        let number = |word: u32| u64::from((word & mask) >> shift);
        let old = update(word, |old| {
            old & !mask | (new(number(old)) as u32) << shift & mask
        });
        number(old)
    }
}

/// Replaces a word; returns the old one.
fn update(word: &AtomicU32, new: impl Fn(u32) -> u32) -> u32 {
    let mut old = word.load(Relaxed);
    loop {
        match word.compare_exchange_weak(old, new(old), Relaxed, Relaxed) {
            Ok(_) => return old,
            Err(found) => old = found,
        }
    }
}

#[cfg(test)]
#[path = "../tests/words.rs"]
mod tests;
