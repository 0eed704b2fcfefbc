//! Shared tools for tests of passes: a parser of printed functions, random ones, an interpreter, files of input and expected output.

pub mod files;
pub mod parse;
pub mod random;
pub mod run;
