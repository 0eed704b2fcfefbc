//! Memory that readers allocate: a small multiple of the input, whatever it contains.
//!
//! The only test of its binary, because the allocator counts for the whole process.

use std::fs;
use std::path::{Path, PathBuf};

use kiln_visa::binary::{read, write};
use kiln_visa::module::{Inst, LabelDecl, LabelKind, Name, VarDecl};
use kiln_visa::text::parse;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Memory of the shortest object: its predefined variables.
const OBJECT: usize = 8 << 10;

/// Peak of the memory that `work` allocates, as a multiple of its input.
fn multiple<T>(input: usize, work: impl FnOnce() -> T) -> usize {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    drop(work());
    let peak = ALLOCATOR.peak_usage() - before;
    peak.saturating_sub(OBJECT) / input
}

/// The texts of all examples.
fn texts() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let entries = fs::read_dir(&folder).expect("the examples' folder");
    let text = |path: PathBuf| {
        let name = path.file_name()?.to_str()?;
        fs::read_to_string(path.join(format!("{name}.visaasm"))).ok()
    };
    entries
        .filter_map(|entry| text(entry.ok()?.path()))
        .collect()
}

const KERNEL: &str = ".version 4.1\n.kernel \"k\"\n";

#[test]
fn readers_allocate_a_small_multiple_of_the_input() {
    for text in texts() {
        let found = multiple(text.len(), || parse(&text));
        assert!(found <= 6, "text: {found}");
        let object = write(&parse(&text).expect("an example")).expect("an example");
        let found = multiple(object.len(), || read(&object));
        assert!(found <= 12, "object: {found}");
    }

    // The shortest instruction, one byte, thrice because a vector grows by doubling.
    let most = 3 * size_of::<Inst>();
    let text = format!("{KERNEL}{}ret (M1, 1)\n", "yield\n".repeat(100_000));
    let mut module = parse(&text).expect("yields");
    let found = multiple(text.len(), || parse(&text));
    assert!(found <= most / "yield\n".len(), "text of yields: {found}");
    let object = write(&module).expect("yields");
    let found = multiple(object.len(), || read(&object));
    assert!(found <= most, "object of yields: {found}");

    // Lines without anything.
    let text = format!("{KERNEL}yield\n{}ret (M1, 1)\n", "\n".repeat(1 << 20));
    let found = multiple(text.len(), || parse(&text));
    assert!(found <= 6, "text of empty lines: {found}");

    // Counts that exceed the file.
    let declarations = write(&parse(&format!("{KERNEL}ret (M1, 1)\n")).expect("a kernel"));
    let mut object = declarations.expect("a kernel");
    object.resize(1 << 20, 0);
    for at in 0..object.len().min(400) {
        let was = object[at];
        for wrong in [0x7f, 0xff] {
            object[at] = wrong;
            let found = multiple(object.len(), || read(&object));
            assert!(found <= 16, "{wrong:#x} at {at:#x}: {found}");
        }
        object[at] = was;
    }

    // A long name shared by everything.
    let kernel = &mut module.objects[0];
    kernel.insts.drain(..kernel.insts.len() - 1);
    let long = Name::new("n".repeat(60_000));
    let var = kernel.vars.values().next().cloned().expect("a variable");
    for _ in 0..20_000 {
        let name = long.clone();
        kernel.vars.push(VarDecl {
            name,
            ..var.clone()
        });
    }
    let object = write(&module).expect("long names");
    let found = multiple(object.len(), || read(&object));
    assert!(found <= 16, "object of long names: {found}");

    // Labels whose names the reader must change.
    type Named<'a> = &'a dyn Fn(usize) -> String;
    let kinds: [(LabelKind, Named); 2] = [
        (LabelKind::Block, &|_| format!("{long}.")),
        (LabelKind::Subroutine, &|i| format!("{long}_{i}")),
    ];
    for (kind, named) in kinds {
        let label = |i| LabelDecl {
            name: named(i).into(),
            kind,
            attrs: Vec::new(),
        };
        module.objects[0].labels = (0..1000).map(label).collect();
        let object = write(&module).expect("long names");
        let found = multiple(object.len(), || read(&object));
        assert!(found <= 16, "object of long names of labels: {found}");
    }
}
