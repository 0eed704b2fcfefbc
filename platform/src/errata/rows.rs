//! The rows: errata and rules of machine code, in the order of [`Erratum`].
//!
//! Sources are files of the reference compiler (`visa/`, `IGC/Compiler/CISACodeGen/`, `skuwa/`) and of Mesa
//! (`src/intel/compiler/`), and the public programmer's reference manuals (PRM).

use super::Status::{Made, NotNeeded, Refused};
use super::{Row, Stepping, Switch, all, between};
use crate::platform::Model::*;

macro_rules! rows {
    ($($erratum:ident, $name:literal, $affected:expr, $source:literal, $must:literal, $switch:expr, $status:expr;)*) => {
        /// An erratum or rule; its [`Row`] says what it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Erratum { $(#[doc = concat!("`", $name, "`: code ", $must, ".")] $erratum,)* }

        /// Every row; that of an erratum is at its number.
        pub const ROWS: &[Row] = &[$(Row {
            erratum: Erratum::$erratum,
            name: $name,
            affected: &$affected,
            source: $source,
            must: $must,
            switch: $switch,
            status: $status,
        },)*];
    };
}

rows! {
    FlagsReadBeforeEnd, "WaClearArfDependenciesBeforeEot", all([Skl, Bxt]),
        "skuwa/iskl_wa.c, SWWA.cpp clearARFDependencies, Mesa brw_workaround.cpp",
        "reads f0 and f1 into null before the message that ends the thread, if a block writes one and does not read it afterwards",
        None, Made { pass: "emit/src/errata/flags.rs", check: "emit/src/verify/errata.rs" };
    SwitchAfterCall, "WaThreadSwitchAfterCall", all([Skl, Bxt]),
        "skuwa/iskl_wa.c, SWWA.cpp addSwitchOptionToBB",
        "has {Switch} on the first instruction of a function and on the first after a call",
        None, Made { pass: "emit/src/errata/switches.rs", check: "emit/src/verify/errata.rs" };
    CountClearedBeforeBarrier, "WaResetN0BeforeGatewayMessage", all([Skl, Bxt]),
        "skuwa/iskl_wa.c, SWWA.cpp HWWorkaround",
        "writes 0 to n0.0 with {Switch} before the message of a barrier",
        None, Made { pass: "isel/src/select/alu.rs", check: "emit/src/verify/errata.rs" };
    SwitchOnUnscored, "noScoreBoard", all([Skl, Bxt, Icllp]),
        "SWWA.cpp HWWorkaround, G4_IR.cpp noScoreBoard",
        "has {Switch} on each write of an architecture register without a scoreboard: cr0, sr0, sp, tm0, ip, dbg0",
        None, Made { pass: "emit/src/errata/switches.rs", check: "emit/src/verify/errata.rs" };
    FenceTokenWaited, "needsFenceCommitEnable, with tokens", all([Tgllp, Dg2, Mtl, Pvc, Lnl, Bmg, Ptl]),
        "SWWA.cpp addFenceCommit, HWCaps.inc needsFenceCommitEnable",
        "waits for the token of a fence before the next message, the thread's end or a return",
        Some(Switch { option: "-skipFenceCommit", driver: "off: it is waited for" }), Made { pass: "emit/src/scoreboard/facts.rs", check: "emit/src/verify/errata.rs" };
    FenceResponseRead, "needsFenceCommitEnable", all([Skl, Bxt, Icllp]),
        "SWWA.cpp addFenceCommit, HWCaps.inc needsFenceCommitEnable",
        "reads the response of a fence before the next message, the thread's end or a return",
        Some(Switch { option: "-skipFenceCommit", driver: "off: the response is read" }), Made { pass: "emit/src/errata/fences.rs", check: "emit/src/verify/errata.rs" };
    NopAfterQuotient, "hasFdivPowWA", all([Skl, Bxt]),
        "HWCaps.inc hasFdivPowWA, SWWA.cpp HWWorkaround",
        "has a nop between math.fdiv or math.pow and an instruction, no message, whose destination crosses a register",
        None, Made { pass: "emit/src/errata/quotients.rs", check: "emit/src/verify/errata.rs" };
    MixedSelectUnpacked, "WaMixModeSelInstDstNotPacked", all([Skl, Bxt, Icllp, Tgllp, Dg2, Mtl, Pvc, Lnl, Bmg, Ptl]),
        "skuwa/ibxt_wa.c, BuildCISAIRImpl.cpp CreateVisaWaTable, HWConformity.cpp 7963",
        "never selects between floats and halves into packed halves (WaFloatMixedModeSelNotAllowedWithPackedDestination)",
        None, NotNeeded { reason: "no selection has floats of two types", check: "emit/src/verify/single.rs" };
    Reserved127, "needsToReserveR127", all([Skl, Bxt]),
        "HWCaps.inc needsToReserveR127, PRM vol. 7 (send)",
        "does not let a message's response from r127 overlap its payload",
        None, NotNeeded { reason: "r127 is no response of a message that it is a payload of", check: "emit/src/verify/single.rs" };
    PreemptionKeepsHeader, "enablePreemption", all([Skl, Bxt, Icllp, Tgllp, Dg2, Mtl, Lnl, Bmg, Ptl]),
        "CISABuilder.cpp 4038-4050, BuildIRImpl.cpp getR0AccessFromOptions and mustReserveR1, Platform.hpp preemptionSupported",
        "never allocates r0, nor r1 except on lnl and bmg, or the object says that the kernel cannot be interrupted",
        Some(Switch { option: "-enablePreemption", driver: "on, except on pvc; -enablePreemptionR0Only on lnl and bmg" }), Made { pass: "regalloc/src/frame.rs", check: "runtime/cli/src/verify.rs" };
    SamplerHeader, "forceSamplerHeader", all([Skl, Bxt]),
        "HWCaps.inc forceSamplerHeader",
        "gives each sampler message a header if the thread may be interrupted",
        Some(Switch { option: "-forceSamplerHeader", driver: "by -enablePreemption" }), Made { pass: "isel/src/select/sampler.rs", check: "emit/src/errata/header.rs" };
    SamplerHeaderFromR0, "samplerHeaderPreemptionWA", all([Lnl, Bmg, Ptl]),
        "HWCaps.inc samplerHeaderPreemptionWA, CISABuilder.cpp 4370, Platform.hpp forceSamplerHeader",
        "gives each sampler message a header if the thread may be interrupted",
        Some(Switch { option: "-samplerHeaderWA", driver: "on" }), Made { pass: "isel/src/select/sampler.rs", check: "emit/src/errata/header.rs" };
    NoPreemptFromR2, "needsNoPreemptR2ForSend", all([Icllp]),
        "HWCaps.inc needsNoPreemptR2ForSend, SWWA.cpp HWWorkaround",
        "has {NoPreempt} on each message whose payload begins in r2",
        None, Made { pass: "emit/src/errata/interruption.rs", check: "emit/src/verify/single.rs" };
    ResponseApart, "WaDisableSendSrcDstOverlap", all([Icllp, Mtl, Pvc]),
        "HWCaps.inc WaDisableSendSrcDstOverlap, Platform.hpp WaDisableSendSrcDstOverlap",
        "keeps the response of a message apart from its payloads",
        Some(Switch { option: "-noSendSrcDstOverlap", driver: "on" }), Made { pass: "regalloc/src/payload.rs", check: "emit/src/verify/send.rs" };
    AddressesCleared, "needResetA0forVxHA0", all([Icllp, Tgllp, Dg2, Mtl, Pvc, Lnl, Bmg, Ptl]),
        "HWCaps.inc needResetA0forVxHA0, PrologEpilog.cpp resetA0",
        "writes 0 to a0 at the start if an operand has an address for each row",
        None, Made { pass: "emit/src/errata/addresses.rs", check: "emit/src/verify/errata.rs" };
    SendsLimited, "Wa_2201674230", [between(Icllp, Stepping::A0, Stepping::C0)],
        "skuwa/iicl_lp_hw_wa.c, SWWA.cpp clearSendDependencies",
        "has at most three messages in flight, and none at a block's end: a move of the first payload register onto itself waits",
        None, Refused { reason: "no revision that is sold has it" };
    HdcFenceBeforeEnd, "Wa_1807084924", [between(Icllp, Stepping::B0, Stepping::NEVER), between(Tgllp, Stepping::A0, Stepping::NEVER), between(Dg2, Stepping::A0, Stepping::B0)],
        "skuwa/iicl_lp_hw_wa.c, itgl_lp_hw_wa.c, PrologEpilog.cpp insertFenceBeforeEOT, CISABuilder.cpp 3807",
        "fences before the thread's end if it writes memory",
        Some(Switch { option: "-waClearHDCWrite", driver: "on for OpenCL where the table has it" }), Made { pass: "emit/src/errata/fences.rs", check: "emit/src/verify/errata.rs" };
    NoMaskPredicated, "Wa_1808850743", all([Tgllp]),
        "skuwa/itgl_lp_hw_wa.c, SWWA.cpp prepareNoMaskWA and applyNoMaskWA, Mesa Wa_1407528679 in brw_workaround.cpp",
        "has a predicate on each instruction that ignores the mask in nested divergence, and no jmpi there: a partner unit without channels may run it; where there is no flag for that, the object says that threads do not run in pairs",
        Some(Switch { option: "-noMaskWA", driver: "on; -ze-opt-disable-nomaskwa turns it off" }), Made { pass: "emit/src/errata/guards.rs", check: "emit/src/verify/pairs.rs" };
    ReadSuppressionBroken, "Wa_16012061344", all([Tgllp]),
        "skuwa/itgl_lp_hw_wa.c, iacm_g10_hw_wa.c, SWWA.cpp insertDummyMovForHWRSWA, HWCaps.inc hasRSForSpecificPlatform (not dg2)",
        "has a dummy csel before each predicated message with a response and each divergent branch",
        Some(Switch { option: "-insertRSDummyMov", driver: "on" }), Made { pass: "emit/src/errata/suppression.rs", check: "emit/src/verify/errata.rs" };
    ReadSuppressionBrokenToo, "Wa_16012292205", [between(Tgllp, Stepping::B0, Stepping::NEVER), between(Mtl, Stepping::A0, Stepping::B0)],
        "skuwa/itgl_lp_hw_wa.c, igt_12_70_hw_wa.c, SWWA.cpp insertDummyMovForHWRSWA",
        "as Wa_16012061344",
        Some(Switch { option: "-insertRSDummyMov", driver: "on" }), Made { pass: "emit/src/errata/suppression.rs", check: "emit/src/verify/errata.rs" };
    IntraReadSuppression, "Wa_14018126777", all([Tgllp]),
        "skuwa/itgl_lp_hw_wa.c, HWCaps.inc hasIntraReadSuppressionIssue",
        "waits for what writes any part of a register that two of its sources read",
        None, Made { pass: "emit/src/scoreboard/facts.rs", check: "emit/src/verify/scoreboard.rs" };
    MathReadSuppression, "hasMathRSIsuue", all([Tgllp]),
        "HWCaps.inc hasMathRSIsuue, SWSB_G4IR.cpp 7077",
        "waits for a math operation that writes any part of a register that it reads",
        Some(Switch { option: "-insertRSDummyMov", driver: "on" }), Made { pass: "emit/src/scoreboard/facts.rs", check: "emit/src/verify/scoreboard.rs" };
    AccumulatorClearedBeforeEnd, "Wa_14010017096", all([Tgllp]),
        "skuwa/itgl_lp_hw_wa.c, SWWA.cpp HWWorkaround, Mesa brw_to_binary.cpp 1339",
        "writes 0:f to acc0 (16 channels) before the messages at the thread's end",
        None, Made { pass: "emit/src/errata/ends.rs", check: "emit/src/verify/errata.rs" };
    NopAfterEnd, "Wa_16013338947", [between(Tgllp, Stepping::A0, Stepping::NEVER), between(Dg2, Stepping::A0, Stepping::NEVER), between(Mtl, Stepping::A0, Stepping::B0), between(Pvc, Stepping::A0, Stepping::NEVER)],
        "skuwa/itgl_lp_hw_wa.c, BuildCISAIRImpl.cpp CreateVisaWaTable, SWWA.cpp HWWorkaround",
        "has an instruction after the message that ends the thread: a nop if no block follows",
        None, Made { pass: "emit/src/errata/ends.rs", check: "emit/src/verify/errata.rs" };
    EndWaitsForAll, "Wa_14013672992", all([Tgllp, Dg2]),
        "skuwa/itgl_lp_hw_wa.c, iacm_g10_hw_wa.c, SWSB_G4IR.cpp 7885, Mesa brw_to_binary.cpp 1364",
        "has distance 1 of all pipelines on the message that ends the thread",
        None, Made { pass: "emit/src/scoreboard/facts.rs", check: "emit/src/verify/errata.rs" };
    FirstInstructionUnmasked, "Wa_14015360517", all([Tgllp, Dg2, Mtl, Pvc]),
        "HWCaps.inc needEmaskSetupProlog, PrologEpilog.cpp addEmaskSetupProlog, Mesa brw_workaround.cpp 9",
        "begins a kernel with an instruction that ignores the mask",
        Some(Switch { option: "-noEmaskSetupProlog", driver: "the prolog is added" }), Made { pass: "emit/src/errata/first.rs", check: "emit/src/verify/errata.rs" };
    FusedCalls, "EnableCallWA", [between(Tgllp, Stepping::A0, Stepping::NEVER), between(Dg2, Stepping::A0, Stepping::NEVER), between(Mtl, Stepping::A0, Stepping::B0)],
        "CISABuilder.cpp 4129 (not where the object forbids pairs), SWWA.cpp applyFusedCallWA, Platform.hpp requiresCallWA (Wa_14016243945), OpenCLKernelCodeGen.cpp 1557; compute-runtime, preamble_gen12lp.cpp and preamble_xe_hpg_core.cpp, isFusedEuDispatchEnabled",
        "does not let threads run in pairs if it calls addresses: both units go where one goes. The object says it, and the driver then dispatches without pairs; the reference compiler has both units call both functions unless its object says so",
        Some(Switch { option: "-fusedCallWA", driver: "1 if the kernel has nested or indirect calls" }), Made { pass: "runtime/compile/src/steps/emit.rs", check: "emit/src/verify/pairs.rs" };
    BarrierKeepsHeader, "Wa_14017131883", [between(Tgllp, Stepping::A0, Stepping::NEVER), between(Dg2, Stepping::C0, Stepping::NEVER), between(Mtl, Stepping::A0, Stepping::NEVER)],
        "skuwa/itgl_lp_hw_wa.c, VISAKernelImpl.cpp 4798 (setR0ReadOnly)",
        "never allocates r0 in a kernel with a barrier",
        None, Made { pass: "regalloc/src/frame.rs", check: "emit/src/verify/errata.rs" };
    AddressesOfHalf, "Wa_14010595310", [between(Tgllp, Stepping::A0, Stepping::C0)],
        "skuwa/itgl_lp_hw_wa.c, Platform.hpp WaEnableA64WA",
        "sends 64-bit addresses of one half of the address space only, in IGC's IR",
        None, Refused { reason: "no revision that is sold has it" };
    SamplerFlushedBeforeEnd, "Wa_1607871015", [between(Tgllp, Stepping::B0, Stepping::NEVER)],
        "skuwa/itgl_lp_hw_wa.c, G4_BB.cpp addSamplerFlushBeforeEOT",
        "flushes the sampler before the thread's end if a sampler message has no response",
        None, NotNeeded { reason: "each message of the sampler has a response", check: "emit/src/verify/single.rs" };
    AddressWritesWaitForAll, "hasA0WARHWissue", all([Dg2, Mtl, Pvc]),
        "HWCaps.inc hasA0WARHWissue, SWSB_G4IR.cpp 7206",
        "waits for all pipelines on each write of an address register",
        None, Made { pass: "emit/src/scoreboard/distance.rs", check: "emit/src/verify/errata.rs" };
    LocalLoadsReadLate, "hasSLMWARIssue", all([Dg2, Mtl, Pvc]),
        "HWCaps.inc hasSLMWARIssue, SWSB_G4IR.cpp clearSLMWARWAissue",
        "lets stores and fences of local memory wait for the loads before them",
        None, Made { pass: "emit/src/scoreboard/facts.rs", check: "emit/src/verify/errata.rs" };
    UgmFenceBeforeEnd, "Wa_22013689345", [between(Dg2, Stepping::B0, Stepping::NEVER), between(Mtl, Stepping::A0, Stepping::B0), between(Pvc, Stepping::A0, Stepping::C0)],
        "skuwa/iacm_g10_hw_wa.c, PrologEpilog.cpp insertFenceBeforeEOT, Mesa brw_workaround.cpp 157",
        "fences (fence.ugm.6.tile) and waits before the thread's end if it stores past or through the first cache, or has atomics without an answer",
        Some(Switch { option: "-waLscUgmFence", driver: "on where the table has it" }), Made { pass: "emit/src/errata/fences.rs", check: "emit/src/verify/errata.rs" };
    FenceInvalidates, "Wa_14012437816", [between(Dg2, Stepping::A0, Stepping::NEVER), between(Mtl, Stepping::A0, Stepping::B0)],
        "skuwa/iacm_g10_hw_wa.c, VISAKernelImpl.cpp 8968, Mesa brw_lower_logical_sends.cpp 2135",
        "makes a global fence that flushes nothing, of more than the group, one that invalidates",
        Some(Switch { option: "-LSCFenceWA", driver: "on where the table has it" }), Made { pass: "isel/src/select/lsc.rs", check: "emit/src/verify/single.rs" };
    AllWrittenBeforeLocalFence, "Wa_14014063774", all([Dg2, Mtl]),
        "Mesa brw_from_nir.cpp 5035",
        "waits for all writes (sync.allwr) before a fence of local memory",
        None, NotNeeded { reason: "the fence waits for the loads and atomics of local memory before it (hasSLMWARIssue), and stores have no answer", check: "emit/src/verify/errata.rs" };
    CselBeforeEnd256, "Wa_14016880151", [between(Dg2, Stepping::C0, Stepping::NEVER), between(Mtl, Stepping::A0, Stepping::NEVER)],
        "skuwa/iacm_g10_hw_wa.c, igt_12_70_hw_wa.c, SWWA.cpp HWWorkaround",
        "has a dummy csel before the thread's end, or before an atomic right before it, with 256 registers",
        None, Made { pass: "emit/src/errata/suppression.rs", check: "emit/src/verify/errata.rs" };
    GatherReadSuppression, "Wa_14019028097", all([Mtl]),
        "skuwa/igt_12_70_hw_wa.c, HWCaps.inc hasGatherReadSuppressionWARA, GraphColor.cpp 3218",
        "gives the response of a gather registers of its own in all channels, also inactive ones",
        None, NotNeeded { reason: "values are live along the paths of the instruction pointer, not of each channel, so that no two share a register", check: "regalloc/src/check.rs" };
    MathWholeRegisters, "hasRMWReadSuppressionIssue", all([Mtl]),
        "HWCaps.inc hasRMWReadSuppressionIssue, SWSB_G4IR.cpp 7082 (Arrow Lake, whose code is that of mtl; on dg2 only with the option)",
        "judges dependencies on math by whole registers",
        Some(Switch { option: "-manualEnableRSWA", driver: "off: the fact is false on dg2" }), Made { pass: "emit/src/scoreboard/facts.rs", check: "emit/src/verify/scoreboard.rs" };
    SampleCloned, "Wa_14014414195", [between(Dg2, Stepping::A0, Stepping::NEVER), between(Mtl, Stepping::A0, Stepping::B0)],
        "skuwa/iacm_g10_hw_wa.c, Optimizer.cpp 494",
        "sends a sampler message twice, for even and for odd channels",
        None, Refused { reason: "only on demand of the driver of graphics (-cloneSampleInst)" };
    CallaRegister, "Wa_1608127078", [between(Dg2, Stepping::A0, Stepping::NEVER), between(Mtl, Stepping::A0, Stepping::B0), between(Pvc, Stepping::A0, Stepping::NEVER)],
        "skuwa/iacm_g10_hw_wa.c, HWConformity.cpp fixCalla",
        "calls an address at the start of a register",
        None, NotNeeded { reason: "the address of a call is at the start of a register", check: "emit/src/verify/single.rs" };
    ScratchQuads, "Wa_15010203763", [between(Dg2, Stepping::B0, Stepping::NEVER), between(Mtl, Stepping::A0, Stepping::B0)],
        "skuwa/iacm_g10_hw_wa.c, Platform.hpp WaDisableD64ScratchMessage",
        "has no scratch messages of 64-bit elements",
        None, NotNeeded { reason: "scratch memory is accessed by dwords", check: "emit/src/verify/single.rs" };
    SystolicFused, "Wa_18023229625", [between(Dg2, Stepping::C0, Stepping::NEVER)],
        "skuwa/iacm_g10_hw_wa.c, HWCaps.inc hasDPASFuseRSWA, SWWA.cpp prepareDPASFuseRSWA, SWSB_G4IR.cpp 7411",
        "does not let threads run in pairs if a systolic operation of eight rows has a second source that an instruction, no message, wrote (the driver has a dummy dpas before it)",
        Some(Switch { option: "-DPASFuseRSWA", driver: "where the table has it" }), Made { pass: "runtime/compile/src/steps/emit.rs", check: "emit/src/verify/pairs.rs" };
    SystolicSuppression, "Wa_22012856258", [between(Dg2, Stepping::B0, Stepping::NEVER), between(Mtl, Stepping::A0, Stepping::B0)],
        "skuwa/iacm_g10_hw_wa.c, SWWA.cpp insertDummyMovForHWRSWAonDPAS",
        "has a dummy mov of the second source before the first systolic operation of a block if a predicated message or a divergent branch is in the kernel",
        Some(Switch { option: "-insertDPASRSDummyMov", driver: "on" }), Made { pass: "emit/src/errata/suppression.rs", check: "emit/src/verify/errata.rs" };
    SystolicSource8, "Wa_14013341720", [between(Dg2, Stepping::A0, Stepping::NEVER), between(Pvc, Stepping::A0, Stepping::B0)],
        "skuwa/iacm_g10_hw_wa.c, SWSB_G4IR.cpp 1314",
        "counts the second source of a systolic operation as eight registers in dependencies",
        None, Made { pass: "emit/src/scoreboard/facts.rs", check: "emit/src/verify/scoreboard.rs" };
    LocalLoadTwo, "Wa_14012562260", [between(Dg2, Stepping::A0, Stepping::B0)],
        "skuwa/iacm_g10_hw_wa.c, SWSB_G4IR.cpp 1286",
        "counts the response of a load of local memory with at most eight channels and one register as two",
        None, Refused { reason: "no revision that is sold has it" };
    SystolicMacro, "Wa_16011859583", [between(Dg2, Stepping::A0, Stepping::B0)],
        "skuwa/iacm_g10_hw_wa.c, SWSB_G4IR.cpp 6885",
        "has macros of systolic operations of repeat count 8 only",
        None, Refused { reason: "no revision that is sold has it" };
    SurfaceGathersSplit, "Wa_18015444900", [between(Dg2, Stepping::B0, Stepping::NEVER), between(Mtl, Stepping::A0, Stepping::B0)],
        "skuwa/iacm_g10_hw_wa.c, CISABuilder.cpp 7643, 7733",
        "splits gathers of 8 channels with four or more dwords or 64-bit elements from surfaces, in IGC's IR",
        None, Refused { reason: "a front end makes it in its own representation, before vISA" };
    CubeNormals, "Wa_14012688258", all([Dg2]),
        "skuwa/iacm_g10_hw_wa.c, Mesa brw_from_nir.cpp 6202",
        "cube arrays with gradients: a frontend's part, in IGC and Mesa",
        None, Refused { reason: "a front end makes it in its own representation, before vISA" };
    SendReadsLate, "PVCSendWARWA", all([Pvc]),
        "HWCaps.inc PVCSendWARWA, SWSB_G4IR.cpp insertPVCWA",
        "reads the last two registers of a message's payload after its reads are waited for, before they are overwritten",
        Some(Switch { option: "-PVCSendWARWA", driver: "on; -ze-opt-disable-sendwarwa turns it off" }), Made { pass: "emit/src/scoreboard/late_reads.rs", check: "emit/src/verify/late_reads.rs" };
    Source1Suppression, "hasSrc1ReadSuppressionIssue", [],
        "HWCaps.inc hasSrc1ReadSuppressionIssue (first tile generation, not the sold one)",
        "waits between instructions that read one register as their second source",
        None, NotNeeded { reason: "no revision that is sold has it; the reference's fact is of its platform PVC, not PVCXT", check: "platform/src/tests/errata.rs" };
    FloatSuppression, "hasFPU0ReadSuppressionIssue", all([Pvc]),
        "HWCaps.inc hasFPU0ReadSuppressionIssue, SWWA.cpp fixReadSuppressioninFPU0",
        "has a dummy csel between float operations that read one register by different paths",
        None, Made { pass: "emit/src/errata/floats.rs", check: "emit/src/verify/errata.rs" };
    LongTypeWaits, "hasLongOperandTypeDepIssue", all([Pvc]),
        "HWCaps.inc hasLongOperandTypeDepIssue, SWSB_G4IR.cpp 767",
        "names the pipeline of a distance to a long operation",
        None, Made { pass: "emit/src/scoreboard/facts.rs", check: "emit/src/verify/single.rs" };
    DistanceAndToken, "hasRegDistDepIssue", all([Pvc]),
        "HWCaps.inc hasRegDistDepIssue, SWSB_G4IR.cpp 772",
        "names the pipeline of each distance, or all",
        None, Made { pass: "emit/src/scoreboard/facts.rs", check: "emit/src/verify/single.rs" };
    HalfToInteger, "noHFToInteger", all([Pvc]),
        "HWCaps.inc noHFToInteger, HWConformity.cpp fixMov",
        "converts halves to integers through floats",
        None, Made { pass: "isel/src/legalize/mod.rs", check: "emit/src/verify/single.rs" };
    HalfMathAligned, "Wa_22011647401", all([Pvc]),
        "skuwa/ipvc_hw_wa.c, HWConformity.cpp fixMathInst",
        "has operands of math on halves at the start of a register, packed",
        None, Made { pass: "isel/src/legalize/mod.rs", check: "emit/src/verify/single.rs" };
    HalfMathScalars, "hasHFMathSrcBroadCast", all([Pvc]),
        "HWCaps.inc hasHFMathSrcBroadCast, HWConformity.cpp 806",
        "has no scalar halves as sources of math",
        None, Made { pass: "isel/src/legalize/mod.rs", check: "emit/src/verify/single.rs" };
    HalfMathScalarsToo, "Wa_22016140776", all([Lnl, Bmg, Ptl]),
        "skuwa/igt_20_04_hw_wa.c, igt_30_00_hw_wa.c, HWConformity.cpp 806, Mesa brw_lower_regioning.cpp 290",
        "has no scalar halves as sources of math",
        None, Made { pass: "isel/src/legalize/mod.rs", check: "emit/src/verify/single.rs" };
    IndirectCompressed, "Wa_13010473643", [between(Pvc, Stepping::A0, Stepping::NEVER), between(Lnl, Stepping::A0, Stepping::B0)],
        "HWCaps.inc needIndirectSrcForCompressedInstWA, HWConformity.cpp 2046, BuildCISAIRImpl.cpp",
        "splits an instruction with an indirect first source whose destination crosses a register",
        Some(Switch { option: "-noIndirectSrcForCompressedInstWA", driver: "the fix is made where the table has it" }), Made { pass: "isel/src/legalize/mod.rs", check: "emit/src/verify/single.rs" };
    IntegerMac, "waDisableIntMac", [],
        "HWCaps.inc waDisableIntMac (first tile generation, not the sold one)",
        "makes no mac of integers",
        None, NotNeeded { reason: "no mac is made", check: "isel/src/select/alu.rs" };
    ConditionOfDouble, "Wa_16011698357", [between(Pvc, Stepping::A0, Stepping::B0)],
        "skuwa/ipvc_hw_wa.c, HWConformity.cpp fixMov",
        "has the condition of a conversion from doubles in a move of its own",
        None, Refused { reason: "no revision that is sold has it" };
    ScalarsWithQuads, "Wa_16012725276", [between(Pvc, Stepping::A0, Stepping::B0)],
        "skuwa/ipvc_hw_wa.c, HWConformity.cpp 6108",
        "has no scalar of fewer bits beside 64-bit operands",
        None, Refused { reason: "no revision that is sold has it" };
    ProductsAfterSchedule, "Wa_14013677893", [between(Pvc, Stepping::A0, Stepping::B0)],
        "skuwa/ipvc_hw_wa.c, SWWA.cpp expandMulPostSchedule",
        "expands products after scheduling, so that mul and macl are neighbours",
        None, Refused { reason: "no revision that is sold has it" };
    ByteSwizzles, "Wa_16012383669", all([Pvc, Lnl, Bmg]),
        "skuwa/ipvc_hw_wa.c, igt_20_04_hw_wa.c, HWConformity.cpp fixByteXBarRestriction, Mesa brw_lower_regioning.cpp 50",
        "does not pack words of a second source into bytes with stride 2",
        Some(Switch { option: "-restrictSrc1ByteSwizzle", driver: "where the table has it" }), Made { pass: "isel/src/legalize/places.rs", check: "emit/src/verify/single.rs" };
    AddressWaitsForFloats, "needA0WAR", all([Lnl, Bmg, Ptl]),
        "HWCaps.inc needA0WAR, SWSB_G4IR.cpp 7211, 6073",
        "has distance 1 of the float pipeline on the first write of an address register",
        None, Made { pass: "emit/src/scoreboard/distance.rs", check: "emit/src/verify/errata.rs" };
    MulMacSuppression, "Wa_18035690555", all([Lnl, Bmg, Ptl]),
        "skuwa/igt_20_04_hw_wa.c, igt_30_00_hw_wa.c, SWWA.cpp mulMacRSWA, Mesa brw_workaround.cpp 39",
        "has a dummy add between integer products that share their second source with different regions",
        Some(Switch { option: "-hasMulMacRSIssue", driver: "where the table has it" }), Made { pass: "emit/src/errata/products.rs", check: "emit/src/verify/errata.rs" };
    OddWordSource, "Wa_14017715663", all([Pvc, Lnl, Bmg]),
        "skuwa/igt_20_04_hw_wa.c, HWCaps.inc hasBDstWSrc1EvenAlignIssue, HWConformity.cpp fixOddAlignSrc1Region",
        "has no second source of words at an odd word beside a byte destination",
        None, Made { pass: "isel/src/legalize/mod.rs", check: "emit/src/verify/single.rs" };
    SelectWordOfDwords, "Wa_18027439769", all([Pvc, Lnl, Bmg]),
        "skuwa/igt_20_04_hw_wa.c, HWCaps.inc hasSelWDstDwExecTypeAlignIssue, HWConformity.cpp 5537",
        "aligns the word destination of a select of dwords to its channel: dwords are selected into dwords first",
        None, Made { pass: "isel/src/legalize/mod.rs", check: "emit/src/verify/single.rs" };
    FenceDiscards, "Wa_22017182272", all([Lnl, Bmg]),
        "skuwa/igt_20_04_hw_wa.c, HWCaps.inc needLSCFenceDiscardWA, VISAKernelImpl.cpp 8972",
        "has no fence that discards",
        None, Made { pass: "isel/src/select/lsc.rs", check: "emit/src/verify/single.rs" };
    DescriptorBits, "Wa_14020375314", all([Lnl, Bmg]),
        "skuwa/igt_20_04_hw_wa.c, TranslateSendLdStLsc.cpp 1232, TranslateSendRaw.cpp 81",
        "has no extended descriptor whose bits 12 to 15 are 0xb",
        None, NotNeeded { reason: "constant extended descriptors have other bits", check: "emit/src/verify/single.rs" };
    TypedFenceTwice, "Wa_14021891663", [between(Lnl, Stepping::A0, Stepping::NEVER), between(Bmg, Stepping::A0, Stepping::NEVER), between(Ptl, Stepping::A0, Stepping::B0)],
        "skuwa/igt_20_04_hw_wa.c, HWCaps.inc needTGMDoubleFenceWA, SWWA.cpp HWWorkaround",
        "sends each fence of typed memory that flushes twice",
        Some(Switch { option: "-tgmDoubleFenceWA", driver: "off" }), Refused { reason: "the driver leaves it off for kernels" };
    WriteCombineFirst, "Wa_18042479026", all([Lnl, Bmg, Ptl]),
        "skuwa/igt_20_04_hw_wa.c, HWCaps.inc needWriteCombineWA, SWWA.cpp HWWorkaround",
        "does not begin a kernel with an {Atomic} move of write combining",
        None, NotNeeded { reason: "no move is bound to the next one", check: "emit/src/verify/errata.rs" };
    RayQueryRelease, "Wa_22019804511", all([Lnl, Bmg, Ptl]),
        "skuwa/igt_20_04_hw_wa.c, Platform.hpp allowDivergentControlFlowRayQueryCheckRelease",
        "releases ray queries without divergence, in IGC's IR",
        None, Refused { reason: "a front end makes it in its own representation, before vISA" };
    TernaryDestinationPlace, "isGoodAlign1TernaryDst", all([Icllp, Tgllp, Dg2, Mtl, Pvc, Lnl, Bmg, Ptl]),
        "HWCaps.inc noSrc2Regioning, HWConformity.cpp isGoodAlign1TernaryDst and isGoodAlign1TernarySrc",
        "has the third source of three in the destination's place: the same stride in bytes and offset, or a scalar; mixed floats excepted",
        None, Made { pass: "isel/src/legalize/places.rs", check: "emit/src/verify/ternary.rs" };
    ShortDistance, "SWSB_MAX_ALU_DEPENDENCE_DISTANCE", all([Tgllp, Dg2, Mtl, Pvc, Lnl, Bmg, Ptl]),
        "SWSB_G4IR.h, IGA SWSB.cpp",
        "waits for distances of at most 7, which the field has",
        None, Made { pass: "emit/src/scoreboard/distance.rs", check: "emit/src/verify/mod.rs" };
    FloatsInPlace, "supportFloatOr64bRegioning", all([Dg2, Mtl, Pvc, Lnl, Bmg, Ptl]),
        "HWCaps.inc supportFloatOr64bRegioning, HWConformity.cpp fixUnalignedRegions, Mesa gen_validate.cpp",
        "keeps channels of floats, halves and 64-bit values in their place, scalars excepted",
        None, Made { pass: "isel/src/legalize/places.rs", check: "emit/src/verify/region.rs" };
    IndirectRowsOfDwords, "hasVxHFloat64b", all([Dg2, Mtl, Pvc, Lnl, Bmg, Ptl]),
        "HWCaps.inc hasVxHFloat64b, HWConformity.cpp fixVxHFloat64b, Mesa gen_validate.cpp",
        "reads floats and 64-bit values with an address for each row as dwords",
        None, Made { pass: "isel/src/legalize/places.rs", check: "emit/src/verify/region.rs" };
    HalfToWordStrided, "HF conversion", all([Skl, Bxt, Icllp, Tgllp, Dg2, Mtl, Pvc, Lnl, Bmg, Ptl]),
        "PRM vol. 7 (Special Restrictions), Mesa gen_validate.cpp",
        "converts halves to words and bytes into a destination with the stride of a dword",
        None, Made { pass: "isel/src/legalize/mod.rs", check: "emit/src/verify/region.rs" };
    ProductOfBytes, "fixDstAlignment", all([Skl, Bxt, Icllp, Tgllp, Dg2, Mtl, Pvc, Lnl, Bmg, Ptl]),
        "HWConformity.cpp fixDstAlignment, PRM vol. 2a (mul)",
        "has no product of integers with a destination of bytes",
        None, Made { pass: "isel/src/legalize/mod.rs", check: "emit/src/verify/mod.rs" };
    RotatesUnsigned, "fixRotate", all([Icllp, Tgllp, Dg2, Mtl, Pvc, Lnl, Bmg, Ptl]),
        "HWConformity.cpp fixRotate, Mesa gen_validate.cpp, IGA types",
        "rotates unsigned words, dwords and quadwords only",
        None, Made { pass: "isel/src/legalize/mod.rs", check: "emit/src/verify/mod.rs" };
    LogicUnsigned, "fixBfnInst", all([Dg2, Mtl, Pvc, Lnl, Bmg, Ptl]),
        "HWConformity.cpp fixBfnInst, Mesa gen_validate.cpp, IGA types",
        "has bfn of unsigned words and dwords only",
        None, Made { pass: "isel/src/legalize/mod.rs", check: "emit/src/verify/ternary.rs" };
    StateWriteBeforeFlow, "insertSync hasDistOneAreg", all([Tgllp, Dg2, Mtl, Pvc, Lnl, Bmg, Ptl]),
        "SWSB_G4IR.cpp insertSync",
        "waits for a write of cr0 or sr0 that is a block's last instruction",
        None, Made { pass: "emit/src/scoreboard/state.rs", check: "emit/src/verify/errata.rs" };
    NullOfWords, "fixByteXBarRestriction", all([Pvc, Lnl, Bmg, Ptl]),
        "HWConformity.cpp fixByteXBarRestriction",
        "has null destinations of words with stride 2, and none of bytes",
        None, Made { pass: "isel/src/legalize/mod.rs", check: "emit/src/verify/region.rs" };
    BarrierOfActive, "activeThreadsOnlyBarrier", all([Lnl, Bmg, Ptl]),
        "VISAOptionsDefs.h, CISABuilder.cpp",
        "sets bit 8 of the header's dword 2 in a barrier, so that threads that ended are not waited for",
        Some(Switch { option: "-activeThreadsOnlyBarrier", driver: "on" }), Made { pass: "isel/src/select/alu.rs", check: "emit/src/verify/errata.rs" };
    SystolicSource2, "hasDPASSrc2ReadSuppressionDepIssue", [],
        "HWCaps.inc hasDPASSrc2ReadSuppressionDepIssue (first tile generation, not the sold one), SWSB_G4IR.cpp 1305",
        "counts the third source of a systolic operation as 8x8 in dependencies",
        None, NotNeeded { reason: "no revision that is sold has it", check: "platform/src/tests/errata.rs" };
    FlagsReadEarly, "needPredicateWAR", all([Tgllp, Dg2, Mtl, Pvc, Lnl, Bmg]),
        "HWCaps.inc needPredicateWAR, SWSB_G4IR.cpp 6270",
        "does not overwrite a flag before its predicates are read",
        None, Made { pass: "emit/src/scoreboard/facts.rs", check: "emit/src/verify/errata.rs" };
    AccumulatorPacked, "Wa_14014617373", all([Tgllp]),
        "Mesa brw_validate.cpp 520, PRM (Accumulator Registers)",
        "writes an accumulator at offset 0 with stride 1 only",
        None, NotNeeded { reason: "accumulators are written from their start on", check: "emit/src/verify/single.rs" };
    AccumulatorReadsWaitedFor, "Wa_22012725308", all([Dg2, Mtl, Pvc, Lnl, Bmg, Ptl]),
        "Mesa brw_lower_scoreboard.cpp 1226, 1278, SWSB_G4IR.cpp getFootprintForACC",
        "waits before it writes an accumulator that another pipeline may still read",
        None, Made { pass: "emit/src/scoreboard/registers.rs", check: "emit/src/verify/errata.rs" };
    WhileAfterFlow, "Wa_22020521218", all([Lnl, Bmg, Ptl]),
        "Mesa mesa_defs.json, brw_to_binary.cpp 1676, jay_to_binary.c 735",
        "has a nop between an instruction of control flow and a while after it, which may be predicted wrong",
        None, Made { pass: "emit/src/errata/loops.rs", check: "emit/src/verify/errata.rs" };
}
