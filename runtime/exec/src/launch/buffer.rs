//! Conversion between buffers and numbers.

use super::request::Arg;

/// A type of numbers in buffers, little-endian as on the device.
pub trait Element: Copy + sealed::Sealed {
    /// Bytes of a number.
    const BYTES: usize;
}

mod sealed {
    pub trait Sealed: Sized {
        fn put(self, out: &mut Vec<u8>);
        fn get(bytes: &[u8]) -> Option<Self>;
    }
}

macro_rules! element {
    ($($t:ty),*) => {$(
        impl Element for $t {
            const BYTES: usize = size_of::<$t>();
        }

        impl sealed::Sealed for $t {
            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn get(bytes: &[u8]) -> Option<$t> {
                bytes.try_into().ok().map(<$t>::from_le_bytes)
            }
        }
    )*};
}
element!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64, half::f16);

/// The contents of a buffer argument ([`Arg::Buffer`]), made from numbers and read as numbers.
///
/// ```
/// use kiln_exec::{Arg, Buffer};
///
/// let buffer = Buffer::of(&[1.5f32, -2.0]);
/// assert_eq!(buffer.bytes().len(), 8);
/// let arg = Arg::from(buffer);
/// // …a launch changes it…
/// let buffer = Buffer::try_from(arg).expect("a buffer");
/// assert_eq!(buffer.values::<f32>(), [1.5, -2.0]);
/// assert_eq!(buffer.values::<u32>(), [0x3fc0_0000, 0xc000_0000]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    bytes: Vec<u8>,
}

impl Buffer {
    /// A buffer of numbers, side by side.
    pub fn of<T: Element>(values: &[T]) -> Buffer {
        let mut bytes = Vec::with_capacity(values.len() * T::BYTES);
        for value in values {
            value.put(&mut bytes);
        }
        Buffer { bytes }
    }

    /// A buffer of zeros with a size in bytes.
    pub fn zeroed(bytes: usize) -> Buffer {
        Buffer {
            bytes: vec![0; bytes],
        }
    }

    /// The contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The contents as numbers; bytes at the end that are less than a whole one are left out.
    pub fn values<T: Element>(&self) -> Vec<T> {
        let numbers = self.bytes.chunks_exact(T::BYTES);
        numbers.filter_map(T::get).collect()
    }
}

impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Buffer {
        Buffer { bytes }
    }
}

impl From<Buffer> for Arg {
    fn from(buffer: Buffer) -> Arg {
        Arg::Buffer(buffer.bytes)
    }
}

impl TryFrom<Arg> for Buffer {
    /// The argument that is no buffer.
    type Error = Arg;

    fn try_from(arg: Arg) -> Result<Buffer, Arg> {
        match arg {
            Arg::Buffer(bytes) => Ok(Buffer { bytes }),
            other => Err(other),
        }
    }
}
