use std::path::Path;

use proptest::prelude::*;

use super::*;

/// The examples' object files, by name, as the reference compiler wrote them.
fn examples() -> Vec<(String, Vec<u8>)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if let Ok(file) = std::fs::read(path.join(format!("{name}.zebin"))) {
            all.push((name, file));
        }
    }
    all.sort();
    assert!(all.len() >= 14, "only {} examples found", all.len());
    all
}

#[test]
fn what_is_written_reads_as_what_was_read() {
    for (name, file) in examples() {
        let read = Zebin::parse(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
        let written = read.write().unwrap();
        assert_eq!(Zebin::parse(&written).unwrap(), read, "{name}");
    }
}

#[test]
fn a_new_file_has_what_the_references_has() {
    let skl = crate::platform::find("skl").unwrap();
    for (name, file) in examples() {
        let reference = Zebin::parse(&file).unwrap();
        let kernel = &reference.kernels[0].name;
        let code = reference.symbols[0].size as usize;
        let code = reference.text(kernel).unwrap()[..code].to_vec();
        let info = reference.ze_info.clone();
        let mut new = Zebin::new(skl, vec![(kernel.clone(), code.clone())], info);
        assert_eq!(new.kernels, reference.kernels, "{name}");
        assert_eq!(new.symbols, reference.symbols, "{name}");
        let version = |z: &Zebin| z.notes.iter().find(|n| n.kind == 4).cloned();
        assert_eq!(version(&new), version(&reference), "{name}");
        assert!(new.set_text(kernel, &code[..64]));
        assert_eq!((new.symbols[0].size, new.kernels[0].text.len()), (64, 192));
        assert!(!new.set_text("no such kernel", &code));
    }
}

#[test]
fn relocations_and_data_survive() {
    let (_, file) = examples().swap_remove(0);
    let mut zebin = Zebin::parse(&file).unwrap();
    let text = format!(".text.{}", zebin.kernels[0].name);
    for addends in [false, true] {
        let addend = if addends { -9 } else { 0 };
        zebin.relocations.push(Relocations {
            section: text.clone(),
            addends,
            entries: vec![
                Relocation {
                    offset: 64,
                    kind: 2,
                    symbol: 1,
                    addend,
                };
                2
            ],
        });
    }
    zebin.others.push(Section {
        name: ".bss.global".into(),
        kind: 8,
        flags: 3,
        align: 16,
        entry_size: 0,
        size: 4096,
        data: Vec::new(),
    });
    zebin.symbols.push(Symbol {
        name: "g".into(),
        value: 8,
        size: 4,
        info: 0x11,
        other: 0,
        place: SymbolPlace::Section(".bss.global".into()),
    });
    zebin.symbols.push(Symbol {
        name: "far".into(),
        value: 0,
        size: 0,
        info: 0x10,
        other: 0,
        place: SymbolPlace::Reserved(0),
    });
    zebin.relocations.push(Relocations {
        section: ".bss.global".into(),
        addends: true,
        entries: Vec::new(),
    });
    assert_eq!(Zebin::parse(&zebin.write().unwrap()).unwrap(), zebin);
}

/// Files of the 32-bit class differ in the sizes of all tables.
/// The driver looks up names of symbols in the table of section names.
#[test]
fn names_of_symbols_are_in_the_table_of_section_names() {
    let (_, file) = examples().swap_remove(0);
    let mut zebin = Zebin::parse(&file).unwrap();
    for narrow in [false, true] {
        zebin.narrow = narrow;
        let written = zebin.write().unwrap();
        let names = match narrow {
            false => names_by_section_table::<elf::FileHeader64<Endianness>>(&written),
            true => names_by_section_table::<elf::FileHeader32<Endianness>>(&written),
        };
        let expected: Vec<_> = zebin.symbols.iter().map(|s| s.name.clone()).collect();
        assert!(expected.iter().any(|name| !name.is_empty()));
        assert_eq!(names, expected);
    }
}

fn names_by_section_table<H: FileHeader<Endian = Endianness>>(file: &[u8]) -> Vec<String> {
    let header = H::parse(file).unwrap();
    let sections = header.sections(Endianness::Little, file).unwrap();
    let strings = header.section_strings_index(Endianness::Little, file);
    let strings = sections
        .strings(Endianness::Little, file, strings.unwrap())
        .unwrap();
    let symbols = sections
        .symbols(Endianness::Little, file, elf::SHT_SYMTAB)
        .unwrap();
    let symbols = symbols.iter().skip(1);
    let name = |symbol: &H::Sym| symbol.name(Endianness::Little, strings).unwrap().to_vec();
    symbols
        .map(|s| String::from_utf8(name(s)).unwrap())
        .collect()
}

#[test]
fn narrow_files_are_read_and_written() {
    let file = kiln_corpus::read("narrow/saxpy.zebin");
    let mut zebin = Zebin::parse(&file).unwrap();
    assert!(zebin.narrow);
    assert_eq!(zebin.kernels[0].name, "saxpy");
    assert_eq!(zebin.ze_info.kernels[0].name, "saxpy");
    assert_eq!(zebin.symbols[0].name, "saxpy");
    for addends in [false, true] {
        zebin.relocations.push(Relocations {
            section: ".text.saxpy".into(),
            addends,
            entries: vec![Relocation {
                offset: 64,
                kind: 2,
                symbol: 1,
                addend: if addends { -9 } else { 0 },
            }],
        });
    }
    let written = zebin.write().unwrap();
    assert_eq!(written[..5], *b"\x7fELF\x01");
    assert_eq!(Zebin::parse(&written).unwrap(), zebin);
    for end in 0..written.len() {
        let _ = Zebin::parse(&written[..end]);
    }
}

#[test]
fn names_that_no_table_holds_are_refused() {
    let (_, file) = examples().swap_remove(0);
    let zebin = Zebin::parse(&file).unwrap();
    let mut kernel = zebin.clone();
    kernel.kernels[0].name = "a\0b".into();
    let mut symbol = zebin;
    symbol.symbols[0].name = "\0".into();
    for bad in [kernel, symbol] {
        let error = bad.write().unwrap_err();
        assert!(matches!(error, ZebinError::Name(_)), "{error}");
    }
}

#[test]
fn other_files_are_refused() {
    let (_, file) = examples().swap_remove(0);
    assert!(matches!(Zebin::parse(b""), Err(ZebinError::Elf(_))));
    assert!(matches!(Zebin::parse(&file[..63]), Err(ZebinError::Elf(_))));
    let mut other = file.clone();
    other[18] = 62;
    assert!(matches!(Zebin::parse(&other), Err(ZebinError::Machine(62))));
    let mut other = file.clone();
    other[16] = 2;
    assert!(matches!(Zebin::parse(&other), Err(ZebinError::FileType(2))));
    let mut none = Zebin::parse(&file).unwrap();
    none.ze_info = ZeInfo::default();
    let written = none.write().unwrap();
    let place = written.windows(8).position(|w| w == b".ze_info").unwrap();
    let mut renamed = written.clone();
    renamed[place] = 0xff;
    let error = Zebin::parse(&renamed).unwrap_err();
    assert!(matches!(error, ZebinError::SectionName { .. }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Damaged files are read or refused, and files that were read can be written.
    #[test]
    fn damaged_files_never_panic(
        which in 0usize..14,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        headers in any::<bool>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let (_, mut file) = examples().swap_remove(which);
        let len = file.len();
        // The section headers are the file's last 512 bytes and the header its first 64.
        for (at, byte) in changes {
            let at = if headers { (len - 512 + at.index(576)) % len } else { at.index(len) };
            file[at] = byte;
        }
        if headers && let Ok(zebin) = Zebin::parse(&file) {
            zebin.write().unwrap();
        }
        file.truncate(cut.index(len));
        let _ = Zebin::parse(&file);
    }
}
