//! The IR between the readers and vISA: SSA over vectors of any width, one arena a function.

pub mod asm;
pub mod atomics;
pub mod decl;
pub mod fault;
pub mod function;
pub mod module;
pub mod print;
pub mod rules;
pub mod types;
pub mod verify;

pub use decl::{Attrs, Linkage, MetaId};
pub use function::{
    BinaryOp, Block, CastOp, Const, FloatRel, Function, FunctionId, GlobalId, Inst, InstData,
    IntRel, Op, Unroll, Value, ValueDef,
};
pub use module::{Global, Meta, Module};
pub use types::{Scalar, Type, TypeData, Types};
