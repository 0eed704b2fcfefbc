//! Argument specifications of the command line.
//!
//! | specification            | argument                                                   |
//! |--------------------------|------------------------------------------------------------|
//! | `buf:FILE`               | a buffer with the file's contents                          |
//! | `buf:FILE>OUT`           | the same, written to `OUT` afterwards                      |
//! | `zero:BYTES`             | a buffer of zeroes                                         |
//! | `zero:BYTES>OUT`         | the same, written to `OUT` afterwards                      |
//! | `i8:VALUE` … `f64:VALUE` | a number: `i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64`      |
//! | `bytes:HEX`              | a vector or structure by value                             |
//! | `local:BYTES`            | shared local memory                                        |
//! | `image2d:FORMAT:WxH:FILE`     | an image with the file's texels, or its pixels if it is a PNG; of zeroes if `FILE` is empty |
//! | `image2d:FORMAT:WxH:FILE>OUT` | the same, written to `OUT` afterwards                 |
//! | `image1d:FORMAT:W:FILE`, `image1d_buffer:FORMAT:W:FILE`, `image1d_array:FORMAT:WxN:FILE`, `image2d_array:FORMAT:WxHxN:FILE`, `image3d:FORMAT:WxHxD:FILE`, `image2d_msaa:FORMAT:WxHxS:FILE`, `cube:FORMAT:WxWx6:FILE` | images of other kinds; `N` layers, `S` samples a texel |
//! | `sampler:FLAGS`          | a sampler; flags with commas between: `unnormalized` (the default) or `normalized`; `edge` (the default), `clamp`, `repeat` or `mirror`; `nearest` (the default) or `linear` |
//!
//! A texel `FORMAT` is an order of channels and their type, see [`Format`].

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use kiln_emit::ze_info::ArgInfo;

use super::picture::{self, PictureError};
use crate::Addressing::{self};
use crate::Arg::{self};
use crate::Filter::{self};
use crate::Format::{self};
use crate::Image::{self};
use crate::ImageKind::{self};
use crate::Sampler::{self};
use crate::Shape::{self};

/// Maximum size of a buffer, in bytes.
const MAX_BUFFER: u64 = 1 << 32;
/// Maximum number of bytes read from anything but a regular file.
const MAX_STREAM: u64 = 1 << 28;

/// A number's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Signed, 8 bits: `i8`.
    I8,
    /// Unsigned, 8 bits: `u8`.
    U8,
    /// Signed, 16 bits: `i16`.
    I16,
    /// Unsigned, 16 bits: `u16`.
    U16,
    /// Signed, 32 bits: `i32`.
    I32,
    /// Unsigned, 32 bits: `u32`.
    U32,
    /// Signed, 64 bits: `i64`.
    I64,
    /// Unsigned, 64 bits: `u64`.
    U64,
    /// Float, 16 bits: `f16`.
    F16,
    /// Float, 32 bits: `f32`.
    F32,
    /// Float, 64 bits: `f64`.
    F64,
}

/// Names, and sizes in bytes.
const SCALARS: &[(&str, Scalar, usize)] = &[
    ("i8", Scalar::I8, 1),
    ("u8", Scalar::U8, 1),
    ("i16", Scalar::I16, 2),
    ("u16", Scalar::U16, 2),
    ("i32", Scalar::I32, 4),
    ("u32", Scalar::U32, 4),
    ("i64", Scalar::I64, 8),
    ("u64", Scalar::U64, 8),
    ("f16", Scalar::F16, 2),
    ("f32", Scalar::F32, 4),
    ("f64", Scalar::F64, 8),
];

impl Scalar {
    /// The type with the given name.
    pub fn find(name: &str) -> Option<Scalar> {
        SCALARS
            .iter()
            .find(|(n, ..)| *n == name)
            .map(|(_, scalar, _)| *scalar)
    }

    /// The name in specifications and launch files.
    pub fn name(self) -> &'static str {
        SCALARS
            .iter()
            .find(|(_, s, _)| *s == self)
            .map_or("", |(name, ..)| name)
    }

    /// Size in bytes.
    pub fn size(self) -> usize {
        SCALARS
            .iter()
            .find(|(_, s, _)| *s == self)
            .map_or(1, |(.., size)| *size)
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }

    /// Bytes of a number. Integers may be hexadecimal (`0x`); a float is rounded to nearest.
    pub fn parse(self, text: &str) -> Option<Vec<u8>> {
        if self.is_float() {
            return Some(match self {
                Scalar::F16 => half::f16::from_f64(text.parse().ok()?)
                    .to_le_bytes()
                    .to_vec(),
                Scalar::F32 => text.parse::<f32>().ok()?.to_le_bytes().to_vec(),
                _ => text.parse::<f64>().ok()?.to_le_bytes().to_vec(),
            });
        }
        let value = match text.strip_prefix("0x") {
            Some(digits) => i128::from(u64::from_str_radix(digits, 16).ok()?),
            None => text.parse::<i128>().ok()?,
        };
        let size = self.size();
        let bits = size as u32 * 8;
        let range = match self {
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
                -(1i128 << (bits - 1))..1i128 << (bits - 1)
            }
            _ => 0..1i128 << bits,
        };
        range
            .contains(&value)
            .then(|| value.to_le_bytes()[..size].to_vec())
    }
}

