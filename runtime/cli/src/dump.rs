//! Stages and passes whose code `kiln compile --dump` prints.

use kiln_compile::passes;
use kiln_compile::{Stage, source};

use super::input::Input;

/// Name of LLVM IR as it was read; a colon and the name of a pass follow for the IR after that.
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
    if let Some((_, stage)) = Stage::NAMES.iter().find(|(name, _)| *name == text) {
        return Ok(Dump::Stage(*stage));
    }
    if let Some(pass) = passes::list().find(|pass| pass.name == text) {
        return Ok(Dump::Stage(Stage::Pass(pass.name)));
    }
    let wanted = match text.split_once(':') {
        Some((GENX, pass)) => Some(pass),
        _ => (text == GENX).then_some(kiln_genx::READ),
    };
    let mut names = kiln_genx::dump_names();
    let found = wanted.and_then(|wanted| names.find(|name| *name == wanted));
    found.map(Dump::Genx).ok_or_else(|| {
        let genx = kiln_genx::dump_names().map(|name| format!("{GENX}:{name}"));
        let stages = Stage::NAMES.iter().map(|(name, _)| *name);
        // Name and pass of the stage `ir` are one.
        let passes = passes::names().filter(|name| stages.clone().all(|stage| stage != *name));
        let names: Vec<_> = std::iter::once(GENX.to_string())
            .chain(genx)
            .chain(stages.clone().chain(passes).map(str::to_string))
            .collect();
        format!("no such stage or pass; there are {}", names.join(", "))
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

/// LLVM IR of an input at the wanted stages, up to an error, which the compilation reports. A wanted pass that did not run
/// is named.
pub fn genx(input: &Input, dumps: &[Dump], how: &source::Reading) -> String {
    let mut out = String::new();
    if dumps.iter().all(|dump| dump.stage().is_some()) {
        return out;
    }
    let Ok(source::Form::Genx(bytes)) = source::form(input) else {
        return out;
    };
    let (texts, _) = kiln_genx::compile_dumped(bytes, &how.genx());
    for name in kiln_genx::dump_names().filter(|name| dumps.contains(&Dump::Genx(name))) {
        let text = texts.iter().find(|(pass, _)| *pass == name);
        let head = format!("; {}: {GENX}:{name}", input.name);
        out += &match text {
            Some((_, text)) => format!("{head}\n{}\n", text.trim_end()),
            None => format!("{head} did not run\n"),
        };
    }
    out
}
