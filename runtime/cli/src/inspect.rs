//! `kiln inspect`: the call graph of vISA files, and control flow as pictures.
//!
//! The graph is printed even for a module with errors; these go to standard error, and the exit code is 1.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use kiln_compile::callgraph::{
    self, CallGraphReport, CallKind, CallReport, Kind, NoDepth, ObjectReport, StackDepth,
};
use kiln_compile::{Options, Session};
use kiln_emit::platform::Platform;
use miette::Report;
use petgraph::dot::Dot;
use petgraph::graph::{DiGraph, EdgeReference, NodeIndex};
use petgraph::visit::EdgeRef;
use serde::Serialize;

use super::control_flow;
use super::exit::Exit;
use super::input::Input;
use super::layered::{self, Node};
use super::output::{self, Outputs};
use super::platforms::{self, Machine};
use super::{Format, exit, report, stats};

/// Maximum depth of a tree; deeper callees begin a tree of their own.
const MAX_LEVELS: usize = 16;
/// Maximum number of places named in a line of the tree.
const MAX_PLACES: usize = 8;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln inspect examples/nbody/nbody.visaasm -p skl
  kiln inspect examples/nbody/nbody.visaasm --callgraph dot > nbody.dot
  kiln inspect examples/nbody/nbody.zebin --cfg svg -o nbody.svg
  kiln inspect examples/nbody/nbody.visaasm -p skl --cfg svg -o nbody.svg
  kiln inspect examples/nbody/nbody.visaasm -p skl,icllp --cfg svg --stage ra -o nbody.svg")]
pub struct Args {
    /// Binary or text vISA, LLVM IR or SPIR-V for GenX, `-` for standard input; all files are one module
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Form of the call graph [default: as --format]
    #[arg(long, value_name = "FORM")]
    callgraph: Option<Form>,
    /// Draw the control flow instead, with pressure in colour (of vISA: with --platform); several kernels, functions and
    /// platforms have a file each
    #[arg(long, value_name = "FORM", conflicts_with = "callgraph")]
    cfg: Option<control_flow::Form>,
    /// The code whose control flow is drawn [default: as it was read]
    #[arg(long, requires = "cfg")]
    stage: Option<control_flow::Stage>,
    /// File to write
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Platform to compile for, to show each function's frame and clobbered registers; several, with commas, each have their
    /// turn
    #[arg(short, long = "platform", value_name = "PLATFORM", value_delimiter = ',', value_parser = Machine)]
    platforms: Vec<&'static Platform>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A table of kernels and functions, and trees of their calls
    Text,
    /// A graph for Graphviz
    Dot,
    /// A picture of it
    Svg,
    /// JSON, as with `--format json`
    Json,
}

/// Runs the command.
///
/// # Errors
/// The reason why nothing was printed.
pub fn inspect(args: &Args, format: Format) -> Result<Exit, Report> {
    if let Some(form) = args.cfg {
        return draw(args, form, format);
    }
    let inputs = args.inputs.iter().map(|path| Input::open(path));
    let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    let sources: Vec<_> = inputs.iter().map(Input::source).collect();
    let turns: Vec<Option<&Platform>> = match &args.platforms[..] {
        [] => vec![None],
        several => several.iter().copied().map(Some).collect(),
    };
    let mut inspected = Vec::new();
    for platform in turns {
        let session = platform.map(|platform| Session::new(Options::new(platform)));
        let found = callgraph::inspect(&sources, session.as_ref())
            .map_err(|failure| report::failure(&inputs, &failure))?;
        inspected.push((platform.filter(|_| args.platforms.len() > 1), found));
    }
    let mut outputs = Outputs::new(args.inputs.iter().map(PathBuf::as_path));
    let form = match (args.callgraph, format) {
        (Some(form), Format::Json) if form != Form::Json => {
            let form = form.to_possible_value();
            let form = form.as_ref().map_or("", |value| value.get_name());
            return Err(report::usage(format_args!(
                "--format json and --callgraph {form} are two forms"
            )));
        }
        (Some(form), _) => form,
        (None, Format::Json) => Form::Json,
        (None, Format::Text) => Form::Text,
    };
    match form {
        Form::Json => {
            let graphs: Vec<_> = inspected
                .iter()
                .map(|(platform, found)| Inspected {
                    platform: platform.map(|platform| platform.name),
                    graph: &found.report,
                })
                .collect();
            match &graphs[..] {
                [one] => outputs.report(Format::Json, one, String::new)?,
                several => outputs.report(Format::Json, &several, String::new)?,
            }
        }
        Form::Text => {
            for (platform, found) in &inspected {
                if let Some(platform) = platform {
                    outputs.print(&format!("{}:\n", platform.name));
                }
                outputs.print(&text(&found.report));
            }
        }
        Form::Dot | Form::Svg => {
            for (n, (_, found)) in inspected.iter().enumerate() {
                let path = control_flow::numbered(&args.output, n, inspected.len());
                match form {
                    Form::Svg => outputs.svg(&path, svg(&found.report))?,
                    _ => outputs.add(&path, dot(&found.report).into_bytes())?,
                }
            }
        }
    }
    outputs.write()?;
    // Each platform finds the same faults of the module.
    let failures = inspected
        .iter()
        .take(1)
        .flat_map(|(_, found)| &found.failures);
    let failures: Vec<Report> = failures.map(|f| report::failure(&inputs, f)).collect();
    Ok(exit::say(&failures))
}

