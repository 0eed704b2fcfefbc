//! A vISA object under construction: variables with their aliases, and elementwise operations in as many instructions
//! as they need.
//!
//! An instruction ignores the execution mask, unless its mask is that.

use std::collections::HashMap;

use cranelift_entity::EntityRef;
use kiln_visa::build::Builder;
use kiln_visa::module::{
    Addr, Align, Exec, Modifier, Operand, Place, PredUse, Predicate, Region, Type, Var, VarDecl,
    predefined,
};
use kiln_visa::opcode::Opcode;
use smallvec::{SmallVec, smallvec};
use smol_str::{SmolStr, format_smolstr};

use super::operand::{Dst, Elementwise, INDIRECT, Layout, Src};
use super::predicates::{self, CHANNELS, Mask};
use crate::error::Loc;

/// Largest execution size.
const MAX_CHANNELS: u32 = 32;
/// Bytes that one indirect operand may span, wherever it begins.
const INDIRECT_SPAN: u32 = 32;

/// A vISA object.
pub struct Object {
    pub builder: Builder,
    pub grf: u32,
    /// Bytes of each variable that is no alias.
    bytes: HashMap<Var, u32, foldhash::fast::FixedState>,
    types: HashMap<Var, Type, foldhash::fast::FixedState>,
    aliases: HashMap<(Var, Type), Var, foldhash::fast::FixedState>,
    blocks: std::collections::HashSet<Var>,
    named: u32,
    /// File and line of the instructions that are added.
    pub file: SmolStr,
    pub line: u32,
    /// Place in the IR of the instructions that are added.
    pub loc: Loc,
    /// Instructions that were added.
    pub count: u32,
    written_file: SmolStr,
    written_line: u32,
}

/// Instructions with one channel.
pub const fn exec(size: u32) -> Exec {
    Exec {
        size: size as u8,
        offset: 0,
        no_mask: true,
    }
}

impl Object {
    pub fn new(builder: Builder, grf: u32) -> Object {
        Object {
            builder,
            grf,
            bytes: HashMap::default(),
            types: HashMap::default(),
            aliases: HashMap::default(),
            blocks: std::collections::HashSet::new(),
            named: 0,
            file: SmolStr::default(),
            line: 0,
            loc: Loc::default(),
            count: 0,
            written_file: SmolStr::default(),
            written_line: 0,
        }
    }

    fn name(&mut self, prefix: char) -> smol_str::SmolStr {
        self.named += 1;
        format_smolstr!("{prefix}{}", self.named)
    }

    /// Declares a variable of at least so many bytes.
    pub fn var(&mut self, ty: Type, bytes: u32) -> Var {
        let size = ty.bytes();
        let align = match bytes {
            0..=8 => Align::from_bytes(i128::from(bytes.max(size).next_power_of_two())),
            9..=16 => Some(Align::Oword),
            _ => Some(Align::Hword),
        };
        let name = self.name('v');
        let var = self.builder.declare(VarDecl {
            name,
            ty,
            align: align.unwrap_or(Align::Hword),
            elements: bytes.div_ceil(size).max(1).try_into().unwrap_or(u16::MAX),
            alias: None,
            attrs: Vec::new(),
        });
        self.bytes.insert(var, bytes.div_ceil(size).max(1) * size);
        self.types.insert(var, ty);
        var
    }

    /// Lets a variable begin a register.
    pub fn begin_register(&mut self, var: Var) {
        self.builder.align(var, Align::Hword);
        self.blocks.insert(var);
    }

    /// True if a variable begins a register.
    pub fn is_block(&self, var: Var) -> bool {
        self.bytes_of(var) > 16 || self.blocks.contains(&var)
    }

    /// True if the registers of a variable have so many bytes.
    pub fn holds(&self, var: Var, bytes: u32) -> bool {
        self.bytes_of(var).next_multiple_of(self.grf) >= bytes
    }

    /// Number of the next surface.
    pub fn builder_surfaces(&mut self) -> u32 {
        self.named += 1;
        self.named
    }

    /// Declares a variable that begins a register.
    pub fn block(&mut self, ty: Type, bytes: u32) -> Var {
        self.var(ty, bytes.next_multiple_of(self.grf))
    }

