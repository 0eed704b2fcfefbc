//! Zebin object files: the ELF files that carry a program's kernels to the driver (zebin
//! documentation; ELF-64 object file format).
//!
//! [`Zebin::parse`] takes any bytes and never panics on them; [`Zebin::write`] makes a file that
//! parses back to the same value. Sections this module has no name for are carried along as they
//! are.

use object::elf::{
    self, EV_CURRENT, FileFlags, FileHeader64, FileType, Ident, Machine, Rela64, SHN_UNDEF,
    SectionFlags, SectionHeader64, SectionType, Sym64, SymbolInfo, SymbolOther, SymbolSection,
};
use object::endian::{I64, LittleEndian, U16, U32, U64};
use object::pod::bytes_of;
use object::read::elf::{FileHeader, SectionHeader, Sym};

use crate::platform::Platform;
use crate::ze_info::{ZeInfo, ZeInfoError};

/// `EM_INTELGT`: Intel Graphics Technology.
const MACHINE: Machine = Machine(205);
/// The version of the zebin ABI, in the file's identification.
const ABI_VERSION: u8 = 1;
/// File types: the reference writes plain relocatable files; the zebin ones are read too.
const FILE_TYPES: [u16; 4] = [1, 0xff11, 0xff12, 0xff13];

/// `SHT_ZEBIN_ZEINFO`.
const SHT_ZE_INFO: SectionType = SectionType(0xff00_0011);

/// `R_ZE_SYM_ADDR`: 64 bits, the symbol's address. This and the next two are kinds of
/// [`Relocation`] (zebin documentation).
pub const ADDRESS: u32 = 1;
/// `R_ZE_SYM_ADDR_32`: 32 bits, the address's lower half.
pub const ADDRESS_LOW: u32 = 2;
/// `R_ZE_SYM_ADDR_32_HI`: 32 bits, the address's upper half.
pub const ADDRESS_HIGH: u32 = 3;

/// What the names of sections with code begin with.
pub const TEXT_PREFIX: &str = ".text.";
const ZE_INFO: &str = ".ze_info";
const COMPAT: &str = ".note.intelgt.compat";
const SYMTAB: &str = ".symtab";
const STRTAB: &str = ".strtab";
/// The owner of the notes of [`COMPAT`].
const NOTE_OWNER: &[u8] = b"IntelGT\0";
/// The symbol at a kernel's first instruction, besides the one of its name.
pub const ENTRY: &str = "_entry";

/// Bytes of zeroes the reference puts after a kernel's last instruction, for the instruction
/// prefetcher, before it rounds up to [`TEXT_ALIGN`].
const TEXT_PADDING: usize = 128;
const TEXT_ALIGN: usize = 64;

