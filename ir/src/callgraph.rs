//! Who calls whom in a module.
//!
//! Nodes are the module's objects. `FCALL` names its callee. `IFCALL` takes an address: its targets
//! are over-approximated by the functions whose address a `FADDR` takes and whose argument and
//! return sizes match. Gives the order of compilation (callees first) and the recursive groups.

use std::collections::HashMap;

use kiln_frontend::module::{Module, ObjectKind, Operand};
use kiln_frontend::opcode::Opcode;
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// How a caller reaches a callee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// By name; the instruction's index.
    Direct(u32),
    /// Perhaps, by address.
    Indirect(u32),
}

/// Why the calls of a module do not fit together.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    #[error("{caller}, instruction {inst}: no function {callee} in the module")]
    Unknown {
        caller: String,
        inst: usize,
        callee: String,
    },
    #[error(
        "{caller}, instruction {inst}: passes {found} GRFs of {what} to {callee}, which takes {expected}"
    )]
    Size {
        caller: String,
        inst: usize,
        callee: String,
        what: &'static str,
        found: u32,
        expected: u32,
    },
}

/// The call graph of a module; node weights are indices into `Module::objects`.
pub struct CallGraph {
    pub graph: DiGraph<usize, CallKind>,
}

impl CallGraph {
    pub fn new(module: &Module) -> Result<CallGraph, CallError> {
        let mut graph = DiGraph::new();
        let mut by_name = HashMap::new();
        for (i, object) in module.objects.iter().enumerate() {
            by_name.insert(object.name.as_str(), graph.add_node(i));
        }
        let mut taken: Vec<NodeIndex> = Vec::new();
        for object in &module.objects {
            for inst in object.insts.iter().filter(|i| i.op == Opcode::Faddr) {
                if let Some(Operand::Name(name)) = inst.operands.first()
                    && let Some(&node) = by_name.get(name.as_str())
                    && !taken.contains(&node)
                {
                    taken.push(node);
                }
            }
        }
        for (i, object) in module.objects.iter().enumerate() {
            let from = NodeIndex::new(i);
            for (at, inst) in object.insts.iter().enumerate() {
                let found = || inst.passed_grfs().unwrap_or_default();
                match inst.op {
                    Opcode::FCall => {
                        let Some(Operand::Name(name)) = inst.operands.first() else {
                            continue;
                        };
                        let unknown = || CallError::Unknown {
                            caller: object.name.to_string(),
                            inst: at,
                            callee: name.to_string(),
                        };
                        let to = *by_name.get(name.as_str()).ok_or_else(unknown)?;
                        let callee = &module.objects[graph[to]];
                        if let ObjectKind::Function {
                            arg_grfs, ret_grfs, ..
                        } = callee.kind
                        {
                            let declared = [arg_grfs, ret_grfs].map(u32::from);
                            let what = ["arguments", "return value"];
                            for (k, found) in found().into_iter().enumerate() {
                                if found != declared[k] {
                                    return Err(CallError::Size {
                                        caller: object.name.to_string(),
                                        inst: at,
                                        callee: name.to_string(),
                                        what: what[k],
                                        found,
                                        expected: declared[k],
                                    });
                                }
                            }
                        }
                        graph.add_edge(from, to, CallKind::Direct(at as u32));
                    }
                    Opcode::IfCall => {
                        let found = found();
                        for &to in &taken {
                            let ObjectKind::Function {
                                arg_grfs, ret_grfs, ..
                            } = module.objects[graph[to]].kind
                            else {
                                continue;
                            };
                            if found == [arg_grfs, ret_grfs].map(u32::from) {
                                graph.add_edge(from, to, CallKind::Indirect(at as u32));
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(CallGraph { graph })
    }

    /// Groups of objects that call each other, callees before their callers.
    pub fn order(&self) -> Vec<Vec<usize>> {
        tarjan_scc(&self.graph)
            .into_iter()
            .map(|group| {
                let mut objects: Vec<usize> = group.into_iter().map(|n| self.graph[n]).collect();
                objects.sort_unstable();
                objects
            })
            .collect()
    }
}
