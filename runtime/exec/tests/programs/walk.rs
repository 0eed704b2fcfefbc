//! Interpreter of programs: walks the tree with masks of channels and knows nothing of Gen.
//!
//! Bytes whose value the specification leaves open (NaNs, quotients by zero, floats out of an integer's range) are
//! marked, and so are all values computed from them; they are not compared. A program that branches or addresses by
//! such a value is rejected ([`Undefined`]).

use crate::model::{Input, Modifier, Num, Stored, Ty, decode, encode, evaluate};
use crate::program::{
    Arg, By, COUNTERS, Combine, Exec, Guard, Inst, OWN, Offset, Place, Program, Scope, Source,
    Stmt, What,
};
use crate::random::Random;

/// Maximum number of instructions.
const MAX_STEPS: usize = 20_000;
/// Maximum depth of calls.
const MAX_CALLS: usize = 8;

/// The variable of the kernel that holds four times each channel's number.
pub const LANES: usize = 0;

pub fn low(n: usize) -> u32 {
    if n >= 32 { u32::MAX } else { (1 << n) - 1 }
}

/// The program depends on an undefined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undefined(pub &'static str);

/// Bytes, with a mark for those that are open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    pub bytes: Vec<u8>,
    pub open: Vec<bool>,
}

impl Bytes {
    fn new(bytes: Vec<u8>) -> Bytes {
        Bytes {
            open: vec![false; bytes.len()],
            bytes,
        }
    }

    fn get(&self, at: usize, size: usize) -> Result<Option<u64>, Undefined> {
        let end = at + size;
        if end > self.bytes.len() {
            return Err(Undefined("behind the end"));
        }
        let mut bits = [0; 8];
        bits[..size].copy_from_slice(&self.bytes[at..end]);
        let open = self.open[at..end].contains(&true);
        Ok((!open).then(|| u64::from_le_bytes(bits)))
    }

    /// Copies the channels' own elements of a size.
    fn copy_lanes(&mut self, mask: u32, size: usize, from: &Bytes) -> Result<(), Undefined> {
        lanes(mask).try_for_each(|lane| self.set(lane * size, size, from.get(lane * size, size)?))
    }

    fn set(&mut self, at: usize, size: usize, bits: Option<u64>) -> Result<(), Undefined> {
        let end = at + size;
        if end > self.bytes.len() {
            return Err(Undefined("behind the end"));
        }
        self.bytes[at..end].copy_from_slice(&bits.unwrap_or(0).to_le_bytes()[..size]);
        self.open[at..end].fill(bits.is_none());
        Ok(())
    }
}

#[derive(Clone, Debug)]
struct Pred {
    bits: u32,
    open: u32,
}

/// The variables of a kernel or of one call of a function.
#[derive(Clone, Debug)]
struct Frame {
    vars: Vec<Bytes>,
    preds: Vec<Pred>,
    /// Variable and byte.
    addrs: Vec<Vec<Option<(usize, i64)>>>,
    /// A predicate that holds for all channels.
    full: u32,
}

/// Targets of jumping channels.
#[derive(Default)]
struct Leaving {
    broken: u32,
    continued: u32,
    returned: u32,
}

/// Final state of a program.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub vars: Vec<Bytes>,
    /// A dword for each predicate; the bits of the program's channels count.
    pub preds: Vec<(u32, u32)>,
    pub memory: Bytes,
}

/// Initial contents of variables: those of the kernel.
pub fn initial(program: &Program) -> Vec<Vec<u8>> {
    let mut r = Random(program.seed ^ 0x5eed);
    let scope = &program.scopes[0];
    let fill = |var: &crate::program::Var| {
        let row = crate::ops::ROWS
            .iter()
            .find(|row| row.op == "add")
            .expect("a row");
        let mut bytes = Vec::new();
        while bytes.len() < var.bytes {
            let bits = row.value(&mut r, 0, var.ty).to_le_bytes();
            bytes.extend(&bits[..var.ty.bytes()]);
        }
        bytes
    };
    let mut vars: Vec<Vec<u8>> = scope.vars.iter().map(fill).collect();
    for (lane, offset) in vars[LANES].chunks_exact_mut(4).enumerate() {
        offset.copy_from_slice(&(4 * lane as u32).to_le_bytes());
    }
    vars
}

