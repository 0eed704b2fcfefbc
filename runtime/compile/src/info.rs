//! The argument layouts of kernels, which vISA does not have: from a zebin, from a `.ze_info`
//! document by itself, or from an interface that the user gives.

use kiln_emit::platform::{PLATFORMS, Platform};
use kiln_emit::ze_info::{ZeInfo, ZeInfoError};
use kiln_emit::zebin::{Zebin, ZebinError, is_object};

use crate::interface::Interface;

/// Types of the notes that name an object file's devices (zebin documentation).
const PRODUCT_FAMILY: u32 = 1;
const CORE_FAMILY: u32 = 2;
/// Family of an object file that names none.
const UNKNOWN: u32 = 0;

/// Sources of kernels' argument layouts.
#[derive(Clone, Debug)]
pub enum Info {
    /// An object file of another compiler.
    Zebin(Zebin),
    /// The `.ze_info` document of one.
    ZeInfo(ZeInfo),
    /// An interface, as a user writes it.
    Interface(Interface),
}

/// Reasons why a file has no argument layouts for a platform.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum InfoError {
    #[error(transparent)]
    Zebin(#[from] ZebinError),
    #[error("neither a zebin nor a .ze_info document: {0}")]
    Neither(ZeInfoError),
    #[error("made for {made_for}, not for {platform}")]
    Platform {
        made_for: String,
        platform: &'static str,
    },
}

impl Info {
    /// Reads a zebin or a `.ze_info` document.
    ///
    /// # Errors
    /// The bytes are neither, or are a zebin for another platform.
    pub fn parse(bytes: &[u8], platform: &Platform) -> Result<Info, InfoError> {
        if is_object(bytes) {
            return Ok(Info::Zebin(zebin(bytes, platform)?));
        }
        let info = ZeInfo::parse(bytes).map_err(InfoError::Neither)?;
        Ok(Info::ZeInfo(info))
    }

    /// The work-items of a thread for which a kernel's arguments are laid out; none if it says none, or serves all.
    pub fn simd_of(&self, kernel: &str) -> Option<u32> {
        let info = match self {
            Info::Zebin(zebin) => &zebin.ze_info,
            Info::ZeInfo(info) => info,
            Info::Interface(_) => return None,
        };
        let simd = info.kernel(kernel)?.execution_env.simd_size;
        Some(simd).filter(|simd| *simd > 0)
    }
}

/// Reads an object file for a platform.
///
/// # Errors
/// The bytes are no zebin, or one for another platform.
pub fn zebin(bytes: &[u8], platform: &Platform) -> Result<Zebin, InfoError> {
    let zebin = Zebin::parse(bytes)?;
    // Products of one core family share their code, but the reference does not always name the core family.
    let (what, found, expected) = match families(&zebin) {
        (Some(core), _) => ("core family", core, platform.core_family),
        (None, Some(product)) => ("product family", product, platform.product_family),
        (None, None) => return Ok(zebin),
    };
    if found == expected {
        return Ok(zebin);
    }
    let made_for = match platform_of(&zebin) {
        Some(other) => other.name.to_owned(),
        None => format!("a platform that is not known ({what} {found})"),
    };
    let platform = platform.name;
    Err(InfoError::Platform { made_for, platform })
}

/// The platform that an object file was made for: one of its product family if it names that, else the first of its
/// core family, whose code is the same.
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
