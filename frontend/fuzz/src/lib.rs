//! What must hold of any module that was read, whatever it was read from.

use kiln_frontend::binary::{read, write};
use kiln_frontend::module::Module;
use kiln_frontend::platform::Platform;
use kiln_frontend::print::print;
use kiln_frontend::text::parse;
use kiln_frontend::verify::{check, verify};

/// Does all that can be done with a module: none of it may panic, a sound one is the same after it
/// was printed and read, and what is written is read.
pub fn use_all(module: &Module) {
    let sound = verify(module).is_empty();
    check(module, Some(Platform::Xe2));
    let printed = print(module);
    if sound {
        let again = parse(&printed).expect("printed text of a sound module");
        assert_eq!(print(&again), printed);
    }
    if let Ok(bytes) = write(module) {
        let again = read(&bytes);
        assert!(!sound || again.is_ok(), "{}", again.expect_err("an error"));
    }
}
