//! Every row of the errata that is made: what fails strictly without it, and passes with it.
//!
//! A kernel is compiled as if the platform had not the erratum, so that the pass that makes the row is off, and is
//! executed on the platform as it is. Where no test kernel needs a row, machine code that breaks it is executed, and the
//! nearest code that keeps it.

use super::*;

use kiln_emit::read::assemble;
use kiln_emit::verify::errata::check_code;
use kiln_emit::ze_info::{ExecutionEnv, Kernel as Entry, ZeInfo};
use kiln_platform::errata::{ROWS, Row, Status};

#[path = "../../../../emit/tests/all/planted_table.rs"]
mod planted_table;

use planted_table::PLANTED;

/// Rows with a platform and a test kernel that needs them. Rows that demand the same are left out together.
#[rustfmt::skip]
const KERNELS: &[(&[Erratum], &str, &str)] = &[
    (&[Erratum::FlagsReadBeforeEnd], "skl", "sgemm"),
    (&[Erratum::SwitchAfterCall], "skl", "call_address"),
    (&[Erratum::CountClearedBeforeBarrier], "skl", "prefix_sum"),
    (&[Erratum::SwitchOnUnscored], "icllp", "fdiv_ieee2"),
    (&[Erratum::FenceTokenWaited], "tgllp", "atom_int"),
    (&[Erratum::FenceResponseRead], "icllp", "reduction"),
    (&[Erratum::NopAfterQuotient], "skl", "nbody"),
    (&[Erratum::PreemptionKeepsHeader], "skl", "convolution"),
    (&[Erratum::SamplerHeader], "skl", "img_3d"),
    (&[Erratum::NoPreemptFromR2], "icllp", "fmath_exp"),
    (&[Erratum::ResponseApart], "icllp", "priv_bytes"),
    (&[Erratum::AddressesCleared], "icllp", "const_table"),
    (&[Erratum::NoMaskPredicated], "tgllp", "wg_funcs"),
    (&[Erratum::ReadSuppressionBroken, Erratum::ReadSuppressionBrokenToo], "tgllp", "atom_int"),
    (&[Erratum::IntraReadSuppression], "tgllp", "atom_int"),
    (&[Erratum::AccumulatorClearedBeforeEnd], "tgllp", "aes"),
    (&[Erratum::NopAfterEnd], "dg2", "atom_int"),
    (&[Erratum::EndWaitsForAll], "tgllp", "aes"),
    (&[Erratum::FusedCalls], "dg2", "noopt_functions"),
    (&[Erratum::AddressWritesWaitForAll], "dg2", "atom_int"),
    (&[Erratum::LocalLoadsReadLate], "pvc", "wg_funcs"),
    (&[Erratum::SendReadsLate], "pvc", "atom_int"),
    (&[Erratum::HalfToInteger], "pvc", "half_arith"),
    (&[Erratum::AddressWaitsForFloats], "bmg", "call_arrays"),
];

/// Rows whose violation no launch shows, since all stores are done when it ends: `kiln verify` finds it in the kernel.
const AFTER_THE_LAUNCH: &[(Erratum, &str, &str)] = &[
    (Erratum::HdcFenceBeforeEnd, "tgllp", "aes"),
    (Erratum::UgmFenceBeforeEnd, "dg2", "atom_int"),
];

/// Rows for which the object says that threads do not run in pairs: one thread alone gets no old source. Without the row
/// the object does not say it.
const MARKED: &[(Erratum, &str, &str)] = &[(Erratum::SystolicFused, "dg2", "xe_dpas_8")];

/// Causes of failure that say that the code breaks a rule of the hardware.
const BROKEN: [&str; 3] = [
    "the hardware does not define it",
    "it does not wait for the instruction",
    "may read only now",
];

/// The code of a thread around planted code: an instruction that ignores the mask, and the end, by platform.
#[rustfmt::skip]
const AROUND: &[(&str, &str, &str)] = &[
    ("skl", "(W) mov (8|M0) r60.0<1>:ud 0x0:ud", "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}"),
    ("icllp", "(W) mov (8|M0) r60.0<1>:ud 0x0:ud", "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}"),
    ("tgllp", "(W) mov (8|M0) r60.0<1>:ud 0x0:ud", "(W) send.ts (1|M0) null r127 null 0x0 0x02000010 {EOT,@1}\nnop"),
    ("dg2", "(W) mov (8|M0) r60.0<1>:ud 0x0:ud", "(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}\nnop"),
    ("mtl", "(W) mov (8|M0) r60.0<1>:ud 0x0:ud", "(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT}"),
    ("pvc", "(W) mov (8|M0) r60.0<1>:ud 0x0:ud", "(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT}\nnop"),
    ("bmg", "(W) mov (8|M0) r60.0<1>:ud 0x0:ud", "(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT}"),
];

fn kernel(name: &str, platform: &'static Platform) -> Kernel {
    let kernel = Kernel::new(&kiln_corpus::Kernel::named(name), platform);
    kernel.unwrap_or_else(|| panic!("{name} is not for {}", platform.name))
}

