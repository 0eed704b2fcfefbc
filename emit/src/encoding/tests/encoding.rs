use super::*;
use crate::inst::RegFile;
use crate::platform::PLATFORMS;

#[test]
fn opcodes_are_distinct() {
    for platform in PLATFORMS {
        let spec = spec(platform);
        for (i, a) in spec.ops.iter().enumerate() {
            for b in &spec.ops[i + 1..] {
                assert!(
                    a.code != b.code && a.op != b.op,
                    "{:?} and {:?}",
                    a.op,
                    b.op
                );
            }
        }
    }
}

#[test]
fn arf_numbers_do_not_overlap() {
    for platform in PLATFORMS {
        for (i, a) in spec(platform).arf.iter().enumerate() {
            assert!(a.base + a.count <= 16, "{:?}", a.file);
            assert_ne!(a.file, RegFile::Grf);
            for b in &spec(platform).arf[i + 1..] {
                let apart = a.base + a.count <= b.base || b.base + b.count <= a.base;
                assert!(a.code != b.code || apart, "{:?} and {:?}", a.file, b.file);
            }
        }
    }
}
