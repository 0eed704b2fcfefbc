//! Applies an allocation: physical registers, moves, spills and fills, branch targets.
//!
//! Takes the machine function with regalloc2's answer and gives a program ready to be assembled.
//! A general register is spilled by a scratch block message of one unit whose header is the copy of
//! r0 in r127; flags and address registers are spilled to reserved general registers. Blocks that
//! stay empty disappear; branches to them go on to where they lead.

use std::collections::HashMap;

use kiln_emit::assemble::Program;
use kiln_emit::inst::{
    Desc, Dst, Inst as Gen, Message, Op, Place, Reg, RegFile, Region, Src, Target, Type,
};
use kiln_isel::lower::{HEADER_GRF, RESERVED_GRF};
use kiln_isel::mir::{Class, GRF_BYTES, Kind, MFunc, MInst, Role, UNIT_BYTES};
use regalloc2::{
    Allocation, AllocationKind, Block, Edit, Function, Inst, InstOrEdit, Output, RegClass,
    SpillSlot,
};

use crate::adapter::{Adapter, Source};
use crate::{Allocated, Stats, UNIT_GRFS};

/// Scratch space that a block message can address: 4,096 GRFs.
pub const SCRATCH_LIMIT: u32 = 4096 * GRF_BYTES;

/// Where spill slots are.
pub struct Slots {
    /// Byte offset in scratch space.
    grf: HashMap<usize, u32>,
    /// Byte offset in the register file.
    flag: HashMap<usize, u32>,
    addr: HashMap<usize, u32>,
    scratch_base: u32,
    missing: u32,
}

impl Slots {
    /// Gives every slot that the moves of `output` name a place; flags and addresses in r126 and
    /// the `spare` units.
    pub fn new(output: &Output, scratch_base: u32, spare: &[u32]) -> Slots {
        let base = scratch_base.next_multiple_of(GRF_BYTES);
        let mut s = Slots {
            grf: HashMap::new(),
            flag: HashMap::new(),
            addr: HashMap::new(),
            scratch_base: base,
            missing: 0,
        };
        let (mut flags, mut addrs) = (Vec::new(), Vec::new());
        for (_, Edit::Move { from, to }) in &output.edits {
            let class = [from, to]
                .iter()
                .find_map(|a| a.as_reg())
                .map_or(RegClass::Int, |r| r.class());
            for slot in [from, to]
                .iter()
                .filter_map(|a| a.as_stack())
                .map(SpillSlot::index)
            {
                match class {
                    RegClass::Int => {
                        let next = s.grf.len() as u32 * UNIT_BYTES + base;
                        s.grf.entry(slot).or_insert(next);
                    }
                    RegClass::Float => flags.push(slot),
                    RegClass::Vector => addrs.push(slot),
                }
            }
        }
        flags.sort_unstable();
        flags.dedup();
        addrs.sort_unstable();
        addrs.dedup();
        // Eight flags in r126, then whole registers for addresses, then more flags.
        let in_reserved = (0..8).map(|i| RESERVED_GRF * GRF_BYTES + i * 4);
        let grfs: Vec<u32> = spare
            .iter()
            .flat_map(|u| [u * UNIT_BYTES, u * UNIT_BYTES + GRF_BYTES])
            .collect();
        let (for_addrs, for_flags) = grfs.split_at(addrs.len().min(grfs.len()));
        let flag_places: Vec<u32> = in_reserved
            .chain(
                for_flags
                    .iter()
                    .flat_map(|&g| (0..8).map(move |i| g + i * 4)),
            )
            .collect();
        let missing_bytes = (addrs.len().saturating_sub(for_addrs.len()) as u32) * GRF_BYTES
            + (flags.len().saturating_sub(flag_places.len()) as u32) * 4;
        s.missing = missing_bytes.div_ceil(UNIT_BYTES);
        s.addr = addrs.into_iter().zip(for_addrs.iter().copied()).collect();
        s.flag = flags.into_iter().zip(flag_places).collect();
        s
    }

    /// Units that must be set aside before every slot has a place.
    pub fn missing_units(&self) -> Option<u32> {
        (self.missing > 0).then_some(self.missing)
    }

    /// One past the last byte of scratch space that is used.
    pub fn scratch_end(&self) -> u32 {
        self.scratch_base + self.spill_bytes()
    }

    fn spill_bytes(&self) -> u32 {
        self.grf.len() as u32 * UNIT_BYTES
    }
}

/// One block's code and the numbers its parts get in the program.
struct Emitted {
    insts: Vec<Gen>,
    /// Indices of instructions that hold the address of a name.
    symbols: Vec<(usize, u32)>,
    /// Index of a join that other instructions come before.
    join_at: Option<usize>,
}