    pub fn predicate(&mut self, channels: u32) -> Predicate {
        let name = self.name('p');
        self.builder.predicate(&name, channels as u16)
    }

    /// Predicates for a vector of `i1`.
    pub fn mask(&mut self, count: u32) -> Mask {
        let mut parts = SmallVec::new();
        for part in 0..count.div_ceil(CHANNELS) {
            let width = (count - part * CHANNELS).min(CHANNELS);
            parts.push(self.predicate(predicates::channels(width)));
        }
        Mask {
            parts,
            count,
            inverse: false,
            execution: false,
        }
    }

    pub fn addr(&mut self, elements: u32) -> Addr {
        let name = self.name('a');
        self.builder.addr(&name, elements as u16)
    }

    /// Bytes of a variable.
    pub fn bytes_of(&self, var: Var) -> u32 {
        self.bytes.get(&var).copied().unwrap_or(self.grf)
    }

    /// The variable as one of another type.
    pub fn alias(&mut self, var: Var, ty: Type) -> Var {
        let predefined = predefined::VARS.get(var.index());
        let declared = predefined
            .map(|(_, ty, _)| *ty)
            .or(self.types.get(&var).copied());
        if declared == Some(ty) || (predefined.is_none() && var.index() < predefined::VAR_COUNT) {
            return var;
        }
        if let Some(alias) = self.aliases.get(&(var, ty)) {
            return *alias;
        }
        let bytes = match predefined {
            Some((_, of, elements)) => of.bytes() * u32::from(*elements),
            None => self.bytes_of(var),
        };
        let elements = (bytes / ty.bytes()).max(1);
        let name = self.name('v');
        let alias = self.builder.alias(&name, ty, elements as u16, var, 0);
        self.aliases.insert((var, ty), alias);
        alias
    }

    /// Whole registers of a variable, which begins one, as another variable.
    pub fn part(&mut self, of: Var, ty: Type, byte: u32, bytes: u32) -> Var {
        let name = self.name('v');
        let elements = (bytes / ty.bytes()) as u16;
        let var = self.builder.alias(&name, ty, elements, of, byte as u16);
        self.begin_register(var);
        self.bytes.insert(var, bytes);
        self.types.insert(var, ty);
        var
    }

    /// Position of a byte: register, and element in it.
    fn place(&self, byte: u32, ty: Type) -> (u8, u8) {
        let (row, rest) = (byte / self.grf, byte % self.grf);
        (row as u8, (rest / ty.bytes()) as u8)
    }

    fn general(&mut self, var: Var, ty: Type, byte: u32, region: Region) -> Operand {
        let var = self.alias(var, ty);
        let (row, col) = self.place(byte, ty);
        Operand::General {
            var,
            row,
            col,
            region,
            modifier: Modifier::None,
        }
    }

    /// One element as a source.
    pub fn scalar(&mut self, var: Var, ty: Type, byte: u32) -> Operand {
        let region = Region::SCALAR;
        self.general(var, ty, byte, region)
    }

    /// One element as a destination.
    pub fn element(&mut self, var: Var, ty: Type, byte: u32) -> Operand {
        self.general(var, ty, byte, Region::dst(1))
    }

    /// Adds an instruction.
    pub fn inst(&mut self, op: Opcode, exec: Exec, operands: impl IntoIterator<Item = Operand>) {
        self.inst_if(op, exec, None, operands);
    }

    /// Adds a predicated instruction.
    pub fn inst_if(
        &mut self,
        op: Opcode,
        exec: Exec,
        pred: Option<PredUse>,
        operands: impl IntoIterator<Item = Operand>,
    ) {
        self.mark_line();
        let place = place_of(self.loc);
        let inst = self.builder.inst(op, exec, operands);
        inst.pred = pred;
        inst.place = place;
    }

    fn mark_line(&mut self) {
        self.count += 1;
        if self.line != 0 && self.file != self.written_file {
            self.written_file = self.file.clone();
            let name = Operand::Name(Box::new(self.file.clone()));
            self.builder.inst(Opcode::File, Exec::NONE, [name]);
        }
        if self.line != self.written_line && self.line != 0 {
            self.written_line = self.line;
            let line = Operand::Field(self.line);
            self.builder.inst(Opcode::Loc, Exec::NONE, [line]);
        }
    }

