//! The state of a translation at a point of the code, and the steps that all its parts share.

use std::collections::HashMap;
use std::mem::offset_of;

use iced_x86::code_asm::{CodeLabel, eax, ecx, r15, rax, rdi};
use iced_x86::{Code, Register};

use super::asm::{Arg, Assembler, COUNTERS, Done, Length, THREAD, at};
use super::blocks::{Blocks, Lanes};
use super::code::Translated;
use super::codes;
use super::context::MXCSR;
use super::enter;
use super::held::{Entry, HOLDS, Loop, Masks, OTHER, TEMPS, Uses, Windows};
use super::sites::SiteKind;
use crate::code::decoded::Decoded;
use crate::state::thread::{FloatMode, Thread};
use crate::state::wide::Rounding;

/// Channels of an operation that are computed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of the first one in the operation.
    pub first: u8,
    pub lanes: u8,
}

impl Part {
    /// Length of a vector of 32-bit lanes.
    pub fn length32(self) -> Length {
        Length::of(usize::from(self.lanes) * 4)
    }

    /// Parts of an operation's channels, with so many channels each at most.
    pub fn of(lanes: u8, most: u8) -> impl Iterator<Item = Part> + Clone {
        (0..lanes).step_by(most.into()).map(move |first| Part {
            first,
            lanes: most.min(lanes - first),
        })
    }
}

/// Code that is rarely executed, placed after all blocks.
pub enum Cold {
    /// Channels that wait for a block are woken.
    Wake { index: u32 },
    /// A block has more instructions than are left of the turn.
    Budget {
        index: u32,
        len: u32,
        windows: Vec<Entry>,
    },
    /// A block of a loop is entered from outside.
    Enter { index: u32, homes: Vec<Entry> },
    /// A loop is left.
    Leave { windows: Vec<Entry> },
    /// The interpreter executes an operation. Windows are saved as they were, and loaded as code goes on with them.
    Slow {
        index: u32,
        before: Windows,
        after: Windows,
        masks: Masks,
    },
}

/// A way out to the interpreter, for windows as they are there.
pub struct Slow {
    pub label: CodeLabel,
    pub windows: Windows,
}

pub struct Emitter<'a> {
    pub asm: Assembler,
    pub windows: Windows,
    pub masks: Masks,
    /// The float mode of the block at hand.
    pub mode: FloatMode,
    /// The float mode of each block.
    pub modes: &'a [FloatMode],
    pub program: &'a Decoded,
    pub blocks: &'a Blocks,
    /// Size of a general register in bytes.
    pub register_bytes: usize,
    pub sites: Vec<SiteKind>,
    /// The place of messages of each operation among the sites.
    pub site_of: Vec<Option<u32>>,
    /// Index of the operation at hand.
    pub index: u32,
    /// The loop around the block at hand, if windows stay in registers over it.
    pub around: Option<Loop>,
    /// The windows that are used, while they are noted.
    pub uses: Option<Uses>,
    pub labels: HashMap<u32, CodeLabel>,
    pub exit: CodeLabel,
    /// Numbers of the instructions at which blocks begin, by their operations, and of the one that leaves code.
    pub begins: HashMap<u32, usize>,
    pub exit_at: usize,
    pub cold: Vec<(CodeLabel, CodeLabel, Cold)>,
    pub translated: Vec<Translated>,
}

