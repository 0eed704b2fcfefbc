//! Gotos and joins that change nothing.
//!
//! - A goto whose channels wait at the join that it stands directly before.
//! - A join at which no goto's channels wait; who jumps there with no channel active goes on where
//!   the join would.
//!
//! Blocks are taken from the last to the first, so that what one removal makes possible before it is
//! seen. Instructions go, blocks stay, maybe empty.

use crate::assemble::Program;
use crate::flow::{Names, drop_goto, is_forward, starts_with_join};
use crate::inst::{Op, Target};

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
            self.unname(next);
            self.join(next);
        }
    }

    /// A jump to a block is gone.
    fn unname(&mut self, block: usize) {
        let jumps = &mut self.names.jumps[block];
        *jumps = jumps.saturating_sub(1);
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
        self.unname(jip as usize);
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
