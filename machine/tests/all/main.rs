//! Tests of machine IR itself.
//! One program, because linking each file for itself takes minutes.

mod graph;
mod random;
mod roles;
mod rules;
