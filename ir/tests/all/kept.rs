//! Writes that keep old contents, and reads of undefined contents.

use crate::common::kernel;
use kiln_ir::build::build;
use kiln_ir::cfg::CfgError;
use kiln_ir::func::{Function, Inst, Owner};
use kiln_ir::verify::verify;
use kiln_platform::platform::SKL;
use kiln_visa::module::Module;
use kiln_visa::opcode::Opcode;

fn nth(func: &Function, op: Opcode, n: usize) -> Inst {
    let all = func.blocks.keys().flat_map(|b| func.block_insts(b));
    all.filter(|&i| func.visa(i).op == op)
        .nth(n)
        .expect("an instruction of that kind")
}

/// True if the only write of the `n`th instruction of that opcode keeps old contents.
fn keeps(module: &Module, op: Opcode, n: usize) -> bool {
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound");
    let [write] = func.writes(nth(&func, op, n)) else {
        panic!("one write\n{func}")
    };
    write.old.is_some()
}

/// A kernel with a divergent loop.
fn in_loop(body: &str, after: &str) -> Module {
    kernel(&format!(
        "mov (M1, 16) V(0,0)<1> 0x0:d\n\
         mov (M1, 16) W(0,0)<1> 0x0:d\n\
         top:\n\
         {body}\n\
         cmp.lt (M1, 16) P1 V(0,0)<1;1,0> 0x9:d\n\
         (P1) goto (M1, 16) top\n\
         {after}\n\
         ret (M1, 1)\n"
    ))
}

#[test]
fn a_write_keeps_what_channels_that_left_the_loop_want() {
    let body = "avg (M1, 16) W(0,0)<1> V(0,0)<1;1,0> V(0,0)<1;1,0>\n\
                add (M1, 16) V(0,0)<1> V(0,0)<1;1,0> 0x1:d";
    let module = in_loop(body, "not (M1, 16) X(0,0)<1> W(0,0)<1;1,0>");
    assert!(keeps(&module, Opcode::Avg, 0), "W is read after the loop");
    let nobody = in_loop(body, "");
    assert!(!keeps(&nobody, Opcode::Avg, 0), "nobody reads W");
}

#[test]
fn a_temporary_of_an_iteration_is_a_new_value() {
    let body = "avg (M1, 16) W(0,0)<1> V(0,0)<1;1,0> V(0,0)<1;1,0>\n\
                add (M1, 16) V(0,0)<1> W(0,0)<1;1,0> 0x1:d";
    let module = in_loop(body, "not (M1, 16) X(0,0)<1> V(0,0)<1;1,0>");
    assert!(
        !keeps(&module, Opcode::Avg, 0),
        "no waiting channel wants W"
    );
    assert!(keeps(&module, Opcode::Add, 0), "those that left want V");
}

#[test]
fn a_write_in_a_branch_keeps_what_the_other_channels_had() {
    let module = |read: &str| {
        kernel(&format!(
            "mov (M1, 16) W(0,0)<1> 0x0:d\n\
             cmp.lt (M1, 16) P1 V(0,0)<1;1,0> 0x0:d\n\
             (!P1) goto (M1, 16) end\n\
             avg (M1, 16) W(0,0)<1> V(0,0)<1;1,0> V(0,0)<1;1,0>\n\
             add (M1, 16) V(0,0)<1> W(0,0)<1;1,0> 0x1:d\n\
             end:\n\
             {read}\n\
             ret (M1, 1)\n"
        ))
    };
    let wanted = module("not (M1, 16) X(0,0)<1> W(0,0)<1;1,0>");
    assert!(keeps(&wanted, Opcode::Avg, 0));
    let unwanted = module("not (M1, 16) X(0,0)<1> V(0,0)<1;1,0>");
    assert!(!keeps(&unwanted, Opcode::Avg, 0));
    let overwritten = module("mov (M1, 16) W(0,0)<1> 0x3:d\nnot (M1, 16) X(0,0)<1> W(0,0)<1;1,0>");
    assert!(
        !keeps(&overwritten, Opcode::Avg, 0),
        "written before it is read"
    );
}

