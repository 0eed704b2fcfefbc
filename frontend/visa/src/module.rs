//! A vISA module in memory, the same whether read from text or from a binary.
//!
//! Entities are numbered as the binary format numbers them (specification, chapter 4), predefined
//! ones included: the first declared general variable is `V32`, the first predicate `P1`, the
//! first surface `T6`. Instructions hold one [`Operand`] a field of their opcode's row in
//! [`crate::opcode`], in the order of the binary format, execution size and predicate apart.

use cranelift_entity::{PrimaryMap, entity_impl};
use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::opcode::{AtomicOp, Opcode, Relation};

/// A name: stored inline if short, otherwise shared.
pub type Name = SmolStr;

macro_rules! entities {
    ($($(#[$doc:meta])* $name:ident, $display:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);
        entity_impl!($name, $display);
    )*};
}

entities! {
    /// A general variable; 0-31 are predefined ([`predefined`]).
    Var, "V";
    /// An address variable.
    Addr, "A";
    /// A predicate variable; `P0` stands for "no predicate" and is never used by an operand.
    Predicate, "P";
    /// A sampler variable; `S31` is the bindless sampler.
    Sampler, "S";
    /// A surface variable; 0-5 are predefined ([`predefined`]).
    Surface, "T";
    /// A label.
    Label, "L";
}

impl Var {
    /// The null variable.
    pub const NULL: Var = Var(predefined::NULL);
}

/// A type of vISA, with its number in the binary format (specification, chapter 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Type {
    /// Unsigned, 32 bits.
    Ud = 0,
    /// Signed, 32 bits.
    D = 1,
    /// Unsigned, 16 bits.
    Uw = 2,
    /// Signed, 16 bits.
    W = 3,
    /// Unsigned, 8 bits.
    Ub = 4,
    /// Signed, 8 bits.
    B = 5,
    /// Float, 64 bits.
    Df = 6,
    /// Float, 32 bits.
    F = 7,
    /// Immediate of eight signed integers of 4 bits.
    V = 8,
    /// Immediate of four floats of 8 bits.
    Vf = 9,
    /// A bit a channel: the type of predicates.
    Bool = 10,
    /// Unsigned, 64 bits.
    Uq = 11,
    /// Immediate of eight unsigned integers of 4 bits.
    Uv = 12,
    /// Signed, 64 bits.
    Q = 13,
    /// Float, 16 bits.
    Hf = 14,
    /// Brain float, 16 bits.
    Bf = 15,
}

impl Type {
    const ALL: [Type; 16] = [
        Type::Ud,
        Type::D,
        Type::Uw,
        Type::W,
        Type::Ub,
        Type::B,
        Type::Df,
        Type::F,
        Type::V,
        Type::Vf,
        Type::Bool,
        Type::Uq,
        Type::Uv,
        Type::Q,
        Type::Hf,
        Type::Bf,
    ];
    const NAMES: [&str; 16] = [
        "ud", "d", "uw", "w", "ub", "b", "df", "f", "v", "vf", "bool", "uq", "uv", "q", "hf", "bf",
    ];

    /// The type of that number.
    pub fn from_number(n: u8) -> Option<Type> {
        Self::ALL.get(n as usize).copied()
    }

    /// The type of that name in text (`ud`).
    pub fn from_name(name: &str) -> Option<Type> {
        Self::NAMES
            .iter()
            .position(|&n| n == name)
            .map(|i| Self::ALL[i])
    }

    /// The name in text.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Size of an element in bytes (of the packed types: of the packed immediate).
    pub fn bytes(self) -> u32 {
        match self {
            Type::Ub | Type::B | Type::Bool => 1,
            Type::Uw | Type::W | Type::Hf | Type::Bf => 2,
            Type::Ud | Type::D | Type::F | Type::V | Type::Uv | Type::Vf => 4,
            Type::Uq | Type::Q | Type::Df => 8,
        }
    }
}

