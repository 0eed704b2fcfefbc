//! Instructions as nearly all are, found right at once.
//!
//! Most of a long object calculates: a destination and sources that are variables accessed directly, or
//! immediates, without modifiers. For such an instruction all that [`Verifier::inst`] looks for is looked at
//! here in one go, and nothing is said: one with anything else, or with anything wrong, goes there. So what is
//! right here must be right there.

use std::sync::LazyLock;

use cranelift_entity::EntityRef;

use super::Verifier;
use super::facts::{Facts, Types, has_operand_types, has_sizes};
use super::operands::{access_end, has_bits, region_fault};
use crate::module::{Exec, Inst, Modifier, Operand, Type, predefined};
use crate::opcode::{Field, Kinds, Meaning, Opcode, Relation};

/// The facts of instructions whose operands are all of the kinds that are looked at here, and that have rules of
/// types, execution size and regions as others do.
static PLAIN: LazyLock<Vec<Option<&'static Facts>>> = LazyLock::new(|| {
    let is_plain = |field: &Field| {
        matches!(
            field,
            Field::Dst(_) | Field::Src(_) | Field::Number(_, Meaning::Relation)
        )
    };
    let facts = Opcode::rows().iter().map(|row| {
        let op = row.opcode;
        let plain = row.parts == 1 && !has_sizes(op) && !has_operand_types(op);
        Facts::of(op).filter(|_| plain && row.operands.iter().all(is_plain))
    });
    facts.collect()
});

