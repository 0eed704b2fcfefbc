//! If-conversion: short branches become predicated instructions.
//!
//! | | before | after |
//! | --- | --- | --- |
//! | one branch | `(~P) goto A`, `x`, `A: join` | `(P) x` |
//! | two branches | `(~P) goto A`, `x`, `goto E`, `A: join`, `y`, `E: join` | `(P) x`, `(~P) y` |
//! | an exit | `(~P) goto A`, `x`, `goto E`, `A: join` | `(P) x`, `(P) goto E` |
//! | a loop's end | `(~P) goto A`, `x`, `goto E`, `A: join`, `jmpi H`, `E: join` | `(P) x`, `(~P) goto.b H`, `E: join` |
//!
//! If the exit path of a loop is too long to be predicated, its goto and join stay, and only the jump back becomes a
//! goto. Joins that become redundant are left to the passes after this one.
//!
//! A path is a block of at most `MAX_PREDICATED_INSTS` instructions that write general registers under the execution
//! mask alone. Allocation's moves on edges have no mask, so that a path contains none.

use smallvec::SmallVec;

use crate::assemble::Program;
use crate::flow::{BranchTargets, drop_goto, is_forward, leaving, number, starts_with_join};
use crate::inst::{Inst, Op, Place, Pred, PredCtrl, Reg, RegFile, Target};

/// Maximum length of a path that costs less than the branch around it: a goto and a join wait for the branch unit,
/// and instructions fetched after them are discarded.
const MAX_PREDICATED_INSTS: usize = 6;

/// Visits branches from the last to the first, so that inner branches are converted before it is asked how long the
/// outer ones are.
pub fn predicate(program: &mut Program) {
    let names = BranchTargets::new(program);
    for head in (0..program.blocks.len()).rev() {
        if let Some(found) = Found::new(program, &names, head) {
            found.rewrite(program);
        }
    }
}

/// A divergent goto and the region after it.
struct Found {
    head: usize,
    /// Blocks of the channels that stay, and the predicate that names them.
    first: Run,
    pred: Pred,
    shape: Shape,
}

enum Shape {
    OneWay,
    /// Blocks of the other channels.
    IfElse(Run),
    /// The loop's header, the block of the jump to it, the join after it, and true if the exit path is predicated.
    Loop {
        head: u32,
        jump: usize,
        end: u32,
        short: bool,
    },
    /// Target of execution when no channel is left, and the block where the exiting channels wait.
    Leaves {
        jip: Option<Target>,
        uip: Option<Target>,
    },
}

/// Consecutive blocks that are entered only at the first.
type Run = SmallVec<[usize; 2]>;

/// True if a block has entries other than fall-through, waiting channels and jumps with no channel active.
fn entered(names: &BranchTargets, block: usize) -> bool {
    names.jumped[block] || names.headed[block] || names.idle[block]
}

/// The blocks with instructions from one block to before another, if they are few.
fn run(names: &BranchTargets, from: u32, to: u32) -> Option<Run> {
    let mut blocks = Run::new();
    let mut at = names.nonempty[from as usize];
    while at < to && blocks.len() <= MAX_PREDICATED_INSTS {
        let b = at as usize;
        if names.waiters[b] + names.jumps[b] > 0 || entered(names, b) {
            return None;
        }
        blocks.push(b);
        at = names.nonempty[b + 1];
    }
    (at == to).then_some(blocks)
}

/// Blocks of the channels that wait at a join, if the others wait for them directly after it, and the block of that
/// second join.
fn joined(
    blocks: &[Vec<Inst>],
    names: &BranchTargets,
    second: usize,
    leave: &Inst,
) -> Option<(Run, u32)> {
    let end = names.to(leave.uip)?;
    let alone = blocks[second].len() == 1
        && names.to(blocks[second][0].jip) == Some(end)
        && starts_with_join(blocks.get(end as usize)?);
    let others = alone.then(|| run(names, second as u32 + 1, end))??;
    Some((others, end))
}

/// The one block that only jumps back to before `head`, and its target.
fn jump_back(blocks: &[Vec<Inst>], path: &[usize], head: usize) -> Option<(usize, u32)> {
    let [block] = *path else {
        return None;
    };
    match &blocks[block][..] {
        [back] if back.op == Op::Jmpi && back.pred.is_none() => {
            let to = number(back.jip).filter(|&to| to as usize <= head)?;
            Some((block, to))
        }
        _ => None,
    }
}

