//! Machine code from a function's blocks, in one walk.
//!
//! Takes blocks of instructions with physical registers whose branches name blocks. Each instruction is encoded once,
//! in its compact form if it has one, and appended. A branch to a block is appended without its distances, which are
//! filled in when all blocks are placed; an immediate that is a symbol's address leaves a relocation. Branches are
//! never compact, so that no placement depends on a distance. No instruction is added, dropped or moved.

use crate::encoding::{EncodeError, Open, Targets, encode_open, spec};
use crate::inst::{Inst, Op, Place, RegFile, Src, Target, Type};
use crate::platform::Platform;

/// Bytes of zeros that the reference adds after a kernel's last instruction, for the instruction prefetcher, before
/// rounding up to [`TEXT_ALIGN`].
pub const TEXT_PADDING: usize = 128;
/// Alignment of kernels in bytes: the hardware takes only the upper bits of the address.
pub const TEXT_ALIGN: usize = 64;

/// The blocks of a function, in the order of their code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub blocks: Vec<Vec<Inst>>,
}

impl Program {
    /// The blocks of decoded code: a branch ends one, and a branch's target begins one. `None` if a branch goes to
    /// where no instruction is.
    pub fn of_code(code: Vec<Inst>) -> Option<Program> {
        let mut end = 0;
        let mut offsets: Vec<i64> = Vec::with_capacity(code.len());
        for inst in &code {
            offsets.push(end);
            end += i64::from(inst.size());
        }
        let place = |at: usize, inst: &Inst, target| match target {
            Some(Target::Offset(by)) if !inst.op.branches_to_place() => {
                let to = offsets[at] + i64::from(by);
                let index = if to == end {
                    Ok(code.len())
                } else {
                    offsets.binary_search(&to)
                };
                Some(index.ok())
            }
            _ => None,
        };
        let mut is_start = vec![false; code.len() + 1];
        is_start[0] = true;
        for (at, inst) in code.iter().enumerate() {
            for to in [inst.jip, inst.uip]
                .into_iter()
                .filter_map(|target| place(at, inst, target))
            {
                is_start[to?] = true;
            }
            is_start[at + 1] |= inst.op.is_branch();
        }
        // The number of the block that begins at each instruction.
        let numbers: Vec<u32> = is_start
            .iter()
            .scan(0, |blocks, is_start| {
                Some(std::mem::replace(blocks, *blocks + u32::from(*is_start)))
            })
            .collect();
        let mut blocks: Vec<Vec<Inst>> = Vec::new();
        for (at, inst) in code.iter().enumerate() {
            let mut inst = inst.clone();
            for target in [&mut inst.jip, &mut inst.uip] {
                if let Some(Some(to)) = place(at, &code[at], *target) {
                    *target = Some(Target::Block(numbers[to]));
                }
            }
            if is_start[at] {
                blocks.push(Vec::new());
            }
            blocks.last_mut()?.push(inst);
        }
        Some(Program { blocks })
    }

    /// The instructions in their order with distances in place of blocks, as if none were compact, and the number of the
    /// first instruction of each block. A call of a routine keeps its number.
    pub fn placed(&self) -> (Vec<Inst>, Vec<u32>) {
        let mut starts = Vec::with_capacity(self.blocks.len());
        let mut end = 0;
        for block in &self.blocks {
            starts.push(end);
            end += block.len() as u32;
        }
        let place = |at: u32, target: Target| match target {
            Target::Block(block) => starts.get(block as usize).map_or(target, |to| {
                Target::Offset((*to as i32 - at as i32) * LONG_INST_BYTES as i32)
            }),
            target => target,
        };
        let insts = (0u32..).zip(self.blocks.iter().flatten());
        let insts = insts.map(|(at, inst)| {
            let mut inst = inst.clone();
            inst.opts.compacted = false;
            for target in [&mut inst.jip, &mut inst.uip].into_iter().flatten() {
                *target = place(at, *target);
            }
            inst
        });
        (insts.collect(), starts)
    }

    /// Puts blocks before all others.
    pub fn prepend(&mut self, blocks: Vec<Vec<Inst>>) {
        let count = blocks.len() as u32;
        for inst in self.blocks.iter_mut().flatten() {
            for target in [&mut inst.jip, &mut inst.uip] {
                if let Some(Target::Block(block)) = target {
                    *block += count;
                }
            }
        }
        self.blocks.splice(0..0, blocks);
    }

