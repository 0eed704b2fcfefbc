//! Variables in one place: which may share theirs, that the check accepts what comes of it, and that it refuses all
//! that spoils something when it runs.

mod draw;
mod machine;

use kiln_frontend::module::{Module, Object, Var};
use kiln_ir::build::{BuildOptions, build_with};
use kiln_ir::func::{Function, Home};
use kiln_ir::homes::check::{HomeError, check};
use kiln_ir::homes::{self, Room};
use kiln_target::platform::{self, Platform, SKL};

/// Variables of eight dwords; each has another name for its bytes.
pub const VARS: [char; 10] = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'];

/// A kernel of eight channels with these variables, and smaller ones.
fn kernel(declared: &str, body: &str) -> Module {
    let mut source = String::from(".version 4.1\n.kernel \"k\"\n");
    for var in VARS {
        source += &format!(
            ".decl {var} v_type=G type=d num_elts=8 align=hword\n\
             .decl {var}B v_type=G type=b num_elts=32 align=hword alias=<{var}, 0>\n"
        );
    }
    for p in 1..4 {
        source += &format!(".decl P{p} v_type=P num_elts=8\n");
    }
    source += ".decl T6 v_type=T num_elts=1 v_name=T006\n";
    source += &format!("{declared}.kernel_attr SimdSize=8\n{body}ret (M1, 1)\n");
    kiln_frontend::text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

fn room(target: &Platform) -> Room {
    Room {
        grfs: target.unit_grfs()..target.grf_count - 16,
        memory: 1 << 16,
    }
}

fn place<'m>(module: &'m Module, target: &'static Platform, room: Room) -> Function<'m> {
    try_to_place(module, target, room, false).expect("the kernel is plain")
}

/// With both halves of the code gone through at the same time, or in one go.
fn try_to_place<'m>(
    module: &'m Module,
    target: &'static Platform,
    room: Room,
    in_halves: bool,
) -> Option<Function<'m>> {
    let options = BuildOptions {
        homes: Some(room),
        halves_from: if in_halves { 0 } else { usize::MAX },
        ..BuildOptions::default()
    };
    let func = build_with(&module.objects[0], target, options).expect("a function");
    func.placed.is_some().then_some(func)
}

fn var(object: &Object, name: &str) -> Var {
    let mut vars = object.vars.iter();
    let found = vars.find(|(_, decl)| decl.name == name);
    let mut predicates = object.predicates.iter();
    let flag = predicates.find(|(_, decl)| decl.name == name);
    let flag = flag.map(|(p, _)| homes::predicate(object, p));
    let found = found.map(|(var, _)| var).or(flag);
    found.expect("a variable of that name")
}

/// Where a variable is: in memory or not, from where to where.
fn bytes(func: &Function, var: Var) -> Option<(bool, u32, u32)> {
    let declared = func.object.vars.get(var);
    // Of a predicate of eight channels a byte for each.
    let size = declared.map_or(8, |decl| decl.bytes());
    match func.homes[var] {
        Home::Register { offset } => Some((false, offset, offset + size)),
        Home::Memory { offset } => Some((true, offset, offset + size)),
        _ => None,
    }
}

fn overlap(func: &Function, one: Var, other: Var) -> bool {
    let places = bytes(func, one).zip(bytes(func, other));
    places.is_some_and(|(a, b)| a.0 == b.0 && a.1 < b.2 && b.1 < a.2)
}

/// Holds which variables share their places against what is expected, and the check against each pair that must not:
/// it has to refuse it if they are given the same.
#[track_caller]
fn expect(func: &mut Function, apart: &[&str], together: &[&str]) {
    check(func).unwrap_or_else(|e| panic!("{e}"));
    let pair = |func: &Function, names: &str| {
        let (one, other) = names.split_once(' ').expect("two names");
        [one, other].map(|name| var(func.object, name))
    };
    for names in together {
        let [one, other] = pair(func, names);
        assert!(overlap(func, one, other), "{names} may share a place");
    }
    for names in apart {
        let [one, other] = pair(func, names);
        assert!(
            !overlap(func, one, other),
            "{names} need places of their own"
        );
        for (from, to) in [(one, other), (other, one)] {
            let home = func.homes[from];
            let before = std::mem::replace(&mut func.homes[to], home);
            let refused = check(func);
            assert!(
                matches!(
                    refused,
                    Err(HomeError::Spoiled { .. } | HomeError::Inputs { .. })
                ),
                "{names}: {refused:?}"
            );
            func.homes[to] = before;
        }
    }
}

