//! Checks that payloads which a platform reads late are read again before they are overwritten.
//!
//! Takes decoded code. On a platform with [`Erratum::SendReadsLate`] a token's wait for reads does not cover the last two
//! registers that the message's class of functions has read; only a read of them that is finished does. Functions read
//! in order, class by class: those of loads and stores (LSC), and all others.
//!
//! A wait for the reads of a message of the same stretch of code, between entries, branches and their targets, must be on a move
//! into null. Moves into null follow, among them one of each of these registers, and then a wait for the last integer
//! instruction. That covers earlier messages of the class too, if the message is its last: nothing of the class is read later
//! then, and a wait for a following message needs no second read of these registers. A `sync.nop` right before a message of the
//! same class needs nothing.
//!
//! Source: IGC, `visa/LocalScheduler/SWSB_G4IR.cpp`, `insertPVCWA`.

use std::collections::{BTreeMap, BTreeSet};

use kiln_platform::errata::Erratum;

use crate::footprint;
use crate::inst::{Inst, Op, Pipe, Place, RegFile, Src, SyncFn, Target, TokenUse};
use crate::messages::Function;
use crate::platform::Platform;

/// An instruction that relies on the token of a message that may read a register after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// Index of the message.
    pub message: usize,
    /// Index of the instruction that waits.
    pub waiting: usize,
    pub token: u8,
    pub register: u16,
}

impl std::fmt::Display for Finding {
    /// Does not print the instructions.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Finding {
            token, register, ..
        } = self;
        write!(
            f,
            "relies on {{${token}.src}}; a read of r{register} is missing"
        )
    }
}

struct Message {
    index: usize,
    lsc: bool,
    last: Vec<u16>,
}

/// Moves into null that a wait may have: three for each token.
const MAX_MOVES: usize = 3 * 32;

/// Every wait that does not cover what a message reads late. Empty on platforms without the erratum.
pub fn check_code(code: &[Inst], platform: &Platform) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !platform.needs(Erratum::SendReadsLate) {
        return findings;
    }
    let targets = targets(code);
    let mut read: BTreeMap<bool, Vec<u16>> = BTreeMap::new();
    let mut youngest: BTreeMap<bool, usize> = BTreeMap::new();
    let mut messages: BTreeMap<u8, Message> = BTreeMap::new();
    let mut offset = 0;
    for (index, inst) in code.iter().enumerate() {
        let after_branch = index
            .checked_sub(1)
            .is_some_and(|before| ends(&code[before]));
        if after_branch || targets.contains(&offset) {
            read.clear();
            youngest.clear();
            messages.clear();
        }
        offset += i64::from(inst.size());
        if let Some((TokenUse::Set, token)) = inst.swsb.token {
            messages.remove(&token);
        }
        if inst.op.is_send() {
            let lsc = is_lsc(inst);
            let last = read.entry(lsc).or_default();
            let reads = footprint::of(inst, platform).reads;
            last.extend(reads.iter().flat_map(|read| read.registers()));
            last.drain(..last.len().saturating_sub(2));
            if let Some((TokenUse::Set, token)) = inst.swsb.token {
                let last = last.clone();
                youngest.insert(lsc, index);
                messages.insert(token, Message { index, lsc, last });
            }
            continue;
        }
        for token in waits(inst) {
            let Some(message) = messages.get(&token) else {
                continue;
            };
            let next = code.get(index + 1);
            let same = next.is_some_and(|next| next.op.is_send() && is_lsc(next) == message.lsc);
            if inst.op == Op::Sync(SyncFn::Nop) && same {
                continue;
            }
            let again = read_again(&code[index..]);
            let lsc = message.lsc;
            let is_youngest = youngest.get(&lsc) == Some(&message.index);
            match message.last.iter().find(|last| !again.contains(last)) {
                Some(&register) => findings.push(Finding {
                    message: message.index,
                    waiting: index,
                    token,
                    register,
                }),
                None if is_youngest => read.entry(lsc).or_default().clear(),
                None => {}
            }
            if is_youngest {
                messages.retain(|_, other| other.lsc != lsc);
            }
            messages.remove(&token);
        }
    }
    findings
}

/// Registers of which one element each is moved into null, from the first instruction on, until a wait for these moves.
fn read_again(code: &[Inst]) -> Vec<u16> {
    let count = code
        .iter()
        .take(MAX_MOVES)
        .take_while(|inst| to_null(inst))
        .count();
    let waited = code.get(count).is_some_and(|inst| {
        inst.op == Op::Sync(SyncFn::Nop)
            && matches!(inst.swsb.dist, Some((Pipe::Int | Pipe::All, 1)))
    });
    let sources = code[..count].iter().flat_map(|inst| &inst.srcs);
    let registers = sources.filter_map(|src| match src {
        Src::Reg(src) => match src.place {
            Place::Direct(reg) if reg.file == RegFile::Grf => Some(reg.num as u16),
            _ => None,
        },
        Src::Imm { .. } => None,
    });
    registers.filter(|_| waited).collect()
}

fn to_null(inst: &Inst) -> bool {
    let null = |place| matches!(place, Place::Direct(reg) if reg.is_null());
    let executed = inst.no_mask && inst.pred.is_none();
    inst.op == Op::Mov && executed && inst.dst.is_some_and(|dst| null(dst.place))
}

/// Tokens whose messages' reads an instruction waits for.
fn waits(inst: &Inst) -> Vec<u8> {
    let mut mask = match (inst.op, inst.srcs.first()) {
        (Op::Sync(SyncFn::AllRd), Some(Src::Imm { bits, .. })) => *bits as u32,
        (Op::Sync(SyncFn::AllRd), _) => u32::MAX,
        _ => 0,
    };
    if let Some((TokenUse::Src, token)) = inst.swsb.token {
        mask |= 1u32.checked_shl(token.into()).unwrap_or(0);
    }
    (0..32).filter(|token| mask >> token & 1 != 0).collect()
}

/// True for the end of a stretch of code. A `nop` fills the code up to another entry.
fn ends(inst: &Inst) -> bool {
    inst.op == Op::Nop || inst.op.is_branch() || inst.msg.is_some_and(|message| message.eot)
}

fn is_lsc(inst: &Inst) -> bool {
    use Function::{LocalMemory, Typed, Untyped, UntypedLow};
    let function = inst.msg.map(|message| Function::of(message.sfid));
    matches!(function, Some(LocalMemory | Typed | Untyped | UntypedLow))
}

/// Offsets of branches' targets.
fn targets(code: &[Inst]) -> BTreeSet<i64> {
    let mut targets = BTreeSet::new();
    let mut offset = 0;
    for inst in code {
        for target in [inst.jip, inst.uip].into_iter().flatten() {
            match target {
                // The place of `calla` is no distance.
                Target::Offset(_) if inst.op == Op::Calla => {}
                Target::Offset(by) => {
                    targets.insert(offset + i64::from(by));
                }
                Target::Block(_) | Target::Routine(_) | Target::Reg => {}
            }
        }
        offset += i64::from(inst.size());
    }
    targets
}
