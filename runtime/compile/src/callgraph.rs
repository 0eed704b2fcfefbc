//! The call graph of a module as its users see it.
//!
//! [`inspect`] reads files as one module and lists its objects, their calls, and all errors in them; with a session it
//! compiles the objects too, and reports each one's frame and registers. An indirect call does not list its targets:
//! all calls of one signature share one list, so that the report grows linearly with the module.

use std::collections::HashMap;

use kiln_visa::module::{Module, Object, ObjectKind, Operand};
use kiln_visa::opcode::Opcode;
use kiln_visa::verify::{self, Severity};

use kiln_ir::callgraph::{self as graph, CallGraph, Edge, Node};
use kiln_platform::abi::Stack;
use kiln_platform::bits::GrfSet;
use kiln_platform::platform::{Generation, PLATFORMS};
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use serde::Serialize;

use crate::failure::Failure;
use crate::result::Compiled;
use crate::session::{Session, names, read_module};

use crate::source::{Input, Reading};

/// A module's call graph. Objects are named by their numbers in [`CallGraphReport::objects`].
#[derive(Debug, Serialize)]
pub struct CallGraphReport {
    /// Kernels and functions, in the order of the files.
    pub objects: Vec<ObjectReport>,
    /// Functions whose address is taken, by the sizes of their arguments and results.
    pub addressed: Vec<AddressedReport>,
    /// In the order of callers and their instructions.
    pub calls: Vec<CallReport>,
    /// Objects that call each other, callees before their callers.
    pub groups: Vec<Vec<usize>>,
}

/// A kernel or function.
#[derive(Debug, Serialize)]
pub struct ObjectReport {
    /// Name of the kernel or function.
    pub name: String,
    /// Kind of the object: a kernel or a function.
    pub kind: Kind,
    /// The file that defines it.
    pub file: String,
    /// Instructions of vISA.
    pub instructions: usize,
    /// GRFs of `%arg`.
    pub arguments: u32,
    /// GRFs of `%retval`.
    pub returns: u32,
    /// Number of its subroutines.
    pub subroutines: u32,
    /// Barriers among its own instructions.
    pub barriers: u32,
    /// True if it or anything it may call waits at a barrier.
    pub waits: bool,
    /// True if an instruction takes its address.
    pub address_taken: bool,
    /// True if other modules see it.
    pub visible: bool,
    /// True if a chain of calls may lead from it back to it.
    pub recursive: bool,
    /// True if it may call a function that the module does not have.
    pub open: bool,
    /// True for a kernel, and for everything a kernel may call or takes the address of.
    pub reached: bool,
    /// Bytes of stack that one call takes; `None` for a kernel or an object that was not compiled.
    pub frame_bytes: Option<u32>,
    /// Bytes of stack that one call takes, including everything it may call.
    pub stack: Option<StackDepth>,
    /// Registers that a call clobbers, including those of everything it may call.
    pub overwritten: Option<Vec<String>>,
}

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A kernel.
    Kernel,
    /// A function.
    Function,
}

/// Stack depth of a chain of calls: bytes as a number, or one of two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum StackDepth {
    /// Depth in bytes.
    Bytes(u32),
    /// No known depth.
    Word(NoDepth),
}

/// The reason why a chain of calls has no known depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NoDepth {
    /// A chain may lead out of the module.
    Unknown,
    /// A chain may be recursive.
    Unbounded,
}

/// The functions that calls by address with these sizes may reach.
#[derive(Debug, Serialize)]
pub struct AddressedReport {
    /// GRFs of `%arg`.
    pub arguments: u32,
    /// GRFs of `%retval`.
    pub returns: u32,
    /// Indices of the functions.
    pub objects: Vec<usize>,
}

/// An instruction that calls an object or takes its address.
#[derive(Debug, Serialize)]
pub struct CallReport {
    /// Index of the object with the instruction.
    pub caller: usize,
    /// The number of the instruction in the caller.
    pub instruction: usize,
    /// Line in a text file, from 1.
    pub line: Option<u32>,
    /// Offset in a binary file, in bytes.
    pub offset: Option<u32>,
    /// Way in which it refers to the object.
    pub kind: CallKind,
    /// The name in the instruction; `None` for an indirect call.
    pub name: Option<String>,
    /// The object of that name, if the module has it.
    pub object: Option<usize>,
    /// For an indirect call, an index into [`CallGraphReport::addressed`]; `None` if no function has its signature.
    pub addressed: Option<usize>,
}

