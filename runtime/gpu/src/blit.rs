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

/// Copies in the order of a command. Those that follow one another at both places become one.
struct Copies<'a> {
    space: &'a Space,
    from: u64,
    to: u64,
    len: u64,
}

impl Copies<'_> {
    fn new(space: &Space) -> Copies<'_> {
        Copies {
            space,
            from: 0,
            to: 0,
            len: 0,
        }
    }

    fn add(&mut self, from: u64, to: u64, len: u64) -> Result<(), Failure> {
        if from.wrapping_sub(self.from) == self.len && to.wrapping_sub(self.to) == self.len {
            self.len += len;
            return Ok(());
        }
        self.end()?;
        (self.from, self.to, self.len) = (from, to, len);
        Ok(())
    }

    /// Makes the last copy.
    fn end(&self) -> Result<(), Failure> {
        Ok(self.space.copy(self.from, self.to, self.len)?)
    }
}

/// `MEM_COPY`: bytes, or rows of bytes with pitches.
pub fn memory_copy(space: &Space, c: &[u32]) -> Result<(), Failure> {
    let (width, rows) = rows(c)?;
    let [from, to] = [3, 4].map(|at| u64::from(c[at] & 0x3_ffff) + 1);
    let mut copies = Copies::new(space);
    for row in 0..rows {
        copies.add(address(c, 5) + row * from, address(c, 7) + row * to, width)?;
    }
    copies.end()
}

/// `MEM_SET`: one byte to bytes, or to rows of bytes with a pitch.
pub fn memory_set(space: &Space, c: &[u32]) -> Result<(), Failure> {
    let (mut width, mut rows) = rows(c)?;
    let pitch = u64::from(c[3] & 0x3_ffff) + 1;
    if pitch == width {
        (width, rows) = (width * rows, 1);
    }
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

    /// Address of a byte of a row of the rectangle, and number of bytes that follow it in memory as in the row.
    fn place(&self, byte: u64, y: u32, texel: u64) -> (u64, u64) {
        let byte = u64::from(self.left) * texel + byte;
        let row = u64::from(self.top + y);
        let offset = self.rows.offset(byte, row, self.slice.into());
        (self.base + offset, self.rows.run(byte))
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
    let color: Vec<u8> = c[7..11]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let row = color[..texel as usize].repeat(width as usize);
    for y in 0..height {
        let mut rest = &row[..];
        while !rest.is_empty() {
            let (at, run) = to.place((row.len() - rest.len()) as u64, y, texel);
            let (now, later) = rest.split_at(run.min(rest.len() as u64) as usize);
            space.write(at, now)?;
            rest = later;
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
    let width = u64::from(width) * texel;
    let mut copies = Copies::new(space);
    for y in 0..height {
        let mut byte = 0;
        while byte < width {
            let ((from, a), (to, b)) = (from.place(byte, y, texel), to.place(byte, y, texel));
            let run = (width - byte).min(a).min(b);
            copies.add(from, to, run)?;
            byte += run;
        }
    }
    copies.end()
}