#[track_caller]
fn holds(body: &str, apart: &[&str], together: &[&str]) {
    let module = kernel("", body);
    let mut func = place(&module, &SKL, room(&SKL));
    expect(&mut func, apart, together);
    // Whoever looks at halves may see less to share.
    let halves = try_to_place(&module, &SKL, room(&SKL), true);
    expect(&mut halves.expect("the kernel is plain"), apart, &[]);
}

fn set(var: &str) -> String {
    format!("mov (M1, 8) {var}(0,0)<1> 0x1:d\n")
}

fn read(var: &str) -> String {
    format!("cmp.lt (M1, 8) P2 {var}(0,0)<1;1,0> 0x0:d\n")
}

/// Sets and reads.
fn brief(var: &str) -> String {
    set(var) + &read(var)
}

#[test]
fn one_life_ends_before_the_next_begins() {
    let body = brief("A") + &brief("B") + &set("C") + &set("D") + &read("C") + &read("D");
    holds(&body, &["C D"], &["A B"]);
}

/// What an instruction reads is still there when it writes.
#[test]
fn what_an_instruction_reads_is_apart_from_what_it_writes() {
    let body = set("A") + "mov (M1, 8) B(0,0)<1> A(0,0)<1;1,0>\n" + &read("B");
    holds(&body, &["A B"], &[]);
}

#[test]
fn a_loop_keeps_what_comes_from_outside() {
    let body = set("A") + "L:\n" + &read("A") + &brief("B") + "(P1) goto (M1, 8) L\n" + &brief("C");
    holds(&body, &["A B"], &["A C"]);
}

/// Channels that have left a loop wait with what they read behind it.
#[test]
fn a_loop_keeps_what_is_read_behind_it() {
    let body =
        String::from("L:\n") + &brief("B") + &set("A") + "(P1) goto (M1, 8) L\n" + &read("A");
    holds(&body, &["A B"], &[]);
}

#[test]
fn what_comes_round_a_loop_is_kept_in_all_of_it() {
    let around = |body: &str| format!("L:\n{body}(P1) goto (M1, 8) L\n");
    let twice = read("A") + &set("A");
    holds(&around(&(brief("B") + &twice)), &["A B"], &[]);
    holds(&around(&(twice + &brief("B"))), &["A B"], &[]);
    // What is written on one of two ways alone.
    let one_way = format!("(P2) goto (M1, 8) x\n{}x:\n{}", set("A"), read("A"));
    holds(&around(&(brief("B") + &one_way)), &["A B"], &[]);
}

/// The first instruction writes the upper half alone; the lower one comes round.
#[test]
fn a_half_that_is_not_written_comes_round() {
    let upper = "mov (M2, 4) A(0,4)<1> 0x1:d\n";
    let lower = "cmp.lt (M1, 4) P3 A(0,0)<1;1,0> 0x0:d\nmov (M1, 4) A(0,0)<1> 0x2:d\n";
    let body = format!("L:\n{upper}{lower}{}(P1) goto (M1, 8) L\n", brief("B"));
    holds(&body, &["A B"], &[]);
}

#[test]
fn what_is_written_anew_does_not_come_round() {
    let body = String::from("L:\n") + &brief("A") + &brief("B") + "(P1) goto (M1, 8) L\n";
    holds(&body, &[], &["A B"]);
}

#[test]
fn the_cases_of_a_switch_in_a_loop_share() {
    let case = |name: &str, var: &str| format!("{name}:\n{}goto (M1, 8) end\n", brief(var));
    let body = format!(
        "L:\n(P1) goto (M1, 8) two\n(P2) goto (M1, 8) three\n{}{}{}end:\n{}(P3) goto (M1, 8) L\n",
        case("one", "A"),
        case("two", "B"),
        case("three", "C"),
        brief("D"),
    );
    holds(&body, &[], &["A B", "B C", "C D"]);
    // What is read behind the cases is kept in those that come later.
    let case = |name: &str, var: &str| {
        let to_end = format!("{}goto (M1, 8) end\n", set("E"));
        format!("{name}:\n{}{to_end}", brief(var))
    };
    let body = format!(
        "L:\n(P1) goto (M1, 8) two\n{}{}end:\n{}(P3) goto (M1, 8) L\n",
        case("one", "A"),
        case("two", "B"),
        read("E"),
    );
    holds(&body, &["B E"], &[]);
}

