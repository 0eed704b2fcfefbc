//! The verifier: accepts the IR that is built, and refuses broken IR.

use std::path::Path;

use crate::common::kernel;
use kiln_ir::build::build;
use kiln_ir::func::{Function, Inst};
use kiln_ir::verify::{VerifyError, verify};
use kiln_platform::platform::SKL;
use kiln_visa::opcode::Opcode;
use kiln_visa::text;

fn nth(func: &Function, op: Opcode, n: usize) -> Inst {
    let all = func.blocks.keys().flat_map(|b| func.block_insts(b));
    all.filter(|&i| func.visa(i).op == op)
        .nth(n)
        .expect("an instruction of that kind")
}

#[test]
fn every_example_is_sound() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut count = 0;
    for dir in std::fs::read_dir(examples)
        .expect("the examples")
        .map(|e| e.expect("an entry").path())
    {
        let Some(name) = dir.file_name().filter(|_| dir.is_dir()) else {
            continue;
        };
        // Examples in LLVM IR have no vISA.
        let Ok(source) = std::fs::read_to_string(dir.join(name).with_extension("visaasm")) else {
            continue;
        };
        let module = text::parse(&source).expect("a module");
        for object in &module.objects {
            let func = build(object, &SKL).unwrap_or_else(|e| panic!("{}: {e}", object.name));
            verify(&func).unwrap_or_else(|e| panic!("{}: {e}", object.name));
            assert!(
                func.to_string().lines().count() > func.insts.len(),
                "the printer leaves out instructions"
            );
            count += 1;
        }
    }
    assert!(count >= 14, "only {count} kernels found");
}

/// Builds a function with a branch, breaks it with `f`, and verifies it.
fn broken(f: impl FnOnce(&mut Function)) -> VerifyError {
    let module = kernel(
        "mov (M1_NM, 16) W(0,0)<1> 0x0:d\n\
         mov (M1_NM, 16) V(0,0)<1> 0x0:d\n\
         cmp.lt (M1, 16) P1 V(0,0)<1;1,0> 0x0:d\n\
         (!P1) goto (M1, 16) no\n\
         add (M1, 16) W(0,0)<1> V(0,0)<1;1,0> 0x1:d\n\
         avg (M1, 16) W(0,0)<1> W(0,0)<1;1,0> 0x1:d\n\
         goto (M1, 16) end\n\
         no:\n\
         shl (M1, 16) W(0,0)<1> V(0,0)<1;1,0> 0x1:d\n\
         asr (M1, 16) W(0,0)<1> W(0,0)<1;1,0> 0x1:d\n\
         end:\n\
         not (M1, 16) X(0,0)<1> W(0,0)<1;1,0>\n\
         xor (M1, 16) X(0,0)<1> V(0,0)<1;1,0> 0x1:d\n\
         ret (M1, 1)\n",
    );
    let mut func = build(&module.objects[0], &SKL).expect("a graph");
    verify(&func).expect("sound as built");
    f(&mut func);
    verify(&func).expect_err("broken")
}

fn read_of(func: &Function, op: Opcode) -> usize {
    let inst = nth(func, op, 0);
    func.insts[inst.as_u32() as usize].reads.start as usize
}

#[test]
fn a_value_of_the_other_branch_is_refused() {
    let error = broken(|func| {
        let (to, value) = (
            read_of(func, Opcode::Asr),
            func.writes(nth(func, Opcode::Add, 0))[0].new,
        );
        func.read_pool[to].value = value;
    });
    assert!(matches!(error, VerifyError::NotDominated(..)), "{error}");
}

#[test]
fn a_value_made_later_in_the_block_is_refused() {
    let error = broken(|func| {
        let (to, value) = (
            read_of(func, Opcode::Avg),
            func.writes(nth(func, Opcode::Avg, 0))[0].new,
        );
        func.read_pool[to].value = value;
    });
    assert!(matches!(error, VerifyError::NotDominated(..)), "{error}");
}

#[test]
fn a_kept_value_of_the_other_branch_is_refused() {
    let error = broken(|func| {
        let value = func.writes(nth(func, Opcode::Add, 0))[0].new;
        let write = func.insts[nth(func, Opcode::Shl, 0).as_u32() as usize]
            .writes
            .start as usize;
        func.write_pool[write].old = value.into();
    });
    assert!(matches!(error, VerifyError::NotDominated(..)), "{error}");
}

#[test]
fn a_value_of_another_cell_is_refused() {
    let error = broken(|func| {
        let value = func.writes(nth(func, Opcode::Mov, 0))[0].new;
        let to = read_of(func, Opcode::Xor);
        func.read_pool[to].value = value;
    });
    assert!(matches!(error, VerifyError::WrongCell(..)), "{error}");
}

#[test]
fn a_missing_argument_is_refused() {
    let error = broken(|func| {
        let edges = func.blocks.values_mut().flat_map(|b| &mut b.succs);
        edges
            .filter(|e| !e.args.is_empty())
            .for_each(|e| e.args.truncate(e.args.len() - 1));
    });
    assert!(matches!(error, VerifyError::Arguments(..)), "{error}");
}

#[test]
fn an_argument_that_is_not_there_yet_is_refused() {
    let error = broken(|func| {
        let value = func.writes(nth(func, Opcode::Not, 0))[0].new;
        let edge = func
            .blocks
            .values_mut()
            .flat_map(|b| &mut b.succs)
            .find(|e| !e.args.is_empty());
        edge.expect("a block with parameters").args[0] = value;
    });
    assert!(matches!(error, VerifyError::NotDominated(..)), "{error}");
}

#[test]
fn a_critical_edge_is_refused() {
    let error = broken(|func| {
        let fork = func
            .blocks
            .keys()
            .find(|&b| func.blocks[b].succs.len() > 1)
            .expect("a branch");
        let to = func.blocks[fork].succs[0].to;
        func.blocks[to].preds.push(fork);
    });
    assert!(matches!(error, VerifyError::Critical(..)), "{error}");
}
