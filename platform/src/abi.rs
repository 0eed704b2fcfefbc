//! Calling conventions: the registers with a fixed use, one row per version.
//!
//! Source: the reference compiler's stack-call definitions (versions 1 and 2 on 128 registers, version 2 on 256, where the
//! lower half of all but eight is caller-saved). The registers that a kernel without calls reserves are Kiln's own choice
//! within the PRM's rule for the end of thread.

use std::ops::Range;

/// Byte of r0 with the dword that holds the offset of the scratch surface's state.
pub const SCRATCH_STATE: u32 = 20;
/// Bits of that dword that are the offset.
pub const SCRATCH_STATE_MASK: u32 = !0x3ff;
/// Right shift of the offset in an extended descriptor.
pub const SCRATCH_STATE_SHIFT: u32 = 4;

/// Registers with a fixed use, by number.
#[derive(Debug, PartialEq, Eq)]
pub struct Abi {
    /// Name in dumps.
    pub name: &'static str,
    /// The copy of r0 that message headers are made of and that the end of thread sends: r112 or
    /// above (PRM vol. 2a, "send", End of Thread).
    pub header: u32,
    /// Registers of stack calls, if the convention has them.
    pub stack: Option<Stack>,
    /// The convention of threads with another number of registers than 128, with that number.
    pub wide: Option<(u32, &'static Abi)>,
}

/// The registers of stack calls.
#[derive(Debug, PartialEq, Eq)]
pub struct Stack {
    /// First register of `%arg` and `%retval`.
    pub args: u32,
    /// Callee-saved registers. Those below are caller-saved, those above are reserved.
    pub callee_saved: Range<u32>,
    /// Register of the return address and mask, of the finalizer's frame and stack pointers, and of `%fp` and `%sp`.
    pub pointers: u32,
    /// Register with the header of messages to the stack: a copy of r0 with `%impl_arg_buf_ptr` and
    /// `%local_id_buf_ptr` in fields that messages ignore.
    pub messages: u32,
}

impl Stack {
    /// Byte offset in [`Stack::pointers`] of the return address, a dword; the mask of the call follows.
    pub const RETURN: u32 = 0;
    /// Byte offset of the end of the finalizer's stack, where the next frame begins: a dword in owords (16 bytes).
    pub const TOP: u32 = 8;
    /// Byte offset of the finalizer's current frame, likewise.
    pub const FRAME: u32 = 12;
    /// Byte offset of `%fp` and `%sp` of vISA, qwords.
    pub const FP: u32 = 16;
    pub const SP: u32 = 24;
    /// Byte offset in [`Stack::messages`] of the message's place on the stack, in owords.
    pub const OFFSET: u32 = 8;
    /// Byte offset in [`Stack::messages`], where messages access memory by address, of the address of a message, of a
    /// kept dword, and of the surface of scratch space as r0 has it.
    pub const ADDRESS: u32 = 0;
    pub const KEPT: u32 = 24;
    pub const SURFACE: u32 = 28;
    /// Byte offset of `%impl_arg_buf_ptr` and `%local_id_buf_ptr`, qwords.
    pub const IMPLICIT_ARGS: u32 = 0;
    pub const LOCAL_IDS: u32 = 24;
    /// Number of registers of a frame's descriptor, which holds the caller's pointers.
    pub const DESCRIPTOR_GRFS: u32 = 1;

    /// Number of registers that a thread must have.
    pub fn grfs(&self) -> u32 {
        self.pointers.max(self.messages) + 1
    }
}

/// The convention of kernels without stack calls.
pub const KERNEL: Abi = Abi {
    name: "kernel",
    header: 127,
    stack: None,
    wide: None,
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
    wide: None,
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
    wide: Some((256, &STACK_2_WIDE)),
};

/// Version 2 for threads with 256 registers.
pub const STACK_2_WIDE: Abi = Abi {
    name: "stack2-wide",
    header: 253,
    stack: Some(Stack {
        args: 26,
        callee_saved: 124..253,
        pointers: 255,
        messages: 254,
    }),
    wide: None,
};

impl Abi {
    /// The convention for threads with a number of registers.
    pub fn with_grfs(&'static self, grfs: u32) -> &'static Abi {
        match self.wide {
            Some((number, wide)) if number == grfs => wide,
            Some(_) | None => self,
        }
    }
}

/// The convention of stack calls of a version.
pub fn stack(version: u32) -> Option<&'static Abi> {
    match version {
        1 => Some(&STACK_1),
        2 => Some(&STACK_2),
        _ => None,
    }
}

/// All conventions.
pub const ALL: [&Abi; 4] = [&KERNEL, &STACK_1, &STACK_2, &STACK_2_WIDE];
