use super::*;

fn value(spec: &str) -> Vec<u8> {
    match parse_spec(spec).unwrap().source {
        Source::Number(_, bytes) | Source::Value(bytes) => bytes,
        other => panic!("{spec}: {other:?}"),
    }
}

#[test]
fn every_kind_of_specification_is_read() {
    let file = |name: &str| Source::File(PathBuf::from(name));
    let out = |name: &str| Some(PathBuf::from(name));
    assert_eq!(
        parse_spec("buf:a.bin").unwrap(),
        Spec {
            source: file("a.bin"),
            out: None
        }
    );
    assert_eq!(
        parse_spec("buf:dir/a:b>c.bin").unwrap(),
        Spec {
            source: file("dir/a:b"),
            out: out("c.bin")
        }
    );
    assert_eq!(
        parse_spec("zero:64>o").unwrap(),
        Spec {
            source: Source::Zero(64),
            out: out("o")
        }
    );
    assert_eq!(parse_spec("local:256").unwrap().source, Source::Local(256));
    let shape = |kind, format: &str, sizes: &[u32]| {
        Shape::new(kind, Format::find(format).unwrap(), sizes).unwrap()
    };
    assert_eq!(
        parse_spec("image2d:bgra8unorm:5x3:dir/a:b.png>c.png").unwrap(),
        Spec {
            source: Source::Image {
                shape: shape(ImageKind::D2, "bgra8unorm", &[5, 3]),
                file: Some(PathBuf::from("dir/a:b.png")),
            },
            out: out("c.png")
        }
    );
    for (spec, kind, sizes) in [
        ("image1d:r8uint:7:", ImageKind::D1, &[7][..]),
        (
            "image1d_buffer:r8uint:70000:",
            ImageKind::D1Buffer,
            &[70000],
        ),
        ("image1d_array:r8uint:7x2:", ImageKind::D1Array, &[7, 2]),
        (
            "image2d_array:r8uint:7x6x5:",
            ImageKind::D2Array,
            &[7, 6, 5],
        ),
        ("image3d:r8uint:7x6x5:", ImageKind::D3, &[7, 6, 5]),
        ("image2d_msaa:r8uint:7x6x4:", ImageKind::D2Msaa, &[7, 6, 4]),
        ("cube:r8uint:7x7x6:", ImageKind::Cube, &[7, 7, 6]),
    ] {
        let shape = shape(kind, "r8uint", sizes);
        let source = Source::Image { shape, file: None };
        assert_eq!(parse_spec(spec).unwrap(), Spec { source, out: None });
    }
    let sampler = |spec: &str| parse_spec(spec).unwrap().source;
    assert_eq!(sampler("sampler:"), Source::Sampler(Sampler::default()));
    assert_eq!(
        sampler("sampler:linear,mirror,normalized"),
        Source::Sampler(Sampler {
            normalized: true,
            addressing: Addressing::MirroredRepeat,
            filter: Filter::Linear,
            comparison: None,
        })
    );
    assert_eq!(value("bytes:00fF10"), [0, 255, 16]);
    assert_eq!(value("bytes:"), [0u8; 0]);
    assert_eq!(value("i8:-128"), [0x80]);
    assert_eq!(value("u8:0xff"), [0xff]);
    assert_eq!(value("i16:-2"), (-2i16).to_le_bytes());
    assert_eq!(value("u16:65535"), u16::MAX.to_le_bytes());
    assert_eq!(value("i32:-5"), (-5i32).to_le_bytes());
    assert_eq!(value("u32:4294967295"), u32::MAX.to_le_bytes());
    assert_eq!(value("i64:-9223372036854775808"), i64::MIN.to_le_bytes());
    assert_eq!(value("u64:0xffffffffffffffff"), u64::MAX.to_le_bytes());
    assert_eq!(value("f16:1.5"), half::f16::from_f32(1.5).to_le_bytes());
    assert_eq!(value("f32:-2.5e-3"), (-2.5e-3f32).to_le_bytes());
    assert_eq!(value("f64:inf"), f64::INFINITY.to_le_bytes());
}

