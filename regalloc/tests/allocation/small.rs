//! Flags and the address register: few, and held in general registers when they run out.

use std::collections::BTreeSet;

use kiln_emit::inst::{Inst as Gen, Op, Place, RegFile};
use kiln_machine::func::{Class, Function, Term};
use kiln_machine::inst::{Desc, Dst, Inst, Message, Pred, Reg, Src, VReg};
use kiln_platform::isa::{PredCtrl, Region, Type};
use kiln_regalloc::check::check;
use kiln_regalloc::{Allocated, allocate};

use crate::{block, compute, edge, flag, function, options, store};

fn pred(v: VReg) -> Pred {
    Pred {
        flag: Reg::virt(v, 0),
        inverse: false,
        ctrl: PredCtrl::Normal,
    }
}

/// A predicated `mov`.
fn select(func: &mut Function, b: usize, p: VReg) {
    let v = compute(func, b, &[]);
    if let Some(inst) = func.blocks[block(b)].insts.last_mut() {
        inst.pred = Some(pred(p));
    }
    store(func, b, v);
}

/// So many predicates that all live at once, each used twice.
fn predicates(count: usize) -> Function {
    let mut func = function(1);
    let flags: Vec<VReg> = (0..count).map(|_| flag(&mut func, 0)).collect();
    for &p in flags.iter().chain(&flags) {
        select(&mut func, 0, p);
    }
    func
}

fn added(allocated: &Allocated) -> usize {
    let code = allocated.program.blocks.iter().flatten();
    code.filter(|i: &&Gen| i.op == Op::Mov && i.exec_size == 1)
        .count()
}

#[test]
fn four_halves_hold_four_predicates() {
    for count in 1..=4 {
        let allocated = allocate(predicates(count), &options(128)).expect("registers enough");
        assert_eq!(allocated.stats.demoted, 0);
        assert_eq!(added(&allocated), count, "definitions only");
    }
}

#[test]
fn more_predicates_are_held_in_general_registers() {
    for count in 5..=20 {
        let allocated = allocate(predicates(count), &options(128)).expect("registers enough");
        let demoted = allocated.stats.demoted as usize;
        assert!(
            (count - 4..count).contains(&demoted),
            "{demoted} of {count}"
        );
        assert_eq!(allocated.stats.spills, 0, "not in memory");
    }
}

/// Predicates of the entry that a loop of one block uses.
fn across(count: usize) -> Function {
    let mut func = function(4);
    let flags: Vec<VReg> = (0..count).map(|_| flag(&mut func, 0)).collect();
    let end = flag(&mut func, 0);
    func.blocks[block(0)].term = Term::Jump;
    func.blocks[block(0)].succs.push(edge(1, &[]));
    for &p in &flags {
        select(&mut func, 1, p);
    }
    func.blocks[block(1)].term = Term::Branch { pred: pred(end) };
    func.blocks[block(1)]
        .succs
        .extend([edge(2, &[]), edge(3, &[])]);
    func.blocks[block(2)].term = Term::Jump;
    func.blocks[block(2)].succs.push(edge(1, &[]));
    func
}

#[test]
fn values_that_cross_blocks_keep_their_flags() {
    for count in 1..=3 {
        let allocated = allocate(across(count), &options(128)).expect("registers enough");
        assert_eq!(allocated.stats.demoted, 0, "{count} and one more are four");
    }
    // One flag must be left for what is loaded.
    let allocated = allocate(across(8), &options(128)).expect("registers enough");
    assert_eq!(allocated.stats.demoted, 9 - 3);
}

/// Registers of two GRFs that instructions of one channel write.
fn scalar_units(allocated: &Allocated) -> BTreeSet<u32> {
    let code = allocated.program.blocks.iter().flatten();
    let written =
        code.filter(|inst| inst.exec_size == 1)
            .filter_map(|inst| match inst.dst?.place {
                Place::Direct(reg) if reg.file == RegFile::Grf => Some(reg.num / 2),
                _ => None,
            });
    written.collect()
}

/// Predicates that cross blocks share a register of 32 words.
#[test]
fn predicates_in_general_registers_share_them() {
    for (count, most) in [(8, 1), (34, 1), (40, 2)] {
        let allocated = allocate(across(count), &options(16)).expect("registers enough");
        assert!(allocated.stats.demoted as usize > count - 4, "{count}");
        assert_eq!(scalar_units(&allocated).len(), most, "{count}");
        assert_eq!(allocated.stats.spills, 0, "{count}");
    }
}

