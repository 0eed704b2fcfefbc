//! Stages that `kiln compile --dump` prints.

use kiln_compile::{Stage, source};

use super::input::Input;

/// Names of the stages behind LLVM IR.
const STAGES: [(&str, Stage); 5] = [
    ("visa", Stage::Visa),
    ("ir", Stage::Ir),
    ("isel", Stage::Isel),
    ("ra", Stage::Ra),
    ("asm", Stage::Asm),
];
/// Name of LLVM IR as it was read; a pass follows behind a colon.
const GENX: &str = "genx";

/// A stage that can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dump {
    /// LLVM IR as it was read, or after a pass.
    Genx(&'static str),
    Stage(Stage),
}

/// Parses a stage.
pub fn parse(text: &str) -> Result<Dump, String> {
    if let Some((_, stage)) = STAGES.iter().find(|(name, _)| *name == text) {
        return Ok(Dump::Stage(*stage));
    }
    let wanted = match text.split_once(':') {
        Some((GENX, pass)) => Some(pass),
        _ => (text == GENX).then_some(kiln_genx::READ),
    };
    let mut stages = kiln_genx::stage_names();
    let found = wanted.and_then(|wanted| stages.find(|name| *name == wanted));
    found.map(Dump::Genx).ok_or_else(|| {
        let stages = STAGES.iter().map(|(name, _)| (*name).to_string());
        let passes = kiln_genx::stage_names().map(|name| format!("{GENX}:{name}"));
        let names: Vec<_> = std::iter::once(GENX.to_string())
            .chain(passes)
            .chain(stages)
            .collect();
        format!("no such stage: {}", names.join(", "))
    })
}

impl Dump {
    /// The stage of the finalizer.
    pub fn stage(self) -> Option<Stage> {
        match self {
            Dump::Genx(_) => None,
            Dump::Stage(stage) => Some(stage),
        }
    }
}

/// LLVM IR of an input at the wanted stages, up to an error, which the compilation reports.
pub fn genx(input: &Input, dumps: &[Dump]) -> String {
    let mut out = String::new();
    if dumps.iter().all(|dump| dump.stage().is_some()) {
        return out;
    }
    let Ok(source::Form::Genx(bytes)) = source::form(input) else {
        return out;
    };
    for (name, text) in kiln_genx::stages(bytes, None).0 {
        if dumps.contains(&Dump::Genx(name)) {
            out.push_str(&format!(
                "; {}: genx:{name}\n{}\n",
                input.name,
                text.trim_end()
            ));
        }
    }
    out
}
