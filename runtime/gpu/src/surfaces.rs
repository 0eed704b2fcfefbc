//! States of surfaces and samplers, read when a message names them (PRM vol. 2d, "RENDER_SURFACE_STATE", "SAMPLER_STATE").

use std::sync::Arc;

use kiln_exec::device::{Bindings, HEAP, Place, Rows, Surface, Tile};
use kiln_exec::{Addressing, Filter, Format, ImageKind, Sampler, Shape};

use super::blit::pair;
use super::device::Tiling;
use super::report;
use super::space::Space;

/// Places of states in an address space.
pub struct States {
    /// The address space.
    pub space: Arc<Space>,
    /// The binding table.
    pub table: u64,
    /// Base of the offsets in the binding table.
    pub surfaces: u64,
    /// Base of bindless surfaces.
    pub bindless: u64,
    /// The table of samplers.
    pub samplers: u64,
    /// Base of bindless samplers.
    pub bindless_samplers: u64,
    /// Tiles of images.
    pub tiling: Tiling,
}

/// Size of a surface's state in bytes, and of a sampler's.
pub const SURFACE_BYTES: u64 = 64;
pub const SAMPLER_BYTES: u64 = 16;
/// Types of surfaces.
const BUFFER: u32 = 4;
/// The format of a buffer of bytes.
const RAW: u32 = 0x1ff;

impl Bindings for States {
    fn surface(&self, index: u32) -> Option<Surface> {
        let at = match index.checked_sub(HEAP) {
            Some(number) => self.bindless + u64::from(number) * SURFACE_BYTES,
            None => {
                let entry = self.space.dword(self.table + u64::from(index) * 4).ok()?;
                self.surfaces + u64::from(entry & !0x3f)
            }
        };
        let state = self.space.dwords(at).ok()?;
        let base = self.space.canonical(pair(&state, 8));
        surface(&state, base, self.tiling)
    }

    fn sampler(&self, index: u32, bindless: bool) -> Option<Sampler> {
        let base = if bindless {
            self.bindless_samplers
        } else {
            self.samplers
        };
        sampler(
            &self
                .space
                .dwords(base + u64::from(index) * SAMPLER_BYTES)
                .ok()?,
        )
    }
}

/// Tiles of 64 KiB of a picture with texels of so many bytes.
pub fn tile_64(texel: usize) -> Tile {
    Tile::new(match texel {
        1 => "xxxxyyxxyxyyxyyy",
        2..=4 => "xxxxyyxxyxyyxxyy",
        _ => "xxxxyyxxyxyyxxxy",
    })
}

/// Tiles of 64 KiB of a volume.
pub fn volume_tile(texel: usize, tiling: Tiling) -> Tile {
    Tile::new(match (texel, tiling == Tiling::Xe2) {
        (1 | 2, true) => "xxxxyyxxzzyyyzzz",
        (4, true) => "xxxxyyxxzzyyxyzz",
        (_, true) => "xxxxyyxxzzyxxyzz",
        (1, false) => "xxxxyyxzyzyyxzzz",
        (2, false) => "xxxxyyxzyzxyyzzz",
        (4, false) => "xxxxyyxzyzxyxyzz",
        (_, false) => "xxxxyyxzyzxxxyzz",
    })
}

/// A surface by its state and its address.
fn surface(state: &[u32; 16], base: u64, tiling: Tiling) -> Option<Surface> {
    let (kind, format) = (state[0] >> 29, state[0] >> 18 & 0x1ff);
    let [width, height, depth] = [state[2] & 0x3fff, state[2] >> 16 & 0x3fff, state[3] >> 21];
    // A buffer's size is split over the fields of the three sizes.
    let entries = u64::from(width & 0x7f | height << 7 | depth << 21) + 1;
    if kind == BUFFER && format == RAW {
        let place = Place::Range(base, entries);
        return Some(Surface { place, image: None });
    }
    let array = state[0] >> 28 & 1 != 0;
    let (kind, size) = match (kind, array) {
        (0, false) => (ImageKind::D1, [width + 1, 1, 1]),
        (0, true) => (ImageKind::D1Array, [width + 1, depth + 1, 1]),
        (1, false) => (ImageKind::D2, [width + 1, height + 1, 1]),
        (1, true) => (ImageKind::D2Array, [width + 1, height + 1, depth + 1]),
        (2, _) => (ImageKind::D3, [width + 1, height + 1, depth + 1]),
        (BUFFER, _) => (ImageKind::D1Buffer, [u32::try_from(entries).ok()?, 1, 1]),
        _ => return None,
    };
    let format = self::format(format)?;
    let pitch = u64::from(state[3] & 0x3ffff) + 1;
    let slice = u64::from(state[1] & 0x7fff) << 2;
    let tile = match (state[0] >> 12 & 3, kind, tiling) {
        (2, ..) => Tile::X,
        (3, _, Tiling::Y) => Tile::Y,
        (3, ..) => Tile::FOUR,
        (0, ..) | (_, _, Tiling::Y) => Tile::LINEAR,
        (_, ImageKind::D3, _) => volume_tile(format.bytes(), tiling),
        _ => tile_64(format.bytes()),
    };
    let rows = match kind {
        ImageKind::D1Buffer => None,
        _ => Some(Rows { pitch, slice, tile }),
    };
    let bytes = match rows {
        None => entries * format.bytes() as u64,
        // Tiles are at most 256 rows high and 32 slices deep.
        Some(rows) => {
            let layers = u64::from(size[2]).next_multiple_of(32) + 1;
            let rows_of_all = layers * slice + u64::from(size[1]).next_multiple_of(256);
            rows_of_all * rows.pitch
        }
    };
    Some(Surface {
        place: Place::Range(base, bytes),
        image: Some(Shape {
            kind,
            format,
            size,
            rows,
        }),
    })
}

