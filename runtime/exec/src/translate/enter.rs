//! Entering translated code, and its calls of the interpreter.
//!
//! [`enter`] lends a thread, the group's state and a worker's counters to translated code for the time of one call. The
//! code calls [`execute`] for an operation inside a block, and [`end_block`] for one at its end. Both leave the thread
//! as the interpreter does. Besides `mapping.rs` nothing else of the crate is unsafe; each use of raw pointers here says
//! why it holds.

#![expect(
    unsafe_code,
    reason = "machine code is entered, and calls back with the pointers that it was given"
)]

use std::arch::asm;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use super::blocks::{Blocks, Lanes};
use super::code::Code;
use super::context::{Context, MXCSR};
use super::modes::mode_number;
use super::sites::Site;
use crate::code::decoded::Decoded;
use crate::code::operation::Path;
use crate::messages;
use crate::state::cause::Cause;
use crate::state::memory::Shared;
use crate::state::thread::{Status, Thread};

/// Bits of `MXCSR` that only say what has happened.
const MXCSR_SEEN: u32 = 0x3f;

/// The host's float mode as translated code expects it, until the value is dropped on the same thread: a process that
/// this library is embedded in may have another. Setting it at each entry would keep loads of one turn from overlapping
/// with the next.
#[derive(Debug)]
pub struct HostMode {
    /// The mode before, if it was another.
    before: Option<u32>,
    /// The mode is that of one thread.
    _not_send: PhantomData<*const ()>,
}

impl HostMode {
    pub fn set() -> HostMode {
        let mut found = 0u32;
        // SAFETY: it stores four bytes to a variable.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut found, options(nostack, preserves_flags)) };
        let before = (found & !MXCSR_SEEN != MXCSR).then_some(found);
        if before.is_some() {
            load_mode(MXCSR);
        }
        HostMode {
            before,
            _not_send: PhantomData,
        }
    }
}

impl Drop for HostMode {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            load_mode(before);
        }
    }
}

fn load_mode(mode: u32) {
    // SAFETY: it reads four bytes of a variable, which are the mode that Rust expects or the one that was found.
    unsafe {
        asm!("ldmxcsr [{}]", in(reg) &raw const mode, options(nostack, preserves_flags, readonly))
    };
}

/// State that translated code works on.
pub struct Lent<'a, 'b, 'c> {
    pub code: &'a Code,
    pub blocks: &'a Blocks,
    pub program: &'a Decoded,
    pub thread: &'a mut Thread,
    pub shared: &'b mut Shared<'c>,
    pub counters: &'a mut [u64],
    pub sites: &'a mut [Site],
}

/// The end of a call.
pub struct Left {
    /// Number of instructions left of the turn; the block that was entered last has been taken off as a whole.
    pub left: i64,
    pub error: Option<Cause>,
    /// True if the operation at `ip` is not executed yet, although its block has been taken off.
    pub postponed: bool,
}

/// Executes translated code from an operation's block on, for a number of instructions at most.
pub fn enter(lent: Lent, entry: u32, left: i64) -> Left {
    let Lent {
        code,
        blocks,
        program,
        thread,
        shared,
        counters,
        sites,
    } = lent;
    let shared: *mut Shared = shared;
    let mut context = Context {
        frame: [MaybeUninit::uninit(); _],
        lanes: [MaybeUninit::uninit(); _],
        thread,
        counters: counters.as_mut_ptr(),
        pool: code.pool.as_ptr(),
        sites: sites.as_mut_ptr(),
        left,
        read: 0,
        written: 0,
        program,
        code,
        blocks,
        shared: shared.cast(),
        counter_count: counters.len(),
        error: None,
        postponed: false,
    };
    // SAFETY: the code's first bytes are the entry that `Emitter::entry_and_exit` has made, which has these parameters
    // and this convention; `Code` keeps its memory mapped as long as it is borrowed.
    let run: extern "sysv64" fn(*mut Context, u64) = unsafe {
        std::mem::transmute::<u64, extern "sysv64" fn(*mut Context, u64)>(code.memory.address(0))
    };
    run(&raw mut context, code.memory.address(entry));
    // SAFETY: the pointer is that of the parameter, which is still borrowed, and translated code no longer runs.
    let shared = unsafe { &mut *shared };
    shared.count(false, context.read as usize);
    shared.count(true, context.written as usize);
    Left {
        left: context.left,
        error: context.error,
        postponed: context.postponed,
    }
}

