//! Assembly of vector instructions, and the constants they use.
//!
//! Takes instructions by their form ([`super::codes`]) and vector length; gives them to iced-x86, which resolves labels
//! and chooses encodings. Constants are collected, each once, in a pool that a register points to.

use std::collections::HashMap;

use iced_x86::code_asm::{CodeAssembler, CodeLabel};
use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};

use super::codes::{self, Codes};

pub type Done = Result<(), IcedError>;

/// Fixed uses of general registers.
pub const THREAD: Register = Register::R13;
pub const POOL: Register = Register::R14;
pub const CONTEXT: Register = Register::R15;
pub const COUNTERS: Register = Register::R12;
pub const SITES: Register = Register::RBP;

/// A vector register by its number.
pub type Reg = u8;

/// Length of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    X,
    Y,
    Z,
}

impl Length {
    /// The shortest one for a number of bytes.
    pub fn of(bytes: usize) -> Length {
        match bytes {
            0..=16 => Length::X,
            17..=32 => Length::Y,
            _ => Length::Z,
        }
    }

    /// The length of half as many bytes, as far as there is one.
    fn half(self) -> Length {
        match self {
            Length::Z => Length::Y,
            _ => Length::X,
        }
    }

    pub fn register(self, number: Reg) -> Register {
        let first = match self {
            Length::X => Register::XMM0,
            Length::Y => Register::YMM0,
            Length::Z => Register::ZMM0,
        };
        first + u32::from(number)
    }

    pub fn code(self, codes: Codes) -> Code {
        codes[self as usize]
    }
}

/// A mask register, with the treatment of elements that it leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask {
    pub k: Register,
    /// True if these elements become zero; false if they are kept.
    pub zero: bool,
}

/// A mask; lanes that are off keep their values.
pub fn keep(k: Register) -> Option<Mask> {
    Some(Mask { k, zero: false })
}

/// The last source of a vector instruction.
#[derive(Clone, Copy, Debug)]
pub enum Arg {
    Reg(Reg),
    /// As many bytes as the vector has.
    Whole(MemoryOperand),
    /// One element for all lanes.
    Each(MemoryOperand),
}

/// Memory at an offset from a base register.
pub fn at(base: Register, offset: usize) -> MemoryOperand {
    MemoryOperand::with_base_displ(base, offset as i64)
}

/// A line of the pool: as large and as aligned as a vector.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct Line(pub [u32; 16]);

/// Constants; each is there once.
#[derive(Debug, Default)]
struct Pool {
    lines: Vec<Line>,
    /// Dwords used of the last line that has single dwords.
    open: Option<(usize, usize)>,
    dwords: HashMap<u32, usize>,
    quads: HashMap<u64, usize>,
    vectors: HashMap<[u32; 16], usize>,
}

impl Pool {
    /// Room for one or two dwords, as an offset in bytes.
    fn room(&mut self, count: usize) -> (usize, usize) {
        let (line, used) = self.open.unwrap_or((0, 16));
        let start = used.next_multiple_of(count);
        let (line, start) = if start + count > 16 {
            self.lines.push(Line::default());
            (self.lines.len() - 1, 0)
        } else {
            (line, start)
        };
        self.open = Some((line, start + count));
        (line, start)
    }
}

pub struct Assembler {
    pub a: CodeAssembler,
    pool: Pool,
}

impl Assembler {
    pub fn new() -> Result<Assembler, IcedError> {
        Ok(Assembler {
            a: CodeAssembler::new(64)?,
            pool: Pool::default(),
        })
    }

