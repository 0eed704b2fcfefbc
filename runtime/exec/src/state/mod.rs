//! State that instructions change: threads with their registers, memory, images, barriers; numbers and causes of
//! failures.

pub mod barrier;
pub mod cause;
pub mod defined;
pub mod format;
pub mod image;
pub mod lanes;
mod mapping;
pub mod memory;
pub mod numbers;
pub mod thread;
pub mod wide;
pub mod words;
