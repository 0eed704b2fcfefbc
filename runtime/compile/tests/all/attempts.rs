//! Each attempt to compile a kernel makes the code of some kernel.

use std::fmt::Write;

use kiln_compile::attempt::ATTEMPTS;
use kiln_compile::attempt::{self, Scratch};
use kiln_compile::{Allocator, CompileError, Compiled, Options};
use kiln_compile::{Platform, find_platform};
use kiln_frontend::{text, verify};

fn skl() -> &'static Platform {
    find_platform("skl").expect("the platform of the tests")
}

fn compile(text: &str, grf_limit: u32) -> Compiled {
    compile_with(text, grf_limit, Allocator::Scan).unwrap_or_else(|e| panic!("in {grf_limit}: {e}"))
}

fn compile_with(
    text: &str,
    grf_limit: u32,
    allocator: Allocator,
) -> Result<Compiled, CompileError> {
    let module = text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let finding = verify::verify(&module).first().map(ToString::to_string);
    assert_eq!(finding, None);
    let mut options = Options::new(skl());
    options.verify = true;
    options.grf_limit = grf_limit;
    options.allocator = allocator;
    attempt::compile(&module.objects[0], &options, &mut Scratch::default())
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

/// The name of the attempt that compiles a kernel whose vISA claims all of scratch space except the bytes that
/// regalloc2 spills to.
fn attempt_with_scratch_for_regalloc2(text: &str, grf_limit: u32) -> &'static str {
    let spill_bytes = |allocator| {
        let compiled = compile_with(text, grf_limit, allocator).expect("an allocation");
        compiled.allocation.spill_bytes
    };
    let (scan, ion) = (spill_bytes(Allocator::Scan), spill_bytes(Allocator::Ion));
    assert!(ion < scan, "{ion} {scan}");
    let attr = format!(
        "\n.kernel_attr SpillMemOffset={}\n.kernel_attr ",
        (2 << 20) - ion
    );
    let compiled = compile(&text.replacen("\n.kernel_attr ", &attr, 1), grf_limit);
    assert_eq!(compiled.allocator, Allocator::Ion);
    compiled.attempt.name
}

#[test]
fn regalloc2_allocates_where_scratch_space_is_too_small_for_the_spills_of_scan() {
    let text = include_str!("../../../tests/kernels/conv_uchar/conv_uchar.visaasm");
    assert_eq!(attempt_with_scratch_for_regalloc2(text, 28), "regalloc2");
}

#[test]
fn regalloc2_allocates_inlined_subroutines_as_well() {
    let name = attempt_with_scratch_for_regalloc2(&kernel(700, 0), 48);
    assert_eq!(name, "all inlined, regalloc2");
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