/// Alignment of a general variable, with its number in the binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Align {
    /// 1 byte.
    Byte = 0,
    /// 2 bytes.
    Word = 1,
    /// 4 bytes.
    Dword = 2,
    /// 8 bytes.
    Qword = 3,
    /// 16 bytes.
    Oword = 4,
    /// `GRF` of older objects.
    Grf = 5,
    /// 64 bytes, as `GRFx2` of older objects.
    TwoGrf = 6,
    /// 32 bytes.
    Hword = 7,
    /// 64 bytes.
    Word32 = 8,
    /// 128 bytes.
    Word64 = 9,
}

impl Align {
    const ALL: [(Align, &'static str); 10] = [
        (Align::Byte, "byte"),
        (Align::Word, "word"),
        (Align::Dword, "dword"),
        (Align::Qword, "qword"),
        (Align::Oword, "oword"),
        (Align::Grf, "GRF"),
        (Align::TwoGrf, "GRFx2"),
        (Align::Hword, "hword"),
        (Align::Word32, "wordx32"),
        (Align::Word64, "wordx64"),
    ];

    /// The alignment of that number.
    pub fn from_number(n: u8) -> Option<Align> {
        Self::ALL.get(usize::from(n)).map(|(align, _)| *align)
    }

    /// Alignment of this number of bytes.
    pub fn from_bytes(bytes: i128) -> Option<Align> {
        match bytes {
            1 => Some(Align::Byte),
            2 => Some(Align::Word),
            4 => Some(Align::Dword),
            8 => Some(Align::Qword),
            16 => Some(Align::Oword),
            32 => Some(Align::Hword),
            64 => Some(Align::Word32),
            128 => Some(Align::Word64),
            _ => None,
        }
    }

    /// The alignment in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Align::Byte => 1,
            Align::Word => 2,
            Align::Dword => 4,
            Align::Qword => 8,
            Align::Oword => 16,
            Align::Grf | Align::Hword => 32,
            Align::TwoGrf | Align::Word32 => 64,
            Align::Word64 => 128,
        }
    }

    /// The alignment of that name in text (`dword`).
    pub fn from_name(name: &str) -> Option<Align> {
        Self::ALL
            .iter()
            .find(|(_, n)| *n == name)
            .map(|(align, _)| *align)
    }

    /// The name in text.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// Oldest version that is read and written.
pub const OLDEST: (u8, u8) = (3, 0);
/// Newest version of objects; text has one more.
pub const NEWEST: (u8, u8) = (4, 1);
/// Newest version of text.
const NEWEST_TEXT: (u8, u8) = (4, 2);

/// True if the version has objects. 3.9 was followed by 4.0.
pub(crate) fn has_objects(version: (u8, u8)) -> bool {
    (OLDEST..=NEWEST).contains(&version) && version.1 < 10
}

/// True if texts of the version have an operand for the other half of a pair of surfaces, before the parameters of a
/// message to the sampler.
pub(crate) fn pairs_surfaces(version: (u8, u8)) -> bool {
    version >= NEWEST_TEXT
}

/// True if an operation has such an operand.
pub(crate) fn samples(op: Opcode) -> bool {
    matches!(
        op,
        Opcode::Sample3d | Opcode::Load3d | Opcode::Gather4Sampler
    )
}

/// True if the version has texts.
pub(crate) fn has_texts(version: (u8, u8)) -> bool {
    version == NEWEST_TEXT || has_objects(version)
}

/// True if names in text may contain `b`.
pub(crate) const fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'@' | b'?')
}

/// True if a variable or a label can have this name in text.
pub(crate) fn is_name(name: &str) -> bool {
    let starts = name.bytes().next().is_some_and(|b| !b.is_ascii_digit());
    starts && name.bytes().all(is_name_byte)
}

/// A module: all that one object file, or one text file (or several), declares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Major and minor version.
    pub version: (u8, u8),
    /// Kernels and functions, in file order.
    pub objects: Vec<Object>,
    /// Variables of file scope, in file order.
    pub globals: Vec<Global>,
}

impl Module {
    /// The kernels, in file order.
    pub fn kernels(&self) -> impl Iterator<Item = &Object> {
        self.objects
            .iter()
            .filter(|object| object.kind == ObjectKind::Kernel)
    }

