//! Instructions of AVX-512 as instructions of AVX2, FMA and F16C: one row for each form of [`super::codes`].
//!
//! A row says how 32 bytes of a vector are computed; [`super::expand`] makes its instructions.

use std::collections::HashMap;
use std::sync::OnceLock;

use iced_x86::{Code, Instruction, OpKind, Register};

use super::asm::Length;
use super::codes::{self, Codes};

/// An instruction of 16 and of 32 bytes.
pub type Pair = [Code; 2];

/// The code of AVX2 for a form.
#[derive(Clone, Copy)]
pub enum Row {
    /// One instruction of two sources.
    Three(Pair),
    /// One that reads its destination, too.
    Fused(Pair),
    /// One instruction of a source.
    Two(Pair),
    /// One instruction of a register and a number.
    Number(Pair),
    Move,
    Store,
    /// A rotation by a first and a second shift.
    Rotate(Pair, Pair),
    ShiftSigned64,
    ShiftSigned64By,
    Magnitude64,
    Maximum64,
    Minimum64,
    Product64,
    Blend,
    /// Dwords of one or two vectors by their numbers, which are the destination's in the second case.
    Permute,
    Permute2,
    PermuteWords,
    PermuteWords2,
    FromUnsigned,
    ToUnsigned,
    /// Quadwords to floats, lane by lane.
    FromQuads(Code, usize),
    Ternary,
    /// Equal, and greater.
    Compare(Pair, Pair),
    /// As `Compare`, with these bits inverted first.
    CompareUnsigned(Pair, Pair, u64),
    CompareFloats(Pair),
    /// Lanes with a bit in common, or with none.
    Test(Pair, bool),
    Broadcast(Pair),
    BroadcastGeneral(Code, Pair),
    NarrowQuads,
    NarrowDwords(usize),
    NarrowDoubles,
    /// Elements that are this many times as long afterwards.
    Widen(Pair, usize),
    WidenUnsigned,
    Gather(Pair),
    Scatter,
    LoadLow(Code),
    StoreLow(Code),
    UpperHalf,
    InsertHalf,
}

impl Row {
    /// True if the result has one half, whatever the source has.
    pub fn narrows(self) -> bool {
        matches!(
            self,
            Row::NarrowQuads | Row::NarrowDwords(_) | Row::NarrowDoubles | Row::FromQuads(_, 4)
        )
    }
}

/// An instruction of 16 and of 32 bytes by their names.
macro_rules! pair {
    ($x:ident, $y:ident) => {
        [Code::$x, Code::$y]
    };
}
pub(super) use pair;