#[test]
fn a_write_under_a_predicate_leaves_what_was_there() {
    let write = "(P2) mov (M1, 8) A(0,0)<1> 0x1:d\n";
    let body = format!(
        "L:\n{write}{}{}(P1) goto (M1, 8) L\n",
        read("A"),
        brief("B")
    );
    holds(&body, &["A B"], &[]);
    // Nothing was there.
    let body = write.to_string() + &read("A") + &brief("B");
    holds(&body, &[], &["A B"]);
}

/// Channels that are not active have not written what all read.
#[test]
fn reads_whatever_the_mask_see_what_others_left() {
    for read in [
        "cmp.lt (M1_NM, 8) P2 A(0,0)<1;1,0> 0x0:d\n",
        "cmp.lt (M1, 8) P2 A(0,0)<0;1,0> 0x0:d\n",
        "cmp.lt (M1_NM, 1) P2 A(0,3)<0;1,0> 0x0:d\n",
    ] {
        let around = |write: &str| {
            let body = write.to_string() + read + &brief("B");
            format!("L:\n{body}(P1) goto (M1, 8) L\n")
        };
        holds(&around(&set("A")), &["A B"], &[]);
        let all = "mov (M1_NM, 8) A(0,0)<1> 0x1:d\n";
        holds(&around(all), &[], &["A B"]);
    }
}

/// Nor what one channel writes for itself when others have been there before.
#[test]
fn reads_whatever_the_mask_see_what_was_written_on_another_way() {
    let body = String::from("(P1) goto (M1, 8) two\n")
        + &set("A")
        + "goto (M1, 8) end\ntwo:\n"
        + &brief("B")
        + &set("A")
        + "cmp.lt (M1_NM, 8) P2 A(0,0)<1;1,0> 0x0:d\n"
        + "end:\n";
    holds(&body, &["A B"], &[]);
}

/// All channels' elements are written at once where one of them alone goes on.
#[test]
fn writes_whatever_the_mask_are_for_those_who_wait_too() {
    let all = "mov (M1_NM, 8) A(0,0)<1> 0x1:d\n";
    let body = format!("(P1) goto (M1, 8) x\n{all}{}x:\n{}", brief("B"), read("A"));
    holds(&body, &["A B"], &[]);
}

#[test]
fn parts_of_elements_are_each_their_own() {
    let around = |parts: [(u32, u32); 2]| {
        let [write, read] = parts;
        let write = format!("mov (M1, 8) AB(0,{})<4> 0x1:b\n", write.0);
        let read = format!("mov (M1, 8) BB(0,0)<4> AB(0,{})<32;8,4>\n", read.0);
        format!("L:\n{write}{read}{}(P1) goto (M1, 8) L\n", brief("C"))
    };
    holds(&around([(1, 0), (1, 0)]), &["A B"], &["A C"]);
    for parts in [[(1, 0), (2, 0)], [(2, 0), (1, 0)]] {
        holds(&around(parts), &["A B", "A C"], &[]);
    }
}

#[test]
fn loops_that_begin_at_the_same_place_are_in_each_other() {
    let body = set("A")
        + "L:\n"
        + &read("A")
        + &brief("B")
        + "(P1) goto (M1, 8) L\n"
        + &brief("C")
        + "(P2) goto (M1, 8) L\n"
        + &brief("D");
    holds(&body, &["A B", "A C"], &["A D", "B C"]);
}

#[test]
fn all_loops_that_do_not_have_the_write_keep_what_they_read() {
    let body = set("A")
        + "K:\nL:\n"
        + &brief("B")
        + "M:\n"
        + &read("A")
        + "(P1) goto (M1, 8) M\n"
        + &brief("C")
        + "(P2) goto (M1, 8) L\n"
        + &brief("D")
        + "(P3) goto (M1, 8) K\n";
    holds(&body, &["A B", "A C", "A D"], &["B C", "C D"]);
}

