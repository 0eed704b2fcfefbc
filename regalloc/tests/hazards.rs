//! The hardware executes an instruction whose operands span two registers as two halves, one after
//! the other: the second half must not read what the first has written (PRM, "Register Region
//! Restrictions"). The executor reads all sources first, so that only the program shows it.

mod common;

use std::collections::HashSet;
use std::path::Path;

use common::compile;
use kiln_emit::inst::{Inst, Place, RegFile, Src};

const GRF_BYTES: u32 = 32;

/// Bytes of the register file, channel by channel, of each element from `at`.
fn elements(at: u32, bytes: u32, offsets: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
    offsets
        .map(|o| (at + o * bytes, at + (o + 1) * bytes))
        .collect()
}

fn written(inst: &Inst) -> Option<Vec<(u32, u32)>> {
    let dst = inst.dst.as_ref()?;
    let Place::Direct(r) = dst.place else {
        return None;
    };
    let step = u32::from(dst.hstride);
    let lanes = u32::from(inst.exec_size);
    let at = r.num * GRF_BYTES + u32::from(r.byte);
    (r.file == RegFile::Grf).then(|| elements(at, dst.ty.bytes(), (0..lanes).map(|i| i * step)))
}

fn read(inst: &Inst, src: &Src) -> Option<Vec<(u32, u32)>> {
    let Src::Reg(src) = src else { return None };
    let Place::Direct(r) = src.place else {
        return None;
    };
    let v = u32::from(src.region.vstride?);
    let (w, h) = (u32::from(src.region.width), u32::from(src.region.hstride));
    // Three sources or extended math: packed or scalar.
    let lanes = u32::from(inst.exec_size);
    let at = r.num * GRF_BYTES + u32::from(r.byte);
    let offsets = (0..lanes).map(|i| i / w * v + i % w * h);
    (r.file == RegFile::Grf).then(|| elements(at, src.ty.bytes(), offsets))
}

fn spans_two(ranges: &[(u32, u32)]) -> bool {
    let registers: HashSet<u32> = ranges
        .iter()
        .flat_map(|&(from, to)| [from / GRF_BYTES, (to - 1) / GRF_BYTES])
        .collect();
    registers.len() > 1
}

/// Whether the second half reads what the first has written.
fn clobbers(inst: &Inst) -> bool {
    if inst.msg.is_some() || inst.exec_size < 2 {
        return false;
    }
    let Some(dst) = written(inst) else {
        return false;
    };
    let sources: Vec<_> = inst.srcs.iter().filter_map(|s| read(inst, s)).collect();
    if !spans_two(&dst) && !sources.iter().any(|s| spans_two(s)) {
        return false;
    }
    let half = dst.len() / 2;
    sources.iter().flat_map(|s| &s[half..]).any(|&(from, to)| {
        dst[..half]
            .iter()
            .any(|&(first, end)| from < end && first < to)
    })
}

#[test]
fn no_half_reads_what_the_other_has_written() {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut checked = 0;
    for dir in std::fs::read_dir(all)
        .expect("the examples")
        .map(|e| e.expect("an entry").path())
    {
        let Some(name) = dir.file_name().filter(|_| dir.is_dir()) else {
            continue;
        };
        let source = std::fs::read_to_string(dir.join(name).with_extension("visaasm"));
        let source = source.expect("vISA text");
        for limit in [24, 40, 128] {
            for inst in compile(&source, limit).program.blocks.iter().flatten() {
                assert!(!clobbers(inst), "{name:?} in {limit} registers: {inst}");
                checked += 1;
            }
        }
    }
    assert!(checked > 1000, "only {checked} instructions checked");
}
