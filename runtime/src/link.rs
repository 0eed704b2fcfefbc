//! Kernels and functions of a module, put together.
//!
//! A kernel's code is followed by that of the functions that it calls by name, each once; so is that of
//! a function whose address is taken. Calls by name get their distances. Addresses stay open: they are
//! known when the program is loaded.

use std::collections::{HashMap, HashSet};

use kiln_emit::assemble::{Relocation as Place, RelocationKind};
use kiln_frontend::module::{Linkage, Module, ObjectKind, Operand};
use kiln_frontend::opcode::Opcode;
use kiln_machine::func::Entered;

use crate::pipeline::{Compiled, Symbol};

/// Where functions begin, in bytes: as short instructions do.
const ALIGN: usize = 8;
/// Bytes of a thread's stack: what the reference compiler gives, however deep the calls go.
const STACK: u32 = 128 << 10;

/// Functions that may be called by address: those whose address is taken, and those that other
/// modules see.
pub fn by_address(module: &Module) -> HashSet<&str> {
    let functions = module
        .objects
        .iter()
        .filter_map(|object| match object.kind {
            ObjectKind::Function {
                linkage: Linkage::Extern,
                ..
            } => Some(object.name.as_str()),
            _ => None,
        });
    let insts = module.objects.iter().flat_map(|object| &object.insts);
    let taken = insts.filter_map(|inst| match inst.operands.first() {
        Some(Operand::Name(name)) if inst.op == Opcode::Faddr => Some(name.as_str()),
        _ => None,
    });
    functions.chain(taken).collect()
}

/// Links the objects of a module: its kernels, and the functions that are called by address.
pub fn link(objects: Vec<Compiled>) -> (Vec<Compiled>, Vec<Compiled>) {
    let is_root = |object: &Compiled| object.entered != Entered::Called;
    let by_name: HashMap<&str, &Compiled> = objects
        .iter()
        .filter(|object| !is_root(object))
        .map(|object| (object.name.as_str(), object))
        .collect();
    let linked: Vec<Option<Linked>> = objects
        .iter()
        .map(|object| is_root(object).then(|| Linked::new(object, &by_name)))
        .collect();
    let (mut kernels, mut functions) = (Vec::new(), Vec::new());
    for (mut object, linked) in objects.into_iter().zip(linked) {
        let Some(linked) = linked else { continue };
        object.code = linked.code;
        object.relocations = linked.relocations;
        object.symbols = linked.symbols;
        object.stack_bytes = linked.stack_bytes;
        object.barrier |= linked.barrier;
        match object.entered {
            Entered::Dispatched => kernels.push(object),
            Entered::JumpedTo | Entered::Called | Entered::Subroutine => functions.push(object),
        }
    }
    (kernels, functions)
}

struct Linked {
    code: Vec<u8>,
    relocations: Vec<crate::pipeline::Relocation>,
    symbols: Vec<Symbol>,
    stack_bytes: u32,
    barrier: bool,
}

impl Linked {
    fn new(root: &Compiled, by_name: &HashMap<&str, &Compiled>) -> Linked {
        let mut linked = Linked {
            code: Vec::new(),
            relocations: Vec::new(),
            symbols: Vec::new(),
            stack_bytes: if root.stack { STACK } else { 0 },
            barrier: false,
        };
        let mut parts: Vec<&Compiled> = vec![root];
        let mut known: HashSet<&str> = HashSet::from([root.name.as_str()]);
        let mut next = 0;
        while let Some(&part) = parts.get(next) {
            next += 1;
            linked.append(part);
            for relocation in &part.relocations {
                if relocation.kind == RelocationKind::Distance
                    && let Some((name, &callee)) = by_name.get_key_value(relocation.symbol.as_str())
                    && known.insert(name)
                {
                    parts.push(callee);
                }
            }
        }
        linked.close();
        linked
    }

    fn append(&mut self, part: &Compiled) {
        self.code.resize(self.code.len().next_multiple_of(ALIGN), 0);
        let base = self.code.len() as u32;
        self.code.extend_from_slice(&part.code);
        self.barrier |= part.barrier;
        self.symbols.push(Symbol {
            name: part.name.clone(),
            offset: base,
            size: part.code.len() as u32,
        });
        for relocation in &part.relocations {
            let mut relocation = relocation.clone();
            relocation.offset += base;
            self.relocations.push(relocation);
        }
    }

    /// Fills in the distances that are known.
    fn close(&mut self) {
        let (code, symbols) = (&mut self.code, &self.symbols);
        self.relocations.retain(|relocation| {
            let to = symbols.iter().find(|s| s.name == relocation.symbol);
            let (RelocationKind::Distance, Some(to)) = (relocation.kind, to) else {
                return true;
            };
            let place = Place {
                offset: relocation.offset,
                kind: relocation.kind,
                symbol: 0,
            };
            place.apply(code, 0, u64::from(to.offset));
            false
        });
    }
}
