//! Records of launches: each with its object file, a launch file and buffers, from which `kiln run` makes the same launch.
//!
//! The compiler's library (`runtime/igc`) leaves the object files that programs are built from in a folder. A launch has an address of
//! code; the kernel is that whose code is there, but for what the driver has relocated. The layout of arguments is that of `.ze_info`: an
//! address stands for the memory from there to the end of what is bound, or to the next argument's address. Its
//! contents are written before the launch, and again after it, to be compared with. Surfaces and samplers are those of the binding table, or of
//! the heaps that arguments have offsets in; texels of images are written in rows without gaps. Launches that these files cannot say are
//! left out: those with an argument of no or of another's memory, or with an offset.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{fs, io};

use kiln_emit::ze_info::{AddrMode, AddrSpace, ArgType, ImageType, Kernel, PayloadArgument};
use kiln_emit::zebin::Zebin;
use kiln_exec::device::{Bindings, HEAP, Place};
use kiln_exec::{Addressing, Filter, ImageKind, Sampler, Shape};

use super::report;
use super::source;
use super::space::Space;
use super::surfaces::{SAMPLER_BYTES, SURFACE_BYTES, States};

/// Folder of the object files below that of the records.
pub const OBJECTS: &str = "objects";
/// Name of an object file in a record, and of the launch file.
pub const OBJECT: &str = "object.zebin";
/// Name of the launch file in a record.
pub const LAUNCH: &str = "launch.yaml";
/// Maximum number of bytes of an argument.
const MOST_BYTES: u64 = 256 << 20;
/// Bytes of a relocated place in code.
const RELOCATED: u64 = 8;

static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);

struct Recorder {
    /// Folder of object files.
    files: PathBuf,
    /// Folder of records; none if launches are not recorded.
    folder: Option<PathBuf>,
    /// Names of the files that were read, and the object files among them.
    seen: HashSet<PathBuf>,
    objects: Vec<Object>,
    launches: usize,
}

struct Object {
    path: PathBuf,
    zebin: Zebin,
}

/// Arguments of a launch, as the command has them.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// Data in the command itself, the first part of the payload that all threads have.
    pub inline: Vec<u8>,
    /// Address of the rest.
    pub indirect: u64,
    /// Work-items of a group in each dimension, if the command makes their ids.
    pub local: Option<[u32; 3]>,
    /// Bytes of local memory.
    pub slm: u64,
}

/// A launch that is executed.
pub struct Record {
    folder: PathBuf,
    kernel: String,
    global: [u32; 3],
    local: [u32; 3],
    /// Lines of the launch file, and the memory of each that is some.
    args: Vec<(String, Option<Memory>)>,
}

/// Memory of an argument, by its address.
#[derive(Clone, Copy, Debug)]
enum Memory {
    /// So many bytes.
    Bytes(u64, usize),
    /// An image.
    Texels(u64, Shape),
}

impl Memory {
    /// The contents.
    fn read(self, space: &Space) -> io::Result<Vec<u8>> {
        let (base, shape) = match self {
            Memory::Bytes(at, len) => return bytes(space, at, len),
            Memory::Texels(base, shape) => (base, shape),
        };
        let texel = shape.format.bytes();
        let mut all = Vec::with_capacity(shape.bytes() as usize);
        for slice in 0..u64::from(shape.size[2]) {
            for row in 0..u64::from(shape.size[1]) {
                // Tiles may part a row anywhere but in a texel.
                for at in (0..shape.pitch()).step_by(texel) {
                    all.extend(bytes(
                        space,
                        base.wrapping_add(shape.byte(at, row, slice)),
                        texel,
                    )?);
                }
            }
        }
        Ok(all)
    }
}

