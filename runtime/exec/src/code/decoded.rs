//! Machine code, decoded once to instructions and resolved operations.
//!
//! Operations are numbered densely; instruction pointers and branches count in them. The list ends in operations that
//! stop with an error, for the end of the code and for branch targets where no instruction starts, so that every
//! index is valid.

use std::collections::BTreeMap;
use std::fmt;

use kiln_emit::encoding;
use kiln_emit::inst::{Inst, Op, Src, Target, Type};
use kiln_emit::platform::Platform;
use kiln_emit::verify::scoreboard::Facts;
use kiln_emit::zebin::Zebin;

use super::link::{BEFORE_ARGUMENTS, LinkError, leaves_room, link};
use super::operation::{Goto, Jump, Operation, Path};
use crate::state::cause::{Cause, Lost};
use crate::state::lanes::LANES;
use crate::state::memory::Segment;

/// A kernel's machine code.
#[derive(Debug)]
pub struct Decoded {
    platform: &'static Platform,
    ops: Vec<Operation>,
    /// The instruction of each operation; the last operations have none.
    insts: Vec<Inst>,
    /// Index of the operation at every eighth byte; [`NO_OPERATION`] in the middle of one.
    index: Vec<u32>,
    /// The data that the code refers to by address.
    data: Vec<Segment>,
    /// Size of the implicit arguments before a thread's arguments in memory, in bytes.
    before_arguments: u64,
}

/// Minimum number of channels that are on when a thread of explicit SIMD starts.
const MIN_CHANNELS: u32 = 16;
/// Alignment of instructions in bytes.
const UNIT: usize = 8;
/// The index that stands for no operation.
const NO_OPERATION: u32 = u32::MAX;

impl Decoded {
    /// Decodes the code of a kernel of an object file, linked to the object file's data.
    ///
    /// # Errors
    /// The object file has no such kernel, or a reference of it has no target.
    pub fn from_zebin(
        zebin: &Zebin,
        kernel: &str,
        platform: &'static Platform,
    ) -> Result<Decoded, LinkError> {
        let (text, data) = link(zebin, kernel)?;
        Ok(Decoded {
            data,
            before_arguments: match leaves_room(zebin) {
                true => BEFORE_ARGUMENTS,
                false => 0,
            },
            ..Decoded::from_text(&text, platform)
        })
    }

    /// Decodes the code of a kernel. What follows the last instruction (padding, data) need not
    /// decode: only executing it is an error.
    pub fn from_text(text: &[u8], platform: &'static Platform) -> Decoded {
        let mut insts = Vec::new();
        let mut at = 0;
        let mut stop = None;
        while at < text.len() {
            match encoding::decode(&text[at..], platform) {
                Ok(inst) => {
                    at += inst.size() as usize;
                    insts.push(inst);
                }
                Err(error) => {
                    stop = Some(Cause::Undecodable {
                        at: at as u32,
                        why: error.to_string(),
                    });
                    break;
                }
            }
        }
        let end = stop.unwrap_or(Cause::NoInstruction(at as u32));
        Decoded::resolved(insts, end, platform)
    }

    /// Code made of instructions, at the places that their encodings would have.
    pub fn from_insts(insts: Vec<Inst>, platform: &'static Platform) -> Decoded {
        let end = insts.iter().map(Inst::size).sum();
        Decoded::resolved(insts, Cause::NoInstruction(end), platform)
    }

    /// `end` is the error after the last instruction.
    fn resolved(mut insts: Vec<Inst>, end: Cause, platform: &'static Platform) -> Decoded {
        let mut ops = Vec::with_capacity(insts.len() + 1);
        let mut index = Vec::new();
        let mut at = 0;
        for inst in &mut insts {
            spread_vectors(inst);
            index.push(ops.len() as u32);
            index.resize(index.len() + inst.size() as usize / UNIT - 1, NO_OPERATION);
            ops.push(Operation::new(inst, at, platform));
            at += inst.size();
        }
        index.push(ops.len() as u32);
        ops.push(Operation::fault(at, end));
        let mut program = Decoded {
            platform,
            ops,
            insts,
            index,
            data: Vec::new(),
            before_arguments: 0,
        };
        program.resolve_jumps();
        program
    }

