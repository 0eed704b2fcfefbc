//! Copies and fills of the copy engine (PRM vol. 2a, "MEM_COPY", "MEM_SET", "XY_BLOCK_COPY_BLT", "XY_FAST_COLOR_BLT").

use kiln_exec::device::{Rows, Tile};

use super::device::Tiling;
use super::launch::Failure;
use super::space::{ADDRESS, Space};
use super::surfaces::{tile_64, volume_tile};

/// A number of two dwords of a command; 0 if it has none there.
pub fn pair(c: &[u32], at: usize) -> u64 {
    let word = |at: usize| u64::from(c.get(at).copied().unwrap_or(0));
    word(at) | word(at + 1) << 32
}

/// An address of two dwords of a command: sums with offsets do not overflow.
pub fn address(c: &[u32], at: usize) -> u64 {
    pair(c, at) & ADDRESS
}

/// Maximum number of bytes that a command moves.
const MOST_BYTES: u64 = 1 << 34;

/// Number of rows of a copy or fill, of which the command has the width less one.
fn rows(c: &[u32]) -> Result<(u64, u64), Failure> {
    let linear = c[0] >> 17 & 3 == 0;
    let width = u64::from(c[1] & 0xff_ffff) + 1;
    let rows = match linear {
        true => 1,
        false => u64::from(c[2] & 0x3_ffff) + 1,
    };
    match rows * width > MOST_BYTES {
        true => Err(Failure::Endless("a copy of too many bytes")),
        false => Ok((width, rows)),
    }
}

/// `MEM_COPY`: bytes, or rows of bytes with pitches.
pub fn memory_copy(space: &Space, c: &[u32]) -> Result<(), Failure> {
    let (width, rows) = rows(c)?;
    let [from, to] = [3, 4].map(|at| u64::from(c[at] & 0x3_ffff) + 1);
    for row in 0..rows {
        space.copy(address(c, 5) + row * from, address(c, 7) + row * to, width)?;
    }
    Ok(())
}

/// `MEM_SET`: one byte to bytes, or to rows of bytes with a pitch.
pub fn memory_set(space: &Space, c: &[u32]) -> Result<(), Failure> {
    let (width, rows) = rows(c)?;
    let pitch = u64::from(c[3] & 0x3_ffff) + 1;
    for row in 0..rows {
        space.fill(address(c, 4) + row * pitch, width, (c[6] >> 24) as u8)?;
    }
    Ok(())
}

/// A picture of a block copy.
struct Side {
    base: u64,
    rows: Rows,
    left: u32,
    top: u32,
    slice: u32,
}

/// Dwords of one picture in the command.
struct Words {
    pitch: u32,
    corner: u32,
    base: u64,
    kind: u32,
    qpitch: u32,
    layer: u32,
}

/// Type of a volume.
const VOLUME: u32 = 2;

impl Side {
    fn new(words: &Words, texel: usize, tiling: Tiling) -> Side {
        let tile = match (words.pitch >> 30, words.kind >> 29) {
            (0, _) => Tile::LINEAR,
            (1, _) => Tile::X,
            (2, _) => Tile::FOUR,
            (_, VOLUME) => volume_tile(texel, tiling),
            _ => tile_64(texel),
        };
        // Pitches of tiles are in dwords.
        let unit = if tile == Tile::LINEAR { 1 } else { 4 };
        Side {
            base: words.base,
            rows: Rows {
                pitch: (u64::from(words.pitch & 0x3_ffff) + 1) * unit,
                slice: u64::from(words.qpitch >> 4 & 0x7fff) << 2,
                tile,
            },
            left: words.corner & 0xffff,
            top: words.corner >> 16,
            slice: words.layer >> 21,
        }
    }

    fn texel(&self, x: u32, y: u32, size: u64) -> u64 {
        let (byte, row) = (u64::from(self.left + x) * size, u64::from(self.top + y));
        self.base + self.rows.offset(byte, row, self.slice.into())
    }
}

/// Bytes of a texel of a command.
fn texel(c: &[u32]) -> u64 {
    match c[0] >> 19 & 7 {
        0 => 1,
        1 => 2,
        2 => 4,
        3 => 8,
        4 => 12,
        _ => 16,
    }
}

/// A picture of a command by the places of its pitch, corner, address and type.
fn side(c: &[u32], [pitch, corner, base, kind]: [usize; 4], tiling: Tiling) -> Side {
    let word = |at: usize| c.get(at).copied().unwrap_or(0);
    let words = Words {
        pitch: c[pitch],
        corner: c[corner],
        base: address(c, base),
        kind: word(kind),
        qpitch: word(kind + 1),
        layer: word(kind + 2),
    };
    Side::new(&words, texel(c) as usize, tiling)
}

/// Texels of the rectangle that a command writes, in each direction.
fn rectangle(c: &[u32]) -> Result<(u32, u32), Failure> {
    let width = (c[3] & 0xffff).saturating_sub(c[2] & 0xffff);
    let height = (c[3] >> 16).saturating_sub(c[2] >> 16);
    match u64::from(width) * u64::from(height) * texel(c) > MOST_BYTES {
        true => Err(Failure::Endless("a copy of too many bytes")),
        false => Ok((width, height)),
    }
}

/// `XY_FAST_COLOR_BLT`: one texel to a rectangle of a picture.
pub fn color(space: &Space, c: &[u32], tiling: Tiling) -> Result<(), Failure> {
    let (texel, to) = (texel(c), side(c, [1, 2, 4, 13], tiling));
    let (width, height) = rectangle(c)?;
    let color = c[7..11].iter().flat_map(|word| word.to_le_bytes());
    let first = to.texel(0, 0, texel);
    for y in 0..height {
        for x in 0..width {
            let at = to.texel(x, y, texel);
            if at != first {
                space.copy(first, at, texel)?;
                continue;
            }
            for (byte, value) in (0..texel).zip(color.clone()) {
                space.fill(at + byte, 1, value)?;
            }
        }
    }
    Ok(())
}

/// `XY_BLOCK_COPY_BLT`: a rectangle of texels between pictures.
pub fn block_copy(space: &Space, c: &[u32], tiling: Tiling) -> Result<(), Failure> {
    let texel = texel(c);
    let to = side(c, [1, 2, 4, 16], tiling);
    let from = side(c, [8, 7, 9, 19], tiling);
    let (width, height) = rectangle(c)?;
    for y in 0..height {
        for x in 0..width {
            space.copy(from.texel(x, y, texel), to.texel(x, y, texel), texel)?;
        }
    }
    Ok(())
}
