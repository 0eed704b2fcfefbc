//! Dependencies between instructions, and their latencies.
//!
//! Takes a block in regions: consecutive instructions up to one that depends on everything before it and on which
//! everything after depends, such as a call, a fence or a write of a control register. Dependencies go by the
//! resources that are read and written: registers, where those that should share a location (tied operands,
//! parameters and their arguments) are one resource; the accumulator; fixed registers, which indirect operands
//! reach; and memory, where shared local memory is one resource and all other memory another. Reads of one resource
//! may be reordered, other accesses may not.

use kiln_emit::cost::time::{self, Time};
use kiln_emit::messages::{Access, Descriptors, Function as Shared, Memory, Request};
use kiln_machine::func::{Block, Class, Function};
use kiln_machine::inst::{self, Base, Inst, Opcode, Role, VReg};
use kiln_platform::isa::{RegFile, Type};
use kiln_platform::op::Props;
use smallvec::SmallVec;

const NONE: u32 = u32::MAX;

/// A resource other than a virtual register; its row follows those of the registers.
#[derive(Clone, Copy)]
enum Other {
    Accumulator,
    Flags,
    Address,
    /// Fixed registers, and all that indirect operands reach.
    Arrays,
    Memory,
    LocalMemory,
}

impl Other {
    const COUNT: usize = Other::LocalMemory as usize + 1;
}

/// A dependency: an instruction, and the minimum number of cycles between the two.
#[derive(Clone, Copy)]
pub struct Edge {
    pub to: u32,
    pub cycles: u32,
    next: u32,
}

/// The last accesses of a resource.
#[derive(Clone, Copy)]
struct Held {
    writer: u32,
    /// The last read since then, in [`Depend::readers`].
    reader: u32,
}

const FREE: Held = Held {
    writer: NONE,
    reader: NONE,
};

/// The dependencies within the regions of a block.
pub struct Depend<'a> {
    /// For each virtual register: the representative of those that should share its location.
    roots: &'a [u32],
    held: Vec<Held>,
    touched: Vec<u32>,
    /// Reads, each with the index of the one before.
    readers: Vec<(u32, u32)>,
    edges: Vec<Edge>,
    /// The ends of the regions: each is the first instruction for which all before must be done, or the block's end.
    ends: Vec<usize>,
    /// For each instruction.
    first: Vec<u32>,
    missing: Vec<u32>,
    times: Vec<Time>,
    heights: Vec<i64>,
}

/// Numbers of registers and of other resources.
type Places = SmallVec<[u32; 8]>;

/// The accesses of an instruction.
struct Accesses {
    reads: Places,
    writes: Places,
}

