//! Translation of Gen code to x86-64 with AVX-512, or with AVX2.
//!
//! A program is translated as a whole, each block for one float mode, and the code is kept beside it. `emit` goes through
//! its blocks; an operation whose form no part takes calls the interpreter's function for it, so that everything can be
//! translated and coverage decides only about speed. All of a thread's state is in its `Thread` whenever a block ends:
//! turns, waits, errors and figures are those of the interpreter.
//!
//! | file | takes |
//! | --- | --- |
//! | `asm`, `codes` | instructions of x86-64 |
//! | `memory`, `code` | memory that executes, and the code in it |
//! | `blocks` | where blocks begin and end, and what they count |
//! | `modes` | the float mode in which each is expected to run |
//! | `sites`, `held` | data of parts: the buffers that messages access; windows, masks, loops |
//! | `emitter` | the state of a translation, and the steps that all parts share |
//! | `windows` | registers that hold parts of a thread |
//! | `loops` | which of them stay in registers over a loop |
//! | `masks` | execution masks, predicates, flags |
//! | `operands` | regions as vectors |
//! | `arithmetic`, `wide`, `doubles` | operations on lanes of 32 and of 64 bits, by rows |
//! | `messages`, `interleave` | plain loads and stores; those of several elements a channel, in the order of memory |
//! | `indirect` | moves through addresses in `a0` |
//! | `branches` | control flow |
//! | `emit` | all blocks of a program |
//! | `legalize`, `expand`, `avx2` | all code once more, for hosts without AVX-512 |
//! | `context`, `enter` | entering code, and calls back to the interpreter |
//! | `host`, `translations`, `engine` | which code a host gets, when it is made, and turns that it executes |
//! | `both` | the two engines side by side |

mod arithmetic;
mod asm;
mod avx2;
mod blocks;
pub(crate) mod both;
mod branches;
mod code;
mod codes;
mod context;
mod doubles;
mod emit;
mod emitter;
pub(crate) mod engine;
mod enter;
mod expand;
mod held;
mod host;
mod indirect;
mod interleave;
mod legalize;
mod listing;
mod loops;
mod masks;
mod memory;
mod messages;
mod modes;
mod operands;
mod sites;
pub(crate) mod translations;
mod wide;
mod windows;

pub use code::Refusal;
pub use host::Host;
pub use listing::{BlockListing, Listing, OperationListing};
