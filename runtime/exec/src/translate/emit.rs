//! Translation of a program: block by block, each operation by the first part that takes its form.
//!
//! Takes a program and the float mode of each block; gives machine code, the place of each block in it, and for each operation the
//! instructions it became, or that it is called out. Between blocks all state is in the thread. A block first takes its
//! length off what is left of the turn, then wakes channels, then counts.

use std::collections::HashMap;
use std::mem::offset_of;

use iced_x86::code_asm::{CodeLabel, eax, ecx, r12, r13, r14, r15, rax, rbp, rbx, rdi, rsi, rsp};
use iced_x86::{BlockEncoder, BlockEncoderOptions, Code, IcedError, InstructionBlock, Register};

use kiln_emit::inst::Type;

use super::super::machine::{FloatMode, Thread, low_mask};
use super::super::operation::{File, Operation, Path, Target};
use super::super::program::Program;
use super::super::wide::Rounding;
use super::Host;
use super::asm::{Arg, Assembler, CONTEXT, COUNTERS, Done, Length, POOL, Reg, SITES, THREAD, at};
use super::blocks::{Block, Blocks, Lanes, ends, is_whole};
use super::codes;
use super::enter::{self, Context};
use super::indirect::is_indirect;
use super::legalize::{Legal, legalize};
use super::loops::{self, Loop, Uses};
use super::masks::{HOLDS, Masks, OTHER};
use super::memory::{Executable, Room};
use super::messages::SiteKind;
use super::windows::{Entry, TEMPS, Windows};

/// True if the destination and the condition may write the same flags, of which the condition's stay.
fn writes_flags_twice(op: &Operation) -> bool {
    let Target::File { file, .. } = op.dst.target else {
        return false;
    };
    matches!(file, File::Flag) && op.cond.is_some_and(|c| c.bit.is_some())
}

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

/// Code that is left only now and then.
pub enum Cold {
    /// Channels that wait for a block are woken.
    Wake { index: u32 },
    /// A block does not fit into what is left.
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

pub struct Emitter<'a> {
    pub asm: Assembler,
    pub windows: Windows,
    pub masks: Masks,
    /// The float mode of the block at hand.
    pub mode: FloatMode,
    /// The float mode of each block.
    modes: &'a [FloatMode],
    pub program: &'a Program,
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
    exit: CodeLabel,
    /// Numbers of the instructions at which blocks begin, by their operations, and of the one that leaves code.
    begins: HashMap<u32, usize>,
    exit_at: usize,
    pub cold: Vec<(CodeLabel, CodeLabel, Cold)>,
    pub translated: Vec<Translated>,
}

/// Machine code of a program.
#[derive(Debug)]
pub struct Output {
    pub memory: Executable,
    pub pool: Vec<super::asm::Line>,
    /// Offset of each operation's block in the code; none if no block begins there.
    pub entries: Vec<Option<u32>>,
    /// Offset of the code that leaves translated code.
    pub exit: u32,
    pub translated: Vec<Translated>,
    /// Offset of each instruction.
    pub offsets: Vec<u32>,
    pub sites: Vec<SiteKind>,
    pub site_of: Vec<Option<u32>>,
}

