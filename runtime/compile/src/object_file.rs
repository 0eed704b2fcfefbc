//! Object files of finalized kernels: an argument layout ([`Info`]) with our machine code and the facts of a kernel's
//! set-up that compilation decides.

use crate::debug;
use crate::info::Info;
use crate::interface::{InterfaceError, Text};
use crate::loader::FUNCTION_ALIGN;
use crate::result::{Compiled, CompiledModule, Symbol as Function};
use kiln_emit::assemble::RelocationKind;
use kiln_emit::platform::Platform;
use kiln_emit::prologue::ARGUMENTS_OFFSET;
use kiln_emit::ze_info::{
    ExecutionEnv, Function as FunctionEntry, Kernel as Entry, MemoryKind, MemoryUsage,
    PerThreadMemoryBuffer, ZeInfo,
};
use kiln_emit::zebin::{
    ADDRESS, ADDRESS_HIGH, ADDRESS_LOW, ENTRY, FUNCTIONS, KernelText, Relocation, Relocations,
    SHT_PROGBITS, STB_GLOBAL, STB_LOCAL, STRINGS, STT_FUNC, STT_NOTYPE, STT_OBJECT, Section,
    Symbol, SymbolPlace, TEXT_PREFIX, Zebin,
};
use serde_norway::Mapping;

/// Unit of scratch space in bytes; a thread has a power of two of them (PRM vol. 2a, "MEDIA_VFE_STATE", Per Thread
/// Scratch Space).
const SCRATCH_UNIT: u32 = 1 << 10;
/// First version of `.ze_info` with a field for the threads of an execution unit.
const THREAD_COUNT_VERSION: (u32, u32) = (1, 24);
/// First version of `.ze_info` with a field for the spilled bytes of the scratch space.
const SPILL_SIZE_VERSION: (u32, u32) = (1, 39);
/// Section of symbols that another file defines.
const UNDEFINED_SECTION: u16 = 0;
/// Prefixes of sections about machine code; the kernel's name follows.
const ABOUT_CODE: [&str; 2] = [".gtpin_info.", ".debug_"];
/// Section of the names of variables. Drivers pass over contents with this prefix and refuse those without.
const NAMES: &str = ".debug_kiln_names";

