//! Operands of an instruction by its row of the opcode table.

use crate::module::{Inst, Operand};
use crate::opcode::{Field, Raw, Row};

impl Row {
    /// Field of each operand of an instruction of this row, with the shape of a raw one. Absent fields are left
    /// out; the field of a list is repeated.
    pub fn operands_of(&self, inst: &Inst) -> OperandsOf<'_> {
        OperandsOf {
            fields: self.operands.iter(),
            raws: self.raw.iter(),
            is_plain: self.is_plain,
            first_number: self.first_number(inst),
            list: None,
        }
    }

    /// Number of operands of an instruction of this row, without lists and absent ones.
    pub fn operand_count_of(&self, inst: &Inst) -> usize {
        if !self.optional {
            return self.operand_count();
        }
        let first = self.first_number(inst);
        let absent = self.operands.iter().filter(|field| field.is_absent(first));
        self.operand_count() - absent.count()
    }

    /// Number that says which operands are present; 0 if none is optional.
    fn first_number(&self, inst: &Inst) -> u32 {
        if !self.optional {
            return 0;
        }
        let first = inst.operands.iter().find_map(|operand| match operand {
            Operand::Field(n) => Some(*n),
            _ => None,
        });
        first.unwrap_or(0)
    }
}

/// Iterator of [`Row::operands_of`].
#[derive(Clone)]
pub struct OperandsOf<'r> {
    fields: std::slice::Iter<'r, Field>,
    raws: std::slice::Iter<'r, Raw>,
    is_plain: bool,
    first_number: u32,
    /// Field of the list that all further operands belong to.
    list: Option<(Field, Option<Raw>)>,
}

impl Iterator for OperandsOf<'_> {
    type Item = (Field, Option<Raw>);

    #[inline]
    fn next(&mut self) -> Option<(Field, Option<Raw>)> {
        if self.is_plain {
            return self.fields.next().map(|&field| (field, None));
        }
        for &field in self.fields.by_ref() {
            let raw = match field.has_shape() {
                true => self.raws.next().copied(),
                false => None,
            };
            if field.is_list() {
                self.list = Some((field, raw));
            }
            if !field.is_absent(self.first_number) {
                return Some((field, raw));
            }
        }
        self.list
    }
}
