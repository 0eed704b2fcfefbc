//! Maps from variables of vISA to the registers and slots that hold them: the side file of `kiln compile --names`, or the
//! section of an object file of `--embed-names`, by which `kiln live`, `kiln report` and `kiln disasm --live` name values of
//! machine code.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use kiln_emit::live::Live;
use kiln_emit::platform::Platform;
use miette::Report;
use serde::{Deserialize, Serialize};

use super::disasm::File;
use super::disasm::unit::Unit;
use super::input::Input;
use super::report;

/// The variables of a kernel, or of a function that is called by address.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Map {
    pub file: String,
    pub kernel: String,
    pub platform: String,
    /// Number of machine instructions; spans are of these, numbered from 0.
    pub instructions: usize,
    pub variables: Vec<Variable>,
}

/// A variable of vISA.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Variable {
    pub name: String,
    pub registers: Vec<Held>,
    /// Stores to scratch space and loads from there.
    pub slots: Vec<Stored>,
}

/// A register that holds a variable from an instruction to another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Held {
    pub register: String,
    pub from: u32,
    pub to: u32,
}

/// A message to scratch space.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stored {
    /// Number of the instruction.
    pub at: u32,
    pub writes: bool,
    /// Place in scratch space and size, in bytes.
    pub offset: u32,
    pub bytes: u32,
    /// Name of what is stored or loaded, if it is known.
    pub name: Option<String>,
}

/// Names of what a piece of code holds.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// By the number of a value of [`Live`].
    pub values: BTreeMap<u32, String>,
    /// By the number of a span of [`Live`], where it begins with another variable than its value: what waiting channels may
    /// want joins spans of several variables.
    pub spans: BTreeMap<usize, String>,
    /// By the number of an instruction: of what a message to scratch space stores or loads.
    pub messages: BTreeMap<u32, String>,
}

impl Names {
    /// The name of a value.
    pub fn get(&self, value: u32) -> Option<&String> {
        self.values.get(&value)
    }

    /// The name of what a span holds, of its number and its value.
    pub fn of_span(&self, number: usize, value: u32) -> Option<&String> {
        self.spans.get(&number).or_else(|| self.get(value))
    }

    /// By the number of an instruction: the values of general registers that it is the first to write, each name once.
    pub fn written(&self, live: &Live) -> BTreeMap<u32, BTreeSet<&str>> {
        let mut written: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
        let spans = live.spans.iter().enumerate();
        for (number, span) in spans.filter(|(_, span)| span.row.is_grf()) {
            let name = self.of_span(number, span.value);
            if let (Some(at), Some(name)) = (span.first_write(), name) {
                written.entry(at).or_default().insert(name);
            }
        }
        written
    }
}

impl Map {
    /// Names of the values of the code and of what it stores.
    pub fn names(&self, live: &Live) -> Names {
        let held = self.variables.iter().flat_map(|variable| {
            let registers = variable.registers.iter();
            registers.map(|held| ((held.register.as_str(), held.from), &variable.name))
        });
        let held: HashMap<_, _> = held.collect();
        let (mut values, mut spans) = (BTreeMap::new(), BTreeMap::new());
        for (number, span) in live.spans.iter().enumerate() {
            let register = span.row.to_string();
            let Some(name) = held.get(&(register.as_str(), span.from)) else {
                continue;
            };
            if values.entry(span.value).or_insert_with(|| name.to_string()) != *name {
                spans.insert(number, name.to_string());
            }
        }
        let messages = self.variables.iter().flat_map(|variable| {
            let slots = variable.slots.iter();
            slots.map(|slot| (slot.at, variable.name.clone()))
        });
        Names {
            values,
            spans,
            messages: messages.collect(),
        }
    }
}

/// The maps of a side file or of an object file.
#[derive(Default)]
pub struct Maps(Vec<Map>);

impl Maps {
    /// The maps inside of an object file; none of a damaged section.
    pub fn inside(file: &File) -> Maps {
        let names = file.names.as_deref();
        let maps = names.and_then(|names| serde_json::from_slice(names).ok());
        Maps(maps.unwrap_or_default())
    }

    /// The names of a piece of code of a file: by these maps, or else by those inside of the file.
    ///
    /// # Errors
    /// These maps are of other code.
    pub fn names(
        &self,
        file: &File,
        unit: &Unit,
        instructions: usize,
        live: &Live,
    ) -> Result<Names, Report> {
        let known = self.of(unit.name(), file.platform, instructions)?;
        if let Some(map) = known {
            return Ok(map.names(live));
        }
        Ok(Maps::inside(file).names_of(unit, file.platform, instructions, live))
    }

    /// The names of a piece of code; none if the maps are of other code.
    pub fn names_of(
        &self,
        unit: &Unit,
        platform: &Platform,
        instructions: usize,
        live: &Live,
    ) -> Names {
        let map = self.of(unit.name(), platform, instructions);
        let names = map.ok().flatten().map(|map| map.names(live));
        names.unwrap_or_default()
    }

    /// Reads a side file; without one, there are no maps.
    ///
    /// # Errors
    /// The file cannot be read, or has other contents.
    pub fn read(path: Option<&Path>) -> Result<Maps, Report> {
        let Some(path) = path else {
            return Ok(Maps::default());
        };
        let input = Input::open(path)?;
        let maps = serde_json::from_slice(&input).map_err(|e| report::file(path, &e))?;
        Ok(Maps(maps))
    }

    /// The map of a kernel, or of code without a name if there is one map; none if there is no map of it.
    ///
    /// # Errors
    /// The maps are of other code.
    pub fn of(
        &self,
        kernel: Option<&str>,
        platform: &Platform,
        instructions: usize,
    ) -> Result<Option<&Map>, Report> {
        let of_kernel = |map: &&Map| match kernel {
            Some(kernel) => map.kernel == kernel,
            None => self.0.len() == 1,
        };
        let of_platform = |map: &&Map| map.platform == platform.name;
        match self.0.iter().filter(of_platform).find(of_kernel) {
            Some(map) if map.instructions != instructions => Err(report::usage(format_args!(
                "{}: it has {instructions} instructions, and its map is of {}",
                map.kernel, map.instructions
            ))),
            map => Ok(map),
        }
    }
}

/// The document of an object file without the map of a kernel; empty if it cannot be read.
pub fn without(document: &[u8], kernel: &str) -> Vec<u8> {
    let maps: Vec<Map> = serde_json::from_slice(document).unwrap_or_default();
    let others: Vec<&Map> = maps.iter().filter(|map| map.kernel != kernel).collect();
    serde_json::to_vec(&others).unwrap_or_default()
}
