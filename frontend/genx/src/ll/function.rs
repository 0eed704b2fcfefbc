//! Bodies of functions in text: blocks, names, operands.

use std::collections::HashMap;

use smol_str::{SmolStr, format_smolstr};

use crate::error::{Code, Diagnostic, Loc, Result};
use crate::ir::function::ValueData;
use crate::ir::rules::{self, Constants};
use crate::ir::{Block, Function, Inst, MetaId, Type, Types, Value, ValueDef};

use super::Parser;
use super::lexer::Token;
use super::metadata::Attachments;

/// A function that is being read.
pub(crate) struct Body {
    pub function: Function,
    locals: HashMap<SmolStr, Value>,
    blocks: HashMap<SmolStr, Block>,
    /// Uses before the definition, with the place of the first.
    forward: HashMap<SmolStr, Loc>,
    forward_blocks: HashMap<SmolStr, Loc>,
    pub constants: Constants,
    /// Number of the next value or block without a name.
    next: u32,
    /// Branches with nodes of `!llvm.loop`.
    loops: Vec<(Inst, MetaId)>,
}

impl Body {
    pub fn new(function: Function) -> Body {
        Body {
            function,
            locals: HashMap::new(),
            blocks: HashMap::new(),
            forward: HashMap::new(),
            forward_blocks: HashMap::new(),
            constants: Constants::default(),
            next: 0,
            loops: Vec::new(),
        }
    }
}

