//! An interpreter of the IR, written from the definitions of the language references of LLVM and of the dialect.
//!
//! The interpreter knows nothing of the passes and asks the table of intrinsics for names only. An undefined bit is 0; programs
//! must not depend on one. What is undefined behaviour there is an error here.

use std::collections::HashMap;

use kiln_genx::ir::{
    BinaryOp, Block, CastOp, Const, Function, FunctionId, Inst, IntRel, Module, Op, Scalar, Type,
    TypeData, Value, ValueDef,
};

/// Instructions that are executed at most.
const MAX_STEPS: u64 = 1 << 22;
/// Calls within calls.
const MAX_CALLS: u32 = 64;

/// Content of a value: the bits of each element, or members.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Bits(Vec<u64>),
    Members(Vec<Content>),
}

use Content::{Bits, Members};

type Result<T> = std::result::Result<T, String>;

/// Memory: buffers at addresses.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub buffers: Vec<(u64, Vec<u8>)>,
}

impl Memory {
    fn part(&mut self, address: u64, bytes: usize) -> Result<&mut [u8]> {
        let found = self.buffers.iter_mut().find_map(|(base, buffer)| {
            let from = usize::try_from(address.checked_sub(*base)?).ok()?;
            buffer.get_mut(from..from.checked_add(bytes)?)
        });
        found.ok_or_else(|| format!("nothing is at {address:#x}"))
    }
}

/// A thread.
pub struct Thread<'a> {
    pub module: &'a Module,
    pub memory: &'a mut Memory,
    /// Number of its group in the first dimension.
    pub group: u32,
    steps: u64,
    calls: u32,
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width.clamp(1, 64))
}

fn signed(bits: u64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    (bits << shift).cast_signed() >> shift
}

