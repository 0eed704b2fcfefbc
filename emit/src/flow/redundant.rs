//! Gotos and joins that change nothing.
//!
//! - A goto whose channels wait at the join that it stands directly before.
//! - A join at which no goto's channels wait; who jumps there with no channel active goes on where
//!   the join would.
//! - `(P) goto A; goto B; A: join` is a goto to `B` with the opposite predicate.
//!
//! Blocks are taken from the last to the first, so that what one removal makes possible before it is
//! seen. Instructions go, blocks stay, maybe empty.

use crate::assemble::Program;
use crate::flow::{Names, drop_goto, is_forward, starts_with_join, takes_all};
use crate::inst::{Op, PredCtrl, Target};

/// Removes them.
pub fn remove(program: &mut Program) {
    let count = program.blocks.len();
    let mut pass = Pass {
        names: Names::new(program),
        instead: (0..=count as u32).collect(),
        behind: Vec::with_capacity(count),
        program,
    };
    for block in (0..count).rev() {
        if !pass.program.blocks[block].is_empty() {
            pass.end(block);
        }
        if !pass.program.blocks[block].is_empty() {
            pass.behind.push(block);
            pass.join(block);
        }
    }
    pass.redirect();
}

struct Pass<'a> {
    program: &'a mut Program,
    names: Names,
    /// Where who jumps to a block with no channel active goes on.
    instead: Vec<u32>,
    /// The blocks seen that have instructions, the nearest last.
    behind: Vec<usize>,
}

impl Pass<'_> {
    /// Where a jump with no channel active leads.
    fn goes_on(&self, jip: Option<Target>) -> Option<u32> {
        let mut to = self.names.to(jip)?;
        while let Some(&instead) = self.instead.get(to as usize)
            && instead != to
        {
            to = instead;
        }
        Some(to)
    }

    /// What ends a block, seen together with what stands behind it.
    fn end(&mut self, block: usize) {
        let Some(&next) = self.behind.last() else {
            return;
        };
        let insts = &self.program.blocks[block];
        let Some(goto) = insts.last().filter(|inst| is_forward(inst)) else {
            return;
        };
        let (uip, jip) = (self.names.to(goto.uip), self.goes_on(goto.jip));
        if !starts_with_join(&self.program.blocks[next]) || jip != Some(next as u32) {
            return;
        }
        if uip == jip {
            drop_goto(&mut self.program.blocks[block]);
            self.names.waiters[next] -= 1;
            self.unname(next, 1);
            self.join(next);
        } else if takes_all(insts) && insts.len() == 2 && !self.names.jumped[block] {
            self.invert(block, next);
        }
    }

    /// `(P) goto next; goto uip; next: join` with nothing between.
    fn invert(&mut self, block: usize, next: usize) {
        let before = self.names.waiter[next] as usize;
        let between = self.names.solid.get(before.wrapping_add(1));
        let goto = &self.program.blocks[block][1];
        let join = &self.program.blocks[next][0];
        let (uip, jip, goes_on) = (goto.uip, goto.jip, join.jip);
        let same = self.names.to(uip) == self.goes_on(goes_on);
        if self.names.waiters[next] != 1 || between != Some(&(block as u32)) || !same {
            return;
        }
        let shape = (goto.exec_size, goto.chan_off);
        let Some(first) = self.program.blocks[before].last_mut() else {
            return;
        };
        let fits = is_forward(first)
            && first.jip == jip
            && first.uip == jip
            && (first.exec_size, first.chan_off) == shape
            && !self.names.idle[block]
            && !self.names.idle[next];
        if let Some(pred) = first
            .pred
            .as_mut()
            .filter(|p| fits && p.ctrl == PredCtrl::Normal)
        {
            pred.inverse = !pred.inverse;
            first.uip = uip;
            first.jip = goes_on;
            self.program.blocks[block].clear();
            self.names.waiters[next] = 0;
            // Both had it as their jump target.
            self.unname(next, 2);
            if let Some(end) = self.names.to(uip).map(|end| end as usize) {
                self.names.jumps[end] += 1;
                if self.names.waiter[end] == block as u32 {
                    self.names.waiter[end] = before as u32;
                }
            }
            self.join(next);
        }
    }

    /// So many jumps to a block are gone.
    fn unname(&mut self, block: usize, count: u32) {
        let jumps = &mut self.names.jumps[block];
        *jumps = jumps.saturating_sub(count);
    }

    /// Takes out the join that starts a block if nobody waits there.
    fn join(&mut self, block: usize) {
        if !starts_with_join(&self.program.blocks[block])
            || self.names.waiters[block] != 0
            || self.names.idle[block]
        {
            return;
        }
        let Some(jip) = self.goes_on(self.program.blocks[block][0].jip) else {
            return;
        };
        // Where nobody waits ahead the jump target is any code, and nobody comes with no channel
        // active.
        let target = self.program.blocks.get(jip as usize);
        if self.names.jumps[block] != 0 && !target.is_some_and(|b| starts_with_join(b)) {
            return;
        }
        self.instead[block] = jip;
        self.names.jumps[jip as usize] += self.names.jumps[block];
        self.unname(jip as usize, 1);
        self.program.blocks[block].remove(0);
        if self.program.blocks[block].is_empty() && self.behind.last() == Some(&block) {
            self.behind.pop();
        }
    }

    /// Has the jumps to joins that are gone go on where those did.
    fn redirect(&mut self) {
        for block in (0..self.instead.len()).rev() {
            // A join goes on ahead: what is there is final.
            self.instead[block] = self.instead[self.instead[block] as usize];
        }
        for inst in self.program.blocks.iter_mut().flatten() {
            let idle = is_forward(inst) || inst.op == Op::Join;
            if let Some(Target::Block(to)) = inst.jip.as_mut().filter(|_| idle)
                && let Some(&solid) = self.names.solid.get(*to as usize)
                && let Some(&instead) = self.instead.get(solid as usize)
                && instead != solid
            {
                *to = instead;
            }
        }
    }
}