/// Initial contents of a function's variable, computed from its number.
pub fn constant(var: usize) -> u32 {
    0x0101_0000 * var as u32 + 0x37
}

/// Initial contents of predicates.
pub fn first_bits(scope: &Scope, pred: usize) -> u32 {
    0x5a36_c3d2u32.rotate_left(pred as u32 * 5) & low(scope.preds[pred])
}

pub fn first_memory(program: &Program) -> Vec<u8> {
    let mut r = Random(program.seed ^ 0x3e3);
    (0..program.memory()).map(|_| r.next() as u8).collect()
}

impl Program {
    /// Bytes of the buffer that it loads from and stores to.
    pub fn memory(&self) -> usize {
        (OWN * self.simd + COUNTERS) * 4
    }
}

struct Walk<'a> {
    program: &'a Program,
    memory: Bytes,
    steps: usize,
    calls: usize,
}

pub fn walk(program: &Program) -> Result<Outcome, Undefined> {
    let scope = &program.scopes[0];
    let mut frame = Frame::new(scope, program.simd);
    for (var, bytes) in frame.vars.iter_mut().zip(initial(program)) {
        *var = Bytes::new(bytes);
    }
    let memory = Bytes::new(first_memory(program));
    let mut walk = Walk {
        program,
        memory,
        steps: 0,
        calls: 0,
    };
    let mut leaving = Leaving::default();
    let all = low(program.items);
    walk.block(0, &mut frame, &scope.body, all, &mut leaving)?;
    // Elements of channels beyond the program's are undefined.
    for (var, bytes) in scope.vars.iter().zip(&mut frame.vars) {
        if let Some(element) = var.element {
            let end = (program.items * element).min(bytes.open.len());
            bytes.open[end..].fill(true);
        }
    }
    let preds = frame.preds.iter().zip(&scope.preds).map(|(p, &elements)| {
        let nobody = if elements > 1 { !all } else { 0 };
        (p.bits, p.open | nobody)
    });
    let preds = preds.collect();
    Ok(Outcome {
        vars: frame.vars,
        preds,
        memory: walk.memory,
    })
}

impl Frame {
    fn new(scope: &Scope, simd: usize) -> Frame {
        let vars = scope.vars.iter().enumerate().map(|(i, var)| {
            let dword = constant(i).to_le_bytes();
            Bytes::new(dword.iter().copied().cycle().take(var.bytes).collect())
        });
        let preds = (0..scope.preds.len()).map(|p| Pred {
            bits: first_bits(scope, p),
            open: 0,
        });
        Frame {
            vars: vars.collect(),
            preds: preds.collect(),
            addrs: scope.addrs.iter().map(|&n| vec![None; n]).collect(),
            full: low(simd),
        }
    }
}