    /// The lines of constants.
    pub fn take_pool(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.pool.lines)
    }

    pub fn dword(&mut self, value: u32) -> MemoryOperand {
        let place = match self.pool.dwords.get(&value) {
            Some(&place) => place,
            None => {
                let (line, start) = self.pool.room(1);
                self.pool.lines[line].0[start] = value;
                let place = line * 64 + start * 4;
                self.pool.dwords.insert(value, place);
                place
            }
        };
        at(POOL, place)
    }

    pub fn quad(&mut self, value: u64) -> MemoryOperand {
        let place = match self.pool.quads.get(&value) {
            Some(&place) => place,
            None => {
                let (line, start) = self.pool.room(2);
                self.pool.lines[line].0[start] = value as u32;
                self.pool.lines[line].0[start + 1] = (value >> 32) as u32;
                let place = line * 64 + start * 4;
                self.pool.quads.insert(value, place);
                place
            }
        };
        at(POOL, place)
    }

    pub fn vector(&mut self, value: [u32; 16]) -> MemoryOperand {
        let lines = &mut self.pool.lines;
        let place = *self.pool.vectors.entry(value).or_insert_with(|| {
            lines.push(Line(value));
            (lines.len() - 1) * 64
        });
        at(POOL, place)
    }

    pub fn label(&mut self) -> CodeLabel {
        self.a.create_label()
    }

    /// Puts a label before the next instruction.
    pub fn place(&mut self, label: &mut CodeLabel) -> Done {
        self.a.set_label(label)
    }

    pub fn put(&mut self, instruction: Instruction) -> Done {
        self.a.add_instruction(instruction)
    }

    /// An instruction of a destination and a source.
    pub fn two(&mut self, codes: Codes, l: Length, dst: Reg, mask: Option<Mask>, src: Arg) -> Done {
        let (code, dst) = (l.code(codes), l.register(dst));
        let i = match src {
            Arg::Reg(r) => Instruction::with2(code, dst, l.register(r))?,
            Arg::Whole(m) | Arg::Each(m) => Instruction::with2(code, dst, m)?,
        };
        self.finish(i, mask, src)
    }

    /// As [`Assembler::two`], with an immediate.
    pub fn two_imm(
        &mut self,
        codes: Codes,
        l: Length,
        dst: Reg,
        mask: Option<Mask>,
        (src, imm): (Arg, u32),
    ) -> Done {
        let (code, dst) = (l.code(codes), l.register(dst));
        let i = match src {
            Arg::Reg(r) => Instruction::with3(code, dst, l.register(r), imm)?,
            Arg::Whole(m) | Arg::Each(m) => Instruction::with3(code, dst, m, imm)?,
        };
        self.finish(i, mask, src)
    }

    /// An instruction of a destination and two sources.
    pub fn three(
        &mut self,
        codes: Codes,
        l: Length,
        dst: Reg,
        mask: Option<Mask>,
        (a, b): (Reg, Arg),
    ) -> Done {
        let (code, dst, a) = (l.code(codes), l.register(dst), l.register(a));
        let i = match b {
            Arg::Reg(r) => Instruction::with3(code, dst, a, l.register(r))?,
            Arg::Whole(m) | Arg::Each(m) => Instruction::with3(code, dst, a, m)?,
        };
        self.finish(i, mask, b)
    }

    /// As [`Assembler::three`], of registers and without a mask.
    pub fn regs(&mut self, codes: Codes, l: Length, dst: Reg, (a, b): (Reg, Reg)) -> Done {
        self.three(codes, l, dst, None, (a, Arg::Reg(b)))
    }

    /// As [`Assembler::three`], of a register and an element for all lanes, without a mask.
    pub fn each(
        &mut self,
        codes: Codes,
        l: Length,
        dst: Reg,
        (a, b): (Reg, MemoryOperand),
    ) -> Done {
        self.three(codes, l, dst, None, (a, Arg::Each(b)))
    }

    /// As [`Assembler::two_imm`], of a register and without a mask.
    pub fn number(&mut self, codes: Codes, l: Length, dst: Reg, (a, imm): (Reg, u32)) -> Done {
        self.two_imm(codes, l, dst, None, (Arg::Reg(a), imm))
    }

    /// As [`Assembler::three`], with an immediate.
    pub fn three_imm(
        &mut self,
        codes: Codes,
        l: Length,
        dst: Reg,
        mask: Option<Mask>,
        (a, b, imm): (Reg, Arg, u32),
    ) -> Done {
        let (code, dst, a) = (l.code(codes), l.register(dst), l.register(a));
        let i = match b {
            Arg::Reg(r) => Instruction::with4(code, dst, a, l.register(r), imm)?,
            Arg::Whole(m) | Arg::Each(m) => Instruction::with4(code, dst, a, m, imm)?,
        };
        self.finish(i, mask, b)
    }

    /// A comparison to a mask register, with an immediate.
    pub fn compare(
        &mut self,
        codes: Codes,
        l: Length,
        (k, mask): (Register, Option<Register>),
        (a, b, imm): (Reg, Arg, u32),
    ) -> Done {
        let (code, a) = (l.code(codes), l.register(a));
        let i = match b {
            Arg::Reg(r) => Instruction::with4(code, k, a, l.register(r), imm)?,
            Arg::Whole(m) | Arg::Each(m) => Instruction::with4(code, k, a, m, imm)?,
        };
        self.finish(i, mask.and_then(keep), b)
    }

    /// A test of bits to a mask register.
    pub fn test(
        &mut self,
        codes: Codes,
        l: Length,
        (k, mask): (Register, Option<Register>),
        (a, b): (Reg, Arg),
    ) -> Done {
        let (code, a) = (l.code(codes), l.register(a));
        let i = match b {
            Arg::Reg(r) => Instruction::with3(code, k, a, l.register(r))?,
            Arg::Whole(m) | Arg::Each(m) => Instruction::with3(code, k, a, m)?,
        };
        self.finish(i, mask.and_then(keep), b)
    }

    fn finish(&mut self, mut i: Instruction, mask: Option<Mask>, last: Arg) -> Done {
        if matches!(last, Arg::Each(_)) && !loads_element(i.code()) {
            i.set_is_broadcast(true);
        }
        if let Some(mask) = mask {
            i.set_op_mask(mask.k);
            i.set_zeroing_masking(mask.zero);
        }
        self.put(i)
    }

    /// A move between vector registers, unless it would change nothing.
    pub fn copy(&mut self, l: Length, dst: Reg, mask: Option<Mask>, src: Reg) -> Done {
        if dst == src && mask.is_none_or(|m| !m.zero) {
            return Ok(());
        }
        self.two(codes::MOVDQA32, l, dst, mask, Arg::Reg(src))
    }

    /// An instruction of two operands that are general or mask registers, or memory.
    pub fn plain<A, B>(&mut self, code: Code, a: A, b: B) -> Done
    where
        Instruction: With2<A, B>,
    {
        let i = <Instruction as With2<A, B>>::with(code, a, b)?;
        self.put(i)
    }

    /// Bytes to a register: 4, 8, 16, 32 or 64, or 1 or 2 to the lowest lane.
    pub fn load(&mut self, reg: Reg, from: MemoryOperand, bytes: usize) -> Done {
        let l = Length::of(bytes);
        match bytes {
            4 => self.plain(Code::EVEX_Vmovd_xmm_rm32, l.register(reg), from),
            8 => self.plain(Code::EVEX_Vmovq_xmm_xmmm64, l.register(reg), from),
            _ => self.two(codes::MOVDQU32, l, reg, None, Arg::Whole(from)),
        }
    }

    /// Bytes of a register to memory: 4, 8, 16, 32 or 64.
    pub fn store(&mut self, reg: Reg, to: MemoryOperand, bytes: usize) -> Done {
        let l = Length::of(bytes);
        match bytes {
            4 => self.plain(Code::EVEX_Vmovd_rm32_xmm, to, l.register(reg)),
            8 => self.plain(Code::EVEX_Vmovq_xmmm64_xmm, to, l.register(reg)),
            _ => self.plain(l.code(codes::STOREU32), to, l.register(reg)),
        }
    }

    /// An instruction whose source is shorter than its destination, or an element of memory for each lane.
    pub fn widen(&mut self, codes: Codes, l: Length, dst: Reg, src: Reg) -> Done {
        let short = if HALVES.contains(&codes) {
            l.half()
        } else {
            Length::X
        };
        self.plain(l.code(codes), l.register(dst), short.register(src))
    }

    /// An instruction whose destination is shorter than its source.
    pub fn narrow(&mut self, codes: Codes, l: Length, dst: Reg, src: Reg) -> Done {
        let short = if HALVES.contains(&codes) {
            l.half()
        } else {
            Length::X
        };
        self.plain(l.code(codes), short.register(dst), l.register(src))
    }

    /// The lowest element to all lanes of a register.
    pub fn spread(&mut self, codes: Codes, dst: Reg, src: Reg) -> Done {
        let (dst, src) = (Length::Z.register(dst), Length::X.register(src));
        self.plain(Length::Z.code(codes), dst, src)
    }

    /// `eax`, or `rax` for quadwords, to all lanes of a register.
    pub fn spread_general(&mut self, codes: Codes, l: Length, dst: Reg) -> Done {
        let from = match codes == codes::BROADCASTQ_GPR {
            true => Register::RAX,
            false => Register::EAX,
        };
        self.plain(l.code(codes), l.register(dst), from)
    }

    /// An instruction of three operands, the last one a number.
    pub fn plain3(&mut self, code: Code, a: Register, b: Register, imm: u32) -> Done {
        self.put(Instruction::with3(code, a, b, imm)?)
    }

    /// Two registers of 32 bytes as one of 64.
    pub fn insert_half(&mut self, dst: Reg, low: Reg, high: Reg) -> Done {
        let code = Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
        let (z, y) = (Length::Z, Length::Y);
        self.put(Instruction::with4(
            code,
            z.register(dst),
            z.register(low),
            y.register(high),
            1u32,
        )?)
    }

    /// The upper 32 bytes of a register.
    pub fn upper_half(&mut self, dst: Reg, src: Reg) -> Done {
        let code = Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
        self.plain3(code, Length::Y.register(dst), Length::Z.register(src), 1)
    }

    /// A masked store of a form.
    pub fn store_masked(
        &mut self,
        codes: Codes,
        l: Length,
        to: MemoryOperand,
        mask: Option<Register>,
        reg: Reg,
    ) -> Done {
        let mut i = Instruction::with2(l.code(codes), to, l.register(reg))?;
        if let Some(k) = mask {
            i.set_op_mask(k);
        }
        self.put(i)
    }

    /// All lanes zero.
    pub fn zero(&mut self, reg: Reg) -> Done {
        self.three(codes::XORD, Length::X, reg, None, (reg, Arg::Reg(reg)))
    }

    /// One element to all lanes of a register, as long as registers are.
    pub fn broadcast(&mut self, reg: Reg, from: MemoryOperand, size: usize) -> Done {
        let codes = if size == 8 {
            codes::BROADCASTQ
        } else {
            codes::BROADCASTD
        };
        self.two(codes, Length::Z, reg, None, Arg::Each(from))
    }

    /// A dword of all lanes of a register.
    pub fn constant(&mut self, reg: Reg, value: u32) -> Done {
        if value == 0 {
            return self.zero(reg);
        }
        let from = self.dword(value);
        self.broadcast(reg, from, 4)
    }
}