    /// Appends the blocks of subroutines, in the order of their numbers from 1 on, and replaces the targets of calls
    /// by blocks.
    pub fn append(&mut self, routines: impl IntoIterator<Item = Program>) {
        let mut starts = vec![0];
        for routine in routines {
            let first = self.blocks.len() as u32;
            starts.push(first);
            for mut block in routine.blocks {
                for inst in &mut block {
                    for target in [&mut inst.jip, &mut inst.uip].into_iter().flatten() {
                        if let Target::Block(block) = target {
                            *block += first;
                        }
                    }
                }
                self.blocks.push(block);
            }
        }
        if starts.len() == 1 {
            return;
        }
        for inst in self.blocks.iter_mut().flatten() {
            if let Some(Target::Routine(routine)) = inst.jip
                && let Some(&start) = starts.get(routine as usize)
            {
                inst.jip = Some(Target::Block(start));
            }
        }
    }
}

/// The machine code of a program, with the offsets of its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    pub code: Vec<u8>,
    /// Start of each block in bytes, and the end of the last one.
    pub block_offsets: Vec<u32>,
    /// Start of each instruction of all blocks, in bytes.
    pub inst_offsets: Vec<u32>,
    pub relocations: Vec<Relocation>,
}

/// A field of the code that takes the address of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Offset of the field, in bytes.
    pub offset: u32,
    pub kind: RelocationKind,
    /// As in [`Inst::symbol`].
    pub symbol: u32,
}

/// Contents of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocationKind {
    /// The address, of 64 bits.
    Address,
    /// Low 32 bits of the address.
    AddressLow,
    /// High 32 bits of the address. The assembler does not tell them from the low ones: the symbol's name does.
    AddressHigh,
    /// The distance to it from the start of the instruction, of 32 bits.
    Distance,
}

impl RelocationKind {
    /// Size of the field in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            RelocationKind::Address => 8,
            RelocationKind::AddressLow | RelocationKind::AddressHigh | RelocationKind::Distance => {
                4
            }
        }
    }
}

/// Bytes of an instruction that is not compact, as one with a symbol is.
const LONG_INST_BYTES: u32 = 16;
/// Bytes from the sum of a callee's address and minus `ip` to the `call` by it, with nothing between but the sum that takes
/// these bytes off.
pub const SUM_TO_CALL: u32 = 2 * LONG_INST_BYTES;

impl Relocation {
    /// Value of the field for a symbol's address, in code that begins at `base`. The lower bytes are the field's.
    pub fn value(&self, base: u64, address: u64) -> u64 {
        match self.kind {
            RelocationKind::Address | RelocationKind::AddressLow => address,
            RelocationKind::AddressHigh => address >> 32,
            RelocationKind::Distance => {
                let end = u64::from(self.offset) + u64::from(self.kind.bytes());
                address.wrapping_sub(base + end - u64::from(LONG_INST_BYTES))
            }
        }
    }

    /// Stores the symbol's address, or the distance to it, in code that begins at `base`.
    pub fn apply(&self, code: &mut [u8], base: u64, address: u64) {
        let from = self.offset as usize;
        let bytes = self.kind.bytes() as usize;
        if let Some(field) = code.get_mut(from..from + bytes) {
            field.copy_from_slice(&self.value(base, address).to_le_bytes()[..bytes]);
        }
    }
}

/// A branch whose distances are not yet stored.
struct Branch {
    offset: u32,
    block: usize,
    index: usize,
    word: u128,
    targets: Targets,
}

