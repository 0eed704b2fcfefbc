//! Every opcode of the table in every form: each compiles or is refused with its place, and the page of supported
//! instructions is right.
//!
//! `forms/forms.txt` has instructions, one form a line; [`HEAD`] declares their variables. Each form is also tried
//! with all execution sizes and masks, and with predicates. Compiled forms are run, so that the page can list the
//! executed instructions. `forms/encodings.txt` has the reference finalizer's messages for them (`.ci/forms` makes
//! it), which judge the forms that no executor runs.
//! `WRITE=1 cargo test -p kiln-exec --test visa_ops forms` writes the page.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::sync::LazyLock;

use kiln_compile::attempt::{self, Scratch};
use kiln_compile::{CompileError, Compiled, Options};
use kiln_emit::inst::{Desc, Inst};
use kiln_emit::listing::entries;
use kiln_emit::platform::Platform;
use kiln_emit::ze_info::ZeInfo;
use kiln_exec::{
    Addressing, Arg, Cause, Comparison, Filter, Format, Image, ImageKind, Launch, Program,
    RunError, Sampler, Shape,
};
use kiln_visa::module::Module;
use kiln_visa::opcode::{Opcode, Row};
use kiln_visa::verify::Severity;
use kiln_visa::{text, verify};

use crate::{access, common, ops, reference};

static HEAD: LazyLock<String> = LazyLock::new(|| kiln_corpus::text("visa_ops/forms/head.visaasm"));
static FORMS: LazyLock<String> = LazyLock::new(|| kiln_corpus::text("visa_ops/forms/forms.txt"));
static ENCODINGS: LazyLock<String> =
    LazyLock::new(|| kiln_corpus::text("visa_ops/forms/encodings.txt"));
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/instructions.md");
/// Reason why forms are refused that the specification allows on the platform.
const NO_ORACLE: &str = "\
The video analytics (`va.*`, `va_skl_plus.*`), `rt_read` and `breakpoint` are refused because no other \
implementation can judge their code. The reference finalizer refuses all of them as text (release 1.0.12504: a \
syntax error at the first word), and it does not read binary objects. Its newer sources have builder functions for \
the analytics, but no text and no front end that calls them; nothing about `rt_read` beyond the specification's \
page; and for `breakpoint` a mark on the next instruction, which stops the thread for a debugger.\n\n";
const TARGETS: [&str; 2] = ["skl", "icllp"];

fn source(form: &str) -> String {
    let lines = form.split("; ").collect::<Vec<_>>();
    let function = ".global_function \"f\"\n.kernel_attr ArgSize=0\n.kernel_attr RetValSize=0\n";
    // A `fret` belongs in a function.
    match form.contains("fret") {
        true => {
            let head = HEAD.replace(".kernel \"bench\"\n", function);
            let inputs = head
                .lines()
                .filter(|l| !["BASE", "LOW"].iter().any(|name| l.contains(name)));
            format!(
                "{}\n{}\n",
                inputs.collect::<Vec<_>>().join("\n"),
                lines.join("\n")
            )
        }
        false if has_end(form) => format!("{}{}\n", *HEAD, lines.join("\n")),
        false => format!("{}{}\nret (M1, 1)\n", *HEAD, lines.join("\n")),
    }
}

fn parse(form: &str) -> Module {
    let text = source(form);
    text::parse(&text)
        .unwrap_or_else(|e| panic!("{form}: {e}: {:?}", text.lines().nth(e.line as usize - 1)))
}

/// Outcome of a form.
enum Outcome {
    Compiled(Box<Compiled>),
    /// Refused, with a place.
    Refused(String),
}

