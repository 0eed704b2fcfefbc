//! Who calls whom, over all objects of a module.
//!
//! Takes a module, of one file or several, whose names are resolved (`FCALL` and `FADDR` name functions
//! by their place in the string pool, which the reader has looked up). An `IFCALL` takes an address: its
//! targets are over-approximated by the functions that may be called by address, because a `FADDR` takes
//! theirs or because other modules see them, and that have the sizes of argument and return value that
//! the call has. All calls by address with the same sizes share one node between them and their targets,
//! so that the graph grows with the module's text and not with its square.
//!
//! The graph is total: calls of what the module does not have are listed in [`CallGraph::errors`], and make
//! their callers [open](Facts::open); that sizes fit is a rule of the verifier. Strongly connected components give
//! recursion and the order of compilation, callees first; facts go up in that order, so that each object
//! and each call is looked at once.

use std::collections::HashMap;

use kiln_frontend::module::{Inst, Linkage, Module, Object, ObjectKind, Operand};
use kiln_frontend::opcode::Opcode;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, EdgeFiltered, EdgeRef};

/// GRFs of `%arg` and `%retval`.
pub type Sizes = [u32; 2];

/// What stands in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// The object of that number; its node has the same number.
    Object(usize),
    /// All functions of these sizes that may be called by address.
    Addressed(Sizes),
}

/// Why there is an edge, with the number of the caller's instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edge {
    /// A call by name.
    Direct(u32),
    /// A call by address.
    Indirect(u32),
    /// The address is taken: no call.
    Address(u32),
    /// From [`Node::Addressed`] to a function that is one of them.
    Member,
}

/// A call of a function that the module does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{caller}, instruction {inst}: no function {callee} in the module")]
pub struct CallError {
    /// The number of the object in the module.
    pub object: usize,
    pub caller: String,
    pub inst: usize,
    pub callee: String,
}

/// What is known of an object from the module's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Subroutines in it.
    pub subroutines: u32,
    /// Its own instructions that wait at a barrier.
    pub barriers: u32,
    /// It, or what it may call, waits at a barrier.
    pub waits: bool,
    /// A `FADDR` takes its address.
    pub address_taken: bool,
    /// Other modules see it.
    pub visible: bool,
    /// A chain of calls may lead from it back to it.
    pub recursive: bool,
    /// It calls what the module does not have, or an address of which no more is known.
    pub open: bool,
    /// A kernel, or what a kernel may call or takes the address of.
    pub reached: bool,
}

/// How much of the stack a chain of calls takes at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    Bytes(u32),
    /// It may lead out of the module.
    Unknown,
    /// It may be recursive.
    Unbounded,
}

impl Depth {
    /// Behind a frame of so many bytes.
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

/// The numbers of the functions of a module by name.
fn functions(module: &Module) -> HashMap<&str, usize> {
    let mut functions = HashMap::new();
    for (number, object) in module.objects.iter().enumerate() {
        if object.kind != ObjectKind::Kernel {
            functions.entry(object.name.as_str()).or_insert(number);
        }
    }
    functions
}

/// What an object says of itself, with the numbers of the instructions that call functions or take their addresses.
fn own(object: &Object) -> (Facts, Vec<usize>) {
    let mut calls = Vec::new();
    let (mut subroutines, mut barriers) = (0, 0);
    for (at, inst) in object.insts.iter().enumerate() {
        match inst.op {
            // What the object begins with is its own body.
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
        // Addresses of functions that the module does not have may be of any size.
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
                    // Of a function whose value is never defined the size of it is 0.
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
                    // The address of a function of another module is filled in by the loader.
                    _ => {}
                }
            }
        }
        let calls = EdgeFiltered::from_fn(&graph, |e| !matches!(e.weight(), Edge::Address(_)));
        // Not Tarjan's algorithm: that of the library goes as deep into the host's stack as calls go.
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

    /// The facts that follow from those of others.
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

    /// What is known of an object.
    pub fn facts(&self, object: usize) -> &Facts {
        &self.facts[object]
    }

    /// Groups of objects that call each other, callees before their callers.
    pub fn order(&self) -> Vec<Vec<usize>> {
        let groups = self.groups.iter().map(|group| {
            let mut objects: Vec<usize> = self.objects(group).collect();
            objects.sort_unstable();
            objects
        });
        groups.filter(|objects| !objects.is_empty()).collect()
    }

    /// When each object is compiled, if those that it calls by name are before it: all of one step
    /// need nothing of each other. Of objects that call each other none comes first.
    pub fn steps(&self) -> Vec<usize> {
        let mut steps = vec![0; self.graph.node_count()];
        for group in &self.groups {
            let edges = group.iter().flat_map(|&node| self.graph.edges(node));
            let named = edges.filter(|e| matches!(e.weight(), Edge::Direct(_)));
            // Those of the group itself have none yet.
            let before = named.map(|e| steps[e.target().index()] + 1).max();
            for node in group {
                steps[node.index()] = before.unwrap_or(0);
            }
        }
        steps.truncate(self.facts.len());
        steps
    }

    /// Which objects these may call or take the address of, they themselves included.
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

    /// What an object has edges to, in the order of its instructions; a call by address to each of its
    /// targets.
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

    /// A value of each object that is its own joined with those of all that it may call; the default
    /// changes nothing that it is joined with. Objects that call each other have the same.
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

    /// How much of the stack each object takes with all that it may call, when one call of an object
    /// takes so many bytes by itself.
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
            // A group's nodes of calls by address come before or behind its objects.
            let most = group.iter().map(|node| depths[node.index()]).max();
            for node in group {
                depths[node.index()] = most.unwrap_or(Depth::Unbounded);
            }
        }
        depths.truncate(self.facts.len());
        depths
    }

    /// What a node calls.
    fn called(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        let edges = self.graph.edges(node);
        let calls = edges.filter(|e| !matches!(e.weight(), Edge::Address(_)));
        calls.map(|e| e.target())
    }
}
