//! Images and samplers of a launch.

use super::format::Format;

/// Kind of an image, which gives its coordinates their meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// One row.
    D1,
    /// Layers of one row each; the second coordinate is the layer.
    D1Array,
    /// One row in a buffer, which may be very long and is not filtered.
    D1Buffer,
    /// Rows.
    D2,
    /// The third coordinate is the layer.
    D2Array,
    /// The third coordinate is the number of a sample.
    D2Msaa,
    /// Slices of rows.
    D3,
    /// The six faces of a cube, read by a direction from its centre or, in typed messages, by a face's number.
    Cube,
}

/// Name of a kind, and maximum size of each dimension in texels.
struct KindFacts {
    kind: ImageKind,
    name: &'static str,
    limits: &'static [u32],
}

/// Limits of the hardware's surface state (PRM vol. 2d, "RENDER_SURFACE_STATE").
const KINDS: &[KindFacts] = &[
    facts(ImageKind::D1, "image1d", &[16384]),
    facts(ImageKind::D1Array, "image1d_array", &[16384, 2048]),
    facts(ImageKind::D1Buffer, "image1d_buffer", &[1 << 27]),
    facts(ImageKind::D2, "image2d", &[16384, 16384]),
    facts(ImageKind::D2Array, "image2d_array", &[16384, 16384, 2048]),
    facts(ImageKind::D2Msaa, "image2d_msaa", &[16384, 16384, 16]),
    facts(ImageKind::D3, "image3d", &[2048, 2048, 2048]),
    facts(ImageKind::Cube, "cube", &[16384, 16384, FACES]),
];

/// Faces of a cube: towards the greater and the lesser x, y and z.
pub const FACES: u32 = 6;

const fn facts(kind: ImageKind, name: &'static str, limits: &'static [u32]) -> KindFacts {
    KindFacts { kind, name, limits }
}

impl ImageKind {
    /// The kind with a name of OpenCL C, without the `_t` (`image2d_array`).
    pub fn find(name: &str) -> Option<ImageKind> {
        KINDS.iter().find(|k| k.name == name).map(|k| k.kind)
    }

    /// The name in OpenCL C, without the `_t`.
    pub fn name(self) -> &'static str {
        self.facts().map_or("image", |k| k.name)
    }

    /// Maximum size of each dimension, in texels or layers.
    pub fn limits(self) -> &'static [u32] {
        self.facts().map_or(&[], |k| k.limits)
    }

    /// Index of the coordinate that is a layer's number.
    pub fn layer_axis(self) -> Option<usize> {
        match self {
            ImageKind::D1Array => Some(1),
            ImageKind::D2Array | ImageKind::Cube => Some(2),
            _ => None,
        }
    }

    /// Number of coordinates that are places in a picture or layers.
    pub fn coordinates(self) -> usize {
        self.axes() + usize::from(self.layer_axis().is_some())
    }

    /// Number of coordinates that are places in a picture.
    pub fn axes(self) -> usize {
        match self {
            ImageKind::D1 | ImageKind::D1Array | ImageKind::D1Buffer => 1,
            ImageKind::D2 | ImageKind::D2Array | ImageKind::D2Msaa | ImageKind::Cube => 2,
            ImageKind::D3 => 3,
        }
    }

    fn facts(self) -> Option<&'static KindFacts> {
        KINDS.iter().find(|k| k.kind == self)
    }
}

/// Places of an image's rows in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Distance of rows in bytes.
    pub pitch: u64,
    /// Number of rows from one layer or slice to the next.
    pub slice: u64,
    /// Order of bytes in a tile.
    pub tile: Tile,
}

/// Order of bytes in memory, tile after tile (PRM vol. 5, "Tiling"). Without bits, memory has row after row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Indices of coordinates, and how many of their next bits follow in an offset in the tile, from its lowest bit on.
    runs: [(u8, u8); TILE_BITS],
    /// Number of runs.
    len: u8,
    /// Number of bits of each coordinate.
    counts: [u8; 3],
}

/// Maximum number of bits of an offset in a tile.
const TILE_BITS: usize = 16;

impl Tile {
    /// Rows.
    pub const LINEAR: Tile = Tile::new("");
    /// 512 bytes of 8 rows.
    pub const X: Tile = Tile::new("xxxxxxxxxyyy");
    /// 128 bytes of 32 rows, in columns of 16 bytes.
    pub const Y: Tile = Tile::new("xxxxyyyyyxxx");
    /// 128 bytes of 32 rows, in blocks of 16 bytes of 4 rows (since XeHP).
    pub const FOUR: Tile = Tile::new("xxxxyyxxyxyy");

