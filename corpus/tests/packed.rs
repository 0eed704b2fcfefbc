//! Fixtures in archives are found, and no unpacked copy lies beside the archives.

use std::path::{Path, PathBuf};

use kiln_corpus::{ALL, kernels, machine_code, packed, path};

fn folders_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            folders_below(&path, found);
            found.push(path);
        }
    }
}

/// A file that a test reads by mistake would hide that the archive lacks it.
#[test]
fn files_of_packed_platforms_are_in_archives_only() {
    let mut folders = Vec::new();
    folders_below(Path::new(env!("CARGO_MANIFEST_DIR")), &mut folders);
    let is_packed = |path: &&PathBuf| packed().any(|platform| path.ends_with(platform));
    let loose: Vec<_> = folders.iter().filter(is_packed).collect();
    assert!(
        loose.is_empty(),
        "`.ci/corpus.py pack` was forgotten: {loose:?}"
    );
}

#[test]
fn every_packed_platform_has_kernels_and_machine_code() {
    let all = kernels(&ALL);
    assert!(all.len() > 190);
    assert!(packed().count() >= 7);
    for platform in packed() {
        let objects = all.iter().filter_map(|kernel| kernel.object(platform));
        assert!(objects.count() > 0, "{platform} has no object file");
        assert!(!machine_code(platform).is_empty(), "{platform}");
    }
}

#[test]
fn a_name_leads_to_the_archive_of_its_platform() {
    let packed = path("machine_code/pvc/forms.dat");
    assert!(
        !packed.starts_with(env!("CARGO_MANIFEST_DIR")),
        "{packed:?}"
    );
    let shared = machine_code("lnl")
        .into_iter()
        .find(|code| code.name == "bfn");
    let shared = shared.expect("the code that it shares with pvc");
    assert!(shared.path.ends_with("shared/bfn.pvc+lnl.dat"));
    assert!(shared.listing.starts_with("bfn"), "{}", shared.listing);
}