struct Rewriter<'a> {
    func: &'a MFunc,
    slots: &'a Slots,
    stats: Stats,
    code: Vec<Gen>,
}

/// Makes the program.
pub fn rewrite(func: &MFunc, input: &Adapter, output: &Output, slots: &Slots) -> Allocated {
    let mut r = Rewriter {
        func,
        slots,
        stats: Stats::default(),
        code: Vec::new(),
    };
    r.stats.spill_bytes = slots.spill_bytes();
    r.stats.grf_used = grfs_used(func, output);
    let mut blocks: Vec<Emitted> = Vec::with_capacity(input.num_blocks());
    for b in 0..input.num_blocks() {
        let mut join_at = None;
        let mut symbols = Vec::new();
        for item in output.block_insts_and_edits(input, Block::new(b)) {
            match item {
                InstOrEdit::Edit(Edit::Move { from, to }) => r.transfer(*from, *to),
                InstOrEdit::Inst(inst) => {
                    if input.source[inst.index()] == Source::Entry {
                        // Message headers, spills among them, and the end of thread need r0, which
                        // is allocated like any other register.
                        r.code
                            .push(copy(8, Reg::grf(HEADER_GRF), Reg::grf(0), Type::Ud));
                    }
                    if let Source::At(block, i) = input.source[inst.index()] {
                        let m = &func.blocks[block as usize].insts[i as usize];
                        if m.kind == Kind::Real && m.inst.op == Op::Join {
                            join_at = Some(r.code.len());
                        }
                        symbols.extend(m.symbol.map(|s| (r.code.len(), s)));
                        r.inst(m, input, inst, output);
                    }
                }
            }
        }
        let insts = std::mem::take(&mut r.code);
        blocks.push(Emitted {
            insts,
            symbols,
            join_at,
        });
    }
    link(input, blocks, r)
}

impl Rewriter<'_> {
    fn inst(&mut self, m: &MInst, input: &Adapter, inst: Inst, output: &Output) {
        if m.kind != Kind::Real {
            return;
        }
        // Registers of uses and of definitions, by virtual register.
        let allocs = output.inst_allocs(inst);
        let operands = input.inst_operands(inst);
        let find = |reg: Reg, def: bool| -> Reg {
            let Some(v) = reg.as_virt() else { return reg };
            let wanted = if def {
                regalloc2::OperandKind::Def
            } else {
                regalloc2::OperandKind::Use
            };
            let at = operands
                .iter()
                .position(|o| o.kind() == wanted && o.vreg().vreg() == v.as_u32() as usize)
                .expect("every register of an instruction is an operand");
            physical(allocs[at], reg.byte, self.func.vregs[v])
        };
        let mut out = m.inst.clone();
        // The two payloads may name one register in two places.
        let mut position = 0;
        let mut firsts = [None; 2];
        m.operands(|_, role| {
            if let Role::Payload(p, 0) = role {
                firsts[usize::from(p)] = Some(position);
            }
            position += match role {
                Role::DefOver(_) | Role::Result(_, Some(_)) => 2,
                _ => 1,
            };
        });
        for (i, src) in out.srcs.iter_mut().enumerate() {
            if let Src::Reg(s) = src {
                match &mut s.place {
                    Place::Direct(r) => {
                        *r = match firsts.get(i).copied().flatten() {
                            Some(at) => physical(allocs[at], r.byte, Class::Grf),
                            None => find(*r, false),
                        };
                    }
                    Place::Indirect { addr, .. } => *addr = find(*addr, false),
                }
            }
        }
        if let Some(p) = &mut out.pred {
            p.flag = find(p.flag, false);
        }
        if let Some(c) = &mut out.cond {
            c.flag = find(c.flag, true);
        }
        if let Some(d) = &mut out.dst {
            match &mut d.place {
                Place::Direct(r) => *r = find(*r, true),
                Place::Indirect { addr, .. } => *addr = find(*addr, false),
            }
        }
        self.code.push(out);
    }

    /// A move between registers, or to or from a spill slot.
    fn transfer(&mut self, from: Allocation, to: Allocation) {
        let class = [from, to]
            .iter()
            .find_map(|a| a.as_reg())
            .map_or(RegClass::Int, |r| r.class());
        match class {
            RegClass::Int => match (from.kind(), to.kind()) {
                (AllocationKind::Reg, AllocationKind::Stack) => {
                    self.stats.spills += 1;
                    let at = self.slots.grf[&slot(to)];
                    self.code.push(scratch(from, at, true));
                }
                (AllocationKind::Stack, AllocationKind::Reg) => {
                    self.stats.fills += 1;
                    let at = self.slots.grf[&slot(from)];
                    self.code.push(scratch(to, at, false));
                }
                _ => {
                    self.stats.moves += 1;
                    let src = physical(from, 0, Class::Grf);
                    let dst = physical(to, 0, Class::Grf);
                    self.code.push(copy(16, dst, src, Type::Ud));
                }
            },
            RegClass::Float => {
                self.stats.moves += 1;
                let (src, dst) = (self.small(from, Class::Flag), self.small(to, Class::Flag));
                self.code.push(copy(1, dst, src, Type::Ud));
            }
            RegClass::Vector => {
                self.stats.moves += 1;
                let (src, dst) = (self.small(from, Class::Addr), self.small(to, Class::Addr));
                self.code.push(copy(16, dst, src, Type::Uw));
            }
        }
    }

    /// A flag or address register, or where it is spilled.
    fn small(&self, a: Allocation, class: Class) -> Reg {
        if a.is_reg() {
            return physical(a, 0, class);
        }
        let places = if class == Class::Flag {
            &self.slots.flag
        } else {
            &self.slots.addr
        };
        let byte = places[&slot(a)];
        Reg::new(RegFile::Grf, byte / GRF_BYTES, (byte % GRF_BYTES) as u16)
    }
}

