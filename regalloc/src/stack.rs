//! Stack calls: how a function is entered and left, calls others, and where its frame is.
//!
//! Kernels and functions of one thread share a stack in scratch space; its pointers, in owords, or in bytes where
//! messages access memory by address, are in a register that the calling convention names. A frame holds, in turn:
//!
//! | | |
//! | --- | --- |
//! | descriptor | the caller's pointers, its return address among them; only of functions that call, or have what follows |
//! | variables | those whose address is taken, as selection placed them |
//! | spills | units that allocation spills |
//! | saved | registers of the caller that the function uses |
//!
//! A function that calls none and has no such variables leaves the pointers as they are: its frame, if it needs one,
//! begins where the caller's ends. A kernel's frame is what its spills take, and those of its subroutines, at
//! an offset that is known; they reach them without the stack's pointers. The stack begins after them all, so
//! that a subroutine may call a function where the kernel may.
//!
//! Frames are accessed by oword blocks, whose offset is in their header, a copy of r0 that stays
//! where it is, or by messages with an address in that register. What a function leaves is what the reference compiler's functions leave, so that either
//! may call the other.

use kiln_emit::inst::{Dst, Inst as Gen, Op, Reg, RegFile, Region, Src, SrcMod, Target, Type};
use kiln_machine::func::{Entered, Function, Term};
use kiln_platform::abi::Stack;
use kiln_platform::bits::UnitSet;
use kiln_platform::platform::{MessageFamily, UNIT_GRFS};

use crate::AllocError;
use crate::frame::Frame;
use crate::last_dword::LastDword;
use crate::physical::{copy, scalar, set, switch};
use crate::problem::{Unit, units};
use crate::spill_addresses;
use crate::spill_messages::{Access, Grfs, OWORD, offset_in, oword_block};

/// Maximum number of owords in one message.
const MAX_OWORDS: u32 = 8;
/// A register that every call overwrites, and that holds no arguments or results.
const SCRATCH_GRF: u32 = 2;
/// Bytes from the `add` that computes the distance to a callee to the end of the jump there (PRM vol. 2a, "jmpi":
/// distances are from the next instruction).
const TO_CALLEE: u32 = 64;
/// Bytes from the `add` that computes a return address to the end of the jump after it.
const TO_RETURN: u32 = 32;
/// Bytes from the `add` that computes the distance to a callee to the `call` by it, without instructions between.
const SUM_TO_CALL: u32 = kiln_emit::assemble::SUM_TO_CALL;
/// Bytes of a `call`.
const CALL: u32 = 16;
/// Bytes from the `add` after a call to the end of the `ret` after it.
const TO_RET: u32 = 32;
/// Bytes from the `add` that computes the distance to a caller to the end of the jump there.
const TO_CALLER: u32 = 48;

/// The frame of one function.
pub struct StackFrame<'a> {
    func: &'a Function,
    frame: &'a Frame,
    stack: &'a Stack,
    /// True if channels may wait at joins that a recursive call of the function reaches.
    waits: bool,
    /// True if the function moves the stack's pointers: it calls others, or has variables in its frame.
    has_descriptor: bool,
}

