//! Small kernels as text.

use kiln_visa::module::Module;
use kiln_visa::{text, verify};

/// A SIMD16 kernel with variables V, W, X of sixteen dwords, address
/// A0 and predicates P1 to P3 of sixteen channels.
pub fn kernel(body: &str) -> Module {
    let mut source = String::from(".version 4.1\n.kernel \"k\"\n");
    for var in ["V", "W", "X"] {
        source += &format!(".decl {var} v_type=G type=d num_elts=16 align=hword\n");
    }
    for p in 1..4 {
        source += &format!(".decl P{p} v_type=P num_elts=16\n");
    }
    source += ".decl A0 v_type=A num_elts=8\n.decl T6 v_type=T num_elts=1 v_name=T006\n";
    source += ".kernel_attr SimdSize=16\n";
    source += body;
    let module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let findings = verify::verify(&module);
    assert!(findings.is_empty(), "{findings:?}\n{source}");
    module
}
