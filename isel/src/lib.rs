//! Instruction selection: vISA semantics to Gen instructions on virtual registers.
//!
//! [`select`](lower::select) takes a function of the IR and gives a [`mir::MFunc`]: Gen
//! instructions in SSA form whose general registers, flags and address registers are virtual. The
//! parts: [`lower`] drives and resolves operands, [`alu`] knows what each vISA operation is in Gen
//! terms, [`legalize`] makes any operation legal on the platform (splitting, strides, copies),
//! [`message`] builds sends, [`ieee`] the exact division and square root, [`dce`] removes what
//! nobody reads.

pub mod alu;
pub mod dce;
pub mod ieee;
pub mod legalize;
pub mod lower;
pub mod message;
pub mod mir;
pub mod opt;
