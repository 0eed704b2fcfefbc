//! Scheduling after allocation leaves what code computes as it is: by a symbolic run of real code, in which each byte
//! of a register is a hash of the instruction that wrote it and of all that this read.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::common::{Fixture, fixtures};
use kiln_emit::assemble::Program;
use kiln_emit::encoding::decode;
use kiln_emit::inst::{Desc, Dst, Inst, Op, Place, PredCtrl, Reg, RegFile, Region, Src, Type};
use kiln_emit::messages::{Access, Descriptors, Request};
use kiln_emit::platform::{Platform, find};
use kiln_emit::schedule::schedule;

/// A byte of a register, a bit of a flag, or a part of memory.
type Key = (RegFile, u32, u32);

const MEMORY: Key = (RegFile::Null, 0, 0);
const LOCAL: Key = (RegFile::Null, 1, 0);
/// The number of hwords of scratch space.
const SCRATCH: u32 = 2;

/// Numbers of shared functions and of a surface (PRM, "Shared Function ID", "Binding Table Index").
const SAMPLER: u8 = 2;
const DATA_PORT: [u8; 2] = [10, 12];
const SHARED_LOCAL: u32 = 254;
/// Message type of a fence of the data port.
const FENCE: u32 = 7;

#[derive(Default)]
struct State {
    values: HashMap<Key, u64>,
    /// Effects that nothing may be moved over, in order.
    events: Vec<u64>,
}

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

impl State {
    fn get(&self, key: Key) -> u64 {
        self.values.get(&key).copied().unwrap_or_else(|| hash(key))
    }

    /// The memory that a message accesses, by its descriptor: shared local memory; hwords of scratch space; or all memory
    /// but the former. A fence, or what is unknown, orders all.
    fn accessed(&self, inst: &Inst) -> Vec<Key> {
        let scratch = |hword: u32| (RegFile::Null, SCRATCH, hword);
        let known = self.values.keys();
        let known = known.filter(|key| key.0 == RegFile::Null && key.1 == SCRATCH);
        let memory = known.copied().chain([MEMORY]);
        match inst.msg.map(|message| (message.sfid, message.desc)) {
            Some((10, Desc::Imm(desc))) if desc >> 18 & 3 == 3 => {
                let first = desc & 0xfff;
                let hwords = 1 << (desc >> 12 & 3);
                (first..first + hwords).map(scratch).collect()
            }
            Some((10, Desc::Imm(desc))) if desc >> 14 & 0x1f == FENCE => {
                memory.chain([LOCAL]).collect()
            }
            Some((sfid, Desc::Imm(desc)))
                if DATA_PORT.contains(&sfid) && desc & 0xff == SHARED_LOCAL =>
            {
                vec![LOCAL]
            }
            Some((_, Desc::Imm(_))) => memory.collect(),
            _ => memory.chain([LOCAL]).collect(),
        }
    }

    fn run(&mut self, insts: &[Inst], platform: &Platform) {
        for inst in insts {
            let (reads, writes) = keys(inst, platform);
            let read: Vec<u64> = reads.iter().map(|&key| self.get(key)).collect();
            let mut value = hash((inst, read));
            let has_effect = inst.op.is_branch() || matches!(inst.op, Op::Wait | Op::Sync(_));
            if has_effect {
                self.events.push(value);
            }
            if inst.op.is_send() {
                let accessed = self.accessed(inst);
                let seen: Vec<u64> = accessed.iter().map(|&key| self.get(key)).collect();
                let elsewhere = match accessed.contains(&LOCAL) {
                    true => 0,
                    false => self.get(MEMORY),
                };
                let reads = is_load(inst, platform);
                if !(reads && inst.msg.is_some_and(|message| message.sfid == SAMPLER)) {
                    value = hash((value, seen, elsewhere));
                }
                if !reads {
                    self.values
                        .extend(accessed.iter().map(|&key| (key, hash((value, key)))));
                }
            }
            for key in writes {
                // Channels that are not active keep what they had.
                let new = hash((value, key, self.get(key)));
                self.values.insert(key, new);
            }
        }
    }
}

/// True for a message that only reads memory.
fn is_load(inst: &Inst, platform: &Platform) -> bool {
    let request = inst
        .msg
        .and_then(|message| Request::decode(Descriptors::of(&message)?, platform.family).ok());
    request.is_some_and(|request| request.kind.access() == Access::Read)
}

