//! A layered drawing of a directed graph.
//!
//! Takes the sizes of nodes and the edges between them. Gives a place for each node and a path for each edge; edges go
//! down, but for those that close a cycle. The method is that of Sugiyama, Tagawa and Toda ("Methods for Visual Understanding
//! of Hierarchical System Structures"): cycles are opened by a depth-first search, layers are longest paths, long edges get
//! a point a layer, barycenters order each layer, and points move to the middle of their neighbours. Everything is in
//! the order of the input, so that a graph has one drawing. The time is linear in nodes and edges times layers passed.

use std::fmt::Write;

/// Distances between nodes, and between layers.
const GAP: f64 = 22.0;
const LAYER_GAP: f64 = 34.0;
/// Passes over the layers that order them, and that move points.
const SWEEPS: usize = 8;
/// Number of points beyond which long edges are drawn without points between.
const MAX_POINTS: usize = 20_000;

/// A drawing.
pub struct Drawing {
    pub width: f64,
    pub height: f64,
    /// Left upper corner of each node.
    pub places: Vec<(f64, f64)>,
    /// Path of each edge in the notation of SVG, and true if it goes up.
    pub edges: Vec<(String, bool)>,
}

/// Draws a graph.
pub fn draw(sizes: &[(f64, f64)], edges: &[(usize, usize)]) -> Drawing {
    let count = sizes.len();
    let back = back_edges(count, edges);
    let layer = layers(count, edges, &back);
    // Points: the nodes, and those of long edges.
    let mut points: Vec<(f64, f64)> = sizes.to_vec();
    let mut layer_of = layer.clone();
    let mut chains: Vec<Vec<usize>> = Vec::with_capacity(edges.len());
    let mut links: Vec<(usize, usize)> = Vec::new();
    for (&(from, to), back) in edges.iter().zip(&back) {
        let mut chain = vec![from];
        if !back && points.len() < MAX_POINTS {
            for between in layer[from] + 1..layer[to] {
                chain.push(points.len());
                points.push((8.0, 0.0));
                layer_of.push(between);
            }
        }
        chain.push(to);
        if !back {
            links.extend(chain.windows(2).map(|two| (two[0], two[1])));
        }
        chains.push(chain);
    }
    let rows = order(&layer_of, &links, points.len());
    let x = across(&rows, &points, &links);
    let heights = rows
        .iter()
        .map(|row| row.iter().map(|at| points[*at].1).fold(0.0, f64::max));
    let mut tops = Vec::with_capacity(rows.len());
    let mut top = GAP;
    for height in heights {
        tops.push((top, height));
        top += height + LAYER_GAP;
    }
    let right = (0..points.len())
        .map(|at| x[at] + points[at].0 / 2.0)
        .fold(0.0, f64::max);
    let middle = |at: usize| {
        let (top, height) = tops[layer_of[at]];
        (x[at], top, height)
    };
    let mut width = right + GAP;
    let mut paths = Vec::with_capacity(edges.len());
    for (n, (chain, back)) in chains.iter().zip(&back).enumerate() {
        let (from, to) = edges[n];
        let (start, end) = (middle(from), middle(to));
        let mut path = String::new();
        // Writing to memory cannot fail.
        if *back {
            let lane = right + GAP * (1.0 + (n % 4) as f64 / 2.0);
            width = width.max(lane + GAP);
            // An edge to its own node leaves it below where it enters it.
            let part = if from == to { 0.25 } else { 0.0 };
            let y0 = start.1 + points[from].1 * (0.5 + part);
            let y1 = end.1 + points[to].1 * (0.5 - part);
            let (x0, x1) = (start.0 + points[from].0 / 2.0, end.0 + points[to].0 / 2.0);
            let _ = write!(
                path,
                "M{x0:.1} {y0:.1}C{lane:.1} {y0:.1} {lane:.1} {y1:.1} {x1:.1} {y1:.1}"
            );
        } else {
            let mut at = (start.0, start.1 + points[from].1);
            let _ = write!(path, "M{:.1} {:.1}", at.0, at.1);
            for next in &chain[1..] {
                let (x, top, height) = middle(*next);
                let half = (top - at.1) / 2.0;
                let _ = write!(
                    path,
                    "C{:.1} {:.1} {x:.1} {:.1} {x:.1} {top:.1}",
                    at.0,
                    at.1 + half,
                    top - half
                );
                at = (x, top);
                if *next >= count {
                    let _ = write!(path, "L{x:.1} {:.1}", top + height);
                    at.1 = top + height;
                }
            }
        }
        paths.push((path, *back));
    }
    let places = (0..count)
        .map(|at| (x[at] - points[at].0 / 2.0, middle(at).1))
        .collect();
    Drawing {
        width,
        height: top,
        places,
        edges: paths,
    }
}

