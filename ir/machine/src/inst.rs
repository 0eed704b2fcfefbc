//! One instruction of the machine IR.
//!
//! Before legalization an instruction may be *wide*: any number of channels up to 32, regions and
//! types that the target does not have, operands that span several virtual registers
//! ([`Base::List`]). Legalization leaves instructions that the target takes; only messages keep
//! operands of several registers, which allocation makes consecutive.

use cranelift_entity::entity_impl;
use cranelift_entity::packed_option::PackedOption;
use kiln_target::isa::{Cond, MathFn, Op, PredCtrl, RegFile, Region, SrcMod, Type};
use kiln_target::op::Props;

/// A virtual register: one value in SSA form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VReg(u32);
entity_impl!(VReg, "v");

/// Virtual registers that one operand spans, in order ([`Function::lists`]).
///
/// [`Function::lists`]: crate::func::Function::lists
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct List(u32);
entity_impl!(List, "list");

/// A message ([`Function::messages`]).
///
/// [`Function::messages`]: crate::func::Function::messages
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(u32);
entity_impl!(MessageId, "msg");

/// An address that the loader fills in ([`Function::symbols`]).
///
/// [`Function::symbols`]: crate::func::Function::symbols
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);
entity_impl!(Symbol, "sym");

/// What an operand's bytes are counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    Null,
    Virt(VReg),
    /// Several virtual registers as if they lay one behind the other, each of the target's unit.
    List(List),
    /// A register of the machine, by file and number.
    Phys(RegFile, u8),
}

/// A place: a base and a byte offset from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reg {
    kind: Kind,
    byte: u16,
    /// The number of what the kind says, as that of a virtual register.
    num: VReg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Null,
    Virt,
    List,
    Phys(RegFile),
}

impl Reg {
    pub const NULL: Reg = Reg {
        kind: Kind::Null,
        byte: 0,
        num: VReg(0),
    };

    pub fn new(base: Base, byte: u32) -> Reg {
        let (kind, num) = match base {
            Base::Null => (Kind::Null, 0),
            Base::Virt(v) => (Kind::Virt, v.as_u32()),
            Base::List(l) => (Kind::List, l.as_u32()),
            Base::Phys(file, num) => (Kind::Phys(file), num.into()),
        };
        let (byte, num) = (byte as u16, VReg(num));
        Reg { kind, byte, num }
    }

    #[inline]
    pub fn virt(v: VReg, byte: u32) -> Reg {
        Reg::new(Base::Virt(v), byte)
    }

    pub fn phys(file: RegFile, num: u8, byte: u32) -> Reg {
        Reg::new(Base::Phys(file, num), byte)
    }

    pub fn grf(num: u8) -> Reg {
        Reg::phys(RegFile::Grf, num, 0)
    }

    #[inline]
    pub fn base(self) -> Base {
        match self.kind {
            Kind::Null => Base::Null,
            Kind::Virt => Base::Virt(self.num),
            Kind::List => Base::List(List(self.num.0)),
            Kind::Phys(file) => Base::Phys(file, self.num.0 as u8),
        }
    }

    /// Bytes from the base.
    #[inline]
    pub fn byte(self) -> u32 {
        self.byte.into()
    }

    /// The same base at another offset.
    #[inline]
    pub fn at(self, byte: u32) -> Reg {
        Reg {
            byte: byte as u16,
            ..self
        }
    }

    #[inline]
    pub fn is_null(self) -> bool {
        self.kind == Kind::Null
    }

    #[inline]
    pub fn as_virt(self) -> Option<VReg> {
        (self.kind == Kind::Virt).then_some(self.num)
    }

    /// The same for a slice of one.
    #[inline]
    pub(crate) fn virt_ref(&self) -> Option<&VReg> {
        (self.kind == Kind::Virt).then_some(&self.num)
    }

    #[inline]
    pub fn as_list(self) -> Option<List> {
        (self.kind == Kind::List).then_some(List(self.num.0))
    }

