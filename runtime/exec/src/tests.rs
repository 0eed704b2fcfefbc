//! Single instructions, compared with models that share nothing with the executor: the host's own arithmetic, and
//! results worked out on paper.

mod floats;
mod flow;
mod images;
mod integers;
mod macros;
mod memory;
mod messages;
mod operands;
mod platforms;

use kiln_emit::inst::{
    Cond, CondMod, Desc, Dst, Inst, MathFn, Message, Op, Place, Pred, PredCtrl, Reg, RegFile,
    Region, Src, SrcMod, SrcReg, Target, Type,
};
use kiln_emit::platform::{Platform, SKL};

use crate::code::counts::Counts;
use crate::code::decoded::Decoded;
use crate::code::operation::Operation;
use crate::interpret::step::steps;
use crate::state::barrier::Barriers;
use crate::state::cause::Cause;
use crate::state::defined::Defined;
use crate::state::memory::{Memory, Shared, Surface, Tables};
use crate::state::numbers::int_range;
use crate::state::thread::{Status, Thread};
use crate::state::words::Words;

const F0: Reg = Reg {
    file: RegFile::Flag,
    num: 0,
    byte: 0,
};

const F1: Reg = Reg {
    file: RegFile::Flag,
    num: 1,
    byte: 0,
};

impl Thread {
    /// Executes an instruction as if it were alone in a program.
    fn perform(&mut self, inst: &Inst) -> Result<(), Cause> {
        let program = Decoded::from_insts(vec![inst.clone()], self.platform);
        self.execute(&program.ops()[0])
    }
}

fn dst(num: u32, ty: Type) -> Dst {
    Dst::new(Reg::grf(num), 1, ty)
}

fn src(num: u32, exec: u8, ty: Type) -> Src {
    Src::reg(Reg::grf(num), Region::packed(exec), ty)
}

fn scalar(num: u32, byte: u16, ty: Type) -> Src {
    Src::reg(Reg::new(RegFile::Grf, num, byte), Region::SCALAR, ty)
}

fn inst(op: Op, exec: u8, dst: Dst, srcs: &[Src]) -> Inst {
    let mut inst = Inst::new(op, exec);
    inst.dst = Some(dst);
    inst.srcs = srcs.iter().copied().collect();
    inst
}

fn mov_imm(num: u32, exec: u8, ty: Type, bits: u64) -> Inst {
    inst(Op::Mov, exec, dst(num, ty), &[Src::imm(ty, bits)])
}

fn branch(op: Op, exec: u8, jip: i32, uip: Option<i32>) -> Inst {
    let mut inst = Inst::new(op, exec);
    inst.jip = Some(Target::Offset(jip));
    inst.uip = uip.map(Target::Offset);
    inst
}

fn predicated(mut inst: Inst, inverse: bool) -> Inst {
    inst.pred = Some(Pred {
        flag: F0,
        inverse,
        ctrl: PredCtrl::Normal,
    });
    inst
}

fn no_mask(mut inst: Inst) -> Inst {
    inst.no_mask = true;
    inst
}

fn cmp(exec: u8, cond: Cond, a: Src, b: Src) -> Inst {
    let null = Dst::new(Reg::NULL, 1, a.ty());
    let mut inst = inst(Op::Cmp, exec, null, &[a, b]);
    inst.cond = Some(CondMod { cond, flag: F0 });
    inst
}

fn thread() -> Thread {
    Thread::new(0, 0xffff, &SKL)
}

fn put(thread: &mut Thread, num: u32, size: usize, values: &[u64]) {
    for (i, v) in values.iter().enumerate() {
        let at = num as usize * thread.register_bytes() + i * size;
        thread.grf[at..at + size].copy_from_slice(&v.to_le_bytes()[..size]);
    }
}

fn get(thread: &Thread, num: u32, size: usize, count: usize) -> Vec<u64> {
    (0..count)
        .map(|i| {
            let at = num as usize * thread.register_bytes() + i * size;
            let mut word = [0; 8];
            word[..size].copy_from_slice(&thread.grf[at..at + size]);
            u64::from_le_bytes(word)
        })
        .collect()
}

fn dwords(thread: &Thread, num: u32, count: usize) -> Vec<u32> {
    get(thread, num, 4, count)
        .into_iter()
        .map(|v| v as u32)
        .collect()
}

/// Keeps denormals, as compilers ask for.
fn keep_denormals(thread: &mut Thread) {
    thread.control[..4].copy_from_slice(&0x4c0u32.to_le_bytes());
    thread.update_mode();
}

