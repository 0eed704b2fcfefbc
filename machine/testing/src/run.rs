//! An interpreter of machine IR, which compares a function before and after a pass.
//!
//! The observable behaviour of a function is its messages. Undefined bits are *poison*: results that depend on them are
//! poison, too, and a pass may change them in any way. Results of messages are made up from the number of the message,
//! or from its contents. A copy passes poison on byte by byte.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use kiln_platform::isa::{Cond, Op, PredCtrl, RegFile, SrcMod, Type};

use kiln_machine::func::{Block, Function, Term};
use kiln_machine::inst::{Base, Desc, Imm, Inst, Opcode, Pred, Reg, Src, SrcReg, VReg};

/// A byte with its poison bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Byte {
    value: u8,
    poison: u8,
}

const POISON: Byte = Byte {
    value: 0,
    poison: 0xff,
};

impl Byte {
    fn known(value: u8) -> Byte {
        Byte { value, poison: 0 }
    }

    /// True if `self` may replace `other`.
    fn refines(self, other: Byte) -> bool {
        (self.value ^ other.value) & !other.poison == 0 && self.poison & !other.poison == 0
    }
}

/// A sent message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sent {
    /// Shared function and descriptors.
    pub what: Vec<Byte>,
    /// The active channels.
    pub mask: u32,
    /// The payload; bytes of inactive channels are poison.
    pub payload: Vec<Byte>,
}

/// The reason of an early stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The fuel is used up.
    Fuel,
    /// A branch depends on poison.
    Poison,
    /// An unknown operation.
    Unknown,
}

/// The source of messages' results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answers {
    Number,
    Contents,
}

/// Runs a function for at most `fuel` instructions.
pub fn run(func: &Function, fuel: usize) -> (Vec<Sent>, Result<(), Stop>) {
    run_with(func, fuel, Answers::Number)
}

fn run_with(func: &Function, fuel: usize, answers: Answers) -> (Vec<Sent>, Result<(), Stop>) {
    let mut machine = Machine {
        func,
        regs: vec![Vec::new(); func.regs.len()],
        physical: HashMap::new(),
        active: u32::MAX >> (32 - u32::from(func.simd.clamp(1, 32))),
        waiting: Vec::new(),
        sent: Vec::new(),
        answers,
    };
    for (n, &(v, grf)) in (0..).zip(&func.inputs) {
        let grf = grf.unwrap_or(n);
        let bytes = 0..u32::from(func.regs[v].bytes);
        let byte = |n: u32| Byte::known(made_up(grf, n));
        machine.regs[v.as_u32() as usize] = bytes.map(byte).collect();
    }
    let result = machine.run(fuel);
    if result == Ok(()) {
        // Final contents of physical registers count as one more message.
        let mut places: Vec<_> = machine.physical.into_iter().collect();
        places.sort_unstable_by_key(|&(place, _)| place);
        machine.sent.push(Sent {
            what: Vec::new(),
            mask: 0,
            payload: places.into_iter().map(|(_, byte)| byte).collect(),
        });
    }
    (machine.sent, result)
}

/// Checks that `after` behaves as `before`, apart from poison.
///
/// # Errors
/// The first difference.
pub fn compare(before: &Function, after: &Function) -> Result<(), String> {
    const FUEL: usize = 20_000;
    let (sent, result) = run(before, FUEL);
    let (sent_after, result_after) = run(after, FUEL + FUEL / 4);
    for (n, (a, b)) in sent.iter().zip(&sent_after).enumerate() {
        let of = |a: &Sent| (a.mask, a.what.len(), a.payload.len());
        if of(a) != of(b) {
            return Err(format!("message {n} was {a:?} and is {b:?}"));
        }
        let bytes = |a: &Sent| a.what.iter().chain(&a.payload).copied().collect::<Vec<_>>();
        let pairs = bytes(a).into_iter().zip(bytes(b));
        if let Some((at, (a, b))) = pairs.enumerate().find(|(_, (a, b))| !b.refines(*a)) {
            return Err(format!("byte {at} of message {n} was {a:?} and is {b:?}"));
        }
    }
    let enough = sent_after.len() >= sent.len();
    let same = result != Ok(()) || (result_after == Ok(()) && sent_after.len() == sent.len());
    if !enough || !same {
        let (was, is) = (sent.len(), sent_after.len());
        return Err(format!(
            "{was} messages and {result:?} were, {is} and {result_after:?} are"
        ));
    }
    Ok(())
}

