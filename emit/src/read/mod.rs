//! Listings back to machine code.
//!
//! The language is that of [`listing`](crate::listing), which is the reference disassembler's: an instruction a line,
//! labels on lines of their own or before an instruction, comments as in C++. The reader walks the rows of which the
//! printer and the encoder are made, and has no table of its own. An instruction is compact exactly if its line says
//! so.
//!
//! Bytes in a comment (`// bytes ...`) are those of the instruction, if they say what its text says.
//!
//! The code says what the text says: each instruction is encoded, decoded again, and printed; the result must be the
//! text of the instruction that was read. What has no encoding, or breaks a rule of the platform, is an error.

mod cursor;
mod inst;
mod operand;

use std::collections::HashMap;
use std::fmt;

use crate::encoding::spec::{Form, Spec};
use crate::encoding::{decode, encode, spec};
use crate::inst::{Inst, Op, Target};
use crate::listing::{BYTES, Remark};
use crate::platform::Platform;
use crate::print::write_inst;
use crate::text::Text;
use crate::verify::{verify_finished, verify_function};
use cursor::{Cursor, Unreadable, What};
use inst::Line;

/// The machine code of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembly {
    pub code: Vec<u8>,
    /// Offset of each instruction in the code, in bytes, and its place in the text.
    pub places: Vec<(u32, Place)>,
    /// Comments to the end of a line, by the offset of the instruction that they are beside or before.
    pub comments: Vec<Remark>,
}

impl Assembly {
    /// The place in the text of the instruction at an offset of the code, in bytes.
    pub fn place(&self, offset: u32) -> Option<Place> {
        let found = self.places.binary_search_by_key(&offset, |(at, _)| *at);
        found.ok().map(|at| self.places[at].1)
    }
}

/// A place in a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// From 1, in bytes.
    pub column: u32,
}

/// An error of a listing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct ReadError {
    pub at: Place,
    /// Length of the text that is wrong, in bytes; 0 at the end of a line.
    pub len: u32,
    pub what: String,
}

/// Number of errors after which reading stops.
const MAX_ERRORS: usize = 20;

/// Length of a found text above which it is cut.
const MAX_FOUND: usize = 32;

/// Machine code of the listing `text`. With `unchecked`, instructions may break rules of the platform.
///
/// # Errors
/// All errors up to a maximum number, in the order of the lines: text that is no instruction of the platform, labels that
/// are missing or there twice, instructions that have no encoding or break a rule.
pub fn assemble(
    text: &str,
    platform: &'static Platform,
    unchecked: bool,
) -> Result<Assembly, Vec<ReadError>> {
    let mut reader = Reader {
        platform,
        spec: spec(platform),
        unchecked,
        labels: HashMap::new(),
        lines: Vec::new(),
        comments: Vec::new(),
        size: 0,
        errors: Vec::new(),
    };
    let mut in_comment = false;
    for (number, line) in (1..).zip(text.lines()) {
        if reader.errors.len() >= MAX_ERRORS {
            break;
        }
        let (code, comment) = without_comments(line, &mut in_comment);
        reader.line(number, &code, comment);
    }
    let assembly = reader.finish();
    match reader.errors.is_empty() {
        true => Ok(assembly),
        false => Err(reader.errors),
    }
}

/// True if the text of an instruction is read as this one, which it names without labels.
pub(crate) fn reads_as(text: &str, inst: &Inst, platform: &'static Platform) -> bool {
    let mut cursor = Cursor::new(text.trim_end());
    cursor.space();
    let read = Line::read(&mut cursor, spec(platform));
    read.is_ok_and(|line| line.labels == [None, None] && line.inst == *inst)
}

