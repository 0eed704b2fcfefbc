//! `kiln inspect`, and the decisions that depend on the call graph: the objects compiled, and the size of a kernel's
//! stack.

use std::fs;

use serde_json::Value;

use crate::program::{Folder, fail, kiln, pass, text};

/// A kernel or function of that name, its attributes and instructions.
fn object(kind: &str, name: &str, lines: &str) -> String {
    let end = match kind {
        "kernel" => "ret (M1, 1)",
        _ => "fret (M1, 16)",
    };
    format!(
        ".version 4.1\n.{kind} \"{name}\"\n.decl V32 v_type=G type=uq num_elts=1 align=qword\n\
         .kernel_attr Target=\"cm\"\n.kernel_attr SimdSize=16\n{lines}\n{end}\n"
    )
}

fn function(name: &str, lines: &str) -> String {
    object("global_function", name, lines)
}

/// A module with every kind of call.
fn files(folder: &Folder) -> [String; 2] {
    let kernel = object(
        "kernel",
        "main",
        "fcall (M1, 16) direct 0 0\nfaddr pointed V32(0,0)<1>\n\
         ifcall (M1, 16) V32(0,0)<0;1,0> 1 0\nfcall (M1, 16) direct 0 0",
    );
    let functions = [
        function("direct", "fcall (M1, 16) deep 0 0"),
        function("deep", "barrier"),
        function("pointed", ".kernel_attr ArgSize=1"),
        function("seen", ".kernel_attr ArgSize=1\n.kernel_attr Extern"),
        function("itself", "fcall (M1, 16) itself 0 0"),
    ];
    [
        folder.write("kernel.visaasm", kernel),
        folder.write("functions.visaasm", functions.concat()),
    ]
}

#[test]
fn calls_are_a_table_and_trees() {
    let folder = Folder::new("inspect");
    let [kernel, functions] = files(&folder);
    let shown = pass(&["inspect", &kernel, &functions]);
    let (table, trees) = shown.split_once("\n\n").unwrap();
    let line = |name: &str| {
        let line = table.lines().find(|l| l.starts_with(name)).unwrap();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("main"), "main kernel 5 0 waits in a callee");
    assert_eq!(line("deep"), "deep function 2 0 0 1");
    assert_eq!(line("pointed"), "pointed function 1 1 0 0 address taken");
    assert_eq!(
        line("itself"),
        "itself function 2 0 0 0 unbounded recursive, not reached"
    );
    assert_eq!(
        trees,
        "main\n\
         ├─ direct  at 0, 3\n\
         │  └─ deep  at 0\n\
         └─ by address, 1 to 0 GRFs  at 2\n\
         \u{20}  ├─ pointed\n\
         \u{20}  └─ seen\n\
         itself\n\
         └─ itself  at 0  (recursion)\n"
    );
}

#[test]
fn calls_are_a_graph_for_graphviz() {
    let folder = Folder::new("inspect-dot");
    let [kernel, functions] = files(&folder);
    let odd = folder.write("odd.visaasm", object("kernel", "a \\\"b\\\\", ""));
    let shown = pass(&["inspect", "--callgraph", "dot", &kernel, &functions, &odd]);
    assert!(
        shown.starts_with("digraph {\n") && shown.ends_with("}\n"),
        "{shown}"
    );
    for line in [
        "0 [ label = \"main\\lwaits\" shape = box]",
        "0 -> 1 [ label = \"3\" style = solid]",
        "0 -> 3 [ label = \"1\" style = dotted]",
        "5 [ label = \"itself\\lstack unbounded\\lrecursive\\lnot reached\" shape = ellipse]",
    ] {
        assert!(shown.lines().any(|l| l.trim() == line), "{line}\n{shown}");
    }
    // Text from the input appears only in strings, and a string ends on its line.
    for line in shown.lines() {
        let quotes = line.replace("\\\\", "").replace("\\\"", "");
        assert_eq!(quotes.matches('"').count() % 2, 0, "{line}");
    }
}

