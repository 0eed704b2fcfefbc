use std::collections::HashSet;

use super::*;
use crate::abi;
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
    assert_eq!(named("skylark"), None);
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
        let units = platform.grf_count / UNIT_GRFS;
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

/// Facts are stated by the order of the models, and the list of platforms has the same.
#[test]
fn platforms_are_in_the_order_of_their_models() {
    for (place, platform) in PLATFORMS.iter().enumerate() {
        assert_eq!(platform.model as usize, place, "{}", platform.name);
    }
    for (place, family) in Family::ALL.into_iter().enumerate() {
        assert_eq!(family as usize, place, "{}", family.name());
    }
}

/// The shift of the scratch surface's offset leaves the number of its state where a register has that of a surface.
#[test]
fn the_scratch_surface_is_named_like_others() {
    let states = |p: &&Platform| p.payload == Payload::Memory;
    for platform in PLATFORMS.iter().filter(states) {
        let bit = abi::SCRATCH_STATE_MASK.trailing_zeros() - abi::SCRATCH_STATE_SHIFT;
        assert_eq!(platform.surface_state_bit, bit, "{}", platform.name);
    }
}

/// docs/platforms.md is the table of all facts: a changed fact changes the page. KILN_WRITE=1 writes it.
#[test]
fn the_page_has_every_fact_of_every_platform() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/platforms.md");
    let page = page();
    if std::env::var_os("KILN_WRITE").is_some() {
        std::fs::write(path, &page).expect("the page can be written");
    }
    let kept = std::fs::read_to_string(path).expect("the page is there");
    assert_eq!(kept, page, "KILN_WRITE=1 writes {path}");
}

fn page() -> String {
    let mut page = "# Platforms\n\n\
        Every fact that code asks for, as the tables of `platform/src/platform.rs` and `platform/src/rules.rs` give it; a test\n\
        makes this page from them. `first..last` names neighbours with the same value, oldest first. `kiln platforms` prints\n\
        the same, as text or as JSON. To add a platform, add its row and its model, and read what it takes from its\n\
        predecessor in the changes of this page.\n"
        .to_string();
    for (title, table) in [
        ("Facts of platforms", table()),
        ("Rules of encoding families", crate::rules::table()),
    ] {
        page += &format!("\n## {title}\n\n| fact | values | meaning |\n| --- | --- | --- |\n");
        for (number, fact) in table.facts.iter().enumerate() {
            let run = |(first, last, value): (&str, &str, &str)| match first == last {
                true => format!("{first}: `{value}`"),
                false => format!("{first}..{last}: `{value}`"),
            };
            let values: Vec<String> = table.runs(number).into_iter().map(run).collect();
            let (name, values) = (fact.name, values.join("<br>"));
            page += &format!("| `{name}` | {values} | {} |\n", fact.meaning);
        }
    }
    page
}