/// An object file that cannot be read. Offsets are bytes from the file's start.
#[derive(Debug, thiserror::Error)]
pub enum ZebinError {
    #[error("not an ELF-64 file: {0}")]
    Elf(#[from] object::read::Error),
    #[error("machine {0} found, 205 (Intel Graphics Technology) expected")]
    Machine(u16),
    #[error("file type {0:#x} found, a relocatable or zebin file expected")]
    FileType(u16),
    #[error("section {index}: its name is not UTF-8")]
    SectionName { index: usize },
    #[error("section {0}: entries cut short")]
    Entries(String),
    #[error("no {ZE_INFO} section")]
    NoZeInfo,
    #[error("{0} sections named {ZE_INFO}, one expected")]
    ManyZeInfo(usize),
    #[error(transparent)]
    ZeInfo(#[from] ZeInfoError),
    #[error("section {section}: a note of {found} bytes does not fit the {room} that are left")]
    Note {
        section: String,
        found: u64,
        room: usize,
    },
    #[error("symbol {index}: {what}")]
    Symbol { index: usize, what: &'static str },
}

/// A whole file.
#[derive(Clone, Debug, PartialEq)]
pub struct Zebin {
    /// ELF file type: 1 (relocatable) as the reference writes it, or a zebin one.
    pub file_type: u16,
    /// Target flags of the ELF header.
    pub flags: u32,
    pub kernels: Vec<KernelText>,
    pub ze_info: ZeInfo,
    /// What devices the program is for.
    pub notes: Vec<Note>,
    pub symbols: Vec<Symbol>,
    pub relocations: Vec<Relocations>,
    /// Sections of other kinds: `.data.const`, `.spv`, …
    pub others: Vec<Section>,
}

/// One `.text.NAME` section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelText {
    pub name: String,
    /// Machine code and padding.
    pub text: Vec<u8>,
}

/// A note of `.note.intelgt.compat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// 1 product family, 2 core family, 3 target metadata, 4 zebin version, …
    pub kind: u32,
    pub desc: Vec<u8>,
}

/// A symbol, without the null one at the table's start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    pub value: u64,
    pub size: u64,
    /// ELF binding and type.
    pub info: u8,
    /// ELF visibility.
    pub other: u8,
    /// The section it lies in, by name, or a reserved index (undefined, absolute, …).
    pub place: SymbolPlace,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymbolPlace {
    Section(String),
    Reserved(u16),
}

/// The relocations of one section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocations {
    /// The section they change.
    pub section: String,
    /// Whether each has an addend of its own (`.rela.`, not `.rel.`).
    pub addends: bool,
    pub entries: Vec<Relocation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Bytes from the section's start.
    pub offset: u64,
    /// `R_ZE_*`.
    pub kind: u32,
    /// Index into the ELF symbol table: 0 is the null symbol, *n* is `symbols[n - 1]`.
    pub symbol: u32,
    pub addend: i64,
}

/// A section as it is in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub name: String,
    pub kind: u32,
    pub flags: u64,
    pub align: u64,
    pub entry_size: u64,
    /// Size in bytes; larger than `data` for a section without contents (`.bss.`).
    pub size: u64,
    pub data: Vec<u8>,
}

impl Zebin {
    /// An object file with these kernels for `platform`, as the reference writes it: symbols,
    /// notes and padding included.
    pub fn new(platform: &Platform, kernels: Vec<(String, Vec<u8>)>, ze_info: ZeInfo) -> Zebin {
        let version = [ze_info.version.as_bytes(), b"\0"].concat();
        let mut symbols = Vec::new();
        let mut texts = Vec::new();
        for (name, mut text) in kernels {
            for symbol in [name.as_str(), ENTRY] {
                symbols.push(Symbol {
                    name: symbol.to_string(),
                    value: 0,
                    size: text.len() as u64,
                    info: SymbolInfo::new(elf::STB_LOCAL, elf::STT_FUNC).0,
                    other: 0,
                    place: SymbolPlace::Section(format!("{TEXT_PREFIX}{name}")),
                });
            }
            text.resize((text.len() + TEXT_PADDING).next_multiple_of(TEXT_ALIGN), 0);
            texts.push(KernelText { name, text });
        }
        let number = |kind, value: u32| Note {
            kind,
            desc: value.to_le_bytes().to_vec(),
        };
        Zebin {
            file_type: elf::ET_REL.0,
            flags: 0,
            kernels: texts,
            ze_info,
            notes: vec![
                number(1, platform.product_family),
                number(2, platform.core_family),
                Note {
                    kind: 4,
                    desc: version,
                },
            ],
            symbols,
            relocations: Vec::new(),
            others: Vec::new(),
        }
    }

    /// The text of the kernel of that name.
    pub fn text(&self, kernel: &str) -> Option<&[u8]> {
        self.kernels
            .iter()
            .find(|k| k.name == kernel)
            .map(|k| k.text.as_slice())
    }

    /// Replaces a kernel's code: pads it, and corrects the sizes of the symbols at its start.
    /// False when there is no such kernel.
    pub fn set_text(&mut self, kernel: &str, code: &[u8]) -> bool {
        let Some(entry) = self.kernels.iter_mut().find(|k| k.name == kernel) else {
            return false;
        };
        entry.text = code.to_vec();
        entry
            .text
            .resize((code.len() + TEXT_PADDING).next_multiple_of(TEXT_ALIGN), 0);
        let section = SymbolPlace::Section(format!("{TEXT_PREFIX}{kernel}"));
        for symbol in self
            .symbols
            .iter_mut()
            .filter(|s| s.place == section && s.value == 0)
        {
            symbol.size = code.len() as u64;
        }
        true
    }

