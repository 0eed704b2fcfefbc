//! Checks of an interface against a kernel's declarations and the limits of the hardware.

use std::ops::Range;

use kiln_emit::platform::{Payload, Platform};
use kiln_emit::prologue::ARGUMENTS_UNIT;

use super::data::{Argument, ImplicitKind, KernelInterface};
use super::places::{DIMENSIONS, Placed, Shared, What};
use crate::result::{Compiled, KernelInput};

/// Maximum number of binding table entries for buffers and images; higher ones are reserved.
const MAX_SURFACES: u32 = 240;
/// Maximum number of samplers of a kernel.
const MAX_SAMPLERS: u32 = 16;
/// Maximum bytes of shared local memory of a group.
const MAX_LOCAL_BYTES: u32 = 64 << 10;

/// An error in a kernel's interface.
#[derive(Debug, thiserror::Error)]
#[error("kernel {kernel}: {what}")]
pub struct InterfaceError {
    /// Name of the kernel.
    pub kernel: String,
    /// The fault, as one sentence.
    pub what: Fault,
}

/// The kinds of errors, without the kernel's name. A place is named by the value there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "each is documented by its message; offsets and sizes are in bytes"
)]
pub enum Fault {
    #[error("its interface is not given")]
    Missing,
    #[error("its interface is given twice")]
    Twice,
    #[error(
        "{what}: no .input covers bytes {offset} to {end}; only a value marked `unread` has none"
    )]
    Outside { what: String, offset: u32, end: u64 },
    #[error("{what} is marked `unread`, but .input {input} covers it")]
    Read { what: String, input: String },
    #[error("{what}: `stateless` is for a buffer with both an offset and a binding table index")]
    NotBoth { what: String },
    #[error("{first} and {second} overlap")]
    Overlap { first: String, second: String },
    #[error("the interface has no value for .input {input}, bytes {offset} to {end}")]
    Unfilled {
        input: String,
        offset: u32,
        end: u64,
    },
    #[error("local_ids at offset {found}: they follow the header, at {expected}")]
    LocalIds { found: u32, expected: u32 },
    #[error(
        "the attribute PerThreadInputSize says {found} bytes of local ids; those of the interface have {expected}"
    )]
    LoadedIds { found: u32, expected: u32 },
    #[error(
        "{what} at offset {offset}, to {end}: neither inline data nor in the bytes that the kernel loads, {} to {}",
        loaded.start,
        loaded.end
    )]
    NotLoaded {
        what: String,
        offset: u32,
        end: u64,
        loaded: Range<u32>,
    },
    #[error("{what} at offset {found}: the values that all threads share begin at {expected}")]
    BeforeShared {
        what: String,
        found: u32,
        expected: u32,
    },
    #[error("{what}: neither an offset nor a binding table index")]
    Nowhere { what: String },
    #[error("{what}: {found} is not below {limit}")]
    TooLarge {
        what: String,
        found: u32,
        limit: u32,
    },
    #[error("{what}: {found}")]
    Impossible { what: String, found: u32 },
    #[error("{first} and {second} have the same index {number}")]
    SameNumber {
        first: String,
        second: String,
        number: u32,
    },
    #[error("the meaning of .input {0} is unknown: an interface must give it (see --interface)")]
    Unknown(String),
}

impl KernelInterface {
    /// Checks the places against the declarations. Returns the places of values that all threads share.
    pub(super) fn check_places<'a>(
        &self,
        kernel: &'a Compiled,
        platform: &Platform,
    ) -> Result<Shared<'a>, Fault> {
        let Compiled { inputs, loads, .. } = kernel;
        let mut placed = self.placed(u32::from(kernel.simd), platform.grf_bytes);
        placed.sort_by_key(|one| one.offset);
        let shared = shared_values(&mut placed, kernel, platform)?;
        // Each used dimension of the local ids has an input of its own.
        for one in placed.iter().filter(|one| !is_ids(one)) {
            check_value(one, &shared, inputs)?;
        }
        for pair in placed.windows(2) {
            if pair[0].end() > u64::from(pair[1].offset) {
                return Err(Fault::Overlap {
                    first: pair[0].what.to_string(),
                    second: pair[1].what.to_string(),
                });
            }
        }
        // A thread's local ids follow the arguments, so that both sides need the same end.
        if let Some(last) = placed.iter().max_by_key(|one| one.end()) {
            let has = last.end().next_multiple_of(ARGUMENTS_UNIT.into());
            if !loads.arguments.is_empty() && has != u64::from(loads.arguments.end) {
                return Err(not_loaded(last, &shared));
            }
        }
        let unfilled = |input: &&KernelInput| !placed.iter().any(|one| meets(one, input));
        match inputs.iter().find(unfilled) {
            None => Ok(shared),
            Some(input) => Err(Fault::Unfilled {
                input: input.name.clone(),
                offset: input.offset,
                end: end(input),
            }),
        }
    }

    /// Checks indices and sizes against each other and against the hardware's limits.
    pub(super) fn check_numbers(&self) -> Result<(), Fault> {
        let mut surfaces: Vec<(u32, usize)> = Vec::new();
        let mut samplers: Vec<(u32, usize)> = Vec::new();
        let below = |what: String, found: u32, limit: u32| match found < limit {
            true => Ok(()),
            false => Err(Fault::TooLarge { what, found, limit }),
        };
        below(
            "local_memory".to_string(),
            self.local_memory,
            MAX_LOCAL_BYTES + 1,
        )?;
        if self.group_size.is_some_and(|size| size.contains(&0)) {
            return Err(Fault::Impossible {
                what: "group_size".to_string(),
                found: 0,
            });
        }
        for (number, argument) in self.arguments.iter().enumerate() {
            let what = || What::Argument(number).to_string();
            match *argument {
                Argument::Buffer {
                    offset: None,
                    bti: None,
                    ..
                } => return Err(Fault::Nowhere { what: what() }),
                Argument::Buffer {
                    offset,
                    bti,
                    stateless: true,
                    ..
                } if offset.is_none() || bti.is_none() => {
                    return Err(Fault::NotBoth { what: what() });
                }
                Argument::Buffer { bti: Some(bti), .. } | Argument::Image { bti, .. } => {
                    below(format!("{}: bti", what()), bti, MAX_SURFACES)?;
                    surfaces.push((bti, number));
                }
                Argument::Sampler { index } => {
                    below(format!("{}: index", what()), index, MAX_SAMPLERS)?;
                    samplers.push((index, number));
                }
                Argument::Local {
                    size, alignment, ..
                } => {
                    if size != 4 && size != 8 {
                        return Err(Fault::Impossible {
                            what: format!("{}: size of an address", what()),
                            found: size,
                        });
                    }
                    if !alignment.is_power_of_two() {
                        return Err(Fault::Impossible {
                            what: format!("{}: alignment", what()),
                            found: alignment,
                        });
                    }
                }
                Argument::Buffer { .. } | Argument::Value { .. } => {}
            }
        }
        for numbers in [&mut surfaces, &mut samplers] {
            numbers.sort_unstable();
            if let Some(pair) = numbers.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(Fault::SameNumber {
                    first: What::Argument(pair[0].1).to_string(),
                    second: What::Argument(pair[1].1).to_string(),
                    number: pair[0].0,
                });
            }
        }
        Ok(())
    }
}

