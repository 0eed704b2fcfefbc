//! Passes over the IR, one a file.

mod accesses;
pub mod aggregates;
pub mod arguments;
pub mod bfloat;
mod builder;
pub mod calls;
pub mod cfg;
pub mod copies;
pub mod expand;
pub mod kernels;
pub mod memory;
pub mod reduce;
pub mod simdcf;
pub mod simplify;
pub mod widths;

use cranelift_entity::SecondaryMap;

use crate::error::Result;
use crate::ir::{Block, Function, Module};
use kernels::Kernel;

/// A pass over a function, which is a kernel if there is a description.
pub type Pass = fn(&mut Module, &mut Function, Option<&Kernel>) -> Result<()>;

/// Name of the pass that makes masks of divergent control flow.
pub const SIMDCF: &str = "simdcf";

/// The passes before code is made, in their order, with the names of their dumps.
pub const ALL: &[(&str, Pass)] = &[
    ("arguments", |module, function, kernel| {
        arguments::lower(&mut module.types, function, kernel)
    }),
    ("cfg", |_, function, _| {
        cfg::prune(function);
        Ok(())
    }),
    ("bfloat", |module, function, _| {
        bfloat::lower(module, function)
    }),
    ("expand", |module, function, _| {
        expand::lower(module, function)
    }),
    ("aggregates", |module, function, _| {
        aggregates::lower(module, function)
    }),
    ("reduce", |module, function, _| {
        reduce::lower(module, function)
    }),
    ("widths", |module, function, kernel| {
        widths::lower(module, function, kernel)
    }),
    ("copies", |module, function, _| {
        copies::expand(module, function)
    }),
    ("addresses", |module, function, _| {
        memory::find_addresses(module, function);
        Ok(())
    }),
    ("memory", |module, function, _| {
        memory::lower(module, function)
    }),
    (SIMDCF, |module, function, _| {
        simdcf::lower(module, function)
    }),
    ("simplify", |module, function, _| {
        simplify::simplify(&mut module.types, function);
        Ok(())
    }),
    ("edges", |_, function, _| {
        cfg::split_edges(function);
        Ok(())
    }),
];

/// Blocks in reverse postorder: each before its successors, but for the edges that close loops.
pub fn order(function: &Function) -> Vec<Block> {
    let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut order = Vec::with_capacity(function.order.len());
    let mut work: Vec<(Block, usize)> = Vec::new();
    if let Some(&entry) = function.order.first() {
        seen[entry] = true;
        work.push((entry, 0));
    }
    while let Some((block, n)) = work.pop() {
        match function.successors(block).get(n) {
            Some(&next) => {
                work.push((block, n + 1));
                if !std::mem::replace(&mut seen[next], true) {
                    work.push((next, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}