/// Checks that `after` behaves as `before`, apart from poison and the order of messages. The results of these depend
/// on their contents only.
///
/// # Errors
/// The first message, ordered by contents, that only one of the two sends.
pub fn compare_in_any_order(before: &Function, after: &Function) -> Result<(), String> {
    const FUEL: usize = 20_000;
    let [was, is] = [before, after].map(|func| {
        let (mut sent, result) = run_with(func, FUEL, Answers::Contents);
        sent.sort_unstable();
        (sent, result)
    });
    if was.1 == Err(Stop::Fuel) || was == is {
        return Ok(());
    }
    let differ = was.0.iter().zip(&is.0).find(|(a, b)| a != b);
    let texts =
        differ.map(|(a, b)| [a, b].map(|sent| format!("{:?}, {:#x}", sent.what, sent.mask)));
    Err(format!(
        "{} messages and {:?} were, {} and {:?} are; {texts:?}",
        was.0.len(),
        was.1,
        is.0.len(),
        is.1
    ))
}

fn made_up(a: u32, b: u32) -> u8 {
    let x = (a.wrapping_mul(0x9e37_79b9) ^ b.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0xc2b2_ae35);
    // Small numbers and equal ones are frequent.
    if x >> 29 == 0 { 0 } else { (x >> 13) as u8 }
}

/// The value of an element.
#[derive(Clone, Copy)]
enum Value {
    Int(i128),
    Float(f32),
}

struct Machine<'a> {
    func: &'a Function,
    regs: Vec<Vec<Byte>>,
    physical: HashMap<u32, Byte>,
    active: u32,
    /// Waiting channels, by the block of the join.
    waiting: Vec<(Block, u32)>,
    sent: Vec<Sent>,
    answers: Answers,
}

