//! Narrow variables that share a cell.

use std::path::Path;

use crate::common::kernel;
use kiln_ir::build::{BuildOptions, build, build_with};
use kiln_ir::func::{Function, VarStorage};
use kiln_ir::verify::verify;
use kiln_platform::platform::SKL;
use kiln_visa::module::{Module, Var};
use kiln_visa::text;

const CELL: u32 = SKL.unit_bytes();

/// First and last byte of each root variable in cells, counted through all cells.
fn places(func: &Function) -> Vec<(Var, u32, u32)> {
    let roots = func.object.vars.iter().filter(|(_, d)| d.alias.is_none());
    let mut all: Vec<(Var, u32, u32)> = roots
        .filter_map(|(var, decl)| match func.storage[var] {
            VarStorage::Cells { first, offset } => {
                let from = first.as_u32() * CELL + offset;
                Some((var, from, from + decl.bytes()))
            }
            _ => None,
        })
        .collect();
    all.sort_by_key(|&(_, from, _)| from);
    all
}

/// Seven scalars of a loop, vectors of half an allocation unit, one with a short live range.
fn scalars() -> Module {
    let mut body = String::new();
    for (i, ty) in ["d", "w", "ub", "q", "d", "uw", "d"].iter().enumerate() {
        body += &format!(".decl S{i} v_type=G type={ty} num_elts=1\n");
    }
    body += ".decl H0 v_type=G type=d num_elts=8 align=hword\n";
    body += ".decl H1 v_type=G type=d num_elts=8 align=hword\n";
    body += ".decl L v_type=G type=d num_elts=1\n";
    for i in 0..7 {
        body += &format!("mov (M1_NM, 1) S{i}(0,0)<1> 0x{i:x}:w\n");
    }
    body += "mov (M1, 8) H0(0,0)<1> 0x0:d\nmov (M1, 8) H1(0,0)<1> 0x1:d\n";
    for _ in 0..20 {
        body += "add (M1, 16) V(0,0)<1> V(0,0)<1;1,0> 0x1:d\n";
    }
    body += "mov (M1_NM, 1) L(0,0)<1> 0x1:d\nadd (M1, 16) V(0,0)<1> V(0,0)<1;1,0> L(0,0)<0;1,0>\n";
    for i in 0..7 {
        body += &format!("add (M1, 16) V(0,0)<1> V(0,0)<1;1,0> S{i}(0,0)<0;1,0>\n");
    }
    body += "add (M1, 8) H0(0,0)<1> H0(0,0)<1;1,0> H1(0,0)<1;1,0>\n";
    body += "add (M1, 8) V(0,0)<1> V(0,0)<1;1,0> H0(0,0)<1;1,0>\nret (M1, 1)\n";
    kernel(&body)
}

fn var(module: &Module, name: &str) -> Var {
    let vars = &module.objects[0].vars;
    vars.iter().find(|(_, d)| d.name == *name).expect(name).0
}

#[test]
fn scalars_of_one_life_share_a_cell() {
    let module = scalars();
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound");
    let cell = |name: &str| match func.storage[var(&module, name)] {
        VarStorage::Cells { first, offset } => (first, offset),
        other => panic!("{name}: {other:?}"),
    };
    for i in 1..7 {
        assert_eq!(cell(&format!("S{i}")).0, cell("S0").0, "{func}");
    }
    assert_eq!(cell("S3").1 % 8, 0, "a qword");
    assert_eq!(cell("H0").1 % 32, 0, "a register");
    assert_eq!(cell("H1").1 % 32, 0, "a register");
    assert_ne!(cell("H0").0, cell("H1").0, "vectors of one block");
    assert!(
        places(&func)
            .iter()
            .all(|&(v, ..)| v == var(&module, "L")
                || cell("L").0 != cell(&func.object.vars[v].name).0),
        "a temporary has its own"
    );
}

#[test]
fn each_has_its_own_if_they_are_not_packed() {
    let module = scalars();
    let options = BuildOptions {
        pack: false,
        ..BuildOptions::default()
    };
    let func = build_with(&module.objects[0], &SKL, options).expect("a graph");
    verify(&func).expect("sound");
    for (v, from, _) in places(&func) {
        assert_eq!(from % CELL, 0, "{}", func.object.vars[v].name);
    }
}

#[test]
fn no_two_variables_have_a_byte_in_common() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut shared = 0;
    for entry in std::fs::read_dir(examples).expect("the examples") {
        let dir = entry.expect("an entry").path();
        let Some(name) = dir.file_name().filter(|_| dir.is_dir()) else {
            continue;
        };
        // Examples in LLVM IR have no vISA.
        let Ok(source) = std::fs::read_to_string(dir.join(name).with_extension("visaasm")) else {
            continue;
        };
        let module = text::parse(&source).expect("a module");
        for object in &module.objects {
            let func = build(object, &SKL).expect("a graph");
            let inputs: Vec<Var> = kiln_ir::access::input_vars(object).map(|i| i.0).collect();
            let mut places = places(&func);
            places.retain(|(v, ..)| !inputs.contains(v));
            for pair in places.windows(2) {
                let ((a, _, end), (b, from, _)) = (pair[0], pair[1]);
                let names = [a, b].map(|v| object.vars[v].name.to_string());
                assert!(end <= from, "{}: {names:?}", object.name);
                shared += u32::from(end.div_ceil(CELL) > from / CELL);
                let align = object.vars[b].align.bytes().min(CELL);
                assert_eq!(from % align, 0, "{}: {names:?}", object.name);
            }
        }
    }
    assert!(shared > 5, "only {shared} variables share cells");
}

/// A variable takes a whole GRF if an access reaches the GRF's end.
#[test]
fn what_is_written_past_a_variable_is_its_own() {
    let mut body = String::from(".decl A v_type=G type=d num_elts=1 align=hword\n");
    body += ".decl B v_type=G type=d num_elts=1\n";
    body += "mov (M1_NM, 8) A(0,0)<1> 0x1:d\nmov (M1_NM, 1) B(0,0)<1> 0x2:d\n";
    for _ in 0..20 {
        body += "add (M1, 16) V(0,0)<1> V(0,0)<1;1,0> 0x1:d\n";
    }
    body += "L:\nadd (M1, 16) V(0,0)<1> A(0,0)<0;1,0> B(0,0)<0;1,0>\nret (M1, 1)\n";
    let module = kernel(&body);
    let func = build(&module.objects[0], &SKL).expect("a graph");
    let storage = |name| func.storage[var(&module, name)];
    let (VarStorage::Cells { first: a, .. }, VarStorage::Cells { first: b, offset }) =
        (storage("A"), storage("B"))
    else {
        panic!("in cells")
    };
    assert_eq!(a, b, "they share a cell");
    assert!(offset >= 32, "B lies in what A's write reaches");
}