/// An argument specification.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Where the argument's contents come from.
    pub source: Source,
    /// File to which the buffer is written after the launch.
    pub out: Option<PathBuf>,
}

/// Source of the argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A buffer with a file's contents.
    File(PathBuf),
    /// A buffer of zeros with this size.
    Zero(u64),
    /// Bytes by value: a vector or structure.
    Value(Vec<u8>),
    /// A number, with its bytes.
    Number(Scalar, Vec<u8>),
    /// Bytes of shared local memory.
    Local(u32),
    /// An image with a file's contents, or of zeros.
    Image {
        /// Kind, format and size.
        shape: Shape,
        /// File with its texels; without one they are zero.
        file: Option<PathBuf>,
    },
    /// State of a sampler.
    Sampler(Sampler),
}

/// The error of a specification.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum SpecError {
    #[error(
        "argument `{0}`: `KIND:VALUE` expected, with one of the kinds buf, zero, local, bytes, \
         i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64, sampler, image1d, image1d_array, \
         image1d_buffer, image2d, image2d_array, image2d_msaa, image3d, cube"
    )]
    Kind(String),
    #[error("argument `{spec}`: `{value}` is no {expected}")]
    Value {
        spec: String,
        value: String,
        expected: &'static str,
    },
    #[error("argument `{spec}`: `{kind}:FORMAT:{sizes}:FILE` expected")]
    Image {
        spec: String,
        kind: &'static str,
        sizes: &'static str,
    },
    #[error(
        "argument `{spec}`: `{format}` is no texel format: one of r, a, rg, ra, rgba, bgra, argb, \
         abgr expected and, right after it, one of 8unorm, 16unorm, 8snorm, 16snorm, 8uint, 16uint, \
         32uint, 8sint, 16sint, 32sint, 16float, 32float"
    )]
    Format { spec: String, format: String },
    #[error("argument `{spec}`: `{size}` is no size of an {kind}: {sizes} expected, up to {most}")]
    Size {
        spec: String,
        size: String,
        kind: &'static str,
        sizes: &'static str,
        most: String,
    },
    #[error("argument `{spec}`: the image would have {bytes} bytes: 4294967296 are possible")]
    ImageBytes { spec: String, bytes: u64 },
    #[error(
        "argument `{spec}`: `{flag}` is no flag of a sampler, or its like was given before: \
         unnormalized or normalized; edge, clamp, repeat or mirror; nearest or linear expected"
    )]
    Flag { spec: String, flag: String },
    #[error("argument `{0}`: only a buffer or an image can be written to a file")]
    Output(String),
    #[error("argument `{0}`: a file name is missing")]
    File(String),
}

/// True if a specification may begin with the name.
pub fn is_kind(name: &str) -> bool {
    const OTHERS: [&str; 5] = ["buf", "zero", "local", "bytes", "sampler"];
    OTHERS.contains(&name) || Scalar::find(name).is_some() || ImageKind::find(name).is_some()
}

/// Reads a specification.
pub fn parse_spec(spec: &str) -> Result<Spec, SpecError> {
    let (kind, rest) = spec
        .split_once(':')
        .ok_or_else(|| SpecError::Kind(spec.to_string()))?;
    let (value, out) = match rest.split_once('>') {
        Some((value, out)) => (value, Some(out)),
        None => (rest, None),
    };
    let bad = |expected| SpecError::Value {
        spec: spec.to_string(),
        value: value.to_string(),
        expected,
    };
    let source = match kind {
        "buf" if value.is_empty() => return Err(SpecError::File(spec.to_string())),
        "buf" => Source::File(PathBuf::from(value)),
        "zero" => {
            let bytes = value.parse().ok().filter(|&bytes| bytes <= MAX_BUFFER);
            Source::Zero(bytes.ok_or(bad("number of bytes up to 4294967296"))?)
        }
        "local" => Source::Local(value.parse().map_err(|_| bad("number of bytes"))?),
        "sampler" => Source::Sampler(sampler(spec, value)?),
        "bytes" => Source::Value(hex(value).ok_or(bad("even number of hexadecimal digits"))?),
        name if let Some(kind) = ImageKind::find(name) => image(spec, kind, value)?,
        name => match ImageKind::find(name) {
            Some(kind) => image(spec, kind, value)?,
            None => {
                let scalar = Scalar::find(name).ok_or_else(|| SpecError::Kind(spec.to_string()))?;
                let bytes = scalar.parse(value).ok_or(bad("number of that type"))?;
                Source::Number(scalar, bytes)
            }
        },
    };
    let memory = matches!(
        source,
        Source::File(_) | Source::Zero(_) | Source::Image { .. }
    );
    match out {
        Some(_) if !memory => Err(SpecError::Output(spec.to_string())),
        Some("") => Err(SpecError::File(spec.to_string())),
        _ => Ok(Spec {
            source,
            out: out.map(PathBuf::from),
        }),
    }
}

