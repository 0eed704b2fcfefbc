//! One Gen instruction, as every part of Kiln sees it.
//!
//! The model is the union of the encoding families: what a family cannot express, its encoder
//! refuses. Offsets and strides are kept in the units a reader thinks in: sub-registers in
//! *bytes*, strides in *elements*, branch targets in *bytes relative to this instruction*. The
//! codecs convert.
//!
//! A register may be physical or virtual ([`RegFile::Virt`]); instruction selection makes virtual
//! ones, register allocation replaces them, and the encoder refuses any that are left.

use cranelift_entity::entity_impl;
use smallvec::SmallVec;

/// A virtual register. Its class and size are recorded where it is made (instruction selection).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VReg(u32);
entity_impl!(VReg, "v");

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Illegal,
    Nop,
    Mov,
    Sel,
    Movi,
    Not,
    And,
    Or,
    Xor,
    Shr,
    Shl,
    Asr,
    /// Scattered move: channels whose bit in the second source (a mask, immediate) is set take the next
    /// element of the first.
    Smov,
    Cmp,
    Cmpn,
    Csel,
    Bfrev,
    Bfe,
    Bfi1,
    Bfi2,
    Jmpi,
    Brd,
    If,
    Brc,
    Else,
    Endif,
    While,
    Break,
    Cont,
    Halt,
    Calla,
    Call,
    Ret,
    Goto,
    Join,
    Wait,
    Send,
    Sendc,
    Sends,
    Sendsc,
    Math(MathFn),
    Add,
    Mul,
    Avg,
    Frc,
    Rndu,
    Rndd,
    Rnde,
    Rndz,
    Mac,
    Mach,
    Lzd,
    Fbh,
    Fbl,
    Cbit,
    Addc,
    Subb,
    Sad2,
    Sada2,
    Dp4,
    Dph,
    Dp3,
    Dp2,
    Line,
    Pln,
    Mad,
    Lrp,
    Madm,
    /// Rotations of bits.
    Rol,
    Ror,
    /// Sum of three.
    Add3,
    /// Bitwise function of three sources: bit *n* of the number is the result where the sources' bits,
    /// the first the least significant, make *n*.
    Bfn(u8),
    /// Sum of four products of bytes and an addend, which is the first source.
    Dp4a,
    /// The low half of `mach`'s product.
    Macl,
    /// Conversion with stochastic rounding.
    Srnd,
    /// A systolic product of matrices.
    Dpas(Systolic),
    /// The same with the second source shared by the two threads of a fused pair.
    Dpasw(Systolic),
    /// Waits for what the function names.
    Sync(SyncFn),
}

/// The shape of a systolic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Systolic {
    /// Steps in depth: 1, 2, 4 or 8.
    pub depth: u8,
    /// Rows: 1-8.
    pub repeat: u8,
}

/// What `sync` waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyncFn {
    /// Nothing but the instruction's own dependencies.
    Nop,
    /// Reads of the named tokens, or of all.
    AllRd,
    /// Writes of the named tokens, or of all.
    AllWr,
    Flush,
    Fence,
    /// A barrier.
    Bar,
    Host,
}

/// The function control of `math` (PRM vol. 2a, "Extended Math Function").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MathFn {
    Inv,
    Log,
    Exp,
    Sqt,
    Rsqt,
    Sin,
    Cos,
    Fdiv,
    Pow,
    /// Integer quotient and remainder (the remainder in the register after the quotient).
    Idiv,
    /// Integer quotient.
    Iqot,
    /// Integer remainder.
    Irem,
    Invm,
    Rsqtm,
}

/// The type of an operand's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Ub,
    B,
    Uw,
    W,
    Ud,
    D,
    Uq,
    Q,
    Hf,
    F,
    Df,
    /// Packed signed nibbles, immediate only: eight of them.
    V,
    /// Packed unsigned nibbles, immediate only: eight of them.
    Uv,
    /// Packed 8-bit restricted floats, immediate only: four of them.
    Vf,
    /// `bfloat16`: 8 bits of exponent, 7 of mantissa.
    Bf,
    /// 8 bits of exponent, 10 of mantissa, in the high bits of a dword.
    Tf32,
    /// 5 bits of exponent, 2 of mantissa.
    Bf8,
    /// 4 bits of exponent, 3 of mantissa.
    Hf8,
    /// Elements of systolic operations below a byte.
    U4,
    S4,
    U2,
    S2,
}

impl Type {
    /// Size of one element in bytes; that of a packed immediate is its 4 bytes, that of a type below
    /// a byte the byte that several share.
    pub fn bytes(self) -> u32 {
        match self {
            Type::Ub | Type::B | Type::Bf8 | Type::Hf8 => 1,
            Type::U4 | Type::S4 | Type::U2 | Type::S2 => 1,
            Type::Uw | Type::W | Type::Hf | Type::Bf => 2,
            Type::Ud | Type::D | Type::F | Type::V | Type::Uv | Type::Vf | Type::Tf32 => 4,
            Type::Uq | Type::Q | Type::Df => 8,
        }
    }

