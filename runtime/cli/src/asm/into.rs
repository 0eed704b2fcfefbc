//! A listing's code in the place of a kernel's or function's in an object file.
//!
//! Symbols and relocations after the code move with it, sizes follow, and relocations of the code itself go to the
//! instructions whose comments have them (`// relocated: address of NAME`), as `kiln disasm` lists them. Padding after
//! the last symbol stays. A listing with a comment above each kernel and function of a section replaces all of it.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::path::Path;

use kiln_compile::object_file;
use kiln_emit::inst::Target;
use kiln_emit::listing;
use kiln_emit::platform::Platform;
use kiln_emit::read::Assembly;
use kiln_emit::zebin::{SymbolPlace, TEXT_PREFIX, Zebin};
use miette::Report;

use crate::disasm::unit::{self, RELOCATED, Unit, relocation_text};
use crate::{names, no_kernel, report};

/// Code of an object file that is to be replaced.
pub struct Place {
    /// Name of the kernel or function.
    pub name: String,
    /// The section with it.
    pub unit: Unit,
    /// Bytes of the section.
    range: Range<usize>,
    /// New offsets of the section's symbols, if all of it is replaced, in the order of the unit's symbols.
    starts: Option<Vec<u64>>,
}

/// The code that a listing is to replace: that of the named kernel or function, or the only one.
///
/// # Errors
/// No code has the name, or several have code where none is named.
pub fn find(
    path: &Path,
    zebin: &Zebin,
    name: Option<&str>,
    read: &Assembly,
) -> Result<Place, Report> {
    let units = unit::of_zebin(zebin);
    let names = || units.iter().flat_map(|unit| &unit.symbols);
    let is_in = |unit: &&Unit| {
        unit.symbols
            .iter()
            .any(|symbol| Some(symbol.name.as_str()) == name)
    };
    let found = match name {
        Some(_) => units.iter().position(|unit| is_in(&unit)),
        None if units.len() == 1 => Some(0),
        None => {
            let all: Vec<&str> = names().map(|symbol| symbol.name.as_str()).collect();
            return Err(report::usage(format_args!(
                "{}: choose a kernel or function with --kernel: {}",
                report::name(path),
                all.join(", ")
            )));
        }
    };
    let Some(found) = found else {
        return Err(no_kernel(path, name, names().map(|s| s.name.as_str())));
    };
    let unit = units
        .into_iter()
        .nth(found)
        .unwrap_or_else(|| Unit::of_code(Vec::new()));
    let heading = |text: String| {
        let mut comments = read.comments.iter();
        comments
            .find(|comment| comment.text == text)
            .map(|comment| comment.offset)
    };
    let starts: Option<Vec<u64>> = unit.symbols.iter().map(|s| heading(s.heading())).collect();
    let starts = starts.filter(|starts| starts.len() > 1 && starts.is_sorted());
    let symbol = match (unit.symbols.as_slice(), name, &starts) {
        (_, _, Some(_)) | ([_], _, _) => unit.symbols.first(),
        (_, Some(name), None) => unit.symbols.iter().find(|symbol| symbol.name == name),
        (all, None, None) => {
            let all: Vec<&str> = all.iter().map(|symbol| symbol.name.as_str()).collect();
            return Err(report::usage(format_args!(
                "{}: choose a kernel or function with --kernel: {}",
                report::name(path),
                all.join(", ")
            )));
        }
    };
    let Some(symbol) = symbol else {
        return Err(no_kernel(path, name, std::iter::empty()));
    };
    let range = match &starts {
        Some(_) => 0..unit.code().len(),
        None => symbol.offset as usize..(symbol.offset + symbol.size) as usize,
    };
    Ok(Place {
        name: symbol.name.clone(),
        range,
        starts,
        unit,
    })
}

