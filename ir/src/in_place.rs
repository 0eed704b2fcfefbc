//! Temporaries in place of the variable that they lead to.
//!
//! Takes an object and its control flow before variables have cells, and gives narrow temporaries the storage of another variable:
//! in `t = a * x + b; x = c * t + d`, the active channels want nothing of `x` between both, and instructions under the execution mask
//! leave those of waiting channels there. Apart, `x` would stay in its register for these channels, beside `t`.
//!
//! A temporary has one definition. Each channel reads what it wrote there, in the same block only, and last where the variable is
//! written or a temporary with its storage. Both definitions have the same execution mask, and write the same bytes of each
//! channel. Between them no instruction accesses these bytes. [`crate::pack`] finds the variable and its temporaries as one.

use std::ops::Range;

use cranelift_entity::EntityRef;
use kiln_platform::platform::Platform;
use kiln_visa::module::{Exec, Inst, Object, Operand, Var};
use kiln_visa::opcode::{Field, Opcode};

use crate::access::works_on_groups;
use crate::cfg::Cfg;
use crate::pack::reach;

/// Maximum number of accesses of a variable before a definition that are looked at.
const MAX_LOOK: usize = 64;

const NONE: u32 = u32::MAX;

/// Elements of a root variable, one a channel.
#[derive(Clone, PartialEq)]
struct Elements {
    root: Var,
    bytes: Range<u32>,
    /// Bytes between channels, and those of one.
    step: u32,
    element: u32,
    exec: Exec,
}

impl Elements {
    /// The elements that an operand of an instruction accesses by channel; nothing if they are not known.
    fn of(
        object: &Object,
        grf_bytes: u32,
        inst: &Inst,
        operand: &Operand,
        field: Field,
    ) -> Option<Elements> {
        let Operand::General { var, region, .. } = *operand else {
            return None;
        };
        let bytes = extent(object, grf_bytes, inst, operand, field)?;
        let element = object.vars[var].ty.bytes();
        let (w, h) = (u32::from(region.w.max(1)), u32::from(region.h));
        let step = match is_write(field) {
            true => h.max(1),
            false if w >= u32::from(inst.exec.size) => h,
            false => u32::from(region.v?) / w,
        };
        // Rows of several elements follow each other at the distance of their elements.
        let is_even = is_write(field) || w == 1 || step == h;
        let is_known = is_even && inst.op.row().parts == 1 && !works_on_groups(inst.op);
        is_known.then_some(Elements {
            root: object.root(var).0,
            bytes,
            step: step * element,
            element,
            exec: inst.exec,
        })
    }

    /// The place of channel 0, in steps, and bytes of a step, if only active channels access their own.
    fn lanes(&self) -> Option<(i64, u32)> {
        let first = self.bytes.start.checked_div(self.step)?;
        let origin = i64::from(first) - i64::from(self.exec.offset);
        (!self.exec.no_mask).then_some((origin, self.step))
    }

    /// True if each channel accesses no byte that it does not access in `other`.
    fn is_within(&self, other: &Elements) -> bool {
        let same = |it: &Elements| (it.bytes.start, it.step, it.exec);
        same(self) == same(other) && self.element <= other.element
    }
}

/// Facts of a root variable.
#[derive(Clone)]
struct Facts {
    /// The block of its accesses, and the last of them.
    block: u32,
    last: u32,
    /// True if other blocks access it.
    is_shared: bool,
    /// True if it may have the bytes of temporaries.
    is_home: bool,
    /// [`Elements::lanes`] of its accesses, which agree if it may have such bytes.
    lanes: Option<(i64, u32)>,
    /// The definition of what may be a temporary.
    def: Option<(u32, Elements)>,
}

/// An access of a variable's bytes, and the one before it in the block.
struct Access {
    root: Var,
    inst: u32,
    bytes: Range<u32>,
    before: u32,
}