/// Straight code: V is written without a mask, then as `write` says, then read as `read` says.
fn straight(write: &str, read: &str) -> bool {
    let module = kernel(&format!(
        "mov (M1_NM, 16) V(0,0)<1> 0x0:d\n{write}\n{read}\nret (M1, 1)\n"
    ));
    keeps(&module, Opcode::Add, 0)
}

const MASKED: &str = "add (M1, 16) V(0,0)<1> W(0,0)<1;1,0> 0x1:d";
const OWN: &str = "not (M1, 16) X(0,0)<1> V(0,0)<1;1,0>";

#[test]
fn each_channel_that_reads_its_own_needs_no_other() {
    assert!(!straight(MASKED, OWN));
    assert!(!straight(MASKED, ""));
}

#[test]
fn reads_across_channels_make_masked_writes_keep() {
    let no_mask = "not (M1_NM, 16) X(0,0)<1> V(0,0)<1;1,0>";
    assert!(straight(MASKED, no_mask));
    assert!(
        straight(MASKED, "not (M1, 16) X(0,0)<1> V(0,3)<0;1,0>"),
        "one channel's element"
    );
    assert!(
        straight(MASKED, "not (M1, 8) X(0,0)<1> V(0,3)<1;1,0>"),
        "the neighbours' elements"
    );
    assert!(straight(
        MASKED,
        "scatter4_scaled.R (M1_NM, 16) T6 0x0:ud W.0 V.0"
    ));
    assert!(!straight(
        MASKED,
        "scatter4_scaled.R (M1, 16) T6 0x0:ud W.0 V.0"
    ));
    // A write of all bytes in between ends liveness.
    let ended = format!("mov (M1_NM, 16) V(0,0)<1> 0x5:d\n{no_mask}");
    assert!(!straight(MASKED, &ended));
}

/// A uniform loop in which W is written by each channel, and read across them.
fn across(before: &str, write: &str) -> bool {
    let module = kernel(&format!(
        "{before}\n\
         top:\n\
         {write}\n\
         not (M1_NM, 16) X(0,0)<1> W(0,0)<1;1,0>\n\
         mov (M1, 16) V(0,0)<1> X(0,0)<1;1,0>\n\
         cmp.lt (M1, 16) P1 V(0,0)<1;1,0> 0x9:d\n\
         (P1) goto (M1, 1) top\n\
         ret (M1, 1)\n"
    ));
    keeps(&module, Opcode::Avg, 0)
}

/// Contents of a channel that never runs are undefined, unless something else gives them to it.
#[test]
fn a_write_of_all_channels_that_run_keeps_nothing() {
    let write = "avg (M1, 16) W(0,0)<1> V(0,0)<1;1,0> V(0,0)<1;1,0>";
    assert!(!across("", write));
    assert!(!across("mov (M1, 16) W(0,0)<1> 0x0:d", write));
    assert!(across("mov (M1_NM, 16) W(0,0)<1> 0x0:d", write), "all have");
    assert!(
        across(
            "mov (M1, 16) W(0,0)<1> 0x0:d\nmov (M1, 8) W(0,0)<2> 0x1:d",
            write
        ),
        "of others"
    );
    let some = format!("cmp.lt (M1, 16) P1 V(0,0)<1;1,0> 0x9:d\n(P1) {write}");
    assert!(across("", &some), "predicated");
    let apart = format!(
        "cmp.lt (M1, 16) P1 V(0,0)<1;1,0> 0x9:d\n(P1) goto (M1, 16) behind\n{write}\nbehind:"
    );
    assert!(across("", &apart), "others wait");
    assert!(
        across("", &format!("{apart}\nmov (M1, 16) V(0,0)<1> 0x0:d")),
        "others wait"
    );
}