pub const AND: Pair = pair!(VEX_Vpand_xmm_xmm_xmmm128, VEX_Vpand_ymm_ymm_ymmm256);
pub const ANDN: Pair = pair!(VEX_Vpandn_xmm_xmm_xmmm128, VEX_Vpandn_ymm_ymm_ymmm256);
pub const OR: Pair = pair!(VEX_Vpor_xmm_xmm_xmmm128, VEX_Vpor_ymm_ymm_ymmm256);
pub const XOR: Pair = pair!(VEX_Vpxor_xmm_xmm_xmmm128, VEX_Vpxor_ymm_ymm_ymmm256);
pub const ADDQ: Pair = pair!(VEX_Vpaddq_xmm_xmm_xmmm128, VEX_Vpaddq_ymm_ymm_ymmm256);
pub const SUBD: Pair = pair!(VEX_Vpsubd_xmm_xmm_xmmm128, VEX_Vpsubd_ymm_ymm_ymmm256);
pub const SUBQ: Pair = pair!(VEX_Vpsubq_xmm_xmm_xmmm128, VEX_Vpsubq_ymm_ymm_ymmm256);
pub const SUBPS: Pair = pair!(VEX_Vsubps_xmm_xmm_xmmm128, VEX_Vsubps_ymm_ymm_ymmm256);
pub const SUBPD: Pair = pair!(VEX_Vsubpd_xmm_xmm_xmmm128, VEX_Vsubpd_ymm_ymm_ymmm256);
const SLLVD: Pair = pair!(VEX_Vpsllvd_xmm_xmm_xmmm128, VEX_Vpsllvd_ymm_ymm_ymmm256);
pub const SRLVD: Pair = pair!(VEX_Vpsrlvd_xmm_xmm_xmmm128, VEX_Vpsrlvd_ymm_ymm_ymmm256);
pub const SRLVQ: Pair = pair!(VEX_Vpsrlvq_xmm_xmm_xmmm128, VEX_Vpsrlvq_ymm_ymm_ymmm256);
pub const SLLD: Pair = pair!(VEX_Vpslld_xmm_xmm_imm8, VEX_Vpslld_ymm_ymm_imm8);
pub const SRLD: Pair = pair!(VEX_Vpsrld_xmm_xmm_imm8, VEX_Vpsrld_ymm_ymm_imm8);
pub const SRAD: Pair = pair!(VEX_Vpsrad_xmm_xmm_imm8, VEX_Vpsrad_ymm_ymm_imm8);
pub const SLLQ: Pair = pair!(VEX_Vpsllq_xmm_xmm_imm8, VEX_Vpsllq_ymm_ymm_imm8);
pub const SRLQ: Pair = pair!(VEX_Vpsrlq_xmm_xmm_imm8, VEX_Vpsrlq_ymm_ymm_imm8);
pub const MULUDQ: Pair = pair!(VEX_Vpmuludq_xmm_xmm_xmmm128, VEX_Vpmuludq_ymm_ymm_ymmm256);
pub const EQB: Pair = pair!(VEX_Vpcmpeqb_xmm_xmm_xmmm128, VEX_Vpcmpeqb_ymm_ymm_ymmm256);
pub const EQW: Pair = pair!(VEX_Vpcmpeqw_xmm_xmm_xmmm128, VEX_Vpcmpeqw_ymm_ymm_ymmm256);
pub const EQD: Pair = pair!(VEX_Vpcmpeqd_xmm_xmm_xmmm128, VEX_Vpcmpeqd_ymm_ymm_ymmm256);
pub const EQQ: Pair = pair!(VEX_Vpcmpeqq_xmm_xmm_xmmm128, VEX_Vpcmpeqq_ymm_ymm_ymmm256);
const GTD: Pair = pair!(VEX_Vpcmpgtd_xmm_xmm_xmmm128, VEX_Vpcmpgtd_ymm_ymm_ymmm256);
pub const GTQ: Pair = pair!(VEX_Vpcmpgtq_xmm_xmm_xmmm128, VEX_Vpcmpgtq_ymm_ymm_ymmm256);
pub const CMPPS: Pair = pair!(
    VEX_Vcmpps_xmm_xmm_xmmm128_imm8,
    VEX_Vcmpps_ymm_ymm_ymmm256_imm8
);
const CMPPD: Pair = pair!(
    VEX_Vcmppd_xmm_xmm_xmmm128_imm8,
    VEX_Vcmppd_ymm_ymm_ymmm256_imm8
);
pub const CVTDQ2PS: Pair = pair!(VEX_Vcvtdq2ps_xmm_xmmm128, VEX_Vcvtdq2ps_ymm_ymmm256);
pub const CVTTPS2DQ: Pair = pair!(VEX_Vcvttps2dq_xmm_xmmm128, VEX_Vcvttps2dq_ymm_ymmm256);
pub const FMADD231PS: Pair = pair!(
    VEX_Vfmadd231ps_xmm_xmm_xmmm128,
    VEX_Vfmadd231ps_ymm_ymm_ymmm256
);
pub const BROADCASTD: Pair = pair!(VEX_Vpbroadcastd_xmm_xmmm32, VEX_Vpbroadcastd_ymm_xmmm32);
pub const BROADCASTQ: Pair = pair!(VEX_Vpbroadcastq_xmm_xmmm64, VEX_Vpbroadcastq_ymm_xmmm64);
pub const MOVZXDQ: Pair = pair!(VEX_Vpmovzxdq_xmm_xmmm64, VEX_Vpmovzxdq_ymm_xmmm128);
pub const MOVDQU: Pair = pair!(VEX_Vmovdqu_xmm_xmmm128, VEX_Vmovdqu_ymm_ymmm256);
pub const STOREU: Pair = pair!(VEX_Vmovdqu_xmmm128_xmm, VEX_Vmovdqu_ymmm256_ymm);
pub const BLEND: Pair = pair!(
    VEX_Vpblendvb_xmm_xmm_xmmm128_xmm,
    VEX_Vpblendvb_ymm_ymm_ymmm256_ymm
);

