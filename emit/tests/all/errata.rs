//! Workarounds for errata are applied only on platforms that have them, and only to the affected instructions.

use kiln_emit::assemble::Program;
use kiln_emit::errata;
use kiln_emit::inst::{
    Cond, CondMod, Desc, Dst, Inst, MathFn, Message, Op, Pipe, Place, Pred, PredCtrl, Reg, RegFile,
    Region, Src, SrcReg, Systolic, Type,
};
use kiln_emit::messages::others::end_of_thread;
use kiln_emit::messages::{Flush, Function, Kind, Request, Scope, Simd, Surface, Value, data_port};
use kiln_emit::platform::find;
use kiln_emit::verify::{errata as check, pairs, verify};
use kiln_platform::errata::Erratum;

fn message(from: u32) -> Inst {
    let mut inst = Inst::new(Op::Send, 8);
    inst.dst = Some(Dst::new(Reg::NULL, 1, Type::Ud));
    inst.srcs
        .push(Src::reg(Reg::grf(from), Region::SCALAR, Type::Ud));
    inst.msg = Some(Message {
        sfid: 12,
        eot: false,
        desc: Desc::Imm(0x0200_0000),
        ex_desc: Desc::Imm(12),
    });
    inst
}

/// Reads one element for each address, or for one address a row of them.
fn read(vstride: Option<u8>) -> Inst {
    let mut inst = Inst::new(Op::Mov, 8);
    inst.dst = Some(Dst::new(Reg::grf(20), 1, Type::Ud));
    let mut src = Src::reg(Reg::grf(0), Region::packed(1), Type::Ud);
    if let Src::Reg(SrcReg { place, region, .. }) = &mut src {
        *place = Place::Indirect {
            addr: Reg::new(RegFile::Addr, 0, 0),
            imm: 0,
        };
        region.vstride = vstride;
    }
    inst.srcs.push(src);
    inst
}

fn after(name: &str, insts: &[Inst]) -> Vec<Inst> {
    let platform = find(name).expect("a known platform");
    let mut program = Program {
        blocks: vec![insts.to_vec()],
    };
    errata::run(&mut program, platform);
    program.blocks.remove(0)
}

#[test]
fn messages_from_a_register_are_not_interrupted() {
    let insts = [message(2), message(3)];
    let found = after("icllp", &insts);
    assert_eq!(
        found.iter().map(|i| i.opts.no_preempt).collect::<Vec<_>>(),
        [true, false]
    );
    for other in ["skl", "tgllp"] {
        assert_eq!(after(other, &insts), insts, "{other}");
    }
}

#[test]
fn addresses_start_at_zero_where_each_row_has_one() {
    let (rows, one) = ([read(None)], [read(Some(1))]);
    let found = after("icllp", &rows);
    assert_eq!(found.len(), 2);
    assert_eq!(found[1], rows[0]);
    assert_eq!(
        found[0]
            .to_string()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        "(W) mov (16|M0) a0.0<1>:uw 0x0:uw"
    );
    assert_eq!(verify(&found[0], find("icllp").unwrap()), Ok(()));
    assert_eq!(after("icllp", &one), one);
    assert_eq!(after("skl", &rows), rows);
}