fn bytes(of: Reg, at: u32, size: u32, grf_bytes: u32, keys: &mut Vec<Key>) {
    for byte in u32::from(of.byte) + at..u32::from(of.byte) + at + size {
        match of.file {
            RegFile::Null => {}
            RegFile::Grf => keys.push((RegFile::Grf, of.num + byte / grf_bytes, byte % grf_bytes)),
            RegFile::Flag => keys.extend((0..8).map(|bit| (RegFile::Flag, of.num, 8 * byte + bit))),
            file => keys.push((file, 0, 0)),
        }
    }
}

/// All that an instruction reads and writes.
fn keys(inst: &Inst, platform: &Platform) -> (Vec<Key>, Vec<Key>) {
    let grf_bytes = platform.grf_bytes;
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let channels = |flag: Reg, keys: &mut Vec<Key>| {
        let first = 8 * u32::from(flag.byte) + u32::from(inst.chan_off);
        keys.extend(
            (first..first + u32::from(inst.exec_size)).map(|bit| (flag.file, flag.num, bit)),
        );
    };
    let everything = || {
        (0..platform.grf_count).flat_map(|num| (0..grf_bytes).map(move |b| (RegFile::Grf, num, b)))
    };
    let address = (RegFile::Addr, 0, 0);
    let imm = |desc: Desc, low: u32, mask: u32| match desc {
        Desc::Imm(bits) => bits >> low & mask,
        Desc::Addr { .. } => 1,
    };
    for (n, src) in inst.srcs.iter().enumerate() {
        let Src::Reg(src) = src else { continue };
        match (src.place, inst.msg) {
            (Place::Direct(reg), Some(message)) => {
                let length = match n {
                    0 => imm(message.desc, 25, 0xf),
                    _ => imm(message.ex_desc, 6, 0xf),
                };
                bytes(reg, 0, length * grf_bytes, grf_bytes, &mut reads);
            }
            (Place::Direct(reg), None) => {
                let (v, w, h) = (
                    src.region.vstride.unwrap_or(0),
                    src.region.width.max(1),
                    src.region.hstride,
                );
                for lane in 0..inst.exec_size {
                    let element =
                        u32::from(lane / w) * u32::from(v) + u32::from(lane % w) * u32::from(h);
                    bytes(
                        reg,
                        element * src.ty.bytes(),
                        src.ty.bytes(),
                        grf_bytes,
                        &mut reads,
                    );
                }
            }
            (Place::Indirect { .. }, _) => {
                reads.push(address);
                reads.extend(everything());
            }
        }
    }
    if let Some(dst) = inst.dst {
        match (dst.place, inst.msg) {
            (Place::Direct(reg), Some(message)) => {
                bytes(
                    reg,
                    0,
                    imm(message.desc, 20, 0x1f) * grf_bytes,
                    grf_bytes,
                    &mut writes,
                );
            }
            (Place::Direct(reg), None) => {
                for lane in 0..u32::from(inst.exec_size) {
                    let at = lane * u32::from(dst.hstride) * dst.ty.bytes();
                    bytes(reg, at, dst.ty.bytes(), grf_bytes, &mut writes);
                }
                if matches!(inst.op, Op::Math(kiln_emit::inst::MathFn::Idiv)) {
                    bytes(reg, grf_bytes, grf_bytes, grf_bytes, &mut writes);
                }
            }
            (Place::Indirect { .. }, _) => {
                reads.push(address);
                writes.extend(everything());
            }
        }
    }
    if let Some(pred) = inst.pred {
        match pred.ctrl {
            PredCtrl::Normal => channels(pred.flag, &mut reads),
            _ => reads
                .extend((0..2).flat_map(|num| (0..32).map(move |bit| (RegFile::Flag, num, bit)))),
        }
    }
    if let Some(cond) = inst.cond.filter(|cond| !cond.flag.is_null()) {
        channels(cond.flag, &mut writes);
    }
    let accumulator = (RegFile::Acc, 0, 0);
    if matches!(inst.op, Op::Mac | Op::Mach | Op::Macl | Op::Sada2) {
        reads.push(accumulator);
    }
    if inst.opts.acc_wr_en || matches!(inst.op, Op::Mach | Op::Addc | Op::Subb) {
        writes.push(accumulator);
    }
    (reads, writes)
}

/// The code of a kernel, in pieces that end in a branch.
fn blocks(mut code: &[u8], platform: &Platform) -> Vec<Vec<Inst>> {
    let mut blocks = vec![Vec::new()];
    while let Ok(inst) = decode(code, platform)
        && inst.op != Op::Illegal
    {
        code = &code[inst.size() as usize..];
        let ends = inst.op.is_branch();
        if let Some(block) = blocks.last_mut() {
            block.push(inst);
        }
        if ends {
            blocks.push(Vec::new());
        }
    }
    blocks
}

