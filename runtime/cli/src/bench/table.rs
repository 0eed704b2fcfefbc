//! The table of a bench: sums and ratios, then the kernels that stand out.

use std::fmt::Write;

use super::super::output::plain;
use super::super::stats::align;
use super::{Benched, Figures, Row, Side};

/// Rows in a list of the worst kernels, and in a list of the largest or slowest.
const WORST_ROWS: usize = 10;
const LARGEST_ROWS: usize = 5;
/// Minimum number of the reference's instructions for a ratio to be meaningful; the limit that such a ratio may reach
/// follows.
const MIN_RATED_INSTS: usize = 200;
const MAX_RATIO: f64 = 1.08;
/// Number of the reference's instructions above which the start of a process does not matter.
const LONG_INSTS: f64 = 2000.0;
/// Two kernels are of similar size if the ratio of their sizes is below this.
const MAX_SIZE_RATIO: f64 = 2.0;

/// A figure of one side of a row.
type Of = fn(&Side, &Figures) -> f64;

const INSTRUCTIONS: Of = |_, f| f.instructions as f64;
const CYCLES: Of = |_, f| f.cycles;
const SECONDS: Of = |side, _| side.seconds;
const PEAK: Of = |side, _| side.peak_bytes as f64 / 1048576.0;

const SYNCS: &str = "of these, `sync`";

/// Summed figures, with their decimal places.
const SUMS: [(&str, usize, Of); 8] = [
    ("instructions", 0, INSTRUCTIONS),
    (SYNCS, 0, |_, f| f.syncs as f64),
    ("bytes", 0, |_, f| f.bytes as f64),
    ("spill bytes", 0, |_, f| f.spill_bytes as f64),
    ("spill and fill messages", 0, |_, f| {
        (f.spills + f.fills) as f64
    }),
    ("estimated cycles", 0, CYCLES),
    ("seconds, a process a kernel", 2, SECONDS),
    ("peak MiB, sum", 0, PEAK),
];

/// A kernel that both compiled, or that ours compiled if nothing is compared.
struct Pair<'a> {
    row: &'a Row,
    ours: &'a Figures,
    reference: Option<(&'a Side, &'a Figures)>,
}

impl Pair<'_> {
    fn ours(&self, of: Of) -> f64 {
        of(&self.row.ours, self.ours)
    }

    fn reference(&self, of: Of) -> f64 {
        self.reference
            .map_or(0.0, |(side, figures)| of(side, figures))
    }

    fn ratio(&self, of: Of) -> f64 {
        self.ours(of) / self.reference(of)
    }
}

/// Writes all tables.
pub fn write(benched: &Benched) -> String {
    let rows = &benched.rows;
    let pairs: Vec<Pair> = rows.iter().filter_map(pair).collect();
    let compared = rows.iter().any(|row| row.reference.is_some());
    let mut out = String::new();
    let refused = rows.iter().filter(|row| row.ours.failure.is_some()).count();
    let other = |row: &&Row| (row.reference.as_ref()).is_some_and(|side| side.failure.is_some());
    let other = rows.iter().filter(other).count();
    let _ = writeln!(
        out,
        "{} kernels for {}, {} compared, {refused} not compiled by ours, {other} not by the reference\n",
        rows.len(),
        benched.platform,
        pairs.len(),
    );
    out += &sums(benched, &pairs);
    out += &by_corpus(benched, &pairs);
    if compared && !pairs.is_empty() {
        out += &places(&pairs);
    }
    for row in rows {
        let sides = [
            ("ours", Some(&row.ours)),
            ("the reference", row.reference.as_ref()),
        ];
        for (whose, side) in sides {
            if let Some(failure) = side.and_then(|side| side.failure.as_ref()) {
                let _ = writeln!(out, "{}: {whose}: {failure}", row.kernel);
            }
        }
    }
    plain(&out).into_owned()
}

fn pair(row: &Row) -> Option<Pair<'_>> {
    let ours = row.ours.figures.as_ref()?;
    let reference = match &row.reference {
        Some(side) => Some((side, side.figures.as_ref()?)),
        None => None,
    };
    Some(Pair {
        row,
        ours,
        reference,
    })
}

