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

/// Forms, the size of the elements that a mask chooses, and the row of each.
macro_rules! rows {
    ($($form:ident $element:literal: $row:ident $(($($part:expr),*))?;)*) => {
        &[$((codes::$form, Row::$row $(($($part),*))?, $element)),*]
    };
}

const ROWS: &[(Codes, Row, usize)] = rows! {
    ADDPS 4: Three(pair!(VEX_Vaddps_xmm_xmm_xmmm128, VEX_Vaddps_ymm_ymm_ymmm256));
    SUBPS 4: Three(SUBPS);
    MULPS 4: Three(pair!(VEX_Vmulps_xmm_xmm_xmmm128, VEX_Vmulps_ymm_ymm_ymmm256));
    DIVPS 4: Three(pair!(VEX_Vdivps_xmm_xmm_xmmm128, VEX_Vdivps_ymm_ymm_ymmm256));
    MINPS 4: Three(pair!(VEX_Vminps_xmm_xmm_xmmm128, VEX_Vminps_ymm_ymm_ymmm256));
    MAXPS 4: Three(pair!(VEX_Vmaxps_xmm_xmm_xmmm128, VEX_Vmaxps_ymm_ymm_ymmm256));
    FMADD231PS 4: Fused(FMADD231PS);
    ADDPD 8: Three(pair!(VEX_Vaddpd_xmm_xmm_xmmm128, VEX_Vaddpd_ymm_ymm_ymmm256));
    MULPD 8: Three(pair!(VEX_Vmulpd_xmm_xmm_xmmm128, VEX_Vmulpd_ymm_ymm_ymmm256));
    DIVPD 8: Three(pair!(VEX_Vdivpd_xmm_xmm_xmmm128, VEX_Vdivpd_ymm_ymm_ymmm256));
    MINPD 8: Three(pair!(VEX_Vminpd_xmm_xmm_xmmm128, VEX_Vminpd_ymm_ymm_ymmm256));
    MAXPD 8: Three(pair!(VEX_Vmaxpd_xmm_xmm_xmmm128, VEX_Vmaxpd_ymm_ymm_ymmm256));
    FMADD231PD 8: Fused(pair!(VEX_Vfmadd231pd_xmm_xmm_xmmm128, VEX_Vfmadd231pd_ymm_ymm_ymmm256));
    ANDD 4: Three(AND);
    ORD 4: Three(OR);
    XORD 4: Three(XOR);
    ANDQ 8: Three(AND);
    ORQ 8: Three(OR);
    XORQ 8: Three(XOR);
    ADDD 4: Three(pair!(VEX_Vpaddd_xmm_xmm_xmmm128, VEX_Vpaddd_ymm_ymm_ymmm256));
    SUBD 4: Three(SUBD);
    ADDQ 8: Three(ADDQ);
    SUBQ 8: Three(SUBQ);
    MULLD 4: Three(pair!(VEX_Vpmulld_xmm_xmm_xmmm128, VEX_Vpmulld_ymm_ymm_ymmm256));
    MULLQ 8: Product64;
    SLLVD 4: Three(SLLVD);
    SRLVD 4: Three(SRLVD);
    SRAVD 4: Three(pair!(VEX_Vpsravd_xmm_xmm_xmmm128, VEX_Vpsravd_ymm_ymm_ymmm256));
    SLLVQ 8: Three(pair!(VEX_Vpsllvq_xmm_xmm_xmmm128, VEX_Vpsllvq_ymm_ymm_ymmm256));
    SRLVQ 8: Three(SRLVQ);
    SRAVQ 8: ShiftSigned64;
    ROLVD 4: Rotate(SLLVD, SRLVD);
    RORVD 4: Rotate(SRLVD, SLLVD);
    BLENDMD 4: Blend;
    BLENDMQ 8: Blend;
    MAXSQ 8: Maximum64;
    MINSQ 8: Minimum64;
    PERMD 4: Permute;
    PERMI2D 4: Permute2;
    PERMW 2: PermuteWords;
    PERMI2W 2: PermuteWords2;
    SQRTPS 4: Two(pair!(VEX_Vsqrtps_xmm_xmmm128, VEX_Vsqrtps_ymm_ymmm256));
    SQRTPD 8: Two(pair!(VEX_Vsqrtpd_xmm_xmmm128, VEX_Vsqrtpd_ymm_ymmm256));
    CVTDQ2PS 4: Two(CVTDQ2PS);
    CVTUDQ2PS 4: FromUnsigned;
    CVTTPS2DQ 4: Two(CVTTPS2DQ);
    CVTTPS2UDQ 4: ToUnsigned;
    ABSD 4: Two(pair!(VEX_Vpabsd_xmm_xmmm128, VEX_Vpabsd_ymm_ymmm256));
    ABSQ 8: Magnitude64;
    MOVDQA32 4: Move;
    MOVDQA64 8: Move;
    MOVDQU8 1: Move;
    MOVDQU16 2: Move;
    MOVDQU32 4: Move;
    MOVDQU64 8: Move;
    STOREU8 1: Store;
    STOREU16 2: Store;
    STOREU32 4: Store;
    STOREU64 8: Store;
    CVTQQ2PD 8: FromQuads(Code::VEX_Vcvtsi2sd_xmm_xmm_rm64, 8);
    CVTQQ2PS 4: FromQuads(Code::VEX_Vcvtsi2ss_xmm_xmm_rm64, 4);
    SLLD 4: Number(SLLD);
    SRLD 4: Number(SRLD);
    SRAD 4: Number(SRAD);
    SLLQ 8: Number(SLLQ);
    SRLQ 8: Number(SRLQ);
    SRAQ 8: ShiftSigned64By;
    RNDSCALEPS 4: Number(pair!(VEX_Vroundps_xmm_xmmm128_imm8, VEX_Vroundps_ymm_ymmm256_imm8));
    RNDSCALEPD 8: Number(pair!(VEX_Vroundpd_xmm_xmmm128_imm8, VEX_Vroundpd_ymm_ymmm256_imm8));
    TERNLOGD 4: Ternary;
    TERNLOGQ 8: Ternary;
    CMPD 4: Compare(EQD, GTD);
    CMPUD 4: CompareUnsigned(EQD, GTD, (1 << 63) | (1 << 31));
    CMPQ 8: Compare(EQQ, GTQ);
    CMPUQ 8: CompareUnsigned(EQQ, GTQ, 1 << 63);
    CMPPS 4: CompareFloats(CMPPS);
    CMPPD 8: CompareFloats(CMPPD);
    TESTMD 4: Test(EQD, true);
    TESTNMD 4: Test(EQD, false);
    TESTMQ 8: Test(EQQ, true);
    TESTNMQ 8: Test(EQQ, false);
    BROADCASTD 4: Broadcast(BROADCASTD);
    BROADCASTQ 8: Broadcast(BROADCASTQ);
    BROADCASTD_GPR 4: BroadcastGeneral(Code::VEX_Vmovd_xmm_rm32, BROADCASTD);
    BROADCASTQ_GPR 8: BroadcastGeneral(Code::VEX_Vmovq_xmm_rm64, BROADCASTQ);
    MOVDW 2: NarrowDwords(2);
    MOVDB 1: NarrowDwords(1);
    MOVQD 4: NarrowQuads;
    CVTPD2PS 4: NarrowDoubles;
    MOVSXBD 4: Widen(pair!(VEX_Vpmovsxbd_xmm_xmmm32, VEX_Vpmovsxbd_ymm_xmmm64), 4);
    MOVSXWD 4: Widen(pair!(VEX_Vpmovsxwd_xmm_xmmm64, VEX_Vpmovsxwd_ymm_xmmm128), 2);
    MOVSXDQ 8: Widen(pair!(VEX_Vpmovsxdq_xmm_xmmm64, VEX_Vpmovsxdq_ymm_xmmm128), 2);
    MOVZXBD 4: Widen(pair!(VEX_Vpmovzxbd_xmm_xmmm32, VEX_Vpmovzxbd_ymm_xmmm64), 4);
    MOVZXWD 4: Widen(pair!(VEX_Vpmovzxwd_xmm_xmmm64, VEX_Vpmovzxwd_ymm_xmmm128), 2);
    MOVZXDQ 8: Widen(MOVZXDQ, 2);
    CVTPH2PS 4: Widen(pair!(VEX_Vcvtph2ps_xmm_xmmm64, VEX_Vcvtph2ps_ymm_xmmm128), 2);
    CVTPS2PD 8: Widen(pair!(VEX_Vcvtps2pd_xmm_xmmm64, VEX_Vcvtps2pd_ymm_xmmm128), 2);
    CVTDQ2PD 8: Widen(pair!(VEX_Vcvtdq2pd_xmm_xmmm64, VEX_Vcvtdq2pd_ymm_xmmm128), 2);
    CVTUDQ2PD 8: WidenUnsigned;
    GATHERDD 4: Gather(pair!(VEX_Vpgatherdd_xmm_vm32x_xmm, VEX_Vpgatherdd_ymm_vm32y_ymm));
    GATHERDQ 8: Gather(pair!(VEX_Vpgatherdq_xmm_vm32x_xmm, VEX_Vpgatherdq_ymm_vm32x_ymm));
    SCATTERDD 4: Scatter;
    SCATTERDQ 8: Scatter;
};

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
