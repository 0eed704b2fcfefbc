//! Branches, one construct in each test.

use super::*;

pub fn run_alone(t: &mut Thread, insts: Vec<Inst>) {
    let mut shared = Shared {
        memory: &Memory::default(),
        bindings: &Tables::default(),
        slm: &Words::default(),
        general_state: 0,
        scratch: 0,
        barriers: Barriers::default(),
        read: 0,
        written: 0,
    };
    run(t, insts, &mut shared, 10_000).unwrap();
}

pub fn add_imm(num: u32, v: i32) -> Inst {
    let by = Src::imm(Type::D, u64::from(v as u32));
    inst(Op::Add, 8, dst(num, Type::D), &[src(num, 8, Type::D), by])
}

pub fn less_than(num: u32, v: u64) -> Inst {
    cmp(8, Cond::Lt, src(num, 8, Type::D), Src::imm(Type::D, v))
}

#[test]
fn both_sides_of_a_condition_run_for_their_channels() {
    let code = |limit| {
        vec![
            less_than(10, limit),
            predicated(branch(Op::If, 8, 48, Some(64)), false),
            add_imm(20, 1),
            branch(Op::Else, 8, 32, Some(32)),
            add_imm(20, 2),
            branch(Op::Endif, 8, 16, None),
            add_imm(20, 10),
        ]
    };
    for (limit, executed) in [
        (3, vec![11, 11, 11, 12, 12, 12, 12, 12]),
        (0, vec![12; 8]),
        (8, vec![11; 8]),
    ] {
        let mut t = numbered();
        run_alone(&mut t, code(limit));
        assert_eq!(dwords(&t, 20, 8), executed);
        assert_eq!((t.active, t.waiting), (0xff, 0));
    }
}

#[test]
fn a_branch_no_channel_takes_is_jumped_over() {
    // An instruction without mask shows whether it was executed.
    let mut t = numbered();
    let code = vec![
        less_than(10, 0),
        predicated(branch(Op::If, 8, 32, Some(32)), false),
        no_mask(mov_imm(21, 1, Type::D, 1)),
        branch(Op::Endif, 8, 16, None),
    ];
    run_alone(&mut t, code);
    assert_eq!(dwords(&t, 21, 1), [0]);
}

#[test]
fn loops_run_as_often_as_each_channel_says() {
    // do { r20 += 1; if (r20 == 6) break; if (r20 odd) continue; r21 += 1 } while (r20 < r10)
    let odd = {
        let mut i = inst(
            Op::And,
            8,
            Dst::new(Reg::NULL, 1, Type::D),
            &[src(20, 8, Type::D), Src::imm(Type::D, 1)],
        );
        i.cond = Some(CondMod {
            cond: Cond::Ne,
            flag: F1,
        });
        i
    };
    let mut next = predicated(branch(Op::Cont, 8, 32, Some(32)), false);
    next.pred = next.pred.map(|pred| Pred { flag: F1, ..pred });
    let code = vec![
        add_imm(20, 1),
        cmp(8, Cond::Eq, src(20, 8, Type::D), Src::imm(Type::D, 6)),
        predicated(branch(Op::Break, 8, 80, Some(80)), false),
        // Channels that continue wait for the end of the loop; the condition is computed before.
        cmp(8, Cond::Lt, src(20, 8, Type::D), src(10, 8, Type::D)),
        odd,
        next,
        add_imm(21, 1),
        predicated(branch(Op::While, 8, -112, None), false),
    ];
    let mut t = numbered();
    run_alone(&mut t, code);
    assert_eq!(dwords(&t, 20, 8), [1, 1, 2, 3, 4, 5, 6, 6]);
    assert_eq!(dwords(&t, 21, 8), [0, 0, 1, 1, 2, 2, 2, 2]);
    assert_eq!((t.active, t.waiting), (0xff, 0));
}

#[test]
fn gotos_jump_where_the_predicate_is_false_and_join() {
    let code = vec![
        less_than(10, 3),
        predicated(branch(Op::Goto, 8, 32, Some(64)), false),
        add_imm(20, 1),
        branch(Op::Join, 8, 32, None),
        add_imm(20, 2),
        branch(Op::Join, 8, 16, None),
        add_imm(20, 10),
    ];
    let mut t = numbered();
    run_alone(&mut t, code);
    assert_eq!(dwords(&t, 20, 8), [13, 13, 13, 10, 10, 10, 10, 10]);
    // Backward, the channels whose predicate is true jump.
    let mut back = predicated(branch(Op::Goto, 8, 16, Some(-32)), false);
    back.opts.branch_ctrl = true;
    let code = vec![
        add_imm(20, 1),
        cmp(8, Cond::Lt, src(20, 8, Type::D), src(10, 8, Type::D)),
        back,
        branch(Op::Join, 8, 16, None),
        add_imm(20, 100),
    ];
    let mut t = numbered();
    run_alone(&mut t, code);
    assert_eq!(dwords(&t, 20, 8), [101, 101, 102, 103, 104, 105, 106, 107]);
}

