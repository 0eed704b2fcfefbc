//! What a kernel's blocks do to its variables, each in storage of its own and at the same time in its home: whether any
//! byte that is read comes from another write than it should.
//!
//! Without sizes and regions from the IR's own description of accesses. The contents of variables are the numbers of the
//! writes, and predicates are drawn; those that have a home are followed there as variables with a byte for each channel, of
//! which a write leaves as they were only those that the IR keeps.

use std::collections::HashMap;

use cranelift_entity::EntityRef;
use kiln_frontend::module::{Combine, Inst, Operand, Predicate, Region, Var};
use kiln_frontend::opcode::Opcode;
use kiln_ir::func::{Block, Function, Home, Term, Write};
use kiln_ir::homes;

use super::draw::Random;

/// Blocks that a run goes through at most.
const MOST: usize = 400;

struct Machine<'f, 'm> {
    func: &'f Function<'m>,
    /// The write that each byte has its contents from, by root variable and by home.
    own: HashMap<(Var, u32), u64>,
    shared: HashMap<(bool, u32), u64>,
    writes: u64,
    active: u32,
    /// Where each channel waits that is not active.
    waits: Vec<Option<Block>>,
    random: Random,
}

/// Runs a kernel of eight channels once; if a byte is read as another write's than it should, says where.
pub fn run(func: &Function, seed: u64) -> Result<(), String> {
    let mut random = Random(seed);
    let active = match random.below(3) {
        0 => 0xff,
        _ => random.next() as u32 & 0xff | 1,
    };
    let mut machine = Machine {
        func,
        own: HashMap::new(),
        shared: HashMap::new(),
        writes: 0,
        active,
        waits: vec![None; 8],
        random,
    };
    for input in &func.object.inputs {
        if let kiln_frontend::module::InputVar::General(var) = input.var {
            machine.writes += 1;
            for byte in 0..func.object.vars[var].bytes() {
                machine.put(var, byte, machine.writes);
            }
        }
    }
    let mut block = Block::from_u32(0);
    // Blocks whose calls have not come back, with the channels that wait in their routines.
    let mut calls: Vec<(Block, Vec<Option<Block>>)> = Vec::new();
    for _ in 0..MOST {
        for inst in func.block_insts(block) {
            machine.inst(inst.as_u32() as usize, func.visa(inst))?;
        }
        let branch = match func.blocks[block].term {
            Term::Branch { inst, .. } | Term::Goto { inst, .. } => {
                func.visa(inst).pred.map(|p| (inst, p))
            }
            _ => None,
        };
        if let Some((inst, pred)) = branch {
            let channels = match (pred.combine, func.visa(inst).exec.size) {
                (Combine::Any | Combine::All, _) => 0xff,
                (Combine::None, 1) => 1,
                (Combine::None, _) => machine.active,
            };
            machine.read_flag(inst.as_u32() as usize, pred.pred, channels)?;
        }
        let callee = func.block_insts(block).last().and_then(|i| func.callee(i));
        if let Some(callee) = callee {
            calls.push((block, std::mem::replace(&mut machine.waits, vec![None; 8])));
            block = func.routines[callee].blocks.start;
            continue;
        }
        block = match (machine.end(block), calls.pop()) {
            (Some(next), call) => {
                calls.extend(call);
                next
            }
            (None, Some((caller, waits))) => {
                machine.waits = waits;
                match machine.end(caller) {
                    Some(next) => next,
                    None => break,
                }
            }
            (None, None) => break,
        };
    }
    Ok(())
}

impl Machine<'_, '_> {
    fn place(&self, var: Var, byte: u32) -> (bool, u32) {
        match self.func.homes[var] {
            Home::Register { offset } => (false, offset + byte),
            Home::Memory { offset } => (true, offset + byte),
            home => panic!("{home:?}"),
        }
    }

    /// Holds what some channels of a predicate have in its home against what they should have.
    fn read_flag(&self, number: usize, p: Predicate, channels: u32) -> Result<(), String> {
        let var = homes::predicate(self.func.object, p);
        if self.func.homes[var] == Home::Special {
            return Ok(());
        }
        for channel in (0..8).filter(|channel| channels >> channel & 1 != 0) {
            let wanted = self.own.get(&(var, channel));
            let found = self.shared.get(&self.place(var, channel));
            if wanted.is_some() && wanted != found {
                return Err(format!("instruction {number} reads {p} spoiled"));
            }
        }
        Ok(())
    }

    fn write_flag(&mut self, number: usize, p: Predicate, channels: u32) {
        let var = homes::predicate(self.func.object, p);
        if self.func.homes[var] == Home::Special {
            return;
        }
        self.writes += 1;
        let writes = self.func.writes(kiln_ir::func::Inst::new(number)).iter();
        let own = |write: &&Write| self.func.pred_cells[p].expand() == Some(write.cell);
        let old = writes
            .into_iter()
            .find(own)
            .and_then(|write| write.old.expand());
        let is_kept = old.is_some_and(|old| !old.is_undef());
        for channel in 0..8 {
            match channels >> channel & 1 {
                1 => self.put(var, channel, self.writes),
                _ if is_kept => {}
                _ => {
                    let place = self.place(var, channel);
                    self.shared.insert(place, self.writes);
                }
            }
        }
    }

