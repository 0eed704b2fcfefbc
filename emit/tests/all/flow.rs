//! The checker of control flow accepts real code and refuses broken code.

use std::path::PathBuf;

use kiln_emit::assemble::Program;
use kiln_emit::encoding::decode;
use kiln_emit::flow;
use kiln_emit::inst::{Dst, Inst, Op, Pred, PredCtrl, Reg, RegFile, Src, Target, Type};
use kiln_emit::platform::find;
use kiln_emit::verify::flow::{FlowError, Wrong, check_code, check_program};
use kiln_emit::zebin::Zebin;

/// Every instruction of a kernel, without the padding at its end.
fn decoded(mut code: &[u8]) -> Vec<Inst> {
    let platform = find("skl").expect("the platform is known");
    let mut insts = Vec::new();
    while let Ok(inst) = decode(code, platform)
        && inst.op != Op::Illegal
    {
        code = &code[inst.size() as usize..];
        insts.push(inst);
    }
    insts
}

fn object_files() -> Vec<PathBuf> {
    let kernels = kiln_corpus::kernels(&kiln_corpus::COMMON).into_iter();
    kernels.filter_map(|kernel| kernel.object("skl")).collect()
}

#[test]
fn nothing_is_wrong_with_the_reference_compilers_code() {
    let (mut kernels, mut branches) = (0, 0);
    for path in object_files() {
        let bytes = std::fs::read(&path).unwrap();
        let zebin = Zebin::parse(&bytes).unwrap();
        for kernel in &zebin.kernels {
            let code = decoded(&kernel.text);
            if let Err(e) = check_code(&code) {
                panic!("{}, {}: {e}", path.display(), kernel.name);
            }
            kernels += 1;
            branches += code.iter().filter(|i| i.op.is_branch()).count();
        }
    }
    assert!(
        kernels > 170 && branches > 900,
        "{kernels} kernels, {branches} branches"
    );
}

/// Machine code of a corpus (`KILN_FLOW`: a folder with `.dat` files of Gen9), if there is one.
#[test]
fn nothing_is_wrong_with_a_corpus() {
    let Some(folder) = std::env::var_os("KILN_FLOW") else {
        return;
    };
    let mut wrong = Vec::new();
    let mut programs = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "dat") {
            let code = decoded(&std::fs::read(&path).unwrap());
            programs += 1;
            wrong.extend(
                check_code(&code)
                    .err()
                    .map(|e| format!("{}: {e}", path.display())),
            );
        }
    }
    println!("{programs} programs");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn flag() -> Pred {
    Pred {
        flag: Reg::new(RegFile::Flag, 0, 0),
        inverse: false,
        ctrl: PredCtrl::Normal,
    }
}

/// A goto of the channels whose flag is not set.
fn goto(jip: u32, uip: u32) -> Inst {
    let mut inst = Inst::new(Op::Goto, 16);
    inst.pred = Some(Pred {
        inverse: true,
        ..flag()
    });
    inst.jip = Some(Target::Block(jip));
    inst.uip = Some(Target::Block(uip));
    inst
}

fn back(head: u32, join: u32) -> Inst {
    let mut inst = goto(join, head);
    inst.pred = Some(flag());
    inst.opts.branch_ctrl = true;
    inst
}

/// The instruction that makes all channels take the following goto.
fn clear() -> Inst {
    let mut inst = Inst::new(Op::Mov, 1);
    inst.no_mask = true;
    inst.dst = Some(Dst::new(flag().flag, 1, Type::Ud));
    inst.srcs.push(Src::imm(Type::Ud, 0));
    inst
}

fn join(jip: u32) -> Inst {
    let mut inst = Inst::new(Op::Join, 16);
    inst.jip = Some(Target::Block(jip));
    inst
}

fn jump(to: u32) -> Inst {
    let mut inst = Inst::new(Op::Jmpi, 1);
    inst.no_mask = true;
    inst.jip = Some(Target::Block(to));
    inst
}

/// An instruction that cannot be predicated.
fn work() -> Inst {
    let mut inst = small();
    inst.opts.acc_wr_en = true;
    inst
}

