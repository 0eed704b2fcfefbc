//! Throughput of decoding, encoding, assembling (with compaction) and listing machine code of the fixtures, by family.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kiln_emit::assemble::{Program, assemble};
use kiln_emit::encoding::encode;
use kiln_emit::inst::Inst;
use kiln_emit::listing::{Style, entries, list};
use kiln_emit::platform::PLATFORMS;
use std::fs;
use std::hint::black_box;

/// Machine code of a platform; none of platforms whose code is that of another.
fn code(platform: &str) -> Option<Vec<u8>> {
    let path = match platform {
        "skl" => kiln_corpus::project().join("examples/intmix/intmix.dat"),
        _ => kiln_corpus::path(&format!("machine_code/{platform}/intmix.dat")),
    };
    fs::read(path).ok()
}

fn codec(criterion: &mut Criterion) {
    for platform in PLATFORMS {
        let Some(code) = code(platform.name) else {
            continue;
        };
        let insts: Vec<Inst> = entries(&code, platform)
            .filter_map(|entry| entry.inst.ok())
            .collect();
        let mut group = criterion.benchmark_group(platform.name);
        group.throughput(Throughput::Elements(insts.len() as u64));
        group.bench_function(BenchmarkId::from_parameter("decode"), |b| {
            b.iter(|| entries(black_box(&code), platform).count());
        });
        group.bench_function(BenchmarkId::from_parameter("encode"), |b| {
            b.iter(|| {
                let sizes = insts.iter().map(|inst| encode(inst, platform));
                sizes.filter(Result::is_ok).count()
            });
        });
        let program = Program {
            blocks: vec![insts.clone()],
        };
        group.bench_function(BenchmarkId::from_parameter("assemble"), |b| {
            b.iter(|| assemble(black_box(&program), platform).map(|out| out.code.len()));
        });
        group.bench_function(BenchmarkId::from_parameter("list"), |b| {
            b.iter(|| list(black_box(&code), platform, Style::Numeric).len());
        });
        group.finish();
    }
}

criterion_group!(benches, codec);
criterion_main!(benches);