    /// Reads a file.
    pub fn parse(file: &[u8]) -> Result<Zebin, ZebinError> {
        let header = FileHeader64::<LittleEndian>::parse(file)?;
        let endian = header.endian()?;
        let machine = header.e_machine.get(endian);
        if machine != MACHINE {
            return Err(ZebinError::Machine(machine.0));
        }
        let file_type = header.e_type.get(endian).0;
        if !FILE_TYPES.contains(&file_type) {
            return Err(ZebinError::FileType(file_type));
        }
        let table = header.sections(endian, file)?;
        let mut names = Vec::new();
        for (index, section) in table.iter().enumerate() {
            let name = match index {
                0 => &[][..],
                _ => table.section_name(endian, section)?,
            };
            let name = std::str::from_utf8(name).map_err(|_| ZebinError::SectionName { index })?;
            names.push(name.to_string());
        }
        let named = |index: u32| names.get(index as usize).cloned().unwrap_or_default();

        let mut zebin = Zebin {
            file_type,
            flags: header.e_flags.get(endian).0,
            kernels: Vec::new(),
            ze_info: ZeInfo::default(),
            notes: Vec::new(),
            symbols: Vec::new(),
            relocations: Vec::new(),
            others: Vec::new(),
        };
        let mut ze_infos = Vec::new();
        let string_tables: Vec<usize> = table
            .iter()
            .enumerate()
            .filter(|(_, s)| s.sh_type.get(endian) == elf::SHT_SYMTAB)
            .map(|(_, s)| s.sh_link.get(endian) as usize)
            .chain([usize::from(header.e_shstrndx.get(endian).0)])
            .collect();
        for (index, section) in table.iter().enumerate().skip(1) {
            let name = &names[index];
            let data = section.data(endian, file)?;
            let kind = section.sh_type.get(endian);
            if string_tables.contains(&index) && kind == elf::SHT_STRTAB {
                continue;
            }
            if kind == SHT_ZE_INFO {
                ze_infos.push(data);
            } else if let (Some(kernel), elf::SHT_PROGBITS) = (name.strip_prefix(TEXT_PREFIX), kind)
            {
                zebin.kernels.push(KernelText {
                    name: kernel.to_string(),
                    text: data.to_vec(),
                });
            } else if kind == elf::SHT_NOTE && name == COMPAT {
                zebin.notes.extend(parse_notes(data)?);
            } else if kind == elf::SHT_SYMTAB {
                let symbols = table.symbols(endian, file, elf::SHT_SYMTAB)?;
                for (index, symbol) in symbols.iter().enumerate().skip(1) {
                    let symbol_name = symbol
                        .name(endian, symbols.strings())
                        .ok()
                        .and_then(|n| std::str::from_utf8(n).ok())
                        .ok_or(ZebinError::Symbol {
                            index,
                            what: "its name is not in the table",
                        })?;
                    let place = symbol.st_shndx.get(endian).0;
                    zebin.symbols.push(Symbol {
                        name: symbol_name.to_string(),
                        value: symbol.st_value.get(endian),
                        size: symbol.st_size.get(endian),
                        info: symbol.st_info.0,
                        other: symbol.st_other.0,
                        place: if place == SHN_UNDEF.0 || place >= 0xff00 {
                            SymbolPlace::Reserved(place)
                        } else if usize::from(place) < names.len() {
                            SymbolPlace::Section(named(u32::from(place)))
                        } else {
                            return Err(ZebinError::Symbol {
                                index,
                                what: "no such section",
                            });
                        },
                    });
                }
            } else if kind == elf::SHT_REL || kind == elf::SHT_RELA {
                zebin.relocations.push(Relocations {
                    section: named(section.sh_info.get(endian)),
                    addends: kind == elf::SHT_RELA,
                    entries: parse_relocations(name, data, kind == elf::SHT_RELA)?,
                });
            } else {
                zebin.others.push(Section {
                    name: name.clone(),
                    kind: kind.0,
                    flags: section.sh_flags.get(endian).0,
                    align: section.sh_addralign.get(endian),
                    entry_size: section.sh_entsize.get(endian),
                    size: section.sh_size.get(endian),
                    data: data.to_vec(),
                });
            }
        }
        zebin.ze_info = match ze_infos.as_slice() {
            [] => return Err(ZebinError::NoZeInfo),
            [one] => ZeInfo::parse(one)?,
            many => return Err(ZebinError::ManyZeInfo(many.len())),
        };
        Ok(zebin)
    }

