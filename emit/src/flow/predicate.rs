//! Short ways of a branch are executed by predicate instead.
//!
//! | | before | after |
//! | --- | --- | --- |
//! | one way | `(P) goto A`, `x`, `A: join` | `(P) x` |
//! | two ways | `(P) goto A`, `x`, `goto E`, `A: join`, `y`, `E: join` | `(P) x`, `(~P) y` |
//! | a loop's end | `(P) goto A`, `x`, `goto E`, `A: join`, `jmpi H`, `E: join` | `(P) x`, `(~P) goto.b H`, `E: join` |
//!
//! Where the exit of a loop is too long to be predicated its goto and join stay, and only what leads back becomes
//! a goto. Joins that nobody needs any more are left to what follows.
//!
//! A way is a block of at most [`MOST`] instructions that write general registers under the mask alone.
//! It is executed by the channels that have come to it before; moves that allocation has put on
//! the edges have no mask, so that none are here.

use crate::assemble::Program;
use crate::flow::{Names, drop_goto, is_forward, number, starts_with_join, takes_all};
use crate::inst::{Inst, Op, Place, Pred, PredCtrl, Reg, RegFile, Target};

/// Instructions of a way that costs less than to branch around it: a goto and a join wait for the
/// branch unit, and what is fetched behind them is thrown away.
const MOST: usize = 6;

/// Takes the branches from the last to the first, so that a way is short where what it held was.
pub fn predicate(program: &mut Program) {
    let names = Names::new(program);
    for head in (0..program.blocks.len()).rev() {
        if let Some(found) = Found::new(program, &names, head) {
            found.rewrite(program);
        }
    }
}

/// A divergent goto and what stands behind it.
struct Found {
    head: usize,
    /// The block of the channels that stay, and of the others.
    first: usize,
    second: usize,
    pred: Pred,
    shape: Shape,
}

enum Shape {
    OneWay,
    TwoWays,
    /// The loop's head and the join behind it, and whether the way out is executed by predicate.
    Loop {
        head: u32,
        end: u32,
        short: bool,
    },
}

impl Found {
    fn new(program: &Program, names: &Names, head: usize) -> Option<Found> {
        let goto = program.blocks[head].last().filter(|i| is_forward(i))?;
        let pred = goto.pred.filter(|p| p.ctrl == PredCtrl::Normal)?;
        let second = names.to(goto.uip)?;
        let first = names.solid[head + 1];
        let behind = names.solid.get(first as usize + 1)?;
        let reached = names.waiters[first as usize] + names.jumps[first as usize];
        let alone = reached == 0
            && !names.jumped[first as usize]
            && !names.idle[first as usize]
            && !takes_all(&program.blocks[head]);
        let (first, at) = (first as usize, second as usize);
        let join = program.blocks.get(at)?;
        if !alone || *behind != second || names.to(goto.jip) != Some(second) || !starts_with_join(join)
        {
            return None;
        }
        let way = &program.blocks[first];
        let leaves = takes_all(way).then(|| way.last()).flatten();
        let body = &way[..way.len() - if leaves.is_some() { 2 } else { 0 }];
        let short = is_short(body);
        let shape = match leaves {
            None => short.then_some(Shape::OneWay)?,
            Some(leave) => {
                let end = names.to(leave.uip)?;
                let own = names.waiters[at] == 1
                    && !names.jumped[at]
                    && !names.idle[at]
                    && names.to(leave.jip) == Some(second)
                    && names.to(join[0].jip) == Some(end)
                    && names.solid[at + 1] == end
                    && starts_with_join(program.blocks.get(end as usize)?)
                    && (leave.exec_size, leave.chan_off) == (goto.exec_size, goto.chan_off);
                match &join[1..] {
                    _ if !own => return None,
                    [back] if back.op == Op::Jmpi && back.pred.is_none() => {
                        let start = number(back.jip).filter(|&to| to as usize <= head)?;
                        let kept = body.iter().all(|inst| !writes(inst, pred.flag));
                        (short || kept).then_some(Shape::Loop {
                            head: start,
                            end,
                            short,
                        })?
                    }
                    other => (short && is_short(other)).then_some(Shape::TwoWays)?,
                }
            }
        };
        Some(Found {
            head,
            first,
            second: at,
            pred,
            shape,
        })
    }

    fn rewrite(self, program: &mut Program) {
        let blocks = &mut program.blocks;
        let inverse = Pred {
            inverse: !self.pred.inverse,
            ..self.pred
        };
        if !matches!(self.shape, Shape::OneWay) {
            drop_goto(&mut blocks[self.first]);
        }
        if !matches!(self.shape, Shape::Loop { short: false, .. }) {
            for inst in &mut blocks[self.first] {
                inst.pred = Some(self.pred);
            }
        }
        let Some(goto) = blocks[self.head].last().cloned() else {
            return;
        };
        match self.shape {
            Shape::OneWay => {}
            Shape::TwoWays => {
                for inst in &mut blocks[self.second][1..] {
                    inst.pred = Some(inverse);
                }
            }
            Shape::Loop { head, end, .. } => {
                let mut back = goto;
                back.pred = Some(inverse);
                back.opts.branch_ctrl = true;
                back.uip = Some(Target::Block(head));
                back.jip = Some(Target::Block(end));
                blocks[self.second].pop();
                blocks[self.second].push(back);
            }
        }
        if !matches!(self.shape, Shape::Loop { short: false, .. }) {
            blocks[self.head].pop();
        }
    }
}

/// Whether all channels may go through the instructions, each by its predicate.
fn is_short(way: &[Inst]) -> bool {
    way.len() <= MOST && way.iter().all(takes_predicate)
}

fn takes_predicate(inst: &Inst) -> bool {
    use Op::{Add, And, Asr, Mad, Mov, Mul, Not, Or, Shl, Shr, Xor};
    let simple = matches!(
        inst.op,
        Mov | Not | And | Or | Xor | Shl | Shr | Asr | Add | Mul | Mad
    );
    let dst = inst.dst.map(|dst| dst.place);
    simple
        && !inst.no_mask
        && inst.pred.is_none()
        && inst.cond.is_none()
        && !inst.opts.acc_wr_en
        && dst.is_some_and(|place| match place {
            Place::Direct(reg) => reg.file == RegFile::Grf,
            Place::Indirect { .. } => true,
        })
}

/// Whether an instruction may write a flag.
fn writes(inst: &Inst, flag: Reg) -> bool {
    let dst = match inst.dst.map(|dst| dst.place) {
        Some(Place::Direct(reg)) => Some(reg),
        _ => None,
    };
    let cond = inst.cond.map(|cond| cond.flag);
    (dst.into_iter().chain(cond)).any(|reg| reg.file == RegFile::Flag && reg.num == flag.num)
}
