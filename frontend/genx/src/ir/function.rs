//! Functions: blocks of instructions over values.
//!
//! A value is a parameter, the result of an instruction, a constant, or the address of a function or variable. All
//! are entities of their function, so that a dense map can be made over them.

use std::collections::HashMap;
use std::sync::Arc;

use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use smallvec::SmallVec;
use smol_str::SmolStr;

use super::asm::Asm;
use super::decl::{Attrs, Linkage, MetaId};
use super::types::{Type, Types};
use crate::error::Loc;
use crate::intrinsics::{Intrinsic, Kind};

/// Instructions that a module may become: of the IR, by what passes add to a function, and of vISA. Few bytes can ask for
/// very many, as those on wide vectors do, and functions that many kernels call.
pub const MAX_INSTS: usize = 1 << 19;

macro_rules! entities {
    ($($name:ident, $display:literal;)*) => {$(
        /// An entity of the IR.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);
        entity_impl!($name, $display);
    )*};
}

entities! {
    Value, "v";
    Inst, "i";
    Block, "b";
    FunctionId, "f";
    GlobalId, "g";
}

/// A constant. Floats are their bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Const {
    /// Bits of a scalar, those above its width clear.
    Bits(u64),
    /// All bits clear, of any type.
    Zero,
    /// `undef` and `poison`.
    Undef,
    /// Bits of each element of a vector.
    Vector(Box<[u64]>),
    /// Members of an array or a structure.
    Aggregate(Box<[Value]>),
}

/// Definition of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueDef {
    Param(u32),
    Inst(Inst),
    Const(Const),
    Function(FunctionId),
    Global(GlobalId),
    /// Metadata as an argument of a call.
    Metadata,
    /// Not defined yet, by a reader.
    Forward,
}

/// A value: its type and definition.
#[derive(Clone, Debug)]
pub struct ValueData {
    pub ty: Type,
    pub def: ValueDef,
    /// Name in the text; empty for one that is numbered.
    pub name: SmolStr,
}

/// Arithmetic and logic of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

/// Relation of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntRel {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// Relation of floats: bits 0 to 3 are equal, greater, less, unordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatRel(pub u8);

impl FloatRel {
    pub const GREATER: FloatRel = FloatRel(0b0010);
    /// Both are numbers, and differ.
    pub const LESS_OR_GREATER: FloatRel = FloatRel(0b0110);
    /// One is no number.
    pub const UNORDERED: FloatRel = FloatRel(0b1000);
    /// One is no number, or they differ.
    pub const DIFFERENT: FloatRel = FloatRel(0b1110);
}

/// Conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpTrunc,
    FpExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    PtrToInt,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
}

/// Operation of an instruction; its operands are [`InstData::args`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Binary(BinaryOp),
    FNeg,
    ICmp(IntRel),
    FCmp(FloatRel),
    Cast(CastOp),
    /// Condition, value if it holds, value if not.
    Select,
    /// One operand a predecessor; [`InstData::targets`] are the predecessors.
    Phi,
    /// Vector, index.
    ExtractElement,
    /// Vector, element, index.
    InsertElement,
    /// Two vectors; the mask has `u32::MAX` for an element that may be anything.
    Shuffle(Box<[u32]>),
    ExtractValue(SmallVec<[u32; 2]>),
    /// Aggregate, member.
    InsertValue(SmallVec<[u32; 2]>),
    Freeze,
    /// The allocated type; the operand is the count.
    Alloca(Type),
    Load,
    /// Value, pointer.
    Store,
    /// The type that the first index steps over; base, indices.
    Gep(Type),
    /// A function of the module.
    Call(FunctionId),
    /// The first operand is the address of the function, which has this type.
    CallIndirect(Type),
    Asm(Arc<Asm>),
    Intrinsic(Intrinsic),
    Br,
    /// Condition; targets if it holds and if not.
    CondBr,
    /// Value; the first target is the default, each further one belongs to a number.
    Switch(Box<[u64]>),
    Ret,
    Unreachable,
}

