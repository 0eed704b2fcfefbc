//! Zebin object files: the ELF files that carry a program's kernels to the driver (zebin documentation; ELF object
//! file format). Programs with 32-bit pointers have files of the 32-bit ELF class.
//!
//! [`Zebin::parse`] takes any bytes and never panics; [`Zebin::write`] makes a file that parses to the same value.
//! Sections of unknown kinds are copied unchanged.

use std::borrow::Cow;
use std::collections::BTreeMap;

use object::Endianness;
use object::elf::{
    self, FileFlags, FileHeader32, FileHeader64, FileType, Machine, SHN_UNDEF, SectionFlags,
    SectionType, SymbolInfo, SymbolOther, SymbolSection,
};
use object::endian::LittleEndian;
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::write::StringId;
use object::write::elf::{self as elf_writer, Writer};

use crate::assemble::{TEXT_ALIGN, TEXT_PADDING};
use crate::platform::Platform;
use crate::ze_info::{ZeInfo, ZeInfoError};

/// `EM_INTELGT`: Intel Graphics Technology.
const MACHINE: Machine = Machine(205);
/// Version of the zebin ABI in the ELF identification.
const ABI_VERSION: u8 = 1;
/// Accepted file types: the reference writes relocatable files; the zebin types are accepted too.
const FILE_TYPES: [u16; 4] = [1, 0xff11, 0xff12, 0xff13];

/// First bytes of an ELF file, of an archive, and of a binary with patch tokens outside of an ELF file.
const ELF_MAGIC: &[u8] = b"\x7fELF";
const ARCHIVE_MAGIC: &[u8] = b"!<arch>\n";
const PATCH_TOKENS_MAGIC: &[u8] = b"CTNI";
/// File types of ELF files around patch tokens, whose machine is 0: source, objects, library, executable, debug data.
const PATCH_TOKEN_TYPES: std::ops::RangeInclusive<u16> = 0xff01..=0xff05;
/// Maximum number of an archive's members that an error names.
const MAX_MEMBERS: usize = 16;

/// `SHT_ZEBIN_ZEINFO`.
const SHT_ZE_INFO: SectionType = SectionType(0xff00_0011);
/// `SHT_ZEBIN_SPIRV`: type of a section with the program in SPIR-V (zebin documentation).
pub const SPIRV: u32 = 0xff00_0009;
/// `SHT_ZEBIN_VISAASM`: type of a section with the vISA of a kernel or function as text, which a zero byte ends (zebin
/// documentation).
pub const VISA: u32 = 0xff00_0013;

/// `R_ZE_SYM_ADDR`: 64 bits, the symbol's address. This and the next two are kinds of
/// [`Relocation`] (zebin documentation).
pub const ADDRESS: u32 = 1;
/// `R_ZE_SYM_ADDR_32`: 32 bits, the address's lower half.
pub const ADDRESS_LOW: u32 = 2;
/// `R_ZE_SYM_ADDR_32_HI`: 32 bits, the address's upper half.
pub const ADDRESS_HIGH: u32 = 3;

/// Prefix of the names of code sections.
pub const TEXT_PREFIX: &str = ".text.";
const ZE_INFO: &str = ".ze_info";
const COMPAT: &str = ".note.intelgt.compat";
/// Owner of the notes of [`COMPAT`].
const NOTE_OWNER: &[u8] = b"IntelGT\0";
/// Name of the symbol at a kernel's first instruction, beside the kernel's own name.
pub const ENTRY: &str = "_entry";
/// Name, after [`TEXT_PREFIX`], of the section of functions that are called by address.
pub const FUNCTIONS: &str = "Intel_Symbol_Table_Void_Program";
/// Name of the section of texts that kernels print, and type of a section of plain data. The driver keeps those texts where it reads
/// them itself.
pub const STRINGS: &str = ".data.const.string";
pub const SHT_PROGBITS: u32 = elf::SHT_PROGBITS.0;
/// Bindings and type of a symbol's `info`: `binding << 4 | type`.
pub const STB_LOCAL: u8 = elf::STB_LOCAL.0;
pub const STB_GLOBAL: u8 = elf::STB_GLOBAL.0;
pub const STT_FUNC: u8 = elf::STT_FUNC.0;
pub const STT_OBJECT: u8 = elf::STT_OBJECT.0;
pub const STT_NOTYPE: u8 = elf::STT_NOTYPE.0;