#[test]
fn real_code_computes_the_same() {
    let mut moved = 0;
    for name in ["skl", "icllp"] {
        let platform = find(name).expect("the platform is known");
        for Fixture { path, code } in fixtures(platform) {
            let before = blocks(&code, platform);
            let mut program = Program {
                blocks: before.clone(),
            };
            schedule(&mut program, platform, &[]);
            for (before, after) in before.iter().zip(&program.blocks) {
                let (mut one, mut other) = (State::default(), State::default());
                one.run(before, platform);
                other.run(after, platform);
                assert_eq!(one.events, other.events, "{}", path.display());
                assert!(one.values == other.values, "{}", path.display());
                moved += usize::from(before != after);
            }
        }
    }
    assert!(moved > 50, "{moved} blocks are in another order");
}

/// A sum of integers and a change of cr0.0, then chains of sums of integers and of floats, and a sum that waits for nothing.
fn with_mode(bits: u64) -> Vec<Inst> {
    let scalar = |op: Op, dst: Reg, source: Reg, ty: Type, imm: Src| {
        let mut inst = Inst::new(op, 1);
        inst.no_mask = true;
        inst.dst = Some(Dst::new(dst, 1, ty));
        inst.srcs.push(Src::reg(source, Region::SCALAR, ty));
        inst.srcs.push(imm);
        inst
    };
    let control = Reg::new(RegFile::Control, 0, 0);
    let add = |to, from, ty| scalar(Op::Add, Reg::grf(to), Reg::grf(from), ty, Src::imm(ty, 1));
    let mut end = Inst::new(Op::Ret, 1);
    end.no_mask = true;
    vec![
        add(20, 10, Type::D),
        scalar(Op::Or, control, control, Type::Ud, Src::imm(Type::Ud, bits)),
        add(21, 20, Type::D),
        add(22, 21, Type::D),
        add(30, 11, Type::F),
        add(31, 30, Type::F),
        add(40, 12, Type::D),
        end,
    ]
}

#[test]
fn a_change_of_mode_stays_before_floats_alone() {
    let platform = find("bmg").expect("the platform is known");
    let order = |bits| {
        let mut program = Program {
            blocks: vec![with_mode(bits)],
        };
        schedule(&mut program, platform, &[]);
        let place = |number: u32| {
            let writes = |inst: &Inst| {
                inst.dst
                    .is_some_and(|dst| dst.place == Place::Direct(Reg::grf(number)))
            };
            program.blocks[0].iter().position(writes)
        };
        let control = program.blocks[0].iter().position(|inst| inst.op == Op::Or);
        (control, [20, 21, 22, 30, 31, 40].map(place))
    };
    // Denormal floats, and then single program flow, which masks depend on.
    let (mode, [before, _, _, first, ..]) = order(0x80);
    assert!(mode < first, "{mode:?} {first:?}");
    assert!(mode < before, "{mode:?} {before:?}");
    let (flow, [before, after @ ..]) = order(0x84);
    assert!(
        before < flow && after.iter().all(|after| flow < *after),
        "{flow:?} {after:?}"
    );
}

/// Where the annotations of a distance wait for the end of a float, an integer that overwrites its source does, too.
#[test]
fn what_a_float_reads_is_overwritten_late() {
    let sum = |ty, to: u32, from: u32| {
        let mut inst = Inst::new(Op::Add, 8);
        inst.dst = Some(Dst::new(Reg::grf(to), 1, ty));
        inst.srcs
            .push(Src::reg(Reg::grf(from), Region::packed(8), ty));
        inst.srcs.push(Src::imm(ty, 1));
        inst
    };
    // A float; an integer that overwrites what it reads, with a reader; others, shorter and independent.
    let mut block = vec![
        sum(Type::F, 10, 20),
        sum(Type::D, 20, 30),
        sum(Type::D, 21, 20),
    ];
    block.extend((0..8).map(|n| sum(Type::D, 40 + n, 50)));
    let place = |name| {
        let mut program = Program {
            blocks: vec![block.clone()],
        };
        schedule(
            &mut program,
            find(name).expect("the platform is known"),
            &[],
        );
        let overwrites = |inst: &Inst| inst.dst == block[1].dst;
        program.blocks[0].iter().position(overwrites)
    };
    // All pipelines of Gen12LP are one, in which the order is that of the code.
    assert_eq!(place("tgllp"), Some(1));
    assert_eq!(place("dg2"), Some(9));
}
