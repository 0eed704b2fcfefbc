//! The report about two builds: the same tables as text, Markdown and a page.

use std::fmt::Write;

use miette::{Report, miette};

use super::{Changed, Compared, Diff, MEASURES, Sum, growth};
use crate::output::plain;
use crate::stats::{align, demangled};

/// A table with its title; the first row is the heading.
struct Table {
    title: String,
    rows: Vec<Vec<String>>,
}

/// Names in a line of kernels that only one build has.
const NAMES: usize = 20;

fn heading(diff: &Diff) -> String {
    let mut out = format!(
        "{} → {}: {} kernels in both",
        diff.before, diff.after, diff.kernels
    );
    for (names, side) in [
        (&diff.only_before, &diff.before),
        (&diff.only_after, &diff.after),
    ] {
        if names.is_empty() {
            continue;
        }
        let shown: Vec<&str> = names.iter().take(NAMES).map(String::as_str).collect();
        let more = match names.len() > NAMES {
            true => ", …",
            false => "",
        };
        let _ = write!(
            out,
            "; {} in {side} only: {}{more}",
            names.len(),
            shown.join(", ")
        );
    }
    out
}

fn number(value: f64) -> String {
    format!("{value:.0}")
}

fn percent(before: f64, after: f64) -> String {
    match growth(before, after) {
        by if by.is_finite() => format!("{by:+.2} %"),
        _ => "new".to_string(),
    }
}

fn tables(diff: &Diff) -> Vec<Table> {
    let title = "all kernels, and those that are affected";
    let names = [
        "figure", "before", "after", "change", "affected", "before", "after", "change", "worse",
        "by", "better", "by",
    ];
    let mut rows = vec![names.map(str::to_string).to_vec()];
    rows.extend(diff.measures.iter().map(row));
    let mut tables = vec![Table {
        title: title.to_string(),
        rows,
    }];
    for measure in &diff.measures {
        for (which, list) in [("worse", &measure.worst), ("better", &measure.best)] {
            if !list.is_empty() {
                tables.push(most(measure, which, list));
            }
        }
    }
    tables
}

fn row(measure: &Compared) -> Vec<String> {
    let sum = |sum: &Sum| [sum.kernels.to_string(), format!("{:+.0}", sum.change())];
    let total = measure.total;
    let affected = &measure.affected;
    let mut cells = vec![
        measure.name.to_string(),
        number(total.before),
        number(total.after),
        percent(total.before, total.after),
        affected.kernels.to_string(),
        number(affected.before),
        number(affected.after),
        percent(affected.before, affected.after),
    ];
    cells.extend(sum(&measure.worse));
    cells.extend(sum(&measure.better));
    cells
}

fn most(measure: &Compared, which: &str, list: &[Changed]) -> Table {
    let names = ["kernel", "before", "after", "change"];
    let mut rows = vec![names.map(str::to_string).to_vec()];
    rows.extend(list.iter().map(|changed| {
        vec![
            demangled(&changed.kernel).into_owned(),
            number(changed.before),
            number(changed.after),
            percent(changed.before, changed.after),
        ]
    }));
    Table {
        title: format!("{}, {which}", measure.name),
        rows,
    }
}

pub fn text(diff: &Diff) -> String {
    let mut out = heading(diff) + "\n";
    for Table { title, mut rows } in tables(diff) {
        rows[0][0] = title;
        let _ = write!(out, "\n{}", align(&rows));
    }
    plain(&out).into_owned()
}

pub fn markdown(diff: &Diff) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let mut out = cell(&heading(diff)) + "\n";
    for Table { title, rows } in tables(diff) {
        let _ = write!(out, "\n### {title}\n\n");
        for (n, row) in rows.iter().enumerate() {
            let cells: Vec<String> = row.iter().map(|text| cell(text)).collect();
            let _ = writeln!(out, "| {} |", cells.join(" | "));
            if n == 0 {
                let _ = writeln!(out, "|---{}|", "|--:".repeat(row.len() - 1));
            }
        }
    }
    out
}

/// Style of the page, light and dark.
const STYLE: &str = "\
:root { color-scheme: light dark }\n\
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em }\n\
table { border-collapse: collapse; margin-bottom: 1.5em }\n\
th, td { padding: 2px 10px; text-align: right; border-bottom: 1px solid #8884 }\n\
th:first-child, td:first-child { text-align: left }\n\
.worse { color: #c22 } .better { color: #2a2 }\n";

pub fn html(diff: &Diff) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>kiln diff</title>\n<style>\n{STYLE}</style>\n<p>{}</p>\n",
        escaped(&heading(diff))
    );
    for Table { title, rows } in tables(diff) {
        let _ = writeln!(out, "<h2>{}</h2>\n<table>", escaped(&title));
        for (n, row) in rows.iter().enumerate() {
            let tag = if n == 0 { "th" } else { "td" };
            let cells = row.iter().map(|text| {
                let class = match text.strip_suffix(" %") {
                    Some(by) if by.starts_with('+') && by != "+0.00" => " class=\"worse\"",
                    Some(by) if by.starts_with('-') && by != "-0.00" => " class=\"better\"",
                    _ => "",
                };
                format!("<{tag}{class}>{}</{tag}>", escaped(text))
            });
            let _ = writeln!(out, "<tr>{}</tr>", cells.collect::<String>());
        }
        out += "</table>\n";
    }
    out
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// A line for each kernel, with all figures before and after.
pub fn csv(diff: &Diff) -> Result<Vec<u8>, Report> {
    let fail = |e: csv::Error| miette!("CSV: {e}");
    let mut writer = csv::Writer::from_writer(Vec::new());
    let known = |key: &str| diff.measures.iter().any(|measure| measure.figure == key);
    let keys: Vec<&str> = MEASURES
        .iter()
        .map(|m| m.key)
        .filter(|key| known(key))
        .collect();
    let names = keys
        .iter()
        .flat_map(|key| [format!("{key}_before"), format!("{key}_after")]);
    let heading = std::iter::once("kernel".to_string()).chain(names);
    writer.write_record(heading).map_err(fail)?;
    for row in &diff.rows {
        let cells = keys.iter().flat_map(|key| match row.figures.get(key) {
            Some(both) => both.map(|figure| figure.to_string()),
            None => [String::new(), String::new()],
        });
        let line = std::iter::once(row.kernel.clone()).chain(cells);
        writer.write_record(line).map_err(fail)?;
    }
    writer.into_inner().map_err(|e| miette!("CSV: {e}"))
}
