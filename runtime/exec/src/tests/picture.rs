use crate::{ImageKind, Shape};

use super::*;

#[test]
fn pictures_survive_png_and_texels() {
    let pixels: Vec<u8> = (0..6 * 4 * 4).map(|i| (i * 7) as u8).collect();
    let picture = read_png(&png(&pixels, 6).unwrap(), 1 << 20).unwrap();
    assert_eq!(
        (picture.width, picture.height, &picture.pixels),
        (6, 4, &pixels)
    );
    for name in [
        "rgba8unorm",
        "bgra8unorm",
        "rgba8uint",
        "rgba16unorm",
        "rgba32float",
    ] {
        let format = Format::find(name).unwrap();
        let image = Image {
            shape: Shape::new(ImageKind::D2, format, &[6, 4]).unwrap(),
            texels: texels(&pixels, format),
        };
        let again = read_png(&image_png(&image).unwrap(), 1 << 20).unwrap();
        assert_eq!(again.pixels, pixels, "{name}");
    }
}

#[test]
fn grey_is_all_colors_alike() {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 2, 1);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[7, 200]).unwrap();
    writer.finish().unwrap();
    let picture = read_png(&file, 1 << 20).unwrap();
    assert_eq!(picture.pixels, [7, 7, 7, 255, 200, 200, 200, 255]);
}

#[test]
fn what_is_no_picture_is_an_error() {
    assert!(png(&[0; 10], 2).is_err());
    assert!(png(&[], 2).is_err());
    assert!(png(&[0; 8], 0).is_err());
    let file = png(&[0; 4096], 32).unwrap();
    assert!(read_png(&file[..40], 1 << 20).is_err());
    assert!(read_png(&file, 4095).is_err());
    assert!(read_png(b"no picture", 1 << 20).is_err());
}