    /// The kernel or function of this name.
    pub fn object(&self, name: &str) -> Option<&Object> {
        self.objects.iter().find(|object| object.name == name)
    }
}

/// A file-scope variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// Linkage: visibility of the object to other modules, or its definition in one of them.
    pub linkage: Linkage,
    /// Name of the variable.
    pub name: Name,
    /// Type of an element.
    pub ty: Type,
    /// Alignment of the first element.
    pub align: Align,
    /// Number of elements.
    pub elements: u16,
    /// Attributes, in file order.
    pub attrs: Vec<GlobalAttr>,
}

/// Attribute of a file-scope variable, as the file has it. Its name is the number of a string, but file scope has
/// no string pool and the format does not say which pool is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalAttr {
    /// Number of the string that is its name.
    pub name: u32,
    /// Bytes of the section, not interpreted.
    pub value: SmallVec<[u8; 16]>,
}

/// Linkage of a variable or function of file scope, with its number in the binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Linkage {
    /// Defined in another module.
    Extern = 0,
    /// Seen in its own module alone.
    Static = 1,
    /// Defined here and seen by other modules.
    Global = 2,
}

/// A kernel or a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Kind of the object: a kernel or a function.
    pub kind: ObjectKind,
    /// Name of the kernel or function.
    pub name: Name,
    /// Predefined ones included, so that a `Var` indexes it.
    pub vars: PrimaryMap<Var, VarDecl>,
    /// Address variables.
    pub addrs: PrimaryMap<Addr, ArrayDecl>,
    /// `P0` included.
    pub predicates: PrimaryMap<Predicate, ArrayDecl>,
    /// Sampler variables.
    pub samplers: PrimaryMap<Sampler, ArrayDecl>,
    /// Predefined ones included.
    pub surfaces: PrimaryMap<Surface, ArrayDecl>,
    /// Labels of blocks and subroutines.
    pub labels: PrimaryMap<Label, LabelDecl>,
    /// Inputs of a kernel, in file order.
    pub inputs: Vec<Input>,
    /// Attributes of the object, in file order.
    pub attrs: Vec<Attr>,
    /// Instructions, in file order.
    pub insts: Vec<Inst>,
    /// References to file scope.
    pub relocations: Relocations,
}

/// References of an object to file scope; text has no form for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relocations {
    /// References to file-scope variables.
    pub variables: Vec<Relocation>,
    /// References to functions.
    pub functions: Vec<Relocation>,
}

/// A reference from an object to a table of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Number used in the object's code.
    pub symbolic: u16,
    /// Number in the file's table of variables or functions.
    pub resolved: u16,
}

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A kernel: entered by a dispatch.
    Kernel,
    /// `arg_grfs` and `ret_grfs` are the sizes of %arg and %retval in GRFs.
    Function {
        /// Linkage: visibility of the object to other modules, or its definition in one of them.
        linkage: Linkage,
        /// Size of `%arg` in GRFs of 32 bytes.
        arg_grfs: u8,
        /// Size of `%retval` in GRFs of 32 bytes.
        ret_grfs: u8,
    },
}

impl Object {
    /// Copy of the object without instructions.
    #[must_use]
    pub fn without_insts(&self) -> Object {
        Object {
            kind: self.kind,
            name: self.name.clone(),
            vars: self.vars.clone(),
            addrs: self.addrs.clone(),
            predicates: self.predicates.clone(),
            samplers: self.samplers.clone(),
            surfaces: self.surfaces.clone(),
            labels: self.labels.clone(),
            inputs: self.inputs.clone(),
            attrs: self.attrs.clone(),
            insts: Vec::new(),
            relocations: self.relocations.clone(),
        }
    }

    /// Number of variables, predicates, samplers and surfaces that it declares.
    pub(crate) fn declared(&self) -> usize {
        let registers = self.vars.len() + self.addrs.len() + self.predicates.len();
        registers + self.samplers.len() + self.surfaces.len()
    }

