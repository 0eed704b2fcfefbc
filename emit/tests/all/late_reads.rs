//! Payloads that are read late: the reference compiler's code reads them again, and so does the pass. Code without such
//! a read is found.

use crate::kernels::kernels;
use kiln_emit::assemble::Program;
use kiln_emit::inst::{
    Desc, Dst, Inst, Message, Op, Pipe, Reg, Region, Src, Swsb, SyncFn, TokenUse, Type,
};
use kiln_emit::platform::{self, Platform};
use kiln_emit::scoreboard;
use kiln_emit::verify::late_reads::check_code;

fn find(name: &str) -> &'static Platform {
    platform::find(name).expect("the platform is known")
}

fn to_null(inst: &Inst) -> bool {
    inst.op == Op::Mov && inst.exec_size == 1 && inst.dst == Some(Dst::new(Reg::NULL, 1, Type::Ud))
}

/// Two registers, of which the first is the address, stored by untyped memory (15) or sent to the old data port (10).
fn store(sfid: u8, payload: u32, data: u32) -> Inst {
    let mut inst = Inst::new(Op::Send, 16);
    inst.dst = Some(Dst::new(Reg::NULL, 1, Type::Ud));
    for from in [payload, data] {
        inst.srcs
            .push(Src::reg(Reg::grf(from), Region::SCALAR, Type::Ud));
    }
    inst.msg = Some(Message {
        sfid,
        eot: false,
        desc: Desc::Imm(1 << 25 | 4),
        ex_desc: Desc::Imm(1 << 6),
    });
    inst
}

fn set(register: u32) -> Inst {
    let mut inst = Inst::new(Op::Mov, 16);
    inst.dst = Some(Dst::new(Reg::grf(register), 1, Type::Ud));
    inst.srcs.push(Src::imm(Type::Ud, 7));
    inst
}

fn after(name: &str, insts: Vec<Inst>) -> Vec<Inst> {
    let mut program = Program {
        blocks: vec![insts],
    };
    scoreboard::run(&mut program, find(name), &[]);
    program.blocks.remove(0)
}

fn text(insts: &[Inst]) -> Vec<String> {
    let words = |inst: &Inst| {
        let text = inst.to_string();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    insts.iter().map(words).collect()
}

#[test]
fn the_reference_compilers_code_reads_again() {
    let (mut reads, mut found) = (0, 0);
    for (kernel, code) in kernels(find("pvc")) {
        assert_eq!(check_code(&code, find("pvc")), [], "{kernel}");
        for at in 0..code.len() {
            if to_null(&code[at]) && matches!(code[at].srcs[0], Src::Reg(_)) {
                reads += 1;
                // Some are in no sequence, or of messages that the one for a later message of their class covers.
                let mut less = code.clone();
                less[at].srcs[0] = Src::imm(Type::Ud, 0);
                found += usize::from(!check_code(&less, find("pvc")).is_empty());
            }
        }
    }
    println!("{found} of {reads} reads are missed");
    assert!(
        reads > 1000 && found * 10 >= reads * 9,
        "{found} of {reads}"
    );
}

#[test]
fn last_registers_are_read_again_before_they_are_overwritten() {
    let insts = vec![store(15, 20, 30), set(20)];
    let found = after("pvc", insts.clone());
    assert_eq!(found.len(), 6, "{:#?}", text(&found));
    assert!(text(&found)[1].starts_with("(W) mov (1|M0) null<1>:ud 0x30433:ud"));
    assert_eq!(found[1].swsb.token, Some((TokenUse::Src, 0)));
    assert!(text(&found)[2].starts_with("(W) mov (1|M0) null<1>:ud r20.0<0;1,0>:ud"));
    assert!(text(&found)[3].starts_with("(W) mov (1|M0) null<1>:ud r30.0<0;1,0>:ud"));
    assert_eq!(found[4].op, Op::Sync(SyncFn::Nop));
    assert_eq!(found[4].swsb.dist, Some((Pipe::Int, 1)));
    assert_eq!(found[5], insts[1]);
    assert_eq!(check_code(&found, find("pvc")), []);
    assert_eq!(after("dg2", insts).len(), 2);
}

#[test]
fn a_wait_that_reads_nothing_again_is_found() {
    let found = after("pvc", vec![store(15, 20, 30), set(20)]);
    let findings = |code: &[Inst]| check_code(code, find("pvc")).len();
    for without in [2, 3, 4] {
        let mut less = found.clone();
        less.remove(without);
        assert_eq!(findings(&less), 1, "without {}", text(&found)[without]);
    }
    let mut plain = vec![found[0].clone(), set(20)];
    plain[1].swsb = Swsb {
        token: Some((TokenUse::Src, 0)),
        ..Swsb::default()
    };
    assert_eq!(findings(&plain), 1);
    assert_eq!(check_code(&plain, find("dg2")), []);
    let mut all = Inst::new(Op::Sync(SyncFn::AllRd), 1);
    all.srcs.push(Src::imm(Type::Ud, 1));
    assert_eq!(findings(&[found[0].clone(), all]), 1);
}

#[test]
fn one_class_reads_in_order() {
    let mut lone = Inst::new(Op::Sync(SyncFn::Nop), 1);
    lone.swsb.token = Some((TokenUse::Src, 0));
    let mut first = store(15, 20, 30);
    first.swsb.token = Some((TokenUse::Set, 0));
    let code = |sfid| [first.clone(), lone.clone(), store(sfid, 40, 50)];
    assert_eq!(check_code(&code(15), find("pvc")), []);
    assert_eq!(check_code(&code(10), find("pvc")).len(), 1);
}

/// A load's payload of one register is read again, and later that of a prefetch: as at the beginning of the reference's code of
/// `bfloat16_dpas_blockread_vnni_tiled_m8_n16_2x4` (matrix experiments of SimpleOpenCLSamples), which reads r127 once.
#[test]
fn a_finished_read_is_not_wanted_again() {
    let load = |payload, token| {
        let mut inst = store(15, payload, 0);
        inst.srcs[1] = Src::reg(Reg::NULL, Region::SCALAR, Type::Ud);
        inst.msg.as_mut().expect("a message").ex_desc = Desc::Imm(0);
        inst.swsb.token = Some((TokenUse::Set, token));
        inst
    };
    let again = |token, register| {
        let mut insts = after("pvc", vec![load(register, 0), set(register)]);
        insts.remove(0);
        insts[0].swsb.token = Some((TokenUse::Src, token));
        assert!(
            to_null(&insts[1]) && insts.len() == 4,
            "{:#?}",
            text(&insts)
        );
        insts
    };
    let findings = |parts: &[&[Inst]]| check_code(&parts.concat(), find("pvc")).len();
    let (first, second) = (load(127, 0), load(4, 1));
    let (first, second) = (std::slice::from_ref(&first), std::slice::from_ref(&second));
    assert_eq!(findings(&[first, &again(0, 127), second, &again(1, 4)]), 0);
    // Both payloads may still be read.
    assert_eq!(findings(&[first, second, &again(1, 4)]), 1);
    // The class may still read the later payload after a read of the earlier one.
    let third = load(5, 2);
    let third = std::slice::from_ref(&third);
    assert_eq!(
        findings(&[first, second, &again(0, 127), third, &again(2, 5)]),
        1
    );
    // A read of another register finishes nothing.
    assert_eq!(findings(&[first, &again(0, 4), second, &again(1, 4)]), 2);
}