/// The machine code of a program.
///
/// # Errors
/// An instruction that has no encoding, a branch to a block that is not there, or a symbol without
/// an immediate, with its block and index. A target of one past the last block is the end of the
/// code.
pub fn assemble(program: &Program, platform: &Platform) -> Result<Assembled, EncodeError> {
    let spec = spec(platform);
    let blocks = &program.blocks;
    let count = blocks.iter().map(Vec::len).sum();
    let mut out = Assembled {
        code: Vec::with_capacity(count * 16),
        block_offsets: Vec::with_capacity(blocks.len() + 1),
        inst_offsets: Vec::with_capacity(count),
        relocations: Vec::new(),
    };
    let mut branches = Vec::new();
    for (block, insts) in blocks.iter().enumerate() {
        out.block_offsets.push(out.code.len() as u32);
        for (index, inst) in insts.iter().enumerate() {
            let offset = out.code.len() as u32;
            out.inst_offsets.push(offset);
            match encode_open(inst, spec, platform).map_err(at(block, index))? {
                Open::Done(encoded) => out.code.extend_from_slice(encoded.as_bytes()),
                Open::Branch(word, targets) => {
                    out.code.extend_from_slice(&word.to_le_bytes());
                    branches.push(Branch {
                        offset,
                        block,
                        index,
                        word,
                        targets,
                    });
                }
            }
            if inst.op == Op::Call && inst.jip == Some(Target::Reg) {
                let first = out.inst_offsets.len() - 1 - index;
                widen(&insts[..index], &out.inst_offsets[first..], &mut out.code);
            }
            if let Some(symbol) = inst.symbol {
                let end = out.code.len() as u32;
                let relocation = relocation(inst, symbol, end).map_err(at(block, index))?;
                out.relocations.push(relocation);
            }
        }
    }
    out.block_offsets.push(out.code.len() as u32);
    for branch in branches {
        close(branch, &mut out)?;
    }
    Ok(out)
}

/// Makes the distance to the call at the end of the code larger, if waits came between the sums that compute it and the
/// call. `offsets` has one more than `before`: the call's.
fn widen(before: &[Inst], offsets: &[u32], code: &mut [u8]) {
    let is_sum = |inst: &Inst| inst.op == Op::Add && inst.opts.long;
    let less_ip = |inst: &Inst| {
        let takes = |src: &Src| {
            matches!(src, Src::Reg(src) if src.modifier.neg
            && matches!(src.place, Place::Direct(reg) if reg.file == RegFile::Ip))
        };
        is_sum(inst) && inst.srcs.first().is_some_and(takes)
    };
    let shortest = u64::from(SUM_TO_CALL.wrapping_neg());
    let less_bytes =
        |inst: &Inst| is_sum(inst) && inst.srcs.get(1) == Some(&Src::imm(Type::D, shortest));
    let Some(from) = before.iter().rposition(less_ip) else {
        return;
    };
    let Some(sum) = before[from..].iter().rposition(less_bytes) else {
        return;
    };
    let (Some(call), start) = (offsets.last(), offsets[from]) else {
        return;
    };
    let end = (offsets[from + sum] + LONG_INST_BYTES) as usize;
    if let Some(field) = code.get_mut(end - 4..end) {
        field.copy_from_slice(&(start.wrapping_sub(*call)).to_le_bytes());
    }
}

/// The relocation of an immediate, which is an instruction's last bytes.
fn relocation(inst: &Inst, symbol: u32, end: u32) -> Result<Relocation, EncodeError> {
    let kind = match inst.srcs.last() {
        None if inst.op == Op::Call => RelocationKind::Distance,
        Some(Src::Imm { ty, .. }) if ty.bytes() == 8 => RelocationKind::Address,
        Some(Src::Imm { ty, .. }) if ty.bytes() == 4 => RelocationKind::AddressLow,
        _ => {
            return Err(EncodeError::Missing {
                op: inst.op,
                what: "immediate for its symbol",
            });
        }
    };
    let offset = end - kind.bytes();
    Ok(Relocation {
        offset,
        kind,
        symbol,
    })
}

/// Stores the distances of a branch.
fn close(branch: Branch, out: &mut Assembled) -> Result<(), EncodeError> {
    let Branch {
        offset,
        block,
        index,
        mut word,
        targets,
    } = branch;
    let distance = |target: u32| {
        let to = out.block_offsets.get(target as usize);
        let to = to.ok_or(EncodeError::Block(target))?;
        Ok(i64::from(*to) - i64::from(offset))
    };
    targets
        .close(&mut word, distance)
        .map_err(at(block, index))?;
    let from = offset as usize;
    out.code[from..from + 16].copy_from_slice(&word.to_le_bytes());
    Ok(())
}

fn at(block: usize, index: usize) -> impl Fn(EncodeError) -> EncodeError {
    move |source| EncodeError::At {
        block,
        index,
        source: Box::new(source),
    }
}
