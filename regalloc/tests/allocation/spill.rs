//! Functions in which far more values live than there are registers.

use kiln_machine::func::{Function, Term};
use kiln_machine::inst::{Old, VReg};
use kiln_machine_testing::parse::parse;
use kiln_regalloc::{Options, allocate};
use proptest::prelude::*;

use kiln_platform::platform::SKL;

use crate::{block, bytes, compute, edge, flag, function, options, random, store};

/// Ifs one behind the other, in each of which one of the variables is written over.
fn variables_over_ifs(count: usize) -> Function {
    let mut func = function(3 * count + 1);
    let mut now: Vec<VReg> = (0..count).map(|_| compute(&mut func, 0, &[])).collect();
    for i in 0..count {
        let (head, then, other, join) = (3 * i, 3 * i + 1, 3 * i + 2, 3 * i + 3);
        let p = flag(&mut func, head);
        let pred = kiln_machine::build::pred(p);
        let old = now[i];
        let new = compute(&mut func, then, &[old, now[(i + 1) % count]]);
        let inst = func.blocks[block(then)].insts.last_mut().expect("an add");
        inst.dst.as_mut().expect("a result").old = Old::Reg(old);
        let mut set = |b: usize, term: Term, succs: Vec<kiln_machine::func::Edge>| {
            func.blocks[block(b)].term = term;
            func.blocks[block(b)].succs = succs.into_iter().collect();
        };
        let both = vec![edge(then, &[]), edge(other, &[])];
        set(head, Term::Branch { pred }, both);
        set(then, Term::Jump, vec![edge(join, &[new])]);
        set(other, Term::Jump, vec![edge(join, &[old])]);
        now[i] = func.grf(64);
        func.blocks[block(join)].params.push(now[i]);
    }
    for v in now {
        store(&mut func, 3 * count, v);
    }
    func
}

/// A store for each definition and a load for each use is enough, whatever way leads there: nothing is loaded or stored
/// on the edges between.
#[test]
fn variables_over_ifs_are_in_memory_on_all_ways() {
    let allocated = allocate(variables_over_ifs(100), &options(64)).expect("allocated");
    let stats = allocated.stats;
    // Two definitions and three uses of each variable with a slot.
    let slots = stats.spill_bytes / 64;
    assert!(slots > 0 && stats.spills <= 2 * slots, "{stats:?}");
    assert!(stats.fills <= 3 * slots, "{stats:?}");
}

