//! The scoreboard checker on the reference compiler's code: it has no findings there, and finds annotations that are
//! removed or weakened.
//!
//! Some annotations are redundant. A mutation counts if a second model finds a hazard ([`matters`]): it walks the
//! instructions of one block with a table of the pending accesses of each register, and shares no code with the
//! checker. Annotations that only matter between blocks do not count.

use std::collections::{HashMap, HashSet};

use crate::kernels::kernels;
use kiln_emit::inst::{
    Desc, Inst, Op, Pipe, Place, RegFile, Src, SyncFn, Systolic, Target, TokenUse, Type,
};
use kiln_emit::listing::entries;
use kiln_emit::platform::{self, PLATFORMS, Platform};
use kiln_emit::verify::scoreboard::{self, Missing};
use proptest::prelude::*;

const MUTATED: [&str; 7] = ["tgllp", "dg2", "mtl", "pvc", "lnl", "bmg", "ptl"];

fn find(name: &str) -> &'static Platform {
    platform::find(name).expect("the platform is known")
}

#[test]
fn the_reference_compilers_code_waits_for_all_it_must() {
    for name in ["tgllp", "dg2", "mtl", "pvc", "bmg", "ptl"] {
        let codes = kernels(find(name));
        assert!(codes.len() >= 28, "only {} kernels for {name}", codes.len());
        for (kernel, code) in codes {
            let found = scoreboard::check_code(&code, find(name)).expect("few ways");
            let first = found.first().map(|f| (&code[f.first], &code[f.second], f));
            assert_eq!(first, None, "{kernel} on {name}, of {}", found.len());
        }
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
}

/// Removes or weakens an annotation of an instruction; `None` if it has none.
fn mutate(inst: &Inst, random: &mut Random) -> Option<Inst> {
    let mut mutant = inst.clone();
    let swsb = &mut mutant.swsb;
    let waits = matches!(swsb.token, Some((TokenUse::Src | TokenUse::Dst, _)));
    match (random.below(2), inst.op) {
        (_, Op::Sync(SyncFn::AllWr)) => mutant.op = Op::Sync(SyncFn::AllRd),
        (_, Op::Sync(SyncFn::AllRd)) => mutant.op = Op::Sync(SyncFn::Nop),
        (0, _) if swsb.dist.is_some() => match (swsb.dist, random.below(3)) {
            (Some((pipe, count)), 0) => swsb.dist = Some((pipe, count + 1)),
            (Some((Pipe::All, count)), 1) => swsb.dist = Some((Pipe::Float, count)),
            _ => swsb.dist = None,
        },
        _ if waits => match (swsb.token, random.below(3)) {
            (Some((TokenUse::Dst, token)), 0) => swsb.token = Some((TokenUse::Src, token)),
            (Some((used, token)), 1) => swsb.token = Some((used, (token + 1) % 16)),
            _ => swsb.token = None,
        },
        _ => return None,
    }
    Some(mutant)
}

/// User of a register, with its position in its pipeline or in the block; a token for out-of-order instructions.
#[derive(Clone, Copy, PartialEq)]
struct User {
    pipe: Option<Pipe>,
    number: usize,
    token: Option<u8>,
    writes: bool,
    like: Like,
}

/// Function, channels, and flags for mask and predicate.
type Like = (u8, u8, u8, bool, bool);

/// Bytes of the general registers that an operand covers.
fn bytes(place: Place, platform: &Platform, offsets: impl Iterator<Item = u32>) -> Vec<u32> {
    match place {
        Place::Direct(reg) if reg.file == RegFile::Grf => {
            let start = reg.num * platform.grf_bytes + u32::from(reg.byte);
            offsets.map(|offset| start + offset).collect()
        }
        _ => Vec::new(),
    }
}

/// Bytes that an instruction reads, and that it writes.
fn uses(inst: &Inst, platform: &Platform) -> [Vec<u32>; 2] {
    let lanes = u32::from(inst.exec_size);
    let mut read = Vec::new();
    if let Some(message) = inst.msg {
        let field = |desc, low: u32, bits: u32| match desc {
            Desc::Imm(desc) => desc >> low & ((1 << bits) - 1),
            Desc::Addr { .. } => 1,
        };
        // On Xe2, messages of untyped memory have the length themselves, too.
        let own = inst.send.ex_bso || inst.send.src1_len != 0;
        let second = match message.ex_desc {
            Desc::Addr { .. } if own => u32::from(inst.send.src1_len),
            desc => field(desc, 6, 5),
        };
        for (src, count) in inst.srcs.iter().zip([field(message.desc, 25, 4), second]) {
            if let Src::Reg(src) = src {
                read.extend(bytes(src.place, platform, 0..count * platform.grf_bytes));
            }
        }
        let count = field(message.desc, 20, 5) * platform.grf_bytes;
        let written = inst.dst.map(|dst| bytes(dst.place, platform, 0..count));
        return [read, written.unwrap_or_default()];
    }
    if let Op::Dpas(shape) | Op::Dpasw(shape) = inst.op {
        return systolic(inst, shape, platform);
    }
    for src in &inst.srcs {
        let Src::Reg(src) = src else { continue };
        let (width, across) = (u32::from(src.region.width), u32::from(src.region.hstride));
        let down = u32::from(src.region.vstride.unwrap_or(0));
        let size = src.ty.bytes();
        let element = move |n: u32| n / width.max(1) * down + n % width.max(1) * across;
        let offsets = (0..lanes).flat_map(|n| (0..size).map(move |byte| element(n) * size + byte));
        read.extend(bytes(src.place, platform, offsets));
    }
    let written = inst.dst.map(|dst| {
        let step = u32::from(dst.hstride) * dst.ty.bytes();
        let offsets = (0..lanes).flat_map(|n| (0..dst.ty.bytes()).map(move |b| n * step + b));
        bytes(dst.place, platform, offsets)
    });
    [read, written.unwrap_or_default()]
}

/// Reads and writes of a systolic operation: rows of results and addends; columns, one step in each register; and rows
/// with a dword for each step.
fn systolic(inst: &Inst, shape: Systolic, platform: &Platform) -> [Vec<u32>; 2] {
    let (depth, repeat) = (u32::from(shape.depth), u32::from(shape.repeat));
    let table = repeat * u32::from(inst.exec_size) * 4;
    let sizes = [table, depth * platform.grf_bytes, repeat * depth * 4];
    let operands = inst.srcs.iter().zip(sizes);
    let read = operands.flat_map(|(src, size)| match src {
        Src::Reg(src) => bytes(src.place, platform, 0..size),
        Src::Imm { .. } => Vec::new(),
    });
    let written = inst.dst.map(|dst| bytes(dst.place, platform, 0..table));
    [read.collect(), written.unwrap_or_default()]
}

/// Pipelines of a platform.
struct Pipes {
    /// True if there is only one.
    one: bool,
    /// True if math functions have their own.
    math: bool,
    /// True if a 64-bit operand makes an operation long, and not only a double as the result.
    long_operands: bool,
}

impl Pipes {
    fn of(platform: &Platform) -> Pipes {
        Pipes {
            one: platform.name == "tgllp",
            math: ["pvc", "lnl", "bmg", "ptl"].contains(&platform.name),
            long_operands: ["dg2", "mtl"].contains(&platform.name),
        }
    }

    /// Pipeline of an instruction that finishes in order.
    fn pipe(&self, inst: &Inst) -> Option<Pipe> {
        let untimed = matches!(inst.op, Op::Sync(_) | Op::Nop | Op::Illegal | Op::Halt);
        let math = matches!(inst.op, Op::Math(_));
        if untimed || inst.op.is_send() || math && !self.math || inst.op.is_systolic() {
            return None;
        }
        let wide = |src: &Src| src.ty().bytes() == 8;
        let Some(dst) = inst.dst.filter(|_| !self.one) else {
            return Some(if self.one { Pipe::Own } else { Pipe::Int });
        };
        let scalar = matches!(dst.place, Place::Direct(reg) if reg.file == RegFile::Scalar);
        let long = self.long_operands && (dst.ty.bytes() == 8 || inst.srcs.iter().any(wide));
        Some(match dst.ty {
            _ if math => Pipe::Math,
            _ if scalar => Pipe::Scalar,
            _ if inst.op.is_branch() => Pipe::Int,
            _ if long => Pipe::Long,
            ty => self.of_type(ty),
        })
    }

    fn of_type(&self, ty: Type) -> Pipe {
        match ty {
            _ if self.one => Pipe::Own,
            Type::Df => Pipe::Long,
            ty if ty.bytes() == 8 && self.long_operands => Pipe::Long,
            ty if ty.is_float() => Pipe::Float,
            _ => Pipe::Int,
        }
    }

    /// True if a distance without a pipeline's name counts in this pipeline, which must be that of all operands.
    fn own(&self, inst: &Inst, pipe: Pipe) -> bool {
        let dst = inst.dst.map(|dst| dst.ty);
        let mut types = dst.into_iter().chain(inst.srcs.iter().map(Src::ty));
        types.any(|ty| self.of_type(ty) == pipe)
    }
}

/// Distance after which an instruction of a pipeline has finished.
fn over_after(pipe: Pipe) -> usize {
    match pipe {
        Pipe::Long => 15,
        Pipe::Math => 18,
        _ => 11,
    }
}

/// True if an instruction of a block uses a register with a pending access.
fn matters(block: &[Inst], platform: &Platform) -> bool {
    let pipes = Pipes::of(platform);
    let mut table: HashMap<u32, Vec<User>> = HashMap::new();
    let mut issued: HashMap<Pipe, usize> = HashMap::new();
    let mut sent: Vec<(usize, u8, Like)> = Vec::new();
    for (at, inst) in block.iter().enumerate() {
        let mut over: Vec<User> = Vec::new();
        let (dist, token) = (inst.swsb.dist, inst.swsb.token);
        let mask = match inst.srcs.first() {
            Some(Src::Imm { bits, .. }) => *bits,
            _ => u64::MAX,
        };
        let done = |user: &User| {
            let by_distance = user.pipe.is_some_and(|pipe| {
                let behind = issued[&pipe] - user.number;
                let counts = |named| match named {
                    Pipe::All => true,
                    Pipe::Own => pipes.own(inst, pipe),
                    other => other == pipe,
                };
                let named = |(named, count)| counts(named) && behind >= usize::from(count);
                behind >= over_after(pipe) || dist.is_some_and(named)
            });
            let over = |held: u8| {
                let all = (inst.op == Op::Sync(SyncFn::AllWr)
                    || inst.op == Op::Sync(SyncFn::AllRd) && !user.writes)
                    && mask >> held & 1 != 0;
                let waited = match token {
                    Some((TokenUse::Src, named)) => named == held && !user.writes,
                    Some((_, named)) => named == held,
                    None => false,
                };
                all || waited
            };
            // Messages of one function and the same channels are read in order.
            let later = |held: &(usize, u8, Like)| {
                !user.writes && held.2 == user.like && held.0 > user.number && over(held.1)
            };
            let by_token =
                user.token.is_some_and(over) || user.token.is_some() && sent.iter().any(later);
            by_distance || by_token
        };
        for users in table.values() {
            over.extend(users.iter().filter(|user| done(user)));
        }
        for users in table.values_mut() {
            users.retain(|user| !over.contains(user));
        }
        let pipe = pipes.pipe(inst);
        let sfid = inst.msg.map_or(16, |message| message.sfid);
        let mut user = User {
            pipe,
            number: pipe.map_or(at, |pipe| issued.get(&pipe).copied().unwrap_or(0)),
            token: token.and_then(|(used, id)| (used == TokenUse::Set).then_some(id)),
            writes: false,
            like: (
                sfid,
                inst.exec_size,
                inst.chan_off,
                inst.no_mask,
                inst.pred.is_some(),
            ),
        };
        let [read, written] = uses(inst, platform);
        let in_use = |byte: &u32, writes: bool| {
            table.get(byte).is_some_and(|users| {
                users.iter().any(|other| match (other.writes, writes) {
                    (true, false) => true,
                    (false, false) => false,
                    (true, true) => other.pipe.is_none() || other.pipe != pipe,
                    (false, true) => match other.pipe {
                        None => pipe.is_some() || other.like != user.like,
                        some => some != pipe,
                    },
                })
            })
        };
        let hazard = read.iter().any(|byte| in_use(byte, false))
            || written.iter().any(|byte| in_use(byte, true));
        if hazard {
            return true;
        }
        for (bytes, writes) in [(read, false), (written, true)] {
            user.writes = writes;
            // An instruction without pipeline and token finishes at once, or has no dependents.
            if user.pipe.is_some() || user.token.is_some() {
                for byte in bytes {
                    table.entry(byte).or_default().push(user);
                }
            }
        }
        if let Some(token) = user.token {
            sent.retain(|(_, held, _)| *held != token);
            sent.push((at, token, user.like));
        }
        if let Some(pipe) = pipe {
            *issued.entry(pipe).or_insert(0) += 1;
        }
    }
    false
}

/// For each instruction, the first of its block and the first of the next block.
fn blocks(code: &[Inst]) -> Vec<(usize, usize)> {
    let mut offset = 0i64;
    let offsets: Vec<i64> = code
        .iter()
        .map(|inst| {
            let at = offset;
            offset += i64::from(inst.size());
            at
        })
        .collect();
    let mut starts = vec![false; code.len() + 1];
    starts[0] = true;
    starts[code.len()] = true;
    for (n, inst) in code.iter().enumerate() {
        for target in [inst.jip, inst.uip] {
            if let Some(Target::Offset(by)) = target
                && let Ok(to) = offsets.binary_search(&(offsets[n] + i64::from(by)))
            {
                starts[to] = true;
            }
        }
        if inst.op.is_branch() || inst.msg.is_some_and(|message| message.eot) {
            starts[n + 1] = true;
        }
    }
    (0..code.len())
        .map(|n| {
            let first = (0..=n).rev().find(|&i| starts[i]).unwrap();
            let end = (n + 1..=code.len()).find(|&i| starts[i]).unwrap();
            (first, end)
        })
        .collect()
}

#[test]
fn annotations_that_are_taken_away_are_missed() {
    let only = std::env::var("PLATFORM").ok();
    let wanted = |name: &&str| only.as_ref().is_none_or(|only| only == name);
    std::thread::scope(|scope| {
        for name in MUTATED.into_iter().filter(wanted) {
            scope.spawn(move || annotations_are_missed_on(find(name)));
        }
    });
}

fn annotations_are_missed_on(platform: &'static Platform) {
    let name = platform.name;
    let count = std::env::var("MUTATIONS").map_or(150, |n| n.parse().unwrap());
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut codes = kernels(platform);
    // Long kernels take long and have the same kinds of mutations.
    codes.retain(|(_, code)| code.len() < 600);
    let blocks: Vec<_> = codes.iter().map(|(_, code)| blocks(code)).collect();
    let (mut counted, mut tried) = (0, 0);
    let (mut missed, mut pipes) = (Vec::new(), HashSet::new());
    while counted < count {
        tried += 1;
        assert!(tried < 100 * count, "few mutations matter on {name}");
        let which = random.below(codes.len());
        let (kernel, code) = &mut codes[which];
        let at = random.below(code.len());
        let Some(mutant) = mutate(&code[at], &mut random) else {
            continue;
        };
        let (first, end) = blocks[which][at];
        if matters(&code[first..end], platform) {
            continue;
        }
        let original = std::mem::replace(&mut code[at], mutant);
        if matters(&code[first..end], platform) {
            counted += 1;
            let found = scoreboard::check_code(code, platform).expect("few ways");
            pipes.extend(found.iter().filter_map(|found| match found.missing {
                Missing::Distance(_, pipe) => Some(pipe),
                _ => None,
            }));
            if found.is_empty() {
                missed.push(format!("{kernel}: {original} becomes {}", code[at]));
            }
        }
        code[at] = original;
    }
    let reported = counted - missed.len();
    println!("{name}: {reported} of {counted} reported, of {tried} tried, in {pipes:?}");
    println!("not reported: {missed:#?}");
    assert!(missed.len() * 100 <= counted, "{name}: {missed:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(300)
    })]

    /// Checking ends on any bytes.
    #[test]
    fn whatever_decodes_is_checked(
        which in 0..PLATFORMS.len(),
        bytes in prop::collection::vec(any::<u8>(), 0..1600),
    ) {
        let platform = &PLATFORMS[which];
        let insts: Vec<Inst> = entries(&bytes, platform)
            .map(|entry| entry.inst.unwrap_or_else(|_| Inst::new(Op::Illegal, 1)))
            .collect();
        prop_assert!(scoreboard::check_code(&insts, platform).is_ok());
    }
}
