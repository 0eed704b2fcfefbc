//! Decided control flow: scalar and SIMD branches, joins, and the targets taken with no active channel.

use crate::common::kernel;
use kiln_ir::build::build;
use kiln_ir::cfg::CfgError;
use kiln_ir::func::{Block, Function, Term};
use kiln_ir::verify::verify;
use kiln_platform::platform::SKL;
use kiln_visa::module::Module;
use kiln_visa::opcode::Opcode;

/// The block with the `n`th instruction of that opcode.
fn block_of(func: &Function, op: Opcode, n: usize) -> Block {
    let of_block = |b: Block| {
        func.block_insts(b)
            .filter(|&i| func.visa(i).op == op)
            .map(move |_| b)
    };
    func.blocks
        .keys()
        .flat_map(of_block)
        .nth(n)
        .expect("an instruction of that kind")
}

fn term(func: &Function, op: Opcode, n: usize) -> Term {
    func.blocks[block_of(func, op, n)].term
}

/// Joins in order, each with its target for no active channel.
fn joins(func: &Function) -> Vec<(Block, Option<Block>)> {
    let join = |b: Block| match func.blocks[b].term {
        Term::Join { jip, .. } => Some((b, jip)),
        _ => None,
    };
    func.blocks.keys().filter_map(join).collect()
}

/// The block that execution reaches from `b` through empty blocks that fall through.
fn landing(func: &Function, mut b: Block) -> Block {
    while func.blocks[b].insts.is_empty() {
        match func.blocks[b].term {
            Term::Jump(to) => b = to,
            _ => break,
        }
    }
    b
}

#[test]
fn a_diamond_parks_channels_at_two_joins() {
    let module = kernel(
        "cmp.lt (M1, 16) P1 V(0,0)<1;1,0> 0x0:d\n\
         (!P1) goto (M1, 16) no\n\
         mov (M1, 16) W(0,0)<1> 0x1:d\n\
         goto (M1, 16) end\n\
         no:\n\
         add (M1, 16) W(0,0)<1> W(0,0)<1;1,0> 0x2:d\n\
         end:\n\
         not (M1, 16) X(0,0)<1> W(0,0)<1;1,0>\n\
         ret (M1, 1)\n",
    );
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound");
    let joins = joins(&func);
    let [(no, no_jip), (end, end_jip)] = joins[..] else {
        panic!("two joins: {joins:?}\n{func}")
    };
    assert_eq!(landing(&func, no_jip.expect("channels wait ahead")), end);
    assert_eq!(end_jip, None, "nobody waits behind the end");
    let Term::Goto {
        uip,
        jip,
        next,
        backward,
        ..
    } = term(&func, Opcode::Cmp, 0)
    else {
        panic!("{func}")
    };
    assert_eq!((uip, landing(&func, jip), backward), (no, no, false));
    assert_eq!(
        landing(&func, next.expect("some go on")),
        block_of(&func, Opcode::Mov, 0)
    );
    // All channels leave for the end, but those that wait at the join before it run first.
    let Term::Goto {
        uip,
        jip,
        next,
        backward,
        ..
    } = term(&func, Opcode::Mov, 0)
    else {
        panic!("{func}")
    };
    assert_eq!(
        (uip, landing(&func, jip), next, backward),
        (end, no, None, false)
    );
}

#[test]
fn a_loop_with_a_break_joins_behind_the_latch() {
    let module = kernel(
        "mov (M1, 16) V(0,0)<1> 0x0:d\n\
         top:\n\
         cmp.gt (M1, 16) P1 V(0,0)<1;1,0> 0x9:d\n\
         (P1) goto (M1, 16) end\n\
         add (M1, 16) V(0,0)<1> V(0,0)<1;1,0> 0x1:d\n\
         cmp.lt (M1, 16) P2 V(0,0)<1;1,0> W(0,0)<1;1,0>\n\
         (P2) goto (M1, 16) top\n\
         end:\n\
         not (M1, 16) X(0,0)<1> V(0,0)<1;1,0>\n\
         ret (M1, 1)\n",
    );
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound");
    let joins = joins(&func);
    let [(end, None)] = joins[..] else {
        panic!("one join: {joins:?}\n{func}")
    };
    let Term::Goto {
        uip,
        jip,
        backward: false,
        ..
    } = term(&func, Opcode::Cmp, 0)
    else {
        panic!("{func}")
    };
    assert_eq!((uip, landing(&func, jip)), (end, end));
    let Term::Goto {
        uip,
        jip,
        backward: true,
        next: None,
        ..
    } = term(&func, Opcode::Add, 0)
    else {
        panic!("{func}")
    };
    assert_eq!(landing(&func, uip), block_of(&func, Opcode::Cmp, 0));
    assert_eq!(landing(&func, jip), end);
}

