//! What messages ask of shared functions, in words for listings.
//!
//! Takes a shared function's name in listings and a constant message descriptor; says which message
//! it is, of what size and on which surface. Names follow the public programmer's reference
//! manuals, vol. 2d ("Shared Functions") and vol. 7. What is not in the tables is said by number.

use std::fmt::Write;

use crate::encoding::family_spec;
use crate::platform::Family;

/// A part of a descriptor that tells messages of one function apart.
struct Kinds {
    functions: &'static [&'static str],
    /// Lowest bit and width of the message type.
    at: (u32, u32),
    names: &'static [(u32, &'static str)],
    /// Bits 0-7 are the surface's index in the binding table.
    surface: bool,
}

const KINDS: &[Kinds] = &[
    Kinds {
        functions: &["dc0", "hdc.dc0", "hdc.dcro"],
        at: (14, 5),
        names: &[
            (0x00, "oword block read"),
            (0x01, "unaligned oword block read"),
            (0x02, "oword dual block read"),
            (0x03, "dword scattered read"),
            (0x04, "byte scattered read"),
            (0x07, "memory fence"),
            (0x08, "oword block write"),
            (0x0a, "oword dual block write"),
            (0x0b, "dword scattered write"),
            (0x0c, "byte scattered write"),
        ],
        surface: true,
    },
    Kinds {
        functions: &["dc1", "hdc.dc1"],
        at: (14, 5),
        names: &[
            (0x01, "untyped surface read"),
            (0x02, "untyped atomic"),
            (0x04, "media block read"),
            (0x05, "typed surface read"),
            (0x06, "typed atomic"),
            (0x09, "untyped surface write"),
            (0x0a, "media block write"),
            (0x0d, "typed surface write"),
            (0x10, "a64 scattered read"),
            (0x11, "a64 untyped surface read"),
            (0x12, "a64 untyped atomic"),
            (0x14, "a64 block read"),
            (0x15, "a64 block write"),
            (0x19, "a64 untyped surface write"),
            (0x1a, "a64 scattered write"),
            (0x1b, "untyped float atomic"),
            (0x1d, "a64 untyped float atomic"),
        ],
        surface: true,
    },
    Kinds {
        functions: &["smpl", "sampler"],
        at: (12, 5),
        names: &[
            (0x00, "sample"),
            (0x01, "sample_b"),
            (0x02, "sample_l"),
            (0x03, "sample_c"),
            (0x04, "sample_d"),
            (0x05, "sample_b_c"),
            (0x06, "sample_l_c"),
            (0x07, "ld"),
            (0x08, "gather4"),
            (0x09, "lod"),
            (0x0a, "resinfo"),
            (0x0b, "sampleinfo"),
            (0x10, "gather4_c"),
            (0x18, "sample_lz"),
            (0x19, "sample_c_lz"),
            (0x1a, "ld_lz"),
            (0x1c, "ld2dms_w"),
            (0x1d, "ld_mcs"),
        ],
        surface: true,
    },
    Kinds {
        functions: &["gtwy", "gateway"],
        at: (0, 3),
        names: &[
            (0, "open gateway"),
            (1, "close gateway"),
            (2, "forward message"),
            (4, "barrier"),
            (5, "named barrier"),
            (6, "end of thread"),
        ],
        surface: false,
    },
];

/// The functions that load and store by address.
const LOAD_STORE: &[&str] = &["ugm", "ugml", "slm", "tgm"];

const LOAD_STORE_NAMES: &[(u32, &str)] = &[
    (0, "load"),
    (2, "load quad"),
    (3, "load block 2d"),
    (4, "store"),
    (6, "store quad"),
    (7, "store block 2d"),
    (8, "atomic increment"),
    (9, "atomic decrement"),
    (10, "atomic load"),
    (11, "atomic store"),
    (12, "atomic add"),
    (13, "atomic subtract"),
    (14, "atomic signed minimum"),
    (15, "atomic signed maximum"),
    (16, "atomic unsigned minimum"),
    (17, "atomic unsigned maximum"),
    (18, "atomic compare and exchange"),
    (19, "atomic float add"),
    (20, "atomic float subtract"),
    (21, "atomic float minimum"),
    (22, "atomic float maximum"),
    (23, "atomic float compare and exchange"),
    (24, "atomic and"),
    (25, "atomic or"),
    (26, "atomic xor"),
    (31, "fence"),
];

const FENCE: u32 = 31;
/// What an element is in memory and, where they differ, in the register.
const ELEMENTS: [&str; 8] = [
    "d8", "d16", "d32", "d64", "d8u32", "d16u32", "d16u32h", "d?",
];
const VECTORS: [u32; 8] = [1, 2, 3, 4, 8, 16, 32, 64];
const ADDRESSES: [&str; 4] = ["a?", "a16", "a32", "a64"];
const SURFACES: [&str; 4] = ["flat", "bindless", "surface state", "binding table"];

/// A message in words: the shared function of that number, and what the descriptor asks of it.
pub fn message_name(family: Family, sfid: u8, desc: u32) -> String {
    let function = family_spec(family).functions[usize::from(sfid & 15)];
    let mut words = function.to_string();
    describe(function, desc, &mut words);
    words
}

/// Appends what the descriptor says to that function.
pub(crate) fn describe(function: &str, desc: u32, out: &mut String) {
    if LOAD_STORE.contains(&function) {
        load_store(desc, out);
        return;
    }
    let Some(kinds) = KINDS.iter().find(|k| k.functions.contains(&function)) else {
        return;
    };
    let kind = desc >> kinds.at.0 & ((1 << kinds.at.1) - 1);
    name(kinds.names, kind, out);
    if kinds.surface {
        push(out, format_args!(" on surface {}", desc & 0xff));
    }
}

fn name(names: &[(u32, &str)], kind: u32, out: &mut String) {
    match names.iter().find(|(number, _)| *number == kind) {
        Some((_, name)) => push(out, format_args!(", {name}")),
        None => push(out, format_args!(", message {kind:#x}")),
    }
}

fn load_store(desc: u32, out: &mut String) {
    let field = |low: u32, width: u32| desc >> low & ((1 << width) - 1);
    let kind = field(0, 6);
    name(LOAD_STORE_NAMES, kind, out);
    if kind == FENCE {
        return;
    }
    let transposed = if field(15, 1) != 0 { "t" } else { "" };
    push(
        out,
        format_args!(
            " {}x{}{transposed}, {} {}",
            ELEMENTS[field(9, 3) as usize],
            VECTORS[field(12, 3) as usize],
            ADDRESSES[field(7, 2) as usize],
            SURFACES[field(29, 2) as usize],
        ),
    );
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::describe;

    fn words(function: &str, desc: u32) -> String {
        let mut out = String::new();
        describe(function, desc, &mut out);
        out
    }

    #[test]
    fn messages_are_named() {
        assert_eq!(
            words("ugm", 0x6229_e500),
            ", load d32x32t, a32 binding table"
        );
        assert_eq!(words("ugm", 0x0210_001f), ", fence");
        assert_eq!(
            words("dc1", 0x0420_5e03),
            ", untyped surface read on surface 3"
        );
        assert_eq!(
            words("hdc.dc0", 0x000a_02ff),
            ", oword block write on surface 255"
        );
        assert_eq!(words("gtwy", 0x0200_0004), ", barrier");
        assert_eq!(words("smpl", 0x0001_e000), ", message 0x1e on surface 0");
        assert_eq!(words("urb", 0), "");
    }
}
