//! Stack calls: how a function is entered and left, calls others, and where its frame is.
//!
//! Kernels and functions of one thread share a stack in scratch space; its pointers, in owords, are in
//! a register that the calling convention names. A frame holds, in turn:
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
//! an offset that is known; they reach them without the stack's pointers. The stack begins behind them all, so
//! that a subroutine may call a function where the kernel may.
//!
//! Frames are accessed by oword blocks, whose offset is in their header, a copy of r0 that stays
//! where it is. What a function leaves is what the reference compiler's functions leave, so that either
//! may call the other.

use kiln_emit::inst::{Dst, Inst as Gen, Op, Reg, RegFile, Region, Src, SrcMod, Target, Type};
use kiln_emit::messages::{Block as Owords, Kind, Surface, data_port};
use kiln_machine::func::{Entered, Function, Term};
use kiln_target::abi::Stack;

use crate::AllocError;
use crate::frame::Frame;
use crate::rewrite::{copy, switch};

/// Bytes of an oword, which the stack's pointers count.
const OWORD: u32 = 16;
/// Most owords of one message.
const MOST_OWORDS: u32 = 8;
/// Overwritten by every call, and no place of arguments or results.
const FREE: u32 = 2;
/// Bytes from the `add` that computes a distance to behind the jump that goes it, and from the one
/// that computes a return address to behind its jump (PRM vol. 2a, "jmpi": from the next instruction).
const TO_CALLEE: u32 = 64;
const TO_RETURN: u32 = 32;
/// The same with the `call` between, and from the `add` behind the call to behind its `ret`.
const CALL: u32 = 16;
const TO_BEHIND: u32 = 32;
const TO_CALLER: u32 = 48;

