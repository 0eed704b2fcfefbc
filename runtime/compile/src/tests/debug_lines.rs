use proptest::prelude::*;

use super::*;

fn fixture() -> Zebin {
    Zebin::parse(&kiln_corpus::read("lines/sum.zebin")).expect("an object file")
}

/// The tables of a reference object file equal those that readelf prints (`sum.lines`).
#[test]
fn lines_are_those_of_readelf() {
    let tables = of_object(&fixture());
    let table = &tables["sum"];
    assert_eq!(tables.len(), 1);
    let mut expected: Vec<(u32, Option<u32>)> = Vec::new();
    for row in kiln_corpus::text("lines/sum.lines").lines() {
        let (offset, line) = row.split_once(' ').expect("two columns");
        let offset = u32::from_str_radix(offset.trim_start_matches("0x"), 16);
        expected.push((offset.expect("an offset"), line.parse().ok()));
    }
    expected.dedup_by_key(|(_, line)| *line);
    let rows = table.lines.iter();
    let rows = rows.map(|line| (line.offset, line.source.map(|source| source.line)));
    assert_eq!(rows.collect::<Vec<_>>(), expected);
    assert_eq!(table.files, ["sum.cl"]);
    let part = table.part(0x70, 0x100);
    let rows = part.lines.iter().map(|line| line.offset);
    assert_eq!(rows.collect::<Vec<_>>(), [0, 0x20]);
    assert_eq!(
        part.at(8),
        table
            .at(0x78)
            .map(|line| Line { offset: 0, ..*line })
            .as_ref()
    );
}

/// Repeated names cannot exceed the limit.
#[test]
fn names_have_a_limit() {
    let mut zebin = fixture();
    let section = zebin.others.iter_mut().find(|s| s.name == ".debug_line");
    let section = section.expect("the section");
    // Version 4, one folder with a long name, many files in it, and a row for each.
    let mut header = vec![8, 1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1];
    header.extend(std::iter::repeat_n(b'a', 1 << 16));
    header.extend([0, 0]);
    let files = 1u32 << 12;
    for file in 0..files {
        header.extend(format!("{file}").bytes());
        header.extend([0, 1, 0, 0]);
    }
    header.push(0);
    // The address, which has a relocation, then the rows.
    let mut program = vec![0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0];
    for file in 1..=files {
        program.extend([4, (file & 0x7f) as u8 | 0x80, (file >> 7) as u8, 1]);
    }
    program.extend([0, 1, 1]);
    let body = [&(header.len() as u32).to_le_bytes()[..], &header, &program].concat();
    let unit = [&4u16.to_le_bytes()[..], &body].concat();
    section.data = [&(unit.len() as u32).to_le_bytes()[..], &unit].concat();
    zebin.relocations.clear();
    let tables = of_object(&zebin);
    let names: usize = tables["sum"].files.iter().map(String::len).sum();
    assert!((1..=MAX_NAME_BYTES).contains(&names), "{names} bytes");
    assert!(tables["sum"].files.len() > 200);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Damaged sections never make the reader panic.
    #[test]
    fn damaged_sections_are_read_as_far_as_they_go(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut zebin = fixture();
        for section in zebin.others.iter_mut().filter(|s| s.name == ".debug_line") {
            for (place, byte) in &changes {
                let place = place.index(section.data.len());
                section.data[place] = *byte;
            }
            if is_cut {
                section.data.truncate(cut.index(section.data.len()));
            }
        }
        let tables = of_object(&zebin);
        prop_assert!(tables.values().all(|table| table.lines.is_sorted_by_key(|line| line.offset)));
    }
}
