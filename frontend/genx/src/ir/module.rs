//! A module: its functions, variables and metadata.

use std::collections::HashMap;

use cranelift_entity::PrimaryMap;
use smol_str::SmolStr;

use super::decl::{Attrs, Linkage, MetaId};
use super::function::{Function, FunctionId, GlobalId, Inst, Unroll};
use super::types::{Type, Types};
use crate::error::Loc;

/// Scopes inside of each other that are searched for a file.
const MAX_SCOPES: u32 = 64;

/// Content of a node of metadata.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Meta {
    #[default]
    Null,
    Node(Vec<MetaId>),
    String(SmolStr),
    Int(i64),
    Function(FunctionId),
    /// A node of debug information: its kind, and the fields that are numbers or other nodes.
    Named(SmolStr, Vec<(SmolStr, MetaId)>),
    /// A value that nothing asks for.
    Other,
}

/// Initializer of a global: its bytes, and the functions whose addresses are at some of them.
pub type Data = (Vec<u8>, Vec<(u32, FunctionId)>);

/// A global variable.
#[derive(Clone, Debug)]
pub struct Global {
    pub name: SmolStr,
    pub ty: Type,
    pub space: u32,
    pub linkage: Linkage,
    pub constant: bool,
    /// Bytes of its initializer; `None` if it has none, or one that is not plain data.
    pub init: Option<Vec<u8>>,
    /// Functions whose addresses are in the initializer, with the bytes that they are at; those bytes are 0 in `init`.
    pub functions: Vec<(u32, FunctionId)>,
    /// True if the initializer has other addresses.
    pub addresses: bool,
    /// True if its address is used, so that it is in memory.
    pub in_memory: bool,
    pub attrs: Attrs,
    pub loc: Loc,
}

impl Global {
    /// Sets the initializer; `None` for one with other addresses than those of functions.
    pub fn set_init(&mut self, data: Option<Data>) {
        self.addresses = data.is_none();
        let (init, functions) = data.unzip();
        self.init = init;
        self.functions = functions.unwrap_or_default();
    }
}

/// A module of LLVM IR.
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub types: Types,
    pub functions: PrimaryMap<FunctionId, Function>,
    pub function_names: HashMap<SmolStr, FunctionId>,
    pub globals: PrimaryMap<GlobalId, Global>,
    pub global_names: HashMap<SmolStr, GlobalId>,
    pub meta: PrimaryMap<MetaId, Meta>,
    pub named_meta: HashMap<SmolStr, Vec<MetaId>>,
    pub source_file: Option<SmolStr>,
}

impl Module {
    /// Value of an attribute.
    pub fn attr<'a>(attrs: &'a Attrs, name: &str) -> Option<&'a str> {
        let found = attrs.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value.as_str())
    }

    /// File with its folder, line and column that a node of `!dbg` names; the file is empty if it is unknown.
    pub fn origin(&self, dbg: Option<MetaId>) -> Option<(SmolStr, i64, i64)> {
        let field = |id: MetaId, wanted: &str| match &self.meta[id] {
            Meta::Named(_, fields) => fields.iter().find(|(name, _)| name == wanted).map(|f| f.1),
            _ => None,
        };
        let number = |id: MetaId| match self.meta[id] {
            Meta::Int(n) => Some(n),
            _ => None,
        };
        let line = field(dbg?, "line").and_then(number)?;
        let column = field(dbg?, "column").and_then(number).unwrap_or(0);
        // The innermost scope that names a file.
        let mut scope = dbg;
        for _ in 0..MAX_SCOPES {
            let Some(id) = scope else { break };
            let text = |file: MetaId, wanted: &str| match &self.meta[field(file, wanted)?] {
                Meta::String(text) => Some(text),
                _ => None,
            };
            let file = field(id, "file");
            if let Some(name) = file.and_then(|file| text(file, "filename")) {
                let folder = file.and_then(|file| text(file, "directory"));
                let path = match folder.filter(|f| !f.is_empty() && !name.starts_with('/')) {
                    Some(folder) => format!("{folder}/{name}").into(),
                    None => name.clone(),
                };
                return Some((path, line, column));
            }
            scope = field(id, "scope");
        }
        Some((SmolStr::default(), line, column))
    }

    /// Lets branches with a node of `!llvm.loop` have what it says of unrolling.
    pub fn set_unrolling(&mut self, loops: &[(FunctionId, Inst, MetaId)]) {
        for &(function, inst, node) in loops {
            let unroll = self.unrolling(node);
            self.functions[function].insts[inst].flags.unroll = unroll;
        }
    }

    /// The wish in a node of `!llvm.loop`. Of wishes that contradict each other, `disable` counts, or else `full`, as in LLVM.
    fn unrolling(&self, node: MetaId) -> Unroll {
        let mut found = Unroll::ByCost;
        // The first item is the node itself.
        for item in self.node(node).iter().skip(1) {
            let [name, rest @ ..] = self.node(*item) else {
                continue;
            };
            let Meta::String(name) = &self.meta[*name] else {
                continue;
            };
            let count = rest.first().map(|count| &self.meta[*count]);
            match (name.as_str(), count) {
                ("llvm.loop.unroll.disable", _) => return Unroll::Never,
                ("llvm.loop.unroll.full" | "llvm.loop.unroll.enable", _) => found = Unroll::Full,
                ("llvm.loop.unroll.count", Some(Meta::Int(count))) if found != Unroll::Full => {
                    found = Unroll::by(u32::try_from(*count).unwrap_or(0));
                }
                _ => {}
            }
        }
        found
    }

    /// Operands of a node of metadata.
    pub fn node(&self, id: MetaId) -> &[MetaId] {
        match &self.meta[id] {
            Meta::Node(items) => items,
            _ => &[],
        }
    }
}