impl Walk<'_> {
    /// Executes a block; returns the channels that reach its end.
    fn block(
        &mut self,
        at: usize,
        frame: &mut Frame,
        block: &[Stmt],
        mut mask: u32,
        leaving: &mut Leaving,
    ) -> Result<u32, Undefined> {
        for stmt in block {
            if mask == 0 {
                break;
            }
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(Undefined("too long"));
            }
            mask = self.statement(at, frame, stmt, mask, leaving)?;
        }
        Ok(mask)
    }

    fn statement(
        &mut self,
        at: usize,
        frame: &mut Frame,
        stmt: &Stmt,
        mask: u32,
        leaving: &mut Leaving,
    ) -> Result<u32, Undefined> {
        let scope = &self.program.scopes[at];
        match stmt {
            Stmt::Inst(inst) => frame.inst(inst, mask)?,
            Stmt::SetPred { pred, bits } => {
                frame.preds[*pred] = Pred {
                    bits: *bits,
                    open: 0,
                }
            }
            Stmt::Address {
                addr,
                element,
                count,
                var,
                offset,
            } => {
                for i in 0..*count {
                    let offset = match *offset {
                        Offset::Imm(n) => n as i64,
                        Offset::At { var, byte, region } => {
                            let bits = frame.vars[var].get(byte + region.element(i) * 2, 2)?;
                            bits.ok_or(Undefined("an open address"))? as i64
                        }
                    };
                    frame.addrs[*addr][element + i] = Some((*var, offset));
                }
            }
            Stmt::Memory {
                store,
                message: _,
                exec,
                guard,
                offsets,
                data,
            } => {
                for lane in frame.taking(*exec, *guard, mask)? {
                    let offset = frame.own_offset(*offsets, lane)?;
                    let value = match *store {
                        true => frame.own_dword(*data, lane)?,
                        false => self.memory.get(offset, 4)?,
                    };
                    match *store {
                        true => self.memory.set(offset, 4, value)?,
                        false => frame.vars[*data].set(lane * 4, 4, value)?,
                    }
                }
            }
            Stmt::Count {
                exec,
                guard,
                offsets,
                data,
            } => {
                for lane in frame.taking(*exec, *guard, mask)? {
                    let offset = frame.own_offset(*offsets, lane)?;
                    let (old, by) = (self.memory.get(offset, 4)?, frame.own_dword(*data, lane)?);
                    let new = old
                        .zip(by)
                        .map(|(old, by)| (old as u32).wrapping_add(by as u32).into());
                    self.memory.set(offset, 4, new)?;
                }
            }
            Stmt::If {
                guard,
                uniform,
                then,
                other,
            } => {
                let holds = if *uniform {
                    frame.scalar(*guard)?
                } else {
                    frame.which(Some(*guard), mask)?
                };
                let then = self.block(at, frame, then, mask & holds, leaving)?;
                let other = self.block(at, frame, other, mask & !holds, leaving)?;
                return Ok(then | other);
            }
            Stmt::Loop {
                pred,
                uniform,
                body,
                step,
            } => {
                let guard = Guard {
                    pred: *pred,
                    inverse: false,
                    combine: Combine::None,
                };
                let mut live = mask;
                let mut out = 0;
                while live != 0 {
                    let mut inner = Leaving::default();
                    let end = self.block(at, frame, body, live, &mut inner)?;
                    leaving.returned |= inner.returned;
                    out |= inner.broken;
                    let end = self.block(at, frame, step, end | inner.continued, leaving)?;
                    let again = match *uniform {
                        true => frame.scalar(guard)?,
                        false => frame.which(Some(guard), end)?,
                    };
                    live = end & again;
                    out |= end & !again;
                }
                return Ok(out);
            }
            Stmt::Break(guard) => {
                let go = frame.which(*guard, mask)?;
                leaving.broken |= go;
                return Ok(mask & !go);
            }
            Stmt::Continue(guard) => {
                let go = frame.which(*guard, mask)?;
                leaving.continued |= go;
                return Ok(mask & !go);
            }
            Stmt::Return(guard) => {
                let go = frame.which(*guard, mask)?;
                leaving.returned |= go;
                return Ok(mask & !go);
            }
            Stmt::Subroutine { sub, guard } => {
                let go = frame.which(*guard, mask)?;
                let mut inner = Leaving::default();
                self.block(at, frame, &scope.subs[*sub].body, go, &mut inner)?;
            }
            Stmt::Function {
                function,
                by,
                args,
                result,
            } => {
                let function = match *by {
                    By::Address { other, guard } if frame.scalar(guard)? != 0 => other,
                    _ => *function,
                };
                self.calls += 1;
                if self.calls > MAX_CALLS {
                    return Err(Undefined("too deep"));
                }
                let callee = &self.program.scopes[1 + function];
                let mut inner = Frame::new(callee, self.program.simd);
                let signature = &callee.signature;
                for (to, (&Arg { ty, common }, &(from, byte))) in
                    signature.args.iter().zip(args).enumerate()
                {
                    let size = ty.bytes();
                    let to = &mut inner.vars[to];
                    match common {
                        true => to.set(0, size, frame.vars[from].get(byte, size)?)?,
                        false => to.copy_lanes(mask, size, &frame.vars[from])?,
                    }
                }
                self.block(
                    1 + function,
                    &mut inner,
                    &callee.body,
                    mask,
                    &mut Leaving::default(),
                )?;
                self.calls -= 1;
                let size = signature.result.expect("a function's result").bytes();
                let from = &inner.vars[signature.args.len()];
                frame.vars[*result].copy_lanes(mask, size, from)?;
            }
        }
        Ok(mask)
    }
}

fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

impl Frame {
    fn own_dword(&self, var: usize, lane: usize) -> Result<Option<u64>, Undefined> {
        self.vars[var].get(lane * 4, 4)
    }

    /// An offset in memory, a multiple of four.
    fn own_offset(&self, var: usize, lane: usize) -> Result<usize, Undefined> {
        let offset = self.own_dword(var, lane)?;
        match offset.ok_or(Undefined("an open offset"))? as usize {
            offset if offset.is_multiple_of(4) => Ok(offset),
            _ => Err(Undefined("an odd offset")),
        }
    }

    /// Channels for which the guard holds; it must be defined for those of the mask.
    fn which(&self, guard: Option<Guard>, mask: u32) -> Result<u32, Undefined> {
        let Some(guard) = guard else {
            return Ok(mask);
        };
        let pred = &self.preds[guard.pred];
        let open = match guard.combine {
            Combine::None => pred.open & mask,
            _ => pred.open,
        };
        if open != 0 {
            return Err(Undefined("an open predicate"));
        }
        Ok(self.bits(guard) & mask)
    }

    /// Channels of the guard, with undefined bits taken as they are.
    fn bits(&self, guard: Guard) -> u32 {
        let pred = &self.preds[guard.pred];
        let bits = match guard.combine {
            Combine::None => pred.bits,
            Combine::Any => 0u32.wrapping_sub(u32::from(pred.bits != 0)),
            Combine::All => 0u32.wrapping_sub(u32::from(pred.bits == self.full)),
        };
        if guard.inverse { !bits } else { bits }
    }

    /// The guard of a uniform branch: all channels or none.
    fn scalar(&self, guard: Guard) -> Result<u32, Undefined> {
        if self.preds[guard.pred].open & 1 != 0 {
            return Err(Undefined("an open predicate"));
        }
        Ok(0u32.wrapping_sub(self.bits(guard) & 1))
    }

    fn taking(&self, exec: Exec, guard: Option<Guard>, mask: u32) -> Result<Vec<usize>, Undefined> {
        let own = low(exec.size) << exec.off;
        let mask = if exec.no_mask { own } else { own & mask };
        Ok(lanes(self.which(guard, mask)?).collect())
    }

    /// Variable and byte of an address register's element.
    fn address(&self, addr: usize, element: usize) -> Result<(usize, i64), Undefined> {
        let address = self.addrs[addr].get(element).copied().flatten();
        address.ok_or(Undefined("no address"))
    }

    fn at(&self, place: Place, bytes: usize) -> Result<(usize, usize), Undefined> {
        let (var, at) = match place {
            Place::Direct { var, byte } => (var, byte as i64),
            Place::Indirect {
                addr,
                element,
                byte,
            } => {
                let (var, at) = self.address(addr, element)?;
                (var, at + byte as i64)
            }
        };
        let at = usize::try_from(at).map_err(|_| Undefined("before the start"))?;
        Ok((var, at + bytes))
    }

    /// A source's value for a channel of an instruction, without its modifier; none if it is open.
    fn read(&self, source: &Source, lane: usize) -> Result<Option<Num>, Undefined> {
        let size = source.ty.bytes();
        let bits = match source.what {
            What::Imm(bits) => Some(bits),
            What::At { place, region } => {
                let (var, at) = self.at(place, region.element(lane) * size)?;
                self.vars[var].get(at, size)?
            }
            What::Scattered { addr, byte } => {
                let place = Place::Indirect {
                    addr,
                    element: lane,
                    byte,
                };
                let (var, at) = self.at(place, 0)?;
                self.vars[var].get(at, size)?
            }
        };
        Ok(bits.map(|bits| decode(source.ty, bits)))
    }

