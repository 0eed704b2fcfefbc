//! Values that are whole registers of a larger vector, and stay in them.
//!
//! The value that a message receives is often written into a vector right after it, and the value that one sends is often
//! read from a vector right before. Where the registers of the value are registers of the vector, the variable of the value is
//! an alias of a part of the vector's, and nothing is copied. Between the definition and the last use of such a value, which are
//! in one block, the vector's variable is not written otherwise; for one that is written into the vector, it is not read either.

use cranelift_entity::SecondaryMap;

use super::assign::Classes;
use super::bale::{Bales, Fold, is_alias};
use crate::intrinsics::Kind;
use crate::ir::{Function, Inst, Module, Op, Value, ValueDef};

/// A part of a vector: a value of the vector's class, and the first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub of: Value,
    pub byte: u32,
}

/// Parts by the roots of the classes that they stand for.
pub type Parts = SecondaryMap<Value, Option<Part>>;

struct Finder<'a> {
    module: &'a Module,
    function: &'a Function,
    bales: &'a Bales,
    classes: &'a Classes,
    /// Bytes of a register.
    grf: u32,
    /// Values of each class, by its root.
    members: SecondaryMap<Value, u32>,
    /// Place of each instruction in its block.
    places: SecondaryMap<Inst, u32>,
}

/// Finds the values that stay in larger vectors.
pub fn find(
    module: &Module,
    function: &Function,
    bales: &Bales,
    classes: &Classes,
    grf: u32,
) -> Parts {
    let mut finder = Finder {
        module,
        function,
        bales,
        classes,
        grf,
        members: SecondaryMap::new(),
        places: SecondaryMap::new(),
    };
    for value in function.values.keys() {
        finder.members[classes.root(value)] += 1;
    }
    let mut parts = Parts::new();
    for &block in &function.order {
        let insts = &function.blocks[block].insts;
        for (place, inst) in (0..).zip(insts) {
            finder.places[*inst] = place;
        }
        for &inst in insts {
            let found = match &function.insts[inst].op {
                Op::Intrinsic(intrinsic) => match intrinsic.kind() {
                    Kind::WriteRegion => finder.written(inst, insts),
                    Kind::ReadRegion => finder.read(inst, insts),
                    _ => None,
                },
                _ => None,
            };
            // A part of a part would have to move with it.
            if let Some((root, part)) = found
                && parts[classes.root(part.of)].is_none()
                && parts[root].is_none()
            {
                parts[root] = Some(part);
            }
        }
    }
    // The vector of a part may have become a part of another after it.
    for value in function.values.keys() {
        if let Some(part) = parts[value]
            && parts[classes.root(part.of)].is_some()
        {
            parts[value] = None;
        }
    }
    parts
}

