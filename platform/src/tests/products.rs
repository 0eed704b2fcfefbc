use super::*;
use crate::platform::{PLATFORMS, VISA_ONLY, find};

#[test]
fn names_as_people_say_them_are_known() {
    for (name, platform) in [
        ("gen9", "skl"),
        ("Gen11", "icllp"),
        ("acm-g10", "dg2"),
        ("ACM_G10", "dg2"),
        ("dg2-g10-c0", "dg2"),
        ("bmg-g21", "bmg"),
        ("xe2-hpg", "bmg"),
        ("xe2_lpg", "lnl"),
        ("12.55.8", "dg2"),
        ("20.1.4", "bmg"),
        ("20.4", "lnl"),
        ("9.0.9", "skl"),
        ("12.60.7", "pvc"),
        ("30.0.4", "ptl"),
        ("Intel(R) Arc(TM) A770 Graphics", "dg2"),
        ("arc b580", "bmg"),
        ("Intel Data Center GPU Max 1550", "pvc"),
        ("UHD Graphics 630", "skl"),
        ("skl", "skl"),
        ("kbl", "skl"),
    ] {
        assert_eq!(find(name).map(|p| p.name), Some(platform), "{name}");
    }
    for name in [
        "",
        "arc",
        "intel",
        "12",
        "12.99.1",
        "12.55.8.1",
        "12.x",
        "99.1",
        "xe",
        "graphics",
        "bmg-g99",
    ] {
        assert_eq!(find(name).map(|p| p.name), None, "{name}");
    }
}

/// Each platform has a row, and each name stands once in all tables.
#[test]
fn each_name_stands_once() {
    assert!(
        PLATFORMS
            .iter()
            .map(|p| p.name)
            .eq(PRODUCTS.iter().map(|row| row.platform))
    );
    let own = PLATFORMS
        .iter()
        .flat_map(|p| p.aliases.iter().copied().chain([p.name]));
    let visa = VISA_ONLY
        .iter()
        .flat_map(|(names, _)| names.iter().copied());
    let said = PRODUCTS.iter().flat_map(|row| row.names.iter().copied());
    let mut names: Vec<String> = own.chain(visa).chain(said).map(str::to_string).collect();
    names.extend(
        PRODUCTS
            .iter()
            .flat_map(|row| row.sold_as.iter().map(|name| plain(name))),
    );
    names.extend(
        PRODUCTS
            .iter()
            .flat_map(|row| row.numbers.iter().map(|n| format!("{n:?}"))),
    );
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}
