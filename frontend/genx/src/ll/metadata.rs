//! Metadata in text.
//!
//! Kept are nodes, strings, numbers and functions, and of the nodes of debug information the fields that say where
//! an instruction is in its source.

use crate::error::Result;
use crate::ir::{Meta, MetaId};

use super::Parser;
use super::lexer::Token;

/// Nesting of nodes within nodes that is followed.
const MAX_DEPTH: u32 = 64;

/// Nodes of metadata that an instruction names.
#[derive(Default)]
pub(super) struct Attachments {
    pub dbg: Option<MetaId>,
    pub in_loop: Option<MetaId>,
}

impl Parser<'_> {
    /// `!0 = ...` or `!name = !{...}`, at its first token.
    pub(super) fn metadata_definition(&mut self) -> Result<()> {
        match self.lex.take()? {
            Token::MetaId(n) => {
                self.lex.expect(b'=')?;
                self.lex.eat_word("distinct")?;
                let id = self.numbered(n);
                let node = self.node(0)?;
                let content = self.module.meta[node].clone();
                self.module.meta[id] = content;
            }
            Token::Meta(name) => {
                self.lex.expect(b'=')?;
                let node = self.node(0)?;
                let items = self.module.node(node).to_vec();
                self.module
                    .named_meta
                    .entry(name)
                    .or_default()
                    .extend(items);
            }
            _ => return self.lex.expected("the definition of a node"),
        }
        Ok(())
    }

    fn numbered(&mut self, n: u32) -> MetaId {
        let meta = &mut self.module.meta;
        *(self.numbered_meta.entry(n)).or_insert_with(|| meta.push(Meta::Null))
    }

    /// A node, a reference to one, or a string.
    pub(super) fn node(&mut self, depth: u32) -> Result<MetaId> {
        if depth > MAX_DEPTH {
            return self.lex.error("nodes are nested too deeply");
        }
        let content = match self.lex.token().clone() {
            Token::MetaId(n) => {
                self.lex.take()?;
                return Ok(self.numbered(n));
            }
            Token::Bang => {
                self.lex.take()?;
                match self.lex.token() {
                    Token::Str(_) => Meta::String(self.lex.string()?),
                    _ => Meta::Node(self.node_items(depth)?),
                }
            }
            Token::Meta(name) => {
                self.lex.take()?;
                let fields = self.fields(depth)?;
                Meta::Named(name, fields)
            }
            Token::Word("null") => {
                self.lex.take()?;
                Meta::Null
            }
            Token::Word("distinct") => {
                self.lex.take()?;
                return self.node(depth + 1);
            }
            _ => self.meta_value()?,
        };
        Ok(self.module.meta.push(content))
    }

    fn node_items(&mut self, depth: u32) -> Result<Vec<MetaId>> {
        self.lex.expect(b'{')?;
        let mut items = Vec::new();
        while !self.lex.is(b'}') {
            items.push(self.node(depth + 1)?);
            if !self.lex.eat(b',')? {
                break;
            }
        }
        self.lex.expect(b'}')?;
        Ok(items)
    }

    /// `type value` in a node.
    fn meta_value(&mut self) -> Result<Meta> {
        self.ty()?;
        let meta = match self.lex.token().clone() {
            Token::Int(text) => match text.parse() {
                Ok(n) => Meta::Int(n),
                Err(_) => Meta::Other,
            },
            Token::Word("true") => Meta::Int(1),
            Token::Word("false") => Meta::Int(0),
            Token::Global(name) => {
                let function = self.module.function_names.get(&name);
                match function {
                    Some(id) => Meta::Function(*id),
                    // A function that is defined later: its name is kept, and looked up then.
                    None => Meta::String(format!("@{name}").into()),
                }
            }
            _ => {
                self.skip_value()?;
                return Ok(Meta::Other);
            }
        };
        self.lex.take()?;
        Ok(meta)
    }

    /// Skips a value up to the comma or bracket after it.
    fn skip_value(&mut self) -> Result<()> {
        let mut depth = 0u32;
        loop {
            match self.lex.token() {
                Token::End => return self.lex.expected("a value"),
                Token::Punct(b'(' | b'[' | b'{' | b'<') => depth += 1,
                Token::Punct(b')' | b']' | b'}' | b'>') if depth == 0 => return Ok(()),
                Token::Punct(b')' | b']' | b'}' | b'>') => depth -= 1,
                Token::Punct(b',') if depth == 0 => return Ok(()),
                _ => {}
            }
            self.lex.take()?;
        }
    }

    /// Fields of a node of debug information.
    fn fields(&mut self, depth: u32) -> Result<Vec<(smol_str::SmolStr, MetaId)>> {
        let mut fields = Vec::new();
        self.lex.expect(b'(')?;
        while !self.lex.is(b')') {
            let name = match self.lex.token().clone() {
                Token::Label(name) => {
                    self.lex.take()?;
                    Some(name)
                }
                _ => None,
            };
            let content = match self.lex.token().clone() {
                Token::Int(text) => {
                    self.lex.take()?;
                    Some(text.parse().map_or(Meta::Other, Meta::Int))
                }
                Token::Str(_) => Some(Meta::String(self.lex.string()?)),
                Token::MetaId(n) => {
                    self.lex.take()?;
                    let id = self.numbered(n);
                    fields.extend(name.clone().map(|name| (name, id)));
                    None
                }
                Token::Bang | Token::Meta(_) => {
                    let id = self.node(depth + 1)?;
                    fields.extend(name.clone().map(|name| (name, id)));
                    None
                }
                _ => {
                    self.skip_value()?;
                    None
                }
            };
            if let (Some(name), Some(content)) = (name, content) {
                let id = self.module.meta.push(content);
                fields.push((name, id));
            }
            if !self.lex.eat(b',')? && !self.lex.is(b'|') {
                break;
            }
            while self.lex.eat(b'|')? {
                self.skip_value()?;
            }
        }
        self.lex.expect(b')')?;
        Ok(fields)
    }

    /// `, !name !0` after an instruction or a definition.
    pub(super) fn attachments(&mut self) -> Result<Attachments> {
        let mut found = Attachments::default();
        loop {
            let is_meta = |token: &Token| matches!(token, Token::Meta(_));
            if !is_meta(self.lex.token()) {
                return Ok(found);
            }
            let Token::Meta(name) = self.lex.take()? else {
                return Ok(found);
            };
            let node = self.node(0)?;
            match name.as_str() {
                "dbg" => found.dbg = Some(node),
                "llvm.loop" => found.in_loop = Some(node),
                _ => {}
            }
            if !self.lex.is(b',') {
                return Ok(found);
            }
            // Only another attachment can follow the comma.
            self.lex.take()?;
        }
    }
}
