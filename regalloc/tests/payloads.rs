//! What is in the registers of a message when it is sent: straight-line programs are walked with a
//! model of the register file and of scratch space that knows constants and copies.

mod common;

use std::collections::HashMap;
use std::fmt::Write;

use common::compile;
use kiln_emit::inst::{Desc, Inst, Op, Place, Reg, RegFile, Src};
use kiln_isel::lower::HEADER_GRF;
use kiln_regalloc::Allocated;

/// Data port 0, where scratch space is, and 1.
const SFID_DC0: u8 = 10;
const SFID_DC1: u8 = 12;
const CHANNELS_RGBA: u32 = 4;
/// What the offsets of all stores are.
const OFFSET: u32 = 0x1000;

/// A kernel with `groups` variables of four planes, plane `p` of variable `v` all `4 * v + p`; each
/// is stored after all are made, from the last to the first.
fn kernel(groups: u32) -> String {
    let mut text = String::from(".version 4.1\n.kernel \"k\"\n");
    for v in 0..groups {
        let _ = writeln!(text, ".decl G{v} v_type=G type=ud num_elts=64 align=hword");
    }
    text += ".decl OFFSET v_type=G type=ud num_elts=16 align=hword\n\
             .decl T6 v_type=T num_elts=1 v_name=T006\n.kernel_attr SimdSize=16\n";
    let _ = writeln!(
        text,
        "mov (M1_NM, 16) OFFSET(0,0)<1> {OFFSET:#x}:ud\nmovs (M1_NM, 1) T6(0) 0x0:ud"
    );
    for (v, p) in (0..groups).flat_map(|v| (0..4).map(move |p| (v, p))) {
        let _ = writeln!(
            text,
            "mov (M1_NM, 16) G{v}({},0)<1> {:#x}:ud",
            p * 2,
            4 * v + p
        );
    }
    for v in (0..groups).rev() {
        let _ = writeln!(
            text,
            "scatter4_scaled.RGBA (M1_NM, 16) T6 0x0:ud OFFSET.0 G{v}.0"
        );
    }
    text + "ret (M1, 1)\n"
}

/// A GRF's contents: all its dwords the same number, if it is known.
type Contents = Option<u32>;

#[derive(Default)]
struct Machine {
    grfs: HashMap<u32, Contents>,
    scratch: HashMap<u32, Contents>,
    spills: u32,
    fills: u32,
    /// Data of the stores, in order.
    stored: Vec<Vec<Contents>>,
}

fn grf(place: &Place) -> Option<Reg> {
    match place {
        Place::Direct(r) if r.file == RegFile::Grf => Some(*r),
        _ => None,
    }
}

fn source(inst: &Inst, n: usize) -> Option<Reg> {
    match inst.srcs.get(n)? {
        Src::Reg(r) => grf(&r.place),
        Src::Imm { .. } => None,
    }
}

impl Machine {
    fn get(&self, at: u32) -> Contents {
        self.grfs.get(&at).copied().flatten()
    }

    fn step(&mut self, inst: &Inst) {
        if inst.msg.is_some() {
            return self.send(inst);
        }
        let Some(dst) = inst.dst.as_ref().and_then(|d| grf(&d.place)) else {
            return;
        };
        let grfs = (u32::from(inst.exec_size) * 4).div_ceil(32);
        for k in 0..grfs {
            let value = match (inst.op, &inst.srcs[0]) {
                (Op::Mov, Src::Imm { bits, .. }) if inst.exec_size >= 8 => Some(*bits as u32),
                (Op::Mov, Src::Reg(_)) => source(inst, 0).and_then(|r| self.get(r.num + k)),
                _ => None,
            };
            self.grfs.insert(dst.num + k, value);
        }
    }

