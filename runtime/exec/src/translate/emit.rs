//! Translation of a program: block by block, each operation by the first part that takes its form.
//!
//! Takes a program and the float mode of each block; gives machine code, the place of each block in it, and for each operation the
//! instructions it became, or that it is called out. Between blocks all state is in the thread. A block first
//! subtracts its length from the instructions left of the turn, then wakes channels, then counts.

use std::collections::HashMap;
use std::mem::offset_of;

use iced_x86::code_asm::{eax, ecx, r12, r13, r14, r15, rbp, rbx, rdi, rsi, rsp};
use iced_x86::{BlockEncoder, BlockEncoderOptions, Code, InstructionBlock, Register};
use kiln_emit::inst::Type;

use super::asm::{Assembler, CONTEXT, COUNTERS, Done, Line, POOL, SITES, THREAD, at};
use super::blocks::{Block, Blocks, ends, is_whole};
use super::code::{Refusal, Translated};
use super::context::Context;
use super::emitter::{Cold, Emitter};
use super::enter;
use super::held::{Masks, Windows};
use super::host::Host;
use super::indirect::is_indirect;
use super::legalize::{Legal, legalize};
use super::loops;
use super::memory::{Executable, Room};
use super::sites::SiteKind;
use crate::code::decoded::Decoded;
use crate::code::operation::{Operation, Path, Target};
use crate::state::lanes::low_mask;
use crate::state::thread::{File, FloatMode, Thread};

/// True if the destination and the condition may write the same flags, of which the condition's stay.
fn writes_flags_twice(op: &Operation) -> bool {
    let Target::File { file, .. } = op.dst.target else {
        return false;
    };
    matches!(file, File::Flag) && op.cond.is_some_and(|c| c.bit.is_some())
}

/// Machine code of a program.
#[derive(Debug)]
pub struct Output {
    pub memory: Executable,
    pub pool: Vec<Line>,
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

/// Translates a program for the float mode of each block, and a host.
///
/// # Errors
/// The system gives no memory for it, or does not let it be executed.
pub fn translate(
    program: &Decoded,
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
        let done = match (&op.path, op.fast) {
            _ if !is_whole(op) || writes_flags_twice(op) => false,
            (Path::Raw | Path::Scattered, _) | (_, Some(_)) if is_indirect(op) => {
                self.indirect(op)?
            }
            (_, Some(fast)) => self.fast(op, fast)?,
            (Path::Raw, _) if op.dst.ty == Type::Df => self.double(op)?,
            (Path::Raw, _) if op.dst.ty.bytes() == 8 => self.wide(op)?,
            (Path::Raw | Path::Single, _) => self.accumulator_float(op)?,
            (Path::Int | Path::WideInt, _) => self.wide(op)?,
            (Path::Double, _) => self.double(op)?,
            (Path::Math(function), _) => self.math(op, *function)?,
            (Path::Send(send), _) => self.message(op, send)?,
            _ => false,
        };
        if !done {
            self.call_out()?;
        }
        Ok(())
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
