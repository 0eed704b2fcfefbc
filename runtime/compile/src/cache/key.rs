//! What an entry of the cache is called: a hash of all that its contents depend on.
//!
//! That is the program itself ([`BUILD`]), the bytes of the files, and the options. Names of files are not
//! among it: a result never has them. Neither is the argument layout: it is only put beside the code, when an object
//! file is made. The files' bytes are hashed as they are: text and binary of one module have entries of their own, and
//! nothing need be read to look for either.

use blake3::{Hash, Hasher};

use crate::options::Options;
use crate::source::Input;

/// The program that makes the code: its version, and a hash of the sources that it was built from.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "-", env!("KILN_SOURCES"));

/// The name of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(Hash);

impl Key {
    pub(super) fn hash(&self) -> &Hash {
        &self.0
    }
}

/// The key of a module compiled with these options, one kernel of it if one is named; nothing if more is wanted than
/// an entry holds: texts of stages and register pressure along the code.
pub(super) fn module(options: &Options, kernel: Option<&str>, inputs: &[&Input]) -> Option<Key> {
    let Options {
        platform,
        grf_limit,
        abi,
        interruptible,
        allocator,
        optimize,
        without,
        verify,
        pressure,
        profile,
        dump,
        variant,
    } = options;
    if profile.is_some() || !dump.is_empty() {
        return None;
    }
    let mut key = Fields::new("module");
    key.add(platform.name.as_bytes());
    key.add(&grf_limit.to_le_bytes());
    key.add(abi.name.as_bytes());
    for flag in [interruptible, optimize, verify, pressure] {
        key.add(&[u8::from(*flag)]);
    }
    key.add(format!("{allocator:?} {variant:?}").as_bytes());
    key.add_all(without.iter().map(|pass| pass.as_bytes()));
    key.add_all(kernel.iter().map(|kernel| kernel.as_bytes()));
    key.add_all(inputs.iter().map(|input| input.bytes));
    Some(key.finish())
}

/// The key of which of these files make one module each.
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
