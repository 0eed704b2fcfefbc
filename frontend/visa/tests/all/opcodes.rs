//! The opcode table compared with the pages of the specification: each instruction has its number, its name, and a
//! text that can be read and printed.

use kiln_visa::opcode::{LscOp, Opcode};

/// Pages of the specification's instructions: name, number, sub-opcode, and the mnemonic of one of its instructions.
const PAGES: &[(&str, u8, Option<u8>, &str)] = &[
    ("3D_LOAD", 0x6e, None, "load_3d"),
    ("3D_SAMPLE", 0x6d, None, "sample_3d"),
    ("3D_SAMPLE4", 0x6f, None, "sample4"),
    ("ADD", 0x01, None, "add"),
    ("ADD3", 0x84, None, "add3"),
    ("ADD3O", 0x92, None, "add3.o"),
    ("ADDC", 0x49, None, "addc"),
    ("ADDR_ADD", 0x28, None, "addr_add"),
    ("AND", 0x20, None, "and"),
    ("ASR", 0x26, None, "asr"),
    ("AVG", 0x02, None, "avg"),
    ("AVS", 0x43, None, "avs"),
    ("BARRIER", 0x59, None, "barrier"),
    ("BFE", 0x46, None, "bfe"),
    ("BFI", 0x47, None, "bfi"),
    ("BFN", 0x85, None, "bfn"),
    ("BFREV", 0x48, None, "bfrev"),
    ("CACHE_FLUSH", 0x5a, None, "sampler_cache_flush"),
    ("CALL", 0x33, None, "call"),
    ("CBIT", 0x27, None, "cbit"),
    ("CMP", 0x2c, None, "cmp"),
    ("COS", 0x18, None, "cos"),
    ("DIV", 0x03, None, "div"),
    ("DIVM", 0x7f, None, "divm"),
    ("DP4A", 0x82, None, "dp4a"),
    ("DPAS", 0x83, None, "dpas"),
    ("DPASW", 0x1c, None, "dpasw"),
    ("DWORD_ATOMIC", 0x7d, None, "dword_atomic"),
    ("EXP", 0x08, None, "exp"),
    ("FADDR", 0x50, None, "faddr"),
    ("FBH", 0x2f, None, "fbh"),
    ("FBL", 0x2e, None, "fbl"),
    ("FCALL", 0x67, None, "fcall"),
    ("FCCALL", 0x33, None, "call"),
    ("FCVT", 0x1d, None, "fcvt"),
    ("FENCE", 0x5c, None, "fence_global"),
    ("FILE", 0x51, None, "FILE"),
    ("FRC", 0x09, None, "frc"),
    ("FRET", 0x68, None, "fret"),
    ("GATHER", 0x39, None, "gather"),
    ("GATHER4_SCALED", 0x74, None, "gather4_scaled"),
    ("GATHER4_TYPED", 0x4b, None, "gather4_typed"),
    ("GATHER_SCALED", 0x78, None, "gather_scaled"),
    ("GOTO", 0x6c, None, "goto"),
    ("IFCALL", 0x4f, None, "ifcall"),
    ("INFO", 0x70, None, "resinfo"),
    ("INV", 0x1b, None, "inv"),
    ("INVM", 0x9b, None, "invm"),
    ("JMP", 0x32, None, "jmp"),
    ("LABEL", 0x31, None, "label"),
    ("LIFETIME", 0x7b, None, "lifetime"),
    ("LOC", 0x52, None, "LOC"),
    ("LOG", 0x0b, None, "log"),
    ("LRP", 0x0e, None, "lrp"),
    ("LSC_FENCE", 0x8b, None, "lsc_fence"),
    ("LSC_TYPED", 0x8a, None, "lsc_typed"),
    ("LSC_UNTYPED", 0x89, None, "lsc_untyped"),
    ("LZD", 0x1f, None, "lzd"),
    ("MAD", 0x0c, None, "mad"),
    ("MADW", 0x91, None, "madw"),
    ("MEDIA_LD", 0x37, None, "media_ld"),
    ("MEDIA_ST", 0x38, None, "media_st"),
    ("MIN_MAX", 0x45, None, "min"),
    ("MOD", 0x0f, None, "mod"),
    ("MOV", 0x29, None, "mov"),
    ("MOVS", 0x2d, None, "movs"),
    ("MUL", 0x10, None, "mul"),
    ("MULH", 0x0d, None, "mulh"),
    ("NBARRIER", 0x60, None, "nbarrier"),
    ("NOT", 0x23, None, "not"),
    ("OR", 0x21, None, "or"),
    ("OWORD_LD", 0x35, None, "oword_ld"),
    ("OWORD_LD_UNALIGNED", 0x3c, None, "oword_ld_unaligned"),
    ("OWORD_ST", 0x36, None, "oword_st"),
    ("PLN", 0x6b, None, "plane"),
    ("POW", 0x11, None, "pow"),
    ("QW_GATHER", 0x86, None, "qw_gather"),
    ("QW_SCATTER", 0x87, None, "qw_scatter"),
    ("RAW_SEND", 0x5d, None, "raw_send"),
    ("RAW_SENDS", 0x7a, None, "raw_sends"),
    ("RET", 0x34, None, "ret"),
    ("RNDD", 0x12, None, "rndd"),
    ("RNDE", 0x14, None, "rnde"),
    ("RNDU", 0x13, None, "rndu"),
    ("RNDZ", 0x15, None, "rndz"),
    ("ROL", 0x80, None, "rol"),
    ("ROR", 0x81, None, "ror"),
    ("RSQRT", 0x1a, None, "rsqrt"),
    ("RSQTM", 0x9c, None, "rsqtm"),
    ("RT_READ", 0x90, None, "rt_read"),
    ("RT_WRITE", 0x71, None, "rt_write_3d"),
    ("SAD2", 0x16, None, "sad2"),
    ("SAD2ADD", 0x6a, None, "sad2add"),
    ("SAMPLE_UNORM", 0x41, None, "sample_unorm"),
    ("SBARRIER", 0x7c, None, "sbarrier"),
    ("SCATTER", 0x3a, None, "scatter"),
    ("SCATTER4_SCALED", 0x75, None, "scatter4_scaled"),
    ("SCATTER4_TYPED", 0x4c, None, "scatter4_typed"),
    ("SCATTER_SCALED", 0x79, None, "scatter_scaled"),
    ("SEL", 0x2a, None, "sel"),
    ("SETP", 0x2b, None, "setp"),
    ("SHL", 0x24, None, "shl"),
    ("SHR", 0x25, None, "shr"),
    ("SIN", 0x17, None, "sin"),
    ("SQRT", 0x19, None, "sqrt"),
    ("SQRTM", 0x7e, None, "sqrtm"),
    ("SRND", 0x1e, None, "srnd"),
    ("SUBB", 0x4a, None, "subb"),
    ("SUBROUTINE", 0x30, None, "subroutine"),
    ("SVM", 0x4e, None, "svm_block_ld"),
    ("SVM_ATOMIC", 0x4e, Some(5), "svm_atomic"),
    ("SVM_BLOCK_LD", 0x4e, Some(1), "svm_block_ld"),
    ("SVM_BLOCK_ST", 0x4e, Some(2), "svm_block_st"),
    ("SVM_GATHER", 0x4e, Some(3), "svm_gather"),
    ("SVM_GATHER4_SCALED", 0x4e, Some(6), "svm_gather4scaled"),
    ("SVM_SCATTER", 0x4e, Some(4), "svm_scatter"),
    ("SVM_SCATTER4_SCALED", 0x4e, Some(7), "svm_scatter4scaled"),
    ("SWITCHJMP", 0x69, None, "switchjmp"),
    ("TYPED_ATOMIC", 0x73, None, "typed_atomic"),
    ("URB_WRITE", 0x72, None, "urb_write_3d"),
    ("VME_FBR", 0x56, None, "vme_fbr"),
    ("VME_IDM", 0x57, None, "vme_idm"),
    ("VME_IME", 0x54, None, "vme_ime"),
    ("VME_SIC", 0x55, None, "vme_sic"),
    ("WAIT", 0x5b, None, "wait"),
    ("XOR", 0x22, None, "xor"),
    ("YIELD", 0x5f, None, "yield"),
];

