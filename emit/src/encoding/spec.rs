//! The description of an encoding family: its operations, the places of its fields, and the codes of its values.
//!
//! A family is data of these types; the encoder and the decoder walk it and know no family.

use super::bits::Bits;
use super::swsb::{SwsbKind, SwsbSpec};
use crate::inst::{Cond, MathFn, Op, PredCtrl, RegFile, SyncFn, Systolic, Type};
use crate::messages::FamilyMessages;
use std::ops::Deref;

/// An encoding family.
#[derive(Debug)]
pub struct Spec {
    pub ops: Ops,
    pub math: Functions,
    pub arf: RegFiles,
    /// Thread control: Atomic, Switch, NoPreempt.
    pub thread: ThreadCodes,
    /// Operations of one and two sources in Align1.
    pub align1: Format,
    /// Operations of one and two sources in Align16.
    pub align16: Format,
    /// Operations of three sources.
    pub ternary: Format,
    /// Bitwise functions of three sources.
    pub bit_function: Format,
    /// Control flow.
    pub branch: Format,
    pub send: Format,
    pub sends: Format,
    /// Systolic operations.
    pub systolic: Format,
    pub compact: &'static [CompactForm],
    /// Messages to the shared functions.
    pub messages: &'static FamilyMessages,
    /// Functions of `sync`.
    pub syncs: &'static Codes<SyncFn>,
    pub swsb: Option<&'static SwsbSpec>,
    /// Index of the source whose field holds the target of `jmpi`, `call` and `calla`.
    pub jump_src: u8,
    /// Origin of `jmpi`'s distance, in bytes from its own start.
    pub jump_base: i32,
    /// True if three-source and macro operations exist in Align16 only.
    pub align16_ternary: bool,
    /// Number of channels in a step of the channel offset.
    pub chan_unit: u8,
    /// Files whose sub-registers are listed in steps of `step` bytes instead of elements.
    pub stepped: &'static [RegFile],
    pub step: u8,
    /// True if listings have the regions of macro operands.
    pub macro_regions: bool,
    /// True if math functions and branches by register have compact forms; the function's field is that of the long
    /// form.
    pub compact_control: bool,
}

/// A family's operations, indexed by number and by operation.
#[derive(Debug)]
pub struct Ops {
    list: &'static [OpSpec],
    /// One more than the index in the list for each number; 0 for none.
    of_code: [u8; 128],
    /// One more than the index in the list for each operation; 0 for none.
    of_op: [u8; Op::COUNT],
}

impl Ops {
    pub const fn new(list: &'static [OpSpec]) -> Ops {
        let mut of_code = [0; 128];
        let mut of_op = [0; Op::COUNT];
        let mut i = 0;
        while i < list.len() {
            of_code[list[i].code as usize] = i as u8 + 1;
            of_op[list[i].op.index()] = i as u8 + 1;
            i += 1;
        }
        Ops {
            list,
            of_code,
            of_op,
        }
    }

    #[inline]
    pub fn of_code(&self, code: u64) -> Option<&'static OpSpec> {
        let place = *self.of_code.get(code as usize)?;
        self.list.get(usize::from(place).checked_sub(1)?)
    }

    #[inline]
    pub fn of_op(&self, op: Op) -> Option<&'static OpSpec> {
        let place = self.of_op[op.index()];
        self.list.get(usize::from(place).checked_sub(1)?)
    }
}

impl Deref for Ops {
    type Target = [OpSpec];

    fn deref(&self) -> &[OpSpec] {
        self.list
    }
}

/// An operation with its number, its form, and its allowed properties.
#[derive(Debug)]
pub struct OpSpec {
    pub op: Op,
    pub code: u8,
    pub form: Form,
    pub attrs: Attrs,
    /// Fields with the same value in every instruction of this operation.
    pub fixed: &'static [(Bits, u64)],
}

impl OpSpec {
    /// The scoreboard's kind of the operation.
    pub fn swsb_kind(&self) -> SwsbKind {
        match self.form {
            Form::Send | Form::Sends => SwsbKind::Send,
            Form::Math => SwsbKind::Math,
            Form::Systolic => SwsbKind::Systolic,
            _ => SwsbKind::Other,
        }
    }
}

