//! Functions that are being read.

use std::collections::{BTreeMap, HashMap};

use smol_str::{SmolStr, format_smolstr};

use super::stream::{Inst, Words};
use crate::error::Loc;
use crate::ir::rules::Constants;
use crate::ir::{Block, Function, Unroll, Value};

/// A function: its declaration, and where its body begins.
pub(super) struct Head<'a> {
    pub inst: Inst<'a>,
    pub id: u32,
    /// Results of the parameters, and their types.
    pub params: Vec<(u32, u32)>,
    /// Instructions from the first label on.
    pub body: Option<Words<'a>>,
    /// Entry point that only calls it.
    pub entry: Option<u32>,
}

/// A function that is being read.
pub(super) struct Body {
    pub function: Function,
    pub constants: Constants,
    /// Values of constants that were used.
    pub made: HashMap<usize, Value>,
    pub values: HashMap<u32, Value>,
    pub blocks: HashMap<u32, Block>,
    /// Uses before the definition, by result, with the place of the first.
    pub forward: BTreeMap<u32, (Value, Loc)>,
    /// Block that instructions are added to.
    pub current: Option<Block>,
    /// By header: what the program says of unrolling its loop.
    pub unrolling: HashMap<Block, Unroll>,
}

impl Body {
    pub fn new(function: Function) -> Body {
        Body {
            function,
            constants: Constants::default(),
            made: HashMap::new(),
            values: HashMap::new(),
            blocks: HashMap::new(),
            forward: BTreeMap::new(),
            current: None,
            unrolling: HashMap::new(),
        }
    }
}

/// A name that is not known yet, for a result.
pub(super) fn unique(name: SmolStr, id: u32, known: impl Fn(&SmolStr) -> bool) -> SmolStr {
    if !known(&name) {
        return name;
    }
    let mut others = (0..).map(|n| match n {
        0 => format_smolstr!("{name}.{id}"),
        n => format_smolstr!("{name}.{id}.{n}"),
    });
    others.find(|name| !known(name)).unwrap_or(name)
}
