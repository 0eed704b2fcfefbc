//! Options that a compiler gave the other finalizer, as the listing beside a kernel's vISA has them.

use std::fs;
use std::path::Path;

/// Begin of the line of a listing with the options.
const LINE: &str = "//.full_options \"";

/// Options that select outputs, that end a compilation which spills, that belong to the compiler's own linking, or that
/// only the compiler's own copy of the finalizer knows.
const LEFT_OUT: [&str; 18] = [
    "-GRFBumpUpNumber",
    "-abortOnSpill",
    "-abortonspill",
    "-binary",
    "-dumpcombinedcisa",
    "-dumpcommonisa",
    "-dumpvisa",
    "-emitLocation",
    "-hashmovs",
    "-hashmovs1",
    "-linker",
    "-noStitchExternFunc",
    "-noverifyCISA",
    "-output",
    "-printHexFloatInAsm",
    "-shaderDumpFilter",
    "-supportLSCImmScale",
    "-wideMulMadOpsEn",
];

/// The options in the listing `STEM.asm` beside `STEM.visaasm`; none without one.
pub fn options(kernel: &Path) -> Vec<String> {
    let listing = fs::read_to_string(kernel.with_extension("asm")).unwrap_or_default();
    let line = listing.lines().find_map(|line| line.strip_prefix(LINE));
    let words = line.unwrap_or_default().trim_end_matches('"');
    let mut options = Vec::new();
    let mut is_kept = false;
    for word in words.split_whitespace() {
        if word.starts_with('-') {
            is_kept = !LEFT_OUT.contains(&word);
        }
        if is_kept {
            options.push(word.to_string());
        }
    }
    options
}
