//! Branches inside of branches on platforms whose execution units work in pairs (`Wa_1808850743`): nothing jumps past a branch, and
//! an instruction without a mask has a predicate where the other unit of the pair may be in other code.

use crate::common::{compiled, verified};
use kiln_compile::{Platform, find_platform};
use kiln_emit::inst::Op;
use kiln_emit::listing;

/// A kernel of 16 channels with this code on `X` and the number `S` of all channels, whose results are stored.
fn kernel(body: &str) -> String {
    format!(
        ".version 4.1
.kernel \"k\"
.decl X v_type=G type=d num_elts=16 align=GRF
.decl A v_type=G type=ud num_elts=16 align=GRF
.decl S v_type=G type=d num_elts=1 align=dword
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=16
.decl P3 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1 v_name=T006
.input X offset=64 size=64
.input A offset=128 size=64
.kernel_attr Target=\"3d\"
.kernel_attr SimdSize=16
.function \"k_0\"
mov (M1_NM, 1) S(0,0)<1> 0x1:d
{body}
end:
add (M1, 16) X(0,0)<1> X(0,0)<1;1,0> S(0,0)<0;1,0>
movs (M1_NM, 1) T6(0) 0x1:ud
scatter4_scaled.R (M1, 16) T6 0x0:ud A.0 X.0
ret (M1, 16)
"
    )
}

/// Jumps, and instructions without a mask that have a predicate.
fn counted(body: &str, platform: &'static Platform) -> (usize, usize) {
    let compiled = compiled(&kernel(body), &verified(platform.name), body);
    let insts = listing::entries(&compiled.code, platform);
    let insts: Vec<_> = insts
        .into_iter()
        .filter_map(|entry| entry.inst.ok())
        .collect();
    let jumps = insts.iter().filter(|inst| inst.op == Op::Jmpi).count();
    let guarded = insts
        .iter()
        .filter(|inst| inst.no_mask && inst.pred.is_some());
    (jumps, guarded.count())
}

#[test]
fn nested_branches_keep_pairs_of_units_apart() {
    let inner = "cmp.gt (M1, 16) P2 X(0,0)<1;1,0> 0x5:d
(P2) goto (M1, 16) above
mov (M1_NM, 1) S(0,0)<1> 0x3:d
add (M1, 16) X(0,0)<1> X(0,0)<1;1,0> S(0,0)<0;1,0>
goto (M1, 16) end
above:
mov (M1_NM, 1) S(0,0)<1> 0x7:d
mul (M1, 16) X(0,0)<1> X(0,0)<1;1,0> S(0,0)<0;1,0>";
    let branch = format!("cmp.lt (M1, 16) P1 X(0,0)<1;1,0> 0x0:d\n(P1) goto (M1, 16) end\n{inner}");
    let rounds = format!(
        "again:\n{branch}\ncmp.lt (M1, 16) P3 X(0,0)<1;1,0> 0x64:d\n(P3) goto (M1, 16) again"
    );
    let deeper = format!(
        "cmp.eq (M1, 16) P3 X(0,0)<1;1,0> 0x9:d\n(P3) goto (M1, 16) end\n{branch}\nadd (M1_NM, 1) S(0,0)<1> S(0,0)<0;1,0> 0x2:d"
    );
    for body in [&branch, &rounds, &deeper] {
        let platform = find_platform("tgllp").expect("a platform");
        let (jumps, guarded) = counted(body, platform);
        assert_eq!(jumps, 0, "{body}");
        assert!(guarded >= 2, "{guarded}: {body}");
        for name in ["skl", "icllp"] {
            let (_, guarded) = counted(body, find_platform(name).expect("a platform"));
            assert_eq!(guarded, 0, "{name}: {body}");
        }
    }
}
