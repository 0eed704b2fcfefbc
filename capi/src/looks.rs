//! Looks at the machine code of a program: its listing, its estimated cost and its live registers.

use std::ffi::c_char;

use kiln_runtime::Compiled;
use kiln_runtime::machine::cost::{self, Weights};
use kiln_runtime::machine::inst::Inst;
use kiln_runtime::machine::listing::{self, Style};
use kiln_runtime::machine::live::{Live, Point};

use crate::guard::guard;
use crate::pointer;
use crate::program::Program;
use crate::records::{KilnCost, KilnLive, KilnResult};

/// Writes the listing of a part into a buffer: one instruction a line, and a zero byte at the end, which `size` counts.
/// If the buffer is too short, nothing is written, and `size` is the required size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_program_listing(
    program: *const Program,
    part: usize,
    text: *mut c_char,
    capacity: usize,
    size: *mut usize,
) -> KilnResult {
    guard(|| {
        // SAFETY: the caller's contract.
        unsafe { pointer::put(size, 0) }?;
        // SAFETY: the caller's contract.
        let program = unsafe { pointer::reference(program) }?;
        let (part, _) = program.part(part)?;
        let mut listed = listing::list(&part.code, program.platform, Style::Labels).into_bytes();
        listed.push(0);
        // SAFETY: the caller's contract.
        unsafe { pointer::copy(&listed, text.cast(), capacity, size) }
    })
}

/// The estimated cycles of a thread of a part, each loop taken to run ten times.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_program_cost(
    program: *const Program,
    part: usize,
    out: *mut KilnCost,
) -> KilnResult {
    guard(|| {
        // SAFETY: the caller's contract.
        let program = unsafe { pointer::reference(program) }?;
        let (part, _) = program.part(part)?;
        let code = listing::insts(&part.code, program.platform);
        let cycles = cost::estimate(&code, program.platform, Weights::Loops).cycles;
        let view = KilnCost {
            cycles: cycles.sum(),
            issue: cycles.issue,
            banks: cycles.banks,
            results: cycles.results,
            messages: cycles.messages,
            units: cycles.units,
        };
        // SAFETY: the caller's contract.
        unsafe { pointer::put(out, view) }
    })
}

/// Copies what lives at each instruction of a part into an array of `capacity` records. If it is too short, nothing is
/// copied, and `count` is the required number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_program_live(
    program: *const Program,
    part: usize,
    points: *mut KilnLive,
    capacity: usize,
    count: *mut usize,
) -> KilnResult {
    guard(|| {
        // SAFETY: the caller's contract.
        unsafe { pointer::put(count, 0) }?;
        // SAFETY: the caller's contract.
        let program = unsafe { pointer::reference(program) }?;
        let (part, _) = program.part(part)?;
        let found = live(part, program);
        // SAFETY: the caller's contract.
        unsafe { pointer::copy(&found, points, capacity, count) }
    })
}

fn live(part: &Compiled, program: &Program) -> Vec<KilnLive> {
    let code = listing::insts(&part.code, program.platform);
    let end = |end: &mut u32, inst: &Inst| {
        let offset = *end;
        *end += inst.size();
        Some(offset)
    };
    let offsets: Vec<u32> = code.iter().scan(0, end).collect();
    let begins = part.symbols.iter();
    let entries: Vec<u32> = begins
        .map(|symbol| offsets.partition_point(|offset| *offset < symbol.offset) as u32)
        .collect();
    let live = Live::new(&code, program.platform, &entries);
    let points = offsets.into_iter().zip(live.points);
    let record = |(offset, point): (u32, _)| {
        let Point {
            grfs,
            bytes,
            maybe,
            flags,
            accumulators,
            addresses,
        } = point;
        KilnLive {
            offset,
            grfs: grfs.into(),
            bytes,
            maybe: maybe.into(),
            flags: flags.into(),
            accumulators: accumulators.into(),
            addresses: addresses.into(),
        }
    };
    points.map(record).collect()
}
