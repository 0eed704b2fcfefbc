//! Instructions and declarations as nearly all are, read at once.
//!
//! Most of a long object is variables without attributes, and instructions whose operands are variables, immediates,
//! predicates, surfaces and labels. One like that is read here without a thought of what may be wrong with it. Of
//! anything else, and of anything that is wrong, nothing is taken and nothing is said: [`Reader`] reads it, and says
//! where the fault is. So what is taken must mean the same there.
//!
//! [`Reader`]: super::Reader

use cranelift_entity::EntityRef;
use smallvec::SmallVec;

use super::inst::class;
use super::version::{ROWS, Version};
use crate::module::{
    Align, Combine, Exec, Inst, Label, Modifier, Object, Operand, Place, PredUse, Predicate,
    Region, Surface, Type, Var, VarDecl,
};
use crate::opcode::{Field, Meaning, Opcode, Row, Width};

/// What instructions may be of.
pub(super) struct Declared {
    vars: usize,
    predicates: usize,
    surfaces: usize,
    labels: usize,
}

impl Declared {
    /// All of an object, and so many labels; none if objects of the version have other instructions.
    pub fn of(object: &Object, labels: usize, version: Version) -> Option<Declared> {
        (version >= ROWS).then(|| Declared {
            vars: object.vars.len(),
            predicates: object.predicates.len(),
            surfaces: object.surfaces.len(),
            labels,
        })
    }

    #[inline]
    fn var(&self, index: u32) -> Option<Var> {
        ((index as usize) < self.vars).then(|| Var::from_u32(index))
    }

    /// The predicate of those bits: one without control.
    #[inline]
    fn predicate(&self, bits: u16, inverse: bool) -> Option<PredUse> {
        let index = usize::from(bits);
        (index != 0 && index < self.predicates && bits <= PREDICATE).then(|| PredUse {
            pred: Predicate::new(index),
            inverse,
            combine: Combine::None,
        })
    }
}

/// The bits of the number of a predicate.
const PREDICATE: u16 = 0xfff;
/// The bit of an inverse predicate.
const INVERSE: u16 = 0x8000;

/// Bytes of a variable in the table: numbers of its name and of the variable it is an alias of among them.
const VAR_BYTES: usize = 15;

/// What is left of an object.
#[derive(Clone, Copy)]
pub(super) struct Rest<'a>(pub &'a [u8]);

impl<'a> Rest<'a> {
    #[inline(always)]
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    /// A variable without attributes: the number of its name, and all but the name.
    #[inline(always)]
    pub fn var(&mut self, declared: usize) -> Option<(u32, VarDecl)> {
        let bytes: [u8; VAR_BYTES] = self.take()?;
        let [n0, n1, n2, n3, bits, e0, e1, b0, b1, b2, b3, o0, o1, 0, 0] = bytes else {
            return None;
        };
        let alias = match u32::from_le_bytes([b0, b1, b2, b3]) {
            0 => None,
            base if (base as usize) < declared => {
                Some((Var::from_u32(base), u16::from_le_bytes([o0, o1])))
            }
            _ => return None,
        };
        let decl = VarDecl {
            name: Default::default(),
            ty: Type::from_number(bits & 0xf)?,
            align: Align::from_number(bits >> 4)?,
            elements: u16::from_le_bytes([e0, e1]),
            alias,
            attrs: Vec::new(),
        };
        Some((u32::from_le_bytes([n0, n1, n2, n3]), decl))
    }
}

/// The opcodes all whose fields are looked at here, by their numbers.
const PLAIN: [bool; Opcode::rows().len()] = {
    let mut plain = [false; Opcode::rows().len()];
    let rows = Opcode::rows();
    let mut i = 0;
    while i < rows.len() {
        plain[i] = is_plain(&rows[i]);
        i += 1;
    }
    plain
};

const fn is_plain(row: &Row) -> bool {
    let mut i = 0;
    while i < row.fields.len() {
        let plain = match row.fields[i] {
            Field::Exec | Field::Pred | Field::Dst(_) | Field::Src(_) | Field::Label => true,
            Field::RawDst | Field::RawSrc | Field::Surface => true,
            Field::Number(Width::Byte | Width::Word, meaning) => {
                !matches!(meaning, Meaning::SvmOwords)
            }
            _ => false,
        };
        if !plain {
            return false;
        }
        i += 1;
    }
    row.subs.len() < 2
}

