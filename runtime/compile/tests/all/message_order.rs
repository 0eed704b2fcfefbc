//! Messages that no pass may exchange although others of their kind may pass each other.

use crate::common::{compiled, verified};
use kiln_emit::encoding::decode;
use kiln_emit::inst::{Dst, Inst, Op, Place, Reg};
use kiln_emit::messages::{Access, Descriptors, Request};
use kiln_emit::platform::Platform;

/// The kind of an instruction whose order counts: `read` or `write` of a message, `wait` of a read whose value goes nowhere.
fn step(inst: &Inst, platform: &Platform) -> Option<&'static str> {
    let nowhere = |dst: Dst| dst.place == Place::Direct(Reg::NULL);
    if inst.op == Op::Mov && inst.dst.is_some_and(nowhere) {
        return Some("wait");
    }
    let descriptors = Descriptors::of(&inst.msg?)?;
    let request = Request::decode(descriptors, platform.family).ok()?;
    match request.kind.access() {
        Access::Read => Some("read"),
        Access::Write => Some("write"),
        Access::Other => None,
    }
}

fn steps(name: &str, source: &str) -> Vec<&'static str> {
    let options = verified(name);
    let platform = options.platform;
    let compiled = compiled(source, &options, "order");
    let mut code = &compiled.code[..];
    let mut steps = Vec::new();
    while let Ok(inst) = decode(code, platform) {
        code = &code[inst.size() as usize..];
        steps.extend(step(&inst, platform));
    }
    steps
}

/// A texel is read by the sampler and then written; the compiler of OpenCL C has the read waited for.
#[test]
fn texels_are_read_before_they_are_written() {
    let kernel = ".version 4.1
.kernel \"k\"
.decl U v_type=G type=ud num_elts=8 align=wordx32
.decl W v_type=G type=ud num_elts=8 align=wordx32
.decl D v_type=G type=ud num_elts=32 align=wordx32
.decl R v_type=G type=ud num_elts=32 align=wordx32
.decl N v_type=G type=ud num_elts=2 align=dword
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
mov (M1_NM, 8) U(0,0)<1> 0x0:ud
mov (M1_NM, 8) W(0,0)<1> 0x1:ud
mov (M1_NM, 16) D(0,0)<1> 0x7:ud
mov (M1_NM, 16) D(2,0)<1> 0x7:ud
movs (M1_NM, 1) T6(0) 0x0:ud
load_lz.RGBA (M1, 8) 0x0:uw T6 R.0 U.0 U.0
mov (M1_NM, 1) %null(0,0)<1> R(0,0)<1;1,0>
mov (M1_NM, 1) N(0,0)<1> %tsc(0,0)<0;1,0>
scatter4_typed.RGBA (M1, 8) T6 W.0 U.0 %null.0 %null.0 D.0
ret (M1, 1)
";
    for name in ["skl", "icllp", "tgllp"] {
        let steps = steps(name, kernel);
        let order = ["read", "wait", "write"];
        assert!(steps.windows(3).any(|w| w == order), "{name}: {steps:?}");
    }
}

/// A block of 64-bit elements is stored in a surface, and its second half is loaded.
#[test]
fn halves_of_a_block_are_loaded_after_it_is_stored() {
    let kernel = ".version 4.2
.kernel \"k\"
.decl P v_type=G type=uq num_elts=1 align=qword
.decl V v_type=G type=uq num_elts=16 align=wordx32
.decl V_ud v_type=G type=ud num_elts=32 align=wordx32 alias=<V,0>
.decl U v_type=G type=ud num_elts=16 align=wordx32
.decl Z v_type=G type=ud num_elts=1 align=wordx32
.decl S v_type=G type=ud num_elts=1 align=dword
.input P offset=64 size=8
.kernel_attr SimdSize=16
shr (M1_NM, 1) S(0,0)<1> %r0(0,5)<0;1,0> 0x4:uw
mov (M1_NM, 1) Z(0,0)<1> 0x0:ud
lsc_load.ugm (M1_NM, 1) V_ud:d32x32t flat[P]:a64
mul (M1_NM, 16) V_ud(0,0)<1> V_ud(0,0)<1;1,0> V_ud(0,0)<1;1,0>
lsc_store.ugm (M1_NM, 1) ss(S)[Z+0x0]:a32 V:d64x16t
lsc_load.ugm (M1_NM, 1) U:d32x16t ss(S)[Z+0x40]:a32
mul (M1_NM, 16) U(0,0)<1> U(0,0)<1;1,0> U(0,0)<1;1,0>
mul (M1_NM, 16) U(0,0)<1> U(0,0)<1;1,0> U(0,0)<1;1,0>
lsc_store.ugm (M1_NM, 1) flat[P]:a64 U:d32x16t
ret (M1, 1)
";
    for name in ["lnl", "bmg", "ptl"] {
        let steps = steps(name, kernel);
        assert!(
            steps.ends_with(&["read", "write", "read", "write"]),
            "{name}: {steps:?}"
        );
    }
}