/// Forms with their rows, and the size of the elements that a mask chooses.
const ROWS: &[(Codes, Row, usize)] = &[
    (
        codes::ADDPS,
        Row::Three(pair!(
            VEX_Vaddps_xmm_xmm_xmmm128,
            VEX_Vaddps_ymm_ymm_ymmm256
        )),
        4,
    ),
    (codes::SUBPS, Row::Three(SUBPS), 4),
    (
        codes::MULPS,
        Row::Three(pair!(
            VEX_Vmulps_xmm_xmm_xmmm128,
            VEX_Vmulps_ymm_ymm_ymmm256
        )),
        4,
    ),
    (
        codes::DIVPS,
        Row::Three(pair!(
            VEX_Vdivps_xmm_xmm_xmmm128,
            VEX_Vdivps_ymm_ymm_ymmm256
        )),
        4,
    ),
    (
        codes::MINPS,
        Row::Three(pair!(
            VEX_Vminps_xmm_xmm_xmmm128,
            VEX_Vminps_ymm_ymm_ymmm256
        )),
        4,
    ),
    (
        codes::MAXPS,
        Row::Three(pair!(
            VEX_Vmaxps_xmm_xmm_xmmm128,
            VEX_Vmaxps_ymm_ymm_ymmm256
        )),
        4,
    ),
    (codes::FMADD231PS, Row::Fused(FMADD231PS), 4),
    (
        codes::ADDPD,
        Row::Three(pair!(
            VEX_Vaddpd_xmm_xmm_xmmm128,
            VEX_Vaddpd_ymm_ymm_ymmm256
        )),
        8,
    ),
    (
        codes::MULPD,
        Row::Three(pair!(
            VEX_Vmulpd_xmm_xmm_xmmm128,
            VEX_Vmulpd_ymm_ymm_ymmm256
        )),
        8,
    ),
    (
        codes::DIVPD,
        Row::Three(pair!(
            VEX_Vdivpd_xmm_xmm_xmmm128,
            VEX_Vdivpd_ymm_ymm_ymmm256
        )),
        8,
    ),
    (
        codes::MINPD,
        Row::Three(pair!(
            VEX_Vminpd_xmm_xmm_xmmm128,
            VEX_Vminpd_ymm_ymm_ymmm256
        )),
        8,
    ),
    (
        codes::MAXPD,
        Row::Three(pair!(
            VEX_Vmaxpd_xmm_xmm_xmmm128,
            VEX_Vmaxpd_ymm_ymm_ymmm256
        )),
        8,
    ),
    (
        codes::FMADD231PD,
        Row::Fused(pair!(
            VEX_Vfmadd231pd_xmm_xmm_xmmm128,
            VEX_Vfmadd231pd_ymm_ymm_ymmm256
        )),
        8,
    ),
    (codes::ANDD, Row::Three(AND), 4),
    (codes::ORD, Row::Three(OR), 4),
    (codes::XORD, Row::Three(XOR), 4),
    (codes::ANDQ, Row::Three(AND), 8),
    (codes::ORQ, Row::Three(OR), 8),
    (codes::XORQ, Row::Three(XOR), 8),
    (
        codes::ADDD,
        Row::Three(pair!(
            VEX_Vpaddd_xmm_xmm_xmmm128,
            VEX_Vpaddd_ymm_ymm_ymmm256
        )),
        4,
    ),
    (codes::SUBD, Row::Three(SUBD), 4),
    (codes::ADDQ, Row::Three(ADDQ), 8),
    (codes::SUBQ, Row::Three(SUBQ), 8),
    (
        codes::MULLD,
        Row::Three(pair!(
            VEX_Vpmulld_xmm_xmm_xmmm128,
            VEX_Vpmulld_ymm_ymm_ymmm256
        )),
        4,
    ),
    (codes::MULLQ, Row::Product64, 8),
    (codes::SLLVD, Row::Three(SLLVD), 4),
    (codes::SRLVD, Row::Three(SRLVD), 4),
    (
        codes::SRAVD,
        Row::Three(pair!(
            VEX_Vpsravd_xmm_xmm_xmmm128,
            VEX_Vpsravd_ymm_ymm_ymmm256
        )),
        4,
    ),
    (
        codes::SLLVQ,
        Row::Three(pair!(
            VEX_Vpsllvq_xmm_xmm_xmmm128,
            VEX_Vpsllvq_ymm_ymm_ymmm256
        )),
        8,
    ),
    (codes::SRLVQ, Row::Three(SRLVQ), 8),
    (codes::SRAVQ, Row::ShiftSigned64, 8),
    (codes::ROLVD, Row::Rotate(SLLVD, SRLVD), 4),
    (codes::RORVD, Row::Rotate(SRLVD, SLLVD), 4),
    (codes::BLENDMD, Row::Blend, 4),
    (codes::BLENDMQ, Row::Blend, 8),
    (codes::MAXSQ, Row::Maximum64, 8),
    (codes::MINSQ, Row::Minimum64, 8),
    (codes::PERMD, Row::Permute, 4),
    (codes::PERMI2D, Row::Permute2, 4),
    (codes::PERMW, Row::PermuteWords, 2),
    (codes::PERMI2W, Row::PermuteWords2, 2),
    (
        codes::SQRTPS,
        Row::Two(pair!(VEX_Vsqrtps_xmm_xmmm128, VEX_Vsqrtps_ymm_ymmm256)),
        4,
    ),
    (
        codes::SQRTPD,
        Row::Two(pair!(VEX_Vsqrtpd_xmm_xmmm128, VEX_Vsqrtpd_ymm_ymmm256)),
        8,
    ),
    (codes::CVTDQ2PS, Row::Two(CVTDQ2PS), 4),
    (codes::CVTUDQ2PS, Row::FromUnsigned, 4),
    (codes::CVTTPS2DQ, Row::Two(CVTTPS2DQ), 4),
    (codes::CVTTPS2UDQ, Row::ToUnsigned, 4),
    (
        codes::ABSD,
        Row::Two(pair!(VEX_Vpabsd_xmm_xmmm128, VEX_Vpabsd_ymm_ymmm256)),
        4,
    ),
    (codes::ABSQ, Row::Magnitude64, 8),
    (codes::MOVDQA32, Row::Move, 4),
    (codes::MOVDQA64, Row::Move, 8),
    (codes::MOVDQU8, Row::Move, 1),
    (codes::MOVDQU16, Row::Move, 2),
    (codes::MOVDQU32, Row::Move, 4),
    (codes::MOVDQU64, Row::Move, 8),
    (codes::STOREU8, Row::Store, 1),
    (codes::STOREU16, Row::Store, 2),
    (codes::STOREU32, Row::Store, 4),
    (codes::STOREU64, Row::Store, 8),
    (
        codes::CVTQQ2PD,
        Row::FromQuads(Code::VEX_Vcvtsi2sd_xmm_xmm_rm64, 8),
        8,
    ),
    (
        codes::CVTQQ2PS,
        Row::FromQuads(Code::VEX_Vcvtsi2ss_xmm_xmm_rm64, 4),
        4,
    ),
    (codes::SLLD, Row::Number(SLLD), 4),
    (codes::SRLD, Row::Number(SRLD), 4),
    (codes::SRAD, Row::Number(SRAD), 4),
    (codes::SLLQ, Row::Number(SLLQ), 8),
    (codes::SRLQ, Row::Number(SRLQ), 8),
    (codes::SRAQ, Row::ShiftSigned64By, 8),
    (
        codes::RNDSCALEPS,
        Row::Number(pair!(
            VEX_Vroundps_xmm_xmmm128_imm8,
            VEX_Vroundps_ymm_ymmm256_imm8
        )),
        4,
    ),
    (
        codes::RNDSCALEPD,
        Row::Number(pair!(
            VEX_Vroundpd_xmm_xmmm128_imm8,
            VEX_Vroundpd_ymm_ymmm256_imm8
        )),
        8,
    ),
    (codes::TERNLOGD, Row::Ternary, 4),
    (codes::TERNLOGQ, Row::Ternary, 8),
    (codes::CMPD, Row::Compare(EQD, GTD), 4),
    (
        codes::CMPUD,
        Row::CompareUnsigned(EQD, GTD, (1 << 63) | (1 << 31)),
        4,
    ),
    (codes::CMPQ, Row::Compare(EQQ, GTQ), 8),
    (codes::CMPUQ, Row::CompareUnsigned(EQQ, GTQ, 1 << 63), 8),
    (codes::CMPPS, Row::CompareFloats(CMPPS), 4),
    (codes::CMPPD, Row::CompareFloats(CMPPD), 8),
    (codes::TESTMD, Row::Test(EQD, true), 4),
    (codes::TESTNMD, Row::Test(EQD, false), 4),
    (codes::TESTMQ, Row::Test(EQQ, true), 8),
    (codes::TESTNMQ, Row::Test(EQQ, false), 8),
    (codes::BROADCASTD, Row::Broadcast(BROADCASTD), 4),
    (codes::BROADCASTQ, Row::Broadcast(BROADCASTQ), 8),
    (
        codes::BROADCASTD_GPR,
        Row::BroadcastGeneral(Code::VEX_Vmovd_xmm_rm32, BROADCASTD),
        4,
    ),
    (
        codes::BROADCASTQ_GPR,
        Row::BroadcastGeneral(Code::VEX_Vmovq_xmm_rm64, BROADCASTQ),
        8,
    ),
    (codes::MOVDW, Row::NarrowDwords(2), 2),
    (codes::MOVDB, Row::NarrowDwords(1), 1),
    (codes::MOVQD, Row::NarrowQuads, 4),
    (codes::CVTPD2PS, Row::NarrowDoubles, 4),
    (
        codes::MOVSXBD,
        Row::Widen(pair!(VEX_Vpmovsxbd_xmm_xmmm32, VEX_Vpmovsxbd_ymm_xmmm64), 4),
        4,
    ),
    (
        codes::MOVSXWD,
        Row::Widen(
            pair!(VEX_Vpmovsxwd_xmm_xmmm64, VEX_Vpmovsxwd_ymm_xmmm128),
            2,
        ),
        4,
    ),
    (
        codes::MOVSXDQ,
        Row::Widen(
            pair!(VEX_Vpmovsxdq_xmm_xmmm64, VEX_Vpmovsxdq_ymm_xmmm128),
            2,
        ),
        8,
    ),
    (
        codes::MOVZXBD,
        Row::Widen(pair!(VEX_Vpmovzxbd_xmm_xmmm32, VEX_Vpmovzxbd_ymm_xmmm64), 4),
        4,
    ),
    (
        codes::MOVZXWD,
        Row::Widen(
            pair!(VEX_Vpmovzxwd_xmm_xmmm64, VEX_Vpmovzxwd_ymm_xmmm128),
            2,
        ),
        4,
    ),
    (codes::MOVZXDQ, Row::Widen(MOVZXDQ, 2), 8),
    (
        codes::CVTPH2PS,
        Row::Widen(
            pair!(VEX_Vcvtph2ps_xmm_xmmm64, VEX_Vcvtph2ps_ymm_xmmm128),
            2,
        ),
        4,
    ),
    (
        codes::CVTPS2PD,
        Row::Widen(
            pair!(VEX_Vcvtps2pd_xmm_xmmm64, VEX_Vcvtps2pd_ymm_xmmm128),
            2,
        ),
        8,
    ),
    (
        codes::CVTDQ2PD,
        Row::Widen(
            pair!(VEX_Vcvtdq2pd_xmm_xmmm64, VEX_Vcvtdq2pd_ymm_xmmm128),
            2,
        ),
        8,
    ),
    (codes::CVTUDQ2PD, Row::WidenUnsigned, 8),
    (
        codes::GATHERDD,
        Row::Gather(pair!(
            VEX_Vpgatherdd_xmm_vm32x_xmm,
            VEX_Vpgatherdd_ymm_vm32y_ymm
        )),
        4,
    ),
    (
        codes::GATHERDQ,
        Row::Gather(pair!(
            VEX_Vpgatherdq_xmm_vm32x_xmm,
            VEX_Vpgatherdq_ymm_vm32x_ymm
        )),
        8,
    ),
    (codes::SCATTERDD, Row::Scatter, 4),
    (codes::SCATTERDQ, Row::Scatter, 8),
];

