//! Intrinsics: what each name means, as data.
//!
//! `table` has a row a name. A name in a module ends with the overloaded types, which are left out one after
//! the other until a row is found.

pub mod launch;
pub mod lsc;
pub mod messages;
pub mod regions;
pub mod signatures;
pub mod systolic;
mod table;

use std::collections::HashMap;
use std::sync::LazyLock;

use kiln_visa::module::Modifier;
use kiln_visa::opcode::{AtomicOp, Opcode};

use crate::error::Code;
use crate::ir::{BinaryOp, FloatRel, Function, Scalar, TypeData, Types, Value, ValueDef};
use messages::Message;
use systolic::Systolic;
use table::{ATOMICS, PREDEFINED_SURFACE, REFUSED, ROWS};

/// An intrinsic: its row in the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Intrinsic(u16);

/// Sign of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Signed,
    Unsigned,
    /// The sign is in the type: floats.
    Own,
}

/// Elementwise operation with a vISA opcode of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alu {
    pub op: Opcode,
    pub result: Sign,
    /// Signs of the operands; all after the last have its sign.
    pub operands: [Sign; 3],
    pub saturate: bool,
}

/// Family of atomics: where the memory is, and which operands there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicKind {
    /// Predicate, surface, offsets in bytes, sources, old value.
    Dword,
    /// Without the old value.
    Dword2,
    /// Predicate, surface, offset in dwords, offsets in dwords, sources, old value.
    Untyped,
    /// Predicate, addresses, sources, old value.
    Svm,
    /// Predicate, surface, sources, three coordinates, level of detail.
    Typed,
}

/// Places of the operands of a family of atomic accesses.
pub struct AtomicRow {
    /// Operands before the addresses, or before the data where that comes first.
    pub before: usize,
    /// True if the second operand is a surface.
    pub surface: bool,
    /// True if the last operand is the result's old value.
    pub has_old: bool,
    /// True if the data comes first, and four coordinates follow.
    pub coordinates: bool,
}

impl AtomicKind {
    pub fn row(self) -> AtomicRow {
        let (before, surface, has_old, coordinates) = match self {
            AtomicKind::Svm => (1, false, true, false),
            AtomicKind::Dword => (2, true, true, false),
            AtomicKind::Dword2 => (2, true, false, false),
            AtomicKind::Untyped => (3, true, true, false),
            AtomicKind::Typed => (2, true, false, true),
        };
        AtomicRow {
            before,
            surface,
            has_old,
            coordinates,
        }
    }
}

/// Access of an atomic instruction of LLVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Load,
    Store,
    /// The old value is read, and another written.
    Modify(AtomicOp),
    /// The old value is read, and another written, by an operation that no message has.
    Compute(Computed),
    Fence,
}

/// Operation of an atomic instruction that only a loop of exchanges can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computed {
    Nand,
    FAdd,
    FSub,
    /// The next number, and zero after the operand.
    UIncWrap,
    /// The number before, and the operand before zero and for what is beyond it.
    UDecWrap,
    /// The difference if it is not negative, else the old value.
    USubCond,
    /// The difference, or zero.
    USubSat,
    FMaximum,
    FMinimum,
}

/// Operation that makes one element of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    Binary(BinaryOp),
    /// An intrinsic.
    Named(&'static str),
}

/// Access of some elements of a vector in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Masked {
    pub stores: bool,
    /// True if each element has an address of its own.
    pub scattered: bool,
}

/// Elements of vectors in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// Some from a place on.
    Extract,
    /// Some are replaced from a place on.
    Insert,
    Reverse,
    /// The elements of vectors in turn.
    Interleave,
    /// As many vectors: each has the elements at every so many-th place.
    Deinterleave,
    /// Elements of two vectors side by side from a place on; one below 0 counts from the end of the first.
    Splice,
    /// A splice whose place is counted from the end of the first vector.
    SpliceRight,
    /// The numbers from 0 on.
    Step,
    /// For each place, if a number and the place are below another number.
    Active,
}

/// A question about the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// Bytes of an object: the least that it may have if the second operand is set, else the most.
    Size,
    IsConstant,
    /// The mode in which floats are rounded: to the nearest.
    Rounding,
}