    /// Resolves branch targets, and marks operations where channels may wait: targets of branches and the operations
    /// after branches.
    fn resolve_jumps(&mut self) {
        let mut nowhere = BTreeMap::new();
        for number in 0..self.insts.len() {
            if self.ops[number].path != Path::Branch {
                continue;
            }
            let inst = &self.insts[number];
            let at = self.ops[number].at;
            let targets = [inst.jip, inst.uip].map(|target| match target {
                Some(Target::Offset(offset)) if inst.op == Op::Calla => Some(offset as u32),
                Some(Target::Offset(offset)) => Some(at.wrapping_add_signed(offset)),
                _ => None,
            });
            let dynamic = [inst.jip, inst.uip].map(|t| matches!(t, Some(Target::Reg)));
            let breaks = inst.op == Op::Break;
            let [jip, uip] = targets.map(|t| t.map(|at| self.target(at, &mut nowhere)));
            self.ops[number].lost = self.lost(number, jip, uip);
            let jump = |target: Option<u32>, dynamic: bool| match (target, dynamic) {
                (Some(index), _) => Jump::To(index),
                (None, true) => Jump::Dynamic,
                (None, false) => Jump::None,
            };
            // The update target of `break` is the loop's last instruction; a channel that leaves the loop continues
            // after it.
            let uip =
                uip.map(|end| end + u32::from(breaks && self.ops[end as usize].op == Op::While));
            for woken in [jip, uip, Some(number as u32 + 1)].into_iter().flatten() {
                self.ops[woken as usize].wakes = true;
            }
            let op = &mut self.ops[number];
            op.jip = jump(jip, dynamic[0]);
            op.uip = jump(uip, dynamic[1]);
        }
    }

    /// Finds branches whose waiting channels would be lost. They wait for the instruction pointer to reach a target,
    /// but the hardware activates them only at the instructions that end a block. The reference compiler's code has
    /// these there without exception (`docs/executor.md`).
    fn lost(&self, branch: usize, jip: Option<u32>, uip: Option<u32>) -> Option<Box<Lost>> {
        let op = &self.ops[branch];
        let (place, end, expected) = match (op.op, op.goto) {
            (Op::If, _) => (jip, Op::Endif, "endif, or else before it"),
            (Op::Else, _) => (uip.or(jip), Op::Endif, "endif"),
            (Op::Break | Op::Cont, _) => (uip, Op::While, "while"),
            (Op::Goto, Goto::Back) => (jip, Op::Join, "join"),
            (Op::Goto, _) => (uip, Op::Join, "join"),
            _ => return None,
        };
        let place = place? as usize;
        let op_at = |index: usize| self.insts.get(index).map(|inst| inst.op);
        // `else` activates the channels that wait after it.
        let after_else = || place.checked_sub(1).and_then(op_at) == Some(Op::Else);
        let found = op_at(place);
        if found == Some(end) || op.op == Op::If && after_else() {
            return None;
        }
        let at = self.ops[place].at;
        Some(Box::new(Lost {
            at,
            found,
            expected,
        }))
    }

    /// The operation at an offset. If there is none, one that stops with an error is added, and remembered in
    /// `nowhere`.
    fn target(&mut self, at: u32, nowhere: &mut BTreeMap<u32, u32>) -> u32 {
        if let Some(index) = self.find(at) {
            return index;
        }
        let ops = &mut self.ops;
        *nowhere.entry(at).or_insert_with(|| {
            ops.push(Operation::fault(at, Cause::NoInstruction(at)));
            ops.len() as u32 - 1
        })
    }

    /// The platform that the code is for.
    pub fn platform(&self) -> &'static Platform {
        self.platform
    }

    /// The index of the operation at an offset in bytes.
    pub fn find(&self, at: u32) -> Option<u32> {
        let found = match at as usize % UNIT {
            0 => self.index.get(at as usize / UNIT).copied(),
            _ => None,
        };
        found.filter(|&index| index != NO_OPERATION)
    }

    /// Number of channels that are on when a thread of explicit SIMD starts: those of the widest instruction that the
    /// channels' masks govern, 16 at least (`docs/executor.md`). Calls and returns may be wider than all else.
    pub fn channels(&self) -> u32 {
        let masked = self.insts.iter();
        let masked = masked.filter(|inst| !inst.no_mask && !matches!(inst.op, Op::Call | Op::Ret));
        let widest = masked.map(|inst| u32::from(inst.chan_off) + u32::from(inst.exec_size));
        widest.fold(MIN_CHANNELS, u32::max).min(LANES as u32)
    }

    /// Offset of the end of the last instruction.
    pub fn end(&self) -> u32 {
        self.ops.get(self.insts.len()).map_or(0, |op| op.at)
    }

    /// The operation of an index.
    #[inline]
    pub fn op(&self, index: u32) -> Option<&Operation> {
        self.ops.get(index as usize)
    }

    /// The operations, in order; the last ones have no instruction.
    pub fn ops(&self) -> &[Operation] {
        &self.ops
    }

    /// The instruction of an operation, if it has one.
    pub fn inst(&self, index: u32) -> Option<&Inst> {
        self.insts.get(index as usize)
    }

    /// The data that the code refers to by address, in the order of the addresses.
    pub fn data(&self) -> &[Segment] {
        &self.data
    }

    /// Size of the implicit arguments before a thread's arguments in memory, in bytes; 0 if the code does not access
    /// them.
    pub fn before_arguments(&self) -> u64 {
        self.before_arguments
    }

    /// The scoreboard's view of the code; none where the hardware detects hazards.
    pub fn scoreboard(&self) -> Option<Facts<'_>> {
        Facts::new(&self.insts, self.platform)
    }

    /// Instructions, in order.
    pub fn insts(&self) -> impl Iterator<Item = &Inst> {
        self.insts.iter()
    }
}

