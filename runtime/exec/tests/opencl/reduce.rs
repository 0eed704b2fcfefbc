//! Reduces a kernel while a property holds.

use crate::program::{Block, Expr, Form, Program, Stmt};

/// A reduction step. Blocks and expressions are numbered in the order of visits.
#[derive(Clone, Debug)]
enum Edit {
    /// Removes statements of a block.
    Remove {
        block: usize,
        from: usize,
        to: usize,
    },
    /// Replaces a statement by one of its blocks.
    Unwrap {
        block: usize,
        stmt: usize,
        inner: usize,
    },
    /// Stores only this result.
    Result(usize),
    Literal {
        expr: usize,
        bits: u64,
    },
    Operand {
        expr: usize,
        operand: usize,
    },
    Simd(u32),
    Value(usize),
}

/// Number of kernels tested together.
const MAX_BATCH_KERNELS: usize = 24;

impl Edit {
    /// Place of the edit; later places may shift when the edit is applied.
    fn place(&self) -> (usize, usize) {
        match *self {
            Edit::Remove { block, from, .. } => (block, from),
            Edit::Unwrap { block, stmt, .. } => (block, stmt),
            Edit::Literal { expr, .. } | Edit::Operand { expr, .. } => (expr, 0),
            Edit::Result(n) => (0, n),
            Edit::Value(n) => (1, n),
            Edit::Simd(_) => (2, 0),
        }
    }
}

/// A locally smallest kernel. `holds` tells for each of several kernels if the searched property is true.
pub fn reduce(mut program: Program, holds: &mut dyn FnMut(&[Program]) -> Vec<bool>) -> Program {
    let phases: [fn(&Program) -> Vec<Edit>; 4] = [removals, results, unwrappings, replacements];
    loop {
        let mut changed = false;
        for phase in phases {
            let mut at = 0;
            loop {
                let edits = phase(&program);
                let Some(edits) = edits.get(at..).filter(|edits| !edits.is_empty()) else {
                    break;
                };
                let edits = &edits[..edits.len().min(MAX_BATCH_KERNELS)];
                at += edits.len();
                let next: Vec<Program> = edits.iter().map(|edit| apply(&program, edit)).collect();
                let held = holds(&next);
                let good: Vec<&Edit> = edits
                    .iter()
                    .zip(&held)
                    .filter(|e| *e.1)
                    .map(|e| e.0)
                    .collect();
                if good.is_empty() {
                    continue;
                }
                changed = true;
                at -= good.len();
                // All edits that work alone together, or half of them, a quarter, or one.
                let parts = [1, 2, 4, good.len()].map(|n| &good[..good.len().div_ceil(n)]);
                let next = parts.map(|part| together(&program, part));
                let best = holds(&next).iter().position(|&held| held);
                let [.., one] = &next;
                program = best.map_or(one, |n| &next[n]).clone();
            }
        }
        if !changed {
            return program;
        }
    }
}

/// Applies several edits, from the last to the first; of those at one place only the first.
fn together(program: &Program, edits: &[&Edit]) -> Program {
    let mut edits = edits.to_vec();
    edits.sort_by_key(|edit| edit.place());
    edits.dedup_by_key(|edit| edit.place());
    let each = edits.into_iter().rev();
    each.fold(program.clone(), |program, edit| apply(&program, edit))
}

fn removals(program: &Program) -> Vec<Edit> {
    let mut lengths = Vec::new();
    blocks(&mut program.clone(), &mut |block| lengths.push(block.len()));
    let mut edits = Vec::new();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let mut size = longest.next_power_of_two();
    while size > 0 {
        for (block, &len) in lengths.iter().enumerate() {
            let starts = (0..len).step_by(size).filter(|_| size <= len || size == 1);
            edits.extend(starts.map(|from| Edit::Remove {
                block,
                from,
                to: len.min(from + size),
            }));
        }
        size /= 2;
    }
    edits
}

fn results(program: &Program) -> Vec<Edit> {
    let results = (0..program.results.len()).filter(|_| program.results.len() > 1);
    let values = (0..program.values.len()).map(Edit::Value);
    let simd = [8, 16]
        .into_iter()
        .filter(|&n| n != program.simd)
        .map(Edit::Simd);
    results
        .map(Edit::Result)
        .chain(values)
        .chain(simd)
        .collect()
}

fn unwrappings(program: &Program) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut block = 0;
    blocks(&mut program.clone(), &mut |stmts| {
        for (stmt, of) in stmts.iter_mut().enumerate() {
            let mut inner = inner(of);
            let plain = (0..inner.len()).filter(|&n| !jumps(inner[n]));
            edits.extend(plain.map(|inner| Edit::Unwrap { block, stmt, inner }));
        }
        block += 1;
    });
    edits
}

