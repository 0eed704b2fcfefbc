//! Accesses collected in halves are those collected in one go.

use kiln_frontend::text;
use kiln_ir::access::{collect, collect_in_halves};
use kiln_ir::build::build;
use kiln_target::platform::SKL;

#[test]
fn halves_are_the_whole() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    for name in ["intmix", "int64", "sgemm", "switch"] {
        let file = format!("{examples}/{name}/{name}.visaasm");
        let source = std::fs::read_to_string(&file).unwrap();
        let module = text::parse(&source).unwrap();
        let func = build(&module.objects[0], &SKL).unwrap();
        let count = func.object.insts.len() as u32;
        let blocks: Vec<_> = (0..count.div_ceil(7))
            .map(|n| 7 * n..(7 * n + 7).min(count))
            .collect();
        let whole = collect(&func, &blocks).unwrap();
        for middle in 0..=blocks.len() {
            let halves = collect_in_halves(&func, &blocks, middle).unwrap();
            assert!(halves == whole, "{name}, split before block {middle}");
        }
    }
}