#[test]
fn bad_specifications_name_what_is_wrong() {
    for (spec, part) in [
        ("", "KIND:VALUE"),
        ("17", "KIND:VALUE"),
        ("int:3", "KIND:VALUE"),
        ("i8:128", "`128` is no number of that type"),
        ("u8:-1", "`-1` is no number"),
        ("u64:18446744073709551616", "no number"),
        ("f32:one", "`one` is no number"),
        ("bytes:123", "hexadecimal"),
        ("bytes:+1", "hexadecimal"),
        ("zero:-1", "number of bytes"),
        ("zero:99999999999999", "number of bytes"),
        ("local:4294967296", "number of bytes"),
        (
            "image2d:rgba8unorm:4x4",
            "`image2d:FORMAT:WxH:FILE` expected",
        ),
        ("image3d:rgba8unorm", "`image3d:FORMAT:WxHxD:FILE` expected"),
        ("image2d:rgb8unorm:4x4:f", "`rgb8unorm` is no texel format"),
        (
            "image2d:r8unorm:4x0:f",
            "`4x0` is no size of an image2d: WxH expected, up to 16384x16384",
        ),
        ("image2d_msaa:r8unorm:4x4x3:f", "WxHxS expected"),
        ("cube:r8unorm:4x3x6:f", "WxWx6 expected"),
        ("image2d:r8unorm:4:f", "`4` is no size"),
        ("image2d:r8unorm:16385x1:f", "`16385x1` is no size"),
        ("image1d_array:r8unorm:4x-1:f", "WxN expected"),
        (
            "image2d_array:rgba32uint:16384x16384x2:f",
            "8589934592 bytes",
        ),
        ("image2d:r8unorm:4x4:f>", "file name is missing"),
        ("image4d:r8unorm:4x4:f", "image2d_msaa, image3d, cube"),
        ("sampler:nearest,", "`` is no flag"),
        (
            "sampler:linear,nearest",
            "`nearest` is no flag of a sampler, or its like",
        ),
        ("sampler:wrap", "`wrap` is no flag"),
        ("sampler:linear>x", "only a buffer or an image"),
        ("buf:", "file name is missing"),
        ("zero:4>", "file name is missing"),
        ("i32:4>x", "only a buffer"),
    ] {
        let error = parse_spec(spec).unwrap_err().to_string();
        assert!(error.contains(part), "{spec}: {error}");
    }
}

#[test]
fn images_are_loaded_from_texels_and_pictures() {
    let dir = std::env::temp_dir().join(format!("kiln-images-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let pixels: Vec<u8> = (0..24).collect();
    std::fs::write(dir.join("raw"), &pixels).unwrap();
    std::fs::write(dir.join("png"), picture::png(&pixels, 3).unwrap()).unwrap();
    let load = |spec: &str| match parse_spec(spec).unwrap().source.load(&dir) {
        Ok(Arg::Image(image)) => Ok(image.texels),
        Ok(other) => panic!("{spec}: {other:?}"),
        Err(error) => Err(error.to_string()),
    };
    assert_eq!(load("image2d:rgba8unorm:3x2:raw"), Ok(pixels.clone()));
    assert_eq!(load("image2d:rgba8unorm:3x2:png"), Ok(pixels.clone()));
    assert_eq!(
        load("image2d:r8uint:3x2:png"),
        Ok(vec![0, 4, 8, 12, 16, 20])
    );
    assert_eq!(load("image2d:rg8unorm:2x3:"), Ok(vec![0; 12]));
    for (spec, part) in [
        (
            "image2d:rgba8unorm:3x3:raw",
            "24 bytes found, 36 expected: an image2d of 3x3",
        ),
        ("image2d:rgba8unorm:2x3:png", "a picture of 3 by 2 found"),
        ("image3d:rgba8unorm:3x2x2:png", "a picture of 3 by 2 found"),
        ("image2d:rgba8unorm:2x3:none", "none: "),
    ] {
        let error = load(spec).unwrap_err();
        assert!(error.contains(part), "{spec}: {error}");
    }
    std::fs::remove_dir_all(&dir).unwrap();
}