/// Layout of an operation's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// No operands, no execution mask.
    Nullary,
    /// A destination and one source.
    Unary,
    /// A destination and two sources, the second of which may be an immediate.
    Binary,
    /// `Unary` or `Binary`, depending on the function.
    Math,
    Ternary,
    /// `Ternary` without modifiers, whose fields hold the function.
    BitFunction,
    Systolic,
    /// One source: the tokens as an immediate mask, a flag, or null.
    Sync,
    /// Both targets are immediates.
    BranchBoth,
    /// One target, an immediate.
    BranchOne,
    /// One target: an immediate, or the register in the second source's field.
    Jump,
    /// As `Jump`, with a destination for the return address.
    Call,
    /// One target: an immediate, or the register in the first source's field.
    BranchOneReg,
    /// Both targets: immediates, or a register pair in the first source's field.
    BranchBothReg,
    /// The target is the register in the first source's field.
    Return,
    /// The source is a notification register, repeated as the destination.
    Wait,
    Send,
    /// A send with two payloads.
    Sends,
}

impl Form {
    /// Control flow: no accumulator, no dependency control of operands.
    pub fn is_branch(self) -> bool {
        use Form::*;
        matches!(
            self,
            BranchBoth | BranchOne | Jump | Call | BranchOneReg | BranchBothReg | Return
        )
    }

    pub fn is_send(self) -> bool {
        matches!(self, Form::Send | Form::Sends)
    }

    /// The type of operands without a type field.
    pub fn implied_type(self) -> Type {
        if self.is_branch() { Type::D } else { Type::Ud }
    }

    /// True for forms whose operands are regions.
    pub fn is_arithmetic(self) -> bool {
        matches!(
            self,
            Form::Unary
                | Form::Binary
                | Form::Math
                | Form::Ternary
                | Form::BitFunction
                | Form::Systolic
        )
    }
}

/// Properties that an operation allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attrs(u8);

impl Attrs {
    pub const NONE: Attrs = Attrs(0);
    /// A predicate.
    pub const PRED: Attrs = Attrs(1);
    /// A conditional modifier.
    pub const COND: Attrs = Attrs(2);
    pub const SAT: Attrs = Attrs(4);
    /// Source modifiers.
    pub const MODS: Attrs = Attrs(8);
    /// The branch-control bit, in the field of accumulator write enable.
    pub const BRANCH: Attrs = Attrs(16);

    pub const fn or(self, other: Attrs) -> Attrs {
        Attrs(self.0 | other.0)
    }

    pub const fn has(self, other: Attrs) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A function of `math`.
#[derive(Debug)]
pub struct MathSpec {
    pub function: MathFn,
    pub code: u8,
    pub sources: u8,
}

/// A family's functions of `math`, indexed by function and by code.
#[derive(Debug)]
pub struct Functions {
    list: &'static [MathSpec],
    /// One more than the index in the list; 0 for none.
    of_function: [u8; 16],
    of_code: [u8; 16],
}

impl Functions {
    pub const fn new(list: &'static [MathSpec]) -> Functions {
        let mut of_function = [0; 16];
        let mut of_code = [0; 16];
        let mut i = 0;
        while i < list.len() {
            of_function[list[i].function as usize] = i as u8 + 1;
            of_code[list[i].code as usize] = i as u8 + 1;
            i += 1;
        }
        Functions {
            list,
            of_function,
            of_code,
        }
    }

    /// These functions but for some.
    pub const fn without(mut self, gone: &[MathFn]) -> Functions {
        let mut i = 0;
        while i < gone.len() {
            let function = gone[i] as usize;
            let place = self.of_function[function];
            assert!(place != 0);
            self.of_function[function] = 0;
            self.of_code[self.list[place as usize - 1].code as usize] = 0;
            i += 1;
        }
        self
    }

    fn of_function(&self, function: MathFn) -> Option<&'static MathSpec> {
        let place = *self.of_function.get(function as usize)?;
        self.list.get(usize::from(place).checked_sub(1)?)
    }

    pub fn of_code(&self, code: u64) -> Option<&'static MathSpec> {
        let place = *self.of_code.get(code as usize)?;
        self.list.get(usize::from(place).checked_sub(1)?)
    }
}