/// The same where the loop lies in the second half of the code, and the write in the first.
#[test]
fn a_loop_behind_the_middle_keeps_what_it_reads() {
    let body = set("A")
        + &brief("C").repeat(4)
        + "L:\n"
        + &read("A")
        + &brief("B")
        + "(P1) goto (M1, 8) L\n";
    holds(&body, &["A B", "A C"], &["B C"]);
}

/// A byte that channel 0 has written is not what channel 3 finds there.
#[test]
fn bytes_are_of_other_channels_by_other_types() {
    for read in [
        "cmp.lt (M1, 8) P2 AB(0,0)<1;1,0> 0x0:b\n",
        "cmp.lt (M1, 8) P2 A(0,1)<1;1,0> 0x0:d\n",
        "cmp.lt (M1, 8) P2 AB(0,0)<1;1,0> 0x0:b\ncmp.lt (M1, 8) P2 A(0,0)<1;1,0> 0x0:d\n",
    ] {
        let body = set("A") + read + &brief("B");
        holds(&format!("L:\n{body}(P1) goto (M1, 8) L\n"), &["A B"], &[]);
    }
}

/// Predicates that no other block wants have no place.
#[test]
fn predicates_within_a_block_have_no_home() {
    let compared = "cmp.lt (M1, 8) P2 A(0,0)<1;1,0> 0x0:d\n";
    let used = "(P2) mov (M1, 8) B(0,0)<1> 0x1:d\n";
    for (body, has) in [
        (format!("{compared}{used}"), false),
        (format!("L:\n{compared}{used}(P1) goto (M1, 8) L\n"), false),
        (format!("{compared}L:\n{used}(P1) goto (M1, 8) L\n"), true),
        (format!("L:\n{used}{compared}(P1) goto (M1, 8) L\n"), true),
        (
            format!("{compared}(P1) goto (M1, 8) L\nL:\n{compared}"),
            false,
        ),
    ] {
        let module = kernel("", &body);
        let func = place(&module, &SKL, room(&SKL));
        let home = func.homes[var(func.object, "P2")];
        assert_eq!(home != Home::Special, has, "{body}");
    }
}

/// A predicate is kept from where it is written to where it is read, by channels that wait, too.
#[test]
fn predicates_are_kept_between_blocks() {
    let compared = "cmp.lt (M1, 8) P2 A(0,0)<1;1,0> 0x0:d\n";
    let used = "(P2) mov (M1, 8) D(0,0)<1> 0x1:d\n";
    let brief = |var: &str| format!("{}mov (M1, 8) E(0,0)<1> {var}(0,0)<1;1,0>\n", set(var));
    let b = brief("B");
    holds(
        &format!("{compared}(P1) goto (M1, 8) L\n{b}L:\n{used}"),
        &["P2 B"],
        &[],
    );
    // What is read of it whatever the mask may come from those who have left the loop meanwhile.
    for read in ["(P2) goto (M1, 1) K\n", "(P2.any) goto (M1, 8) K\n"] {
        let body = format!("L:\n{compared}{read}{b}(P1) goto (M1, 8) L\nK:\n");
        holds(&body, &["P2 B"], &[]);
    }
}

/// Operations on groups of channels do not say whose the bytes are that they write.
#[test]
fn what_groups_of_channels_write_may_keep_what_was_there() {
    let declared: String = ["A", "C"]
        .map(|var| {
            format!(".decl {var}F v_type=G type=f num_elts=8 align=hword alias=<{var}, 0>\n")
        })
        .concat();
    let body = String::from("L:\n")
        + &brief("B")
        + &set("C")
        + "dp4 (M1, 8) AF(0,0)<1> CF(0,0)<1;1,0> CF(0,0)<1;1,0>\n"
        + &read("A")
        + "(P1) goto (M1, 8) L\n";
    let module = kernel(&declared, &body);
    let mut func = place(&module, &SKL, room(&SKL));
    expect(&mut func, &["A B", "A C"], &[]);
}

