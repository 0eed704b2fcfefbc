//! The resolved form of an instruction, as it is executed.
//!
//! Everything that does not depend on the machine's state is worked out here once, when code is
//! decoded: which bytes of which register file an operand's elements are, how far apart, the
//! constant of each channel, where a branch goes as the index of an operation, what a message's
//! constant descriptor says, and by which [`Path`] the operation is carried out. An operand that
//! reaches beyond its register file, or an instruction that lacks what it needs, becomes
//! [`Path::Fault`] here, so that the execution need not look for it.
//!
//! The form is what the interpreter walks, and all that a translator to another machine's code
//! needs of an instruction: it says what is computed, not how.

use std::fmt;

use kiln_emit::inst::{
    Cond, Dst, Inst, MathFn, Op, Place, PredCtrl, Reg, RegFile, Region, Src, SrcReg, SyncFn, Type,
};

use kiln_emit::platform::Platform;

use super::error::Cause;
use super::fast::{self, Fast};
use super::machine::{ADDR_BYTES, LANES, MME_BASE, low_mask};
use super::message::Send;
use super::operand::{int_of_bits, packed_element};
use super::systolic::Systolic;

/// A register file that is an array of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    Grf,
    Acc,
    Addr,
    Flag,
    Control,
    State,
    MessageControl,
    Scalar,
    Notification,
    Timestamp,
}

/// Origin of a source's elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// No register: the same bits for every channel.
    Constant(u64),
    /// A packed immediate: the bits for channel *n* are the entry *n* modulo 8.
    Packed(Box<[u64; 8]>),
    /// Bytes of a file from the first element's.
    File { file: File, at: u16 },
    /// Bytes of the general registers from the address in `a0` at byte `addr`, plus `imm`.
    Address { addr: u8, imm: i16 },
    /// Bytes of the general registers at an address in `a0` for each row of `width` channels.
    Addresses { addr: u8, imm: i16, width: u8 },
    /// The active channels, as a number.
    ChannelEnable,
}

/// Byte distance of a channel's element from the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Steps {
    /// The channel's number times the step.
    Linear(u16),
    /// An entry for each channel.
    Table(Box<[u16; LANES]>),
}

impl Steps {
    pub fn at(&self, lane: usize) -> usize {
        match self {
            Steps::Linear(step) => lane * usize::from(*step),
            Steps::Table(steps) => steps.get(lane).map_or(0, |&s| usize::from(s)),
        }
    }
}

/// A source operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub ty: Type,
    pub base: Base,
    pub steps: Steps,
    /// Modifiers: first the magnitude is taken, then the sign changed.
    pub abs: bool,
    pub neg: bool,
    /// Special accumulator that extends the number, in macro steps.
    pub mme: Option<u8>,
}

impl Source {
    pub fn is_accumulator(&self) -> bool {
        matches!(
            self.base,
            Base::File {
                file: File::Acc,
                ..
            }
        )
    }
}

/// Origin of a destination's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Results are dropped.
    Null,
    File {
        file: File,
        at: u16,
    },
    /// As [`Base::Address`].
    Address {
        addr: u8,
        imm: i16,
    },
}

/// A destination operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dest {
    pub ty: Type,
    pub target: Target,
    /// Distance between the elements of adjacent channels in bytes.
    pub step: u16,
    pub mme: Option<u8>,
}

/// Function from flags to a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicate {
    pub ctrl: PredCtrl,
    pub inverse: bool,
    /// Index, among all flag bits, of the flag operand's first bit.
    pub bit: u8,
    /// Index, among all flag bits, of the first bit of the operand's flag register.
    pub register: u8,
}

/// The condition modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    pub cond: Cond,
    /// Index, among all flag bits, of the first channel's bit; none if no flag is written.
    pub bit: Option<u8>,
}

/// Target of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// The branch has no such target.
    None,
    /// Index of an operation.
    To(u32),
    /// Taken from the first source.
    Dynamic,
}

