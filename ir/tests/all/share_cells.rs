//! Sharing between lanes.

use cranelift_entity::EntityRef;
use kiln_ir::access;
use kiln_ir::access::Reached;
use kiln_ir::build::{BuildOptions, build, build_with};
use kiln_ir::cfg;
use kiln_ir::func::{Cell, Function, Homes};
use kiln_ir::share_cells::check;
use kiln_ir::verify::verify;
use kiln_platform::platform::SKL;
use kiln_visa::module::{Module, Var};

use crate::common::kernel;

/// W waits at the `else` part while the `then` part has V, unless the parts say otherwise.
fn branches(then: &str, other: &str, after: &str) -> Module {
    kernel(&format!(
        ".decl D v_type=G type=d num_elts=16 align=hword
         .decl Q v_type=G type=q num_elts=16 align=hword
         .decl Y v_type=G type=d num_elts=16 align=hword
         mov (M1, 16) W(0,0)<1> 0x7:d
         mov (M1, 16) Y(0,0)<1> 0x0:d
         cmp.gt (M1, 16) P1 Y(0,0)<1;1,0> 0x5:d
         (P1) goto (M1, 16) OTHER
         {then}
         goto (M1, 16) END
         OTHER:
         {other}
         END:
         {after}
         oword_st (4) T6 0x0:ud X.0
         ret (M1, 1)"
    ))
}

const THEN: &str = "add (M1, 16) V(0,0)<1> Y(0,0)<1;1,0> 0x3:d
     mul (M1, 16) D(0,0)<1> V(0,0)<1;1,0> V(0,0)<1;1,0>
     add (M1, 16) X(0,0)<1> D(0,0)<1;1,0> V(0,0)<1;1,0>";
const OTHER: &str = "add (M1, 16) X(0,0)<1> W(0,0)<1;1,0> Y(0,0)<1;1,0>";

fn shared(module: &Module) -> Function<'_> {
    let options = BuildOptions {
        units: Some(1),
        ..BuildOptions::default()
    };
    let func = build_with(&module.objects[0], &SKL, options).expect("a graph");
    verify(&func).unwrap_or_else(|e| panic!("{e}\n{func}"));
    func
}

/// The home of a variable's first cell.
fn home(func: &Function, name: &str) -> Cell {
    let vars = func.object.vars.iter();
    let var: Vec<Var> = vars
        .filter(|(_, d)| d.name == *name)
        .map(|(v, _)| v)
        .collect();
    let (first, _) = func.cells_of(var[0]).expect("cells");
    func.homes.of(first)
}

#[test]
fn a_temporary_is_where_others_wait() {
    let module = branches(THEN, OTHER, "");
    let func = shared(&module);
    assert_eq!(home(&func, "V"), home(&func, "W"), "{func}");
    assert_ne!(home(&func, "D"), home(&func, "W"), "{func}");
    assert_ne!(home(&func, "Y"), home(&func, "W"), "{func}");
    let plain = build(&module.objects[0], &SKL).expect("a graph");
    assert_eq!(plain.homes.moved().count(), 0, "without a limit");
    assert!(
        plain.values.len() < func.values.len(),
        "no contents are kept"
    );
}

#[test]
fn a_temporary_is_where_others_wait_for_a_read_of_all() {
    let then = "add (M1, 16) V(0,0)<1> Y(0,0)<1;1,0> 0x3:d
         mul (M1, 16) W(0,0)<1> V(0,0)<1;1,0> V(0,0)<1;1,0>
         mov (M1, 16) X(0,0)<1> Y(0,0)<1;1,0>";
    let other = "add (M1, 16) X(0,0)<1> Y(0,0)<1;1,0> Y(0,0)<1;1,0>";
    let read = "add (M1_NM, 16) X(0,0)<1> X(0,0)<1;1,0> W(0,0)<1;1,0>";
    let module = branches(then, other, read);
    let func = shared(&module);
    assert_eq!(home(&func, "V"), home(&func, "W"), "{func}");
    // Channels wait at the read.
    let module = branches(then, &format!("{other}\n{read}"), read);
    let func = shared(&module);
    assert_ne!(home(&func, "V"), home(&func, "W"), "{func}");
}

#[test]
fn contents_that_a_channel_wants_stay_apart() {
    // The channels of the `then` part read W later on.
    let after = "add (M1, 16) X(0,0)<1> X(0,0)<1;1,0> W(0,0)<1;1,0>";
    let func_of = |then: &str, other: &str, after: &str, name: &str| {
        let module = branches(then, other, after);
        let func = shared(&module);
        assert_ne!(home(&func, name), home(&func, "W"), "{func}");
    };
    func_of(THEN, OTHER, after, "V");
    // One read regardless of the mask.
    let across = OTHER.replace("add (M1, 16)", "add (M1_NM, 16)");
    func_of(THEN, &across, "", "V");
    // Quadwords give a byte to another channel than doublewords.
    let wide = "mov (M1, 16) Q(0,0)<1> Y(0,0)<1;1,0>
         add (M1, 16) X(0,0)<1> Q(0,0)<1;1,0> Q(0,0)<1;1,0>";
    func_of(wide, OTHER, "", "Q");
    // Other channels than those of the same bytes.
    let moved = "mov (M1, 8) D(0,0)<1> Y(0,0)<1;1,0>
         mov (M5, 8) D(0,0)<1> Y(0,0)<1;1,0>
         add (M1, 8) X(0,0)<1> D(0,0)<1;1,0> D(0,0)<1;1,0>";
    func_of(moved, OTHER, "", "D");
}

#[test]
fn the_proof_finds_contents_of_another_cell() {
    let module = branches(THEN, OTHER, "");
    let func = shared(&module);
    let graph = cfg::build(func.object, &SKL).expect("a graph");
    let plain = build(&module.objects[0], &SKL).expect("a graph");
    let (accesses, _) =
        access::collect(&plain, &graph, &Reached::new()).expect("payloads of known size");
    assert_eq!(check::conflict(&graph, &accesses, &func.homes), None);
    let mut wrong = Homes::default();
    wrong.join(home(&plain, "Y"), home(&plain, "W"));
    let found = check::conflict(&graph, &accesses, &wrong).expect("a conflict");
    assert!(found.cell.index() > 0 && found.kind.is_read(), "{found:?}");
}
