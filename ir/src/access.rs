//! Accesses: the bytes of cells that each instruction reads and writes.
//!
//! Takes a function whose variables have cells and walks the operands of its vISA instructions by the opcode table.
//! Guarantees for each access the cell, the bytes and, from how bytes correspond to channels, the [`AccessKind`].
//! Payloads of messages have no size in vISA: the opcode table has their shape. A raw operand without one is an
//! error.

use std::collections::HashSet;
use std::ops::Range;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use kiln_visa::module::{
    Addr, Combine, Exec, InputVar, Inst, Object, Operand, PredUse, Region, StateVar, Var,
    predefined,
};
use kiln_visa::opcode::{Field, Opcode};
use kiln_visa::shape::Raw as RawEntry;
pub use kiln_visa::shape::RawShape;
use smallvec::SmallVec;

use crate::cfg::{Cfg, CfgError};
use crate::func::{Cell, Class, Function, VarStorage};
use crate::liveness::{Access, AccessKind, Accesses, Mask};

/// A map from bytes of a cell to channels: each has `stride` bytes, those of channel 0 begin at `origin * stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneMap {
    stride: u32,
    origin: i32,
}

impl LaneMap {
    /// The channel that the byte belongs to.
    fn channel(self, byte: u32) -> i32 {
        (byte / self.stride) as i32 - self.origin
    }
}

/// By address variable: the root variable whose address it holds.
pub type Reached = SecondaryMap<Addr, PackedOption<Var>>;

/// Cells that may share a home, with the channels of their bytes: general ones that each channel accesses on its own, but for
/// reads where all channels are active.
pub type Lanes = SecondaryMap<Cell, Option<LaneMaps>>;

/// The maps of a cell's bytes: masked accesses of a byte usually agree on its channel.
#[derive(Clone, Debug, Default)]
pub struct LaneMaps {
    /// Bytes, each under the map of its first access.
    agreed: SmallVec<[(Mask, LaneMap); 1]>,
    /// Bytes that belong to different channels in different accesses.
    mixed: Mask,
}

impl LaneMaps {
    /// True if no byte would belong to different channels.
    pub fn agree(&self, other: &LaneMaps) -> bool {
        self.agreed.iter().all(|&(a, map)| {
            let mut others = other.agreed.iter();
            others.all(|&(b, its)| map == its || disagreeing(a & b, map, its).next().is_none())
        })
    }

    /// Adds the maps of another cell, with which these agree.
    pub fn unite(&mut self, other: &LaneMaps) {
        for &(bytes, map) in &other.agreed {
            self.add(bytes, map);
        }
    }

    fn add(&mut self, mask: Mask, map: LaneMap) {
        // Common case: a cell has one map.
        if let [(bytes, other)] = &mut self.agreed[..]
            && *other == map
        {
            *bytes |= mask;
            return;
        }
        let mut new = mask;
        for (bytes, other) in &self.agreed {
            let both = *bytes & mask;
            new &= !both;
            if *other != map {
                let mixed = disagreeing(both & !self.mixed, *other, map);
                self.mixed |= mixed.fold(0, |all, byte| all | 1 << byte);
            }
        }
        if new != 0 {
            match self.agreed.iter_mut().find(|(_, other)| *other == map) {
                Some((bytes, _)) => *bytes |= new,
                None => self.agreed.push((new, map)),
            }
        }
    }
}

/// The bytes of `both` that the two maps give to different channels.
fn disagreeing(mut both: Mask, a: LaneMap, b: LaneMap) -> impl Iterator<Item = u32> {
    let bytes = std::iter::from_fn(move || {
        let byte = (both != 0).then(|| both.trailing_zeros())?;
        both &= both - 1;
        Some(byte)
    });
    bytes.filter(move |&byte| a.channel(byte) != b.channel(byte))
}

