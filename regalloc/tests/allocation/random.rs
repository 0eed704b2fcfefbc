//! Random machine functions, legal as allocation takes them, from a string of bytes.

use kiln_machine::func::{Block, BlockData, Class, Edge, Function, RegData, Term, Variable};
use kiln_machine::inst::{
    Base, CondMod, Desc, Dst, Inst, List, Message, Old, Pred, Reg, Src, VReg,
};
use kiln_platform::isa::{Cond, Op, PredCtrl, Region, Type};
use kiln_platform::platform::Platform;

/// Decisions; all nothing when the bytes are used up.
pub struct Choices<'a>(pub &'a [u8]);

impl Choices<'_> {
    /// Below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        usize::from(first) % n.max(1)
    }

    fn one_in(&mut self, n: usize) -> bool {
        !self.0.is_empty() && self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

const CLASSES: [Class; 3] = [Class::Grf, Class::Flag, Class::Addr];

fn class_index(class: Class) -> usize {
    match class {
        Class::Grf => 0,
        Class::Flag => 1,
        Class::Addr => 2,
    }
}

struct Maker<'a, 'b> {
    func: Function,
    choices: &'b mut Choices<'a>,
    /// Values that may be used, by class: those of the entry, those of variables that change, and
    /// those of the block.
    constant: [Vec<VReg>; 3],
    variables: [Vec<VReg>; 3],
    local: [Vec<VReg>; 3],
    insts: Vec<Inst>,
}

/// A function of about so many instructions in a block.
pub fn function(target: &'static Platform, choices: &mut Choices, size: usize) -> Function {
    let simd = choices.pick(&[16, 8, 32]);
    let mut m = Maker {
        func: Function::new("random", target, simd),
        choices,
        constant: Default::default(),
        variables: Default::default(),
        local: Default::default(),
        insts: Vec::new(),
    };
    m.make(size);
    m.func
}

impl Maker<'_, '_> {
    fn make(&mut self, size: usize) {
        let count = 2 + self.choices.below(9);
        let joins: Vec<bool> = (0..count)
            .map(|b| b > 0 && b + 1 < count && self.choices.one_in(3))
            .collect();
        for _ in 0..count {
            self.func.blocks.push(BlockData::new(Term::End));
        }
        // Parameters of every block but the first: one a variable.
        let kinds = [
            1 + self.choices.below(6),
            self.choices.below(4),
            self.choices.below(3),
        ];
        let mut params: Vec<[Vec<VReg>; 3]> = vec![Default::default(); count];
        let mut sizes: [Vec<u16>; 3] = Default::default();
        for (b, params) in params.iter_mut().enumerate().skip(1) {
            for class in CLASSES {
                for k in 0..kinds[class_index(class)] {
                    let v = self.reg(class);
                    if b > 1 {
                        self.func.regs[v].bytes = sizes[class_index(class)][k];
                    } else {
                        sizes[class_index(class)].push(self.func.regs[v].bytes);
                    }
                    params[class_index(class)].push(v);
                    self.func.blocks[block(b)].params.push(v);
                }
            }
        }
        let arrivals = self.choices.below(5) as u32;
        for i in 0..arrivals {
            let v = self.reg(Class::Grf);
            self.func
                .inputs
                .push((v, Some(i * 2 + 2 * u32::from(self.choices.one_in(8)) * 20)));
            self.constant[0].push(v);
        }
        self.func.inputs.dedup_by_key(|&mut (_, at)| at);
        let arrived: Vec<VReg> = self.func.inputs.iter().map(|&(v, _)| v).collect();
        self.constant[0].retain(|v| arrived.contains(v));
        let mut at_end: Vec<Vec<VReg>> = Vec::new();
        for b in 0..count {
            self.local = Default::default();
            if b == 0 {
                for class in CLASSES {
                    let most = [12, 5, 3][class_index(class)];
                    for _ in 0..1 + self.choices.below(most) {
                        let v = self.define(class);
                        self.constant[class_index(class)].push(v);
                    }
                    // Arguments have the sizes of their parameters.
                    for p in params[1][class_index(class)].clone() {
                        let bytes = self.func.regs[p].bytes;
                        let v = self.sized(class, |b| b == bytes);
                        self.variables[class_index(class)].push(v);
                    }
                }
            } else {
                self.variables = params[b].clone();
            }
            let insts = if joins[b] {
                0
            } else {
                self.choices.below(size)
            };
            for _ in 0..insts {
                self.inst();
            }
            at_end.push(
                CLASSES
                    .iter()
                    .flat_map(|&c| self.variables[class_index(c)].clone())
                    .collect(),
            );
            self.end(b, count, &joins);
            self.func.blocks[block(b)].insts = std::mem::take(&mut self.insts);
        }
        for (b, args) in at_end.into_iter().enumerate() {
            let mut succs = std::mem::take(&mut self.func.blocks[block(b)].succs);
            let two = succs.len() > 1;
            for edge in &mut succs {
                if !two {
                    edge.args = args.iter().copied().collect();
                    continue;
                }
                // A block of its own on the edge.
                let mut between = BlockData::new(Term::Jump);
                let to = Edge {
                    to: edge.to,
                    args: args.iter().copied().collect(),
                };
                between.succs.push(to);
                edge.to = self.func.blocks.push(between);
            }
            self.func.blocks[block(b)].succs = succs;
        }
    }

    fn reg(&mut self, class: Class) -> VReg {
        let bytes = match class {
            Class::Grf => self.func.target.unit_bytes() as u16,
            Class::Flag => self.choices.pick(&[2, 2, 4]),
            Class::Addr => self.choices.pick(&[2, 4, 16, 32]),
        };
        self.func.regs.push(RegData {
            class,
            bytes,
            align: if class == Class::Addr { 4 } else { 1 },
            uniform: false,
            variable: Variable::NONE,
        })
    }

    fn end(&mut self, b: usize, count: usize, joins: &[bool]) {
        let any = |choices: &mut Choices| match choices.one_in(2) {
            true if b + 1 < count => b + 1,
            _ => 1 + choices.below(count - 1),
        };
        let (first, second) = (any(self.choices), any(self.choices));
        let mut to = |list: &[usize]| {
            for &t in list {
                let edge = Edge {
                    to: block(t),
                    args: Default::default(),
                };
                self.func.blocks[block(b)].succs.push(edge);
            }
        };
        if joins[b] {
            match self.choices.one_in(2) {
                true => to(&[first]),
                false => to(&[first, second]),
            }
            self.func.blocks[block(b)].term = Term::Join;
            return;
        }
        if b + 1 == count {
            return;
        }
        let (exec_size, chan_off) = match self.func.simd {
            32 => self.choices.pick(&[(32, 0), (16, 16)]),
            simd => (simd, 0),
        };
        let join = (0..count).filter(|&b| joins[b]).nth(self.choices.below(2));
        let kind = self.choices.below(8);
        let term = match (kind, join) {
            (0, _) => {
                to(&[first]);
                Term::Jump
            }
            (1, _) => {
                to(&[first, second]);
                Term::Branch { pred: self.pred(1) }
            }
            (2 | 3, Some(join)) => {
                to(&[first, join]);
                Term::GotoForward {
                    pred: Some(self.pred(exec_size + chan_off)),
                    exec_size,
                    chan_off,
                    uip: block(join),
                    free_flag: Reg::NULL,
                }
            }
            (4 | 5, Some(join)) => {
                match self.choices.one_in(2) {
                    true => to(&[join]),
                    false => to(&[first, join]),
                }
                Term::GotoForward {
                    pred: None,
                    exec_size,
                    chan_off,
                    uip: block(join),
                    free_flag: Reg::NULL,
                }
            }
            (6, Some(join)) => {
                to(&[first, join]);
                Term::GotoBackward {
                    pred: Some(self.pred(exec_size + chan_off)),
                    exec_size,
                    chan_off,
                }
            }
            _ => {
                to(&[first]);
                Term::GotoBackward {
                    pred: None,
                    exec_size,
                    chan_off,
                }
            }
        };
        self.func.blocks[block(b)].term = term;
    }

    /// A value of a class that is there, if any is.
    fn value(&mut self, class: Class) -> VReg {
        self.sized(class, |_| true)
    }

    /// A value whose bytes are right.
    fn sized(&mut self, class: Class, right: impl Fn(u16) -> bool) -> VReg {
        let c = class_index(class);
        let lists = [&self.local[c], &self.variables[c], &self.constant[c]];
        let fits = |v: &&VReg| right(self.func.regs[**v].bytes);
        let lists = lists.map(|l| l.iter().filter(fits).copied().collect::<Vec<VReg>>());
        let full: Vec<&Vec<VReg>> = lists.iter().filter(|l| !l.is_empty()).collect();
        if full.is_empty() {
            let sizes = [2, 4, 16, 32, 64];
            let bytes = sizes.into_iter().find(|&b| right(b)).unwrap_or(64);
            let v = self.reg(class);
            self.func.regs[v].bytes = bytes;
            self.insts.push(Inst::undef(v));
            return v;
        }
        let list = full[self.choices.below(full.len())].clone();
        // Mostly what is new.
        match self.choices.one_in(3) {
            true => self.choices.pick(&list),
            false => list[list.len() - 1 - self.choices.below(list.len().min(3))],
        }
    }

    /// A predicate of so many channels.
    fn pred(&mut self, channels: u8) -> Pred {
        let bytes = if channels > 16 { 4 } else { 2 };
        Pred {
            flag: Reg::virt(self.sized(Class::Flag, |b| b >= bytes), 0),
            inverse: self.choices.one_in(2),
            ctrl: self
                .choices
                .pick(&[PredCtrl::Normal, PredCtrl::Any(16), PredCtrl::All(8)]),
        }
    }

    /// A value without uses yet.
    fn define(&mut self, class: Class) -> VReg {
        let v = self.reg(class);
        if self.choices.one_in(12) {
            self.insts.push(Inst::undef(v));
            return v;
        }
        let (size, ty) = match class {
            Class::Grf => (16, Type::Ud),
            Class::Flag if self.func.regs[v].bytes == 4 => (1, Type::Ud),
            Class::Flag => (1, Type::Uw),
            Class::Addr => ((self.func.regs[v].bytes / 2) as u8, Type::Uw),
        };
        let mut inst = Inst::no_mask(Op::Mov, size);
        inst.dst = Some(Dst::new(Reg::virt(v, 0), 1, ty));
        inst.srcs.push(Src::imm(ty, 7));
        self.insts.push(inst);
        v
    }

    /// A new value, in the place of an old one or not.
    fn result(&mut self, class: Class) -> (VReg, Option<VReg>) {
        let v = self.reg(class);
        let bytes = self.func.regs[v].bytes;
        let old = self
            .choices
            .one_in(2)
            .then(|| self.sized(class, |b| b == bytes));
        (v, old)
    }

    /// The value is there for what follows.
    fn keep(&mut self, v: VReg) {
        let class = self.func.regs[v].class;
        let c = class_index(class);
        if !self.variables[c].is_empty() && self.choices.one_in(3) {
            let at = self.choices.below(self.variables[c].len());
            let bytes = |v: VReg| self.func.regs[v].bytes;
            if bytes(self.variables[c][at]) == bytes(v) {
                self.variables[c][at] = v;
            }
        }
        self.local[c].push(v);
    }

    fn source(&mut self, size: u8, ty: Type) -> Src {
        let v = self.value(Class::Grf);
        let region = self.choices.pick(&[
            Region::packed(size),
            Region::packed(size),
            Region::SCALAR,
            Region::new(2, 1, 0),
        ]);
        let room = 64 / u32::from(size) / ty.bytes();
        let region = match region.vstride {
            Some(2) if room < 2 => Region::packed(size),
            _ => region,
        };
        let byte = match region == Region::SCALAR {
            true => self.choices.below(8) as u32 * 8,
            false if u32::from(size) * ty.bytes() <= 16 => self.choices.pick(&[0, 32]),
            false => 0,
        };
        Src::reg(Reg::virt(v, byte), region, ty)
    }

    fn over(old: Option<VReg>) -> Old {
        old.map_or(Old::None, Old::Reg)
    }

    fn inst(&mut self) {
        match self.choices.below(16) {
            0..=4 => self.arithmetic(),
            5 | 6 => self.compare(),
            7 | 8 => self.flags(),
            9 | 10 => self.addresses(),
            11 | 12 => self.indirect(),
            13 => {
                let class = self.choices.pick(&CLASSES);
                let v = self.define(class);
                self.keep(v);
            }
            _ => self.send(),
        }
    }

    fn arithmetic(&mut self) {
        let (size, ty, to) = self.choices.pick(&[
            (16, Type::Ud, Type::Ud),
            (8, Type::Ud, Type::Ud),
            (8, Type::Uq, Type::Uq),
            (1, Type::Ud, Type::Ud),
            (8, Type::Ud, Type::Uq),
            (16, Type::Uw, Type::Ud),
            (8, Type::Uw, Type::Uw),
        ]);
        let count = 1 + self.choices.below(3);
        let op = [Op::Mov, Op::Add, Op::Mad][count - 1];
        let mut inst = Inst::new(op, size);
        inst.opts.no_mask = self.choices.one_in(3);
        for _ in 0..count {
            let src = self.source(size, ty);
            inst.srcs.push(src);
        }
        if self.choices.one_in(4) {
            inst.pred = Some(self.pred(size));
        }
        let (v, old) = self.result(Class::Grf);
        let byte = match u32::from(size) * to.bytes() <= 32 {
            true => self.choices.pick(&[0, 32]),
            false => 0,
        };
        let mut dst = Dst::new(Reg::virt(v, byte), 1, to);
        dst.old = Self::over(old);
        inst.dst = Some(dst);
        self.insts.push(inst);
        self.keep(v);
    }

    fn compare(&mut self) {
        let (size, off, ty) = self.choices.pick(&[
            (16, 0, Type::Ud),
            (8, 0, Type::Ud),
            (32, 0, Type::Uw),
            (16, 16, Type::Ud),
            (8, 8, Type::Ud),
        ]);
        let mut inst = Inst::new(Op::Cmp, size);
        inst.chan_off = off;
        for _ in 0..2 {
            let src = self.source(size, ty);
            inst.srcs.push(src);
        }
        let v = self.reg(Class::Flag);
        if size + off > 16 {
            self.func.regs[v].bytes = 4;
        }
        let bytes = self.func.regs[v].bytes;
        let mut old = None;
        if self.choices.one_in(2) {
            old = Some(self.sized(Class::Flag, |b| b == bytes));
        }
        if self.choices.one_in(3) {
            let flag = match old {
                Some(old) => old,
                None => self.sized(Class::Flag, |b| b == bytes),
            };
            inst.pred = Some(Pred {
                flag: Reg::virt(flag, 0),
                inverse: self.choices.one_in(2),
                ctrl: PredCtrl::Normal,
            });
        }
        inst.dst = Some(Dst::null(ty));
        if self.choices.one_in(3) {
            let (d, over) = self.result(Class::Grf);
            let mut dst = Dst::new(Reg::virt(d, 0), 1, ty);
            dst.old = Self::over(over);
            inst.dst = Some(dst);
            self.keep(d);
        }
        inst.cond = Some(CondMod {
            cond: Cond::Lt,
            flag: Reg::virt(v, 0),
            old: old.into(),
        });
        self.insts.push(inst);
        self.keep(v);
    }

    /// Flags as operands.
    fn flags(&mut self) {
        let sources = 1 + self.choices.below(2);
        let mut inst = Inst::no_mask([Op::Mov, Op::And][sources - 1], 1);
        for _ in 0..sources {
            let src = match self.choices.one_in(4) {
                true => self.source(1, Type::Uw),
                false => {
                    let v = self.value(Class::Flag);
                    Src::reg(Reg::virt(v, 0), Region::SCALAR, Type::Uw)
                }
            };
            inst.srcs.push(src);
        }
        let class = self.choices.pick(&[Class::Flag, Class::Flag, Class::Grf]);
        let (v, old) = self.result(class);
        let mut dst = Dst::new(Reg::virt(v, 0), 1, Type::Uw);
        dst.old = Self::over(old);
        inst.dst = Some(dst);
        if self.choices.one_in(4) {
            inst.pred = Some(self.pred(1));
        }
        self.insts.push(inst);
        self.keep(v);
    }

    /// Parts of the address register from general ones and back.
    fn addresses(&mut self) {
        let (v, old) = self.result(Class::Addr);
        let words = self.func.regs[v].bytes / 2;
        let size = self.choices.pick(&[1, words as u8]);
        let byte = self.choices.below(usize::from(words) / usize::from(size)) as u32 * 2;
        let byte = if u32::from(size) == 1 { byte } else { 0 };
        let mut inst = Inst::no_mask(Op::Mov, size);
        let src = match self.choices.one_in(4) {
            true => {
                let from = self.value(Class::Addr);
                Src::reg(Reg::virt(from, 0), Region::SCALAR, Type::Uw)
            }
            false => self.source(size, Type::Uw),
        };
        inst.srcs.push(src);
        let mut dst = Dst::new(Reg::virt(v, byte), 1, Type::Uw);
        // Bytes that are not written need old contents, since later instructions read them.
        dst.old = match size == words as u8 {
            true => Self::over(old),
            false => {
                let bytes = self.func.regs[v].bytes;
                Old::Reg(self.sized(Class::Addr, |b| b == bytes))
            }
        };
        inst.dst = Some(dst);
        self.insts.push(inst);
        self.keep(v);
    }

    fn indirect(&mut self) {
        let a = self.value(Class::Addr);
        let size = self.choices.pick(&[1, 8]);
        let mut inst = Inst::new(Op::Mov, size);
        let mut src = Src::reg(Reg::virt(a, 0), Region::packed(size), Type::Ud);
        if let Src::Reg(r) = &mut src {
            r.indirect = Some(16);
        }
        let (v, old) = self.result(Class::Grf);
        let mut dst = Dst::new(Reg::virt(v, 0), 1, Type::Ud);
        dst.old = Self::over(old);
        if self.choices.one_in(3) {
            dst.indirect = Some(32);
            dst.old = Old::None;
            dst.reg = Reg::virt(self.value(Class::Addr), 0);
            src = self.source(size, Type::Ud);
        }
        inst.srcs.push(src);
        inst.dst = Some(dst);
        self.insts.push(inst);
        if inst.dst.is_some_and(|d| d.indirect.is_none()) {
            self.keep(v);
        }
    }

    fn list(&mut self, count: usize) -> Reg {
        let list: Vec<VReg> = (0..count).map(|_| self.value(Class::Grf)).collect();
        if count == 1 {
            return Reg::virt(list[0], 0);
        }
        let list: List = self.func.lists.push(list.into_iter().collect());
        Reg::new(Base::List(list), 0)
    }

    fn send(&mut self) {
        let lens = [
            1 + self.choices.below(4),
            self.choices.below(4),
            self.choices.below(5),
        ];
        let mut inst = Inst::new(if lens[1] > 0 { Op::Sends } else { Op::Send }, 16);
        for &len in &lens[..2] {
            if len > 0 {
                let reg = self.list(len);
                inst.srcs.push(Src::reg(reg, Region::packed(8), Type::Ud));
            }
        }
        let mut dst = Dst::null(Type::Ud);
        let mut results = Vec::new();
        if lens[2] > 0 {
            results = (0..lens[2]).map(|_| self.reg(Class::Grf)).collect();
            let old = self.choices.one_in(2);
            let olds: Vec<VReg> = (0..lens[2])
                .map(|_| match old && self.choices.one_in(2) {
                    true => self.value(Class::Grf),
                    false => VReg::NOTHING,
                })
                .collect();
            if let [v] = results[..] {
                dst.reg = Reg::virt(v, 0);
                dst.old = match olds[0] {
                    VReg::NOTHING => Old::None,
                    old => Old::Reg(old),
                };
            } else {
                let list = self.func.lists.push(results.iter().copied().collect());
                dst.reg = Reg::new(Base::List(list), 0);
                if old {
                    dst.old = Old::List(self.func.lists.push(olds.into_iter().collect()));
                }
            }
        }
        inst.dst = Some(dst);
        let desc = (lens[0] as u32 * 2) << 25 | (lens[2] as u32 * 2) << 20;
        let desc = match self.choices.one_in(4) {
            true => {
                let a = self.reg(Class::Addr);
                self.func.regs[a].bytes = 4;
                let mut mov = Inst::no_mask(Op::Mov, 1);
                mov.dst = Some(Dst::new(Reg::virt(a, 0), 1, Type::Ud));
                mov.srcs.push(Src::imm(Type::Ud, desc.into()));
                self.insts.push(mov);
                Desc::Addr(Reg::virt(a, 0))
            }
            false => Desc::Imm(desc),
        };
        let message = Message {
            sfid: 12,
            eot: false,
            desc,
            ex_desc: Desc::Imm(12 | (lens[1] as u32 * 2) << 6),
            send: Default::default(),
        };
        inst.message = self.func.messages.push(message).into();
        if self.choices.one_in(3) {
            inst.pred = Some(self.pred(16));
        }
        self.insts.push(inst);
        for v in results {
            self.keep(v);
        }
    }
}

fn block(n: usize) -> Block {
    Block::from_u32(n as u32)
}