/// The kernel as if the platform had not the errata.
fn compiled_without(kernel: &Kernel, errata: &[Erratum]) -> Zebin {
    let platform = kernel.platform;
    let left = errata
        .iter()
        .fold(platform.errata, |all, &one| all.without(one));
    kernel.compiled_for(platform.with(left))
}

/// Runs planted code strictly, alone if it ends the thread; the failure.
fn run_planted(listing: &str, name: &str) -> Option<String> {
    let platform = platform::find(name).expect("the platform is known");
    let (_, first, end) = AROUND
        .iter()
        .find(|(of, ..)| *of == name)
        .expect("the platform has code around");
    let whole = match listing.contains("EOT") {
        true => listing.to_string(),
        false => format!("{first}\n{listing}\n{end}"),
    };
    let code = assemble(&whole, platform, true).expect("a listing").code;
    let info = ZeInfo {
        kernels: vec![Entry {
            name: "planted".to_string(),
            execution_env: ExecutionEnv {
                simd_size: 8,
                grf_count: platform.grf_count,
                require_disable_eufusion: true,
                ..ExecutionEnv::default()
            },
            ..Entry::default()
        }],
        ..ZeInfo::default()
    };
    let mut launch = Launch {
        ze_info: &info,
        kernel: "planted",
        global: [8, 1, 1],
        local: [8, 1, 1],
        dimensions: 1,
        args: Vec::new(),
        budget: 1 << 10,
    };
    let options = kiln_exec::Options {
        hardware: true,
        ..kiln_exec::Options::default()
    };
    let program = Program::from_text(&code, platform);
    launch
        .run_with(&program, &options)
        .err()
        .map(|error| error.to_string())
}

fn is_broken(failure: &str) -> bool {
    BROKEN.iter().any(|cause| failure.contains(cause))
}

fn made() -> impl Iterator<Item = &'static Row> {
    let sold = |row: &&Row| {
        let platforms = platform::PLATFORMS.iter();
        let compiled = platforms.filter(|platform| platform.compiles);
        matches!(row.status, Status::Made { .. })
            && compiled.clone().any(|platform| platform.needs(row.erratum))
    };
    ROWS.iter().filter(sold)
}

#[test]
fn kernels_fail_without_their_row() {
    for (errata, name, of) in KERNELS {
        let platform = platform::find(name).expect("the platform is known");
        let kernel = kernel(of, platform);
        assert_eq!(kernel.run(&kernel.zebin, true), Ok(()), "{name}, {of}");
        let without = compiled_without(&kernel, errata);
        let strict = kernel.run(&without, true);
        assert!(strict.is_err(), "{name}, {of} without {errata:?}");
    }
}

fn has_kernel(erratum: Erratum) -> bool {
    let strictly = KERNELS.iter().any(|(errata, ..)| errata.contains(&erratum));
    let mut others = AFTER_THE_LAUNCH.iter().chain(MARKED);
    strictly || others.any(|(one, ..)| *one == erratum)
}

#[test]
fn planted_code_fails_strictly() {
    for (erratum, name, broken, kept) in PLANTED {
        if !made().any(|row| row.erratum == *erratum) || has_kernel(*erratum) {
            continue;
        }
        let failure = run_planted(broken, name);
        assert!(
            failure.as_deref().is_some_and(is_broken),
            "{erratum:?}: {failure:?}"
        );
        let failure = run_planted(kept, name);
        assert!(
            !failure.as_deref().is_some_and(is_broken),
            "{erratum:?}, kept: {failure:?}"
        );
    }
}

#[test]
fn what_no_launch_shows_is_found() {
    for (erratum, name, of) in AFTER_THE_LAUNCH {
        let platform = platform::find(name).expect("the platform is known");
        let kernel = kernel(of, platform);
        let finds = |zebin: &Zebin| {
            let entry = zebin.kernels.iter();
            let text = entry.filter(|text| text.name == kernel.description.kernel);
            let insts = text.flat_map(|text| entries(&text.text, platform));
            let insts: Vec<Inst> = insts.map_while(|entry| entry.inst.ok()).collect();
            let findings = check_code(&insts, platform);
            findings.iter().any(|finding| finding.erratum == *erratum)
        };
        assert!(!finds(&kernel.zebin), "{name}, {of}");
        assert!(
            finds(&compiled_without(&kernel, &[*erratum])),
            "{name}, {of}"
        );
    }
}

#[test]
fn objects_forbid_pairs_for_their_row() {
    for (erratum, name, of) in MARKED {
        let platform = platform::find(name).expect("the platform is known");
        let kernel = kernel(of, platform);
        let forbids = |zebin: &Zebin| {
            let mut kernels = zebin.ze_info.kernels.iter();
            kernels.any(|kernel| kernel.execution_env.require_disable_eufusion)
        };
        assert!(forbids(&kernel.zebin), "{name}, {of}");
        assert!(
            !forbids(&compiled_without(&kernel, &[*erratum])),
            "{name}, {of}"
        );
    }
}

/// A row that is made, of a revision that is sold, has a kernel, or else planted code.
#[test]
fn every_row_that_is_made_is_needed() {
    for row in made() {
        let planted = PLANTED.iter().any(|planted| planted.0 == row.erratum);
        assert!(has_kernel(row.erratum) || planted, "{}", row.name);
    }
}
