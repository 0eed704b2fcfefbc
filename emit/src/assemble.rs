//! From a function's blocks to its machine code.
//!
//! Takes blocks of instructions with physical registers whose branches name blocks, decides which
//! instructions take their short form, places the blocks one after the other and turns their
//! branches' targets into distances. Instructions that are not branches are what they were; no
//! instruction is added.

use crate::encoding::{EncodeError, compactable, encode};
use crate::inst::{Inst, Target};
use crate::platform::Platform;

/// The blocks of a function, in the order of their code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub blocks: Vec<Vec<Inst>>,
}

/// Every instruction of a program in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The instructions of all blocks, ready to be encoded.
    pub insts: Vec<Inst>,
    /// Where each block starts, in bytes, and where the last one ends.
    pub block_offsets: Vec<u32>,
}

/// Compacts and places every instruction.
///
/// # Errors
/// An instruction that has no encoding, or a branch to a block that is not there, with its block
/// and index. A target of one past the last block is the end of the code.
pub fn layout(program: &Program, platform: &Platform) -> Result<Layout, EncodeError> {
    let mut insts = Vec::with_capacity(program.blocks.iter().map(Vec::len).sum());
    let mut block_offsets = Vec::with_capacity(program.blocks.len() + 1);
    let mut places = Vec::with_capacity(insts.capacity());
    let mut offset = 0u32;
    for (block, list) in program.blocks.iter().enumerate() {
        block_offsets.push(offset);
        for (index, inst) in list.iter().enumerate() {
            let mut inst = inst.clone();
            let is_branch = inst.jip.is_some() || inst.uip.is_some();
            inst.opts.compacted =
                !is_branch && compactable(&inst, platform).map_err(at(block, index))?;
            places.push((block, index, offset));
            offset += inst.size();
            insts.push(inst);
        }
    }
    block_offsets.push(offset);
    for (inst, (block, index, from)) in insts.iter_mut().zip(places) {
        for target in [&mut inst.jip, &mut inst.uip].into_iter().flatten() {
            resolve(target, from, &block_offsets).map_err(at(block, index))?;
        }
    }
    Ok(Layout {
        insts,
        block_offsets,
    })
}

fn at(block: usize, index: usize) -> impl Fn(EncodeError) -> EncodeError {
    move |source| EncodeError::At {
        block,
        index,
        source: Box::new(source),
    }
}

fn resolve(target: &mut Target, from: u32, offsets: &[u32]) -> Result<(), EncodeError> {
    if let Target::Block(block) = *target {
        let to = offsets
            .get(block as usize)
            .ok_or(EncodeError::Block(block))?;
        let distance = i64::from(*to) - i64::from(from);
        let short = i32::try_from(distance).map_err(|_| EncodeError::Offset(distance))?;
        *target = Target::Offset(short);
    }
    Ok(())
}

/// The machine code of a program.
///
/// # Errors
/// As [`layout`].
pub fn assemble(program: &Program, platform: &Platform) -> Result<Vec<u8>, EncodeError> {
    let layout = layout(program, platform)?;
    let mut code = Vec::with_capacity(layout.block_offsets.last().map_or(0, |end| *end as usize));
    let mut block = 0;
    let mut index = 0;
    for inst in &layout.insts {
        while layout.block_offsets[block + 1] as usize <= code.len() {
            block += 1;
            index = 0;
        }
        let encoded = encode(inst, platform).map_err(at(block, index))?;
        code.extend_from_slice(encoded.as_bytes());
        index += 1;
    }
    Ok(code)
}
