//! Expansion of instructions of AVX-512 by their rows ([`super::avx2`]).
//!
//! Vectors of 64 bytes are computed by halves. What is written under a mask is computed first and then chosen by the
//! mask's lanes. Values within an instruction are in the scratch registers `S0` to `S4`.

use iced_x86::{Code, Instruction, MemoryOperand, OpKind, Register};

use super::asm::Length;
use super::avx2::{
    ADDQ, AND, ANDN, BLEND, BROADCASTD, BROADCASTQ, CMPPS, CVTDQ2PS, CVTTPS2DQ, EQB, EQD, EQQ, EQW,
    FMADD231PS, Form, GTQ, MOVDQU, MOVZXDQ, MULUDQ, OR, Pair, Row, SLLD, SLLQ, SRAD, SRLD, SRLQ,
    SRLVD, SRLVQ, STOREU, SUBD, SUBPD, SUBPS, SUBQ, XOR, clears, depends, pair,
};
use super::code::Refusal;
use super::legalize::{
    Legalized, Legalizer, Operand, Phys, SCRATCH, Src, half, mask_lanes, mask_number,
};

fn reg(l: Length, number: Phys) -> Operand {
    Operand::Reg(l.register(number))
}

fn general(register: Register) -> Operand {
    Operand::Reg(register)
}

/// A memory operand farther by a number of bytes.
fn farther(m: MemoryOperand, bytes: usize) -> MemoryOperand {
    MemoryOperand {
        displacement: m.displacement + bytes as i64,
        ..m
    }
}

/// The memory operand of an instruction, with an index of choice.
fn memory(i: &Instruction, index: Register) -> MemoryOperand {
    MemoryOperand::with_base_index_scale_displ_size(
        i.memory_base(),
        index,
        i.memory_index_scale(),
        i.memory_displacement64() as i64,
        1,
    )
}

/// The halves of a length, each with its own length.
fn halves(l: Length) -> impl Iterator<Item = (usize, Length)> {
    let (count, each) = match l {
        Length::X => (1, Length::X),
        Length::Y => (1, Length::Y),
        Length::Z => (2, Length::Y),
    };
    (0..count).map(move |n| (n, each))
}

const S0: Phys = SCRATCH[0];
const S1: Phys = SCRATCH[1];
const S2: Phys = SCRATCH[2];
const S3: Phys = SCRATCH[3];
const S4: Phys = SCRATCH[4];

