//! Listings as JSON.
//!
//! One object, `{"version": 1, "files": […]}`. Absent facts are left out, not null. The version changes when a field
//! is removed or its meaning changes.

use std::collections::BTreeMap;

use kiln_emit::inst::{Inst, Target};
use kiln_emit::listing::{self, Counts, Entry, Remark, Style};
use kiln_emit::live::Point;
use kiln_emit::platform::Platform;
use miette::{Report, miette};
use serde::Serialize;

use super::File;
use super::unit::{CodeSymbol, Unit};
use crate::names::Maps;

const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    files: Vec<FileOut<'a>>,
}

#[derive(Serialize)]
struct FileOut<'a> {
    path: String,
    platform: &'static str,
    units: Vec<UnitOut<'a>>,
}

#[derive(Serialize)]
struct UnitOut<'a> {
    /// `None` for a raw file.
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<&'a str>,
    /// Offset in the section, in bytes.
    offset: u64,
    size: usize,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    symbols: &'a [CodeSymbol],
    instructions: Vec<InstOut<'a>>,
}

/// One instruction, or bytes that are none.
#[derive(Serialize)]
struct InstOut<'a> {
    /// Offset in the unit, in bytes.
    offset: u32,
    size: u32,
    compacted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exec_size: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel_offset: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<MessageOut>,
    /// Branch targets, in bytes from the start of the unit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relocations: Vec<&'a str>,
    /// Source line, if the file has a line table.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceOut<'a>>,
    /// Registers that live there, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<Point>,
    /// Variables of which it is the first to write a value, if what lives was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<String>,
    /// Reason why the bytes are no instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    illegal: Option<String>,
}

#[derive(Serialize)]
struct SourceOut<'a> {
    file: &'a str,
    line: u32,
}

#[derive(Serialize)]
struct MessageOut {
    function: u8,
    end_of_thread: bool,
    description: String,
}

/// The document, and the counts of each file.
pub fn write(files: &[File], style: Style, live: bool) -> Result<(String, Vec<Counts>), Report> {
    let document = Document {
        version: VERSION,
        files: files
            .iter()
            .map(|file| file_out(file, style, live))
            .collect(),
    };
    let text = serde_json::to_string_pretty(&document).map_err(|e| miette!("JSON: {e}"))?;
    let counts = document.files.iter().map(counts).collect();
    Ok((text + "\n", counts))
}

fn counts(file: &FileOut) -> Counts {
    let instructions = || file.units.iter().flat_map(|unit| &unit.instructions);
    let wrong = |inst: &&InstOut| inst.illegal.is_some();
    Counts {
        entries: instructions().count(),
        illegal: instructions().filter(wrong).count(),
    }
}

fn file_out<'a>(file: &'a File, style: Style, live: bool) -> FileOut<'a> {
    FileOut {
        path: file.path.display().to_string(),
        platform: file.platform.name,
        units: file
            .units
            .iter()
            .map(|unit| unit_out(file, unit, style, live))
            .collect(),
    }
}

fn unit_out<'a>(file: &'a File, unit: &'a Unit, style: Style, live: bool) -> UnitOut<'a> {
    let platform = file.platform;
    let (mut points, mut written) = (Vec::new(), BTreeMap::new());
    if live {
        let code = listing::insts(unit.code(), platform);
        let live = unit.live(&code, platform);
        let names = Maps::inside(file).names_of(unit, platform, code.len(), &live);
        for (at, names) in names.written(&live) {
            written.insert(at, names.into_iter().map(str::to_string).collect());
        }
        points = live.points;
    }
    let mut points = (0u32..).zip(points);
    let mut remarks = unit.relocations.iter().peekable();
    let instructions = listing::entries(unit.code(), platform).map(|entry| {
        let end = u64::from(entry.offset) + u64::from(entry.len);
        let here = std::iter::from_fn(|| remarks.next_if(|remark| remark.offset < end));
        let relocations = here.map(|remark: &Remark| remark.text.as_str()).collect();
        let source = unit.lines.at(entry.offset).and_then(|line| line.source);
        let (number, live) = points.next().unzip();
        InstOut {
            relocations,
            live,
            names: number
                .and_then(|at| written.remove(&at))
                .unwrap_or_default(),
            source: source.map(|source| SourceOut {
                file: unit.lines.file(source).unwrap_or_default(),
                line: source.line,
            }),
            ..inst_out(&entry, platform, style)
        }
    });
    UnitOut {
        section: unit.section.as_deref(),
        offset: unit.offset,
        size: unit.code().len(),
        symbols: &unit.symbols,
        instructions: instructions.collect(),
    }
}

/// Facts of an instruction that do not depend on its unit.
fn inst_out<'a>(entry: &Entry, platform: &Platform, style: Style) -> InstOut<'a> {
    let inst = entry.inst.as_ref().ok();
    InstOut {
        offset: entry.offset,
        size: entry.len,
        compacted: entry.len == 8,
        op: inst.map(|inst| inst.op.mnemonic()),
        exec_size: inst.map(|inst| inst.exec_size),
        channel_offset: inst.map(|inst| inst.chan_off),
        text: inst.map(|inst| listing::line(inst, entry.offset, platform, style)),
        message: inst.and_then(|inst| message_out(inst, platform)),
        targets: inst
            .map(|inst| targets(inst, entry.offset))
            .unwrap_or_default(),
        relocations: Vec::new(),
        source: None,
        live: None,
        names: Vec::new(),
        illegal: entry.inst.as_ref().err().map(ToString::to_string),
    }
}

fn message_out(inst: &Inst, platform: &Platform) -> Option<MessageOut> {
    let message = inst.msg?;
    Some(MessageOut {
        function: message.sfid,
        end_of_thread: message.eot,
        description: listing::message(inst, platform)?,
    })
}

fn targets(inst: &Inst, offset: u32) -> Vec<i64> {
    let base = if inst.op.branches_to_place() {
        0
    } else {
        i64::from(offset)
    };
    let distance = |target| match target {
        Target::Offset(distance) => Some(base + i64::from(distance)),
        _ => None,
    };
    [inst.jip, inst.uip]
        .into_iter()
        .flatten()
        .filter_map(distance)
        .collect()
}
