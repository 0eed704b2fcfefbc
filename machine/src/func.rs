//! A machine function: registers, blocks, terminators.

use std::ops::Range;

use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use kiln_platform::abi::{Abi, KERNEL};
pub use kiln_platform::isa::Class;
use kiln_platform::platform::{Platform, UNIT_GRFS};
use smallvec::SmallVec;

use crate::inst::{
    Base, CondMod, Desc, Inst, List, Message, MessageId, Old, Pred, Reg, Role, Src, Symbol, VReg,
};

/// A block; blocks are numbered in layout order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block(u32);
entity_impl!(Block, "block");

/// Properties of a virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegData {
    pub class: Class,
    /// Bytes in use from its start: at most the target's allocation unit ([`Platform::unit_bytes`]).
    pub bytes: u16,
    /// Alignment of its start, in bytes.
    pub align: u16,
    /// True if its contents do not depend on the execution mask: a NoMask instruction writes all of it.
    pub uniform: bool,
    /// The variable of the program that it is a part of.
    pub variable: Variable,
}

/// Number of a variable of the program, for people who look at its registers. It is ignored by comparisons: any two are
/// equal.
#[derive(Clone, Copy)]
pub struct Variable(u32);

impl Variable {
    /// A temporary, or a register that several variables share.
    pub const NONE: Variable = Variable(u32::MAX);

    /// The largest number stands for none.
    pub fn new(number: u32) -> Variable {
        Variable(number)
    }

    /// The number, the largest of which stands for none.
    pub fn number(self) -> u32 {
        self.0
    }
}

impl std::fmt::Debug for Variable {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for Variable {
    fn eq(&self, _: &Variable) -> bool {
        true
    }
}

impl Eq for Variable {}

/// An edge with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    pub to: Block,
    pub args: SmallVec<[VReg; 4]>,
}

/// A terminator. The comments give the order of its successors in [`BlockData::succs`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Term {
    /// To the only successor: a scalar jump, or a fall-through if it is the next block.
    Jump,
    /// A scalar jump to the first successor if the predicate's first channel holds, else to the second.
    Branch { pred: Pred },
    /// Channels for which `pred` holds (all, without one) wait at the join that begins block `uip`. The other
    /// channels, if there can be any, go on at the first successor. If no channel stays active execution goes to the
    /// last successor, the jump target.
    GotoForward {
        pred: Option<Pred>,
        exec_size: u8,
        chan_off: u8,
        uip: Block,
        /// A flag without a live value, for targets whose unconditional goto needs one; null until flags are assigned.
        free_flag: Reg,
    },
    /// If `pred` holds for any channel, these go to the first successor and the others wait at the
    /// join that begins the second, or that a block there jumps to; else all go to the second.
    GotoBackward {
        pred: Option<Pred>,
        exec_size: u8,
        chan_off: u8,
    },
    /// The block is a join without instructions: waiting channels go on at the first successor.
    /// If none is active execution goes to the second, if there is one.
    Join,
    /// The thread ends.
    End,
    /// A function returns to its caller.
    Return,
}

/// The way a function is entered and left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entered {
    /// As a thread, by a dispatch.
    #[default]
    Dispatched,
    /// By a `call`, which makes the channels wait that do not take it; left by a `ret`.
    Called,
    /// By a jump of all active channels, as by a call of an address; left by a jump.
    JumpedTo,
    /// By a `call` inside its kernel or function. Allocation of the subroutine chooses the registers of inputs, results
    /// and return address.
    Subroutine,
}

impl Entered {
    /// True if the calling convention of stack calls applies at its entry.
    pub fn by_stack_call(self) -> bool {
        matches!(self, Entered::Called | Entered::JumpedTo)
    }
}

impl Term {
    #[inline]
    pub fn pred(&self) -> Option<&Pred> {
        match self {
            Term::Branch { pred } => Some(pred),
            Term::GotoForward { pred, .. } | Term::GotoBackward { pred, .. } => pred.as_ref(),
            Term::Jump | Term::Join | Term::End | Term::Return => None,
        }
    }

