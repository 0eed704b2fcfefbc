//! Places for general variables for as long as they live, without SSA: the quick tier's registers.
//!
//! Takes an object without variables whose address is taken and without a stack, and its linear graph; gives each of its
//! general variables one [`Home`](crate::func::Home) in the register file or in scratch memory. Two variables of a routine have
//! a byte in common only where the life of one ends before that of the other begins, in the order of the code; those of a
//! subroutine have none of what lives where it is called. That is
//! one walk over the instructions and one over the variables, so that the time is linear whatever the pressure, and
//! nothing has to be renamed, copied at joins or allocated afterwards but temporaries.
//!
//! A predicate is a variable here, too, with a byte for each channel; it has its home in the register file if its contents
//! may come from one block to another. Predicates have the numbers behind the general variables' ([`predicate`]).
//!
//! `mentions` says what an instruction does to its variables, `lives` from where to where each one lives, and
//! `registers` shares out the register file (Poletto and Sarkar: linear scan). [`check`] proves what comes of it, in
//! another way.

pub mod check;
mod lives;
mod mentions;
mod registers;

use std::ops::Range;

use cranelift_entity::EntityRef;
use kiln_frontend::module::{InputVar, Object, Operand, Predicate, Var};

use crate::halves::any;

pub use lives::{Lives, lives};
pub use registers::assign;

/// What variables may have.
#[derive(Clone, Debug)]
pub struct Room {
    /// General registers.
    pub grfs: Range<u32>,
    /// Bytes of scratch memory.
    pub memory: u32,
}

/// What variables have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// General registers in which some lie at one time or another, inputs included.
    pub grfs: Range<u32>,
    /// Bytes of memory, in whole units.
    pub memory: u32,
}

/// The number among the variables that a predicate has here.
pub fn predicate(object: &Object, predicate: Predicate) -> Var {
    Var::new(object.vars.len() + predicate.index())
}

/// The numbers of all predicates that are declared.
fn predicates(object: &Object) -> impl Iterator<Item = Var> + use<> {
    let first = object.vars.len();
    (first + 1..first + object.predicates.len()).map(Var::new)
}

/// Bytes that a variable has.
fn bytes(object: &Object, var: Var) -> u32 {
    match var.index().checked_sub(object.vars.len()) {
        None => object.vars[var].bytes(),
        Some(p) => object.predicates[Predicate::new(p)].elements.into(),
    }
}

fn name(object: &Object, var: Var) -> String {
    match var.index().checked_sub(object.vars.len()) {
        None => object.vars[var].name.to_string(),
        Some(p) => object.predicates[Predicate::new(p)].name.to_string(),
    }
}

/// Whether an object is of the kind that this is for: nothing is reached but by its name.
pub fn is_plain(object: &Object) -> bool {
    let named = |operand: &Operand| {
        !matches!(
            operand,
            Operand::Indirect { .. } | Operand::AddressOf { .. }
        )
    };
    let mut inputs = object.inputs.iter();
    inputs.all(|input| matches!(input.var, InputVar::General(_)))
        && !any(&object.insts, |inst| !inst.operands.iter().all(named))
}