/// Channels that a `goto` takes to its update target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goto {
    /// Channels whose predicate holds go there and all others wait (`goto.b`, which goes back). Also the value of
    /// operations other than `goto`.
    Back,
    /// Channels whose predicate holds wait there.
    IfTrue,
    /// Channels whose predicate does not hold wait there.
    IfFalse,
}

/// A place where channels would wait for ever, because no instruction there activates them again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Offset from the program's start, in bytes.
    pub at: u32,
    /// The operation there; none if no instruction starts there.
    pub found: Option<Op>,
    /// The required operation.
    pub expected: &'static str,
}

/// The part of the interpreter that executes an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Path {
    Nop,
    /// Integers or singles of at most 32 bits, in the common forms.
    Fast(Fast),
    /// A move that changes no bit but a float's sign.
    Raw,
    /// `smov`.
    Scattered,
    /// `movi`.
    Indexed,
    Math(MathFn),
    Madm,
    /// Integers with exact results in 64 bits.
    Int,
    /// Integers with longer results.
    WideInt,
    /// Operations on `f` and `hf`.
    Single,
    /// Operations with a `df`.
    Double,
    Branch,
    Send(Box<Send>),
    Systolic(Box<Systolic>),
    /// `srnd`.
    Stochastic,
    Wait,
    /// `sync.bar` where there are several barriers.
    Barrier,
    /// An operation that cannot be executed.
    Fault(Box<Cause>),
}

/// An operation: one instruction, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    pub op: Op,
    pub path: Path,
    /// Number of channels, 1 to 32.
    pub lanes: u8,
    /// First bit of the execution mask.
    pub chan_off: u8,
    /// Channels that the instruction can write, from bit 0: those of its execution size, without those that an
    /// Align16 destination leaves out.
    pub mask: u32,
    /// All ones if the execution mask is ignored, else zero.
    pub ungated: u32,
    pub saturate: bool,
    /// True if the accumulator receives the result too.
    pub acc_write: bool,
    /// Channels that a `goto` sends away.
    pub goto: Goto,
    /// True if channels may wait for this operation.
    pub wakes: bool,
    /// The error for channels that a branch would make wait for ever, if the hardware does not activate them at its
    /// target.
    pub lost: Option<Box<Lost>>,
    pub pred: Option<Predicate>,
    pub cond: Option<Condition>,
    pub dst: Dest,
    pub srcs: [Source; 3],
    /// Number of sources; the others are constants of zero.
    pub count: u8,
    /// Jump target and update target.
    pub jip: Jump,
    pub uip: Jump,
    /// Offsets from the program's start to the instruction and to the next one, in bytes.
    pub at: u32,
    pub next: u32,
}

impl Operation {
    /// The sources the instruction has.
    pub fn sources(&self) -> &[Source] {
        &self.srcs[..usize::from(self.count)]
    }

    /// The systolic operation, if it is one.
    pub fn systolic(&self) -> Option<(&Operation, &Systolic)> {
        match &self.path {
            Path::Systolic(systolic) => Some((self, systolic)),
            _ => None,
        }
    }

    /// An operation that stops with an error.
    pub fn fault(at: u32, cause: Cause) -> Operation {
        Operation {
            path: Path::Fault(Box::new(cause)),
            wakes: true,
            ..Operation::blank(&Inst::new(Op::Illegal, 1), at)
        }
    }

