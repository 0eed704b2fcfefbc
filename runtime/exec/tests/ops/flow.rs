//! Random control flow: programs with every construct nested in every other, as Gen code and in an interpreter that
//! takes one channel after the other through the same statements.
//!
//! A statement tells what one channel does: the interpreter has no masks, joins or jump targets. The code has the form
//! that compilers give it (PRM vol. 2a: the instructions' JIP and UIP): each branch jumps to the end of the innermost
//! enclosing block, each block's end to that of the next.

use std::collections::BTreeSet;

use kiln_emit::inst::{
    Cond, CondMod, Dst, Inst, Op, Pred, PredCtrl, Reg, RegFile, Region, Src, Target, Type,
};
use kiln_emit::platform::SKL;
use kiln_exec::{Cause, Engine, Registers, World};

use crate::kind::{self, kind};
use crate::random::Random;

/// Channels of a program.
const LANES: usize = 16;
/// Registers: every channel's number (two), the jump's distance, loops' counters by depth (two each),
/// functions' return addresses.
const VALUE: u32 = 20;
const DISTANCE: u32 = 22;
const COUNTERS: u32 = 30;
const RETURNS: u32 = 60;
/// Maximum number of statements of a block; maximum depth of blocks, and number of functions.
const LENGTH: usize = 3;
const DEPTH: usize = 4;
const FUNCTIONS: usize = 4;
/// Maximum depth of blocks in functions, which call each other.
const INNER: usize = 2;
/// Limit on the executed instructions.
const BUDGET: u64 = 1_000_000;
/// Size of an instruction in bytes.
const SIZE: i32 = 16;

/// A test of a bit of a channel's number.
#[derive(Clone, Copy, Debug)]
struct Test(u32);

/// The instruction at the end of a loop.
#[derive(Clone, Copy, Debug)]
enum Back {
    While,
    Brd,
    Goto,
}

#[derive(Clone, Debug)]
enum Stmt {
    /// Changes the channel's number.
    Step(u32),
    If(Test, Vec<Stmt>, Option<Vec<Stmt>>),
    /// At most this many iterations, while the test holds.
    Loop(Back, u32, Test, Vec<Stmt>),
    Break(Test),
    Continue(Test),
    Halt(Test),
    /// Channels for which the test fails skip the block, by `goto` or `brc`.
    Skip(Op, Test, Vec<Stmt>),
    /// All channels skip the block or none, by `jmpi`.
    Jump(bool, Vec<Stmt>),
    /// Calls a function, by `call` or `calla`, for all channels or those for which the test holds.
    Call(Op, Option<Test>, usize),
}

/// The main block, and functions; each calls only those after it.
#[derive(Debug)]
struct Program {
    main: Vec<Stmt>,
    functions: Vec<Vec<Stmt>>,
}

/// Position of a random block.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    in_loop: bool,
    /// Index of the first function that may be called; functions called by others must not halt.
    callable: usize,
}

fn block(place: Place, random: &mut Random) -> Vec<Stmt> {
    let count = 1 + random.below(LENGTH);
    (0..count).map(|_| statement(place, random)).collect()
}

fn statement(place: Place, random: &mut Random) -> Stmt {
    let test = Test(random.below(8) as u32);
    let inner = Place {
        depth: place.depth + 1,
        ..place
    };
    let looping = Place {
        in_loop: true,
        ..inner
    };
    match random.below(if place.depth < DEPTH { 10 } else { 4 }) {
        1 if place.in_loop => Stmt::Break(test),
        2 if place.in_loop => Stmt::Continue(test),
        3 if place.callable == 0 && random.chance(3) => Stmt::Halt(test),
        4 | 5 => {
            let otherwise = random.chance(2).then(|| block(inner, random));
            Stmt::If(test, block(inner, random), otherwise)
        }
        6 => {
            let back = random.pick(&[Back::While, Back::While, Back::Brd, Back::Goto]);
            Stmt::Loop(
                back,
                1 + random.below(4) as u32,
                test,
                block(looping, random),
            )
        }
        7 => Stmt::Skip(
            random.pick(&[Op::Goto, Op::Brc]),
            test,
            block(inner, random),
        ),
        8 => Stmt::Jump(random.chance(2), block(inner, random)),
        9 if place.callable < FUNCTIONS => {
            let function = place.callable + random.below(FUNCTIONS - place.callable);
            let op = random.pick(&[Op::Call, Op::Call, Op::Calla]);
            Stmt::Call(op, random.chance(2).then_some(test), function)
        }
        _ => Stmt::Step(random.below(1000) as u32),
    }
}