/// Single instructions with their rows.
const SINGLE_ROWS: &[(Code, Row)] = &[
    (
        Code::EVEX_Vmovd_xmm_rm32,
        Row::LoadLow(Code::VEX_Vmovd_xmm_rm32),
    ),
    (
        Code::EVEX_Vmovq_xmm_xmmm64,
        Row::LoadLow(Code::VEX_Vmovq_xmm_xmmm64),
    ),
    (
        Code::EVEX_Vmovd_rm32_xmm,
        Row::StoreLow(Code::VEX_Vmovd_rm32_xmm),
    ),
    (
        Code::EVEX_Vmovq_xmmm64_xmm,
        Row::StoreLow(Code::VEX_Vmovq_xmmm64_xmm),
    ),
    (
        Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8,
        Row::UpperHalf,
    ),
    (
        Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8,
        Row::InsertHalf,
    ),
];

/// An instruction's row, with its length.
#[derive(Clone, Copy)]
pub struct Form {
    pub row: Row,
    pub length: Length,
    /// Size of the elements that a mask chooses.
    pub element: usize,
}

/// The form of an instruction; none if it is no vector instruction of AVX-512.
pub fn form(code: Code) -> Option<Form> {
    static FORMS: OnceLock<HashMap<Code, Form>> = OnceLock::new();
    let forms = FORMS.get_or_init(|| {
        let mut forms = HashMap::new();
        for &(codes, row, element) in ROWS {
            for (code, length) in codes.into_iter().zip([Length::X, Length::Y, Length::Z]) {
                // Forms without a 128-bit variant list the 256-bit code twice, so that the second insertion wins.
                let form = Form {
                    row,
                    length,
                    element,
                };
                forms.insert(code, form);
            }
        }
        for &(code, row) in SINGLE_ROWS {
            let form = Form {
                row,
                length: Length::X,
                element: 4,
            };
            forms.insert(code, form);
        }
        forms
    });
    forms.get(&code).copied()
}

