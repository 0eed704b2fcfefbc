//! Two halves of a function's instructions at the same time, where new registers are made.
//!
//! Takes work on the instructions of blocks that looks at nothing else of other blocks, and does it as if for one block
//! after the other. Each half makes registers and lists of its own behind those of the function; those of the second get
//! their numbers behind those of the first afterwards, so that it does not show that there were halves. [`Before`] does
//! that for work that makes the instructions, too.

use cranelift_entity::{EntityRef, PrimaryMap};

use crate::func::{Block, Function};
use crate::inst::{Base, Desc, Inst, List, MessageId, Old, Reg, Src, Symbol, VReg};

/// Instructions from which on halves are worth a thread each.
const MANY: usize = 4096;

/// Which block in an order begins the second half, from the numbers of instructions in each; none if halves are not
/// worth it.
pub fn middle(counts: impl Iterator<Item = usize> + Clone) -> Option<usize> {
    let all: usize = counts.clone().sum();
    let mut before = 0;
    let is_second = |count: usize| {
        before += count;
        before >= all / 2
    };
    let middle = counts.map(is_second).position(|is_second| is_second)?;
    (all >= MANY).then_some(middle)
}

/// Does the work on the instructions of all blocks, if these are many in two halves. It may make registers and lists
/// and leaves those alone that there are; the function that it is given has no blocks.
pub fn work<T: Send>(
    func: &mut Function,
    work: impl Fn(&mut Function, &mut [Vec<Inst>]) -> T + Sync,
) -> Vec<T> {
    work_from(func, func.middle(), work)
}

/// The same with the second half from a block on, if there is one.
pub fn work_from<T: Send>(
    func: &mut Function,
    middle: Option<Block>,
    work: impl Fn(&mut Function, &mut [Vec<Inst>]) -> T + Sync,
) -> Vec<T> {
    with_insts(func, |func, insts| match middle {
        None => vec![work(func, insts)],
        Some(middle) => {
            let (first, second) = insts.split_at_mut(middle.index());
            let mut other = func.clone();
            let before = Before::of(func);
            let (one, two) = rayon::join(|| work(func, first), || work(&mut other, second));
            let numbers = before.append(func, other, &[]);
            let insts = second.iter_mut().flatten();
            insts.for_each(|inst| numbers.inst(inst));
            vec![one, two]
        }
    })
}

/// Does work on the instructions of all blocks that makes nothing, from `middle` on at the same time, if there is one.
/// It is given the first of its blocks; the function has none.
pub fn change(
    func: &mut Function,
    middle: Option<Block>,
    work: impl Fn(&Function, Block, &mut [Vec<Inst>]) + Sync,
) {
    let entry = func.entry();
    with_insts(func, |func, insts| {
        let (first, second) = insts.split_at_mut(middle.map_or(insts.len(), Block::index));
        match middle {
            None => work(func, entry, first),
            Some(middle) => {
                rayon::join(|| work(func, entry, first), || work(func, middle, second));
            }
        }
    });
}

/// Takes the blocks out of a function, and puts them back after some work on their instructions.
fn with_insts<T>(
    func: &mut Function,
    work: impl FnOnce(&mut Function, &mut [Vec<Inst>]) -> T,
) -> T {
    let mut blocks = std::mem::take(&mut func.blocks);
    let insts = blocks
        .values_mut()
        .map(|data| std::mem::take(&mut data.insts));
    let mut insts: Vec<Vec<Inst>> = insts.collect();
    let done = work(func, &mut insts);
    for (data, insts) in blocks.values_mut().zip(insts) {
        data.insts = insts;
    }
    func.blocks = blocks;
    done
}

/// What there was in a function before both halves.
pub struct Before {
    regs: usize,
    lists: usize,
    messages: usize,
    symbols: usize,
}

impl Before {
    pub fn of(func: &Function) -> Before {
        Before {
            regs: func.regs.len(),
            lists: func.lists.len(),
            messages: func.messages.len(),
            symbols: func.symbols.len(),
        }
    }

    /// Puts what the other half made behind what one half did, but for blocks and inputs; gives the numbers that it has
    /// there. The other's first new registers may stand for registers of the first half, which are `known`: they are
    /// used as far as they are in either.
    pub fn append<'a>(
        &self,
        func: &mut Function,
        other: Function,
        known: &'a [VReg],
    ) -> Numbers<'a> {
        let own = self.regs + known.len();
        let mut numbers = Numbers {
            regs: self.regs,
            known,
            new_regs: func.regs.len(),
            lists: self.lists,
            new_lists: func.lists.len(),
            messages: self.messages,
            new_messages: func.messages.len(),
            symbols: Vec::with_capacity(other.symbols.len()),
        };
        for (&v, data) in known.iter().zip(tail(&other.regs, self.regs)) {
            if let Some(own) = func.regs.get_mut(v) {
                own.bytes = data.bytes.max(own.bytes);
            }
        }
        func.regs.extend(tail(&other.regs, own).copied());
        let lists = tail(&other.lists, self.lists);
        let renumbered = |&v: &VReg| numbers.reg(v);
        func.lists
            .extend(lists.map(|list| list.iter().map(renumbered).collect()));
        for &message in tail(&other.messages, self.messages) {
            let mut message = message;
            for desc in [&mut message.desc, &mut message.ex_desc] {
                if let Desc::Addr(reg) = desc {
                    numbers.place(reg);
                }
            }
            func.messages.push(message);
        }
        numbers
            .symbols
            .extend(func.symbols.keys().take(self.symbols));
        for address in other.symbols.into_iter().skip(self.symbols) {
            let (_, address) = address;
            let known = func.symbols.iter().find(|(_, known)| **known == address);
            let known = known.map(|(symbol, _)| symbol);
            let symbol = known.unwrap_or_else(|| func.symbols.push(address));
            numbers.symbols.push(symbol);
        }
        func.barrier |= other.barrier;
        func.uninterruptible |= other.uninterruptible;
        numbers
    }
}

