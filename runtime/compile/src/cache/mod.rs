//! A code cache on disk: a module that was compiled once is read the next time.
//!
//! An entry's name is a hash of everything that it was made from (`key`), so that an entry never goes out of date; its
//! contents are described in `entry`. Any number of processes may use a folder at the same time: an entry is written
//! under a temporary name, flushed to disk and renamed, and never changed afterwards. It begins with a hash of the
//! rest; an entry whose hash is wrong is removed and compiled again. A killed process leaves its temporary file. The
//! next process that opens the cache removes it, because it can lock the file: a living writer holds the lock.
//!
//! The folder:
//!
//! | | |
//! |---|---|
//! | `CACHEDIR.TAG` | marks the folder as a cache (bford.info/cachedir), and as ours |
//! | `00` to `3f` | entries, by the first byte of their names; each folder has an equal share of the limit |
//! | `tmp` | files being written |
//!
//! A cache that cannot be written, for example because the disk is full, does not stop compilation: [`Cache::counts`]
//! counts such entries and [`Cache::problem`] gives the first reason.
//!
//! Whoever can write to the folder decides which code is run, so it should belong to one user.
//!
//! Instead of a folder, a [`Store`] of the embedder may hold the entries, such as a service that many machines share. An
//! entry has the same bytes there, with its key and hash, so that a damaged one is compiled again.

mod entry;
mod key;

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use blake3::{Hash, Hasher};
use tempfile::NamedTempFile;

use crate::options::Options;
use crate::result::CompiledModule;
use crate::source::Input;

pub use key::{BUILD, Key};

/// First bytes of an entry; the last one is the version of the format.
const MAGIC: &[u8; 8] = b"kiln\0\0\0\x01";
/// Magic, key, and the hash of key and contents.
const HEAD: usize = MAGIC.len() + 2 * blake3::OUT_LEN;
/// Bytes of an entry that are read at most; a longer one counts as damaged.
const MAX_ENTRY: u64 = 1 << 30;
/// Folders with entries.
const SHARDS: u8 = 64;
/// Assumed block size of the file system: the space that a file takes is counted in multiples of it.
const PAGE: u64 = 4096;
const TAG: &str = "CACHEDIR.TAG";
const TAG_TEXT: &str =
    "Signature: 8a477f597d28d172789f06886806bc55\n# Code that kiln has compiled.\n";
const TEMPORARY: &str = "tmp";
/// Times that a write is tried when another process takes the temporary file for a leftover before it is locked.
const ATTEMPTS: u32 = 3;

/// Reasons why a folder cannot be a cache.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum CacheError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("a folder with other files, among them {0}")]
    Foreign(String),
    #[error("no cache")]
    None,
}

/// A place for entries that the embedder has. Its functions are called by every thread that compiles.
pub trait Store: Send + Sync {
    /// The entry of a key of 32 bytes; none if there is none.
    fn get(&self, key: &[u8]) -> Option<Vec<u8>>;

    /// Keeps an entry.
    ///
    /// # Errors
    /// The reason why it cannot be kept, which stops no compilation.
    fn put(&self, key: &[u8], entry: &[u8]) -> Result<(), String>;
}

/// Lookups and writes since the cache was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lookups that found an entry.
    pub hits: u64,
    /// Lookups that found none.
    pub misses: u64,
    /// Damaged entries, which count as misses too.
    pub damaged: u64,
    /// Entries that were written.
    pub written: u64,
    /// Entries that could not be written.
    pub unwritten: u64,
}

/// Files of a cache, and the bytes that they take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Size {
    /// Number of files.
    pub entries: u64,
    /// Bytes of the entries on the disk.
    pub bytes: u64,
}

/// A cache, which any number of sessions may use; a copy is the same cache.
#[derive(Clone, Debug)]
pub struct Cache(Arc<Inner>);

struct Inner {
    place: Held,
    hits: AtomicU64,
    misses: AtomicU64,
    damaged: AtomicU64,
    written: AtomicU64,
    unwritten: AtomicU64,
    problem: Mutex<Option<String>>,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.place {
            Held::Folder(folder) => folder.fmt(f),
            Held::Store(_) => f.write_str("a store"),
        }
    }
}

/// A place for entries.
enum Held {
    Folder(Folder),
    Store(Box<dyn Store>),
}

