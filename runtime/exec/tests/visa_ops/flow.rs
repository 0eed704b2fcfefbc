//! Divergent control flow: random structured programs, against an interpreter of channel masks.
//!
//! Programs have branches, loops with `break` and `continue`, early returns and uniform branches, and between them
//! instructions under the mask, across channels and without a mask. The interpreter executes both sides of a branch in
//! turn, each for its channels, unless there are none; `goto` and its joins must have the same effect.

use std::fmt::Write;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::bench::{Bench, State, VAR_BYTES, VARS};
use crate::case::element;
use crate::common;
use crate::guard::low;
use crate::model::{Num, Relation, Ty};
use crate::random::Random;

const PREDICATES: usize = 5;
const MAX_DEPTH: usize = 4;

/// The right side of an operation.
#[derive(Clone, Copy, Debug)]
enum Right {
    Own(usize),
    Imm(u32),
    /// One channel's element, for all channels.
    Lane(usize, usize),
    /// The element of the channel so much further on.
    Shifted(usize, usize),
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Add,
    Mul,
    Xor,
    And,
    Or,
}

impl Op {
    const ALL: [Op; 5] = [Op::Add, Op::Mul, Op::Xor, Op::And, Op::Or];

    fn name(self) -> &'static str {
        ["add", "mul", "xor", "and", "or"][self as usize]
    }

    fn apply(self, a: u32, b: u32) -> u32 {
        match self {
            Op::Add => a.wrapping_add(b),
            Op::Mul => a.wrapping_mul(b),
            Op::Xor => a ^ b,
            Op::And => a & b,
            Op::Or => a | b,
        }
    }
}

