//! Legalization for hosts without AVX-512: vectors of 64 bytes and mask registers on registers of 32 bytes.
//!
//! Takes the code that all other parts have made, with labels as addresses of instructions; gives code of AVX2, FMA and
//! F16C that does the same ([`super::avx2`] has the rows). A vector register becomes two halves, a mask register one bit
//! a lane in memory, and vectors of lanes that are all ones or zero. Halves and lanes have places in a frame; local
//! register allocation keeps them in registers, the least recently used given away first. At a label all values that
//! are live are in the frame, at a branch those that are live at its target, so that no two blocks have to agree on more.
//! Liveness is the backward data-flow analysis over blocks.
//!
//! Guarantees: no instruction of the result needs AVX-512; what it adds changes neither flags at a branch nor general
//! registers but `r8` to `r11`, which no other part uses.

use std::collections::HashMap;
use std::mem::offset_of;

use iced_x86::{Code, Instruction, MemoryOperand, OpKind, Register};

use super::asm::{Assembler, CONTEXT, Length, at};
use super::avx2;
use super::code::Refusal;
use super::context::{BITS, Context, FIRST_TEMP, LANES4, LANES8, MASKS, VALUES, VECTORS};

pub type Legalized = Result<(), Refusal>;

/// A register of 32 bytes by its number.
pub type Phys = u8;
/// A value that has a place in the frame: half of a vector register, or lanes of a mask register.
pub type Value = u8;

/// Number of registers that keep values; those after them are for values within an instruction.
const KEPT_REGS: Phys = 11;
/// The registers for values within an instruction.
pub const SCRATCH: [Phys; 5] = [11, 12, 13, 14, 15];

/// Values that are live: one bit for each half of a vector, then one for each mask register.
type Set = u128;

/// Half of a vector register.
pub fn half(register: Register, upper: usize) -> Value {
    (vector_number(register).unwrap_or(0) * 2 + upper) as Value
}

fn vector_number(register: Register) -> Option<usize> {
    let of = |first: Register| (register as usize).checked_sub(first as usize);
    [Register::XMM0, Register::YMM0, Register::ZMM0]
        .into_iter()
        .find_map(|first| of(first).filter(|&n| n < VECTORS))
}

/// The number of a mask register.
pub fn mask_number(register: Register) -> Option<usize> {
    (register as usize)
        .checked_sub(Register::K0 as usize)
        .filter(|&n| n < MASKS)
}

/// Half of a mask's lanes of a size.
pub fn mask_lanes(k: usize, size: usize, upper: usize) -> Value {
    (if size == 8 { LANES8 } else { LANES4 } + k * 2 + upper) as Value
}

/// The bit of a value in a set of those that are live.
fn bit(value: Value) -> Set {
    let value = usize::from(value);
    match value.checked_sub(LANES4) {
        None => 1 << value,
        Some(lanes) => mask_bit(lanes % (MASKS * 2) / 2),
    }
}

fn mask_bit(k: usize) -> Set {
    1 << (LANES4 + k)
}

/// The values of a register that an operand reads.
fn read_bits(register: Register) -> Set {
    match (vector_number(register), mask_number(register)) {
        (Some(_), _) if register.is_zmm() => bit(half(register, 0)) | bit(half(register, 1)),
        (Some(_), _) => bit(half(register, 0)),
        (_, Some(k)) => mask_bit(k),
        _ => 0,
    }
}

fn written_bits(register: Register) -> Set {
    match vector_number(register) {
        // Bytes after the end of a shorter vector become zero.
        Some(_) => bit(half(register, 0)) | bit(half(register, 1)),
        None => read_bits(register),
    }
}

/// The values that an instruction reads, and those that it writes.
fn effects(i: &Instruction) -> (Set, Set) {
    if matches!(i.code(), Code::VEX_Vzeroupper | Code::Call_rm64) {
        // Nothing stays in registers over a call.
        return (0, Set::MAX);
    }
    let operand = |n: u32| match i.op_kind(n) {
        OpKind::Register => i.op_register(n),
        _ => Register::None,
    };
    let first = operand(0);
    let mut read = read_bits(i.memory_index()) | read_bits(i.op_mask());
    for n in (0..i.op_count()).filter(|&n| avx2::reads_operand(i, n)) {
        read |= read_bits(operand(n));
    }
    if i.code() == Code::VEX_Kortestw_kr_kr {
        return (read, 0);
    }
    let mut written = written_bits(first);
    if avx2::clears_mask(i.code()) {
        written |= read_bits(i.op_mask());
    }
    (read, written)
}

