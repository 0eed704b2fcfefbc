//! Temporaries in place of the variable that they lead to.

use kiln_ir::build::build;
use kiln_ir::func::{Function, VarStorage};
use kiln_ir::verify::verify;
use kiln_platform::platform::SKL;
use kiln_visa::module::Module;

use crate::common::kernel;

/// A loop in which channels wait that have left it, with an accumulator S that U and T lead to.
fn around(body: &str) -> Module {
    let narrow = ["S", "T", "U", "Y"]
        .map(|name| format!(".decl {name} v_type=G type=d num_elts=8 align=hword\n"));
    kernel(&format!(
        "{}
         .decl H v_type=G type=w num_elts=8 align=hword
         mov (M1, 8) S(0,0)<1> 0x7:d
         mov (M1, 8) Y(0,0)<1> 0x0:d
         AGAIN:
         {body}
         cmp.gt (M1, 8) P1 Y(0,0)<1;1,0> S(0,0)<1;1,0>
         (P1) goto (M1, 8) AGAIN
         oword_st (2) T6 0x0:ud S.0
         ret (M1, 1)",
        narrow.concat()
    ))
}

const BODY: &str = "mul (M1, 8) U(0,0)<1> S(0,0)<1;1,0> 0x3:d
    add (M1, 8) T(0,0)<1> U(0,0)<1;1,0> Y(0,0)<1;1,0>
    add (M1, 8) S(0,0)<1> T(0,0)<1;1,0> 0x5:d";

fn storage(func: &Function, name: &str) -> VarStorage {
    let mut vars = func.object.vars.iter();
    let (var, _) = vars
        .find(|(_, decl)| decl.name == *name)
        .expect("a variable");
    func.storage[var]
}

/// True for U and T: it has the storage of S.
fn are_in_place(body: &str) -> [bool; 2] {
    let module = around(body);
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).unwrap_or_else(|e| panic!("{e}\n{func}"));
    ["U", "T"].map(|name| storage(&func, name) == storage(&func, "S"))
}

#[test]
fn temporaries_are_where_they_lead_to() {
    assert_eq!(are_in_place(BODY), [true, true]);
}

#[test]
fn contents_that_are_wanted_stay_apart() {
    // The accumulator is read after the first temporary is defined, or after both.
    let later = "    add (M1, 8) S(0,0)<1> T(0,0)<1;1,0> S(0,0)<1;1,0>";
    let (rest, _) = BODY.rsplit_once('\n').expect("lines");
    assert_eq!(are_in_place(&format!("{rest}\n{later}")), [false, false]);
    let read = BODY.replace("<1;1,0> Y", "<1;1,0> S");
    assert_eq!(are_in_place(&read), [false, true]);
    // The accumulator begins anew in between.
    let anew = BODY.replace("add (M1, 8) S", "lifetime.start S\nadd (M1, 8) S");
    assert_eq!(are_in_place(&anew), [false, false]);
    // A temporary that is read again.
    let again = format!("{BODY}\nadd (M1, 8) Y(0,0)<1> T(0,0)<1;1,0> Y(0,0)<1;1,0>");
    assert_eq!(are_in_place(&again), [false, false]);
    let defined = BODY.replace(
        "add (M1, 8) T",
        "mov (M1, 8) T(0,0)<1> 0x0:d\n add (M1, 8) T",
    );
    assert_eq!(are_in_place(&defined), [false, false]);
}

#[test]
fn channels_that_wait_keep_what_they_have() {
    // All channels write the temporary, or others read the accumulator.
    assert_eq!(
        are_in_place(&BODY.replace("add (M1, 8) T", "add (M1_NM, 8) T")),
        [false, false]
    );
    assert_eq!(
        are_in_place(&BODY.replace("mul (M1, 8)", "mul (M3, 8)")),
        [false, false]
    );
    // Fewer channels write the accumulator than the temporary.
    let some = BODY.replace(
        "add (M1, 8) S",
        "cmp.gt (M1, 8) P2 Y(0,0)<1;1,0> 0x2:d\n(P2) add (M1, 8) S",
    );
    assert_eq!(are_in_place(&some), [false, false]);
    // A channel's word is another's byte of a dword.
    let words = BODY.replace("U(0,0)", "H(0,0)");
    assert_eq!(are_in_place(&words), [false, true]);
}