impl Parser<'_> {
    pub(super) fn definition(&mut self) -> Result<()> {
        let (id, function) = self.header()?;
        let mut body = Body::new(function);
        for param in body.function.params.clone() {
            let name = body.function.values[param].name.clone();
            if name == format_smolstr!("{}", body.next) {
                body.next += 1;
            }
            self.define(&mut body, name, param)?;
        }
        self.lex.expect(b'{')?;
        while !self.lex.is(b'}') {
            match self.lex.is_word("uselistorder") || self.lex.is_word("uselistorder_bb") {
                true => self.skip_use_list()?,
                false => self.block(&mut body)?,
            }
        }
        self.lex.expect(b'}')?;
        self.close(&mut body)?;
        let loops = body.loops.iter().map(|(inst, node)| (id, *inst, *node));
        self.loops.extend(loops);
        self.add_function(id, body.function)
    }

    /// Ends a function: all that was used must be there.
    fn close(&mut self, body: &mut Body) -> Result<()> {
        let missing = body.forward.iter().chain(&body.forward_blocks);
        let first = missing.min_by_key(|(_, loc)| (loc.line, loc.column));
        if let Some((name, loc)) = first {
            let message = format!("%{name} is not defined");
            return Err(Diagnostic::new(Code::Name, *loc, message));
        }
        if body.function.is_declaration() {
            return self.lex.error("a function without instructions");
        }
        // Blocks were numbered in the order of their uses.
        body.function.number_blocks();
        body.constants.close(&mut body.function);
        Ok(())
    }

    /// Gives a name to a value; a use before it gets the value's definition.
    fn define(&mut self, body: &mut Body, name: SmolStr, value: Value) -> Result<()> {
        if body.locals.insert(name.clone(), value).is_some() {
            let message = format!("%{name} is defined twice");
            return Err(Diagnostic::new(Code::Name, self.lex.loc(), message));
        }
        Ok(())
    }

    fn block(&mut self, body: &mut Body) -> Result<()> {
        let name = match self.lex.token().clone() {
            Token::Label(name) => {
                self.lex.take()?;
                if name == format_smolstr!("{}", body.next) {
                    body.next += 1;
                }
                name
            }
            _ => {
                body.next += 1;
                format_smolstr!("{}", body.next - 1)
            }
        };
        let block = match body.blocks.get(&name) {
            Some(block) if body.forward_blocks.remove(&name).is_some() => *block,
            Some(_) => {
                let message = format!("block %{name} is defined twice");
                return Err(Diagnostic::new(Code::Name, self.lex.loc(), message));
            }
            None => self.new_block(body, name),
        };
        body.function.order.push(block);
        loop {
            let inst = self.named_instruction(body)?;
            let Some(inst) = inst else { continue };
            body.function.blocks[block].insts.push(inst);
            if body.function.insts[inst].op.is_terminator() {
                return Ok(());
            }
        }
    }

    fn new_block(&mut self, body: &mut Body, name: SmolStr) -> Block {
        let block = body.function.blocks.push(Default::default());
        body.function.blocks[block].name = name.clone();
        body.blocks.insert(name, block);
        block
    }

    /// Block of a label; a forward reference creates it.
    pub(super) fn label(&mut self, body: &mut Body) -> Result<Block> {
        let loc = self.lex.loc();
        let Token::Local(name) = self.lex.token().clone() else {
            return self.lex.expected("a label");
        };
        self.lex.take()?;
        if let Some(block) = body.blocks.get(&name) {
            return Ok(*block);
        }
        body.forward_blocks.insert(name.clone(), loc);
        Ok(self.new_block(body, name))
    }

    /// An instruction with the name of its result; `None` for one that says nothing to a compiler.
    fn named_instruction(&mut self, body: &mut Body) -> Result<Option<Inst>> {
        let loc = self.lex.loc();
        let name = match self.lex.token().clone() {
            Token::Local(name) => {
                self.lex.take()?;
                self.lex.expect(b'=')?;
                Some(name)
            }
            _ => None,
        };
        let Some(mut data) = self.instruction(body)? else {
            return Ok(None);
        };
        data.loc = loc;
        let mut attached = Attachments::default();
        if self.lex.eat(b',')? {
            attached = self.attachments()?;
        }
        data.dbg = attached.dbg;
        if data.ty == Types::VOID {
            if name.is_some() {
                return Err(Diagnostic::new(
                    Code::Syntax,
                    loc,
                    "there is no result to be named",
                ));
            }
            let inst = body.function.make(data);
            body.loops.extend(attached.in_loop.map(|node| (inst, node)));
            return Ok(Some(inst));
        }
        let numbered = name.is_none();
        let name = name.unwrap_or_else(|| format_smolstr!("{}", body.next));
        if numbered || name == format_smolstr!("{}", body.next) {
            body.next += 1;
        }
        let ty = data.ty;
        if body.forward.remove(&name).is_some() {
            let value = body.locals[&name];
            let used = body.function.ty(value);
            if !rules::fits(&self.module.types, used, ty) {
                let types = &self.module.types;
                let message = format!(
                    "%{name} was used as {} and is {}",
                    types.name(used),
                    types.name(ty)
                );
                return Err(Diagnostic::new(Code::Mismatch, loc, message));
            }
            data.result = Some(value);
            let inst = body.function.make(data);
            body.function.values[value].def = ValueDef::Inst(inst);
            return Ok(Some(inst));
        }
        let inst = body.function.make(data);
        if let Some(value) = body.function.insts[inst].result {
            body.function.values[value].name = name.clone();
            self.define(body, name, value)?;
        }
        Ok(Some(inst))
    }

    /// An operand of a type.
    pub(super) fn value(&mut self, body: &mut Body, ty: Type) -> Result<Value> {
        let Token::Local(name) = self.lex.token().clone() else {
            return self.constant(body, ty, 0);
        };
        let loc = self.lex.loc();
        self.lex.take()?;
        if let Some(&value) = body.locals.get(&name) {
            let found = body.function.ty(value);
            let types = &self.module.types;
            if !rules::fits(types, found, ty) {
                let message = format!("%{name} is {}, not {}", types.name(found), types.name(ty));
                return Err(Diagnostic::new(Code::Mismatch, loc, message));
            }
            return Ok(value);
        }
        if ty == Types::VOID || ty == Types::LABEL {
            return Err(Diagnostic::new(Code::Type, loc, "no value has this type"));
        }
        let value = body.function.values.push(ValueData {
            ty,
            def: ValueDef::Forward,
            name: name.clone(),
        });
        body.locals.insert(name.clone(), value);
        body.forward.insert(name, loc);
        Ok(value)
    }

    /// A type and an operand of it.
    pub(super) fn typed_value(&mut self, body: &mut Body) -> Result<Value> {
        let ty = self.ty()?;
        self.value(body, ty)
    }
}

impl Body {
    /// Type of a local name that was used or defined.
    pub fn type_of(&self, name: &str) -> Option<Type> {
        self.locals.get(name).map(|value| self.function.ty(*value))
    }
}
