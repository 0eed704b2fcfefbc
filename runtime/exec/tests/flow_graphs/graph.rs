//! Random kernels with arbitrary control flow, and the expected results of each channel.
//!
//! A block changes a few variables and predicates under the mask and ends in a random branch: loops with several
//! entries and exits, branches into loops, uniform branches. No instruction crosses channels, so that a channel's
//! results are those of walking the graph alone ([`Graph::walk`]), in any order of execution. Every backward branch
//! costs the channel fuel and is not taken without any, so that all channels end.
//!
//! A graph may have subroutines, each a graph of its own, which share variables, predicates and fuel. Each calls later
//! ones, also under predicates, but not in loops, and may return early.

use std::fmt::Write;

use kiln_emit::platform::{MessageFamily, Payload, Platform};

use crate::random::Random;

const MAX_VARS: usize = 9;
const MAX_PREDS: usize = 8;
/// Initial contents of the buffer of results.
pub const UNWRITTEN: i32 = 0x5a5a_5a5a;

/// A predicate, and true if it must not hold.
pub type Guard = (usize, bool);

#[derive(Clone, Copy, Debug)]
pub enum Right {
    Var(usize),
    Imm(i32),
}

#[derive(Clone, Copy, Debug)]
pub enum Op {
    Add,
    Xor,
    And,
    Or,
    Shl,
}

#[derive(Clone, Copy, Debug)]
pub enum Relation {
    Lt,
    Ge,
    Eq,
    Ne,
}

#[derive(Clone, Debug)]
pub enum Change {
    Assign {
        guard: Option<Guard>,
        op: Op,
        dst: usize,
        left: usize,
        right: Right,
    },
    Compare {
        pred: usize,
        relation: Relation,
        left: usize,
        right: Right,
    },
    Call {
        guard: Option<Guard>,
        routine: usize,
    },
}

/// End of a block. Block numbers beyond the last stand for the end of the program.
#[derive(Clone, Debug)]
pub enum Exit {
    Fall,
    /// Forward, for each channel whose guard holds; without a guard, for all.
    Goto {
        to: usize,
        guard: Option<Guard>,
    },
    /// A forward branch that all channels take if the constant is true; without a constant, always.
    Uniform {
        to: usize,
        taken: Option<bool>,
    },
    /// Backward, for the channels that have fuel and whose guard holds; with `stay`, the branch tests for the channels
    /// that leave.
    Back {
        to: usize,
        guard: Option<Guard>,
        stay: bool,
    },
    /// Channels without fuel go forward to `out`; all others go back.
    UniformBack {
        to: usize,
        out: usize,
        guarded: bool,
    },
}

#[derive(Clone, Debug)]
pub struct Block {
    pub changes: Vec<Change>,
    pub exit: Exit,
}

/// One kernel.
#[derive(Clone, Debug)]
pub struct Graph {
    pub simd: usize,
    /// Work-items, at most `simd`.
    pub items: usize,
    vars: usize,
    preds: usize,
    /// A channel's fuel is its number plus this.
    fuel: i16,
    /// True if the first block may be a loop header: it then sets the variables.
    header_first: bool,
    pub blocks: Vec<Block>,
    /// The blocks of each subroutine.
    pub routines: Vec<Vec<Block>>,
    /// True if the first variable is accessed only through its address.
    indirect: bool,
}

/// State of one channel.
struct Channel {
    vars: [i32; MAX_VARS],
    preds: u32,
    fuel: i16,
}

impl Op {
    const ALL: [Op; 5] = [Op::Add, Op::Xor, Op::And, Op::Or, Op::Shl];

    fn name(self) -> &'static str {
        ["add", "xor", "and", "or", "shl"][self as usize]
    }

    fn apply(self, a: i32, b: i32) -> i32 {
        match self {
            Op::Add => a.wrapping_add(b),
            Op::Xor => a ^ b,
            Op::And => a & b,
            Op::Or => a | b,
            Op::Shl => a.wrapping_shl(b as u32),
        }
    }
}

impl Relation {
    const ALL: [Relation; 4] = [Relation::Lt, Relation::Ge, Relation::Eq, Relation::Ne];