/// True if an instruction depends on the value that an operand has before it.
pub fn reads_operand(i: &Instruction, n: u32) -> bool {
    let Some(form) = form(i.code()) else {
        // The first of several masks is read by a test alone.
        return n > 0 || i.code() == Code::VEX_Kortestw_kr_kr;
    };
    let merges = i.op_mask() != Register::None && !i.zeroing_masking();
    match form.row {
        Row::Ternary => depends(i.immediate8(), n) || n == 0 && merges,
        Row::Three(XOR) if clears(i) => false,
        Row::Fused(_) | Row::Permute2 | Row::PermuteWords2 => true,
        Row::Blend => n > 0,
        Row::Compare(..) | Row::CompareUnsigned(..) | Row::CompareFloats(_) | Row::Test(..) => {
            n > 0
        }
        _ => n > 0 || merges,
    }
}

/// True if an instruction leaves its mask empty.
pub fn clears_mask(code: Code) -> bool {
    form(code).is_some_and(|f| matches!(f.row, Row::Gather(_) | Row::Scatter))
}

/// True for the exclusive or of a register and itself.
pub fn clears(i: &Instruction) -> bool {
    i.op_kind(2) == OpKind::Register
        && i.op_register(1) == i.op_register(2)
        && i.op_mask() == Register::None
}

/// True if a function of the bits of three depends on one of them.
pub fn depends(function: u8, operand: u32) -> bool {
    let (shift, low) = [(4, 0x0f), (2, 0x33), (1, 0x55)][operand.min(2) as usize];
    function >> shift & low != function & low
}