/// Conversions between elements and elements twice as large.
const HALVES: [Codes; 12] = [
    codes::MOVSXWD,
    codes::MOVZXWD,
    codes::MOVSXDQ,
    codes::MOVZXDQ,
    codes::CVTPH2PS,
    codes::CVTPS2PD,
    codes::CVTDQ2PD,
    codes::CVTUDQ2PD,
    codes::MOVDW,
    codes::MOVQD,
    codes::CVTPD2PS,
    codes::CVTQQ2PS,
];

/// True for instructions whose memory operand is one element anyway.
fn loads_element(code: Code) -> bool {
    codes::BROADCASTD.contains(&code) || codes::BROADCASTQ.contains(&code)
}

/// Instructions of two operands.
pub trait With2<A, B> {
    fn with(code: Code, a: A, b: B) -> Result<Instruction, IcedError>;
}

macro_rules! with2 {
    ($($a:ty, $b:ty;)*) => {$(
        impl With2<$a, $b> for Instruction {
            fn with(code: Code, a: $a, b: $b) -> Result<Instruction, IcedError> {
                Instruction::with2(code, a, b)
            }
        }
    )*};
}
with2! {
    Register, Register;
    Register, MemoryOperand;
    MemoryOperand, Register;
    Register, u32;
    MemoryOperand, u32;
    Register, i32;
    MemoryOperand, i32;
}