impl Finder<'_> {
    /// The first byte of a region that is whole registers in order.
    fn byte(&self, part: Value, whole: Value, region: &[Value]) -> Option<u32> {
        let [rows, width, stride, offset] = region else {
            return None;
        };
        let types = &self.module.types;
        let (count, scalar) = types.shape(self.function.ty(part))?;
        let (all, of) = types.shape(self.function.ty(whole))?;
        let number = |value: &Value| self.function.as_bits(*value);
        let (count, width) = (u64::from(count), number(width)?);
        let side_by_side = width == count || number(rows)? == width;
        if scalar != of || number(stride)? != 1 || !side_by_side || width == 0 {
            return None;
        }
        types
            .count(self.function.ty(*offset))
            .is_none_or(|n| n == 1)
            .then_some(())?;
        let element = u64::from(types.scalar_bytes(scalar));
        // An offset has 16 bits.
        let (byte, bytes) = (number(offset)? & 0xffff, count * element);
        let grf = u64::from(self.grf);
        let fits = byte.checked_add(bytes)? <= u64::from(all) * element;
        let whole = byte.is_multiple_of(grf) && bytes.is_multiple_of(grf);
        (fits && whole).then_some(byte as u32)
    }

    /// The class of a message's result that is written into a vector.
    fn written(&self, inst: Inst, insts: &[Inst]) -> Option<(Value, Part)> {
        let function = self.function;
        let data = &function.insts[inst];
        let result = data.result?;
        let &[old, new, ref region @ .., _, mask] = &data.args[..] else {
            return None;
        };
        let class = self.classes.root(result);
        let kept = function.is_undef(old) || self.classes.root(old) == class;
        if !kept || function.as_bits(mask) != Some(1) {
            return None;
        }
        let byte = self.byte(new, result, region)?;
        // The result may have had other types and names since.
        let (mut value, mut names) = (new, 0);
        let from = loop {
            let from = function.inst_of(value)?;
            if self.bales.uses[value].len() != 1 || self.bales.fold[from] != Fold::No {
                return None;
            }
            names += 1;
            match is_alias(&self.module.types, function, from) {
                true => value = function.insts[from].args[0],
                false => break from,
            }
        };
        let Op::Intrinsic(intrinsic) = function.insts[from].op else {
            return None;
        };
        let root = self.classes.root(new);
        let received = intrinsic.has_payload() || matches!(intrinsic.kind(), Kind::Systolic(_));
        if !received
            || root == class
            || self.members[root] != names
            || self.bales.block_of[from] != self.bales.block_of[inst]
        {
            return None;
        }
        let between = &insts[self.places[from] as usize..self.places[inst] as usize];
        let free = between.iter().all(|one| !self.touches(*one, class, true));
        free.then_some((root, Part { of: result, byte }))
    }

    /// The class of a value that is read from a vector.
    fn read(&self, inst: Inst, insts: &[Inst]) -> Option<(Value, Part)> {
        let function = self.function;
        let data = &function.insts[inst];
        let result = data.result?;
        let &[whole, ref region @ .., _] = &data.args[..] else {
            return None;
        };
        let has_variable = match function.values[whole].def {
            ValueDef::Inst(from) => self.bales.fold[from] == Fold::No,
            ValueDef::Param(_) => false,
            _ => false,
        };
        if !has_variable || self.bales.fold[inst] != Fold::No {
            return None;
        }
        let byte = self.byte(result, whole, region)?;
        let (root, class) = (self.classes.root(result), self.classes.root(whole));
        if root == class {
            return None;
        }
        // All names of the value, and the last use of any.
        let (mut names, mut last) = (vec![result], self.places[inst]);
        let mut seen = 0;
        while let Some(name) = names.get(seen).copied() {
            seen += 1;
            for &(user, _) in &self.bales.uses[name] {
                let here = self.bales.block_of[user] == self.bales.block_of[inst];
                let user_data = &function.insts[user];
                if !here || user_data.op == Op::Phi || self.bales.fold[user] != Fold::No {
                    return None;
                }
                last = last.max(self.places[user]);
                if is_alias(&self.module.types, function, user) {
                    names.extend(user_data.result);
                }
            }
        }
        if self.members[root] as usize != names.len() {
            return None;
        }
        let after = &insts[self.places[inst] as usize + 1..=last as usize];
        let free = after.iter().all(|one| !self.touches(*one, class, false));
        free.then_some((root, Part { of: whole, byte }))
    }

    /// True if an instruction writes the variable of a class, or, if that is asked, reads it.
    fn touches(&self, inst: Inst, class: Value, reads: bool) -> bool {
        let data = &self.function.insts[inst];
        let is_it = |value: &Value| match self.function.values[*value].def {
            ValueDef::Inst(_) | ValueDef::Param(_) => self.classes.root(*value) == class,
            _ => false,
        };
        let calls = matches!(data.op, Op::Call(_) | Op::CallIndirect(_));
        calls
            || data.result.as_ref().is_some_and(is_it)
            || reads && data.args.iter().any(|arg| self.reads(*arg, class))
    }

    /// True if an operand, through what is folded into its instruction, is of a class.
    fn reads(&self, value: Value, class: Value) -> bool {
        match self.function.values[value].def {
            ValueDef::Inst(inst) if self.bales.fold[inst] != Fold::No => {
                let args = &self.function.insts[inst].args;
                args.iter().any(|arg| self.reads(*arg, class))
            }
            ValueDef::Inst(_) | ValueDef::Param(_) => self.classes.root(value) == class,
            _ => false,
        }
    }
}
