//! Speed of reading and checking text and objects, in instructions a second: the examples and, if `KILN_CORPUS` names
//! the folder of a platform's corpus, its `hc.` texts. Text and object of a module have the same instructions.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kiln_visa::binary::{read, write};
use kiln_visa::text::parse;
use kiln_visa::verify::verify;

/// The texts of all examples.
fn examples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let text = |path: PathBuf| {
        let name = path.file_name()?.to_str()?;
        fs::read_to_string(path.join(format!("{name}.visaasm"))).ok()
    };
    entries(&folder).into_iter().filter_map(text).collect()
}

/// Large texts of the corpus.
fn corpus() -> Vec<String> {
    let Some(folder) = std::env::var_os("KILN_CORPUS") else {
        return Vec::new();
    };
    let text = |path: PathBuf| {
        let name = path.file_name()?.to_str()?;
        let wanted = name.starts_with("hc.") && name.ends_with(".visaasm");
        wanted.then(|| fs::read_to_string(&path).ok())?
    };
    entries(Path::new(&folder))
        .into_iter()
        .filter_map(text)
        .collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    paths
}

fn reading(c: &mut Criterion) {
    for (name, texts) in [("examples", examples()), ("corpus", corpus())] {
        if texts.is_empty() {
            continue;
        }
        let modules: Vec<_> = texts.iter().map(|t| parse(t).expect("vISA")).collect();
        let objects: Vec<_> = modules.iter().map(|m| write(m).expect("vISA")).collect();
        let insts = modules.iter().flat_map(|m| &m.objects);
        let insts: usize = insts.map(|object| object.insts.len()).sum();

        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Elements(insts as u64));
        group.sample_size(20);
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
}

criterion_group!(benches, reading);
criterion_main!(benches);