/// Way in which an instruction refers to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CallKind {
    /// `fcall`.
    Direct,
    /// `ifcall`.
    Indirect,
    /// `faddr`: takes the address, calls nothing.
    Address,
}

/// A call graph, and the errors in the module.
pub struct Inspected {
    /// The call graph.
    pub report: CallGraphReport,
    /// The errors, in the order of the module.
    pub failures: Vec<Failure>,
}

/// The call graph of files that make one module. An object that the session's options cannot compile has no frame.
///
/// # Errors
/// A file cannot be read, or the session's options make no code.
pub fn inspect(inputs: &[Input], session: Option<&Session>) -> Result<Inspected, Box<Failure>> {
    if let Some(session) = session {
        session.possible()?;
    }
    let default = Reading::new(&PLATFORMS[0]);
    let how = session.map_or(default, |session| session.options().reading());
    let (merged, _) = read_module(inputs, &how)?;
    let files = &names(inputs);
    let module = &merged.module;
    let graph = CallGraph::new(module);
    let mut failures = Vec::new();
    let platform: Option<Generation> = session.map(|s| s.options().platform.generation);
    let findings = verify::check(module, platform).into_iter();
    for finding in findings.filter(|f| f.severity() == Severity::Error) {
        let (object, inst) = (finding.object, finding.inst);
        failures.push(*Failure::at(finding.into(), files, &merged, object, inst));
    }
    for error in &graph.errors {
        let (object, inst) = (error.object, Some(error.inst));
        let error = error.clone().into();
        failures.push(*Failure::at(error, files, &merged, object, inst));
    }
    // Only a module that holds to the rules can be compiled.
    let mut compiled: Vec<Option<Compiled>> = module.objects.iter().map(|_| None).collect();
    if let (Some(session), true) = (session, failures.is_empty()) {
        let all: Vec<usize> = (0..module.objects.len()).collect();
        let results = session.compile_objects(files, &merged, &graph, &all, session.options());
        for (object, result) in compiled.iter_mut().zip(results) {
            match result {
                Ok(one) => *object = Some(one),
                Err(failure) => failures.push(*failure),
            }
        }
    }
    let file = |object: usize| {
        let file = inputs.get(merged.origin(object).file);
        file.map_or_else(String::new, |file| file.name.to_string())
    };
    let mut report = CallGraphReport {
        objects: objects(module, &graph, &file),
        addressed: Vec::new(),
        calls: Vec::new(),
        groups: graph.order(),
    };
    let stack = session.and_then(|session| session.options().abi.stack.as_ref());
    measure(&mut report.objects, &graph, &compiled, stack);
    calls(&mut report, module, &graph);
    Ok(Inspected { report, failures })
}

fn objects(
    module: &Module,
    graph: &CallGraph,
    file: &dyn Fn(usize) -> String,
) -> Vec<ObjectReport> {
    let report = |(number, object): (usize, &Object)| {
        let facts = graph.facts(number);
        let [arguments, returns] = object.passed_grfs();
        ObjectReport {
            name: object.name.to_string(),
            kind: match object.kind {
                ObjectKind::Kernel => Kind::Kernel,
                ObjectKind::Function { .. } => Kind::Function,
            },
            file: file(number),
            instructions: object.insts.len(),
            arguments,
            returns,
            subroutines: facts.subroutines,
            barriers: facts.barriers,
            waits: facts.waits,
            address_taken: facts.address_taken,
            visible: facts.visible,
            recursive: facts.recursive,
            open: facts.open,
            reached: facts.reached,
            frame_bytes: None,
            stack: None,
            overwritten: None,
        }
    };
    module.objects.iter().enumerate().map(report).collect()
}