impl Rest<'_> {
    /// Reads instructions up to one that is to be read with care, and adds them. `end` is the offset in the file where
    /// the rest ends. How many bytes are left; the numbers of those with a label are added too.
    pub fn insts(
        mut self,
        declared: &Declared,
        end: usize,
        insts: &mut Vec<Inst>,
        labelled: &mut Vec<usize>,
    ) -> usize {
        while self.next(declared, end, insts, labelled).is_some() {}
        self.0.len()
    }

    /// Reads the next of them.
    #[inline(always)]
    fn next(
        &mut self,
        declared: &Declared,
        end: usize,
        insts: &mut Vec<Inst>,
        labelled: &mut Vec<usize>,
    ) -> Option<()> {
        let mut rest = *self;
        let number = insts.len();
        insts.push(Inst {
            op: Opcode::Label,
            exec: Exec::NONE,
            pred: None,
            operands: SmallVec::new(),
            place: Place {
                pos: (end - self.0.len()) as u32,
                column: 0,
            },
            origin: number as u32,
        });
        match rest.inst(declared, &mut insts[number]) {
            Some(true) => labelled.push(number),
            Some(false) => {}
            None => {
                insts.pop();
                return None;
            }
        }
        *self = rest;
        Some(())
    }

    /// Reads an instruction that is `inst` so far, nothing but its place. Whether it has a label.
    #[inline(always)]
    pub fn inst(&mut self, declared: &Declared, inst: &mut Inst) -> Option<bool> {
        let [number] = self.take()?;
        let rows = Opcode::rows_of(number);
        let mut row = rows.first()?;
        if !row.subs.is_empty() {
            let [sub] = self.take()?;
            row = rows.iter().find(|row| row.subs.contains(&sub))?;
        }
        if !PLAIN[row.opcode as usize] {
            return None;
        }
        inst.op = row.opcode;
        let mut has_label = false;
        for field in row.fields {
            // Each kind is added where it is made: brought together first, operands would go through memory twice.
            let operands = &mut inst.operands;
            match field {
                Field::Exec => inst.exec = self.exec()?,
                Field::Pred => inst.pred = self.pred(declared)?,
                Field::Dst(_) => match self.0.first()? & 7 {
                    class::GENERAL => operands.push(self.general(declared, dst_region)?),
                    class::PREDICATE => operands.push(self.flags(declared)?),
                    _ => return None,
                },
                Field::Src(_) => match self.0.first()? & 7 {
                    class::GENERAL => operands.push(self.general(declared, src_region)?),
                    class::IMMEDIATE => operands.push(self.immediate()?),
                    class::PREDICATE => operands.push(self.flags(declared)?),
                    _ => return None,
                },
                Field::RawDst | Field::RawSrc => operands.push(self.raw(declared)?),
                Field::Number(Width::Byte, _) => {
                    let [n] = self.take()?;
                    operands.push(Operand::Field(n.into()));
                }
                Field::Number(Width::Word, _) => {
                    operands.push(Operand::Field(u16::from_le_bytes(self.take()?).into()));
                }
                Field::Surface => {
                    let [n] = self.take()?;
                    let index = usize::from(n);
                    (index < declared.surfaces).then_some(())?;
                    operands.push(Operand::Surface(Surface::new(index)));
                }
                Field::Label => {
                    let index = usize::from(u16::from_le_bytes(self.take()?));
                    (index < declared.labels).then_some(())?;
                    has_label = true;
                    operands.push(Operand::Label(Label::new(index)));
                }
                _ => return None,
            }
        }
        Some(has_label)
    }

    #[inline(always)]
    fn exec(&mut self) -> Option<Exec> {
        let [bits] = self.take()?;
        (bits & 0xf < 6).then(|| Exec {
            size: 1 << (bits & 0xf),
            offset: (bits >> 4 & 7) * 4,
            no_mask: bits >> 7 != 0,
        })
    }

    #[inline(always)]
    fn pred(&mut self, declared: &Declared) -> Option<Option<PredUse>> {
        match u16::from_le_bytes(self.take()?) {
            0 => Some(None),
            bits => (declared.predicate(bits & !INVERSE, bits & INVERSE != 0)).map(Some),
        }
    }

    #[inline(always)]
    fn general(
        &mut self,
        declared: &Declared,
        region: impl Fn(u16) -> Option<Region>,
    ) -> Option<Operand> {
        let [tag, n0, n1, n2, n3, row, col, r0, r1] = self.take()?;
        Some(Operand::General {
            var: declared.var(u32::from_le_bytes([n0, n1, n2, n3]))?,
            row,
            col,
            region: region(u16::from_le_bytes([r0, r1]))?,
            modifier: Modifier::from_number(tag >> 3 & 7)?,
        })
    }

    #[inline(always)]
    fn flags(&mut self, declared: &Declared) -> Option<Operand> {
        let [tag, p0, p1] = self.take()?;
        Modifier::from_number(tag >> 3 & 7)?;
        let bits = u16::from_le_bytes([p0, p1]);
        declared.predicate(bits, false).map(Operand::Predicate)
    }

    #[inline(always)]
    fn immediate(&mut self) -> Option<Operand> {
        let [tag, ty] = self.take()?;
        Modifier::from_number(tag >> 3 & 7)?;
        let ty = Type::from_number(ty & 0xf)?;
        let bits = match ty {
            Type::Df | Type::Q | Type::Uq => u64::from_le_bytes(self.take()?),
            _ => u32::from_le_bytes(self.take()?).into(),
        };
        Some(Operand::imm(ty, bits))
    }

    #[inline(always)]
    fn raw(&mut self, declared: &Declared) -> Option<Operand> {
        let [n0, n1, n2, n3, o0, o1] = self.take()?;
        Some(Operand::Raw {
            var: declared.var(u32::from_le_bytes([n0, n1, n2, n3]))?,
            offset: u16::from_le_bytes([o0, o1]),
        })
    }
}

