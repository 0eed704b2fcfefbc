//! Spills and fills where messages access memory by address.
//!
//! The analysis tracks a register with an address, the surface of scratch space, and saved words of the address
//! register; and the last dword of the address register with the surface, which is a value of its own.

use kiln_emit::inst::{Desc, Dst, Inst as Gen, Op, Place, Reg, RegFile, Src, Type};
use kiln_machine::inst::VReg;
use kiln_platform::abi::Stack;
use kiln_platform::platform::UNIT_GRFS;
use smallvec::SmallVec;

use super::state::Meeting;
use super::{Checker, Held, Part, Result, State};

/// Shared function of memory without types, and the fields of its descriptors (PRM, "LSC").
const UNTYPED: u8 = 15;
const LOAD: u32 = 0;
const STORE: u32 = 4;
const ADDRESS_32: u32 = 2;
const DWORDS: u32 = 2;
const TRANSPOSED: u32 = 1;
const BY_SURFACE_STATE: u32 = 2;
/// Numbers of elements by their codes.
const COUNTS: [u32; 8] = [1, 2, 3, 4, 8, 16, 32, 64];
/// Dwords of the register: the address, the surface, and what is kept.
const ADDRESS: u16 = Stack::ADDRESS as u16;
const SURFACE: u16 = Stack::SURFACE as u16;
const KEPT: u16 = Stack::KEPT as u16;
/// The dword of r0 with the surface, its bits, and the shift to the right that a descriptor needs.
const STATE: u16 = 20;
const STATE_MASK: u64 = 0xffff_fc00;
const STATE_SHIFT: u64 = 4;
/// The last words of the address register.
const LAST: u16 = 28;
const LAST_WORDS: [usize; 2] = [14, 15];
/// Address from which all registers of scratch space near its start are reached.
pub(super) const BASE: u32 = 0x10000;

/// A register for messages to scratch space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Register {
    pub(super) grf: u32,
    pub(super) address: Option<u32>,
    /// True if the surface is known.
    pub(super) surface: bool,
    pub(super) kept: [Held; 2],
}

impl Register {
    fn new(grf: u32) -> Register {
        Register {
            grf,
            address: None,
            surface: false,
            kept: Default::default(),
        }
    }

    /// The state that a kernel leaves to its subroutines.
    pub(super) fn ready(grf: u32) -> Register {
        Register {
            address: Some(BASE),
            surface: true,
            ..Register::new(grf)
        }
    }

    /// The state that a caller leaves to a function, and a function to its caller.
    pub(super) fn called(grf: u32) -> Register {
        Register {
            surface: true,
            ..Register::new(grf)
        }
    }

    /// The contents that a register has after either of two ways; none if they differ in the register itself.
    pub(super) fn meet(mut self, other: &Register, classes: &Meeting) -> Option<Register> {
        if self.grf != other.grf {
            return None;
        }
        self.address = self.address.filter(|_| self.address == other.address);
        self.surface &= other.surface;
        let words = self.kept.iter_mut().zip(&other.kept);
        words.for_each(|(mine, theirs)| classes.meet(mine, theirs));
        Some(self)
    }

    /// True if messages may be sent with it.
    pub(super) fn is_ready(&self) -> bool {
        self.address == Some(BASE) && self.surface
    }
}

fn direct(place: Place) -> Option<Reg> {
    match place {
        Place::Direct(reg) => Some(reg),
        Place::Indirect { .. } => None,
    }
}

fn immediate(src: Option<&Src>) -> Option<u64> {
    match src {
        Some(Src::Imm { bits, .. }) => Some(*bits),
        _ => None,
    }
}

/// A signed number of a given number of bits.
fn signed(value: u32, bits: u32) -> i32 {
    (value << (32 - bits)) as i32 >> (32 - bits)
}