    /// Source operand of some elements.
    fn source(&mut self, src: &Src, i: u32, size: u32) -> Option<Operand> {
        match src {
            Src::Imm { ty, bits } => Some(immediate(*ty, *bits)),
            Src::Var {
                var,
                ty,
                layout,
                modifier,
            } => {
                let (byte, region) = layout.source(i, size, ty.bytes(), self.grf)?;
                if byte / self.grf > 255 {
                    return None;
                }
                Some(self.general(*var, *ty, byte, region).with(*modifier))
            }
            Src::Indirect {
                addr,
                ty,
                layout,
                modifier,
            } => {
                // The start is unknown: the span must fit two registers from any place.
                let (byte, region) = layout.source(i, size, ty.bytes(), 1 << 20)?;
                let (low, high) = layout.select(i..i + size).range_of(size, ty.bytes());
                if !INDIRECT.contains(&byte) || high - low > INDIRECT_SPAN {
                    return None;
                }
                Some(Operand::Indirect {
                    addr: *addr,
                    off: 0,
                    imm: byte as i16,
                    ty: *ty,
                    region,
                    modifier: *modifier,
                })
            }
        }
    }

    fn destination(&mut self, dst: &Dst, i: u32, size: u32) -> Option<Operand> {
        match dst {
            Dst::Var { var, ty, layout } => {
                let (byte, stride) = layout.destination(i, size, ty.bytes(), self.grf)?;
                if byte / self.grf > 255 {
                    return None;
                }
                Some(self.general(*var, *ty, byte, Region::dst(stride)))
            }
            Dst::Indirect {
                addr, ty, layout, ..
            } => {
                let (byte, stride) = layout.destination(i, size, ty.bytes(), 1 << 20)?;
                let (low, high) = layout.select(i..i + size).range_of(size, ty.bytes());
                if !INDIRECT.contains(&byte) || high - low > INDIRECT_SPAN {
                    return None;
                }
                Some(Operand::Indirect {
                    addr: *addr,
                    off: 0,
                    imm: byte as i16,
                    ty: *ty,
                    region: Region::dst(stride),
                    modifier: Modifier::None,
                })
            }
            Dst::Predicate(mask) => {
                let pred = mask.at(i).filter(|_| predicates::aligned(i, size))?;
                Some(Operand::Predicate(pred))
            }
        }
    }

    /// Operands of one instruction for some elements, and its predicate.
    fn step(
        &mut self,
        e: &Elementwise,
        i: u32,
        size: u32,
    ) -> Option<(SmallVec<[Operand; 6]>, Option<PredUse>)> {
        let pred = match &e.mask {
            Some(mask) if !predicates::aligned(i, size) => return None,
            Some(mask) if mask.execution => None,
            Some(mask) => Some(mask.at(i)?),
            None => None,
        };
        let mut operands: SmallVec<[Operand; 6]> = SmallVec::new();
        operands.extend(e.lead.clone());
        let dst = self.destination(&e.dst, i, size)?;
        operands.push(match e.saturate {
            true => dst.with(Modifier::Sat),
            false => dst,
        });
        for src in &e.srcs {
            operands.push(self.source(src, i, size)?);
        }
        operands.extend(e.tail.clone());
        Some((operands, pred))
    }

    /// Largest execution size that the types of an operation allow.
    fn most(&self, e: &Elementwise) -> u32 {
        let dst = match &e.dst {
            Dst::Var { ty, .. } | Dst::Indirect { ty, .. } => ty.bytes(),
            Dst::Predicate(_) => 1,
        };
        let srcs = e.srcs.iter().map(|src| match src {
            Src::Imm { ty, .. } => ty.bytes().min(4),
            src => src.ty().bytes(),
        });
        let widest = srcs.fold(dst, u32::max);
        (2 * self.grf / widest).min(MAX_CHANNELS).min(e.most)
    }

    /// True if instructions cover the first `count` elements.
    fn fits(&mut self, e: &Elementwise, count: u32, most: u32) -> bool {
        let mut i = 0;
        while i < count {
            match self.largest(e, i, count, most) {
                Some(size) => i += size,
                None => return false,
            }
        }
        true
    }