    #[inline]
    pub fn as_phys(self) -> Option<(RegFile, u8)> {
        match self.kind {
            Kind::Phys(file) => Some((file, self.num.0 as u8)),
            _ => None,
        }
    }
}

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Opcode {
    /// One of the machine's.
    Gen(Op),
    /// Defines its destination with whatever is there. No code.
    Undef,
    /// Calls the function that the symbol names, or of [`Opcode::CallAddress`] the one at the address
    /// that is the last source. The first source of a call with arguments is a list in `%arg`, the
    /// destination one in `%retval`: allocation puts them there. All that the convention leaves to the
    /// caller is lost, flags and address registers too.
    Call,
    CallAddress,
    /// Has the results in `%retval`, directly before a function returns.
    Results,
    /// Stores the second source, a whole register, in the slot of scratch memory that the first, an
    /// immediate, numbers.
    Spill,
    /// Loads the destination, a whole register, from the slot that the source numbers.
    Fill,
    /// Calls the subroutine of that number. The first source is the list of its inputs but for the return
    /// address, the destination that of its results.
    CallRoutine(u16),
    /// Goes back from a subroutine to the address that is the last source; the first, if there are two,
    /// is the list of results.
    Return,
}

impl From<Op> for Opcode {
    fn from(op: Op) -> Opcode {
        Opcode::Gen(op)
    }
}

impl PartialEq<Op> for Opcode {
    fn eq(&self, op: &Op) -> bool {
        *self == Opcode::Gen(*op)
    }
}

/// A source in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SrcReg {
    /// The first element's place; of an indirect source the address register's.
    pub reg: Reg,
    pub region: Region,
    pub ty: Type,
    pub modifier: SrcMod,
    /// Read where the address register says, so many bytes further on.
    pub indirect: Option<i16>,
    /// The extended accumulator of `madm` and the macro forms of `math` (8: none).
    pub mme: Option<u8>,
}

impl SrcReg {
    /// Distance of the elements of `n` channels, in elements, where they are evenly spaced.
    pub fn step(&self, n: u32) -> Option<u32> {
        let v = u32::from(self.region.vstride?);
        let (w, h) = (u32::from(self.region.width), u32::from(self.region.hstride));
        if n == 1 {
            Some(0)
        } else if w >= n || v == w * h && w > 1 {
            Some(h)
        } else if w == 1 {
            Some(v)
        } else {
            None
        }
    }

    /// Byte offset of channel `i`'s element from the base. Rows of an indirect source that have an
    /// address each are as if they lay in one place.
    pub fn offset(&self, i: u32) -> u32 {
        self.reg.byte() + self.element(i)
    }
}

/// The bits of an immediate, right-aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Imm {
    pub ty: Type,
    bits: [u32; 2],
}

impl Imm {
    pub fn new(ty: Type, bits: u64) -> Imm {
        Imm {
            ty,
            bits: [bits as u32, (bits >> 32) as u32],
        }
    }

    pub fn bits(self) -> u64 {
        u64::from(self.bits[0]) | u64::from(self.bits[1]) << 32
    }
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Src {
    Reg(SrcReg),
    Imm(Imm),
}

impl SrcReg {
    /// Byte of element `n` from the first.
    pub fn element(&self, n: u32) -> u32 {
        let Region {
            vstride,
            width,
            hstride,
        } = self.region;
        let width = u32::from(width.max(1));
        let row = n / width * u32::from(vstride.unwrap_or(0));
        (row + n % width * u32::from(hstride)) * self.ty.bytes()
    }

    /// Bytes from the first element's place to the end of the furthest of `exec_size` elements.
    #[inline]
    pub fn span(&self, exec_size: u8) -> u32 {
        let last = u32::from(exec_size.max(1)) - 1;
        let width = u32::from(self.region.width.max(1));
        // It is the last, or ends the last whole row.
        let ends = (last + 1) / width * width;
        let furthest = self.element(last).max(self.element(ends.max(1) - 1));
        furthest + self.ty.bytes()
    }
}

impl Src {
    pub fn reg(reg: Reg, region: Region, ty: Type) -> Src {
        Src::Reg(SrcReg {
            reg,
            region,
            ty,
            modifier: SrcMod::default(),
            indirect: None,
            mme: None,
        })
    }

    /// Elements side by side from a place.
    pub fn packed(reg: Reg, ty: Type) -> Src {
        Src::strided(reg, ty, 1)
    }

    /// One element for all channels.
    pub fn scalar(reg: Reg, ty: Type) -> Src {
        Src::reg(reg, Region::SCALAR, ty)
    }

    /// Elements `step` apart, in elements.
    pub fn strided(reg: Reg, ty: Type, step: u8) -> Src {
        Src::reg(reg, Region::new(step, 1, 0), ty)
    }