    /// The fields that need no resolving.
    fn blank(inst: &Inst, at: u32) -> Operation {
        let lanes = inst.exec_size.clamp(1, LANES as u8);
        let zero = Source {
            ty: Type::Ud,
            base: Base::Constant(0),
            steps: Steps::Linear(0),
            abs: false,
            neg: false,
            mme: None,
        };
        Operation {
            op: inst.op,
            path: Path::Nop,
            lanes,
            chan_off: inst.chan_off & 31,
            mask: low_mask(usize::from(lanes)) & channel_mask(inst),
            ungated: if inst.no_mask { u32::MAX } else { 0 },
            saturate: inst.saturate,
            acc_write: inst.opts.acc_wr_en,
            goto: Goto::Back,
            wakes: false,
            lost: None,
            pred: None,
            cond: None,
            dst: Dest {
                ty: Type::Ud,
                target: Target::Null,
                step: 0,
                mme: None,
            },
            srcs: [zero.clone(), zero.clone(), zero],
            count: 0,
            jip: Jump::None,
            uip: Jump::None,
            at,
            // A branch's target may be the last address there is.
            next: at.wrapping_add(inst.size()),
        }
    }

    /// Resolves an instruction at `at`, without its jumps, which [`super::Program`] resolves.
    pub fn new(inst: &Inst, at: u32, platform: &'static Platform) -> Operation {
        resolve(inst, at, platform).unwrap_or_else(|cause| Operation {
            path: Path::Fault(Box::new(cause)),
            ..Operation::blank(inst, at)
        })
    }
}

fn resolve(inst: &Inst, at: u32, platform: &'static Platform) -> Result<Operation, Cause> {
    let mut op = Operation::blank(inst, at);
    if let Some(pred) = inst.pred {
        let register = Reg {
            byte: 0,
            ..pred.flag
        };
        op.pred = Some(Predicate {
            ctrl: pred.ctrl,
            inverse: pred.inverse,
            bit: flag_bit(pred.flag, platform)?,
            register: flag_bit(register, platform)?,
        });
    }
    if let Some(cond) = inst.cond {
        let bit = match cond.flag.file {
            RegFile::Flag => Some(flag_bit(cond.flag, platform)? + op.chan_off),
            _ => None,
        };
        op.cond = Some(Condition {
            cond: cond.cond,
            bit,
        });
    }
    if inst.op == Op::Mach && platform.mach_low && !op.acc_write {
        op.op = Op::Macl;
    }
    op.acc_write |= inst.op == Op::Mach && !platform.acc_write_control;
    if inst.op == Op::Goto {
        op.goto = match (inst.opts.branch_ctrl, platform.goto_on_false) {
            (true, _) => Goto::Back,
            (false, true) => Goto::IfFalse,
            (false, false) => Goto::IfTrue,
        };
    }
    if let Op::Dpas(shape) | Op::Dpasw(shape) = inst.op {
        op.path = Path::Systolic(Box::new(Systolic::new(inst, shape, platform)?));
        return Ok(op);
    }
    if inst.op == Op::Sync(SyncFn::Bar) && platform.barriers == 1 {
        op.srcs[0].base = Base::File {
            file: File::Notification,
            at: 0,
        };
        op.path = Path::Wait;
        return Ok(op);
    }
    if matches!(inst.op, Op::Send | Op::Sendc | Op::Sends | Op::Sendsc) {
        op.path = Path::Send(Box::new(Send::new(inst, platform)?));
        return Ok(op);
    }
    let (sources, has_dst) = needs(inst.op);
    if inst.srcs.len() < sources {
        return Err(Cause::Malformed {
            what: "too few sources",
        });
    }
    if let Some(dst) = &inst.dst {
        op.dst = dest(dst, written(&op), platform)?;
    } else if has_dst {
        return Err(Cause::Malformed {
            what: "no destination",
        });
    }
    for (index, src) in inst.srcs.iter().enumerate().take(3) {
        op.srcs[index] = source(src, &op, inst.opts.align16, platform)?;
        op.count = index as u8 + 1;
    }
    op.path = path(inst, &op);
    Ok(op)
}