/// GRFs that hold something at one time or another: those of every unit the allocator gave out,
/// those out of its hands, and the thread header's.
fn grfs_used(func: &MFunc, output: &Output) -> u32 {
    let moved = output
        .edits
        .iter()
        .flat_map(|(_, Edit::Move { from, to })| [*from, *to]);
    let mut units = 1u64 << (HEADER_GRF / UNIT_GRFS);
    for reg in output
        .allocs
        .iter()
        .copied()
        .chain(moved)
        .filter_map(|a| a.as_reg())
    {
        if reg.class() == RegClass::Int {
            units |= 1 << reg.hw_enc();
        }
    }
    for grf in func.reserved.iter().cloned().flatten() {
        units |= 1 << (grf / UNIT_GRFS);
    }
    units.count_ones() * UNIT_GRFS
}

fn slot(a: Allocation) -> usize {
    a.as_stack().expect("a spill slot").index()
}

/// The physical register behind an allocation, at a byte offset into it.
fn physical(a: Allocation, byte: u16, class: Class) -> Reg {
    let number = a.as_reg().expect("a register").hw_enc() as u32;
    match class {
        Class::Grf => {
            let at = u32::from(byte);
            Reg::new(
                RegFile::Grf,
                number * UNIT_GRFS + at / GRF_BYTES,
                (at % GRF_BYTES) as u16,
            )
        }
        Class::Flag => Reg::new(RegFile::Flag, number, byte),
        Class::Addr => Reg::new(RegFile::Addr, 0, byte),
    }
}

fn copy(size: u8, to: Reg, from: Reg, ty: Type) -> Gen {
    let mut mov = Gen::new(Op::Mov, size);
    mov.no_mask = true;
    mov.dst = Some(Dst::new(to, 1, ty));
    let width = if ty == Type::Uw {
        size.min(16)
    } else {
        size.min(8)
    };
    let region = if size == 1 {
        Region::SCALAR
    } else {
        Region::new(width, width, 1)
    };
    mov.srcs.push(Src::reg(from, region, ty));
    mov
}

/// A scratch block message of one unit (PRM, "Scratch Block Read/Write"): bit 18 makes it one, bit
/// 17 a write, bits 12-13 the two registers, bits 0-11 the offset in registers.
fn scratch(unit: Allocation, at: u32, write: bool) -> Gen {
    const HEADER: u32 = 1 << 19;
    const SCRATCH: u32 = 1 << 18 | 1 << 12;
    const WRITE: u32 = 1 << 17 | 1 << 16;
    let reg = physical(unit, 0, Class::Grf);
    let mut send = Gen::new(if write { Op::Sends } else { Op::Send }, 16);
    send.no_mask = true;
    let fixed = (1 << 25) | HEADER | SCRATCH | (at / GRF_BYTES);
    let header = Src::reg(Reg::grf(HEADER_GRF), Region::packed(8), Type::Ud);
    send.srcs.push(header);
    let (desc, ex_desc) = if write {
        send.srcs.push(Src::reg(reg, Region::packed(8), Type::Ud));
        send.dst = Some(Dst::new(Reg::NULL, 1, Type::Uw));
        (fixed | WRITE, 10 | UNIT_GRFS << 6)
    } else {
        send.dst = Some(Dst::new(reg, 1, Type::Uw));
        (fixed | UNIT_GRFS << 20, 10)
    };
    send.msg = Some(Message {
        sfid: 10,
        eot: false,
        desc: Desc::Imm(desc),
        ex_desc: Desc::Imm(ex_desc),
    });
    send
}

