//! Tests of selection and of passes on machine IR.
//! One program, because linking each file for itself takes minutes.

mod common;
mod legalize;
mod optimizer;
mod pairs;
mod remat;
mod schedule;
mod select;
