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
