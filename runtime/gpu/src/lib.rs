//! A virtual Intel GPU: the device below Intel's unmodified driver, whose execution units are [`kiln_exec`]'s engines.
//!
//! | file | contents |
//! | --- | --- |
//! | `device` | what the kernel driver says of each device |
//! | `space` | address spaces: memory of the process by its address on the device |
//! | `registers` | the streamer's registers, and what commands compute with them |
//! | `stream` | the command streamer: batches of commands |
//! | `launch` | launches, whatever command they come from |
//! | `walker`, `media` | the commands of launches since XeHP and before, to threads with payloads |
//! | `surfaces` | states of surfaces and samplers |
//! | `code` | code by its address |
//! | `blit` | copies and fills of the copy engine |
//! | `physical` | physical memory of a simulated device, and its page tables |
//! | `tbx` | the simulator's door: a server for drivers that speak to one by themselves |
//! | `xe` | the kernel driver's interface (`xe`), answered in the process |
//! | `report` | reports of launches and of faults |
//! | `source` | lines of the source, of code |
//! | `program` | programs below another system's loader |
//! | `record` | launches as files, which `kiln run` repeats |
//!
//! `kiln-gpu-preload` is the library that programs meet it by. Encodings of commands and states are those of the Programmer's Reference Manuals, vol. 2a
//! ("Command Reference") and 2d ("Command Reference: Structures"); the interface is that of Linux's `xe_drm.h`.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![warn(missing_docs)]

mod blit;
mod code;
mod device;
mod launch;
mod media;
mod physical;
pub mod program;
pub mod record;
mod registers;
pub mod report;
mod source;
mod space;
mod stream;
mod surfaces;
mod tbx;
mod walker;
mod xe;

pub use device::{DEVICES, Device, Doors};
pub use launch::Settings;
pub use tbx::{Tbx, exchange};
pub use xe::Xe;