    pub fn pred_mut(&mut self) -> Option<&mut Pred> {
        match self {
            Term::Branch { pred } => Some(pred),
            Term::GotoForward { pred, .. } | Term::GotoBackward { pred, .. } => pred.as_mut(),
            Term::Jump | Term::Join | Term::End | Term::Return => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct BlockData {
    pub params: Vec<VReg>,
    pub insts: Vec<Inst>,
    pub term: Term,
    pub succs: SmallVec<[Edge; 2]>,
    /// Index of the vISA instruction the terminator comes from; `u32::MAX` for none.
    pub term_origin: u32,
}

/// An address that the loader fills in, as many bits as the immediate has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The name of the function or variable.
    pub name: String,
    /// True for bits 32 to 63, false for bits from 0 on.
    pub high: bool,
}

/// A machine function.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub target: &'static Platform,
    /// Channels of a dispatch.
    pub simd: u8,
    pub regs: PrimaryMap<VReg, RegData>,
    pub lists: PrimaryMap<List, SmallVec<[VReg; 4]>>,
    pub messages: PrimaryMap<MessageId, Message>,
    pub symbols: PrimaryMap<Symbol, Address>,
    /// The first is the entry: it has no predecessor and no parameters.
    pub blocks: PrimaryMap<Block, BlockData>,
    /// Virtual registers of inputs, with the GRF in which each arrives. Allocation chooses those of a
    /// subroutine, whose first input is the return address.
    pub inputs: Vec<(VReg, Option<u32>)>,
    /// GRFs that allocation must not use.
    pub reserved: Vec<Range<u32>>,
    /// The GRF that must hold the thread's header, if an address names it.
    pub header: Option<u32>,
    /// Bytes of scratch space that the function itself uses; spill slots follow. In a called function they begin its
    /// frame, with the caller's pointers.
    pub scratch_bytes: u32,
    /// True if it has a barrier.
    pub barrier: bool,
    /// True if its threads must not be preempted between instructions.
    pub uninterruptible: bool,
    /// Calling convention of the function.
    pub abi: &'static Abi,
    pub entered: Entered,
}

impl BlockData {
    pub fn new(term: Term) -> BlockData {
        BlockData {
            params: Vec::new(),
            insts: Vec::new(),
            term,
            succs: SmallVec::new(),
            term_origin: u32::MAX,
        }
    }
}

impl Function {
    /// The GRF for the thread's header, of `grfs`: that of the calling convention if there is one that is free, or else
    /// the last free one.
    pub fn header_of(&self, grfs: u32) -> Option<u32> {
        let reserved = |grf: u32| self.reserved.iter().any(|r| r.contains(&grf));
        let arrives = |grf: u32| {
            let mut places = self.inputs.iter().filter_map(|&(_, at)| at);
            places.any(|at| at / UNIT_GRFS == grf / UNIT_GRFS)
        };
        let free = |&grf: &u32| !reserved(grf) && !arrives(grf);
        // r0 is reused at once.
        match self.abi.header {
            header if header < grfs => Some(header).filter(free),
            _ => (1..grfs).rev().find(free),
        }
    }

    pub fn new(name: impl Into<String>, target: &'static Platform, simd: u8) -> Function {
        Function {
            name: name.into(),
            target,
            simd,
            regs: PrimaryMap::new(),
            lists: PrimaryMap::new(),
            messages: PrimaryMap::new(),
            symbols: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            inputs: Vec::new(),
            reserved: Vec::new(),
            header: None,
            scratch_bytes: 0,
            barrier: false,
            uninterruptible: false,
            abi: &KERNEL,
            entered: Entered::Dispatched,
        }
    }

    #[inline]
    pub fn entry(&self) -> Block {
        Block::from_u32(0)
    }

    /// A new general register.
    pub fn grf(&mut self, bytes: u32) -> VReg {
        self.reg(Class::Grf, bytes)
    }

    pub fn reg(&mut self, class: Class, bytes: u32) -> VReg {
        self.regs.push(RegData {
            class,
            bytes: bytes as u16,
            align: 1,
            uniform: false,
            variable: Variable::NONE,
        })
    }

    /// A map with an entry for each register that there is.
    pub fn map_of_registers<T: Clone>(&self, default: T) -> SecondaryMap<VReg, T> {
        let mut map = SecondaryMap::with_default(default);
        map.resize(self.regs.len());
        map
    }

    /// The registers an operand spans, in order.
    #[inline]
    pub fn registers<'a>(&'a self, base: &'a Base) -> &'a [VReg] {
        match base {
            Base::Virt(v) => std::slice::from_ref(v),
            Base::List(l) => &self.lists[*l],
            Base::Null | Base::Phys(..) => &[],
        }
    }

    /// The registers that an operand in `reg` spans, in order.
    #[inline]
    pub fn registers_of<'a>(&'a self, reg: &'a Reg) -> &'a [VReg] {
        match (reg.virt_ref(), reg.as_list()) {
            (Some(v), _) => std::slice::from_ref(v),
            (None, Some(list)) => &self.lists[list],
            (None, None) => &[],
        }
    }

    /// The virtual register `byte` bytes from a base, and the byte in it.
    #[inline]
    pub fn place(&self, base: Base, byte: u32) -> Option<(VReg, u32)> {
        match base {
            Base::Virt(v) => Some((v, byte)),
            Base::List(list) => {
                let unit = self.target.unit_bytes();
                let v = *self.lists[list].get((byte / unit) as usize)?;
                Some((v, byte % unit))
            }
            Base::Null | Base::Phys(..) => None,
        }
    }

