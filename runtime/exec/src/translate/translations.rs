//! Translations of a program, one for each float mode in which threads have started.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

use super::blocks::Blocks;
use super::code::{Code, Refusal};
use super::emit;
use super::host::Host;
use super::modes::{MODES, mode_number, of_blocks};
use crate::code::decoded::Decoded;
use crate::state::thread::FloatMode;

/// The code of a program, for each float mode in which threads have started.
#[derive(Debug, Default)]
pub struct Translations {
    pub blocks: OnceLock<Blocks>,
    pub codes: [OnceLock<Option<Box<Code>>>; MODES],
    /// Number of instructions that were interpreted in each mode where code would have executed them.
    pub missed: [AtomicU64; MODES],
}

impl Translations {
    pub fn blocks(&self, program: &Decoded) -> &Blocks {
        self.blocks.get_or_init(|| Blocks::new(program))
    }

    /// The code for threads that start in a mode, translated now unless it is there; none if it cannot be.
    pub fn get(&self, program: &Decoded, start: FloatMode) -> Option<&Code> {
        let host = Host::available()?;
        let code = self.codes[mode_number(start)].get_or_init(|| {
            let code = Code::new(program, self.blocks(program), start, host);
            // A program that is interpreted instead gives the same results: tests would not notice.
            debug_assert!(!matches!(code, Err(Refusal::Assembler(_))), "{code:?}");
            code.ok().map(Box::new)
        });
        code.as_deref()
    }

    /// Code that is there, with its entry for an operation in a mode.
    pub fn existing(&self, blocks: &Blocks, index: u32, mode: usize) -> Option<(&Code, u32)> {
        let codes = self.codes.iter().filter_map(|c| c.get()?.as_deref());
        let mut entries = codes.filter_map(|c| Some((c, c.entry(blocks, index, mode)?)));
        entries.next()
    }
}

impl Code {
    /// Translates a program whose threads start in a mode.
    pub fn new(
        program: &Decoded,
        blocks: &Blocks,
        start: FloatMode,
        host: Host,
    ) -> Result<Code, Refusal> {
        let modes = of_blocks(program, blocks, start);
        let output = emit::translate(program, blocks, &modes, host)?;
        Ok(Code {
            start: mode_number(start),
            memory: output.memory,
            pool: output.pool,
            entries: output.entries,
            exit: output.exit,
            modes: modes.into_iter().map(mode_number).collect(),
            translated: output.translated,
            offsets: output.offsets,
            sites: output.sites,
            site_of: output.site_of,
        })
    }
}
