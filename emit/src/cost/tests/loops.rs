use super::*;
use crate::inst::Pred;
use crate::inst::{PredCtrl, Reg, RegFile};

/// Instructions of 16 bytes: none, or a branch of a kind over a number of instructions.
fn code(ops: &[Option<(Op, i32, bool)>]) -> Vec<Inst> {
    let inst = |op: &Option<(Op, i32, bool)>| match op {
        None => Inst::new(Op::Mov, 8),
        Some((op, by, conditional)) => {
            let mut inst = Inst::new(*op, 8);
            inst.jip = match op {
                Op::Ret => Some(Target::Reg),
                _ => Some(Target::Offset(by * 16)),
            };
            inst.pred = conditional.then_some(Pred {
                flag: Reg::new(RegFile::Flag, 0, 0),
                inverse: false,
                ctrl: PredCtrl::Normal,
            });
            inst
        }
    };
    ops.iter().map(inst).collect()
}

fn depths(ops: &[Option<(Op, i32, bool)>]) -> Vec<u32> {
    let code = code(ops);
    let blocks = Blocks::new(&code);
    let mut depths = Vec::new();
    for (block, depth) in blocks.depths.iter().enumerate() {
        let size = blocks.starts[block + 1] - blocks.starts[block];
        depths.extend(std::iter::repeat_n(*depth, size as usize));
    }
    depths
}

#[test]
fn loops_in_each_other() {
    let (none, back) = (None, |by: i32| Some((Op::While, -by, true)));
    // Two loops with one back edge each, in sequence within a third.
    let ops = [
        none,
        none,
        none,
        back(1),
        none,
        none,
        back(1),
        none,
        back(7),
        none,
    ];
    assert_eq!(depths(&ops), [0, 1, 2, 2, 1, 2, 2, 1, 1, 0]);
    // A block that branches to itself, and a loop with two back edges.
    let ops = [none, back(1), none, back(1), back(2), none];
    assert_eq!(depths(&ops), [1, 1, 1, 1, 1, 0]);
}

#[test]
fn a_loop_may_be_entered_at_its_end() {
    let ops = [
        None,
        Some((Op::Jmpi, 2, false)),
        None,
        None,
        Some((Op::Jmpi, -2, true)),
        None,
    ];
    assert_eq!(depths(&ops), [0, 0, 1, 1, 1, 0]);
}

#[test]
fn a_subroutine_is_as_deep_as_the_deepest_call() {
    let ops = [
        Some((Op::Call, 5, false)),
        None,
        Some((Op::Call, 3, false)),
        Some((Op::While, -2, true)),
        Some((Op::Ret, 0, false)),
        None,
        Some((Op::While, -1, true)),
        Some((Op::Ret, 0, false)),
    ];
    assert_eq!(depths(&ops), [0, 1, 1, 1, 0, 2, 2, 1]);
    // Recursion stops at the maximum depth.
    let ops = [
        None,
        Some((Op::Call, -1, false)),
        Some((Op::While, -2, true)),
    ];
    assert_eq!(depths(&ops), [DEPTH_MAX; 3]);
}