impl<'a> Thread<'a> {
    pub fn new(module: &'a Module, memory: &'a mut Memory, group: u32) -> Thread<'a> {
        Thread {
            module,
            memory,
            group,
            steps: 0,
            calls: 0,
        }
    }

    /// Runs a function.
    pub fn run(&mut self, id: FunctionId, args: Vec<Content>) -> Result<Option<Content>> {
        let function = &self.module.functions[id];
        self.calls += 1;
        if self.calls > MAX_CALLS || function.is_declaration() {
            return Err("a call that cannot be followed".to_string());
        }
        let mut values: HashMap<Value, Content> =
            function.params.iter().copied().zip(args).collect();
        let (mut block, mut from) = (function.order[0], None);
        loop {
            // Phis take their values at the same time.
            let mut phis = Vec::new();
            for inst in &function.blocks[block].insts {
                let data = &function.insts[*inst];
                if let (Op::Phi, Some(result)) = (&data.op, data.result) {
                    let at = data.targets.iter().position(|target| Some(*target) == from);
                    let at = at.ok_or("a phi without a value for this predecessor")?;
                    phis.push((result, self.get(function, &values, data.args[at])?));
                }
            }
            values.extend(phis);
            let mut next = None;
            for inst in &function.blocks[block].insts {
                self.steps += 1;
                if self.steps > MAX_STEPS {
                    return Err("the program does not end".to_string());
                }
                match self.inst(function, &mut values, *inst)? {
                    Step::On => {}
                    Step::To(block) => next = Some(block),
                    Step::Return(value) => {
                        self.calls -= 1;
                        return Ok(value);
                    }
                }
            }
            from = Some(block);
            block = next.ok_or("a block without an end")?;
        }
    }

    fn get(
        &self,
        function: &Function,
        values: &HashMap<Value, Content>,
        value: Value,
    ) -> Result<Content> {
        match &function.values[value].def {
            ValueDef::Const(constant) => self.constant(function, function.ty(value), constant),
            _ => values
                .get(&value)
                .cloned()
                .ok_or_else(|| format!("{value} has no content")),
        }
    }

    fn constant(&self, function: &Function, ty: Type, constant: &Const) -> Result<Content> {
        let types = &self.module.types;
        Ok(match (constant, types.data(ty)) {
            (Const::Bits(bits), _) => Bits(vec![*bits]),
            (Const::Vector(bits), _) => Bits(bits.to_vec()),
            (Const::Aggregate(members), _) => {
                let members = members
                    .iter()
                    .map(|member| match &function.values[*member].def {
                        ValueDef::Const(constant) => {
                            self.constant(function, function.ty(*member), constant)
                        }
                        _ => Err("an address".to_string()),
                    });
                Members(members.collect::<Result<_>>()?)
            }
            (_, TypeData::Struct(fields, _)) => {
                let fields = fields
                    .iter()
                    .map(|field| self.constant(function, *field, constant));
                Members(fields.collect::<Result<_>>()?)
            }
            (_, TypeData::Array(count, element)) => {
                let element = self.constant(function, *element, constant)?;
                Members(vec![element; *count as usize])
            }
            _ => {
                let (count, _) = types.shape(ty).ok_or("a constant of no shape")?;
                Bits(vec![0; count as usize])
            }
        })
    }

    fn scalar(&self, ty: Type) -> Result<Scalar> {
        self.module
            .types
            .element(ty)
            .ok_or_else(|| "no elements".to_string())
    }

    fn width(&self, ty: Type) -> Result<u32> {
        Ok(self.module.types.bits(self.scalar(ty)?))
    }

    fn inst(
        &mut self,
        function: &Function,
        values: &mut HashMap<Value, Content>,
        inst: Inst,
    ) -> Result<Step> {
        let data = &function.insts[inst];
        let arg = |n: usize| {
            self.get(
                function,
                values,
                *data.args.get(n).ok_or("an operand is missing")?,
            )
        };
        let bits = |n: usize| match arg(n)? {
            Bits(bits) => Ok::<_, String>(bits),
            Members(_) => Err("an aggregate".to_string()),
        };
        let arg_ty = |n: usize| function.ty(data.args[n]);
        let result = match &data.op {
            Op::Phi => return Ok(Step::On),
            Op::Br => return Ok(Step::To(data.targets[0])),
            Op::CondBr => {
                let no = bits(0)?[0] & 1 == 0;
                return Ok(Step::To(data.targets[usize::from(no)]));
            }
            Op::Switch(numbers) => {
                let value = bits(0)?[0];
                let at = numbers.iter().position(|number| *number == value);
                return Ok(Step::To(data.targets[at.map_or(0, |at| at + 1)]));
            }
            Op::Ret => {
                let value = if data.args.is_empty() {
                    None
                } else {
                    Some(arg(0)?)
                };
                return Ok(Step::Return(value));
            }
            Op::Unreachable => return Err("what cannot be reached was reached".to_string()),
            Op::Binary(op) => {
                let scalar = self.scalar(data.ty)?;
                let pairs = bits(0)?.into_iter().zip(bits(1)?);
                let width = self.width(data.ty)?;
                let all = pairs.map(|(a, b)| match scalar.is_float() {
                    true => float_binary(*op, scalar, a, b),
                    false => int_binary(*op, width, a, b),
                });
                Bits(all.collect::<Result<_>>()?)
            }
            Op::FNeg => {
                let width = self.width(data.ty)?;
                Bits(bits(0)?.into_iter().map(|a| a ^ 1 << (width - 1)).collect())
            }
            Op::ICmp(rel) => {
                let width = self.width(arg_ty(0))?;
                let pairs = bits(0)?.into_iter().zip(bits(1)?);
                Bits(
                    pairs
                        .map(|(a, b)| int_relation(*rel, width, a, b).into())
                        .collect(),
                )
            }
            Op::FCmp(rel) => {
                let scalar = self.scalar(arg_ty(0))?;
                let pairs = bits(0)?.into_iter().zip(bits(1)?);
                let all = pairs.map(|(a, b)| {
                    let (a, b) = (to_f64(scalar, a)?, to_f64(scalar, b)?);
                    let order = match a.partial_cmp(&b) {
                        Some(std::cmp::Ordering::Equal) => 1,
                        Some(std::cmp::Ordering::Greater) => 2,
                        Some(std::cmp::Ordering::Less) => 4,
                        None => 8,
                    };
                    Ok::<_, String>(u64::from(rel.0 & order != 0))
                });
                Bits(all.collect::<Result<_>>()?)
            }
            Op::Cast(op) => self.cast(*op, arg_ty(0), data.ty, bits(0)?)?,
            Op::Select => match (bits(0)?, self.module.types.count(arg_ty(0))) {
                (condition, Some(_)) => {
                    let pairs = bits(1)?.into_iter().zip(bits(2)?).zip(condition);
                    Bits(
                        pairs
                            .map(|((yes, no), c)| if c & 1 != 0 { yes } else { no })
                            .collect(),
                    )
                }
                (condition, None) => arg(if condition[0] & 1 != 0 { 1 } else { 2 })?,
            },
            Op::Freeze => arg(0)?,
            Op::ExtractElement => {
                let (vector, index) = (bits(0)?, bits(1)?[0] as usize);
                Bits(vec![*vector.get(index).ok_or("an index behind the end")?])
            }
            Op::InsertElement => {
                let (mut vector, index) = (bits(0)?, bits(2)?[0] as usize);
                *vector.get_mut(index).ok_or("an index behind the end")? = bits(1)?[0];
                Bits(vector)
            }
            Op::Shuffle(mask) => {
                let both = [bits(0)?, bits(1)?].concat();
                Bits(
                    mask.iter()
                        .map(|m| both.get(*m as usize).copied().unwrap_or(0))
                        .collect(),
                )
            }
            Op::ExtractValue(path) => {
                let mut value = arg(0)?;
                for index in path {
                    value = match value {
                        Members(mut members) => members.swap_remove(*index as usize),
                        Bits(_) => return Err("no aggregate".to_string()),
                    };
                }
                value
            }
            Op::InsertValue(path) => {
                let mut value = arg(0)?;
                let mut place = &mut value;
                for index in path {
                    place = match place {
                        Members(members) => &mut members[*index as usize],
                        Bits(_) => return Err("no aggregate".to_string()),
                    };
                }
                *place = arg(1)?;
                value
            }
            Op::Call(callee) => {
                let args = (0..data.args.len()).map(arg).collect::<Result<_>>()?;
                match self.run(*callee, args)? {
                    Some(value) => value,
                    None => return Ok(Step::On),
                }
            }
            Op::Intrinsic(intrinsic) => {
                let args: Vec<Content> = (0..data.args.len()).map(arg).collect::<Result<_>>()?;
                let types: Vec<Type> = data.args.iter().map(|arg| function.ty(*arg)).collect();
                match self.intrinsic(intrinsic.name(), &args, &types, data.ty)? {
                    Some(value) => value,
                    None => return Ok(Step::On),
                }
            }
            op => return Err(format!("{op:?} is not interpreted")),
        };
        if let Some(value) = data.result {
            values.insert(value, result);
        }
        Ok(Step::On)
    }

    fn cast(&self, op: CastOp, from: Type, to: Type, bits: Vec<u64>) -> Result<Content> {
        let (a, b) = (self.scalar(from)?, self.scalar(to)?);
        let (wide, narrow) = (self.width(from)?, self.width(to)?);
        if op == CastOp::BitCast && wide != narrow {
            // The first element has the lowest bits.
            let count = bits.len() * wide as usize;
            let bit = |i: usize| bits[i / wide as usize] >> (i % wide as usize) & 1;
            let element = |n: usize| {
                (0..narrow as usize)
                    .map(|i| bit(n * narrow as usize + i) << i)
                    .sum()
            };
            return Ok(Bits((0..count / narrow as usize).map(element).collect()));
        }
        let one = |bits: u64| {
            Ok(match op {
                CastOp::Trunc => bits & mask(narrow),
                CastOp::ZExt | CastOp::BitCast | CastOp::AddrSpaceCast => bits,
                CastOp::PtrToInt | CastOp::IntToPtr => bits & mask(narrow),
                CastOp::SExt => signed(bits, wide).cast_unsigned() & mask(narrow),
                CastOp::UiToFp => from_f64(b, bits as f64)?,
                CastOp::SiToFp => from_f64(b, signed(bits, wide) as f64)?,
                CastOp::FpToUi | CastOp::FpToSi => {
                    let n = to_f64(a, bits)?.trunc();
                    let (least, most) = match op {
                        CastOp::FpToUi => (0.0, 2f64.powi(narrow as i32)),
                        _ => (-2f64.powi(narrow as i32 - 1), 2f64.powi(narrow as i32 - 1)),
                    };
                    if !(least..most).contains(&n) {
                        return Err("a conversion out of range".to_string());
                    }
                    (n as i128) as u64 & mask(narrow)
                }
                CastOp::FpTrunc | CastOp::FpExt => from_f64(b, to_f64(a, bits)?)?,
            })
        };
        Ok(Bits(bits.into_iter().map(one).collect::<Result<_>>()?))
    }

    /// Element numbers of a region: its rows begin at byte offsets, one for all or one each.
    fn region(&self, of: Type, count: usize, args: &[Content]) -> Result<Vec<usize>> {
        let number = |n: usize| match &args[n] {
            Bits(bits) => Ok(bits.clone()),
            Members(_) => Err("an aggregate".to_string()),
        };
        let (vstride, width, stride) = (number(0)?[0], number(1)?[0] as usize, number(2)?[0]);
        let offsets = number(3)?;
        let size = u64::from(self.width(of)? / 8).max(1);
        if width == 0 || !count.is_multiple_of(width) {
            return Err("a region whose width is no part of it".to_string());
        }
        let element = |i: usize| {
            let (row, column) = (i / width, i % width);
            let start = match offsets.len() {
                1 => signed(offsets[0], 16).cast_unsigned() / size + row as u64 * vstride,
                _ => offsets[row] / size,
            };
            (start + column as u64 * stride) as usize
        };
        Ok((0..count).map(element).collect())
    }

    fn intrinsic(
        &mut self,
        name: &str,
        args: &[Content],
        types: &[Type],
        result: Type,
    ) -> Result<Option<Content>> {
        let bits = |n: usize| match args.get(n) {
            Some(Bits(bits)) => Ok(bits.clone()),
            _ => Err(format!("operand {n} of {name}")),
        };
        let width = types
            .first()
            .and_then(|ty| self.width(*ty).ok())
            .unwrap_or(1);
        let unary = |f: &dyn Fn(u64) -> u64| {
            Ok::<_, String>(Some(Bits(bits(0)?.into_iter().map(f).collect())))
        };
        let binary = |f: &dyn Fn(u64, u64) -> u64| {
            let pairs = bits(0)?.into_iter().zip(bits(1)?);
            Ok(Some(Bits(
                pairs.map(|(a, b)| f(a, b) & mask(width)).collect(),
            )))
        };
        let clamp = |n: i128, least: i128, most: i128| n.clamp(least, most) as u64;
        let (least, most) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
        let top = (1i128 << width) - 1;
        let s = |n: u64| i128::from(signed(n, width));
        match name {
            "genx.group.id.x" => Ok(Some(Bits(vec![self.group.into()]))),
            "genx.rdregioni" | "genx.rdregionf" => {
                let vector = bits(0)?;
                let (count, _) = self.module.types.shape(result).ok_or("no shape")?;
                let elements = self.region(types[0], count as usize, &args[1..])?;
                let all = elements
                    .iter()
                    .map(|i| vector.get(*i).copied().ok_or("a region behind the end"));
                Ok(Some(Bits(all.collect::<std::result::Result<_, _>>()?)))
            }
            "genx.wrregioni" | "genx.wrregionf" => {
                let (mut vector, new, mask) = (bits(0)?, bits(1)?, bits(7)?);
                let elements = self.region(types[0], new.len(), &args[2..])?;
                for (i, (at, value)) in elements.into_iter().zip(new).enumerate() {
                    let place = vector.get_mut(at).ok_or("a region behind the end")?;
                    if mask[if mask.len() == 1 { 0 } else { i }] & 1 != 0 {
                        *place = value;
                    }
                }
                Ok(Some(Bits(vector)))
            }
            "genx.rdpredregion" => {
                let (vector, from) = (bits(0)?, bits(1)?[0] as usize);
                let (count, _) = self.module.types.shape(result).ok_or("no shape")?;
                let part = vector.get(from..from + count as usize);
                Ok(Some(Bits(part.ok_or("a region behind the end")?.to_vec())))
            }
            "genx.wrpredregion" => {
                let (mut vector, new, from) = (bits(0)?, bits(1)?, bits(2)?[0] as usize);
                let part = vector.get_mut(from..from + new.len());
                part.ok_or("a region behind the end")?.copy_from_slice(&new);
                Ok(Some(Bits(vector)))
            }
            "genx.any" => Ok(Some(Bits(vec![bits(0)?.iter().any(|b| b & 1 != 0).into()]))),
            "genx.all" => Ok(Some(Bits(vec![bits(0)?.iter().all(|b| b & 1 != 0).into()]))),
            "genx.simdcf.goto" => {
                let (mut em, mut rm, condition) = (bits(0)?, bits(1)?, bits(2)?);
                let mut none = true;
                for i in 0..rm.len() {
                    rm[i] |= em[i] & (condition[i] ^ 1);
                    em[i] &= condition[i];
                    none &= em[i] == 0;
                }
                Ok(Some(Members(vec![
                    Bits(em),
                    Bits(rm),
                    Bits(vec![none.into()]),
                ])))
            }
            "genx.simdcf.join" => {
                let (mut em, rm) = (bits(0)?, bits(1)?);
                let mut none = true;
                for i in 0..rm.len() {
                    em[i] |= rm[i];
                    none &= em[i] == 0;
                }
                Ok(Some(Members(vec![Bits(em), Bits(vec![none.into()])])))
            }
            "genx.svm.block.ld" | "genx.svm.block.ld.unaligned" => {
                let (count, _) = self.module.types.shape(result).ok_or("no shape")?;
                let size = (self.width(result)? / 8) as usize;
                let part = self.memory.part(bits(0)?[0], count as usize * size)?;
                let one = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
                Ok(Some(Bits(part.chunks_exact(size).map(one).collect())))
            }
            "genx.svm.block.st" => {
                let (address, values) = (bits(0)?[0], bits(1)?);
                let size = (self.width(types[1])? / 8) as usize;
                let part = self.memory.part(address, values.len() * size)?;
                for (place, value) in part.chunks_exact_mut(size).zip(values) {
                    place.copy_from_slice(&value.to_le_bytes()[..size]);
                }
                Ok(None)
            }
            "smin" => binary(&|a, b| if s(a) < s(b) { a } else { b }),
            "smax" => binary(&|a, b| if s(a) > s(b) { a } else { b }),
            "umin" => binary(&|a, b| a.min(b)),
            "umax" => binary(&|a, b| a.max(b)),
            "sadd.sat" => binary(&|a, b| clamp(s(a) + s(b), least, most)),
            "ssub.sat" => binary(&|a, b| clamp(s(a) - s(b), least, most)),
            "uadd.sat" => binary(&|a, b| clamp(i128::from(a) + i128::from(b), 0, top)),
            "usub.sat" => binary(&|a, b| clamp(i128::from(a) - i128::from(b), 0, top)),
            "abs" => unary(&|a| s(a).unsigned_abs() as u64 & mask(width)),
            "ctpop" => unary(&|a| a.count_ones().into()),
            // Functions of dwords that the library of the front end is made of.
            "genx.cbit" => unary(&|a| a.count_ones().into()),
            "genx.lzd" => unary(&|a| (a as u32).leading_zeros().into()),
            "genx.fbl" => unary(&|a| match a as u32 {
                0 => u32::MAX.into(),
                a => a.trailing_zeros().into(),
            }),
            "genx.bfrev" => unary(&|a| (a as u32).reverse_bits().into()),
            "genx.absi" => unary(&|a| s(a).unsigned_abs() as u64 & mask(width)),
            "genx.inv" => unary(&|a| (1.0 / f32::from_bits(a as u32)).to_bits().into()),
            "genx.umulh" => binary(&|a, b| (a * b) >> 32),
            "ctlz" => unary(&|a| u64::from(a.leading_zeros()) - u64::from(64 - width)),
            "cttz" => unary(&|a| {
                if a == 0 {
                    width.into()
                } else {
                    a.trailing_zeros().into()
                }
            }),
            "bswap" => unary(&|a| a.swap_bytes() >> (64 - width)),
            "bitreverse" => unary(&|a| a.reverse_bits() >> (64 - width)),
            "fshl" | "fshr" => {
                let all = bits(0)?.into_iter().zip(bits(1)?).zip(bits(2)?);
                let one = |((a, b), by): ((u64, u64), u64)| {
                    let both = u128::from(a) << width | u128::from(b);
                    let by = (by % u64::from(width)) as u32;
                    let shifted = match name {
                        "fshl" => both << by >> width,
                        _ => both >> by,
                    };
                    shifted as u64 & mask(width)
                };
                Ok(Some(Bits(all.map(one).collect())))
            }
            _ => Err(format!("{name} is not interpreted")),
        }
    }
}

