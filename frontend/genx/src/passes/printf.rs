//! Calls that print.
//!
//! Takes any function. Afterwards none calls `printf`: each call adds a record to a buffer that the driver reads after the launch.
//! A record has the address of the format, and for each argument a code of its type and its value, in dwords; the first dword of
//! the buffer is the number of bytes that are in use, which an atomic addition takes room by. Strings become variables of their
//! own ([`ATTRIBUTE`]), which the driver keeps, so that an address of one says its text. Source: the formatter of the compute
//! runtime (`print_formatter.h`, `PrintfDataType`).

use std::collections::HashMap;

use smallvec::{SmallVec, smallvec};
use smol_str::format_smolstr;

use super::builder::{Builder, rewrite};
use crate::error::Result;
use crate::ir::{
    BinaryOp, CastOp, Const, Function, Global, GlobalId, Inst, InstData, Linkage, Module, Op,
    Scalar, Types, Value, ValueDef, atomics,
};

/// Attribute of a variable that the driver keeps: code has its address by its name.
pub const ATTRIBUTE: &str = "kiln.string";
/// Parts of the names of functions that print.
const NAMES: [&str; 2] = ["printf", "__spirv_ocl_printf"];
/// Bytes of a format that the driver reads.
const MAX_FORMAT: usize = 16 << 10;
/// Address space of memory that the driver and all threads share, and of constants.
const SHARED: u32 = 1;
const CONSTANT: u32 = 2;
/// Bytes of a part of a record.
const DWORD: u64 = 4;
/// Offset and prime of the hash of texts (Fowler, Noll and Vo, 64 bits, variant 1a).
const HASH: (u64, u64) = (0xcbf2_9ce4_8422_2325, 0x0100_0000_01b3);

/// Codes of types in a record. Those of vectors have the number of elements after them.
#[derive(Clone, Copy)]
enum Code {
    Int = 3,
    Float = 4,
    String = 5,
    Long = 6,
    Pointer = 7,
    Double = 8,
    Ints = 11,
    Longs = 12,
    Floats = 13,
    Doubles = 14,
}

/// True for the name of a function that prints: in C, or in SPIR-V with types after it.
pub fn prints(name: &str) -> bool {
    let rest = name.strip_prefix("_Z").unwrap_or(name);
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    rest == NAMES[0] || rest.starts_with(NAMES[1])
}

/// Makes records of the calls of a function that print.
///
/// # Errors
/// A format is no constant, it has other conversions than the call has operands, or a type is none that is printed.
pub fn lower(module: &mut Module, function: &mut Function) -> Result<()> {
    let Module {
        types,
        functions,
        globals,
        global_names,
        ..
    } = module;
    let wants = |_: &Types, function: &Function, inst: Inst| match function.insts[inst].op {
        Op::Call(callee) => {
            let callee = &functions[callee];
            callee.is_declaration() && prints(&callee.name)
        }
        _ => false,
    };
    let mut added: HashMap<Inst, Vec<Inst>> = HashMap::new();
    rewrite(types, function, wants, |b| {
        let args = b.function.insts[b.inst].args.clone();
        let Some((&format, args)) = args.split_first() else {
            return b.error("a format is expected");
        };
        let mut strings = Strings {
            globals,
            names: global_names,
            added: &mut added,
        };
        b.printed(&mut strings, format, args)
    })?;
    if added.is_empty() {
        return Ok(());
    }
    for block in &function.order {
        let insts = std::mem::take(&mut function.blocks[*block].insts);
        let with =
            |inst: Inst| std::iter::once(inst).chain(added.remove(&inst).unwrap_or_default());
        function.blocks[*block].insts = insts.into_iter().flat_map(with).collect();
    }
    Ok(())
}

/// Variables of texts.
struct Strings<'a> {
    globals: &'a mut cranelift_entity::PrimaryMap<GlobalId, Global>,
    names: &'a mut HashMap<smol_str::SmolStr, GlobalId>,
    /// Instructions that are to be added after others.
    added: &'a mut HashMap<Inst, Vec<Inst>>,
}

impl Strings<'_> {
    /// The text of a constant, with its zero.
    fn text(&self, id: GlobalId) -> Option<&[u8]> {
        let global = &self.globals[id];
        let data = global.init.as_deref().filter(|_| global.constant)?;
        let end = data.iter().position(|byte| *byte == 0)?;
        Some(&data[..=end])
    }

    /// The variable that the driver keeps of a constant. Equal texts are one variable, in every module.
    fn kept(&mut self, types: &mut Types, id: GlobalId) -> Option<GlobalId> {
        let text = self.text(id)?.to_vec();
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(HASH.1);
        let name = format_smolstr!("printf_string_{:016x}", text.iter().fold(HASH.0, step));
        if let Some(known) = self.names.get(&name) {
            return Some(*known);
        }
        let byte = types.int(8);
        let global = Global {
            name: name.clone(),
            ty: types.array(text.len() as u64, byte).ok()?,
            space: CONSTANT,
            linkage: Linkage::Internal,
            constant: true,
            init: Some(text),
            functions: Vec::new(),
            addresses: false,
            in_memory: true,
            attrs: vec![(ATTRIBUTE.into(), "".into())],
            loc: self.globals[id].loc,
        };
        let kept = self.globals.push(global);
        self.names.insert(name, kept);
        Some(kept)
    }
}

