//! Random functions that keep all rules of machine IR.
//!
//! Control flow is structured and of all kinds: scalar branches and loops, divergent branches and loops, with one side
//! or two. Critical edges are split and every loop ends. Results do not matter; operands, regions, old contents and
//! masks are as varied as possible.

use kiln_platform::isa::{Cond, Op, PredCtrl, Region, SrcMod, Type};
use kiln_platform::platform::SKL;
use smallvec::SmallVec;

use kiln_machine::build::{self, Builder, edge};
use kiln_machine::func::{Block, Class, Function, Term};
use kiln_machine::inst::{Base, Desc, Dst, Inst, Message, Old, Pred, Reg, Src, VReg};
use kiln_machine::verify::Level;

/// Parameters of a random function.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// [`Level::Wide`] if operands may span several registers.
    pub level: Level,
    /// Nesting depth of control flow.
    pub depth: u32,
    /// Maximum number of instructions between two branches.
    pub length: u32,
    /// True for messages with payloads of several registers.
    pub messages: bool,
}

/// Physical registers, from r100 on, that functions read and write.
const PHYSICAL: u32 = 16;

/// Number of random functions that each property is tested with; the environment variable `SEEDS` overrides it.
pub fn seeds() -> u64 {
    let seeds = std::env::var("SEEDS").ok();
    seeds.and_then(|n| n.parse().ok()).unwrap_or(400)
}

/// The functions of the seeds below `seeds`, with messages and varying nesting depth, for tests of passes.
pub fn functions(level: Level, seeds: u64) -> impl Iterator<Item = (u64, Function)> {
    (0..seeds).map(move |seed| {
        let shape = Shape {
            level,
            depth: seed as u32 % 3,
            length: 24,
            messages: true,
        };
        (seed, function(seed, &shape))
    })
}

/// The function of a seed.
pub fn function(seed: u64, shape: &Shape) -> Function {
    let mut func = Function::new("random", &SKL, 16);
    let mut input = |grf, bytes| {
        let v = func.grf(bytes);
        func.inputs.push((v, Some(grf)));
        v
    };
    let inputs = vec![input(0, 32), input(2, 64), input(4, 64)];
    func.reserved.push(100..101 + PHYSICAL);
    let mut maker = Maker {
        random: Random(seed),
        shape: *shape,
        known: inputs,
        b: Builder::new(&mut func),
        divergent: 0,
    };
    maker.region(shape.depth);
    // Some values are read at the end.
    for _ in 0..4 {
        maker.store();
    }
    maker.b.end(Term::End, []);
    in_layout_order(func)
}

/// A generator of pseudorandom numbers.
struct Random(u64);

impl Random {
    /// A number below `n`.
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 32) as u32 % n.max(1)
    }

    fn in_100(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }
}

struct Maker<'a> {
    random: Random,
    shape: Shape,
    /// Registers that are defined on every path to the current point.
    known: Vec<VReg>,
    b: Builder<'a>,
    /// Number of divergent branches around the current point.
    divergent: u32,
}

