//! Subroutines: conventions that allocation finds, what callers make of them, and that the check notices
//! when the two disagree.

use kiln_emit::inst::{Op as GenOp, Place, RegFile, Src as GenSrc, Target};
use kiln_machine::func::{Entered, Function, Term};
use kiln_machine::inst::{Base, Dst, Inst, Opcode, Reg, Src, VReg};
use kiln_platform::bits::UnitSet;
use kiln_platform::isa::Type;
use kiln_regalloc::check::check_part;
use kiln_regalloc::routines::{Convention, Parts, Passed};
use kiln_regalloc::{Allocated, Scratch, allocate_part};

use crate::{block, compute, function, options, store};

fn list(func: &mut Function, regs: &[VReg]) -> Reg {
    let list = func.lists.push(regs.iter().copied().collect());
    Reg::new(Base::List(list), 0)
}

/// A subroutine of so many inputs, which calls nothing. Its results are the first input, all inputs added
/// up, and that sum twice.
fn callee(inputs: usize) -> Function {
    let mut func = function(1);
    func.entered = Entered::Subroutine;
    let back = func.grf(8);
    func.inputs.push((back, None));
    let inputs: Vec<VReg> = (0..inputs).map(|_| func.grf(64)).collect();
    func.inputs.extend(inputs.iter().map(|&v| (v, None)));
    // Twice in turn: all are wanted to the end.
    let mut sum = compute(&mut func, 0, &[inputs[0]]);
    for &v in inputs.iter().chain(&inputs) {
        sum = compute(&mut func, 0, &[sum, v]);
    }
    let twice = compute(&mut func, 0, &[sum, sum]);
    let results = list(&mut func, &[inputs[0], sum, twice, sum]);
    let mut ret = Inst::new(Opcode::Return, 1);
    ret.srcs.push(Src::packed(results, Type::Ud));
    ret.srcs.push(Src::scalar(Reg::virt(back, 0), Type::Ud));
    let entry = &mut func.blocks[block(0)];
    entry.insts.push(ret);
    entry.term = Term::Return;
    func
}

/// Calls the subroutine twice with what it has, one register more than once.
fn caller(inputs: usize) -> Function {
    let mut func = function(1);
    let arrives = func.grf(64);
    func.inputs.push((arrives, Some(2)));
    let mut values: Vec<VReg> = vec![arrives];
    for _ in 1..inputs {
        let v = compute(&mut func, 0, &[*values.last().unwrap(), arrives]);
        values.push(v);
    }
    for _ in 0..2 {
        let results: Vec<VReg> = (0..4).map(|_| func.grf(64)).collect();
        let mut call = Inst::new(Opcode::CallRoutine(1), 16);
        let last = values.len() - 1;
        values[last] = values[0];
        call.srcs
            .push(Src::packed(list(&mut func, &values), Type::Ud));
        call.dst = Some(Dst::new(list(&mut func, &results), 1, Type::Ud));
        func.blocks[block(0)].insts.push(call);
        for (value, &result) in values.iter_mut().zip(&results) {
            *value = compute(&mut func, 0, &[*value, result]);
        }
    }
    let mut sum = values[0];
    for &v in &values {
        sum = compute(&mut func, 0, &[sum, v]);
    }
    store(&mut func, 0, sum);
    func
}

/// A subroutine and its caller, allocated in so many registers.
struct Whole {
    callee: Function,
    caller: Function,
    parts: Parts,
    of_callee: Allocated,
    of_caller: Allocated,
}

impl Whole {
    fn new(inputs: usize, limit: u32) -> Whole {
        let (callee, caller) = (callee(inputs), caller(inputs));
        let options = options(limit);
        let mut parts = Parts::default();
        parts.have(&caller, 2, &options).unwrap();
        let mut scratch = Scratch::default();
        let mut allocate = |func: &Function, parts: &Parts| {
            allocate_part(func.clone(), &options, parts, &mut scratch)
                .unwrap_or_else(|e| panic!("{inputs} inputs, {limit} registers: {e}"))
        };
        let of_callee = allocate(&callee, &parts);
        parts.conventions[1] = of_callee.convention.clone();
        let of_caller = allocate(&caller, &parts);
        Whole {
            callee,
            caller,
            parts,
            of_callee,
            of_caller,
        }
    }

