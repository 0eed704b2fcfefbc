use super::*;

fn floats(color: Color) -> [f32; 4] {
    color.map(f32::from_bits)
}

#[test]
fn every_format_is_found_by_its_name_and_keeps_what_it_stores() {
    let mut count = 0;
    for order in ORDERS {
        for kind in KINDS {
            let name = format!("{}{}", order.name, kind.name);
            if order.srgb && kind.name != "8unorm" {
                assert_eq!(Format::find(&name), None);
                continue;
            }
            let format = Format::find(&name).unwrap();
            assert_eq!(format.to_string(), name);
            assert_eq!(format.bytes(), order.channels.len() * kind.bytes);
            count += 1;
            // Every byte pattern of one channel, or a sample of those of the wide ones.
            for step in 0..=255u32 {
                let raw = step * 0x0101_0101;
                let mut texel = vec![0; format.bytes()];
                texel[..kind.bytes].copy_from_slice(&raw.to_le_bytes()[..kind.bytes]);
                let mut again = vec![0; format.bytes()];
                format.encode(format.decode(&texel), &mut again);
                let lowest = kind.number == Number::Snorm && raw as u8 == 0x80;
                let nan = kind.number == Number::Float && {
                    f32::from_bits(format.decode(&texel)[order.channels[0]]).is_nan()
                };
                assert!(
                    again == texel || lowest || nan,
                    "{name} {raw:#x}: {again:?}"
                );
            }
        }
    }
    assert_eq!(count, 122);
    for wrong in [
        "",
        "rgba",
        "8unorm",
        "rgb8unorm",
        "rgba8float",
        "rgba8unorm ",
        "é8unorm",
    ] {
        assert_eq!(Format::find(wrong), None, "{wrong}");
    }
}

#[test]
fn channels_are_seen_where_their_order_says() {
    let see = |name: &str, texel: &[u8]| Format::find(name).unwrap().decode(texel);
    assert_eq!(see("rgba8uint", &[1, 2, 3, 4]), [1, 2, 3, 4]);
    assert_eq!(see("bgra8uint", &[1, 2, 3, 4]), [3, 2, 1, 4]);
    assert_eq!(see("argb8uint", &[1, 2, 3, 4]), [2, 3, 4, 1]);
    assert_eq!(see("r8sint", &[0xff]), [u32::MAX, 0, 0, 1]);
    assert_eq!(see("i8uint", &[7]), [7; 4]);
    assert_eq!(see("l8uint", &[7]), [7, 7, 7, 1]);
    assert_eq!(see("rg16uint", &[1, 2, 3, 4]), [0x201, 0x403, 0, 1]);
    assert_eq!(floats(see("a8unorm", &[255])), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(floats(see("r8unorm", &[51])), [0.2, 0.0, 0.0, 1.0]);
    assert_eq!(floats(see("rg8snorm", &[0x80, 127])), [-1.0, 1.0, 0.0, 1.0]);
    assert_eq!(floats(see("r16float", &[0, 0x3c])), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(
        floats(Format::find("r32float").unwrap().border()),
        [0.0, 0.0, 0.0, 1.0]
    );
    assert_eq!(Format::find("rgba32uint").unwrap().border(), [0; 4]);
}

#[test]
fn srgb_colors_are_stored_by_their_curve() {
    let format = Format::find("srgba8unorm").unwrap();
    // 188 is about half the intensity; alpha is unchanged.
    let color = floats(format.decode(&[0, 255, 188, 188]));
    assert_eq!((color[0], color[1], color[3]), (0.0, 1.0, 188.0 / 255.0));
    assert!((color[2] - 0.5029).abs() < 1e-4, "{}", color[2]);
    let mut texel = [0; 4];
    format.encode([0.5f32, 0.001, f32::NAN, 0.5].map(f32::to_bits), &mut texel);
    assert_eq!(texel, [188, 3, 0, 128]);
}

#[test]
fn storing_saturates_and_rounds_to_even() {
    let store = |name: &str, value: u32| {
        let format = Format::find(name).unwrap();
        let mut texel = vec![0; format.bytes()];
        format.encode([value; 4], &mut texel);
        texel
    };
    let float = |name, value: f32| store(name, value.to_bits());
    assert_eq!(float("r8unorm", 2.0), [255]);
    assert_eq!(float("r8unorm", -1.0), [0]);
    assert_eq!(float("r8unorm", f32::NAN), [0]);
    assert_eq!(float("r8unorm", 0.5), [128]);
    assert_eq!(float("r8unorm", 126.5 / 255.0), [126]);
    assert_eq!(float("r8snorm", -2.0), [0x81]);
    assert_eq!(float("r16snorm", 2.0), [0xff, 0x7f]);
    assert_eq!(float("r16float", 65520.0), [0, 0x7c]);
    assert_eq!(store("r8uint", 300), [255]);
    assert_eq!(store("r16sint", (-40000i32) as u32), [0, 0x80]);
    assert_eq!(store("rg32uint", 7), [7, 0, 0, 0, 7, 0, 0, 0]);
}