    fn name(self) -> &'static str {
        ["lt", "ge", "eq", "ne"][self as usize]
    }

    fn holds(self, a: i32, b: i32) -> bool {
        match self {
            Relation::Lt => a < b,
            Relation::Ge => a >= b,
            Relation::Eq => a == b,
            Relation::Ne => a != b,
        }
    }
}

impl Graph {
    /// Draws a graph.
    pub fn random(seed: u64) -> Graph {
        let mut r = Random(seed);
        let simd = r.of(&[8, 16, 16, 32]);
        let items = if r.below(3) == 0 {
            1 + r.below(simd)
        } else {
            simd
        };
        let most = r.of(&[5, 11, 24]);
        let count = 2 + r.below(most);
        let mut graph = Graph {
            simd,
            items,
            vars: 2 + r.below(MAX_VARS - 1),
            preds: 1 + r.below(MAX_PREDS),
            fuel: r.below(6) as i16,
            header_first: r.below(12) == 0,
            blocks: Vec::new(),
            routines: Vec::new(),
            indirect: false,
        };
        for b in 0..count {
            let block = graph.block(&mut r, b, count);
            graph.blocks.push(block);
        }
        graph
    }

    /// Draws a graph with subroutines.
    pub fn with_routines(seed: u64) -> Graph {
        let mut graph = Graph::random(seed);
        let mut r = Random(!seed);
        graph.indirect = r.below(3) == 0;
        graph.header_first = false;
        let count = 1 + r.below(4);
        for _ in 0..count {
            let most = r.of(&[1, 4, 9]);
            let blocks = 1 + r.below(most);
            let blocks = (0..blocks).map(|b| graph.block(&mut r, b, blocks));
            let blocks = blocks.collect();
            graph.routines.push(blocks);
        }
        let mut parts = std::mem::take(&mut graph.routines);
        parts.insert(0, std::mem::take(&mut graph.blocks));
        // A part may call only later parts.
        for (n, part) in parts.iter_mut().enumerate().take(count) {
            for block in part {
                if r.below(if n == 0 { 2 } else { 3 }) == 0 {
                    let guard = (r.below(3) == 0).then(|| graph.guard(&mut r));
                    let routine = n + r.below(count - n);
                    let at = r.below(block.changes.len() + 1);
                    let call = Change::Call { guard, routine };
                    block.changes.insert(at, call);
                }
            }
        }
        graph.blocks = parts.remove(0);
        graph.routines = parts;
        graph
    }

    fn guard(&self, r: &mut Random) -> Guard {
        (r.below(self.preds), r.below(2) == 0)
    }

    fn right(&self, r: &mut Random) -> Right {
        if r.below(2) == 0 {
            Right::Var(r.below(self.vars))
        } else {
            Right::Imm(r.below(40) as i32 - 10)
        }
    }

    fn block(&self, r: &mut Random, b: usize, count: usize) -> Block {
        let changes = (0..r.below(4)).map(|_| self.change(r)).collect();
        let guard = (r.below(4) != 0).then(|| self.guard(r));
        // Mostly near, sometimes anywhere.
        let mut far = |room: usize| match r.below(3) {
            0 => r.below(room),
            _ => r.below(room.min(4)),
        };
        let ahead = b + 1 + far(count - b);
        let behind = b - far(b + 1);
        let exit = match r.below(16) {
            0..=2 => Exit::Fall,
            3..=8 => Exit::Goto { to: ahead, guard },
            9 => Exit::Uniform {
                to: ahead,
                taken: guard.map(|(_, inverse)| inverse),
            },
            10..=13 => Exit::Back {
                to: behind,
                guard,
                stay: r.below(2) == 0,
            },
            14 => Exit::UniformBack {
                to: behind,
                out: ahead,
                guarded: guard.is_some(),
            },
            _ => Exit::Goto { to: count, guard },
        };
        Block { changes, exit }
    }

