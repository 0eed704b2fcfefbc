//! Every intrinsic of the dialect's definitions has a row.

use kiln_genx::error::Code;
use kiln_genx::intrinsics::Intrinsic;

/// Names in the definitions of the dialect.
const DEFINED: usize = 432;
/// Names, without `genx.` and `.predef.surface`, of intrinsics that have a predefined surface in the place of an operand.
const PREDEFINED: &str = "
    dword.atomic2.add dword.atomic2.and dword.atomic2.cmpxchg dword.atomic2.dec dword.atomic2.fadd
    dword.atomic2.fcmpwr dword.atomic2.fmax dword.atomic2.fmin dword.atomic2.fsub dword.atomic2.imax
    dword.atomic2.imin dword.atomic2.inc dword.atomic2.max dword.atomic2.min dword.atomic2.or
    dword.atomic2.sub dword.atomic2.xchg dword.atomic2.xor gather.masked.scaled2 gather4.masked.scaled2
    oword.ld oword.ld.unaligned oword.st scatter.scaled scatter4.scaled write
";

#[test]
fn all_names_are_in_the_table() {
    let dialect = Intrinsic::all().filter(|(name, _)| name.starts_with("genx."));
    let (supported, refused): (Vec<_>, Vec<_>) = dialect.partition(|(_, supported)| *supported);
    let predefined = PREDEFINED.split_ascii_whitespace().count();
    assert_eq!(supported.len() + refused.len() + predefined, DEFINED);
    assert!(supported.len() >= 260, "{}", supported.len());
}

#[test]
fn names_are_sorted_and_found() {
    let names: Vec<_> = Intrinsic::all().collect();
    for wanted in [true, false] {
        let of_kind = names.iter().filter(|(_, supported)| *supported == wanted);
        let of_kind: Vec<&str> = of_kind.map(|(name, _)| *name).collect();
        assert!(of_kind.windows(2).all(|pair| pair[0] < pair[1]));
    }
    for (name, supported) in names {
        let found = Intrinsic::named(&format!("{name}.v8i32.i64"));
        assert_eq!(found.is_ok(), supported, "{name}");
        if let Ok(found) = found {
            assert_eq!(found.name(), name);
        }
    }
    for name in PREDEFINED.split_ascii_whitespace() {
        let found = Intrinsic::named(&format!("genx.{name}.predef.surface.v8i32.i64"));
        assert_eq!(found.err(), Some(Code::Intrinsic), "{name}");
    }
    assert!(Intrinsic::named("genx.nothing.of.this.name").is_err());
}

/// Names of SPIR-V's functions: as they are mangled, as ISPC writes them, and with lengths that are miscounted. A name that is
/// counted right is no shorter one with other types.
#[test]
fn functions_of_spirv_are_known_by_name() {
    use kiln_genx::ir::rules::{Callee, callee};
    let is_known = |name: &str| matches!(callee(name), Ok(Callee::Intrinsic(_)));
    for name in [
        "_Z15__spirv_ocl_expDv16_f",
        "__spirv_ocl_exp_DvWIDTHf",
        "_Z23__spirv_ocl_half_cosDv7_f",
        "_Z23__spirv_ocl_half_exp10Dv7_f",
        "_Z27__spirv_RoundFToTF32INTELf",
        "_Z27__spirv_RoundFToTF32INTELDv16_f",
        "_Z20__spirv_ReadClockKHRi.1",
    ] {
        assert!(is_known(name), "{name}");
    }
    assert!(!is_known("_Z18__spirv_ocl_lgammaf"));
    assert!(!is_known("_Z17__spirv_ocl_expofDv16_f"));
}
