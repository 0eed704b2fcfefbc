//! What `--info` names: a zebin, or a `.ze_info` document by itself.

use std::path::Path;

use kiln_emit::platform::{PLATFORMS, Platform};
use kiln_emit::ze_info::ZeInfo;
use kiln_emit::zebin::Zebin;
use miette::{Report, miette};

use super::input::Input;
use super::report;

/// The first bytes of an ELF file.
const ELF_MAGIC: &[u8] = b"\x7fELF";
/// The kinds of the notes that say which devices an object file is for (zebin documentation).
const PRODUCT_FAMILY: u32 = 1;
const CORE_FAMILY: u32 = 2;
/// The family of an object file that does not name it.
const UNKNOWN: u32 = 0;

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
        let info = ZeInfo::parse(&input).map_err(|e| {
            miette!(
                "{}: neither a zebin nor a .ze_info document: {e}",
                path.display()
            )
        })?;
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
    // Products of one core family share their code, but the reference does not always name it.
    let (what, found, expected) = match families(&zebin) {
        (Some(core), _) => ("core family", core, platform.core_family),
        (None, Some(product)) => ("product family", product, platform.product_family),
        (None, None) => return Ok(zebin),
    };
    if found != expected {
        return Err(miette!(
            "{}: made for {what} {found}; that of {} is {expected}",
            input.path.display(),
            platform.name
        ));
    }
    Ok(zebin)
}

/// The platform that an object file was made for, as far as it says: one of its product family, else
/// the first of its core family, whose code is the same.
pub fn platform_of(zebin: &Zebin) -> Option<&'static Platform> {
    let (core, product) = families(zebin);
    let same_product = |p: &&Platform| Some(p.product_family) == product;
    let same_core = |p: &&Platform| Some(p.core_family) == core;
    let mut platforms = PLATFORMS.iter();
    let found = platforms.find(same_product);
    found.or_else(|| PLATFORMS.iter().find(same_core))
}

/// The core family and the product family that an object file names.
fn families(zebin: &Zebin) -> (Option<u32>, Option<u32>) {
    let note = |kind| {
        let found = zebin
            .notes
            .iter()
            .find(|note| note.kind == kind)?
            .desc
            .first_chunk()
            .copied();
        found
            .map(u32::from_le_bytes)
            .filter(|&family| family != UNKNOWN)
    };
    (note(CORE_FAMILY), note(PRODUCT_FAMILY))
}
