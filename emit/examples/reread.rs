//! Lists machine code and reads the listing again:
//! `cargo run -p kiln-emit --example reread -- PLATFORM FILE...`
//!
//! Prints the number of instructions, and of files whose listing is not read back to the same bytes, with the first
//! difference of each. Fails if there is one. Zeros at the end that are too short for an instruction are padding, which
//! no listing has.

use kiln_emit::listing::{Style, entries, list};
use kiln_emit::platform::{Platform, find};
use kiln_emit::read::assemble;
use std::process::ExitCode;
use std::{env, fs, io};

fn main() -> io::Result<ExitCode> {
    let mut args = env::args().skip(1);
    let Some(platform) = args.next().as_deref().and_then(find) else {
        eprintln!("reread: PLATFORM FILE...");
        return Ok(ExitCode::from(2));
    };
    let (mut files, mut insts, mut differ) = (0, 0, 0);
    for file in args {
        let code = fs::read(&file)?;
        files += 1;
        insts += entries(&code, platform).count();
        if let Err(what) = reread(&code, platform) {
            differ += 1;
            println!("{file}: {what}");
        }
    }
    println!(
        "{files} files, {insts} instructions; {differ} listings are not read back to the same bytes"
    );
    Ok(ExitCode::from(u8::from(differ != 0)))
}

fn reread(code: &[u8], platform: &'static Platform) -> Result<(), String> {
    let listing = list(code, platform, Style::Labels);
    let read = assemble(&listing, platform, true).map_err(|errors| {
        let first = &errors[0];
        let line = listing.lines().nth(first.at.line as usize - 1);
        format!("{}: {first}: {}", first.at, line.unwrap_or_default().trim())
    })?;
    let end = code.len() - code.iter().rev().take_while(|byte| **byte == 0).count();
    let padded = code.len() - read.code.len() < 16 && read.code.len() >= end;
    if code.starts_with(&read.code) && padded {
        return Ok(());
    }
    let at = code.iter().zip(&read.code).position(|(a, b)| a != b);
    let entry = entries(code, platform)
        .take_while(|e| at.is_none_or(|at| e.offset as usize <= at))
        .last();
    let Some(entry) = entry else {
        return Err("no instruction".to_string());
    };
    let range = entry.offset as usize..(entry.offset + entry.len) as usize;
    let inst = entry.inst.map_err(|e| e.to_string())?;
    let (was, is) = (&code[range.clone()], read.code.get(range));
    Err(format!("{inst}: {was:02x?} is read as {is:02x?}"))
}
