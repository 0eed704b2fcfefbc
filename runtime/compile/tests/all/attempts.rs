//! Each attempt to compile a kernel makes the code of some kernel.

use std::fmt::Write;

use kiln_compile::attempt::ATTEMPTS;
use kiln_compile::attempt::{self, Scratch};
use kiln_compile::{Compiled, Options};
use kiln_compile::{Platform, find_platform};
use kiln_visa::{text, verify};

fn skl() -> &'static Platform {
    find_platform("skl").expect("the platform of the tests")
}

fn compile(text: &str, grf_limit: u32) -> Compiled {
    let module = text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let finding = verify::verify(&module).first().map(ToString::to_string);
    assert_eq!(finding, None);
    let mut options = Options::new(skl());
    options.verify = true;
    options.grf_limit = grf_limit;
    let compiled = attempt::compile(&module.objects[0], &options, &mut Scratch::default());
    compiled.unwrap_or_else(|e| panic!("in {grf_limit}: {e}"))
}

/// A kernel that calls a subroutine twice, which adds to `passed` variables. With `rows` it has an array of as many
/// GRFs, and a predicated message whose payloads and response take 45 GRFs.
fn kernel(passed: usize, rows: usize) -> String {
    let mut text = String::from(".version 4.1\n.kernel \"many\"\n");
    for n in 0..passed {
        let _ = writeln!(text, ".decl X{n} v_type=G type=d num_elts=8 align=GRF");
    }
    let elements = 8 * rows.max(1);
    let _ = write!(
        text,
        ".decl ARRAY v_type=G type=d num_elts={elements} align=GRF
.decl AT v_type=A num_elts=1
.decl ID v_type=G type=uw num_elts=1 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1 v_name=T006
.decl A v_type=G type=d num_elts=120 align=GRF
.decl B v_type=G type=d num_elts=120 align=GRF
.decl D v_type=G type=d num_elts=120 align=GRF
.input ID offset=32 size=2
.kernel_attr Target=\"3d\"
.kernel_attr SimdSize=8
.function \"many_0\"\n"
    );
    for n in 0..passed {
        let _ = writeln!(text, "mov (M1, 8) X{n}(0,0)<1> 0x{n:x}:d");
    }
    if rows > 0 {
        for row in 0..rows {
            let _ = writeln!(text, "mov (M1, 8) ARRAY({row},0)<1> 0x{row:x}:d");
        }
        for row in 0..15 {
            let _ = writeln!(text, "mov (M1, 8) A({row},0)<1> 0x{row:x}:d");
            let _ = writeln!(text, "mov (M1, 8) B({row},0)<1> 0x{row:x}:d");
            let _ = writeln!(text, "mov (M1, 8) D({row},0)<1> 0x{row:x}:d");
        }
        text += "cmp.eq (M1, 8) P1 ID(0,0)<0;1,0> 0x3:uw\n";
        text += "(P1) raw_sends.12.15.15.15 (M1, 8) 0x3cc:ud 0x1ef25e01:ud A.0 B.0 D.0\n";
        for row in 0..15 {
            let _ = writeln!(
                text,
                "add (M1, 8) X1(0,0)<1> X1(0,0)<1;1,0> D({row},0)<1;1,0>"
            );
        }
        text += "addr_add (M1_NM, 1) AT(0)<1> &ARRAY[0] ID(0,0)<0;1,0>\n";
        text += "mov (M1, 8) X0(0,0)<1> r[AT(0),0]<8;8,1>:d\n";
    }
    text += "call (M1, 8) sub\ncall (M1, 8) sub\n";
    for n in 1..passed {
        let _ = writeln!(
            text,
            "add (M1, 8) X0(0,0)<1> X0(0,0)<1;1,0> X{n}(0,0)<1;1,0>"
        );
    }
    text += "scatter4_scaled.R (M1, 8) T6 0x0:ud X0.0 X0.0\nret (M1, 1)\n.function \"sub\"\nsub:\n";
    for n in 0..passed {
        let _ = writeln!(text, "add (M1, 8) X{n}(0,0)<1> X{n}(0,0)<1;1,0> 0x5:d");
    }
    text + "ret (M1, 8)\n"
}

#[test]
fn the_usual_attempt_makes_the_code_of_most_kernels() {
    assert_eq!(compile(&kernel(20, 0), 128).attempt.name, "usual");
}

#[test]
fn arrays_move_to_memory_where_registers_are_too_few() {
    let text = kernel(10, 28);
    assert_eq!(compile(&text, 128).attempt.name, "usual");
    assert_eq!(compile(&text, 64).attempt.name, "arrays in memory");
}

/// The call reads its address late, and all units that its callee leaves as they are hold other values.
#[test]
fn values_are_spilled_for_the_address_of_a_call() {
    let text = kiln_corpus::text("programs/found/function-called-again-by-address.visaasm");
    assert_eq!(compile(&text, 128).attempt.name, "usual");
}

#[test]
fn all_subroutines_are_inlined_where_one_passes_too_much() {
    assert_eq!(compile(&kernel(600, 0), 128).attempt.name, "all inlined");
    let name = compile(&kernel(600, 28), 64).attempt.name;
    assert_eq!(name, "all inlined, arrays in memory");
}

#[test]
fn attempts_have_names_of_their_own() {
    let mut names: Vec<&str> = ATTEMPTS.iter().map(|attempt| attempt.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), ATTEMPTS.len());
}