impl Depend<'_> {
    /// Dependencies with the registers' [`roots`].
    pub fn new(roots: &[u32]) -> Depend<'_> {
        Depend {
            roots,
            held: vec![FREE; roots.len() + Other::COUNT],
            touched: Vec::new(),
            readers: Vec::new(),
            edges: Vec::new(),
            ends: Vec::new(),
            first: Vec::new(),
            missing: Vec::new(),
            times: Vec::new(),
            heights: Vec::new(),
        }
    }

    /// Finds the dependencies between the instructions of a block.
    pub fn enter(&mut self, func: &Function, block: Block) {
        self.edges.clear();
        self.ends.clear();
        self.first.clear();
        self.missing.clear();
        self.times.clear();
        self.heights.clear();
        let data = &func.blocks[block];
        let count = data.insts.len();
        self.first.resize(count, NONE);
        self.missing.resize(count, 0);
        self.heights.resize(count, 0);
        let times = data.insts.iter().map(|inst| time_of(func, inst));
        self.times.extend(times);
        let flag = data.term.pred().and_then(|p| p.flag.as_virt());
        for (number, inst) in data.insts.iter().enumerate() {
            match memory(func, inst) {
                Some(memory) => {
                    let accesses = self.accesses(func, inst, memory);
                    self.add(func, number as u32, &accesses);
                }
                None => self.end(number, flag),
            }
        }
        self.end(count, flag);
        self.measure();
    }

    /// Ends a region. The block reads a flag at its end.
    fn end(&mut self, at: usize, flag: Option<VReg>) {
        self.ends.push(at);
        if let Some(v) = flag {
            let writer = self.held[self.roots[v.as_u32() as usize] as usize].writer as usize;
            if let Some(time) = self.times.get(writer) {
                self.heights[writer] = time.flag;
            }
        }
        self.readers.clear();
        for touched in self.touched.drain(..) {
            self.held[touched as usize] = FREE;
        }
    }

    /// The ends of the regions of the block.
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// The number of instructions that each instruction waits for.
    pub fn missing(&self) -> &[u32] {
        &self.missing
    }

    pub fn time(&self, inst: usize) -> &Time {
        &self.times[inst]
    }

    /// Cycles from an instruction's issue to the end of all that depends on it.
    pub fn height(&self, inst: usize) -> i64 {
        self.heights[inst]
    }

    /// The instructions that depend on an instruction.
    pub fn after(&self, inst: usize) -> impl Iterator<Item = Edge> {
        let mut at = self.first[inst];
        std::iter::from_fn(move || {
            let edge = *self.edges.get(at as usize)?;
            at = edge.next;
            Some(edge)
        })
    }

    fn accesses(&self, func: &Function, inst: &Inst, memory: Option<(Access, Other)>) -> Accesses {
        let other = |other: Other| (self.roots.len() + other as usize) as u32;
        let mut reads = Places::new();
        let mut writes = Places::new();
        func.visit(inst, |v, role| {
            let root = self.roots[v.as_u32() as usize];
            match role {
                Role::Result { .. } | Role::Flag { .. } => writes.push(root),
                _ => reads.push(root),
            }
        });
        let physical = |base: Base| match base {
            Base::Phys(RegFile::Grf, _) => Some(other(Other::Arrays)),
            Base::Phys(RegFile::Acc | RegFile::Mme, _) => Some(other(Other::Accumulator)),
            Base::Phys(RegFile::Flag, _) => Some(other(Other::Flags)),
            Base::Phys(RegFile::Addr, _) => Some(other(Other::Address)),
            _ => None,
        };
        let add = |list: &mut Places, base: Base| {
            if let Some(place) = physical(base) {
                list.push(place);
            }
        };
        for src in inst.srcs.iter().filter_map(|src| src.as_reg()) {
            add(&mut reads, src.reg.base());
            if src.indirect.is_some() {
                reads.push(other(Other::Arrays));
            }
        }
        if let Some(pred) = &inst.pred {
            add(&mut reads, pred.flag.base());
        }
        if let Some(dst) = &inst.dst {
            match dst.indirect {
                None => add(&mut writes, dst.reg.base()),
                Some(_) => {
                    add(&mut reads, dst.reg.base());
                    writes.push(other(Other::Arrays));
                }
            }
        }
        if let Some(cond) = &inst.cond {
            add(&mut writes, cond.flag.base());
        }
        if let Some(message) = inst.message.expand() {
            let message = &func.messages[message];
            for desc in [message.desc, message.ex_desc] {
                if let inst::Desc::Addr(reg) = desc {
                    add(&mut reads, reg.base());
                }
            }
        }
        if let Some(op) = inst.gen_op() {
            let whole = op.is_macro() || inst.opts.acc_wr_en || op.is(Props::WRITES_ACC);
            if whole {
                writes.push(other(Other::Accumulator));
            } else if op.is(Props::READS_ACC) {
                reads.push(other(Other::Accumulator));
            }
        }
        match memory {
            Some((Access::Read, place)) => reads.push(other(place)),
            Some((_, place)) => writes.push(other(place)),
            None => {}
        }
        Accesses { reads, writes }
    }

    fn add(&mut self, func: &Function, inst: u32, accesses: &Accesses) {
        for &place in &accesses.reads {
            let writer = self.hold(place).writer;
            if writer != NONE && writer != inst {
                self.edge(writer, inst, self.until(func, writer, place));
            }
            self.readers.push((inst, self.held[place as usize].reader));
            self.held[place as usize].reader = self.readers.len() as u32 - 1;
        }
        for &place in &accesses.writes {
            let Held { writer, mut reader } = *self.hold(place);
            if writer != NONE && writer != inst {
                self.edge(writer, inst, self.until(func, writer, place));
            }
            while let Some(&(from, before)) = self.readers.get(reader as usize) {
                if from != inst {
                    let read = self.times[from as usize].read.unwrap_or(0);
                    let is_register = (place as usize) < self.roots.len();
                    self.edge(from, inst, if is_register { read } else { 0 });
                }
                reader = before;
            }
            *self.hold(place) = Held {
                writer: inst,
                reader: NONE,
            };
        }
    }

    fn hold(&mut self, place: u32) -> &mut Held {
        self.touched.push(place);
        &mut self.held[place as usize]
    }

    /// Cycles from the issue of a write to the earliest read of the resource.
    fn until(&self, func: &Function, writer: u32, place: u32) -> i64 {
        let time = &self.times[writer as usize];
        let rest = self.roots.len();
        if (place as usize) < rest {
            return match func.regs[VReg::from_u32(place)].class {
                Class::Flag => time.flag,
                Class::Grf | Class::Addr => time.result,
            };
        }
        match place as usize - rest {
            n if n == Other::Accumulator as usize => time.accumulator,
            n if n == Other::Flags as usize => time.flag,
            n if n == Other::Memory as usize || n == Other::LocalMemory as usize => 0,
            _ => time.result,
        }
    }

    fn edge(&mut self, from: u32, to: u32, cycles: i64) {
        let first = &mut self.first[from as usize];
        self.edges.push(Edge {
            to,
            cycles: cycles as u32,
            next: *first,
        });
        *first = self.edges.len() as u32 - 1;
        self.missing[to as usize] += 1;
    }

    /// Computes the heights from the cycles after each instruction in which the end of the block waits for its flag.
    fn measure(&mut self) {
        for inst in (0..self.first.len()).rev() {
            let after = self.after(inst);
            let after = after.map(|edge| i64::from(edge.cycles) + self.heights[edge.to as usize]);
            let after = after.fold(self.heights[inst], i64::max);
            self.heights[inst] = self.times[inst].issue + after;
        }
    }
}