#[test]
fn a_uniform_branch_that_crosses_no_join_is_a_scalar_jump() {
    let module = kernel(
        "cmp.lt (M1, 16) P1 V(0,0)<1;1,0> 0x0:d\n\
         (P1) goto (M1, 1) there\n\
         mov (M1, 16) W(0,0)<1> 0x1:d\n\
         goto (M1, 16) end\n\
         there:\n\
         add (M1, 16) W(0,0)<1> W(0,0)<1;1,0> 0x2:d\n\
         end:\n\
         ret (M1, 1)\n",
    );
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound");
    assert!(joins(&func).is_empty(), "{func}");
    let Term::Branch { taken, next, .. } = term(&func, Opcode::Cmp, 0) else {
        panic!("{func}")
    };
    assert_eq!(landing(&func, taken), block_of(&func, Opcode::Add, 0));
    assert_eq!(landing(&func, next), block_of(&func, Opcode::Mov, 0));
    let Term::Jump(end) = term(&func, Opcode::Mov, 0) else {
        panic!("{func}")
    };
    assert_eq!(landing(&func, end), block_of(&func, Opcode::Ret, 0));
}

#[test]
fn a_uniform_branch_over_a_join_parks_its_channels() {
    let module = kernel(
        "cmp.lt (M1, 16) P1 V(0,0)<1;1,0> 0x0:d\n\
         cmp.gt (M1, 16) P2 W(0,0)<1;1,0> 0x0:d\n\
         (P1) goto (M1, 16) wait\n\
         mov (M1, 16) W(0,0)<1> 0x1:d\n\
         (P2) goto (M1, 1) end\n\
         add (M1, 16) W(0,0)<1> W(0,0)<1;1,0> 0x2:d\n\
         wait:\n\
         not (M1, 16) X(0,0)<1> W(0,0)<1;1,0>\n\
         end:\n\
         ret (M1, 1)\n",
    );
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound");
    let joins = joins(&func);
    let [(wait, Some(ahead)), (end, None)] = joins[..] else {
        panic!("two joins: {joins:?}\n{func}")
    };
    assert_eq!(landing(&func, ahead), end);
    let Term::Goto {
        uip,
        jip,
        next: Some(_),
        ..
    } = term(&func, Opcode::Mov, 0)
    else {
        panic!("{func}")
    };
    assert_eq!((uip, landing(&func, jip)), (end, wait));
}

#[test]
fn a_uniform_loop_needs_no_join() {
    let module = kernel(
        "top:\n\
         add (M1, 16) V(0,0)<1> V(0,0)<1;1,0> 0x1:d\n\
         cmp.lt (M1, 16) P1 V(0,0)<1;1,0> 0x9:d\n\
         (P1) goto (M1, 1) top\n\
         ret (M1, 1)\n",
    );
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound");
    assert!(joins(&func).is_empty(), "{func}");
    assert!(
        matches!(term(&func, Opcode::Cmp, 0), Term::Branch { .. }),
        "{func}"
    );
}

#[test]
fn several_returns_meet_in_one_exit() {
    let module = kernel(
        "cmp.lt (M1, 16) P1 V(0,0)<1;1,0> 0x0:d\n\
         (P1) ret (M1, 16)\n\
         cmp.gt (M1, 16) P2 W(0,0)<1;1,0> 0x0:d\n\
         (P2) goto (M1, 16) other\n\
         mov (M1, 16) W(0,0)<1> 0x1:d\n\
         ret (M1, 1)\n\
         other:\n\
         not (M1, 16) X(0,0)<1> W(0,0)<1;1,0>\n\
         ret (M1, 1)\n",
    );
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound");
    let ends = func
        .blocks
        .keys()
        .filter(|&b| func.blocks[b].term == Term::Ret);
    let ends: Vec<Block> = ends.collect();
    assert_eq!(
        ends,
        [func.blocks.keys().next_back().expect("blocks")],
        "{func}"
    );
    // Channels that returned early wait at the exit.
    let exit = joins(&func).last().expect("the exit is a join").0;
    for (op, n) in [(Opcode::Cmp, 0), (Opcode::Mov, 0)] {
        let Term::Goto { uip, .. } = term(&func, op, n) else {
            panic!("{func}")
        };
        assert_eq!(uip, exit);
    }
}