impl Program {
    fn random(random: &mut Random) -> Program {
        let place = |depth, callable| Place {
            depth,
            in_loop: false,
            callable,
        };
        Program {
            main: block(place(0, 0), random),
            functions: (1..=FUNCTIONS)
                .map(|next| block(place(DEPTH - INNER, next), random))
                .collect(),
        }
    }
}

/// Continuation of a channel after a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    On,
    Break,
    Continue,
    Halt,
}

impl Test {
    fn holds(self, value: u32) -> bool {
        value >> self.0 & 1 != 0
    }
}

fn step(value: u32, by: u32) -> u32 {
    value.wrapping_mul(5).wrapping_add(by)
}

/// Takes one channel through statements.
fn interpret(program: &Program, block: &[Stmt], value: &mut u32) -> Next {
    for stmt in block {
        let next = match stmt {
            Stmt::Step(by) => {
                *value = step(*value, *by);
                Next::On
            }
            Stmt::If(test, then, otherwise) => match (test.holds(*value), otherwise) {
                (true, _) => interpret(program, then, value),
                (false, Some(otherwise)) => interpret(program, otherwise, value),
                (false, None) => Next::On,
            },
            Stmt::Loop(_, times, test, body) => {
                let mut left = *times;
                loop {
                    match interpret(program, body, value) {
                        Next::On | Next::Continue => {}
                        Next::Break => break Next::On,
                        Next::Halt => break Next::Halt,
                    }
                    left -= 1;
                    if left == 0 || !test.holds(*value) {
                        break Next::On;
                    }
                }
            }
            Stmt::Break(test) if test.holds(*value) => Next::Break,
            Stmt::Continue(test) if test.holds(*value) => Next::Continue,
            Stmt::Halt(test) if test.holds(*value) => Next::Halt,
            Stmt::Skip(_, test, body) if test.holds(*value) => interpret(program, body, value),
            Stmt::Jump(false, body) => interpret(program, body, value),
            Stmt::Call(_, test, function) if test.is_none_or(|test| test.holds(*value)) => {
                interpret(program, &program.functions[*function], value)
            }
            _ => Next::On,
        };
        if next != Next::On {
            return next;
        }
    }
    Next::On
}

/// An index in the code that is set later.
type Label = usize;

/// The code of a program; targets are labels until it is complete.
struct Code {
    insts: Vec<Inst>,
    /// The instruction that each label is before.
    labels: Vec<usize>,
    /// Instructions and their jump and update targets.
    targets: Vec<(usize, Label, Option<Label>)>,
    functions: Vec<Label>,
    end: Label,
}

/// Labels of the blocks around a statement.
#[derive(Clone, Copy)]
struct Around {
    /// End of the innermost block.
    end: Label,
    /// Labels of the next iteration and of the loop's exit.
    again: Label,
    out: Label,
    /// The innermost loop ends in a `while`; its counter and its test.
    structured: Option<(u32, Test)>,
    /// Loop depth, including the callers'.
    loops: u32,
}

const F0: Reg = Reg {
    file: RegFile::Flag,
    num: 0,
    byte: 0,
};

/// Condition of a `while`: channels that continue have set it before.
const F1: Reg = Reg {
    file: RegFile::Flag,
    num: 1,
    byte: 0,
};

fn predicate(inverse: bool) -> Pred {
    Pred {
        flag: F0,
        inverse,
        ctrl: PredCtrl::Normal,
    }
}

