//! Removes copies of a register over itself, copies of flags, and block parameters that always have the value of one
//! register.
//!
//! Takes wide machine IR in SSA form and leaves equivalent IR. vISA code that keeps an array in registers copies
//! it, changes an element of the copy and copies it back under a mask. After copy propagation, all elements but
//! that one are written with their own contents; whatever the mask or predicate, the result is the old register. vISA
//! copies a predicate by logic of it with itself; the result is the same register unless something is tied to it. A
//! parameter that gets the same register on every edge, apart from itself, is that register. Each parameter found
//! may make others redundant: the search repeats until a round finds none, at most `MAX_ROUNDS` times.

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use kiln_machine::func::{Class, Edge, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::{Inst, Old, Reg, Src, VReg};
use kiln_platform::isa::{Op, SrcMod};
use smallvec::SmallVec;

use super::for_each_inst;

/// Maximum number of rounds of the search for redundant parameters.
const MAX_ROUNDS: usize = 4;

/// For each redundant register: the register with the same value.
type Same = SecondaryMap<VReg, PackedOption<VReg>>;

/// Replaces uses of redundant registers. [`super::dead`] removes their definitions.
pub fn run(func: &mut Function, graph: &Graph) {
    let order = graph.order();
    let mut same = flag_copies(func);
    // Uses are not rewritten until a redundant register is found; the last round, which finds none, rewrites the
    // rest.
    let (mut any, mut found) = (same.values().any(PackedOption::is_some), false);
    for _ in 0..MAX_ROUNDS {
        found = false;
        for_each_inst(func, order, |func, _, _, inst| {
            if any || found {
                func.map_uses(inst, |v| resolved(&same, v));
            }
            if let Some((copy, original)) = identity(func, inst)
                && same[copy].is_none()
            {
                same[copy] = original.into();
                found = true;
            }
        });
        found |= parameters(func, &mut same);
        any |= found;
        if !found {
            break;
        }
    }
    if !any {
        return;
    }
    if found {
        for_each_inst(func, order, |func, _, _, inst| {
            func.map_uses(inst, |v| resolved(&same, v));
        });
    }
    for block in func.blocks.values_mut() {
        for Edge { args, .. } in &mut block.succs {
            for arg in args.iter_mut() {
                *arg = resolved(&same, *arg);
            }
        }
        if let Some(pred) = block.term.pred_mut()
            && let Some(v) = pred.flag.as_virt()
        {
            pred.flag = Reg::virt(resolved(&same, v), pred.flag.byte());
        }
    }
}

/// Flags that are logic of another one with itself, with that one.
fn flag_copies(func: &Function) -> Same {
    let mut same = Same::new();
    let insts = || func.blocks.values().flat_map(|block| &block.insts);
    for inst in insts() {
        let (Some(Op::And | Op::Or), [a, b]) = (inst.gen_op(), &inst.srcs[..]) else {
            continue;
        };
        if let (Some(dst), Src::Reg(from)) = (&inst.dst, a)
            && a == b
            && let (Some(copy), Some(original)) = (dst.reg.as_virt(), from.reg.as_virt())
            && [copy, original]
                .iter()
                .all(|&v| func.regs[v].class == Class::Flag)
            && dst.old == Old::None
            && (dst.reg.byte(), dst.ty) == (from.reg.byte(), from.ty)
            && func.regs[copy].bytes == func.regs[original].bytes
            && inst.exec_size == 1
            && inst.is_bare()
            && inst.opts.no_mask
        {
            same[copy] = original.into();
        }
    }
    if same.values().any(PackedOption::is_some) {
        // An instruction writes over the register that it is tied to.
        for inst in insts() {
            if let Some(Old::Reg(v)) = inst.dst.map(|dst| dst.old) {
                same[v] = None.into();
            }
            if let Some(v) = inst.cond.and_then(|cond| cond.old.expand()) {
                same[v] = None.into();
            }
        }
    }
    same
}

fn resolved(same: &Same, mut v: VReg) -> VReg {
    while let Some(original) = same[v].expand() {
        v = original;
    }
    v
}

/// The register that an instruction defines and the one with the same value, if it writes its tied operand's own
/// contents element by element.
pub(super) fn identity(func: &Function, inst: &Inst) -> Option<(VReg, VReg)> {
    let plain = inst.op == Op::Mov
        && inst.cond.is_none()
        && !inst.opts.saturate
        && !inst.opts.acc_wr_en
        && inst.symbol.is_none();
    let dst = inst.dst.as_ref().filter(|_| plain)?;
    let (copy, Old::Reg(original)) = (dst.reg.as_virt()?, dst.old) else {
        return None;
    };
    let &[Src::Reg(from)] = &inst.srcs[..] else {
        return None;
    };
    let direct = dst.indirect.is_none() && dst.mme.is_none() && from.indirect.is_none();
    let in_place = direct
        && from.reg.as_virt() == Some(original)
        && from.ty == dst.ty
        && from.modifier == SrcMod::default()
        && from.reg.byte() == dst.reg.byte()
        && (inst.exec_size == 1 || from.step(inst.exec_size.into()) == Some(dst.hstride.into()));
    (in_place && alike(func, copy, original)).then_some((copy, original))
}

fn alike(func: &Function, a: VReg, b: VReg) -> bool {
    let (a, b) = (&func.regs[a], &func.regs[b]);
    a.class == Class::Grf && b.class == Class::Grf && a.bytes <= b.bytes && a.align <= b.align
}

/// Finds parameters with the value of another register. True if there are any.
fn parameters(func: &Function, same: &mut Same) -> bool {
    // The argument of each parameter so far: one register, or several.
    let mut only: SecondaryMap<VReg, Option<Result<VReg, ()>>> =
        SecondaryMap::with_capacity(func.regs.len());
    for block in func.blocks.values() {
        for edge in &block.succs {
            let params = &func.blocks[edge.to].params;
            for (&param, &arg) in params.iter().zip(&edge.args) {
                let arg = resolved(same, arg);
                if arg == param || resolved(same, param) == arg {
                    continue;
                }
                only[param] = Some(match only[param] {
                    None => Ok(arg),
                    Some(Ok(other)) if other == arg => Ok(arg),
                    Some(_) => Err(()),
                });
            }
        }
    }
    let mut found = false;
    let params: SmallVec<[VReg; 16]> = func
        .blocks
        .values()
        .flat_map(|block| block.params.iter().copied())
        .collect();
    for param in params {
        let Some(Ok(arg)) = only[param] else { continue };
        // The other register may have become redundant in this round.
        let arg = resolved(same, arg);
        if same[param].is_none() && arg != param && alike(func, param, arg) {
            same[param] = arg.into();
            found = true;
        }
    }
    found
}