impl Machine<'_> {
    fn run(&mut self, mut fuel: usize) -> Result<(), Stop> {
        let func = self.func;
        let mut block = func.entry();
        loop {
            let data = &func.blocks[block];
            fuel = fuel.checked_sub(data.insts.len() + 1).ok_or(Stop::Fuel)?;
            for inst in &data.insts {
                self.inst(inst)?;
            }
            let Some(n) = self.term(block)? else {
                return Ok(());
            };
            let edge = &data.succs[n];
            let values: Vec<_> = (edge.args.iter())
                .map(|v| self.regs[v.as_u32() as usize].clone())
                .collect();
            for (param, value) in func.blocks[edge.to].params.iter().zip(values) {
                self.regs[param.as_u32() as usize] = value;
            }
            block = edge.to;
        }
    }

    /// The next successor.
    fn term(&mut self, block: Block) -> Result<Option<usize>, Stop> {
        let data = &self.func.blocks[block];
        let last = data.succs.len().saturating_sub(1);
        Ok(Some(match &data.term {
            Term::Jump => 0,
            Term::Branch { pred } => match self.predicate(pred, 0, 0)? {
                Some(true) => 0,
                Some(false) => 1,
                None => return Err(Stop::Poison),
            },
            Term::GotoForward {
                pred,
                chan_off,
                uip,
                ..
            } => {
                let leave = self.holds(pred, *chan_off)?;
                self.waiting.push((*uip, leave));
                self.active &= !leave;
                if self.active != 0 { 0 } else { last }
            }
            Term::GotoBackward { pred, chan_off, .. } => {
                let again = self.holds(pred, *chan_off)?;
                if again == 0 {
                    last
                } else {
                    if let Some(edge) = data.succs.get(1) {
                        let next = &self.func.blocks[edge.to];
                        let join = match (&next.term, next.succs.first()) {
                            (Term::Jump, Some(edge)) => edge.to,
                            _ => edge.to,
                        };
                        self.waiting.push((join, self.active & !again));
                    }
                    self.active = again;
                    0
                }
            }
            Term::Join => {
                let active = &mut self.active;
                self.waiting.retain(|&(at, channels)| {
                    if at == block {
                        *active |= channels;
                    }
                    at != block
                });
                if self.active != 0 { 0 } else { last }
            }
            Term::End | Term::Return => return Ok(None),
        }))
    }

    /// Active channels for which a goto's predicate holds.
    fn holds(&mut self, pred: &Option<Pred>, chan_off: u8) -> Result<u32, Stop> {
        let Some(pred) = pred else {
            return Ok(self.active);
        };
        let mut mask = 0;
        for channel in (0..32).filter(|c| self.active >> c & 1 == 1) {
            match self.predicate(pred, channel - chan_off, chan_off)? {
                Some(true) => mask |= 1 << channel,
                Some(false) => {}
                None => return Err(Stop::Poison),
            }
        }
        Ok(mask)
    }

    /// A bit of a predicate; `None` is poison.
    fn predicate(&self, pred: &Pred, channel: u8, off: u8) -> Result<Option<bool>, Stop> {
        if pred.ctrl != PredCtrl::Normal {
            return Err(Stop::Unknown);
        }
        let bit = u32::from(channel + off);
        let byte = self.read(pred.flag, bit / 8)?;
        let known = byte.poison >> (bit % 8) & 1 == 0;
        Ok(known.then_some((byte.value >> (bit % 8) & 1 == 1) != pred.inverse))
    }

    /// The byte at an offset from an operand's start.
    fn read(&self, reg: Reg, byte: u32) -> Result<Byte, Stop> {
        let at = reg.byte() + byte;
        let of = |v: VReg, at: u32| {
            let bytes = &self.regs[v.as_u32() as usize];
            bytes.get(at as usize).copied().unwrap_or(POISON)
        };
        Ok(match reg.base() {
            Base::Null => POISON,
            Base::Virt(v) => of(v, at),
            Base::List(list) => {
                let unit = self.func.target.unit_bytes();
                let list = &self.func.lists[list];
                (list.get((at / unit) as usize)).map_or(POISON, |&v| of(v, at % unit))
            }
            Base::Phys(RegFile::Grf, n) => {
                let place = (u32::from(n) * self.func.target.grf_bytes) + at;
                let known = Byte::known(made_up(7, place));
                self.physical.get(&place).copied().unwrap_or(known)
            }
            Base::Phys(..) => return Err(Stop::Unknown),
        })
    }

    fn write(&mut self, reg: Reg, byte: u32, value: Byte) -> Result<(), Stop> {
        let at = reg.byte() + byte;
        let (v, at) = match reg.base() {
            Base::Null => return Ok(()),
            Base::Virt(v) => (v, at),
            Base::List(list) => {
                let unit = self.func.target.unit_bytes();
                (self.func.lists[list][(at / unit) as usize], at % unit)
            }
            Base::Phys(RegFile::Grf, n) => {
                let place = (u32::from(n) * self.func.target.grf_bytes) + at;
                self.physical.insert(place, value);
                return Ok(());
            }
            Base::Phys(..) => return Err(Stop::Unknown),
        };
        if let Some(place) = self.regs[v.as_u32() as usize].get_mut(at as usize) {
            *place = value;
        }
        Ok(())
    }

    fn inst(&mut self, inst: &Inst) -> Result<(), Stop> {
        let op = inst.gen_op();
        if inst.is_call() || inst.op == Opcode::Results {
            return Err(Stop::Unknown);
        }
        if op.is_some_and(Op::is_send) {
            return self.send(inst);
        }
        let channels: Vec<Channel> = match op {
            None => Vec::new(),
            Some(op) => (0..inst.exec_size)
                .map(|n| self.channel(inst, op, n))
                .collect::<Result<_, Stop>>()?,
        };
        self.begin(inst);
        if inst.op == Opcode::Undef {
            return Ok(());
        }
        for (n, channel) in channels.into_iter().enumerate() {
            let (value, copied, enabled) = match channel {
                Channel::Off => continue,
                Channel::Maybe => (None, None, false),
                Channel::On(value) => (value, None, true),
                Channel::Copied(bytes) => (None, Some(bytes), true),
            };
            if let Some(dst) = &inst.dst {
                if dst.indirect.is_some() {
                    return Err(Stop::Unknown);
                }
                let bytes = dst.ty.bytes();
                let first = n as u32 * u32::from(dst.hstride) * bytes;
                let stored = value.map(|v| encode(v, dst.ty, inst.opts.saturate));
                for byte in 0..bytes {
                    let known = stored.map(|bits| Byte::known((bits >> (8 * byte)) as u8));
                    let copied = copied.map(|bytes: [Byte; 8]| bytes[byte as usize]);
                    self.write(dst.reg, first + byte, copied.or(known).unwrap_or(POISON))?;
                }
            }
            if let Some(cond) = &inst.cond
                && op != Some(Op::Sel)
            {
                let ty = inst.dst.map_or(Type::Ud, |d| d.ty);
                let result = match op {
                    Some(Op::Cmp) => value.map(|v| matches!(v, Value::Int(-1))),
                    _ => value.map(|v| {
                        let stored = decode(encode(v, ty, inst.opts.saturate), ty);
                        holds(cond.cond, stored, Value::Int(0))
                    }),
                };
                let bit = u32::from(inst.chan_off) + n as u32;
                let mut byte = self.read(cond.flag, bit / 8)?;
                let one = 1 << (bit % 8);
                match result.filter(|_| enabled) {
                    Some(set) => {
                        byte.poison &= !one;
                        byte.value = byte.value & !one | if set { one } else { 0 };
                    }
                    None => byte.poison |= one,
                }
                self.write(cond.flag, bit / 8, byte)?;
            }
        }
        Ok(())
    }

    /// Copies old contents to each defined register.
    fn begin(&mut self, inst: &Inst) {
        let mut new = Vec::new();
        self.func.visit(inst, |v, role| {
            if role.is_def() {
                let bytes = self.func.regs[v].bytes.into();
                let old = role.old().map(|v| self.regs[v.as_u32() as usize].clone());
                new.push((v, old.unwrap_or_else(|| vec![POISON; bytes])));
            }
        });
        for (v, bytes) in new {
            self.regs[v.as_u32() as usize] = bytes;
        }
    }

    fn channel(&self, inst: &Inst, op: Op, n: u8) -> Result<Channel, Stop> {
        let enabled = inst.opts.no_mask || self.active >> (inst.chan_off + n) & 1 == 1;
        if !enabled {
            return Ok(Channel::Off);
        }
        let pred = match &inst.pred {
            Some(pred) => self.predicate(pred, n, inst.chan_off)?,
            None => Some(true),
        };
        if op != Op::Sel {
            match pred {
                Some(false) => return Ok(Channel::Off),
                None => return Ok(Channel::Maybe),
                Some(true) => {}
            }
        }
        if let Some((src, bytes)) = copy(inst) {
            let mut copied = [POISON; 8];
            for (byte, to) in (0..bytes).zip(&mut copied) {
                *to = self.read(src.reg, src.element(n.into()) + byte)?;
            }
            return Ok(Channel::Copied(copied));
        }
        let mut values = [None; 3];
        for (i, src) in inst.srcs.iter().enumerate() {
            values[i] = self.element(op, src, n)?;
        }
        let [a, b, _] = values;
        Ok(Channel::On(match op {
            Op::Mov => a,
            Op::Sel => match pred {
                Some(first) => {
                    if first {
                        a
                    } else {
                        b
                    }
                }
                None => None,
            },
            Op::Not => match a {
                Some(Value::Int(a)) => Some(Value::Int(!a)),
                _ => None,
            },
            _ => match (a, b) {
                (Some(a), Some(b)) => Some(self.two(inst, op, a, b)?),
                _ => None,
            },
        }))
    }

    fn two(&self, inst: &Inst, op: Op, a: Value, b: Value) -> Result<Value, Stop> {
        if op == Op::Cmp {
            let cond = inst.cond.ok_or(Stop::Unknown)?.cond;
            return Ok(Value::Int(-i128::from(holds(cond, a, b))));
        }
        let (a, b) = match (a, b) {
            (Value::Int(a), Value::Int(b)) => (a, b),
            (Value::Float(a), Value::Float(b)) => {
                let v = match op {
                    Op::Add => a + b,
                    Op::Mul => a * b,
                    _ => return Err(Stop::Unknown),
                };
                // The result of two NaNs may be either.
                return Ok(Value::Float(if v.is_nan() { f32::NAN } else { v }));
            }
            _ => return Err(Stop::Unknown),
        };
        // Shifts are 64 bits wide by the first source or the destination; the type of the count does not matter.
        let wide =
            inst.srcs[0].ty().bytes() == 8 || inst.dst.is_some_and(|dst| dst.ty.bytes() == 8);
        let shift = (b & if wide { 63 } else { 31 }) as u32;
        let bits = if wide { 64 } else { 32 };
        Ok(Value::Int(match op {
            Op::Add => a + b,
            Op::Mul => a.wrapping_mul(b),
            Op::Avg => (a + b + 1) >> 1,
            Op::And => a & b,
            Op::Or => a | b,
            Op::Xor => a ^ b,
            Op::Shl => a << shift,
            Op::Asr => a >> shift,
            Op::Shr => (a & ((1 << bits) - 1)) >> shift,
            _ => return Err(Stop::Unknown),
        }))
    }

    /// Element `n` of a source; `None` is poison.
    fn element(&self, op: Op, src: &Src, n: u8) -> Result<Option<Value>, Stop> {
        let src = match src {
            Src::Imm(imm) => return Ok(Some(immediate(*imm)?)),
            Src::Reg(src) => src,
        };
        let SrcReg {
            reg, ty, modifier, ..
        } = *src;
        if src.indirect.is_some() || src.mme.is_some() {
            return Err(Stop::Unknown);
        }
        let mut bits = 0u64;
        for byte in 0..ty.bytes() {
            let found = self.read(reg, src.element(n.into()) + byte)?;
            if found.poison != 0 {
                return Ok(None);
            }
            bits |= u64::from(found.value) << (8 * byte);
        }
        Ok(Some(match decode(bits, ty) {
            Value::Int(v) if op.is_bitwise() => Value::Int(if modifier.neg { !v } else { v }),
            Value::Int(v) => {
                let v = if modifier.abs { v.abs() } else { v };
                Value::Int(if modifier.neg { -v } else { v })
            }
            Value::Float(v) => {
                let v = if modifier.abs { v.abs() } else { v };
                Value::Float(if modifier.neg { -v } else { v })
            }
        }))
    }

    fn send(&mut self, inst: &Inst) -> Result<(), Stop> {
        let func = self.func;
        let id = inst.message.expand().ok_or(Stop::Unknown)?;
        let message = &func.messages[id];
        let mut what = vec![Byte::known(message.sfid)];
        for desc in [message.desc, message.ex_desc] {
            for n in 0..4 {
                what.push(match desc {
                    Desc::Imm(bits) => Byte::known((bits >> (8 * n)) as u8),
                    Desc::Addr(reg) => self.read(reg, n)?,
                });
            }
        }
        let mask = if inst.opts.no_mask {
            u32::MAX
        } else {
            self.active
        };
        if inst.pred.is_some() {
            return Err(Stop::Unknown);
        }
        // Each channel has a dword of each register.
        let belongs = |byte: u32| mask >> (byte / 4 % u32::from(inst.exec_size)) & 1 == 1;
        let unit = func.target.unit_bytes();
        let mut payload = Vec::new();
        for src in inst.srcs.iter().filter_map(Src::as_reg) {
            for byte in 0..func.registers(&src.reg.base()).len() as u32 * unit {
                payload.push(match belongs(byte) {
                    true => self.read(src.reg, byte)?,
                    false => POISON,
                });
            }
        }
        let sent = Sent {
            what,
            mask,
            payload,
        };
        let number = match self.answers {
            Answers::Number => self.sent.len() as u32 + 1,
            Answers::Contents => {
                BuildHasherDefault::<DefaultHasher>::default().hash_one(&sent) as u32
            }
        };
        self.sent.push(sent);
        self.begin(inst);
        if let Some(dst) = &inst.dst {
            let registers = func.registers(&dst.reg.base()).len() as u32;
            for byte in (0..registers * unit).filter(|&byte| belongs(byte)) {
                self.write(dst.reg, byte, Byte::known(made_up(number, byte)))?;
            }
        }
        Ok(())
    }
}