impl Emitter<'_> {
    /// Puts the label of an operation's block here.
    pub fn place_block(&mut self, index: u32) -> Done {
        let Some(label) = self.labels.get_mut(&index) else {
            return Ok(());
        };
        self.asm.place(label)?;
        let here = self.asm.a.instructions().len();
        self.begins.insert(index, here);
        Ok(())
    }

    /// Has the host round as the float mode says in the instructions that `make` gives. Everything else expects
    /// rounding to nearest.
    pub fn rounded(&mut self, make: impl FnOnce(&mut Self) -> Done) -> Done {
        let control = match self.mode.rounding {
            Rounding::NearestEven => return make(self),
            Rounding::Down => 1,
            Rounding::Up => 2,
            Rounding::TowardZero => 3,
        };
        self.set_rounding(control)?;
        make(self)?;
        self.set_rounding(0)
    }

    /// Sets the rounding of `MXCSR`.
    pub fn set_rounding(&mut self, control: u32) -> Done {
        let bits = self.asm.dword(MXCSR | control << 13);
        let i = iced_x86::Instruction::with1(Code::VEX_Vldmxcsr_m32, bits)?;
        self.asm.put(i)
    }

    /// The float mode of an operation's block.
    pub fn mode_at(&self, index: u32) -> FloatMode {
        let block = self.blocks.of.get(index as usize);
        let mode = block.and_then(|&block| self.modes.get(block as usize));
        mode.copied().unwrap_or(FloatMode::INITIAL)
    }

    pub fn add_to_counter(&mut self, counter: u32, register: Register) -> Done {
        let counter = at(COUNTERS, counter as usize * 8);
        self.asm.plain(Code::Add_rm64_r64, counter, register)
    }

    /// Counts the channels of an operation with a predicate, which [`Emitter::enabled`] has left in `eax`.
    pub fn count_enabled(&mut self) -> Done {
        let Some(Lanes::Own(counter)) = self.own_counter() else {
            return Ok(());
        };
        self.asm.a.popcnt(eax, eax)?;
        self.add_to_counter(counter, Register::RAX)
    }

    pub fn forget_everything(&mut self) -> Done {
        self.forget_all()?;
        self.masks.kept.clear();
        Ok(())
    }

    /// Notes that the interpreter executes the operation at hand.
    pub fn note_called(&mut self) {
        self.translated[self.index as usize].called = true;
    }

    /// Calls a function, with the upper halves of vectors clean: SSE instructions after others wait for them.
    pub fn call(&mut self, function: u64) -> Done {
        self.asm.a.vzeroupper()?;
        self.asm.a.mov(rdi, r15)?;
        self.asm.a.mov(iced_x86::code_asm::esi, self.index)?;
        self.asm.a.mov(rax, function)?;
        self.asm.a.call(rax)
    }

    /// Has the interpreter execute the operation at hand.
    pub fn call_out(&mut self) -> Done {
        self.note_called();
        self.forget_everything()?;
        self.call(enter::execute_address())?;
        self.asm.a.test(eax, eax)?;
        self.asm.a.jnz(self.exit)
    }

    /// Has the interpreter execute the operation at hand, which may end the block, and goes on where it says.
    pub fn end_block(&mut self) -> Done {
        self.forget_everything()?;
        self.call(enter::end_block_address())?;
        self.asm.a.jmp(rax)
    }

    /// A label where the interpreter executes the operation at hand; [`Emitter::rejoin`] says where it comes back.
    pub fn slow_path(&mut self) -> Slow {
        Slow {
            label: self.asm.label(),
            windows: self.windows.clone(),
        }
    }

    /// The place where the operation at hand is done, by any way.
    pub fn rejoin(&mut self, slow: Vec<Slow>) -> Done {
        let mut back = self.asm.label();
        self.asm.place(&mut back)?;
        // Another label may stand before the next instruction.
        self.asm.a.zero_bytes()?;
        for way in slow {
            let cold = Cold::Slow {
                index: self.index,
                before: way.windows,
                after: self.windows.clone(),
                masks: self.masks.clone(),
            };
            self.cold.push((way.label, back, cold));
        }
        Ok(())
    }

    /// The counter of the operation at hand, if it counts its own channels.
    pub fn own_counter(&self) -> Option<Lanes> {
        let lanes = self.blocks.lanes.get(self.index as usize).copied();
        lanes.filter(|lanes| matches!(lanes, Lanes::Own(_)))
    }

    /// The channels that wait for an operation, in `eax`, and the flags of that number.
    pub fn waiting_for(&mut self, index: u32) -> Done {
        let l = Length::Z;
        let here = self.asm.dword(index);
        self.asm.broadcast(TEMPS[0], here, 4)?;
        for (half, k) in [HOLDS, OTHER].into_iter().enumerate() {
            let wake = at(THREAD, offset_of!(Thread, wake) + half * 64);
            let equal = (TEMPS[0], Arg::Whole(wake), 0);
            self.asm.compare(codes::CMPD, l, (k, None), equal)?;
        }
        self.asm
            .plain(Code::VEX_Kmovw_r32_kr, Register::EAX, HOLDS)?;
        self.asm
            .plain(Code::VEX_Kmovw_r32_kr, Register::ECX, OTHER)?;
        self.asm.a.shl(ecx, 16u32)?;
        self.asm.a.or(eax, ecx)?;
        for offset in [offset_of!(Thread, waiting), offset_of!(Thread, called)] {
            let field = at(THREAD, offset);
            self.asm.plain(Code::And_r32_rm32, Register::EAX, field)?;
        }
        Ok(())
    }
}
