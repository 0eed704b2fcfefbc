//! Instructions as text, and the rules they must keep.

use kiln_emit::inst::{
    Cond, CondMod, Desc, Dst, Inst, MathFn, Message, Op, Place, Pred, PredCtrl, Reg, RegFile,
    Region, Src, Target, Type, VReg,
};
use kiln_emit::platform::{Platform, find};
use kiln_emit::verify::{Violation, verify};

fn platform() -> &'static Platform {
    find("skl").expect("the platform is known")
}

fn words(inst: &Inst) -> String {
    inst.to_string()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn two(op: Op, exec_size: u8, ty: Type) -> Inst {
    let mut inst = Inst::new(op, exec_size);
    inst.dst = Some(Dst::new(Reg::grf(2), 1, ty));
    inst.srcs
        .push(Src::reg(Reg::grf(4), Region::packed(exec_size), ty));
    inst.srcs
        .push(Src::reg(Reg::grf(6), Region::packed(exec_size), ty));
    inst
}

#[test]
fn virtual_registers_are_named_by_index_and_element() {
    let mut inst = two(Op::Cmp, 8, Type::F);
    let flag = Reg::virt(VReg::from_u32(30), 2);
    inst.dst = Some(Dst::new(Reg::NULL, 1, Type::F));
    inst.srcs[0] = Src::reg(Reg::virt(VReg::from_u32(12), 8), Region::SCALAR, Type::F);
    if let Src::Reg(src) = &mut inst.srcs[1] {
        src.modifier.abs = true;
        src.place = Place::Indirect {
            addr: Reg::virt(VReg::from_u32(5), 0),
            imm: -64,
        };
    }
    inst.cond = Some(CondMod {
        cond: Cond::Lt,
        flag,
    });
    inst.no_mask = true;
    inst.pred = Some(Pred {
        flag,
        inverse: true,
        ctrl: PredCtrl::Any(8),
    });
    assert_eq!(
        words(&inst),
        "(W&~v30.1.any8h) cmp (8|M0) (lt)v30.1 null<1>:f v12.2<0;1,0>:f (abs)r[v5.0,-64]<8;8,1>:f"
    );
}

#[test]
fn unplaced_targets_name_their_blocks() {
    let mut inst = Inst::new(Op::Goto, 16);
    inst.jip = Some(Target::Block(3));
    inst.uip = Some(Target::Block(4));
    inst.opts.branch_ctrl = true;
    assert_eq!(words(&inst), "goto.b (16|M0) B3 B4");
}

#[test]
fn sends_write_both_descriptors() {
    let mut inst = Inst::new(Op::Sends, 8);
    inst.dst = Some(Dst::new(Reg::NULL, 1, Type::Ud));
    inst.srcs
        .push(Src::reg(Reg::grf(19), Region::SCALAR, Type::Ud));
    inst.srcs
        .push(Src::reg(Reg::grf(122), Region::SCALAR, Type::Ud));
    let (desc, ex_desc) = (Desc::Imm(0x20f_0132), Desc::Addr { byte: 8 });
    inst.msg = Some(Message {
        sfid: 0,
        eot: true,
        desc,
        ex_desc,
    });
    assert_eq!(
        words(&inst),
        "sends (8|M0) null:ud r19 r122 a0.2 0x020F0132 {EOT}"
    );
}

#[test]
fn align16_without_another_view_shows_its_channels() {
    let mut inst = Inst::new(Op::Mad, 4);
    inst.opts.align16 = true;
    let mut dst = Dst::new(Reg::grf(2), 1, Type::F);
    dst.chan_mask = 0b0110;
    inst.dst = Some(dst);
    for num in 3..6 {
        inst.srcs
            .push(Src::reg(Reg::grf(num), Region::SCALAR, Type::F));
    }
    assert_eq!(
        words(&inst),
        "mad (4|M0) r2.0.yz<1>:f r3.0.r:f r4.0.r:f r5.0.r:f {Align16}"
    );
}

/// The violation that `inst` with `change` is; without the change it is none.
fn violation(mut inst: Inst, change: impl FnOnce(&mut Inst)) -> Violation {
    assert_eq!(verify(&inst, platform()), Ok(()), "{inst}");
    change(&mut inst);
    verify(&inst, platform()).expect_err("a broken rule")
}

fn region(inst: &mut Inst, region: Region) {
    if let Src::Reg(src) = &mut inst.srcs[0] {
        src.region = region;
    }
}

fn place(inst: &mut Inst, num: u32, byte: u16) {
    if let Src::Reg(src) = &mut inst.srcs[0] {
        src.place = Place::Direct(Reg::new(RegFile::Grf, num, byte));
    }
}

macro_rules! breaks {
    ($($name:ident: $inst:expr, $change:expr => $violation:pat,)*) => {$(
        #[test]
        fn $name() {
            let found = violation($inst, $change);
            assert!(matches!(found, $violation), "{found}");
        }
    )*};
}

fn add() -> Inst {
    two(Op::Add, 8, Type::D)
}

fn mad() -> Inst {
    let mut inst = two(Op::Mad, 8, Type::F);
    inst.srcs
        .push(Src::reg(Reg::grf(8), Region::packed(8), Type::F));
    inst
}

fn send() -> Inst {
    let mut inst = Inst::new(Op::Send, 8);
    inst.dst = Some(Dst::new(Reg::grf(2), 1, Type::Ud));
    inst.srcs
        .push(Src::reg(Reg::grf(126), Region::SCALAR, Type::Ud));
    let desc = Desc::Imm(0x0410_6e03);
    inst.msg = Some(Message {
        sfid: 12,
        eot: false,
        desc,
        ex_desc: Desc::Imm(0xc),
    });
    inst
}

breaks! {
    execution_size: add(), |i| i.exec_size = 12 => Violation::ExecSize(12),
    channel_group: add(), |i| i.chan_off = 4 => Violation::Channels { offset: 4, size: 8 },
    source_count: add(), |i| i.srcs.truncate(1) => Violation::Sources { .. },
    comparison: add(), |i| i.op = Op::Cmp => Violation::Operation { op: Op::Cmp, .. },
    selection: add(), |i| i.op = Op::Sel => Violation::Operation { op: Op::Sel, .. },
    width: add(), |i| region(i, Region::new(16, 16, 1)) => Violation::Region { .. },
    single_row: add(), |i| region(i, Region::new(16, 8, 1)) => Violation::Region { .. },
    column_stride: add(), |i| region(i, Region::new(2, 1, 2)) => Violation::Region { .. },
    wide_scalar: add(), |i| region(i, Region::new(0, 4, 0)) => Violation::Region { .. },
    row_across: add(), |i| place(i, 4, 16) => Violation::Region { .. },
    three_registers: add(), |i| region(i, Region::new(16, 4, 2)) => Violation::Span { .. },
    past_the_file: two(Op::Add, 16, Type::D), |i| place(i, 127, 0) => Violation::File { .. },
    alignment: add(), |i| place(i, 4, 2) => Violation::Alignment { .. },
    narrow_result: add(), |i| i.dst = Some(Dst::new(Reg::grf(2), 1, Type::W))
        => Violation::DstStride { expected: 4, found: 2 },
    flat_result: add(), |i| i.dst = Some(Dst::new(Reg::grf(2), 0, Type::D))
        => Violation::Operand { .. },
    first_immediate: add(), |i| i.srcs[0] = Src::imm(Type::D, 1) => Violation::Operand { .. },
    byte_immediate: add(), |i| i.srcs[1] = Src::imm(Type::B, 1) => Violation::Operand { .. },
    flag_file: add(), |i| i.cond = Some(CondMod { cond: Cond::Eq, flag: Reg::grf(0) })
        => Violation::Operand { .. },
    lost_condition: add(), |i| i.cond = Some(CondMod { cond: Cond::Eq, flag: Reg::NULL })
        => Violation::Operation { .. },
    float_remainder: two(Op::Math(MathFn::Pow), 8, Type::F),
        |i| i.op = Op::Math(MathFn::Irem) => Violation::Operation { .. },
    ternary_file: mad(), |i| i.srcs[0] = Src::reg(Reg::NULL, Region::SCALAR, Type::F)
        => Violation::Operand { .. },
    ternary_types: mad(), |i| i.srcs[2] = Src::reg(Reg::grf(8), Region::packed(8), Type::D)
        => Violation::Operand { .. },
    payload_end: send(), |i| place(i, 127, 0) => Violation::File { end: 129, count: 128, .. },
    payload_start: send(), |i| place(i, 120, 8) => Violation::Operand { .. },
    last_message: send(), |i| {
        place(i, 20, 0);
        let message = i.msg.as_mut().expect("a message");
        message.eot = true;
    } => Violation::Operand { .. },
    branch_target: {
        let mut inst = Inst::new(Op::Endif, 8);
        inst.jip = Some(Target::Offset(16));
        inst
    }, |i| i.jip = None => Violation::Operation { .. },
}
