//! The library: operations that vISA lacks, as functions in LLVM IR (`library/*.ll`), inlined where they are called.
//!
//! A function of the library computes one element. [`Builder::inlined`] adds its instructions for all elements of a vector
//! at once: a scalar of the function becomes a vector of as many elements, and a vector of k elements one of k for each. What
//! depends on no parameter, or on `genx.any` alone, is the same for all elements and stays as it is; so are the conditions of
//! branches. A `select` of a vector becomes the write of a region under a mask, which makes the operation before it an
//! instruction with a predicate.

use std::cell::OnceCell;
use std::collections::HashMap;

use cranelift_entity::SecondaryMap;
use smallvec::{SmallVec, smallvec};

use super::builder::Builder;
use crate::error::{Code, Diagnostic, Error, Loc, Result};
use crate::intrinsics::Kind;
use crate::ir::{Block, Const, Function, Inst, Module, Op, Scalar, Type, Types, Value, ValueDef};
use crate::ir::{fault::Fault, verify};
use crate::ll;

/// A text of the library; each is read when a function of it is called for the first time.
#[derive(Clone, Copy)]
pub enum Text {
    Bits,
    Overflow,
    BFloat,
    Division,
    Remainder,
    Launch,
    Math,
    Convert,
    Functions,
    Doubles,
}

/// The texts, in the order of [`Text`].
const TEXTS: [&str; 10] = [
    include_str!("library/bits.ll"),
    include_str!("library/overflow.ll"),
    include_str!("library/bfloat.ll"),
    include_str!("library/division.ll"),
    include_str!("library/remainder.ll"),
    include_str!("library/launch.ll"),
    include_str!("library/math.ll"),
    include_str!("library/convert.ll"),
    include_str!("library/functions.ll"),
    include_str!("library/doubles.ll"),
];

thread_local! {
    /// The texts as modules. Types have cells, so each thread reads the library for itself.
    static MODULES: [OnceCell<Result<Module>>; TEXTS.len()] = const { [const { OnceCell::new() }; TEXTS.len()] };
}

fn read(text: &str) -> Result<Module> {
    let mut module = ll::parse(text)?;
    verify::module(&mut module)?;
    Ok(module)
}

fn broken<T>(what: impl std::fmt::Display) -> Result<T> {
    let message = format!("the library: {what}");
    Err(Diagnostic::new(Code::Pass, Loc::default(), message))
}

impl Text {
    /// True if the text has a function of this name.
    ///
    /// # Errors
    /// The text is broken.
    pub fn has(self, name: &str) -> Result<bool> {
        MODULES.with(|modules| {
            match modules[self as usize].get_or_init(|| read(TEXTS[self as usize])) {
                Ok(library) => Ok(library.function_names.contains_key(name)),
                Err(error) => broken(error),
            }
        })
    }
}

/// Results of a function: one, or the members of a structure.
type Results = SmallVec<[Value; 2]>;

impl Builder<'_> {
    /// Adds the instructions of a function of the library for each element of the operands. Returns its results.
    ///
    /// # Errors
    /// A value becomes too large.
    pub fn inlined(&mut self, text: Text, name: &str, args: &[Value]) -> Result<Results> {
        MODULES.with(|modules| {
            let library = modules[text as usize].get_or_init(|| read(TEXTS[text as usize]));
            let library = library.as_ref().map_err(|error| {
                Diagnostic::new(Code::Pass, error.loc, format!("the library: {error}"))
            })?;
            match library.function_names.get(name) {
                Some(id) => self.inline(library, &library.functions[*id], args),
                None => broken(format_args!("no function {name}")),
            }
        })
    }

    /// As [`Builder::inlined`] for a function with one result.
    ///
    /// # Errors
    /// As there.
    pub fn inlined_one(&mut self, text: Text, name: &str, args: &[Value]) -> Result<Value> {
        match self.inlined(text, name, args)?[..] {
            [result] => Ok(result),
            _ => broken(format_args!("{name} has several results")),
        }
    }

    fn inline(&mut self, library: &Module, from: &Function, args: &[Value]) -> Result<Results> {
        let count = args
            .first()
            .and_then(|arg| self.types.count(self.function.ty(*arg)));
        let mut blocks = SecondaryMap::with_default(self.block);
        let others: Vec<Block> = from.order[1..]
            .iter()
            .map(|block| {
                blocks[*block] = self.function.blocks.push(Default::default());
                blocks[*block]
            })
            .collect();
        if !others.is_empty() {
            let at = self
                .function
                .order
                .iter()
                .position(|block| *block == self.block);
            let at = at.map_or(self.function.order.len(), |at| at + 1);
            self.function.order.splice(at..at, others);
        }
        let mut values = SecondaryMap::new();
        for (param, arg) in from.params.iter().zip(args) {
            values[*param] = Some(*arg);
        }
        let inlining = Inlining {
            library,
            from,
            count,
            varies: varying(from),
            blocks,
            ends: SecondaryMap::with_default(self.block),
            values,
            several: HashMap::new(),
            builder: self,
        };
        inlining.run()
    }
}