/// Minimum number of sources, and true if the operation has a destination.
fn needs(op: Op) -> (usize, bool) {
    use Op::*;
    match op {
        Mov | Movi | Not | Bfrev | Lzd | Fbh | Fbl | Cbit | Frc | Rndu | Rndd | Rnde | Rndz => {
            (1, true)
        }
        Sel | And | Or | Xor | Shr | Shl | Asr | Smov | Cmp | Cmpn | Bfi1 | Add | Mul | Avg
        | Mac | Mach | Macl | Rol | Ror | Addc | Subb | Sad2 | Sada2 | Dp4 | Dph | Dp3 | Dp2
        | Line | Pln | Srnd => (2, true),
        Csel | Bfe | Bfi2 | Mad | Lrp | Madm | Add3 | Bfn(_) | Dp4a => (3, true),
        Math(MathFn::Fdiv | MathFn::Pow | MathFn::Idiv | MathFn::Iqot | MathFn::Irem)
        | Math(MathFn::Invm) => (2, true),
        Math(_) => (1, true),
        Wait | Ret => (1, false),
        Call | Calla => (0, true),
        _ => (0, false),
    }
}

/// The path of an arithmetic or control operation.
fn path(inst: &Inst, op: &Operation) -> Path {
    use Op::*;
    match inst.op {
        Nop => Path::Nop,
        Jmpi | Brd | If | Brc | Else | Endif | While | Break | Cont | Halt | Calla | Call | Ret
        | Goto | Join => Path::Branch,
        Wait => Path::Wait,
        Sync(SyncFn::Bar) => Path::Barrier,
        Srnd => Path::Stochastic,
        // Instructions complete in order here, so that there is nothing to wait for.
        Sync(SyncFn::Nop | SyncFn::AllRd | SyncFn::AllWr | SyncFn::Flush | SyncFn::Fence) => {
            Path::Nop
        }
        Smov => Path::Scattered,
        Movi => Path::Indexed,
        Math(function) => Path::Math(function),
        Madm => Path::Madm,
        _ => match fast::classify(op) {
            Some(fast) => Path::Fast(fast),
            None if is_raw_move(op) => Path::Raw,
            None => domain(op),
        },
    }
}

/// True if a `mov` copies bits: same type on both sides and no change of the value.
pub fn is_raw_move(op: &Operation) -> bool {
    let [src] = op.sources() else { return false };
    let acc = |file| matches!(file, File::Acc) && (!src.ty.is_float() || src.ty == Type::Nf);
    let plain = match src.base {
        // The accumulator's lanes of integers and of native floats are wider than their type, and integers have
        // no sign bit to flip.
        Base::File { file, .. } if acc(file) => false,
        Base::Packed(_) => false,
        _ => src.ty.is_float() || !src.neg && !src.abs,
    };
    op.op == Op::Mov
        && src.ty == op.dst.ty
        && plain
        && !matches!(op.dst.target, Target::File { file, .. } if acc(file))
        && !op.saturate
        && op.cond.is_none()
        && !op.acc_write
}

/// The arithmetic domain of an operation.
fn domain(op: &Operation) -> Path {
    let types = || op.sources().iter().map(|s| s.ty);
    let float = types().any(Type::is_float);
    // The bits of a float are the operand of these.
    if float && !matches!(op.op, Op::And | Op::Or | Op::Xor | Op::Not | Op::Bfrev) {
        let double = |ty| matches!(ty, Type::Df | Type::Nf);
        return if double(op.dst.ty) || types().any(double) {
            Path::Double
        } else {
            Path::Single
        };
    }
    // The product of two unsigned dwords is the only result of dwords that exceeds 63 bits.
    let product = matches!(op.op, Op::Mul | Op::Mad | Op::Mac);
    if op.width() == 64 || product && types().filter(|&t| t == Type::Ud).count() >= 2 {
        Path::WideInt
    } else {
        Path::Int
    }
}

impl Operation {
    /// Width of an integer operation in bits: that of its widest operand, at least 32.
    pub fn width(&self) -> u64 {
        let wide = self.dst.ty.bytes() == 8 || self.sources().iter().any(|s| s.ty.bytes() == 8);
        if wide { 64 } else { 32 }
    }
}