impl Maker<'_> {
    fn region(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(3) {
            for _ in 0..self.random.below(self.shape.length + 1) {
                self.step();
            }
            if depth > 0 {
                match self.random.below(6) {
                    0 => self.scalar_if(depth - 1),
                    1 => self.scalar_loop(depth - 1),
                    2 => self.simd_if(depth - 1),
                    3 => self.simd_if_else(depth - 1),
                    4 => self.simd_loop(depth - 1),
                    _ => {}
                }
            }
        }
    }

    fn step(&mut self) {
        match self.random.below(20) {
            0 if self.shape.messages => self.message(),
            1 | 2 => self.store(),
            3 | 4 => {
                self.compare();
            }
            5 | 6 => self.physical(),
            7..=10 => self.copy(),
            _ => self.arithmetic(),
        }
    }

    fn class(&self, v: VReg) -> Class {
        self.b.func.regs[v].class
    }

    fn of_class(&mut self, class: Class) -> Option<VReg> {
        // Recent registers are more likely, so that live ranges have all lengths.
        for _ in 0..8 {
            let count = self.known.len() as u32;
            let back = self.random.below(count).min(self.random.below(count));
            let v = self.known[(count - 1 - back) as usize];
            if self.class(v) == class {
                return Some(v);
            }
        }
        None
    }

    /// A defined register of the same class and size, as old contents.
    fn like(&mut self, v: VReg) -> Option<VReg> {
        for _ in 0..12 {
            let other = self.random.below(self.known.len() as u32) as usize;
            let (a, b) = (self.b.func.regs[self.known[other]], self.b.func.regs[v]);
            if (a.class, a.bytes) == (b.class, b.bytes) && self.known[other] != v {
                return Some(self.known[other]);
            }
        }
        None
    }

    fn grf(&mut self) -> VReg {
        self.of_class(Class::Grf).unwrap_or(self.known[0])
    }

    /// Random channels of an execution size.
    fn channels(&mut self, inst: &mut Inst) {
        inst.exec_size = self.random.pick(&[1, 2, 4, 8, 8, 8, 16, 16]);
        let groups = 16 / inst.exec_size.max(4);
        inst.chan_off = self.random.below(groups.into()) as u8 * inst.exec_size.max(4);
        inst.opts.no_mask = inst.exec_size < 4 || self.random.in_100(30);
    }

    fn predicate(&mut self, inst: &mut Inst) {
        if let Some(flag) = self.of_class(Class::Flag) {
            inst.pred = Some(Pred {
                inverse: self.random.in_100(30),
                ctrl: PredCtrl::Normal,
                ..build::pred(flag)
            });
        }
    }

    fn int(&mut self) -> Type {
        use Type::*;
        self.random
            .pick(&[Ud, Ud, Ud, D, D, D, Uw, W, Ub, B, Uq, Q])
    }

    /// A register source of `exec` elements of a type.
    fn reg_src(&mut self, exec: u8, ty: Type) -> Option<Src> {
        use Type::*;
        let size = ty.bytes();
        for _ in 0..10 {
            let whole = self.random.in_100(50);
            let (reg, bytes) = if self.shape.level == Level::Wide && self.random.in_100(10) {
                let unit = self.b.func.target.unit_bytes() as u16;
                let mut list: SmallVec<[VReg; 4]> = SmallVec::new();
                for _ in 0..4 {
                    list.extend(self.of_class(Class::Grf));
                }
                list.retain(|v| self.b.func.regs[*v].bytes == unit);
                let bytes = list.len() as u32 * u32::from(unit);
                (Base::List(self.b.list(list)), bytes)
            } else {
                let v = self.grf();
                (Base::Virt(v), self.b.func.regs[v].bytes.into())
            };
            let region = match self.random.below(8) {
                0 | 1 => Region::SCALAR,
                2 => Region::new(2, 1, 0),
                3 => Region::new(8, 4, 2),
                4 => Region::new(4, 4, 1),
                5 => Region::new(0, 4, 1),
                _ => Region::packed(exec),
            };
            let mut src = *Src::reg(Reg::new(reg, 0), region, ty).as_reg()?;
            let span = src.span(exec);
            if span > bytes {
                continue;
            }
            let room = (bytes - span) / size;
            let byte = if whole {
                0
            } else {
                self.random.below(room + 1) * size
            };
            src.reg = src.reg.at(byte);
            if self.random.in_100(12) && !matches!(ty, Ub | Uw | Ud | Uq) {
                src.modifier = SrcMod {
                    neg: self.random.in_100(60),
                    abs: self.random.in_100(40),
                };
            }
            return Some(Src::Reg(src));
        }
        None
    }

    fn imm(&mut self, ty: Type) -> Src {
        let small = u64::from(self.random.below(6));
        let bits = match self.random.below(4) {
            0 => u64::MAX - small,
            1 => u64::from(self.random.below(u32::MAX)) << 32 | small,
            _ => small,
        };
        let bits = bits & (u64::MAX >> (64 - 8 * ty.bytes()));
        Src::imm(ty, bits)
    }

    fn src(&mut self, exec: u8, ty: Type, imm: bool) -> Option<Src> {
        if imm && ty.bytes() > 1 && self.random.in_100(35) {
            return Some(self.imm(ty));
        }
        self.reg_src(exec, ty)
    }

    /// Gives an instruction a new result register.
    fn define(&mut self, mut inst: Inst, ty: Type) {
        let hstride = self.random.pick(&[1u8, 1, 1, 1, 2]);
        let mut dst = Dst::new(Reg::NULL, hstride, ty);
        let span = dst.span(inst.exec_size);
        let unit = self.b.func.target.unit_bytes();
        if span > unit {
            let count = span.div_ceil(unit);
            if self.shape.level != Level::Wide {
                return;
            }
            let list: Vec<VReg> = (0..count).map(|_| self.b.func.grf(unit)).collect();
            dst.reg = Reg::new(Base::List(self.b.list(list.iter().copied())), 0);
            if self.keeps() {
                let olds: Vec<VReg> = (list.iter())
                    .map(|&v| self.like(v).unwrap_or(VReg::NOTHING))
                    .collect();
                dst.old = Old::List(self.b.list(olds));
            }
            inst.dst = Some(dst);
            self.b.push(inst);
            self.known.extend(list);
            return;
        }
        let sizes: Vec<u32> = (([4, 8, 32, 64, 64].into_iter()).filter(|&n| n >= span)).collect();
        let bytes = self.random.pick(&sizes);
        let v = self.b.func.grf(bytes);
        let room = (bytes - span) / ty.bytes();
        let byte = if self.random.in_100(70) {
            0
        } else {
            self.random.below(room + 1) * ty.bytes()
        };
        dst.reg = Reg::virt(v, byte);
        if self.keeps()
            && let Some(old) = self.like(v)
        {
            dst.old = Old::Reg(old);
        }
        inst.dst = Some(dst);
        self.b.push(inst);
        self.known.push(v);
    }

    fn keeps(&mut self) -> bool {
        let percent = if self.divergent > 0 { 65 } else { 25 };
        self.random.in_100(percent)
    }

    fn copy(&mut self) {
        let mut inst = Inst::new(Op::Mov, 1);
        self.channels(&mut inst);
        let from = self.int();
        let to = if self.random.in_100(60) {
            from
        } else {
            self.int()
        };
        let (from, to) = match self.random.below(12) {
            0 => (Type::F, Type::F),
            _ => (from, to),
        };
        let Some(src) = self.src(inst.exec_size, from, true) else {
            return;
        };
        inst.srcs.push(src);
        self.define(inst, to);
    }

    fn arithmetic(&mut self) {
        let op = self.random.pick(&[
            Op::Add,
            Op::Add,
            Op::Add,
            Op::And,
            Op::Or,
            Op::Xor,
            Op::Not,
            Op::Shl,
            Op::Shr,
            Op::Asr,
            Op::Mul,
            Op::Sel,
            Op::Avg,
        ]);
        let mut inst = Inst::new(op, 1);
        self.channels(&mut inst);
        let first = self.int();
        let second = if self.random.in_100(70) {
            first
        } else {
            self.int()
        };
        let wide = if first.bytes() > second.bytes() {
            first
        } else {
            second
        };
        let dst = if self.random.in_100(80) {
            wide
        } else {
            self.int()
        };
        let count = if op == Op::Not { 1 } else { 2 };
        for (i, ty) in [first, second].into_iter().take(count).enumerate() {
            let Some(src) = self.src(inst.exec_size, ty, i + 1 == count) else {
                return;
            };
            inst.srcs.push(src);
            if let Some(Src::Reg(src)) = inst.srcs.last_mut() {
                src.modifier.abs &= !op.is_bitwise();
            }
        }
        match op {
            Op::Sel => {
                self.predicate(&mut inst);
                if inst.pred.is_none() {
                    return;
                }
            }
            _ if self.random.in_100(15) => self.predicate(&mut inst),
            _ => {}
        }
        inst.opts.saturate = !op.is_bitwise() && self.random.in_100(8);
        self.define(inst, dst);
    }

    /// A new flag, for a comparison.
    fn compare(&mut self) -> Option<VReg> {
        let mut inst = Inst::new(Op::Cmp, 1);
        self.channels(&mut inst);
        let ty = self.random.pick(&[Type::Ud, Type::D, Type::W, Type::Q]);
        let first = self.reg_src(inst.exec_size, ty)?;
        let second = match self.random.in_100(50) {
            true => Src::imm(ty, 0),
            false => self.src(inst.exec_size, ty, true)?,
        };
        inst.srcs = [first, second].into_iter().collect();
        inst.dst = Some(Dst::null(ty));
        let flag = self.b.flag();
        let cond = self
            .random
            .pick(&[Cond::Eq, Cond::Ne, Cond::Gt, Cond::Ge, Cond::Lt, Cond::Le]);
        let mut cond = build::cond(cond, flag);
        if self.keeps() {
            cond.old = self.like(flag).into();
        }
        inst.cond = Some(cond);
        self.b.push(inst);
        self.known.push(flag);
        Some(flag)
    }

    /// A write or read of a physical register.
    fn physical(&mut self) {
        let place = Reg::grf(100 + self.random.below(PHYSICAL) as u8);
        if self.random.in_100(80) {
            let mut inst = Inst::new(Op::Mov, 1);
            self.channels(&mut inst);
            let ty = self.random.pick(&[Type::Ud, Type::Ud, Type::Uw, Type::Ub]);
            let Some(src) = self.reg_src(inst.exec_size, ty) else {
                return;
            };
            inst.srcs.push(src);
            inst.dst = Some(Dst::new(place, 1, ty));
            self.b.push(inst);
        } else {
            let mut inst = Inst::no_mask(Op::Mov, 8);
            inst.srcs.push(Src::reg(place, Region::packed(8), Type::Ud));
            self.define(inst, Type::Ud);
        }
    }

    fn units(&mut self, most: u32) -> Vec<VReg> {
        let mut units = Vec::new();
        for _ in 0..1 + self.random.below(most) {
            let v = self.grf();
            if self.b.func.regs[v].bytes == 64 {
                units.push(v);
            }
        }
        if units.is_empty() {
            units.push(self.known[1]);
        }
        units
    }

    fn payload(&mut self, most: u32) -> Src {
        let units = self.units(most);
        let list = self.b.list(units);
        Src::reg(Reg::new(Base::List(list), 0), Region::packed(8), Type::Ud)
    }

    fn send(&mut self) -> Inst {
        let mut desc = Desc::Imm(self.random.below(1 << 20));
        if self.random.in_100(10) {
            let addr = self.b.func.reg(Class::Addr, 4);
            let mut inst = Inst::no_mask(Op::Mov, 1);
            inst.dst = Some(Dst::new(Reg::virt(addr, 0), 1, Type::Ud));
            inst.srcs.push(self.imm(Type::Ud));
            self.b.push(inst);
            desc = Desc::Addr(Reg::virt(addr, 0));
        }
        let message = Message {
            sfid: 12,
            eot: false,
            desc,
            ex_desc: Desc::Imm(0),
            send: Default::default(),
        };
        let two = self.random.in_100(40);
        let mut inst = Inst::new(if two { Op::Sends } else { Op::Send }, 16);
        inst.opts.no_mask = self.random.in_100(20);
        inst.message = Some(self.b.func.messages.push(message)).into();
        inst.srcs.push(self.payload(3));
        if two {
            inst.srcs.push(self.payload(3));
        }
        inst.dst = Some(Dst::null(Type::Ud));
        inst
    }

    /// A message without a result.
    fn store(&mut self) {
        let inst = self.send();
        self.b.push(inst);
    }

    /// A message with a result.
    fn message(&mut self) {
        let mut inst = self.send();
        let count = 1 + self.random.below(4);
        let list: Vec<VReg> = (0..count).map(|_| self.b.func.grf(64)).collect();
        let mut dst = Dst::new(Reg::NULL, 1, Type::Ud);
        dst.reg = Reg::new(Base::List(self.b.list(list.iter().copied())), 0);
        if self.keeps() {
            let olds: Vec<VReg> = (list.iter())
                .map(|&v| self.like(v).unwrap_or(VReg::NOTHING))
                .collect();
            dst.old = Old::List(self.b.list(olds));
        }
        inst.dst = Some(dst);
        self.b.push(inst);
        self.known.extend(list);
    }

    /// Pairs of values of equal shape, which become block parameters at a join.
    fn pairs(&mut self, first: &[VReg], second: &[VReg]) -> Vec<(VReg, VReg)> {
        let mut pairs = Vec::new();
        for _ in 0..self.random.below(4) {
            let a = self.random.pick(first);
            let b = self.random.pick(second);
            let (x, y) = (self.b.func.regs[a], self.b.func.regs[b]);
            if (x.class, x.bytes) == (y.class, y.bytes) && x.class != Class::Addr {
                pairs.push((a, b));
            }
        }
        pairs
    }

    /// Ends `from` with a jump to the current block, whose parameters get one of each pair.
    fn connect(&mut self, from: Block, to: Block, args: impl IntoIterator<Item = VReg>) {
        let current = self.b.current();
        self.b.switch_to(from);
        self.b.jump(to, args);
        self.b.switch_to(current);
    }

    /// Makes `to` the current block, with a parameter for each pair.
    fn meet(&mut self, to: Block, known: usize, pairs: &[(VReg, VReg)]) {
        self.known.truncate(known);
        self.b.switch_to(to);
        for &(a, _) in pairs {
            let param = self.b.param_like(a);
            self.known.push(param);
        }
    }

    /// A uniform flag, from channel 0 of a value.
    fn scalar_flag(&mut self) -> VReg {
        let v = self.grf();
        let mut inst = Inst::no_mask(Op::Cmp, 1);
        let zero = Src::imm(Type::Ud, 3);
        inst.srcs = [build::scalar(v, 0, Type::Ud), zero].into_iter().collect();
        inst.dst = Some(Dst::null(Type::Ud));
        let flag = self.b.flag();
        inst.cond = Some(build::cond(Cond::Lt, flag));
        self.b.push(inst);
        flag
    }

    fn scalar_if(&mut self, depth: u32) {
        let flag = self.scalar_flag();
        let (then, otherwise, after) = (self.b.block(), self.b.block(), self.b.block());
        self.b.branch(flag, then, otherwise);
        let known = self.known.len();
        self.b.switch_to(then);
        self.region(depth);
        let (then_end, then_known) = (self.b.current(), self.known.clone());
        self.known.truncate(known);
        self.b.switch_to(otherwise);
        self.region(depth);
        let (end, other_known) = (self.b.current(), self.known.clone());
        let pairs = self.pairs(&then_known, &other_known);
        self.connect(then_end, after, pairs.iter().map(|p| p.0));
        self.connect(end, after, pairs.iter().map(|p| p.1));
        self.meet(after, known, &pairs);
    }

    /// A uniform loop of a few rounds.
    fn scalar_loop(&mut self, depth: u32) {
        let count = self.b.func.grf(4);
        let mut inst = Inst::no_mask(Op::Mov, 1);
        inst.dst = Some(Dst::new(Reg::virt(count, 0), 1, Type::D));
        inst.srcs.push(Src::imm(Type::D, 2));
        self.b.push(inst);
        let (header, latch, after) = (self.b.block(), self.b.block(), self.b.block());
        let before = self.b.current();
        let start = self.known.clone();
        let vars: Vec<VReg> = (0..self.random.below(3))
            .map(|_| self.random.pick(&start))
            .collect();
        self.connect(before, header, vars.iter().copied().chain([count]));
        self.b.switch_to(header);
        let params: Vec<VReg> = vars.iter().map(|&v| self.b.param_like(v)).collect();
        let round = self.b.param_like(count);
        self.known.extend(&params);
        self.region(depth);
        let next = self.b.func.grf(4);
        let mut inst = Inst::no_mask(Op::Add, 1);
        inst.dst = Some(Dst::new(Reg::virt(next, 0), 1, Type::D));
        let minus_one = Src::imm(Type::D, 0xffff_ffff);
        inst.srcs = [build::scalar(round, 0, Type::D), minus_one]
            .into_iter()
            .collect();
        self.b.push(inst);
        let flag = self.b.flag();
        let mut inst = Inst::no_mask(Op::Cmp, 1);
        inst.srcs = [build::scalar(next, 0, Type::D), Src::imm(Type::D, 0)]
            .into_iter()
            .collect();
        inst.dst = Some(Dst::null(Type::D));
        inst.cond = Some(build::cond(Cond::Gt, flag));
        self.b.push(inst);
        self.b.branch(flag, latch, after);
        let again: Vec<VReg> = (params.iter())
            .map(|&p| self.like(p).unwrap_or(p))
            .collect();
        self.connect(latch, header, again.into_iter().chain([next]));
        // Definitions in the loop reach the code after it.
        self.b.switch_to(after);
    }

    /// A flag of the active channels.
    fn simd_flag(&mut self) -> VReg {
        let v = self.known[1 + self.random.below(2) as usize];
        let mut inst = Inst::new(Op::Cmp, 16);
        let limit = Src::imm(Type::Ud, self.random.below(u32::MAX).into());
        inst.srcs = [build::packed(v, 16, Type::Ud), limit]
            .into_iter()
            .collect();
        inst.dst = Some(Dst::null(Type::Ud));
        let flag = self.b.flag();
        inst.cond = Some(build::cond(Cond::Lt, flag));
        self.b.push(inst);
        flag
    }

    /// Ends the current block with a forward goto to `then`, and through a new block to `join`.
    fn goto(&mut self, flag: VReg, then: Block, join: Block) -> Block {
        let split = self.b.block();
        let term = Term::GotoForward {
            pred: Some(build::pred(flag)),
            exec_size: 16,
            chan_off: 0,
            uip: join,
            free_flag: Reg::NULL,
        };
        self.b.end(term, [edge(then, []), edge(split, [])]);
        split
    }

    /// Makes the current block a join, and a new block after it the current one.
    fn join(&mut self) {
        let after = self.b.block();
        self.b.end(Term::Join, [edge(after, [])]);
        self.b.switch_to(after);
    }

    fn simd_if(&mut self, depth: u32) {
        let flag = self.simd_flag();
        let (then, join) = (self.b.block(), self.b.block());
        let split = self.goto(flag, then, join);
        let start = self.known.clone();
        self.b.switch_to(then);
        self.divergent += 1;
        self.region(depth);
        self.divergent -= 1;
        let (end, then_known) = (self.b.current(), self.known.clone());
        let pairs = self.pairs(&then_known, &start);
        self.connect(end, join, pairs.iter().map(|p| p.0));
        self.connect(split, join, pairs.iter().map(|p| p.1));
        self.meet(join, start.len(), &pairs);
        self.join();
    }

    fn simd_if_else(&mut self, depth: u32) {
        let flag = self.simd_flag();
        let (then, otherwise, join) = (self.b.block(), self.b.block(), self.b.block());
        let split = self.goto(flag, then, otherwise);
        let start = self.known.clone();
        self.divergent += 1;
        self.b.switch_to(then);
        self.region(depth);
        // All active channels wait at the end; the others become active.
        let then_known = self.known.clone();
        let pairs = self.pairs(&then_known, &start);
        let term = Term::GotoForward {
            pred: None,
            exec_size: 16,
            chan_off: 0,
            uip: join,
            free_flag: Reg::NULL,
        };
        self.b
            .end(term, [edge(otherwise, pairs.iter().map(|p| p.0))]);
        self.connect(split, otherwise, pairs.iter().map(|p| p.1));
        self.meet(otherwise, start.len(), &pairs);
        let woken = self.known.clone();
        let (body, skip) = (self.b.block(), self.b.block());
        self.b.end(Term::Join, [edge(body, []), edge(skip, [])]);
        self.b.switch_to(body);
        self.region(depth);
        self.divergent -= 1;
        let (end, other_known) = (self.b.current(), self.known.clone());
        let pairs = self.pairs(&other_known, &woken);
        self.connect(end, join, pairs.iter().map(|p| p.0));
        self.connect(skip, join, pairs.iter().map(|p| p.1));
        self.meet(join, woken.len(), &pairs);
        self.join();
    }

    /// A divergent loop, which channels leave in different rounds.
    fn simd_loop(&mut self, depth: u32) {
        let id = self.known[1];
        let count = self.b.func.grf(64);
        let mut inst = Inst::new(Op::And, 16);
        inst.dst = Some(Dst::new(Reg::virt(count, 0), 1, Type::D));
        inst.srcs = [build::packed(id, 16, Type::D), Src::imm(Type::D, 3)]
            .into_iter()
            .collect();
        self.b.push(inst);
        let (header, latch, join) = (self.b.block(), self.b.block(), self.b.block());
        let before = self.b.current();
        let start = self.known.clone();
        let vars: Vec<VReg> = (0..self.random.below(3))
            .map(|_| self.random.pick(&start))
            .collect();
        self.connect(before, header, vars.iter().copied().chain([count]));
        self.b.switch_to(header);
        let params: Vec<VReg> = vars.iter().map(|&v| self.b.param_like(v)).collect();
        let round = self.b.param_like(count);
        self.known.extend(&params);
        self.divergent += 1;
        self.region(depth);
        self.divergent -= 1;
        let next = self.b.func.grf(64);
        let mut inst = Inst::new(Op::Add, 16);
        let mut dst = Dst::new(Reg::virt(next, 0), 1, Type::D);
        dst.old = Old::Reg(round);
        inst.dst = Some(dst);
        let minus_one = Src::imm(Type::D, 0xffff_ffff);
        inst.srcs = [build::packed(round, 16, Type::D), minus_one]
            .into_iter()
            .collect();
        self.b.push(inst);
        let flag = self.b.flag();
        let mut inst = Inst::new(Op::Cmp, 16);
        inst.srcs = [build::packed(next, 16, Type::D), Src::imm(Type::D, 0)]
            .into_iter()
            .collect();
        inst.dst = Some(Dst::null(Type::D));
        inst.cond = Some(build::cond(Cond::Gt, flag));
        self.b.push(inst);
        let term = Term::GotoBackward {
            pred: Some(build::pred(flag)),
            exec_size: 16,
            chan_off: 0,
        };
        self.b.end(term, [edge(latch, []), edge(join, [])]);
        let again: Vec<VReg> = (params.iter())
            .map(|&p| self.like(p).unwrap_or(p))
            .collect();
        self.connect(latch, header, again.into_iter().chain([next]));
        self.b.switch_to(join);
        self.join();
    }
}

/// Renumbers blocks so that each comes after its predecessors, except by back edges.
fn in_layout_order(func: Function) -> Function {
    let graph = kiln_machine::graph::Graph::new(&func);
    let number = |b: Block| {
        let place = graph.place(b).expect("every block is reached");
        Block::from_u32(place as u32)
    };
    let mut new = func.clone();
    new.blocks.clear();
    for &block in graph.order() {
        let mut data = func.blocks[block].clone();
        for edge in &mut data.succs {
            edge.to = number(edge.to);
        }
        if let Term::GotoForward { uip, .. } = &mut data.term {
            *uip = number(*uip);
        }
        new.blocks.push(data);
    }
    new
}
