//! Contents of a cache entry: a compiled module, or the groups of files that make one module each.
//!
//! The encoding is postcard's. Its reader never allocates for a length that the slice cannot hold. The entry's hash
//! moreover shows that this program wrote it.

use kiln_genx::error::{Code, Diagnostic, Loc};
use serde::{Deserialize, Serialize};

use crate::interface::Interface;
use crate::result::{Compiled, CompiledModule};

/// Kernels, functions, document of the interfaces, and warnings of a module that is read.
type ModuleEntry<'a> = (
    Vec<Compiled>,
    Vec<Compiled>,
    Option<String>,
    Vec<WarningEntry<'a>>,
);

/// A warning about LLVM IR: its code, line, column and byte, and what it says.
#[derive(Serialize, Deserialize)]
struct WarningEntry<'a> {
    code: &'a str,
    place: [u32; 3],
    message: &'a str,
}

impl<'a> WarningEntry<'a> {
    fn of(Diagnostic { code, loc, message }: &'a Diagnostic) -> WarningEntry<'a> {
        let Loc { line, column, byte } = *loc;
        WarningEntry {
            code: code.text(),
            place: [line, column, byte],
            message,
        }
    }

    fn warning(self) -> Option<Diagnostic> {
        let [line, column, byte] = self.place;
        let code = Code::ALL.iter().find(|code| code.text() == self.code)?;
        Some(Diagnostic {
            code: *code,
            loc: Loc { line, column, byte },
            message: self.message.to_string(),
        })
    }
}

/// Encodes a module.
pub(super) fn write_module(module: &CompiledModule) -> Option<Vec<u8>> {
    let CompiledModule {
        kernels,
        functions,
        // Times belong to this run, and no entry holds texts of vISA.
        read_seconds: _,
        visa: _,
        interface,
        warnings,
    } = module;
    let interface = match interface {
        Some(interface) => Some(serde_norway::to_string(interface).ok()?),
        None => None,
    };
    let warnings: Vec<WarningEntry> = warnings.iter().map(WarningEntry::of).collect();
    postcard::to_allocvec(&(kernels, functions, interface, warnings)).ok()
}

/// Decodes a module.
pub(super) fn read_module(bytes: &[u8]) -> Option<CompiledModule> {
    let (kernels, functions, interface, warnings): ModuleEntry =
        postcard::from_bytes(bytes).ok()?;
    Some(CompiledModule {
        kernels,
        functions,
        read_seconds: 0.0,
        visa: None,
        interface: match interface {
            Some(text) => Some(Interface::parse(text.as_bytes()).ok()?),
            None => None,
        },
        warnings: {
            let warnings = warnings.into_iter();
            warnings.map(WarningEntry::warning).collect::<Option<_>>()?
        },
    })
}

/// Encodes the groups of files that make one module each.
pub(super) fn write_groups<'a>(groups: impl Iterator<Item = &'a [usize]>) -> Option<Vec<u8>> {
    let number = |file: &usize| *file as u64;
    let groups = groups.map(|files| files.iter().map(number).collect());
    let groups: Vec<Vec<u64>> = groups.collect();
    postcard::to_allocvec(&groups).ok()
}

/// Decodes groups; `None` unless they hold each of the `files` files exactly once.
pub(super) fn read_groups(bytes: &[u8], files: usize) -> Option<Vec<Vec<usize>>> {
    let groups: Vec<Vec<u64>> = postcard::from_bytes(bytes).ok()?;
    let mut seen = vec![false; files];
    let mut known = Vec::with_capacity(groups.len());
    for group in groups {
        let mut numbers = Vec::with_capacity(group.len());
        for file in group {
            let file = usize::try_from(file).ok()?;
            let seen = seen.get_mut(file)?;
            if std::mem::replace(seen, true) {
                return None;
            }
            numbers.push(file);
        }
        if numbers.is_empty() {
            return None;
        }
        known.push(numbers);
    }
    seen.into_iter().all(|seen| seen).then_some(known)
}

#[cfg(test)]
#[path = "tests/entry.rs"]
mod tests;
