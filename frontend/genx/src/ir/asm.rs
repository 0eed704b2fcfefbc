//! Inline assembly: vISA text in a call, and the constraints of its operands.
//!
//! Operands are numbered, results first: `$0`, or `${0}`. A `$` that is no operand is written `$$`, and `${:uid}` is a
//! number that no other call has. Constraints are LLVM's ("Inline Assembler Expressions" of its reference) with the letters
//! of the reference compilers (intel-graphics-compiler, `IGC/VectorCompiler/lib/GenXCodeGen/GenXUtil.cpp`, and
//! `EmitVISAPass.cpp` for `P` and the suffix `.u`).

use std::fmt::Write;

use super::fault::Fault;
use crate::error::Code;

type Rule<T> = Result<T, Fault>;

/// Form of an operand in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Name of the variable: `rw`.
    Name,
    /// Variable and region of all elements: `r` and `a`.
    Region,
    /// Immediate with its type: `i` and `F`.
    Immediate,
    /// Number: `n` and `P`.
    Number,
    /// Name of a predicate: `cr`.
    Predicate,
    /// The register of a result, which has the operand's value at the start.
    Result(u32),
}

/// Letters of constraints.
const FORMS: [(&str, Form); 9] = [
    ("rw", Form::Name),
    ("rw.u", Form::Name),
    ("r", Form::Region),
    ("a", Form::Region),
    ("i", Form::Immediate),
    ("F", Form::Immediate),
    ("n", Form::Number),
    ("P", Form::Number),
    ("cr", Form::Predicate),
];

/// Inline assembly.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Asm {
    pub text: String,
    pub constraints: String,
    /// Forms of the results, and of the operands after them.
    pub forms: Vec<Form>,
    pub results: usize,
    /// True if it is there for more than its results.
    pub effects: bool,
}

impl Asm {
    /// Inline assembly with the constraints that a call states.
    ///
    /// # Errors
    /// A constraint is not supported.
    pub fn new(text: String, constraints: String, effects: bool) -> Rule<Asm> {
        let fault = |what: &str| {
            let message = format!("constraint `{what}` of inline assembly is not supported");
            Err(Fault::new(Code::Instruction, message))
        };
        let (mut forms, mut results) = (Vec::new(), 0);
        for constraint in constraints.split(',').filter(|one| !one.is_empty()) {
            // A clobber: all that vISA can change is named.
            if constraint.starts_with('~') {
                continue;
            }
            let (is_result, rest) = match constraint.strip_prefix('=') {
                Some(rest) => (true, rest),
                None => (false, constraint),
            };
            // Results have registers of their own, and the operands' order does not matter; `^` is before several letters.
            let code = rest.trim_start_matches(['&', '%', '^']);
            let code = code
                .strip_prefix('{')
                .map_or(code, |code| code.trim_end_matches('}'));
            let form = match code.parse() {
                Ok(number) if !is_result && (number as usize) < results => Form::Result(number),
                _ => match FORMS.iter().find(|(letters, _)| *letters == code) {
                    Some((_, form)) => *form,
                    None => return fault(constraint),
                },
            };
            let is_constant = matches!(form, Form::Immediate | Form::Number);
            if is_result && (is_constant || results < forms.len()) {
                return fault(constraint);
            }
            results += usize::from(is_result);
            forms.push(form);
        }
        Ok(Asm {
            text,
            constraints,
            forms,
            results,
            effects,
        })
    }

    /// The text with its operands.
    ///
    /// # Errors
    /// The text names an operand that there is not.
    pub fn filled(&self, operands: &[String], uid: u32) -> Rule<String> {
        let (mut out, mut rest) = (String::new(), self.text.as_str());
        while let Some((before, after)) = rest.split_once('$') {
            out.push_str(before);
            rest = after;
            if let Some(after) = rest.strip_prefix('$') {
                // The reference takes any number of the sign before an operand.
                if !after.starts_with(|c: char| c == '$' || c.is_ascii_digit()) {
                    out.push('$');
                    rest = after;
                }
                continue;
            }
            if let Some(after) = rest.strip_prefix("{:uid}") {
                let _ = write!(out, "{uid}");
                rest = after;
                continue;
            }
            let inner = rest.strip_prefix('{').unwrap_or(rest);
            let digits = inner.len() - inner.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, mut after) = inner.split_at(digits);
            if inner.len() < rest.len() {
                let Some(closed) = after.strip_prefix('}') else {
                    let message =
                        "inline assembly has an operand that is not closed, or a modifier";
                    return Err(Fault::new(Code::Instruction, message));
                };
                after = closed;
            }
            let operand = number.parse().ok().and_then(|n: usize| operands.get(n));
            let Some(operand) = operand else {
                let message = format!("inline assembly has no operand ${number}");
                return Err(Fault::new(Code::Mismatch, message));
            };
            out.push_str(operand);
            rest = after;
        }
        out.push_str(rest);
        Ok(out)
    }
}
