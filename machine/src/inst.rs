//! One instruction of the machine IR.
//!
//! Before legalization an instruction may be *wide*: any execution size up to 32, regions and
//! types that the target lacks, operands that span several virtual registers
//! ([`Base::List`]). Legalization leaves instructions of the target; only messages and products of
//! matrices keep operands of several registers, which allocation makes consecutive.

use cranelift_entity::entity_impl;
use cranelift_entity::packed_option::PackedOption;
use kiln_platform::isa::{Cond, MathFn, Op, PredCtrl, RegFile, Region, SendOptions, SrcMod, Type};
use kiln_platform::op::Props;
use kiln_platform::sources::Sources;

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

/// The origin of an operand's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    Null,
    Virt(VReg),
    /// Several virtual registers as if they were consecutive, each of an allocation unit.
    List(List),
    /// A physical register, by file and number.
    Phys(RegFile, u8),
}

/// An operand's register: a base and a byte offset from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reg {
    kind: Kind,
    byte: u16,
    /// The number of a virtual register, list or physical register.
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

    /// The register at another byte offset from the same base.
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

    /// A reference to the virtual register, if it is one.
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
    /// Defines its destination with undefined contents. It becomes no code.
    Undef,
    /// Calls the function of the symbol. The first source of a call with arguments is the list of
    /// `%arg`, the destination that of `%retval`: fixed operands of the calling convention. The call clobbers all
    /// registers that are not callee-saved, flags and address registers too.
    Call,
    /// As [`Opcode::Call`], of the function at the address that is the last source.
    CallAddress,
    /// Reads the results in `%retval`, directly before a function returns.
    Results,
    /// Calls the subroutine of that number. The first source is the list of its inputs without the return
    /// address, the destination that of its results.
    CallRoutine(u16),
    /// Returns from a subroutine to the address that is the last source; the first of two is the list of results.
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
    /// The first element; the address register of an indirect source.
    pub reg: Reg,
    pub region: Region,
    pub ty: Type,
    pub modifier: SrcMod,
    /// For an indirect source, the byte offset that is added to the address register.
    pub indirect: Option<i16>,
    /// The extended accumulator of `madm` and the macro forms of `math` (8: none).
    pub mme: Option<u8>,
}

impl SrcReg {
    /// Stride of the elements of `n` channels, in elements, if it is uniform.
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

    /// True if the elements of channels follow each other.
    pub fn is_packed(&self, channels: u8) -> bool {
        channels == 1 || self.step(channels.into()) == Some(1)
    }

    /// Byte offset of channel `i`'s element from the base. Rows of an indirect source with an
    /// address each count as if at one address.
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

impl Default for Src {
    fn default() -> Src {
        Src::imm(Type::Ud, 0)
    }
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

    /// Bytes from the start of the first to the end of the furthest of `exec_size` elements.
    #[inline]
    pub fn span(&self, exec_size: u8) -> u32 {
        let last = u32::from(exec_size.max(1)) - 1;
        let width = u32::from(self.region.width.max(1));
        // The furthest is the last element, or ends the last whole row.
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

    /// Packed elements from `reg` on.
    pub fn packed(reg: Reg, ty: Type) -> Src {
        Src::strided(reg, ty, 1)
    }

    /// One element for all channels.
    pub fn scalar(reg: Reg, ty: Type) -> Src {
        Src::reg(reg, Region::SCALAR, ty)
    }

    /// Elements with a stride of `step` elements.
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

/// The old contents that a definition is tied to. Parts that the instruction does not write keep them;
/// without, these parts are undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Old {
    None,
    Reg(VReg),
    /// One for each register of the destination's list, or [`VReg::NOTHING`].
    List(List),
}

impl VReg {
    /// No register, in an [`Old::List`].
    pub const NOTHING: VReg = VReg(u32::MAX);
}

/// A destination operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dst {
    /// As [`SrcReg::reg`].
    pub reg: Reg,
    pub old: Old,
    /// Stride, in elements.
    pub hstride: u8,
    pub ty: Type,
    pub indirect: Option<i16>,
    pub mme: Option<u8>,
}

impl Dst {
    /// Bytes from the start of the first to the end of the last of `exec_size` elements.
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

/// A predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pred {
    /// A physical flag register or a virtual one; the byte selects a 16-bit half.
    pub flag: Reg,
    pub inverse: bool,
    pub ctrl: PredCtrl,
}

/// A condition modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CondMod {
    pub cond: Cond,
    /// Null for `sel`, which writes no flag.
    pub flag: Reg,
    pub old: PackedOption<VReg>,
}