    fn largest(&mut self, e: &Elementwise, i: u32, count: u32, most: u32) -> Option<u32> {
        let mut size = most.min(1 << (count - i).ilog2());
        loop {
            if self.step(e, i, size).is_some() {
                return Some(size);
            }
            if size == 1 {
                return None;
            }
            size /= 2;
        }
    }

    /// Adds an operation over all its elements. False if an element cannot be named: a variable is too large.
    #[must_use]
    pub fn elementwise(&mut self, e: Elementwise) -> bool {
        if e.srcs.iter().any(|src| src.is_far(e.count)) || e.dst.is_far(e.count) {
            return self.reached(e);
        }
        let most = self.most(&e);
        let has_mask = e.mask.is_some() || matches!(e.dst, Dst::Predicate(_));
        if has_mask && !self.fits(&e, e.count, most) {
            return self.padded(e);
        }
        if self.overlaps(&e, most) {
            return self.through_copy(e);
        }
        self.emit(&e, e.count, most)
    }

    fn emit(&mut self, e: &Elementwise, count: u32, most: u32) -> bool {
        let mut i = 0;
        while i < count {
            let Some(size) = self.largest(e, i, count, most) else {
                return false;
            };
            let Some((operands, pred)) = self.step(e, i, size) else {
                return false;
            };
            let exec = Exec {
                size: size as u8,
                offset: match has_mask(e) {
                    true => (i % CHANNELS) as u8,
                    false => 0,
                },
                no_mask: e.mask.as_ref().is_none_or(|mask| !mask.execution),
            };
            self.inst_if(e.op, exec, pred, operands);
            i += size;
        }
        true
    }

    /// True if an instruction may overwrite what a later one of the same operation reads.
    fn overlaps(&mut self, e: &Elementwise, most: u32) -> bool {
        let (var, direct) = match &e.dst {
            Dst::Var { var, ty, layout } => (*var, Some((ty.bytes(), layout))),
            Dst::Indirect { var, .. } => (*var, None),
            Dst::Predicate(_) => return false,
        };
        let conflict = e.srcs.iter().any(|src| match src {
            Src::Var {
                var: from,
                ty: of,
                layout: l,
                ..
            } => {
                let Some((bytes, layout)) = direct else {
                    return *from == var;
                };
                if *from != var || (l == layout && of.bytes() == bytes) {
                    return false;
                }
                let (a, b) = layout.range(e.count, bytes);
                let (c, d) = l.range(e.count, of.bytes());
                a < d && c < b
            }
            Src::Indirect { .. } => true,
            Src::Imm { .. } => false,
        });
        conflict && self.largest(e, 0, e.count, most) != Some(e.count)
    }

    /// An operation with elements that no instruction reaches from the address in the register: on copies of them, which
    /// further addresses reach.
    fn reached(&mut self, mut e: Elementwise) -> bool {
        let is_copy = e.op == Opcode::Mov && e.lead.is_none() && e.tail.is_none();
        if is_copy && e.mask.is_none() && !matches!(e.dst, Dst::Predicate(_)) {
            return self.copied_by_runs(&e);
        }
        for src in &mut e.srcs {
            if src.is_far(e.count) {
                let ty = src.ty();
                let (to, from) = self.contiguous(ty, e.count);
                if !self.copy(to, std::mem::replace(src, from), e.count) {
                    return false;
                }
            }
        }
        let Dst::Indirect {
            addr, ty, layout, ..
        } = e.dst.clone()
        else {
            return self.elementwise(e);
        };
        if !e.dst.is_far(e.count) {
            return self.elementwise(e);
        }
        let (to, from) = self.contiguous(ty, e.count);
        let old = Src::Indirect {
            addr,
            ty,
            layout,
            modifier: Modifier::None,
        };
        let keeps = e.mask.is_some() && e.op != Opcode::Sel;
        if keeps && !self.copy(to.clone(), old, e.count) {
            return false;
        }
        let (dst, count) = (std::mem::replace(&mut e.dst, to), e.count);
        self.elementwise(e) && self.copy(dst, from, count)
    }