/// What comes round the inner loop is there when the outer one comes to it again.
#[test]
fn what_comes_round_an_inner_loop_comes_round_those_around() {
    let body = String::from("K:\n")
        + &brief("B")
        + "L:\n"
        + &read("A")
        + &set("A")
        + "(P1) goto (M1, 8) L\n"
        + &brief("C")
        + "(P2) goto (M1, 8) K\n";
    holds(&body, &["A B", "A C"], &["B C"]);
}

/// Two loops of which each has a part of the other.
#[test]
fn loops_that_cross_are_one() {
    let body = String::from("K:\n")
        + &brief("B")
        + "L:\n"
        + &set("A")
        + "(P1) goto (M1, 8) K\n"
        + &read("A")
        + "(P2) goto (M1, 8) L\n"
        + &brief("C");
    holds(&body, &["A B"], &["A C"]);
}

/// Channels that leave a loop from inside wait while it runs again.
#[test]
fn who_leaves_a_loop_from_inside_keeps_what_it_reads_behind() {
    let body = String::from("L:\n")
        + &brief("B")
        + &set("A")
        + "(P1) goto (M1, 8) out\n"
        + &brief("C")
        + "(P2) goto (M1, 8) L\n"
        + "out:\n"
        + &read("A");
    holds(&body, &["A B", "A C"], &["B C"]);
}

#[test]
fn inputs_are_there_from_the_start() {
    let declared = ".input A offset=128 size=32\n.input B offset=160 size=32\n";
    let body =
        brief("C") + &read("A") + "L:\n" + &read("B") + &brief("D") + "(P1) goto (M1, 8) L\n";
    let module = kernel(declared, &body);
    let mut func = place(&module, &SKL, room(&SKL));
    let homes = ["A", "B"].map(|name| func.homes[var(func.object, name)]);
    let arrived = [128, 160].map(|offset| Home::Register { offset });
    assert_eq!(homes, arrived);
    expect(&mut func, &["A C", "B C", "B D"], &[]);
    // Both are wanted where they arrive.
    let a = var(func.object, "A");
    func.homes[a] = Home::Register { offset: 144 };
    let refused = check(&func);
    assert!(
        matches!(refused, Err(HomeError::Inputs { .. })),
        "{refused:?}"
    );
}

#[test]
fn variables_that_have_no_register_share_memory() {
    let mut body = String::new();
    for vars in [["A", "B", "C", "D"], ["E", "F", "G", "H"]] {
        body += &vars.map(set).concat();
        body += &vars.map(read).concat();
    }
    let module = kernel("", &body);
    let room = Room {
        grfs: 2..4,
        memory: 1 << 16,
    };
    let mut func = place(&module, &SKL, room);
    let in_memory = |func: &Function| {
        let homes = VARS.map(|name| func.homes[var(func.object, &name.to_string())]);
        let is_memory = |home: &&Home| matches!(home, Home::Memory { .. });
        homes.iter().filter(is_memory).count()
    };
    assert_eq!(in_memory(&func), 4);
    // Two places of a unit, twice.
    assert_eq!(func.placed.as_ref().map(|placed| placed.memory), Some(128));
    expect(
        &mut func,
        &["A B", "A C", "B D", "C D", "E F", "F G", "G H"],
        &[],
    );
}

/// What an instruction reads in memory is still there when it writes.
#[test]
fn memory_is_kept_up_to_the_last_instruction() {
    // The first two are named most often.
    let body = ["A", "B"].map(set).concat()
        + "L:\n"
        + &["A", "B"].map(read).concat()
        + "(P1) goto (M1, 8) L\n"
        + &set("C")
        + "mov (M1, 8) D(0,0)<1> C(0,0)<1;1,0>\n"
        + "mov (M1, 8) E(0,0)<1> D(0,0)<1;1,0>\n"
        + &["A", "B", "E"].map(read).concat();
    let module = kernel("", &body);
    let room = Room {
        grfs: 2..4,
        memory: 1 << 16,
    };
    let mut func = place(&module, &SKL, room);
    for name in ["C", "D"] {
        let home = func.homes[var(func.object, name)];
        assert!(matches!(home, Home::Memory { .. }), "{name}: {home:?}");
    }
    expect(&mut func, &["C D", "D E", "A B"], &[]);
}

