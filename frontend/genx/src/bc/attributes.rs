//! Attributes: groups of them, and lists of groups.
//!
//! Kept are strings, the type of a parameter that is passed by value, and the alignment of a pointer.

use super::{Reader, block, text};
use crate::error::Result;
use crate::ir::{Attrs, Type};

/// Records of both blocks.
const LIST: u64 = 2;
const GROUP: u64 = 3;
/// Numbers of the attributes `align` and `byval`.
const ALIGN: u64 = 1;
const BYVAL: u64 = 3;
/// Subject of a group: the function, or a parameter by its number from here on.
const FUNCTION: u64 = 0xffff_ffff;
const FIRST_PARAM: u64 = 1;

/// A group of attributes.
pub(super) struct Group {
    /// The function, the result or a parameter.
    about: u64,
    attrs: Attrs,
    byval: Option<Type>,
    align: Option<u32>,
}

impl Reader<'_> {
    pub(super) fn attribute_groups(&mut self) -> Result<()> {
        self.records(block::PARAMATTR_GROUP, |reader| match reader.record.code {
            GROUP => reader.attribute_group(),
            _ => Ok(()),
        })
    }

    pub(super) fn attribute_lists(&mut self) -> Result<()> {
        self.records(block::PARAMATTR, |reader| {
            if reader.record.code == LIST {
                reader.lists.push(reader.record.ops.clone());
            }
            Ok(())
        })
    }

    fn attribute_group(&mut self) -> Result<()> {
        let (number, about) = (self.op(0)?, self.op(1)?);
        let mut group = Group {
            about,
            attrs: Attrs::new(),
            byval: None,
            align: None,
        };
        let mut rest = self.record.ops.get(2..).unwrap_or_default();
        // A string ends with a zero.
        let string = |rest: &mut &[u64]| {
            let end = rest.iter().position(|c| *c == 0).unwrap_or(rest.len());
            let found = text(&rest[..end]);
            *rest = rest.get(end + 1..).unwrap_or_default();
            found
        };
        while let Some((kind, after)) = rest.split_first() {
            rest = after;
            match kind {
                // One without and one with a number.
                0 => rest = rest.get(1..).unwrap_or_default(),
                1 => {
                    if let [ALIGN, align, ..] = rest {
                        group.align = u32::try_from(*align).ok();
                    }
                    rest = rest.get(2..).unwrap_or_default();
                }
                3 | 4 => {
                    let name = string(&mut rest);
                    let value = match kind {
                        4 => string(&mut rest),
                        _ => Default::default(),
                    };
                    group.attrs.push((name, value));
                }
                // One that has no type, and one with a type.
                5 => rest = rest.get(1..).unwrap_or_default(),
                6 => {
                    if let [BYVAL, ty, ..] = rest {
                        group.byval = Some(self.ty(*ty)?);
                    }
                    rest = rest.get(2..).unwrap_or_default();
                }
                // Ranges, which have a length of their own, are the last that matter.
                _ => break,
            }
        }
        self.groups.insert(number, group);
        Ok(())
    }

    /// Attributes of a list: of the function or variable, and what else it has.
    fn groups_of(&self, list: u64) -> impl Iterator<Item = &Group> {
        let at = list.checked_sub(1).and_then(|at| usize::try_from(at).ok());
        let list = at.and_then(|at| self.lists.get(at));
        let numbers = list.into_iter().flatten();
        numbers.filter_map(|number| self.groups.get(number))
    }

    /// Attributes of a function.
    pub(super) fn function_attrs(&self, list: u64) -> Attrs {
        let groups = self.groups_of(list).filter(|g| g.about == FUNCTION);
        groups
            .flat_map(|group| group.attrs.iter().cloned())
            .collect()
    }

    /// Attributes of a parameter, and its type if it is passed by value.
    pub(super) fn param_attrs(&self, list: u64, param: usize) -> (Attrs, Option<Type>) {
        let about = FIRST_PARAM + param as u64;
        let group = self.groups_of(list).find(|g| g.about == about);
        group.map_or_else(Default::default, |group| (group.attrs.clone(), group.byval))
    }
    /// Alignment of a pointer that is passed.
    pub(super) fn param_align(&self, list: u64, param: usize) -> Option<u32> {
        let about = FIRST_PARAM + param as u64;
        self.groups_of(list).find(|g| g.about == about)?.align
    }
}