/// Bytes of four vectors in one register, each in its own channels: no write of one keeps another from before the
/// block, and none is live around the loop.
#[test]
fn byte_vectors_of_one_variable_have_channels_of_their_own() {
    let mut body = String::from(".decl B v_type=G type=ub num_elts=64 align=hword\n");
    body += "mov (M1, 16) V(0,0)<1> 0x0:d\ntop:\n";
    for i in 0..4 {
        let at = format!("B({},{})", i / 2, i % 2 * 16);
        body += &format!("shl (M1, 16) {at}<1> V(0,0)<1;1,0> 0x{i:x}:d\n");
    }
    for i in 0..4 {
        let at = format!("B({},{})", i / 2, i % 2 * 16);
        body += &format!("add (M1, 16) V(0,0)<1> V(0,0)<1;1,0> {at}<1;1,0>\n");
    }
    body += "cmp.lt (M1, 16) P1 V(0,0)<1;1,0> 0x9:d\n(P1) goto (M1, 16) top\n";
    let module = kernel(&(body + "not (M1, 16) X(0,0)<1> V(0,0)<1;1,0>\nret (M1, 1)\n"));
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound");
    let [first] = func.writes(nth(&func, Opcode::Shl, 0)) else {
        panic!("{func}")
    };
    assert!(first.old.is_none(), "{func}");
    let header = func.blocks.values().find(|b| !b.params.is_empty());
    assert_eq!(header.expect("a loop").params.len(), 1, "V alone\n{func}");
}

/// Elements that belong to one channel by one access and to another by the next.
#[test]
fn bytes_that_change_their_channel_are_read_across() {
    assert!(straight(
        "add (M1, 8) V(0,0)<2> W(0,0)<1;1,0> 0x1:d",
        "not (M1, 16) X(0,0)<1> V(0,0)<1;1,0>"
    ));
}

#[test]
fn planes_of_one_message_are_written_at_once() {
    let module = kernel(
        ".decl D v_type=G type=d num_elts=16 align=hword\n\
         top:\n\
         gather4_scaled.RG (M1, 8) T6 0x0:ud V.0 D.0\n\
         scatter4_scaled.RG (M1, 8) T6 0x0:ud V.0 D.0\n\
         cmp.lt (M1, 16) P1 V(0,0)<1;1,0> 0x9:d\n(P1) goto (M1, 16) top\nret (M1, 1)\n",
    );
    assert!(!keeps(&module, Opcode::Gather4Scaled, 0));
}

#[test]
fn writes_without_a_mask_keep_only_what_they_leave() {
    let no_mask = "not (M1_NM, 16) X(0,0)<1> V(0,0)<1;1,0>";
    assert!(!straight(
        "add (M1_NM, 16) V(0,0)<1> W(0,0)<1;1,0> 0x1:d",
        no_mask
    ));
    assert!(straight(
        "add (M1_NM, 8) V(0,0)<1> W(0,0)<1;1,0> 0x1:d",
        no_mask
    ));
    assert!(straight(
        "add (M1_NM, 1) V(0,3)<1> W(0,0)<0;1,0> 0x1:d",
        OWN
    ));
    let lower = "not (M1_NM, 8) X(0,0)<1> V(0,0)<1;1,0>";
    assert!(!straight(
        "add (M1_NM, 8) V(0,0)<1> W(0,0)<1;1,0> 0x1:d",
        lower
    ));
}

#[test]
fn predicated_and_partial_writes_keep() {
    let predicated = "(P1) add (M1, 16) V(0,0)<1> W(0,0)<1;1,0> 0x1:d";
    assert!(straight(predicated, OWN));
    assert!(!straight(predicated, ""), "nobody reads it");
    assert!(straight("add (M1, 8) V(0,0)<1> W(0,0)<1;1,0> 0x1:d", OWN));
    assert!(straight(
        "add (M1, 16) V(0,0)<1> W(0,0)<1;1,0> 0x1:d",
        "not (M1, 8) X(0,0)<1> V(0,0)<2;1,0>"
    ));
    // The predicate of sel chooses a source.
    let module = kernel(
        "mov (M1_NM, 16) V(0,0)<1> 0x0:d\n\
         (P1) sel (M1, 16) V(0,0)<1> W(0,0)<1;1,0> 0x1:d\n\
         not (M1, 16) X(0,0)<1> V(0,0)<1;1,0>\nret (M1, 1)\n",
    );
    assert!(!keeps(&module, Opcode::Sel, 0));
}