/// An access whose kind is not known before all maps of its cell are.
#[derive(Clone, Copy)]
struct Raw {
    inst: u32,
    cell: Cell,
    mask: Mask,
    write: bool,
    /// The execution mask does not apply.
    no_mask: bool,
    predicated: bool,
    /// The access has a map, by which each channel accesses its own bytes.
    lanes: bool,
    /// Mask bits are channels (flags).
    flag: bool,
    /// Arguments or results of a function, of unknown types: each channel accesses its own bytes if all other
    /// accesses agree on the channels of these.
    passed: bool,
}

impl Raw {
    fn new(touch: Touch, cell: Cell, mask: Mask) -> Raw {
        Raw {
            inst: touch.inst,
            cell,
            mask,
            write: touch.write,
            no_mask: touch.exec.no_mask,
            predicated: touch.predicated,
            lanes: false,
            flag: false,
            passed: false,
        }
    }

    /// True if each channel accesses its own part.
    fn is_own(&self, maps: &[LaneMaps]) -> bool {
        !self.no_mask
            && (self.flag
                || (self.lanes || self.passed)
                    && self.mask & maps[self.cell.as_u32() as usize].mixed == 0)
    }

    /// The kind of access; `all` is true if each channel that has contents there runs.
    fn kind(&self, maps: &[LaneMaps], all: bool) -> AccessKind {
        match (self.write, self.is_own(maps)) {
            (false, true) => AccessKind::ReadOwn,
            (false, false) => AccessKind::ReadWhole,
            (true, _) if self.predicated => AccessKind::WriteSome,
            (true, _) if self.no_mask => AccessKind::WriteAll,
            (true, true) if all => AccessKind::WriteAll,
            (true, true) => AccessKind::WriteOwn,
            (true, false) => AccessKind::WriteSome,
        }
    }
}

/// An instruction's access of one operand.
#[derive(Clone, Copy)]
struct Touch {
    inst: u32,
    exec: Exec,
    write: bool,
    predicated: bool,
}

/// Elements of a variable: byte offset of the first, size and region.
#[derive(Clone, Copy)]
struct Elements {
    var: Var,
    offset: u32,
    bytes: u32,
    region: Region,
}

/// Collector of the accesses of a function's blocks, one block after the other.
struct Collector<'f, 'm> {
    func: &'f Function<'m>,
    blocks: &'f [Range<u32>],
    reached: &'f Reached,
    /// Numbers of the variables that have several starts of a lifetime.
    started_again: HashSet<u32>,
    raw: Vec<Raw>,
    /// Writes of the current instruction.
    writes: SmallVec<[Raw; 4]>,
    /// End of each block's accesses in `raw`.
    ends: Vec<usize>,
    maps: Vec<LaneMaps>,
}

/// Average number of accesses of an instruction that space is reserved for.
const RESERVED_PER_INST: usize = 4;

/// Numbers of the variables that have several starts of a lifetime.
fn started_again(object: &Object) -> HashSet<u32> {
    let lifetimes = object
        .insts
        .iter()
        .filter(|inst| inst.op == Opcode::Lifetime);
    let starts = lifetimes.filter_map(|inst| match inst.operands[..] {
        [Operand::Field(lifetime), Operand::Field(number)] if lifetime & 1 == 0 => Some(number),
        _ => None,
    });
    let mut seen = HashSet::new();
    starts.filter(|&number| !seen.insert(number)).collect()
}

/// All accesses of each block in order, reads of an instruction before its writes, and the channels of bytes. An access
/// through an address variable is one of some bytes of the variable that is `reached`.
///
/// # Errors
/// A message whose payload has no known size.
pub fn collect(
    func: &Function,
    graph: &Cfg,
    reached: &Reached,
) -> Result<(Accesses, Lanes), CfgError> {
    let blocks: Vec<_> = graph.blocks.iter().map(|b| b.insts.clone()).collect();
    let mut all = Collector::new(func, &blocks, reached);
    all.collect()?;
    let whole = graph.whole_blocks();
    let accesses = all.accesses(&whole);
    Ok((accesses, all.lanes(&whole)))
}