/// An instruction that can be predicated.
fn small() -> Inst {
    let mut inst = Inst::new(Op::Mov, 16);
    inst.dst = Some(Dst::new(Reg::grf(10), 1, Type::D));
    inst.srcs.push(Src::imm(Type::D, 1));
    inst
}

fn mov() -> Inst {
    let mut inst = work();
    inst.no_mask = true;
    inst
}

fn program(blocks: &[&[Inst]]) -> Program {
    let blocks = blocks.iter().map(|b| b.to_vec()).collect();
    Program { blocks }
}

/// The operations of each block.
fn shape(program: &Program) -> String {
    let mut text = String::new();
    for (b, block) in program.blocks.iter().enumerate() {
        for inst in block {
            let name = inst.op.mnemonic();
            let target = |t| match t {
                Some(Target::Block(b)) => format!(" {b}"),
                _ => String::new(),
            };
            let not = match inst.pred {
                Some(pred) if pred.inverse => "~f ",
                Some(_) => "f ",
                None => "",
            };
            text += &format!("{b}: {not}{name}{}{}\n", target(inst.jip), target(inst.uip));
        }
    }
    text
}

fn wrong(blocks: &[&[Inst]]) -> FlowError {
    check_program(&program(blocks)).expect_err("a channel is lost")
}

#[test]
fn a_goto_waits_at_a_join() {
    let found = wrong(&[&[goto(1, 1)], &[work()]]);
    assert_eq!(found.at, (0, 0));
    assert!(
        matches!(
            found.what,
            Wrong::Target {
                found: Some(Op::Mov),
                ..
            }
        ),
        "{found}"
    );
    let found = wrong(&[&[work()], &[back(0, 2)], &[mov()], &[join(4)], &[work()]]);
    assert_eq!(found.at, (1, 0));
}

#[test]
fn a_jump_over_waiting_channels_is_found() {
    // Block 1 jumps to block 3, and channels wait at block 2.
    let blocks: &[&[Inst]] = &[&[goto(2, 2)], &[jump(3)], &[join(3)], &[work()]];
    let found = wrong(blocks);
    assert_eq!((found.at, found.op), ((1, 0), Op::Jmpi));
    assert_eq!(
        found.what,
        Wrong::Skips {
            to: (3, 0),
            waiting: (2, 0)
        }
    );
    // A jump target has the same rule.
    let found = wrong(&[
        &[goto(2, 2)],
        &[goto(3, 3)],
        &[join(3)],
        &[join(4)],
        &[work()],
    ]);
    assert_eq!(
        found.what,
        Wrong::Skips {
            to: (3, 0),
            waiting: (2, 0)
        }
    );
    // A jump over the place where channels that have left the loop wait.
    let mut out = jump(5);
    out.pred = Some(flag());
    let found = wrong(&[
        &[out],
        &[goto(4, 4)],
        &[jump(0)],
        &[work()],
        &[join(5)],
        &[work()],
    ]);
    assert_eq!(found.at, (0, 0));
    assert_eq!(
        found.what,
        Wrong::Skips {
            to: (5, 0),
            waiting: (4, 0)
        }
    );
}

#[test]
fn masked_code_between_a_jump_target_and_its_join_is_found() {
    let found = wrong(&[&[goto(1, 2)], &[work()], &[join(3)], &[work()]]);
    assert_eq!(
        found.what,
        Wrong::Masked {
            op: Op::Mov,
            place: (1, 0)
        }
    );
    let moves = program(&[&[goto(1, 2)], &[mov()], &[join(3)], &[work()]]);
    assert_eq!(check_program(&moves), Ok(()));
}

#[test]
fn the_thread_ends_when_nobody_waits() {
    let mut end = mov();
    end.msg = Some(kiln_emit::inst::Message {
        sfid: 7,
        eot: true,
        desc: kiln_emit::inst::Desc::Imm(0),
        ex_desc: kiln_emit::inst::Desc::Imm(0),
    });
    let found = wrong(&[&[goto(1, 1), end], &[join(2)], &[work()]]);
    assert_eq!(found.what, Wrong::Ends { waiting: (1, 0) });
}

