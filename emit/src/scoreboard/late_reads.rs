//! Payloads that messages read after their token says so: their last registers are read again before they are
//! overwritten.
//!
//! Takes annotated blocks. Each wait for a message's reads (`{$n.src}`, `sync.allrd`) becomes moves into null: one that
//! has the wait, and one of each of the last two registers that the message's class of functions had read by then.
//! `sync.nop {I@1}` waits for the moves. Functions read in order, class by class: those of loads and stores (LSC), and
//! all others. So the last two registers may be those of two messages, and a `sync.allrd` for the last message of a
//! class needs no moves for the earlier ones. A message overwrites nothing that its own class has yet to read: a lone
//! wait before one of the same class stays.
//!
//! Nothing is known at the beginning of a block that is a branch's target, or after a branch. Time is linear.
//!
//! Source: IGC, `visa/LocalScheduler/SWSB_G4IR.cpp`, `insertPVCWA`.

use std::mem::take;

use smallvec::SmallVec;

use super::place::sync;
use super::state::accesses_state;
use super::units::Units;
use crate::assemble::Program;
use crate::footprint;
use crate::inst::{Dst, Inst, Op, Pipe, Reg, Region, Src, Swsb, SyncFn, Target, TokenUse, Type};
use crate::messages::Function;
use crate::platform::Platform;

/// The value that the reference moves into null to wait; any does.
const MOVED: u64 = 0x30433;
const TOKENS: usize = 32;

/// The last registers that a class has read, oldest first.
type Last = SmallVec<[u16; 2]>;

/// A message whose token was not waited for.
#[derive(Clone, Debug)]
struct Held {
    class: usize,
    last: Last,
}

/// Registers that the messages of a block have read.
#[derive(Debug, Default)]
struct Reads {
    /// By class: 1 for loads and stores.
    last: [Last; 2],
    /// The token of the last message of each class.
    youngest: [Option<u8>; 2],
    held: [Option<Held>; TOKENS],
}

/// Reads payloads again after waits for them.
pub(super) fn read_again(program: &mut Program, platform: &Platform, units: Units) {
    let mut targets = vec![false; program.blocks.len()];
    for inst in program.blocks.iter().flatten() {
        for target in [inst.jip, inst.uip].into_iter().flatten() {
            if let Target::Block(block) | Target::Routine(block) = target
                && let Some(is_target) = targets.get_mut(block as usize)
            {
                *is_target = true;
            }
        }
    }
    let mut reads = Reads::default();
    for (block, is_target) in program.blocks.iter_mut().zip(targets) {
        if is_target {
            reads = Reads::default();
        }
        let mut old = take(block).into_iter().peekable();
        while let Some(inst) = old.next() {
            let leaves = inst.op.is_branch() || inst.msg.is_some_and(|message| message.eot);
            reads.step(inst, old.peek(), block, platform, units);
            if leaves {
                reads = Reads::default();
            }
        }
    }
}

impl Reads {
    /// Adds an instruction to a block, with the moves that it needs before it.
    fn step(
        &mut self,
        mut inst: Inst,
        next: Option<&Inst>,
        block: &mut Vec<Inst>,
        platform: &Platform,
        units: Units,
    ) {
        if inst.op.is_send() {
            self.send(&inst, platform);
        } else if let Some((TokenUse::Set, token)) = inst.swsb.token {
            self.held[usize::from(token)] = None;
        }
        let mut moves = Vec::new();
        if let Some((TokenUse::Src, token)) = inst.swsb.token
            && !inst.op.is_send()
            && !self.same_class(&inst, token, next)
            && self.fix(token, &mut moves)
        {
            inst.swsb.token = None;
        }
        if inst.op == Op::Sync(SyncFn::AllRd)
            && let Some(Src::Imm { bits, .. }) = inst.srcs.first()
        {
            let left = self.fix_all(*bits as u32, &mut moves);
            let function = match left {
                0 => SyncFn::Nop,
                _ => SyncFn::AllRd,
            };
            let swsb = inst.swsb;
            inst = sync(function, left);
            inst.swsb = swsb;
        }
        if moves.is_empty() {
            block.push(inst);
            return;
        }
        // A distance without a name needs the token beside it.
        if let (Some((Pipe::Own, age)), Some(own)) = (inst.swsb.dist, units.own(&inst)) {
            inst.swsb.dist = Some((units.name(own), age));
        }
        // After an access to the thread's state, the very next instruction waits for it.
        if block.last().is_some_and(accesses_state) {
            block.push(waiting(inst.swsb.dist.take()));
        }
        block.append(&mut moves);
        block.push(waiting(Some((Pipe::Int, 1))));
        if inst.op != Op::Sync(SyncFn::Nop) || inst.swsb != Swsb::default() {
            block.push(inst);
        }
    }

