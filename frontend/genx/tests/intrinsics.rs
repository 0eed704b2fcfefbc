//! Every intrinsic of the dialect's definitions has a row.

use kiln_genx::intrinsics::Intrinsic;

/// Names in the definitions of the dialect.
const DEFINED: usize = 432;

#[test]
fn all_names_are_in_the_table() {
    let dialect = Intrinsic::all().filter(|(name, _)| name.starts_with("genx."));
    let (supported, refused): (Vec<_>, Vec<_>) = dialect.partition(|(_, supported)| *supported);
    assert_eq!(supported.len() + refused.len(), DEFINED);
    assert!(supported.len() >= 260, "{}", supported.len());
}

#[test]
fn names_are_sorted_and_found() {
    let names: Vec<_> = Intrinsic::all().collect();
    assert!(names.windows(2).all(|pair| pair[0].0 < pair[1].0));
    for (name, supported) in names {
        let found = Intrinsic::named(&format!("{name}.v8i32.i64"));
        assert_eq!(found.is_ok(), supported, "{name}");
        if let Ok(found) = found {
            assert_eq!(found.name(), name);
        }
    }
    assert!(Intrinsic::named("genx.nothing.of.this.name").is_err());
}
