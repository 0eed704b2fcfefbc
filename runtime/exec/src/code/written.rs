//! State of a thread that code can change, so that starting a thread need not reset the rest.
//!
//! Takes resolved operations. Gives bounds: general registers that no destination or response names are never written, and neither are
//! accumulators after the last one that an operation names, or writes besides its result.

use std::ops::Range;

use kiln_emit::inst::Op;

use super::operation::{Operation, Path, Target};
use crate::state::thread::{File, Written};

/// Largest size of an element in bytes.
const ELEMENT: usize = 8;
/// All general registers.
const ALL: Range<usize> = 0..usize::MAX;

/// Registers that operations can change, on a platform with registers of so many bytes.
pub fn written(ops: &[Operation], register: usize) -> Written {
    let ranges = ops.iter().map(|op| range(op, register)).collect();
    Written::new(ranges, ops.iter().map(accumulators).max().unwrap_or(0))
}

/// Bytes of the general registers among which are those that an operation writes.
fn range(op: &Operation, register: usize) -> Range<usize> {
    match &op.path {
        Path::Send(send) => match (send.response, send.form()) {
            (None, _) => 0..0,
            (Some(at), Some(message)) => at..at + message.response_len() * register,
            (Some(_), None) => ALL,
        },
        Path::Systolic(_) | Path::Scattered => ALL,
        _ => match op.dst.target {
            Target::File {
                file: File::Grf,
                at,
            } => usize::from(at)..usize::from(at) + elements(op) + ELEMENT,
            Target::Address { .. } => ALL,
            Target::File { .. } | Target::Null => 0..0,
        },
    }
}

/// Bytes of the results from one to the next; a division has two.
fn elements(op: &Operation) -> usize {
    let one = usize::from(op.lanes) * usize::from(op.dst.step);
    match op.path {
        Path::Math(_) => 4 * one,
        _ => one,
    }
}

/// The byte after the last one of the accumulators that an operation can write.
fn accumulators(op: &Operation) -> usize {
    let named = match op.dst.target {
        Target::File {
            file: File::Acc,
            at,
        } => match op.path {
            Path::Math(_) | Path::Scattered | Path::Systolic(_) => usize::MAX,
            _ => usize::from(at) + elements(op) + ELEMENT,
        },
        _ => 0,
    };
    let besides = match op.acc_write || matches!(op.op, Op::Addc | Op::Subb) {
        true => (usize::from(op.lanes) + 1) * ELEMENT,
        false => 0,
    };
    match op.dst.mme {
        Some(_) => usize::MAX,
        None => named.max(besides),
    }
}

#[cfg(test)]
mod tests {
    use kiln_emit::inst::{Dst, Inst, Place, Reg, RegFile, Src, Type};
    use kiln_emit::platform;

    use super::*;
    use crate::code::decoded::Decoded;

    fn of(insts: Vec<Inst>) -> Written {
        let code = Decoded::from_insts(insts, platform::find("lnl").unwrap());
        code.written().clone()
    }

    fn with(op: Op, dst: Dst) -> Inst {
        let mut inst = Inst::new(op, 16);
        inst.dst = Some(dst);
        let sources = if op == Op::Mov { 1 } else { 2 };
        inst.srcs.extend(vec![Src::imm(Type::Ud, 0); sources]);
        inst
    }

    #[test]
    fn ranges_are_those_of_destinations() {
        assert_eq!(of(vec![Inst::new(Op::Nop, 1)]).grf, []);
        let far = Dst::new(Reg::grf(40), 1, Type::Ud);
        let near = Dst::new(Reg::grf(3), 1, Type::Ud);
        let next = Dst::new(Reg::grf(4), 1, Type::Ud);
        let written = of(vec![
            with(Op::Mov, far),
            with(Op::Mov, next),
            with(Op::Mov, near),
        ]);
        let [first, second] = written.grf.as_slice() else {
            panic!("{written:?}")
        };
        assert_eq!((first.start, second.start), (3 * 64, 40 * 64));
        assert!((5 * 64..6 * 64).contains(&first.end), "{written:?}");
        assert!((41 * 64..42 * 64).contains(&second.end), "{written:?}");
        assert_eq!(written.accumulators, 0);
        let indirect = Dst {
            place: Place::Indirect {
                addr: Reg {
                    file: RegFile::Addr,
                    ..Reg::NULL
                },
                imm: 0,
            },
            ..near
        };
        assert_eq!(of(vec![with(Op::Mov, indirect)]).grf, [ALL]);
    }

    #[test]
    fn accumulators_are_written_by_name_or_besides() {
        let near = Dst::new(Reg::grf(3), 1, Type::Ud);
        let first = |insts| of(insts).accumulators;
        // Sixteen channels of a dword: one accumulator, with room for elements of eight bytes.
        assert!((64..3 * 64).contains(&first(vec![with(Op::Addc, near)])));
        let acc = Reg {
            file: RegFile::Acc,
            ..Reg::NULL
        };
        assert!((64..2 * 64).contains(&first(vec![with(Op::Mov, Dst::new(acc, 1, Type::Ud))])));
        let fifth = Dst::new(Reg { num: 5, ..acc }, 1, Type::Ud);
        assert!((6 * 64..7 * 64).contains(&first(vec![with(Op::Mov, fifth)])));
        let mut besides = with(Op::Add, near);
        besides.opts.acc_wr_en = true;
        assert!((64..3 * 64).contains(&first(vec![besides])));
    }
}
