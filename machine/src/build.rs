//! A builder of machine functions, which appends one instruction after the other.

use smallvec::SmallVec;

use crate::func::{Block, BlockData, Class, Edge, Function, Term};
use crate::inst::{CondMod, Dst, Inst, List, Opcode, Pred, Reg, Src, VReg};
use kiln_platform::isa::{Cond, PredCtrl, Region, Type};

/// Builder that appends to one block of a function at a time.
pub struct Builder<'a> {
    pub func: &'a mut Function,
    block: Block,
}

impl<'a> Builder<'a> {
    /// Appends to a new block of the function.
    pub fn new(func: &'a mut Function) -> Builder<'a> {
        let block = func.blocks.push(BlockData::new(Term::End));
        Builder { func, block }
    }

    /// The block appended to.
    pub fn current(&self) -> Block {
        self.block
    }

    /// A new block, whose terminator ends the thread until it is set.
    pub fn block(&mut self) -> Block {
        self.func.blocks.push(BlockData::new(Term::End))
    }

    /// Makes `block` the current one.
    pub fn switch_to(&mut self, block: Block) {
        self.block = block;
    }

    /// A new parameter of the current block, of the class and size of `v`.
    pub fn param_like(&mut self, v: VReg) -> VReg {
        let param = self.func.regs.push(self.func.regs[v]);
        self.func.blocks[self.block].params.push(param);
        param
    }

    pub fn flag(&mut self) -> VReg {
        self.func.reg(Class::Flag, 4)
    }

    pub fn list(&mut self, regs: impl IntoIterator<Item = VReg>) -> List {
        self.func.lists.push(regs.into_iter().collect())
    }

    pub fn push(&mut self, inst: Inst) {
        self.func.blocks[self.block].insts.push(inst);
    }

    /// A new register that an operation on packed elements fills.
    pub fn packed(
        &mut self,
        op: impl Into<Opcode>,
        exec_size: u8,
        ty: Type,
        srcs: impl IntoIterator<Item = Src>,
    ) -> VReg {
        let v = self.func.grf(u32::from(exec_size) * ty.bytes());
        let mut inst = Inst::new(op, exec_size);
        inst.dst = Some(Dst::new(Reg::virt(v, 0), 1, ty));
        inst.srcs = srcs.into_iter().collect();
        self.push(inst);
        v
    }

    /// Sets the terminator of the current block.
    pub fn end(&mut self, term: Term, succs: impl IntoIterator<Item = Edge>) {
        let data = &mut self.func.blocks[self.block];
        data.term = term;
        data.succs = succs.into_iter().collect();
    }

    pub fn jump(&mut self, to: Block, args: impl IntoIterator<Item = VReg>) {
        self.end(Term::Jump, [edge(to, args)]);
    }

    /// Ends the current block with a scalar jump to one of two blocks without parameters.
    pub fn branch(&mut self, flag: VReg, then: Block, otherwise: Block) {
        let pred = pred(flag);
        self.end(Term::Branch { pred }, [edge(then, []), edge(otherwise, [])]);
    }
}

/// An edge with arguments.
pub fn edge(to: Block, args: impl IntoIterator<Item = VReg>) -> Edge {
    let args: SmallVec<[VReg; 4]> = args.into_iter().collect();
    Edge { to, args }
}

/// A predicate in which each channel has its own bit.
pub fn pred(flag: VReg) -> Pred {
    Pred {
        flag: Reg::virt(flag, 0),
        inverse: false,
        ctrl: PredCtrl::Normal,
    }
}

/// A condition modifier whose flag keeps no old bits.
pub fn cond(cond: Cond, flag: VReg) -> CondMod {
    CondMod {
        cond,
        flag: Reg::virt(flag, 0),
        old: None.into(),
    }
}

/// A source of packed elements.
pub fn packed(v: VReg, exec_size: u8, ty: Type) -> Src {
    Src::reg(Reg::virt(v, 0), Region::packed(exec_size), ty)
}

/// A source of one element for all channels.
pub fn scalar(v: VReg, byte: u32, ty: Type) -> Src {
    Src::reg(Reg::virt(v, byte), Region::SCALAR, ty)
}
