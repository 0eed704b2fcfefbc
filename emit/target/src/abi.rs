//! Calling conventions: which registers hold what, one row a version.
//!
//! Source: the reference compiler's stack-call definitions (versions 1 and 2 on 128 registers of 32
//! bytes); the registers a kernel without calls keeps for itself are Kiln's own choice within what the
//! PRM demands of the end of thread.

use std::ops::Range;

/// Registers with a duty of their own, by number.
#[derive(Debug, PartialEq, Eq)]
pub struct Abi {
    /// As it is written in dumps.
    pub name: &'static str,
    /// The copy of r0 that message headers are made of and that the end of thread sends: r112 or
    /// above (PRM vol. 2a, "send", End of Thread).
    pub header: u32,
    /// What calls with a stack need.
    pub stack: Option<Stack>,
}

/// The registers of stack calls.
#[derive(Debug, PartialEq, Eq)]
pub struct Stack {
    /// `%arg` and `%retval` begin here.
    pub args: u32,
    /// Registers that a callee leaves as they were. Those below are the caller's to save, those above
    /// have duties.
    pub callee_saved: Range<u32>,
    /// Return address and mask, the frame and stack pointers of the finalizer, `%fp` and `%sp`.
    pub pointers: u32,
    /// The header of messages to the stack: a copy of r0 with `%impl_arg_buf_ptr` and
    /// `%local_id_buf_ptr` in what messages do not look at.
    pub messages: u32,
}

impl Stack {
    /// Bytes from the start of [`Stack::pointers`]: the return address, a dword; the mask of the call
    /// follows.
    pub const RETURN: u32 = 0;
    /// Where the finalizer's stack ends and the next frame begins, a dword in owords (16 bytes).
    pub const TOP: u32 = 8;
    /// Where the finalizer's current frame begins, likewise.
    pub const FRAME: u32 = 12;
    /// `%fp` and `%sp` of vISA, qwords.
    pub const FP: u32 = 16;
    pub const SP: u32 = 24;
    /// Bytes from the start of [`Stack::messages`]: where a message accesses the stack, in owords.
    pub const OFFSET: u32 = 8;
    /// `%impl_arg_buf_ptr` and `%local_id_buf_ptr`, qwords.
    pub const IMPLICIT_ARGS: u32 = 0;
    pub const LOCAL_IDS: u32 = 24;
    /// What a frame begins with: the pointers of the caller, one register.
    pub const DESCRIPTOR_GRFS: u32 = 1;
}

/// What a kernel without stack calls keeps to.
pub const KERNEL: Abi = Abi {
    name: "kernel",
    header: 127,
    stack: None,
};

/// Version 1, of object files before zebin.
pub const STACK_1: Abi = Abi {
    name: "stack1",
    header: 127,
    stack: Some(Stack {
        args: 26,
        callee_saved: 60..125,
        pointers: 125,
        messages: 126,
    }),
};

/// Version 2, of zebin.
pub const STACK_2: Abi = Abi {
    name: "stack2",
    header: 125,
    stack: Some(Stack {
        args: 26,
        callee_saved: 60..125,
        pointers: 127,
        messages: 126,
    }),
};

/// The convention of stack calls of that version.
pub fn stack(version: u32) -> Option<&'static Abi> {
    match version {
        1 => Some(&STACK_1),
        2 => Some(&STACK_2),
        _ => None,
    }
}

/// All conventions.
pub const ALL: [&Abi; 3] = [&KERNEL, &STACK_1, &STACK_2];
