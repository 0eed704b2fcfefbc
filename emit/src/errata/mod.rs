//! Workarounds for a platform's errata in finished code.
//!
//! Takes the blocks of one routine with physical registers, before scoreboard annotations, and leaves what the rows of
//! [`kiln_platform::errata`] demand of them. `WORKAROUNDS` is the list, in the order in which they run; a platform
//! with none of its errata skips one.

mod addresses;
mod ends;
mod fences;
mod first;
mod flags;
mod floats;
mod guards;
pub mod header;
mod interruption;
mod loops;
mod products;
mod quotients;
mod suppression;
mod switches;

use kiln_platform::errata::Erratum;

use crate::assemble::Program;
use crate::insert;
use crate::inst::{Dst, Inst, Op, Reg, RegFile, Region, Src, Type};
use crate::platform::Platform;

type Workaround = fn(&mut Program, &Platform);

const WORKAROUNDS: &[(&[Erratum], Workaround)] = &[
    // First: the others name registers that allocation left alone, and messages with a predicate have an erratum.
    (&[Erratum::NoMaskPredicated], guards::guard),
    (&[Erratum::NoPreemptFromR2], interruption::forbid),
    (
        &[Erratum::HdcFenceBeforeEnd, Erratum::UgmFenceBeforeEnd],
        fences::before_end,
    ),
    (&[Erratum::FenceResponseRead], fences::read_responses),
    (&[Erratum::AddressesCleared], addresses::clear),
    (&[Erratum::SwitchOnUnscored], switches::at_state),
    (&[Erratum::SwitchAfterCall], switches::after_calls),
    (&[Erratum::FlagsReadBeforeEnd], flags::read_before_end),
    (
        &[Erratum::AccumulatorClearedBeforeEnd],
        ends::clear_accumulator,
    ),
    (&[Erratum::NopAfterEnd], ends::append_nop),
    (&[Erratum::NopAfterQuotient], quotients::separate),
    (&[Erratum::MulMacSuppression], products::separate),
    (
        &[
            Erratum::ReadSuppressionBroken,
            Erratum::ReadSuppressionBrokenToo,
        ],
        suppression::read_anew,
    ),
    (
        &[Erratum::SystolicSuppression],
        suppression::read_columns_anew,
    ),
    (&[Erratum::FloatSuppression], floats::separate),
    (&[Erratum::CselBeforeEnd256], suppression::before_end),
    (&[Erratum::WhileAfterFlow], loops::separate),
    // Last: others put instructions before the first one.
    (&[Erratum::FirstInstructionUnmasked], first::unmask),
];

/// Applies the platform's workarounds to a routine's code.
pub fn run(program: &mut Program, platform: &Platform) {
    for (errata, workaround) in WORKAROUNDS {
        if errata.iter().any(|erratum| platform.needs(*erratum)) {
            workaround(program, platform);
        }
    }
}

/// Inserts an instruction before each for which there is one, from its block and index.
fn insert(program: &mut Program, made: impl Fn(&[Inst], usize) -> Option<Inst>) {
    for block in &mut program.blocks {
        let found = |at| Some((at, made(block, at)?));
        let mut found: Vec<(usize, Inst)> = (0..block.len()).filter_map(found).collect();
        insert::all(block, &mut found);
    }
}

/// Inserts an instruction after each for which there is one.
fn insert_after(program: &mut Program, made: impl Fn(&Inst) -> Option<Inst>) {
    for block in &mut program.blocks {
        let found = |(at, inst)| Some((at + 1, made(inst)?));
        let mut found: Vec<(usize, Inst)> = block.iter().enumerate().filter_map(found).collect();
        insert::all(block, &mut found);
    }
}

/// A read of a register into null, whatever the execution mask: it waits for the register.
fn read(size: u8, reg: Reg) -> Inst {
    let region = match size {
        1 => Region::SCALAR,
        _ => Region::packed(size),
    };
    let mut mov = Inst::new(Op::Mov, size);
    mov.no_mask = true;
    mov.dst = Some(Dst::new(Reg::NULL, 1, Type::Ud));
    mov.srcs.push(Src::reg(reg, region, Type::Ud));
    mov
}

/// True for the message that ends the thread.
fn ends_thread(inst: &Inst) -> bool {
    inst.msg.is_some_and(|message| message.eot)
}

fn general(reg: Reg) -> bool {
    reg.file == RegFile::Grf
}