/// An error without a place is of no use to a user.
fn outcome(form: &str, target: &'static Platform) -> Result<Outcome, String> {
    let module = parse(form);
    let findings = verify::check(&module, Some(target.generation));
    let wrong = findings.iter().find(|f| f.severity() == Severity::Error);
    if let Some(finding) = wrong {
        if finding.place.pos == 0 {
            return Err(format!("{form}: {finding} has no place"));
        }
        return Ok(Outcome::Refused(finding.kind.to_string()));
    }
    let mut options = Options::new(target);
    options.verify = true;
    match attempt::compile(&module.objects[0], &options, &mut Scratch::default()) {
        Ok(compiled) => Ok(Outcome::Compiled(Box::new(compiled))),
        Err(error) => match (error.instruction(), &error) {
            (Some(_), CompileError::Unsupported { list, .. }) => {
                Ok(Outcome::Refused(list[0].what.clone()))
            }
            (Some(_), error) => Ok(Outcome::Refused(error.to_string())),
            (None, error) => Err(format!("{form} on {}: {error}", target.name)),
        },
    }
}

fn forms() -> impl Iterator<Item = &'static str> {
    FORMS.lines()
}

/// Opcodes in a form.
fn opcodes(form: &str) -> BTreeSet<Opcode> {
    let module = parse(form);
    let insts = &module.objects[0].insts;
    // After the kernel's last instruction, the end of the thread.
    let end = usize::from(!has_end(form));
    let own = insts.len() - lines(form) - end..insts.len() - end;
    insts[own].iter().map(|inst| inst.op).collect()
}

/// Number of instructions in a form.
fn lines(form: &str) -> usize {
    form.split("; ")
        .filter(|line| !line.starts_with('.'))
        .count()
}

/// True if it contains the end of the thread or function.
fn has_end(form: &str) -> bool {
    form.contains("fret") || form.contains("ret (M1, 1)")
}

fn rows() -> impl Iterator<Item = &'static Row> {
    Opcode::rows().iter()
}

#[test]
fn every_opcode_has_a_form() {
    let known: BTreeSet<Opcode> = forms().flat_map(opcodes).collect();
    for row in rows().filter(|row| !matches!(row.opcode, Opcode::Subroutine | Opcode::Ret)) {
        assert!(known.contains(&row.opcode), "{} has no form", row.mnemonic);
    }
}

/// Names of the opcodes of families.
#[test]
fn every_operation_of_a_family_has_a_form() {
    for row in rows() {
        for (name, _) in row.family_names().into_iter().flatten() {
            let newer = ["sample_po_", "sample4_", "raw_sendg"]
                .iter()
                .any(|n| name.starts_with(n));
            let ends = name.ends_with("_eot");
            let has = |form: &str| form.split([' ', '.']).any(|word| word == *name);
            assert!(newer || ends || forms().any(has), "{name} has no form");
        }
    }
}

/// The form on other channels, and with predicates.
fn variants(form: &str) -> Vec<String> {
    let mut all = vec![form.to_owned()];
    let Some(at) = form.rfind("(M1, ") else {
        return all;
    };
    let end = at + form[at..].find(')').expect("an execution size") + 1;
    for channels in [
        "(M1, 1)",
        "(M1, 2)",
        "(M2, 4)",
        "(M1, 8)",
        "(M3, 8)",
        "(M1, 16)",
        "(M1_NM, 16)",
    ] {
        all.push(format!("{}{channels}{}", &form[..at], &form[end..]));
    }
    let predicated = opcodes(form).iter().all(|op| op.row().has_pred);
    if !form.starts_with('(') && predicated {
        all.extend(["(P2) ", "(!P1) ", "(P1.any) ", "(!P1.all) "].map(|p| format!("{p}{form}")));
    }
    all
}

