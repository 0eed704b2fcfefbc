//! The library of operations that vISA lacks: each of its functions is inlined for scalars and vectors on all platforms.
//! The programs of `corpus/genx` execute them.

use kiln_genx::{Options, compile};
use kiln_platform::platform::PLATFORMS;
use kiln_visa::opcode::Opcode;

/// The vISA of a kernel that computes an expression of `%a`, `%b` and `%c`, which have this type.
fn compiled(ty: &str, declare: &str, expression: &str) {
    let text = format!(
        "target datalayout = \"e-p:64:64-i64:64\"\n{declare}\n\
         define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r) #0 {{\n  \
         %a = load {ty}, ptr addrspace(1) %p\n  %b = load {ty}, ptr addrspace(1) %q\n  \
         %c = load {ty}, ptr addrspace(1) %r\n  {expression}\n  \
         store {ty} %x, ptr addrspace(1) %p\n  ret void\n}}\nattributes #0 = {{ \"VCFunction\" }}\n"
    );
    for platform in PLATFORMS {
        let compiled = compile(text.as_bytes(), &Options::new(platform));
        let divides = Opcode::Divm.row().platforms.contains(platform.generation);
        let has_doubles = platform.fp64 && platform.int64 && divides;
        if let Err(error) = compiled
            && (!ty.contains("double") || has_doubles)
        {
            panic!("{}: {}: {error}\n{text}", platform.name, error.code.text());
        }
    }
}

/// Types with these elements: a scalar, and vectors that fill registers evenly and unevenly.
fn types(element: &str) -> [String; 4] {
    let vector = |n| format!("<{n} x {element}>");
    [element.to_string(), vector(3), vector(16), vector(20)]
}

/// Part of an intrinsic's name for a type.
fn suffix(ty: &str) -> String {
    let plain = ty.trim_matches(['<', '>']).replace(" x ", "");
    match ty.starts_with('<') {
        true => format!("v{plain}"),
        false => plain,
    }
}

#[test]
fn integers_are_divided() {
    for bits in [8, 16, 32, 64] {
        for ty in types(&format!("i{bits}")) {
            for op in ["udiv", "sdiv", "urem", "srem"] {
                compiled(&ty, "", &format!("%x = {op} {ty} %a, %b"));
            }
        }
    }
}

#[test]
fn bits_are_counted_and_moved() {
    for bits in [8, 16, 32, 64] {
        for ty in types(&format!("i{bits}")) {
            for (name, params, args) in [
                ("ctpop", "", ""),
                ("ctlz", ", i1", ", i1 false"),
                ("cttz", ", i1", ", i1 false"),
                ("bitreverse", "", ""),
                ("bswap", "", ""),
            ] {
                if name == "bswap" && bits == 8 {
                    continue;
                }
                let name = format!("@llvm.{name}.{}", suffix(&ty));
                let declare = format!("declare {ty} {name}({ty}{params})");
                compiled(
                    &ty,
                    &declare,
                    &format!("%x = call {ty} {name}({ty} %a{args})"),
                );
            }
            for name in ["fshl", "fshr"] {
                let name = format!("@llvm.{name}.{}", suffix(&ty));
                let declare = format!("declare {ty} {name}({ty}, {ty}, {ty})");
                let call = format!("%x = call {ty} {name}({ty} %a, {ty} %b, {ty} %c)");
                compiled(&ty, &declare, &call);
            }
        }
    }
}

#[test]
fn overflow_is_found() {
    for bits in [8, 16, 32, 64] {
        for ty in types(&format!("i{bits}")) {
            let bools = ty.replace(&format!("i{bits}"), "i1");
            for op in ["uadd", "sadd", "usub", "ssub", "umul", "smul"] {
                let name = format!("@llvm.{op}.with.overflow.{}", suffix(&ty));
                let both = format!("{{ {ty}, {bools} }}");
                let declare = format!("declare {both} {name}({ty}, {ty})");
                let body = format!(
                    "%both = call {both} {name}({ty} %a, {ty} %b)\n  %s = extractvalue {both} %both, 0\n  \
                     %o = extractvalue {both} %both, 1\n  %x = select {bools} %o, {ty} %c, {ty} %s"
                );
                compiled(&ty, &declare, &body);
            }
        }
    }
}

#[test]
fn remainders_and_bfloats_are_computed() {
    for element in ["half", "float", "double"] {
        for ty in types(element) {
            compiled(&ty, "", &format!("%x = frem {ty} %a, %b"));
            let bfloats = ty.replace(element, "bfloat");
            let body =
                format!("%n = fptrunc {ty} %a to {bfloats}\n  %x = fpext {bfloats} %n to {ty}");
            if element != "half" {
                compiled(&ty, "", &body);
            }
        }
    }
}

/// Functions of floats, by their names in LLVM, in SPIR-V and in ISPC's output.
#[test]
fn functions_of_floats_have_all_names() {
    for (ty, mangled) in [
        ("float", "f"),
        ("<16 x float>", "Dv16_f"),
        ("<8 x half>", "Dv8_Dh"),
        ("double", "d"),
        ("<8 x double>", "Dv8_d"),
    ] {
        for name in [
            "exp", "exp10", "log", "log10", "pow", "sin", "cos", "tan", "atan", "tanh", "round",
        ] {
            let params = if name == "pow" { 2 } else { 1 };
            let types = vec![ty; params].join(", ");
            let args = vec![format!("{ty} %a"); params].join(", ");
            let spirv = format!("_Z{}__spirv_ocl_{name}{mangled}", 12 + name.len());
            let ispc = format!("__spirv_ocl_{name}_DvWIDTHf");
            for function in [format!("llvm.{name}.{}", suffix(ty)), spirv, ispc] {
                let function = function.replace("float", "f32").replace("half", "f16");
                let function = function.replace("double", "f64");
                let declare = format!("declare {ty} @{function}({types})");
                compiled(ty, &declare, &format!("%x = call {ty} @{function}({args})"));
            }
        }
    }
}
