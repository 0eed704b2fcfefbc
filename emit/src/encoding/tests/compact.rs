use super::*;
use crate::platform::PLATFORMS;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(20_000)
    })]

    /// An expanded instruction has a compact form that expands to the same.
    #[test]
    fn what_expands_shrinks(platform in 0..PLATFORMS.len(), bits: u64, op: usize) {
        let spec = spec(&PLATFORMS[platform]);
        let code = spec.ops[op % spec.ops.len()].code;
        let field = spec.align1.header.opcode.mask() | spec.align1.header.compact.mask();
        let fixed = spec.align1.header.opcode.place(code.into())
            | spec.align1.header.compact.place(1);
        let short = bits & !(field as u64) | fixed as u64;
        if let Ok(word) = expand(short, spec) {
            let again = shrink(word, spec).expect("a short form");
            prop_assert_eq!(expand(again, spec), Ok(word), "{:#x} and {:#x}", short, again);
        }
    }

    /// An instruction with one bit changed has a compact form that expands to the same, or none.
    #[test]
    fn what_shrinks_expands(
        platform in 0..PLATFORMS.len(),
        bits: u64,
        op: usize,
        flip in 0u32..128,
    ) {
        let spec = spec(&PLATFORMS[platform]);
        let code = spec.ops[op % spec.ops.len()].code;
        let short = bits & !(spec.align1.header.opcode.mask() as u64) | u64::from(code);
        if let Ok(word) = expand(short, spec) {
            let other = word ^ 1 << flip;
            if let Some(short) = shrink(other, spec) {
                prop_assert_eq!(expand(short, spec), Ok(other));
            }
        }
    }
}
