//! Translated code.

use iced_x86::IcedError;

use super::asm::Line;
use super::blocks::Blocks;
use super::memory::Executable;
use super::sites::SiteKind;

/// Translated code: each block for the mode in which it is expected to run.
#[derive(Debug)]
pub struct Code {
    /// Number of the float mode in which threads are expected to start.
    pub start: usize,
    pub memory: Executable,
    pub pool: Vec<Line>,
    pub entries: Vec<Option<u32>>,
    pub exit: u32,
    /// Number of each block's float mode.
    pub modes: Vec<usize>,
    pub translated: Vec<Translated>,
    pub offsets: Vec<u32>,
    pub sites: Vec<SiteKind>,
    pub site_of: Vec<Option<u32>>,
}

impl Code {
    /// Offset of the code for an operation at which a block of a mode begins.
    pub fn entry(&self, blocks: &Blocks, index: u32, mode: usize) -> Option<u32> {
        let entry = self.entries.get(index as usize).copied().flatten()?;
        let block = *blocks.of.get(index as usize)?;
        (self.modes.get(block as usize) == Some(&mode)).then_some(entry)
    }

    /// The site of an operation, with its number; none if it has none.
    pub fn site(&self, index: u32) -> Option<(usize, &SiteKind)> {
        let number = self.site_of.get(index as usize).copied().flatten()? as usize;
        Some((number, self.sites.get(number)?))
    }
}

/// The translation of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Translated {
    /// Number of the first instruction.
    pub start: usize,
    /// Number of the first instruction of the block that begins there.
    pub head: usize,
    /// True if the interpreter's function is called.
    pub called: bool,
}

/// Why a program is not translated.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum Refusal {
    #[error("{0}")]
    Assembler(#[from] IcedError),
    #[error("memory cannot be made executable: {0}")]
    Memory(#[from] std::io::Error),
    #[error("{0:?} has no form in AVX2")]
    NoForm(iced_x86::Code),
    #[error("the code has no exit")]
    NoExit,
    #[error("an instruction in AVX2 needs more registers than there are")]
    NoRegister,
}
