//! Raw sends of every form, size, mask, predicate and descriptor: our encoding equals the reference finalizer's.
//! `.ci/raw-sends` makes `table.txt` and describes its layout.

use kiln_compile::Options;
use kiln_compile::attempt::{self, Scratch};
use kiln_emit::listing::{self, Style};
use kiln_emit::platform::{self, Platform};
use kiln_visa::text;

/// Low bits of the first word.
const OPCODE: u128 = 0x7f;
const SEND: u128 = 0x31;
const SPLIT: u128 = 0x33;
/// The bit that marks a compacted instruction; no send is compacted.
const COMPACT: u128 = 1 << 29;
const END_OF_THREAD: u128 = 1 << 127;
/// The shared function that ends a thread.
const THREAD_SPAWNER: u128 = 7;
/// In a split send: the bit that says that the extended descriptor is in a subregister of a0.
const IN_REGISTER: u128 = 1 << 61;

fn skl() -> &'static Platform {
    platform::find("skl").expect("the platform of the table")
}

/// A mask of bits.
fn bits(high: u32, low: u32) -> u128 {
    (u128::MAX >> (127 - high)) & (u128::MAX << low)
}

/// First register that a message that ends the thread may be sent from.
const END_FROM: u128 = 112;

/// Sends in the code, except the usual end of the thread.
fn sends(code: &[u8]) -> Vec<u128> {
    let mut rest = code;
    let mut words = Vec::new();
    while let Some((low, _)) = rest.split_first_chunk::<8>() {
        if u128::from(u64::from_le_bytes(*low)) & COMPACT != 0 {
            rest = &rest[8..];
            continue;
        }
        let (word, others) = rest.split_first_chunk().expect("whole instructions");
        rest = others;
        let word = u128::from_le_bytes(*word);
        let function = word >> 24 & 15;
        let ends = word & END_OF_THREAD != 0 && function == THREAD_SPAWNER;
        if (SEND..SEND + 4).contains(&(word & OPCODE)) && !ends {
            words.push(word);
        }
    }
    words
}

/// The encoding with all register numbers cleared.
fn without_registers(word: u128) -> u128 {
    let mut numbers = bits(33, 32) | bits(60, 53) | bits(76, 69);
    if word & OPCODE >= SPLIT {
        numbers |= bits(51, 44);
        if word & IN_REGISTER != 0 {
            numbers |= bits(82, 80);
        }
    }
    word & !numbers
}

fn listed(word: u128) -> String {
    listing::list(&word.to_le_bytes(), skl(), Style::Numeric)
}

/// Differences in the sends of a kernel compiled with `grf_limit`.
fn check(head: &str, kernel: &[(u128, &str)], grf_limit: u32) -> Result<(), String> {
    let lines: Vec<&str> = kernel.iter().map(|&(_, line)| line).collect();
    let end = match lines.last() {
        Some(last) if last.contains("_eot") => "",
        _ => "ret (M1, 1)\n",
    };
    let source = format!("{head}{}\n{end}", lines.join("\n"));
    let module = text::parse(&source).map_err(|e| format!("{}: {e:?}", lines[0]))?;
    let mut options = Options::new(skl());
    options.verify = true;
    options.grf_limit = grf_limit;
    let compiled = attempt::compile(&module.objects[0], &options, &mut Scratch::default())
        .map_err(|e| format!("{}: {e}", lines[0]))?;
    let words = sends(&compiled.code);
    if words.len() != kernel.len() {
        return Err(format!(
            "{}: {} sends, {} are expected",
            lines[0],
            words.len(),
            kernel.len()
        ));
    }
    for (word, (expected, line)) in words.into_iter().zip(kernel) {
        let ours = without_registers(word);
        // If its extended descriptor is in a register, the reference omits the end-of-thread bit.
        let forgets = line.contains("_eot") && expected & IN_REGISTER != 0;
        let expected = &(expected | if forgets { END_OF_THREAD } else { 0 });
        if ours != *expected {
            return Err(format!(
                "{line}\n  ours:      {ours:032x} {}  expected: {expected:032x} {}",
                listed(ours),
                listed(*expected)
            ));
        }
        let second = word & OPCODE >= SPLIT && word & bits(36, 36) != 0;
        let low = (word >> 69 & 0xff) < END_FROM || second && (word >> 44 & 0xff) < END_FROM;
        if word & END_OF_THREAD != 0 && low {
            return Err(format!("{line}: {}", listed(word)));
        }
    }
    Ok(())
}

#[test]
fn every_field_is_what_the_reference_encodes() {
    let table = kiln_corpus::text("raw_sends/table.txt");
    let head = table.split("\n\n").next().expect("a head").to_owned() + "\n";
    let mut wrong = Vec::new();
    let mut count = 0;
    for kernel in table.split("\n\n").skip(1) {
        let kernel: Vec<(u128, &str)> = kernel
            .lines()
            .map(|line| {
                let (word, visa) = line.split_once(' ').expect("a word and vISA");
                (u128::from_str_radix(word, 16).expect("a word"), visa)
            })
            .collect();
        count += kernel.len();
        wrong.extend(check(&head, &kernel, 128).err());
        // The end of the thread is sent from the last registers whatever the limit.
        if matches!(kernel[..], [(word, _)] if word & END_OF_THREAD != 0) {
            wrong.extend(check(&head, &kernel, 72).err());
        }
    }
    assert!(count > 1000, "{count} sends in the table");
    assert!(
        wrong.is_empty(),
        "{} kernels differ\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}
