//! Code that is wrong in threads that run in pairs is found, planted in code that is right.

use kiln_emit::assemble::{Program, assemble};
use kiln_emit::encoding::encode;
use kiln_emit::errata;
use kiln_emit::inst::{
    Cond, CondMod, Dst, Inst, Op, Place, Pred, PredCtrl, Reg, RegFile, Region, Src, Target, Type,
};
use kiln_emit::listing::entries;
use kiln_emit::platform::{Platform, find};
use kiln_emit::verify::pairs::{PairError, Wrong, check_code, check_program};
use kiln_emit::verify::{flow, verify};
use kiln_emit::zebin::Zebin;

fn platform(name: &str) -> &'static Platform {
    find(name).expect("a known platform")
}

fn branch(op: Op, jip: u32, uip: u32) -> Inst {
    let mut inst = Inst::new(op, 16);
    inst.jip = Some(Target::Block(jip));
    inst.uip = (op != Op::Join).then_some(Target::Block(uip));
    if op == Op::Goto {
        inst.pred = Some(Pred {
            flag: Reg::new(RegFile::Flag, 0, 0),
            inverse: false,
            ctrl: PredCtrl::Normal,
        });
    }
    inst
}

fn goto(jip: u32, uip: u32) -> Inst {
    branch(Op::Goto, jip, uip)
}

fn join(jip: u32) -> Inst {
    branch(Op::Join, jip, 0)
}

fn work() -> Inst {
    let mut inst = Inst::new(Op::Mov, 16);
    inst.dst = Some(Dst::new(Reg::grf(10), 1, Type::D));
    inst.srcs
        .push(Src::reg(Reg::grf(12), Region::packed(8), Type::D));
    inst
}

fn unmasked() -> Inst {
    Inst {
        no_mask: true,
        ..work()
    }
}

fn jump(to: Target) -> Inst {
    let mut inst = Inst::new(Op::Jmpi, 1);
    inst.no_mask = true;
    inst.jip = Some(to);
    if to == Target::Reg {
        inst.srcs
            .push(Src::reg(Reg::grf(20), Region::SCALAR, Type::D));
    }
    inst
}

fn program(blocks: &[&[Inst]]) -> Program {
    let blocks = blocks.iter().map(|b| b.to_vec()).collect();
    Program { blocks }
}

fn found(blocks: &[&[Inst]], name: &str) -> Option<((usize, usize), Wrong)> {
    let program = program(blocks);
    assert_eq!(flow::check_program(&program), Ok(()));
    let result = check_program(&program, platform(name), false);
    result.err().map(|PairError { at, what, .. }| (at, what))
}

#[test]
fn moves_where_no_channel_is_active_are_wrong_in_pairs() {
    let with = |moves: &[Inst]| {
        let first = [work(), goto(2, 3)];
        let skip = [work(), jump(Target::Block(3))];
        let blocks: [&[Inst]; 4] = [&first, &skip, moves, &[join(3)]];
        ["skl", "tgllp", "dg2", "mtl", "pvc"].map(|name| found(&blocks, name))
    };
    let wrong = Some(((2, 0), Wrong::Idle));
    assert_eq!(with(&[unmasked()]), [None, wrong, wrong, wrong, None]);
    assert_eq!(with(&[]), [None; 5]);
}

#[test]
fn nothing_without_a_mask_may_be_in_nested_divergence_on_tgllp() {
    let inside = |inst: Inst| {
        let outer = [unmasked(), goto(3, 3)];
        let first = [unmasked(), goto(2, 2)];
        let blocks: [&[Inst]; 4] = [
            &outer,
            &[first[0].clone(), first[1].clone(), inst],
            &[join(3)],
            &[join(3), unmasked()],
        ];
        ["tgllp", "dg2"].map(|name| found(&blocks, name))
    };
    assert_eq!(inside(unmasked()), [Some(((1, 2), Wrong::Unmasked)), None]);
    assert_eq!(inside(work()), [None; 2]);
    let mut guarded = unmasked();
    guarded.pred = goto(0, 0).pred;
    assert_eq!(
        inside(guarded.clone()),
        [Some(((1, 2), Wrong::Unmasked)), None]
    );
    guarded.pred.as_mut().unwrap().ctrl = PredCtrl::Any(16);
    assert_eq!(inside(guarded), [None; 2]);
}

