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
