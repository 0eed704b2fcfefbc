//! Conversions of floats of eight bits: wherever their operands are, and in how many channels, the code has the one form of the
//! hardware (`kiln_emit::verify`), and no value passes through an integer.

use crate::common::{compiled, verified};
use kiln_emit::inst::{Op, Src, Type};
use kiln_emit::listing;
use kiln_emit::verify;

fn kernel(body: &str) -> String {
    format!(
        ".version 4.1
.kernel \"k\"
.decl P v_type=G type=uq num_elts=1 align=qword
.decl S v_type=G type=ub num_elts=64 align=wordx32
.decl H v_type=G type=hf num_elts=64 align=wordx32
.input P offset=128 size=8
.kernel_attr Target=\"cm\"
.kernel_attr SimdSize=1
lsc_load.ugm (M1_NM, 1) H:d32x32t flat[P]:a64
lsc_load.ugm (M1_NM, 1) S:d32x16t flat[P+0x100]:a64
{body}
lsc_store.ugm (M1_NM, 1) flat[P]:a64 H:d32x32t
lsc_store.ugm (M1_NM, 1) flat[P+0x100]:a64 S:d32x16t
ret (M1, 1)
"
    )
}

#[test]
fn conversions_of_small_floats_have_the_form_of_the_hardware() {
    let bodies = [
        "fcvt (M1_NM, 16) S(0,0)<1> H(0,0)<1;1,0>",
        "fcvt (M1_NM, 32) S(0,32)<1> H(1,0)<1;1,0>",
        "fcvt (M1_NM, 1) S(0,5)<1> H(0,3)<0;1,0>",
        "fcvt (M1_NM, 8) S(0,0)<2> H(0,1)<2;1,0>",
        "fcvt (M1_NM, 16) S(0,0)<1> H(0,2)<0;1,0>",
        "fcvt (M1_NM, 16) H(0,0)<1> S(0,0)<1;1,0>",
        "fcvt (M1_NM, 8) H(0,8)<2> S(0,4)<1;1,0>",
        "fcvt (M1_NM, 16) H(0,0)<1> S(0,1)<0;1,0>",
        "fcvt (M1_NM, 1) H(0,0)<1> S(0,1)<0;1,0>",
        "fcvt (M1, 16) H(0,0)<1> S(0,3)<2;1,0>",
        "srnd (M1_NM, 16) S(0,16)<1> H(0,0)<1;1,0> H(1,0)<1;1,0>",
        "srnd (M1_NM, 1) S(0,5)<1> H(0,0)<0;1,0> H(1,0)<0;1,0>",
    ];
    for name in ["pvc", "bmg", "ptl"] {
        let options = verified(name);
        for body in bodies {
            let compiled = compiled(&kernel(body), &options, body);
            let mut conversions = 0;
            for entry in listing::entries(&compiled.code, options.platform) {
                let inst = entry.inst.expect("an instruction");
                let checked = verify::verify_finished(&inst, options.platform);
                assert!(checked.is_ok(), "{name}, {body}: {inst}: {checked:?}");
                let dst = inst.dst.map(|dst| dst.ty);
                let src = inst.srcs.first().map(Src::ty);
                if [dst, src].contains(&Some(Type::Bf8)) {
                    let other = [dst, src].contains(&Some(Type::Hf));
                    assert!(
                        other && matches!(inst.op, Op::Mov | Op::Srnd),
                        "{name}, {body}: {inst}"
                    );
                    conversions += 1;
                }
            }
            assert_eq!(conversions, 1, "{name}, {body}");
        }
    }
}