/// Unmasked instructions of each kind: without a predicate and condition, with one or the other, and with
/// both; and a comparison whose result a register gets, too.
fn kinds() -> [Inst; 6] {
    let flag = Reg::new(RegFile::Flag, 0, 0);
    let pred = goto(0, 0).pred;
    let cond = Some(CondMod {
        cond: Cond::Lt,
        flag,
    });
    let with = |pred, cond, dst| {
        let mut inst = unmasked();
        inst.op = Op::Add;
        inst.srcs.push(Src::imm(Type::D, 1));
        (inst.pred, inst.cond) = (pred, cond);
        inst.dst = Some(Dst::new(dst, 1, Type::D));
        inst
    };
    let (null, r10) = (Reg::NULL, Reg::grf(10));
    let mut compared = with(None, cond, r10);
    compared.op = Op::Cmp;
    [
        with(None, None, r10),
        with(pred, None, r10),
        with(None, cond, null),
        with(None, cond, r10),
        with(pred, cond, r10),
        compared,
    ]
}

#[test]
fn guards_make_all_kinds_of_instructions_right() {
    let platform = platform("tgllp");
    for (count, wide) in (1..=6).flat_map(|count| [(count, false), (count, true)]) {
        let mut insts = kinds()[..count].to_vec();
        if wide {
            for inst in &mut insts {
                inst.chan_off = 16;
            }
        }
        let inner = [vec![work(), goto(2, 2)], insts].concat();
        let mut program = program(&[&[goto(3, 3)], &inner, &[join(3)], &[join(3), work()]]);
        assert!(check_program(&program, platform, false).is_err());
        errata::run(&mut program, platform);
        let found = check_program(&program, platform, false);
        assert_eq!(found, Ok(()), "{:#?}", program.blocks[1]);
        for inst in program.blocks.iter().flatten() {
            assert_eq!(verify(inst, platform), Ok(()), "{inst:?}");
        }
        assert!(assemble(&program, platform).is_ok());
        // The guard is not whole without the comparison, or the move that clears its flag; nor without what keeps another.
        for at in 2..program.blocks[1].len() {
            let mut less = program.clone();
            let inst = less.blocks[1].remove(at);
            let marks = |inst: &Inst| inst.op == Op::Cmp && !inst.no_mask;
            let clears = less.blocks[1].get(at).is_some_and(marks);
            let from_flag = |src: &Src| matches!(src, Src::Reg(src) if src.place == Place::Direct(Reg::new(RegFile::Flag, 0, 0)));
            let keeps = inst.op == Op::Mov && inst.srcs.iter().any(from_flag);
            if marks(&inst) || clears || keeps {
                let found = check_program(&less, platform, false);
                assert!(found.is_err(), "without {inst:?}");
            }
        }
    }
}

#[test]
fn a_wrong_mask_lasts_until_no_channel_waits() {
    let (inner, outer) = ([unmasked(), goto(2, 2), work()], [goto(4, 4)]);
    let after = |blocks: [&[Inst]; 5]| found(&blocks, "tgllp");
    let between = [unmasked()];
    let wrong = Some(((3, 0), Wrong::Unmasked));
    assert_eq!(
        after([&outer, &inner, &[join(3)], &between, &[join(4)]]),
        wrong
    );
    let empty: [Inst; 0] = [];
    let end = [join(4), unmasked()];
    assert_eq!(after([&outer, &inner, &[join(3)], &empty, &end]), None);
}

#[test]
fn a_loop_that_ends_in_nested_divergence_belongs_to_it() {
    let mut back = goto(3, 0);
    back.opts.branch_ctrl = true;
    let blocks: [&[Inst]; 4] = [&[unmasked()], &[goto(2, 3)], &[work(), back], &[join(3)]];
    let mut with_join = blocks;
    with_join[1] = &[];
    assert_eq!(found(&with_join, "tgllp"), None);
    let exit = [goto(3, 3)];
    with_join[1] = &exit;
    assert_eq!(found(&with_join, "tgllp"), Some(((0, 0), Wrong::Unmasked)));
}