/// The step after an instruction.
enum Step {
    On,
    To(Block),
    Return(Option<Content>),
}

fn int_binary(op: BinaryOp, width: u32, a: u64, b: u64) -> Result<u64> {
    let (x, y) = (i128::from(signed(a, width)), i128::from(signed(b, width)));
    let by = || {
        u32::try_from(b)
            .ok()
            .filter(|by| *by < width)
            .ok_or("a shift by too much")
    };
    let zero = || {
        if b == 0 {
            Err("a division by zero")
        } else {
            Ok(())
        }
    };
    let bits = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a << by()?,
        BinaryOp::LShr => a >> by()?,
        BinaryOp::AShr => (x >> by()?) as u64,
        BinaryOp::UDiv => {
            zero()?;
            a / b
        }
        BinaryOp::URem => {
            zero()?;
            a % b
        }
        BinaryOp::SDiv => {
            zero()?;
            (x / y) as u64
        }
        BinaryOp::SRem => {
            zero()?;
            (x % y) as u64
        }
        _ => return Err("floats".to_string()),
    };
    Ok(bits & mask(width))
}

fn int_relation(rel: IntRel, width: u32, a: u64, b: u64) -> bool {
    let (x, y) = (signed(a, width), signed(b, width));
    match rel {
        IntRel::Eq => a == b,
        IntRel::Ne => a != b,
        IntRel::Ugt => a > b,
        IntRel::Uge => a >= b,
        IntRel::Ult => a < b,
        IntRel::Ule => a <= b,
        IntRel::Sgt => x > y,
        IntRel::Sge => x >= y,
        IntRel::Slt => x < y,
        IntRel::Sle => x <= y,
    }
}

fn to_f64(scalar: Scalar, bits: u64) -> Result<f64> {
    match scalar {
        Scalar::Float => Ok(f32::from_bits(bits as u32).into()),
        Scalar::Double => Ok(f64::from_bits(bits)),
        _ => Err("only float and double are interpreted".to_string()),
    }
}

fn from_f64(scalar: Scalar, n: f64) -> Result<u64> {
    match scalar {
        Scalar::Float => Ok((n as f32).to_bits().into()),
        Scalar::Double => Ok(n.to_bits()),
        _ => Err("only float and double are interpreted".to_string()),
    }
}

/// An operation of floats; a float's result is that of the double, rounded once more, which changes nothing.
fn float_binary(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> Result<u64> {
    let (a, b) = (to_f64(scalar, a)?, to_f64(scalar, b)?);
    from_f64(
        scalar,
        match op {
            BinaryOp::FAdd => a + b,
            BinaryOp::FSub => a - b,
            BinaryOp::FMul => a * b,
            BinaryOp::FDiv => a / b,
            _ => return Err("no operation of floats".to_string()),
        },
    )
}
