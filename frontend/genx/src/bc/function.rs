//! Bodies of functions: blocks, the numbers of values, names.

use std::collections::{BTreeMap, HashMap};

use smol_str::{SmolStr, format_smolstr};

use super::inst::code::CALL;
use super::stream::Entry;
use super::{Reader, block};
use crate::error::{Code, Diagnostic, Loc, Result};
use crate::ir::function::ValueData;
use crate::ir::rules::{self, Constants};
use crate::ir::{Block, Function, Inst, InstData, MetaId, Op, Type, Types, Value, ValueDef};

/// Codes of records that are no instructions.
mod code {
    pub const DECLAREBLOCKS: u64 = 1;
    pub const DEBUG_LOC_AGAIN: u64 = 33;
    pub const DEBUG_LOC: u64 = 35;
    pub const VST_ENTRY: u64 = 1;
    pub const VST_BBENTRY: u64 = 2;
}

/// Value of a function.
#[derive(Clone, Copy)]
pub(super) enum Local {
    Value(Value),
    /// Number of a constant.
    Constant(usize),
}

/// A function that is being read.
pub(super) struct Body {
    pub function: Function,
    pub constants: Constants,
    /// Values of constants that were used.
    pub made: HashMap<usize, Value>,
    /// Number of the first value of the function.
    pub base: usize,
    pub locals: Vec<Local>,
    /// Uses before the definition, by number, with the place of the first.
    forward: BTreeMap<usize, (Value, Loc)>,
    /// Block that instructions are added to; `None` after the last.
    current: Option<usize>,
    /// Last instruction, unless it was left out.
    last: Option<Inst>,
    /// By number: instructions, those that were left out, too.
    pub insts: Vec<Option<Inst>>,
    dbg: Option<MetaId>,
}

impl Body {
    pub fn new(function: Function, base: usize) -> Body {
        Body {
            function,
            constants: Constants::default(),
            made: HashMap::new(),
            base,
            locals: Vec::new(),
            forward: BTreeMap::new(),
            current: Some(0),
            last: None,
            insts: Vec::new(),
            dbg: None,
        }
    }

    /// Number of the next value.
    fn next(&self) -> usize {
        self.base + self.locals.len()
    }
}

