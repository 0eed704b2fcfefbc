use super::*;

fn call(text: &str) -> Option<Compile> {
    let words: Vec<String> = text.split(' ').map(str::to_string).collect();
    read(&words)
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
        "compile -file a.cl -device lnl -cpp_file",
        "compile -file",
        "compile -device_options lnl",
        "compile -file a.cl -device lnl -o /",
        "compile -file a.cl -device lnl -internal_options -emit-visa-only",
    ] {
        assert_eq!(call(text), None, "{text}");
    }
    assert_eq!(read(&[]), None);
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
        read(&words.map(str::to_string)).unwrap().lines
    };
    assert!(of("-g") && of("-cl-std=CL2.0 -g"));
    assert!(!of("-gline") && !of("-cl-std=CL2.0"));
}