/// Predicates of the entry that the end uses, and between a loop with as many of its own at once.
fn around(outer: usize, inner: usize) -> Function {
    let mut func = function(3);
    let flags: Vec<VReg> = (0..outer).map(|_| flag(&mut func, 0)).collect();
    func.blocks[block(0)].term = Term::Jump;
    func.blocks[block(0)].succs.push(edge(1, &[]));
    let own: Vec<VReg> = (0..inner).map(|_| flag(&mut func, 1)).collect();
    for &p in own.iter().skip(1).chain(&own[..1]) {
        select(&mut func, 1, p);
    }
    func.blocks[block(1)].term = Term::Branch { pred: pred(own[0]) };
    func.blocks[block(1)]
        .succs
        .extend([edge(1, &[]), edge(2, &[])]);
    for &p in &flags {
        select(&mut func, 2, p);
    }
    func
}

/// Contents of flags are not moved in a loop for the sake of values that it only carries along.
#[test]
fn values_of_a_loop_come_before_those_that_it_carries_along() {
    for (outer, inner) in [(4, 1), (3, 2), (2, 3), (1, 4), (4, 4)] {
        let allocated = allocate(around(outer, inner), &options(128)).expect("registers enough");
        let moves = allocated.program.blocks[1].iter();
        let moves = moves.filter(|i: &&Gen| i.op == Op::Mov && i.exec_size == 1);
        assert_eq!(moves.count(), inner, "{outer} around, {inner} within");
        let most = outer + inner - 4;
        assert_eq!(allocated.stats.demoted as usize, most, "{outer}, {inner}");
    }
}

#[test]
fn the_address_register_is_shared_by_words() {
    for (count, bytes, fits) in [(2, 16, true), (4, 8, true), (3, 16, false), (2, 32, false)] {
        let mut func = function(1);
        let words = (bytes / 2) as u8;
        let index = compute(&mut func, 0, &[]);
        let addresses: Vec<VReg> = (0..count)
            .map(|_| {
                let a = func.reg(Class::Addr, bytes);
                let mut inst = Inst::no_mask(Op::Mov, words);
                inst.dst = Some(Dst::new(Reg::virt(a, 0), 1, Type::Uw));
                let region = Region::packed(words);
                inst.srcs
                    .push(Src::reg(Reg::virt(index, 0), region, Type::Uw));
                func.blocks[block(0)].insts.push(inst);
                a
            })
            .collect();
        for &a in &addresses {
            let v = compute(&mut func, 0, &[]);
            let mut src = Src::reg(Reg::virt(a, 0), Region::SCALAR, Type::Ud);
            if let Src::Reg(r) = &mut src {
                r.indirect = Some(0);
            }
            if let Some(inst) = func.blocks[block(0)].insts.last_mut() {
                inst.srcs = [src].into_iter().collect();
            }
            store(&mut func, 0, v);
        }
        let allocated = allocate(func, &options(128)).expect("registers enough");
        let fit = allocated.stats.demoted == 0;
        assert_eq!(fit, fits, "{count} of {bytes} bytes");
    }
}

/// The descriptor of a send with two payloads is in the first dword of the address register, even if another value
/// was there before.
#[test]
fn the_descriptor_of_two_payloads_is_in_the_first_dword() {
    for (order, across) in [([0, 1], false), ([1, 0], false), ([1, 0], true)] {
        let mut func = function(2);
        let payload = compute(&mut func, 0, &[]);
        let mut parts = [payload; 2];
        for n in order {
            parts[n] = func.reg(Class::Addr, 4);
            let mut mov = Inst::no_mask(Op::Mov, 1);
            mov.dst = Some(Dst::new(Reg::virt(parts[n], 0), 1, Type::Ud));
            mov.srcs.push(Src::imm(Type::Ud, 0x0402_5c00));
            func.blocks[block(0)].insts.push(mov);
        }
        func.blocks[block(0)].term = Term::Jump;
        func.blocks[block(0)].succs.push(edge(1, &[]));
        let message = func.messages.push(Message {
            sfid: 0,
            eot: false,
            desc: Desc::Addr(Reg::virt(parts[0], 0)),
            ex_desc: Desc::Addr(Reg::virt(parts[1], 0)),
            send: Default::default(),
        });
        let mut send = Inst::new(Op::Sends, 16);
        send.dst = Some(Dst::null(Type::Ud));
        let src = Src::reg(Reg::virt(payload, 0), Region::packed(8), Type::Ud);
        send.srcs = [src, src].into_iter().collect();
        send.message = message.into();
        func.blocks[block(usize::from(across))].insts.push(send);
        let allocated = allocate(func, &options(128)).expect("registers enough");
        let mut code = allocated.program.blocks.iter().flatten();
        let send = code.find(|i| i.op == Op::Sends).expect("the message");
        let desc = send.msg.expect("a message").desc;
        assert_eq!(desc, kiln_emit::inst::Desc::Addr { byte: 0 }, "{order:?}");
    }
}

