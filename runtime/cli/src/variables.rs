//! Places of variables in machine code: by its live registers and the names that allocation gave, the maps of `names`.

use std::collections::BTreeMap;

use kiln_compile::CompiledModule;
use kiln_compile::source::{self, Reading};
use kiln_emit::inst::Inst;
use kiln_emit::listing;
use kiln_emit::live::Live;
use kiln_emit::platform::Platform;
use miette::Report;

use super::disasm::unit;
use super::input::Input;
use super::names::{Held, Map, Names, Variable};
use super::{page, report};

/// The maps of a module's kernels and functions.
///
/// # Errors
/// An input cannot be read again.
pub fn of_module(
    module: &CompiledModule,
    inputs: &[&Input],
    how: &Reading,
) -> Result<Vec<Map>, Report> {
    let mut objects = Vec::new();
    for input in inputs {
        let read = source::read(input, how).map_err(|error| report::input(input, &error))?;
        objects.extend(read.module.objects);
    }
    page::of_module(module, &objects, inputs[0], how.platform, |code| {
        let insts = listing::insts(code.bytes, how.platform);
        let live = unit::live(&insts, how.platform, &code.entries);
        let names = page::value_names(code, &insts, &live);
        Ok(Map {
            file: inputs[0].name.clone(),
            kernel: code.name.clone(),
            platform: how.platform.name.to_string(),
            instructions: insts.len(),
            variables: variables(&live, &insts, how.platform, &names),
        })
    })
}

/// The variables with the registers and slots that hold them.
pub fn variables(live: &Live, code: &[Inst], platform: &Platform, names: &Names) -> Vec<Variable> {
    if names.values.is_empty() {
        return Vec::new();
    }
    let mut found: BTreeMap<&str, Variable> = BTreeMap::new();
    let stored = page::stored(code, platform, live, names);
    let empty = |name: &str| Variable {
        name: name.to_string(),
        registers: Vec::new(),
        slots: Vec::new(),
    };
    for (number, span) in live.spans.iter().enumerate() {
        if let Some(name) = names.of_span(number, span.value) {
            let held = Held {
                register: span.row.to_string(),
                from: span.from,
                to: span.to,
            };
            found
                .entry(name)
                .or_insert_with(|| empty(name))
                .registers
                .push(held);
        }
    }
    for slot in &stored {
        if let Some(name) = &slot.name {
            found
                .entry(name)
                .or_insert_with(|| empty(name))
                .slots
                .push(slot.clone());
        }
    }
    found.into_values().collect()
}
