//! Packing of narrow variables: several share a cell.
//!
//! A cell is an allocation unit; a variable of a few bytes with a cell of its own wastes the rest over its live range.
//! Takes an object before accesses are collected and gives variables of at most half a cell slots in shared cells,
//! no two with a byte in common. Liveness is exact to the byte: a write of one keeps the others where they are live.
//!
//! Vectors of one block stay alone, too: machine IR puts them in pairs once they are scheduled, and in a shared cell
//! each would wait for the others.
//!
//! The live range of a shared cell covers those of all members, and a write of one member reads the others.
//! So members should begin and end at about the same instructions; temporaries, which copy propagation would
//! remove, stay alone. Subroutines pass whole cells: all members of a cell are used by the same subroutines.
//! The algorithm is greedy, in the order of the variables' first instructions.

use cranelift_entity::EntityRef;
use kiln_visa::module::{Inst, Object, Operand, Region, Var};
use kiln_visa::opcode::{Field, Opcode};

use kiln_platform::platform::Platform;
use smallvec::SmallVec;

use crate::cfg::{ends_block, starts_block};
use crate::liveness::Mask;

/// Minimum length of a variable's live range, in instructions.
const MIN_LIVE_INSTS: u32 = 20;

/// Maximum distance between the ends of two live ranges, both ends added, beside half of the later range's length.
const MAX_DISTANCE_INSTS: u32 = 64;

/// Maximum bytes of a variable of one block that shares a cell.
const MAX_LOCAL_BYTES: u32 = 8;

/// Maximum number of groups, the latest ones, that a variable may join.
const MAX_OPEN_GROUPS: usize = 256;

/// A variable's place in a shared cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub var: Var,
    pub group: u32,
    /// In bytes.
    pub offset: u32,
}

/// Uses of a root variable, summed up.
#[derive(Clone)]
struct Use {
    /// First instruction and last.
    start: u32,
    end: u32,
    /// The block of the first instruction, and whether all uses are in it.
    block: u32,
    is_local: bool,
    /// Size and alignment, in bytes.
    bytes: u32,
    align: u32,
    /// Subroutines that use it, in the order of the code.
    routines: SmallVec<[u32; 4]>,
}

/// Variables that share a cell.
struct Group {
    start: u32,
    end: u32,
    /// Bytes that are taken.
    taken: Mask,
    members: u32,
    /// Subroutines that use each member.
    routines: SmallVec<[u32; 4]>,
}

impl Group {
    /// The first offset at which `bytes` bytes are free.
    fn place(&self, cell: u32, bytes: u32, align: u32) -> Option<u32> {
        let mut places = (0..=cell - bytes).step_by(align as usize);
        places.find(|at| self.taken & mask(*at, bytes) == 0)
    }
}

fn mask(at: u32, bytes: u32) -> Mask {
    (Mask::MAX >> (Mask::BITS - bytes)) << at
}

/// The slots of all root variables that share a cell with another; `candidate` is true for those that may.
///
/// A variable joins the group with free bytes whose live range is nearest to its own, if the distance is small
/// enough.
pub fn pack(
    object: &Object,
    uses: Uses,
    target: &Platform,
    candidate: impl Fn(Var) -> bool,
) -> Vec<Slot> {
    let cell = target.unit_bytes();
    let mut order: Vec<(Use, Var)> = (uses.0.into_iter().zip(object.vars.keys()))
        .filter_map(|(used, var)| Some((used?, var)))
        .filter(|(used, var)| {
            used.end - used.start >= MIN_LIVE_INSTS
                && (!used.is_local || used.bytes <= MAX_LOCAL_BYTES)
                && used.bytes <= widest(target)
                && candidate(*var)
        })
        .collect();
    order.sort_by_key(|(used, var)| (used.start, *var));
    let mut groups: Vec<Group> = Vec::new();
    // Groups with free bytes whose members are live.
    let mut open: Vec<u32> = Vec::new();
    let mut slots: Vec<Slot> = Vec::new();
    for (used, var) in order {
        let span = used.end - used.start;
        let mut best: Option<(u32, u32, u32)> = None;
        open.retain(|&g| {
            let group = &groups[g as usize];
            group.taken != mask(0, cell) && group.end >= used.start
        });
        for &g in open.iter().rev() {
            let group = &groups[g as usize];
            let apart = group.start.abs_diff(used.start) + group.end.abs_diff(used.end);
            if apart <= span / 2 + MAX_DISTANCE_INSTS
                && group.routines == used.routines
                && best.is_none_or(|(least, ..)| apart < least)
                && let Some(offset) = group.place(cell, used.bytes, used.align)
            {
                best = Some((apart, g, offset));
            }
        }
        let (group, offset) = match best {
            Some((_, group, offset)) => (group, offset),
            None => {
                if open.len() == MAX_OPEN_GROUPS {
                    open.remove(0);
                }
                open.push(groups.len() as u32);
                groups.push(Group {
                    start: used.start,
                    end: used.end,
                    taken: 0,
                    members: 0,
                    routines: used.routines,
                });
                (groups.len() as u32 - 1, 0)
            }
        };
        let data = &mut groups[group as usize];
        data.start = data.start.min(used.start);
        data.end = data.end.max(used.end);
        data.taken |= mask(offset, used.bytes);
        data.members += 1;
        slots.push(Slot { var, group, offset });
    }
    slots.retain(|slot| groups[slot.group as usize].members > 1);
    slots
}

