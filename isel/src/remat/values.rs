//! The definition of each register, and the reads of registers that may be rematerialized.

use std::ops::Range;

use cranelift_entity::packed_option::PackedOption;
use kiln_machine::func::{Block, Class, Function};
use kiln_machine::inst::{Inst, Reg, Role, Src, VReg};
use kiln_machine::liveness::term_uses;
use kiln_platform::isa::Op;

use super::{MAX_READS, NEAR_INSTS, NONE};
use crate::extent;

/// The reads of a register, or of one half of it, that are near each other in one block.
#[derive(Clone, Copy)]
pub struct Read {
    pub block: Block,
    /// The block that rematerializes the value: at its end, or before the first read if it is the reading block.
    pub spot: Block,
    pub half: u8,
    /// The first instruction that reads it, and the last.
    pub first: u32,
    pub last: u32,
    /// The index of the read of the same register found before.
    next: u32,
}

impl Read {
    /// True if the value is rematerialized in a block before.
    pub fn is_hoisted(&self) -> bool {
        self.spot != self.block
    }
}

/// Facts of a register.
#[derive(Clone, Copy)]
pub struct Value {
    /// True if its defining operation may be repeated anywhere.
    pub is_cheap: bool,
    /// True if it needs a location of its own, or is read in too many places.
    pub is_barred: bool,
    /// True if a definition is tied to it.
    pub is_overwritten: bool,
    /// The operand tied to its definition.
    pub over: PackedOption<VReg>,
    /// Number of reads, edge arguments and tied operands.
    pub uses: u32,
    /// The number of its defining instruction, counted over all blocks.
    pub def: u32,
    /// Block of the definition, and its number there.
    pub site: (u32, u32),
    pub last: u32,
    /// The index of the last reads found.
    pub reads: u32,
}

/// All registers, and the reads of those that may be rematerialized.
pub struct Values {
    pub list: Vec<Value>,
    reads: Vec<Read>,
}

/// Index that stands for both halves.
pub const BOTH: u8 = 2;

/// The definitions of a register: of all of it, or of each half that is read.
pub type Parts = [Option<VReg>; 2];

/// Finds the definition and the reads of each register.
pub fn collect(func: &Function) -> Values {
    let nothing = Value {
        is_cheap: false,
        is_barred: false,
        is_overwritten: false,
        over: None.into(),
        uses: 0,
        def: NONE,
        site: (0, 0),
        last: 0,
        reads: NONE,
    };
    let mut values = Values {
        list: vec![nothing; func.regs.len()],
        reads: Vec::new(),
    };
    let mut at = 0;
    for (block, data) in func.blocks.iter() {
        for (n, inst) in (0..).zip(&data.insts) {
            func.visit(inst, |v, role| {
                if !role.is_def() {
                    return values.is_used(func, (v, role), inst, (block, n), at);
                }
                let value = &mut values.list[v.as_u32() as usize];
                value.is_cheap = value.def == NONE && is_cheap(func, inst);
                value.def = at;
                value.site = (block.as_u32(), n);
                value.over = role.old().into();
                // The halves of reads found before are unknown.
                value.is_barred |= role.old().is_some() && value.reads != NONE;
                if let Some(old) = role.old() {
                    values.is_wanted(old, at);
                    values.list[old.as_u32() as usize].is_overwritten = true;
                }
            });
            at += 1;
        }
        term_uses(func, block, |v| values.is_wanted(v, at));
    }
    values
}

impl Values {
    pub fn get(&self, v: VReg) -> &Value {
        &self.list[v.as_u32() as usize]
    }

    pub fn reads(&self, v: VReg) -> impl Iterator<Item = Read> + Clone {
        let first = self.reads.get(self.get(v).reads as usize);
        std::iter::successors(first, |read| self.reads.get(read.next as usize)).copied()
    }

    /// Chooses the rematerialization block for each block that reads a register.
    pub fn place(&mut self, v: VReg, spot: impl Fn(Block) -> Block) {
        let mut at = self.get(v).reads;
        while let Some(read) = self.reads.get_mut(at as usize) {
            read.spot = spot(read.block);
            at = read.next;
        }
    }

    /// Records that a register needs a location of its own.
    fn is_wanted(&mut self, v: VReg, at: u32) {
        let value = &mut self.list[v.as_u32() as usize];
        value.is_barred = true;
        value.uses += 1;
        value.last = at;
    }

    /// Records that an instruction of a block uses a register.
    fn is_used(
        &mut self,
        func: &Function,
        (v, role): (VReg, Role),
        inst: &Inst,
        (block, n): (Block, u32),
        at: u32,
    ) {
        let Role::Source { src, .. } = role else {
            return self.is_wanted(v, at);
        };
        let value = &mut self.list[v.as_u32() as usize];
        value.uses += 1;
        value.last = at;
        if value.is_barred || value.def != NONE && !value.is_cheap {
            return;
        }
        let half = value.half_read(func, inst, usize::from(src));
        let mut count = 0;
        // The last reads found in this block.
        let mut here = NONE;
        let mut found = value.reads;
        while let Some(read) = self.reads.get(found as usize) {
            if read.half == half {
                if read.block == block && here == NONE {
                    here = found;
                }
                count += 1;
            }
            found = read.next;
        }
        if let Some(read) = self.reads.get_mut(here as usize)
            && (n - read.last < NEAR_INSTS || count >= MAX_READS)
        {
            read.last = n;
            return;
        }
        if count >= MAX_READS {
            value.is_barred = true;
            return;
        }
        let next = std::mem::replace(&mut value.reads, self.reads.len() as u32);
        self.reads.push(Read {
            block,
            spot: block,
            half,
            first: n,
            last: n,
            next,
        });
    }

