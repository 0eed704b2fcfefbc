//! The table of errata: complete rows, and bits by platform and stepping.

use std::path::Path;

use super::{Erratum, ROWS, Status, Stepping, UPSTREAM, page};
use crate::platform::find;

#[test]
fn rows_are_complete() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (at, row) in ROWS.iter().enumerate() {
        assert_eq!(row.erratum as usize, at, "{}", row.name);
        assert!(!row.name.is_empty() && !row.source.is_empty() && !row.must.is_empty());
        let named: &[&str] = match &row.status {
            Status::Made { pass, check } => &[pass, check],
            Status::NotNeeded { check, .. } => &[check],
            Status::Refused { .. } => &[],
        };
        for path in named {
            assert!(project.join(path).is_file(), "{}: {path}", row.name);
        }
    }
}

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = ROWS.iter().map(|row| row.name).collect();
    names.sort_unstable();
    let before = names.len();
    names.dedup();
    assert_eq!(names.len(), before);
}

#[test]
fn steppings_are_read_and_ordered() {
    assert_eq!(Stepping::parse("b"), Some(Stepping::B0));
    assert_eq!(Stepping::parse("C0"), Some(Stepping::C0));
    assert_eq!(Stepping::parse("Z0"), None);
    assert_eq!(Stepping::parse(""), None);
    assert!(Stepping::parse("A1") > Some(Stepping::A0));
    assert_eq!(
        Stepping::parse("B1").map(|s| s.to_string()),
        Some("B1".into())
    );
}

#[test]
fn a_revision_has_its_errata() {
    let mtl = find("mtl").unwrap();
    assert!(!mtl.needs(Erratum::UgmFenceBeforeEnd));
    assert!(
        mtl.in_revision(Stepping::A0)
            .needs(Erratum::UgmFenceBeforeEnd)
    );
    assert!(find("tgllp").unwrap().needs(Erratum::NoMaskPredicated));
    assert!(!find("dg2").unwrap().needs(Erratum::NoMaskPredicated));
}

#[test]
fn a_revision_is_made_once() {
    let mtl = find("mtl").unwrap();
    let first = mtl.in_revision(Stepping::A0);
    assert!(first.needs(Erratum::UgmFenceBeforeEnd));
    assert!(std::ptr::eq(first, mtl.in_revision(Stepping::A0)));
    assert!(std::ptr::eq(mtl, mtl.in_revision(mtl.errata.stepping())));
}

/// docs/errata.md is made from the rows and the lists. KILN_WRITE=1 writes it.
#[test]
fn the_page_has_every_row() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/errata.md");
    let page = page();
    if std::env::var_os("KILN_WRITE").is_some() {
        std::fs::write(path, &page).expect("the page can be written");
    }
    let kept = std::fs::read_to_string(path).expect("the page is there");
    assert!(kept == page, "KILN_WRITE=1 writes {path}");
}

#[test]
fn names_of_lists_are_unique() {
    let mut names: Vec<_> = UPSTREAM
        .iter()
        .map(|(list, name, _)| (*list as u8, name))
        .collect();
    names.sort_unstable();
    let before = names.len();
    names.dedup();
    assert_eq!(names.len(), before);
}