/// The address of [`execute`].
pub fn execute_address() -> u64 {
    execute as *const () as u64
}

/// The address of [`end_block`].
pub fn end_block_address() -> u64 {
    end_block as *const () as u64
}

/// Executes an operation inside a block. Gives 0, or 1 after an error.
extern "sysv64" fn execute(context: *mut Context, index: u32) -> u64 {
    // SAFETY: translated code passes the context of the call of `enter` that it runs in. While it calls, it uses none
    // of what the context points to, and `enter` has all of it borrowed, so that these references are the only ones.
    let (context, thread, shared) = unsafe {
        let context = &mut *context;
        let (thread, shared) = (&mut *context.thread, &mut *context.shared);
        (context, thread, shared)
    };
    // SAFETY: as above; these are only read.
    let (program, code, blocks) = unsafe { (&*context.program, &*context.code, &*context.blocks) };
    let Some(op) = program.op(index) else {
        return 1;
    };
    if let Some(Lanes::Own(counter)) = blocks.lanes.get(index as usize)
        && (*counter as usize) < context.counter_count
    {
        // SAFETY: the counter is within the slice that `enter` has borrowed.
        unsafe {
            *context.counters.add(*counter as usize) += u64::from(thread.enabled(op).count_ones())
        };
    }
    let found = code
        .site(index)
        .and_then(|(number, kind)| Some((number, kind.find(op, thread, shared)?)));
    let result = match &op.path {
        Path::Send(send) => messages::send::send(thread, shared, op, send),
        _ => thread.execute(op),
    };
    match result {
        Ok(()) => {
            if let Some((site, found)) = found
                && site < code.sites.len()
            {
                // SAFETY: the site is within the slice that `enter` has borrowed, which has one for each of the code's.
                unsafe { *context.sites.add(site) = found };
            }
            0
        }
        Err(cause) => {
            thread.ip = index;
            context.error = Some(cause);
            1
        }
    }
}

/// Executes an operation that ends a block. Gives the address where to go on.
extern "sysv64" fn end_block(context: *mut Context, index: u32) -> u64 {
    // SAFETY: as in `execute`.
    let (context, thread, shared) = unsafe {
        let context = &mut *context;
        let (thread, shared) = (&mut *context.thread, &mut *context.shared);
        (context, thread, shared)
    };
    // SAFETY: as above; these are only read.
    let (program, code, blocks) = unsafe { (&*context.program, &*context.code, &*context.blocks) };
    let exit = code.memory.address(code.exit);
    let Some(op) = program.op(index) else {
        return exit;
    };
    thread.ip = index;
    let lanes = thread.enabled(op).count_ones();
    let result = match &op.path {
        Path::Branch => thread.branch(op, program),
        Path::Wait => thread.wait(op),
        Path::Barrier => thread.wait_at_barrier(op),
        Path::Systolic(systolic) if systolic.is_shared() => {
            thread.status = Status::Paired;
            Ok(())
        }
        Path::Send(send) => messages::send::send(thread, shared, op, send).map(|()| thread.ip += 1),
        // Most kernels set the float mode in each thread.
        _ => match op.control(thread.control_bits()) {
            Some(bits) => {
                thread.control[..4].copy_from_slice(&bits.to_le_bytes());
                thread.change_mode()
            }
            None => thread.execute(op),
        }
        .map(|()| thread.ip += 1),
    };
    if let Err(cause) = result {
        context.error = Some(cause);
        return exit;
    }
    if matches!(thread.status, Status::Waiting | Status::Paired) {
        context.postponed = true;
        return exit;
    }
    if let Some(Lanes::Own(counter)) = blocks.lanes.get(index as usize)
        && (*counter as usize) < context.counter_count
    {
        // SAFETY: as in `execute`.
        unsafe { *context.counters.add(*counter as usize) += u64::from(lanes) };
    }
    let entry = code.entry(blocks, thread.ip, mode_number(thread.mode));
    match entry {
        Some(entry) if thread.status == Status::Running => code.memory.address(entry),
        _ => exit,
    }
}