    pub fn imm(ty: Type, bits: u64) -> Src {
        Src::Imm(Imm::new(ty, bits))
    }

    #[inline]
    pub fn ty(&self) -> Type {
        match self {
            Src::Reg(r) => r.ty,
            Src::Imm(i) => i.ty,
        }
    }

    #[inline]
    pub fn as_reg(&self) -> Option<&SrcReg> {
        match self {
            Src::Reg(r) => Some(r),
            Src::Imm(_) => None,
        }
    }

    pub fn has_modifier(&self) -> bool {
        matches!(self, Src::Reg(r) if r.modifier != SrcMod::default())
    }
}

/// The contents that a definition is written over. What the instruction does not write keeps them;
/// without, it holds nothing that anybody wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Old {
    None,
    Reg(VReg),
    /// One a register of the destination's list; [`VReg::NOTHING`] where there is none.
    List(List),
}

impl VReg {
    /// Stands in an [`Old::List`] for no register.
    pub const NOTHING: VReg = VReg(u32::MAX);
}

/// A destination operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dst {
    /// As [`SrcReg::reg`].
    pub reg: Reg,
    pub old: Old,
    /// Distance of elements, in elements.
    pub hstride: u8,
    pub ty: Type,
    pub indirect: Option<i16>,
    pub mme: Option<u8>,
}

impl Dst {
    /// Bytes from the first element's place to the end of the last of `exec_size` elements.
    #[inline]
    pub fn span(&self, exec_size: u8) -> u32 {
        let last = u32::from(exec_size.max(1)) - 1;
        (last * u32::from(self.hstride) + 1) * self.ty.bytes()
    }

    pub fn new(reg: Reg, hstride: u8, ty: Type) -> Dst {
        Dst {
            reg,
            old: Old::None,
            hstride,
            ty,
            indirect: None,
            mme: None,
        }
    }

    pub fn null(ty: Type) -> Dst {
        Dst::new(Reg::NULL, 1, ty)
    }
}

/// Which channels an instruction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pred {
    /// A flag of the machine or a virtual one; the byte is that of its 16-bit half.
    pub flag: Reg,
    pub inverse: bool,
    pub ctrl: PredCtrl,
}

/// The condition an instruction computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CondMod {
    pub cond: Cond,
    /// Null for `sel`.
    pub flag: Reg,
    pub old: PackedOption<VReg>,
}

/// What an instruction carries beside operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Written whatever the execution mask.
    pub no_mask: bool,
    pub saturate: bool,
    pub align16: bool,
    /// The accumulator is written too.
    pub acc_wr_en: bool,
    /// `{Switch}`.
    pub switch: bool,
}

/// A message descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Desc {
    Imm(u32),
    /// A dword of the address register, or a virtual one of its class.
    Addr(Reg),
}

/// What a send says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// The shared function.
    pub sfid: u8,
    pub eot: bool,
    pub desc: Desc,
    pub ex_desc: Desc,
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inst {
    pub op: Opcode,
    /// Channels: 1 to 32.
    pub exec_size: u8,
    /// First channel of the execution mask used.
    pub chan_off: u8,
    pub opts: Options,
    pub pred: Option<Pred>,
    pub cond: Option<CondMod>,
    pub dst: Option<Dst>,
    pub srcs: Srcs,
    pub message: PackedOption<MessageId>,
    /// The immediate stands for the address of that name.
    pub symbol: PackedOption<Symbol>,
    /// Index of the vISA instruction it comes from; `u32::MAX` for none.
    pub origin: u32,
}

/// Up to three sources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Srcs {
    list: [Src; 3],
    len: u8,
}

impl Default for Srcs {
    fn default() -> Srcs {
        Srcs {
            list: [Src::imm(Type::Ud, 0); 3],
            len: 0,
        }
    }
}

impl Srcs {
    /// # Panics
    /// There are three already.
    #[inline]
    pub fn push(&mut self, src: Src) {
        self.list[usize::from(self.len)] = src;
        self.len += 1;
    }
}

impl FromIterator<Src> for Srcs {
    fn from_iter<T: IntoIterator<Item = Src>>(iter: T) -> Srcs {
        let mut srcs = Srcs::default();
        for src in iter {
            srcs.push(src);
        }
        srcs
    }
}

impl std::ops::Deref for Srcs {
    type Target = [Src];

