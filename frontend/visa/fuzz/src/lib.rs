//! Properties of every module that was read.

use kiln_platform::platform::Generation;
use kiln_visa::binary::{NEWEST, read, write};
use kiln_visa::module::Module;
use kiln_visa::print::print;
use kiln_visa::text::parse;
use kiln_visa::verify::{check, verify};

/// Runs every function on a module: none panics, a sound module is the same after printing and reading, and written
/// objects can be read.
pub fn use_all(module: &Module) {
    let sound = verify(module).is_empty();
    for platform in [Generation::Skl, Generation::Xe2] {
        check(module, Some(platform));
    }
    let printed = print(module);
    if sound {
        let again = parse(&printed).expect("printed text of a sound module");
        assert_eq!(print(&again), printed);
    }
    if let Ok(bytes) = write(module) {
        let again = read(&bytes);
        if sound {
            comes_back(&again.expect("an object written of a sound module"));
        }
    }
}

/// A sound module read from an object, if it can be written, is read as the same module, and written as the same
/// bytes.
pub fn comes_back(module: &Module) {
    assert!(module.version <= NEWEST);
    if !verify(module).is_empty() {
        return;
    }
    if let Ok(bytes) = write(module) {
        let again = read(&bytes).expect("an object written of a sound module");
        assert_eq!(again, *module);
        assert!(
            write(&again).as_ref() == Ok(&bytes),
            "written otherwise the second time"
        );
    }
}
