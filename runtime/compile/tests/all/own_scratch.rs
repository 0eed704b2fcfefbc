//! Scratch space that a kernel accesses itself.

use kiln_compile::choose::{Reason, choose_visa};
use kiln_compile::{Input, Session};

use crate::common::verified;

/// A store to the first bytes of scratch space and a load from there, and no value that has no register.
const KERNEL: &str = r#".version 4.2
.kernel "k"
.decl OUT v_type=G type=uq num_elts=1 align=qword
.decl SA v_type=G type=ud num_elts=1 align=dword
.decl Z v_type=G type=ud num_elts=1 align=GRF
.decl V v_type=G type=ud num_elts=16 align=GRF
.input OUT offset=72 size=8
.kernel_attr SimdSize=16
.kernel_attr SpillMemOffset=2048
shr (M1_NM, 1) SA(0,0)<1> %r0(0,5)<0;1,0> 0x4:uw
mov (M1_NM, 1) Z(0,0)<1> 0x0:ud
mov (M1_NM, 16) V(0,0)<1> 0x5:ud
lsc_store.ugm (M1_NM,1) ss(SA)[Z+0x40]:a32 V.0:d32x16t
lsc_load.ugm (M1_NM,1) V.0:d32x16t ss(SA)[Z+0x40]:a32
lsc_store.ugm (M1_NM,1) flat[OUT]:a64 V.0:d32x16t
ret (M1,1)
"#;

#[test]
fn own_scratch_space_is_no_spill() {
    let session = Session::new(verified("pvc"));
    let input = Input {
        name: "own scratch",
        bytes: KERNEL.as_bytes(),
    };
    let chosen = choose_visa(&session, &[input]).expect("a choice");
    let choice = &chosen.choices[0];
    assert_eq!((choice.variant, choice.reason), (0, Reason::Cycles));
    for variant in &choice.variants {
        assert_eq!((variant.messages, variant.spills), (0, 0.0));
    }
}
