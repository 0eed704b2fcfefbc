//! Removal of gotos and joins without effect.
//!
//! - A goto directly before the join that its channels wait at.
//! - A join that no goto's channels wait at. Jumps to it with no channel active are redirected to its own jump
//!   target.
//!
//! Blocks are visited from the last to the first, so that a removal enables those before it. Instructions are
//! removed; blocks stay, possibly empty.

use crate::assemble::Program;
use crate::flow::{BranchTargets, drop_goto, is_forward, starts_with_join};
use crate::inst::{Op, Target};

/// Removes redundant gotos and joins.
pub fn remove(program: &mut Program) {
    let count = program.blocks.len();
    let mut pass = Pass {
        names: BranchTargets::new(program),
        new_target: (0..=count as u32).collect(),
        following: Vec::with_capacity(count),
        program,
    };
    for block in (0..count).rev() {
        if !pass.program.blocks[block].is_empty() {
            pass.end(block);
        }
        if !pass.program.blocks[block].is_empty() {
            pass.following.push(block);
            pass.join(block);
        }
    }
    pass.redirect();
}

struct Pass<'a> {
    program: &'a mut Program,
    names: BranchTargets,
    /// New target of jumps to each block with no channel active.
    new_target: Vec<u32>,
    /// Visited blocks that have instructions, the nearest last.
    following: Vec<usize>,
}

impl Pass<'_> {
    /// Final target of a jump with no channel active.
    fn final_target(&self, jip: Option<Target>) -> Option<u32> {
        let mut to = self.names.to(jip)?;
        while let Some(&new_target) = self.new_target.get(to as usize)
            && new_target != to
        {
            to = new_target;
        }
        Some(to)
    }

    /// Removes the goto at the end of a block if it is redundant.
    fn end(&mut self, block: usize) {
        let Some(&next) = self.following.last() else {
            return;
        };
        let insts = &self.program.blocks[block];
        let Some(goto) = insts.last().filter(|inst| is_forward(inst)) else {
            return;
        };
        let (uip, jip) = (self.names.to(goto.uip), self.final_target(goto.jip));
        if !starts_with_join(&self.program.blocks[next]) || jip != Some(next as u32) {
            return;
        }
        if uip == jip {
            drop_goto(&mut self.program.blocks[block]);
            self.names.waiters[next] -= 1;
            self.uncount_jump(next);
            self.join(next);
        }
    }

    /// Counts one jump to a block less.
    fn uncount_jump(&mut self, block: usize) {
        let jumps = &mut self.names.jumps[block];
        *jumps = jumps.saturating_sub(1);
    }

    /// Removes the join at the start of a block if no channels wait there.
    fn join(&mut self, block: usize) {
        if !starts_with_join(&self.program.blocks[block])
            || self.names.waiters[block] != 0
            || self.names.idle[block]
        {
            return;
        }
        let Some(jip) = self.final_target(self.program.blocks[block][0].jip) else {
            return;
        };
        // If no channels wait further on, the jump target may be any code, and no jump arrives with no channel
        // active.
        let target = self.program.blocks.get(jip as usize);
        if self.names.jumps[block] != 0 && !target.is_some_and(|b| starts_with_join(b)) {
            return;
        }
        self.new_target[block] = jip;
        self.names.jumps[jip as usize] += self.names.jumps[block];
        self.uncount_jump(jip as usize);
        self.program.blocks[block].remove(0);
        if self.program.blocks[block].is_empty() && self.following.last() == Some(&block) {
            self.following.pop();
        }
    }

    /// Redirects jumps to removed joins to the targets of those joins.
    fn redirect(&mut self) {
        for block in (0..self.new_target.len()).rev() {
            // A join jumps forward, so that the entry of its target is final.
            self.new_target[block] = self.new_target[self.new_target[block] as usize];
        }
        for inst in self.program.blocks.iter_mut().flatten() {
            let idle = is_forward(inst) || inst.op == Op::Join;
            if let Some(Target::Block(to)) = inst.jip.as_mut().filter(|_| idle)
                && let Some(&nonempty) = self.names.nonempty.get(*to as usize)
                && let Some(&new_target) = self.new_target.get(nonempty as usize)
                && new_target != nonempty
            {
                *to = new_target;
            }
        }
    }
}