/// Where code goes on after an instruction.
enum Flow {
    Next,
    /// To an instruction with a label, or on.
    Branch(u64),
    Jump(u64),
    /// Elsewhere, where nothing is live.
    Away,
}

fn flow(i: &Instruction) -> Flow {
    match (i.code(), i.op0_kind()) {
        (Code::Jmp_rel32_64 | Code::Jmp_rel8_64, _) => Flow::Jump(i.near_branch64()),
        (_, OpKind::NearBranch64) => Flow::Branch(i.near_branch64()),
        (Code::Jmp_rm64 | Code::Retnq, _) => Flow::Away,
        _ => Flow::Next,
    }
}

/// Liveness of values.
struct Live {
    /// The values that are live before each instruction.
    before: Vec<Set>,
    /// The instruction of each label.
    labels: HashMap<u64, usize>,
}

impl Live {
    fn new(code: &[Instruction]) -> Live {
        let labels = code.iter().enumerate().filter(|(_, i)| i.ip() != 0);
        let labels: HashMap<u64, usize> = labels.map(|(n, i)| (i.ip(), n)).collect();
        let effects: Vec<(Set, Set)> = code.iter().map(effects).collect();
        let mut before = vec![0; code.len() + 1];
        // Each branch back over which a value is live may need another round.
        loop {
            let mut changed = false;
            for (n, i) in code.iter().enumerate().rev() {
                let target = |label| labels.get(&label).map_or(0, |&n| before[n]);
                let after = match flow(i) {
                    Flow::Next => before[n + 1],
                    Flow::Branch(label) => before[n + 1] | target(label),
                    Flow::Jump(label) => target(label),
                    Flow::Away => 0,
                };
                let (read, written) = effects[n];
                let live = after & !written | read;
                changed |= live != before[n];
                before[n] = live;
            }
            if !changed {
                break;
            }
        }
        Live { before, labels }
    }

    fn at_label(&self, label: u64) -> Set {
        self.labels.get(&label).map_or(0, |&n| self.before[n])
    }
}

/// A value's places.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    reg: Option<Phys>,
    /// True if the frame has it.
    stored: bool,
    /// True if it is known to be zero.
    zero: bool,
    /// True if lanes of a mask are there.
    valid: bool,
}

/// An operand of an instruction that is made.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    Reg(Register),
    Mem(MemoryOperand),
    Number(u32),
}

/// A source: a register of 32 bytes, or as many bytes in memory.
#[derive(Clone, Copy, Debug)]
pub enum Src {
    Reg(Phys),
    Mem(MemoryOperand),
}

impl Src {
    pub fn operand(self, l: Length) -> Operand {
        match self {
            Src::Reg(reg) => Operand::Reg(l.register(reg)),
            Src::Mem(m) => Operand::Mem(m),
        }
    }
}

pub fn instruction(code: Code, operands: &[Operand]) -> Result<Instruction, Refusal> {
    use Operand::{Mem as M, Number as N, Reg as R};
    Ok(match *operands {
        [R(a), R(b)] => Instruction::with2(code, a, b)?,
        [R(a), M(b)] => Instruction::with2(code, a, b)?,
        [M(a), R(b)] => Instruction::with2(code, a, b)?,
        [R(a), N(b)] => Instruction::with2(code, a, b)?,
        [M(a), N(b)] => Instruction::with2(code, a, b)?,
        [R(a), R(b), R(c)] => Instruction::with3(code, a, b, c)?,
        [R(a), R(b), M(c)] => Instruction::with3(code, a, b, c)?,
        [R(a), M(b), R(c)] => Instruction::with3(code, a, b, c)?,
        [M(a), R(b), R(c)] => Instruction::with3(code, a, b, c)?,
        [R(a), R(b), N(c)] => Instruction::with3(code, a, b, c)?,
        [R(a), M(b), N(c)] => Instruction::with3(code, a, b, c)?,
        [R(a), R(b), R(c), R(d)] => Instruction::with4(code, a, b, c, d)?,
        [R(a), R(b), M(c), R(d)] => Instruction::with4(code, a, b, c, d)?,
        [R(a), R(b), R(c), N(d)] => Instruction::with4(code, a, b, c, d)?,
        [R(a), R(b), M(c), N(d)] => Instruction::with4(code, a, b, c, d)?,
        _ => return Err(Refusal::NoForm(code)),
    })
}

