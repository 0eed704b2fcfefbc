//! Two halves of a function's instructions at the same time, where new registers are made.
//!
//! Takes work on the instructions of blocks that looks at nothing else of other blocks, and does it as if for one block
//! after the other. Each half makes registers and lists of its own behind those of the function; those of the second get
//! their numbers behind those of the first afterwards, so that it does not show that there were halves.

use cranelift_entity::{EntityRef, PrimaryMap};

use crate::func::{Block, Function};
use crate::inst::{Base, Inst, List, Old, Reg, Src, VReg};

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
    let mut blocks = std::mem::take(&mut func.blocks);
    let insts = blocks
        .values_mut()
        .map(|data| std::mem::take(&mut data.insts));
    let mut insts: Vec<Vec<Inst>> = insts.collect();
    let done = match middle {
        None => vec![work(func, &mut insts)],
        Some(middle) => {
            let (first, second) = insts.split_at_mut(middle.index());
            let mut other = func.clone();
            let before = Before {
                regs: func.regs.len(),
                lists: func.lists.len(),
            };
            let (one, two) = rayon::join(|| work(func, first), || work(&mut other, second));
            before.append(func, other, second);
            vec![one, two]
        }
    };
    for (data, insts) in blocks.values_mut().zip(insts) {
        data.insts = insts;
    }
    func.blocks = blocks;
    done
}

/// What there was before both halves.
struct Before {
    regs: usize,
    lists: usize,
}

impl Before {
    /// Puts what one half made behind what the other did.
    fn append(&self, func: &mut Function, other: Function, insts: &mut [Vec<Inst>]) {
        let more = func.regs.len() - self.regs;
        let reg = |v: VReg| match v == VReg::NOTHING || v.index() < self.regs {
            true => v,
            false => VReg::new(v.index() + more),
        };
        let more = func.lists.len() - self.lists;
        let list = |l: List| match l.index() < self.lists {
            true => l,
            false => List::new(l.index() + more),
        };
        func.regs.extend(tail(other.regs, self.regs));
        let lists = tail(other.lists, self.lists);
        func.lists
            .extend(lists.map(|list| list.into_iter().map(reg).collect()));
        for inst in insts.iter_mut().flatten() {
            renumber(inst, reg, list);
        }
    }
}

fn tail<K: EntityRef, V>(map: PrimaryMap<K, V>, from: usize) -> impl Iterator<Item = V> {
    map.into_iter().skip(from).map(|(_, value)| value)
}

fn renumber(inst: &mut Inst, new: impl Fn(VReg) -> VReg, list: impl Fn(List) -> List) {
    let place = |reg: &mut Reg| match reg.base() {
        Base::Virt(v) => *reg = Reg::virt(new(v), reg.byte()),
        Base::List(l) => *reg = Reg::new(Base::List(list(l)), reg.byte()),
        Base::Null | Base::Phys(..) => {}
    };
    for src in inst.srcs.iter_mut() {
        if let Src::Reg(src) = src {
            place(&mut src.reg);
        }
    }
    if let Some(pred) = &mut inst.pred {
        place(&mut pred.flag);
    }
    if let Some(dst) = &mut inst.dst {
        place(&mut dst.reg);
        match &mut dst.old {
            Old::None => {}
            Old::Reg(v) => *v = new(*v),
            Old::List(l) => *l = list(*l),
        }
    }
    if let Some(cond) = &mut inst.cond {
        place(&mut cond.flag);
        cond.old = cond.old.expand().map(new).into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inst::Dst;
    use crate::testing::random::{Shape, function, seeds};
    use crate::verify::Level;
    use kiln_target::isa::Type;
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
}