/// Orders the blocks, drops the empty ones, adds the jumps that falling through does not do.
fn link(input: &Adapter, mut blocks: Vec<Emitted>, r: Rewriter) -> Allocated {
    let count = blocks.len();
    let succ = |b: usize| input.block_succs(Block::new(b));
    let jumps = |b: usize| -> bool {
        // The last instruction gives no code: execution goes on at the only successor.
        let last = input.block_insns(Block::new(b)).last();
        match input.source[last.index()] {
            Source::At(block, i) => {
                r.func.blocks[block as usize].insts[i as usize].kind == Kind::Jump
            }
            _ => true,
        }
    };
    let empty: Vec<bool> = (0..count)
        .map(|b| blocks[b].insts.is_empty() && jumps(b))
        .collect();
    let resolve = |mut b: usize| {
        // A chain of empty blocks ends, unless it is an endless loop without any instruction.
        for _ in 0..count {
            if !empty[b] {
                return b;
            }
            b = succ(b)[0].index();
        }
        b
    };
    let endless: Vec<bool> = (0..count).map(|b| empty[b] && empty[resolve(b)]).collect();
    let stays = |b: usize| !empty[b] || endless[b];
    // The entry, then the blocks in the order in which the function has them.
    let mut order: Vec<usize> = (0..count).collect();
    order[1..].sort_unstable_by_key(|&b| input.origin[b - 1]);
    // Numbers of the program's blocks: the start of each, and the join inside it.
    let mut start = vec![0u32; count];
    let mut join = vec![0u32; count];
    let mut next = 0;
    for &b in &order {
        start[b] = next;
        join[b] = next;
        if stays(b) {
            next += 1;
            if blocks[b].join_at.is_some_and(|at| at > 0) {
                join[b] = next;
                next += 1;
            }
        }
    }
    let mut number = vec![0usize; r.func.blocks.len()];
    for (i, &b) in input.origin.iter().enumerate() {
        number[b as usize] = i + 1;
    }
    let mut program = Program::default();
    let mut symbols = Vec::new();
    for (place, &b) in order.iter().enumerate() {
        if !stays(b) {
            continue;
        }
        let falls_to = order[place + 1..].iter().copied().find(|&n| stays(n));
        let block = &mut blocks[b];
        let go_on = if jumps(b) {
            Some(resolve(succ(b)[0].index()))
        } else {
            let last = block
                .insts
                .last_mut()
                .expect("a block that stays ends in an instruction");
            let forward = !last.opts.branch_ctrl;
            let fall = fall_through(last, succ(b), &number);
            if let Some(Target::Block(t)) = &mut last.jip {
                *t = start[resolve(number[*t as usize])];
            }
            if let Some(Target::Block(t)) = &mut last.uip {
                let to = number[*t as usize];
                *t = if forward {
                    join[to]
                } else {
                    start[resolve(to)]
                };
            }
            fall.map(resolve)
        };
        if let Some(to) = go_on
            && falls_to != Some(to)
        {
            let mut jump = Gen::new(Op::Jmpi, 1);
            jump.no_mask = true;
            jump.jip = Some(Target::Block(start[to]));
            block.insts.push(jump);
        }
        let rest = match block.join_at {
            Some(at) if at > 0 => block.insts.split_off(at),
            _ => Vec::new(),
        };
        // No instruction but the join and its moves stands in a join's block.
        symbols.extend(
            block
                .symbols
                .iter()
                .map(|&(i, s)| (program.blocks.len(), i, s)),
        );
        program.blocks.push(std::mem::take(&mut block.insts));
        if !rest.is_empty() {
            program.blocks.push(rest);
        }
    }
    Allocated {
        program,
        symbols,
        stats: r.stats,
    }
}

/// The successor that a branch falls through to, as a block of the adapter.
fn fall_through(last: &Gen, succs: &[Block], number: &[usize]) -> Option<usize> {
    let named = |t: Option<Target>| match t {
        Some(Target::Block(t)) => Some(number[t as usize]),
        _ => None,
    };
    let taken = match last.op {
        // A backward goto falls through to its jump target; a forward one never reaches `uip`
        // directly.
        Op::Goto if last.opts.branch_ctrl => named(last.uip),
        _ => named(last.jip),
    };
    match succs {
        [] => None,
        [one] => Some(one.index()),
        _ => succs.iter().map(|s| s.index()).find(|&s| Some(s) != taken),
    }
}