/// The pass.
pub struct Legalizer<'a> {
    /// Constants are added to its pool.
    pub asm: &'a mut Assembler,
    out: Vec<Instruction>,
    /// The label of the next instruction.
    label: Option<u64>,
    /// The last label that was made here; those of the code are small numbers.
    last_label: u64,
    values: [Places; VALUES],
    held: [Option<Value>; KEPT_REGS as usize],
    /// The time of each register's last use.
    used: [u32; KEPT_REGS as usize],
    clock: u32,
    /// Registers of the instruction at hand.
    pinned: u16,
    /// True for masks whose bits are in the frame.
    bits: [bool; MASKS],
    /// The values that the instruction at hand or one after it reads.
    live: Set,
    /// True if an element of the instruction at hand is in all lanes of the fourth scratch register.
    pub spread: bool,
}

/// Legal code, and the number of the first instruction that each one became.
pub struct Legal {
    pub code: Vec<Instruction>,
    pub starts: Vec<usize>,
}

impl Legal {
    /// Code that needs no change.
    pub fn unchanged(code: Vec<Instruction>) -> Legal {
        let starts = (0..code.len()).collect();
        Legal { code, starts }
    }
}

/// Replaces what needs AVX-512.
///
/// # Errors
/// An instruction has no row.
pub fn legalize(code: &[Instruction], asm: &mut Assembler) -> Result<Legal, Refusal> {
    let live = Live::new(code);
    let mut pass = Legalizer {
        asm,
        out: Vec::with_capacity(code.len() * 3),
        label: None,
        last_label: 1 << 63,
        values: [Places::default(); VALUES],
        held: [None; KEPT_REGS as usize],
        used: [0; KEPT_REGS as usize],
        clock: 0,
        pinned: 0,
        bits: [true; MASKS],
        live: 0,
        spread: false,
    };
    let mut starts = Vec::with_capacity(code.len());
    let mut falls = false;
    pass.reset();
    for (n, i) in code.iter().enumerate() {
        if i.ip() != 0 {
            if falls {
                pass.flush(live.before[n])?;
            }
            pass.reset();
            pass.place(i.ip())?;
        }
        starts.push(pass.out.len());
        let flow = flow(i);
        let after = live.before[n + 1];
        pass.live = live.before[n] | after;
        pass.pinned = 0;
        match flow {
            Flow::Branch(label) | Flow::Jump(label) => {
                pass.flush(live.at_label(label))?;
                pass.put(*i)?;
            }
            Flow::Away => pass.put(*i)?,
            Flow::Next => match avx2::form(i.code()) {
                Some(form) => pass.expand(i, form)?,
                None => pass.other(i)?,
            },
        }
        falls = !matches!(flow, Flow::Jump(_) | Flow::Away);
        pass.live = after;
        pass.drop_dead();
    }
    Ok(Legal {
        code: pass.out,
        starts,
    })
}