    fn inst(&mut self, inst: &Inst, mask: u32) -> Result<(), Undefined> {
        let Exec { size, off, no_mask } = inst.exec;
        let mut written = Vec::new();
        let mut flags = Vec::new();
        for lane in 0..size {
            let channel = 1 << (off + lane);
            if !no_mask && mask & channel == 0 {
                continue;
            }
            let (mut chosen, mut doubtful) = (true, false);
            if let Some(guard) = inst.guard {
                chosen = self.bits(guard) & channel != 0;
                let open = self.preds[guard.pred].open;
                doubtful = open & channel != 0 || guard.combine != Combine::None && open != 0;
            }
            if !chosen && !doubtful && inst.op != "sel" {
                continue;
            }
            let mut values = Vec::new();
            for source in &inst.sources {
                let value = self.read(source, lane)?.filter(|_| !doubtful);
                values.extend(
                    value
                        .filter(|v| !has_no_magnitude(inst, source, *v))
                        .map(|v| source.modifier.apply(v)),
                );
            }
            let known = values.len() == inst.sources.len() && !divides_by_zero(inst.op, &values);
            if let Some(relation) = inst.relation {
                let holds = known.then(|| relation.holds(values[0], values[1]));
                match inst.flag {
                    Some(pred) => flags.push((pred, channel, holds)),
                    None => {
                        let target = &inst.targets[0];
                        let bits = holds.map(|h| {
                            if h {
                                u64::MAX >> (64 - target.ty.bytes() * 8)
                            } else {
                                0
                            }
                        });
                        written.push((0, lane, bits));
                    }
                }
                continue;
            }
            let results = known.then(|| {
                let input = Input {
                    ty: inst.targets[0].ty,
                    src: inst.sources[0].ty,
                    s: &values,
                    chosen,
                };
                evaluate(inst.op, input)
            });
            for (k, target) in inst.targets.iter().enumerate() {
                let stored = results
                    .as_ref()
                    .map(|r| encode(target.ty, r[k], inst.saturate));
                let bits = match stored {
                    // The sign of a zero is not compared.
                    Some(Stored::Bits(bits)) if !is_zero(target.ty, bits) => Some(bits),
                    _ => None,
                };
                written.push((k, lane, bits));
            }
        }
        for (k, lane, bits) in written {
            let target = inst.targets[k];
            let (var, at) = self.at(target.place, lane * target.stride * target.ty.bytes())?;
            self.vars[var].set(at, target.ty.bytes(), bits)?;
        }
        for (pred, channel, holds) in flags {
            let pred = &mut self.preds[pred];
            pred.bits = if holds == Some(true) {
                pred.bits | channel
            } else {
                pred.bits & !channel
            };
            pred.open = if holds.is_none() {
                pred.open | channel
            } else {
                pred.open & !channel
            };
        }
        Ok(())
    }
}

/// A float that is zero, of either sign.
fn is_zero(ty: Ty, bits: u64) -> bool {
    ty.is_float() && bits << 1 << (64 - ty.bytes() * 8) == 0
}

/// True if the magnitude of the source does not fit its type.
fn has_no_magnitude(inst: &Inst, source: &Source, value: Num) -> bool {
    let arithmetic = matches!(
        source.modifier,
        Modifier::Neg | Modifier::Abs | Modifier::NegAbs
    );
    let least = -(1i128 << (source.ty.bytes() * 8 - 1));
    !inst.least && arithmetic && source.ty.is_signed() && value == Num::I(least)
}

fn divides_by_zero(op: &str, values: &[Num]) -> bool {
    match (op, values) {
        ("div" | "mod", [left, Num::I(right)]) => {
            // The least integer divided by -1, in any of the types.
            let least = |n: i128| [7, 15, 31].iter().any(|bit| n == -1 << bit);
            *right == 0 || *right == -1 && matches!(left, Num::I(n) if least(*n))
        }
        _ => false,
    }
}