/// True for each edge to a node that a depth-first search comes from.
fn back_edges(count: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (n, (from, _)) in edges.iter().enumerate() {
        out[*from].push(n);
    }
    let mut back = vec![false; edges.len()];
    // 0: not seen, 1: on the path, 2: done.
    let mut state = vec![0u8; count];
    for root in 0..count {
        if state[root] != 0 {
            continue;
        }
        let mut path = vec![(root, 0)];
        state[root] = 1;
        while let Some((node, next)) = path.last_mut() {
            let Some(&edge) = out[*node].get(*next) else {
                state[*node] = 2;
                path.pop();
                continue;
            };
            *next += 1;
            let to = edges[edge].1;
            match state[to] {
                0 => {
                    state[to] = 1;
                    path.push((to, 0));
                }
                1 => back[edge] = true,
                _ => {}
            }
        }
    }
    back
}

/// The layer of each node: the longest path to it.
fn layers(count: usize, edges: &[(usize, usize)], back: &[bool]) -> Vec<usize> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut missing = vec![0usize; count];
    for ((from, to), _) in edges.iter().zip(back).filter(|(_, back)| !**back) {
        out[*from].push(*to);
        missing[*to] += 1;
    }
    let mut layer = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|at| missing[*at] == 0).collect();
    while let Some(at) = ready.pop() {
        for &to in &out[at] {
            layer[to] = layer[to].max(layer[at] + 1);
            missing[to] -= 1;
            if missing[to] == 0 {
                ready.push(to);
            }
        }
    }
    layer
}

/// The points of each layer, ordered by the mean place of their neighbours.
fn order(layer: &[usize], links: &[(usize, usize)], count: usize) -> Vec<Vec<usize>> {
    let depth = layer.iter().max().map_or(0, |most| most + 1);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); depth];
    for at in 0..count {
        rows[layer[at]].push(at);
    }
    let (above, below) = neighbours(links, count);
    let mut place = vec![0.0; count];
    let number = |row: &[usize], place: &mut Vec<f64>| {
        for (n, at) in row.iter().enumerate() {
            place[*at] = n as f64 - row.len() as f64 / 2.0;
        }
    };
    rows.iter().for_each(|row| number(row, &mut place));
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        let side = if down { &above } else { &below };
        for n in 0..depth {
            let row = &mut rows[if down { n } else { depth - 1 - n }];
            let mut keys: Vec<(f64, usize)> = Vec::with_capacity(row.len());
            for &at in row.iter() {
                keys.push((mean(&side[at], &place).unwrap_or(place[at]), at));
            }
            keys.sort_by(|a, b| a.0.total_cmp(&b.0));
            *row = keys.into_iter().map(|(_, at)| at).collect();
            number(row, &mut place);
        }
    }
    rows
}

type Neighbours = Vec<Vec<usize>>;

fn neighbours(links: &[(usize, usize)], count: usize) -> (Neighbours, Neighbours) {
    let (mut above, mut below) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for &(from, to) in links {
        above[to].push(from);
        below[from].push(to);
    }
    (above, below)
}

fn mean(of: &[usize], place: &[f64]) -> Option<f64> {
    let sum: f64 = of.iter().map(|at| place[*at]).sum();
    (!of.is_empty()).then(|| sum / of.len() as f64)
}

/// The middle of each point.
fn across(rows: &[Vec<usize>], points: &[(f64, f64)], links: &[(usize, usize)]) -> Vec<f64> {
    let (above, below) = neighbours(links, points.len());
    let mut x = vec![0.0; points.len()];
    for row in rows {
        let mut left = 0.0;
        for &at in row {
            x[at] = left + points[at].0 / 2.0;
            left += points[at].0 + GAP;
        }
        row.iter().for_each(|at| x[*at] -= left / 2.0);
    }
    for sweep in 0..2 * SWEEPS {
        let down = sweep % 2 == 0;
        let side = if down { &above } else { &below };
        for n in 0..rows.len() {
            let row = &rows[if down { n } else { rows.len() - 1 - n }];
            let wanted: Vec<f64> = row
                .iter()
                .map(|at| mean(&side[*at], &x).unwrap_or(x[*at]))
                .collect();
            settle(row, &wanted, points, &mut x);
        }
    }
    let least = (0..points.len())
        .map(|at| x[at] - points[at].0 / 2.0)
        .fold(f64::INFINITY, f64::min);
    x.iter().map(|x| x - least + GAP).collect()
}