/// The line with spaces in the place of comments, and the comment to its end. A comment that is open at its end goes on
/// in the next.
fn without_comments<'a>(line: &'a str, in_comment: &mut bool) -> (String, &'a str) {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while !rest.is_empty() {
        let (text, mark, kept) = if *in_comment {
            let (text, found) = rest
                .split_once("*/")
                .map_or((rest, false), |(a, _)| (a, true));
            (text, if found { "*/" } else { "" }, false)
        } else {
            let open = rest.find("/*").unwrap_or(rest.len());
            let line = rest.find("//").unwrap_or(rest.len());
            if line <= open {
                out.push_str(&rest[..line]);
                return (out, rest[line..].strip_prefix("//").unwrap_or_default());
            }
            (&rest[..open], "/*", true)
        };
        match kept {
            true => out.push_str(text),
            false => out.extend(std::iter::repeat_n(' ', text.len())),
        }
        out.extend(std::iter::repeat_n(' ', mark.len()));
        rest = &rest[text.len() + mark.len()..];
        *in_comment ^= !mark.is_empty();
    }
    (out, "")
}

struct Reader {
    platform: &'static Platform,
    spec: &'static Spec,
    unchecked: bool,
    /// Offset of each label, in bytes, and the line that has it.
    labels: HashMap<String, (u32, u32)>,
    lines: Vec<Read>,
    comments: Vec<Remark>,
    /// Bytes of the instructions that were read.
    size: u32,
    errors: Vec<ReadError>,
}

/// An instruction of a line.
struct Read {
    at: Place,
    offset: u32,
    line: Line,
    /// The bytes that a comment says.
    bytes: Option<Vec<u8>>,
}

impl Reader {
    fn line(&mut self, number: u32, text: &str, comment: &str) {
        let comments = comment.split(" // ").filter(|text| !text.is_empty());
        self.comments.extend(comments.map(|text| Remark {
            offset: self.size.into(),
            text: text.trim().to_string(),
        }));
        let mut cursor = Cursor::new(text.trim_end());
        loop {
            cursor.space();
            let mut after = cursor;
            let name = after.take(is_of_label);
            if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !after.eat(":")
            {
                break;
            }
            let defined = (self.size, number);
            if let Some((_, first)) = self.labels.insert(name.to_string(), defined) {
                let what = format!("label `{name}` is there twice, first in line {first}");
                self.say(number, cursor.at, name.len(), what);
            }
            cursor = after;
        }
        if cursor.is_at_end() {
            return;
        }
        let column = cursor.at;
        if let Some(line) = self.meant(&text[column..], comment) {
            self.push(place(number, column), line, comment);
            return;
        }
        match Line::read(&mut cursor, self.spec) {
            Ok(line) => self.push(place(number, column), line, comment),
            Err(Unreadable { at, what }) => {
                let found = found(&cursor.line[at..]);
                let what = match (what, found) {
                    (What::Wrong(what), _) => what,
                    (What::Expected(what), "") => {
                        format!("found the end of the line, expected {what}")
                    }
                    (What::Expected(what), found) => format!("found `{found}`, expected {what}"),
                };
                self.say(number, at, found.len(), what);
            }
        }
    }

    fn push(&mut self, at: Place, line: Line, comment: &str) {
        let offset = self.size;
        let bytes = comment.split(" // ").find_map(bytes_of);
        let size = match &bytes {
            Some(bytes) if line.inst.op == Op::Illegal => bytes.len() as u32,
            _ => line.inst.size(),
        };
        self.size = self.size.saturating_add(size);
        self.lines.push(Read {
            at,
            offset,
            line,
            bytes,
        });
    }

    /// The instruction of the bytes in a comment, if its text is this one.
    fn meant(&self, text: &str, comment: &str) -> Option<Line> {
        let bytes = comment.split(" // ").find_map(bytes_of)?;
        let inst = decode(&bytes, self.platform).ok()?;
        let mut listed = Text::default();
        write_inst(&inst, None, Some(self.spec), &mut listed);
        let listed = listed.into_string();
        let same = listed.split_whitespace().eq(text.split_whitespace());
        same.then_some(Line {
            inst,
            labels: [None, None],
        })
    }

    fn say(&mut self, line: u32, column: usize, len: usize, what: String) {
        let (at, len) = (place(line, column), len as u32);
        self.errors.push(ReadError { at, len, what });
    }

