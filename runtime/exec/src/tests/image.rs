use super::*;

#[test]
fn shapes_have_as_many_sizes_as_their_kind_and_none_above_its_limits() {
    let format = Format::find("rg16uint").unwrap();
    let shape = |kind, sizes: &[u32]| Shape::new(kind, format, sizes);
    assert_eq!(shape(ImageKind::D2, &[4, 3]).unwrap().size, [4, 3, 1]);
    assert_eq!(shape(ImageKind::D3, &[4, 3, 2]).unwrap().bytes(), 96);
    assert_eq!(shape(ImageKind::D2, &[4]), None);
    assert_eq!(shape(ImageKind::D1, &[4, 4]), None);
    assert_eq!(shape(ImageKind::D2, &[4, 0]), None);
    assert_eq!(
        shape(ImageKind::D2, &[16384, 16384]).unwrap().pitch(),
        65536
    );
    assert_eq!(shape(ImageKind::D2, &[16385, 1]), None);
    assert_eq!(shape(ImageKind::D2Msaa, &[4, 3, 8]).unwrap().samples(), 8);
    assert_eq!(shape(ImageKind::D2Msaa, &[4, 3, 3]), None);
    assert_eq!(shape(ImageKind::D2, &[4, 3]).unwrap().samples(), 1);
    assert_eq!(shape(ImageKind::Cube, &[4, 4, 6]).unwrap().bytes(), 384);
    assert_eq!(shape(ImageKind::Cube, &[4, 3, 6]), None);
    assert_eq!(shape(ImageKind::Cube, &[4, 4, 5]), None);
    assert_eq!(
        shape(ImageKind::D1Buffer, &[1 << 27]).unwrap().bytes(),
        1 << 29
    );
}

#[test]
fn texels_lie_row_after_row() {
    let format = Format::find("r32uint").unwrap();
    let shape = Shape::new(ImageKind::D3, format, &[5, 3, 2]).unwrap();
    assert_eq!(shape.offset([0, 0, 0]), Some(0));
    assert_eq!(shape.offset([4, 2, 1]), Some(29 * 4));
    for outside in [
        [5, 0, 0],
        [0, 3, 0],
        [0, 0, 2],
        [-1, 0, 0],
        [0, i64::MIN, 0],
    ] {
        assert_eq!(shape.offset(outside), None, "{outside:?}");
    }
}

/// The manual's formulas of bytes in tiles (PRM vol. 5, "Tiling").
#[test]
fn rows_lie_in_tiles_as_the_manual_says() {
    let place = |tile, byte, row| {
        let rows = Rows {
            pitch: 2048,
            slice: 0,
            tile,
        };
        rows.offset(byte, row, 0)
    };
    for (byte, row) in [
        (0, 0),
        (5, 1),
        (17, 3),
        (64, 4),
        (127, 31),
        (700, 9),
        (1999, 77),
    ] {
        assert_eq!(place(Tile::LINEAR, byte, row), row * 2048 + byte);
        let x = (row / 8 * 4 + byte / 512) * 4096 + row % 8 * 512 + byte % 512;
        assert_eq!(place(Tile::X, byte, row), x);
        let tile = (row / 32 * 16 + byte / 128) * 4096;
        let y = tile + byte % 128 / 16 * 512 + row % 32 * 16 + byte % 16;
        assert_eq!(place(Tile::Y, byte, row), y);
        // Four rows of 16 bytes; four of these in a row; two such rows; two of these in a row; four such rows.
        let four = tile
            + byte % 16
            + row % 4 * 16
            + byte % 64 / 16 * 64
            + row % 8 / 4 * 256
            + byte % 128 / 64 * 512
            + row % 32 / 8 * 1024;
        assert_eq!(place(Tile::FOUR, byte, row), four);
    }
}

#[test]
fn tiles_have_a_place_for_each_byte() {
    for (tile, [width, height, depth]) in [
        (Tile::X, [512, 8, 1]),
        (Tile::Y, [128, 32, 1]),
        (Tile::FOUR, [128, 32, 1]),
        (Tile::new("xxxxyyxxyxyyxxyy"), [512, 128, 1]),
        (Tile::new("xxxxyyxxzzyyxyzz"), [128, 32, 16]),
    ] {
        // Two tiles of each coordinate.
        let rows = Rows {
            pitch: 2 * width,
            slice: 2 * height,
            tile,
        };
        let slices = 2 * depth;
        let mut places = Vec::new();
        for slice in 0..slices {
            for row in 0..2 * height {
                places.extend((0..2 * width).map(|byte| rows.offset(byte, row, slice)));
            }
        }
        places.sort_unstable();
        let bytes = 4 * width * height * slices;
        assert_eq!(places, (0..bytes).collect::<Vec<_>>(), "{tile:?}");
    }
}