/// Instruction options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// The execution mask does not apply.
    pub no_mask: bool,
    pub saturate: bool,
    pub align16: bool,
    /// Writes the accumulator, too.
    pub acc_wr_en: bool,
    /// `{Switch}`.
    pub switch: bool,
}

/// A message descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Desc {
    Imm(u32),
    /// A dword of the address register, or a virtual register of its class.
    Addr(Reg),
}

/// A message: shared function and descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// The shared function.
    pub sfid: u8,
    pub eot: bool,
    pub desc: Desc,
    pub ex_desc: Desc,
    /// The options that the instruction itself has.
    pub send: SendOptions,
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inst {
    pub op: Opcode,
    /// Execution size: 1 to 32 channels.
    pub exec_size: u8,
    /// First channel.
    pub chan_off: u8,
    pub opts: Options,
    pub pred: Option<Pred>,
    pub cond: Option<CondMod>,
    pub dst: Option<Dst>,
    pub srcs: Sources<Src>,
    pub message: PackedOption<MessageId>,
    /// The address that an immediate stands for.
    pub symbol: PackedOption<Symbol>,
    /// Index of the vISA instruction it comes from; `u32::MAX` for none.
    pub origin: u32,
}

/// The role of a virtual register in an instruction.
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
    /// Register `n` of the destination, tied to the old contents if there are any.
    Result {
        n: u32,
        old: Option<VReg>,
    },
    /// The flag of the condition modifier, tied likewise.
    Flag {
        old: Option<VReg>,
    },
}

impl Role {
    #[inline]
    pub fn is_def(self) -> bool {
        matches!(self, Role::Result { .. } | Role::Flag { .. })
    }

    /// The old contents that a definition is tied to: a use, too.
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
            srcs: Sources::default(),
            message: None.into(),
            symbol: None.into(),
            origin: u32::MAX,
        }
    }

    /// A NoMask instruction.
    pub fn no_mask(op: impl Into<Opcode>, exec_size: u8) -> Inst {
        let mut inst = Inst::new(op, exec_size);
        inst.opts.no_mask = true;
        inst
    }

    /// Defines `v` with undefined contents.
    pub fn undef(v: VReg) -> Inst {
        let mut inst = Inst::no_mask(Opcode::Undef, 1);
        inst.dst = Some(Dst::new(Reg::virt(v, 0), 1, Type::Ud));
        inst
    }

    /// True if it has no predicate, condition modifier, saturation, write of the accumulator, or symbol.
    pub fn is_bare(&self) -> bool {
        self.pred.is_none()
            && self.cond.is_none()
            && !self.opts.saturate
            && !self.opts.acc_wr_en
            && self.symbol.is_none()
    }

    /// True for a read whose value goes nowhere. It waits for the value: that of a load, say, before a store to the same memory.
    pub fn only_waits(&self) -> bool {
        let nowhere = |dst: Dst| dst.indirect.is_none() && dst.reg.is_null();
        self.op == Opcode::Gen(Op::Mov) && self.cond.is_none() && self.dst.is_some_and(nowhere)
    }

    /// True if channel `n` of the result depends on element `n` of each source's region only. It is false for
    /// messages, operations on whole registers or groups of channels, and those that read beyond their regions.
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

    /// True if its operands may be several registers for the target, too: those of messages and of products of
    /// matrices, which allocation makes consecutive.
    pub fn takes_lists(&self) -> bool {
        self.message.is_some() || self.gen_op().is_some_and(Op::is_systolic)
    }

    /// True if it calls a function or subroutine.
    pub fn is_call(&self) -> bool {
        matches!(
            self.op,
            Opcode::Call | Opcode::CallAddress | Opcode::CallRoutine(_)
        )
    }

    /// True if it is a call with arguments or a return with results: its first source is a list of fixed operands of
    /// the calling convention.
    pub fn passes(&self) -> bool {
        match self.op {
            Opcode::Call | Opcode::Results | Opcode::CallRoutine(_) => !self.srcs.is_empty(),
            Opcode::CallAddress | Opcode::Return => self.srcs.len() > 1,
            Opcode::Gen(_) | Opcode::Undef => false,
        }
    }

    /// The Gen operation, if it is one.
    #[inline]
    pub fn gen_op(&self) -> Option<Op> {
        match self.op {
            Opcode::Gen(op) => Some(op),
            Opcode::Undef
            | Opcode::Call
            | Opcode::CallAddress
            | Opcode::Results
            | Opcode::CallRoutine(_)
            | Opcode::Return => None,
        }
    }
}

// Functions have millions of these; a field more is to be a decision.
const _: () = {
    assert!(size_of::<Reg>() == 8);
    assert!(size_of::<Src>() == 24);
    assert!(size_of::<Inst>() == 152);
};