    /// True if the instruction adds a `df` and 64-bit integers. The reference compiler's front end writes such sums
    /// for the bits of a double; its finalizer converts the integers.
    pub fn is_mixed_sum(&self, inst: &Inst) -> bool {
        let types = inst.operands.iter().map(|operand| match *operand {
            Operand::General { var, .. } => self.vars.get(var).map(|decl| decl.ty),
            Operand::Indirect { ty, .. } | Operand::Imm { ty, .. } => Some(ty),
            _ => None,
        });
        let integer = |ty: Option<Type>| matches!(ty, Some(Type::Q | Type::Uq));
        let double = |ty: Option<Type>| ty == Some(Type::Df);
        inst.op == Opcode::Add
            && types.clone().skip(1).any(double)
            && types.clone().any(integer)
            && types.clone().all(|ty| integer(ty) || double(ty))
    }

    /// True if the instruction is an average of 64-bit integers, which the reference compiler's front end writes
    /// although no platform has it.
    pub fn is_long_average(&self, inst: &Inst) -> bool {
        let types = inst.operands.iter().filter_map(|operand| match *operand {
            Operand::General { var, .. } => self.vars.get(var).map(|decl| decl.ty),
            Operand::Indirect { ty, .. } | Operand::Imm { ty, .. } => Some(ty),
            _ => None,
        });
        inst.op == Opcode::Avg
            && types.clone().any(|ty| matches!(ty, Type::Q | Type::Uq))
            && !types.clone().any(|ty| {
                use Type::{Bf, Bool, Df, F, Hf, Vf};
                matches!(ty, Bf | Bool | Df | F | Hf | Vf)
            })
    }

    /// Sizes in GRFs of a function's argument (`%arg`) and return value (`%retval`).
    pub fn passed_grfs(&self) -> [u32; 2] {
        match self.kind {
            ObjectKind::Function {
                arg_grfs, ret_grfs, ..
            } => [arg_grfs.into(), ret_grfs.into()],
            ObjectKind::Kernel => [0, 0],
        }
    }

    /// Object with only the predefined variables and surfaces.
    pub fn new(kind: ObjectKind, name: Name) -> Object {
        let array = |name: &'static str, elements| ArrayDecl {
            name: Name::new_static(name),
            elements,
            attrs: Vec::new(),
        };
        let unused = |i| (smol_str::format_smolstr!("V{i}"), Type::Ud, 0);
        let vars = (0..predefined::VAR_COUNT).map(|i| {
            let declared = predefined::VARS.get(i);
            let (name, ty, elements) = declared.map_or_else(
                || unused(i),
                |&(name, ty, n)| (Name::new_static(name), ty, n),
            );
            VarDecl {
                name,
                ty,
                align: Align::Byte,
                elements,
                alias: None,
                attrs: Vec::new(),
            }
        });
        Object {
            kind,
            name,
            vars: vars.collect(),
            addrs: PrimaryMap::new(),
            predicates: std::iter::once(array("P0", 0)).collect(),
            samplers: PrimaryMap::new(),
            surfaces: predefined::SURFACES
                .iter()
                .map(|name| array(name, 1))
                .collect(),
            labels: PrimaryMap::new(),
            inputs: Vec::new(),
            attrs: Vec::new(),
            insts: Vec::new(),
            relocations: Relocations::default(),
        }
    }

    /// An integer attribute of the object (`SimdSize`, `SLMSize`, …; case as in the file).
    pub fn int_attr(&self, name: &str) -> Option<i64> {
        self.attrs
            .iter()
            .find(|a| a.name == name)
            .and_then(|a| match a.value {
                AttrValue::Int(v) => Some(v),
                AttrValue::Flag => Some(1),
                AttrValue::Str(_) => None,
            })
    }

    /// Bytes of `var` that lie in its root, whose size is rounded up to `unit` bytes. An alias may be declared larger than the
    /// rest of its root, which nothing accesses (rule V0094).
    pub fn bytes_in_root(&self, var: Var, unit: u32) -> u32 {
        let (root, offset) = self.root(var);
        let bytes = self.vars[var].bytes();
        if (root.as_u32() as usize) < predefined::VAR_COUNT {
            return bytes;
        }
        let room = self.vars[root].bytes().next_multiple_of(unit);
        bytes.min(room.saturating_sub(offset))
    }

    /// Root of `var`: the variable at the end of its alias chain, and the byte offset into it.
    #[inline]
    pub fn root(&self, var: Var) -> (Var, u32) {
        let (mut var, mut offset) = (var, 0);
        while let Some((of, at)) = self.vars[var].alias {
            offset += u32::from(at);
            var = of;
        }
        (var, offset)
    }
}

