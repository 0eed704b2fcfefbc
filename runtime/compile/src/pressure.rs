//! Register pressure by instruction, and the values that are live at one point.
//!
//! Measured on legal machine IR in SSA form, the input of allocation, so that it does not depend on the allocation. A
//! value counts with all GRFs of its allocation unit.

use kiln_frontend::module::Object;
use kiln_machine::func::{Block, Function};
use kiln_machine::graph::{Graph, depths};
use kiln_machine::inst::VReg;
use kiln_machine::liveness::{Liveness, term_uses, uses_of};
use kiln_machine::pressure::{self, Amount};
use kiln_regalloc::frame::Frame;
use serde::Serialize;

use crate::lines::Sources;

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
    pub name: String,
    /// GRFs that allocation may give out.
    pub grfs: u32,
    /// Points in the order of the code: one before each instruction, and one at the end of each block.
    pub points: Vec<Point>,
    /// Index of the first point of maximum pressure.
    pub peak: usize,
    /// Index of the point whose values are listed; `None` if no code comes from the vISA instruction asked for.
    pub at: Option<usize>,
    /// Values that are live there, by definition point.
    pub values: Vec<Value>,
    /// Names of source files, by number.
    pub files: Vec<String>,
}

/// A place in the code.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    pub block: u32,
    /// Loop depth.
    pub loops: u32,
    /// Index of the vISA instruction that the code comes from, if there is one.
    pub visa: Option<u32>,
    /// Index of the file and line of the source, where LOC gives them.
    pub source: Option<(u32, u32)>,
    /// GRFs given to the live values, and bytes of them in use.
    pub grfs: u32,
    pub bytes: u32,
    /// The instruction, or the end of the block.
    pub text: String,
}

/// A live value.
#[derive(Clone, Debug, Serialize)]
pub struct Value {
    /// Its name in machine IR.
    pub register: String,
    pub grfs: u32,
    pub bytes: u32,
    /// Index of its definition point: its instruction, or the block that it is a parameter of; `None` for a value that
    /// is live at entry.
    pub since: Option<usize>,
    /// True if it is a block parameter.
    pub is_parameter: bool,
    /// Index of the next point in the order of the code that reads it; `None` if all reads come earlier, in a loop.
    pub next: Option<usize>,
}

/// The profile of a legal function that may use `grf_limit` GRFs.
pub fn profile(func: &Function, grf_limit: u32, place: Place) -> Profile {
    let live = Liveness::new(func, &Graph::new(func));
    let unit_grfs = func.target.unit_grfs();
    let amounts = pressure::profile(func, &live);
    let mut points = Vec::new();
    let loops = depths(func);
    let mut starts = Vec::new();
    for (b, block) in func.blocks.iter() {
        starts.push(points.len());
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
                grfs: units * unit_grfs,
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
    let block = |at: usize| starts.partition_point(|&start| start <= at) - 1;
    let values = at.map_or_else(Vec::new, |at| {
        let b = block(at);
        let found = pressure::live_at(func, &live, Block::from_u32(b as u32), at - starts[b]);
        values(func, &starts, at, &found)
    });
    let allocatable = Frame::new(func, Some(grf_limit), None);
    Profile {
        name: func.name.clone(),
        grfs: allocatable.map_or(grf_limit, |frame| frame.units.len() as u32 * unit_grfs),
        peak: peak.unwrap_or_default(),
        points,
        at,
        values,
        files: Vec::new(),
    }
}

/// Describes the values that are live at a point.
fn values(func: &Function, starts: &[usize], at: usize, found: &[VReg]) -> Vec<Value> {
    let of = |&v: &VReg| Value {
        register: v.to_string(),
        grfs: func.target.unit_grfs(),
        bytes: func.regs[v].bytes.into(),
        since: None,
        is_parameter: false,
        next: None,
    };
    let mut values: Vec<Value> = found.iter().map(of).collect();
    let number = |v: VReg| found.binary_search(&v).ok();
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
            func.visit(inst, |v, role| {
                if role.is_def() {
                    defined.push((v, here));
                }
            });
        }
        term_uses(func, b, |v| read(v, start + block.insts.len()));
        for (v, here) in defined {
            if let Some(n) = number(v) {
                values[n].since = Some(here);
            }
        }
    }
    values.sort_by_key(|value| value.since);
    values
}

impl Profile {
    /// Fills in the source lines from FILE and LOC.
    pub(crate) fn locate(&mut self, object: &Object) {
        let sources = Sources::of(object);
        for point in &mut self.points {
            let source = point.visa.and_then(|visa| sources.at(visa));
            point.source = source.map(|source| (source.file, source.line));
        }
        self.files = sources.files;
    }
}
