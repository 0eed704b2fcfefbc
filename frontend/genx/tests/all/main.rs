//! Tests of the front end for LLVM IR.
//! One program, because linking each file for itself takes minutes.

mod builtins;
mod diagnostics;
mod diverge;
mod division;
mod forms;
mod intrinsics;
mod modules;
mod passes;
mod print;
mod robust;
mod signatures;
mod spirv;
mod verify;
