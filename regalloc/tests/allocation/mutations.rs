//! The check finds what is broken on purpose.

use kiln_emit::inst::{Desc, Inst, Op, Place, RegFile, Src, Target};
use kiln_regalloc::check::check;
use kiln_regalloc::{Allocated, allocate};

use kiln_platform::platform::SKL;

use crate::{options, random};

/// Breaks an instruction, if it is of the kind.
type Mutation = fn(&mut Inst) -> bool;

fn other_register(place: &mut Place) -> bool {
    match place {
        Place::Direct(r) if r.file == RegFile::Grf => {
            r.num = if r.num < 60 { r.num + 2 } else { r.num - 2 };
            true
        }
        _ => false,
    }
}

fn other_flag(reg: &mut kiln_emit::inst::Reg) -> bool {
    let is_flag = reg.file == RegFile::Flag;
    if is_flag {
        reg.num ^= 1;
    }
    is_flag
}

/// Each with the share, in percent, that must be found: a result that nobody reads may be anywhere
/// that nobody else is, and what was never defined is everywhere.
const MUTATIONS: [(&str, u32, Mutation); 12] = [
    ("a source elsewhere", 85, |i| match i.srcs.first_mut() {
        Some(Src::Reg(r)) => other_register(&mut r.place),
        _ => false,
    }),
    ("a result elsewhere", 60, |i| match &mut i.dst {
        Some(d) => other_register(&mut d.place),
        None => false,
    }),
    ("another predicate", 90, |i| {
        i.pred.as_mut().is_some_and(|p| other_flag(&mut p.flag))
    }),
    ("an inverse predicate", 100, |i| match &mut i.pred {
        Some(p) => {
            p.inverse = !p.inverse;
            true
        }
        None => false,
    }),
    ("another condition's flag", 60, |i| {
        i.cond.as_mut().is_some_and(|c| other_flag(&mut c.flag))
    }),
    ("another slot", 60, |i| match &mut i.msg {
        Some(m) if m.sfid == 10 => {
            if let Desc::Imm(desc) = &mut m.desc {
                *desc ^= 2;
            }
            true
        }
        _ => false,
    }),
    ("another far slot", 60, |i| match (&mut i.srcs[..], i.dst) {
        ([Src::Imm { bits, .. }], Some(d)) if i.op == Op::Mov && i.exec_size == 1 && i.no_mask => {
            *bits ^= 4;
            matches!(d.place, Place::Direct(r) if r.file == RegFile::Grf && r.byte == 8)
        }
        _ => false,
    }),
    ("half a value", 60, |i| match &mut i.msg {
        Some(m) if m.sfid == 10 => match (&mut m.desc, &mut m.ex_desc) {
            (Desc::Imm(desc), Desc::Imm(ex_desc)) if *desc >> 12 & 3 == 1 => {
                *desc ^= 1 << 12;
                match *desc >> 17 & 1 {
                    1 => *ex_desc ^= 3 << 6,
                    _ => *desc ^= 3 << 20,
                }
                true
            }
            _ => false,
        },
        _ => false,
    }),
    ("another type", 100, |i| match (&mut i.dst, i.op) {
        (Some(d), Op::Add | Op::Mad) => {
            d.hstride += 1;
            true
        }
        _ => false,
    }),
    ("a mask", 100, |i| {
        i.no_mask = !i.no_mask;
        i.jip.is_none() && i.msg.is_none_or(|m| !m.eot)
    }),
    ("another jump", 100, |i| match &mut i.jip {
        Some(Target::Block(t)) => {
            *t = if *t > 0 { *t - 1 } else { 1 };
            true
        }
        _ => false,
    }),
    ("another address", 60, |i| match &mut i.dst {
        Some(d) => match &mut d.place {
            Place::Direct(r) if r.file == RegFile::Addr && r.byte < 16 => {
                r.byte += 16;
                true
            }
            _ => false,
        },
        None => false,
    }),
];

#[test]
fn every_kind_of_mistake_is_found() {
    let mut found = [(0u32, 0u32); MUTATIONS.len()];
    let mut lost = (0, 0);
    for seed in 0..128 {
        let bytes = crate::bytes(seed, 2000);
        let func = random::function(&SKL, &mut random::Choices(&bytes), 30);
        let mut options = options(if seed % 2 == 0 { 24 } else { 48 });
        // Half of the functions have most slots farther than scratch block messages reach.
        if seed % 4 >= 2 {
            options.scratch_base = 4096 * 32 - 256;
        }
        let Ok(allocated) = allocate(func.clone(), &options) else {
            continue;
        };
        let right = |a: &Allocated| check(&func, a).is_ok();
        assert!(right(&allocated), "seed {seed}");
        let places = (allocated.program.blocks.iter().enumerate())
            .flat_map(|(b, insts)| (0..insts.len()).map(move |i| (b, i)));
        for (n, (b, i)) in places.enumerate() {
            let (_, _, mutate) = MUTATIONS[n % MUTATIONS.len()];
            let mut broken = allocated.clone();
            if mutate(&mut broken.program.blocks[b][i]) {
                let (all, bad) = &mut found[n % MUTATIONS.len()];
                *all += 1;
                *bad += u32::from(!right(&broken));
            }
            if n % 7 == 0 {
                broken = allocated.clone();
                broken.program.blocks[b].remove(i);
                broken.origins.insts[b].remove(i);
                lost.0 += 1;
                lost.1 += u32::from(!right(&broken));
            }
        }
    }
    for ((name, share, _), (all, bad)) in MUTATIONS.iter().zip(found) {
        assert!(all >= 5, "{name} was tried {all} times");
        assert!(bad * 100 >= all * share, "{name}: {bad} of {all} found");
    }
    assert!(
        lost.1 * 100 >= lost.0 * 90,
        "instructions left out: {} of {} found",
        lost.1,
        lost.0
    );
}