    /// A new variable for elements side by side, as a destination and as a source.
    fn contiguous(&mut self, ty: Type, count: u32) -> (Dst, Src) {
        let var = self.var(ty, padded_bytes(count, ty.bytes()));
        let layout = Layout::contiguous(0, ty.bytes());
        let dst = Dst::Var {
            var,
            ty,
            layout: layout.clone(),
        };
        let src = Src::Var {
            var,
            ty,
            layout,
            modifier: Modifier::None,
        };
        (dst, src)
    }

    /// A copy in runs of elements, each near enough to one address.
    fn copied_by_runs(&mut self, e: &Elementwise) -> bool {
        let Some(src) = e.srcs.first() else {
            return false;
        };
        let mut from = 0;
        while from < e.count {
            let left = e.count - from;
            let run = src.run(from, left).min(e.dst.run(from, left));
            let src = match src {
                Src::Indirect {
                    addr,
                    ty,
                    layout,
                    modifier,
                } => {
                    let (addr, layout) = self.moved_address(*addr, layout, from, run);
                    Src::Indirect {
                        addr,
                        ty: *ty,
                        layout,
                        modifier: *modifier,
                    }
                }
                src => super::value::selected(src.clone(), from..from + run),
            };
            let dst = match &e.dst {
                Dst::Indirect {
                    addr,
                    var,
                    ty,
                    layout,
                } => {
                    let (addr, layout) = self.moved_address(*addr, layout, from, run);
                    Dst::Indirect {
                        addr,
                        var: *var,
                        ty: *ty,
                        layout,
                    }
                }
                Dst::Var { var, ty, layout } => Dst::Var {
                    var: *var,
                    ty: *ty,
                    layout: layout.select(from..from + run),
                },
                Dst::Predicate(_) => return false,
            };
            let part = Elementwise {
                count: run,
                dst,
                srcs: smallvec![src],
                ..e.clone()
            };
            if !self.elementwise(part) {
                return false;
            }
            from += run;
        }
        true
    }

    /// An address for a run of elements, and their places from it on.
    fn moved_address(
        &mut self,
        addr: Addr,
        layout: &Layout,
        from: u32,
        run: u32,
    ) -> (Addr, Layout) {
        let layout = layout.select(from..from + run);
        let (low, high) = layout.range(run, 0);
        if INDIRECT.contains(&high) {
            return (addr, layout);
        }
        let operand = |addr| Operand::Address {
            addr,
            off: 0,
            width: 1,
        };
        let near = self.addr(1);
        let by = Operand::imm(Type::Uw, low.into());
        self.inst(Opcode::AddrAdd, exec(1), [operand(near), operand(addr), by]);
        let places: SmallVec<[u32; 32]> = (0..run).map(|i| layout.at(i) - low).collect();
        (near, Layout::of(&places))
    }

    /// The operation into a variable of its own, which is then copied.
    fn through_copy(&mut self, e: Elementwise) -> bool {
        let (Dst::Var { ty, .. } | Dst::Indirect { ty, .. }) = &e.dst else {
            return false;
        };
        let ty = *ty;
        let bytes = ty.bytes();
        let temp = self.var(ty, padded_bytes(e.count, bytes));
        let layout = Layout::contiguous(0, bytes);
        // The mask of a selection is an operand; any other says which elements are written.
        let (operand, mask) = match e.op {
            Opcode::Sel => (e.mask.clone(), None),
            _ => (None, e.mask.clone()),
        };
        let first = Elementwise {
            dst: Dst::var(temp, ty, layout.clone()),
            mask: operand,
            ..e.clone()
        };
        let src = Src::Var {
            var: temp,
            ty,
            layout,
            modifier: Modifier::None,
        };
        // Nothing overlaps a new variable.
        let most = self.most(&first);
        self.emit(&first, first.count, most)
            && self.elementwise(Elementwise {
                op: Opcode::Mov,
                lead: None,
                tail: None,
                srcs: smallvec![src],
                mask,
                saturate: false,
                most: MAX_CHANNELS,
                ..e
            })
    }