impl<'f, 'm> Collector<'f, 'm> {
    fn new(
        func: &'f Function<'m>,
        blocks: &'f [Range<u32>],
        reached: &'f Reached,
    ) -> Collector<'f, 'm> {
        let insts: usize = blocks.iter().map(|block| block.len()).sum();
        Collector {
            func,
            blocks,
            reached,
            started_again: started_again(func.object),
            raw: Vec::with_capacity(insts * RESERVED_PER_INST),
            writes: SmallVec::new(),
            ends: Vec::with_capacity(blocks.len()),
            maps: vec![LaneMaps::default(); func.cells.len()],
        }
    }

    fn collect(&mut self) -> Result<(), CfgError> {
        for range in self.blocks {
            for i in range.clone() {
                self.inst(i)?;
            }
            self.ends.push(self.raw.len());
        }
        Ok(())
    }

    /// The maps of the general cells that each channel accesses on its own. A read of other channels' contents does not matter in
    /// the blocks that all channels run: each comes there on its own way.
    fn lanes(mut self, whole: &[bool]) -> Lanes {
        let mut lanes = Lanes::new();
        lanes.resize(self.func.cells.len());
        let mut own = vec![true; self.func.cells.len()];
        let mut from = 0;
        for (b, &end) in self.ends.iter().enumerate() {
            let whole = whole.get(b).is_some_and(|&whole| whole);
            for r in &self.raw[from..end] {
                let of_all = whole && !r.write;
                own[r.cell.index()] &= of_all || r.lanes && r.is_own(&self.maps);
            }
            from = end;
        }
        for &(cell, _) in &self.func.entry {
            own[cell.index()] = false;
        }
        for ((cell, data), maps) in self.func.cells.iter().zip(&mut self.maps) {
            if own[cell.index()] && data.class == Class::Grf && !maps.agreed.is_empty() {
                lanes[cell] = Some(std::mem::take(maps));
            }
        }
        lanes
    }

    /// By cell: the parts that have contents of channels that never run, from the entry on or from a write that is
    /// not each channel's own.
    fn foreign(&self) -> Vec<Mask> {
        let mut foreign = vec![0; self.func.cells.len()];
        for &(cell, _) in &self.func.entry {
            foreign[cell.as_u32() as usize] = Mask::MAX;
        }
        for r in self.raw.iter().filter(|r| r.write && !r.is_own(&self.maps)) {
            foreign[r.cell.as_u32() as usize] |= r.mask;
        }
        foreign
    }

    /// The accesses, when the maps of all cells are complete. `whole` are the blocks that all channels run, first of
    /// all blocks: a write of each channel's own part is one of all there, unless others have contents.
    fn accesses(&self, whole: &[bool]) -> Accesses {
        let foreign = self.foreign();
        // Accesses of an instruction to one cell that are of one kind are merged.
        let mut list: Vec<Access> = Vec::with_capacity(self.raw.len());
        let mut blocks = Vec::with_capacity(self.ends.len());
        let (mut from, mut first) = (0, 0);
        for (b, &end) in self.ends.iter().enumerate() {
            let whole = whole.get(b).is_some_and(|&whole| whole);
            let start = list.len() as u32;
            for r in &self.raw[from..end] {
                if list.last().is_none_or(|last| last.inst != r.inst) {
                    first = list.len();
                }
                let all = whole && r.mask & foreign[r.cell.as_u32() as usize] == 0;
                let kind = r.kind(&self.maps, all);
                let same = |a: &&mut Access| a.cell == r.cell && a.kind == kind;
                match list[first..].iter_mut().find(same) {
                    Some(a) => a.mask |= r.mask,
                    None => list.push(Access {
                        inst: r.inst,
                        cell: r.cell,
                        mask: r.mask,
                        kind,
                    }),
                }
            }
            from = end;
            blocks.push(start..list.len() as u32);
        }
        Accesses { list, blocks }
    }
}