fn replacements(program: &Program) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut expr = 0;
    exprs(&mut program.clone(), &mut |of| {
        if !of.fixed {
            if !of.is_literal() {
                edits.push(Edit::Literal { expr, bits: 0 });
                edits.push(Edit::Literal { expr, bits: 1 });
            } else if matches!(&of.form, Form::Literal(bits) if bits.len() > 1) {
                edits.push(Edit::Literal { expr, bits: 1 });
            }
            let same = (0..of.args.len()).filter(|&n| of.args[n].ty == of.ty && !of.args[n].fixed);
            edits.extend(same.map(|operand| Edit::Operand { expr, operand }));
        }
        expr += 1;
    });
    edits
}

fn apply(program: &Program, edit: &Edit) -> Program {
    let mut next = program.clone();
    let mut at = 0;
    match *edit {
        Edit::Remove { block, from, to } => blocks(&mut next, &mut |stmts| {
            if at == block {
                stmts.drain(from..to.min(stmts.len()));
            }
            at += 1;
        }),
        Edit::Unwrap {
            block,
            stmt,
            inner: which,
        } => blocks(&mut next, &mut |stmts| {
            if at == block {
                let kept = std::mem::take(inner(&mut stmts[stmt])[which]);
                stmts.splice(stmt..=stmt, kept);
            }
            at += 1;
        }),
        Edit::Result(n) => {
            next.results.remove(n);
        }
        Edit::Simd(simd) => next.simd = simd,
        Edit::Value(n) => {
            // The others keep their names.
            next.values[n].1 = vec![0];
        }
        Edit::Literal { expr, bits } => exprs(&mut next, &mut |of| {
            if at == expr {
                *of = Expr::literal(of.ty, vec![bits]);
            }
            at += 1;
        }),
        Edit::Operand { expr, operand } => exprs(&mut next, &mut |of| {
            if at == expr {
                *of = of.args.swap_remove(operand);
            }
            at += 1;
        }),
    }
    next
}

/// The blocks of a statement.
fn inner(stmt: &mut Stmt) -> Vec<&mut Block> {
    match stmt {
        Stmt::Text { .. } => Vec::new(),
        Stmt::If { then, other, .. } => vec![then, other],
        Stmt::Loop { body, .. } => vec![body],
        Stmt::Switch { cases, default, .. } => {
            let cases = cases.iter_mut().map(|(block, _)| block);
            cases.chain([default]).collect()
        }
    }
}

/// True if a block leaves an enclosing statement.
fn jumps(block: &mut Block) -> bool {
    block.iter_mut().any(|stmt| match stmt {
        Stmt::Text { text, .. } => *text == "break;" || *text == "continue;",
        stmt => inner(stmt).into_iter().any(jumps),
    })
}

/// Visits all blocks, outer ones first.
fn blocks(program: &mut Program, visit: &mut dyn FnMut(&mut Block)) {
    fn walk(block: &mut Block, visit: &mut dyn FnMut(&mut Block)) {
        visit(block);
        for stmt in block {
            inner(stmt).into_iter().for_each(|block| walk(block, visit));
        }
    }
    walk(&mut program.body, visit);
    for function in &mut program.functions {
        walk(&mut function.body, visit);
    }
}

/// Visits all expressions, outer ones first.
fn exprs(program: &mut Program, visit: &mut dyn FnMut(&mut Expr)) {
    fn walk(expr: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
        visit(expr);
        expr.args.iter_mut().for_each(|arg| walk(arg, visit));
    }
    let mut values: Vec<&mut Expr> = Vec::new();
    let (body, functions) = (&mut program.body, &mut program.functions);
    fn collect<'a>(block: &'a mut Block, all: &mut Vec<&'a mut Expr>) {
        for stmt in block {
            match stmt {
                Stmt::Text { args, .. } => all.extend(args),
                Stmt::If { cond, then, other } => {
                    all.push(cond);
                    collect(then, all);
                    collect(other, all);
                }
                Stmt::Loop {
                    limit, cond, body, ..
                } => {
                    all.extend([limit, cond]);
                    collect(body, all);
                }
                Stmt::Switch {
                    value,
                    cases,
                    default,
                } => {
                    all.push(value);
                    cases.iter_mut().for_each(|(block, _)| collect(block, all));
                    collect(default, all);
                }
            }
        }
    }
    collect(body, &mut values);
    for function in functions {
        collect(&mut function.body, &mut values);
        values.push(&mut function.value);
    }
    values.into_iter().for_each(|expr| walk(expr, visit));
}
