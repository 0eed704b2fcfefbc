//! Metadata.
//!
//! Kept are nodes, strings, numbers and functions, and of debug information the places of instructions.

use smol_str::SmolStr;

use super::stream::Stream;
use super::{Global, Reader, block};
use crate::error::Result;
use crate::ir::{Const, FunctionId, Meta, MetaId, Scalar, TypeData, Types};

use super::constants::Kind;
use super::function::Body;

/// Codes of records.
mod code {
    pub const STRING_OLD: u64 = 1;
    pub const VALUE: u64 = 2;
    pub const NODE: u64 = 3;
    pub const NAME: u64 = 4;
    pub const DISTINCT_NODE: u64 = 5;
    pub const KIND: u64 = 6;
    pub const LOCATION: u64 = 7;
    pub const NAMED_NODE: u64 = 10;
    pub const ATTACHMENT: u64 = 11;
    pub const FILE: u64 = 16;
    pub const SUBPROGRAM: u64 = 21;
    pub const LEXICAL_BLOCK: u64 = 22;
    pub const LEXICAL_BLOCK_FILE: u64 = 23;
    pub const STRINGS: u64 = 35;
    pub const GLOBAL_DECL_ATTACHMENT: u64 = 36;
    pub const INDEX_OFFSET: u64 = 38;
    pub const INDEX: u64 = 39;
}