    /// Calls `f` with each virtual register of an instruction and its role: uses, then definitions.
    /// Old contents come with the definition that is tied to them.
    pub fn visit(&self, inst: &Inst, mut f: impl FnMut(VReg, Role)) {
        for (i, src) in inst.srcs.iter().enumerate() {
            let Some(r) = src.as_reg() else { continue };
            if r.indirect.is_some() {
                if let Some(v) = r.reg.as_virt() {
                    f(v, Role::Address);
                }
                continue;
            }
            for (n, &v) in self.registers_of(&r.reg).iter().enumerate() {
                let (src, n) = (i as u8, n as u32);
                f(v, Role::Source { src, n });
            }
        }
        if let Some(v) = inst.pred.and_then(|p| p.flag.as_virt()) {
            f(v, Role::Predicate);
        }
        if let Some(message) = inst.message.expand() {
            let message = &self.messages[message];
            for desc in [message.desc, message.ex_desc] {
                if let Desc::Addr(reg) = desc
                    && let Some(v) = reg.as_virt()
                {
                    f(v, Role::Descriptor);
                }
            }
        }
        if let Some(dst) = &inst.dst
            && dst.indirect.is_some()
            && let Some(v) = dst.reg.as_virt()
        {
            f(v, Role::Address);
        }
        self.visit_definitions(inst, f);
    }

    /// Calls `f` with each virtual register that an instruction defines, as [`Function::visit`] does.
    pub fn visit_definitions(&self, inst: &Inst, mut f: impl FnMut(VReg, Role)) {
        if let Some(dst) = &inst.dst
            && dst.indirect.is_none()
        {
            for (n, &v) in self.registers_of(&dst.reg).iter().enumerate() {
                let old = self.old(dst.old, n);
                f(v, Role::Result { n: n as u32, old });
            }
        }
        if let Some(CondMod { flag, old, .. }) = inst.cond
            && let Some(v) = flag.as_virt()
        {
            f(v, Role::Flag { old: old.expand() });
        }
    }

    /// The old contents that register `n` of a destination is tied to.
    #[inline]
    pub fn old(&self, old: Old, n: usize) -> Option<VReg> {
        match old {
            Old::None => None,
            Old::Reg(v) => Some(v),
            Old::List(l) => self.lists[l]
                .get(n)
                .copied()
                .filter(|&v| v != VReg::NOTHING),
        }
    }

    /// True if the first source of a product of matrices may be in the registers of its result: a row is read before
    /// it is written. Old contents of the result may only be those that products are added to.
    pub fn adds_in_place(&self, inst: &Inst) -> bool {
        let (Some(dst), Some(Src::Reg(src))) = (&inst.dst, inst.srcs.first()) else {
            return false;
        };
        if !inst.gen_op().is_some_and(|op| op.is_systolic()) {
            return false;
        }
        let starts = |reg: Reg| (reg.as_list().is_some(), reg.byte());
        let (addends, results) = (self.registers_of(&src.reg), self.registers_of(&dst.reg));
        let keeps =
            |(n, &addend): (usize, &VReg)| self.old(dst.old, n).is_none_or(|old| old == addend);
        dst.ty.bytes() == src.ty.bytes()
            && starts(dst.reg) == starts(src.reg)
            && addends.len() == results.len()
            && addends.iter().enumerate().all(keeps)
    }

    /// Replaces each virtual register that an instruction *uses*, old contents included, by the result of
    /// `f`. A list that changes becomes a new list.
    pub fn map_uses(&mut self, inst: &mut Inst, mut f: impl FnMut(VReg) -> VReg) {
        for src in inst.srcs.iter_mut() {
            if let Src::Reg(r) = src {
                r.reg = self.map_reg(r.reg, &mut f);
            }
        }
        if let Some(p) = &mut inst.pred {
            p.flag = self.map_reg(p.flag, &mut f);
        }
        if let Some(id) = inst.message.expand() {
            let mut message = self.messages[id];
            for desc in [&mut message.desc, &mut message.ex_desc] {
                if let Desc::Addr(reg) = desc {
                    *reg = self.map_reg(*reg, &mut f);
                }
            }
            self.messages[id] = message;
        }
        if let Some(dst) = &mut inst.dst {
            if dst.indirect.is_some() {
                dst.reg = self.map_reg(dst.reg, &mut f);
            }
            dst.old = match dst.old {
                Old::None => Old::None,
                Old::Reg(v) => Old::Reg(f(v)),
                Old::List(l) => Old::List(self.map_list(l, &mut |v| match v {
                    VReg::NOTHING => v,
                    v => f(v),
                })),
            };
        }
        if let Some(c) = &mut inst.cond {
            c.old = c.old.expand().map(f).into();
        }
    }

    #[inline]
    fn map_reg(&mut self, reg: Reg, f: &mut impl FnMut(VReg) -> VReg) -> Reg {
        match (reg.as_virt(), reg.as_list()) {
            (Some(v), _) => Reg::virt(f(v), reg.byte()),
            (None, Some(list)) => Reg::new(Base::List(self.map_list(list, f)), reg.byte()),
            (None, None) => reg,
        }
    }

    fn map_list(&mut self, list: List, f: &mut impl FnMut(VReg) -> VReg) -> List {
        let new: SmallVec<[VReg; 4]> = self.lists[list].iter().map(|&v| f(v)).collect();
        if new == self.lists[list] {
            list
        } else {
            self.lists.push(new)
        }
    }
}
