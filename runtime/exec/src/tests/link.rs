use kiln_emit::platform;
use kiln_emit::zebin::{KernelText, Relocations, Section};

use super::*;

/// A kernel of 32 bytes, and two sections of data; the second one's symbol is `table`.
fn program(section: &str, relocation: Relocation) -> Zebin {
    let skl = platform::find("skl").unwrap();
    let kernels = vec![("k".to_string(), vec![0xaa; 32])];
    let info = kiln_emit::ze_info::ZeInfo::parse(b"version: '1.0'\nkernels: []\n").unwrap();
    let mut zebin = Zebin::new(skl, kernels, info);
    for name in [".data.global", ".data.const"] {
        zebin.others.push(Section {
            name: name.to_string(),
            kind: 1,
            flags: 2,
            align: 8,
            entry_size: 0,
            size: 16,
            data: vec![0xbb; 16],
        });
    }
    zebin.symbols = vec![Symbol {
        name: "table".to_string(),
        value: 12,
        size: 4,
        info: 0,
        other: 0,
        place: SymbolPlace::Section(".data.const".to_string()),
    }];
    let entries = vec![relocation];
    let section = section.to_string();
    zebin.relocations.push(Relocations {
        section,
        addends: false,
        entries,
    });
    zebin
}

fn relocation(offset: u64, kind: u32) -> Relocation {
    Relocation {
        offset,
        kind,
        symbol: 1,
        addend: 0,
    }
}

#[test]
fn addresses_are_filled_in() {
    let at = DATA + 2 * GUARD + 12;
    for (kind, expected) in [
        (1, at.to_le_bytes().to_vec()),
        (2, vec![12, 0, 0, 0]),
        (3, (at >> 32).to_le_bytes()[..4].to_vec()),
    ] {
        let (text, data) = link(&program(".text.k", relocation(8, kind)), "k").unwrap();
        assert_eq!(text[8..8 + expected.len()], expected);
        assert!(
            text[..8]
                .iter()
                .chain(&text[8 + expected.len()..32])
                .all(|&b| b == 0xaa)
        );
        assert_eq!((data[1].base + 12, &data[1].bytes), (at, &vec![0xbb; 16]));
        let (text, data) = link(&program(".data.global", relocation(4, kind)), "k").unwrap();
        assert_eq!(data[0].bytes[4..4 + expected.len()], expected);
        assert!(text[..32].iter().all(|&b| b == 0xaa));
    }
    // Relocations of other kernels are ignored.
    assert!(link(&program(".text.other", relocation(1 << 40, 9)), "k").is_ok());
}

#[test]
fn sections_of_zeroes_have_their_size() {
    let mut zebin = program(".text.k", relocation(0, 1));
    zebin.others[1].name = ".bss.const".to_string();
    zebin.others[1].data.clear();
    zebin.others[1].size = 40;
    zebin.symbols[0].place = SymbolPlace::Section(".bss.const".to_string());
    let (text, data) = link(&zebin, "k").unwrap();
    assert_eq!(data[1].bytes, [0; 40]);
    assert_eq!(text[..8], (data[1].base + 12).to_le_bytes());
    zebin.others[1].size = ZEROES_MAX + 1;
    assert!(matches!(link(&zebin, "k"), Err(LinkError::Size { .. })));
}

#[test]
fn what_cannot_be_linked_is_an_error() {
    let error = |section, relocation| link(&program(section, relocation), "k").unwrap_err();
    let section = ".text.k".to_string();
    assert_eq!(
        link(&program(".text.k", relocation(0, 1)), "q"),
        Err(LinkError::NoKernel("q".into()))
    );
    assert_eq!(
        error(".text.k", relocation(0, 7)),
        LinkError::Kind {
            section: section.clone(),
            index: 0,
            kind: 7
        }
    );
    for offset in [1 << 20, u64::MAX] {
        assert!(
            matches!(error(".text.k", relocation(offset, 1)), LinkError::Range { offset: o, .. } if o == offset)
        );
    }
    for symbol in [0, 2, u32::MAX] {
        let relocation = Relocation {
            symbol,
            ..relocation(0, 1)
        };
        assert!(matches!(
            error(".text.k", relocation),
            LinkError::NoSymbol { count: 1, .. }
        ));
    }
    for place in [
        SymbolPlace::Section(".text.k".to_string()),
        SymbolPlace::Reserved(0),
    ] {
        let mut zebin = program(".text.k", relocation(0, 1));
        zebin.symbols[0].place = place;
        assert!(matches!(
            link(&zebin, "k"),
            Err(LinkError::NoAddress { .. })
        ));
    }
}

/// The reference compiler writes a size of 15 bytes into the symbols of some kernels.
#[test]
fn functions_lie_behind_all_code_of_a_kernel_whatever_its_symbol_says() {
    let mut zebin = program(".text.k", relocation(0, 1));
    zebin.relocations.clear();
    let symbol = |name: &str, section: &str| Symbol {
        name: name.to_string(),
        value: 0,
        size: 15,
        info: 2,
        other: 0,
        place: SymbolPlace::Section(format!("{TEXT_PREFIX}{section}")),
    };
    zebin.symbols = vec![symbol("k", "k"), symbol("f", FUNCTIONS)];
    zebin.kernels.push(KernelText {
        name: FUNCTIONS.to_string(),
        text: vec![0xcc; 16],
    });
    zebin.relocations.push(Relocations {
        section: format!("{TEXT_PREFIX}k"),
        addends: false,
        entries: vec![Relocation {
            symbol: 2,
            ..relocation(8, ADDRESS)
        }],
    });
    let (text, _) = link(&zebin, "k").unwrap();
    assert_eq!(text.len(), 48);
    assert_eq!(text[8..16], 32u64.to_le_bytes());
    assert_eq!(text[16..32], [0xaa; 16]);
    assert_eq!(text[32..], [0xcc; 16]);
    // An instruction may end with zeros.
    let text = &mut zebin.kernels[0].text;
    (text[16..32]).copy_from_slice(&[1, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(link(&zebin, "k").unwrap().0.len(), 48);
}
