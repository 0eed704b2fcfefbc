//! Register pressure by instruction, and the values that are live at one point.
//!
//! Measured on legal machine IR in SSA form, the input of allocation, so that it does not depend on the allocation. A
//! value counts with all GRFs of its allocation unit. What is in memory is that of the allocation.

mod channels;

use std::collections::{BTreeMap, BTreeSet};

use kiln_emit::assemble::Program;
use kiln_machine::func::{Block, Function, Variable};
use kiln_machine::graph::{Graph, depths};
use kiln_machine::inst::{Opcode, VReg};
use kiln_machine::liveness::{Liveness, term_uses, uses_of};
use kiln_machine::pressure::{self, Amount};
use kiln_platform::isa::Op;
use kiln_platform::platform::UNIT_GRFS;
use kiln_regalloc::frame::Frame;
use kiln_regalloc::in_memory::{InMemory, Spot};
use kiln_visa::module::{InputVar, Object, Var};
use serde::Serialize;

use crate::lines::{Sources, defined};

/// The point whose live values are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The first point of maximum pressure.
    Peak,
    /// The point of maximum pressure among the code of one vISA instruction.
    Instruction(u32),
}

/// The register pressure of a kernel, function or subroutine.
#[derive(Clone, Debug, Serialize)]
pub struct Profile {
    /// Name of the kernel, function or subroutine.
    pub name: String,
    /// GRFs that allocation may give out.
    pub grfs: u32,
    /// GRFs that are reserved for headers and conventions.
    pub reserved: u32,
    /// GRFs that hold variables whose address is taken.
    pub address_taken: u32,
    /// Points in the order of the code: one before each instruction, and one at the end of each block.
    pub points: Vec<Point>,
    /// Index of the first point of maximum pressure.
    pub peak: usize,
    /// Index of the point whose values are listed; `None` if no code comes from the vISA instruction asked for.
    pub at: Option<usize>,
    /// Values that are live there, by definition point.
    pub values: Vec<Value>,
    /// Spill slots, by first message.
    pub stored: Vec<Stored>,
    /// Names of source files, by number.
    pub files: Vec<String>,
    /// Edges between blocks, by their numbers.
    #[serde(skip)]
    pub edges: Vec<(u32, u32)>,
    /// The code after allocation.
    #[serde(skip)]
    pub program: Program,
    /// By block: its first point.
    #[serde(skip)]
    starts: Vec<usize>,
    /// By virtual register.
    #[serde(skip)]
    origins: Vec<Origin>,
}

/// Names that a virtual register may have.
#[derive(Clone, Copy, Debug)]
struct Origin {
    variable: Variable,
    /// Index of the vISA instruction that defines it first.
    visa: Option<u32>,
    /// First byte in the registers of an input that arrives in it, and that after the last.
    arrives: Option<(u32, u32)>,
}

/// A place in the code.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Number of the block.
    pub block: u32,
    /// Loop depth.
    pub loops: u32,
    /// Index of the vISA instruction that the code comes from, if there is one.
    pub visa: Option<u32>,
    /// Index of the file and line of the source, where LOC gives them.
    pub source: Option<(u32, u32)>,
    /// GRFs given to the live values.
    pub grfs: u32,
    /// Bytes of these that are in use.
    pub bytes: u32,
    /// The instruction, or the end of the block.
    pub text: String,
}

/// A live value.
#[derive(Clone, Debug, Serialize)]
pub struct Value {
    /// Name of the value in machine IR.
    pub register: String,
    /// Name of the variable of vISA that it is a part of, or of the inputs that arrive in it; of a temporary, of the result
    /// that it is made for, or else of its instruction.
    pub variable: Option<String>,
    /// Why it is kept.
    pub kept: Kept,
    /// GRFs that are given to it.
    pub grfs: u32,
    /// Bytes of these that are in use.
    pub bytes: u32,
    /// Index of its definition point: its instruction, or the block that it is a parameter of; `None` for a value that
    /// is live at entry.
    pub since: Option<usize>,
    /// True if it is a block parameter.
    pub is_parameter: bool,
    /// Index of the next point in the order of the code that reads it; `None` if all reads come earlier, in a loop.
    pub next: Option<usize>,
}

/// Why a value is kept at a point; the last that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kept {
    /// A channel that is active there may read it.
    Active,
    /// Only channels that wait there may read it.
    Waiting,
    /// The value is a constant, which one `mov` makes.
    Constant,
    /// The value is in memory at the point, and in no register.
    Memory,
}

impl Kept {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kept::Active => "active",
            Kept::Waiting => "waiting",
            Kept::Constant => "constant",
            Kept::Memory => "memory",
        }
    }
}

/// A spill slot.
#[derive(Clone, Debug, Serialize)]
pub struct Stored {
    /// Names of the values that are in it at one point or another.
    pub registers: Vec<String>,
    /// Names of their variables, as in [`Value::variable`], each once; a value without one has its own name.
    pub variables: Vec<String>,
    /// GRFs of scratch space.
    pub grfs: u32,
    /// Number of messages that write it.
    pub stores: u32,
    /// Number of messages that read it.
    pub loads: u32,
    /// Cost of these messages: one in a loop counts ten times.
    pub cost: u64,
    /// Number of operands that are values of the slot.
    pub uses: u32,
    /// Index of the point of the first message.
    pub first: usize,
    /// Index of the point of the last message.
    pub last: usize,
    /// Most GRFs that live between these points.
    pub most: u32,
}