/// A call graph, with its platform if there are several.
#[derive(Serialize)]
struct Inspected<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    platform: Option<&'static str>,
    #[serde(flatten)]
    graph: &'a CallGraphReport,
}

/// A graph that was drawn.
#[derive(Serialize)]
struct Drawn {
    name: String,
    blocks: usize,
    edges: usize,
}

/// Draws the control flow of all inputs.
fn draw(args: &Args, form: control_flow::Form, format: Format) -> Result<Exit, Report> {
    let mut graphs = Vec::new();
    for (path, platform) in platforms::turns(&args.inputs, &args.platforms) {
        let mut drawn = control_flow::graphs(path, platform, args.stage)?;
        if let Some(platform) = platform.filter(|_| args.platforms.len() > 1) {
            let named = drawn.iter_mut();
            named.for_each(|graph| graph.name += &format!(" ({})", platform.name));
        }
        graphs.extend(drawn);
    }
    let mut outputs = Outputs::new(args.inputs.iter().map(PathBuf::as_path));
    for (n, graph) in graphs.iter().enumerate() {
        let text = graph.text(form);
        match output::is_standard(&args.output) {
            true if format == Format::Json => {}
            true => outputs.print(&text),
            false => {
                let path = control_flow::numbered(&args.output, n, graphs.len());
                outputs.add(&path, text.into_bytes())?;
            }
        }
    }
    let drawn: Vec<Drawn> = graphs
        .into_iter()
        .map(|graph| Drawn {
            blocks: graph.nodes.len(),
            edges: graph.edges.len(),
            name: graph.name,
        })
        .collect();
    outputs.report(format, &drawn, String::new)?;
    outputs.write()?;
    Ok(Exit::Done)
}

fn text(graph: &CallGraphReport) -> String {
    table(&graph.objects) + "\n" + &Tree::new(graph).write()
}

/// A line for each object.
fn table(objects: &[ObjectReport]) -> String {
    let heading = [
        "object", "kind", "vISA", "args", "returns", "barriers", "frame", "stack",
    ];
    let mut rows = vec![heading.map(str::to_string)];
    rows.extend(objects.iter().map(|object| {
        let function = object.kind == Kind::Function;
        let passed = |grfs: u32| match function {
            true => grfs.to_string(),
            false => String::new(),
        };
        [
            object.name.clone(),
            kind(object).to_string(),
            object.instructions.to_string(),
            passed(object.arguments),
            passed(object.returns),
            object.barriers.to_string(),
            object
                .frame_bytes
                .map_or_else(String::new, |b| b.to_string()),
            object.stack.map_or_else(String::new, depth),
        ]
    }));
    let mut out = String::new();
    let lines = stats::align(&rows);
    let notes = std::iter::once("notes".to_string()).chain(objects.iter().map(notes));
    for (line, notes) in lines.lines().zip(notes) {
        let line = format!("{line}  {notes}");
        _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

fn kind(object: &ObjectReport) -> &'static str {
    match object.kind {
        Kind::Kernel => "kernel",
        Kind::Function => "function",
    }
}

fn depth(depth: StackDepth) -> String {
    match depth {
        StackDepth::Bytes(bytes) => bytes.to_string(),
        StackDepth::Word(NoDepth::Unknown) => "unknown".to_string(),
        StackDepth::Word(NoDepth::Unbounded) => "unbounded".to_string(),
    }
}

fn notes(object: &ObjectReport) -> String {
    let mut notes = Vec::new();
    let subroutines = match object.subroutines {
        1 => "1 subroutine".to_string(),
        n => format!("{n} subroutines"),
    };
    let facts = [
        (object.subroutines > 0, subroutines.as_str()),
        (object.recursive, "recursive"),
        (object.waits && object.barriers == 0, "waits in a callee"),
        (object.address_taken, "address taken"),
        (object.visible, "seen by other modules"),
        (object.open, "calls out of the module"),
        (!object.reached, "not reached"),
    ];
    notes.extend(facts.iter().filter(|(is, _)| *is).map(|(_, what)| *what));
    let overwritten = object
        .overwritten
        .as_ref()
        .filter(|_| object.kind == Kind::Function);
    let overwritten = overwritten.map(|registers| match registers.as_slice() {
        [] => "overwrites nothing".to_string(),
        registers => format!("overwrites {}", registers.join(" ")),
    });
    notes.extend(overwritten.as_deref());
    notes.join(", ")
}

/// A node of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Item<'g> {
    Object(usize),
    /// All functions that calls by address with these sizes may reach.
    Addressed(usize),
    /// A function that the module does not have.
    Missing(&'g str),
    /// An unknown address.
    Anywhere,
}

/// Call trees as indented lines. The callees of each object are written only once.
struct Tree<'g> {
    graph: &'g CallGraphReport,
    /// Calls by object.
    calls: Vec<Vec<&'g CallReport>>,
    /// Nodes whose callees have been written.
    done: HashSet<Item<'g>>,
    /// Nodes that begin a tree.
    roots: Vec<Item<'g>>,
    out: String,
}

