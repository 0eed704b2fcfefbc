//! Arbitrary bytes are decoded, encoded, listed and verified without a panic, on every platform.

use kiln_emit::encoding::{DecodeError, EncodeError, decode, encode};
use kiln_emit::inst::Inst;
use kiln_emit::listing::{Style, entries, list};
use kiln_emit::platform::{PLATFORMS, Platform};
use kiln_emit::verify::{Violation, verify};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::sync::OnceLock;

/// Outcomes for sixteen random bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Outcome {
    decoded: bool,
    /// True if they also keep all rules.
    legal: bool,
}

/// Encodes a decoded instruction. A compact form may carry bits that the instruction lacks; the instruction itself
/// then need not have a compact form.
fn encode_again(inst: &mut Inst, platform: &Platform) -> Vec<u8> {
    match encode(inst, platform) {
        Ok(encoded) => encoded.as_bytes().to_vec(),
        Err(EncodeError::NotCompactable) if inst.opts.compacted => {
            inst.opts.compacted = false;
            encode(inst, platform)
                .expect("the long form exists")
                .as_bytes()
                .to_vec()
        }
        Err(error) => panic!("{inst:?} decodes but does not encode: {error}"),
    }
}

/// True if a line reports undecodable bytes with a reason.
fn is_refused(line: &str) -> bool {
    let line = line.trim_start();
    let reason = line
        .strip_prefix("illegal // ")
        .or_else(|| line.strip_prefix("illegal {Compacted} // "));
    // The operation `illegal` has its bytes alone.
    reason.is_some_and(|reason| !reason.starts_with("bytes "))
}

fn check(bytes: &[u8; 16], platform: &'static Platform) -> Outcome {
    let listing = list(bytes, platform, Style::Numeric);
    let first = listing.lines().next().unwrap_or_default();
    let decoded = decode(bytes, platform);
    let Ok(mut inst) = decoded else {
        assert!(is_refused(first), "{first}");
        return Outcome::default();
    };
    assert!(!is_refused(first), "{first}: {inst:?}");

    // Decoding depends on the bytes of the instruction only.
    let size = inst.size() as usize;
    assert_eq!(decode(&bytes[..size], platform).as_ref(), Ok(&inst));
    let short = decode(&bytes[..size - 1], platform);
    assert!(
        matches!(short, Err(DecodeError::Truncated { .. })),
        "{short:?}"
    );

    let verdict = verify(&inst, platform);
    let again = encode_again(&mut inst, platform);
    let same = decode(&again, platform);
    assert_eq!(same.as_ref(), Ok(&inst));
    let twice = encode_again(&mut inst, platform);
    assert_eq!(again, twice, "{inst:?}");
    // The verdict does not depend on the form.
    assert_eq!(verify(&inst, platform), verdict, "{inst}");
    inst.opts.compacted = false;
    assert_eq!(verify(&inst, platform), verdict, "{inst}");
    if verdict.is_ok() {
        broken_is_refused(&inst, platform);
    }
    Outcome {
        decoded: true,
        legal: verdict.is_ok(),
    }
}

/// A valid instruction becomes invalid on impossible channels.
fn broken_is_refused(inst: &Inst, platform: &Platform) {
    let mut broken = inst.clone();
    broken.exec_size = 3;
    assert_eq!(verify(&broken, platform), Err(Violation::ExecSize(3)));
    (broken.exec_size, broken.chan_off) = (16, 8);
    let channels = Violation::Channels {
        offset: 8,
        size: 16,
    };
    assert_eq!(verify(&broken, platform), Err(channels), "{inst}");
}

/// Bytes that decode more often than random ones: few bits are set besides the opcode.
fn likely() -> impl Strategy<Value = [u8; 16]> {
    (any::<u8>(), any::<u128>(), any::<u128>(), any::<u128>()).prop_map(|(op, a, b, c)| {
        let word = (a & b & c) & !0x7f | u128::from(op & 0x7f);
        word.to_le_bytes()
    })
}

/// A real instruction with a few bits flipped.
pub fn near() -> impl Strategy<Value = (&'static Platform, [u8; 16])> {
    let flips = proptest::collection::vec(0u32..128, 0..4);
    (0..PLATFORMS.len(), any::<usize>(), flips).prop_map(|(platform, place, flips)| {
        let all = &real()[platform];
        let mut word = u128::from_le_bytes(all[place % all.len()]);
        for at in flips {
            word ^= 1 << at;
        }
        (&PLATFORMS[platform], word.to_le_bytes())
    })
}