/// Flags of arithmetic and of branches that matter here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// A quotient may be a product with the reciprocal.
    pub arcp: bool,
    /// A product and a sum may be rounded once.
    pub contract: bool,
    /// Approximations of functions are allowed.
    pub afn: bool,
    /// Sums may be added in any order.
    pub reassoc: bool,
    /// The program's wish for unrolling the loop that a branch goes back in.
    pub unroll: Unroll,
}

/// A program's wish for unrolling a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unroll {
    /// Nothing: the cost decides.
    #[default]
    ByCost,
    /// All rounds become code.
    Full,
    /// Rounds that become the code of one: two or more.
    By(u32),
    Never,
}

impl Unroll {
    /// For a number of rounds that become one.
    pub fn by(rounds: u32) -> Unroll {
        match rounds {
            0 => Unroll::ByCost,
            1 => Unroll::Never,
            _ => Unroll::By(rounds),
        }
    }
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct InstData {
    pub op: Op,
    pub args: SmallVec<[Value; 3]>,
    pub targets: SmallVec<[Block; 2]>,
    /// Type of the result; void if there is none.
    pub ty: Type,
    pub result: Option<Value>,
    pub flags: Flags,
    /// Bytes of alignment of a load, a store or an allocation; 0 if unknown.
    pub align: u32,
    pub loc: Loc,
    /// Node of `!dbg`.
    pub dbg: Option<MetaId>,
}

/// A basic block; the last instruction ends it.
#[derive(Clone, Debug, Default)]
pub struct BlockData {
    pub name: SmolStr,
    pub insts: Vec<Inst>,
}

/// A function, or the declaration of one if it has no blocks.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: SmolStr,
    pub linkage: Linkage,
    /// True for the calling convention `spir_kernel`.
    pub spir_kernel: bool,
    pub result: Type,
    pub variadic: bool,
    pub params: Vec<Value>,
    pub param_attrs: Vec<Attrs>,
    /// Type of a parameter that is passed by reference and is a copy (`byval`).
    pub byval: Vec<Option<Type>>,
    pub attrs: Attrs,
    /// Bytes of private memory that it needs for itself.
    pub frame: u32,
    pub loc: Loc,
    pub values: PrimaryMap<Value, ValueData>,
    pub insts: PrimaryMap<Inst, InstData>,
    pub blocks: PrimaryMap<Block, BlockData>,
    /// Blocks in order; the first is the entry.
    pub order: Vec<Block>,
    consts: HashMap<(Type, Const), Value, foldhash::fast::FixedState>,
    addresses: HashMap<(Type, u32, bool), Value, foldhash::fast::FixedState>,
}

impl Function {
    pub fn new(name: SmolStr, result: Type) -> Function {
        Function {
            name,
            linkage: Linkage::External,
            spir_kernel: false,
            result,
            variadic: false,
            params: Vec::new(),
            param_attrs: Vec::new(),
            byval: Vec::new(),
            attrs: Attrs::new(),
            frame: 0,
            loc: Loc::default(),
            values: PrimaryMap::new(),
            insts: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            order: Vec::new(),
            consts: HashMap::default(),
            addresses: HashMap::default(),
        }
    }

