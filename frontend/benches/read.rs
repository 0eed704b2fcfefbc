//! How fast the examples are read, as text and as objects; in bytes and in instructions a second.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kiln_frontend::binary::{read, write};
use kiln_frontend::text::parse;
use kiln_frontend::verify::verify;

/// The texts of all examples, by name.
fn texts() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let entries = fs::read_dir(folder).expect("the examples' folder");
    let mut names: Vec<_> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    names.sort();
    let text = |path: &std::path::PathBuf| {
        let name = path.file_name()?.to_str()?;
        fs::read_to_string(path.join(format!("{name}.visaasm"))).ok()
    };
    names.iter().filter_map(text).collect()
}

fn reading(c: &mut Criterion) {
    let texts = texts();
    let modules: Vec<_> = texts
        .iter()
        .map(|t| parse(t).expect("an example"))
        .collect();
    let objects: Vec<_> = modules
        .iter()
        .map(|m| write(m).expect("an example"))
        .collect();
    let insts = modules.iter().flat_map(|m| &m.objects);
    let insts: usize = insts.map(|object| object.insts.len()).sum();

    let mut group = c.benchmark_group("examples");
    group.throughput(Throughput::Elements(insts as u64));
    group.bench_function("text", |b| {
        b.iter(|| {
            texts
                .iter()
                .for_each(|t| drop(black_box(parse(black_box(t)))))
        });
    });
    group.bench_function("binary", |b| {
        b.iter(|| {
            objects
                .iter()
                .for_each(|o| drop(black_box(read(black_box(o)))))
        });
    });
    group.bench_function("verify", |b| {
        b.iter(|| {
            modules
                .iter()
                .for_each(|m| drop(black_box(verify(black_box(m)))))
        });
    });
    group.finish();
}

criterion_group!(benches, reading);
criterion_main!(benches);