impl Reader<'_> {
    pub(super) fn function_block(&mut self) -> Result<()> {
        let Some(id) = self.bodies.pop_front() else {
            return Err(self.fail("a body of no function"));
        };
        let place = Function::new(SmolStr::default(), Types::VOID);
        let function = std::mem::replace(&mut self.module.functions[id], place);
        let mut body = Body::new(function, self.values.len());
        let params = body
            .function
            .params
            .iter()
            .map(|param| Local::Value(*param));
        body.locals.extend(params.collect::<Vec<_>>());
        let (constants, meta) = (self.constants.len(), self.meta_count);
        self.stream.enter(block::FUNCTION)?;
        loop {
            match self.entry()? {
                Entry::Block(block::CONSTANTS) => {
                    let numbers = self.constants_block()?;
                    body.locals.extend(numbers.map(Local::Constant));
                }
                Entry::Block(block::METADATA) => self.metadata_block()?,
                Entry::Block(block::METADATA_ATTACHMENT) => self.attachments(id, &body)?,
                Entry::Block(block::VALUE_SYMTAB) => self.names(&mut body)?,
                Entry::Block(_) => self.stream.skip()?,
                Entry::Record => self.function_record(&mut body)?,
                Entry::End => break,
            }
        }
        self.close(&mut body)?;
        self.constants.truncate(constants);
        for number in meta..self.meta_count {
            self.meta.remove(&number);
        }
        self.meta_count = meta;
        self.module.functions[id] = body.function;
        Ok(())
    }

    fn function_record(&mut self, body: &mut Body) -> Result<()> {
        match self.record.code {
            code::DECLAREBLOCKS => {
                // Each block has a record of its own at least, so that more than bytes are none.
                let count = self.op(0)?;
                if count == 0 || count > self.stream.bytes_left() || !body.function.order.is_empty()
                {
                    return Err(self.fail(format!("{count} blocks")));
                }
                for _ in 0..count {
                    let block = body.function.blocks.push(Default::default());
                    body.function.order.push(block);
                }
                Ok(())
            }
            code::DEBUG_LOC => {
                let (line, column) = (self.op(0)?, self.op(1)?);
                let scope = self.op(2)?.checked_sub(1).map(|scope| self.node(scope));
                let content = self.location(line, column, scope);
                body.dbg = Some(self.module.meta.push(content));
                self.set_dbg(body);
                Ok(())
            }
            code::DEBUG_LOC_AGAIN => {
                self.set_dbg(body);
                Ok(())
            }
            _ => self.instruction_record(body),
        }
    }

    fn set_dbg(&self, body: &mut Body) {
        if let Some(inst) = body.last {
            body.function.insts[inst].dbg = body.dbg;
        }
    }

    fn instruction_record(&mut self, body: &mut Body) -> Result<()> {
        let Some(block) = body
            .current
            .and_then(|n| body.function.order.get(n))
            .copied()
        else {
            return Err(self.fail("an instruction after the last block"));
        };
        let Some(mut data) = self.instruction(body)? else {
            body.last = None;
            // A call that says nothing to a compiler has a number, unlike a record that is no instruction.
            if self.record.code == CALL {
                body.insts.push(None);
            }
            return Ok(());
        };
        data.loc = self.loc();
        let inst = self.define(body, data)?;
        body.last = Some(inst);
        body.insts.push(Some(inst));
        body.function.blocks[block].insts.push(inst);
        if body.function.insts[inst].op.is_terminator() {
            body.current = body.current.map(|n| n + 1);
        }
        Ok(())
    }

    /// Makes an instruction and gives its result the next number.
    fn define(&mut self, body: &mut Body, mut data: InstData) -> Result<Inst> {
        if data.ty == Types::VOID {
            return Ok(body.function.make(data));
        }
        let number = body.next();
        let forward = body.forward.remove(&number);
        if let Some((value, _)) = forward {
            let (used, types) = (body.function.ty(value), &self.module.types);
            if !rules::fits(types, used, data.ty) {
                let message = format!(
                    "a value was used as {} and is {}",
                    types.name(used),
                    types.name(data.ty)
                );
                return Err(self.refused(Code::Mismatch, message));
            }
            data.result = Some(value);
        }
        let inst = body.function.make(data);
        if let Some(value) = body.function.insts[inst].result {
            body.function.values[value].def = ValueDef::Inst(inst);
            body.locals.push(Local::Value(value));
        }
        Ok(inst)
    }

    /// Value of a number; `ty` is its type if it is not defined yet.
    pub(super) fn value(
        &mut self,
        body: &mut Body,
        number: u64,
        ty: Option<Type>,
    ) -> Result<Value> {
        let local = usize::try_from(number)
            .ok()
            .and_then(|n| n.checked_sub(body.base));
        let value = match local.map(|n| body.locals.get(n)) {
            Some(Some(Local::Value(value))) => *value,
            Some(None) => {
                let number = number as usize;
                let Some(ty) = ty.filter(|ty| *ty != Types::VOID && *ty != Types::LABEL) else {
                    return Err(self.fail(format!(
                        "value {number} is not defined yet, and has no type"
                    )));
                };
                let forward = body.forward.get(&number).map(|(value, _)| *value);
                forward.unwrap_or_else(|| {
                    let value = body.function.values.push(ValueData {
                        ty,
                        def: ValueDef::Forward,
                        name: SmolStr::default(),
                    });
                    body.forward.insert(number, (value, self.loc()));
                    value
                })
            }
            _ => self.constant(body, number)?,
        };
        let (found, types) = (body.function.ty(value), &self.module.types);
        match ty.filter(|ty| !rules::fits(types, found, *ty)) {
            Some(ty) => {
                let message = format!("a value is {}, not {}", types.name(found), types.name(ty));
                Err(self.refused(Code::Mismatch, message))
            }
            None => Ok(value),
        }
    }

    /// Number of a value that is named by its distance from the next one.
    pub(super) fn absolute(&self, body: &Body, distance: u64) -> u64 {
        // The distance of a value that is not defined yet is negative, in 32 bits.
        let next = body.next() as u64;
        u64::from((next as u32).wrapping_sub(distance as u32))
    }

    /// Reads names of values and blocks.
    fn names(&mut self, body: &mut Body) -> Result<()> {
        let (base, mut found) = (body.base, Vec::new());
        self.records(block::VALUE_SYMTAB, |reader| {
            let number = usize::try_from(reader.op(0)?).unwrap_or(usize::MAX);
            let name = reader.text(1);
            match reader.record.code {
                code::VST_ENTRY => found.push((false, number, name)),
                code::VST_BBENTRY => found.push((true, number, name)),
                _ => {}
            }
            Ok(())
        })?;
        for (is_block, number, name) in found {
            if is_block {
                if let Some(block) = body.function.order.get(number) {
                    body.function.blocks[*block].name = name;
                }
                continue;
            }
            let local = number.checked_sub(base).and_then(|n| body.locals.get(n));
            if let Some(Local::Value(value)) = local {
                body.function.values[*value].name = name;
            }
        }
        Ok(())
    }

    /// Ends a function: all that was used must be there, and what has no name gets its number.
    fn close(&mut self, body: &mut Body) -> Result<()> {
        let first = body
            .forward
            .values()
            .map(|(_, loc)| *loc)
            .min_by_key(|loc| loc.byte);
        if let Some(loc) = first {
            return Err(Diagnostic::new(
                Code::Name,
                loc,
                "a value is used that is not defined",
            ));
        }
        if body.function.order.is_empty() || body.current != Some(body.function.order.len()) {
            return Err(self.fail("a block has no end"));
        }
        let mut next = 0;
        let number = |name: &mut SmolStr| {
            if name.is_empty() {
                *name = format_smolstr!("{next}");
                next += 1;
            }
        };
        body.function.visit_names(number);
        body.constants.close(&mut body.function);
        Ok(())
    }

    /// Block of a number.
    pub(super) fn block(&self, body: &Body, number: u64) -> Result<Block> {
        let block = usize::try_from(number)
            .ok()
            .and_then(|n| body.function.order.get(n));
        match block {
            Some(block) => Ok(*block),
            None => Err(self.fail(format!("there is no block {number}"))),
        }
    }

    /// Instruction of an operation that has these operands; `stated` is the type that it names.
    pub(super) fn make(
        &mut self,
        body: &Body,
        op: Op,
        args: smallvec::SmallVec<[Value; 3]>,
        stated: Type,
    ) -> Result<InstData> {
        let ty = rules::check(&mut self.module.types, &body.function, &op, &args, stated);
        Ok(rules::data(op, args, self.placed(ty)?))
    }
}