/// A general variable.
#[derive(Clone, Debug, PartialEq)]
pub struct VarDecl {
    /// The name it was declared with (`V0032`, `%r0`, or the binary's name string).
    pub name: Name,
    /// Type of an element.
    pub ty: Type,
    /// Alignment of the first element.
    pub align: Align,
    /// Number of elements.
    pub elements: u16,
    /// Variable that it is an alias of, and the byte offset there. The readers guarantee that there is no cycle.
    pub alias: Option<(Var, u16)>,
    /// Attributes, in file order.
    pub attrs: Vec<Attr>,
}

impl VarDecl {
    /// Size in bytes.
    pub fn bytes(&self) -> u32 {
        u32::from(self.elements) * self.ty.bytes()
    }
}

/// An address, predicate, sampler or surface variable.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayDecl {
    /// The name it was declared with.
    pub name: Name,
    /// Number of elements: addresses, channels of a predicate, samplers or surfaces.
    pub elements: u16,
    /// Attributes, in file order.
    pub attrs: Vec<Attr>,
}

/// A label.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelDecl {
    /// Name of the label.
    pub name: Name,
    /// Place that the label names.
    pub kind: LabelKind,
    /// Attributes, in file order.
    pub attrs: Vec<Attr>,
}

/// Kind of place that a label names, with its number in the binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum LabelKind {
    /// A block.
    Block = 0,
    /// The entry of a subroutine.
    Subroutine = 1,
    /// Kernel of another module, found by a linker and never defined here.
    Kernel = 2,
}

/// An attribute of a kernel or a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Attr {
    /// Name of the attribute, in the case of the file.
    pub name: Name,
    /// Value of the attribute.
    pub value: AttrValue,
}

/// Value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttrValue {
    /// No value: true.
    Flag,
    /// An integer.
    Int(i64),
    /// A string.
    Str(SmolStr),
}

/// A kernel's input: a variable that holds a value at entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The variable.
    pub var: InputVar,
    /// Provenance (specification, "Input Variables"): 0 is a user's argument.
    pub implicit: u8,
    /// Byte offset in the register file.
    pub offset: u16,
    /// Size in bytes.
    pub size: u16,
}

/// The variable of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputVar {
    /// A general variable.
    General(Var),
    /// A sampler variable.
    Sampler(Sampler),
    /// A surface variable.
    Surface(Surface),
}

/// Position of an instruction in its file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// Binary: byte offset from the start of the file. Text: the line, from 1.
    pub pos: u32,
    /// Text: the column, from 1. Binary: 0.
    pub column: u32,
}

/// Places never differ: modules read from text and from a binary of one kernel are equal.
impl PartialEq for Place {
    fn eq(&self, _: &Place) -> bool {
        true
    }
}

/// Part of an object that a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The object as a whole.
    Object,
    // Declarations.
    /// A general variable.
    Var(Var),
    /// An address variable.
    Addr(Addr),
    /// A predicate variable.
    Predicate(Predicate),
    /// A sampler variable.
    Sampler(Sampler),
    /// A surface variable.
    Surface(Surface),
    /// The input of that number.
    Input(usize),
    /// The attribute of that name.
    Attr(&'static str),
    // Parts of an instruction.
    /// The instruction as a whole.
    Inst,
    /// The operand of that number.
    Operand(usize),
    /// The predicate of the instruction.
    Guard,
    /// Execution size and mask of the instruction.
    Exec,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// The operation.
    pub op: Opcode,
    /// Channels that it works on.
    pub exec: Exec,
    /// Predicate that selects among them.
    pub pred: Option<PredUse>,
    /// One a field of the opcode's row.
    pub operands: SmallVec<[Operand; 4]>,
    /// Where it is in its file.
    pub place: Place,
    /// Number of the instruction that this one stands for, in the object as it was read. Rewrites of an object
    /// keep it, so that errors, line tables and profiles name the instruction that the user wrote.
    pub origin: u32,
}