/// Maximum bytes of a variable that shares a cell.
pub(crate) fn widest(target: &Platform) -> u32 {
    target.unit_bytes() / 2
}

/// Uses by variable, of roots that are used and narrow enough to share a cell.
pub struct Uses(Vec<Option<Use>>);

impl Uses {
    /// Adds the uses of a variable to those of another one, whose storage it gets.
    pub(crate) fn unite(&mut self, var: Var, home: Var) {
        let more = self.0[var.index()].take();
        if let (Some(used), Some(more)) = (&mut self.0[home.index()], more) {
            used.is_local &= more.is_local && more.block == used.block;
            used.start = used.start.min(more.start);
            used.end = used.end.max(more.end);
            used.bytes = used.bytes.max(more.bytes);
            used.align = used.align.max(more.align);
        }
    }
}

/// The uses of an object's narrow variables, on that platform.
pub fn uses(object: &Object, target: &Platform) -> Uses {
    let row_bytes = target.grf_bytes;
    let widest = widest(target);
    let mut uses: Vec<Option<Use>> = vec![None; object.vars.len()];
    let (mut routine, mut block) = (0, 0);
    for (i, inst) in object.insts.iter().enumerate() {
        routine += u32::from(inst.op == Opcode::Subroutine);
        block += u32::from(starts_block(inst.op));
        for (operand, (field, _)) in inst.operands.iter().zip(inst.op.row().operands_of(inst)) {
            let (Operand::General { var, .. } | Operand::Raw { var, .. }) = *operand else {
                continue;
            };
            let (root, at) = object.root(var);
            let decl = &object.vars[root];
            if decl.bytes() > widest {
                continue;
            }
            let (end, least) = match *operand {
                Operand::General {
                    row, col, region, ..
                } if field != Field::SrcBlock => {
                    let bytes = object.vars[var].ty.bytes();
                    let write = matches!(field, Field::Dst(_));
                    let start = u32::from(row) * row_bytes + u32::from(col) * bytes;
                    (start + reach(inst, region, write) * bytes, 1)
                }
                // Messages move whole GRFs, and products of matrices begin at one.
                _ => (row_bytes, row_bytes),
            };
            // Elements do not straddle GRFs unless they are larger.
            let natural = |bytes: u32| bytes.next_power_of_two().min(row_bytes);
            let used = uses[root.as_u32() as usize].get_or_insert_with(|| Use {
                start: i as u32,
                end: 0,
                block,
                is_local: true,
                bytes: decl.bytes(),
                align: decl.align.bytes().max(natural(decl.bytes())),
                routines: SmallVec::new(),
            });
            if used.routines.last() != Some(&routine) {
                used.routines.push(routine);
            }
            used.end = i as u32;
            used.is_local &= used.block == block;
            if at + end > used.bytes {
                used.bytes = at + end;
                used.align = used.align.max(natural(used.bytes));
            }
            used.align = used.align.max(least);
        }
        block += u32::from(ends_block(inst.op));
    }
    Uses(uses)
}

/// Number of elements from an operand's first to the end of its last.
pub(crate) fn reach(inst: &Inst, region: Region, write: bool) -> u32 {
    let last = u32::from(inst.exec.size.max(1)) - 1;
    let (width, h) = (u32::from(region.w.max(1)), u32::from(region.h));
    let furthest = if write {
        last * h.max(1)
    } else {
        last / width * region.v.map_or(0, u32::from) + last.min(width - 1) * h
    };
    furthest + 1
}
