//! Spills by messages that name their surface by the address register's last dword, where the function has addresses, too.

use crate::common::{compiled, verified};

/// A kernel whose 32 registers of values live over the last words of the address register, which `between` writes and
/// reads.
fn kernel(between: &str) -> String {
    let loads = |name: &str, from: u32| -> String {
        (0..3)
            .map(|n| {
                let (at, place) = (from + n * 0x100, n * 256);
                format!("lsc_load.ugm (M1_NM, 1) {name}.{place}:d32x64t flat[P+{at:#x}]:a64\n")
            })
            .collect()
    };
    let (first, second) = (loads("V", 0x100), loads("W", 0x400));
    format!(
        ".version 4.1
.kernel \"k\"
.decl P v_type=G type=uq num_elts=1 align=qword
.decl R v_type=G type=ud num_elts=16 align=wordx32
.decl Q v_type=G type=ud num_elts=16 align=wordx32
.decl V v_type=G type=ud num_elts=192 align=wordx32
.decl W v_type=G type=ud num_elts=192 align=wordx32
.decl A v_type=A num_elts=16
.input P offset=128 size=8
.kernel_attr Target=\"cm\"
.kernel_attr SimdSize=1
lsc_load.ugm (M1_NM, 1) R:d32x16t flat[P]:a64
mov (M1_NM, 16) Q(0,0)<1> R(0,0)<1;1,0>
addr_add (M1_NM, 1) A(15)<1> &R 0x3c:uw
{first}{second}{between}
mov (M1_NM, 1) Q(0,1)<1> r[A(15), 0]<0;1,0>:ud
add (M1_NM, 16) V(0,0)<1> V(11,0)<1;1,0> W(7,0)<1;1,0>
lsc_store.ugm (M1_NM, 1) flat[P+0x100]:a64 V:d32x64t
lsc_store.ugm (M1_NM, 1) flat[P+0x200]:a64 V.256:d32x64t
lsc_store.ugm (M1_NM, 1) flat[P+0x400]:a64 W:d32x64t
lsc_store.ugm (M1_NM, 1) flat[P]:a64 Q:d32x16t
ret (M1, 1)
"
    )
}

#[test]
fn addresses_live_over_spills() {
    let between = [
        // The other word of the last dword, the same word, both, and none.
        "addr_add (M1_NM, 1) A(14)<1> &R 0x38:uw\nmov (M1_NM, 1) Q(0,0)<1> r[A(14), 0]<0;1,0>:ud",
        "addr_add (M1_NM, 1) A(15)<1> &R 0x38:uw\nmov (M1_NM, 1) Q(0,0)<1> r[A(15), 0]<0;1,0>:ud",
        "addr_add (M1_NM, 1) A(14)<1> &R 0x38:uw\naddr_add (M1_NM, 1) A(15)<1> &R 0x34:uw",
        "",
    ];
    for name in ["pvc", "lnl", "bmg", "ptl"] {
        let options = verified(name).limited(Some(24));
        for between in between {
            // The proof of allocation follows each word of the address register.
            let compiled = compiled(&kernel(between), &options, between);
            assert!(compiled.allocation.spills > 0, "{name}, {between}");
        }
    }
}
