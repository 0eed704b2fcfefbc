//! Live registers that active channels want, apart from those that are kept only for waiting ones.
//!
//! Takes a function and registers that are live at one of its points. The code after a goto is executed for the
//! channels that stay; one that leaves goes on at its join. A register is wanted if a channel that is active at the
//! point can reach a read of it on its own way. Allocation keeps the others, too, since the thread comes past the code
//! in which their channels are active.
//!
//! A parameter of a join stands for what each channel had when it left. So reads are those of a whole *web*, the
//! registers that parameters and tied operands join, and a way ends where a channel's part of the web is overwritten.
//! Both are rounded to "wanted": where a web has several registers at once, and where a write covers a part only.

use kiln_machine::func::{Block, Function, Term};
use kiln_machine::inst::{Dst, Inst, VReg};
use petgraph::unionfind::UnionFind;

/// The first access of a web in a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Overwritten,
}

/// For each of the live registers before an instruction of a block: true if an active channel wants it.
pub fn wanted(func: &Function, block: Block, inst: usize, live: &[VReg]) -> Vec<bool> {
    let webs = webs(func);
    let mut tracked: Vec<u32> = live.iter().map(|v| webs[v.as_u32() as usize]).collect();
    tracked.sort_unstable();
    tracked.dedup();
    let number = |v: VReg| tracked.binary_search(&webs[v.as_u32() as usize]).ok();
    let firsts: Vec<Vec<Option<Access>>> = (func.blocks.values())
        .map(|data| first_accesses(func, &data.insts, tracked.len(), number))
        .collect();
    let from_here = first_accesses(
        func,
        &func.blocks[block].insts[inst..],
        tracked.len(),
        number,
    );
    let mut seen = vec![usize::MAX; func.blocks.len()];
    let mut stack = Vec::new();
    let mut is_wanted = |web: usize| {
        if let Some(access) = from_here[web] {
            return access == Access::Read;
        }
        stack.clear();
        stack.extend(next(func, block));
        while let Some(block) = stack.pop() {
            let b = block.as_u32() as usize;
            if std::mem::replace(&mut seen[b], web) == web {
                continue;
            }
            match firsts[b][web] {
                Some(Access::Read) => return true,
                Some(Access::Overwritten) => {}
                None => stack.extend(next(func, block)),
            }
        }
        false
    };
    let by_web: Vec<bool> = (0..tracked.len()).map(&mut is_wanted).collect();
    live.iter()
        .map(|&v| number(v).is_some_and(|web| by_web[web]))
        .collect()
}

/// By register: its web.
fn webs(func: &Function) -> Vec<u32> {
    let mut webs = UnionFind::new(func.regs.len());
    for block in func.blocks.values() {
        for edge in &block.succs {
            let params = &func.blocks[edge.to].params;
            for (arg, param) in edge.args.iter().zip(params) {
                webs.union(arg.as_u32(), param.as_u32());
            }
        }
        for inst in &block.insts {
            func.visit(inst, |v, role| {
                if let Some(old) = role.old() {
                    webs.union(old.as_u32(), v.as_u32());
                }
            });
        }
    }
    webs.into_labeling()
}

/// The blocks that an active channel can go to from the end of a block.
fn next(func: &Function, block: Block) -> impl Iterator<Item = Block> + '_ {
    let data = &func.blocks[block];
    let succs = data.succs.iter().map(|edge| edge.to);
    // The last successor of a goto or join with several is for a thread without active channels.
    let (count, join) = match data.term {
        Term::GotoForward { uip, .. } => (data.succs.len().saturating_sub(1), Some(uip)),
        Term::Join => (1, None),
        Term::Jump | Term::Branch { .. } | Term::GotoBackward { .. } | Term::End | Term::Return => {
            (data.succs.len(), None)
        }
    };
    succs.take(count).chain(join)
}

/// By number of a web: how some instructions access it first.
fn first_accesses(
    func: &Function,
    insts: &[Inst],
    count: usize,
    number: impl Fn(VReg) -> Option<usize>,
) -> Vec<Option<Access>> {
    let mut first = vec![None; count];
    for inst in insts {
        func.visit(inst, |v, role| {
            let Some(web) = number(v) else { return };
            let access = match (role.is_def(), role.old()) {
                (false, _) => Access::Read,
                (true, None) => Access::Overwritten,
                (true, Some(_)) if covers(func, inst) => Access::Overwritten,
                (true, Some(_)) => return,
            };
            first[web].get_or_insert(access);
        });
    }
    first
}

/// True if an instruction writes all of its destination in the channels that execute it.
fn covers(func: &Function, inst: &Inst) -> bool {
    let Some(Dst {
        reg, hstride: 1, ..
    }) = &inst.dst
    else {
        return false;
    };
    let registers = func.registers_of(reg).iter();
    let bytes: u32 = registers.map(|&v| u32::from(func.regs[v].bytes)).sum();
    let span = inst.dst.as_ref().map_or(0, |dst| dst.span(inst.exec_size));
    inst.pred.is_none() && reg.byte() == 0 && span >= bytes
}
