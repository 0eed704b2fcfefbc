//! LLVM IR in text, with typed and with opaque pointers.
//!
//! A recursive descent over the tokens of [`lexer`].

mod constants;
mod function;
mod inst;
pub mod lexer;
mod metadata;
mod module;
mod types;

use std::collections::HashMap;

use smol_str::SmolStr;

use crate::error::Result;
use crate::ir::{Attrs, FunctionId, MetaId, Module, Type};
use lexer::Lexer;

/// Reader of a text.
pub(crate) struct Parser<'a> {
    lex: Lexer<'a>,
    module: Module,
    named_types: HashMap<SmolStr, Type>,
    /// Offsets after the names of types that are defined somewhere.
    type_places: HashMap<SmolStr, usize>,
    /// Definitions of types within each other that are under way.
    named_depth: u32,
    groups: HashMap<u32, Attrs>,
    /// Numbers of blocks whose addresses are named, by the names of function and block.
    block_addresses: HashMap<(SmolStr, SmolStr), u64>,
    /// Groups that a function names, to be looked up at the end.
    group_uses: Vec<(FunctionId, u32)>,
    /// Groups of a variable.
    global_groups: Vec<(crate::ir::GlobalId, u32)>,
    numbered_meta: HashMap<u32, MetaId>,
    /// Branches with nodes of `!llvm.loop`, which may be defined later.
    loops: Vec<(FunctionId, crate::ir::Inst, MetaId)>,
    /// Calls of functions that are not declared yet, by name.
    undefined: HashMap<SmolStr, crate::error::Loc>,
}

/// Reads a module.
///
/// # Errors
/// The first thing that is wrong with the text.
pub fn parse(text: &str) -> Result<Module> {
    let mut parser = Parser {
        lex: Lexer::new(text)?,
        module: Module::default(),
        named_types: HashMap::new(),
        type_places: HashMap::new(),
        named_depth: 0,
        groups: HashMap::new(),
        block_addresses: HashMap::new(),
        group_uses: Vec::new(),
        global_groups: Vec::new(),
        numbered_meta: HashMap::new(),
        loops: Vec::new(),
        undefined: HashMap::new(),
    };
    parser.type_places = parser.lex.type_places().into_iter().collect();
    // An initializer may name functions, whose order is that of their definitions.
    for name in parser.lex.function_names() {
        parser.place_for(name);
    }
    parser.module()?;
    parser.module.set_unrolling(&parser.loops);
    Ok(parser.module)
}