/// Channels that an Align16 destination writes; all of them in Align1.
fn channel_mask(inst: &Inst) -> u32 {
    match &inst.dst {
        Some(dst) if inst.opts.align16 && dst.chan_mask != 15 => {
            let group = u32::from(dst.chan_mask);
            if dst.ty.bytes() == 8 {
                // A quadword has two of the group's channels.
                (group & 1 | group >> 1 & 2) * 0x5555_5555
            } else {
                group * 0x1111_1111
            }
        }
        _ => u32::MAX,
    }
}

/// Index of a flag's first bit among all flag bits.
fn flag_bit(flag: Reg, platform: &'static Platform) -> Result<u8, Cause> {
    let bit = flag.num * 32 + u32::from(flag.byte) * 8;
    if flag.num >= platform.flag_count || flag.byte >= 4 {
        return Err(Cause::Register {
            file: flag.file,
            num: flag.num,
        });
    }
    Ok(bit as u8)
}

/// A register's file, and its first byte there.
pub fn file_of(reg: Reg, platform: &'static Platform) -> Result<(File, usize), Cause> {
    let bytes = platform.grf_bytes as usize;
    let (file, size, first) = match reg.file {
        RegFile::Grf => (File::Grf, bytes, 0),
        RegFile::Acc => (File::Acc, bytes, 0),
        RegFile::Mme => (File::Acc, bytes, MME_BASE as usize),
        RegFile::Flag => (File::Flag, 4, 0),
        // These files have one register.
        RegFile::Addr => (File::Addr, 0, 0),
        RegFile::Control => (File::Control, 0, 0),
        RegFile::State => (File::State, 0, 0),
        RegFile::MessageControl => (File::MessageControl, 0, 0),
        RegFile::Scalar => (File::Scalar, 0, 0),
        RegFile::Notification => (File::Notification, 0, 0),
        RegFile::Timestamp => (File::Timestamp, 0, 0),
        file => return Err(Cause::Register { file, num: reg.num }),
    };
    Ok((
        file,
        (reg.num as usize + first) * size + usize::from(reg.byte),
    ))
}

/// Checks that the last byte of an operand is in its file.
fn within(file: File, end: usize, platform: &'static Platform) -> Result<(), Cause> {
    let size = file.bytes(platform);
    if end > size {
        Err(Cause::RegisterRange { at: end - 1, size })
    } else {
        Ok(())
    }
}

/// Number of elements of the destination: a call has a return address and a mask, whatever its channels.
fn written(op: &Operation) -> u8 {
    match op.op {
        Op::Call | Op::Calla => 2,
        _ => op.lanes,
    }
}

fn dest(dst: &Dst, lanes: u8, platform: &'static Platform) -> Result<Dest, Cause> {
    let size = dst.ty.bytes() as usize;
    let step = usize::from(dst.hstride).max(1) * size;
    let target = match dst.place {
        Place::Direct(reg) if reg.is_null() => Target::Null,
        Place::Direct(reg) => {
            let (file, at) = file_of(reg, platform)?;
            let end = at + (usize::from(lanes) - 1) * step + size;
            within(file, end, platform)?;
            Target::File {
                file,
                at: at as u16,
            }
        }
        Place::Indirect { addr, imm } => Target::Address {
            addr: address_byte(addr)?,
            imm,
        },
    };
    Ok(Dest {
        ty: dst.ty,
        target,
        step: step as u16,
        mme: dst.mme,
    })
}

fn address_byte(addr: Reg) -> Result<u8, Cause> {
    match addr.file {
        RegFile::Addr if usize::from(addr.byte) + 2 <= ADDR_BYTES => Ok(addr.byte as u8),
        file => Err(Cause::Register {
            file,
            num: addr.num,
        }),
    }
}

