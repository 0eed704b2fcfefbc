//! Descriptions of launches: argument specifications ([`parse_spec`]), and an example's `launch.yaml`, which adds the
//! expected contents of buffers.

use std::path::{Path, PathBuf};

use kiln_emit::yaml::{self, TooDeep};
use serde::Deserialize;

use super::request::Arg;
use super::spec::{self, FileError, LoadError, Scalar, Source, SpecError, parse_spec, read};

/// An example's launch with its expected results.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// The kernel's name.
    pub kernel: String,
    /// Work-items in each dimension; 1 in those that the launch lacks.
    pub global: [u32; 3],
    /// Work-items of a group in each dimension.
    pub local: [u32; 3],
    /// Number of dimensions.
    pub dimensions: u32,
    /// Arguments in the kernel's order.
    pub args: Vec<DescribedArg>,
}

/// An argument with its expected contents.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribedArg {
    /// Where the argument's contents come from.
    pub source: Source,
    /// Contents that its buffer must have after the launch, if the file says so.
    pub expect: Option<Expectation>,
}

/// Expected contents of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// File with the expected bytes.
    pub file: PathBuf,
    /// How far elements may be from them.
    pub tolerance: Tolerance,
}

/// Tolerance of a comparison. Integers must be equal; a float may differ by either bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Type of the elements.
    pub scalar: Scalar,
    /// Units in the last place.
    pub ulp: u64,
    /// Absolute difference.
    pub abs: f64,
}

/// The error of a description.
#[derive(Debug, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "each is documented by its message; `index` is the number of the argument"
)]
pub enum DescriptionError {
    #[error(transparent)]
    Yaml(#[from] serde_norway::Error),
    #[error("`{field}`: 1 to 3 sizes expected, as many as the other has; {found} found")]
    Sizes { field: &'static str, found: usize },
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
    #[error("argument {index}, counted from 0: {what}")]
    Arg { index: usize, what: &'static str },
    #[error("argument {index}, counted from 0: `{first}` and `{second}` exclude each other")]
    Kinds {
        index: usize,
        first: String,
        second: String,
    },
    #[error(
        "argument {index}, counted from 0: `{key}` is no key of an argument: those are `expect`, \
         `type`, `ulp`, `abs` and one of the kinds that `kiln help run` lists"
    )]
    Key { index: usize, key: String },
    #[error("argument {index}, counted from 0: {error}")]
    Spec { index: usize, error: SpecError },
}

#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a launch: keys kernel, global, local and args"
)]
struct RawDescription {
    kernel: String,
    global: Vec<u32>,
    local: Vec<u32>,
    args: Vec<serde_norway::Mapping>,
}

/// Keys of an argument about its expected contents; the one other key is its specification.
const EXPECTATION_KEYS: [&str; 4] = ["expect", "type", "ulp", "abs"];

impl Description {
    /// Reads a `launch.yaml`.
    pub fn parse(text: &str) -> Result<Description, DescriptionError> {
        yaml::check(text.as_bytes())?;
        let raw: RawDescription = serde_norway::from_str(text)?;
        let dimensions = raw.global.len();
        for (field, sizes) in [("global", &raw.global), ("local", &raw.local)] {
            if !(1..=3).contains(&sizes.len()) || sizes.len() != dimensions {
                return Err(DescriptionError::Sizes {
                    field,
                    found: sizes.len(),
                });
            }
        }
        let padded = |sizes: &[u32]| {
            let mut all = [1; 3];
            all[..sizes.len()].copy_from_slice(sizes);
            all
        };
        let args = raw
            .args
            .iter()
            .enumerate()
            .map(|(index, arg)| described_arg(index, arg))
            .collect::<Result<_, _>>()?;
        Ok(Description {
            kernel: raw.kernel,
            global: padded(&raw.global),
            local: padded(&raw.local),
            dimensions: dimensions as u32,
            args,
        })
    }

    /// Loads the arguments. File names are relative to `dir`.
    pub fn load_args(&self, dir: &Path) -> Result<Vec<Arg>, LoadError> {
        self.args.iter().map(|arg| arg.source.load(dir)).collect()
    }

    /// Compares the arguments after a launch with the expected contents.
    pub fn check(&self, args: &[Arg], dir: &Path) -> Result<(), CheckError> {
        for (index, (described, arg)) in self.args.iter().zip(args).enumerate() {
            if let (Some(expect), Some(found)) = (&described.expect, arg.memory()) {
                let expected = read(&dir.join(&expect.file))?;
                compare(&expected, found, expect.tolerance)
                    .map_err(|mismatch| CheckError::Mismatch { index, mismatch })?;
            }
        }
        Ok(())
    }
}