/// The memory access of an instruction, if it has one; `None` if everything depends on it.
fn memory(func: &Function, inst: &Inst) -> Option<Option<(Access, Other)>> {
    let op = match inst.op {
        Opcode::Gen(op) => op,
        Opcode::Undef => return Some(None),
        _ => return None,
    };
    let moved = |base: Base| match base {
        Base::Phys(file, _) => matches!(
            file,
            RegFile::Grf
                | RegFile::Null
                | RegFile::Acc
                | RegFile::Mme
                | RegFile::Flag
                | RegFile::Addr
        ),
        _ => true,
    };
    // Two reads of the state without a write between them may be reordered.
    let read = |base: Base| match base {
        Base::Phys(file, _) => {
            moved(base)
                || matches!(
                    file,
                    RegFile::ChannelEnable | RegFile::State | RegFile::Control
                )
        }
        _ => true,
    };
    let mut sources = inst.srcs.iter().filter_map(|src| src.as_reg());
    if !sources.all(|src| read(src.reg.base()))
        || !inst.dst.is_none_or(|dst| moved(dst.reg.base()))
        || inst.opts.switch
        || inst.only_waits()
    {
        return None;
    }
    if !op.is_send() {
        return (!op.is(Props::EFFECT)).then_some(None);
    }
    let request = request(func, inst)?;
    let place = match request.memory() {
        Memory::Local => Other::LocalMemory,
        Memory::Images | Memory::Other => Other::Memory,
    };
    match request.kind.access() {
        Access::Other => None,
        _ if request.end_of_thread => None,
        access => Some(Some((access, place))),
    }
}

