//! The fixtures: machine code with its listing; and the features of instructions, as short names to count and compare.

use kiln_corpus::{ALL, MachineCode, kernels, machine_code};
use kiln_emit::inst::{Desc, Inst, Place, Reg, Src, SrcReg, Target};
use kiln_emit::platform::{Family, PLATFORMS, Platform};
use kiln_emit::zebin::Zebin;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Machine code in a file of its own.
pub struct Fixture {
    pub path: PathBuf,
    pub code: Vec<u8>,
}

/// All machine code of a platform in the project; for Skylake, the examples' too.
pub fn fixtures(platform: &Platform) -> Vec<Fixture> {
    let listed = machine_code(platform.name).into_iter();
    let listed = listed.map(|MachineCode { path, code, .. }| Fixture { path, code });
    let mut found: Vec<Fixture> = listed.collect();
    if platform.name == "skl" {
        let examples = kernels(&["examples"]).into_iter().filter_map(|example| {
            let path = example.folder.join(format!("{}.dat", example.name));
            let code = fs::read(&path).ok()?;
            Some(Fixture { path, code })
        });
        found.extend(examples);
    }
    // The reference's tools print no other listings for this platform.
    if platform.name == "ptl" {
        let objects = kernels(&ALL).into_iter();
        let objects = objects.filter_map(|kernel| kernel.object(platform.name));
        found.extend(objects.flat_map(|path| object_file(&path)));
    }
    found
}

/// The code of an object file.
fn object_file(path: &Path) -> Vec<Fixture> {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let zebin = Zebin::parse(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let codes = zebin.kernels.into_iter().map(|kernel| kernel.text);
    let fixture = |code| Fixture {
        path: path.to_owned(),
        code,
    };
    codes.map(fixture).collect()
}

/// The encoding families, each with its platforms.
pub fn families() -> Vec<(Family, Vec<&'static Platform>)> {
    let mut out: Vec<(Family, Vec<&Platform>)> = Vec::new();
    for platform in PLATFORMS {
        match out.last_mut() {
            Some((family, platforms)) if *family == platform.family => platforms.push(platform),
            _ => out.push((platform.family, vec![platform])),
        }
    }
    out
}

/// Path of the list of features that compilers use in a family.
pub fn recorded_path(family: Family) -> PathBuf {
    let name = format!("{family:?}.features").to_lowercase();
    kiln_corpus::path("machine_code").join(name)
}

/// Names of all features of its family's encoding that an instruction uses.
pub fn features(inst: &Inst, platform: &Platform) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let text = inst.to_string();
    out.insert(format!("op {}", operation(&text)));
    out.insert(format!("channels {}|M{}", inst.exec_size, inst.chan_off));
    if inst.opts.compacted {
        out.insert(format!("short {}", inst.op.mnemonic()));
    }
    if let Some(pred) = &inst.pred {
        out.insert(format!(
            "predicate {:?} inverse {}",
            pred.ctrl, pred.inverse
        ));
        flag(pred.flag, &mut out);
    }
    if let Some(cond) = &inst.cond {
        out.insert(format!("condition {}", cond.cond.name()));
        flag(cond.flag, &mut out);
    }
    for (set, name) in [(inst.no_mask, "W"), (inst.saturate, "sat")] {
        if set {
            out.insert(format!("option {name}"));
        }
    }
    if let Some((_, options)) = text.rsplit_once('{') {
        for option in options.trim_end_matches('}').split(',') {
            let kind: String = option.chars().filter(|c| !c.is_ascii_digit()).collect();
            out.insert(format!("option {kind}"));
        }
        if inst.swsb.dist.is_some() && inst.swsb.token.is_some() {
            out.insert(format!(
                "annotations {:?} {:?}",
                inst.swsb.dist.map(|(pipe, _)| pipe),
                inst.swsb.token.map(|(token, _)| token)
            ));
        }
    }
    if let Some(dst) = &inst.dst {
        out.insert(format!("destination type {}", dst.ty.name()));
        out.insert(format!("destination stride {}", dst.hstride));
        place(dst.place, "destination", &mut out);
    }
    for (n, src) in inst.srcs.iter().enumerate() {
        match src {
            Src::Imm { ty, .. } => {
                out.insert(format!("immediate {} of {}", ty.name(), inst.srcs.len()));
            }
            Src::Reg(src) => source(n, src, inst, &mut out),
        }
    }
    message(inst, platform, &mut out);
    for (target, name) in [(inst.jip, "jump"), (inst.uip, "update")] {
        match target {
            Some(Target::Reg) => out.insert(format!("{name} to a register")),
            Some(_) => out.insert(format!("{name} target")),
            None => false,
        };
    }
    out
}