/// The shape of a systolic operation in tables of operations, which stands for all.
pub const ONE_BY_ONE: Systolic = Systolic {
    depth: 1,
    repeat: 1,
};

/// An architecture register file.
#[derive(Debug)]
pub struct ArfSpec {
    pub file: RegFile,
    /// High four bits of the register number.
    pub code: u8,
    /// Low four bits of the number of this file's register 0.
    pub base: u8,
    /// Number of registers.
    pub count: u8,
}

/// A family's architecture register files, indexed by file.
#[derive(Debug)]
pub struct RegFiles {
    list: &'static [ArfSpec],
    /// One more than the index in the list; 0 for none.
    of_file: [u8; 32],
}

impl RegFiles {
    pub const fn new(list: &'static [ArfSpec]) -> RegFiles {
        let mut of_file = [0; 32];
        let mut i = 0;
        while i < list.len() {
            of_file[list[i].file as usize] = i as u8 + 1;
            i += 1;
        }
        RegFiles { list, of_file }
    }

    #[inline]
    pub fn of_file(&self, file: RegFile) -> Option<&'static ArfSpec> {
        let place = *self.of_file.get(file as usize)?;
        self.list.get(usize::from(place).checked_sub(1)?)
    }
}

impl Deref for RegFiles {
    type Target = [ArfSpec];

    fn deref(&self) -> &[ArfSpec] {
        self.list
    }
}

#[derive(Debug)]
pub struct ThreadCodes {
    pub atomic: u64,
    pub switch: u64,
    pub no_preempt: Option<u64>,
}

/// Fields of one instruction format, and codes where formats differ.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    pub header: Header,
    pub dst: DstBits,
    pub src: [SrcBits; 3],
    /// A 32-bit immediate; 16-bit ones are stored twice, except those of `sync`.
    pub imm32: Bits,
    pub imm64: Bits,
    /// Jump and update targets, in bytes.
    pub jip: Bits,
    pub uip: Bits,
    pub message: MessageBits,
    pub types: &'static Codes<Type>,
    pub imm_types: &'static Codes<Type>,
    pub preds: &'static Codes<PredCtrl>,
    /// Conditional modifiers.
    pub conds: &'static Codes<Cond>,
    pub vstrides: &'static Codes<Option<u8>>,
    pub systolic: SystolicBits,
}

/// Shape of a systolic operation.
#[derive(Clone, Copy, Debug)]
pub struct SystolicBits {
    /// Logarithm of the depth.
    pub depth: Bits,
    /// One less than the rows.
    pub repeat: Bits,
}

#[derive(Clone, Copy, Debug)]
pub struct Header {
    pub opcode: Bits,
    pub align16: Bits,
    pub no_dd_clr: Bits,
    pub no_dd_chk: Bits,
    /// In units of four channels.
    pub chan_off: Bits,
    pub thread: Bits,
    pub pred: Bits,
    pub pred_inverse: Bits,
    /// Logarithm of the number of channels.
    pub exec_size: Bits,
    pub cond: Bits,
    pub math: Bits,
    pub acc_wr_en: Bits,
    pub branch: Bits,
    pub no_src_dep_set: Bits,
    pub compact: Bits,
    pub breakpoint: Bits,
    pub saturate: Bits,
    /// Flag register in units of its 16-bit halves.
    pub flag: Bits,
    pub no_mask: Bits,
    pub swsb: Bits,
    /// Function of `sync`.
    pub sync: Bits,
    /// Function of `bfn`.
    pub bit_function: Bits,
}

#[derive(Clone, Copy, Debug)]
pub struct DstBits {
    /// If missing, the file is the general one, unless `arf` is set.
    pub file: Bits,
    /// Set for an architecture register, in formats without a file field.
    pub arf: Bits,
    pub ty: Bits,
    pub indirect: Bits,
    pub hstride: Bits,
    pub num: Bits,
    pub sub: Bits,
    /// Bytes in a step of `sub`.
    pub sub_unit: u16,
    /// Address sub-register, in words.
    pub addr_sub: Bits,
    pub addr_imm: Bits,
    /// Bytes in a step of `addr_imm`.
    pub addr_imm_unit: i16,
    pub chan_mask: Bits,
    /// Extended accumulator of macro operations, in formats without a channel mask.
    pub mme: Bits,
    pub hstrides: &'static Codes<u8>,
}

