//! Remarks about compiled kernels, in the YAML form of LLVM's optimization remarks (llvm/docs/Remarks.rst), which its
//! viewers read.
//!
//! Each says what was done or missed, where, and why: values in memory with their messages, arrays in memory, copies, the
//! attempt that succeeded, and gotos that are no structured branches.

use std::fmt::Write as _;

use kiln_compile::Compiled;
use kiln_compile::pressure::{Kept, Point, Profile};
use kiln_emit::inst::Op;
use kiln_emit::listing;
use kiln_emit::platform::Platform;
use kiln_visa::module::Module;
use kiln_visa::text;

use crate::input::Input;

/// A remark.
struct Remark<'a> {
    kind: &'static str,
    pass: &'static str,
    name: &'static str,
    function: &'a str,
    place: Option<(String, u32)>,
    /// Keys and values; plain text has the key `String`.
    args: Vec<(&'static str, String)>,
}

impl Remark<'_> {
    fn write(&self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "--- !{}", self.kind);
        let _ = writeln!(out, "Pass:            {}", self.pass);
        let _ = writeln!(out, "Name:            {}", self.name);
        if let Some((file, line)) = &self.place {
            let file = quoted(file);
            let _ = writeln!(
                out,
                "DebugLoc:        {{ File: {file}, Line: {line}, Column: 0 }}"
            );
        }
        let _ = writeln!(out, "Function:        {}", quoted(self.function));
        out.push_str("Args:\n");
        for (key, value) in &self.args {
            let _ = writeln!(
                out,
                "  - {key:<16} {}",
                quoted(value),
                key = format!("{key}:")
            );
        }
        out.push_str("...\n");
    }
}

/// A string of YAML in single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace(['\n', '\r'], " ").replace('\'', "''"))
}

/// A text of vISA, whose lines are places where the source has none: viewers leave out what has no place.
pub struct Visa {
    name: String,
    module: Option<Module>,
}

impl Visa {
    pub fn of(input: &Input) -> Visa {
        let text = std::str::from_utf8(input).ok();
        Visa {
            name: input.name.clone(),
            module: text.and_then(|text| text::parse(text).ok()),
        }
    }

    /// The place of an instruction, or of the object.
    fn place(&self, object: &str, inst: Option<u32>) -> Option<(String, u32)> {
        let insts = &self.module.as_ref()?.object(object)?.insts;
        let inst = insts.get(inst.unwrap_or(0) as usize)?;
        Some((self.name.clone(), inst.place.pos))
    }
}

/// Remarks about a kernel.
pub fn of(kernel: &Compiled, platform: &'static Platform, visa: &Visa, out: &mut String) {
    for profile in &kernel.profiles {
        of_profile(profile, kernel, visa, out);
    }
    let remark = |kind, pass, name, args| Remark {
        kind,
        pass,
        name,
        function: &kernel.name,
        place: visa.place(&kernel.name, None),
        args,
    };
    for array in &kernel.arrays_in_memory {
        let args = vec![
            ("Variable", array.clone()),
            (
                "String",
                " is in scratch memory: its address is taken, and registers are wanting"
                    .to_string(),
            ),
        ];
        remark("Missed", "regalloc", "ArrayInMemory", args).write(out);
    }
    let allocation = &kernel.allocation;
    let args = vec![
        ("String", "registers: ".to_string()),
        ("Used", allocation.grf_used.to_string()),
        ("String", ", copies: ".to_string()),
        ("Copies", allocation.moves.to_string()),
        ("String", ", flags and addresses in registers: ".to_string()),
        ("Demoted", allocation.demoted.to_string()),
        ("String", ", spill bytes: ".to_string()),
        ("SpillBytes", allocation.spill_bytes.to_string()),
        ("String", ", attempt: ".to_string()),
        ("Attempt", kernel.attempt.name.to_string()),
    ];
    remark("Analysis", "regalloc", "Allocation", args).write(out);
    unstructured(kernel, platform, visa, out);
}

fn source(profile: &Profile, point: &Point) -> Option<(String, u32)> {
    let (file, line) = point.source?;
    Some((profile.files.get(file as usize)?.clone(), line))
}

/// The place of a point in the source, or in the vISA.
fn place(
    profile: &Profile,
    point: Option<&Point>,
    kernel: &Compiled,
    visa: &Visa,
) -> Option<(String, u32)> {
    let said = point.and_then(|point| source(profile, point));
    said.or_else(|| visa.place(&kernel.name, point.and_then(|point| point.visa)))
}

/// Values in memory, and constants that are made anew at the peak.
fn of_profile(profile: &Profile, kernel: &Compiled, visa: &Visa, out: &mut String) {
    for slot in &profile.stored {
        let point = profile.points.get(slot.first);
        let args = vec![
            ("Values", slot.variables.join(", ")),
            ("String", ": in memory, because ".to_string()),
            ("Live", slot.most.to_string()),
            (
                "String",
                " registers live between its messages of ".to_string(),
            ),
            ("Limit", profile.grfs.to_string()),
            ("String", "; stores: ".to_string()),
            ("Stores", slot.stores.to_string()),
            ("String", ", loads: ".to_string()),
            ("Loads", slot.loads.to_string()),
            ("String", ", cost: ".to_string()),
            ("Cost", slot.cost.to_string()),
        ];
        let remark = Remark {
            kind: "Missed",
            pass: "regalloc",
            name: "Spilled",
            function: &profile.name,
            place: place(profile, point, kernel, visa),
            args,
        };
        remark.write(out);
    }
    for value in profile
        .values
        .iter()
        .filter(|value| value.kept == Kept::Constant)
    {
        let point = value.since.and_then(|at| profile.points.get(at));
        let remark = Remark {
            kind: "Passed",
            pass: "remat",
            name: "Rematerializable",
            function: &profile.name,
            place: place(profile, point, kernel, visa),
            args: vec![
                ("Value", value.name().to_string()),
                (
                    "String",
                    " is a constant, which one instruction makes anew where registers are wanting"
                        .to_string(),
                ),
            ],
        };
        remark.write(out);
    }
}

/// A remark for each goto of the final code.
fn unstructured(kernel: &Compiled, platform: &'static Platform, of: &Visa, out: &mut String) {
    for entry in listing::entries(&kernel.code, platform) {
        let Ok(inst) = entry.inst else { continue };
        if inst.op != Op::Goto {
            continue;
        }
        let lines = &kernel.lines.lines;
        let row = lines
            .partition_point(|line| line.offset <= entry.offset)
            .checked_sub(1);
        let row = row.map(|row| &lines[row]);
        let place = row
            .and_then(|row| row.source)
            .and_then(|source| Some((kernel.lines.file(source)?.to_string(), source.line)))
            .or_else(|| of.place(&kernel.name, row.and_then(|row| row.visa)));
        let visa = row
            .and_then(|row| row.visa)
            .map_or_else(|| "-".to_string(), |visa| visa.to_string());
        let remark = Remark {
            kind: "Missed",
            pass: "structure",
            name: "NotStructured",
            function: &kernel.name,
            place,
            args: vec![
                ("String", "a goto stays at byte ".to_string()),
                ("Byte", entry.offset.to_string()),
                ("String", ", of vISA instruction ".to_string()),
                ("Instruction", visa),
                (
                    "String",
                    ": the code that it skips does not nest as if, else, while and break do"
                        .to_string(),
                ),
            ],
        };
        remark.write(out);
    }
}
