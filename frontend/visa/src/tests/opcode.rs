use super::*;
use crate::module::{Exec, Inst, Label, Operand, Place};

#[test]
fn rows_stand_in_order_and_are_distinct() {
    for (i, row) in ROWS.iter().enumerate() {
        assert_eq!(row.opcode as usize, i);
    }
    assert!(ROWS.is_sorted_by_key(|row| row.number));
    for pair in ROWS.windows(2).filter(|p| p[0].number == p[1].number) {
        assert!(!pair[0].subs.is_empty() && !pair[1].subs.is_empty());
    }
    for number in 0..=255 {
        let mut subs: Vec<u8> = Opcode::rows_of(number)
            .iter()
            .filter(|r| r.opcode != Opcode::LscBlock2dPayload)
            .flat_map(|r| r.subs)
            .copied()
            .collect();
        let all = subs.len();
        subs.sort_unstable();
        subs.dedup();
        assert_eq!(subs.len(), all, "sub-opcodes of {number:#x}");
    }
}

#[test]
fn mnemonics_find_their_opcode() {
    assert_eq!(Opcode::from_mnemonic("add"), Some((Opcode::Add, None)));
    assert_eq!(
        Opcode::from_mnemonic("max"),
        Some((Opcode::FMinMax, Some(1)))
    );
    assert_eq!(
        Opcode::from_mnemonic("sample_lz"),
        Some((Opcode::Sample3d, Some(24)))
    );
    assert_eq!(
        Opcode::from_mnemonic("fence_sw"),
        Some((Opcode::Fence, Some(0x80)))
    );
    assert_eq!(Opcode::from_mnemonic("fminmax"), None);
    for row in ROWS.iter().filter(|row| row.family_names().is_none()) {
        assert_eq!(
            Opcode::from_mnemonic(row.mnemonic),
            Some((row.opcode, None))
        );
    }
}

#[test]
fn every_raw_operand_of_a_row_has_a_shape_or_none() {
    for row in ROWS.iter().filter(|row| !row.raw.is_empty()) {
        let raws = row.operand_fields().filter(|field| field.has_shape());
        assert_eq!(raws.count(), row.raw.len(), "{}", row.mnemonic);
    }
}

#[test]
fn numbers_and_lists_say_which_operands_there_are() {
    let fields = |op: Opcode, operands: &[Operand], count| {
        let inst = Inst {
            op,
            exec: Exec {
                size: 8,
                offset: 0,
                no_mask: false,
            },
            pred: None,
            operands: operands.iter().cloned().collect(),
            place: Place::default(),
            origin: Inst::UNNUMBERED,
        };
        let fields: Vec<Field> = op
            .row()
            .operands_of(&inst)
            .map(|(field, _)| field)
            .take(count)
            .collect();
        (fields, op.row().operand_count_of(&inst))
    };
    let label = Operand::Label(Label::from_u32(0));
    let (list, least) = fields(Opcode::SwitchJmp, &[label.clone(), label], 4);
    assert_eq!(list, [S, Field::Labels, Field::Labels, Field::Labels]);
    assert_eq!(least, 1);
    let without = [b(M::RenderTargetMode), T, RD].len();
    for (mode, more) in [(0, 0), (1, 0), (2, 1)] {
        let (read, count) = fields(Opcode::RtRead, &[Operand::Field(mode)], 8);
        assert_eq!(read.len(), without + more);
        assert_eq!(count, read.len());
        assert_eq!(read.last(), Some(&RD));
    }
}

#[test]
fn orders_of_text_are_permutations() {
    for row in ROWS.iter().filter(|row| !row.text_order.is_empty()) {
        let mut order = row.text_order.to_vec();
        order.sort_unstable();
        let all: Vec<u8> = (0..row.operand_fields().count() as u8).collect();
        assert_eq!(order, all, "{}", row.mnemonic);
    }
}

#[test]
fn atomics_pack_and_unpack() {
    for number in 0..0x80 {
        if let Some(atomic) = Atomic::from_number(number) {
            assert_eq!(atomic.number(), number);
        }
    }
    let wide = Atomic {
        op: AtomicOp::CmpXchg,
        bits: 64,
    };
    assert_eq!(Atomic::from_number(0x47), Some(wide));
    assert_eq!(Atomic::from_number(0x1f), None);
}
