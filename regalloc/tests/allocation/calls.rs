//! Calls by name of functions whose code is known: what callers lose by them, and that the check notices
//! when a caller or a callee thinks otherwise.

use std::collections::BTreeMap;

use kiln_machine::func::{Address, Entered, Function, Term};
use kiln_machine::inst::{Dst, Inst, Opcode, Reg, Src, VReg};
use kiln_platform::abi::STACK_2;
use kiln_platform::bits::GrfSet;
use kiln_platform::isa::Type;
use kiln_regalloc::check::check_part;
use kiln_regalloc::routines::Parts;
use kiln_regalloc::{Allocated, Scratch, allocate_part};

use crate::{block, compute, function, options};

/// A function that is called with a stack, takes a unit of arguments and gives one back.
fn called(body: impl FnOnce(&mut Function, VReg) -> VReg) -> Function {
    let mut func = function(1);
    func.abi = &STACK_2;
    func.entered = Entered::Called;
    let arg = func.grf(64);
    func.inputs.push((arg, Some(26)));
    let value = body(&mut func, arg);
    let mut results = Inst::no_mask(Opcode::Results, 1);
    results
        .srcs
        .push(Src::packed(Reg::virt(value, 0), Type::Ud));
    let entry = &mut func.blocks[block(0)];
    entry.insts.push(results);
    entry.term = Term::Return;
    func
}

/// One that calls `leaf` twice, while so many values live.
fn caller(values: usize) -> Function {
    called(|func, arg| {
        let symbol = func.symbols.push(Address {
            name: "leaf".to_string(),
            high: false,
        });
        let values: Vec<VReg> = (0..values).map(|_| compute(func, 0, &[arg, arg])).collect();
        let mut value = arg;
        for _ in 0..2 {
            let result = func.grf(64);
            let mut call = Inst::new(Opcode::Call, 16);
            call.srcs.push(Src::packed(Reg::virt(value, 0), Type::Ud));
            call.dst = Some(Dst::new(Reg::virt(result, 0), 1, Type::Ud));
            call.symbol = symbol.into();
            func.blocks[block(0)].insts.push(call);
            value = result;
        }
        let sum = |sum, v: &VReg| compute(func, 0, &[sum, *v]);
        values.iter().fold(value, sum)
    })
}

fn allocate(func: &Function, parts: &Parts) -> Allocated {
    allocate_part(func.clone(), &options(128), parts, &mut Scratch::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

fn knowing(overwritten: GrfSet) -> Parts {
    Parts {
        functions: BTreeMap::from([("leaf".to_string(), overwritten)]),
        ..Parts::default()
    }
}

#[test]
fn what_a_callee_leaves_alone_is_not_saved() {
    let leaf = called(|func, arg| compute(func, 0, &[arg, arg]));
    let of_leaf = allocate(&leaf, &Parts::default());
    let lost = of_leaf.stats.overwritten;
    assert!(lost.contains(26u32), "its result is in r26: {lost:?}");
    assert!(lost.len() <= 4, "it has one value at a time: {lost:?}");
    let frame = |values, parts: &Parts| allocate(&caller(values), parts).stats.frame_bytes;
    // The descriptor, and what is saved.
    assert_eq!(frame(20, &knowing(lost)), 32);
    assert_eq!(frame(20, &Parts::default()), 32 + 20 * 64);
    // More than the callee can leave alone.
    assert!(frame(40, &knowing(lost)) > 32);
    // A caller of both loses the registers that both overwrite, the place of the descriptor among them.
    let of_caller = allocate(&caller(3), &knowing(lost)).stats.overwritten;
    assert_eq!(of_caller & lost, lost);
    let descriptor: GrfSet = (2..4u32).collect();
    assert_eq!(of_caller & descriptor, descriptor);
    assert!(
        of_caller.iter().all(|grf| grf < 60),
        "the callee saves these"
    );
}

#[test]
fn the_check_notices_when_they_disagree() {
    let leaf = called(|func, arg| compute(func, 0, &[arg, arg]));
    let mut of_leaf = allocate(&leaf, &Parts::default());
    let lost = of_leaf.stats.overwritten;
    let caller = caller(20);
    let of_caller = allocate(&caller, &knowing(lost));
    let fits = |parts: &Parts| check_part(&caller, &of_caller, parts).is_ok();
    assert!(fits(&knowing(lost)));
    assert!(!fits(&Parts::default()), "nothing is known of the callee");
    assert!(!fits(&knowing((0..60u32).collect())), "it overwrites all");

    assert!(check_part(&leaf, &of_leaf, &Parts::default()).is_ok());
    let written = lost.first().unwrap() / 2 * 2;
    of_leaf.stats.overwritten -= (written..written + 2).collect();
    assert!(
        check_part(&leaf, &of_leaf, &Parts::default()).is_err(),
        "r{written} more"
    );
    // The calls of the function overwrite more than it says.
    let mut of_caller = of_caller.clone();
    of_caller.stats.overwritten = (2..4u32).collect();
    assert!(check_part(&caller, &of_caller, &knowing(lost)).is_err());
}
