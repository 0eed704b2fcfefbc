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
use super::written::written;
use crate::state::cause::{Cause, Lost};
use crate::state::lanes::LANES;
use crate::state::memory::Segment;
use crate::state::thread::Written;

/// A kernel's machine code.
#[derive(Debug)]
pub struct Decoded {
    platform: &'static Platform,
    ops: Vec<Operation>,
    /// The instruction of each operation; the last operations have none.
    insts: Vec<Inst>,
    /// The parts of the code, each with the index of the operation at every eighth byte, [`NO_OPERATION`] in the middle of one.
    parts: Vec<(u32, Vec<u32>)>,
    /// Offset of the first part from the origin of absolute branches.
    origin: u32,
    /// The data that the code refers to by address.
    data: Vec<Segment>,
    /// Size of the implicit arguments before a thread's arguments in memory, in bytes.
    before_arguments: u64,
    /// State of a thread that it can change.
    written: Written,
}

/// A stretch of consecutive instructions.
struct Part {
    /// Distance from the start of the code.
    start: u32,
    insts: Vec<Inst>,
    /// The error after the last instruction.
    end: Cause,
}

/// The instructions of code that is at a distance from the start, and the error after the last one.
fn instructions(start: u32, text: &[u8], platform: &Platform) -> (Vec<Inst>, Cause) {
    let (mut insts, mut at) = (Vec::new(), 0);
    while at < text.len() {
        match encoding::decode(&text[at..], platform) {
            Ok(inst) => {
                at += inst.size() as usize;
                insts.push(inst);
            }
            Err(error) => {
                let at = start.wrapping_add(at as u32);
                let why = error.to_string();
                return (insts, Cause::Undecodable { at, why });
            }
        }
    }
    (insts, Cause::NoInstruction(start.wrapping_add(at as u32)))
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
        Decoded::from_parts(&[(0, text)], 0, platform)
    }

    /// As [`Decoded::from_text`], of code at several distances from its start, the first at 0. `origin` is the start's
    /// distance from the origin of absolute branches.
    pub fn from_parts(parts: &[(u32, &[u8])], origin: u32, platform: &'static Platform) -> Decoded {
        let decoded = parts.iter().map(|&(start, text)| {
            let (insts, end) = instructions(start, text, platform);
            Part { start, insts, end }
        });
        Decoded {
            origin,
            ..Decoded::resolved(decoded.collect(), platform)
        }
    }

    /// Code made of instructions, at the places that their encodings would have.
    pub fn from_insts(insts: Vec<Inst>, platform: &'static Platform) -> Decoded {
        let end = Cause::NoInstruction(insts.iter().map(Inst::size).sum());
        let start = 0;
        Decoded::resolved(vec![Part { start, insts, end }], platform)
    }

    fn resolved(parts: Vec<Part>, platform: &'static Platform) -> Decoded {
        let mut ops = Vec::new();
        let mut insts: Vec<Inst> = Vec::new();
        let starts: Vec<u32> = parts.iter().map(|part| part.start).collect();
        let mut indices = Vec::with_capacity(parts.len());
        for (number, part) in parts.into_iter().enumerate() {
            if number > 0 {
                // The operation of the end before it.
                insts.push(Inst::new(Op::Illegal, 1));
            }
            let mut index = Vec::new();
            let mut at = part.start;
            for mut inst in part.insts {
                spread_vectors(&mut inst);
                index.push(ops.len() as u32);
                index.resize(index.len() + inst.size() as usize / UNIT - 1, NO_OPERATION);
                ops.push(Operation::new(&inst, at, platform));
                at = at.wrapping_add(inst.size());
                insts.push(inst);
            }
            // The first operation of another part is found by its address.
            if !starts.contains(&at) {
                index.push(ops.len() as u32);
            }
            ops.push(Operation::fault(at, part.end));
            indices.push((part.start, index));
        }
        let mut program = Decoded {
            platform,
            written: written(&ops, platform.grf_bytes as usize),
            ops,
            insts,
            parts: indices,
            origin: 0,
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
                Some(Target::Offset(offset)) if inst.op == Op::Calla => {
                    Some(self.relative(offset as u32))
                }
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
        let of = |(start, index): &(u32, Vec<u32>)| {
            let inside = at.wrapping_sub(*start) as usize;
            match inside % UNIT {
                0 => index.get(inside / UNIT).copied(),
                _ => None,
            }
        };
        let found = self.parts.iter().find_map(of);
        found.filter(|&index| index != NO_OPERATION)
    }

    /// The offset of a place that is said from the origin of absolute branches.
    pub fn relative(&self, place: u32) -> u32 {
        place.wrapping_sub(self.origin)
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

    /// State of a thread that the code can change.
    pub fn written(&self) -> &Written {
        &self.written
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
    fn parts_of_code_are_found_by_their_places() {
        let lnl = platform::find("lnl").unwrap();
        let mut text = Vec::new();
        for _ in 0..2 {
            let ret = Inst::new(Op::Nop, 1);
            text.extend(encoding::encode(&ret, lnl).unwrap().as_bytes());
        }
        let size = text.len() as u32;
        // The second part is before the first, and the third one follows it.
        let parts = [
            (0, &*text),
            (0u32.wrapping_sub(2 * size), &*text),
            (0u32.wrapping_sub(size), &*text),
        ];
        let program = Decoded::from_parts(&parts, 0x1000, lnl);
        let of = |at: u32| program.op(program.find(at).unwrap()).unwrap().at;
        for (start, text) in parts {
            for at in (0..text.len() as u32).step_by(16) {
                assert_eq!(of(start.wrapping_add(at)), start.wrapping_add(at));
            }
        }
        let end = program.op(program.find(size).unwrap()).unwrap();
        assert!(matches!(end.path, Path::Fault(_)));
        assert_eq!(program.find(4), None);
        assert_eq!(program.relative(0x1010), 16);
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
