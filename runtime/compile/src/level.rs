//! Forms of the code between passes, each with the verifier that runs there.

/// The form of the code after a pass: it says which verifier runs and which phase the time counts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// vISA, as the front end's verifier accepted it.
    Object,
    /// SSA form of vISA.
    Ir,
    /// Machine IR before legalization: instructions may be wider than the machine's.
    Wide,
    /// Machine IR whose instructions are the machine's, on virtual registers.
    Legal,
    /// Gen instructions on physical registers, in the forms of the earliest families. Moves may be between a backward
    /// goto and the join of its channels.
    LaidOut,
    /// The same, with each backward goto directly before its join.
    Allocated,
    /// Gen instructions on physical registers, in the platform's forms.
    Formed,
    /// Machine code.
    Code,
}

impl Level {
    /// The rules that the verifier demands after a pass.
    pub fn verifier(self) -> &'static str {
        match self {
            Level::Object => "rules of vISA for one object",
            Level::Ir => "SSA form",
            Level::Wide => "machine IR without the rules of execution sizes",
            Level::Legal => "machine IR",
            Level::LaidOut => {
                "instructions as `forms`, control flow as `backward-gotos` will write them"
            }
            Level::Allocated => "instructions as `forms` will write them, control flow",
            Level::Formed => "instructions, control flow",
            Level::Code => "decoded instructions, control flow, scoreboard",
        }
    }
}