/// Values of a function that may differ from element to element.
fn varying(function: &Function) -> SecondaryMap<Value, bool> {
    let mut varies = SecondaryMap::new();
    function
        .params
        .iter()
        .for_each(|param| varies[*param] = true);
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for block in &function.order {
            for inst in &function.blocks[*block].insts {
                let data = &function.insts[*inst];
                if let Some(result) = data.result
                    && !varies[result]
                    && !is_any(&data.op)
                    && data.args.iter().any(|arg| varies[*arg])
                {
                    varies[result] = true;
                    changed = true;
                }
            }
        }
    }
    varies
}

fn is_any(op: &Op) -> bool {
    matches!(op, Op::Intrinsic(intrinsic) if matches!(intrinsic.kind(), Kind::Any))
}

/// A function on its way into another.
struct Inlining<'a, 'b, 'c> {
    library: &'a Module,
    from: &'a Function,
    /// Elements for which the function is computed; `None` for one that is no vector.
    count: Option<u32>,
    varies: SecondaryMap<Value, bool>,
    blocks: SecondaryMap<Block, Block>,
    /// The block in which each block of the function ends.
    ends: SecondaryMap<Block, Block>,
    values: SecondaryMap<Value, Option<Value>>,
    /// Results of functions that return several.
    several: HashMap<Value, Results>,
    builder: &'b mut Builder<'c>,
}