#[test]
fn falling_off_the_end_returns() {
    let module = kernel("mov (M1, 16) W(0,0)<1> 0x1:d\n");
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound");
    assert_eq!(
        func.blocks[func.blocks.keys().next_back().expect("blocks")].term,
        Term::Ret
    );
}

/// The entry block: nothing leads there.
fn enters(func: &Function) {
    let entry = Block::from_u32(0);
    assert!(func.blocks[entry].preds.is_empty(), "{func}");
    let branches = func.blocks.values().flat_map(|b| &b.succs);
    assert!(branches.clone().all(|e| e.to != entry), "{func}");
}

#[test]
fn a_loop_at_the_start_gets_an_entry_before_it() {
    for latch in ["(P1) goto (M1, 16) top", "(P1) jmp (M1, 1) top"] {
        let module = kernel(&format!("top:\n{latch}\nret (M1, 1)\n"));
        let func = build(&module.objects[0], &SKL).expect("a graph");
        verify(&func).expect("sound");
        enters(&func);
        assert!(func.blocks[Block::from_u32(0)].insts.is_empty());
        assert!(func.blocks.values().any(|b| b.term == Term::Ret));
    }
    let module = kernel("top:\nadd (M1, 16) V(0,0)<1> V(0,0)<1;1,0> 0x1:d\ngoto (M1, 16) top\n");
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound");
    enters(&func);
    // The sum is loop-carried.
    let add = block_of(&func, Opcode::Add, 0);
    assert_eq!(func.blocks[add].params.len(), 1, "{func}");
}

#[test]
fn a_kernel_without_instructions_returns() {
    let module = kernel("");
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound");
    let terms: Vec<Term> = func.blocks.values().map(|b| b.term).collect();
    assert_eq!(terms, [Term::Ret]);
}

#[test]
fn a_predicated_branch_at_the_end_falls_into_the_return() {
    for last in ["(P1) goto (M1, 16) top", "(P1) jmp (M1, 1) top"] {
        let module = kernel(&format!("mov (M1, 16) V(0,0)<1> 0x0:d\ntop:\n{last}\n"));
        let func = build(&module.objects[0], &SKL).expect("a graph");
        verify(&func).expect("sound");
        let (b, end) = func.blocks.iter().next_back().expect("blocks");
        assert_eq!(end.term, Term::Ret, "{func}");
        assert!(!end.preds.is_empty(), "{b} is reached\n{func}");
    }
}

/// A function of one GRF of results with these instructions.
fn function(body: &str) -> Module {
    let source = format!(
        ".version 4.1\n.global_function \"f\"\n\
         .decl R v_type=G type=d num_elts=8 alias=<%retval, 0>\n\
         .decl P1 v_type=P num_elts=8\n\
         .kernel_attr ArgSize=1\n.kernel_attr RetValSize=1\n{body}\n"
    );
    kiln_visa::text::parse(&source).expect("a module")
}

#[test]
fn a_function_has_one_return_that_reads_its_results() {
    let module = function(
        "mov (M1, 8) R(0,0)<1> 0x1:d\n(P1) fret (M1, 8)\nmov (M1, 8) R(0,0)<1> 0x2:d\nfret (M1, 8)",
    );
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound");
    let returns: Vec<_> = func
        .blocks
        .iter()
        .filter(|(_, b)| b.term == Term::Ret)
        .collect();
    let [(b, _)] = returns[..] else {
        panic!("{} returns\n{func}", returns.len());
    };
    let last = func.block_insts(b).next_back().expect("the return");
    assert!(!func.reads(last).is_empty(), "{func}");
    // Channels that have left keep the first result: the second write keeps old contents.
    let written = func.insts.iter().map(|inst| inst.writes.clone());
    let kept = written.flat_map(|w| &func.write_pool[w.start as usize..w.end as usize]);
    assert_eq!(kept.filter(|w| w.old.is_some()).count(), 1, "{func}");
}

