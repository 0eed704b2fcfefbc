use super::*;

fn call(text: &str) -> Option<Compile> {
    let words: Vec<String> = text.split(' ').map(str::to_string).collect();
    match read(&words) {
        Call::Compile(compile) => Some(compile),
        _ => None,
    }
}

#[test]
fn calls_that_make_no_object_file_are_passed_on() {
    for text in [
        "disasm -file a.bin -device lnl",
        "validate -file a.bin",
        "link -file a.spv -file b.spv",
        "query OCL_DRIVER_VERSION",
        "ids lnl",
        "--version",
        "compile --help",
        "compile -file a.cl -spv_only",
        "compile -file",
        "compile -device_options lnl",
        "compile -file a.cl -device lnl -internal_options -emit-visa-only",
    ] {
        let words: Vec<String> = text.split(' ').map(str::to_string).collect();
        assert_eq!(read(&words), Call::Other, "{text}");
    }
    assert_eq!(read(&[]), Call::Other);
}

/// Calls that make code in files other than object files say so.
#[test]
fn code_in_other_files_is_oclocs() {
    for (text, word) in [
        ("multi calls.txt", "multi"),
        ("compile -file a.cl -device lnl -cpp_file", "-cpp_file"),
        ("-cpp_file -file a.cl -device lnl", "-cpp_file"),
        ("compile -file a.cl -device lnl -o /", NAMELESS),
        ("compile -file a.cl -output a/b/ -device lnl", NAMELESS),
    ] {
        let words: Vec<String> = text.split(' ').map(str::to_string).collect();
        assert_eq!(read(&words), Call::Kept(word), "{text}");
    }
    // No code is made.
    assert_eq!(call("compile -file a.cl -cpp_file --help"), None);
    let named = ["-file", "-cpp_file", "-device", "lnl"].map(str::to_string);
    assert!(matches!(read(&named), Call::Compile(_)));
}

/// A call for another SIMD size begins with the SPIR-V that the first one left, unless the source is IR itself.
#[test]
fn sources_in_ir_have_no_stem() {
    let stem = |text: &str| call(text).unwrap().source_stem().map(str::to_string);
    assert_eq!(stem("-file a/k.cl -device lnl").as_deref(), Some("k"));
    assert_eq!(stem("-file a/k.spv -spirv_input -device lnl"), None);
    assert_eq!(stem("-file a/k.bc -llvm_input -device lnl"), None);
}

#[test]
fn only_places_of_files_are_replaced() {
    for (text, folder, kept) in [
        ("-file a.cl -device lnl", "", "-file a.cl -device lnl"),
        (
            "compile -file F.spv -o /tmp/x/F.o -spirv_input -device bmg -options -cl-fast",
            "/tmp/x",
            "compile -file F.spv -o F.o -spirv_input -device bmg -options -cl-fast",
        ),
        (
            "compile -out_dir a/b -output c/d -file e.cl -device lnl,bmg -output_no_suffix",
            "a/b/c",
            "compile -output d -file e.cl -device lnl,bmg -output_no_suffix",
        ),
        (
            "compile -out_dir a -file -out_dir",
            "a",
            "compile -file -out_dir",
        ),
        (
            "compile -output /x -device_options lnl -g -q",
            "/",
            "compile -output x -device_options lnl -g -q",
        ),
        // ocloc names its files ._lnl.bin.
        ("compile -output a//. -q", "a", "compile -output . -q"),
        ("compile -output  -q", "", "compile -output  -q"),
    ] {
        let compile = call(text).unwrap();
        assert_eq!(compile.folder, folder, "{text}");
        let code = compile.arguments(Parts::Code, "T").join(" ");
        assert_eq!(code, format!("{kept} -out_dir T"), "{text}");
        let visa = compile.arguments(Parts::Visa, "T");
        let (internal, before) = visa.split_last().unwrap();
        assert_eq!(internal, "-emit-visa-only -emit-zebin-visa-sections");
        assert_eq!(before.join(" "), format!("{code} -internal_options"));
        assert_eq!(
            compile.arguments(Parts::Both, "T").last().unwrap(),
            "-emit-zebin-visa-sections"
        );
    }
}

#[test]
fn lines_are_wanted_with_debug_information() {
    let of = |options: &str| {
        let words = ["-file", "a.cl", "-device", "lnl", "-options", options];
        match read(&words.map(str::to_string)) {
            Call::Compile(compile) => compile.lines,
            other => panic!("{other:?}"),
        }
    };
    assert!(of("-g") && of("-cl-std=CL2.0 -g"));
    assert!(!of("-gline") && !of("-cl-std=CL2.0"));
}