#[derive(Clone, Debug)]
enum Stmt {
    /// `dst = left op right`, for the channels of the mask, or all; perhaps predicated.
    Assign {
        dst: usize,
        left: usize,
        op: Op,
        right: Right,
        no_mask: bool,
        pred: Option<(usize, bool)>,
    },
    /// Channel `to` of `dst` gets channel `from` of `src`, whatever the mask.
    Lane {
        dst: usize,
        to: usize,
        src: usize,
        from: usize,
    },
    /// `dst` for eight channels from `first` only.
    Part {
        dst: usize,
        src: usize,
        first: usize,
    },
    Compare {
        pred: usize,
        relation: Relation,
        left: usize,
        right: Right,
    },
    If {
        pred: usize,
        inverse: bool,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    /// Channel 0's predicate decides for all channels.
    Uniform {
        pred: usize,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    Loop {
        count: u32,
        body: Vec<Stmt>,
    },
    Break {
        pred: usize,
    },
    Continue {
        pred: usize,
    },
    Return {
        pred: usize,
    },
}

#[derive(Clone, Debug)]
struct Program {
    simd: u8,
    items: u32,
    seed: u64,
    body: Vec<Stmt>,
}

/// Writes a program as vISA.
struct Writer {
    simd: usize,
    text: String,
    labels: usize,
    /// Labels of the latch and the end of each enclosing loop.
    loops: Vec<(usize, usize)>,
    depth: usize,
}

impl Writer {
    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    /// Masks and sizes of the instructions that together cover all channels: two halves for 32.
    fn parts(&self, no_mask: bool) -> Vec<(String, usize, usize)> {
        let nm = if no_mask { "_NM" } else { "" };
        let size = self.simd.min(16);
        (0..self.simd)
            .step_by(size)
            .map(|at| (format!("(M{}{nm}, {size})", at / 4 + 1), at, size))
            .collect()
    }

    fn var(v: usize, lane: usize) -> String {
        format!("{}_ud({},{})", VARS[v], lane / 8, lane % 8)
    }

    fn right(right: Right, at: usize) -> String {
        match right {
            Right::Own(v) => format!("{}<1;1,0>", Self::var(v, at)),
            Right::Imm(n) => format!("{n:#x}:ud"),
            Right::Lane(v, lane) => format!("{}<0;1,0>", Self::var(v, lane)),
            Right::Shifted(v, by) => format!("{}<1;1,0>", Self::var(v, at + by)),
        }
    }

    fn line(&mut self, line: std::fmt::Arguments) {
        let _ = writeln!(self.text, "{line}");
    }

    fn list(&mut self, list: &[Stmt]) {
        for stmt in list {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let simd = self.simd;
        match stmt {
            Stmt::Assign {
                dst,
                left,
                op,
                right,
                no_mask,
                pred,
            } => {
                let pred = pred.map_or(String::new(), |(p, inverse)| {
                    format!("({}P{}) ", if inverse { "!" } else { "" }, p + 1)
                });
                // The second half must not read the result of the first.
                let (mut sources, parts) = (Vec::new(), self.parts(*no_mask));
                for (exec, at, _) in &parts {
                    if parts.len() == 1 {
                        sources.push(Self::right(*right, 0));
                        continue;
                    }
                    let exec = exec.replace(',', if *no_mask { "," } else { "_NM," });
                    let right = Self::right(*right, *at);
                    self.line(format_args!("mov {exec} X({},0)<1> {right}", at / 8));
                    sources.push(format!("X({},0)<1;1,0>", at / 8));
                }
                for ((exec, at, _), right) in parts.iter().zip(sources) {
                    let (dst, left) = (Self::var(*dst, *at), Self::var(*left, *at));
                    self.line(format_args!(
                        "{pred}{} {exec} {dst}<1> {left}<1;1,0> {right}",
                        op.name()
                    ));
                }
            }
            Stmt::Lane { dst, to, src, from } => {
                let (dst, src) = (Self::var(*dst, to % simd), Self::var(*src, from % simd));
                self.line(format_args!("mov (M1_NM, 1) {dst}<1> {src}<0;1,0>"));
            }
            Stmt::Part { dst, src, first } => {
                let first = first * 8 % simd;
                let (dst, src) = (Self::var(*dst, first), Self::var(*src, first));
                self.line(format_args!(
                    "not (M{}, 8) {dst}<1> {src}<1;1,0>",
                    first / 4 + 1
                ));
            }
            Stmt::Compare {
                pred,
                relation,
                left,
                right,
            } => {
                for (exec, at, _) in self.parts(false) {
                    let (left, right) = (Self::var(*left, at), Self::right(*right, at));
                    self.line(format_args!(
                        "cmp.{} {exec} P{} {left}<1;1,0> {right}",
                        relation.name(),
                        pred + 1
                    ));
                }
            }
            Stmt::If {
                pred,
                inverse,
                then,
                otherwise,
            } => {
                let (no, end) = (self.label(), self.label());
                let not = if *inverse { "" } else { "!" };
                self.line(format_args!("({not}P{}) goto (M1, {simd}) L{no}", pred + 1));
                self.list(then);
                if otherwise.is_empty() {
                    return self.line(format_args!("L{no}:"));
                }
                self.line(format_args!("goto (M1, {simd}) L{end}\nL{no}:"));
                self.list(otherwise);
                self.line(format_args!("L{end}:"));
            }
            Stmt::Uniform {
                pred,
                then,
                otherwise,
            } => {
                let (no, end) = (self.label(), self.label());
                self.line(format_args!("(!P{}) goto (M1, 1) L{no}", pred + 1));
                self.list(then);
                self.line(format_args!("goto (M1, 1) L{end}\nL{no}:"));
                self.list(otherwise);
                self.line(format_args!("L{end}:"));
            }
            Stmt::Loop { count, body } => {
                let (top, latch, end) = (self.label(), self.label(), self.label());
                let counter = format!("C{}", self.depth);
                let parts = self.parts(false);
                for (exec, at, _) in &parts {
                    self.line(format_args!("mov {exec} {counter}({},0)<1> 0x0:ud", at / 8));
                }
                self.line(format_args!("L{top}:"));
                self.loops.push((latch, end));
                self.depth += 1;
                self.list(body);
                self.depth -= 1;
                self.loops.pop();
                self.line(format_args!("L{latch}:"));
                for (exec, at, _) in &parts {
                    let row = at / 8;
                    self.line(format_args!(
                        "add {exec} {counter}({row},0)<1> {counter}({row},0)<1;1,0> 0x1:ud"
                    ));
                    self.line(format_args!(
                        "cmp.lt {exec} PL {counter}({row},0)<1;1,0> {count:#x}:ud"
                    ));
                }
                self.line(format_args!("(PL) goto (M1, {simd}) L{top}\nL{end}:"));
            }
            Stmt::Break { pred } => {
                if let Some((_, end)) = self.loops.last().copied() {
                    self.line(format_args!("(P{}) goto (M1, {simd}) L{end}", pred + 1));
                }
            }
            Stmt::Continue { pred } => {
                if let Some((latch, _)) = self.loops.last().copied() {
                    self.line(format_args!("(P{}) goto (M1, {simd}) L{latch}", pred + 1));
                }
            }
            Stmt::Return { pred } => self.line(format_args!("(P{}) ret (M1, {simd})", pred + 1)),
        }
    }
}

/// Executes a program.
struct Machine {
    simd: usize,
    /// More elements than channels, because neighbours are read.
    vars: [[u32; 40]; 4],
    preds: [u32; PREDICATES],
    active: u32,
    /// Channels that left each enclosing loop, and those at its latch.
    loops: Vec<(u32, u32)>,
}

impl Machine {
    fn right(&self, right: Right, lane: usize) -> u32 {
        match right {
            Right::Own(v) => self.vars[v][lane],
            Right::Imm(n) => n,
            Right::Lane(v, from) => self.vars[v][from],
            Right::Shifted(v, by) => self.vars[v][lane + by],
        }
    }

    fn list(&mut self, list: &[Stmt]) {
        for stmt in list {
            if self.active == 0 {
                return;
            }
            self.stmt(stmt);
        }
    }

    /// Both sides, the channels of `taken` first.
    fn branch(&mut self, taken: u32, then: &[Stmt], otherwise: &[Stmt]) {
        let rest = self.active & !taken;
        self.active &= taken;
        self.list(then);
        let done = std::mem::replace(&mut self.active, rest);
        self.list(otherwise);
        self.active |= done;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match *stmt {
            Stmt::Assign {
                dst,
                left,
                op,
                right,
                no_mask,
                pred,
            } => {
                let mut mask = if no_mask { low(self.simd) } else { self.active };
                if let Some((p, inverse)) = pred {
                    mask &= if inverse {
                        !self.preds[p]
                    } else {
                        self.preds[p]
                    };
                }
                let rights: Vec<u32> = (0..self.simd).map(|lane| self.right(right, lane)).collect();
                for (lane, right) in rights
                    .into_iter()
                    .enumerate()
                    .filter(|(lane, _)| mask >> lane & 1 == 1)
                {
                    self.vars[dst][lane] = op.apply(self.vars[left][lane], right);
                }
            }
            Stmt::Lane { dst, to, src, from } => {
                self.vars[dst][to % self.simd] = self.vars[src][from % self.simd];
            }
            Stmt::Part { dst, src, first } => {
                let first = first * 8 % self.simd;
                for lane in (first..first + 8).filter(|lane| self.active >> lane & 1 == 1) {
                    self.vars[dst][lane] = !self.vars[src][lane];
                }
            }
            Stmt::Compare {
                pred,
                relation,
                left,
                right,
            } => {
                for lane in (0..self.simd).filter(|lane| self.active >> lane & 1 == 1) {
                    let (a, b) = (self.vars[left][lane], self.right(right, lane));
                    let holds = relation.holds(Num::I(a.into()), Num::I(b.into()));
                    self.preds[pred] = self.preds[pred] & !(1 << lane) | u32::from(holds) << lane;
                }
            }
            Stmt::If {
                pred,
                inverse,
                ref then,
                ref otherwise,
            } => {
                let holds = self.preds[pred];
                self.branch(if inverse { !holds } else { holds }, then, otherwise);
            }
            Stmt::Uniform {
                pred,
                ref then,
                ref otherwise,
            } => {
                let holds = if self.preds[pred] & 1 == 1 {
                    u32::MAX
                } else {
                    0
                };
                self.branch(holds, then, otherwise);
            }
            Stmt::Loop { count, ref body } => {
                let mut counters = [0; 32];
                self.loops.push((0, 0));
                while self.active != 0 {
                    self.list(body);
                    let (ended, latch) = self.loops.last_mut().expect("the loop");
                    self.active |= std::mem::take(latch);
                    for lane in (0..self.simd).filter(|lane| self.active >> lane & 1 == 1) {
                        counters[lane] += 1;
                        if counters[lane] >= count {
                            *ended |= 1 << lane;
                        }
                    }
                    self.active &= !*ended;
                }
                self.active = self.loops.pop().expect("the loop").0;
            }
            Stmt::Break { pred } => {
                let leaving = self.active & self.preds[pred];
                if let Some((ended, _)) = self.loops.last_mut() {
                    *ended |= leaving;
                    self.active &= !leaving;
                }
            }
            Stmt::Continue { pred } => {
                let leaving = self.active & self.preds[pred];
                if let Some((_, latch)) = self.loops.last_mut() {
                    *latch |= leaving;
                    self.active &= !leaving;
                }
            }
            Stmt::Return { pred } => self.active &= !self.preds[pred],
        }
    }
}

fn right() -> impl Strategy<Value = Right> {
    prop_oneof![
        3 => (0..4usize).prop_map(Right::Own),
        3 => (0..9u32).prop_map(Right::Imm),
        1 => (0..4usize, 0..8usize).prop_map(|(v, lane)| Right::Lane(v, lane)),
        1 => (0..4usize, 1..9usize).prop_map(|(v, by)| Right::Shifted(v, by)),
    ]
}

fn stmt() -> impl Strategy<Value = Stmt> {
    let op = (0..Op::ALL.len()).prop_map(|i| Op::ALL[i]);
    let relation = (0..Relation::ALL.len()).prop_map(|i| Relation::ALL[i]);
    let pred = || 0..PREDICATES;
    let guard = prop_oneof![3 => Just(None), 1 => (pred(), any::<bool>()).prop_map(Some)];
    let leaf = prop_oneof![
        6 => (0..4usize, 0..4usize, op, right(), prop::bool::weighted(0.15), guard).prop_map(
            |(dst, left, op, right, no_mask, pred)| Stmt::Assign { dst, left, op, right, no_mask, pred }
        ),
        1 => (0..4usize, 0..32usize, 0..4usize, 0..32usize)
            .prop_map(|(dst, to, src, from)| Stmt::Lane { dst, to, src, from }),
        1 => (0..4usize, 0..4usize, 0..4usize).prop_map(|(dst, src, first)| Stmt::Part { dst, src, first }),
        4 => (pred(), relation, 0..4usize, right())
            .prop_map(|(pred, relation, left, right)| Stmt::Compare { pred, relation, left, right }),
        1 => pred().prop_map(|pred| Stmt::Break { pred }),
        1 => pred().prop_map(|pred| Stmt::Continue { pred }),
    ];
    let depth = MAX_DEPTH as u32 - 1;
    leaf.prop_recursive(depth, 40, 5, move |inner| {
        let list = |least| prop::collection::vec(inner.clone(), least..6);
        prop_oneof![
            4 => (pred(), any::<bool>(), list(1), list(0)).prop_map(|(pred, inverse, then, otherwise)| {
                Stmt::If { pred, inverse, then, otherwise }
            }),
            1 => (pred(), list(1), list(1))
                .prop_map(|(pred, then, otherwise)| Stmt::Uniform { pred, then, otherwise }),
            3 => (1..4u32, list(1)).prop_map(|(count, body)| Stmt::Loop { count, body }),
        ]
    })
}

fn program() -> impl Strategy<Value = Program> {
    let simd = prop_oneof![Just(8u8), Just(16), Just(32)];
    let ret = prop::option::weighted(0.2, (0..8usize, 0..PREDICATES));
    (
        simd,
        0..32u32,
        any::<u64>(),
        prop::collection::vec(stmt(), 3..8),
        ret,
    )
        .prop_map(|(simd, out, seed, mut body, ret)| {
            if let Some((at, pred)) = ret {
                body.insert(at.min(body.len()), Stmt::Return { pred });
            }
            // Mostly full threads.
            let items = if out < u32::from(simd) / 2 {
                u32::from(simd) - out
            } else {
                simd.into()
            };
            Program {
                simd,
                items,
                seed,
                body,
            }
        })
}

impl Program {
    fn bench(&self, preds: &[u32; PREDICATES]) -> Bench {
        let simd = usize::from(self.simd);
        let ty = if simd > 16 { "ud" } else { "uw" };
        let mut writer = Writer {
            simd,
            text: String::new(),
            labels: 0,
            loops: Vec::new(),
            depth: 0,
        };
        for (p, bits) in preds.iter().enumerate() {
            writer.line(format_args!(
                "setp (M1_NM, {simd}) P{} {bits:#x}:{ty}",
                p + 1
            ));
        }
        writer.list(&self.body);
        let mut decls = String::from(".decl X v_type=G type=ud num_elts=32 align=hword\n");
        for p in 0..PREDICATES {
            let _ = writeln!(decls, ".decl P{} v_type=P num_elts={simd}", p + 1);
        }
        let _ = writeln!(decls, ".decl PL v_type=P num_elts={simd}");
        for depth in 0..MAX_DEPTH {
            let _ = writeln!(
                decls,
                ".decl C{depth} v_type=G type=ud num_elts=32 align=hword"
            );
        }
        Bench {
            simd: self.simd,
            items: self.items,
            decls,
            body: writer.text,
        }
    }

    fn check(&self) -> Result<(), String> {
        let mut r = Random(self.seed);
        let mut before: State = [[0; VAR_BYTES]; 4];
        for dword in before.iter_mut().flat_map(|var| var.chunks_exact_mut(4)) {
            dword[0] = r.below(8) as u8;
        }
        let simd = usize::from(self.simd);
        let preds = std::array::from_fn(|_| r.next() as u32 & low(simd));
        let value = |v: usize, lane: usize| element(&before[v], lane * 4, Ty::Ud) as u32;
        let mut machine = Machine {
            simd,
            vars: std::array::from_fn(|v| std::array::from_fn(|lane| value(v, lane))),
            preds,
            active: low(self.items as usize),
            loops: Vec::new(),
        };
        machine.list(&self.body);
        let bench = self.bench(&preds);
        for (target, grf_limit) in [("skl", 128), ("skl", 36), ("icllp", 36)] {
            let after = bench
                .run_in(common::target(target), &before, grf_limit)
                .map_err(|e| format!("{e}\n{}", bench.body))?;
            // No channel may have reached the code after the end.
            let reached = machine.active != 0;
            for v in 0..4 {
                for lane in 0..simd {
                    let found = element(&after[v], lane * 4, Ty::Ud) as u32;
                    let expected = if reached { machine.vars[v][lane] } else { 0 };
                    if found != expected {
                        let name = VARS[v];
                        let place = format!("{name} of channel {lane}, {target}, {grf_limit} GRFs");
                        return Err(format!(
                            "{place}: {found:#x} found, {expected:#x} expected\n{}",
                            bench.body
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

#[test]
fn divergent_programs_do_what_each_channel_asks() {
    let cases = crate::cases("PROGRAMS", 200);
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let result = runner.run(&program(), |program| {
        program.check().map_err(TestCaseError::fail)
    });
    if let Err(e) = result {
        panic!("{e}");
    }
}