impl Collector<'_, '_> {
    fn inst(&mut self, index: u32) -> Result<(), CfgError> {
        let inst = &self.func.object.insts[index as usize];
        if let Some(p) = inst.pred {
            let read = Touch {
                inst: index,
                exec: inst.exec,
                write: false,
                predicated: false,
            };
            self.predicate(read, p);
        }
        // The predicate of sel chooses a source: all active channels are written.
        let predicated = inst.pred.is_some() && inst.op != Opcode::Sel;
        let fields = inst.op.row().operands_of(inst);
        for (operand, (field, raw)) in inst.operands.iter().zip(fields) {
            let touch = Touch {
                inst: index,
                exec: inst.exec,
                write: matches!(field, Field::Dst(_) | Field::RawDst),
                predicated,
            };
            match *operand {
                Operand::Raw { var, offset } => {
                    self.payload(touch, inst, raw, var, offset.into())?
                }
                Operand::General { var, row, col, .. } if field == Field::SrcBlock => {
                    let bytes = self.func.object.vars[var].ty.bytes();
                    let offset = u32::from(row) * self.func.row_bytes() + u32::from(col) * bytes;
                    self.payload(touch, inst, raw, var, offset)?
                }
                _ => self.operand(touch, inst, operand),
            }
        }
        self.passed(index, inst);
        if inst.op == Opcode::Lifetime {
            self.lifetime(index, inst);
        }
        self.raw.extend_from_slice(&self.writes);
        self.writes.clear();
        Ok(())
    }

    /// Arguments and results of a call or return: bytes of `%arg` and `%retval` that no operand names. A callee may
    /// use the registers of both, so that a call clobbers their contents.
    fn passed(&mut self, index: u32, inst: &Inst) {
        let object = self.func.object;
        let mut all = |var: u32, grfs: u32, write: bool| {
            let touch = Touch {
                inst: index,
                exec: Exec {
                    no_mask: inst.exec.no_mask || write,
                    ..inst.exec
                },
                write,
                predicated: false,
            };
            self.parts(
                Var::from_u32(var),
                0,
                grfs * self.func.row_bytes(),
                |cell, mask| Raw {
                    passed: true,
                    ..Raw::new(touch, cell, mask)
                },
            );
        };
        if let Some([args, results]) = inst.passed_grfs() {
            all(predefined::ARG, args, false);
            all(predefined::RETVAL, results, true);
        } else if inst.op == Opcode::FRet {
            let [_, results] = object.passed_grfs();
            all(predefined::RETVAL, results, false);
        }
    }

    /// The start or end of a variable's lifetime: a write of undefined contents by each active channel. Channels that
    /// wait have theirs from a lifetime of their own. Several starts of a variable say nothing: there is one before each
    /// instruction that writes a part.
    fn lifetime(&mut self, index: u32, inst: &Inst) {
        let &[Operand::Field(lifetime), Operand::Field(number)] = &inst.operands[..] else {
            return;
        };
        if lifetime >> 4 & 3 != 0 || self.started_again.contains(&number) {
            return;
        }
        let touch = Touch {
            inst: index,
            exec: Exec {
                no_mask: false,
                ..inst.exec
            },
            write: true,
            predicated: false,
        };
        let var = Var::from_u32(number);
        let unit = self.func.cell_bytes();
        let bytes = self.func.object.bytes_in_root(var, unit);
        self.parts(var, 0, bytes, |cell, mask| Raw {
            lanes: true,
            ..Raw::new(touch, cell, mask)
        });
    }

