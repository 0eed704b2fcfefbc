//! The key of a cache entry: a hash of everything that its contents depend on.
//!
//! The hash covers the program itself ([`BUILD`]), the bytes of the files, and the options. Names of files are left out, since
//! no result has them. So is the argument layout, which is added only when an object file is made. The files' bytes
//! are hashed as they are, so that a lookup need not parse them; a module's text and its binary therefore have two
//! entries.

use blake3::{Hash, Hasher};

use crate::options::Options;
use crate::source::Input;

/// Identifies the program that makes the code: its version and a hash of its sources.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "-", env!("KILN_SOURCES"));

/// The key of an entry, which is also its file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(Hash);

impl Key {
    pub(super) fn hash(&self) -> &Hash {
        &self.0
    }
}

/// The key of a module compiled with these options, or of one kernel of it. `None` if the options ask for results that
/// no entry holds: dumps of stages, or register pressure by instruction.
pub(super) fn module(options: &Options, kernel: Option<&str>, inputs: &[&Input]) -> Option<Key> {
    let Options {
        platform,
        grf_limit,
        grfs,
        abi,
        interruptible,
        allocator,
        optimize,
        without,
        verify,
        pressure,
        profile,
        names,
        dump,
        variant,
        stop: _,
    } = options;
    if profile.is_some() || !dump.is_empty() {
        return None;
    }
    let mut key = Fields::new("module");
    key.add(platform.name.as_bytes());
    key.add(platform.errata.stepping().to_string().as_bytes());
    key.add(&platform.errata.bits().to_le_bytes());
    key.add(&grf_limit.to_le_bytes());
    key.add(abi.name.as_bytes());
    for flag in [interruptible, optimize, verify, pressure, names] {
        key.add(&[u8::from(*flag)]);
    }
    key.add(format!("{allocator:?} {variant:?} {grfs:?}").as_bytes());
    key.add_all(without.iter().map(|pass| pass.as_bytes()));
    key.add_all(kernel.iter().map(|kernel| kernel.as_bytes()));
    key.add_all(inputs.iter().map(|input| input.bytes));
    Some(key.finish())
}

/// The key of the groups that these files make.
pub(super) fn groups(inputs: &[Input]) -> Key {
    let mut key = Fields::new("groups");
    key.add_all(inputs.iter().map(|input| input.bytes));
    key.finish()
}

/// A hash of fields, each with its length, so that no two lists of fields give the same bytes.
struct Fields(Hasher);

impl Fields {
    fn new(what: &str) -> Fields {
        let mut fields = Fields(Hasher::new());
        fields.add(BUILD.as_bytes());
        fields.add(what.as_bytes());
        fields
    }

    fn add(&mut self, field: &[u8]) {
        self.0.update(&(field.len() as u64).to_le_bytes());
        self.0.update(field);
    }

    fn add_all<'a>(&mut self, fields: impl ExactSizeIterator<Item = &'a [u8]>) {
        self.add(&(fields.len() as u64).to_le_bytes());
        fields.for_each(|field| self.add(field));
    }

    fn finish(&self) -> Key {
        Key(self.0.finalize())
    }
}
