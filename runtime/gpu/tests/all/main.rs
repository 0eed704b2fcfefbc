//! Tests of the device from outside.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod calls;
mod device;
mod hostile;
mod simulator;
