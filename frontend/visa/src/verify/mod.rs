//! The verifier: a walk over a module that holds every declaration and every instruction against
//! the rules of the specification and the opcode's row.
//!
//! Takes any module, however made, and gives all it finds, each with the code of its rule in
//! [`RULES`]. Of a module without errors, instruction selection never fails, because:
//! - every number of a variable, label and so on is in range, aliases go to variables declared
//!   before, and lie in the variable at the end of their chain;
//! - every instruction has the operands of its row, of the kinds the row allows, and numbers that
//!   mean something; its channels are 32 at most, and predicates have a bit for each;
//! - regions are legal, direct accesses and raw operands begin and end in their variable, its size
//!   rounded up to whole GRFs, the payload of messages included where its size is known;
//! - every label is defined once, jumps go to blocks of their subroutine and calls to subroutines.

mod calls;
mod decls;
mod facts;
mod lsc;
mod messages;
mod operands;
mod rules;
mod special;
mod surfaces;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

use cranelift_entity::{EntityRef, EntitySet};
use thiserror::Error;

use crate::labels;
use crate::module::{Inst, Module, Object, ObjectKind, Place, Predicate, Subject, Var};
use crate::opcode::{Category, Opcode};
use calls::Functions;
use kiln_target::platform::Generation;

pub use rules::{FindingKind, RULES, Rule, Severity};

/// Something that is wrong with a module, and where.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{kind}")]
pub struct Finding {
    /// The number of the object in the module.
    pub object: usize,
    /// The number of the instruction in the object; none if it is a declaration that is wrong.
    pub inst: Option<usize>,
    /// Of the instruction.
    pub place: Place,
    /// What is wrong, for a message to underline.
    pub subject: Subject,
    pub kind: FindingKind,
}

impl Finding {
    /// The code of the rule, for example `V0012`.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    pub fn severity(&self) -> Severity {
        self.kind.rule().severity
    }
}

/// The bytes of a text that the instruction at the place takes, for a message to underline: from its
/// first character to the end of its line or the comment on it. Empty if the place is no place in a
/// text.
pub fn span(source: &str, place: Place) -> Range<usize> {
    let (Some(line), Some(column)) = (place.pos.checked_sub(1), place.column.checked_sub(1)) else {
        return 0..0;
    };
    let lines = source.split_inclusive('\n');
    let before = lines.take(line as usize).map(str::len).sum::<usize>();
    let start = before + column as usize;
    let Some(rest) = source.get(start..) else {
        return 0..0;
    };
    let line = rest.lines().next().unwrap_or("");
    let code = line.split("//").next().unwrap_or("").trim_end();
    start..start + code.len()
}

/// Bytes of a register: of a row of a direct access.
const GRF: u32 = 32;

/// The same from XeHPC on.
const LARGE_GRF: u32 = 64;

/// The errors of a module: of one without, instruction selection never fails.
pub fn verify(module: &Module) -> Vec<Finding> {
    let mut findings = check(module, None);
    findings.retain(|finding| finding.severity() == Severity::Error);
    findings
}

/// Everything that is wrong with a module, warnings included, as one for that platform; without a
/// platform, as one for any: each object has the size of registers that it has the fewest errors
/// with, the smaller of two.
pub fn check(module: &Module, platform: Option<Generation>) -> Vec<Finding> {
    let functions = Functions::new(module);
    let mut names = HashSet::new();
    let mut findings = Vec::new();
    for (number, object) in module.objects.iter().enumerate() {
        let verified = |grf| {
            let mut verifier = Verifier {
                object,
                number,
                inst: None,
                place: Place::default(),
                subject: Subject::Object,
                platform,
                grf,
                functions: &functions,
                roots: Vec::new(),
                operands: OnceCell::new(),
                jumps: Vec::new(),
                findings: Vec::new(),
            };
            verifier.object();
            verifier.findings
        };
        let errors = |found: &[Finding]| {
            let errors = found.iter().filter(|f| f.severity() == Severity::Error);
            errors.count()
        };
        let mut found = verified(platform.map_or(GRF, Generation::grf_bytes));
        if platform.is_none() && errors(&found) > 0 {
            let other = verified(LARGE_GRF);
            if errors(&other) < errors(&found) {
                found = other;
            }
        }
        if !names.insert((object.kind == ObjectKind::Kernel, &object.name)) {
            let name = object.name.to_string();
            findings.push(Finding {
                object: number,
                inst: None,
                place: Place::default(),
                subject: Subject::Object,
                kind: FindingKind::Names { name },
            });
        }
        findings.append(&mut found);
    }
    findings
}

