//! Instructions as text.

use kiln_emit::inst::{
    Cond, CondMod, Desc, Dst, Inst, Message, Op, Place, Pred, PredCtrl, Reg, RegFile, Region, Src,
    Target, Type,
};

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
fn registers_are_named_by_number_and_element() {
    let mut inst = two(Op::Cmp, 8, Type::F);
    let flag = Reg::new(RegFile::Flag, 0, 2);
    inst.dst = Some(Dst::new(Reg::NULL, 1, Type::F));
    inst.srcs[0] = Src::reg(Reg::new(RegFile::Grf, 12, 8), Region::SCALAR, Type::F);
    if let Src::Reg(src) = &mut inst.srcs[1] {
        src.modifier.abs = true;
        src.place = Place::Indirect {
            addr: Reg::new(RegFile::Addr, 0, 0),
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
        "(W&~f0.1.any8h) cmp (8|M0) (lt)f0.1 null<1>:f r12.2<0;1,0>:f (abs)r[a0.0,-64]<8;8,1>:f"
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