    /// How many elements share a byte.
    pub fn per_byte(self) -> u32 {
        match self {
            Type::U4 | Type::S4 => 2,
            Type::U2 | Type::S2 => 4,
            _ => 1,
        }
    }

    pub fn is_float(self) -> bool {
        use Type::*;
        matches!(self, Hf | F | Df | Vf | Bf | Tf32 | Bf8 | Hf8)
    }

    pub fn is_signed(self) -> bool {
        use Type::*;
        matches!(self, B | W | D | Q | V | S4 | S2) || self.is_float()
    }

    /// All types.
    pub const ALL: [Type; 22] = [
        Type::Ub,
        Type::B,
        Type::Uw,
        Type::W,
        Type::Ud,
        Type::D,
        Type::Uq,
        Type::Q,
        Type::Hf,
        Type::F,
        Type::Df,
        Type::V,
        Type::Uv,
        Type::Vf,
        Type::Bf,
        Type::Tf32,
        Type::Bf8,
        Type::Hf8,
        Type::U4,
        Type::S4,
        Type::U2,
        Type::S2,
    ];

    /// The name in listings (`:ud` without the colon).
    pub const fn name(self) -> &'static str {
        match self {
            Type::Ub => "ub",
            Type::B => "b",
            Type::Uw => "uw",
            Type::W => "w",
            Type::Ud => "ud",
            Type::D => "d",
            Type::Uq => "uq",
            Type::Q => "q",
            Type::Hf => "hf",
            Type::F => "f",
            Type::Df => "df",
            Type::V => "v",
            Type::Uv => "uv",
            Type::Vf => "vf",
            Type::Bf => "bf",
            Type::Tf32 => "tf32",
            Type::Bf8 => "bf8",
            Type::Hf8 => "hf8",
            Type::U4 => "u4",
            Type::S4 => "s4",
            Type::U2 => "u2",
            Type::S2 => "s2",
        }
    }
}

/// A register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegFile {
    /// `r0`…: general registers.
    Grf,
    /// A virtual register; `num` is the [`VReg`]'s index.
    Virt,
    Null,
    /// `a0`: address register, 16 words.
    Addr,
    /// `acc0`…: accumulators.
    Acc,
    /// `mme0`…: math macro extended accumulators.
    Mme,
    /// `f0`…: flags of 32 bits, halves `.0` and `.1`.
    Flag,
    /// `ce0`: channel enables.
    ChannelEnable,
    /// `sp`: stack pointer of the hardware's call stack.
    StackPointer,
    /// `sr0`: state.
    State,
    /// `cr0`: control.
    Control,
    /// `n0`: notification counts.
    Notification,
    /// `ip`: instruction pointer.
    Ip,
    /// `tdr0`: thread dependency.
    Tdr,
    /// `tm0`: timestamp.
    Timestamp,
    /// `fc0`…: flow control (`num` 0-4).
    FlowControl,
    /// `dbg0`: debug.
    Debug,
    /// `msg0`…: message control.
    MessageControl,
    /// `s0`: scalars for gathering sends.
    Scalar,
}

/// A register and a byte offset into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reg {
    pub file: RegFile,
    /// Number in the file.
    pub num: u32,
    /// Offset from the register's start in bytes. For a virtual register, anywhere inside it.
    pub byte: u16,
}

impl Reg {
    pub const NULL: Reg = Reg {
        file: RegFile::Null,
        num: 0,
        byte: 0,
    };

    pub fn grf(num: u32) -> Reg {
        Reg {
            file: RegFile::Grf,
            num,
            byte: 0,
        }
    }

    pub fn new(file: RegFile, num: u32, byte: u16) -> Reg {
        Reg { file, num, byte }
    }

    pub fn virt(v: VReg, byte: u16) -> Reg {
        Reg {
            file: RegFile::Virt,
            num: v.as_u32(),
            byte,
        }
    }

    /// The virtual register this is, if it is one.
    pub fn as_virt(self) -> Option<VReg> {
        (self.file == RegFile::Virt).then(|| VReg::from_u32(self.num))
    }

    pub fn is_null(self) -> bool {
        self.file == RegFile::Null
    }
}

/// Where an operand's first element is: named, or found through the address register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    Direct(Reg),
    /// `r[a0.sub, imm]`: `addr` is the address register (or a virtual one of the address class)
    /// with the byte offset of the first address used; `imm` is added to every address, in bytes.
    Indirect {
        addr: Reg,
        imm: i16,
    },
}