    fn convention(&mut self) -> &mut Convention {
        self.parts.conventions[1].as_mut().unwrap()
    }

    /// True if the check accepts the caller.
    fn caller_fits(&self) -> bool {
        check_part(&self.caller, &self.of_caller, &self.parts).is_ok()
    }

    fn callee_fits(&self) -> bool {
        check_part(&self.callee, &self.of_callee, &self.parts).is_ok()
    }
}

#[test]
fn arguments_are_in_registers_as_long_as_there_are_any() {
    for (inputs, limit) in [
        (3, 128),
        (40, 128),
        (100, 128),
        (20, 48),
        (30, 32),
        (200, 40),
    ] {
        let mut whole = Whole::new(inputs, limit);
        let convention = whole.convention().clone();
        assert_eq!(convention.inputs.len(), inputs);
        let slots = |passed: &Passed| matches!(passed, Passed::Slot(_));
        let any = convention.inputs.iter().any(slots);
        assert_eq!(any, inputs * 2 + 4 >= limit as usize, "{inputs} in {limit}");
        // The sum that is given back twice is in two places.
        assert_ne!(convention.results[1], convention.results[3]);
        let calls = whole.of_caller.program.blocks.iter().flatten();
        let calls = calls.filter(|inst| inst.op == GenOp::Call);
        assert!(
            calls
                .clone()
                .all(|call| call.jip == Some(Target::Routine(1)))
        );
        assert_eq!(calls.count(), 2);
        assert!(whole.caller_fits() && whole.callee_fits());
    }
}

#[test]
fn the_check_notices_when_caller_and_callee_disagree() {
    for (inputs, limit) in [(3, 128), (60, 64), (30, 32)] {
        let new = || Whole::new(inputs, limit);
        let mut whole = new();
        whole.convention().inputs.swap(0, 1);
        assert!(!whole.caller_fits(), "other places of arguments");
        let mut whole = new();
        whole.convention().results.swap(0, 1);
        assert!(!whole.caller_fits(), "other places of results");
        let mut whole = new();
        whole.convention().return_address.0 ^= 1;
        assert!(!whole.caller_fits(), "another place of the return address");
        let mut whole = new();
        whole.convention().clobbers = UnitSet::ALL;
        assert!(!whole.caller_fits(), "everything is overwritten");
        let mut whole = new();
        whole.convention().frame_end += 1 << 11;
        assert_eq!(whole.caller_fits(), limit == 128, "the caller's frame");

        let own = |whole: &mut Whole, change: &dyn Fn(&mut Convention)| {
            change(whole.of_callee.convention.as_mut().unwrap());
        };
        let mut whole = new();
        own(&mut whole, &|own| {
            own.clobbers.remove(own.clobbers.first().unwrap())
        });
        assert!(!whole.callee_fits(), "one unit more is overwritten");
        let mut whole = new();
        own(&mut whole, &|own| own.inputs.swap(0, 1));
        assert!(!whole.callee_fits(), "inputs elsewhere");
        let mut whole = new();
        own(&mut whole, &|own| own.inputs[1] = own.inputs[0]);
        assert!(!whole.callee_fits(), "two inputs in one place");
        let mut whole = new();
        own(&mut whole, &|own| own.results.swap(0, 2));
        assert!(!whole.callee_fits(), "results elsewhere");
        let mut whole = new();
        own(&mut whole, &|own| own.frame_end = 0);
        assert_eq!(
            whole.callee_fits(),
            limit == 128,
            "a frame that is too small"
        );
        let mut whole = new();
        let overwritten = whole.convention().clobbers.first().unwrap() * 2;
        whole.parts.headers.as_mut().unwrap().header = overwritten;
        assert!(!whole.callee_fits(), "the copy of r0 elsewhere");
        let mut whole = new();
        let insts = whole.of_callee.program.blocks.iter_mut().flatten();
        for ret in insts.filter(|inst| inst.op == GenOp::Ret) {
            if let Some(GenSrc::Reg(src)) = ret.srcs.first_mut()
                && let Place::Direct(reg) = &mut src.place
            {
                assert_eq!(reg.file, RegFile::Grf);
                reg.num ^= 2;
            }
        }
        assert!(!whole.callee_fits(), "a return to elsewhere");
    }
}
