//! Decoding, listing and verifying whatever bytes there are.

use kiln_emit::encoding::{EncodeError, decode, encode};
use kiln_emit::inst::Inst;
use kiln_emit::listing::{Style, list};
use kiln_emit::platform::{Platform, find};
use kiln_emit::verify::verify;
use proptest::prelude::*;

fn platform() -> &'static Platform {
    find("skl").expect("the platform is known")
}

/// Encodes what was decoded. A short form may carry bits that the instruction does not have, and
/// then its own bits alone need not have a short form.
fn encode_again(inst: &mut Inst) -> Vec<u8> {
    match encode(inst, platform()) {
        Ok(encoded) => encoded.as_bytes().to_vec(),
        Err(EncodeError::NotCompactable) if inst.opts.compacted => {
            inst.opts.compacted = false;
            encode(inst, platform())
                .expect("the long form exists")
                .as_bytes()
                .to_vec()
        }
        Err(error) => panic!("{inst:?} decodes but does not encode: {error}"),
    }
}

/// Bytes that are an instruction more often than chance has it: a code from all opcodes, and few
/// other bits set.
fn likely() -> impl Strategy<Value = [u8; 16]> {
    (any::<u8>(), any::<u128>(), any::<u128>(), any::<u128>()).prop_map(|(op, a, b, c)| {
        let word = (a & b & c) & !0x7f | u128::from(op & 0x7f);
        word.to_le_bytes()
    })
}

fn check(bytes: [u8; 16]) -> bool {
    let listing = list(&bytes, platform(), Style::Labels);
    assert!(!listing.is_empty());
    let Ok(mut inst) = decode(&bytes, platform()) else {
        return false;
    };
    // Any verdict is fine.
    let _ = verify(&inst, platform());
    let _ = inst.to_string();
    let again = encode_again(&mut inst);
    assert_eq!(decode(&again, platform()).as_ref(), Ok(&inst));
    true
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(4096)
    })]

    #[test]
    fn random_bytes_decode_and_encode(bytes in any::<[u8; 16]>()) {
        check(bytes);
    }

    #[test]
    fn likely_bytes_decode_and_encode(bytes in likely()) {
        check(bytes);
    }

    #[test]
    fn truncated_bytes_list(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        let listing = list(&bytes, platform(), Style::Labels);
        prop_assert!(listing.lines().count() <= bytes.len() / 8 + bytes.len() + 2);
    }
}

#[test]
fn a_good_part_of_likely_bytes_decodes() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut decoded = 0;
    for _ in 0..2000 {
        let tree = likely().new_tree(&mut runner).expect("bytes");
        decoded += usize::from(check(tree.current()));
    }
    assert!(decoded > 200, "only {decoded} of 2000");
}