/// A folder with entries.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    /// Bytes of its entries; 0 is no limit.
    limit: u64,
}

impl Cache {
    /// Default limit in bytes.
    pub const LIMIT: u64 = 1 << 30;

    /// Opens the cache in a folder, creates the folder if need be, and removes the files that killed processes have
    /// left there. `limit` is in bytes; 0 is no limit. An entry larger than a 64th of the limit is not kept.
    ///
    /// # Errors
    /// The folder cannot be made or read, or holds files that are not a cache's.
    pub fn open(folder: &Path, limit: u64) -> Result<Cache, CacheError> {
        fs::create_dir_all(folder)?;
        let opened = Folder::new(folder, limit);
        if !folder.join(TAG).exists() {
            opened.take_possession()?;
        }
        opened.remove_leftovers()?;
        Ok(Cache::new(Held::Folder(opened)))
    }

    /// Opens a cache that exists.
    ///
    /// # Errors
    /// The folder cannot be read, or is no cache.
    pub fn existing(folder: &Path) -> Result<Cache, CacheError> {
        fs::read_dir(folder)?;
        if !folder.join(TAG).exists() {
            return Err(CacheError::None);
        }
        let opened = Folder::new(folder, 0);
        opened.remove_leftovers()?;
        Ok(Cache::new(Held::Folder(opened)))
    }

    /// A cache whose entries the embedder keeps.
    pub fn with_store(store: impl Store + 'static) -> Cache {
        Cache::new(Held::Store(Box::new(store)))
    }

    fn new(place: Held) -> Cache {
        Cache(Arc::new(Inner {
            place,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            damaged: AtomicU64::new(0),
            written: AtomicU64::new(0),
            unwritten: AtomicU64::new(0),
            problem: Mutex::new(None),
        }))
    }

    /// Lookups and writes since the cache was opened.
    pub fn counts(&self) -> Counts {
        let inner = &*self.0;
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Counts {
            hits: of(&inner.hits),
            misses: of(&inner.misses),
            damaged: of(&inner.damaged),
            written: of(&inner.written),
            unwritten: of(&inner.unwritten),
        }
    }

    /// The reason why the first of the unwritten entries could not be written.
    pub fn problem(&self) -> Option<String> {
        let problem = self.0.problem.lock();
        problem.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The folder of the entries.
    fn folder(&self) -> io::Result<&Folder> {
        match &self.0.place {
            Held::Folder(folder) => Ok(folder),
            Held::Store(_) => Err(ErrorKind::Unsupported.into()),
        }
    }

    /// Number and size of the entries, including those that other processes wrote.
    ///
    /// # Errors
    /// A folder cannot be read, or the entries are in a store, which lists none.
    pub fn size(&self) -> io::Result<Size> {
        let folder = self.folder()?;
        let mut size = Size::default();
        for shard in 0..SHARDS {
            for entry in folder.entries(&shard_name(shard))? {
                size.entries += 1;
                size.bytes += entry.bytes;
            }
        }
        Ok(size)
    }

    /// Removes all entries and returns their number and size. Nothing else in the folder is touched.
    ///
    /// # Errors
    /// An entry cannot be removed, or the entries are in a store.
    pub fn clear(&self) -> io::Result<Size> {
        let folder = self.folder()?;
        let mut removed = Size::default();
        for shard in 0..SHARDS {
            for entry in folder.entries(&shard_name(shard))? {
                if remove(&entry.path)? {
                    removed.entries += 1;
                    removed.bytes += entry.bytes;
                }
            }
        }
        Ok(removed)
    }

    /// The compiled module of a key.
    pub(crate) fn module(&self, key: &Key) -> Option<CompiledModule> {
        self.get(key, entry::read_module)
    }

    /// Stores a compiled module.
    pub(crate) fn keep_module(&self, key: &Key, module: &CompiledModule) {
        if let Some(bytes) = entry::write_module(module) {
            self.put(key, &bytes);
        }
    }

    /// The groups of a key, if they were stored.
    pub(crate) fn groups(&self, key: &Key, files: usize) -> Option<Vec<Vec<usize>>> {
        self.get(key, |bytes| entry::read_groups(bytes, files))
    }

    /// Stores groups.
    pub(crate) fn keep_groups<'a>(&self, key: &Key, groups: impl Iterator<Item = &'a [usize]>) {
        if let Some(bytes) = entry::write_groups(groups) {
            self.put(key, &bytes);
        }
    }

