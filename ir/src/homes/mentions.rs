//! What an instruction reads and writes of general variables.
//!
//! An access that has the same bytes for the same channels as another one is found by its [`Lanes`]; everything that is
//! not evenly spread over the channels is taken for an access of all of them.

use cranelift_entity::EntityRef;
use kiln_frontend::module::{
    Combine, Exec, Inst, Object, Operand, PredUse, Region, Var, predefined,
};
use kiln_frontend::opcode::{Field, Opcode};
use kiln_frontend::shape::{Raw, RawShape};
use smallvec::SmallVec;

use crate::access::{exec_of_predicate, works_on_groups};

/// Channels that have bytes of their own, the same distance from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lanes {
    /// The first channel and how many.
    offset: u8,
    size: u8,
    /// Bytes from one channel's to the next one's, and how many times that the first ones are from the start.
    stride: u32,
    first: u32,
}

impl Lanes {
    /// Whether each byte is of the same channel in both. Planes of a message begin anew with the first channel.
    fn agree(self, other: Lanes) -> bool {
        let from = |lanes: Lanes| i64::from(lanes.first) - i64::from(lanes.offset);
        let planes = |lanes: Lanes| lanes.first.checked_rem(u32::from(lanes.size));
        self.stride == other.stride
            && (from(self) == from(other)
                || (self.offset, self.size) == (other.offset, other.size)
                    && planes(self) == planes(other))
    }

    /// The channel whose a byte is, of those that are accessed.
    pub(super) fn channel(self, byte: u32) -> u32 {
        u32::from(self.offset) + (byte / self.stride.max(1)).wrapping_sub(self.first)
    }

    /// Whether a byte is in a part of its channel's.
    pub(super) fn has(self, part: Part, byte: u32) -> bool {
        let within = byte % self.stride.max(1);
        (part.from..part.to).contains(&within)
    }
}

/// The bytes of each channel's that are accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    from: u32,
    to: u32,
}

impl Part {
    pub(super) fn has(self, other: Part) -> bool {
        self.from <= other.from && other.to <= self.to
    }
}

/// For which channels an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// Whatever the execution mask; a read may also look at other channels' elements.
    All,
    /// Each active channel for itself.
    Own(Lanes),
    /// Active channels, somehow.
    Some,
}

impl Who {
    /// Whether what one writes is all that the other reads of the same bytes.
    pub(super) fn gives(self, reader: Who) -> bool {
        match (self, reader) {
            (Who::All, _) => true,
            (Who::Own(written), Who::Own(read)) => written.agree(read),
            (Who::Own(_) | Who::Some, _) => false,
        }
    }
}

/// An access of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mention {
    /// The variable whose bytes they are, and from where to where they lie in it.
    pub(super) root: Var,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) who: Who,
    pub(super) write: bool,
    /// Of elements of the channels' own.
    pub(super) part: Option<Part>,
    /// Under a predicate.
    pub(super) predicated: bool,
    /// Of a write: bytes between the first and the last may stay as they are.
    pub(super) some: bool,
    /// The operand of a message, which is of whole registers.
    pub(super) raw: bool,
}

impl Mention {
    /// Whether the elements are the channels' first ones in the variable.
    pub(super) fn is_at_start(&self) -> bool {
        self.part.is_some_and(|part| self.from == part.from)
    }
}

/// Calls `f` with what the instruction reads, then with what it writes.
pub(super) fn of(object: &Object, grf: u32, inst: &Inst, mut f: impl FnMut(Mention)) {
    if let Some(pred) = inst.pred {
        predicate(object, inst, (pred, inst.exec, false), &mut f);
    }
    let mut written: SmallVec<[(&Operand, Option<Raw>); 2]> = SmallVec::new();
    let fields = inst.op.row().operands_of(inst);
    for (operand, (field, raw)) in inst.operands.iter().zip(fields) {
        match field {
            Field::Dst(_) | Field::RawDst => written.push((operand, raw)),
            _ => operands(object, grf, inst, (operand, raw, false), &mut f),
        }
    }
    for (operand, raw) in written {
        operands(object, grf, inst, (operand, raw, true), &mut f);
    }
}