/// Reasons why a kernel has no object file.
#[derive(Debug, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "each is documented by its message; sizes are in bytes"
)]
pub enum ObjectError {
    #[error("it describes no kernel {0}")]
    NoKernel(String),
    #[error(
        "kernel {kernel} needs {bytes} bytes of scratch space a thread, and {limit} are the most"
    )]
    Scratch {
        kernel: String,
        bytes: u64,
        limit: u32,
    },
    #[error(
        "kernel {kernel} has {own} registers and uses the address of {function}, which has {found}: both need the same \
         number; compile the function's vISA with the kernel's, or the kernel for {found} registers"
    )]
    Registers {
        kernel: String,
        own: u32,
        function: String,
        found: u32,
    },
    #[error("kernel {kernel} uses the address of {symbol}, which it does not define")]
    NoSymbol { kernel: String, symbol: String },
    #[error(transparent)]
    Interface(#[from] InterfaceError),
    #[error("the debug sections cannot be written: {0}")]
    Debug(#[from] gimli::write::Error),
}

/// Makes an object file with these kernels. Kernels that only a zebin `info` has stay as they are. Of a `.ze_info`
/// document only the entries of these kernels are kept, since others have no code.
///
/// # Errors
/// `info` does not describe a kernel, or does not define a symbol that its code uses; or the stack of a kernel's
/// callees exceeds scratch space.
pub fn object_file(
    info: Info,
    module: &CompiledModule,
    platform: &Platform,
) -> Result<Zebin, ObjectError> {
    let kernels = &module.kernels;
    let of_kernels = |mut info: ZeInfo| {
        let ours = |name: &String| kernels.iter().any(|k| k.name == *name);
        info.kernels.retain(|k| ours(&k.name));
        info.kernels_misc_info.retain(|k| ours(&k.name));
        let texts = kernels.iter().map(|k| (k.name.clone(), Vec::new()));
        Zebin::new(platform, texts.collect(), info)
    };
    let mut zebin = match info {
        Info::Zebin(zebin) => zebin,
        Info::ZeInfo(info) => of_kernels(info),
        Info::Interface(interface) => {
            let mut zebin = of_kernels(interface.ze_info(module, platform)?);
            keep(&mut zebin, &interface.strings);
            zebin
        }
    };
    let by_address = |function: &&Compiled| function.addressed;
    let by_address: Vec<&Compiled> = module.functions.iter().filter(by_address).collect();
    functions(&mut zebin, &by_address)?;
    for function in &by_address {
        describe(&mut zebin.ze_info, function);
    }
    same_registers(&zebin.ze_info, kernels)?;
    if module.interface.is_some() {
        declare(&mut zebin, module);
    }
    let version = version(&zebin.ze_info);
    // A kernel of this name only holds the place of functions called by address, whose section has its name.
    let holds_place = zebin.text(FUNCTIONS).is_some_and(|text| !text.is_empty());
    for kernel in kernels {
        let name = &kernel.name;
        let entry = zebin.ze_info.kernel_mut(name);
        let entry = entry.ok_or_else(|| ObjectError::NoKernel(name.clone()))?;
        if holds_place && name == FUNCTIONS {
            let env = &mut entry.execution_env;
            if env.eu_thread_count == 0 && version >= THREAD_COUNT_VERSION {
                env.eu_thread_count = platform.mode_of(kernel.grf_count).threads;
            }
            continue;
        }
        decide(entry, kernel, version, platform)?;
        if !zebin.set_text(name, &kernel.code) {
            return Err(ObjectError::NoKernel(name.clone()));
        }
        enter(&mut zebin, name, kernel.loading_bytes, kernel.code.len());
        let section = format!("{TEXT_PREFIX}{name}");
        zebin.relocations.retain(|r| r.section != section);
        // The address of a function is that of its code for all kernels.
        let own = |symbol: &&Function| by_address.iter().all(|f| f.name != symbol.name);
        for symbol in kernel.symbols.iter().skip(1).filter(own) {
            define(&mut zebin, &section, symbol, 0, STB_LOCAL);
        }
        relocate(&mut zebin, kernel, &section, 0)?;
    }
    let about_code = |name: &str| ABOUT_CODE.iter().any(|prefix| name.starts_with(prefix));
    zebin.others.retain(|section| !about_code(&section.name));
    zebin.relocations.retain(|r| !about_code(&r.section));
    zebin.order_symbols();
    Ok(zebin)
}

/// Number of registers whose calling convention smaller modes have, too.
const CONVENTION: u32 = 128;

/// Checks that kernels have the calling convention of the object file's functions whose addresses they use. It follows from the
/// number of registers, which is a mode of the thread.
fn same_registers(info: &ZeInfo, kernels: &[Compiled]) -> Result<(), ObjectError> {
    for kernel in kernels {
        let own = kernel.grf_count;
        let used = kernel.relocations.iter().map(|r| &r.symbol);
        let mut known = used.filter_map(|name| info.functions.iter().find(|f| f.name == *name));
        let differs = |found: u32| found != 0 && found.max(CONVENTION) != own.max(CONVENTION);
        let other = known.find(|f| differs(f.execution_env.grf_count));
        if let Some(function) = other {
            return Err(ObjectError::Registers {
                kernel: kernel.name.clone(),
                own,
                function: function.name.clone(),
                found: function.execution_env.grf_count,
            });
        }
    }
    Ok(())
}

/// Places the symbols of a kernel, and adds those that the object file lacks: where its own code starts, after `loading`
/// bytes, and all of its `bytes`.
fn enter(zebin: &mut Zebin, kernel: &str, loading: u32, bytes: usize) {
    let place = SymbolPlace::Section(format!("{TEXT_PREFIX}{kernel}"));
    for (name, value, size, kind) in [
        (ENTRY, u64::from(loading), 0, STT_NOTYPE),
        (kernel, 0, bytes as u64, STT_FUNC),
    ] {
        let there = |s: &&mut Symbol| s.place == place && s.name == name;
        match zebin.symbols.iter_mut().find(there) {
            Some(known) => known.value = value,
            None => zebin.symbols.push(Symbol {
                name: name.to_string(),
                value,
                size,
                info: STB_LOCAL << 4 | kind,
                other: 0,
                place: place.clone(),
            }),
        }
    }
}

/// Sets the fields of a function that is called by address; adds its entry if there is none.
fn describe(info: &mut ZeInfo, function: &Compiled) {
    let known = info.functions.iter().position(|f| f.name == function.name);
    let place = known.unwrap_or_else(|| {
        info.functions.push(FunctionEntry {
            name: function.name.clone(),
            execution_env: ExecutionEnv {
                simd_size: u32::from(function.simd),
                ..ExecutionEnv::default()
            },
            other: Mapping::new(),
        });
        info.functions.len() - 1
    });
    let env = &mut info.functions[place].execution_env;
    env.grf_count = function.grf_count;
    env.barrier_count = barriers(function);
}

/// Adds the section of the texts that kernels print, with their symbols.
fn keep(zebin: &mut Zebin, strings: &[Text]) {
    if strings.is_empty() {
        return;
    }
    let mut data = Vec::new();
    for Text { name, bytes } in strings {
        zebin.symbols.push(Symbol {
            name: name.clone(),
            value: data.len() as u64,
            size: bytes.len() as u64,
            info: STB_GLOBAL << 4 | STT_OBJECT,
            other: 0,
            place: SymbolPlace::Section(STRINGS.to_string()),
        });
        data.extend_from_slice(bytes);
    }
    zebin.others.push(Section {
        name: STRINGS.to_string(),
        kind: SHT_PROGBITS,
        flags: 0,
        align: 1,
        entry_size: 0,
        size: data.len() as u64,
        data,
    });
}

/// Adds the symbols of functions that LLVM IR only declares: another file defines them.
fn declare(zebin: &mut Zebin, module: &CompiledModule) {
    let all = || module.kernels.iter().chain(&module.functions);
    let used = all().flat_map(|compiled| &compiled.relocations);
    for name in used.map(|relocation| &relocation.symbol) {
        let mut ours = all().flat_map(|compiled| &compiled.symbols);
        let known = ours.any(|s| s.name == *name) || zebin.symbols.iter().any(|s| s.name == *name);
        if !known {
            zebin.symbols.push(Symbol {
                name: name.clone(),
                value: 0,
                size: 0,
                info: STB_GLOBAL << 4,
                other: 0,
                place: SymbolPlace::Reserved(UNDEFINED_SECTION),
            });
        }
    }
}

/// Adds the source lines of each kernel's and function's code for debuggers (`.debug_line`, `.debug_info`), if the
/// vISA has any.
///
/// # Errors
/// The sections would become too large.
pub fn add_lines(zebin: &mut Zebin, module: &CompiledModule) -> Result<(), ObjectError> {
    debug::add(zebin, module).map_err(ObjectError::Debug)
}

/// Adds names of variables, with the registers and slots that hold them, as a section of debug information, which drivers
/// load no part of. The contents are the document of `kiln compile --names`.
pub fn add_names(zebin: &mut Zebin, names: Vec<u8>) {
    zebin.others.retain(|section| section.name != NAMES);
    zebin.others.push(Section {
        name: NAMES.to_string(),
        kind: SHT_PROGBITS,
        flags: 0,
        align: 1,
        entry_size: 0,
        size: names.len() as u64,
        data: names,
    });
}

/// The names that [`add_names`] added.
pub fn names(zebin: &Zebin) -> Option<&[u8]> {
    let mut sections = zebin.others.iter();
    let section = sections.find(|section| section.name == NAMES)?;
    Some(&section.data)
}

/// Puts functions that are called by address into the section that the reference uses: in place of the functions
/// there, or after them if some of those are not ours.
fn functions(zebin: &mut Zebin, functions: &[&Compiled]) -> Result<(), ObjectError> {
    if functions.is_empty() {
        return Ok(());
    }
    let section = format!("{TEXT_PREFIX}{FUNCTIONS}");
    let place = SymbolPlace::Section(section.clone());
    let ours = |name: &str| functions.iter().any(|f| f.name == name);
    let mut there = zebin.symbols.iter().filter(|s| s.place == place);
    let all = there.all(|s| ours(&s.name) || s.info >> 4 == STB_LOCAL);
    let ends = zebin.symbols.iter().filter(|s| s.place == place);
    let end = ends.map(|s| s.value.saturating_add(s.size)).max();
    let mut text = match zebin.text(FUNCTIONS) {
        // Padding at the end would be decoded between functions.
        Some(text) if !all => text[..text.len().min(end.unwrap_or(0) as usize)].to_vec(),
        _ => Vec::new(),
    };
    if all {
        zebin.relocations.retain(|r| r.section != section);
    }
    if zebin.text(FUNCTIONS).is_none() {
        zebin.kernels.push(KernelText {
            name: FUNCTIONS.to_string(),
            text: Vec::new(),
        });
    }
    let mut bases = Vec::new();
    for function in functions {
        text.resize(text.len().next_multiple_of(FUNCTION_ALIGN), 0);
        bases.push(text.len() as u32);
        text.extend_from_slice(&function.code);
    }
    zebin.set_text(FUNCTIONS, &text);
    enter(zebin, FUNCTIONS, 0, text.len());
    for (function, &base) in functions.iter().zip(&bases) {
        for (n, symbol) in function.symbols.iter().enumerate() {
            let binding = if n == 0 { STB_GLOBAL } else { STB_LOCAL };
            define(zebin, &section, symbol, base, binding);
        }
    }
    for (function, &base) in functions.iter().zip(&bases) {
        relocate(zebin, function, &section, base)?;
    }
    Ok(())
}

/// Sets the place of a function's symbol; adds the symbol if there is none.
fn define(zebin: &mut Zebin, section: &str, symbol: &Function, base: u32, binding: u8) {
    let place = SymbolPlace::Section(section.to_string());
    let there =
        |s: &&mut Symbol| s.name == symbol.name && (s.place == place || s.info >> 4 == STB_GLOBAL);
    let (value, size) = (u64::from(symbol.offset + base), u64::from(symbol.size));
    match zebin.symbols.iter_mut().find(there) {
        Some(known) => (known.value, known.size, known.place) = (value, size, place),
        None => zebin.symbols.push(Symbol {
            name: symbol.name.clone(),
            value,
            size,
            info: binding << 4 | STT_FUNC,
            other: 0,
            place,
        }),
    }
}

/// Adds the relocations of code at offset `base` of a section.
fn relocate(
    zebin: &mut Zebin,
    compiled: &Compiled,
    section: &str,
    base: u32,
) -> Result<(), ObjectError> {
    let mut entries = Vec::new();
    // The loader defines it for the kernels that use it.
    let known = zebin.symbols.iter().any(|s| s.name == ARGUMENTS_OFFSET);
    let used = compiled.relocations.iter();
    if used.into_iter().any(|r| r.symbol == ARGUMENTS_OFFSET) && !known {
        zebin.symbols.push(Symbol {
            name: ARGUMENTS_OFFSET.to_string(),
            value: 0,
            size: 0,
            info: STB_GLOBAL << 4,
            other: 0,
            place: SymbolPlace::Reserved(0),
        });
    }
    for relocation in &compiled.relocations {
        let number = zebin
            .symbols
            .iter()
            .position(|s| s.name == relocation.symbol);
        let number = number.ok_or_else(|| ObjectError::NoSymbol {
            kernel: compiled.name.clone(),
            symbol: relocation.symbol.clone(),
        })?;
        entries.push(Relocation {
            offset: u64::from(relocation.offset + base),
            kind: match relocation.kind {
                RelocationKind::Address => ADDRESS,
                RelocationKind::AddressLow => ADDRESS_LOW,
                RelocationKind::AddressHigh => ADDRESS_HIGH,
                RelocationKind::Distance => {
                    return Err(ObjectError::NoSymbol {
                        kernel: compiled.name.clone(),
                        symbol: relocation.symbol.clone(),
                    });
                }
            },
            // The null symbol comes before those in `symbols`.
            symbol: number as u32 + 1,
            addend: 0,
        });
    }
    let there = |r: &&mut Relocations| r.section == section && !r.addends;
    match zebin.relocations.iter_mut().find(there) {
        Some(known) => known.entries.extend(entries),
        None if entries.is_empty() => {}
        None => zebin.relocations.push(Relocations {
            section: section.to_string(),
            addends: false,
            entries,
        }),
    }
    Ok(())
}

fn version(info: &ZeInfo) -> (u32, u32) {
    let (major, minor) = info.version.split_once('.').unwrap_or((&info.version, "0"));
    (major.parse().unwrap_or(0), minor.parse().unwrap_or(0))
}

/// Numbers of barriers that a group can have (PRM vol. 2d, "INTERFACE_DESCRIPTOR_DATA", Number of Barriers).
const BARRIER_COUNTS: [u32; 8] = [0, 1, 2, 4, 8, 16, 24, 32];

/// The number of barriers that a group needs: those with names are numbered from 1 on, after the barrier of the whole group.
fn barriers(compiled: &Compiled) -> u32 {
    let needed = match compiled.named_barriers {
        0 => u32::from(compiled.barrier),
        named => named.saturating_add(1),
    };
    let mut counts = BARRIER_COUNTS.into_iter();
    counts.find(|count| *count >= needed).unwrap_or(needed)
}

/// Sets the fields of an entry that compilation decides.
fn decide(
    entry: &mut Entry,
    kernel: &Compiled,
    version: (u32, u32),
    platform: &Platform,
) -> Result<(), ObjectError> {
    let env = &mut entry.execution_env;
    let mode = platform.mode_of(kernel.grf_count);
    env.grf_count = kernel.grf_count;
    env.eu_thread_count = match version >= THREAD_COUNT_VERSION {
        true => mode.threads,
        false => 0,
    };
    env.simd_size = u32::from(kernel.simd);
    env.barrier_count = barriers(kernel);
    env.disable_mid_thread_preemption |= kernel.uninterruptible;
    env.require_disable_eufusion |= kernel.unpaired;
    env.offset_to_skip_per_thread_data_load = kernel.id_loading_bytes;
    env.offset_to_skip_set_ffid_gp = 0;
    let spilled = kernel.allocation.spill_bytes;
    env.spill_size = if version >= SPILL_SIZE_VERSION {
        spilled
    } else {
        0
    };

    let buffers = &mut entry.per_thread_memory_buffers;
    buffers.retain(|b| b.kind != MemoryKind::Scratch || b.slot != 0);
    let parts = [kernel.scratch_base, spilled, kernel.stack_bytes];
    let bytes: u64 = parts.into_iter().map(u64::from).sum();
    if bytes > u64::from(platform.scratch_bytes) {
        return Err(ObjectError::Scratch {
            kernel: kernel.name.clone(),
            bytes,
            limit: platform.scratch_bytes,
        });
    }
    if bytes > 0 {
        // The reference's names for it: alone, or besides private memory elsewhere.
        let usage = match buffers.is_empty() {
            true => MemoryUsage::SingleSpace,
            false => MemoryUsage::SpillFillSpace,
        };
        let scratch = PerThreadMemoryBuffer {
            kind: MemoryKind::Scratch,
            usage,
            size: (bytes as u32).next_power_of_two().max(SCRATCH_UNIT),
            slot: 0,
            is_simt_thread: false,
            other: Mapping::new(),
        };
        buffers.insert(0, scratch);
    }
    Ok(())
}