impl Inst {
    /// Origin of an instruction that is not part of an object yet.
    pub const UNNUMBERED: u32 = u32::MAX;

    /// Sizes of `%arg` and `%retval` in GRFs that a call with a stack passes.
    pub fn passed_grfs(&self) -> Option<[u32; 2]> {
        let number = |i: usize| match self.operands.get(i) {
            Some(Operand::Field(n)) => *n,
            _ => 0,
        };
        matches!(self.op, Opcode::FCall | Opcode::IfCall).then(|| [number(1), number(2)])
    }

    /// Mnemonic in text without suffixes. An operation of a family has its own name.
    pub fn mnemonic(&self) -> &'static str {
        let row = self.op.row();
        match (row.family_names(), self.operands.first()) {
            (Some(names), Some(Operand::Field(n))) => member(names, *n).unwrap_or("?"),
            _ => row.mnemonic,
        }
    }

    /// True if the number that selects an operation of the opcode's family is a valid one.
    pub(crate) fn is_of_family(&self) -> bool {
        match (self.op.row().family_names(), self.operands.first()) {
            (Some(names), Some(Operand::Field(n))) => member(names, *n).is_some(),
            _ => true,
        }
    }
}

/// Name that covers the most bits of a number.
fn member(names: &[(&'static str, u32)], n: u32) -> Option<&'static str> {
    let said = names.iter().filter(|(_, bits)| n & bits == *bits);
    let exact = names.iter().find(|(_, bits)| n & 0xff == *bits);
    exact
        .or_else(|| said.max_by_key(|(_, bits)| bits.count_ones()))
        .map(|(name, _)| *name)
}

/// `(M5_NM, 16)`: the channels an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exec {
    /// Channels: 1, 2, 4, 8, 16 or 32.
    pub size: u8,
    /// First channel of the execution mask: M1 is 0, M2 is 4, …, M8 is 28.
    pub offset: u8,
    /// `_NM`: the execution mask is ignored.
    pub no_mask: bool,
}

impl std::fmt::Display for Exec {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let no_mask = if self.no_mask { "_NM" } else { "" };
        write!(f, "(M{}{no_mask}, {})", self.offset / 4 + 1, self.size)
    }
}

impl Exec {
    /// Execution size of an instruction that has none: one channel, execution mask ignored.
    pub const NONE: Exec = Exec {
        size: 1,
        offset: 0,
        no_mask: true,
    };
}

/// A predicate with its control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PredUse {
    /// The variable.
    pub pred: Predicate,
    /// True if channels run whose bit is 0.
    pub inverse: bool,
    /// How bits of several channels are combined.
    pub combine: Combine,
}

/// Combination of the bits of a predicate, with its number in the binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Combine {
    /// Channel by channel.
    None = 0,
    /// All channels run if the bit of any is set.
    Any = 1,
    /// All channels run if the bits of all are set.
    All = 2,
}

/// Source and destination modifiers, with their numbers in the binary format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Modifier {
    /// None.
    #[default]
    None = 0,
    /// Absolute value.
    Abs = 1,
    /// Negation.
    Neg = 2,
    /// Negation of the absolute value.
    NegAbs = 3,
    /// Saturation, of destinations.
    Sat = 4,
    /// Bitwise complement, on logic instructions.
    Not = 5,
}

impl Modifier {
    /// Text before a source; saturation is a suffix of the mnemonic instead.
    pub fn text(self) -> &'static str {
        match self {
            Modifier::None | Modifier::Sat => "",
            Modifier::Abs => "(abs)",
            Modifier::Neg => "(-)",
            Modifier::NegAbs => "(-abs)",
            Modifier::Not => "(~)",
        }
    }

    /// The modifier of that number.
    pub fn from_number(n: u8) -> Option<Modifier> {
        [
            Modifier::None,
            Modifier::Abs,
            Modifier::Neg,
            Modifier::NegAbs,
            Modifier::Sat,
            Modifier::Not,
        ]
        .get(usize::from(n))
        .copied()
    }
}

