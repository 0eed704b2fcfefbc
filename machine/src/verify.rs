//! The verifier of machine IR.
//!
//! Takes a function and checks the rules that passes rely on: SSA form, shapes of terminators, operands inside
//! their registers. The rules of the target's instructions are those of `rules`, which `kiln-emit` provides.

use std::fmt::{self, Display, Formatter};

use crate::func::{Block, Class, Function, RegData, Term};
use crate::graph::Graph;
use crate::inst::{Base, Desc, Inst, Old, Opcode, Pred, Reg, Role, Src, VReg};
use kiln_platform::isa::{MathFn, Op};

/// The stage that a function has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// After selection: any operand may span several registers.
    Wide,
    /// After legalization: only operands of messages and of products of matrices may span several registers.
    Legal,
}

/// The target's rules for an instruction; an error describes the broken rule.
pub type Rules<'a> = dyn Fn(&Function, &Inst) -> Result<(), String> + 'a;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub function: String,
    pub block: Block,
    /// The place in the block.
    pub at: At,
    /// The instruction, terminator or parameter there, as text.
    pub text: String,
    pub found: String,
    pub expected: String,
}

/// A place in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Params,
    Inst(usize),
    Term,
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "{}: {}: ", self.function, self.block)?;
        match self.at {
            At::Params => write!(f, "parameters")?,
            At::Inst(n) => write!(f, "instruction {n}")?,
            At::Term => write!(f, "terminator")?,
        }
        write!(
            f,
            " `{}`: {}, expected {}",
            self.text, self.found, self.expected
        )
    }
}

impl std::error::Error for Error {}

/// Checks a function.
///
/// # Errors
/// The first broken rule.
pub fn verify(func: &Function, level: Level, rules: Option<&Rules>) -> Result<(), Box<Error>> {
    let verifier = Verifier { func, level, rules };
    verifier.run().map_err(|(block, at, what)| {
        let text = match (func.blocks.get(block), at) {
            (None, _) => String::new(),
            (Some(data), At::Params) => format!("{:?}", data.params),
            (Some(data), At::Inst(n)) => func.show_inst(&data.insts[n]).to_string(),
            (Some(_), At::Term) => func.show_term(block).to_string(),
        };
        Box::new(Error {
            function: func.name.clone(),
            block,
            at,
            text,
            found: what.found,
            expected: what.expected,
        })
    })
}

/// A broken rule without its place.
struct Broken {
    found: String,
    expected: String,
}

/// The result of a check.
type Check = Result<(), Broken>;
type Located = Result<(), (Block, At, Broken)>;

fn fail<T>(found: impl Into<String>, expected: impl Into<String>) -> Result<T, Broken> {
    Err(Broken {
        found: found.into(),
        expected: expected.into(),
    })
}

fn demand(holds: bool, found: impl FnOnce() -> String, expected: &str) -> Check {
    if holds {
        Ok(())
    } else {
        fail(found(), expected)
    }
}

/// A definition point: the block, and the number of the instruction from 1 on, 0 for a parameter.
#[derive(Clone, Copy)]
struct Def {
    block: Block,
    place: usize,
}

struct Verifier<'a> {
    func: &'a Function,
    level: Level,
    rules: Option<&'a Rules<'a>>,
}

