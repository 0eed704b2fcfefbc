use std::sync::atomic::Ordering::Relaxed;

use super::*;

/// Start, end and access of the process's mappings.
fn mappings() -> Vec<(usize, usize, String)> {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the mappings");
    let row = |line: &str| {
        let mut fields = line.split(['-', ' ']);
        let mut address = || usize::from_str_radix(fields.next()?, 16).ok();
        let (start, end) = (address()?, address()?);
        let access = line.split(' ').nth(1)?;
        Some((start, end, access.to_string()))
    };
    maps.lines().filter_map(row).collect()
}

#[test]
fn a_mapping_has_inaccessible_pages_on_both_sides() {
    for count in [1, 15, 16, 17, 1000, WALL / 4 - 16, WALL / 4, WALL / 4 + 1] {
        let mapping = Mapping::new(count);
        let words = mapping.words().as_ptr_range();
        let (first, end) = (words.start as usize, words.end as usize);
        let access = |at: usize| {
            let row = mappings().into_iter().find(|m| (m.0..m.1).contains(&at));
            row.map_or(String::new(), |m| m.2)
        };
        assert_eq!(first % LINE, 0, "{count}");
        assert_eq!(access(first), "rw-p", "{count}");
        assert_eq!(access(end - 1), "rw-p", "{count}");
        assert_eq!(access(end.next_multiple_of(LINE)), "---p", "{count}");
        let before = mappings().into_iter().rfind(|m| m.1 <= first);
        let before = before.map(|m| (first - m.1 < WALL, m.2));
        assert_eq!(before, Some((true, "---p".into())), "{count}");
    }
}

#[test]
fn released_words_are_lost_and_others_stay() {
    let mut mapping = Mapping::new(WALL);
    mapping.words().iter().for_each(|w| w.store(1, Relaxed));
    let released = WALL / 4 + 3;
    mapping.release(released);
    let (first, others) = mapping.words().split_at(released);
    assert_eq!(first[0].load(Relaxed), 0);
    assert!(others.iter().all(|w| w.load(Relaxed) == 1));
}