impl Value {
    /// The name for people: the variable's, or else the register's.
    pub fn name(&self) -> &str {
        self.variable.as_ref().unwrap_or(&self.register)
    }
}

/// The profile of a legal function that may use `grf_limit` GRFs.
pub fn profile(func: &Function, grf_limit: u32, place: Place) -> Profile {
    let graph = Graph::new(func);
    let amounts = pressure::profile(func, &graph, u32::MAX);
    let mut points = Vec::new();
    let loops = depths(func);
    let mut starts = Vec::new();
    let mut edges = Vec::new();
    for (b, block) in func.blocks.iter() {
        starts.push(points.len());
        edges.extend((block.succs.iter()).map(|edge| (b.as_u32(), edge.to.as_u32())));
        for (i, &Amount { bytes, units }) in amounts.of(b).iter().enumerate() {
            let (origin, text) = match block.insts.get(i) {
                Some(inst) => (inst.origin, func.show_inst(inst).to_string()),
                None => (block.term_origin, func.show_term(b).to_string()),
            };
            points.push(Point {
                block: b.as_u32(),
                loops: loops[b.as_u32() as usize],
                visa: (origin != u32::MAX).then_some(origin),
                source: None,
                grfs: units * UNIT_GRFS,
                bytes,
                text: text.trim().to_string(),
            });
        }
    }
    // The first of several maxima.
    let most = |points: &mut dyn Iterator<Item = (usize, &Point)>| {
        points
            .min_by_key(|&(n, point)| (std::cmp::Reverse(point.grfs), n))
            .map(|(n, _)| n)
    };
    let peak = most(&mut points.iter().enumerate());
    let at = match place {
        Place::Peak => peak,
        Place::Instruction(visa) => {
            most(&mut (points.iter().enumerate()).filter(|(_, point)| point.visa == Some(visa)))
        }
    };
    let values = at.map_or_else(Vec::new, |at| {
        let (block, inst) = spot_of(&starts, at);
        let live = Liveness::new(func, &graph);
        let found = pressure::live_at(func, &live, block, inst as usize);
        let wanted = channels::wanted(func, block, inst as usize, &found);
        let wanted: Vec<(VReg, bool)> = found.into_iter().zip(wanted).collect();
        values(func, &starts, at, &wanted)
    });
    let frame = Frame::new(func, Some(grf_limit), None);
    let grfs = frame.map_or(grf_limit, |frame| frame.units.len() as u32 * UNIT_GRFS);
    let address_taken = func.reserved.iter().map(|r| r.end - r.start).sum();
    Profile {
        name: func.name.clone(),
        grfs,
        reserved: grf_limit.saturating_sub(grfs + address_taken),
        address_taken,
        peak: peak.unwrap_or_default(),
        points,
        at,
        values,
        stored: Vec::new(),
        files: Vec::new(),
        edges,
        program: Program::default(),
        starts,
        origins: origins(func),
    }
}

/// By virtual register: its variable and its first definition in the order of the code.
fn origins(func: &Function) -> Vec<Origin> {
    let of = |v: VReg| Origin {
        variable: func.regs[v].variable,
        visa: None,
        arrives: None,
    };
    let mut origins: Vec<Origin> = func.regs.keys().map(of).collect();
    for &(v, grf) in &func.inputs {
        let start = grf.map(|grf| grf * func.target.grf_bytes);
        let end = |start| (start, start + u32::from(func.regs[v].bytes));
        origins[v.as_u32() as usize].arrives = start.map(end);
    }
    for inst in func.blocks.values().flat_map(|block| &block.insts) {
        func.visit(inst, |v, role| {
            if role.is_def() && inst.origin != u32::MAX {
                origins[v.as_u32() as usize].visa.get_or_insert(inst.origin);
            }
        });
    }
    origins
}

/// The instruction of a block that a point is before.
fn spot_of(starts: &[usize], at: usize) -> Spot {
    let b = starts.partition_point(|&start| start <= at) - 1;
    (Block::from_u32(b as u32), (at - starts[b]) as u32)
}