    /// Writes the file. Sections come in the order kernels, other sections, symbols, relocations,
    /// `.ze_info`, notes, strings.
    pub fn write(&self) -> Result<Vec<u8>, ZebinError> {
        let mut out = Output::default();
        for kernel in &self.kernels {
            out.section(
                format!("{TEXT_PREFIX}{}", kernel.name),
                elf::SHT_PROGBITS,
                (elf::SHF_ALLOC | elf::SHF_EXECINSTR).0,
                &kernel.text,
            );
        }
        for other in &self.others {
            out.section(
                other.name.clone(),
                SectionType(other.kind),
                other.flags,
                &other.data,
            );
            if let Some((_, header)) = out.sections.last_mut() {
                header.align = other.align;
                header.entry_size = other.entry_size;
                header.size = other.size;
            }
        }
        let names: Vec<String> = out.sections.iter().map(|(n, _)| n.clone()).collect();
        // The null section comes before those in `names`.
        let index_of = |name: &str| names.iter().position(|n| n == name).map_or(0, |i| i + 1);
        // The symbol table comes next, and the string table after all others.
        let symtab_index = names.len() + 1;
        let strtab_index = symtab_index + self.relocations.len() + 3;
        if !self.symbols.is_empty() || !self.relocations.is_empty() {
            let table = self.symbol_table(&mut out.strings, index_of);
            out.section(SYMTAB.to_string(), elf::SHT_SYMTAB, 0, &table);
            if let Some((_, header)) = out.sections.last_mut() {
                header.link = strtab_index as u32;
                header.entry_size = size_of::<Sym64<LittleEndian>>() as u64;
                // One more than the last local symbol.
                let locals = self
                    .symbols
                    .iter()
                    .take_while(|s| s.info >> 4 == elf::STB_LOCAL.0);
                header.info = 1 + locals.count() as u32;
            }
        }
        for relocations in &self.relocations {
            let (prefix, kind) = if relocations.addends {
                (".rela", elf::SHT_RELA)
            } else {
                (".rel", elf::SHT_REL)
            };
            let table = relocation_table(relocations);
            out.section(format!("{prefix}{}", relocations.section), kind, 0, &table);
            if let Some((_, header)) = out.sections.last_mut() {
                header.link = symtab_index as u32;
                header.info = index_of(&relocations.section) as u32;
                header.entry_size = if relocations.addends { 24 } else { 16 };
            }
        }
        let yaml = self.ze_info.to_yaml()?;
        out.section(ZE_INFO.to_string(), SHT_ZE_INFO, 0, yaml.as_bytes());
        out.section(
            COMPAT.to_string(),
            elf::SHT_NOTE,
            0,
            &note_section(&self.notes),
        );
        Ok(out.finish(self.file_type, self.flags))
    }

    fn symbol_table(&self, strings: &mut Strings, index_of: impl Fn(&str) -> usize) -> Vec<u8> {
        let mut table = vec![0; size_of::<Sym64<LittleEndian>>()];
        for symbol in &self.symbols {
            let place = match &symbol.place {
                SymbolPlace::Section(name) => index_of(name) as u16,
                SymbolPlace::Reserved(index) => *index,
            };
            table.extend_from_slice(bytes_of(&Sym64 {
                st_name: U32::new(LittleEndian, strings.add(&symbol.name)),
                st_info: SymbolInfo(symbol.info),
                st_other: SymbolOther(symbol.other),
                st_shndx: U16::new(LittleEndian, SymbolSection(place)),
                st_value: U64::new(LittleEndian, symbol.value),
                st_size: U64::new(LittleEndian, symbol.size),
            }));
        }
        table
    }
}