/// A source region `<vstride;width,hstride>`, in elements. The form without a vertical stride
/// (`<width,hstride>`, one address a row: VxH, or Vx1 when `width` is 1) has `vstride` `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    pub vstride: Option<u8>,
    pub width: u8,
    pub hstride: u8,
}

impl Region {
    /// `<0;1,0>`: the first element for every channel.
    pub const SCALAR: Region = Region {
        vstride: Some(0),
        width: 1,
        hstride: 0,
    };

    pub const fn new(vstride: u8, width: u8, hstride: u8) -> Region {
        Region {
            vstride: Some(vstride),
            width,
            hstride,
        }
    }

    /// `<8;8,1>` or narrower: `exec` elements side by side.
    pub fn packed(exec: u8) -> Region {
        match exec {
            1 => Region::SCALAR,
            n => {
                let w = n.min(8);
                Region::new(w, w, 1)
            }
        }
    }
}

/// What is done to a source before it is used. On `and`, `or`, `xor` and `not` a set `neg` means
/// bitwise complement (`~`), and `abs` is not allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SrcMod {
    pub neg: bool,
    pub abs: bool,
}

/// A destination operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dst {
    pub place: Place,
    /// Horizontal stride in elements: 1, 2 or 4.
    pub hstride: u8,
    pub ty: Type,
    /// Align16 instructions only: which of x, y, z, w are written (bits 0-3). 15 otherwise.
    pub chan_mask: u8,
    /// `madm` and the macro forms of `math`: the special accumulator (`mme0`-`mme7`, 8 = none).
    pub mme: Option<u8>,
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Src {
    Reg(SrcReg),
    /// The value's bits, right-aligned. 16-bit values are not replicated here.
    Imm {
        ty: Type,
        bits: u64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SrcReg {
    pub place: Place,
    pub region: Region,
    pub ty: Type,
    pub modifier: SrcMod,
    /// Align16 instructions only: which of x, y, z, w each channel of four reads, two bits each
    /// from bit 0. `0b11_10_01_00` (xyzw) otherwise.
    pub swizzle: u8,
    /// As [`Dst::mme`].
    pub mme: Option<u8>,
}

/// No swizzle: `.xyzw`.
pub const SWIZZLE_XYZW: u8 = 0b11_10_01_00;

/// How a flag's bits become the predicate of each channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PredCtrl {
    /// Channel *n* takes bit *n*.
    Normal,
    /// True when any of the group's bits in `f.0` or `f.1` is set (`anyv`).
    AnyV,
    /// True when all of them are (`allv`).
    AllV,
    /// Horizontally over groups of 2, 4, 8, 16 or 32 channels.
    Any(u8),
    All(u8),
    /// Horizontally over all channels of the instruction.
    AnyChannel,
    AllChannels,
    /// Align16: replicated from one of x, y, z, w (0-3).
    Replicate(u8),
}

/// `(f0.1.any8h)` and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pred {
    /// A flag register (or a virtual one of the flag class); `byte` is 0 or 2.
    pub flag: Reg,
    pub inverse: bool,
    pub ctrl: PredCtrl,
}

/// A comparison's relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cond {
    /// Zero or equal (`ze`, `eq`).
    Eq,
    Ne,
    Gt,
    Ge,
    Lt,
    Le,
    /// Signed overflow.
    Ov,
    /// Unordered.
    Un,
    /// Early out: the implied condition of the macro forms of `math`, which flag the channels whose
    /// result is already exact.
    Eo,
}

/// `(lt)f0.0`. `sel` takes a condition without a flag (min and max): then `flag` is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CondMod {
    pub cond: Cond,
    pub flag: Reg,
}

/// The message of a `send`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// Shared function: the low four bits of the extended descriptor.
    pub sfid: u8,
    /// End of thread.
    pub eot: bool,
    pub desc: Desc,
    /// Extended descriptor. `Imm` holds the second payload's length too, in registers (bits 6-9; 6-10
    /// since Gen12). Before Gen12 it also holds shared function and end of thread (bit 5), as
    /// listings then print it.
    pub ex_desc: Desc,
}

/// A message descriptor: constant, or the address register's dword at `byte`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Desc {
    Imm(u32),
    /// `a0.0` … `a0.14` (`byte` is the offset of the dword).
    Addr {
        byte: u8,
    },
}

/// What a send says beside its message since Gen12.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SendOptions {
    /// `{ExBSO}`: the extended descriptor in its register is only the surface's base; the second
    /// payload's length is the instruction's own.
    pub ex_bso: bool,
    /// That length in registers (0-31); 0 when a descriptor holds it. On Xe2 messages of untyped
    /// memory (`ugm`) always have it here if their extended descriptor is in a register.
    pub src1_len: u8,
    /// `{CPS}`, before Xe2.
    pub cps: bool,
    /// Xe2: added to the extended descriptor in its register; bits 11-15 and 19-31.
    pub ex_offset: u32,
    /// `{Serialize}`: fused threads send one after the other.
    pub serialize: bool,
}