/// Replaces the code.
///
/// # Errors
/// The section is not there, relocations have no place in the listing, or code around it branches into or over it.
pub fn replace(
    zebin: &mut Zebin,
    place: &Place,
    read: &Assembly,
    platform: &'static Platform,
) -> Result<(), String> {
    let section = place.unit.section.clone().unwrap_or_default();
    let name = section
        .strip_prefix(TEXT_PREFIX)
        .unwrap_or(&section)
        .to_string();
    let old = place.unit.code().get(place.range.clone());
    let old = old.ok_or("the symbol is outside of its section")?.to_vec();
    let mut code = read.code.clone();
    // Listings have no padding that is shorter than an instruction.
    let listed = listing::entries(&old, platform).last();
    let listed = listed.map_or(0, |entry| (entry.offset + entry.len) as usize);
    code.extend(old.get(listed..).unwrap_or_default());
    let change = code.len() as i64 - old.len() as i64;
    if change != 0 && place.starts.is_none() {
        stays_inside(place, platform)?;
    }
    let moved = moved(zebin, place, &section, &old, read, platform)?;
    let moved_by = |value: u64| value.saturating_add_signed(change);
    let end = place.range.end as u64;

    let Some(kernel) = zebin.kernels.iter_mut().find(|kernel| kernel.name == name) else {
        return Err(format!("there is no section {section}"));
    };
    kernel.text.splice(place.range.clone(), code);
    // Names of variables are those of the old code.
    if let Some(names) = object_file::names(zebin) {
        let names = names::without(names, &name);
        object_file::add_names(zebin, names);
    }
    for table in zebin
        .relocations
        .iter_mut()
        .filter(|table| table.section == section)
    {
        for entry in &mut table.entries {
            match moved.get(&entry.offset) {
                Some(to) => entry.offset = *to,
                None if entry.offset >= end => entry.offset = moved_by(entry.offset),
                None => {}
            }
        }
    }
    let here = SymbolPlace::Section(section);
    let symbols = &place.unit.symbols;
    for symbol in zebin
        .symbols
        .iter_mut()
        .filter(|symbol| symbol.place == here)
    {
        let at = symbols
            .iter()
            .position(|known| known.offset == symbol.value);
        match (&place.starts, at) {
            (Some(starts), Some(at)) => {
                let next = starts.get(at + 1).copied();
                symbol.value = starts[at];
                if symbol.size != 0 {
                    symbol.size = next.unwrap_or(moved_by(end)) - starts[at];
                }
            }
            _ if symbol.value >= end => symbol.value = moved_by(symbol.value),
            _ if symbol.value == place.range.start as u64 && symbol.size != 0 => {
                symbol.size = moved_by(symbol.size);
            }
            _ => {}
        }
    }
    Ok(())
}

/// New offsets of the relocations in the old code, by their offsets in the section.
fn moved(
    zebin: &Zebin,
    place: &Place,
    section: &str,
    old: &[u8],
    read: &Assembly,
    platform: &'static Platform,
) -> Result<HashMap<u64, u64>, String> {
    let start = place.range.start as u64;
    let mut places: HashMap<&str, VecDeque<u64>> = HashMap::new();
    let comments = read
        .comments
        .iter()
        .filter(|c| c.text.starts_with(RELOCATED));
    for comment in comments {
        let known = places.entry(comment.text.as_str()).or_default();
        known.push_back(comment.offset);
    }
    let tables = zebin
        .relocations
        .iter()
        .filter(|table| table.section == section);
    let all = tables.flat_map(|table| table.entries.iter().map(|entry| (table.addends, entry)));
    let mut inside: Vec<_> = all
        .filter(|(_, entry)| place.range.contains(&(entry.offset as usize)))
        .collect();
    inside.sort_by_key(|(_, entry)| entry.offset);
    let offsets: Vec<u64> = listing::entries(old, platform)
        .map(|e| e.offset.into())
        .collect();
    let mut moved = HashMap::new();
    for (addends, entry) in inside {
        let text = relocation_text(zebin, addends, entry);
        let Some(to) = places.get_mut(text.as_str()).and_then(VecDeque::pop_front) else {
            return Err(format!(
                "the listing lacks an instruction with the comment `// {text}`"
            ));
        };
        let at = entry.offset - start;
        let first = offsets.partition_point(|offset| *offset <= at);
        let within = at - first.checked_sub(1).map_or(0, |first| offsets[first]);
        moved.insert(entry.offset, start + to + within);
    }
    match places.iter().find(|(_, left)| !left.is_empty()) {
        Some((text, _)) => Err(format!(
            "the object file has no further relocation `{text}`"
        )),
        None => Ok(moved),
    }
}

/// Checks that no branch of the section leads over a border of the code, which changes its size.
fn stays_inside(place: &Place, platform: &'static Platform) -> Result<(), String> {
    let of = |offset: i64| place.range.start as i64 <= offset && offset < place.range.end as i64;
    let before = |offset: i64| offset < place.range.start as i64;
    for entry in listing::entries(place.unit.code(), platform) {
        let Ok(inst) = entry.inst else { continue };
        for target in [inst.jip, inst.uip].into_iter().flatten() {
            let Target::Offset(distance) = target else {
                continue;
            };
            let from = i64::from(entry.offset);
            let to = from + i64::from(distance);
            if of(from) != of(to) || (!of(from) && before(from) != before(to)) {
                return Err(format!(
                    "the branch at byte {from} leads into or over the code, whose size changes: list and replace the whole \
                     section"
                ));
            }
        }
    }
    Ok(())
}
