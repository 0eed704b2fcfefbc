use super::*;
use crate::module::{Module, Name, ObjectKind, Place};
use crate::verify::calls::Functions;
use kiln_platform::platform::Generation;
use std::cell::OnceCell;

/// Result of the rules of types alone: what `fits` says, and the number of findings of `maps`.
fn found(object: &Object, inst: &Inst, platform: Option<Generation>) -> (bool, usize) {
    let module = Module::default();
    let mut verifier = Verifier {
        object,
        number: 0,
        inst: None,
        place: Place::default(),
        subject: Subject::Object,
        platform,
        grf: 32,
        functions: &Functions::new(&module.objects),
        roots: Default::default(),
        operands: OnceCell::new(),
        jumps: Vec::new(),
        findings: Vec::new(),
    };
    let facts = Facts::of(inst.op).unwrap();
    let fits = verifier.fits(inst, facts);
    verifier.maps(inst, facts);
    (fits, verifier.findings.len())
}

#[test]
fn of_types_that_fit_nothing_is_found() {
    let object = Object::new(ObjectKind::Kernel, Name::new("k"));
    let types = || (0..16).filter_map(Type::from_number);
    let imm = |ty| Operand::Imm { ty, bits: 0 };
    let rows = Opcode::rows().iter();
    let (mut fitting, mut wrong) = (0, 0);
    for row in rows.filter(|row| Facts::of(row.opcode).is_some()) {
        let all = types().flat_map(|a| types().map(move |b| (a, b)));
        for (i, (dst, (first, others))) in types()
            .flat_map(|dst| all.clone().map(move |src| (dst, src)))
            .enumerate()
        {
            let mut sources = std::iter::once(first).chain(std::iter::repeat(others));
            let operands = row.operands.iter().map(|field| match field {
                Field::Dst(_) => imm(dst),
                Field::Src(_) => imm(sources.next().unwrap()),
                _ => Operand::Field(0),
            });
            let inst = Inst {
                op: row.opcode,
                exec: Exec {
                    size: 8,
                    offset: 0,
                    no_mask: false,
                },
                pred: None,
                operands: operands.collect(),
                place: Place::default(),
                origin: Inst::UNNUMBERED,
            };
            let platform = [None, Some(Generation::Skl), Some(Generation::Pvc)][i % 3];
            let (fits, count) = found(&object, &inst, platform);
            assert!(!fits || count == 0, "{inst:?}");
            fitting += usize::from(fits);
            wrong += count;
        }
    }
    assert!(fitting > 10_000 && wrong > 10_000, "{fitting} {wrong}");
}
