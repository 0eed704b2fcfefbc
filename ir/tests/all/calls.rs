//! The call graph.

use kiln_ir::callgraph::{CallGraph, Depth, Edge};
use kiln_visa::module::Module;
use kiln_visa::text;

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

/// Callers and callees by name; true for calls by name.
fn edges(graph: &CallGraph, module: &Module) -> Vec<(String, String, bool)> {
    let name = |number: usize| module.objects[number].name.to_string();
    let mut edges = Vec::new();
    for caller in 0..module.objects.len() {
        for (edge, callee) in graph.callees(caller) {
            match edge {
                Edge::Direct(_) => edges.push((name(caller), name(callee), true)),
                Edge::Indirect(_) => edges.push((name(caller), name(callee), false)),
                Edge::Address(_) | Edge::Member => {}
            }
        }
    }
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
    let graph = CallGraph::new(&module);
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
    let order = CallGraph::new(&module).order();
    assert_eq!(order, [vec![1, 2], vec![0]]);
}

#[test]
fn every_unknown_callee_is_named() {
    let module = module(
        "fcall (M1, 16) nowhere 0 0\nfcall (M1, 16) a 0 0",
        &[("a", 0, 0, "fcall (M1, 16) main 0 0")],
    );
    let graph = CallGraph::new(&module);
    let errors = graph.errors.iter();
    let errors: Vec<_> = errors
        .map(|e| (e.object, e.inst, e.callee.as_str()))
        .collect();
    assert_eq!(errors, [(0, 0, "nowhere"), (1, 0, "main")]);
    assert!(graph.facts(0).open && graph.facts(1).open);
    assert_eq!(graph.depths(|_| 32), [Depth::Unknown, Depth::Unknown]);
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
            ("seen", 2, 1, ".kernel_attr Extern"),
        ],
    );
    let graph = CallGraph::new(&module);
    assert_eq!(
        edges(&graph, &module),
        [
            edge("main", "a", false),
            edge("main", "b", false),
            edge("main", "seen", false)
        ]
    );
    let of = |name: &str| *graph.facts(module.objects.iter().position(|o| o.name == name).unwrap());
    assert!(of("a").address_taken && of("c").address_taken);
    assert!(!of("untaken").address_taken && !of("seen").address_taken);
    assert!(of("seen").visible && of("seen").reached && of("c").reached);
    assert!(!of("untaken").reached && !of("main").open);
    assert_eq!(
        graph.depths(|n| [0, 32, 96, 999, 999, 64][n])[0],
        Depth::Bytes(96)
    );
}

#[test]
fn an_address_from_elsewhere_may_be_of_anything() {
    for kernel in [
        "ifcall (M1, 16) V(0,0)<0;1,0> 2 1",
        "faddr a V(0,0)<1>\nfaddr elsewhere V(0,0)<1>\nifcall (M1, 16) V(0,0)<0;1,0> 2 1",
    ] {
        let module = module(kernel, &[("a", 2, 1, "")]);
        let graph = CallGraph::new(&module);
        assert!(graph.facts(0).open && graph.errors.is_empty());
        assert_eq!(graph.depths(|_| 32)[0], Depth::Unknown);
    }
}

#[test]
fn stacks_are_as_deep_as_the_deepest_chain() {
    let module = module(
        "fcall (M1, 16) a 0 0\nfcall (M1, 16) b 0 0",
        &[
            ("a", 0, 0, "fcall (M1, 16) c 0 0"),
            ("b", 0, 0, ""),
            ("c", 0, 0, ""),
            ("self", 0, 0, "fcall (M1, 16) self 0 0"),
            ("above", 0, 0, "fcall (M1, 16) self 0 0"),
            ("takes", 0, 0, "faddr takes V(0,0)<1>"),
        ],
    );
    let graph = CallGraph::new(&module);
    let depths = graph.depths(|n| [1, 10, 300, 1000, 5, 5, 7][n]);
    let bytes = Depth::Bytes;
    assert_eq!(
        depths,
        [
            bytes(1011),
            bytes(1010),
            bytes(300),
            bytes(1000),
            Depth::Unbounded,
            Depth::Unbounded,
            bytes(7)
        ]
    );
    let recursive: Vec<bool> = (0..7).map(|n| graph.facts(n).recursive).collect();
    assert_eq!(recursive, [false, false, false, false, true, false, false]);
}

/// A call by address may be recursive.
#[test]
fn recursion_goes_through_addresses() {
    let module = module(
        "faddr a V(0,0)<1>\nifcall (M1, 16) V(0,0)<0;1,0> 2 1",
        &[
            ("a", 2, 1, "fcall (M1, 16) b 0 0"),
            ("b", 0, 0, "ifcall (M1, 16) V(0,0)<0;1,0> 2 1"),
        ],
    );
    let graph = CallGraph::new(&module);
    assert_eq!(graph.order(), [vec![1, 2], vec![0]]);
    assert!(graph.facts(1).recursive && graph.facts(2).recursive && !graph.facts(0).recursive);
    assert_eq!(graph.depths(|_| 32), [Depth::Unbounded; 3]);
}

#[test]
fn barriers_are_known_to_all_callers() {
    let module = module(
        "fcall (M1, 16) a 0 0",
        &[
            ("a", 0, 0, "fcall (M1, 16) b 0 0"),
            ("b", 0, 0, "barrier\nbarrier"),
            ("c", 0, 0, ""),
        ],
    );
    let graph = CallGraph::new(&module);
    let found: Vec<_> = (0..4)
        .map(|n| (graph.facts(n).barriers, graph.facts(n).waits))
        .collect();
    assert_eq!(found, [(0, true), (0, true), (2, true), (0, false)]);
}

/// A long chain of calls does not exhaust the host's stack.
#[test]
fn long_chains_are_no_deep_recursion_of_ours() {
    let most = 50_000;
    let names: Vec<String> = (0..most).map(|n| format!("f{n}")).collect();
    let bodies: Vec<String> = (1..=most)
        .map(|n| match n == most {
            true => String::new(),
            false => format!("fcall (M1, 16) f{n} 0 0"),
        })
        .collect();
    let functions: Vec<_> = names
        .iter()
        .zip(&bodies)
        .map(|(name, body)| (name.as_str(), 0, 0, body.as_str()))
        .collect();
    let module = module("fcall (M1, 16) f0 0 0", &functions);
    let graph = CallGraph::new(&module);
    assert_eq!(
        graph.depths(|_| 32)[0],
        Depth::Bytes(32 * (most as u32 + 1))
    );
}