    /// A tile by the bits of an offset in it, at most 16, from the lowest one on. An `x` is the next bit of the byte's number in
    /// its row, a `y` that of the row's number, a `z` that of the slice's.
    ///
    /// # Panics
    /// Other letters, and more bits.
    pub const fn new(bits: &str) -> Tile {
        let bits = bits.as_bytes();
        let mut tile = Tile {
            runs: [(0, 0); TILE_BITS],
            len: 0,
            counts: [0; 3],
        };
        let mut at = 0;
        while at < bits.len() {
            let coordinate = bits[at] - b'x';
            if at == 0 || bits[at] != bits[at - 1] {
                tile.runs[tile.len as usize].0 = coordinate;
                tile.len += 1;
            }
            tile.runs[tile.len as usize - 1].1 += 1;
            tile.counts[coordinate as usize] += 1;
            at += 1;
        }
        tile
    }

    fn runs(&self) -> &[(u8, u8)] {
        &self.runs[..usize::from(self.len)]
    }

    /// Number of bits of an offset in the tile.
    fn bits(&self) -> u8 {
        self.counts.iter().sum()
    }

    /// Offset in the tile of the lowest bits of coordinates.
    fn inside(&self, mut at: [u64; 3]) -> u64 {
        let (mut inside, mut bits) = (0, 0);
        for &(coordinate, count) in self.runs() {
            let from = &mut at[usize::from(coordinate)];
            inside |= (*from & ((1 << count) - 1)) << bits;
            *from >>= count;
            bits += count;
        }
        inside
    }
}

impl Rows {
    /// Byte offset of a byte of a row of a slice: the sum of what the row and what the byte contribute.
    pub fn offset(&self, byte: u64, row: u64, slice: u64) -> u64 {
        self.of_row(row, slice) + self.of_byte(byte)
    }

    /// Part of an offset that a row of a slice contributes.
    pub fn of_row(&self, row: u64, slice: u64) -> u64 {
        let [width, height, depth] = self.tile.counts;
        // Slices of flat tiles are rows that follow.
        let (row, slice) = match depth {
            0 => (row + slice * self.slice, 0),
            _ => (row, slice),
        };
        if width == 0 {
            return row * self.pitch;
        }
        let rows_of_tiles = (slice >> depth) * (self.slice >> height) + (row >> height);
        let tile = rows_of_tiles * (self.pitch >> width);
        tile << self.tile.bits() | self.tile.inside([0, row, slice])
    }

    /// Part of an offset that a byte of a row contributes.
    pub fn of_byte(&self, byte: u64) -> u64 {
        match self.tile.counts[0] {
            0 => byte,
            width => byte >> width << self.tile.bits() | self.tile.inside([byte, 0, 0]),
        }
    }

    /// Number of bytes from a byte of a row on that follow one another in memory.
    pub fn run(&self, byte: u64) -> u64 {
        match self.tile.runs() {
            [] => u64::MAX,
            [(0, bits), ..] => (1 << bits) - byte % (1 << bits),
            _ => 1,
        }
    }
}

/// An image's kind, format and size: all but its texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Kind of the image.
    pub kind: ImageKind,
    /// Format of a texel.
    pub format: Format,
    /// Size in each coordinate, in texels or layers; 1 for coordinates that the kind lacks.
    pub size: [u32; 3],
    /// Places of rows; none if they have no gaps.
    pub rows: Option<Rows>,
}

impl Shape {
    /// A shape with the kind's number of sizes; none if one is zero or above its limit.
    pub fn new(kind: ImageKind, format: Format, sizes: &[u32]) -> Option<Shape> {
        let limits = kind.limits();
        let fits = sizes.len() == limits.len()
            && sizes
                .iter()
                .zip(limits)
                .all(|(size, limit)| (1..=*limit).contains(size));
        let mut size = [1; 3];
        size[..sizes.len().min(3)].copy_from_slice(&sizes[..sizes.len().min(3)]);
        let has = match kind {
            ImageKind::D2Msaa => size[2].is_power_of_two(),
            ImageKind::Cube => size[0] == size[1] && size[2] == FACES,
            _ => true,
        };
        (fits && has).then_some(Shape {
            kind,
            format,
            size,
            rows: None,
        })
    }

