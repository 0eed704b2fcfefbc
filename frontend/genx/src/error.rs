//! Diagnostics: what is wrong with a module, and where.
//!
//! [`Code`] lists all of them; `docs/genx.md` has the same list.

use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal $what:literal,)*) => {
        /// Kind of a diagnostic.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// All kinds, in the order of their codes.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// Code of the diagnostic: `G` and four digits, for ever the same.
            pub const fn text(self) -> &'static str {
                match self { $(Code::$name => $code,)* }
            }

            /// Short description for the list in the documentation.
            pub const fn summary(self) -> &'static str {
                match self { $(Code::$name => $what,)* }
            }
        }
    };
}

codes! {
    Syntax = "G0001" "the text is no LLVM IR",
    Type = "G0002" "a type is not supported here",
    Name = "G0003" "a name has no definition, or two",
    Mismatch = "G0004" "types do not fit each other",
    Instruction = "G0005" "an instruction is not supported",
    Callee = "G0006" "a function that is called is not defined",
    Intrinsic = "G0007" "an intrinsic is not supported",
    Operand = "G0008" "an operand of an intrinsic is wrong, or not supported",
    Kernel = "G0009" "the description of a kernel is wrong",
    Argument = "G0010" "an argument of a kernel is not supported",
    Variant = "G0011" "the two dialects are mixed",
    Region = "G0012" "a region is not inside of its vector",
    Size = "G0013" "a value is too large",
    Platform = "G0014" "the platform has no instruction for it",
    NoKernel = "G0015" "there is no kernel",
    Memory = "G0016" "an access of memory is not supported",
    Call = "G0017" "a call is not supported",
    Rule = "G0018" "the vISA made of it breaks a rule",
    Bitcode = "G0019" "the bytes are no bitcode",
    Constant = "G0020" "a constant is not supported here",
    Spirv = "G0021" "the words are no SPIR-V",
    NoCompute = "G0022" "the SPIR-V is not that of explicit SIMD",
    Divergence = "G0023" "a rule of divergent control flow does not hold",
    Pass = "G0024" "a pass breaks a rule of the IR: a fault of Kiln",
    Undefined = "G0025" "a function is defined by no module at hand",
}

impl Code {
    /// True if this is the code of a fault of the compiler.
    pub fn is_fault(code: &str) -> bool {
        code == Code::Pass.text()
    }

    /// True if this is the code of something that is valid and not supported.
    pub fn is_unsupported(code: &str) -> bool {
        const OTHERS: [Code; 9] = [
            Code::Syntax,
            Code::Name,
            Code::Mismatch,
            Code::Kernel,
            Code::NoKernel,
            Code::Variant,
            Code::Bitcode,
            Code::Spirv,
            Code::Pass,
        ];
        let found = Code::ALL.iter().find(|one| one.text() == code);
        found.is_some_and(|one| !OTHERS.contains(one))
    }
}

/// The name that is most like a word, if one is so like it that the word may be misspelt: by at most two changes, insertions or
/// omissions of characters, and at most one in three (Levenshtein, "Binary Codes Capable of Correcting Deletions").
pub(crate) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const MOST: usize = 2;
    let word = word.as_bytes();
    let mut best: Option<(usize, &str)> = None;
    for name in names {
        if name.len().abs_diff(word.len()) > MOST {
            continue;
        }
        let mut row: Vec<usize> = (0..=name.len()).collect();
        for (i, a) in word.iter().enumerate() {
            let mut diagonal = std::mem::replace(&mut row[0], i + 1);
            for (j, b) in name.bytes().enumerate() {
                let changed = diagonal + usize::from(*a != b);
                diagonal = row[j + 1];
                row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
            }
        }
        let distance = row[name.len()];
        let near = distance <= MOST && 3 * distance <= word.len();
        if near && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Position in an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loc {
    /// Line and column of a text, from 1; 0 if they are unknown.
    pub line: u32,
    pub column: u32,
    /// Byte of bitcode or SPIR-V; 0, where no record begins, in a text.
    pub byte: u32,
}

impl Loc {
    /// Position in bitcode or SPIR-V.
    pub fn byte(at: u64) -> Loc {
        Loc {
            byte: u32::try_from(at).unwrap_or(u32::MAX),
            ..Loc::default()
        }
    }
}

impl fmt::Display for Loc {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.line, self.byte) {
            (0, 0) => Ok(()),
            (0, byte) => write!(f, "byte {byte}"),
            (line, _) => write!(f, "{line}:{}", self.column),
        }
    }
}

/// An error and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    pub loc: Loc,
    pub message: String,
}

/// Diagnostic that ends the compilation. (Boxed: results are returned everywhere.)
pub type Error = Box<Diagnostic>;
/// Result of a step.
pub type Result<T> = std::result::Result<T, Error>;

impl Diagnostic {
    /// Error of a kind at a place.
    pub fn new(code: Code, loc: Loc, message: impl Into<String>) -> Error {
        Box::new(Diagnostic {
            code,
            loc,
            message: message.into(),
        })
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}