/// The temporaries among variables of at most `widest` bytes, each with the variable whose storage it gets; `may` is true
/// for variables whose accesses all are operands.
pub fn find(
    object: &Object,
    graph: &Cfg,
    target: &Platform,
    widest: u32,
    may: impl Fn(Var) -> bool,
) -> Vec<(Var, Var)> {
    // Only variables that several blocks access are carried past others.
    if graph.blocks.len() < 2 {
        return Vec::new();
    }
    let is_narrow = |var: Var| object.vars[var].bytes() <= widest && may(var);
    let facts = facts(object, graph, target, is_narrow);
    if !facts.iter().any(|it| it.is_home) {
        return Vec::new();
    }
    let mut search = Search {
        object,
        grf_bytes: target.grf_bytes,
        facts,
        latest: vec![NONE; object.vars.len()],
        accesses: Vec::new(),
        placed: Vec::new(),
    };
    for block in &graph.blocks {
        for at in block.insts.clone() {
            search.inst(at);
        }
        search.end_block();
    }
    search.placed
}

/// The facts of variables.
fn facts(
    object: &Object,
    graph: &Cfg,
    target: &Platform,
    is_narrow: impl Fn(Var) -> bool,
) -> Vec<Facts> {
    let mut facts: Vec<Facts> = (object.vars.keys())
        .map(|var| Facts {
            block: NONE,
            last: 0,
            is_shared: false,
            is_home: is_narrow(var),
            lanes: None,
            def: None,
        })
        .collect();
    for (b, block) in (0..).zip(&graph.blocks) {
        for at in block.insts.clone() {
            let inst = &object.insts[at as usize];
            for (operand, field) in operands(inst) {
                let (Operand::General { var, .. } | Operand::Raw { var, .. }) = *operand else {
                    continue;
                };
                let root = object.root(var).0;
                let it = &mut facts[root.index()];
                if !it.is_home {
                    continue;
                }
                let elements = Elements::of(object, target.grf_bytes, inst, operand, field);
                let lanes = elements.as_ref().and_then(Elements::lanes);
                it.is_home &= lanes.is_none() || it.lanes.is_none() || lanes == it.lanes;
                it.lanes = lanes.or(it.lanes);
                let elements = elements.filter(|_| var == root);
                it.def = match (it.block, elements) {
                    (NONE, Some(made)) if is_write(field) && is_whole(inst) => Some((at, made)),
                    (block, Some(read)) if block == b && !is_write(field) => {
                        let def = it.def.take();
                        def.filter(|(def, made)| *def < at && read.is_within(made))
                    }
                    _ => None,
                };
                it.is_shared |= ![NONE, b].contains(&it.block);
                it.block = b;
                it.last = at;
            }
            if let Some(root) = lifetime(object, inst) {
                facts[root.index()].is_home = false;
            }
        }
    }
    for it in &mut facts {
        it.def = it.def.take().filter(|_| it.is_home);
        it.is_home &= it.is_shared;
    }
    facts
}

/// The bytes of a root variable that an operand accesses; nothing if the operation says how many.
fn extent(
    object: &Object,
    grf_bytes: u32,
    inst: &Inst,
    operand: &Operand,
    field: Field,
) -> Option<Range<u32>> {
    let Operand::General {
        var,
        row,
        col,
        region,
        ..
    } = *operand
    else {
        return None;
    };
    let element = object.vars[var].ty.bytes();
    let from = object.root(var).1 + u32::from(row) * grf_bytes + u32::from(col) * element;
    let bytes = reach(inst, region, is_write(field)) * element;
    (field != Field::SrcBlock).then_some(from..from + bytes)
}

/// The variable whose lifetime an instruction begins or ends: its contents are undefined there.
fn lifetime(object: &Object, inst: &Inst) -> Option<Var> {
    let &[_, Operand::Field(number)] = &inst.operands[..] else {
        return None;
    };
    let var = Var::from_u32(number);
    (inst.op == Opcode::Lifetime && object.vars.is_valid(var)).then(|| object.root(var).0)
}

