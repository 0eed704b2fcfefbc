//! Decodes machine code and encodes it again:
//! `cargo run -p kiln-emit --example recode -- PLATFORM FILE...`
//!
//! Prints the number of instructions and bytes, of those that do not encode to the same bytes, and of compacted ones
//! whose native form has no compact form. Fails if there are any of the latter two.

use kiln_emit::encoding::{compactable, encode};
use kiln_emit::inst::Inst;
use kiln_emit::listing::entries;
use kiln_emit::platform::{Platform, find};
use kiln_emit::verify::verify;
use std::process::ExitCode;
use std::{env, fs, io};

#[derive(Default)]
struct Figures {
    insts: usize,
    bytes: usize,
    compacted: usize,
    differ: usize,
    not_compacted_again: usize,
    /// Bytes that the instructions take with our choice of compact forms.
    ours: usize,
    rules_broken: usize,
}

fn main() -> io::Result<ExitCode> {
    let mut args = env::args().skip(1);
    let Some(platform) = args.next().as_deref().and_then(find) else {
        eprintln!("recode: PLATFORM FILE...");
        return Ok(ExitCode::from(2));
    };
    let mut figures = Figures::default();
    for file in args {
        recode(&file, &fs::read(&file)?, platform, &mut figures);
    }
    let Figures {
        insts,
        bytes,
        compacted,
        differ,
        not_compacted_again,
        ours,
        rules_broken,
    } = figures;
    println!(
        "{insts} instructions, {differ} differ; {compacted} compacted, {not_compacted_again} not \
         compacted again; {bytes} bytes, {ours} by our compactor; {rules_broken} break a rule"
    );
    let bad = differ + not_compacted_again + rules_broken != 0 || ours > bytes;
    Ok(ExitCode::from(u8::from(bad)))
}

fn recode(name: &str, code: &[u8], platform: &'static Platform, figures: &mut Figures) {
    for entry in entries(code, platform) {
        let at = entry.offset as usize;
        let bytes = &code[at..at + entry.len as usize];
        figures.insts += 1;
        figures.bytes += bytes.len();
        let again = entry.inst.as_ref().map(|inst| encode(inst, platform));
        if !matches!(&again, Ok(Ok(encoded)) if encoded.as_bytes() == bytes) {
            figures.differ += 1;
            println!("{name}+{at:#x}: {again:x?} of {bytes:02x?}");
        }
        let Ok(mut inst) = entry.inst else { continue };
        if let Err(violation) = verify(&inst, platform) {
            figures.rules_broken += 1;
            println!("{name}+{at:#x}: {inst}: {violation}");
        }
        let was = std::mem::take(&mut inst.opts.compacted);
        let is = compacts(&inst, was, platform);
        figures.compacted += usize::from(was);
        if was && !is {
            figures.not_compacted_again += 1;
            println!("{name}+{at:#x}: not compacted again: {inst}");
        }
        figures.ours += if is { 8 } else { 16 };
    }
}

/// True if an instruction is encoded in its compact form. A branch is only if it was compact before, because the
/// assembler leaves branches long, as the reference's does.
fn compacts(inst: &Inst, was: bool, platform: &Platform) -> bool {
    if !inst.op.is_branch() {
        return compactable(inst, platform) == Ok(true);
    }
    let mut short = inst.clone();
    short.opts.compacted = true;
    was && encode(&short, platform).is_ok()
}
