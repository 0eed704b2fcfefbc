//! Tests of machine IR itself.
//! One program, because linking each file for itself takes minutes.

mod random;
mod roles;
mod rules;