    fn put(&mut self, var: Var, byte: u32, write: u64) {
        let place = self.place(var, byte);
        self.own.insert((var, byte), write);
        self.shared.insert(place, write);
    }

    /// Channels of which a drawn predicate says so.
    fn some(&mut self) -> u32 {
        match self.random.below(4) {
            0 => 0,
            1 => !0,
            _ => self.random.next() as u32,
        }
    }

    fn inst(&mut self, number: usize, inst: &Inst) -> Result<(), String> {
        let moves = matches!(
            inst.op,
            Opcode::Mov | Opcode::Add | Opcode::Cmp | Opcode::Sel
        );
        if !moves {
            return Ok(());
        }
        let n = u32::from(inst.exec.size);
        let all = ((1u64 << n) - 1) as u32;
        let mut mask = match inst.exec.no_mask {
            true => all,
            false => self.active >> inst.exec.offset & all,
        };
        if let Some(pred) = inst.pred {
            self.read_flag(number, pred.pred, mask)?;
            if inst.op != Opcode::Sel {
                mask &= self.some();
            }
        }
        let general = |operand: &Operand| match *operand {
            Operand::General {
                var,
                row,
                col,
                region,
                ..
            } => {
                let bytes = self.func.object.vars[var].ty.bytes();
                let (root, base) = self.func.object.root(var);
                let grf = self.func.target.grf_bytes;
                let first = base + u32::from(row) * grf + u32::from(col) * bytes;
                Some((root, first, bytes, region))
            }
            _ => None,
        };
        let element = |region: Region, channel: u32| match region.v {
            Some(v) => {
                let w = u32::from(region.w.max(1));
                channel / w * u32::from(v) + channel % w * u32::from(region.h)
            }
            None => channel * u32::from(region.h.max(1)),
        };
        let sources = if inst.op == Opcode::Cmp { 0 } else { 1 };
        for (var, first, bytes, region) in inst.operands[sources..].iter().filter_map(general) {
            for channel in (0..n).filter(|channel| mask >> channel & 1 != 0) {
                let from = first + element(region, channel) * bytes;
                for byte in from..from + bytes {
                    let wanted = self.own.get(&(var, byte));
                    let found = self.shared.get(&self.place(var, byte));
                    if wanted.is_some() && wanted != found {
                        let name = &self.func.object.vars[var].name;
                        return Err(format!("instruction {number} reads {name} spoiled"));
                    }
                }
            }
        }
        if sources == 1
            && let Some((var, first, bytes, region)) = general(&inst.operands[0])
        {
            self.writes += 1;
            for channel in (0..n).filter(|channel| mask >> channel & 1 != 0) {
                let from = first + element(region, channel) * bytes;
                for byte in from..from + bytes {
                    self.put(var, byte, self.writes);
                }
            }
        }
        if let Operand::Predicate(pred) = inst.operands[0] {
            self.write_flag(number, pred.pred, mask);
        }
        Ok(())
    }

    /// The channels that are to go on at a block which have been waiting there.
    fn wake(&mut self, block: Block) {
        for (channel, waits) in self.waits.iter_mut().enumerate() {
            if *waits == Some(block) {
                *waits = None;
                self.active |= 1 << channel;
            }
        }
    }

    fn park(&mut self, channels: u32, at: Block) {
        for channel in (0..8).filter(|channel| channels >> channel & 1 != 0) {
            self.waits[channel] = Some(at);
        }
        self.active &= !channels;
    }

    /// The next block, as the end of one says.
    fn end(&mut self, block: Block) -> Option<Block> {
        match self.func.blocks[block].term {
            Term::Jump(to) => Some(to),
            Term::Branch { taken, next, .. } => match self.some() & 1 {
                0 => Some(next),
                _ => Some(taken),
            },
            Term::Goto {
                inst,
                uip,
                jip,
                next,
                backward,
            } => {
                let some = match self.func.visa(inst).pred {
                    Some(_) => self.some(),
                    None => !0,
                };
                let going = self.active & some;
                if backward {
                    if going == 0 {
                        return Some(jip);
                    }
                    // Those that stay wait behind it.
                    let at = self.body_behind(block);
                    self.park(self.active & !going, at);
                    return Some(uip);
                }
                self.park(going, uip);
                match next.filter(|_| self.active != 0) {
                    Some(next) => Some(next),
                    None => Some(jip),
                }
            }
            Term::Join { jip, next } => {
                self.wake(block);
                match jip.filter(|_| self.active == 0) {
                    Some(jip) => Some(jip),
                    None => Some(next),
                }
            }
            Term::Ret => None,
        }
    }

    /// The next join in the order of the code.
    fn body_behind(&self, block: Block) -> Block {
        let behind = self.func.blocks.keys().filter(|&b| b > block);
        let mut joins = behind.filter(|&b| matches!(self.func.blocks[b].term, Term::Join { .. }));
        joins.next().expect("those that stay wait at a join")
    }
}
