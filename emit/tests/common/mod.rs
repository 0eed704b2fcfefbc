//! What instructions exercise, as short names, for counting and covering.

use kiln_emit::inst::{Desc, Inst, Place, Reg, Src, SrcReg, Target};
use std::collections::BTreeSet;

/// The names of everything that an instruction uses of its family's encoding.
pub fn features(inst: &Inst) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let text = inst.to_string();
    let body = text.trim_start_matches(|c: char| c != ' ').trim_start();
    let mnemonic = body.split([' ', '(']).next().unwrap_or_default();
    let name = if text.trim_start().starts_with('(') {
        mnemonic
    } else {
        text.trim_start()
    };
    let name = name.split([' ', '(']).next().unwrap_or_default();
    out.insert(format!("op {name}"));
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
    message(inst, &mut out);
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

/// Function and kind of message, and where its descriptors are.
fn message(inst: &Inst, out: &mut BTreeSet<String>) {
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
    if let Desc::Imm(desc) = message.desc {
        // The kind is in the low bits for load-store functions, else above the control bits.
        let load_store = inst.swsb != Default::default() && message.sfid > 12;
        let kind = if load_store {
            desc & 0x3f
        } else {
            desc >> 14 & 0x1f
        };
        out.insert(format!("message {} kind {kind:#x}", message.sfid));
    }
}
