//! Regions that reach beyond their vectors.
//!
//! An element beyond has no value, as that of an `extractelement`. A program that is right has none where it gets to, so that
//! each is a warning.

use super::Kind;
use crate::error::{Code, Diagnostic};
use crate::ir::{Const, Function, InstData, Module, Op, Types};

/// Warnings of the regions at constant places in a module, as it was read.
pub fn warnings(module: &Module) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for function in module.functions.values() {
        let insts = function.order.iter();
        let insts = insts.flat_map(|block| &function.blocks[*block].insts);
        for data in insts.map(|inst| &function.insts[*inst]) {
            if let Some((last, of)) = beyond(&module.types, function, data) {
                let message = format!("element {last} of a region is not in the vector of {of}");
                found.push(*Diagnostic::new(Code::Region, data.loc, message));
            }
        }
    }
    found
}

/// The last element of a region, and the number of those of its vector, if that is less.
fn beyond(types: &Types, function: &Function, data: &InstData) -> Option<(u64, u64)> {
    let Op::Intrinsic(intrinsic) = data.op else {
        return None;
    };
    let (whole, part, shape) = match (intrinsic.kind(), &data.args[..]) {
        (Kind::ReadRegion, &[whole, v, w, h, offset, ..]) => {
            (function.ty(whole), data.ty, [v, w, h, offset])
        }
        (Kind::WriteRegion, &[_, new, v, w, h, offset, ..]) => {
            (data.ty, function.ty(new), [v, w, h, offset])
        }
        _ => return None,
    };
    let (of, scalar) = types.shape(whole)?;
    let (count, _) = types.shape(part)?;
    let [v, w, h, offset] = shape.map(|value| match function.as_const(value) {
        Some(Const::Bits(bits)) => Some(*bits & 0xffff_ffff),
        Some(Const::Zero) => Some(0),
        _ => None,
    });
    let (of, count) = (u64::from(of), u64::from(count));
    let w = w.filter(|w| *w > 0).map_or(count, |w| w.min(count)).max(1);
    let start = (offset? & 0xffff) / u64::from(types.scalar_bytes(scalar)).max(1);
    let last = start + count.saturating_sub(1) / w * v? + (w - 1) * h?;
    (last >= of).then_some((last, of))
}