/// Why a program is not translated.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("{0}")]
    Assembler(#[from] IcedError),
    #[error("memory cannot be made executable: {0}")]
    Memory(#[from] std::io::Error),
    #[error("{0:?} has no form in AVX2")]
    NoForm(Code),
    #[error("the code has no exit")]
    NoExit,
    #[error("an instruction in AVX2 needs more registers than there are")]
    NoRegister,
}

/// Translates a program for the float mode of each block, and a host.
///
/// # Errors
/// The system gives no memory for it, or does not let it be executed.
pub fn translate(
    program: &Program,
    blocks: &Blocks,
    modes: &[FloatMode],
    host: Host,
) -> Result<Output, Refusal> {
    let ops = program.ops();
    let mut asm = Assembler::new()?;
    let exit = asm.label();
    let labels = blocks.blocks.iter().map(|b| (b.first, asm.label()));
    let labels: HashMap<_, _> = labels.collect();
    let mut e = Emitter {
        asm,
        windows: Windows::default(),
        masks: Masks::default(),
        mode: FloatMode::INITIAL,
        modes,
        program,
        blocks,
        register_bytes: program.platform().grf_bytes as usize,
        sites: Vec::new(),
        site_of: vec![None; ops.len()],
        index: 0,
        around: None,
        uses: None,
        labels,
        exit,
        begins: HashMap::new(),
        exit_at: 0,
        cold: Vec::new(),
        translated: vec![Translated::default(); ops.len()],
    };
    e.entry_and_exit()?;
    let mut done = 0;
    for range in loops::find(program, blocks) {
        for block in &blocks.blocks[done..range.start] {
            e.block(block)?;
        }
        done = range.end;
        e.loop_blocks(range)?;
    }
    for block in &blocks.blocks[done..] {
        e.block(block)?;
    }
    e.cold_parts()?;
    e.finish(host)
}

impl Emitter<'_> {
    /// A register for a value within an operation that no operand uses.
    pub fn spare(&self) -> Reg {
        TEMPS[7]
    }

    fn entry_and_exit(&mut self) -> Done {
        for r in [rbx, rbp, r12, r13, r14, r15] {
            self.asm.a.push(r)?;
        }
        self.asm.a.sub(rsp, 8i32)?;
        self.asm.a.mov(r15, rdi)?;
        for (to, from) in [
            (THREAD, offset_of!(Context, thread)),
            (COUNTERS, offset_of!(Context, counters)),
            (POOL, offset_of!(Context, pool)),
            (SITES, offset_of!(Context, sites)),
            (Register::RBX, offset_of!(Context, left)),
        ] {
            self.asm.plain(Code::Mov_r64_rm64, to, at(CONTEXT, from))?;
        }
        self.asm.a.jmp(rsi)?;
        let mut exit = self.exit;
        self.asm.place(&mut exit)?;
        self.exit = exit;
        self.exit_at = self.asm.a.instructions().len();
        let left = at(CONTEXT, offset_of!(Context, left));
        self.asm.plain(Code::Mov_rm64_r64, left, Register::RBX)?;
        self.asm.a.vzeroupper()?;
        self.asm.a.add(rsp, 8i32)?;
        for r in [r15, r14, r13, r12, rbp, rbx] {
            self.asm.a.pop(r)?;
        }
        self.asm.a.ret()
    }

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

    pub fn block(&mut self, block: &Block) -> Done {
        let (index, len) = (block.first, block.len);
        self.translated[index as usize].head = self.asm.a.instructions().len();
        match self.around.is_some() {
            true => self.begin_in_loop(block)?,
            false => self.place_block(index)?,
        }
        let (short, mut after) = (self.asm.label(), self.asm.label());
        self.asm.a.sub(rbx, len as i32)?;
        self.asm.a.jl(short)?;
        let windows = self.windows.entries.clone();
        let budget = Cold::Budget {
            index,
            len,
            windows,
        };
        self.cold.push((short, after, budget));
        if self.program.ops()[index as usize].wakes {
            let wake = self.asm.label();
            let waiting = at(THREAD, offset_of!(Thread, waiting));
            self.asm.plain(Code::Cmp_rm32_imm8, waiting, 0i32)?;
            self.asm.a.jne(wake)?;
            self.asm.place(&mut after)?;
            self.cold.push((wake, after, Cold::Wake { index }));
        }
        self.body(block)
    }

    /// A block but for its beginning.
    pub fn body(&mut self, block: &Block) -> Done {
        let ops = self.program.ops();
        self.mode = self.mode_at(block.first);
        self.count_block(block)?;
        for index in block.first..block.first + block.len {
            self.index = index;
            self.translated[index as usize].start = self.asm.a.instructions().len();
            self.begin();
            self.operation(&ops[index as usize])?;
        }
        self.begin();
        self.leave_windows()?;
        self.masks.kept.clear();
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
    fn set_rounding(&mut self, control: u32) -> Done {
        let bits = self.asm.dword(enter::MXCSR | control << 13);
        let i = iced_x86::Instruction::with1(Code::VEX_Vldmxcsr_m32, bits)?;
        self.asm.put(i)
    }

    /// The float mode of an operation's block.
    pub fn mode_at(&self, index: u32) -> FloatMode {
        let block = self.blocks.of.get(index as usize);
        let mode = block.and_then(|&block| self.modes.get(block as usize));
        mode.copied().unwrap_or(FloatMode::INITIAL)
    }

    /// Counts an execution of a block, and its active channels.
    fn count_block(&mut self, block: &Block) -> Done {
        let executions = at(COUNTERS, block.executions as usize * 8);
        let i = iced_x86::Instruction::with1(Code::Inc_rm64, executions)?;
        self.asm.put(i)?;
        for &(first, mask, counter) in &block.ranges {
            let lanes = mask.count_ones() as u8;
            let whole = mask == low_mask(lanes.into());
            self.active_to(Register::ECX, (first, if whole { lanes } else { 32 }))?;
            if whole {
                self.keep_mask(first, lanes, Register::ECX)?;
            } else {
                self.asm.a.and(ecx, mask as i32)?;
            }
            self.asm.a.popcnt(ecx, ecx)?;
            self.add_to_counter(counter, Register::RCX)?;
        }
        Ok(())
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

    fn operation(&mut self, op: &Operation) -> Done {
        if matches!(op.path, Path::Nop) && op.pred.is_none() {
            return Ok(());
        }
        if matches!(op.path, Path::Branch) {
            return self.branch(op);
        }
        if let Path::Wait = op.path {
            self.wait(op)?;
        }
        if ends(op) {
            self.note_called();
            return self.end_block();
        }
        let done = match &op.path {
            _ if !is_whole(op) || writes_flags_twice(op) => false,
            Path::Fast(_) | Path::Raw | Path::Scattered if is_indirect(op) => self.indirect(op)?,
            Path::Fast(fast) => self.fast(op, *fast)?,
            Path::Raw if op.dst.ty == Type::Df => self.double(op)?,
            Path::Raw if op.dst.ty.bytes() == 8 => self.wide(op)?,
            Path::Raw | Path::Single => self.accumulator_float(op)?,
            Path::Int | Path::WideInt => self.wide(op)?,
            Path::Double => self.double(op)?,
            Path::Math(function) => self.math(op, *function)?,
            Path::Send(send) => self.message(op, send)?,
            _ => false,
        };
        if !done {
            self.call_out()?;
        }
        Ok(())
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
    fn call(&mut self, function: u64) -> Done {
        self.asm.a.vzeroupper()?;
        self.asm.a.mov(rdi, r15)?;
        self.asm.a.mov(iced_x86::code_asm::esi, self.index)?;
        self.asm.a.mov(rax, function)?;
        self.asm.a.call(rax)
    }

    /// Has the interpreter execute the operation at hand.
    fn call_out(&mut self) -> Done {
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

    fn cold_parts(&mut self) -> Done {
        for (mut label, back, cold) in std::mem::take(&mut self.cold) {
            self.asm.place(&mut label)?;
            match cold {
                Cold::Wake { index } => self.wake(index)?,
                Cold::Enter { index, homes } => {
                    let here = self.asm.a.instructions().len();
                    self.begins.insert(index, here);
                    self.reload(&homes)?;
                }
                Cold::Leave { windows } => self.save_all(&windows)?,
                Cold::Budget {
                    index,
                    len,
                    windows,
                } => {
                    self.save_all(&windows)?;
                    self.asm.a.add(rbx, len as i32)?;
                    let ip = at(THREAD, offset_of!(Thread, ip));
                    self.asm.plain(Code::Mov_rm32_imm32, ip, index as i32)?;
                    self.asm.a.jmp(self.exit)?;
                    continue;
                }
                Cold::Slow {
                    index,
                    before,
                    after,
                    masks,
                } => {
                    self.index = index;
                    self.save_all(&before.entries)?;
                    self.call(enter::execute_address())?;
                    self.asm.a.test(eax, eax)?;
                    self.asm.a.jnz(self.exit)?;
                    self.reload(&after.entries)?;
                    self.reload_masks(&masks)?;
                }
            }
            self.asm.a.jmp(back)?;
        }
        Ok(())
    }

    /// Wakes the channels that wait for an operation.
    fn wake(&mut self, index: u32) -> Done {
        self.waiting_for(index)?;
        let waiting = at(THREAD, offset_of!(Thread, waiting));
        self.asm.plain(Code::Xor_rm32_r32, waiting, Register::EAX)?;
        let active = at(THREAD, offset_of!(Thread, active));
        self.asm.plain(Code::Or_rm32_r32, active, Register::EAX)
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

    fn finish(mut self, host: Host) -> Result<Output, Refusal> {
        // No instruction of x86-64 is longer.
        const LONGEST: usize = 15;
        let code = self.asm.a.take_instructions();
        let Legal { code, starts } = match host {
            Host::Avx512 => Legal::unchanged(code),
            Host::Avx2 => legalize(&code, &mut self.asm)?,
        };
        for Translated { start, head, .. } in &mut self.translated {
            for number in [start, head] {
                *number = starts.get(*number).copied().unwrap_or(code.len());
            }
        }
        let room = Room::new((code.len() + 1) * LONGEST)?;
        let options = BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS;
        let block = InstructionBlock::new(&code, room.address());
        let out = BlockEncoder::encode(64, block, options)?;
        let offsets = out.new_instruction_offsets;
        // A branch that was replaced by several instructions has no offset; none of these begins a block.
        let offset = |begin: usize| {
            let start = starts.get(begin).copied()?;
            offsets.get(start).copied().filter(|&o| o != u32::MAX)
        };
        let mut entries = vec![None; self.program.ops().len()];
        for (&index, &begin) in &self.begins {
            entries[index as usize] = offset(begin);
        }
        Ok(Output {
            pool: self.asm.take_pool(),
            entries,
            exit: offset(self.exit_at).ok_or(Refusal::NoExit)?,
            translated: self.translated,
            offsets,
            sites: self.sites,
            site_of: self.site_of,
            memory: room.fill(&out.code_buffer)?,
        })
    }
}

/// A way out to the interpreter, for windows as they are there.
pub struct Slow {
    pub label: CodeLabel,
    windows: Windows,
}
