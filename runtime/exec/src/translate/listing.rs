//! Listings of translated code, for `kiln translate`.

use iced_x86::{Decoder, DecoderOptions, Formatter, NasmFormatter};

use super::asm::Line;
use super::blocks::Blocks;
use super::code::{Code, Refusal};
use super::host::Host;
use crate::code::decoded::Decoded;
use crate::state::thread::FloatMode;

/// The translation of a program.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Blocks of the program, in the order of the code.
    pub blocks: Vec<BlockListing>,
    /// Size of the code in bytes, rarely executed parts included.
    pub bytes: usize,
    /// Size of the constants in bytes.
    pub constants: usize,
}

/// A block.
#[derive(Clone, Debug)]
pub struct BlockListing {
    /// Instructions before those of its first operation: they take its length off the turn, wake channels and count.
    pub head: Vec<String>,
    /// Operations of the block, in order.
    pub operations: Vec<OperationListing>,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct OperationListing {
    /// Offset in the program's code, in bytes.
    pub at: u32,
    /// The instruction.
    pub inst: String,
    /// True if the interpreter executes it.
    pub called: bool,
    /// The instructions that it became, without those that are rarely executed.
    pub code: Vec<String>,
}

impl Listing {
    /// Translates a program for a host, which need not be this one.
    ///
    /// # Errors
    /// The system refuses memory that executes.
    pub fn of(program: &Decoded, host: Host) -> Result<Listing, Refusal> {
        let (blocks, code) = code_of(program, host)?;
        Ok(code.listing(program, &blocks))
    }

    /// Translates a program without listing it; gives the size of the code in bytes.
    ///
    /// # Errors
    /// As [`Listing::of`].
    pub fn translate(program: &Decoded, host: Host) -> Result<usize, Refusal> {
        let (_, code) = code_of(program, host)?;
        Ok(code.memory.bytes().len())
    }
}

/// The code for threads in the mode in which the hardware starts them.
fn code_of(program: &Decoded, host: Host) -> Result<(Blocks, Code), Refusal> {
    let blocks = Blocks::new(program);
    let code = Code::new(program, &blocks, FloatMode::INITIAL, host)?;
    Ok((blocks, code))
}

impl Code {
    fn listing(&self, program: &Decoded, all: &Blocks) -> Listing {
        let text = self.text();
        let lines = |from: usize, to: usize| text.get(from..to).unwrap_or_default().to_vec();
        let start = |index: u32| self.translated.get(index as usize).map_or(0, |t| t.start);
        let first_of = |block: usize| {
            let block = all.blocks.get(block)?;
            Some(self.translated.get(block.first as usize)?.head)
        };
        let mut blocks = Vec::new();
        for (number, block) in all.blocks.iter().enumerate() {
            let last = block.first + block.len - 1;
            let begin = first_of(number).unwrap_or(0);
            let end = first_of(number + 1).unwrap_or(start(last));
            let operations = (block.first..=last).filter_map(|index| {
                let op = program.op(index)?;
                let to = if index == last { end } else { start(index + 1) };
                Some(OperationListing {
                    at: op.at,
                    inst: program
                        .inst(index)
                        .map_or_else(String::new, ToString::to_string),
                    called: self.translated.get(index as usize)?.called,
                    code: lines(start(index), to),
                })
            });
            blocks.push(BlockListing {
                head: lines(begin, start(block.first)),
                operations: operations.collect(),
            });
        }
        Listing {
            blocks,
            bytes: self.memory.bytes().len(),
            constants: self.pool.len() * size_of::<Line>(),
        }
    }

    /// All instructions, in the syntax of NASM. What takes no bytes is empty.
    fn text(&self) -> Vec<String> {
        let bytes = self.memory.bytes();
        let mut formatter = NasmFormatter::new();
        let mut text = Vec::with_capacity(self.offsets.len());
        for (number, &from) in self.offsets.iter().enumerate() {
            let mut line = String::new();
            let to = self.offsets.get(number + 1).copied();
            let range = from as usize..to.map_or(bytes.len(), |to| to as usize);
            if let Some(bytes) = bytes.get(range).filter(|bytes| !bytes.is_empty()) {
                let mut decoder =
                    Decoder::with_ip(64, bytes, u64::from(from), DecoderOptions::NONE);
                formatter.format(&decoder.decode(), &mut line);
            }
            text.push(line);
        }
        text
    }
}
