//! Rules of the scoreboard: for each, code that keeps it, and the finding without the annotation.

use crate::kernels::annotated_platforms;
use kiln_emit::inst::{
    Cond, CondMod, Desc, Dst, Inst, MathFn, Message, Op, Pipe, Place, Pred, PredCtrl, Reg, RegFile,
    Region, Src, Swsb, SyncFn, Systolic, Target, TokenUse, Type,
};
use kiln_emit::platform::{PLATFORMS, Platform, find};
use kiln_emit::verify::scoreboard::{Finding, Hazard, Missing, check_code};

fn findings(platform: &str, code: &[Inst]) -> Vec<Finding> {
    check_code(code, find(platform).expect("a known platform")).expect("few ways")
}

/// `op (8) r[dst], r[src], r[src]`.
fn alu(op: Op, ty: Type, dst: u32, src: u32) -> Inst {
    let mut inst = Inst::new(op, 8);
    inst.dst = Some(Dst::new(Reg::grf(dst), 1, ty));
    for _ in 0..2 {
        let src = Src::reg(Reg::grf(src), Region::packed(8), ty);
        inst.srcs.push(src);
    }
    inst
}

fn add(dst: u32, src: u32) -> Inst {
    alu(Op::Add, Type::D, dst, src)
}

fn fadd(dst: u32, src: u32) -> Inst {
    alu(Op::Add, Type::F, dst, src)
}

/// A message of one register each way; `dst` 0 for none.
fn send(sfid: u8, dst: u32, src: u32) -> Inst {
    let mut inst = Inst::new(Op::Send, 8);
    let (to, length) = match dst {
        0 => (Reg::NULL, 0),
        dst => (Reg::grf(dst), 1),
    };
    inst.dst = Some(Dst::new(to, 1, Type::Ud));
    let payload = Src::reg(Reg::grf(src), Region::packed(8), Type::Ud);
    inst.srcs
        .extend([payload, Src::reg(Reg::NULL, Region::packed(8), Type::Ud)]);
    inst.msg = Some(Message {
        sfid,
        eot: false,
        desc: Desc::Imm(1 << 25 | length << 20),
        ex_desc: Desc::Imm(0),
    });
    inst
}

fn sync(function: SyncFn) -> Inst {
    Inst::new(Op::Sync(function), 1)
}

trait Annotated: Sized {
    fn annotated(self, swsb: Swsb) -> Self;
    fn dist(self, pipe: Pipe, count: u8) -> Self;
    fn token(self, used: TokenUse, token: u8) -> Self;
}

impl Annotated for Inst {
    fn annotated(mut self, swsb: Swsb) -> Inst {
        self.swsb = swsb;
        self
    }

    fn dist(self, pipe: Pipe, count: u8) -> Inst {
        let swsb = Swsb {
            dist: Some((pipe, count)),
            ..self.swsb
        };
        self.annotated(swsb)
    }

    fn token(self, used: TokenUse, token: u8) -> Inst {
        let swsb = Swsb {
            token: Some((used, token)),
            ..self.swsb
        };
        self.annotated(swsb)
    }
}

/// The code has no finding, and without the annotations of an instruction exactly this one.
fn needs(platform: &str, code: &[Inst], at: usize, first: usize, hazard: Hazard, missing: Missing) {
    assert_eq!(findings(platform, code), []);
    let mut without = code.to_vec();
    let taken = std::mem::take(&mut without[at].swsb);
    // An instruction that takes a token keeps it.
    without[at].swsb.token = taken.token.filter(|(used, _)| *used == TokenUse::Set);
    let found = findings(platform, &without);
    let expected = Finding {
        first,
        second: at,
        hazard,
        missing,
    };
    assert_eq!(found, [expected]);
}

use Hazard::{ReadAfterWrite as Raw, WriteAfterRead as War, WriteAfterWrite as Waw};