/// An object file that cannot be read. Offsets are bytes from the file's start.
#[derive(Debug, thiserror::Error)]
pub enum ZebinError {
    #[error("not an ELF-64 file: {0}")]
    Elf(#[from] object::read::Error),
    #[error(
        "an archive of binaries for several devices ({}): take one of them out of it (`ar x`)",
        .0.join(", ")
    )]
    Archive(Vec<String>),
    #[error(
        "an OpenCL device binary with patch tokens, an older form: \
         `ocloc --format zebin` makes a zebin of the same program"
    )]
    PatchTokens,
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
    #[error("the name {0:?} has a zero byte in it")]
    Name(String),
    #[error("{0} sections are more than a file can have")]
    ManySections(usize),
    #[error("the file cannot be written: {0}")]
    Write(#[from] object::write::Error),
}

/// A whole file.
#[derive(Clone, Debug, PartialEq)]
pub struct Zebin {
    /// ELF file type: 1 (relocatable) as the reference writes it, or a zebin one.
    pub file_type: u16,
    /// True for the 32-bit ELF class.
    pub narrow: bool,
    /// Target flags of the ELF header.
    pub flags: u32,
    pub kernels: Vec<KernelText>,
    /// Arguments and needs of the kernels. Without kernels, the default is no section of the file.
    pub ze_info: ZeInfo,
    /// Notes about the devices that the program is for.
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
    /// Section that contains it, by name, or a reserved index (undefined, absolute, …).
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
    /// Section that they change.
    pub section: String,
    /// True if each has an explicit addend (`.rela.`, not `.rel.`).
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

/// True if the bytes begin as a file of machine code of an OpenCL compiler, of which [`Zebin::parse`] reads zebins and
/// names the others.
pub fn is_object(file: &[u8]) -> bool {
    [ELF_MAGIC, ARCHIVE_MAGIC, PATCH_TOKENS_MAGIC]
        .iter()
        .any(|magic| file.starts_with(magic))
}

/// Names of an archive's first members, without those that only pad it.
fn members(file: &[u8]) -> Vec<String> {
    const HEADER: usize = 60;
    const NAME: usize = 16;
    const SIZE: std::ops::Range<usize> = 48..58;
    let mut names = Vec::new();
    let mut rest = &file[ARCHIVE_MAGIC.len()..];
    while let Some((header, contents)) = rest.split_at_checked(HEADER) {
        let name = String::from_utf8_lossy(&header[..NAME]);
        let name = name.trim_end().trim_end_matches('/');
        if !name.is_empty() && !name.starts_with("pad_") {
            names.push(name.to_string());
        }
        let size = std::str::from_utf8(&header[SIZE]).ok();
        let size: Option<usize> = size.and_then(|size| size.trim().parse().ok());
        // Members begin at even offsets.
        let next = size.and_then(|size| size.checked_next_multiple_of(2));
        match next.and_then(|next| contents.get(next..)) {
            Some(next) if names.len() < MAX_MEMBERS => rest = next,
            _ => break,
        }
    }
    names
}

impl Zebin {
    /// An object file with the given kernels for `platform`, as the reference writes it: symbols, notes and padding
    /// included.
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
            narrow: false,
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

    /// The text of the kernel with the given name.
    pub fn text(&self, kernel: &str) -> Option<&[u8]> {
        self.kernels
            .iter()
            .find(|k| k.name == kernel)
            .map(|k| k.text.as_slice())
    }

    /// Replaces a kernel's code: pads it, and corrects the sizes of the symbols at its start. False if there is no
    /// such kernel.
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
            .filter(|s| s.place == section && s.value == 0 && s.info & 0xf != STT_NOTYPE)
        {
            symbol.size = code.len() as u64;
        }
        true
    }

