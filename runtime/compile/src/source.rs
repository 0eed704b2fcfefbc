//! Input files of vISA and LLVM IR: their format, and their grouping into modules.
//!
//! The reference compiler writes a kernel and each function that it calls into separate files, and sometimes all of
//! them into one more. [`Merged`] makes one module of such files and keeps one of equal objects; [`related`] groups
//! the files.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use kiln_platform::platform::Platform;
use kiln_visa::binary::ReadError;
use kiln_visa::module::{Module, Object, ObjectKind, Operand};
use kiln_visa::text::ParseError;
use petgraph::unionfind::UnionFind;

#[cfg(not(feature = "objects"))]
use crate::absent::Interface;
use crate::absent::{Variant, Warning};
#[cfg(feature = "objects")]
use crate::interface::data::Interface;
#[cfg(feature = "genx")]
use crate::interface::genx;
use crate::stop::{Stop, Stopped};

/// First bytes of a binary vISA object.
const MAGIC: &[u8; 4] = b"CISA";
/// Bytes searched for a directive, so that large files of other kinds are not read to the end.
const MAX_HEAD_BYTES: usize = 1 << 16;
/// Directives, of which every vISA text has one near its beginning.
const DIRECTIVES: [&[u8]; 4] = [b".version", b".kernel", b".function", b".global_function"];

/// A file of vISA.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Name for messages.
    pub name: &'a str,
    /// Contents of the file.
    pub bytes: &'a [u8],
}

/// Errors in an input file.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum InputError {
    #[error(transparent)]
    Binary(#[from] ReadError),
    #[error(transparent)]
    Text(#[from] ParseError),
    #[cfg(feature = "genx")]
    #[error(transparent)]
    Genx(Box<kiln_genx::error::Diagnostic>),
    #[error("byte {0}: neither a binary vISA object (it would begin with \"CISA\") nor text")]
    Neither(usize),
    #[error(transparent)]
    Stopped(#[from] Stopped),
    #[error("no vISA: no directive (`.version`, `.kernel`) in the first {MAX_HEAD_BYTES} bytes")]
    NoDirective,
}

impl InputError {
    /// Identifies the kind of error: a syntax error's own code, or that of an unreadable file.
    pub fn code(&self) -> &'static str {
        match self {
            InputError::Text(error) => error.kind.code(),
            #[cfg(feature = "genx")]
            InputError::Genx(error) => error.code.text(),
            InputError::Binary(_) => "B0001",
            InputError::Stopped(_) => "C0005",
            InputError::Neither(_) | InputError::NoDirective => "F0001",
        }
    }
}

/// Formats of input files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form<'a> {
    /// A binary object.
    Binary,
    /// Text of vISA.
    Text(&'a str),
    /// LLVM IR in text, bitcode or SPIR-V.
    #[cfg(feature = "genx")]
    Genx(&'a [u8]),
}

/// Detects the format of a file.
///
/// # Errors
/// The bytes have no known format.
pub fn form(bytes: &[u8]) -> Result<Form<'_>, InputError> {
    if bytes.starts_with(MAGIC) {
        return Ok(Form::Binary);
    }
    #[cfg(feature = "genx")]
    if kiln_genx::is_binary(bytes) {
        return Ok(Form::Genx(bytes));
    }
    let head = &bytes[..bytes.len().min(MAX_HEAD_BYTES)];
    let text = std::str::from_utf8(head);
    if let Err(e) = text
        && e.error_len().is_some()
    {
        return Err(InputError::Neither(e.valid_up_to()));
    }
    if let Some(at) = memchr::memchr(0, head) {
        return Err(InputError::Neither(at));
    }
    let genx = is_genx_text(bytes);
    let directive = |line: &[u8]| {
        DIRECTIVES
            .iter()
            .any(|d| line.trim_ascii_start().starts_with(d))
    };
    if !genx && bytes.len() > MAX_HEAD_BYTES && !head.split(|b| *b == b'\n').any(directive) {
        return Err(InputError::NoDirective);
    }
    // A short file is its own head.
    let text = match head.len() == bytes.len() {
        true => text,
        false => std::str::from_utf8(bytes),
    };
    match text {
        Ok(text) => match memchr::memchr(0, bytes) {
            #[cfg(feature = "genx")]
            None if genx => Ok(Form::Genx(bytes)),
            None => Ok(Form::Text(text)),
            Some(at) => Err(InputError::Neither(at)),
        },
        Err(e) => Err(InputError::Neither(e.valid_up_to())),
    }
}

/// True for a text of LLVM IR, where the build reads it.
#[cfg(feature = "genx")]
fn is_genx_text(bytes: &[u8]) -> bool {
    kiln_genx::is_text(bytes)
}

/// A build without that front end knows no such text.
#[cfg(not(feature = "genx"))]
fn is_genx_text(_: &[u8]) -> bool {
    false
}

/// Options of reading a file.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The platform that code is for.
    pub platform: &'static Platform,
    /// Dialect; `None` to detect it.
    pub variant: Option<Variant>,
    /// Runs the verifier of the IR after each pass.
    pub verify: bool,
    /// Time limit and cancellation, which end reading early.
    pub stop: Stop,
}

impl Reading {
    /// Either dialect; the verifier runs in debug builds.
    pub fn new(platform: &'static Platform) -> Reading {
        Reading {
            platform,
            variant: None,
            verify: cfg!(debug_assertions),
            stop: Stop::default(),
        }
    }