fn source(
    src: &Src,
    op: &Operation,
    align16: bool,
    platform: &'static Platform,
) -> Result<Source, Cause> {
    let reg = match src {
        Src::Imm { ty, bits } => {
            let base = match ty {
                Type::V | Type::Uv | Type::Vf => Base::Packed(Box::new(std::array::from_fn(|l| {
                    packed_element(*bits, *ty, l)
                }))),
                _ => Base::Constant(int_of_bits::<i64>(*bits, *ty) as u64),
            };
            return Ok(Source {
                ty: *ty,
                base,
                steps: Steps::Linear(0),
                abs: false,
                neg: false,
                mme: None,
            });
        }
        Src::Reg(reg) => reg,
    };
    let (base, steps) = place(reg, op, align16, platform)?;
    Ok(Source {
        ty: reg.ty,
        base,
        steps,
        abs: reg.modifier.abs,
        neg: reg.modifier.neg,
        mme: reg.mme,
    })
}

fn place(
    src: &SrcReg,
    op: &Operation,
    align16: bool,
    platform: &'static Platform,
) -> Result<(Base, Steps), Cause> {
    let size = src.ty.bytes() as usize;
    let width = usize::from(src.region.width).max(1);
    let none = Steps::Linear(0);
    match src.place {
        Place::Direct(reg) => match reg.file {
            RegFile::Null => Ok((Base::Constant(0), none)),
            RegFile::Ip => Ok((Base::Constant(u64::from(op.at)), none)),
            RegFile::ChannelEnable => Ok((Base::ChannelEnable, none)),
            _ => {
                let steps = steps(src, align16);
                let (file, at) = file_of(reg, platform)?;
                // A branch takes the first element only.
                let lanes = match reads_one(op.op) {
                    true => 1,
                    false => usize::from(op.lanes),
                };
                let end = (0..lanes).map(|lane| at + steps.at(lane) + size).max();
                within(file, end.unwrap_or(0), platform)?;
                if file == File::Acc && !src.ty.is_float() && matches!(steps, Steps::Table(_)) {
                    return Err(Cause::Form {
                        what: "an accumulator source with that region",
                    });
                }
                Ok((
                    Base::File {
                        file,
                        at: at as u16,
                    },
                    steps,
                ))
            }
        },
        Place::Indirect { addr, imm } => {
            let addr = address_byte(addr)?;
            if src.region.vstride.is_some() {
                return Ok((Base::Address { addr, imm }, steps(src, align16)));
            }
            let hstride = usize::from(src.region.hstride);
            let base = Base::Addresses {
                addr,
                imm,
                width: width as u8,
            };
            Ok((base, table(|lane| lane % width * hstride * size)))
        }
    }
}

/// True if an operation reads only the first elements of its sources.
fn reads_one(op: Op) -> bool {
    matches!(
        op,
        Op::Jmpi | Op::Brd | Op::Brc | Op::Call | Op::Calla | Op::Ret | Op::Wait
    )
}

/// Byte distances of a region's elements from its first.
fn steps(src: &SrcReg, align16: bool) -> Steps {
    let size = src.ty.bytes() as usize;
    let region = src.region;
    if align16 && region != Region::SCALAR {
        // Groups of four dwords (or words), or of two quadwords, whose halves the swizzle then names. The vertical
        // stride says only if the next group is at the next address.
        let (members, selects) = if size == 8 { (2, 2) } else { (4, 1) };
        let group = if region.vstride == Some(0) {
            0
        } else {
            members * size
        };
        return table(|lane| {
            let member = lane % members;
            let channel = usize::from(src.swizzle >> (member * selects * 2) & 3) / selects;
            lane / members * group + channel * size
        });
    }
    let width = usize::from(region.width).max(1);
    let hstride = usize::from(region.hstride);
    let vstride = usize::from(region.vstride.unwrap_or(0));
    if width == 1 {
        Steps::Linear((vstride * size) as u16)
    } else if vstride == width * hstride {
        Steps::Linear((hstride * size) as u16)
    } else {
        table(|lane| (lane / width * vstride + lane % width * hstride) * size)
    }
}