    /// Puts local symbols first, as ELF demands; the order is kept otherwise.
    pub fn order_symbols(&mut self) {
        let local = |symbol: &Symbol| symbol.info >> 4 == STB_LOCAL;
        let symbols = std::mem::take(&mut self.symbols);
        let mut numbered: Vec<(usize, Symbol)> = symbols.into_iter().enumerate().collect();
        numbered.sort_by_key(|(_, symbol)| !local(symbol));
        let mut places = vec![0; numbered.len()];
        for (to, (from, _)) in numbered.iter().enumerate() {
            places[*from] = to as u32 + 1;
        }
        self.symbols = numbered.into_iter().map(|(_, symbol)| symbol).collect();
        let tables = self.relocations.iter_mut();
        for entry in tables.flat_map(|table| &mut table.entries) {
            let number = (entry.symbol as usize).checked_sub(1);
            if let Some(place) = number.and_then(|number| places.get(number)) {
                entry.symbol = *place;
            }
        }
    }

    /// Reads a file.
    pub fn parse(file: &[u8]) -> Result<Zebin, ZebinError> {
        const CLASS: usize = 4;
        if file.starts_with(ARCHIVE_MAGIC) {
            return Err(ZebinError::Archive(members(file)));
        }
        if file.starts_with(PATCH_TOKENS_MAGIC) {
            return Err(ZebinError::PatchTokens);
        }
        match file.get(CLASS) {
            Some(&class) if class == elf::ELFCLASS32.0 => {
                Zebin::read::<FileHeader32<LittleEndian>>(file)
            }
            _ => Zebin::read::<FileHeader64<LittleEndian>>(file),
        }
    }