impl Legalizer<'_> {
    fn three(&mut self, codes: Pair, l: Length, d: Phys, (a, b): (Phys, Src)) -> Legalized {
        let operands = [reg(l, d), reg(l, a), b.operand(l)];
        self.emit(codes[l as usize], &operands)
    }

    /// As `three`, of registers.
    fn regs(&mut self, codes: Pair, l: Length, d: Phys, a: Phys, b: Phys) -> Legalized {
        self.three(codes, l, d, (a, Src::Reg(b)))
    }

    fn two(&mut self, codes: Pair, l: Length, d: Phys, a: Src) -> Legalized {
        self.emit(codes[l as usize], &[reg(l, d), a.operand(l)])
    }

    fn number(&mut self, codes: Pair, l: Length, d: Phys, (a, n): (Phys, u32)) -> Legalized {
        let operands = [reg(l, d), reg(l, a), Operand::Number(n)];
        self.emit(codes[l as usize], &operands)
    }

    fn copy(&mut self, d: Phys, a: Phys) -> Legalized {
        match d == a {
            true => Ok(()),
            false => self.two(MOVDQU, Length::Y, d, Src::Reg(a)),
        }
    }

    /// A quadword in all lanes.
    fn quads(&mut self, value: u64) -> Src {
        let dwords = std::array::from_fn(|n| (value >> (n % 2 * 32)) as u32);
        Src::Mem(self.asm.vector(dwords))
    }

    fn dwords(&mut self, value: u32) -> Src {
        self.quads(u64::from(value) << 32 | u64::from(value))
    }

    fn all_ones(&mut self) -> Src {
        self.quads(u64::MAX)
    }

    /// The half of an operand that is a register.
    fn vector(&mut self, i: &Instruction, n: u32, upper: usize) -> Result<Phys, Refusal> {
        self.read(half(i.op_register(n), upper))
    }

    /// The half of an operand that is a register, bytes in memory, or an element for all lanes, which comes to a register.
    fn source(
        &mut self,
        i: &Instruction,
        n: u32,
        (upper, element): (usize, usize),
    ) -> Result<Src, Refusal> {
        if i.op_kind(n) == OpKind::Register {
            return Ok(Src::Reg(self.vector(i, n, upper)?));
        }
        let m = memory(i, i.memory_index());
        if !i.is_broadcast() {
            return Ok(Src::Mem(farther(m, upper * 32)));
        }
        // The element is in the register since the first half.
        if !std::mem::replace(&mut self.spread, true) {
            let codes = if element == 8 { BROADCASTQ } else { BROADCASTD };
            self.two(codes, Length::Y, S3, Src::Mem(m))?;
        }
        Ok(Src::Reg(S3))
    }

    /// As `source`, in a register.
    fn source_reg(
        &mut self,
        i: &Instruction,
        n: u32,
        (upper, element): (usize, usize),
        l: Length,
    ) -> Result<Phys, Refusal> {
        let src = self.source(i, n, (upper, element))?;
        self.in_vector(src, l, S3)
    }

    fn in_vector(&mut self, src: Src, l: Length, temp: Phys) -> Result<Phys, Refusal> {
        match src {
            Src::Reg(reg) => Ok(reg),
            Src::Mem(_) => {
                self.two(MOVDQU, l, temp, src)?;
                Ok(temp)
            }
        }
    }

    /// The register that is to receive half of a result: the destination's, or one for what is chosen by a mask.
    fn target(&mut self, i: &Instruction, upper: usize) -> Result<Phys, Refusal> {
        match i.op_mask() {
            Register::None => self.write(half(i.op_register(0), upper)),
            _ => Ok(S0),
        }
    }

    /// Chooses half of a result by the mask.
    fn choose(
        &mut self,
        i: &Instruction,
        (upper, l): (usize, Length),
        result: Phys,
        element: usize,
    ) -> Legalized {
        let Some(k) = mask_number(i.op_mask()) else {
            return Ok(());
        };
        let value = half(i.op_register(0), upper);
        let lanes = self.lanes_of(k, element, upper)?;
        if i.zeroing_masking() {
            let d = self.write(value)?;
            return self.regs(AND, l, d, result, lanes);
        }
        let old = self.read(value)?;
        let d = self.write(value)?;
        let operands = [reg(l, d), reg(l, old), reg(l, result), reg(l, lanes)];
        self.emit(BLEND[l as usize], &operands)
    }

    /// Lanes of a mask: all ones or zero.
    fn lanes_of(&mut self, k: usize, element: usize, upper: usize) -> Result<Phys, Refusal> {
        let y = Length::Y;
        let here = |byte: usize| Src::Mem(Self::bits_slot(k, byte));
        if element < 4 {
            self.need_bits(k)?;
            let (lanes, codes) = match element {
                1 => {
                    self.two(BROADCASTD, y, S4, here(upper * 4))?;
                    let bytes = [
                        0u32,
                        0,
                        0x0101_0101,
                        0x0101_0101,
                        0x0202_0202,
                        0x0202_0202,
                        0x0303_0303,
                        0x0303_0303,
                    ];
                    let order = Src::Mem(self.asm.vector(std::array::from_fn(|n| bytes[n % 8])));
                    let shuffle = pair!(VEX_Vpshufb_xmm_xmm_xmmm128, VEX_Vpshufb_ymm_ymm_ymmm256);
                    self.three(shuffle, y, S4, (S4, order))?;
                    (self.quads(0x8040_2010_0804_0201), EQB)
                }
                _ => {
                    let words = pair!(VEX_Vpbroadcastw_xmm_xmmm16, VEX_Vpbroadcastw_ymm_xmmm16);
                    self.two(words, y, S4, here(upper * 2))?;
                    let lanes = std::array::from_fn(|n| {
                        let first = n % 8 * 2;
                        1u32 << first | (1u32 << (first + 1)) << 16
                    });
                    (Src::Mem(self.asm.vector(lanes)), EQW)
                }
            };
            self.three(AND, y, S4, (S4, lanes))?;
            self.three(codes, y, S4, (S4, lanes))?;
            return Ok(S4);
        }
        let value = mask_lanes(k, element, upper);
        if self.has_half(k, element, upper) {
            return self.read(value);
        }
        if element == 8 && self.has_half(k, 4, 0) {
            let from = self.read(mask_lanes(k, 4, 0))?;
            let d = self.write(value)?;
            let extend = pair!(VEX_Vpmovsxdq_xmm_xmmm64, VEX_Vpmovsxdq_ymm_xmmm128);
            let from = match upper {
                0 => from,
                _ => {
                    self.upper_part(S4, from)?;
                    S4
                }
            };
            self.emit(extend[1], &[reg(y, d), reg(Length::X, from)])?;
            return Ok(d);
        }
        self.need_bits(k)?;
        let d = self.write(value)?;
        let (each, equal, lanes) = match element {
            4 => (
                BROADCASTD,
                EQD,
                self.asm.vector(std::array::from_fn(|n| 1 << n)),
            ),
            _ => {
                let lanes = std::array::from_fn(|n| if n % 2 == 0 { 1 << (n / 2) } else { 0 });
                (BROADCASTQ, EQQ, self.asm.vector(lanes))
            }
        };
        let lanes = Src::Mem(farther(lanes, upper * 32));
        self.two(each, y, d, here(0))?;
        self.three(AND, y, d, (d, lanes))?;
        self.three(equal, y, d, (d, lanes))?;
        Ok(d)
    }

    /// The upper 16 bytes of a register.
    fn upper_part(&mut self, d: Phys, src: Phys) -> Legalized {
        let operands = [reg(Length::X, d), reg(Length::Y, src), Operand::Number(1)];
        self.emit(Code::VEX_Vextracti128_xmmm128_ymm_imm8, &operands)
    }

    /// Two registers of 16 bytes as one.
    fn join_parts(&mut self, d: Phys, low: Phys, high: Phys) -> Legalized {
        let (y, x) = (Length::Y, Length::X);
        let operands = [reg(y, d), reg(y, low), reg(x, high), Operand::Number(1)];
        self.emit(Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8, &operands)
    }

    /// Quarters of a register in the order first, third, second, fourth.
    fn reorder(&mut self, d: Phys, src: Phys) -> Legalized {
        let operands = [
            reg(Length::Y, d),
            reg(Length::Y, src),
            Operand::Number(0xd8),
        ];
        self.emit(Code::VEX_Vpermq_ymm_ymmm256_imm8, &operands)
    }

    /// The instructions that a vector instruction becomes.
    pub fn expand(&mut self, i: &Instruction, form: Form) -> Legalized {
        let (l, element) = (form.length, form.element);
        self.spread = false;
        match form.row {
            Row::Store => return self.store_vector(i, l, element),
            Row::Compare(..) | Row::CompareUnsigned(..) | Row::CompareFloats(_) | Row::Test(..) => {
                return self.compare(i, form);
            }
            Row::Broadcast(codes) => {
                let src = match i.op_kind(1) {
                    OpKind::Register => Operand::Reg(Length::X.register(self.vector(i, 1, 0)?)),
                    _ => Operand::Mem(memory(i, i.memory_index())),
                };
                self.emit(codes[1], &[reg(Length::Y, S0), src])?;
                return self.fill_halves(i, l, element);
            }
            Row::BroadcastGeneral(code, codes) => {
                let to = reg(Length::X, S0);
                self.emit(code, &[to, general(i.op_register(1))])?;
                self.emit(codes[1], &[reg(Length::Y, S0), to])?;
                return self.fill_halves(i, l, element);
            }
            row if row.narrows() => {
                self.narrow(i, form)?;
                if i.op_kind(0) == OpKind::Memory {
                    // The store has an element for each dword.
                    return self.store_elements(i, 4 << l as usize, element);
                }
                let d = self.write(half(i.op_register(0), 0))?;
                self.copy(d, S0)?;
            }
            Row::Permute | Row::Permute2 | Row::PermuteWords | Row::PermuteWords2 => {
                self.permute(i, form)?
            }
            Row::Scatter => return self.scatter(i, l, element),
            Row::LoadLow(code) => {
                let src = match i.op_kind(1) {
                    OpKind::Register => general(i.op_register(1)),
                    _ => Operand::Mem(memory(i, i.memory_index())),
                };
                let d = self.write(half(i.op_register(0), 0))?;
                self.emit(code, &[reg(Length::X, d), src])?;
            }
            Row::StoreLow(code) => {
                let from = self.vector(i, 1, 0)?;
                let to = match i.op_kind(0) {
                    OpKind::Register => general(i.op_register(0)),
                    _ => Operand::Mem(memory(i, i.memory_index())),
                };
                return self.emit(code, &[to, reg(Length::X, from)]);
            }
            Row::UpperHalf => {
                let from = self.vector(i, 1, 1)?;
                let d = self.write(half(i.op_register(0), 0))?;
                self.copy(d, from)?;
            }
            Row::InsertHalf => {
                let high = self.vector(i, 2, 0)?;
                self.copy(S0, high)?;
                let low = self.vector(i, 1, 0)?;
                let d = self.write(half(i.op_register(0), 0))?;
                self.copy(d, low)?;
                let d = self.write(half(i.op_register(0), 1))?;
                return self.copy(d, S0);
            }
            Row::Widen(..) | Row::WidenUnsigned => self.widen(i, form)?,
            Row::Gather(codes) => self.gather(i, codes, (l, element))?,
            Row::Three(XOR) if clears(i) => {
                self.clear(half(i.op_register(0), 0));
                self.clear(half(i.op_register(0), 1));
                return Ok(());
            }
            Row::Blend => {
                for (upper, l) in halves(l) {
                    let (a, b) = (
                        self.vector(i, 1, upper)?,
                        self.source(i, 2, (upper, element))?,
                    );
                    let k = mask_number(i.op_mask()).unwrap_or(0);
                    let lanes = self.lanes_of(k, element, upper)?;
                    let d = self.write(half(i.op_register(0), upper))?;
                    let operands = [reg(l, d), reg(l, a), b.operand(l), reg(l, lanes)];
                    self.emit(BLEND[l as usize], &operands)?;
                }
            }
            row => {
                for (upper, l) in halves(l) {
                    let d = self.lane_by_lane(i, row, (upper, l), element)?;
                    self.choose(i, (upper, l), d, element)?;
                }
            }
        }
        // Bytes after the end of a shorter vector become zero.
        if l != Length::Z || form.row.narrows() {
            self.clear(half(i.op_register(0), 1));
        }
        Ok(())
    }

    /// Half of a result whose lanes depend on the same lanes of the sources; gives its register.
    fn lane_by_lane(
        &mut self,
        i: &Instruction,
        row: Row,
        (upper, l): (usize, Length),
        element: usize,
    ) -> Result<Phys, Refusal> {
        let here = (upper, element);
        let d;
        match row {
            Row::Three(codes) => {
                let (a, b) = (self.vector(i, 1, upper)?, self.source(i, 2, here)?);
                d = self.target(i, upper)?;
                self.three(codes, l, d, (a, b))?;
            }
            Row::Fused(codes) => {
                let (a, b) = (self.vector(i, 1, upper)?, self.source(i, 2, here)?);
                let old = self.vector(i, 0, upper)?;
                d = self.target(i, upper)?;
                self.copy(d, old)?;
                self.three(codes, l, d, (a, b))?;
            }
            Row::Two(codes) => {
                let a = self.source(i, 1, here)?;
                d = self.target(i, upper)?;
                self.two(codes, l, d, a)?;
            }
            Row::Number(codes) => {
                let a = self.source_reg(i, 1, here, l)?;
                d = self.target(i, upper)?;
                self.number(codes, l, d, (a, i.immediate8().into()))?;
            }
            Row::Move => {
                let guarded = i.op_kind(1) == OpKind::Memory && i.op_mask() != Register::None;
                if guarded {
                    // Memory of lanes that are off may not be there.
                    let k = mask_number(i.op_mask()).unwrap_or(0);
                    let lanes = self.lanes_of(k, element, upper)?;
                    let Src::Mem(from) = self.source(i, 1, here)? else {
                        return Ok(S0);
                    };
                    let code = match (element, l) {
                        (8, Length::X) => Code::VEX_Vpmaskmovq_xmm_xmm_m128,
                        (8, _) => Code::VEX_Vpmaskmovq_ymm_ymm_m256,
                        (_, Length::X) => Code::VEX_Vpmaskmovd_xmm_xmm_m128,
                        _ => Code::VEX_Vpmaskmovd_ymm_ymm_m256,
                    };
                    self.emit(code, &[reg(l, S0), reg(l, lanes), Operand::Mem(from)])?;
                    return Ok(S0);
                }
                let a = self.source(i, 1, here)?;
                match (a, i.op_mask()) {
                    // A vector that a mask chooses from is read where it is.
                    (Src::Reg(a), mask) if mask != Register::None => return Ok(a),
                    _ => {}
                }
                d = self.target(i, upper)?;
                self.two(MOVDQU, l, d, a)?;
            }
            row => return self.integers(i, row, (upper, l), element),
        }
        Ok(d)
    }

    /// As `lane_by_lane`: operations on integers that AVX2 lacks.
    fn integers(
        &mut self,
        i: &Instruction,
        row: Row,
        (upper, l): (usize, Length),
        element: usize,
    ) -> Result<Phys, Refusal> {
        let here = (upper, element);
        let d;
        match row {
            Row::Rotate(first, second) => {
                let (a, b) = (self.vector(i, 1, upper)?, self.source(i, 2, here)?);
                let (low, all) = (self.dwords(31), self.dwords(32));
                let b = self.in_vector(b, l, S3)?;
                self.three(AND, l, S1, (b, low))?;
                self.two(MOVDQU, l, S2, all)?;
                self.regs(SUBD, l, S2, S2, S1)?;
                self.regs(first, l, S1, a, S1)?;
                self.regs(second, l, S2, a, S2)?;
                d = self.target(i, upper)?;
                self.regs(OR, l, d, S1, S2)?;
            }
            Row::ShiftSigned64 => {
                let a = self.vector(i, 1, upper)?;
                let b = self.source_reg(i, 2, here, l)?;
                let sign = self.quads(1 << 63);
                self.two(MOVDQU, l, S2, sign)?;
                self.regs(SRLVQ, l, S2, S2, b)?;
                self.regs(SRLVQ, l, S1, a, b)?;
                self.regs(XOR, l, S1, S1, S2)?;
                d = self.target(i, upper)?;
                self.regs(SUBQ, l, d, S1, S2)?;
            }
            Row::ShiftSigned64By => {
                let a = self.source_reg(i, 1, here, l)?;
                let n = i.immediate8().min(63);
                let sign = self.quads(1 << (63 - n));
                self.number(SRLQ, l, S1, (a, n.into()))?;
                self.three(XOR, l, S1, (S1, sign))?;
                d = self.target(i, upper)?;
                self.three(SUBQ, l, d, (S1, sign))?;
            }
            Row::Magnitude64 => {
                let a = self.source_reg(i, 1, here, l)?;
                self.zero(S1)?;
                self.regs(GTQ, l, S1, S1, a)?;
                self.regs(XOR, l, S2, a, S1)?;
                d = self.target(i, upper)?;
                self.regs(SUBQ, l, d, S2, S1)?;
            }
            Row::Maximum64 | Row::Minimum64 => {
                let a = self.vector(i, 1, upper)?;
                let b = self.source_reg(i, 2, here, l)?;
                self.regs(GTQ, l, S1, a, b)?;
                d = self.target(i, upper)?;
                let (no, yes) = match row {
                    Row::Maximum64 => (b, a),
                    _ => (a, b),
                };
                let operands = [reg(l, d), reg(l, no), reg(l, yes), reg(l, S1)];
                self.emit(BLEND[l as usize], &operands)?;
            }
            Row::Product64 => {
                let a = self.vector(i, 1, upper)?;
                let b = self.source_reg(i, 2, here, l)?;
                self.number(SRLQ, l, S1, (a, 32))?;
                self.regs(MULUDQ, l, S1, S1, b)?;
                self.number(SRLQ, l, S2, (b, 32))?;
                self.regs(MULUDQ, l, S2, S2, a)?;
                self.regs(ADDQ, l, S1, S1, S2)?;
                self.number(SLLQ, l, S1, (S1, 32))?;
                self.regs(MULUDQ, l, S2, a, b)?;
                d = self.target(i, upper)?;
                self.regs(ADDQ, l, d, S1, S2)?;
            }
            row => return self.conversion(i, row, (upper, l), element),
        }
        Ok(d)
    }

    /// As `lane_by_lane`: conversions that AVX2 lacks, and functions of the bits of three.
    fn conversion(
        &mut self,
        i: &Instruction,
        row: Row,
        (upper, l): (usize, Length),
        element: usize,
    ) -> Result<Phys, Refusal> {
        let here = (upper, element);
        let d;
        match row {
            Row::FromUnsigned => {
                let a = self.source_reg(i, 1, here, l)?;
                let (low, scale) = (self.dwords(0xffff), self.dwords(65_536f32.to_bits()));
                self.number(SRLD, l, S1, (a, 16))?;
                self.two(CVTDQ2PS, l, S1, Src::Reg(S1))?;
                self.three(AND, l, S0, (a, low))?;
                self.two(CVTDQ2PS, l, S0, Src::Reg(S0))?;
                // Both parts are exact: their sum is rounded once.
                self.three(FMADD231PS, l, S0, (S1, scale))?;
                d = self.target(i, upper)?;
                self.copy(d, S0)?;
            }
            Row::ToUnsigned => {
                // Numbers of 2^31 and more are converted less 2^31; from 2^32 on all bits are set.
                const NOT_LESS: u32 = 0x1d;
                let a = self.source_reg(i, 1, here, l)?;
                let (half, all) = (2_147_483_648f32, 4_294_967_296f32);
                let (half, all) = (self.dwords(half.to_bits()), self.dwords(all.to_bits()));
                self.three(SUBPS, l, S1, (a, half))?;
                self.two(CVTTPS2DQ, l, S1, Src::Reg(S1))?;
                let operands = [
                    reg(l, S2),
                    reg(l, a),
                    all.operand(l),
                    Operand::Number(NOT_LESS),
                ];
                self.emit(CMPPS[l as usize], &operands)?;
                self.two(CVTTPS2DQ, l, S0, Src::Reg(a))?;
                self.regs(OR, l, S2, S2, S0)?;
                self.number(SRAD, l, S0, (S0, 31))?;
                self.regs(AND, l, S1, S1, S0)?;
                d = self.target(i, upper)?;
                self.regs(OR, l, d, S1, S2)?;
            }
            Row::FromQuads(code, _) => {
                let a = self.source_reg(i, 1, here, l)?;
                self.quads_to_floats(code, (a, S0), 8, 4)?;
                d = self.target(i, upper)?;
                self.copy(d, S0)?;
            }
            Row::Ternary => {
                self.ternary(i, (upper, l), element)?;
                d = self.target(i, upper)?;
                self.copy(d, S0)?;
            }
            _ => return Err(Refusal::NoForm(i.code())),
        }
        Ok(d)
    }

    /// A function of the bits of the three operands, in the first scratch register.
    fn ternary(
        &mut self,
        i: &Instruction,
        (upper, l): (usize, Length),
        element: usize,
    ) -> Legalized {
        let function = i.immediate8();
        let mut operands = [S0; 3];
        for n in 0..2 {
            if depends(function, n) {
                operands[n as usize] = self.vector(i, n, upper)?;
            }
        }
        if depends(function, 2) {
            operands[2] = self.source_reg(i, 2, (upper, element), l)?;
        }
        let [a, b, c] = operands;
        let (with, without) = (function >> 4, function & 15);
        self.of_two(with, l, S0, (b, c))?;
        if with == without {
            return Ok(());
        }
        self.of_two(without, l, S1, (b, c))?;
        self.regs(AND, l, S0, S0, a)?;
        self.regs(ANDN, l, S1, a, S1)?;
        self.regs(OR, l, S0, S0, S1)
    }

    /// A function of the bits of two: its bits say the result of 00, 01, 10 and 11.
    fn of_two(&mut self, function: u8, l: Length, d: Phys, (b, c): (Phys, Phys)) -> Legalized {
        // A function or its inverse has no result for 00.
        let inverse = function & 1 != 0;
        match if inverse { !function & 15 } else { function } {
            0 => self.zero(d)?,
            2 => self.regs(ANDN, l, d, b, c)?,
            4 => self.regs(ANDN, l, d, c, b)?,
            6 => self.regs(XOR, l, d, b, c)?,
            8 => self.regs(AND, l, d, b, c)?,
            10 => self.two(MOVDQU, l, d, Src::Reg(c))?,
            12 => self.two(MOVDQU, l, d, Src::Reg(b))?,
            _ => self.regs(OR, l, d, b, c)?,
        }
        match inverse {
            true => {
                let ones = self.all_ones();
                self.three(XOR, l, d, (d, ones))
            }
            false => Ok(()),
        }
    }

    /// The first scratch register to all halves of a destination.
    fn fill_halves(&mut self, i: &Instruction, l: Length, element: usize) -> Legalized {
        for (upper, l) in halves(l) {
            if i.op_mask() == Register::None {
                let d = self.write(half(i.op_register(0), upper))?;
                self.two(MOVDQU, l, d, Src::Reg(S0))?;
            } else {
                self.choose(i, (upper, l), S0, element)?;
            }
        }
        if l != Length::Z {
            self.clear(half(i.op_register(0), 1));
        }
        Ok(())
    }

    fn compare(&mut self, i: &Instruction, form: Form) -> Legalized {
        let (l, element) = (form.length, form.element);
        let Some(d) = mask_number(i.op_register(0)) else {
            return Ok(());
        };
        let mask = mask_number(i.op_mask());
        let mut results = [None; 2];
        for (upper, l) in halves(l) {
            let r = [S0, S1][upper];
            let a = self.vector(i, 1, upper)?;
            let here = (upper, element);
            // Conditions beyond the third are inverses.
            let inverse = match form.row {
                Row::CompareFloats(codes) => {
                    let b = self.source(i, 2, here)?;
                    let number = Operand::Number(i.immediate8().into());
                    self.emit(
                        codes[l as usize],
                        &[reg(l, r), reg(l, a), b.operand(l), number],
                    )?;
                    false
                }
                Row::Test(equal, any) => {
                    let b = self.source(i, 2, here)?;
                    self.three(AND, l, r, (a, b))?;
                    self.zero(S2)?;
                    self.regs(equal, l, r, r, S2)?;
                    any
                }
                Row::Compare(equal, greater) => {
                    let b = self.source_reg(i, 2, here, l)?;
                    self.ordered((equal, greater), l, r, (a, b), i.immediate8())?
                }
                Row::CompareUnsigned(equal, greater, sign) => {
                    let b = self.source_reg(i, 2, here, l)?;
                    let sign = self.quads(sign);
                    self.three(XOR, l, S2, (a, sign))?;
                    self.three(XOR, l, S4, (b, sign))?;
                    self.ordered((equal, greater), l, r, (S2, S4), i.immediate8())?
                }
                _ => return Err(Refusal::NoForm(i.code())),
            };
            match (mask, inverse) {
                (None, false) => {}
                (None, true) => {
                    let ones = self.all_ones();
                    self.three(XOR, l, r, (r, ones))?;
                }
                (Some(k), _) => {
                    let lanes = self.lanes_of(k, element, upper)?;
                    let codes = if inverse { ANDN } else { AND };
                    self.regs(codes, l, r, r, lanes)?;
                }
            }
            results[upper] = Some(r);
        }
        self.set_lanes(d, element);
        for (upper, result) in results.into_iter().enumerate() {
            let value = mask_lanes(d, element, upper);
            match result {
                None => self.clear(value),
                Some(r) => {
                    let to = self.write(value)?;
                    self.copy(to, r)?;
                }
            }
        }
        Ok(())
    }

    /// A comparison of integers by its number; true if the result is the inverse.
    fn ordered(
        &mut self,
        (equal, greater): (Pair, Pair),
        l: Length,
        r: Phys,
        (a, b): (Phys, Phys),
        number: u8,
    ) -> Result<bool, Refusal> {
        match number & 3 {
            0 => self.regs(equal, l, r, a, b)?,
            1 => self.regs(greater, l, r, b, a)?,
            2 => self.regs(greater, l, r, a, b)?,
            _ => {
                self.zero(r)?;
            }
        }
        // Less or equal is the inverse of greater, and the other way round.
        Ok((number & 4 != 0) != (number & 3 == 2))
    }

    /// A store of a vector, or of its elements in a mask.
    fn store_vector(&mut self, i: &Instruction, l: Length, element: usize) -> Legalized {
        let k = mask_number(i.op_mask());
        let to = memory(i, i.memory_index());
        if k.is_some() && element < 4 {
            let from = self.vector(i, 1, 0)?;
            self.copy(S0, from)?;
            return self.store_elements(i, (16 << l as usize) / element, element);
        }
        for (upper, l) in halves(l) {
            let from = reg(l, self.vector(i, 1, upper)?);
            let to = Operand::Mem(farther(to, upper * 32));
            let Some(k) = k else {
                self.emit(STOREU[l as usize], &[to, from])?;
                continue;
            };
            let lanes = reg(l, self.lanes_of(k, element, upper)?);
            let code = match (element, l) {
                (8, Length::X) => Code::VEX_Vpmaskmovq_m128_xmm_xmm,
                (8, _) => Code::VEX_Vpmaskmovq_m256_ymm_ymm,
                (_, Length::X) => Code::VEX_Vpmaskmovd_m128_xmm_xmm,
                _ => Code::VEX_Vpmaskmovd_m256_ymm_ymm,
            };
            self.emit(code, &[to, lanes, from])?;
        }
        Ok(())
    }

    /// Stores elements of the first scratch register one by one, as far as they are in the mask.
    fn store_elements(&mut self, i: &Instruction, lanes: usize, element: usize) -> Legalized {
        self.store(Self::temp(1, 0), S0)?;
        let to = Operand::Mem(memory(i, i.memory_index()));
        self.emit(Code::Lea_r64_m, &[general(Register::R11), to])?;
        let to = MemoryOperand::with_base_index_scale(Register::R11, Register::R9, element as u32);
        let from = indexed(Self::temp(1, 0), element);
        let (load, store, via) = match element {
            1 => (Code::Movzx_r32_rm8, Code::Mov_rm8_r8, Register::R10L),
            _ => (Code::Movzx_r32_rm16, Code::Mov_rm16_r16, Register::R10W),
        };
        self.for_lanes(i, lanes, |e| {
            e.emit(load, &[general(Register::R10D), Operand::Mem(from)])?;
            e.emit(store, &[Operand::Mem(to), general(via)])
        })
    }

    /// Repeats code for each lane of the mask, the lowest first, with its number in `r9`.
    fn for_lanes(
        &mut self,
        i: &Instruction,
        lanes: usize,
        body: impl FnOnce(&mut Self) -> Legalized,
    ) -> Legalized {
        let all = ((1u64 << lanes) - 1) as u32;
        let (lanes_left, number) = (general(Register::R8D), general(Register::R9D));
        match mask_number(i.op_mask()) {
            None => self.emit(Code::Mov_r32_imm32, &[lanes_left, Operand::Number(all)])?,
            Some(k) => {
                self.need_bits(k)?;
                let bits = Operand::Mem(Self::bits_slot(k, 0));
                self.emit(Code::Mov_r32_rm32, &[lanes_left, bits])?;
            }
        }
        let (next, end) = (self.new_label(), self.new_label());
        self.emit(Code::And_rm32_imm32, &[lanes_left, Operand::Number(all)])?;
        self.put(Instruction::with_branch(Code::Je_rel32_64, end)?)?;
        self.place(next)?;
        self.emit(Code::Tzcnt_r32_rm32, &[number, lanes_left])?;
        body(self)?;
        self.emit(Code::VEX_Blsr_r32_rm32, &[lanes_left, lanes_left])?;
        self.put(Instruction::with_branch(Code::Jne_rel32_64, next)?)?;
        self.place(end)
    }

    fn scatter(&mut self, i: &Instruction, l: Length, element: usize) -> Legalized {
        for (upper, _) in halves(l) {
            let data = self.vector(i, 1, upper)?;
            self.store(Self::temp(1, upper * 32), data)?;
            if element == 4 || upper == 0 {
                let index = self.read(half(i.memory_index(), upper))?;
                self.store(Self::temp(0, upper * 32), index)?;
            }
        }
        let distance = indexed(Self::temp(0, 0), 4);
        let from = indexed(Self::temp(1, 0), element);
        let to = memory(i, Register::R10);
        let (load, store, via) = match element {
            4 => (Code::Mov_r32_rm32, Code::Mov_rm32_r32, Register::R11D),
            _ => (Code::Mov_r64_rm64, Code::Mov_rm64_r64, Register::R11),
        };
        self.for_lanes(i, (16 << l as usize) / element, |e| {
            e.emit(
                Code::Movsxd_r64_rm32,
                &[general(Register::R10), Operand::Mem(distance)],
            )?;
            e.emit(load, &[general(via), Operand::Mem(from)])?;
            e.emit(store, &[Operand::Mem(to), general(via)])
        })?;
        self.empty_mask(i.op_mask())
    }

    /// A mask without lanes.
    fn empty_mask(&mut self, k: Register) -> Legalized {
        let Some(k) = mask_number(k) else {
            return Ok(());
        };
        self.set_lanes(k, 4);
        self.set_lanes(k, 8);
        for size in [4, 8] {
            for upper in 0..2 {
                self.clear(mask_lanes(k, size, upper));
            }
        }
        Ok(())
    }

    fn gather(&mut self, i: &Instruction, codes: Pair, (l, element): (Length, usize)) -> Legalized {
        let Some(k) = mask_number(i.op_mask()) else {
            return Ok(());
        };
        let index = i.memory_index();
        for (upper, l) in halves(l) {
            let lanes = self.lanes_of(k, element, upper)?;
            self.copy(S1, lanes)?;
            let old = self.vector(i, 0, upper)?;
            self.copy(S2, old)?;
            let (from, at) = match (element, upper) {
                (4, _) => (self.read(half(index, upper))?, l),
                (_, 0) => (self.read(half(index, 0))?, Length::X),
                _ => {
                    let whole = self.read(half(index, 0))?;
                    self.upper_part(S0, whole)?;
                    (S0, Length::X)
                }
            };
            let from = memory(i, at.register(from));
            self.emit(
                codes[l as usize],
                &[reg(l, S2), Operand::Mem(from), reg(l, S1)],
            )?;
            let d = self.write(half(i.op_register(0), upper))?;
            self.copy(d, S2)?;
        }
        self.empty_mask(i.op_mask())
    }

    /// A vector whose elements become shorter, in the first scratch register.
    fn narrow(&mut self, i: &Instruction, form: Form) -> Legalized {
        let (x, y) = (Length::X, Length::Y);
        let l = form.length;
        let low = self.vector(i, 1, 0)?;
        let high = match l {
            Length::Z => Some(self.vector(i, 1, 1)?),
            _ => None,
        };
        let shuffle = pair!(
            VEX_Vshufps_xmm_xmm_xmmm128_imm8,
            VEX_Vshufps_ymm_ymm_ymmm256_imm8
        );
        let packw = pair!(VEX_Vpackusdw_xmm_xmm_xmmm128, VEX_Vpackusdw_ymm_ymm_ymmm256);
        let packb = pair!(VEX_Vpackuswb_xmm_xmm_xmmm128, VEX_Vpackuswb_ymm_ymm_ymmm256);
        // The lower eight bytes alone.
        let lower =
            |e: &mut Self, r: Phys| e.emit(Code::VEX_Vmovq_xmm_xmmm64, &[reg(x, r), reg(x, r)]);
        match form.row {
            Row::NarrowQuads => {
                let even = |e: &mut Self, l: Length, a: Phys, b: Phys| {
                    let operands = [reg(l, S0), reg(l, a), reg(l, b), Operand::Number(0x88)];
                    e.emit(shuffle[l as usize], &operands)
                };
                match (l, high) {
                    (Length::Z, Some(high)) => {
                        even(self, y, low, high)?;
                        self.reorder(S0, S0)
                    }
                    (Length::Y, _) => {
                        self.upper_part(S1, low)?;
                        even(self, x, low, S1)
                    }
                    _ => {
                        even(self, x, low, low)?;
                        lower(self, S0)
                    }
                }
            }
            Row::NarrowDwords(size) => {
                let kept = self.dwords(if size == 1 { 0xff } else { 0xffff });
                self.three(AND, y, S0, (low, kept))?;
                match (l, high) {
                    (Length::Z, Some(high)) => {
                        self.three(AND, y, S1, (high, kept))?;
                        self.regs(packw, y, S0, S0, S1)?;
                        self.reorder(S0, S0)?;
                        if size == 1 {
                            self.upper_part(S1, S0)?;
                            self.regs(packb, x, S0, S0, S1)?;
                        }
                        return Ok(());
                    }
                    (Length::Y, _) => {
                        self.upper_part(S1, S0)?;
                        self.regs(packw, x, S0, S0, S1)?;
                    }
                    _ => {
                        self.regs(packw, x, S0, S0, S0)?;
                        lower(self, S0)?;
                    }
                }
                if size == 1 {
                    self.zero(S1)?;
                    self.regs(packb, x, S0, S0, S1)?;
                }
                Ok(())
            }
            Row::NarrowDoubles => {
                let code = Code::VEX_Vcvtpd2ps_xmm_ymmm256;
                match (l, high) {
                    (Length::X, _) => {
                        self.emit(Code::VEX_Vcvtpd2ps_xmm_xmmm128, &[reg(x, S0), reg(x, low)])
                    }
                    (_, None) => self.emit(code, &[reg(x, S0), reg(y, low)]),
                    (_, Some(high)) => {
                        self.emit(code, &[reg(x, S0), reg(y, low)])?;
                        self.emit(code, &[reg(x, S1), reg(y, high)])?;
                        self.join_parts(S0, S0, S1)
                    }
                }
            }
            Row::FromQuads(code, size) => {
                let lanes = if l == Length::X { 2 } else { 4 };
                self.quads_to_floats(code, (low, S0), size, lanes)?;
                match high {
                    None => Ok(()),
                    Some(high) => {
                        self.quads_to_floats(code, (high, S1), size, lanes)?;
                        self.join_parts(S0, S0, S1)
                    }
                }
            }
            _ => Err(Refusal::NoForm(i.code())),
        }
    }

    /// Quadwords of a register as floats of a size, one by one.
    fn quads_to_floats(
        &mut self,
        code: Code,
        (from, to): (Phys, Phys),
        size: usize,
        lanes: usize,
    ) -> Legalized {
        let store = match size {
            4 => Code::VEX_Vmovss_m32_xmm,
            _ => Code::VEX_Vmovsd_m64_xmm,
        };
        self.store(Self::temp(0, 0), from)?;
        self.zero(S2)?;
        self.store(Self::temp(1, 0), S2)?;
        for lane in 0..lanes {
            let quad = Operand::Mem(Self::temp(0, lane * 8));
            let r = reg(Length::X, S2);
            self.emit(code, &[r, r, quad])?;
            let result = Operand::Mem(Self::temp(1, lane * size));
            self.emit(store, &[result, r])?;
        }
        self.load(to, Self::temp(1, 0))
    }

    fn widen(&mut self, i: &Instruction, form: Form) -> Legalized {
        let (codes, ratio) = match form.row {
            Row::Widen(codes, ratio) => (codes, ratio),
            _ => (MOVZXDQ, 2),
        };
        let (x, element) = (Length::X, form.element);
        let masked = i.op_mask() != Register::None;
        if i.op_kind(1) == OpKind::Memory && masked {
            return self.widen_guarded(i, form.length, element / ratio);
        }
        let low = match i.op_kind(1) {
            OpKind::Register => {
                let from = self.vector(i, 1, 0)?;
                if form.length == Length::Z {
                    match ratio {
                        2 => self.upper_part(S1, from)?,
                        _ => self.number(
                            pair!(VEX_Vpsrldq_xmm_xmm_imm8, VEX_Vpsrldq_ymm_ymm_imm8),
                            x,
                            S1,
                            (from, 8),
                        )?,
                    }
                }
                reg(x, from)
            }
            _ => Operand::Mem(memory(i, i.memory_index())),
        };
        for (upper, l) in halves(form.length) {
            let from = match (upper, low) {
                (0, _) => low,
                (_, Operand::Mem(m)) => Operand::Mem(farther(m, 32 / ratio)),
                _ => reg(x, S1),
            };
            let d = self.target(i, upper)?;
            self.emit(codes[l as usize], &[reg(l, d), from])?;
            if let Row::WidenUnsigned = form.row {
                // The mantissa of 2^52 is the number.
                let offset = self.quads(0x4330_0000_0000_0000);
                self.three(OR, l, d, (d, offset))?;
                self.three(SUBPD, l, d, (d, offset))?;
            }
            self.choose(i, (upper, l), d, element)?;
        }
        Ok(())
    }

    /// Bytes or words of memory to dwords. Memory of lanes that are off may not be there; three bytes after each of the
    /// others are.
    fn widen_guarded(&mut self, i: &Instruction, l: Length, size: usize) -> Legalized {
        let from = Operand::Mem(memory(i, i.memory_index()));
        let k = mask_number(i.op_mask()).unwrap_or(0);
        self.emit(Code::Lea_r64_m, &[general(Register::R11), from])?;
        let bits = self.dwords((1 << (size * 8)) - 1);
        for (upper, l) in halves(l) {
            let series = self.asm.vector(std::array::from_fn(|n| (n * size) as u32));
            self.two(MOVDQU, l, S2, Src::Mem(farther(series, upper * 32)))?;
            let lanes = self.lanes_of(k, 4, upper)?;
            self.copy(S1, lanes)?;
            self.zero(S0)?;
            let code = match l {
                Length::X => Code::VEX_Vpgatherdd_xmm_vm32x_xmm,
                _ => Code::VEX_Vpgatherdd_ymm_vm32y_ymm,
            };
            let from = MemoryOperand::with_base_index(Register::R11, l.register(S2));
            self.emit(code, &[reg(l, S0), Operand::Mem(from), reg(l, S1)])?;
            self.three(AND, l, S0, (S0, bits))?;
            self.choose(i, (upper, l), S0, 4)?;
        }
        Ok(())
    }

    /// Dwords or words of one or two vectors, by their numbers.
    fn permute(&mut self, i: &Instruction, form: Form) -> Legalized {
        let l = form.length;
        let two = matches!(form.row, Row::Permute2 | Row::PermuteWords2);
        let words = matches!(form.row, Row::PermuteWords | Row::PermuteWords2);
        let (index, tables) = match two {
            true => (i.op_register(0), vec![i.op_register(1), i.op_register(2)]),
            false => (i.op_register(1), vec![i.op_register(2)]),
        };
        let count = if l == Length::Z { 2 } else { 1 };
        let mut sources = Vec::new();
        for table in tables {
            for upper in 0..count {
                sources.push(self.read(half(table, upper))?);
            }
        }
        for upper in 0..count {
            // Results wait in the frame: the destination may be a source of the other half, too.
            let numbers = self.read(half(index, upper))?;
            if words {
                // The word of an odd number is the upper one of its dword.
                self.number(SRLD, Length::Y, S0, (numbers, 17))?;
                self.by_numbers(&sources, S0, S3)?;
                self.number(SRLD, Length::Y, S0, (numbers, 16))?;
                self.upper_words(S3, S0)?;
                self.number(SLLD, Length::Y, S3, (S3, 16))?;
                self.store(Self::temp(0, 0), S3)?;
                let low = self.dwords(0xffff);
                self.three(AND, Length::Y, S0, (numbers, low))?;
                self.number(SRLD, Length::Y, S0, (S0, 1))?;
                self.by_numbers(&sources, S0, S3)?;
                self.upper_words(S3, numbers)?;
                self.three(AND, Length::Y, S3, (S3, low))?;
                self.three(OR, Length::Y, S3, (S3, Src::Mem(Self::temp(0, 0))))?;
            } else {
                self.by_numbers(&sources, numbers, S3)?;
            }
            self.store(Self::temp(1, upper * 32), S3)?;
        }
        for upper in 0..count {
            let d = self.write(half(i.op_register(0), upper))?;
            self.load(d, Self::temp(1, upper * 32))?;
        }
        Ok(())
    }

    /// Shifts dwords right by 16 where a number is odd.
    fn upper_words(&mut self, d: Phys, numbers: Phys) -> Legalized {
        self.number(SLLD, Length::Y, S0, (numbers, 31))?;
        self.number(SRLD, Length::Y, S0, (S0, 27))?;
        self.regs(SRLVD, Length::Y, d, d, S0)
    }

    /// Dwords of registers by their numbers.
    fn by_numbers(&mut self, sources: &[Phys], numbers: Phys, d: Phys) -> Legalized {
        let y = Length::Y;
        let permute = [Code::VEX_Vpermd_ymm_ymm_ymmm256; 2];
        // The sign of a lane that is shifted left by 28 is the fourth bit of its number.
        let pair = |e: &mut Self, to: Phys, pair: &[Phys]| -> Legalized {
            e.regs(permute, y, to, numbers, pair[0])?;
            let Some(&high) = pair.get(1) else {
                return Ok(());
            };
            e.regs(permute, y, S2, numbers, high)?;
            e.number(SLLD, y, S4, (numbers, 28))?;
            let operands = [reg(y, to), reg(y, to), reg(y, S2), reg(y, S4)];
            e.emit(Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm, &operands)
        };
        pair(self, d, &sources[..sources.len().min(2)])?;
        if sources.len() > 2 {
            pair(self, S1, &sources[2..])?;
            self.number(SLLD, y, S4, (numbers, 27))?;
            let operands = [reg(y, d), reg(y, d), reg(y, S1), reg(y, S4)];
            self.emit(Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm, &operands)?;
        }
        Ok(())
    }

    /// An instruction on mask registers.
    pub fn expand_mask(&mut self, i: &Instruction) -> Legalized {
        let mask = |n: u32| match i.op_kind(n) {
            OpKind::Register => mask_number(i.op_register(n)).unwrap_or(0),
            _ => 0,
        };
        let bits = |k: usize| Operand::Mem(Self::bits_slot(k, 0));
        let (r8, r8d) = (general(Register::R8), general(Register::R8D));
        match i.code() {
            Code::VEX_Kmovd_kr_r32 | Code::VEX_Kmovw_kr_r32 | Code::VEX_Kmovq_kr_r64 => {
                let from = i.op_register(1);
                match i.code() {
                    Code::VEX_Kmovq_kr_r64 => {
                        self.emit(Code::Mov_rm64_r64, &[bits(mask(0)), general(from)])?;
                    }
                    code => {
                        match code {
                            Code::VEX_Kmovw_kr_r32 => {
                                let number = from as u32 - Register::EAX as u32;
                                let word = general(Register::AX + number);
                                self.emit(Code::Movzx_r32_rm16, &[r8d, word])?;
                            }
                            _ => self.emit(Code::Mov_r32_rm32, &[r8d, general(from)])?,
                        }
                        self.emit(Code::Mov_rm64_r64, &[bits(mask(0)), r8])?;
                    }
                }
                self.set_bits(mask(0));
                Ok(())
            }
            Code::VEX_Kmovd_r32_kr | Code::VEX_Kmovw_r32_kr => {
                self.need_bits(mask(1))?;
                let code = match i.code() {
                    Code::VEX_Kmovd_r32_kr => Code::Mov_r32_rm32,
                    _ => Code::Movzx_r32_rm16,
                };
                self.emit(code, &[general(i.op_register(0)), bits(mask(1))])
            }
            Code::VEX_Kmovb_m8_kr | Code::VEX_Kmovw_m16_kr => {
                self.need_bits(mask(1))?;
                self.emit(Code::Mov_r32_rm32, &[r8d, bits(mask(1))])?;
                let to = Operand::Mem(memory(i, i.memory_index()));
                match i.code() {
                    Code::VEX_Kmovb_m8_kr => {
                        self.emit(Code::Mov_rm8_r8, &[to, general(Register::R8L)])
                    }
                    _ => self.emit(Code::Mov_rm16_r16, &[to, general(Register::R8W)]),
                }
            }
            Code::VEX_Kmovd_kr_km32 => self.copy_mask(mask(0), mask(1)),
            Code::VEX_Kortestw_kr_kr => self.test_masks(mask(0), mask(1)),
            Code::VEX_Kxorw_kr_kr_kr if mask(1) == mask(2) => self.empty_mask(i.op_register(0)),
            Code::VEX_Korw_kr_kr_kr | Code::VEX_Kandw_kr_kr_kr => {
                let (a, b) = (mask(1), mask(2));
                let (codes, general_code) = match i.code() {
                    Code::VEX_Korw_kr_kr_kr => (OR, Code::Or_r32_rm32),
                    _ => (AND, Code::And_r32_rm32),
                };
                for size in [4, 8] {
                    if self.has_lanes(a, size) && self.has_lanes(b, size) {
                        let mut results = [S0, S1];
                        for (upper, r) in results.iter_mut().enumerate() {
                            let a = self.read(mask_lanes(a, size, upper))?;
                            let b = self.read(mask_lanes(b, size, upper))?;
                            self.regs(codes, Length::Y, *r, a, b)?;
                        }
                        self.set_lanes(mask(0), size);
                        for (upper, r) in results.into_iter().enumerate() {
                            let d = self.write(mask_lanes(mask(0), size, upper))?;
                            self.copy(d, r)?;
                        }
                        return Ok(());
                    }
                }
                self.need_bits(a)?;
                self.need_bits(b)?;
                self.emit(Code::Movzx_r32_rm16, &[r8d, bits(a)])?;
                self.emit(general_code, &[r8d, bits(b)])?;
                self.emit(Code::Movzx_r32_rm16, &[r8d, general(Register::R8W)])?;
                self.emit(Code::Mov_rm64_r64, &[bits(mask(0)), r8])?;
                self.set_bits(mask(0));
                Ok(())
            }
            Code::VEX_Kshiftrw_kr_kr_imm8 => {
                self.need_bits(mask(1))?;
                self.emit(Code::Movzx_r32_rm16, &[r8d, bits(mask(1))])?;
                let by = Operand::Number(i.immediate8().into());
                self.emit(Code::Shr_rm32_imm8, &[r8d, by])?;
                self.emit(Code::Mov_rm64_r64, &[bits(mask(0)), r8])?;
                self.set_bits(mask(0));
                Ok(())
            }
            _ => Err(Refusal::NoForm(i.code())),
        }
    }

    fn copy_mask(&mut self, to: usize, from: usize) -> Legalized {
        if to == from {
            return Ok(());
        }
        self.need_bits(from)?;
        let r8 = general(Register::R8);
        self.emit(
            Code::Mov_r64_rm64,
            &[r8, Operand::Mem(Self::bits_slot(from, 0))],
        )?;
        self.emit(
            Code::Mov_rm64_r64,
            &[Operand::Mem(Self::bits_slot(to, 0)), r8],
        )?;
        self.set_bits(to);
        for (size, upper) in [(4, 0), (4, 1), (8, 0), (8, 1)] {
            if self.has_half(from, size, upper) {
                let a = self.read(mask_lanes(from, size, upper))?;
                let d = self.write(mask_lanes(to, size, upper))?;
                self.copy(d, a)?;
            }
        }
        Ok(())
    }

    /// The zero flag for a branch: set if neither of two masks has a lane.
    fn test_masks(&mut self, a: usize, b: usize) -> Legalized {
        for size in [4, 8] {
            if self.has_lanes(a, size) && self.has_lanes(b, size) {
                let y = Length::Y;
                let mut values: Vec<_> = [a, b]
                    .into_iter()
                    .flat_map(|k| (0..2).map(move |upper| mask_lanes(k, size, upper)))
                    .filter(|&value| !self.is_zero(value))
                    .collect();
                values.dedup();
                values.sort_unstable();
                values.dedup();
                let Some((&first, others)) = values.split_first() else {
                    break;
                };
                let mut all = self.read(first)?;
                for &value in others {
                    let next = self.read(value)?;
                    self.regs(OR, y, S0, all, next)?;
                    all = S0;
                }
                return self.emit(Code::VEX_Vptest_ymm_ymmm256, &[reg(y, all), reg(y, all)]);
            }
        }
        self.need_bits(a)?;
        self.need_bits(b)?;
        let word = general(Register::R8W);
        let bits = |k: usize| Operand::Mem(Self::bits_slot(k, 0));
        self.emit(Code::Mov_r16_rm16, &[word, bits(a)])?;
        self.emit(Code::Or_r16_rm16, &[word, bits(b)])
    }
}

/// An element of the frame by the number in `r9`.
fn indexed(first: MemoryOperand, element: usize) -> MemoryOperand {
    MemoryOperand::with_base_index_scale_displ_size(
        first.base,
        Register::R9,
        element as u32,
        first.displacement,
        1,
    )
}
