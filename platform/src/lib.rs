//! Facts about the machines, as data: the one home of everything that a pass must know of a target.
//!
//! [`isa`] is the vocabulary of machine code. [`op`] has the properties of each operation, [`platform`] the facts of
//! platforms and [`rules`] those of families, both as tables of [`facts`]; [`products`] the names of
//! platforms, [`abi`] the calling conventions, [`bits`]
//! sets of registers, [`sources`] those of an instruction, [`crowded`] the places where more lives than registers hold, and [`errata`] the faults of chips.
//! A pass asks for a fact and never which platform it is.

pub mod abi;
pub mod bits;
pub mod crowded;
pub mod errata;
pub mod facts;
mod family;
pub mod isa;
mod named;
pub mod op;
pub mod operands;
pub mod platform;
pub mod products;
pub mod rules;
pub mod sources;