    fn read<Elf: FileHeader<Endian = LittleEndian>>(file: &[u8]) -> Result<Zebin, ZebinError> {
        let header = Elf::parse(file)?;
        let narrow = !header.is_type_64();
        let endian = header.endian()?;
        let machine = header.e_machine(endian);
        let file_type = header.e_type(endian).0;
        if machine == elf::EM_NONE && PATCH_TOKEN_TYPES.contains(&file_type) {
            return Err(ZebinError::PatchTokens);
        }
        if machine != MACHINE {
            return Err(ZebinError::Machine(machine.0));
        }
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
            narrow,
            flags: header.e_flags(endian).0,
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
            .filter(|(_, s)| s.sh_type(endian) == elf::SHT_SYMTAB)
            .map(|(_, s)| s.sh_link(endian) as usize)
            .chain([usize::from(header.e_shstrndx(endian).0)])
            .collect();
        for (index, section) in table.iter().enumerate().skip(1) {
            let name = &names[index];
            let data = section.data(endian, file)?;
            let kind = section.sh_type(endian);
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
                    let place = symbol.st_shndx(endian).0;
                    zebin.symbols.push(Symbol {
                        name: symbol_name.to_string(),
                        value: symbol.st_value(endian).into(),
                        size: symbol.st_size(endian).into(),
                        info: symbol.st_info().0,
                        other: symbol.st_other().0,
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
                    section: named(section.sh_info(endian)),
                    addends: kind == elf::SHT_RELA,
                    entries: parse_relocations(name, data, kind == elf::SHT_RELA, narrow)?,
                });
            } else {
                zebin.others.push(Section {
                    name: name.clone(),
                    kind: kind.0,
                    flags: section.sh_flags(endian).0,
                    align: section.sh_addralign(endian).into(),
                    entry_size: section.sh_entsize(endian).into(),
                    size: section.sh_size(endian).into(),
                    data: data.to_vec(),
                });
            }
        }
        zebin.ze_info = match ze_infos.as_slice() {
            // A program without kernels has none.
            [] if zebin.kernels.is_empty() => ZeInfo::default(),
            [] => return Err(ZebinError::NoZeInfo),
            [one] => ZeInfo::parse(one)?,
            many => return Err(ZebinError::ManyZeInfo(many.len())),
        };
        Ok(zebin)
    }

    /// Writes the file. Sections come in the order kernels, other sections, symbols, relocations,
    /// `.ze_info`, notes, strings.
    ///
    /// # Errors
    /// A `.ze_info` that cannot be written; names that no string table can hold; more sections than a symbol can
    /// name.
    pub fn write(&self) -> Result<Vec<u8>, ZebinError> {
        let yaml = self.ze_info.to_yaml()?;
        let notes = note_section(&self.notes);
        let [before, after] = self.sections(yaml.as_bytes(), &notes);
        let sections = before.len() + self.relocations.len() + after.len() + 4;
        if sections >= usize::from(elf::SHN_LORESERVE) {
            return Err(ZebinError::ManySections(sections));
        }
        let relocation_names: Vec<String> = (self.relocations.iter())
            .map(|r| format!("{}{}", if r.addends { ".rela" } else { ".rel" }, r.section))
            .collect();
        let names = (before.iter().chain(&after).map(|section| &*section.name))
            .chain(relocation_names.iter().map(String::as_str))
            .chain(self.symbols.iter().map(|symbol| symbol.name.as_str()));
        for name in names {
            if name.contains('\0') {
                return Err(ZebinError::Name(name.to_string()));
            }
        }
        // The null section comes before those in `before`. Of equal names the first counts.
        let mut indices = BTreeMap::new();
        for (index, section) in (1..).zip(&before) {
            indices.entry(section.name.to_string()).or_insert(index);
        }
        let parts = Parts {
            before,
            after,
            relocation_names,
            indices,
        };
        let mut file = Vec::new();
        let mut out = Writer::new(Endianness::Little, !self.narrow, &mut file);
        let reserved = self.reserve(&parts, &mut out)?;
        out.write_file_header(&elf_writer::FileHeader {
            os_abi: elf::ELFOSABI_NONE,
            abi_version: ABI_VERSION,
            e_type: FileType(self.file_type),
            e_machine: MACHINE,
            e_entry: 0,
            e_flags: FileFlags(self.flags),
        })?;
        self.write_contents(&parts, &reserved, &mut out);
        self.write_headers(&parts, &reserved, &mut out);
        Ok(file)
    }

    /// Gives all sections places in the file.
    fn reserve<'a>(
        &'a self,
        parts: &'a Parts<'a>,
        out: &mut Writer<'a>,
    ) -> Result<Reserved, ZebinError> {
        out.reserve_file_header();
        let mut reserved = Reserved::default();
        for section in &parts.before {
            reserved.before.push(section.reserve(out));
        }
        if self.has_symbols() {
            reserved.symbol_table = out.reserve_symtab_section_index();
            reserved.symbol_table_name = Some(out.add_section_name(b".symtab"));
            out.reserve_null_symbol_index();
            for symbol in &self.symbols {
                let name = symbol.name.as_bytes();
                let name = (!name.is_empty()).then(|| out.add_section_name(name));
                reserved.symbol_names.push(name);
                out.reserve_symbol_index(None);
            }
            out.reserve_symtab();
            reserved.symbols_end = out.reserved_len();
        }
        for (relocations, name) in self.relocations.iter().zip(&parts.relocation_names) {
            let name = out.add_section_name(name.as_bytes());
            out.reserve_section_index();
            let count = relocations.entries.len();
            let offset = out.reserve_relocations(count, relocations.addends);
            reserved.relocations.push((name, offset));
        }
        for section in &parts.after {
            reserved.after.push(section.reserve(out));
        }
        reserved.strings = out.reserve_shstrtab_section_index();
        out.reserve_shstrtab()?;
        out.reserve_section_headers();
        Ok(reserved)
    }

    fn has_symbols(&self) -> bool {
        !self.symbols.is_empty() || !self.relocations.is_empty()
    }

    fn write_contents(&self, parts: &Parts, reserved: &Reserved, out: &mut Writer) {
        for section in &parts.before {
            section.write(out);
        }
        if self.has_symbols() {
            out.write_null_symbol();
            for (symbol, name) in self.symbols.iter().zip(&reserved.symbol_names) {
                let (section, index) = match &symbol.place {
                    SymbolPlace::Section(name) => (parts.index_of(name), elf::SHN_UNDEF),
                    SymbolPlace::Reserved(index) => (None, SymbolSection(*index)),
                };
                out.write_symbol(&elf_writer::Sym {
                    section,
                    st_name: out.section_name_offset(*name),
                    st_info: SymbolInfo(symbol.info),
                    st_other: SymbolOther(symbol.other),
                    st_shndx: index,
                    st_value: symbol.value,
                    st_size: symbol.size,
                });
            }
        }
        for relocations in &self.relocations {
            out.write_align_relocation();
            for entry in &relocations.entries {
                let entry = elf_writer::Rel {
                    r_offset: entry.offset,
                    r_sym: entry.symbol,
                    r_type: elf::RelocationType(entry.kind),
                    r_addend: entry.addend,
                };
                out.write_relocation(relocations.addends, &entry);
            }
        }
        for section in &parts.after {
            section.write(out);
        }
        out.write_shstrtab();
    }

    fn write_headers(&self, parts: &Parts, reserved: &Reserved, out: &mut Writer) {
        out.write_null_section_header();
        for (section, reserved) in parts.before.iter().zip(&reserved.before) {
            section.write_header(*reserved, out);
        }
        if self.has_symbols() {
            self.write_symbols_header(reserved, out);
        }
        for (relocations, &(name, offset)) in self.relocations.iter().zip(&reserved.relocations) {
            let section = parts.index_of(&relocations.section);
            out.write_relocation_section_header(
                name,
                elf_writer::SectionIndex(section.unwrap_or(0)),
                reserved.symbol_table,
                offset,
                relocations.entries.len(),
                relocations.addends,
            );
        }
        for (section, reserved) in parts.after.iter().zip(&reserved.after) {
            section.write_header(*reserved, out);
        }
        out.write_shstrtab_section_header();
    }

    /// The header of the symbol table, whose names are in the string table of the sections: the driver's reader looks them up there
    /// (`getSymbolName` in compute-runtime's `elf_decoder.h`), and the reference compiler writes one table.
    fn write_symbols_header(&self, reserved: &Reserved, out: &mut Writer) {
        let name = reserved.symbol_table_name;
        let (entry, align) = if self.narrow { (16, 4) } else { (24, 8) };
        let size = (1 + self.symbols.len() as u64) * entry;
        // One more than the last local symbol.
        let local = |symbol: &&Symbol| symbol.info >> 4 == elf::STB_LOCAL.0;
        let locals = self.symbols.iter().take_while(local).count() as u32;
        out.write_section_header(&elf_writer::SectionHeader {
            sh_name: out.section_name_offset(name),
            sh_type: elf::SHT_SYMTAB,
            sh_offset: reserved.symbols_end - size,
            sh_size: size,
            sh_link: reserved.strings.0,
            sh_info: 1 + locals,
            sh_addralign: align,
            sh_entsize: entry,
            ..elf_writer::SectionHeader::default()
        });
    }

    /// The sections with unprocessed contents: those before and after the tables of symbols and relocations.
    fn sections<'a>(&'a self, ze_info: &'a [u8], notes: &'a [u8]) -> [Vec<Contents<'a>>; 2] {
        let plain = |name: Cow<'a, str>, kind, flags, data: &'a [u8]| Contents {
            name,
            kind,
            flags,
            data,
            size: data.len() as u64,
            align: 0,
            entry_size: 0,
        };
        let code = (elf::SHF_ALLOC | elf::SHF_EXECINSTR).0;
        let kernels = self.kernels.iter().map(|kernel| {
            let name = format!("{TEXT_PREFIX}{}", kernel.name);
            plain(name.into(), elf::SHT_PROGBITS, code, &kernel.text)
        });
        let others = self.others.iter().map(|other| Contents {
            size: other.size,
            align: other.align,
            entry_size: other.entry_size,
            ..plain(
                other.name.as_str().into(),
                SectionType(other.kind),
                other.flags,
                &other.data,
            )
        });
        let info = plain(ZE_INFO.into(), SHT_ZE_INFO, 0, ze_info);
        let described = !self.kernels.is_empty() || self.ze_info != ZeInfo::default();
        let info = described.then_some(info);
        let notes = plain(COMPAT.into(), elf::SHT_NOTE, 0, notes);
        let after = info.into_iter().chain([notes]).collect();
        [kernels.chain(others).collect(), after]
    }
}

