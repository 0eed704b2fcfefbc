//! Products of matrices, which are added up in the registers of what they are added to.

use kiln_machine::func::Function;
use kiln_machine_testing::parse::parse;
use kiln_regalloc::{Allocated, Allocator, Options, allocate};

use crate::options;

/// Rows of dwords or halves, in registers numbered from one on.
fn rows(count: usize, ty: &str, from: usize) -> String {
    let row = |n: usize| format!("  v{n}:g128<1>:{ty} = mov (32|M0) 0x{n:x}:{ty}\n");
    (from..from + count).map(row).collect()
}

fn list(registers: impl IntoIterator<Item = usize>, sizes: &str) -> String {
    let named: Vec<String> = (registers.into_iter())
        .map(|n| format!("v{n}{sizes}"))
        .collect();
    format!("{{{}}}", named.join(" "))
}

/// A sum of products that starts from `first`, of which the result is stored, and `kept` after it.
fn sum(products: usize, first: [usize; 4], kept: &[usize]) -> Function {
    let mut text = String::from("function \"f\" simd16 on bmg\ninput r2 v0:g128\nblock0:\n");
    text += &rows(4, "f", 1);
    text += &rows(6, "ud", 5);
    let (columns, multiplied) = (list(5..9, ""), list(9..11, ""));
    let mut addends = list(first, "");
    for product in 0..products {
        let results = 11 + 4 * product..15 + 4 * product;
        let made = list(results.clone(), ":g128");
        text += &format!(
            "  {made}<1>:f over {addends} = dpas.8x8 (16|M0) {addends}<1;1,0>:f, {columns}<1;1,0>:hf, \
             {multiplied}<1;1,0>:hf\n"
        );
        addends = list(results, "");
    }
    let store = |data: &str| {
        format!(
            "  null<1>:ud = sends (W 1|M0) v0<8;8,1>:ud, {data}<8;8,1>:ud sfid 15 desc 0x400f784 exdesc 0x200\n"
        )
    };
    text += &store(&addends);
    if !kept.is_empty() {
        text += &store(&list(kept.iter().copied(), ""));
    }
    text += "  end\n";
    parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn allocated(func: Function, allocator: Allocator) -> Allocated {
    let options = Options {
        allocator,
        ..options(128)
    };
    allocate(func, &options).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn sums_stay_where_they_are() {
    for products in 1..=8 {
        let func = sum(products, [1, 2, 3, 4], &[]);
        let allocated = allocated(func, Allocator::Scan);
        assert_eq!(allocated.stats.moves, 0, "{products}");
    }
}

/// A matrix that two messages load is where the product reads it, though the first is placed before the second is known.
#[test]
fn halves_of_a_matrix_are_loaded_side_by_side() {
    let load = |results: [usize; 2]| {
        format!(
            "  {}<1>:ud = send (W 1|M0) v0<8;8,1>:ud sfid 15 desc 0x440f580 exdesc 0x0\n",
            list(results, ":g128")
        )
    };
    let text = format!(
        "function \"f\" simd16 on bmg\ninput r2 v0:g128\nblock0:\n{}{}{}{}  {}<1>:f = dpas.8x8 (16|M0) null<1;1,0>:f, \
         {}<1;1,0>:hf, {}<1;1,0>:hf\n  null<1>:ud = sends (W 1|M0) v0<8;8,1>:ud, {}<8;8,1>:ud sfid 15 \
         desc 0x400f784 exdesc 0x200\n  end\n",
        load([1, 2]),
        load([3, 4]),
        load([5, 6]),
        rows(2, "ud", 7),
        list(9..13, ":g128"),
        list([1, 2, 5, 6], ""),
        list([3, 4], ""),
        list(9..13, ""),
    );
    let func = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let allocated = allocated(func, Allocator::Scan);
    assert_eq!(allocated.stats.moves, 0, "{text}");
}

/// One copy of each register that is read again.
#[test]
fn addends_that_live_on_are_copied() {
    for allocator in [Allocator::Scan, Allocator::Ion] {
        for (first, kept) in [
            ([1, 2, 3, 4], vec![1, 2, 3, 4]),
            ([1, 2, 3, 4], vec![4, 3, 2, 1]),
            ([1, 1, 1, 1], vec![]),
            ([1, 2, 1, 2], vec![2, 1, 2, 1]),
            ([5, 6, 7, 8], vec![]),
        ] {
            let func = sum(3, first, &kept);
            let allocated = allocated(func, allocator);
            let least = if kept.is_empty() { 3 } else { 4 };
            assert!(allocated.stats.moves >= least, "{first:?} {kept:?}");
        }
    }
}
