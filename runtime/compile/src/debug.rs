//! DWARF sections of an object file: the lines of the source that its code comes from.
//!
//! Takes the [tables](crate::lines) of a module's kernels and functions; puts `.debug_line`, `.debug_info` and
//! `.debug_abbrev` of DWARF 4, the reference's version, into its object file: a unit for each section of code, and in
//! it a sequence of lines and a subprogram for the kernel and for each function. Code whose line is unknown belongs to
//! line 0, as DWARF defines.
//!
//! Addresses have relocations (`R_ZE_SYM_ADDR`), since code moves when it is loaded. The relocated fields already hold
//! the offset in the section of code, for tools that do not know these relocations. Offsets between the debug sections
//! are final.

use std::rc::Rc;

use gimli::write::{
    Address, AttributeValue, Dwarf, EndianVec, FileId, LineProgram, LineString, Result, Sections,
    Unit, Writer,
};
use gimli::{Encoding, Format, LineEncoding, LittleEndian};
use kiln_emit::zebin::{
    ADDRESS, ADDRESS_LOW, FUNCTIONS, Relocation, Relocations, SHT_PROGBITS, Section, SymbolPlace,
    TEXT_PREFIX, Zebin,
};

use crate::lines::Lines;
use crate::result::Compiled;
use crate::result::CompiledModule;

/// Size of a compacted instruction in bytes; every instruction's size is a multiple of it.
const STEP: u8 = 8;
/// File name for code whose file vISA does not name.
const NO_FILE: &str = "unknown";
const PRODUCER: &str = concat!("kiln ", env!("CARGO_PKG_VERSION"));

/// Adds the sections if any line of the module is known.
pub fn add(zebin: &mut Zebin, module: &CompiledModule) -> Result<()> {
    let encoding = Encoding {
        format: Format::Dwarf32,
        version: 4,
        address_size: if zebin.narrow { 4 } else { 8 },
    };
    let mut dwarf = Dwarf::new();
    for kernel in &module.kernels {
        unit(&mut dwarf, zebin, encoding, &[kernel], &kernel.name);
    }
    let by_address = |function: &&Compiled| function.addressed;
    let functions: Vec<&Compiled> = module.functions.iter().filter(by_address).collect();
    unit(&mut dwarf, zebin, encoding, &functions, FUNCTIONS);

    let mut sections = Sections::new(Out {
        bytes: EndianVec::new(LittleEndian),
        symbols: zebin.symbols.iter().map(|symbol| symbol.value).collect(),
        addresses: Vec::new(),
    });
    dwarf.write(&mut sections)?;
    let kind = if zebin.narrow { ADDRESS_LOW } else { ADDRESS };
    sections.for_each(|id, out| {
        let data = out.bytes.slice();
        if data.is_empty() {
            return Ok(());
        }
        zebin.others.push(Section {
            name: id.name().to_string(),
            kind: SHT_PROGBITS,
            flags: 0,
            align: 1,
            entry_size: 0,
            size: data.len() as u64,
            data: data.to_vec(),
        });
        let entry = |&(offset, symbol, addend): &(usize, usize, i64)| Relocation {
            offset: offset as u64,
            kind,
            symbol: symbol as u32,
            addend,
        };
        if !out.addresses.is_empty() {
            zebin.relocations.push(Relocations {
                section: id.name().to_string(),
                addends: true,
                entries: out.addresses.iter().map(entry).collect(),
            });
        }
        Ok(())
    })
}

/// The index in the symbol table of the symbol at a kernel's or function's start.
fn symbol_of(zebin: &Zebin, section: &str, compiled: &Compiled) -> Option<usize> {
    let place = SymbolPlace::Section(format!("{TEXT_PREFIX}{section}"));
    let mut symbols = zebin.symbols.iter();
    let at = symbols.position(|s| s.name == compiled.name && s.place == place)?;
    // The null symbol comes before those in `symbols`.
    Some(at + 1)
}