#[test]
fn a_function_that_returns_under_predicates_alone_is_refused() {
    let module = function("top:\n(P1) fret (M1, 8)\n(!P1) fret (M1, 8)\ngoto (M1, 1) top");
    let error = build(&module.objects[0], &SKL).err().expect("no return");
    assert!(
        matches!(error, CfgError::Unsupported { inst: 1, .. }),
        "{error}"
    );
}

#[test]
fn what_is_not_supported_is_named() {
    let module =
        kernel(".function \"sub\"\n(P1) call (M1, 16) sub\nret (M1, 1)\nsub:\nret (M1, 16)\n");
    let error = build(&module.objects[0], &SKL)
        .err()
        .expect("a call under a predicate");
    assert!(
        matches!(error, CfgError::Unsupported { inst: 0, .. }),
        "{error}"
    );
}

#[test]
fn a_branch_to_the_next_block_is_none() {
    for branch in [
        "(P1) goto (M1, 16)",
        "(P1) goto (M1, 1)",
        "(P1) jmp (M1, 1)",
    ] {
        let module = kernel(&format!(
            "cmp.gt (M1, 16) P1 V(0,0)<1;1,0> 0x9:d\n\
             {branch} next\n\
             next:\n\
             not (M1, 16) X(0,0)<1> V(0,0)<1;1,0>\n\
             ret (M1, 1)\n"
        ));
        let func = build(&module.objects[0], &SKL).expect("a graph");
        verify(&func).expect("sound");
        assert!(joins(&func).is_empty(), "{branch}: {func}");
        let compare = term(&func, Opcode::Cmp, 0);
        assert!(matches!(compare, Term::Jump(_)), "{branch}: {func}");
    }
}

/// An `if` in the first side of an `if`, where all sides jump to one place.
const NESTED: &str = "cmp.lt (M1, 16) P1 V(0,0)<1;1,0> 0x0:d\n\
     cmp.lt (M1, 16) P2 V(0,0)<1;1,0> 0x1:d\n\
     (P1) goto (M1, 16) outer\n\
     (P2) goto (M1, 16) inner\n\
     mov (M1, 16) W(0,0)<1> 0x1:d\n\
     goto (M1, 1) end\n\
     inner:\n\
     add (M1, 16) W(0,0)<1> W(0,0)<1;1,0> 0x2:d\n\
     goto (M1, 1) end\n\
     outer:\n\
     not (M1, 16) W(0,0)<1> W(0,0)<1;1,0>\n\
     end:\n\
     not (M1, 16) X(0,0)<1> W(0,0)<1;1,0>\n\
     ret (M1, 1)\n";

#[test]
fn the_ways_of_an_inner_branch_meet_before_the_outer_one_turns() {
    let module = kernel(NESTED);
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound");
    let joins = joins(&func);
    let [(inner, _), (met, met_jip), (outer, _), (end, _)] = joins[..] else {
        panic!("four joins: {joins:?}\n{func}")
    };
    let waits = |op, n| match term(&func, op, n) {
        Term::Goto { uip, .. } => landing(&func, uip),
        other => panic!("{other:?}"),
    };
    assert_eq!(waits(Opcode::Mov, 0), met, "{func}");
    assert!(inner < met && met < outer);
    assert_eq!(landing(&func, met_jip.expect("others wait")), outer);
    let gone = (func.blocks.values())
        .filter(|data| matches!(data.term, Term::Goto { uip, .. } if landing(&func, uip) == end))
        .count();
    assert_eq!(gone, 1, "what turns: {func}");
}

#[test]
fn what_is_entered_from_elsewhere_has_no_end_of_its_own() {
    let entered = format!("(P3) goto (M1, 1) inside\n{NESTED}")
        .replace("add (M1, 16) W", "inside:\nadd (M1, 16) W");
    for text in [NESTED.to_string(), entered] {
        let module = kernel(&text);
        let func = build(&module.objects[0], &SKL).expect("a graph");
        verify(&func).expect("sound");
        let expected = if text == NESTED { 4 } else { 3 };
        assert_eq!(joins(&func).len(), expected, "{func}");
    }
}
