//! Listings with directives of assemblers (`.file`, `.loc`, labels of kernels and functions), which Compiler Explorer and
//! other programs read that show assembly beside its source.
//!
//! Lines are those of the source where FILE and LOC of the vISA say any, else those of the vISA itself, if it is a text.

use std::collections::BTreeMap;

use kiln_compile::lines::{Line, Lines};
use kiln_compile::source::{self, Reading};
use kiln_compile::{Compiled, Symbol};
use kiln_emit::listing::{self, Annotations, Remark, Style};
use kiln_emit::platform::Platform;

use super::input::Input;
use super::object;
use super::output::plain;

/// Numbers of files, from 1, by their names.
type Files = BTreeMap<String, usize>;

/// Lines of a text of vISA by its instructions, and the text's name, by kernel or function.
struct Texts<'a>(BTreeMap<String, (&'a str, Vec<u32>)>);

impl<'a> Texts<'a> {
    fn of(inputs: &'a [Input], how: &Reading) -> Texts<'a> {
        let mut found = BTreeMap::new();
        for input in inputs {
            // The compilation has said what is wrong with a file.
            let Ok(source::Form::Text(_)) = source::form(input) else {
                continue;
            };
            let Ok(read) = source::read(input, how) else {
                continue;
            };
            for object in read.module.objects {
                let lines = object.insts.iter().map(|inst| inst.place.pos).collect();
                found.insert(object.name.to_string(), (input.name.as_str(), lines));
            }
        }
        Texts(found)
    }

    /// The place in a text of an instruction of a kernel or function.
    fn place(&self, name: &str, visa: u32) -> Option<(&'a str, u32)> {
        let (file, lines) = self.0.get(name)?;
        Some((file, *lines.get(visa as usize)?))
    }
}

/// The listing of a module's code, with what lives at each instruction if that is wanted.
pub fn listing(
    kernels: &[&Compiled],
    platform: &'static Platform,
    inputs: &[Input],
    how: &Reading,
    live: bool,
) -> String {
    let texts = Texts::of(inputs, how);
    let mut files = Files::new();
    let mut body = String::new();
    for kernel in kernels {
        let annotations = Annotations {
            directives: directives(kernel, &texts, &mut files),
            comments: match live {
                true => object::live(kernel, platform),
                false => Vec::new(),
            },
            ..Annotations::default()
        };
        let mut text = String::new();
        listing::list_onto(
            &kernel.code,
            platform,
            Style::Labels,
            &annotations,
            &mut text,
        );
        body.push_str(&text);
    }
    let mut numbered: Vec<_> = files.iter().collect();
    numbered.sort_unstable_by_key(|(_, number)| **number);
    let heads = numbered
        .iter()
        .map(|(name, number)| format!("\t.file\t{number} \"{}\"\n", plain(name)));
    heads.chain([body]).collect()
}

/// The directives of a kernel's code: labels where functions begin, and lines where they change.
fn directives(kernel: &Compiled, texts: &Texts, files: &mut Files) -> Vec<Remark> {
    let mut found = Vec::new();
    for symbol in &kernel.symbols {
        let name = plain(&symbol.name);
        found.push(Remark {
            offset: symbol.offset.into(),
            text: format!("\t.globl\t\"{name}\"\n\"{name}\":"),
        });
    }
    let has_source = kernel.lines.lines.iter().any(|line| line.source.is_some());
    let mut last = None;
    for line in &kernel.lines.lines {
        let place = match has_source {
            true => of_source(&kernel.lines, line),
            false => of_text(&kernel.symbols, line, texts),
        };
        let Some((file, number)) = place else {
            continue;
        };
        let next = files.len() + 1;
        let file = *files.entry(file.to_string()).or_insert(next);
        if last.replace((file, number)) != Some((file, number)) {
            found.push(Remark {
                offset: line.offset.into(),
                text: format!("\t.loc\t{file} {number} 0"),
            });
        }
    }
    found.sort_by_key(|remark| remark.offset);
    found
}

fn of_source<'a>(lines: &'a Lines, line: &Line) -> Option<(&'a str, u32)> {
    let source = line.source?;
    Some((lines.file(source).unwrap_or_default(), source.line))
}

fn of_text<'a>(symbols: &[Symbol], line: &Line, texts: &Texts<'a>) -> Option<(&'a str, u32)> {
    let before = |symbol: &&Symbol| symbol.offset <= line.offset;
    let symbol = symbols
        .iter()
        .filter(before)
        .max_by_key(|symbol| symbol.offset)?;
    texts.place(&symbol.name, line.visa?)
}