/// Note entries: sizes of name and description, kind, and both padded to 4 bytes.
fn parse_notes(data: &[u8]) -> Result<Vec<Note>, ZebinError> {
    let mut notes = Vec::new();
    let mut rest = data;
    while let Some((head, body)) = rest.split_first_chunk::<12>() {
        let word = |i: usize| u32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
        let (name, desc) = (u64::from(word(0)), u64::from(word(4)));
        let padded = name.next_multiple_of(4) + desc;
        let short = || ZebinError::Note {
            section: COMPAT.to_string(),
            found: padded,
            room: body.len(),
        };
        if padded > body.len() as u64 {
            return Err(short());
        }
        let start = name.next_multiple_of(4) as usize;
        let end = start + desc as usize;
        notes.push(Note {
            kind: word(8),
            desc: body[start..end].to_vec(),
        });
        // The last note may lack its padding.
        rest = body.get(end.next_multiple_of(4)..).unwrap_or_default();
    }
    if rest.iter().all(|&b| b == 0) {
        Ok(notes)
    } else {
        Err(ZebinError::Entries(COMPAT.to_string()))
    }
}

fn note_section(notes: &[Note]) -> Vec<u8> {
    let mut out = Vec::new();
    for note in notes {
        for word in [NOTE_OWNER.len() as u32, note.desc.len() as u32, note.kind] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(NOTE_OWNER);
        out.extend_from_slice(&note.desc);
        out.resize(out.len().next_multiple_of(4), 0);
    }
    out
}

fn parse_relocations(
    section: &str,
    data: &[u8],
    addends: bool,
) -> Result<Vec<Relocation>, ZebinError> {
    let chunks = data.chunks_exact(if addends { 24 } else { 16 });
    if !chunks.remainder().is_empty() {
        return Err(ZebinError::Entries(section.to_string()));
    }
    Ok(chunks
        .map(|c| {
            let word = |i: usize| {
                let mut bytes = [0; 8];
                let field = c.get(i..i + 8).unwrap_or(&[0; 8]);
                bytes.copy_from_slice(field);
                u64::from_le_bytes(bytes)
            };
            Relocation {
                offset: word(0),
                kind: word(8) as u32,
                symbol: (word(8) >> 32) as u32,
                addend: word(16) as i64,
            }
        })
        .collect())
}

fn relocation_table(relocations: &Relocations) -> Vec<u8> {
    let mut table = Vec::new();
    for r in &relocations.entries {
        let entry = Rela64::<LittleEndian> {
            r_offset: U64::new(LittleEndian, r.offset),
            r_info: U64::new(LittleEndian, u64::from(r.symbol) << 32 | u64::from(r.kind)),
            r_addend: I64::new(LittleEndian, r.addend),
        };
        let bytes = bytes_of(&entry);
        table.extend_from_slice(if relocations.addends {
            bytes
        } else {
            &bytes[..16]
        });
    }
    table
}

/// A string table under construction: offset 0 is the empty string.
struct Strings(Vec<u8>);

impl Default for Strings {
    fn default() -> Self {
        Strings(vec![0])
    }
}

impl Strings {
    fn add(&mut self, s: &str) -> u32 {
        if s.is_empty() {
            return 0;
        }
        let at = self.0.len() as u32;
        self.0.extend_from_slice(s.as_bytes());
        self.0.push(0);
        at
    }
}

/// What is known of a section once its contents are placed.
struct Placed {
    kind: SectionType,
    flags: u64,
    offset: u64,
    size: u64,
    link: u32,
    info: u32,
    align: u64,
    entry_size: u64,
}

/// The file as it grows: the contents of sections after the header; their headers at the end.
#[derive(Default)]
struct Output {
    contents: Vec<u8>,
    sections: Vec<(String, Placed)>,
    strings: Strings,
}

const FILE_HEADER_SIZE: usize = size_of::<FileHeader64<LittleEndian>>();
const SECTION_HEADER_SIZE: usize = size_of::<SectionHeader64<LittleEndian>>();

