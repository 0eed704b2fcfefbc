//! Objects of the legacy reference compiler, whose writer leaves out operands.
//!
//! The writer counts the operands of an instruction without execution size and predicate, and then writes that number
//! of fields including the two. The last fields are therefore missing from the file. The reader recognizes such an
//! object and reports it, instead of an error in misread bytes.

use super::{ReadError, ReadErrorKind, Reader};
use crate::module::{LabelDecl, Object};
use crate::opcode::{Field, Opcode, Row, Width};

/// Fields present in each instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// All its fields.
    Complete,
    /// One field fewer at the end for each of execution size and predicate, as the legacy reference compiler writes
    /// it. The declared size of the code is that of the complete code, so its last bytes are not the compiler's.
    Defective,
}

impl Layout {
    /// Number of fields missing at the end of the row.
    pub(super) fn left_out(self, row: &Row) -> usize {
        match self {
            Layout::Complete => 0,
            Layout::Defective => {
                let no_bytes = |f: &&Field| matches!(f, Field::Number(Width::Nothing, _));
                let last = row.fields.iter().rev().take_while(no_bytes).count();
                last + usize::from(row.has_exec) + usize::from(row.has_pred)
            }
        }
    }

    /// Minimum and maximum size in bytes of the missing fields.
    pub(super) fn bytes_left_out(self, row: &Row) -> (usize, usize) {
        let fields = row.fields.iter().rev().take(self.left_out(row));
        fields.fold((0, 0), |(least, most), field| {
            let (a, b) = match field {
                Field::Exec | Field::GatherExec | Field::Surface | Field::Sampler => (1, 1),
                Field::Count | Field::Number(Width::Byte, _) => (1, 1),
                Field::Pred | Field::Label | Field::Labels | Field::Name => (2, 2),
                Field::Number(Width::Word, _) => (2, 2),
                Field::FileName | Field::Number(Width::Dword, _) => (4, 4),
                Field::RawDst | Field::RawSrc | Field::RawSrcs => (6, 6),
                Field::RawSrcIf(_) => (0, 6),
                Field::Number(Width::Nothing, _) => (0, 0),
                Field::Number(Width::SamplerOp, _) => (1, 2),
                // The smallest is a predicate, the largest an immediate of eight bytes.
                Field::Dst(_) | Field::Src(_) | Field::SrcBlock | Field::SrcAddress => (3, 10),
                Field::SrcIf(_) => (0, 10),
            };
            (least + a, most + b)
        })
    }

    /// Description of the first missing field.
    pub(super) fn first_left_out(self, row: &Row) -> Option<&'static str> {
        let at = row.fields.len() - self.left_out(row);
        let field = row.fields.get(at)?;
        let earlier = row.fields[..at].iter();
        let sources = earlier.filter(|f| matches!(f, Field::Src(_) | Field::RawSrc));
        Some(match field {
            Field::Exec | Field::GatherExec => "the execution size",
            Field::Pred => "the predicate",
            Field::Dst(_) | Field::RawDst => "the destination",
            Field::Src(_) | Field::RawSrc => match sources.count() {
                0 => "source 0",
                1 => "source 1",
                2 => "source 2",
                _ => "the next source",
            },
            Field::Label => "the label",
            Field::Surface => "the surface",
            _ => "the next operand",
        })
    }
}

impl Reader<'_> {
    /// Error for missing operands, if the code at the cursor is defective in this way: it begins with instructions
    /// of [`Layout::Defective`] up to a return, and the bytes after that are as many as all missing fields take. An
    /// instruction other than a return must lack operands, since a return alone does not distinguish this from
    /// other damage.
    pub(super) fn left_out(&mut self, object: &Object, labels: &[LabelDecl]) -> Option<ReadError> {
        let mut first = None;
        let (mut least, mut most) = (0, 0);
        for number in 0.. {
            let inst = self.inst(object, labels, Layout::Defective).ok()?;
            let row = inst.op.row();
            let ends = matches!(inst.op, Opcode::Ret | Opcode::FRet);
            let missing = Layout::Defective.first_left_out(row).filter(|_| !ends);
            if let (None, Some(missing)) = (&first, missing) {
                let mut error = self.cursor.error(ReadErrorKind::OperandsMissing {
                    mnemonic: row.mnemonic,
                    missing,
                });
                error.instruction = Some(number);
                first = Some(error);
            }
            let bytes = Layout::Defective.bytes_left_out(row);
            (least, most) = (least + bytes.0, most + bytes.1);
            let rest = least..=most;
            if ends && rest.contains(&self.cursor.left()) {
                return first;
            }
            if self.cursor.left() < least {
                return None;
            }
        }
        None
    }
}