    fn send(&mut self, inst: &Inst, platform: &Platform) {
        let class = class_of(inst);
        let reads = footprint::of(inst, platform).reads;
        let last = &mut self.last[class];
        for register in reads.iter().flat_map(|read| read.registers()) {
            if last.len() == 2 {
                last.remove(0);
            }
            last.push(register);
        }
        if let Some((TokenUse::Set, token)) = inst.swsb.token {
            self.youngest[class] = Some(token);
            let last = last.clone();
            self.held[usize::from(token)] = Some(Held { class, last });
        }
    }

    /// True for a lone wait before a message of the class that it waits for.
    fn same_class(&self, inst: &Inst, token: u8, next: Option<&Inst>) -> bool {
        let held = self.held[usize::from(token)].as_ref();
        let next = next.filter(|next| next.op.is_send());
        inst.op == Op::Sync(SyncFn::Nop)
            && held
                .zip(next)
                .is_some_and(|(held, next)| held.class == class_of(next))
    }

    /// Adds the moves for a token; false if it needs none.
    fn fix(&mut self, token: u8, moves: &mut Vec<Inst>) -> bool {
        let Some(held) = self.held[usize::from(token)].take() else {
            return false;
        };
        let mut wait = into_null(Src::imm(Type::Ud, MOVED));
        wait.swsb.token = Some((TokenUse::Src, token));
        moves.push(wait);
        let mut last = held.last;
        last.dedup();
        let reg = |number: u16| Src::reg(Reg::grf(number.into()), Region::SCALAR, Type::Ud);
        moves.extend(last.into_iter().map(|number| into_null(reg(number))));
        true
    }

    /// Adds the moves for the tokens of a mask. Returns those that still need a wait.
    fn fix_all(&mut self, mut mask: u32, moves: &mut Vec<Inst>) -> u32 {
        for class in [1, 0] {
            let of_class =
                |held: &Option<Held>| held.as_ref().is_some_and(|held| held.class == class);
            let youngest = self.youngest[class].filter(|token| mask >> token & 1 != 0);
            let youngest = youngest.filter(|token| of_class(&self.held[usize::from(*token)]));
            if let Some(token) = youngest {
                self.fix(token, moves);
                mask &= !(1 << token);
                for held in self.held.iter_mut().filter(|held| of_class(held)) {
                    *held = None;
                }
            }
        }
        for token in 0..TOKENS as u8 {
            if mask >> token & 1 != 0 && self.fix(token, moves) {
                mask &= !(1 << token);
            }
        }
        mask
    }
}

/// The class of a message's function: 1 for loads and stores, 0 for others.
fn class_of(inst: &Inst) -> usize {
    use Function::{LocalMemory, Typed, Untyped, UntypedLow};
    let function = inst.msg.map(|message| Function::of(message.sfid));
    usize::from(matches!(
        function,
        Some(LocalMemory | Typed | Untyped | UntypedLow)
    ))
}

/// A move of one element into null, whatever the execution mask.
fn into_null(src: Src) -> Inst {
    let mut mov = Inst::new(Op::Mov, 1);
    mov.no_mask = true;
    mov.dst = Some(Dst::new(Reg::NULL, 1, Type::Ud));
    mov.srcs.push(src);
    mov
}

fn waiting(dist: Option<(Pipe, u8)>) -> Inst {
    let mut inst = sync(SyncFn::Nop, 0);
    inst.swsb.dist = dist;
    inst
}