fn described_arg(
    index: usize,
    arg: &serde_norway::Mapping,
) -> Result<DescribedArg, DescriptionError> {
    let bad = |what| DescriptionError::Arg { index, what };
    let mut source = None;
    for (key, value) in arg {
        let key = key.as_str().ok_or(bad("a key that is no word"))?;
        if EXPECTATION_KEYS.contains(&key) {
            continue;
        }
        if !spec::is_kind(key) {
            let key = key.to_string();
            return Err(DescriptionError::Key { index, key });
        }
        if let Some((first, _)) = source.replace((key, value)) {
            let (first, second) = (first.to_string(), key.to_string());
            return Err(DescriptionError::Kinds {
                index,
                first,
                second,
            });
        }
    }
    let (kind, value) = source.ok_or(bad(
        "exactly one of buf, zero, local, bytes, an image, a sampler or a number's type expected",
    ))?;
    let value = text(value).ok_or(bad("a number or a string expected"))?;
    let spec = parse_spec(&format!("{kind}:{value}"))
        .map_err(|error| DescriptionError::Spec { index, error })?;
    let expect = match arg.get("expect") {
        None => None,
        Some(file) => {
            let file = file.as_str().ok_or(bad("`expect`: a file name expected"))?;
            let scalar = arg
                .get("type")
                .and_then(|v| Scalar::find(v.as_str()?))
                .ok_or(bad("`type`: a number's type expected"))?;
            let ulp = arg.get("ulp").map_or(Some(0), serde_norway::Value::as_u64);
            let abs = arg
                .get("abs")
                .map_or(Some(0.0), serde_norway::Value::as_f64);
            let tolerance = Tolerance {
                scalar,
                ulp: ulp.ok_or(bad("`ulp`: a whole number expected"))?,
                abs: abs.ok_or(bad("`abs`: a number expected"))?,
            };
            Some(Expectation {
                file: PathBuf::from(file),
                tolerance,
            })
        }
    };
    Ok(DescribedArg {
        source: spec.source,
        expect,
    })
}

/// A scalar in the notation of a specification.
fn text(value: &serde_norway::Value) -> Option<String> {
    match value {
        serde_norway::Value::String(s) => Some(s.clone()),
        serde_norway::Value::Number(n) => Some(n.to_string()),
        _ => None,
    }
}

/// Differences between results and expectations.
#[derive(Debug, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "each is documented by its message; `index` is the number of the argument"
)]
pub enum CheckError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("argument {index}, counted from 0: {mismatch}")]
    Mismatch { index: usize, mismatch: Mismatch },
}

/// The difference between two arrays.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum Mismatch {
    #[error("{found} bytes found, {expected} expected")]
    Size { expected: usize, found: usize },
    #[error(
        "{count} of {total} elements differ, first number {first}: {found} found, {expected} \
         expected"
    )]
    Elements {
        count: usize,
        total: usize,
        first: usize,
        expected: String,
        found: String,
    },
}

/// Compares two arrays of numbers.
pub fn compare(expected: &[u8], found: &[u8], tolerance: Tolerance) -> Result<(), Mismatch> {
    if expected.len() != found.len() {
        return Err(Mismatch::Size {
            expected: expected.len(),
            found: found.len(),
        });
    }
    let size = tolerance.scalar.size();
    let pairs = || expected.chunks(size).zip(found.chunks(size));
    let differs = |(e, f): &(&[u8], &[u8])| e != f && !close(e, f, tolerance);
    let Some((first, (e, f))) = pairs().enumerate().find(|(_, pair)| differs(pair)) else {
        return Ok(());
    };
    Err(Mismatch::Elements {
        count: pairs().filter(differs).count(),
        total: expected.len().div_ceil(size),
        first,
        expected: show(e, tolerance.scalar),
        found: show(f, tolerance.scalar),
    })
}

/// An element's bits.
fn bits(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |bits, &b| bits << 8 | u64::from(b))
}

fn float(bytes: &[u8], scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F16 => half::f16::from_bits(bits(bytes) as u16).to_f64(),
        Scalar::F32 => f64::from(f32::from_bits(bits(bytes) as u32)),
        _ => f64::from_bits(bits(bytes)),
    }
}

/// True if two different floats are within the tolerance.
fn close(expected: &[u8], found: &[u8], tolerance: Tolerance) -> bool {
    let scalar = tolerance.scalar;
    if !scalar.is_float() {
        return false;
    }
    let (e, f) = (float(expected, scalar), float(found, scalar));
    if e.is_nan() || f.is_nan() {
        return e.is_nan() && f.is_nan();
    }
    // Distance in representable numbers: bits of one sign count up, of the other down.
    let sign = 1i128 << (scalar.size() * 8 - 1);
    let ordered = |bytes: &[u8]| {
        let bits = i128::from(bits(bytes));
        if bits & sign != 0 { sign - bits } else { bits }
    };
    let distance = (ordered(expected) - ordered(found)).unsigned_abs();
    // Zeros of either sign are equal within a tolerance, but differ without one.
    let by_place = tolerance.ulp > 0 && distance <= u128::from(tolerance.ulp);
    by_place || tolerance.abs > 0.0 && (e - f).abs() <= tolerance.abs
}

fn show(bytes: &[u8], scalar: Scalar) -> String {
    let bits = bits(bytes);
    if scalar.is_float() {
        return format!("{:e} ({bits:#x})", float(bytes, scalar));
    }
    let shift = 64 - scalar.size() as u32 * 8;
    match scalar {
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
            format!("{} ({bits:#x})", (bits << shift) as i64 >> shift)
        }
        _ => format!("{bits} ({bits:#x})"),
    }
}

#[cfg(test)]
#[path = "../tests/description.rs"]
mod tests;
