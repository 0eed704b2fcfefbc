//! Code by its address. It has no length: code is decoded from a kernel's first instruction as far as control flow goes.
//!
//! A call by address goes to functions elsewhere: those of other modules that the driver has linked, or of the same one after its
//! kernels. Their addresses are in the code as numbers of moves, which the driver's linker has filled in, so that each number at which
//! code with a return is bound is taken for one. Of the code found in that way, too, numbers are looked at.

use std::collections::HashMap;
use std::sync::Arc;

use kiln_emit::encoding;
use kiln_emit::inst::{Inst, Op, Src, Target};
use kiln_emit::platform::Platform;
use kiln_exec::Program;

use super::space::{Fault, Space};

/// Maximum size of a kernel's code in bytes.
const CODE_BYTES: u64 = 16 << 20;
/// Maximum size of a function, and maximum number of functions.
const FUNCTION_BYTES: u64 = 1 << 20;
const MOST_FUNCTIONS: usize = 1 << 10;
/// Alignment of functions in bytes.
const ALIGNMENT: u64 = 8;

/// Maximum number of programs that are kept.
const MOST_PROGRAMS: usize = 1 << 14;

/// A kernel's code, and then that of functions elsewhere, by their addresses.
type Parts = Vec<(u64, Vec<u8>)>;

/// Programs by the addresses of their first instructions.
#[derive(Default)]
pub struct Programs {
    known: HashMap<u64, (Parts, Arc<Program>)>,
}

impl Programs {
    /// The program at an address. It is decoded once, as long as its code stays the same. `base` is that of instructions.
    pub fn at(
        &mut self,
        space: &Space,
        (base, at): (u64, u64),
        platform: &'static Platform,
    ) -> Result<Arc<Program>, Fault> {
        let is_same = |(at, text): &(u64, Vec<u8>)| {
            let mut now = vec![0; text.len()];
            space.read(*at, &mut now).is_ok() && now == *text
        };
        if let Some((parts, program)) = self.known.get(&at)
            && parts.iter().all(is_same)
        {
            return Ok(program.clone());
        }
        let parts = parts(space, (base, at), platform)?;
        let texts = parts.iter().map(|(start, text)| {
            let distance = start.wrapping_sub(at) as u32;
            (distance, text.as_slice())
        });
        let texts: Vec<_> = texts.collect();
        let origin = at.wrapping_sub(base) as u32;
        let program = Arc::new(Program::from_parts(&texts, origin, platform));
        if self.known.len() == MOST_PROGRAMS {
            self.known.clear();
        }
        self.known.insert(at, (parts, program.clone()));
        Ok(program)
    }
}

/// The code at an address, and that of all functions elsewhere which it may call.
fn parts(space: &Space, (base, at): (u64, u64), platform: &Platform) -> Result<Parts, Fault> {
    let code = reachable(space, at, CODE_BYTES, platform)?;
    let mut parts = vec![(at, code.text)];
    if !code.calls {
        return Ok(parts);
    }
    let mut numbers = code.numbers;
    while let Some(number) = numbers.pop() {
        let function = base & !u64::from(u32::MAX) | u64::from(number);
        let inside =
            |(start, text): &(u64, Vec<u8>)| function.wrapping_sub(*start) < text.len() as u64;
        let is_new = function.is_multiple_of(ALIGNMENT) && !parts.iter().any(inside);
        if !is_new || parts.len() > MOST_FUNCTIONS {
            continue;
        }
        let found = reachable(space, function, FUNCTION_BYTES, platform);
        if let Ok(found) = found
            .map_err(drop)
            .and_then(|f| f.returns.then_some(f).ok_or(()))
        {
            numbers.extend(found.numbers);
            parts.push((function, found.text));
        }
    }
    Ok(parts)
}

/// Code from its start to the end of a thread, or a return, that no branch goes beyond.
struct Reachable {
    text: Vec<u8>,
    /// True if it ends with a return, and if it calls by address.
    returns: bool,
    calls: bool,
    /// Constants of 32 bits that moves load: halves of addresses may be among them.
    numbers: Vec<u32>,
}

fn reachable(
    space: &Space,
    start: u64,
    most: u64,
    platform: &Platform,
) -> Result<Reachable, Fault> {
    let (_, room) = space.host(start)?;
    let mut text = vec![0; room.min(most) as usize];
    space.read(start, &mut text)?;
    let (mut at, mut farthest) = (0, 0);
    let (mut returns, mut calls, mut numbers) = (false, false, Vec::new());
    while let Ok(inst) = encoding::decode(&text[at..], platform) {
        for target in [inst.jip, inst.uip] {
            if let Some(Target::Offset(offset)) = target {
                let target = (at as i64).saturating_add(offset.into());
                farthest = farthest.max(usize::try_from(target).unwrap_or(0));
            }
        }
        at += inst.size() as usize;
        calls |= matches!(inst.op, Op::Call | Op::Calla) && inst.jip == Some(Target::Reg);
        numbers.extend(number(&inst));
        let ends = inst.msg.is_some_and(|m| m.eot) || inst.op == Op::Ret;
        if ends && at > farthest || at >= text.len() {
            returns = inst.op == Op::Ret;
            break;
        }
    }
    text.truncate(at);
    Ok(Reachable {
        text,
        returns,
        calls,
        numbers,
    })
}

/// The number of a move, as an offset from the base of instructions.
fn number(inst: &Inst) -> Option<u32> {
    match inst.srcs.first()? {
        Src::Imm { ty, bits } if inst.op == Op::Mov && ty.bytes() >= 4 => Some(*bits as u32),
        _ => None,
    }
}