/// By opcode, true if it only calculates: the rules of messages and labels do not concern it.
const CALCULATES: [bool; Opcode::rows().len()] = {
    let rows = Opcode::rows();
    let mut table = [false; Opcode::rows().len()];
    let mut i = 0;
    while i < rows.len() {
        let calculates = matches!(
            rows[i].category,
            Category::Arith | Category::Logic | Category::Mov | Category::Compare
        );
        table[i] = calculates && !rows[i].has_raw;
        i += 1;
    }
    table
};

struct Verifier<'a> {
    object: &'a Object,
    number: usize,
    inst: Option<usize>,
    place: Place,
    subject: Subject,
    platform: Option<Generation>,
    /// Bytes of a register.
    grf: u32,
    functions: &'a Functions<'a>,
    /// The end of each variable's chain of aliases.
    roots: Vec<Root>,
    /// Predicates that are operands, once it was asked.
    operands: OnceCell<EntitySet<Predicate>>,
    /// The instructions with labels and those that subroutines begin with, once they were looked at, with their
    /// numbers.
    jumps: Vec<(usize, &'a Inst)>,
    findings: Vec<Finding>,
}

/// Where a variable is: the one at the end of its chain of aliases, the offset there, and the bytes of that one with what
/// is left of its last GRF.
#[derive(Clone, Copy)]
struct Root {
    var: Var,
    offset: u32,
    room: u32,
}

/// As [`Object::root`], of all variables at once: chains may be long.
fn roots(object: &Object, grf: u32) -> Vec<Root> {
    let mut roots: Vec<Root> = Vec::with_capacity(object.vars.len());
    for (var, decl) in &object.vars {
        roots.push(match decl.alias {
            Some((base, at)) => {
                let base = roots[base.index()];
                let offset = base.offset.saturating_add(at.into());
                Root { offset, ..base }
            }
            None => Root {
                var,
                offset: 0,
                room: decls::room(object, var, grf),
            },
        });
    }
    roots
}

impl Verifier<'_> {
    fn find(&mut self, kind: FindingKind) {
        let Verifier {
            number: object,
            inst,
            place,
            subject,
            ..
        } = *self;
        self.findings.push(Finding {
            object,
            inst,
            place,
            subject,
            kind,
        });
    }

    fn object(&mut self) {
        // Without sound aliases nothing that follows them comes to an end.
        if !self.aliases() {
            return;
        }
        self.inputs();
        self.subject = Subject::Object;
        self.declaration();
        self.arrays();
        self.attributes();
        self.insts();
        self.flow();
        (self.inst, self.place) = (None, Place::default());
        self.subject = Subject::Object;
        self.definitions();
    }

    /// Each instruction by itself.
    fn insts(&mut self) {
        for (i, inst) in self.object.insts.iter().enumerate() {
            self.at(i, inst);
            self.inst(inst);
            self.call(inst);
            self.special(inst);
            if CALCULATES[inst.op as usize] {
                continue;
            }
            self.message(inst);
            self.surfaces(inst);
            self.lsc(inst);
            if inst.op == Opcode::Subroutine || labels::has_label(inst) {
                self.jumps.push((i, inst));
            }
        }
    }

    /// What is found from here on is about that instruction.
    fn at(&mut self, i: usize, inst: &Inst) {
        (self.inst, self.place) = (Some(i), inst.place);
        self.subject = Subject::Inst;
    }
}