/// Describes the values that are live at a point, each with whether an active channel wants it.
fn values(func: &Function, starts: &[usize], at: usize, found: &[(VReg, bool)]) -> Vec<Value> {
    let of = |&(v, is_wanted): &(VReg, bool)| Value {
        register: v.to_string(),
        variable: None,
        kept: if is_wanted {
            Kept::Active
        } else {
            Kept::Waiting
        },
        grfs: UNIT_GRFS,
        bytes: func.regs[v].bytes.into(),
        since: None,
        is_parameter: false,
        next: None,
    };
    let mut values: Vec<Value> = found.iter().map(of).collect();
    let number = |v: VReg| found.binary_search_by_key(&v, |&(v, _)| v).ok();
    for ((b, block), &start) in func.blocks.iter().zip(starts) {
        for n in block.params.iter().filter_map(|&v| number(v)) {
            values[n].since = Some(start);
            values[n].is_parameter = true;
        }
        let mut read = |v: VReg, here: usize| {
            if let Some(n) = number(v).filter(|_| here >= at) {
                values[n].next.get_or_insert(here);
            }
        };
        let mut defined = Vec::new();
        for (here, inst) in (start..).zip(&block.insts) {
            uses_of(func, inst, |v| read(v, here));
            let is_constant = inst.op == Opcode::Gen(Op::Mov)
                && inst.pred.is_none()
                && inst.srcs.iter().all(|src| src.as_reg().is_none());
            func.visit(inst, |v, role| {
                if role.is_def() {
                    defined.push((v, here, is_constant && role.old().is_none()));
                }
            });
        }
        term_uses(func, b, |v| read(v, start + block.insts.len()));
        for (v, here, is_constant) in defined {
            if let Some(n) = number(v) {
                values[n].since = Some(here);
                if is_constant {
                    values[n].kept = Kept::Constant;
                }
            }
        }
    }
    values.sort_by_key(|value| value.since);
    values
}

impl Origin {
    /// The names of the variable, or of the inputs that arrive in it, or of the result that a temporary is made for; none of
    /// what comes from no instruction.
    fn names(&self, object: &Object) -> Vec<String> {
        let number = Some(self.variable.number()).filter(|n| *n != Variable::NONE.number());
        if let Some(var) = number.and_then(|number| object.vars.get(Var::from_u32(number))) {
            return vec![var.name.to_string()];
        }
        if let Some((start, end)) = self.arrives {
            let inputs = object.inputs.iter().filter(|input| {
                let first = u32::from(input.offset);
                first < end && start < first + u32::from(input.size)
            });
            let names = inputs.filter_map(|input| match input.var {
                InputVar::General(var) => Some(object.vars.get(var)?.name.to_string()),
                InputVar::Sampler(_) | InputVar::Surface(_) => None,
            });
            // The header of the thread is no variable.
            let header = (start == 0).then(|| "r0".to_string());
            return header.into_iter().chain(names).collect();
        }
        let Some(visa) = self.visa else {
            return Vec::new();
        };
        let result = defined(object, visa as usize).map(str::to_string);
        vec![result.unwrap_or_else(|| format!("a temporary of instruction {visa}"))]
    }
}

impl Profile {
    /// GRFs of the listed values that are kept for a reason.
    pub fn kept(&self, reason: Kept) -> u32 {
        let values = self.values.iter().filter(|value| value.kept == reason);
        values.map(|value| value.grfs).sum()
    }

    /// The place in the function whose live values are listed.
    pub(crate) fn spot(&self) -> Spot {
        spot_of(&self.starts, self.at.unwrap_or(self.peak))
    }

    /// Fills in what allocation has in memory.
    pub(crate) fn add_memory(&mut self, memory: &InMemory) {
        let in_units: BTreeSet<String> = memory.in_units.iter().map(VReg::to_string).collect();
        for value in &mut self.values {
            if !in_units.contains(&value.register) {
                value.kept = Kept::Memory;
            }
        }
        // A slot may be live to the end of the function, after its last point.
        let end = self.points.len().saturating_sub(1);
        let point = |(block, inst): Spot| {
            let at = self.starts[block.as_u32() as usize] + inst as usize;
            at.min(end)
        };
        let stored = memory.stored.iter().map(|slot| {
            let (first, last) = (point(slot.first), point(slot.last));
            let between = self.points[first..=last].iter();
            Stored {
                registers: slot.values.iter().map(VReg::to_string).collect(),
                variables: Vec::new(),
                grfs: slot.grfs,
                stores: slot.stores,
                loads: slot.loads,
                cost: slot.cost,
                uses: slot.uses,
                first,
                last,
                most: between.map(|point| point.grfs).max().unwrap_or(0),
            }
        });
        self.stored = stored.collect();
    }

    /// Fills in the names of variables, and the source lines from FILE and LOC.
    pub(crate) fn locate(&mut self, object: &Object) {
        let names: BTreeMap<String, Vec<String>> = (0u32..)
            .zip(&self.origins)
            .map(|(v, origin)| (VReg::from_u32(v).to_string(), origin.names(object)))
            .filter(|(_, names)| !names.is_empty())
            .collect();
        for value in &mut self.values {
            value.variable = names.get(&value.register).map(|names| names.join(", "));
        }
        for slot in &mut self.stored {
            let mut seen = BTreeSet::new();
            let of = |v: &String| names.get(v).cloned().unwrap_or_else(|| vec![v.clone()]);
            let names = slot.registers.iter().flat_map(of);
            slot.variables = names.filter(|name| seen.insert(name.clone())).collect();
        }
        let sources = Sources::of(object);
        for point in &mut self.points {
            let source = point.visa.and_then(|visa| sources.at(visa));
            point.source = source.map(|source| (source.file, source.line));
        }
        self.files = sources.files;
    }
}