fn number(num: u32) -> Src {
    Src::reg(Reg::grf(num), Region::new(8, 8, 1), Type::Ud)
}

fn value(bits: u32) -> Src {
    Src::imm(Type::Ud, bits.into())
}

impl Code {
    fn label(&mut self) -> Label {
        self.labels.push(usize::MAX);
        self.labels.len() - 1
    }

    fn put(&mut self, label: Label) {
        self.labels[label] = self.insts.len();
    }

    fn compute(&mut self, op: Op, dst: u32, a: Src, b: Option<Src>) {
        let mut inst = Inst::new(op, LANES as u8);
        inst.dst = Some(Dst::new(Reg::grf(dst), 1, Type::Ud));
        inst.srcs.push(a);
        inst.srcs.extend(b);
        self.insts.push(inst);
    }

    /// A flag for each channel.
    fn compare(&mut self, op: Op, flag: Reg, a: Src, b: Src) {
        self.compute(op, 0, a, Some(b));
        if let Some(inst) = self.insts.last_mut() {
            inst.dst = Some(Dst::new(Reg::NULL, 1, Type::Ud));
            inst.cond = Some(CondMod {
                cond: Cond::Ne,
                flag,
            });
        }
    }

    fn test(&mut self, test: Test) {
        self.compare(Op::And, F0, number(VALUE), value(1 << test.0));
    }

    /// Counts a loop iteration; sets the flag of the channels that continue.
    fn count(&mut self, counter: u32, test: Test, flag: Reg) {
        self.compute(Op::Add, counter, number(counter), Some(value(u32::MAX)));
        self.compare(Op::And, flag, number(VALUE), value(1 << test.0));
        // The result of the test: true if the counter is not zero.
        self.compare(Op::Cmp, flag, number(counter), value(0));
        if let Some(inst) = self.insts.last_mut() {
            inst.pred = Some(Pred {
                flag,
                ..predicate(false)
            });
        }
    }

    fn branch(&mut self, op: Op, pred: Option<bool>, jip: Label, uip: Option<Label>) -> &mut Inst {
        let mut inst = Inst::new(op, if op == Op::Jmpi { 1 } else { LANES as u8 });
        inst.no_mask = op == Op::Jmpi;
        inst.pred = pred.map(predicate);
        self.targets.push((self.insts.len(), jip, uip));
        self.insts.push(inst);
        self.insts.last_mut().expect("just pushed")
    }

    /// Sends the channels whose flag is set to a label of the loop: by the operation if the loop ends in a `while`,
    /// else by `goto`.
    fn leave(&mut self, op: Op, around: Around, to: Label) {
        match around.structured {
            Some(_) => self.branch(op, Some(false), around.end, Some(to)),
            // On this family `goto` takes the channels whose predicate is false.
            None => self.branch(Op::Goto, Some(true), around.end, Some(to)),
        };
    }

    fn block(&mut self, block: &[Stmt], around: Around) {
        for stmt in block {
            self.statement(stmt, around);
        }
    }