impl Verifier<'_> {
    /// Whether it is such an instruction; if so, [`Verifier::inst`] finds nothing.
    pub(super) fn is_plain(&self, inst: &Inst) -> bool {
        let Some(facts) = PLAIN[inst.op as usize] else {
            return false;
        };
        let row = inst.op.row();
        let Exec { size, offset, .. } = inst.exec;
        let right = size.is_power_of_two()
            && u32::from(offset) + u32::from(size) <= 32
            && offset & (size - 1) == 0
            && inst.operands.len() == row.operands.len()
            && (self.platform).is_none_or(|platform| row.platforms.contains(platform));
        if !right {
            return false;
        }
        if let Some(pred) = inst.pred
            && !(row.has_pred() && has_bits(self.object, pred.pred, inst.exec))
        {
            return false;
        }
        let (mut dst, mut src) = (Types::NONE, Types::NONE);
        for (field, operand) in row.operands.iter().zip(&inst.operands) {
            match *field {
                Field::Dst(kinds) => match self.plain_type(operand, kinds, size, true) {
                    Some(ty) => dst = dst.or(Types::one(ty)),
                    None => return false,
                },
                Field::Src(kinds) => match self.plain_type(operand, kinds, size, false) {
                    Some(ty) => src = src.or(Types::one(ty)),
                    None => return false,
                },
                _ => match operand {
                    Operand::Field(n) if Relation::from_number(*n).is_some() => {}
                    _ => return false,
                },
            }
        }
        facts.have(dst, src, self.platform)
    }

    /// The type of an operand in which nothing is wrong by itself, if it is of those that are looked at here.
    #[inline]
    fn plain_type(&self, operand: &Operand, kinds: Kinds, size: u8, is_dst: bool) -> Option<Type> {
        match *operand {
            Operand::General {
                var,
                row,
                col,
                region,
                modifier: Modifier::None,
            } if kinds.contains(Kinds::GENERAL) => {
                let root = self.roots.get(var.index())?;
                // Predefined variables have rules of their own.
                let right = root.var.index() >= predefined::VAR_COUNT
                    && region.v.is_some()
                    && region_fault(is_dst, size, region).is_none();
                let end = || access_end((row, col), region, size, is_dst, root.ty, self.grf);
                (right && root.offset.saturating_add(end()) <= root.room).then_some(root.ty)
            }
            Operand::Imm { ty, bits } if kinds.contains(Kinds::IMM) => {
                (ty != Type::Bool && Operand::imm(ty, bits) == *operand).then_some(ty)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::roots;
    use super::*;
    use crate::module::{
        ArrayDecl, Combine, Module, Name, Object, ObjectKind, Place, PredUse, Predicate, Region,
        Subject, Var, VarDecl,
    };
    use crate::verify::calls::Functions;
    use kiln_target::platform::Generation;
    use std::cell::OnceCell;

    /// Numbers that seem random, the same each time.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1);
            (self.0 >> 33) as usize
        }

        fn of<T: Copy>(&mut self, all: &[T]) -> T {
            all[self.next() % all.len()]
        }

        /// Mostly the first.
        fn mostly<T: Copy>(&mut self, usual: T, all: &[T]) -> T {
            match self.next() % 16 {
                0 => self.of(all),
                _ => usual,
            }
        }
    }

    fn object() -> Object {
        let mut object = Object::new(ObjectKind::Kernel, Name::new("k"));
        let types = (0..16).filter_map(Type::from_number);
        for ty in types.filter(|ty| !matches!(ty, Type::V | Type::Uv | Type::Vf | Type::Bool)) {
            for elements in [1, 8, 16, 64] {
                let last = object.vars.len() as u32 - 1;
                let alias = (elements == 16).then(|| (Var::from_u32(last), 4));
                object.vars.push(VarDecl {
                    name: Name::new("v"),
                    ty,
                    align: crate::module::Align::Byte,
                    elements,
                    alias,
                    attrs: Vec::new(),
                });
            }
        }
        for elements in [8, 16, 32] {
            object.predicates.push(ArrayDecl {
                name: Name::new("p"),
                elements,
                attrs: Vec::new(),
            });
        }
        object
    }

    fn operand(n: &mut Numbers, object: &Object, field: Field, ty: Type) -> Operand {
        let pred = PredUse {
            pred: Predicate::from_u32(n.of(&[0, 1, 2, 3, 4])),
            inverse: false,
            combine: Combine::None,
        };
        let modifier = n.mostly(
            Modifier::None,
            &[Modifier::Sat, Modifier::Neg, Modifier::Not],
        );
        let stride = |n: &mut Numbers| n.of(&[0, 1, 2, 3, 4, 8, 16, 32, 64]);
        let dst = Region::dst(stride(n));
        let region = match matches!(field, Field::Dst(_)) {
            true => n.mostly(Region::dst(1), &[dst]),
            false => {
                let h = n.of(&[0, 1]);
                let v = n.of(&[Some(1), Some(8), None]);
                let some = Region {
                    v,
                    w: stride(n),
                    h: stride(n),
                };
                n.mostly(
                    Region {
                        v: Some(h),
                        w: 1,
                        h: 0,
                    },
                    &[some, dst],
                )
            }
        };
        let vars = object.vars.iter().filter(|(_, decl)| decl.ty == ty);
        let vars: Vec<Var> = vars.map(|(var, _)| var).collect();
        let any = Var::from_u32((n.next() % (object.vars.len() + 1)) as u32);
        let var = n.of(&vars);
        let general = Operand::General {
            var: n.mostly(var, &[any]),
            row: n.mostly(0, &[1, 2, 255]),
            col: n.mostly(0, &[1, 7, 255]),
            region,
            modifier,
        };
        let bits = n.of(&[0, 1, 0xff, 0xffff, 0xffff_ffff, u64::MAX]);
        match (n.next() % 16, field) {
            (0, _) => Operand::Predicate(pred),
            (1 | 2, Field::Number(..)) | (3, _) => Operand::Field(n.of(&[0, 1, 5, 8, 200])),
            (_, Field::Number(..)) => Operand::Field(1),
            (4, _) => Operand::Imm { ty, bits },
            (5, _) => Operand::imm(ty, bits),
            _ => general,
        }
    }

    #[test]
    fn in_what_is_plain_nothing_is_found() {
        let object = object();
        let module = Module::default();
        let functions = Functions::new(&module);
        let mut n = Numbers(1);
        let types: Vec<Type> = (0..16).filter_map(Type::from_number).collect();
        let declared: Vec<Type> = object.vars.values().map(|decl| decl.ty).collect();
        let plain: Vec<Opcode> = (Opcode::rows().iter().map(|row| row.opcode))
            .filter(|op| PLAIN[*op as usize].is_some())
            .collect();
        let (mut right, mut wrong) = (0, 0);
        for _ in 0..400_000 {
            let op = n.of(&plain);
            let usual = n.of(&declared);
            let row = op.row();
            let mut operands: smallvec::SmallVec<[Operand; 4]> = (row.operands.iter())
                .map(|field| {
                    let other = n.of(&declared);
                    let ty = n.mostly(usual, &[other]);
                    operand(&mut n, &object, *field, ty)
                })
                .collect();
            if n.next().is_multiple_of(32) {
                operands.pop();
            } else if n.next().is_multiple_of(32) {
                operands.push(Operand::imm(n.of(&types), 0));
            }
            let guard = n.mostly(0, &[1, 2, 3, 4]);
            let inst = Inst {
                op,
                exec: Exec {
                    size: n.mostly(8, &[0, 1, 2, 3, 4, 16, 32, 64]),
                    offset: n.mostly(0, &[4, 8, 16, 28, 32]),
                    no_mask: false,
                },
                pred: n.mostly(None, &[Some(guard)]).map(|pred| PredUse {
                    pred: Predicate::from_u32(pred),
                    inverse: false,
                    combine: Combine::None,
                }),
                operands,
                place: Place::default(),
                origin: Inst::UNNUMBERED,
            };
            let platform = n.of(&[None, Some(Generation::Skl), Some(Generation::Pvc)]);
            let grf = platform.map_or(32, Generation::grf_bytes);
            let mut verifier = Verifier {
                object: &object,
                number: 0,
                inst: None,
                place: Place::default(),
                subject: Subject::Object,
                platform,
                grf,
                functions: &functions,
                roots: roots(&object, grf),
                operands: OnceCell::new(),
                jumps: Vec::new(),
                findings: Vec::new(),
            };
            let is_plain = verifier.is_plain(&inst);
            verifier.inst(&inst);
            verifier.message(&inst);
            verifier.surfaces(&inst);
            verifier.lsc(&inst);
            let findings = &verifier.findings;
            assert!(!is_plain || findings.is_empty(), "{inst:?} {findings:?}");
            right += usize::from(is_plain);
            wrong += usize::from(!findings.is_empty());
        }
        assert!(right > 10_000 && wrong > 100_000, "{right} {wrong}");
    }
}