#[test]
fn what_is_computed_in_order_is_waited_for_before_it_is_read() {
    let one = [add(10, 2), add(30, 4), add(12, 10).dist(Pipe::Own, 2)];
    needs("tgllp", &one, 2, 0, Raw, Missing::Distance(2, Pipe::Own));
    let other = [fadd(10, 2), add(30, 4), add(12, 10).dist(Pipe::Float, 1)];
    needs("dg2", &other, 2, 0, Raw, Missing::Distance(1, Pipe::Float));
    let all = [fadd(10, 2), add(30, 4), add(12, 10).dist(Pipe::All, 1)];
    needs("dg2", &all, 2, 0, Raw, Missing::Distance(1, Pipe::Float));
    // Too far back, and in the wrong pipeline.
    for annotated in [
        add(12, 10).dist(Pipe::Float, 2),
        add(12, 10).dist(Pipe::Int, 1),
    ] {
        let code = [fadd(10, 2), add(30, 4), annotated];
        assert_eq!(findings("dg2", &code).len(), 1);
    }
    // Other bytes of the same register are independent.
    let mut half = add(10, 2);
    half.exec_size = 4;
    let mut other = add(30, 10);
    other.exec_size = 4;
    if let Src::Reg(src) = &mut other.srcs[0] {
        src.place = Place::Direct(Reg::new(RegFile::Grf, 10, 16));
    }
    other.srcs[1] = Src::imm(Type::D, 1);
    assert_eq!(findings("tgllp", &[half, other]), []);
}

/// On Tiger Lake what is no operation of the math unit waits for any part of a register that the unit writes.
#[test]
fn results_of_the_math_unit_are_waited_for_by_registers() {
    let inverse = |dst: u32| {
        let mut inst = alu(Op::Math(MathFn::Inv), Type::F, dst, 2);
        inst.exec_size = 4;
        inst.srcs.truncate(1);
        inst.token(TokenUse::Set, 3)
    };
    let reads_beside = |mut inst: Inst| {
        inst.exec_size = 4;
        for src in &mut inst.srcs {
            if let Src::Reg(src) = src {
                src.place = Place::Direct(Reg::new(RegFile::Grf, 10, 16));
            }
        }
        inst
    };
    let waits = [
        inverse(10),
        reads_beside(fadd(30, 10)).token(TokenUse::Dst, 3),
    ];
    let missing = Missing::Token(TokenUse::Dst, 3);
    needs("tgllp", &waits, 1, 0, Raw, missing);
    let math = [
        inverse(10),
        reads_beside(inverse(30)).token(TokenUse::Set, 4),
    ];
    assert_eq!(findings("tgllp", &math), []);
    assert_eq!(
        findings("dg2", &[inverse(10), reads_beside(fadd(30, 10))]),
        []
    );
}

#[test]
fn a_pipeline_has_finished_what_is_far_behind() {
    let mut code = vec![add(10, 2)];
    code.extend((0..9).map(|_| add(30, 4)));
    code.push(add(12, 10));
    assert_eq!(findings("tgllp", &code).len(), 1);
    code.insert(1, add(30, 4));
    assert_eq!(findings("tgllp", &code), []);
    // Messages do not count in a pipeline.
    code.splice(1..1, (0..20).map(|_| send(10, 0, 90)));
    code.remove(30);
    assert_eq!(findings("tgllp", &code).len(), 1);
}

#[test]
fn pipelines_do_not_wait_for_each_other() {
    let waw = [fadd(10, 2), add(10, 4).dist(Pipe::Float, 1)];
    needs("dg2", &waw, 1, 0, Waw, Missing::Distance(1, Pipe::Float));
    let war = [fadd(10, 2), add(2, 4).dist(Pipe::Float, 1)];
    needs("dg2", &war, 1, 0, War, Missing::Distance(1, Pipe::Float));
    // On platforms with one pipeline, and within a pipeline, distances count.
    assert_eq!(findings("dg2", &[add(10, 2), add(10, 4), add(4, 6)]), []);
    assert_eq!(findings("tgllp", &[fadd(10, 2), add(10, 4), add(2, 4)]), []);
    let message = [
        add(10, 2),
        send(10, 2, 90).dist(Pipe::Own, 1).token(TokenUse::Set, 0),
    ];
    needs(
        "tgllp",
        &message,
        1,
        0,
        War,
        Missing::Distance(1, Pipe::Own),
    );
}

#[test]
fn messages_are_waited_for_by_their_tokens() {
    let sent = || send(10, 10, 2).token(TokenUse::Set, 3);
    let dst = Missing::Token(TokenUse::Dst, 3);
    for platform in annotated_platforms().map(|platform| platform.name) {
        let raw = [sent(), add(30, 10).token(TokenUse::Dst, 3)];
        needs(platform, &raw, 1, 0, Raw, dst);
        let waw = [sent(), add(10, 4).token(TokenUse::Dst, 3)];
        needs(platform, &waw, 1, 0, Waw, dst);
        let war = [sent(), add(2, 4).token(TokenUse::Src, 3)];
        needs(platform, &war, 1, 0, War, Missing::Token(TokenUse::Src, 3));
        // Waiting for the read does not cover the write.
        let code = [sent(), add(30, 10).token(TokenUse::Src, 3)];
        assert_eq!(findings(platform, &code).len(), 1);
        // Waiting for another token does not count.
        let code = [sent(), add(30, 10).token(TokenUse::Dst, 4)];
        assert_eq!(findings(platform, &code).len(), 1);
        // An instruction that takes a token waits until it is free.
        let code = [sent(), send(10, 20, 4).token(TokenUse::Set, 3), add(30, 10)];
        assert_eq!(findings(platform, &code), []);
    }
    let code = [send(10, 10, 2), add(30, 10).token(TokenUse::Dst, 0)];
    assert_eq!(findings("tgllp", &code)[0].missing, Missing::NoToken);
}