    fn statement(&mut self, stmt: &Stmt, around: Around) {
        match stmt {
            Stmt::Step(by) => {
                self.compute(Op::Mul, VALUE, number(VALUE), Some(value(5)));
                self.compute(Op::Add, VALUE, number(VALUE), Some(value(*by)));
            }
            Stmt::If(test, then, otherwise) => {
                let [before, after, end] = [0; 3].map(|_| self.label());
                self.test(*test);
                let inner = |end| Around { end, ..around };
                match otherwise {
                    None => {
                        self.branch(Op::If, Some(false), end, Some(end));
                        self.block(then, inner(end));
                    }
                    Some(otherwise) => {
                        self.branch(Op::If, Some(false), after, Some(end));
                        self.block(then, inner(before));
                        self.put(before);
                        self.branch(Op::Else, None, end, Some(end));
                        self.put(after);
                        self.block(otherwise, inner(end));
                    }
                }
                self.put(end);
                self.branch(Op::Endif, None, around.end, None);
            }
            Stmt::Loop(back, times, test, body) => {
                let counter = COUNTERS + 2 * around.loops;
                let [top, again, last, out] = [0; 4].map(|_| self.label());
                self.compute(Op::Mov, counter, value(*times), None);
                self.put(top);
                let inner = Around {
                    end: again,
                    again,
                    // A `break` names the `while` of its loop and continues after it.
                    out: match back {
                        Back::While => last,
                        _ => out,
                    },
                    structured: matches!(back, Back::While).then_some((counter, *test)),
                    loops: around.loops + 1,
                };
                self.block(body, inner);
                self.put(again);
                match back {
                    Back::While => {
                        self.count(counter, *test, F1);
                        self.put(last);
                        let back = self.branch(Op::While, Some(false), top, None);
                        back.pred = back.pred.map(|pred| Pred { flag: F1, ..pred });
                        return;
                    }
                    Back::Brd => {
                        self.branch(Op::Join, None, out, None);
                        self.count(counter, *test, F0);
                        self.branch(Op::Brd, Some(false), top, None);
                    }
                    Back::Goto => {
                        self.branch(Op::Join, None, out, None);
                        self.count(counter, *test, F0);
                        let goto = self.branch(Op::Goto, Some(false), out, Some(top));
                        goto.opts.branch_ctrl = true;
                    }
                }
                self.put(out);
                self.branch(Op::Join, None, around.end, None);
            }
            Stmt::Break(test) => {
                self.test(*test);
                self.leave(Op::Break, around, around.out);
            }
            Stmt::Continue(test) => {
                self.test(*test);
                let Some((counter, again)) = around.structured else {
                    self.leave(Op::Cont, around, around.again);
                    return;
                };
                // The `while` comes next for these channels, so the count is updated here.
                let end = self.label();
                self.branch(Op::If, Some(false), end, Some(end));
                self.count(counter, again, F1);
                self.branch(Op::Cont, None, end, Some(around.out));
                self.put(end);
                self.branch(Op::Endif, None, around.end, None);
            }
            Stmt::Halt(test) => {
                self.test(*test);
                self.branch(Op::Halt, Some(false), around.end, Some(self.end));
            }
            Stmt::Skip(op, test, body) => {
                let end = self.label();
                self.test(*test);
                // On this family `goto` takes the channels whose predicate is false.
                self.branch(*op, Some(*op == Op::Brc), end, Some(end));
                self.block(body, Around { end, ..around });
                self.put(end);
                self.branch(Op::Join, None, around.end, None);
            }
            Stmt::Jump(taken, body) => {
                let end = self.label();
                // The flag of the first enabled channel counts.
                let mut set = Inst::new(Op::Mov, 1);
                set.no_mask = true;
                set.dst = Some(Dst::new(F0, 1, Type::Uw));
                set.srcs.push(Src::imm(Type::Uw, u64::from(*taken)));
                self.insts.push(set);
                self.branch(Op::Jmpi, Some(false), end, None);
                self.block(body, around);
                self.put(end);
            }
            Stmt::Call(op, test, function) => {
                let to = self.functions[*function];
                if let Some(test) = test {
                    self.test(*test);
                }
                let call = self.branch(*op, test.map(|_| false), to, None);
                call.dst = Some(Dst::new(Reg::grf(RETURNS + *function as u32), 1, Type::Ud));
            }
        }
    }