impl Inlining<'_, '_, '_> {
    fn run(mut self) -> Result<Results> {
        let mut results = None;
        let mut phis: Vec<(Inst, Inst)> = Vec::new();
        for (number, &block) in self.from.order.iter().enumerate() {
            if number > 0 {
                self.builder.begin(self.blocks[block]);
            }
            for &inst in &self.from.blocks[block].insts {
                let data = &self.from.insts[inst];
                match &data.op {
                    Op::Ret => results = Some(self.returned(inst)?),
                    Op::Phi => {
                        let ty = self.ty(inst)?;
                        let value = self.builder.add(Op::Phi, smallvec![], ty);
                        self.keep(inst, value);
                        phis.extend(self.builder.new.last().map(|new| (inst, *new)));
                    }
                    // `returned` reads what is inserted.
                    Op::InsertValue(_) => {}
                    _ => self.inst(inst)?,
                }
            }
            self.ends[block] = self.builder.block;
        }
        for (inst, new) in phis {
            let data = &self.from.insts[inst];
            let wide = data.result.is_some_and(|result| self.varies[result]);
            for (arg, block) in data.args.iter().zip(&data.targets) {
                let arg = self.value(*arg, wide)?;
                let data = &mut self.builder.function.insts[new];
                data.args.push(arg);
                data.targets.push(self.ends[*block]);
            }
        }
        match results {
            Some(results) => Ok(results),
            None => broken(format_args!("{} returns nothing", self.from.name)),
        }
    }

    fn keep(&mut self, inst: Inst, value: Value) {
        if let Some(result) = self.from.insts[inst].result {
            self.values[result] = Some(value);
        }
    }

    /// The type of a value of the function, for all elements if it varies.
    fn widened(&mut self, ty: Type, wide: bool) -> Result<Type> {
        let from = &self.library.types;
        let Some(scalar) = from.element(ty) else {
            return Ok(Types::VOID);
        };
        let parts = from.count(ty);
        let count = match self.count.filter(|_| wide) {
            Some(count) => Some(u64::from(count) * u64::from(parts.unwrap_or(1))),
            None => parts.map(u64::from),
        };
        let types = &mut self.builder.types;
        let ty = match count {
            Some(count) => types.vector(count, scalar),
            None => Ok(types.shaped(None, scalar)),
        };
        ty.map_err(|fault: Fault| -> Error {
            let inst = self.builder.inst;
            fault.at(self.builder.function.insts[inst].loc)
        })
    }

    fn ty(&mut self, inst: Inst) -> Result<Type> {
        let data = &self.from.insts[inst];
        let wide = data.result.is_some_and(|result| self.varies[result]);
        self.widened(data.ty, wide)
    }

    /// A value of the function; a constant is one for all elements if it is used with what varies.
    fn value(&mut self, value: Value, wide: bool) -> Result<Value> {
        let data = &self.from.values[value];
        let ValueDef::Const(constant) = &data.def else {
            return match self.values[value] {
                Some(value) => Ok(value),
                None => broken(format_args!(
                    "{} uses {} before it is there",
                    self.from.name, data.name
                )),
            };
        };
        let ty = self.widened(data.ty, wide)?;
        let constant = match (constant, self.builder.types.count(ty)) {
            (Const::Bits(bits), Some(count)) => Const::Vector(vec![*bits; count as usize].into()),
            (Const::Vector(parts), Some(count)) => {
                Const::Vector(parts.iter().copied().cycle().take(count as usize).collect())
            }
            (other, _) => other.clone(),
        };
        Ok(self.builder.function.constant(ty, constant))
    }

    /// Operands of `ret`; those of a structure are what was inserted.
    fn returned(&mut self, inst: Inst) -> Result<Results> {
        let mut results = Results::new();
        let mut at = self.from.insts[inst].args.first().copied();
        while let Some(value) = at {
            let inserted = self.from.inst_of(value).map(|inst| &self.from.insts[inst]);
            match inserted.filter(|data| matches!(data.op, Op::InsertValue(_))) {
                Some(data) => {
                    results.insert(0, self.value(data.args[1], true)?);
                    at = Some(data.args[0]).filter(|rest| !self.from.is_undef(*rest));
                }
                None => {
                    results.insert(0, self.value(value, true)?);
                    at = None;
                }
            }
        }
        Ok(results)
    }

    /// Adds an instruction.
    fn inst(&mut self, inst: Inst) -> Result<()> {
        let data = &self.from.insts[inst];
        let wide = data.args.iter().any(|arg| self.varies[*arg]);
        let args = match data.op {
            // Places of elements are not theirs.
            Op::ExtractElement | Op::InsertElement => &data.args[..data.args.len() - 1],
            _ => &data.args[..],
        };
        if let Op::ExtractValue(path) = &data.op {
            let results = self.several.get(&args[0]);
            let result = results.and_then(|results| results.get(*path.first()? as usize));
            return match result {
                Some(result) => {
                    self.keep(inst, *result);
                    Ok(())
                }
                None => broken(format_args!("{} has no such result", self.from.name)),
            };
        }
        let mut new: SmallVec<[Value; 3]> = SmallVec::new();
        for arg in args {
            new.push(self.value(*arg, wide)?);
        }
        if let Op::Call(callee) = data.op {
            let callee = &self.library.functions[callee];
            let results = self.builder.inline(self.library, callee, &new)?;
            match (&results[..], data.result) {
                ([result], _) => self.keep(inst, *result),
                (_, Some(result)) => _ = self.several.insert(result, results),
                _ => {}
            }
            return Ok(());
        }
        let ty = self.ty(inst)?;
        let value = match (&data.op, self.count.filter(|_| wide)) {
            (Op::ExtractElement | Op::InsertElement, Some(_)) => self.part(inst, new, ty)?,
            (Op::ExtractElement | Op::InsertElement, None) => {
                let place = data.args[data.args.len() - 1];
                new.push(self.value(place, false)?);
                self.builder.add(data.op.clone(), new, ty)
            }
            (Op::Select, Some(count))
                if self.library.types.element(data.ty) != Some(Scalar::Int(1)) =>
            {
                let (mask, yes, no) = (new[0], new[1], new[2]);
                let shape = [count, count, 1];
                self.builder.written([no, yes], shape, 0, mask, ty)?
            }
            (op, None) if is_any(op) => self.builder.add(Op::Freeze, new, ty),
            (op, _) => self.builder.add(op.clone(), new, ty),
        };
        self.keep(inst, value);
        if let Some(&last) = self.builder.new.last() {
            let targets = data.targets.iter().map(|target| self.blocks[*target]);
            let added = &mut self.builder.function.insts[last];
            (added.flags, added.targets) = (data.flags, targets.collect());
        }
        Ok(())
    }

    /// A part of each element that is read or written: a region with a stride.
    fn part(&mut self, inst: Inst, mut args: SmallVec<[Value; 3]>, ty: Type) -> Result<Value> {
        let data = &self.from.insts[inst];
        let place = data.args.last().and_then(|place| self.from.as_bits(*place));
        let types = &self.library.types;
        let whole = self.from.ty(data.args[0]);
        let (Some(parts), Some(scalar), Some(place)) =
            (types.count(whole), types.element(whole), place)
        else {
            return broken("the part of an element is not constant");
        };
        let offset = place as u32 * types.scalar_bytes(scalar);
        if data.op == Op::InsertElement {
            let all = self.builder.function.bits(Types::I1, 1);
            let (old, new) = (args[0], args[1]);
            return self
                .builder
                .written([old, new], [parts, 1, 0], offset, all, ty);
        }
        let read = self.builder.intrinsic("genx.rdregioni")?;
        args.extend(self.builder.region([parts, 1, 0], offset));
        Ok(self.builder.add(read, args, ty))
    }
}

impl Builder<'_> {
    /// Strides and width of a region in elements, and its offset in bytes, as operands.
    fn region(&mut self, shape: [u32; 3], offset: u32) -> [Value; 5] {
        let word = self.types.int(16);
        let [v, w, s] = shape.map(|n| self.function.bits(Types::I32, n.into()));
        let offset = self.function.bits(word, offset.into());
        [
            v,
            w,
            s,
            offset,
            self.function.constant(Types::I32, Const::Undef),
        ]
    }

    /// A vector with elements of a region replaced where a mask is set.
    fn written(
        &mut self,
        [old, new]: [Value; 2],
        shape: [u32; 3],
        offset: u32,
        mask: Value,
        ty: Type,
    ) -> Result<Value> {
        let write = self.intrinsic("genx.wrregioni")?;
        let mut args: SmallVec<[Value; 3]> = smallvec![old, new];
        args.extend(self.region(shape, offset));
        args.push(mask);
        Ok(self.add(write, args, ty))
    }
}