/// Meaning of an intrinsic.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// No effect that matters.
    Nothing,
    /// The first operand.
    Copy,
    ReadRegion,
    WriteRegion,
    ReadPredicate,
    WritePredicate,
    Load,
    Store,
    /// To, from, bytes.
    MemCopy {
        /// True if the destination may begin in the source.
        overlaps: bool,
    },
    /// To, byte, bytes.
    MemSet,
    /// Address, alignment, mask, old value; or value, address, alignment, mask.
    Masked(Masked),
    Modifier(Modifier),
    Alu(Alu),
    /// Saturation of a float to 0 to 1.
    Saturate,
    /// True for the greater one.
    Extremum(bool, Sign),
    /// True to the left.
    Rotate(bool),
    FunnelShift(bool),
    Bfn,
    /// Carry or borrow first, then sum or difference.
    WithCarry(Opcode),
    WithOverflow(BinaryOp, Sign),
    SubSat(Sign),
    /// Absolute value of an integer; whether the least is poison does not matter.
    Abs,
    Fma,
    /// A vector, which floats have a first sum or product before. Lowered by `passes/reduce`.
    Reduce(Reduction),
    /// Between floats and the bits of bfloats.
    ConvertBFloat,
    CopySign,
    CountOnes,
    LeadingZeros,
    TrailingZeros,
    ReverseBits,
    SwapBytes,
    /// A function of LLVM, which the hardware's approximates; allowed with `afn`.
    Approximate(Opcode),
    /// A function of the library for floats, and the one that replaces it with `afn`.
    Math(&'static str, Option<&'static str>),
    /// A function of the library for each element, by the type of the first operand's. Lowered by `passes/expand`.
    Library(&'static str),
    /// A float rounded by an intrinsic, as an integer. Lowered by `passes/expand`.
    RoundTo(&'static str),
    /// A power with an integer for all elements. Lowered by `passes/expand`.
    IntegerPower,
    /// If a float is of the classes of a set. Lowered by `passes/expand`.
    Class,
    /// The nearest float that has a form of its own: the same, but for signaling NaNs. Lowered by `passes/expand`.
    Canonical,
    /// A question without an answer here: the size of an object, if a value is constant. Lowered by `passes/expand`.
    Unknown(Unknown),
    /// A pointer with bits cleared. Lowered by `passes/expand`.
    PointerMask,
    /// A float from the bits of a half, or the other way. Lowered by `passes/expand`.
    HalfBits,
    /// If a relation of two floats holds, or of one with itself, as an integer. Lowered by `passes/expand`.
    Test(FloatRel),
    /// The sum of the products of elements. Lowered by `passes/expand`.
    Dot,
    /// The time stamp, in any form. Lowered by `passes/expand`.
    Clock,
    /// -1, 0 or 1 as the first operand is less than the second, equal or greater.
    Compare(Sign),
    /// A shift to the left whose result is the nearest number. Lowered by `passes/expand`.
    ShiftSat(Sign),
    /// A vector of elements of others.
    Arrange(Arrangement),
    /// A thread ends.
    Trap,
    All,
    Any,
    Goto,
    Join,
    SaveMask,
    Unmask,
    Remask,
    Predefined(u32),
    PredefinedSurface,
    LocalId,
    LocalSize,
    GroupCount,
    /// Address of the buffer of `printf`.
    PrintBuffer,
    /// A value of a launch, by the name of its function in the library: dimension. Lowered by `passes/builtins`.
    Launch(&'static str),
    FunctionAddress,
    GlobalAddress,
    /// Address of a byte of the function's frame in private memory. Made by `passes/memory`.
    Frame,
    /// Address of so many bytes that are taken from the top of the stack in private memory. Made by `passes/allocations`.
    Room,
    /// Address of the top of the stack.
    StackTop,
    /// Sets the top of the stack.
    SetStackTop,
    SlmInit,
    Message(&'static Message),
    /// A message of the load-store units.
    Lsc(lsc::Message),
    /// A block of two dimensions: mask, caching, size of an element, order, blocks, width, height, interleaved rows,
    /// address, width, height and pitch of the matrix, each less one, place of the block, data.
    LscBlock(lsc::Action),
    /// Pixels of a surface: mask, caching, channels, surface, three coordinates, level of detail, data or old value.
    LscTyped(lsc::Action),
    /// A block of a surface: caching, surface, height, width, place of the block, data.
    LscTypedBlock(lsc::Action),
    /// Mask, unit, operation, scope.
    LscFence,
    /// A message of the 3D sampler.
    Sampler(Opcode),
    Systolic(Systolic),
    /// Family, operation, number of sources.
    Atomic(AtomicKind, AtomicOp, u8),
    /// An atomic instruction of LLVM, its ordering last. Made by the readers.
    Ordered(Access),
    /// An atomic function of SPIR-V by its name, with pointer, scope, semantics and values as operands.
    Scoped(&'static str),
    /// A pointer to any memory as one to memory of a kind: pointer, kind.
    FromGeneric,
    /// A function of the library with two results, of which the second goes to the pointer after its operand, by its name.
    Stored(&'static str),
    /// Number of a register that vISA names, and a value that the read depends on.
    ReadRegister,
    /// Number of a register that vISA names, and its new value.
    WriteRegister,
    /// Product and sum of dwords in 64 bits: upper halves and lower halves, or one vector of the lower before the upper.
    WideMad(Sign, bool),
    Barrier,
    SplitBarrier,
    Fence,
    CacheFlush,
    Yield,
    RawSend {
        /// Two sources.
        split: bool,
        /// All sizes are operands.
        full: bool,
        result: bool,
    },
}

/// Word of an atomic operation in the names of intrinsics.
pub fn atomic_name(op: AtomicOp) -> &'static str {
    let found = ATOMICS.iter().find(|(_, of, _)| *of == op);
    found.map_or("none", |(word, ..)| word)
}

const fn alu(op: Opcode) -> Alu {
    int(op, Sign::Own, Sign::Own, false)
}

const fn int(op: Opcode, result: Sign, operands: Sign, saturate: bool) -> Alu {
    Alu {
        op,
        result,
        operands: [operands; 3],
        saturate,
    }
}

/// Signed product of operands of two signs, to which something may be added.
const fn mixed(op: Opcode, operands: [Sign; 2]) -> Kind {
    let [first, second] = operands;
    Kind::Alu(Alu {
        op,
        result: Sign::Signed,
        operands: [first, second, Sign::Signed],
        saturate: false,
    })
}

/// Signed integers.
const fn ss(op: Opcode) -> Kind {
    Kind::Alu(int(op, Sign::Signed, Sign::Signed, false))
}

/// An unsigned result of signed operands.
const fn us(op: Opcode) -> Kind {
    Kind::Alu(int(op, Sign::Unsigned, Sign::Signed, false))
}

/// Unsigned integers.
const fn uu(op: Opcode) -> Kind {
    Kind::Alu(int(op, Sign::Unsigned, Sign::Unsigned, false))
}

const fn masked(stores: bool, scattered: bool) -> Masked {
    Masked { stores, scattered }
}

const fn copied(overlaps: bool) -> Kind {
    Kind::MemCopy { overlaps }
}

const fn convert(result: Sign) -> Alu {
    int(Opcode::Mov, result, Sign::Own, true)
}

/// Names that are refused.
fn refused() -> impl Iterator<Item = &'static str> {
    REFUSED.split_ascii_whitespace()
}

impl Intrinsic {
    /// Intrinsic of a name without `llvm.`.
    ///
    /// # Errors
    /// There is none, or it is refused.
    pub fn named(name: &str) -> Result<Intrinsic, Code> {
        static FOUND: LazyLock<HashMap<&str, Result<Intrinsic, Code>>> = LazyLock::new(|| {
            let rows = (0..)
                .zip(ROWS.iter())
                .map(|(i, (name, _))| (name.as_str(), Ok(Intrinsic(i))));
            let refused = refused().map(|name| (name, Err(Code::Intrinsic)));
            rows.chain(refused).collect()
        });
        if name.contains(PREDEFINED_SURFACE) {
            return Err(Code::Intrinsic);
        }
        // Names of intrinsics from before they became part of the language.
        let mut rest = match name.strip_prefix("experimental.") {
            Some(rest) if rest.starts_with("vector.") || rest.starts_with("stepvector") => rest,
            _ => name,
        };
        loop {
            if let Some(found) = FOUND.get(rest) {
                return *found;
            }
            let Some((shorter, _)) = rest.rsplit_once('.') else {
                return Err(Code::Callee);
            };
            rest = shorter;
        }
    }

    /// Name of the intrinsic, without `llvm.` and types.
    pub fn name(self) -> &'static str {
        &ROWS[usize::from(self.0)].0
    }

    pub fn kind(self) -> Kind {
        ROWS[usize::from(self.0)].1
    }

    /// All names but those with a predefined surface, and true for those that are supported.
    pub fn all() -> impl Iterator<Item = (&'static str, bool)> {
        let rows = ROWS.iter().map(|(name, _)| (name.as_str(), true));
        rows.chain(refused().map(|name| (name, false)))
    }

    /// True if calls can be left out.
    pub fn is_nothing(self) -> bool {
        matches!(self.kind(), Kind::Nothing)
    }

    /// True if its operands and result begin registers.
    pub fn has_payload(self) -> bool {
        matches!(
            self.kind(),
            Kind::Message(_)
                | Kind::Atomic(..)
                | Kind::Lsc(_)
                | Kind::LscBlock(_)
                | Kind::LscTyped(_)
                | Kind::LscTypedBlock(_)
                | Kind::Sampler(_)
                | Kind::Systolic(_)
                | Kind::RawSend { .. }
        )
    }

    /// True if a call whose result is not used can go.
    pub fn is_pure(self) -> bool {
        match self.kind() {
            Kind::Store
            | Kind::MemCopy { .. }
            | Kind::MemSet
            | Kind::SlmInit
            | Kind::Room
            | Kind::StackTop
            | Kind::SetStackTop
            | Kind::Atomic(..)
            | Kind::Ordered(_)
            | Kind::Scoped(_)
            | Kind::Stored(_)
            | Kind::WriteRegister
            | Kind::Barrier
            | Kind::SplitBarrier
            | Kind::Fence
            | Kind::CacheFlush
            | Kind::Trap
            | Kind::Yield
            | Kind::LscFence
            | Kind::RawSend { .. }
            | Kind::Goto
            | Kind::Join => false,
            Kind::Masked(masked) => !masked.stores,
            Kind::Message(message) => !message.is_store(),
            Kind::Lsc(lsc::Message { action, .. })
            | Kind::LscBlock(action)
            | Kind::LscTyped(action)
            | Kind::LscTypedBlock(action) => action == lsc::Action::Load,
            _ => true,
        }
    }

    /// True if it gives the same result at any place.
    pub fn is_movable(self) -> bool {
        match self.kind() {
            Kind::Load
            | Kind::Masked(_)
            | Kind::Message(_)
            | Kind::Lsc(_)
            | Kind::LscBlock(_)
            | Kind::LscTyped(_)
            | Kind::LscTypedBlock(_)
            | Kind::Sampler(_)
            | Kind::Predefined(_)
            | Kind::Clock
            | Kind::ReadRegister => false,
            _ => self.is_pure(),
        }
    }
}

/// Gives a parameter that is an opaque pointer the type that its conversion to an address names: the only place where
/// opaque pointers have it.
pub(crate) fn name_handle(types: &mut Types, function: &mut Function, name: &str, args: &[Value]) {
    let Some(rest) = name.strip_prefix("llvm.genx.address.convert.") else {
        return;
    };
    let pointer = rest.split_once(".p").map(|(_, rest)| rest);
    let handle = pointer.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let (Some(handle), Some(&arg)) = (handle.filter(|name| name.contains('.')), args.first())
    else {
        return;
    };
    let is_pointer = matches!(
        types.data(function.ty(arg)),
        TypeData::Scalar(Scalar::Ptr(_))
    );
    if is_pointer && matches!(function.values[arg].def, ValueDef::Param(_)) {
        function.values[arg].ty = types.get(TypeData::Handle(handle.into()));
    }
}

impl std::fmt::Debug for Intrinsic {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
