//! Copies of memory.
//!
//! Takes any function. Afterwards `memcpy`, `memmove` and `memset` of constant size are a load and a store of a vector
//! of dwords, or of bytes where the size is no multiple of four.

use smallvec::smallvec;

use crate::error::{Code, Diagnostic, Result};
use crate::intrinsics::Kind;
use crate::ir::{Const, Function, Inst, InstData, Module, Op, Scalar};

/// Bytes that are copied or set at most.
const MAX_COPY: u64 = 8192;

/// Expands all copies.
///
/// # Errors
/// A size is not constant, or too large.
pub fn expand(module: &mut Module, function: &mut Function) -> Result<()> {
    for block in function.order.clone() {
        let kind_of = |function: &Function, inst: Inst| match &function.insts[inst].op {
            Op::Intrinsic(i) if matches!(i.kind(), Kind::MemCopy | Kind::MemSet) => Some(i.kind()),
            _ => None,
        };
        let insts = &function.blocks[block].insts;
        if !insts.iter().any(|inst| kind_of(function, *inst).is_some()) {
            continue;
        }
        let mut new = Vec::new();
        for inst in function.blocks[block].insts.clone() {
            let Some(kind) = kind_of(function, inst) else {
                new.push(inst);
                continue;
            };
            let data = function.insts[inst].clone();
            let error = |message: &str| Err(Diagnostic::new(Code::Memory, data.loc, message));
            let [to, from, length, ..] = data.args[..] else {
                return error("a copy has a destination, a source and a size");
            };
            let Some(length) = function.as_bits(length).filter(|n| *n <= MAX_COPY) else {
                return error("a copy of memory must have a constant size, and a small one");
            };
            if length == 0 {
                continue;
            }
            let element = if length % 4 == 0 { 4 } else { 1 };
            let count = (length / element) as u32;
            let ty = module
                .types
                .shaped(Some(count), Scalar::Int(8 * element as u32));
            let align = data.align.max(1);
            let value = match kind {
                Kind::MemCopy => {
                    let load = function.make(InstData {
                        op: Op::Load,
                        args: smallvec![from],
                        ty,
                        align,
                        ..data.clone()
                    });
                    new.push(load);
                    function.insts[load].result
                }
                _ => function.as_bits(from).map(|byte| {
                    let bits = (0..element).fold(0, |bits, i| bits | (byte & 0xff) << (8 * i));
                    function.constant(ty, Const::Vector(vec![bits; count as usize].into()))
                }),
            };
            let Some(value) = value else {
                return error("the byte that memory is set to must be constant");
            };
            let store = &mut function.insts[inst];
            store.op = Op::Store;
            store.args = smallvec![value, to];
            store.align = align;
            new.push(inst);
        }
        function.blocks[block].insts = new;
    }
    Ok(())
}
