//! What makes each register, and who reads those that may be made anew.

use cranelift_entity::packed_option::PackedOption;
use kiln_machine::func::{Block, Class, Function};
use kiln_machine::inst::{Desc, Inst, Reg, Role, Src, VReg};
use kiln_machine::liveness::term_uses;
use kiln_target::isa::Op;

use super::{BLOCKS, NONE};

/// Where a block reads a register, or one half of it.
#[derive(Clone, Copy)]
pub struct Read {
    pub block: Block,
    /// Where it is made anew for that: at the end of this block, or in the block that reads it before its first read.
    pub spot: Block,
    pub half: u8,
    /// The first instruction that does, and the last.
    pub first: u32,
    pub last: u32,
    /// The one found before, of the same register.
    next: u32,
}

/// What is known of a register.
#[derive(Clone, Copy)]
pub struct Value {
    /// The operation that makes it may be done anywhere.
    pub is_cheap: bool,
    /// It is wanted in a place of its own, or in too many blocks.
    pub is_barred: bool,
    /// What it is written over.
    pub over: PackedOption<VReg>,
    /// How often it is read, passed on or written over.
    pub uses: u32,
    /// The number of the instruction that makes it, of all in order.
    pub born: u32,
    /// Its block, and its number there.
    pub home: (u32, u32),
    pub last: u32,
    /// The last found of its reads: one a block, or one a block and half if it is written over something.
    pub reads: u32,
}

/// All registers, and what reads those that may be made anew.
pub struct Values {
    pub list: Vec<Value>,
    reads: Vec<Read>,
}

/// Stands for both halves.
pub const BOTH: u8 = 2;

/// What makes a register: an operation for all of it, or one for each half that is read.
pub type Parts = [Option<VReg>; 2];

/// Finds what makes each register and who reads it.
pub fn collect(func: &Function) -> Values {
    let nothing = Value {
        is_cheap: false,
        is_barred: false,
        over: None.into(),
        uses: 0,
        born: NONE,
        home: (0, 0),
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
                value.is_cheap = value.born == NONE && is_cheap(func, inst);
                value.born = at;
                value.home = (block.as_u32(), n);
                value.over = role.old().into();
                // Which half was read was not asked before.
                value.is_barred |= role.old().is_some() && value.reads != NONE;
                if let Some(old) = role.old() {
                    values.is_wanted(old, at);
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

    /// Chooses for each block that reads a register where it is made anew.
    pub fn place(&mut self, v: VReg, spot: impl Fn(Block) -> Block) {
        let mut at = self.get(v).reads;
        while let Some(read) = self.reads.get_mut(at as usize) {
            read.spot = spot(read.block);
            at = read.next;
        }
    }

    /// A register is wanted in a place of its own.
    fn is_wanted(&mut self, v: VReg, at: u32) {
        let value = &mut self.list[v.as_u32() as usize];
        value.is_barred = true;
        value.uses += 1;
        value.last = at;
    }

    /// An instruction of a block uses a register.
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
        if value.is_barred || value.born != NONE && !value.is_cheap {
            return;
        }
        let half = value.half_read(func, inst, usize::from(src));
        let mut blocks = 0;
        let mut found = value.reads;
        while let Some(read) = self.reads.get_mut(found as usize) {
            if read.half == half {
                if read.block == block {
                    read.last = n;
                    return;
                }
                blocks += 1;
            }
            found = read.next;
        }
        if blocks == BLOCKS {
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

    /// What makes a register, if all of that may be done anywhere. Of one that is written over another, that one
    /// holds nothing in the half that is written, so that no channel has there what it had before.
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

    /// The instruction that makes a register, if one does.
    pub fn maker<'a>(&self, func: &'a Function, value: &Value) -> Option<&'a Inst> {
        let (block, inst) = value.home;
        let is_made = value.born != NONE;
        is_made.then(|| &func.blocks[Block::from_u32(block)].insts[inst as usize])
    }
}

/// The half of a unit in which bytes lie, if they lie in one.
fn half(func: &Function, from: u32, bytes: u32) -> Option<u8> {
    let grf = func.target.grf_bytes;
    (from / grf == (from + bytes.max(1) - 1) / grf).then_some((from / grf) as u8)
}

/// The half of its register that an instruction writes, if it does so in one.
fn half_written(func: &Function, inst: &Inst) -> Option<u8> {
    let dst = inst.dst.as_ref().filter(|_| inst.is_by_channel())?;
    half(func, dst.reg.byte(), dst.span(inst.exec_size))
}

impl Value {
    /// The half that a source reads, or both; of what is made as a whole always the first.
    pub fn half_read(&self, func: &Function, inst: &Inst, src: usize) -> u8 {
        match self.over.expand() {
            None => 0,
            Some(_) => half_read(func, inst, src).unwrap_or(BOTH),
        }
    }
}

/// The half of a register that a source reads, if it does so in one.
fn half_read(func: &Function, inst: &Inst, src: usize) -> Option<u8> {
    let source = inst.srcs[src]
        .as_reg()
        .filter(|r| r.reg.as_list().is_none())?;
    let bytes = match inst.message.expand() {
        Some(message) => {
            let message = &func.messages[message];
            let (desc, first) = match src {
                0 => (message.desc, 25),
                _ => (message.ex_desc, 6),
            };
            let Desc::Imm(desc) = desc else { return None };
            (desc >> first & 15) * func.target.grf_bytes
        }
        None if inst.is_by_channel() => source.span(inst.exec_size),
        None => return None,
    };
    half(func, source.reg.byte(), bytes)
}

/// An integer operation that makes a register, or a part of it, of immediates and registers.
fn is_cheap(func: &Function, inst: &Inst) -> bool {
    use Op::*;
    let Some(dst) = &inst.dst else { return false };
    let general = |reg: &Reg| (reg.as_virt()).is_some_and(|v| func.regs[v].class == Class::Grf);
    let computes = match inst.gen_op() {
        Some(Mov) => true,
        Some(Not | Add | And | Or | Xor | Shl | Shr | Asr) => !dst.ty.is_float(),
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