#[test]
fn calls_are_json() {
    let folder = Folder::new("inspect-json");
    let [kernel, functions] = files(&folder);
    let shown = pass(&[
        "inspect",
        "--callgraph",
        "json",
        "-p",
        "skl",
        &kernel,
        &functions,
    ]);
    let graph: Value = serde_json::from_str(&shown).unwrap();
    let keys = |value: &Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort_unstable();
        keys.join(" ")
    };
    assert_eq!(keys(&graph), "addressed calls groups objects");
    assert_eq!(
        keys(&graph["objects"][0]),
        "address_taken arguments barriers file frame_bytes instructions kind name open overwritten \
         reached recursive returns stack subroutines visible waits"
    );
    assert_eq!(
        keys(&graph["calls"][0]),
        "addressed caller instruction kind line name object offset"
    );
    assert_eq!(keys(&graph["addressed"][0]), "arguments objects returns");
    assert_eq!(graph["objects"][0]["file"], kernel);
    assert_eq!(graph["objects"][1]["frame_bytes"], 32);
    assert_eq!(graph["objects"][0]["stack"], 32);
    assert_eq!(graph["objects"][5]["stack"], "unbounded");
    assert_eq!(graph["calls"][1]["kind"], "address");
    assert_eq!(graph["calls"][2]["addressed"], 0);
    assert_eq!(graph["calls"][2]["line"], 8);
    // Callees come before their callers.
    let groups = graph["groups"].as_array().unwrap();
    let place = |n: u64| groups.iter().position(|g| g[0] == n).unwrap();
    assert!(place(2) < place(1) && place(1) < place(0) && place(3) < place(0));
}

/// Each error is a diagnostic with its line; the graph is still printed.
#[test]
fn what_is_wrong_is_said_with_its_place() {
    let folder = Folder::new("inspect-wrong");
    let [kernel, functions] = files(&folder);
    let again = folder.write("again.visaasm", function("deep", ""));
    for (lines, message, place) in [
        (
            "fcall (M1, 16) nowhere 0 0",
            "no function nowhere in the module",
            6,
        ),
        (
            "fcall (M1, 16) direct 1 0",
            "the argument of the call is 1 GRFs, direct declares 0",
            6,
        ),
        (
            "faddr pointed V32(0,0)<1>\nifcall (M1, 16) V32(0,0)<0;1,0> 7 0",
            "no function whose address is taken has 7 GRFs",
            7,
        ),
        (
            "call (M1, 16) one\nret (M1, 1)\n.function \"one\"\none:\ncall (M1, 16) one",
            "the call of one leads back to itself",
            10,
        ),
    ] {
        let wrong = folder.write("wrong.visaasm", object("kernel", "wrong", lines));
        for args in [
            &["inspect", &kernel, &functions, &wrong][..],
            &[
                "compile", "-p", "skl", "-o", "-", "--emit", "asm", &functions, &wrong,
            ],
        ] {
            let out = kiln(args);
            let said = text(&out.stderr);
            assert_eq!(out.status.code(), Some(1), "{args:?}");
            assert!(said.contains(message), "{message}\n{said}");
            assert!(
                said.contains(&format!("{wrong}:{place}:1")),
                "{place}\n{said}"
            );
            let graph = text(&out.stdout);
            assert_eq!(graph.contains("wrong"), args[0] == "inspect", "{graph}");
        }
    }
    let twice = [
        "compile", "-p", "skl", "-o", "-", &kernel, &functions, &again,
    ];
    fail(&folder, &twice, &["V0038", &format!("{again}:2:1")]);
    // Two kernels of one name, where all files are one module; both are in the table.
    let other = folder.write("other.visaasm", object("kernel", "main", "barrier"));
    for args in [
        &["inspect", &kernel, &functions, &other][..],
        &["check", "--one-module", &kernel, &functions, &other],
        &["pressure", "-p", "skl", &kernel, &functions, &other],
    ] {
        let out = kiln(args);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{args:?}");
        let place = format!("{other}:2:1");
        assert!(said.contains("V0038") && said.contains(&place), "{said}");
    }
}

/// Unreachable functions are not compiled, unless other modules may call them; a module of functions only is a
/// library.
#[test]
fn functions_are_compiled_if_something_may_reach_them() {
    let folder = Folder::new("reached");
    let [kernel, functions] = files(&folder);
    let dump = |inputs: &[&str]| {
        let args = [&["compile", "-p", "skl", "--dump", "ra"], inputs].concat();
        let out = pass(&args);
        let names = out
            .lines()
            .filter_map(|l| l.strip_prefix("// ")?.strip_suffix(": ra"));
        let mut names: Vec<String> = names.map(str::to_string).collect();
        names.sort_unstable();
        names
    };
    // Functions that are called by name are part of the kernel's code.
    let one = folder.path("one.visaasm");
    let text = |file| fs::read_to_string(file).unwrap();
    fs::write(&one, text(&kernel) + &text(&functions)).unwrap();
    assert_eq!(dump(&[&one]), ["main", "pointed", "seen"]);
    let asm = pass(&[
        "compile", "-p", "skl", "--emit", "asm", "-o", "-", &functions,
    ]);
    let names: Vec<_> = asm
        .lines()
        .filter_map(|l| l.strip_prefix("// kernel "))
        .collect();
    assert_eq!(names, ["direct", "deep", "pointed", "seen", "itself"]);
}