    /// An operation with predicates whose elements do not lie so that each instruction begins at a channel that it
    /// can begin at: on copies that do, which have elements after the last.
    fn padded(&mut self, mut e: Elementwise) -> bool {
        // The last predicate has no more channels than its elements need.
        let last = e.count % CHANNELS;
        let count = e.count - last + last.next_multiple_of(4.min(last.next_power_of_two()));
        for src in &mut e.srcs {
            if src.is_uniform() {
                continue;
            }
            let ty = src.ty();
            let temp = self.var(ty, padded_bytes(count, ty.bytes()));
            let layout = Layout::contiguous(0, ty.bytes());
            let copied = self.copy(Dst::var(temp, ty, layout.clone()), src.clone(), e.count);
            if !copied {
                return false;
            }
            *src = Src::Var {
                var: temp,
                ty,
                layout,
                modifier: Modifier::None,
            };
        }
        let mut back = None;
        if let Dst::Var { ty, .. } | Dst::Indirect { ty, .. } = &e.dst {
            let ty = *ty;
            let temp = self.var(ty, padded_bytes(count, ty.bytes()));
            let layout = Layout::contiguous(0, ty.bytes());
            let to = Dst::var(temp, ty, layout.clone());
            let keeps = e.mask.is_some() && e.op != Opcode::Sel;
            if keeps {
                let old = match &e.dst {
                    Dst::Var { var, ty, layout } => Src::Var {
                        var: *var,
                        ty: *ty,
                        layout: layout.clone(),
                        modifier: Modifier::None,
                    },
                    Dst::Indirect {
                        addr, ty, layout, ..
                    } => Src::Indirect {
                        addr: *addr,
                        ty: *ty,
                        layout: layout.clone(),
                        modifier: Modifier::None,
                    },
                    Dst::Predicate(_) => return false,
                };
                if !self.copy(to.clone(), old, e.count) {
                    return false;
                }
            }
            let old = std::mem::replace(&mut e.dst, to);
            back = Some((
                old,
                Src::Var {
                    var: temp,
                    ty,
                    layout,
                    modifier: Modifier::None,
                },
            ));
        }
        let most = self.most(&e);
        self.emit(&e, count, most) && back.is_none_or(|(dst, src)| self.copy(dst, src, e.count))
    }

    /// Operands of one instruction with several destinations.
    pub fn operands(&mut self, dsts: &[Dst], srcs: &[Src], size: u32) -> Option<Vec<Operand>> {
        let mut all = Vec::with_capacity(dsts.len() + srcs.len());
        for dst in dsts {
            all.push(self.destination(dst, 0, size)?);
        }
        for src in srcs {
            all.push(self.source(src, 0, size)?);
        }
        Some(all)
    }

    /// Moves elements.
    #[must_use]
    pub fn copy(&mut self, dst: Dst, src: Src, count: u32) -> bool {
        self.elementwise(Elementwise {
            op: Opcode::Mov,
            lead: None,
            tail: None,
            count,
            dst,
            srcs: smallvec![src],
            mask: None,
            saturate: false,
            most: MAX_CHANNELS,
        })
    }
}

/// A place in the IR as that of an instruction.
pub fn place_of(Loc { line, column, byte }: Loc) -> Place {
    match line {
        0 => Place {
            pos: byte,
            column: 0,
        },
        pos => Place { pos, column },
    }
}

fn has_mask(e: &Elementwise) -> bool {
    e.mask.is_some() || matches!(e.dst, Dst::Predicate(_))
}

/// Bytes of a variable with room for a multiple of four elements.
pub fn padded_bytes(count: u32, bytes: u32) -> u32 {
    match count.is_power_of_two() {
        true => count * bytes,
        false => count.next_multiple_of(4) * bytes,
    }
}

/// An immediate; bytes have none, and are words.
pub fn immediate(ty: Type, bits: u64) -> Operand {
    match ty {
        Type::B => Operand::imm(Type::W, i64::from(bits as u8 as i8).cast_unsigned()),
        Type::Ub => Operand::imm(Type::Uw, bits & 0xff),
        ty => Operand::imm(ty, bits),
    }
}

impl Layout {
    fn range_of(&self, size: u32, bytes: u32) -> (u32, u32) {
        self.range(size, bytes)
    }
}
