//! The verifier: checks every declaration and every instruction of a module against the rules of the specification
//! and the opcode's row.
//!
//! Takes any module and gives all findings, each with the code of its rule in [`RULES`]. Instruction selection
//! never fails on a module without errors, because:
//! - numbers of variables, labels and other entities are in range, an alias is of an earlier variable and lies in
//!   the variable at the end of its chain;
//! - every instruction has the operands of its row, of the kinds the row allows, and valid numbers; it has at most
//!   32 channels, and predicates have a bit for each;
//! - regions are legal; direct accesses and raw operands, with payloads of known size, end in their variable, whose
//!   size is rounded up to whole GRFs;
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
use kiln_platform::platform::Generation;

pub use rules::{FindingKind, RULES, Rule, Severity};

/// A breach of a rule, and its position.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{kind}")]
pub struct Finding {
    /// Number of the object in the module.
    pub object: usize,
    /// Number of the instruction in the object; `None` for a declaration.
    pub inst: Option<usize>,
    /// Place of the instruction.
    pub place: Place,
    /// Part at fault, for a message to underline.
    pub subject: Subject,
    /// The rule that is broken, and what was found.
    pub kind: FindingKind,
}

impl Finding {
    /// Code of the rule, for example `V0012`.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// Severity: after a warning, the module still has a meaning.
    pub fn severity(&self) -> Severity {
        self.kind.rule().severity
    }
}

/// Range of the instruction at a place of a text, for a message to underline: from its first character to the end
/// of its line or its comment. Empty if the place is not in the text.
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

/// Bytes of a register, which is a row of a direct access.
const GRF: u32 = 32;

/// Bytes of a register from XeHPC on.
const LARGE_GRF: u32 = 64;

/// Errors of a module. Instruction selection never fails on a module without errors.
pub fn verify(module: &Module) -> Vec<Finding> {
    let mut findings = check(module, None);
    findings.retain(|finding| finding.severity() == Severity::Error);
    findings
}

/// All findings of a module for a platform, warnings included. Without a platform, each object is checked with the
/// size of registers that gives fewer errors, and with the smaller if they are equal.
pub fn check(module: &Module, platform: Option<Generation>) -> Vec<Finding> {
    let functions = Functions::new(&module.objects);
    let mut names = HashSet::new();
    let mut findings = Vec::new();
    for (number, object) in module.objects.iter().enumerate() {
        let verified = |grf| Verifier::findings(object, number, platform, grf, &functions);
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
        if let Some(platform) = platform
            && errors(&found) > MANY[0]
        {
            of_another_family(&mut found, platform, |grf| {
                errors(&Verifier::findings(object, number, None, grf, &functions))
            });
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

/// Number of errors above which one sentence comes first: of the size of registers, and of what the platform lacks.
const MANY: [usize; 2] = [3, 8];
/// Number of errors kept after it.
const KEPT: usize = 3;

/// Replaces many errors of an object that is right for another family of platforms by one sentence and the first of them. `others` counts the errors that the object has on no platform in particular, by the bytes of
/// a register.
fn of_another_family(
    found: &mut Vec<Finding>,
    platform: Generation,
    others: impl Fn(u32) -> usize,
) {
    let own = platform.grf_bytes();
    let other = if own == GRF { LARGE_GRF } else { GRF };
    let is_error = |f: &Finding| f.severity() == Severity::Error;
    let count = found.iter().filter(|f| is_error(f)).count();
    let kind = match (others(own), others(other)) {
        (1.., 0) if count > MANY[0] => FindingKind::OtherRegisters {
            written: other,
            platform: platform.name(),
            found: own,
        },
        (0, _) if count > MANY[1] => FindingKind::OtherPlatform {
            platform: platform.name(),
            count,
        },
        _ => return,
    };
    let object = found.first().map_or(0, |f| f.object);
    found.retain(is_error);
    found.truncate(KEPT);
    found.insert(
        0,
        Finding {
            object,
            inst: None,
            place: Place::default(),
            subject: Subject::Object,
            kind,
        },
    );
}

/// All findings of an object by itself for a platform. Functions that it names are not known.
pub fn check_object(object: &Object, platform: Generation) -> Vec<Finding> {
    let functions = Functions::new(std::slice::from_ref(object));
    Verifier::findings(object, 0, Some(platform), platform.grf_bytes(), &functions)
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
    /// Root of each variable: the end of its chain of aliases.
    roots: Vec<Root>,
    /// Predicates that are operands, computed on demand.
    operands: OnceCell<EntitySet<Predicate>>,
    /// Instructions with labels and those that begin subroutines, with their numbers; complete after all
    /// instructions were checked.
    jumps: Vec<(usize, &'a Inst)>,
    findings: Vec<Finding>,
}

/// Position of a variable: the root at the end of its chain of aliases, the offset in it, and the root's size
/// rounded up to whole GRFs.
#[derive(Clone, Copy)]
struct Root {
    var: Var,
    offset: u32,
    room: u32,
}

/// Roots of all variables in one pass, since chains may be long ([`Object::root`]).
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
    /// All findings of the object of a number.
    fn findings(
        object: &Object,
        number: usize,
        platform: Option<Generation>,
        grf: u32,
        functions: &Functions,
    ) -> Vec<Finding> {
        let mut verifier = Verifier {
            object,
            number,
            inst: None,
            place: Place::default(),
            subject: Subject::Object,
            platform,
            grf,
            functions,
            roots: Vec::new(),
            operands: OnceCell::new(),
            jumps: Vec::new(),
            findings: Vec::new(),
        };
        verifier.object();
        verifier.findings
    }

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
        // Everything below follows aliases and would not terminate on a cycle.
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

    /// Rules of each instruction by itself.
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

    /// Sets the instruction that later findings belong to.
    fn at(&mut self, i: usize, inst: &Inst) {
        (self.inst, self.place) = (Some(i), inst.place);
        self.subject = Subject::Inst;
    }
}