/// Takes object files from a folder, and records all launches of the process below another, if one is given.
pub fn with(files: &Path, folder: Option<PathBuf>) {
    let mut recorder = RECORDER.lock().unwrap_or_else(PoisonError::into_inner);
    *recorder = Some(Recorder {
        files: files.to_path_buf(),
        folder,
        seen: HashSet::new(),
        objects: Vec::new(),
        launches: 0,
    });
}

/// Begins the record of a launch, if launches are recorded and it can be.
pub fn begin(
    space: &Space,
    states: &States,
    code: u64,
    arguments: &Arguments,
    groups: [u32; 3],
    first: [u32; 3],
) -> Option<Record> {
    let mut recorder = RECORDER.lock().unwrap_or_else(PoisonError::into_inner);
    let recorder = recorder.as_mut()?;
    let records = recorder.folder.clone()?;
    recorder.read();
    let Some((object, kernel, _)) = find(&recorder.objects, space, code) else {
        report::unknown("a launch is not recorded: its object file is not known");
        return None;
    };
    let folder = format!("{:04}-{}", recorder.launches, plain(&kernel.name));
    let folder = records.join(folder);
    let begun = match first {
        [0, 0, 0] => {
            let files = (folder.as_path(), object.path.as_path());
            started(space, states, kernel, arguments, groups, files)
        }
        _ => Err("it has an offset".to_string()),
    };
    recorder.launches += 1;
    begun
        .map_err(|what| report::unknown(format_args!("{} is not recorded: {what}", kernel.name)))
        .ok()
}

/// Name of the kernel whose code is at an address, with file and line of a byte of it as far as they are known; none if its object file is not
/// known.
pub fn place(space: &Space, code: u64, at: Option<u32>) -> Option<String> {
    let mut recorder = RECORDER.lock().unwrap_or_else(PoisonError::into_inner);
    let recorder = recorder.as_mut()?;
    recorder.read();
    let (object, kernel, skipped) = find(&recorder.objects, space, code)?;
    let at = at.map(|at| u64::from(at) + u64::from(skipped));
    let line = at.and_then(|at| source::line(&object.zebin, &kernel.name, at));
    let line = line.map_or_else(String::new, |line| format!(", {line}"));
    Some(format!("kernel {}{line}", kernel.name))
}

impl Record {
    /// Ends the record after the launch.
    pub fn end(self, space: &Space) {
        if let Err(error) = self.write(space) {
            report::unknown(format_args!("{} is not recorded: {error}", self.kernel));
        }
    }

    fn write(&self, space: &Space) -> io::Result<()> {
        let mut text = format!(
            "kernel: {}\nglobal: {:?}\nlocal: {:?}\nargs:\n",
            self.kernel, self.global, self.local
        );
        for (number, (line, memory)) in self.args.iter().enumerate() {
            match memory {
                Some(memory) => {
                    let name = format!("{number}.after");
                    fs::write(self.folder.join(&name), memory.read(space)?)?;
                    let _ = writeln!(text, "  - {{{line}, expect: {name}, type: u8}}");
                }
                None => {
                    let _ = writeln!(text, "  - {{{line}}}");
                }
            }
        }
        fs::write(self.folder.join(LAUNCH), text)
    }
}

impl Recorder {
    /// Reads object files that have come.
    fn read(&mut self) {
        let Ok(files) = fs::read_dir(&self.files) else {
            return;
        };
        let mut paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        paths.sort();
        for path in paths {
            let is_new =
                path.extension().is_some_and(|e| e == "zebin") && self.seen.insert(path.clone());
            let zebin = is_new.then(|| fs::read(&path).ok()).flatten();
            if let Some(zebin) = zebin.and_then(|bytes| Zebin::parse(&bytes).ok()) {
                self.objects.push(Object { path, zebin });
            }
        }
    }
}

/// The newest kernel whose code is at an address, and the offset of its entry there.
fn find<'a>(
    objects: &'a [Object],
    space: &Space,
    code: u64,
) -> Option<(&'a Object, &'a Kernel, u32)> {
    objects.iter().rev().find_map(|object| {
        object.zebin.ze_info.kernels.iter().find_map(|kernel| {
            let entry = entry_at(space, code, &object.zebin, kernel)?;
            Some((object, kernel, entry))
        })
    })
}