#[test]
fn every_page_has_its_row() {
    assert_eq!(PAGES.len(), 127);
    for &(page, number, sub, mnemonic) in PAGES {
        let rows = Opcode::rows_of(number);
        assert!(!rows.is_empty(), "{page}: no opcode {number:#x}");
        let found = rows.iter().find(|row| {
            let family = row.family_names().into_iter().flatten();
            let names = family.map(|(name, _)| *name).chain([row.mnemonic]);
            names.into_iter().any(|name| name == mnemonic)
        });
        let row = found.unwrap_or_else(|| panic!("{page}: no `{mnemonic}` of {number:#x}"));
        if let Some(sub) = sub {
            assert!(row.subs.contains(&sub), "{page}: sub-opcode {sub}");
        }
        if !mnemonic.starts_with("lsc_") || mnemonic == "lsc_fence" {
            let (opcode, _) = Opcode::from_mnemonic(mnemonic).expect(page);
            assert_eq!(opcode, row.opcode, "{page}");
        }
    }
}

/// Numbers of the format without a page in the specification.
const NO_PAGE: &[u8] = &[
    0x04, 0x05, 0x06, 0x07, 0x0a, // dp2, dp3, dp4, dph, line
    0x40, 0x42, 0x44, 0x4d, // the old sampler, vector analytics
    0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, // newer than the pages
];