#[test]
fn a_function_reads_its_messages_in_order() {
    let other = |sfid| send(sfid, 2, 90).token(TokenUse::Set, 1);
    let two = |second: Inst| [send(10, 0, 2).token(TokenUse::Set, 0), second];
    assert_eq!(findings("tgllp", &two(other(10))), []);
    assert_eq!(findings("tgllp", &two(other(12))).len(), 1);
    // Waiting for a later message of a function covers the earlier ones.
    let code = [
        send(10, 0, 2).token(TokenUse::Set, 0),
        send(10, 0, 4).token(TokenUse::Set, 1),
        add(4, 6).token(TokenUse::Src, 1),
        add(2, 6),
    ];
    assert_eq!(findings("tgllp", &code), []);
    let mut predicated = other(10);
    predicated.pred = Some(Pred {
        flag: Reg::new(RegFile::Flag, 0, 0),
        inverse: false,
        ctrl: PredCtrl::Normal,
    });
    assert_eq!(findings("tgllp", &two(predicated)).len(), 1);
}

#[test]
fn syncs_wait_for_the_tokens_they_name() {
    let sent = || send(10, 10, 2).token(TokenUse::Set, 3);
    let named = |function, mask| {
        let mut inst = sync(function);
        inst.srcs.push(Src::imm(Type::Ud, mask));
        inst
    };
    for (waits, reading, writing) in [
        (sync(SyncFn::AllWr), true, true),
        (sync(SyncFn::AllRd), true, false),
        (named(SyncFn::AllWr, 8), true, true),
        (named(SyncFn::AllRd, 8), true, false),
        (named(SyncFn::AllWr, 4), false, false),
        (sync(SyncFn::Nop), false, false),
        (sync(SyncFn::Nop).token(TokenUse::Dst, 3), true, true),
    ] {
        let found = findings("tgllp", &[sent(), waits.clone(), add(2, 4)]);
        assert_eq!(found.is_empty(), reading, "{waits}");
        let found = findings("tgllp", &[sent(), waits.clone(), add(30, 10)]);
        assert_eq!(found.is_empty(), writing, "{waits}");
    }
}

#[test]
fn every_path_must_wait() {
    let mut goto = Inst::new(Op::Goto, 8);
    goto.pred = Some(Pred {
        flag: Reg::new(RegFile::Flag, 0, 0),
        inverse: false,
        ctrl: PredCtrl::Normal,
    });
    goto.jip = Some(Target::Offset(48));
    goto.uip = Some(Target::Offset(48));
    let mut join = Inst::new(Op::Join, 8);
    join.jip = Some(Target::Offset(16));
    let code = |on_one: bool| {
        let waits = if on_one {
            sync(SyncFn::Nop).token(TokenUse::Dst, 3)
        } else {
            add(40, 4)
        };
        let behind = if on_one {
            add(44, 4)
        } else {
            sync(SyncFn::Nop).token(TokenUse::Dst, 3)
        };
        let sent = send(10, 10, 2).token(TokenUse::Set, 3);
        vec![
            sent,
            goto.clone(),
            waits,
            add(42, 4),
            join.clone(),
            behind,
            add(30, 10),
        ]
    };
    assert_eq!(findings("tgllp", &code(false)), []);
    let found = findings("tgllp", &code(true));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].first, found[0].second), (0, 6));
    // Channels on the other side of an `else` access other bytes, except without a mask.
    let mut begin = Inst::new(Op::If, 8);
    begin.pred = goto.pred;
    begin.jip = Some(Target::Offset(48));
    begin.uip = Some(Target::Offset(64));
    let mut middle = Inst::new(Op::Else, 8);
    middle.jip = Some(Target::Offset(32));
    middle.uip = Some(Target::Offset(32));
    let mut end = Inst::new(Op::Endif, 8);
    end.jip = Some(Target::Offset(16));
    let sent = send(10, 10, 2).token(TokenUse::Set, 3);
    let mut sides = vec![begin, sent, middle, add(30, 10), end];
    assert_eq!(findings("tgllp", &sides), []);
    sides[3].no_mask = true;
    assert_eq!(findings("tgllp", &sides).len(), 1);
    // Back to the head of a loop.
    let mut back = Inst::new(Op::While, 8);
    back.jip = Some(Target::Offset(-32));
    let loops = [add(30, 10), send(10, 10, 2).token(TokenUse::Set, 0), back];
    let found = findings("tgllp", &loops);
    assert_eq!(
        (found[0].first, found[0].second, found[0].hazard),
        (1, 0, Raw)
    );
}