#[test]
fn predicates_keep_the_channels_that_were_not_compared() {
    let module = |exec: &str, read: &str| {
        kernel(&format!(
            "setp (M1_NM, 16) P1 0xff:uw\ncmp.lt {exec} P1 V(0,0)<1;1,0> 0x0:d\n{read}\nret (M1, 1)\n"
        ))
    };
    let own = "(P1) mov (M1, 16) X(0,0)<1> 0x1:d";
    let data = "mov (M1_NM, 1) X(0,0)<1> P1";
    let any = "(P1.any) mov (M1, 16) X(0,0)<1> 0x1:d";
    assert!(!keeps(&module("(M1, 16)", own), Opcode::Cmp, 0));
    assert!(keeps(&module("(M1, 8)", own), Opcode::Cmp, 0));
    assert!(keeps(&module("(M1, 16)", any), Opcode::Cmp, 0));
    assert!(keeps(&module("(M1, 16)", data), Opcode::Cmp, 0));
    assert!(keeps(&module("(M1_NM, 8)", data), Opcode::Cmp, 0));
}

/// True if the message's write of V, all of which is read later, keeps old contents.
fn message(op: Opcode, text: &str) -> bool {
    let module = kernel(&format!(
        "mov (M1_NM, 16) V(0,0)<1> 0x0:d\n{text}\n\
         scatter4_scaled.R (M1, 16) T6 0x0:ud W.0 V.0\nret (M1, 1)\n"
    ));
    keeps(&module, op, 0)
}

#[test]
fn raw_results_are_written_under_the_mask() {
    let send = |head: &str| {
        message(
            Opcode::RawSend,
            &format!("{head} 0xc 2 2 0x4205e00:ud W.0 V.0"),
        )
    };
    assert!(send("raw_send (M1, 16)"));
    assert!(send("(P1) raw_send (M1_NM, 16)"));
    assert!(!send("raw_send (M1_NM, 16)"));
    let sends = |head: &str| {
        let tail = "0x0:ud 0x2205e00:ud W.0 X.0 V.0";
        message(
            Opcode::RawSends,
            &format!("raw_sends.12.2.2.2 {head} {tail}"),
        )
    };
    assert!(sends("(M1, 16)"));
    assert!(!sends("(M1_NM, 16)"));
    // A message whose channels are known defines them all.
    let gather = "gather4_scaled.R (M1, 16) T6 0x0:ud W.0 V.0";
    assert!(!message(Opcode::Gather4Scaled, gather));
}

#[test]
fn payloads_of_raw_sends_are_read_whole() {
    let module = kernel(
        "mov (M1_NM, 16) V(0,0)<1> 0x0:d\n\
         add (M1, 16) V(0,0)<1> W(0,0)<1;1,0> 0x1:d\n\
         raw_send (M1, 16) 0xc 2 0 0x4205e00:ud V.0 %null.0\nret (M1, 1)\n",
    );
    assert!(keeps(&module, Opcode::Add, 0));
}

#[test]
fn a_message_without_a_shape_is_refused() {
    let module = kernel(
        ".decl S1 v_type=S num_elts=1\nmov (M1, 16) V(0,0)<1> 0x0:d\n\
         va.erode T6 S1 0x0:f 0x0:f 0x0 V.0\nret (M1, 1)\n",
    );
    let error = build(&module.objects[0], &SKL).err().expect("no shape");
    let CfgError::Unsupported { inst: 1, .. } = error else {
        panic!("{error}")
    };
}