#[test]
fn every_form_compiles_or_is_refused_with_its_place() {
    let mut wrong = Vec::new();
    for target in TARGETS.map(common::target) {
        for form in forms() {
            for variant in variants(form) {
                wrong.extend(outcome(&variant, target).err());
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn image(format: &str) -> Arg {
    let format = Format::find(format).expect("a format");
    let shape = Shape::new(ImageKind::D2, format, &[64, 64]).expect("a size");
    let texels = vec![0; shape.bytes() as usize];
    Arg::Image(Image { shape, texels })
}

const INFO: &str = "version: '1.20'
kernels:
  - name: bench
    execution_env:
      grf_count: 128
      simd_size: 16
      slm_size: 1024
    payload_arguments:
      - {arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: stateless, addrspace: global, access_type: readwrite}
      - {arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 0, addrmode: stateful, addrspace: global, access_type: readwrite}
      - {arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 1, addrmode: stateful, addrspace: image, access_type: readwrite, image_type: image_2d}
      - {arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 2, addrmode: stateful, addrspace: image, access_type: readwrite, image_type: image_2d}
      - {arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 3, addrmode: stateful, addrspace: sampler, access_type: readwrite, sampler_index: 3, sampler_type: texture}
    binding_table_indices:
      - {bti_value: 0, arg_index: 0}
      - {bti_value: 1, arg_index: 1}
      - {bti_value: 2, arg_index: 2}
";

/// Runs a form; the error tells what the executor lacks.
fn run(compiled: &Compiled, target: &'static Platform) -> Result<(), Cause> {
    let info = ZeInfo::parse(INFO.as_bytes()).expect("the launch description");
    let sampler = Sampler {
        normalized: true,
        addressing: Addressing::ClampToEdge,
        filter: Filter::Linear,
        comparison: Some(Comparison::Less),
    };
    let mut launch = Launch {
        ze_info: &info,
        kernel: "bench",
        global: [16, 1, 1],
        local: [16, 1, 1],
        dimensions: 1,
        args: vec![
            Arg::Buffer(vec![0; 4096]),
            image("rgba32float"),
            image("r32uint"),
            Arg::Sampler(sampler),
        ],
        budget: 1 << 20,
    };
    match launch.run(&Program::from_text(&compiled.code, target)) {
        Ok(_) => Ok(()),
        Err(RunError::Exec(error)) => Err(error.cause),
        Err(error) => panic!("{error}"),
    }
}

/// Support of an opcode on a platform.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Support {
    /// All forms that compile also run.
    Runs,
    /// Forms that the executor does not support.
    Compiles(String),
    Refused,
}

/// Forms that are parts of a module; other tests link and run them.
fn is_linked(op: Opcode) -> bool {
    matches!(
        op,
        Opcode::FCall | Opcode::IfCall | Opcode::FRet | Opcode::Faddr
    )
}

struct Supported {
    by_opcode: BTreeMap<Opcode, Support>,
    /// Refused forms, with the reason.
    refused: Vec<(&'static str, String)>,
}

fn supported(target: &'static Platform) -> Supported {
    let mut by_opcode: BTreeMap<Opcode, Support> = BTreeMap::new();
    let mut refused = Vec::new();
    for form in forms() {
        let found = match outcome(form, target).unwrap_or_else(|e| panic!("{e}")) {
            Outcome::Refused(why) => {
                refused.push((form, why));
                Support::Refused
            }
            Outcome::Compiled(_) if opcodes(form).into_iter().any(is_linked) => Support::Runs,
            Outcome::Compiled(compiled) => match run(&compiled, target) {
                Ok(()) => Support::Runs,
                Err(Cause::Message { name, .. }) => {
                    let kind: Vec<&str> = name.split(", ").take(2).collect();
                    Support::Compiles(kind.join(", "))
                }
                Err(Cause::Op(op)) => Support::Compiles(format!("{op:?}")),
                Err(Cause::Register { file, .. }) => Support::Compiles(format!("{file:?}")),
                Err(other) => panic!("{form} on {}: {other}", target.name),
            },
        };
        for op in opcodes(form) {
            // An opcode with a form that compiles but is not run counts as not run.
            let known = by_opcode.entry(op).or_insert(found.clone());
            match (&*known, &found) {
                (Support::Runs, Support::Compiles(_)) | (Support::Refused, _) => {
                    *known = found.clone()
                }
                _ => {}
            }
        }
    }
    Supported { by_opcode, refused }
}

/// Tests that judge single opcodes: name, source, opcodes.
const TESTS: &[(&str, &str, &[Opcode])] = {
    use Opcode::*;
    const SPECIAL: &str = include_str!("special.rs");
    const IMAGES: &str = include_str!("images.rs");
    const MEMORY: &str = include_str!("memory.rs");
    &[
        (
            "predicate_logic_works_on_whole_predicates",
            SPECIAL,
            &[And, Or, Xor, Not],
        ),
        (
            "setp_takes_bits_of_a_scalar_and_low_bits_of_elements",
            SPECIAL,
            &[Setp],
        ),
        ("one_address_reads_and_writes_a_region", SPECIAL, &[AddrAdd]),
        (
            "dot_products_are_of_four_channels_each",
            SPECIAL,
            &[Dp2, Dp3, Dp4, Dph],
        ),
        ("differences_are_of_two_channels", SPECIAL, &[Sad2, Sad2Add]),
        (
            "lines_and_planes_take_parameters_from_four",
            SPECIAL,
            &[Line, Plane],
        ),
        (
            "switchjmp_goes_to_the_label_of_its_index",
            SPECIAL,
            &[SwitchJmp, Jmp],
        ),
        (
            "approximations_tell_which_of_them_are_final",
            SPECIAL,
            &[Invm, Rsqtm],
        ),
        (
            "every_form_of_the_sampler_reads_the_texels_it_names",
            IMAGES,
            &[Sample3d, Load3d, Gather4Sampler, Movs],
        ),
        ("images_tell_their_size", IMAGES, &[ResInfo, SampleInfo]),
        (
            "typed_messages_read_write_and_change_texels",
            IMAGES,
            &[Gather4Typed, Scatter4Typed, TypedAtomic],
        ),
        ("media_blocks_move_rectangles", MEMORY, &[MediaLd, MediaSt]),
        (
            "atomics_change_one_channel_after_the_other",
            MEMORY,
            &[DwordAtomic],
        ),
        (
            "blocks_of_owords_are_read_at_their_offset",
            MEMORY,
            &[OwordLd, OwordLdUnaligned],
        ),
        (
            "gathers_read_what_the_offsets_say",
            MEMORY,
            &[Gather, GatherScaled, Gather4Scaled],
        ),
        (
            "scatters_write_where_the_offsets_say",
            MEMORY,
            &[Scatter, ScatterScaled, Scatter4Scaled],
        ),
    ]
};

/// Judges outside this directory: name on the page, and opcodes.
const ELSEWHERE: &[(&str, &[Opcode])] = {
    use Opcode::*;
    &[
        (
            "calls",
            &[FCall, IfCall, FRet, Faddr, Call, Ret, Subroutine],
        ),
        (
            "kernels",
            &[
                Barrier, Fence, Label, Goto, SvmGather, SvmScatter, SvmAtomic, SvmBlockLd,
                SvmBlockSt,
            ],
        ),
        ("programs", &[Goto, Jmp, Call, Ret, FCall, IfCall]),
        ("raw sends", &[RawSend, RawSends]),
    ]
};

#[test]
fn tests_that_judge_are_there() {
    for (name, source, judged) in TESTS {
        let at = source.find(&format!("fn {name}()"));
        assert!(at.is_some(), "{name} is not there");
        for op in *judged {
            let row = op.row();
            let mut names = row
                .family_names()
                .into_iter()
                .flatten()
                .map(|(name, _)| *name);
            let known = source.contains(row.mnemonic) || names.any(|name| source.contains(name));
            assert!(known, "{name} knows no {}", row.mnemonic);
        }
    }
}

/// The judges of an opcode.
fn judges(op: Opcode) -> Vec<String> {
    let mut all = Vec::new();
    let names = || {
        let family = op
            .row()
            .family_names()
            .into_iter()
            .flatten()
            .map(|(name, _)| *name);
        family.chain([op.row().mnemonic])
    };
    let modelled = |name: &str| {
        let message = |form: &access::Form| form.op.split('.').next() == Some(name);
        ops::ROWS.iter().any(|row| row.op == name) || access::forms().any(message)
    };
    if names().any(modelled) {
        all.push("model".to_owned());
    }
    if names().any(reference::has) {
        all.push("reference's results".to_owned());
    }
    if encodings().any(|(_, form)| opcodes(form).contains(&op)) {
        all.push("reference's messages".to_owned());
    }
    let here = TESTS.iter().filter(|(.., judged)| judged.contains(&op));
    all.extend(here.map(|(name, ..)| format!("`{name}`")));
    let there = ELSEWHERE.iter().filter(|(_, judged)| judged.contains(&op));
    all.extend(there.map(|(name, _)| (*name).to_owned()));
    all
}

/// True for operations without code.
fn is_silent(op: Opcode) -> bool {
    use Opcode::*;
    matches!(op, File | Loc | Lifetime | Label | Subroutine | Yield)
}

fn page() -> String {
    let [skl, icllp] = TARGETS.map(|name| supported(common::target(name)));
    let mut page = String::from(
        "# Supported instructions\n\n\
         A test makes this page: `WRITE=1 cargo test -p kiln-exec --test visa_ops forms` writes it; without `WRITE`\n\
         the test fails if the page differs. The opcode table (`frontend/visa/src/opcode.rs`) has the platforms of\n\
         each instruction, from the specification's appendix.\n\n\
         * *runs*: every form that compiles is also executed; *compiles*: with the reason why it is not executed.\n\
         * `-`: the platform does not have it, and its use is a diagnostic with its place.\n\n\
         The last column names the tests: the *model* of `runtime/exec/tests/visa_ops`, the results of the *reference's*\n\
         code for the same cases, the *messages* that it encodes for the same instructions, or a test by its name.\n\n\
         | instruction | Skylake | Ice Lake | shown by |\n|---|---|---|---|\n",
    );
    let shown = |op: Opcode, on: &Supported, name: &str| -> String {
        let has = op.row().platforms.contains(common::target(name).generation);
        match (has, on.by_opcode.get(&op)) {
            (false, _) => "-".to_owned(),
            (_, None) => "runs".to_owned(),
            (_, _) if is_silent(op) => "no code".to_owned(),
            (_, Some(Support::Runs)) => "runs".to_owned(),
            (_, Some(Support::Compiles(what))) => format!("compiles; not executed: {what}"),
            (_, Some(Support::Refused)) => "refused".to_owned(),
        }
    };
    let mut later = Vec::new();
    for row in rows() {
        let states = [(&skl, TARGETS[0]), (&icllp, TARGETS[1])]
            .map(|(on, name)| shown(row.opcode, on, name));
        if states.iter().all(|state| state == "-") {
            later.push(format!("`{}`", row.mnemonic));
            continue;
        }
        let judges = judges(row.opcode).join(", ");
        let name = match row.family_names() {
            Some(names) if row.opcode == Opcode::FMinMax => names
                .iter()
                .map(|(name, _)| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(", "),
            _ => format!("`{}`", row.mnemonic),
        };
        let _ = writeln!(
            page,
            "| {name} | {} | {} | {judges} |",
            states[0], states[1]
        );
    }
    let _ = write!(page, "\nOf other platforms: {}.\n", later.join(", "));
    page.push_str(
        "\n## Refused forms\n\nThese are forms of instructions that the platform has.\n\n",
    );
    page.push_str(NO_ORACLE);
    page.push_str("| form | Skylake | Ice Lake |\n|---|---|---|\n");
    for form in forms() {
        let why = [&skl, &icllp].map(|on| {
            let found = on.refused.iter().find(|(refused, _)| *refused == form);
            found.map_or("", |(_, why)| why)
        });
        let lacking = |name: &str| {
            let generation = common::target(name).generation;
            opcodes(form)
                .iter()
                .all(|op| op.row().platforms.contains(generation))
        };
        let own = [0, 1].map(|n| if lacking(TARGETS[n]) { why[n] } else { "" });
        if own.iter().any(|why| !why.is_empty()) {
            let _ = writeln!(page, "| `{form}` | {} | {} |", own[0], own[1]);
        }
    }
    page
}

#[test]
fn the_page_of_instructions_says_what_is() {
    let page = page();
    if std::env::var_os("WRITE").is_some() {
        std::fs::write(Path::new(PAGE), &page).expect("the page is written");
    }
    let there = std::fs::read_to_string(PAGE).unwrap_or_default();
    let differs = page
        .lines()
        .zip(there.lines())
        .find(|(now, then)| now != then);
    assert!(
        page == there,
        "docs/instructions.md is not what is: {differs:?}"
    );
}

/// Every supported form is run, or its encoding is compared with the reference's.
#[test]
fn every_opcode_has_a_judge() {
    let on = supported(common::skl());
    for row in rows().filter(|row| row.platforms.contains(common::skl().generation)) {
        let op = row.opcode;
        let lacks = matches!(on.by_opcode.get(&op), Some(Support::Refused)) || is_silent(op);
        let judged = !judges(op).is_empty() || UNJUDGED.contains(&op);
        assert!(lacks || judged, "nobody judges {}", row.mnemonic);
    }
}

/// The reference does not parse `vme_idm` in text and never ends on `avs`; it drops `wait` if no thread depends on
/// another.
const UNJUDGED: &[Opcode] = &[Opcode::VmeIdm, Opcode::Avs, Opcode::Wait];

fn encodings() -> impl Iterator<Item = (&'static str, &'static str)> {
    ENCODINGS.lines().filter_map(|line| line.split_once(" | "))
}

/// The request of a message: function, and descriptor without the lengths of payloads and the header's presence.
fn asked(inst: &Inst) -> Option<(u8, u32)> {
    const LENGTHS: u32 = 0xf << 25 | 1 << 19;
    let message = inst.msg.filter(|message| !message.eot)?;
    match message.desc {
        Desc::Imm(bits) => Some((message.sfid, bits & !LENGTHS)),
        Desc::Addr { .. } => Some((message.sfid, u32::MAX)),
    }
}

/// Known differences from the reference's messages, with the reason.
const KNOWN: &[(&str, &str)] = &[
    (
        "gather.4 (M1, 1) T7 0x0:ud A.0 D.0",
        "the message that counts bytes does all sizes",
    ),
    ("scatter.4 (M1, 8) T7 0x4:ud A.0 B.0", "the same"),
    (
        "svm_block_ld (1) PTR(0,0)<0;1,0> D.0",
        "the message that takes any multiple of four does both",
    ),
    ("svm_block_ld (8) PTR(0,0)<0;1,0> D.0", "the same"),
    (
        "svm_atomic.add (M1, 16) PTR.0 D.0 B.0 %null.0",
        "the message knows eight channels",
    ),
    (
        "movs (M1_NM, 1) S1(0) THREE(0,0)<0;1,0>; sample_3d.RGBA (M1, 8) 0x0:uw S1 T8 D.0 F.0 F.0",
        "no constant is found behind two moves",
    ),
    ("fence_global", "fences are waited for"),
    (
        "dword_atomic.fadd (M1, 8) T7 A.0 F.0 %null.0 FD.0",
        "no atomic of the platform adds floats",
    ),
    (
        "dword_atomic.add.16 (M1, 8) T7 A.0 B.0 %null.0 D.0",
        "no atomic of the platform is of 16 bits",
    ),
];

#[test]
fn messages_are_those_of_the_reference() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (expected, form) in encodings() {
        assert!(forms().any(|known| known == form), "{form} is no form");
        let knowingly = KNOWN.iter().any(|(known, _)| *known == form);
        let compiled = match outcome(form, common::skl()) {
            Ok(Outcome::Compiled(compiled)) => compiled,
            _ if knowingly => continue,
            _ => {
                wrong.push(format!("{form}: does not compile"));
                continue;
            }
        };
        let insts = entries(&compiled.code, common::skl()).filter_map(|entry| entry.inst.ok());
        let ours: Vec<String> = insts
            .filter_map(|inst| asked(&inst))
            .map(|(sfid, desc)| match desc {
                u32::MAX => format!("{sfid:x}:a0"),
                desc => format!("{sfid:x}:{desc:x}"),
            })
            .collect();
        compared += 1;
        if (ours.join(" ") != expected) != knowingly {
            wrong.push(format!(
                "{form}\n  ours {}, theirs {expected}",
                ours.join(" ")
            ));
        }
    }
    assert!(compared > 100, "only {compared} compared");
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