/// The frame of one function.
pub struct StackFrame<'a> {
    func: &'a Function,
    frame: &'a Frame,
    stack: &'a Stack,
    /// Channels of the function may wait at joins that another run of its code comes to, under way at
    /// the same time.
    waits: bool,
    /// The frame has a place of its own on the stack: the function calls others, or finds variables by it.
    placed: bool,
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
            placed: calls || variables,
        })
    }

    /// Whether spills go to a frame whose place is not known before the program runs.
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
        match self.placed {
            true => variables.max(Stack::DESCRIPTOR_GRFS * self.frame.grf_bytes),
            false => 0,
        }
    }

    /// What the frame begins at while the function's own code runs.
    fn base(&self) -> u32 {
        match self.placed {
            true => Stack::FRAME,
            false => Stack::TOP,
        }
    }

    /// Writes or reads registers at so many bytes from a pointer.
    fn access(
        &self,
        (pointer, bytes): (u32, u32),
        first: u32,
        grfs: u32,
        write: bool,
        code: &mut Vec<Gen>,
    ) -> Result<(), AllocError> {
        let offset = Reg::new(RegFile::Grf, self.stack.messages, Stack::OFFSET as u16);
        let from = self.pointer(pointer);
        code.push(add(
            offset,
            scalar(from),
            Src::imm(Type::Ud, (bytes / OWORD).into()),
        ));
        code.push(block(self.func, self.stack.messages, (first, grfs), write)?);
        Ok(())
    }

    /// Writes or reads a unit that is so many registers behind the first spill slot.
    pub fn spill(
        &self,
        slot: u32,
        first: u32,
        write: bool,
        code: &mut Vec<Gen>,
    ) -> Result<(), AllocError> {
        let at = self.bytes_before() + slot * self.frame.grf_bytes;
        let grfs = self.frame.unit_grfs;
        self.access((self.base(), at), first, grfs, write, code)
    }

    /// Units that the function must leave as they were, a bit each.
    pub fn kept(&self) -> u128 {
        let units = self.frame.saved.clone();
        units.fold(0, |set, unit| set | 1 << unit)
    }

    /// Units that entering and leaving the function overwrites beside those with duties, a bit each.
    pub fn overwrites(&self) -> u128 {
        match self.is_dynamic() && self.placed {
            true => 1 << (FREE / self.frame.unit_grfs),
            false => 0,
        }
    }

    /// Those of them that it uses.
    fn saved(&self, used: u128) -> Vec<u32> {
        let saved = used & self.kept();
        (0..u128::BITS).filter(|u| saved >> u & 1 == 1).collect()
    }

    /// Writes or reads the saved registers, neighbours in one message.
    fn save(
        &self,
        used: u128,
        slots: u32,
        write: bool,
        code: &mut Vec<Gen>,
    ) -> Result<(), AllocError> {
        let most = MOST_OWORDS * OWORD / self.frame.unit_bytes;
        let mut at = self.bytes_before() + slots * self.frame.grf_bytes;
        let saved = self.saved(used);
        let mut rest = &saved[..];
        while let Some(&first) = rest.first() {
            let run = rest
                .iter()
                .zip(first..)
                .take_while(|&(&u, n)| u == n)
                .count() as u32;
            // Blocks are of powers of two.
            let units = 1 << run.min(most).ilog2();
            let grfs = units * self.frame.unit_grfs;
            let grf = first * self.frame.unit_grfs;
            self.access((self.base(), at), grf, grfs, write, code)?;
            at += units * self.frame.unit_bytes;
            rest = &rest[units as usize..];
        }
        Ok(())
    }

    /// Owords of a frame with so many registers of spill slots.
    fn owords(&self, used: u128, slots: u32) -> u32 {
        let saved = self.saved(used).len() as u32 * self.frame.unit_bytes;
        (self.bytes_before() + slots * self.frame.grf_bytes + saved) / OWORD
    }

    /// Bytes that the function takes of the stack.
    pub fn bytes(&self, used: u128, slots: u32) -> u32 {
        self.owords(used, slots) * OWORD
    }

    /// What the function does first. A kernel's stack begins `scratch` bytes into scratch space.
    ///
    /// # Errors
    /// A message cannot be made.
    pub fn enter(&self, used: u128, slots: u32, scratch: u32) -> Result<Vec<Gen>, AllocError> {
        let mut code = Vec::new();
        let (top, base) = (self.pointer(Stack::TOP), self.pointer(Stack::FRAME));
        if !self.is_dynamic() {
            let words = (self.frame.grf_bytes / 4) as u8;
            let header = Reg::grf(self.frame.header);
            code.push(copy(words, Reg::grf(self.stack.messages), header));
            let pointer = (scratch / OWORD).into();
            code.push(set(base, Src::imm(Type::Ud, 0)));
            code.push(set(top, Src::imm(Type::Ud, pointer)));
            return Ok(code);
        }
        code.push(switch(self.frame.header));
        if self.placed {
            let grfs = Stack::DESCRIPTOR_GRFS;
            self.access((Stack::TOP, 0), self.stack.pointers, grfs, true, &mut code)?;
            let owords = self.owords(used, slots);
            code.push(set(base, scalar(top)));
            code.push(add(top, scalar(top), Src::imm(Type::Ud, owords.into())));
        }
        self.save(used, slots, true, &mut code)?;
        Ok(code)
    }

    /// What the function does last.
    ///
    /// # Errors
    /// A message cannot be made.
    pub fn leave(&self, used: u128, slots: u32) -> Result<Vec<Gen>, AllocError> {
        let mut code = Vec::new();
        self.save(used, slots, false, &mut code)?;
        if self.placed {
            let grfs = Stack::DESCRIPTOR_GRFS;
            self.access((Stack::FRAME, 0), FREE, grfs, false, &mut code)?;
            // Not those of vISA, which it keeps itself.
            let pointers = (Stack::FP / 4) as u8;
            code.push(copy(pointers, self.pointer(Stack::RETURN), Reg::grf(FREE)));
        }
        Ok(code)
    }

    /// Goes back to the caller.
    pub fn back(&self) -> Vec<Gen> {
        let address = self.pointer(Stack::RETURN);
        if self.func.entered == Entered::Called {
            return vec![self.ret()];
        }
        let behind = Src::imm(Type::D, u64::from(TO_CALLER.wrapping_neg()));
        vec![
            add(address, less_ip(), scalar(address)),
            add(address, scalar(address), behind),
            jump(address),
        ]
    }

    /// A call of a function by name.
    pub fn call(&self, mut call: Gen) -> Vec<Gen> {
        call.dst = Some(Dst::new(self.pointer(Stack::RETURN), 1, Type::Ud));
        call.jip = Some(Target::Offset(0));
        vec![call, switch(self.frame.header)]
    }

    /// A call of an address, which all active channels make.
    ///
    /// A jump leaves channels that wait in reach of the callee's joins. If the callee, or what it
    /// calls, is this function again, its join would take them for its own: so they are left out by a
    /// `call` of the next instruction, and taken in again by a `ret` behind the way back. The callee
    /// keeps the mask beside the return address, as it does when it is called by name.
    pub fn call_address(&self, address: Src) -> Vec<Gen> {
        let distance = Reg::grf(FREE);
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
            switch(self.frame.header),
        ]);
        if self.waits {
            let mut ret = self.ret();
            ret.opts.long = true;
            code.extend([
                add(back, ip(), Src::imm(Type::Ud, TO_BEHIND.into())),
                ret,
                switch(self.frame.header),
            ]);
        }
        code
    }

    /// Channels go on at the return address.
    fn ret(&self) -> Gen {
        let mut ret = Gen::new(Op::Ret, self.func.simd);
        ret.srcs.push(scalar(self.pointer(Stack::RETURN)));
        ret.jip = Some(Target::Reg);
        ret
    }
}