/// A pipeline whose instructions the software scoreboard counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pipe {
    /// The one this instruction is of.
    Own,
    All,
    Float,
    Int,
    Long,
    Math,
    Scalar,
}

/// What is done with a scoreboard token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenUse {
    /// This instruction takes it.
    Set,
    /// Waits until the one that has it has read its sources.
    Src,
    /// Waits until the one that has it has written its destination.
    Dst,
}

/// Software scoreboard annotation, in place of the dependency checks of earlier hardware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Swsb {
    /// Waits for the instruction that many (1-15) before this one in the pipeline's order.
    pub dist: Option<(Pipe, u8)>,
    pub token: Option<(TokenUse, u8)>,
    /// `{NoAccSBSet}`: does not mark the accumulator as pending.
    pub no_acc_set: bool,
}

/// What dependency and thread control the instruction carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// `{Align16}`.
    pub align16: bool,
    /// `{AccWrEn}`: the accumulator is written too.
    pub acc_wr_en: bool,
    /// `{NoDDClr}`.
    pub no_dd_clr: bool,
    /// `{NoDDChk}`.
    pub no_dd_chk: bool,
    /// `{Switch}`.
    pub switch: bool,
    /// `{Atomic}`.
    pub atomic: bool,
    /// `{NoPreempt}`.
    pub no_preempt: bool,
    /// `{NoSrcDepSet}` (sends).
    pub no_src_dep_set: bool,
    /// `{Breakpoint}`.
    pub breakpoint: bool,
    /// Stored in the 8-byte form. Set by the decoder and by the compactor.
    pub compacted: bool,
    /// `goto`, `if`, `else`: the branch-control bit (`{b}` forms). On `while`, which the listing
    /// never shows it for, it marks the backward branch, is set by [`Inst::new`] and has no place
    /// since Gen12.
    pub branch_ctrl: bool,
}

/// Where a branch goes, in bytes from the start of this instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    Offset(i32),
    /// A block of the function under construction, not yet placed.
    Block(u32),
    /// Taken from the first source (register or address), as `jmpi`, `brd`, `call`, `ret` can.
    Reg,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    pub op: Op,
    /// Channels: 1, 2, 4, 8, 16 or 32.
    pub exec_size: u8,
    /// First channel of the execution mask used: 0, 4, …, 28.
    pub chan_off: u8,
    /// `(W)`: written whatever the execution mask (write enable, "NoMask").
    pub no_mask: bool,
    pub pred: Option<Pred>,
    pub cond: Option<CondMod>,
    pub saturate: bool,
    pub dst: Option<Dst>,
    pub srcs: SmallVec<[Src; 3]>,
    pub msg: Option<Message>,
    /// Jump target: where execution goes when no channel is left.
    pub jip: Option<Target>,
    /// Update target: where the channels that branch go on.
    pub uip: Option<Target>,
    pub opts: Options,
    /// Since Gen12; empty before.
    pub swsb: Swsb,
    /// Sends since Gen12; empty otherwise.
    pub send: SendOptions,
}

impl Inst {
    /// An instruction without operands, under the execution mask. A `while` has its branch control
    /// set: it always goes backward.
    pub fn new(op: Op, exec_size: u8) -> Inst {
        Inst {
            op,
            exec_size,
            chan_off: 0,
            no_mask: false,
            pred: None,
            cond: None,
            saturate: false,
            dst: None,
            srcs: SmallVec::new(),
            msg: None,
            jip: None,
            uip: None,
            opts: Options {
                branch_ctrl: op == Op::While,
                ..Options::default()
            },
            swsb: Swsb::default(),
            send: SendOptions::default(),
        }
    }

    /// Bytes this instruction takes as it stands.
    pub fn size(&self) -> u32 {
        if self.opts.compacted { 8 } else { 16 }
    }
}

impl Dst {
    pub fn new(reg: Reg, hstride: u8, ty: Type) -> Dst {
        Dst {
            place: Place::Direct(reg),
            hstride,
            ty,
            chan_mask: 15,
            mme: None,
        }
    }
}

impl Src {
    pub fn reg(reg: Reg, region: Region, ty: Type) -> Src {
        Src::Reg(SrcReg {
            place: Place::Direct(reg),
            region,
            ty,
            modifier: SrcMod::default(),
            swizzle: SWIZZLE_XYZW,
            mme: None,
        })
    }

    pub fn imm(ty: Type, bits: u64) -> Src {
        Src::Imm { ty, bits }
    }

    pub fn ty(&self) -> Type {
        match self {
            Src::Reg(r) => r.ty,
            Src::Imm { ty, .. } => *ty,
        }
    }
}