/// Offset of the entry of a kernel whose code is at an address; none if it is not there.
fn entry_at(space: &Space, code: u64, zebin: &Zebin, kernel: &Kernel) -> Option<u32> {
    let text = zebin.text(&kernel.name)?;
    let section = format!(".text.{}", kernel.name);
    let relocations = zebin.relocations.iter().filter(|r| r.section == section);
    let relocated: Vec<u64> = relocations
        .flat_map(|r| r.entries.iter().map(|entry| entry.offset))
        .collect();
    let is_relocated = |at: u64| {
        let mut places = relocated.iter();
        places.any(|place| (*place..place.saturating_add(RELOCATED)).contains(&at))
    };
    let env = &kernel.execution_env;
    [0, env.offset_to_skip_per_thread_data_load]
        .into_iter()
        .find(|&skipped| {
            let Some(own) = text.get(skipped as usize..).filter(|own| !own.is_empty()) else {
                return false;
            };
            let mut there = vec![0; own.len()];
            space.read(code, &mut there).is_ok()
                && (own.iter().zip(&there).zip(u64::from(skipped)..))
                    .all(|((own, there), at)| own == there || is_relocated(at))
        })
}

/// Begins a record: the object file and the contents of buffers.
fn started(
    space: &Space,
    states: &States,
    kernel: &Kernel,
    arguments: &Arguments,
    groups: [u32; 3],
    (folder, object): (&Path, &Path),
) -> Result<Record, String> {
    let places = &kernel.payload_arguments;
    let end = places
        .iter()
        .map(|place| place.offset.saturating_add(place.size))
        .max();
    let end = end.unwrap_or(0).min(1 << 16) as usize;
    let mut payload = arguments.inline.clone();
    if end > payload.len() {
        let rest = bytes(space, arguments.indirect, end - payload.len());
        payload.extend(rest.map_err(|e| e.to_string())?);
    }
    let number = |at: u32, size: u32| {
        let mut number = [0; 8];
        let at = at as usize;
        let own = payload.get(at..at + (size as usize).min(8))?;
        number[..own.len()].copy_from_slice(own);
        Some(u64::from_le_bytes(number))
    };
    let offset = places
        .iter()
        .find(|place| place.arg_type == ArgType::GlobalIdOffset);
    if offset.is_some_and(|o| (0..3).any(|axis| number(o.offset + 4 * axis, 4) != Some(0))) {
        return Err("it has an offset".to_string());
    }
    let is_local = |kind: &ArgType| matches!(kind, ArgType::LocalSize | ArgType::EnqueuedLocalSize);
    let said = places.iter().find(|place| is_local(&place.arg_type));
    let said = said.and_then(|place| {
        let mut axes = [0; 3];
        for (axis, size) in (0..).zip(&mut axes) {
            *size = number(place.offset + 4 * axis, 4)? as u32;
        }
        Some(axes)
    });
    let required = &kernel.execution_env.required_work_group_size;
    let required = <[u32; 3]>::try_from(required.as_slice()).ok();
    let local = said.or(arguments.local).or(required);
    let local = local.ok_or("the size of its groups is not known")?;
    // A launch whose groups have several sizes is several commands.
    let all = [0, 1, 2].map(|axis| groups[axis].saturating_mul(local[axis]));
    let is_part = |place: &PayloadArgument| {
        let expected = match place.arg_type {
            ArgType::GlobalSize => all,
            ArgType::GroupCount => groups,
            ArgType::LocalSize | ArgType::EnqueuedLocalSize => local,
            _ => return false,
        };
        let mut axes = (0..).step_by(4).zip(expected);
        axes.any(|(at, size)| number(place.offset + at, 4).is_some_and(|n| n != size.into()))
    };
    if places.iter().any(is_part) {
        return Err("it is a part of a larger one".to_string());
    }
    let count = places.iter().filter_map(|place| place.arg_index).max();
    let count = count.map_or(0, |last| last.min(1 << 12) + 1);
    let of = |index: u32| {
        places
            .iter()
            .filter(move |place| place.arg_index == Some(index))
    };
    let address = |place: &PayloadArgument| {
        let is_one =
            place.addrmode == Some(AddrMode::Stateless) || place.arg_type == ArgType::BufferAddress;
        is_one.then(|| number(place.offset, place.size))?
    };
    let surface = |index: u32, place: &PayloadArgument| {
        let at = match place.addrmode {
            Some(AddrMode::Bindless) => {
                let offset = number(place.offset, place.size)?;
                HEAP.checked_add(u32::try_from(offset / SURFACE_BYTES).ok()?)?
            }
            _ => {
                let entries = &kernel.binding_table_indices;
                entries
                    .iter()
                    .find(|entry| entry.arg_index == index)?
                    .bti_value
            }
        };
        let surface = states.surface(at)?;
        match surface.place {
            Place::Range(base, bytes) => Some((base, bytes, surface.image)),
            _ => None,
        }
    };
    let sampler = |place: &PayloadArgument| match place.addrmode {
        Some(AddrMode::Bindless) => {
            let offset = number(place.offset, place.size)?;
            states.sampler(u32::try_from(offset / SAMPLER_BYTES).ok()?, true)
        }
        _ => states.sampler(place.sampler_index?, false),
    };
    let mut starts: Vec<u64> = (0..count).flat_map(|i| of(i).filter_map(address)).collect();
    starts.sort_unstable();
    if starts.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err("two arguments are one buffer".to_string());
    }
    let mut args = Vec::new();
    for index in 0..count {
        // Sizes of an image may be before it.
        let pointer = of(index).find(|piece| piece.arg_type == ArgType::ArgBypointer);
        let Some(first) = pointer.or_else(|| of(index).next()) else {
            // The compiler has no place for an argument that is not used.
            args.push(("u32: 0".to_string(), None));
            continue;
        };
        match (&first.arg_type, &first.addrmode) {
            (ArgType::ArgByvalue, _) => args.push((value(of(index), &payload)?, None)),
            (ArgType::ArgBypointer, Some(AddrMode::Slm)) => {
                let at = number(first.offset, first.size).unwrap_or(0);
                // Arguments follow each other; the last has the rest of what the command gives.
                let next = places.iter().filter(|p| p.addrmode == Some(AddrMode::Slm));
                let next = next
                    .filter_map(|p| number(p.offset, p.size))
                    .filter(|n| *n > at)
                    .min();
                let bytes = next.unwrap_or(arguments.slm).saturating_sub(at);
                args.push((format!("local: {bytes}"), None));
            }
            (ArgType::ArgBypointer, _) if first.addrspace == Some(AddrSpace::Sampler) => {
                let sampler = sampler(first);
                let sampler = sampler.ok_or_else(|| format!("argument {index} is no sampler"))?;
                args.push((flags(&sampler), None));
            }
            (ArgType::ArgBypointer, _) if first.addrspace == Some(AddrSpace::Image) => {
                let Some((base, _, Some(shape))) = surface(index, first) else {
                    return Err(format!("argument {index} is no image that is known"));
                };
                if shape.bytes() > MOST_BYTES {
                    return Err(format!("argument {index} has {} bytes", shape.bytes()));
                }
                let is_there = |(_, memory): &(String, Option<Memory>)| matches!(memory, Some(Memory::Texels(at, _)) if *at == base);
                if args.iter().any(is_there) {
                    return Err("two arguments are one image".to_string());
                }
                // Drivers of Gen9 and Gen11 give volumes as arrays to kernels that write them.
                let kind = match (shape.kind, &first.image_type) {
                    (ImageKind::D2Array, Some(ImageType::Image3d)) => ImageKind::D3,
                    (kind, _) => kind,
                };
                let line = picture(&Shape { kind, ..shape }, &format!("{index}.before"));
                args.push((line, Some(Memory::Texels(base, shape))));
            }
            (ArgType::ArgBypointer, _) => {
                let at = of(index).find_map(address);
                let at = at.or_else(|| surface(index, first).map(|(base, ..)| base));
                let at = at.ok_or_else(|| format!("argument {index} is a surface"))?;
                let (_, room) = space
                    .host(at)
                    .map_err(|_| format!("argument {index} is no buffer"))?;
                let next = starts.iter().find(|start| **start > at);
                let len = next.map_or(room, |next| room.min(next - at));
                if len > MOST_BYTES {
                    return Err(format!("argument {index} has {len} bytes"));
                }
                let memory = Memory::Bytes(at, len as usize);
                args.push((format!("buf: {index}.before"), Some(memory)));
            }
            _ => return Err(format!("argument {index} is of a kind that is not known")),
        }
    }
    let written = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        fs::copy(object, folder.join(OBJECT))?;
        for (index, (_, memory)) in args.iter().enumerate() {
            if let Some(memory) = memory {
                let name = format!("{index}.before");
                fs::write(folder.join(name), memory.read(space)?)?;
            }
        }
        Ok(())
    };
    written().map_err(|e| e.to_string())?;
    Ok(Record {
        folder: folder.to_path_buf(),
        kernel: kernel.name.clone(),
        global: all,
        local,
        args,
    })
}