/// The operands of an instruction with their fields.
fn operands(inst: &Inst) -> impl Iterator<Item = (&Operand, Field)> {
    let fields = inst.op.row().operands_of(inst);
    inst.operands.iter().zip(fields.map(|(field, _)| field))
}

fn is_write(field: Field) -> bool {
    matches!(field, Field::Dst(_) | Field::RawDst)
}

/// True if an instruction writes its destination for all active channels.
fn is_whole(inst: &Inst) -> bool {
    inst.pred.is_none() || inst.op == Opcode::Sel
}

struct Search<'a> {
    object: &'a Object,
    grf_bytes: u32,
    facts: Vec<Facts>,
    /// By variable: its latest access in the block.
    latest: Vec<u32>,
    /// Accesses of variables that other blocks access, too.
    accesses: Vec<Access>,
    placed: Vec<(Var, Var)>,
}

impl Search<'_> {
    /// Finds temporaries that lead to what an instruction writes, and adds its accesses, reads before writes.
    fn inst(&mut self, at: u32) {
        let inst = &self.object.insts[at as usize];
        for (operand, field) in operands(inst).filter(|(_, field)| !is_write(*field)) {
            self.access(at, inst, operand, field);
        }
        for (operand, field) in operands(inst).filter(|(_, field)| is_write(*field)) {
            let written = Elements::of(self.object, self.grf_bytes, inst, operand, field);
            if let Some(written) = written.filter(|_| is_whole(inst))
                && self.facts[written.root.index()].is_home
            {
                let free = self.free_from(&written);
                self.follow(at, written, free);
            }
            self.access(at, inst, operand, field);
        }
    }

    /// The latest instruction of the block that accesses bytes which are to be written.
    fn free_from(&self, written: &Elements) -> u32 {
        let mut at = self.latest[written.root.index()];
        for _ in 0..MAX_LOOK {
            let Some(access) = self.accesses.get(at as usize) else {
                return 0;
            };
            if access.bytes.start < written.bytes.end && written.bytes.start < access.bytes.end {
                return access.inst;
            }
            at = access.before;
        }
        // The rest of many accesses counts as one of the bytes.
        self.accesses[at as usize].inst
    }

    /// Places the temporary that an instruction reads last, if what it writes is free from where the temporary is defined, and
    /// then the one that leads to that.
    fn follow(&mut self, mut at: u32, written: Elements, free: u32) {
        let home = written.root;
        let bytes = |var: Var| self.object.vars[var].bytes();
        let mut goal = written;
        loop {
            let inst = &self.object.insts[at as usize];
            let sources = inst.operands.iter().filter_map(|operand| match *operand {
                Operand::General { var, .. } => Some(var),
                _ => None,
            });
            let found = sources.filter_map(|var| {
                let it = &self.facts[var.index()];
                let (def, made) = it.def.as_ref()?;
                let is_here = it.last == at && (free..at).contains(def);
                let fits = bytes(var) <= bytes(home) && made.is_within(&goal);
                (is_here && fits).then(|| (*def, var, made.clone()))
            });
            let Some((def, var, made)) = found.min_by_key(|(def, ..)| *def) else {
                return;
            };
            self.placed.push((var, home));
            (at, goal) = (def, made);
        }
    }

    /// Adds the access of an operand.
    fn access(&mut self, at: u32, inst: &Inst, operand: &Operand, field: Field) {
        let (Operand::General { var, .. } | Operand::Raw { var, .. }) = *operand else {
            return;
        };
        let (root, _) = self.object.root(var);
        if !self.facts[root.index()].is_home {
            return;
        }
        let bytes = extent(self.object, self.grf_bytes, inst, operand, field);
        let bytes = bytes.unwrap_or(0..u32::MAX);
        let latest = &mut self.latest[root.index()];
        let before = std::mem::replace(latest, self.accesses.len() as u32);
        self.accesses.push(Access {
            root,
            inst: at,
            bytes,
            before,
        });
    }

    /// Forgets the accesses of a block.
    fn end_block(&mut self) {
        for access in self.accesses.drain(..) {
            self.latest[access.root.index()] = NONE;
        }
    }
}