fn is_ids(one: &Placed) -> bool {
    matches!(one.what, What::Implicit(ImplicitKind::LocalIds))
}

/// End of an input in bytes.
fn end(input: &KernelInput) -> u64 {
    u64::from(input.offset) + u64::from(input.size)
}

/// True if a value and an input overlap.
fn meets(one: &Placed, input: &KernelInput) -> bool {
    u64::from(one.offset) < end(input) && u64::from(input.offset) < one.end()
}

fn not_loaded(one: &Placed, shared: &Shared) -> Fault {
    Fault::NotLoaded {
        what: one.what.to_string(),
        offset: one.offset,
        end: one.end(),
        loaded: shared.loaded.clone(),
    }
}

/// Places of the values that all threads share, after the local ids. These get the size that the kernel loads.
fn shared_values<'a>(
    placed: &mut [Placed],
    kernel: &'a Compiled,
    platform: &Platform,
) -> Result<Shared<'a>, Fault> {
    let (loads, grf_bytes) = (&kernel.loads, platform.grf_bytes);
    let in_memory = platform.payload == Payload::Memory;
    // In registers, an unused one takes the place of absent local ids.
    let mut start = if in_memory { grf_bytes } else { 2 * grf_bytes };
    let mut id_bytes = 0;
    if let Some(ids) = placed.iter_mut().find(|one| is_ids(one)) {
        if ids.offset != grf_bytes {
            return Err(Fault::LocalIds {
                found: ids.offset,
                expected: grf_bytes,
            });
        }
        if in_memory && kernel.simd != 1 {
            // The kernel may load fewer dimensions.
            let each = ids.size / DIMENSIONS;
            ids.size = loads.ids.clamp(each, ids.size);
        }
        id_bytes = ids.size;
        start = grf_bytes + id_bytes.next_multiple_of(grf_bytes);
    }
    if in_memory && id_bytes.next_multiple_of(grf_bytes) != loads.ids {
        return Err(Fault::LoadedIds {
            found: loads.ids,
            expected: id_bytes,
        });
    }
    Ok(Shared {
        id_bytes,
        start,
        inline: platform.inline_bytes,
        arrived: match platform.payload {
            Payload::Registers => u64::MAX,
            Payload::Memory => u64::from(start) + u64::from(platform.inline_bytes),
        },
        loaded: &loads.arguments,
    })
}

/// Checks that a value arrives, and that the inputs there are as it says.
fn check_value(one: &Placed, shared: &Shared, inputs: &[KernelInput]) -> Result<(), Fault> {
    let what = || one.what.to_string();
    if one.size == 0 {
        return Err(Fault::Impossible {
            what: format!("{}: size", one.what),
            found: 0,
        });
    }
    if one.offset < shared.start {
        return Err(Fault::BeforeShared {
            what: what(),
            found: one.offset,
            expected: shared.start,
        });
    }
    if !shared.has(one) {
        return Err(not_loaded(one, shared));
    }
    let mut met = inputs.iter().filter(|input| meets(one, input)).peekable();
    if one.unread {
        return match met.next() {
            None => Ok(()),
            Some(input) => Err(Fault::Read {
                what: what(),
                input: input.name.clone(),
            }),
        };
    }
    let within = |input: &KernelInput| input.offset <= one.offset && one.end() <= end(input);
    // A value that the kernel reads in parts has an input for each part.
    let part = |input: &KernelInput| one.offset <= input.offset && end(input) <= one.end();
    if met.peek().is_none() || !met.all(|input| within(input) || part(input)) {
        return Err(Fault::Outside {
            what: what(),
            offset: one.offset,
            end: one.end(),
        });
    }
    Ok(())
}
