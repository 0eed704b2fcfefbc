//! Planted violations of the errata: for each row, code that breaks it, and the nearest code that keeps it. The checks of
//! finished code are tested with it, and strict execution.

use kiln_platform::errata::Erratum;

/// A row, a platform that has it, code that breaks it and code that does not.
pub type Planted = (Erratum, &'static str, &'static str, &'static str);

#[rustfmt::skip]
pub const PLANTED: &[Planted] = &[
    (Erratum::FlagsReadBeforeEnd, "skl",
"cmp (8|M0) (eq)f1.0 null<1>:d r4.0<8;8,1>:d 0x0:d
(W) send (8|M0) null r127 0x27 0x02000010 {EOT}",
"cmp (8|M0) (eq)f1.0 null<1>:d r4.0<8;8,1>:d 0x0:d
(W) mov (1|M0) null<1>:ud f1.0<0;1,0>:ud
(W) send (8|M0) null r127 0x27 0x02000010 {EOT}"),
    (Erratum::SwitchAfterCall, "skl",
"(W) mov (8|M0) r20.0<1>:ud r6.0<8;8,1>:ud
ret (8|M0) r4.0<0;1,0>:d",
"(W) mov (8|M0) r20.0<1>:ud r6.0<8;8,1>:ud {Switch}
ret (8|M0) r4.0<0;1,0>:d"),
    (Erratum::CountClearedBeforeBarrier, "skl",
"(W) send (1|M0) null r26 0x3 0x02000004",
"(W) mov (1|M0) n0.0<1>:ud 0x0:ud {Switch}
(W) send (1|M0) null r26 0x3 0x02000004"),
    (Erratum::SwitchOnUnscored, "icllp",
"(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:ud",
"(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:ud {Switch}"),
    (Erratum::FenceTokenWaited, "bmg",
"(W) send.slm (1|M0) r12 r3 null:0 0x0 0x0210001F {$3}
(W) send.gtwy (1|M0) null r13 null:0 0x0 0x02000004 {$4}",
"(W) send.slm (1|M0) r12 r3 null:0 0x0 0x0210001F {$3}
sync.nop null {$3.dst}
(W) send.gtwy (1|M0) null r13 null:0 0x0 0x02000004 {$4}"),
    (Erratum::FenceResponseRead, "icllp",
"(W) send (8|M0) r126 r127 0xA 0x0219E000
(W) send (1|M0) null r26 0x3 0x02000004",
"(W) send (8|M0) r126 r127 0xA 0x0219E000
(W) mov (8|M0) null<1>:ud r126.0<8;8,1>:ud
(W) send (1|M0) null r26 0x3 0x02000004"),
    (Erratum::NopAfterQuotient, "skl",
"math.fdiv (8|M0) r4.0<1>:f r6.0<8;8,1>:f r8.0<8;8,1>:f
mov (16|M0) r20.0<1>:d r10.0<8;8,1>:d",
"math.fdiv (8|M0) r4.0<1>:f r6.0<8;8,1>:f r8.0<8;8,1>:f
nop
mov (16|M0) r20.0<1>:d r10.0<8;8,1>:d"),
    (Erratum::MixedSelectUnpacked, "skl",
"(f0.0) sel (8|M0) r4.0<1>:hf r6.0<8;8,1>:f r8.0<8;8,1>:f",
"(f0.0) sel (8|M0) r4.0<1>:f r6.0<8;8,1>:f r8.0<8;8,1>:f"),
    (Erratum::Reserved127, "skl",
"send (16|M0) r126 r126 0xC 0x04205E00",
"send (16|M0) r124 r126 0xC 0x04205E00"),
    (Erratum::NoPreemptFromR2, "icllp",
"send (8|M0) r10 r2 0xC 0x02106E00",
"send (8|M0) r10 r2 0xC 0x02106E00 {NoPreempt}"),
    (Erratum::ResponseApart, "icllp",
"send (8|M0) r4 r4 0xC 0x02106E00",
"send (8|M0) r10 r4 0xC 0x02106E00"),
    (Erratum::AddressesCleared, "icllp",
"mov (8|M0) r4.0<1>:ud r[a0.0]<1,0>:ud
(W) send (8|M0) null r127 0x27 0x02000010 {EOT}",
"(W) mov (16|M0) a0.0<1>:uw 0x0:uw
mov (8|M0) r4.0<1>:ud r[a0.0]<1,0>:ud
(W) send (8|M0) null r127 0x27 0x02000010 {EOT}"),
    (Erratum::HdcFenceBeforeEnd, "icllp",
"sends (8|M0) null:ud r8 r10 0x4C 0x02026E01
(W) send (8|M0) null r127 0x27 0x02000010 {EOT}",
"sends (8|M0) null:ud r8 r10 0x4C 0x02026E01
(W) send (8|M0) r126 r127 0xA 0x0219E000
(W) mov (8|M0) null<1>:ud r126.0<8;8,1>:ud
(W) send (8|M0) null r127 0x27 0x02000010 {EOT}"),
    (Erratum::ReadSuppressionBroken, "tgllp",
"(W) mov (8|M0) r20.0<1>:ud r6.0<8;8,1>:ud
(f0.0) send.dc1 (8|M0) r10 r4 null 0x0 0x02106E00 {$1}",
"(W) csel (4|M0) (eq)f0.0 r1.0<1>:w r1.0<4;1>:w r1.0<4;1>:w r1.0<1>:w
(f0.0) send.dc1 (8|M0) r10 r4 null 0x0 0x02106E00 {$1}"),
    (Erratum::ReadSuppressionBrokenToo, "tgllp",
"(W) mov (8|M0) r20.0<1>:ud r6.0<8;8,1>:ud
(f0.0) send.dc1 (8|M0) r10 r4 null 0x0 0x02106E00 {$1}",
"(W) csel (4|M0) (eq)f0.0 r1.0<1>:w r1.0<4;1>:w r1.0<4;1>:w r1.0<1>:w
(f0.0) send.dc1 (8|M0) r10 r4 null 0x0 0x02106E00 {$1}"),
    (Erratum::IntraReadSuppression, "tgllp",
"(W) mov (1|M0) r8.0<1>:ud 0x0:ud
(W) add (1|M0) r20.0<1>:ud r8.4<0;1,0>:ud r8.5<0;1,0>:ud",
"(W) mov (1|M0) r8.0<1>:ud 0x0:ud
(W) add (1|M0) r20.0<1>:ud r8.4<0;1,0>:ud r8.5<0;1,0>:ud {@1}"),
    (Erratum::MathReadSuppression, "tgllp",
"(W) math.inv (1|M0) r8.0<1>:f r4.0<0;1,0>:f {$1}
(W) mov (1|M0) r20.0<1>:ud r8.5<0;1,0>:ud",
"(W) math.inv (1|M0) r8.0<1>:f r4.0<0;1,0>:f {$1}
(W) mov (1|M0) r20.0<1>:ud r8.5<0;1,0>:ud {$1.dst}"),
    (Erratum::MathWholeRegisters, "mtl",
"(W) math.inv (1|M0) r8.0<1>:f r4.0<0;1,0>:f {$1}
(W) mov (1|M0) r20.0<1>:ud r8.5<0;1,0>:ud",
"(W) math.inv (1|M0) r8.0<1>:f r4.0<0;1,0>:f {$1}
(W) mov (1|M0) r20.0<1>:ud r8.5<0;1,0>:ud {$1.dst}"),
    (Erratum::AccumulatorClearedBeforeEnd, "tgllp",
"(W) mov (8|M0) acc0.0<1>:f 0x3F800000:f
(W) send.ts (1|M0) null r127 null 0x0 0x02000010 {EOT,@1}
nop",
"(W) mov (8|M0) acc0.0<1>:f 0x3F800000:f
(W) mov (16|M0) acc0.0<1>:f 0x0:f
(W) send.ts (1|M0) null r127 null 0x0 0x02000010 {EOT,@1}
nop"),
    (Erratum::NopAfterEnd, "dg2",
"(W) mov (8|M0) r20.0<1>:ud r6.0<1;1,0>:ud
(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}",
"(W) mov (8|M0) r20.0<1>:ud r6.0<1;1,0>:ud
(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}
nop"),
    (Erratum::EndWaitsForAll, "tgllp",
"(W) mov (8|M0) r20.0<1>:ud r6.0<8;8,1>:ud
(W) send.ts (1|M0) null r127 null 0x0 0x02000010 {EOT}
nop",
"(W) mov (8|M0) r20.0<1>:ud r6.0<8;8,1>:ud
(W) send.ts (1|M0) null r127 null 0x0 0x02000010 {EOT,@1}
nop"),
    (Erratum::FirstInstructionUnmasked, "dg2",
"mov (8|M0) r20.0<1>:ud r6.0<1;1,0>:ud
(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}
nop",
"(W) mov (8|M0) r20.0<1>:ud r6.0<1;1,0>:ud
(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}
nop"),
    (Erratum::BarrierKeepsHeader, "tgllp",
"(W) mov (8|M0) r0.0<1>:ud 0x0:ud
(W) and (8|M0) r20.0<1>:ud r0.2<0;1,0>:ud 0x7F000000:ud {@1}
(W) send.gtwy (1|M0) null r20 null 0x0 0x02000004 {@1,$5}
sync.bar null",
"(W) mov (8|M0) r30.0<1>:ud 0x0:ud
(W) and (8|M0) r20.0<1>:ud r0.2<0;1,0>:ud 0x7F000000:ud {@1}
(W) send.gtwy (1|M0) null r20 null 0x0 0x02000004 {@1,$5}
sync.bar null"),
    (Erratum::SamplerHeader, "skl",
"send (8|M0) r20 r10 0x2 0x02420001",
"send (8|M0) r20 r10 0x2 0x044A0001"),
    (Erratum::SamplerHeaderFromR0, "bmg",
"send.smpl (16|M0) r20 r10 null:0 0x0 0x02420001 {$1}",
"send.smpl (16|M0) r20 r10 null:0 0x0 0x044A0001 {$1}"),
    (Erratum::SamplerFlushedBeforeEnd, "tgllp",
"send.smpl (8|M0) null r10 null 0x0 0x02048001 {$1}",
"send.smpl (8|M0) r20 r10 null 0x0 0x02448001 {$1}"),
    (Erratum::AddressWritesWaitForAll, "dg2",
"(W) mov (1|M0) a0.0<1>:uw r4.0<0;1,0>:uw",
"(W) mov (1|M0) a0.0<1>:uw r4.0<0;1,0>:uw {A@1}"),
    (Erratum::LocalLoadsReadLate, "dg2",
"send.slm (16|M0) r10 r8 null:0 0x0 0x04200500 {$1}
send.slm (16|M0) null r14 r16:2 0x0 0x04000504 {$2}",
"send.slm (16|M0) r10 r8 null:0 0x0 0x04200500 {$1}
sync.nop null {$1.dst}
send.slm (16|M0) null r14 r16:2 0x0 0x04000504 {$2}"),
    (Erratum::AllWrittenBeforeLocalFence, "dg2",
"send.slm (16|M0) r10 r8 null:0 0x0 0x04200500 {$1}
(W) send.slm (1|M0) r12 r3 null:0 0x0 0x0210001F {$2}",
"send.slm (16|M0) r10 r8 null:0 0x0 0x04200500 {$1}
sync.nop null {$1.dst}
(W) send.slm (1|M0) r12 r3 null:0 0x0 0x0210001F {$2}"),
    (Erratum::UgmFenceBeforeEnd, "dg2",
"(W) mov (8|M0) r20.0<1>:ud r6.0<1;1,0>:ud
send.ugm (16|M0) null r14 r16:2 0x0 0x04040504 {$2}
(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}
nop",
"(W) mov (8|M0) r20.0<1>:ud r6.0<1;1,0>:ud
send.ugm (16|M0) null r14 r16:2 0x0 0x04040504 {$2}
(W) send.ugm (1|M0) r126 r127 null:0 0x0 0x0210341F {$3}
sync.nop null {$3.dst}
(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}
nop"),
    (Erratum::FenceInvalidates, "dg2",
"(W) send.ugm (1|M0) r126 r127 null:0 0x0 0x0210061F {$3}
sync.nop null {$3.dst}",
"(W) send.ugm (1|M0) r126 r127 null:0 0x0 0x0210261F {$3}
sync.nop null {$3.dst}"),
    (Erratum::CselBeforeEnd256, "dg2",
"(W) mov (8|M0) r20.0<1>:ud r6.0<1;1,0>:ud
(W) send.gtwy (1|M0) null r255 null:0 0x0 0x02000010 {EOT,A@1}
nop",
"(W) csel (4|M0) (eq)f0.0 r1.0<1>:w r1.0<1;0>:w r1.0<1;0>:w r1.0<1>:w
(W) csel (4|M0) (eq)f0.0 r1.0<1>:w r1.0<1;0>:w r1.0<1;0>:w r1.0<1>:w {I@1}
(W) send.gtwy (1|M0) null r255 null:0 0x0 0x02000010 {EOT,A@1}
nop"),
    (Erratum::CallaRegister, "pvc",
"calla (16|M0) r30.0 r4.1",
"calla (16|M0) r30.0 r4.0"),
    (Erratum::ScratchQuads, "dg2",
"send.ugm (8|M0) r10 r8 null a0.0 0x42200780 {$1}",
"send.ugm (8|M0) r10 r8 null a0.0 0x42100580 {$1}"),
    (Erratum::SystolicSuppression, "dg2",
"(f0.0) send.ugm (8|M0) r40 r42 null:0 0x0 0x02100500 {$1}
dpas.8x8 (8|M0) r4:f null:f r12:hf r20.0:hf {$2}",
"(f0.0) send.ugm (8|M0) r40 r42 null:0 0x0 0x02100500 {$1}
(W) mov (1|M0) r12.0<1>:ud r12.0<0;1,0>:ud
sync.nop null {I@1}
dpas.8x8 (8|M0) r4:f null:f r12:hf r20.0:hf {$2}"),
    (Erratum::SystolicSource8, "dg2",
"dpas.8x1 (8|M0) r4:f null:f r12:hf r20.0:hf {$2}
(W) mov (8|M0) r19.0<1>:ud 0x0:ud",
"dpas.8x1 (8|M0) r4:f null:f r12:hf r20.0:hf {$2}
(W) mov (8|M0) r19.0<1>:ud 0x0:ud {$2.src}"),
    (Erratum::SendReadsLate, "pvc",
"send.ugm (16|M0) null r14 r20:2 0x0 0x080E0584 {$2}
(W) mov (8|M0) r14.0<1>:ud 0x0:ud {$2.src}",
"send.ugm (16|M0) null r14 r20:2 0x0 0x080E0584 {$2}
(W) mov (8|M0) r14.0<1>:ud 0x0:ud {$2.dst}"),
    (Erratum::FloatSuppression, "pvc",
"mov (16|M0) r10.0<1>:hf r4.0<1;1,0>:hf
add (16|M0) r20.0<1>:hf r4.0<1;1,0>:hf 0x0:hf",
"mov (16|M0) r10.0<1>:hf r5.0<1;1,0>:hf
add (16|M0) r20.0<1>:hf r4.0<1;1,0>:hf 0x0:hf"),
    (Erratum::LongTypeWaits, "pvc",
"mov (8|M0) r10.0<1>:q r4.0<1;1,0>:q {@1}",
"mov (8|M0) r10.0<1>:q r4.0<1;1,0>:q {I@1}"),
    (Erratum::DistanceAndToken, "pvc",
"mov (8|M0) r10.0<1>:d r4.0<1;1,0>:d {@1}",
"mov (8|M0) r10.0<1>:d r4.0<1;1,0>:d {I@1}"),
    (Erratum::HalfToInteger, "pvc",
"mov (8|M0) r10.0<1>:d r4.0<2;1,0>:hf",
"mov (8|M0) r10.0<1>:d r4.0<1;1,0>:f"),
    (Erratum::HalfMathAligned, "pvc",
"math.inv (16|M0) r4.16<1>:hf r6.16<1;1,0>:hf {$1}",
"math.inv (16|M0) r4.0<1>:hf r6.0<1;1,0>:hf {$1}"),
    (Erratum::HalfMathScalars, "pvc",
"math.inv (16|M0) r4.0<1>:hf r6.0<0;1,0>:hf {$1}",
"math.inv (16|M0) r4.0<1>:hf r6.0<1;1,0>:hf {$1}"),
    (Erratum::HalfMathScalarsToo, "bmg",
"math.inv (16|M0) r4.0<1>:hf r6.0<0;1,0>:hf {$1}",
"math.inv (16|M0) r4.0<1>:hf r6.0<1;1,0>:hf {$1}"),
    (Erratum::IndirectCompressed, "pvc",
"mov (32|M0) r10.0<1>:d r[a0.0]<1;1,0>:d",
"mov (16|M0) r10.0<1>:d r[a0.0]<1;1,0>:d"),
    (Erratum::ByteSwizzles, "bmg",
"add (16|M0) r10.0<2>:b r4.0<1;1,0>:w r6.0<2;1,0>:w",
"add (16|M0) r10.0<2>:b r4.0<1;1,0>:w r6.0<1;1,0>:w"),
    (Erratum::AddressWaitsForFloats, "bmg",
"(W) mov (1|M0) a0.0<1>:uw r4.0<0;1,0>:uw",
"(W) mov (1|M0) a0.0<1>:uw r4.0<0;1,0>:uw {F@1}"),
    (Erratum::MulMacSuppression, "bmg",
"mul (16|M0) r8.0<1>:d r4.0<1;1,0>:d r6.0<0;1,0>:w
mul (16|M0) r9.0<1>:d r4.0<1;1,0>:d r6.0<2;1,0>:w",
"mul (16|M0) r8.0<1>:d r4.0<1;1,0>:d r6.0<0;1,0>:w
(W) add (1|M0) null<1>:uw null<0;1,0>:uw 0x0:uw
mul (16|M0) r9.0<1>:d r4.0<1;1,0>:d r6.0<2;1,0>:w"),
    (Erratum::OddWordSource, "bmg",
"add (16|M0) r8.0<4>:b r4.0<1;1,0>:w r6.1<1;1,0>:w",
"add (16|M0) r8.0<4>:b r4.0<1;1,0>:w r6.0<1;1,0>:w"),
    (Erratum::SelectWordOfDwords, "bmg",
"(f0.0) sel (8|M0) r8.2<2>:w r4.0<1;1,0>:d r6.0<1;1,0>:d",
"(f0.0) sel (8|M0) r8.0<2>:w r4.0<1;1,0>:d r6.0<1;1,0>:d"),
    (Erratum::FenceDiscards, "bmg",
"(W) send.ugm (1|M0) r126 r127 null:0 0x0 0x0210361F {$3}
sync.nop null {$3.dst}",
"(W) send.ugm (1|M0) r126 r127 null:0 0x0 0x0210261F {$3}
sync.nop null {$3.dst}"),
    (Erratum::DescriptorBits, "bmg",
"send.ugm (16|M0) r10 r8 null:0 0xB000 0x02100500 {$1}",
"send.ugm (16|M0) r10 r8 null:0 0x0 0x02100500 {$1}"),
    (Erratum::WriteCombineFirst, "bmg",
"(W) mov (8|M0) r20.0<1>:ud r6.0<1;1,0>:ud {Atomic}
(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT}",
"(W) mov (8|M0) r20.0<1>:ud r6.0<1;1,0>:ud
(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT}"),
    (Erratum::TernaryDestinationPlace, "bmg",
"add3 (16|M0) r8.0<1>:d r4.0<1;0>:d r6.0<1;0>:d r10.1<1>:d",
"add3 (16|M0) r8.0<1>:d r4.0<1;0>:d r6.0<1;0>:d r10.0<1>:d"),
    (Erratum::ShortDistance, "tgllp",
"mov (16|M0) r4.0<1>:d r6.0<8;8,1>:d {@9}",
"mov (16|M0) r4.0<1>:d r6.0<8;8,1>:d {@7}"),
    (Erratum::FloatsInPlace, "dg2",
"mov (8|M0) r4.0<1>:f r6.1<1;1,0>:f",
"mov (8|M0) r4.0<1>:f r6.0<1;1,0>:f"),
    (Erratum::IndirectRowsOfDwords, "dg2",
"(W) mov (16|M0) a0.0<1>:uw 0x0:uw {A@1}
mov (8|M0) r4.0<1>:f r[a0.0]<1,0>:f",
"(W) mov (16|M0) a0.0<1>:uw 0x0:uw {A@1}
mov (8|M0) r4.0<1>:ud r[a0.0]<1,0>:ud"),
    (Erratum::HalfToWordStrided, "skl",
"mov (8|M0) r4.0<1>:w r6.0<8;8,1>:hf",
"mov (8|M0) r4.0<2>:w r6.0<8;8,1>:hf"),
    (Erratum::ProductOfBytes, "skl",
"mul (8|M0) r4.0<2>:b r6.0<8;8,1>:w r8.0<8;8,1>:w",
"mul (8|M0) r4.0<1>:w r6.0<8;8,1>:w r8.0<8;8,1>:w"),
    (Erratum::RotatesUnsigned, "icllp",
"rol (8|M0) r4.0<1>:d r6.0<8;8,1>:d 0x5:uw",
"rol (8|M0) r4.0<1>:ud r6.0<8;8,1>:ud 0x5:uw"),
    (Erratum::LogicUnsigned, "bmg",
"bfn.(s0^s1^s2) (16|M0) r4.0<1>:d r6.0<1;0>:d r8.0<1;0>:d r9.0<1>:d",
"bfn.(s0^s1^s2) (16|M0) r4.0<1>:ud r6.0<1;0>:ud r8.0<1;0>:ud r9.0<1>:ud"),
    (Erratum::StateWriteBeforeFlow, "bmg",
"(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:ud {A@1}
(W) mov (8|M0) r20.0<1>:ud r6.0<1;1,0>:ud",
"(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:ud {A@1}
(W) mov (8|M0) r20.0<1>:ud r6.0<1;1,0>:ud {A@1}"),
    (Erratum::NullOfWords, "bmg",
"cmp (16|M0) (eq)f0.0 null<1>:w r4.0<1;1,0>:w 0x0:w",
"cmp (16|M0) (eq)f0.0 null<2>:w r4.0<1;1,0>:w 0x0:w"),
    (Erratum::BarrierOfActive, "bmg",
"(W) mov (1|M0) r13.2<1>:ud 0x0:ud
(W) send.gtwy (1|M0) null r13 null:0 0x0 0x02000004 {I@1,$4}",
"(W) mov (1|M0) r13.2<1>:ud 0x100:ud
(W) send.gtwy (1|M0) null r13 null:0 0x0 0x02000004 {I@1,$4}"),
    (Erratum::WhileAfterFlow, "bmg",
"(W) mov (8|M0) r60.0<1>:ud 0x0:ud
join (16|M0) 16
(f0.0) while (16|M0) -32
(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT}",
"(W) mov (8|M0) r60.0<1>:ud 0x0:ud
join (16|M0) 16
nop
(f0.0) while (16|M0) -48
(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT}"),
    (Erratum::FlagsReadEarly, "dg2",
"(f0.0) add (8|M0) r10.0<1>:f r4.0<1;1,0>:f r6.0<1;1,0>:f
cmp (8|M0) (eq)f0.0 null<1>:d r8.0<1;1,0>:d 0x0:d",
"(f0.0) add (8|M0) r10.0<1>:f r4.0<1;1,0>:f r6.0<1;1,0>:f
cmp (8|M0) (eq)f0.0 null<1>:d r8.0<1;1,0>:d 0x0:d {F@1}"),
    (Erratum::AccumulatorPacked, "tgllp",
"mov (8|M0) acc0.0<2>:f r4.0<8;8,1>:f",
"mov (8|M0) acc0.0<1>:f r4.0<8;8,1>:f"),
    (Erratum::AccumulatorReadsWaitedFor, "bmg",
"mov (16|M0) r10.0<1>:f acc0.0<1;1,0>:f
mov (16|M0) acc0.0<1>:d r6.0<1;1,0>:d",
"mov (16|M0) r10.0<1>:f acc0.0<1;1,0>:f
mov (16|M0) acc0.0<1>:d r6.0<1;1,0>:d {F@1}"),
];