#[test]
fn small_variables_share_units() {
    let declared: String = (0..4)
        .map(|n| format!(".decl S{n} v_type=G type=w num_elts=1 align=word\n"))
        .collect();
    let names: Vec<String> = (0..4).map(|n| format!("S{n}")).collect();
    let mut body = String::new();
    for name in &names {
        body += &format!("mov (M1_NM, 1) {name}(0,0)<1> 0x1:w\n");
    }
    for name in &names {
        body += &format!("cmp.lt (M1_NM, 1) P2 {name}(0,0)<0;1,0> 0x0:w\n");
    }
    let module = kernel(&declared, &body);
    let mut func = place(&module, &SKL, room(&SKL));
    let units = names.iter().map(|name| {
        let (_, from, _) = bytes(&func, var(func.object, name)).expect("a place");
        from / SKL.unit_bytes()
    });
    let units: Vec<u32> = units.collect();
    assert!(units.windows(2).all(|pair| pair[0] == pair[1]), "{units:?}");
    expect(&mut func, &["S0 S1", "S1 S2", "S2 S3", "S0 S3"], &[]);
}

/// An input that a message overwrites with a whole register has others beside it, or none.
#[test]
fn inputs_that_messages_write_are_alone_in_their_registers() {
    let body = String::from("gather_scaled.1 (M1, 1) T6 0x0:ud A.0 M.0\n")
        + "mov (M1_NM, 4) B(0,0)<1> M(0,0)<1;1,0>\n"
        + "mov (M1_NM, 4) B(0,4)<1> N(0,0)<1;1,0>\n"
        + &read("B");
    for (offset, fits) in [(144, false), (160, true)] {
        let declared = format!(
            ".decl M v_type=G type=d num_elts=4 align=hword\n.decl N v_type=G type=d num_elts=4 align=hword\n\
             .input A offset=96 size=32\n.input M offset=128 size=16\n.input N offset={offset} size=16\n"
        );
        let module = kernel(&declared, &body);
        let options = BuildOptions {
            homes: Some(room(&SKL)),
            ..BuildOptions::default()
        };
        let func = build_with(&module.objects[0], &SKL, options).expect("a function");
        assert_eq!(func.placed.is_some(), fits, "the other at {offset}");
        assert!(!fits || check(&func).is_ok());
    }
}

/// Messages write whole registers, so that nothing shares those that they name.
#[test]
fn operands_of_messages_have_whole_units() {
    let declared = ".decl M v_type=G type=d num_elts=4 align=hword\n";
    let body = set("A")
        + "gather_scaled.1 (M1, 1) T6 0x0:ud A.0 M.0\n"
        + "mov (M1_NM, 4) B(0,0)<1> M(0,0)<1;1,0>\n"
        + &read("A")
        + &read("B");
    for target in [
        &SKL,
        platform::find("tgllp").unwrap(),
        platform::find("pvc").unwrap(),
    ] {
        let module = kernel(declared, &body);
        let mut func = place(&module, target, room(target));
        expect(&mut func, &["A M", "B M", "A B"], &[]);
        let (_, from, _) = bytes(&func, var(func.object, "M")).expect("a place");
        assert_eq!(from % target.unit_bytes(), 0);
        // The rest of the register is the message's, too.
        let b = var(func.object, "A");
        func.homes[b] = Home::Register { offset: from + 16 };
        let refused = check(&func);
        assert!(
            matches!(refused, Err(HomeError::Spoiled { .. })),
            "{refused:?}"
        );
    }
}

#[test]
fn places_lie_where_variables_may_be() {
    let module = kernel("", &brief("A"));
    let mut func = place(&module, &SKL, room(&SKL));
    let a = var(func.object, "A");
    for home in [
        Home::Register { offset: 0 },
        Home::Register { offset: 112 * 32 },
        Home::Register {
            offset: u32::MAX - 3,
        },
        Home::Memory { offset: 0 },
        Home::Special,
    ] {
        func.homes[a] = home;
        let refused = check(&func);
        assert!(
            matches!(refused, Err(HomeError::Outside { .. })),
            "{home:?}: {refused:?}"
        );
    }
}

/// A kernel's body, and its subroutine `s`.
fn with_subroutine(body: &str, of_s: &str) -> String {
    format!("{body}ret (M1, 1)\n{}", subroutine("s", of_s))
}

