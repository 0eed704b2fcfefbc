//! A program with its inputs and expected results as a text: the vISA, and before it, as comments, the contents of its
//! buffers. A program that failed once stays a test, even if the generator draws others from its seed later.

use std::fmt::Write;

use kiln_emit::platform::{self, Platform};

use crate::program::Program;
use crate::walk::{Bytes, Outcome, first_memory, initial, low};

/// Bytes a line.
const LINE: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub target: &'static Platform,
    pub simd: usize,
    pub items: usize,
    /// Initial contents of all variables.
    pub before: Vec<u8>,
    /// Initial contents of the buffer.
    pub memory: Vec<u8>,
    /// Dwords of the variables, then of the predicates.
    pub expected: Vec<Part>,
    pub buffer: Part,
    pub text: String,
}

/// Expected bytes, and a mask of the bits that count (all bits if the text has none).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub name: String,
    pub bytes: Vec<u8>,
    pub counts: Vec<u8>,
}

impl Part {
    fn new(name: String, bytes: &Bytes) -> Part {
        let counts = bytes.open.iter().map(|&open| if open { 0 } else { 0xff });
        let counts: Vec<u8> = counts.collect();
        let known = bytes
            .bytes
            .iter()
            .zip(&counts)
            .map(|(byte, counts)| byte & counts);
        Part {
            name,
            bytes: known.collect(),
            counts,
        }
    }
}

impl Case {
    pub fn new(program: &Program, outcome: &Outcome) -> Case {
        let scope = &program.scopes[0];
        let mut expected = Vec::new();
        for (i, (var, bytes)) in scope.vars.iter().zip(&outcome.vars).enumerate() {
            expected.push(Part::new(format!("X{i} ({})", var.ty.name()), bytes));
        }
        for (i, (&(bits, open), &elements)) in outcome.preds.iter().zip(&scope.preds).enumerate() {
            let counts = low(elements) & !open;
            expected.push(Part {
                name: format!("P{}", i + 1),
                bytes: (bits & counts).to_le_bytes().to_vec(),
                counts: counts.to_le_bytes().to_vec(),
            });
        }
        Case {
            target: program.target,
            simd: program.simd,
            items: program.items,
            before: initial(program).concat(),
            memory: first_memory(program),
            expected,
            buffer: Part::new("the buffer".into(), &outcome.memory),
            text: program.text(),
        }
    }

    /// Bytes that the program leaves of its variables and predicates.
    pub fn state(&self) -> usize {
        self.before.len() + 64
    }

    /// Register limits: the modes of the target, and few enough to spill; programs with functions need a whole mode.
    pub fn limits(&self) -> &'static [u32] {
        match (
            self.target.grf_count,
            self.text.contains(".global_function"),
        ) {
            (128, true) => &[128],
            (128, false) => &[128, 40],
            (_, true) => &[256, 128],
            (_, false) => &[256, 128, 40],
        }
    }

    pub fn write(&self) -> String {
        let (name, simd, items) = (self.target.name, self.simd, self.items);
        let mut out = format!("// platform: {name}\n// channels: {simd}\n// items: {items}\n");
        section(&mut out, "before", &self.before);
        section(&mut out, "memory", &self.memory);
        for part in self.expected.iter().chain([&self.buffer]) {
            section(&mut out, &format!("{} is", part.name), &part.bytes);
            let all = part.counts.iter().all(|&counts| counts == 0xff);
            let counts = if all { &[][..] } else { &part.counts };
            section(&mut out, &format!("{} counts", part.name), counts);
        }
        out.push_str(&self.text);
        out
    }

    /// The case of a text made by `write`; `None` for any other.
    pub fn read(text: &str) -> Option<Case> {
        let start = text.find(".version")?;
        let (comments, text) = text.split_at(start);
        let mut sections: Vec<(&str, Vec<u8>)> = Vec::new();
        let (mut target, mut numbers) = (None, Vec::new());
        for line in comments.lines() {
            let line = line.strip_prefix("// ")?;
            match line.split_once(':') {
                Some((name, "")) => sections.push((name, Vec::new())),
                Some(("platform", name)) => target = platform::find(name.trim()),
                Some((_, number)) => numbers.push(number.trim().parse().ok()?),
                None => {
                    let bytes = &mut sections.last_mut()?.1;
                    for at in (0..line.len()).step_by(2) {
                        bytes.push(u8::from_str_radix(line.get(at..at + 2)?, 16).ok()?);
                    }
                }
            }
        }
        let [simd, items] = numbers[..] else {
            return None;
        };
        let mut sections = sections.into_iter();
        let (before, memory) = (sections.next()?.1, sections.next()?.1);
        let mut expected = Vec::new();
        while let Some((name, bytes)) = sections.next() {
            let mut counts = sections.next()?.1;
            if counts.is_empty() {
                counts = vec![0xff; bytes.len()];
            }
            expected.push(Part {
                name: name.strip_suffix(" is")?.into(),
                bytes,
                counts,
            });
        }
        let buffer = expected.pop()?;
        Some(Case {
            target: target?,
            simd,
            items,
            before,
            memory,
            expected,
            buffer,
            text: text.into(),
        })
    }
}

fn section(out: &mut String, name: &str, bytes: &[u8]) {
    let _ = writeln!(out, "// {name}:");
    for line in bytes.chunks(LINE) {
        out.push_str("// ");
        for byte in line {
            let _ = write!(out, "{byte:02x}");
        }
        out.push('\n');
    }
}
