use kiln_emit::ze_info::ZeInfo;

use super::*;

#[test]
fn local_ids_go_by_the_order_of_the_dimensions() {
    let ids = |walk| {
        let mut place = [0; 3 * 32];
        write_local_ids(&mut place, 32, [2, 3, 2], walk, 1, 8);
        let id = |dimension: usize, channel: usize| place[dimension * 32 + channel * 2];
        (0..4)
            .map(|c| [id(0, c), id(1, c), id(2, c)])
            .collect::<Vec<_>>()
    };
    assert_eq!(ids([0, 1, 2]), [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 2, 0]]);
    assert_eq!(ids([1, 0, 2]), [[0, 1, 0], [0, 2, 0], [1, 0, 0], [1, 1, 0]]);
    assert_eq!(ids([2, 1, 0]), [[0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 2, 0]]);
    let kernel = |order: &str| {
        let env =
            format!("grf_count: 128, simd_size: 8, work_group_walk_order_dimensions: {order}");
        let yaml = format!("version: '1.0'\nkernels: [{{name: k, execution_env: {{{env}}}}}]");
        ZeInfo::parse(yaml.as_bytes()).unwrap().kernels.remove(0)
    };
    assert_eq!(walk_order(&kernel("[]")), Ok([0, 1, 2]));
    assert_eq!(walk_order(&kernel("[0, 0, 0]")), Ok([0, 1, 2]));
    assert_eq!(walk_order(&kernel("[1, 0, 2]")), Ok([1, 0, 2]));
    for wrong in ["[0, 1]", "[0, 1, 1]", "[0, 1, 3]"] {
        assert!(matches!(
            walk_order(&kernel(wrong)),
            Err(BindError::WalkOrder(_))
        ));
    }
}