#[derive(Clone, Copy, Debug)]
pub struct SrcBits {
    /// If missing, the file is the general one, unless `arf` or `imm` is set.
    pub file: Bits,
    /// Set for an architecture register, in formats without a file field.
    pub arf: Bits,
    /// Set if this source is an immediate. If missing, a code of `file` says so.
    pub imm: Bits,
    /// A 16-bit immediate of this source.
    pub imm16: Bits,
    /// True if `imm` stands for an accumulator where the type is `nf`.
    pub imm_or_native: bool,
    /// If missing, the type is the first source's.
    pub ty: Bits,
    /// Size of elements smaller than a byte.
    pub sub_byte: Bits,
    /// Set if this source of a float operation is `hf`, else it is `f`.
    pub half: Bits,
    pub indirect: Bits,
    pub neg: Bits,
    pub abs: Bits,
    pub num: Bits,
    pub sub: Bits,
    pub sub_unit: u16,
    pub addr_sub: Bits,
    pub addr_imm: Bits,
    pub addr_imm_unit: i16,
    pub vstride: Bits,
    pub width: Bits,
    pub hstride: Bits,
    pub swizzle: Bits,
    /// Set if all channels read one element.
    pub replicate: Bits,
    /// Extended accumulator of macro operations.
    pub mme: Bits,
}

impl SrcBits {
    /// The register file code, from the file field or from the bits that replace it.
    #[inline]
    pub fn file_of(&self, word: u128) -> u64 {
        if self.imm.flag(word) {
            FILE_IMM
        } else if self.arf.flag(word) {
            FILE_ARF
        } else if self.file.exists() {
            self.file.get(word)
        } else {
            FILE_GRF
        }
    }

    /// True if the source is an immediate.
    #[inline]
    pub fn is_imm(&self, word: u128) -> bool {
        self.imm.flag(word) || self.file.get(word) == FILE_IMM
    }
}

#[derive(Clone, Copy, Debug)]
pub struct MessageBits {
    pub sfid: Bits,
    pub eot: Bits,
    pub desc: Bits,
    /// Set when the descriptor is `a0.0`.
    pub desc_select: Bits,
    /// Alternatively, the descriptor as an operand: its register file, number and sub-register.
    pub desc_file: Bits,
    pub desc_num: Bits,
    pub desc_sub: Bits,
    /// Bits 6-15 of the extended descriptor, or 6-9 only. The lowest five are the length of the second payload.
    pub ex_len: Bits,
    /// Bits 16-31 of the extended descriptor.
    pub ex_func: Bits,
    /// Set when the extended descriptor is in an address register.
    pub ex_select: Bits,
    /// Number of that address register, in dwords.
    pub ex_sub: Bits,
    pub ex_bso: Bits,
    /// Length of the second payload when `ex_bso` is set.
    pub src1_len: Bits,
    pub cps: Bits,
    /// Bits 11-15 and 19-31 of the offset added to an extended descriptor in a register.
    pub ex_offset: [Bits; 2],
    pub serialize: Bits,
}

/// Register file codes of operands.
pub const FILE_ARF: u64 = 0;
pub const FILE_GRF: u64 = 1;
pub const FILE_IMM: u64 = 3;

/// Codes of source regions (PRM vol. 2a, "EU_INSTRUCTION_OPERAND_SRC_REG_ALIGN1").
pub const VSTRIDES: &Codes<Option<u8>> = &Codes::<Option<u8>>::new(&[
    (Some(0), 0),
    (Some(1), 1),
    (Some(2), 2),
    (Some(4), 3),
    (Some(8), 4),
    (Some(16), 5),
    (Some(32), 6),
    (None, 15),
]);
pub static WIDTHS: Codes<u8> = Codes::<u8>::new(&[(1, 0), (2, 1), (4, 2), (8, 3), (16, 4)]);
pub const HSTRIDES: &Codes<u8> = &Codes::<u8>::new(&[(0, 0), (1, 1), (2, 2), (4, 3)]);

/// Class of instructions with a compact form in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactClass {
    Unary,
    Binary,
    Ternary,
    Systolic,
}

