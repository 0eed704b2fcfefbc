//! Smaller programs that fail in the same way.

use kiln_genx::ir::{Const, Module, Op, print};

/// Leaves out what a failure does not need: each result is replaced by zero, and each effect dropped, where `fails` still
/// gives the same word at the start of its message.
pub fn reduce(text: &str, fails: impl Fn(&str) -> Option<String>) -> String {
    let kind =
        |text: &str| fails(text).map(|message| message.split(':').next().unwrap_or("").to_string());
    let mut text = text.to_string();
    let wanted = kind(&text);
    loop {
        let mut smaller = false;
        let mut at = 0;
        while let Some(next) = without(&text, at) {
            at += 1;
            if let Some(next) = next
                && kind(&next) == wanted
            {
                text = next;
                smaller = true;
            }
        }
        if !smaller {
            return text;
        }
    }
}

/// The program without an instruction, or with a branch that goes one way; `None` inside if it cannot be. The last
/// instruction has the first numbers.
fn without(text: &str, number: usize) -> Option<Option<String>> {
    let mut module: Module = kiln_genx::read(text.as_bytes()).ok()?;
    let all = module.functions.iter().flat_map(|(id, function)| {
        let blocks = function.order.iter();
        blocks.flat_map(move |block| {
            let insts = function.blocks[*block].insts.iter();
            insts.flat_map(move |inst| [(id, *block, *inst, 0), (id, *block, *inst, 1)])
        })
    });
    let all: Vec<_> = all.collect();
    let (id, block, inst, way) = all[all.len().checked_sub(number + 1)?];
    let function = &mut module.functions[id];
    let uses = |value| {
        let mut insts = function
            .order
            .iter()
            .flat_map(|block| &function.blocks[*block].insts);
        insts.any(|user| function.insts[*user].args.contains(&value))
    };
    let data = &function.insts[inst];
    let is_dead = data.result.is_none_or(|result| !uses(result));
    let ty = data.ty;
    match (&data.op, way) {
        (Op::CondBr, way) => {
            let data = &mut function.insts[inst];
            data.op = Op::Br;
            data.args.clear();
            data.targets = [data.targets[way]].into_iter().collect();
            kiln_genx::passes::cfg::prune(function);
        }
        (op, 0) if is_dead && !op.is_terminator() => {
            function.blocks[block].insts.retain(|other| *other != inst);
        }
        (op, 1)
            if !op.is_terminator()
                && !matches!(op, Op::Phi | Op::Freeze)
                && data.result.is_some() =>
        {
            let zero = function.constant(ty, Const::Zero);
            let data = &mut function.insts[inst];
            data.op = Op::Freeze;
            data.args = [zero].into_iter().collect();
        }
        _ => return Some(None),
    }
    Some(Some(print::print(&module)))
}