    /// The definitions of a register, if all of them may be repeated anywhere. The half that a definition writes
    /// must be undefined in its tied operand, so that no channel keeps old contents there.
    pub fn parts(&self, func: &Function, v: VReg) -> Option<Parts> {
        let value = self.get(v);
        let Some(over) = value.over.expand() else {
            return Some([Some(v), None]);
        };
        let other = self.get(over);
        let half = |value: &Value| half_written(func, self.maker(func, value)?);
        let (half, rest) = (half(value)?, half(other)?);
        let is_read = |half| (self.reads(v)).any(|read| read.half == half || read.half == BOTH);
        let mut parts = Parts::default();
        parts[usize::from(half)] = Some(v).filter(|_| is_read(half));
        parts[usize::from(rest)] = Some(over).filter(|_| is_read(rest));
        let is_other_cheap = other.is_cheap || !is_read(rest);
        (half != rest && other.over.is_none() && is_other_cheap).then_some(parts)
    }

    /// The register sources of the operations that define a register, each with the definition of a constant if
    /// it is one.
    pub fn sources<'a>(
        &'a self,
        func: &'a Function,
        v: VReg,
    ) -> impl Iterator<Item = (VReg, Option<VReg>)> + 'a {
        let parts = self.parts(func, v).into_iter().flatten().flatten();
        let makers = parts.filter_map(|part| self.maker(func, self.get(part)));
        makers.flat_map(|inst| {
            (0..inst.srcs.len()).filter_map(|n| {
                let v = inst.srcs[n].as_reg()?.reg.as_virt()?;
                Some((v, self.constant(func, inst, n)))
            })
        })
    }

    /// The definition of the constant that a source reads, if it reads one.
    pub fn constant(&self, func: &Function, inst: &Inst, src: usize) -> Option<VReg> {
        let v = inst.srcs[src].as_reg()?.reg.as_virt()?;
        let half = self.get(v).half_read(func, inst, src);
        let part = *self.parts(func, v)?.get(usize::from(half))?;
        let value = self.get(part?);
        let is_constant = |inst: &Inst| inst.srcs.iter().all(|src| src.as_reg().is_none());
        let made = self.maker(func, value).filter(|_| value.is_cheap);
        part.filter(|_| made.is_some_and(is_constant))
    }

    /// The instruction that defines a register, if there is one.
    pub fn maker<'a>(&self, func: &'a Function, value: &Value) -> Option<&'a Inst> {
        let (block, inst) = value.site;
        let is_made = value.def != NONE;
        is_made.then(|| &func.blocks[Block::from_u32(block)].insts[inst as usize])
    }
}

/// The half of a unit that holds a range of bytes, if one does.
fn half(func: &Function, bytes: Range<u32>) -> Option<u8> {
    let grf = func.target.grf_bytes;
    let last = bytes.end.max(bytes.start + 1) - 1;
    (bytes.start / grf == last / grf).then_some((bytes.start / grf) as u8)
}

/// The half of its register that an instruction writes, if it writes one.
fn half_written(func: &Function, inst: &Inst) -> Option<u8> {
    half(func, extent::written(func, inst)?)
}

impl Value {
    /// The half that a source reads, or both; always the first of a register that is defined as a whole.
    pub fn half_read(&self, func: &Function, inst: &Inst, src: usize) -> u8 {
        match self.over.expand() {
            None => 0,
            Some(_) => half_read(func, inst, src).unwrap_or(BOTH),
        }
    }
}

/// The half of a register that a source reads, if it reads one.
fn half_read(func: &Function, inst: &Inst, src: usize) -> Option<u8> {
    let is_list = |reg: Reg| reg.as_list().is_some();
    let source = inst.srcs[src].as_reg().filter(|r| !is_list(r.reg));
    half(func, source.and(extent::read(func, inst, src))?)
}

/// True for an integer operation that defines a register, or a part of it, from immediates and registers.
fn is_cheap(func: &Function, inst: &Inst) -> bool {
    use Op::*;
    let Some(dst) = &inst.dst else { return false };
    let general = |reg: &Reg| (reg.as_virt()).is_some_and(|v| func.regs[v].class == Class::Grf);
    let computes = match inst.gen_op() {
        Some(Mov) => true,
        Some(Not | Add | Add3 | And | Or | Xor | Shl | Shr | Asr) => !dst.ty.is_float(),
        _ => false,
    };
    computes
        && inst.is_bare()
        && dst.indirect.is_none()
        && general(&dst.reg)
        && inst.srcs.iter().all(|src| match src {
            Src::Imm(imm) => imm.ty.is_float() == dst.ty.is_float(),
            Src::Reg(r) => {
                let integers = !r.ty.is_float() && !dst.ty.is_float();
                integers && r.indirect.is_none() && general(&r.reg)
            }
        })
}
