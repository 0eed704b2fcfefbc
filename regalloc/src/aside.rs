//! Instructions that need nothing allocated, out of the way of those that do.
//!
//! Takes a function most of whose operands are registers of the machine already, as where each variable is in one place;
//! leaves in its blocks what names virtual registers, flags or addresses, or is an operation of the IR alone. Passes that
//! go through the code then go through a few instructions, and [`crate::rewrite`] puts the others back between them, a
//! block at a time: what a block has had is given back before the next one's machine code is made, which comes to lie there.
//! What is set aside has nothing in common with registers that are allocated, so that it makes no difference on which side of
//! the moves and spills that are added it comes to stand.

use cranelift_entity::SecondaryMap;
use kiln_machine::func::{Block, Function};
use kiln_machine::inst::{Base, Desc, Inst, Reg, Src};
use kiln_target::isa::RegFile;

use crate::flags::ADDED;

/// The code of a function as it was, by blocks.
pub struct Aside {
    code: SecondaryMap<Block, Vec<Inst>>,
}

/// Sets instructions aside. Gives the others' numbers in their blocks, too.
pub fn take(func: &mut Function) -> (Aside, SecondaryMap<Block, Vec<u32>>) {
    let mut code = SecondaryMap::new();
    let mut numbers: SecondaryMap<Block, Vec<u32>> = SecondaryMap::new();
    code.resize(func.blocks.len());
    numbers.resize(func.blocks.len());
    let blocks: Vec<Block> = func.blocks.keys().collect();
    for block in blocks {
        let all = std::mem::take(&mut func.blocks[block].insts);
        let (mut left, own) = (Vec::new(), &mut numbers[block]);
        for (n, inst) in (0..).zip(&all) {
            if !is_settled(func, inst) {
                left.push(*inst);
                own.push(n);
            }
        }
        func.blocks[block].insts = left;
        code[block] = all;
    }
    (Aside { code }, numbers)
}

/// Whether all that an instruction names are general registers of the machine and what no file is shared out of.
fn is_settled(func: &Function, inst: &Inst) -> bool {
    let is_settled = |reg: Reg| match reg.base() {
        Base::Null => true,
        Base::Virt(_) | Base::List(_) => false,
        Base::Phys(file, _) => !matches!(file, RegFile::Flag | RegFile::Addr),
    };
    let message = inst.message.expand().map(|message| &func.messages[message]);
    let mut descs = message.into_iter().flat_map(|m| [m.desc, m.ex_desc]);
    let mut srcs = inst.srcs.iter().filter_map(Src::as_reg);
    inst.gen_op().is_some()
        && inst.pred.is_none()
        && inst.cond.is_none()
        && descs.all(|desc| matches!(desc, Desc::Imm(_)))
        && (inst.dst.as_ref()).is_none_or(|dst| dst.indirect.is_none() && is_settled(dst.reg))
        && srcs.all(|src| src.indirect.is_none() && is_settled(src.reg))
}

/// Where a block's instructions are put back.
pub struct Back<'a> {
    func: &'a Function,
    code: &'a [Inst],
    next: usize,
}

impl Aside {
    /// A block's code, which is then gone from here.
    pub fn take(&mut self, block: Block) -> Vec<Inst> {
        std::mem::take(&mut self.code[block])
    }
}

impl<'a> Back<'a> {
    /// Of a block that had this code.
    pub fn new(func: &'a Function, code: &'a [Inst]) -> Back<'a> {
        Back {
            func,
            code,
            next: 0,
        }
    }

    /// How many instructions the block had.
    pub fn count(&self) -> usize {
        self.code.len()
    }

    /// What was set aside in front of the instruction of a number and has not been put back, each with its number. In
    /// front of one that was added that is nothing.
    pub fn before(&mut self, number: u32) -> impl Iterator<Item = (u32, &'a Inst)> + use<'a> {
        let end = match number {
            ADDED => self.next,
            number => number as usize,
        };
        let from = self.next;
        self.next = end + usize::from(number != ADDED);
        self.settled(from, end)
    }

    /// What is left behind the last.
    pub fn rest(&mut self) -> impl Iterator<Item = (u32, &'a Inst)> + use<'a> {
        let from = std::mem::replace(&mut self.next, self.code.len());
        self.settled(from, self.code.len())
    }

    fn settled(&self, from: usize, end: usize) -> impl Iterator<Item = (u32, &'a Inst)> + use<'a> {
        let func = self.func;
        let insts = (from as u32..).zip(&self.code[from..end]);
        insts.filter(|(_, inst)| is_settled(func, inst))
    }
}