impl Output {
    fn section(&mut self, name: String, kind: SectionType, flags: u64, data: &[u8]) {
        self.contents
            .resize(self.contents.len().next_multiple_of(8), 0);
        let offset = (FILE_HEADER_SIZE + self.contents.len()) as u64;
        self.contents.extend_from_slice(data);
        let placed = Placed {
            kind,
            flags,
            offset,
            size: data.len() as u64,
            link: 0,
            info: 0,
            align: 0,
            entry_size: 0,
        };
        self.sections.push((name, placed));
    }

    fn finish(mut self, file_type: u16, flags: u32) -> Vec<u8> {
        let mut names: Vec<u32> = Vec::new();
        for (name, _) in &self.sections {
            names.push(self.strings.add(name));
        }
        names.push(self.strings.add(STRTAB));
        let strings = std::mem::take(&mut self.strings).0;
        self.section(STRTAB.to_string(), elf::SHT_STRTAB, 0, &strings);
        self.contents
            .resize(self.contents.len().next_multiple_of(8), 0);

        let count = self.sections.len() as u16 + 1;
        let header = FileHeader64::<LittleEndian> {
            e_ident: Ident {
                magic: elf::ELFMAG,
                class: elf::ELFCLASS64,
                data: elf::ELFDATA2LSB,
                version: EV_CURRENT,
                os_abi: elf::ELFOSABI_NONE,
                abi_version: ABI_VERSION,
                padding: [0; 7],
            },
            e_type: U16::new(LittleEndian, FileType(file_type)),
            e_machine: U16::new(LittleEndian, MACHINE),
            e_version: U32::new(LittleEndian, u32::from(EV_CURRENT.0)),
            e_entry: U64::new(LittleEndian, 0),
            e_phoff: U64::new(LittleEndian, 0),
            e_shoff: U64::new(
                LittleEndian,
                (FILE_HEADER_SIZE + self.contents.len()) as u64,
            ),
            e_flags: U32::new(LittleEndian, FileFlags(flags)),
            e_ehsize: U16::new(LittleEndian, FILE_HEADER_SIZE as u16),
            e_phentsize: U16::new(LittleEndian, 0),
            e_phnum: U16::new(LittleEndian, 0),
            e_shentsize: U16::new(LittleEndian, SECTION_HEADER_SIZE as u16),
            e_shnum: U16::new(LittleEndian, count),
            e_shstrndx: U16::new(LittleEndian, SymbolSection(count - 1)),
        };
        let mut file = bytes_of(&header).to_vec();
        file.append(&mut self.contents);
        file.extend_from_slice(&[0; SECTION_HEADER_SIZE]);
        for ((_, section), name) in self.sections.iter().zip(names) {
            file.extend_from_slice(bytes_of(&SectionHeader64::<LittleEndian> {
                sh_name: U32::new(LittleEndian, name),
                sh_type: U32::new(LittleEndian, section.kind),
                sh_flags: U64::new(LittleEndian, SectionFlags(section.flags)),
                sh_addr: U64::new(LittleEndian, 0),
                sh_offset: U64::new(LittleEndian, section.offset),
                sh_size: U64::new(LittleEndian, section.size),
                sh_link: U32::new(LittleEndian, section.link),
                sh_info: U32::new(LittleEndian, section.info),
                sh_addralign: U64::new(LittleEndian, section.align),
                sh_entsize: U64::new(LittleEndian, section.entry_size),
            }));
        }
        file
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    /// The examples' object files, by name, as the reference compiler wrote them.
    fn examples() -> Vec<(String, Vec<u8>)> {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
        let mut all = Vec::new();
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if let Ok(file) = std::fs::read(path.join(format!("{name}.zebin"))) {
                all.push((name, file));
            }
        }
        all.sort();
        assert!(all.len() >= 14, "only {} examples found", all.len());
        all
    }

