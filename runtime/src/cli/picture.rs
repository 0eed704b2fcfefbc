//! Buffers as pictures.

use miette::{Report, miette};

/// Bytes of an RGBA8 pixel.
const PIXEL: usize = 4;

/// A buffer of RGBA8 pixels, rows of `width`, as a PNG file.
///
/// # Errors
/// The buffer is not made of whole rows.
pub fn png(pixels: &[u8], width: u32) -> Result<Vec<u8>, Report> {
    let row = width as usize * PIXEL;
    let height = pixels
        .len()
        .checked_div(row)
        .and_then(|h| u32::try_from(h).ok());
    let height = height
        .filter(|&h| h > 0 && pixels.len().is_multiple_of(row))
        .ok_or_else(|| {
            miette!(
                "{} bytes are no picture: rows of {width} pixels have {row} bytes each",
                pixels.len()
            )
        })?;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut w| {
        w.write_image_data(pixels)?;
        w.finish()
    });
    written.map_err(|e| miette!("PNG: {e}"))?;
    Ok(file)
}
