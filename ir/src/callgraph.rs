//! The call graph of a module.
//!
//! Takes a module, of one file or several, whose names are resolved (`FCALL` and `FADDR` name functions
//! by index in the string pool, which the reader has resolved). An `IFCALL` takes an address: its
//! targets are over-approximated by the functions whose address is taken by a `FADDR`, or that other modules see,
//! and whose sizes of arguments and results are those of the call. Calls by address with equal sizes share one
//! node between them and their targets, so that the graph's size is linear in the module's.
//!
//! Calls of functions that the module lacks are listed in [`CallGraph::errors`] and make
//! their callers [open](Facts::open); the frontend's verifier checks sizes. Strongly connected components (Kosaraju)
//! give recursion and the order of compilation, callees first; facts propagate in that order, in one visit of each
//! object and call.

use std::collections::HashMap;

use kiln_visa::module::{Inst, Linkage, Module, Object, ObjectKind, Operand};
use kiln_visa::opcode::Opcode;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, EdgeFiltered, EdgeRef};

/// GRFs of arguments and results (`%arg` and `%retval`).
pub type Sizes = [u32; 2];

/// A node of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// An object, by number; its node has the same number.
    Object(usize),
    /// The functions of these sizes that may be called by address.
    Addressed(Sizes),
}

/// The reason of an edge, with the index of the caller's instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edge {
    /// A call by name.
    Direct(u32),
    /// A call by address.
    Indirect(u32),
    /// The address is taken, without a call.
    Address(u32),
    /// From [`Node::Addressed`] to one of its functions.
    Member,
}

/// A call of a function that the module lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{caller}, instruction {inst}: no function {callee} in the module")]
pub struct CallError {
    /// The number of the object in the module.
    pub object: usize,
    pub caller: String,
    pub inst: usize,
    pub callee: String,
}

/// Properties of an object in its module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Number of its subroutines.
    pub subroutines: u32,
    /// Number of its barriers.
    pub barriers: u32,
    /// True if it or a possible callee waits at a barrier.
    pub waits: bool,
    /// True if a `FADDR` takes its address.
    pub address_taken: bool,
    /// True if other modules see it.
    pub visible: bool,
    /// True if a chain of calls may lead back to it.
    pub recursive: bool,
    /// True if it calls a function that the module lacks, or an unknown address.
    pub open: bool,
    /// True for kernels and for functions that a kernel may call or takes the address of.
    pub reached: bool,
}

/// Upper bound of the stack that a chain of calls takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    Bytes(u32),
    /// A chain may lead out of the module.
    Unknown,
    /// A chain may be recursive.
    Unbounded,
}

impl Depth {
    /// The bound with a frame of `frame` bytes above.
    fn below(self, frame: u32) -> Depth {
        match self {
            Depth::Bytes(bytes) => bytes
                .checked_add(frame)
                .map_or(Depth::Unbounded, Depth::Bytes),
            other => other,
        }
    }
}

/// The call graph of a module.
pub struct CallGraph {
    pub graph: DiGraph<Node, Edge>,
    /// In the order of objects and instructions.
    pub errors: Vec<CallError>,
    facts: Vec<Facts>,
    /// Strongly connected components, callees first.
    groups: Vec<Vec<NodeIndex>>,
}

/// The function that an instruction names.
fn callee(inst: &Inst) -> Option<&str> {
    match (inst.op, inst.operands.first()) {
        (Opcode::FCall | Opcode::Faddr, Some(Operand::Name(name))) => Some(name),
        _ => None,
    }
}

/// Numbers of a module's functions, by name.
fn functions(module: &Module) -> HashMap<&str, usize> {
    let mut functions = HashMap::new();
    for (number, object) in module.objects.iter().enumerate() {
        if object.kind != ObjectKind::Kernel {
            functions.entry(object.name.as_str()).or_insert(number);
        }
    }
    functions
}

/// Properties of an object by itself, and its instructions that call functions or take their addresses.
fn own(object: &Object) -> (Facts, Vec<usize>) {
    let mut calls = Vec::new();
    let (mut subroutines, mut barriers) = (0, 0);
    for (at, inst) in object.insts.iter().enumerate() {
        match inst.op {
            // A label at the beginning is of the object's own code.
            Opcode::Subroutine => subroutines += u32::from(at > 0),
            Opcode::Barrier | Opcode::Nbarrier | Opcode::SBarrier => barriers += 1,
            Opcode::FCall | Opcode::IfCall | Opcode::Faddr => calls.push(at),
            _ => {}
        }
    }
    let linkage = match object.kind {
        ObjectKind::Kernel => None,
        ObjectKind::Function { linkage, .. } => Some(linkage),
    };
    let facts = Facts {
        subroutines,
        barriers,
        visible: linkage == Some(Linkage::Extern),
        ..Facts::default()
    };
    (facts, calls)
}

