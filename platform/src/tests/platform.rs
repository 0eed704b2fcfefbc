use std::collections::HashSet;

use super::*;
use crate::bits::{GrfSet, UnitSet};

#[test]
fn a_name_stands_for_one_thing() {
    let mut seen = HashSet::new();
    let rows = PLATFORMS
        .iter()
        .map(|p| (vec![p.name], p.aliases, p.generation));
    let others = VISA_ONLY.iter().map(|(names, g)| (Vec::new(), *names, *g));
    for (own, names, generation) in rows.chain(others) {
        for name in own.iter().chain(names) {
            assert!(seen.insert(*name), "{name} stands twice");
            let upper = named(&name.to_uppercase()).map(|n| n.generation);
            assert_eq!(upper, Some(generation), "{name}");
        }
    }
    assert_eq!(named("skylake"), None);
    assert_eq!(find("BMG").map(|p| p.name), Some("bmg"));
    assert_eq!(find("bdw"), None);
}

#[test]
fn a_generation_has_a_name_that_stands_for_it() {
    for generation in Generation::ALL {
        let found = named(generation.name()).map(|n| n.generation);
        assert_eq!(found, Some(generation), "{}", generation.name());
    }
}

#[test]
fn sets_hold_every_register_and_unit() {
    for platform in PLATFORMS {
        let last = platform.end_of_thread.unwrap_or(0);
        let modes = platform.grf_modes;
        assert!(
            modes.is_sorted_by_key(|mode| mode.grfs),
            "{}",
            platform.name
        );
        assert!(
            modes.first().is_some_and(|mode| last <= mode.grfs),
            "{}",
            platform.name
        );
        assert!(platform.grf_count <= GrfSet::CAPACITY, "{}", platform.name);
        let units = platform.grf_count / platform.unit_grfs();
        assert!(units <= UnitSet::CAPACITY, "{}", platform.name);
    }
}

#[test]
fn registers_are_as_wide_as_the_generation_says() {
    for platform in PLATFORMS {
        assert_eq!(
            platform.grf_bytes,
            platform.generation.grf_bytes(),
            "{}",
            platform.name
        );
    }
}