/// A line for each figure: ours, the reference's, and their ratio.
fn sums(benched: &Benched, pairs: &[Pair]) -> String {
    let mut lines = vec![["sum", "ours", "reference", "ratio"].map(str::to_string)];
    let compared = pairs.iter().any(|pair| pair.reference.is_some());
    let mut line = |what: String, places: usize, ours: f64, reference: f64| {
        let number = |n: f64| format!("{n:.places$}");
        lines.push(match compared {
            true => [
                what,
                number(ours),
                number(reference),
                ratio(ours, reference),
            ],
            false => [what, number(ours), String::new(), String::new()],
        });
    };
    let both = |of: Of, pairs: &[&Pair]| {
        let ours = pairs.iter().map(|pair| pair.ours(of)).sum::<f64>();
        (
            ours,
            pairs.iter().map(|pair| pair.reference(of)).sum::<f64>(),
        )
    };
    let all: Vec<&Pair> = pairs.iter().collect();
    for (what, places, of) in SUMS {
        let (ours, reference) = both(of, &all);
        // Platforms without the instruction have no row of it.
        if (what, ours, reference) == (SYNCS, 0.0, 0.0) {
            continue;
        }
        line(what.to_string(), places, ours, reference);
    }
    if let Some(one_call) = &benched.one_call {
        let (_, reference) = both(SECONDS, &all);
        line(
            "seconds, ours in one call".to_string(),
            2,
            one_call.seconds,
            reference,
        );
    }
    if let Some(session) = &benched.session {
        line(
            format!("seconds, {} small in one call", session.kernels),
            3,
            session.ours_seconds,
            session.reference_seconds,
        );
    }
    if compared {
        let long = pairs
            .iter()
            .filter(|pair| pair.reference(INSTRUCTIONS) > LONG_INSTS);
        let long: Vec<&Pair> = long.collect();
        let (ours, reference) = both(SECONDS, &long);
        line(
            format!("seconds, {} of over {LONG_INSTS} instructions", long.len()),
            2,
            ours,
            reference,
        );
        let slowest = most(pairs, |pair| pair.reference(SECONDS), LARGEST_ROWS);
        let (ours, reference) = both(SECONDS, &slowest);
        line(
            format!("seconds, the reference's {LARGEST_ROWS} slowest"),
            2,
            ours,
            reference,
        );
        let largest = most(pairs, |pair| pair.reference(INSTRUCTIONS), LARGEST_ROWS);
        let (ours, reference) = both(PEAK, &largest);
        line(
            format!("peak MiB, the {LARGEST_ROWS} largest"),
            0,
            ours,
            reference,
        );
    }
    let mut out = align(&lines);
    if let Some([middle, most]) = spilling(pairs) {
        let _ = writeln!(
            out,
            "\ntime an instruction, of kernels that spill over others of like size: {middle:.2} in the middle, {most:.2} at most"
        );
    }
    out
}

/// The sums of several corpora, side by side.
fn by_corpus(benched: &Benched, pairs: &[Pair]) -> String {
    let of = |n: usize| pairs.iter().filter(move |pair| pair.row.corpus == n);
    let names = benched.corpora.iter().enumerate();
    let (numbers, names): (Vec<usize>, Vec<&String>) =
        names.filter(|&(n, _)| of(n).next().is_some()).unzip();
    if names.len() < 2 {
        return String::new();
    }
    let heading = std::iter::once("by corpus").chain(names.iter().map(|name| name.as_str()));
    let kernels = numbers.iter().map(|&n| of(n).count().to_string());
    let mut lines: Vec<Vec<String>> = vec![
        heading.map(str::to_string).collect(),
        std::iter::once("kernels".to_string())
            .chain(kernels)
            .collect(),
    ];
    for (what, places, figure) in SUMS {
        let cell = |&n: &usize| {
            let ours = of(n).map(|pair| pair.ours(figure)).sum::<f64>();
            let reference = of(n).map(|pair| pair.reference(figure)).sum::<f64>();
            match of(n).any(|pair| pair.reference.is_some()) {
                true => format!(
                    "{ours:.places$} / {reference:.places$} ({})",
                    ratio(ours, reference)
                ),
                false => format!("{ours:.places$}"),
            }
        };
        let cells = numbers.iter().map(cell);
        lines.push(std::iter::once(what.to_string()).chain(cells).collect());
    }
    "\n".to_string() + &align(&lines)
}