impl Found {
    fn new(program: &Program, names: &BranchTargets, head: usize) -> Option<Found> {
        let blocks = &program.blocks;
        let goto = blocks[head].last().filter(|i| is_forward(i))?;
        let leave = goto.pred.filter(|p| p.ctrl == PredCtrl::Normal)?;
        let pred = Pred {
            inverse: !leave.inverse,
            ..leave
        };
        let to = names.to(goto.uip)?;
        let second = to as usize;
        let join = blocks.get(second).filter(|block| starts_with_join(block))?;
        if leaving(&blocks[head]).is_some() || names.to(goto.jip) != Some(to) {
            return None;
        }
        let first = run(names, head as u32 + 1, to)?;
        let turn = &blocks[*first.last()?];
        let (Some(count), Some(leave)) = (leaving(turn), turn.last()) else {
            let shape = Shape::OneWay;
            return is_short(blocks, &first, 0).then_some(Found {
                head,
                first,
                pred,
                shape,
            });
        };
        let short = is_short(blocks, &first, count);
        let own = names.waiters[second] == 1
            && !entered(names, second)
            && names.to(leave.jip) == Some(to)
            && (leave.exec_size, leave.chan_off) == (goto.exec_size, goto.chan_off);
        if !own {
            return None;
        }
        let shape = joined(blocks, names, second, leave)
            .and_then(|(others, end)| {
                if let Some((jump, head)) = jump_back(blocks, &others, head) {
                    let mut path = before_end(blocks, &first, count);
                    let kept = path.all(|i| !writes(i, pred.flag) && !i.op.is_branch());
                    return (short || kept).then_some(Shape::Loop {
                        head,
                        jump,
                        end,
                        short,
                    });
                }
                (short && is_short(blocks, &others, 0)).then_some(Shape::IfElse(others))
            })
            .or_else(|| {
                short.then_some(Shape::Leaves {
                    jip: join[0].jip,
                    uip: leave.uip,
                })
            })?;
        Some(Found {
            head,
            first,
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
        if !matches!(self.shape, Shape::OneWay)
            && let Some(&turn) = self.first.last()
        {
            drop_goto(&mut blocks[turn]);
        }
        let Some(goto) = blocks[self.head].last().cloned() else {
            return;
        };
        if !matches!(self.shape, Shape::Loop { short: false, .. }) {
            blocks[self.head].pop();
            guard(blocks, &self.first, self.pred);
        }
        match self.shape {
            Shape::OneWay => {}
            Shape::IfElse(others) => guard(blocks, &others, inverse),
            Shape::Leaves { jip, uip } => {
                let leave = Inst {
                    pred: Some(self.pred),
                    jip,
                    uip,
                    ..goto
                };
                if let Some(&turn) = self.first.last() {
                    blocks[turn].push(leave);
                }
            }
            Shape::Loop {
                head, jump, end, ..
            } => {
                let mut back = goto;
                back.pred = Some(inverse);
                back.opts.branch_ctrl = true;
                back.uip = Some(Target::Block(head));
                back.jip = Some(Target::Block(end));
                blocks[jump] = vec![back];
            }
        }
    }
}

fn guard(blocks: &mut [Vec<Inst>], path: &[usize], pred: Pred) {
    for &block in path {
        for inst in &mut blocks[block] {
            inst.pred = Some(pred);
        }
    }
}

/// True if all channels may execute the blocks, each instruction by its predicate but for a number of them at the
/// end.
fn is_short(blocks: &[Vec<Inst>], path: &[usize], but: usize) -> bool {
    let insts = before_end(blocks, path, but).take(MAX_PREDICATED_INSTS + 1);
    let mut count = 0;
    insts.inspect(|_| count += 1).all(takes_predicate) && count <= MAX_PREDICATED_INSTS
}

/// Instructions of blocks except the last `but`.
fn before_end<'a>(
    blocks: &'a [Vec<Inst>],
    path: &'a [usize],
    but: usize,
) -> impl Iterator<Item = &'a Inst> {
    let count = path.iter().map(|&b| blocks[b].len()).sum::<usize>();
    let insts = path.iter().flat_map(|&b| &blocks[b]);
    insts.take(count.saturating_sub(but))
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

/// True if an instruction may write a flag.
fn writes(inst: &Inst, flag: Reg) -> bool {
    let dst = match inst.dst.map(|dst| dst.place) {
        Some(Place::Direct(reg)) => Some(reg),
        _ => None,
    };
    let cond = inst.cond.map(|cond| cond.flag);
    (dst.into_iter().chain(cond)).any(|reg| reg.file == RegFile::Flag && reg.num == flag.num)
}
