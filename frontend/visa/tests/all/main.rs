//! Tests of the readers, writers and rules of vISA.
//! One program, because linking each file for itself takes minutes.

mod binary;
mod build;
mod common;
mod errors;
mod examples;
mod forms;
mod newer_text;
mod opcodes;
mod recovery;
mod robust;
mod rules;
mod shapes;