/// A loop whose variable is wanted behind it as it was in the last turn but one, too: its values are
/// no one variable. Beside it is what fills the registers.
#[test]
fn a_copy_that_outlives_its_source_stays_apart() {
    let mut func = function(3);
    let first = compute(&mut func, 0, &[]);
    let others: Vec<VReg> = (0..40).map(|_| compute(&mut func, 0, &[])).collect();
    let now = func.grf(64);
    func.blocks[block(1)].params.push(now);
    // Nobody reads the variable for long.
    for &v in &others {
        store(&mut func, 1, v);
    }
    let next = compute(&mut func, 1, &[now]);
    for &v in &others {
        store(&mut func, 1, v);
    }
    let p = flag(&mut func, 1);
    let pred = kiln_machine::build::pred(p);
    func.blocks[block(0)].term = Term::Jump;
    func.blocks[block(0)].succs.push(edge(1, &[first]));
    let back = func
        .blocks
        .push(kiln_machine::func::BlockData::new(Term::Jump));
    func.blocks[back].succs.push(edge(1, &[next]));
    func.blocks[block(1)].term = Term::Branch { pred };
    let out = [edge(back.as_u32() as usize, &[]), edge(2, &[])];
    func.blocks[block(1)].succs.extend(out);
    for &v in [now, next].iter().chain(&others) {
        store(&mut func, 2, v);
    }
    for limit in [128, 32, 24, 16] {
        allocate(func.clone(), &options(limit)).expect("allocated");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// The checker follows each value through its slot, too.
    #[test]
    fn programs_of_few_registers_are_right(seed in any::<u64>(), limit in 20u32..=40) {
        let bytes = bytes(seed, 3000);
        let func = random::function(&SKL, &mut random::Choices(&bytes), 30);
        if let Err(e) = allocate(func, &Options { pressure: true, ..options(limit) }) {
            let is_small = matches!(e, kiln_regalloc::AllocError::TooFew { .. });
            prop_assert!(is_small && limit < 32, "{e}");
        }
    }
}

/// Number of moves in the code of a function in 128 registers.
fn moves(text: &str) -> u32 {
    let func = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let allocated = allocate(func, &options(128)).unwrap_or_else(|e| panic!("{e}"));
    allocated.stats.moves
}

/// Messages that write one value to several places: one copy serves them all, side by side with the value.
#[test]
fn messages_share_the_copies_of_a_value() {
    for times in 2..=4 {
        let data = vec!["v1"; times].join(" ");
        let store = format!(
            "  null<1>:ud = sends (16|M0) v0<8;8,1>:ud, {{{data}}}<8;8,1>:ud sfid 12 desc 0x4025c01 exdesc 0x{:x}\n",
            (2 * times) << 6 | 12
        );
        let text = format!(
            "function \"f\" simd16 on skl\ninput r2 v0:g64\nblock0:\n  v1:g64<1>:ud = mov (16|M0) 0x0:ud\n{}  end\n",
            store.repeat(5)
        );
        assert_eq!(moves(&text) as usize, times - 1, "{text}");
    }
}

/// An address of two registers that several messages read stays where it is, though other addresses are made between
/// them.
#[test]
fn messages_find_their_address_where_the_first_had_it() {
    let address = |from: usize| {
        (from..from + 2)
            .map(|n| format!("  v{n}:g64<1>:ud = mov (16|M0) 0x{n:x}:ud\n"))
            .collect::<String>()
    };
    let load = |from: usize, to: usize| {
        format!(
            "  v{to}:g64<1>:ud = send (16|M0) {{v{from} v{}}}<8;8,1>:ud sfid 12 desc 0x8205c01 exdesc 0xc\n",
            from + 1
        )
    };
    let mut text = String::from("function \"f\" simd16 on skl\ninput r2 v0:g64\nblock0:\n");
    text += &address(1);
    for n in 0..4 {
        text += &load(1, 20 + 2 * n);
        text += &address(3 + 2 * n);
        text += &load(3 + 2 * n, 21 + 2 * n);
    }
    text += "  end\n";
    assert_eq!(moves(&text), 0, "{text}");
}

/// Payloads of messages in a loop stay away from the units of values that live through it to a message after it.
#[test]
fn messages_of_a_loop_leave_room_for_values_of_later_messages() {
    let text = "function \"f\" simd16 on skl
input r2 v0:g64
block0:
  v1:g64<1>:ud = mov (16|M0) 0x1:ud
  v2:g64<1>:ud = mov (16|M0) 0x2:ud
  jump -> block1
block1:
  v10:g64<1>:ud = mov (16|M0) 0x3:ud
  v11:g64<1>:ud = mov (16|M0) 0x4:ud
  v12:g64<1>:ud = send (16|M0) {v10 v11}<8;8,1>:ud sfid 12 desc 0x8205c01 exdesc 0xc
  v13:f2<1>:uw = mov (W 1|M0) 0x1:uw
  branch (v13) -> block1, block2(v1, v2)
block2(v3:g64, v4:g64):
  null<1>:ud = sends (16|M0) v0<8;8,1>:ud, {v3 v4}<8;8,1>:ud sfid 12 desc 0x4025c01 exdesc 0x10c
  end
";
    assert_eq!(moves(text), 0, "{text}");
}

/// A value that a message reads in each round of a loop stays where it is, though other payloads follow in the round.
#[test]
fn messages_find_their_address_in_the_next_round_of_a_loop() {
    let text = "function \"f\" simd16 on skl
input r2 v0:g64
block0:
  v1:g64<1>:ud = mov (16|M0) 0x1:ud
  v2:g64<1>:ud = mov (16|M0) 0x2:ud
  jump -> block1
block1:
  v3:g64<1>:ud = send (16|M0) {v1 v2}<8;8,1>:ud sfid 12 desc 0x8205c01 exdesc 0xc
  v10:g64<1>:ud = mov (16|M0) 0x3:ud
  v11:g64<1>:ud = mov (16|M0) 0x4:ud
  v12:g64<1>:ud = send (16|M0) {v10 v11}<8;8,1>:ud sfid 12 desc 0x8205c01 exdesc 0xc
  v13:f2<1>:uw = mov (W 1|M0) 0x1:uw
  branch (v13) -> block1, block2
block2:
  end
";
    assert_eq!(moves(text), 0, "{text}");
}

/// A payload is not put where an input is read late by what computes the payload.
#[test]
fn messages_stay_away_from_inputs_that_are_read_late() {
    let text = "function \"f\" simd32 on bmg
input r2 v0:g128
block0:
  v1:g128<1>:ud = mov (W 32|M0) 0x0:ud
  v2:g128<1>:q = add (16|M0) v1<1;1,0>:q, v0+24<0;1,0>:q
  v3:g128<1>:q = add (16|M16) v1<1;1,0>:q, v0+24<0;1,0>:q
  v4:g128<1>:ud = send (32|M0) {v2 v3}<8;8,1>:ud sfid 15 desc 0x8200580 exdesc 0x0
  end
";
    assert_eq!(moves(text), 0, "{text}");
}

/// A sum over its own channels is computed in place where no channel reads what one before it writes, and beside itself
/// otherwise.
#[test]
fn sums_over_channels_are_made_in_place() {
    let of_sum = |first: &str, to: &str| {
        let text = format!(
            "function \"f\" simd32 on bmg\ninput r2 v0:g128\nblock0:\n  v1:g128<1>:d = mov (W 32|M0) 0x1:d\n  \
             v2:g128+{to}:d over v1 = add (W 16|M0) v1{first}:d, v1+4<2;1,0>:d\n  \
             null<1>:ud = sends (32|M0) v0<8;8,1>:ud, v2<8;8,1>:ud sfid 14 desc 0x4000504 exdesc 0x80\n  end\n"
        );
        moves(&text)
    };
    assert_eq!(of_sum("<2;1,0>", "4<2>"), 0);
    assert_eq!(of_sum("<0;1,0>", "4<2>"), 0);
    assert_eq!(of_sum("+4<0;1,0>", "4<2>"), 1);
}

/// A write of the first word of an address leaves the words after it alone. The last ones name the surface of scratch
/// space meanwhile.
#[test]
fn what_an_address_does_not_write_may_name_the_surface() {
    let mut text = String::from("function \"f\" simd16 on bmg\ninput r2 v0:g128\nblock0:\n");
    for v in 1..=24 {
        text += &format!("  v{v}:g128<1>:ud = mov (32|M0) v0<0;1,0>:ud\n");
    }
    for round in 0..6 {
        // Four addresses fill the register; each has a word that is written.
        for part in 0..4 {
            let a = 25 + round * 8 + part;
            text += &format!("  v{a}:a8<1>:uw = mov (W 1|M0) 0x{part}:uw\n");
        }
        for part in 0..4 {
            let (a, v) = (25 + round * 8 + part, 29 + round * 8 + part);
            let value = 1 + round * 4 + part;
            text += &format!(
                "  v{v}:g128<1>:ud = add (32|M0) v{value}<8;8,1>:ud, v{a}<0;1,0>:uw\n  null<1>:ud = sends (W 1|M0) v0<8;8,1>:ud, \
                 v{v}<8;8,1>:ud sfid 15 desc 0x400f784 exdesc 0x200\n"
            );
        }
    }
    text += "  end\n";
    let func = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let allocated = allocate(func, &options(40)).unwrap_or_else(|e| panic!("{e}"));
    assert!(allocated.stats.fills > 0);
}
