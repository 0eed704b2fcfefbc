//! What `--info` names: a zebin, or a `.ze_info` document by itself.

use std::path::Path;

use kiln_emit::platform::Platform;
use kiln_emit::ze_info::ZeInfo;
use kiln_emit::zebin::Zebin;
use miette::{Report, miette};

use super::input::Input;
use super::report;

/// The first bytes of an ELF file.
const ELF_MAGIC: &[u8] = b"\x7fELF";
/// The kind of the note that says which core family an object file is for.
const CORE_FAMILY: u32 = 2;

/// Where kernels' argument layouts come from.
#[derive(Debug)]
pub enum Info {
    Zebin(Zebin),
    ZeInfo(ZeInfo),
}

impl Info {
    /// Reads either.
    ///
    /// # Errors
    /// The file cannot be read, is neither, or is for another platform.
    pub fn open(path: &Path, platform: &Platform) -> Result<Info, Report> {
        let input = Input::open(path)?;
        if is_elf(&input) {
            return Ok(Info::Zebin(zebin(&input, platform)?));
        }
        let info = ZeInfo::parse(&input)
            .map_err(|e| miette!("{}: neither a zebin nor a .ze_info document: {e}", path.display()))?;
        Ok(Info::ZeInfo(info))
    }
}

/// Whether a file is an ELF file, by its first bytes.
pub fn is_elf(input: &Input) -> bool {
    input.starts_with(ELF_MAGIC)
}

/// Reads an object file for a platform.
///
/// # Errors
/// It is none, or for another one.
pub fn zebin(input: &Input, platform: &Platform) -> Result<Zebin, Report> {
    let zebin = Zebin::parse(input).map_err(|e| report::file(&input.path, &e))?;
    let families = zebin.notes.iter().filter(|note| note.kind == CORE_FAMILY);
    for family in families.filter_map(|note| note.desc.first_chunk().copied()) {
        let family = u32::from_le_bytes(family);
        if family != platform.core_family {
            return Err(miette!(
                "{}: made for core family {family}; that of {} is {}",
                input.path.display(),
                platform.name,
                platform.core_family
            ));
        }
    }
    Ok(zebin)
}
