//! The call graph.

use kiln_frontend::module::Module;
use kiln_frontend::text;
use kiln_ir::callgraph::{CallError, CallGraph, CallKind};
use petgraph::graph::NodeIndex;

/// A module of a kernel and functions: name, argument and return sizes in GRFs, instructions.
fn module(kernel: &str, functions: &[(&str, u8, u8, &str)]) -> Module {
    let mut source = format!(
        ".version 4.1\n.kernel \"main\"\n.decl V v_type=G type=uq num_elts=1 align=qword\n{kernel}\nret (M1, 1)\n"
    );
    for (name, args, rets, body) in functions {
        source += &format!(
            ".global_function \"{name}\"\n.decl V v_type=G type=uq num_elts=1 align=qword\n\
             .kernel_attr ArgSize={args}\n.kernel_attr RetValSize={rets}\n{body}\nfret (M1, 16)\n"
        );
    }
    text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

/// Callers and callees by name, and whether it is by name.
fn edges(graph: &CallGraph, module: &Module) -> Vec<(String, String, bool)> {
    let name = |n: NodeIndex| module.objects[graph.graph[n]].name.to_string();
    let mut edges: Vec<_> = graph
        .graph
        .edge_indices()
        .map(|e| {
            let (from, to) = graph.graph.edge_endpoints(e).expect("an edge");
            (
                name(from),
                name(to),
                matches!(graph.graph[e], CallKind::Direct(_)),
            )
        })
        .collect();
    edges.sort();
    edges
}

fn edge(from: &str, to: &str, direct: bool) -> (String, String, bool) {
    (from.into(), to.into(), direct)
}

#[test]
fn callees_come_before_callers() {
    let module = module(
        "fcall (M1, 16) a 2 1",
        &[
            ("a", 2, 1, "fcall (M1, 16) b 0 0"),
            ("b", 0, 0, ""),
            ("alone", 1, 1, ""),
        ],
    );
    let graph = CallGraph::new(&module).expect("sound calls");
    assert_eq!(
        edges(&graph, &module),
        [edge("a", "b", true), edge("main", "a", true)]
    );
    let order: Vec<usize> = graph.order().into_iter().flatten().collect();
    let place = |name: &str| {
        order
            .iter()
            .position(|&o| module.objects[o].name == name)
            .expect("every object has a place")
    };
    assert_eq!(order.len(), 4);
    assert!(place("b") < place("a") && place("a") < place("main"));
}

#[test]
fn recursive_functions_are_one_group() {
    let module = module(
        "fcall (M1, 16) a 0 0",
        &[
            ("a", 0, 0, "fcall (M1, 16) b 0 0"),
            ("b", 0, 0, "fcall (M1, 16) a 0 0"),
        ],
    );
    let order = CallGraph::new(&module).expect("sound calls").order();
    assert_eq!(order, [vec![1, 2], vec![0]]);
}

#[test]
fn sizes_must_fit_the_callee() {
    for (call, what, found, expected) in [("3 1", "arguments", 3, 2), ("2 0", "return value", 0, 1)]
    {
        let module = module(&format!("fcall (M1, 16) a {call}"), &[("a", 2, 1, "")]);
        let error = CallGraph::new(&module)
            .err()
            .expect("sizes that do not fit");
        let (caller, callee) = ("main".into(), "a".into());
        assert_eq!(
            error,
            CallError::Size {
                caller,
                inst: 0,
                callee,
                what,
                found,
                expected
            }
        );
    }
}

#[test]
fn an_unknown_callee_is_named() {
    let module = module("fcall (M1, 16) nowhere 0 0", &[]);
    let error = CallGraph::new(&module).err().expect("no such function");
    assert_eq!(
        error,
        CallError::Unknown {
            caller: "main".into(),
            inst: 0,
            callee: "nowhere".into()
        }
    );
}

#[test]
fn a_call_by_address_may_reach_all_that_fit_and_whose_address_is_taken() {
    let module = module(
        "faddr a V(0,0)<1>\nfaddr b V(0,0)<1>\nfaddr c V(0,0)<1>\nifcall (M1, 16) V(0,0)<0;1,0> 2 1",
        &[
            ("a", 2, 1, ""),
            ("b", 2, 1, ""),
            ("c", 3, 1, ""),
            ("untaken", 2, 1, ""),
        ],
    );
    let graph = CallGraph::new(&module).expect("sound calls");
    assert_eq!(
        edges(&graph, &module),
        [edge("main", "a", false), edge("main", "b", false)]
    );
}