/// Notation of an image's sizes.
fn size_pattern(kind: ImageKind) -> &'static str {
    match kind {
        ImageKind::D1 | ImageKind::D1Buffer => "W",
        ImageKind::D1Array => "WxN",
        ImageKind::D2 => "WxH",
        ImageKind::D2Array => "WxHxN",
        ImageKind::D2Msaa => "WxHxS",
        ImageKind::D3 => "WxHxD",
        ImageKind::Cube => "WxWx6",
    }
}

/// An image: `FORMAT:SIZES:FILE`.
fn image(spec: &str, kind: ImageKind, value: &str) -> Result<Source, SpecError> {
    let sizes = size_pattern(kind);
    let mut parts = value.splitn(3, ':');
    let (Some(format), Some(size), Some(file)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(SpecError::Image {
            spec: spec.to_string(),
            kind: kind.name(),
            sizes,
        });
    };
    let format = Format::find(format).ok_or_else(|| SpecError::Format {
        spec: spec.to_string(),
        format: format.to_string(),
    })?;
    let numbers: Option<Vec<u32>> = size.split('x').map(|n| n.parse().ok()).collect();
    let shape = numbers.and_then(|numbers| Shape::new(kind, format, &numbers));
    let shape = shape.ok_or_else(|| SpecError::Size {
        spec: spec.to_string(),
        size: size.to_string(),
        kind: kind.name(),
        sizes,
        most: kind
            .limits()
            .iter()
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join("x"),
    })?;
    if shape.bytes() > MAX_BUFFER {
        return Err(SpecError::ImageBytes {
            spec: spec.to_string(),
            bytes: shape.bytes(),
        });
    }
    Ok(Source::Image {
        shape,
        file: (!file.is_empty()).then(|| PathBuf::from(file)),
    })
}

/// A sampler: flags separated by commas.
fn sampler(spec: &str, flags: &str) -> Result<Sampler, SpecError> {
    let (mut normalized, mut addressing, mut filter) = (None, None, None);
    for flag in flags.split(',').filter(|_| !flags.is_empty()) {
        let known = match flag {
            "unnormalized" => normalized.replace(false).is_none(),
            "normalized" => normalized.replace(true).is_none(),
            "edge" => addressing.replace(Addressing::ClampToEdge).is_none(),
            "clamp" => addressing.replace(Addressing::Clamp).is_none(),
            "repeat" => addressing.replace(Addressing::Repeat).is_none(),
            "mirror" => addressing.replace(Addressing::MirroredRepeat).is_none(),
            "nearest" => filter.replace(Filter::Nearest).is_none(),
            "linear" => filter.replace(Filter::Linear).is_none(),
            _ => false,
        };
        if !known {
            return Err(SpecError::Flag {
                spec: spec.to_string(),
                flag: flag.to_string(),
            });
        }
    }
    let default = Sampler::default();
    Ok(Sampler {
        normalized: normalized.unwrap_or(default.normalized),
        addressing: addressing.unwrap_or(default.addressing),
        filter: filter.unwrap_or(default.filter),
        ..default
    })
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    (0..digits.len() / 2)
        .map(|i| u8::from_str_radix(&digits[i * 2..i * 2 + 2], 16).ok())
        .collect()
}

/// The error of reading a file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// Error of the system.
    #[source]
    pub error: std::io::Error,
}

/// The error of making an argument from its file.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum LoadError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{}: {found} bytes found, {expected} expected: {shape}", path.display())]
    Texels {
        path: PathBuf,
        expected: u64,
        found: u64,
        shape: String,
    },
    #[error("{}: a picture of {} by {} found: {shape} expected", path.display(), found[0], found[1])]
    PictureSize {
        path: PathBuf,
        found: [u32; 2],
        shape: String,
    },
    #[error("{}: {error}", path.display())]
    Picture {
        path: PathBuf,
        #[source]
        error: PictureError,
    },
}