#[test]
fn every_row_has_its_page() {
    for row in Opcode::rows() {
        let page = PAGES.iter().any(|(_, number, ..)| *number == row.number);
        assert_ne!(page, NO_PAGE.contains(&row.number), "{}", row.mnemonic);
    }
}

/// Operations in the tables of the pages LSC_UNTYPED and LSC_TYPED.
#[test]
fn lsc_operations_have_their_numbers() {
    let untyped = [
        ("lsc_load", 0x00),
        ("lsc_load_strided", 0x01),
        ("lsc_load_quad", 0x02),
        ("lsc_load_block2d", 0x03),
        ("lsc_store", 0x04),
        ("lsc_store_strided", 0x05),
        ("lsc_store_quad", 0x06),
        ("lsc_store_block2d", 0x07),
        ("lsc_atomic_iinc", 0x08),
        ("lsc_atomic_idec", 0x09),
        ("lsc_atomic_load", 0x0a),
        ("lsc_atomic_store", 0x0b),
        ("lsc_atomic_iadd", 0x0c),
        ("lsc_atomic_isub", 0x0d),
        ("lsc_atomic_smin", 0x0e),
        ("lsc_atomic_smax", 0x0f),
        ("lsc_atomic_umin", 0x10),
        ("lsc_atomic_umax", 0x11),
        ("lsc_atomic_icas", 0x12),
        ("lsc_atomic_fadd", 0x13),
        ("lsc_atomic_fsub", 0x14),
        ("lsc_atomic_fmin", 0x15),
        ("lsc_atomic_fmax", 0x16),
        ("lsc_atomic_fcas", 0x17),
        ("lsc_atomic_and", 0x18),
        ("lsc_atomic_or", 0x19),
        ("lsc_atomic_xor", 0x1a),
        ("lsc_load_status", 0x1b),
        ("lsc_store_uncompressed", 0x1c),
        ("lsc_apndctr_atomic_add", 0x28),
        ("lsc_apndctr_atomic_sub", 0x29),
    ];
    for (name, number) in untyped {
        assert_eq!(LscOp::from_name(name), Some(number), "{name}");
        assert_eq!(LscOp::name(number), Some(name));
        assert!(LscOp::row(number, false).is_some(), "{name}");
    }
    let typed = [0x02, 0x03, 0x06, 0x07, 0x1b, 0x1c, 0x1e];
    for number in typed.into_iter().chain(0x08..=0x1a) {
        assert!(LscOp::row(number, true).is_some(), "{number:#x}");
    }
}
