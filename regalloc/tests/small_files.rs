//! Flags and address registers: there are few, and they are spilled to general registers.

mod common;

use std::fmt::Write;

use common::compile;
use kiln_emit::inst::{Inst, Op, Place, Reg, RegFile, Src};
use kiln_isel::lower::RESERVED_GRF;
use kiln_regalloc::Allocated;

fn direct(place: &Place) -> Option<Reg> {
    match place {
        Place::Direct(r) => Some(*r),
        Place::Indirect { .. } => None,
    }
}

/// Registers that the moves from and to `file` go to and come from.
fn transfers(allocated: &Allocated, file: RegFile) -> (Vec<Reg>, Vec<Reg>) {
    let ends = |inst: &Inst| -> Option<(Reg, Reg)> {
        let Src::Reg(src) = inst.srcs.first()? else {
            return None;
        };
        Some((direct(&inst.dst.as_ref()?.place)?, direct(&src.place)?))
    };
    let moves = allocated
        .program
        .blocks
        .iter()
        .flatten()
        .filter(|i| i.op == Op::Mov)
        .filter_map(ends);
    let (mut out, mut back) = (Vec::new(), Vec::new());
    for (to, from) in moves {
        match (to.file, from.file) {
            (RegFile::Grf, f) if f == file => out.push(to),
            (f, RegFile::Grf) if f == file => back.push(from),
            _ => {}
        }
    }
    (out, back)
}

/// `count` predicates of 32 channels, all alive at once; each then chooses for D.
fn predicates(count: usize) -> String {
    let mut text = String::from(".version 4.1\n.kernel \"k\"\n");
    for var in ["S", "D", "OFFSET"] {
        let _ = writeln!(text, ".decl {var} v_type=G type=ud num_elts=32 align=hword");
    }
    for p in 1..=count {
        let _ = writeln!(text, ".decl P{p} v_type=P num_elts=32");
    }
    text += ".decl T6 v_type=T num_elts=1 v_name=T006\n.kernel_attr SimdSize=32\n\
             movs (M1_NM, 1) T6(0) 0x0:ud\n";
    for at in [0, 16] {
        let _ = writeln!(
            text,
            "mov (M{}, 16) OFFSET({},0)<1> 0x0:ud",
            at / 4 + 1,
            at / 8
        );
        let _ = writeln!(
            text,
            "gather4_scaled.R (M{}, 16) T6 0x0:ud OFFSET.{} S.{}",
            at / 4 + 1,
            at * 4,
            at * 4
        );
    }
    for (p, at) in (1..=count).flat_map(|p| [(p, 0), (p, 16)]) {
        let _ = writeln!(
            text,
            "cmp.lt (M{}, 16) P{p} S({},0)<1;1,0> {p:#x}:ud",
            at / 4 + 1,
            at / 8
        );
    }
    for (p, at) in (1..=count).flat_map(|p| [(p, 0), (p, 16)]) {
        let _ = writeln!(
            text,
            "(P{p}) mov (M{}, 16) D({},0)<1> {p:#x}:ud",
            at / 4 + 1,
            at / 8
        );
    }
    for at in [0, 16] {
        let _ = writeln!(
            text,
            "scatter4_scaled.R (M{}, 16) T6 0x0:ud OFFSET.{} D.{}",
            at / 4 + 1,
            at * 4,
            at * 4
        );
    }
    text + "ret (M1, 1)\n"
}

#[test]
fn two_predicates_need_no_moves() {
    assert_eq!(
        transfers(&compile(&predicates(2), 128), RegFile::Flag),
        (vec![], vec![])
    );
}

#[test]
fn more_predicates_are_spilled_to_the_reserved_register() {
    let (out, back) = transfers(&compile(&predicates(6), 128), RegFile::Flag);
    assert!(!out.is_empty() && !back.is_empty());
    let reserved = |r: &&Reg| r.num == RESERVED_GRF && r.byte.is_multiple_of(4);
    assert_eq!(out.iter().find(|r| !reserved(r)), None);
    assert_eq!(back.iter().find(|r| !reserved(r)), None);
    // Four that do not fit at once have places of their own.
    let mut places: Vec<u16> = out.iter().map(|r| r.byte).collect();
    places.sort_unstable();
    places.dedup();
    assert!(places.len() >= 4, "{places:?}");
}

#[test]
fn still_more_predicates_take_a_unit() {
    for limit in [26, 128] {
        let (out, back) = transfers(&compile(&predicates(16), limit), RegFile::Flag);
        let spare: Vec<&Reg> = out.iter().filter(|r| r.num != RESERVED_GRF).collect();
        assert!(
            !spare.is_empty(),
            "fourteen flags are more than its eight places"
        );
        for r in &spare {
            assert!(r.num < limit.min(RESERVED_GRF), "in {limit}: {r:?}");
        }
        assert!(
            back.iter().all(|r| out.contains(r)),
            "what comes back was put there"
        );
    }
}

#[test]
fn address_registers_are_spilled_to_units() {
    let mut text = String::from(
        ".version 4.1\n.kernel \"k\"\n\
         .decl S v_type=G type=ud num_elts=64 align=hword\n.decl D v_type=G type=ud num_elts=32 align=hword\n\
         .decl I v_type=G type=uw num_elts=16 align=hword\n.decl J v_type=G type=uw num_elts=16 align=hword\n\
         .decl A0 v_type=A num_elts=16\n.decl A1 v_type=A num_elts=16\n\
         .decl T6 v_type=T num_elts=1 v_name=T006\n.kernel_attr SimdSize=16\n\
         mov (M1_NM, 16) S(0,0)<1> 0x1:ud\nmov (M1_NM, 16) S(2,0)<1> 0x2:ud\n\
         mov (M1_NM, 16) I(0,0)<1> 0x0:uw\nmov (M1_NM, 16) J(0,0)<1> 0x4:uw\n\
         addr_add (M1_NM, 16) A0(0)<1> &S I(0,0)<1;1,0>\naddr_add (M1_NM, 16) A1(0)<1> &S J(0,0)<1;1,0>\n",
    );
    for (row, (a, from)) in [("A0", 0), ("A1", 0), ("A0", 8), ("A1", 8)]
        .into_iter()
        .enumerate()
    {
        let _ = writeln!(
            text,
            "mov (M1_NM, 8) D({row},0)<1> r[{a}({from}),0]<1,0>:ud"
        );
    }
    text += "movs (M1_NM, 1) T6(0) 0x0:ud\nscatter4_scaled.R (M1_NM, 16) T6 0x0:ud S.0 D.0\n\
             scatter4_scaled.R (M1_NM, 16) T6 0x0:ud S.0 D.64\nret (M1, 1)\n";
    let allocated = compile(&text, 128);
    let whole = |inst: &&Inst| inst.op == Op::Mov && inst.exec_size == 16;
    let (out, back) = transfers(&allocated, RegFile::Addr);
    assert!(
        !out.is_empty() && !back.is_empty(),
        "two address variables share one register"
    );
    assert!(
        out.iter().all(|r| r.byte == 0 && r.num < RESERVED_GRF),
        "{out:?}"
    );
    assert!(
        allocated
            .program
            .blocks
            .iter()
            .flatten()
            .filter(whole)
            .count()
            > 2
    );
    assert_eq!(allocated.stats.spills, 0, "not to memory");
}