    /// Accesses of a raw operand.
    fn payload(
        &mut self,
        touch: Touch,
        inst: &Inst,
        raw: Option<RawEntry>,
        var: Var,
        offset: u32,
    ) -> Result<(), CfgError> {
        if var.as_u32() == predefined::NULL {
            return Ok(());
        }
        let own = self.func.object.vars[var].ty.bytes();
        let Some(access) = raw.and_then(|raw| raw.access(inst, Some(own), self.func.row_bytes()))
        else {
            return Err(CfgError::Unsupported {
                inst: touch.inst as usize,
                what: "a message whose payload is not described",
            });
        };
        match access.shape {
            RawShape::Block { bytes } => {
                let whole = !(touch.write && access.masked) || touch.exec.no_mask;
                self.block(touch, var, offset, bytes, whole);
            }
            RawShape::Lanes { bytes, planes } => {
                let region = Region::new(1, 1, 1);
                let stride = RawShape::plane_stride(bytes, touch.exec.size, self.func.row_bytes());
                for plane in 0..planes {
                    let offset = offset + plane * stride;
                    self.region(
                        touch,
                        Elements {
                            var,
                            offset,
                            bytes,
                            region,
                        },
                    );
                }
            }
        }
        Ok(())
    }

    fn operand(&mut self, touch: Touch, inst: &Inst, operand: &Operand) {
        let exec = match works_on_groups(inst.op) && !touch.write {
            true => Exec {
                no_mask: true,
                ..touch.exec
            },
            false => touch.exec,
        };
        let touch = Touch { exec, ..touch };
        match *operand {
            Operand::General {
                var,
                row,
                col,
                region,
                ..
            } => {
                let bytes = self.func.object.vars[var].ty.bytes();
                let first = u32::from(row) * self.func.row_bytes() + u32::from(col) * bytes;
                let known = inst.op.row();
                let parts = if touch.write { known.parts } else { 1 };
                for part in 0..parts {
                    let offset = match part {
                        0 => first,
                        _ => {
                            let grf = self.func.row_bytes();
                            first + part * known.part_stride(exec.size, bytes, grf)
                        }
                    };
                    self.region(
                        touch,
                        Elements {
                            var,
                            offset,
                            bytes,
                            region,
                        },
                    );
                }
            }
            Operand::Predicate(p) => {
                let exec = exec_of_predicate(inst.op, exec);
                self.predicate(Touch { exec, ..touch }, p);
            }
            Operand::Indirect {
                addr, off, region, ..
            } => {
                let rows = match region.v {
                    None => u32::from(exec.size) / u32::from(region.w.max(1)),
                    Some(_) => 1,
                };
                self.addr(
                    Touch {
                        write: false,
                        ..touch
                    },
                    addr,
                    off.into(),
                    rows,
                );
                if let Some(var) = self.reached[addr].expand() {
                    let unit = self.func.cell_bytes();
                    let bytes = self.func.object.bytes_in_root(var, unit);
                    self.block(touch, var, 0, bytes, !touch.write);
                }
            }
            Operand::Address { addr, off, width } => {
                let n = if touch.write { exec.size } else { width.max(1) };
                self.addr(touch, addr, off.into(), n.into());
            }
            Operand::State { of, off } => self.state(touch, of, off.into()),
            Operand::Surface(s) => self.state(
                Touch {
                    write: false,
                    ..touch
                },
                StateVar::Surface(s),
                0,
            ),
            Operand::Sampler(s) => self.state(
                Touch {
                    write: false,
                    ..touch
                },
                StateVar::Sampler(s),
                0,
            ),
            Operand::AddressOf { .. }
            | Operand::Imm { .. }
            | Operand::Raw { .. }
            | Operand::Label(_)
            | Operand::Field(_)
            | Operand::Name(_) => {}
        }
    }

    fn state(&mut self, touch: Touch, of: StateVar, off: u32) {
        let cell = match of {
            StateVar::Surface(s) => self.func.surface_cells[s],
            StateVar::Sampler(s) => self.func.sampler_cells[s],
        };
        if let Some(cell) = cell.expand() {
            let mask = if off < 16 { 0xf << (off * 4) } else { 0 };
            self.push(Raw {
                no_mask: true,
                predicated: false,
                ..Raw::new(touch, cell, mask)
            });
        }
    }