#[test]
fn calls_return_and_halts_skip() {
    let mut call = predicated(branch(Op::Call, 8, 64, None), false);
    call.dst = Some(dst(125, Type::Ud));
    let mut ret = Inst::new(Op::Ret, 8);
    ret.srcs.push(scalar(125, 0, Type::Ud));
    ret.jip = Some(Target::Reg);
    let code = vec![
        less_than(10, 4),
        call,
        add_imm(20, 1),
        less_than(10, 2),
        predicated(branch(Op::Halt, 8, 64, Some(64)), false),
        // The function, which the remaining channels execute after the call, too.
        add_imm(21, 5),
        less_than(10, 4),
        predicated(ret, false),
    ];
    let mut t = numbered();
    run_alone(&mut t, code);
    assert_eq!(dwords(&t, 21, 8), [5, 5, 10, 10, 5, 5, 5, 5]);
    assert_eq!(dwords(&t, 20, 8)[..2], [1, 1]);
}

#[test]
fn a_call_without_a_mask_takes_the_active_channels() {
    let mut call = no_mask(branch(Op::Call, 8, 64, None));
    call.dst = Some(dst(125, Type::Ud));
    let mut ret = Inst::new(Op::Ret, 8);
    ret.srcs.push(scalar(125, 0, Type::Ud));
    ret.jip = Some(Target::Reg);
    let code = vec![
        less_than(10, 4),
        predicated(branch(Op::Goto, 8, 48, Some(48)), false),
        call,
        add_imm(20, 1),
        branch(Op::Join, 8, 16, None),
        no_mask(branch(Op::Jmpi, 1, 48, None)),
        add_imm(21, 5),
        ret,
    ];
    let mut t = numbered();
    run_alone(&mut t, code);
    assert_eq!(dwords(&t, 20, 8), [1, 1, 1, 1, 0, 0, 0, 0]);
    assert_eq!(dwords(&t, 21, 8), [5, 5, 5, 5, 0, 0, 0, 0]);
}

#[test]
fn jumps_move_all_channels() {
    let jump = |pred: bool| {
        let i = no_mask(branch(Op::Jmpi, 1, 32, None));
        if pred { predicated(i, false) } else { i }
    };
    for (limit, expected) in [(1, 0), (0, 1)] {
        let mut t = numbered();
        run_alone(
            &mut t,
            vec![
                less_than(10, limit),
                jump(true),
                add_imm(20, 1),
                jump(false),
                add_imm(21, 1),
            ],
        );
        assert_eq!((dwords(&t, 20, 1)[0], dwords(&t, 21, 1)[0]), (expected, 0));
    }
}

#[test]
fn channels_wait_only_where_the_hardware_takes_them_in_again() {
    let back = {
        let mut goto = predicated(branch(Op::Goto, 8, 16, Some(-16)), false);
        goto.opts.branch_ctrl = true;
        goto
    };
    let branches = [
        (predicated(branch(Op::If, 8, 32, Some(32)), false), "endif"),
        (branch(Op::Else, 8, 32, Some(32)), "endif"),
        (
            predicated(branch(Op::Break, 8, 32, Some(32)), false),
            "while",
        ),
        (
            predicated(branch(Op::Cont, 8, 32, Some(32)), false),
            "while",
        ),
        (predicated(branch(Op::Goto, 8, 32, Some(32)), false), "join"),
        (back, "join"),
    ];
    for (first, expected) in branches {
        let op = first.op;
        let code = |limit| {
            vec![
                less_than(10, limit),
                first.clone(),
                add_imm(20, 1),
                add_imm(20, 1),
            ]
        };
        let run = |limit| {
            let mut t = numbered();
            exchange(&mut t, code(limit))
        };
        let error = run(3).unwrap_err();
        let Cause::Lost { channels, lost } = &error else {
            panic!("{op:?}: {error}");
        };
        let place = if first.opts.branch_ctrl { 32 } else { 48 };
        assert!(lost.expected.contains(expected), "{op:?}: {error}");
        assert_eq!((lost.at, lost.found), (place, Some(Op::Add)), "{op:?}");
        // Channels that continue do not wait.
        let waiting = match (op, first.opts.branch_ctrl) {
            (Op::Else, _) => 0xff,
            (Op::Break | Op::Cont, _) => 0x07,
            _ => 0xf8,
        };
        assert_eq!(*channels, waiting, "{op:?}");
        // If no channel waits, none can be lost.
        let none = match (op, first.opts.branch_ctrl) {
            (Op::Else, _) => continue,
            (Op::Break | Op::Cont, _) => 0,
            (_, true) => continue,
            _ => 8,
        };
        assert!(run(none).is_ok(), "{op:?}");
    }
    // After `else`, which activates them.
    let code = vec![
        less_than(10, 3),
        predicated(branch(Op::If, 8, 32, Some(48)), false),
        branch(Op::Else, 8, 32, Some(32)),
        add_imm(20, 1),
        branch(Op::Endif, 8, 16, None),
    ];
    let mut t = numbered();
    run_alone(&mut t, code);
    assert_eq!(dwords(&t, 20, 8), [0, 0, 0, 1, 1, 1, 1, 1]);
}
