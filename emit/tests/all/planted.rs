//! Planted violations: for each row of the errata, code that breaks it, in which a check of finished code finds
//! something, and the nearest code that keeps it, in which none does.

use crate::planted_table::PLANTED;
use kiln_emit::errata::header;
use kiln_emit::inst::Inst;
use kiln_emit::listing::entries;
use kiln_emit::platform::find;
use kiln_emit::read::assemble;
use kiln_emit::verify::{errata, late_reads, scoreboard, verify_finished};
use kiln_platform::errata::{Erratum, ROWS, Status};

/// Rows that code alone does not break, and the test of each: of an object's marks, of pairs of threads, of allocation.
const ELSEWHERE: &[(Erratum, &str)] = &[
    (Erratum::PreemptionKeepsHeader, "emit/tests/all/errata.rs"),
    (Erratum::NoMaskPredicated, "emit/tests/all/pairs.rs"),
    (Erratum::FusedCalls, "emit/tests/all/pairs.rs"),
    (Erratum::SystolicFused, "emit/tests/all/errata.rs"),
    (Erratum::GatherReadSuppression, "regalloc/src/check.rs"),
];

/// Findings of the checks of finished code in a listing.
fn findings(name: &str, listing: &str) -> Vec<String> {
    let platform = find(name).expect("a known platform");
    let code = assemble(listing, platform, true).expect("a listing").code;
    let insts: Vec<Inst> = entries(&code, platform)
        .map(|entry| entry.inst.expect("an instruction"))
        .collect();
    let single = insts
        .iter()
        .filter_map(|inst| verify_finished(inst, platform).err());
    let mut found: Vec<String> = single.map(|broken| broken.to_string()).collect();
    let errata = errata::check_code(&insts, platform);
    found.extend(errata.iter().map(ToString::to_string));
    let waits = scoreboard::check_code(&insts, platform).expect("few paths");
    found.extend(waits.iter().map(ToString::to_string));
    let rows = insts.iter();
    let interrupted = rows.filter_map(|inst| header::if_interrupted(inst, platform));
    found.extend(interrupted.map(|(_, what)| what.to_string()));
    let late = late_reads::check_code(&insts, platform);
    found.extend(late.iter().map(ToString::to_string));
    found
}

#[test]
fn planted_violations_are_found() {
    for (erratum, name, broken, kept) in PLANTED {
        let row = &ROWS[*erratum as usize];
        assert!(
            find(name).expect("a known platform").needs(*erratum),
            "{}: {name}",
            row.name
        );
        assert_ne!(findings(name, broken), [""; 0], "{}: {broken}", row.name);
        assert_eq!(findings(name, kept), [""; 0], "{}: {kept}", row.name);
    }
}

/// A row that is made or not needed, on a platform that is sold, has a planted violation or a test that is named.
#[test]
fn every_row_is_planted() {
    let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for row in ROWS {
        let refused = matches!(row.status, Status::Refused { .. }) || row.affected.is_empty();
        let planted = PLANTED.iter().any(|planted| planted.0 == row.erratum);
        let elsewhere = ELSEWHERE.iter().find(|other| other.0 == row.erratum);
        assert!(planted || elsewhere.is_some() || refused, "{}", row.name);
        if let Some((_, test)) = elsewhere {
            assert!(project.join(test).is_file(), "{}: {test}", row.name);
        }
    }
}
