//! Links the kernels and functions of a module.
//!
//! A kernel's code is followed by that of the functions that it calls by name, each once; so is the code of a function
//! whose address is taken. Calls by name get their distances here. Addresses stay relocations, since they are known
//! only when the program is loaded.

use std::collections::{HashMap, HashSet};

use kiln_emit::assemble::{Relocation as Place, RelocationKind};
use kiln_ir::callgraph::{CallGraph, Depth};
use kiln_machine::func::Entered;
use kiln_visa::module::{Module, ObjectKind};

use crate::lines::Lines;
use crate::result::{Compiled, Relocation, Symbol};

/// Alignment of functions in bytes: that of compacted instructions.
const ALIGN: usize = 8;
/// Bytes of a thread's stack where the call graph gives no bound, because of recursion or of calls out of the module:
/// the size that the reference compiler takes.
const STACK: u32 = 128 << 10;

/// Functions that may be called by address: those whose address is taken, and those that other modules see.
pub fn by_address<'m>(module: &'m Module, graph: &CallGraph) -> HashSet<&'m str> {
    let objects = module.objects.iter().enumerate();
    let addressed = objects.filter(|(number, object)| {
        let facts = graph.facts(*number);
        object.kind != ObjectKind::Kernel && (facts.address_taken || facts.visible)
    });
    addressed.map(|(_, object)| object.name.as_str()).collect()
}

/// Links the objects of a module, each with its index: the kernels, and the functions that are called by address; in a
/// module without kernels, all functions.
pub fn link(objects: Vec<(usize, Compiled)>, graph: &CallGraph) -> (Vec<Compiled>, Vec<Compiled>) {
    let is_kernel = |object: &Compiled| object.entered == Entered::Dispatched;
    let library = !objects.iter().any(|(_, object)| is_kernel(object));
    let is_root = |object: &Compiled| library || is_kernel(object) || object.addressed;
    // A kernel's own frame is not on the stack.
    let frames: HashMap<usize, u32> = objects
        .iter()
        .filter(|(_, object)| !is_kernel(object))
        .map(|(number, object)| (*number, object.allocation.frame_bytes))
        .collect();
    let depths = graph.depths(|number| frames.get(&number).copied().unwrap_or(0));
    let by_name: HashMap<&str, &Compiled> = objects
        .iter()
        .filter(|(_, object)| object.entered == Entered::Called)
        .map(|(_, object)| (object.name.as_str(), object))
        .collect();
    let linked: Vec<Option<Linked>> = objects
        .iter()
        .map(|(_, object)| is_root(object).then(|| Linked::new(object, &by_name)))
        .collect();
    // Any function may be called by address, so each counts for all kernels; few modules have both.
    let functions = || objects.iter().filter(|(_, object)| !is_kernel(object));
    let uninterruptible = functions().any(|(_, object)| object.uninterruptible);
    let unpaired = functions().any(|(_, object)| object.unpaired);
    let (mut kernels, mut functions) = (Vec::new(), Vec::new());
    for ((number, mut object), linked) in objects.into_iter().zip(linked) {
        let Some(linked) = linked else { continue };
        object.code = linked.code;
        object.lines = linked.lines;
        object.relocations = linked.relocations;
        object.symbols = linked.symbols;
        object.barrier |= graph.facts(number).waits;
        object.uninterruptible |= uninterruptible;
        object.unpaired |= unpaired;
        object.stack_bytes = match depths[number] {
            _ if !object.stack => 0,
            Depth::Bytes(bytes) => bytes,
            Depth::Unknown | Depth::Unbounded => STACK,
        };
        match object.entered {
            Entered::Dispatched => kernels.push(object),
            Entered::JumpedTo | Entered::Called | Entered::Subroutine => functions.push(object),
        }
    }
    (kernels, functions)
}

struct Linked {
    code: Vec<u8>,
    lines: Lines,
    relocations: Vec<Relocation>,
    symbols: Vec<Symbol>,
}

impl Linked {
    fn new(root: &Compiled, by_name: &HashMap<&str, &Compiled>) -> Linked {
        let mut linked = Linked {
            code: Vec::new(),
            lines: Lines::default(),
            relocations: Vec::new(),
            symbols: Vec::new(),
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
        self.lines.append(&part.lines, base);
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

    /// Resolves the relocations whose distance is known.
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
