//! Resolution of instructions to operations.

use kiln_emit::inst::{
    Dst, Inst, MathFn, Op, Place, Reg, RegFile, Region, Src, SrcReg, SyncFn, Type,
};
use kiln_emit::platform::Platform;

use super::classify::{classify, is_raw_move};
use super::operation::{
    Base, Condition, Dest, Goto, Jump, Operation, Path, Predicate, Source, Steps, Target,
};
use super::send::Send;
use super::systolic::Systolic;
use crate::state::cause::Cause;
use crate::state::lanes::{LANES, low_mask};
use crate::state::numbers::{int_of_bits, packed_element};
use crate::state::thread::{ADDR_BYTES, File, file_of};

impl Operation {
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
            fast: None,
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

    /// Resolves an instruction at `at`, without its jumps, which [`Decoded`](super::decoded::Decoded) resolves.
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
    if let Path::Raw | Path::Int | Path::WideInt | Path::Single | Path::Double = op.path {
        op.fast = classify(&op);
    }
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
        _ if is_raw_move(op) => Path::Raw,
        _ => domain(op),
    }
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