fn ratio(ours: f64, reference: f64) -> String {
    match (ours, reference) {
        (0.0, 0.0) => "-".to_string(),
        (_, 0.0) => "more".to_string(),
        (ours, reference) => format!("{:.3}", ours / reference),
    }
}

/// Compile time of an instruction of a kernel that spills, relative to the median kernel of similar size that does
/// not: median and maximum over all kernels that spill.
fn spilling(pairs: &[Pair]) -> Option<[f64; 2]> {
    let each = |pair: &Pair| pair.ours(SECONDS) / pair.ours(INSTRUCTIONS).max(1.0);
    let spills = |pair: &&Pair| pair.ours.spills + pair.ours.fills > 0;
    let mut ratios: Vec<f64> = Vec::new();
    for pair in pairs.iter().filter(spills) {
        let size = pair.ours(INSTRUCTIONS);
        let like = |other: &&Pair| {
            let other = other.ours(INSTRUCTIONS);
            other < size * MAX_SIZE_RATIO && size < other * MAX_SIZE_RATIO
        };
        let others = pairs.iter().filter(|other| !spills(other)).filter(like);
        let mut times: Vec<f64> = others.map(each).collect();
        times.sort_by(f64::total_cmp);
        ratios.extend(times.get(times.len() / 2).map(|other| each(pair) / other));
    }
    ratios.sort_by(f64::total_cmp);
    Some([*ratios.get(ratios.len() / 2)?, *ratios.last()?])
}

/// The `count` pairs with the largest figure, largest first.
fn most<'p, 'a>(
    pairs: &'p [Pair<'a>],
    of: impl Fn(&Pair) -> f64,
    count: usize,
) -> Vec<&'p Pair<'a>> {
    let mut sorted: Vec<&Pair> = pairs.iter().collect();
    sorted.sort_by(|a, b| of(b).total_cmp(&of(a)));
    sorted.truncate(count);
    sorted
}

/// The worst, largest and slowest kernels.
fn places(pairs: &[Pair]) -> String {
    let mut out = String::new();
    let list = |title: &str, places: usize, of: Of, shown: Vec<&Pair>| {
        let mut lines = vec![[title, "ours", "reference", "ratio"].map(str::to_string)];
        lines.extend(shown.into_iter().map(|pair| {
            let (ours, reference) = (pair.ours(of), pair.reference(of));
            let number = |n: f64| format!("{n:.places$}");
            let kernel = pair.row.kernel.clone();
            [
                kernel,
                number(ours),
                number(reference),
                ratio(ours, reference),
            ]
        }));
        "\n".to_string() + &align(&lines)
    };
    for (what, of) in [("instructions", INSTRUCTIONS), ("estimated cycles", CYCLES)] {
        let worst = most(pairs, |pair| pair.ratio(of), WORST_ROWS);
        out += &list(&format!("{what}, the worst"), 0, of, worst);
    }
    let slowest = most(pairs, |pair| pair.reference(SECONDS), LARGEST_ROWS);
    out += &list(
        "seconds, the slowest for the reference",
        3,
        SECONDS,
        slowest,
    );
    let largest = || most(pairs, |pair| pair.reference(INSTRUCTIONS), LARGEST_ROWS);
    out += &list("instructions, the largest", 0, INSTRUCTIONS, largest());
    out += &list("peak MiB, the largest", 1, PEAK, largest());
    let over = |pair: &&Pair| {
        pair.reference(INSTRUCTIONS) > MIN_RATED_INSTS as f64
            && pair.ratio(INSTRUCTIONS) > MAX_RATIO
    };
    let over = pairs.iter().filter(over).count();
    let _ = writeln!(
        out,
        "\n{over} kernels of over {MIN_RATED_INSTS} instructions have over {MAX_RATIO} times as many as the reference"
    );
    let spills = |f: &Figures| f.spills + f.fills > 0;
    let alone = |pair: &&Pair| {
        spills(pair.ours) && pair.reference.is_some_and(|(_, figures)| !spills(figures))
    };
    let alone: Vec<&str> = (pairs.iter().filter(alone))
        .map(|pair| pair.row.kernel.as_str())
        .collect();
    let _ = writeln!(
        out,
        "{} kernels spill that the reference does not spill{}{}",
        alone.len(),
        if alone.is_empty() { "" } else { ": " },
        alone.join(", ")
    );
    out
}
