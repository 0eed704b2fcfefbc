//! No input, however wrong, ends a reader otherwise than with a module or an error.

mod common;

use std::sync::LazyLock;

use common::saxpy;
use kiln_frontend::binary::{read, write};
use kiln_frontend::module::Module;
use kiln_frontend::print::print;
use kiln_frontend::text::parse;
use kiln_frontend::verify::verify;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

static TEXT: LazyLock<String> = LazyLock::new(saxpy);
static BINARY: LazyLock<Vec<u8>> =
    LazyLock::new(|| write(&parse(&TEXT).expect("saxpy")).expect("saxpy"));

/// What may be done with any module that was read.
fn use_all(module: &Module) {
    let findings = verify(module);
    let printed = print(module);
    if findings.is_empty() {
        let again = parse(&printed).expect("printed text of a sound module");
        assert_eq!(print(&again), printed);
    }
    if let Ok(bytes) = write(module) {
        drop(read(&bytes));
    }
}

fn try_text(source: &str) {
    if let Ok(module) = parse(source) {
        use_all(&module);
    }
}

fn try_binary(bytes: &[u8]) {
    if let Ok(module) = read(bytes) {
        use_all(&module);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..400)) {
        try_binary(&bytes);
        let mut object = b"CISA\x04\x01".to_vec();
        object.extend(&bytes);
        try_binary(&object);
    }

    #[test]
    fn any_text(text in ".{0,200}") {
        try_text(&text);
        try_text(&format!(".version 4.1\n.kernel k\n{text}"));
    }

    #[test]
    fn changed_bytes(changes in vec((any::<Index>(), any::<u8>()), 1..4)) {
        let mut bytes = BINARY.clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        try_binary(&bytes);
    }

    #[test]
    fn changed_code(changes in vec((any::<Index>(), any::<u8>()), 1..3)) {
        // The instructions are the last part of the file.
        let mut bytes = BINARY.clone();
        let code = 600;
        let start = bytes.len() - code;
        for (at, byte) in changes {
            bytes[start + at.index(code)] = byte;
        }
        try_binary(&bytes);
    }

    #[test]
    fn changed_text(at in any::<Index>(), len in 0usize..6, with in "[ -~\n]{0,4}") {
        let at = at.index(TEXT.len());
        let end = (at + len).min(TEXT.len());
        try_text(&format!("{}{with}{}", &TEXT[..at], &TEXT[end..]));
    }
}