/// The request of a message with constant descriptors.
fn request(func: &Function, inst: &Inst) -> Option<Request> {
    let message = &func.messages[inst.message.expand()?];
    let inst::Desc::Imm(desc) = message.desc else {
        return None;
    };
    let ex_desc = match message.ex_desc {
        inst::Desc::Imm(bits) => bits,
        inst::Desc::Addr(_) => 0,
    };
    let descriptors = Descriptors {
        sfid: message.sfid,
        end_of_thread: message.eot,
        desc,
        ex_desc,
    };
    Request::decode(descriptors, func.target.family).ok()
}

fn time_of(func: &Function, inst: &Inst) -> Time {
    let target = func.target;
    let Some(op) = inst.gen_op() else {
        return Time::NONE;
    };
    if !op.is_send() {
        let sources: SmallVec<[Type; 4]> = inst.srcs.iter().map(|src| src.ty()).collect();
        let result = inst.dst.map(|dst| (dst.ty, dst.hstride));
        return time::computation(target, op, inst.exec_size, &sources, result);
    }
    let grfs = |bytes: u32| bytes.div_ceil(target.grf_bytes);
    let (mut payload, mut result) = (0, 0);
    func.visit(inst, |v, role| match role {
        Role::Source { .. } => payload += grfs(func.regs[v].bytes.into()),
        Role::Result { .. } => result += grfs(func.regs[v].bytes.into()),
        _ => {}
    });
    let sfid = inst.message.expand().map_or(0, |id| func.messages[id].sfid);
    let request = request(func, inst);
    let message = time::Message {
        function: Shared::of(sfid),
        request: request.map(|request| (request.kind, request.header)),
        cache: request.and_then(|request| request.fields.cache),
        exec_size: inst.exec_size,
        payload,
        result,
    };
    time::message(target, &message)
}

/// Joins registers that should share a location: for each register, the representative of its web. Registers that stand
/// beside the same one in payloads of several messages are among them, since it is copied if two of them live at once.
pub fn roots(func: &Function) -> Vec<u32> {
    let mut roots: Vec<u32> = (0..func.regs.len() as u32).collect();
    // By register: the last payload that it is part of, and its place there.
    let mut payloads: Vec<(&[VReg], usize)> = vec![(&[], 0); func.regs.len()];
    for data in func.blocks.values() {
        for inst in &data.insts {
            func.visit(inst, |v, role| {
                if let Some(old) = role.old() {
                    join(&mut roots, v, old);
                }
            });
            if inst.message.is_none() {
                continue;
            }
            for src in inst.srcs.iter().filter_map(|src| src.as_reg()) {
                let payload = func.registers_of(&src.reg);
                for (place, v) in payload.iter().enumerate() {
                    let last = &mut payloads[v.as_u32() as usize];
                    let (other, at) = std::mem::replace(last, (payload, place));
                    if at == place && other.len() == payload.len() {
                        for (&a, &b) in payload.iter().zip(other) {
                            join(&mut roots, a, b);
                        }
                    }
                }
            }
        }
        for edge in &data.succs {
            let mut args = edge.args.clone();
            args.sort_unstable();
            for (&arg, &param) in edge.args.iter().zip(&func.blocks[edge.to].params) {
                // A value that several parameters begin with is copied to all but one of them anyway.
                let first = args.partition_point(|&other| other < arg);
                if args.get(first + 1) != Some(&arg) {
                    join(&mut roots, arg, param);
                }
            }
        }
    }
    for v in 0..roots.len() as u32 {
        roots[v as usize] = find(&mut roots, v);
    }
    roots
}

fn join(roots: &mut [u32], a: VReg, b: VReg) {
    let (a, b) = (find(roots, a.as_u32()), find(roots, b.as_u32()));
    roots[a.max(b) as usize] = a.min(b);
}

fn find(roots: &mut [u32], mut v: u32) -> u32 {
    while roots[v as usize] != v {
        let above = roots[roots[v as usize] as usize];
        roots[v as usize] = above;
        v = above;
    }
    v
}