fn source(n: usize, src: &SrcReg, inst: &Inst, out: &mut BTreeSet<String>) {
    let of = inst.srcs.len();
    out.insert(format!("source type {} of {of}", src.ty.name()));
    let region = src.region;
    out.insert(format!(
        "region {:?};{},{} of source {n} of {of}",
        region.vstride, region.width, region.hstride
    ));
    if src.modifier.neg || src.modifier.abs {
        let (neg, abs) = (src.modifier.neg, src.modifier.abs);
        out.insert(format!(
            "modifier neg {neg} abs {abs} of source {n} of {of}"
        ));
    }
    if src.mme.is_some() {
        out.insert("extended accumulator".into());
    }
    place(src.place, "source", out);
}

fn place(place: Place, operand: &str, out: &mut BTreeSet<String>) {
    match place {
        Place::Direct(reg) => out.insert(format!("{operand} {:?}", reg.file)),
        Place::Indirect { imm, .. } => {
            out.insert(format!("{operand} indirect, offset {}", imm.signum()))
        }
    };
}

fn flag(reg: Reg, out: &mut BTreeSet<String>) {
    out.insert(format!("flag {}.{}", reg.num, reg.byte / 2));
}

/// The operation's name in a listing, its function included: the first word after the predicate.
fn operation(text: &str) -> &str {
    let text = text.trim_start();
    let text = match text.strip_prefix('(') {
        Some(rest) => rest.split_once(')').map_or("", |(_, rest)| rest),
        None => text,
    };
    text.split_whitespace().next().unwrap_or_default()
}

/// Functions that load and store by address have their kind in the low bits of the descriptor.
fn loads_and_stores(sfid: u8, platform: &Platform) -> bool {
    let has_them = matches!(platform.family, Family::XeHpg | Family::XeHpc | Family::Xe2);
    has_them && matches!(sfid, 1 | 13..=15)
}

const SAMPLER: u8 = 2;
const GATEWAY: u8 = 3;

/// Function and kind of a message, its parts, and the places of its descriptors.
fn message(inst: &Inst, platform: &Platform, out: &mut BTreeSet<String>) {
    let Some(message) = &inst.msg else { return };
    let at = |desc: Desc| match desc {
        Desc::Imm(_) => "immediate",
        Desc::Addr { .. } => "register",
    };
    out.insert(format!(
        "descriptors {} and {}",
        at(message.desc),
        at(message.ex_desc)
    ));
    let sfid = message.sfid;
    let options = [
        (message.eot, "EOT"),
        (inst.send.ex_bso, "ExBSO"),
        (inst.send.cps, "CPS"),
        (inst.send.src1_len != 0, "own length"),
        (inst.send.ex_offset != 0, "offset"),
        (inst.send.serialize, "Serialize"),
    ];
    for (_, name) in options.iter().filter(|(set, _)| *set) {
        out.insert(format!("send option {name}"));
    }
    let Desc::Imm(desc) = message.desc else {
        return;
    };
    let field = |low: u32, width: u32| desc >> low & ((1 << width) - 1);
    if loads_and_stores(sfid, platform) {
        for (part, low, width) in [
            ("kind", 0, 6),
            ("address", 7, 2),
            ("element", 9, 3),
            ("vector", 12, 3),
            ("transposed", 15, 1),
            ("surface", 29, 2),
        ] {
            let value = field(low, width);
            out.insert(format!("message {sfid} {part} {value:#x}"));
        }
        return;
    }
    let kind = match sfid {
        SAMPLER => field(12, 5),
        GATEWAY => field(0, 3),
        _ => field(14, 5),
    };
    let header = field(19, 1);
    out.insert(format!("message {sfid} kind {kind:#x} header {header}"));
}
