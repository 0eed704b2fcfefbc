//! Forms of vector instructions: each in the three lengths of 16, 32 and 64 bytes.
//!
//! A name is that of the instruction in the vendor's manual, without its first letters; the rows say nothing that the
//! manual does not.

use iced_x86::Code;

/// An instruction of 16, 32 and 64 bytes.
pub type Codes = [Code; 3];

pub const ADDPS: Codes = [
    Code::EVEX_Vaddps_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vaddps_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
];
pub const SUBPS: Codes = [
    Code::EVEX_Vsubps_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vsubps_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er,
];
pub const MULPS: Codes = [
    Code::EVEX_Vmulps_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vmulps_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er,
];
pub const DIVPS: Codes = [
    Code::EVEX_Vdivps_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vdivps_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er,
];
pub const MINPS: Codes = [
    Code::EVEX_Vminps_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vminps_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae,
];
pub const MAXPS: Codes = [
    Code::EVEX_Vmaxps_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vmaxps_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae,
];
pub const FMADD231PS: Codes = [
    Code::EVEX_Vfmadd231ps_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vfmadd231ps_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
];
pub const ADDPD: Codes = [
    Code::EVEX_Vaddpd_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vaddpd_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er,
];
pub const MULPD: Codes = [
    Code::EVEX_Vmulpd_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vmulpd_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er,
];
pub const DIVPD: Codes = [
    Code::EVEX_Vdivpd_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vdivpd_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er,
];
pub const MINPD: Codes = [
    Code::EVEX_Vminpd_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vminpd_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae,
];
pub const MAXPD: Codes = [
    Code::EVEX_Vmaxpd_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vmaxpd_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae,
];
pub const FMADD231PD: Codes = [
    Code::EVEX_Vfmadd231pd_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vfmadd231pd_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er,
];
pub const ANDD: Codes = [
    Code::EVEX_Vpandd_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vpandd_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
];
pub const ORD: Codes = [
    Code::EVEX_Vpord_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vpord_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
];
pub const XORD: Codes = [
    Code::EVEX_Vpxord_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vpxord_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
];
pub const ADDD: Codes = [
    Code::EVEX_Vpaddd_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vpaddd_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
];
pub const SUBD: Codes = [
    Code::EVEX_Vpsubd_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vpsubd_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
];
pub const MULLD: Codes = [
    Code::EVEX_Vpmulld_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vpmulld_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32,
];
pub const SLLVD: Codes = [
    Code::EVEX_Vpsllvd_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vpsllvd_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32,
];
pub const SRLVD: Codes = [
    Code::EVEX_Vpsrlvd_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vpsrlvd_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
];
pub const SRAVD: Codes = [
    Code::EVEX_Vpsravd_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vpsravd_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
];
pub const ROLVD: Codes = [
    Code::EVEX_Vprolvd_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vprolvd_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vprolvd_zmm_k1z_zmm_zmmm512b32,
];
pub const RORVD: Codes = [
    Code::EVEX_Vprorvd_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vprorvd_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vprorvd_zmm_k1z_zmm_zmmm512b32,
];
pub const BLENDMD: Codes = [
    Code::EVEX_Vpblendmd_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vpblendmd_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32,
];
pub const ANDQ: Codes = [
    Code::EVEX_Vpandq_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vpandq_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
];
pub const ORQ: Codes = [
    Code::EVEX_Vporq_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vporq_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
];
pub const XORQ: Codes = [
    Code::EVEX_Vpxorq_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vpxorq_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
];
pub const ADDQ: Codes = [
    Code::EVEX_Vpaddq_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vpaddq_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
];
pub const SUBQ: Codes = [
    Code::EVEX_Vpsubq_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vpsubq_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64,
];
pub const MULLQ: Codes = [
    Code::EVEX_Vpmullq_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vpmullq_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64,
];
pub const SLLVQ: Codes = [
    Code::EVEX_Vpsllvq_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vpsllvq_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64,
];
pub const SRLVQ: Codes = [
    Code::EVEX_Vpsrlvq_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vpsrlvq_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64,
];
pub const SRAVQ: Codes = [
    Code::EVEX_Vpsravq_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vpsravq_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64,
];
pub const BLENDMQ: Codes = [
    Code::EVEX_Vpblendmq_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vpblendmq_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64,
];
pub const MAXSQ: Codes = [
    Code::EVEX_Vpmaxsq_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vpmaxsq_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vpmaxsq_zmm_k1z_zmm_zmmm512b64,
];
pub const MINSQ: Codes = [
    Code::EVEX_Vpminsq_xmm_k1z_xmm_xmmm128b64,
    Code::EVEX_Vpminsq_ymm_k1z_ymm_ymmm256b64,
    Code::EVEX_Vpminsq_zmm_k1z_zmm_zmmm512b64,
];
/// Not there for 16 bytes.
pub const PERMD: Codes = [
    Code::EVEX_Vpermd_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vpermd_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32,
];
pub const PERMI2D: Codes = [
    Code::EVEX_Vpermi2d_xmm_k1z_xmm_xmmm128b32,
    Code::EVEX_Vpermi2d_ymm_k1z_ymm_ymmm256b32,
    Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32,
];
pub const PERMI2W: Codes = [
    Code::EVEX_Vpermi2w_xmm_k1z_xmm_xmmm128,
    Code::EVEX_Vpermi2w_ymm_k1z_ymm_ymmm256,
    Code::EVEX_Vpermi2w_zmm_k1z_zmm_zmmm512,
];
pub const PERMW: Codes = [
    Code::EVEX_Vpermw_xmm_k1z_xmm_xmmm128,
    Code::EVEX_Vpermw_ymm_k1z_ymm_ymmm256,
    Code::EVEX_Vpermw_zmm_k1z_zmm_zmmm512,
];
pub const SQRTPS: Codes = [
    Code::EVEX_Vsqrtps_xmm_k1z_xmmm128b32,
    Code::EVEX_Vsqrtps_ymm_k1z_ymmm256b32,
    Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er,
];
pub const SQRTPD: Codes = [
    Code::EVEX_Vsqrtpd_xmm_k1z_xmmm128b64,
    Code::EVEX_Vsqrtpd_ymm_k1z_ymmm256b64,
    Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er,
];
pub const CVTDQ2PS: Codes = [
    Code::EVEX_Vcvtdq2ps_xmm_k1z_xmmm128b32,
    Code::EVEX_Vcvtdq2ps_ymm_k1z_ymmm256b32,
    Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er,
];
pub const CVTUDQ2PS: Codes = [
    Code::EVEX_Vcvtudq2ps_xmm_k1z_xmmm128b32,
    Code::EVEX_Vcvtudq2ps_ymm_k1z_ymmm256b32,
    Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er,
];
pub const CVTTPS2DQ: Codes = [
    Code::EVEX_Vcvttps2dq_xmm_k1z_xmmm128b32,
    Code::EVEX_Vcvttps2dq_ymm_k1z_ymmm256b32,
    Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae,
];
pub const CVTTPS2UDQ: Codes = [
    Code::EVEX_Vcvttps2udq_xmm_k1z_xmmm128b32,
    Code::EVEX_Vcvttps2udq_ymm_k1z_ymmm256b32,
    Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae,
];
pub const ABSD: Codes = [
    Code::EVEX_Vpabsd_xmm_k1z_xmmm128b32,
    Code::EVEX_Vpabsd_ymm_k1z_ymmm256b32,
    Code::EVEX_Vpabsd_zmm_k1z_zmmm512b32,
];
pub const ABSQ: Codes = [
    Code::EVEX_Vpabsq_xmm_k1z_xmmm128b64,
    Code::EVEX_Vpabsq_ymm_k1z_ymmm256b64,
    Code::EVEX_Vpabsq_zmm_k1z_zmmm512b64,
];
pub const MOVDQA32: Codes = [
    Code::EVEX_Vmovdqa32_xmm_k1z_xmmm128,
    Code::EVEX_Vmovdqa32_ymm_k1z_ymmm256,
    Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512,
];
pub const MOVDQA64: Codes = [
    Code::EVEX_Vmovdqa64_xmm_k1z_xmmm128,
    Code::EVEX_Vmovdqa64_ymm_k1z_ymmm256,
    Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512,
];
pub const MOVDQU8: Codes = [
    Code::EVEX_Vmovdqu8_xmm_k1z_xmmm128,
    Code::EVEX_Vmovdqu8_ymm_k1z_ymmm256,
    Code::EVEX_Vmovdqu8_zmm_k1z_zmmm512,
];
pub const MOVDQU16: Codes = [
    Code::EVEX_Vmovdqu16_xmm_k1z_xmmm128,
    Code::EVEX_Vmovdqu16_ymm_k1z_ymmm256,
    Code::EVEX_Vmovdqu16_zmm_k1z_zmmm512,
];
pub const MOVDQU32: Codes = [
    Code::EVEX_Vmovdqu32_xmm_k1z_xmmm128,
    Code::EVEX_Vmovdqu32_ymm_k1z_ymmm256,
    Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
];
pub const MOVDQU64: Codes = [
    Code::EVEX_Vmovdqu64_xmm_k1z_xmmm128,
    Code::EVEX_Vmovdqu64_ymm_k1z_ymmm256,
    Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
];
pub const CVTQQ2PD: Codes = [
    Code::EVEX_Vcvtqq2pd_xmm_k1z_xmmm128b64,
    Code::EVEX_Vcvtqq2pd_ymm_k1z_ymmm256b64,
    Code::EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er,
];
pub const SLLD: Codes = [
    Code::EVEX_Vpslld_xmm_k1z_xmmm128b32_imm8,
    Code::EVEX_Vpslld_ymm_k1z_ymmm256b32_imm8,
    Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
];
pub const SRLD: Codes = [
    Code::EVEX_Vpsrld_xmm_k1z_xmmm128b32_imm8,
    Code::EVEX_Vpsrld_ymm_k1z_ymmm256b32_imm8,
    Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
];
pub const SRAD: Codes = [
    Code::EVEX_Vpsrad_xmm_k1z_xmmm128b32_imm8,
    Code::EVEX_Vpsrad_ymm_k1z_ymmm256b32_imm8,
    Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8,
];
pub const SLLQ: Codes = [
    Code::EVEX_Vpsllq_xmm_k1z_xmmm128b64_imm8,
    Code::EVEX_Vpsllq_ymm_k1z_ymmm256b64_imm8,
    Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8,
];
pub const SRLQ: Codes = [
    Code::EVEX_Vpsrlq_xmm_k1z_xmmm128b64_imm8,
    Code::EVEX_Vpsrlq_ymm_k1z_ymmm256b64_imm8,
    Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8,
];
pub const SRAQ: Codes = [
    Code::EVEX_Vpsraq_xmm_k1z_xmmm128b64_imm8,
    Code::EVEX_Vpsraq_ymm_k1z_ymmm256b64_imm8,
    Code::EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8,
];
pub const RNDSCALEPS: Codes = [
    Code::EVEX_Vrndscaleps_xmm_k1z_xmmm128b32_imm8,
    Code::EVEX_Vrndscaleps_ymm_k1z_ymmm256b32_imm8,
    Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae,
];
pub const RNDSCALEPD: Codes = [
    Code::EVEX_Vrndscalepd_xmm_k1z_xmmm128b64_imm8,
    Code::EVEX_Vrndscalepd_ymm_k1z_ymmm256b64_imm8,
    Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae,
];
pub const TERNLOGD: Codes = [
    Code::EVEX_Vpternlogd_xmm_k1z_xmm_xmmm128b32_imm8,
    Code::EVEX_Vpternlogd_ymm_k1z_ymm_ymmm256b32_imm8,
    Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8,
];
pub const TERNLOGQ: Codes = [
    Code::EVEX_Vpternlogq_xmm_k1z_xmm_xmmm128b64_imm8,
    Code::EVEX_Vpternlogq_ymm_k1z_ymm_ymmm256b64_imm8,
    Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8,
];
pub const CMPD: Codes = [
    Code::EVEX_Vpcmpd_kr_k1_xmm_xmmm128b32_imm8,
    Code::EVEX_Vpcmpd_kr_k1_ymm_ymmm256b32_imm8,
    Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8,
];
pub const CMPUD: Codes = [
    Code::EVEX_Vpcmpud_kr_k1_xmm_xmmm128b32_imm8,
    Code::EVEX_Vpcmpud_kr_k1_ymm_ymmm256b32_imm8,
    Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
];
pub const CMPQ: Codes = [
    Code::EVEX_Vpcmpq_kr_k1_xmm_xmmm128b64_imm8,
    Code::EVEX_Vpcmpq_kr_k1_ymm_ymmm256b64_imm8,
    Code::EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8,
];
pub const CMPUQ: Codes = [
    Code::EVEX_Vpcmpuq_kr_k1_xmm_xmmm128b64_imm8,
    Code::EVEX_Vpcmpuq_kr_k1_ymm_ymmm256b64_imm8,
    Code::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8,
];
pub const CMPPS: Codes = [
    Code::EVEX_Vcmpps_kr_k1_xmm_xmmm128b32_imm8,
    Code::EVEX_Vcmpps_kr_k1_ymm_ymmm256b32_imm8,
    Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae,
];
pub const CMPPD: Codes = [
    Code::EVEX_Vcmppd_kr_k1_xmm_xmmm128b64_imm8,
    Code::EVEX_Vcmppd_kr_k1_ymm_ymmm256b64_imm8,
    Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae,
];
pub const TESTMD: Codes = [
    Code::EVEX_Vptestmd_kr_k1_xmm_xmmm128b32,
    Code::EVEX_Vptestmd_kr_k1_ymm_ymmm256b32,
    Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32,
];
pub const TESTNMD: Codes = [
    Code::EVEX_Vptestnmd_kr_k1_xmm_xmmm128b32,
    Code::EVEX_Vptestnmd_kr_k1_ymm_ymmm256b32,
    Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32,
];
pub const TESTMQ: Codes = [
    Code::EVEX_Vptestmq_kr_k1_xmm_xmmm128b64,
    Code::EVEX_Vptestmq_kr_k1_ymm_ymmm256b64,
    Code::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64,
];
pub const TESTNMQ: Codes = [
    Code::EVEX_Vptestnmq_kr_k1_xmm_xmmm128b64,
    Code::EVEX_Vptestnmq_kr_k1_ymm_ymmm256b64,
    Code::EVEX_Vptestnmq_kr_k1_zmm_zmmm512b64,
];
pub const STOREU8: Codes = [
    Code::EVEX_Vmovdqu8_xmmm128_k1z_xmm,
    Code::EVEX_Vmovdqu8_ymmm256_k1z_ymm,
    Code::EVEX_Vmovdqu8_zmmm512_k1z_zmm,
];
pub const STOREU16: Codes = [
    Code::EVEX_Vmovdqu16_xmmm128_k1z_xmm,
    Code::EVEX_Vmovdqu16_ymmm256_k1z_ymm,
    Code::EVEX_Vmovdqu16_zmmm512_k1z_zmm,
];
pub const STOREU32: Codes = [
    Code::EVEX_Vmovdqu32_xmmm128_k1z_xmm,
    Code::EVEX_Vmovdqu32_ymmm256_k1z_ymm,
    Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm,
];
pub const STOREU64: Codes = [
    Code::EVEX_Vmovdqu64_xmmm128_k1z_xmm,
    Code::EVEX_Vmovdqu64_ymmm256_k1z_ymm,
    Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
];
pub const BROADCASTD: Codes = [
    Code::EVEX_Vpbroadcastd_xmm_k1z_xmmm32,
    Code::EVEX_Vpbroadcastd_ymm_k1z_xmmm32,
    Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
];
pub const BROADCASTQ: Codes = [
    Code::EVEX_Vpbroadcastq_xmm_k1z_xmmm64,
    Code::EVEX_Vpbroadcastq_ymm_k1z_xmmm64,
    Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64,
];
pub const BROADCASTD_GPR: Codes = [
    Code::EVEX_Vpbroadcastd_xmm_k1z_r32,
    Code::EVEX_Vpbroadcastd_ymm_k1z_r32,
    Code::EVEX_Vpbroadcastd_zmm_k1z_r32,
];
pub const BROADCASTQ_GPR: Codes = [
    Code::EVEX_Vpbroadcastq_xmm_k1z_r64,
    Code::EVEX_Vpbroadcastq_ymm_k1z_r64,
    Code::EVEX_Vpbroadcastq_zmm_k1z_r64,
];
pub const MOVDW: Codes = [
    Code::EVEX_Vpmovdw_xmmm64_k1z_xmm,
    Code::EVEX_Vpmovdw_xmmm128_k1z_ymm,
    Code::EVEX_Vpmovdw_ymmm256_k1z_zmm,
];
pub const MOVDB: Codes = [
    Code::EVEX_Vpmovdb_xmmm32_k1z_xmm,
    Code::EVEX_Vpmovdb_xmmm64_k1z_ymm,
    Code::EVEX_Vpmovdb_xmmm128_k1z_zmm,
];
pub const MOVQD: Codes = [
    Code::EVEX_Vpmovqd_xmmm64_k1z_xmm,
    Code::EVEX_Vpmovqd_xmmm128_k1z_ymm,
    Code::EVEX_Vpmovqd_ymmm256_k1z_zmm,
];
pub const MOVSXBD: Codes = [
    Code::EVEX_Vpmovsxbd_xmm_k1z_xmmm32,
    Code::EVEX_Vpmovsxbd_ymm_k1z_xmmm64,
    Code::EVEX_Vpmovsxbd_zmm_k1z_xmmm128,
];
pub const MOVSXWD: Codes = [
    Code::EVEX_Vpmovsxwd_xmm_k1z_xmmm64,
    Code::EVEX_Vpmovsxwd_ymm_k1z_xmmm128,
    Code::EVEX_Vpmovsxwd_zmm_k1z_ymmm256,
];
pub const MOVSXDQ: Codes = [
    Code::EVEX_Vpmovsxdq_xmm_k1z_xmmm64,
    Code::EVEX_Vpmovsxdq_ymm_k1z_xmmm128,
    Code::EVEX_Vpmovsxdq_zmm_k1z_ymmm256,
];
pub const MOVZXBD: Codes = [
    Code::EVEX_Vpmovzxbd_xmm_k1z_xmmm32,
    Code::EVEX_Vpmovzxbd_ymm_k1z_xmmm64,
    Code::EVEX_Vpmovzxbd_zmm_k1z_xmmm128,
];
pub const MOVZXWD: Codes = [
    Code::EVEX_Vpmovzxwd_xmm_k1z_xmmm64,
    Code::EVEX_Vpmovzxwd_ymm_k1z_xmmm128,
    Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256,
];
pub const MOVZXDQ: Codes = [
    Code::EVEX_Vpmovzxdq_xmm_k1z_xmmm64,
    Code::EVEX_Vpmovzxdq_ymm_k1z_xmmm128,
    Code::EVEX_Vpmovzxdq_zmm_k1z_ymmm256,
];
pub const CVTPH2PS: Codes = [
    Code::EVEX_Vcvtph2ps_xmm_k1z_xmmm64,
    Code::EVEX_Vcvtph2ps_ymm_k1z_xmmm128,
    Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae,
];
pub const CVTPS2PD: Codes = [
    Code::EVEX_Vcvtps2pd_xmm_k1z_xmmm64b32,
    Code::EVEX_Vcvtps2pd_ymm_k1z_xmmm128b32,
    Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae,
];
pub const CVTDQ2PD: Codes = [
    Code::EVEX_Vcvtdq2pd_xmm_k1z_xmmm64b32,
    Code::EVEX_Vcvtdq2pd_ymm_k1z_xmmm128b32,
    Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er,
];
pub const CVTUDQ2PD: Codes = [
    Code::EVEX_Vcvtudq2pd_xmm_k1z_xmmm64b32,
    Code::EVEX_Vcvtudq2pd_ymm_k1z_xmmm128b32,
    Code::EVEX_Vcvtudq2pd_zmm_k1z_ymmm256b32_er,
];
pub const CVTQQ2PS: Codes = [
    Code::EVEX_Vcvtqq2ps_xmm_k1z_xmmm128b64,
    Code::EVEX_Vcvtqq2ps_xmm_k1z_ymmm256b64,
    Code::EVEX_Vcvtqq2ps_ymm_k1z_zmmm512b64_er,
];
pub const CVTPD2PS: Codes = [
    Code::EVEX_Vcvtpd2ps_xmm_k1z_xmmm128b64,
    Code::EVEX_Vcvtpd2ps_xmm_k1z_ymmm256b64,
    Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er,
];
pub const GATHERDD: Codes = [
    Code::EVEX_Vpgatherdd_xmm_k1_vm32x,
    Code::EVEX_Vpgatherdd_ymm_k1_vm32y,
    Code::EVEX_Vpgatherdd_zmm_k1_vm32z,
];
pub const SCATTERDD: Codes = [
    Code::EVEX_Vpscatterdd_vm32x_k1_xmm,
    Code::EVEX_Vpscatterdd_vm32y_k1_ymm,
    Code::EVEX_Vpscatterdd_vm32z_k1_zmm,
];
pub const GATHERDQ: Codes = [
    Code::EVEX_Vpgatherdq_xmm_k1_vm32x,
    Code::EVEX_Vpgatherdq_ymm_k1_vm32x,
    Code::EVEX_Vpgatherdq_zmm_k1_vm32y,
];
pub const SCATTERDQ: Codes = [
    Code::EVEX_Vpscatterdq_vm32x_k1_xmm,
    Code::EVEX_Vpscatterdq_vm32x_k1_ymm,
    Code::EVEX_Vpscatterdq_vm32y_k1_zmm,
];
