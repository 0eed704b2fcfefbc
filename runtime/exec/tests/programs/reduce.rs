//! Reduces a program while a property holds.

use crate::program::{By, Modifier, Program, Scope, Stmt};

/// A locally smallest program for which `fails` holds.
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

/// Applies the reduction step of an index; false if there are not that many.
fn change(program: &mut Program, step: usize) -> bool {
    let mut left = step;
    let mut blocks = Vec::new();
    for scope in &mut program.scopes {
        blocks.push(&mut scope.body);
        blocks.extend(scope.subs.iter_mut().map(|sub| &mut sub.body));
    }
    // Tails of blocks first, which remove the most.
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
    for at in 0..program.scopes.len() {
        let Some(last) = program.scopes[at].subs.len().checked_sub(1) else {
            continue;
        };
        let called = |stmt: &Stmt| matches!(stmt, Stmt::Subroutine { sub, .. } if *sub == last);
        if !any(&program.scopes[at], &called) {
            if left == 0 {
                program.scopes[at].subs.pop();
                return true;
            }
            left -= 1;
        }
    }
    let last = program.scopes.len() - 1;
    let called = |stmt: &Stmt| match stmt {
        Stmt::Function { function, by, .. } => {
            let other = match by {
                By::Name => *function,
                By::Address { other, .. } => *other,
            };
            [*function, other].contains(&(last - 1))
        }
        _ => false,
    };
    if last > 0 && !program.scopes.iter().any(|scope| any(scope, &called)) {
        if left == 0 {
            program.scopes.pop();
            return true;
        }
        left -= 1;
    }
    match left {
        0 if program.items > 1 => program.items -= 1,
        _ => return false,
    }
    true
}

/// True if there is such a statement.
fn any(scope: &Scope, is: &impl Fn(&Stmt) -> bool) -> bool {
    let subs = scope.subs.iter().map(|sub| &sub.body);
    subs.chain([&scope.body]).any(|block| any_of(block, is))
}

fn any_of(block: &[Stmt], is: &impl Fn(&Stmt) -> bool) -> bool {
    block.iter().any(|stmt| {
        let inner = match stmt {
            Stmt::If { then, other, .. } => any_of(then, is) || any_of(other, is),
            Stmt::Loop { body, step, .. } => any_of(body, is) || any_of(step, is),
            _ => false,
        };
        is(stmt) || inner
    })
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
        let leaves = |stmt: &Stmt| matches!(stmt, Stmt::Break(_) | Stmt::Continue(_));
        let branches = if is_loop && inner.iter().any(|body| any_of(body, &leaves)) {
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

/// Simplifies a statement.
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