/// Runs the passes over control flow, in the order of the list of passes.
fn all_passes(program: &mut Program) {
    flow::shared::share(program);
    flow::backward::invert(program);
    flow::predicate::predicate(program);
    flow::redundant::remove(program);
    flow::structure::structure(program);
}

/// Runs the passes; the checker accepts the code before and after. Returns the shape after.
fn after(blocks: &[&[Inst]]) -> String {
    let mut program = program(blocks);
    if let Err(e) = check_program(&program) {
        panic!("before: {e}");
    }
    all_passes(&mut program);
    if let Err(e) = check_program(&program) {
        panic!("after: {e}\n{}", shape(&program));
    }
    shape(&program)
}

#[test]
fn two_ways_become_if_and_else() {
    let out = after(&[
        &[work(), goto(2, 2)],
        &[work(), clear(), goto(2, 3)],
        &[join(3), work()],
        &[join(4), work()],
    ]);
    assert_eq!(
        out,
        "0: mov\n0: f if 3 4\n1: mov\n2: else 4 4\n3: mov\n4: endif 6\n5: mov\n"
    );
}

#[test]
fn the_join_stays_for_others_that_wait_there() {
    let out = after(&[
        &[goto(3, 4)],
        &[goto(3, 3)],
        &[work(), clear(), goto(3, 4)],
        &[join(4), work()],
        &[join(5), work()],
    ]);
    let expected =
        "0: ~f goto 3 6\n1: f if 4 5\n2: mov\n3: else 5 5\n4: mov\n5: endif 6\n6: join 7\n6: mov\n";
    assert_eq!(out, expected);
}

#[test]
fn moves_on_an_edge_keep_the_gotos() {
    let blocks: &[&[Inst]] = &[
        &[goto(3, 3)],
        &[work(), clear(), goto(2, 4)],
        &[mov()],
        &[join(4), work()],
        &[join(5), work()],
    ];
    let out = after(blocks);
    assert!(!out.contains("if"), "{out}");
}

#[test]
fn a_loop_becomes_while_and_break() {
    let out = after(&[
        &[work(), goto(2, 2)],
        &[work(), clear(), goto(2, 4)],
        &[join(4), work(), goto(4, 4)],
        &[work(), back(0, 4)],
        &[join(5), work()],
    ]);
    let expected = "0: mov\n0: ~f goto 2 2\n1: mov\n1: break 2 4\n2: join 4\n2: mov\n\
        2: ~f break 4 4\n3: mov\n4: f while 0\n5: mov\n";
    assert_eq!(out, expected);
    // A goto that leaves two loops keeps the inner join: channels may wait only farther out.
    let out = after(&[
        &[work()],
        &[work(), goto(3, 4)],
        &[work(), back(1, 3)],
        &[join(4), work(), back(0, 4)],
        &[join(5), work()],
    ]);
    assert!(
        out.contains("~f goto 3 4\n") && !out.contains("while 1"),
        "{out}"
    );
}

#[test]
fn what_changes_nothing_goes() {
    // A goto to the next instruction, and a join that no other goto needs.
    let out = after(&[&[work(), clear(), goto(1, 1)], &[join(2)], &[work()]]);
    assert_eq!(out, "0: mov\n2: mov\n");
    // A goto around a goto.
    let out = after(&[
        &[goto(2, 2)],
        &[clear(), goto(2, 3)],
        &[join(3), work()],
        &[join(4), work()],
    ]);
    assert_eq!(out, "1: f goto 3 3\n2: mov\n3: join 4\n3: mov\n");
}

#[test]
fn moves_behind_a_loop_turn_it_round() {
    let mut program = program(&[
        &[work()],
        &[work(), back(0, 2)],
        &[mov()],
        &[join(4)],
        &[work()],
    ]);
    all_passes(&mut program);
    assert_eq!(check_program(&program), Ok(()));
    let expected = "0: mov\n1: mov\n1: ~f goto 2 3\n1: jmpi 0\n2: mov\n3: join 4\n4: mov\n";
    assert_eq!(shape(&program), expected);
}