#[test]
fn a_jump_is_taken_though_no_channel_is_active() {
    let mut goto = Inst::new(Op::Goto, 8);
    goto.jip = Some(Target::Offset(64));
    goto.uip = Some(Target::Offset(112));
    let mut first = Inst::new(Op::Join, 8);
    first.jip = Some(Target::Offset(16));
    let jump = |pred| {
        let mut jump = Inst::new(Op::Jmpi, 1);
        jump.jip = Some(Target::Offset(32));
        jump.no_mask = true;
        jump.pred = pred;
        jump
    };
    let all = |mut inst: Inst| {
        inst.no_mask = true;
        inst
    };
    let code = |pred| {
        let sent = send(10, 10, 2).token(TokenUse::Set, 3);
        let last = all(Inst::new(Op::Join, 8));
        vec![
            sent,
            goto.clone(),
            add(40, 4),
            add(42, 4),
            // Nobody waits at the first place, so that the path goes on with no channel.
            add(44, 4),
            first.clone(),
            jump(pred),
            all(add(30, 10)),
            all(add(46, 4)),
            last,
        ]
    };
    assert_eq!(findings("bmg", &code(None)), []);
    let pred = Pred {
        flag: Reg::new(RegFile::Flag, 0, 0),
        inverse: false,
        ctrl: PredCtrl::Normal,
    };
    let found = findings("bmg", &code(Some(pred)));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].first, found[0].second), (0, 7));
}

#[test]
fn chains_of_systolic_operations_finish_together() {
    let shape = Systolic {
        depth: 8,
        repeat: 8,
    };
    let dpas = |dst: u32, acc: u32| {
        let mut inst = Inst::new(Op::Dpas(shape), 8);
        inst.dst = Some(Dst::new(Reg::grf(dst), 1, Type::F));
        for num in [acc, 60, 80] {
            inst.srcs
                .push(Src::reg(Reg::grf(num), Region::packed(8), Type::F));
        }
        inst
    };
    let mut bound = dpas(10, 10);
    bound.opts.atomic = true;
    let chain = |last: Inst| [bound.clone(), last, add(100, 12).token(TokenUse::Dst, 2)];
    let whole = chain(dpas(20, 20).token(TokenUse::Set, 2));
    needs("dg2", &whole, 2, 0, Raw, Missing::Token(TokenUse::Dst, 2));
}

#[test]
fn the_hardware_watches_other_registers_itself() {
    let mut address = Inst::new(Op::Mov, 1);
    address.dst = Some(Dst::new(Reg::new(RegFile::Addr, 0, 0), 1, Type::Ud));
    address.srcs.push(Src::imm(Type::Ud, 0));
    let mut by_address = send(15, 0, 90).token(TokenUse::Set, 0);
    if let Some(message) = &mut by_address.msg {
        message.ex_desc = Desc::Addr { byte: 0 };
    }
    let mut flagged = add(30, 4);
    flagged.cond = Some(CondMod {
        cond: Cond::Eq,
        flag: Reg::new(RegFile::Flag, 0, 0),
    });
    let mut predicated = add(32, 4);
    predicated.pred = Some(Pred {
        flag: Reg::new(RegFile::Flag, 0, 0),
        inverse: false,
        ctrl: PredCtrl::Normal,
    });
    let code = [address, by_address, flagged, predicated];
    assert_eq!(findings("dg2", &code), []);
}

#[test]
fn platforms_that_look_for_hazards_themselves_have_no_findings() {
    let waits =
        |platform: &&Platform| annotated_platforms().all(|other| other.name != platform.name);
    for platform in PLATFORMS.iter().filter(waits) {
        assert_eq!(findings(platform.name, &[add(10, 2), add(12, 10)]), []);
    }
}