    /// The code of a program: some functions come before the main block, which jumps over them, some after it.
    fn of(program: &Program) -> Vec<Inst> {
        let mut code = Code {
            insts: Vec::new(),
            labels: Vec::new(),
            targets: Vec::new(),
            functions: Vec::new(),
            end: 0,
        };
        code.end = code.label();
        let start = code.label();
        code.functions = program.functions.iter().map(|_| code.label()).collect();
        let around = Around {
            end: code.end,
            again: code.end,
            out: code.end,
            structured: None,
            loops: 0,
        };
        let mut load = Inst::new(Op::Mov, 1);
        load.no_mask = true;
        load.dst = Some(Dst::new(Reg::grf(DISTANCE), 1, Type::D));
        code.insts.push(load);
        let mut jump = Inst::new(Op::Jmpi, 1);
        jump.no_mask = true;
        jump.jip = Some(Target::Reg);
        jump.srcs
            .push(Src::reg(Reg::grf(DISTANCE), Region::SCALAR, Type::D));
        code.insts.push(jump);
        let behind_jump = code.insts.len();
        let half = program.functions.len() / 2;
        for index in 0..half {
            code.function(program, index);
        }
        code.put(start);
        let distance = (code.insts.len() - behind_jump) as i32 * SIZE;
        code.insts[0]
            .srcs
            .push(Src::imm(Type::D, u64::from(distance as u32)));
        code.block(&program.main, around);
        let over = code.label();
        code.put(code.end);
        code.branch(Op::Jmpi, None, over, None);
        for index in half..program.functions.len() {
            code.function(program, index);
        }
        code.put(over);
        code.resolved()
    }

    fn function(&mut self, program: &Program, index: usize) {
        self.put(self.functions[index]);
        let end = self.label();
        let around = Around {
            end,
            again: end,
            out: end,
            structured: None,
            loops: DEPTH as u32 + INNER as u32 * index as u32,
        };
        self.block(&program.functions[index], around);
        self.put(end);
        let mut ret = Inst::new(Op::Ret, LANES as u8);
        ret.jip = Some(Target::Reg);
        let back = Reg::grf(RETURNS + index as u32);
        ret.srcs.push(Src::reg(back, Region::SCALAR, Type::Ud));
        self.insts.push(ret);
    }

    /// The instructions with branch distances.
    fn resolved(mut self) -> Vec<Inst> {
        for (index, jip, uip) in self.targets {
            let inst = &mut self.insts[index];
            let place = |label: Label| self.labels[label] as i32 * SIZE;
            let here = match inst.op {
                Op::Calla => 0,
                _ => index as i32 * SIZE,
            };
            inst.jip = Some(Target::Offset(place(jip) - here));
            inst.uip = uip.map(|uip| Target::Offset(place(uip) - here));
        }
        self.insts
    }
}

/// Runs a random program both ways, and with both engines; returns the kinds of the instructions that channels executed.
///
/// # Errors
/// The results differ, or the code is refused.
pub fn compare(random: &mut Random) -> Result<BTreeSet<String>, String> {
    let program = Program::random(random);
    let code = Code::of(&program);
    let some = random.next() as u32;
    let active = random.pick(&[0xffff, 1, 0x8000, some & 0xffff]);
    let values = [0; LANES].map(|_: u32| random.next() as u32);
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let failed = |what: String| format!("{what}, in {program:?}");
    let refused = |e: Cause| failed(e.to_string());
    let mut registers = Registers::new(active, &SKL).on(Engine::Both);
    registers.set(Reg::grf(VALUE), &bytes).map_err(refused)?;
    let stats = registers.run(code.clone(), &mut World::default(), BUDGET);
    let stats = stats.map_err(refused)?;
    let mut found = vec![0; bytes.len()];
    registers
        .get(Reg::grf(VALUE), &mut found)
        .map_err(refused)?;
    for (lane, (found, mut expected)) in found.chunks_exact(4).zip(values).enumerate() {
        if active >> lane & 1 != 0 {
            interpret(&program, &program.main, &mut expected);
        }
        if found != expected.to_le_bytes() {
            let text = format!("channel {lane} of {active:#x} has {found:02x?} for {expected:#x}");
            return Err(failed(text));
        }
    }
    let executed = code.iter().zip(&stats.by_place);
    let executed = executed.filter(|(_, count)| count.lanes > 0);
    Ok(executed
        .map(|(inst, _)| kind::name(&kind(inst, &SKL), &SKL))
        .collect())
}