/// Adds the unit of a section of code.
fn unit(dwarf: &mut Dwarf, zebin: &Zebin, encoding: Encoding, code: &[&Compiled], section: &str) {
    let known = |lines: &Lines| lines.lines.iter().any(|line| line.source.is_some());
    let first = code.iter().find(|compiled| known(&compiled.lines));
    let Some(first) = first else {
        return;
    };
    let line_encoding = LineEncoding {
        minimum_instruction_length: STEP,
        ..LineEncoding::default()
    };
    let here = LineString::String(b".".to_vec());
    let first_source = first.lines.lines.iter().find_map(|line| line.source);
    let name = first_source.and_then(|source| first.lines.file(source));
    let name = written(name.unwrap_or(NO_FILE));
    let mut program = LineProgram::new(
        encoding,
        line_encoding,
        here,
        None,
        LineString::String(name.clone()),
        None,
    );
    let mut starts = Vec::new();
    for compiled in code {
        if let Some(symbol) = symbol_of(zebin, section, compiled) {
            starts.push((*compiled, symbol));
            let start = Address::Symbol { symbol, addend: 0 };
            sequence(&mut program, compiled, start);
        }
    }
    let mut unit = Unit::new(encoding, program);
    let root = unit.root();
    let entry = unit.get_mut(root);
    let string = |text: &[u8]| AttributeValue::String(text.to_vec());
    entry.set(gimli::DW_AT_producer, string(PRODUCER.as_bytes()));
    let language = AttributeValue::Language(gimli::DW_LANG_OpenCL);
    entry.set(gimli::DW_AT_language, language);
    entry.set(gimli::DW_AT_name, string(&name));
    if let [(compiled, symbol)] = starts[..] {
        let size = compiled.code.len() as u64;
        entry.set(gimli::DW_AT_low_pc, address(symbol, 0));
        entry.set(gimli::DW_AT_high_pc, AttributeValue::Udata(size));
    }
    for (compiled, symbol) in starts {
        for part in &compiled.symbols {
            let id = unit.add(root, gimli::DW_TAG_subprogram);
            let entry = unit.get_mut(id);
            entry.set(gimli::DW_AT_name, string(&written(&part.name)));
            entry.set(gimli::DW_AT_external, AttributeValue::Flag(true));
            entry.set(gimli::DW_AT_low_pc, address(symbol, part.offset));
            let size = AttributeValue::Udata(part.size.into());
            entry.set(gimli::DW_AT_high_pc, size);
        }
    }
    dwarf.units.add(unit);
}

fn address(symbol: usize, offset: u32) -> AttributeValue {
    AttributeValue::Address(Address::Symbol {
        symbol,
        addend: offset.into(),
    })
}

/// Adds the lines of one kernel's or function's code.
fn sequence(program: &mut LineProgram, compiled: &Compiled, start: Address) {
    let files: Vec<FileId> = (compiled.lines.files.iter())
        .map(|file| file_of(program, file))
        .collect();
    // Line 0 needs a file, too.
    let no_file = match files.first() {
        Some(&file) => file,
        None => file_of(program, NO_FILE),
    };
    program.begin_sequence(Some(start));
    let mut before = None;
    for line in &compiled.lines.lines {
        let number = |file: u32| files.get(file as usize).copied().unwrap_or(no_file);
        let source = line.source.map(|s| (number(s.file), u64::from(s.line)));
        if before == Some(source) {
            continue;
        }
        before = Some(source);
        let row = program.row();
        row.address_offset = line.offset.into();
        (row.file, row.line) = source.unwrap_or((no_file, 0));
        row.is_statement = true;
        program.generate_row();
    }
    program.end_sequence(compiled.code.len() as u64);
}

/// Adds a file to a line table.
fn file_of(program: &mut LineProgram, path: &str) -> FileId {
    let (folder, name) = match path.rsplit_once('/') {
        Some(("", name)) => ("/", name),
        Some((folder, name)) => (folder, name),
        None => (".", path),
    };
    let string = |text: &str| LineString::String(written(text));
    let folder = program.add_directory(string(folder));
    program.add_file(string(name), folder, None)
}

/// The bytes of a name as a section can hold it: not empty, and without zero bytes.
fn written(name: &str) -> Vec<u8> {
    match name.replace('\0', "?") {
        name if name.is_empty() => NO_FILE.as_bytes().to_vec(),
        name => name.into_bytes(),
    }
}

/// A section that is being written.
#[derive(Clone)]
struct Out {
    bytes: EndianVec<LittleEndian>,
    /// Offset of each symbol in its section.
    symbols: Rc<[u64]>,
    /// Relocated addresses: offset of the field, symbol, addend.
    addresses: Vec<(usize, usize, i64)>,
}

impl Writer for Out {
    type Endian = LittleEndian;

    fn endian(&self) -> LittleEndian {
        LittleEndian
    }

    fn len(&self) -> usize {
        self.bytes.len()
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes.write(bytes)
    }

    fn write_at(&mut self, offset: usize, bytes: &[u8]) -> Result<()> {
        self.bytes.write_at(offset, bytes)
    }

    fn write_address(&mut self, address: Address, size: u8) -> Result<()> {
        let value = match address {
            Address::Constant(value) => value,
            Address::Symbol { symbol, addend } => {
                self.addresses.push((self.len(), symbol, addend));
                let start = self.symbols.get(symbol.wrapping_sub(1)).copied();
                start.unwrap_or(0).wrapping_add_signed(addend)
            }
        };
        self.write_udata(value, size)
    }
}