impl CallGraph {
    pub fn new(module: &Module) -> CallGraph {
        let mut graph = DiGraph::new();
        for number in 0..module.objects.len() {
            graph.add_node(Node::Object(number));
        }
        let functions = functions(module);
        let (mut facts, calls): (Vec<Facts>, Vec<Vec<usize>>) =
            module.objects.iter().map(own).unzip();
        let calls_of = |number: usize| {
            let object = &module.objects[number];
            calls[number].iter().map(|&at| (at, &object.insts[at]))
        };
        let mut errors = Vec::new();
        // Functions that the module lacks may be of any sizes.
        let mut strangers = false;
        let all = (0..module.objects.len()).flat_map(calls_of);
        let faddrs = all.filter(|(_, inst)| inst.op == Opcode::Faddr);
        for name in faddrs.filter_map(|(_, inst)| callee(inst)) {
            match functions.get(name) {
                Some(&number) => facts[number].address_taken = true,
                None => strangers = true,
            }
        }
        let mut addressed: HashMap<Sizes, NodeIndex> = HashMap::new();
        for (number, object) in module.objects.iter().enumerate() {
            if facts[number].address_taken || facts[number].visible {
                let sizes = object.passed_grfs();
                let node = addressed.entry(sizes);
                let node = *node.or_insert_with(|| graph.add_node(Node::Addressed(sizes)));
                graph.add_edge(node, NodeIndex::new(number), Edge::Member);
            }
        }
        for (number, object) in module.objects.iter().enumerate() {
            let from = NodeIndex::new(number);
            for (at, inst) in calls_of(number) {
                if inst.op == Opcode::IfCall {
                    let sizes = inst.passed_grfs().unwrap_or_default();
                    // A function whose result is never defined has a result size of 0.
                    let mut fit = vec![sizes, [sizes[0], 0]];
                    fit.dedup();
                    let known: Vec<_> = fit
                        .iter()
                        .filter_map(|sizes| addressed.get(sizes))
                        .collect();
                    facts[number].open |= known.is_empty();
                    for &to in known {
                        graph.add_edge(from, to, Edge::Indirect(at as u32));
                    }
                    facts[number].open |= strangers;
                    continue;
                }
                let Some(name) = callee(inst) else { continue };
                let to = functions.get(name).copied();
                match (inst.op, to) {
                    (Opcode::Faddr, Some(to)) => {
                        graph.add_edge(from, NodeIndex::new(to), Edge::Address(at as u32));
                    }
                    (Opcode::FCall, Some(to)) => {
                        graph.add_edge(from, NodeIndex::new(to), Edge::Direct(at as u32));
                    }
                    (Opcode::FCall, None) => {
                        facts[number].open = true;
                        errors.push(CallError {
                            object: number,
                            caller: object.name.to_string(),
                            inst: at,
                            callee: name.to_string(),
                        });
                    }
                    // The loader fills in addresses of functions of other modules.
                    _ => {}
                }
            }
        }
        let calls = EdgeFiltered::from_fn(&graph, |e| !matches!(e.weight(), Edge::Address(_)));
        // petgraph's Tarjan recurses as deep as chains of calls.
        let groups = kosaraju_scc(&calls);
        let mut graph = CallGraph {
            graph,
            errors,
            facts,
            groups,
        };
        graph.complete(module);
        graph
    }

    /// Finds the facts that depend on those of other objects.
    fn complete(&mut self, module: &Module) {
        let below: Vec<(bool, bool)> = self.bottom_up(
            |number| (self.facts[number].barriers > 0, self.facts[number].open),
            |(waits, open), callee| {
                *waits |= callee.0;
                *open |= callee.1;
            },
        );
        let kernels = (0..module.objects.len())
            .filter(|number| module.objects[*number].kind == ObjectKind::Kernel);
        let reached = self.reachable(kernels);
        let recursive: Vec<bool> = self.recursive();
        for (number, facts) in self.facts.iter_mut().enumerate() {
            (facts.waits, facts.open) = below[number];
            facts.reached = reached[number];
            facts.recursive = recursive[number];
        }
    }

    fn recursive(&self) -> Vec<bool> {
        let mut recursive = vec![false; self.facts.len()];
        for group in &self.groups {
            let mut loops = group
                .iter()
                .flat_map(|&node| self.graph.edges_connecting(node, node));
            let is = group.len() > 1 || loops.any(|e| matches!(e.weight(), Edge::Direct(_)));
            for number in self.objects(group) {
                recursive[number] = is;
            }
        }
        recursive
    }

    fn objects(&self, group: &[NodeIndex]) -> impl Iterator<Item = usize> {
        group.iter().filter_map(|node| match self.graph[*node] {
            Node::Object(number) => Some(number),
            Node::Addressed(_) => None,
        })
    }