/// The line of an image whose texels are in a file.
fn picture(shape: &Shape, file: &str) -> String {
    let sizes = &shape.size[..shape.kind.limits().len()];
    let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
    let (kind, format, sizes) = (shape.kind.name(), shape.format, sizes.join("x"));
    format!("{kind}: '{format}:{sizes}:{file}'")
}

/// The line of a sampler.
fn flags(sampler: &Sampler) -> String {
    let coordinates = match sampler.normalized {
        true => "normalized",
        false => "unnormalized",
    };
    let outside = match sampler.addressing {
        Addressing::Clamp => "clamp",
        Addressing::ClampToEdge => "edge",
        Addressing::Repeat => "repeat",
        Addressing::MirroredRepeat => "mirror",
    };
    let filter = match sampler.filter {
        Filter::Nearest => "nearest",
        Filter::Linear => "linear",
    };
    format!("sampler: '{coordinates},{outside},{filter}'")
}

/// An argument that is passed by value, in pieces.
fn value<'a>(
    pieces: impl Iterator<Item = &'a PayloadArgument>,
    payload: &[u8],
) -> Result<String, String> {
    let mut whole = Vec::new();
    for piece in pieces {
        let (from, size) = (piece.offset as usize, piece.size as usize);
        let to = piece.source_offset.unwrap_or(0) as usize;
        let own = payload
            .get(from..from + size)
            .ok_or("its payload is short")?;
        whole.resize(whole.len().max(to + size), 0);
        whole[to..to + size].copy_from_slice(own);
    }
    let digits = whole.iter().map(|byte| format!("{byte:02x}"));
    Ok(format!("bytes: '{}'", digits.collect::<String>()))
}

fn bytes(space: &Space, at: u64, len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    let read = space.read(at, &mut bytes);
    read.map_err(|fault| io::Error::other(format!("nothing is bound at {:#x}", fault.at)))?;
    Ok(bytes)
}

/// A name without what a file's name must not have.
fn plain(name: &str) -> String {
    let letter = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' {
            c
        } else {
            '-'
        }
    };
    name.chars().take(64).map(letter).collect()
}

#[cfg(test)]
#[path = "tests/record.rs"]
mod tests;