    /// Looks an entry up.
    fn get<T>(&self, key: &Key, read: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let inner = &*self.0;
        let damaged = || _ = inner.damaged.fetch_add(1, Ordering::Relaxed);
        let found = match &inner.place {
            Held::Folder(folder) => folder.get(key, read, damaged),
            Held::Store(store) => store.get(key.hash().as_bytes()).and_then(|entry| {
                let found = contents(&mut entry.as_slice(), key);
                let found = found.and_then(|contents| read(&contents));
                if found.is_none() {
                    damaged();
                }
                found
            }),
        };
        let count = match found {
            Some(_) => &inner.hits,
            None => &inner.misses,
        };
        count.fetch_add(1, Ordering::Relaxed);
        found
    }

    /// Keeps an entry.
    fn put(&self, key: &Key, contents: &[u8]) {
        let inner = &*self.0;
        let size = (HEAD + contents.len()) as u64;
        if let Held::Folder(folder) = &inner.place
            && !folder.holds(size)
        {
            return;
        }
        let head = [
            &MAGIC[..],
            key.hash().as_bytes(),
            checksum(key, contents).as_bytes(),
        ]
        .concat();
        let kept = match &inner.place {
            Held::Folder(folder) => {
                let written = folder.put(key, &[&head, contents]);
                written.map_err(|error| error.to_string())
            }
            Held::Store(store) => store.put(key.hash().as_bytes(), &[&head, contents].concat()),
        };
        match kept {
            Ok(()) => {
                inner.written.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => {
                inner.unwritten.fetch_add(1, Ordering::Relaxed);
                let problem = inner.problem.lock();
                problem
                    .unwrap_or_else(PoisonError::into_inner)
                    .get_or_insert(error);
            }
        }
    }

    /// The key of a module of these files with these options; `None` if no entry can hold all that the options ask
    /// for.
    pub(crate) fn key_of(
        options: &Options,
        kernel: Option<&str>,
        inputs: &[&Input],
    ) -> Option<Key> {
        key::module(options, kernel, inputs)
    }

    /// The key of the groups that these files make.
    pub(crate) fn key_of_groups(inputs: &[Input]) -> Key {
        key::groups(inputs)
    }
}

impl Folder {
    fn new(path: &Path, limit: u64) -> Folder {
        Folder {
            path: path.to_path_buf(),
            limit,
        }
    }

    /// Bytes of the entries of one of its folders.
    fn share(&self) -> u64 {
        self.limit / u64::from(SHARDS)
    }

    /// True if an entry of that size is kept.
    fn holds(&self, size: u64) -> bool {
        self.limit == 0 || size.next_multiple_of(PAGE) <= self.share()
    }

    /// Reads an entry; a damaged one is removed.
    fn get<T>(
        &self,
        key: &Key,
        read: impl FnOnce(&[u8]) -> Option<T>,
        damaged: impl FnOnce(),
    ) -> Option<T> {
        let path = self.path_of(key);
        let mut file = open(&path).ok()?;
        let found = contents(&mut file, key).and_then(|contents| read(&contents));
        if found.is_none() {
            damaged();
            // An entry that cannot be removed is replaced by the next write.
            let _ = fs::remove_file(&path);
        } else {
            // Fails on a read-only disk, where nothing is evicted either.
            let _ = file.set_modified(SystemTime::now());
        }
        found
    }

    /// Writes an entry, then evicts the least recently used entries of its folder while that exceeds its share.
    fn put(&self, key: &Key, parts: &[&[u8]]) -> io::Result<()> {
        self.write(&self.path_of(key), parts)?;
        if self.limit > 0 {
            self.evict(key, self.share());
        }
        Ok(())
    }

    /// Writes a file atomically.
    fn write(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        let mut attempts = ATTEMPTS;
        loop {
            attempts -= 1;
            match self.write_once(path, parts) {
                Err(error) if error.kind() == ErrorKind::NotFound && attempts > 0 => {}
                done => return done,
            }
        }
    }