/// So is that of a send of one payload, even where another was made before it is sent.
#[test]
fn descriptors_of_one_payload_are_in_the_first_dword() {
    let mut func = function(1);
    let payload = compute(&mut func, 0, &[]);
    let descs = [0x0210_5c00, 0x0210_5c01].map(|bits| {
        let desc = func.reg(Class::Addr, 4);
        let mut mov = Inst::no_mask(Op::Mov, 1);
        mov.dst = Some(Dst::new(Reg::virt(desc, 0), 1, Type::Ud));
        mov.srcs.push(Src::imm(Type::Ud, bits));
        func.blocks[block(0)].insts.push(mov);
        desc
    });
    for desc in descs {
        let message = func.messages.push(Message {
            sfid: 12,
            eot: false,
            desc: Desc::Addr(Reg::virt(desc, 0)),
            ex_desc: Desc::Imm(12),
            send: Default::default(),
        });
        let mut send = Inst::new(Op::Send, 16);
        send.dst = Some(Dst::null(Type::Ud));
        let src = Src::reg(Reg::virt(payload, 0), Region::packed(8), Type::Ud);
        send.srcs.push(src);
        send.message = message.into();
        func.blocks[block(0)].insts.push(send);
    }
    let allocated = allocate(func, &options(128)).expect("registers enough");
    let code = allocated.program.blocks.iter().flatten();
    let descs: Vec<_> = (code.filter(|i| i.op == Op::Send).filter_map(|i| i.msg))
        .filter(|message| !message.eot)
        .map(|message| message.desc)
        .collect();
    assert_eq!(descs, [kiln_emit::inst::Desc::Addr { byte: 0 }; 2]);
}

#[test]
fn a_goto_without_predicate_gets_a_cleared_flag() {
    let mut func = function(3);
    let flags: Vec<VReg> = (0..6).map(|_| flag(&mut func, 0)).collect();
    func.blocks[block(0)].term = Term::GotoForward {
        pred: None,
        exec_size: 16,
        chan_off: 0,
        uip: block(1),
        free_flag: Reg::NULL,
    };
    func.blocks[block(0)].succs.push(edge(1, &[]));
    func.blocks[block(1)].term = Term::Join;
    func.blocks[block(1)].succs.push(edge(2, &[]));
    for p in flags {
        select(&mut func, 2, p);
    }
    let allocated = allocate(func, &options(128)).expect("registers enough");
    let code: Vec<&Gen> = allocated.program.blocks.iter().flatten().collect();
    let at = code.iter().position(|i| i.op == Op::Goto).expect("a goto");
    let flag = code[at].pred.map(|p| p.flag).expect("a predicate");
    assert_eq!(flag.file, RegFile::Flag);
    assert_eq!(code[at - 1].op, Op::Mov);
    assert_eq!(
        code[at - 1].dst.map(|d| d.place),
        Some(kiln_emit::inst::Place::Direct(flag))
    );
}

#[test]
fn where_channels_go_that_stay_at_a_goto_with_one_successor() {
    let mut func = function(5);
    let p = flag(&mut func, 0);
    let v = compute(&mut func, 0, &[]);
    func.blocks[block(0)].term = Term::Branch { pred: pred(p) };
    func.blocks[block(0)]
        .succs
        .extend([edge(2, &[]), edge(1, &[])]);
    func.blocks[block(1)].term = Term::GotoForward {
        pred: Some(pred(p)),
        exec_size: 16,
        chan_off: 0,
        uip: block(3),
        free_flag: Reg::NULL,
    };
    func.blocks[block(1)].succs.push(edge(3, &[]));
    store(&mut func, 2, v);
    func.blocks[block(2)].term = Term::Jump;
    func.blocks[block(2)].succs.push(edge(3, &[]));
    func.blocks[block(3)].term = Term::Join;
    func.blocks[block(3)].succs.push(edge(4, &[]));
    let allocated = allocate(func.clone(), &options(128)).expect("allocated");
    let (b, at) = (allocated.program.blocks.iter().enumerate())
        .find_map(|(b, block)| Some((b, block.iter().position(|i| i.op == Op::Goto)?)))
        .expect("a goto");
    let jump = &allocated.program.blocks[b][at + 1..];
    assert!(matches!(jump, [jump] if jump.op == Op::Jmpi), "{jump:?}");
    assert_eq!(check(&func, &allocated), Ok(()));
    // Without the jump execution falls into block 2.
    let mut broken = allocated;
    broken.program.blocks[b].pop();
    broken.origins.insts[b].pop();
    assert!(check(&func, &broken).is_err());
}