    fn change(&self, r: &mut Random) -> Change {
        if r.below(4) == 0 {
            return Change::Compare {
                pred: r.below(self.preds),
                relation: r.of(&Relation::ALL),
                left: r.below(self.vars),
                right: self.right(r),
            };
        }
        let op = r.of(&Op::ALL);
        Change::Assign {
            guard: (r.below(4) == 0).then(|| self.guard(r)),
            op,
            dst: r.below(self.vars),
            left: r.below(self.vars),
            right: match op {
                Op::Shl => Right::Imm(1 + r.below(3) as i32),
                _ => self.right(r),
            },
        }
    }

    /// Dwords of results.
    pub fn results(&self) -> usize {
        (self.vars + 1) * self.simd
    }

    /// Contents of the buffer of results after the launch.
    pub fn expected(&self) -> Vec<i32> {
        let mut out = vec![UNWRITTEN; self.results()];
        for lane in 0..self.items {
            let end = self.walk(lane);
            for v in 0..self.vars {
                out[v * self.simd + lane] = end.vars[v];
            }
            out[self.vars * self.simd + lane] = end.preds as i32;
        }
        out
    }

    fn initial(&self, lane: usize, v: usize) -> i32 {
        (lane as i32 * (v as i32 * 37 + 11)) ^ (v as i32 * 5)
    }

    /// The path of one channel through the graph.
    fn walk(&self, lane: usize) -> Channel {
        let mut c = Channel {
            vars: [0; MAX_VARS],
            preds: 0,
            fuel: lane as i16 + if self.header_first { 0 } else { self.fuel },
        };
        if !self.header_first {
            self.start(&mut c, lane);
        }
        let mut at = 0;
        while let Some(block) = self.blocks.get(at) {
            if at == 0 && self.header_first {
                self.start(&mut c, lane);
            }
            at = self.step(&mut c, block, at);
        }
        c
    }

    /// Executes a block and returns the next one.
    fn step(&self, c: &mut Channel, block: &Block, at: usize) -> usize {
        for change in &block.changes {
            match *change {
                Change::Call { guard, routine } if guard.is_none_or(|g| c.holds(g)) => {
                    let mut at = 0;
                    while let Some(block) = self.routines[routine].get(at) {
                        at = self.step(c, block, at);
                    }
                }
                _ => c.change(change),
            }
        }
        match block.exit {
            Exit::Fall => at + 1,
            Exit::Goto { to, guard } if guard.is_none_or(|g| c.holds(g)) => to,
            Exit::Uniform { to, taken } if taken != Some(false) => to,
            Exit::Goto { .. } | Exit::Uniform { .. } => at + 1,
            Exit::Back { to, guard, .. } => {
                c.fuel -= 1;
                match c.fuel > 0 && guard.is_none_or(|g| c.holds(g)) {
                    true => to,
                    false => at + 1,
                }
            }
            Exit::UniformBack { to, out, .. } => {
                c.fuel -= 1;
                if c.fuel > 0 { to } else { out }
            }
        }
    }

    fn start(&self, c: &mut Channel, lane: usize) {
        for v in 0..self.vars {
            c.vars[v] = self.initial(lane, v);
        }
        for p in 0..self.preds {
            let holds = c.vars[p % self.vars] & (1 << (p % 4)) != 0;
            c.preds = c.preds & !(1 << p) | u32::from(holds) << p;
        }
    }

    /// The kernel's text for a target.
    pub fn text(&self, target: &'static Platform) -> String {
        let mut w = Writer {
            target,
            simd: self.simd,
            indirect: self.indirect,
            part: "B".into(),
            text: String::new(),
        };
        w.declarations(self);
        if self.header_first {
            w.line(format_args!("B0:"));
        }
        w.start(self);
        for (b, block) in self.blocks.iter().enumerate() {
            if b > 0 || !self.header_first {
                w.line(format_args!("B{b}:"));
            }
            block.changes.iter().for_each(|change| w.change(change));
            w.exit(&block.exit);
        }
        w.line(format_args!("B{}:", self.blocks.len()));
        w.end(self);
        let simd = self.simd;
        for (n, blocks) in self.routines.iter().enumerate() {
            w.line(format_args!(".function \"routine_{n}\"\nroutine_{n}:"));
            w.part = format!("R{n}_");
            for (b, block) in blocks.iter().enumerate() {
                w.line(format_args!("R{n}_{b}:"));
                block.changes.iter().for_each(|change| w.change(change));
                w.exit(&block.exit);
            }
            w.line(format_args!("R{n}_{}:\nret (M1, {simd})", blocks.len()));
        }
        w.text
    }
}

