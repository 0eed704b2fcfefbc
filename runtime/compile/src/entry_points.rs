//! Kernels of a program by its SPIR-V (SPIR-V specification, "Physical Layout" and "Mode-Setting Instructions").
//!
//! The front half of the reference compiler leaves some kernels out of an object file with vISA alone, and says that it succeeded. The
//! SPIR-V beside it has them.

use std::collections::HashSet;

use kiln_emit::zebin::{SPIRV, Zebin};

/// First word of a module, and the number of words of its header.
const MAGIC: u32 = 0x0723_0203;
const HEADER: usize = 5;
/// `OpEntryPoint`, its execution model for kernels, and `OpFunction`, which comes after all of them.
const ENTRY_POINT: u32 = 15;
const KERNEL: u32 = 6;
const FUNCTION: u32 = 54;

/// Kernels of the SPIR-V in an object file that the object file does not have.
pub fn absent(zebin: &Zebin) -> Vec<String> {
    let present: HashSet<&str> = zebin.kernels.iter().map(|k| k.name.as_str()).collect();
    let spirv = zebin.others.iter().filter(|section| section.kind == SPIRV);
    let all = spirv.flat_map(|section| kernels(&section.data));
    all.filter(|name| !present.contains(name.as_str()))
        .collect()
}

/// Names of the kernels of a module; none for other contents.
fn kernels(module: &[u8]) -> Vec<String> {
    let words = module.as_chunks::<4>().0.iter();
    let words: Vec<u32> = words.map(|word| u32::from_le_bytes(*word)).collect();
    let mut found = Vec::new();
    if words.first() != Some(&MAGIC) {
        return found;
    }
    let mut rest = words.get(HEADER..).unwrap_or_default();
    while let Some(first) = rest.first() {
        let (count, opcode) = ((first >> 16) as usize, first & 0xffff);
        let Some((instruction, after)) = rest.split_at_checked(count.max(1)) else {
            break;
        };
        rest = after;
        match (opcode, instruction) {
            (FUNCTION, _) => break,
            (ENTRY_POINT, [_, KERNEL, _, name @ ..]) => {
                let bytes = name.iter().flat_map(|word| word.to_le_bytes());
                let bytes = bytes.take_while(|byte| *byte != 0).collect();
                found.extend(String::from_utf8(bytes));
            }
            _ => {}
        }
    }
    found
}