    /// True if an instruction is a `goto`, false if it is a `join`; none for any other.
    pub fn is_goto(&self, inst: Inst) -> Option<bool> {
        match &self.insts[inst].op {
            Op::Intrinsic(intrinsic) => match intrinsic.kind() {
                Kind::Goto => Some(true),
                Kind::Join => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// True if it has no body.
    pub fn is_declaration(&self) -> bool {
        self.order.is_empty()
    }

    /// Numbers the blocks in their order; all must be there.
    pub fn number_blocks(&mut self) {
        let mut new: SecondaryMap<Block, Block> = SecondaryMap::with_default(Block(0));
        let mut blocks = PrimaryMap::with_capacity(self.blocks.len());
        for block in &mut self.order {
            new[*block] = blocks.push(std::mem::take(&mut self.blocks[*block]));
            *block = new[*block];
        }
        self.blocks = blocks;
        let targets = self.insts.values_mut().flat_map(|data| &mut data.targets);
        targets.for_each(|target| *target = new[*target]);
    }

    /// Visits the names of parameters, blocks and results, in the order of the code.
    pub fn visit_names(&mut self, mut f: impl FnMut(&mut SmolStr)) {
        for param in &self.params {
            f(&mut self.values[*param].name);
        }
        for block in &self.order {
            let block = &mut self.blocks[*block];
            f(&mut block.name);
            for inst in &block.insts {
                if let Some(result) = self.insts[*inst].result {
                    f(&mut self.values[result].name);
                }
            }
        }
    }

    /// Adds a parameter.
    pub fn param(&mut self, ty: Type, name: SmolStr) -> Value {
        let def = ValueDef::Param(self.params.len() as u32);
        let value = self.values.push(ValueData { ty, def, name });
        self.params.push(value);
        value
    }

    /// The value of a constant.
    pub fn constant(&mut self, ty: Type, constant: Const) -> Value {
        let key = (ty, constant);
        if let Some(value) = self.consts.get(&key) {
            return *value;
        }
        let value = self.values.push(ValueData {
            ty,
            def: ValueDef::Const(key.1.clone()),
            name: SmolStr::default(),
        });
        self.consts.insert(key, value);
        value
    }

    /// Integer of a type, or the bits of a float.
    pub fn bits(&mut self, ty: Type, bits: u64) -> Value {
        self.constant(ty, Const::Bits(bits))
    }

    /// The address of a function or a variable.
    pub fn address(&mut self, ty: Type, of: ValueDef) -> Value {
        let key = match of {
            ValueDef::Function(f) => (ty, f.as_u32(), true),
            ValueDef::Global(g) => (ty, g.as_u32(), false),
            _ => (ty, u32::MAX, false),
        };
        if let Some(value) = self.addresses.get(&key) {
            return *value;
        }
        let value = self.values.push(ValueData {
            ty,
            def: of,
            name: SmolStr::default(),
        });
        self.addresses.insert(key, value);
        value
    }

    /// Makes an instruction, with a value for its result unless that is void. It is in no block yet.
    pub fn make(&mut self, mut data: InstData) -> Inst {
        let inst = self.insts.next_key();
        if data.ty != Types::VOID && data.result.is_none() {
            data.result = Some(self.values.push(ValueData {
                ty: data.ty,
                def: ValueDef::Inst(inst),
                name: SmolStr::default(),
            }));
        }
        self.insts.push(data)
    }

    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// Constant of a value.
    pub fn as_const(&self, value: Value) -> Option<&Const> {
        match &self.values[value].def {
            ValueDef::Const(constant) => Some(constant),
            _ => None,
        }
    }

    /// Bits of a constant scalar, or of a vector with equal elements.
    pub fn as_bits(&self, value: Value) -> Option<u64> {
        match self.as_const(value)? {
            Const::Bits(bits) => Some(*bits),
            Const::Zero => Some(0),
            Const::Vector(elements) => {
                let first = *elements.first()?;
                elements.iter().all(|e| *e == first).then_some(first)
            }
            Const::Undef | Const::Aggregate(_) => None,
        }
    }

    pub fn is_undef(&self, value: Value) -> bool {
        self.as_const(value) == Some(&Const::Undef)
    }

    /// Instruction that defines a value.
    pub fn inst_of(&self, value: Value) -> Option<Inst> {
        match self.values[value].def {
            ValueDef::Inst(inst) => Some(inst),
            _ => None,
        }
    }

    /// Blocks in reverse postorder: each before its successors, but for the edges that close loops.
    pub fn reverse_postorder(&self) -> Vec<Block> {
        let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
        let mut order = Vec::with_capacity(self.order.len());
        let mut work: Vec<(Block, usize)> = Vec::new();
        if let Some(&entry) = self.order.first() {
            seen[entry] = true;
            work.push((entry, 0));
        }
        while let Some((block, n)) = work.pop() {
            match self.successors(block).get(n) {
                Some(&next) => {
                    work.push((block, n + 1));
                    if !std::mem::replace(&mut seen[next], true) {
                        work.push((next, 0));
                    }
                }
                None => order.push(block),
            }
        }
        order.reverse();
        order
    }

    /// Blocks that a block continues with.
    pub fn successors(&self, block: Block) -> &[Block] {
        match self.blocks[block].insts.last() {
            Some(last) if self.insts[*last].op.is_terminator() => &self.insts[*last].targets,
            _ => &[],
        }
    }

    /// Text of a value for messages.
    pub fn text(&self, value: Value) -> String {
        match self.values[value].name.as_str() {
            "" => format!("%{}", value.as_u32()),
            name => format!("%{name}"),
        }
    }
}

impl Op {
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            Op::Br | Op::CondBr | Op::Switch(_) | Op::Ret | Op::Unreachable
        )
    }

    /// True if the instruction may go when its result is not used.
    pub fn is_pure(&self) -> bool {
        match self {
            Op::Store | Op::Call(_) | Op::CallIndirect(_) | Op::Asm(_) => false,
            Op::Intrinsic(intrinsic) => intrinsic.is_pure(),
            op => !op.is_terminator(),
        }
    }

    /// True if it gives the same result at any place.
    pub fn is_movable(&self) -> bool {
        match self {
            Op::Load | Op::Phi | Op::Alloca(_) => false,
            Op::Intrinsic(intrinsic) => intrinsic.is_movable(),
            op => op.is_pure(),
        }
    }
}

impl BinaryOp {
    pub fn is_float(self) -> bool {
        matches!(
            self,
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem
        )
    }