    /// Properties of an object.
    pub fn facts(&self, object: usize) -> &Facts {
        &self.facts[object]
    }

    /// Groups of mutually recursive objects, callees before their callers.
    pub fn order(&self) -> Vec<Vec<usize>> {
        let groups = self.groups.iter().map(|group| {
            let mut objects: Vec<usize> = self.objects(group).collect();
            objects.sort_unstable();
            objects
        });
        groups.filter(|objects| !objects.is_empty()).collect()
    }

    /// By object: the step in which it is compiled, later than those of the functions that it calls by name. Objects of
    /// one step are independent; mutually recursive ones have the same step.
    pub fn steps(&self) -> Vec<usize> {
        let mut steps = vec![0; self.graph.node_count()];
        for group in &self.groups {
            let edges = group.iter().flat_map(|&node| self.graph.edges(node));
            let named = edges.filter(|e| matches!(e.weight(), Edge::Direct(_)));
            // Nodes of the group itself still have step 0.
            let before = named.map(|e| steps[e.target().index()] + 1).max();
            for node in group {
                steps[node.index()] = before.unwrap_or(0);
            }
        }
        steps.truncate(self.facts.len());
        steps
    }

    /// By object: true if it is a root, or a root may call it or take its address.
    pub fn reachable(&self, roots: impl Iterator<Item = usize>) -> Vec<bool> {
        let mut walk = Dfs::empty(&self.graph);
        let mut reached = vec![false; self.facts.len()];
        for root in roots {
            walk.move_to(NodeIndex::new(root));
            while let Some(node) = walk.next(&self.graph) {
                if let Node::Object(number) = self.graph[node] {
                    reached[number] = true;
                }
            }
        }
        reached
    }

    /// The objects that an object has edges to, in the order of its instructions. A call by address has one to each
    /// target.
    pub fn callees(&self, object: usize) -> Vec<(Edge, usize)> {
        let mut callees = Vec::new();
        for edge in self.graph.edges(NodeIndex::new(object)) {
            match self.graph[edge.target()] {
                Node::Object(number) => callees.push((*edge.weight(), number)),
                Node::Addressed(_) => {
                    let members = self.graph.neighbors(edge.target());
                    callees.extend(members.map(|to| (*edge.weight(), to.index())));
                }
            }
        }
        callees.sort_unstable_by_key(|&(edge, number)| match edge {
            Edge::Direct(at) | Edge::Indirect(at) | Edge::Address(at) => (at, number),
            Edge::Member => (0, number),
        });
        callees
    }

    /// By object: its own value joined with those of all possible callees. The default is the neutral element of `join`.
    /// Mutually recursive objects have equal values.
    pub fn bottom_up<T: Clone + Default>(
        &self,
        own: impl Fn(usize) -> T,
        join: impl Fn(&mut T, &T),
    ) -> Vec<T> {
        let mut values = vec![T::default(); self.graph.node_count()];
        for group in &self.groups {
            let mut value = T::default();
            for &node in group {
                if let Node::Object(number) = self.graph[node] {
                    join(&mut value, &own(number));
                }
                for to in self.called(node) {
                    join(&mut value, &values[to.index()]);
                }
            }
            for node in group {
                values[node.index()] = value.clone();
            }
        }
        values.truncate(self.facts.len());
        values
    }

    /// By object: the stack that it takes with all possible callees, where `frame` gives the bytes of one call of an
    /// object by itself.
    pub fn depths(&self, frame: impl Fn(usize) -> u32) -> Vec<Depth> {
        let mut depths = vec![Depth::Bytes(0); self.graph.node_count()];
        for group in &self.groups {
            for &node in group {
                let below = self.called(node).map(|to| depths[to.index()]);
                let below = below.max().unwrap_or(Depth::Bytes(0));
                depths[node.index()] = match self.graph[node] {
                    Node::Addressed(_) => below,
                    Node::Object(number) => match self.facts[number] {
                        Facts {
                            recursive: true, ..
                        } => Depth::Unbounded,
                        Facts { open: true, .. } => below.max(Depth::Unknown),
                        _ => below.below(frame(number)),
                    },
                };
            }
            // Nodes of calls by address come in any order with the objects of their group.
            let most = group.iter().map(|node| depths[node.index()]).max();
            for node in group {
                depths[node.index()] = most.unwrap_or(Depth::Unbounded);
            }
        }
        depths.truncate(self.facts.len());
        depths
    }

    /// Nodes that a node calls.
    fn called(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        let edges = self.graph.edges(node);
        let calls = edges.filter(|e| !matches!(e.weight(), Edge::Address(_)));
        calls.map(|e| e.target())
    }
}