/// Steps given by a function; linear ones if they are.
fn table(at: impl Fn(usize) -> usize) -> Steps {
    let steps: [u16; LANES] = std::array::from_fn(|lane| at(lane) as u16);
    let first = steps[1];
    if (0..LANES).all(|lane| usize::from(steps[lane]) == lane * usize::from(first)) {
        Steps::Linear(first)
    } else {
        Steps::Table(Box::new(steps))
    }
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            File::Grf => "r",
            File::Acc => "acc",
            File::Addr => "a",
            File::Flag => "f",
            File::Control => "cr",
            File::State => "sr",
            File::MessageControl => "msg",
            File::Scalar => "s",
            File::Notification => "n",
            File::Timestamp => "tm",
        })
    }
}

impl fmt::Display for Source {
    /// `-r[64+4n]:f`: the first byte in the file, and the step to the next channel's element.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.neg {
            f.write_str("-")?;
        }
        if self.abs {
            f.write_str("abs ")?;
        }
        let steps = |f: &mut fmt::Formatter<'_>| match &self.steps {
            Steps::Linear(0) => Ok(()),
            Steps::Linear(step) => write!(f, "+{step}n"),
            Steps::Table(steps) => write!(f, "+{:?}[n]", &steps[..8]),
        };
        match &self.base {
            Base::Constant(bits) => write!(f, "{bits:#x}")?,
            Base::Packed(bits) => write!(f, "{bits:x?}[n]")?,
            Base::ChannelEnable => f.write_str("ce")?,
            Base::File { file, at } => {
                write!(f, "{file}[{at}")?;
                steps(f)?;
                f.write_str("]")?;
            }
            Base::Address { addr, imm } => {
                write!(f, "r[a[{addr}]{imm:+}")?;
                steps(f)?;
                f.write_str("]")?;
            }
            Base::Addresses { addr, imm, width } => {
                write!(f, "r[a[{addr}+n/{width}*2]{imm:+}")?;
                steps(f)?;
                f.write_str("]")?;
            }
        }
        write!(f, ":{}", self.ty.name())
    }
}

impl fmt::Display for Dest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.target {
            Target::Null => f.write_str("null")?,
            Target::File { file, at } => write!(f, "{file}[{at}+{}n]", self.step)?,
            Target::Address { addr, imm } => write!(f, "r[a[{addr}]{imm:+}+{}n]", self.step)?,
        }
        write!(f, ":{}", self.ty.name())
    }
}

impl fmt::Display for Operation {
    /// One line: offset, channels, gates, operation and path, operands, jumps.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#06x} {:>2}@{}", self.at, self.lanes, self.chan_off)?;
        if self.ungated != 0 {
            f.write_str(" always")?;
        }
        if let Some(pred) = &self.pred {
            let not = if pred.inverse { "!" } else { "" };
            write!(f, " if {not}f[{}] {:?}", pred.bit, pred.ctrl)?;
        }
        match &self.path {
            Path::Send(send) => return write!(f, " {:?} {send}", self.op),
            Path::Systolic(systolic) => return write!(f, " {:?} {systolic:?}", self.op),
            Path::Fault(cause) => return write!(f, " fault: {cause}"),
            Path::Fast(fast) => write!(f, " {fast:?}")?,
            Path::Branch => write!(f, " {:?}", self.op)?,
            path => write!(f, " {:?} as {path:?}", self.op)?,
        }
        if self.saturate {
            f.write_str(" sat")?;
        }
        write!(f, " {}", self.dst)?;
        for source in self.sources() {
            write!(f, ", {source}")?;
        }
        if let Some(cond) = &self.cond {
            write!(f, ", {:?}", cond.cond)?;
            if let Some(bit) = cond.bit {
                write!(f, " to f[{bit}]")?;
            }
        }
        for (name, jump) in [("jip", self.jip), ("uip", self.uip)] {
            match jump {
                Jump::None => {}
                Jump::To(index) => write!(f, " {name} #{index}")?,
                Jump::Dynamic => write!(f, " {name} register")?,
            }
        }
        Ok(())
    }
}
