//! Functions most of whose operands are registers of the machine already.

use kiln_machine::func::{Function, Term};
use kiln_machine::inst::{Dst, Inst, Pred, Reg, Src};
use kiln_regalloc::{Allocated, allocate};
use kiln_target::isa::{Op, PredCtrl, RegFile, Region, Type};

use crate::{block, bytes, edge, flag, function, options};

/// Registers of variables.
const OWN: std::ops::Range<u32> = 1..112;

/// Blocks of instructions on registers of the machine, of which some have one of a few predicates, each with its number.
fn mixed(seed: u64, placed: bool) -> Function {
    let mut func = function(2);
    func.blocks[block(0)].term = Term::Jump;
    func.blocks[block(0)].succs.push(edge(1, &[]));
    func.placed = placed;
    func.reserved.push(OWN);
    let draws = bytes(seed, 160);
    for (b, draws) in draws.chunks(80).enumerate() {
        let flags: Vec<_> = (0..1 + usize::from(draws[0] % 9))
            .map(|_| flag(&mut func, b))
            .collect();
        for (n, draw) in draws.iter().enumerate() {
            let reg = |by: u8| Reg::phys(RegFile::Grf, 1 + by % 111, 0);
            let mut inst = Inst::new(Op::Mov, 8);
            inst.dst = Some(Dst::new(reg(*draw), 1, Type::Ud));
            inst.srcs
                .push(Src::reg(reg(draw / 2), Region::packed(8), Type::Ud));
            inst.pred = (draw % 3 == 0).then(|| Pred {
                flag: Reg::virt(flags[n % flags.len()], 0),
                inverse: false,
                ctrl: PredCtrl::Normal,
            });
            inst.origin = (80 * b + n) as u32;
            func.blocks[block(b)].insts.push(inst);
        }
    }
    func
}

/// The numbers of those on variables, as they come.
fn numbers(allocated: &Allocated) -> Vec<u32> {
    let code = allocated.program.blocks.iter().flatten();
    code.filter(|inst| inst.exec_size == 8)
        .filter_map(|inst| inst.origin.get())
        .collect()
}

/// What is set aside is put back where it was, whatever is added for flags between.
#[test]
fn all_instructions_are_there_in_their_order() {
    let mut demoted = 0;
    for seed in 0..64 {
        for placed in [false, true] {
            let allocated = allocate(mixed(seed, placed), &options(128)).expect("it is proved");
            assert_eq!(numbers(&allocated), (0..160).collect::<Vec<u32>>());
            demoted += allocated.stats.demoted;
        }
    }
    assert!(demoted > 0, "some flags are held elsewhere");
}
