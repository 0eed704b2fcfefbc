//! Every example in every number of registers.

mod common;

use std::path::Path;

use common::{allocated, compile, with_selected};
use kiln_emit::inst::{Place, RegFile};
use kiln_frontend::text;
use kiln_isel::lower::RESERVED_GRF;
use kiln_regalloc::{AllocError, FEWEST_UNITS, UNIT_GRFS};

/// Names and texts.
fn examples() -> Vec<(String, String)> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut examples = Vec::new();
    for dir in std::fs::read_dir(all)
        .expect("the examples")
        .map(|e| e.expect("an entry").path())
    {
        let Some(name) = dir.file_name().filter(|_| dir.is_dir()) else {
            continue;
        };
        let source =
            std::fs::read_to_string(dir.join(name).with_extension("visaasm")).expect("vISA text");
        let name = name.to_string_lossy().into_owned();
        examples.push((name, source));
    }
    assert!(
        examples.len() >= 14,
        "only {} examples found",
        examples.len()
    );
    examples
}

#[test]
fn every_allocation_is_proved_and_stays_within_the_limit() {
    for (name, source) in examples() {
        let module = text::parse(&source).expect("a module");
        with_selected(&module.objects[0], |func| {
            let mut spills = Vec::new();
            for limit in (24..=128).step_by(8) {
                let allocated =
                    allocated(func, limit).unwrap_or_else(|e| panic!("{name} in {limit}: {e}"));
                let kept = |grf: u32| {
                    grf >= RESERVED_GRF || func.reserved.iter().any(|r| r.contains(&grf))
                };
                for inst in allocated.program.blocks.iter().flatten() {
                    let Some(Place::Direct(dst)) = inst.dst.as_ref().map(|d| d.place) else {
                        continue;
                    };
                    let fits = dst.file != RegFile::Grf || dst.num < limit || kept(dst.num);
                    assert!(fits, "{name} in {limit}: {inst}");
                }
                assert!(allocated.stats.grf_used <= 128, "{name} in {limit}");
                spills.push(allocated.stats.spill_bytes);
            }
            assert_eq!(spills.last(), Some(&0), "{name} spills with all registers");
        });
    }
}

#[test]
fn too_few_registers_are_an_error() {
    let fewest = FEWEST_UNITS * UNIT_GRFS;
    for (name, source) in examples() {
        let module = text::parse(&source).expect("a module");
        with_selected(&module.objects[0], |func| {
            let reserved: u32 = func.reserved.iter().map(|r| r.end - r.start).sum();
            for limit in [0, 1, 2, fewest - UNIT_GRFS, fewest - 1] {
                match allocated(func, limit) {
                    Err(AllocError::TooFew {
                        limit: of,
                        fewest: least,
                        ..
                    }) => {
                        assert_eq!((of, least), (limit, fewest), "{name}");
                    }
                    other => panic!("{name} in {limit} registers: {other:?}"),
                }
            }
            if reserved == 0 {
                compile(&source, fewest);
            }
        });
    }
}