fn subroutine(name: &str, body: &str) -> String {
    format!(".function \"{name}\"\n{name}:\n{body}")
}

/// The same of a kernel with subroutines, whose places are from different ends of the file: whether variables may be in
/// one place is what the check says.
#[track_caller]
fn called(body: &str, apart: &[&str], together: &[&str]) {
    let module = kernel("", body);
    let mut func = place(&module, &SKL, room(&SKL));
    expect(&mut func, apart, &[]);
    for names in together {
        let (one, other) = names.split_once(' ').expect("two names");
        let [one, other] = [one, other].map(|name| var(func.object, name));
        for (from, to) in [(one, other), (other, one)] {
            let home = func.homes[from];
            let before = std::mem::replace(&mut func.homes[to], home);
            check(&func).unwrap_or_else(|e| panic!("{names}: {e}"));
            func.homes[to] = before;
        }
    }
    // Where there is hardly enough.
    for grfs in (3..12).map(|end| 2..end) {
        let memory = 1 << 16;
        if let Some(mut func) = try_to_place(&module, &SKL, Room { grfs, memory }, false) {
            expect(&mut func, apart, &[]);
        }
    }
}

const CALL: &str = "call (M1, 8) s\n";

#[test]
fn a_subroutine_keeps_away_from_what_lives_at_its_calls() {
    let body = set("A") + &brief("B") + CALL + &read("A") + &brief("C");
    let text = with_subroutine(&body, &(brief("D") + &brief("E")));
    called(&text, &["A D", "A E"], &["B D", "C D", "D E"]);
    // In what a subroutine calls, too, wherever else that is called.
    let body = set("A") + CALL + &read("A") + &set("B") + "call (M1, 8) t\n" + &read("B");
    let of_s = set("C") + "call (M1, 8) t\n" + &read("C");
    let text = with_subroutine(&body, &of_s) + "ret (M1, 8)\n" + &subroutine("t", &brief("D"));
    called(&text, &["A C", "A D", "B D", "C D"], &["A B"]);
}

#[test]
fn what_several_routines_name_is_alive_in_the_kernel() {
    let body = set("A") + &brief("B") + CALL + &brief("C") + &read("D") + &brief("E");
    let of_s = brief("F") + &read("A") + &set("D") + &brief("G");
    let text = with_subroutine(&body, &of_s);
    called(&text, &["A B", "A F", "D G", "D C"], &["B E", "C E", "B F"]);
    // Between the calls it is there as it was.
    let body = brief("B") + CALL + &brief("C") + CALL + &brief("E");
    let text = with_subroutine(&body, &(read("A") + &set("A") + &brief("D")));
    called(&text, &["A C", "A D"], &["B C", "C E", "B D"]);
}

/// Channels that wait behind a call want what they had there, whoever is called meanwhile.
#[test]
fn channels_wait_while_others_call() {
    let body = set("A") + "(P1) goto (M1, 8) x\n" + CALL + "x:\n" + &read("A");
    called(&with_subroutine(&body, &brief("D")), &["A D"], &[]);
    // Even if it writes the same variable for those that are active.
    called(
        &with_subroutine(&body, &(brief("D") + &set("A") + &brief("E"))),
        &["A D", "A E"],
        &["D E"],
    );
    let of_s = set("A") + "(P1) goto (M1, 8) x\n" + &brief("D") + "x:\n" + &read("A");
    called(&with_subroutine(CALL, &of_s), &["A D"], &[]);
}

#[test]
fn inputs_are_where_they_arrive_for_subroutines() {
    let declared = ".input A offset=96 size=32\n.input B offset=128 size=32\n";
    let body = with_subroutine(
        &(brief("C") + CALL + &brief("D")),
        &(read("B") + &read("A")),
    );
    let module = kernel(declared, &body);
    let mut func = place(&module, &SKL, room(&SKL));
    let homes = ["A", "B"].map(|name| func.homes[var(func.object, name)]);
    let arrived = [96, 128].map(|offset| Home::Register { offset });
    assert_eq!(homes, arrived);
    expect(&mut func, &["A C", "B C"], &[]);
}

