//! Gen instructions that the interpreter executes a second: the sgemm example of each family, multiplying larger matrices, on
//! one host thread and on two.

use std::path::Path;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kiln_emit::platform::{PLATFORMS, Platform};
use kiln_emit::zebin::Zebin;
use kiln_exec::{Arg, Engine, Launch, Options, Program};

/// Rows and columns of the matrices: tiles of 16 are groups.
const SIZE: u32 = 256;

fn sgemm(c: &mut Criterion) {
    for platform in PLATFORMS {
        sgemm_on(platform, c);
    }
}

fn sgemm_on(platform: &'static Platform, c: &mut Criterion) {
    let name = platform.name;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sgemm");
    let own = match name {
        "skl" => folder,
        _ => folder.join(name),
    };
    // Platforms that share a family's code have no object file.
    let Ok(file) = std::fs::read(own.join("sgemm.zebin")) else {
        return;
    };
    let zebin = Zebin::parse(&file).expect("an object file");
    let program = Program::from_zebin(&zebin, "sgemm", platform).expect("the kernel");
    let matrix = || {
        let values = (0..SIZE * SIZE).map(|i| (i % 17) as f32 / 16.0);
        Arg::Buffer(values.flat_map(f32::to_le_bytes).collect())
    };
    let number = |n: u32| Arg::Value(n.to_le_bytes().to_vec());
    let factor = |x: f32| Arg::Value(x.to_le_bytes().to_vec());
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: "sgemm",
        global: [SIZE, SIZE, 1],
        local: [16, 16, 1],
        dimensions: 2,
        args: vec![
            matrix(),
            matrix(),
            matrix(),
            number(SIZE),
            number(SIZE),
            number(SIZE),
            factor(1.5),
            factor(-0.5),
        ],
        budget: Launch::BUDGET,
    };
    let stats = launch.run(&program).expect("a run");
    let mut group = c.benchmark_group(format!("sgemm/{name}"));
    group.throughput(Throughput::Elements(stats.instructions));
    group.measurement_time(Duration::from_secs(5));
    group.sample_size(10);
    for threads in [1, 2] {
        let options = Options {
            threads,
            engine: Engine::Interpret,
            ..Options::default()
        };
        group.bench_function(BenchmarkId::new("threads", threads), |b| {
            b.iter(|| launch.run_with(&program, &options).expect("a run"));
        });
    }
    group.finish();
}

criterion_group!(benches, sgemm);
criterion_main!(benches);
