//! Code for a given address, as a driver puts it into memory.
//!
//! Takes a compiled module and a base address. Gives the bytes: kernels, and functions that are called by address,
//! each aligned so that threads can start there, with all relocations resolved. Zeroes follow the last one, because
//! the hardware prefetches beyond the end. The layout of the image does not depend on its address.
//!
//! Addresses are instruction pointers: on Gen they count from the Instruction Base Address that the driver sets.

use std::collections::HashMap;

use kiln_emit::assemble::{Relocation as Place, RelocationKind, TEXT_ALIGN, TEXT_PADDING};
use kiln_machine::func::Entered;

use crate::result::Compiled;
use crate::result::CompiledModule;

/// Alignment of functions in bytes: that of compacted instructions, since padding between functions would be decoded.
pub(crate) const FUNCTION_ALIGN: usize = 8;

/// A module's code at its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Address of the first byte.
    pub base: u64,
    /// The code, with all symbols resolved.
    pub bytes: Vec<u8>,
    /// Kernels, and functions that are called by address, in the order of [`CompiledModule::parts`].
    pub entries: Vec<Entry>,
}

/// A kernel or function of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name of the kernel or function.
    pub name: String,
    /// Offset in the image, in bytes.
    pub offset: usize,
    /// Bytes of its code, including the functions that it calls by name.
    pub size: usize,
}

impl Image {
    /// The address of a kernel or function.
    pub fn address(&self, name: &str) -> Option<u64> {
        let entry = self.entries.iter().find(|entry| entry.name == name)?;
        Some(self.base + entry.offset as u64)
    }
}

/// Reasons why code cannot be loaded at an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "each is documented by its message; addresses and sizes are in bytes"
)]
pub enum LoadError {
    #[error("the address {0:#x} is no multiple of {TEXT_ALIGN}")]
    Align(u64),
    #[error("{size} bytes from {base:#x} on are beyond the last address")]
    End { base: u64, size: usize },
    /// Each symbol once, in the order of the code.
    #[error("no address is known of {}", .0.join(", "))]
    Unknown(Vec<String>),
    #[error("{from} calls {symbol} at {address:#x}, which is too far away for a call by distance")]
    Far {
        from: String,
        symbol: String,
        address: u64,
    },
}

impl CompiledModule {
    /// Places in an image, which do not depend on its address, in the order of [`CompiledModule::parts`].
    pub fn layout(&self) -> Vec<Entry> {
        let mut end = 0;
        let place = |part: &Compiled| {
            let align = match part.entered {
                Entered::Dispatched => TEXT_ALIGN,
                Entered::JumpedTo | Entered::Called | Entered::Subroutine => FUNCTION_ALIGN,
            };
            let (offset, size) = (usize::next_multiple_of(end, align), part.code.len());
            end = offset + size;
            Entry {
                name: part.name.clone(),
                offset,
                size,
            }
        };
        self.parts().map(place).collect()
    }

    /// Size of an image in bytes.
    pub fn image_size(&self) -> usize {
        let end = self
            .layout()
            .last()
            .map_or(0, |last| last.offset + last.size);
        (end + TEXT_PADDING).next_multiple_of(TEXT_ALIGN)
    }

    /// The module's code for `base`, a multiple of 64. `resolve` gives the addresses of symbols that the module does
    /// not define, such as variables and functions of other modules; it is asked once for each.
    ///
    /// ```
    /// # use kiln_compile::{Input, Options, Session, find_platform};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/saxpy/saxpy.visaasm");
    /// # let session = Session::new(Options::new(find_platform("skl").ok_or("no such platform")?));
    /// # let module = session.compile_module(&[Input { name: "saxpy", bytes: &std::fs::read(path)? }])?;
    /// let image = module.load_at(0x1_0000, |symbol| match symbol {
    ///     "table" => Some(0xffff_8000_0000_1000),
    ///     _ => None,
    /// })?;
    /// assert_eq!(image.address("saxpy"), Some(0x1_0000));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The address is not aligned or out of range, a symbol has no address, or a symbol that is called by distance is
    /// too far away.
    pub fn load_at(
        &self,
        base: u64,
        mut resolve: impl FnMut(&str) -> Option<u64>,
    ) -> Result<Image, LoadError> {
        let (entries, size) = (self.layout(), self.image_size());
        if !base.is_multiple_of(TEXT_ALIGN as u64) {
            return Err(LoadError::Align(base));
        }
        if base.checked_add(size as u64).is_none() {
            return Err(LoadError::End { base, size });
        }
        let own = entries.iter();
        let own = own.map(|entry| (entry.name.as_str(), Some(base + entry.offset as u64)));
        let mut known: HashMap<&str, Option<u64>> = own.collect();
        let mut unknown = Vec::new();
        for relocation in self.parts().flat_map(|part| &part.relocations) {
            known.entry(&relocation.symbol).or_insert_with(|| {
                let address = resolve(&relocation.symbol);
                if address.is_none() {
                    unknown.push(relocation.symbol.clone());
                }
                address
            });
        }
        if !unknown.is_empty() {
            return Err(LoadError::Unknown(unknown));
        }
        let mut bytes = vec![0; size];
        for (part, entry) in self.parts().zip(&entries) {
            let code = &mut bytes[entry.offset..entry.offset + entry.size];
            code.copy_from_slice(&part.code);
            let base = base + entry.offset as u64;
            for relocation in &part.relocations {
                let Some(Some(address)) = known.get(relocation.symbol.as_str()) else {
                    continue;
                };
                let place = Place {
                    offset: relocation.offset,
                    kind: relocation.kind,
                    symbol: 0,
                };
                let distance = place.value(base, *address).cast_signed();
                if place.kind == RelocationKind::Distance && i32::try_from(distance).is_err() {
                    return Err(LoadError::Far {
                        from: part.name.clone(),
                        symbol: relocation.symbol.clone(),
                        address: *address,
                    });
                }
                place.apply(code, base, *address);
            }
        }
        Ok(Image {
            base,
            bytes,
            entries,
        })
    }
}
