//! Merging of equal edge moves (tail merging).
//!
//! Forward gotos over the same join have it as their jump target, and where values meet there, each such edge has a
//! block of moves, often the same ones. Of blocks with equal instructions and the same successor further on, the last
//! replaces all others, provided that only branches before a removed block name it and nothing falls into it. The new
//! path is a forward path that skips no more than the old one did, as both lead to the same block.

use std::collections::HashMap;

use crate::assemble::Program;
use crate::flow::NONE;
use crate::inst::{Inst, Op, Target};

/// Merges equal blocks of moves into the last of them.
pub fn share(program: &mut Program) {
    let count = program.blocks.len();
    let mut nonempty = vec![count as u32; count + 1];
    for b in (0..count).rev() {
        nonempty[b] = match program.blocks[b].is_empty() {
            true => nonempty[b + 1],
            false => b as u32,
        };
    }
    let named_last = last_names(program, &nonempty);
    let mut known: HashMap<(&[Inst], u32), u32> = HashMap::new();
    let mut instead = vec![NONE; count];
    for block in (0..count).rev() {
        let Some((moves, to)) = edge(program, &nonempty, block) else {
            continue;
        };
        let last = *known.entry((moves, to)).or_insert(block as u32);
        let named = named_last[block] < block as u32;
        if last != block as u32 && last < to && named && !is_entered(program, block) {
            instead[block] = last;
        }
    }
    for (block, &other) in instead.iter().enumerate() {
        if other != NONE {
            program.blocks[block].clear();
        }
    }
    if instead.iter().all(|&other| other == NONE) {
        return;
    }
    for inst in program.blocks.iter_mut().flatten() {
        for target in [&mut inst.jip, &mut inst.uip].into_iter().flatten() {
            if let Target::Block(to) = target
                && let Some(&at) = nonempty.get(*to as usize)
                && let Some(&other) = instead.get(at as usize)
                && other != NONE
            {
                *to = other;
            }
        }
    }
}

/// The last block with a branch to each block.
fn last_names(program: &Program, nonempty: &[u32]) -> Vec<u32> {
    let mut last = vec![0; program.blocks.len() + 1];
    for (b, block) in program.blocks.iter().enumerate() {
        for inst in block {
            for target in [inst.jip, inst.uip].into_iter().flatten() {
                if let Target::Block(to) = target
                    && let Some(&at) = nonempty.get(to as usize)
                {
                    last[at as usize] = b as u32;
                }
            }
        }
    }
    last
}

/// The moves of a block that has nothing else, and its successor if that is further on.
fn edge<'a>(program: &'a Program, nonempty: &[u32], block: usize) -> Option<(&'a [Inst], u32)> {
    let insts = program.blocks.get(block)?;
    let (moves, to) = match insts.split_last()? {
        (last, moves) if last.op == Op::Jmpi && last.pred.is_none() => match last.jip? {
            Target::Block(to) => (moves, *nonempty.get(to as usize)?),
            _ => return None,
        },
        _ => (&insts[..], nonempty[block + 1]),
    };
    let plain = |inst: &Inst| {
        let ends = inst.msg.is_some_and(|message| message.eot);
        inst.no_mask && !inst.op.is_branch() && !ends
    };
    (!moves.is_empty() && to > block as u32 && moves.iter().all(plain)).then_some((moves, to))
}

/// True if the code before a block may fall into it.
fn is_entered(program: &Program, block: usize) -> bool {
    let before = program.blocks[..block].iter().rev().find(|b| !b.is_empty());
    let Some(last) = before.and_then(|b| b.last()) else {
        return true;
    };
    let leaves = last.pred.is_none() && last.op == Op::Jmpi;
    let all = before.is_some_and(|b| super::leaving(b).is_some());
    !(leaves || all)
}