impl<'g> Tree<'g> {
    fn new(graph: &'g CallGraphReport) -> Tree<'g> {
        let mut calls = vec![Vec::new(); graph.objects.len()];
        for call in graph.calls.iter().filter(|c| c.kind != CallKind::Address) {
            calls[call.caller].push(call);
        }
        // Kernels first, then functions that no earlier tree calls. It is a stack, so the last is written first.
        let of = |kind| {
            let objects = graph.objects.iter().enumerate();
            objects.filter(move |(_, o)| o.kind == kind)
        };
        let objects = of(Kind::Kernel).chain(of(Kind::Function));
        let mut roots: Vec<_> = objects.map(|(number, _)| Item::Object(number)).collect();
        roots.reverse();
        Tree {
            graph,
            calls,
            done: HashSet::new(),
            roots,
            out: String::new(),
        }
    }

    fn write(mut self) -> String {
        while let Some(root) = self.roots.pop() {
            if self.done.insert(root) {
                let name = self.name(root);
                _ = writeln!(self.out, "{name}");
                self.below(root);
            }
        }
        self.out
    }

    fn name(&self, item: Item) -> String {
        match item {
            Item::Object(number) => self.graph.objects[number].name.clone(),
            Item::Addressed(number) => {
                let group = &self.graph.addressed[number];
                format!("by address, {} to {} GRFs", group.arguments, group.returns)
            }
            Item::Missing(name) => format!("{name} (not in the module)"),
            Item::Anywhere => "by address (not known)".to_string(),
        }
    }

    fn is_leaf(&self, item: Item) -> bool {
        match item {
            Item::Object(number) => self.calls[number].is_empty(),
            Item::Addressed(_) => false,
            Item::Missing(_) | Item::Anywhere => true,
        }
    }

    /// Callees of an item, each with the instructions that call it.
    fn callees(&self, item: Item<'g>) -> Vec<(Item<'g>, Vec<usize>)> {
        let mut callees: Vec<(Item, Vec<usize>)> = Vec::new();
        let mut at: HashMap<Item, usize> = HashMap::new();
        match item {
            Item::Object(number) => {
                for call in &self.calls[number] {
                    let to = match (call.object, call.addressed, &call.name) {
                        (Some(object), ..) => Item::Object(object),
                        (None, Some(group), _) => Item::Addressed(group),
                        (None, None, Some(name)) => Item::Missing(name),
                        (None, None, None) => Item::Anywhere,
                    };
                    let known = *at.entry(to).or_insert(callees.len());
                    if known == callees.len() {
                        callees.push((to, Vec::new()));
                    }
                    callees[known].1.push(call.instruction);
                }
            }
            Item::Addressed(number) => {
                let objects = self.graph.addressed[number].objects.iter();
                callees.extend(objects.map(|object| (Item::Object(*object), Vec::new())));
            }
            Item::Missing(_) | Item::Anywhere => {}
        }
        callees
    }

    /// Writes the callees of an item, and theirs.
    fn below(&mut self, root: Item<'g>) {
        let mut path = vec![root];
        let mut levels = vec![self.callees(root).into_iter().peekable()];
        while let Some(level) = levels.last_mut() {
            let Some((item, places)) = level.next() else {
                levels.pop();
                path.pop();
                continue;
            };
            let last = level.peek().is_none();
            let indents: Vec<bool> = levels.iter_mut().map(|l| l.peek().is_some()).collect();
            for more in &indents[..indents.len() - 1] {
                self.out.push_str(if *more { "│  " } else { "   " });
            }
            self.out.push_str(if last { "└─ " } else { "├─ " });
            let mut line = self.name(item);
            if !places.is_empty() {
                _ = write!(line, "  at {}", listed(&places));
            }
            if path.contains(&item) {
                line += "  (recursion)";
            } else if self.is_leaf(item) {
                self.done.insert(item);
            } else if self.done.contains(&item) {
                line += "  (above)";
            } else if levels.len() >= MAX_LEVELS {
                line += "  (below)";
                self.roots.push(item);
            } else {
                self.done.insert(item);
                path.push(item);
                levels.push(self.callees(item).into_iter().peekable());
            }
            _ = writeln!(self.out, "{line}");
        }
    }
}

fn listed(places: &[usize]) -> String {
    let (shown, more) = places.split_at(places.len().min(MAX_PLACES));
    let mut list: Vec<_> = shown.iter().map(usize::to_string).collect();
    if !more.is_empty() {
        list.push(format!("{} more", more.len()));
    }
    list.join(", ")
}

/// The calls as a picture: the colour of a function is its part of all instructions.
fn svg(graph: &CallGraphReport) -> String {
    let most = graph
        .objects
        .iter()
        .map(|object| object.instructions)
        .max()
        .unwrap_or(1)
        .max(1);
    let nodes = graph.objects.iter().map(|object| {
        let mut lines = vec![
            object.name.clone(),
            format!("{}, {} instructions", kind(object), object.instructions),
        ];
        lines.extend(object.stack.map(|stack| format!("stack {}", depth(stack))));
        Node {
            lines,
            heat: object.instructions as f64 / most as f64,
            loops: u32::from(object.recursive),
        }
    });
    let groups = graph.addressed.iter().map(|group| Node {
        lines: vec![
            "by address".to_string(),
            format!("{} to {} GRFs", group.arguments, group.returns),
        ],
        heat: 0.0,
        loops: 0,
    });
    let nodes: Vec<Node> = nodes.chain(groups).collect();
    let first = graph.objects.len();
    let calls = graph.calls.iter().filter_map(|call| {
        let group = call.addressed.map(|group| first + group);
        Some((call.caller, call.object.or(group)?))
    });
    let members = graph
        .addressed
        .iter()
        .enumerate()
        .flat_map(|(group, addressed)| {
            addressed
                .objects
                .iter()
                .map(move |object| (first + group, *object))
        });
    let mut edges: Vec<(usize, usize)> = calls.chain(members).collect();
    edges.sort_unstable();
    edges.dedup();
    layered::svg("calls", &nodes, &edges)
}

/// A graph for Graphviz: boxes are kernels, ellipses functions, diamonds sets of functions called by address. Dotted
/// lines take an address; dashed nodes are not in the module.
fn dot(graph: &CallGraphReport) -> String {
    struct Shown {
        label: String,
        attributes: &'static str,
    }
    let mut out: DiGraph<Shown, (String, &'static str)> = DiGraph::new();
    for object in &graph.objects {
        let mut label = object.name.clone();
        if let Some(stack) = object.stack {
            _ = write!(label, "\nstack {}", depth(stack));
        }
        let notes = [
            (object.recursive, "recursive"),
            (object.waits, "waits"),
            (!object.reached, "not reached"),
        ];
        for (_, note) in notes.iter().filter(|(is, _)| *is) {
            _ = write!(label, "\n{note}");
        }
        let attributes = match object.kind {
            Kind::Kernel => "shape = box",
            Kind::Function => "shape = ellipse",
        };
        out.add_node(Shown { label, attributes });
    }
    let groups: Vec<NodeIndex> = graph
        .addressed
        .iter()
        .map(|group| {
            let label = format!("by address\n{} to {} GRFs", group.arguments, group.returns);
            let attributes = "shape = diamond";
            let node = out.add_node(Shown { label, attributes });
            for object in &group.objects {
                out.add_edge(
                    node,
                    NodeIndex::new(*object),
                    (String::new(), "style = solid"),
                );
            }
            node
        })
        .collect();
    let mut missing: HashMap<&str, NodeIndex> = HashMap::new();
    for call in &graph.calls {
        let to = match (call.object, call.addressed) {
            (Some(object), _) => NodeIndex::new(object),
            (None, Some(group)) => groups[group],
            (None, None) => {
                let name = call.name.as_deref().unwrap_or("an address");
                *missing.entry(name).or_insert_with(|| {
                    let (label, attributes) = (name.to_string(), "style = dashed");
                    out.add_node(Shown { label, attributes })
                })
            }
        };
        let style = match call.kind {
            CallKind::Direct | CallKind::Indirect => "style = solid",
            CallKind::Address => "style = dotted",
        };
        let from = NodeIndex::new(call.caller);
        out.add_edge(from, to, (call.instruction.to_string(), style));
    }
    let shown = out.map(|_, node| node.label.clone(), |_, edge| edge.0.clone());
    let edge = |_, e: EdgeReference<String>| out[e.id()].1.to_string();
    let node = |_, (n, _): (NodeIndex, &String)| out[n].attributes.to_string();
    Dot::with_attr_getters(&shown, &[], &edge, &node).to_string()
}