/// Codes of formats (PRM vol. 5, "Surface Formats") and their names here.
const FORMATS: &[(u32, &str)] = &[
    (0x000, "rgba32float"),
    (0x001, "rgba32sint"),
    (0x002, "rgba32uint"),
    (0x080, "rgba16unorm"),
    (0x081, "rgba16snorm"),
    (0x082, "rgba16sint"),
    (0x083, "rgba16uint"),
    (0x084, "rgba16float"),
    (0x085, "rg32float"),
    (0x086, "rg32sint"),
    (0x087, "rg32uint"),
    (0x0c0, "bgra8unorm"),
    (0x0c1, "sbgra8unorm"),
    (0x0c7, "rgba8unorm"),
    (0x0c8, "srgba8unorm"),
    (0x0c9, "rgba8snorm"),
    (0x0ca, "rgba8sint"),
    (0x0cb, "rgba8uint"),
    (0x0cc, "rg16unorm"),
    (0x0cd, "rg16snorm"),
    (0x0ce, "rg16sint"),
    (0x0cf, "rg16uint"),
    (0x0d0, "rg16float"),
    (0x0d6, "r32sint"),
    (0x0d7, "r32uint"),
    (0x0d8, "r32float"),
    (0x0e3, "i32float"),
    (0x0e4, "l32float"),
    (0x0e5, "a32float"),
    (0x106, "rg8unorm"),
    (0x107, "rg8snorm"),
    (0x108, "rg8sint"),
    (0x109, "rg8uint"),
    (0x10a, "r16unorm"),
    (0x10b, "r16snorm"),
    (0x10c, "r16sint"),
    (0x10d, "r16uint"),
    (0x10e, "r16float"),
    (0x111, "i16unorm"),
    (0x112, "l16unorm"),
    (0x113, "a16unorm"),
    (0x115, "i16float"),
    (0x116, "l16float"),
    (0x117, "a16float"),
    (0x140, "r8unorm"),
    (0x141, "r8snorm"),
    (0x142, "r8sint"),
    (0x143, "r8uint"),
    (0x144, "a8unorm"),
    (0x145, "i8unorm"),
    (0x146, "l8unorm"),
];

fn format(code: u32) -> Option<Format> {
    let known = FORMATS.iter().find(|(known, _)| *known == code);
    let format = known.and_then(|(_, name)| Format::find(name));
    if format.is_none() {
        report::unknown(format_args!("surface format {code:#x} is not implemented"));
    }
    format
}

/// A sampler by its state.
fn sampler(state: &[u32; 4]) -> Option<Sampler> {
    if state[0] >> 31 != 0 {
        return None;
    }
    Some(Sampler {
        normalized: state[3] >> 10 & 1 == 0,
        addressing: match state[3] >> 6 & 7 {
            0 => Addressing::Repeat,
            1 => Addressing::MirroredRepeat,
            2 => Addressing::ClampToEdge,
            _ => Addressing::Clamp,
        },
        filter: match state[0] >> 17 & 7 {
            0 => Filter::Nearest,
            _ => Filter::Linear,
        },
        comparison: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_has_a_name_of_the_executors() {
        for (code, name) in FORMATS {
            assert!(Format::find(name).is_some(), "{code:#x} {name}");
        }
    }
}
