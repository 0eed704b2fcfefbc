//! Operations of brain floats with single floats: whatever the places of their operands, the code keeps the rules of such
//! operations (`kiln_emit::verify`, "brain floats beside their places").

use crate::common::{compiled, verified};
use kiln_emit::listing;
use kiln_emit::verify;

/// A kernel that loads two vectors, does something to them, and stores them.
fn kernel(body: &str) -> String {
    format!(
        ".version 4.1
.kernel \"k\"
.decl P v_type=G type=uq num_elts=1 align=qword
.decl B v_type=G type=bf num_elts=64 align=wordx32
.decl C v_type=G type=bf num_elts=64 align=wordx32
.decl F v_type=G type=f num_elts=32 align=wordx32
.input P offset=128 size=8
.kernel_attr Target=\"cm\"
.kernel_attr SimdSize=1
lsc_load.ugm (M1_NM, 1) B:d32x32t flat[P]:a64
lsc_load.ugm (M1_NM, 1) C:d32x32t flat[P+0x80]:a64
lsc_load.ugm (M1_NM, 1) F:d32x32t flat[P+0x100]:a64
{body}
lsc_store.ugm (M1_NM, 1) flat[P]:a64 B:d32x32t
lsc_store.ugm (M1_NM, 1) flat[P+0x100]:a64 F:d32x32t
ret (M1, 1)
"
    )
}

#[test]
fn brain_floats_beside_single_ones_are_packed() {
    // A product with a constant in place, as libraries of matrix products convert small floats; operands that begin elsewhere, and
    // every second element; a result of single floats; a vector of two registers; operations of brain floats alone.
    let bodies = [
        "mul (M1_NM, 16) B(0,0)<1> B(0,0)<1;1,0> 0x7e000000:f",
        "mul (M1_NM, 32) B(0,0)<1> B(0,0)<1;1,0> 0x7e000000:f",
        "mul (M1_NM, 16) B(0,16)<1> B(0,16)<1;1,0> 0x40000000:f",
        "add (M1_NM, 8) B(0,3)<1> B(0,5)<1;1,0> F(0,0)<1;1,0>",
        "add (M1_NM, 8) B(0,0)<2> B(0,1)<2;1,0> F(0,8)<1;1,0>",
        "mul (M1_NM, 16) F(0,0)<1> B(0,8)<1;1,0> F(0,0)<1;1,0>",
        "mad (M1_NM, 16) B(0,0)<1> B(0,0)<1;1,0> F(0,0)<1;1,0> C(0,0)<1;1,0>",
        "mad (M1_NM, 16) B(0,0)<1> B(0,0)<1;1,0> C(0,16)<1;1,0> C(0,0)<1;1,0>",
        "mad (M1_NM, 16) F(0,0)<1> B(0,3)<1;1,0> F(0,0)<1;1,0> C(0,0)<1;1,0>",
        "add (M1_NM, 16) B(0,0)<1> B(0,0)<1;1,0> C(0,0)<1;1,0>",
        "mul (M1_NM, 16) B(0,0)<1> (-)B(0,1)<1;1,0> C(0,5)<0;1,0>",
    ];
    for name in ["dg2", "pvc", "bmg", "ptl"] {
        let options = verified(name);
        for body in bodies {
            let compiled = compiled(&kernel(body), &options, body);
            for entry in listing::entries(&compiled.code, options.platform) {
                let inst = entry.inst.expect("an instruction");
                let checked = verify::verify_finished(&inst, options.platform);
                assert!(checked.is_ok(), "{name}, {body}: {inst}: {checked:?}");
            }
        }
    }
}