    /// Gives branches their targets, and encodes.
    fn finish(&mut self) -> Assembly {
        let mut assembly = Assembly {
            comments: std::mem::take(&mut self.comments),
            ..Assembly::default()
        };
        for Read {
            at,
            offset,
            line,
            bytes,
        } in std::mem::take(&mut self.lines)
        {
            if self.errors.len() >= MAX_ERRORS {
                break;
            }
            let column = at.column as usize - 1;
            let Line { mut inst, labels } = line;
            let base = if inst.op.branches_to_place() {
                0
            } else {
                i64::from(offset)
            };
            let mut whole = true;
            for (target, label) in [&mut inst.jip, &mut inst.uip].into_iter().zip(labels) {
                let Some((place, name)) = label else { continue };
                let distance = self.labels.get(&name).map(|(to, _)| i64::from(*to) - base);
                match distance.and_then(|distance| i32::try_from(distance).ok()) {
                    Some(distance) => *target = Some(Target::Offset(distance)),
                    None => {
                        let what = format!("there is no label `{name}`");
                        self.say(at.line, place, name.len(), what);
                        whole = false;
                    }
                }
            }
            if !whole {
                continue;
            }
            match self.encode(&inst, bytes) {
                Ok(bytes) => {
                    assembly.places.push((offset, at));
                    assembly.code.extend_from_slice(&bytes);
                }
                Err(what) => self.say(at.line, column, 1, what),
            }
        }
        assembly
    }

    /// The bytes of an instruction, which must say all of it: those of a comment, if they say the same, or the encoder's.
    fn encode(&self, inst: &Inst, bytes: Option<Vec<u8>>) -> Result<Vec<u8>, String> {
        let bytes = bytes.filter(|bytes| match decode(bytes, self.platform) {
            Ok(back) => self.text(&back) == self.text(inst),
            Err(_) => inst.op == Op::Illegal,
        });
        let bytes = match bytes {
            Some(bytes) if inst.op == Op::Illegal => return Ok(bytes),
            Some(bytes) => bytes,
            None => {
                let encoded = encode(inst, self.platform).map_err(|e| e.to_string())?;
                encoded.as_bytes().to_vec()
            }
        };
        let back = decode(&bytes, self.platform).map_err(|e| e.to_string())?;
        let (text, again) = (self.text(inst), self.text(&back));
        if text != again {
            return Err(format!(
                "the platform cannot say this: its encoding is that of `{again}`"
            ));
        }
        if !self.unchecked && inst.op != Op::Illegal {
            let broken = verify_finished(&back, self.platform)
                .and_then(|()| verify_function(&back, self.platform));
            broken.map_err(|e| e.to_string())?;
        }
        Ok(bytes)
    }

    /// The text of an instruction, for comparison. One of three sources is listed by its encoding, which may be that
    /// of another mode.
    fn text(&self, inst: &Inst) -> String {
        let mut inst = inst.clone();
        let row = self.spec.op(inst.op);
        if self.spec.align16_ternary && row.is_some_and(|row| row.form == Form::Ternary) {
            inst.opts.align16 = true;
        }
        let mut text = Text::default();
        write_inst(&inst, None, Some(self.spec), &mut text);
        let text = text.into_string();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// The bytes that a comment says.
fn bytes_of(comment: &str) -> Option<Vec<u8>> {
    let digits = comment.trim().strip_prefix(BYTES)?.as_bytes();
    let is_some = (2..=32).contains(&digits.len()) && digits.len().is_multiple_of(2);
    let of_pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let all: Option<Vec<u8>> = digits.chunks(2).map(of_pair).collect();
    all.filter(|_| is_some)
}

fn place(line: u32, column: usize) -> Place {
    let column = column as u32 + 1;
    Place { line, column }
}

/// True for the characters of labels.
fn is_of_label(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The word at the start of a text, for messages.
fn found(rest: &str) -> &str {
    let end = rest
        .char_indices()
        .find(|(at, c)| *at >= MAX_FOUND || (*at > 0 && (c.is_whitespace() || *c == ',')));
    &rest[..end.map_or(rest.len(), |(at, _)| at)]
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
