//! Order of the blocks, and their terminators.
//!
//! Takes the code of each block and gives the program. Blocks stay in the order that the function has
//! them in; those without code disappear, and branches to them go on to where they lead. Where
//! falling through does not do a scalar jump is added. What a terminator becomes:
//!
//! | terminator | code |
//! | --- | --- |
//! | `Jump` | nothing, or `jmpi` |
//! | `Branch` | `jmpi` to one successor, falling through to the other |
//! | `GotoForward` | `goto`: UIP the join where those that go wait, JIP where the thread goes when none is left. On platforms whose `goto` needs a predicate, one without has that of the free flag, which a `mov` directly before it clears |
//! | `GotoBackward` | `goto` with branch control: UIP where those that go are, JIP where the others wait |
//! | `Join` | `join`: JIP where the thread goes when no channel is active. Moves of the edge after it come before it, in a block of their own, so that those who wait find the join itself |
//! | `Return` | the way back to the caller ([`crate::stack`]). Nothing in a subroutine: what went before has gone back |
//! | `End` | the end of thread, sent from the copy of r0; from a register that it may be sent from, if the copy is in none. Nothing where the code has ended the thread itself |

use cranelift_entity::SecondaryMap;
use kiln_emit::assemble::Program;
use kiln_emit::inst::{
    Dst, Inst as Gen, Op, Origin, Pred, PredCtrl, Reg, RegFile, Region, Src, Target, Type,
};
use kiln_emit::messages::others::end_of_thread;
use kiln_machine::func::{Block, Function, Term};
use kiln_machine::inst::{self, Base};

use crate::AllocError;
use crate::flags::ADDED;
use crate::frame::Frame;
use crate::physical::copy;
use crate::rewrite::Body;
use crate::stack::StackFrame;

const NONE: u32 = u32::MAX;

/// The number of an instruction that ends a block.
pub const TERM: u32 = ADDED - 1;

/// The origins of the program's instructions.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// By block of the program, the block of the function; a join after its moves has two.
    pub blocks: Vec<Block>,
    /// The number of each instruction there, [`TERM`] for one that ends the block, [`ADDED`] for
    /// one that allocation added.
    pub insts: Vec<Vec<u32>>,
}

struct Layout<'a> {
    func: &'a Function,
    frame: &'a Frame,
    /// The block that has the code of each, if any of it stays.
    resolved: SecondaryMap<Block, Option<Block>>,
    /// The program's block that each begins with, and that of its join.
    start: SecondaryMap<Block, u32>,
    join: SecondaryMap<Block, u32>,
}

/// Makes the program, and says where its instructions come from.
///
/// # Errors
/// A `goto` names a place where there is no join.
pub fn layout(
    func: &Function,
    frame: &Frame,
    mut bodies: Vec<Body>,
) -> Result<(Program, Origins), AllocError> {
    if !bodies.is_sorted_by_key(|body| body.block) {
        bodies.sort_unstable_by_key(|body| body.block);
    }
    let mut l = Layout {
        func,
        frame,
        resolved: SecondaryMap::new(),
        start: SecondaryMap::with_default(NONE),
        join: SecondaryMap::with_default(NONE),
    };
    let blocks = func.blocks.len();
    l.resolved.resize(blocks);
    l.start.resize(blocks);
    l.join.resize(blocks);
    l.resolve_all(&bodies);
    bodies.retain(|body| l.resolved[body.block] == Some(body.block));
    let mut next = 0;
    for body in &bodies {
        let b = body.block;
        l.start[b] = next;
        if func.blocks[b].term == Term::Join {
            next += u32::from(!body.insts.is_empty());
            l.join[b] = next;
        }
        next += 1;
    }
    let mut program = Program::default();
    let mut origins = Origins::default();
    let following: Vec<Option<Block>> = (bodies.iter().skip(1).map(|b| Some(b.block)))
        .chain([None])
        .collect();
    for (mut body, next) in bodies.into_iter().zip(following) {
        let b = body.block;
        if l.join[b] != l.start[b] && l.join[b] != NONE {
            program.blocks.push(std::mem::take(&mut body.insts));
            origins.blocks.push(b);
            origins.insts.push(std::mem::take(&mut body.origins));
        }
        let own = body.insts.len();
        l.end(b, next, &mut body.insts)?;
        for inst in &mut body.insts[own..] {
            inst.origin = Origin::new(func.blocks[b].term_origin);
        }
        body.origins.resize(body.insts.len(), TERM);
        program.blocks.push(body.insts);
        origins.blocks.push(b);
        origins.insts.push(body.origins);
    }
    Ok((program, origins))
}