/// An image's shape in words.
fn words(shape: &Shape) -> String {
    let sizes = &shape.size[..shape.kind.limits().len()];
    let sizes = sizes
        .iter()
        .map(u32::to_string)
        .collect::<Vec<_>>()
        .join("x");
    format!(
        "an {} of {sizes} texels {}",
        shape.kind.name(),
        shape.format
    )
}

/// Texels of an image from a file with just those, or from a picture.
fn texels(shape: &Shape, path: &Path) -> Result<Vec<u8>, LoadError> {
    let bytes = read(path)?;
    if picture::is_png(&bytes) {
        let limit = usize::try_from(MAX_BUFFER).unwrap_or(usize::MAX);
        let picture = picture::read_png(&bytes, limit).map_err(|error| LoadError::Picture {
            path: path.to_path_buf(),
            error,
        })?;
        if [picture.width, picture.height, 1] != shape.size {
            return Err(LoadError::PictureSize {
                path: path.to_path_buf(),
                found: [picture.width, picture.height],
                shape: words(shape),
            });
        }
        return Ok(picture::texels(&picture.pixels, shape.format));
    }
    if bytes.len() as u64 != shape.bytes() {
        return Err(LoadError::Texels {
            path: path.to_path_buf(),
            expected: shape.bytes(),
            found: bytes.len() as u64,
            shape: words(shape),
        });
    }
    Ok(bytes)
}

/// Contents of a file, if they fit a buffer; a device or pipe may have no end.
fn read_limited(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let limit = match file.metadata()?.is_file() {
        true => MAX_BUFFER,
        false => MAX_STREAM,
    };
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let what = format!("more than {limit} bytes");
        return Err(std::io::Error::new(ErrorKind::FileTooLarge, what));
    }
    Ok(bytes)
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    read_limited(path).map_err(|error| FileError {
        path: path.to_path_buf(),
        error,
    })
}

/// The error of a number whose kind differs from the kernel's declaration.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "argument {index}, counted from 0, is declared as {declared}: {found} is no number of that kind"
)]
pub struct TypeError {
    index: u32,
    declared: String,
    found: &'static str,
}

/// Checks that numbers are floats where the kernel declares floats, and integers where it declares integers. The
/// declarations are known only if the object file has them.
///
/// # Errors
/// The first number of another kind.
pub fn check_types<'a>(
    sources: impl IntoIterator<Item = &'a Source>,
    declared: &[ArgInfo],
) -> Result<(), TypeError> {
    for (index, source) in (0..).zip(sources) {
        let Source::Number(scalar, _) = source else {
            continue;
        };
        let Some(info) = declared.iter().find(|info| info.index == index) else {
            continue;
        };
        let name = info.type_name.split(';').next().unwrap_or_default();
        let float = match name {
            "half" | "float" | "double" => true,
            "bool" | "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong"
            | "size_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t" => false,
            // A type that the program defines.
            _ => continue,
        };
        if float != scalar.is_float() {
            return Err(TypeError {
                index,
                declared: name.to_string(),
                found: scalar.name(),
            });
        }
    }
    Ok(())
}

impl Source {
    /// Bytes of memory that the argument needs, before it is loaded; of a file of unknown size the most that is read.
    /// File names are relative to `dir`.
    pub fn bytes(&self, dir: &Path) -> u64 {
        match self {
            Source::File(path) => match std::fs::metadata(dir.join(path)) {
                Ok(file) if file.is_file() => file.len(),
                Ok(_) => MAX_STREAM,
                Err(_) => 0,
            },
            Source::Zero(bytes) => *bytes,
            Source::Image { shape, .. } => shape.bytes(),
            Source::Value(bytes) | Source::Number(_, bytes) => bytes.len() as u64,
            Source::Local(bytes) => (*bytes).into(),
            Source::Sampler(_) => 0,
        }
    }

    /// The argument. File names are relative to `dir`.
    pub fn load(&self, dir: &Path) -> Result<Arg, LoadError> {
        Ok(match self {
            Source::File(path) => Arg::Buffer(read(&dir.join(path))?),
            Source::Zero(bytes) => Arg::Buffer(vec![0; *bytes as usize]),
            Source::Value(bytes) | Source::Number(_, bytes) => Arg::Value(bytes.clone()),
            Source::Local(bytes) => Arg::Local(*bytes),
            Source::Sampler(sampler) => Arg::Sampler(*sampler),
            Source::Image { shape, file } => Arg::Image(Image {
                shape: *shape,
                texels: match file {
                    Some(file) => texels(shape, &dir.join(file))?,
                    None => vec![0; shape.bytes() as usize],
                },
            }),
        })
    }
}

#[cfg(test)]
#[path = "tests/spec.rs"]
mod tests;