    /// Number of samples of a texel.
    pub fn samples(&self) -> u32 {
        match self.kind {
            ImageKind::D2Msaa => self.size[2],
            _ => 1,
        }
    }

    /// Size of all texels in bytes, in rows without gaps.
    pub fn bytes(&self) -> u64 {
        let texels = self.size.iter().fold(1, |n: u64, &s| n * u64::from(s));
        texels * self.format.bytes() as u64
    }

    /// Coordinates of a texel; none outside the image.
    pub fn inside(&self, texel: [i64; 3]) -> Option<[u64; 3]> {
        let is_inside = |axis: usize| (0..i64::from(self.size[axis])).contains(&texel[axis]);
        let all = is_inside(0) && is_inside(1) && is_inside(2);
        all.then(|| texel.map(|at| at as u64))
    }

    /// Byte offset of a texel; none outside the image.
    pub fn offset(&self, texel: [i64; 3]) -> Option<u64> {
        let [x, y, z] = self.inside(texel)?;
        Some(self.byte(x * self.format.bytes() as u64, y, z))
    }

    /// Byte offset of a byte of a row of a layer or slice.
    pub fn byte(&self, byte: u64, row: u64, slice: u64) -> u64 {
        self.of_row(row, slice) + self.of_byte(byte)
    }

    /// Part of an offset that a row of a layer or slice contributes.
    pub fn of_row(&self, row: u64, slice: u64) -> u64 {
        match &self.rows {
            Some(rows) => rows.of_row(row, slice),
            None => (slice * u64::from(self.size[1]) + row) * self.pitch(),
        }
    }

    /// Part of an offset that a byte of a row contributes.
    pub fn of_byte(&self, byte: u64) -> u64 {
        self.rows.as_ref().map_or(byte, |rows| rows.of_byte(byte))
    }

    /// Bytes of a row.
    pub fn pitch(&self) -> u64 {
        u64::from(self.size[0]) * self.format.bytes() as u64
    }
}

/// An image and its texels.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Kind, format and size.
    pub shape: Shape,
    /// [`Shape::bytes`] of texels, in rows from the top without gaps.
    pub texels: Vec<u8>,
}

/// Treatment of coordinates outside an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// Coordinates outside read the border color.
    Clamp,
    /// Coordinates outside read the nearest texel of the image.
    ClampToEdge,
    /// The image is repeated.
    Repeat,
    /// The image is repeated, every other time mirrored.
    MirroredRepeat,
}

/// Filter of a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// Reads the texel that contains the coordinates.
    Nearest,
    /// Mixes the texels around the coordinates by distance.
    Linear,
}

/// Comparison of a reference value, on the left, with a texel's red channel (PRM vol. 2d, "SAMPLER_STATE", "Shadow
/// Function").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Holds for all.
    Always,
    /// Holds for none.
    Never,
    /// `reference < texel`
    Less,
    /// `reference == texel`
    Equal,
    /// `reference <= texel`
    LessEqual,
    /// `reference > texel`
    Greater,
    /// `reference != texel`, which holds if either is NaN.
    NotEqual,
    /// `reference >= texel`
    GreaterEqual,
}

impl Comparison {
    /// True if the comparison holds.
    pub fn holds(self, reference: f32, texel: f32) -> bool {
        match self {
            Comparison::Always => true,
            Comparison::Never => false,
            Comparison::Less => reference < texel,
            Comparison::Equal => reference == texel,
            Comparison::LessEqual => reference <= texel,
            Comparison::Greater => reference > texel,
            Comparison::NotEqual => reference != texel,
            Comparison::GreaterEqual => reference >= texel,
        }
    }
}

/// Sampler state of a kernel's image reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    /// True if coordinates from 0 to 1 span the image, instead of its size in texels.
    pub normalized: bool,
    /// Texel of a coordinate outside the image.
    pub addressing: Addressing,
    /// Texels that a read combines.
    pub filter: Filter,
    /// Comparison of messages with a reference value; OpenCL has none.
    pub comparison: Option<Comparison>,
}

impl Default for Sampler {
    /// Coordinates in texels, clamped to the edge, nearest.
    fn default() -> Sampler {
        Sampler {
            normalized: false,
            addressing: Addressing::ClampToEdge,
            filter: Filter::Nearest,
            comparison: None,
        }
    }
}

#[cfg(test)]
#[path = "../tests/image.rs"]
mod tests;