/// The fixtures' instructions for each platform, compact ones padded with zeros.
fn real() -> &'static [Vec<[u8; 16]>] {
    static REAL: OnceLock<Vec<Vec<[u8; 16]>>> = OnceLock::new();
    REAL.get_or_init(|| PLATFORMS.iter().map(instructions).collect())
}

fn instructions(platform: &'static Platform) -> Vec<[u8; 16]> {
    let mut all = Vec::new();
    let family = PLATFORMS.iter().filter(|p| p.family == platform.family);
    for name in family.map(|p| p.name) {
        for code in kiln_corpus::machine_code(name).into_iter().map(|m| m.code) {
            for entry in entries(&code, platform) {
                let mut bytes = [0; 16];
                let piece = &code[entry.offset as usize..][..entry.len as usize];
                bytes[..piece.len()].copy_from_slice(piece);
                all.push(bytes);
            }
        }
    }
    assert!(all.len() > 100, "only {} for {}", all.len(), platform.name);
    all
}

fn platform() -> impl Strategy<Value = &'static Platform> {
    (0..PLATFORMS.len()).prop_map(|n| &PLATFORMS[n])
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(8192)
    })]

    #[test]
    fn random_bytes_decode_and_encode(platform in platform(), bytes in any::<[u8; 16]>()) {
        check(&bytes, platform);
    }

    #[test]
    fn likely_bytes_decode_and_encode(platform in platform(), bytes in likely()) {
        check(&bytes, platform);
    }

    #[test]
    fn bytes_near_real_ones_decode_and_encode((platform, bytes) in near()) {
        check(&bytes, platform);
    }

    /// Entries are adjacent up to the padding of zeros, and each has its line.
    #[test]
    fn any_length_lists(
        platform in platform(),
        bytes in proptest::collection::vec(prop_oneof![Just(0), any::<u8>()], 0..80),
    ) {
        let mut end = 0;
        let mut count = 0;
        for entry in entries(&bytes, platform) {
            prop_assert_eq!(entry.offset as usize, end);
            end += entry.len as usize;
            count += 1;
        }
        let rest = &bytes[end..];
        prop_assert!(rest.len() < 16 && rest.iter().all(|byte| *byte == 0), "{:?}", rest);
        let listing = list(&bytes, platform, Style::Numeric);
        prop_assert_eq!(listing.lines().count(), count);
        // Labels have lines of their own, and instructions only one or two.
        let labels = list(&bytes, platform, Style::Labels);
        let instructions = labels.lines().filter(|line| !line.trim_end().ends_with(':'));
        prop_assert_eq!(instructions.count(), count, "{}", labels);
    }
}

/// A compact form with bits that its instruction lacks, found by fuzzing.
#[test]
fn a_redundant_short_form_comes_back_long() {
    let bytes = [93, 33, 1, 2, 0, 128, 0, 0, 64, 4, 34, 0, 64, 128, 64, 0];
    for platform in PLATFORMS {
        check(&bytes, platform);
    }
}

/// The generators are useful: of a thousand inputs, enough decode and enough keep all rules.
#[test]
fn a_good_part_decodes_and_some_is_legal() {
    let mut runner = TestRunner::deterministic();
    let mut count = |check: &mut dyn FnMut(&mut TestRunner) -> Outcome| {
        let mut counts = (0, 0);
        for _ in 0..1000 {
            let outcome = check(&mut runner);
            counts.0 += u32::from(outcome.decoded);
            counts.1 += u32::from(outcome.legal);
        }
        counts
    };
    for platform in PLATFORMS {
        let (decoded, legal) = count(&mut |runner| {
            let bytes = likely().new_tree(runner).expect("bytes").current();
            check(&bytes, platform)
        });
        let seen = (platform.name, decoded, legal);
        assert!(decoded > 50 && legal > 5 && legal < decoded, "{seen:?}");
    }
    let (decoded, legal) = count(&mut |runner| {
        let (platform, bytes) = near().new_tree(runner).expect("bytes").current();
        check(&bytes, platform)
    });
    assert!(
        decoded > 700 && legal > 400 && legal < decoded,
        "{decoded}, {legal}"
    );
}