/// The sections of a file, in its order: before the symbols, the relocations, after them.
struct Parts<'a> {
    before: Vec<Contents<'a>>,
    after: Vec<Contents<'a>>,
    relocation_names: Vec<String>,
    /// Indices of the sections in `before` by their names.
    indices: BTreeMap<String, u32>,
}

impl Parts<'_> {
    fn index_of(&self, name: &str) -> Option<u32> {
        self.indices.get(name).copied()
    }
}

/// Places of names in the string table, and offsets of contents.
#[derive(Default)]
struct Reserved {
    before: Vec<(StringId, u64)>,
    after: Vec<(StringId, u64)>,
    symbol_names: Vec<Option<StringId>>,
    symbol_table: elf_writer::SectionIndex,
    symbol_table_name: Option<StringId>,
    /// Offset of the byte after the symbol table.
    symbols_end: u64,
    strings: elf_writer::SectionIndex,
    relocations: Vec<(StringId, u64)>,
}

/// A section with unprocessed contents, about to be written.
struct Contents<'a> {
    name: Cow<'a, str>,
    kind: SectionType,
    flags: u64,
    data: &'a [u8],
    size: u64,
    align: u64,
    entry_size: u64,
}

/// Alignment of contents in the file.
const CONTENTS_ALIGN: u64 = 8;