/// An oword block that writes or reads so many registers, with the register as its header that says where.
///
/// # Errors
/// The message cannot be made.
pub fn block(
    func: &Function,
    header: u32,
    (first, grfs): (u32, u32),
    write: bool,
) -> Result<Gen, AllocError> {
    let owords = Owords::of(grfs * func.target.grf_bytes / OWORD).unwrap_or(Owords::X1);
    let kind = match write {
        true => Kind::OwordBlockWrite,
        false => Kind::OwordBlockRead,
    };
    let request = data_port::block(kind, owords)
        .surface(Surface::Stateless)
        .with_header();
    let request = match write {
        true => request.lengths(1, grfs as u8, 0),
        false => request.lengths(1, 0, grfs as u8),
    };
    let message = request.encode(func.target.family);
    let message = message.map_err(|e| AllocError::Invalid {
        func: func.name.clone(),
        what: e.to_string(),
    })?;
    let size = if grfs > 1 { 16 } else { 8 };
    let mut send = Gen::new(if write { Op::Sends } else { Op::Send }, size);
    send.no_mask = true;
    send.msg = Some(message.message());
    let packed = |grf: u32| Src::reg(Reg::grf(grf), Region::packed(8), Type::Ud);
    send.srcs.push(packed(header));
    let ty = if grfs > 1 { Type::Uw } else { Type::Ud };
    let to = if write { Reg::NULL } else { Reg::grf(first) };
    send.dst = Some(Dst::new(to, 1, ty));
    if write {
        send.srcs.push(packed(first));
    }
    Ok(send)
}

/// Says in a register of messages that the next goes to an offset in scratch space, a multiple of an oword.
pub fn go_to(messages: u32, bytes: u32) -> Gen {
    let offset = Reg::new(RegFile::Grf, messages, Stack::OFFSET as u16);
    set(offset, Src::imm(Type::Ud, (bytes / OWORD).into()))
}

fn scalar(reg: Reg) -> Src {
    Src::reg(reg, Region::SCALAR, Type::Ud)
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

fn set(to: Reg, from: Src) -> Gen {
    let mut mov = Gen::new(Op::Mov, 1);
    mov.no_mask = true;
    mov.dst = Some(Dst::new(to, 1, Type::Ud));
    mov.srcs.push(from);
    mov
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
