//! What tests of passes share: random functions, and files of input and expected output.

pub mod files;
pub mod random;
pub mod run;