/// The bits of a region's parts, and those that no part has.
const V: u16 = 0x007;
const W: u16 = 0x070;
const H: u16 = 0x700;
const NO_PART: u16 = 0x888;

/// A part of a region; nothing is said by 0.
#[inline(always)]
fn stride(part: u16) -> u8 {
    (1u8 << (part & 7)) >> 2
}

#[inline(always)]
fn dst_region(bits: u16) -> Option<Region> {
    (bits & NO_PART == 0 && bits & H != 0).then(|| Region::dst(stride(bits >> 8)))
}

#[inline(always)]
fn src_region(bits: u16) -> Option<Region> {
    let right = bits & NO_PART == 0 && bits & V != 0 && bits & W != 0 && bits & H != 0;
    right.then(|| Region {
        v: Some(stride(bits)),
        w: stride(bits >> 4),
        h: stride(bits >> 8),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::cursor::Cursor;
    use crate::binary::defective::Layout;
    use crate::binary::object::Reader;
    use crate::labels::has_label;
    use crate::module::{ArrayDecl, LabelDecl, LabelKind, ObjectKind};

    /// Numbers that seem random, the same each time.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, n: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1);
            (self.0 >> 33) as usize % n
        }

        /// Bytes of an instruction in which most is right.
        fn inst(&mut self) -> Vec<u8> {
            let row = &Opcode::rows()[self.below(Opcode::rows().len())];
            let mut bytes = vec![row.number];
            bytes.extend(row.subs.first().filter(|_| row.subs.len() == 1));
            for field in row.fields {
                let kind = match field {
                    Field::Dst(_) | Field::Src(_) => Some([0, 0, 0, 2, 5, 1][self.below(6)]),
                    _ => None,
                };
                let mut operand: Vec<u8> = (0..10).map(|_| self.below(4) as u8).collect();
                if let Some(kind) = kind {
                    operand[0] = (self.below(5) << 3) as u8 | kind;
                }
                let len = match (field, kind) {
                    (_, Some(class::GENERAL)) => {
                        operand[1..5].copy_from_slice(&(self.below(36) as u32).to_le_bytes());
                        operand[7] = (self.below(8) << 4 | self.below(8)) as u8;
                        operand[8] = self.below(8) as u8;
                        9
                    }
                    (_, Some(class::PREDICATE)) => {
                        operand[2] = 0;
                        3
                    }
                    (_, Some(class::IMMEDIATE)) => {
                        operand[1] = self.below(16) as u8;
                        let wide = [Type::Df, Type::Q, Type::Uq].map(|ty| ty as u8);
                        2 + if wide.contains(&operand[1]) { 8 } else { 4 }
                    }
                    (Field::Exec, _) => {
                        operand[0] = (self.below(16) << 4 | self.below(6)) as u8;
                        1
                    }
                    (Field::Pred, _) => {
                        operand[0] = self.below(5) as u8;
                        operand[1] = (self.below(8) << 5) as u8;
                        2
                    }
                    (Field::RawDst | Field::RawSrc, _) => {
                        operand[..4].copy_from_slice(&(self.below(36) as u32).to_le_bytes());
                        6
                    }
                    (Field::Label | Field::Number(Width::Word, _), _) => {
                        operand[1] = 0;
                        2
                    }
                    (Field::Number(Width::Dword, _), _) => 4,
                    (Field::Surface | Field::Sampler | Field::Count | Field::Number(..), _) => 1,
                    _ => 6,
                };
                bytes.extend(&operand[..len]);
            }
            match self.below(6) {
                0 => {
                    let at = self.below(bytes.len());
                    bytes[at] = self.below(256) as u8;
                }
                1 => bytes.truncate(self.below(bytes.len() + 1)),
                _ => bytes.extend((0..self.below(12)).map(|_| self.below(256) as u8)),
            }
            bytes
        }
    }

    #[test]
    fn what_is_taken_means_the_same_as_when_it_is_read_with_care() {
        let version = (4, 1);
        let mut object = Object::new(ObjectKind::Kernel, "k".into());
        let decl = |name: &str| ArrayDecl {
            name: name.into(),
            elements: 1,
            attrs: Vec::new(),
        };
        for _ in 0..3 {
            object.vars.push(object.vars[Var::NULL].clone());
            object.predicates.push(decl("P"));
            object.addrs.push(decl("A"));
        }
        let label = LabelDecl {
            name: "l".into(),
            kind: LabelKind::Block,
            attrs: Vec::new(),
        };
        let labels = vec![label; 3];
        let declared = Declared::of(&object, labels.len(), version).expect("a newer version");
        let mut numbers = Numbers(1);
        let mut taken = std::collections::HashSet::new();
        let mut left_alone = 0;
        for _ in 0..200_000 {
            let code = numbers.inst();
            let mut rest = Rest(&code);
            let (mut insts, mut labelled) = (Vec::new(), Vec::new());
            rest.next(&declared, code.len(), &mut insts, &mut labelled);
            let Some(inst) = insts.pop() else {
                left_alone += 1;
                continue;
            };
            // A pool of no strings is before the code.
            let bytes: Vec<u8> = [0; 4].into_iter().chain(code.iter().copied()).collect();
            let mut reader = Reader::new(Cursor::new(&bytes), version).expect("an empty pool");
            let same = reader.inst(&object, &labels, Layout::Complete);
            let mut same = same.unwrap_or_else(|e| panic!("{code:02x?} is taken: {e}"));
            same.origin = 0;
            assert_eq!(inst, same, "{code:02x?}");
            assert_eq!(rest.0.len(), reader.cursor.left(), "{code:02x?}");
            assert_eq!(inst.place.pos + 4, same.place.pos);
            assert_eq!(has_label(&inst), labelled == [0]);
            taken.insert(inst.op as usize);
        }
        let missed = Opcode::rows().iter().filter(|row| {
            let op = row.opcode as usize;
            PLAIN[op] && !taken.contains(&op)
        });
        let missed: Vec<&str> = missed.map(|row| row.mnemonic).collect();
        assert!(missed.is_empty(), "{missed:?}");
        assert!(left_alone > 50_000);
    }
}