impl Reader<'_> {
    /// Reads a block of metadata: the module's, or a function's, whose numbers end with the function.
    pub(super) fn metadata_block(&mut self) -> Result<()> {
        let mut name = SmolStr::default();
        self.records(block::METADATA, |reader| reader.metadata_record(&mut name))
    }

    /// Reads the numbers of kinds of nodes.
    pub(super) fn metadata_kinds(&mut self) -> Result<()> {
        self.records(block::METADATA_KINDS, |reader| {
            if reader.record.code == code::KIND && reader.text(1) == "llvm.loop" {
                reader.loop_kind = Some(reader.op(0)?);
            }
            Ok(())
        })
    }

    /// Reads which nodes the instructions of a function name: the instruction's number, then kinds and nodes.
    pub(super) fn attachments(&mut self, id: FunctionId, body: &Body) -> Result<()> {
        self.records(block::METADATA_ATTACHMENT, |reader| {
            let [number, pairs @ ..] = &*reader.record.ops.clone() else {
                return Ok(());
            };
            // Attachments of the function itself are pairs without a number.
            if reader.record.code != code::ATTACHMENT || !pairs.len().is_multiple_of(2) {
                return Ok(());
            }
            let number = usize::try_from(*number).unwrap_or(usize::MAX);
            let inst = body.insts.get(number).copied().flatten();
            for pair in pairs.chunks_exact(2) {
                if let Some(inst) = inst.filter(|_| Some(pair[0]) == reader.loop_kind) {
                    let node = reader.node(pair[1]);
                    reader.loops.push((id, inst, node));
                }
            }
            Ok(())
        })
    }

    /// Node of a number.
    pub(super) fn node(&mut self, number: u64) -> MetaId {
        let meta = &mut self.module.meta;
        *self
            .meta
            .entry(number)
            .or_insert_with(|| meta.push(Meta::Null))
    }

    /// Node of a number plus 1; `Null` for 0.
    fn node_or_null(&mut self, number: u64) -> MetaId {
        match number.checked_sub(1) {
            Some(number) => self.node(number),
            None => self.module.meta.push(Meta::Null),
        }
    }

    fn add(&mut self, content: Meta) {
        let id = self.node(self.meta_count);
        self.module.meta[id] = content;
        self.meta_count += 1;
    }

    fn metadata_record(&mut self, name: &mut SmolStr) -> Result<()> {
        match self.record.code {
            code::STRINGS => return self.strings(),
            code::NAME => *name = self.text(0),
            code::NAMED_NODE => {
                let numbers = self.record.ops.clone();
                let nodes: Vec<MetaId> = numbers.iter().map(|n| self.node(*n)).collect();
                let named = self.module.named_meta.entry(std::mem::take(name));
                named.or_default().extend(nodes);
            }
            code::KIND | code::GLOBAL_DECL_ATTACHMENT | code::INDEX_OFFSET | code::INDEX => {}
            code::STRING_OLD => {
                let text = self.text(0);
                self.add(Meta::String(text));
            }
            code::VALUE => {
                let (ty, value) = (self.op(0)?, self.op(1)?);
                self.ty(ty)?;
                let content = self.meta_value(value);
                self.add(content);
            }
            code::NODE | code::DISTINCT_NODE => {
                let numbers = self.record.ops.clone();
                let nodes = numbers.iter().map(|n| self.node_or_null(*n)).collect();
                self.add(Meta::Node(nodes));
            }
            code::LOCATION => {
                let (line, column, scope) = (self.op(1)?, self.op(2)?, self.op(3)?);
                let scope = self.node(scope);
                let content = self.location(line, column, Some(scope));
                self.add(content);
            }
            code::FILE => self.named("DIFile", &[("filename", 1), ("directory", 2)]),
            code::SUBPROGRAM => self.named("DISubprogram", &[("scope", 1), ("file", 4)]),
            code::LEXICAL_BLOCK | code::LEXICAL_BLOCK_FILE => {
                self.named("DILexicalBlock", &[("scope", 1), ("file", 2)]);
            }
            _ => self.add(Meta::Other),
        }
        Ok(())
    }

    /// Adds a node of debug information with the nodes that some of its fields name.
    fn named(&mut self, kind: &str, fields: &[(&str, usize)]) {
        let mut named = Vec::new();
        for &(name, at) in fields {
            let number = self.record.ops.get(at).copied().unwrap_or(0);
            if number > 0 {
                named.push((name.into(), self.node(number - 1)));
            }
        }
        self.add(Meta::Named(kind.into(), named));
    }

    /// Content of a node with the place of an instruction in its source.
    pub(super) fn location(&mut self, line: u64, column: u64, scope: Option<MetaId>) -> Meta {
        let mut fields = Vec::new();
        for (name, number) in [("line", line), ("column", column)] {
            let number = i64::try_from(number).map_or(Meta::Other, Meta::Int);
            fields.push((name.into(), self.module.meta.push(number)));
        }
        fields.extend(scope.map(|scope| ("scope".into(), scope)));
        Meta::Named("DILocation".into(), fields)
    }

    /// Count, then a blob: lengths as a stream of their own up to an offset, the characters after it.
    fn strings(&mut self) -> Result<()> {
        let (count, offset) = (self.op(0)?, self.op(1)?);
        let blob = self.record.blob.unwrap_or_default();
        let parts = usize::try_from(offset)
            .ok()
            .and_then(|at| blob.split_at_checked(at));
        let Some((lengths, mut chars)) = parts else {
            return Err(self.fail("the strings begin after their end"));
        };
        if count > 8 * lengths.len() as u64 {
            return Err(self.fail("there are fewer lengths than strings"));
        }
        let mut lengths = Stream::new(lengths, self.record.at);
        for _ in 0..count {
            let length = usize::try_from(lengths.length()?).unwrap_or(usize::MAX);
            let Some((string, rest)) = chars.split_at_checked(length) else {
                return Err(self.fail("a string ends after the others"));
            };
            chars = rest;
            self.add(Meta::String(String::from_utf8_lossy(string).into()));
        }
        Ok(())
    }

    /// Function or number of a value of the module.
    fn meta_value(&self, value: u64) -> Meta {
        let value = usize::try_from(value).ok().and_then(|n| self.values.get(n));
        let number = match value {
            Some(Global::Function(id, _)) => return Meta::Function(*id),
            Some(Global::Constant(number)) => *number,
            _ => return Meta::Other,
        };
        let constant = &self.constants[number];
        let TypeData::Scalar(Scalar::Int(width @ 1..=64)) = *self.module.types.data(constant.ty)
        else {
            return Meta::Other;
        };
        match constant.kind {
            Kind::Plain(Const::Zero) => Meta::Int(0),
            Kind::Plain(Const::Bits(bits)) if constant.ty == Types::I1 => {
                Meta::Int((bits & 1) as i64)
            }
            Kind::Plain(Const::Bits(bits)) => {
                let shift = 64 - width;
                Meta::Int((bits << shift).cast_signed() >> shift)
            }
            _ => Meta::Other,
        }
    }
}
