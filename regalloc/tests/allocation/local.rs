//! Functions whose variables have places: what is left lives within blocks.

use std::collections::HashMap;

use kiln_machine::func::{Block, Function, Term};
use kiln_machine::inst::{Dst, Inst, Pred, Reg, Src, VReg};
use kiln_machine::testing::random::{functions, seeds};
use kiln_machine::verify::Level;
use kiln_regalloc::{AllocError, Allocated, Options, allocate};
use kiln_target::isa::{Op, PredCtrl, RegFile, Region, Type};

use crate::{block, bytes, compute, edge, flag, function, options, random};

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

/// The same function with nothing that lives from one block to another: what a block has from elsewhere is whatever there is.
fn apart(mut func: Function) -> Function {
    func.placed = true;
    func.inputs.clear();
    let blocks: Vec<Block> = func.blocks.keys().collect();
    for b in blocks {
        let mut own: HashMap<VReg, VReg> = HashMap::new();
        let mut insts = std::mem::take(&mut func.blocks[b].insts);
        let mut undefined = Vec::new();
        let mut named: HashMap<VReg, VReg> = HashMap::new();
        for inst in &insts {
            func.visit(inst, |v, role| {
                named.extend(role.old().into_iter().chain([v]).map(|v| (v, v)));
                if role.is_def() {
                    own.insert(v, v);
                }
            });
        }
        let pred = func.blocks[b]
            .term
            .pred()
            .and_then(|pred| pred.flag.as_virt());
        named.extend(pred.map(|v| (v, v)));
        let mut foreign: Vec<VReg> = named.into_keys().filter(|v| !own.contains_key(v)).collect();
        foreign.sort_unstable();
        for v in foreign {
            let data = func.regs[v];
            let new = func.regs.push(data);
            undefined.push(Inst::undef(new));
            own.insert(v, new);
        }
        for inst in &mut insts {
            func.map_uses(inst, |v| own[&v]);
        }
        if let Some(pred) = func.blocks[b].term.pred_mut()
            && let Some(v) = pred.flag.as_virt()
        {
            pred.flag = Reg::virt(own[&v], pred.flag.byte());
        }
        undefined.append(&mut insts);
        let block = &mut func.blocks[b];
        block.insts = undefined;
        block.params.clear();
        block.succs.iter_mut().for_each(|edge| edge.args.clear());
    }
    func
}

/// Messages, partial writes, flags and addresses of every kind.
#[test]
fn what_lives_within_blocks_is_allocated_right() {
    let drawn = (0..seeds()).map(|seed| {
        let bytes = bytes(seed, 4000);
        (seed, random::function(&mut random::Choices(&bytes), 40))
    });
    let (mut done, mut refused, mut demoted, mut moves) = (0, 0, 0, 0);
    for (seed, func) in functions(Level::Legal, seeds()).chain(drawn) {
        match allocate(apart(func), &options(128)) {
            Ok(allocated) => {
                done += 1;
                demoted += allocated.stats.demoted;
                moves += allocated.stats.moves;
            }
            // Where there is no room for temporaries, variables are not in places.
            Err(AllocError::TooFew { .. }) => refused += 1,
            Err(e) => panic!("seed {seed}: {e}"),
        }
    }
    assert!(done > refused, "{done} done, {refused} refused");
    assert!(
        demoted > 100 && moves > 100,
        "{demoted} demoted, {moves} moves"
    );
}

/// What comes from another block, or is more than there is room for, is refused and not done wrongly.
#[test]
fn what_crosses_blocks_is_refused() {
    let mut func = function(2);
    func.blocks[block(0)].term = Term::Jump;
    func.blocks[block(0)].succs.push(edge(1, &[]));
    func.placed = true;
    let v = compute(&mut func, 0, &[]);
    compute(&mut func, 1, &[v]);
    let refused = |func: &Function, options: &Options| {
        matches!(
            allocate(func.clone(), options),
            Err(AllocError::TooFew { .. })
        )
    };
    assert!(refused(&func, &options(128)));
    let mut func = function(1);
    func.placed = true;
    func.reserved.push(OWN);
    let values: Vec<VReg> = (0..16).map(|_| compute(&mut func, 0, &[])).collect();
    for &v in &values {
        compute(&mut func, 0, &[v]);
    }
    assert!(refused(&func, &options(128)));
}