impl Verifier<'_> {
    fn run(&self) -> Located {
        let func = self.func;
        let entry = func.entry();
        if func.blocks.is_empty() {
            return fail("no blocks", "an entry").map_err(|what| (entry, At::Params, what));
        }
        for (block, data) in func.blocks.iter() {
            let known = || data.succs.iter().all(|e| func.blocks.is_valid(e.to));
            let at_term = |what| (block, At::Term, what);
            demand(
                known(),
                || "no such block".into(),
                "a block of the function",
            )
            .map_err(at_term)?;
        }
        let graph = Graph::new(func);
        let entered = func.blocks[entry].params.len() + graph.preds(entry).len();
        demand(
            entered == 0,
            || "the entry has predecessors or parameters".into(),
            "neither",
        )
        .map_err(|what| (entry, At::Params, what))?;

        let defs = self.definitions()?;
        for (block, data) in func.blocks.iter() {
            for (n, inst) in data.insts.iter().enumerate() {
                self.uses(&graph, &defs, block, n + 1, inst)
                    .and_then(|()| self.inst(inst))
                    .map_err(|what| (block, At::Inst(n), what))?;
            }
            self.term(&graph, &defs, block)
                .map_err(|what| (block, At::Term, what))?;
        }
        Ok(())
    }

    fn definitions(&self) -> Result<Vec<Option<Def>>, (Block, At, Broken)> {
        let func = self.func;
        let mut defs: Vec<Option<Def>> = vec![None; func.regs.len()];
        let mut define = |v: VReg, block: Block, place: usize, at: At| {
            let Some(def) = defs.get_mut(v.as_u32() as usize) else {
                let what = fail::<()>(format!("{v}"), "a register of the function");
                return what.map_err(|what| (block, at, what));
            };
            if def.replace(Def { block, place }).is_some() {
                let what = fail::<()>(format!("{v} is defined again"), "one definition");
                return what.map_err(|what| (block, at, what));
            }
            Ok(())
        };
        for &(v, _) in &func.inputs {
            define(v, func.entry(), 0, At::Params)?;
        }
        for (block, data) in func.blocks.iter() {
            for &v in &data.params {
                define(v, block, 0, At::Params)?;
            }
            for (n, inst) in data.insts.iter().enumerate() {
                self.lists(inst)
                    .map_err(|what| (block, At::Inst(n), what))?;
                let mut result = Ok(());
                func.visit(inst, |v, role| {
                    if role.is_def() && result.is_ok() {
                        result = define(v, block, n + 1, At::Inst(n));
                    }
                });
                result?;
            }
        }
        Ok(defs)
    }

    /// Checks that the function has the lists, messages and symbols of an instruction. Other checks rely on it.
    fn lists(&self, inst: &Inst) -> Check {
        let func = self.func;
        let srcs = inst.srcs.iter().filter_map(Src::as_reg).map(|r| r.reg);
        let regs = srcs.chain(inst.dst.iter().map(|d| d.reg));
        let old = inst.dst.and_then(|d| match d.old {
            Old::List(l) => Some(l),
            _ => None,
        });
        for list in regs.filter_map(Reg::as_list).chain(old) {
            let valid = func.lists.is_valid(list);
            demand(valid, || format!("{list:?}"), "a list of the function")?;
        }
        if let Some(id) = inst.message.expand() {
            let valid = func.messages.is_valid(id);
            demand(valid, || format!("{id:?}"), "a message of the function")?;
        }
        if let Some(symbol) = inst.symbol.expand() {
            let valid = func.symbols.is_valid(symbol);
            demand(valid, || format!("{symbol:?}"), "a symbol of the function")?;
        }
        Ok(())
    }

    fn used(
        &self,
        graph: &Graph,
        defs: &[Option<Def>],
        v: VReg,
        block: Block,
        place: usize,
    ) -> Check {
        let Some(def) = defs.get(v.as_u32() as usize).copied().flatten() else {
            return fail(format!("{v} is not defined"), "a definition");
        };
        let holds = if def.block == block {
            def.place < place
        } else {
            graph.dominates(def.block, block) || !graph.is_reached(block)
        };
        let found = || format!("{v}, defined in {}, does not reach this use", def.block);
        demand(holds, found, "a definition on every way here")
    }

    fn uses(
        &self,
        graph: &Graph,
        defs: &[Option<Def>],
        block: Block,
        place: usize,
        inst: &Inst,
    ) -> Check {
        let mut result = Ok(());
        let func = self.func;
        func.visit(inst, |v, role| {
            if result.is_err() {
                return;
            }
            result = match (role.is_def(), role.old()) {
                (false, _) => self
                    .used(graph, defs, v, block, place)
                    .and_then(|()| self.class(v, role)),
                (true, Some(old)) => self
                    .used(graph, defs, old, block, place)
                    .and_then(|()| self.same(old, v))
                    .and_then(|()| self.class(v, role)),
                (true, None) => self.class(v, role),
            };
        });
        result
    }

    /// Checks the class of a register by its role.
    fn class(&self, v: VReg, role: Role) -> Check {
        let expected = match role {
            Role::Source { .. } | Role::Result { .. } => return Ok(()),
            Role::Address | Role::Descriptor => Class::Addr,
            Role::Predicate | Role::Flag { .. } => Class::Flag,
        };
        let found = self.func.regs[v].class;
        let name = match expected {
            Class::Addr => "an address register",
            _ => "a flag",
        };
        demand(
            found == expected,
            || format!("{}", self.func.definition(v)),
            name,
        )
    }

    /// Checks that two tied registers have the same class and size.
    fn same(&self, from: VReg, to: VReg) -> Check {
        let shape = |v: VReg| {
            let RegData { class, bytes, .. } = self.func.regs[v];
            (class, bytes)
        };
        let found = || {
            let (from, to) = (self.func.definition(from), self.func.definition(to));
            format!("{from} in the place of {to}")
        };
        demand(shape(from) == shape(to), found, "equal class and bytes")
    }

    fn inst(&self, inst: &Inst) -> Check {
        let func = self.func;
        self.channels(inst.exec_size, inst.chan_off)?;
        let op = match inst.op {
            Opcode::Undef => {
                let defines = inst.dst.is_some_and(|d| d.reg.as_virt().is_some());
                return demand(defines, || "no virtual register".into(), "one to define");
            }
            Opcode::Gen(op) => op,
            Opcode::Call
            | Opcode::CallAddress
            | Opcode::Results
            | Opcode::CallRoutine(_)
            | Opcode::Return => return self.passing(inst),
        };
        let flow = op.is_branch() && !matches!(op, Op::Call | Op::Calla | Op::Ret);
        demand(!flow, || "control flow".into(), "it in the terminator")?;
        let message = inst.message.is_some();
        demand(
            op.is_send() == message,
            || (if message { "a message" } else { "no message" }).into(),
            "one of a send, none of others",
        )?;
        let count = inst.srcs.len();
        demand(
            op.sources().contains(&count),
            || format!("{count} sources"),
            "as many as the operation takes",
        )?;
        if inst.symbol.is_some() {
            let imm = inst.srcs.iter().any(|s| matches!(s, Src::Imm(_)));
            demand(imm, || "no immediate".into(), "one for the symbol")?;
        }
        for src in inst.srcs.iter().filter_map(Src::as_reg) {
            self.operand(inst, src.reg, src.indirect)?;
            if src.indirect.is_some() || op.is_send() {
                continue;
            }
            demand(
                src.region.width != 0,
                || "rows of width 0".into(),
                "at least 1",
            )?;
            if inst.is_by_channel() {
                self.inside(src.reg, src.span(inst.exec_size))?;
            }
        }
        if let Some(dst) = &inst.dst {
            self.operand(inst, dst.reg, dst.indirect)?;
            let plain = inst.is_by_channel() || op == Op::Math(MathFn::Idiv);
            if dst.indirect.is_none() && plain {
                self.inside(dst.reg, dst.span(inst.exec_size))?;
            }
            let registers = func.registers(&dst.reg.base()).len();
            let olds = match dst.old {
                Old::None => registers,
                Old::Reg(_) => 1,
                Old::List(list) => func.lists[list].len(),
            };
            let found = || format!("{olds} old registers");
            demand(
                olds == registers && (dst.old == Old::None || dst.indirect.is_none()),
                found,
                "as many as the destination has, which is direct",
            )?;
        }
        self.flag(inst.pred.as_ref())?;
        if let Some(cond) = &inst.cond {
            let old = cond.old.is_none() || cond.flag.as_virt().is_some();
            demand(old, || "old contents alone".into(), "a virtual flag")?;
            self.inside(cond.flag, 1)?;
        }
        if let Some(id) = inst.message.expand() {
            let message = &func.messages[id];
            for desc in [message.desc, message.ex_desc] {
                if let Desc::Addr(reg) = desc {
                    self.inside(reg, 4)?;
                }
            }
        }
        if self.level == Level::Legal
            && let Some(rules) = self.rules
        {
            rules(func, inst).or_else(|broken| fail(broken, "an instruction of the target"))?;
        }
        Ok(())
    }

    /// Checks a call or return.
    fn passing(&self, inst: &Inst) -> Check {
        self.channels(inst.exec_size, inst.chan_off)?;
        let own = matches!(inst.op, Opcode::CallRoutine(_) | Opcode::Return);
        let stack = self.func.abi.stack.is_some();
        demand(
            stack || own,
            || self.func.abi.name.into(),
            "a convention for calls",
        )?;
        let named = inst.symbol.is_some() == (inst.op == Opcode::Call);
        demand(named, || "no name".into(), "one to call, none otherwise")?;
        let (least, most) = match inst.op {
            Opcode::CallAddress | Opcode::Return => (1, 2),
            _ => (0, 1),
        };
        let count = inst.srcs.len();
        demand(
            (least..=most).contains(&count),
            || format!("{count} sources"),
            "what is passed, and an address if one is called",
        )?;
        for src in &inst.srcs[..] {
            let reg = src.as_reg().filter(|r| r.indirect.is_none());
            let found = || "an immediate or indirect source".into();
            demand(reg.is_some(), found, "registers")?;
        }
        let passed = inst.srcs.iter().filter_map(Src::as_reg).map(|r| r.reg);
        let result = inst.dst.iter().map(|d| d.reg);
        for reg in passed.chain(result) {
            for &v in self.func.registers(&reg.base()) {
                let valid = self.func.regs.is_valid(v);
                demand(valid, || format!("{v}"), "a register of the function")?;
                let class = self.func.regs[v].class;
                demand(class == Class::Grf, || format!("{v}"), "general registers")?;
            }
        }
        self.flag(inst.pred.as_ref())
    }

    fn channels(&self, size: u8, off: u8) -> Check {
        let end = u32::from(size) + u32::from(off);
        let pieces = self.level == Level::Wide || size.is_power_of_two();
        demand(
            size > 0 && end <= 32 && pieces,
            || format!("channels {off} to {end}"),
            "1 to 32 of 32, a power of two after legalization",
        )
    }

    fn operand(&self, inst: &Inst, reg: Reg, indirect: Option<i16>) -> Check {
        let several = matches!(reg.base(), Base::List(_));
        let allowed = self.level == Level::Wide || inst.takes_lists();
        demand(
            !several || (allowed && indirect.is_none()),
            || "several registers".into(),
            "one, but in messages and products of matrices",
        )?;
        for &v in self.func.registers(&reg.base()) {
            let valid = self.func.regs.is_valid(v);
            demand(valid, || format!("{v}"), "a register of the function")?;
            let class = self.func.regs[v].class;
            let fits = !several || class == Class::Grf;
            demand(fits, || format!("{v} in a list"), "general registers")?;
        }
        Ok(())
    }

    /// Checks that `span` bytes from an operand's start are inside its registers.
    fn inside(&self, reg: Reg, span: u32) -> Check {
        let func = self.func;
        let bytes = match reg.base() {
            Base::Null | Base::Phys(..) => return Ok(()),
            Base::Virt(v) => u32::from(func.regs[v].bytes),
            Base::List(list) => {
                let regs = &func.lists[list];
                let before = regs.len().saturating_sub(1) as u32;
                let last = regs.last().map_or(0, |&v| func.regs[v].bytes);
                before * func.target.unit_bytes() + u32::from(last)
            }
        };
        let end = reg.byte() + span;
        demand(
            end <= bytes,
            || format!("bytes {} to {end} of {bytes}", reg.byte()),
            "operands inside their registers",
        )
    }

    fn flag(&self, pred: Option<&Pred>) -> Check {
        let Some(pred) = pred else { return Ok(()) };
        demand(!pred.flag.is_null(), || "no predicate".into(), "a flag")?;
        self.inside(pred.flag, 1)
    }

    fn term(&self, graph: &Graph, defs: &[Option<Def>], block: Block) -> Check {
        let func = self.func;
        let data = &func.blocks[block];
        if let Some(v) = data.term.pred().and_then(|p| p.flag.as_virt()) {
            self.used(graph, defs, v, block, usize::MAX)?;
            self.class(v, Role::Predicate)?;
        }
        self.flag(data.term.pred())?;
        let some = |pred: &Option<Pred>| if pred.is_some() { 2..=2 } else { 1..=2 };
        let expected = match &data.term {
            Term::Jump => 1..=1,
            Term::Branch { .. } => 2..=2,
            // The jump target may be the block at which the other channels go on.
            Term::GotoForward { pred: Some(_), .. } | Term::Join => 1..=2,
            Term::GotoForward { pred, .. } | Term::GotoBackward { pred, .. } => some(pred),
            Term::End | Term::Return => 0..=0,
        };
        demand(
            expected.contains(&data.succs.len()),
            || format!("{} successors", data.succs.len()),
            &format!("{} to {}", expected.start(), expected.end()),
        )?;
        let join = |b: Block| {
            func.blocks
                .get(b)
                .is_some_and(|data| data.term == Term::Join)
        };
        match data.term {
            Term::GotoForward {
                exec_size,
                chan_off,
                uip,
                free_flag,
                ..
            } => {
                self.channels(exec_size, chan_off)?;
                demand(join(uip), || format!("channels wait at {uip}"), "a join")?;
                self.inside(free_flag, 1)?;
                if let Some(v) = free_flag.as_virt() {
                    self.used(graph, defs, v, block, usize::MAX)?;
                    self.class(v, Role::Predicate)?;
                }
            }
            Term::GotoBackward {
                exec_size,
                chan_off,
                ..
            } => {
                self.channels(exec_size, chan_off)?;
                // A block that splits the edge may stand before the join.
                let jump_target = |b: Block| {
                    let data = func.blocks.get(b).filter(|data| data.term == Term::Jump);
                    data.and_then(|data| data.succs.first()).map(|edge| edge.to)
                };
                let waits = data
                    .succs
                    .get(1)
                    .is_none_or(|edge| join(edge.to) || jump_target(edge.to).is_some_and(join));
                demand(waits, || "channels wait at the second".into(), "a join")?;
            }
            Term::Join => {
                let code = data.insts.iter().filter(|i| i.op != Opcode::Undef);
                let count = code.count();
                demand(
                    count == 0,
                    || format!("{count} instructions"),
                    "none in a join",
                )?;
            }
            Term::Jump | Term::Branch { .. } | Term::End | Term::Return => {}
        }
        for edge in &data.succs {
            let params = &func.blocks[edge.to].params;
            demand(
                params.len() == edge.args.len(),
                || format!("{} arguments to {}", edge.args.len(), edge.to),
                &format!("{}", params.len()),
            )?;
            for (&arg, &param) in edge.args.iter().zip(params) {
                self.used(graph, defs, arg, block, usize::MAX)?;
                self.same(arg, param)?;
            }
        }
        Ok(())
    }
}