/// An operation in one channel.
enum Channel {
    Off,
    /// True if an operand is poison.
    Maybe,
    /// The result, or poison.
    On(Option<Value>),
    /// The result of a copy, some bytes of which may be poison.
    Copied([Byte; 8]),
}

/// The source of an instruction that copies bits, and the bytes of an element.
fn copy(inst: &Inst) -> Option<(&SrcReg, u32)> {
    let [Src::Reg(src)] = &inst.srcs[..] else {
        return None;
    };
    let to = inst.dst?.ty;
    let same = src.ty == to || src.ty.bytes() == to.bytes() && !src.ty.is_float() && !to.is_float();
    let plain = inst.cond.is_none() && !inst.opts.saturate && src.modifier == SrcMod::default();
    let direct = src.indirect.is_none() && src.mme.is_none();
    let is_copy = inst.gen_op() == Some(Op::Mov) && same && plain && direct;
    is_copy.then_some((src, to.bytes()))
}

fn immediate(imm: Imm) -> Result<Value, Stop> {
    match imm.ty {
        Type::V | Type::Uv | Type::Vf | Type::Hf | Type::Df => Err(Stop::Unknown),
        ty => Ok(decode(imm.bits(), ty)),
    }
}

fn decode(bits: u64, ty: Type) -> Value {
    if ty == Type::F {
        return Value::Float(f32::from_bits(bits as u32));
    }
    let unused = 64 - 8 * ty.bytes();
    let high = bits << unused;
    Value::Int(match ty.is_signed() {
        true => i128::from(high as i64 >> unused),
        false => i128::from(high >> unused),
    })
}

