//! Workarounds for errata are applied only on platforms that have them, and only to the affected instructions.

use kiln_emit::assemble::Program;
use kiln_emit::errata;
use kiln_emit::inst::{
    Desc, Dst, Inst, Message, Op, Place, Reg, RegFile, Region, Src, SrcReg, Type,
};
use kiln_emit::platform::find;
use kiln_emit::verify::verify;

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