/// The source that is an immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Immediate {
    No,
    Src0,
    Src1,
}

/// A compact form: some fields are copied, and indices into tables stand for the values that groups of other fields
/// take together.
#[derive(Debug)]
pub struct CompactForm {
    pub classes: &'static [CompactClass],
    pub immediate: Immediate,
    pub copies: Copies,
    pub tables: &'static [CompactTable],
    /// Field of the immediate in the compact form.
    pub imm: Bits,
    /// Expansion of the immediate, by the code of its type.
    pub imm_rules: &'static [(u8, ImmRule)],
}

/// Fields that compact and long form have in common.
#[derive(Clone, Copy, Debug)]
pub struct Copies {
    /// Fields in the compact and in the long form.
    pub list: &'static [(Bits, Bits)],
    /// Mask of these fields in the long form.
    pub mask: u128,
}

impl Copies {
    pub const fn new(list: &'static [(Bits, Bits)]) -> Copies {
        let mut mask = 0;
        let mut i = 0;
        while i < list.len() {
            mask |= list[i].1.mask();
            i += 1;
        }
        Copies { list, mask }
    }
}

impl CompactForm {
    #[inline]
    pub fn is_for(&self, class: CompactClass) -> bool {
        self.classes.contains(&class)
    }
}

/// A group of fields that an index stands for.
#[derive(Debug)]
pub struct CompactTable {
    pub index: Bits,
    pub fields: Bits,
    pub values: &'static [u64],
    /// Mask of the fields.
    pub mask: u128,
    /// The values, placed in the fields of a long instruction.
    long: [u128; 32],
    /// A perfect hash of these: its factor, and one more than the index of each.
    factor: u64,
    slots: [u8; 256],
}

impl CompactTable {
    /// Values may be wider than the fields: bits of fields that this form lacks come last.
    pub const fn new(index: Bits, fields: Bits, values: &'static [u64]) -> CompactTable {
        let mut long = [0; 32];
        let mut i = 0;
        while i < values.len() {
            long[i] = fields.place(values[i]);
            i += 1;
        }
        let mut factor = 0x9e37_79b9_7f4a_7c15_u64;
        loop {
            if let Some(slots) = slots(&long, values.len(), factor) {
                return CompactTable {
                    index,
                    fields,
                    values,
                    mask: fields.mask(),
                    long,
                    factor,
                    slots,
                };
            }
            factor = factor.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(2);
        }
    }

    /// Long-form bits that the index in a compact instruction stands for; the index if it stands for none.
    #[inline]
    pub fn expand(&self, short: u128) -> Result<u128, u64> {
        let index = self.index.get(short);
        let value = self.long.get(index as usize);
        let known = (index as usize) < self.values.len();
        value.copied().filter(|_| known).ok_or(index)
    }

    /// The index of the fields' values in a long instruction.
    #[inline]
    pub fn index_of(&self, word: u128) -> Option<u64> {
        let value = word & self.mask;
        let index = self.slots[slot(value, self.factor)].checked_sub(1)?;
        let found = self.long[usize::from(index & 31)] == value;
        found.then_some(u64::from(index))
    }
}

/// The hash table, if the factor separates all different values. The first of two equal ones counts.
const fn slots(long: &[u128; 32], len: usize, factor: u64) -> Option<[u8; 256]> {
    let mut slots = [0u8; 256];
    let mut i = 0;
    while i < len {
        let at = slot(long[i], factor);
        if slots[at] == 0 {
            slots[at] = i as u8 + 1;
        } else if long[slots[at] as usize - 1] != long[i] {
            return None;
        }
        i += 1;
    }
    Some(slots)
}

/// The hash. Each half has a different odd factor; the product's highest bits depend on all bits.
#[inline]
const fn slot(value: u128, factor: u64) -> usize {
    let low = (value as u64).wrapping_mul(factor | 1);
    let high = ((value >> 64) as u64).wrapping_mul(factor.rotate_left(31) | 1);
    (low.wrapping_add(high) >> 56) as usize
}

/// Expansion of a compact immediate to a dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImmRule {
    Unsigned,
    Signed,
    /// Repeated in both words.
    UnsignedWords,
    SignedWords,
    /// High bits of both words.
    HighWords,
    /// High bits of the dword.
    High,
}

