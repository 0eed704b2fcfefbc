//! Pictures: PNG files to and from RGBA pixels of eight bits, and to and from images' texels.

use crate::Format::{self};
use crate::Image::{self};

/// Size of an RGBA8 pixel in bytes.
const PIXEL_BYTES: usize = 4;
/// Signature at the start of a PNG file.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The error of reading or making a picture.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum PictureError {
    #[error("{bytes} bytes are no picture: rows of {width} pixels have {row} bytes each")]
    Rows {
        bytes: usize,
        width: u32,
        row: usize,
    },
    #[error("PNG: {0}")]
    Write(#[from] png::EncodingError),
    #[error("PNG: {0}")]
    Read(#[from] png::DecodingError),
    #[error("PNG: more than {0} bytes of pixels")]
    TooLarge(usize),
}

/// A picture's pixels.
pub struct Picture {
    /// Pixels of a row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// RGBA, eight bits each, row after row.
    pub pixels: Vec<u8>,
}

/// True if a file has the signature of a PNG.
pub fn is_png(file: &[u8]) -> bool {
    file.starts_with(SIGNATURE)
}

/// Reads a PNG file; missing channels among red, green, blue and alpha are filled in. Its pixels may have `limit`
/// bytes.
///
/// # Errors
/// The file is not a PNG, or too large.
pub fn read_png(file: &[u8], limit: usize) -> Result<Picture, PictureError> {
    let limits = png::Limits { bytes: limit };
    let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(file), limits);
    decoder.set_transformations(
        png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
    );
    let mut reader = decoder.read_info()?;
    let size = reader.output_buffer_size().filter(|&size| size <= limit);
    let mut bytes = vec![0; size.ok_or(PictureError::TooLarge(limit))?];
    let frame = reader.next_frame(&mut bytes)?;
    bytes.truncate(frame.buffer_size());
    let pixels = match frame.color_type {
        png::ColorType::GrayscaleAlpha => bytes
            .chunks_exact(2)
            .flat_map(|p| [p[0], p[0], p[0], p[1]])
            .collect(),
        _ => bytes,
    };
    Ok(Picture {
        width: frame.width,
        height: frame.height,
        pixels,
    })
}

/// A buffer of RGBA8 pixels, rows of `width`, as a PNG file.
///
/// # Errors
/// The buffer is not made of whole rows.
pub fn png(pixels: &[u8], width: u32) -> Result<Vec<u8>, PictureError> {
    let row = width as usize * PIXEL_BYTES;
    let height = pixels
        .len()
        .checked_div(row)
        .and_then(|h| u32::try_from(h).ok());
    let height = height
        .filter(|&h| h > 0 && pixels.len().is_multiple_of(row))
        .ok_or(PictureError::Rows {
            bytes: pixels.len(),
            width,
            row,
        })?;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}

/// Pixels as texels: from 0 to 1 for a format of floats, from 0 to 255 for one of integers.
pub fn texels(pixels: &[u8], format: Format) -> Vec<u8> {
    let mut texels = vec![0; pixels.len() / PIXEL_BYTES * format.bytes()];
    let pixels = pixels.chunks_exact(PIXEL_BYTES);
    for (pixel, texel) in pixels.zip(texels.chunks_exact_mut(format.bytes())) {
        let channel = |value: u8| match format.is_float() {
            true => (f32::from(value) / 255.0).to_bits(),
            false => u32::from(value),
        };
        format.encode(std::array::from_fn(|i| channel(pixel[i])), texel);
    }
    texels
}

/// An image as a PNG file, layers and slices one below the other: the inverse of [`texels`], with values clamped.
///
/// # Errors
/// The picture would have too many rows.
pub fn image_png(image: &Image) -> Result<Vec<u8>, PictureError> {
    let format = image.shape.format;
    let mut pixels = Vec::with_capacity(image.texels.len() / format.bytes() * PIXEL_BYTES);
    for texel in image.texels.chunks_exact(format.bytes()) {
        pixels.extend(format.decode(texel).map(|bits| match format.is_float() {
            true => (f32::from_bits(bits).clamp(0.0, 1.0) * 255.0).round_ties_even() as u8,
            false => (bits as i32).clamp(0, 255) as u8,
        }));
    }
    png(&pixels, image.shape.size[0])
}

#[cfg(test)]
#[path = "../tests/picture.rs"]
mod tests;