/// Adds the frame, stack depth and clobbers of each compiled object.
fn measure(
    objects: &mut [ObjectReport],
    graph: &CallGraph,
    compiled: &[Option<Compiled>],
    stack: Option<&Stack>,
) {
    // A call out of the module may clobber all that the convention allows.
    let lost = |number: usize| match stack {
        Some(stack) if graph.facts(number).open => (0..stack.callee_saved.start).collect(),
        _ => GrfSet::EMPTY,
    };
    // An object that was not compiled has unknown clobbers and depth, and so have its callers.
    let all = graph.bottom_up(
        |number| compiled[number].is_none(),
        |missing, callee| *missing |= callee,
    );
    let frame = |number: usize| {
        let object = compiled[number].as_ref()?;
        let called = objects[number].kind == Kind::Function;
        called.then_some(object.allocation.frame_bytes)
    };
    let frames: Vec<Option<u32>> = (0..objects.len()).map(frame).collect();
    let depths = graph.depths(|number| frames[number].unwrap_or(0));
    let overwritten = graph.bottom_up(
        |number| match &compiled[number] {
            Some(object) => object.allocation.overwritten | lost(number),
            None => GrfSet::EMPTY,
        },
        |set, callee| *set |= *callee,
    );
    for (number, object) in objects.iter_mut().enumerate() {
        object.frame_bytes = frames[number];
        object.stack = match depths[number] {
            graph::Depth::Unbounded => Some(StackDepth::Word(NoDepth::Unbounded)),
            graph::Depth::Unknown => Some(StackDepth::Word(NoDepth::Unknown)),
            graph::Depth::Bytes(_) if all[number] => None,
            graph::Depth::Bytes(bytes) => Some(StackDepth::Bytes(bytes)),
        };
        object.overwritten = (!all[number]).then(|| ranges(overwritten[number]));
    }
}

/// A set of registers as `r1` and `r4-r7`.
fn ranges(set: GrfSet) -> Vec<String> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for grf in set.iter() {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == grf => *last = grf,
            _ => runs.push((grf, grf)),
        }
    }
    let text = |(first, last)| match first == last {
        true => format!("r{first}"),
        false => format!("r{first}-r{last}"),
    };
    runs.into_iter().map(text).collect()
}

fn calls(report: &mut CallGraphReport, module: &Module, graph: &CallGraph) {
    let mut numbers: HashMap<NodeIndex, usize> = HashMap::new();
    for node in graph.graph.node_indices() {
        if let Node::Addressed([arguments, returns]) = graph.graph[node] {
            let mut objects: Vec<usize> = graph.graph.neighbors(node).map(|n| n.index()).collect();
            objects.sort_unstable();
            numbers.insert(node, report.addressed.len());
            report.addressed.push(AddressedReport {
                arguments,
                returns,
                objects,
            });
        }
    }
    for (caller, object) in module.objects.iter().enumerate() {
        // Edges by the instruction that makes them.
        let edges = graph.graph.edges(NodeIndex::new(caller));
        let to: HashMap<usize, NodeIndex> = edges
            .filter_map(|edge| match edge.weight() {
                Edge::Direct(at) | Edge::Indirect(at) | Edge::Address(at) => {
                    Some((*at as usize, edge.target()))
                }
                Edge::Member => None,
            })
            .collect();
        for (instruction, inst) in object.insts.iter().enumerate() {
            let kind = match inst.op {
                Opcode::FCall => CallKind::Direct,
                Opcode::IfCall => CallKind::Indirect,
                Opcode::Faddr => CallKind::Address,
                _ => continue,
            };
            let node = to.get(&instruction);
            let text = inst.place.column > 0;
            let name = match inst.operands.first() {
                Some(Operand::Name(name)) => Some(name.to_string()),
                _ => None,
            };
            report.calls.push(CallReport {
                caller,
                instruction,
                line: text.then_some(inst.place.pos),
                offset: (!text).then_some(inst.place.pos),
                kind,
                name,
                object: node
                    .filter(|_| kind != CallKind::Indirect)
                    .map(|n| n.index()),
                addressed: node.and_then(|node| numbers.get(node)).copied(),
            });
        }
    }
}