fn encode(value: Value, ty: Type, saturate: bool) -> u64 {
    let bits = 8 * ty.bytes();
    match value {
        Value::Float(v) => {
            let v = if saturate { v.clamp(0.0, 1.0) } else { v };
            u64::from(v.to_bits())
        }
        Value::Int(v) => {
            let (least, most) = match ty.is_signed() {
                true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                false => (0, (1i128 << bits) - 1),
            };
            let v = if saturate { v.clamp(least, most) } else { v };
            v as u64 & (u64::MAX >> (64 - bits))
        }
    }
}

fn holds(cond: Cond, a: Value, b: Value) -> bool {
    let order = match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(&b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b),
        (Value::Float(a), Value::Int(b)) => a.partial_cmp(&(b as f32)),
        (Value::Int(a), Value::Float(b)) => (a as f32).partial_cmp(&b),
    };
    match cond {
        Cond::Eq => order.is_some_and(|o| o.is_eq()),
        Cond::Ne => order.is_none_or(|o| o.is_ne()),
        Cond::Gt => order.is_some_and(|o| o.is_gt()),
        Cond::Ge => order.is_some_and(|o| o.is_ge()),
        Cond::Lt => order.is_some_and(|o| o.is_lt()),
        Cond::Le => order.is_some_and(|o| o.is_le()),
        Cond::Ov | Cond::Un | Cond::Eo => false,
    }
}
