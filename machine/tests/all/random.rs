//! Properties of the printer, parser, verifier and analyses, on random functions.

use std::collections::BTreeSet;

use kiln_machine::func::{Block, Class, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::VReg;
use kiln_machine::liveness::{self, Liveness};
use kiln_machine::pressure;
use kiln_machine::verify::{Level, verify};
use kiln_machine_testing::parse::parse;
use kiln_machine_testing::random::{Shape, function};
use kiln_machine_testing::run::{Stop, compare, run};

fn functions() -> impl Iterator<Item = (u64, Level, Function)> {
    (0..200).map(|seed| {
        let level = [Level::Wide, Level::Legal][seed as usize % 2];
        let shape = Shape {
            level,
            depth: seed as u32 % 4,
            length: 12,
            messages: true,
        };
        (seed, level, function(seed, &shape))
    })
}

#[test]
fn random_functions_are_right() {
    let mut kinds = BTreeSet::new();
    for (seed, level, func) in functions() {
        if let Err(e) = verify(&func, level, None) {
            panic!("seed {seed}: {e}\n{func}");
        }
        for data in func.blocks.values() {
            kinds.insert(format!("{:?}", std::mem::discriminant(&data.term)));
        }
    }
    assert_eq!(kinds.len(), 6, "all kinds of terminators");
}

#[test]
fn text_reads_back() {
    for (seed, level, func) in functions() {
        let text = func.to_string();
        let again = parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        assert_eq!(again.to_string(), text, "seed {seed}");
        verify(&again, level, None).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
    }
}

/// Liveness by its equations, iterated to the fixpoint.
fn equations(func: &Function) -> Vec<(BTreeSet<VReg>, BTreeSet<VReg>)> {
    let mut live = vec![(BTreeSet::new(), BTreeSet::new()); func.blocks.len()];
    loop {
        let before = live.clone();
        for (block, data) in func.blocks.iter() {
            let b = block.as_u32() as usize;
            let mut out = BTreeSet::new();
            for edge in &data.succs {
                out.extend(live[edge.to.as_u32() as usize].0.iter().copied());
            }
            let mut now = out.clone();
            liveness::term_uses(func, block, |v| now.extend([v]));
            for inst in data.insts.iter().rev() {
                func.visit(inst, |v, role| {
                    if role.is_def() {
                        now.remove(&v);
                    }
                });
                liveness::uses_of(func, inst, |v| now.extend([v]));
            }
            for v in &data.params {
                now.remove(v);
            }
            if block == func.entry() {
                for (v, _) in &func.inputs {
                    now.remove(v);
                }
            }
            live[b] = (now, out);
        }
        if live == before {
            return live;
        }
    }
}

#[test]
fn liveness_is_what_its_equations_say() {
    for (seed, _, func) in functions() {
        let live = Liveness::new(&func, &Graph::new(&func));
        for (b, (live_in, live_out)) in equations(&func).into_iter().enumerate() {
            let block = Block::from_u32(b as u32);
            assert!(
                live.live_in(block).iter().eq(&live_in),
                "seed {seed} {block}"
            );
            assert!(
                live.live_out(block).iter().eq(&live_out),
                "seed {seed} {block}"
            );
        }
    }
}

#[test]
fn pressure_is_what_liveness_says() {
    for (seed, _, func) in functions() {
        let graph = Graph::new(&func);
        let live = Liveness::new(&func, &graph);
        let (mut bytes, mut units) = (0, 0);
        let mut see = |now: &BTreeSet<VReg>| {
            let grfs = now.iter().map(|&v| func.regs[v]);
            let grfs: Vec<_> = grfs.filter(|data| data.class == Class::Grf).collect();
            bytes = bytes.max(grfs.iter().map(|data| u32::from(data.bytes)).sum());
            units = units.max(grfs.len() as u32);
        };
        for (block, data) in func.blocks.iter() {
            let mut now: BTreeSet<VReg> = live.live_out(block).iter().copied().collect();
            liveness::term_uses(&func, block, |v| now.extend([v]));
            see(&now);
            for inst in data.insts.iter().rev() {
                let mut defs = Vec::new();
                func.visit(inst, |v, role| defs.extend(role.is_def().then_some(v)));
                now.extend(&defs);
                see(&now);
                defs.iter().for_each(|v| now.retain(|other| other != v));
                liveness::uses_of(&func, inst, |v| now.extend([v]));
                see(&now);
            }
            now.extend(&data.params);
            if block == func.entry() {
                now.extend(func.inputs.iter().map(|input| input.0));
            }
            see(&now);
        }
        let found = pressure::pressure(&func, &graph);
        let found = (found.bytes.amount, found.units.amount);
        assert_eq!(found, (bytes, units), "seed {seed}");
    }
}

#[test]
fn damaged_text_is_refused_or_read() {
    let (_, _, func) = functions().nth(7).expect("there are more");
    let text = func.to_string();
    let tokens = [
        "",
        "v",
        "(",
        ")",
        "-",
        "4294967295",
        ":",
        "{",
        "=",
        "\"",
        "é",
        "\n",
    ];
    for at in (0..text.len()).step_by(7) {
        let token = tokens[at % tokens.len()];
        let damaged = format!("{}{token}{}", &text[..at], &text[at + 1..]);
        if let Ok(func) = parse(&damaged) {
            // Verification and printing end on any input.
            let _ = verify(&func, Level::Wide, None);
            let _ = func.to_string();
        }
    }
}

/// Tests of passes depend on random functions that run to their end.
#[test]
fn most_functions_run_to_their_end() {
    let (mut ended, mut messages) = (0, 0);
    for (_, _, func) in functions() {
        let (sent, result) = run(&func, 20_000);
        assert_ne!(result, Err(Stop::Unknown));
        ended += usize::from(result == Ok(()));
        messages += sent.len();
        assert_eq!(compare(&func, &func), Ok(()));
    }
    assert!(
        ended >= 120 && messages >= 2_000,
        "{ended} ended, {messages} messages"
    );
}