impl<'a> StackFrame<'a> {
    /// The frame of a function or kernel that keeps to a convention of stack calls.
    pub fn new(func: &'a Function, frame: &'a Frame) -> Option<StackFrame<'a>> {
        let stack = func.abi.stack.as_ref()?;
        let insts = func.blocks.values().flat_map(|block| &block.insts);
        let calls = insts.into_iter().any(|inst| inst.is_call());
        let diverges =
            |term: &Term| matches!(term, Term::GotoForward { .. } | Term::GotoBackward { .. });
        let waits =
            func.entered.by_stack_call() && func.blocks.values().any(|block| diverges(&block.term));
        let variables = func.entered.by_stack_call() && func.scratch_bytes > 0;
        Some(StackFrame {
            func,
            frame,
            stack,
            waits,
            has_descriptor: calls || variables,
        })
    }

    /// True if spills go to a frame whose address is known at run time only.
    pub fn is_dynamic(&self) -> bool {
        self.func.entered.by_stack_call()
    }

    fn pointer(&self, byte: u32) -> Reg {
        Reg::new(RegFile::Grf, self.stack.pointers, byte as u16)
    }

    /// Bytes of the frame before the spills.
    fn bytes_before(&self) -> u32 {
        let variables = match self.is_dynamic() {
            true => self.func.scratch_bytes,
            false => 0,
        };
        match self.has_descriptor {
            true => variables.max(Stack::DESCRIPTOR_GRFS * self.frame.grf_bytes),
            false => 0,
        }
    }

    /// The pointer to the start of the frame while the function's own code runs.
    fn base(&self) -> u32 {
        match self.has_descriptor {
            true => Stack::FRAME,
            false => Stack::TOP,
        }
    }

    /// Writes or reads registers at so many bytes from a pointer.
    fn access(
        &self,
        (pointer, bytes): (u32, u32),
        grfs: Grfs,
        access: Access,
        dword: &mut LastDword,
        code: &mut Vec<Gen>,
    ) -> Result<(), AllocError> {
        let messages = self.stack.messages;
        if self.func.target.memory == MessageFamily::LoadStore {
            let place = (self.pointer(pointer), bytes);
            return spill_addresses::in_frame(
                self.func, messages, place, grfs, access, dword, code,
            );
        }
        code.push(add(
            offset_in(messages),
            scalar(self.pointer(pointer)),
            Src::imm(Type::Ud, (bytes / OWORD).into()),
        ));
        code.push(oword_block(self.func, messages, grfs, access)?);
        Ok(())
    }

    /// Writes or reads a unit, whose spill slot begins `slot` registers after the first.
    pub fn spill(
        &self,
        slot: u32,
        first: u32,
        access: Access,
        dword: &mut LastDword,
        code: &mut Vec<Gen>,
    ) -> Result<(), AllocError> {
        let at = self.bytes_before() + slot * self.frame.grf_bytes;
        let grfs = Grfs {
            first,
            count: UNIT_GRFS,
        };
        self.access((self.base(), at), grfs, access, dword, code)
    }

    /// Units that entering and leaving the function overwrites, reserved ones apart.
    pub fn overwrites(&self) -> UnitSet {
        match self.is_dynamic() && self.has_descriptor {
            true => UnitSet::of(SCRATCH_GRF / UNIT_GRFS),
            false => UnitSet::EMPTY,
        }
    }

    /// Callee-saved units that the function uses.
    fn saved(&self, used: UnitSet) -> Vec<Unit> {
        units(used & self.frame.saved).collect()
    }

    /// Writes or reads the callee-saved units, neighbours in one message.
    fn save(
        &self,
        used: UnitSet,
        slots: u32,
        access: Access,
        code: &mut Vec<Gen>,
    ) -> Result<(), AllocError> {
        let max_units = MAX_OWORDS * OWORD / self.frame.unit_bytes;
        let mut at = self.bytes_before() + slots * self.frame.grf_bytes;
        let saved = self.saved(used);
        let mut rest = &saved[..];
        while let Some(&first) = rest.first() {
            let run = (rest.iter().zip(first.0..))
                .take_while(|&(&unit, n)| unit.0 == n)
                .count() as u32;
            // Blocks are of powers of two.
            let units = 1 << run.min(max_units).max(1).ilog2();
            let grfs = Grfs {
                first: u32::from(first) * UNIT_GRFS,
                count: units * UNIT_GRFS,
            };
            // The address register is nobody's at the function's borders.
            let dword = &mut LastDword::nobodys();
            self.access((self.base(), at), grfs, access, dword, code)?;
            at += units * self.frame.unit_bytes;
            rest = &rest[units as usize..];
        }
        Ok(())
    }

    /// Bytes that the function takes of the stack, with so many registers of spill slots.
    pub fn bytes(&self, used: UnitSet, slots: u32) -> u32 {
        let saved = self.saved(used).len() as u32 * self.frame.unit_bytes;
        self.bytes_before() + slots * self.frame.grf_bytes + saved
    }

    /// A number of bytes as pointers count them.
    fn distance(&self, bytes: u32) -> Src {
        let unit = match self.func.target.memory {
            MessageFamily::DataPort => OWORD,
            MessageFamily::LoadStore => 1,
        };
        Src::imm(Type::Ud, (bytes / unit).into())
    }

    /// The callers' pointers: they are written from their register, and read to a scratch register.
    fn descriptor(
        &self,
        pointer: u32,
        access: Access,
        code: &mut Vec<Gen>,
    ) -> Result<(), AllocError> {
        let first = match access {
            Access::Write => self.stack.pointers,
            Access::Read => SCRATCH_GRF,
        };
        let grfs = Grfs {
            first,
            count: Stack::DESCRIPTOR_GRFS,
        };
        let dword = &mut LastDword::nobodys();
        self.access((pointer, 0), grfs, access, dword, code)
    }

    /// Code at the entry of the function. A kernel's stack begins `scratch` bytes into scratch space.
    ///
    /// # Errors
    /// A message cannot be made.
    pub fn enter(&self, used: UnitSet, slots: u32, scratch: u32) -> Result<Vec<Gen>, AllocError> {
        let mut code = Vec::new();
        let (top, base) = (self.pointer(Stack::TOP), self.pointer(Stack::FRAME));
        if !self.is_dynamic() {
            let words = (self.frame.grf_bytes / 4) as u8;
            let (messages, header) = (self.stack.messages, self.frame.headers.header);
            match self.func.target.memory {
                MessageFamily::DataPort => {
                    code.push(copy(words, Reg::grf(messages), Reg::grf(header)));
                }
                MessageFamily::LoadStore => code.extend(spill_addresses::enter(messages, header)),
            }
            code.push(set(base, Src::imm(Type::Ud, 0)));
            code.push(set(top, self.distance(scratch)));
            return Ok(code);
        }
        code.push(switch(self.frame.headers.header));
        if self.has_descriptor {
            self.descriptor(Stack::TOP, Access::Write, &mut code)?;
            let size = self.distance(self.bytes(used, slots));
            code.push(set(base, scalar(top)));
            code.push(add(top, scalar(top), size));
        }
        self.save(used, slots, Access::Write, &mut code)?;
        Ok(code)
    }

    /// Code before the function returns.
    ///
    /// # Errors
    /// A message cannot be made.
    pub fn leave(&self, used: UnitSet, slots: u32) -> Result<Vec<Gen>, AllocError> {
        let mut code = Vec::new();
        self.save(used, slots, Access::Read, &mut code)?;
        if self.has_descriptor {
            self.descriptor(Stack::FRAME, Access::Read, &mut code)?;
            // Not those of vISA, which it keeps itself.
            let pointers = (Stack::FP / 4) as u8;
            code.push(copy(
                pointers,
                self.pointer(Stack::RETURN),
                Reg::grf(SCRATCH_GRF),
            ));
        }
        Ok(code)
    }

    /// The return to the caller.
    pub fn back(&self) -> Vec<Gen> {
        let address = self.pointer(Stack::RETURN);
        if self.func.entered == Entered::Called {
            return vec![self.ret()];
        }
        let distance = Src::imm(Type::D, u64::from(TO_CALLER.wrapping_neg()));
        vec![
            add(address, less_ip(), scalar(address)),
            add(address, scalar(address), distance),
            jump(address),
        ]
    }

    /// A call of a function by name.
    pub fn call(&self, mut call: Gen) -> Vec<Gen> {
        call.dst = Some(Dst::new(self.pointer(Stack::RETURN), 1, Type::Ud));
        call.jip = Some(Target::Offset(0));
        vec![call, switch(self.frame.headers.header)]
    }

    /// A call of an address, in whose place the return address is written.
    pub fn call_there(&self, mut call: Gen, address: Src) -> Vec<Gen> {
        let back = self.pointer(Stack::RETURN);
        call.op = Op::Calla;
        call.dst = Some(Dst::new(back, 1, Type::Ud));
        call.srcs.push(scalar(back));
        call.jip = Some(Target::Reg);
        vec![set(back, address), call]
    }

    /// A call of an address by its distance from the call, in whose place the return address is written. `assemble` makes
    /// the distance larger if something comes between.
    pub fn call_distance(&self, mut call: Gen, address: Src) -> Vec<Gen> {
        let back = self.pointer(Stack::RETURN);
        call.dst = Some(Dst::new(back, 1, Type::Ud));
        call.srcs.push(scalar(back));
        call.jip = Some(Target::Reg);
        call.opts.long = true;
        let less = Src::imm(Type::D, u64::from(SUM_TO_CALL.wrapping_neg()));
        vec![
            add(back, less_ip(), address),
            add(back, scalar(back), less),
            call,
        ]
    }

    /// The instruction that makes the address of spill messages again, which a call overwrites; none if it need not.
    pub fn after_call(&self) -> Option<Gen> {
        let by_address = self.func.target.memory == MessageFamily::LoadStore;
        (by_address && !self.is_dynamic()).then(|| spill_addresses::again(self.stack.messages))
    }

    /// A jump of all active channels to an address that comes back.
    ///
    /// A jump leaves channels that wait in reach of the callee's joins. If the callee, or what it
    /// calls, is this function again, its join would take them for its own: so they are left out by a
    /// `call` of the next instruction, and taken in again by a `ret` after the return. The callee
    /// keeps the mask beside the return address, as it does when it is called by name.
    pub fn call_address(&self, address: Src) -> Vec<Gen> {
        let distance = Reg::grf(SCRATCH_GRF);
        let back = self.pointer(Stack::RETURN);
        let ip = || scalar(Reg::new(RegFile::Ip, 0, 0));
        let to_callee = TO_CALLEE + if self.waits { CALL } else { 0 };
        let to_callee = u64::from(to_callee.wrapping_neg());
        let mut code = vec![
            add(distance, less_ip(), address),
            add(distance, scalar(distance), Src::imm(Type::D, to_callee)),
        ];
        if self.waits {
            let mut call = Gen::new(Op::Call, self.func.simd);
            call.opts.long = true;
            call.dst = Some(Dst::new(back, 1, Type::Ud));
            call.jip = Some(Target::Offset(CALL as i32));
            code.push(call);
        }
        code.extend([
            add(back, ip(), Src::imm(Type::Ud, TO_RETURN.into())),
            jump(distance),
            switch(self.frame.headers.header),
        ]);
        if self.waits {
            let mut ret = self.ret();
            ret.opts.long = true;
            code.extend([
                add(back, ip(), Src::imm(Type::Ud, TO_RET.into())),
                ret,
                switch(self.frame.headers.header),
            ]);
        }
        code
    }

    /// A `ret` to the return address.
    fn ret(&self) -> Gen {
        let mut ret = Gen::new(Op::Ret, self.func.simd);
        let address = self.pointer(Stack::RETURN);
        ret.srcs.push(Src::reg(address, Region::RETURN, Type::Ud));
        ret.jip = Some(Target::Reg);
        ret
    }
}

/// Minus the address of the instruction.
fn less_ip() -> Src {
    let mut ip = scalar(Reg::new(RegFile::Ip, 0, 0));
    if let Src::Reg(ip) = &mut ip {
        ip.modifier = SrcMod {
            neg: true,
            abs: false,
        };
    }
    ip
}

/// In the long form: addresses may be computed with it.
fn add(to: Reg, a: Src, b: Src) -> Gen {
    let mut add = Gen::new(Op::Add, 1);
    add.no_mask = true;
    add.opts.long = true;
    add.dst = Some(Dst::new(to, 1, Type::Ud));
    add.srcs.push(a);
    add.srcs.push(b);
    add
}

fn jump(distance: Reg) -> Gen {
    let mut jump = Gen::new(Op::Jmpi, 1);
    jump.no_mask = true;
    jump.srcs.push(Src::reg(distance, Region::SCALAR, Type::D));
    jump.jip = Some(Target::Reg);
    jump
}