    fn addr(&mut self, touch: Touch, addr: Addr, off: u32, n: u32) {
        if let Some(cell) = self.func.addr_cells[addr].expand() {
            let no_mask = touch.exec.no_mask || !touch.write;
            let raw = Raw::new(touch, cell, byte_mask(off * 2, n * 2));
            self.push(Raw {
                no_mask,
                predicated: false,
                ..raw
            });
        }
    }

    fn predicate(&mut self, touch: Touch, p: PredUse) {
        let Some(cell) = self.func.pred_cells[p.pred].expand() else {
            return;
        };
        let exec = touch.exec;
        let all = byte_mask(0, self.func.cells[cell].size);
        let mask = match p.combine {
            Combine::None => byte_mask(exec.offset.into(), exec.size.into()) & all,
            Combine::Any | Combine::All => all,
        };
        let no_mask =
            exec.no_mask || p.combine != Combine::None || (exec.size == 1 && !touch.write);
        self.push(Raw {
            no_mask,
            flag: true,
            ..Raw::new(touch, cell, mask)
        });
    }

    /// Accesses of a block of bytes: of all, regardless of the execution mask, if `whole`; else of some.
    fn block(&mut self, touch: Touch, var: Var, offset: u32, bytes: u32, whole: bool) {
        self.parts(var, offset, bytes, |cell, mask| Raw {
            no_mask: whole,
            ..Raw::new(touch, cell, mask)
        });
    }

    /// Accesses of bytes of a variable, one for each cell.
    fn parts(&mut self, var: Var, offset: u32, bytes: u32, access: impl Fn(Cell, Mask) -> Raw) {
        let cell_bytes = self.func.cell_bytes();
        let Some((first, base)) = self.func.cells_of(var) else {
            return;
        };
        let (mut at, to) = (base + offset, base + offset + bytes);
        while at < to {
            let unit = at / cell_bytes;
            let end = to.min((unit + 1) * cell_bytes);
            let Some(cell) = self.func.cell_at(first, unit) else {
                return;
            };
            let mask = byte_mask(at % cell_bytes, end - at);
            self.push(access(cell, mask));
            at = end;
        }
    }

    fn region(&mut self, touch: Touch, e: Elements) {
        let cell_bytes = self.func.cell_bytes();
        let Some((first, base)) = self.func.cells_of(e.var) else {
            return;
        };
        let (exec, write, bytes) = (touch.exec, touch.write, e.bytes);
        let from = base + e.offset;
        let (width, h) = (u32::from(e.region.w.max(1)), u32::from(e.region.h));
        // A destination has one stride, as if it were one row of a source.
        let v = if write {
            width * h
        } else {
            e.region.v.map_or(0, u32::from)
        };
        let n = u32::from(exec.size);
        let step = if n == 1 {
            Some(bytes)
        } else if write || v == width * h || n <= width {
            Some(h * bytes)
        } else if width == 1 {
            Some(v * bytes)
        } else {
            None
        };
        // A masked read of one element is of another channel's, or of all channels'.
        let own = !exec.no_mask && (n > 1 || write);
        let even = |s: &u32| own && *s >= bytes && s.is_power_of_two();
        // The map is relative to the cell, so that maps of different accesses are comparable.
        let lanes = step.filter(even).and_then(|stride| {
            let log = stride.trailing_zeros();
            let origin = from as i32 - (u32::from(exec.offset) << log) as i32;
            let within = origin as u32 & (stride - 1);
            let origin = origin >> log;
            (within + bytes <= stride).then_some(move |unit: u32| LaneMap {
                stride,
                origin: origin - ((unit * cell_bytes) >> log) as i32,
            })
        });
        let push = |all: &mut Self, unit: u32, cell: Cell, mask: Mask| {
            if let Some(map) = lanes {
                all.maps[cell.as_u32() as usize].add(mask, map(unit));
            }
            all.push(Raw {
                lanes: lanes.is_some(),
                ..Raw::new(touch, cell, mask)
            });
        };
        // Common case: one element for all channels, or consecutive elements.
        let whole = match step {
            Some(0) => bytes,
            Some(step) if step == bytes => n * bytes,
            _ => 0,
        };
        if whole > 0 && from.is_multiple_of(bytes) {
            let (mut at, to) = (from, from + whole);
            while at < to {
                let unit = at / cell_bytes;
                let end = to.min((unit + 1) * cell_bytes);
                let Some(cell) = self.func.cell_at(first, unit) else {
                    return;
                };
                push(self, unit, cell, byte_mask(at % cell_bytes, end - at));
                at = end;
            }
            return;
        }
        let mut open: SmallVec<[(u32, Mask); 4]> = SmallVec::new();
        for i in 0..n {
            let at = from + (i / width * v + i % width * h) * bytes;
            let (unit, mask) = (at / cell_bytes, byte_mask(at % cell_bytes, bytes));
            match open.iter_mut().rev().find(|(u, _)| *u == unit) {
                Some((_, m)) => *m |= mask,
                None => open.push((unit, mask)),
            }
        }
        for (unit, mask) in open {
            let Some(cell) = self.func.cell_at(first, unit) else {
                return;
            };
            push(self, unit, cell, mask);
        }
    }

