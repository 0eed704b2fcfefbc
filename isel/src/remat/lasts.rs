//! Last blocks of registers, as far as the order of the code shows them.
//!
//! Takes a function and gives, for each register, the last block in which it may be live: that of its last use in the
//! order of the code, or the last of the outermost loop that contains a use but not the definition. That includes its
//! live range and is found in time near linear in the code.

use kiln_machine::func::{Block, Function};
use kiln_machine::inst::VReg;
use kiln_machine::liveness::{term_uses, uses_of};

/// Maximum number of loops around a use that are searched.
const MAX_LOOPS: usize = 64;
const NONE: u32 = u32::MAX;

/// Loops by their first blocks, as far as the order of the code shows them.
pub struct Loops {
    /// The last block of each loop.
    end: Vec<u32>,
    /// For each block: the innermost loop around it; for a loop's first block, the loop around that loop.
    around: Vec<u32>,
}

impl Loops {
    pub fn new(func: &Function) -> Loops {
        let blocks = func.blocks.len();
        let mut loops = Loops {
            end: vec![NONE; blocks],
            around: vec![NONE; blocks],
        };
        for (block, data) in func.blocks.iter() {
            for edge in data.succs.iter().filter(|edge| edge.to <= block) {
                loops.end[edge.to.as_u32() as usize] = block.as_u32();
            }
        }
        let end = &loops.end;
        let mut open: Vec<u32> = Vec::new();
        for block in 0..blocks as u32 {
            while open.last().is_some_and(|&head| end[head as usize] < block) {
                open.pop();
            }
            loops.around[block as usize] = open.last().copied().unwrap_or(NONE);
            if end[block as usize] != NONE {
                open.push(block);
            }
        }
        loops
    }

    /// The innermost loop that contains a block.
    fn innermost(&self, block: u32) -> u32 {
        match self.end[block as usize] {
            NONE => self.around[block as usize],
            _ => block,
        }
    }

    /// The loops that contain a block, innermost first: the first and the last block of each.
    pub fn around(&self, block: Block) -> impl Iterator<Item = (Block, Block)> {
        let some = |head: u32| (head != NONE).then_some(head);
        let innermost = some(self.innermost(block.as_u32()));
        let heads = std::iter::successors(innermost, move |&head| some(self.around[head as usize]));
        let ends = |head: u32| {
            (
                Block::from_u32(head),
                Block::from_u32(self.end[head as usize]),
            )
        };
        heads.take(MAX_LOOPS).map(ends)
    }
}

/// For each register: twice the number of the last block in which it is live, plus one if it is live-out there.
pub fn lasts(func: &Function) -> Vec<u32> {
    let mut born = vec![0; func.regs.len()];
    for (block, data) in func.blocks.iter() {
        let block = block.as_u32();
        data.params
            .iter()
            .for_each(|v| born[v.as_u32() as usize] = block);
        for inst in &data.insts {
            func.visit(inst, |v, role| {
                if role.is_def() {
                    born[v.as_u32() as usize] = block;
                }
            });
        }
    }
    let loops = Loops::new(func);
    let mut lasts = vec![0; func.regs.len()];
    for (block, data) in func.blocks.iter() {
        let block = block.as_u32();
        let innermost = loops.innermost(block);
        let mut used = |v: VReg, at: u32| {
            let born = born[v.as_u32() as usize];
            let mut last = at;
            let mut head = innermost;
            for _ in 0..MAX_LOOPS {
                if head == NONE || head <= born {
                    break;
                }
                last = last.max(2 * loops.end[head as usize] + 1);
                head = loops.around[head as usize];
            }
            let known: &mut u32 = &mut lasts[v.as_u32() as usize];
            *known = last.max(*known);
        };
        for inst in &data.insts {
            uses_of(func, inst, |v| used(v, 2 * block));
        }
        term_uses(func, Block::from_u32(block), |v| used(v, 2 * block + 1));
    }
    lasts
}