    #[inline]
    fn deref(&self) -> &[Src] {
        &self.list[..usize::from(self.len)]
    }
}

impl std::ops::DerefMut for Srcs {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Src] {
        &mut self.list[..usize::from(self.len)]
    }
}

/// How an instruction uses a virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Register `n` of source `src`.
    Source {
        src: u8,
        n: u32,
    },
    /// The address of an indirect source or destination.
    Address,
    Predicate,
    Descriptor,
    /// Register `n` of the destination, in the place of the old value if there is one.
    Result {
        n: u32,
        old: Option<VReg>,
    },
    /// The flag of the condition modifier, likewise.
    Flag {
        old: Option<VReg>,
    },
}

impl Role {
    #[inline]
    pub fn is_def(self) -> bool {
        matches!(self, Role::Result { .. } | Role::Flag { .. })
    }

    /// The contents that a definition is written over: a use, too.
    #[inline]
    pub fn old(self) -> Option<VReg> {
        match self {
            Role::Result { old, .. } | Role::Flag { old } => old,
            _ => None,
        }
    }
}

impl Inst {
    pub fn new(op: impl Into<Opcode>, exec_size: u8) -> Inst {
        Inst {
            op: op.into(),
            exec_size,
            chan_off: 0,
            opts: Options::default(),
            pred: None,
            cond: None,
            dst: None,
            srcs: Srcs::default(),
            message: None.into(),
            symbol: None.into(),
            origin: u32::MAX,
        }
    }

    /// An instruction whatever the execution mask.
    pub fn no_mask(op: impl Into<Opcode>, exec_size: u8) -> Inst {
        let mut inst = Inst::new(op, exec_size);
        inst.opts.no_mask = true;
        inst
    }

    /// Defines `v` with whatever is there.
    pub fn undef(v: VReg) -> Inst {
        let mut inst = Inst::no_mask(Opcode::Undef, 1);
        inst.dst = Some(Dst::new(Reg::virt(v, 0), 1, Type::Ud));
        inst
    }

    /// Whether it does its operation and nothing beside: without predicate, condition, saturation, a write
    /// of the accumulator, and the address of a name.
    pub fn is_bare(&self) -> bool {
        self.pred.is_none()
            && self.cond.is_none()
            && !self.opts.saturate
            && !self.opts.acc_wr_en
            && self.symbol.is_none()
    }

    /// Whether channel `n` of the result comes from element `n` of each source's region, and nothing
    /// else: not so for messages, for operations on whole registers or groups of channels, and for
    /// those that read beyond their regions.
    pub fn is_by_channel(&self) -> bool {
        const OTHER: Props = Props::GROUPED
            .or(Props::BRANCH)
            .or(Props::SEND)
            .or(Props::SYSTOLIC);
        let Some(op) = self.gen_op() else {
            return false;
        };
        let function = matches!(op, Op::Math(MathFn::Idiv | MathFn::Invm | MathFn::Rsqtm));
        !(op.props().has_any(OTHER) || function || self.opts.align16)
    }

    /// Whether it calls a function.
    pub fn is_call(&self) -> bool {
        matches!(
            self.op,
            Opcode::Call | Opcode::CallAddress | Opcode::CallRoutine(_)
        )
    }

    /// Whether it calls a function or subroutine with arguments, or has results: the first source is a
    /// list that the calling convention says the place of.
    pub fn passes(&self) -> bool {
        match self.op {
            Opcode::Call | Opcode::Results | Opcode::CallRoutine(_) => !self.srcs.is_empty(),
            Opcode::CallAddress | Opcode::Return => self.srcs.len() > 1,
            Opcode::Gen(_) | Opcode::Undef | Opcode::Spill | Opcode::Fill => false,
        }
    }

    /// The operation of the machine, if it is one.
    #[inline]
    pub fn gen_op(&self) -> Option<Op> {
        match self.op {
            Opcode::Gen(op) => Some(op),
            Opcode::Undef
            | Opcode::Call
            | Opcode::CallAddress
            | Opcode::Results
            | Opcode::Spill
            | Opcode::Fill
            | Opcode::CallRoutine(_)
            | Opcode::Return => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact() {
        assert_eq!(size_of::<Reg>(), 8);
        assert_eq!(size_of::<Src>(), 24);
        assert_eq!(size_of::<Inst>(), 152);
    }
}