impl Legalizer<'_> {
    /// Forgets what is in registers: all that is live is in the frame.
    fn reset(&mut self) {
        self.held = [None; KEPT_REGS as usize];
        self.bits = [true; MASKS];
        self.values = [Places {
            stored: true,
            ..Places::default()
        }; VALUES];
    }

    pub fn put(&mut self, mut i: Instruction) -> Legalized {
        i.set_ip(self.label.take().unwrap_or(0));
        self.out.push(i);
        Ok(())
    }

    pub fn emit(&mut self, code: Code, operands: &[Operand]) -> Legalized {
        self.put(instruction(code, operands)?)
    }

    /// A label for the next instruction.
    pub fn place(&mut self, label: u64) -> Legalized {
        if self.label.is_some() {
            let mut nothing = Instruction::new();
            nothing.set_code(Code::Zero_bytes);
            self.put(nothing)?;
        }
        self.label = Some(label);
        Ok(())
    }

    pub fn new_label(&mut self) -> u64 {
        self.last_label += 1;
        self.last_label
    }

    /// A value's place in the frame.
    fn slot(value: Value) -> MemoryOperand {
        in_frame(usize::from(value) * 32)
    }

    /// The place of a mask's bits.
    pub fn bits_slot(k: usize, byte: usize) -> MemoryOperand {
        in_frame(BITS + k * 8 + byte)
    }

    /// One of two vectors of 64 bytes in the frame for values within an instruction.
    pub fn temp(number: usize, byte: usize) -> MemoryOperand {
        in_frame(FIRST_TEMP + number * 64 + byte)
    }

    pub fn load(&mut self, reg: Phys, from: MemoryOperand) -> Legalized {
        let code = Code::VEX_Vmovdqu_ymm_ymmm256;
        let to = Operand::Reg(Length::Y.register(reg));
        self.emit(code, &[to, Operand::Mem(from)])
    }

    pub fn store(&mut self, to: MemoryOperand, reg: Phys) -> Legalized {
        let code = Code::VEX_Vmovdqu_ymmm256_ymm;
        let from = Operand::Reg(Length::Y.register(reg));
        self.emit(code, &[Operand::Mem(to), from])
    }

    pub fn zero(&mut self, reg: Phys) -> Legalized {
        let x = Operand::Reg(Length::X.register(reg));
        self.emit(Code::VEX_Vpxor_xmm_xmm_xmmm128, &[x, x, x])
    }

    fn pin(&mut self, reg: Phys) {
        self.clock += 1;
        self.used[usize::from(reg)] = self.clock;
        self.pinned |= 1 << reg;
    }

    fn hold(&mut self, value: Value) -> Result<Phys, Refusal> {
        let free = (0..KEPT_REGS).find(|&r| self.held[usize::from(r)].is_none());
        let reg = match free {
            Some(reg) => reg,
            None => {
                let candidates = (0..KEPT_REGS).filter(|&r| self.pinned >> r & 1 == 0);
                let oldest = candidates.min_by_key(|&r| self.used[usize::from(r)]);
                let reg = oldest.ok_or(Refusal::NoRegister)?;
                self.give_away(reg)?;
                reg
            }
        };
        self.held[usize::from(reg)] = Some(value);
        self.values[usize::from(value)].reg = Some(reg);
        self.pin(reg);
        Ok(reg)
    }

    fn give_away(&mut self, reg: Phys) -> Legalized {
        if let Some(value) = self.held[usize::from(reg)].take() {
            let places = &mut self.values[usize::from(value)];
            places.reg = None;
            if !places.stored && !places.zero && self.live & bit(value) != 0 {
                places.stored = true;
                self.store(Self::slot(value), reg)?;
            }
        }
        Ok(())
    }

    fn drop_dead(&mut self) {
        for held in &mut self.held {
            if let Some(value) = *held
                && self.live & bit(value) == 0
            {
                self.values[usize::from(value)].reg = None;
                *held = None;
            }
        }
    }

    /// A register that has a value.
    pub fn read(&mut self, value: Value) -> Result<Phys, Refusal> {
        let places = self.values[usize::from(value)];
        if let Some(reg) = places.reg {
            self.pin(reg);
            return Ok(reg);
        }
        let reg = self.hold(value)?;
        match places.zero {
            true => self.zero(reg)?,
            false => self.load(reg, Self::slot(value))?,
        }
        Ok(reg)
    }

    /// The register that is to receive a value; one that has the value before keeps it until it is written.
    pub fn write(&mut self, value: Value) -> Result<Phys, Refusal> {
        let places = &mut self.values[usize::from(value)];
        (places.stored, places.zero, places.valid) = (false, false, true);
        match places.reg {
            Some(reg) => {
                self.pin(reg);
                Ok(reg)
            }
            None => self.hold(value),
        }
    }

    /// Makes a value zero.
    pub fn clear(&mut self, value: Value) {
        let places = &mut self.values[usize::from(value)];
        if let Some(reg) = places.reg.take() {
            self.held[usize::from(reg)] = None;
        }
        *places = Places {
            zero: true,
            valid: true,
            ..Places::default()
        };
    }

    pub fn is_zero(&self, value: Value) -> bool {
        self.values[usize::from(value)].zero
    }

    /// Puts values that are live elsewhere into the frame, and keeps them in registers. Flags stay as they are.
    fn flush(&mut self, live: Set) -> Legalized {
        for value in 0..LANES4 as Value {
            let places = self.values[usize::from(value)];
            if places.stored || live & bit(value) == 0 {
                continue;
            }
            let reg = match places.reg {
                Some(reg) => reg,
                None => {
                    self.zero(SCRATCH[0])?;
                    SCRATCH[0]
                }
            };
            self.store(Self::slot(value), reg)?;
            self.values[usize::from(value)].stored = true;
        }
        for k in 0..MASKS {
            if live & mask_bit(k) != 0 {
                self.need_bits(k)?;
            }
        }
        Ok(())
    }

    /// The bits of a mask in the frame are new: lanes made of others are gone.
    pub fn set_bits(&mut self, k: usize) {
        self.bits[k] = true;
        self.forget_lanes(k, 4);
        self.forget_lanes(k, 8);
    }

    /// The lanes of a mask of a size are new: its bits, and lanes of the other size, are gone.
    pub fn set_lanes(&mut self, k: usize, size: usize) {
        self.bits[k] = false;
        self.forget_lanes(k, if size == 4 { 8 } else { 4 });
    }

    fn forget_lanes(&mut self, k: usize, size: usize) {
        for upper in 0..2 {
            let places = &mut self.values[usize::from(mask_lanes(k, size, upper))];
            if let Some(reg) = places.reg.take() {
                self.held[usize::from(reg)] = None;
            }
            places.valid = false;
        }
    }

    pub fn has_lanes(&self, k: usize, size: usize) -> bool {
        // A half is made when it is first needed.
        (0..2).all(|upper| self.has_half(k, size, upper))
    }

    pub fn has_half(&self, k: usize, size: usize, upper: usize) -> bool {
        self.values[usize::from(mask_lanes(k, size, upper))].valid
    }

    /// Has a mask's bits in the frame. Flags stay as they are.
    pub fn need_bits(&mut self, k: usize) -> Legalized {
        if self.bits[k] {
            return Ok(());
        }
        let (size, code) = match self.has_lanes(k, 4) {
            true => (4, Code::VEX_Vmovmskps_r32_ymm),
            false => (8, Code::VEX_Vmovmskpd_r32_ymm),
        };
        let pinned = self.pinned;
        for (upper, to) in [Register::R8D, Register::R9D].into_iter().enumerate() {
            let value = mask_lanes(k, size, upper);
            if upper == 1 && self.is_zero(value) {
                break;
            }
            let from = Operand::Reg(Length::Y.register(self.read(value)?));
            self.emit(code, &[Operand::Reg(to), from])?;
            self.pinned = pinned;
            if upper == 1 {
                self.append_r9(32 / size)?;
            }
        }
        let to = Operand::Mem(Self::bits_slot(k, 0));
        self.emit(Code::Mov_rm64_r64, &[to, Operand::Reg(Register::R8)])?;
        self.bits[k] = true;
        Ok(())
    }

    /// Adds `r9`, shifted left by 4 or 8, to `r8`, without changing flags.
    fn append_r9(&mut self, shift: usize) -> Legalized {
        let (r8, r9) = (Register::R8, Register::R9);
        let scaled =
            |base, scale| MemoryOperand::with_base_index_scale_displ_size(base, r9, scale, 0, 1);
        let mut add =
            |to, from| self.emit(Code::Lea_r64_m, &[Operand::Reg(to), Operand::Mem(from)]);
        // Each step but the last one doubles; the last one has a factor of eight.
        for _ in 3..shift {
            add(r9, scaled(r9, 1))?;
        }
        add(r8, scaled(r8, 8))
    }

    /// An instruction that has no row: one on general registers, or on masks.
    fn other(&mut self, i: &Instruction) -> Legalized {
        let mask = (0..i.op_count())
            .any(|n| i.op_kind(n) == OpKind::Register && mask_number(i.op_register(n)).is_some());
        if mask {
            return self.expand_mask(i);
        }
        let vector = (0..i.op_count())
            .any(|n| i.op_kind(n) == OpKind::Register && i.op_register(n).is_vector_register());
        match vector {
            true => Err(Refusal::NoForm(i.code())),
            false => self.put(*i),
        }
    }
}

fn in_frame(byte: usize) -> MemoryOperand {
    at(CONTEXT, offset_of!(Context, frame) + byte)
}