    fn write_once(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let temporary = self.path.join(TEMPORARY);
        fs::create_dir_all(&temporary)?;
        let mut file = NamedTempFile::new_in(temporary)?;
        // On file systems without locks, leftovers stay.
        if let Err(TryLockError::WouldBlock) = file.as_file().try_lock() {
            // Another process took it for a leftover and is about to remove it.
            return Err(ErrorKind::NotFound.into());
        }
        for part in parts {
            file.write_all(part)?;
        }
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Removes the least recently used entries of a folder until the rest fits its share. Entries that other processes
    /// remove meanwhile are no errors.
    fn evict(&self, key: &Key, share: u64) {
        let Ok(mut entries) = self.entries(&shard_of(key)) else {
            return;
        };
        let mut bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
        if bytes <= share {
            return;
        }
        entries.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
        for entry in entries {
            if bytes <= share {
                break;
            }
            let _ = fs::remove_file(&entry.path);
            bytes -= entry.bytes;
        }
    }

    /// The entries of one folder; none if the folder does not exist.
    fn entries(&self, shard: &str) -> io::Result<Vec<Found>> {
        let listed = match fs::read_dir(self.path.join(shard)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            listed => listed?,
        };
        let mut found = Vec::new();
        for entry in listed {
            let entry = entry?;
            let named = entry.file_name();
            let is_ours = named
                .to_str()
                .is_some_and(|name| Hash::from_hex(name).is_ok());
            // Another process may have removed the file since.
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            if is_ours && metadata.is_file() {
                found.push(Found {
                    path: entry.path(),
                    bytes: metadata.len().next_multiple_of(PAGE),
                    used: metadata.modified()?,
                });
            }
        }
        Ok(found)
    }

    /// Makes a folder that holds no other files a cache.
    fn take_possession(&self) -> Result<(), CacheError> {
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name();
            let name = name.to_string_lossy();
            // Another process may be creating the cache at the same time.
            let shards = (0..SHARDS).map(shard_name);
            if name != TAG && name != TEMPORARY && !shards.into_iter().any(|shard| shard == name) {
                return Err(CacheError::Foreign(name.into_owned()));
            }
        }
        self.write(&self.path.join(TAG), &[TAG_TEXT.as_bytes()])?;
        Ok(())
    }

    /// Removes the temporary files of killed processes.
    fn remove_leftovers(&self) -> io::Result<()> {
        let listed = match fs::read_dir(self.path.join(TEMPORARY)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            listed => listed?,
        };
        for entry in listed {
            let path = entry?.path();
            let Ok(file) = open(&path) else {
                continue;
            };
            if file.try_lock().is_ok() {
                // Fails on a read-only disk.
                let _ = fs::remove_file(&path);
            }
        }
        Ok(())
    }

    fn path_of(&self, key: &Key) -> PathBuf {
        let folder = self.path.join(shard_of(key));
        folder.join(key.hash().to_hex().as_str())
    }
}

/// A file of a cache.
struct Found {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

fn shard_of(key: &Key) -> String {
    shard_name(key.hash().as_bytes()[0] % SHARDS)
}

fn shard_name(shard: u8) -> String {
    format!("{shard:02x}")
}

/// Removes a file; false if it was gone already.
fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        removed => removed.map(|()| true),
    }
}

fn checksum(key: &Key, contents: &[u8]) -> Hash {
    let mut hasher = Hasher::new();
    hasher.update(key.hash().as_bytes());
    hasher.update(contents);
    hasher.finalize()
}

/// Opens a file of the cache. Pipes and devices are none: opening or reading them may never end.
fn open(path: &Path) -> io::Result<File> {
    let is_file = |metadata: fs::Metadata| match metadata.is_file() {
        true => Ok(()),
        false => Err(io::Error::from(ErrorKind::InvalidInput)),
    };
    is_file(fs::metadata(path)?)?;
    let file = File::open(path)?;
    is_file(file.metadata()?)?;
    Ok(file)
}

/// The contents of an entry; `None` if it is damaged or has another key. They are read, not mapped, since another
/// process may shorten the file.
fn contents(file: &mut impl Read, key: &Key) -> Option<Vec<u8>> {
    let mut head = [0; HEAD];
    file.read_exact(&mut head).ok()?;
    let (magic, head) = head.split_at(MAGIC.len());
    let (of, sum) = head.split_at(blake3::OUT_LEN);
    if magic != MAGIC || of != key.hash().as_bytes() {
        return None;
    }
    let mut contents = Vec::new();
    file.take(MAX_ENTRY).read_to_end(&mut contents).ok()?;
    (sum == checksum(key, &contents).as_bytes()).then_some(contents)
}
