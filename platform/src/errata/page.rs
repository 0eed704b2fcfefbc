//! docs/errata.md: the rows, and where each name of the public lists went.

use std::fmt::Write;

use super::{Class, Fate, List, ROWS, Row, Status, UPSTREAM};
use crate::platform::PLATFORMS;

const HEAD: &str = "\
# Errata

Faults of the chips, and rules that are broken easily: what code must do, and who does it. The page is made from
`platform/src/errata/rows.rs` and `platform/src/errata/upstream.rs` by a test. `kiln platforms --errata` prints the
rows of a platform.

A row holds for all revisions of the platforms that it names, or for those in parentheses: `dg2 (B0..)` from B0 on,
`pvc (A0..C0)` from A0 on and before C0. Code is made for the revision that is sold (`docs/platforms.md`, `errata`).
Sources are files of the reference compiler (`visa/`, `IGC/`, `skuwa/`) and of Mesa (`src/intel/compiler/`), and the
public programmer's reference manuals (PRM).

*Made* names the pass and the check of finished code. *Not needed* names the check that says so.

## Rows

| name | platforms | code | source | option of the reference; the driver | status |
| --- | --- | --- | --- | --- | --- |
";

/// The page.
pub fn page() -> String {
    let mut page = HEAD.to_string();
    for row in ROWS {
        let switch = row.switch.map_or(String::new(), |switch| {
            format!("`{}`; {}", switch.option, switch.driver)
        });
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} | {switch} | {} |",
            row.name,
            platforms_of(row),
            row.must,
            row.source,
            status(&row.status)
        );
    }
    page += "\n## Public lists\n\nEvery name of the lists has a row above, or a reason for which it has none.\n";
    for (list, title) in [
        (List::HwCaps, "`visa/HWCaps.inc`"),
        (List::SwWa, "`visa/SWWA.cpp`"),
        (List::SkuWa, "`skuwa/`"),
        (List::Mesa, "Mesa"),
    ] {
        let _ = writeln!(page, "\n### {title}\n\n| names | where |\n| --- | --- |");
        let of_list = || UPSTREAM.iter().filter(|(of, ..)| *of == list);
        for (_, name, fate) in of_list() {
            if let Fate::Row(erratum) = fate {
                let row = &ROWS[*erratum as usize];
                let _ = writeln!(page, "| `{name}` | row `{}` |", row.name);
            }
        }
        for class in Class::ALL {
            let named = of_list().filter(|(.., fate)| *fate == Fate::Class(class));
            let names: Vec<_> = named.map(|(_, name, _)| format!("`{name}`")).collect();
            if !names.is_empty() {
                let _ = writeln!(page, "| {} | {} |", names.join(", "), class.reason());
            }
        }
    }
    page
}

/// The platforms of a row, with their revisions if not all have the erratum.
pub fn platforms_of(row: &Row) -> String {
    let one = |one: &super::Affected| {
        let name = PLATFORMS[one.platform as usize].name;
        match (one.from, one.until()) {
            (super::Stepping::A0, None) => name.to_string(),
            (from, None) => format!("{name} ({from}..)"),
            (from, Some(until)) => format!("{name} ({from}..{until})"),
        }
    };
    let names: Vec<String> = row.affected.iter().map(one).collect();
    match names.is_empty() {
        true => "none here".to_string(),
        false => names.join(", "),
    }
}

fn status(status: &Status) -> String {
    match status {
        Status::Made { pass, check } => format!("Made: `{pass}`, seen by `{check}`"),
        Status::NotNeeded { reason, check } => format!("Not needed: {reason} (`{check}`)"),
        Status::Refused { reason } => format!("Refused: {reason}"),
    }
}