    fn send(&mut self, inst: &Inst) {
        let message = inst.msg.as_ref().expect("a message");
        let (Desc::Imm(desc), Desc::Imm(ex_desc)) = (&message.desc, &message.ex_desc) else {
            panic!("a descriptor in a register: {inst}");
        };
        let (sent, received) = (desc >> 25 & 0xf, desc >> 20 & 0x1f);
        match message.sfid {
            SFID_DC0 => {
                let (offset, is_write) = (desc & 0xfff, desc >> 17 & 1 == 1);
                assert_eq!(desc >> 18 & 3, 3, "a scratch message with a header: {inst}");
                assert_eq!(desc >> 12 & 3, 1, "of two registers: {inst}");
                assert_eq!(
                    source(inst, 0).map(|r| r.num),
                    Some(HEADER_GRF),
                    "the header is a copy of r0"
                );
                assert_eq!((sent, ex_desc & 0xf), (1, u32::from(SFID_DC0)), "{inst}");
                assert!(inst.no_mask, "{inst}");
                for k in 0..2 {
                    if is_write {
                        assert_eq!((received, ex_desc >> 6 & 0xf), (0, 2), "{inst}");
                        let from = source(inst, 1).expect("what is spilled").num;
                        self.scratch.insert(offset + k, self.get(from + k));
                    } else {
                        assert_eq!(received, 2, "{inst}");
                        let to = inst
                            .dst
                            .as_ref()
                            .and_then(|d| grf(&d.place))
                            .expect("a destination")
                            .num;
                        let value = *self
                            .scratch
                            .get(&(offset + k))
                            .expect("filled from where something was spilled");
                        self.grfs.insert(to + k, value);
                    }
                }
                self.spills += u32::from(is_write);
                self.fills += u32::from(!is_write);
            }
            SFID_DC1 => {
                let (address, data) = (
                    source(inst, 0).expect("addresses"),
                    source(inst, 1).expect("data"),
                );
                assert_eq!((sent, ex_desc >> 6 & 0xf), (2, 2 * CHANNELS_RGBA), "{inst}");
                assert_eq!(
                    [0, 1].map(|k| self.get(address.num + k)),
                    [Some(OFFSET); 2],
                    "{inst}"
                );
                self.stored.push(
                    (0..2 * CHANNELS_RGBA)
                        .map(|k| self.get(data.num + k))
                        .collect(),
                );
            }
            _ => assert!(message.eot, "{inst}"),
        }
    }
}

fn walk(allocated: &Allocated) -> Machine {
    let mut machine = Machine::default();
    allocated
        .program
        .blocks
        .iter()
        .flatten()
        .for_each(|inst| machine.step(inst));
    machine
}

#[test]
fn payloads_are_consecutive_and_spilled_values_come_back() {
    for groups in 1..6 {
        let source = kernel(groups);
        for limit in [24, 28, 32, 40, 64, 128] {
            let allocated = compile(&source, limit);
            let machine = walk(&allocated);
            let expected = |v: u32| (0..8).map(|k| Some(4 * v + k / 2)).collect::<Vec<_>>();
            let expected: Vec<_> = (0..groups).rev().map(expected).collect();
            assert_eq!(
                machine.stored, expected,
                "{groups} groups in {limit} registers"
            );
            let stats = allocated.stats;
            assert_eq!((machine.spills, machine.fills), (stats.spills, stats.fills));
            let used = machine.scratch.len() as u32 * 32;
            assert!(used <= stats.spill_bytes, "{used} bytes used, {stats:?}");
            // Four units each, one for the offsets.
            if (4 * groups + 1) * 2 > limit {
                assert!(
                    stats.spills > 0 && stats.fills > 0,
                    "{groups} groups fit {limit} registers"
                );
            }
            assert!(stats.max_pressure >= (4 * groups + 1) * 2, "{stats:?}");
        }
    }
}

#[test]
fn with_registers_enough_payloads_are_made_in_place() {
    let stats = compile(&kernel(5), 128).stats;
    assert_eq!((stats.spills, stats.fills, stats.moves), (0, 0, 0));
}