/// Memory of a subroutine is not that of its callers.
#[test]
fn routines_have_memory_of_their_own() {
    let all = |names: [&str; 4]| names.map(set).concat() + &names.map(read).concat();
    let [own, called] = [["A", "B", "C", "D"], ["E", "F", "G", "H"]];
    let much = brief("I").repeat(64);
    let body = much + &own.map(set).concat() + CALL + &own.map(read).concat();
    let module = kernel("", &with_subroutine(&body, &all(called)));
    let room = Room {
        grfs: 2..5,
        memory: 1 << 16,
    };
    let mut func = place(&module, &SKL, room);
    for names in [own, called] {
        let mut homes = names.iter().map(|name| func.homes[var(func.object, name)]);
        assert!(homes.any(|home| matches!(home, Home::Memory { .. })));
    }
    expect(&mut func, &["A E", "A F", "B G", "C H", "D E", "D H"], &[]);
}

#[test]
fn a_loop_keeps_what_its_calls_name() {
    let body = format!(
        "L:\n{CALL}{}(P1) goto (M1, 8) L\n{}",
        brief("B"),
        brief("C")
    );
    let text = with_subroutine(&body, &(read("A") + &set("A")));
    called(&text, &["A B"], &["B C"]);
}

/// Runs of each random kernel, and pairs of its variables that are given the same place.
const RUNS: u64 = 24;
const PAIRS: usize = 6;

fn spoils(func: &Function, seed: u64) -> Option<String> {
    (0..RUNS).find_map(|run| machine::run(func, seed << 8 | run).err())
}

/// What spoils a variable when it runs is refused, and what is assigned spoils none and is accepted.
#[test]
fn what_is_refused_is_what_spoils() {
    let (mut spoiled, mut refused, mut accepted, mut with_calls) = (0, 0, 0, 0);
    // Every other one has subroutines.
    for seed in 0..count() {
        let text = draw::kernel(seed, seed % 2 == 1);
        let module = kernel("", &text);
        let mut random = draw::Random(seed);
        // Sometimes in so few registers that there are some in memory.
        let grfs = match random.below(3) {
            0 => 2..4 + random.below(6) as u32,
            _ => 2..112,
        };
        let memory = 1 << 16;
        let in_halves = seed / 2 % 2 == 1;
        let room = Room { grfs, memory };
        let Some(mut func) = try_to_place(&module, &SKL, room, in_halves) else {
            // With subroutines only few may be in memory.
            assert!(seed % 2 == 1, "seed {seed}: the kernel is plain\n{text}");
            continue;
        };
        with_calls += usize::from(func.routines.len() > 1);
        if let Err(error) = check(&func) {
            panic!("seed {seed}: {error}\n{text}{func}");
        }
        if let Some(found) = spoils(&func, seed) {
            panic!("seed {seed}: {found}\n{text}{func}");
        }
        let used: Vec<Var> = (func.object.vars.keys())
            .filter(|&var| bytes(&func, var).is_some())
            .collect();
        if used.len() < 2 {
            continue;
        }
        for _ in 0..PAIRS {
            let [one, other] = [0; 2].map(|_| used[random.below(used.len())]);
            let home = func.homes[other];
            let before = std::mem::replace(&mut func.homes[one], home);
            let result = check(&func);
            let found = spoils(&func, seed);
            let names = [one, other].map(|var| func.object.vars[var].name.to_string());
            assert!(
                result.is_err() || found.is_none(),
                "seed {seed}: {names:?}: {found:?}\n{text}{func}"
            );
            match result {
                Ok(()) => accepted += 1,
                Err(_) => refused += 1,
            }
            spoiled += usize::from(found.is_some());
            func.homes[one] = before;
        }
    }
    // It would say nothing if hardly anything were spoiled, nor if all were refused.
    assert!(
        spoiled * 2 > refused,
        "{spoiled} spoiled, {refused} refused"
    );
    assert!(accepted > refused / 8, "{accepted} accepted");
    assert!(with_calls as u64 > count() / 4, "{with_calls} with calls");
}

/// Random kernels that are gone through, or as many as the environment says.
fn count() -> u64 {
    let count = std::env::var("HOMES_KERNELS").ok();
    count.and_then(|count| count.parse().ok()).unwrap_or(300)
}
