//! Makes a program smaller while something stays so.

use crate::program::{Modifier, Program, Stmt};

/// The smallest program that single steps lead to for which `fails` holds.
pub fn reduce(mut program: Program, fails: impl Fn(&Program) -> bool) -> Program {
    'again: loop {
        for step in 0.. {
            let mut next = program.clone();
            if !change(&mut next, step) {
                break 'again;
            }
            if fails(&next) {
                program = next;
                continue 'again;
            }
        }
    }
    program
}

/// Does the step of this number; whether there are so many.
fn change(program: &mut Program, step: usize) -> bool {
    let mut left = step;
    let mut blocks = Vec::new();
    for scope in &mut program.scopes {
        blocks.push(&mut scope.body);
        blocks.extend(scope.subs.iter_mut().map(|sub| &mut sub.body));
    }
    // Whole ends first: they leave the least.
    for block in blocks.iter_mut() {
        if block.len() > 3 {
            match left {
                0 => {
                    block.truncate(block.len() / 2);
                    return true;
                }
                1 => {
                    block.drain(..block.len() / 2);
                    return true;
                }
                _ => left -= 2,
            }
        }
    }
    for block in blocks {
        if in_block(block, &mut left) {
            return true;
        }
    }
    match left {
        0 if program.items > 1 => program.items -= 1,
        _ => return false,
    }
    true
}

fn in_block(block: &mut Vec<Stmt>, left: &mut usize) -> bool {
    for i in 0..block.len() {
        if *left == 0 {
            block.remove(i);
            return true;
        }
        *left -= 1;
        let is_loop = matches!(block[i], Stmt::Loop { .. });
        let inner = match &mut block[i] {
            Stmt::If { then, other, .. } => vec![then, other],
            Stmt::Loop { body, .. } => vec![body],
            _ => Vec::new(),
        };
        let branches = if is_loop && inner.iter().any(|body| leaves(body)) {
            0
        } else {
            inner.len()
        };
        if *left < branches {
            let body = std::mem::take(inner.into_iter().nth(*left).expect("a branch"));
            block.splice(i..=i, body);
            return true;
        }
        *left -= branches;
        for body in inner {
            if in_block(body, left) {
                return true;
            }
        }
        if simpler(&mut block[i], left) {
            return true;
        }
    }
    false
}

/// Whether channels leave the loop around the block from there.
fn leaves(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::Break(_) | Stmt::Continue(_) => true,
        Stmt::If { then, other, .. } => leaves(then) || leaves(other),
        _ => false,
    })
}

/// Takes something off a statement.
fn simpler(stmt: &mut Stmt, left: &mut usize) -> bool {
    let mut take = |can: bool| {
        let now = can && *left == 0;
        *left -= usize::from(can && !now);
        now
    };
    match stmt {
        Stmt::Inst(inst) => {
            if take(inst.guard.is_some() && inst.op != "sel") {
                inst.guard = None;
                return true;
            }
            if take(inst.saturate) {
                inst.saturate = false;
                return true;
            }
            for source in &mut inst.sources {
                if take(source.modifier != Modifier::None) {
                    source.modifier = Modifier::None;
                    return true;
                }
            }
            if take(inst.exec.size > 1) {
                inst.exec.size /= 2;
                return true;
            }
        }
        Stmt::Subroutine { guard, .. }
        | Stmt::Break(guard)
        | Stmt::Continue(guard)
        | Stmt::Memory { guard, .. }
        | Stmt::Count { guard, .. }
            if take(guard.is_some()) =>
        {
            *guard = None;
            return true;
        }
        _ => {}
    }
    false
}
