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
    Ud = 0,
    D = 1,
    Uw = 2,
    W = 3,
    Ub = 4,
    B = 5,
    Df = 6,
    F = 7,
    V = 8,
    Vf = 9,
    Bool = 10,
    Uq = 11,
    Uv = 12,
    Q = 13,
    Hf = 14,
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

    pub fn from_name(name: &str) -> Option<Type> {
        Self::NAMES
            .iter()
            .position(|&n| n == name)
            .map(|i| Self::ALL[i])
    }

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
    Byte = 0,
    Word = 1,
    Dword = 2,
    Qword = 3,
    Oword = 4,
    /// `GRF` of older objects.
    Grf = 5,
    TwoGrf = 6,
    Hword = 7,
    Word32 = 8,
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

    pub fn from_name(name: &str) -> Option<Align> {
        Self::ALL
            .iter()
            .find(|(_, n)| *n == name)
            .map(|(align, _)| *align)
    }

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
    pub linkage: Linkage,
    pub name: Name,
    pub ty: Type,
    pub align: Align,
    pub elements: u16,
    pub attrs: Vec<GlobalAttr>,
}

/// Attribute of a file-scope variable, as the file has it. Its name is the number of a string, but file scope has
/// no string pool and the format does not say which pool is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalAttr {
    pub name: u32,
    pub value: SmallVec<[u8; 16]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Linkage {
    Extern = 0,
    Static = 1,
    Global = 2,
}

/// A kernel or a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    pub kind: ObjectKind,
    pub name: Name,
    /// Predefined ones included, so that a `Var` indexes it.
    pub vars: PrimaryMap<Var, VarDecl>,
    pub addrs: PrimaryMap<Addr, ArrayDecl>,
    /// `P0` included.
    pub predicates: PrimaryMap<Predicate, ArrayDecl>,
    pub samplers: PrimaryMap<Sampler, ArrayDecl>,
    /// Predefined ones included.
    pub surfaces: PrimaryMap<Surface, ArrayDecl>,
    pub labels: PrimaryMap<Label, LabelDecl>,
    pub inputs: Vec<Input>,
    pub attrs: Vec<Attr>,
    pub insts: Vec<Inst>,
    pub relocations: Relocations,
}

/// References of an object to file scope; text has no form for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relocations {
    /// References to file-scope variables.
    pub variables: Vec<Relocation>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Kernel,
    /// `arg_grfs` and `ret_grfs` are the sizes of %arg and %retval in GRFs.
    Function {
        linkage: Linkage,
        arg_grfs: u8,
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
    pub ty: Type,
    pub align: Align,
    pub elements: u16,
    /// Variable that it is an alias of, and the byte offset there. The readers guarantee that there is no cycle.
    pub alias: Option<(Var, u16)>,
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
    pub name: Name,
    pub elements: u16,
    pub attrs: Vec<Attr>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LabelDecl {
    pub name: Name,
    pub kind: LabelKind,
    pub attrs: Vec<Attr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum LabelKind {
    Block = 0,
    Subroutine = 1,
    /// Kernel of another module, found by a linker and never defined here.
    Kernel = 2,
}

/// An attribute of a kernel or a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Attr {
    pub name: Name,
    pub value: AttrValue,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AttrValue {
    /// No value: true.
    Flag,
    Int(i64),
    Str(SmolStr),
}

/// A kernel's input: a variable that holds a value at entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    pub var: InputVar,
    /// Provenance (specification, "Input Variables"): 0 is a user's argument.
    pub implicit: u8,
    /// Byte offset in the register file.
    pub offset: u16,
    /// Size in bytes.
    pub size: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputVar {
    General(Var),
    Sampler(Sampler),
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
    Var(Var),
    Addr(Addr),
    Predicate(Predicate),
    Sampler(Sampler),
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
    /// Its execution size and mask.
    Exec,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    pub op: Opcode,
    pub exec: Exec,
    pub pred: Option<PredUse>,
    /// One a field of the opcode's row.
    pub operands: SmallVec<[Operand; 4]>,
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
    pub pred: Predicate,
    pub inverse: bool,
    pub combine: Combine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Combine {
    /// Channel by channel.
    None = 0,
    Any = 1,
    All = 2,
}

/// Source and destination modifiers, with their numbers in the binary format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Modifier {
    #[default]
    None = 0,
    Abs = 1,
    Neg = 2,
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
    pub v: Option<u8>,
    pub w: u8,
    pub h: u8,
}

impl Region {
    /// The region of a destination.
    pub const fn dst(h: u8) -> Region {
        Region {
            v: Some(0),
            w: 1,
            h,
        }
    }
}

/// One operand of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// `V32(row,col)<region>`: `row` in GRFs of 32 bytes, `col` in elements of the variable's type.
    General {
        var: Var,
        row: u8,
        col: u8,
        region: Region,
        modifier: Modifier,
    },
    /// `r[A0(off),imm]<region>:ty`.
    Indirect {
        addr: Addr,
        off: u8,
        imm: i16,
        ty: Type,
        region: Region,
        modifier: Modifier,
    },
    /// `A0(off)<width>`.
    Address {
        addr: Addr,
        off: u8,
        width: u8,
    },
    /// `&V32[offset]`: the address of a variable (`addr_add`'s source).
    AddressOf {
        var: Var,
        offset: u16,
    },
    Predicate(PredUse),
    Imm {
        ty: Type,
        bits: u64,
    },
    /// An element of a surface or sampler variable as a value; as `addr_add`'s first source, its
    /// address.
    State {
        of: StateVar,
        off: u8,
    },
    /// `V32.offset`, in bytes.
    Raw {
        var: Var,
        offset: u16,
    },
    Surface(Surface),
    Sampler(Sampler),
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateVar {
    Surface(Surface),
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

    pub const NULL: u32 = 0;
    pub const THREAD_X: u32 = 1;
    pub const THREAD_Y: u32 = 2;
    pub const GROUP_ID_X: u32 = 3;
    pub const GROUP_ID_Y: u32 = 4;
    pub const GROUP_ID_Z: u32 = 5;
    pub const TSC: u32 = 6;
    pub const R0: u32 = 7;
    pub const ARG: u32 = 8;
    pub const RETVAL: u32 = 9;
    pub const SP: u32 = 10;
    pub const FP: u32 = 11;
    pub const HW_ID: u32 = 12;
    pub const SR0: u32 = 13;
    pub const CR0: u32 = 14;
    pub const CE0: u32 = 15;
    pub const DBG0: u32 = 16;
    pub const COLOR: u32 = 17;
    pub const IMPL_ARG_BUF_PTR: u32 = 18;
    pub const LOCAL_ID_BUF_PTR: u32 = 19;
    pub const MSG0: u32 = 20;
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

    pub const SURFACE_SLM: u32 = 0;
    /// Surface for stateless access: addresses of the whole address space.
    pub const SURFACE_BINDLESS: u32 = 4;
    pub const SURFACE_STATELESS: u32 = 5;
    /// Predefined surfaces.
    pub const SURFACES: &[&str] = &["%slm", "T1", "T2", "TSS", "%bss", "%scratch"];
}