    fn push(&mut self, r: Raw) {
        if r.mask != 0 {
            match r.write {
                true => self.writes.push(r),
                false => self.raw.push(r),
            }
        }
    }
}

/// The channels of a predicate operand that an operation accesses.
fn exec_of_predicate(op: Opcode, exec: Exec) -> Exec {
    match op {
        // Writes all its channels, regardless of the execution mask.
        Opcode::Setp => Exec {
            no_mask: true,
            ..exec
        },
        // Moves whole predicates.
        Opcode::Mov => Exec {
            size: 32,
            offset: 0,
            no_mask: true,
        },
        _ => exec,
    }
}

/// True if an operation on groups of channels reads inactive channels, too.
pub(crate) fn works_on_groups(op: Opcode) -> bool {
    matches!(
        op,
        Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph | Opcode::Sad2 | Opcode::Sad2Add
    )
}

/// A mask of `len` bits from bit `from` on, truncated to [`Mask::BITS`].
fn byte_mask(from: u32, len: u32) -> Mask {
    if from >= Mask::BITS || len == 0 {
        return 0;
    }
    (Mask::MAX >> (Mask::BITS - len.min(Mask::BITS))) << from
}

impl Function<'_> {
    /// The first cell of the variable's root and the byte offset of the variable from there; `None` if its storage
    /// is not cells.
    pub fn cells_of(&self, var: Var) -> Option<(Cell, u32)> {
        let (root, offset) = self.object.root(var);
        match self.storage[root] {
            VarStorage::Cells {
                first,
                offset: base,
            } => Some((first, base + offset)),
            _ => None,
        }
    }

    /// Cell number `unit` counted from `first`, if there is one.
    pub fn cell_at(&self, first: Cell, unit: u32) -> Option<Cell> {
        let cell = Cell::from_u32(first.as_u32() + unit);
        self.cells.is_valid(cell).then(|| self.homes.of(cell))
    }
}

/// Root variables whose address is taken, ascending.
pub fn address_taken(object: &Object) -> Vec<Var> {
    let mut roots: Vec<Var> = (object.insts.iter())
        .flat_map(|i| &i.operands)
        .filter_map(|o| match o {
            Operand::AddressOf { var, .. } => Some(object.root(*var).0),
            _ => None,
        })
        .collect();
    roots.sort_unstable();
    roots.dedup();
    roots
}

/// General variables among the inputs, with their byte offsets in the register file.
pub fn input_vars(object: &Object) -> impl Iterator<Item = (Var, u32)> + '_ {
    object.inputs.iter().filter_map(|input| match input.var {
        InputVar::General(v) => Some((v, u32::from(input.offset))),
        _ => None,
    })
}