impl Checker<'_> {
    /// The surface of scratch space as a value, in words of the address register.
    fn surface(&self) -> VReg {
        VReg::from_u32(self.func.regs.len() as u32 + self.func.target.grf_count + 1)
    }

    /// The register after a call: its address is unknown.
    pub(super) fn register_called(&self, grf: u32, state: &mut State) -> Result {
        let register = state.register.take().filter(|r| r.grf == grf && r.surface);
        if register.is_none() {
            return Err("a call without the surface of scratch space".into());
        }
        state.register = Some(Register::called(grf));
        Ok(())
    }

    /// Follows an added instruction that writes or uses such a register; `None` if it does neither.
    pub(super) fn by_address(&self, inst: &Gen, state: &mut State) -> Option<Result> {
        if let Some(message) = inst.msg {
            let names_surface = matches!(message.ex_desc, Desc::Addr { .. });
            return names_surface.then(|| self.scratch_by_address(inst, state));
        }
        let Dst { place, ty, .. } = inst.dst?;
        let to = direct(place)?;
        if inst.exec_size != 1 || ty != Type::Ud {
            return None;
        }
        let from = match inst.srcs.first()? {
            Src::Reg(r) if !r.modifier.neg && !r.modifier.abs && r.ty == Type::Ud => {
                direct(r.place)
            }
            _ => None,
        };
        let constant = immediate(inst.srcs.last());
        let last = Reg::new(RegFile::Addr, 0, LAST);
        if to == last {
            let from = from.filter(|from| from.file == RegFile::Grf)?;
            let register = state.register.clone().filter(|r| r.grf == from.num);
            let Some(register) = register else {
                return Some(Err("the last address comes from nowhere".into()));
            };
            let surface = self.surface();
            let words = match (inst.op, from.byte) {
                (Op::Shr, SURFACE) if register.surface && constant == Some(STATE_SHIFT) => {
                    [0, 1].map(|word| SmallVec::from_slice(&[(surface, Part::word(word))]))
                }
                (Op::Mov, KEPT) => register.kept,
                _ => return Some(Err("the last address is no surface".into())),
            };
            for (at, held) in LAST_WORDS.into_iter().zip(words) {
                *state.address.get_mut(at)? = held;
            }
            return Some(Ok(()));
        }
        if to.file != RegFile::Grf || self.holds_values(to.num) {
            return None;
        }
        let known = state.register.take().filter(|r| r.grf == to.num);
        let mut register = known.unwrap_or_else(|| Register::new(to.num));
        let of_header = from.is_some_and(|r| {
            r.file == RegFile::Grf && state.header.contains(&r.num) && r.byte == STATE
        });
        match (inst.op, to.byte) {
            (Op::Mov, ADDRESS) => register.address = constant.map(|bits| bits as u32),
            (Op::And, SURFACE) if of_header && constant == Some(STATE_MASK) => {
                register.surface = true;
            }
            (Op::Mov, KEPT) if from == Some(last) => {
                let words = LAST_WORDS.map(|at| state.address.get(at).cloned());
                register.kept = words.map(Option::unwrap_or_default);
            }
            _ => return Some(Err("a register for messages gets something unknown".into())),
        }
        state.header.remove(&to.num);
        state.register = Some(register);
        Some(Ok(()))
    }

    /// True for a register of a unit that may hold values of the function.
    fn holds_values(&self, grf: u32) -> bool {
        let of_header = |header: u32| header / UNIT_GRFS == grf / UNIT_GRFS;
        let headers = self.parts.headers.map(|headers| headers.header);
        let stack = self.func.abi.stack.as_ref().map(|stack| stack.messages);
        !(headers.into_iter().chain(self.header).chain(stack)).any(of_header)
    }

    fn scratch_by_address(&self, inst: &Gen, state: &mut State) -> Result {
        let fail = |what: &str| Err(format!("a spill or fill that {what}"));
        let msg = inst.msg.ok_or("a spill or fill without a message")?;
        let (Desc::Imm(desc), Desc::Addr { byte }) = (msg.desc, msg.ex_desc) else {
            return fail("has other descriptors");
        };
        let field = |low: u32, width: u32| desc >> low & ((1 << width) - 1);
        let write = field(0, 6) == STORE;
        let count = COUNTS[field(12, 3) as usize];
        let kind = (write || field(0, 6) == LOAD)
            && field(7, 2) == ADDRESS_32
            && field(9, 3) == DWORDS
            && field(15, 1) == TRANSPOSED
            && field(29, 2) == BY_SURFACE_STATE;
        let bytes = 4 * count;
        let grfs = bytes / self.grf_bytes;
        let sent = (field(25, 4), field(20, 5), u32::from(inst.send.src1_len));
        let lengths = if write { (1, 0, grfs) } else { (1, grfs, 0) };
        // A message to the stack may have several units.
        let called = self.func.entered.by_stack_call();
        let whole = bytes.is_multiple_of(self.grf_bytes) && (called || bytes <= self.unit_bytes);
        let right = msg.sfid == UNTYPED && !msg.eot && inst.exec_size == 1 && kind;
        if !right || !whole || sent != lengths {
            return fail("is none of a unit, nor of a part");
        }
        let surface = self.surface();
        let named = |at: usize, part: u8| {
            (state.address.get(at)).is_some_and(|held| held.contains(&(surface, Part::word(part))))
        };
        if u16::from(byte) != LAST || !named(LAST_WORDS[0], 0) || !named(LAST_WORDS[1], 1) {
            return fail("is to no surface");
        }
        let operand = |n: usize| match inst.srcs.get(n) {
            Some(Src::Reg(r)) => direct(r.place).filter(|r| r.file == RegFile::Grf),
            _ => None,
        };
        let register = state.register.as_ref();
        let register =
            register.filter(|r| operand(0).is_some_and(|from| from.num == r.grf && from.byte == 0));
        let address = match called {
            true => state.stack.and_then(|pointers| pointers.offset()),
            false => register.and_then(|r| r.address),
        };
        let Some(address) = address.filter(|_| register.is_some()) else {
            return fail("has no address");
        };
        let bits = inst.send.ex_offset;
        let offset = signed((bits >> 19) << 4 | bits >> 12 & 0xf, 17);
        let at = address.wrapping_add_signed(offset);
        if !at.is_multiple_of(self.grf_bytes) {
            return fail("is between registers");
        }
        let data = match write {
            true => operand(1),
            false => inst.dst.and_then(|dst| direct(dst.place)),
        };
        if called {
            let data = data.ok_or("a message to the stack without data")?;
            return self.in_frame((at, grfs), write, data, state);
        }
        let at = at / self.grf_bytes;
        let unit = self.unit(data.ok_or("a spill or fill of nothing")?, 0)?;
        if !write {
            let to = unit as u32 * self.unit_bytes;
            self.overwrite(state, to, self.unit_bytes);
            state.units[unit] = state.in_slot(at, grfs);
            return Ok(());
        }
        if self.own.is_some_and(|own| at + grfs > own.frame_end) {
            return fail("is beyond the subroutine's frame");
        }
        let mut held = self.held(state, unit)?.clone();
        held.retain(|(v, _)| u32::from(self.func.regs[*v].bytes) <= bytes);
        state.put(at, grfs, held);
        Ok(())
    }
}