fn tail<K: EntityRef, V>(map: &PrimaryMap<K, V>, from: usize) -> impl Iterator<Item = &V> {
    map.values().skip(from)
}

/// What the other half's registers, lists, messages and addresses are in the whole.
pub struct Numbers<'a> {
    /// How many registers there were, and what those behind them stand for.
    regs: usize,
    known: &'a [VReg],
    /// The number of the first of its own.
    new_regs: usize,
    lists: usize,
    new_lists: usize,
    messages: usize,
    new_messages: usize,
    symbols: Vec<Symbol>,
}

impl Numbers<'_> {
    pub fn reg(&self, v: VReg) -> VReg {
        if v == VReg::NOTHING || v.index() < self.regs {
            return v;
        }
        let behind = v.index() - self.regs;
        match self.known.get(behind) {
            Some(&known) => known,
            None => VReg::new(behind - self.known.len() + self.new_regs),
        }
    }

    fn list(&self, list: List) -> List {
        match list.index().checked_sub(self.lists) {
            None => list,
            Some(behind) => List::new(behind + self.new_lists),
        }
    }

    pub fn place(&self, reg: &mut Reg) {
        match reg.base() {
            Base::Virt(v) => *reg = Reg::virt(self.reg(v), reg.byte()),
            Base::List(l) => *reg = Reg::new(Base::List(self.list(l)), reg.byte()),
            Base::Null | Base::Phys(..) => {}
        }
    }

    pub fn inst(&self, inst: &mut Inst) {
        for src in inst.srcs.iter_mut() {
            if let Src::Reg(src) = src {
                self.place(&mut src.reg);
            }
        }
        if let Some(pred) = &mut inst.pred {
            self.place(&mut pred.flag);
        }
        if let Some(dst) = &mut inst.dst {
            self.place(&mut dst.reg);
            match &mut dst.old {
                Old::None => {}
                Old::Reg(v) => *v = self.reg(*v),
                Old::List(l) => *l = self.list(*l),
            }
        }
        if let Some(cond) = &mut inst.cond {
            self.place(&mut cond.flag);
            cond.old = cond.old.expand().map(|v| self.reg(v)).into();
        }
        if let Some(message) = inst.message.expand()
            && let Some(behind) = message.index().checked_sub(self.messages)
        {
            inst.message = MessageId::new(behind + self.new_messages).into();
        }
        if let Some(symbol) = inst.symbol.expand() {
            inst.symbol = self.symbols[symbol.index()].into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inst::Dst;
    use crate::testing::random::{Shape, function, seeds};
    use crate::verify::Level;
    use kiln_target::isa::Type;
    use kiln_target::platform;
    use smallvec::smallvec;

    /// Every instruction gets a list with a register that is made for it and one that may have been there.
    fn lists(func: &mut Function, blocks: &mut [Vec<Inst>]) -> usize {
        for inst in blocks.iter_mut().flatten() {
            let v = func.grf(32);
            let old = func.lists.push(smallvec![VReg::NOTHING, v]);
            let both = func.lists.push(smallvec![v, VReg::new(0)]);
            let reg = Reg::new(Base::List(both), 0);
            let dst = Dst::new(reg, 1, Type::Ud);
            inst.dst = Some(Dst {
                old: Old::List(old),
                ..dst
            });
            if let Some(cond) = &mut inst.cond {
                cond.old = v.into();
            }
        }
        blocks.len()
    }

    #[test]
    fn halves_are_numbered_as_the_whole() {
        for seed in 0..seeds() / 8 {
            let shape = Shape {
                level: Level::Wide,
                depth: 1,
                length: 8,
                messages: true,
            };
            let func = function(seed, &shape);
            let after = |middle: Option<Block>| {
                let mut func = func.clone();
                let blocks: usize = work_from(&mut func, middle, lists).iter().sum();
                assert_eq!(blocks, func.blocks.len());
                (func.to_string(), func.regs, func.lists)
            };
            let whole = after(None);
            for middle in func.blocks.keys() {
                let halves = after(Some(middle));
                assert_eq!(halves.0, whole.0, "seed {seed}, {middle}");
                assert_eq!(halves.1, whole.1);
                assert_eq!(halves.2, whole.2);
            }
        }
    }

    #[test]
    fn what_stands_for_registers_is_used_as_they_are() {
        let mut func = Function::new("f", &platform::SKL, 8);
        func.grf(64);
        let before = Before::of(&func);
        let mut other = func.clone();
        let (first, second) = (func.grf(32), func.grf(32));
        let stand_ins = [other.grf(32), other.grf(32)];
        other.regs[stand_ins[1]].bytes = 64;
        let own = other.grf(4);
        let list = other.lists.push(smallvec![stand_ins[1], own]);
        let known = [second, first];
        let numbers = before.append(&mut func, other, &known);
        let bytes: Vec<u16> = func.regs.values().map(|data| data.bytes).collect();
        assert_eq!(bytes, [64, 64, 32, 4]);
        assert_eq!(func.lists[list][..], [first, VReg::new(3)]);
        assert_eq!(stand_ins.map(|v| numbers.reg(v)), known);
        assert_eq!(numbers.reg(own), VReg::new(3));
    }
}
