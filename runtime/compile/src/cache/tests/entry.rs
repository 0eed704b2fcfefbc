use super::*;
use crate::options::Options;
use crate::session::Session;
use crate::source::Input;

fn module() -> CompiledModule {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/saxpy");
    let bytes = std::fs::read(format!("{folder}/saxpy.visaasm")).unwrap();
    let platform = kiln_platform::platform::find("skl").unwrap();
    let input = Input {
        name: "k",
        bytes: &bytes,
    };
    let session = Session::new(Options::new(platform));
    session.compile_module(&[input]).unwrap()
}

/// Contents with the right hash may still be arbitrary bytes.
#[test]
fn whatever_an_entry_holds_it_is_read_or_refused() {
    let bytes = write_module(&module()).unwrap();
    assert!(read_module(&bytes).is_some());
    for end in 0..bytes.len() {
        assert!(read_module(&bytes[..end]).is_none(), "{end}");
    }
    for at in 0..bytes.len() {
        for value in [0, 0x7f, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] = value;
            let _ = read_module(&damaged);
            // A length of 2^63.
            let mut long = bytes[..at].to_vec();
            long.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
            assert!(read_module(&long).is_none());
        }
    }
}

#[test]
fn groups_are_of_all_files() {
    let groups = [&[0, 2][..], &[1]];
    let bytes = write_groups(groups.into_iter()).unwrap();
    assert_eq!(read_groups(&bytes, 3).unwrap(), groups);
    for files in [2, 4] {
        assert!(read_groups(&bytes, files).is_none());
    }
    for wrong in [&[&[0, 1][..], &[1]][..], &[&[0, 1], &[]]] {
        let bytes = write_groups(wrong.iter().copied()).unwrap();
        assert!(read_groups(&bytes, 2).is_none());
    }
}