    #[test]
    fn what_is_written_reads_as_what_was_read() {
        for (name, file) in examples() {
            let read = Zebin::parse(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
            let written = read.write().unwrap();
            assert_eq!(Zebin::parse(&written).unwrap(), read, "{name}");
        }
    }

    #[test]
    fn a_new_file_has_what_the_references_has() {
        let skl = crate::platform::find("skl").unwrap();
        for (name, file) in examples() {
            let reference = Zebin::parse(&file).unwrap();
            let kernel = &reference.kernels[0].name;
            let code = reference.symbols[0].size as usize;
            let code = reference.text(kernel).unwrap()[..code].to_vec();
            let info = reference.ze_info.clone();
            let mut new = Zebin::new(skl, vec![(kernel.clone(), code.clone())], info);
            assert_eq!(new.kernels, reference.kernels, "{name}");
            assert_eq!(new.symbols, reference.symbols, "{name}");
            let version = |z: &Zebin| z.notes.iter().find(|n| n.kind == 4).cloned();
            assert_eq!(version(&new), version(&reference), "{name}");
            assert!(new.set_text(kernel, &code[..64]));
            assert_eq!((new.symbols[0].size, new.kernels[0].text.len()), (64, 192));
            assert!(!new.set_text("no such kernel", &code));
        }
    }

    #[test]
    fn relocations_and_data_survive() {
        let (_, file) = examples().swap_remove(0);
        let mut zebin = Zebin::parse(&file).unwrap();
        let text = format!(".text.{}", zebin.kernels[0].name);
        for addends in [false, true] {
            let addend = if addends { -9 } else { 0 };
            zebin.relocations.push(Relocations {
                section: text.clone(),
                addends,
                entries: vec![
                    Relocation {
                        offset: 64,
                        kind: 2,
                        symbol: 1,
                        addend,
                    };
                    2
                ],
            });
        }
        zebin.others.push(Section {
            name: ".bss.global".into(),
            kind: 8,
            flags: 3,
            align: 16,
            entry_size: 0,
            size: 4096,
            data: Vec::new(),
        });
        zebin.symbols.push(Symbol {
            name: "g".into(),
            value: 8,
            size: 4,
            info: 0x11,
            other: 0,
            place: SymbolPlace::Section(".bss.global".into()),
        });
        zebin.symbols.push(Symbol {
            name: "far".into(),
            value: 0,
            size: 0,
            info: 0x10,
            other: 0,
            place: SymbolPlace::Reserved(0),
        });
        assert_eq!(Zebin::parse(&zebin.write().unwrap()).unwrap(), zebin);
    }

    #[test]
    fn other_files_are_refused() {
        let (_, file) = examples().swap_remove(0);
        assert!(matches!(Zebin::parse(b""), Err(ZebinError::Elf(_))));
        assert!(matches!(Zebin::parse(&file[..63]), Err(ZebinError::Elf(_))));
        let mut other = file.clone();
        other[18] = 62;
        assert!(matches!(Zebin::parse(&other), Err(ZebinError::Machine(62))));
        let mut other = file.clone();
        other[16] = 2;
        assert!(matches!(Zebin::parse(&other), Err(ZebinError::FileType(2))));
        let mut none = Zebin::parse(&file).unwrap();
        none.ze_info = ZeInfo::default();
        let written = none.write().unwrap();
        let place = written.windows(8).position(|w| w == b".ze_info").unwrap();
        let mut renamed = written.clone();
        renamed[place] = 0xff;
        let error = Zebin::parse(&renamed).unwrap_err();
        assert!(matches!(error, ZebinError::SectionName { .. }), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Damaged files are read or refused, and what is read can be written.
        #[test]
        fn damaged_files_never_panic(
            which in 0usize..14,
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
            headers in any::<bool>(),
            cut in any::<prop::sample::Index>(),
        ) {
            let (_, mut file) = examples().swap_remove(which);
            let len = file.len();
            // The section headers are the file's last 512 bytes and the header its first 64.
            for (at, byte) in changes {
                let at = if headers { (len - 512 + at.index(576)) % len } else { at.index(len) };
                file[at] = byte;
            }
            if headers && let Ok(zebin) = Zebin::parse(&file) {
                zebin.write().unwrap();
            }
            file.truncate(cut.index(len));
            let _ = Zebin::parse(&file);
        }
    }
}