impl fmt::Display for Decoded {
    /// The operations, one a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, op) in self.ops.iter().enumerate() {
            writeln!(f, "#{index} {op}")?;
        }
        Ok(())
    }
}

/// Puts the elements of packed immediates in the order in which the channels take them. A channel
/// takes the element whose number is that of the word (of `vf`, the dword) its result starts at,
/// counted from the first channel's: all of them in order only if the destination's stride is a
/// word (PRM, "Numeric Data Types", packed vectors).
fn spread_vectors(inst: &mut Inst) {
    let Some(dst) = inst.dst else { return };
    let stride = u32::from(dst.hstride) * dst.ty.bytes();
    for src in &mut inst.srcs {
        let Src::Imm { ty, bits } = src else { continue };
        let (count, width, step) = match ty {
            Type::V | Type::Uv => (8, 4, stride / 2),
            Type::Vf => (4, 8, stride / 4),
            _ => continue,
        };
        let element = |i: u32| *bits >> (i % count * width) & ((1 << width) - 1);
        *bits = (0..count).fold(0, |spread, i| spread | element(i * step) << (i * width));
    }
}

#[cfg(test)]
mod tests {
    use kiln_emit::inst::{Dst, Reg};
    use kiln_emit::platform;

    use super::*;

    #[test]
    fn a_thread_of_explicit_simd_starts_with_the_channels_of_its_widest_instruction() {
        let skl = platform::find("skl").unwrap();
        let inst = |&(exec_size, chan_off, no_mask): &(u8, u8, bool)| Inst {
            chan_off,
            no_mask,
            ..Inst::new(Op::Mov, exec_size)
        };
        let channels = |insts: &[(u8, u8, bool)]| {
            Decoded::from_insts(insts.iter().map(inst).collect(), skl).channels()
        };
        let returns = vec![inst(&(8, 0, false)), Inst::new(Op::Ret, 32)];
        assert_eq!(Decoded::from_insts(returns, skl).channels(), 16);
        assert_eq!(channels(&[]), 16);
        assert_eq!(channels(&[(8, 0, false), (1, 0, false)]), 16);
        assert_eq!(channels(&[(16, 0, false), (32, 0, true)]), 16);
        assert_eq!(channels(&[(32, 0, false), (1, 0, false)]), 32);
        assert_eq!(channels(&[(16, 0, false), (16, 16, false)]), 32);
    }

    #[test]
    fn packed_immediates_go_by_the_destinations_words() {
        let spread = |ty, dst, hstride, bits| {
            let mut inst = Inst::new(Op::Mov, 8);
            inst.dst = Some(Dst::new(Reg::grf(4), hstride, dst));
            inst.srcs.push(Src::imm(ty, bits));
            spread_vectors(&mut inst);
            match inst.srcs[0] {
                Src::Imm { bits, .. } => bits,
                Src::Reg(_) => unreachable!("an immediate stays one"),
            }
        };
        assert_eq!(spread(Type::Uv, Type::Uw, 1, 0x7654_3210), 0x7654_3210);
        assert_eq!(spread(Type::Uv, Type::Ud, 1, 0x0808_0400), 0x8840_8840);
        assert_eq!(spread(Type::V, Type::W, 2, 0x7654_3210), 0x6420_6420);
        assert_eq!(spread(Type::Uv, Type::Uq, 1, 0x7654_3210), 0x4040_4040);
        assert_eq!(spread(Type::Vf, Type::F, 1, 0x4030_2010), 0x4030_2010);
        assert_eq!(spread(Type::Vf, Type::F, 2, 0x4030_2010), 0x3010_3010);
    }
}