#[test]
fn what_nobody_wrote_is_undefined() {
    let module = kernel(
        "add (M1, 16) X(0,0)<1> V(0,0)<1;1,0> W(0,0)<1;1,0>\n\
         mov (M1, 16) V(0,0)<1> X(0,0)<1;1,0>\nret (M1, 1)\n",
    );
    let func = build(&module.objects[0], &SKL).expect("a graph");
    let reads = func.reads(nth(&func, Opcode::Add, 0));
    assert_eq!(reads.len(), 2);
    assert!(reads.iter().all(|r| r.value.is_undef()), "{func}");
    let [own] = func.reads(nth(&func, Opcode::Mov, 0)) else {
        panic!("{func}")
    };
    assert_eq!(own.value, func.writes(nth(&func, Opcode::Add, 0))[0].new);
}

/// The names of variables and predicates that are parameters of blocks.
fn carried(module: &Module) -> Vec<String> {
    let func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound");
    let params = func.blocks.values().flat_map(|block| &block.params);
    let name = |owner| match owner {
        Owner::Var { var, .. } | Owner::Packed { first: var } => {
            func.object.vars[var].name.to_string()
        }
        Owner::Predicate(p) => format!("P{}", p.as_u32()),
        _ => String::new(),
    };
    let mut names: Vec<String> = params
        .map(|&(cell, _)| name(func.cells[cell].owner))
        .collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn a_lifetime_begins_without_contents() {
    let body = |start: &str| {
        format!(
            "{start}(P2) avg (M1, 16) X(0,0)<1> V(0,0)<1;1,0> V(0,0)<1;1,0>\n\
             add (M1, 16) V(0,0)<1> X(0,0)<1;1,0> 0x1:d"
        )
    };
    let start = "lifetime.start X\n";
    let after = "not (M1, 16) W(0,0)<1> V(0,0)<1;1,0>";
    assert!(carried(&in_loop(&body(""), after)).contains(&"X".into()));
    assert!(!carried(&in_loop(&body(start), after)).contains(&"X".into()));
    // Channels that left the loop keep theirs.
    let after = "not (M1, 16) W(0,0)<1> X(0,0)<1;1,0>";
    let module = in_loop(&body(start), after);
    assert!(keeps(&module, Opcode::Lifetime, 0));
    assert!(carried(&module).contains(&"X".into()));
    // Several starts are before writes of parts.
    let after =
        "not (M1, 16) W(0,0)<1> V(0,0)<1;1,0>\nlifetime.start X\nmov (M1, 16) X(0,0)<1> 0x1:d";
    assert!(carried(&in_loop(&body(start), after)).contains(&"X".into()));
}

/// An alias that is declared larger than its variable begins no lifetime of the variable after it.
#[test]
fn a_lifetime_of_an_alias_ends_in_its_variable() {
    let body = |start: &str| {
        format!(
            "{start}(P2) avg (M1, 16) W(0,0)<1> V(0,0)<1;1,0> V(0,0)<1;1,0>\n\
             add (M1, 16) V(0,0)<1> W(0,0)<1;1,0> 0x1:d"
        )
    };
    let begins = |var: &str| {
        let alias = format!(".decl Y v_type=G type=d num_elts=32 align=hword alias=<{var}, 0>");
        format!("{{\n{alias}\nlifetime.start Y\n}}\n")
    };
    let after = "not (M1, 16) X(0,0)<1> V(0,0)<1;1,0>";
    assert!(carried(&in_loop(&body(&begins("V")), after)).contains(&"W".into()));
    assert!(!carried(&in_loop(&body(&begins("W")), after)).contains(&"W".into()));
}

#[test]
fn a_round_of_a_loop_does_not_keep_what_other_channels_had() {
    let body = |write: &str| {
        format!(
            "{write}avg (M1, 16) X(0,0)<1> V(0,0)<1;1,0> V(0,0)<1;1,0>\n\
             add (M1, 16) V(0,0)<1> X(0,3)<0;1,0> 0x1:d"
        )
    };
    let after = "not (M1, 16) W(0,0)<1> V(0,0)<1;1,0>";
    assert!(!carried(&in_loop(&body(""), after)).contains(&"X".into()));
    // A channel may read what it has from the round before.
    assert!(carried(&in_loop(&body("(P2) "), after)).contains(&"X".into()));
    // Nor does a write in another block of the loop, after the read.
    let again = format!(
        "{}\nnot (M1, 16) X(0,0)<1> V(0,0)<1;1,0>\n(P3) goto (M1, 16) skip\n\
         mov (M1, 16) W(0,0)<1> 0x1:d\nskip:",
        body("")
    );
    assert!(!keeps(&in_loop(&again, after), Opcode::Not, 0));
    // In one round it is kept.
    let both = "mov (M1_NM, 16) X(0,0)<1> 0x7:d\n";
    assert!(keeps(&in_loop(&body(both), after), Opcode::Avg, 0));
}

#[test]
fn a_move_of_a_predicate_reads_no_more_than_it_has() {
    let body = "cmp.lt (M1, 16) P3 V(0,0)<1;1,0> 0x5:d\n\
                mov (M1_NM, 1) X(0,0)<1> P3\n\
                add (M1, 16) V(0,0)<1> X(0,0)<0;1,0> 0x1:d";
    let after = "not (M1, 16) W(0,0)<1> V(0,0)<1;1,0>";
    assert!(!carried(&in_loop(body, after)).contains(&"P3".into()));
}

#[test]
fn a_predicate_keeps_nothing_for_a_negation_that_only_active_channels_read() {
    let module = |negation: &str, read: &str| {
        kernel(&format!(
            "setp (M1_NM, 16) P1 0x0:ud\nsetp (M1_NM, 16) P2 0x0:ud\n\
             cmp.lt (M1, 16) P2 V(0,0)<1;1,0> 0x0:d\n\
             or (M1, 16) P1 P1 P2\n{negation}\n{read}\nret (M1, 1)"
        ))
    };
    let keeps = |negation: &str, read: &str| {
        let module = module(negation, read);
        (
            keeps(&module, Opcode::Cmp, 0),
            keeps(&module, Opcode::Or, 0),
        )
    };
    let negation = "not (M1_NM, 16) P3 P1";
    let own = "(P3) mov (M1, 16) X(0,0)<1> V(0,0)<1;1,0>";
    assert_eq!(keeps(negation, own), (false, false));
    let chain = "not (M1_NM, 16) P3 P1\nand (M1, 16) P3 P3 P2";
    assert_eq!(keeps(chain, own), (false, false));
    // Across channels, directly or by another negation.
    let number = "mov (M1_NM, 1) X(0,0)<1> P3";
    assert_eq!(keeps(negation, number), (false, true));
    let any = "(P3.any) mov (M1, 16) X(0,0)<1> V(0,0)<1;1,0>";
    assert_eq!(keeps(negation, any), (false, true));
    let twice = "not (M1_NM, 16) P3 P1\nnot (M1_NM, 16) P2 P3";
    assert_eq!(keeps(twice, "mov (M1_NM, 1) X(0,0)<1> P2"), (false, true));
    // Where other channels are active.
    let later = "(P2) goto (M1, 16) on\nmov (M1, 16) W(0,0)<1> 0x0:d\non:\n\
                 (P3) mov (M1, 16) X(0,0)<1> V(0,0)<1;1,0>";
    assert_eq!(keeps(negation, later), (false, true));
    // A part, or under a predicate, of the active channels' own.
    let half = "setp (M1_NM, 16) P3 0x0:ud\nnot (M1_NM, 8) P3 P1";
    assert_eq!(keeps(half, own), (false, false));
    let predicated = "(P2) sel (M1, 16) X(0,0)<1> V(0,0)<1;1,0> W(0,0)<1;1,0>";
    assert_eq!(keeps(negation, predicated), (false, false));
}