/// The accesses of one operand.
fn operands(
    object: &Object,
    grf: u32,
    inst: &Inst,
    (operand, raw, write): (&Operand, Option<Raw>, bool),
    f: &mut impl FnMut(Mention),
) {
    let own = |var: Var| {
        let (root, base) = object.root(var);
        (root.index() >= predefined::VAR_COUNT).then_some((root, base))
    };
    match *operand {
        Operand::General {
            var,
            row,
            col,
            region,
            ..
        } => {
            let Some((root, base)) = own(var) else {
                return;
            };
            let bytes = object.vars[var].ty.bytes();
            let first = base + u32::from(row) * grf + u32::from(col) * bytes;
            let n = u32::from(inst.exec.size.max(1));
            let elements = elements(region, n, write);
            let part_of = |behind: u32, lanes: Option<(Lanes, Part)>| {
                let predicated = inst.pred.is_some() && inst.op != Opcode::Sel;
                Mention {
                    root,
                    from: first + behind,
                    to: first + behind + (elements.last + 1) * bytes,
                    who: match lanes {
                        _ if inst.exec.no_mask => Who::All,
                        Some((lanes, _)) => Who::Own(lanes),
                        None if write => Who::Some,
                        None => Who::All,
                    },
                    write,
                    part: lanes.map(|(_, part)| part),
                    predicated,
                    some: predicated || elements.step != Some(1),
                    raw: false,
                }
            };
            let stride = elements.step.unwrap_or(0) * bytes;
            let own = !inst.exec.no_mask && (n > 1 || write) && !works_on_groups(inst.op);
            let lanes = (own && stride.is_power_of_two()).then(|| {
                let from = first & (stride - 1);
                let lanes = Lanes {
                    offset: inst.exec.offset,
                    size: inst.exec.size,
                    stride,
                    first: first >> stride.trailing_zeros(),
                };
                let to = from + bytes;
                (lanes, Part { from, to })
            });
            f(part_of(0, lanes.filter(|(_, part)| part.to <= stride)));
            let row = inst.op.row();
            for part in 1..if write { row.parts } else { 1 } {
                f(part_of(
                    part * row.part_stride(inst.exec.size, bytes, grf),
                    None,
                ));
            }
        }
        Operand::Raw { var, offset } => {
            if let Some((root, base)) = own(var) {
                let from = base + u32::from(offset);
                payload(object, grf, inst, (var, root, from), (raw, write), f);
            }
        }
        Operand::Predicate(pred) => {
            let all = object.predicates[pred.pred].elements as u8;
            let exec = exec_of_predicate(inst.op, inst.exec, all);
            predicate(object, inst, (pred, exec, write), f);
        }
        _ => {}
    }
}

/// The access of a predicate, of which each channel has a byte.
fn predicate(
    object: &Object,
    inst: &Inst,
    (pred, exec, write): (PredUse, Exec, bool),
    f: &mut impl FnMut(Mention),
) {
    let root = super::predicate(object, pred.pred);
    let (from, size) = match pred.combine {
        Combine::None => (exec.offset, exec.size),
        Combine::Any | Combine::All => (0, super::bytes(object, root) as u8),
    };
    let whole = exec.no_mask || pred.combine != Combine::None || size == 1 && !write;
    let lanes = Lanes {
        offset: from,
        size,
        stride: 1,
        first: from.into(),
    };
    let predicated = write && inst.pred.is_some();
    f(Mention {
        root,
        from: from.into(),
        to: u32::from(from) + u32::from(size),
        who: if whole { Who::All } else { Who::Own(lanes) },
        write,
        part: (!whole).then_some(Part { from: 0, to: 1 }),
        predicated,
        some: predicated,
        raw: false,
    });
}

/// How elements lie: the number of the last, and their distance if it is the same for all.
struct Elements {
    last: u32,
    step: Option<u32>,
}

fn elements(region: Region, n: u32, write: bool) -> Elements {
    let (width, h) = (u32::from(region.w.max(1)), u32::from(region.h));
    let v = u32::from(region.v.unwrap_or(0));
    let step = match write {
        _ if n == 1 => Some(1),
        true => Some(h.max(1)),
        false if n <= width || v == width * h => Some(h),
        false if width == 1 => Some(v),
        false => None,
    };
    let last = match step {
        Some(step) => (n - 1) * step,
        None => (n - 1) / width * v + (width - 1) * h,
    };
    Elements { last, step }
}

/// The accesses of a message's operand.
fn payload(
    object: &Object,
    grf: u32,
    inst: &Inst,
    (var, root, from): (Var, Var, u32),
    (raw, write): (Option<Raw>, bool),
    f: &mut impl FnMut(Mention),
) {
    let own = object.vars[var].ty.bytes();
    let access = raw.and_then(|raw| raw.access(inst, Some(own), grf));
    let predicated = inst.pred.is_some();
    let mention = Mention {
        root,
        from,
        to: from,
        who: Who::All,
        write,
        part: None,
        predicated,
        some: predicated,
        raw: true,
    };
    match access.map(|access| (access.shape, access.masked)) {
        Some((RawShape::Lanes { bytes, planes }, _)) if !inst.exec.no_mask => {
            let stride = RawShape::plane_stride(bytes, inst.exec.size);
            for plane in 0..planes {
                let from = from + plane * stride;
                f(Mention {
                    from,
                    to: from + bytes * u32::from(inst.exec.size),
                    who: Who::Own(Lanes {
                        offset: inst.exec.offset,
                        size: inst.exec.size,
                        stride: bytes,
                        first: from / bytes.max(1),
                    }),
                    part: Some(Part { from: 0, to: bytes }),
                    ..mention
                });
            }
        }
        Some((shape, masked)) => f(Mention {
            to: from + shape.extent(inst.exec.size, grf),
            who: match write && masked && !inst.exec.no_mask {
                true => Who::Some,
                false => Who::All,
            },
            some: predicated || masked,
            ..mention
        }),
        None => f(Mention {
            to: object.vars[root].bytes().max(from),
            who: if write { Who::Some } else { Who::All },
            some: true,
            ..mention
        }),
    }
}
