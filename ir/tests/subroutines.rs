//! Subroutines in the place of their calls.

use kiln_frontend::opcode::Opcode;
use kiln_frontend::text;
use kiln_ir::{build, subroutines};

/// The reference compiler leaves subroutines behind of which it has taken out all calls.
#[test]
fn a_subroutine_that_nothing_calls_is_left_out() {
    let source = ".version 4.1\n.kernel \"k\"\n\
                  .decl V32 v_type=G type=d num_elts=16 align=hword\n\
                  .kernel_attr SimdSize=16\n\
                  .function \"k_0\"\n\nk_0:\n\
                  mov (M1, 16) V32(0,0)<1> 0x1:d\nret (M1, 1)\n\
                  .function \"f_1\"\n\nf_1:\n\
                  mov (M1, 16) V32(0,0)<1> 0x2:d\nret (M1, 16)\n";
    let module = text::parse(source).unwrap_or_else(|e| panic!("{e}"));
    let inlined = subroutines::inline(&module.objects[0]).unwrap_or_else(|e| panic!("{e}"));
    let object = inlined.expect("another object").object;
    let moves = object.insts.iter().filter(|inst| inst.op == Opcode::Mov);
    assert_eq!(moves.count(), 1);
    build::build(&object).unwrap_or_else(|e| panic!("{e}"));
}