/// `<v;w,h>` in elements; `v` is `None` for an indirect operand with several addresses. A destination has only `h`;
/// its `v` is `Some(0)` and its `w` 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Vertical stride: distance of rows.
    pub v: Option<u8>,
    /// Width: elements of a row.
    pub w: u8,
    /// Horizontal stride: distance of elements in a row.
    pub h: u8,
}

impl Region {
    /// `<0;1,0>`: one element for all channels.
    pub const SCALAR: Region = Region::new(0, 1, 0);

    /// `<v;w,h>`.
    pub const fn new(v: u8, w: u8, h: u8) -> Region {
        Region { v: Some(v), w, h }
    }

    /// The region of a destination.
    pub const fn dst(h: u8) -> Region {
        Region::new(0, 1, h)
    }
}

/// One operand of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// `V32(row,col)<region>`: `row` in GRFs of 32 bytes, `col` in elements of the variable's type.
    General {
        /// The variable.
        var: Var,
        /// GRFs from its start on.
        row: u8,
        /// Elements from the start of the row on.
        col: u8,
        /// Elements of the channels.
        region: Region,
        /// Modifier of the elements.
        modifier: Modifier,
    },
    /// `r[A0(off),imm]<region>:ty`.
    Indirect {
        /// The address variable.
        addr: Addr,
        /// Number of the first address in it.
        off: u8,
        /// Bytes that are added to each address.
        imm: i16,
        /// Type of an element.
        ty: Type,
        /// Elements of the channels.
        region: Region,
        /// Modifier of the elements.
        modifier: Modifier,
    },
    /// `A0(off)<width>`.
    Address {
        /// The address variable.
        addr: Addr,
        /// Number of the first address in it.
        off: u8,
        /// Number of addresses.
        width: u8,
    },
    /// `&V32[offset]`: the address of a variable (`addr_add`'s source).
    AddressOf {
        /// The variable.
        var: Var,
        /// Bytes from its start on.
        offset: u16,
    },
    /// A predicate that is read or written as a value.
    Predicate(PredUse),
    /// An immediate.
    Imm {
        /// Type of the immediate.
        ty: Type,
        /// Bits of the immediate, zero beyond the width of the type.
        bits: u64,
    },
    /// An element of a surface or sampler variable as a value; as `addr_add`'s first source, its
    /// address.
    State {
        /// The variable.
        of: StateVar,
        /// Number of the element.
        off: u8,
    },
    /// `V32.offset`, in bytes.
    Raw {
        /// The variable.
        var: Var,
        /// Bytes from its start on.
        offset: u16,
    },
    /// A surface that a message accesses.
    Surface(Surface),
    /// A sampler that a message uses.
    Sampler(Sampler),
    /// Target of a branch or call.
    Label(Label),
    /// A number whose meaning the row gives: a relation, a channel mask, a block count.
    Field(u32),
    /// A name from the string pool. (Boxed: every operand has the size of the largest.)
    Name(Box<Name>),
}

impl Operand {
    /// Immediate with `bits` cut to the width of the type.
    pub fn imm(ty: Type, bits: u64) -> Operand {
        let width = ty.bytes() * 8;
        Operand::Imm {
            ty,
            bits: if width < 64 {
                bits & ((1 << width) - 1)
            } else {
                bits
            },
        }
    }
}

/// A variable of surfaces or samplers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateVar {
    /// A surface variable.
    Surface(Surface),
    /// A sampler variable.
    Sampler(Sampler),
}

macro_rules! numbers {
    ($($name:ident),*) => {$(
        impl From<$name> for Operand {
            fn from(value: $name) -> Operand {
                Operand::Field(value as u32)
            }
        }
    )*};
}

numbers!(Relation, AtomicOp);

/// The predefined variables and surfaces (specification, "General Variables", "Surface
/// Variables"), with the facts both readers fill their declarations from.
pub mod predefined {
    use super::Type;