impl<'a> Contents<'a> {
    /// Place of the name in the string table, and offset of the contents.
    fn reserve(&'a self, out: &mut Writer<'a>) -> (StringId, u64) {
        let name = out.add_section_name(self.name.as_bytes());
        out.reserve_section_index();
        (name, out.reserve(self.data.len() as u64, CONTENTS_ALIGN))
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.write_align(CONTENTS_ALIGN);
        out.write(self.data);
    }

    fn write_header(&self, (name, offset): (StringId, u64), out: &mut Writer<'_>) {
        out.write_section_header(&elf_writer::SectionHeader {
            sh_name: out.section_name_offset(Some(name)),
            sh_type: self.kind,
            sh_flags: SectionFlags(self.flags),
            sh_addr: 0,
            sh_offset: offset,
            sh_size: self.size,
            sh_link: 0,
            sh_info: 0,
            sh_addralign: self.align,
            sh_entsize: self.entry_size,
        });
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
    narrow: bool,
) -> Result<Vec<Relocation>, ZebinError> {
    let word = if narrow { 4 } else { 8 };
    let chunks = data.chunks_exact(if addends { 3 * word } else { 2 * word });
    if !chunks.remainder().is_empty() {
        return Err(ZebinError::Entries(section.to_string()));
    }
    let entry = |chunk: &[u8]| {
        let field = |n: usize| {
            let field = chunk.get(n * word..(n + 1) * word).unwrap_or_default();
            let bytes = field.iter().rev();
            bytes.fold(0u64, |value, byte| value << 8 | u64::from(*byte))
        };
        let info = field(1);
        let (symbol, kind) = match narrow {
            true => (info as u32 >> 8, info as u32 & 0xff),
            false => ((info >> 32) as u32, info as u32),
        };
        Relocation {
            offset: field(0),
            kind,
            symbol,
            addend: match narrow {
                true => i64::from(field(2) as u32 as i32),
                false => field(2) as i64,
            },
        }
    };
    Ok(chunks.map(entry).collect())
}

#[cfg(test)]
#[path = "tests/zebin.rs"]
mod tests;
