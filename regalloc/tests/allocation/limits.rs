//! The registers that the code of a function may name.

use kiln_emit::inst::{Desc, Inst, Place, RegFile, Src};
use kiln_machine::func::Function;
use kiln_machine::inst::VReg;
use kiln_regalloc::{AllocError, allocate};

use crate::{compute, function, options, store};

/// So many values that all live at once.
fn values(count: usize) -> Function {
    let mut func = function(1);
    let list: Vec<VReg> = (0..count).map(|_| compute(&mut func, 0, &[])).collect();
    for v in list {
        store(&mut func, 0, v);
    }
    func
}

/// Registers that an instruction names, one past the last of each operand at most.
fn names(inst: &Inst) -> Vec<u32> {
    let dst = inst.dst.iter().map(|d| d.place);
    let srcs = inst.srcs.iter().filter_map(|s| match s {
        Src::Reg(r) => Some(r.place),
        Src::Imm { .. } => None,
    });
    (dst.chain(srcs))
        .filter_map(|place| match place {
            Place::Direct(r) if r.file == RegFile::Grf => Some(r.num),
            _ => None,
        })
        .collect()
}

#[test]
fn everything_stays_within_the_limit_but_the_end() {
    for limit in [12, 13, 24, 48, 100, 113, 128] {
        let allocated = allocate(values(70), &options(limit)).expect("enough registers");
        let insts: Vec<&Inst> = allocated.program.blocks.iter().flatten().collect();
        let (end, rest) = insts.split_last().expect("code");
        let rest = match limit {
            ..112 => &rest[..rest.len() - 1],
            _ => rest,
        };
        for inst in rest {
            assert!(names(inst).iter().all(|&r| r < limit), "in {limit}: {inst}");
        }
        assert!(end.msg.is_some_and(|m| m.eot));
        assert!(names(end)[0] >= 112, "in {limit}: {end}");
        let stats = allocated.stats;
        assert!(stats.grf_used <= limit.next_multiple_of(2), "{stats:?}");
        assert!(
            stats.spills > 0 && stats.fills > 0 && stats.spill_bytes >= 64,
            "{stats:?}"
        );
    }
}

#[test]
fn a_value_of_one_register_takes_one_of_scratch_space() {
    let mut func = values(20);
    let wide = allocate(func.clone(), &options(24)).expect("enough registers");
    for inst in &mut func.blocks[crate::block(0)].insts {
        inst.exec_size = 8;
    }
    func.regs.values_mut().for_each(|data| data.bytes = 32);
    let narrow = allocate(func, &options(24)).expect("enough registers");
    assert_eq!(narrow.stats.spills, wide.stats.spills);
    assert_eq!(2 * narrow.stats.spill_bytes, wide.stats.spill_bytes);
}

#[test]
fn spilled_slots_begin_where_they_may() {
    let mut options = options(24);
    options.scratch_base = 1000;
    let allocated = allocate(values(70), &options).expect("enough registers");
    let first = (allocated.program.blocks.iter().flatten())
        .filter_map(|i| i.msg.filter(|m| m.sfid == 10))
        .map(|m| match m.desc {
            Desc::Imm(desc) => desc & 0xfff,
            Desc::Addr { .. } => 0,
        })
        .min();
    assert_eq!(first, Some(1000u32.div_ceil(32)));
    // Behind what scratch block messages reach there are others.
    options.scratch_base = 4096 * 32 - 64;
    let far = allocate(values(70), &options).expect("enough registers");
    let blocks = far.program.blocks.iter().flatten();
    let of_all = |desc: &Desc| matches!(desc, Desc::Imm(desc) if desc & 0xff == 255);
    let far = blocks.filter(|i| i.msg.is_some_and(|m| m.sfid == 10 && of_all(&m.desc)));
    assert!(far.count() > 4);
    options.scratch_base = (2 << 20) - 64;
    let refused = allocate(values(70), &options).expect_err("one slot is not enough");
    assert!(matches!(refused, AllocError::Scratch { .. }), "{refused}");
}

#[test]
fn limits_that_cannot_be_kept_are_errors() {
    let refused = allocate(values(3), &options(129)).expect_err("beyond the file");
    assert!(
        matches!(
            refused,
            AllocError::Limit {
                limit: 129,
                count: 128,
                ..
            }
        ),
        "{refused}"
    );
    for limit in 0..3 {
        let refused = allocate(values(3), &options(limit)).expect_err("nothing is left");
        assert!(
            matches!(refused, AllocError::TooFew { .. }),
            "in {limit}: {refused}"
        );
    }
    let mut func = values(3);
    func.reserved.push(100..110);
    let refused = allocate(func, &options(64)).expect_err("beyond the limit");
    assert!(refused.to_string().contains("r100 to r109"), "{refused}");
}

#[test]
fn variables_in_fixed_registers_leave_the_rest() {
    let mut func = values(70);
    func.reserved.push(2..114);
    let allocated = allocate(func, &options(128)).expect("six units and r0's");
    for inst in allocated.program.blocks.iter().flatten() {
        assert!(names(inst).iter().all(|r| !(2..114).contains(r)), "{inst}");
    }
}

#[test]
fn inputs_beyond_the_limit_are_moved_down_first() {
    let mut func = function(1);
    let inputs: Vec<VReg> = (0..20).map(|_| func.grf(64)).collect();
    func.inputs = inputs
        .iter()
        .enumerate()
        .map(|(i, &v)| (v, Some(2 + 2 * i as u32)))
        .collect();
    for &v in &inputs {
        let sum = compute(&mut func, 0, &[v, v]);
        store(&mut func, 0, sum);
    }
    let allocated = allocate(func.clone(), &options(32)).unwrap_or_else(|e| panic!("{e}"));
    let code = &allocated.program.blocks[0];
    let first = code
        .iter()
        .position(|i| i.srcs.len() == 2 && i.msg.is_none());
    let rest = &code[first.expect("the first sum")..code.len() - 2];
    assert!(rest.iter().flat_map(names).all(|r| r < 32));
    // All that are allocated are somebody's at entry.
    func.inputs.push((func.inputs[0].0, Some(0)));
    let refused = allocate(func, &options(16)).expect_err("no place for the header");
    assert!(refused.to_string().contains("header"), "{refused}");
}
