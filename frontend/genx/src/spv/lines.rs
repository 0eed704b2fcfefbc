//! Lines of the source: `OpLine`, and `DebugLine` of the debug information.
//!
//! Each becomes a node of metadata as that of `!dbg`, the same node for the same place.

use std::collections::HashMap;

use cranelift_entity::PrimaryMap;
use smol_str::SmolStr;
use spirv::Op;

use super::Reader;
use crate::error::Result;
use crate::ir::{Meta, MetaId};

/// Places that are known, and that of the next instructions.
#[derive(Default)]
pub(super) struct Lines {
    nodes: HashMap<(SmolStr, u32, u32), MetaId>,
    /// Texts of files, by the results of the nodes of debug information that name them.
    pub sources: HashMap<u32, SmolStr>,
    pub here: Option<MetaId>,
}

impl Reader<'_> {
    /// Reads an instruction with source lines; false for any other.
    pub(super) fn line_inst(&mut self) -> Result<bool> {
        match self.opcode() {
            Some(Op::Line) => {
                let file = self.strings.get(&self.op(0)?).cloned();
                self.set_line(file.unwrap_or_default(), self.op(1)?, self.op(2)?);
            }
            Some(Op::NoLine) => self.lines.here = None,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Sets the place of the next instructions.
    pub(super) fn set_line(&mut self, file: SmolStr, line: u32, column: u32) {
        let meta = &mut self.module.meta;
        let key = (file, line, column);
        if let Some(node) = self.lines.nodes.get(&key) {
            self.lines.here = Some(*node);
            return;
        }
        let number = |meta: &mut PrimaryMap<MetaId, Meta>, n: u32| meta.push(Meta::Int(n.into()));
        let text = meta.push(Meta::String(key.0.clone()));
        let file = Meta::Named("DIFile".into(), vec![("filename".into(), text)]);
        let file = meta.push(file);
        let scope = Meta::Named("DISubprogram".into(), vec![("file".into(), file)]);
        let fields = vec![
            ("line".into(), number(meta, key.1)),
            ("column".into(), number(meta, key.2)),
            ("scope".into(), meta.push(scope)),
        ];
        let node = meta.push(Meta::Named("DILocation".into(), fields));
        self.lines.nodes.insert(key, node);
        self.lines.here = Some(node);
    }
}
