//! Shapes of raw operands, from the pages of the specification.

use kiln_visa::opcode::Opcode;
use kiln_visa::shape::{RawAccess, RawShape, raw_access};
use kiln_visa::text;

fn lanes(bytes: u32, planes: u32) -> RawAccess {
    RawAccess {
        shape: RawShape::Lanes { bytes, planes },
        masked: false,
    }
}

fn block(bytes: u32) -> RawAccess {
    RawAccess {
        shape: RawShape::Block { bytes },
        masked: false,
    }
}

fn opaque(bytes: u32) -> RawAccess {
    RawAccess {
        masked: true,
        ..block(bytes)
    }
}

/// Accesses of the raw operands of one instruction, without `%null`. `F`, `H` and `D` are variables of floats, half
/// floats and dwords.
fn accesses(line: &str) -> Vec<RawAccess> {
    let source = format!(
        ".version 4.1\n.kernel \"k\"\n\
         .decl F v_type=G type=f num_elts=512 align=hword\n\
         .decl H v_type=G type=hf num_elts=512 align=hword\n\
         .decl D v_type=G type=ud num_elts=512 align=hword\n\
         .decl Q v_type=G type=uq num_elts=64 align=hword\n\
         .decl P1 v_type=P num_elts=16\n\
         .decl T6 v_type=T num_elts=1 v_name=T006\n.decl S1 v_type=S num_elts=1\n{line}\n"
    );
    let module = text::parse(&source).unwrap_or_else(|e| panic!("{e}: {line}"));
    let object = &module.objects[0];
    let inst = &object.insts[0];
    let raws = (0..inst.operands.len()).filter_map(|i| raw_access(object, inst, i, 32));
    raws.collect()
}

#[test]
fn shapes_are_those_of_the_specification() {
    let table: &[(&str, &[RawAccess])] = &[
        (
            "gather4_scaled.RGA (M1, 16) T6 0x0:ud D.0 F.0",
            &[lanes(4, 1), lanes(4, 3)],
        ),
        ("oword_ld (8) T6 0x0:ud D.0", &[block(128)]),
        (
            "media_ld.nomod (12, 4) T6 0 0x0:ud 0x0:ud D.0",
            &[block(64)],
        ),
        (
            "lsc_load_block2d.tgm D:13x3 bti(0x4)[D(0,0),D(0,1)]",
            &[block(48), block(48)],
        ),
        (
            "svm_gather.1.4 (M1, 8) Q.0 D.0",
            &[lanes(8, 1), lanes(4, 1)],
        ),
        (
            "svm_gather.1.8 (M1, 8) Q.0 D.0",
            &[lanes(8, 1), lanes(8, 1)],
        ),
        (
            "svm_gather.4.2 (M1, 8) Q.0 D.0",
            &[lanes(8, 1), lanes(4, 2)],
        ),
        (
            "svm_gather.8.4 (M1, 8) Q.0 Q.0",
            &[lanes(8, 1), lanes(8, 4)],
        ),
        (
            "gather4_typed.RG (M1, 8) T6 D.0 D.0 %null.0 %null.0 F.0",
            &[
                lanes(4, 1),
                lanes(4, 1),
                lanes(4, 1),
                lanes(4, 1),
                lanes(4, 2),
            ],
        ),
        (
            "sample_3d.RGB (M1, 8) 0x0:uw S1 T6 H.0 F.0 F.0",
            &[lanes(2, 3), lanes(4, 1), lanes(4, 1)],
        ),
        (
            "sample_3d.pixel_null_mask.RG (M1, 16) 0x0:uw S1 T6 F.0 F.0",
            &[opaque(64 * 2 + 32), lanes(4, 1)],
        ),
        (
            "sample4.G (M1, 8) 0x0:uw S1 T6 F.0 F.0 F.0",
            &[lanes(4, 4), lanes(4, 1), lanes(4, 1)],
        ),
        (
            "load_3d.R (M1, 16) 0x0:uw T6 F.0 D.0 D.0 D.0",
            &[lanes(4, 1), lanes(4, 1), lanes(4, 1), lanes(4, 1)],
        ),
        (
            "raw_send (M1, 8) 0xc 3 2 0x0:ud D.0 F.0",
            &[opaque(96), opaque(64)],
        ),
        (
            "raw_sends.10.1.4.2 (M1, 8) 0x0:ud 0x0:ud D.0 F.0 D.0",
            &[opaque(32), opaque(128), opaque(64)],
        ),
        (
            "sample_unorm.RB.16-full S1 T6 0x0:f 0x0:f 0x0:f 0x0:f D.0",
            &[opaque(128)],
        ),
        (
            "sample.RG (16) S1 T6 F.0 F.0 F.0 F.0",
            &[block(64), block(64), block(64), opaque(128)],
        ),
    ];
    for (line, expected) in table {
        assert_eq!(&accesses(line), expected, "{line}");
    }
}

/// Operands that a mode omits do not shift the others.
#[test]
fn optional_operands_keep_the_shapes_of_the_others() {
    let with = accesses("rt_write_3d.<O> (M1, 16) T6 %null.0 D.0 F.0 F.0 F.0 F.0");
    let own = lanes(4, 1);
    assert_eq!(with, [block(32), lanes(2, 1), own, own, own, own]);
    let without = accesses("rt_write_3d.<Z> (M1, 16) T6 %null.0 H.0 F.0 F.0 F.0 F.0");
    assert_eq!(without, [block(32), lanes(2, 1), own, own, own, own]);
}

#[test]
fn a_plane_begins_a_register() {
    let narrow = RawShape::Lanes {
        bytes: 2,
        planes: 3,
    };
    assert_eq!(narrow.extent(8, 32), 2 * 32 + 16);
    assert_eq!(narrow.extent(8, 64), 2 * 64 + 16);
    assert_eq!(narrow.extent(32, 32), 3 * 64);
    assert_eq!(RawShape::Block { bytes: 20 }.extent(16, 32), 20);
}

#[test]
fn every_message_of_the_data_port_and_the_sampler_has_one_but_the_old_and_the_undescribed() {
    let without: Vec<&str> = Opcode::rows()
        .iter()
        .filter(|row| row.raw.is_empty() && row.operand_fields().any(|f| f.is_raw()))
        .map(|row| row.mnemonic)
        .filter(|name| !name.starts_with("va"))
        .collect();
    let expected = ["lsc_counter", "raw_sendg", "shfl_idx4", "bdpas", "dnscl"];
    assert_eq!(without, expected);
}