    /// Options of the front end for LLVM IR.
    #[cfg(feature = "genx")]
    pub fn genx(&self) -> kiln_genx::Options {
        kiln_genx::Options {
            variant: self.variant,
            verify: self.verify,
            ..kiln_genx::Options::new(self.platform)
        }
    }
}

/// A module that was read.
#[derive(Debug)]
pub struct Source {
    /// The module, as it was read.
    pub module: Module,
    /// The interfaces of its kernels, where the file says them.
    pub interface: Option<Interface>,
    /// Parts of LLVM IR that are compiled in another way than it asks for.
    pub warnings: Vec<Warning>,
}

impl From<Module> for Source {
    fn from(module: Module) -> Source {
        Source {
            module,
            interface: None,
            warnings: Vec::new(),
        }
    }
}

/// Reads a module from the bytes of a binary object or a text file, or makes it of LLVM IR.
///
/// # Errors
/// The first error in the file, with its place.
pub fn read(bytes: &[u8], how: &Reading) -> Result<Source, InputError> {
    how.stop.check()?;
    match form(bytes)? {
        Form::Binary => Ok(kiln_visa::binary::read(bytes)?.into()),
        Form::Text(text) => Ok(kiln_visa::text::parse_for(text, how.platform.grf_bytes)?.into()),
        #[cfg(feature = "genx")]
        Form::Genx(bytes) => {
            let compiled = kiln_genx::compile(bytes, &how.genx()).map_err(InputError::Genx)?;
            Ok(Source {
                interface: Some(genx::interface(&compiled.interfaces, compiled.strings)),
                module: compiled.visa,
                warnings: compiled.warnings,
            })
        }
    }
}

/// The file and the index that an object of a merged module was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Index of the file.
    pub file: usize,
    /// Index of the object in that file.
    pub object: usize,
}

/// A module made of one or several files.
#[derive(Debug, Default)]
pub struct Merged {
    /// The module, objects in the order of the files.
    pub module: Module,
    /// Indexed by object of the module.
    origins: Vec<Origin>,
    /// Indices of the objects by name.
    named: HashMap<String, Vec<usize>>,
    /// The interfaces of its kernels, where the files say them.
    pub(crate) interface: Option<Interface>,
    /// Warnings about the files, each with its index.
    pub(crate) warnings: Vec<(usize, Warning)>,
}

impl Merged {
    /// Merges modules, each given with the index of its file.
    pub fn new(modules: impl IntoIterator<Item = (usize, Module)>) -> Merged {
        let mut merged = Merged::default();
        for (file, module) in modules {
            merged.add(file, module);
        }
        merged
    }

    /// The modules of files with what the files say besides.
    pub fn of_sources(sources: impl IntoIterator<Item = (usize, Source)>) -> Merged {
        let mut merged = Merged::default();
        for (file, source) in sources {
            merged.add(file, source.module);
            let warnings = source.warnings.into_iter();
            merged
                .warnings
                .extend(warnings.map(|warning| (file, warning)));
            #[cfg(feature = "genx")]
            if let Some(interface) = source.interface {
                let all = merged.interface.get_or_insert_default();
                all.kernels.extend(interface.kernels);
                for text in interface.strings {
                    if !all.strings.contains(&text) {
                        all.strings.push(text);
                    }
                }
            }
        }
        merged
    }

    fn add(&mut self, file: usize, module: Module) {
        self.module.version = self.module.version.max(module.version);
        self.module.globals.extend(module.globals);
        for (number, object) in module.objects.into_iter().enumerate() {
            let same = self.named.entry(object.name.to_string()).or_default();
            let twin =
                |at: &usize| self.origins[*at].file != file && self.module.objects[*at] == object;
            if !same.iter().any(twin) {
                same.push(self.module.objects.len());
                self.module.objects.push(object);
                self.origins.push(Origin {
                    file,
                    object: number,
                });
            }
        }
    }

    /// The origin of an object.
    pub fn origin(&self, object: usize) -> Origin {
        self.origins[object]
    }
}

/// Groups files into modules, as lists of indices in the order of their first file. Two files belong together if one
/// calls a function, or takes its address, that the other defines, or if both define the same object.
pub fn related(modules: &[Module]) -> Vec<Vec<usize>> {
    let mut sets = UnionFind::new(modules.len());
    let mut functions: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut objects: HashMap<&str, Vec<(usize, &Object)>> = HashMap::new();
    for (file, module) in modules.iter().enumerate() {
        for object in &module.objects {
            if object.kind != ObjectKind::Kernel {
                functions.entry(&object.name).or_default().push(file);
            }
            let others = objects.entry(&object.name).or_default();
            if let Some((other, _)) = others.iter().find(|(_, twin)| *twin == object) {
                sets.union(*other, file);
            }
            others.push((file, object));
        }
    }
    for (file, module) in modules.iter().enumerate() {
        let operands = (module.objects.iter())
            .flat_map(|object| &object.insts)
            .flat_map(|inst| &inst.operands);
        for operand in operands {
            if let Operand::Name(name) = operand {
                let defining = functions.get(name.as_str()).into_iter().flatten();
                defining.for_each(|other| _ = sets.union(file, *other));
            }
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut group_of: HashMap<usize, usize> = HashMap::new();
    for file in 0..modules.len() {
        match group_of.entry(sets.find(file)) {
            Entry::Occupied(group) => groups[*group.get()].push(file),
            Entry::Vacant(group) => {
                group.insert(groups.len());
                groups.push(vec![file]);
            }
        }
    }
    groups
}