/// The constant that a pointer to its start names.
fn named(function: &Function, mut pointer: Value) -> Option<GlobalId> {
    loop {
        if let ValueDef::Global(id) = function.values[pointer].def {
            return Some(id);
        }
        let data = &function.insts[function.inst_of(pointer)?];
        let starts = |index: &Value| function.as_bits(*index) == Some(0);
        match data.op {
            Op::Cast(CastOp::BitCast | CastOp::AddrSpaceCast) | Op::Freeze => {}
            Op::Gep(_) if data.args[1..].iter().all(starts) => {}
            _ => return None,
        }
        pointer = data.args[0];
    }
}

/// The last letter of each conversion of a format, in their order.
fn conversions(format: &[u8]) -> Vec<u8> {
    let mut found = Vec::new();
    let mut rest = format.iter();
    while rest.any(|byte| *byte == b'%') {
        if rest.as_slice().first() == Some(&b'%') {
            rest.next();
            continue;
        }
        found.extend(rest.find(|byte| b"csdioxXufFeEaAgGp".contains(byte)));
    }
    found
}

impl Builder<'_> {
    /// Replaces a call that prints.
    fn printed(&mut self, strings: &mut Strings, format: Value, args: &[Value]) -> Result<()> {
        let ty = self.function.insts[self.inst].ty;
        let named = named(self.function, format).filter(|id| strings.text(*id).is_some());
        let Some(id) = named else {
            return self.error("a format that is no constant is not supported");
        };
        let text = strings.text(id).unwrap_or_default();
        if text.len() > MAX_FORMAT {
            return self.error("a format of so many bytes is not printed");
        }
        let conversions = conversions(text);
        if conversions.len() != args.len() {
            return self.error("the format and the operands do not correspond");
        }
        let mut record = self.string(strings, format)?;
        for (arg, conversion) in args.iter().zip(conversions) {
            let (code, count, dwords) = match conversion {
                b's' => (Code::String, None, self.string(strings, *arg)?),
                _ => self.number_printed(*arg)?,
            };
            let numbers = std::iter::once(code as u32).chain(count);
            let numbers: Vec<Value> = numbers
                .map(|number| self.function.bits(Types::I32, number.into()))
                .collect();
            record.extend(numbers);
            record.extend(dwords);
        }
        let at = self.room(DWORD * record.len() as u64)?;
        let all = self
            .types
            .vector(record.len() as u64, Scalar::Int(u32::BITS));
        let Ok(all) = all else {
            return self.error("so many operands are not printed");
        };
        let mut whole = self.function.constant(all, Const::Undef);
        for (number, part) in (0..).zip(record) {
            let number = self.function.bits(Types::I32, number);
            whole = self.add(Op::InsertElement, smallvec![whole, part, number], all);
        }
        self.add(Op::Store, smallvec![whole, at], Types::VOID);
        if let Some(store) = self.new.last() {
            self.function.insts[*store].align = DWORD as u32;
        }
        let done = self.splat(ty, 0);
        self.become_op(Op::Freeze, smallvec![done]);
        Ok(())
    }

    /// Takes room for a record. Returns its address.
    fn room(&mut self, bytes: u64) -> Result<Value> {
        let address = self.types.int(u64::BITS);
        let pointer = self.types.scalar(Scalar::Ptr(SHARED));
        let buffer = self.intrinsic("genx.print.buffer")?;
        let buffer = self.add(buffer, smallvec![], address);
        let start = self.cast(CastOp::IntToPtr, buffer, pointer);
        let bytes = self.function.bits(Types::I32, bytes);
        let order = atomics::ordering(self.function, atomics::MONOTONIC);
        let add = self.intrinsic(ADD)?;
        let used = self.add(add, smallvec![start, bytes, order], Types::I32);
        let used = self.cast(CastOp::ZExt, used, address);
        let at = self.binary(BinaryOp::Add, buffer, used);
        Ok(self.cast(CastOp::IntToPtr, at, pointer))
    }

    /// The dwords of a number of 64 bits.
    fn halves(&mut self, value: Value) -> SmallVec<[Value; 2]> {
        let pair = self.types.shaped(Some(2), Scalar::Int(u32::BITS));
        let pair = self.cast(CastOp::BitCast, value, pair);
        let half = |n| self.extract(pair, n, Types::I32);
        [0, 1].map(half).into_iter().collect()
    }

    /// Code, number of elements and dwords of an operand that is no string.
    fn number_printed(&mut self, value: Value) -> Result<(Code, Option<u32>, Dwords)> {
        // A float as a double has the same text, and not every platform has doubles.
        let value = match self
            .function
            .inst_of(value)
            .map(|i| &self.function.insts[i])
        {
            Some(InstData {
                op: Op::Cast(CastOp::FpExt),
                args,
                ..
            }) => args[0],
            _ => value,
        };
        let Some(scalar) = self.scalar(value) else {
            return self.error("a value of this type is not printed");
        };
        let count = self.types.count(self.function.ty(value));
        let like = |b: &mut Self, scalar| b.shaped(value, scalar);
        let (one, several, dwords) = match scalar {
            Scalar::Int(bits @ 1..=32) => {
                let wide = like(self, Scalar::Int(u32::BITS));
                let value = match bits {
                    32 => value,
                    _ => self.cast(CastOp::ZExt, value, wide),
                };
                (Code::Int, Code::Ints, value)
            }
            Scalar::Half | Scalar::BFloat | Scalar::Float => {
                let float = like(self, Scalar::Float);
                let bits = like(self, Scalar::Int(u32::BITS));
                let value = match scalar {
                    Scalar::Float => value,
                    _ => self.cast(CastOp::FpExt, value, float),
                };
                let value = self.cast(CastOp::BitCast, value, bits);
                (Code::Float, Code::Floats, value)
            }
            Scalar::Int(64) => (Code::Long, Code::Longs, value),
            Scalar::Double => {
                let bits = like(self, Scalar::Int(u64::BITS));
                let value = self.cast(CastOp::BitCast, value, bits);
                (Code::Double, Code::Doubles, value)
            }
            Scalar::Ptr(_) if count.is_none() => {
                let address = self.types.int(u64::BITS);
                let value = self.cast(CastOp::PtrToInt, value, address);
                (Code::Pointer, Code::Longs, value)
            }
            Scalar::Ptr(_) | Scalar::Int(_) => {
                return self.error("a value of this type is not printed");
            }
        };
        let ty = self.function.ty(dwords);
        let element = self.types.element(ty);
        let element = element.map_or(Types::I32, |scalar| self.types.scalar(scalar));
        let mut parts = Dwords::new();
        for number in 0..count.unwrap_or(1) {
            let part = match count {
                Some(_) => self.extract(dwords, number, element),
                None => dwords,
            };
            match element == Types::I32 {
                true => parts.push(part),
                false => parts.extend(self.halves(part)),
            }
        }
        let code = if count.is_some() { several } else { one };
        Ok((code, count, parts))
    }

    /// The dwords of the address of a text, which the driver knows.
    fn string(&mut self, strings: &mut Strings, pointer: Value) -> Result<Dwords> {
        let pointer = self.kept(strings, pointer)?;
        let address = self.types.int(u64::BITS);
        let address = self.cast(CastOp::PtrToInt, pointer, address);
        Ok(self.halves(address).into_iter().collect())
    }

    /// A pointer to the variables that the driver keeps, made as one to constants is: by casts, offsets, choices and phis.
    fn kept(&mut self, strings: &mut Strings, pointer: Value) -> Result<Value> {
        let operands = |data: &InstData| match data.op {
            Op::Cast(CastOp::BitCast | CastOp::AddrSpaceCast) | Op::Freeze | Op::Gep(_) => {
                Some(0..1)
            }
            Op::Select => Some(1..3),
            Op::Phi => Some(0..data.args.len()),
            _ => None,
        };
        let mut by: HashMap<Value, Value> = HashMap::new();
        let mut made: Vec<(Inst, Inst)> = Vec::new();
        let mut work = vec![pointer];
        while let Some(value) = work.pop() {
            if by.contains_key(&value) {
                continue;
            }
            let ty = self.function.ty(value);
            if let ValueDef::Global(id) = self.function.values[value].def
                && let Some(kept) = strings.kept(self.types, id)
            {
                by.insert(value, self.function.address(ty, ValueDef::Global(kept)));
                continue;
            }
            if self.function.as_bits(value) == Some(0) || self.function.is_undef(value) {
                by.insert(value, value);
                continue;
            }
            let inst = self.function.inst_of(value);
            let data = inst.map(|inst| (inst, self.function.insts[inst].clone()));
            let found = data.and_then(|(inst, data)| Some((inst, operands(&data)?, data)));
            let Some((inst, pointers, data)) = found else {
                return self.error("a text that is no constant is not printed");
            };
            work.extend(&data.args[pointers]);
            let new = self.function.make(InstData {
                result: None,
                ..data
            });
            made.push((inst, new));
            if let Some(result) = self.function.insts[new].result {
                by.insert(value, result);
            }
        }
        for (inst, new) in made {
            let pointers = operands(&self.function.insts[new]).unwrap_or(0..0);
            for arg in &mut self.function.insts[new].args[pointers] {
                *arg = by.get(arg).copied().unwrap_or(*arg);
            }
            strings.added.entry(inst).or_default().push(new);
        }
        Ok(by.get(&pointer).copied().unwrap_or(pointer))
    }
}

/// Parts of a record.
type Dwords = Vec<Value>;

/// Atomic addition.
const ADD: &str = atomics::OPERATIONS[1].1;