impl Channel {
    fn holds(&self, (pred, inverse): Guard) -> bool {
        (self.preds >> pred & 1 == 1) != inverse
    }

    fn value(&self, right: Right) -> i32 {
        match right {
            Right::Var(v) => self.vars[v],
            Right::Imm(n) => n,
        }
    }

    fn change(&mut self, change: &Change) {
        match *change {
            Change::Assign {
                guard,
                op,
                dst,
                left,
                right,
            } => {
                if guard.is_none_or(|g| self.holds(g)) {
                    self.vars[dst] = op.apply(self.vars[left], self.value(right));
                }
            }
            Change::Compare {
                pred,
                relation,
                left,
                right,
            } => {
                let holds = relation.holds(self.vars[left], self.value(right));
                self.preds = self.preds & !(1 << pred) | u32::from(holds) << pred;
            }
            Change::Call { .. } => {}
        }
    }
}

/// Writes a graph as vISA.
struct Writer {
    target: &'static Platform,
    simd: usize,
    indirect: bool,
    /// Prefix of labels.
    part: String,
    text: String,
}

impl Writer {
    fn line(&mut self, line: std::fmt::Arguments) {
        let _ = writeln!(self.text, "{line}");
    }

    fn grf(&self) -> usize {
        self.target.grf_bytes as usize
    }