#[test]
fn both_threads_of_a_pair_go_the_same_way() {
    let call = [jump(Target::Reg)];
    let calls = ["tgllp", "dg2", "pvc"]
        .map(|name| check_program(&program(&[&call]), platform(name), false).is_err());
    assert_eq!(calls, [true, true, false]);
    let mut taken = jump(Target::Block(1));
    taken.pred = goto(0, 0).pred;
    let (first, rest) = ([taken], [work()]);
    let code = program(&[&first, &rest]);
    let explicit =
        [false, true].map(|explicit| check_program(&code, platform("mtl"), explicit).is_err());
    assert_eq!(explicit, [false, true]);
}

#[test]
fn machine_code_is_checked_too() {
    let platform = platform("dg2");
    let with = |moves: &[Inst]| {
        let blocks: [&[Inst]; 4] = [
            &[work(), goto(2, 3)],
            &[work(), jump(Target::Block(3))],
            moves,
            &[join(3), work()],
        ];
        let code = assemble(&program(&blocks), platform).unwrap().code;
        let insts: Vec<Inst> = entries(&code, platform)
            .map(|entry| entry.inst.unwrap())
            .collect();
        check_code(&insts, platform)
            .err()
            .map(|error| (error.at.1, error.what))
    };
    assert_eq!(with(&[unmasked()]), Some((4, Wrong::Idle)));
    assert_eq!(with(&[]), None);
}

/// The driver's compiler heeds the rules: its code has no moves where no channel is active, and predicates what is in nested
/// divergence.
#[test]
fn nothing_is_wrong_with_the_reference_compilers_code() {
    for (name, least) in [("tgllp", 160), ("dg2", 160)] {
        let kernels = kiln_corpus::kernels(&kiln_corpus::COMMON).into_iter();
        let mut count = 0;
        for path in kernels.filter_map(|kernel| kernel.object(name)) {
            let zebin = Zebin::parse(&std::fs::read(&path).unwrap()).unwrap();
            for kernel in &zebin.kernels {
                let code: Vec<Inst> = entries(&kernel.text, platform(name))
                    .map_while(|entry| entry.inst.ok())
                    .collect();
                assert_eq!(flow::check_code(&code), Ok(()), "{}", path.display());
                let found = check_code(&code, platform(name));
                assert_eq!(found, Ok(()), "{}", path.display());
                count += 1;
            }
        }
        assert!(count >= least, "{count} kernels for {name}");
    }
}

#[test]
fn operands_are_read_anew_before_channels_are_left_out() {
    let platform = platform("tgllp");
    let of = |blocks: &[&[Inst]]| {
        let mut program = program(blocks);
        errata::run(&mut program, platform);
        let ops = |block: Vec<Inst>| block.into_iter().map(|inst| inst.op).collect::<Vec<Op>>();
        program.blocks.into_iter().map(ops).collect::<Vec<_>>()
    };
    let (first, last) = ([goto(1, 1)], [join(1), work()]);
    assert_eq!(
        of(&[&first, &last]),
        [vec![Op::Csel, Op::Goto], vec![Op::Join, Op::Mov]]
    );
    let mut tail = [branch(Op::While, 0, 0)];
    assert_eq!(of(&[&[work()], &tail]), [vec![Op::Mov], vec![Op::While]]);
    tail[0].pred = goto(0, 0).pred;
    assert_eq!(
        of(&[&[work()], &tail]),
        [vec![Op::Mov, Op::Csel], vec![Op::While]]
    );
    let mut code = program(&[&first]);
    errata::run(&mut code, platform);
    assert_eq!(verify(&code.blocks[0][0], platform), Ok(()));
    assert!(encode(&code.blocks[0][0], platform).is_ok());
    let mut other = program(&[&first]);
    errata::run(&mut other, self::platform("dg2"));
    assert_eq!(other.blocks[0].len(), 1);
}