impl Layout<'_> {
    /// Follows each chain of empty blocks once. One that ends in itself, an endless loop without an
    /// instruction, keeps a block.
    fn resolve_all(&mut self, bodies: &[Body]) {
        let mut empty: SecondaryMap<Block, bool> = SecondaryMap::new();
        empty.resize(self.func.blocks.len());
        for body in bodies {
            let jumps = self.func.blocks[body.block].term == Term::Jump;
            empty[body.block] = body.insts.is_empty() && jumps;
        }
        let mut on_path: SecondaryMap<Block, bool> = SecondaryMap::new();
        let mut path = Vec::new();
        for body in bodies {
            let mut b = body.block;
            while self.resolved[b].is_none() && empty[b] && !on_path[b] {
                on_path[b] = true;
                path.push(b);
                b = self.func.blocks[b].succs[0].to;
            }
            let end = self.resolved[b].unwrap_or(b);
            self.resolved[end] = Some(end);
            for b in path.drain(..) {
                self.resolved[b] = Some(end);
            }
        }
    }

    fn target(&self, b: Block) -> Block {
        self.resolved[b].unwrap_or(b)
    }

    fn to(&self, b: Block) -> Option<Target> {
        Some(Target::Block(self.start[self.target(b)]))
    }

    /// Appends the terminator of a block; `next` is the block after it.
    fn end(&self, b: Block, next: Option<Block>, code: &mut Vec<Gen>) -> Result<(), AllocError> {
        let block = &self.func.blocks[b];
        let succ = |n: usize| block.succs[n].to;
        let last = block.succs.len().saturating_sub(1);
        // The block in which execution goes on after the last instruction.
        let falls = match block.term {
            Term::Jump => Some(succ(0)),
            Term::Branch { pred } => {
                let (taken, other) = (succ(0), succ(1));
                let mut pred = self.pred(&pred);
                let (to, falls) = if Some(self.target(taken)) == next {
                    pred.inverse = !pred.inverse;
                    (other, taken)
                } else {
                    (taken, other)
                };
                if self.target(taken) != self.target(other) {
                    let mut jump = self.jump(to);
                    jump.pred = Some(pred);
                    code.push(jump);
                }
                Some(falls)
            }
            Term::GotoForward {
                pred,
                exec_size,
                chan_off,
                uip,
                free_flag,
            } => {
                let mut goto = Gen::new(Op::Goto, exec_size);
                goto.chan_off = chan_off;
                goto.pred = pred.map(|p| self.pred(&p));
                if self.func.target.goto_on_false && pred.is_none() {
                    let flag = flag(free_flag);
                    code.push(zero(flag, exec_size + chan_off));
                    goto.pred = Some(Pred {
                        flag,
                        inverse: true,
                        ctrl: PredCtrl::Normal,
                    });
                }
                if self.join[uip] == NONE {
                    return Err(AllocError::Invalid {
                        func: self.func.name.clone(),
                        what: format!("{b} makes channels wait at {uip}, which is no join"),
                    });
                }
                goto.uip = Some(Target::Block(self.join[uip]));
                goto.jip = self.to(succ(last));
                code.push(goto);
                // The channels that stay; they may go where the thread does when none is left.
                pred.map(|_| succ(0))
            }
            Term::GotoBackward {
                pred,
                exec_size,
                chan_off,
            } => {
                let mut goto = Gen::new(Op::Goto, exec_size);
                goto.chan_off = chan_off;
                goto.opts.branch_ctrl = true;
                goto.pred = pred.map(|p| self.pred(&p));
                goto.uip = self.to(succ(0));
                goto.jip = self.to(succ(last));
                code.push(goto);
                pred.map(|_| succ(last))
            }
            Term::Join => {
                let mut join = Gen::new(Op::Join, self.func.simd);
                join.jip = self.to(succ(last));
                code.push(join);
                Some(succ(0))
            }
            Term::End => {
                let ended = |i: &Gen| i.pred.is_none() && i.msg.is_some_and(|m| m.eot);
                if !code.last().is_some_and(ended) {
                    self.thread_end(code)?;
                }
                None
            }
            Term::Return => {
                code.extend(
                    StackFrame::new(self.func, self.frame)
                        .filter(|_| self.func.entered.by_stack_call())
                        .iter()
                        .flat_map(StackFrame::back),
                );
                None
            }
        };
        if let Some(falls) = falls
            && Some(self.target(falls)) != next
        {
            code.push(self.jump(falls));
        }
        Ok(())
    }

    fn jump(&self, to: Block) -> Gen {
        let mut jump = Gen::new(Op::Jmpi, 1);
        jump.no_mask = true;
        jump.jip = self.to(to);
        jump
    }

    fn pred(&self, p: &inst::Pred) -> Pred {
        Pred {
            flag: flag(p.flag),
            inverse: p.inverse,
            ctrl: p.ctrl,
        }
    }

    fn thread_end(&self, code: &mut Vec<Gen>) -> Result<(), AllocError> {
        let mut from = self.frame.headers.header;
        if !self.func.target.ends_thread(from, self.frame.grfs) {
            let dwords = (self.frame.grf_bytes / 4) as u8;
            code.push(copy(dwords, Reg::grf(self.func.abi.header), Reg::grf(from)));
            from = self.func.abi.header;
        }
        let message = end_of_thread(self.func.target.family).encode(self.func.target.family);
        let message = message.map_err(|e| AllocError::Invalid {
            func: self.func.name.clone(),
            what: e.to_string(),
        })?;
        let mut end = Gen::new(Op::Send, 8);
        end.no_mask = true;
        end.dst = Some(Dst::new(Reg::NULL, 1, Type::Ud));
        let header = Src::reg(Reg::grf(from), Region::packed(8), Type::Ud);
        end.srcs.push(header);
        end.msg = Some(message.message());
        code.push(end);
        Ok(())
    }
}

fn flag(reg: inst::Reg) -> Reg {
    match reg.base() {
        Base::Phys(RegFile::Flag, num) => Reg::new(RegFile::Flag, num.into(), reg.byte() as u16),
        _ => Reg::NULL,
    }
}

/// A `mov` that clears a flag's bits for a number of channels.
fn zero(flag: Reg, channels: u8) -> Gen {
    let ty = if channels > 16 { Type::Ud } else { Type::Uw };
    let mut mov = Gen::new(Op::Mov, 1);
    mov.no_mask = true;
    mov.dst = Some(Dst::new(flag, 1, ty));
    mov.srcs.push(Src::imm(ty, 0));
    mov
}
