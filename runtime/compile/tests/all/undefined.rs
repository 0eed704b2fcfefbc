//! Registers of arguments without contents, before joins that threads pass.

use crate::common::{compiled, verified};

/// A block that threads pass has more arguments without contents than there are units, so that some take those of others.
const KERNEL: &str = r#".version 4.2
.kernel "k"
.decl OUT v_type=G type=uq num_elts=1 align=qword
.decl V0 v_type=G type=ud num_elts=32 align=GRF
.decl V1 v_type=G type=ud num_elts=32 align=GRF
.decl V3 v_type=G type=ud num_elts=32 align=GRF
.decl V4 v_type=G type=ud num_elts=32 align=GRF
.decl V5 v_type=G type=ud num_elts=32 align=GRF
.decl V8 v_type=G type=ud num_elts=32 align=GRF
.decl V9 v_type=G type=ud num_elts=32 align=GRF
.decl V10 v_type=G type=ud num_elts=32 align=GRF
.decl V11 v_type=G type=ud num_elts=32 align=GRF
.decl V12 v_type=G type=ud num_elts=32 align=GRF
.decl X1 v_type=G type=ud num_elts=32 align=GRF
.decl PJ v_type=P num_elts=1
.decl P1 v_type=P num_elts=32
.decl P2 v_type=P num_elts=16
.decl P5 v_type=P num_elts=32
.decl P7 v_type=P num_elts=16
.decl P10 v_type=P num_elts=8
.decl P11 v_type=P num_elts=8
setp (M1_NM, 8) P10 V3(1,0)<0;1,0>
setp (M1_NM, 8) P11 V3(1,2)<0;1,0>
(!P5) goto (M1, 16) L1_f
setp (M1_NM, 32) P1 V12(1,6)<0;1,0>
L3:
cmp.eq (M1_NM, 8) P7 V9(0,0)<1;1,0> V5(0,0)<1;1,0>
mov (M1_NM, 32) X1(0,0)<1> V8(0,0)<1;1,0>
mov (M1_NM, 32) V8(0,0)<1> V12(0,0)<1;1,0>
mov (M1_NM, 32) V12(0,0)<1> V11(0,0)<1;1,0>
mov (M1_NM, 32) V11(0,0)<1> V9(0,0)<1;1,0>
mov (M1_NM, 32) V9(0,0)<1> X1(0,0)<1;1,0>
(PJ) jmp (M1, 1) L3
mov (M1_NM, 1) V8(1,7)<1> P1
mov (M1_NM, 32) V1(0,0)<1> V12(0,0)<1;1,0>
(!P2) goto (M1, 16) L4_f
add (M1, 16) V10(0,0)<1> V0(0,0)<1;1,0> V1(0,0)<1;1,0>
add (M1_NM, 16) V0(0,0)<1> V0(0,0)<1;1,0> V8(0,0)<1;1,0>
L4_f:
L1_f:
add (M1, 16) V4(0,0)<1> V3(0,0)<1;1,0> V8(0,0)<1;1,0>
lsc_store.ugm (M1_NM,1) flat[OUT+0x0]:a64 V0:d32x32t
lsc_store.ugm (M1_NM,1) flat[OUT+0x80]:a64 V1:d32x32t
lsc_store.ugm (M1_NM,1) flat[OUT+0x200]:a64 V4:d32x32t
lsc_store.ugm (M1_NM,1) flat[OUT+0x400]:a64 V8:d32x32t
lsc_store.ugm (M1_NM,1) flat[OUT+0x480]:a64 V9:d32x32t
lsc_store.ugm (M1_NM,1) flat[OUT+0x500]:a64 V10:d32x32t
lsc_store.ugm (M1_NM,1) flat[OUT+0x580]:a64 V11:d32x32t
lsc_store.ugm (M1_NM,1) flat[OUT+0x600]:a64 V12:d32x32t
mov (M1_NM, 1) V0(0,7)<1> P7
mov (M1_NM, 1) V0(1,2)<1> P10
mov (M1_NM, 1) V0(1,3)<1> P11
lsc_store.ugm (M1_NM,1) flat[OUT+0x700]:a64 V0:d32x32t
"#;

#[test]
fn arguments_without_contents_overwrite_nothing() {
    for limit in [26, 28, 32, 40, 64] {
        compiled(KERNEL, &verified("dg2").limited(Some(limit)), limit);
    }
}
