//! The model of a Gen instruction that every part of Kiln shares.
//!
//! The model is the union of the encoding families: an encoder refuses what its family cannot express. Offsets and
//! strides are in the units that readers use: sub-registers in *bytes*, strides in *elements*, branch targets in
//! *bytes relative to this instruction*. The codecs convert.

use std::fmt;
use std::hash::{Hash, Hasher};

pub use kiln_platform::isa::*;
use kiln_platform::sources::Sources;

/// A register and a byte offset into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reg {
    pub file: RegFile,
    /// Number in the file.
    pub num: u32,
    /// Offset from the register's start in bytes.
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

    pub fn is_null(self) -> bool {
        self.file == RegFile::Null
    }
}

/// Place of an operand's first element: a register, or an address in the address register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    Direct(Reg),
    /// `r[a0.sub, imm]`: `addr` is the address register with the byte offset of the first address; `imm` is added to
    /// every address, in bytes.
    Indirect {
        addr: Reg,
        imm: i16,
    },
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

impl Default for Src {
    fn default() -> Src {
        Src::imm(Type::Ud, 0)
    }
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

/// A predicate, such as `(f0.1.any8h)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pred {
    /// A flag register; `byte` is 0 or 2.
    pub flag: Reg,
    pub inverse: bool,
    pub ctrl: PredCtrl,
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

/// A pipeline whose instructions the software scoreboard counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pipe {
    /// The pipeline of this instruction.
    Own,
    All,
    Float,
    Int,
    Long,
    Math,
    Scalar,
}

/// The use of a scoreboard token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenUse {
    /// Takes the token.
    Set,
    /// Waits until the token's instruction has read its sources.
    Src,
    /// Waits until the token's instruction has written its destination.
    Dst,
}

/// Software scoreboard annotation, in place of the dependency checks of earlier hardware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Swsb {
    /// Waits for the instruction at this distance (1-15) in a pipeline.
    pub dist: Option<(Pipe, u8)>,
    pub token: Option<(TokenUse, u8)>,
    /// `{NoAccSBSet}`: does not mark the accumulator as pending.
    pub no_acc_set: bool,
}

/// Dependency and thread control of an instruction.
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
    /// Stored in the 16-byte form even if there is a short one: code that computes with its own address depends on
    /// its length.
    pub long: bool,
    /// `goto`, `if`, `else`: the branch-control bit (`{b}` forms). On `while` it marks the backward branch:
    /// [`Inst::new`] sets it, listings do not show it, and since Gen12 there is no bit for it.
    pub branch_ctrl: bool,
}

/// The target of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    Offset(i32),
    /// A block of the function under construction, not yet placed.
    Block(u32),
    /// The first block of a subroutine, not yet placed.
    Routine(u32),
    /// An address or distance in the first source, as `jmpi`, `brd`, `call`, `ret` can have.
    Reg,
}

/// Index of the vISA instruction that an instruction was made for, and the variable that it gives contents, moves, stores or
/// loads by the account of allocation, if any. It is ignored by comparisons: any two origins are equal.
#[derive(Clone, Copy)]
pub struct Origin {
    visa: u32,
    variable: u32,
    /// Number of reads of the result; 0 if it is not known, or some are in other blocks.
    readers: u8,
}

impl Origin {
    /// The origin of instructions that allocation adds or that were decoded.
    pub const NONE: Origin = Origin::new(u32::MAX);

    /// The largest index stands for none.
    pub const fn new(number: u32) -> Origin {
        Origin {
            visa: number,
            variable: u32::MAX,
            readers: 0,
        }
    }

    /// This origin with a variable; the largest number stands for none.
    #[must_use]
    pub fn of_variable(self, variable: u32) -> Origin {
        Origin { variable, ..self }
    }

    /// The origin of an instruction whose result so many operands in its block read, and none elsewhere.
    #[must_use]
    pub fn with_readers(self, readers: u8) -> Origin {
        Origin { readers, ..self }
    }

    /// The number of operands that read the result, if all of them are in its block.
    pub fn readers(self) -> Option<u8> {
        (self.readers != 0).then_some(self.readers)
    }

    pub fn get(self) -> Option<u32> {
        (self.visa != u32::MAX).then_some(self.visa)
    }

    /// The number of the variable.
    pub fn variable(self) -> Option<u32> {
        (self.variable != u32::MAX).then_some(self.variable)
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Origin) -> bool {
        true
    }
}

impl Eq for Origin {}

impl Hash for Origin {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inst {
    pub op: Op,
    /// Channels: 1, 2, 4, 8, 16 or 32.
    pub exec_size: u8,
    /// First channel of the execution mask used: 0, 4, …, 28.
    pub chan_off: u8,
    /// `(W)`: written regardless of the execution mask (write enable, "NoMask").
    pub no_mask: bool,
    pub pred: Option<Pred>,
    pub cond: Option<CondMod>,
    pub saturate: bool,
    pub dst: Option<Dst>,
    pub srcs: Sources<Src>,
    pub msg: Option<Message>,
    /// Jump target, taken when no channel is left.
    pub jip: Option<Target>,
    /// Update target, where the branching channels continue.
    pub uip: Option<Target>,
    pub opts: Options,
    /// Empty before Gen12.
    pub swsb: Swsb,
    /// Empty except on sends since Gen12.
    pub send: SendOptions,
    /// Index of a symbol, in a table of the program's own, whose address is the instruction's immediate. The
    /// assembler leaves a relocation there.
    pub symbol: Option<u32>,
    pub origin: Origin,
}

impl Inst {
    /// An instruction without operands, under the execution mask. A `while` has its branch control set, because it
    /// always goes backward.
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
            srcs: Sources::default(),
            msg: None,
            jip: None,
            uip: None,
            opts: Options {
                branch_ctrl: op == Op::While,
                ..Options::default()
            },
            swsb: Swsb::default(),
            send: SendOptions::default(),
            symbol: None,
            origin: Origin::NONE,
        }
    }

    /// Size in bytes in its present form.
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