#[test]
fn short_ways_are_executed_by_predicate() {
    let out = after(&[
        &[work(), goto(2, 2)],
        &[small(), small()],
        &[join(3), work()],
        &[],
    ]);
    assert_eq!(out, "0: mov\n1: f mov\n1: f mov\n2: mov\n");
    // Two such gotos, and a join that another goto needs.
    let out = after(&[
        &[goto(3, 5)],
        &[goto(3, 3)],
        &[small(), clear(), goto(3, 5)],
        &[join(5)],
        &[small()],
        &[join(6), work()],
        &[],
    ]);
    let expected = "0: ~f goto 5 5\n2: f mov\n4: ~f mov\n5: join 6\n5: mov\n";
    assert_eq!(out, expected);
    // One of the two sides is long.
    let out = after(&[
        &[goto(2, 2)],
        &[small(), clear(), goto(2, 3)],
        &[join(3), work()],
        &[join(4), work()],
    ]);
    assert_eq!(out, "1: f mov\n1: f goto 3 3\n2: mov\n3: join 4\n3: mov\n");
    // The head of a loop on one side has other predecessors.
    let out = after(&[
        &[goto(3, 3)],
        &[small()],
        &[small()],
        &[join(4), work(), back(2, 4)],
        &[join(5), work()],
        &[],
    ]);
    assert!(out.starts_with("0: ~f goto"), "{out}");
    // One side leaves for another block.
    let out = after(&[
        &[goto(4, 4)],
        &[goto(3, 3)],
        &[small(), clear(), goto(3, 5)],
        &[join(4), work()],
        &[join(5), work()],
        &[join(6), work()],
        &[],
    ]);
    let expected =
        "0: ~f goto 4 4\n2: f mov\n2: f goto 4 5\n3: mov\n4: join 5\n4: mov\n5: join 6\n5: mov\n";
    assert_eq!(out, expected);
    // Instructions without a mask run for all channels, and predicated ones have a predicate of their own.
    let mut guarded = small();
    guarded.pred = Some(flag());
    for inst in [mov(), guarded] {
        let blocks: &[&[Inst]] = &[&[goto(2, 2)], &[inst], &[join(3), work()], &[]];
        assert!(after(blocks).starts_with("0: ~f goto"));
    }
    // Six instructions are still short.
    let six = [const { small }; 6].map(|f| f());
    let seven = [const { small }; 7].map(|f| f());
    let long = |way: &[Inst]| after(&[&[goto(2, 2)], way, &[join(3), work()], &[]]);
    assert!(!long(&six).contains("goto") && long(&seven).contains("goto"));
}

#[test]
fn a_loop_that_is_left_at_its_end_has_its_goto_there() {
    let way_out = |inst: Inst| {
        after(&[
            &[work(), goto(2, 2)],
            &[inst, clear(), goto(2, 4)],
            &[join(4)],
            &[jump(0)],
            &[join(5), work()],
            &[],
        ])
    };
    let short = "0: mov\n1: f mov\n4: ~f while 0\n5: mov\n";
    assert_eq!(way_out(small()), short);
    let long = "0: mov\n0: ~f goto 2 2\n1: mov\n2: join 4\n4: ~f while 0\n5: mov\n";
    assert_eq!(way_out(work()), long);
    // The flag has changed by then.
    let mut clears = small();
    clears.dst = clear().dst;
    assert!(way_out(clears).contains("jmpi"));
}

#[test]
fn a_loop_may_end_where_two_ways_do() {
    let out = after(&[
        &[goto(2, 2)],
        &[work(), clear(), goto(2, 5)],
        &[join(5), work()],
        &[work(), goto(5, 5)],
        &[work(), back(3, 5)],
        &[join(6), work()],
        &[],
    ]);
    let expected = "0: f if 3 7\n1: mov\n2: else 7 7\n3: mov\n4: mov\n4: ~f break 6 6\n\
        5: mov\n6: f while 4\n7: endif 10\n8: mov\n";
    assert_eq!(out, expected);
}