/// A fixed sequence of well mixed numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // Small and extreme numbers are as likely as others.
        match self.0 >> 61 {
            0 => self.0 & 0xff,
            1 => !(self.0 & 0xff),
            2 => 1 << (self.0 & 63),
            3 => (1u64 << (self.0 & 63)).wrapping_sub(1),
            _ => self.0,
        }
    }
}

/// The value of an element.
fn value(bits: u64, ty: Type) -> i128 {
    let width = ty.bytes() * 8;
    let cut = i128::from(bits) & ((1i128 << width) - 1);
    if ty.is_signed() && cut >> (width - 1) != 0 {
        cut - (1i128 << width)
    } else {
        cut
    }
}

/// Executes code on one thread until it ends or nothing is left, at most `limit` instructions.
fn run(t: &mut Thread, insts: Vec<Inst>, shared: &mut Shared, limit: u32) -> Result<(), Cause> {
    let end = insts.len() as u32;
    let program = Decoded::from_insts(insts, t.platform);
    let mut counts = Counts::new(&program);
    for _ in 0..limit {
        if t.ip == end || t.status != Status::Running {
            // Channels may wait for the end.
            t.wake_channels();
            return Ok(());
        }
        steps(t, &program, shared, 1, &mut counts)?;
    }
    panic!("the code does not end");
}

/// r10 holds the channels' numbers, r20 zeroes; channels 0-7 are on.
fn numbered() -> Thread {
    numbered_on(&SKL)
}

fn numbered_on(platform: &'static Platform) -> Thread {
    let mut t = Thread::new(0, 0xff, platform);
    put(&mut t, 10, 4, &[0, 1, 2, 3, 4, 5, 6, 7]);
    put(&mut t, 20, 4, &[0; 8]);
    put(&mut t, 21, 4, &[0; 8]);
    t
}

fn send(
    sfid: u8,
    desc: u32,
    exec: u8,
    response: Option<u32>,
    first: u32,
    second: Option<(u32, u32)>,
) -> Inst {
    let mut i = Inst::new(
        if second.is_some() {
            Op::Sends
        } else {
            Op::Send
        },
        exec,
    );
    let to = response.map_or(Reg::NULL, Reg::grf);
    i.dst = Some(Dst::new(to, 1, Type::Ud));
    i.srcs.push(src(first, 8, Type::Ud));
    let mut ex = u32::from(sfid);
    if let Some((num, len)) = second {
        i.srcs.push(src(num, 8, Type::Ud));
        ex |= len << 6;
    }
    i.msg = Some(Message {
        sfid,
        eot: false,
        desc: Desc::Imm(desc),
        ex_desc: Desc::Imm(ex),
    });
    i
}

static NO_TABLES: Tables = Tables {
    surfaces: Vec::new(),
    samplers: Vec::new(),
};

/// Shared state of a group with some memory and nothing else.
fn shared<'a>(memory: &'a Memory, slm: &'a Words) -> Shared<'a> {
    Shared {
        memory,
        bindings: &NO_TABLES,
        slm,
        general_state: 0,
        scratch: 0,
        barriers: Barriers::default(),
        read: 0,
        written: 0,
    }
}

/// Runs messages with one surface of 256 bytes (byte *n* is *n*), 128 bytes of shared memory, and 1 KiB of scratch
/// space; returns the surface.
fn exchange(t: &mut Thread, insts: Vec<Inst>) -> Result<Vec<u8>, Cause> {
    let mut memory = Memory::default();
    let bytes: Vec<u8> = (0..=255).collect();
    let surface = memory.add("surface", &bytes);
    let scratch = memory.add("scratch", &[0; 1024]);
    let general_state = memory.address(scratch);
    let mut shared = Shared {
        memory: &memory,
        bindings: &Tables {
            surfaces: vec![Some(Surface::of(surface, None)), None],
            samplers: Vec::new(),
        },
        slm: &Words::filled(128, 0),
        general_state,
        scratch: general_state,
        barriers: Barriers::default(),
        read: 0,
        written: 0,
    };
    run(t, insts, &mut shared, 100)?;
    Ok(memory.contents(surface))
}

/// Lengths of message and response, and the rest of a descriptor.
fn desc(message: u32, response: u32, rest: u32) -> u32 {
    message << 25 | response << 20 | rest
}

const DC0: u8 = 10;
const DC1: u8 = 12;
const HEADER: u32 = 1 << 19;