fn text(inst: &Inst) -> String {
    inst.to_string()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// A fence whose response is in r20.
fn fence(name: &str) -> Inst {
    let platform = find(name).expect("a known platform");
    let request = data_port::memory_fence(true).lengths(1, 0, 1);
    let mut inst = message(10);
    inst.dst = Some(Dst::new(Reg::grf(20), 1, Type::Ud));
    inst.msg = Some(request.encode(platform.family).expect("a fence").message());
    inst
}

/// The message that ends a thread.
fn end(name: &str) -> Inst {
    let platform = find(name).expect("a known platform");
    let request = end_of_thread(platform.family);
    let mut inst = message(127);
    inst.no_mask = true;
    inst.msg = Some(request.encode(platform.family).expect("an end").message());
    inst
}

fn write(num: u32, size: u8) -> Inst {
    let mut inst = Inst::new(Op::Mov, size);
    inst.no_mask = true;
    inst.dst = Some(Dst::new(Reg::grf(num), 1, Type::Ud));
    inst.srcs.push(Src::imm(Type::Ud, 0));
    inst
}

fn quotient() -> Inst {
    let mut inst = Inst::new(Op::Math(MathFn::Fdiv), 8);
    inst.dst = Some(Dst::new(Reg::grf(30), 1, Type::F));
    let source = |num| Src::reg(Reg::grf(num), Region::packed(8), Type::F);
    inst.srcs.extend([source(4), source(5)]);
    inst
}

fn control() -> Inst {
    let mut inst = write(0, 1);
    inst.dst = Some(Dst::new(Reg::new(RegFile::Control, 0, 0), 1, Type::Ud));
    inst
}

fn compare() -> Inst {
    let mut inst = Inst::new(Op::Cmp, 8);
    inst.dst = Some(Dst::new(Reg::NULL, 1, Type::D));
    let source = Src::reg(Reg::grf(4), Region::packed(8), Type::D);
    inst.srcs.extend([source, Src::imm(Type::D, 0)]);
    inst.cond = Some(CondMod {
        cond: Cond::Eq,
        flag: Reg::new(RegFile::Flag, 1, 0),
    });
    inst
}

fn found(name: &str, code: &[Inst]) -> Vec<Erratum> {
    let platform = find(name).expect("a known platform");
    let findings = check::check_code(code, platform);
    findings.iter().map(|finding| finding.erratum).collect()
}

/// The pass adds what is wanted; the check, which shares no code with it, finds nothing then, and the erratum before.
fn mended(name: &str, code: &[Inst], erratum: Erratum) -> Vec<String> {
    assert_eq!(found(name, code), [erratum], "{name}");
    let after = after(name, code);
    assert_eq!(found(name, &after), [], "{name}");
    after.iter().map(text).collect()
}

#[test]
fn the_response_of_a_fence_is_read_at_once() {
    for name in ["skl", "icllp"] {
        let code = mended(
            name,
            &[fence(name), message(30)],
            Erratum::FenceResponseRead,
        );
        assert_eq!(
            code[1], "(W) mov (8|M0) null<1>:ud r20.0<8;8,1>:ud",
            "{name}"
        );
    }
    let code = [fence("tgllp"), message(30)];
    assert_eq!(after("tgllp", &code), code);
}

#[test]
fn a_nop_separates_quotients_from_wide_results() {
    let code = mended(
        "skl",
        &[quotient(), write(40, 16)],
        Erratum::NopAfterQuotient,
    );
    assert_eq!(code[1], "nop");
    // The next instruction may be in another block.
    let mut program = Program {
        blocks: vec![vec![quotient()], vec![], vec![write(40, 16)]],
    };
    errata::run(&mut program, find("skl").expect("a known platform"));
    assert_eq!(found("skl", &program.blocks.concat()), []);
    let narrow = [quotient(), write(40, 8)];
    assert_eq!(after("skl", &narrow), narrow);
    let later = [quotient(), write(40, 16)];
    assert_eq!(after("icllp", &later), later);
}

#[test]
fn writes_of_control_registers_switch_threads() {
    for name in ["skl", "icllp"] {
        mended(name, &[control()], Erratum::SwitchOnUnscored);
    }
}

#[test]
fn flags_that_nobody_read_are_read_before_the_end() {
    let code = mended("skl", &[compare(), end("skl")], Erratum::FlagsReadBeforeEnd);
    assert_eq!(code[1], "(W) mov (1|M0) null<1>:ud f1.0<0;1,0>:ud");
    let code = [compare(), end("icllp")];
    assert_eq!(after("icllp", &code).len(), 2);
}

#[test]
fn a_thread_that_wrote_the_accumulator_ends_with_zero_there() {
    let mut product = write(0, 16);
    product.dst = Some(Dst::new(Reg::new(RegFile::Acc, 0, 0), 1, Type::F));
    product.srcs[0] = Src::imm(Type::F, 0x3f80_0000);
    let code = [product, end("tgllp")];
    assert!(found("tgllp", &code).contains(&Erratum::AccumulatorClearedBeforeEnd));
    let after = after("tgllp", &code);
    assert!(!found("tgllp", &after).contains(&Erratum::AccumulatorClearedBeforeEnd));
}

#[test]
fn a_kernel_begins_without_a_mask() {
    for name in ["tgllp", "dg2", "mtl", "pvc"] {
        let mut masked = write(8, 8);
        masked.no_mask = false;
        let code = [masked, end(name)];
        assert!(
            found(name, &code).contains(&Erratum::FirstInstructionUnmasked),
            "{name}"
        );
        let after = after(name, &code);
        assert!(
            !found(name, &after).contains(&Erratum::FirstInstructionUnmasked),
            "{name}"
        );
        assert!(after.contains(&code[0]), "{name}");
    }
}

#[test]
fn something_is_after_the_end() {
    for name in ["tgllp", "dg2", "pvc"] {
        let code = [write(8, 8), end("tgllp")];
        assert!(found(name, &code).contains(&Erratum::NopAfterEnd), "{name}");
        let after = after(name, &code);
        assert_eq!(text(&after[after.len() - 1]), "nop", "{name}");
        assert!(
            !found(name, &after).contains(&Erratum::NopAfterEnd),
            "{name}"
        );
    }
}

#[test]
fn the_end_waits_for_the_instruction_before() {
    let mut last = end("tgllp");
    let code = [write(8, 8), last.clone(), Inst::new(Op::Nop, 1)];
    assert_eq!(found("tgllp", &code), [Erratum::EndWaitsForAll]);
    last.swsb.dist = Some((Pipe::Own, 1));
    let code = [write(8, 8), last, Inst::new(Op::Nop, 1)];
    assert_eq!(found("tgllp", &code), []);
}

#[test]
fn a_kernel_begins_with_all_channels() {
    let mut first = write(8, 8);
    first.no_mask = false;
    let mut last = end("tgllp");
    last.swsb.dist = Some((Pipe::Own, 1));
    let code = [first, last, Inst::new(Op::Nop, 1)];
    assert_eq!(found("tgllp", &code), [Erratum::FirstInstructionUnmasked]);
}

/// A store ends with a fence, which takes the header of the last message.
#[test]
fn stores_are_fenced_before_the_end() {
    let store = |name: &str| {
        let platform = find(name).expect("a known platform");
        let request = data_port::untyped_write(1, Simd::S8).surface(Surface::Bti(0));
        let request = request.lengths(2, 0, 0);
        let mut inst = message(10);
        inst.msg = Some(request.encode(platform.family).expect("a store").message());
        inst
    };
    for name in ["icllp", "tgllp"] {
        let sends = |code: &[Inst]| {
            let after = after(name, code);
            after.iter().filter(|inst| inst.op.is_send()).count()
        };
        assert_eq!(sends(&[store(name), end(name)]), 3, "{name}");
        assert_eq!(sends(&[end(name)]), 1, "{name}");
    }
}

#[test]
fn products_do_not_take_the_second_source_of_others() {
    let product = |op: Op, region: Region| {
        let mut inst = Inst::new(op, 16);
        inst.dst = Some(Dst::new(Reg::grf(8), 1, Type::D));
        let first = Src::reg(Reg::grf(4), Region::packed(16), Type::D);
        inst.srcs
            .extend([first, Src::reg(Reg::grf(6), region, Type::D)]);
        inst
    };
    let flat = Region::new(1, 1, 0);
    let stale = [product(Op::Mul, Region::SCALAR), product(Op::Mul, flat)];
    assert_eq!(
        text(&after("bmg", &stale)[1]),
        "(W) add (1|M0) null<1>:uw null<0;1,0>:uw 0x0:uw"
    );
    for same in [
        [product(Op::Mul, flat), product(Op::Mul, flat)],
        [product(Op::Mul, flat), product(Op::Mul, Region::SCALAR)],
    ] {
        assert_eq!(after("bmg", &same), same);
    }
    assert_eq!(after("pvc", &stale), stale);
    let sum = product(Op::Add, flat);
    assert_eq!(after("bmg", &[sum, product(Op::Macl, flat)]).len(), 3);
}

fn annotated(name: &str, blocks: Vec<Vec<Inst>>) -> Vec<Vec<Inst>> {
    let mut program = Program { blocks };
    kiln_emit::scoreboard::run(&mut program, find(name).expect("a known platform"), &[]);
    program.blocks
}

#[test]
fn no_block_ends_with_an_access_to_the_state() {
    for (name, pipe) in [("tgllp", Pipe::Own), ("dg2", Pipe::All), ("bmg", Pipe::All)] {
        let blocks = annotated(name, vec![vec![control()], vec![write(8, 8)]]);
        let last = &blocks[0][1];
        assert!(matches!(last.op, Op::Sync(_)), "{name}: {last}");
        assert_eq!(last.swsb.dist, Some((pipe, 1)), "{name}");
    }
}

#[test]
fn the_first_address_waits_for_floats() {
    let mut address = write(0, 1);
    address.dst = Some(Dst::new(Reg::new(RegFile::Addr, 0, 0), 1, Type::Uw));
    address.srcs[0] = Src::imm(Type::Uw, 0);
    let blocks = annotated("bmg", vec![vec![address.clone(), address]]);
    let distances: Vec<_> = blocks[0].iter().map(|inst| inst.swsb.dist).collect();
    assert_eq!(distances[0], Some((Pipe::Float, 1)));
    assert_ne!(distances[1], Some((Pipe::Float, 1)));
}

#[test]
fn code_that_overwrites_the_header_is_known() {
    let overwrites = |name: &str, num: u32| {
        let program = Program {
            blocks: vec![vec![write(num, 8)]],
        };
        errata::header::is_overwritten(&program, find(name).expect("a known platform"))
    };
    assert!(overwrites("skl", 1) && overwrites("bmg", 0));
    assert!(!overwrites("skl", 2) && !overwrites("pvc", 0));
}

/// An instruction that breaks a rule by itself, with the platform and the erratum.
fn planted() -> Vec<(&'static str, Erratum, Inst)> {
    let of = |op, dst: (Reg, u8, Type), srcs: &[Src]| {
        let mut inst = Inst::new(op, 16);
        inst.no_mask = true;
        inst.dst = Some(Dst::new(dst.0, dst.1, dst.2));
        inst.srcs.extend(srcs.iter().copied());
        inst
    };
    let grf = |num, byte| Reg::new(RegFile::Grf, num, byte);
    let flat = |num, byte, ty| Src::reg(grf(num, byte), Region::packed(16), ty);
    let send = |dst, from, sfid, desc| {
        let mut inst = message(from);
        inst.dst = Some(Dst::new(dst, 1, Type::Ud));
        inst.msg = Some(Message {
            sfid,
            eot: false,
            desc: Desc::Imm(desc),
            ex_desc: Desc::Imm(sfid.into()),
        });
        inst
    };
    let asked = |name: &str, request: Request| {
        let platform = find(name).expect("a known platform");
        let mut inst = message(10);
        inst.msg = Some(
            request
                .encode(platform.family)
                .expect("a message")
                .message(),
        );
        inst
    };
    let fence = |scope, flush| {
        let request = Request::new(Function::Untyped, Kind::Fence).lengths(1, 0, 1);
        request.with(Value::Scope(scope)).with(Value::Flush(flush))
    };
    let mut descriptor = message(10);
    if let Some(message) = &mut descriptor.msg {
        message.ex_desc = Desc::Imm(0xb000);
    }
    let mut call = of(
        Op::Calla,
        (grf(30, 0), 1, Type::Ud),
        &[Src::reg(grf(4, 4), Region::SCALAR, Type::Ud)],
    );
    call.jip = Some(kiln_emit::inst::Target::Reg);
    let halves = (grf(8, 0), 1, Type::Hf);
    let scalar = Src::reg(grf(4, 0), Region::SCALAR, Type::Hf);
    let acc = Reg::new(RegFile::Acc, 0, 0);
    // A wait for the pipeline of the operands' type.
    let unnamed = |ty| {
        let mut inst = of(Op::Mov, (grf(8, 0), 1, ty), &[flat(4, 0, ty)]);
        inst.swsb.dist = Some((Pipe::Own, 1));
        inst
    };
    vec![
        (
            "skl",
            Erratum::MixedSelectUnpacked,
            of(
                Op::Sel,
                halves,
                &[flat(4, 0, Type::F), flat(6, 0, Type::Hf)],
            ),
        ),
        (
            "skl",
            Erratum::Reserved127,
            send(Reg::grf(127), 127, 12, 0x0210_0000),
        ),
        (
            "tgllp",
            Erratum::SamplerFlushedBeforeEnd,
            send(Reg::NULL, 10, 2, 0x0404_8000),
        ),
        (
            "dg2",
            Erratum::FenceInvalidates,
            asked("dg2", fence(Scope::Gpu, Flush::None)),
        ),
        (
            "bmg",
            Erratum::FenceDiscards,
            asked("bmg", fence(Scope::Gpu, Flush::Discard)),
        ),
        ("bmg", Erratum::DescriptorBits, descriptor),
        ("pvc", Erratum::CallaRegister, call),
        (
            "pvc",
            Erratum::HalfToInteger,
            of(Op::Mov, (grf(8, 0), 1, Type::D), &[flat(4, 0, Type::Hf)]),
        ),
        (
            "pvc",
            Erratum::HalfMathScalars,
            of(Op::Math(MathFn::Inv), halves, &[scalar]),
        ),
        (
            "bmg",
            Erratum::HalfMathScalarsToo,
            of(Op::Math(MathFn::Inv), halves, &[scalar]),
        ),
        (
            "pvc",
            Erratum::HalfMathAligned,
            of(
                Op::Math(MathFn::Inv),
                (grf(8, 32), 1, Type::Hf),
                &[flat(4, 0, Type::Hf)],
            ),
        ),
        ("pvc", Erratum::DistanceAndToken, unnamed(Type::D)),
        ("pvc", Erratum::LongTypeWaits, unnamed(Type::Q)),
        (
            "bmg",
            Erratum::OddWordSource,
            of(
                Op::Add,
                (grf(8, 0), 4, Type::B),
                &[flat(4, 0, Type::W), flat(6, 2, Type::W)],
            ),
        ),
        (
            "bmg",
            Erratum::SelectWordOfDwords,
            of(
                Op::Sel,
                (grf(8, 4), 2, Type::W),
                &[flat(4, 0, Type::D), flat(6, 0, Type::D)],
            ),
        ),
        (
            "tgllp",
            Erratum::AccumulatorPacked,
            of(Op::Mov, (acc, 2, Type::F), &[flat(4, 0, Type::F)]),
        ),
    ]
}

#[test]
fn errata_of_one_instruction_are_found() {
    for (name, erratum, inst) in planted() {
        let nop = Inst::new(Op::Nop, 1);
        let code = [nop.clone(), inst, nop];
        assert!(
            found(name, &code).contains(&erratum),
            "{erratum:?}: {}",
            code[1]
        );
        let other = if name == "skl" { "pvc" } else { "skl" };
        let has = find(other).expect("a known platform").needs(erratum);
        assert!(
            has || !found(other, &code).contains(&erratum),
            "{erratum:?}"
        );
    }
}

#[test]
fn barriers_find_their_counter_cleared() {
    let platform = find("skl").expect("a known platform");
    let request = kiln_emit::messages::others::barrier();
    let mut signal = message(10);
    signal.msg = Some(
        request
            .encode(platform.family)
            .expect("a barrier")
            .message(),
    );
    let mut clear = write(0, 1);
    clear.dst = Some(Dst::new(Reg::new(RegFile::Notification, 0, 0), 1, Type::Ud));
    let unswitched = clear.clone();
    clear.opts.switch = true;
    let rule = Erratum::CountClearedBeforeBarrier;
    assert!(found("skl", &[signal.clone()]).contains(&rule));
    assert!(found("skl", &[unswitched, signal.clone()]).contains(&rule));
    assert!(!found("skl", &[clear, signal]).contains(&rule));
}

#[test]
fn no_kernel_begins_with_a_bound_move() {
    let mut first = write(8, 8);
    first.opts.atomic = true;
    let code = [first, end("bmg")];
    assert!(found("bmg", &code).contains(&Erratum::WriteCombineFirst));
}

fn moved(to: u32, from: u32, ty: Type) -> Inst {
    let mut inst = write(to, 16);
    inst.dst = Some(Dst::new(Reg::grf(to), 1, ty));
    inst.srcs[0] = Src::reg(Reg::grf(from), Region::packed(16), ty);
    inst
}

#[test]
fn paths_of_floats_do_not_share_a_source() {
    let sum = |ty| {
        let mut inst = moved(20, 4, ty);
        inst.op = Op::Add;
        inst.srcs.push(Src::imm(ty, 0));
        inst
    };
    let halves = [moved(10, 4, Type::Hf), sum(Type::Hf)];
    let texts = mended("pvc", &halves, Erratum::FloatSuppression);
    assert!(texts[1].contains("csel"), "{texts:?}");
    for other in [
        [moved(10, 5, Type::Hf), sum(Type::Hf)],
        [moved(10, 4, Type::F), sum(Type::F)],
    ] {
        assert_eq!(after("pvc", &other), other);
        assert_eq!(found("pvc", &other), []);
    }
    assert_eq!(found("bmg", &halves), []);
}

#[test]
fn a_thread_with_256_registers_ends_after_selections() {
    let last = |from| {
        let mut end = end("dg2");
        end.srcs[0] = Src::reg(Reg::grf(from), Region::packed(8), Type::Ud);
        end.swsb.dist = Some((Pipe::All, 1));
        [write(8, 8), end, Inst::new(Op::Nop, 1)]
    };
    let texts = mended("dg2", &last(255), Erratum::CselBeforeEnd256);
    assert!(
        texts[1].contains("csel") && texts[2].contains("csel"),
        "{texts:?}"
    );
    assert_eq!(found("dg2", &last(127)), []);
}

/// A systolic operation of eight rows.
fn systolic() -> Inst {
    let shape = Systolic {
        depth: 8,
        repeat: 8,
    };
    let mut inst = Inst::new(Op::Dpas(shape), 8);
    inst.no_mask = true;
    inst.dst = Some(Dst::new(Reg::grf(40), 1, Type::F));
    let source = |num, ty| Src::reg(Reg::grf(num), Region::packed(1), ty);
    inst.srcs.extend([
        source(40, Type::F),
        source(60, Type::Hf),
        source(80, Type::Hf),
    ]);
    inst
}

#[test]
fn columns_are_read_anew_where_channels_may_be_left_out() {
    let mut chosen = message(10);
    chosen.dst = Some(Dst::new(Reg::grf(20), 1, Type::Ud));
    chosen.pred = Some(Pred {
        flag: Reg::new(RegFile::Flag, 0, 0),
        inverse: false,
        ctrl: PredCtrl::Normal,
    });
    let nop = || Inst::new(Op::Nop, 1);
    let code = [nop(), systolic(), systolic(), chosen];
    let texts = mended("dg2", &code, Erratum::SystolicSuppression);
    assert!(
        texts[1].starts_with("mov") && texts[1].contains("r60.0"),
        "{texts:?}"
    );
    assert_eq!(texts.len(), code.len() + 1);
    assert_eq!(found("dg2", &code[..3]), []);
}

#[test]
fn pairs_share_no_columns_that_were_computed() {
    let wrong = |platform: &str, insts: &[Inst]| {
        let program = Program {
            blocks: vec![insts.to_vec()],
        };
        let platform = find(platform).expect("a known platform");
        pairs::check_program(&program, platform, false)
            .err()
            .map(|error| error.what)
    };
    let computed = [moved(62, 4, Type::F), systolic()];
    assert_eq!(wrong("dg2", &computed), Some(pairs::Wrong::Stale));
    assert_eq!(wrong("mtl", &computed), None);
    assert_eq!(wrong("dg2", &[moved(70, 4, Type::F), systolic()]), None);
}

/// The distance of the second of two instructions.
fn waited(name: &str, insts: [Inst; 2]) -> Option<(Pipe, u8)> {
    annotated(name, vec![insts.to_vec()])[0][1].swsb.dist
}

#[test]
fn a_register_that_two_sources_read_is_whole() {
    let mut twice = write(20, 8);
    let part = |byte| Src::reg(Reg::new(RegFile::Grf, 8, byte), Region::SCALAR, Type::Ud);
    twice.op = Op::Add;
    twice.srcs = [part(16), part(20)].into_iter().collect();
    let mut once = twice.clone();
    once.srcs[1] = Src::imm(Type::Ud, 1);
    let small = write(8, 1);
    assert_eq!(
        waited("tgllp", [small.clone(), twice.clone()]),
        Some((Pipe::Own, 1))
    );
    assert_eq!(waited("tgllp", [small.clone(), once]), None);
    assert_eq!(waited("bmg", [small, twice]), None);
}

#[test]
fn accumulators_are_not_overwritten_before_they_are_read() {
    let acc = Reg::new(RegFile::Acc, 0, 0);
    let mut read = moved(20, 4, Type::F);
    read.srcs[0] = Src::reg(acc, Region::packed(16), Type::F);
    let mut overwrites = moved(0, 6, Type::D);
    overwrites.dst = Some(Dst::new(acc, 1, Type::D));
    for name in ["dg2", "bmg"] {
        let distance = waited(name, [read.clone(), overwrites.clone()]);
        assert_eq!(distance, Some((Pipe::Float, 1)), "{name}");
    }
}

#[test]
fn distances_name_their_pipeline() {
    let code = || [write(8, 16), moved(20, 8, Type::Ud)];
    assert_eq!(waited("pvc", code()), Some((Pipe::Int, 1)));
    assert_eq!(waited("dg2", code()), Some((Pipe::Int, 1)));
    let sum = |name| {
        let mut sum = moved(20, 8, Type::Ud);
        sum.swsb.dist = Some((Pipe::Own, 1));
        found(name, &[sum, write(8, 16)])
    };
    assert_eq!(sum("pvc"), [Erratum::DistanceAndToken]);
    assert_eq!(sum("dg2"), []);
}