/// Codes of element sizes below a byte: signed and unsigned.
pub const SUB_BYTE: &[((Type, Type), u8)] = &[((Type::S4, Type::U4), 1), ((Type::S2, Type::U2), 2)];

/// The width of a region without a field for it.
pub fn implied_width(vstride: Option<u8>, hstride: u8) -> u8 {
    match vstride {
        Some(vstride) => vstride.checked_div(hstride).unwrap_or(1).max(1),
        None => 1,
    }
}

/// The codes of a field's values, indexed both ways.
#[derive(Debug)]
pub struct Codes<T: 'static> {
    list: &'static [(T, u8)],
    /// One more than the code of each value, by the value's number; 0 for none.
    of_value: [u8; 40],
    /// One more than the index in the list for each code; 0 for none.
    of_code: [u8; 16],
}

impl<T: Copy> Codes<T> {
    /// All values with a code.
    pub fn values(&self) -> impl Iterator<Item = T> + use<T> {
        self.list.iter().map(|(value, _)| *value)
    }

    /// The value that `code` stands for.
    #[inline]
    pub fn value(&self, code: u64) -> Option<T> {
        let place = *self.of_code.get(code as usize)?;
        let (value, _) = self.list.get(usize::from(place).checked_sub(1)?)?;
        Some(*value)
    }
}

/// Defines the number of each type's values. Values that no table can have get a number beyond all.
macro_rules! codes {
    ($($ty:ty, $value:ident => $number:expr;)*) => {$(
        impl Codes<$ty> {
            pub const fn new(list: &'static [($ty, u8)]) -> Codes<$ty> {
                let mut of_value = [0; 40];
                let mut of_code = [0; 16];
                let mut i = 0;
                while i < list.len() {
                    let ($value, code) = list[i];
                    of_value[$number] = code + 1;
                    of_code[code as usize] = i as u8 + 1;
                    i += 1;
                }
                Codes { list, of_value, of_code }
            }

            /// The code of the value.
            #[inline]
            pub fn code(&self, $value: $ty) -> Option<u64> {
                let code = *self.of_value.get($number)?;
                code.checked_sub(1).map(u64::from)
            }
        }
    )*};
}

codes! {
    Type, ty => ty as usize;
    Cond, cond => cond as usize;
    SyncFn, function => function as usize;
    u8, number => number as usize;
    Option<u8>, stride => match stride {
        Some(stride @ 0..33) => stride as usize,
        Some(_) => usize::MAX,
        None => 33,
    };
    PredCtrl, pred => match pred {
        PredCtrl::Normal => 0,
        PredCtrl::AnyV => 1,
        PredCtrl::AllV => 2,
        PredCtrl::AnyChannel => 3,
        PredCtrl::AllChannels => 4,
        PredCtrl::Replicate(channel @ 0..4) => 5 + channel as usize,
        PredCtrl::Any(group @ (2 | 4 | 8 | 16 | 32)) => 9 + group.trailing_zeros() as usize,
        PredCtrl::All(group @ (2 | 4 | 8 | 16 | 32)) => 15 + group.trailing_zeros() as usize,
        PredCtrl::Replicate(_) | PredCtrl::Any(_) | PredCtrl::All(_) => usize::MAX,
    };
}

impl Spec {
    #[inline]
    pub fn op(&self, op: Op) -> Option<&'static OpSpec> {
        self.ops.of_op(op)
    }

    #[inline]
    pub fn op_of_code(&self, code: u64) -> Option<&'static OpSpec> {
        self.ops.of_code(code)
    }

    pub fn math(&self, function: MathFn) -> Option<&'static MathSpec> {
        self.math.of_function(function)
    }

    /// The format of an instruction of this form.
    pub fn format(&self, form: Form, align16: bool) -> &Format {
        match form {
            Form::Ternary => &self.ternary,
            Form::BitFunction => &self.bit_function,
            Form::Systolic => &self.systolic,
            Form::Send => &self.send,
            Form::Sends => &self.sends,
            form if form.is_branch() => &self.branch,
            _ if align16 => &self.align16,
            _ => &self.align1,
        }
    }
}
