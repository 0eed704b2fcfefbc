//! ocloc's command line: which calls compile, and the same call with vISA in place of code.
//!
//! A call is changed as little as possible: options are added at its end, and only places of files are replaced. Calls
//! that make no object file, or that are not understood, are passed on as they are.

use std::path::Path;

/// Commands of ocloc other than `compile`, which may be left out.
const OTHERS: [&str; 9] = [
    "disasm",
    "asm",
    "validate",
    "query",
    "ids",
    "link",
    "concat",
    "cache",
    "--version",
];
/// Options with a value, and with two.
const WITH_VALUE: [&str; 14] = [
    "-file",
    "-output",
    "-o",
    "-device",
    "-options",
    "-internal_options",
    "-out_dir",
    "-cache_dir",
    "-revision_id",
    "--format",
    "-stateful_address_mode",
    "-heapless_mode",
    "-config",
    "-spec_const",
];
const WITH_TWO_VALUES: [&str; 1] = ["-device_options"];
/// Options of calls that make no code.
const WITHOUT_CODE: [&str; 3] = ["-spv_only", "-h", "--help"];
/// Command and option of calls whose code is not in object files alone: lists of calls, and arrays of C++.
const LIST: &str = "multi";
const ARRAY: &str = "-cpp_file";
/// Name of outputs that is a folder alone.
const NAMELESS: &str = "a name of outputs that ends in /";
/// Option of the source's file, and those which say that it is SPIR-V or LLVM IR.
const SOURCE: &str = "-file";
const FROM_SPIRV: &str = "-spirv_input";
const FROM_LLVM: &str = "-llvm_input";
/// Names of the file that ocloc writes.
const OUTPUTS: [&str; 2] = ["-output", "-o"];
/// Internal options of the compiler: vISA in sections of the object file, and no code.
const VISA: &str = "-emit-zebin-visa-sections";
const ALONE: &str = "-emit-visa-only";

/// Parts of the object file that the front half is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// As the call says.
    Code,
    /// vISA, and symbols of data, which only a whole compilation makes.
    Both,
    /// vISA.
    Visa,
}

/// A call by what becomes of its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Object files get our code.
    Compile(Compile),
    /// Files have ocloc's code because of this part of the call.
    Kept(&'static str),
    /// No code is made, or ocloc refuses the call.
    Other,
}

/// A call that compiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compile {
    /// Arguments after the program's name, without the folder of outputs.
    arguments: Vec<String>,
    /// Folder of outputs, relative to the current one.
    pub folder: String,
    /// True if source lines are wanted.
    pub lines: bool,
    /// True if the call itself asks for the sections with vISA.
    pub keeps_visa: bool,
}

/// Reads the arguments after the program's name. All calls but those that compile are to be passed on.
pub fn read(arguments: &[String]) -> Call {
    match arguments.first().map(String::as_str) {
        Some(LIST) => Call::Kept(LIST),
        Some(first) if !OTHERS.contains(&first) => compilation(arguments).unwrap_or(Call::Other),
        _ => Call::Other,
    }
}

/// Reads a call of the compiler; `None` if it makes no code, or is not understood.
fn compilation(arguments: &[String]) -> Option<Call> {
    let mut compile = Compile {
        arguments: Vec::new(),
        folder: String::new(),
        lines: false,
        keeps_visa: false,
    };
    let (mut file_folder, mut is_array, mut nameless) = (None, false, false);
    let mut at = 0;
    while let Some(option) = arguments.get(at) {
        let option = option.as_str();
        if WITHOUT_CODE.contains(&option) {
            return None;
        }
        is_array |= option == ARRAY;
        let values = match option {
            _ if WITH_VALUE.contains(&option) => 1,
            _ if WITH_TWO_VALUES.contains(&option) => 2,
            _ => 0,
        };
        let whole = arguments.get(at..=at + values)?;
        at += 1 + values;
        match whole {
            [_, folder] if option == "-out_dir" => compile.folder = folder.clone(),
            [_, name] if OUTPUTS.contains(&option) => {
                let (folder, file) = split(name);
                // ocloc's names then begin with what is added to them.
                nameless = file.is_empty() && !folder.is_empty();
                file_folder = Some(folder);
                compile.arguments.extend([option.to_string(), file]);
            }
            _ => {
                if let [_, text] = whole {
                    let has = |word| text.split_whitespace().any(|one| one == word);
                    compile.lines |= option == "-options" && has("-g");
                    if option == "-internal_options" {
                        compile.keeps_visa |= has(VISA);
                        if has(ALONE) {
                            return None;
                        }
                    }
                }
                compile.arguments.extend_from_slice(whole);
            }
        }
    }
    // A folder in the name of the file is below that of the outputs.
    if let Some(folder) = file_folder.filter(|folder| !folder.is_empty()) {
        compile.folder = match compile.folder.as_str() {
            "" => folder,
            outputs => format!("{outputs}/{folder}"),
        };
    }
    Some(match (is_array, nameless) {
        (true, _) => Call::Kept(ARRAY),
        (false, true) => Call::Kept(NAMELESS),
        (false, false) => Call::Compile(compile),
    })
}

/// The folder of a path, empty for none, and the name of the file there, which is all after the last slash.
fn split(path: &str) -> (String, String) {
    let (folder, file) = match path.rsplit_once('/') {
        None => ("", path),
        Some((folder, file)) => (folder.trim_end_matches('/'), file),
    };
    let folder = match path.starts_with('/') && folder.is_empty() {
        true => "/",
        false => folder,
    };
    (folder.to_string(), file.to_string())
}

impl Compile {
    /// Name of the source without its folder and its extension; `None` if the source is SPIR-V or LLVM IR.
    pub fn source_stem(&self) -> Option<&str> {
        let is_ir = |word: &String| word == FROM_SPIRV || word == FROM_LLVM;
        if self.arguments.iter().any(is_ir) {
            return None;
        }
        Path::new(&self.arguments[self.source()?])
            .file_stem()?
            .to_str()
    }

    /// Index of the source's file.
    fn source(&self) -> Option<usize> {
        let option = self.arguments.iter().position(|word| word == SOURCE)?;
        Some(option + 1).filter(|place| *place < self.arguments.len())
    }

    /// The call with the SPIR-V in a file for its source.
    pub fn from_spirv(&self, path: &str) -> Compile {
        let mut call = self.clone();
        if let Some(place) = self.source() {
            call.arguments[place] = path.to_string();
            call.arguments.push(FROM_SPIRV.to_string());
        }
        call
    }

    /// The arguments of the call that makes these parts, with its outputs in a folder.
    pub fn arguments(&self, parts: Parts, folder: &str) -> Vec<String> {
        let mut arguments = self.arguments.clone();
        arguments.extend(["-out_dir".to_string(), folder.to_string()]);
        let internal = match parts {
            Parts::Code => return arguments,
            Parts::Both => VISA.to_string(),
            Parts::Visa => format!("{ALONE} {VISA}"),
        };
        arguments.extend(["-internal_options".to_string(), internal]);
        arguments
    }
}

#[cfg(test)]
#[path = "tests/command.rs"]
mod tests;