    /// Number of `%null`: what is written is lost.
    pub const NULL: u32 = 0;
    /// Number of `%thread_x`: column of the thread in its space of threads.
    pub const THREAD_X: u32 = 1;
    /// Number of `%thread_y`: row of the thread in its space of threads.
    pub const THREAD_Y: u32 = 2;
    /// Number of `%group_id_x`.
    pub const GROUP_ID_X: u32 = 3;
    /// Number of `%group_id_y`.
    pub const GROUP_ID_Y: u32 = 4;
    /// Number of `%group_id_z`.
    pub const GROUP_ID_Z: u32 = 5;
    /// Number of `%tsc`: the timestamp register.
    pub const TSC: u32 = 6;
    /// Number of `%r0`: the header of the thread's payload.
    pub const R0: u32 = 7;
    /// Number of `%arg`: arguments of stack calls.
    pub const ARG: u32 = 8;
    /// Number of `%retval`: results of stack calls.
    pub const RETVAL: u32 = 9;
    /// Number of `%sp`: the stack pointer.
    pub const SP: u32 = 10;
    /// Number of `%fp`: the frame pointer.
    pub const FP: u32 = 11;
    /// Number of `%hw_id`: the hardware thread.
    pub const HW_ID: u32 = 12;
    /// Number of `%sr0`: the state register.
    pub const SR0: u32 = 13;
    /// Number of `%cr0`: the control register.
    pub const CR0: u32 = 14;
    /// Number of `%ce0`: channels that the dispatch enabled.
    pub const CE0: u32 = 15;
    /// Number of `%dbg0`: the debug register.
    pub const DBG0: u32 = 16;
    /// Number of `%color`: color of the thread in its space of threads.
    pub const COLOR: u32 = 17;
    /// Number of `%impl_arg_buf_ptr`: address of the implicit arguments.
    pub const IMPL_ARG_BUF_PTR: u32 = 18;
    /// Number of `%local_id_buf_ptr`: address of the local ids.
    pub const LOCAL_ID_BUF_PTR: u32 = 19;
    /// Number of `%msg0`: the message register.
    pub const MSG0: u32 = 20;
    /// Number of `%scratchloc`: where the thread's scratch space is.
    pub const SCRATCH_LOC: u32 = 21;

    /// General variables that are reserved, declared or not.
    pub const VAR_COUNT: usize = 32;
    /// Bytes of a register in the sizes of `%arg` and `%retval`; with larger registers both have as many.
    pub const ROW_BYTES: u32 = 32;
    /// Name, type and elements of each; those past the end of the list are unused numbers.
    pub const VARS: &[(&str, Type, u16)] = &[
        ("%null", Type::Ud, 1),
        ("%thread_x", Type::Uw, 1),
        ("%thread_y", Type::Uw, 1),
        ("%group_id_x", Type::Ud, 1),
        ("%group_id_y", Type::Ud, 1),
        ("%group_id_z", Type::Ud, 1),
        ("%tsc", Type::Ud, 5),
        ("%r0", Type::Ud, 8),
        ("%arg", Type::Ud, 256),
        ("%retval", Type::Ud, 96),
        ("%sp", Type::Uq, 1),
        ("%fp", Type::Uq, 1),
        ("%hw_id", Type::Ud, 1),
        ("%sr0", Type::Ud, 4),
        ("%cr0", Type::Ud, 3),
        ("%ce0", Type::Ud, 1),
        ("%dbg0", Type::Ud, 2),
        ("%color", Type::Uw, 1),
        ("%impl_arg_buf_ptr", Type::Uq, 1),
        ("%local_id_buf_ptr", Type::Uq, 1),
        ("%msg0", Type::Ud, 3),
        ("%scratchloc", Type::Uq, 1),
    ];

    /// Number of the sampler whose state is in the message header; it is never declared.
    pub const BINDLESS_SAMPLER: u32 = 31;

    /// Surface of shared local memory.
    pub const SURFACE_SLM: u32 = 0;
    /// Surface for stateless access: addresses of the whole address space.
    pub const SURFACE_BINDLESS: u32 = 4;
    /// Surface of stateless access, by its older name.
    pub const SURFACE_STATELESS: u32 = 5;
    /// Predefined surfaces.
    pub const SURFACES: &[&str] = &["%slm", "T1", "T2", "TSS", "%bss", "%scratch"];
}