    pub fn commutes(self) -> bool {
        use BinaryOp::{Add, And, FAdd, FMul, Mul, Or, Xor};
        matches!(self, Add | Mul | And | Or | Xor | FAdd | FMul)
    }

    /// Each operation with its name in text.
    pub const NAMES: &'static [(&'static str, BinaryOp)] = &[
        ("add", BinaryOp::Add),
        ("sub", BinaryOp::Sub),
        ("mul", BinaryOp::Mul),
        ("udiv", BinaryOp::UDiv),
        ("sdiv", BinaryOp::SDiv),
        ("urem", BinaryOp::URem),
        ("srem", BinaryOp::SRem),
        ("shl", BinaryOp::Shl),
        ("lshr", BinaryOp::LShr),
        ("ashr", BinaryOp::AShr),
        ("and", BinaryOp::And),
        ("or", BinaryOp::Or),
        ("xor", BinaryOp::Xor),
        ("fadd", BinaryOp::FAdd),
        ("fsub", BinaryOp::FSub),
        ("fmul", BinaryOp::FMul),
        ("fdiv", BinaryOp::FDiv),
        ("frem", BinaryOp::FRem),
    ];
}

impl CastOp {
    /// Each conversion with its name in text.
    pub const NAMES: &'static [(&'static str, CastOp)] = &[
        ("trunc", CastOp::Trunc),
        ("zext", CastOp::ZExt),
        ("sext", CastOp::SExt),
        ("fptrunc", CastOp::FpTrunc),
        ("fpext", CastOp::FpExt),
        ("fptoui", CastOp::FpToUi),
        ("fptosi", CastOp::FpToSi),
        ("uitofp", CastOp::UiToFp),
        ("sitofp", CastOp::SiToFp),
        ("ptrtoint", CastOp::PtrToInt),
        ("inttoptr", CastOp::IntToPtr),
        ("bitcast", CastOp::BitCast),
        ("addrspacecast", CastOp::AddrSpaceCast),
    ];
}

impl IntRel {
    /// Each relation with its name in text.
    pub const NAMES: &'static [(&'static str, IntRel)] = &[
        ("eq", IntRel::Eq),
        ("ne", IntRel::Ne),
        ("ugt", IntRel::Ugt),
        ("uge", IntRel::Uge),
        ("ult", IntRel::Ult),
        ("ule", IntRel::Ule),
        ("sgt", IntRel::Sgt),
        ("sge", IntRel::Sge),
        ("slt", IntRel::Slt),
        ("sle", IntRel::Sle),
    ];

    pub fn is_signed(self) -> bool {
        matches!(self, IntRel::Sgt | IntRel::Sge | IntRel::Slt | IntRel::Sle)
    }
}

impl FloatRel {
    /// Names in the order of their numbers.
    pub const NAMES: [&'static str; 16] = [
        "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge",
        "ult", "ule", "une", "true",
    ];
}