    fn align(&self) -> &'static str {
        match self.grf() {
            64 => "align=wordx32",
            _ => "align=hword",
        }
    }

    fn loads_by_address(&self) -> bool {
        self.target.memory == MessageFamily::LoadStore
    }

    /// Channels of an instruction: as many as have dwords in two registers.
    fn size(&self) -> usize {
        self.simd.min(self.grf() / 2)
    }

    /// One instruction for all channels, or two for the halves. In `form`, `@` stands for the execution size,
    /// `#` for the row of dwords, `&` for its bytes, and `%` for the row of words.
    fn all(&mut self, no_mask: bool, form: &str) {
        let (size, grf) = (self.size(), self.grf());
        let mask = if no_mask { "_NM" } else { "" };
        for at in (0..self.simd).step_by(size) {
            let line = form
                .replace('@', &format!("(M{}{mask}, {size})", at / 4 + 1))
                .replace('#', &(at * 4 / grf).to_string())
                .replace('&', &(at * 4).to_string())
                .replace('%', &(at * 2 / grf).to_string());
            self.line(format_args!("{line}"));
        }
    }

    fn masked(&mut self, form: std::fmt::Arguments) {
        self.all(false, &form.to_string());
    }

    fn declarations(&mut self, graph: &Graph) {
        let (simd, grf, align) = (self.simd, self.grf(), self.align());
        let version = if self.loads_by_address() {
            "4.2"
        } else {
            "4.1"
        };
        self.line(format_args!(".version {version}\n.kernel \"graph\""));
        for name in ["ID", "AT", "T"] {
            self.line(format_args!(
                ".decl {name} v_type=G type=d num_elts={simd} {align}"
            ));
        }
        for v in 0..graph.vars {
            self.line(format_args!(
                ".decl X{v} v_type=G type=d num_elts={simd} {align}"
            ));
        }
        for p in 0..graph.preds {
            self.line(format_args!(".decl P{} v_type=P num_elts={simd}", p + 1));
        }
        let words = simd.max(grf / 2);
        let bytes = words * 2;
        if graph.indirect {
            self.line(format_args!(".decl A0 v_type=A num_elts=1"));
        }
        self.line(format_args!(
            ".decl PB v_type=P num_elts={simd}\n\
             .decl PU v_type=P num_elts={simd}\n\
             .decl FUEL v_type=G type=w num_elts={words} {align}\n\
             .decl LANE v_type=G type=uw num_elts=32 {align}\n\
             .decl T6 v_type=T num_elts=1 v_name=T006\n\
             .input FUEL offset={grf} size={bytes}\n\
             .kernel_attr Target=\"3d\"\n\
             .kernel_attr SimdSize={simd}"
        ));
        // The kernel loads them.
        if self.target.payload == Payload::Memory {
            let ids = id_bytes(simd, self.target);
            self.line(format_args!(".kernel_attr PerThreadInputSize={ids}"));
        }
        self.line(format_args!(".function \"graph_0\""));
    }

    fn start(&mut self, graph: &Graph) {
        let ones = if self.simd == 32 {
            "0xffffffff:ud"
        } else {
            "0xffff:uw"
        };
        let (simd, row) = (self.simd, 32 / self.grf());
        let column = if row == 0 { 16 } else { 0 };
        self.line(format_args!(
            "mov (M1_NM, 8) LANE(0,0)<1> 0x76543210:uv\n\
             add (M1_NM, 8) LANE(0,8)<1> LANE(0,0)<1;1,0> 0x8:uw\n\
             add (M1_NM, 16) LANE({row},{column})<1> LANE(0,0)<1;1,0> 0x10:uw\n\
             setp (M1_NM, {simd}) PU {ones}"
        ));
        self.all(true, "mov @ ID(#,0)<1> LANE(%,0)<1;1,0>");
        if graph.indirect {
            self.line(format_args!("addr_add (M1_NM, 1) A0(0)<1> &X0 0x0:uw"));
        }
        if !graph.header_first {
            let fuel = graph.fuel;
            self.masked(format_args!(
                "add @ FUEL(%,0)<1> FUEL(%,0)<1;1,0> {fuel:#x}:w"
            ));
        }
        for v in 0..graph.vars {
            let (factor, flip) = (v * 37 + 11, v * 5);
            self.masked(format_args!(
                "mul @ X{v}(#,0)<1> ID(#,0)<1;1,0> {factor:#x}:w"
            ));
            self.masked(format_args!(
                "xor @ X{v}(#,0)<1> X{v}(#,0)<1;1,0> {flip:#x}:w"
            ));
        }
        for p in 0..graph.preds {
            let (v, bit) = (p % graph.vars, 1 << (p % 4));
            self.masked(format_args!("and @ T(#,0)<1> X{v}(#,0)<1;1,0> {bit:#x}:w"));
            self.masked(format_args!("cmp.ne @ P{} T(#,0)<1;1,0> 0x0:w", p + 1));
        }
    }

    fn source(&self, v: usize) -> String {
        match (self.indirect, v) {
            (true, 0) => "r[A0(0),&]<8;8,1>:d".into(),
            _ => format!("X{v}(#,0)<1;1,0>"),
        }
    }

    fn destination(&self, v: usize) -> String {
        match (self.indirect, v) {
            (true, 0) => "r[A0(0),&]<1>:d".into(),
            _ => format!("X{v}(#,0)<1>"),
        }
    }

    fn right(&self, right: Right) -> String {
        match right {
            Right::Var(v) => self.source(v),
            Right::Imm(n) => format!("{:#x}:w", n as i16),
        }
    }

    fn guard((pred, inverse): Guard) -> String {
        format!("({}P{})", if inverse { "!" } else { "" }, pred + 1)
    }

    fn change(&mut self, change: &Change) {
        match *change {
            Change::Assign {
                guard,
                op,
                dst,
                left,
                right,
            } => {
                let guard = guard.map_or(String::new(), |g| Self::guard(g) + " ");
                let (op, right) = (op.name(), self.right(right));
                let (dst, left) = (self.destination(dst), self.source(left));
                self.masked(format_args!("{guard}{op} @ {dst} {left} {right}"));
            }
            Change::Compare {
                pred,
                relation,
                left,
                right,
            } => {
                let (relation, right) = (relation.name(), self.right(right));
                let left = self.source(left);
                self.masked(format_args!(
                    "cmp.{relation} @ P{} {left} {right}",
                    pred + 1
                ));
            }
            Change::Call { guard, routine } => {
                let guard = guard.map_or(String::new(), |g| Self::guard(g) + " ");
                let simd = self.simd;
                self.line(format_args!("{guard}call (M1, {simd}) routine_{routine}"));
            }
        }
    }

    /// Spends fuel and sets `PB`: with `left`, where fuel remains and the guard holds; without, where not.
    fn fuel(&mut self, guard: Option<Guard>, left: bool) {
        let relation = if left { "gt" } else { "le" };
        self.masked(format_args!("add @ FUEL(%,0)<1> FUEL(%,0)<1;1,0> 0xffff:w"));
        match guard {
            None => self.masked(format_args!("cmp.{relation} @ PB FUEL(%,0)<1;1,0> 0x0:w")),
            Some(guard) => {
                let guard = Self::guard(guard);
                self.masked(format_args!("mov @ T(#,0)<1> FUEL(%,0)<1;1,0>"));
                self.masked(format_args!("{guard} sel @ T(#,0)<1> T(#,0)<1;1,0> 0x0:w"));
                self.masked(format_args!("cmp.{relation} @ PB T(#,0)<1;1,0> 0x0:w"));
            }
        }
    }

    fn exit(&mut self, exit: &Exit) {
        let (simd, part) = (self.simd, self.part.clone());
        match *exit {
            Exit::Fall => {}
            Exit::Goto { to, guard } => {
                let guard = guard.map_or(String::new(), |g| Self::guard(g) + " ");
                self.line(format_args!("{guard}goto (M1, {simd}) {part}{to}"));
            }
            Exit::Uniform { to, taken } => {
                let guard = match taken {
                    None => "",
                    Some(true) => "(PU) ",
                    Some(false) => "(!PU) ",
                };
                self.line(format_args!("{guard}goto (M1, 1) {part}{to}"));
            }
            Exit::Back { to, guard, stay } => {
                self.fuel(guard, !stay);
                let not = if stay { "!" } else { "" };
                self.line(format_args!("({not}PB) goto (M1, {simd}) {part}{to}"));
            }
            Exit::UniformBack { to, out, guarded } => {
                self.fuel(None, false);
                let guard = if guarded { "(PU) " } else { "" };
                self.line(format_args!("(PB) goto (M1, {simd}) {part}{out}"));
                self.line(format_args!("{guard}goto (M1, 1) {part}{to}"));
            }
        }
    }

    /// Each channel that arrives stores its results.
    fn end(&mut self, graph: &Graph) {
        if !self.loads_by_address() {
            self.line(format_args!("movs (M1_NM, 1) T6(0) 0x0:ud"));
        }
        self.masked(format_args!("shl @ AT(#,0)<1> ID(#,0)<1;1,0> 0x2:w"));
        let row = self.simd * 4;
        for v in 0..graph.vars {
            self.store(&format!("X{v}"), v * row);
        }
        self.masked(format_args!("mov @ X0(#,0)<1> 0x0:d"));
        for p in 0..graph.preds {
            self.masked(format_args!(
                "(P{}) or @ X0(#,0)<1> X0(#,0)<1;1,0> {:#x}:w",
                p + 1,
                1 << p
            ));
        }
        self.store("X0", graph.vars * row);
        self.line(format_args!("ret (M1, 1)"));
    }

    fn store(&mut self, var: &str, offset: usize) {
        let size = self.size();
        for at in (0..self.simd).step_by(size) {
            let (mask, byte) = (at / 4 + 1, at * 4);
            match self.loads_by_address() {
                true => self.line(format_args!(
                    "lsc_store.ugm (M{mask}, {size}) bti(0x0)[AT.{byte}+{offset:#x}]:a32 {var}.{byte}:d32"
                )),
                false => self.line(format_args!(
                    "scatter4_scaled.R (M{mask}, {size}) T6 {offset:#x}:ud AT.{byte} {var}.{byte}"
                )),
            }
        }
    }
}

/// Bytes of the local ids of a thread.
pub fn id_bytes(simd: usize, target: &Platform) -> usize {
    (simd * 2).next_multiple_of(target.grf_bytes as usize) * 3
}
