//! Shared tools for tests of passes: random functions, an interpreter, files of input and expected output.

pub mod files;
pub mod random;
pub mod run;