/// Puts the points of a layer as near to the wanted places as their order allows: the middle of what they can reach from
/// the left and from the right.
fn settle(row: &[usize], wanted: &[f64], points: &[(f64, f64)], x: &mut [f64]) {
    let apart = |a: usize, b: usize| (points[a].0 + points[b].0) / 2.0 + GAP;
    let mut from_left = wanted.to_vec();
    for n in 1..row.len() {
        from_left[n] = from_left[n].max(from_left[n - 1] + apart(row[n - 1], row[n]));
    }
    let mut from_right = wanted.to_vec();
    for n in (1..row.len()).rev() {
        from_right[n - 1] = from_right[n - 1].min(from_right[n] - apart(row[n - 1], row[n]));
    }
    for (n, at) in row.iter().enumerate() {
        x[*at] = (from_left[n] + from_right[n]) / 2.0;
    }
}

/// A node of a picture: lines of text, a colour, and the loops around it.
pub struct Node {
    pub lines: Vec<String>,
    /// From 0 to 1.
    pub heat: f64,
    pub loops: u32,
}

/// Width of a character, height of a line, and the space around them.
const CHAR: f64 = 6.7;
const LINE: f64 = 14.0;
const PAD: f64 = 7.0;

/// The size of a node's text.
pub fn size_of(lines: &[String]) -> (f64, f64) {
    let widest = lines
        .iter()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0);
    (
        widest as f64 * CHAR + 2.0 * PAD,
        lines.len() as f64 * LINE + 2.0 * PAD - 4.0,
    )
}

/// A graph as SVG. The colour of a node is between white and orange, its border is thicker with each loop.
pub fn svg(title: &str, nodes: &[Node], edges: &[(usize, usize)]) -> String {
    let sizes: Vec<(f64, f64)> = nodes.iter().map(|node| size_of(&node.lines)).collect();
    let drawing = draw(&sizes, edges);
    let top = LINE * 2.0;
    let mut out = String::new();
    // Writing to memory cannot fail.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.0}\" height=\"{h:.0}\" viewBox=\"0 {t:.0} {w:.0} {h:.0}\" font-family=\"monospace\" font-size=\"11\">\n\
         <defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 1L7 4L0 7z\" fill=\"#556\"/></marker></defs>\n\
         <rect x=\"0\" y=\"{t:.0}\" width=\"{w:.0}\" height=\"{h:.0}\" fill=\"#fff\"/>\n<text x=\"8\" y=\"-8\" font-size=\"13\">{}</text>\n",
        escaped(title),
        w = drawing.width,
        h = drawing.height + top,
        t = -top,
    );
    for (path, back) in &drawing.edges {
        let colour = if *back { "#8659b8" } else { "#778" };
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.3\" marker-end=\"url(#a)\"/>"
        );
    }
    for ((node, (x, y)), (width, height)) in nodes.iter().zip(&drawing.places).zip(&sizes) {
        let _ = write!(
            out,
            "<g><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"4\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"/>",
            heat(node.heat),
            if node.loops > 0 { "#8659b8" } else { "#99a" },
            1 + node.loops.min(4),
        );
        for (n, line) in node.lines.iter().enumerate() {
            let (x, y) = (x + PAD, y + PAD + LINE * (n as f64 + 0.7));
            let _ = write!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
                escaped(line)
            );
        }
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// A graph for Graphviz.
pub fn dot(title: &str, nodes: &[Node], edges: &[(usize, usize)]) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut out = format!(
        "digraph \"{}\" {{\n  node [shape=box, style=filled, fontname=monospace];\n",
        quoted(title)
    );
    for (n, node) in nodes.iter().enumerate() {
        let lines: Vec<String> = node.lines.iter().map(|line| quoted(line) + "\\l").collect();
        let _ = writeln!(
            out,
            "  n{n} [label=\"{}\", fillcolor=\"{}\", penwidth={}];",
            lines.concat(),
            heat(node.heat),
            1 + node.loops.min(4)
        );
    }
    for (from, to) in edges {
        let _ = writeln!(out, "  n{from} -> n{to};");
    }
    out.push_str("}\n");
    out
}

/// A colour between white and orange.
fn heat(amount: f64) -> String {
    let amount = amount.clamp(0.0, 1.0);
    let part = |full: f64| (255.0 - (255.0 - full) * amount).round() as u8;
    format!("#{:02x}{:02x}{:02x}", part(247.0), part(150.0), part(80.0))
}

/// Text within XML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
