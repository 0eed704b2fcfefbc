//! Subroutines: inlining, parameters and results, and the accesses of calls.

use kiln_ir::build::build;
use kiln_ir::cfg::CfgError;
use kiln_ir::func::{Cell, Function, Owner, Routine, Value, VarStorage};
use kiln_ir::subroutines::{Which, prepare};
use kiln_ir::verify::verify;
use kiln_platform::platform::SKL;
use kiln_visa::module::{Module, Object};
use kiln_visa::opcode::Opcode;

/// A kernel with variables A to F, predicates P1 and P2.
fn kernel(body: &str) -> Module {
    let var = |name: char| format!(".decl {name} v_type=G type=d num_elts=8 align=hword\n");
    let vars: String = ('A'..='F').map(var).collect();
    let source = format!(
        ".version 4.1\n.kernel \"k\"\n{vars}\
         .decl P1 v_type=P num_elts=8\n.decl P2 v_type=P num_elts=8\n\
         .decl T6 v_type=T num_elts=1 v_name=T006\n\
         .kernel_attr Target=\"3d\"\n.kernel_attr SimdSize=8\n.function \"k_0\"\n{body}\n"
    );
    kiln_visa::text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

const STORE: &str = "scatter4_scaled.R (M1, 8) T6 0x0:ud";

fn name(func: &Function, cell: Cell) -> String {
    match func.cells[cell].owner {
        Owner::Var { var, .. } => func.object.vars[var].name.to_string(),
        Owner::Predicate(p) => format!("P{}", p.as_u32()),
        _ => "?".into(),
    }
}

fn names(func: &Function, list: &[(Cell, Value)]) -> String {
    let mut names: Vec<String> = list.iter().map(|&(cell, _)| name(func, cell)).collect();
    names.sort();
    names.join(" ")
}

/// Parameters and results of a subroutine.
fn passed(func: &Function, routine: usize) -> [String; 2] {
    verify(func).unwrap_or_else(|e| panic!("{e}\n{func}"));
    let routine = &func.routines[Routine::from_u32(routine as u32)];
    [&routine.params, &routine.results].map(|list| names(func, list))
}

/// Cells whose old contents a call keeps.
fn kept(func: &Function, call: usize) -> String {
    let (call, _) = func.calls[call];
    let old = func.writes(call).iter().filter(|w| w.old.is_some());
    let names: Vec<String> = old.map(|w| name(func, w.cell)).collect();
    names.join(" ")
}

#[test]
fn what_is_read_is_taken_and_what_is_wanted_is_given() {
    let module = kernel(&format!(
        "mov (M1, 8) A(0,0)<1> 0x1:d\ncall (M1, 8) s\n{STORE} A.0 B.0\nret (M1, 1)\n\
         .function \"s\"\ns:\nmov (M1, 8) C(0,0)<1> A(0,0)<1;1,0>\nadd (M1, 8) B(0,0)<1> C(0,0)<1;1,0> 0x1:d\n\
         mov (M1, 8) D(0,0)<1> B(0,0)<1;1,0>\nret (M1, 8)"
    ));
    let func = build(&module.objects[0], &SKL).unwrap();
    assert_eq!(passed(&func, 1), ["A", "B"]);
    assert_eq!(kept(&func, 0), "");
}

#[test]
fn what_a_subroutine_may_leave_as_it_was_is_taken() {
    // Written under a predicate of the caller, or on one of two paths.
    for body in [
        "(P1) mov (M1, 8) B(0,0)<1> 0x5:d\nret (M1, 8)",
        "(P1) goto (M1, 8) x\nmov (M1, 8) B(0,0)<1> 0x5:d\nx:\nret (M1, 8)",
        "(P1) ret (M1, 8)\nmov (M1, 8) B(0,0)<1> 0x5:d\nret (M1, 8)",
    ] {
        let module = kernel(&format!(
            "mov (M1, 8) B(0,0)<1> 0x1:d\ncmp.gt (M1, 8) P1 B(0,0)<1;1,0> 0x0:d\ncall (M1, 8) s\n\
             {STORE} B.0 B.0\nret (M1, 1)\n.function \"s\"\ns:\n{body}"
        ));
        let func = build(&module.objects[0], &SKL).unwrap();
        assert_eq!(passed(&func, 1), ["B P1", "B"], "{body}");
        assert_eq!(kept(&func, 0), "B", "{body}");
    }
}

#[test]
fn what_channels_want_that_wait_for_the_caller_is_kept() {
    let text = |wants: &str| {
        kernel(&format!(
            "mov (M1, 8) B(0,0)<1> 0x1:d\ncmp.gt (M1, 8) P1 B(0,0)<1;1,0> 0x0:d\n(P1) goto (M1, 8) x\n\
             call (M1, 8) s\n{STORE} B.0 B.0\nx:\n{STORE} A.0 {wants}.0\nret (M1, 1)\n\
             .function \"s\"\ns:\ncall (M1, 8) t\nret (M1, 8)\n\
             .function \"t\"\nt:\nmov (M1, 8) B(0,0)<1> 0x5:d\nret (M1, 8)"
        ))
    };
    let (waiting, alone) = (text("B"), text("A"));
    let func = build(&waiting.objects[0], &SKL).unwrap();
    assert_eq!(
        [passed(&func, 1), passed(&func, 2)],
        [["B", "B"], ["B", "B"]]
    );
    assert_eq!([kept(&func, 0), kept(&func, 1)], ["B", "B"]);
    let func = build(&alone.objects[0], &SKL).unwrap();
    assert_eq!([passed(&func, 1), passed(&func, 2)], [["", "B"], ["", "B"]]);
}

#[test]
fn what_lives_from_call_to_call_is_passed_on() {
    // Only the subroutine accesses C, whose contents are live from call to call.
    let module = kernel(&format!(
        "call (M1, 8) s\ncall (M1, 8) s\n{STORE} A.0 B.0\nret (M1, 1)\n\
         .function \"s\"\ns:\nadd (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x1:d\n\
         mov (M1, 8) B(0,0)<1> C(0,0)<1;1,0>\nret (M1, 8)"
    ));
    let func = build(&module.objects[0], &SKL).unwrap();
    assert_eq!(passed(&func, 1), ["C", "B C"]);
}

#[test]
fn what_other_channels_had_at_the_call_before_is_not_passed_on() {
    // Only the subroutine accesses C; each channel writes it before it is read across channels.
    let module = kernel(&format!(
        "mov (M1, 8) A(0,0)<1> 0x1:d\ncall (M1, 8) s\ncall (M1, 8) s\n{STORE} A.0 B.0\nret (M1, 1)\n\
         .function \"s\"\ns:\nadd (M1, 8) C(0,0)<1> A(0,0)<1;1,0> 0x1:d\n\
         mov (M1, 8) B(0,0)<1> C(0,3)<0;1,0>\nret (M1, 8)"
    ));
    let func = build(&module.objects[0], &SKL).unwrap();
    assert_eq!(passed(&func, 1), ["A", "B"]);
}

#[test]
fn callers_do_not_know_what_a_subroutine_passes_on() {
    // C is computed by s and an argument of t; D is the result.
    let module = kernel(&format!(
        "mov (M1, 8) A(0,0)<1> 0x1:d\ncall (M1, 8) s\n{STORE} A.0 B.0\nret (M1, 1)\n\
         .function \"s\"\ns:\nadd (M1, 8) C(0,0)<1> A(0,0)<1;1,0> 0x1:d\ncall (M1, 8) t\n\
         mov (M1, 8) B(0,0)<1> D(0,0)<1;1,0>\nret (M1, 8)\n\
         .function \"t\"\nt:\nadd (M1, 8) D(0,0)<1> C(0,0)<1;1,0> 0x1:d\nret (M1, 8)"
    ));
    let func = build(&module.objects[0], &SKL).unwrap();
    assert_eq!(
        [passed(&func, 1), passed(&func, 2)],
        [["A", "B"], ["C", "D"]]
    );
}

fn count(object: &Object, op: Opcode) -> usize {
    object.insts.iter().filter(|inst| inst.op == op).count()
}

/// Whole cells are passed: variables share one only if the same subroutines use them.
#[test]
fn what_is_passed_together_shares_a_cell() {
    let long = "add (M1, 8) F(0,0)<1> F(0,0)<1;1,0> 0x1:d\n".repeat(20);
    let module = kernel(&format!(
        "mov (M1, 8) A(0,0)<1> 0x1:d\nmov (M1, 8) C(0,0)<1> 0x2:d\nmov (M1, 8) B(0,0)<1> 0x3:d\n{long}\
         call (M1, 8) s\ncall (M1, 8) t\n{STORE} D.0 D.0\nret (M1, 1)\n\
         .function \"s\"\ns:\nadd (M1, 8) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>\nret (M1, 8)\n\
         .function \"t\"\nt:\nadd (M1, 8) D(0,0)<1> D(0,0)<1;1,0> C(0,0)<1;1,0>\nret (M1, 8)"
    ));
    let func = build(&module.objects[0], &SKL).unwrap();
    let cell = |wanted: &str| {
        let vars = &func.object.vars;
        let (var, _) = vars.iter().find(|(_, decl)| decl.name == *wanted).unwrap();
        match func.storage[var] {
            VarStorage::Cells { first, .. } => first,
            _ => panic!("{wanted} has no cell"),
        }
    };
    let own: Vec<Cell> = ["A", "C", "D", "F"].map(cell).into();
    assert_eq!(cell("B"), own[0]);
    assert!(
        (1..own.len()).all(|i| !own[..i].contains(&own[i])),
        "{own:?}"
    );
    verify(&func).unwrap_or_else(|e| panic!("{e}\n{func}"));
}

/// A subroutine of `length` additions.
fn subroutine(name: &str, length: usize) -> String {
    let add = "add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x1:d\n";
    format!(
        ".function \"{name}\"\n{name}:\n{}ret (M1, 8)\n",
        add.repeat(length)
    )
}

#[test]
fn what_is_short_or_called_once_is_put_in_place() {
    let text = "call (M1, 8) once\ncall (M1, 8) short\ncall (M1, 8) short\n\
                call (M1, 8) long\n(P1) call (M1, 8) long\nret (M1, 1)\n";
    let all = [("once", 50), ("short", 2), ("long", 50), ("unused", 3)];
    let all: String = all.map(|(name, length)| subroutine(name, length)).concat();
    let module = kernel(&format!("{text}{all}"));
    let few = prepare(&module.objects[0], Which::Few).unwrap().unwrap();
    assert_eq!(count(&few, Opcode::Call), 2);
    assert_eq!(count(&few, Opcode::Add), 50 + 2 + 2 + 50);
    assert!(
        few.insts
            .iter()
            .all(|i| i.op != Opcode::Call || i.pred.is_none())
    );
    let func = build(&few, &SKL).unwrap();
    assert_eq!(func.routines.len(), 2);
    let all = prepare(&module.objects[0], Which::All).unwrap().unwrap();
    assert_eq!(count(&all, Opcode::Call), 0);
    assert_eq!(count(&all, Opcode::Add), 50 + 2 + 2 + 50 + 50);
    // Instructions of inlined copies have the original instruction as origin.
    let mut origins: Vec<u32> = (all.insts.iter())
        .filter(|inst| inst.op == Opcode::Add)
        .map(|inst| inst.origin)
        .collect();
    let source = &module.objects[0].insts;
    assert!(
        origins
            .iter()
            .all(|&n| source[n as usize].op == Opcode::Add)
    );
    origins.sort_unstable();
    origins.dedup();
    assert_eq!(origins.len(), 50 + 2 + 50);
}

#[test]
fn a_subroutine_that_calls_itself_is_refused() {
    let texts = [
        ".function \"s\"\ns:\ncall (M1, 8) s\nret (M1, 8)\n",
        ".function \"s\"\ns:\ncall (M1, 8) t\nret (M1, 8)\n.function \"t\"\nt:\ncall (M1, 8) s\nret (M1, 8)\n",
    ];
    for text in texts {
        let module = kernel(&format!("call (M1, 8) s\nret (M1, 1)\n{text}"));
        for which in [Which::Few, Which::All] {
            let error = prepare(&module.objects[0], which).expect_err("an error");
            assert!(
                matches!(error, CfgError::Unsupported { what, .. } if what.contains("calls itself")),
                "{error}"
            );
        }
        assert!(build(&module.objects[0], &SKL).is_err());
    }
}

/// The reference compiler leaves subroutines without calls.
#[test]
fn a_subroutine_that_nothing_calls_is_left_out() {
    let module = kernel(&format!(
        "mov (M1, 8) A(0,0)<1> 0x1:d\n{STORE} A.0 A.0\nret (M1, 1)\n\
         .function \"s\"\ns:\nmov (M1, 8) B(0,0)<1> 0x2:d\nret (M1, 8)"
    ));
    for which in [Which::All, Which::Few] {
        let object = prepare(&module.objects[0], which);
        let object = object.expect("it is sound").expect("another object");
        let moves = object.insts.iter().filter(|inst| inst.op == Opcode::Mov);
        assert_eq!(moves.count(), 1);
    }
}
