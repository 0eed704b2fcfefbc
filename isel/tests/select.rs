//! What selection and legalization give: sound machine functions, and the instructions one would write
//! by hand.

use std::path::Path;

use kiln_frontend::module::Module;
use kiln_frontend::text;
use kiln_isel::select::{Calls, SelectError, select};
use kiln_isel::{legalize, opt};
use kiln_machine::func::Function;
use kiln_machine::inst::{Inst, Opcode, Src};
use kiln_machine::verify::{Level, verify};
use kiln_target::abi;
use kiln_target::isa::Op;
use kiln_target::platform;

const CALLS: Calls = Calls {
    abi: &abi::STACK_2,
    by_jump: &|_| false,
};

/// Selected, without what nobody reads, and made legal; verified before and after.
fn lowered(module: &Module) -> Result<Function, Vec<SelectError>> {
    let func = kiln_ir::build::build(&module.objects[0]).expect("a graph");
    let mut machine = select(&func, &platform::SKL, &CALLS)?;
    verify(&machine, Level::Wide, None).unwrap_or_else(|e| panic!("{e}"));
    opt::dead::run(&mut machine);
    legalize::run(&mut machine).unwrap_or_else(|e| panic!("{e:?}"));
    opt::dead::run(&mut machine);
    verify(&machine, Level::Legal, None).unwrap_or_else(|e| panic!("{e}"));
    Ok(machine)
}

/// A SIMD16 kernel that stores D at offsets O.
fn kernel(body: &str) -> Module {
    let mut source = String::from(".version 4.1\n.kernel \"k\"\n");
    for (var, ty, count) in [
        ("V", "d", 16),
        ("W", "d", 16),
        ("D", "d", 16),
        ("O", "ud", 16),
        ("F", "f", 16),
        ("Q", "q", 16),
        ("B", "ub", 64),
    ] {
        source += &format!(".decl {var} v_type=G type={ty} num_elts={count} align=hword\n");
    }
    source += ".decl P1 v_type=P num_elts=16\n.decl T6 v_type=T num_elts=1 v_name=T006\n.kernel_attr SimdSize=16\n";
    source += body;
    source +=
        "movs (M1_NM, 1) T6(0) 0x0:ud\nscatter4_scaled.R (M1, 16) T6 0x0:ud O.0 D.0\nret (M1, 1)\n";
    text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

/// Instructions of the kernel but for its messages.
fn code(body: &str) -> Vec<Inst> {
    let machine = lowered(&kernel(body)).unwrap_or_else(|e| panic!("{e:?}"));
    let all = machine.blocks.values().flat_map(|b| &b.insts);
    let own = all.filter(|i| i.message.is_none() && i.op != Opcode::Undef);
    own.copied().collect()
}

fn ops(body: &str) -> Vec<Op> {
    code(body).iter().filter_map(Inst::gen_op).collect()
}

#[test]
fn every_example_gives_a_sound_machine_function() {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut count = 0;
    for dir in std::fs::read_dir(all)
        .expect("the examples")
        .map(|e| e.expect("an entry").path())
    {
        let Some(name) = dir.file_name().filter(|_| dir.is_dir()) else {
            continue;
        };
        let source =
            std::fs::read_to_string(dir.join(name).with_extension("visaasm")).expect("vISA text");
        let module = text::parse(&source).expect("a module");
        lowered(&module).unwrap_or_else(|e| panic!("{name:?}: {e:?}"));
        count += 1;
    }
    assert!(count >= 14, "only {count} examples found");
}

#[test]
fn legal_operations_are_one_instruction() {
    assert_eq!(
        ops("add (M1, 16) D(0,0)<1> V(0,0)<1;1,0> W(0,0)<1;1,0>\n"),
        [Op::Add]
    );
    // Immediates change places, where the operation lets them.
    assert_eq!(
        ops("add (M1, 16) D(0,0)<1> 0x5:d W(0,0)<1;1,0>\n"),
        [Op::Add]
    );
    assert_eq!(
        ops("shl (M1, 16) D(0,0)<1> 0x5:d W(0,0)<1;1,0>\n"),
        [Op::Mov, Op::Shl]
    );
}

#[test]
fn an_immediate_first_in_sel_inverts_its_predicate() {
    let body = |inverse, sources| format!("({inverse}P1) sel (M1, 16) D(0,0)<1> {sources}\n");
    for (inverse, expected) in [("", true), ("!", false)] {
        let code = code(&body(inverse, "0x7:d V(0,0)<1;1,0>"));
        let [m] = &code[..] else {
            panic!("one instruction")
        };
        assert_eq!(m.pred.map(|p| p.inverse), Some(expected));
        assert!(matches!(m.srcs[1], Src::Imm(imm) if imm.bits() == 7));
    }
}

#[test]
fn what_nobody_reads_is_not_computed() {
    let dead =
        "add (M1, 16) W(0,0)<1> V(0,0)<1;1,0> 0x1:d\nmul (M1, 16) W(0,0)<1> W(0,0)<1;1,0> 0x3:d\n";
    assert_eq!(ops(dead), []);
    // Nor is the number of a surface that stands in the message.
    assert_eq!(ops("mov (M1, 16) D(0,0)<1> 0x1:d\n"), [Op::Mov]);
}

#[test]
fn wide_operations_are_cut_into_pieces() {
    let code = code("mov (M1, 16) Q(0,0)<1> V(0,0)<1;1,0>\nmov (M1, 16) D(0,0)<1> Q(0,0)<1;1,0>\n");
    let pieces: Vec<(u8, u8)> = code.iter().map(|m| (m.exec_size, m.chan_off)).collect();
    // A quadword of eight channels fills a register unit; there are no wider pieces.
    assert_eq!(pieces[..2], [(8, 0), (8, 8)]);
    assert!(pieces.iter().all(|p| p.0 == 8), "{pieces:?}");
}

#[test]
fn an_unmasked_operation_names_no_channels() {
    let code = code(
        "mov (M5_NM, 8) D(0,0)<1> V(0,0)<1;1,0>\n"
            .replace("M5", "M3")
            .as_str(),
    );
    assert!(code.iter().all(|m| m.opts.no_mask && m.chan_off == 0));
}

#[test]
fn errors_name_the_instruction() {
    let body = "mov (M1, 16) D(0,0)<1> 0x1:d\nmod (M1, 16) F(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>\n";
    let errors = lowered(&kernel(body)).expect_err("no remainder of floats");
    let [error] = &errors[..] else {
        panic!("{errors:?}");
    };
    assert_eq!((error.inst, error.op), (1, "mod"));
    let text = error.to_string();
    assert!(text.starts_with("instruction 1 (mod): "), "{text}");
}

#[test]
fn all_that_is_not_supported_is_named() {
    let body = "mod (M1, 16) F(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>\n".repeat(3);
    let errors = lowered(&kernel(&body)).expect_err("no remainder of floats");
    assert_eq!(errors.iter().map(|e| e.inst).collect::<Vec<_>>(), [0, 1, 2]);
}
